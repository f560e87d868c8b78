#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Arguments and results of functions by their names and types, of programs that know what they pass:
built by several compilers, with and without optimisation."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import Watch, same  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads/arguments")
N = 12
FOLDER = None


def build(language, name, *command):
    """The program, built once."""
    path = os.path.join(FOLDER, f"args_{name}")
    if not os.path.exists(path):
        if not shutil.which(command[0]):
            raise live.Skip(f"{command[0]} is not installed")
        source = os.path.join(SOURCES, f"arguments.{language}")
        subprocess.run([*command, "-o", path, source], check=True, cwd=FOLDER,
                       env={**os.environ, "GOCACHE": os.path.join(FOLDER, "go"), "GOFLAGS": "-mod=mod"})
    return path


def builds_of_c():
    for compiler in ("gcc", "clang"):
        for level in ("0", "2"):
            yield f"{compiler} -O{level}", build("c", compiler + level, compiler, "-g", f"-O{level}")
    for version in ("2", "4"):
        yield (f"DWARF {version}",
               build("c", f"dwarf{version}", "gcc", f"-gdwarf-{version}", "-gstrict-dwarf", "-O3"))


def builds_of_cc():
    for compiler in ("g++", "clang++"):
        for level in ("0", "2"):
            yield (f"{compiler} -O{level}",
                   build("cc", compiler + level, compiler, "-g", f"-O{level}", "-std=c++17"))


def asked(path, *questions, n=N, view="events"):
    """The rows of questions about the program, what it says at its end, and its status."""
    live.need_root()
    process = live.Workload("", n, path=path, stdin=subprocess.PIPE)
    with process as work, Watch(*(f"! {q}" for q in questions), view=view,
                                options=("-p", work.pid)) as watch:
        watch.next()
        said, _ = work.process.communicate("\n", timeout=60)
        watch.until(live.now_ns())
    for r in watch.reports:
        assert r["health"]["lost"] == 0, r["health"]
    return [[r for r in watch.rows() if r["ask"] == q] for q in questions], said


def lines(what, path, truths):
    """Each call's values, in order: truths is {event: {expression: of the call i}}."""
    questions = [f"list {event} show {', '.join(truth)}" for event, truth in truths.items()]
    all_rows, said = asked(path, *questions)
    for rows, (event, truth) in zip(all_rows, truths.items()):
        event = event.split(":")[-1]
        same(f"{what}: calls of {event}", N, len(rows))
        for expression, of in truth.items():
            same(f"{what}: {event}({expression})", [of(i) for i in range(N)],
                 [r[expression] for r in rows])
    return said


def refused(path, question):
    run = live.proftop("--batch", "-n", 1, "--ask", question)
    assert run.status == 2, run
    return run.err


def color(i):
    return ("RED", "GREEN", "BLUE")[i % 3]


def s8(v):
    return (v + 128) % 256 - 128


TRUTH_OF_C = {
    # Numbers of every width and sign, in registers and on the stack
    "uprobe:{}:widths": {
        "s8": lambda i: s8(-i), "u8": lambda i: 200 + i % 50, "s16": lambda i: -1000 - i,
        "u16": lambda i: 60000 + i, "s32": lambda i: -i, "u32": lambda i: 4000000000 + i,
        "s64": lambda i: -(1 << 40) - i, "u64": lambda i: (1 << 63) + i, "yes": lambda i: i % 2,
        "late8": lambda i: -100 + i % 100, "late16": lambda i: 50000 + i},
    # Behind pointers: bit fields, unions, arrays, enums by name, strings
    "uprobe:{}:members": {
        "req->len": lambda i: i % 10, "req->name": lambda i: ("even", "odd")[i % 2],
        "req->in.tag": lambda i: "tagged", "req->in.at": lambda i: -i,
        "req->in.three": lambda i: i & 7, "req->in.seven": lambda i: i & 127,
        "req->in.five": lambda i: i % 32 - 16, "req->next->len": lambda i: 77,
        "req->next->name": lambda i: "second", "req->color": color,
        "req->whole": lambda i: 256 + i, "req->byte": lambda i: i,
        "text": lambda i: ("even", "odd")[i % 2]},
    # Structs that are passed by value, beside numbers that stand in other registers
    "uprobe:{}:values": {
        "pair.a": lambda i: i, "pair.b": lambda i: -i, "pair.c": lambda i: 100 * i,
        "mixed.n": lambda i: -i, "color": color, "large.v3": lambda i: i,
        "after": lambda i: 7 * i},
    # Results in two registers, in memory, and an enum
    "uretprobe:{}:gives_pair": {
        "ret.a": lambda i: i, "ret.b": lambda i: -i, "ret.c": lambda i: 3 * i},
    "uretprobe:{}:gives_large": {
        "ret.v1": lambda i: i, "ret.v2": lambda i: i + 1, "ret.v3": lambda i: i + 2},
    "uretprobe:{}:gives_color": {"ret": lambda i: ("BLUE", "GREEN")[i % 2]},
}


