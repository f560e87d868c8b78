#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs each tests/script/*.script against made-up input: run.sh PROFTOP_FIXTURE. Lines in a
# script's head say what is not the default:
#
#	# fixture: FILE		in this folder (machine.fixture)
#	# size: COLSxROWS	(80x24)
#	# args: OPTIONS
#	# status: N		exit status (0)
#
# A session that saves files does so in an empty folder of its own.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
program=$(realpath "${1:?run.sh PROFTOP_FIXTURE}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# head_of SCRIPT WORD DEFAULT
head_of()
{
	local value
	value=$(sed -n "s/^# $2: *//p" "$1" | head -n 1)
	echo "${value:-$3}"
}

session()
{
	local fixture size status args
	fixture=$here/$(head_of "$1" fixture machine.fixture)
	size=$(head_of "$1" size 80x24)
	status=$(head_of "$1" status 0)
	read -ra args <<<"$(head_of "$1" args '')"
	mkdir "$tmp/$2"
	cd "$tmp/$2" || return 1
	timeout -k 5 60 "$program" "$fixture" --script "$1" --size "$size" "${args[@]}"
	local got=$?
	cd "$here" || return 1
	[ "$got" = "$status" ] || {
		echo "exit status $got, expected $status"
		return 1
	}
}

for script in "$here"/*.script; do
	name=$(basename "$script" .script)
	check "$name" session "$script" "$name"
done
tap_done
