#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Block I/O against /proc/diskstats, fio's own completion latencies and biolatency."""
import contextlib
import ctypes
import fcntl
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import blockdev  # noqa: E402
import flame_sums  # noqa: E402
import waits  # noqa: E402
from blockdev import Watch, added, diskstats, difference, fio, loop_device  # noqa: E402


def exact(device, run, *options, **kw):
    """
    What proftop counts while run() goes on a quiet device is what diskstats counts, to the
    request and the byte. There are kernels that run no program on top of certain tasks: what is
    completed there is counted too, without times.
    """
    with Watch(*options, **kw) as watch:
        before = diskstats(device)
        result = run()
        watch.until(live.now_ns())
        theirs = difference(diskstats(device), before)
        reports = watch.reports
    health = reports[-1]["health"]
    for op, (count, size) in theirs.items():
        if count:
            mine = added(reports, device).get(op, (0, 0))
            live.fact(f"{op}s: requests", count, mine[0], judge="diskstats")
            live.fact(f"{op}s: bytes", size, mine[1], judge="diskstats")
    assert added(reports, device) == theirs, f"{added(reports, device)}\n{theirs}\n{health}"
    assert health["lost"] == 0, health
    return reports, result


def test_direct():
    """Direct I/O by libaio at depth 1 to 64: counts and bytes are those of diskstats"""
    with loop_device() as dev:
        for depth, rw in ((1, "randread"), (8, "randwrite"), (64, "randrw")):
            reports, _ = exact(dev, lambda d=depth, w=rw: fio(
                f"/dev/{dev}", ioengine="libaio", iodepth=d, direct=1, rw=w, size="48m"))
            assert any(r["device"] == dev for x in reports for r in x["rows"])


def test_io_uring():
    """The same by io_uring, with requests of mixed sizes"""
    with loop_device() as dev:
        def run():
            try:
                fio(f"/dev/{dev}", ioengine="io_uring", iodepth=32, direct=1, rw="randrw",
                    bsrange="512-128k", size="48m")
            except AssertionError as e:
                if "io_uring" in str(e):
                    raise live.Skip("no io_uring here") from e
                raise
        exact(dev, run)


def test_buffered():
    """Buffered writes with fsync, and what dd writes: writeback and flushes too"""
    with loop_device() as dev:
        exact(dev, lambda: fio(f"/dev/{dev}", ioengine="psync", rw="randwrite", fsync=32,
                               size="16m", end_fsync=1))
        exact(dev, lambda: subprocess.run(
            ["dd", "if=/dev/zero", f"of=/dev/{dev}", "bs=64k", "count=800", "conv=fsync"],
            stderr=subprocess.DEVNULL, check=True))


