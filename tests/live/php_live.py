#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through PHP, by a program whose shares, chain, waits and lines are known by construction
(tests/workloads/php_shares.php)."""
import contextlib
import http.client
import json
import math
import os
import subprocess
import sys
import threading
import urllib.request
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import check_served, folded, follow, share, whole  # noqa: E402

SERVICE = os.path.join(live.ROOT, "tests/workloads/php_service.php")
SOURCE = os.path.join(live.ROOT, "tests/workloads/php_shares.php")
WALKED = "8.2"
DEPTH = 5
CHAIN = ["{main}"] + ["descend"] * (DEPTH + 1) + ["produce"]
CALLS = [*CHAIN, "Caller::by_sort", "usort", "Caller::{closure}", "Caller::round"]


def walked():
    live.need_root()
    php, = servers.need("php")
    version = subprocess.run([php, "-r", "echo PHP_VERSION;"], capture_output=True, text=True, check=True).stdout
    if not version.startswith(WALKED + "."):
        raise live.Skip(f"php {version} is here, not {WALKED}")
    return php


def program(*options):
    return servers.running(walked(), *(options or ["-n"]), SOURCE, DEPTH, text=True, stdout=subprocess.PIPE)


def check_shares(*options):
    def named():
        stacks = folded("cpu", p.pid, "-F", 997)
        return stacks if share(stacks, lambda s: "Caller::round" in s) > 90 else None
    with program(*options) as p:
        servers.printed(p, "ready")
        stacks = live.wait_for(named, 40, 0)
        note = whole(p.pid, "php")
    assert options or "interpreted functions" not in note, note
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot_70", 70), ("hot_30", 30):
        got = share(stacks, lambda s: follow(s, [*CALLS, name]))
        live.near(got, truth, within, f"php: share of {name} below its callers, %")
    runs = share(stacks, lambda s: any(f == "execute_ex" or f.startswith("[jit]") for f in s))
    assert runs < 3, f"{runs:.1f} % of stacks have the interpreter's own frame"


def test_shares():
    """70 and 30 % below a recursion, a generator, a sort's callback and a method; no interpreter's frames; whole stacks"""
    check_shares()


def jit_options(how):
    return ["-d", "opcache.enable_cli=1", "-d", "opcache.jit_buffer_size=32M", "-d", f"opcache.jit={how}"]


def check_jit(how):
    on = subprocess.run([walked(), *jit_options(how), "-r", "echo (int) opcache_get_status()['jit']['on'];"],
                        capture_output=True, text=True, check=False).stdout
    if on != "1":
        raise live.Skip("this php has no JIT: php-opcache is not installed")
    check_shares(*jit_options(how))


def test_tracing_jit():
    """The same where the JIT compiles what is run often, whose code has the interpreter's frame"""
    check_jit("tracing")


def test_function_jit():
    """The same where it compiles whole functions"""
    check_jit("function")


def test_waits():
    """A wait is below the function of C that it is in, and that below its caller"""
    def waits():
        stacks = folded("offcpu", p.pid)
        slept = {s: w for s, w in stacks.items() if any("nanosleep" in f for f in s)}
        return slept if share(slept, lambda s: follow(s, [*CHAIN, "waits", "usleep"])) > 90 else None
    with program() as p:
        servers.printed(p, "ready")
        assert live.wait_for(waits, 40, 0)


ITEMS = [{"name": f"item {chr(97 + i % 26)}", "price": i * 7919 % 1000 / 10} for i in range(200)]


def ask(port):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", json.dumps({"items": ITEMS}).encode())
    with urllib.request.urlopen(request, timeout=10) as reply:
        return zlib.decompress(reply.read()).startswith(b"<ul>")


def is_up(port):
    with contextlib.suppress(OSError):
        return ask(port)
    return False


def asks(port, over):
    with contextlib.suppress(OSError, zlib.error, http.client.HTTPException):  # it ends while it is asked
        while not over.is_set():
            assert ask(port)


def test_service():
    """Of its web server under load 99 % of the stacks are whole, shares are as known, and closures, which go when they have run, have names"""
    port, over = servers.free_port(), threading.Event()
    command = [walked(), "-d", "opcache.enable_cli=1", "-S", f"127.0.0.1:{port}", SERVICE]
    with servers.running(*command, stderr=subprocess.DEVNULL) as p:
        assert live.wait_for(lambda: is_up(port), 20, 0.1)
        threading.Thread(target=asks, args=(port, over), daemon=True).start()
        check_served(p.pid, "php, a web server", "hot_70", "hot_30", ["zend_execute_scripts"])
        closures = folded("cpu", p.pid, "-F", 997, seconds=4)
        over.set()
    by_closure = {s: w for s, w in closures.items() if "zend_sort" in s}
    named = share(by_closure, lambda s: follow(s, ["zend_execute_scripts", "Answer::render", "Answer::sorted", "usort"]))
    # What is gone when its stack is met for the first time has no name then.
    assert named > 80, f"{named:.1f} % of the stacks of a sort have their callers' names: {[s for s in by_closure if 'usort' not in s]}"
    compared = {s: w for s, w in by_closure.items() if follow(s, ["zend_sort", "zend_call_function"])}
    called = share(compared, lambda s: follow(s, ["zend_sort", "zend_call_function", "Answer::{closure}"]))
    assert called > 60, f"{called:.1f} % of the calls of a sort have the closure's name: {compared}"


if __name__ == "__main__":
    live.main(globals())
