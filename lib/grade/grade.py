#!/usr/bin/env python3
"""Judges a class: README.md beside this file says what it takes and what it leaves. `make grade` calls it."""
import argparse
import base64
import concurrent.futures
import csv
import errno
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cell  # noqa: E402
from clean import count  # noqa: E402
import points  # noqa: E402
import records  # noqa: E402
import submissions  # noqa: E402
from judging import Judge, Task  # noqa: E402

TRIES, SECONDS_TO_TIME = 3, 20
MOST_OF_A_JUDGEMENT = 80 << 20  # bytes in files: one of 64 MiB, and small ones
ALL_JUDGED, BAD_OPTIONS, NOT_ALL = 0, 2, 5


class Bad(Exception):
    """An option that cannot be; it says why."""


def parse(words):
    p = argparse.ArgumentParser(prog='make grade', description='Judges a class.')
    p.add_argument('--submissions', default='')
    p.add_argument('--grades', default='grades', help='folder for what comes of it')
    p.add_argument('--only', default='', help='numbers of exercises; else those of which anybody has a file')
    p.add_argument('--points', default='', help='a table of points')
    p.add_argument('--students', default='', help='CSV with columns entry,student: names, and who has to be there')
    p.add_argument('--jobs', default='', help='judgements side by side; else as many as cores')
    p.add_argument('--check', default='', help='1: no clock')
    p.add_argument('--seed', default='')
    p.add_argument('--limit', default='10', help='seconds that a call may take')
    p.add_argument('--again', default='', help='"ana ben/6 all": judge these again')
    p.add_argument('--isolation', default='', choices=['', 'bwrap', 'landlock', 'seccomp'])
    p.add_argument('--one', action='store_true', help='SUBMISSIONS is the work of one student')
    p.add_argument('--no-export', action='store_true')
    p.add_argument('--make', default='make')
    p.add_argument('--cc', default='gcc')
    p.add_argument('--code', default='')
    p.add_argument('--build', default='build')
    p.add_argument('--built', default='build/gcc')
    p.add_argument('--compiler', default='')
    p.add_argument('--cuda-compiler', default='')
    p.add_argument('--workbook', default='')
    return p.parse_args(words)


def positive(name, text, most, kind=int):
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value <= most:
        raise Bad('%s=%s: give a number from 1 to %d' % (name, text, most))
    return value


class Settings:
    """The options, looked at."""

    def __init__(self, o):
        self.root = os.getcwd()
        self.built = os.path.realpath(o.built)
        self.grades = os.path.realpath(o.grades)
        self.submissions = os.path.realpath(o.submissions) if o.submissions else ''
        self.cc, self.code, self.make, self.build = o.cc, o.code, o.make, o.build
        self.rewrite = os.path.join(self.built, 'bin', 'simt-rewrite')
        self.compiler, self.cuda_compiler, self.workbook = o.compiler, o.cuda_compiler, o.workbook
        self.limit = positive('LIMIT', o.limit, 3600, float)
        self.jobs = positive('JOBS', o.jobs or str(os.cpu_count() or 1), 1024)
        self.check_only, self.one, self.isolation = o.check not in ('', '0'), o.one, o.isolation
        self.seed = positive('SEED', o.seed, 10 ** 15) if o.seed else 0
        self.again = o.again.split()
        self.look_at_folders(o)
        self.exercises = table_of_exercises()
        self.only = o.only.split()
        for number in self.only:
            if number not in self.exercises:
                raise Bad('ONLY: there is no exercise %s. There are: %s' % (number, ' '.join(self.exercises)))
        self.names = read_names(o.students) if o.students else {}

    def look_at_folders(self, o):
        s, g = self.submissions, self.grades
        if not o.submissions:
            raise Bad('SUBMISSIONS= is missing: the folder of what the class has handed in')
        if not os.path.isdir(s) and not (self.one and os.path.exists(s)):
            raise Bad('SUBMISSIONS=%s is no folder' % o.submissions)
        if g == s or g.startswith(s + os.sep) or s.startswith(g + os.sep):
            raise Bad('SUBMISSIONS and GRADES may not lie in each other')
        for name in ('lib', 'exercises', 'solutions', 'tests'):
            if (g + os.sep).startswith(os.path.join(self.root, name) + os.sep):
                raise Bad('GRADES may not lie in %s/ of the workbook' % name)


