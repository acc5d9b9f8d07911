"""Reads {"cases": [{"file": base64, "keys": [...], "origin"?, "earlier"?: text, "require"?: [...], "allow"?: [...],
"witnesses"?: [...], "quorum"?}]} and prints the report on each;
{"codes": true}: the exit codes of the verdicts."""
import base64, json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "readers"))
import notes, verify_bundle
from report import EXIT_CODES

def answer(case):
    keys = [notes.parse_key(text) for text in case["keys"]]
    earlier = notes.parse_checkpoint(case["earlier"].encode()) if case.get("earlier") else None
    question = verify_bundle.Question(keys, case.get("origin") or keys[0].name, earlier, tuple(case.get("require", ())), tuple(case.get("allow", ())),
        tuple(notes.parse_witness(text) for text in case.get("witnesses", ())), case.get("quorum")).sensible()
    return verify_bundle.verify(base64.b64decode(case["file"]), question).as_json()

if __name__ == "__main__":
    job = json.load(sys.stdin.buffer)
    json.dump(EXIT_CODES if job.get("codes") else [answer(case) for case in job["cases"]], sys.stdout)
