#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Builds the program, its workloads and its unit tests with each compiler for each machine, each from
nothing in a folder of its own below build/matrix, and runs the unit tests that were built. Prints
a table; a warning counts as a failure. No library is optional, so no row lacks one.

	builds.py [ROW...]		gcc-x86_64 clang-x86_64 gcc-aarch64 clang-aarch64, all when none
"""
import os
import platform
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "../.."))
sys.path[:0] = [os.path.join(HERE, "../kernels")]
import archive  # noqa: E402
import root  # noqa: E402

BUILD = "build/matrix"
# Debian's name of a machine, for those there is a root of.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
KERNEL = {"x86_64": "x86", "aarch64": "arm64"}


class Row:
    """One build: a compiler for a machine."""

    def __init__(self, name):
        self.name, (self.compiler, self.machine) = name, name.split("-")
        self.folder = f"{BUILD}/{name}"
        self.native = self.machine == platform.machine()
        self.root = None
        self.warnings, self.built, self.tests, self.log = 0, "", "", ""

    def cc(self):
        if self.native:
            return self.compiler
        triple = f"{self.machine}-linux-gnu"
        return (f"{triple}-gcc --sysroot={self.root}" if self.compiler == "gcc" else
                f"clang --target={triple} --sysroot={self.root}")

    def settings(self):
        found = [f"B={self.folder}", f"CC={self.cc()}"]
        return found if self.native else [*found, f"SYSROOT={self.root}"]

    def environment(self):
        env = {k: v for k, v in os.environ.items() if "MAKE" not in k}
        env["LIBPERF"] = self.folder + "/libperf"
        if not self.native:
            libraries = f"{self.root}/usr/lib/{self.machine}-linux-gnu/pkgconfig"
            env.update(PKG_CONFIG_SYSROOT_DIR=self.root, ARCH=KERNEL[self.machine],
                       PKG_CONFIG_LIBDIR=f"{libraries}:{self.root}/usr/share/pkgconfig",
                       CROSS_COMPILE=f"{self.machine}-linux-gnu-")
        return env

    def run(self, *command):
        done = subprocess.run(command, cwd=ROOT, env=self.environment(), text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.log += done.stdout
        return done

    def lacks(self):
        """The compiler that is not here, if so."""
        tool = self.cc().split()[0]
        if not shutil.which(tool):
            return f"{tool} is not installed"
        if not self.native and not shutil.which(f"{self.machine}-linux-gnu-ld"):
            return f"binutils for {self.machine} are not installed"
        return None

    def clean(self):
        """What was built before would not be warned of again; libperf is not ours, and stays."""
        os.makedirs(os.path.join(ROOT, self.folder), exist_ok=True)
        for entry in os.scandir(os.path.join(ROOT, self.folder)):
            if entry.is_file():
                os.unlink(entry.path)
            elif entry.name != "libperf":
                shutil.rmtree(entry.path)

    def make(self, *targets):
        """True when it builds; archive.Missing when there is no root to build it with."""
        if not self.native:
            self.root = root.make(DEBIAN[self.machine], os.path.join(ROOT, "build/kernels"))
        self.built = self.lacks()
        if self.built:
            return False
        done = self.run("scripts/deps", "libperf")
        if not done.returncode:
            self.clean()
            done = self.run("make", "-k", f"-j{os.cpu_count()}", *self.settings(), "all",
                            "workloads", *targets)
            self.warnings = len(re.findall(r"\bwarning: ", done.stdout))
        self.built = "fails" if done.returncode else "yes"
        return not done.returncode

    def check(self):
        """The unit tests; those of another machine by qemu, where it is here."""
        qemu = shutil.which(f"qemu-{self.machine}")
        if not self.native and not qemu:
            self.tests = f"qemu-{self.machine} is not installed"
            return
        folder = os.path.join(ROOT, self.folder, "rel/tests")
        programs = sorted(os.path.join(path, name) for path, _, names in os.walk(folder)
                          for name in names if name.endswith("_test"))
        if not self.native:
            programs = [f"{qemu} -L {self.root} {p}" for p in programs]
        self.run(sys.executable, "tests/lib/run", "--group", "unit,timeout=120,jobs=2", *programs)
        last = self.log.strip().splitlines()[-1]
        self.tests = last if re.match(r"\d+ passed", last) else "did not run"

    def good(self):
        return self.built == "yes" and not self.warnings and ", 0 failed" in self.tests

    def tell(self):
        os.makedirs(os.path.join(ROOT, self.folder), exist_ok=True)
        path = os.path.join(ROOT, self.folder, "log")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.log)
        if not self.good():
            wrong = re.compile(r"\b(warning|error|undefined reference)\b|^not ok|^deps: ")
            print("\n".join(line for line in self.log.splitlines() if wrong.search(line)))


ROWS = [f"{compiler}-{machine}" for machine in DEBIAN for compiler in ("gcc", "clang")]


def main():
    names = sys.argv[1:] or ROWS
    if [name for name in names if name not in ROWS]:
        sys.exit(__doc__)
    rows = []
    for name in names:
        row = Row(name)
        try:
            if row.make("unit-plain"):
                row.check()
        except archive.Missing as e:
            row.built = str(e)
        row.tell()
        rows.append(row)
        print(f"{name}: {row.built}, {row.warnings} warnings, {row.tests}", flush=True)
    print(f"\n{'build':<18}{'builds':<10}{'warnings':<10}unit tests")
    for row in rows:
        print(f"{row.name:<18}{row.built:<10}{row.warnings:<10}{row.tests}")
    return not all(row.good() for row in rows)


if __name__ == "__main__":
    sys.exit(main())
