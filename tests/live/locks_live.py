#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Locks: waits whose number and length a workload knows, who holds what, rings of those that wait for
each other; contention in the kernel as bpftrace sees it."""
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import creates  # noqa: E402
import live  # noqa: E402

ROUNDS, HOLD_MS = 8, 20
KINDS = {"plain_mutex": "mutex", "pi_mutex": "mutex", "write_lock": "rwlock", "work_sem": "semaphore",
         "work_cond": "condition", "raw_futex": "futex", "timed_mutex": "mutex"}


class Held:
    """One run of the workload, watched; sums by lock."""

    def __init__(self):
        live.need_root()
        with live.Workload("lock_holds", ROUNDS, HOLD_MS) as work, \
             live.Watch("locks", binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            self.said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            os.kill(work.pid, signal.SIGUSR1)
            self.pid, self.reports = work.pid, watch.reports
        self.sums = collections.defaultdict(collections.Counter)
        self.rows = collections.defaultdict(list)
        for report in self.reports:
            for r in report["rows"]:
                if self.is_ours(r):
                    self.add(r)

    def is_ours(self, r):
        return r["pid"] == self.pid or r["pid"] == self.said["shared"]["waiter"]

    def add(self, r):
        lock = r["lock"] if r["lock"] in self.said else "shared" if r["kind"] == "mutex" else None
        if not lock or not (r["count"] or r["unfinished"]):
            return
        if lock == "shared" and r["pid"] == self.pid:
            return
        self.rows[lock].append(r)
        for field in ("count", "errors", "total_ns"):
            self.sums[lock][field] += r[field]


def held():
    if not hasattr(held, "once"):
        held.once = Held()
    return held.once


def test_waits():
    """Each lock is waited for as often and as long as the workload says"""
    h = held()
    for lock, said in h.said.items():
        s = h.sums[lock]
        ended = s["count"] - (s["errors"] if lock != "timed_mutex" else 0)
        assert ended == ROUNDS, (lock, s, h.rows[lock])
        if lock != "timed_mutex":
            assert said["held_ns"] <= s["total_ns"], (lock, s, said)
        assert s["total_ns"] <= said["waited_ns"], (lock, s, said)
        live.fact(f"waits for {lock}, ms", said["waited_ns"] / 1e6, s["total_ns"] / 1e6,
                  within=(said["waited_ns"] - said["held_ns"]) / 1e6 + 1)


def test_kinds():
    """The kind of a lock is told by who waits; conditions are there to wait"""
    h = held()
    for lock, kind in KINDS.items():
        rows = h.rows[lock]
        assert rows and {r["kind"] for r in rows} == {kind}, (lock, rows)
        assert {r["waits"] for r in rows if r["count"]} == {kind == "condition"}, (lock, rows)


def test_errors():
    """What ran out is apart, by its error"""
    rows = [r for r in held().rows["timed_mutex"] if r["count"]]
    assert sum(r["errors"] for r in rows) == ROUNDS, rows
    assert sum(r["errnos"].get("ETIMEDOUT", 0) for r in rows) == ROUNDS, rows


def test_holders():
    """Who let go of a lock is its holder, with the stack where it did"""
    h = held()
    for lock in KINDS:
        if lock == "timed_mutex":
            continue  # nobody was woken
        holders = [r["holder"] for r in h.rows[lock] if r["count"]]
        assert holders and all(x and x["pid"] == h.pid and x["tid"] == h.pid for x in holders), \
            (lock, holders)
        stacks = [{f["symbol"] for f in x["stack"]} for x in holders]
        assert any("holds_here" in s for s in stacks), (lock, stacks)
    holders = [r["holder"] for r in h.rows["shared"] if r["count"]]
    assert holders and {x["pid"] for x in holders} == {h.pid}, holders


def test_holder_that_ended():
    """A thread that let go of a lock and ended at once has its name"""
    live.need_root()
    program = ("import ctypes, sys, threading, time\nlock = threading.Lock()\n"
               "def holds():\n    ctypes.CDLL(None).prctl(15, b'lets-go')\n    lock.acquire()\n"
               "    time.sleep(0.2)\n    lock.release()\n"
               "sys.stdin.readline()\nt = threading.Thread(target=holds)\nt.start()\n"
               "time.sleep(0.1)\nlock.acquire()\nt.join()\nprint(t.native_id, flush=True)\ninput()\n")
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as work, \
         live.Watch("locks", "-p", work.pid, "--group", "holder", delay=1.5) as watch:
        watch.next()
        work.stdin.write("\n")
        work.stdin.flush()
        tid = int(work.stdout.readline())
        watch.until(live.now_ns())
        work.kill()
    names = {r["holder"]["comm"] for x in watch.reports for r in x["rows"]
             if r["holder"] and r["holder"]["tid"] == tid}
    assert names == {"lets-go"}, (tid, [r for x in watch.reports for r in x["rows"]])


def test_held_uncontended():
    """How long mutexes are had is a question that sees those that nobody waits for, too"""
    live.need_root()
    with live.Workload("lock_holds", ROUNDS, HOLD_MS) as work, \
         live.Watch("pairs", "--ask", "! mutexheld", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        said = json.loads(work.process.stdout.readline())
        watch.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
    found = collections.Counter()
    for r in (r for x in watch.reports for r in x["rows"] if r["count"]):
        names = {f["symbol"] for f in r["ustack"]}
        for leave, lock in (("timed_leave", "timed_mutex"), ("pi_leave", "pi_mutex")):
            if leave in names:
                found[lock, "n"] += r["count"]
                found[lock, "ns"] += r["total_ns"]
    for lock in ("timed_mutex", "pi_mutex"):
        # Its holder has it from before the wait that it sees.
        assert found[lock, "n"] == ROUNDS, (lock, found)
        assert found[lock, "ns"] >= said[lock]["held_ns"], (lock, found, said[lock])


def ring_of(report):
    return report["summary"]["deadlock"]


def rotated(ring):
    at = ring.index(min(ring))
    return ring[at:] + ring[:at]


def test_deadlock():
    """Threads that wait for each other since before are found at once, and the overview says so"""
    live.need_root()
    assert not [x for x in held().reports if held().pid in ring_of(x)]
    with live.Workload("lock_holds", "deadlock", 3) as work:
        ring = json.loads(work.process.stdout.readline())["ring"]
        report = live.batch("-V", "locks", "-p", work.pid, "-d", 1.2, "-n", 1)[0]
        assert rotated(ring_of(report)) == rotated(ring), (ring, report["summary"])
        text = live.proftop("-b", "-V", "locks", "-p", work.pid, "-d", 1.2, "-n", 1).out
        shown = re.search(r"^ +deadlock ([0-9 ]+)$", text, re.M)
        assert shown and rotated(list(map(int, shown[1].split()))) == rotated(ring), (ring, text)
        rows = [r for r in report["rows"] if r["unfinished"] and r["holder"]]
        assert {r["lock"].split("+")[0] for r in rows} == {"ring"}, rows
        assert {r["holder"]["tid"] for r in rows} == set(ring), rows
        assert all(r["unfinished_ns"] > 1e9 for r in rows), rows
        found_in_overview(work.pid)


def on_screen(pid, *texts):
    """A session that waits for texts in the view of a process's locks."""
    with tempfile.NamedTemporaryFile("w", suffix=".script") as script:
        script.write("\n".join([*(f"wait {t}" for t in texts), "quit", ""]))
        script.flush()
        return live.proftop("-V", "locks", "-p", pid, "--script", script.name, "--size", "220x40")


