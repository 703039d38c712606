"""Reads back what lib/grade makes of records, and of what learners' judges wrote. Prints TAP: ok - NAME. Called by
tests/suites/exports.sh from the tree's root, with a folder to work in."""
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
import xml.etree.ElementTree as xml

sys.path[:0] = ["lib/grade", "tests/grade"]
import class_of  # noqa: E402
import clean  # noqa: E402
import points  # noqa: E402
import results  # noqa: E402

work = sys.argv[1]
NEVER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
tests = []


def test(function):
    tests.append(function)
    return function


def equal(got, expected):
    assert got == expected, "got %s, expected %s" % (ascii(got), ascii(expected))


def has(text, words):
    assert words in text, "%s is not in %s" % (ascii(words), ascii(text[-600:]))


def run(*words, status=0):
    done = subprocess.run([sys.executable, "-B"] + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    said = done.stdout.decode("utf-8")
    assert done.returncode == status, "status %d, expected %d: %s" % (done.returncode, status, said)
    assert "Traceback" not in said, said
    return said


def made(name="class"):
    """The folder of the class, exported once."""
    folder = os.path.join(work, name)
    if not os.path.exists(folder):
        class_of.write(folder)
        run("lib/grade/export.py", folder)
    return folder


def read(*path):
    """A file: in UTF-8, and without what is never to be printed. CR is left to the test of the table."""
    with open(os.path.join(made(), *path), encoding="utf-8", newline="") as file:
        text = file.read()
    found = NEVER.search(text.replace("\r\n", "\n"))
    assert not found, "%s holds %s" % (path, ascii(found.group()))
    return text


@test
def strings_are_cleaned():
    equal(clean.text(class_of.HOSTILE), "ared ]]>\"'<b>&amp;<script>back,=cmd|' /C calc'!A0\n@SUM(A1)\t\u2028end")
    equal(clean.text(b"a\xff\xc3\xa4"), "a\ufffd\u00e4")
    equal(clean.text("\x1b]0;title\x07x\x1b[1;31mr\x1b(By\x1b"), "xry")
    equal(len(clean.text("x" * 10 ** 6)), clean.MOST)
    equal([clean.cell(s) for s in ("=1", "+1", "-1", "@a", "\t=1", "a=1", "", 7)], ["'=1", "'+1", "'-1", "'@a", "'\t=1", "a=1", "", 7])
    equal(clean.line("a\r\nb\tc"), "a b c")


@test
def csv_is_read_back():
    text = read("grades.csv")
    equal(text.count("\n"), text.count("\r\n"))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    equal(len(rows), 12)
    equal(list(rows[0])[:7] + list(rows[0])[-6:], "student exercise verdict points max provisional build roof_share goal code case flags sha256".split())
    for row in rows:
        equal(len(row), 17)
        for value in row.values():
            assert value[:1] not in ("=", "+", "-", "@", "\t"), value
    by = {(r["student"], r["exercise"]): r for r in rows}
    equal((by["ana", "1"]["points"], by["ana", "1"]["roof_share"], by["ana", "1"]["fast"]), ("10", "0.900", "ok"))
    equal((by["ana", "6"]["points"], by["ana", "6"]["code"], by["ana", "6"]["provisional"]), ("8.8", "slow", "no"))
    equal((by["'-cmd", "1"]["points"], by["'-cmd", "1"]["correct"], by["'-cmd", "1"]["safe"]), ("0", "fail", "not-reached"))
    equal((by["'-cmd", "6"]["verdict"], by["'-cmd", "6"]["sha256"]), ("missing", "'=1+1"))
    equal((by["eve", "6"]["points"], by["eve", "6"]["provisional"]), ("10", "yes"))


@test
def junit_is_read_back():
    top = xml.fromstring(read("junit.xml"))
    cases = top.findall("testsuite/testcase")
    equal([top.get(n) for n in ("tests", "failures", "errors", "skipped")],
          [str(len(c)) for c in (cases, [c for c in cases if c.find("failure") is not None], [c for c in cases if c.find("error") is not None],
                                 [c for c in cases if c.find("skipped") is not None])])
    suites = {s.get("name"): s for s in top}
    equal(sorted(suites), sorted(class_of.STUDENTS))
    equal([suites["eve"].get(n) for n in ("errors", "failures", "timestamp")], ["1", "0", "2026-11-22T12:00:00"])
    equal([c.get("classname") + " " + c.get("name") for c in suites["ana"]][5:7], ["exercise 6 CORRECT", "exercise 6 FAST"])
    has(suites["-cmd"].find("testcase/failure").text, ']]>"\'<b>&amp;')
    equal([c.find("failure").get("type") for c in suites["zoe.zip_"]], ["missing"] * 3)


@test
def gradescope_is_read_back():
    for student in class_of.STUDENTS:
        found = json.loads(read("gradescope", student + ".json"))
        equal(found["stdout_visibility"], "hidden")
        assert abs(sum(t["score"] for t in found["tests"]) - found["score"]) < 1e-9, student
        for t in found["tests"]:
            assert t["status"] in ("passed", "failed") and re.fullmatch(r"\d+(-gpu)?\.\d", t["number"]) and t["output_format"] == "text", t
            assert 0 <= t["score"] <= t["max_score"], t
        of = {e: sum(t["max_score"] for t in found["tests"] if t["name"].split()[0] == e) for e in class_of.EXERCISES}
        equal(of, {e: 10 for e in class_of.EXERCISES})
    ana, eve = (json.loads(read("gradescope", s + ".json")) for s in ("ana", "eve"))
    equal(ana["score"], 28.8)
    equal([(t["name"], t["score"], t["max_score"], t["status"]) for t in ana["tests"] if t["name"] in ("6 CORRECT", "6 FAST", "6 MODEL", "6-gpu FAST")],
          [("6 CORRECT", 5, 5, "passed"), ("6 FAST", 1.8, 3, "failed"), ("6 MODEL", 2, 2, "passed"), ("6-gpu FAST", 3, 3, "passed")])
    ours = [t for t in eve["tests"] if t["name"].startswith("1 ")]
    assert all(t["output"].startswith("NOT YOUR FAULT") or not t["output"] for t in ours) and ours[0]["output"], ours
    assert all(t["score"] == 0 and t["status"] == "failed" for t in ours), ours
    has(eve["output"], "NOT YOUR FAULT")
    equal(eve["extra_data"]["records"][1]["verdict"], "no-verdict")


@test
def prairielearn_is_read_back():
    ana, zoe = (json.loads(read("prairielearn", s + ".json")) for s in ("ana", "zoe.zip_"))
    assert ana["gradable"] is True and abs(ana["score"] - 28.8 / 30) < 1e-9, ana["score"]
    assert all({"name", "description", "points", "max_points", "message", "output"} == set(t) for t in ana["tests"])
    assert abs(sum(t["points"] for t in ana["tests"]) - 28.8) < 1e-9
    assert zoe["gradable"] is False and len(zoe["format_errors"]) == 3, zoe
    json.loads(read("prairielearn", "eve.json"))


class Page(html.parser.HTMLParser):
    """Balanced tags, and nothing that runs or asks anybody."""
    EMPTY = {"meta", "br", "img"}

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags = [], [], []
        self.feed(text)
        self.close()
        equal(self.open, [])

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("src", "href", "action"), (tag, name, value)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        equal(tag, self.open.pop())

    def handle_data(self, data):
        self.words.append(data)


def safe_page(text):
    page = Page(text)
    assert not {"script", "link", "iframe", "img", "form"} & set(page.tags), page.tags
    has(text, "default-src 'none'; style-src 'unsafe-inline'")
    return " ".join(page.words)


@test
def overview_is_a_safe_page():
    words = safe_page(read("overview.html"))
    for what in ("4 students, 3 exercises", "Where the class is stuck", "To look at", "faster than the machine can be", "races were not looked for", "-cmd", "=f()", "<script>", "90 %"):
        has(words, what)


@test
def who_was_not_timed_is_right():
    folder = os.path.join(work, "untimed")
    class_of.write(folder)
    for exercise, timing in (("1", "pending"), ("6", "done")):
        with open(os.path.join(folder, "records", "ana", exercise + ".json"), "w") as file:
            json.dump(class_of.record("ana", exercise, "no-verdict", timing=timing), file)
    run("lib/grade/export.py", folder)
    with open(os.path.join(folder, "feedback", "ana.txt"), encoding="utf-8") as file:
        text = file.read()
    has(text, "Exercise 1 \u00b7 SpMV: right, not timed\n10 of 10 points, provisional")
    has(text, "Exercise 6 \u00b7 SpMV: no verdict\n10 of 10 points, provisional")
    with open(os.path.join(folder, "overview.html"), encoding="utf-8") as file:
        has(safe_page(file.read()), "1 right, not timed")


@test
def feedback_is_for_one_student():
    text = read("feedback", "eve.txt")
    has(text, "eve: 20 of 30 points, provisional")
    has(text, "NOT YOUR FAULT")
    assert len(text) < 4 * clean.MOST and "ana" not in text and "-cmd" not in text
    has(read("feedback", "ana.txt"), "8.8 of 10 points")


@test
def damaged_records_are_left_out_and_told():
    folder = os.path.join(work, "damaged")
    shutil.copytree(made(), folder)
    ana = os.path.join(folder, "records", "ana")
    with open(os.path.join(ana, "1.json"), "r+") as file:
        file.truncate(200)
    os.remove(os.path.join(ana, "6.json"))
    os.mkfifo(os.path.join(ana, "6.json"))
    for name, record in (("eve/1", '{"spw_grade": 2, "verdict": "pass"}'), ("eve/6", "[" * 100000), ("-cmd/1", '{"spw_grade": 1, "verdict": "<b>"}'),
                         ("eve/6-gpu", '{"spw_grade": 1, "verdict": "pass", "checks": 7, "fast": [1, {"roof_share": NaN}], "points": [], "flags": {}, "machine": 3, "started": "\\n"}')):
        with open(os.path.join(folder, "records", name + ".json"), "w") as file:
            file.write(record)
    os.remove(os.path.join(folder, "records", "zoe.zip_", "1.json"))
    os.symlink("/etc/passwd", os.path.join(folder, "records", "zoe.zip_", "1.json"))
    said = run("lib/grade/export.py", folder, status=5)
    equal(said.count("left out"), 6)
    has(said, "records: 6")
    with open(os.path.join(folder, "grades.csv"), newline="") as file:
        equal(len(list(csv.reader(file))), 7)
    for name in ("1", "6"):
        assert os.path.lexists(os.path.join(folder, "records", "zoe.zip_", name + ".json"))


@test
def students_are_compared_by_the_reference():
    """The machine became faster between the two, and the roof gained more than the answers."""
    folder = os.path.join(work, "speeds")
    shutil.copytree(made(), folder)
    for student, seconds, reference, share in (("ana", 0.02, 0.018, 0.9), ("-cmd", 0.015, 0.0135, 0.7), ("eve", 0.03, 0.0135, 0.35)):
        fast = class_of.timed(share, "pass")
        fast[0].update(seconds=seconds, reference=reference, to_reference=reference / seconds, reference_share=share * seconds / reference)
        with open(os.path.join(folder, "records", student, "1.json"), "w") as file:
            json.dump(class_of.record(student, "1", "pass", fast=fast), file)
    room = results.Class(folder)
    ana, cmd, eve = (room.records[s, "1"]["fast"][0] for s in ("ana", "-cmd", "eve"))
    equal(["%.3f" % f["roof_share"] for f in (ana, cmd, eve)], ["0.700", "0.700", "0.350"])
    equal("%.4f" % (ana["goal"] / ana["roof_share"]), "%.4f" % (0.66 / 0.9))


@test
def export_faults_are_one_line():
    equal(run("lib/grade/export.py", os.path.join(work, "nowhere"), status=2).count("\n"), 1)
    folder = os.path.join(work, "blocked")
    shutil.copytree(made(), folder)
    shutil.rmtree(os.path.join(folder, "feedback"))
    with open(os.path.join(folder, "feedback"), "w"):
        pass
    said = run("lib/grade/export.py", folder, status=5)
    equal(said.count("\n"), 1)
    has(said, "cannot write")


@test
def points_are_awarded_anew_by_another_table():
    folder = os.path.join(work, "other")
    shutil.copytree(made(), folder)
    table = os.path.join(work, "good.tsv")
    with open(table, "w") as file:
        file.write("\ufeff# spw-points 1\nexercise\tpoints\tcorrect\tmodel\tfast\tstretch\n# words\n\n6\t4\t1\t1\t2\t3\n21\t1\t1\t0\t0\t0\n*\t1\t1\t0\t0\t2.5\n")
    run("lib/grade/export.py", folder, "--points", table)
    with open(os.path.join(folder, "grades.csv"), newline="") as file:
        got = {(r["student"], r["exercise"]): (r["points"], r["max"]) for r in csv.DictReader(file)}
    equal([got[k] for k in (("ana", "1"), ("ana", "6"), ("eve", "6"), ("zoe.zip_", "6"))], [("3.5", "1"), ("3.2", "4"), ("4", "4"), ("0", "4")])
    with open(os.path.join(folder, "prairielearn", "ana.json")) as file:
        equal(json.load(file)["score"], 1)  # with stretch it is more than there is


@test
def faults_of_a_table_of_points_have_file_and_line():
    head = "# spw-points 1\nexercise\tpoints\tcorrect\tmodel\tfast\tstretch\n"
    path = os.path.join(work, "bad.tsv")
    for text, line, words in ((b"", 1, "first line"), (b"exercise\n", 1, "first line"), (b"\xff\xfe\x00", 1, "UTF-8"), (b"#" * 70000, 1, "64 KiB"),
                              ("# spw-points 1\n6\t10\t5\t2\t3\t0\n", 2, "columns must be"), (head + "6\t10\t5\t2\t2\t0\n*\t0\t0\t0\t0\t0\n", 3, "add up to 9, not to the 10"),
                              (head + "*\t1\t1\t0\t0\t-1\n", 3, "stretch is '-1'"), (head + "*\tnan\t1\t0\t0\t1\n", 3, "points is 'nan'"),
                              (head + "*\t1e400\t1\t0\t0\t1\n", 3, "points is"), (head + "99\t1\t1\t0\t0\t0\n", 3, "no exercise '99'"),
                              (head + "6\t1\t1\t0\t0\t0\n6\t1\t1\t0\t0\t0\n", 4, "two lines"), (head + "*\t1\t1\t0\t0\t0\n*\t1\t1\t0\t0\t0\n", 4, "two lines"),
                              (head + "6 1 1 0 0 0\n", 3, "parted by tabs"), (head + "6\t1\t1\t0\t0\t0\n", 3, "no line for exercise 1, 6-gpu")):
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        try:
            points.read(path, class_of.EXERCISES, class_of.EXERCISES)
        except points.PointsError as error:
            has(str(error), "%s:%d: " % (path, line))
            has(str(error), words)
        else:
            raise AssertionError("taken: %s" % ascii(text))
    fifo = os.path.join(work, "fifo")
    os.mkfifo(fifo)
    has(run("lib/grade/export.py", made(), "--points", fifo, status=2), "fifo:1: ")
    has(run("lib/grade/export.py", made(), "--points", os.path.join(work, "none.tsv"), status=2), "none.tsv:1: ")


@test
def partial_credit():
    row = {"points": 10, "correct": 5, "model": 2, "fast": 3, "stretch": 1}
    r, c, t = class_of.record, class_of.check, class_of.timed

    def right(*of):
        return [{"function": "f", "status": s} for s in of]
    wrong = [c("BUILD", "ok"), c("CORRECT", "fail", "wrong-value"), c("MODEL", "not-reached")]
    for made_, expected in ((r("a", "1", "pass", fast=t(0.9, "pass")), (5, 2, 3, 1, 11, False)), (r("a", "1", "pass"), (5, 2, 3, 0, 10, False)),
                            (r("a", "1", "wrong", checks=wrong, functions=right("right", "right", "wrong")), (3.3, 0, 0, 0, 3.3, False)),
                            (r("a", "1", "wrong", checks=[c("CORRECT", "ok"), c("MODEL", "fail", "model")]), (5, 0, 0, 0, 5, False)),
                            (r("a", "1", "slow", fast=t(0.4, "slow") + t(0.9, "pass")), (5, 2, 2.4, 0, 9.4, False)),
                            (r("a", "1", "slow", fast=t(0, "slow")), (5, 2, 0, 0, 7, False)),
                            (r("a", "1", "slow", checks=[c("TRAFFIC", "fail", "traffic")]), (5, 2, 0, 0, 7, False)),
                            (r("a", "1", "no-verdict", fast=t(0.6, "no-verdict")), (5, 2, 3, 0, 10, True)),
                            (r("a", "1", "pass", timing="pending"), (5, 2, 3, 0, 10, True)),
                            (r("a", "1", "pass", checks=[c("CORRECT", "ok"), c("FAST", "skipped")]), (5, 2, 3, 0, 10, True)),
                            (r("a", "1", "not-written", functions=right("right", "not-written"), checks=[c("CORRECT", "skipped")]), (2.5, 0, 0, 0, 2.5, False)),
                            (r("a", "1", "missing"), (0, 0, 0, 0, 0, False)), (r("a", "1", "fault"), (0, 0, 0, 0, 0, True))):
        got = points.award(made_, row)
        equal(tuple(got[k] for k in ("correct", "model", "fast", "stretch", "total", "provisional")), expected)


# --- the room ---------------------------------------------------------------------------------------------------------
def judgement(minutes_ago, exercise="6", verdict="wrong", name="CORRECT", code="wrong-value", function="spmv_csr", whole="true", check="false"):
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60 * minutes_ago))
    return "\t".join((at, exercise, verdict, whole, "0", "false", "2", check, "", "", name, code, function))


