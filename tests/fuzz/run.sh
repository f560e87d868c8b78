#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh [--keep] SECONDS DIR FUZZER...: runs DIR/bin/FUZZER on DIR/seeds/FUZZER, on the inputs
# in tests/fuzz/found/FUZZER (those that once failed) and on what it makes of them, two at a
# time. --keep: new inputs are kept in DIR/corpus. TAP, then "N passed, N failed".
set -uo pipefail
keep=
if [ "$1" = --keep ]; then
	keep=1
	shift
fi
seconds=$1 dir=$2
shift 2
found=$(dirname "$0")/found
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$dir/crashes"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export TMPDIR=$work
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

run_one()
{
	local name=$1 corpus=$work/new.$1 seed=1 inputs=()
	[ -z "$keep" ] || corpus=$dir/corpus/$name seed=0
	mkdir -p "$corpus"
	for d in "$dir/seeds/$name" "$found/$name"; do
		[ ! -d "$d" ] || inputs+=("$d")
	done
	"$dir/bin/$name" -seed="$seed" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2560 \
		-max_len=16384 -print_final_stats=1 -artifact_prefix="$dir/crashes/$name-" \
		"$corpus" "${inputs[@]}" >"$work/$name.log" 2>&1
	echo $? >"$work/$name.rc"
}

for name; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	run_one "$name" &
done
wait

n=0 failed=0
for name; do
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
	if [ "$(cat "$work/$name.rc")" = 0 ] && [ "${runs:-0}" -gt 10 ]; then
		echo "ok $((n += 1)) - fuzz $name: $runs inputs"
	else
		echo "not ok $((n += 1)) - fuzz $name"
		failed=$((failed + 1))
		grep -v '^#[0-9]*\s*\(NEW\|REDUCE\|pulse\|INITED\)' "$work/$name.log" | tail -60 |
			sed 's/^/# /'
	fi
done
echo "1..$n"
echo "$((n - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $n -gt 0 ]
