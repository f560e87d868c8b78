# SPDX-License-Identifier: GPL-2.0-only
# Fuzzers: `make fuzz` runs each for FUZZ_SECONDS and keeps what it finds below build/fuzz,
# `make fuzz-smoke` (in make check) for a few seconds. A crash, a sanitizer's report, a
# time-out or too much memory fails, and leaves the input in build/fuzz/crashes.
#	make fuzz ONLY_FUZZ='debuginfo elf' FUZZ_SECONDS=3600

FUZZ_SECONDS       := 300
FUZZ_SMOKE_SECONDS := 4
FUZZ_CC  := $(CLANG)
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	    -fno-omit-frame-pointer -O1 -gline-tables-only
FUZZERS  := $(filter-out lib,$(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
ONLY_FUZZ := $(FUZZERS)
FUZZ_BIN := $(ONLY_FUZZ:%=$(B)/fuzz/bin/%)
FUZZ_SEEDS := $(B)/fuzz/seeds/.made
# What no fuzzer asks for need not be compiled: a linker that misses something says what.
FUZZ_NOT := models/flame% models/heat models/heat_grid models/heat_sources models/overview% \
	    models/result_diff% models/cache_query models/cache_rows models/cache_stacks models/procs_columns \
	    models/procs_query models/procs_rows models/procs_tree models/profile_query models/profile_rows models/profile_b% models/profile_chains \
	    models/profile_tasks models/sched_query models/sched_rows models/sched_s% models/sched_thread \
	    widgets/graph widgets/h% widgets/table_% widgets/flame widgets/meter widgets/picker widgets/strip \
	    sources/ask_% sources/block_bpf sources/block_counts sources/block_loss sources/block_put \
	    sources/bpf_progs% sources/cpu_bpf sources/table sources/crowd sources/doctor% sources/event_count \
	    sources/event_l% sources/event_samples sources/lock_% sources/measures sources/procs_% \
	    sources/watch_%
FUZZ_LIB := $(patsubst %,$(B)/fuzz/%.o,$(filter-out $(FUZZ_NOT),$(basename $(wildcard base/*.c scope/*.c samples/*.c \
	    questions/*.c measures/*.c symbols/*.c export/*.c serve/*.c models/*.c recording/*.c \
	    widgets/*.c) \
	    tui/columns.c tui/keymap.c tui/theme.c tui/paint.c tui/term_curses.c tui/term_write.c tui/term_restore.c \
	    tui/term_sequence.c \
	    tui/term_signal.c tui/term_script.c tui/commands.c tui/palette.c tui/counted.c tui/lock_orders.c tui/sample_bytes.c tui/time_travel.c \
	    tui/text_file.c tui/config.c tui/config_save.c tui/own_files.c tui/own_questions.c tui/options.c \
	    tui/option_values.c tui/options_check.c tui/presets.c \
	    tui/report_sort.c \
	    tests/fuzz/fuzz_lib.c tests/lib/question_interpret.c \
	    $(wildcard sources/*.c)))) \
	    $(PROTOS:%.proto=$(B)/fuzz/%.pb-c.o)

.PHONY: fuzz fuzz-smoke

$(B)/fuzz/%.o: %.c | $(SKELS) $(PROTOS:%.proto=$(B)/%.pb-c.h) $(SYSCALLS)
	@mkdir -p $(@D)
	$(call Q,CC)$(FUZZ_CC) -std=gnu17 $(WARN) -fsanitize=fuzzer-no-link $(FUZZ_SAN) $(CPPFLAGS) \
		-MMD -MP -c $< -o $@
$(B)/fuzz/%.pb-c.o: $(B)/%.pb-c.c
	@mkdir -p $(@D)
	$(call Q,CC)$(FUZZ_CC) -std=gnu17 $(FUZZ_SAN) $(CPPFLAGS) -MMD -MP -c $< -o $@
$(B)/fuzz/libfuzz.a: $(FUZZ_LIB)
	$(call Q,AR)rm -f $@; ar rcs $@ $^
# These change ELF files by section.
FUZZ_ELF := elf debuginfo unwind_table unwind_walk
$(FUZZ_ELF:%=$(B)/fuzz/bin/%) $(B)/fuzz/bin/partner: $(B)/fuzz/tests/fuzz/elf_mutator.o
$(FUZZ_ELF:%=$(B)/fuzz/bin/%): $(B)/fuzz/tests/fuzz/elf_entry.o
$(B)/fuzz/bin/%: $(B)/fuzz/tests/fuzz/fuzz_%.o $(B)/fuzz/libfuzz.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_SAN) $(filter %.o,$^) \
		$(B)/fuzz/libfuzz.a $(LDLIBS) -o $@

$(B)/fuzz/tui/keymap.o: $(wildcard keymaps/*.keys)
$(B)/fuzz/tui/theme.o: $(wildcard themes/*.theme)
$(B)/fuzz/samples/counters.o: samples/counters.metrics
$(FUZZ_SEEDS): tests/fuzz/seeds.sh $(wildcard keymaps/*.keys themes/*.theme)
	@rm -rf $(@D)
	@tests/fuzz/seeds.sh $(@D)

fuzz: $(FUZZ_BIN) $(FUZZ_SEEDS)
	@tests/fuzz/run.sh --keep $(FUZZ_SECONDS) $(B)/fuzz $(ONLY_FUZZ)
fuzz-smoke: $(FUZZ_BIN) $(FUZZ_SEEDS)
	@tests/fuzz/run.sh $(FUZZ_SMOKE_SECONDS) $(B)/fuzz $(ONLY_FUZZ)
