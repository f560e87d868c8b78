#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The layering check finds what it is there for: each case breaks one rule in a made-up tree.
here=$(dirname "$0")
. "$here/../lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tree()
{
	rm -rf "$tmp/t"
	mkdir -p "$tmp"/t/{bpf,base,scope,samples,questions,measures,symbols,export,serve,models,sources,pipeline,recording,widgets,tui/views}
	local d
	for d in "$tmp"/t/* "$tmp/t/tui/views"; do
		echo '#include <stdio.h>' >"$d/a.c"
	done
	echo '#include <curses.h>' >"$tmp/t/tui/term_curses.c"
	echo '#include <pthread.h>' >"$tmp/t/base/worker.c"
	echo '#include "base/table.h"' >"$tmp/t/widgets/table.c"
	echo '#include "models/profile.h"' >"$tmp/t/tui/views/cpu.c"
	echo '#include "bpf/cpu.skel.h"' >"$tmp/t/sources/cpu.c"
	echo 'x = execvp(a, b) + fork();' >"$tmp/t/base/child.c"
	echo '/* system(3) */ on_fork(p); s->exec(); l.system(1); // popen()' >"$tmp/t/base/like.c"
}

run() { /usr/bin/python3 "$here/check.py" "$tmp/t"; }

# broken NAME FILE INCLUDE
broken() { breaks "$1" "$2" "#include $3"; }

# breaks NAME FILE LINE
breaks()
{
	tree
	echo "$3" >>"$tmp/t/$2"
	if out=$(run); then
		fail "$1" "not found"
	elif grep -q "^# $2:2: " <<<"$out"; then
		pass "$1"
	else
		fail "$1" "$out"
	fi
}

tree
check "a tree in order passes" run
broken "curses in a view" tui/views/a.c '<ncursesw/curses.h>'
broken "curses in base" base/a.c '<curses.h>'
broken "a server in a view" tui/views/a.c '<microhttpd.h>'
broken "threads in a view" tui/views/a.c '<pthread.h>'
broken "threads in a source" sources/a.c '<pthread.h>'
broken "threads in a model" models/a.c '<pthread.h>'
broken "threads in the filter language" scope/a.c '<pthread.h>'
broken "a view that knows a source" tui/views/a.c '"sources/source.h"'
broken "a view that knows BPF" tui/views/a.c '"bpf/cpu.h"'
broken "a declaration that knows a source" measures/a.c '"sources/source.h"'
broken "a widget that knows a model" widgets/a.c '"models/profile.h"'
broken "a widget that knows the log" widgets/a.c '"base/log.h"'
broken "a widget that knows the collector" widgets/a.c '"pipeline/collector.h"'
broken "a model that knows a source" models/a.c '"sources/source.h"'
broken "a model that knows a skeleton" models/a.c '"bpf/cpu.skel.h"'
broken "a model that knows a widget" models/a.c '"widgets/table.h"'
broken "a source that knows a model" sources/a.c '"models/profile.h"'
broken "a base that knows the filter language" base/a.c '"scope/filter.h"'
broken "a filter language that knows samples" scope/a.c '"samples/sample.h"'
broken "samples that know symbols" samples/a.c '"symbols/symbols.h"'
broken "symbols that know the collector" symbols/a.c '"pipeline/collector.h"'
broken "an export that knows a model" export/a.c '"models/profile.h"'
broken "a model that knows the collector" models/a.c '"pipeline/collector.h"'
broken "a source that knows an export" sources/a.c '"export/export.h"'
broken "a pipeline that knows the screen" pipeline/a.c '"tui/keymap.h"'
broken "a pipeline that knows one model" pipeline/a.c '"models/profile.h"'
broken "a pipeline that knows an export" pipeline/a.c '"export/export.h"'
broken "symbols that know a model" symbols/a.c '"models/profile.h"'
broken "a recording that knows the screen" recording/a.c '"tui/app.h"'
broken "a view that knows a recording" tui/views/a.c '"recording/reader.h"'
broken "libbpf in the pipeline" pipeline/a.c '<bpf/libbpf.h>'
broken "libperf in the screen" tui/a.c '<perf/evlist.h>'
broken "a path not from the root" base/a.c '"base.h"'
breaks "a shell" tui/a.c 'system("ls");'
breaks "a pipe of a shell" symbols/a.c 'f = popen(cmd, "r");'
breaks "a program" base/a.c 'if (execvp (argv[0], argv))'
breaks "a program, spawned" sources/a.c 'posix_spawnp(&pid, name);'
breaks "a process" models/a.c '/* one */ pid = fork();'
# circle NAME WAY FILE INCLUDED...: files that include each other so are found.
circle()
{
	local name=$1 way=$2
	shift 2
	includes "$@"
	if out=$(run); then
		fail "$name" "not found"
	elif grep -qx "# $way" <<<"$out"; then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

# includes FILE INCLUDED FILE INCLUDED ...
includes()
{
	tree
	while [ $# -gt 0 ]; do
		echo "#include \"$2\"" >>"$tmp/t/$1"
		shift 2
	done
}

circle "two files that include each other" "models/b -> models/c -> models/b" \
	models/b.c models/c.h models/c.c models/b.h models/b.h base/base.h models/c.h base/base.h
circle "two headers" "base/b -> base/c -> base/b" base/b.h base/c.h base/c.h base/b.h
circle "three files" "symbols/b -> symbols/c -> symbols/d -> symbols/b" \
	symbols/b.c symbols/c.h symbols/c.c symbols/d.h symbols/d.c symbols/b.h \
	symbols/b.h base/base.h symbols/c.h base/base.h symbols/d.h base/base.h
circle "an internal header that others include" "scope/b -> scope/b_part -> scope/b" \
	scope/b.c scope/b_part.h scope/b_part.h scope/b.h scope/b.h base/base.h \
	scope/other.c scope/b_part.h
includes pipeline/b.c pipeline/b_impl.h pipeline/b_impl.h pipeline/b.h pipeline/b.h base/base.h \
	pipeline/b_run.c pipeline/b_impl.h
check "a module's internal header is no circle" run
includes widgets/b.c widgets/b_list.h widgets/b_list.h widgets/b.h widgets/b.h base/base.h \
	widgets/b_list.c widgets/b_list.h
check "nor is one of its own files' by another name" run
tree
rm "$tmp"/t/models/*
if out=$(run); then fail "a layer without files" "not found"; else pass "a layer without files"; fi
tap_done
