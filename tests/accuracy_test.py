#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What is written of comparisons: the worst, who says so, and nothing when a test failed."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "lib")]
import accuracy  # noqa: E402
import live  # noqa: E402
import waits  # noqa: E402


def fact(ours, truth=100, within=10, **more):
    return {"case": "a case", "what": "ms,", "truth": truth, "judge": live.LOG, "ours": ours,
            "peer": None, "said": None, "within": within, **more}


def cells(facts):
    return [[c.strip() for c in x.split("|")[1:-1]] for x in accuracy.table(facts).splitlines()[2:]]


def test_worst():
    """Of few comparisons the worst is shown too, with how many there were"""
    assert cells([fact(101), fact(107), fact(100)]) == \
        [["a case", "ms", "100", live.LOG, "107", "-", "± 10", "3"]]


def test_peer():
    """What a peer said stands beside what was true, and is what is compared with"""
    peer = {"peer": "perf sched", "said": 90}
    assert cells([fact(95, **peer), fact(101, **peer), fact(100)]) == [
        ["a case", "ms", "100", live.LOG, "101", "90 (perf sched)", "± 10 of the peer's", "2"],
        ["a case", "ms", "100", live.LOG, "100", "-", "± 10", "1"]]
    assert cells([fact(95, truth=None, **peer)]) == \
        [["a case", "ms", "-", "-", "95", "90 (perf sched)", "± 10", "1"]]


def ended(code, status):
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == status, done
    return accuracy.failure("x_live.py", done)


def test_failures():
    """A case that is not ok and a program that crashed are told, one that is well is not"""
    assert "not ok 1" in ended("print('not ok 1 - a case'); exit(1)", 1)
    assert "exit status 1" in ended("raise SystemError('it broke')", 1)
    assert "it broke" in ended("raise SystemError('it broke')", 1)
    assert not ended("print('ok 1 - a case # SKIP no perf')", 0)


def test_tries():
    """Only what the try that held compared is kept, also of a function within a case"""
    tries = []

    def within():
        tries.append(1)
        live.near(len(tries), 3, 0, "tries")

    with tempfile.NamedTemporaryFile() as file:
        os.environ["PROFTOP_FACTS"] = file.name
        quiet, waits.gets_quiet = waits.gets_quiet, lambda _: True
        try:
            live.near(1, 1, 0, "before")
            waits.steady(within)()
        finally:
            waits.gets_quiet = quiet
            del os.environ["PROFTOP_FACTS"]
        kept = [accuracy.json.loads(x) for x in file]
    assert [(x["what"], x["ours"]) for x in kept] == [("before", 1), ("tries", 3)], kept
    assert {x["case"] for x in kept} == {live.title_of(test_tries)}, kept


if __name__ == "__main__":
    live.main(globals())
