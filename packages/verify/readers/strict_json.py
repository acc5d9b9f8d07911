"""JSON as evidence has it: one value, no name twice in an object, no nesting beyond a bound, nothing before or after."""
import json, math, re

MAX_DEPTH = 64
MAX_VALUES = 131_072
MAX_BYTES = 4 * 1024 * 1024
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)

class NotJson(ValueError):
    pass

def measure(text):
    """How deep the brackets outside strings go, and how many values there are. Right for every text that is JSON; for others the parser decides."""
    depth = deepest = values = 0
    before = None
    for token in TOKENS.finditer(text):
        mark = token.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
            values += 1
        elif mark in "]}":
            depth -= 1
            if before is not None and text[before.end():token.start()].strip() == "" and before.group() == OPENING[mark]: values -= 1
        elif mark == ",": values += 1
        before = token
    return deepest, values + 1

OPENING = {"]": "[", "}": "{"}

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
        if isinstance(text, bytes) and len(text) > MAX_BYTES: raise NotJson("it is too large")
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        depth, values = measure(text)
        if depth > MAX_DEPTH: raise NotJson("it is too deep")
        if values > MAX_VALUES: raise NotJson("it has too many values")
        value = json.loads(text, object_pairs_hook=no_name_twice, parse_constant=no_such_number, parse_int=finite, parse_float=finite)
    except (ValueError, RecursionError) as problem:
        raise NotJson(str(problem)) from None
    if "\\" in text and not surrogates_are_paired(text): raise NotJson("a surrogate has no partner")
    return value
