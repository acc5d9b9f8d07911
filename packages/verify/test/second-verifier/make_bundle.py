"""Makes small bundles from docs/evidence-format.md, for tests of readers: a third opinion on what the bytes are."""
import base64, datetime, hashlib, os, random, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "readers"))
import ed25519, merkle, notes

STARTED = '{"flow":"f","version":1,"actor":null,"contract":null}'

def sha256(data):
    return hashlib.sha256(data).digest()

class Signer:
    """An Ed25519 key with its secret (RFC 8032, 5.1.6), named as a verifier key."""
    def __init__(self, name, seed):
        digest = hashlib.sha512(sha256(seed.encode())).digest()
        self.scalar = (int.from_bytes(digest[:32], "little") & (1 << 254) - 8) | 1 << 254
        self.prefix, self.name = digest[32:], name
        self.public = ed25519.encode(self.times(self.scalar))
        self.text = f"{name}+{self.key_id(1).hex()}+{base64.b64encode(bytes([1]) + self.public).decode()}"

    @staticmethod
    def times(scalar):
        return ed25519.combine(scalar, ed25519.BASE_TABLE, 0, ed25519.BASE_TABLE)

    def key_id(self, kind):
        return notes.key_id(self.name, kind, self.public)

    def sign(self, message):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % ed25519.ORDER
        point = ed25519.encode(self.times(r))
        k = int.from_bytes(hashlib.sha512(point + self.public + message).digest(), "little") % ed25519.ORDER
        return point + ((r + k * self.scalar) % ed25519.ORDER).to_bytes(32, "little")

    def line(self, text, seconds=None):
        """One signature line of a note, a timestamped cosignature where seconds are given."""
        if seconds is None: data = self.key_id(1) + self.sign(text)
        else:
            signature = self.sign(f"cosignature/v1\ntime {seconds}\n".encode() + text)
            data = self.key_id(4) + seconds.to_bytes(8, "big") + signature
        return f"— {self.name} {base64.b64encode(data).decode()}\n".encode()

def moment(ms):
    at = datetime.datetime(2026, 1, 1) + datetime.timedelta(milliseconds=ms)
    return at.isoformat(timespec="milliseconds") + "Z"

