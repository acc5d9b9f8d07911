"""The history of a log's keys, folded from the governance stream (section 3 of the evidence format)."""
import ed25519, notes, strict_json
from notes import Malformed, parse_key, unbase64

NAMES = {"KeyAdded": ["key", "possession", "endorsement"], "KeyRetired": ["key"], "KeyCompromised": ["key", "lastGoodSize"]}

def named(value, names):
    """The values of an object that has these names in this order."""
    if not isinstance(value, dict) or list(value) != names: raise Malformed("its body is not of its form")
    return list(value.values())

def signature(value):
    data = unbase64(value) if isinstance(value, str) else b""
    if len(data) != 64: raise Malformed("a signature is 64 bytes of base64")
    return data

class KeyHistory:
    """Which keys a log has had, from which event on, until which, and which of them the verifier has reason to trust."""
    def __init__(self, report, given):
        self.report, self.origin = report, ""
        self.added, self.ended, self.bounds = {}, {}, {}
        self.known = {key.text: key for key in given}
        self.trusted = set(self.known)

    def is_active(self, text, position):
        return self.added.get(text, position + 1) <= position and self.ended.get(text, position + 1) > position

    def counts(self, text, position, size):
        """Whether what the key signed over a checkpoint of this size counts, where its last leaf names this event of governance."""
        return self.is_active(text, position) and size <= self.bounds.get(text, size)

    def event(self, event):
        """Takes an event of governance in. One that is wrong has no effect."""
        if event.kind not in NAMES: return
        try:
            if event.body.state != "text": raise Malformed("it is withheld")
            self.take(event, strict_json.parse(event.body.text))
        except (Malformed, strict_json.NotJson) as problem: self.wrong(event, problem)

    def wrong(self, event, problem):
        self.report.fail("keys", f"governance {event.seq}: {event.kind}: {problem}")

    def take(self, event, value):
        text, *more = named(value, NAMES[event.kind])
        if event.kind == "KeyAdded": return self.add(event, parse_key(text if isinstance(text, str) else ""), more)
        if text not in self.added: raise Malformed("no such key was added")
        if event.kind == "KeyCompromised": self.bound(text, *more)
        self.ended.setdefault(text, event.seq)

    def bound(self, text, size):
        if not isinstance(size, float) or not size.is_integer() or not 0 <= size <= notes.MAX_NUMBER: raise Malformed("its body is not of its form")
        self.bounds[text] = min(size, self.bounds.get(text, size))

    def add(self, event, key, more):
        endorser = self.check(key, event.seq, *more)
        if endorser in self.trusted: self.trusted.add(key.text)
        self.added[key.text] = event.seq
        self.known.setdefault(key.text, key)

    def check(self, key, seq, possession, endorsement):
        """Which key endorses this one, None for the first."""
        if key.name != self.origin: raise Malformed("the key's name is not the origin")
        if key.text in self.added: raise Malformed("the key was added before")
        signed = f"constancia.key/v1\n{self.origin}\n{key.text}\n".encode()
        if not ed25519.verify(key.public, signed, signature(possession)): raise Malformed("the possession is no signature by the key")
        if (endorsement is None) != (not self.added): raise Malformed("the first key has no endorsement, and every other one has one")
        if endorsement is None: return None
        endorser, signed_by = named(endorsement, ["key", "signature"])
        if not isinstance(endorser, str) or not self.is_active(endorser, seq - 1): raise Malformed("the endorsement is by no key that is active")
        if not ed25519.verify(self.known[endorser].public, signed, signature(signed_by)): raise Malformed("the endorsement is wrong")
        return endorser
