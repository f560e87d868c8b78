# SPDX-License-Identifier: GPL-2.0-only
"""Functions of programs beside bpftrace, and beside libbpf-tools' funclatency and gethostlatency, doing the same: what
counting, timing and distributing arguments (as bcc's argdist does, which compiles the same program) adds to a call of
a function that does nothing, and names of hosts to getaddrinfo(), as the program that calls it sees it in its own CPU
time, and how long it takes to attach to 1,000 functions of a program that runs: of proftop what the system calls take
that do it, at begins and returns; of bpftrace, which has a system call and more for each, from the first breakpoint to
the last one."""
import contextlib
import os
import re
import subprocess
import tempfile
import time

import live
from ask_bench import ask
from bpf_stats import statistics_on
from figures import at_most, comparison, need, ratio_at_most, result, tool

ROUNDS = 5
MANY = 1000
BATCH = 2000
SECONDS = 1.5
ATTACH_SECONDS = 90

SOURCE = """
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static volatile int sink;
#define F(n) __attribute__((noinline, noclone)) void many_##n(void) { sink += 1##n; }
""" + "".join(f"F({i})\n" for i in range(MANY)) + """
__attribute__((noinline, noclone)) void called(void) { sink++; }
static void looks_up(void)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct addrinfo *found;

	if (!getaddrinfo("127.0.0.1", NULL, &hints, &found))
		freeaddrinfo(found);
}
static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}
int main(int argc, char **argv)
{
	(void)argv;
	for (;;) {
		uint64_t begin = now();
		for (int i = 0; i < BATCH; i++)
			argc > 1 ? looks_up() : called();
		printf("%.1f\\n", (double)(now() - begin) / BATCH);
		fflush(stdout);
	}
}
"""

WAYS = {
    "a call that is counted": (["--ask", "! count uprobe:{0}:called"], "uprobe:{0}:called {{ @ = count(); }}"),
    "a call whose argument is in a histogram": (["--ask", "! count uprobe:{0}:called hist arg0"],
                                                "uprobe:{0}:called {{ @ = hist(arg0); }}"),
    "a call that is timed": (["--function", "!{0}:called"],
                             "uprobe:{0}:called {{ @b[tid] = nsecs; }} uretprobe:{0}:called /@b[tid]/ "
                             "{{ @ = hist(nsecs - @b[tid]); delete(@b[tid]); }}"),
}


# Beside libbpf-tools' own programs: (proftop's options, theirs, the workload's).
TOOLS = {
    "a call that is timed, beside funclatency": (["--function", "!{0}:called"], ["funclatency", "{0}:called"], []),
    "a host's name that is looked up": (["--ask", "! gethostlatency"], ["gethostlatency", "-l", "{1}"], ["names"]),
}


def c_library():
    """The path that programs have it mapped from."""
    with open("/proc/self/maps", encoding="ascii") as f:
        return next(line.split()[-1] for line in f if "/libc.so.6" in line)


def built(folder):
    path = os.path.join(folder, "calls")
    source = os.path.join(folder, "calls.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run([tool("gcc"), "-O2", f"-DBATCH={BATCH}", "-o", path, source], check=True)
    return path


@contextlib.contextmanager
def running(command, **kinds):
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **kinds) as p:
        try:
            yield p
        finally:
            p.terminate()
            try:
                p.wait(60)
            except subprocess.TimeoutExpired:
                p.kill()


def fastest(calls, seconds):
    """ns a call: the least of the batches of so many seconds, which nothing else disturbed."""
    end = time.monotonic() + seconds
    least = float("inf")
    while time.monotonic() < end:
        least = min(least, float(calls.stdout.readline()))
    return least


