# SPDX-License-Identifier: GPL-2.0-only
# TAP for shell tests: source it, call `check NAME COMMAND...` or `pass`, `fail`, `skip`,
# and end with `tap_done`.
# shellcheck shell=bash
tap_n=0
tap_bad=0

pass() { echo "ok $((++tap_n)) - $1"; }

# fail NAME [DETAIL]
fail()
{
	echo "not ok $((++tap_n)) - $1"
	tap_bad=$((tap_bad + 1))
	[ $# -lt 2 ] || sed 's/^/# /' <<<"$2"
}

# skip NAME REASON
skip() { echo "ok $((++tap_n)) - $1 # SKIP $2"; }

# check NAME COMMAND...: passes when the command does; what it prints is the detail.
check()
{
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "${out:-$* failed}"; fi
}

tap_done()
{
	echo "1..$tap_n"
	[ $tap_bad = 0 ]
	exit
}
