"""Goes through one run and computes anew every decision that its journal records (7.4 to 7.9)."""
import strict_json
from approvals import ApprovalChecks
from actions import ActionChecks
from resumes import ResumeChecks
from findings import Findings, milliseconds, seen_place
from forms import CHECKS, DECISIONS, RUN_BODIES, UnknownName, WrongForm
from gate import MISSING, Unknowable

class Op:
    """What is known of one op: its name, its events so far, its approval."""
    def __init__(self, body):
        self.verb, self.name = body["verb"], body["name"]
        self.approval, self.deliveries, self.withdrawals = None, set(), []
        self.last, self.over, self.attempt, self.events = None, False, 0, []
        self.input, self.first_at, self.cents, self.statements = None, None, 0.0, set()
        self.decided = []  # the kinds among ApprovalResolved, OutcomeStated, ResumeAuthorized, in order
        self.deferred = False

    def went_on_without_leave(self):
        return bool(self.decided) and self.decided[-1] != "ResumeAuthorized"

class Fact:
    """An event whose body was read, with its moment and the law it was decided by."""
    def __init__(self, event, body, law):
        self.seq, self.kind, self.body, self.content, self.by, self.seen, self.at = event.seq, event.kind, body, event.data, event.by, event.seen, event.at
        self.t, self.law, self.checks = milliseconds(event.at), law, CHECKS[event.kind]

    def text(self):
        """The data: bytes, None where there is none, or MISSING."""
        return {"text": self.content.text, "none": None}.get(self.content.state, MISSING)

    def principal(self):
        return self.by[10:] if self.by.startswith("principal:") else None

ENGINE = ("FlowStarted", "ChildEnded", "CancelRequested")
BY = {"ApprovalVoted": ("principal:",), "ApprovalWithdrawn": ("principal:",), "OutcomeStated": ("principal:",), "ResumeDenied": ("principal:",),
      "ApprovalResolved": ("principal:", "claim:"), "ResumeAuthorized": ("principal:", "claim:")}

class RunReplay(ApprovalChecks, ActionChecks, ResumeChecks):
    """One run, event by event. The state takes each event in as it stands, whatever was found about it."""
    def __init__(self, report, stream, law):
        self.findings, self.id, self.law = Findings(report, stream), stream.removeprefix("run/"), law
        self.actor = self.flow = self.version = self.base = self.began = self.cancelled = self.expected = None
        self.ops, self.restricting, self.used, self.seen = {}, set(), {}, -1

    def event(self, event):
        data = event.data
        if data.state == "text" and len(data.text) > strict_json.MAX_BYTES: event = event._replace(data=data._replace(state="withheld", text=b""))
        fact = self.read(event) if event.kind in RUN_BODIES else None
        self.check_expected(event, fact)
        if fact: self.check(fact)
        self.seen = max(self.seen, seen_place(event.seen))

    def end(self):
        self.check_expected(None, None)

    def read(self, event):
        try:
            if event.body.state != "text": raise UnknownName("its body is withheld")
            body = RUN_BODIES[event.kind].check(strict_json.parse(event.body.text))
            return Fact(event, body, self.law.at(seen_place(event.seen)))
        except UnknownName as problem:
            self.unknown(event, f"{event.kind}: {problem}")
            self.findings.missing = True
        except (WrongForm, strict_json.NotJson) as problem:
            self.findings.fail(CHECKS[event.kind][0], event.seq, f"{event.kind}: {problem}")
            self.unknown(event, "what it says is not known")
            self.findings.missing = True
        return None

    def unknown(self, event, message):
        """None of the checks of an event can be evaluated."""
        for check in CHECKS[event.kind]: self.findings.unknown(check, event.seq, message)

    def check(self, fact):
        op = self.op(fact) if fact.kind not in ENGINE else None
        if op and self.began is None: return self.unknown(fact, "how the run began is not known")
        if op: self.check_about(fact, op)
        if fact.kind in DECISIONS: self.check_position(fact)
        if fact.kind in DECISIONS and fact.law.is_unknown():
            self.unknown(fact, "the law that decides it is not known")
            self.findings.missing = True
        else: self.perform(fact, op)
        getattr(self, "take_" + fact.kind, self.take_nothing)(fact, op)

    def perform(self, fact, op):
        """Performs each check of the kind. What one of them cannot know leaves the others alone."""
        if fact.kind in DECISIONS: self.check_decision(fact)
        for check in fact.checks:
            method = getattr(self, f"{check}_{fact.kind}", None)
            if method is None: continue
            try: method(fact, op)
            except Unknowable as problem: self.findings.unknown(check, fact.seq, str(problem))

    def op(self, fact):
        return self.ops.setdefault(fact.body["op"], Op(fact.body))

    def need(self, fact, check, condition, message):
        if not condition: self.findings.fail(check, fact.seq, f"{fact.kind}: {message}")

    def first(self, fact, condition, message):
        self.need(fact, fact.checks[0], condition, message)

    def check_position(self, fact):
        """The law that a decision names is the last there was, as far as others show."""
        moments, place = self.law.moments, fact.law.place
        self.first(fact, place >= self.seen, "it was decided by an older law than something before it")
        later = min(moments[place + 1:place + 2], default=fact.t)
        self.first(fact, later >= fact.t - 60_000, "it was not decided by the law that was the last")

    def check_decision(self, fact):
        if "contract" in fact.body: self.first(fact, fact.body["contract"] == fact.law.digest(), "another contract was in force")

    def check_about(self, fact, op):
        body, verbs = fact.body, ("do", "approval")
        self.first(fact, (body["verb"], body["name"]) == (op.verb, op.name), "the op was something else before")
        if fact.kind.startswith(("Action", "Outcome")): verbs = ("do",)
        if not fact.kind.startswith("Resume"): self.first(fact, body["verb"] in verbs, "such an op does not do this")
        self.first(fact, fact.by.startswith(BY.get(fact.kind, ("claim:",))), "somebody wrote it who does not do this")

    def take_nothing(self, fact, op): pass

    def take_FlowStarted(self, fact, _):
        if self.began is not None: return
        body = fact.body
        self.actor, self.flow, self.version, self.base, self.began = body["actor"], body["flow"], body["version"], body["contract"], fact.t

    def take_CancelRequested(self, fact, _):
        if self.cancelled is None: self.cancelled = fact.seq

    def person(self, law):
        return None if self.actor is None else law.person(self.actor)
