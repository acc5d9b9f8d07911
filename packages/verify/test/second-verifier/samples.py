"""Writes small bundles into a folder, one for each verdict, and prints what a reader is to be asked about each."""
import json, os, sys
import make_bundle

YEAR = ("2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z")

def samples():
    """Each sample: its name, its bytes, the verdict."""
    log, runs = make_bundle.simple(runs=1, steps=2, rounds=2)
    key, honest = log.signer.text, make_bundle.bundle(log, runs)
    claimed = make_bundle.bundle(log, runs, YEAR)
    yield "honest", key, honest, "proven"
    yield "interval", key, claimed, "proven"
    yield "withheld", key, make_bundle.bundle(log, runs, hide={("run/r0-0", 1), ("run/r1-0", 2)}), "proven"
    yield "changed", key, honest.replace(b'{"op":"1"}', b'{"op":"2"}', 1), "forged"
    yield "without-claim", key, claimed[:claimed.rindex(b"claim ", 0, claimed.rindex(b"constancia.claim/v1"))], "incomplete"
    yield "another-key", make_bundle.Signer(log.origin, "a stranger's").text, honest, "unverifiable"
    yield "cut", key, honest[:-1], "unreadable"
    yield "longer", key, honest + b"\n", "unreadable"
    yield "empty", key, b"", "unreadable"
    log.add("run/late", "FlowStarted", make_bundle.STARTED)
    yield "not-sealed", key, make_bundle.bundle(log, ["late"]), "unsealed"

if __name__ == "__main__":
    asked = []
    for name, key, data, verdict in samples():
        file = os.path.join(sys.argv[1], f"{name}.bundle")
        with open(file, "wb") as out: out.write(data)
        asked.append({"name": name, "file": file, "key": key, "verdict": verdict})
    json.dump(asked, sys.stdout)
