#!/usr/bin/env python3
"""Recomputes every hash of an export (JSON Lines): read_chain.py [file]. Shares no code with what wrote it."""
import datetime, hashlib, json, sys

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def commit(salt, text):
    if len(salt) != 32 or bytes.fromhex(salt).hex() != salt: raise ValueError("a salt is 16 bytes in lower-case hex")
    return sha256(bytes.fromhex(salt) + text.encode())

def check(event, seq, at, prev):
    if str(event["seq"]) != str(seq): raise ValueError("does not follow the event before")
    if event["at"] < at: raise ValueError("is dated before the event before")
    if event["data"] is not None and commit(event["dataSalt"], event["data"]) != event["dataCommit"]: raise ValueError("has other data")
    if (event["data"] is None) != (event["dataSalt"] is None) or event["dataCommit"] == "-": raise ValueError("has a salt or a commit of nothing")
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=event["at"])
    lines = ["constancia.event/v1", event["stream"], str(seq), event["kind"], moment.isoformat(timespec="milliseconds") + "Z",
             event["by"], event["seen"], commit(event["bodySalt"], event["body"]), "-" if event["dataCommit"] is None else event["dataCommit"], prev]
    if len("\n".join(lines).split("\n")) != 10: raise ValueError("has a newline in its header")
    if sha256("".join(line + "\n" for line in lines).encode()) != event["hash"]: raise ValueError("does not fit its hash")

def read(lines):
    heads = {}
    for number, line in enumerate(lines, 1):
        event = {}
        try:
            event = json.loads(line)
            genesis = sha256(f"constancia.genesis/v1\n{event['stream']}\n".encode())
            seq, at, prev = heads.get(event["stream"], (0, 0, genesis))
            check(event, seq, at, prev)
            heads[event["stream"]] = (seq + 1, event["at"], event["hash"])
        except Exception as problem:
            name = f"event {event.get('seq')} of {event.get('stream')}" if isinstance(event, dict) else "no event"
            raise SystemExit(f"wrong: line {number}, {name}: {problem}")
    return heads

if __name__ == "__main__":
    source = open(sys.argv[1], "rb") if len(sys.argv) > 1 else sys.stdin.buffer
    for stream, (count, _, head) in read(source).items(): print(f"ok {stream} {count} events {head}")
