/* SPDX-License-Identifier: GPL-2.0-only */
#include "work.h"

void late_function(void);

NOINLINE void late_function(void)
{
	burn(BURN_ROUNDS);
}
