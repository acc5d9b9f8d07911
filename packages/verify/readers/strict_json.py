"""JSON as evidence has it: one value, no name twice in an object, no nesting beyond a bound, nothing before or after."""
import json, re

MAX_DEPTH = 64
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)

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

def no_name_twice(pairs):
    value = dict(pairs)
    if len(value) != len(pairs): raise NotJson("a name occurs twice in one object")
    return value

def no_such_number(word):
    raise NotJson(f"{word} is no JSON")

def parse(text):
    """The value of a text (bytes or str), or NotJson. Every number is the nearest double."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        if depth_of(text) > MAX_DEPTH: raise NotJson("it is too deep")
        return json.loads(text, object_pairs_hook=no_name_twice, parse_constant=no_such_number, parse_int=float)
    except (ValueError, RecursionError) as problem:
        raise NotJson(str(problem)) from None