def seat(room, name, *lines, progress=None):
    folder = os.path.join(room, name, "workbook")
    os.makedirs(folder, exist_ok=True)
    if lines:
        with open(os.path.join(folder, "progress.tsv.history"), "w") as file:
            file.write("\n".join(("# spw-history 1",) + lines) + "\n")
    if progress:
        with open(os.path.join(folder, "progress.tsv"), "w") as file:
            file.write("# spw-progress 1\n" + progress)
    return folder


def a_room():
    room = os.path.join(work, "room")
    if os.path.exists(room):
        return room
    ana = seat(room, "ana", judgement(50, "1", "pass", "", "", ""), judgement(20), judgement(10), judgement(5))
    os.makedirs(os.path.join(ana, "build", "records"))
    with open(os.path.join(ana, "build", "records", "6.json"), "w") as file:
        json.dump({"started": judgement(5).split("\t")[0], "checks": [{"status": "fail", "case": "empty-rows\x1b[2J<b>"}]}, file)
    seat(room, "ben", judgement(3), progress="1\tpass\t87.3\t1\t0\t2026-11-20\n")
    seat(room, "cy", judgement(90, "6", "slow", "FAST", "slow", ""), progress="6\tslow\t40\t0\t0\t2026-11-22\n6\tpass\n")
    os.makedirs(os.path.join(room, "new", "workbook"))
    # half-written, hostile, of another version, with exercises that are not there
    seat(room, "dan", judgement(2), judgement(1, "99", "pass"), judgement(1, verdict="<b>"), judgement(1, name="\x1b[2J"), "2026-99-22T12:00:00Z\t6", "\x00\xff" * 50)
    with open(os.path.join(room, "dan", "workbook", "progress.tsv.history"), "a") as file:
        file.write(judgement(0, "6", "pass", "", "", ""))
    with open(os.path.join(seat(room, "old"), "progress.tsv.history"), "w") as file:
        file.write("# spw-history 7\n" + judgement(1) + "\n")
    # never to be opened, followed or read whole
    os.mkfifo(os.path.join(seat(room, "fifo"), "progress.tsv"))
    os.symlink("/etc/passwd", os.path.join(seat(room, "link"), "progress.tsv.history"))
    os.makedirs(os.path.join(seat(room, "folder"), "progress.tsv"))
    huge = seat(room, "huge", judgement(30))
    with open(os.path.join(huge, "progress.tsv.history"), "r+") as file:
        file.truncate(1 << 40)
        file.seek(0, 2)
        file.write("\n" + judgement(4) + "\n")
    evil = seat(room, "evil\x1b[2J<b>\u202e\n=x", judgement(4, "6", "pass", "", "", ""))
    os.symlink("/", os.path.join(evil, "build"))
    return room


