#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Files: what a workload does with files whose names and numbers are known, on several file
systems; /proc/PID/io for bytes; mountinfo for the names of file systems."""
import collections
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from blockdev import loop_device  # noqa: E402

GROUPS = "file+op+error+fs+pid"

# Of tests/workloads/files.c, below its directory: (file, op, error): (count, bytes).
DATA = {
    ("data", "create", None): (1, 0), ("data", "open", None): (7, 0),
    ("data", "write", None): (110, 410600), ("data", "read", None): (205, 200000),
    ("data", "fsync", None): (5, 0), ("data", "stat", None): (39, 0),
    ("data", "truncate", None): (1, 0), ("data", "unlink", None): (1, 0),
    ("many", "mkdir", None): (1, 0), ("many", "rmdir", None): (1, 0),
    ("many", "rmdir", "ENOTEMPTY"): (2, 0), ("many", "open", None): (1, 0),
    ("many", "readdir", None): (2, 0),
    **{(f"many/{i}", op, None): (1, 10 * (op == "write"))
       for i in range(20) for op in ("create", "write", "unlink")},
    ("missing", "stat", "ENOENT"): (40, 0), ("missing", "open", "ENOENT"): (11, 0),
    ("elsewhere", "access", "ENOENT"): (4, 0),
    ("gone", "create", None): (1, 0), ("gone", "write", None): (1, 80),
    ("gone", "unlink", None): (1, 0), ("gone (deleted)", "read", None): (8, 80),
    ("old", "create", None): (1, 0), ("old", "write", None): (1, 70),
    ("old", "rename", None): (1, 0), ("old", "read", None): (6, 60),
    ("new", "read", None): (7, 70), ("new", "unlink", None): (1, 0),
    ("source", "create", None): (1, 0), ("source", "write", None): (1, 3000),
    ("source", "read", None): (3, 3000), ("source", "unlink", None): (1, 0),
    ("copy", "create", None): (1, 0), ("copy", "write", None): (3, 3000),
    ("copy", "unlink", None): (1, 0), ("hard", "link", None): (1, 0),
    ("hard", "unlink", None): (1, 0), ("soft", "symlink", None): (1, 0),
    ("soft", "readlink", None): (2, 0), ("soft", "unlink", None): (1, 0),
}
OTHERS = {
    ("[pipe]", "read", None): (51, 501),
    ("[socket]", "write", None): (30, 210), ("[socket]", "read", None): (30, 210),
    ("[eventfd]", "write", None): (4, 32), ("[eventfd]", "read", None): (4, 32),
    ("[memfd]", "write", None): (5, 500), ("/dev/null", "write", None): (12, 36),
    ("[no file]", "read", "EBADF"): (3, 0),
}


class Worked:
    """The workload in a directory, watched from before its begin until after its end."""

    def __init__(self, directory, *options, groups=GROUPS, also=(), wrap=(), seen_as=None):
        live.need_root()
        self.directory = seen_as or os.path.realpath(directory)
        with live.Workload("files", directory, wrap=wrap) as work, \
             live.Watch("files", "--group", groups, *(options or ("--pid", work.pid)), *also,
                        binary=live.CHECKED) as watch:
            watch.next()
            self.pid = work.pid
            os.kill(work.pid, signal.SIGUSR1)
            self.said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            self.reports = watch.reports
            os.kill(work.pid, signal.SIGUSR1)
        self.rows = [r for x in self.reports for r in x["rows"] if r.get("pid", self.pid) == self.pid]
        self.health = self.reports[-1]["health"]
        for r in self.rows:
            if "stack" not in groups:  # what no stack stands for has no histogram
                sound(r)
        assert self.health["lost"] == 0 and self.health["map_full"] == 0, self.health

    def sums(self, *keys):
        """{keys of a row: (count, bytes)}, all intervals together."""
        all_of = collections.Counter(), collections.Counter()
        for r in self.rows:
            key = tuple(r[k] for k in keys)
            all_of[0][key] += r["count"]
            all_of[1][key] += r["bytes"]
        return {k: (n, all_of[1][k]) for k, n in all_of[0].items() if n}

    def below(self):
        """The same of what is in the directory, by its name there."""
        prefix = self.directory.rstrip("/") + "/"
        return {(f[len(prefix):], op, error): v
                for (f, op, error), v in self.sums("file", "op", "error").items()
                if f.startswith(prefix)}


def sound(r):
    if not r["count"]:
        return
    assert r["min_ns"] <= r["avg_ns"] <= r["max_ns"], r
    assert r["min_ns"] <= r["p50_ns"] <= r["p95_ns"] <= r["p99_ns"] <= r["max_ns"], r
    assert r["total_ns"] <= r["count"] * r["max_ns"], r
    assert sum(b[2] if isinstance(b, list) else b["count"] for b in r["hist"]) == r["count"], r


def same(wanted, found, what):
    wrong = {k: (found.get(k), wanted.get(k)) for k in set(wanted) | set(found)
             if found.get(k) != wanted.get(k)}
    assert not wrong, f"{what}, found and wanted: {wrong}"
    live.fact(f"{what}: calls", sum(n for n, _ in wanted.values()),
              sum(n for n, _ in found.values()))
    live.fact(f"{what}: bytes", sum(b for _, b in wanted.values()),
              sum(b for _, b in found.values()))


def fs_of(directory):
    """Type and device of a directory's file system, as proftop names it."""
    number = os.stat(directory).st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        words = next(line.split() for line in f if line.split()[2] == device)
    kind, source = words[words.index("-") + 1:][:2]
    return f"{kind} {os.path.basename(source)}" if source.startswith("/dev/") \
        else f"{kind} {device}"


