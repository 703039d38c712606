"""What a class has handed in. An entry of SUBMISSIONS is a student: a folder, an archive (zip, tar, also packed by gzip,
bzip2 or xz), or one file. A learner's file is known by its base name, at any depth: all of them have distinct names.

Archives are read, never unpacked. Each entry is read by a process of its own, with little memory and time:

    python3 submissions.py ENTRY NAME...      prints {"files": {name: [where, contents]}, "notes": [...], "faults": {name: why}}

Contents are in base64. A fault is why a file of that name cannot be taken; a note is a line for the instructor.
"""
import base64
import bz2
import io
import json
import lzma
import os
import re
import resource
import stat
import subprocess
import sys
import tarfile
import zipfile
import zlib

from clean import line as clean

MOST_SOURCE = 256 << 10
MOST_READ = 64 << 20
MOST_ARCHIVE = 256 << 20
MOST_MEMBERS = 20000
MOST_DEPTH = 40
MEMORY, SECONDS = 1 << 30, 60
PACKED = ('.zip', '.tar', '.tar.gz', '.tgz', '.tar.bz2', '.tbz2', '.tar.xz', '.txz')
OTHER_PACKED = ('.rar', '.7z', '.gz', '.bz2', '.xz', '.zst')
# Who hands in the whole workbook hands in these as well.
NOT_THEIRS = ('solutions', 'lib', 'build', 'tests', '.git', '__MACOSX')


class Fault(Exception):
    pass


class Entry:
    """What was found in one: first where a learner's files belong, then elsewhere."""

    def __init__(self, known):
        self.known, self.notes, self.left = set(known), [], MOST_READ
        self.found = {}  # name: [(is not theirs, where, contents or None, fault)]
        self.alike = {}  # where: the known name that it resembles

    def note(self, text):
        if len(self.notes) < 20:
            self.notes.append(clean(text, 300))

    def wanted(self, where):
        parts = re.split(r'[/\\]', where)
        if parts[-1] in self.known:
            return True
        likest = '' if any(p in NOT_THEIRS for p in parts[:-1]) else resembled(parts[-1], self.known)
        if likest:
            self.alike[where] = likest
        return False

    def take(self, where, contents, fault=''):
        parts = re.split(r'[/\\]', where)
        foreign = any(p in NOT_THEIRS for p in parts[:-1])
        self.found.setdefault(parts[-1], []).append((foreign, clean(where, 300), contents, fault))

    def result(self):
        files, faults = {}, {}
        for where, name in self.alike.items():
            if name not in self.found:
                self.note('%s: not taken: to count it must be called %s' % (where, name))
        for name, all_of in self.found.items():
            own = [f for f in all_of if not f[0]] or all_of
            broken = [f for f in own if f[3]]
            if broken:
                faults[name] = '%s: %s' % (broken[0][1], broken[0][3])
            elif len({f[2] for f in own}) > 1:
                faults[name] = 'two different files have this name: %s and %s' % tuple(
                    [f[1] for f in own if f[2] == c][0] for c in sorted({f[2] for f in own})[:2])
            else:
                files[name] = [own[0][1], base64.b64encode(own[0][2]).decode()]
        return {'files': files, 'notes': self.notes, 'faults': faults}


def resembled(base, known):
    """spmv_csr (1).c, my_spmv_csr_final.C and spmv_csr.c.txt are meant to be spmv_csr.c; ''."""
    def means(name):
        stem, _, ending = map(re.escape, name.rpartition('.'))
        return re.search(r'(^|[^a-z0-9])%s(|[^a-z0-9].*)\.%s(\.txt)?$' % (stem, ending), base, re.I)
    return max(filter(means, known), key=len, default='')


def too_large(size):
    return 'it has %d bytes, %d are the most' % (size, MOST_SOURCE)


def open_regular(path):
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Fault('it is no regular file')
    return os.fdopen(handle, 'rb')


