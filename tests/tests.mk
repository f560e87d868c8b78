# SPDX-License-Identifier: GPL-2.0-only
# The tests' rules. What is in a folder is picked up: tests/unit/*_test.c and
# tests/render/*_test.c (cmocka, fast, under ASan and UBSan), tests/live/*_test.c (cmocka,
# real probes), tests/live/*_live.py and tmux_*.py (TAP, the program itself),
# tests/script/*.script, tests/fuzz/fuzz.mk, tests/kernels/kernels.mk,
# tests/package/package.mk, tests/soak/soak.mk.
#
#	make check			everything
#	make check ONLY=REGEX		what matches, by "group/program"
#	make check-unit			unit and render tests only

PYTHON    := /usr/bin/python3
comma     := ,
UNIT      := $(wildcard tests/unit/*_test.c tests/render/*_test.c)
LIVE_C    := $(wildcard tests/live/*_test.c)
# What asks something of the whole machine, or measures what is a matter of load, runs alone; what compares times or
# shares of its own threads, two at a time; all else four at a time. The longest first.
live_of   = $(wildcard $(patsubst %,tests/live/%_live.py,$(1)))
LIVE      := $(call live_of,accuracy bpf irq net overview overview_rules safety sched sched_faults usage)
LIVE_TWO  := $(call live_of,heap_steady offcpu gone procs unwind waits_events io waits_aio cache tcp)
LIVE_FOUR := $(call live_of,lock_orders stack_terms heap locks symbols scope syscalls faults go traced funcs ask java \
	hostile hosts node python arguments import fleet serve files)
LIVE_FOUR += $(filter-out $(LIVE) $(LIVE_TWO) $(LIVE_FOUR),$(wildcard tests/live/*_live.py))
LIVE_TMUX := $(wildcard tests/live/tmux_*.py)
SCRIPTS   := $(wildcard tests/script/*.script)
# Whatever runs on several threads is run once more under ThreadSanitizer.
THREADED  := $(if $(UNIT),$(shell grep -lE \
	'"(base/worker|pipeline/(collector|mailbox))\.h"|"symbols/symbols\.h"|"models/profile\.h"|<pthread\.h>' \
	$(UNIT)))

# Programs of a group of which ONLY asks for some: what it does not ask for need not be built.
asked = $(if $(ONLY),$(filter $(addprefix %/,$(shell printf '%s\n' $(addprefix $(1)/,$(notdir $(2))) | \
	grep -P -e '$(ONLY)' | sed 's,.*/,,')),$(2)),$(2))

UNIT_BIN  := $(call asked,unit,$(UNIT:%.c=$(B)/asan/%))
TSAN_BIN  := $(call asked,tsan,$(THREADED:%.c=$(B)/tsan/%))
LIVE_BIN  := $(call asked,live,$(LIVE_C:%.c=$(B)/asan/%))
LIVE_SKEL := $(patsubst %.bpf.c,$(B)/%.skel.h,$(wildcard tests/live/*.bpf.c))
$(LIVE_C:%.c=$(B)/asan/%.o): | $(LIVE_SKEL)

# It looks at variables of its own.
$(B)/%/tests/unit/watch_spec_test.o: CPPFLAGS += -g

WORKLOADS := $(patsubst tests/%.c,$(B)/%,$(filter-out tests/workloads/lib%,$(wildcard tests/workloads/*.c)))
WORK_LIBS := $(patsubst tests/%.c,$(B)/%.so,$(wildcard tests/workloads/lib*.c))

.PHONY: workloads check-build check-all check-unit check-matrix unit-plain

-include tests/fuzz/fuzz.mk
-include tests/kernels/kernels.mk
-include tests/package/package.mk
-include tests/soak/soak.mk

# Workloads have frame pointers, so that what must be found is certain, and on Arm, as distributions
# do it, signed return addresses.
WORK_FLAGS := -std=gnu17 -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
	      $(if $(findstring clang,$(CC)),,-fno-ipa-icf) -Wall -Wextra -D_GNU_SOURCE \
	      $(call taken,-mbranch-protection=standard)
$(B)/workloads/lib%.so: tests/workloads/lib%.c $(wildcard tests/workloads/*.h) tests/tests.mk
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(WORK_FLAGS) -fPIC -shared $< -o $@
$(B)/workloads/%: tests/workloads/%.c $(wildcard tests/workloads/*.h) tests/tests.mk
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(WORK_FLAGS) $< -o $@ -ldl -lpthread -lm
workloads: $(WORKLOADS) $(WORK_LIBS)

# What tests share is linked into each of them.
TEST_LIB := $(wildcard tests/lib/*.c)
define test_variant
$(B)/$(1)/tests/lib/libtest.a: $(TEST_LIB:%.c=$(B)/$(1)/%.o)
	@mkdir -p $$(@D); rm -f $$@; ar rcs $$@ $$^
endef
$(foreach v,rel asan tsan,$(eval $(call test_variant,$(v))))

# The whole program on made-up input, for scripted sessions; its threads under TSan too.
SCRIPTED := $(SCRIPTS:%=tests/script/proftop_fixture)
SCRIPTED := $(if $(shell printf 'script/run.sh %s\n' asan tsan | grep -P -e '$(ONLY)'),$(firstword $(SCRIPTED)))
SMOKE    := $(if $(call asked,fuzz,/run.sh),$(FUZZ_BIN) $(FUZZ_SEEDS))

check-build: $(B)/proftop $(B)/asan/proftop $(UNIT_BIN) $(TSAN_BIN) $(LIVE_BIN) workloads \
	$(SCRIPTED:%=$(B)/asan/%) $(SCRIPTED:%=$(B)/tsan/%) $(SMOKE)

# 65 minutes after `make check` began, deps and the build included, nothing more is begun.
RUN := $(PYTHON) tests/lib/run $(if $(ONLY),--only '$(ONLY)') $(if $(CHECK_BEGAN),--until $$(($(CHECK_BEGAN) + 3900)))

check-all: check-build
	@PROFTOP=$(B)/proftop $(RUN) \
		--group self,timeout=180 tests/lib/run_test.sh tests/layering/check.py \
			tests/layering/check_test.sh tests/lib/docs_test.py \
			tests/lib/cases_test.py tests/lib/hardened_test.py tests/lib/bpf_stack_test.py \
			tests/accuracy_test.py \
			tests/bench/figures_test.py $(PACKAGE_CHECK) $(SOAK_CHECK) \
		--group example,timeout=1200,jobs=2 tests/example/example.py \
		--group unit,timeout=180,beside $(UNIT_BIN) \
		--group tsan,timeout=300,beside,noaslr $(TSAN_BIN) \
		$(if $(SCRIPTED),--group script$(comma)timeout=900$(comma)beside$(comma)noaslr \
			$(foreach v,asan tsan,'tests/script/run.sh $(B)/$(v)/$(SCRIPTED)')) \
		$(if $(wildcard tests/fuzz/fuzz.mk),--group fuzz$(comma)timeout=600$(comma)beside$(comma)plain \
			'tests/fuzz/run.sh $(FUZZ_SMOKE_SECONDS) $(B)/fuzz $(ONLY_FUZZ)') \
		--group live,timeout=900,again $(LIVE_BIN) \
		--group live,timeout=900,again $(LIVE) \
		--group live,timeout=900,again,jobs=2 $(LIVE_TWO) \
		--group tmux,timeout=420,again,jobs=4 $(LIVE_TMUX) \
		--group kernels,timeout=600,again,beside $(KERNELS_CHECK) \
		--group live,timeout=900,again,beside $(LIVE_FOUR)

# As users have the program: for compilers and machines that have no sanitizers here.
unit-plain: $(UNIT:%.c=$(B)/rel/%)

# Each compiler for each machine: ROWS="clang-aarch64 gcc-x86_64" names some.
check-matrix:
	@scripts/deps
	@scripts/deps matrix
	$(PYTHON) tests/matrix/builds.py $(ROWS)

check-unit: $(UNIT_BIN)
	@$(RUN) --group unit,timeout=180,jobs=2 $(UNIT_BIN)
