# SPDX-License-Identifier: GPL-2.0-only
# `make check` looks at debian/ (package/debian.py). `make check-deb` builds the packages of what
# is committed, has lintian look at them, and installs them in a root of its own, where they have
# to run.

PACKAGE_CHECK := tests/package/debian.py

.PHONY: check-deb
check-deb: deb workloads
	$(PYTHON) tests/package/installed.py $(B)/packages
