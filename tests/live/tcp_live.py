#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""TCP connections: bytes, connects, accepts, resets, drops and times of loads that are known."""
import collections
import contextlib
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import net_live  # noqa: E402

GROUP = "step+local+remote+service+role+state+error+netns+pid"
N = 20
DELAY = 0.02
FIELDS = "count", "errors", "bytes", "sent_bytes", "received_bytes", "retransmits", "resets", "drops"


def text(address):
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"


def sums(reports, *keys, **where):
    """{labels: Counter} of the rows that have these labels."""
    found = collections.defaultdict(collections.Counter)
    for r in (r for x in reports for r in x["rows"]):
        if any(r[k] != v for k, v in where.items()):
            continue
        at = found[tuple(r[k] for k in keys)]
        for field in FIELDS:
            at[field] += r[field]
        at["max_ns"] = max(at["max_ns"], r["max_ns"] or 0)
    return found


def echo(server, connections):
    """Takes so many, and sends back the tenth of what comes."""
    for _ in range(connections):
        c, _ = server.accept()
        with c:
            got = 0
            while data := c.recv(65536):
                got += len(data)
            c.sendall(b"r" * (got // 10))


def talk(server, sizes):
    thread = threading.Thread(target=echo, args=(server, len(sizes)))
    thread.start()
    for size in sizes:
        with socket.create_connection(server.getsockname()[:2]) as c:
            c.sendall(b"x" * size)
            c.shutdown(socket.SHUT_WR)
            while c.recv(65536):
                pass
    thread.join()


def refused(n):
    with socket.create_server(("127.0.0.1", 0)) as s:
        address = s.getsockname()
    for _ in range(n):
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(address)
    return text(address)


def late(server):
    """A connection that a program takes late; the least and the most that it can have waited."""
    began = time.monotonic_ns()
    c = socket.create_connection(server.getsockname())
    connected = time.monotonic_ns()
    time.sleep(0.4)
    least = time.monotonic_ns() - connected
    a, _ = server.accept()
    most = time.monotonic_ns() - began
    return least, most, c, a


def reset(c, a):
    """The one that connected resets it, the other one meets that."""
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()
    with contextlib.suppress(ConnectionResetError):
        a.recv(1)
    a.close()


def listen_drops():
    with open("/proc/thread-self/net/netstat", encoding="ascii") as f:
        names, values = (line.split()[1:] for line in f if line.startswith("TcpExt:"))
        return int(dict(zip(names, values))["ListenDrops"])


def overflow():
    """More connections than a queue of 1 has room for: the kernel drops the others."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as s, contextlib.ExitStack() as stack:
        before = listen_drops()
        for _ in range(6):
            c = stack.enter_context(socket.socket())
            c.setblocking(False)
            c.connect_ex(s.getsockname())
        time.sleep(0.2)
        yield text(s.getsockname())
        stack.close()  # before they try again
        yield listen_drops() - before


def near_all(found, **expected):
    for field, n in expected.items():
        live.near(found[field], n, 0, field, "construction")


def check_talk(reports, here, sizes):
    total = sum(sizes)
    back = sum(n // 10 for n in sizes)
    for role, key, sent, received in ("out", "remote", total, back), ("in", "local", back, total):
        got = sums(reports, "step", role=role, **{key: here}, pid=os.getpid())
        near_all(got["life",], count=N, errors=0, sent_bytes=sent, received_bytes=received,
                 bytes=sent + received, resets=0)
        step = "connect" if role == "out" else "accept"
        near_all(got[step,], count=N, errors=0, bytes=0)


def test_connections():
    """Bytes, connects, accepts, refusals and resets are exact, of IPv4 and IPv6, old and new ones"""
    sizes = [1 + 5000 * i for i in range(N)]
    old_server = socket.create_server(("127.0.0.1", 0))
    old = socket.create_connection(old_server.getsockname())
    peer, _ = old_server.accept()
    old.sendall(b"before" * 1000)
    with live.Watch("tcp", "--group", GROUP, binary=live.CHECKED) as watch, \
            socket.create_server(("127.0.0.1", 0)) as v4, \
            socket.create_server(("::1", 0), family=socket.AF_INET6) as v6:
        watch.next()
        servers = [text(s.getsockname()) for s in (v4, v6)]
        old.sendall(b"later" * 100)
        for server in v4, v6:
            talk(server, sizes)
        nobody = refused(5)
        least, most, c, a = late(old_server)
        reset(c, a)
        flood = overflow()
        full = next(flood)
        watch.until(live.now_ns())
        dropped = next(flood)
        watch.until(live.now_ns())
        flood.close()
        reports = watch.reports
    for server in servers:
        check_talk(reports, server, sizes)
    got = sums(reports, "step", "error", remote=nobody)
    near_all(got["connect", "ECONNREFUSED"], count=5, errors=5)
    assert ("life", None) not in got or not got["life", None]["count"], "what was refused never lived"
    here = text(old_server.getsockname())
    took = sums(reports, "step", local=here, role="in")["accept",]
    near_all(took, count=1)
    assert least <= took["max_ns"] <= most, (least, took, most)
    ends = sums(reports, "role", "error", step="life")
    assert ends["in", "ECONNRESET"]["count"] == 1, dict(ends)
    resets = sums(reports, "role", local=here)["in",]["resets"], \
        sums(reports, "role", remote=here)["out",]["resets"]
    assert resets == (1, 1), resets
    later = sums(reports, "role", remote=here, step="life")["out",]
    near_all(later, sent_bytes=500)
    assert dropped >= 1, "the queue had room for all"
    live.near(sums(reports, local=full)[()]["drops"], dropped, 0, "drops", "/proc/net/netstat")
    listeners = [r for r in reports[-1]["rows"] if r["state"] == "LISTEN"]
    assert any(r["local"] == here and r["pid"] == os.getpid() and r["unfinished"] == 1
               for r in listeners), listeners
    peer.close()
    old.close()
    old_server.close()



# --- other namespaces: what is lost, what is delayed ---

def retransmitted():
    """Segments that were sent again from the namespace."""
    with net_live.inside(), open("/proc/thread-self/net/snmp", encoding="ascii") as f:
        names, values = (line.split()[1:] for line in f if line.startswith("Tcp:"))
        return int(dict(zip(names, values))["RetransSegs"])


def connected(server):
    """What the namespace had sent again before, its end of a connection, and the other one."""
    with net_live.inside():
        before = retransmitted()
        c = socket.create_connection(server.getsockname())
    return before, c, server.accept()[0]


def test_retransmits():
    """What is sent again is that of /proc/net/snmp, and the namespace is told"""
    with net_live.namespace():
        with socket.create_server(("10.213.7.1", 0)) as server, \
                live.Watch("tcp", "--group", GROUP, binary=live.CHECKED) as watch:
            watch.next()
            before, c, a = connected(server)
            net_live.ip("link", "set", "ptv0", "down")
            c.sendall(b"x" * 1000)
            live.wait_for(lambda: retransmitted() - before >= 3, 20)
            net_live.ip("link", "set", "ptv0", "up")
            assert len(a.recv(1000, socket.MSG_WAITALL)) == 1000
            c.close()
            a.close()
            again = retransmitted() - before
            watch.until(live.now_ns())
            here = text(server.getsockname())
            got = sums(watch.reports, "netns", "role", remote=here, step="life")[net_live.NAME, "out"]
            other = sums(watch.reports, "netns", "role", local=here, step="life")["[own]", "in"]
    near_all(got, count=1, sent_bytes=1000)
    live.near(got["retransmits"], again, 0, "retransmits", "/proc/net/snmp")
    near_all(other, count=1, received_bytes=1000, retransmits=0)


def transfer(n, port, own):
    """Both ports; `n` bytes go between these addresses, whoever else has them in another namespace."""
    with socket.create_server(("127.0.0.1", port)) as server, socket.socket() as client:
        client.bind(("127.0.0.1", own))
        client.connect(server.getsockname())
        ports = server.getsockname()[1], client.getsockname()[1]
        with server.accept()[0] as taken:
            client.sendall(b"x" * n)
            assert len(taken.recv(n, socket.MSG_WAITALL)) == n
    return ports


def test_same_addresses():
    """Connections of the same addresses in two network namespaces are two rows, each with its own"""
    with net_live.namespace(), live.Watch("tcp", binary=live.CHECKED) as watch:
        watch.next()
        ports = transfer(1000, 0, 0)
        with net_live.inside():
            transfer(3000, *ports)
        watch.until(live.now_ns())
        got = sums(watch.reports, "netns", local=f"127.0.0.1:{ports[0]}", remote=f"127.0.0.1:{ports[1]}", step="life")
    near_all(got["[own]",], count=1, received_bytes=1000)
    near_all(got[net_live.NAME,], count=1, received_bytes=3000)


def tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH", name.encode(), 0x1001))  # TUNSETIFF, TUN, no header
    return fd


@contextlib.contextmanager
def slow_line():
    """Two devices, here and in the namespace, whose packets come DELAY later."""
    ends, stop = [tun("ptt0"), tun("ptt1")], threading.Event()

    def carry(a, b):
        waiting = collections.deque()
        while not stop.is_set():
            left = max(waiting[0][0] - time.monotonic(), 0) if waiting else 0.1
            if select.select([a], [], [], left)[0]:
                waiting.append((time.monotonic() + DELAY, os.read(a, 65536)))
            while waiting and waiting[0][0] <= time.monotonic():
                with contextlib.suppress(OSError):
                    os.write(b, waiting.popleft()[1])

    for words in (["addr", "add", "10.213.8.1/30", "dev", "ptt0"], ["link", "set", "ptt0", "up"],
                  ["link", "set", "ptt1", "netns", net_live.NAME],
                  ["-n", net_live.NAME, "addr", "add", "10.213.8.2/30", "dev", "ptt1"],
                  ["-n", net_live.NAME, "link", "set", "ptt1", "up"]):
        net_live.ip(*words)
    threads = [threading.Thread(target=carry, args=pair) for pair in (ends, ends[::-1])]
    for t in threads:
        t.start()
    try:
        yield
    finally:
        stop.set()
        for t in threads:
            t.join()
        for fd in ends:
            os.close(fd)


def test_round_trips():
    """Connecting takes a round trip, and that is what the RTT says, as TCP_INFO does"""
    if not os.path.exists("/dev/net/tun"):
        raise live.Skip("there is no /dev/net/tun")
    with net_live.namespace(), slow_line():
        with net_live.inside():
            server = socket.create_server(("10.213.8.2", 0))
        with server, live.Watch("tcp", "--group", GROUP, binary=live.CHECKED) as watch:
            watch.next()
            c = socket.create_connection(server.getsockname())
            a, _ = server.accept()
            told = []
            for _ in range(25):
                c.sendall(b"x")
                a.recv(1)
                a.sendall(b"y")
                c.recv(1)
                told.append(struct.unpack_from("I", c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104),
                                               68)[0] * 1000)
            watch.until(live.now_ns())
            here = text(server.getsockname())
            rows = [r for x in watch.reports for r in x["rows"] if r["remote"] == here]
            c.close()
            a.close()
    connects = [r for r in rows if r["step"] == "connect"]
    assert len(connects) == 1 and connects[0]["count"] == 1, connects
    assert connects[0]["max_ns"] >= 2 * DELAY * 1e9, connects
    rtts = [r["rtt_ns"] for r in rows if r["step"] == "life" and r["rtt_ns"]]
    assert rtts and min(rtts) >= 2 * DELAY * 1e9 * 0.99, rtts
    assert min(told) * 0.98 <= min(rtts) and max(rtts) <= max(told) * 1.02, (rtts, min(told), max(told))
    assert all(r["cwnd"] >= 1 for r in rows if r["rtt_ns"]), rows


def test_lossy_line():
    """Over netem's line, with delay and loss: RTTs are TCP_INFO's, what is sent again is that of /proc/net/snmp"""
    told, size = [], 30000
    with net_live.namespace():
        with net_live.inside():
            net_live.netem("ptv1", "delay", "20ms", "loss", "10%")
        with socket.create_server(("10.213.7.1", 0)) as server, \
                live.Watch("tcp", "--group", GROUP, binary=live.CHECKED) as watch:
            watch.next()
            before, c, a = connected(server)
            while not told or retransmitted() - before < 3:
                c.sendall(b"x" * size)
                assert len(a.recv(size, socket.MSG_WAITALL)) == size
                told.append(struct.unpack_from("I", c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 68)[0])
            with net_live.inside():
                subprocess.run(["tc", "qdisc", "del", "dev", "ptv1", "root"], check=True)
            c.close()
            a.close()
            again, here = retransmitted() - before, text(server.getsockname())
            watch.until(live.now_ns())
    rows = [r for x in watch.reports for r in x["rows"] if r["remote"] == here and r["step"] == "life"]
    got = sums(watch.reports, "netns", "role", remote=here, step="life")[net_live.NAME, "out"]
    near_all(got, count=1, sent_bytes=size * len(told))
    live.near(got["retransmits"], again, 0, "retransmits", "/proc/net/snmp")
    rtts = [r["rtt_ns"] for r in rows if r["rtt_ns"]]
    assert rtts and DELAY * 1e9 * 0.99 <= min(rtts) and max(rtts) <= max(told) * 1500, (rtts, told)


# --- questions ---

def asked(watch, name):
    return [r for x in watch.reports for r in x["rows"] if r["ask"].startswith(name) and r["comm"] == COMM]


COMM = "tcp-live"


@contextlib.contextmanager
def called_so():
    """The process is called COMM."""
    with open("/proc/self/comm", "r+", encoding="ascii") as f:
        own = f.read()
        f.write(COMM)
        f.flush()
        try:
            yield
        finally:
            f.write(own)


def segments_in():
    """Received by TCP in this network namespace."""
    with open("/proc/thread-self/net/snmp", encoding="ascii") as f:
        names, values = (line.split() for line in f if line.startswith("Tcp:"))
    return int(values[names.index("InSegs")])


def settled(what):
    """What it says once it has said the same for a while."""
    last = what()
    while (time.sleep(0.3), now := what())[1] != last:
        last = now
    return last


def exchange(stack, watch):
    """Segments that both ends of a connection have received meanwhile."""
    server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    a = stack.enter_context(socket.create_connection(server.getsockname()))
    b = stack.enter_context(server.accept()[0])
    watch.next()
    before = settled(segments_in)
    for _ in range(20):
        a.sendall(b"x")
        b.recv(1)
        b.sendall(b"y")
        a.recv(1)
    after = settled(segments_in)
    return {a.getsockname()[1], b.getsockname()[1]}, after - before


def test_way_of_received_data():
    """Ready questions time each segment from softirq to socket, and how long data wait there for their reader"""
    with net_live.namespace(), net_live.inside(), called_so(), contextlib.ExitStack() as stack:
        spans = stack.enter_context(live.Watch("pairs", "--ask", "rxdelay", "--ask", "recvdelay",
                                               binary=live.CHECKED))
        ports, segments = exchange(stack, spans)
        a, b = (stack.enter_context(s) for s in socket.socketpair())
        for _ in range(5):
            a.sendall(b"x")
            time.sleep(0.05)
            b.recv(10)
        spans.until(live.now_ns())
    rows = [r for x in spans.reports for r in x["rows"] if r.get("sk->__sk_common.skc_num") in ports]
    live.near(sum(r["count"] for r in rows), segments, 0, "rxdelay: segments", "/proc/net/snmp")
    rows = asked(spans, "recvdelay")
    live.near(sum(r["count"] for r in rows), 45, 0, "recvdelay: count", "construction")
    assert max(r["max_ns"] for r in rows if r["count"]) >= 50_000_000, rows
    assert sum(r["total_ns"] for r in rows) >= 250_000_000, rows


def test_questions():
    """Ready questions count datagrams and bytes of UDP and Unix sockets, and time answers of port 53"""
    with net_live.namespace(), net_live.inside(), contextlib.ExitStack() as stack:
        names = "udpsent", "udpreceived", "unixsent", "unixreceived"
        asks = [x for name in names for x in ("--ask", name)]
        counts = stack.enter_context(live.Watch("events", *asks, binary=live.CHECKED))
        spans = stack.enter_context(live.Watch("pairs", "--ask", "dns", binary=live.CHECKED))
        counts.next()
        spans.next()
        with called_so():
            server, client = (stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                              for _ in range(2))
            server.bind(("127.0.0.1", 53))
            client.connect(server.getsockname())
            for _ in range(5):
                client.send(b"who is it")
                _, back = server.recvfrom(100)
                time.sleep(0.05)
                server.sendto(b"nobody", back)
                client.recv(100)
            a, b = (stack.enter_context(s) for s in socket.socketpair())
            for n in range(40):
                a.sendall(b"x" * (n + 1))
                b.recv(100)
            counts.until(live.now_ns())
            spans.until(live.now_ns())
    for name, n, total in (("udpsent", 10, 75), ("udpreceived", 10, 75), ("unixsent", 40, 820),
                           ("unixreceived", 40, 820)):
        rows = asked(counts, name)
        live.near(sum(r["count"] for r in rows), n, 0, f"{name}: count", "construction")
        live.near(sum(r["sum"] for r in rows), total, 0, f"{name}: sum", "construction")
    assert not [r for x in spans.reports for r in x["rows"] if r["comm"] == COMM and r["unfinished"]], \
        "dns: what is sent on other sockets waits for no answer"
    rows = asked(spans, "dns")
    live.near(sum(r["count"] for r in rows), 5, 0, "dns: count", "construction")
    assert min(r["min_ns"] for r in rows if r["count"]) >= 50_000_000, rows


if __name__ == "__main__":
    live.main(globals())
