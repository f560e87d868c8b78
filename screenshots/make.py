#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Takes the screenshots: proftop in tmux on a machine that has something to do. Each one is
screenshots/NAME.txt and NAME.png; names as arguments take only those."""
import contextlib
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/lib"))
sys.path.insert(0, HERE)
import live  # noqa: E402
from render import Renderer  # noqa: E402
from tmux import Tmux, strip  # noqa: E402

# What a machine does on a busy day; each command is started again when it ends.
BUSY = ("tar -C /usr/share -cf - doc | xz -2 >/dev/null",
        "/usr/bin/python3 -c 'import json; d = [{str(i): [i, i * i]} for i in range(20000)]\n"
        "for _ in range(40): json.loads(json.dumps(d))'",
        "find /usr /var -type f -printf '%s %p\\n' | sort -n | tail -n 1 >/dev/null",
        "dd if=/dev/urandom bs=1M count=400 2>/dev/null | sha256sum >/dev/null")

# name, (columns, rows), options, steps: keys as tmux names them, "=text" types, "?text" waits,
# a number lets so many seconds pass, so that trends have something to tell.
SCREENS = (
    ("cpu", (120, 36), [], [8]),
    ("chains", (120, 36), [], [4, "Home", "Right", "Right", "Right", 1]),
    ("callers", (120, 36), ["--comm", "two_functions"], [4, "?hot_70", "Home", "Enter", 1.5]),
    ("annotate", (120, 36), ["--comm", "inlined"],
     [4, "?inlined", "Home", "Enter", 1, "Enter", "?burn|add|imul|mul", 2]),
    ("processes", (120, 30), [], [4, "P", 4]),
    ("filter", (120, 30), [], [4, "f", "=comm~^xz !pid=1 sate=D", "Enter", 1]),
    ("picker", (120, 30), [], [4, "p", 1, "=pyth", 1]),
    ("help", (120, 40), [], [3, "?", 1]),
    ("palette", (100, 30), [], [3, ":", "=group-", "Tab", 1]),
    ("log", (100, 30), [], [3, "2", 1]),
    ("small", (80, 24), [], [5]),
    ("ascii", (80, 24), ["--ascii"], [5]),
)


@contextlib.contextmanager
def busy():
    """The load, until the end; in a process group of its own each."""
    loops = [subprocess.Popen(["sh", "-c", f"while :; do {c}; done"], start_new_session=True,
                              stderr=subprocess.DEVNULL) for c in BUSY]
    try:
        with live.Workload("two_functions", 3600), live.Workload("inlined", 3600):
            yield
    finally:
        for loop in loops:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(loop.pid, 9)
            loop.wait()


def step(terminal, what):
    if isinstance(what, (int, float)):
        time.sleep(what)
    elif what.startswith("=") and len(what) > 1:
        terminal.type(what[1:])
    elif what.startswith("?") and len(what) > 1:
        terminal.wait(what[1:], 15)
    else:
        terminal.keys(what)


def save(name, columns, rows, text):
    plain = "\n".join(line.rstrip() for line in strip(text).split("\n")).rstrip("\n")
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8") as f:
        f.write(plain + "\n")
    image = Renderer(columns, rows).screen(text)
    image.quantize(128).save(os.path.join(HERE, name + ".png"), optimize=True)


def take(name, size, options, steps):
    with Tmux([live.RELEASE, "-F", "499", *options], *size,
              env={"COLORTERM": "truecolor"}) as terminal:
        terminal.wait(r"\d\.\d", 15)
        for what in steps:
            step(terminal, what)
        text = terminal.screen(colours=True)
        if terminal.ended():
            raise RuntimeError(f"{name}: it ended:\n{text}")
        save(name, *size, text)
        print(name, flush=True)


def doctor():
    run = live.proftop("--doctor", binary=live.RELEASE)
    lines = run.out.rstrip("\n").split("\n")
    save("doctor", max(map(len, lines)), len(lines), "\n".join(lines))
    print("doctor")


def main():
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as empty, busy():
        os.chdir(empty)
        for screen in SCREENS:
            if not wanted or screen[0] in wanted:
                take(*screen)
    if not wanted or "doctor" in wanted:
        doctor()


if __name__ == "__main__":
    main()
