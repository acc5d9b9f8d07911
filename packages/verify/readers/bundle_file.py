"""Reads the bytes of a bundle or a receipt by sections 4 and 5 of the evidence format: strictly, once through, nothing beyond its bounds.

Events are handed over one at a time and not kept. What cannot be read is Unreadable, with the place."""
import hashlib, re
from typing import NamedTuple
import notes
from forms import LAW_BODIES, RUN_BODIES
from notes import Malformed, number

MAX_LINE = 1024
MAX_TEXT = 16 * 1024 * 1024
MAX_NOTE = 64 * 1024
MAX_TOKEN = 65_536
MAX_PROOF = 63
MAX_TOKENS = 16
MAX_STREAM, MAX_VOTES, MAX_KEPT, MAX_NAMED = 100_000, 10_000, 32 * 1024 * 1024, 200_000
MAX_EVENTS, MAX_RUNS, MAX_LEAVES, MAX_CHECKPOINTS = 2_000_000, 100_000, 500_000, 20_000

ID = r"[A-Za-z0-9._:~-]{1,200}"
HASH = r"[0-9a-f]{64}"
NUMBER = notes.NUMBER
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
STREAM = rf"(?:governance|refusals|run/{ID})"
BY = rf"(?:claim:{ID}@{NUMBER}|principal:{ID}|system:{ID})"
SEEN = rf"(?:-|{NUMBER}:{HASH})/(?:-|(?!0:){NUMBER}:{HASH})"

EVENT = re.compile(rf"event ({NUMBER}) ([A-Z][A-Za-z0-9]{{0,63}}) ({MOMENT}) ({BY}) ({SEEN}) ({HASH})", re.ASCII)
CONTENT = re.compile(rf"(body|data) (?:([0-9a-f]{{32}}) ({NUMBER})|(withheld|erased) ({HASH})|(none))", re.ASCII)
SCOPE = re.compile(rf"scope (?:runs ({NUMBER})|interval ({MOMENT}) ({MOMENT}) ({NUMBER}))", re.ASCII)
ONE_HASH, END, PREV = re.compile(HASH), re.compile(f"end ({HASH})"), re.compile(f"prev ({HASH})")
LEAF = re.compile(rf"leaf ({NUMBER}) ({STREAM}) ({NUMBER}) ({HASH})", re.ASCII)

# What a replay may have to keep: the bodies of these kinds, and of some the data as well.
KEPT_BODIES = {*LAW_BODIES, *RUN_BODIES}
KEPT_DATA = {"ContractProposed", "ContractActivated", "ApprovalRequested", "ApprovalVoted", "ApprovalResolved", "OutcomeStated"}

class Unreadable(Exception):
    def __init__(self, offset, message):
        super().__init__(f"byte {offset}: {message}")
        self.offset = offset

class Content(NamedTuple):
    """What a body or data is: "text", "withheld", "erased" or "none"; its commit; the text where it is there."""
    state: str
    commit: str
    text: bytes

class Event(NamedTuple):
    seq: int
    kind: str
    at: str
    by: str
    seen: str
    hash: str
    body: Content
    data: Content

class Leaf(NamedTuple):
    index: int
    stream: str
    seq: int
    hash: str
    path: list

class Sealed(NamedTuple):
    """A checkpoint of the bundle with the proof from the one before and its tokens."""
    checkpoint: notes.Checkpoint
    proof: list
    tokens: list

class Bundle:
    """What a bundle or a receipt holds besides its events. `prev` is what comes before the first event of a receipt, and None in a bundle."""
    def __init__(self):
        self.origin, self.scope, self.interval, self.prev = "", "", None, None
        self.counts, self.leaves, self.sealed = {}, [], []
        self.digest, self.end, self.claim = "", "", None

def is_moment(text):
    """Whether a moment of the right form is one from 1970 on that exists."""
    year, month, day = int(text[0:4]), int(text[5:7]), int(text[8:10])
    if year < 1970 or not 1 <= month <= 12: return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    return 1 <= day <= days and int(text[11:13]) < 24 and int(text[14:16]) < 60 and int(text[17:19]) < 60

