#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who may include whom. Two cases a layer; `check.py ROOT` looks at another tree.

Project headers are included by their path from the root ("base/base.h"). The rules are
docs/ARCHITECTURE.md's; a layer may always include its own headers, but no two of its modules
each other. A module is NAME.c with NAME.h and its internal headers, which it includes itself:
NAME_impl.h and NAME_model.h, and any NAME_x.h that nothing but NAME and NAME_*.c includes. And who
may begin another program: nothing of a name, a file or an environment ever gets to a shell.
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
PROGRAM_CODE = ("base/bpf_types.c", "symbols/bpf_code.c")  # what the kernel tells of programs
LIBPERF = re.compile(r"^perf/")
SERVER = re.compile(r"^(?:microhttpd|gnutls/gnutls)\.h$")

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
    "samples": r"base/|bpf/(measure|procs)\.h$",
    "questions": r"(base|samples)/|bpf/question_eval\.h$",
    "measures": r"(base|samples)/|bpf/[^/]+(?<!\.skel)\.(h|def)$",
    "symbols": r"(base|samples)/|bpf/(unwind|script|hotspot|v8|runtime)\.h$|questions/(fields|registers)\.h$",
    "export": r"(base|scope|samples)/",
    "serve": r"(base|samples|export)/",
    "models": r"(base|scope|samples|symbols|export)/|bpf/[^/]+(?<!\.skel)\.h$",
    "sources": r"(base|scope|samples|questions|bpf)/|symbols/(arguments|functions|openfile)\.h$",
    "pipeline": r"(base|scope|samples)/|(sources/source|models/model|symbols/symbols)\.h$",
    "recording": r"(base|samples|symbols|export)/|models/(model|stacks|task_text)\.(h|def)$|"
                 r"sources/source\.h$|bpf/[^/]+(?<!\.skel)\.h$",
    "tui": r"(base|scope|samples|questions|export|serve|models|widgets|symbols|sources|pipeline|recording)/",
    "tui/views": r"(base|scope|samples|export|models|widgets|symbols|tui)/",
}
TABLES = r"(sources/sources|models/models|tui/views|measures/measures)\.def$"
LAYERS = list(ALLOWED)
# Parts of what another module's header has inside, which that header says.
PARTS = {"tui/time_travel": "tui/app", "tui/guide": "tui/app", "tui/tour": "tui/app"}


def layer_of(path):
    return "tui/views" if path.startswith("tui/views/") else path.split("/")[0]


def wrong(layer, path, quote, name):
    """Why this include may not be, or None."""
    if CURSES.search(name) and path != "tui/term_curses.c":
        return "curses belongs to tui/term_curses.c alone"
    if THREADS.match(name) and layer not in THREADED:
        return f"threads belong to {', '.join(THREADED[:-1])} and {THREADED[-1]}"
    if SERVER.match(name) and path != "serve/http.c":
        return "the HTTP server belongs to serve/http.c alone"
    if quote == "<":
        if LIBBPF.match(name) and layer not in ("bpf", "sources") and path not in PROGRAM_CODE:
            return f"libbpf belongs to sources, {' and '.join(PROGRAM_CODE)}"
        if LIBPERF.match(name) and layer != "sources":
            return "libperf belongs to sources"
        return None
    if "/" not in name or name.startswith("."):
        return "write it from the project's root"
    if layer_of(name) == layer or re.match(TABLES, name):
        return None
    other = layer_of(name)
    if other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
        return f"{other} stands above {layer}"
    return None if re.match(ALLOWED[layer], name) else f"{layer} may not know {other}"


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


def included_by_stem(root, layer):
    """{file's path without suffix: the layer's headers that it includes, likewise}."""
    found = {}
    for path in files(root, layer):
        if path.endswith(".def"):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
            names = {name[:-2] for _, name in INCLUDE.findall(f.read()) if name.endswith(".h")}
        found.setdefault(path[:-2], set()).update(names)
    return {stem: {n for n in names if n in found} for stem, names in found.items()}


def module_of(stem, stems):
    """The module that a file belongs to."""
    if stem in PARTS:
        return PARTS[stem]
    users = {user for user, names in stems.items() if stem in names and user != stem}
    for owner in sorted(stems, key=len):
        if owner in users and (stem in (owner + "_impl", owner + "_model") or
                               all((u + "_").startswith(owner + "_") for u in users | {stem})):
            return owner
    return stem


def circle(graph):
    """The shortest way from a module back to it, or None."""
    best = None
    for start in sorted(graph):
        ways, seen = [[start]], set()
        while ways:
            way = ways.pop(0)
            for to in sorted(graph[way[-1]]):
                if to == start and (not best or len(way) + 1 < len(best)):
                    best = way + [to]
                if to not in seen:
                    seen.add(to)
                    ways.append(way + [to])
    return best


def check_circles(root, layer):
    stems = included_by_stem(root, layer)
    modules = {stem: module_of(stem, stems) for stem in stems}
    graph = {module: set() for module in modules.values()}
    for stem, names in stems.items():
        graph[modules[stem]] |= {modules[n] for n in names} - {modules[stem]}
    found = circle(graph)
    return [" -> ".join(found)] if found else []


def report(n, name, faults):
    print(f"{'not ok' if faults else 'ok'} {n} - {name}")
    for fault in faults:
        print(f"# {fault}")


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    bad = False
    print(f"1..{2 * len(LAYERS)}")
    for n, layer in enumerate(LAYERS):
        faults, seen = check_layer(root, layer)
        if not seen:
            faults = [f"no file in {layer}/"]
        report(2 * n + 1, f"{layer} keeps to its layer", faults)
        circles = check_circles(root, layer)
        report(2 * n + 2, f"{layer} has no circle of includes", circles)
        bad = bad or bool(faults or circles)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
