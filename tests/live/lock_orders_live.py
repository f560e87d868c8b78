#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Orders of locks that nobody waits for (--lock-orders): programs whose orders are known, one thread after the other, so
that none ever meets another one; helgrind and TSan say of the same programs what is wrong."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

ROUNDS = 3
ALL = "ABCDEFGHIJKLMNOPQRST"  # 20 at once

# Kind, steps, and the pairs of each cycle; in the order of tests/workloads/lock_steps.c's letters.
WRONG = [
    ("plain", ("ABba", "BAab"), ["AB BA"]),
    ("plain", ("ABba", "BCcb", "CAac"), ["AB BC CA"]),
    ("recursive", ("AABbaa", "BAab"), ["AB BA"]),
    ("errorcheck", ("ABba", "BAab"), ["AB BA"]),
    ("robust", ("ABba", "BAab"), ["AB BA"]),
    ("pi", ("ABba", "BAab"), ["AB BA"]),
    ("shared", ("ABba", "BAab"), ["AB BA"]),
    ("c11", ("ABba", "BAab"), ["AB BA"]),
    ("rwlock", ("ABba", "BAab"), ["AB BA"]),
    ("rwlock", ("ABba", "B%Aab"), ["AB BA"]),  # a reader waits for the writer
    ("rwlock", ("%ABba", "BAab"), ["AB BA"]),  # a writer for the reader
    ("rwlock", ("%ABba", "%BAab"), ["AB BA"]),
    ("rwlock", ("%GABbag", "%GBAabg"), ["AB BA"]),  # who reads keeps no other reader away
    ("plain", ("?ABba", "BAab"), ["AB BA"]),   # what was had at once is had
    ("plain", ("BA@Bab", "BAab"), ["AB BA"]),  # what a condition lets go of is waited for with A at hand
    ("plain", ("ABaAab", "ABaAab"), ["AB BA"]),  # not let go of in the order of taking
    ("plain", ("GABbag", "BAab"), ["AB BA"]),
    ("plain", ("ABba", "GABbag", "GBAabg"), ["AB BA"]),  # once without what guards it
    ("plain", (ALL + ALL[::-1].lower(), "TAat"), ["AT TA"]),
]
RIGHT = [
    ("plain", ("ABba", "ABba")),
    ("plain", ("ABba", "BCcb", "ACca")),
    ("plain", ("AaBb", "BbAa")),
    ("plain", ("ABba", "B?Aab")),
    ("plain", ("ABba", "B~Aab")),
    ("plain", ("ABba", "!A!B", "BAab")),     # other locks at the same place
    ("c11", ("ABba", "!A!B", "BAab")),
    ("rwlock", ("ABba", "!A!B", "BAab")),
    ("rwlock", ("%A%Bba", "%B%Aab")),        # readers wait for no readers
    ("rwlock", ("%A%Bba", "%BAab")),
    ("rwlock", ("%AaBb", "BAab")),
    ("recursive", ("ABAaba", "ABba")),       # what it has already
    ("errorcheck", ("AAaBb", "BAab")),       # the second time fails
    ("plain", ("B@Bb", "ABba")),
    ("plain", ("ABaCbDcd", "ACca", "BDdb")), # hand over hand
    ("plain", ("GABbag", "GBAabg")),         # one is always had before both
    ("plain", (ALL + ALL[::-1].lower(), "ATta")),
]
# What helgrind and TSan know, too; tests/lock_oracles.py asks all of them.
JUDGED = [(*WRONG[i][:2], True) for i in (0, 1, 2, 4, 5, 7, 8)] + [(*RIGHT[i], False) for i in (0, 1, 2, 5, 11)]


def letter(lock):
    found = re.fullmatch(r"locks(?:\+0x([0-9a-f]+))?", lock)
    return chr(ord("A") + int(found.group(1) or "0", 16) // 64)


def pairs_of(cycle):
    return " ".join(sorted(letter(o["first"]) + letter(o["second"]) for o in cycle))


class Seen:
    """One run of the workload, watched."""

    def __init__(self, kind, steps, *, rounds=ROUNDS, path=None, options=("--lock-orders",), after=0,
                 binary=live.CHECKED):
        live.need_root()
        args = {"path": path} if path else {}
        with live.Workload("" if path else "lock_steps", kind, rounds, *steps, **args) as work, \
             live.Watch("locks", *options, "-p", work.pid, binary=binary) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            self.said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns() + after)
            os.kill(work.pid, signal.SIGUSR1)
            self.status = work.process.wait(20)
        self.reports = watch.reports
        self.cycles = watch.reports[-1]["summary"]["may_deadlock"]
        self.note = watch.reports[-1]["health"]["note"]


