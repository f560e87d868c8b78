# SPDX-License-Identifier: GPL-2.0-only
"""Servers and runtimes as Debian has them, each in a folder of its own, and what `offcpu` reports
of them. Those that are not installed `make deps` has unpacked; what is missing is a reason to
skip."""
import contextlib
import glob
import os
import re
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile

import live
import waits


UNPACKED = os.path.join(live.BUILD, "servers")


def find(program):
    """Its path, installed or unpacked; None."""
    if "/" in program:
        matches = sorted(glob.glob(program) or glob.glob(UNPACKED + program))
        return matches[-1] if matches else None
    return shutil.which(program) or \
        shutil.which(program, path=f"{UNPACKED}/usr/bin:{UNPACKED}/usr/sbin")


def need(*programs):
    """Their paths; skips when one is missing. The libraries of unpacked ones are found from then on."""
    found = [find(program) for program in programs]
    for program, path in zip(programs, found):
        if not path:
            raise live.Skip(f"{os.path.basename(program)} is not installed")
        if path.startswith(UNPACKED):
            os.environ["LD_LIBRARY_PATH"] = ":".join(
                sorted({os.path.dirname(lib) for lib in glob.glob(f"{UNPACKED}/usr/lib/*/*.so*")}))
    return found


def as_user(user):
    """Begins a command that runs as that user, who may read what root may: where this is built may
    be nobody else's."""
    may = "+dac_read_search"
    return [*need("setpriv"), "--reuid", user, "--regid", str(pwd.getpwnam(user).pw_gid),
            "--clear-groups", "--inh-caps", may, "--ambient-caps", may]


@contextlib.contextmanager
def folder(user=None):
    """A folder on a disk, of that user."""
    with tempfile.TemporaryDirectory(prefix="proftop-", dir="/var/tmp") as path:
        os.chmod(path, 0o755)
        if user:
            try:
                ids = pwd.getpwnam(user)
            except KeyError as e:
                raise live.Skip(f"no user {user} here") from e
            os.chown(path, ids.pw_uid, ids.pw_gid)
        yield path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def install(*command, **run):
    """What makes a server's data; says what that printed when it fails."""
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, **run)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}"


@contextlib.contextmanager
def running(*command, stop=signal.SIGTERM, **popen):
    """A process, ended with all that it began."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.DEVNULL)
    popen.setdefault("stderr", subprocess.DEVNULL)
    with subprocess.Popen([str(c) for c in command], start_new_session=True, **popen) as p:
        try:
            yield p
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(p.pid, stop)
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(p.pid, signal.SIGKILL)


def printed(process, line):
    """Reads what a process prints up to that line."""
    while True:
        text = process.stdout.readline()
        assert text, f"it ended without {line!r}"
        if text.strip() == line:
            return


def report(*pids, seconds=3, group="tid+stack"):
    """One interval of these processes and all below them, without who came and went."""
    live.need_root()
    while True:
        every = sorted({p for pid in pids for p in waits.long_lived(pid)})
        try:
            return live.batch("-V", "offcpu", "-p", ",".join(map(str, every)), "-d", seconds, "-n", 1,
                              "--group", group, binary=live.RELEASE)[0]
        except live.Broken as e:
            gone = re.search(r"there is no process (\d+)", str(e))
            # It went before proftop looked: a worker that did not live as long as that.
            if not gone or int(gone[1]) in pids or os.path.exists(f"/proc/{gone[1]}"):
                raise


def span(r):
    return r["t1_ns"] - r["t0_ns"]


def with_frame(r, *names, **wanted):
    """Rows whose stack has a function called like one of these."""
    return [row for row in waits.rows_of(r, **wanted)
            if any(n in s for s in waits.symbols(row["stack"]) for n in names)]


def all_of(r, rows, **wanted):
    """These rows agree in what is wanted; returns their time as a part of the interval."""
    assert rows, f"no rows for {wanted}: {summary(r)}"
    for row in rows:
        for key, value in wanted.items():
            assert row[key] == value, f"{key} is {row[key]!r}, not {value!r}: {line(row)}"
    return waits.total(rows) / span(r)


def line(row):
    return (f"{row['off_ns'] / 1e6:.0f} ms {row.get('class')} {row['reason']} {row['comm']} "
            f"{'<'.join(s for s in waits.symbols(row['stack'])[:12])}")


def summary(r):
    return "; ".join(line(row) for row in r["rows"][:30])


def not_hidden(r):
    """What is held up is never behind what is idle."""
    order = [("harmful", "unclear", "idle").index(row["class"]) for row in r["rows"]]
    assert order == sorted(order), order
    for row in r["rows"]:
        assert row["idle"] == (row["class"] == "idle"), row
