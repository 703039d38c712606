"""Reads what make grade has left in its folder, for all who export it. Strings come out clean (clean.py)."""
import json
import os
import re
import statistics

import clean

VERSION = 1
VERDICTS = {"pass": ("\u2713", "passed"), "slow": ("~", "slow"), "wrong": ("\u2717", "wrong"), "not-written": ("\u00b7", "not written"),
            "no-verdict": ("?", "no verdict"), "fault": ("!", "not judged"), "missing": ("\u2013", "no file")}
UNTIMED = "right, not timed"  # all but the clock was asked, as CHECK=1 does
GROUPS = {"BUILD": "build", "CORRECT": "correct", "SAFE": "safe", "MODEL": "model"}  # all others: fast


class Damaged(Exception):
    """Of one file: what is wrong with it."""


def load(path, name):
    """A JSON file of ours: an object whose version `name` is ours."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            data = file.read(1 << 20)
        found = json.loads(data.decode("utf-8", "replace"))
    except OSError as error:
        raise Damaged("%s: %s" % (path, error.strerror))
    except (ValueError, RecursionError) as error:
        raise Damaged("%s is damaged: %s" % (path, clean.line(error)))
    if not isinstance(found, dict) or found.get(name) != VERSION:
        raise Damaged("%s is damaged, or of another version" % path)
    return clean.deep(found)


def order(exercise):
    number = re.match(r"[0-9]{1,6}", exercise)
    return (int(number.group()) if number else 0, exercise)


def number(value):
    """0 where it is none."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e30
    return value if good else 0


def words(value, most=200):
    return clean.line(value, most) if isinstance(value, str) else ""


def rows(value):
    """The objects of a list."""
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def shape(record, student, exercise):
    """The record with all that its readers ask for, of the right types."""
    if record.get("verdict") not in VERDICTS:
        raise Damaged("%s/%s: no verdict of ours" % (student, exercise))
    record["student"], record["exercise"] = student, exercise
    for name in ("title", "file", "sha256", "workbook", "started", "isolation", "message", "timing"):
        record[name] = words(record.get(name), 1000)
    if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", record["started"]):
        record["started"] = "1970-01-01T00:00:00Z"
    record["seconds"] = max(0, number(record.get("seconds")))
    record["feedback"] = clean.text(record.get("feedback"))
    record["machine"] = {k: words(v) if isinstance(v, str) else number(v)
                         for k, v in (record["machine"] if isinstance(record.get("machine"), dict) else {}).items()}
    record["flags"] = [words(f, 40) for f in record.get("flags") or [] if isinstance(f, str)] if isinstance(record.get("flags"), list) else []
    record["checks"] = [{"name": words(c.get("name"), 20), "status": words(c.get("status"), 20), "code": words(c.get("code"), 40),
                         "function": words(c.get("function"), 80), "case": words(c.get("case"), 80), "threads": number(c.get("threads")),
                         "why": clean.text(c.get("why")), "testimony": c.get("testimony") is True} for c in rows(record.get("checks"))]
    record["functions"] = [{k: words(f.get(k), 80) for k in ("function", "status")} for f in rows(record.get("functions"))]
    record["fast"] = [dict({k: number(f.get(k)) for k in ("to_reference", "roof_share", "reference_share", "low", "high", "goal", "disturbed")},
                           function=words(f.get("function"), 80), case=words(f.get("case"), 100), verdict=words(f.get("verdict"), 20),
                           stretch=f.get("stretch") is True) for f in rows(record.get("fast"))]
    points = record["points"] if isinstance(record.get("points"), dict) else {}
    most = points["of"] if isinstance(points.get("of"), dict) else {}
    record["points"] = dict({k: number(points.get(k)) for k in ("correct", "model", "fast", "stretch", "total", "max")},
                            of={k: number(most.get(k)) for k in ("correct", "model", "fast", "stretch")},
                            provisional=points.get("provisional") is True)
    return record


class Class:
    """folder: of make grade. students, exercises: in order; records[student, exercise]; notes[student]: lines on what
    they handed in; complaints: a line for each file that could not be read, or is not there."""

    def __init__(self, folder):
        self.folder, self.records, self.notes, self.complaints, self.entry = folder, {}, {}, [], {}
        listed = load(os.path.join(folder, "class.json"), "spw_class")
        self.seed, self.workbook = number(listed.get("seed")), words(listed.get("workbook"))
        self.exercises = sorted({words(e, 12) for e in listed.get("exercises") or [] if isinstance(e, str)}, key=order)
        students = [s for s in rows(listed.get("students")) if re.match(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,250}$", words(s.get("student"), 255))]
        self.students = [s["student"] for s in students]
        for s in students:
            self.entry[s["student"]] = words(s.get("entry"), 120)
            self.notes[s["student"]] = [words(n, 300) for n in s.get("notes") or [] if isinstance(n, str)]
        for student in self.students:
            for exercise in self.exercises:
                path = os.path.join("records", student, exercise + ".json")
                try:
                    self.records[student, exercise] = shape(load(os.path.join(folder, path), "spw_grade"), student, exercise)
                except Damaged as error:
                    self.complaints.append("left out, for make grade to judge again: %s" % error)
        self.level()

    def level(self):
        """One measure of a part for all: the ratio to the reference, times the median share of the roof that the reference reached.
        By the roof of its own run the same answer has 93 % or 75 % on a machine that changes its speed."""
        parts = {}
        for r in self.records.values():
            for f in r["fast"]:
                if f["verdict"] != "no-verdict" and min(f["to_reference"], f["roof_share"], f["reference_share"]) > 0:
                    parts.setdefault((r["exercise"], f["function"], f["case"], r["machine"].get("cpu")), []).append(f)
        for answers in parts.values():
            reached = statistics.median(f["reference_share"] for f in answers)
            for f in answers:
                factor = reached * f["to_reference"] / f["roof_share"]
                f.update({name: f[name] * factor for name in ("roof_share", "low", "high", "goal")})

    def of(self, student):
        return [self.records[student, e] for e in self.exercises if (student, e) in self.records]


def word(record):
    """Its verdict, as a person reads it."""
    if record["verdict"] == "missing" and failed(record):
        return "not taken"  # there is one: its message says why
    untimed = record["verdict"] == "no-verdict" and record["timing"] == "pending"
    return UNTIMED if untimed else VERDICTS[record["verdict"]][1]


def failed(record):
    """The first check that failed, had no verdict or could not be made; {} if none."""
    for check in record["checks"]:
        if check["status"] in ("fail", "error", "no-verdict"):
            return check
    return {}


def slowest(record):
    """What was timed with the least of its goal; {} if nothing was."""
    timed = [f for f in record["fast"] if f["roof_share"] > 0]
    return min(timed, key=lambda f: f["roof_share"] / (f["goal"] or 1)) if timed else {}


def write(path, data):
    """Beside it, and renamed: whole at any time. data: bytes. An OSError goes through."""
    partial = "%s.%d.partial" % (path, os.getpid())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError:
        try:
            os.unlink(partial)
        except OSError:
            pass
        raise