def test_chain():
    """Locks of the heap are named by who takes them, a writer is the holder of its rwlock; who waits for whom
    is drawn as a chain when it is no ring, with where the holders are meanwhile"""
    live.need_root()
    with live.Workload("lock_holds", "chain", 4) as work:
        said = json.loads(work.process.stdout.readline())["chain"]
        links = said[:4]
        report = live.batch("-V", "locks", "-p", work.pid, "-d", 1, "-n", 3)[-1]
        by_stack = live.batch("-V", "locks", "-p", work.pid, "-d", 1, "-n", 1, "--group", "tid,stack")[0]
        drawn = on_screen(work.pid, f"waits: link/{links[0]} -[heap+", f"]-> link/{links[-1]}",
                          f"> link/{links[1]} waits for heap+0x", "pthread_mutex_lock < awaits_next",
                          f"> link/{links[-1]} has it in", "< keeps_it")
    chain = report["summary"]["chain"]
    assert [w["tid"] for w in chain] == links[:3], (said, chain)
    assert [w["holder_tid"] for w in chain] == links[1:], (said, chain)
    assert report["summary"]["deadlock"] == [], report["summary"]
    rows = [r for r in report["rows"] if r["unfinished"]]
    assert len(rows) == 4, rows
    for r in rows:
        writer = r["kind"] == "rwlock"
        where = "awaits_writer" if writer else "awaits_next"
        assert re.fullmatch(rf"heap\+0x[0-9a-f]+ in {where}", r["lock"]), r
        assert writer or r["kind"] == "mutex", r
        assert r["holder"]["tid"] == links[-1] if writer else r["holder"]["tid"] in links[1:], (said, r)
        where = "keeps_it" if r["holder"]["tid"] == links[-1] else "awaits_next"
        assert where in {f["symbol"] for f in r["holder"]["stack"]}, r
    assert drawn.status == 0, drawn
    for w in chain:
        assert "awaits_next" in {f["symbol"] for f in w["stack"]}, w
    waiters = {r["tid"]: {f["symbol"] for f in r["stack"]} for r in by_stack["rows"] if r["unfinished"]}
    assert set(waiters) == {*links[:3], said[4]}, (said, by_stack["rows"])
    assert all(("awaits_writer" if tid == said[4] else "awaits_next") in names and "link_of_chain" in names
               for tid, names in waiters.items()), waiters


