# SPDX-License-Identifier: GPL-2.0-only
"""What the live tests share: TAP, workloads, runs of proftop. Nothing here sleeps for luck:
what is waited for is polled, with a limit."""
import contextlib
import ctypes
import fcntl
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.join(ROOT, "build")
# Where large files and programs with rights can be made: of a disk, not noexec.
FOLDER = os.environ.get("PROFTOP_TEST_FOLDER", BUILD)
WORKLOADS = os.path.join(BUILD, "workloads")
RELEASE = os.path.join(BUILD, "proftop")  # as users have it: for figures
CHECKED = os.path.join(BUILD, "asan/proftop")  # under ASan and UBSan: for everything else
LIMIT_S = float(os.environ.get("PROFTOP_TEST_LIMIT", 60))  # of one run; emulated machines are slow
CLONE_NEWNS = 0x20000  # of unshare(2)
ASAN_REPORT = "ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer"


class Skip(Exception):
    pass


def main(cases, name=None):
    """Runs the functions named test_* of a module, in the order they are written; arguments name
    some, by their functions or titles."""
    if isinstance(cases, dict):
        cases = [f for n, f in cases.items() if n.startswith("test_") and callable(f)]
    only = sys.argv[1:]
    cases = [c for c in cases if not only or c.__name__ in only or title_of(c) in only]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for n, case in enumerate(cases, 1):
        title = title_of(case)
        try:
            case()
            print(f"ok {n} - {title}", flush=True)
        except Skip as why:
            print(f"ok {n} - {title} # SKIP {why}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {n} - {title}")
            for line in traceback.format_exc(limit=-2).splitlines()[:40]:
                print(f"# {line[:2000]}")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)


def need_root():
    if os.geteuid():
        raise Skip("needs root")


def wait_for(what, seconds=10.0, step=0.02):
    """Polls until what() is true and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"nothing after {seconds} s: {what.__doc__ or what}")
        time.sleep(step)


class Workload:
    """A program of tests/workloads, running; `with` ends it."""

    def __init__(self, name, *args, wrap=(), path=None, **popen):
        path = path or os.path.join(WORKLOADS, name)
        self.process = subprocess.Popen([*wrap, path, *map(str, args)], stdout=subprocess.PIPE,
                                        text=True, **popen)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.process.kill()
            raise AssertionError(f"{name} said {line!r} instead of ready")
        self.pid = int(line.split()[1])

    def cpu_seconds(self):
        """CPU time its threads used so far."""
        total = 0
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{tid}/schedstat", encoding="ascii") as f:
                total += int(f.read().split()[0])
        return total / 1e9

    def result(self):
        """Waits for its end and returns what it says it did."""
        out, _ = self.process.communicate(timeout=60)
        return json.loads(out) if out.strip() else {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.process.communicate()


class Run:
    def __init__(self, args, status, out, err):
        self.args, self.status, self.out, self.err = args, status, out, err

    def __str__(self):
        return (f"proftop {' '.join(self.args)}\nstatus {self.status}\n"
                f"out: {self.out[:700]}\nerr: {self.err[:700]}")

    def json(self):
        return [json.loads(line) for line in self.out.splitlines() if line]


def environment(**more):
    """As the tests want it: no user's settings, UTF-8."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "PROFTOP_"))}
    env.update({"LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
                "LSAN_OPTIONS": "print_suppressions=0", **more})
    return env


def proftop(*args, binary=None, timeout=LIMIT_S, wrap=(), **popen):
    """Runs it to its end. A sanitizer's report fails whoever called."""
    command = [*wrap, binary or CHECKED, *map(str, args)]
    popen.setdefault("env", environment())
    popen.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, **popen)
    run = Run(list(map(str, args)), done.returncode, done.stdout.decode(errors="replace"),
              done.stderr.decode(errors="replace"))
    for mark in ASAN_REPORT:
        assert mark not in run.err, str(run)
    return run


class Broken(RuntimeError):
    """It did not do what it was told to: no figure of a busy machine, and never forgiven."""


def batch(*args, status=0, drop_output=False, **kw):
    """One JSON object an interval. drop_output: what a command prints is none of them."""
    run = proftop("--batch", "--format", "json", *args, **kw)
    if run.status != status:
        raise Broken(str(run))
    if drop_output:
        run.out = "\n".join(x for x in run.out.splitlines() if x.startswith('{"schema"'))
    reports = run.json()
    assert reports, str(run)
    for r in reports:
        check_report(r)
    return reports


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Watch:
    """proftop in batch mode on a view, interval after interval, until stop(). What it says waits
    in a pipe that is large, so that it goes on while nobody reads."""

    def __init__(self, view, *options, delay=0.5, binary=RELEASE, wrap=()):
        need_root()
        command = [*wrap, binary, "-b", "-V", view, "--format", "json", "-d", delay, "-n", 100000,
                   *options]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment())
        fcntl.fcntl(self.process.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.reports = []

    def next(self):
        line = self.process.stdout.readline()
        if not line:
            raise Broken(self.process.stderr.read()[:500])
        self.reports.append(json.loads(line))
        check_report(self.reports[-1])
        return self.reports[-1]

    def until(self, t_ns):
        """Reads on until an interval has ended that began after t_ns."""
        while not self.reports or self.reports[-1]["t0_ns"] < t_ns:
            self.next()

    def since(self, t_ns):
        """The intervals that began after t_ns, as far as they are read."""
        return [r for r in self.reports if r["t0_ns"] >= t_ns]

    def stop(self, limit=30):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=limit)
        for mark in ASAN_REPORT:
            assert mark not in err, err[:2000]
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()


