/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CORE_CAPS_H
#define CORE_CAPS_H

#include "core/base.h"

/* This process's effective capabilities, a bit per CAP_ number; by libcap. Any thread. */
u64 caps__effective(void);

#endif