def test_c():
    """Numbers of every width, members behind pointers, structs by value, results"""
    for what, path in builds_of_c():
        lines(what, path, {event.format(path): truth for event, truth in TRUTH_OF_C.items()})


def test_counts():
    """Grouped by members and enums, compared with an enum's name, as distribution"""
    path = dict(builds_of_c())["gcc -O2"]
    f = f"uprobe:{path}:members"
    by, named, values, kept = (
        f"count {f} by req->len, req->color", f"count {f} if req->color == GREEN by req->name",
        f"count {f} by text hist req->in.seven",
        f"span {f} -> uretprobe:{path}:members if entry(req->color) != RED by entry(req->name), ret")
    n = 600
    (rows, greens, hists), _ = asked(path, by, named, values, n=n)
    same("by two members", dict(collections.Counter((i % 10, color(i)) for i in range(n))),
         {(r["req->len"], r["req->color"]): r["count"] for r in rows})
    same("of one color", dict(collections.Counter(("even", "odd")[i % 2] for i in range(n)
                                                  if color(i) == "GREEN")),
         {r["req->name"]: r["count"] for r in greens})
    for r in hists:
        i = ("even", "odd").index(r["text"])
        numbers = [k & 127 for k in range(i, n, 2)]
        same(f"distribution of {r['text']}", (len(numbers), sum(numbers), min(numbers), max(numbers)),
             (r["count"], r["sum"], r["min"], r["max"]))
    (spans,), _ = asked(path, kept, n=n, view="pairs")
    same("of arguments kept until the return",
         dict(collections.Counter((("even", "odd")[i % 2], i % 10 + ord("eo"[i % 2]))
                                  for i in range(n) if color(i) != "RED")),
         {(r["entry(req->name)"], r["ret"]): r["count"] for r in spans})


def test_no_place():
    """What has no place at the function's begin is refused in words"""
    builds = dict(builds_of_c())
    assert "floating-point" in refused(builds["gcc -O2"], f"count uprobe:{builds['gcc -O2']}:values by before")
    assert "no register that a probe can read" in refused(
        builds["gcc -O0"], f"count uprobe:{builds['gcc -O0']}:values by mixed.d + 1") or "with a point" in refused(
        builds["gcc -O0"], f"count uprobe:{builds['gcc -O0']}:values by mixed.d")
    assert "there are len, name, in" in refused(
        builds["gcc -O0"], f"count uprobe:{builds['gcc -O0']}:members by req->nothing")
    assert "has s8, u8" in refused(builds["gcc -O0"], f"count uprobe:{builds['gcc -O0']}:widths by nothing")
    assert "no such function" in refused(builds["gcc -O0"], f"count uprobe:{builds['gcc -O0']}:nothing")
    assert "the compiler left it no place" in refused(
        builds["clang -O2"], f"count uprobe:{builds['clang -O2']}:kept by unused")
    bare = os.path.join(FOLDER, "args_bare")
    subprocess.run(["gcc", "-O2", "-o", bare, os.path.join(SOURCES, "arguments.c")], check=True)
    assert "no debug information" in refused(bare, f"count uprobe:{bare}:members by req->len")


