# SPDX-License-Identifier: GPL-2.0-only
"""What a process takes of the machine, as the kernel has it, while it runs. None of it is a matter
of how busy the machine is, but for CPU time, which is told by the work that was done for it."""
import contextlib
import os
import re
import statistics

from beside import Beside
from judge import Column

TICK = os.sysconf("SC_CLK_TCK")
LAST = 3  # of how many looks at the end of a rest the median is taken

# While somebody only looks, and the views that were left are closed.
AT_REST = (
    Column("rss", "MiB", 0.05, 16),  # with pages of mapped files, which the kernel takes as it likes
    Column("private", "MiB", 0.05, 4),
    Column("mappings", "", 0.05, 16),
    Column("map memory", "MiB", exact=True, more=1),
    Column("program memory", "MiB", exact=True),
    Column("fds", exact=True, more=2),  # those that are open for a moment
    Column("files", exact=True, more=6),  # the newest few of each kind are kept open
    Column("threads", exact=True),
    Column("programs", exact=True),
    Column("maps", exact=True),
    Column("links", exact=True),
)
# The most there was in a round, with all views open.
AT_MOST = (
    Column("most rss", "MiB", 0.10, 4),
    Column("most map memory", "MiB", exact=True, more=1),
    Column("most fds", exact=True, more=8),
    Column("most threads", exact=True, more=1),
    Column("most programs", exact=True),
    Column("most maps", exact=True),
    Column("most links", exact=True),
)
# At rest there is what each second takes and what each sample does, and how many samples there are
# is the rest of the machine's doing: with more of them a second costs more, and a sample less.
CPU = (Column("cpu a key", "ms", 0.3, 1),
       Column("cpu a second", "ms", 0.3, 1, beside="cpu a sample"),
       Column("cpu a sample", "us", 0.3, 5, beside="cpu a second"))
COLUMNS = AT_REST + AT_MOST + CPU


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def status(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
        return {k: int(v) for k, v in re.findall(r"^(\w+):\s+(\d+)", f.read(), re.M)}


def mappings(pid):
    with open(f"/proc/{pid}/maps", "rb") as f:
        return f.read().count(b"\n")


def bpf_objects(pid):
    """{kind: {id of each: bytes of the kernel's memory}}, by /proc/PID/fdinfo."""
    found = {"prog": {}, "map": {}, "link": {}}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError):
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as f:
                text = f.read()
            memory = re.search(r"^memlock:\s+(\d+)$", text, re.M)
            # A link's text names its program, too.
            for kind in ("link", "map", "prog"):
                number = re.search(rf"^{kind}_id:\s+(\d+)$", text, re.M)
                if number:
                    found[kind][number[1]] = int(memory[1]) if memory else 0
                    break
    return found


def descriptors(pid):
    """(those that are no files, files of programs: the newest few are kept open)."""
    files = others = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            path = os.readlink(f"/proc/{pid}/fd/{fd}")
            regular = path.startswith("/") and not path.startswith(("/dev/", "/memfd:"))
            files, others = files + regular, others + (not regular)
    return others, files


def measure(pid):
    objects, now = bpf_objects(pid), status(pid)
    fds, files = descriptors(pid)
    return {"rss": now["VmRSS"] / 1024, "private": now["RssAnon"] / 1024,
            "mappings": mappings(pid), "map memory": sum(objects["map"].values()) / 2**20,
            "program memory": sum(objects["prog"].values()) / 2**20, "fds": fds, "files": files,
            "threads": now["Threads"], "programs": len(objects["prog"]),
            "maps": len(objects["map"]), "links": len(objects["link"])}


def at_rest(pid, wait):
    """wait(seconds): what somebody does who only looks."""
    looks = []
    for _ in range(LAST):
        looks.append(measure(pid))
        wait(1)
    return {c.name: statistics.median(look[c.name] for look in looks) for c in AT_REST}


class Watch(Beside):
    """Looks at a process every few seconds, in a thread of its own, for what there is at most."""

    def __init__(self, pid, seconds):
        self.pid, self.seconds, self.looks = pid, seconds, []
        super().__init__()

    def run(self):
        while not self.over.wait(self.seconds):
            with contextlib.suppress(OSError, KeyError):
                self.looks.append(measure(self.pid))

    def most(self):
        """Since it was asked last."""
        looks, self.looks = self.looks, []
        return {c.name: max(look[c.name.removeprefix("most ")] for look in looks)
                for c in AT_MOST}
