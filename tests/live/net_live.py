#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Network devices: packets and bytes as /proc/net/dev counts them, drops by reason."""
import collections
import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PACKETS = 2000
NAME = f"proftop-live-{os.getpid()}"
CLONE_NEWNET = 0x40000000


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def namespace():
    """A network namespace with a veth pair `ptv0` (here) and `ptv1` (there), no IPv6, no offloads
    needed: UDP alone."""
    live.need_root()
    if not shutil.which("ip"):
        raise live.Skip("there is no ip(8)")
    ip("netns", "add", NAME)
    try:
        ip("link", "add", "ptv0", "type", "veth", "peer", "name", "ptv1", "netns", NAME)
        ip("addr", "add", "10.213.7.1/30", "dev", "ptv0")
        ip("-n", NAME, "addr", "add", "10.213.7.2/30", "dev", "ptv1")
        for words in (["link", "set", "ptv0", "up"], ["-n", NAME, "link", "set", "ptv1", "up"],
                      ["-n", NAME, "link", "set", "lo", "up"]):
            ip(*words)
        yield
    finally:
        subprocess.run(["ip", "link", "del", "ptv0"], check=False, stderr=subprocess.DEVNULL)
        ip("netns", "del", NAME)


def netem(device, *does):
    """From now on, in this thread's network namespace."""
    command = ["tc", "qdisc", "add", "dev", device, "root", "netem", *does]
    if not shutil.which("tc") or subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        raise live.Skip("this kernel has no netem")


@contextlib.contextmanager
def inside():
    """Runs in that namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    other = os.open(f"/run/netns/{NAME}", os.O_RDONLY)
    try:
        assert libc.setns(other, CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        yield
    finally:
        libc.setns(own, CLONE_NEWNET)
        os.close(own)
        os.close(other)


def devices(path="/proc/thread-self/net/dev"):
    """{(device, direction): (packets, bytes)}"""
    found = {}
    with open(path, encoding="ascii") as f:
        for line in f.readlines()[2:]:
            name, rest = line.split(":")
            n = list(map(int, rest.split()))
            found[name.strip(), "rx"] = n[1], n[0]
            found[name.strip(), "tx"] = n[9], n[8]
    return found


def both():
    """Of here and of there, named as the view does."""
    found = devices()
    with inside():
        found.update({(f"{d}@{NAME}", way): n for (d, way), n in devices().items()})
    return found


def send(to, sizes):
    """Datagrams that a socket there or here gets."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, contextlib.ExitStack() as stack:
        if to[0] != "127.0.0.1":
            stack.enter_context(inside())
            b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            stack.close()
        else:
            b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with b:
            b.bind(to)
            for n in sizes:
                a.sendto(b"x" * n, b.getsockname())
                b.recv(65536)


def sums(reports, *keys):
    """{labels: Counter of packets, bytes, drops}"""
    found = collections.defaultdict(collections.Counter)
    for r in (r for x in reports for r in x["rows"]):
        for field in ("packets", "bytes", "drops", "count", "sum_bytes", "segments"):
            found[tuple(r[k] for k in keys)][field] += r[field]
    return found


def test_devices():
    """Packets and bytes of veth pairs and the loopback, by namespace, are those of /proc/net/dev"""
    with namespace(), live.Watch("net", "--group", "device+queue+direction",
                                 binary=live.CHECKED) as watch:
        earlier = both()  # what others send until `before` is in the second interval, too
        watch.next()
        before = both()
        send(("10.213.7.2", 0), [100] * PACKETS + [1400] * 100)
        send(("127.0.0.1", 0), [1000] * PACKETS)
        with inside():
            send(("127.0.0.1", 0), [10] * 300)
        after = both()
        watch.until(live.now_ns())
        later = both()
        reports = watch.reports[1:]
        found = sums(reports, "device", "direction")
        queues = {(r["device"], r["direction"], r["queue"]) for x in reports for r in x["rows"]}
    for device, least in ("ptv0", PACKETS + 100), (f"ptv1@{NAME}", PACKETS + 100), \
            ("lo", PACKETS), (f"lo@{NAME}", 300):
        for way in "rx", "tx":
            ours = found[device, way]
            for i, field in enumerate(("packets", "bytes")):
                low = after[device, way][i] - before[device, way][i]
                high = later[device, way][i] - earlier[device, way][i]
                judge = "/proc/net/dev"
                if low == high:
                    live.near(ours[field], low, 0, f"{field} {way} of {device}", judge)
                assert low <= ours[field] <= high, \
                    f"{device} {way}: {ours[field]} {field}, {low} to {high} in {judge}"
            assert ours["packets"] == ours["count"] and ours["bytes"] == ours["sum_bytes"], ours
            if not device.startswith("ptv1") or way == "rx":
                assert way == "rx" and device == "ptv0" or ours["packets"] >= least, (device, ours)
    assert ("ptv0", "tx", 0) in queues, queues
    assert ("lo", "rx", None) in queues, "the loopback records no queue"


def receive(server):
    """A process of its own that takes one connection to its end."""
    pid = os.fork()
    if not pid:
        c, _ = server.accept()
        while c.recv(1 << 16):
            pass
        os._exit(0)
    return pid


