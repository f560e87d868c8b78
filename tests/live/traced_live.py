#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a program says and how it ends is the same with probes in it as without: when it crashes, executes, forks,
unloads a library, throws, is cancelled, changes stacks, or is traced by others, too. No breakpoint is left in
any page of a program, however proftop ends."""
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import go_live  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads/traced")
MODES = "crash", "caught", "exec", "fork", "unload", "cancel", "switch", "deep", "alarm"


def built(folder):
    """The programs, and the library that one of them loads."""
    paths = [os.path.join(folder, n) for n in ("traced", "throws", "libtraced.so")]
    for path, *command in ((paths[0], "gcc", "-O1", "-g", "-pthread", f"{SOURCES}/traced.c", "-ldl"),
                           (paths[1], "g++", "-O1", "-g", f"{SOURCES}/throws.cc"),
                           (paths[2], "gcc", "-O1", "-shared", "-fPIC", f"{SOURCES}/libtraced.c")):
        if not shutil.which(command[0]):
            raise live.Skip(f"no {command[0]}")
        subprocess.run([*command, "-o", path], check=True)
    return paths


class Traced:
    """A program that waits for a line before it begins."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.pid = int(self.process.stdout.readline().split()[1])

    def goes_on(self):
        """What it says from then on, and how it ends."""
        out, _ = self.process.communicate("\n", timeout=60)
        return out, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def watched(options, *command, view="funcs"):
    """The same with proftop on it, and what that counted."""
    with Traced(*command) as work, live.Watch(view, *options, binary=live.CHECKED) as watch:
        watch.next()
        said = work.goes_on()
        watch.until(live.now_ns())
    return said, sum(r["count"] for x in watch.reports for r in x["rows"])


def same_as_untraced(options, *command, view="funcs"):
    with Traced(*command) as work:
        truth = work.goes_on()
    said, count = watched(options, *command, view=view)
    assert said == truth, (command, said, truth)
    assert count > 0, (command, "nothing was seen")


def test_timed():
    """Timed functions: it crashes, executes, forks, unloads, is cancelled, changes stacks, recurses, is interrupted"""
    live.need_root()
    with live.temporary() as folder:
        program, _, library = built(folder)
        picked = ("--function", f"!{program}:t_*", "--function", f"{library}:t_*", "--function-waits")
        for mode in MODES:
            same_as_untraced(picked, program, mode, library)


def test_exceptions():
    """Exceptions find their handlers through functions that are timed, and end the program where there is none"""
    live.need_root()
    with live.temporary() as folder:
        program = built(folder)[1]
        for mode in ("caught", "uncaught"):
            same_as_untraced(("--function", f"!{program}:t_*"), program, mode)


def test_asked():
    """Questions with calls and returns, and the probes of locks and the heap likewise"""
    live.need_root()
    with live.temporary() as folder:
        program, _, library = built(folder)
        for mode in MODES:
            same_as_untraced(("--ask", f"! span uprobe:{program}:t_nested -> uretprobe:{program}:t_nested"),
                             program, mode, library, view="pairs")
        for view, *options in (("pairs", "--ask", "! mutexheld"), ("heap", "--sample-bytes", "0")):
            for mode in ("fork", "cancel", "exec", "crash"):
                with Traced(program, mode, library) as work:
                    truth = work.goes_on()
                with Traced(program, mode, library) as work, \
                        live.Watch(view, *options, "-p", work.pid, binary=live.CHECKED) as watch:
                    watch.next()
                    said = work.goes_on()
                assert said == truth, (view, mode, said, truth)


