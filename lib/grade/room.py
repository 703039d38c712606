"""room.py [--every S] [--once] [--names] [--html FILE] FOLDER...: how far a room is, from what each one's own judge wrote
in the folder: progress.tsv, progress.tsv.history, and, for the case, the record build/records/N.json.

FOLDER may have * and ?. Only regular files are read, no links, 64 KiB of each (of the history the last, of a record 256):
who writes there may write anything. Names of folders are told with --names alone. Status 0; 2: bad options."""
import argparse
import datetime
import glob
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import time
from collections import Counter

import clean
import page
import results
from page import esc

HISTORY = ("started", "exercise", "verdict", "whole", "percent", "stretch", "seconds", "check", "matrix", "case", "name", "code", "function")
FORMS = {"exercise": r"[1-9][0-9]{0,3}(-gpu)?", "verdict": "pass|slow|no-verdict|wrong|not-written", "name": r"[A-Z]{0,16}", "code": r"[a-z-]{0,24}",
         "function": r"[A-Za-z0-9_]{0,64}"}
RANK = ["not-written", "wrong", "no-verdict", "slow", "pass"]
BEST = {"pass": "pass", "slow": "slow", "correct": "no-verdict", "wrong": "wrong", "unwritten": "not-written"}
WORDS = {v: results.VERDICTS[v] for v in RANK}


class Unreadable(Exception):
    """There is something, but it may not be read, or is no file."""


