#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh [--keep] SECONDS DIR FUZZER...: runs DIR/bin/FUZZER on DIR/seeds/FUZZER, on the inputs
# in tests/fuzz/found/FUZZER (those that once failed) and on what it makes of them, two at a
# time. --keep: new inputs are kept in DIR/corpus. TAP, then "N passed, N failed".
# Each seed has to get through what its fuzzer is for (fuzz__through), and those that are named
# wrong* must not: else a fuzzer whose inputs are all refused early would pass.
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

through()
{
	sed -n 's/^stat::inputs_that_got_through: *//p' "$1" | tail -1
}

# How many of these inputs get through. Leaks are for the run itself: looking for them takes an
# input twice.
count()
{
	local name=$1
	shift
	[ $# -gt 0 ] || { echo 0; return; }
	"$dir/bin/$name" -detect_leaks=0 -timeout=20 -rss_limit_mb=2560 "$@" \
		>"$work/$name.each" 2>&1
	n=$(through "$work/$name.each")
	echo "${n:-0}"
}

# Says which seeds did not get through, or should not have.
check_seeds()
{
	local name=$1 right=() wrong=()
	for s in "$dir/seeds/$name"/*; do
		case ${s##*/} in wrong*) wrong+=("$s") ;; *) right+=("$s") ;; esac
	done
	[ -e "${right[0]:-}" ] || { echo "no seeds"; return; }
	[ "$(count "$name" "${right[@]}")" = ${#right[@]} ] ||
		for s in "${right[@]}"; do
			[ "$(count "$name" "$s")" = 1 ] || echo "seed ${s##*/} does not get through"
		done
	[ "$(count "$name" "${wrong[@]}")" = 0 ] ||
		for s in "${wrong[@]}"; do
			[ "$(count "$name" "$s")" = 0 ] || echo "seed ${s##*/} gets through"
		done
}

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
	check_seeds "$name" >"$work/$name.seeds"
}

for name; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	run_one "$name" &
done
wait

n=0 failed=0
for name; do
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
	got=$(through "$work/$name.log")
	if [ "$(cat "$work/$name.rc")" = 0 ] && [ "${runs:-0}" -gt 10 ] && [ "${got:-0}" -gt 0 ] &&
		[ ! -s "$work/$name.seeds" ]; then
		echo "ok $((n += 1)) - fuzz $name: $runs inputs, $got got through"
	else
		echo "not ok $((n += 1)) - fuzz $name: ${runs:-0} inputs, ${got:-0} got through"
		failed=$((failed + 1))
		sed 's/^/# /' "$work/$name.seeds"
		grep -v '^#[0-9]*\s*\(NEW\|REDUCE\|pulse\|INITED\)' "$work/$name.log" | tail -60 |
			sed 's/^/# /'
	fi
done
echo "1..$n"
echo "$((n - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $n -gt 0 ]
