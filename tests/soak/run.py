#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""proftop for a long time, with somebody at its keys, on a machine where everything comes and
goes: it must not grow, and count right at the end as at the beginning. Writes docs/SOAK.md.

	run.py [--minutes N] [--every SECONDS] [--duty SHARE] [--no-doc]
"""
import argparse
import os
import platform
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import live  # noqa: E402
import table  # noqa: E402
import truth  # noqa: E402
import vitals  # noqa: E402
from hands import STILL_SECONDS, Hands  # noqa: E402
from load import Load  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="seconds between samples")
    parser.add_argument("--duty", type=float, default=1, help="share of time the load works")
    parser.add_argument("--no-doc", action="store_true", help="leave docs/SOAK.md as it is")
    return parser.parse_args()


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def checked(hands):
    """[(what, true, said)] of all that is known; a wrong one is a line of its own."""
    found, wrong = [], 0
    for check in truth.CHECKS:
        try:
            found.append(truth.thrice(check, hands))
        except AssertionError as e:
            wrong += 1
            found.append((check.__doc__.strip(), "WRONG", " ".join(str(e).split())[:300]))
        except live.Skip as e:
            found.append((check.__doc__.strip(), "not tried", str(e)))
        say(": ".join(found[-1]))
    return found, wrong


def soak(o, folder):
    end = time.monotonic() + o.minutes * 60
    with Hands(live.RELEASE, folder) as hands, Load(folder, o.duty) as load:
        with vitals.Watch(hands.pid, o.every) as watch:
            while time.monotonic() < end:
                hands.play()
                hands.idle(STILL_SECONDS)
                now = watch.samples[-1]
                say(f"round {hands.rounds}: " + ", ".join(
                    f"{name} {now[name]:.4g}{unit}" for name, unit, *_ in vitals.COLUMNS))
        load.over.set()
        truths, wrong = checked(hands)
        hands.quit()
    return {"samples": watch.samples, "truths": truths, "wrong": wrong, "rounds": hands.rounds,
            "turns": load.turns}


def main():
    o = arguments()
    if os.geteuid():
        sys.exit("the soak needs root")
    with tempfile.TemporaryDirectory(prefix="soak.", dir=live.BUILD) as folder:
        found = soak(o, folder)
    warm = min(o.minutes * 60 / 3, 600)
    found.update(warm=warm, seconds=found["samples"][-1]["t"], kernel=platform.release(),
                 duty=o.duty, cpus=os.cpu_count(),
                 grown=vitals.grown([s for s in found["samples"] if s["t"] >= warm]))
    text = table.text(found, vitals.COLUMNS)
    print(text)
    if not o.no_doc:
        with open(os.path.join(live.ROOT, "docs/SOAK.md"), "w", encoding="utf-8") as f:
            f.write(text)
    held = all(row[-1] for row in found["grown"]) and not found["wrong"]
    say("it held" if held else "it did NOT hold")
    sys.exit(not held)


if __name__ == "__main__":
    main()
