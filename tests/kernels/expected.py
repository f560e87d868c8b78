# SPDX-License-Identifier: GPL-2.0-only
"""What each kernel has to serve, and by what. Anything else is a fault, a better answer too: then
this table and the documents are to follow."""

KVM = "kvm", "kvm_accesses", "kvmmmu"
MEASURES = "counts", "functions", "irq", "net", "lines", "tcp", "sockets", *KVM
BPF = dict.fromkeys(("cpu", "threads", "hotplug", "offcpu", "io", "sched", "bpf", "guests", *MEASURES), "bpf")
FENTRY = dict.fromkeys(("cache", "tracers"), "bpf+fentry")
PMU = "counters", "instructions", "pmu", "pmu_group", "pmu_turns"
NO_COUNTERS = dict.fromkeys((*PMU, "llc", "tlb"))  # of an emulated x86 machine
X86 = {**BPF, **FENTRY, **NO_COUNTERS, "unprivileged": "perf", "suspended": "bpf", "findings": "proc"}
# A view's tier; None: it says why it cannot.
EXPECTED = {
    # No task storage and no exchanges in BPF, and stacks only from copies.
    "bullseye": {**X86, **dict.fromkeys(("threads", "offcpu", "cache", "tracers", "io", "sched", "findings",
                                         *MEASURES))},
    "bookworm": X86,
    "trixie": X86,
    "sid": X86,
    # No fentry before 6.4 there.
    "bookworm-arm64": {**X86, "cache": "bpf, no reads", "tracers": "bpf, no reads",
                       **dict.fromkeys(PMU, "bpf"),
                       **dict.fromkeys(("sockets", "suspended", *KVM, "guests", "findings"))},
}

# From 5.14 on these are by BPF, whatever else is to be said above.
ALWAYS_BPF = "cpu", "offcpu", "sched"
assert all(EXPECTED[suite][view] == "bpf" for suite in EXPECTED if suite != "bullseye"
           for view in ALWAYS_BPF)


def differs(suite, row):
    """How a view's row is not what this kernel has to give; None."""
    wanted = EXPECTED[suite][row["view"]]
    got = row["tier"] if row["state"] == "works" else None
    if row["state"] == "wrong" or got != wanted:
        return f"{row['view']} ({got or row['text'][:200]}, expected {wanted or 'a reason'})"
    return None
