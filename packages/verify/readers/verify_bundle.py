#!/usr/bin/env python3
"""Verifies a bundle or a receipt of evidence: verify_bundle.py FILE --key VKEY [--origin O] [--checkpoint FILE]
[--witness VKEY] [--quorum N] [--require CHECK] [--allow CHECK] [--json].

Written from docs/evidence-format.md alone, in the standard library of Python 3.11; it shares no code with the other verifier.
Exit codes: 0 proven, 15 forged, 16 unverifiable, 17 incomplete, 18 unsealed, 19 unreadable; 2 where the question makes no sense."""
import argparse, json, mmap, os, sys
from typing import NamedTuple, Optional
sys.dont_write_bytecode = True
sys.setrecursionlimit(100_000)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import notes
from changes import Changes
from run_replay import RunReplay
from bundle_file import Unreadable, read_bundle
from journals import Journal
from keys import KeyHistory
from report import CHECKS, EXIT_CODES, RECEIPT_CHECKS, Report
from sealing import Seals

class Question(NamedTuple):
    """What the verifier was given: trusted keys, the origin, perhaps an earlier checkpoint, the checks that are required beyond those that apply, those that it may do without, keys of witnesses and how many of them it takes."""
    keys: list
    origin: str
    earlier: Optional[notes.Checkpoint] = None
    required: tuple = ()
    allowed: tuple = ()
    witnesses: tuple = ()
    quorum: Optional[int] = None

    def sensible(self):
        """The question itself; Malformed where what it says of witnesses makes no sense."""
        publics = [key.public for key in self.witnesses]
        if len(set(publics)) < len(publics): raise notes.Malformed("a witness is given twice")
        if any(key.name == self.origin or key.public in [own.public for own in self.keys] for key in self.witnesses): raise notes.Malformed("a witness is the log itself")
        if self.quorum is not None and not 1 <= self.quorum <= len(publics): raise notes.Malformed("the quorum is no number of the witnesses")
        return self

class Verifier:
    """Reads one bundle once and performs every check on it."""
    def __init__(self, question):
        self.question, self.report = question, Report(question.required, question.allowed)
        self.keys = KeyHistory(self.report, question.keys)
        if not question.witnesses: self.report.restrict_to([check for check in CHECKS if check != "witnesses"])
        self.journals, self.changes, self.replay, self.prev = {}, Changes(self.report), None, None

    def begin(self, bundle):
        self.keys.origin, self.prev = bundle.origin, bundle.prev
        if bundle.prev is not None: self.report.restrict_to(RECEIPT_CHECKS)
        self.check_origin("the bundle", bundle.origin)

    def check_origin(self, what, origin):
        if origin != self.question.origin: self.report.fail("origin", f"{what} is of {origin}, not of {self.question.origin}")

    def event(self, stream, event):
        if stream not in self.journals: self.begin_stream(stream)
        self.journals[stream].event(event)
        if self.prev is not None: return
        if stream == "governance":
            self.keys.event(event)
            self.changes.event(event)
        else:
            if event.data.state == "erased": self.changes.erased(stream, self.journals[stream].length() - 1)
            self.replay.event(event)

    def begin_stream(self, stream):
        if self.prev is None: self.end_stream()
        self.journals[stream] = Journal(stream, self.report, self.prev)
        if self.prev is None and stream != "governance": self.replay = RunReplay(self.report, stream, self.changes.law)

    def end_stream(self):
        if self.replay is not None: self.replay.end()
        elif self.journals: self.changes.finish()

    def verify(self, data):
        try: bundle = read_bundle(data, self.begin, self.event)
        except Unreadable as problem:
            self.report.unreadable(str(problem))
            return self.report
        if self.prev is None: self.end_stream()
        if bundle.digest != bundle.end: self.report.fail("digest", "the end line does not fit what is before it")
        for sealed in bundle.sealed: self.check_origin(f"checkpoint {sealed.checkpoint.size}", sealed.checkpoint.origin)
        seals = Seals(self.report, bundle, self.journals, self.keys)
        seals.check(self.question)
        if bundle.interval: self.check_claim(bundle, seals)
        return self.report

    def check_claim(self, bundle, seals):
        since, until = bundle.interval
        for name, journal in self.journals.items():
            if name != "governance" and not since <= journal.began < until: self.report.fail("claim", f"{name} did not begin in the interval")
        if bundle.claim is None: return self.report.fail("claim", "the interval has no claim", "incomplete")
        lines = bundle.claim.text.decode().split("\n")
        if lines[0] == "constancia.claim/v1" and len(lines) > 1: self.check_origin("the claim", lines[1])
        if lines != ["constancia.claim/v1", bundle.origin, bundle.scope, bundle.end, ""]: self.report.fail("claim", "the claim is of something else")
        position = seals.position()
        counts = lambda keys: any(position is not None and self.keys.counts(key.text, position, seals.last.size) for key in keys)
        if not counts(seals.signed_by(seals.last.note)): self.report.unevaluated("claim", "the last checkpoint does not count")
        elif not counts(seals.signers(bundle.claim, 0, notes.PLAIN)): self.report.fail("claim", "the claim is not signed by a key that was active")

