# SPDX-License-Identifier: GPL-2.0-only
# Other kernels, booted under qemu by emulation.
#
#	make check-kernels			all of them; writes docs/KERNELS.md
#	make check-kernels KERNELS=bullseye	one of bullseye, bookworm, trixie, sid, bookworm-arm64
#	make check-live KERNELS=bookworm PROGRAMS="faults gone"	the live suite's programs in a guest
#
# `make check` boots one (kernels/older_kernel.py).

KERNELS       :=
KERNELS_CHECK := tests/kernels/older_kernel.py

PROGRAMS      :=

.PHONY: check-kernels check-live
check-kernels:
	@scripts/deps
	@scripts/deps matrix
	@$(AGAIN) all workloads
	$(PYTHON) tests/kernels/run.py $(KERNELS)

check-live:
	@scripts/deps
	@$(AGAIN) all workloads $(LIVE_BIN)
	$(PYTHON) tests/kernels/suite.py $(or $(KERNELS),trixie) $(PROGRAMS)
