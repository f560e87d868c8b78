#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Exits of virtual machines: a guest of known exits, where this machine runs any."""
import contextlib
import ctypes
import fcntl
import mmap
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

TRACEFS = "/sys/kernel/tracing"
EVENT = f"{TRACEFS}/events/kvm/kvm_exit"
WRITES = 1000
PORT = 0x10
# mov cx, WRITES; out PORT, al; loop to it; hlt
CODE = b"\xb9" + struct.pack("<H", WRITES) + bytes([0xe6, PORT, 0xe2, 0xfc, 0xf4])
CREATE_VM, VCPU_MMAP_SIZE, CREATE_VCPU, RUN = 0xae01, 0xae04, 0xae41, 0xae80
SET_MEMORY, GET_SREGS, SET_SREGS, SET_REGS = 0x4020ae46, 0x8138ae83, 0x4138ae84, 0x4090ae82
EXIT_IO, EXIT_HLT = 2, 5


class Guest:
    """Writes to a port so often, then halts."""

    def __init__(self, code=CODE):
        if os.uname().machine != "x86_64":
            raise live.Skip("the guest is for x86")
        try:
            self.kvm = os.open("/dev/kvm", os.O_RDWR)
            self.vm = fcntl.ioctl(self.kvm, CREATE_VM, 0)
        except OSError as why:
            raise live.Skip(f"KVM runs no guests here: {why}") from why
        self.memory = mmap.mmap(-1, 4096)
        self.memory[:len(code)] = code
        at = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        fcntl.ioctl(self.vm, SET_MEMORY, struct.pack("<IIQQQ", 0, 0, 0x1000, 4096, at))
        self.vcpu = fcntl.ioctl(self.vm, CREATE_VCPU, 0)
        self.state = mmap.mmap(self.vcpu, fcntl.ioctl(self.kvm, VCPU_MMAP_SIZE, 0))
        sregs = bytearray(fcntl.ioctl(self.vcpu, GET_SREGS, bytes(312)))
        struct.pack_into("<Q", sregs, 0, 0)       # base of cs
        struct.pack_into("<H", sregs, 12, 0)      # its selector
        fcntl.ioctl(self.vcpu, SET_SREGS, bytes(sregs))
        regs = [0] * 18
        regs[16], regs[17] = 0x1000, 2            # rip, rflags
        fcntl.ioctl(self.vcpu, SET_REGS, struct.pack("<18Q", *regs))

    def step(self):
        fcntl.ioctl(self.vcpu, RUN, 0)
        return struct.unpack_from("<I", self.state, 8)[0]

    def run(self):
        """How often it wrote."""
        n = 0
        while True:
            why = self.step()
            if why == EXIT_HLT:
                return n
            if why != EXIT_IO:
                raise live.Skip(f"KVM runs no guests here: exit {why}")
            n += 1


@contextlib.contextmanager
def traced():
    """Lines that the kernel traces of this event meanwhile."""
    instance = f"{TRACEFS}/instances/proftop-live-{os.getpid()}"
    lines = []
    os.mkdir(instance)
    try:
        with open(f"{instance}/events/kvm/kvm_exit/enable", "w", encoding="ascii") as f:
            f.write("1")
        yield lines
        with open(f"{instance}/trace", encoding="utf-8", errors="replace") as f:
            lines += [line for line in f if "kvm_exit:" in line]
    finally:
        os.rmdir(instance)


def test_available():
    """Where there is no KVM the view says why, and what to do; else it is there"""
    live.need_root()
    run = live.proftop("-b", "-V", "kvm", "--format", "json", "-n", 1, "-d", 0.3)
    if os.path.exists(EVENT):
        assert run.status == 0, str(run)
        assert run.json()[0]["rows"] == [] or run.json()[0]["rows"][0]["reason"], str(run)
    else:
        assert run.status == 4, str(run)
        assert "tracefs" in run.err or "KVM" in run.err or "kvm" in run.err, str(run)


def exits(binary):
    """The last report of a guest that writes to a port so often: it leaves for that so often."""
    if not os.path.exists(EVENT):
        raise live.Skip("this kernel has no event kvm:kvm_exit, or tracefs is not mounted")
    guest = Guest()
    first = guest.step()
    if first != EXIT_IO:
        raise live.Skip(f"KVM runs no guests here: exit {first}")
    with contextlib.ExitStack() as stack:
        watch = stack.enter_context(live.Watch("kvm", "--group", "reason+pid", binary=binary))
        watch.next()
        with traced() as lines:
            wrote = guest.run()
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["pid"] == os.getpid()]
    assert wrote == WRITES - 1, wrote
    if not lines:
        raise live.Skip("KVM emulates such guests here: they are never left")
    seen = sum(r["count"] for r in rows if r["reason"] in ("io", "IO_INSTRUCTION"))
    # The last one before it is watched is entered from while it is.
    live.near(seen, wrote, 1, "exits for a port")
    for r in rows:
        times = [r[k] for k in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
        assert times == sorted(times) if r["count"] else times == [None] * 4, r
    return watch.reports[-1]


def test_exits():
    """A guest that writes to a port so often leaves for that so often"""
    live.need_root()
    exits(live.CHECKED)


SPIN = b"\xeb\xfe"  # jmp to itself
SPIN_SECONDS = 3


def spin():
    """A guest that never leaves by itself, until this process is killed."""
    guest = Guest(SPIN)
    print("ready", flush=True)
    while True:
        with contextlib.suppress(InterruptedError):
            guest.step()


def guest_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return int(f.read().rsplit(")", 1)[1].split()[40]) / os.sysconf("SC_CLK_TCK")


def mode(binary):
    """
    A report of mode=guest of a guest that spins: that is what the kernel accounts as a guest's time,
    mode=host all else.
    """
    Guest()  # or says why not
    with subprocess.Popen([sys.executable, os.path.realpath(__file__), "spin"], text=True,
                          stdout=subprocess.PIPE) as work:
        try:
            assert work.stdout.readline() == "ready\n"
            before = guest_seconds(work.pid)
            guest, host = (
                live.batch("-V", "cpu", "-n", 1, "-d", SPIN_SECONDS, "-F", 99, "-p", work.pid,
                           "--filter", f"mode={which}", binary=binary)[0]
                for which in ("guest", "host"))
            spent = guest_seconds(work.pid) - before
        finally:
            work.kill()
    samples = [report["health"]["samples"] for report in (guest, host)]
    if not spent:
        assert 10 * samples[0] < samples[1], samples  # a moment in it none accounts
        raise live.Skip("KVM emulates such guests here: no time is a guest's")
    assert samples[0] > 2 * samples[1], (samples, spent)
    return guest


def test_mode():
    """mode=guest is what the kernel accounts as a guest's time, mode=host all else"""
    live.need_root()
    mode(live.CHECKED)


if __name__ == "__main__":
    if sys.argv[1:] == ["spin"]:
        spin()
    live.main(globals())