def read(folder, path, most=65536, tail=False):
    """Text of a regular file, "" if there is none. folder: a descriptor. With tail the first line, and the last lines."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    parts, opened = path.split("/"), []
    try:
        for name in parts[:-1]:
            folder = os.open(name, flags | os.O_DIRECTORY, dir_fd=folder)
            opened.append(folder)
        file = os.open(parts[-1], flags, dir_fd=folder)
        opened.append(file)
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(path)
        data = os.pread(file, most, 0)
        if tail and found.st_size > most:
            data = data.split(b"\n")[0] + b"\n" + os.pread(file, most, found.st_size - most).split(b"\n", 1)[-1]
        return data.decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError:
        raise Unreadable(path)
    finally:
        for file in opened:
            os.close(file)


def seconds_of(started):
    return datetime.datetime.strptime(started, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()


def judgements(text):
    """Of a history, the lines that are whole."""
    lines, found = text.split("\n"), []
    if lines[0].rstrip("\r") != "# spw-history 1":
        return []
    for line in lines[1:-1]:  # what stands behind the last newline is being written
        fields = line.rstrip("\r").split("\t")
        if len(fields) < 13 or (len(fields) - 13) % 16:
            continue
        j = dict(zip(HISTORY, fields))
        try:
            j["at"] = seconds_of(j["started"])
        except ValueError:
            continue
        if all(re.fullmatch(form, j[name]) for name, form in FORMS.items()):
            found.append(j)
    return found


def case_of(folder, last):
    """The case at which the last judgement stopped: in its record, if that is still the same judgement."""
    try:
        record = json.loads(read(folder, "build/records/%s.json" % last["exercise"], 1 << 18))
        if record["started"] != last["started"]:
            return ""
        return next((clean.line(c["case"], 40) for c in record["checks"] if c["status"] in ("fail", "no-verdict")), "")
    except (Unreadable, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""


class Seat:
    """One folder. best[exercise]: verdict. last: the judgement that was made last, None if there is none; tries: how many
    in a row came to the same check of the same exercise, since: when the first of them was."""

    def __init__(self, path, known):
        self.path, self.best, self.last, self.tries, self.since, self.case, self.readable = path, {}, None, 0, 0, "", True
        try:
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            self.readable = False
            return
        try:
            self.take(folder, known)
        except Unreadable:
            self.readable = False
        finally:
            os.close(folder)

    def take(self, folder, known):
        for line in read(folder, "progress.tsv").split("\n"):
            fields = line.rstrip("\r").split("\t")
            if len(fields) == 6 and fields[0] in known and fields[1] in BEST:
                self.best[fields[0]] = BEST[fields[1]]
        told = [j for j in judgements(read(folder, "progress.tsv.history", tail=True)) if j["exercise"] in known]
        for j in told:
            if j["matrix"] + j["case"] == "":
                new = "no-verdict" if j["verdict"] == "pass" and j["whole"] != "true" else j["verdict"]  # not timed
                self.best[j["exercise"]] = max(self.best.get(j["exercise"], new), new, key=RANK.index)
        if not told:
            return
        self.last = told[-1]
        same = [(j["exercise"], j["verdict"] == "pass", j["name"]) == (self.last["exercise"], self.last["verdict"] == "pass", self.last["name"]) for j in told]
        while self.tries < len(told) and same[-1 - self.tries]:
            self.tries += 1
        self.since = told[-self.tries]["at"]
        if self.last["verdict"] in ("wrong", "slow"):
            self.case = case_of(folder, self.last)


def names_of(paths):
    """What differs in the paths."""
    split = [p.rstrip("/").split("/") for p in paths]
    if len(split) < 2:
        return {p: clean.line(p, 40) for p in paths}
    short = min(map(len, split))
    front = next((k for k in range(short) if len({s[k] for s in split}) > 1), short - 1)
    back = next((k for k in range(short - front) if len({s[-1 - k] for s in split}) > 1), 0)
    return {p: clean.line("/".join(s[front:len(s) - back]), 40) for p, s in zip(paths, split)}


def folders(patterns):
    """Those that the words name, in order, each once. A pattern that fits nothing is told as it is."""
    found = []
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)) or [pattern]:
            if path not in found and (os.path.isdir(path) or not os.path.exists(path)):
                found.append(path)
    return found


def minutes(seconds):
    m = max(0, int(seconds // 60))
    return "%d min" % m if m < 120 else "%d h" % (m // 60)


class Room:
    """All seats at one moment. told: a line each of what is not in the tables."""

    def __init__(self, paths, titles):
        self.titles, self.now, self.seats = titles, time.time(), [Seat(p, titles) for p in paths]
        self.names = names_of(paths)
        self.there = [s for s in self.seats if s.readable]
        self.told = []
        unread = len(self.seats) - len(self.there)
        if unread:
            self.told.append("%d of %d folders are not there or cannot be read" % (unread, len(self.seats)))
        fresh = sum(not s.best and not s.last for s in self.there)
        if fresh:
            self.told.append("%d have not begun" % fresh)
        late = sum(1 for s in self.there if s.last and self.now - s.last["at"] > 1800)
        if late:
            self.told.append("%d have not asked the judge for half an hour" % late)

    def exercises(self):
        """(exercise, Counter of best verdicts, how many are at it now), in order, of those that somebody has begun."""
        begun = sorted({e for s in self.there for e in s.best}, key=results.order)
        return [(e, Counter(s.best[e] for s in self.there if e in s.best), sum(bool(s.last) and s.last["exercise"] == e for s in self.there)) for e in begun]

    def stuck(self):
        """Where those are whose last judgement was wrong or slow: (exercise, check, code, function), the seats; first where
        most are."""
        at = {}
        for s in self.there:
            if s.last and s.last["verdict"] in ("wrong", "slow"):
                at.setdefault((s.last["exercise"], s.last["name"], s.last["code"], s.last["function"]), []).append(s)
        return sorted(at.items(), key=lambda item: (-len(item[1]), min(s.since for s in item[1])))

    def how_long(self, seats):
        longest, shortest = (f(self.now - s.since for s in seats) for f in (max, min))
        tries, cases = sum(s.tries for s in seats), Counter(s.case for s in seats if s.case)
        span = minutes(longest) if minutes(longest) == minutes(shortest) else "%s to %s" % (minutes(shortest).replace(" min", "") if "min" in minutes(longest) else minutes(shortest), minutes(longest))
        case = ", mostly case %s" % cases.most_common(1)[0][0] if cases else ""
        return "for %s, %s%s" % (span, clean.count(tries, "try", "tries"), case)


def title_of(room, exercise):
    return "%s %s" % (exercise, room.titles[exercise])


def as_text(room, names):
    out = ["Room, %s, %s" % (clean.count(len(room.seats), "folder"), time.strftime("%H:%M:%S", time.localtime(room.now)))]
    out += [" %s" % line for line in room.told] + ["", " %-34s %6s %6s %6s %6s %6s %6s" % ("exercise", "pass", "slow", "?", "wrong", "begun", "now")]
    for exercise, best, now in room.exercises():
        out.append(" %-34.34s %6s %6s %6s %6s %6s %6s" % (title_of(room, exercise), *(best[v] or "" for v in reversed(RANK)), now or ""))
    stuck = room.stuck()
    out += ["", " Where they are stuck" if stuck else " Nobody's last judgement was wrong or slow."]
    for (exercise, check, code, function), seats in stuck:
        out.append(" %4d x  exercise %s, %s%s%s" % (len(seats), exercise, check, code and ", " + code, function and ", " + function))
        out.append("         %s" % room.how_long(seats))
    if names:
        out += ["", " %-20s %-8s %-12s %-24s %6s %9s %9s" % ("who", "exercise", "verdict", "check", "tries", "for", "last")]
        for s in room.seats:
            name, last = room.names[s.path], s.last
            if last:
                check = " ".join(filter(None, (last["name"], last["code"])))
                out.append(" %-20.20s %-8s %-12s %-24.24s %6d %9s %9s" % (name, last["exercise"], WORDS[last["verdict"]][1], check, s.tries,
                           minutes(room.now - s.since), minutes(room.now - last["at"])))
            else:
                out.append(" %-20.20s %s" % (name, "cannot be read" if not s.readable else "has not begun" if not s.best else "no history"))
    return out


def as_html(room, names, every):
    body = ['<p class="date">%s</p>' % esc(time.strftime("%H:%M", time.localtime(room.now))), "<h1>How far we are</h1>",
            '<div class="wide"><table class="room"><thead><tr><th>exercise</th><th></th><th></th><th class="r">at it now</th></tr></thead><tbody>']
    for exercise, best, now in room.exercises():
        bars = "".join('<div class="%s" style="width:%.1f%%"></div>' % (v, 100 * best[v] / len(room.there)) for v in reversed(RANK) if best[v])
        counts = " \u00b7 ".join("%d %s" % (best[v], page.mark(v, *WORDS[v])) for v in reversed(RANK) if best[v])
        body.append('<tr><td>%s</td><td><div class="bar split">%s</div></td><td>%s</td><td class="r">%s</td></tr>' % (esc(title_of(room, exercise)), bars, counts, now or ""))
    body.append("</tbody></table></div>")
    stuck = room.stuck()
    if stuck:
        body += ["<h2>Where we are stuck</h2>", '<div class="wide"><table class="room stuck"><tbody>']
        for (exercise, check, code, function), seats in stuck[:12]:
            body.append('<tr><td class="r">%d \u00d7</td><td>exercise %s</td><td><b>%s</b> %s</td><td>%s</td><td class="date">%s</td></tr>'
                        % (len(seats), esc(exercise), esc(check), esc(code), esc(function), esc(room.how_long(seats))))
        body.append("</tbody></table></div>")
    if names:
        body += ["<h2>Who</h2>", '<div class="wide"><table class="room"><tbody>']
        for s in room.seats:
            at = "%s, exercise %s, %s" % (page.mark(s.last["verdict"], *WORDS[s.last["verdict"]]), esc(s.last["exercise"]), minutes(room.now - s.since)) if s.last else ""
            body.append("<tr><td>%s</td><td>%s</td></tr>" % (esc(room.names[s.path]), at))
        body.append("</tbody></table></div>")
    return page.page("The room", body + ['<p class="legend">%s</p>' % esc(line) for line in room.told], refresh=every, kind="beamer")


def show(lines, live):
    if live:
        width, height = shutil.get_terminal_size()
        if len(lines) >= height:
            lines = lines[:height - 2] + [" ... %d lines more: make room ONCE=1" % (len(lines) - height + 2)]
        print("\x1b[H\x1b[2J" + "\n".join(line[:width - 1] for line in lines), flush=True)
    else:
        print("\n".join(lines), flush=True)


def exercises():
    table = subprocess.run(["sh", "lib/commands/exercises.sh"], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")
    titles = {}
    for f in (line.split("\t") for line in table.splitlines()):
        if len(f) >= 8:
            titles[f[1]] = titles[f[1].partition("-")[0]] + ", GPU part" if "-" in f[1] else f[7]
    return titles


def main():
    parser = argparse.ArgumentParser(prog="make room", description="How far a room is.")
    parser.add_argument("--every", default="5", metavar="SECONDS")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--html", metavar="FILE")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    try:
        patterns = [w for text in options.folders for w in shlex.split(text)]
    except ValueError as error:
        print("make room: FOLDERS: %s" % error, file=sys.stderr)
        return 2
    if not patterns:
        print('make room: FOLDERS= is missing: make room FOLDERS="/home/*/workbook"', file=sys.stderr)
        return 2
    if not re.fullmatch(r"[0-9]{1,4}", options.every) or not 1 <= int(options.every) <= 3600:
        print("make room: EVERY is %s, must be 1 to 3600 seconds" % ascii(options.every), file=sys.stderr)
        return 2
    every, titles, once = int(options.every), exercises(), options.once or not sys.stdout.isatty() and not options.html
    try:
        while True:
            room = Room(folders(patterns), titles)
            if options.html:
                results.write(options.html, as_html(room, options.names, 0 if once else every))
            show(as_text(room, options.names) + ([" For the projector: " + options.html] if options.html else []), sys.stdout.isatty() and not once)
            if once:
                return 0
            time.sleep(every)
    except KeyboardInterrupt:
        print("\nNo longer watching.")
        return 0
    except BrokenPipeError:
        return 0
    except OSError as error:
        print("make room: cannot write %s: %s" % (error.filename, error.strerror), file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main())
