#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Exits of virtual machines: a guest of known exits, where this machine runs any."""
import collections
import contextlib
import ctypes
import fcntl
import mmap
import os
import re
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

TRACEFS = "/sys/kernel/tracing"
EVENT = f"{TRACEFS}/events/kvm/kvm_exit"
CREATE_VM, VCPU_MMAP_SIZE, CREATE_VCPU, RUN = 0xae01, 0xae04, 0xae41, 0xae80
SET_MEMORY, GET_SREGS, SET_SREGS, SET_REGS = 0x4020ae46, 0x8138ae83, 0x4138ae84, 0x4090ae82
INTERRUPT = 0x4004ae86
EXIT_IO, EXIT_HLT, EXIT_MMIO = 2, 5, 6

# A guest of real mode: what it does, and how often.
PORT, WRITES = 0x10, 1000
MMIO_WRITTEN, MMIO_WRITES, MMIO_READ, MMIO_READS = 0x20010, 100, 0x30020, 50  # no memory is there
MSR_READ, MSR_READS, MSR_WRITTEN, MSR_WRITES = 0x1b, 70, 0x79, 30
MSR_UNKNOWN, FAULTS = 0x1234567, 20
CALL, CALLS = 0x77, 40  # none that there is
ASKED, VECTOR, INTERRUPTS = 0x64, 0x20, 25
DATA, PAGES = 0x40000, 64  # memory of its own that is written to, a page at a time
BEGINS, NEXT, TOUCHES, AGAIN = 0x11, 0x12, 0x13, 0x14  # ports that say where it is


def word(n):
    return struct.pack("<H", n)


def loop(n, body):
    """mov si, n; body; dec si; jnz to it"""
    return b"\xbe" + word(n) + body + b"\x4e\x75" + struct.pack("b", -(len(body) + 3))


def out(port):
    return bytes([0xe6, port])


def msr(number, access):
    """mov ecx, number; xor eax, eax; xor edx, edx; access"""
    return b"\x66\xb9" + struct.pack("<I", number) + b"\x66\x31\xc0\x66\x31\xd2" + access


def segment(number):
    """mov ax, number"""
    return b"\xb8" + word(number)


def is_intel():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return "GenuineIntel" in f.read()


def code():
    rdmsr, wrmsr, hlt = b"\x0f\x32", b"\x0f\x30", b"\xf4"
    call = b"\x66\xb8" + struct.pack("<I", CALL) + (b"\x0f\x01\xc1" if is_intel() else b"\x0f\x01\xd9")
    # es:0 of page after page: mov es, ax; mov es:[0], al; add ax, 0x100
    touch = b"\x8e\xc0\x26\xa2\x00\x00\x05\x00\x01"
    # By fs and gs, so that pages without memory take turns.
    segments = (segment(MMIO_WRITTEN >> 4 & 0xf000) + b"\x8e\xe0" + segment(MMIO_READ >> 4 & 0xf000) + b"\x8e\xe8")
    write, read = b"\x64\xa2" + word(MMIO_WRITTEN & 0xffff), b"\x65\xa0" + word(MMIO_READ & 0xffff)
    return (out(BEGINS) + loop(WRITES, out(PORT)) + out(NEXT) + segments +
            loop(MMIO_READS, write + read) + loop(MMIO_WRITES - MMIO_READS, write) +
            loop(MSR_READS, msr(MSR_READ, rdmsr)) + loop(MSR_WRITES, msr(MSR_WRITTEN, wrmsr)) +
            loop(FAULTS, msr(MSR_UNKNOWN, rdmsr)) + loop(CALLS, call) +
            b"\xfb" + loop(INTERRUPTS, bytes([0xe4, ASKED])) + b"\xfa" + out(TOUCHES) +
            segment(DATA >> 4) + loop(PAGES, touch) + out(AGAIN) +
            segment(DATA >> 4) + touch + hlt)


# Of the fault: over the instruction, of two bytes, that it is of; of the interrupt: nothing.
HANDLERS = {13: b"\x58\x05\x02\x00\x50\xcf", VECTOR: b"\xcf"}


