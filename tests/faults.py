#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""docs/FAULTS.md from the tests of what befalls a tracer: each case, and whether it held.

	make faults
"""
import os
import platform
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "lib"))
from markdown import lines_of  # noqa: E402

DOC = os.path.join(HERE, "../docs/FAULTS.md")
TESTS = {
    "faults": "Stopped, starved, overrun, the clock and the machine change",
    "gone": "What it watches or stands on goes away",
    "sched_faults": "Threads that end, execute and come again in the middle of a wait",
    "safety": "However it ends",
    "record": "Recordings",
    "hostile": "Names that are made to harm",
}
CASE = re.compile(r"(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$")
HEAD = """# Faults

Written by `make faults`, which runs the tests of what befalls a tracer on a machine at work
(tests/live/NAME_live.py; as root). A case holds when the figures of the views it is about are right
again within two ticks of 0.5 s, against loads that log what they did, and what was missed is said: in
`health` of the JSON and in the status line. `make check` runs them all each time; maps and rings that
are made tiny, so that they overflow, are in tests/live/*_test.c besides. What takes another machine
is tried in the guests of `make check-kernels`: a CPU that goes and comes, another
tracer's probes on the same functions ([KERNELS.md](KERNELS.md)).

"""


def run(name):
    """(case, outcome) of a program, and whether all is as it should be."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "live", name + "_live.py")], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = [CASE.match(line) for line in done.stdout.splitlines()]
    cases = [(m[2], "FAILED" if m[1] else f"not tried: {m[3]}" if m[3] else "holds")
             for m in found if m]
    good = not done.returncode and cases and all(outcome != "FAILED" for _, outcome in cases)
    print(f"{name}: {len(cases)} cases" + ("" if good else "; NOT all hold\n" + done.stdout),
          flush=True)
    return cases, good


def main():
    if os.geteuid():
        sys.exit("the faults need root")
    text = HEAD + (f"On {time.strftime('%Y-%m-%d')}, Linux {platform.release()}, "
                   f"{os.cpu_count()} CPUs.\n")
    good = True
    for name, what in TESTS.items():
        cases, held = run(name)
        good &= held
        text += f"\n## {what} ({name}_live.py)\n\n"
        text += "\n".join(lines_of([["case", "outcome"], *map(list, cases)])) + "\n"
    if good:
        with open(DOC, "w", encoding="utf-8") as f:
            f.write(text)
    sys.exit(not good)


if __name__ == "__main__":
    main()
