#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sockets: calls, bytes and errors of UDP, unix and other sockets by process, full queues, who talks to whom."""
import collections
import contextlib
import errno
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import net_live  # noqa: E402

N = 300
FIELDS = "count", "calls", "bytes", "errors", "sent_bytes", "received_bytes", "drops"


def sums(reports, *keys, **where):
    """{labels: Counter} of the rows that have these labels."""
    found = collections.defaultdict(collections.Counter)
    for r in (r for x in reports for r in x["rows"] if all(r[k] == v for k, v in where.items())):
        for field in FIELDS:
            found[tuple(r[k] for k in keys)][field] += r[field]
    return found


def text(address):
    return f"{address[0]}:{address[1]}"


def udp():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


@contextlib.contextmanager
def child(work):
    """A process of its own that works until it has said so: (pid, address of its socket)."""
    said, says = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            work(lambda what: os.write(says, what.encode() + b"\n"))
        finally:
            os._exit(0)
    os.close(says)
    with os.fdopen(said) as f:
        yield pid, f
    os.waitpid(pid, 0)


def test_calls():
    """Calls, bytes and errors by protocol, kind and direction are those that were made"""
    live.need_root()
    with live.Watch("sockets", "--group", "protocol+kind+direction+error", "-p", os.getpid(),
                    binary=live.CHECKED) as watch, udp() as u, udp() as v, contextlib.ExitStack() as stack:
        pairs = {kind: [stack.enter_context(s) for s in socket.socketpair(socket.AF_UNIX, number)]
                 for kind, number in (("stream", socket.SOCK_STREAM), ("dgram", socket.SOCK_DGRAM),
                                      ("seqpacket", socket.SOCK_SEQPACKET))}
        watch.next()
        u.bind(("127.0.0.1", 0))
        for n in range(N):
            v.sendto(b"x" * n, u.getsockname())
            u.recv(65536, socket.MSG_PEEK)
            u.recv(65536)
        for a, b in pairs.values():
            for _ in range(N):
                a.send(b"x" * 100)
                b.recv(65536)
            b.setblocking(False)
            for _ in range(7):
                with contextlib.suppress(BlockingIOError):
                    b.recv(10)
        watch.until(live.now_ns())
        found = sums(watch.reports, "protocol", "kind", "direction", "error")
    triangle = N * (N - 1) // 2
    for way in "sent", "received":
        got = found["udp", "dgram", way, None]
        live.near(got["bytes"], triangle, 0, f"bytes of UDP {way}")
        live.near(got["calls"], N, 0, f"calls of UDP {way}")
        assert got[f"{way}_bytes"] == triangle and not got["errors"] and got["count"] == N, got
        for kind in pairs:
            got = found["unix", kind, way, None]
            live.near(got["bytes"], N * 100, 0, f"bytes of unix {kind} {way}")
            assert got["calls"] == N, (kind, got)
    for kind in pairs:
        got = found["unix", kind, "received", "EAGAIN"]
        assert got["errors"] == got["calls"] == 7 and not got["bytes"], (kind, got)


def test_rows():
    """A row has sizes of its calls alone; of drops it has none"""
    live.need_root()
    with live.Watch("sockets", "-p", os.getpid(), binary=live.CHECKED) as watch, udp() as u, udp() as v:
        watch.next()
        u.bind(("127.0.0.1", 0))
        u.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        for _ in range(N):
            v.sendto(b"x" * 500, u.getsockname())
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["protocol"] == "udp"]
    assert {(r["pid"], r["kind"], r["min_bytes"], r["max_bytes"]) for r in rows if r["calls"]} == \
        {(os.getpid(), "dgram", 500, 500)}, rows


def drops_of(address):
    """Of a socket, in /proc/net/udp."""
    wanted = f"{int.from_bytes(socket.inet_aton(address[0]), sys.byteorder):08X}:{address[1]:04X}"
    with open("/proc/thread-self/net/udp", encoding="ascii") as f:
        return sum(int(line.split()[-1]) for line in f if line.split()[1] == wanted)


def full_queue(say, use):
    with udp() as u, udp() as v:
        u.bind(("127.0.0.1", 0))
        u.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        if use:
            v.sendto(b"x", u.getsockname())
            u.recv(10)
        say(text(u.getsockname()))
        with open(os.environ["PROFTOP_TEST_DONE"], encoding="ascii") as f:
            f.read()


