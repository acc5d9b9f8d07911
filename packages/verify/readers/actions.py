"""The checks of authorizations, denials, statements and completions (7.7), and that each action happens at most once (7.8)."""
import strict_json
from approvals import read
from forms import STATEMENT_DATA
from gate import MISSING, Gate, Unknowable

OVER = ("ActionCompleted", "ActionFailed", "ActionDenied")
UNDEFINED = {"$": "undefined"}

class ActionChecks:
    def gate(self, fact):
        return Gate(fact.law, fact.t, self.actor, self.base)

    def actions_ActionAuthorized(self, fact, op):
        body = fact.body
        need = lambda condition, message: self.need(fact, "actions", condition, message)
        self.resumes_of_authorization(fact, op)
        gate = self.gate(fact)
        need(body["roles"] == gate.roles, "the actor had other roles")
        self.check_limits(fact, gate)
        approval, text = self.approval_of(fact), fact.text()
        if body.get("approval") is not None: need(approval is not None, "no such approval was resolved")
        need(text is not None, "the input is missing")
        if text is None: return
        if text is MISSING: raise Unknowable("the input is withheld")
        try: strict_json.parse(text)
        except strict_json.NotJson: raise Unknowable("the input cannot be read") from None
        answer = gate.answer(body["name"], text, approval, body["op"])
        need(answer.kind == "allowed", f"the gate says {answer.kind} {answer.code}".rstrip())
        if answer.kind != "allowed": return
        need(answer.rule == body["rule"], f"rule {answer.rule} allows it")
        need(answer.uses == ("approval" in body), "it uses an approval and does not say so, or the other way round")

    def approval_of(self, fact):
        """The resolved approval that an authorization names, or None."""
        name = fact.body.get("approval")
        op = self.ops.get(name) if name is not None else None
        usable = op is not None and (name == fact.body["op"] or op.verb == "approval")
        return op.approval if usable and op.approval is not None and op.approval.outcome is not None else None

    def check_limits(self, fact, gate):
        before = [op for name, op in self.ops.items() if op.first_at is not None and name != fact.body["op"]]
        count, cents = len(before) + 1, sum(op.cents for op in before) + fact.body.get("cents", 0.0)
        lasted = 0 if self.began is None else fact.t - self.began
        for contract in gate.contracts:
            for name, value in (("actions", count), ("cents", cents), ("runMs", lasted)):
                self.need(fact, "actions", value <= contract.limits.get(name, value), f"the limit of {name} was passed")

    def resumes_of_authorization(self, fact, op):
        """Whether the run went on by leave: in this op, and in the op whose approval is used."""
        self.need(fact, "resumes", not op.went_on_without_leave(), "the run went on without leave")
        name = fact.body.get("approval")
        other = self.ops.get(name) if name is not None else None
        self.need(fact, "resumes", other is None or not other.went_on_without_leave(), "the run went on without leave after the approval")

    def take_ActionAuthorized(self, fact, op):
        approval = self.approval_of(fact)
        if "approval" in fact.body: self.used.setdefault(fact.body["approval"], fact.body["op"])
        if approval is not None and approval.used_by is None: approval.used_by = fact.body["op"]
        if op.first_at is None: op.first_at, op.input = fact.t, fact.text()
        op.cents = fact.body.get("cents", 0.0)
        self.take_action(fact, op)

    def actions_ActionDenied(self, fact, op):
        body, gate = fact.body, self.gate(fact)
        code = body["code"]
        if code in ("approval_rejected", "approval_expired"):
            outcome = op.approval.outcome if op.approval else None
            self.need(fact, "actions", body["roles"] == [] and outcome == code.removeprefix("approval_"), "its approval came to something else")
            return
        self.need(fact, "actions", body["roles"] == gate.roles, "the actor had other roles")
        if code in ("unknown_action", "no_rule", "role_missing"):
            self.need(fact, "actions", code in gate.denials(body["name"]), "no contract denies it so")

    def actions_OutcomeStated(self, fact, op):
        body, law, t, p = fact.body, fact.law, fact.t, fact.principal()
        need = lambda condition, message: self.need(fact, "actions", condition, message)
        need(op.last is not None and op.last.kind == "OutcomeUnknown", "the outcome was not in doubt")
        need(p == body["stater"], "somebody else wrote the statement")
        need((body["stater"], body["delivery"]) not in op.statements, "this delivery was taken before")
        contract = law.contract()
        policies = [rule["approval"] for rule in contract.rules if rule["action"] == body["name"] and rule["approval"]] if contract else []
        asked = {role for policy in policies for role in policy["roles"]} if policies else {"administrator"}
        own = [role for role in law.granted(body["stater"], t) if role in asked]
        lent = [(role, giver) for role, giver in law.lent(body["stater"], t) if role in asked] if policies else []
        need((own or lent) and body["roles"] == (own or sorted({role for role, _ in lent})), "who states it may not, or in other roles")
        if any(policy["notBy"] == "actor" for policy in policies) and self.actor is not None:
            people = {law.person(body["stater"]), *(law.person(giver) for _, giver in lent if not own)}
            need(self.person(law) not in people, "who acted does not state the outcome")

    def take_OutcomeStated(self, fact, op):
        op.statements.add((fact.body["stater"], fact.body["delivery"]))
        op.decided.append("OutcomeStated")
        self.take_action(fact, op)

    def actions_ActionCompleted(self, fact, op):
        self.need(fact, "actions", op.first_at is not None, "nothing was authorised")

    def take_action(self, fact, op):
        """What every event of an action leaves behind: it is the last one, and counts its attempt."""
        op.last, op.over = fact, op.over or fact.kind in OVER
        op.events.append((fact.kind, fact.body.get("code")))
        if fact.kind in ("ActionAuthorized", "ActionAttemptFailed"): op.attempt = max(op.attempt, fact.body["attempt"])

    take_ActionDenied = take_ActionCompleted = take_ActionAttemptFailed = take_ActionFailed = take_OutcomeUnknown = take_action

    def once(self, fact, op):
        """What holds for each of these events, and a way to need more."""
        self.need(fact, "once", not op.over, "the action was over")
        return lambda condition, message: self.need(fact, "once", condition, message)

    def once_ActionDenied(self, fact, op): self.once(fact, op)
    def once_OutcomeStated(self, fact, op): self.once(fact, op)

    def protocols(self, fact):
        effects = [contract.actions[fact.body["name"]]["effect"] for contract in self.gate(fact).contracts if fact.body["name"] in contract.actions]
        return {effect["protocol"] for effect in effects}, max((effect.get("remembersMs", 0) for effect in effects), default=0)

    def may_follow(self, op, protocols):
        """Whether an authorization may follow what the op has so far."""
        last = op.last
        if last is None or last.kind == "ActionAttemptFailed": return True
        if last.kind == "OutcomeStated": return last.body["outcome"] == "not_done"
        return last.kind == "ActionAuthorized" and bool(protocols & {"verify", "transactional"})

    def once_ActionAuthorized(self, fact, op):
        need = self.once(fact, op)
        need(fact.body["attempt"] == op.attempt + 1, "an attempt is left out or repeated")
        need(self.used.get(fact.body.get("approval"), fact.body["op"]) == fact.body["op"], "the approval was used by another op")
        protocols, remembers = self.protocols(fact)
        need(self.may_follow(op, protocols), "it may have been done before")
        codes = self.codes_since_statement(op)
        if protocols == {"once"} and op.last is not None and op.last.kind == "ActionAttemptFailed":
            need(op.last.body["code"] == "not_dispatched", "it may have been done before")
        if protocols == {"idempotent"} and any(code != "not_dispatched" for code in codes) and op.first_at is not None:
            need(fact.t - op.first_at <= remembers, "the destination may have forgotten the key")
        if op.first_at is None: return
        if MISSING in (fact.text(), op.input): raise Unknowable("the input is withheld")
        need(fact.text() == op.input, "the input is another one")

    def codes_since_statement(self, op):
        found = []
        for kind, code in op.events:
            if kind == "OutcomeStated": found = []
            if kind == "ActionAttemptFailed": found.append(code)
        return found

    def once_ActionCompleted(self, fact, op):
        need, last = self.once(fact, op), op.last
        if last is None: return need(False, "nothing was authorised")
        if last.kind == "ActionAuthorized": return need(last.body["attempt"] == fact.body["attempt"], "another attempt was authorised")
        if last.kind == "ActionAttemptFailed": return need("found" in fact.body, "the attempt had failed")
        need(last.kind == "OutcomeStated" and last.body["outcome"] == "done", "nothing says that it was done")
        if last.kind == "OutcomeStated": self.check_stated(fact, last)

    def check_stated(self, fact, stated):
        text, said = fact.text(), stated.text()
        if MISSING in (text, said): raise Unknowable("the output is withheld")
        statement = {} if said is None else read(said, STATEMENT_DATA)
        try: output = strict_json.parse(b"" if text is None else text)
        except strict_json.NotJson: statement = None
        self.need(fact, "once", statement is not None and same(output, statement.get("output", UNDEFINED)), "another output was stated")

    def once_ActionAttemptFailed(self, fact, op):
        need, attempt = self.once(fact, op), fact.body["attempt"]
        authorized = op.last is not None and op.last.kind == "ActionAuthorized"
        right = attempt == op.attempt and authorized or attempt == op.attempt + 1 and self.may_follow(op, self.protocols(fact)[0])
        need(right, "no such attempt was made")

    def once_ActionFailed(self, fact, op):
        self.once(fact, op)(fact.body["attempt"] <= op.attempt + 1, "no such attempt was made")

    def once_OutcomeUnknown(self, fact, op):
        self.once(fact, op)(fact.body["attempt"] <= op.attempt and op.first_at is not None, "no such attempt was authorised")

def same(a, b):
    """Whether two JSON values are the same: true is not 1."""
    if type(a) is not type(b): return False
    if isinstance(a, dict): return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list): return len(a) == len(b) and all(map(same, a, b))
    return a == b
