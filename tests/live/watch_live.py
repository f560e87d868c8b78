#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Watched addresses: writes and reads of a variable by functions that are known, in threads that begin
while it is watched; what was there before and after; what is refused, in words."""
import collections
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

N = 1000
PROGRAM = os.path.join(live.WORKLOADS, "writes")


def hits(spec, *options, group="address,function"):
    """What the workload said, and the rows of the intervals that it worked in."""
    live.need_root()
    with live.Workload("writes", N) as work:
        spec = spec(work.process.pid) if callable(spec) else spec
        with live.Watch("watch", "--watch", spec, "--group", group, *options,
                        binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.process.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            reports = list(watch.reports)
    assert reports[-1]["health"]["lost"] == 0, reports[-1]["health"]
    return said, [r for x in reports for r in x["rows"]]


def by_function(rows):
    found = collections.Counter()
    for r in rows:
        found[r["function"]] += r["count"]
    return dict(found)


def test_writes():
    """Each write is counted, for the function that does it, in new threads, too"""
    said, rows = hits(f"{PROGRAM}:counter/8:w")
    assert by_function(rows) == {"add_one": N, "set_it": N // 2, "in_thread": N // 4}, by_function(rows)
    for r in rows:
        assert r["symbol"] == "counter" and r["address"] == said["address"], r
    last = {r["function"]: (r["before"], r["after"]) for r in rows}
    assert last == {"add_one": (41 + N - 1, 41 + N), "set_it": (1000000 + N // 2 - 2, 1000000 + N // 2 - 1),
                    "in_thread": (7, 7)}, last
    assert len({registers(r).get("rip") for r in rows}) in (1, 3), rows


def test_last():
    """Of an address alone what was there before and after is that of the last hit of all, and so are registers"""
    said, rows = hits(f"{PROGRAM}:counter", group="address")
    assert rows[-1]["before"] == rows[-1]["after"] == said["counter"] == 7, (rows, said)
    _, by_line = hits(f"{PROGRAM}:counter", group="address,line")
    of = {r["line"]: registers(r).get("rip", "")[-3:] for r in by_line}
    assert registers(rows[-1]).get("rip", "")[-3:] == of[f"writes.c:{line_of('counter = 7')}"], (rows[-1], of)


def line_of(text):
    with open(os.path.join(live.ROOT, "tests/workloads/writes.c"), encoding="utf-8") as f:
        return next(i for i, line in enumerate(f, 1) if text in line)


def registers(row):
    return dict(x.split("=") for x in row["registers"].split())


def test_lines():
    """Each write is of its line of the source, in threads that begin later, too; registers are those of the last hit"""
    _, rows = hits(f"{PROGRAM}:counter", group="line")
    found = collections.Counter()
    for r in rows:
        found[r["function"], r["line"]] += r["count"]
    wanted = {("add_one", "counter++"): N, ("set_it", "counter = (uint64_t)i"): N // 2,
              ("in_thread", "counter = 7"): N // 4}
    assert found == {(f, f"writes.c:{line_of(text)}"): n for (f, text), n in wanted.items()}, found
    said, rows = hits(f"{PROGRAM}:set_it:x", group="address,function,line")
    # Several rows of the line table begin at the first instruction: that of the head, that of the loop.
    assert by_function(rows) == {"set_it": 1}, rows
    assert int(rows[-1]["line"].split(":")[1]) - line_of("NOINLINE void set_it") in range(3), rows
    # Before its first instruction: the argument and where the code is are known.
    at = registers(rows[-1])
    if "rdi" in at:
        assert int(at["rdi"], 16) == N // 2 and at["rip"] == rows[-1]["address"], (said, rows[-1])


def test_members():
    """Members, elements and what a pointer leads to are found by debug information"""
    for place, function in (("first.next->inner[2].b", "set_member"), ("table[3]", "set_element"),
                            ("first.inner[1].a", "set_inner")):
        _, rows = hits(f"{PROGRAM}:{place}")
        assert by_function(rows) == {function: N // 5}, (place, by_function(rows))
        assert rows[-1]["symbol"] == place and rows[-1]["registers"], rows[-1]


def test_condition():
    """Only hits that change the value, or meet the condition, count"""
    _, rows = hits(f"{PROGRAM}:steps if changed")
    assert by_function(rows) == {"set_steps": N // 10}, by_function(rows)
    _, rows = hits(f"{PROGRAM}:steps if value >= 5 && value < 8 && before != 7")
    assert by_function(rows) == {"set_steps": 21}, by_function(rows)
    _, rows = hits(f"{PROGRAM}:below:w if after < -5")
    assert by_function(rows) == {"set_below": 3}, by_function(rows)


def test_reads_and_writes():
    """With rw reads are counted, too; an address may be given with a process"""
    def address(pid):
        with open(f"/proc/{pid}/maps", encoding="ascii") as f:
            base = min(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(PROGRAM))
        return f"0x{base + symbol('counter'):x}/8:rw"
    _, rows = hits(address, "--comm", "writes")
    found = by_function(rows)
    assert found["read_it"] == N // 10, found
    # A read and a write of one instruction are one hit; of two, two.
    assert found["add_one"] in (N, 2 * N) and found["set_it"] == N // 2, found


def test_of_process():
    """With pid:N a place is of that process alone: an address, where a file is mapped, a symbol of its program"""
    with live.Workload("writes", N) as other:
        for place in ("0x{address:x}", PROGRAM + "+0x{offset:x}", "counter"):
            _, rows = hits(lambda pid: f"pid:{pid}:{place.format(**where(pid))}/8", group="pid,function")
            assert by_function(rows) == {"add_one": N, "set_it": N // 2, "in_thread": N // 4}, (place, rows)
            assert other.pid not in {r["pid"] for r in rows}, (place, rows)


def where(pid):
    """Where the counter is: in the process, and in the file as it is mapped"""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        maps = [line.split() for line in f if line.rstrip().endswith(PROGRAM)]
    address = min(int(m[0].split("-")[0], 16) for m in maps) + symbol("counter")
    for m in maps:
        begin, end = (int(x, 16) for x in m[0].split("-"))
        if begin <= address < end:
            return {"address": address, "offset": address - begin + int(m[2], 16)}
    raise AssertionError(maps)


def symbol(name):
    import subprocess
    out = subprocess.run(["nm", PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout
    return next(int(line.split()[0], 16) for line in out.splitlines() if line.split()[-1] == name)


def test_code():
    """A function that is executed is counted each time"""
    _, rows = hits(f"{PROGRAM}:set_it:x", group="function")
    assert by_function(rows) == {"set_it": 1}, rows


def test_command():
    """Of a command all is counted, however short it is: where its program lies is known before its first instruction"""
    live.need_root()
    with open(PROGRAM, "rb") as f:
        assert f.read(18)[16] == 3, "a program that lies elsewhere each time"
    for _ in range(3):
        r = live.proftop("--batch", "--format", "json", "--group", "function", "--watch", f"{PROGRAM}:counter/8:w",
                         "--", PROGRAM, N, "now", binary=live.CHECKED)
        reports = [json.loads(x) for x in r.out.splitlines() if x.startswith('{"schema"')]
        assert by_function(row for x in reports for row in x["rows"]) == \
            {"add_one": N, "set_it": N // 2, "in_thread": N // 4}, str(r)
        assert r.status == 0 and reports[-1]["health"]["lost"] == 0, str(r)


def test_command_signals():
    """A command that is held or runs is ended by signals as ever; one that cannot begin is told with a shell's status"""
    live.need_root()
    watch = ("--batch", "--watch", f"{PROGRAM}:counter/8:w", "--")
    r = live.proftop(*watch, "sh", "-c", "kill -TERM $$", binary=live.CHECKED)
    assert r.status == 128 + signal.SIGTERM, str(r)
    r = live.proftop(*watch, "/no/such", binary=live.CHECKED)
    assert r.status == 127 and "cannot run /no/such" in r.err, str(r)
    r = live.proftop(*watch, os.path.join(live.ROOT, "README.md"), binary=live.CHECKED)
    assert r.status == 126 and "cannot run" in r.err, str(r)


def test_refusals():
    """What cannot be watched is refused in words"""
    live.need_root()
    for spec, words in ((f"{PROGRAM}:no_such/8:w", "no such symbol"), (f"{PROGRAM}:counter/3:w", "1, 2, 4 or 8"),
                        (f"{PROGRAM}:counter+1/8:w", "multiple of LEN"), ("0x1000/8:w", "-p PID"),
                        ("nothing", "PROGRAM:SYMBOL")):
        r = live.proftop("--batch", "--watch", spec, "-n", "1", binary=live.CHECKED)
        assert r.status and words in r.err, (spec, str(r))


if __name__ == "__main__":
    live.main(globals())