@contextlib.contextmanager
def killed(*command):
    """A program that talks by lines, and is killed in the end."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as work:
        try:
            work.stdout.readline()
            yield work
        finally:
            os.killpg(work.pid, signal.SIGKILL)


def goes_on(work, watch):
    """It does what it is there for, and that is seen."""
    watch.next()
    work.stdin.write("\n")
    work.stdin.flush()
    assert work.stdout.readline() == "done\n"
    watch.until(live.now_ns())


def test_wrong():
    """Each cycle is found though no lock was ever waited for, with how often, and the stacks of both ends"""
    for kind, steps, cycles in WRONG:
        seen = Seen(kind, steps)
        found = list(map(pairs_of, seen.cycles))
        # Of each order in between there is a longer cycle, too.
        assert found == cycles if ALL not in steps[0] else cycles[0] == found[0], (kind, steps, found)
        for order in seen.cycles[0]:
            ends = order["first_stack"], order["stack"]
            assert all("once" in {f["symbol"] for f in s} for s in ends), (kind, steps, order)
            assert order["comm"] == "taker", order


def test_counts():
    """How often each order was taken"""
    seen = Seen("plain", ("ABba", "BAab", "ABba"), rounds=1000)
    counts = {letter(o["first"]): o["count"] for o in seen.cycles[0]}
    assert counts == {"A": 2000, "B": 1000}, counts
    live.fact("orders A then B, B then A", 3000, sum(counts.values()))


def test_right():
    """Nothing is said of orders that agree, of tries, of what is let go of, of other locks at the same place, of guards"""
    for kind, steps in RIGHT:
        seen = Seen(kind, steps)
        assert seen.said["calls"] and seen.cycles == [], (kind, steps, seen.cycles)


def test_programs():
    """A static program, C++ and a position-dependent one"""
    source = os.path.join(live.ROOT, "tests/workloads/lock_steps.c")
    with live.temporary() as folder:
        for name, options in (("static", ["-static"]), ("no-pie", ["-no-pie"])):
            path = os.path.join(folder, name)
            subprocess.run(["gcc", "-g", "-O1", *options, "-o", path, source, "-lpthread"], check=True)
            seen = Seen("plain", ("ABba", "BAab"), path=path)
            assert list(map(pairs_of, seen.cycles)) == ["AB BA"], (name, seen.cycles, seen.note)


def test_musl():
    """musl's locks, of which plain mutexes and rwlocks do not say whose they are; what is tried for is not seen"""
    if not shutil.which("musl-gcc"):
        raise live.Skip("no musl-gcc")
    source = os.path.join(live.ROOT, "tests/workloads/lock_steps.c")
    with live.temporary() as folder:
        for name, options in (("dynamic", []), ("static", ["-static"])):
            path = os.path.join(folder, name)
            subprocess.run(["musl-gcc", "-g", "-O1", *options, "-idirafter", "/usr/include", "-o", path, source],
                           check=True)
            for kind, steps, cycles in WRONG if name == "dynamic" else WRONG[:1]:
                seen = Seen(kind, steps, path=path)
                found = list(map(pairs_of, seen.cycles))
                wanted = [] if kind == "plain" and "?" in steps[0] else cycles
                assert found[:1] == wanted[:1], (name, kind, steps, found, seen.note)
            for kind, steps in RIGHT if name == "dynamic" else RIGHT[:1]:
                seen = Seen(kind, steps, path=path)
                assert seen.said["calls"] and seen.cycles == [], (name, kind, steps, seen.cycles)


CPLUSPLUS = """
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
std::mutex first, second;
static void up() { std::lock_guard<std::mutex> a(first), b(second); }
static void down() { std::lock_guard<std::mutex> b(second), a(first); }
static void both() { std::scoped_lock l(first, second); }
int main(int argc, char **)
{
	printf("ready %d\\n", getpid());
	fflush(stdout);
	getchar();
	std::thread(up).join();
	std::thread(argc > 1 ? both : down).join();
	puts("done");
	fflush(stdout);
	getchar();
}
"""


def test_cplusplus():
    """std::mutex; std::scoped_lock takes several in any order, and is right"""
    live.need_root()
    with live.temporary() as folder:
        with open(f"{folder}/two.cc", "w", encoding="ascii") as f:
            f.write(CPLUSPLUS)
        subprocess.run(["g++", "-std=c++17", "-g", "-O1", "-o", f"{folder}/two", f"{folder}/two.cc"], check=True)
        for args, wanted in (((), [{("first", "second"), ("second", "first")}]), (("both",), [])):
            with killed(f"{folder}/two", *args) as work, \
                 live.Watch("locks", "--lock-orders", "-p", work.pid, binary=live.CHECKED) as watch:
                goes_on(work, watch)
            cycles = watch.reports[-1]["summary"]["may_deadlock"]
            assert [{(o["first"], o["second"]) for o in c} for c in cycles] == wanted, (args, cycles)


def test_two_processes():
    """Mutexes that two processes share"""
    live.need_root()
    program = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}
