# SPDX-License-Identifier: GPL-2.0-only
"""What the view of virtual machines adds to an exit of a guest, beside perf kvm stat record."""
import emulated
from figures import need, ratio_at_most


def bench_kvm(_):
    need("perf")
    emulated.added("kvm_inside.py", "added to an exit of a guest, emulated, kvm open", "perf kvm stat record", "ns",
                   ratio_at_most(1.0))
