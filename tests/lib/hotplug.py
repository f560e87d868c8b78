# SPDX-License-Identifier: GPL-2.0-only
"""CPUs that are taken away and come back, and what executes on them then."""
import live

# The shell is sampled first: without word of what it executes, its mappings would stay.
INTO = "i=0; while [ $((i += 1)) -lt {} ]; do :; done; exec \"$0\" \"$@\""
HOT = "hot_70", "hot_30"


def switch(cpu):
    """The file that says whether it is on."""
    return f"/sys/devices/system/cpu/cpu{cpu}/online"


def put_online(cpu, online):
    with open(switch(cpu), "w", encoding="ascii") as f:
        f.write("1" if online else "0")


def executed_on(cpu, limit_s, loops):
    """two_functions, which a shell that is sampled already executes on a CPU and nowhere else."""
    return live.Workload("two_functions", limit_s,
                         wrap=("taskset", "-c", str(cpu), "sh", "-c", INTO.format(loops)))


def rows_of(report):
    return [r for r in report["rows"] if r["comm"] == "two_functions"]


def named(rows, count="self_count"):
    """Of the functions that have all its time."""
    return sum(r[count] for r in rows if r["symbol"] in HOT)
