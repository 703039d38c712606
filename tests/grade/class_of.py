"""An invented class in the shape that make grade leaves, with strings that learners might have made. Read by tests."""
import json
import os

import points

HOSTILE = "a\x00\x1b[31mred\x1b[0m ]]>\"'<b>&amp;<script>\u202eback\u2066\ud800\ufffe\x9b1m\x85,=cmd|' /C calc'!A0\n@SUM(A1)\t\u2028end"
STUDENTS = ["ana", "-cmd", "eve", "zoe.zip_"]
EXERCISES = ["1", "6", "6-gpu"]


def check(name, status, code="", why="", **more):
    return dict({"name": name, "status": status, "code": code, "function": "", "case": "", "threads": 1, "why": why, "testimony": False}, **more)


def timed(share, verdict):
    return [{"function": "spmv_csr", "case": "n = 1.73 M", "seconds": 0.02, "reference": 0.01, "to_reference": 0.5, "roof_share": share,
             "reference_share": 2 * share, "low": 0.9 * share, "high": 1.1 * share, "goal": 0.66, "stretch": verdict == "pass", "blocks": 12, "disturbed": 0, "verdict": verdict}]


def record(student, exercise, verdict, **more):
    names = ("BUILD", "CORRECT", "SAFE", "MODEL", "FAST")
    made = {"spw_grade": 1, "key": "", "student": student, "exercise": exercise, "title": "Exercise %s \u00b7 SpMV" % exercise, "file": "f.c",
            "sha256": "ab" * 32, "workbook": "abc", "seed": 1, "started": "2026-11-22T12:00:00Z", "seconds": 21.4, "tries": 1,
            "isolation": "bwrap", "machine": {"cpu": "AMD EPYC", "cores": 2}, "verdict": verdict, "message": "", "timing": "done",
            "checks": [check(n, "ok", why="words of " + n) for n in names], "functions": [{"function": "f", "status": "right"}],
            "fast": [], "flags": [], "feedback": "a report\n" + HOSTILE}
    made.update(more)
    made["points"] = points.award(made, points.DEFAULT)
    return made


def records():
    """Every verdict, and hostile strings wherever there are strings."""
    bad = check("CORRECT", "fail", HOSTILE, HOSTILE, function="=f()", case=HOSTILE)
    yield record("ana", "1", "pass", fast=timed(0.9, "pass"))
    yield record("ana", "6", "slow", fast=timed(0.4, "slow"), checks=[check("CORRECT", "ok"), check("FAST", "fail", "slow", HOSTILE)])
    yield record("ana", "6-gpu", "pass", checks=[check("CORRECT", "ok"), check("TRAFFIC", "ok"), check("FAST", "skipped", why="measured: not, no GPU here")])
    yield record("-cmd", "1", "wrong", checks=[check("BUILD", "ok"), bad, check("SAFE", "not-reached")], functions=[{"function": "f", "status": "wrong"}])
    yield record("-cmd", "6", "missing", message=HOSTILE, checks=[check("BUILD", "error", "unreadable", HOSTILE)], functions=[], title=HOSTILE, sha256="=1+1")
    yield record("-cmd", "6-gpu", "not-written", checks=[check("CORRECT", "skipped", why="NOT WRITTEN YET")], functions=[{"function": "f", "status": "not-written"}])
    yield record("eve", "1", "fault", message=HOSTILE, checks=[], functions=[], flags=[HOSTILE, "above-roof"], machine={"cpu": HOSTILE})
    yield record("eve", "6", "no-verdict", fast=timed(0.7, "no-verdict"), checks=[check("CORRECT", "ok"), check("FAST", "no-verdict", "noise")])
    yield record("eve", "6-gpu", "pass", timing="pending", flags=["races"], feedback="x" * 100000)
    for exercise in EXERCISES:
        yield record("zoe.zip_", exercise, "missing", message="there is no file", checks=[], functions=[])


def write(folder):
    os.makedirs(folder)
    entries = [{"student": s, "entry": HOSTILE, "notes": [HOSTILE] if s == "eve" else []} for s in STUDENTS]
    with open(os.path.join(folder, "class.json"), "w") as file:
        json.dump({"spw_class": 1, "seed": 4711, "isolation": "bwrap", "workbook": "abc", "exercises": EXERCISES, "students": entries}, file)
    for r in records():
        os.makedirs(os.path.join(folder, "records", r["student"]), exist_ok=True)
        with open(os.path.join(folder, "records", r["student"], r["exercise"] + ".json"), "w") as file:
            json.dump(r, file)
