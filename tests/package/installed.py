#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Looks at built packages: lintian has no error and no warning, no file is without its place, and
with nothing but what they depend on, in a root of its own, they install, run and go away again.

	installed.py FOLDER
"""
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../kernels")]
import archive  # noqa: E402
import live  # noqa: E402
import root  # noqa: E402

CACHE = os.path.join(live.BUILD, "kernels")
SHELL = ("dash", "coreutils", "dpkg", "tar")  # what dpkg itself runs
FILES = {"bin/proftop", "share/man/man1/proftop.1.gz", "share/doc/proftop/README.md.gz",
         "share/doc/proftop/changelog.gz", "share/doc/proftop/copyright",
         "share/bash-completion/completions/proftop"}
AGENT = {"/etc/proftop/agent.conf", "/lib/systemd/system/proftop-agent.service",
         "/usr/lib/sysusers.d/proftop-agent.conf", "/usr/share/lintian/overrides/proftop-agent"}
FOLDER = ""


def need(tool):
    try:
        subprocess.run([tool, "--version"], stdout=subprocess.DEVNULL, check=True)
    except OSError as e:
        raise live.Skip(f"{tool} is not installed") from e


def package(name="proftop"):
    found = [p for p in glob.glob(f"{FOLDER}/{name}_*.deb")]
    assert len(found) == 1, found
    return found[0]


def said(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-2000:]}"
    return done.stdout


def test_lintian():
    """lintian says nothing, not even of little things"""
    need("lintian")
    out = said("lintian", "--allow-root", "-I", "--pedantic", "--fail-on", "error,warning",
               *glob.glob(FOLDER + "/*.changes"))
    assert not re.search(r"^[EWIP]: ", out, re.M), out


def test_files():
    """The package has the files it should have and no other"""
    lines = said("dpkg-deb", "-c", package()).splitlines()
    files = {line.split()[5].removeprefix("./usr/") for line in lines if line[0] != "d"}
    assert files == FILES, files ^ FILES
    assert all(line.split()[1] == "root/root" for line in lines), lines


def test_agent():
    """The agent's package has a unit, a user and a configuration, and what its unit runs is there"""
    lines = said("dpkg-deb", "-c", package("proftop-agent")).splitlines()
    files = {line.split()[5].removeprefix(".") for line in lines if line[0] != "d"}
    ours = {name for name in files if not name.startswith("/usr/share/doc/")}
    assert ours == AGENT, ours ^ AGENT
    with open(os.path.join(live.ROOT, "debian/proftop-agent.service"), encoding="utf-8") as f:
        unit = f.read()
    command = re.search(r"^ExecStart=(.*)", unit, re.M)[1].split()
    assert command[0] == "/usr/bin/proftop" and command[command.index("--config") + 1] in AGENT, command
    assert re.search(r"^User=proftop$", unit, re.M)


# Where the machine's own /proc and /sys are, for as long as the command runs.
WITHIN = ("unshare", "-m", "sh", "-ec", 'mount --rbind /proc "$0/proc"; mount --rbind /sys "$0/sys"; '
          'exec chroot "$0" "$@"')


def measures(there):
    """Each view of what was installed has something to say of this machine."""
    with live.Workload("two_functions", 60):
        for view in ("cpu", "offcpu", "sched", "cache", "io"):
            report = json.loads(said(*WITHIN, there, "proftop", "-b", "-V", view, "-d", "1", "-n", "1",
                                     "--format", "json"))
            live.check_report(report)
            assert report["rows"] or view == "io", f"{view}: {report['health']}"
            if view == "cpu":
                assert report["health"]["samples"] > 50, report["health"]


def test_installed():
    """It installs beside nothing but what it depends on, runs there, and is gone after a purge"""
    live.need_root()
    depends = re.findall(r"(?:^|, )([a-z0-9.+-]+)",
                         said("dpkg-deb", "-f", package(), "Depends").strip())
    arch = said("dpkg-deb", "-f", package(), "Architecture").strip()
    try:
        there = root.make(arch, CACHE, SHELL + tuple(depends))
    except archive.Missing as e:
        raise live.Skip(f"no root to install into: {e}") from e
    os.makedirs(there + "/var/lib/dpkg/updates", exist_ok=True)
    open(there + "/var/lib/dpkg/status", "w", encoding="ascii").close()
    # What it depends on is only unpacked there.
    said("dpkg", "--root=" + there, "--force-depends", "-i", package())
    version = said("dpkg-deb", "-f", package(), "Version").strip()
    assert said("chroot", there, "proftop", "--version") == f"proftop {version}\n"
    assert "cpu" in said("chroot", there, "proftop", "--list-views")
    assert "kernel" in said("chroot", there, "proftop", "--doctor")
    measures(there)
    said("dpkg", "--root=" + there, "-P", "proftop")
    left = [name for name in FILES if os.path.exists(f"{there}/usr/{name}")]
    assert not left, left


if __name__ == "__main__":
    FOLDER = os.path.realpath(sys.argv.pop(1))
    live.main(globals())
