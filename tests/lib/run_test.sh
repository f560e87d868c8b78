#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The runner itself: what must be counted as a failure is counted as one.
here=$(dirname "$0")
. "$here/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# program NAME TEXT: a shell program
program()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$tmp/$1"
	chmod +x "$tmp/$1"
}

# expect NAME STATUS LAST-LINE ARGUMENTS...; the whole is in $out.
expect()
{
	local name=$1 status=$2 last=$3 rc
	shift 3
	out=$("$here/run" "$@" 2>&1)
	rc=$?
	if [ $rc = "$status" ] && [ "$(tail -n 1 <<<"$out")" = "$last" ]; then
		pass "$name"
	else
		fail "$name" "status $rc, wanted $status and '$last', got:
$out"
	fi
}

program good 'echo 1..2; echo ok 1 - a; echo ok 2 - b'
program bad 'echo ok 1 - a; echo not ok 2 - b; exit 1'
program bad_quiet 'echo not ok 1 - b'
program crash 'echo ok 1 - a; kill -SEGV $$'
program leak 'echo ok 1 - a; exit 23'
program short 'echo 1..3; echo ok 1 - a'
program none 'exit 0'
program hang 'echo ok 1 - a; sleep 60'
program child 'sleep 60 & echo ok 1 - a'
program skips 'echo "ok 1 - a # SKIP no such thing here"; echo ok 2 - b'
program cmocka 'echo "skip: not root"; echo "not ok 1 # SKIP a"; echo ok 2 - b'
program moody 'test -e "$0.ran" && echo ok 1 - a || echo not ok 1 - a; touch "$0.ran"'
program turns 'if test -e "$0.ran"; then echo ok 1 - a; echo not ok 2 - b; else echo not ok 1 - a; echo ok 2 - b; fi; touch "$0.ran"'
program named.py 'if test "$1" = "a b"; then echo 1..1; echo ok 1 - a b; else echo 1..2; echo not ok 1 - a b; echo ok 2 - c; fi'
program unsafe 'test -e "$0.ran" || echo "x.c:1: runtime error: overflow"; test -e "$0.ran" && echo ok 1 - a || echo not ok 1 - a; touch "$0.ran"'
program busy 'echo "ok 1 - a # SKIP too busy here to measure: 3 is not 4"; echo "ok 2 - b # SKIP no such thing"; echo ok 3 - c'
program alone 'test -z "$PROFTOP_BESIDE" && echo ok 1 - a || echo not ok 1 - a'
program first 'for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$0.met" && { echo ok 1 - a; exit; }; sleep 0.2; done; echo not ok 1 - a'
program second 'touch "${0%second}first.met"; echo ok 1 - a'
program mute 'echo "not ok 1 # SKIP a"'

echo 'echo ok 1 - a' >"$tmp/plain"

expect "what cannot be executed is told before anything is run" 1 "$tmp/plain cannot be executed: chmod +x, and commit that" \
	--only good --group g "$tmp/good" --group h "$tmp/plain"
expect "passes are counted" 0 "2 passed, 0 failed" --group g "$tmp/good"
expect "several programs are summed" 1 "3 passed, 1 failed" --group g,jobs=2 "$tmp/good" "$tmp/bad"
expect "a failure needs no exit status" 1 "0 passed, 1 failed" --group g "$tmp/bad_quiet"
expect "a crash is a failure" 1 "1 passed, 1 failed" --group g "$tmp/crash"
expect "a failing exit is a failure" 1 "1 passed, 1 failed" --group g "$tmp/leak"
expect "planned cases that do not run are a failure" 1 "1 passed, 1 failed" --group g "$tmp/short"
expect "a program without cases is a failure" 1 "0 passed, 1 failed" --group g "$tmp/none"
expect "a program that hangs is a failure" 1 "1 passed, 1 failed" --group g,timeout=0.5 "$tmp/hang"
expect "a child left behind does not hang it" 0 "1 passed, 0 failed" --group g "$tmp/child"
expect "a missing program is a failure" 1 "0 passed, 1 failed" --group g "$tmp/absent"
expect "skips are counted" 0 "1 passed, 0 failed, 1 skipped" --group g "$tmp/skips"
expect "skips for a busy machine are counted apart" 0 \
	"1 passed, 0 failed, 2 skipped" --group g "$tmp/busy"
if grep -qx 'skipped as the machine was busy: 1' <<<"$out"; then
	pass "how many they are is said above the last line"
else
	fail "how many they are is said above the last line" "$out"
fi
expect "cmocka's skips are understood" 0 "1 passed, 0 failed, 1 skipped" --group g "$tmp/cmocka"
expect "a skip without a reason is a failure" 1 "0 passed, 1 failed" --group g "$tmp/mute"
expect "what has no time left to begin is skipped" 1 "0 passed, 0 failed, 1 skipped" --until 1 --group g "$tmp/good"
expect "there is time left" 0 "2 passed, 0 failed" --until $(($(date +%s) + 600)) --group g "$tmp/good"
expect "plain programs are one case" 1 "1 passed, 1 failed" --group g,plain "$tmp/none" "$tmp/leak"
expect "no test at all is a failure" 1 "0 passed, 0 failed" --group g
expect "what failed is not run again unasked" 1 "0 passed, 1 failed" --group g "$tmp/moody"
expect "a leak is not run again" 1 "1 passed, 1 failed" --group g,again "$tmp/leak"
rm "$tmp/moody.ran"
expect "asked, the second run counts" 0 "1 passed, 0 failed" --group g,again "$tmp/moody"
expect "a case that passes once has passed" 0 "2 passed, 0 failed" --group g,again "$tmp/turns"
expect "of a script only what failed is run again" 0 "2 passed, 0 failed" --group g,again "$tmp/named.py"
expect "a case that fails twice is a failure" 1 "1 passed, 1 failed" --group g,again "$tmp/bad"
expect "what fails twice is a failure" 1 "1 passed, 1 failed" --group g,again "$tmp/bad"
expect "a crash is not run again" 1 "1 passed, 1 failed" --group g,again "$tmp/crash"
expect "what a sanitizer says is not forgiven" 1 "0 passed, 1 failed" --group g,again "$tmp/unsafe"
expect "a program that shares the machine is told" 1 "0 passed, 1 failed" --group g,jobs=2 "$tmp/alone"
expect "run again it has the machine to itself" 0 "1 passed, 0 failed" --group g,jobs=2,again "$tmp/alone"
expect "a group beside another runs with it" 0 "2 passed, 0 failed" \
	--group g,jobs=2 "$tmp/first" --group h,beside "$tmp/second"
rm "$tmp/first.met"
expect "a group of its own runs after what was before" 1 "1 passed, 1 failed" \
	--group g,jobs=2 "$tmp/first" --group h "$tmp/second"
expect "--only selects" 0 "2 passed, 0 failed" --only 'g/good' --group g "$tmp/good" "$tmp/bad"
tap_done
