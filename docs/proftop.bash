# SPDX-License-Identifier: GPL-2.0-only
# bash completion for proftop
# shellcheck shell=bash

_proftop_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

# The last of a comma-separated list; what is before it stays.
_proftop_list()
{
	local cur=${COMP_WORDS[COMP_CWORD]} head=
	[[ $cur != *,* ]] || head=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${cur##*,}")
}

_proftop_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
}

# _proftop_names OPTION SUFFIX: what --help lists for it, files and one's own NAME.SUFFIX.
_proftop_names()
{
	local own=${XDG_CONFIG_HOME:-$HOME/.config}/proftop file names=()
	for file in "$own"/*."$2"; do
		[ ! -e "$file" ] || names+=("$(basename "$file" ".$2")")
	done
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(
		compgen -W "${names[*]} $(proftop --help 2>/dev/null |
			sed -n "s/^ *--$1 NAME|FILE *\\([^;]*\\);.*/\\1/p" | tr , ' ')" -- "${COMP_WORDS[COMP_CWORD]}"
		compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
	)
}

_proftop_cgroups()
{
	local cur=${COMP_WORDS[COMP_CWORD]} base
	base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[ -n "$base" ] || return
	compopt -o nospace 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -d -- "$base/${cur#/}" | sed "s|^$base||")
}

_proftop_command()
{
	local first=$1
	if [ "$COMP_CWORD" = "$first" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		_proftop_files
	fi
}

_proftop()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			_proftop_command $((i + 1))
			return
		fi
	done
	case $prev in
	-p | --pid) _proftop_list "$(cd /proc && echo [0-9]*)" ;;
	-t | --tid) _proftop_list "$(cd /proc && echo [0-9]*/task/[0-9]* | sed 's|[0-9]*/task/||g')" ;;
	-C | --cpu) _proftop_list "$(seq 0 $(($(nproc --all) - 1)))" ;;
	-G | --cgroup) _proftop_cgroups ;;
	--comm) _proftop_words "$(cat /proc/[0-9]*/comm 2>/dev/null | sort -u | tr '\n' ' ')" ;;
	--filter)
		compopt -o nospace 2>/dev/null
		_proftop_words "pid= tid= comm~ cgroup= cpu= state= min= max= task= sym~ obj~ lang="
		;;
	-F | --freq) _proftop_words "49 99 499 999 4999" ;;
	-c | --period) _proftop_words "1 100 1000 10000 1000000" ;;
	-e | --event)
		_proftop_words "$(proftop --list-events 2>/dev/null | awk '$2 != "raw" { print $1 }')"
		# A tracepoint's colon is a word break to bash: leave out what is before it.
		if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
			COMPREPLY=("${COMPREPLY[@]#"${cur%:*}":}")
		fi
		;;
	--call-graph) _proftop_words "auto fp eh off" ;;
	--counters) _proftop_list "$(proftop --list-events 2>/dev/null | awk '$2 != "raw" && !/:/ { print $1 }')" ;;
	--stack-copy) _proftop_words "4096 8192 16384 32768" ;;
	--sample-bytes) _proftop_words "0 4096 65536 524288 pages" ;;
	-V | --view) _proftop_list "$(proftop --list-views 2>/dev/null | awk '{ print $1 }')" ;;
	-d | --delay) _proftop_words "0.2 0.5 1 2 5 10" ;;
	--group) _proftop_list "symbol object stack comm pid tid cgroup cpu state reason waker device file total" ;;
	--sort) _proftop_words "count count:asc errors total_ns avg_ns p99_ns max_ns bytes held_bytes" ;;
	--window) _proftop_words "last decaying total" ;;
	--views) _proftop_list "$(proftop --list-views 2>/dev/null | awk '{ print $1 }')" ;;
	--preset) _proftop_words "$(proftop --list-presets 2>/dev/null | awk '{ print $1 }')" ;;
	--ask) _proftop_words "count span nest hold list burst" ;;
	--function) _proftop_words "pid:" ;;
	--do) _proftop_words "$(proftop --list-words 2>/dev/null | awk '{ print $1 }')" ;;
	--theme) _proftop_names theme theme ;;
	--graphs) _proftop_words "braille blocks ascii" ;;
	--columns) _proftop_list "process user state cpu_pct split rss_bytes text" ;;
	--keymap) _proftop_names keymap keys ;;
	-n | --iterations) _proftop_words "1 5 10 60" ;;
	--format) _proftop_words "text ansi json csv folded by-time svg html speedscope pprof perf
		trace openmetrics" ;;
	--speed) _proftop_words "0.5 2 10 100" ;;
	--from | --to) _proftop_words "+10s -90s start end" ;;
	--history) _proftop_words "0 10 60:256" ;;
	--size) _proftop_words "80x24 120x40 200x50" ;;
	--connect) _proftop_words "$(compgen -A hostname)" ;;
	--serve) _proftop_words "127.0.0.1:9464 [::1]:9464 /run/proftop.sock" ;;
	-o | --output | --serve-token | --serve-cert | --serve-key | --serve-clients | --config | --script | --record | --replay | --baseline) _proftop_files ;;
	*)
		_proftop_words "-p --pid -t --tid -G --cgroup -C --cpu --comm --filter -F --freq
			-c --period -e --event --counters --call-graph --stack-copy --sample-bytes --watch -V --view -d --delay --group --keymap
			--snapshot-on-signal --sort --preset
			--views --window --idle --history --ask --function --function-waits --lock-orders --do --theme --graphs --columns --ascii --config --no-config
			-b --batch -n --iterations --format -o --output --record --replay --baseline --speed
			--from --to --connect --redact --serve --serve-token --serve-cert --serve-key --serve-clients --serve-insecure --doctor --list-views --list-events --list-presets --list-words --symbols --version
			-h --help --script --size --"
		;;
	esac
}

complete -F _proftop proftop