def read_file(entry, path, where):
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise Fault('it is no regular file')
        with open_regular(path) as file:
            contents = file.read(MOST_SOURCE + 1)
            size = os.fstat(file.fileno()).st_size
        entry.take(where, contents, too_large(size) if len(contents) > MOST_SOURCE else '')
    except Fault as fault:
        entry.note('%s: passed over: %s' % (where, fault))
    except OSError as error:
        entry.take(where, None, error.strerror or 'it cannot be read')


def read_folder(entry, path):
    count = 0
    for folder, folders, names in os.walk(path, onerror=lambda e: entry.note('%s: %s' % (e.filename, e.strerror))):
        inner = os.path.relpath(folder, path)
        if inner.count('/') >= MOST_DEPTH:
            entry.note('folders deeper than %d are passed over' % MOST_DEPTH)
            folders[:] = []
        folders.sort()
        for name in sorted(names):
            count += 1
            where = name if inner == '.' else '%s/%s' % (inner, name)
            if count > MOST_MEMBERS:
                return entry.note('it has more than %d files: the rest is passed over' % MOST_MEMBERS)
            if entry.wanted(where):
                read_file(entry, os.path.join(folder, name), where)
            elif name.lower().endswith(PACKED) and 'build' not in inner.split('/'):
                read_archive(entry, os.path.join(folder, name), where)
            elif name.lower().endswith(OTHER_PACKED):
                entry.note('%s: not read: zip and tar are' % where)


def read_archive(entry, path, where=''):
    """A damaged one is a note, and what could be read before counts."""
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > MOST_ARCHIVE:
                raise Fault('it is larger than %d MiB' % (MOST_ARCHIVE >> 20))
            if file.read(4) in (b'PK\3\4', b'PK\5\6'):
                read_zip(entry, file, where)
            else:
                file.seek(0)
                read_tar(entry, file, where)
    except Fault as fault:
        entry.note('%s: %s' % (where or 'the archive', fault))
    except MemoryError:
        entry.note('%s: it would take more than %d MiB of memory' % (where or 'the archive', MEMORY >> 20))
    except Exception as error:  # whatever a damaged archive makes of zipfile and tarfile
        entry.note('%s: damaged, or no archive: %s' % (where or 'the archive', error))


def inner_name(where, name):
    return '%s/%s' % (where, name) if where else name


def is_nested(entry, name):
    if name.lower().endswith(PACKED + OTHER_PACKED):
        entry.note('%s: an archive in an archive is not read' % name)
        return True
    return False


def spend(entry, size):
    entry.left -= size
    if entry.left < 0:
        raise Fault('more than %d MiB were read: the rest is passed over' % (MOST_READ >> 20))


def read_zip(entry, file, where):
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            entry.note('it has %d members: those after %d are passed over' % (len(members), MOST_MEMBERS))
        for member in members[:MOST_MEMBERS]:
            name = inner_name(where, member.filename)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir() or is_nested(entry, name) or not entry.wanted(name):
                continue
            if kind not in (0, stat.S_IFREG):
                entry.note('%s: passed over: it is no regular file' % name)
            elif member.flag_bits & 1:
                entry.take(name, None, 'it is encrypted')
            elif member.file_size > MOST_SOURCE:
                entry.take(name, None, too_large(member.file_size))
            else:
                with archive.open(member) as source:
                    contents = source.read(MOST_SOURCE + 1)
                spend(entry, len(contents))
                entry.take(name, contents, too_large(len(contents)) if len(contents) > MOST_SOURCE else '')


