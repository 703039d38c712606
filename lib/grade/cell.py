"""Where a stranger's answer is compiled and judged: a process that sees no files but some, and leaves nothing running.

Two walls, of which each is enough: bubblewrap, which needs user namespaces (or root and no container), and Landlock,
which needs Linux 5.13 (lib/judge/cage.h, by the program `cell`). Where both are to be had, both are used. The runner in
which an answer is called has a filter of system calls besides, always (lib/judge/filter.h). Where root grades, each
slot has a user number of its own, which needs no account.
"""
import ctypes
import os
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time

FIRST_USER = 64000
MOST_WORDS = 256 << 10
TREES = ('/usr', '/bin', '/lib', '/lib32', '/lib64', '/sbin')
SMALL = ('/etc/alternatives', '/etc/ld.so.cache', '/sys/devices/system', '/proc')
DEVICES = ('/dev/null', '/dev/zero', '/dev/urandom')
SET_CHILD_SUBREAPER = 36

running = {}  # pid: Popen
lock = threading.Lock()


class NoIsolation(Exception):
    """It says why, and what to do."""


def adopt_orphans():
    """A process of a cell that outlives its parent becomes ours, so that it can be ended."""
    try:
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def end_orphans():
    """Ends those that are ours by now, and were not started by us."""
    with lock:
        for pid in children(os.getpid()) - set(running):
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                pass


