#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sessions in a real terminal, as a person has them."""
import subprocess
import glob
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from pty_session import Session  # noqa: E402
from tmux import Tmux, strip  # noqa: E402

PROFTOP = live.CHECKED
HEALTH = r"lost \d"
ORDER = r"(?s)hot_70.*hot_30"


def session(*args, **kw):
    live.need_root()
    return Tmux([kw.pop("binary", PROFTOP), "-F", "499", *map(str, args)], **kw)


def quit_cleanly(t):
    t.keys("q")
    status = t.wait_end()
    shown = t.screen()
    assert status == "0", f"exit status {status}:\n{shown}"
    for mark in live.ASAN_REPORT:
        assert mark not in shown, shown


def test_first_look():
    """It opens on the hot functions, with vital signs, health and keys"""
    with live.Workload("two_functions", 60), session() as t:
        t.wait(HEALTH)
        shown = t.wait(ORDER)
        lines = shown.splitlines()
        assert len(lines) <= 40
        assert "load" in lines[0] and "mem" in lines[1], shown
        assert " 1:cpu " in lines[2], shown
        quit_cleanly(t)


def test_unfold_and_drill():
    """Move, unfold, fold, drill to callers, to the annotated function, and back"""
    with live.Workload("two_functions", 120) as work, session("-p", work.pid) as t:
        t.wait(ORDER)
        time.sleep(1)
        t.keys("Home")
        t.keys("Right")
        t.wait(r"work\b(?s:.*)hot_30")
        t.keys("Left")
        t.keys("Home", "Enter")
        t.wait(r"callers above")
        t.wait(r"(?s)\bwork\b.*hot_70")
        t.keys("Enter")
        t.wait("callers above", absent=True)
        t.wait(r"\b(jne|mov|sub|subs|ret)\b")
        t.keys("Escape")
        t.wait("callers above")
        t.keys("Escape")
        t.wait(ORDER)
        quit_cleanly(t)


def test_filter():
    """f filters; a wrong term has a caret and the old filter stays; X clears"""
    with live.Workload("two_functions", 120), live.Workload("threads", 120) as other, \
            session() as t:
        t.wait("hot_70")
        t.keys("f")
        t.type(f"pid={other.pid}")
        t.keys("Enter")
        t.wait("hot_70", absent=True)
        t.wait("thread_work")
        t.wait(rf"scope.*pid={other.pid}")
        t.keys("f", "End", "C-u")
        t.type("colour=red")
        t.keys("Enter")
        t.wait(r"^\s*\^|\^")
        t.keys("Escape")
        t.wait(rf"scope.*pid={other.pid}")
        t.keys("X")
        t.wait("hot_70")
        quit_cleanly(t)


def test_pickers():
    """p picks a process by a few letters, v a view, c a cgroup"""
    with live.Workload("two_functions", 120) as work, live.Workload("inlined", 120), \
            session() as t:
        t.wait("hot_70")
        t.keys("p")
        t.wait(r"two_functions")
        t.type("two_func")
        t.keys("Enter")
        t.wait(rf"scope.*{work.pid}")
        t.wait("has_inlined|innermost", absent=True)
        t.keys("v")
        t.wait("where threads are held up")
        t.keys("Escape", "c")
        t.wait(r"/")
        t.keys("Escape")
        quit_cleanly(t)


def test_exclude():
    """x takes the selected row out"""
    with live.Workload("two_functions", 120), live.Workload("inlined", 120), \
            session("--comm", "two_functions|inlined") as t:
        t.wait("two_functions|hot_70")
        t.keys("P")
        t.wait(r"\d\s.* two_functions")
        shown = t.wait(r"\d\s.* inlined")
        t.keys("Home", "x")
        # Both use as much: which one is selected may change until the key is read.
        pid = re.search(r"!pid=(\d+)", t.wait(r"scope.*!pid=\d+"))[1]
        assert re.search(rf"\d\s.* {pid}\s", shown), shown
        t.wait(rf"\d\s.* {pid}\s", absent=True)
        quit_cleanly(t)


