# SPDX-License-Identifier: GPL-2.0-only
"""Block devices for tests: a loop device of one's own, /proc/diskstats, runs of fio, and
proftop's intervals added up while something runs."""
import bisect
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading

import live

SECTOR = 512
FIELDS = {"read": (0, 2), "write": (4, 6), "discard": (11, 13), "flush": (15, None)}


def diskstats(device):
    """{op: (count, bytes)} of a device, as the kernel has it now."""
    with open("/proc/diskstats", encoding="ascii", errors="replace") as f:
        for line in f:
            words = line.split()
            if words[2] == device:
                n = list(map(int, words[3:]))
                return {op: (n[c], n[b] * SECTOR if b is not None else 0)
                        for op, (c, b) in FIELDS.items() if c < len(n)}
    raise AssertionError(f"no {device} in /proc/diskstats")


def difference(after, before):
    return {op: tuple(a - b for a, b in zip(after[op], before[op])) for op in after}


def added(reports, device):
    """The same from the rows of reports by device."""
    sums = {op: (0, 0) for op in FIELDS}
    for report in reports:
        for row in report["rows"]:
            if row["device"] == device:
                count, size = sums[row["op"]]
                sums[row["op"]] = (count + row["count"], size + row["bytes"])
    return sums


@contextlib.contextmanager
def loop_device(megabytes=64, directory="/dev/shm", scheduler=None, partitions=False):
    """A loop device on a file in memory, if asked for one that may have partitions; its name."""
    live.need_root()
    if not shutil.which("losetup"):
        raise live.Skip("no losetup here")
    with tempfile.TemporaryDirectory(dir=directory) as tmp:
        path = os.path.join(tmp, "disk")
        with open(path, "wb") as f:
            f.truncate(megabytes << 20)
            os.posix_fallocate(f.fileno(), 0, megabytes << 20)
        options = ["-P"] if partitions else []
        done = subprocess.run(["losetup", *options, "-f", "--show", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise live.Skip(f"no loop device to be had: {done.stderr.strip()}")
        node = done.stdout.strip()
        try:
            name = os.path.basename(node)
            if scheduler:
                with open(f"/sys/block/{name}/queue/scheduler", "w", encoding="ascii") as f:
                    f.write(scheduler)
            yield name
        finally:
            subprocess.run(["losetup", "-d", node], check=False)


def fio(device, **options):
    """Runs fio on a device to its end; its job, from its JSON."""
    if not shutil.which("fio"):
        raise live.Skip("no fio here")
    options = {"name": "job", "filename": device, "bs": "4k", "thread": 0, **options}
    args = [f"--{k}={v}" for k, v in options.items()]
    done = subprocess.run(["fio", "--output-format=json", *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr or done.stdout[:500]
    return json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]


class Watch(live.Watch):
    """proftop's view io from the first interval on that is seen, until stop()."""

    def __init__(self, *options, delay=0.3, binary=None):
        super().__init__("io", *options, delay=delay, binary=binary or live.CHECKED)
        self.next()


class Sampled:
    """/proc/diskstats of a device again and again, for devices that are never quiet."""

    def __init__(self, device):
        self.device, self.times, self.values = device, [], []
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.done.wait(0.005):
            before = live.now_ns()
            self.values.append(diskstats(self.device))
            self.times.append((before + live.now_ns()) // 2)

    def bounds(self, t0, t1, slack_ns):
        """Least and most of what happened between two times, each known to a slack."""
        def at(t, later):
            i = bisect.bisect_left(self.times, t)
            return self.values[min(max(i if later else i - 1, 0), len(self.times) - 1)]
        least = difference(at(t1 - slack_ns, False), at(t0 + slack_ns, True))
        most = difference(at(t1 + slack_ns, True), at(t0 - slack_ns, False))
        return least, most

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