def test_discard():
    """Discards"""
    with loop_device() as dev:
        def run():
            done = subprocess.run(["blkdiscard", "-l", "8M", f"/dev/{dev}"],
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                raise live.Skip(f"no discard: {done.stderr.strip()}")
        exact(dev, run)


def test_filesystem():
    """ext4 on the device: journal, metadata and discards are in diskstats' groups"""
    if not shutil.which("mkfs.ext4"):
        raise live.Skip("no mkfs.ext4 here")
    with loop_device() as dev, live.temporary() as tmp:
        def run():
            subprocess.run(["mkfs.ext4", "-q", f"/dev/{dev}"], check=True)
            subprocess.run(["mount", f"/dev/{dev}", tmp], check=True)
            try:
                for i in range(20):
                    with open(os.path.join(tmp, f"file{i}"), "wb") as f:
                        f.write(b"x" * 100_000)
                        os.fsync(f.fileno())
            finally:
                subprocess.run(["umount", tmp], check=True)
        reports, _ = exact(dev, run)
        flags = {r["flags"] for x in reports for r in x["rows"] if r["device"] == dev}
        assert any("meta" in f for f in flags), flags


def test_scheduler():
    """With mq-deadline the time queued is known, with none it is null"""
    for scheduler in ("none", "mq-deadline"):
        with loop_device(scheduler=scheduler) as dev:
            reports, _ = exact(dev, lambda: fio(
                f"/dev/{dev}", ioengine="libaio", iodepth=16, direct=1, rw="randread",
                size="32m"))
            rows = [r for x in reports for r in x["rows"] if r["device"] == dev]
            known = [r for r in rows if r["queue_p50_ns"] is not None]
            assert bool(known) == (scheduler != "none"), (scheduler, rows[:1])


BLKPG, BLKPG_ADD, BLKPG_DEL = 0x1269, 1, 2


@contextlib.contextmanager
def partition(dev, number, start, size):
    """A partition that the kernel is told of, as no table may be known to it; its name."""
    # struct blkpg_partition and blkpg_ioctl_arg of linux/blkpg.h.
    part = ctypes.create_string_buffer(struct.pack("qqi128x4x", start, size, number))
    part_argument = {op: struct.pack("iiiP", op, 0, len(part), ctypes.addressof(part))
                     for op in (BLKPG_ADD, BLKPG_DEL)}
    name = f"{dev}p{number}"
    with open(f"/dev/{dev}", "rb") as disk:
        try:
            fcntl.ioctl(disk, BLKPG, part_argument[BLKPG_ADD])
        except OSError as e:
            raise live.Skip(f"no partitions on loop devices here: {e.strerror}") from e
        node = f"/dev/{name}"
        made = not os.path.exists(node)
        try:
            if made:
                with open(f"/sys/block/{dev}/{name}/dev", encoding="ascii") as f:
                    major, minor = map(int, f.read().split(":"))
                os.mknod(node, 0o600 | stat.S_IFBLK, os.makedev(major, minor))
            yield name
        finally:
            if made:
                os.unlink(node)
            fcntl.ioctl(disk, BLKPG, part_argument[BLKPG_DEL])


def test_partitions():
    """A partition's I/O is its own and its disk's"""
    with loop_device(partitions=True) as dev, partition(dev, 1, 1 << 20, 20 << 20), \
            partition(dev, 2, 24 << 20, 20 << 20) as part:
        before = diskstats(part)
        reports, _ = exact(dev, lambda: fio(f"/dev/{part}", ioengine="libaio", iodepth=8,
                                            direct=1, rw="randrw", size="16m"))
        theirs = difference(diskstats(part), before)
        assert theirs["read"][0] > 1000, theirs
        assert added(reports, part) == theirs, (added(reports, part), theirs)


def root_disk():
    found = os.stat("/").st_dev
    path = os.path.realpath(f"/sys/dev/block/{os.major(found)}:{os.minor(found)}")
    if not os.path.exists(path):
        raise live.Skip("the root file system is on no block device")
    return os.path.basename(path)


def test_root_disk():
    """The root disk, which is never quiet: between what diskstats says around the interval"""
    dev = root_disk()
    with blockdev.Sampled(dev) as sampled, Watch(delay=1) as watch, \
            tempfile_on_root() as path:
        fio(path, ioengine="libaio", iodepth=16, direct=1, rw="randrw", size="32m")
        fio(path, ioengine="psync", rw="write", fsync=16, size="8m")
        watch.until(live.now_ns())
        reports = watch.reports
    for r in reports[1:-1]:
        least, most = sampled.bounds(r["t0_ns"], r["t1_ns"], 60_000_000)
        ours = added([r], dev)
        for op, (count, size) in ours.items():
            assert least[op][0] <= count <= most[op][0], (op, least, ours, most)
            assert least[op][1] <= size <= most[op][1], (op, least, ours, most)
    whole = added(reports[1:-1], dev)
    assert whole["read"][0] > 100 and whole["write"][0] > 100, whole


@contextlib.contextmanager
def tempfile_on_root(suffix=""):
    path = f"/var/tmp/proftop-io-{os.getpid()}{suffix}"
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def whole_histogram(reports, dev, field, op="read"):
    hist = {}
    for x in reports:
        for r in x["rows"]:
            if r["device"] == dev and r["op"] == op:
                for h in r[field]:
                    lo, hi = h["lo_ns"], h["hi_ns"]
                    hist[lo] = (hi, hist.get(lo, (hi, 0))[1] + h["count"])
    return hist


def quantile(hist, q):
    rank, below = q * sum(n for _, n in hist.values()), 0
    for lo in sorted(hist):
        hi, n = hist[lo]
        if below + n >= rank:
            return lo + (hi - lo) * (rank - below) / n
        below += n
    raise AssertionError("an empty histogram")


def latency(path, dev, at, size, block):
    """
    A quantile of the same reads, ours and fio's. What is comparable: fio's clat of libaio begins
    when the submission has returned, and ends when the thread was woken and runs. So it is its
    lat that is taken, from before the submission, and fio looks for the end without a pause;
    what is left is the way through the system call and the file system. It is measured, as some
    machines take 6 us for it and some 1: by reads of a file that is one hole, which no device
    sees. fio's own start reads too: it ends a second before the job begins.
    """
    with Watch("--comm", "^fio$", binary=live.RELEASE) as watch:
        start = live.now_ns()
        theirs = fio_quantile(path, at, io_size=size, bs=block, startdelay=1)
        watch.until(live.now_ns())
        hist = whole_histogram([x for x in watch.reports if x["t0_ns"] > start + 600_000_000],
                               dev, "hist")
    with tempfile_on_root("-hole") as hole:
        with open(hole, "wb") as f:
            f.truncate(os.path.getsize(path))
        way = fio_quantile(hole, 0.5, io_size=size, bs=block)
    ours = quantile(hist, at)
    print(f"# at {at}: {ours:.0f} ns, {way:.0f} ns outside the device, fio {theirs:.0f} ns")
    return ours + way, theirs


def fio_quantile(path, at, **options):
    job = fio(path, ioengine="libaio", iodepth=1, direct=1, rw="randread", nice=-19,
              iodepth_batch_complete_min=0, iodepth_batch_complete_max=1, clat_percentiles=0,
              lat_percentiles=1, percentile_list=f"{at * 100}", **options)
    return job["read"]["lat_ns"]["percentile"][f"{at * 100:.6f}"]


def test_latency():
    """p50 of direct reads from the root disk is fio's within 5 % or 5 us, p99 within 10 %"""
    dev = root_disk()
    with tempfile_on_root() as path:
        fio(path, ioengine="psync", rw="write", bs="1m", size="96m", end_fsync=1)

        def median():
            """half of the reads of 4 KiB"""
            ours, theirs = latency(path, dev, 0.5, "24m", "4k")
            live.near_peer(ours, ("fio", theirs), max(0.05 * theirs, 5000), "p50, 4 KiB, ns,")

        def tail():
            """the slowest of 12,288 reads of 64 KiB: of fewer it is chance how often fio's thread
            was held up behind the device among them"""
            ours, theirs = latency(path, dev, 0.99, "768m", "64k")
            live.near_peer(ours, ("fio", theirs), 0.1 * theirs, "p99, 64 KiB, ns,")
        waits.steady(median)()
        waits.steady(tail)()


BUCKET = re.compile(r"^\s*(\d+) -> (\d+)\s+: (\d+)\s*\|", re.M)


STACKS_TAKEN = 300  # of 12,288 requests at most: of the first 128 all, then ever fewer


def test_biolatency():
    """Bucket by bucket what biolatency counts on the same requests"""
    path = shutil.which("biolatency")
    if not path:
        raise live.Skip("no biolatency here")
    with loop_device() as dev:
        with subprocess.Popen(["stdbuf", "-oL", path, "-d", dev], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as peer:
            peer.stdout.readline()  # "Tracing block device I/O...": it is attached
            reports, _ = exact(dev, lambda: fio(
                f"/dev/{dev}", ioengine="libaio", iodepth=16, direct=1, rw="randread",
                size="48m"), binary=live.RELEASE)
            peer.send_signal(2)
            out, err = peer.communicate(timeout=20)
    theirs = {int(a): int(n) for a, _, n in BUCKET.findall(out)}
    if not sum(theirs.values()):
        raise live.Skip(f"biolatency counts nothing here: {err.strip()[:100]}")
    ours = {}
    for lo, (_, n) in whole_histogram(reports, dev, "device_hist").items():
        us = lo // 1000
        at = 1 << us.bit_length() - 1 if us > 1 else 0
        ours[at] = ours.get(at, 0) + n
    total = sum(theirs.values())
    assert total == sum(ours.values()), (theirs, ours)
    # The same request is looked at twice, within a microsecond: near a border it may differ. Those
    # whose stacks are taken are without what that takes, which biolatency counts.
    moved = sum(abs(ours.get(k, 0) - theirs.get(k, 0)) for k in set(ours) | set(theirs)) / 2
    live.near_peer(total - moved, ("biolatency", total), 0.02 * total + STACKS_TAKEN,
                   "requests in the same bucket")


def test_processes():
    """By process: who did how much, and filters act on who began it"""
    with loop_device() as dev:
        size = 16 << 20
        reports, _ = exact_rows(dev, "--group", "pid")
        mine = [r for r in reports if r["device"] == dev and r["comm"] == "fio"]
        assert sum(r["bytes"] for r in mine) == size, mine
        assert all(r["max_ns"] >= r["avg_ns"] > 0 for r in mine), mine
        reports, _ = exact_rows(dev, "--group", "device", "--comm", "^fio$")
        assert sum(r["bytes"] for r in reports if r["device"] == dev) == size, reports
        reports, _ = exact_rows(dev, "--group", "device", "--comm", "^nobody$")
        assert not [r for r in reports if r["device"] == dev], reports


RENAMED = """
import ctypes, mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
room = mmap.mmap(-1, 4096)
for name in (b"before", b"after"):
    ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
    os.preadv(fd, [room], 0)
"""


def test_newest_name():
    """A process has the name it has now, not that of its first request"""
    with loop_device() as dev, Watch("--group", "pid") as watch:
        with subprocess.Popen([sys.executable, "-c", RENAMED, f"/dev/{dev}"]) as work:
            pass
        assert work.returncode == 0, work.returncode
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["pid"] == work.pid]
    assert sum(r["count"] for r in rows) >= 2, rows
    assert rows[-1]["comm"] == "after", rows


def test_flushes():
    """A flush is of who asked for it, though workers send it"""
    with loop_device() as dev, Watch("--group", "pid", "--comm", "^dd$") as watch:
        with open(f"/sys/block/{dev}/queue/write_cache", encoding="ascii") as f:
            if f.read().strip() != "write back":
                raise live.Skip("loop devices have no cache to be flushed here")
        # Its own pages may have left the cache: reading them would make its row one of several disks.
        subprocess.run(["dd", "--version"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["dd", "if=/dev/zero", f"of=/dev/{dev}", "bs=4k", "count=64",
                        "oflag=direct", "conv=fsync"], stderr=subprocess.DEVNULL, check=True)
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["device"] == dev]
    assert {r["comm"] for r in rows} == {"dd"}, [r for x in watch.reports for r in x["rows"]]
    assert sum(r["write_bytes"] for r in rows) == 64 * 4096, rows
    # diskstats has a flush that a process asked for as a write without bytes.
    assert sum(r["count"] for r in rows) == 64 + 1, rows


def exact_rows(dev, *options):
    """Rows of all intervals while 16 MiB are read by fio."""
    with Watch(*options) as watch:
        job = fio(f"/dev/{dev}", ioengine="libaio", iodepth=4, direct=1, rw="read", size="16m",
                  bs="16k")
        watch.until(live.now_ns())
        return [r for x in watch.reports for r in x["rows"]], job


def test_files():
    """By file: buffered writes name the file whose pages they carry"""
    with tempfile_on_root() as path, Watch("--group", "file") as watch:
        with open(path, "wb") as f:
            f.write(b"y" * (4 << 20))
            os.fsync(f.fileno())
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"]]
        inode = os.stat(path).st_ino
    mine = [r for r in rows if r["inode"] == inode]
    assert sum(r["write_bytes"] for r in mine) >= 4 << 20, rows[:5]
    assert {r["file"] for r in mine} == {os.path.basename(path)}, mine


@contextlib.contextmanager
def mounted(dev, tmp):
    if not shutil.which("mkfs.ext4"):
        raise live.Skip("no mkfs.ext4 here")
    # Without a journal and tables that are made later: nobody else writes to it.
    subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=0",
                    f"/dev/{dev}"], check=True)
    subprocess.run(["mount", f"/dev/{dev}", tmp], check=True)
    try:
        yield tmp
    finally:
        subprocess.run(["umount", tmp], check=True)