class Unpacked(io.RawIOBase):
    """A packed file as a stream, which takes what it yields from what may be read in all."""

    def __init__(self, entry, file):
        super().__init__()
        self.entry, self.file = entry, file
        head = file.read(6)
        file.seek(0)
        self.packed = (zlib.decompressobj(31) if head[:2] == b'\x1f\x8b' else bz2.BZ2Decompressor() if head[:3] == b'BZh'
                       else lzma.LZMADecompressor(memlimit=MEMORY // 4) if head == b'\xfd7zXZ\0' else None)
        self.is_zlib = head[:2] == b'\x1f\x8b'

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = b''
        while not piece:
            if not self.packed:
                piece = self.file.read(len(buffer))
                break
            if self.packed.eof:
                break
            if self.is_zlib:
                more = self.packed.unconsumed_tail or self.file.read(1 << 16)
                piece = self.packed.decompress(more, len(buffer))
            else:
                more = self.file.read(1 << 16) if self.packed.needs_input else b''
                piece = self.packed.decompress(more, len(buffer))
            if not piece and not more:
                raise Fault('it ends too early')
        spend(self.entry, len(piece))
        buffer[:len(piece)] = piece
        return len(piece)


def read_tar(entry, file, where):
    with tarfile.open(fileobj=io.BufferedReader(Unpacked(entry, file)), mode='r|') as archive:
        for count, member in enumerate(archive):
            if count >= MOST_MEMBERS:
                return entry.note('it has more than %d members: the rest is passed over' % MOST_MEMBERS)
            name = inner_name(where, member.name)
            if member.isdir() or is_nested(entry, name) or not entry.wanted(name):
                continue
            if not member.isreg():
                entry.note('%s: passed over: it is no regular file' % name)
            elif member.size > MOST_SOURCE:
                entry.take(name, None, too_large(member.size))
            else:
                entry.take(name, archive.extractfile(member).read())


def read_entry(path, known):
    entry = Entry(known)
    mode = os.lstat(path).st_mode
    base = os.path.basename(path.rstrip('/'))
    if stat.S_ISDIR(mode):
        read_folder(entry, path)
    elif not stat.S_ISREG(mode):
        entry.note('passed over: it is neither a folder nor a regular file')
    elif base.lower().endswith(PACKED):
        read_archive(entry, path)
    elif source_of(base, known):
        read_file(entry, path, source_of(base, known))
    else:
        entry.note('not read: it is no folder, no zip or tar, and no file of an exercise')
    if not entry.found and not entry.notes and not entry.alike:
        entry.note('it holds no file of an exercise')
    return entry.result()


# --- in the one that grades ------------------------------------------------------------------------

def source_of(base, known):
    """ana_spmv_csr.c is spmv_csr.c: the known name that this one ends with, the longest."""
    ends = [k for k in known if base == k or re.search('[-_. ]' + re.escape(k) + '$', base)]
    return max(ends, key=len) if ends else ''


def name_of(base, known):
    """Who handed it in, in letters that a file name can have."""
    ends = [e for e in PACKED if base.lower().endswith(e)]
    stem = base[:-len(max(ends, key=len))] if ends else base
    source = '' if ends else source_of(base, known)
    if source:
        stem = stem[:-len(source)].rstrip('-_. ') or source.rpartition('.')[0]
    return re.sub('[^A-Za-z0-9._-]', '_', stem).lstrip('.')[:64] or '_'


def students_of(folder, known, names=None):
    """[(student, entry)] of SUBMISSIONS, in order. names: entry or student: student, from STUDENTS=."""
    found, taken = [], set()
    for base in sorted(os.listdir(folder)):
        if base.startswith('.') or base == '__MACOSX':
            continue
        student = name_of(base, known)
        student = (names or {}).get(base) or (names or {}).get(student) or student
        k, first = 1, student
        while student.lower() in taken:
            k += 1
            student = '%s-%d' % (first, k)
        taken.add(student.lower())
        found.append((student, base))
    return found


def read(path, known):
    """read_entry() in a process of its own; what ends that is a note."""
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), path] + sorted(known), preexec_fn=limits,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=4 * SECONDS)
        return json.loads(done.stdout.decode('utf-8'))
    except (OSError, ValueError, subprocess.SubprocessError):
        return {'files': {}, 'faults': {}, 'notes': ['it could not be read: it takes too much time or memory']}


if __name__ == '__main__':
    print(json.dumps(read_entry(sys.argv[1], sys.argv[2:])))
