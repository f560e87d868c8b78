#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Figures beside a peer's, from the same run: own CPU and memory of the screen, time to the
first frame and rows, of the first second of a view (first_bench.py), key to repaint, symbols resolved per second; what the views of waiting add
to what they watch (sched_bench.py) and take on a mix of processes (mix_bench.py), that of block I/O
(io_bench.py), that of the page cache (cache_bench.py) and that of system calls
(syscalls_bench.py), that of processes (procs_bench.py), of an agent (fleet_bench.py), of the network
(net_bench.py), of interrupts (irq_bench.py), of virtual machines (kvm_bench.py), of counters and BPF programs
(counters_bench.py), of questions (ask_bench.py), of functions (funcs_bench.py), of the kernel's locks (locks_bench.py)
and of programs' memory (heap_bench.py); what is written to the terminal (redraw_bench.py); unwind tables and walks
(unwind_bench.py), and of interpreted functions (runtimes_bench.py).

Ours and the peer take turns; each figure is the median of the rounds. build/bench.json has
"figures", a list of {part, name, ours, peer, peer_name, unit, ratio, spread, rounds, commit,
date, aim, met}, and "missing", a list of {part, what, missing, commit, date}: what was left out,
and for want of what. ratio is ours / peer, spread the least and largest of a round. It is
written as each part ends; parts that do not run now keep what they had.
docs/PERFORMANCE.md tells what each is about; --doc puts the figures there.
"""
import argparse
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import live  # noqa: E402
import ask_bench  # noqa: E402
import cache_bench  # noqa: E402
import counters_bench  # noqa: E402
import first_bench  # noqa: E402
import flame_bench  # noqa: E402
import fleet_bench  # noqa: E402
import funcs_bench  # noqa: E402
import heap_bench  # noqa: E402
import import_bench  # noqa: E402
import io_bench  # noqa: E402
import irq_bench  # noqa: E402
import kvm_bench  # noqa: E402
import locks_bench  # noqa: E402
import mix_bench  # noqa: E402
import net_bench  # noqa: E402
import procs_bench  # noqa: E402
import record_bench  # noqa: E402
import redraw_bench  # noqa: E402
import runtimes_bench  # noqa: E402
import sched_bench  # noqa: E402
import syscalls_bench  # noqa: E402
import unwind_bench  # noqa: E402
import figures  # noqa: E402
from figures import (at_most, comparison, cpu_ns, field, need, note, object_of,  # noqa: E402
                     ratio_at_least, ratio_at_most, result, tool)
from pty_session import Session  # noqa: E402
from tmux import Tmux  # noqa: E402

COLUMNS, ROWS = 120, 40
RATES = 99, 999, 4000
WARM_SECONDS, CPU_SECONDS = 4, 8
START_ROUNDS, KEYS_A_ROUND = 7, 100
JSON = os.path.join(live.BUILD, "bench.json")
DOC = os.path.join(HERE, "../../docs/PERFORMANCE.md")
LIBRARY = "/usr/lib/*/libLLVM-*.so.1", "libllvm14"


def ours(freq):
    return [live.RELEASE, "-V", "cpu", "-F", str(freq)]


def perf_top(freq):
    return [tool("perf"), "top", "-g", "-F", str(freq)]


def memory_mib(pid):
    return (field(f"/proc/{pid}/status", "VmRSS"), field(f"/proc/{pid}/smaps_rollup", "Pss"))


def one_screen(command):
    """CPU percent and memory of a program that has a terminal to itself."""
    with Tmux(command, COLUMNS, ROWS) as t:
        t.wait("hot_70|thread_work|short_lived", 20)
        pid = t.pid()
        time.sleep(WARM_SECONDS)
        cpu, start = cpu_ns(pid), time.monotonic()
        time.sleep(CPU_SECONDS)
        spent = (cpu_ns(pid) - cpu) / (time.monotonic() - start) / 1e7
        memory = memory_mib(pid)
        t.keys("q")
        return spent, *memory


def bench_cpu(rounds):
    """A machine with something of everything: hot loops, threads, short-lived processes."""
    need("perf", "tmux")
    with live.Workload("two_functions", 3600), live.Workload("threads", 3600), \
            live.Workload("churn", 3600), live.Workload("switch_storm", 3600, 10000):
        for freq in RATES:
            a, b = [], []
            for n in range(rounds):
                a.append(one_screen(ours(freq)))
                b.append(one_screen(perf_top(freq)))
                note(f"{freq} Hz, round {n + 1}: ours {a[-1][0]:.2f} %, peer {b[-1][0]:.2f} %")
            peer = f"perf top -g -F {freq}"
            result(f"own CPU in the UI at {freq} Hz", [x[0] for x in a], [x[0] for x in b], peer,
                   "% of a CPU", ratio_at_most(0.5))
            result(f"resident memory at {freq} Hz", [x[1] for x in a], [x[1] for x in b], peer,
                   "MiB", ratio_at_most(0.6))
            result(f"proportional memory at {freq} Hz", [x[2] for x in a], [x[2] for x in b],
                   peer, "MiB")


def time_until(session, start, *marks):
    """Milliseconds from start until each of the marks (regular expressions) was written."""
    times, limit = [None] * len(marks), time.monotonic() + 30
    while None in times and time.monotonic() < limit:
        going = session.read_once(0.5)
        now = time.monotonic()
        for i, mark in enumerate(marks):
            if times[i] is None and re.search(mark, session.screen):
                times[i] = (now - start) * 1000
        if not going:
            break
    if None in times:
        raise RuntimeError(f"it never showed {marks[times.index(None)]}")
    return times


def one_start(command, *marks):
    start = time.monotonic()
    with Session(*command[1:], binary=command[0], columns=COLUMNS, rows=ROWS) as s:
        times = time_until(s, start, *marks)
        os.write(s.fd, b"q")
        s.wait_end()
    return times


def bench_start(rounds):
    need("perf")
    a, b = [], []
    with live.Workload("two_functions", 3600):
        for _ in range(max(rounds, START_ROUNDS)):
            a.append(one_start(ours(99), rb" 1 cpu", rb"hot_70"))
            b.append(one_start(perf_top(99), rb"Samples", rb"hot_70"))
    result("start to first painted frame", [x[0] for x in a], [x[0] for x in b], "perf top -g",
           "ms", at_most(50, "ms"))
    result("start to first rows", [x[1] for x in a], [x[1] for x in b], "perf top -g", "ms",
           at_most(300, "ms"))


def keys_of(command, mark, count):
    """Milliseconds from a key to the first byte of its repaint, for each key."""
    chance, times = random.Random(1), []
    with Session(*command[1:], binary=command[0], columns=COLUMNS, rows=ROWS) as s:
        time_until(s, time.monotonic(), mark)
        s.read(2)
        for n in range(count):
            s.read(0.05 + chance.random() * 0.1)
            while s.pending(0.01):
                s.read_once(0)
            start = time.monotonic()
            os.write(s.fd, b"\x1bOB" if n % 8 < 4 else b"\x1bOA")
            if not s.pending(3):
                raise RuntimeError("a key was not answered within 3 s")
            times.append((time.monotonic() - start) * 1000)
            s.screen = b""
        os.write(s.fd, b"q")
        s.wait_end(20)
    return times


def bench_keys(rounds):
    need("perf")
    a, b = [], []
    with live.Workload("many_processes", 3600, 10000), live.Workload("switch_storm", 3600):
        for _ in range(rounds):
            a.append(keys_of(ours(99), rb"\d\.\d", KEYS_A_ROUND))
            b.append(keys_of(perf_top(99), rb"\d\.\d\d%", KEYS_A_ROUND))
    note(f"{KEYS_A_ROUND} keys a round, under 100,000 switches/s with 10,000 processes")
    for at, aim in ((50, None), (99, at_most(16, "ms"))):
        result(f"key to repaint, p{at}", [percentile(x, at) for x in a],
               [percentile(x, at) for x in b], "perf top -g", "ms", aim)


def percentile(values, at):
    return sorted(values)[math.ceil(len(values) * at / 100) - 1]


def functions(path, count):
    """Addresses within functions of a file, and which file: count of them, at random."""
    out = subprocess.run(["readelf", "-sW", path], stdout=subprocess.PIPE, text=True, check=True,
                         errors="replace").stdout
    found = re.findall(r"^\s*\d+:\s([0-9a-f]+)\s+(\d+|0x[0-9a-f]+)\s+FUNC\s+\w+\s+\w+\s+(?!UND)\d+",
                       out, re.M)
    starts = sorted({(int(a, 16), int(n, 0)) for a, n in found if int(n, 0) > 4})
    chance = random.Random(1)
    return sorted({a + chance.randrange(n) for a, n in chance.choices(starts, k=count)})


def resolve(path, addresses, inlined):
    """Addresses per second: ours and eu-addr2line's, and how many names agree."""
    text = "".join(f"{a:#x}\n" for a in addresses)
    mine = subprocess.run([os.path.join(live.BUILD, "rel/tests/bench/symbols_bench"), path,
                           *(["inlined"] if inlined else [])], input=text, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    start = time.monotonic()
    # Its exit status is 1 when it does not know some address.
    peer = subprocess.run(["eu-addr2line", "-f", *(["-i"] if inlined else []), "-e", path],
                          input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    peer_seconds = time.monotonic() - start
    rate = len(addresses) / float(mine.stderr.split()[-1]), len(addresses) / peer_seconds
    if not inlined:
        theirs = peer.stdout.splitlines()[::2]
        agree = sum(a == b for a, b in zip(mine.stdout.splitlines(), theirs))
        note(f"{os.path.basename(path)}: {agree} of {len(addresses)} names as eu-addr2line's")
    return rate


def stripped(folder):
    """proftop with its .symtab and no DWARF."""
    need("strip")
    path = os.path.join(folder, "plain")
    subprocess.run(["strip", "-g", "-o", path, live.RELEASE], check=True)
    return path


def bench_symbols(rounds):
    need("eu-addr2line", "readelf")
    with tempfile.TemporaryDirectory() as tmp:
        for name, file, inlined in (
                ("functions by .symtab", lambda: stripped(tmp), False),
                ("functions of a 100 MB library", lambda: object_of(*LIBRARY), False),
                ("inline chains by DWARF", lambda: live.RELEASE, True)):
            with comparison(name):
                path = file()
                addresses = functions(path, 5000 if inlined else 20000)
                both = [resolve(path, addresses, inlined) for _ in range(rounds)]
                result(f"symbols resolved: {name}", [x[0] for x in both], [x[1] for x in both],
                       "eu-addr2line -f" + (" -i" if inlined else ""), "1/s", ratio_at_least(10))


def write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(path + ".new", path)


def known():
    """What earlier runs wrote; before figures had a commit it was a list, which is begun anew."""
    if not os.path.exists(JSON):
        return {}
    with open(JSON, encoding="utf-8") as f:
        found = json.load(f)
    return found if isinstance(found, dict) else {}


def put_into_doc(parts):
    """Each part's figures between its marks; those of parts that did not run stay."""
    with open(DOC, encoding="utf-8") as f:
        text = f.read()
    for part in parts:
        rows = [r for r in figures.results if r["part"] == part]
        mark = re.compile(rf"(<!-- {part} -->\n).*?(<!-- /{part} -->)", re.S)
        if rows:
            text = mark.sub(lambda m, r=rows: m[1] + figures.markdown(r) + "\n" + m[2], text)
    write(DOC, text)


PARTS = {"cpu": bench_cpu, "start": bench_start, "keys": bench_keys, "symbols": bench_symbols,
         "first": first_bench.bench_first,
         "sched": sched_bench.bench_sched, "io": io_bench.bench_io,
         "cache": cache_bench.bench_cache, "unwind": unwind_bench.bench_unwind,
         "flame": flame_bench.bench_flame, "import": import_bench.bench_import,
         "record": record_bench.bench_record, "syscalls": syscalls_bench.bench_syscalls,
         "net": net_bench.bench_net, "procs": procs_bench.bench_procs, "ask": ask_bench.bench_ask,
         "funcs": funcs_bench.bench_funcs, "heap": heap_bench.bench_heap,
         "irq": irq_bench.bench_irq, "kvm": kvm_bench.bench_kvm, "counters": counters_bench.bench_counters,
         "fleet": fleet_bench.bench_fleet, "locks": locks_bench.bench_locks, "mix": mix_bench.bench_mix,
         "redraw": redraw_bench.bench_redraw,
         "runtimes": runtimes_bench.bench_runtimes}


def options():
    found = argparse.ArgumentParser(description="proftop beside the tools it competes with")
    found.add_argument("--rounds", type=int, default=3, help="at least; some parts take more")
    found.add_argument("--doc", action="store_true", help="figures go into docs/PERFORMANCE.md")
    found.add_argument("parts", nargs="*", metavar="PART",
                       help=f"all when none is named, of {', '.join(PARTS)}")
    args = found.parse_args()
    args.parts = args.parts or list(PARTS)
    unknown = set(args.parts) - set(PARTS)
    if unknown:
        found.error(f"no part is called {', '.join(sorted(unknown))}")
    return args


def main():
    args = options()
    if os.geteuid():
        sys.exit("bench: needs root, as perf top does")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    before = known()
    for n, name in enumerate(args.parts, 1):
        figures.part = name
        with comparison("all of it"):
            PARTS[name](args.rounds)
        write(JSON, json.dumps(figures.merged(before, args.parts[:n]), indent=1) + "\n")
    figures.table()
    print(f"written to {os.path.relpath(JSON)}")
    if args.doc:
        put_into_doc(args.parts)


if __name__ == "__main__":
    main()
