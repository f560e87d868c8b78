# SPDX-License-Identifier: GPL-2.0-only
"""A program in a real terminal: a tmux server of its own, keys in, screen out. What is
waited for is polled, with a limit."""
import os
import re
import shlex
import subprocess
import tempfile
import time

import live

SGR = re.compile(r"\x1b\[[0-9;:]*m|\x1b\(B|\x0e|\x0f")


class Tmux:
    def __init__(self, command, columns=120, rows=40, term=None, env=None):
        self.folder = tempfile.mkdtemp(prefix="proftop-tmux-")
        self.socket = os.path.join(self.folder, "s")
        variables = live.environment(**(env or {}))
        for name in ("TMUX", "TMUX_PANE"):
            variables.pop(name, None)
        config = os.path.join(self.folder, "conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("set -g status off\nset -g escape-time 0\nset -g remain-on-exit on\n"
                    "set -g history-limit 0\nset -g default-terminal tmux-256color\n"
                    "set -ga terminal-overrides ',*:Tc'\n")
        if term:
            command = ["env", f"TERM={term}", *command]
        # tmux 3.3 does not always learn how its pane ended: a shell writes it down.
        self.ending = os.path.join(self.folder, "status")
        script = f"{shlex.join(command)}; echo $? >{self.ending}.new; mv {self.ending}.new {self.ending}"
        self.command = ["tmux", "-f", config, "-S", self.socket]
        subprocess.run([*self.command, "new-session", "-d", "-x", str(columns), "-y", str(rows),
                        script], check=True, env=variables)

    def tmux(self, *args, check=True):
        return subprocess.run([*self.command, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=check,
                              errors="replace").stdout

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)
            if key == "Escape":
                time.sleep(0.2)  # or the terminal has it as Alt with the next key

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def screen(self, colours=False):
        return self.tmux("capture-pane", "-p", *(["-e", "-N"] if colours else []), check=False)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def ask(self, what):
        return self.tmux("display-message", "-p", f"#{{{what}}}", check=False).strip()

    def pid(self):
        """The program's process: the only child of the pane's shell."""
        shell = self.ask("pane_pid")
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as f:
            return int(f.read().split()[0])

    def ended(self):
        return os.path.exists(self.ending)

    def status(self):
        """Its exit status as a shell has it: 128 and more for signals."""
        with open(self.ending, encoding="ascii") as f:
            return f.read().strip()

    def wait(self, pattern, seconds=10.0, absent=False):
        """Until the screen matches (or no longer does); the screen."""
        shown = ""

        def there():
            nonlocal shown
            shown = self.screen()
            return bool(re.search(pattern, shown, re.M)) != absent

        try:
            live.wait_for(there, seconds)
        except AssertionError:
            what = "still" if absent else "no"
            raise AssertionError(f"{what} {pattern!r} on the screen:\n{shown}") from None
        return shown

    def wait_end(self, seconds=10.0):
        def done():
            """the program to end"""
            return self.ended() and self.status()  # "0" is true

        try:
            return live.wait_for(done, seconds)
        except AssertionError:
            raise AssertionError(f"it has not ended after {seconds} s:\n{self.screen()}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        subprocess.run(["rm", "-rf", self.folder], check=False)


def strip(text):
    return SGR.sub("", text)
