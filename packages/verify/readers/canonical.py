"""The canonical text of a JSON value (RFC 8785), with numbers as ECMAScript writes them."""
import re

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
ESCAPED = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')

def units(text):
    """A text as its UTF-16 units, two bytes each: what names are ordered by."""
    return text.encode("utf-16-be", "surrogatepass")

def number(value):
    """A double in ECMAScript's words: the shortest digits that give it back."""
    if value == 0: return "0"
    if value < 0: return "-" + number(-value)
    digits, _, exponent = f"{value!r}".partition("e")
    whole, _, fraction = digits.partition(".")
    figures = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(figures))
    figures = figures.rstrip("0")
    if len(figures) <= point <= 21: return figures + "0" * (point - len(figures))
    if 0 < point <= 21: return figures[:point] + "." + figures[point:]
    if -6 < point <= 0: return "0." + "0" * -point + figures
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"

def string(text):
    return '"' + ESCAPED.sub(lambda m: ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'

def canonical(value):
    if value is None: return "null"
    if isinstance(value, bool): return "true" if value else "false"
    if isinstance(value, (int, float)): return number(float(value))
    if isinstance(value, str): return string(value)
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    return "{" + ",".join(f"{string(name)}:{canonical(value[name])}" for name in sorted(value, key=units)) + "}"