def adds(path, command, *args):
    """ns that a call takes longer with the command beside it than before it."""
    with running([path, *args], stdout=subprocess.PIPE) as calls:
        before = fastest(calls, SECONDS / 3)
        with running(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            began = time.monotonic()
            while fastest(calls, 0.2) < before + 200:
                assert p.poll() is None, f"{command} ended: {p.returncode}"
                assert time.monotonic() < began + ATTACH_SECONDS, command
            fastest(calls, SECONDS / 3)
            return fastest(calls, SECONDS) - before


def programs_take(path, command):
    """ns that its BPF programs take for each run, of which a call that is timed has two."""
    with running([path], stdout=subprocess.DEVNULL):
        return ask(command)[1]


def places(path, pid):
    """Where the many functions are in the process."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        base = int(next(line for line in f if line.rstrip().endswith(path)).split("-")[0], 16)
    names = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    found = [int(a, 16) + base for a in re.findall(r"^([0-9a-f]+) T many_\d+$", names, re.M)]
    assert len(found) == MANY, len(found)
    return min(found), found


def calls_take(path, command):
    """ms of the system calls that attach to places in programs (BPF_TRACE_UPROBE_MULTI)."""
    with running([path], stdout=subprocess.DEVNULL):
        done = subprocess.run([tool("strace"), "-f", "-T", "-e", "trace=bpf", *command], text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    took = re.findall(r"BPF_LINK_CREATE, .*attach_type=(?:0x30|BPF_TRACE_UPROBE_MULTI).*<([0-9.]+)>$",
                      done.stderr, re.M)
    assert took, done.stderr[-500:]
    return sum(map(float, took)) * 1000


def breakpoints_take(path, command):
    """ms from the first breakpoint to the last one."""
    with running([path], stdout=subprocess.DEVNULL) as calls:
        time.sleep(0.1)
        at, all_places = places(path, calls.pid)
        size = max(all_places) - at + 1
        with open(f"/proc/{calls.pid}/mem", "rb", buffering=0) as memory:
            began, first = time.monotonic(), None
            with running(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         env={**os.environ, "BPFTRACE_MAX_PROBES": "4096",
                              "BPFTRACE_MAX_BPF_PROGS": "4096"}) as p:
                while True:
                    memory.seek(at)
                    code = memory.read(size)
                    n = sum(code[x - at] == 0xcc for x in all_places)
                    now = time.monotonic()
                    first = first or (now if n else None)
                    if n == MANY:
                        return (now - first) * 1000
                    assert p.poll() is None, f"{command} ended: {p.returncode}"
                    assert now < began + ATTACH_SECONDS, (command, n)
                    time.sleep(0.002)


def bench_funcs(rounds):
    need("bpftrace", "gcc", "nm")
    rounds = max(rounds, ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        path = built(folder)
        for what, (ours, script) in WAYS.items():
            ours = [live.RELEASE, "-b", "-n", "100000", *(x.format(path) for x in ours)]
            peer = [tool("bpftrace"), "-e", script.format(path)]
            both = [(adds(path, ours), adds(path, peer)) for _ in range(rounds)]
            result(what, [a for a, _ in both], [b for _, b in both], "bpftrace", "ns",
                   ratio_at_most(1.0))
            with statistics_on():
                both = [(programs_take(path, ours), programs_take(path, peer)) for _ in range(rounds)]
            result(f"{what}: its programs", [a for a, _ in both], [b for _, b in both], "bpftrace", "ns",
                   ratio_at_most(1.0))
        for what, (ours, peer, args) in TOOLS.items():
            with comparison(what):
                ours = [live.RELEASE, "-b", "-n", "100000", *(x.format(path, c_library()) for x in ours)]
                peer = [tool(peer[0]), *(x.format(path, c_library()) for x in peer[1:])]
                both = [(adds(path, ours, *args), adds(path, peer, *args)) for _ in range(rounds)]
                result(what, [a for a, _ in both], [b for _, b in both], os.path.basename(peer[0]), "ns",
                       ratio_at_most(1.0))
        ours = [live.RELEASE, "-b", "-n", "1", "-d", "0.1", "--function", f"!{path}:many_*"]
        peer = [tool("bpftrace"), "-e", f"uprobe:{path}:many_* {{ @[probe] = count(); }}"]
        both = [(calls_take(path, ours), breakpoints_take(path, peer)) for _ in range(rounds)]
        result(f"{MANY} functions attached to", [a for a, _ in both], [b for _, b in both],
               "bpftrace", "ms", at_most(300, "ms"))
