# SPDX-License-Identifier: GPL-2.0-only
"""What a sample of a stack of interpreted functions costs in the kernel, names' words and all, beside a
native one as deep; below the functions are the frames of what runs them."""
import contextlib
import os
import subprocess

import live
import servers
from figures import comparison, ratio_at_most, result

DEPTH = 20
AROUND = 4  # frames of main and of what calls it, of the native one
RATE = 997

PYTHON = """
def burn():
    while True:
        x = 0
        for i in range(1000):
            x += i * i
def down(n):
    return down(n - 1) if n else burn()
down(%d)
"""
JAVASCRIPT = """
function burn() { for (;;) { let x = 1; for (let i = 0; i < 1000; i++) x = (x * 31 + i) & 0xfffff; globalThis.x = x; } }
function down(n) { if (n) { const r = down(n - 1); return r + 1; } burn(); return 0; }
down(%d);
"""
PHP = """<?php
function burn() { for (;;) { $x = 1; for ($i = 0; $i < 1000; $i++) $x = ($x * 31 + $i) & 0xfffff; } }
function down($n) { if ($n) return down($n - 1); burn(); }
down(%d);
"""
RUBY = """
def burn
  while true
    x = 1
    i = 0
    while i < 1000
      x = (x * 31 + i) & 0xfffff
      i += 1
    end
  end
end
def down(n)
  n > 0 ? down(n - 1) : burn
end
down(%d)
"""
PERL = """
no warnings 'recursion';
sub burn { while (1) { my $x = 1; for my $i (1 .. 1000) { $x = ($x * 31 + $i) & 0xfffff; } } }
sub down { my ($n) = @_; my $x = $n ? down($n - 1) : burn(); return $x; }
down(%d);
"""
JAVA = """public class Deep {
	static volatile long last;
	static void burn() { for (;;) { int x = 1; for (int i = 0; i < 1000; i++) x = x * 31 + i; last = x; } }
	static int down(int n) { if (n > 0) return down(n - 1) + 1; burn(); return 0; }
	public static void main(String[] args) { down(%d); }
}
"""
RUNTIMES = {
    "python": ("python3", [], "deep.py", PYTHON),
    "node, interpreted": ("node", ["--no-opt", "--no-sparkplug"], "deep.js", JAVASCRIPT),
    "node": ("node", [], "deep.js", JAVASCRIPT),
    "php": ("php", ["-n"], "deep.php", PHP),
    "ruby": ("ruby", [], "deep.rb", RUBY),
    "perl": ("perl", [], "deep.pl", PERL),
    "java, interpreted": ("java", ["-Xint"], "Deep.java", JAVA),
    "java": ("java", [], "Deep.java", JAVA),
}


def sample_ns(pid):
    """Of the last of some intervals: by then proftop knows the process."""
    report = live.batch("-V", "cpu", "-p", pid, "-n", 4, "-d", 1, "-F", RATE, binary=live.RELEASE)[-1]
    return report["health"]["cost_ns"]


@contextlib.contextmanager
def deep(program, options, name, source):
    path, = servers.need("/usr/bin/" + program)
    with live.temporary() as folder:
        file = os.path.join(folder, name)
        with open(file, "w", encoding="ascii") as f:
            f.write(source % (DEPTH - 2))
        with servers.running(path, *options, file, stderr=subprocess.STDOUT) as p:
            yield p.pid


def bench_runtimes(rounds):
    with live.Workload("deep_recursion", 3600, DEPTH - AROUND) as native:
        for name, how in RUNTIMES.items():
            with comparison(name), deep(*how) as pid:
                ours, peer = [], []
                for _ in range(rounds):
                    ours.append(sample_ns(pid))
                    peer.append(sample_ns(native.pid))
                result(f"cost of a sample, {DEPTH} functions: {name}", ours, peer, "native", "ns",
                       ratio_at_most(3))
