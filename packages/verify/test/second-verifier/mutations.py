"""Random changes of the bytes of a bundle. The same source of chance makes the same changes."""
import hashlib, re

SHAPES = (b"0123456789", b"abcdef", b"ghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
BLOCKS = re.compile(rb"^(event .*\n(?:(?!event |stream |leaves |path ).*\n)+|leaf .*\n(?:[0-9a-f]{64}\n|path .*\n)*|[0-9a-f]{64}\n|\xe2.*\n)", re.MULTILINE)

def flip(random, data):
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1:]

def same_shape(random, data):
    """Another character of the same class, so that what is read keeps its form."""
    for _ in range(9):
        place = random.randrange(len(data))
        group = next((group for group in SHAPES if data[place] in group), None)
        if group: return data[:place] + bytes([random.choice(group)]) + data[place + 1:]
    return data

def cut(random, data):
    place = random.randrange(len(data))
    return data[:place] + data[place + random.randrange(1, 80):]

def truncate(random, data):
    return data[:random.randrange(len(data))]

def repeat(random, data):
    place = random.randrange(len(data))
    piece = data[place:place + random.randrange(1, 200)]
    return data[:place] + piece + data[place:]

def insert(random, data):
    place = random.randrange(len(data))
    return data[:place] + random.choice([b"\n", b"\0", b" ", b"\xff", b"9" * 30, b"{" * 70, random.randbytes(9)]) + data[place:]

def lines(change):
    def changed(random, data):
        parts = data.splitlines(keepends=True)
        place = random.randrange(len(parts))
        change(random, parts, place)
        return b"".join(parts)
    changed.__name__ = change.__name__
    return changed

@lines
def drop_line(random, parts, place): del parts[place]

@lines
def repeat_line(random, parts, place): parts.insert(place, parts[place])

@lines
def swap_lines(random, parts, place):
    other = random.randrange(len(parts))
    parts[place], parts[other] = parts[other], parts[place]

@lines
def other_word(random, parts, place):
    """Puts a word of another line in the place of one of this line."""
    words, others = parts[place].split(b" "), random.choice(parts).rstrip(b"\n").split(b" ")
    words[random.randrange(len(words))] = random.choice(others)
    parts[place] = b" ".join(words).rstrip(b"\n") + b"\n"

@lines
def other_number(random, parts, place):
    words = parts[place].rstrip(b"\n").split(b" ")
    words[-1] = random.choice([b"0", b"1", b"2", b"-1", b"007", b"9007199254740991", b"9007199254740992", b"16777217", b"1e3", b""])
    parts[place] = b" ".join(words) + b"\n"

def blocks(random, data):
    """Drops, repeats or swaps whole events, leaves, hashes and signatures, and mends what counts them."""
    found = [match.span() for match in BLOCKS.finditer(data)] or [(0, len(data))]
    (first, end), (other, other_end) = sorted(random.choices(found, k=2))
    change = random.randrange(3)
    if change == 0: return counted(data[:first] + data[end:])
    if change == 1: return counted(data[:end] + data[first:end] + data[end:])
    if end > other: return data
    return counted(data[:first] + data[other:other_end] + data[end:other] + data[first:end] + data[other_end:])

def counted(data):
    """The same bytes with counts of events, leaves, proofs and notes that fit."""
    data = re.sub(rb"^(stream \S+ )\d+\n((?:(?!stream |leaves ).*\n)*)", lambda m: m[1] + str(len(re.findall(rb"^event ", m[2], re.M))).encode() + b"\n" + m[2], data, flags=re.M)
    data = re.sub(rb"^leaves \d+", b"leaves %d" % len(re.findall(rb"^leaf ", data, re.M)), data, flags=re.M)
    data = re.sub(rb"^(path|consistency) \d+\n((?:[0-9a-f]{64}\n)*)", lambda m: b"%s %d\n%s" % (m[1], len(m[2]) // 65, m[2]), data, flags=re.M)
    return re.sub(rb"^(checkpoint|claim) \d+\n((?:(?!consistency ).*\n)*)", lambda m: b"%s %d\n%s" % (m[1], len(m[2]), m[2]), data, flags=re.M)

SHAPED = (same_shape, same_shape, blocks)
ALL = (flip, cut, truncate, repeat, insert, drop_line, repeat_line, swap_lines, other_word, other_number)

def repaired(data):
    """The bytes with an end line that fits what is before it."""
    place = data.rfind(b"\nend ") + 1
    if place == 0: return data
    return data[:place] + f"end {hashlib.sha256(data[:place]).hexdigest()}\n".encode() + data[place + 69:]

def mutant(random, data):
    """One change, or seldom several, of a bundle, half of the mutants with the end line repaired."""
    changed = data
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        if changed: changed = random.choice(SHAPED if random.random() < 0.7 else ALL)(random, changed)
    return repaired(changed) if random.random() < 0.5 else changed
