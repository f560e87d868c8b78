#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The worked example of docs/ARCHITECTURE.md: its text is built as it stands, and it counts what a
workload does. One case for each of its promises."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
from live import BUILD, ROOT, Skip, main, need_root  # noqa: E402

TREE = os.path.join(BUILD, "example")
SENT = 1000
LIMIT = 150  # lines of a declaration, and of its programs
WORKLOAD = f"""
import os, signal, sys, time
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
sys.stdin.readline()
for _ in range({SENT}):
    os.kill(os.getpid(), signal.SIGUSR1)
time.sleep(1)
"""


def texts():
    """What the document says is in each file: name and text."""
    with open(os.path.join(ROOT, "docs/ARCHITECTURE.md")) as f:
        text = f.read()
    part = text[text.index("## How to add an analysis"):]
    blocks = re.findall(r"`([\w./]+)`:\n\n```c\n(.*?)```", part, re.S)
    assert [name for name, _ in blocks] == ["bpf/signals.bpf.c", "measures/signals.c",
                                            "measures/measures.def"], blocks
    return dict(blocks)


def copy_tree():
    """The project's files, and what is built of them, so that little is built anew."""
    os.makedirs(TREE, exist_ok=True)
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    for name in names:
        to = os.path.join(TREE, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.isfile(os.path.join(ROOT, name)):
            shutil.copy2(os.path.join(ROOT, name), to)
    for folder in "rel", "bpf", "export", "samples", "libperf":
        shutil.copytree(os.path.join(BUILD, folder), os.path.join(TREE, "build", folder),
                        dirs_exist_ok=True, ignore=shutil.ignore_patterns("tests"))


def write(name, text):
    path = os.path.join(TREE, name)
    if name.endswith(".def"):
        with open(path) as f:
            text = f.read() + text
    with open(path, "w") as f:
        f.write(text)


def test_text_is_short():
    for name, text in texts().items():
        assert text.count("\n") <= LIMIT, name


def test_text_builds():
    shutil.rmtree(TREE, ignore_errors=True)
    copy_tree()
    for name, text in texts().items():
        write(name, text)
    made = subprocess.run(["make", "-j2", "all"], cwd=TREE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert made.returncode == 0, made.stdout[-3000:]
    assert "warning" not in made.stdout, made.stdout[-3000:]


def test_it_counts():
    """All signals of a workload, by signal, in its row; and the view is listed."""
    need_root()
    program = os.path.join(TREE, "build/proftop")
    if not os.path.exists(program):
        raise Skip("it was not built")
    assert "signals " in subprocess.check_output([program, "--list-views"], text=True)
    load = subprocess.Popen([sys.executable, "-c", WORKLOAD], stdin=subprocess.PIPE, text=True)
    try:
        run = subprocess.Popen([program, "-b", "-V", "signals", "-p", str(load.pid), "-n", "4", "-d",
                                "0.5", "--format", "json"], stdout=subprocess.PIPE, text=True)
        first = run.stdout.readline()  # every probe is attached by now
        load.stdin.write("go\n")
        load.stdin.close()
        lines = [first] + run.stdout.read().splitlines()
        assert run.wait() == 0
    finally:
        load.send_signal(signal.SIGKILL)
        load.wait()
    rows = [row for line in lines for row in json.loads(line)["rows"]]
    assert sum(row["count"] for row in rows if row["signal"] == "SIGUSR1") == SENT, rows


main(globals())
