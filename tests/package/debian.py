#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""debian/ says what the rest of the project says."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

# What every Debian build has, what only a working tree needs, and what only a package needs.
IMPLIED = {"gcc", "make", "git"}
PACKAGING = {"debhelper-compat", "linux-source", "xz-utils"}
OTHER_NAMES = {"pkgconf": "pkg-config"}


def read(path):
    with open(os.path.join(live.ROOT, path), encoding="utf-8") as f:
        return f.read()


def field(name):
    found = re.search(rf"^{name}:((?:.*\n)(?:[ \t].*\n)*)", read("debian/control"), re.M)
    assert found, f"no {name} in debian/control"
    return found[1]


def first_names(text):
    """Packages of a dependency field, without versions and alternatives."""
    return {re.match(r"[a-z0-9][a-z0-9.+-]*", item.strip())[0]
            for item in text.split(",") if item.strip()}


def test_version():
    """The program's version begins with the changelog's"""
    version = re.match(r"proftop \(([^)]+)\) ", read("debian/changelog"))
    assert version, "debian/changelog has no version in its first line"
    said = live.proftop("--version", binary=live.RELEASE).out.strip()
    assert re.fullmatch(rf"proftop {re.escape(version[1])}(\+g[0-9a-f]+)?", said), said


def test_build_depends():
    """A package is built with what scripts/deps installs for a build"""
    listed = re.search(r"^build=\(([^)]*)\)", read("scripts/deps"), re.M)
    ours = set(listed[1].split()) - IMPLIED
    debian = {OTHER_NAMES.get(name, name) for name in first_names(field("Build-Depends"))}
    assert debian - PACKAGING == ours, f"not in both: {(debian - PACKAGING) ^ ours}"


def test_installs():
    """What is installed for a prefix: the program, its man page and its completion"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["make", "-s", "install", "DESTDIR=" + folder, "PREFIX=/usr"],
                              cwd=live.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False,
                              env={k: v for k, v in os.environ.items() if "MAKE" not in k})
        assert done.returncode == 0, done.stdout
        found = {os.path.relpath(os.path.join(path, name), folder)
                 for path, _, names in os.walk(folder) for name in names}
        modes = {name: os.stat(os.path.join(folder, name)).st_mode & 0o777 for name in found}
    assert modes == {"usr/bin/proftop": 0o755, "usr/share/man/man1/proftop.1": 0o644,
                     "usr/share/bash-completion/completions/proftop": 0o644}, modes


def test_copyright():
    """The package has the licence that every file begins with"""
    text = read("debian/copyright")
    assert text.startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format")
    licence = re.search(r"SPDX-License-Identifier: (\S+)", read("Makefile"))[1]
    assert re.search(rf"^Files: \*\n(?:.*\n)*?License: {re.escape(licence)}$", text, re.M), licence


if __name__ == "__main__":
    live.main(globals())