def look(*options, status=0):
    begin = time.time()
    said = run("lib/grade/room.py", "--once", *options, os.path.join(a_room(), "*", "workbook"), status=status)
    assert time.time() - begin < 5, "it took %.1f s" % (time.time() - begin)
    found = NEVER.search(said)
    assert not found, ascii(found.group())
    return said


@test
def room_tells_where_all_are_and_no_name():
    said = look()
    for words in ("Room, 11 folders", "3 of 11 folders are not there or cannot be read", "2 have not begun", "1 have not asked the judge for half an hour",
                  "4 x  exercise 6, CORRECT, wrong-value, spmv_csr", "for 2 to 20 min, 6 tries, mostly case empty-rows<b>", "1 x  exercise 6, FAST, slow"):
        has(said, words)
    for row in said.splitlines():
        if row.startswith(" 6 "):
            equal(row.split()[4:], ["1", "1", "4", "6"])
    assert not re.search("ana|ben|evil|workbook", said), said


@test
def room_tells_names_when_asked():
    said = look("--names")
    has(said, "evil<b> =x")
    assert re.search(r"\n ana +6 +wrong +CORRECT wrong-value +3 +20 min +5 min\n", said), said
    assert re.search(r"\n fifo +cannot be read\n", said) and re.search(r"\n new +has not begun\n", said), said


