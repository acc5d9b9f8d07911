"""The checks of whether a run went on lawfully (7.9)."""
from gate import Unknowable
from law import UNKNOWN

class ResumeChecks:
    def declarations(self, fact):
        """What the contracts declare of this flow, in force and bound."""
        contracts = [fact.law.contract(), fact.law.activated(self.base) if self.base is not None else None]
        if UNKNOWN in contracts: raise Unknowable("a contract is withheld")
        return [flow for contract in contracts if contract for flow in [contract.flow(self.flow, self.version)] if flow]

    def granted(self, fact):
        return fact.law.granted(self.actor, fact.t) if self.actor is not None else []

    def is_admitted(self, fact):
        found, roles = self.declarations(fact), set(self.granted(fact))
        return bool(found) and all(flow["resume"] == "anyone" or roles & set(flow["resume"]["roles"]) for flow in found)

    def is_deferred(self, fact):
        return any(flow["models"] == "deferred" for flow in self.declarations(fact))

    def resumes_ResumeAuthorized(self, fact, op):
        need = lambda condition, message: self.need(fact, "resumes", condition, message)
        if op.verb in ("do", "approval"): need(op.went_on_without_leave(), "nothing was decided in this op since it last went on")
        if fact.principal() is not None:
            need(self.is_actor(fact) and op.deferred, "nothing waited for this principal")
        need(fact.body["roles"] == self.granted(fact), "the actor had other roles")
        need(self.is_admitted(fact), "the actor may not resume the run")
        if fact.by.startswith("claim:") and self.follows_decision(fact, op) and self.cancelled is None:
            need(not self.is_deferred(fact), "the run has to wait for the next message")

    def is_actor(self, fact):
        principal = fact.principal()
        return principal is not None and self.actor is not None and fact.law.person(principal) == self.person(fact.law)

    def follows_decision(self, fact, op):
        decided = [kind for kind in op.decided if kind != "ResumeAuthorized"]
        return decided[-1:] == ["ApprovalResolved"] or fact.body["op"] in self.restricting

    def take_ResumeAuthorized(self, fact, op):
        op.decided.append("ResumeAuthorized")
        op.deferred = False

    def resumes_ResumeDeferred(self, fact, op):
        need = lambda condition, message: self.need(fact, "resumes", condition, message)
        need("ApprovalResolved" in op.decided or fact.body["op"] in self.restricting, "nothing was decided that it has to wait for")
        need(self.is_admitted(fact) and self.is_deferred(fact), "the run does not wait for messages, or the actor may not resume it")

    def take_ResumeDeferred(self, fact, op):
        op.deferred = True

    def resumes_ResumeDenied(self, fact, op):
        need = lambda condition, message: self.need(fact, "resumes", condition, message)
        need(fact.body["roles"] == self.granted(fact), "the actor had other roles")
        need(self.is_actor(fact) and op.deferred, "nothing waited for this principal")
        need(not self.is_admitted(fact), "the actor may resume the run")

    def take_ChildEnded(self, fact, _):
        if "restricts" in fact.body: self.restricting.add(fact.body["op"])
