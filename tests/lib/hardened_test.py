#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How the binary that is installed was built, as readelf has it."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import live  # noqa: E402


def tool_output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def readelf(*options):
    return tool_output("readelf", "-W", *options, live.RELEASE)


def test_position_independent():
    """It is position independent, without relocations in its code"""
    assert re.search(r"^\s+Type:\s+DYN\b", readelf("-h"), re.M)
    assert "PIE" in readelf("-d") and "TEXTREL" not in readelf("-d")


def test_read_only_after_start():
    """What is relocated is read-only once it runs, all of it bound at the start"""
    assert "GNU_RELRO" in readelf("-l")
    assert "BIND_NOW" in readelf("-d") or re.search(r"Flags:.*\bNOW\b", readelf("-d"))


def test_segments():
    """Nothing is both written and executed; the stack is not executed"""
    found = re.findall(r"^\s+(LOAD|GNU_STACK)\s+(?:0x\w+\s+){5}([RWE ]{3})\s", readelf("-l"), re.M)
    assert {kind for kind, _ in found} == {"LOAD", "GNU_STACK"}, found
    for kind, flags in found:
        assert not ("W" in flags and "E" in flags), (kind, flags)
        assert kind == "LOAD" or "E" not in flags, flags


def test_checks():
    """Stacks are protected, calls of the C library are checked where their sizes are known"""
    symbols = readelf("--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert len(re.findall(r"\b__\w+_chk\b", symbols)) > 3, symbols[:500]


def marked(notes):
    return re.search(r"feature: (IBT, SHSTK|BTI, PAC)\b", notes)


def unmarked(path):
    """Which objects of an archive, or whether the object, do not say where branches may go."""
    if not path.endswith(".a"):
        return [] if marked(tool_output("readelf", "-nW", path)) else [path]
    found = re.split(r"^File: ", tool_output("readelf", "-nW", path), flags=re.M)[1:]
    names = {x.partition("\n")[0]: marked(x) for x in found}
    assert len(names) == len(set(tool_output("ar", "t", path).split())), path
    return [name for name, mark in names.items() if not mark]


def test_branches():
    """Where calls and jumps may lead is marked: in the program when it is in all of its parts"""
    if os.uname().machine not in ("x86_64", "aarch64"):
        raise live.Skip("no such marks here")
    lacking = unmarked(os.path.join(live.BUILD, "rel/libproftop.a"))
    assert not lacking, lacking
    rest = [tool_output("gcc", f"-print-file-name={x}").strip()
            for x in ("Scrt1.o", "crti.o", "crtbeginS.o", "libiberty.a")]
    rest += glob.glob(os.path.join(live.BUILD, "libperf/*.a"))
    if not [x for path in rest for x in unmarked(path)]:
        assert marked(readelf("-n")), readelf("-n")


def test_no_search_paths():
    """Libraries are looked for where the system has them"""
    assert not re.search(r"\((RPATH|RUNPATH)\)", readelf("-d"))


if __name__ == "__main__":
    live.main(globals())
