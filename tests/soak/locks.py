#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Orders of locks (--lock-orders) for an hour, of programs that are right: no cycle may be reported, what is lost is
shown, and proftop is bounded. All that is watched has CPU_PCT of one CPU together.

	locks.py [--minutes N] [--doc FILE]

A program that is wrong waits beside them: at the end it runs once, and the same proftop reports it.
"""
import argparse
import contextlib
import ctypes
import multiprocessing
import os
import platform
import re
import signal
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../live")]
import cgroups  # noqa: E402
import live  # noqa: E402
import vitals  # noqa: E402
import queries_live as queries  # noqa: E402
import waits_mariadb_live as mariadb  # noqa: E402
from markdown import lines_of  # noqa: E402

CPU_PCT = 40
ROW_S = 60
END_S = 900  # of what takes long on a machine with many processes: each probe is taken off all that map its file
# Of tests/workloads/lock_orders.c.
MODES = {"many": "20 mutexes in one order", "trylock": "the other order by trylock alone",
         "recursive": "recursive ones", "condition": "condition variables", "hand_over_hand": "hand over hand"}
WRONG = "plain", 1, "ABba", "BAab"
CLIENTS = 4
GROWTH_MIB = 32  # mostly rows of waits: 2,048 that are long ago stay apart (measures/locks.c), and as many by stack
COLUMNS = ("minute", "locks a second", "waits", "cycles", "lost", "rss", "private", "map memory", "fds", "links")
HEAD = """# Orders of locks, watched for long

Written by `make soak-locks` ([locks.py](../tests/soak/locks.py)): `proftop -V locks --lock-orders=!` on programs whose
locks are taken in orders that are right, with {cpu} % of a CPU for all of them:
{modes} (four threads each); and
mariadbd with {clients} clients that insert, read and delete as mysqlslap's do. No cycle may be reported. At the end a
program that takes two mutexes in both orders runs once, and the same proftop has to report that one cycle.
`make soak-locks SOAK_MINUTES=3` is a short run, which leaves this file as it is.

{minutes:.0f} minutes on Linux {kernel} with {cpus} CPUs.

"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--doc", help="where the run's table goes")
    return parser.parse_args()


def client(socket, n):
    """One of mysqlslap's, round after round."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with its parent
    c = queries.Connection(socket)
    while True:
        queries.slap(c, n)
        c.query(f"delete from slap where id div {queries.ROUNDS} = {n}")


@contextlib.contextmanager
def clients(socket, group):
    work = [multiprocessing.Process(target=client, args=(socket, n), daemon=True) for n in range(CLIENTS)]
    for w in work:
        w.start()
        cgroups.join(group, w.pid)
    try:
        yield work
    finally:
        for w in work:
            w.kill()
            w.join()


def loads(seconds, stack, group):
    """What is right, at work: (processes that are watched, clients)."""
    pids = []
    for mode in MODES:
        work = stack.enter_context(live.Workload("lock_orders", mode, seconds))
        cgroups.join(group, work.pid)
        os.kill(work.pid, signal.SIGUSR1)
        pids.append(work.pid)
    server = stack.enter_context(mariadb.server())
    server.sql("create table test.slap (id int primary key, number int, words varchar(64)) engine=innodb")
    cgroups.join(group, server.pid)
    return [*pids, server.pid], stack.enter_context(clients(server.client[-1], group))


class Soak:
    """Reports of one proftop, interval after interval."""

    def __init__(self, watch):
        self.watch, self.rows, self.cycles, self.waits, self.note = watch, [], [], 0, ""
        watch.next()  # its probes are attached
        self.begin = time.monotonic()

    def minute(self):
        return (time.monotonic() - self.begin) / 60

    def look(self):
        report = self.watch.next()
        health = report["health"]
        self.note = health["note"] or ""
        self.cycles += [c for c in report["summary"]["may_deadlock"] if c not in self.cycles]
        self.waits += sum(r["count"] or 0 for r in report["rows"])
        if self.minute() * 60 < len(self.rows) * ROW_S:
            return
        rate = re.search(r"lock orders: (\d+) locks a second", self.note)
        now = vitals.measure(self.watch.process.pid)
        self.rows.append({**now, "minute": self.minute(), "locks a second": int(rate[1]) if rate else 0,
                          "waits": self.waits, "cycles": len(self.cycles), "lost": health["lost"] + health["map_full"]})
        print(", ".join(f"{c} {self.rows[-1][c]:.5g}" for c in COLUMNS), flush=True)

    def wrong(self):
        """What is amiss after it, as text."""
        first, last = self.rows[0], self.rows[-1]
        if self.cycles:
            yield f"cycles of what is right: {self.cycles}"
        if not all(r["locks a second"] for r in self.rows):
            yield "no locks were taken"
        if last["private"] - first["private"] > GROWTH_MIB:
            yield f"it grew from {first['private']:.0f} to {last['private']:.0f} MiB"
        for what in ("fds", "links", "maps"):
            if last[what] > first[what] + 2 * (what == "fds"):
                yield f"{what}: {first[what]}, then {last[what]}"


def soak(minutes):
    """(what was seen, what is amiss)."""
    with contextlib.ExitStack() as stack:
        group = stack.enter_context(cgroups.limited_group("cpu", CPU_PCT * 1000))
        guilty = stack.enter_context(live.Workload("lock_steps", *WRONG))
        pids, work = loads(int(minutes * 60 + 2 * END_S), stack, group)
        of = ",".join(map(str, (guilty.pid, *pids)))
        watch = stack.enter_context(live.Watch("locks", "--lock-orders=!", "-p", of, delay=10))
        seen = Soak(watch)
        while seen.minute() < minutes:
            seen.look()
        amiss = list(seen.wrong())
        if not all(w.is_alive() for w in work):
            amiss.append("a client has ended")
        os.kill(guilty.pid, signal.SIGUSR1)
        guilty.process.stdout.readline()
        watch.until(live.now_ns())
        found = [{(o["first"], o["second"]) for o in c} for c in watch.reports[-1]["summary"]["may_deadlock"]]
        if found != [{("locks", "locks+0x40"), ("locks+0x40", "locks")}]:
            amiss.append(f"of the program that is wrong: {found}")
        watch.stop(END_S)
    return seen, amiss


def text(seen):
    cells = [[f"{r[c]:.1f}" if isinstance(r[c], float) else str(r[c]) for c in COLUMNS] for r in seen.rows]
    head = HEAD.format(cpu=CPU_PCT, modes=", ".join(MODES.values()), clients=CLIENTS, minutes=seen.rows[-1]["minute"],
                       kernel=platform.release(), cpus=os.cpu_count())
    table = "\n".join(lines_of([list(COLUMNS), *cells]))
    return f"{head}{table}\n\nWhat it said of itself at the end: {seen.note}.\n"


def main():
    o = arguments()
    if os.geteuid():
        sys.exit("the soak needs root")
    seen, amiss = soak(o.minutes)
    print(text(seen))
    if o.doc:
        with open(o.doc, "w", encoding="utf-8") as f:
            f.write(text(seen))
    print("it held" if not amiss else f"it did NOT hold: {'; '.join(amiss)}")
    sys.exit(bool(amiss))


if __name__ == "__main__":
    main()
