/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

int status__set(struct status *st, enum exit_code code, int err, const char *fmt, ...)
{
	va_list ap;

	if (st) {
		st->code = code;
		va_start(ap, fmt);
		vsnprintf(st->msg, sizeof(st->msg), fmt, ap);
		va_end(ap);
	}
	return err;
}

enum exit_code exit_code__from_errno(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return EXIT_CODE_OK;
	case EPERM:
	case EACCES:
		return EXIT_CODE_PERMISSION;
	case ENOSYS:
	case EOPNOTSUPP:
	case ENODEV:
		return EXIT_CODE_UNSUPPORTED;
	default:
		return EXIT_CODE_FAILURE;
	}
}
