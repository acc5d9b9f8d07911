"""The one function that decides whether an action may be executed (7.6), and what it needs to know of votes (7.5)."""
import hashlib
from typing import NamedTuple, Optional
import condition, strict_json
from law import UNKNOWN

class Unknowable(Exception):
    """What decides is withheld or cannot be read."""

class Missing:
    """Stands for data that is withheld or erased."""

MISSING = Missing()

def digest(run, op, text):
    """What names a text that was shown or amended in an op of a run."""
    salt = hashlib.sha256(f"constancia.shown/v1\n{run}\n{op}\n".encode()).digest()[:16]
    return hashlib.sha256(salt + text).hexdigest()

class Authority(NamedTuple):
    roles: list
    person: str

def authority(law, voter, asked, t):
    """In which roles and for whom a voter may decide, or None."""
    own = [role for role in law.granted(voter, t) if role in asked]
    if own: return Authority(own, law.person(voter))
    lent = [(role, giver) for role, giver in law.lent(voter, t) if role in asked]
    if not lent: return None
    return Authority(sorted(role for role, giver in lent if giver == lent[0][1]), law.person(lent[0][1]))

def deciders(pairs):
    """How many of these (person, hand) decide: one whose person or hand was met before does not."""
    people, hands, count = set(), set(), 0
    for person, hand in pairs:
        if person not in people and hand not in hands: count += 1
        people.add(person)
        hands.add(hand)
    return count

class Vote(NamedTuple):
    voter: str
    choice: str
    amended: Optional[str]
    delivery: str
    text: object  # the amended input as bytes, None, or MISSING

class Approval:
    """An approval from its request on: its policy, the votes that stand, what came of it, and which op used it."""
    def __init__(self, body, t0, seq, shown):
        self.op, self.verb, self.action, self.policy, self.digest = body["op"], body["verb"], body["action"], body["policy"], body["shown"]
        self.t0, self.seq, self.shown = t0, seq, shown
        self.votes, self.outcome, self.result, self.escalated, self.used_by = [], None, None, False, None

    def deadline(self):
        within = self.policy["withinMs"]
        return None if within is None else self.t0 + within

    def asked(self, t):
        escalation = self.policy["escalation"]
        late = escalation["roles"] if escalation and t >= self.t0 + escalation["afterMs"] else []
        return [*self.policy["roles"], *(role for role in late if role not in self.policy["roles"])]

    def authority(self, law, voter, t):
        return authority(law, voter, self.asked(t), t)

    def is_own(self, law, vote, authority_, actor):
        if self.policy["notBy"] != "actor" or actor is None or vote.choice != "approve": return False
        return law.person(actor) in (law.person(vote.voter), authority_ and authority_.person)

    def comes_to(self, law, t, actor):
        """What the votes come to: (outcome, meaning) or None."""
        counting = [(vote, found) for vote in self.votes if (found := self.authority(law, vote.voter, t)) and not self.is_own(law, vote, found, actor)]
        if any(vote.choice == "reject" for vote, _ in counting): return ("rejected", None)
        for meaning in dict.fromkeys(vote.amended for vote, _ in counting):
            pairs = [(found.person, law.person(vote.voter)) for vote, found in counting if vote.amended == meaning]
            if deciders(pairs) >= self.policy["quorum"]: return ("approved", meaning)
        return None

class Answer(NamedTuple):
    """"denied" with a code, "needs approval" with a rule and policy, or "allowed" by a rule, using the approval or not."""
    kind: str
    code: str = ""
    rule: int = -1
    policy: Optional[dict] = None
    uses: bool = False

def denied(code): return Answer("denied", code)

