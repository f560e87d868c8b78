#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Names that others chose, in each place where there are names: as commands to the terminal, as
markup in what a browser opens, as structure in what programs read. They are shown, harmless."""
import contextlib
import csv
import html.parser
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from pty_session import Session  # noqa: E402

ESCAPES = "\x1b[2J\x1b]0;evil\x07\x9b31m\x7f"
BIDI = "\u202e\u2066\u200b"
MARKUP = "</script><script>evil()</script>\"><img src=x onerror=evil()>]]><!--"
EVIL_FILE = f"f{ESCAPES}{BIDI}\n{MARKUP.replace('/', '')}"
EVIL_SYMBOL = f"s{ESCAPES}{MARKUP}"
EVIL_CGROUP = f"c{ESCAPES}{BIDI}{MARKUP.replace('/', '')}"
EVIL_COMMS = b"\x1b[2J\x1b[31mred\a", b"\"><img onerror="
SUFFIXES = {"text": ".txt", "json": ".json", "csv": ".csv", "folded": ".folded", "svg": ".svg",
            "html": ".html", "speedscope": ".speedscope.json", "openmetrics": ".om",
            "perf": ".perf.txt"}
# Bytes that are commands to a terminal, when nobody but the file's reader looks.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]|\xc2[\x80-\x9f]")
# Characters that are not seen, and move what is. What programs read has names as they are.
UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
EXACT = "json", "speedscope"
# What every view has something for.
OF_ALL_VIEWS = "text", "json", "csv", "html", "openmetrics"
# Reads and writes a file for as long as it lives.
USE_FILE = """
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
print("ready", flush=True)
while True:
    os.pwrite(fd, b"x" * 65536, 0)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(fd, 65536, 0)
