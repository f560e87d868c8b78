# SPDX-License-Identifier: GPL-2.0-only
"""How long unwind tables take to be made (unwind_bench.c): of what all running processes have
mapped and the libraries with the largest tables, in one go; and rows a second, beside readelf,
which runs the same programs to print them."""
import glob
import os
import re
import subprocess
import time

import live
from figures import note, result

BENCH = os.path.join(live.BUILD, "rel/tests/bench/unwind_bench")
LARGEST = 100
AIM_MS = 2000
LINE = re.compile(r" *(\d+) rows .* (\d+) rules .* ([\d.]+) ms  (.*)")


def mapped():
    """Files that running processes execute."""
    found = set()
    for path in glob.glob("/proc/[0-9]*/maps"):
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                found |= set(re.findall(r" r-xp .* (/[^\n]*)\n", f.read()))
        except OSError:
            continue  # it ended
    return {p for p in found if os.path.isfile(p)}


def libraries():
    found = (os.path.join(folder, name) for folder, _, names in os.walk("/usr/lib")
             for name in names if ".so" in name)
    return {os.path.realpath(p) for p in found if os.path.isfile(p)}


def tables(paths):
    """Rows, rules and milliseconds of each file, by its path; and of all, by "all"."""
    out = subprocess.run([BENCH], input="".join(f"{p}\n" for p in paths), text=True, check=True,
                         stdout=subprocess.PIPE, errors="surrogateescape").stdout
    return {m[4]: (int(m[1]), int(m[2]), float(m[3])) for m in map(LINE.match, out.splitlines())
            if m}


def readelf_seconds(path):
    start = time.monotonic()
    subprocess.run(["readelf", "-wF", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    return time.monotonic() - start


def bench_all(rounds):
    by_rows = sorted((rows, path) for path, (rows, _, _) in tables(libraries()).items()
                     if path != "all")
    paths = mapped()
    rows, _, ms = tables(paths)["all"]
    note(f"mapped by running processes: {len(paths)} objects, {rows} rows, {ms:.1f} ms")
    paths |= {path for _, path in by_rows[-LARGEST:]}
    runs = [tables(paths)["all"] for _ in range(rounds)]
    note(f"{len(paths)} objects, {runs[0][0]} rows, {runs[0][0] * 8 / 2**20:.1f} MiB")
    result("unwind tables of all mapped and the largest objects", [ms for _, _, ms in runs],
           [AIM_MS], "aim", "ms")


def bench_rate(rounds):
    for pattern in "/lib*/*/libc.so.6", "/usr/lib/gcc/*/*/cc1":
        for path in glob.glob(pattern)[:1]:
            ours, peer = [], []
            for _ in range(rounds):
                _, rules, ms = tables([path])[path]
                ours.append(rules / ms * 1000)
                peer.append(rules / readelf_seconds(path))
            result(f"unwind rules a second, {os.path.basename(path)}", ours, peer, "readelf -wF",
                   "1/s")


def bench_unwind(rounds):
    bench_all(rounds)
    bench_rate(rounds)
