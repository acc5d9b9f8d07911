"""Whether the changes of governance were permitted (7.3): each is decided by the law before its first event."""
import bisect
import strict_json
from findings import Findings, mark, milliseconds
from forms import LAW_BODIES, UnknownName, WrongForm, read_contract
from law import UNKNOWN, LawHistory

LAST_MOMENT = 8.64e15

class NotPermitted(Exception):
    """Why the law did not permit a change."""

def require(condition, message):
    if not condition: raise NotPermitted(message)

class Change:
    """Events of governance that were written at once: what they say, and whether all of it could be read."""
    def __init__(self, event):
        self.mark, self.first = mark(event), event.seq
        self.events, self.is_whole = [], True

class Erasures:
    """Which texts the events of kind Erased name: for each stream where the ranges begin, and how far those up to each of them go."""
    def __init__(self):
        self.named, self.ordered = {}, {}

    def add(self, texts):
        for text in texts:
            self.named.setdefault(text["stream"], []).append((text["from"], text["to"]))
            self.ordered.pop(text["stream"], None)

    def holds(self, stream, place):
        if stream not in self.ordered:
            ranges, ends = sorted(self.named.get(stream, ())), []
            for _, to in ranges: ends.append(max(to, ends[-1]) if ends else to)
            self.ordered[stream] = [start for start, _ in ranges], ends
        starts, ends = self.ordered[stream]
        found = bisect.bisect_right(starts, place)
        return found > 0 and place <= ends[found - 1]

class Changes:
    """Folds governance into laws and decides each change when it has ended. What counts is the place of an event, whatever seq it states."""
    def __init__(self, report):
        self.law, self.findings, self.change = LawHistory(), Findings(report, "governance"), None
        self.report, self.erasures, self.own = report, Erasures(), []

    def event(self, event):
        if self.change and (event.kind not in LAW_BODIES or mark(event) != self.change.mark): self.end()
        self.law.moments.append(milliseconds(event.at))
        event = event._replace(seq=len(self.law.moments) - 1)
        if event.data.state == "erased": self.own.append(event.seq)
        if event.kind not in LAW_BODIES: return
        if self.change is None: self.change = Change(event)
        body = self.read(event)
        if body is None: self.change.is_whole = False
        else: self.fold(event, body)

    def read(self, event):
        try:
            if event.body.state != "text": raise UnknownName("its body is withheld")
            return LAW_BODIES[event.kind].check(strict_json.parse(event.body.text))
        except UnknownName as problem:
            self.findings.unknown("law", event.seq, f"{event.kind}: {problem}")
        except (WrongForm, strict_json.NotJson) as problem:
            self.findings.fail("law", event.seq, f"{event.kind}: {problem}")
        self.lose(event.seq)
        return None

    def lose(self, place):
        """From this event on the law is not known."""
        self.findings.missing = True
        if self.law.missing_from is None: self.law.missing_from = place

    def fold(self, event, body):
        contract = None
        if event.kind == "Erased":
            self.erasures.add(body["texts"])
            return self.change.events.append((event.kind, body))
        if event.kind in ("ContractProposed", "ContractActivated"): contract = self.contract(event, body)
        self.change.events.append((event.kind, body))
        self.law.fold(event.seq, event.kind, body, contract)

    def contract(self, event, body):
        if event.data.state in ("withheld", "erased"):
            self.findings.unknown("law", event.seq, "the contract is withheld")
            return self.without_contract(event)
        try:
            if event.data.state == "none": raise WrongForm("the contract is missing")
            return read_contract(body, event.data.text)
        except UnknownName as problem: self.findings.unknown("law", event.seq, f"the contract: {problem}")
        except WrongForm as problem: self.findings.fail("law", event.seq, str(problem))
        return self.without_contract(event)

    def without_contract(self, event):
        self.change.is_whole = False
        self.lose(event.seq)
        return UNKNOWN

    def finish(self):
        """The stream has ended."""
        self.end()
        for place in self.own: self.erased("governance", place)

    def erased(self, stream, place):
        """A text of the file is said to be erased: an Erased of governance has to name it."""
        if self.erasures.holds(stream, place): return
        findings = Findings(self.report, stream)
        findings.missing = self.findings.missing
        findings.fail("law", place, "it is said to be erased, and no Erased names it")

    def end(self):
        """Decides the change that was read last, if there is one."""
        change, self.change = self.change, None
        if change is None or not change.is_whole: return
        law = self.law.at(change.first - 1)
        if law.is_unknown(): return self.findings.unknown("law", change.first, "the law that decides it is not known")
        try: Decision(law, change).check(self.law.at(change.first + len(change.events) - 1))
        except NotPermitted as problem: self.findings.fail("law", change.first, str(problem))