class Guest:
    def __init__(self, program=None):
        if os.uname().machine != "x86_64":
            raise live.Skip("the guest is for x86")
        try:
            self.kvm = os.open("/dev/kvm", os.O_RDWR)
            self.vm = fcntl.ioctl(self.kvm, CREATE_VM, 0)
        except OSError as why:
            raise live.Skip(f"KVM runs no guests here: {why}") from why
        program = program or code()
        self.memory = self.add_memory(0, 0, 0x20000)
        self.data = self.add_memory(1, DATA, PAGES * 4096)
        self.memory[0x1000:0x1000 + len(program)] = program
        for n, (vector, handler) in enumerate(HANDLERS.items()):
            at = 0x2000 + 16 * n
            self.memory[4 * vector:4 * vector + 4] = word(at) + word(0)
            self.memory[at:at + len(handler)] = handler
        self.memory[0x3000 - 16:0x3000] = bytes(16)  # its stack is there
        self.vcpu = fcntl.ioctl(self.vm, CREATE_VCPU, 0)
        self.state = mmap.mmap(self.vcpu, fcntl.ioctl(self.kvm, VCPU_MMAP_SIZE, 0))
        sregs = bytearray(fcntl.ioctl(self.vcpu, GET_SREGS, bytes(312)))
        struct.pack_into("<Q", sregs, 0, 0)       # base of cs
        struct.pack_into("<H", sregs, 12, 0)      # its selector
        fcntl.ioctl(self.vcpu, SET_SREGS, bytes(sregs))
        regs = [0] * 18
        regs[6], regs[16], regs[17] = 0x3000, 0x1000, 2  # rsp, rip, rflags
        fcntl.ioctl(self.vcpu, SET_REGS, struct.pack("<18Q", *regs))

    def set_memory(self, slot, at, size, memory):
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        fcntl.ioctl(self.vm, SET_MEMORY, struct.pack("<IIQQQ", slot, 0, at, size, address))

    def add_memory(self, slot, at, size):
        memory = mmap.mmap(-1, size)
        self.set_memory(slot, at, size, memory)
        return memory

    def step(self):
        """Why it is user space's turn: KVM's number, and the port or address."""
        fcntl.ioctl(self.vcpu, RUN, 0)
        why = struct.unpack_from("<I", self.state, 8)[0]
        if why == EXIT_IO:
            return why, struct.unpack_from("<H", self.state, 34)[0]
        return why, struct.unpack_from("<Q", self.state, 32)[0] if why == EXIT_MMIO else 0

    def run(self, until, slowly=0):
        """To where it says that it is there. How often it was user space's turn, by why."""
        turns = collections.Counter()
        while True:
            turn = self.step()
            if turn == until:
                return turns
            turns[turn] += 1
            if turn[0] not in (EXIT_IO, EXIT_MMIO):
                raise live.Skip(f"KVM runs no guests here: exit {turn[0]} after {turns}")
            if turn == (EXIT_IO, ASKED):
                time.sleep(slowly)
                fcntl.ioctl(self.vcpu, INTERRUPT, struct.pack("<I", VECTOR))


@contextlib.contextmanager
def traced(*systems):
    """What the kernel traces of these events, or systems of events, meanwhile: time in s, name and what follows."""
    instance = f"{TRACEFS}/instances/proftop-live-{os.getpid()}"
    lines = []
    os.mkdir(instance)
    try:
        with open(f"{instance}/trace_clock", "w", encoding="ascii") as f:
            f.write("mono")
        for system in systems:
            with open(f"{instance}/events/{system}/enable", "w", encoding="ascii") as f:
                f.write("1")
        yield lines
        for system in systems:
            with open(f"{instance}/events/{system}/enable", "w", encoding="ascii") as f:
                f.write("0")
        with open(f"{instance}/trace", encoding="utf-8", errors="replace") as f:
            for when, name, text in re.findall(r" ([\d.]+): (\w+): (.*)$", f.read(), re.M):
                lines.append((float(when), name, text))
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


def begun_guest():
    """It has said that it begins; before that nothing is to be counted."""
    if not os.path.exists(EVENT):
        raise live.Skip("this kernel has no event kvm:kvm_exit, or tracefs is not mounted")
    guest = Guest()
    first = guest.step()
    if first != (EXIT_IO, BEGINS):
        raise live.Skip(f"KVM runs no guests here: exit {first}")
    return guest


def times_of(lines):
    """ns between the kernel's own events, as the view has them."""
    ends = {"kvm_exit": ("total_ns", "kvm_entry"), "kvm_entry": ("guest_ns", "kvm_exit"),
            "kvm_userspace_exit": ("user_ns", "kvm_fpu")}
    ns, since = collections.Counter(), {}
    for when, name, text in lines:
        for what, begun in list(since.items()):
            if name == ends[what][1] and (name != "kvm_fpu" or text == "load"):
                ns[ends[what][0]] += (when - begun) * 1e9
                del since[what]
        if name in ends and (name != "kvm_userspace_exit" or "kvm_exit" in since):
            since[name] = when
    return ns


