# SPDX-License-Identifier: GPL-2.0-only
"""A load that never settles: processes and threads that come and go, code that is mapped and
unmapped, files that are written, read and thrown out of the cache, stacks by the thousand. Its
kinds take turns, always the same ones, so that what grows is what was not given back."""
import contextlib
import os
import shutil
import subprocess

import live
from beside import Beside

TURN_SECONDS = 2
# Programs of tests/workloads, for TURN_SECONDS each.
OWN = (("churn",), ("thread_churn",), ("many_stacks",), ("exec_chain",), ("dlopen_late",),
       ("deleted",), ("jit",), ("hostile_names",), ("switch_storm",), ("tid_reuse",), ("states",))
STRESS = (("--fork", "1"), ("--pthread", "1"), ("--exec", "1"), ("--vfork", "1"),
          ("--mmap", "1", "--mmap-bytes", "32m"), ("--hdd", "1", "--hdd-bytes", "32m"),
          ("--malloc", "1", "--malloc-bytes", "64m"), ("--futex", "1"), ("--dentry", "1"))


class Load(Beside):
    """Runs until it is ended; duty is the share of time it is at work."""

    def __init__(self, folder, duty):
        self.folder, self.duty, self.turns = folder, duty, 0
        self.failed = set()  # programs that ended early with an error, or are not here
        super().__init__()

    def commands(self):
        """One after the other, for ever."""
        stress = shutil.which("stress-ng")
        if not stress:
            self.failed.add("stress-ng")
        kinds = [[os.path.join(live.WORKLOADS, name), str(TURN_SECONDS), *more]
                 for name, *more in OWN]
        if stress:
            kinds += [[stress, "--quiet", "--timeout", str(TURN_SECONDS), *args]
                      for args in STRESS]
        while True:
            yield from kinds

    def run(self):
        for command in self.commands():
            self.turn(command)
            if self.over.wait(TURN_SECONDS * (1 / self.duty - 1)):
                return

    def turn(self, command):
        with subprocess.Popen(["nice", "-n", "19", *command], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if process.wait(TURN_SECONDS * 5):
                    self.failed.add(" ".join(command))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
        self.turns += 1
