#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""docs/LOCK_ORACLES.md: what proftop, helgrind and TSan say of the same programs, whose orders of locks are known.

	make lock-oracles
"""
import concurrent.futures
import os
import platform
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "lib"), os.path.join(HERE, "live")]
import live  # noqa: E402
import lock_orders_live as orders  # noqa: E402
from markdown import lines_of  # noqa: E402

DOC = os.path.join(HERE, "../docs/LOCK_ORACLES.md")
SOURCE = os.path.join(HERE, "workloads/lock_steps.c")
AT_ONCE = 4  # most of the time is waited for
HEAD = """# Orders of locks, beside helgrind and TSan

Written by `make lock-oracles` ([lock_oracles.py](../tests/lock_oracles.py)): what each tool says of the same programs.
Each step is done by a thread of its own that has ended before the next one begins, so nobody ever waits. A capital letter
takes that lock, a small one lets go of it; `?A` tries, `~A` waits for a millisecond at most, `@A` waits for a condition
with A, `%A` reads a rwlock, `!A` destroys A and makes it anew. "cycle" is what has to be said where the steps can hang
each other, and nowhere else. {how} helgrind and TSan know no functions of musl's.

"""


def build(folder, name, compiler, *options):
    path = os.path.join(folder, name)
    subprocess.run([compiler, "-g", "-O1", *options, "-o", path, SOURCE], check=True, stderr=subprocess.DEVNULL)
    return path


def tools(folder):
    """{column: what it says of (kind, steps)}, of which the first two are ours."""
    tsan = build(folder, "sanitized", "gcc", "-fsanitize=thread")
    musl = build(folder, "musl", "musl-gcc", "-idirafter", "/usr/include")
    glibc = os.path.join(live.WORKLOADS, "lock_steps")

    def judged(*command):
        def judge(kind, steps):
            with live.temporary() as own:
                return orders.judged(own, *command, kind, 1, *steps)
        return judge

    def ours(path):
        return lambda kind, steps: bool(orders.Seen(kind, steps, path=path, binary=live.RELEASE).cycles)
    return {"proftop": ours(None), "proftop, musl": ours(musl), "helgrind": judged("valgrind", "--tool=helgrind", glibc),
            "TSan": judged("setarch", "-R", tsan)}


def word(said, wrong):
    text = "cycle" if said else "-"
    return text if said == wrong else f"**{text}**"


def main():
    if os.geteuid():
        sys.exit("the probes need root")
    cases = [(kind, steps, True) for kind, steps, _ in orders.WRONG] + [(*case, False) for case in orders.RIGHT]
    right, rows = {}, []
    with live.temporary() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        said = tools(folder)
        asked = [pool.submit(lambda k, s: {name: judge(k, s) for name, judge in said.items()}, kind, steps)
                 for kind, steps, _ in cases]
        for (kind, steps, wrong), answer in zip(cases, asked):
            found = answer.result()
            for name, it in found.items():
                right[name] = right.get(name, 0) + (it == wrong)
            shown = " ".join(f"`{s}`" for s in steps)
            rows.append([kind, shown, "cycle" if wrong else "-", *(word(it, wrong) for it in found.values())])
            print(" | ".join(rows[-1]), flush=True)
    total = ", ".join(f"{name} {n}" for name, n in right.items())
    text = HEAD.format(how="What is **bold** is not so.") + \
        f"On {time.strftime('%Y-%m-%d')}, Linux {platform.release()}. Right of {len(cases)}: {total}.\n\n" + \
        "\n".join(lines_of([["Kind", "Steps", "Truth", *said], *rows])) + "\n"
    with open(DOC, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
