#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs each tests/script/*.script against recorded input: run.sh PROFTOP_FIXTURE [NAME...]. Lines
# in a script's head say what is not the default:
#
#	# fixture: FILE		in this folder (machine.fixture)
#	# size: COLSxROWS ...	one session each (80x24)
#	# view: NAME		that it begins with (cpu); "-": whichever proftop does
#	# args: OPTIONS
#	# status: N		exit status (0)
#	# before: COMMAND	of bash, in the session's folder; as many as needed
#	# after: COMMAND	that has to succeed; $said is what the session printed
#
# A session has an empty folder of its own, its home too. A screen that it saves as NAME.golden
# has to look like tests/render/screens/NAME-COLSxROWS.golden; UPDATE_GOLDENS=1 rewrites that
# file instead.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
program=$(realpath "${1:?run.sh PROFTOP_FIXTURE}")
shift
goldens=$here/../render/screens
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR='' XDG_CONFIG_HOME=''

# head_of SCRIPT WORD DEFAULT
head_of()
{
	local value
	value=$(sed -n "s/^# $2: *//p" "$1")
	echo "${value:-$3}"
}

# each SCRIPT WORD: runs those lines of its head
each()
{
	local command
	while IFS= read -r command; do
		[ -z "$command" ] || (eval "$command") || {
			echo "failed: $command"
			return 1
		}
	done <<<"$(head_of "$1" "$2" '')"
}

# same_screens SIZE: what was saved in this folder is what is expected.
same_screens()
{
	local is want same=0
	for is in *.golden; do
		[ -e "$is" ] || continue
		want=$goldens/${is%.golden}-$1.golden
		echo "${want##*/}" >>"$tmp/drawn"
		[ "${UPDATE_GOLDENS:-}" != 1 ] || cp "$is" "$want"
		diff -u "$want" "$is" || same=1
	done
	return $same
}

# session SCRIPT SIZE FOLDER
session()
{
	local fixture status args view got said=$3.said
	fixture=$here/$(head_of "$1" fixture machine.fixture)
	status=$(head_of "$1" status 0)
	eval "args=($(head_of "$1" args ''))"
	view=$(head_of "$1" view cpu)
	[ "$view" = - ] || args=(--view "$view" "${args[@]}")
	mkdir "$3"
	cd "$3" || return 1
	export HOME=$3 said
	each "$1" before || return 1
	timeout -k 5 60 "$program" "$fixture" --script "$1" --size "$2" "${args[@]}" >"$said" 2>&1
	got=$?
	[ "$got" = "$status" ] || {
		cat "$said"
		echo "exit status $got, expected $status"
		return 1
	}
	each "$1" after || {
		cat "$said"
		return 1
	}
	same_screens "$2"
}

# A screen that no session draws any more would be kept for ever.
no_stale_screens()
{
	local path stale=0
	for path in "$goldens"/*.golden; do
		grep -qxF "${path##*/}" "$tmp/drawn" || {
			echo "no session draws $path"
			stale=1
		}
	done
	return $stale
}

for script in "$here"/*.script; do
	name=$(basename "$script" .script)
	[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
	for size in $(head_of "$script" size 80x24); do
		check "$name $size" session "$script" "$size" "$tmp/$name-$size"
	done
done
[ $# != 0 ] || check "no stale screens" no_stale_screens
tap_done
