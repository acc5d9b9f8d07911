"""The history of a log's keys, folded from the governance stream (section 3 of the evidence format)."""
import re
import ed25519, notes
from notes import Malformed, parse_key, unbase64

WORD = r'"([^"\\\x00-\x20]{1,1000})"'
BODIES = {
    "KeyAdded": re.compile(rf'\{{"key":{WORD},"possession":{WORD},"endorsement":(?:null|\{{"key":{WORD},"signature":{WORD}\}})\}}'),
    "KeyRetired": re.compile(rf'\{{"key":{WORD}\}}'),
    "KeyCompromised": re.compile(rf'\{{"key":{WORD},"lastGoodSize":({notes.NUMBER})\}}'),
}

class KeyHistory:
    """Which keys a log has had, from which event on, until which, and which of them the verifier has reason to trust."""
    def __init__(self, report, origin, given):
        self.report, self.origin = report, origin
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
        if event.kind not in BODIES: return
        if event.body.state != "text":
            self.report.skip("keys", f"governance {event.seq}: {event.kind} is withheld", "incomplete")
            return
        try: self.take(event)
        except Malformed as problem: self.report.fail("keys", f"governance {event.seq}: {event.kind}: {problem}")

    def take(self, event):
        match = BODIES[event.kind].fullmatch(event.body.text.decode())
        if match is None: raise Malformed("its body is not as it must be written")
        key = parse_key(match[1])
        if key.name != self.origin: raise Malformed("the key's name is not the origin")
        if event.kind == "KeyAdded": return self.add(key, match.groups()[1:], event.seq)
        if key.text not in self.added: raise Malformed("no such key was added")
        if event.kind == "KeyRetired" and key.text in self.ended: raise Malformed("the key was not active")
        self.ended.setdefault(key.text, event.seq)
        if event.kind == "KeyCompromised":
            bound = notes.number(match[2])
            self.bounds[key.text] = min(bound, self.bounds.get(key.text, bound))

    def add(self, key, words, seq):
        possession, endorser, endorsement = words
        if key.text in self.added: raise Malformed("the key was added before")
        signed = f"constancia.key/v1\n{self.origin}\n{key.text}\n".encode()
        if not ed25519.verify(key.public, signed, unbase64(possession)): raise Malformed("the possession is no signature by the key")
        if (endorser is None) != (not self.added): raise Malformed("the first key has no endorsement, and every other one has one")
        if endorser is not None:
            if not self.is_active(endorser, seq - 1): raise Malformed("the endorsement is by no key that is active")
            if not ed25519.verify(self.known[endorser].public, signed, unbase64(endorsement)): raise Malformed("the endorsement is wrong")
            if endorser in self.trusted: self.trusted.add(key.text)
        self.added[key.text] = seq
        self.known[key.text] = key