def test_senders():
    """Packets that are sent are the process's whose socket they are of, whoever was interrupted"""
    size = 4 << 20
    with namespace(), live.Watch("net", "--group", "device+direction+pid+comm",
                                 binary=live.CHECKED) as watch:
        watch.next()
        with inside():
            before = devices()["lo", "tx"]
            with socket.create_server(("127.0.0.1", 0)) as server:
                pid = receive(server)
                with socket.create_connection(server.getsockname()) as c:
                    c.sendall(b"x" * size)
                os.waitpid(pid, 0)
            send(("127.0.0.1", 0), [100] * PACKETS)
            after = devices()["lo", "tx"]
        watch.until(live.now_ns())
        found = sums(watch.reports, "device", "direction", "pid")
    lo = {k[2]: n for k, n in found.items() if k[:2] == (f"lo@{NAME}", "tx")}
    assert set(lo) - {pid} <= {os.getpid(), None}, (lo, os.getpid(), pid)
    live.near(sum(n["packets"] for n in lo.values()), after[0] - before[0], 0, "packets of all senders",
              "/proc/net/dev")
    assert lo[os.getpid()]["bytes"] >= size + PACKETS * 100, lo
    # What a closed connection still has to say is nobody's.
    assert lo.get(None, {"packets": 0})["packets"] <= 4, lo
    received = [k for k in found if k[1] == "rx" and k[2] is not None]
    assert not received, received


def snmp():
    """Udp of /proc/net/snmp of here."""
    with open("/proc/thread-self/net/snmp", encoding="ascii") as f:
        names, values = (line.split()[1:] for line in f if line.startswith("Udp:"))
        return dict(zip(names, map(int, values)))


def send_to_nobody(n):
    """What comes to a port that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as b:
        b.bind(("127.0.0.1", 0))
        nobody = b.getsockname()
        b.close()
        for _ in range(n):
            a.sendto(b"x", nobody)


def send_to_slow(n):
    """What has no room in the socket's buffer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as b:
        b.bind(("127.0.0.1", 0))
        b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        for _ in range(n):
            a.sendto(b"x" * 500, b.getsockname())


def test_drops():
    """Drops by reason are those of /proc/net/snmp, with the stacks that dropped them"""
    with namespace(), inside(), live.Watch("net", "--group", "device+direction+reason",
                                           binary=live.CHECKED) as watch, \
            live.Watch("net", "--group", "stack", binary=live.RELEASE) as stacks:
        watch.next()
        stacks.next()
        before = snmp()
        send_to_nobody(400)
        send_to_slow(300)
        after = snmp()
        watch.until(live.now_ns())
        stacks.until(live.now_ns())
    no_port = after["NoPorts"] - before["NoPorts"]
    no_room = after["RcvbufErrors"] - before["RcvbufErrors"]
    assert no_port == 400 and no_room > 100, (no_port, no_room)
    found = sums(watch.reports, "device", "direction", "reason")
    live.near(found["lo", "rx", "NO_SOCKET"]["drops"], no_port, 0, "drops for NO_SOCKET",
              "/proc/net/snmp")
    live.near(found["lo", "rx", "SOCKET_RCVBUFF"]["drops"], no_room, 0,
              "drops for SOCKET_RCVBUFF", "/proc/net/snmp")
    assert found["lo", "rx", None]["drops"] == 0, "packets are no drops"
    for key, row in found.items():
        assert row["packets"] == 0 or not row["drops"], (key, row)
    frames = collections.Counter()
    for r in (r for x in stacks.reports for r in x["rows"]):
        for name in {f["symbol"] for f in r["stack"]}:
            frames[name] += r["drops"]
    assert frames["icmp_rcv"] + frames["__udp4_lib_rcv"] + frames["udp_rcv"] >= no_port, frames
    assert max(frames.values()) >= no_port + no_room, frames


def test_graph():
    """The flame graph of drops stands on their reasons"""
    command = [live.CHECKED, "-b", "-V", "net", "-n", "1", "-d", "2", "--format", "folded"]
    with namespace(), inside(), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as p:
        while p.poll() is None:
            send_to_nobody(50)
        lines = [line.split(";") for line in p.stdout]
    dropped = [line for line in lines if line[0] == "NO_SOCKET" and any("udp" in f for f in line)]
    assert sum(int(line[-1].split()[-1]) for line in dropped) >= 50, lines[:5]
    assert not any(line[0] == "[no name]" for line in lines), lines[:5]


def test_loss():
    """What netem loses is dropped by the queueing discipline, and is no packet of the device"""
    with namespace():
        netem("ptv0", "loss", "30%")
        with live.Watch("net", "--group", "device+direction+reason",
                        binary=live.CHECKED) as watch:
            watch.next()
            before = devices()["ptv0", "tx"][0]
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a:
                for _ in range(PACKETS):
                    a.sendto(b"x", ("10.213.7.2", 9))
            sent = devices()["ptv0", "tx"][0] - before
            watch.until(live.now_ns())
            found = sums(watch.reports, "device", "direction", "reason")
        lost = sum(n["drops"] for (device, way, _), n in found.items()
                   if device == "ptv0" and way == "tx")
        assert sent < PACKETS and abs(lost - (PACKETS - sent)) <= 10, (sent, lost, dict(found))


if __name__ == "__main__":
    live.main(globals())
