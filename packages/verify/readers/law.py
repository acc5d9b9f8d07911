"""The law (7.2): the fold of governance, kept as histories so that the law at any past event can be asked for.

Memory grows with the events of governance that change it, not with their texts."""
import bisect

UNKNOWN = "unknown"

class History:
    """One value over the events of governance."""
    def __init__(self):
        self.places, self.values = [], []

    def set(self, place, value):
        if self.places and self.places[-1] == place: self.values[-1] = value
        else:
            self.places.append(place)
            self.values.append(value)

    def at(self, place):
        index = bisect.bisect_right(self.places, place)
        return self.values[index - 1] if index else None

class LawHistory:
    """All laws that a governance stream has had. Events are folded in their order, as they stand."""
    def __init__(self):
        self.grants, self.withdrawn, self.delegations, self.links = {}, {}, {}, {}
        self.in_force, self.proposals, self.contracts, self.activated = History(), History(), {}, {}
        self.first_administrator, self.missing_from, self.moments = None, None, []

    def at(self, place):
        """The law up to and with this event; -1 for the empty one."""
        return Law(self, place)

    def fold(self, place, kind, body, contract):
        """Takes a change of the law in; `contract` is what the data of an activation holds, UNKNOWN where it cannot be told."""
        getattr(self, kind)(place, body, contract)

    def RoleGranted(self, place, body, _):
        principal, role = body["principal"], body["role"]
        self.grants.setdefault(principal, {}).setdefault((role, body["source"]), History()).set(place, (body["untilMs"],))
        self.withdrawn.setdefault((principal, role), History()).set(place, False)
        if role == "administrator" and self.first_administrator is None: self.first_administrator = place

    def RoleRevoked(self, place, body, _):
        principal, role, source = body["principal"], body["role"], body["source"]
        for (held, by), history in self.grants.get(principal, {}).items():
            if held == role and source in (None, by): history.set(place, None)
        if source is None: self.withdrawn.setdefault((principal, role), History()).set(place, True)

    def DelegationGranted(self, place, body, _):
        history = self.delegations.setdefault(body["to"], {}).setdefault(body["from"], History())
        before = history.at(place)
        history.set(place, (before[0] if before else place, body["roles"], body["untilMs"]))

    def DelegationRevoked(self, place, body, _):
        history = self.delegations.get(body["to"], {}).get(body["from"])
        if history: history.set(place, None)

    def IdentityLinked(self, place, body, _):
        principal, person = body["principal"], body["person"]
        if principal != person and principal in self.at(place - 1).way(person): return
        self.links.setdefault(principal, History()).set(place, None if principal == person else person)

    def ContractProposed(self, place, body, _):
        self.proposals.set(place, {**(self.proposals.at(place) or {}), body["digest"]: ()})

    def ContractConfirmed(self, place, body, _):
        proposals = self.proposals.at(place) or {}
        confirmers = proposals.get(body["digest"])
        if confirmers is not None and body["confirmer"] not in confirmers:
            self.proposals.set(place, {**proposals, body["digest"]: (*confirmers, body["confirmer"])})

    def ContractActivated(self, place, body, contract):
        self.in_force.set(place, body["digest"])
        self.contracts[body["digest"]] = contract
        self.activated.setdefault(body["digest"], place)
        self.proposals.set(place, {})

class Law:
    """The law after one event of governance. Answers hold at a moment t in UTC milliseconds where one is asked for."""
    def __init__(self, history, place):
        self.history, self.place = history, place

    def is_unknown(self):
        """Whether an event that it rests on is not there or could not be read, or the contract in force could not."""
        missing = self.history.missing_from
        outside = self.place >= len(self.history.moments)
        return outside or missing is not None and missing <= self.place or self.contract() is UNKNOWN

    def contract(self):
        return self.activated(self.history.in_force.at(self.place))

    def digest(self):
        return self.history.in_force.at(self.place) or "-"

    def activated(self, digest):
        """The contract of this digest, if it was in force once by then; UNKNOWN where its text cannot be read."""
        since = self.history.activated.get(digest)
        return None if since is None or since > self.place else self.history.contracts[digest]

    def activation(self):
        contract = self.contract()
        return contract.value["activation"] if contract else {"roles": ["administrator"], "quorum": 1}

    def sources(self, principal):
        """Each (role, source) of a principal with its end in a tuple."""
        for key, history in self.history.grants.get(principal, {}).items():
            grant = history.at(self.place)
            if grant: yield key, grant[0]

    def granted(self, principal, t):
        return sorted({role for (role, _), until in self.sources(principal) if until is None or t < until})

    def held(self, principal, role, t):
        return role in self.granted(principal, t)

    def has_lasting_administrator(self):
        return any(role == "administrator" and until is None for principal in self.history.grants for (role, _), until in self.sources(principal))

    def is_withdrawn(self, principal, role):
        history = self.history.withdrawn.get((principal, role))
        return bool(history and history.at(self.place))

    def lent(self, principal, t):
        """The pairs (role, from) that are lent to a principal."""
        found = [(history.at(self.place), giver) for giver, history in self.history.delegations.get(principal, {}).items()]
        lasting = sorted((born, giver, roles) for (born, roles, until), giver in ((one, giver) for one, giver in found if one) if t < until)
        return [(role, giver) for _, giver, roles in lasting for role in roles if self.held(giver, role, t)]

    def way(self, principal):
        """From a principal upwards to the person, both included."""
        way = [principal]
        while True:
            history = self.history.links.get(way[-1])
            above = history.at(self.place) if history else None
            if above is None: return way
            way.append(above)

    def person(self, principal):
        return self.way(principal)[-1]

    def confirmers(self, digest):
        """Who confirmed the proposal of this digest, None where there is none."""
        return (self.history.proposals.at(self.place) or {}).get(digest)