@contextlib.contextmanager
def mounted(*args):
    live.need_root()
    with live.temporary() as path:
        done = subprocess.run(["mount", *args, path], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise live.Skip(f"no mount: {done.stderr.strip()}")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=True)


def whole(directory):
    w = Worked(directory)
    fs = fs_of(directory)
    same(DATA, w.below(), fs.split()[0])
    for r in w.rows:
        if r["op"] in ("read", "write", "create", "fsync") and r["file"].startswith(directory):
            assert r["fs"] == fs, (r["file"], r["op"], r["fs"], fs)
    return w


def test_tmpfs():
    """On tmpfs: every call on every file, to the call and the byte; pipes, sockets and devices"""
    with mounted("-t", "tmpfs", "none") as path:
        w = whole(path)
        found = w.sums("file", "op", "error")
        same(OTHERS, {k: v for k, v in found.items() if k in OTHERS}, "others")
        # And what the workload says at its end.
        assert found[("[pipe]", "write", None)][0] == 50 + 1, found
        waited = [r for r in w.rows if r["file"] == "[pipe]" and r["op"] == "read"]
        assert all(r["waits"] for r in waited), waited
        assert 55e6 < max(r["max_ns"] for r in waited) < 5e9, waited
        assert not any(r["waits"] for r in w.rows if r["op"] == "write"), w.rows


def test_filters():
    """Of a file's reads alone, by a filter of its name and one of the operation"""
    with mounted("-t", "tmpfs", "none") as path:
        w = Worked(path, also=("--filter", f"file=\"{path}/data\" op=read"))
        same({("data", "read", None): DATA["data", "read", None]}, w.below(), "filtered")
        assert {r["file"] for r in w.rows} == {f"{path}/data"}, w.rows


def test_ext4():
    """On ext4 on a loop device: the same, and its device by name"""
    if not shutil.which("mkfs.ext4"):
        raise live.Skip("no mkfs.ext4 here")
    with loop_device() as dev:
        subprocess.run(["mkfs.ext4", "-q", f"/dev/{dev}"], check=True)
        with mounted(f"/dev/{dev}") as path:
            w = whole(path)
            assert {r["fs"] for r in w.rows if r["op"] == "fsync"} == {f"ext4 {dev}"}, w.rows


def test_overlayfs():
    """On overlayfs: paths are those that the program sees"""
    with mounted("-t", "tmpfs", "none") as layers:
        for name in ("lower", "upper", "work"):
            os.mkdir(os.path.join(layers, name))
        with mounted("-t", "overlay", "none", "-o", f"lowerdir={layers}/lower,"
                     f"upperdir={layers}/upper,workdir={layers}/work") as path:
            whole(path)


