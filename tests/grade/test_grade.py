"""What make grade must hold, as TAP for tests/suites/class.sh: test_grade.py [PART...]. The environment gives MAKE and
BUILD. Parts: reading, walls, class, attacks; with LONG=1 long, a class of 30, and twins, which are timed."""
import ctypes
import io
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = os.getcwd()
sys.path.insert(0, os.path.join(ROOT, 'lib', 'grade'))
import records  # noqa: E402
import results  # noqa: E402
import submissions  # noqa: E402

WORK = tempfile.mkdtemp(prefix='spw-class-', dir=os.path.join(ROOT, os.environ.get('BUILD', 'build')))
os.chmod(WORK, 0o755)
KNOWN = ['spmv_csr.c', 'spmv_csr.cu', 'stream.c']
SOLUTION = 'solutions/06-spmv-csr/spmv_csr.c'
TRACE = '/tmp/spw-was-here'


def read(path, mode='r'):
    with open(path, mode, **({} if 'b' in mode else {'encoding': 'utf-8'})) as file:
        return file.read()


def write(path, contents):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(contents if isinstance(contents, bytes) else contents.encode())
    return path


def check(name, work):
    """A case: passes where work() raises nothing. An AssertionError's words are shown."""
    try:
        skipped = work()
        print('ok - %s%s' % (name, ' # SKIP ' + skipped if skipped else ''), flush=True)
    except Exception as error:  # whatever it is, it is this case that has failed
        print('not ok - %s' % name, flush=True)
        for line in ('%s: %s' % (type(error).__name__, error)).splitlines()[:40]:
            print('# ' + records.clean(line, 300), flush=True)


def same(got, wanted, what=''):
    assert got == wanted, '%s: got %r, expected %r' % (what, got, wanted)


# --- reading ------------------------------------------------------------------------------------------

def archive_of(members, kind='zip'):
    out = io.BytesIO()
    if kind == 'zip':
        with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
            for name, contents in members:
                z.writestr(name, contents)
    else:
        with tarfile.open(fileobj=out, mode='w:' + kind) as t:
            for name, contents in members:
                info = tarfile.TarInfo(name)
                info.size = len(contents)
                t.addfile(info, io.BytesIO(contents))
    return out.getvalue()


def entry(name, contents):
    return submissions.read(write(os.path.join(WORK, 'entries', name), contents), KNOWN)


def kinds_of_archives():
    for name, kind in (('a.zip', 'zip'), ('a.tar', ''), ('a.tar.gz', 'gz'), ('a.tgz', 'gz'), ('a.tar.xz', 'xz'),
                       ('a.tar.bz2', 'bz2')):
        got = entry(name, archive_of([('deep/er/spmv_csr.c', b'int x;\n'), ('other.c', b'')], kind))
        same(list(got['files']), ['spmv_csr.c'], name)
        same(got['files']['spmv_csr.c'][0], 'deep/er/spmv_csr.c', name)
        same(got['notes'], [], name)


def hostile_archives():
    zeros = b'\0' * (200 << 20)
    for name, contents, said in (
            ('cut.zip', archive_of([('spmv_csr.c', b'x' * 999)])[:-30], 'damaged'),
            ('cut.tar.gz', archive_of([('spmv_csr.c', os.urandom(9999))], 'gz')[:-3000], 'too early'),
            ('noise.tar.xz', b'\xfd7zXZ\0' + os.urandom(999), 'damaged'),
            ('empty.zip', b'', 'damaged'),
            ('bomb.tar.xz', lzma.compress(archive_of([('big', zeros), ('spmv_csr.c', b'')], ''), preset=0), '64 MiB'),
            ('nested.zip', archive_of([('inner.zip', archive_of([('spmv_csr.c', b'x')]))]), 'archive in an archive'),
            ('none.zip', archive_of([('readme.txt', b'x')]), 'no file of an exercise'),
            ('a.rar', b'Rar!', 'not read')):
        got = entry(name, contents)
        same(got['files'], {}, name)
        assert any(said in n for n in got['notes']), '%s: %s' % (name, got['notes'])
    got = entry('large.zip', archive_of([('spmv_csr.c', b'x' * 400000)]))
    assert '262144 are the most' in got['faults']['spmv_csr.c'], got
    got = entry('many.zip', archive_of([('%d/readme' % k, b'') for k in range(1000)] + [('../../spmv_csr.c', b'1')]))
    same(list(got['files']), ['spmv_csr.c'])
    assert not os.path.exists(os.path.join(WORK, 'spmv_csr.c'))
    link = tarfile.TarInfo('spmv_csr.c')
    link.type, link.linkname = tarfile.SYMTYPE, '/etc/passwd'
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as t:
        t.addfile(link)
    got = entry('link.tar', out.getvalue())
    same((got['files'], got['faults']), ({}, {}))
    assert 'no regular file' in got['notes'][0], got