def table_of_exercises():
    """number: {name, number, folder, file, title}, in order."""
    said = subprocess.run(['sh', 'lib/commands/exercises.sh'], stdout=subprocess.PIPE, check=True).stdout
    table = {}
    for line in said.decode('utf-8').splitlines():
        f = line.split('\t')
        title = table[f[1].partition('-')[0]]['title'] + ' · GPU part' if '-' in f[1] else 'Exercise %s · %s' % (f[1], f[7])
        table[f[1]] = {'name': f[0], 'number': f[1], 'folder': f[2], 'file': f[3], 'title': title}
    files = [e['file'] for e in table.values()]
    if len(set(files)) != len(files):
        raise Bad('two exercises have files of one name: nobody could tell what was handed in')
    return table


def read_names(path):
    try:
        with open(path, newline='', encoding='utf-8-sig') as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Bad('STUDENTS=%s: %s' % (path, getattr(error, 'strerror', None) or error))
    names = {}
    for k, row in enumerate(rows, 1):
        if not row or row == ['entry', 'student']:
            continue
        if len(row) != 2 or submissions.name_of(row[1] + '.zip', ()) != row[1]:
            raise Bad('%s:%d: a line is entry,student, and student has letters, digits and . _ - alone' % (path, k))
        if row[0] in names or row[1] in names.values():
            raise Bad('%s:%d: it is named a second time' % (path, k))
        names[row[0]] = row[1]
    return names


# --- the class ---------------------------------------------------------------------------------------

def read_class(s):
    """[(student, entry, what was read)]"""
    known = [e['file'] for e in s.exercises.values()]
    if s.one:
        base = os.path.basename(s.submissions)
        entries = [(submissions.name_of(base, known), s.submissions)]
    else:
        entries = [(name, os.path.join(s.submissions, base))
                   for name, base in submissions.students_of(s.submissions, known, s.names)]
    found = [(name, os.path.basename(path), submissions.read(path, known)) for name, path in entries]
    there = {name for name, _, _ in found}
    for name in s.names.values():
        if name not in there:
            found.append((name, '', {'files': {}, 'faults': {}, 'notes': ['nothing was handed in']}))
    if not found:
        raise Bad('SUBMISSIONS=%s is empty' % s.submissions)
    return found


def chosen(s, found):
    if s.only:
        return [n for n in s.exercises if n in s.only]
    names = {name for _, _, what in found for name in list(what['files']) + list(what['faults'])}
    return [n for n, e in s.exercises.items() if e['file'] in names]


def tasks_of(s, found, numbers):
    tasks = []
    for student, _, what in found:
        for number in numbers:
            e = s.exercises[number]
            if e['file'] in what['faults']:
                tasks.append(Task(student, e, missing='%s cannot be taken: %s' % (e['file'], what['faults'][e['file']]),
                                  broken=True))
            elif e['file'] in what['files']:
                tasks.append(Task(student, e, source=base64.b64decode(what['files'][e['file']][1])))
            else:
                tasks.append(Task(student, e, missing='there is no file %s' % e['file']))
    return tasks


def prepare(s, numbers):
    """Judges, solutions and the program that makes cells; then the mistakes that judges know, which a cell cannot build."""
    names = [s.exercises[n]['name'] for n in numbers]
    goals = [os.path.join(s.built_here, 'bin', 'cell')]
    goals += [os.path.join(s.built_here, 'judge', n) for n in names]
    goals += [os.path.join(s.built_here, 'solutions', n, 'answer.so') for n in names]
    done = subprocess.run([s.make, '-s', '-j%d' % s.jobs, 'BUILD=' + s.build] + goals)
    if done.returncode:
        raise Bad('what judges could not be built')
    for n in numbers:
        e = s.exercises[n]
        ending = e['file'].rpartition('.')[2]
        into, wrong = '%s/mutants/%s.%s' % (s.built, e['folder'], ending), 'tests/wrong/' + e['folder']
        listed = subprocess.run(['sh', 'lib/judge/mutants.sh', 'list', into, wrong, ending], stdout=subprocess.PIPE)
        mistakes = [line.split('\t')[0] for line in listed.stdout.decode('utf-8', 'replace').splitlines()]
        for k in range(0, len(mistakes), 2 * s.jobs):
            subprocess.run(['sh', 'lib/judge/mutants.sh', 'more', into, wrong, ending] + mistakes[k:k + 2 * s.jobs])


# --- judging all -------------------------------------------------------------------------------------