def test_sample_bytes():
    """How many objects are followed can be changed on the screen: to no call at all, and back"""
    library = os.path.join(live.WORKLOADS, "libheap_late.so")
    with live.Workload("heap_leaks", library) as work, session("-V", "heap", "-p", str(work.pid)) as t:
        os.kill(work.pid, signal.SIGUSR1)
        t.wait("sampled every 524288")
        for bytes_, shown in ("pages", "by pages: memory"), ("0", "leak_in_thread"), ("4096", "sampled every 4096"):
            t.keys("$")
            t.wait("sample-bytes")
            t.type(bytes_)
            t.keys("Enter")
            t.wait(shown)
        quit_cleanly(t)


def test_unwatch():
    """The last address can be let go while it is looked at; what is refused of one view leaves the rate of another"""
    program = os.path.join(live.WORKLOADS, "writes")

    def ask(command):
        t.keys(":")
        t.type(command)
        t.keys("Enter")

    with live.Workload("writes", 100), session("--watch", f"{program}:counter/8:w") as t:
        t.wait("hardware breakpoints")
        ask("unwatch")
        t.wait("nothing is watched(?s:.*)says what to watch")
        ask(f"watch {program}:no_such")
        t.wait("no such symbol")
        for line in (f"watch {program}:counter/8:w", f"watch {program}:table[0]", f"watch {program}:first.next",
                     f"watch {program}:steps"):
            ask(line)
            t.wait("watched: .*" + re.escape(line[-8:]))
        ask(f"watch {program}:below")
        t.wait("no more breakpoints|no breakpoint of the CPU is free")
        t.keys("Escape")
        t.keys("1")
        t.wait("cpu-clock")
        t.keys("-")
        t.wait("249 samples per second")
        quit_cleanly(t)


def test_grouping():
    """Every grouping has its key"""
    with live.Workload("threads", 120) as work, session("-p", work.pid) as t:
        t.wait("thread_work")
        for key, text in (("o", "threads"), ("m", "share-50"), ("P", str(work.pid)),
                          ("t", "share-30"), ("G", "/"), ("C", r"\b0\b"), ("y", "thread_work")):
            t.keys(key)
            t.wait(text)
        quit_cleanly(t)


def test_snapshot():
    """s saves the whole view to a new file, S takes the format from the suffix"""
    with live.temporary() as tmp, live.Workload("two_functions", 120):
        with session("--view", "cpu", binary=PROFTOP) as t:
            t.wait("hot_70")
            quit_cleanly(t)
        here = os.getcwd()
        os.chdir(tmp)
        try:
            with session() as t:
                t.wait("hot_70")
                t.keys("s")
                t.wait(r"proftop-cpu-.*\.txt")
                live.wait_for(lambda: glob.glob(tmp + "/proftop-cpu-*.txt"))
                time.sleep(1.1)  # the name has the second in it
                t.keys("s")
                live.wait_for(lambda: len(glob.glob(tmp + "/proftop-cpu-*.txt")) == 2)
                t.keys("S")
                t.keys("C-u")
                t.type("mine.json")
                t.keys("Enter")
                live.wait_for(lambda: os.path.exists(tmp + "/mine.json"))
                t.keys("S", "C-u")
                t.type("/nonexistent/x.csv")
                t.keys("Enter")
                t.wait("/nonexistent/x.csv")
                t.wait("hot_70")
                quit_cleanly(t)
        finally:
            os.chdir(here)
        with open(glob.glob(tmp + "/proftop-cpu-*.txt")[0], encoding="utf-8") as f:
            text = f.read()
        assert "hot_70" in text and "hot_30" in text and "samples" in text, text[:500]
        with open(tmp + "/mine.json", encoding="utf-8") as f:
            assert '"schema":"proftop/1"' in f.read().replace(" ", "")
        assert not [n for n in os.listdir(tmp) if "tmp" in n or n.startswith(".")], \
            os.listdir(tmp)