def test_separate():
    """Debug information in a file of its own, found by the program's build-id"""
    path = dict(builds_of_c())["gcc -O2"]
    split = os.path.join(FOLDER, "args_split")
    subprocess.run(["objcopy", "--only-keep-debug", path, split + ".debug"], check=True)
    subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={split}.debug", path, split],
                   check=True)
    lines("separate", split, {f"uprobe:{split}:members": {"req->len": lambda i: i % 10}})


def test_globs():
    """A glob stands for functions, each told apart; a process for its program"""
    path = dict(builds_of_c())["gcc -O2"]
    (rows,), _ = asked(path, f"count uprobe:{path}:gives_*")
    same("by function", {f"gives_{k}": N for k in ("pair", "large", "color")},
         {r["event"].split(":")[-1]: r["count"] for r in rows})
    with live.Workload("", 1, path=path, stdin=subprocess.PIPE) as work:
        lines_of = f"uprobe:pid:{work.pid}:members"
        with Watch(f"! count {lines_of} by req->name") as watch:
            watch.next()
            work.process.communicate("\n", timeout=60)
            watch.until(live.now_ns())
    same("of a process", [("even", 1)], [(r["req->name"], r["count"]) for r in watch.rows()])


def test_cxx():
    """C++: functions by their names as written, std::string, references, base classes, enum classes;
    an exception passes through a function whose results are watched"""
    text = "a name that is longer than what fits an object {}".format
    for what, path in builds_of_cc():
        said = lines(what, path, {
            f"uprobe:{path}:shop::Store::place": {
                "this->total": lambda i: i, "order->id": lambda i: i,
                "order->customer": lambda i: ("somebody with a longer name", "Anna")[i % 2],
                "order->state": lambda i: ("Open", "Paid")[i % 2], "order->note": lambda i: "noted",
                "copied": lambda i: f"copied {i}", "view": lambda i: "view",
                "state": lambda i: ("Open", "Paid")[i % 2]},
            f"uprobe:{path}:shop::Store::refer": {"number": lambda i: i, "text": text},
            f"uretprobe:{path}:shop::Store::name*": {"ret": text}})
        same(f"{what}: caught", f'"caught": {N // 2}' in said, True)
    (rows,), said = asked(path, f"count uretprobe:{path}:shop::Store::throws by ret")
    same("caught", f'"caught": {N // 2}' in said, True)
    same("returned", {i: 1 for i in range(0, N, 2)}, {r["ret"]: r["count"] for r in rows})


def test_rust():
    """Rust: &str and String, which have no NUL, enums, pairs of numbers"""
    for level in "02":
        path = build("rs", f"rust{level}", "rustc", "-g", "-C", f"opt-level={level}", "--crate-name",
                     "arguments", "-C", "strip=none")
        lines(f"rustc -O{level}", path, {
            f"uprobe:{path}:serve": {
                "r->id": lambda i: i, "r->name": lambda i: f"name {i}",
                "r->kind": lambda i: ("Small", "Large")[i % 2], "r->tag": lambda i: "tag",
                "text": lambda i: "text", "owned": lambda i: f"owned {i}", "two.a": lambda i: i,
                "two.b": lambda i: 2 * i, "n": lambda i: -i,
                "kind": lambda i: ("Small", "Large")[i % 2]},
            f"uretprobe:{path}:twice": {"ret.__0": lambda i: i, "ret.__1": lambda i: 2 * i}})


def test_go():
    """Go: its own registers, strings, slices; results without a probe on the return"""
    for what, flags in (("go", ()), ("go -N -l", ("-gcflags", "-N -l"))):
        path = build("go", what.replace(" ", ""), "go", "build", *flags)
        lines(what, path, {
            f"uprobe:{path}:main.serve": {
                "r->ID": lambda i: i, "r->Name": lambda i: f"name{i}", "r->next->Name": lambda i: "next",
                "text": lambda i: "text", "n": lambda i: -i, "flag": lambda i: int(i % 2 == 0),
                "list.len": lambda i: 3, "small": lambda i: -i},
            f"uretprobe:{path}:main.serve": {
                "ret": lambda i: i if i % 2 else len(f"name{i}") + 4 - i + 3 - i}})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="proftop-args-", dir=live.FOLDER) as FOLDER:
        live.main(dict(globals()))