def verify(data, question):
    """The report on the bytes of a file."""
    return Verifier(question).verify(data)

def contents(path):
    """The bytes of a file, mapped where it can be: the memory that is used does not grow with the file."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0: return file.read()
        try: return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError): return file.read()

def ask(arguments):
    """The question that the command line puts; Malformed or OSError where it makes no sense."""
    keys = [notes.parse_key(text) for text in arguments.key]
    names = {key.name for key in keys}
    origin = arguments.origin or (names.pop() if len(names) == 1 else "")
    if not notes.is_origin(origin): raise notes.Malformed("the origin must be given, or be the name of every key")
    earlier = None
    if arguments.checkpoint:
        with open(arguments.checkpoint, "rb") as file: earlier = notes.parse_checkpoint(file.read(2**16 + 1))
        if earlier.origin != origin: raise notes.Malformed("the earlier checkpoint is of another origin")
    witnesses = tuple(notes.parse_witness(text) for text in arguments.witness)
    return Question(keys, origin, earlier, tuple(arguments.require), tuple(arguments.allow), witnesses, arguments.quorum).sensible()

def show(report):
    for check, result in report.results.items():
        print(f"{check:12} {result}")
        for message in report.findings[check]: print(f"{'':12} {message}")
    for note in report.notes: print(note)
    print(report.verdict())

def main():
    parser = argparse.ArgumentParser(description="Verifies a bundle of evidence, offline.")
    parser.add_argument("file")
    parser.add_argument("--key", action="append", required=True, help="a trusted verifier key; may be repeated")
    parser.add_argument("--origin", help="the log's name, where it is not the name of the key")
    parser.add_argument("--checkpoint", help="a file with an earlier checkpoint of this log")
    parser.add_argument("--witness", action="append", default=[], help="the key of a witness; may be repeated")
    parser.add_argument("--quorum", type=int, help="how many of the witnesses it takes, all unless set")
    parser.add_argument("--require", action="append", default=[], choices=(*CHECKS, "tokens"), help="a check that must have been evaluated though it does not apply to such a file; may be repeated")
    parser.add_argument("--allow", action="append", default=[], choices=(*CHECKS, "tokens"), help="a check that need not have been evaluated; may be repeated")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args()
    try: question, data = ask(arguments), contents(arguments.file)
    except (notes.Malformed, OSError) as problem: parser.error(str(problem))
    report = verify(data, question)
    if arguments.json: print(json.dumps(report.as_json()))
    else: show(report)
    sys.exit(EXIT_CODES[report.verdict()])

if __name__ == "__main__": main()