def test_namespace():
    """In a mount namespace of its own: paths as they are there, through a bind mount"""
    with mounted("-t", "tmpfs", "none") as path:
        os.makedirs(os.path.join(path, "real/deep"))
        os.mkdir(os.path.join(path, "seen"))
        script = 'mount --bind "$0/real" "$0/seen" && exec "$1" "$0/seen/deep"'
        wrap = ["unshare", "-m", "--propagation", "private", "sh", "-c", script, path]
        with contextlib.suppress(FileNotFoundError):
            w = Worked(os.path.join(path, "seen/deep"), wrap=wrap)
            same(DATA, w.below(), "bind mount")
            return
        raise live.Skip("no unshare here")


def test_chroot():
    """In a chroot: paths begin where the mount namespace does"""
    with mounted("-t", "tmpfs", "none") as path:
        os.makedirs(os.path.join(path, "box/inside"))
        os.mkdir(os.path.join(path, "box/dev"))
        os.mkdir(os.path.join(path, "box/proc"))
        w = Worked("/inside", wrap=[sys.executable, "-c", CHROOT, os.path.join(path, "box")],
                   seen_as=os.path.join(path, "box/inside"))
        same(DATA, w.below(), "chroot")


# Opens what is needed before it leaves.
CHROOT = """
import os, shutil, subprocess, sys
box, program = sys.argv[1], sys.argv[2]
for lib in [program] + [w for l in subprocess.check_output(["ldd", program], text=True).splitlines()
                        for w in l.split() if w.startswith("/")]:
    os.makedirs(box + os.path.dirname(lib), exist_ok=True)
    shutil.copy(lib, box + lib)
open(box + "/dev/null", "w").close()
subprocess.run(["mount", "-t", "proc", "none", box + "/proc"], check=True)
os.chroot(box)
os.chdir("/")
os.execv(program, sys.argv[2:])
"""


def test_bytes():
    """Bytes read and written are those that /proc/PID/io counts"""
    with mounted("-t", "tmpfs", "none") as path:
        w = Worked(path)
        own = f"/proc/{w.pid}/io"
        sums = w.sums("file", "op")
        read = sum(b for (f, op), (_, b) in sums.items() if op == "read" and f != own)
        written = sum(b for (f, op), (_, b) in sums.items() if op == "write")
        said = len(json.dumps(w.said)) + 1 - 1  # and less that of the child, which the kernel adds
        live.near(read, w.said["read"], 0, "bytes read", "/proc/PID/io")
        live.near(written - said, w.said["written"], 0, "bytes written", "/proc/PID/io")


def test_stacks():
    """By stack, bytes are those of all calls, as calls are; rows come as --sort says"""
    with mounted("-t", "tmpfs", "none") as path:
        w = Worked(path, also=("--filter", f"dir=\"{path}\"", "--sort", "bytes:asc"),
                   groups="op+stack")
        found = w.sums("op")
        for op in ("read", "write", "fsync", "stat"):
            wanted = [v for (_, o, _), v in DATA.items() if o == op]
            live.near(found[op,][0], sum(n for n, _ in wanted), 0, f"{op}: calls")
            live.near(found[op,][1], sum(b for _, b in wanted), 0, f"{op}: bytes")
        for r in w.reports:
            order = [x["bytes"] for x in r["rows"] if not x["waits"]]
            assert order == sorted(order), order


def test_directories():
    """Each directory has the sums of all that is below it"""
    with mounted("-t", "tmpfs", "none") as path:
        deep = os.path.join(path, "one/two")
        os.makedirs(deep)
        w = Worked(deep, groups="dir+op+pid")
        wanted = collections.Counter()
        for (_, op, _), (n, _) in DATA.items():
            wanted[op] += n
        sums = w.sums("dir", "op")
        for at in (deep, os.path.dirname(deep), path):
            found = {op: n for (d, op), (n, _) in sums.items() if d == at}
            assert found == dict(wanted), (at, found, wanted)
        many = {op: n for (d, op), (n, _) in sums.items() if d == os.path.join(deep, "many")}
        assert many == {"create": 20, "write": 20, "unlink": 20}, many