int main(void)
{
	pthread_mutex_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;
	int go[2];
	char c;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&m[0], &attr);
	pthread_mutex_init(&m[1], &attr);
	if (pipe(go))
		return 1;
	if (!fork()) {
		if (read(go[0], &c, 1) == 1)
			both(&m[1], &m[0]);
		pause();
	}
	printf("ready\n");
	fflush(stdout);
	getchar();
	both(&m[0], &m[1]);
	if (write(go[1], "x", 1) != 1)
		return 1;
	usleep(200000);
	printf("done\n");
	fflush(stdout);
	getchar();
	kill(0, 9);
}
"""
    with live.temporary() as folder:
        with open(f"{folder}/shared.c", "w", encoding="ascii") as f:
            f.write("#include <signal.h>\n" + program)
        subprocess.run(["gcc", "-g", "-O1", "-o", f"{folder}/shared", f"{folder}/shared.c"], check=True)
        with killed(f"{folder}/shared") as work, \
             live.Watch("locks", "--lock-orders", "--comm", "^shared$", binary=live.CHECKED) as watch:
            goes_on(work, watch)
    cycles = watch.reports[-1]["summary"]["may_deadlock"]
    assert len(cycles) == 1 and len({o["pid"] for o in cycles[0]}) == 2, cycles


BUSY = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	printf("ready %d\\n", getpid());
	fflush(stdout);
	for (;;) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}
"""


def busy(folder):
    with open(f"{folder}/busy.c", "w", encoding="ascii") as f:
        f.write(BUSY)
    subprocess.run(["gcc", "-O1", "-o", f"{folder}/busy", f"{folder}/busy.c"], check=True)
    return f"{folder}/busy"


def cpu_ns(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def breakpoints(pid):
    """How many bytes of the C library's code are not what its file has."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        line = next(x for x in f if "/libc.so.6" in x and "r-xp" in x).split()
    begin, end = (int(x, 16) for x in line[0].split("-"))
    with open(f"/proc/{pid}/mem", "rb") as memory, open(line[5], "rb") as file:
        memory.seek(begin)
        file.seek(int(line[2], 16))
        return sum(a != b for a, b in zip(memory.read(end - begin), file.read(end - begin)))


def test_guard():
    """What would take more than a tenth of a CPU is refused, and had with !; nothing stays in the program's code"""
    live.need_root()
    with live.temporary() as folder, killed(busy(folder)) as work:
        refused = live.proftop("-V", "locks", "--lock-orders", "-p", work.pid, "-b", "-n", 1)
        assert refused.status == 2 and "--lock-orders=!" in refused.err, refused
        assert re.search(r"come \d+ times a second, which would take about \d+% of a CPU", refused.err), refused
        assert not breakpoints(work.pid)
        with live.Watch("locks", "--lock-orders=!", "-p", work.pid) as watch:
            watch.next()
            assert breakpoints(work.pid)
            begin, before = live.now_ns(), cpu_ns(work.pid)
            watch.until(begin + 2.5e9)
            took = 100 * (cpu_ns(work.pid) - before) / (live.now_ns() - begin)
        note = watch.reports[-1]["health"]["note"]
        assert not breakpoints(work.pid)
    found = re.search(r"lock orders: (\d+) locks a second, (\d+) ns each, about ([0-9.]+)% of a CPU", note)
    assert found and int(found.group(1)) > 1000 and int(found.group(2)) > 100, note
    # The loop does nothing but lock.
    live.near(float(found.group(3)) / took, 1, 0.6, "of a loop of locks, the part that probes are said to take")


def test_scope_is_needed():
    """Everybody's locks are nobody's wish"""
    live.need_root()
    refused = live.proftop("-V", "locks", "--lock-orders", "-b", "-n", 1)
    assert refused.status == 2 and "-p PID" in refused.err, refused


def test_oracles():
    """helgrind and TSan say the same of the same programs"""
    if not shutil.which("valgrind"):
        raise live.Skip("no valgrind")
    source = os.path.join(live.ROOT, "tests/workloads/lock_steps.c")
    with live.temporary() as folder:
        sanitized = os.path.join(folder, "sanitized")
        subprocess.run(["gcc", "-g", "-O1", "-fsanitize=thread", "-o", sanitized, source], check=True,
                       stderr=subprocess.DEVNULL)
        for kind, steps, wrong in JUDGED:
            tools = {"helgrind": ["valgrind", "--tool=helgrind", os.path.join(live.WORKLOADS, "lock_steps")]}
            if kind in ("plain", "recursive"):
                tools["TSan"] = ["setarch", "-R", sanitized]
            others = {name: judged(folder, *command, kind, 1, *steps) for name, command in tools.items()}
            ours = bool(Seen(kind, steps).cycles)
            assert {"proftop": ours, **others} == dict.fromkeys(("proftop", *others), wrong), \
                (kind, steps, ours, others)


def judged(folder, *command):
    """Whether another tool says that locks are taken in orders that contradict each other, by itself."""
    env = {k: v for k, v in os.environ.items() if not k.endswith("SAN_OPTIONS")}
    with open(f"{folder}/judged", "w+", encoding="utf-8") as log:
        with live.Workload("", *command[1:], path=command[0], stderr=log, env=env) as work:
            os.kill(work.pid, signal.SIGUSR1)
            assert "steps" in work.process.stdout.readline()
            os.kill(work.pid, signal.SIGUSR1)
            work.process.wait(60)
        log.seek(0)
        return bool(re.search(r"lock order .* violated|lock-order-inversion", log.read()))


if __name__ == "__main__":
    live.main(globals())
