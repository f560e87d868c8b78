// SPDX-License-Identifier: GPL-2.0-only
/* What system calls return. */
#include "measures/syscall_args.h"

#include <inttypes.h>
#include <stdio.h>

/* The kernel takes return values from -4095 on for errors (its MAX_ERRNO). */
#define ERRORS 4095
/* No count and no number is as large on the machines that there are, and programs' mappings are
 * mostly above; an offset in a file may be. */
#define ADDRESSES (1LL << 40)

/* Of the kernel alone, in its include/linux/errno.h, which programs have no header of. They are
 * seen by who looks from inside: a call that a signal interrupts is begun anew or ends as EINTR. */
#define INTERNAL_FIRST 512
static const char *const internal[] = {
	"ERESTARTSYS",
	"ERESTARTNOINTR",
	"ERESTARTNOHAND",
	"ENOIOCTLCMD",
	"ERESTART_RESTARTBLOCK",
	"EPROBE_DEFER",
	"EOPENSTALE",
	"ENOPARAM",
	NULL,
	"EBADHANDLE",
	"ENOTSYNC",
	"EBADCOOKIE",
	"ENOTSUPP",
	"ETOOSMALL",
	"ESERVERFAULT",
	"EBADTYPE",
	"EJUKEBOX",
	"EIOCBQUEUED",
	"ERECALLCONFLICT",
};

const char *errno_name(u32 err)
{
	if (err >= INTERNAL_FIRST && err - INTERNAL_FIRST < ARRAY_SIZE(internal))
		return internal[err - INTERNAL_FIRST];
	return err && err <= ERRORS ? strerrorname_np((int)err) : NULL;
}

/* Beyond the last one that has a name, too. */
const struct measure_range errno_values[] = {{0, 600}, {0}};

void errno__text(u64 err, char *buf, size_t size)
{
	const char *name = err ? errno_name((u32)err) : "";

	if (name)
		copy_str(buf, size, name);
	else
		snprintf(buf, size, "errno %llu", (unsigned long long)err);
}

void syscall_ret__text(s64 ret, char *buf, size_t size)
{
	const char *name = ret < 0 && ret >= -ERRORS ? errno_name((u32)-ret) : NULL;

	if (name)
		snprintf(buf, size, "-1 %s", name);
	else if (ret < 0 && ret >= -ERRORS)
		snprintf(buf, size, "-1 errno %" PRId64, -ret);
	else if (ret < 0 || ret >= ADDRESSES)
		snprintf(buf, size, "0x%" PRIx64, (u64)ret);
	else
		snprintf(buf, size, "%" PRId64, ret);
}
