"""Ed25519 (RFC 8032) in plain integers: what a reader of evidence needs to check a signature, and nothing to make one.

A signature is accepted where S is below the order of the base point and the encoding of [S]B - [k]A is R, byte for byte.
The cofactor plays no part. A key is the canonical encoding of a point, and not of one of the eight of low order."""
import functools, hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def double(p):
    a, b, c = p[0] * p[0] % P, p[1] * p[1] % P, 2 * p[2] * p[2] % P
    h = a + b
    e, g = h - (p[0] + p[1]) ** 2 % P, a - b
    f = c + g
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def negative(p):
    return (-p[0] % P, p[1], p[2], -p[3] % P)

def multiples(p):
    """The first sixteen multiples of a point, for a window of four bits."""
    table = [IDENTITY]
    for _ in range(15): table.append(add(table[-1], p))
    return table

def combine(first, first_table, second, second_table):
    """[first]P + [second]Q, both below 2^256, four bits of each at a time."""
    total = IDENTITY
    for shift in range(252, -1, -4):
        for _ in range(4): total = double(total)
        total = add(total, first_table[first >> shift & 15])
        total = add(total, second_table[second >> shift & 15])
    return total

def encode(p):
    inverse = pow(p[2], P - 2, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")

def decode(data):
    """The point that 32 bytes encode canonically, or None."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if len(data) != 32 or y >= P: return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    if (v * x * x + u) % P == 0: x = x * ROOT_OF_MINUS_ONE % P
    if (v * x * x - u) % P != 0 or (x == 0 and sign): return None
    if x & 1 != sign: x = P - x
    return (x, y, 1, x * y % P)

BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
BASE_TABLE = multiples(BASE)

@functools.lru_cache(maxsize=256)
def is_low_order(data):
    """Whether 32 bytes encode, canonically or not, one of the eight points whose order divides eight."""
    number = int.from_bytes(data, "little")
    y = (number & (1 << 255) - 1) % P
    point = decode(y.to_bytes(32, "little"))
    if point is None: return False
    for _ in range(3): point = double(point)
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0

def is_canonical(data):
    """Whether 32 bytes can be a key at all: the second coordinate is below the prime, and zero is not negative."""
    number = int.from_bytes(data, "little")
    y = number & (1 << 255) - 1
    return len(data) == 32 and y < P and not (number >> 255 and y in (1, P - 1))

@functools.lru_cache(maxsize=4096)
def verify(key, message, signature):
    """Whether the signature is one of this message by this key. Answers are kept: bundles repeat their keys and notes."""
    if len(key) != 32 or len(signature) != 64 or is_low_order(key): return False
    point, scalar = decode(key), int.from_bytes(signature[32:], "little")
    if point is None or scalar >= ORDER: return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return encode(combine(scalar, BASE_TABLE, k, multiples(negative(point)))) == signature[:32]
