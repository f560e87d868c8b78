# SPDX-License-Identifier: GPL-2.0-only
"""What tests of questions share: a proftop that is asked, and workloads that know what they did."""
import os
import subprocess

import live

MS = 1_000_000
CALLS = os.path.join(live.WORKLOADS, "syscalls")


class Calls(live.Workload):
    def __init__(self, mode, n=1, **popen):
        super().__init__("syscalls", mode, n, stdin=subprocess.PIPE, **popen)

    def tell(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


class Watch(live.Watch):
    def __init__(self, *questions, view="events", options=(), binary=live.CHECKED):
        asks = [x for q in questions for x in ("--ask", q)]
        super().__init__(view, *asks, *options, binary=binary)

    def rows(self, **labels):
        return [r for x in self.reports for r in x["rows"]
                if all(r.get(k) == v for k, v in labels.items())]

    def sum(self, field="count", **labels):
        return sum(r[field] for r in self.rows(**labels))


def same(what, truth, ours):
    live.fact(what, truth, ours)
    assert ours == truth, f"{what}: {ours}, wanted {truth}"


def run(mode, n, *questions, **kw):
    """The workload from its line to its end, within what is watched."""
    with Calls(mode, n) as work, Watch(*questions, **kw) as watch:
        watch.next()
        work.tell()
        said = work.result()
        watch.until(live.now_ns())
    for r in watch.reports:
        assert r["health"]["lost"] == 0, r["health"]
    return work.pid, said, watch