def drops(begun_before, use):
    """Somebody else's packets to a socket that nobody reads from."""
    live.need_root()
    with live.temporary() as folder, contextlib.ExitStack() as stack:
        os.environ["PROFTOP_TEST_DONE"] = done = os.path.join(folder, "done")
        os.mkfifo(done)

        def begin():
            pid, said = stack.enter_context(child(lambda say: full_queue(say, use)))
            host, port = said.readline().strip().split(":")
            return pid, (host, int(port))
        if begun_before:
            pid, address = begin()
        watch = stack.enter_context(live.Watch("sockets", "--group", "pid+local+direction",
                                               binary=live.CHECKED))
        watch.next()
        if not begun_before:
            pid, address = begin()
        with udp() as v:
            for _ in range(N):
                v.sendto(b"x" * 500, address)
        truth = drops_of(address)
        watch.until(live.now_ns())
        reports = list(watch.reports)
        watch.stop()
        with open(done, "w", encoding="ascii"):
            pass
    found = sums(reports, "pid", "local", "direction")
    assert truth > N // 2, truth
    live.near(found[pid, text(address), "full"]["drops"], truth, 0, "datagrams for a full queue",
              "/proc/net/udp")
    others = [k for k, n in found.items() if n["drops"] and k[1] == text(address) and k[0] != pid]
    assert not others, others


def test_full_queue():
    """Drops of a full queue are those of /proc/net/udp, of the process that does not read"""
    drops(False, True)


def test_full_queue_from_before():
    """So are those of a socket from before proftop"""
    drops(True, True)


def test_full_queue_unused():
    """So are those of a socket that was never used"""
    drops(False, False)


def test_peers():
    """Who is connected to whom on this machine, by UDP and by unix sockets"""
    live.need_root()

    def serve(say):
        with udp() as u, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            u.bind(("127.0.0.1", 0))
            s.bind(f"\0proftop-{os.getpid()}")
            s.listen()
            say(text(u.getsockname()))
            c, _ = s.accept()
            with c:
                while data := c.recv(100):
                    c.send(data)
                    u.sendto(*u.recvfrom(100))

    with live.Watch("sockets", "--group", "local+remote", binary=live.CHECKED) as watch:
        watch.next()
        with child(serve) as (pid, said), udp() as u, \
                socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            server = said.readline().strip()
            u.connect((server.split(":")[0], int(server.split(":")[1])))
            s.connect(f"\0proftop-{pid}")
            for _ in range(N):
                s.send(b"x" * 10)
                u.send(b"x" * 10)
                s.recv(100)
                u.recv(100)
            own = text(u.getsockname())
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"]]
    with open("/proc/self/comm", encoding="utf-8") as f:
        comm = f.read().strip()
    mine = [r for r in rows if r["pid"] == os.getpid() and r["local"] == own]
    assert {r["remote"] for r in mine} == {server} and sum(r["bytes"] for r in mine) == 2 * N * 10, mine
    assert f"{comm} {pid}" in {r["peer"] for r in mine}, mine
    name = f"@proftop-{pid}"
    client = [r for r in rows if r["pid"] == os.getpid() and r["remote"] == name]
    served = [r for r in rows if r["pid"] == pid and r["local"] == name]
    assert sum(r["bytes"] for r in client) == sum(r["bytes"] for r in served) == 2 * N * 10, rows
    assert {r["peer"] for r in client} == {f"{comm} {pid}"}, client
    assert {r["peer"] for r in served} == {f"{comm} {os.getpid()}"}, served
    assert {(r["protocol"], r["kind"]) for r in client + served} == {("unix", "stream")}


