"""Reads {"lines": [...], "mutants": [[line, text], ...]} and prints, for each mutant, what the reader says of the export."""
import json, pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "readers"))
sys.dont_write_bytecode = True
import read_chain

job = json.load(sys.stdin.buffer)
answers = []
for number, text in job["mutants"]:
    lines = list(job["lines"])
    lines[number] = text
    try:
        read_chain.read(lines)
        answers.append("ok")
    except SystemExit as problem:
        answers.append(str(problem))
json.dump(answers, sys.stdout)
