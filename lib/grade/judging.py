"""One answer: compiled in a cell, judged in another, and what became of it as a record."""
import hashlib
import os
import re
import shutil
import time

import records
from records import clean

COMPILE_SECONDS, CHECK_SECONDS, CLOCK_SECONDS = 120, 600, 900
COMPILE_MEMORY = 4 << 30
MOST_REPORT, MOST_READ = 16 << 10, 256 << 10


class Task:
    """An answer that was handed in, or why there is none."""

    def __init__(self, student, exercise, source=None, missing='', broken=False):
        self.student, self.exercise = student, exercise  # exercise: a row of the table of exercises
        self.source, self.missing, self.broken = source, missing, broken
        self.key, self.record = '', None

    @property
    def sha256(self):
        return hashlib.sha256(self.source).hexdigest() if self.source is not None else ''


class Judge:
    """settings: of grade.py, see there."""

    def __init__(self, settings, cells):
        self.settings, self.cells = settings, cells
        self.sums = {}

    # --- what is judged, and with what -----------------------------------------------------------------

    def program(self, exercise):
        return os.path.join(self.settings.built, 'judge', exercise['name'])

    def reference(self, exercise):
        return os.path.join(self.settings.built, 'solutions', exercise['name'], 'answer.so')

    def sum_of(self, path):
        if path not in self.sums:
            with open(path, 'rb') as file:
                self.sums[path] = hashlib.sha256(file.read()).hexdigest()
        return self.sums[path]

    def key(self, task):
        s = self.settings
        parts = [str(records.VERSION), task.sha256, task.missing, s.code, str(s.seed), str(s.limit)]
        if task.source is not None:
            parts += [self.sum_of(self.program(task.exercise)), self.sum_of(self.reference(task.exercise))]
        return hashlib.sha256('\n'.join(parts).encode('utf-8', 'replace')).hexdigest()

    def empty(self, task):
        s = self.settings
        return {'spw_grade': records.VERSION, 'key': task.key, 'student': task.student,
                'exercise': task.exercise['number'], 'title': task.exercise['title'], 'file': task.exercise['file'],
                'sha256': task.sha256, 'workbook': s.workbook, 'seed': s.seed,
                'started': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()), 'seconds': 0.0, 'tries': 0,
                'isolation': self.cells.name, 'machine': {'cpu': '', 'cores': 0, 'threads': 0, 'compiler': ''},
                'verdict': 'fault', 'message': '', 'timing': 'none', 'checks': [], 'functions': [], 'fast': [],
                'flags': [], 'points': {}, 'feedback': ''}

    def missing(self, task):
        record = self.empty(task)
        record.update(verdict='missing', message=task.missing, feedback=task.missing)
        if task.broken:
            record['checks'] = [{'name': 'BUILD', 'status': 'error', 'code': 'unreadable', 'function': '', 'case': '',
                                 'threads': 0, 'why': task.missing, 'testimony': False}]
        return record

    # --- in cells ----------------------------------------------------------------------------------------

    def work(self, slot):
        return os.path.join(self.settings.work, str(slot))

    def clear(self, slot):
        shutil.rmtree(self.work(slot), ignore_errors=True)

    def build(self, slot, task):
        """The answer.so in the work folder, and the compiler's words; or None, and why it is not the student's fault."""
        s, folder, work = self.settings, task.exercise['folder'], self.work(slot)
        self.clear(slot)
        os.makedirs(work, mode=0o755)
        source, answer = os.path.join(work, task.exercise['file']), os.path.join(work, 'answer.so')
        with open(source, 'wb') as file:
            file.write(task.source)
        user = self.cells.user(slot)
        if user is not None:
            os.chown(work, user, user)
        is_cuda = source.endswith('.cu')
        script = 'lib/simt/compile.sh' if is_cuda else 'lib/judge/compile.sh'
        read = [os.path.join(s.root, p) for p in ('lib', 'exercises/' + folder)]
        environment = {'CC': s.cc, 'CODE': s.code}
        if is_cuda:
            read.append(s.rewrite)
            environment = {'REWRITE': s.rewrite}
        command = ['sh', script, folder, os.path.relpath(source, s.root), os.path.relpath(answer, s.root)]
        status, words = self.cells.run(slot, command + (['--check'] if is_cuda else []), read, work, COMPILE_SECONDS,
                                       environment, memory=COMPILE_MEMORY)
        if status is None:
            words = 'the compiler was stopped after %d s\n' % COMPILE_SECONDS
            for path, text in ((answer, '1\n'), (answer[:-3] + '.compiler', words)):
                with open(path, 'w') as file:
                    file.write(text)
        elif status not in (0, 1) or not os.path.exists(answer):
            return None, 'the compiler could not be started in its cell (status %s): %s' % (status, clean(words, 500))
        return answer, self.without_paths(slot, words)

    def run(self, slot, task, answer, seconds, options):
        """The judge's record, or None, its status and its report."""
        s, e, work = self.settings, task.exercise, self.work(slot)
        told = os.path.join(work, 'record.json')
        if os.path.exists(told):
            os.unlink(told)
        names = ('lib', 'exercises/' + e['folder'], 'solutions/' + e['folder'], 'tests/wrong', 'tests/apply_patch.awk',
                 'matrices', 'plots/recorded')
        read = [p for p in (os.path.join(s.root, n) for n in names) if os.path.exists(p)] + [s.built]
        is_cuda = e['file'].endswith('.cu')
        command = [self.program(e), '--folder', 'exercises/' + e['folder'],
                   '--answer', os.path.relpath(answer, s.root), '--reference', self.reference(e),
                   '--source', os.path.relpath(os.path.join(work, e['file']), s.root),
                   '--build', s.cuda_compiler if is_cuda else s.compiler, '--workbook', s.workbook, '--record', told,
                   '--seed', str(s.seed), '--limit', '%g' % s.limit, '--graded'] + options
        if is_cuda:
            command += ['--no-gpu', 'a class is judged by the checker']
        status, words = self.cells.run(slot, command, read, work, seconds, {'CXX': 'g++', 'REWRITE': s.rewrite})
        return records.read_json(told), status, self.without_paths(slot, words)

    def without_paths(self, slot, text):
        work = self.work(slot)
        for path in (os.path.relpath(work, self.settings.root), work):
            text = text.replace(path + '/', '')
        return clean(text, MOST_READ)

    # --- the two judgements -----------------------------------------------------------------------------

    def check(self, slot, task):
        """All that needs no clock."""
        begin = time.monotonic()
        record = self.empty(task)
        answer, why = self.build(slot, task)
        if answer is None:
            record.update(message=why, feedback='NOT YOUR FAULT: ' + why)
            return record
        judged, status, words = self.run(slot, task, answer, CHECK_SECONDS, ['--check', '1'])
        self.fill(record, slot, task, judged, status, why + words)
        if record['verdict'] in ('wrong', 'not-written', 'pass'):
            record['functions'] = self.functions(slot, task, answer, judged)
        if record['verdict'] == 'pass' and not task.exercise['file'].endswith('.cu'):
            record['timing'] = 'pending'
            record['verdict'] = 'no-verdict'
        record['seconds'] = round(time.monotonic() - begin, 1)
        return record

    def functions(self, slot, task, answer, judged):
        """What became of each: the judge stops at the first that is wrong, so it is asked again without that one."""
        found, listed = {}, records.list_of(judged, 'functions')
        for f in listed:
            found[clean(f.get('function', ''), 128)] = 'right' if f.get('written') is True else 'not-written'
        builds = any(c.get('name') == 'BUILD' and c.get('status') == 'ok' for c in records.list_of(judged, 'checks'))
        wrong = []
        while builds and judged and judged.get('verdict') == 'wrong':
            name = records.failed_function(judged)
            if found.get(name) != 'right':
                break
            found[name] = 'wrong'
            wrong.append(name)
            if 'right' not in found.values():
                break
            judged, _, _ = self.run(slot, task, answer, CHECK_SECONDS,
                                    ['--check', '1', '--without', ','.join(wrong), '--wrong', ''])
        if not builds:
            found = {name: 'not-written' if state == 'not-written' else 'wrong' for name, state in found.items()}
        return [{'function': name, 'status': state} for name, state in found.items()]

    def clock(self, slot, task, record):
        """The timed parts of one that has passed its checks. Returns a new record."""
        begin = time.monotonic()
        timed = dict(record, tries=record['tries'] + 1)
        answer, why = self.build(slot, task)
        if answer is None:
            timed.update(verdict='fault', message=why)
            return timed
        judged, status, words = self.run(slot, task, answer, CLOCK_SECONDS, ['--checked'])
        self.fill(timed, slot, task, judged, status, words)
        failed = records.failed_function(judged)
        timed['functions'] = [dict(f, status='wrong') if f['function'] == failed else f for f in record['functions']]
        if timed['verdict'] != 'fault':
            timed['timing'] = 'done'
        timed['seconds'] = round(record['seconds'] + time.monotonic() - begin, 1)
        return timed

    def fill(self, record, slot, task, said, status, words):
        """What the judge said, or that it said nothing."""
        verdict = (said or {}).get('verdict')
        if verdict not in records.VERDICTS or (verdict == 'fault' and said.get('message') == 'interrupted'):
            self.fill_broken(record, status, words)
            return
        record['verdict'] = verdict
        record['message'] = self.without_paths(slot, str(said.get('message', '')))
        machine = said.get('machine') if isinstance(said.get('machine'), dict) else {}
        record['machine'] = {'cpu': clean(machine.get('cpu', ''), 128), 'cores': records.number(machine.get('cores')),
                             'threads': records.number(machine.get('threads')),
                             'compiler': clean(said.get('compiler', ''), 256)}
        on_checker = task.exercise['file'].endswith('.cu')
        record['checks'] = records.checks_of(record['checks'], said, on_checker)
        for check in record['checks']:
            check['why'] = self.without_paths(slot, check['why'])
        if verdict == 'fault':
            record['checks'].append({'name': 'JUDGE', 'status': 'error', 'code': 'machine', 'function': '', 'case': '',
                                     'threads': 0, 'why': record['message'], 'testimony': False})
        record['fast'] = records.fast_of(said)
        record['flags'] = [flag for flag, is_so in (
            ('above-roof', any(c['code'] == 'above-roof' for c in record['checks'])),
            ('races', any('\nRaces were not looked for' in c['why'] for c in record['checks']))) if is_so]
        report = ('NOT YOUR FAULT: %s\n' % record['message'] if verdict == 'fault' else '') + words
        record['feedback'] = cut(join_reports(record['feedback'], report))

    @staticmethod
    def fill_broken(record, status, words):
        """No record came: it took too long, or the judge was ended."""
        endless = status is None
        why = ('all cases together took more than %d s' % (CLOCK_SECONDS if record['tries'] else CHECK_SECONDS) if endless
               else 'the judge came to no end of its own (status %s): %s' % (status, clean(words[-500:], 500)))
        record.update(verdict='wrong' if endless else 'fault', message='' if endless else why,
                      feedback=cut(words + '\n' + why))
        record['checks'] = [c for c in record['checks'] if c['status'] == 'ok'] + [
            {'name': 'SAFE' if endless else 'JUDGE', 'status': 'fail' if endless else 'error',
             'code': 'endless' if endless else 'machine', 'function': '', 'case': '', 'threads': 0, 'why': why,
             'testimony': False}]


def cut(text):
    """In the middle: what matters stands at the end, behind what an answer has printed."""
    gap = '\n(cut here)\n'
    half = (MOST_REPORT - len(gap)) // 2
    return text if len(text) <= MOST_REPORT else text[:half] + gap + text[-half:]


def join_reports(first, second):
    """The clock's report has no checks but BUILD: it follows the first one, which ends before NEXT, or an earlier clock's."""
    if not first:
        return second
    lines = second.splitlines()
    after = [k for k, line in enumerate(lines) if re.match(r' BUILD +ok', line)]
    first = re.split(r'(?m)^ (?:NEXT|FAST|PREDICT|EVIDENCE|TOGETHER) ', first)[0].rstrip()
    return first + '\n' + '\n'.join(lines[after[0] + 1:] if after else lines) + '\n'
