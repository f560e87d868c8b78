# SPDX-License-Identifier: GPL-2.0-only
"""proftop in a pseudo terminal: its bytes as they come, its line mode, its exit status."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import live


class Session:
    """A program in a pseudo terminal of its own, which has its size from the beginning."""

    def __init__(self, *args, binary=live.RELEASE, columns=100, rows=30, **env):
        self.screen = b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.pid, self.fd = os.fork(), master
        if not self.pid:
            os.close(master)
            os.login_tty(slave)
            os.execve(binary, [binary, *args], live.environment(**{"TERM": "xterm-256color", **env}))
        os.close(slave)

    def pending(self, seconds):
        """Whether something is to be read within that time."""
        return bool(select.select([self.fd], [], [], seconds)[0])

    def read_once(self, seconds):
        """Reads what is there, waiting for it at most so long; False at the end."""
        if not self.pending(seconds):
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen += data
        return bool(data)

    def read(self, seconds=0.1):
        """Reads for so long; False at the end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not self.read_once(left):
                return False
        return True

    def wait_text(self, text, seconds=10):
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"no {text!r} in {self.screen[-2000:]!r}"
            if not self.read(0.05):
                break
        assert text in self.screen, self.screen[-2000:]

    def wait_end(self, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0.1)
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("it does not end")

    def restored(self):
        """Line mode is back, and so are the screen and the cursor."""
        after = termios.tcgetattr(self.fd)
        assert after[3] == self.before[3], "the terminal's line mode is not restored"
        assert self.screen.rfind(b"\x1b[?1049l") > self.screen.rfind(b"\x1b[?1049h"), \
            "still on the alternate screen"
        assert self.screen.rfind(b"\x1b[?25l") < max(self.screen.rfind(b"\x1b[?25h"),
                                                     self.screen.rfind(b"\x1b[?12l\x1b[?25h"),
                                                     self.screen.rfind(b"\x1b[34h\x1b[?25h"), 0), \
            "the cursor is hidden"
        for mode in (b"1000", b"1002", b"1006"):
            assert self.screen.rfind(b"\x1b[?" + mode + b"h") <= \
                self.screen.rfind(b"\x1b[?" + mode + b"l"), f"mouse mode {mode} is on"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
