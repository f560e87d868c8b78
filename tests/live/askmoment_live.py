#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the moment of an event is like: words of questions, terms of filters, slots that a timer ends; and
questions of one's own. A thread of real time that never sleeps keeps another one off its CPU: its
priority, its policy and what it does to the others are known."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import Watch  # noqa: E402

PRIO = 89  # task_struct.prio of a priority of 10
CPU = max(os.sched_getaffinity(0))
SPIN = "import ctypes; ctypes.CDLL(None).prctl(15, b'%s', 0, 0, 0)\nwhile True: pass"


@contextlib.contextmanager
def hog():
    """Of the last CPU: \"hog\", and \"starved\", which it leaves next to nothing."""
    commands = [["chrt", "-f", "10", "taskset", "-c", str(CPU), sys.executable, "-c", SPIN % "hog"],
                ["taskset", "-c", str(CPU), sys.executable, "-c", SPIN % "starved"]]
    processes = [subprocess.Popen(x) for x in commands]
    try:
        for p, name in zip(processes, ("hog", "starved")):
            live.wait_for(lambda p=p, name=name: comm_of(p.pid) == name, 20)
        yield [p.pid for p in processes]
    finally:
        for p in processes:
            p.kill()
            p.wait()


def comm_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
        return f.read().strip()


def once(*args):
    done = live.proftop("-b", "-n", 1, "-d", 1, "--format", "json", *args)
    assert done.status == 0, str(done)
    return json.loads(done.out)


def test_filters_and_timer():
    """Policy, priority, mode and run queue as filters; who keeps others off a CPU for 20 ms"""
    asked = ("burst sched:sched_switch, cpu-clock every 20ms "
             "sample stack if sched_switch == 0 && nr_running > 1")
    with hog() as (pid, other):
        for terms in ("policy=fifo", f"prio={PRIO}", "policy=fifo mode=user nr_running=2-"):
            rows = once("-V", "cpu", "--group", "pid", "--filter", f"{terms} pid={pid},{other}")["rows"]
            assert {r["pid"] for r in rows} == {pid}, (terms, rows)
        for terms in ("policy=rr", "prio=0-88", "mode=kernel irqs_disabled=0 policy=batch"):
            rows = once("-V", "cpu", "--group", "pid", "--filter", f"{terms} pid={pid},{other}")["rows"]
            assert not rows, (terms, rows)
        with Watch(asked) as watch:
            watch.next()
            watch.next()
        slots = [r for r in watch.rows() if r["cpu"] == CPU and r["comm"] == "hog"]
        live.fact("slots of 20 ms that the hog had alone", "some", len(slots))
        assert slots and all(r["sched:sched_switch"] == 0 and r["stack"] for r in slots), watch.rows()[:3]


def test_words():
    """A switch is made with interrupts off, a system call is entered with them on"""
    if not irqs_at_tracepoints():
        raise live.Skip("this kernel does not tell of interrupts at tracepoints")
    with Watch("count btf:sched_switch by irqs_disabled", "count raw_syscalls:sys_enter by irqs_disabled",
               "count sched:sched_wakeup by need_resched") as watch:
        watch.next()
        watch.next()
    found = {}
    for r in watch.rows():
        found.setdefault(r["ask"].split()[1], set()).add(r.get("irqs_disabled", r.get("need_resched")))
    assert found["btf:sched_switch"] == {1}, found
    assert found["raw_syscalls:sys_enter"] == {0}, found
    assert found["sched:sched_wakeup"] <= {0, 1}, found
    done = live.proftop("-b", "-n", 1, "-V", "sched", "--filter", "mode=user")
    assert done.status == 2 and "does not filter by mode=" in done.err, str(done)


def irqs_at_tracepoints():
    with open("/proc/kallsyms", encoding="utf-8") as f:
        return any(line.split()[2] == "bpf_local_irq_save" for line in f)


def test_own_questions():
    """They are asked by name; they shadow none; what others could have written is not read"""
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "proftop/questions")
        os.makedirs(folder)
        for name, text in (("mine", "# help\ncount raw_syscalls:sys_enter\nby id\n"),
                           ("execsnoop", "count a:b\n"), ("open", "count page-faults\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        os.chmod(os.path.join(folder, "open"), 0o666)
        env = {**live.environment(), "XDG_CONFIG_HOME": home}
        run = lambda *args: live.proftop("-b", "-n", 1, "--format", "json", *args, env=env)  # noqa: E731
        done = run("--ask", "mine")
        rows = json.loads(done.out)["rows"]
        assert done.status == 0 and rows, str(done)
        assert all(r["ask"] == "mine" and "id" in r and r["count"] for r in rows), rows[:2]
        done = run("--ask", "execsnoop")
        assert done.status == 0 and "compiled in is asked" in done.err, str(done)
        done = run("--ask", "open")
        assert done.status == 2 and "everybody may write to it" in done.err, str(done)
        done = run("--ask", "mine", "--no-config")
        assert done.status == 2 and "a question begins with" in done.err, str(done)


if __name__ == "__main__":
    live.main(globals())
