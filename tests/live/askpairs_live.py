#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Pairs in each other, chains, what happens between, and what is held, against programs that know
what they did."""
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import Watch, run, same  # noqa: E402

LIBC = "uprobe:libc.so.6:"
RETURN = "uretprobe:libc.so.6:"

# Sorts with a function that calls labs() each time; then labs() alone.
SORTS = """
import ctypes, sys
libc = ctypes.CDLL(None)
called = 0
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    global called
    called += 1
    libc.labs(1)
    return a[0] - b[0]
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[1])):
    libc.qsort((ctypes.c_int * 8)(5, 3, 8, 1, 9, 2, 7, 4), 8, 4, compare)
for i in range(7):
    libc.labs(i)
print(called, flush=True)
"""


class Program:
    """A Python program that says it is ready, waits for a line, and says what it did."""

    def __init__(self, text, *args):
        self.process = subprocess.Popen([sys.executable, "-c", text, *map(str, args)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate("\n\n\n", timeout=60)


def test_nested():
    """Pairs in each other: by path, with their own time, which adds up"""
    n = 200
    sort, inner = "qsort", "labs"
    nest = (f"nest {LIBC}{sort} -> {RETURN}{sort}, {LIBC}{inner} -> {RETURN}{inner}")
    between = f"span {LIBC}{sort} -> {RETURN}{sort} by pid between {LIBC}{inner}"
    with Program(SORTS, n) as work:
        with Watch(nest, between, view="pairs", options=("-p", work.pid)) as watch:
            watch.next()
            called = int(work.go())
            watch.until(live.now_ns())
    outer, within, alone = (LIBC + sort, f"{LIBC}{sort} > {LIBC}{inner}", LIBC + inner)
    same("sorts", n, watch.sum(ask=nest, pair=outer))
    same("within", called, watch.sum(ask=nest, pair=within))
    same("alone", 7, watch.sum(ask=nest, pair=alone))
    total = watch.sum("total_ns", ask=nest, pair=outer)
    same("own time", total - watch.sum("total_ns", ask=nest, pair=within),
         watch.sum("own_ns", ask=nest, pair=outer))
    same("innermost own time", watch.sum("total_ns", ask=nest, pair=within),
         watch.sum("own_ns", ask=nest, pair=within))
    same("between", called, watch.sum(LIBC + inner, ask=between))
    same("spans", n, watch.sum(ask=between))


def test_softirqs_add_up():
    """Own times of interrupts, softirqs and timers in each other are the outermost ones' time"""
    nest = ("nest irq:irq_handler_entry -> irq:irq_handler_exit, irq:softirq_entry -> irq:softirq_exit, "
            "timer:timer_expire_entry -> timer:timer_expire_exit, "
            "timer:hrtimer_expire_entry -> timer:hrtimer_expire_exit on cpu")
    with Watch(nest, view="pairs") as watch:
        watch.next()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as of:
            to.bind(("127.0.0.1", 0))
            for _ in range(2000):
                of.sendto(b"x", to.getsockname())
        watch.until(live.now_ns())
    rows = watch.rows(ask=nest)
    within = [r for r in rows if " > " in r["pair"]]
    softirqs = sum(r["count"] for r in rows if r["pair"].endswith("irq:softirq_entry"))
    assert softirqs >= 2000, f"{softirqs} softirqs for 2000 datagrams"
    assert within, "nothing was in anything"
    outermost = sum(r["total_ns"] for r in rows) - sum(r["total_ns"] for r in within)
    own = sum(r["own_ns"] for r in rows)
    live.fact("own times", outermost, own)
    # What is being handled as the last interval ends has its inner ones told, and not itself.
    assert abs(own - outermost) <= outermost / 100, f"own {own}, outermost {outermost}"


EXECS = """
import os, sys
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[1])):
    for path in ("/nowhere/at/all", "/bin/true"):
        pid = os.fork()
        if not pid:
            try:
                os.execv(path, ["true"])
            except OSError:
                os._exit(1)
        os.waitpid(pid, 0)
print("done", flush=True)
"""


