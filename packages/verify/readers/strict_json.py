"""JSON as evidence has it: one value, no name twice in an object, no nesting beyond a bound, nothing before or after."""
import json, math, re

MAX_DEPTH = 64
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)

class NotJson(ValueError):
    pass

def depth_of(text):
    """How deep the brackets outside strings go. Right for every text that is JSON; for others the parser decides."""
    depth = deepest = 0
    for token in TOKENS.finditer(text):
        mark = token.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}": depth -= 1
    return deepest

def surrogates_are_paired(text):
    """Whether every half of a pair that an escape names stands beside the other half."""
    open_at = None
    for match in ESCAPE.finditer(text):
        code = int(match[1], 16) if match[1] else 0
        if open_at is not None and (match.start() != open_at or not 0xDC00 <= code <= 0xDFFF): return False
        if open_at is None and 0xDC00 <= code <= 0xDFFF: return False
        open_at = match.end() if 0xD800 <= code <= 0xDBFF else None
    return open_at is None

def no_name_twice(pairs):
    value = dict(pairs)
    if len(value) != len(pairs): raise NotJson("a name occurs twice in one object")
    return value

def no_such_number(word):
    raise NotJson(f"{word} is no JSON")

def finite(digits):
    value = float(digits)
    if math.isinf(value): raise NotJson("a number is beyond what a double holds")
    return value

def parse(text):
    """The value of a text (bytes or str), or NotJson. Every number is the nearest double."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        if depth_of(text) > MAX_DEPTH: raise NotJson("it is too deep")
        value = json.loads(text, object_pairs_hook=no_name_twice, parse_constant=no_such_number, parse_int=finite, parse_float=finite)
    except (ValueError, RecursionError) as problem:
        raise NotJson(str(problem)) from None
    if "\\" in text and not surrogates_are_paired(text): raise NotJson("a surrogate has no partner")
    return value