class Gate:
    """The gate of a run with this actor and contract, by a law at a moment."""
    def __init__(self, law, t, actor, base):
        self.law, self.t, self.actor = law, t, actor
        self.roles = law.granted(actor, t) if actor is not None else []
        current, bound = law.contract(), law.activated(base) if base is not None else None
        if UNKNOWN in (current, bound): raise Unknowable("a contract is withheld")
        self.contracts = [] if current is None or bound is None else [current] if current is bound else [current, bound]

    def by_roles(self, contract, action):
        """The first step: a denial, or the rules of the action that are held, with their places."""
        if action not in contract.actions: return denied("unknown_action")
        rules = [(place, rule) for place, rule in enumerate(contract.rules) if rule["action"] == action]
        if not rules: return denied("no_rule")
        return [(place, rule) for place, rule in rules if set(rule["roles"]) & set(self.roles)] or denied("role_missing")

    def denials(self, action):
        """The codes with which a contract alone, or the gate as a whole, denies the action whatever the input is."""
        if not self.contracts: return {"unknown_action"}
        verdicts = [self.by_roles(contract, action) for contract in self.contracts]
        return {verdict.code for verdict in verdicts if isinstance(verdict, Answer)}

    def answer(self, action, text, approval, op):
        if not self.contracts: return denied("unknown_action")
        names = self.names(text)
        verdicts = [self.verdict(contract, (action, text, names), approval, op) for contract in self.contracts]
        for kind in ("denied", "needs approval"):
            for verdict in verdicts:
                if verdict.kind == kind: return verdict
        return verdicts[0]._replace(uses=any(verdict.uses for verdict in verdicts))

    def names(self, text):
        names = {"actor": {"id": "-" if self.actor is None else self.actor, "roles": self.roles}}
        try: names["input"] = condition.value_of(strict_json.parse(text))
        except strict_json.NotJson: pass
        return names

    def verdict(self, contract, asked, approval, op):
        action, text, names = asked
        held = self.by_roles(contract, action)
        if isinstance(held, Answer): return held
        open_ = [(place, rule) for place, rule in held if rule["when"] is None or condition.holds(rule["when"], names)]
        if not open_: return denied("condition_failed")
        for place, rule in open_:
            if rule["approval"] is None: return Answer("allowed", rule=place)
        place, rule = open_[0]
        if approval is None or approval.outcome != "approved": return Answer("needs approval", rule=place, policy=rule["approval"])
        return self.approved(open_, asked, approval, op)

    def approved(self, rules, asked, approval, op):
        action, text, _ = asked
        if self.approved_action(approval) != action: return denied("approval_other_action")
        if self.approved_input(approval) != text: return denied("approval_other_input")
        if approval.used_by not in (None, op): return denied("approval_used")
        for place, rule in rules:
            if self.is_met(rule["approval"], approval): return Answer("allowed", rule=place, uses=True)
        return denied("approval_lapsed")

    def approved_action(self, approval):
        if approval.shown in (MISSING, None): raise Unknowable("what was shown is withheld, or cannot be read")
        action = approval.shown.get("action")
        schema = self.contracts[0].schema(action) if isinstance(action, str) else None
        return action if schema is not None and schema == approval.shown.get("schema") else None

    def approved_input(self, approval):
        if approval.result is MISSING: raise Unknowable("what was approved is withheld")
        if approval.result is not None: return approval.result
        text = approval.shown.get("input")
        return text.encode() if isinstance(text, str) else None

    def is_met(self, policy, approval):
        roles = {*policy["roles"], *(policy["escalation"]["roles"] if policy["escalation"] else ())}
        self_ = self.law.person(self.actor) if policy["notBy"] == "actor" and self.actor is not None else None
        pairs = []
        for vote in approval.votes:
            if vote.choice != "approve": continue
            if vote.text is MISSING: raise Unknowable("an amended input is withheld")
            found = approval.authority(self.law, vote.voter, self.t) if vote.text == approval.result else None
            pair = found and (found.person, self.law.person(vote.voter))
            if found and roles & set(found.roles) and self_ not in pair: pairs.append(pair)
        return deciders(pairs) >= policy["quorum"]
