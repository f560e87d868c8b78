#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of Java's waits: monitors, parks, sleeps, and the virtual machine's own."""
import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402

SOURCE = """
import java.util.concurrent.locks.ReentrantLock;
public class Waits {
    static final Object monitor = new Object(), event = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static void sleep(long ms) {
        try { Thread.sleep(ms); } catch (InterruptedException e) { }
    }
    static void holds(long ms) {
        while (true) { synchronized (monitor) { sleep(ms); } sleep(1); }
    }
    static void wants() { while (true) { synchronized (monitor) { } sleep(1); } }
    static void awaits() {
        synchronized (event) { try { event.wait(); } catch (InterruptedException e) { } }
    }
    public static void main(String[] args) {
        long ms = Long.parseLong(args[0]);
        new Thread(() -> holds(ms), "holder").start();
        sleep(50);
        new Thread(() -> wants(), "victim").start();
        new Thread(() -> awaits(), "awaiting").start();
        lock.lock();
        new Thread(() -> lock.lock(), "parked").start();
        sleep(500);
        System.out.println("ready");
        sleep(1000000);
    }
}
"""


@contextlib.contextmanager
def program(held_ms):
    live.need_root()
    servers.need("java", "javac")
    with servers.folder() as folder:
        with open(f"{folder}/Waits.java", "w", encoding="ascii") as f:
            f.write(SOURCE)
        subprocess.run(["javac", "-d", folder, f"{folder}/Waits.java"], check=True)
        with servers.running("java", "-cp", folder, "Waits", held_ms, text=True,
                             stdout=subprocess.PIPE) as p:
            servers.printed(p, "ready")
            yield p


def check_monitor(held_ms):
    with program(held_ms) as p:
        r = servers.report(p.pid, seconds=4)
    servers.not_hidden(r)
    # Whoever is there and has to give its CPU to others waits for that.
    rows = [x for x in servers.with_frame(r, "ObjectMonitor::", comm="victim") if x["reason"] != "preempted"]
    # It gets the monitor in between, and sleeps for a millisecond.
    live.near(servers.all_of(r, rows, **{"class": "harmful", "reason": "lock"}), 1, 0.15,
              "waiting for the monitor")
    assert r["rows"][0]["comm"] == "victim", servers.summary(r)


def test_monitor_held_for_a_second():
    """A monitor that is held for a second at a time is harmful"""
    check_monitor(1000)


def test_monitor_held_for_40_ms():
    """So is one that is held for 40 ms"""
    check_monitor(40)


def test_parked():
    """Who parks, waits or sleeps is unclear: the frames that would tell have no names"""
    with program(1000) as p:
        r = servers.report(p.pid)
    for comm, frame in (("parked", "Unsafe_Park"), ("awaiting", "ObjectMonitor::wait")):
        share = servers.all_of(r, servers.with_frame(r, frame, comm=comm),
                               **{"class": "unclear"})
        live.near(share, 1, 0.1, comm)
    servers.all_of(r, servers.with_frame(r, "JVM_Sleep", comm="holder"),
                   **{"class": "unclear", "reason": "sleep"})
    assert not waits.rows_of(r, comm="holder", idle=True), servers.summary(r)


def test_virtual_machine():
    """The virtual machine's threads without a task, and its timer of 50 ms, are idle"""
    with program(1000) as p:
        r = servers.report(p.pid)
    # Where it was preempted it did not wait.
    timer = [x for x in servers.with_frame(r, "WatcherThread::") if x["reason"] != "preempted"]
    assert waits.total(timer, "count") > 30, servers.summary(r)
    live.near(servers.all_of(r, timer, **{"class": "idle"}), 1, 0.1, "VM Periodic Task Thread")
    for comm in ("VM Thread", "Signal Dispatch", "C2 CompilerThre"):
        rows = [x for x in waits.rows_of(r, comm=comm) if x["off_ns"] > 50e6]
        servers.all_of(r, rows, **{"class": "idle"})


if __name__ == "__main__":
    live.main(globals())