def written_later(dev, folder, name, *options):
    """The rows by process of one that writes 8 MiB and ends, before a worker writes them."""
    with Watch("--group", "pid", *options) as watch:
        with subprocess.Popen(["dd", "if=/dev/zero", f"of={folder}/{name}", "bs=1M", "count=8"],
                              stderr=subprocess.DEVNULL) as work:
            pass
        fd = os.open(folder, os.O_RDONLY)
        try:
            live.syncfs(fd)
        finally:
            os.close(fd)
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["device"] in (dev, "several")]
    return work.pid, rows


def test_writeback():
    """What a worker writes is of who dirtied it, also when that is gone, and filters act on it"""
    with loop_device() as dev, live.temporary() as tmp, mounted(dev, tmp):
        pid, rows = written_later(dev, tmp, "a")
        mine = [r for r in rows if r["pid"] == pid]
        # Its first reads are those of its exec, under the name it had before.
        with open("/proc/self/comm", encoding="utf-8") as f:
            assert {r["comm"] for r in mine} <= {"dd", f.read().strip()}, rows
        assert sum(r["writeback_bytes"] for r in mine) >= 8 << 20, rows
        _, rows = written_later(dev, tmp, "b", "--comm", "^dd$")
        assert {r["comm"] for r in rows} == {"dd"}, rows
        assert sum(r["writeback_bytes"] for r in rows) >= 8 << 20, rows
        _, rows = written_later(dev, tmp, "c", "--comm", "^nobody$")
        assert not any(r["writeback_bytes"] for r in rows), rows


