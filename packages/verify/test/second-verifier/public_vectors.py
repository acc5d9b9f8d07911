"""Public vectors in a folder against the readers. Prints, for each file, how many there are and which came out otherwise than published."""
import base64, json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "readers"))
import ed25519, merkle, strict_json

def published(name):
    with open(os.path.join(sys.argv[1], f"{name}.json"), "rb") as file: return json.load(file)

def wycheproof():
    for group in published("ed25519-wycheproof")["testGroups"]:
        key = bytes.fromhex(group["publicKey"]["pk"])
        for case in group["tests"]:
            valid = ed25519.verify(key, bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"]))
            yield case["tcId"], valid == (case["result"] == "valid")

def cctv():
    """What the format accepts of the edge cases: neither low order nor another way to write a key or R, nor a residue that only the cofactor removes."""
    refused = {"low_order_A", "non_canonical_A", "non_canonical_R", "low_order_residue"}
    for case in published("ed25519-cctv"):
        valid = ed25519.verify(bytes.fromhex(case["key"]), case["msg"].encode(), bytes.fromhex(case["sig"]))
        yield case["number"], valid == (not refused & set(case["flags"] or []))

def hashes(list_): return [base64.b64decode(text) for text in list_ or []]

def inclusion():
    for entry in published("merkle-inclusion"):
        case = entry["case"]
        leaf, root = hashes([case["leafHash"], case["root"]])
        yield entry["name"], merkle.is_included(case["leafIdx"], case["treeSize"], leaf, hashes(case["proof"]), root) != case["wantErr"]

def consistency():
    for entry in published("merkle-consistency"):
        case = entry["case"]
        roots = tuple(hashes([case["root1"], case["root2"]]))
        yield entry["name"], merkle.is_consistent(case["size1"], case["size2"], hashes(case["proof"]), roots) != case["wantErr"]

def json_parsing():
    for entry in published("json-parsing"):
        try: accepted = strict_json.parse(base64.b64decode(entry["base64"])) is not strict_json
        except strict_json.NotJson: accepted = False
        yield entry["name"], entry["name"][0] == "i" or accepted == (entry["name"][0] == "y")

results = {}
for check in (wycheproof, cctv, inclusion, consistency, json_parsing):
    answers = list(check())
    results[check.__name__] = {"count": len(answers), "otherwise": [name for name, right in answers if not right]}
json.dump(results, sys.stdout)
