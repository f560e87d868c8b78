# SPDX-License-Identifier: GPL-2.0-only
"""Programs that create files in one directory, and wait for its lock in the kernel."""
import contextlib
import subprocess
import sys
import tempfile

LOADS = 4
CREATES = """
import os, sys, time
print(flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[2])
i = 0
while time.monotonic() < end:
    path = "%s/%d.%d" % (sys.argv[1], os.getpid(), i % 50)
    open(path, "w").close()
    os.unlink(path)
    i += 1
"""


@contextlib.contextmanager
def loads(seconds):
    """They are there, and create files for so long from begin() on."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        work = [stack.enter_context(subprocess.Popen([sys.executable, "-S", "-c", CREATES, folder, str(seconds)],
                                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
                for _ in range(LOADS)]
        try:
            for w in work:
                w.stdout.readline()
            yield work
        finally:
            for w in work:
                w.kill()


def begin(work):
    for w in work:
        w.stdin.write("\n")
        w.stdin.flush()
