"""mutants.py COUNT SEED: reads {"cases": [...]} as many.py does, changes the files at random, and prints each changed file with the report on it."""
import base64, json, random, sys
import many, mutations

def changed(case, source):
    data = mutations.mutant(source, base64.b64decode(case["file"]))
    return {**case, "file": base64.b64encode(data).decode()}

cases, source = json.load(sys.stdin.buffer)["cases"], random.Random(int(sys.argv[2]))
for number in range(int(sys.argv[1])):
    base = source.randrange(len(cases))
    case = changed(cases[base], source)
    print(json.dumps({"base": base, "file": case["file"], "report": many.answer(case)}))
