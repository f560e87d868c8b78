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
FUZZ_NOT := base/names base/pages base/services export/redacted models/asked_query models/bpf_maps_query \
	    models/cache_rows models/flame% models/heat models/heat_grid \
	    models/heat_sources models/io_query models/io_rows models/io_slowest models/measure_views models/overview% \
	    models/procs_columns models/procs_query models/procs_rows models/procs_tree models/profile_b% \
	    models/profile_folded models/profile_most models/profile_offsets models/profile_query \
	    models/profile_rows models/profile_tasks models/result_diff% models/sched_query models/sched_rows \
	    models/sched_s% models/sched_thread models/storms models/waits_folded \
	    models/waits_names models/waits_process models/waits_query models/waits_rows models/waits_split \
	    models/waits_tree questions/splice questions/usdt scope/cgrouplist scope/scope_build scope/scope_gone \
	    scope/scope_resolve serve/counters serve/http serve/merged serve/page% symbols/functions widgets/flame \
	    widgets/fuzzy widgets/graph widgets/h% widgets/meter widgets/parts widgets/picker widgets/strip \
	    widgets/table% widgets/timeline
FUZZ_SOURCES := ask block_devices bpf_globals bpf_probe bpf_ring bpf_scope bpf_source bpf_util bpf_visit cache_totals \
	    core_btf counter_list cpu_perf cpu_perf_open event_names event_pmu events kernel_btf kernel_types measure \
	    measure_held measure_names measure_put moment perf_open perf_own perf_ring perf_setup perf_tasks \
	    process_scope question_btf scope_check side_events stack_copies stack_table system_parse unwind_maps \
	    vitals_parse walk_queue
FUZZ_TUI := columns commands config config_save counted keymap lock_orders option_values options options_check \
	    own_files own_questions paint palette presets report_sort sample_bytes term_curses term_restore term_script \
	    term_sequence term_signal term_write text_file theme time_travel
FUZZ_LIB := $(patsubst %,$(B)/fuzz/%.o,$(filter-out $(FUZZ_NOT),$(basename $(wildcard base/*.c scope/*.c samples/*.c \
	    questions/*.c measures/*.c symbols/*.c export/*.c serve/*.c models/*.c recording/*.c widgets/*.c))) \
	    $(FUZZ_SOURCES:%=sources/%) $(FUZZ_TUI:%=tui/%) tests/fuzz/fuzz_lib tests/lib/question_interpret) \
	    $(filter-out $(B)/fuzz/export/metrics.pb-c.o,$(PROTOS:%.proto=$(B)/fuzz/%.pb-c.o))

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
