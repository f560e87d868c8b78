#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who may include whom. One case a layer; `check.py ROOT` looks at another tree.

Project headers are included by their path from the root ("base/base.h"). The rules are
docs/ARCHITECTURE.md's; a layer may always include its own headers. And who may begin another
program: nothing of a name, a file or an environment ever gets to a shell.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
CURSES = re.compile(r"^(n?curses\w*|ncursesw?/.*|term|termcap|panel)\.h$|^ncursesw?/")
THREADS = re.compile(r"^(pthread|threads)\.h$")
STARTS = re.compile(r"(?<![\w.>])(system|popen|wordexp|v?fork|posix_spawnp?|f?exec(?:[lv]\w*)?)"
                    r"\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STARTER = "base/child.c"
LIBBPF = re.compile(r"^bpf/")
LIBPERF = re.compile(r"^perf/")

# What the widgets know of base: plain types, nothing that runs.
BASE_TYPES = r"base/(base|table|arena|status|utf8)\.h$"
THREADED = ("base", "symbols", "export", "pipeline")

# layer: what it may include of the project, besides itself and the registration tables. Lower
# layers stand before those that include them.
ALLOWED = {
    "bpf": r"$^",
    "base": r"$^",
    "widgets": BASE_TYPES,
    "scope": r"base/",
    "samples": r"base/",
    "symbols": r"(base|samples)/|bpf/unwind\.h$",
    "export": r"(base|scope|samples)/",
    "models": r"(base|scope|samples|symbols|export)/|bpf/[^/]+(?<!\.skel)\.h$",
    "sources": r"(base|scope|samples|bpf)/",
    "pipeline": r"(base|scope|samples)/|(sources/source|models/model|symbols/symbols)\.h$",
    "recording": r"(base|samples|symbols|export)/|models/(model|stacks|who)\.(h|def)$|"
                 r"sources/source\.h$|bpf/[^/]+(?<!\.skel)\.h$",
    "tui/views": r"(base|scope|samples|export|models|widgets|symbols|tui)/",
    "tui": r"(base|scope|samples|export|models|widgets|symbols|sources|pipeline|recording)/",
}
TABLES = r"(sources/sources|models/models|tui/views)\.def$"


def layer_of(path):
    return "tui/views" if path.startswith("tui/views/") else path.split("/")[0]


def wrong(layer, path, quote, name):
    """Why this include may not be, or None."""
    if CURSES.search(name) and path != "tui/term_curses.c":
        return "curses belongs to tui/term_curses.c alone"
    if THREADS.match(name) and layer not in THREADED:
        return f"threads belong to {', '.join(THREADED[:-1])} and {THREADED[-1]}"
    if quote == "<":
        if LIBBPF.match(name) and layer not in ("bpf", "sources"):
            return "libbpf belongs to sources"
        if LIBPERF.match(name) and layer != "sources":
            return "libperf belongs to sources"
        return None
    if "/" not in name or name.startswith("."):
        return "write it from the project's root"
    if layer_of(name) == layer or re.match(TABLES, name):
        return None
    return None if re.match(ALLOWED[layer], name) else f"{layer} may not know {layer_of(name)}"


def files(root, layer):
    folder = os.path.join(root, layer)
    if not os.path.isdir(folder):
        return
    for name in sorted(os.listdir(folder)):
        if re.search(r"\.(c|h|def)$", name):
            yield f"{layer}/{name}"


def started(path, text):
    """Lines and names of calls that begin a program."""
    if path == STARTER:
        return
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for match in STARTS.finditer(code):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def check_layer(root, layer):
    faults, seen = [], 0
    for path in files(root, layer):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
            text = f.read()
        seen += 1
        for match in INCLUDE.finditer(text):
            why = wrong(layer, path, match[1], match[2])
            if why:
                line = text.count("\n", 0, match.start()) + 1
                faults.append(f"{path}:{line}: {match[2]}: {why}")
        faults += [f"{path}:{line}: {name}(): programs are begun by {STARTER} alone"
                   for line, name in started(path, text)]
    return faults, seen


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    bad = False
    print(f"1..{len(ALLOWED)}")
    for n, layer in enumerate(ALLOWED, 1):
        faults, seen = check_layer(root, layer)
        if not seen:
            faults = [f"no file in {layer}/"]
        print(f"{'not ok' if faults else 'ok'} {n} - {layer} keeps to its layer")
        for fault in faults:
            print(f"# {fault}")
        bad = bad or bool(faults)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