def children(parent):
    found = set()
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open('/proc/%s/stat' % name, 'rb') as file:
                fields = file.read().rpartition(b')')[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.add(int(name))
    return found


def parents(path):
    while os.path.dirname(path) != '/':
        path = os.path.dirname(path)
        yield path


def may_be_others():
    """Root may become another user, but in a container that has no more than one."""
    if os.geteuid() != 0:
        return False
    child = os.fork()
    if child == 0:
        try:
            with tempfile.TemporaryFile() as file:
                os.fchown(file.fileno(), FIRST_USER, FIRST_USER)
            os.setgroups([])
            os.setresgid(FIRST_USER, FIRST_USER, FIRST_USER)
            os.setresuid(FIRST_USER, FIRST_USER, FIRST_USER)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


class Cells:
    """How cells are made here. root: of the workbook; program: lib/commands/cell.c; wanted: bwrap, landlock, seccomp or
    nothing, for the best there is."""

    def __init__(self, root, program, wanted=''):
        self.root, self.program = root, program
        self.as_root = may_be_others()
        self.landlock = int(subprocess.run([program, '--version'], stdout=subprocess.PIPE, check=True).stdout or 0)
        self.bwrap, self.why = None, 'it is not asked for'
        if wanted in ('', 'bwrap'):
            self.bwrap, self.why = self.find_bwrap()
        if wanted == 'seccomp':
            self.landlock = 0
        self.name = 'bwrap' if self.bwrap else 'landlock' if self.landlock else 'seccomp'
        if wanted and wanted != self.name:
            raise NoIsolation('ISOLATION=%s is not to be had here: %s' % (
                wanted, self.why if wanted == 'bwrap' else 'the kernel has no Landlock'))
        if self.name == 'seccomp' and wanted != 'seccomp':
            raise NoIsolation(
                'Nothing here keeps submissions away from files: the kernel has no Landlock, and of bubblewrap, %s.\n'
                'ISOLATION=seccomp grades all the same: then a submission that deceives the compiler could READ what %s '
                'can read.' % (self.why, 'root' if self.as_root else 'you'))

    def find_bwrap(self):
        program = shutil.which('bwrap')
        if not program:
            return None, 'it is not installed (make setup)'
        try:
            tried = subprocess.run([program] + self.namespaces() + ['--ro-bind', '/', '/', 'true'], timeout=20,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, subprocess.SubprocessError) as error:
            return None, str(error)
        if tried.returncode == 0:
            return program, ''
        return None, tried.stderr.decode('utf-8', 'replace').strip()[:200] or 'it does not work'

    def namespaces(self):
        """Root needs no user namespace, and stays able to become somebody else."""
        more = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_DAC_OVERRIDE']
        return ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try',
                '--die-with-parent', '--new-session'] + (more if self.as_root else ['--unshare-user'])

    def look_at(self, *folders):
        """Root's cells without bubblewrap are other users': may these enter, and read?"""
        for path in folders if self.as_root and not self.bwrap else ():
            for folder in [path] + list(parents(path)):
                mode = os.stat(folder).st_mode
                if not mode & stat.S_IXOTH or (folder == path and not mode & stat.S_IROTH):
                    raise NoIsolation('As root, cells by %s run as users %d and above, who may not enter %s.\n'
                                      'chmod o+rx %s, or have it elsewhere.' % (self.name, FIRST_USER, folder, folder))

    def user(self, slot):
        return FIRST_USER + slot if self.as_root else None

    def command(self, slot, read, write, files, memory):
        """What stands before a program: it may read these paths, and write into the folder `write`."""
        inner = [self.program, '--files', str(files)] + (['--memory', str(memory)] if memory else [])
        if self.as_root:
            inner += ['--user', str(self.user(slot))]
        if self.landlock:
            for path in TREES + SMALL + tuple(read):
                inner += ['--read', path]
            for path in DEVICES + (write,):
                inner += ['--write', path]
        else:
            inner.append('--unlocked')
        inner.append('--')
        if not self.bwrap:
            return inner
        outer = [self.bwrap] + self.namespaces()
        for path in TREES:
            if os.path.islink(path):
                outer += ['--symlink', os.readlink(path), path]
            elif os.path.isdir(path):
                outer += ['--ro-bind', path, path]
        for path in sorted({p for path in SMALL[:3] for p in parents(path)}):
            outer += ['--dir', path]
        for path in SMALL[:3]:
            outer += ['--ro-bind-try', path, path]
        outer += ['--proc', '/proc', '--dev', '/dev']
        seen, home = [self.program] + [os.path.abspath(p) for p in read], os.path.abspath(write)
        for path in sorted({p for path in seen + [home] for p in parents(path)}):
            outer += ['--dir', path]  # bwrap would make them for root alone
        for path in seen:
            outer += ['--ro-bind', path, path]
        return outer + ['--bind', home, home, '--remount-ro', '/', '--chdir', self.root] + inner

    def run(self, slot, program, read, write, seconds, environment=None, files=64 << 20, memory=0):
        """Runs it, and returns its status (None: it took longer than that) and what it said, cut."""
        home = os.path.abspath(write)
        environment = dict({'PATH': '/usr/local/bin:/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'HOME': home, 'TMPDIR': home},
                           **(environment or {}))
        with lock:
            process = subprocess.Popen(self.command(slot, read, write, files, memory) + program, cwd=self.root, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            running[process.pid] = process
        try:
            return listen(process, time.monotonic() + seconds)
        finally:
            end(process)
            with lock:
                running.pop(process.pid, None)
            end_orphans()


def listen(process, until):
    words, left = b'', MOST_WORDS
    pipe = process.stdout
    while True:
        seconds = until - time.monotonic()
        if seconds <= 0:
            return None, words.decode('utf-8', 'replace')
        if not select.select([pipe], [], [], min(seconds, 0.5))[0]:
            if process.poll() is not None:
                break  # somebody else holds the pipe
            continue
        piece = os.read(pipe.fileno(), 1 << 16)
        if not piece:
            break
        words += piece[:left]
        left -= len(piece[:left])
    try:
        return process.wait(max(0.1, until - time.monotonic())), words.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired:
        return None, words.decode('utf-8', 'replace')


def end(process):
    """It, and all in its session that have not begun one of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.stdout.close()
    process.wait()


def end_all():
    with lock:
        for process in list(running.values()):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass
