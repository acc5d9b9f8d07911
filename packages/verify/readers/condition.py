"""Conditions of rules: the part of CEL of section 7.6. A condition is parsed into small tuples and computed over one input and actor."""
import functools, math, re
from canonical import units

MAX_UNITS, MAX_OPEN, MAX_INT = 4096, 40, 2**63 - 1
RESERVED = frozenset("as break const continue else for function if import in let loop package namespace return var void while".split())
VALUES = {"true": True, "false": False, "null": None}
METHODS = {"size": 0, "startsWith": 1, "endsWith": 1, "contains": 1}
SPACE = re.compile(r"(?:[\t\n\f\r ]|//[^\n]*)*")
TEXT = re.compile(r"\"(?!\"\")(?:[^\"\\\n\r]|\\.)*\"|'(?!'')(?:[^'\\\n\r]|\\.)*'")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DOUBLE = re.compile(r"[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?")
INT = re.compile(r"0x[0-9a-fA-F]+|[0-9]+")
SIGN = re.compile(r"\|\||&&|==|!=|<=|>=|[<>!?:.,()\[\]-]")
ESCAPE = re.compile(r"\\(?:([abfnrtv\\?\"'`])|([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

class NoCondition(ValueError):
    """The text is not of the form: it allows nothing."""

class Incomputable(Exception):
    """An error in CEL's sense."""

def unescape(match):
    simple, octal, *hexadecimal = match.groups()
    if simple: return SIMPLE.get(simple, simple)
    code = int(octal, 8) if octal else int(next(digits for digits in hexadecimal if digits), 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF: raise NoCondition("an escape is no code point")
    return chr(code)

def text_value(token):
    inner = token[1:-1]
    if "\\" in ESCAPE.sub("", inner): raise NoCondition("an escape is unknown")
    return ESCAPE.sub(unescape, inner)

def tokens(text):
    """The tokens as (kind, value), an end behind the last."""
    found, place = [], SPACE.match(text).end()
    while place < len(text):
        for kind, pattern in (("text", TEXT), ("name", NAME), ("double", DOUBLE), ("int", INT), ("sign", SIGN)):
            match = pattern.match(text, place)
            if match: break
        else: raise NoCondition("a sign is unknown")
        follows = text[match.end():match.end() + 1]
        if kind == "name" and follows in ("'", '"') or kind in ("double", "int") and re.match(r"[A-Za-z_]", follows):
            raise NoCondition("a token runs into another")
        found.append((kind, match[0]))
        place = SPACE.match(text, match.end()).end()
    return [*found, ("end", "")]

class Parser:
    def __init__(self, text):
        if len(units(text)) > 2 * MAX_UNITS: raise NoCondition("it is too long")
        self.tokens, self.place, self.open = tokens(text), 0, 0

    def next(self):
        self.place += 1
        return self.tokens[self.place - 1]

    def take(self, *signs):
        """The sign or word that stands here, if it is one of these."""
        kind, value = self.tokens[self.place]
        if kind in ("sign", "name") and value in signs:
            self.place += 1
            return value
        return None

    def need(self, sign):
        if not self.take(sign): raise NoCondition(f"{sign} is missing")

    def expression(self):
        self.open += 1
        if self.open > MAX_OPEN: raise NoCondition("it is too deep")
        tree = self.either()
        if self.take("?"):
            yes = self.either()
            self.need(":")
            tree = ("choose", tree, yes, self.expression())
        self.open -= 1
        return tree

    def either(self):
        tree = self.both()
        while self.take("||"): tree = ("or", tree, self.both())
        return tree

    def both(self):
        tree = self.relation()
        while self.take("&&"): tree = ("and", tree, self.relation())
        return tree

    def relation(self):
        tree = self.unary()
        while sign := self.take("==", "!=", "<", "<=", ">", ">=", "in"): tree = (sign, tree, self.unary())
        return tree

    def unary(self):
        if self.take("-"): return self.negative()
        times = 0
        while self.take("!"): times += 1
        tree = self.member()
        for _ in range(times): tree = ("not", tree)
        return tree

    def negative(self):
        kind, value = self.next()
        if kind == "double": return ("value", -double(value))
        if kind == "int": return ("value", -whole(value, MAX_INT + 1))
        raise NoCondition("only a number can be negative")

    def member(self):
        tree = self.primary()
        while sign := self.take(".", "["):
            if sign == "[":
                tree = ("index", tree, self.expression())
                self.need("]")
            else:
                kind, name = self.next()
                if kind != "name": raise NoCondition("no name is behind a dot")
                tree = self.method(tree, name) if self.take("(") else ("select", tree, name)
        return tree

    def method(self, tree, name):
        given = self.arguments(")")
        if METHODS.get(name) != len(given): raise NoCondition(f"{name} cannot be called so")
        return (name, tree, *given)

    def arguments(self, end):
        """What is between brackets. A list, and no call, may have a comma behind its last item."""
        found = []
        if self.take(end): return found
        while True:
            found.append(self.expression())
            if self.take(end): return found
            self.need(",")
            if end == "]" and self.take(end): return found

    def primary(self):
        kind, value = self.next()
        if kind == "text": return ("value", text_value(value))
        if kind == "double": return ("value", double(value))
        if kind == "int": return ("value", whole(value, MAX_INT))
        if kind == "name": return self.name(value)
        if value == "[": return ("list", *self.arguments("]"))
        if value != "(": raise NoCondition("a value is missing")
        tree = self.expression()
        self.need(")")
        return tree

    def name(self, name):
        if name in VALUES: return ("value", VALUES[name])
        if name in RESERVED: raise NoCondition(f"{name} is reserved")
        if not self.take("("): return ("name", name)
        given = self.arguments(")")
        if name == "has" and len(given) == 1 and given[0][0] == "select": return ("has", *given[0][1:])
        if name == "size" and len(given) == 1: return ("size", given[0])
        raise NoCondition(f"{name} cannot be called so")

def double(text):
    if math.isinf(float(text)): raise NoCondition("a number is too large")
    return float(text)

def whole(text, most):
    value = int(text, 16) if text.startswith("0x") else int(text) if len(text) < 4000 else most + 1
    if value > most: raise NoCondition("a number is too large")
    return value

@functools.lru_cache(maxsize=1024)
def parse(text):
    parser = Parser(text)
    tree = parser.expression()
    if parser.next()[0] != "end": raise NoCondition("something follows")
    return tree

def value_of(json):
    """A JSON value as CEL has it: a double that is whole and small is an int."""
    if isinstance(json, float): return int(json) if json.is_integer() and abs(json) < 2**53 else json
    if isinstance(json, list): return [value_of(item) for item in json]
    if isinstance(json, dict): return {name: value_of(item) for name, item in json.items()}
    return json

def kind(value):
    if isinstance(value, bool): return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__

def equal(a, b):
    if kind(a) != kind(b): return False
    if isinstance(a, list): return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict): return a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    return a == b

def order(text):
    """What orders texts: their units, those of surrogates behind all others."""
    data = units(text)
    numbers = [data[i] << 8 | data[i + 1] for i in range(0, len(data), 2)]
    return [number + 0x10000 if 0xD800 <= number <= 0xDFFF else number for number in numbers]

def compare(sign, a, b):
    if kind(a) != kind(b) or kind(a) not in ("number", "bool", "str"): raise Incomputable("these have no order")
    if isinstance(a, str): a, b = order(a), order(b)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]

