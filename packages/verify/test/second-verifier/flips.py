"""flips.py STEP OFFSETS: reads a case as many.py does, flips one bit of its file at a time, and prints the verdict and the failed checks of each.
Signatures are remembered: most of them stay as they are from one flip to the next."""
import base64, functools, json, sys
import many
import ed25519, notes, verify_bundle

ed25519.verify = functools.lru_cache(maxsize=200_000)(ed25519.verify)
case, step = json.load(sys.stdin.buffer), int(sys.argv[1])
data = bytearray(base64.b64decode(case["file"]))
question = verify_bundle.Question([notes.parse_key(text) for text in case["keys"]], case["origin"])
for number in range(len(data) * 8 // step):
    place = number * step + number * 7 % step
    data[place >> 3] ^= 1 << (place & 7)
    report = verify_bundle.verify(bytes(data), question)
    data[place >> 3] ^= 1 << (place & 7)
    failed = [check for check, result in report.results.items() if result == "failed"]
    print(report.verdict(), ",".join(failed))
