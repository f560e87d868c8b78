# SPDX-License-Identifier: GPL-2.0-only
"""Control groups of a test's own, of both versions; what cannot be had is a reason to skip."""
import contextlib
import os
import time

import live


def v2_mount():
    with open("/proc/self/mounts", encoding="utf-8") as f:
        for line in f:
            _, path, kind, *_ = line.split()
            if kind == "cgroup2":
                return path
    return None


@contextlib.contextmanager
def cgroup(base, name):
    path = os.path.join(base, name)
    try:
        os.mkdir(path)
    except OSError as e:
        raise live.Skip(f"no cgroup can be made below {base}: {e}") from e
    try:
        yield path
    finally:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                os.rmdir(path)
                break
            except OSError:
                time.sleep(0.02)


def join(path, pid):
    with open(os.path.join(path, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(pid))


def v1_mount():
    for name in ("cpu", "cpu,cpuacct", "pids", "freezer"):
        path = f"/sys/fs/cgroup/{name}"
        if os.path.exists(path + "/cgroup.procs") and os.path.exists(path + "/tasks"):
            return path
    return None


def with_controller(name):
    """Where groups with a controller can be made, whichever version has it."""
    base = v2_mount()
    if base:
        with open(base + "/cgroup.subtree_control", encoding="ascii") as f:
            if name in f.read().split():
                return base
    path = f"/sys/fs/cgroup/{name}"
    if not os.path.exists(path + "/cgroup.procs"):
        raise live.Skip(f"no cgroup controller {name} here")
    return path


LIMITS = {"pids": ("pids.max",), "memory": ("memory.max", "memory.limit_in_bytes"),
          "cpu": ("cpu.max", "cpu.cfs_quota_us")}  # of each tenth of a second


@contextlib.contextmanager
def limited_group(controller, limit, name=""):
    """A group of its own with this limit."""
    with cgroup(with_controller(controller), f"proftop-limit-{os.getpid()}{name}") as path:
        file, = [f for f in LIMITS[controller] if os.path.exists(os.path.join(path, f))]
        with open(os.path.join(path, file), "w", encoding="ascii") as f:
            f.write(str(limit))
        yield path


@contextlib.contextmanager
def limited(controller, limit, name=""):
    """Words before a command that begin it in a group of its own with this limit."""
    with limited_group(controller, limit, name) as path:
        yield "sh", "-c", f'echo $$ >{path}/cgroup.procs; exec "$0" "$@"'
