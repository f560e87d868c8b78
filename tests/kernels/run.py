#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Boots Debian's kernels and writes down what works on them:

	run.py [SUITE...]	bullseye bookworm trixie sid bookworm-arm64 when none is named

What each kernel was found to do is kept in build/kernels; docs/KERNELS.md is made of all that
is there.
"""
import json
import os
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path += [os.path.join(ROOT, "tests/lib"), os.path.join(ROOT, "tests/matrix")]
import archive  # noqa: E402
import boot  # noqa: E402
import builds  # noqa: E402
import expected  # noqa: E402
import table  # noqa: E402
from archive import Missing  # noqa: E402

CACHE = os.path.join(ROOT, "build/kernels")
SUITES = "bullseye", "bookworm", "trixie", "sid", "bookworm-arm64"
INSIDE = "/usr/bin/python3 tests/kernels/inside.py"
LONG_S = float(os.environ.get("KERNEL_SECONDS", 900))  # a whole run, with the doctor
VIEWS = os.environ.get("KERNEL_VIEWS", "").split()  # none: all of them
CHECK_S = 110  # the part of it that is a test; more means a machine too busy to tell
CHECKED = "cpu", "cache", "io", "offcpu"
SLOWER = 4  # than the start a view never is


def parse(said):
    """The lines of a guest as one object; what was cut off is not there."""
    found = {"views": [], "begun": []}
    for line in said.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if "view" in told:
            found["views"].append(told)
        elif "begun" in told:
            found["begun"].append(told)
        else:
            found.update(told)
    return found


def command(limit, *views):
    return f"PROFTOP_TEST_LIMIT={int(limit)} {INSIDE} {' '.join(views)}"


def guest_of(arch):
    """What to boot such a kernel on; for a machine that is not this one, the program is built."""
    if arch == "amd64":
        return boot.X86
    row = builds.Row("gcc-aarch64")
    if not row.make():
        row.tell()
        raise Missing(f"the program for {arch}: {row.built}")
    return boot.arm64(row.root, row.folder)


def kept_at(suite):
    return os.path.join(CACHE, f"{suite}.json")


def keep(suite, found):
    """Adds what a guest told to what is known of its kernel; what another release of it, or another
    proftop, told is forgotten."""
    known = {}
    if os.path.exists(kept_at(suite)):
        with open(kept_at(suite), encoding="utf-8") as f:
            known = json.load(f)
    if any(known.get(key) != found[key] for key in ("kernel", "proftop")):
        known = {"views": []}
    rows = {row["view"]: row for row in known["views"] + found["views"]}
    with open(kept_at(suite), "w", encoding="utf-8") as f:
        json.dump({**known, **found, "views": list(rows.values())}, f)


def whole(suite):
    """Everything about one kernel, kept for the table; what went wrong as text, or None."""
    name, _, arch = suite.partition("-")
    guest = guest_of(arch or "amd64")
    kernel = archive.fetch(name, CACHE, boot.MODULES, arch or "amd64", newest=True)
    begun = time.monotonic()
    ended = boot.boot(kernel, ROOT, command(LONG_S / 4, *VIEWS), LONG_S, guest=guest)
    found = parse(ended.said)
    print(f"{suite} {kernel.release}: {time.monotonic() - begun:.0f} s")
    for row in found["views"]:
        print(f"  {row['view']:<8} {row['state']:<8} {row['seconds']:>6} s  {table.words(row)}")
    if "kernel" in found:
        keep(suite, found)
    if "ended" not in found:
        print("\n".join(ended.console))
        return "the guest did not come to its end" + ("" if ended.in_time else " in time")
    wrong = list(filter(None, (expected.differs(suite, row) for row in found["views"])))
    return f"wrong: {', '.join(wrong)}" if wrong else None


def check_all(suites):
    failed = False
    for suite in suites:
        try:
            why = whole(suite)
        except Missing as e:
            why = str(e)
        if why:
            print(f"  {suite}: {why}")
        failed |= bool(why)
        sys.stdout.flush()
    found = []
    for suite in SUITES:
        if os.path.exists(kept_at(suite)):
            with open(kept_at(suite), encoding="utf-8") as f:
                found.append((suite, json.load(f)))
    if found:
        table.write(found, os.path.join(ROOT, "docs/KERNELS.md"))
    return failed


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def silent(begun, view, seconds):
    """What is said of a view that was begun and is far behind what the start of the guest, which
    only the machine's speed decides, let expect."""
    at = next((b["up_s"] for b in begun if b["begun"] == view), None)
    if at is None or seconds - at < SLOWER * begun[0]["up_s"]:
        return None
    return f"no answer for {seconds - at:.0f} s, where the start took {begun[0]['up_s']:.0f} s"


def check_one(suite):
    """As a test: what a machine lacks for it is said, and nothing else is forgiven."""
    begun = time.monotonic()
    archive.LIMIT_S = CHECK_S / 2
    try:
        boot.can_run()
        kernel = archive.fetch(suite, CACHE, boot.MODULES)
        left = CHECK_S - (time.monotonic() - begun)
        if left < CHECK_S / 2:
            skip_all(f"{kernel.release} is here now, but took too long to come")
        ended = boot.boot(kernel, ROOT, command(left, *CHECKED), left, nice=19)
    except Missing as e:
        skip_all(f"no kernel of {suite}: {e}")
    found = parse(ended.said)
    rows = {row["view"]: row for row in found["views"]}
    print(f"1..{len(CHECKED)}")
    for n, view in enumerate(CHECKED, 1):
        row, name = rows.get(view), f"{view} on {kernel.release}"
        if row:
            wrong = expected.differs(suite, row)
            print(f"{'not ' if wrong else ''}ok {n} - {name}: {wrong or table.words(row)[:400]}")
        elif ended.in_time:
            print(f"not ok {n} - {name}: the guest ended before")
            print("\n".join("# " + line for line in ended.console))
        elif silent(found["begun"], view, left):
            print(f"not ok {n} - {name}: {silent(found['begun'], view, left)}")
        else:
            print(f"ok {n} - {name} # SKIP too busy here to emulate it in {CHECK_S} s")


def main():
    if [s for s in sys.argv[1:] if s not in SUITES]:
        sys.exit(__doc__)
    return check_all(sys.argv[1:] or SUITES)


if __name__ == "__main__":
    sys.exit(main())