# Reads 4 KiB at each of N places, twice, without readahead, and once what is in a pipe; says what
# the kernel read from disk for it.
READS = """
import json, os, sys
def disk():
    with open("/proc/self/io") as f:
        return next(int(l.split()[1]) for l in f if l.startswith("read_bytes"))
fd, n, pipe = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), os.pipe()
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
print("ready", os.getpid(), flush=True)
sys.stdin.readline()
before = disk()
for times in range(2):
    for i in range(n):
        assert len(os.pread(fd, 4096, i << 16)) == 4096
os.write(pipe[1], b"x")
os.read(pipe[0], 1)
print(json.dumps(disk() - before), flush=True)
sys.stdin.readline()
"""


def test_cold():
    """Cold reads on ext4 are those that had pages read from the disk, cached ones are the others"""
    if not shutil.which("mkfs.ext4"):
        raise live.Skip("no mkfs.ext4 here")
    n = 300
    with loop_device() as dev:
        subprocess.run(["mkfs.ext4", "-q", f"/dev/{dev}"], check=True)
        with mounted(f"/dev/{dev}") as path:
            file = os.path.join(path, "cold")
            with open(file, "wb") as f:
                f.write(os.urandom(n << 16))
                os.fsync(f.fileno())
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            with subprocess.Popen([sys.executable, "-c", READS, file, str(n)], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as work:
                pid = int(work.stdout.readline().split()[1])
                with live.Watch("files", "--pid", pid, "--group", "file+op+cache",
                                binary=live.CHECKED) as watch:
                    watch.next()
                    print(file=work.stdin, flush=True)
                    said = json.loads(work.stdout.readline())
                    watch.until(live.now_ns())
                    rows = [r for x in watch.reports for r in x["rows"]]
                print(file=work.stdin, flush=True)
    found = collections.Counter()
    for r in rows:
        if r["file"] in (file, "[pipe]") and r["op"] == "read" and r["count"]:
            found[r["file"] == file, r["cache"]] += r["count"]
    live.near(found[True, "cold"], n, 0, "cold reads")
    live.near(found[True, "cached"], n, 0, "cached reads")
    live.near(found[True, "cold"] * 4096, said, 0, "bytes from the disk", "/proc/PID/io")
    assert set(found) == {(True, "cold"), (True, "cached"), (False, None)}, found


def test_missing():
    """Names that are not there, by process"""
    with mounted("-t", "tmpfs", "none") as path:
        w = Worked(path)
        missing = {(f[len(path) + 1:], op): n
                   for (f, op, e), (n, _) in w.sums("file", "op", "error").items()
                   if e == "ENOENT" and f.startswith(path)}
        assert missing == {("missing", "stat"): 40, ("missing", "open"): 11,
                           ("elsewhere", "access"): 4}, missing
        errors = sum(r["errors"] for r in w.rows)
        live.near(errors, 40 + 11 + 4 + 2 + 3, 0, "errors")


def test_unfinished():
    """A read that goes on since before the watch began is there, of its file, with its age"""
    live.need_root()
    with live.temporary() as path:
        fifo = os.path.join(os.path.realpath(path), "fifo")
        os.mkfifo(fifo)
        with subprocess.Popen(["cat", fifo], stdout=subprocess.DEVNULL) as cat, \
             open(fifo, "wb", buffering=0) as end:
            end.write(b"x")
            try:
                with live.Watch("files", "--group", "file+op+pid") as watch:
                    def is_there():
                        rows = [r for r in watch.next()["rows"]
                                if r["pid"] == cat.pid and r["unfinished"]]
                        return rows and rows[0]["unfinished_ns"] > 1e9 and rows
                    rows = live.wait_for(is_there)
            finally:
                cat.kill()
        assert len(rows) == 1 and rows[0]["file"] == fifo and rows[0]["op"] == "read", rows
        assert rows[0]["unfinished"] == 1 and rows[0]["waits"], rows


if __name__ == "__main__":
    live.main(globals())