def terabytes_of_nothing():
    for base in ('sparse/spmv_csr.c', 'sparse.tar', 'sparse.zip'):
        os.truncate(write(os.path.join(WORK, 'entries', base), 'PK\3\4'), 1 << 40)
    entries = os.path.join(WORK, 'entries')
    assert '262144 are the most' in submissions.read(entries + '/sparse', KNOWN)['faults']['spmv_csr.c']
    for base in ('sparse.tar', 'sparse.zip'):
        assert 'larger than 256 MiB' in submissions.read(os.path.join(entries, base), KNOWN)['notes'][0], base
    got = entry('absolute.tar', archive_of([(TRACE + '/spmv_csr.c', b'1')], ''))
    same((list(got['files']), os.path.exists(TRACE)), (['spmv_csr.c'], False))


def encrypted():
    data = bytearray(archive_of([('spmv_csr.c', b'int x;')]))
    data[data.index(b'PK\3\4') + 6] |= 1
    data[data.index(b'PK\1\2') + 8] |= 1
    assert 'encrypted' in entry('locked.zip', bytes(data))['faults']['spmv_csr.c']


def folders():
    base = os.path.join(WORK, 'folder')
    write(base + '/src/spmv_csr.c', 'int x;')
    write(base + '/solutions/06-spmv-csr/spmv_csr.c', 'int solution;')
    write(base + '/moodle/work.zip', archive_of([('stream.c', b'int y;')]))
    os.symlink('/etc/passwd', base + '/spmv_csr.cu')
    os.mkfifo(base + '/src/stream.c')
    got = submissions.read(base, KNOWN)
    same({n: f[0] for n, f in got['files'].items()}, {'spmv_csr.c': 'src/spmv_csr.c', 'stream.c': 'moodle/work.zip/stream.c'})
    write(base + '/copy/spmv_csr.c', 'int x;')
    same(submissions.read(base, KNOWN)['faults'], {})
    write(base + '/old/spmv_csr.c', 'int z;')
    assert 'two different files' in submissions.read(base, KNOWN)['faults']['spmv_csr.c']


def whole_workbook():
    """Who hands in all of it has handed in what lies in exercises/."""
    known = [line.split('\t')[3] for line in take(['sh', 'lib/commands/exercises.sh']).decode().splitlines()]
    base = os.path.join(WORK, 'workbook')
    for top in ('exercises', 'lib', 'solutions', 'tests', 'plots', 'slides', 'matrices'):
        shutil.copytree(top, os.path.join(base, top))
    got = submissions.read(base, known)
    same(got['faults'], {})
    same(sorted(f[0] for f in got['files'].values() if not f[0].startswith('exercises/')), [])
    same(sorted(got['files']), sorted(known))


def names_alike():
    """What the judge will not take for a learner's file is told, unless that file is there."""
    members = [(n, b'int x;\n') for n in ('a/spmv_csr (1).c', 'STREAM.C', 'ana_spmv_csr_final.cu', 'streamline.c', 'spmv_csr.h')]
    for name, kind in (('alike.zip', 'zip'), ('alike.tar', '')):
        got = entry(name, archive_of(members, kind))
        same((got['files'], len(got['notes'])), ({}, 3), got['notes'])
        assert got['notes'][0] == 'a/spmv_csr (1).c: not taken: to count it must be called spmv_csr.c', got
    got = entry('both.zip', archive_of(members + [('spmv_csr.c', b'')]))
    same((list(got['files']), len(got['notes'])), (['spmv_csr.c'], 2))


def names_of_students():
    for base, name in (('ana.zip', 'ana'), ('ana_spmv_csr.c', 'ana'), ('spmv_csr.c', 'spmv_csr'), ('Bö b.tar.gz', 'B__b'),
                       ('..', '_'), ('=cmd', '_cmd'), ('a\nb', 'a_b'), ('\udcff', '_'), ('x' * 200, 'x' * 64)):
        same(submissions.name_of(base, KNOWN), name, base)
    folder = os.path.join(WORK, 'names')
    for base in ('Ana', 'ana', 'ana.zip', '.hidden', '__MACOSX'):
        write(os.path.join(folder, base, 'x'), '')
    same(submissions.students_of(folder, KNOWN), [('Ana', 'Ana'), ('ana-2', 'ana'), ('ana-3', 'ana.zip')])


