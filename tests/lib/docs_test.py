#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The man page, the completion, the help and the keymap say the same."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import live  # noqa: E402


def read(path):
    with open(os.path.join(live.ROOT, path), encoding="utf-8") as f:
        return f.read()


def man():
    return re.sub(r"\\f.|\\-", lambda m: "-" if m[0] == "\\-" else "", read("docs/proftop.1"))


def help_options():
    """Options as --help lists them: at the beginning of a line or after a comma."""
    found = set()
    for line in live.proftop("--help").out.splitlines():
        start = re.match(r"\s+((?:(?:-\w|--[a-z-]+)(?: \[?[A-Z][A-Za-z]*\]?)?,?\s*)+)", line)
        if start:
            found.update(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)", start[1]))
    return found


def test_options():
    """Every option of --help is in the man page and the completion, and no other"""
    listed = help_options()
    assert {"--pid", "-p", "--batch", "--doctor", "--call-graph", "-h"} <= listed, listed
    page, shell = man(), read("docs/proftop.bash")
    # The usage's last lines list what needs no words.
    documented = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)(?![\w-])",
                                page[page.index(".SH OPTIONS"):page.index(".SH A COMMAND")]))
    assert listed <= documented, f"not in the man page: {listed - documented}"
    assert documented <= listed, f"only in the man page: {documented - listed}"
    words = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)(?![\w-])",
                           shell[shell.rindex("_proftop_words"):]))
    words -= {"-F"} - listed
    assert listed - words == set(), f"not in the completion: {listed - words}"


def test_man_page():
    """The man page is without a formatter's warning"""
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z",
                           os.path.join(live.ROOT, "docs/proftop.1")], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, env={**os.environ, "LC_ALL":
                                                                    "C.UTF-8"})
    # Where its pages end means nothing on a screen, which has one long one.
    said = [line for line in done.stderr.splitlines() if not line.endswith(b"will not fit on one page")]
    assert done.returncode == 0 and not said, said


def test_themes():
    """Every role of the first theme is in the man page, and no theme has another"""
    page = man()
    section = page[page.index(".SH THEMES"):page.index(".SH JSON")]
    named = set(re.findall(r"[a-z]+(?:-[a-z]+)?[0-9]?", section))
    shades = {kind + str(n) for kind in named for n in range(1, 4)}
    roles = re.findall(r"^([a-z][\w-]*) +\S", read("themes/default.theme"), re.M)
    assert len(roles) > 40, roles
    assert not set(roles) - named - shades, set(roles) - named - shades
    for name in re.findall(r"[a-z]+(?=[,;])", help_line("theme")):
        assert name in section and os.path.exists(f"{live.ROOT}/themes/{name}.theme"), name
    for name in re.findall(r"[a-z]+(?=[,;])", help_line("keymap")):
        assert f"B {name}" in page or f" {name} " in page, name
        assert os.path.exists(f"{live.ROOT}/keymaps/{name}.keys"), name


def test_words():
    """Every command of the palette and every key of the configuration is in the man page"""
    page = man()
    words = page[page.index(".SH WORDS"):page.index(".SH CONFIGURATION")]
    listed = re.findall(r"^([a-z-]+) +\S", live.proftop("--list-words").out, re.M)
    commands = [x for x in listed if x not in re.findall(r'"([a-z0-9-]+)", "', read("tui/actions.def"))
                and not x.startswith("view-")]
    assert len(commands) > 10, listed
    assert not [x for x in commands if not re.search(rf"\b{x}\b", words)], commands
    config = page[page.index(".SH CONFIGURATION"):page.index(".SH KEYMAPS")]
    for key, option in re.findall(r'^SETTING\(\w+, "([^"]+)", "([^"]+)"', read("tui/settings.def"), re.M):
        assert re.search(rf"\b{key}\b", config) and re.search(rf"--{option}\b", page), key


def test_rules():
    """Each rule of the overview stands in the man page with its thresholds, and no other"""
    rows = re.findall(r'^RULE\(\w+, "([^"]+)", "([^"]+)", ([^,]+), ([^,]+), ([^,]+),',
                      read("models/overview_rules.def"), re.M)
    want = [(name, *("-" if x == "NEVER" else x for x in levels), unit)
            for name, unit, *levels in rows]
    page = man()
    table = page[page.index(".SS Findings"):page.index(".SH FLAME GRAPHS")]
    found = re.findall(r"^(\S+)\t(\S+)\t(\S+)\t(\S+)\tT\{\n(.*)\nT\}$", table, re.M)
    assert len(rows) > 30 and found == want, set(found) ^ set(want)
    assert f"by {len(rows)} rules" in read("README.md"), len(rows)


