# SPDX-License-Identifier: GPL-2.0-only
"""A program in a real terminal: a tmux server of its own, keys in, screen out. What is
waited for is polled, with a limit."""
import os
import re
import shlex
import subprocess
import tempfile

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
        self.command = ["tmux", "-f", config, "-S", self.socket]
        subprocess.run([*self.command, "new-session", "-d", "-x", str(columns), "-y", str(rows),
                        shlex.join(command)], check=True, env=variables)

    def tmux(self, *args, check=True):
        return subprocess.run([*self.command, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=check,
                              errors="replace").stdout

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def screen(self, colours=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []), check=False)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def ask(self, what):
        return self.tmux("display-message", "-p", f"#{{{what}}}", check=False).strip()

    def ended(self):
        return self.ask("pane_dead") == "1"

    def status(self):
        return self.ask("pane_dead_status")

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
            return self.ended()

        live.wait_for(done, seconds)
        return self.status()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        subprocess.run(["rm", "-rf", self.folder], check=False)


def strip(text):
    return SGR.sub("", text)
