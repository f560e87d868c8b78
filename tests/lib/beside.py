# SPDX-License-Identifier: GPL-2.0-only
"""What goes on in a thread while a block is executed."""
import threading


class Beside:
    """run() begins with the block, and returns once self.over is set, which is at the block's end."""

    def __init__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        raise NotImplementedError

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
