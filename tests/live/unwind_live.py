#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
User stacks of code without frame pointers, on and off CPU, as reports tell of them: in the second
interval, when tables are there, 99 % of what is counted reaches main, _start or a thread's first
frame. unwind_test.c has what compilers and options make of code, more programs, and tests that the
frames are the right ones.
"""
import contextlib
import math
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import asks  # noqa: E402
import flame_sums  # noqa: E402
import live  # noqa: E402
import waits  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads")
SHAPES = "-D_GNU_SOURCE -w", "unwind_shapes.c", "-ldl -lpthread -lrt"
MOST_BROKEN_PCT = 1.0
RATE = 997


def build(folder, compiler, flags, source):
    """Compiles a workload and returns its path."""
    language, name, libs = source
    path = os.path.join(folder, f"w{len(os.listdir(folder))}")
    if not shutil.which(compiler):
        raise live.Skip(f"no {compiler}")
    subprocess.run([compiler, *language.split(), "-fomit-frame-pointer", *flags.split(),
                    os.path.join(SOURCES, name), "-o", path, *libs.split()], check=True)
    return path


def build_late(folder):
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-fomit-frame-pointer",
                    os.path.join(SOURCES, "libunwind_late.c"),
                    "-o", os.path.join(folder, "libunwind_late.so")], check=True)


def watch(view, pid, *args):
    """The second interval of a view of one process."""
    rate = ("-F", RATE) if view == "cpu" else ()
    return live.batch("-V", view, "-p", pid, "-n", 2, "-d", 1, *rate, *args,
                      binary=live.RELEASE)[-1]


def broken(view, pid, least=30):
    report = watch(view, pid)
    health = report["health"]
    assert health["samples"] >= least, f"{view}: only {health['samples']} samples"
    return health["stacks_truncated_pct"], health


def complete(pid, what, views=("cpu", "offcpu")):
    for view in views:
        pct, health = broken(view, pid)
        if pct > MOST_BROKEN_PCT:  # few samples, and one of a thread that has just begun
            pct, health = broken(view, pid)
        # Of so few samples three standard deviations more may be broken.
        most = MOST_BROKEN_PCT + 300 * math.sqrt(MOST_BROKEN_PCT / 100 / health["samples"])
        live.fact(f"{what}, {view}: stacks that end early, %", 0, pct, most)
        assert pct <= most, f"{what}, {view}: {pct:.2f} % broken, {health}"


@contextlib.contextmanager
def running(*command, **popen):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL, **popen)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


PYTHON = """
import re, json, time
while True:
    json.loads(json.dumps({str(i): [i, "x" * i] for i in range(50)}))
    re.sub(r"(a+)b", "", "aaaab" * 100)
    sorted(range(1000), key=lambda x: -x)
    time.sleep(.0005)