def need_exits(lines):
    if not any(name == "kvm_exit" for _, name, _ in lines):
        raise live.Skip("KVM emulates such guests here: they are never left")


def added(reports, *labels):
    """{labels: Counter of counts and times} of this process."""
    sums = collections.defaultdict(collections.Counter)
    for r in (r for x in reports for r in x["rows"] if r["pid"] == os.getpid()):
        sums[tuple(r[label] for label in labels)].update(
            {k: r[k] for k in ("count", "total_ns", "kernel_ns", "user_ns", "guest_ns", "injections") if k in r})
    return sums


def exits(binary):
    """The last report of a guest that writes to a port so often: it leaves for that so often."""
    guest = begun_guest()
    with contextlib.ExitStack() as stack:
        watch = stack.enter_context(live.Watch("kvm", "--group", "reason+pid+access", binary=binary))
        watch.next()
        with traced("kvm/kvm_exit") as lines:
            turns = guest.run((EXIT_IO, NEXT))
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["pid"] == os.getpid()]
    assert turns == {(EXIT_IO, PORT): WRITES}, turns
    need_exits(lines)
    seen = sum(r["count"] for r in rows if r["reason"] in ("io", "IO_INSTRUCTION"))
    live.near(seen, WRITES, 0, "exits for a port")
    live.near(added(watch.reports, "access")[f"port {PORT:#x} out",]["count"], WRITES, 0, "of these for this port")
    for r in rows:
        times = [r[k] for k in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
        assert times == sorted(times) if r["count"] else times == [None] * 4, r
    return watch.reports[-1]


def test_exits():
    """A guest that writes to a port so often leaves for that so often"""
    live.need_root()
    exits(live.CHECKED)


TURNS = {  # by what user space was asked for, too
    (f"port {PORT:#x} out", "IO", "none"): WRITES,
    (f"mmio {MMIO_WRITTEN:#x} write", "MMIO", "none"): MMIO_WRITES,
    (f"mmio {MMIO_READ:#x} read", "MMIO", "none"): MMIO_READS,
    (f"msr {MSR_READ:#x} read", "none", "none"): MSR_READS,
    (f"msr {MSR_WRITTEN:#x} write", "none", "none"): MSR_WRITES,
    (f"msr {MSR_UNKNOWN:#x} read", "none", "#GP"): FAULTS,
    (f"hypercall {CALL:#x}", "none", "none"): CALLS,
    (f"port {ASKED:#x} in", "IO", f"irq {VECTOR:#x}"): INTERRUPTS,
}
SLOWLY_S = 0.004
KERNEL = "the kernel's trace"


def accesses(binary):
    """The last report of a guest that accesses ports, memory without memory, MSRs, calls KVM and is
    interrupted, each so often; and where its time goes."""
    guest = begun_guest()
    with traced("kvm/kvm_exit") as lines:
        guest.run((EXIT_IO, NEXT))
    need_exits(lines)
    with contextlib.ExitStack() as stack:
        watch = stack.enter_context(
            live.Watch("kvm", "--group", "pid+access+userspace+injected", binary=binary))
        watch.next()
        with traced("kvm") as lines:
            guest.run((EXIT_IO, TOUCHES), SLOWLY_S)
            guest.run((EXIT_IO, AGAIN))
            guest.run((EXIT_HLT, 0))
        watch.until(live.now_ns())
    sums = added(watch.reports, "access", "userspace", "injected")
    told = {k: sums[k]["count"] for k in TURNS}
    assert told == {**TURNS, (f"port {PORT:#x} out", "IO", "none"): 0}, (told, dict(sums))
    all_of = sum(sums.values(), collections.Counter())
    names = [name for _, name, _ in lines]
    live.near(all_of["injections"], sum(name.startswith("kvm_inj_") for name in names), 0, "injections", KERNEL)
    live.near(all_of["count"], names.count("kvm_exit") - 1, 0, "exits", KERNEL)  # the last one goes on
    assert all_of["kernel_ns"] + all_of["user_ns"] == all_of["total_ns"], all_of
    # It sleeps before it answers for one port.
    slow = sums[f"port {ASKED:#x} in", "IO", f"irq {VECTOR:#x}"]["user_ns"]
    assert slow >= INTERRUPTS * SLOWLY_S * 1e9, slow
    # Between both looks at the clock lies the other's program, which an emulated machine takes its time for.
    within = 0.05 * all_of["count"]
    for what, ns in times_of(lines).items():
        live.near(all_of[what] / 1e6, ns / 1e6, within + 0.1 * ns / 1e6, f"{what}, ms,", KERNEL)
    return watch.reports[-1]


def test_accesses():
    """Exits by port, address, MSR, hypercall and injection are those that were made; times add up"""
    live.need_root()
    accesses(live.CHECKED)


# Of events that tell a level: where it is in their lines. Roles begin with it: "l1".
LEVELS = {"kvm_mmu_set_spte": ("set", r"level (\d+)"), "kvm_tdp_mmu_spte_changed": ("TDP change", r"level (\d+)"),
          "kvm_mmu_spte_requested": ("fault", r"level (\d+)"),
          "kvm_mmu_get_page": ("create", r" l(\d+) .* new$"), "kvm_mmu_prepare_zap_page": ("zap", r" l(\d+) ")}
OTHERS = {"mark_mmio_spte": "MMIO mark", "check_mmio_spte": "MMIO check", "handle_mmio_page_fault": "MMIO fault",
          "fast_page_fault": "fast fault", "kvm_mmu_zap_all_fast": "zap all"}


def traced_changes(lines):
    """{(op, level): count}, as the kernel's own trace has it; level None: told of no matter which."""
    seen = collections.Counter()
    for _, name, text in lines:
        if name in LEVELS:
            op, level = LEVELS[name]
            found = re.search(level, text)
            if found:
                seen[op, int(found[1])] += 1
        elif name in OTHERS:
            seen[OTHERS[name], None] += 1
    return seen


def changes(binary):
    """The last report of what a guest's page tables see while it writes to so many pages for the first
    time, and to an address without memory."""
    guest = begun_guest()
    with traced("kvm/kvm_exit") as lines:
        guest.run((EXIT_IO, NEXT))
    need_exits(lines)
    with contextlib.ExitStack() as stack:
        watch = stack.enter_context(live.Watch("kvmmmu", "--group", "op+level+pid", binary=binary))
        watch.next()
        with traced("kvmmmu") as lines:
            guest.run((EXIT_IO, TOUCHES))
            watch.until(live.now_ns())
            before = added(watch.reports, "op", "level")["set", 1]["count"]
            guest.run((EXIT_IO, AGAIN))
            watch.until(live.now_ns())
            after = added(watch.reports, "op", "level")["set", 1]["count"]
            # What is known of its memory is thrown away when some is taken from it.
            guest.set_memory(1, DATA, 0, guest.data)
            guest.set_memory(1, DATA, PAGES * 4096, guest.data)
            guest.run((EXIT_HLT, 0))
        watch.until(live.now_ns())
    sums = {k: v["count"] for k, v in added(watch.reports, "op", "level").items()}
    theirs = traced_changes(lines)
    for (op, level), n in theirs.items():
        ours = sum(v for k, v in sums.items() if k[0] == op and level in (None, k[1]))
        live.near(ours, n, 0, f"{op} at level {level}", KERNEL)
    for op, level in sums:
        assert op not in {o for o, _ in LEVELS.values()} or theirs[op, level] == sums[op, level], (op, level, sums)
    live.near(after - before, PAGES, 0, "entries set for pages")
    # One after the other: all but the first of each, and the first of those that come then.
    live.near(sums["MMIO mark", 1], 2, 0, "addresses without memory")
    live.near(sums["MMIO fault", 1], 2 * MMIO_READS - 1, 0, "of these met again")
    return watch.reports[-1]


def test_changes():
    """Entries of page tables by level are those of the pages that a guest writes to first"""
    live.need_root()
    changes(live.CHECKED)


SPIN = b"\xeb\xfe"  # jmp to itself
WORK = loop(5000, b"")  # so that ticks meet it: the overview looks at guests that have time
LEAVE = WORK + out(PORT) + b"\xeb" + struct.pack("b", -(len(WORK) + 4))  # and jmp to the begin
SPIN_SECONDS = 3


def spin(program=SPIN):
    """A guest that never leaves by itself, or does little else (LEAVE), until this process is killed."""
    guest = Guest(program)
    print("ready", os.getpid(), flush=True)
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
            assert work.stdout.readline() == f"ready {work.pid}\n"
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
    if sys.argv[1:] == ["leave"]:
        spin(LEAVE)
    live.main(globals())