# --- whole classes --------------------------------------------------------------------------------------

def grade(folder, *options, into='grades', start=False):
    command = [os.environ.get('MAKE', 'make'), '-s', 'grade', 'SUBMISSIONS=' + folder, 'BUILD=' + os.environ.get('BUILD', 'build'),
               'GRADES=' + os.path.join(WORK, into), 'SEED=7'] + list(options)
    if start:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode('utf-8', 'replace')


def record(student, exercise='6', into='grades'):
    path = os.path.join(WORK, into, 'records', student, exercise + '.json')
    got = records.read_record(path)
    assert got, 'no record ' + path
    return got


def nothing_left(into):
    """No process has a file of that folder open or mapped, or stands on its command line."""
    folder = os.path.join(WORK, into)
    for pid in os.listdir('/proc'):
        for name in ('maps', 'cmdline'):
            try:
                text = read('/proc/%s/%s' % (pid, name), 'rb') if pid.isdigit() else b''
            except OSError:
                continue
            assert folder.encode() not in text, 'process %s is left: %s' % (pid, text[:300])
    assert not os.path.exists(TRACE), TRACE + ' was written'
    assert not os.path.exists(os.path.join(folder, 'work')), 'work/ was left'


def attacks():
    """{name: (verdict, check, code, words, both, source, number of the exercise)}"""
    libc = ctypes.CDLL(None)
    distance = ctypes.cast(libc.syscall, ctypes.c_void_p).value - ctypes.cast(libc.exit, ctypes.c_void_p).value
    found = {}
    for number, path in (('6', 'tests/grade/attacks.txt'), ('6-gpu', 'tests/grade/attacks_cuda.txt')):
        head, *rest = re.split(r'(?m)^// ATTACK ', read(path))
        for piece in rest:
            line, _, code = piece.partition('\n')
            name, verdict, which, what, words, both = re.match(
                r'(\w+): (\S+) (\S+) ([^:]+): ?(.*?)(; both)?$', line).groups()
            found[name] = (verdict, which, what, words, bool(both), '#define DISTANCE (%d)\n' % distance + head + code, number)
    return found


def gets_its_line(name, attack, into):
    verdict, which, what, words, _, _, number = attack
    r = record(name, number, into)
    failed = [c for c in r['checks'] if c['status'] == 'fail'] or [{'name': '', 'code': '', 'why': ''}]
    got = (r['verdict'], failed[0]['name'], failed[0]['code'])
    assert got[:2] == (verdict, which) and got[2] in what.split('/') and words in failed[0]['why'] + r['feedback'], '%s\n%s' % (got, r['feedback'])
    assert '\033' not in r['feedback']


def attack_all(isolation, chosen):
    into = 'attacks-' + isolation
    for name, attack in chosen.items():
        write(os.path.join(WORK, 'in-' + into, name + ('_spmv_csr.cu' if attack[6] == '6-gpu' else '_spmv_csr.c')), attack[5])
    for name in ('spmv_csr.c', 'spmv_csr.cu'):
        write(os.path.join(WORK, 'in-' + into, 'honest', name), read('solutions/06-spmv-csr/' + name))
    begin = time.monotonic()
    status, said = grade(os.path.join(WORK, 'in-' + into), 'CHECK=1', 'LIMIT=1', 'ONLY=6 6-gpu', 'ISOLATION=' + isolation, into=into)
    if 'is not to be had here' in said:
        print('ok - attacks in cells by %s # SKIP %s' % (isolation, said.splitlines()[0]))
        return
    check('%d attacks in cells by %s, %d s: the class is judged' % (len(chosen), isolation, time.monotonic() - begin),
          lambda: same(status, 0, said))
    for name, attack in chosen.items():
        check('%s, by %s' % (name, isolation), lambda: gets_its_line(name, attack, into))
    check('the solutions beside them are right, by ' + isolation, lambda: same(
        [c['status'] for n in ('6', '6-gpu') for c in record('honest', n, into)['checks'][:4]], ['ok'] * 8))
    check('attacks by %s have left nothing' % isolation, lambda: nothing_left(into))


