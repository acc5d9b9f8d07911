"""What the log says of the streams: checkpoints and their signatures, proofs, leaves, what they cover, and what writers had seen."""
import bisect
import merkle, notes
from notes import PLAIN, COSIGNATURE

def leaf_text(leaf):
    return f"constancia.head/v1\n{leaf.stream}\n{leaf.seq}\n{leaf.hash}\n".encode()

class Seals:
    """Checks everything that stands after the streams of a bundle, given their journals and the history of keys."""
    def __init__(self, report, bundle, journals, keys):
        self.report, self.bundle, self.journals, self.keys = report, bundle, journals, keys
        self.last = bundle.sealed[-1].checkpoint
        self.by_index = {leaf.index: leaf for leaf in bundle.leaves}
        self.by_stream = {name: [] for name in journals}
        for leaf in bundle.leaves: self.by_stream.setdefault(leaf.stream, []).append(leaf)
        self.covers = {name: steps(leaves) for name, leaves in self.by_stream.items()}

    def check(self, earlier):
        self.check_signatures()
        self.check_consistency(earlier)
        self.check_leaves()
        self.check_coverage()
        self.check_seen(earlier)

    def check_signatures(self):
        for sealed in self.bundle.sealed:
            note = sealed.checkpoint.note
            for line in note.signatures:
                wrong = [key for key in self.keys.known.values() if notes.kind_of(line, key) and not notes.is_valid(line, key, note.text)]
                if wrong: self.report.fail("checkpoints", f"checkpoint {sealed.checkpoint.size}: a signature of {line.name} is wrong")
        for sealed in self.bundle.sealed: self.check_operator(sealed.checkpoint)

    def check_operator(self, checkpoint):
        """The first line is the operator's signature, the second its cosignature by the same key, which counts for this checkpoint."""
        name, last = f"checkpoint {checkpoint.size}", checkpoint is self.last
        key = self.signer(checkpoint.note, 0, PLAIN)
        if last and (key is None or key.text not in self.keys.trusted):
            return self.report.skip("checkpoints", f"{name}, the last one, has no signature by a trusted key", "unverifiable")
        if key is None: return self.report.fail("checkpoints", f"{name} does not begin with a signature by a key of the log")
        if self.signer(checkpoint.note, 1, COSIGNATURE) is not key: self.report.fail("checkpoints", f"{name} has no cosignature of the operator")
        position = self.position(checkpoint)
        if position is None: self.report.skip("checkpoints", f"{name}: which keys were active is unknown without its last leaf")
        elif not self.keys.counts(key.text, position, checkpoint.size):
            self.report.fail("checkpoints", f"{name} does not count: its key was not active, or is compromised")

    def signer(self, note, place, kind):
        """The known key whose valid signature of this kind stands at this line of a note, or None."""
        if place >= len(note.signatures): return None
        line = note.signatures[place]
        return next((key for key in self.keys.known.values() if notes.kind_of(line, key) == kind and notes.is_valid(line, key, note.text)), None)

    def position(self, checkpoint):
        """The event of governance that the last leaf of a checkpoint names."""
        leaf = self.by_index.get(checkpoint.size - 1)
        return leaf.seq if leaf and leaf.stream == "governance" else None

    def check_consistency(self, earlier):
        before = None
        for sealed in self.bundle.sealed:
            now = sealed.checkpoint
            right = not sealed.proof if before is None else merkle.is_consistent(before.size, now.size, sealed.proof, (before.root, now.root))
            if not right: self.report.fail("consistency", f"checkpoint {now.size} does not extend the one before it")
            before = now
        if earlier is not None: self.check_earlier(earlier)

    def check_earlier(self, earlier):
        same = next((sealed.checkpoint for sealed in self.bundle.sealed if sealed.checkpoint.size == earlier.size), None)
        lines = [(line, key) for line in earlier.note.signatures for key in self.keys.known.values() if notes.kind_of(line, key)]
        if not all(notes.is_valid(line, key, earlier.note.text) for line, key in lines):
            self.report.fail("consistency", "a signature of the earlier checkpoint is wrong")
        if earlier.size > self.last.size: self.report.fail("consistency", "the earlier checkpoint is later than the last one of the bundle")
        elif same is not None and same.root != earlier.root: self.report.fail("consistency", "the bundle shows another history than the earlier checkpoint")
        elif same is None and earlier.size > 0:
            self.report.skip("consistency", "the bundle has no proof from the earlier checkpoint", "incomplete")

    def check_leaves(self):
        last_of = {}
        for leaf in self.bundle.leaves:
            if not merkle.is_included(leaf.index, self.last.size, merkle.leaf_hash(leaf_text(leaf)), leaf.path, self.last.root):
                self.report.fail("leaves", f"leaf {leaf.index} is not in the last checkpoint")
            hashes = self.journals[leaf.stream].hashes if leaf.stream in self.journals else []
            if leaf.seq >= len(hashes) or hashes[leaf.seq].hex() != leaf.hash:
                self.report.fail("leaves", f"leaf {leaf.index}: {leaf.stream} has no such event {leaf.seq}")
            before = last_of.get(leaf.stream, -1)
            if leaf.seq < before or (leaf.seq == before and leaf.stream != "governance"):
                self.report.fail("leaves", f"leaf {leaf.index}: {leaf.stream} goes backwards")
            last_of[leaf.stream] = leaf.seq
        for sealed in self.bundle.sealed: self.check_last_leaf(sealed.checkpoint)

    def check_last_leaf(self, checkpoint):
        leaf = self.by_index.get(checkpoint.size - 1)
        if leaf is None: self.report.fail("leaves", f"the last leaf of checkpoint {checkpoint.size} is missing", "incomplete")
        elif leaf.stream != "governance": self.report.fail("leaves", f"the last leaf of checkpoint {checkpoint.size} is not governance")

    def check_coverage(self):
        for name, journal in self.journals.items():
            leaves = self.by_stream[name]
            sealed = max((leaf.seq for leaf in leaves), default=-1) + 1
            if not leaves: self.report.fail("coverage", f"{name}: nothing of it is sealed", "unsealed")
            elif sealed < len(journal.hashes): self.report.notes.append(f"{name}: events from {sealed} on are not sealed")

    def check_seen(self, earlier):
        roots = {} if earlier is None else {earlier.size: earlier.root}
        roots.update((sealed.checkpoint.size, sealed.checkpoint.root) for sealed in self.bundle.sealed)
        for name, journal in self.journals.items():
            for seq, seen in journal.seen:
                head, checkpoint = seen.split("/")
                index = self.sealed_at(name, seq)
                if head != "-": self.check_head((name, seq, index), *head.split(":"))
                if checkpoint != "-": self.check_seen_checkpoint((name, seq, index), *checkpoint.split(":"), roots)

    def sealed_at(self, name, seq):
        """The index of the first leaf in the file that seals an event, or None."""
        seqs, indexes = self.covers[name]
        place = bisect.bisect_left(seqs, seq)
        return indexes[place] if place < len(seqs) else None

    def check_head(self, event, seq, digest):
        name, own, index = event
        hashes, seq = self.journals["governance"].hashes, int(seq)
        limit = own - 1 if name == "governance" else len(hashes) - 1
        if index is not None:
            sealing = next((leaf for leaf in self.by_stream["governance"] if leaf.index >= index), None)
            if sealing is not None: limit = min(limit, sealing.seq)
        if seq >= len(hashes) or hashes[seq].hex() != digest: self.report.fail("seen", f"{name} {own}: the head of governance that it names is not in the chain")
        elif seq > limit: self.report.fail("seen", f"{name} {own}: it claims to have seen governance {seq}, which is later")

    def check_seen_checkpoint(self, event, size, root, roots):
        name, own, index = event
        size = int(size)
        if size in roots and roots[size].hex() != root: self.report.fail("seen", f"{name} {own}: checkpoint {size} has another root")
        if index is not None and size > index: self.report.fail("seen", f"{name} {own}: it claims to have seen checkpoint {size}, which is later")

def steps(leaves):
    """For leaves of one stream in the order of their index: up to which seq each of them seals what none before it does."""
    seqs, indexes = [], []
    for leaf in leaves:
        if not seqs or leaf.seq > seqs[-1]:
            seqs.append(leaf.seq)
            indexes.append(leaf.index)
    return seqs, indexes
