#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""proftop for a long time, with somebody at its keys, on a machine where everything comes and
goes: it must not grow, and count right at the end as at the beginning.

	run.py [--minutes N] [--every SECONDS] [--duty SHARE] [--leak MIB] [--doc FILE]

--leak has a library in proftop that forgets so much of memory a minute, and a descriptor: a run
that holds then is wrong. --doc writes the run's table.
"""
import argparse
import os
import platform
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import judge  # noqa: E402
import live  # noqa: E402
import table  # noqa: E402
import truth  # noqa: E402
import vitals  # noqa: E402
from hands import Hands  # noqa: E402
from load import Load  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=2, help="seconds between looks")
    parser.add_argument("--duty", type=float, default=1, help="share of time the load works")
    parser.add_argument("--leak", type=float, default=0, help="MiB that it forgets a minute")
    parser.add_argument("--doc", help="where the run's table goes")
    return parser.parse_args()


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def checked(hands):
    """[(what, true, said)] of all that is known; what is wrong, or could not be tried, is a line of
    its own and does not hold."""
    found, wrong = [], 0
    for check in truth.CHECKS:
        try:
            found.append(truth.thrice(check, hands))
        except AssertionError as e:
            wrong += 1
            found.append((check.__doc__.strip(), "WRONG", " ".join(str(e).split())[:300]))
        except live.Skip as e:
            wrong += 1
            found.append((check.__doc__.strip(), "not tried", str(e)))
        say(": ".join(found[-1]))
    return found, wrong


def one_round(hands, watch):
    """Its keys and a rest after them, measured."""
    before = vitals.cpu_seconds(hands.pid)
    keys = hands.play()
    between, since = vitals.cpu_seconds(hands.pid), time.monotonic()
    health = hands.rest()["health"]
    at_rest, seconds = vitals.cpu_seconds(hands.pid) - between, time.monotonic() - since
    found = vitals.at_rest(hands.pid, hands.idle)
    found.update(watch.most(), lost=health["lost"] + health["map_full"])
    found["cpu a key"] = (between - before) / keys * 1e3
    found["cpu a second"] = at_rest / seconds * 1e3
    found["cpu a sample"] = at_rest / health["samples"] * 1e6
    return found


def soak(o, folder):
    start, rounds = time.monotonic(), []
    with Hands(live.RELEASE, folder, o.leak) as hands, Load(folder, o.duty) as load:
        with vitals.Watch(hands.pid, o.every) as watch:
            while time.monotonic() - start < o.minutes * 60:
                rounds.append(one_round(hands, watch))
                rounds[-1]["minute"] = (time.monotonic() - start) / 60
                say(f"round {len(rounds)}: " + ", ".join(
                    f"{c.name} {rounds[-1][c.name]:.4g}" for c in vitals.COLUMNS))
        load.over.set()
        truths, wrong = checked(hands)
        hands.quit()
    return {"rounds": rounds, "truths": truths, "wrong": wrong, "load": load}


def main():
    o = arguments()
    if os.geteuid():
        sys.exit("the soak needs root")
    with tempfile.TemporaryDirectory(prefix="soak.", dir=live.BUILD) as folder:
        found = soak(o, folder)
    found["warm"] = judge.warm(len(found["rounds"]))
    found["verdicts"] = judge.judged(vitals.COLUMNS, found["rounds"][found["warm"]:])
    found.update(kernel=platform.release(), duty=o.duty, cpus=os.cpu_count())
    text = table.text(found)
    print(text)
    if o.doc:
        with open(o.doc, "w", encoding="utf-8") as f:
            f.write(text)
    grew = [v.column.name for v in found["verdicts"] if not v.holds]
    if not found["verdicts"]:
        sys.exit(f"too short to tell: {len(found['rounds'])} rounds")
    if found["wrong"]:
        grew.append("sums that are wrong or were not tried")
    if found["load"].failed:
        grew.append("loads that failed: " + ", ".join(sorted(found["load"].failed)))
    held = not grew
    say("it held" if held else f"it did NOT hold: {'; '.join(grew)}")
    sys.exit(not held)


if __name__ == "__main__":
    main()
