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
        self.is_receipt = bundle.prev is not None
        self.last = bundle.sealed[-1].checkpoint
        self.sizes = [sealed.checkpoint.size for sealed in bundle.sealed]
        self.by_index = {leaf.index: leaf for leaf in bundle.leaves}
        self.by_stream = {name: [] for name in journals}
        for leaf in bundle.leaves: self.by_stream.setdefault(leaf.stream, []).append(leaf)
        self.covers = {name: steps(leaves) for name, leaves in self.by_stream.items()}

    def check(self, question):
        self.check_signatures()
        self.check_consistency(question.earlier)
        self.note_tokens()
        self.check_leaves()
        self.check_coverage()
        self.check_witnesses(question.witnesses, question.quorum)
        if not self.is_receipt: self.check_seen()

    def check_signatures(self):
        for sealed in self.bundle.sealed: self.check_lines(sealed.checkpoint)
        if not self.by_known(self.last.note):
            return self.report.fail("checkpoints", "the last checkpoint has no signature by a key that is known", "unverifiable")
        for sealed in self.bundle.sealed:
            if not self.by_known(sealed.checkpoint.note): self.report.fail("checkpoints", f"checkpoint {sealed.checkpoint.size} has no signature by a key that is known")
        self.check_last()

    def check_lines(self, checkpoint):
        note, lines = checkpoint.note, self.by_known(checkpoint.note)
        for line, key in lines:
            if not notes.is_valid(line, key, note.text): self.report.fail("checkpoints", f"checkpoint {checkpoint.size}: a signature of {line.name} is wrong")
        if lines and not self.signed_by(note): self.report.fail("checkpoints", f"checkpoint {checkpoint.size} is not signed and cosigned by a key of the log")

    def check_last(self):
        keys, position = self.signed_by(self.last.note), self.position()
        if not keys: return
        if position is None and not self.is_receipt: return self.report.unevaluated("checkpoints", "whether the last checkpoint counts cannot be told without its last leaf")
        counting = [key for key in keys if self.is_receipt or self.keys.counts(key.text, position, self.last.size)]
        if not counting: self.report.fail("checkpoints", "the last checkpoint does not count: its key was not active, or is compromised")
        elif not any(key.text in self.keys.trusted for key in counting):
            self.report.fail("checkpoints", "the last checkpoint is signed by a key that there is no reason to trust", "unverifiable")

    def by_known(self, note):
        """Each line of a note that is by a known key, with that key."""
        return [(line, key) for line in note.signatures for key in self.keys.known.values() if notes.kind_of(line, key)]

    def signers(self, note, place, kind):
        """The known keys whose valid signature of this kind is this line of a note."""
        line = note.signatures[place] if place < len(note.signatures) else None
        return [key for key in self.keys.known.values() if line and notes.kind_of(line, key) == kind and notes.is_valid(line, key, note.text)]

    def signed_by(self, note):
        """The known keys by which a checkpoint is signed: its first line, and its second as a cosignature."""
        cosigners = self.signers(note, 1, COSIGNATURE)
        return [key for key in self.signers(note, 0, PLAIN) if key in cosigners]

    def position(self):
        """The event of governance that the last leaf of the last checkpoint names."""
        leaf = self.by_index.get(self.last.size - 1)
        return leaf.seq if leaf and leaf.stream == "governance" else None

    def check_consistency(self, earlier):
        before = None
        for sealed in self.bundle.sealed:
            now = sealed.checkpoint
            right = before is None or merkle.is_consistent(before.size, now.size, sealed.proof, (before.root, now.root))
            if not right: self.report.fail("consistency", f"checkpoint {now.size} does not extend the one before it")
            before = now
        if earlier is not None: self.check_earlier(earlier)

    def check_earlier(self, earlier):
        same = next((sealed.checkpoint for sealed in self.bundle.sealed if sealed.checkpoint.size == earlier.size), None)
        if earlier.size > self.last.size: self.report.fail("consistency", "the earlier checkpoint is later than the last one of the bundle")
        elif same is None: self.report.unevaluated("consistency", "the earlier checkpoint is not in the bundle, and no proof from it", "incomplete")
        elif same.root != earlier.root: self.report.fail("consistency", "the bundle shows another history than the earlier checkpoint")

    def note_tokens(self):
        """Tokens are listed and not evaluated: section 8 takes certificates, and RSA, of which the standard library has neither."""
        count = sum(len(sealed.tokens) for sealed in self.bundle.sealed)
        if count: self.report.notes.append(f"{count} tokens of time-stamping authorities are not evaluated")

    def check_leaves(self):
        last_of = {}
        for leaf in self.bundle.leaves:
            if not merkle.is_included(leaf.index, self.last.size, merkle.leaf_hash(leaf_text(leaf)), leaf.path, self.last.root):
                self.report.fail("leaves", f"leaf {leaf.index} is not in the last checkpoint")
            elsewhere = self.is_receipt and leaf.stream == "governance" and leaf.stream not in self.journals
            if not elsewhere and (leaf.stream not in self.journals or self.journals[leaf.stream].hash_at(leaf.seq) != leaf.hash):
                self.report.fail("leaves", f"leaf {leaf.index}: {leaf.stream} has no such event {leaf.seq}")
            before = last_of.get(leaf.stream, -1)
            if leaf.seq < before or (leaf.seq == before and leaf.stream != "governance"):
                self.report.fail("leaves", f"leaf {leaf.index}: {leaf.stream} goes backwards")
            last_of[leaf.stream] = leaf.seq
        for size in self.sizes: self.check_last_leaf(size)

    def check_last_leaf(self, size):
        leaf = self.by_index.get(size - 1)
        if leaf is None: self.report.fail("leaves", f"the last leaf of checkpoint {size} is missing", "incomplete")
        elif leaf.stream != "governance": self.report.fail("leaves", f"the last leaf of checkpoint {size} is not governance")

    def check_coverage(self):
        for name, journal in self.journals.items():
            leaves = self.by_stream[name]
            sealed = max((leaf.seq for leaf in leaves), default=-1) + 1
            if not leaves and (name != "governance" or self.is_receipt): self.report.fail("coverage", f"{name}: nothing of it is sealed", "unsealed")
            if sealed < journal.length(): self.report.notes.append(f"{name}: events from {sealed} on are not sealed")

    def check_witnesses(self, witnesses, quorum):
        sizes = [max((sealed.checkpoint.size for sealed in self.bundle.sealed if self.is_cosigned(sealed.checkpoint, key)), default=0) for key in witnesses]
        self.note_strangers(witnesses)
        if not witnesses: return
        needed = 1 + max((leaves[-1].index for name, leaves in self.by_stream.items() if leaves and self.is_proven(name)), default=0)
        for key, size in zip(witnesses, sizes): self.report.notes.append(f"{key.name} has cosigned {size} leaves")
        if sum(size >= needed for size in sizes) < (quorum or len(witnesses)): self.report.unevaluated("witnesses", f"fewer witnesses than asked for have cosigned {needed} leaves")

    def is_proven(self, name):
        return name in self.journals and (self.is_receipt or name != "governance")

    def is_cosigned(self, checkpoint, key):
        """Whether the checkpoint has the valid cosignature of a witness. A wrong one is a finding."""
        lines = [line for line in checkpoint.note.signatures if notes.kind_of(line, key) == COSIGNATURE]
        wrong = [line for line in lines if not notes.is_valid(line, key, checkpoint.note.text)]
        if wrong: self.report.fail("witnesses", f"checkpoint {checkpoint.size}: the cosignature of {key.name} is wrong")
        return len(lines) > len(wrong)

    def note_strangers(self, witnesses):
        known = [*self.keys.known.values(), *witnesses]
        names = {line.name for sealed in self.bundle.sealed for line in sealed.checkpoint.note.signatures if not any(notes.kind_of(line, key) for key in known)}
        if names: self.report.notes.append(f"signed besides, by keys that are not known: {', '.join(sorted(names)[:16])}")

    def check_seen(self):
        roots = {sealed.checkpoint.size: sealed.checkpoint.root.hex() for sealed in self.bundle.sealed}
        for name, journal in self.journals.items():
            for place, seq, seen in journal.seen:
                head, checkpoint = seen.split("/")
                index = self.sealed_at(name, seq)
                if head != "-": self.check_head((name, place, index), *head.split(":"))
                if checkpoint != "-": self.check_seen_checkpoint((name, seq, index), *checkpoint.split(":"), roots)

    def sealed_at(self, name, seq):
        """The index of the first leaf in the file that seals an event, or None."""
        seqs, indexes = self.covers[name]
        place = bisect.bisect_left(seqs, seq)
        return indexes[place] if place < len(seqs) else None

    def check_head(self, event, seq, digest):
        name, own, index = event
        governance, seq = self.journals["governance"], int(seq)
        limit = own - 1 if name == "governance" else governance.length() - 1
        if index is not None: limit = min(limit, self.sealed_governance(index, limit))
        if governance.hash_at(seq) != digest: self.report.fail("seen", f"{name} {own}: the head of governance that it names is not in the chain")
        elif seq > limit: self.report.fail("seen", f"{name} {own}: it claims to have seen governance {seq}, which is later")

    def sealed_governance(self, index, otherwise):
        """Up to which event governance went when the smallest checkpoint of the file with this leaf was made."""
        place = bisect.bisect_right(self.sizes, index)
        leaf = self.by_index.get(self.sizes[place] - 1) if place < len(self.sizes) else None
        return leaf.seq if leaf and leaf.stream == "governance" else otherwise

    def check_seen_checkpoint(self, event, size, root, roots):
        name, own, index = event
        if roots.setdefault(int(size), root) != root: self.report.fail("seen", f"{name} {own}: checkpoint {size} has another root")
        if index is not None and int(size) > index: self.report.fail("seen", f"{name} {own}: it claims to have seen checkpoint {size}, which is later")

def steps(leaves):
    """For leaves of one stream in the order of their index: up to which seq each of them seals what none before it does."""
    seqs, indexes = [], []
    for leaf in leaves:
        if not seqs or leaf.seq > seqs[-1]:
            seqs.append(leaf.seq)
            indexes.append(leaf.index)
    return seqs, indexes
