"""fuzz.py COUNT SEED: verifies so many changed bundles and prints how many had which verdict. Whatever is not a verdict is an exception here."""
import collections, json, random, sys
import make_bundle, mutations
import notes, verify_bundle

log, runs = make_bundle.simple(runs=1, steps=1, rounds=1)
interval = ("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z")
honest = [make_bundle.bundle(log, runs), make_bundle.bundle(log, runs, interval), make_bundle.bundle(log, runs, hide={("run/r0-0", 1)})]
question = verify_bundle.Question([notes.parse_key(log.signer.text)], log.origin)
source, verdicts, proven = random.Random(int(sys.argv[2])), collections.Counter(), []
for data in honest:
    assert verify_bundle.verify(data, question).verdict() == "proven"
for number in range(int(sys.argv[1])):
    data = mutations.mutant(source, source.choice(honest))
    verdict = verify_bundle.verify(data, question).verdict()
    verdicts[verdict] += 1
    if verdict == "proven" and data not in honest: proven.append(number)
    json.dumps(verdict)
json.dump({"verdicts": verdicts, "proven": proven}, sys.stdout)