def test_chains():
    """A chain counts what went all the way; its legs are its time; texts of its begin are kept"""
    n = 40
    asked = ("span syscalls:sys_enter_execve -> sched:sched_process_exec -> "
             "syscalls:sys_exit_execve by entry(filename)",
             "span syscalls:sys_enter_execve -> syscalls:sys_exit_execve by entry(filename), ret")
    with Program(EXECS, n) as work, Watch(*asked, view="pairs") as watch:
        watch.next()
        work.go()
        watch.until(live.now_ns())
    key = "entry(filename)"
    ours = watch.rows(ask=asked[0], **{key: "/bin/true"})
    assert sum(r["count"] for r in ours) >= n, ours
    same("failed ones are no chain", 0, watch.sum(ask=asked[0], **{key: "/nowhere/at/all"}))
    same("failed ones are a pair", n,
         watch.sum(ask=asked[1], ret=-2, **{key: "/nowhere/at/all"}))
    for r in ours:
        assert r["leg1_ns"] + r["leg2_ns"] == r["total_ns"], r


OPENS = """
import os, sys
n = int(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
fds = [os.open("/dev/null", os.O_RDONLY) for i in range(n)]
print("opened", flush=True)
sys.stdin.readline()
for fd in fds[:n // 4]:
    os.close(fd)
print("closed", flush=True)
sys.stdin.readline()
for fd in fds[n // 4:]:
    os.close(fd)
print("none", flush=True)
"""


def test_held():
    """What is acquired and not released, by process: descriptors"""
    n = 400
    asked = ("hold syscalls:sys_exit_openat/ret > 2/ -> syscalls:sys_enter_close on ret = fd "
             "size 100 by pid")
    held = []
    with Program(OPENS, n) as work, Watch(asked, view="held") as watch:
        watch.next()
        for _ in range(3):
            work.go()
            watch.until(live.now_ns())
            held.append([r for r in watch.reports[-1]["rows"] if r["pid"] == work.pid])
    same("held", [n, n - n // 4], [h[0]["held"] for h in held[:2]])
    same("bytes", [100 * n, 100 * (n - n // 4)], [h[0]["held_bytes"] for h in held[:2]])
    assert not held[2] or held[2][0]["held"] == 0, held[2]
    same("acquired", n, watch.sum("acquired", pid=work.pid))
    same("released", n, watch.sum("released", pid=work.pid))


def test_held_without_stacks():
    """Where no stack is asked for, nothing that walks them is loaded"""
    maps = []
    for keys in ("pid", "stack"):
        with Watch(f"! hold kmem:kmalloc -> kmem:kfree on ptr by {keys}", view="held") as watch:
            watch.next()
            maps.append(sum(kind == "map" for kind, _ in live.held(watch.process.pid)))
    assert maps[0] < maps[1], maps


def test_held_memory():
    """Memory of a program that is not freed, by stack, by its name in the library"""
    program = """
import ctypes, sys
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
print("ready", flush=True)
sys.stdin.readline()
for i in range(500):
    libc.malloc(100)
print("held", flush=True)
sys.stdin.readline()
"""
    with Program(program) as work:
        with Watch("! memleak", view="held", options=("-p", work.pid)) as watch:
            watch.next()
            work.go()
            watch.until(live.now_ns())
    rows = watch.reports[-1]["rows"]
    assert max(r["held"] for r in rows) >= 500, rows[:2]
    assert all("ustack" in r for r in rows), rows[:2]


def test_texts_of_begins():
    """opensnoop: what was opened, known at the end"""
    n = 300
    _, _, watch = run("exact", n, "! opensnoop", "! openfails", view="pairs",
                      options=("--comm", "^calls$"))
    for path in ("/nowhere/one", "/nowhere/two"):
        row = {"comm": "calls", "entry(filename)": path}
        same(path, n, watch.sum(ask="opensnoop", **row))
        same(f"{path} fails", n, watch.sum(ask="openfails", **row, **{"-ret": 2}))


if __name__ == "__main__":
    live.main(globals())
