# SPDX-License-Identifier: GPL-2.0-only
"""Memory of programs beside memleak of libbpf-tools: what a pair of malloc and free costs a program
that does nothing else, in its own CPU time; what the BPF programs take for each run; and the CPU time of a compiler and
of a Python program, which have something to do between their allocations, traced and not."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import live
from ask_bench import ask
from bpf_stats import statistics_on
from figures import Missing, comparison, need, ratio_at_most, result, tool
from funcs_bench import fastest, running

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../kernels"))
import archive  # noqa: E402

ROUNDS = 5
BATCH = 2000
SECONDS = 1.5
ATTACH_SECONDS = 90
SLOW_LINES = 50
FOREVER = "100000"  # intervals, or seconds

SOURCE = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define LIVE 1024
static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}
int main(void)
{
	static void *live[LIVE];
	unsigned n = 0;
	for (;;) {
		uint64_t begin = now();
		for (int i = 0; i < BATCH; i++, n++) {
			free(live[n % LIVE]);
			live[n % LIVE] = malloc(16 + n * 2654435761u % 512);
		}
		printf("%.1f\\n", (double)(now() - begin) / BATCH);
		fflush(stdout);
	}
}
"""

# What runs a command and writes the seconds of CPU time that it took.
TIMED = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump(r.ru_utime + r.ru_stime, open(sys.argv[1], "w", encoding="ascii"))
"""

PYTHON = """
import json
for i in range(5):
    json.loads(json.dumps([{"name": "x" * (j % 900), "value": j} for j in range(2000)]))
"""


def built(folder):
    path, source = os.path.join(folder, "pairs"), os.path.join(folder, "pairs.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run([tool("gcc"), "-O2", f"-DBATCH={BATCH}", "-o", path, source], check=True)
    return path


# --- the peer ---

LIBRARIES = "libc6", "libelf1t64", "zlib1g", "libzstd1"


def unpacked():
    """memleak of a later Debian's libbpf-tools, with the libraries that it is linked with: this one's has none."""
    cache = os.path.join(live.ROOT, "build/kernels")
    folder = os.path.join(cache, "memleak")
    loader = os.path.join(folder, "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
    program = os.path.join(folder, "usr/sbin/memleak-libbpf")
    if not os.path.exists(program):
        suite = archive.Suite("trixie", cache)
        os.makedirs(suite.root, exist_ok=True)
        try:
            suite.update()
            for package in (*LIBRARIES, "libbpf-tools"):
                archive.run("dpkg-deb", "-x", suite.download(package), folder)
        except archive.Missing as e:
            raise Missing(f"memleak (package libbpf-tools of trixie: {e})") from e
    return [loader, "--library-path", os.path.dirname(loader), program]


def memleak():
    found = shutil.which("memleak-libbpf")
    return [found] if found else unpacked()


def proftop(*options):
    return [live.RELEASE, "-b", "-V", "heap", "-n", FOREVER, *options, "-p"]


def peer(*options):
    return [*memleak(), *options, "-p"]


# --- a program that only allocates ---

def beside(pairs, command):
    """The command, which ends with -p, on the program that runs."""
    interval = [] if command[0] == live.RELEASE else [FOREVER]
    return running([*command, str(pairs.pid), *interval], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pair(path, command):
    """ns of CPU time that a pair takes without and with the command beside it."""
    with running([path], stdout=subprocess.PIPE) as pairs:
        before = fastest(pairs, SECONDS / 3)
        with beside(pairs, command) as p:
            began, slow = time.monotonic(), 0
            while slow < SLOW_LINES:  # a single one may be the machine's
                slow = slow + 1 if float(pairs.stdout.readline()) >= before + 200 else 0
                assert p.poll() is None, f"{command} ended: {p.returncode}"
                assert time.monotonic() < began + ATTACH_SECONDS, command
            fastest(pairs, SECONDS / 3)
            return before, fastest(pairs, SECONDS)


def pair_by_pages(path):
    """ns of CPU time that a pair takes without and with view heap beside it, which looks at no call."""
    with running([path], stdout=subprocess.PIPE) as pairs:
        before = fastest(pairs, SECONDS)
        with running([*proftop("--sample-bytes", "pages", "--format", "json"), str(pairs.pid)], stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL) as p:
            assert p.stdout.readline(), "it ended"
            fastest(pairs, SECONDS / 3)  # what was in the pipe is of before
            return before, fastest(pairs, SECONDS)


def programs_take(path, command):
    """ns that its BPF programs take for each run, of which a pair has two or three."""
    with running([path], stdout=subprocess.DEVNULL) as pairs:
        interval = [] if command[0] == live.RELEASE else [FOREVER]
        return ask([*command, str(pairs.pid), *interval])[1]


def bench_pairs(path, rounds):
    ways = {"every call": (proftop("--sample-bytes", "0"), peer()),
            "sampled": (proftop(), peer("-s", "1000"))}
    for what, (ours, theirs) in ways.items():
        both = [(pair(path, ours), pair(path, theirs)) for _ in range(rounds)]
        result(f"malloc and free, {what}: adds to a pair", [b - a for (a, b), _ in both],
               [b - a for _, (a, b) in both], "memleak of libbpf-tools", "ns", ratio_at_most(1.0))
        if what == "sampled":
            result("malloc and free, sampled: a pair takes", [b for (_, b), _ in both], [a for (a, _), _ in both],
                   "untraced", "ns", ratio_at_most(1.05))
        with statistics_on():
            both = [(programs_take(path, ours), programs_take(path, theirs)) for _ in range(rounds)]
        result(f"malloc and free, {what}: its programs", [a for a, _ in both], [b for _, b in both],
               "memleak of libbpf-tools", "ns a run", ratio_at_most(1.0))


def bench_pages(path, rounds):
    both = [pair_by_pages(path) for _ in range(rounds)]
    result("malloc and free, by pages: a pair takes", [b for _, b in both], [a for a, _ in both], "untraced", "ns",
           ratio_at_most(1.05))


# --- programs that also work ---

def programs(folder):
    source = os.path.join(folder, "many.c")
    with open(source, "w", encoding="ascii") as f:
        f.writelines(f"int f{i}(int a, int *b) {{ for (int i = a; i < {i}; i++) b[i] += a * {i}; return b[a]; }}\n"
                     for i in range(60))
    return {"a compiler": [tool("gcc"), "-O2", "-c", "-o", "/dev/null", source],
            "Python": ["/usr/bin/python3", "-c", PYTHON]}


def takes(folder, program, traced_by=()):
    """Seconds of CPU time of a program."""
    path = os.path.join(folder, "took")
    subprocess.run([*traced_by, sys.executable, "-c", TIMED, path, *program], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=600)
    with open(path, encoding="ascii") as f:
        return json.load(f)


def bench_programs(folder, rounds):
    ways = {"sampled": proftop(), "by pages": proftop("--sample-bytes", "pages"),
            "by one page in 64 KiB": proftop("--sample-bytes", "pages:65536")}
    for what, program in programs(folder).items():
        for way, command in ways.items():
            traced_by = [*command[:-1], "--"]
            both = [(takes(folder, program, traced_by), takes(folder, program)) for _ in range(rounds)]
            result(f"{what}, {way}", [a for a, _ in both], [b for _, b in both], "untraced", "s", ratio_at_most(1.05))


def bench_heap(rounds):
    need("gcc")
    rounds = max(rounds, ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        with comparison("pairs of malloc and free"):
            bench_pairs(built(folder), rounds)
        bench_pages(built(folder), rounds)
        bench_programs(folder, rounds)
