"""Verifier keys, signed notes and checkpoints, as C2SP writes them (signed-note, tlog-checkpoint, tlog-cosignature)."""
import base64, hashlib, re
from typing import NamedTuple
import ed25519

NAME = r"[A-Za-z0-9._:~/-]{1,200}"
NUMBER = r"(?:0|[1-9][0-9]{0,15})"
MAX_NUMBER = 2**53 - 1
PLAIN, COSIGNATURE = 1, 4
MAX_SIGNATURES = 16
SIZES = {PLAIN: 4 + 64, COSIGNATURE: 4 + 8 + 64}
KEY = re.compile(rf"({NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]+=*)")
SIGNATURE = re.compile(rf"— ({NAME}) ([A-Za-z0-9+/]+=*)")
CHECKPOINT = re.compile(rf"({NAME})\n({NUMBER})\n([A-Za-z0-9+/]+=*)\n")

class Malformed(ValueError):
    pass

class Key(NamedTuple):
    text: str
    name: str
    public: bytes

class Signature(NamedTuple):
    name: str
    key_id: bytes
    data: bytes

class Note(NamedTuple):
    text: bytes
    signatures: list

class Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes
    note: Note

def unbase64(text):
    """The bytes of standard base64 with padding; any other way to write them is refused."""
    try: data = base64.b64decode(text, validate=True)
    except ValueError: raise Malformed("it is no base64") from None
    if base64.b64encode(data).decode() != text: raise Malformed("it is no base64 as it must be written")
    return data

def number(text):
    if not re.fullmatch(NUMBER, text) or int(text) > MAX_NUMBER: raise Malformed(f"{text[:40]} is no number")
    return int(text)

def is_origin(name):
    return re.fullmatch(NAME, name) is not None and name[0].isalnum() and not name.startswith("constancia.")

def key_id(name, kind, public):
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]

def parse_witness(text):
    """The key of a witness: a verifier key that makes cosignatures alone."""
    return parse_key(text, COSIGNATURE)

def parse_key(text, kind=PLAIN):
    """A verifier key, refused where its id does not fit, its point is of low order or not written canonically."""
    match = KEY.fullmatch(text)
    if match is None: raise Malformed("it is no verifier key")
    name, data = match[1], unbase64(match[3])
    if len(data) != 33 or data[0] != kind: raise Malformed("it is no Ed25519 key")
    if key_id(name, kind, data[1:]).hex() != match[2]: raise Malformed("its key id does not fit")
    if not ed25519.is_canonical(data[1:]): raise Malformed("its key is not written canonically")
    if ed25519.is_low_order(data[1:]): raise Malformed("its key is of low order")
    return Key(text, name, data[1:])

def parse_note(data):
    """A signed note: a text, an empty line, one line for each signature."""
    split = data.rfind(b"\n\n")
    if split < 0 or not data.endswith(b"\n"): raise Malformed("it is no signed note")
    try: text, lines = data[:split + 1].decode(), data[split + 2:-1].decode().split("\n")
    except UnicodeDecodeError: raise Malformed("the note is no UTF-8") from None
    if re.search(r"[\x00-\x09\x0b-\x1f]", data.decode()): raise Malformed("the note has a control character")
    if split == 0 or len(lines) > MAX_SIGNATURES: raise Malformed("the note has no text, or too many signatures")
    signatures = [parse_signature(line) for line in lines]
    if len({(line.name, line.key_id) for line in signatures}) < len(lines): raise Malformed("the note has two signatures by one key")
    return Note(data[:split + 1], signatures)

def parse_signature(line):
    match = SIGNATURE.fullmatch(line)
    if match is None: raise Malformed("a signature line is wrong")
    data = unbase64(match[2])
    if len(data) < 5: raise Malformed("a signature is too short")
    return Signature(match[1], data[:4], data[4:])

def parse_checkpoint(data):
    """A signed note whose text is origin, size and root, and nothing else."""
    note = parse_note(data)
    match = CHECKPOINT.fullmatch(note.text.decode())
    if match is None or not is_origin(match[1]): raise Malformed("it is no checkpoint")
    root = unbase64(match[3])
    if len(root) != 32: raise Malformed("a root is 32 bytes")
    if number(match[2]) == 0: raise Malformed("a checkpoint has one leaf at least")
    return Checkpoint(match[1], number(match[2]), root, note)

def kind_of(signature, key):
    """Which kind of line by this key it is, by name and key id: 1, 4 or None."""
    if signature.name != key.name: return None
    return next((kind for kind in (PLAIN, COSIGNATURE) if key_id(key.name, kind, key.public) == signature.key_id), None)

def is_valid(signature, key, text):
    """Whether the line is a right signature by the key, of the kind that its key id says."""
    kind = kind_of(signature, key)
    if kind is None or len(signature.data) + 4 != SIZES[kind]: return False
    if kind == PLAIN: return ed25519.verify(key.public, text, signature.data)
    seconds = int.from_bytes(signature.data[:8], "big")
    return seconds <= MAX_NUMBER and ed25519.verify(key.public, f"cosignature/v1\ntime {seconds}\n".encode() + text, signature.data[8:])
