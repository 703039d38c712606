"""Points for a judgement: the table of an instructor, and what a record earns by it.

    # spw-points 1
    exercise <tab> points <tab> correct <tab> model <tab> fast <tab> stretch
    6              10           5             2            3         0
    *              10           5             2            3         0

points = correct + model + fast is the most that an exercise gives; stretch comes on top, for the library's best speed.
`*` are all exercises that have no line of their own. Lines that begin with # are passed over.
"""
import math
import os
import re
import stat

COLUMNS = ["exercise", "points", "correct", "model", "fast", "stretch"]
DEFAULT = {"points": 10, "correct": 5, "model": 2, "fast": 3, "stretch": 0}


class PointsError(Exception):
    """str() of it: a line for each fault, "file:line: what"."""


def _number(text):
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text):
        return None
    value = float(text)
    return int(value) if value == int(value) else value


def _row(fields, known, rows):
    """The values of a line, or a string: what is wrong with it."""
    if len(fields) != len(COLUMNS):
        return "%d columns, not the %d of %s (are they parted by tabs?)" % (len(fields), len(COLUMNS), " ".join(COLUMNS))
    name = fields[0]
    if name != "*" and not (name in known if known else re.fullmatch(r"[0-9]{1,3}(-gpu)?", name)):
        return "there is no exercise %s" % ascii(name)
    if name in rows:
        return "exercise %s has two lines" % name
    values = {}
    for column, text in zip(COLUMNS[1:], fields[1:]):
        values[column] = _number(text)
        if values[column] is None:
            return "%s is %s, must be a number, 0 or more" % (column, ascii(text[:40]))
    parts = values["correct"] + values["model"] + values["fast"]
    if abs(parts - values["points"]) > 1e-9:
        return "correct, model and fast add up to %g, not to the %g points" % (parts, values["points"])
    return values


def read(path, exercises, known=None):
    """The table of a file, {exercise: {points, correct, model, fast, stretch}}, for these exercises; known: all that
    there are, None: make grade has looked at that. path None or "": the default. PointsError: nothing was read."""
    if not path:
        return {e: DEFAULT for e in exercises}
    rows, faults, lines = {}, [], []
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise PointsError("%s:1: this is no file" % path)
            data = file.read(65537)
        if len(data) > 65536:
            raise PointsError("%s:1: more than 64 KiB" % path)
        lines = data.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise PointsError("%s:1: cannot be read: %s" % (path, error.strerror))
    except UnicodeDecodeError:
        raise PointsError("%s:1: this is no text in UTF-8" % path)
    if not lines or lines[0].strip() != "# spw-points 1":
        raise PointsError("%s:1: the first line must be: # spw-points 1" % path)
    head = False
    for at, line in enumerate(lines[1:], 2):
        fields = [f.strip() for f in line.rstrip().split("\t")]
        if not line.strip() or line.startswith("#"):
            continue
        if not head:
            head = True
            if fields != COLUMNS:
                faults.append("%s:%d: the columns must be: %s" % (path, at, " ".join(COLUMNS)))
            continue
        row = _row(fields, known, rows)
        if isinstance(row, str):
            faults.append("%s:%d: %s" % (path, at, row))
        else:
            rows[fields[0]] = row
    without = [e for e in exercises if e not in rows and "*" not in rows]
    if without and not faults:
        faults.append("%s:%d: no line for exercise %s, and none for *" % (path, len(lines), ", ".join(without)))
    if faults:
        raise PointsError("\n".join(faults))
    return {e: rows.get(e, rows.get("*")) for e in exercises}


# --- what a record earns ----------------------------------------------------------------------------------------------
def _down(value):
    return math.floor(10 * value + 1e-6) / 10


def _check(record, *names):
    for check in record.get("checks") or []:
        if check.get("name") in names and check.get("status") != "not-reached":
            return check
    return {}


def _right(record):
    """The share of the functions that were right and did nothing outside their arrays."""
    functions = record.get("functions") or []
    if functions:
        return sum(f.get("status") == "right" for f in functions) / len(functions)
    if record.get("verdict") == "not-written" or any(
            c.get("status") == "fail" and c.get("name") in ("BUILD", "CORRECT", "SAFE", "GPU") or c.get("code") == "wrong-value"
            for c in record.get("checks") or []):
        return 0
    return float(_check(record, "CORRECT").get("status") == "ok")


def _model(record):
    if record["verdict"] in ("pass", "slow", "no-verdict"):
        return 1  # an exercise without models has no such check
    return float(_check(record, "MODEL").get("status") == "ok")


def _fast(record):
    """The share of the points for speed, and whether a better measurement may change it."""
    if record["verdict"] == "pass":
        unmeasured = _check(record, "FAST").get("status") == "skipped" and _check(record, "TRAFFIC").get("status") != "ok"
        return 1, unmeasured or record.get("timing") == "pending"
    if record["verdict"] == "no-verdict":
        return 1, True
    if record["verdict"] != "slow":
        return 0, False
    shares, unsure = [], False
    for part in record.get("fast") or []:
        share, goal = part.get("roof_share") or 0, part.get("goal") or 0
        good = part.get("verdict") != "slow"
        unsure = unsure or part.get("verdict") == "no-verdict"
        shares.append(1 if good or share >= goal else share / goal)
    return (sum(shares) / len(shares) if shares else 0), unsure


def award(record, row):
    """The member "points" of a record. Partial credit: of correct by functions, of fast by the share of the goal, both
    rounded down to 0.1. What could not be measured counts in full and is provisional; of a fault that is ours, nothing
    is known: 0, and provisional."""
    verdict = record.get("verdict")
    points = {"correct": 0, "model": 0, "fast": 0, "stretch": 0, "total": 0, "max": row["points"],
              "of": {k: row[k] for k in ("correct", "model", "fast", "stretch")}, "provisional": verdict == "fault"}
    if verdict in ("missing", "fault") or verdict is None:
        return points
    fast, unsure = _fast(record)
    points["correct"] = _down(_right(record) * row["correct"])
    points["model"] = _down(_model(record) * row["model"])
    points["fast"] = _down(fast * row["fast"])
    timed = record.get("fast") or []
    if verdict == "pass" and timed and all(part.get("stretch") for part in timed):
        points["stretch"] = row["stretch"]
    points["total"] = round(sum(points[k] for k in points["of"]), 3)
    points["provisional"] = unsure
    return points