def test_capabilities():
    """Whoever names the capabilities for users names the same, which the live tests try"""
    files = ("README.md", "docs/proftop.1", "docs/SECURITY.md", "sources/doctor_machine.c",
             "tests/live/caps_live.py")
    named = {}
    for path in files:
        text = re.sub(r'"\s*\\?\n\s*"|\\e\n', "", read(path))
        for found in re.findall(r"\bcap_[a-z_,]+\+ep\b", text) or [f"none in {path}"]:
            named.setdefault(found, []).append(path)
    assert len(named) == 1, named


def help_line(option):
    return re.search(rf"--{option} .*", live.proftop("--help").out)[0].split("FILE")[1]


def test_keys():
    """Every key the man page names is bound by default"""
    bound = set(re.findall(r"^(\S+)\s+[a-z0-9-]+$", read("keymaps/default.keys"), re.M))
    page = read("docs/proftop.1")
    table = re.search(r"\.TS\n.*?\n(.*?)\.TE", page[page.index(".SH KEYS"):], re.S)[1]
    named = re.findall(r"\\fB(.*?)\\fR", "\n".join(x.split("\t")[0] for x in table.splitlines()))
    assert len(named) > 20, named
    missing = [k for k in named if k.replace("\\", "") not in bound]
    assert not missing, missing


def bound_keys():
    """Keys of the default keymap by action, as the guide writes them."""
    keys = {}
    for *key, action in re.findall(r"^(\S+)(?: (\S+))? ([a-z0-9-]+)$", read("keymaps/default.keys"), re.M):
        keys.setdefault(action, set()).add(" ".join(x for x in key if x))
    for key, name in views():
        keys.setdefault(f"view-{name}", set()).update([key, f"v {key}"])
    return keys


def views():
    rows = re.findall(r"^VIEW\(('?\w'?), \w+, (\w+)\)", read("tui/views.def"), re.M)
    rows += [(key, name) for name, key in
             re.findall(r"^MEASURE\(\w+, (\w+), ('?\w'?),", read("measures/measures.def"), re.M)]
    return [(key.strip("'"), name) for key, name in rows]


def test_guide():
    """The guide and the tour name keys that do what they say, and each view has a page"""
    keys = bound_keys()
    for path in ("docs/GUIDE.md", "tui/tour.def"):
        named = re.findall(r"`([^`\n]+)` \(([a-z0-9-]+)\)", re.sub(r'"\n\s*"', "", read(path)))
        assert len(named) > 10, (path, named)
        wrong = [x for x in named if x[0] not in keys.get(x[1], ())]
        assert not wrong, (path, wrong)
    about = {x for line in re.findall(r"^<!-- views: (.*) -->$", read("docs/GUIDE.md"), re.M)
             for x in line.split()}
    assert about == {name for _, name in views()}, about ^ {name for _, name in views()}


def complete(*words):
    script = 'source "$1"; shift; COMP_WORDS=(proftop "$@"); COMP_CWORD=$#; _proftop; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    # Files complete too: where there are none.
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(["bash", "--norc", "-c", script, "bash",
                               os.path.join(live.ROOT, "docs/proftop.bash"), *words], cwd=empty,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False,
                              env={**os.environ, "PATH": live.BUILD + ":" + os.environ["PATH"]})
    assert not done.stderr, done.stderr
    return [x for x in done.stdout.splitlines() if x]


def test_completion():
    """Options, values, lists, views, events and commands complete"""
    assert complete("--gro") == ["--group"]
    assert complete("--group", "c") == ["comm", "cgroup", "cpu"]
    assert complete("-b", "--format", "fo") == ["folded"]
    assert complete("--keymap", "em") == ["emacs"]
    assert complete("--theme", "sa") == ["safe"]
    assert complete("--graphs", "bl") == ["blocks"]
    assert complete("--columns", "user,sta") == ["user,state"]
    assert str(os.getpid()) in complete("-p", str(os.getpid()))
    assert f"1,{os.getpid()}" in complete("-p", f"1,{os.getpid()}")
    assert "cpu" in complete("-V", "")
    assert "cpu-clock" in complete("-e", "cpu-")
    assert "bash" in complete("-b", "--", "bas")
    assert complete("-b", "--", "true", "--gr") == []


def test_license():
    """Every source file begins with the project's SPDX line"""
    files = subprocess.run(["git", "-C", live.ROOT, "ls-files"], stdout=subprocess.PIPE,
                           text=True, check=True).stdout.split()
    bad = []
    for name in files:
        if not re.search(r"\.(c|h|py|sh|mk|1|bash)$|(^|/)(Makefile|deps|run)$", name):
            continue
        path = os.path.join(live.ROOT, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                head = [f.readline() for _ in range(3)]
            if not any("SPDX-License-Identifier: GPL-2.0-only" in line for line in head):
                bad.append(name)
    assert not bad, bad


if __name__ == "__main__":
    live.main(globals())
