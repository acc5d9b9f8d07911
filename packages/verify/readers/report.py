"""What was checked, what came of it, and the verdict that follows (section 6 of the evidence format)."""

CHECKS = ("format", "digest", "origin", "chain", "genesis", "end", "keys", "checkpoints", "consistency", "leaves", "coverage",
          "witnesses", "seen", "epochs", "claim", "law", "actions", "approvals", "resumes", "once")
RECEIPT_CHECKS = ("format", "digest", "origin", "chain", "checkpoints", "consistency", "leaves", "coverage", "witnesses")
PASSED, FAILED, NOT_EVALUATED = "passed", "failed", "not evaluated"
EXIT_CODES = {"proven": 0, "forged": 15, "unverifiable": 16, "incomplete": 17, "unsealed": 18, "unreadable": 19}
MAX_FINDINGS = 100

class Report:
    """Findings by check. A check without findings has passed."""
    def __init__(self, required=(), allowed=()):
        self.findings = {check: [] for check in CHECKS}
        self.results = {check: PASSED for check in CHECKS}
        self.means, self.required, self.allowed, self.notes = set(), required, allowed, []

    def fail(self, check, message, means="forged"):
        """The check failed; `means` is the verdict that this alone leads to."""
        self.results[check] = FAILED
        self.add(check, message, means)

    def unevaluated(self, check, message, means=None):
        """The check, or a part of it, could not be evaluated; `means` is the verdict that this alone leads to, if any."""
        if self.results[check] == PASSED: self.results[check] = NOT_EVALUATED
        self.add(check, message, means)

    def add(self, check, message, means):
        if means: self.means.add(means)
        if len(self.findings[check]) < MAX_FINDINGS: self.findings[check].append(message)

    def restrict_to(self, checks):
        """Keeps these checks: the others do not apply to such a file."""
        self.results = {check: result for check, result in self.results.items() if check in checks}
        self.findings = {check: found for check, found in self.findings.items() if check in checks}

    def unreadable(self, message):
        """The file is no bundle: what did not fail before that place was not evaluated."""
        for check in list(self.results): self.unevaluated(check, "the file cannot be read to its end")
        self.findings["format"] = []
        self.fail("format", message, "unreadable")

    def verdict(self):
        means = set(self.means)
        needed = {*self.results, *self.required} - set(self.allowed)
        if any(self.results.get(check, NOT_EVALUATED) == NOT_EVALUATED for check in needed): means.add("incomplete")
        return next((word for word in ("unreadable", "forged", "unverifiable", "incomplete", "unsealed") if word in means), "proven")

    def as_json(self):
        findings = {check: found for check, found in self.findings.items() if found}
        return {"verdict": self.verdict(), "checks": self.results, "findings": findings, "notes": self.notes}