class Bar:
    """How far it is: a bar in a terminal, else a line for each tenth."""

    def __init__(self, what, total):
        self.what, self.total, self.done, self.begin = what, total, 0, time.monotonic()
        self.live, self.lock, self.told = sys.stderr.isatty(), threading.Lock(), 0

    def step(self, text):
        with self.lock:
            self.done += 1
            share = self.done / self.total
            left = (time.monotonic() - self.begin) * (1 / share - 1)
            head = '%s %d of %d' % (self.what, self.done, self.total)
            if self.live:
                bar = '#' * int(30 * share)
                sys.stderr.write('\r\033[K %s [%-30s] %s left  %s' % (head, bar, minutes(left), text[:40]))
                if self.done == self.total:
                    sys.stderr.write('\r\033[K')
                sys.stderr.flush()
            elif int(10 * share) > self.told:
                self.told = int(10 * share)
                print(' %s, %s left' % (head, minutes(left)), flush=True)


def minutes(seconds):
    return '%d s' % seconds if seconds < 90 else '%d min' % round(seconds / 60)


class Stopped(Exception):
    """Nothing can go on; it says why."""


class Class:
    def __init__(self, s, judge, tasks):
        self.s, self.judge, self.tasks = s, judge, tasks

    def path(self, task):
        return os.path.join(self.s.grades, 'records', task.student, task.exercise['number'] + '.json')

    def award(self, record):
        return points.award(record, self.s.points[record['exercise']])

    def save(self, task, record):
        record['points'] = self.award(record)
        try:
            os.makedirs(os.path.dirname(self.path(task)), exist_ok=True)
            records.write_json(self.path(task), record)
        except OSError as error:
            self.stop(error)
        task.record = record

    def stop(self, error):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise Stopped('%s: %s\nWhat was judged is kept; the same line goes on%s.' % (
            self.s.grades, 'the disk is full' if full else error.strerror, ' when there is room' if full else ''))

    @staticmethod
    def names(task):
        return 'all', task.student, '%s/%s' % (task.student, task.exercise['number'])

    def is_asked_again(self, task):
        return any(a in self.names(task) for a in self.s.again)

    def find_kept(self):
        """Records that are of the same answer, judged by the same judge, stay."""
        known = {name for task in self.tasks for name in self.names(task)}
        for name in self.s.again:
            if name not in known:
                raise Bad('AGAIN: there is no %s. Give names of folders in %s, as ana, or ana/6' % (
                    name, os.path.join(self.s.grades, 'records')))
        for task in self.tasks:
            task.key = self.judge.key(task)
            old = records.read_record(self.path(task))
            if old and old.get('key') == task.key and old['verdict'] != 'fault' and not self.is_asked_again(task):
                try:
                    worth = self.award(old)
                except (KeyError, TypeError, ValueError):
                    continue  # damaged
                task.record = old
                if worth != old.get('points'):
                    self.save(task, old)

    def one_check(self, slots, task, bar):
        slot = slots.pop()
        try:
            self.watch_disk()
            record = self.judge.check(slot, task) if task.source is not None else self.judge.missing(task)
            self.watch_disk()
            self.save(task, record)
        except OSError as error:
            self.stop(error)
        finally:
            self.judge.clear(slot)
            slots.append(slot)
        bar.step('%s %s: %s' % (task.student, task.exercise['number'], record['verdict']))

    def watch_disk(self):
        """Before and after: what a full disk makes of an answer is no verdict."""
        for folder in {self.s.grades, os.path.dirname(self.s.work)}:
            if shutil.disk_usage(folder).free < MOST_OF_A_JUDGEMENT:
                raise OSError(errno.ENOSPC, 'no space left')

    def check_all(self):
        todo = [t for t in self.tasks if t.record is None]
        kept, answers = len(self.tasks) - len(todo), sum(t.source is not None for t in todo)
        absent = ', %d not handed in' % (len(todo) - answers) if answers < len(todo) else ''
        print('%s to check%s, %d are judged already.' % (count(answers, 'answer'), absent, kept), flush=True)
        bar, slots = Bar('checked', len(todo)), list(range(1, self.s.jobs + 1))
        with concurrent.futures.ThreadPoolExecutor(self.s.jobs) as pool:
            futures = [pool.submit(self.one_check, slots, t, bar) for t in todo]
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                cell.end_all()
                raise

    def clock_all(self):
        for attempt in range(1, TRIES + 1):
            todo = [t for t in self.tasks if t.record['timing'] == 'pending' or
                    (t.record['timing'] == 'done' and t.record['verdict'] == 'no-verdict' and t.record['tries'] < TRIES)]
            if not todo:
                return
            print('%s to time%s, one after the other, nothing else beside them: some %s. Leave the machine alone.' % (
                count(len(todo), 'answer'), ' again' if attempt > 1 else '', minutes(SECONDS_TO_TIME * len(todo))), flush=True)
            bar = Bar('timed', len(todo))
            for task in todo:
                self.one_clock(task)
                bar.step('%s %s: %s' % (task.student, task.exercise['number'], task.record['verdict']))

    def one_clock(self, task):
        try:
            self.watch_disk()
            record = self.judge.clock(1, task, task.record)
            self.watch_disk()
        except OSError as error:
            self.stop(error)
        finally:
            self.judge.clear(1)
        if record['verdict'] == 'no-verdict' and record['tries'] >= TRIES:
            record['flags'] = sorted(set(record['flags']) | {'again'})
        if record['verdict'] == 'fault' and record['tries'] < TRIES:
            task.record['tries'] = record['tries']
            self.save(task, dict(task.record))
        else:
            self.save(task, record)

    def summary(self):
        counts = {}
        for t in self.tasks:
            became = 'right, not timed' if t.record['timing'] == 'pending' else t.record['verdict']
            counts[became] = counts.get(became, 0) + 1
        print('%s: %s.' % (count(len(self.tasks), 'record'), '; '.join('%d %s' % (n, v) for v, n in sorted(counts.items()))))
        left = [t for t in self.tasks if t.record['verdict'] == 'fault' or
                (t.record['timing'] == 'pending' and not self.s.check_only)]
        for t in left:
            print('  not judged: %s %s: %s' % (t.student, t.exercise['number'], t.record['message'].split('\n')[0]))
        for t in self.tasks:
            if t.record['flags']:
                print('  have a look: %s %s: %s' % (t.student, t.exercise['number'], ', '.join(t.record['flags'])))
        return NOT_ALL if left else ALL_JUDGED