def test_help_and_palette():
    """? lists the keys, : completes and runs, unbound keys say what to press"""
    with live.Workload("two_functions", 120), session() as t:
        t.wait("hot_70")
        t.keys("?")
        t.wait("group by symbol")
        t.keys("NPage")
        t.wait("save the whole view")
        t.keys("Escape")
        t.wait("hot_70")
        t.keys(":")
        t.type("group-obj")
        t.keys("Tab", "Enter")
        t.wait("two_functions")
        t.keys("~")
        t.wait(r"\?")
        quit_cleanly(t)


def test_search():
    """/ moves to a match"""
    with live.Workload("two_functions", 120), session() as t:
        t.wait("hot_30")
        t.keys("/")
        t.type("hot_30")
        t.keys("Enter")
        t.wait("hot_30")
        quit_cleanly(t)


def test_pause_and_rate():
    """Space holds the screen, + and - change the rate, w the window, z starts again"""
    with live.Workload("two_functions", 120), session() as t:
        t.wait("hot_70")
        t.keys("Space")
        t.wait("PAUSED")
        t.keys("Space")
        t.wait("LIVE")
        t.keys("+")
        t.wait("998")
        t.keys("-")
        t.wait("499")
        t.keys("w", "z")
        t.wait("hot_70")
        quit_cleanly(t)


def test_resize():
    """Every size from 400x120 down to 20x4, and back, without a scar"""
    with live.Workload("two_functions", 120), session() as t:
        t.wait("hot_70")
        for columns, rows in ((400, 120), (80, 24), (40, 8), (30, 6), (20, 4), (200, 50)):
            t.resize(columns, rows)
            if columns >= 80:
                t.wait("hot_70")
                shown = t.wait(HEALTH)
                assert len(shown.splitlines()) <= rows
            else:
                live.wait_for(lambda: t.screen().strip(), 5)
            assert not t.ended()
        quit_cleanly(t)


def test_too_small():
    """Smaller than 40x8 says so"""
    with session(columns=30, rows=6) as t:
        t.wait(r"(?i)small|40")
        t.resize(100, 30)
        t.wait("load")
        quit_cleanly(t)


def test_suspend():
    """C-z returns to the shell and fg to the screen"""
    live.need_root()
    with live.Workload("two_functions", 120), Tmux(["bash", "--norc", "-i"],
                                                   env={"PS1": "shell> "}) as t:
        t.wait("shell>|\\$|#")
        t.type(f"{PROFTOP} -F 499")
        t.keys("Enter")
        t.wait("hot_70")
        t.keys("C-z")
        t.wait(r"(?i)stopped")
        t.type("echo still; echo here")
        t.keys("Enter")
        t.wait(r"^still\s*\n^here")
        t.type("fg")
        t.keys("Enter")
        t.wait("hot_70")
        t.wait("(?i)stopped", absent=True)
        t.keys("q")
        t.type("echo status $?")
        t.keys("Enter")
        t.wait(r"^status 0")


def test_terminals():
    """TERM=xterm, xterm-256color, linux, screen, tmux-256color, vt100; dumb is refused clearly"""
    with live.Workload("two_functions", 120):
        for term in ("xterm", "xterm-256color", "linux", "screen", "tmux-256color", "vt100"):
            # On the console ncurses loads libgpm and unloads it again, and what that library
            # leaks then has no module to be suppressed by: no sanitizer there.
            binary = live.RELEASE if term == "linux" else PROFTOP
            with session(term=term, binary=binary) as t:
                t.wait("hot_70")
                quit_cleanly(t)
    # These end at once: a pty of script(1) keeps what they said.
    for term in ("dumb", "no-such-terminal"):
        run = subprocess.run(["script", "-qec", PROFTOP, "/dev/null"], timeout=20, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                             env=live.environment(TERM=term))
        assert run.returncode != 0 and "--batch" in run.stdout, run


def test_no_colour():
    """NO_COLOR leaves attributes but no colour, and everything is still told"""
    with live.Workload("two_functions", 120), session(env={"NO_COLOR": "1"}) as t:
        t.wait("hot_70")
        coloured = t.screen(colours=True)
        assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|9[0-7]|4[0-7]|48|10[0-7])[;m]",
                             coloured), coloured
        assert strip(coloured).strip()
        quit_cleanly(t)


