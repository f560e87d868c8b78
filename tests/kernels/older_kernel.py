#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""One kernel that is older than most machines' own, booted and measured on: a case a view."""
import run

SUITE = "trixie"

if __name__ == "__main__":
    run.check_one(SUITE)