def write_class(s, cells, found, numbers):
    students = [{'student': name, 'entry': records.clean(entry, 200), 'notes': what['notes']} for name, entry, what in found]
    records.write_json(os.path.join(s.grades, 'class.json'), {
        'spw_class': 1, 'seed': s.seed, 'isolation': cells.name, 'workbook': s.workbook, 'exercises': numbers,
        'students': students})
    for student in students:
        for note in student['notes']:
            print('  %s: %s' % (student['student'], note))


def take_folder(s):
    """The folder is ours alone until we end; the seed is that of the first time."""
    os.makedirs(os.path.join(s.grades, 'records'), exist_ok=True)
    s.lock = open(os.path.join(s.grades, '.lock'), 'w')
    try:
        fcntl.flock(s.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Bad('GRADES=%s: another make grade is at work there' % s.grades)
    s.work = os.path.join(s.grades, 'work')
    shutil.rmtree(s.work, ignore_errors=True)
    old = records.read_json(os.path.join(s.grades, 'class.json')) or {}
    s.seed = s.seed or int(records.number(old.get('seed'))) or random.randrange(1, 100000)


def run(o):
    s = Settings(o)
    s.built_here = o.built
    take_folder(s)
    found = read_class(s)
    numbers = chosen(s, found)
    s.points = points.read(o.points, numbers, s.exercises)
    prepare(s, numbers)
    cell.adopt_orphans()
    cells = cell.Cells(s.root, os.path.join(s.built, 'bin', 'cell'), s.isolation)
    cells.look_at(s.built, os.path.join(s.root, 'lib'), os.path.join(s.root, 'exercises'))
    if cells.as_root and not cells.bwrap:  # GRADES may be in a folder that only root enters
        s.work = tempfile.mkdtemp(prefix='spw-grade-')
        os.chmod(s.work, 0o755)
    print('%s, exercises %s. Cells by %s.' % (count(len(found), 'student'), ' '.join(numbers) or 'none', cells.name), flush=True)
    write_class(s, cells, found, numbers)
    class_ = Class(s, Judge(s, cells), tasks_of(s, found, numbers))
    class_.find_kept()
    try:
        class_.check_all()
        if not s.check_only:
            class_.clock_all()
    finally:
        cell.end_all()
        shutil.rmtree(s.work, ignore_errors=True)
    status = class_.summary()
    export = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'export.py')
    if os.path.exists(export) and not o.no_export:
        if subprocess.run([sys.executable, export, s.grades]).returncode:
            status = NOT_ALL
    return status


def main():
    o = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(o)
    except (Bad, points.PointsError) as error:
        print(error, file=sys.stderr)
        return BAD_OPTIONS
    except (cell.NoIsolation, Stopped) as error:
        print(error, file=sys.stderr)
        return NOT_ALL
    except OSError as error:
        print('%s: %s' % (error.filename or 'make grade', error.strerror), file=sys.stderr)
        return NOT_ALL
    except KeyboardInterrupt:
        print('\nStopped. What was judged is kept; the same line goes on.', file=sys.stderr)
        return 130
    finally:
        cell.end_all()


if __name__ == '__main__':
    status = main()
    sys.stdout.flush()
    sys.exit(status)
