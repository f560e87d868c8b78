#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""proftop --connect: the screens of another machine's agent. Here the other machine is this one, through
Debian's sshd on the loopback where it can be had, else through a script in ssh's place."""
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from tmux import Tmux  # noqa: E402

KB_S = 50  # of a stream, at most


@contextlib.contextmanager
def other_machine(agent=live.CHECKED, saying=None):
    """A folder with an `ssh` that runs the agent here, and notes what it sends and its number; an
    environment in which it is found first. saying: a shell command in the agent's place."""
    live.need_root()
    with servers.folder() as folder:
        command = saying or f'{shlex.quote(agent)} "$@"'
        with open(f"{folder}/ssh", "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n"
                    f"echo \"$@\" >>{folder}/called\n"
                    "while [ \"$1\" != -- ]; do shift; done\nshift 3\n"
                    f"echo $$ >{folder}/pid\n"
                    f"exec 3>{folder}/stream\n"
                    f"{{ {command}; }} | tee /dev/fd/3\n")
        os.chmod(f"{folder}/ssh", 0o755)
        yield folder, live.environment(PATH=f"{folder}:{os.environ['PATH']}")


def connected(folder, env, *options, view="cpu", n=3, delay="1", binary=live.CHECKED):
    """What batch mode says of the other machine."""
    done = subprocess.run([binary, "--connect", "other", "-b", "-V", view, "-n", str(n), "-d", delay,
                           "--format", "json", *map(str, options)], env=env, text=True, timeout=live.LIMIT_S,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    for mark in live.ASAN_REPORT:
        assert mark not in done.stderr, done.stderr[:4000]
    assert done.returncode == 0, done.stderr[:2000]
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(report):
    return sorted(json.dumps({k: v for k, v in r.items() if not k.startswith("trend")}, sort_keys=True)
                  for r in report["rows"])


def test_batch():
    """What is seen from afar is what is true there, and the stream is a recording of it"""
    with other_machine() as (folder, env), live.Workload("two_functions", 60) as work:
        reports = connected(folder, env, "-p", work.pid, "-F", "499")
        for r in reports:
            live.check_report(r)
            assert r["health"]["tier"] == "bpf" or r["health"]["tier"].startswith("perf"), r["health"]
        own = {name: sum(x["self_count"] for r in reports for x in r["rows"] if x["symbol"] == name)
               for name in ("hot_70", "hot_30")}
        n = sum(own.values())
        assert n > 50, own
        live.near(100 * own["hot_70"] / n, 70, 400 * (0.21 / n) ** 0.5, "share of hot_70")
        with open(f"{folder}/called", encoding="utf-8") as f:
            assert f.read().strip().endswith("-- other proftop --serve -")
        os.rename(f"{folder}/stream", f"{folder}/stream.ptr")
        played = live.batch("-V", "cpu", "--replay", f"{folder}/stream.ptr")
        for a, b in zip(reports, played):
            assert (a["t0_ns"], a["t1_ns"], a["health"]["samples"]) == \
                (b["t0_ns"], b["t1_ns"], b["health"]["samples"]), (a["health"], b["health"])
        assert len(played) >= len(reports)


def test_refused():
    """What its sources say no to, and what ssh would take for an option"""
    with other_machine() as (folder, env):
        done = subprocess.run([live.CHECKED, "--connect", "other", "-b", "-V", "cpu", "-n", "1", "-e",
                               "nosuch:event"], env=env, text=True, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, check=False)
        assert done.returncode and "nosuch" in done.stderr, (done.returncode, done.stderr)
        for host in ("-oProxyCommand=touch /tmp/x", "a b", ""):
            done = live.proftop("--connect", host, "-b", "-V", "cpu")
            assert done.status == 2 and "--connect" in done.err, done
        done = live.proftop("--connect", "x", "--replay", "y")
        assert done.status == 2, done


def test_hostile():
    """Noise, a stream that stops, one that is damaged, and nobody: each is said and harmless"""
    cases = {"echo Welcome to this machine": "no stream",
             "head -c 1000000 /dev/urandom": "no stream",
             "true": "it ended",
             "echo nobody is there >&2; exit 255": "nobody is there",
             "printf 'proftop\\032'; head -c 100000 /dev/zero": "no head"}
    for saying, said in cases.items():
        with other_machine(saying=saying) as (folder, env):
            done = subprocess.run([live.CHECKED, "--connect", "other", "-b", "-V", "cpu", "-n", "1"],
                                  env=env, text=True, capture_output=True, timeout=60,
                                  stdin=subprocess.DEVNULL, check=False)
            assert done.returncode == 1 and said in done.stderr, (saying, done.returncode, done.stderr)
            assert not any(m in done.stderr for m in live.ASAN_REPORT), done.stderr


def test_agent_alone():
    """An agent that nobody talks to, that is told nonsense, or whose listener is gone, ends"""
    live.need_root()
    for said, status in ((b"", 2), (b"x" * 100000, 2), (b"want nothing\nfilter (((\ngo\n", 2),
                         (b"sampling 1 1 9\nwant profile\ngo\nwant\nrest rest\n", 0)):
        done = subprocess.run([live.CHECKED, "--serve", "-"], input=said, capture_output=True, timeout=60,
                              check=False, env=live.environment())
        assert done.returncode == status, (said[:40], done.returncode, done.stderr)
        assert not any(m.encode() in done.stderr for m in live.ASAN_REPORT), done.stderr
    with subprocess.Popen([live.CHECKED, "--serve", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=live.environment()) as p:
        p.stdin.write(b"want profile\ninterval 100000000\ngo\n")
        p.stdin.flush()
        assert p.stdout.read(8) == b"proftop\x1a"
        p.stdout.close()
        assert p.wait(30) == 0


def test_bytes():
    """A stream of one busy process's functions and of the overview of it stays below 50 KB a second"""
    with live.Workload("two_functions", 60) as work:
        for view in ("cpu", "offcpu", "io"):
            with other_machine(agent=live.RELEASE) as (folder, env):
                reports = connected(folder, env, "-p", work.pid, view=view, n=5, binary=live.RELEASE)
                seconds = (reports[-1]["t1_ns"] - reports[0]["t0_ns"]) / 1e9
                size = os.stat(f"{folder}/stream").st_size
                live.fact(f"KB/s of a stream of {view}", KB_S, size / seconds / 1000, judge="a bound")
                assert size / seconds < KB_S * 1000, (view, size, seconds)


def test_sleepers():
    """Of thousands that only sleep little is sent, and a replay of the stream says the same of them"""
    several = 4000
    with live.Workload("many_processes", 120, several), other_machine(agent=live.RELEASE) as (folder, env):
        reports = connected(folder, env, "--filter", "comm~^sleeper$", view="offcpu", n=15, binary=live.RELEASE)
        seconds = (reports[-1]["t1_ns"] - reports[0]["t0_ns"]) / 1e9
        size = os.stat(f"{folder}/stream").st_size
        live.fact(f"KB/s of a stream of {several} sleepers", KB_S, size / seconds / 1000, judge="a bound")
        assert size / seconds < KB_S * 1000, (size, seconds)
        os.rename(f"{folder}/stream", f"{folder}/stream.ptr")
        played = live.batch("-V", "offcpu", "--replay", f"{folder}/stream.ptr", "--filter", "comm~^sleeper$")
        for a, b in zip(reports, played):
            assert rows(a) == rows(b), (a["t1_ns"], a["rows"][:3], b["rows"][:3])
        last = reports[-1]
        slept = sum(r["off_ns"] for r in last["rows"])
        live.near(slept / (last["t1_ns"] - last["t0_ns"]), several, several // 50, "sleepers at a time")


def kill_agent(folder):
    """As a network that is gone: ssh ends."""
    with open(f"{folder}/pid", encoding="utf-8") as f:
        pid = int(f.read())
    subprocess.run(["pkill", "-KILL", "-P", str(pid)], check=False)


def test_screen():
    """Interactive as here: keys are answered here, filters and views go there; an agent that is lost is
    called again, and the screen goes on"""
    with other_machine() as (folder, env), live.Workload("two_functions", 120) as work, \
            Tmux(["env", f"PATH={env['PATH']}", live.CHECKED, "--connect", "other", "-V", "cpu",
                  "-F", "499"]) as t:
        t.wait(r"lost \d")
        t.wait("LIVE")
        t.keys("f")
        t.type(f"pid={work.pid}")
        t.keys("Enter")
        t.wait(rf"scope.*pid={work.pid}")
        t.wait(r"(?s)hot_70.*hot_30")
        t.keys("p")
        t.wait("another machine")
        t.keys("F")
        t.wait("flame|icicle|work")
        t.keys("Escape")
        with open(f"{folder}/called", encoding="utf-8") as f:
            assert len(f.read().splitlines()) == 1
        kill_agent(folder)
        t.wait("nothing comes from other", 30)
        t.wait("nothing comes from other", 30, absent=True)
        with open(f"{folder}/called", encoding="utf-8") as f:
            calls = f.read().splitlines()
        assert len(calls) >= 2 and "BatchMode=yes" in calls[-1], calls
        t.wait(r"(?s)hot_70.*hot_30", 30)
        t.keys("g")
        t.wait(r"by object")
        assert len(re.findall(r"▸ two_functions", t.screen())) == 1, t.screen()
        t.keys("q")
        assert t.wait_end() == "0", t.screen()


SSHD = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PidFile none
SetEnv PATH={folder}/bin:/usr/bin:/bin
"""


@contextlib.contextmanager
def sshd(folder):
    """Debian's, with keys of its own, for root on the loopback. Its user need not be here."""
    program, = servers.need("sshd")
    port = servers.free_port()
    for key in ("host", "user"):
        servers.install("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{key}")
    os.mkdir(f"{folder}/bin")
    with open(f"{folder}/bin/proftop", "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nexec {live.RELEASE} \"$@\"\n")
    os.chmod(f"{folder}/bin/proftop", 0o755)
    with open(f"{folder}/config", "w", encoding="utf-8") as f:
        f.write(SSHD.format(port=port, folder=folder))
    with open("/etc/passwd", encoding="utf-8") as passwd, \
            open(f"{folder}/passwd", "w", encoding="utf-8") as f:
        f.write(passwd.read() + "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n")
    begin = (f"mount --make-rprivate /; mount --bind {folder}/passwd /etc/passwd; mount -t tmpfs none /run; "
             f"mkdir -m 755 /run/sshd; exec {program} -D -e -f {folder}/config")
    with servers.running("unshare", "-m", "sh", "-c", begin,
                         stderr=open(f"{folder}/log", "w", encoding="utf-8")):
        with open(f"{folder}/ssh", "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\nexec /usr/bin/ssh -F none -p {port} -i {folder}/user -o StrictHostKeyChecking=no "
                    f"-o UserKnownHostsFile={folder}/known \"$@\"\n")
        os.chmod(f"{folder}/ssh", 0o755)
        yield


def test_ssh():
    """The same through ssh and Debian's sshd"""
    live.need_root()
    servers.need("ssh", "ssh-keygen", "unshare")
    with servers.folder() as folder, sshd(folder), live.Workload("two_functions", 60) as work:
        env = live.environment(PATH=f"{folder}:{os.environ['PATH']}")
        at_all = [f"{folder}/ssh", "-o", "BatchMode=yes", "127.0.0.1", "true"]
        live.wait_for(lambda: subprocess.run(at_all, stdin=subprocess.DEVNULL, check=False, env=env,
                                             capture_output=True).returncode == 0, 20, 0.2)
        done = subprocess.run([live.RELEASE, "--connect", "127.0.0.1", "-b", "-V", "cpu", "-n", "2", "-p",
                               str(work.pid), "--format", "json"], env=env, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        last = json.loads(done.stdout.splitlines()[-1])
        assert live.row(last, "hot_70")["self_count"] > live.row(last, "hot_30")["self_count"] > 0


if __name__ == "__main__":
    live.main(globals())
