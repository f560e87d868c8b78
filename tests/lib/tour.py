#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The recording of the tour: tour.py PROFTOP_FIXTURE FILE makes it from tests/script/tour.fixture;
tour.py --same PROFTOP_FIXTURE FILE FILE says whether two show the same."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
FIXTURE = os.path.join(HERE, "../script/tour.fixture")
VIEWS = "procs,cpu,offcpu,cache,io,sched,syscalls,locks,heap"
INTERVALS = 3
MAX_BYTES = 200 << 10


def make(program, path):
    with tempfile.TemporaryDirectory() as tmp:
        script, made = os.path.join(tmp, "script"), os.path.join(tmp, "made")
        with open(script, "w", encoding="ascii") as f:
            f.write(f"tick {INTERVALS}\nquit\n")
        subprocess.run([program, FIXTURE, "--script", script, "--view", "overview", "--views", VIEWS,
                        "--record", made], check=True,
                       env={**os.environ, "HOME": tmp, "XDG_CONFIG_HOME": ""})
        with open(made, "rb") as f:
            data = f.read()
    assert len(data) < MAX_BYTES, len(data)
    with open(path, "wb") as f:
        f.write(data)
    print(f"{path}: {len(data)} bytes")


def rows(program, path, view):
    done = subprocess.run([program, FIXTURE, "--replay", path, "-b", "-V", view, "--format", "json"],
                          check=True, stdout=subprocess.PIPE, text=True)
    return [sorted(json.dumps(r) for r in json.loads(line)["rows"]) for line in done.stdout.splitlines()]


def same(program, a, b):
    for view in ["overview", *VIEWS.split(",")]:
        assert rows(program, a, view) == rows(program, b, view), f"{view}: `make tour` makes it anew"


def main():
    if sys.argv[1] == "--same":
        same(*sys.argv[2:])
    else:
        make(*sys.argv[1:])


main()