def grounds(t):
    """What the active tab looks like, wherever it is: the sequences before its name."""
    return re.search(r"((?:\x1b\[[\d;]*m)+)[^\x1b\n]*1:cpu", t.screen(colours=True).split("\n")[2])[1]


def choose_theme(t, name):
    t.keys(":")
    t.type(f"theme {name}")
    t.keys("Enter")
    t.wait(f"the theme is {name}")
    return grounds(t)


def test_colour():
    """With colours there are some; :theme changes them, without leaving any"""
    with live.Workload("two_functions", 120), session() as t:
        t.wait("hot_70")
        assert re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|9[0-7])[;m]", t.screen(colours=True))
        assert "48;5;24" in choose_theme(t, "dark"), t.screen(colours=True)
        assert "48;5;31" in choose_theme(t, "default"), t.screen(colours=True)
        assert not re.search("[34]8;", choose_theme(t, "mono")), t.screen(colours=True)
        assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|4[0-7]|48)[;m]", t.screen(colours=True))
        quit_cleanly(t)


def test_few_colours():
    """A terminal with 8 colours gets no others"""
    with live.Workload("two_functions", 120), session("--theme", "dark", term="screen") as t:
        t.wait("hot_70")
        assert re.search(r"44m|;44", grounds(t)), t.screen(colours=True)
        assert not re.search(r"[34]8;", t.screen(colours=True)), t.screen(colours=True)
        quit_cleanly(t)


def test_ascii():
    """--ascii and a locale without UTF-8 draw nothing beyond ASCII"""
    with live.Workload("two_functions", 120):
        for args, env in ((["--ascii"], {}), ([], {"LC_ALL": "C"})):
            with session(*args, env=env) as t:
                shown = t.wait("hot_70")
                assert shown.isascii(), [c for c in shown if not c.isascii()]
                quit_cleanly(t)


def test_hostile_names():
    """Wide, combining, broken and controlling names keep the columns in line"""
    with live.Workload("hostile_names", 120) as work, \
            session("-p", work.pid, "--group", "comm") as t:
        t.wait("日本語")
        t.wait("comma")
        shown = t.screen()
        assert "load" in shown.splitlines()[0], shown
        quit_cleanly(t)


def test_command():
    """-- COMMAND in the screen: it is watched, and its end is told"""
    with session("--", os.path.join(live.WORKLOADS, "two_functions"), "3") as t:
        t.wait("hot_70")
        t.wait("(?i)ended|exited")
        assert not t.ended()
        t.keys("q")
        t.wait_end()


def test_broken_user_keymap():
    """A keymap of one's own is read"""
    with live.temporary() as tmp:
        path = os.path.join(tmp, "keys")
        with open(path, "w", encoding="ascii") as f:
            f.write("[global]\nq none\nZ quit\n")
        with live.Workload("two_functions", 60), session("--keymap", path) as t:
            t.wait("hot_70")
            t.keys("q")
            t.wait(r"(?i)\bq\b")
            assert not t.ended()
            t.keys("Z")
            assert t.wait_end() == "0"


def test_no_full_repaint():
    """A tick writes what has changed, not the whole screen"""
    live.need_root()
    with live.Workload("two_functions", 60) as work, \
            Session("-p", str(work.pid), "-F", "99", columns=200, rows=60) as s:
        s.wait_text(b"hot_70")
        s.read(3)
        s.screen = b""
        start = time.monotonic()
        s.read(5)
        per_tick = len(s.screen) / (time.monotonic() - start)
        assert b"\x1b[2J" not in s.screen and b"\x1b[H\x1b[J" not in s.screen
        assert per_tick < 200 * 60 / 4, f"{per_tick:.0f} bytes a tick"
        os.write(s.fd, b"q")
        assert s.wait_end() == 0


if __name__ == "__main__":
    live.main(globals())
