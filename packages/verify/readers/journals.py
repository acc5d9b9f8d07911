"""What each stream shows by itself: its chain, its beginning and end, its epochs. Keeps of every event its hash, and where `seen` changed."""
import hashlib

ENDS = ("FlowCompleted", "FlowFailed", "FlowCancelled", "FlowContinued")

class Journal:
    """One stream, event by event. Given what comes before its first event, it is a part that may begin anywhere."""
    def __init__(self, name, report, prev=None):
        self.name, self.report, self.is_part = name, report, prev is not None
        self.base, self.last = 0, None
        self.hashes, self.seen, self.began = [], [], ""
        self.prev = prev or hashlib.sha256(f"constancia.genesis/v1\n{name}\n".encode()).hexdigest()
        self.at, self.ended, self.epoch, self.claim = "", False, -1, ""

    def event(self, event):
        if self.is_part and not self.hashes: self.base = event.seq
        self.check_chain(event)
        if self.name != "governance" and not self.is_part: self.check_run(event)
        if self.last != (event.seq - 1, event.seen): self.seen.append((self.length(), event.seq, event.seen))
        self.last = (event.seq, event.seen)
        self.hashes.append(bytes.fromhex(event.hash))
        self.prev, self.at = event.hash, event.at

    def fail(self, check, message):
        self.report.fail(check, f"{self.name} {self.length()}: {message}")

    def length(self):
        """Up to where the stream goes here."""
        return self.base + len(self.hashes)

    def hash_at(self, seq):
        """The hash that the event at a place states, None where there is none here."""
        return self.hashes[seq - self.base].hex() if self.base <= seq < self.length() else None

    def check_chain(self, event):
        if event.seq != self.length(): self.fail("chain", f"event {event.seq} is at its place")
        if event.at < self.at: self.fail("chain", "it is dated before the event before")
        lines = ("constancia.event/v1", self.name, event.seq, event.kind, event.at, event.by, event.seen, event.body.commit, event.data.commit, self.prev)
        if hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() != event.hash: self.fail("chain", "it does not fit its hash")

    def check_run(self, event):
        if not self.hashes:
            self.began = event.at
            if event.kind != "FlowStarted": self.fail("genesis", "the run does not begin with FlowStarted")
        if self.ended: self.fail("end", "it comes after the end of the run")
        if event.kind in ENDS: self.ended = True
        if event.by.startswith("claim:"): self.check_epoch(event.by[6:])

    def check_epoch(self, claim):
        epoch = int(claim.rpartition("@")[2])
        if epoch < self.epoch: self.fail("epochs", f"epoch {epoch} comes after {self.epoch}")
        elif epoch == self.epoch and claim != self.claim: self.fail("epochs", f"epoch {epoch} has two claims")
        else: self.epoch, self.claim = epoch, claim