def test_namespaces():
    """What is sent into another network namespace is counted at both ends, with its addresses"""
    with net_live.namespace(), live.Watch("sockets", "--group", "local+remote+protocol", "-p",
                                          os.getpid(), binary=live.CHECKED) as watch:
        with net_live.inside():
            b = udp()
        with b, udp() as a:
            b.bind(("10.213.7.2", 9999))
            a.connect(b.getsockname())
            watch.next()
            for _ in range(N):
                a.send(b"x" * 50)
                b.recv(100)
            own = text(a.getsockname())
            watch.until(live.now_ns())
        found = sums(watch.reports, "local", "remote")
    live.near(found[own, "10.213.7.2:9999"]["sent_bytes"], N * 50, 0, "bytes to another namespace")
    live.near(found["10.213.7.2:9999", None]["received_bytes"], N * 50, 0, "bytes from there")


def test_filter():
    """A filter by label leaves what it names"""
    live.need_root()
    with live.Watch("sockets", "--filter", "direction=received kind=dgram", "-p", os.getpid(),
                    "--group", "direction+kind", binary=live.CHECKED) as watch:
        watch.next()
        for number in socket.SOCK_DGRAM, socket.SOCK_STREAM:
            a, b = socket.socketpair(socket.AF_UNIX, number)
            with a, b:
                a.send(b"x")
                b.recv(1)
        watch.until(live.now_ns())
        found = sums(watch.reports, "direction", "kind")
    assert dict(found) == {("received", "dgram"): found["received", "dgram"]}, found
    assert found["received", "dgram"]["calls"] == 1, found


def test_files():
    """What sendfile sends of a file is counted as sent"""
    live.need_root()
    with live.temporary() as folder, live.Watch("sockets", "--group", "protocol+direction", "-p", os.getpid(),
                                                binary=live.CHECKED) as watch, \
            socket.create_server(("127.0.0.1", 0)) as server, \
            socket.create_connection(server.getsockname()) as a, server.accept()[0] as b:
        with open(os.path.join(folder, "file"), "w+b") as f:
            f.write(b"x" * 100_000)
            f.flush()
            watch.next()
            sent = os.sendfile(a.fileno(), f.fileno(), 0, 100_000)
        received = 0
        while received < sent:
            received += len(b.recv(65536))
        watch.until(live.now_ns())
        found = sums(watch.reports, "protocol", "direction")
    live.near(found["tcp", "sent"]["sent_bytes"], sent, 0, "bytes of a file sent")
    live.near(found["tcp", "received"]["received_bytes"], sent, 0, "bytes received")


def test_errors():
    """What fails is counted with its errno, as the call returned it"""
    live.need_root()
    with live.Watch("sockets", "--group", "protocol+error", "-p", os.getpid(),
                    binary=live.CHECKED) as watch, udp() as u:
        watch.next()
        failed = 0
        for _ in range(20):
            try:
                u.send(b"x")
            except OSError as e:
                assert e.errno == errno.EDESTADDRREQ, e
                failed += 1
        watch.until(live.now_ns())
        found = sums(watch.reports, "protocol", "error")
    live.near(found["udp", "EDESTADDRREQ"]["errors"], failed, 0, "calls that failed")


def test_peer_counts():
    """bpftrace counts as many calls and bytes on the same tracepoints in the same time"""
    live.need_root()
    script = f"tracepoint:sock:sock_send_length /pid == {os.getpid()} && args->ret > 0/ " \
             "{ @n = count(); @bytes = sum(args->ret); } BEGIN { printf(\"ready\\n\"); }"
    try:
        p = subprocess.Popen(["bpftrace", "-e", script], stdout=subprocess.PIPE, text=True)
    except FileNotFoundError as e:
        raise live.Skip("there is no bpftrace") from e
    with p, live.Watch("sockets", "--group", "pid", "-p", os.getpid(), binary=live.CHECKED) as watch:
        while "ready" not in (line := p.stdout.readline()):
            assert line, "bpftrace has ended"
        watch.next()
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with a, b:
            for n in range(1, N):
                a.send(b"x" * n)
                b.recv(65536)
        watch.until(live.now_ns())
        p.send_signal(2)
        said = dict(line.strip().lstrip("@").split(": ") for line in p.stdout.read().splitlines()
                    if line.startswith("@"))
        found = sums(watch.reports, "pid")[os.getpid(),]
    live.near(found["sent_bytes"], int(said["bytes"]), 0, "bytes sent", "bpftrace")
    live.near(found["calls"], 2 * int(said["n"]), 0, "calls, as many received as sent", "bpftrace")


if __name__ == "__main__":
    live.main(globals())