class Cursor:
    """A place in the bytes. What it reads it has checked against the bounds."""
    def __init__(self, data):
        self.data, self.place, self.start = data, 0, 0
        self.kept, self.votes, self.named = 0, 0, set()

    def refuse(self, message):
        raise Unreadable(self.start, message)

    def line(self, bound=MAX_LINE):
        self.start = self.place
        end = self.data.find(b"\n", self.place, self.place + bound + 1)
        if end < 0: self.refuse("no line ends where one must")
        self.place = end + 1
        try: return self.data[self.start:end].decode("ascii")
        except UnicodeDecodeError: self.refuse("a line is not plain text")

    def match(self, pattern, what):
        found = pattern.fullmatch(self.line())
        if found is None: self.refuse(f"no {what} is here")
        return found

    def after(self, word, bound=MAX_LINE):
        line = self.line(bound)
        if not line.startswith(word + " "): self.refuse(f"no line begins with {word} here")
        return line[len(word) + 1:]

    def parsed(self, parse, *given):
        try: return parse(*given)
        except Malformed as problem: self.refuse(str(problem))

    def count(self, word, most=notes.MAX_NUMBER):
        found = self.parsed(number, self.after(word))
        if found > most: self.refuse(f"{found} are more than {most}")
        return found

    def take(self, count, bound):
        """So many bytes, as they are."""
        if count > bound: self.refuse(f"{count} bytes are more than {bound}")
        self.start, end = self.place, self.place + count
        if end > len(self.data): self.refuse("the file ends within a text")
        self.place = end
        return self.data[self.start:end]

    def newline(self):
        self.start = self.place
        if self.data[self.place:self.place + 1] != b"\n": self.refuse("a text does not end where its length says")
        self.place += 1

    def hashes(self, word, most=MAX_PROOF):
        return [bytes.fromhex(self.match(ONE_HASH, "hash")[0]) for _ in range(self.count(word, most))]

def read_content(cursor, what, kind):
    found = cursor.match(CONTENT, what)
    word, salt, size, absent, commit, none = found.groups()
    if word != what or (what == "body" and (none or absent == "erased")): cursor.refuse(f"no {what} is here")
    if none: return Content("none", "-", b"")
    if absent: return Content(absent, commit, b"")
    length = cursor.parsed(number, size)
    if length > MAX_TEXT: cursor.refuse(f"{length} bytes are more than {MAX_TEXT}")
    if kind in (KEPT_BODIES if what == "body" else KEPT_DATA): cursor.kept += length
    if cursor.kept > MAX_KEPT: cursor.refuse("what decides in this stream is too large")
    text = cursor.take(length, MAX_TEXT)
    try: text.decode("utf-8")
    except UnicodeDecodeError: cursor.refuse("a text is no UTF-8")
    cursor.newline()
    return Content("text", hashlib.sha256(bytes.fromhex(salt) + text).hexdigest(), text)

def read_event(cursor):
    seq, kind, at, by, seen, digest = cursor.match(EVENT, "event").groups()
    for text in [seq, *re.findall(r"@(\d+)$", by), *re.findall(r"(?:^|/)(\d+):", seen)]: cursor.parsed(number, text)
    if not is_moment(at): cursor.refuse(f"{at} does not exist")
    cursor.votes += kind == "ApprovalVoted"
    if cursor.votes > MAX_VOTES: cursor.refuse("a stream has too many votes")
    cursor.named.update(re.findall(r"/(\d+):", seen))
    if len(cursor.named) > MAX_NAMED: cursor.refuse("the events name too many checkpoints")
    body = read_content(cursor, "body", kind)
    return Event(int(seq), kind, at, by, seen, digest, body, read_content(cursor, "data", kind))

