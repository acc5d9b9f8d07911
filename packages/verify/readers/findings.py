"""What the replay of governance finds, and the moments and positions that events name."""

def milliseconds(at):
    """A moment as UTC milliseconds since 1970, for years from 1970 on."""
    year, month, day = int(at[0:4]), int(at[5:7]), int(at[8:10])
    year -= month < 3
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719468
    return ((days * 24 + int(at[11:13])) * 60 + int(at[14:16])) * 60000 + int(at[17:19]) * 1000 + int(at[20:23])

def seen_place(seen):
    """The position of governance that an event has seen, -1 for none."""
    head = seen.split("/")[0]
    return -1 if head == "-" else int(head.split(":")[0])

def mark(event):
    """What events that were written at once have in common: who, when, and which event of governance was seen."""
    return event.by, event.at, seen_place(event.seen)

class Findings:
    """The findings of one stream. Behind something that could not be read, what would be a failure is not evaluated."""
    def __init__(self, report, stream):
        self.report, self.stream, self.missing = report, stream, False

    def fail(self, check, seq, message):
        if self.missing: self.unknown(check, seq, f"{message}, but something before it cannot be read")
        else: self.report.fail(check, f"{self.stream} {seq}: {message}")

    def unknown(self, check, seq, message):
        self.report.unevaluated(check, f"{self.stream} {seq}: {message}")