def item(base, index):
    if isinstance(base, dict) and isinstance(index, str) and index in base: return base[index]
    if isinstance(base, list) and kind(index) == "number" and index == index // 1 and 0 <= index < len(base): return base[int(index)]
    raise Incomputable("there is no such item")

def within(a, b):
    """Whether the units of one text are somewhere in the other."""
    a, b = units(a), units(b)
    return any(b.startswith(a, place) for place in range(0, len(b) + 1, 2))

class Computer:
    """Computes trees over `input` and `actor`. A name without a value is an error wherever it is needed."""
    def __init__(self, names):
        self.names = names

    def value(self, tree):
        word, *parts = tree
        if word == "value": return parts[0]
        if word == "name":
            if parts[0] not in self.names: raise Incomputable("the name is unknown")
            return self.names[parts[0]]
        if word in ("or", "and"): return self.logic(word == "or", parts)
        if word == "choose": return self.value(parts[1] if self.bool(parts[0]) else parts[2])
        if word == "not": return not self.bool(parts[0])
        if word == "list": return [self.value(part) for part in parts]
        if word == "select": return self.select(*parts)
        if word == "has": return parts[1] in self.map(parts[0])
        return self.call(word, [self.value(part) for part in parts])

    def bool(self, tree):
        value = self.value(tree)
        if not isinstance(value, bool): raise Incomputable("it is no bool")
        return value

    def logic(self, decisive, parts):
        """`||` is true as soon as one side is, `&&` false, whatever becomes of the other."""
        problems = []
        for part in parts:
            try:
                if self.bool(part) is decisive: return decisive
            except Incomputable as problem: problems.append(problem)
        if problems: raise problems[0]
        return not decisive

    def map(self, tree):
        value = self.value(tree)
        if not isinstance(value, dict): raise Incomputable("it is no map")
        return value

    def select(self, tree, name):
        base = self.map(tree)
        if name not in base: raise Incomputable("it has no such name")
        return base[name]

    def call(self, word, given):
        if word == "index": return item(*given)
        if word == "==": return equal(*given)
        if word == "!=": return not equal(*given)
        if word == "in": return self.contained(*given)
        if word == "size": return self.size(given[0])
        if word in ("<", "<=", ">", ">="): return compare(word, *given)
        if not all(isinstance(value, str) for value in given): raise Incomputable("it is no text")
        text, part = given
        if word == "contains": return within(part, text)
        return getattr(units(text), word.lower())(units(part))

    def contained(self, value, base):
        if isinstance(base, list): return any(equal(value, one) for one in base)
        if isinstance(base, dict): return isinstance(value, str) and value in base
        raise Incomputable("nothing can be in it")

    def size(self, value):
        if isinstance(value, (str, list, dict)): return len(value)
        raise Incomputable("it has no size")

def holds(text, names):
    """Whether a condition comes to true over these values of `input` and `actor`; an error and what is no condition do not."""
    try: return Computer(names).value(parse(text)) is True
    except (NoCondition, Incomputable): return False