@test
def room_for_the_beamer_is_a_safe_page():
    page = os.path.join(work, "room.html")
    look("--html", page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    words = safe_page(text)
    has(words, "wrong-value")
    assert "evil" not in text and "refresh" not in text and not re.search(r"\bana\b", text)
    look("--names", "--html", page)
    with open(page, encoding="utf-8") as file:
        has(safe_page(file.read()), "evil<b> =x")


@test
def room_refuses_options_in_one_line():
    for words in (["--every", "0", "x"], ["--every", "-1", "x"], ["--every", "soon", "x"], [], ["--", ""], ["'"]):
        equal(run("lib/grade/room.py", *words, status=2).replace("\nusage", "usage").count("make room: "), 1)
    has(run("lib/grade/room.py", "--once", os.path.join(work, "nowhere")), "1 of 1 folders")


# --- one submission ---------------------------------------------------------------------------------------------------
STUB = """import json, os, sys
sys.path[:0] = [%r, %r]
import class_of
o = dict(zip(sys.argv[1::1], sys.argv[2::1]))
mode = os.environ["STUB"]
if mode == "dies": sys.exit("no cell could be made")
if mode == "options":
    sys.stderr.write("points.tsv:3: it does not add up\\n")
    sys.exit(2)
os.rmdir(o["--grades"])
class_of.STUDENTS[:] = [mode]
if mode == "nothing": class_of.STUDENTS[:], class_of.EXERCISES[:] = ["zoe.zip_"], []
class_of.write(o["--grades"])
"""


@test
def autograder_always_leaves_a_result():
    tree = os.path.join(work, "tree")
    shutil.copytree("lib/grade", os.path.join(tree, "lib", "grade"))
    shutil.copytree("lib/commands", os.path.join(tree, "lib", "commands"))
    with open(os.path.join(tree, "lib", "grade", "grade.py"), "w") as file:
        file.write(STUB % (os.path.abspath("lib/grade"), os.path.abspath("tests/grade")))
    handed_in, result = os.path.join(work, "submission"), os.path.join(work, "results", "results.json")
    os.makedirs(handed_in)
    left = set(os.listdir(os.environ.get("TMPDIR", "/tmp")))
    for kind in ("gradescope", "prairielearn"):
        for mode, status in (("ana", 0), ("eve", 5), ("zoe.zip_", 0), ("nothing", 0), ("dies", 5), ("options", 2)):
            os.environ["STUB"] = mode
            run(os.path.join(tree, "lib/grade/autograder.py"), "--submission", handed_in, "--results", result, "--format", kind, "--limit", "3", status=status)
            with open(result, encoding="utf-8") as file:
                found = json.load(file)
            os.remove(result)
            said = json.dumps(found)
            equal("NOT YOUR FAULT" in said, status != 0)
            if kind == "gradescope":
                equal(found["score"], {"ana": 28.8, "eve": 20}.get(mode, 0))
            else:
                equal(found["gradable"], mode in ("ana", "eve"))
    has(said, "points.tsv:3: it does not add up")
    equal([n for n in set(os.listdir(os.environ.get("TMPDIR", "/tmp"))) - left if n.startswith("spw-autograder")], [])
    for words in ([], ["--submission", handed_in, "--results", result, "--format", "x"], ["--submission", "nowhere", "--results", result, "--format", "gradescope"]):
        equal(run("lib/grade/autograder.py", *words, status=2).count("\n"), 1)


for function in tests:
    try:
        function()
        print("ok - " + function.__name__.replace("_", " "), flush=True)
    except Exception:
        print("not ok - " + function.__name__.replace("_", " "))
        print("".join("# %s\n" % line for line in traceback.format_exc().splitlines()[-12:]), end="", flush=True)