"""


def cgroup_root():
    for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(os.path.join(path, "cgroup.controllers")):
            return path
    return None


@contextlib.contextmanager
def evil_cgroup():
    """A group to put a process into; None where there are none to be made."""
    root = cgroup_root()
    path = root and os.path.join(root, EVIL_CGROUP)
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except OSError:
        path = None
    yield path
    if path:
        with contextlib.suppress(OSError):
            os.rmdir(path)


@contextlib.contextmanager
def evil_process():
    """Burns in a function, of a file, in a group and under commands with such names; its pids."""
    live.need_root()
    if not shutil.which("objcopy"):
        raise live.Skip("no objcopy here")
    with live.temporary() as tmp, evil_cgroup() as group:
        path = os.path.join(tmp, EVIL_FILE)
        names = os.path.join(tmp, "names")
        with open(names, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write("hot_70 EVIL_NAME_THAT_IS_REPLACED_" + "x" * 120 + "\n")
        subprocess.run(["objcopy", f"--redefine-syms={names}",
                        os.path.join(live.WORKLOADS, "two_functions"), path], check=True)
        with open(path, "rb") as f:
            data = f.read()
        old = b"EVIL_NAME_THAT_IS_REPLACED_" + b"x" * 120
        new = EVIL_SYMBOL.encode("latin-1")
        assert len(new) < len(old) and old in data
        with open(path, "wb") as f:
            f.write(data.replace(old, new + b"\0" * (len(old) - len(new))))
        os.chmod(path, 0o755)
        with live.Workload("two_functions", 120, path=path) as a, \
                live.Workload("hostile_names", 120) as b:
            if group:
                with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as f:
                    f.write(str(a.pid))
            yield f"{a.pid},{b.pid}"


class Tags(html.parser.HTMLParser):
    """The tags of a page, and the attributes that would run something."""

    def __init__(self):
        super().__init__()
        self.found, self.handlers = {}, []

    def handle_starttag(self, tag, attrs):
        self.found[tag] = self.found.get(tag, 0) + 1
        self.handlers += [(tag, k) for k, v in attrs if "evil" in (v or "") and k.startswith("on")]


def plain(data, what):
    bad = CONTROL.search(data)
    assert not bad, f"{what}: {data[max(bad.start() - 60, 0):bad.end() + 20]!r}"
    text = data.decode("utf-8")
    unseen = UNSEEN.search(text) if what not in EXACT else None
    assert not unseen, f"{what}: {text[max(unseen.start() - 60, 0):unseen.end() + 20]!r}"


def check(name, text):
    """That a report in a format is what its readers take, whatever the names are."""
    if name in ("json", "speedscope"):
        for line in text.splitlines() if name == "json" else [text]:
            json.loads(line)
    elif name == "csv":
        rows = [row for row in csv.reader(text.splitlines()) if row]
        assert len({len(row) for row in rows}) == 1, {len(row) for row in rows}
        formulas = [cell for row in rows for cell in row if re.match(r"[=+@\t\r]|-\D", cell)]
        assert not formulas, formulas
    elif name == "folded":
        for line in text.splitlines():
            assert re.fullmatch(r".+ \d+", line), line
    elif name == "svg":
        root = xml.etree.ElementTree.fromstring(text)
        assert sum(e.tag.endswith("}script") for e in root.iter()) <= 1
        assert not [e for e in root.iter() for k, v in e.attrib.items()
                    if k.startswith("on") and "evil" in v]
    elif name == "html":
        tags = Tags()
        tags.feed(text)
        assert not tags.handlers and "img" not in tags.found, tags.found
        assert text.count("<script>evil") == 0


def reports(folder, *args, names=tuple(SUFFIXES)):
    """Formats of one run, checked; their texts."""
    seen, outputs = "", []
    for name in names:
        outputs += ["-o", os.path.join(folder, "report" + SUFFIXES[name])]
    run = live.proftop("-b", *outputs, *args)
    assert run.status == 0, str(run)
    plain(run.err.encode(), "messages")
    for name in names:
        path = os.path.join(folder, "report" + SUFFIXES[name])
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, path
        with open(path, "rb") as f:
            data = f.read()
        plain(data, name)
        check(name, data.decode())
        seen += data.decode()
    return seen


def test_formats():
    """Every format of every name is whole: no escapes, no markup, no broken rows; recorded too"""
    with evil_process() as pids, live.temporary() as tmp:
        scope = ["-p", pids, "-d", "0.5", "-n", 1, "-F", "499"]
        seen = reports(tmp, *scope)
        assert "evil" in seen and "hot_30" in seen
        seen = reports(tmp, "--group", "object,comm,cgroup", *scope)
        assert "\"'=cmd|" in seen
        path = os.path.join(tmp, "recording")
        live.proftop("-b", "--record", path, *scope)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        reports(tmp, "--replay", path)


@contextlib.contextmanager
def evil_file(folder):
    """A process that uses a file of such a name; its pid."""
    with subprocess.Popen([sys.executable, "-c", USE_FILE, os.path.join(folder, EVIL_FILE)],
                          stdout=subprocess.PIPE) as p:
        try:
            assert p.stdout.readline() == b"ready\n"
            yield p.pid
        finally:
            p.kill()


def test_views():
    """Names of files and threads are harmless in the other views, too"""
    live.need_root()
    length = ["-d", "0.7", "-n", 1]
    with live.temporary() as tmp:
        with evil_file(tmp) as pid:
            seen = reports(tmp, "-V", "cache", "--group", "file", "-p", pid, *length,
                           names=OF_ALL_VIEWS)
            assert "evil" in seen
            reports(tmp, "-V", "io", "--group", "file", "-p", pid, *length, names=OF_ALL_VIEWS)
        with live.Workload("hostile_names", 120) as work:
            for args in (["-V", "sched"], ["-V", "offcpu", "--idle"],
                         ["-V", "offcpu", "--idle", "--group", "comm"]):
                seen = reports(tmp, *args, "-p", work.pid, *length, names=OF_ALL_VIEWS)
                assert "comma" in seen and "\"'=cmd|" in seen, args


def test_frames():
    """Return addresses that are none, with the marks of words that are no addresses: they name nothing"""
    live.need_root()
    with live.temporary() as tmp, live.Workload("hostile_frames", 60) as work:
        for mode in ("fp", "auto"):
            recording = os.path.join(tmp, mode)
            report = live.batch("-V", "cpu", "-p", work.pid, "--call-graph", mode, "-F", 499, "-d", 1,
                                "-n", 1, "--record", recording)[-1]
            first = report["rows"][0]
            assert first["symbol"] == "forged_frames" and first["self_pct"] > 90, first
            named = {(r["object"], r["symbol"]) for r in report["rows"] if r["kind"] == "python"}
            assert not named, named
            again = live.batch("--replay", recording, "-n", 1)[-1]
            assert again["rows"][0]["symbol"] == "forged_frames", again["rows"][:2]


def test_terminal():
    """On the screen they are letters: no bell, no title, nothing that is not drawn by us"""
    with evil_process() as pids, \
            Session("-p", pids, "-F", "499", "--no-config", columns=160, rows=45) as s:
        s.wait_text(b"hot_30", 30)
        for key in (b"o", b"m", b"G", b"P", b"y", b"\x1b[C", b"e", b"F", b"\x1b[A", b"\x1b[A", b"F"):
            os.write(s.fd, key)
            s.read(0.4)
        os.write(s.fd, b"q")
        assert s.wait_end(30) == 0
        drawn = s.screen
        assert b"evil" in drawn
        for bad in (b"\a", b"\x1b]", b"\xc2\x9b", b"\x9b31m", b"\x7f", EVIL_COMMS[0],
                    *(c.encode() for c in BIDI)):
            assert bad not in drawn, drawn[max(drawn.index(bad) - 80, 0):][:200]


def test_messages():
    """Names of files in messages are harmless too"""
    nowhere = f"/nowhere/{EVIL_FILE}"
    with live.temporary() as tmp:
        script = os.path.join(tmp, "script")
        with open(script, "w", encoding="utf-8") as f:
            f.write(f"expect evil{ESCAPES}{BIDI}\n")
        for args in (["-b", "--replay", nowhere], ["-b", "--keymap", EVIL_FILE],
                     ["-b", "--theme", EVIL_FILE], ["-V", EVIL_FILE], ["-b", "-e", EVIL_SYMBOL],
                     ["-b", "--filter", f"colour={ESCAPES}"], ["-b", "-G", f"/{EVIL_CGROUP}"],
                     ["-b", "-n", 1, "-o", f"{nowhere}.svg"], ["--script", script],
                     [f"--list-events=evil{ESCAPES}"], ["-b", "--do", f"evil{ESCAPES}{BIDI}"],
                     ["-b", "-d", "0.2", "--do", "view cpu", "-o", f"{nowhere}.svg"]):
            run = live.proftop(*args)
            assert run.status != 0 and run.err, str(run)
            plain(run.err.encode(), args)


if __name__ == "__main__":
    live.main(globals())
