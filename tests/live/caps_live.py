#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What proftop may do while it runs: no more than it needs, as root and for users (setcap)."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from pty_session import Session  # noqa: E402

BITS = {"dac_override": 1, "dac_read_search": 2, "kill": 5, "ipc_lock": 14, "sys_rawio": 17,
        "sys_ptrace": 19, "sys_admin": 21, "sys_nice": 23, "sys_resource": 24, "syslog": 34, "perfmon": 38,
        "bpf": 39, "checkpoint_restore": 40}
KEPT = ("dac_override", "dac_read_search", "ipc_lock", "sys_ptrace", "syslog", "perfmon", "bpf",
        "checkpoint_restore")
# What is done to a process from the screen.
DEEDS = ("kill", "sys_nice")
# As README and --doctor tell users.
FOR_USERS = ("cap_bpf,cap_perfmon,cap_sys_ptrace,cap_checkpoint_restore,cap_dac_read_search,"
             "cap_syslog,cap_ipc_lock+ep")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


def names(mask):
    return {name for name, bit in BITS.items() if mask >> bit & 1} | \
        {f"bit {b}" for b in range(64) if mask >> b & 1 and b not in BITS.values()}


def status_of(path):
    """({set: names}, whether new privileges are refused) of a thread."""
    with open(path, encoding="ascii", errors="replace") as f:
        text = f.read()
    sets = {k: names(int(v, 16)) for k, v in re.findall(r"^(Cap\w+):\s+(\w+)$", text, re.M)}
    return sets, "NoNewPrivs:\t1\n" in text


