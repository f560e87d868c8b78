/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/caps.h"

#include <sys/capability.h>

u64 caps__effective(void)
{
	cap_t caps = cap_get_proc();
	cap_flag_value_t on;
	u64 set = 0;

	for (int c = 0; caps && c < 64 && !cap_get_flag(caps, c, CAP_EFFECTIVE, &on); c++)
		if (on == CAP_SET)
			set |= 1ULL << c;
	if (caps)
		cap_free(caps);
	return set;
}
