# SPDX-License-Identifier: GPL-2.0-only
# Other kernels, booted under qemu by emulation.
#
#	make check-kernels			all of them; writes docs/KERNELS.md
#	make check-kernels KERNELS=bullseye	one of bullseye, bookworm, trixie, sid, bookworm-arm64
#
# `make check` boots one (kernels/older_kernel.py).

KERNELS       :=
KERNELS_CHECK := tests/kernels/older_kernel.py

.PHONY: check-kernels
check-kernels:
	@scripts/deps
	@scripts/deps matrix
	@$(AGAIN) all workloads
	$(PYTHON) tests/kernels/run.py $(KERNELS)
