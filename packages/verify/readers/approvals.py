"""The checks of requests, votes and resolutions (7.5), as a part of the replay of a run."""
import re
import strict_json
from findings import mark
from forms import QUESTION, SHOWN, VOTE_DATA
from gate import MISSING, Approval, Gate, Unknowable, Vote, digest

BLANK = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")
MOST_WITHDRAWALS = 20

def read(text, form):
    """The object that data holds, MISSING where it is withheld, None where it is not of the form."""
    if text is MISSING: return MISSING
    try: return form.check(strict_json.parse(b"" if text is None else text))
    except ValueError: return None

def amended(text):
    """The amended input in the data of a vote: bytes, None, or MISSING."""
    data = {} if text is None else read(text, VOTE_DATA)
    if data is MISSING: return MISSING
    return data["amended"].encode() if data and "amended" in data else None

class Expected:
    """The resolution that has to follow a vote at once."""
    def __init__(self, fact, outcome, meaning):
        self.seq, self.op, self.outcome, self.meaning = fact.seq, fact.body["op"], outcome, meaning
        self.mark = mark(fact)

class ApprovalChecks:
    def approvals_ApprovalRequested(self, fact, op):
        body, text = fact.body, fact.text()
        need = lambda condition, message: self.need(fact, "approvals", condition, message)
        need(op.approval is None or op.approval.outcome is not None, "an approval of this op is open")
        if body["verb"] == "do": need(body["action"] == body["name"], "it asks for another action")
        else: need(body["rule"] is None, "no rule asks for it")
        if text is MISSING: raise Unknowable("what was shown is withheld")
        shown = read(text, SHOWN)
        need(shown is not None, "what was shown is not of its form")
        if shown is None: return
        need(digest(self.id, body["op"], text) == body["shown"], "something else was shown")
        contract = fact.law.contract()
        need(shown["action"] == body["action"], "another action was shown")
        schema = contract.schema(body["action"]) if contract and body["action"] is not None else None
        need(shown["schema"] == schema, "another schema was shown")
        if body["verb"] == "do": self.check_asked(fact, shown)

    def check_asked(self, fact, shown):
        body, text = fact.body, shown["input"]
        answer = Gate(fact.law, fact.t, self.actor, self.base).answer(body["action"], (text or "").encode(), None, body["op"])
        self.need(fact, "approvals", (answer.kind, answer.rule, answer.policy) == ("needs approval", body["rule"], body["policy"]), "no rule asks for this approval")

    def take_ApprovalRequested(self, fact, op):
        op.approval = Approval(fact.body, fact.t, fact.seq, read(fact.text(), QUESTION))

    def is_changeable(self, approval):
        cancelled = self.cancelled is not None and self.cancelled > approval.seq
        return approval.outcome is None and not cancelled

    def approvals_ApprovalVoted(self, fact, op):
        body, law, t, approval = fact.body, fact.law, fact.t, op.approval
        need = lambda condition, message: self.need(fact, "approvals", condition, message)
        need(fact.principal() == body["voter"], "somebody else wrote the vote")
        need((body["voter"], body["delivery"]) not in op.deliveries, "this delivery was taken before")
        need(approval is not None, "nothing was asked in this op")
        if approval is None: return
        need(self.is_changeable(approval), "the approval was not open")
        need(approval.deadline() is None or t < approval.deadline(), "the deadline was over")
        need(body["shown"] == approval.digest, "the vote is on something else")
        need(body["amended"] is None or self.may_amend(approval, body), "this vote cannot amend")
        self.check_voter(fact, approval)
        text = fact.text()
        needed = body["amended"] is not None or approval.policy["reasonRequired"]
        if not needed and (text is MISSING or text is not None and read(text, VOTE_DATA) is None): return
        if text is MISSING: raise Unknowable("what the vote says is withheld")
        self.check_vote_data(fact, approval, text)

    def may_amend(self, approval, body):
        return approval.policy["amendable"] and body["choice"] == "approve" and approval.action is not None

    def check_voter(self, fact, approval):
        body, law, t = fact.body, fact.law, fact.t
        found = approval.authority(law, body["voter"], t)
        self.need(fact, "approvals", found is not None and found.roles == body["roles"], f"{body['voter']} did not hold these roles")
        self.need(fact, "approvals", not approval.is_own(law, self.vote(fact), found, self.actor), "who asks does not decide")
        for vote in approval.votes:
            other = approval.authority(law, vote.voter, t)
            same = law.person(vote.voter) == law.person(body["voter"]) or found and other and other.person == found.person
            self.need(fact, "approvals", not same, "this person has voted")

    def check_vote_data(self, fact, approval, text):
        data = {} if text is None else read(text, VOTE_DATA)
        self.need(fact, "approvals", data is not None, "what the vote says is not of its form")
        if data is None: return
        if approval.policy["reasonRequired"]: self.need(fact, "approvals", not BLANK.fullmatch(data.get("note", "")), "no reason is given")
        said = amended(text)
        self.need(fact, "approvals", (said and digest(self.id, fact.body["op"], said)) == fact.body["amended"], "another input is amended than it says")

    def vote(self, fact):
        body = fact.body
        text = amended(fact.text())
        return Vote(body["voter"], body["choice"], body["amended"], body["delivery"], None if text is MISSING and body["amended"] is None else text)

    def take_ApprovalVoted(self, fact, op):
        op.deliveries.add((fact.body["voter"], fact.body["delivery"]))
        approval = op.approval
        if approval is None: return
        approval.votes.append(self.vote(fact))
        if approval.outcome is not None or fact.law.is_unknown(): return
        came = approval.comes_to(fact.law, fact.t, self.actor)
        if came: self.expected = Expected(fact, *came)

    def check_expected(self, event, fact):
        """The event behind a vote that decides is its resolution, and none else is."""
        expected, self.expected = self.expected, None
        if expected is None: return
        fits = fact is not None and fact.kind == "ApprovalResolved" and (fact.body["op"], fact.body["outcome"]) == (expected.op, expected.outcome)
        if not fits or mark(event) != expected.mark:
            self.findings.fail("approvals", expected.seq, "the vote decides, but no such resolution follows")
        else: self.follows = expected

    follows = None

    def approvals_ApprovalResolved(self, fact, op):
        approval, follows = op.approval, self.follows
        self.follows = None
        if follows is not None: return self.check_meaning(fact, follows)
        self.need(fact, "approvals", approval is not None and approval.outcome is None, "no approval is open")
        if approval is None: return
        late = approval.deadline() is not None and fact.t >= approval.deadline()
        self.need(fact, "approvals", fact.body["outcome"] == "expired" and late and fact.by.startswith("claim:"), "the votes do not come to this")

    def check_meaning(self, fact, follows):
        text = fact.text()
        if follows.meaning is None: return self.need(fact, "approvals", text is None, "nothing was amended")
        self.need(fact, "approvals", text is not None, "what was amended is missing")
        if text is MISSING: raise Unknowable("what was amended is withheld")
        if text is not None: self.need(fact, "approvals", digest(self.id, fact.body["op"], text) == follows.meaning, "something else was amended")

    def take_ApprovalResolved(self, fact, op):
        self.follows = None
        op.decided.append("ApprovalResolved")
        if op.approval is not None and op.approval.outcome is None:
            op.approval.outcome, op.approval.result = fact.body["outcome"], fact.text()

    def approvals_ApprovalWithdrawn(self, fact, op):
        body, law, approval = fact.body, fact.law, op.approval
        need = lambda condition, message: self.need(fact, "approvals", condition, message)
        principal = fact.principal()
        need(principal is not None and law.person(principal) == law.person(body["voter"]), "somebody else withdraws the vote")
        need(approval is not None and self.is_changeable(approval), "the approval was not open")
        if approval is None: return
        need(approval.deadline() is None or fact.t < approval.deadline(), "the deadline was over")
        need(any((vote.voter, vote.delivery) == (body["voter"], body["delivery"]) for vote in approval.votes), "no such vote stands")
        before = sum(law.person(voter) == law.person(body["voter"]) for voter in op.withdrawals)
        need(before < MOST_WITHDRAWALS, "this person has withdrawn too often")

    def take_ApprovalWithdrawn(self, fact, op):
        body, approval = fact.body, op.approval
        op.withdrawals.append(body["voter"])
        if approval is None or approval.outcome is not None: return
        approval.votes = [vote for vote in approval.votes if (vote.voter, vote.delivery) != (body["voter"], body["delivery"])]

    def approvals_ApprovalEscalated(self, fact, op):
        approval = op.approval
        self.need(fact, "approvals", approval is not None and approval.outcome is None and not approval.escalated, "no approval is open that was not escalated")
        if approval is None: return
        escalation = approval.policy["escalation"]
        due = escalation is not None and fact.t >= approval.t0 + escalation["afterMs"]
        self.need(fact, "approvals", due and fact.body["roles"] == escalation["roles"], "it was not to be escalated so")

    def take_ApprovalEscalated(self, fact, op):
        if op.approval is not None: op.approval.escalated = True
