# SPDX-License-Identifier: GPL-2.0-only
# A long run under a load that never settles; writes docs/SOAK.md.
#
#	make soak
#	make soak SOAK_MINUTES=5 SOAK_EVERY=2 SOAK_DUTY=0.5
#
# SOAK_EVERY: seconds between samples; SOAK_DUTY: the share of time the load is at work.

SOAK_MINUTES := 60
SOAK_EVERY   := 5
SOAK_DUTY    := 1

.PHONY: soak
soak:
	@scripts/deps
	@$(AGAIN) all workloads
	$(PYTHON) tests/soak/run.py --minutes $(SOAK_MINUTES) --every $(SOAK_EVERY) --duty $(SOAK_DUTY)