class Log:
    """Streams that grow, a tree over their heads, and checkpoints. Salts come from a seeded source: the same calls make the same bytes."""
    def __init__(self, origin="log.example/a", seed=1):
        self.origin, self.random, self.now = origin, random.Random(seed), 0
        self.streams, self.sealed_at, self.leaves, self.checkpoints = {"governance": []}, {}, [], []
        self.signer = None

    def add(self, stream, kind, body, **more):
        events = self.streams.setdefault(stream, [])
        self.now += 7
        prev = events[-1]["hash"] if events else sha256(f"constancia.genesis/v1\n{stream}\n".encode()).hex()
        event = {"seq": len(events), "kind": kind, "at": moment(self.now), "by": more.get("by", "system:test"), "seen": more.get("seen", self.seen())}
        parts, commits = [], []
        for word, text in (("body", body), ("data", more.get("data"))):
            salt = self.random.randbytes(16)
            commit = "-" if text is None else sha256(salt + text.encode()).hex()
            commits.append(commit)
            shown = f"{word} {salt.hex()} {len(text.encode())}\n{text}\n" if text is not None else "data none\n"
            parts.append((shown, f"{word} withheld {commit}\n"))
        head = [event[name] for name in ("seq", "kind", "at", "by", "seen")]
        lines = ["constancia.event/v1", stream, *head, *commits, prev]
        event["hash"] = sha256("".join(f"{line}\n" for line in lines).encode()).hex()
        event["parts"], event["line"] = parts, "event " + " ".join(map(str, head)) + f" {event['hash']}\n"
        events.append(event)

    def seen(self):
        governance = self.streams["governance"]
        head = f"{len(governance) - 1}:{governance[-1]['hash']}" if governance else "-"
        last = self.checkpoints[-1] if self.checkpoints else None
        return f"{head}/{last['size']}:{last['root'].hex()}" if last else f"{head}/-"

    def add_key(self, signer):
        signed = f"constancia.key/v1\n{self.origin}\n{signer.text}\n".encode()
        word = lambda by: base64.b64encode(by.sign(signed)).decode()
        before = "null" if self.signer is None else f'{{"key":"{self.signer.text}","signature":"{word(self.signer)}"}}'
        self.add("governance", "KeyAdded", f'{{"key":"{signer.text}","possession":"{word(signer)}","endorsement":{before}}}')
        self.signer = self.signer or signer

    def seal(self):
        for name in [*sorted(set(self.streams) - {"governance"}), "governance"]:
            events = self.streams[name]
            if name == "governance" or self.sealed_at.get(name) != len(events):
                self.leaves.append((name, len(events) - 1, events[-1]["hash"]))
                self.sealed_at[name] = len(events)
        hashes = self.hashes()
        self.checkpoints.append({"size": len(hashes), "root": merkle.root_of(hashes), "time": 1767225600 + self.now // 1000, "by": self.signer})

    def hashes(self):
        return [merkle.leaf_hash("".join(f"{line}\n" for line in ("constancia.head/v1", *leaf)).encode()) for leaf in self.leaves]

    def note(self, checkpoint):
        text = f"{self.origin}\n{checkpoint['size']}\n{base64.b64encode(checkpoint['root']).decode()}\n".encode()
        return text + b"\n" + checkpoint["by"].line(text) + checkpoint["by"].line(text, checkpoint["time"])

def path(hashes, index):
    """The inclusion proof of RFC 6962, by its definition."""
    if len(hashes) <= 1: return []
    split = 1 << (len(hashes) - 1).bit_length() - 1
    if index < split: return path(hashes[:split], index) + [merkle.root_of(hashes[split:])]
    return path(hashes[split:], index - split) + [merkle.root_of(hashes[:split])]

def extension(hashes, first, whole=True):
    """The consistency proof of RFC 6962, by its definition."""
    if first == len(hashes): return [] if whole else [merkle.root_of(hashes)]
    split = 1 << (len(hashes) - 1).bit_length() - 1
    if first <= split: return extension(hashes[:split], first, whole) + [merkle.root_of(hashes[split:])]
    return extension(hashes[split:], first - split, False) + [merkle.root_of(hashes[:split])]

def proof(word, hashes):
    return "".join([f"{word} {len(hashes)}\n", *(f"{value.hex()}\n" for value in hashes)]).encode()

def bundle(log, runs, interval=None, hide=()):
    """The bytes of a bundle of these runs; `hide` names events (stream, seq) whose texts are withheld."""
    names = ["governance", *sorted(f"run/{run}" for run in runs)]
    out = [f"constancia.bundle/v1\norigin {log.origin}\n"]
    scope = f"scope interval {interval[0]} {interval[1]} {len(runs)}\n" if interval else f"scope runs {len(runs)}\n"
    out.append(scope)
    for name in names:
        out.append(f"stream {name} {len(log.streams[name])}\n")
        for event in log.streams[name]:
            hidden = (name, event["seq"]) in hide
            out += [event["line"], *(withheld if hidden and shown != "data none\n" else shown for shown, withheld in event["parts"])]
    last = {name: max(i for i, leaf in enumerate(log.leaves) if leaf[0] == name) for name in names if any(leaf[0] == name for leaf in log.leaves)}
    indexes = sorted({*last.values(), *(checkpoint["size"] - 1 for checkpoint in log.checkpoints)})
    hashes = log.hashes()[:log.checkpoints[-1]["size"]]
    out.append(f"leaves {len(indexes)}\n")
    for index in indexes:
        out += [f"leaf {index} {' '.join(map(str, log.leaves[index]))}\n", proof("path", path(hashes, index)).decode()]
    data = "".join(out).encode() + f"checkpoints {len(log.checkpoints)}\n".encode()
    before = 0
    for checkpoint in log.checkpoints:
        note = log.note(checkpoint)
        data += f"checkpoint {len(note)}\n".encode() + note
        data += proof("consistency", extension(hashes[:checkpoint["size"]], before) if before else []) + b"tokens 0\n"
        before = checkpoint["size"]
    end = sha256(data).hex()
    data += f"end {end}\n".encode()
    if interval:
        text = f"constancia.claim/v1\n{log.origin}\n{scope}{end}\n".encode()
        claim = text + b"\n" + log.signer.line(text)
        data += f"claim {len(claim)}\n".encode() + claim
    return data

def simple(seed=1, runs=2, steps=3, rounds=2):
    """A log with runs that have ended, sealed in several rounds, and a second key that the first endorsed."""
    log = Log(seed=seed)
    first = Signer(log.origin, f"first {seed}")
    log.add_key(first)
    log.seal()
    for round_ in range(rounds):
        for run in range(runs):
            name = f"run/r{round_}-{run}"
            log.add(name, "FlowStarted", STARTED, data='"ñ"', by="claim:c@1")
            for step in range(steps): log.add(name, "StepCompleted", f'{{"op":"{step}"}}', data=f"{step}", by=f"claim:c@{step + 1}")
            log.add(name, "FlowCompleted", "{}", by=f"claim:c@{steps + 1}")
        if round_ == 0: log.add_key(Signer(log.origin, f"second {seed}"))
        log.seal()
    return log, [f"r{round_}-{run}" for round_ in range(rounds) for run in range(runs)]