def read_stream(cursor, bundle, on_event):
    name, _, count = cursor.after("stream").rpartition(" ")
    place, last = len(bundle.counts), next(reversed(bundle.counts), "")
    if bundle.prev is not None: right = re.fullmatch(STREAM, name)
    else: right = name == "governance" if place == 0 else re.fullmatch(rf"run/{ID}", name)
    if not right: cursor.refuse("no stream is here that can be")
    if place > 1 and name <= last: cursor.refuse("streams are not in the order of their names")
    bundle.counts[name] = cursor.parsed(number, count)
    if bundle.counts[name] == 0: cursor.refuse("a stream has no events")
    if bundle.counts[name] > MAX_STREAM: cursor.refuse("a stream has too many events")
    cursor.kept = cursor.votes = 0
    if sum(bundle.counts.values()) > MAX_EVENTS: cursor.refuse(f"there are more than {MAX_EVENTS} events")
    for place in range(bundle.counts[name]):
        event = read_event(cursor)
        carries = event.body.state == "text" or event.data.state not in ("none", "withheld")
        if bundle.prev is not None and place > 0 and carries: cursor.refuse("only the first event of a receipt carries anything")
        on_event(name, event)

def read_scope(cursor, bundle):
    found = cursor.match(SCOPE, "scope")
    runs, since, until, within = found.groups()
    bundle.scope = found[0]
    if since:
        if not (is_moment(since) and is_moment(until)): cursor.refuse("an end of the interval does not exist")
        if since >= until: cursor.refuse("the interval ends before it begins")
        bundle.interval = (since, until)
    count = cursor.parsed(number, runs or within)
    if count > MAX_RUNS or count == 0 and not since: cursor.refuse(f"{count} runs are none or more than {MAX_RUNS}")
    return count

def read_leaves(cursor, bundle):
    for _ in range(cursor.count("leaves", MAX_LEAVES)):
        index, stream, seq, digest = cursor.match(LEAF, "leaf").groups()
        index, seq = cursor.parsed(number, index), cursor.parsed(number, seq)
        if bundle.leaves and index <= bundle.leaves[-1].index: cursor.refuse("leaves are not in the order of their index")
        bundle.leaves.append(Leaf(index, stream, seq, digest, cursor.hashes("path")))

def read_checkpoints(cursor, bundle):
    count = cursor.count("checkpoints", MAX_CHECKPOINTS)
    if count == 0: cursor.refuse("there is no checkpoint")
    for _ in range(count):
        note = cursor.take(cursor.count("checkpoint"), MAX_NOTE)
        checkpoint = cursor.parsed(notes.parse_checkpoint, note)
        if bundle.sealed and checkpoint.size <= bundle.sealed[-1].checkpoint.size: cursor.refuse("checkpoints are not in the order of their size")
        proof = cursor.hashes("consistency", MAX_PROOF if bundle.sealed else 0)
        tokens = [cursor.parsed(notes.unbase64, cursor.line(MAX_TOKEN)) for _ in range(cursor.count("tokens", MAX_TOKENS))]
        bundle.sealed.append(Sealed(checkpoint, proof, tokens))

def read_end(cursor, bundle):
    bundle.digest = hashlib.sha256(memoryview(cursor.data)[:cursor.place]).hexdigest()
    bundle.end = cursor.match(END, "end")[1]
    if bundle.interval and cursor.place < len(cursor.data):
        bundle.claim = cursor.parsed(notes.parse_note, cursor.take(cursor.count("claim"), MAX_NOTE))
    cursor.start = cursor.place
    if cursor.place < len(cursor.data): cursor.refuse("something follows the end")

def read_bundle(data, on_begin, on_event):
    """The bundle in these bytes; `on_begin` is given it when its head was read, `on_event` the name of the stream and each event."""
    cursor, bundle = Cursor(data), Bundle()
    kind = cursor.line()
    if kind not in ("constancia.bundle/v1", "constancia.receipt/v1"): cursor.refuse("it is no bundle and no receipt of version 1")
    bundle.origin = cursor.after("origin")
    if not notes.is_origin(bundle.origin): cursor.refuse("the origin is no name of a log")
    if kind == "constancia.bundle/v1": streams = read_scope(cursor, bundle) + 1
    else: bundle.prev, streams = cursor.match(PREV, "hash of the event before")[1], 1
    on_begin(bundle)
    for _ in range(streams): read_stream(cursor, bundle, on_event)
    read_leaves(cursor, bundle)
    read_checkpoints(cursor, bundle)
    read_end(cursor, bundle)
    return bundle
