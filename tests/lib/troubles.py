# SPDX-License-Identifier: GPL-2.0-only
"""Troubles that are known by construction (workloads/trouble.c), and what the overview says of them."""
import contextlib
import os
import tempfile

import live

WITHIN_S = 5
SECONDS = 60
SHAPE = {"severity": str, "rule": str, "text": str, "view": str, "filter": str}


def checked(rows):
    for r in rows:
        for key, kind in SHAPE.items():
            assert isinstance(r[key], kind), r
        assert r["severity"] in ("note", "warning", "critical"), r
        assert (r["pid"] is None) == (r["comm"] is None), r
        assert r["pid"] is None or (r["pid"] > 0 and f"{r['pid']}" in r["filter"]) or not r["filter"] \
            or r["filter"].startswith("cpu="), r
    return rows


def found(rules, pid, begin=None, watch=None):
    """The first finding of these rules about the process (None: about nobody in particular), in an
    interval that ends within five seconds of `begin`."""
    seen = []
    with watch or live.Watch("overview", delay=1) as w:
        if begin is None:
            w.next()
            begin = w.reports[0]["t0_ns"]
        w.until(begin)
        first = len(w.reports)
        # The last one ends at about that time.
        while len(w.reports) < first + 5 or w.reports[-1]["t0_ns"] < begin + (WITHIN_S - 1) * 1_000_000_000:
            rows = checked(w.reports[-1]["rows"])
            seen += [r for r in rows if r not in seen]
            hits = [r for r in rows if r["rule"] in rules and (pid is None or r["pid"] == pid)]
            if hits:
                after = (w.reports[-1]["t1_ns"] - begin) / 1e9
                print(f"# after {after:.1f} s: {hits[0]['severity']} {hits[0]['rule']}: {hits[0]['text']}")
                return hits[0]
            w.next()
    raise AssertionError(f"none of {rules} about {pid}: "
                         + "; ".join(f"{r['rule']} {r['pid']} {r['text']}" for r in seen))


def trouble(kind, *args, **popen):
    live.need_root()
    return live.Workload("trouble", kind, SECONDS, *args, **popen)


@contextlib.contextmanager
def large_file(megabytes):
    """A file on the disk whose pages are written, so that they can be dropped."""
    with tempfile.NamedTemporaryFile(dir=live.FOLDER) as f:
        for _ in range(megabytes):
            f.write(os.urandom(1 << 20))
        f.flush()
        os.fsync(f.fileno())
        yield f.name