def take(stdout_of):
    return subprocess.run(stdout_of, stdout=subprocess.PIPE, check=True).stdout


LONG_CLASS = {'1': '01-stream', '2': '02-roofline', '5': '05-coo-to-csr', '6': '06-spmv-csr', '7': '07-ell-sell', '11': '11-reorder',
              '12': '12-cg'}


def file_of(slug):
    return [n for n in os.listdir('solutions/' + slug) if n.endswith('.c')][0]


def wrong_answers():
    """[(exercise, source, the check that fails)] of tests/wrong that need no clock."""
    found = []
    for number, slug in LONG_CLASS.items():
        solution = 'solutions/%s/%s' % (slug, file_of(slug))
        for name in sorted(os.listdir('tests/wrong/' + slug)):
            path = 'tests/wrong/%s/%s' % (slug, name)
            head = read(path).split('\n', 1)[0].replace('//', '').split()
            if '.cu' in name or head[0] not in ('BUILD', 'CORRECT', 'SAFE', 'MODEL'):
                continue
            source = (take(['awk', '-f', 'tests/apply_patch.awk', path, solution]) if name.endswith('.patch')
                      else read(path, 'rb'))
            found.append((number, slug, name, source, head[0]))
    return found


def part_long():
    """30 students: 10 have all solutions, 10 share wrong answers, 10 share attacks."""
    folder, wanted = os.path.join(WORK, 'long-in'), {}
    for k in range(10):
        for slug in LONG_CLASS.values():
            write('%s/right%d/%s' % (folder, k, file_of(slug)), read('solutions/%s/%s' % (slug, file_of(slug))))
    taken = set()
    for number, slug, name, source, what in wrong_answers():
        student = next(('wrong%d' % k for k in range(10) if ('wrong%d' % k, number) not in taken), None)
        if student:
            taken.add((student, number))
            wanted[student, number] = what
            write('%s/%s/%s' % (folder, student, file_of(slug)), source)
    for k, (name, attack) in enumerate([a for a in attacks().items() if a[1][6] == '6'][:30:3]):
        wanted['attack%d' % k, '6'] = attack[1]
        write('%s/attack%d/spmv_csr.c' % (folder, k), attack[5])
    begin = time.monotonic()
    status, said = grade(folder, 'CHECK=1', 'LIMIT=3', into='long')
    seconds = time.monotonic() - begin
    check('%d answers of a class of 30 in %d s' % (10 * len(LONG_CLASS) + len(wanted), seconds), lambda: same((status, seconds < 600), (0, True), said))
    for k in range(10):
        check('right%d: no honest answer is refused' % k, lambda: same(
            [record('right%d' % k, n, 'long')['timing'] for n in LONG_CLASS], ['pending'] * len(LONG_CLASS)))

    def fails_there(student, number, what):
        r = record(student, number, 'long')
        same((r['verdict'], [c['name'] for c in r['checks'] if c['status'] == 'fail'][:1]), ('wrong', [what]), r['feedback'])
    for (student, number), what in wanted.items():
        check('%s %s fails in %s' % (student, number, what), lambda: fails_there(student, number, what))
    begin = time.monotonic()
    status, said = grade(folder, 'CHECK=1', 'LIMIT=3', into='long')
    check('the second time takes %d s' % (time.monotonic() - begin), lambda: same('\n0 answers to check' in said, True, said))
    check('the class of 30 has left nothing', lambda: nothing_left('long'))


