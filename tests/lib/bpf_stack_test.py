#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The stack that BPF programs need, as verifiers up to Linux 6.8 count it: each function's rounded up
to 32 bytes, 512 in all for a program and whatever it calls, 8 functions deep. Later ones allow more:
the kernel of the machine that one works on need not say so.
"""
import glob
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import live  # noqa: E402

LIMIT, ROUND, FRAMES = 512, 32, 8
FRAME_POINTER, OF_THIS_OBJECT = 10, 1  # registers; the second stands for a kind of call
CALL, ADDRESS, MOVE, ADD = 0x85, 0x18, 0xbf, 0x07
LDX, ST, STX, ALU64 = 1, 2, 3, 7  # classes
INSN = struct.Struct("<BBhi")
SYMBOLS, RELOCATIONS, FUNCTION = 2, 9, 2


class Object:
    """What an object's functions call; a function is named by (section, its first instruction)."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        at, count = (struct.unpack_from(form, self.data, place)[0]
                     for form, place in (("<Q", 40), ("<H", 60)))
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + 64 * i)
                         for i in range(count)]
        self.symbols, self.functions, self.relocated, self.known = [], {}, {}, {}
        for kind, read in ((SYMBOLS, self.read_symbols), (RELOCATIONS, self.read_relocations)):
            for section in self.sections:
                if section[1] == kind:
                    read(section)

    def read_symbols(self, table):
        names = self.sections[table[6]][4]
        for at in range(table[4], table[4] + table[5], 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            self.symbols.append((section, value // 8))
            if info & 15 == FUNCTION:
                text = self.data[names + name:].split(b"\0", 1)[0].decode()
                self.functions[section, value // 8] = text, size // 8

    def read_relocations(self, table):
        for at in range(table[4], table[4] + table[5], 16):
            place, info = struct.unpack_from("<QQ", self.data, at)
            self.relocated[table[7], place // 8] = self.symbols[info >> 32]

    def insns(self, function):
        section, begin = function
        for i in range(begin, begin + self.functions[function][1]):
            yield i, INSN.unpack_from(self.data, self.sections[section][4] + 8 * i)

    def stack(self, function):
        """How far below its frame pointer it reaches, itself or by an address that it takes."""
        lowest, copies = 0, set()
        for _, (code, registers, offset, number) in self.insns(function):
            to, source = registers & 15, registers >> 4
            kind = code & 7
            if (kind == LDX and source == FRAME_POINTER) or \
                    (kind in (ST, STX) and to == FRAME_POINTER):
                lowest = min(lowest, offset)
            elif code == ADD and to in copies:
                lowest = min(lowest, number)
            if code == MOVE and source == FRAME_POINTER:
                copies.add(to)
            elif kind in (0, LDX, ALU64):
                copies.discard(to)
        return -lowest

    def called(self, function):
        """Also by helpers, as bpf_loop() does with a function whose address it is given."""
        found = set()
        for i, (code, registers, _, number) in self.insns(function):
            section, base = self.relocated.get((function[0], i), (function[0], i))
            if code == CALL and registers >> 4 == OF_THIS_OBJECT:
                found.add((section, base + number + 1))
            elif code == ADDRESS:
                found.add((section, base + number // 8))
        return found & self.functions.keys()  # the kernel's own are not there, nor is data

    def deepest(self, function):
        """Of the calls that need most: bytes, and the functions with what each needs itself."""
        if function not in self.known:
            below = max((self.deepest(f) for f in self.called(function)), default=(0, []))
            own = self.stack(function)
            self.known[function] = (below[0] + max(ROUND, -(-own // ROUND) * ROUND),
                                    [f"{self.functions[function][0]} {own}", *below[1]])
        return self.known[function]

    def depth(self, function):
        return 1 + max((self.depth(f) for f in self.called(function)), default=0)


SAMPLE = """
int (*const helper)(void *, int, const void *) = (void *)4;
static __attribute__((noinline)) int inner(int n)
{ volatile char a[200]; a[n & 127] = 1; return a[3]; }
__attribute__((noinline)) int small(int n) { return n * 3; }
__attribute__((noinline)) int outer(int n)
{ volatile char a[264]; a[n & 127] = 1; return a[5] + inner(n) + small(n); }
__attribute__((section("tp/x"))) int program(int *p)
{ char a[40]; helper(a, 40, p); return outer(a[0]) + small(a[1]); }
int (*const loop)(int, void *, void *, long) = (void *)181;
static int turn(unsigned int n, void *p) { return outer(n); }
__attribute__((section("tp/y"))) int looping(int *p) { return loop(9, turn, p, 0); }
"""


def test_known():
    """Of functions with arrays of known sizes the calls that need most are found"""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/sample.o"
        subprocess.run(["clang", "-target", "bpf", "-O2", "-x", "c", "-c", "-", "-o", path],
                       input=SAMPLE, text=True, check=True)
        o = Object(path)
    found = {name: f for f, (name, _) in o.functions.items()}
    bytes_, chain = o.deepest(found["program"])
    assert [c.split()[0] for c in chain] == ["program", "outer", "inner"], chain
    own = [int(c.split()[1]) for c in chain]
    for got, wanted in zip(own, (40, 264, 200)):
        assert wanted <= got < wanted + 24, chain
    assert bytes_ == sum(-(-n // 32) * 32 for n in own), (bytes_, chain)
    assert o.depth(found["program"]) == 3
    chain = [c.split()[0] for c in o.deepest(found["looping"])[1]]
    assert chain == ["looping", "turn", "outer", "inner"], chain


def test_limit():
    """No program and what it calls need more stack, or are deeper, than older kernels allow"""
    paths = glob.glob(os.path.join(live.BUILD, "bpf/*.bpf.o"))
    assert len(paths) > 10, paths
    wrong = set()
    for path in paths:
        o = Object(path)
        for function in o.functions:
            needs, chain = o.deepest(function)
            if needs > LIMIT or o.depth(function) > FRAMES:
                wrong.add(f"{os.path.basename(path)}: {needs} bytes in {' > '.join(chain)}")
    assert not wrong, "\n".join(sorted(wrong)[:10])


if __name__ == "__main__":
    live.main(globals())