class Decision:
    """One change and the law that decides it."""
    def __init__(self, law, change):
        by, at, self.seen = change.mark
        self.law, self.t, self.by, self.first = law, milliseconds(at), by, change.first
        self.kinds, self.bodies = [kind for kind, _ in change.events], [body for _, body in change.events]
        self.p = by.removeprefix("principal:")

    def check(self, after):
        require(self.by.startswith("principal:"), "a change is by a principal")
        require(self.seen == self.first - 1, "it was not decided by the law before it")
        self.permitted()
        if set(self.kinds) <= {"RoleGranted", "RoleRevoked"}:
            require(not self.law.has_lasting_administrator() or after.has_lasting_administrator(), "no administrator without an end is left")

    def permitted(self):
        kinds, body = set(self.kinds), self.bodies[0]
        if kinds <= {"ContractProposed", "ContractConfirmed", "ContractActivated"}: return self.contract()
        if kinds <= {"RoleGranted", "RoleRevoked"}: return self.roles(body)
        require(len(self.kinds) == 1, "these changes do not belong together")
        if kinds in ({"IdentityLinked"}, {"Erased"}): return self.administrator()
        if self.p != body["from"]: self.administrator()
        if kinds == {"DelegationGranted"}: self.delegation(body)

    def administrator(self):
        require(self.law.held(self.p, "administrator", self.t), f"{self.p} was no administrator")

    def roles(self, body):
        if len(self.kinds) == 1 and self.kinds[0] == "RoleRevoked" and body["source"] is None: return self.administrator()
        if len(self.kinds) == 1 and self.kinds[0] == "RoleGranted" and body["source"] == "bootstrap":
            first, ever = self.law.history.first_administrator, body["role"] == "administrator" and body["untilMs"] is None
            return require(ever and (first is None or first > self.law.place), "there was an administrator before")
        self.administrator()
        granted = [body for kind, body in zip(self.kinds, self.bodies) if kind == "RoleGranted"]
        for grant in granted: self.grant(grant)
        if not (len(self.kinds) == 1 and granted and body["source"] == "direct"): self.imported(granted)

    def grant(self, body):
        require(self.is_known(body["role"]), f"{body['role']} is no role")
        require(body["untilMs"] is None or self.is_later(body["untilMs"]), "the grant ends before it begins")

    def is_known(self, role):
        contract = self.law.contract()
        return role == "administrator" or contract is not None and role in contract.roles

    def is_later(self, until):
        return self.t < until <= LAST_MOMENT

    def imported(self, granted):
        revoked, source = self.bodies[:len(self.bodies) - len(granted)], self.bodies[0]["source"]
        require(self.kinds == ["RoleRevoked"] * len(revoked) + ["RoleGranted"] * len(granted), "an import revokes first")
        require(source not in (None, "direct", "bootstrap") and all(body["source"] == source for body in self.bodies), "an import has one source of its own")
        pairs = [(body["principal"], body["role"]) for body in granted]
        require(len(set(pairs)) == len(pairs), "a grant is imported twice")
        require(not any(self.law.is_withdrawn(*pair) for pair in pairs), "what was withdrawn is imported")
        for body in revoked:
            until = dict(self.law.sources(body["principal"])).get((body["role"], source), 0)
            require(until is None or self.t < until, "an import revokes what its source did not give")

    def delegation(self, body):
        require(body["from"] != body["to"] and body["roles"], "a delegation is of some role to somebody else")
        for role in body["roles"]:
            require(role != "administrator" and self.is_known(role), f"{role} cannot be lent")
            require(self.law.held(body["from"], role, self.t), f"{body['from']} does not hold {role}")
        require(self.is_later(body["untilMs"]), "the delegation ends before it begins")

    def contract(self):
        order = ["ContractProposed", "ContractConfirmed", "ContractActivated"]
        require(self.kinds == [kind for kind in order if kind in self.kinds], "a contract is proposed, confirmed, activated in this order")
        said, digest, law = dict(zip(self.kinds, self.bodies)), self.bodies[0]["digest"], self.law
        require(all(body["digest"] == digest for body in self.bodies), "these are different contracts")
        require(digest != law.digest(), "this contract was in force")
        activation, before = law.activation(), law.confirmers(digest)
        roles = [role for role in law.granted(self.p, self.t) if role in activation["roles"]]
        require(roles, f"{self.p} may not decide on contracts")
        support = self.support([*(before or ()), *([] if self.p in (before or ()) else [self.p])], activation["roles"])
        enough = len(support) >= activation["quorum"]
        require(enough == ("ContractActivated" in said), "activated too early, or not when it had to be")
        require(("ContractProposed" in said) == (not enough and before is None), "proposed where it was not to be, or not where it was")
        require(("ContractConfirmed" in said) == (self.p not in (before or ())), "confirmed twice, or not at all")
        if enough: require(said["ContractActivated"]["approvedBy"] == support, "others support it than it says")
        if "ContractConfirmed" in said:
            require(said["ContractConfirmed"]["confirmer"] == self.p, "somebody else confirms it")
            require(said["ContractConfirmed"]["roles"] == roles, "it is confirmed in other roles")

    def support(self, confirmers, roles):
        found = {}
        for principal in confirmers:
            if set(roles) & set(self.law.granted(principal, self.t)): found.setdefault(self.law.person(principal), principal)
        return list(found.values())