def found_in_overview(pid):
    report = live.batch("-V", "overview", "-d", 2, "-n", 1)[0]
    found = [r for r in report["rows"] if r["rule"] == "deadlock" and r["pid"] == pid]
    assert len(found) == 1 and found[0]["severity"] == "critical", report["rows"]
    assert found[0]["view"] == "locks", found


def orders_of(*steps):
    """What is said of a program that takes mutexes in these orders: (cycles, report, pid)."""
    live.need_root()
    with live.Workload("lock_holds", "order", *steps) as work, \
         live.Watch("locks", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        done = json.loads(work.process.stdout.readline())["steps"]
        assert done == sum(s != "one" for s in steps), done
        watch.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
        report = watch.reports[-1]
        return report["summary"]["may_deadlock"], report, work.pid


def pairs_of(cycle):
    return {(o["first"][-1], o["second"][-1]) for o in cycle}


def test_both_orders():
    """Two mutexes taken in both orders are found before anything hangs, with the stacks of both"""
    cycles, report, pid = orders_of("AB", "BA")
    assert len(cycles) == 1 and report["summary"]["deadlock"] == [], report["summary"]
    assert pairs_of(cycles[0]) == {("a", "b"), ("b", "a")}, cycles
    assert {o["first"] for o in cycles[0]} == {"mutex_a", "mutex_b"}, cycles
    assert {(o["pid"], o["comm"]) for o in cycles[0]} == {(pid, "taker")}, cycles
    assert len({o["tid"] for o in cycles[0]}) == 2, cycles
    for order in cycles[0]:
        way = "take_upward" if order["first"] < order["second"] else "take_downward"
        assert way in {f["symbol"] for f in order["stack"]}, order


def test_longer_cycle():
    """Three mutexes of which each is taken before the next one"""
    cycles = orders_of("AB", "BC", "CA")[0]
    assert [pairs_of(c) for c in cycles] == [{("a", "b"), ("b", "c"), ("c", "a")}], cycles


def test_orders_that_agree():
    """Nothing is said of one order, of what is let go of before, of one thread, of waits for a time"""
    for steps in (("AB", "AB"), ("AB", "BC", "AC"), ("A-B", "BA"), ("one", "AB", "BA"), ("AB", "Ba")):
        assert orders_of(*steps)[0] == [], steps


def test_guards():
    """A mutex that is taken before both of them makes both orders safe; taken once without it they are not"""
    for steps in (("GAB", "GBA"), ("GAB", "gBA")):
        assert orders_of(*steps)[0] == [], steps
    for steps in (("GAB", "BA"), ("GAB", "GBA", "BA")):
        cycles = orders_of(*steps)[0]
        assert [pairs_of(c) for c in cycles] == [{("a", "b"), ("b", "a")}], (steps, cycles)


def said_of(*mode):
    """What is said of lock_orders, and how many waits were seen."""
    live.need_root()
    with live.Workload("lock_orders", *mode) as work, \
         live.Watch("locks", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        done = json.loads(work.process.stdout.readline())["rounds"]
        watch.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
    assert not [x for x in watch.reports if ring_of(x)], "nothing ever hung"
    cycles = watch.reports[-1]["summary"]["may_deadlock"]
    return cycles, sum(r["count"] for x in watch.reports for r in x["rows"]), done


def test_right_orders():
    """Nothing is said of trylock, recursion, conditions, hand over hand, and of 20 mutexes held at once"""
    for mode in ("trylock", "recursive", "condition", "hand_over_hand", "many"):
        cycles, waits, done = said_of(mode, 1)
        live.fact(f"{mode}: rounds, waits", done, waits)
        assert done and waits > 10, (mode, done, waits)
        assert cycles == [], (mode, cycles)


def test_wrong_orders():
    """Both orders are found through recursion, trylock, and from the first of 20 mutexes to the last"""
    for n, kind in ((2, "plain"), (2, "recursive"), (2, "trylock"), (20, "plain")):
        cycles = said_of("wrong", n, kind)[0]
        found = [{(o["first"], o["second"]) for o in c} for c in cycles]
        last = f"many+{hex((n - 1) * 40)}"
        assert {("many", last), (last, "many")} in found, (n, kind, found)


def test_musl():
    """Locks of musl, whose library has no tables to walk by: as often as they were waited for, by their symbols"""
    live.need_root()
    if not shutil.which("musl-gcc"):
        raise live.Skip("no musl-gcc")
    with live.temporary() as folder:
        path = os.path.join(folder, "holds")
        beside = [x for d in ("", "/x86_64-linux-gnu") for x in ("-idirafter", f"/usr/include{d}")]
        subprocess.run(["musl-gcc", "-O1", "-g", *beside, "-o", path,
                        os.path.join(live.ROOT, "tests/workloads/lock_holds.c")], check=True)
        with live.Workload("", ROUNDS, HOLD_MS, path=path) as work, \
                live.Watch("locks", "-p", work.pid, binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            os.kill(work.pid, signal.SIGUSR1)
    counts, kinds = collections.Counter(), collections.defaultdict(set)
    for r in (r for x in watch.reports for r in x["rows"] if r["count"] and r["kind"] != "kernel"):
        lock = r["lock"] if r["lock"] in said else "work_cond"  # its word is the waiter's own
        counts[lock] += r["count"]
        kinds[lock].add(r["kind"])
    for lock in ("plain_mutex", "pi_mutex", "write_lock", "work_sem", "work_cond", "raw_futex", "timed_mutex"):
        live.fact(f"musl: waits for {lock}", ROUNDS, counts[lock])
        assert counts[lock] == ROUNDS, (lock, counts)
    for lock, kind in KINDS.items():
        # A writer's lock and a semaphore look the same, so they are called futexes.
        assert kinds[lock] == {"futex" if kind in ("rwlock", "semaphore") else kind}, (lock, kinds)


def rust_program(folder):
    """Built with the crates that Debian has."""
    crates = [d for d in ("/usr", f"{live.BUILD}/servers/usr") for d in [f"{d}/share/cargo/registry"]
              if glob.glob(f"{d}/parking_lot-*")]
    cargo = shutil.which("cargo") or shutil.which("/root/.cargo/bin/cargo")
    if not crates or not cargo:
        raise live.Skip("no cargo, or no librust-parking-lot-dev")
    os.makedirs(f"{folder}/src")
    os.makedirs(f"{folder}/.cargo")
    shutil.copy(os.path.join(live.ROOT, "tests/workloads/locks/parks.rs"), f"{folder}/src/main.rs")
    with open(f"{folder}/Cargo.toml", "w", encoding="ascii") as f:
        f.write('[package]\nname = "parks"\nversion = "0.1.0"\nedition = "2021"\n'
                '[dependencies]\nparking_lot = "0.12"\n[profile.release]\ndebug = 1\n')
    with open(f"{folder}/.cargo/config.toml", "w", encoding="ascii") as f:
        f.write(f'[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "{crates[0]}"\n')
    path = ":".join((os.path.dirname(cargo), os.environ["PATH"]))
    subprocess.run([cargo, "build", "--release", "--offline", "-q"], cwd=folder, check=True,
                   env={**os.environ, "PATH": path})
    return f"{folder}/target/release/parks"


def test_rust():
    """Rust: parking_lot's locks, whose threads wait in words of their own, by where they are waited for; std's"""
    live.need_root()
    with live.temporary() as folder:
        with subprocess.Popen([rust_program(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as work:
            work.stdout.readline()
            with live.Watch("locks", "-p", work.pid, binary=live.CHECKED) as watch:
                for word in "first", "done":
                    watch.until(live.now_ns())
                    before = live.now_ns()
                    work.stdin.write("\n")
                    work.stdin.flush()
                    assert work.stdout.readline().strip() == word
                watch.until(live.now_ns())
            work.kill()
    counts = collections.Counter()
    for r in (r for x in watch.reports if x["t1_ns"] > before for r in x["rows"] if r["kind"] != "kernel"):
        # Statics have symbols, or none, by the compiler's version.
        name = re.sub(r"^parks::STD_(MUTEX|BOOK)$|^parks\+0x[0-9a-f]+ in parks::waits_std(_read)?$", "std", r["lock"])
        counts[name, r["kind"]] += r["count"]
    wanted = {("parking_lot in parks::waits_mutex", "mutex"), ("parking_lot in parks::waits_read", "rwlock"),
              ("parking_lot in parks::waits_condition", "condition"), ("std", "mutex"), ("std", "rwlock")}
    assert {k: counts[k] for k in wanted} == {k: 8 for k in wanted}, counts


def test_found_soon():
    """Two threads that hang since before are named within 2 s of when proftop is begun, by itself and in the overview"""
    live.need_root()
    with live.Workload("lock_holds", "deadlock", 2) as work:
        ring = json.loads(work.process.stdout.readline())["ring"]
        with live.Watch("locks", "-p", work.pid, delay=0.2) as watch:  # as users have it
            begin = watch.next()["t0_ns"]
            while not ring_of(watch.reports[-1]):
                assert len(watch.reports) < 50, watch.reports[-1]["summary"]
                watch.next()
        report = watch.reports[-1]
    assert rotated(ring_of(report)) == rotated(ring), (ring, report["summary"])
    live.near((report["t1_ns"] - begin) / 1e9, 1, 1, "seconds until the deadlock is named")


def test_oracles():
    """helgrind and TSan on the same programs: both orders are wrong to them, one order and guards right"""
    if not shutil.which("valgrind"):
        raise live.Skip("no valgrind")
    source = os.path.join(live.ROOT, "tests/workloads/lock_holds.c")
    with live.temporary() as folder:
        sanitized = os.path.join(folder, "sanitized")
        subprocess.run(["gcc", "-g", "-O1", "-fsanitize=thread", "-o", sanitized, source], check=True,
                       stderr=subprocess.DEVNULL)
        for steps, wrong in ((("AB", "BA"), True), (("AB", "BC", "CA"), True), (("AB", "AB"), False),
                             (("AB", "BC", "AC"), False)):
            ours = bool(orders_of(*steps)[0])
            others = {name: judged(folder, *command, "order", *steps) for name, command in
                      (("helgrind", ["valgrind", "--tool=helgrind", os.path.join(live.WORKLOADS, "lock_holds")]),
                       ("TSan", ["setarch", "-R", sanitized]))}
            assert {"proftop": ours, **others} == dict.fromkeys(("proftop", "helgrind", "TSan"), wrong), \
                (steps, ours, others)


def judged(folder, *command):
    """Whether another tool says that locks are taken in orders that contradict each other, by itself: what tests tell
    their own sanitizers is not for it."""
    env = {k: v for k, v in os.environ.items() if not k.endswith("SAN_OPTIONS")}
    with open(f"{folder}/judged", "w+", encoding="utf-8") as log:
        with live.Workload("", *command[1:], path=command[0], stderr=log, env=env) as work:
            os.kill(work.pid, signal.SIGUSR1)
            assert "steps" in work.process.stdout.readline()
            os.kill(work.pid, signal.SIGUSR1)
            work.process.wait(60)
        log.seek(0)
        return bool(re.search(r"lock order .* violated|lock-order-inversion", log.read()))


MAPS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static volatile int stop;
static void *maps(void *arg)
{
	while (!stop) {
		char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		munmap(p, 1 << 16);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	int n = argc > 1 ? 1 : 4;
	printf("ready %d\n", getpid());
	fflush(stdout);
	getchar();
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, maps, NULL);
	sleep(2);
	stop = 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
"""


BPFTRACE = """
BEGIN { printf("ready\\n"); }
tracepoint:lock:contention_end { @ends[pid] = count(); }
"""


class Peer:
    """bpftrace on the same events, where it runs; tracefs is mounted for it alone."""

    def __init__(self):
        script = ("mount -t tracefs nodev /sys/kernel/tracing 2> /dev/null; "
                  "exec bpftrace -e '" + BPFTRACE + "'")
        self.process = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", script], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.runs = any(line.startswith("ready") for line in self.process.stdout)

    def counts(self):
        """{pid: contentions}; None: it does not run here."""
        if not self.runs:
            return None
        self.process.send_signal(signal.SIGINT)
        out = self.process.communicate(timeout=30)[0]
        return {int(pid): int(n) for pid, n in re.findall(r"@ends\[(\d+)\]: (\d+)", out)}


UNIT_NS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}


class PerfPeer:
    """perf lock contention on the same events: on what perf record has of them, as Debian's has no -b."""

    def __init__(self, folder):
        self.data = f"{folder}/perf.data"
        record = f"mount -t tracefs nodev /sys/kernel/tracing 2> /dev/null; exec perf record -q -a -m 4M " \
                 f"-e lock:contention_begin,lock:contention_end -o {self.data} -- sh -c 'echo ready; read line'"
        self.process = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", record], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.runs = self.process.stdout.readline() == "ready\n"

    def threads(self):
        """{tid: (contentions, ns)}; None: it does not run here."""
        self.process.communicate("\n", timeout=live.LIMIT_S)
        if not self.runs:
            return None
        done = subprocess.run(["perf", "lock", "contention", "-t", "-i", self.data], capture_output=True, text=True,
                              timeout=live.LIMIT_S, check=True)
        rows = re.findall(r"^ +(\d+) +([0-9.]+) (\w+) +.* +(\d+) +\S+$", done.stderr, re.M)
        return {int(tid): (int(n), float(total) * UNIT_NS[unit]) for n, total, unit, tid in rows}


def create_files():
    """Several that need the same directory's lock, begun together; their pids."""
    with creates.loads(2) as work:
        creates.begin(work)
        for p in work:
            p.wait()
    return {p.pid for p in work}


def test_kernel():
    """Contention in the kernel: as often as bpftrace sees and perf lock contention has it, and as long; by type and
    who takes it, and who has it"""
    live.need_root()
    with live.temporary() as folder, live.Watch("locks", "--group", "lock,pid",
                                                binary=live.CHECKED) as watch:
        watch.next()
        peer, perf = Peer(), PerfPeer(folder)
        pids = create_files()
        ended = live.now_ns()
        counts, threads = peer.counts(), perf.threads()
        watch.until(ended)
        rows = [r for x in watch.reports for r in x["rows"] if r["kind"] == "kernel"]
        lost = sum(x["health"]["lost"] + x["health"]["map_full"] for x in watch.reports)
    ours = [r for r in rows if r["pid"] in pids]
    waited = [r for r in ours if r["lock"].startswith("rwsem:W in ")]
    assert waited, sorted({r["lock"] for r in rows})
    assert {r["holder"]["pid"] for r in waited if r["holder"]} & pids, waited
    for r in rows:
        assert re.match(r"(\S+ )?\S+( in \S+)?$", r["lock"]), r["lock"]
    for pid in pids if counts is not None else ():
        n = sum(r["count"] for r in ours if r["pid"] == pid)
        # What interrupts a program of proftop's is left out.
        live.near_peer(n, ("bpftrace", counts.get(pid, 0)), 2 + 0.02 * n + lost,
                       f"contentions of process {pid}")
    for pid in pids if threads is not None else ():
        n, ns = (sum(r[field] for r in ours if r["pid"] == pid) for field in ("count", "total_ns"))
        theirs = threads.get(pid, (0, 0))
        live.near_peer(n, ("perf lock contention", theirs[0]), 2 + 0.02 * n + lost, f"contentions of process {pid}")
        live.near_peer(ns / 1e6, ("perf lock contention", theirs[1] / 1e6), 1 + 0.03 * ns / 1e6,
                       f"ms of them, process {pid}")


def test_kernel_callers():
    """Who takes a lock of the kernel, which is read from where it was on the stack before, is on the stack that is walked"""
    live.need_root()
    with live.Watch("locks", "--group", "lock,stack") as watch:
        watch.next()
        create_files()
        watch.until(live.now_ns())
    rows = [(r["lock"].split(" in ")[1], [f["symbol"] for f in r["stack"]], r["count"])
            for x in watch.reports for r in x["rows"]
            if r["kind"] == "kernel" and " in " in r["lock"] and r["stack"] and r["count"]]
    assert sum(n for *_, n in rows) > 300, rows
    assert not (wrong := [(caller, stack) for caller, stack, _ in rows if caller not in stack]), wrong
    notes = {x["health"].get("note") or "" for x in watch.reports}
    assert not any("wrong place" in n for n in notes), notes


def test_mmap_lock():
    """mmap_lock by process: the one whose threads map at once waits for its own, the one with one thread for none"""
    live.need_root()
    with live.temporary() as folder:
        path = os.path.join(folder, "maps")
        subprocess.run(["gcc", "-O1", "-pthread", "-x", "c", "-", "-o", path], input=MAPS, text=True, check=True)
        with live.Workload("", path=path, stdin=subprocess.PIPE) as many, \
                live.Workload("", "one", path=path, stdin=subprocess.PIPE) as one, \
                live.Watch("locks", "--group", "lock,pid") as watch:
            watch.next()
            peer = Peer()
            for work in (many, one):
                work.process.stdin.write("\n")
                work.process.stdin.flush()
            for work in (many, one):
                work.process.wait(30)
            ended = live.now_ns()
            counts = peer.counts()
            watch.until(ended)
    ours = collections.Counter()
    for r in (r for x in watch.reports for r in x["rows"] if r["kind"] == "kernel"):
        ours[r["pid"], r["lock"].startswith("mmap_lock ")] += r["count"]
    assert ours[many.pid, True] > 50, ours
    assert not ours[one.pid, True], ours
    lost = sum(x["health"]["lost"] + x["health"]["map_full"] for x in watch.reports)
    if counts is not None:
        n = ours[many.pid, True] + ours[many.pid, False]
        live.near_peer(n, ("bpftrace", counts.get(many.pid, 0)), 2 + 0.02 * n + lost, "contentions of the process")


if __name__ == "__main__":
    live.main(globals())
