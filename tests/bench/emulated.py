# SPDX-License-Identifier: GPL-2.0-only
"""
Figures out of an emulated machine whose clock goes by the instructions that it executes, 4 ns each: who else is busy
outside has no part in them, nor have caches and speculation. It has one CPU, and KVM, as few machines have that
benches run on.
"""
import json
import os
import statistics
import sys

import live
from figures import Missing, note, result

sys.path.append(os.path.join(live.ROOT, "tests/kernels"))
import archive  # noqa: E402
import boot  # noqa: E402

SUITE, SECONDS = "bookworm", 1200
GUEST = boot.Guest(boot.X86.qemu, boot.X86.package,
                   ["-icount", "shift=2,sleep=off", "-cpu", "max", "-machine", "q35"], append=boot.X86.append)


def measured(program):
    """The last line that a program of this folder says in there, as an object."""
    try:
        kernel = archive.fetch(SUITE, os.path.join(live.ROOT, "build/kernels"), boot.MODULES)
        ended = boot.boot(kernel, live.ROOT, f"/usr/bin/python3 tests/bench/{program} 2>&1", SECONDS, cpus=1,
                          guest=GUEST)
    except archive.Missing as e:
        raise Missing(str(e)) from e
    lines = ended.said.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise Missing("\n".join(lines[-5:] or ended.console) + ("" if ended.in_time else ": not in time"))
    return json.loads(lines[-1])


def added(program, name, peer, unit, aim=None):
    """What the program says of "alone", "ours" and "theirs", a list each, as what both add."""
    found = measured(program)
    alone = statistics.median(found["alone"])
    note(f"{name}: alone {alone:.4g} {unit}")
    result(name, *([x - alone for x in found[who]] for who in ("ours", "theirs")), peer, unit, aim)
