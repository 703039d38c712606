"""What Gradescope and PrairieLearn want to read of one student, and what a student reads first."""
import results

SPLIT = {"CORRECT": "correct", "MODEL": "model", "FAST": "fast"}  # whose points a check shows; others after MODEL: fast


def headline(r):
    return "%s: %s" % (r["title"] or "Exercise " + r["exercise"], results.word(r))


def doubt(r):
    """Words behind the points."""
    if r["verdict"] == "fault":
        return ". This is NOT YOUR FAULT: it could not be judged, and will be judged again"
    if r["points"]["provisional"]:
        return ", provisional: the speed was not measured, and counts in full until it is"
    return ""


def output(r, check):
    """What a student reads about one check."""
    if r["verdict"] == "fault":
        return "NOT YOUR FAULT: " + (r["message"] or "it could not be judged")
    if check["status"] == "not-reached":
        return "not reached: a check before it failed"
    if check["status"] in ("skipped", "no-verdict") and r["points"]["provisional"]:
        return (check["why"] + "\nNot measured: counts in full for now.").strip()
    return check["why"]


def steps(r):
    """[check, points, most]: the points stand at CORRECT, MODEL and at the last of those behind it; each once, and also
    where the check is not there."""
    checks = r["checks"] or [{"name": "BUILD", "status": "error", "code": "", "why": r["message"]}]
    left = {k: v for k, v in r["points"]["of"].items() if v or r["points"][k]}
    found = []
    for k, check in enumerate(checks):
        column = SPLIT.get(check["name"], "" if check["name"] in results.GROUPS else "fast")
        last = not any(SPLIT.get(c["name"], "" if c["name"] in results.GROUPS else "fast") == column for c in checks[k + 1:])
        most = left.pop(column, 0) if column and last else 0
        found.append((check, r["points"][column] if most else 0, most))
    for column, most in left.items():
        status = "ok" if r["points"][column] >= most > 0 else "not-reached"
        found.append(({"name": column.upper(), "status": status, "why": "the library's best speed" if column == "stretch" else ""},
                      r["points"][column], 0 if column == "stretch" else most))
    return found


def summary(room, student):
    records = room.of(student)
    lines = ["%s, %g of %g points%s" % (headline(r), r["points"]["total"], r["points"]["max"], doubt(r)) for r in records]
    if any(r["verdict"] == "fault" for r in records):
        lines.insert(0, "NOT YOUR FAULT: something could not be judged, see below.")
    return "\n".join(room.notes.get(student, []) + lines)


def total(room, student):
    """Points, and the most that there are."""
    records = room.of(student)
    return round(sum(r["points"]["total"] for r in records), 3), round(sum(r["points"]["max"] for r in records), 3)


def gradescope(room, student):
    """For autograder/results/results.json."""
    tests = []
    for r in room.of(student):
        for k, (check, score, most) in enumerate(steps(r), 1):
            unsure = check["status"] in ("skipped", "no-verdict") and (r["verdict"] == "pass" or r["points"]["provisional"])
            good = r["verdict"] != "fault" and (check["status"] in ("ok", "shown") or unsure)
            tests.append({"name": "%s %s" % (r["exercise"], check["name"]), "number": "%s.%d" % (r["exercise"], k), "score": score,
                          "max_score": most, "status": "passed" if good else "failed", "output": output(r, check),
                          "output_format": "text", "visibility": "visible"})
    return {"score": total(room, student)[0], "execution_time": round(sum(r["seconds"] for r in room.of(student))),
            "output": summary(room, student), "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden",
            "extra_data": {"records": room.of(student)}, "tests": tests}


def prairielearn(room, student):
    """For grade/results/results.json."""
    records = room.of(student)
    if records and all(r["verdict"] == "missing" for r in records):
        return {"gradable": False, "format_errors": ["%s: %s" % (r["title"] or r["exercise"], r["message"] or "no file") for r in records]
                + room.notes.get(student, [])}
    got, most = total(room, student)
    tests = []
    for r in records:
        for check, score, of in steps(r):
            if of or score or check["status"] in ("fail", "error"):
                tests.append({"name": "%s %s" % (r["exercise"], check["name"]), "description": headline(r), "points": score,
                              "max_points": of, "message": check["status"].replace("-", " "), "output": output(r, check)})
    return {"gradable": True, "score": min(1, max(0, got / most)) if most else 0, "message": summary(room, student),
            "output": "\n\n".join(r["feedback"] for r in records)[:65536], "tests": tests}