def by_path(dev, tmp, pause_us):
    """
    What a recording of io_paths says: for each weight the sums of folded stacks by path, the rows' sum and
    the error that is reported; and what the workload did itself.
    """
    tape, found = os.path.join(tmp, "tape"), {}
    with live.Workload("io_paths", 6, f"/dev/{dev}", str(pause_us)) as work:
        run = live.proftop("-b", "-n", "1", "-d", "4", "-V", "io", "-p", str(work.pid),
                           "--record", tape, binary=live.RELEASE)
        assert run.status == 0, run
        truth = work.result()
    for weight in "count", "bytes", "time_pct":
        stacks, rows = os.path.join(tmp, "x.folded"), os.path.join(tmp, "x.json")
        run = live.proftop("-b", "-V", "io", "--replay", tape, "--group", "pid", "--sort", weight,
                           "-o", stacks, "-o", rows, binary=live.RELEASE)
        assert run.status == 0, run
        sums = {"all": 0, "small": 0, "large": 0}
        for path, n in flame_sums.lines(stacks).items():
            sums["all"] += n
            for which in "small", "large":
                sums[which] += n if f"reads_{which}" in path else 0
        with open(rows, encoding="utf-8") as f:
            found[weight] = sums, json.load(f)
    return found, truth


def test_stacks_sampled():
    """Shares of two call paths that take turns, by requests and bytes, and sums of all, as far as is said"""
    with loop_device() as dev, live.temporary() as tmp:
        found, truth = by_path(dev, tmp, 0)
    for weight, at in (("count", 0), ("bytes", 1)):
        sums, report = found[weight]
        error = report["summary"]["stacks_error_pct"]
        assert 0 < error < 50, (weight, error)
        known = sums["small"] + sums["large"]
        assert known > 0.8 * sums["all"], sums
        small = truth["small"][at] / (truth["small"][at] + truth["large"][at])
        live.near(100 * sums["small"] / known, 100 * small, 2 * error,
                  f"share of a path, by {weight}, %")
    for weight, exact in (("count", "count"), ("bytes", "bytes"), ("time_pct", None)):
        sums, report = found[weight]
        whole = sum(r[exact] if exact else r["count"] * r["avg_ns"] / 1000 for r in report["rows"])
        # The whole is twice as far from its estimate as a share of a half.
        live.near(sums["all"] / whole, 1, 4 * report["summary"]["stacks_error_pct"] / 100,
                  f"sum of all stacks of that of all requests, by {weight}")


def test_stacks_of_all():
    """Where requests are few all of their stacks are there, and none is estimated"""
    with loop_device() as dev, live.temporary() as tmp:
        found, _ = by_path(dev, tmp, 200_000)
    for weight, exact in (("count", "count"), ("bytes", "bytes")):
        sums, report = found[weight]
        assert report["summary"]["stacks_error_pct"] == 0, report["summary"]
        whole = sum(r[exact] for r in report["rows"])
        assert sums["all"] == whole > 0, (sums, whole)


def test_hotplug():
    """A device that comes while it is watched has its name"""
    with Watch() as watch:
        with loop_device(megabytes=16) as dev:
            fio(f"/dev/{dev}", ioengine="libaio", direct=1, rw="read", size="8m")
            watch.until(live.now_ns())
        found = {r["device"] for x in watch.reports for r in x["rows"]}
    assert dev in found, found


if __name__ == "__main__":
    live.main(globals())
