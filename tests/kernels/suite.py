#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The live suite's programs in a guest, as they are:

	suite.py SUITE [PROGRAM...]	of tests/live, without "_live.py" or ".c"; else those below

An emulated machine is slow: what compares times within a percent or two is for real ones.
"""
import os
import re
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path += [os.path.join(ROOT, "tests/lib"), os.path.join(ROOT, "tests/matrix")]
import boot  # noqa: E402
import run  # noqa: E402
from archive import Missing, fetch  # noqa: E402

PROGRAMS = ("cache_reads_test", "cache_writes_test", "cache_whose_test", "block_test", "bpf_scope_test",
            "unwind_test", "faults", "gone", "safety", "caps", "scope", "unwind",
            "cache", "io", "offcpu", "sched", "sched_faults", "record", "hostile", "usage", "events")
SETTINGS = "PROFTOP_TEST_HOTPLUG=1 PROFTOP_TEST_LIMIT=120 PROFTOP_TEST_FOLDER=/run/disk"
PROGRAM_S = 1800
# Of TAP and of cmocka, which names those that failed twice.
CASE = re.compile(r"^(?:(not )?ok \d+ - .*|\[ +(?:OK|(FAILED)|(SKIPPED)) +\] [a-z_]\w*)$", re.M)


def path(program):
    project = "/run/project"
    if program.endswith("_test"):
        return f"{project}/build/asan/tests/live/{program}"
    return f"/usr/bin/python3 {project}/tests/live/{program}_live.py"


def command(programs):
    """A program that hangs does not keep the next ones from their turn. No single quotes: it stands
    within some. They may write where they are."""
    begin = (f"export {SETTINGS}; cd /run/disk; mkdir build; ln -s /run/project/build/* build; "
             "ln -s /run/project/tests .")
    return "; ".join([begin] + [
        f'echo "== {p}"; timeout -k 5 {PROGRAM_S} {path(p)} 2>&1; echo "== {p} ended with" $?'
        for p in programs])


ENDED = re.compile(r"^== (\w+) ended with (\d+)$", re.M)


def judged(said):
    """Passed, failed, skipped; a program that fails without a case that does is a failure, too."""
    counts, at = [0, 0, 0], 0
    for end in ENDED.finditer(said):
        before = counts[1]
        for case in {c[0]: c for c in CASE.finditer(said, at, end.start())}.values():
            failed, skipped = case[1] or case[2], case[3] or "# SKIP" in case[0]
            counts[1 if failed else 2 if skipped else 0] += 1
        counts[1] += end[2] != "0" and counts[1] == before
        at = end.end()
    return counts


def main():
    suite, programs = sys.argv[1], sys.argv[2:] or PROGRAMS
    name, _, arch = suite.partition("-")
    begun = time.monotonic()
    try:
        guest = run.guest_of(arch or "amd64")
        kernel = fetch(name, run.CACHE, boot.MODULES, arch or "amd64")
        ended = boot.boot(kernel, ROOT, command(programs), PROGRAM_S * len(programs), guest=guest)
    except Missing as e:
        sys.exit(f"{suite}: {e}")
    print(ended.said)
    passed, failed, skipped = judged(ended.said)
    missing = [p for p in programs if f"== {p} ended" not in ended.said]
    print(f"{suite} {kernel.release}, {time.monotonic() - begun:.0f} s: {passed} passed, {failed} "
          f"failed, {skipped} skipped" + (f"; not run: {' '.join(missing)}" if missing else ""))
    sys.exit(bool(failed or missing))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in run.SUITES:
        sys.exit(__doc__)
    main()
