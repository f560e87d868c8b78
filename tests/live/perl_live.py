#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through Perl, by a program whose shares, chain, waits and lines are known by construction
(tests/workloads/perl_shares.pl)."""
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import folded, follow, line_of, own_lines, share, whole  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/perl_shares.pl")
WALKED = "5.36"
DEPTH = 5
CHAIN = ["main::descend"] * (DEPTH + 1) + ["main::serve"]
BY_SORT = [*CHAIN, "main::__ANON__", "Caller::by_sort", "Perl_pp_sort", "Caller::compare", "Caller::round"]
BY_BLOCK = [*CHAIN, "Caller::by_block", "Perl_pp_sort", "Caller::by_block", "Caller::round"]

# Calls a function of Perl from C when the file itself is over, below functions of C's own.
EMBEDS = r"""
#include <EXTERN.h>
#include <perl.h>
static PerlInterpreter *my_perl;
__attribute__((noinline)) void calls_back(const char *name)
{
	dSP;
	PUSHMARK(SP);
	call_pv(name, G_DISCARD | G_NOARGS);
	__asm__ volatile("");
}
int main(int argc, char **argv, char **env)
{
	char *args[] = {"", "-e", "sub spin { my $x = 1; for my $i (1 .. 1e5) { $x = ($x * 31 + 7) & 0xfffff } }\n"
				  "sub outer { spin(); return }", NULL};

	PERL_SYS_INIT3(&argc, &argv, &env);
	my_perl = perl_alloc();
	perl_construct(my_perl);
	if (perl_parse(my_perl, NULL, 3, args, NULL) || perl_run(my_perl))
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		calls_back("outer");
}
"""


def perl_of_debian():
    live.need_root()
    perl, = servers.need("/usr/bin/perl")
    said = subprocess.run([perl, "-MConfig", "-e", "print qq($Config{version} $Config{usethreads})"],
                          capture_output=True, text=True, check=True).stdout.split()
    if len(said) != 2 or not said[0].startswith(WALKED + "."):
        raise live.Skip(f"perl {' '.join(said)} is here, not {WALKED} with threads")
    return perl


def program(how):
    return servers.running(perl_of_debian(), SOURCE, DEPTH, how, text=True, stdout=subprocess.PIPE)


def stacks_with(p, name):
    def named():
        stacks = folded("cpu", p.pid, "-F", 997)
        return stacks if share(stacks, lambda s: name in s) > 90 else None
    servers.printed(p, "ready")
    return live.wait_for(named, 40, 0)


def check_shares(how, begin):
    with program(how) as p:
        stacks = stacks_with(p, "Caller::round")
    for calls in BY_SORT, BY_BLOCK:
        below = {s: w for s, w in stacks.items() if follow(s, [*begin, *calls])}
        # Few samples on a busy machine: three standard deviations may be missed.
        within = max(6, 300 * math.sqrt(0.21 / sum(below.values())))
        for name, truth in ("main::hot_70", 70), ("main::hot_30", 30):
            got = share(below, lambda s: follow(s, [*calls, name, "main::spin"]))
            live.near(got, truth, within, f"perl, {how}: share of {name} below {calls[-2]}, %")
    both = share(stacks, lambda s: follow(s, [*begin, *BY_SORT]) or follow(s, [*begin, *BY_BLOCK]))
    assert both > 90, f"{both:.1f} % of stacks are below the sorts: {stacks}"


def test_shares():
    """70 and 30 % below a recursion, a function of C that calls back, sorts by a function and by a block, and evals"""
    check_shares("main", ["perl_run", "{main}"])


def test_thread():
    """The same in a thread, which has an interpreter of its own and does not run the file"""
    check_shares("thread", ["start_thread"])
    with program("thread") as p:
        stacks = stacks_with(p, "Caller::round")
    wrong = share(stacks, lambda s: "{main}" in s and "main::descend" in s)
    assert not wrong, f"{wrong:.1f} % of the thread's stacks have the file's own code"


def test_embedded():
    """Functions that a C program calls when the file is over are between its own, without the file's code"""
    perl = perl_of_debian()
    with live.temporary() as folder:
        path = os.path.join(folder, "embeds")
        with open(path + ".c", "w", encoding="ascii") as f:
            f.write(EMBEDS)
        options = subprocess.run([perl, "-MExtUtils::Embed", "-e", "ccopts; ldopts"], capture_output=True, text=True,
                                 check=True).stdout.split()
        built = subprocess.run(["gcc", "-O1", "-w", path + ".c", "-o", path, *options], capture_output=True, text=True,
                               check=False)
        if built.returncode:
            raise live.Skip("libperl-dev is not installed")
        with servers.running(path, text=True, stdout=subprocess.PIPE) as p:
            stacks = stacks_with(p, "main::spin")
    calls = ["calls_back", "Perl_call_sv", "main::outer", "main::spin"]
    assert share(stacks, lambda s: follow(s, calls) and "{main}" not in s) > 90, stacks


def test_lines():
    """What a function takes itself, and not Perl's operations, is where its loop is"""
    with program("main") as p:
        servers.printed(p, "ready")
        own = own_lines(p.pid, "main::spin", "x * 31")
    loop = line_of(SOURCE, "for my $i"), line_of(SOURCE, "x * 31")
    live.near(sum(own.get(line, 0) for line in loop), 100, 5, "perl: share of a loop's lines of its function, %")


def test_relative():
    """A program that was begun by a relative name has its source, too"""
    perl, folder = perl_of_debian(), os.path.dirname(SOURCE)
    with servers.running(perl, os.path.basename(SOURCE), DEPTH, "main", cwd=folder, text=True,
                         stdout=subprocess.PIPE) as p:
        servers.printed(p, "ready")
        own = own_lines(p.pid, "main::spin", "x * 31")
    assert own.get(line_of(SOURCE, "x * 31"), 0) > 10, own


def test_waits():
    """A wait is below the function that waits, and that below its caller"""
    def waits():
        stacks = folded("offcpu", p.pid)
        slept = {s: w for s, w in stacks.items() if any("select" in f for f in s)}
        return slept if share(slept, lambda s: follow(s, ["{main}", *CHAIN, "main::waits"])) > 90 else None
    with program("main") as p:
        servers.printed(p, "ready")
        assert live.wait_for(waits, 40, 0)


def test_language():
    """lang=perl takes the stacks with such functions"""
    with program("main") as p:
        servers.printed(p, "ready")
        stacks = folded("cpu", p.pid, "-F", 997, "--filter", "lang=perl")
        none = folded("cpu", p.pid, "-F", 997, "--filter", "lang=php")
    assert share(stacks, lambda s: "{main}" in s) > 99 and not none, (stacks, none)


def test_whole():
    """99 % of the stacks are whole, and the functions in as many are named"""
    with program("main") as p:
        servers.printed(p, "ready")
        note = whole(p.pid, "perl")
    assert "not readable" not in note, note


if __name__ == "__main__":
    live.main(globals())
