# SPDX-License-Identifier: GPL-2.0-only
"""What a process takes of the machine, sampled while it runs, and whether it grew."""
import contextlib
import os
import re
import statistics
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")
# Column, unit, what may be added after warm-up: a share, and so much.
COLUMNS = (
    ("rss", "MiB", 0.10, 4.0),
    ("private", "MiB", 0.10, 4.0),
    ("maps memory", "MiB", 0.05, 1.0),
    ("fds", "", 0.0, 2),  # those that are open for a moment
    ("files", "", 0.0, 16),
    ("threads", "", 0.0, 0),
    ("programs", "", 0.0, 0),
    ("maps", "", 0.0, 0),
    ("links", "", 0.0, 0),
    ("cpu", "%", 0.50, 2.0),
)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def status(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
        return {k: v for k, v in re.findall(r"^(\w+):\s+(\d+)", f.read(), re.M)}


def bpf_objects(pid):
    """({kind: number of different ones}, bytes of the maps), by /proc/PID/fdinfo."""
    found, memory = {"prog": set(), "map": set(), "link": set()}, {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError):
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as f:
                text = f.read()
            for kind, number in re.findall(r"^(prog|map|link)_id:\s+(\d+)$", text, re.M):
                found[kind].add(number)
            numbers = dict(re.findall(r"^(map_id|memlock):\s+(\d+)$", text, re.M))
            if "map_id" in numbers:
                memory[numbers["map_id"]] = int(numbers.get("memlock", 0))
    return {kind: len(ids) for kind, ids in found.items()}, sum(memory.values())


def descriptors(pid):
    """(those that are no files, files of programs: the newest few are kept open)."""
    files = others = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            path = os.readlink(f"/proc/{pid}/fd/{fd}")
            regular = path.startswith("/") and not path.startswith(("/dev/", "/memfd:"))
            files, others = files + regular, others + (not regular)
    return others, files


def measure(pid):
    objects, memory = bpf_objects(pid)
    now = status(pid)
    fds, files = descriptors(pid)
    return {"rss": int(now["VmRSS"]) / 1024, "private": int(now["RssAnon"]) / 1024,
            "maps memory": memory / 2**20, "fds": fds, "files": files,
            "threads": int(now["Threads"]), "programs": objects["prog"],
            "maps": objects["map"], "links": objects["link"]}


class Watch:
    """Samples a process every few seconds, in a thread of its own."""

    def __init__(self, pid, seconds):
        self.pid, self.seconds, self.samples = pid, seconds, []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.start = time.monotonic()

    def run(self):
        at, cpu = time.monotonic(), cpu_seconds(self.pid)
        while not self.over.wait(self.seconds):
            with contextlib.suppress(OSError, KeyError):
                now, used = time.monotonic(), cpu_seconds(self.pid)
                self.samples.append({"t": now - self.start, **measure(self.pid),
                                     "cpu": 100 * (used - cpu) / (now - at)})
                at, cpu = now, used

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def third(samples, column, last):
    n = max(len(samples) // 3, 1)
    return [s[column] for s in (samples[-n:] if last else samples[:n])]


def grown(samples):
    """[(column, unit, in the first third, in the last, what is allowed, whether it holds)] of
    samples after warm-up: the highest, as views are open in turn; of CPU the median."""
    rows = []
    for column, unit, share, more in COLUMNS:
        of = statistics.median if column == "cpu" else max
        first, last = of(third(samples, column, False)), of(third(samples, column, True))
        bound = first * (1 + share) + more
        rows.append((column, unit, first, last, bound, last <= bound))
    return rows