def timed_by_a_platform():
    """make autograder TIMED=1: whatever the machine allows, the clock has been asked."""
    path = os.path.join(WORK, 'results.json')
    done = subprocess.run([os.environ.get('MAKE', 'make'), '-s', 'autograder', 'SUBMISSION=' + SOLUTION, 'RESULTS=' + path,
                           'FORMAT=gradescope', 'TIMED=1', 'BUILD=' + os.environ.get('BUILD', 'build')],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    same(done.returncode, 0, done.stdout.decode('utf-8', 'replace'))
    result = json.loads(read(path))
    got = result['extra_data']['records'][0]
    same((result['score'], got['timing'], got['verdict'] in ('pass', 'no-verdict'), got['fast'][0]['roof_share'] > 0.1),
         (10, 'done', True, True), got)


def part_twins():
    """The same answer twice, timed, and one that does nothing after so many calls."""
    check('make autograder TIMED=1', timed_by_a_platform)
    folder = os.path.join(WORK, 'twins-in')
    for name in ('ana', 'ben'):
        write('%s/%s/spmv_csr.c' % (folder, name), read(SOLUTION))
    head = read('tests/grade/attacks.txt').split('// ATTACK ')[0]
    write(folder + '/lazy/spmv_csr.c', '#define DISTANCE 0\n' + head + 'ANSWER(static int calls; if (calls++ > 9) return;)\n')
    grade(folder, into='twins')
    lazy = record('lazy', into='twins')
    check('who does nothing after 9 calls fails where it is timed', lambda: same(
        (lazy['verdict'], lazy['timing'], lazy['functions'][0]['status'], lazy['points']['total'] < 10),
        ('wrong', 'done', 'wrong', True), lazy['feedback']))
    for attempt in range(4):
        if attempt:
            grade(folder, '--again', 'ana ben', into='twins')
        noise = max((record(name, into='twins')['fast'] or [{}])[0].get('disturbed', 1) for name in ('ana', 'ben'))
        room = results.Class(os.path.join(WORK, 'twins'))
        shares = [room.records[name, '6']['fast'][0]['roof_share'] if noise < 1 else 0 for name in ('ana', 'ben')]
        near = noise <= 0.1 and abs(shares[0] / shares[1] - 1) < 0.02
        if near:
            break
    if noise > 0.1:
        print('ok - the same answer twice: shares of the roof within 2 %% # SKIP other programs took %.0f %% of the processors' % (100 * noise))
        return
    check('the same answer twice: %.3f and %.3f of the roof' % tuple(shares), lambda: same(near, True))


def part_attacks():
    if os.uname().machine != 'x86_64':
        print('ok - attacks # SKIP they are written for x86_64')
        return
    every = attacks()
    attack_all('bwrap', every)
    attack_all('landlock', {n: a for n, a in every.items() if a[4] or os.environ.get('LONG') == '1'})


def make_class(folder):
    solution = read(SOLUTION)
    stream = read('solutions/01-stream/stream.c')
    write(folder + '/ana/deep/spmv_csr.c', solution)
    write(folder + '/ana/stream.c', stream)
    write(folder + '/ana/energy.c', read('solutions/25-energy/energy.c'))
    write(folder + '/ben.zip', archive_of([('w/spmv_csr.c', solution.replace('y[i] = sum', 'y[i] = 2 * sum').encode())]))
    write(folder + '/Cleo Müller.tar.gz', archive_of([('spmv_csr.c', b'\xef\xbb\xbf' + solution.replace('\n', '\r\n').encode())], 'gz'))
    write(folder + '/dan_spmv_csr.c', read('exercises/06-spmv-csr/spmv_csr.c'))
    write(folder + '/eve/spmv_csr.c', b'')
    write(folder + '/fay/spmv_csr.c', b'\0\0\0 int x')
    write(folder + '/gil/a/spmv_csr.c', solution)
    write(folder + '/gil/b/spmv_csr.c', solution + '\n')
    write(folder + '/hal.zip', archive_of([('spmv_csr.c', solution.encode())])[:-40])
    write(folder + '/ivy/notes.txt', 'I did not do it')
    write(folder + '/=cmd|x/stream.c', stream.replace('a[i] = b[i] + s * c[i]', 'a[i] = b[i]'))
    write(folder + '/ANA/spmv_csr.c', 'void spmv_csr(')
    write(folder + '/new\nline/spmv_csr.c', solution)
    os.symlink('/etc', folder + '/link')
    os.mkfifo(folder + '/fifo')


EXPECTED = {'ana': 'no-verdict', 'ben': 'wrong', 'Cleo_M_ller': 'no-verdict', 'dan': 'not-written', 'eve': 'wrong',
            'fay': 'wrong', 'gil': 'missing', 'hal': 'missing', 'ivy': 'missing', '_cmd_x': 'missing', 'ANA': 'wrong',
            'new_line': 'no-verdict', 'link': 'missing', 'fifo': 'missing'}


def part_class():
    folder = os.path.join(WORK, 'class-in')
    make_class(folder)
    before = {p: os.stat(p).st_mtime for p, _, _ in os.walk(ROOT) if '/build' not in p and '/.git' not in p and '/grades' not in p}
    job = grade(folder, 'CHECK=1', 'LIMIT=2', into='class', start=True)
    path = os.path.join(WORK, 'class', 'records')

    def some():
        return [os.path.join(f, n) for f, _, names in os.walk(path) for n in names if n.endswith('.json')]
    end = time.monotonic() + 120
    while job.poll() is None and len(some()) < 5 and time.monotonic() < end:
        time.sleep(0.02)
    if job.poll() is None:
        os.killpg(job.pid, signal.SIGKILL)
    said = job.communicate()[0].decode('utf-8', 'replace')
    kept = {p: os.stat(p).st_mtime_ns for p in some()}
    check('killed in the middle, %d records are there' % len(kept), lambda: same(0 < len(kept) < 42, True, said))
    time.sleep(0.5)

    def resumed():
        status, said = grade(folder, 'CHECK=1', 'LIMIT=2', into='class')
        same(status, 0, said)
        assert '%d are judged already' % len(kept) in said, said
        same({p: os.stat(p).st_mtime_ns for p in kept}, kept)
    check('it goes on where it was, and judges nobody twice', resumed)
    students = {s['student']: s for s in records.read_json(os.path.join(WORK, 'class', 'class.json'))['students']}
    for student, _ in EXPECTED.items():
        twin = [s for s in students if s.lower().startswith(student.lower()) and (s == student or s == student + '-2')]
        check('the record of ' + student, lambda: same(record(twin[0], into='class')['verdict'], EXPECTED[student],
                                                       record(twin[0], into='class')['feedback']))
    check('in its cell exercise 25 finds the published figures', lambda: same(
        record(next(s for s in students if s in ('ana', 'ana-2')), '25', into='class')['timing'], 'pending'))
    check('a wrong answer to exercise 1 has its share of the points',
          lambda: same(record('_cmd_x', '1', into='class')['points']['correct'], 3.7))

    def nothing_new():
        begin = time.monotonic()
        status, said = grade(folder, 'CHECK=1', 'LIMIT=2', into='class')
        same(status, 0, said)
        assert '\n0 answers to check' in said, said
        assert time.monotonic() - begin < 10, 'it took %d s' % (time.monotonic() - begin)
    check('a second run judges nothing', nothing_new)

    def damaged():
        write(os.path.join(path, 'ben', '6.json'), '{"spw_grade": 1, "verdict"')
        write(os.path.join(path, 'dan', '6.json'), '{"spw_grade": 9}')
        status, said = grade(folder, 'CHECK=1', 'LIMIT=2', 'AGAIN=eve/6', into='class')
        same(status, 0, said)
        assert '\n3 answers to check' in said, said
        same(record('ben', into='class')['verdict'], 'wrong')
    check('damaged records are judged again, and AGAIN=', damaged)
    check('a full disk stops it with a sentence, and it goes on', full_disk)
    check('the class has left nothing', lambda: nothing_left('class'))
    after = {p: os.stat(p).st_mtime for p in before if os.path.exists(p)}
    check('no folder of the workbook was touched', lambda: same(after, before))


def full_disk():
    """A small file system, which is filled; then there is room again."""
    small, folder = os.path.join(WORK, 'small'), os.path.join(WORK, 'small-in')
    os.makedirs(small)
    write(folder + '/ana/spmv_csr.c', read(SOLUTION))
    make = '%s -s grade SUBMISSIONS=%s GRADES=%s/grades BUILD=%s CHECK=1 SEED=7' % (
        os.environ.get('MAKE', 'make'), folder, small, os.environ.get('BUILD', 'build'))
    script = 'mount -t tmpfs -o size=120m none %s || exit 77; head -c 60m /dev/zero >%s/fill; %s; echo "first $?"; ' \
             'find %s -name 6.json; rm %s/fill; %s; echo "second $?"' % (small, small, make, small, small, make)
    done = subprocess.run(['unshare', '-rm', 'sh', '-c', script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode('utf-8', 'replace')
    if done.returncode == 77 or 'unshare failed' in said:
        return 'this system mounts nothing for us'
    first, second = said.split('first 2')
    assert 'the disk is full' in first and 'goes on when there is room' in first and '6.json' not in second.split('1 student,')[0], said
    assert 'second 0' in second and '1 right, not timed' in second, said
    return None


def bad_options():
    folder = os.path.join(WORK, 'options-in')
    write(folder + '/ana/spmv_csr.c', '')
    for options, said in ((['SUBMISSIONS='], 'SUBMISSIONS= is missing'), (['SUBMISSIONS=/nowhere'], 'is no folder'),
                          (['ONLY=99'], 'there is no exercise 99'), (['ONLY=6', 'AGAIN=nobody'], 'AGAIN: there is no nobody'),
                          (['STUDENTS=/nowhere'], 'STUDENTS=/nowhere: No such file'), (['JOBS=0'], 'JOBS=0'), (['LIMIT=x'], 'LIMIT=x'),
                          (['GRADES=' + folder + '/x'], 'may not lie in each other')):
        status, words = grade(folder, *options)
        assert status != 0 and said in words, '%s: %s' % (options, words)


# --- the walls alone ------------------------------------------------------------------------------------

def program():
    built = subprocess.run([os.environ.get('MAKE', 'make'), '-s', 'print-out', 'BUILD=' + os.environ.get('BUILD', 'build')],
                           stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    path = os.path.join(built, 'bin', 'cell')
    subprocess.run([os.environ.get('MAKE', 'make'), '-s', path, 'BUILD=' + os.environ.get('BUILD', 'build')], check=True)
    return os.path.abspath(path)


def in_cell(isolation, shell, seconds=20):
    import cell
    cells = cell.Cells(ROOT, program(), isolation)
    work = os.path.join(WORK, 'wall-' + isolation)
    os.makedirs(work, exist_ok=True)
    if cells.as_root:
        os.chown(work, cells.user(1), cells.user(1))
    return cells.run(1, ['sh', '-c', shell], [os.path.join(ROOT, 'lib')], work, seconds) + (work,)


def walls(isolation):
    import cell
    try:
        status, words, work = in_cell(isolation, 'cat lib/spw.h >/dev/null && echo x >"$HOME/y" && id -u')
    except cell.NoIsolation as error:
        return str(error).splitlines()[0]
    same(status, 0, words)
    same(read(os.path.join(work, 'y')), 'x\n')
    for shell in ('cat solutions/06-spmv-csr/spmv_csr.c', 'cat /etc/passwd', 'echo x >%s' % TRACE, 'ls /tmp', 'ls /home',
                  'echo x >lib/x', 'cat /proc/%d/environ' % os.getpid(), 'kill -9 %d' % os.getpid(),
                  'head -c 99000000 /dev/zero >"$HOME/z"'):
        status, words, _ = in_cell(isolation, shell)
        assert status not in (0, None), '%s: %s' % (shell, words)
    assert not os.path.exists(TRACE)
    begin = time.monotonic()
    status, words, _ = in_cell(isolation, '(setsid sleep 77 &) ; setsid sleep 77 & while :; do echo y; done', 1)
    same((status, len(words) <= cell.MOST_WORDS), (None, True))
    assert time.monotonic() - begin < 5
    left = subprocess.run(['pgrep', '-f', '^sleep 77$'], stdout=subprocess.PIPE).stdout
    same(left, b'', 'left')
    return None


def refused():
    """Where nothing holds there is a sentence, and ISOLATION=seccomp goes on."""
    import cell

    class Nothing(cell.Cells):
        def find_bwrap(self):
            self.landlock = 0
            return None, 'it is not installed (make setup)'
    try:
        Nothing(ROOT, program())
    except cell.NoIsolation as error:
        assert 'ISOLATION=seccomp' in str(error), error
    else:
        raise AssertionError('it went on')


def part_walls():
    for isolation in ('bwrap', 'landlock'):
        check('a cell by %s: what is seen, written, and left' % isolation, lambda: walls(isolation))
    check('without walls it is refused', refused)
    check('options that cannot be have a sentence', bad_options)


def part_reading():
    check('zip and tar, packed in any way', kinds_of_archives)
    check('hostile and damaged archives are a line each', hostile_archives)
    check('sparse files of a terabyte, and an absolute name', terabytes_of_nothing)
    check('an encrypted member', encrypted)
    check('folders: links, FIFOs, copies, two different files', folders)
    check('the whole workbook', whole_workbook)
    check('names like those of exercises', names_alike)
    check('names of students', names_of_students)


def main():
    import cell
    cell.adopt_orphans()
    parts = {'reading': part_reading, 'walls': part_walls, 'class': part_class, 'attacks': part_attacks}
    if os.environ.get('LONG') == '1':
        parts.update(long=part_long, twins=part_twins)
    try:
        for name in sys.argv[1:] or list(parts):
            parts[name]()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)


if __name__ == '__main__':
    main()