def test_other_tracers():
    """Beside strace, gdb with a breakpoint, and bpftrace: it does the same, and all see all"""
    live.need_root()
    with live.temporary() as folder:
        program, _, library = built(folder)
        with Traced(program, "deep", library) as work:
            truth = work.goes_on()
        calls = 2001 + 2 * 4 + 3  # t_nested, and t_nothing
        with open(f"{SOURCES}/traced.c", encoding="ascii") as f:
            line = next(n for n, text in enumerate(f, 1) if "t_nested(2000" in text)
        tracers = {
            "strace": ["-f", "-o", f"{folder}/out", "-p"],
            "gdb": ["-q", "-batch", "-ex", f"break traced.c:{line}", "-ex", "cont", "-p"],
            "bpftrace": ["-e", f'BEGIN {{ printf("begun\\n"); }} uprobe:{program}:t_* {{ @ = count(); }}', "-p"],
        }
        for name, options in tracers.items():
            if not shutil.which(name):
                print(f"# no {name}")
                continue
            with Traced(program, "deep", library) as work, \
                    live.Watch("funcs", "--function", f"!{program}:t_*", binary=live.CHECKED) as watch:
                watch.next()
                with open(f"{folder}/{name}", "w", encoding="ascii") as log:
                    peer = subprocess.Popen([name, *options, str(work.pid)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT)
                if name == "bpftrace":
                    live.wait_for(lambda: "begun" in open(f"{folder}/{name}", encoding="ascii").read(), 30)
                else:
                    live.wait_for(lambda: f"TracerPid:\t{peer.pid}\n" in
                                  open(f"/proc/{work.pid}/status", encoding="ascii").read(), 30)
                    live.wait_for(lambda: open(f"/proc/{work.pid}/stat", encoding="ascii").read()
                                  .rsplit(")", 1)[1].split()[0] == "S", 30)  # it let it go on
                said = work.goes_on()
                if name == "bpftrace":
                    peer.send_signal(signal.SIGINT)
                peer.wait(30)
                watch.until(live.now_ns())
            count = sum(r["count"] for x in watch.reports for r in x["rows"])
            note = watch.reports[-1]["health"].get("note", "")
            assert said == truth, (name, said, truth)
            with open(f"{folder}/{name}", encoding="ascii") as log:
                text = log.read()
            if name == "gdb":
                assert text.count("Breakpoint 1, main") == 1, text
            if name == "bpftrace":
                assert int(re.search(r"@: (\d+)", text)[1]) == calls, text
            # As many as the kernel takes over returns of are timed; the others are counted as too deep.
            deep = int((re.search(r"(\d+) calls were nested too deep", note) or [0, 0])[1])
            assert count + deep == calls, (name, count, deep, calls, note)


def differs(pid):
    """Places in code of files where a process's memory is not the file's."""
    found = []
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        areas = [line.split() for line in f]
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for area in areas:
            if len(area) < 6 or "x" not in area[1] or not area[5].startswith("/"):
                continue
            begin, end = (int(x, 16) for x in area[0].split("-"))
            memory.seek(begin)
            there = memory.read(end - begin)
            with open(area[5], "rb") as f:
                f.seek(int(area[2], 16))
                file = f.read(end - begin)
            found += [(area[5], i) for i in range(min(len(there), len(file))) if there[i] != file[i]] \
                if there[:len(file)] != file else []
    return found


def test_no_breakpoint_left():
    """Ended, killed or crashed in any view that probes, proftop leaves no changed byte in a program's code"""
    live.need_root()
    with live.temporary() as folder:
        program, _, library = built(folder)
        with Traced(program, "deep", library) as work:
            assert not differs(work.pid), "something else probes it"
            libc = next(line.split()[5] for line in open(f"/proc/{work.pid}/maps", encoding="ascii")
                        if "/libc.so" in line)
            views = (("funcs", "--function", f"!{program}:t_*", "--function", f"{libc}:mem*"),
                     ("events", "--ask", f"! count uprobe:{program}:t_nested"),
                     ("pairs", "--ask", "! mutexheld", "-p", work.pid),
                     ("heap", "--sample-bytes", "0", "-p", work.pid),
                     ("locks", "--lock-orders=!", "-p", work.pid))
            for view, *options in views:
                for how in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
                    with live.Watch(view, *options) as watch:
                        watch.next()
                        assert differs(work.pid), (view, "nothing is probed")
                        watch.process.send_signal(how)
                        watch.process.communicate(timeout=30)
                    live.wait_for(lambda: not differs(work.pid), 10)
            assert work.goes_on()[1] == 0


# Each does nothing until a line comes, and then all that it can until another one does.
TAKES_LOCKS = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static volatile int stop;
static long all, own[2];
static void *takes(void *of)
{
	for (; !stop; ++*(long *)of) {
		pthread_mutex_lock(&first);
		pthread_mutex_lock(&second);
		all++;
		pthread_mutex_unlock(&second);
		pthread_mutex_unlock(&first);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	printf("ready %d\\n", getpid());
	fflush(stdout);
	getchar();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, takes, &own[i]);
	getchar();
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts(all && all == own[0] + own[1] ? "agree" : "differ");
}
"""
CALLS_IN_GO = """
package main

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

var stop atomic.Bool
var all, own atomic.Int64

//go:noinline
func called(n int) int {
	var room [256]int
	all.Add(1)
	if n > 0 {
		room[n] = called(n - 1)
	}
	return room[n] + 1
}

func main() {
	var done sync.WaitGroup
	lines := bufio.NewReader(os.Stdin)
	fmt.Printf("ready %d\\n", os.Getpid())
	lines.ReadString('\\n')
	for i := 0; i < 8; i++ {
		done.Add(1)
		go func() {
			for !stop.Load() {
				own.Add(int64(called(40)))
			}
			done.Done()
		}()
	}
	lines.ReadString('\\n')
	stop.Store(true)
	done.Wait()
	if all.Load() > 0 && all.Load() == own.Load() {
		fmt.Println("agree")
	} else {
		fmt.Println("differ")
	}
}
"""


def goes_on_when_taken_off(view, *options, command):
    """What takes too much is taken off while the program is amid it, and that does what it does without."""
    with Traced(command) as work, \
         live.Watch(view, *(str(o).replace("PID", str(work.pid)) for o in options), binary=live.CHECKED) as watch:
        watch.next()
        assert differs(work.pid), (view, "nothing is probed")
        work.process.stdin.write("\n")
        work.process.stdin.flush()
        while "taken off" not in (watch.next()["health"]["note"] or ""):
            assert len(watch.reports) < 60, watch.reports[-1]["health"]
        assert not differs(work.pid), (view, "a breakpoint is left")
        watch.next()
        said = work.goes_on()
    assert said == ("agree\n", 0), (view, said)


def test_taken_off():
    """Probes on locks, and on functions of Go, that take too much are taken off programs that are amid them"""
    live.need_root()
    with live.temporary() as folder:
        source = os.path.join(folder, "locks.c")
        with open(source, "w", encoding="ascii") as f:
            f.write(TAKES_LOCKS)
        subprocess.run(["gcc", "-O1", "-pthread", "-o", f"{folder}/locks", source], check=True)
        goes_on_when_taken_off("locks", "--lock-orders", "-p", "PID", command=f"{folder}/locks")
        source = os.path.join(folder, "calls.go")
        with open(source, "w", encoding="ascii") as f:
            f.write(CALLS_IN_GO)
        path = go_live.build(source)
        goes_on_when_taken_off("funcs", "--function", f"{path}:main.called", command=path)


if __name__ == "__main__":
    live.main(globals())
