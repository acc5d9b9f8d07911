"""The forms that bodies and contracts have (7.1 and 7.4): which names, and values of which form."""
import hashlib, math, re
import strict_json
from canonical import canonical

class WrongForm(ValueError):
    """A listed name is missing or has a value of another form."""

class UnknownName(ValueError):
    """A name is there that is not listed: written by something newer than this reader."""

def pattern(text):
    compiled = re.compile(text)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None

def one_of(*values): return lambda value: isinstance(value, (str, bool)) and value in values
def or_null(form): return lambda value: value is None or form(value)
def list_of(form): return lambda value: isinstance(value, list) and all(map(form, value))
def anything(value): return True
def text(value): return isinstance(value, str)
def boolean(value): return isinstance(value, bool)
def finite(value): return isinstance(value, float) and math.isfinite(value)
def whole(value): return finite(value) and value.is_integer() and abs(value) < 2**53
def from_one(value): return whole(value) and value >= 1

NAME = pattern(r"[A-Za-z0-9._-]{1,100}")
ID = pattern(r"[A-Za-z0-9._:~-]{1,200}")
OP = pattern(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,60}")
HASH = pattern(r"[0-9a-f]{64}")
IN_FORCE = pattern(r"-|[0-9a-f]{64}")
ROLES = list_of(NAME)
STREAM = pattern(r"governance|refusals|run/[A-Za-z0-9._:~-]{1,200}")

class Record:
    """An object with exactly these names; a name that ends with ? may be absent. `open`: other names are of no concern."""
    def __init__(self, forms, open=False):
        self.forms, self.open = {name.rstrip("?"): form for name, form in forms.items()}, open
        self.needed = {name for name in forms if not name.endswith("?")}

    def check(self, value):
        if not isinstance(value, dict): raise WrongForm("it is no object")
        if not value.keys() >= self.needed: raise WrongForm("a name is missing")
        for name, form in self.forms.items():
            if name in value and not form(value[name]): raise WrongForm(f"{name} has another form")
        if not self.open and not value.keys() <= self.forms.keys(): raise UnknownName("it has a name that is not known here")
        return value

    def __call__(self, value):
        try: return self.check(value) is value
        except ValueError: return False

ESCALATION = Record({"afterMs": finite, "roles": ROLES})
POLICY = Record({"roles": ROLES, "quorum": from_one, "notBy": or_null(one_of("actor")), "withinMs": or_null(finite),
                 "escalation": or_null(ESCALATION), "amendable": boolean, "reasonRequired": boolean})

LAW_BODIES = {
    "ContractProposed": Record({"name": text, "version": text, "digest": HASH}),
    "ContractConfirmed": Record({"digest": HASH, "confirmer": ID, "roles": ROLES}),
    "ContractActivated": Record({"name": text, "version": text, "digest": HASH, "approvedBy": list_of(ID)}),
    "RoleGranted": Record({"principal": ID, "role": NAME, "untilMs": or_null(whole), "source": ID}),
    "RoleRevoked": Record({"principal": ID, "role": NAME, "source": or_null(ID)}),
    "DelegationGranted": Record({"from": ID, "to": ID, "roles": ROLES, "untilMs": whole}),
    "DelegationRevoked": Record({"from": ID, "to": ID}),
    "IdentityLinked": Record({"principal": ID, "person": ID}),
    "Erased": Record({"texts": list_of(Record({"stream": STREAM, "from": whole, "to": whole})), "principal": or_null(ID)}),
}

def about(more):
    return Record({"op": OP, "verb": text, "name": text, **more})

