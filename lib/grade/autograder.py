"""autograder.py --submission FOLDER --results FILE --format gradescope|prairielearn [--timed 1] [OPTION of grade.py ...]

`make autograder`: judges the work of one student and writes what a platform wants to read. There is a result however it
ends; what is not the student's fault says so in it. Without --timed 1 no clock is asked: containers are shared. Status 0;
5: something could not be judged; 2: bad options."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import export
import platforms
import results

NOTHING = "None of the files is one that the workbook knows. Hand in the file that you edited, under its own name, as spmv_csr.c."


def ours(kind, why):
    """A result where there are no records."""
    why = "NOT YOUR FAULT: " + why
    if kind == "prairielearn":
        return {"gradable": False, "format_errors": [why]}
    return {"score": 0, "output": why, "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden"}


def nothing(kind, notes):
    words = [NOTHING] + notes
    if kind == "prairielearn":
        return {"gradable": False, "format_errors": words}
    return {"score": 0, "output": "\n".join(words), "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden"}


def judged(options, more):
    """(result, status)"""
    folder = tempfile.mkdtemp(prefix="spw-autograder-")
    try:
        command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "grade.py"), "--one", "--no-export",
                   "--submissions", options.submission, "--grades", folder, "--check", "" if options.timed == "1" else "1"]
        done = subprocess.run(command + more, stdout=sys.stderr, stderr=subprocess.PIPE)
        said = done.stderr.decode("utf-8", "replace")
        sys.stderr.write(said)
        if done.returncode == 2:
            return ours(options.format, "the autograder is not set up rightly. %s" % results.words(said, 1000)), 2
        try:
            room = results.Class(folder)
        except results.Damaged:
            return ours(options.format, "the judge did not start. %s" % results.words(said)), 5
        if not room.students or room.complaints:
            return ours(options.format, "; ".join(room.complaints) or "nobody was judged"), 5
        student = room.students[0]
        if not room.exercises:
            return nothing(options.format, room.notes[student]), 0
        make = platforms.prairielearn if options.format == "prairielearn" else platforms.gradescope
        unjudged = any(r["verdict"] == "fault" for r in room.of(student))
        return make(room, student), 5 if unjudged else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="make autograder", allow_abbrev=False)
    for name in ("submission", "results", "format", "timed"):
        parser.add_argument("--" + name, default="")
    options, more = parser.parse_known_args()
    for name in ("submission", "results", "format"):
        if not getattr(options, name):
            print("make autograder: %s= is missing: make autograder SUBMISSION=folder RESULTS=results.json FORMAT=gradescope" % name.upper(), file=sys.stderr)
            return 2
    if options.format not in ("gradescope", "prairielearn"):
        print("make autograder: FORMAT is %s, must be gradescope or prairielearn" % ascii(options.format), file=sys.stderr)
        return 2
    if not os.path.exists(options.submission):
        print("make autograder: SUBMISSION=%s is not there" % options.submission, file=sys.stderr)
        return 2
    try:
        result, status = judged(options, more)
        results.write(os.path.abspath(options.results), export.as_json(result))
        return status
    except OSError as error:
        print("make autograder: %s: %s" % (error.filename, error.strerror), file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main())