HEALTH = "samples", "lost", "map_full", "stacks_truncated_pct", "self_cpu_pct", "tier"


def check_report(r):
    """What holds for every report whatever was measured."""
    assert r["schema"] == "proftop/1", r["schema"]
    for key in ("view", "seq", "t0_ns", "t1_ns", "host", "kernel", "scope", "summary", "rows"):
        assert key in r, f"no {key}"
    for key in HEALTH:
        assert key in r["health"], f"no health.{key}"
    # What all runs cost is told from few: far off at worst, never a time since the machine began.
    assert 0 <= r["health"].get("cost_pct", 0) < 1000, r["health"]
    assert r["t1_ns"] > r["t0_ns"] and isinstance(r["t0_ns"], int)
    # Of a run of a program: a begin that was not noted would make it as long as the machine is up.
    assert r["health"].get("cost_ns", 0) < 1e9, r["health"]


def rows_by(report, key):
    return {row[key]: row for row in report["rows"]}


def row(report, symbol):
    """The row of a symbol; rows of several files with it are summed, a missing one is zero."""
    whole = {"self_pct": 0.0, "total_pct": 0.0, "self_count": 0, "total_count": 0, "kind": None,
             "object": None}
    for r in report["rows"]:
        if r["symbol"] == symbol:
            whole.update(kind=r["kind"], object=r["object"])
            for key in ("self_pct", "total_pct", "self_count", "total_count"):
                whole[key] += r[key]
    return whole


def conserved(report):
    """Every counted sample is in some row, and the shares are shares of it all."""
    samples = report["health"]["samples"]
    total = sum(r["self_count"] for r in report["rows"])
    assert total == samples, f"{total} samples in rows, {samples} counted"
    if samples:
        pct = sum(r["self_pct"] for r in report["rows"])
        assert abs(pct - 100) <= 0.1, f"self_pct sums to {pct}"


# Who says what was true.
CONSTRUCTION = "by construction"
LOG = "the workload's log"
CLOCK = "the thread's CPU clock"
SCHEDSTAT = "schedstat"
INTERVAL = "the interval"
ITSELF = "another sum of proftop's"


def fact(what, truth, ours, within=0, judge=CONSTRUCTION):
    """What was true, what proftop said, and how far apart the two may be: a row of
    docs/ACCURACY.md when it is made (tests/accuracy.py). judge: who says what was true."""
    put_fact(what=what, truth=truth, judge=judge, ours=ours, peer=None, said=None, within=within)


def facts_file():
    return os.environ.get("PROFTOP_FACTS")


def facts_so_far():
    """A mark for forget_facts()."""
    return os.path.getsize(facts_file()) if facts_file() else 0


def forget_facts(mark):
    """What was compared since then is tried again."""
    if facts_file():
        os.truncate(facts_file(), mark)


def title_of(case):
    return (case.__doc__ or case.__name__).strip().splitlines()[0].rstrip(".")


def put_fact(**fields):
    if not facts_file():
        return
    found = next(f for f in inspect.stack() if f.function.startswith("test_"))
    title = title_of(found.frame.f_globals[found.function])
    with open(facts_file(), "a", encoding="utf-8") as f:
        f.write(json.dumps({"case": title, **fields}) + "\n")


def near(value, wanted, within, what="value", judge=CONSTRUCTION):
    fact(what, wanted, value, within, judge)
    assert abs(value - wanted) <= within, f"{what} is {value}, wanted {wanted} +- {within}"


def near_peer(value, peer, within, what, truth=None, judge=CONSTRUCTION):
    """The same of another tool on the same seconds: peer is its name and what it said. truth, and
    who says so: where that is known besides."""
    name, said = peer
    put_fact(what=what, truth=truth, judge=judge, ours=value, peer=name, said=said, within=within)
    assert abs(value - said) <= within, f"{what} is {value}, {name} says {said} +- {within}"


@contextlib.contextmanager
def temporary():
    with tempfile.TemporaryDirectory(prefix="proftop-live-") as path:
        os.chmod(path, 0o755)
        yield path


def syncfs(fd):
    """Has a file system written what is dirty, by its workers."""
    if ctypes.CDLL(None, use_errno=True).syncfs(fd):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount_tracefs():
    """Where nobody has, for this process and those that it starts, in a mount namespace of their own."""
    if os.path.exists("/sys/kernel/tracing/events") or ctypes.CDLL(None).unshare(CLONE_NEWNS):
        return
    subprocess.run(["mount", "--make-rprivate", "/"], check=False)
    subprocess.run(["mount", "-t", "tracefs", "nodev", "/sys/kernel/tracing"], check=False)


def fdinfos(pid):
    """What the kernel says of each descriptor of a process; those that are closed meanwhile are left out."""
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
            yield f.read()


def held(pid):
    """The BPF objects that a process has open, as (kind, id)."""
    found = set()
    for text in fdinfos(pid):
        found.update(re.findall(r"^(prog|link|map)_id:\s+(\d+)$", text, re.M))
    return {(kind, int(number)) for kind, number in found}


def loaded():
    """All BPF objects that the kernel has, as (kind, id)."""
    found = set()
    for kind in ("prog", "link", "map"):
        done = subprocess.run([bpftool(), kind, "list", "-j"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise Broken(f"bpftool {kind} list: {done.stderr.decode()[:300]}")
        found.update((kind, item["id"]) for item in json.loads(done.stdout or b"[]")
                     if "id" in item)
    return found


def bpftool():
    for path in ("/usr/sbin/bpftool", "/usr/local/sbin/bpftool"):
        if os.path.exists(path):
            return path
    return "bpftool"