def need_perfmon():
    """That is enough for perf events."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        if int(f.read()) > 2:
            raise live.Skip("perf_event_paranoid is above 2: this kernel may ask for sys_admin")


def need_modern_kernel():
    """What root has here."""
    live.need_root()
    major, minor = map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
    if (major, minor) < (5, 11):
        raise live.Skip("before 5.11 more is needed")
    mine = status_of("/proc/self/status")[0]["CapEff"]
    need_perfmon()
    if any(os.path.exists(f"/sys/kernel/btf/{fs}") for fs in ("ext4", "xfs", "f2fs")):
        raise live.Skip("file systems are modules: sys_admin is for their types")
    if not mine > set(KEPT):
        raise live.Skip(f"this root lacks {' '.join(set(KEPT) - mine) or 'all others'}")
    return mine


def threads_of(pid):
    return [f"/proc/{pid}/task/{tid}/status" for tid in os.listdir(f"/proc/{pid}/task")]


def test_root_gives_up():
    """As root every thread keeps what is needed and cannot get more"""
    need_modern_kernel()
    with Session("-V", "cpu") as s:
        s.wait_text(b"/s", 30)
        paths = threads_of(s.pid)
        assert len(paths) > 3, paths
        for path in paths:
            sets, sealed = status_of(path)
            assert sets["CapPrm"] == sets["CapEff"] == set(KEPT + DEEDS), (path, sets)
            assert not sets["CapInh"] and not sets["CapAmb"], (path, sets)
            assert sealed, path
        os.write(s.fd, b"q")
        assert s.wait_end(30) == 0


def test_command_is_not_held_back():
    """A command has all rights that whoever began it has; proftop can end it"""
    mine = need_modern_kernel()
    run = live.proftop("-b", "-d", "0.2", "-n", 1, "--", "grep", "-E", "^(CapEff|NoNewPrivs)",
                       "/proc/self/status")
    assert run.status == 0, str(run)
    mask = int(re.search(r"^CapEff:\s+(\w+)$", run.out, re.M)[1], 16)
    assert names(mask) == mine, run.out
    assert "NoNewPrivs:\t0" in run.out, run.out
    with Session("--", *NOBODY, "sleep", "1000") as s:
        s.wait_text(b"/s", 30)
        os.write(s.fd, b"q")
        s.wait_end(30)


def test_doctor_names_them():
    """--doctor prints the set, and all views work with it"""
    need_modern_kernel()
    run = live.proftop("--doctor", "--format", "json")
    checks = json.loads(run.out)["checks"]
    row = [c for c in checks if c["name"] == "capabilities"][0]
    assert row["state"] == "ok" and "all others were given up" in row["detail"], row
    assert set(row["detail"].split(";")[0].split()) == set(KEPT), row


@contextlib.contextmanager
def for_users():
    """A copy of the binary that has capabilities of its own, and a folder for a user's files."""
    live.need_root()
    if not shutil.which("setcap"):
        raise live.Skip("no setcap here")
    path = os.path.join(live.FOLDER, f"caps_live.{os.getpid()}")
    # A worktree may be where users cannot get to.
    os.makedirs(path, exist_ok=True)
    fd = os.open(path, os.O_PATH)
    try:
        copy = os.path.join(path, "proftop")
        shutil.copy(live.RELEASE, copy)
        os.chmod(path, 0o755)
        os.chmod(copy, 0o755)
        done = subprocess.run(["setcap", FOR_USERS, copy], stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode:
            raise live.Skip(f"no file capabilities here: {done.stderr.strip()}")
        if subprocess.run([*NOBODY, "test", "-x", copy], check=False).returncode:
            raise live.Skip(f"users cannot get to {path}")
        with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as f:
            mount = re.search(r"^mnt_id:\s+(\d+)$", f.read(), re.M)[1]
        with open("/proc/self/mountinfo", encoding="utf-8") as f:
            options = next(line.split()[5] for line in f if line.split()[0] == mount)
        if "nosuid" in options.split(","):
            raise live.Skip("the build's file system is mounted nosuid")
        yield copy, path
    finally:
        os.close(fd)
        shutil.rmtree(path)


def as_user(copy, *args, **kw):
    return live.proftop(*args, binary=copy, wrap=NOBODY, **kw)


def test_users_by_setcap():
    """With setcap as README has it, a user sees every process in all views, counted in the kernel"""
    need_perfmon()
    with for_users() as (copy, _), live.Workload("two_functions", 60) as work:
        for view in ("cpu", "offcpu", "cache", "io", "sched"):
            run = as_user(copy, "-b", "-V", view, "--format", "json", "-d", "0.7", "-n", 1)
            assert run.status == 0, str(run)
            report = run.json()[0]
            live.check_report(report)
            assert report["health"]["tier"] == "bpf", report["health"]
        for _ in range(10):  # on a busy machine the workload may not run in one interval
            run = as_user(copy, "-b", "--format", "json", "-d", "1", "-n", 1, "-F", "499", "-p",
                          work.pid)
            report = run.json()[0]
            live.conserved(report)
            # By the file that is mapped, which is root's process's.
            if live.row(report, "hot_70")["self_count"]:
                return
        raise AssertionError(f"no hot_70: {report['rows'][:5]}")


def test_users_read_as_themselves():
    """Whatever file a user names is read by that user's own rights"""
    with for_users() as (copy, folder):
        secret = os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii") as f:
            f.write("secret;words 5\n")
        os.chmod(secret, 0o600)
        for args in (["-b", "--replay", secret], ["-b", "--baseline", secret],
                     ["-b", "--keymap", secret], ["-b", "--theme", secret],
                     ["-b", "--config", secret, "-n", 1], ["--script", secret]):
            run = as_user(copy, *args, timeout=live.LIMIT_S)
            assert run.status not in (0, -11), str(run)
            assert "words" not in run.out + run.err, str(run)
            assert "denied" in run.err, str(run)
        os.chmod(secret, 0o644)
        run = as_user(copy, "-b", "--replay", secret, "--format", "folded")
        assert "secret;words 5" in run.out, str(run)


def test_users_have_no_more_than_the_file():
    """The user's proftop has what the file has; nobody without them may look into it"""
    need_perfmon()
    with for_users() as (copy, _), \
            subprocess.Popen([*NOBODY, copy, "-b", "-d", "0.2"], stdout=subprocess.PIPE,
                             env=live.environment()) as p:
        try:
            p.stdout.readline()
            sets, sealed = status_of(f"/proc/{p.pid}/status")
            assert sealed and sets["CapEff"] == set(KEPT) - {"dac_override"}, sets
            look = subprocess.run([*NOBODY, "cat", f"/proc/{p.pid}/maps"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            assert look.returncode != 0 and not look.stdout, look
        finally:
            p.kill()


if __name__ == "__main__":
    live.main(globals())