"""
NODE = """function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
setInterval(() => { f(22); JSON.parse(JSON.stringify(Array(1000).fill({a: 1}))) }, 1)"""
JAVA = """import java.util.TreeMap;
public class Loop {
	static long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
	public static void main(String[] args) throws Exception {
		for (;;) {
			var m = new TreeMap<String, Long>();
			for (int i = 0; i < 500; i++)
				m.put("k" + i * 7 % 501, f(9));
			Thread.sleep(1);
		}
	}
}
"""


def program(views, *command):
    live.need_root()
    if not shutil.which(command[0]):
        raise live.Skip(f"no {command[0]}")
    with running(*command) as pid:
        complete(pid, command[0], views)


def test_python():
    """python3 as the distribution has it"""
    program(("cpu", "offcpu"), "/usr/bin/python3", "-c", PYTHON)


def test_node():
    """node: code made at run time and interpreters written by hand, by their frame pointers"""
    program(("cpu",), "node", "-e", NODE)


@waits.steady
def test_java():
    """the JVM: what it makes at run time says itself how large its frames are"""
    with live.temporary() as folder:
        path = os.path.join(folder, "Loop.java")
        with open(path, "w", encoding="ascii") as f:
            f.write(JAVA)
        program(("cpu", "offcpu"), "java", "-XX:+UseSerialGC", path)


LAZY_CALLS = 600
LAZY_MAIN = """#include <dlfcn.h>
int main(int argc, char **argv)
{
	while (1) {
		void *lib = dlopen(argv[1], RTLD_LAZY);
		int (*run)(int) = (int (*)(int))dlsym(lib, "run");

		run(argc);
		dlclose(lib);
	}
}
"""


def build_lazy(folder):
    """A program that loads a library over and over, each of whose calls is bound when it is made."""
    calls, callees, main = (os.path.join(folder, name) for name in ("calls", "callees", "main"))
    names = [f"bound_late_{n}" for n in range(LAZY_CALLS)]
    sources = {calls: "".join(f"int {n}(int);\n" for n in names) + "int run(int x)\n{\n"
                      + "".join(f"\tx += {n}(x);\n" for n in names) + "\treturn x;\n}\n",
               callees: "".join(f"int {n}(int x)\n{{\n\treturn x + 1;\n}}\n" for n in names),
               main: LAZY_MAIN}
    links = {callees: ["-shared", "-fPIC"], calls: ["-shared", "-fPIC", "-Wl,-z,lazy", callees],
             main: ["-ldl"]}
    for path, rest in links.items():
        with open(path + ".c", "w", encoding="ascii") as f:
            f.write(sources[path])
        subprocess.run(["gcc", "-w", "-O1", "-fomit-frame-pointer", path + ".c", "-o", path, *rest],
                       check=True)
    return main, calls


@waits.steady
def test_lazy_binding():
    """Calls that are bound when they are first made: what binds them is walked"""
    live.need_root()
    with live.temporary() as folder, \
            running(*build_lazy(folder), env={**os.environ, "LD_BIND_NOW": ""}) as pid:
        complete(pid, "lazily bound calls", ("cpu",))


@waits.steady
def test_frame_pointers_alone():
    """--call-graph fp does not see what eh and auto do"""
    live.need_root()
    with live.temporary() as folder:
        build_late(folder)
        with running(build(folder, "gcc", "-O2", SHAPES)) as pid:
            share = {mode: watch("offcpu", pid, "--call-graph", mode)["health"]
                     for mode in ("fp", "eh")}
    assert share["fp"]["stacks_truncated_pct"] > 20, share
    assert share["eh"]["stacks_truncated_pct"] <= MOST_BROKEN_PCT, share
    ends = share["eh"]["user_stacks"]
    # Who woke it is in there too: of code made at run time frame pointers may be all there is.
    early = ("not_known_yet", "no_table_yet", "no_row", "bad_stack")
    assert ends["whole"] > 0.9 * (ends["whole"] + sum(ends[key] for key in early)), ends
    assert ends["by"] == "tables in the kernel", ends
    assert share["fp"]["user_stacks"]["by"] == "frame pointers", share
    assert 0 < ends["table_bytes"] <= ends["table_budget_bytes"], ends


@waits.steady
def test_off():
    """--call-graph off: no user stacks are walked, and what is waited for is still there"""
    live.need_root()
    with live.Workload("many_stacks", 60, 2) as work:
        report = watch("offcpu", work.pid, "--call-graph", "off")
    assert report["rows"][0]["symbol"], report["rows"]
    assert {f["kind"] for row in report["rows"] for f in row["stack"]} == {"kernel"}, report["rows"]
    assert report["health"]["stacks_truncated_pct"] == 0, report["health"]
    assert report["health"]["user_stacks"]["whole"] == 0, report["health"]


STACKS, TURNS = 16, 20


def turns(row):
    """The number of the wait that a stack is of, by which way each of its calls went; and how many
    calls it has."""
    ways = [f["symbol"] for f in row["stack"] if f["symbol"].startswith("turns_")]
    return sum((way == "turns_right") << i for i, way in enumerate(reversed(ways))), len(ways)


@waits.steady
def test_other_callers():
    """Waits at one place and depth whose callers take turns: the last walk is not taken for this"""
    live.need_root()
    with live.Workload("many_stacks", 60, STACKS) as work:
        report = watch("offcpu", work.pid)
    counts = dict.fromkeys(range(STACKS), 0)
    for row in (r for r in report["rows"] if r["state"] == "S"):
        which, calls = turns(row)
        assert calls == TURNS and which in counts, row
        counts[which] += row["count"]
    mean = sum(counts.values()) / STACKS
    live.fact("waits in the rarest and the most frequent of stacks that take turns, of their mean",
              1, min(counts.values()) / mean, 0.05)
    assert mean > 50, counts
    assert all(abs(n - mean) <= 0.05 * mean + 3 for n in counts.values()), counts


@waits.steady
def test_new_processes():
    """Processes that are over before user space hears of them: the kernel knows what is mapped"""
    live.need_root()
    loop = "while :; do /usr/bin/python3 -S -c 'sum(x * x for x in range(60000))'; done"
    with running("bash", "-c", loop):
        report = live.batch("-V", "cpu", "--comm", "python3", "-n", 3, "-d", 1, "-F", RATE,
                            binary=live.RELEASE)[-1]
    health = report["health"]
    assert health["samples"] > 100, health
    assert health["stacks_truncated_pct"] < 5, health
    ends = health["user_stacks"]
    assert ends["not_known_yet"] == 0, ends
    assert ends["memory_gone"] > 0, ends
    assert ends["looked_up_in_kernel"] > 0, ends


@waits.steady
def test_old_processes():
    """Of who is there for longer user space tells what is mapped: nobody looks it up each time"""
    live.need_root()
    with live.Workload("many_stacks", 60, 2) as work:
        ends = watch("offcpu", work.pid)["health"]["user_stacks"]
    assert ends["whole"] > 1000, ends
    assert ends["looked_up_in_kernel"] < 0.05 * ends["whole"], ends


def first_stacks(view, pid, folder):
    """What one interval of a second says, for the first time that this process is looked at: by stack."""
    path = os.path.join(folder, f"{view}.folded")
    rate = ("-F", str(RATE)) if view == "cpu" else ()
    run = live.proftop("-b", "-n", "1", "-d", "1", "-V", view, "-p", str(pid), *rate, "-o", path,
                       binary=live.RELEASE)
    assert run.status == 0, run
    return flame_sums.lines(path)


def test_first_second():
    """One interval of a program without frame pointers: whole stacks, and one row for its one wait"""
    live.need_root()
    with live.temporary() as folder:
        path = build(folder, "gcc", "-O2", ("", "nested_wait.c", ""))
        with live.Workload("nested_wait", 60, path=path) as work:
            on = first_stacks("cpu", work.pid, folder)
            off = first_stacks("offcpu", work.pid, folder)
            rows = live.batch("-V", "offcpu", "-p", work.pid, "-n", 1, "-d", 1, "--group", "stack",
                              binary=live.RELEASE)[-1]["rows"]
    whole = "main;outer;middle"
    # It may be interrupted between two of its calls, seldom.
    inside = sum(n for stack, n in on.items() if f"{whole};burns_here" in ";".join(stack))
    live.near(100 * inside / sum(on.values()), 100, 2, "samples with whole stacks, %")
    waits_of = {stack: n for stack, n in off.items() if any("nanosleep" in f for f in stack)}
    assert waits_of, off
    cut = {stack: n for stack, n in waits_of.items()
           if f"{whole};sleeps_here" not in ";".join(stack)}
    live.fact("waits whose stack is cut", 0, len(cut))
    assert not cut, cut
    asleep = [r for r in rows if r["reason"] == "sleep"]
    assert len(asleep) == 1 and asleep[0]["count"] > 5, rows


def test_first_calls():
    """The first calls of who was asleep until then have whole stacks, for a measure and for a question"""
    n = 500
    for view, options in (("syscalls", ("--group", "stack")),
                          ("events", ("--ask", "! count syscalls:sys_enter_getppid by stack"))):
        with asks.Calls("exact", n) as work, live.Watch(view, "-p", work.pid, *options) as watch:
            watch.next()
            work.tell()
            work.result()
            watch.until(live.now_ns())
        walks = [x["health"]["user_stacks"] for x in watch.reports]
        assert sum(w["whole"] for w in walks) > 0, walks
        assert not any(w["no_table_yet"] + w["not_known_yet"] for w in walks), (view, walks)
        assert any(f["symbol"] == "main" for x in watch.reports for r in x["rows"]
                   for f in r["stack"]), watch.reports


if __name__ == "__main__":
    live.main(globals())