RUN_BODIES = {
    "FlowStarted": Record({"flow": text, "version": whole, "actor": or_null(text), "contract": or_null(HASH)}, open=True),
    "ChildEnded": Record({"op": OP, "restricts?": one_of(True)}, open=True),
    "CancelRequested": Record({}, open=True),
    "ActionAuthorized": about({"attempt": whole, "contract": IN_FORCE, "rule": whole, "roles": ROLES, "approval?": OP, "cents?": finite}),
    "ActionDenied": about({"contract": IN_FORCE, "code": text, "roles": ROLES}),
    "ActionCompleted": about({"attempt": whole, "found?": one_of(True)}),
    "ActionAttemptFailed": about({"attempt": whole, "code": text, "delayMs": finite}),
    "ActionFailed": about({"attempt": whole, "code": text, "reason": text}),
    "OutcomeUnknown": about({"attempt": whole, "protocol": text}),
    "OutcomeStated": about({"stater": ID, "outcome": one_of("done", "not_done", "failed"), "delivery": ID, "roles": ROLES}),
    "ApprovalRequested": about({"contract": IN_FORCE, "action": or_null(text), "rule": or_null(whole), "policy": POLICY, "shown": HASH, "tells?": one_of(True)}),
    "ApprovalVoted": about({"voter": ID, "choice": one_of("approve", "reject"), "shown": HASH, "roles": ROLES, "delivery": ID, "amended": or_null(HASH)}),
    "ApprovalWithdrawn": about({"voter": ID, "delivery": ID}),
    "ApprovalEscalated": about({"roles": ROLES}),
    "ApprovalResolved": about({"outcome": one_of("approved", "rejected", "expired", "lapsed"), "tells?": one_of(True)}),
    "ResumeAuthorized": about({"contract": IN_FORCE, "roles": ROLES}),
    "ResumeDeferred": about({"contract": IN_FORCE, "tells?": one_of(True)}),
    "ResumeDenied": about({"contract": IN_FORCE, "roles": ROLES, "tells?": one_of(True)}),
}
ALL = ("actions", "approvals", "resumes", "once")
CHECKS = {
    "FlowStarted": ALL, "ChildEnded": ("resumes",), "CancelRequested": ALL,
    "ActionAuthorized": ("actions", "once"), "ActionDenied": ("actions", "once"), "ActionCompleted": ("actions", "once"),
    "ActionAttemptFailed": ("once",), "ActionFailed": ("once",), "OutcomeUnknown": ("once",), "OutcomeStated": ("actions", "once"),
    "ApprovalRequested": ("approvals", "actions"), "ApprovalVoted": ("approvals", "actions"), "ApprovalWithdrawn": ("approvals", "actions"),
    "ApprovalEscalated": ("approvals",), "ApprovalResolved": ("approvals", "actions"),
    "ResumeAuthorized": ("resumes",), "ResumeDeferred": ("resumes",), "ResumeDenied": ("resumes",),
}
DECISIONS = frozenset(CHECKS) - {"FlowStarted", "ChildEnded", "CancelRequested", "ActionCompleted", "ActionAttemptFailed", "ActionFailed", "OutcomeUnknown"}
SHOWN = Record({"action": or_null(NAME), "title": text, "schema": or_null(HASH), "input": or_null(text), "question": text})
QUESTION = Record({"action": or_null(text), "title": text, "schema": or_null(text), "input": or_null(text), "question": text})
VOTE_DATA = Record({"note?": text, "amended?": text}, open=True)
STATEMENT_DATA = Record({"note?": text, "output?": anything}, open=True)

def effect(value):
    numbers = {"transactional": {}, "idempotent": {"remembersMs": finite}, "verify": {"settlesMs": finite}, "once": {}}
    if not isinstance(value, dict) or not isinstance(value.get("protocol"), str) or value["protocol"] not in numbers: return False
    return Record({"protocol": text, **numbers[value["protocol"]]})(value)

def resume(value):
    return value == "anyone" or Record({"roles": ROLES})(value)

CONTRACT = Record({
    "format": one_of("constancia.contract/v1"), "name": text, "version": text,
    "roles": lambda value: isinstance(value, dict) and all(map(NAME, value)) and all(map(text, value.values())),
    "actions": list_of(Record({"name": NAME, "title": text, "input": anything, "output": anything, "effect": effect,
                               "checksSituation": boolean, "undo": or_null(NAME)})),
    "rules": list_of(Record({"action": NAME, "roles": ROLES, "when": or_null(text), "approval": or_null(POLICY)})),
    "flows": list_of(Record({"name": NAME, "version": whole, "resume": resume, "models": one_of("none", "after-approval", "deferred"), "steps": anything})),
    "limits": Record({"actions?": finite, "modelCalls?": finite, "tokens?": finite, "cents?": finite, "runMs?": finite}),
    "templates": anything, "activation": Record({"roles": ROLES, "quorum": from_one}),
})

class Contract:
    """A contract that was read from its canonical text."""
    def __init__(self, digest, value):
        self.digest, self.value = digest, value
        self.actions = {action["name"]: action for action in value["actions"]}
        self.rules, self.roles, self.limits = value["rules"], value["roles"], value["limits"]

    def schema(self, action):
        found = self.actions.get(action)
        return hashlib.sha256(canonical(found["input"]).encode()).hexdigest() if found else None

    def flow(self, name, version):
        return next((flow for flow in self.value["flows"] if flow["name"] == name and flow["version"] == version), None)

def read_contract(body, data):
    """The contract in the data of an event that names it; WrongForm where it is not that one or none."""
    try: value = CONTRACT.check(strict_json.parse(data))
    except UnknownName: raise
    except (strict_json.NotJson, ValueError) as problem: raise WrongForm(f"the contract: {problem}") from None
    if canonical(value) != data.decode(): raise WrongForm("the contract's text is not canonical")
    if hashlib.sha256(data).hexdigest() != body["digest"]: raise WrongForm("the contract has another digest")
    if (value["name"], value["version"]) != (body["name"], body["version"]): raise WrongForm("the contract has another name or version")
    return Contract(body["digest"], value)
