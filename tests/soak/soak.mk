# SPDX-License-Identifier: GPL-2.0-only
# A long run under a load that never settles; an hour's writes docs/SOAK.md.
#
#	make soak
#	make soak SOAK_MINUTES=14 SOAK_DUTY=0.5
#	make soak SOAK_MINUTES=24 SOAK_LEAK=4		must not hold
#
# SOAK_DUTY: the share of time the load is at work; SOAK_LEAK: MiB that proftop is made to forget a
# minute; SOAK_DOC: where the table goes. `make check` tests the judge (soak/judge_test.py).
#
#	make soak-locks		orders of locks of programs that are right; an hour's writes docs/SOAK_LOCKS.md

SOAK_MINUTES := 60
SOAK_DUTY    := 1
SOAK_LEAK    := 0
SOAK_DOC     := $(if $(filter 60,$(SOAK_MINUTES)),docs/SOAK.md)
SOAK_CHECK   := tests/soak/judge_test.py

.PHONY: soak
soak:
	@scripts/deps
	@$(AGAIN) all workloads
	$(PYTHON) tests/soak/run.py --minutes $(SOAK_MINUTES) --duty $(SOAK_DUTY) \
		--leak $(SOAK_LEAK) $(SOAK_DOC:%=--doc %)

.PHONY: soak-locks
soak-locks: SOAK_DOC := $(if $(filter 60,$(SOAK_MINUTES)),docs/SOAK_LOCKS.md)
soak-locks:
	@scripts/deps
	@$(AGAIN) all workloads
	$(PYTHON) tests/soak/locks.py --minutes $(SOAK_MINUTES) $(SOAK_DOC:%=--doc %)
