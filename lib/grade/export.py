"""export.py GRADES [--points FILE]: from the records that make grade has left there, and from nothing else,

    grades.csv, junit.xml, overview.html    the class
    feedback/STUDENT.txt                    what each may read
    gradescope/STUDENT.json, prairielearn/STUDENT.json

--points awards points anew by another table; the records keep theirs. Status 0; 5: something could not be read or
written, which is told in a line each; 2: bad options."""
import argparse
import csv
import io
import json
import os
import sys
import xml.etree.ElementTree as xml

import clean
import overview
import platforms
import points
import results

COLUMNS = ["student", "exercise", "verdict", "points", "max", "provisional", "build", "correct", "safe", "model", "fast",
           "roof_share", "goal", "code", "case", "flags", "sha256"]


def statuses(record):
    """{build, correct, safe, model, fast: status}; fast is the worst of all that come after MODEL."""
    found, rank = {}, ["error", "fail", "no-verdict", "ok", "shown", "skipped", "not-reached", ""]
    for check in record["checks"]:
        column = results.GROUPS.get(check["name"], "fast")
        old = found.get(column, "")
        if check["status"] in rank and rank.index(check["status"]) < rank.index(old):
            found[column] = check["status"]
    return found


def table(room):
    """RFC 4180: CRLF, quotes where they are needed, doubled within."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for student in room.students:
        for r in room.of(student):
            status, worst, slow = statuses(r), results.failed(r), results.slowest(r)
            writer.writerow([clean.cell(v) for v in (
                student, r["exercise"], r["verdict"], "%g" % r["points"]["total"], "%g" % r["points"]["max"], "yes" if r["points"]["provisional"] else "no",
                *(status.get(c, "") for c in ("build", "correct", "safe", "model", "fast")),
                "%.3f" % slow["roof_share"] if slow else "", "%.3f" % slow["goal"] if slow else "",
                worst.get("code", ""), worst.get("case", ""), " ".join(r["flags"]), r["sha256"])])
    return out.getvalue().encode("utf-8")


def junit(room):
    """A suite a student, a case a check. failure: the student's; error: ours; skipped: not measurable or not reached."""
    top, all_counts = xml.Element("testsuites", name="Sparse Performance Workbook"), [0, 0, 0, 0]
    for student in room.students:
        records = room.of(student)
        suite, counts = xml.SubElement(top, "testsuite", name=student), [0, 0, 0, 0]
        for r in records:
            for c in r["checks"] or [{"name": "BUILD", "status": "error", "code": r["verdict"], "why": r["message"]}]:
                case = xml.SubElement(suite, "testcase", classname="exercise " + r["exercise"], name=c["name"])
                counts[0] += 1
                ours = r["verdict"] == "fault" and c["status"] == "error"
                if ours or c["status"] in ("fail", "error"):
                    counts[2 if ours else 1] += 1
                    said = xml.SubElement(case, "error" if ours else "failure", type=c["code"] or r["verdict"],
                                          message=clean.line(c["why"] or r["message"]) or r["verdict"])
                    said.text = c["why"]
                elif c["status"] in ("skipped", "not-reached", "no-verdict"):
                    counts[3] += 1
                    xml.SubElement(case, "skipped", message=clean.line(c.get("why")) or c["status"].replace("-", " "))
        for name, count in zip(("tests", "failures", "errors", "skipped"), counts):
            suite.set(name, str(count))
        suite.set("time", "%.3f" % sum(r["seconds"] for r in records))
        suite.set("timestamp", min([r["started"] for r in records] or ["1970-01-01T00:00:00Z"])[:19])
        all_counts = [a + b for a, b in zip(all_counts, counts)]
    for name, count in zip(("tests", "failures", "errors", "skipped"), all_counts):
        top.set(name, str(count))
    top.set("time", "%.3f" % sum(r["seconds"] for r in room.records.values()))
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(top, encoding="utf-8").split(b"?>\n")[-1] + b"\n"


def feedback(room, student):
    """For one student, as text."""
    records = room.of(student)
    total, most = sum(r["points"]["total"] for r in records), sum(r["points"]["max"] for r in records)
    unsure = any(r["points"]["provisional"] for r in records)
    out = ["%s: %g of %g points%s" % (student, round(total, 3), most, ", provisional" if unsure else "")]
    out += room.notes.get(student, [])
    for r in records:
        out += ["", "-" * 80, platforms.headline(r), "%g of %g points%s" % (r["points"]["total"], r["points"]["max"], platforms.doubt(r)), ""]
        out.append(r["feedback"] or r["message"] or "There is no report.")
    return ("\n".join(out) + "\n").encode("utf-8")


def as_json(found):
    return (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def export(room):
    """All files, one after the other."""
    def put(data, *path):
        results.write(os.path.join(room.folder, *path), data)
    put(table(room), "grades.csv")
    put(junit(room), "junit.xml")
    put(overview.overview(room), "overview.html")
    for student in room.students:
        put(feedback(room, student), "feedback", student + ".txt")
        put(as_json(platforms.gradescope(room, student)), "gradescope", student + ".json")
        put(as_json(platforms.prairielearn(room, student)), "prairielearn", student + ".json")


def main():
    parser = argparse.ArgumentParser(prog="make grade-export", description="Tables and pages of a class.")
    parser.add_argument("folder", metavar="GRADES")
    parser.add_argument("--points", metavar="FILE")
    options = parser.parse_args()
    try:
        room = results.Class(options.folder)
        if options.points:
            rows = points.read(options.points, room.exercises)
            for (_, exercise), record in room.records.items():
                record["points"] = points.award(record, rows[exercise])
        export(room)
    except results.Damaged as error:
        print("make grade-export: %s. GRADES= is the folder that make grade has left." % error, file=sys.stderr)
        return 2
    except points.PointsError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print("make grade-export: cannot write %s: %s" % (error.filename, error.strerror), file=sys.stderr)
        return 5
    for line in room.complaints:
        print(line, file=sys.stderr)
    print("%s: grades.csv, junit.xml, overview.html, feedback, gradescope, prairielearn. Students: %d, records: %d"
          % (room.folder, len(room.students), len(room.records)))
    return 5 if room.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
