# SPDX-License-Identifier: GPL-2.0-only
"""Figures of the benches: the lists that are written, what is aimed at, what is missing, and how
they are measured."""
import contextlib
import functools
import glob
import os
import re
import shutil
import statistics
import subprocess
import time

import live

results = []
missing = []
part = ""  # of the benches, whose figures come now

# Debian's packages of what is compared with, and of what that takes.
PACKAGES = {"biolatency": "libbpf-tools", "bison": "bison", "btop": "btop", "bpftrace": "bpftrace",
            "eu-addr2line": "elfutils", "fio": "fio", "flex": "flex", "funclatency": "libbpf-tools", "gcc": "gcc",
            "gethostlatency": "libbpf-tools", "nm": "binutils", "htop": "htop", "offcputime": "libbpf-tools",
            "perf": "linux-perf", "readelf": "binutils", "runqlat": "libbpf-tools",
            "strace": "strace", "strip": "binutils", "taskset": "util-linux", "tmux": "tmux"}


def note(text):
    print(f"# {text}", flush=True)


# --- what is missing ---

class Missing(Exception):
    """Something that is not here: what is compared with it is left out, and said to be."""


def here(name):
    return bool(shutil.which(name))


def need(*names):
    """Programs without which there is nothing to compare."""
    absent = [f"{name} (package {PACKAGES[name]})" for name in names if not here(name)]
    if absent:
        raise Missing(", ".join(absent))


def tool(name):
    """Its path."""
    need(name)
    return shutil.which(name)


def object_of(pattern, package):
    """The first file of a distribution's that is called so."""
    found = sorted(glob.glob(pattern))
    if not found:
        raise Missing(f"{pattern} (package {package})")
    return found[0]


@contextlib.contextmanager
def comparison(what):
    """What is left out, and named, when something it needs is missing."""
    try:
        yield
    except (Missing, live.Skip) as e:
        row = {"part": part, "what": what, "missing": str(e), **origin()}
        missing.append(row)
        print(missing_line(row), flush=True)


def missing_line(row):
    return f"missing: {row['missing']}; left out of {row['part']}: {row['what']}"


# --- figures ---

@functools.lru_cache(maxsize=None)
def commit():
    """What is measured."""
    done = subprocess.run(["git", "-C", live.ROOT, "describe", "--always", "--dirty"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.strip() or "no commit"


def origin():
    return {"commit": commit(), "date": time.strftime("%Y-%m-%d")}


class Aim:
    """What a figure should be, and whether it is. A ratio's aim is of the medians."""

    def __init__(self, text, holds):
        self.text, self.holds = text, holds


def ratio_at_most(x):
    return Aim(f"{x} of the peer's", lambda row: row["ratio"] is not None and row["ratio"] <= x)


def ratio_at_least(x):
    return Aim(f"{x} times the peer's", lambda row: row["ratio"] is not None and row["ratio"] >= x)


def at_most(x, unit):
    return Aim(f"{x} {unit}", lambda row: row["ours"] <= x)


def spread(ours, peer):
    """The least and the largest ratio of a round, whose peer may be one number for all rounds.
    None: there was one round, or one in which the noise was more than what is measured."""
    if len(peer) == 1:
        peer = peer * len(ours)
    if len(ours) < 2 or min(ours) <= 0 or min(peer) <= 0:
        return None
    ratios = [a / b for a, b in zip(ours, peer, strict=True)]
    return [round(min(ratios), 4), round(max(ratios), 4)]


def result(name, ours, peer, peer_name, unit, aim=None):
    """Medians of two lists, one value a round, and their ratio."""
    a, b = statistics.median(ours), statistics.median(peer)
    row = {"part": part, "name": name, "ours": round(a, 4), "peer": round(b, 4),
           "peer_name": peer_name, "unit": unit, "ratio": round(a / b, 4) if min(a, b) > 0 else None,
           "spread": spread(ours, peer), "rounds": len(ours), **origin()}
    if aim:
        row.update(aim=aim.text, met=aim.holds(row))
    results.append(row)
    print(line(row), flush=True)


def between(row):
    """A figure's spread in words."""
    if row["spread"]:
        return f"{row['spread'][0]:.3g} to {row['spread'][1]:.3g} of {row['rounds']}"
    return "one round" if row["rounds"] == 1 else f"noise, {row['rounds']} rounds"


def line(row):
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3g}"
    verdict = "" if "aim" not in row else \
        f"aim {row['aim']}: " + ("met" if row["met"] else "MISSED")
    return (f"{row['name']:<52} {row['ours']:>11.5g} {row['unit']:<10} {row['peer_name']:<24} "
            f"{row['peer']:>11.5g}  ratio {ratio + ' (' + between(row) + ')':<30} "
            f"{verdict}").rstrip()


def table():
    """All of them once more, and what could not be compared."""
    print()
    for row in results:
        print(line(row))
    for row in missing:
        print(missing_line(row))


def merged(before, ran):
    """What is known of all parts when these have run: figures of the others stay, with the commit
    they were measured at."""
    return {key: [x for x in before.get(key, []) if x["part"] not in ran] + now
            for key, now in (("figures", results), ("missing", missing))}


def markdown(rows):
    """A table for docs/PERFORMANCE.md, and what was measured when."""
    out = ["| What | proftop | Peer | Ratio | Rounds' ratios | Aim |", "|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3g}"
        aim = "" if "aim" not in row else row["aim"] + (": met" if row["met"] else ": **missed**")
        out.append(f"| {row['name']} | {row['ours']:.4g} {row['unit']} | {row['peer']:.4g} "
                   f"({row['peer_name']}) | {ratio} | {between(row)} | {aim} |")
    origins = sorted({f"`{row['commit']}` on {row['date']}" for row in rows})
    return "\n".join([*out, "", f"Measured at {', '.join(origins)}."])


def cpu_ns(pid):
    """CPU time of a process's living threads, to the nanosecond."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total


def field(path, name):
    """MiB, of a file of /proc that has kB."""
    with open(path, encoding="ascii") as f:
        return int(re.search(rf"^{name}:\s+(\d+) kB", f.read(), re.M)[1]) / 1024
