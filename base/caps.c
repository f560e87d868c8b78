/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/caps.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FILES	  (CAP_BIT(CAP_DAC_READ_SEARCH) | CAP_BIT(CAP_DAC_OVERRIDE))
#define PROCESSES CAP_BIT(CAP_SYS_PTRACE)

static u64 given_up;

static u64 read_set(cap_flag_t which)
{
	cap_t caps = cap_get_proc();
	cap_flag_value_t on;
	u64 set = 0;

	for (int c = 0; caps && c < 64 && !cap_get_flag(caps, c, which, &on); c++)
		if (on == CAP_SET)
			set |= CAP_BIT(c);
	if (caps)
		cap_free(caps);
	return set;
}

u64 caps__effective(void)
{
	return read_set(CAP_EFFECTIVE);
}

/* Maps were locked memory before 5.11, for which a limit has to be raised. */
static bool maps_are_locked_memory(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 11));
}

/* What is written to their files is told by programs that need the types of these modules, and
 * sys_admin alone may read those. */
static bool file_systems_are_modules(void)
{
	return !access("/sys/kernel/btf/ext4", F_OK) || !access("/sys/kernel/btf/xfs", F_OK) ||
	       !access("/sys/kernel/btf/f2fs", F_OK);
}

static void add(cap_t caps, cap_flag_t flag, u64 set)
{
	for (cap_value_t c = 0; c < 64; c++)
		if (set & CAP_BIT(c))
			cap_set_flag(caps, flag, 1, &c, CAP_SET);
}

static int put(u64 permitted, u64 effective)
{
	cap_t caps = cap_init();
	int err;

	if (!caps)
		return -errno;
	add(caps, CAP_PERMITTED, permitted);
	add(caps, CAP_EFFECTIVE, effective);
	err = cap_set_proc(caps) ? -errno : 0;
	cap_free(caps);
	return err;
}

/* Whether perf_event_open is refused with these. */
static bool events_refused(u64 permitted, u64 effective)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .disabled = 1};
	int fd;

	if (put(permitted, effective))
		return false;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

/* Distributions' kernels with a perf_event_paranoid of 3 and above may ask for more than perfmon.
 */
static bool events_take_admin(u64 effective)
{
	u64 permitted = read_set(CAP_PERMITTED);
	bool refused = events_refused(permitted, effective & ~CAP_BIT(CAP_SYS_ADMIN));

	put(permitted, effective);
	return refused;
}

u64 caps__needed(u64 have, bool with_command)
{
	const u64 both = CAP_BIT(CAP_BPF) | CAP_BIT(CAP_PERFMON);
	u64 set = both | CAP_BIT(CAP_SYS_PTRACE) | CAP_BIT(CAP_CHECKPOINT_RESTORE) |
		  CAP_BIT(CAP_DAC_READ_SEARCH) | CAP_BIT(CAP_SYSLOG) | CAP_BIT(CAP_IPC_LOCK) |
		  CAP_BIT(CAP_DAC_OVERRIDE);

	if (with_command)
		set |= CAP_BIT(CAP_KILL);
	if (maps_are_locked_memory())
		set |= CAP_BIT(CAP_SYS_RESOURCE);
	if ((have & both) != both || file_systems_are_modules())
		set |= CAP_BIT(CAP_SYS_ADMIN);
	return have & set;
}

int caps__keep(u64 set)
{
	u64 permitted = read_set(CAP_PERMITTED), effective = caps__effective();
	int err;

	if (effective & ~set & CAP_BIT(CAP_SYS_ADMIN) && events_take_admin(effective))
		set |= CAP_BIT(CAP_SYS_ADMIN);
	err = put(permitted & set, effective & set);

	if (!err)
		given_up = permitted & ~set;
	return err;
}

int caps__keep_alone(u64 set)
{
	set &= read_set(CAP_PERMITTED);
	return put(set, set);
}

u64 caps__given_up(void)
{
	return given_up;
}

void caps__seal(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

const char *caps__names(u64 set, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, "none");
	for (cap_value_t c = 0; c < 64; c++) {
		char *name = set & CAP_BIT(c) ? cap_to_name(c) : NULL;

		if (!name)
			continue;
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "",
						strncmp(name, "cap_", 4) ? name : name + 4);
		cap_free(name);
	}
	return buf;
}

u64 caps__for_deeds(u64 have)
{
	return getuid() ? 0 : have & (CAP_BIT(CAP_KILL) | CAP_BIT(CAP_SYS_NICE));
}

/* Whether there is something to lay down for a moment; *effective is what to take up again. */
static bool lay_down(u64 set, u64 *effective)
{
	*effective = getuid() ? caps__effective() : 0;
	return *effective & set && !put(read_set(CAP_PERMITTED), *effective & ~set);
}

static void take_up(u64 effective)
{
	int err = errno;

	put(read_set(CAP_PERMITTED), effective);
	errno = err;
}

int caps__open_for_caller(const char *path)
{
	u64 effective;
	bool down = lay_down(FILES | PROCESSES, &effective);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (down)
		take_up(effective);
	return fd;
}

int caps__handle_for_caller(int dir, const char *path, u64 resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	u64 effective;
	bool down = lay_down(FILES, &effective);
	/* Sandboxes that do not know openat2 yet refuse it: it is for what openat cannot say. */
	int fd = resolve ? (int)syscall(SYS_openat2, dir, path, &how, sizeof(how))
			 : openat(dir, path, O_PATH | O_CLOEXEC);

	if (down)
		take_up(effective);
	if (fd < 0)
		return -errno;
	/* By the real user's rights, which have no capabilities (access(2)). */
	if (!down || !faccessat(fd, "", R_OK, AT_EMPTY_PATH))
		return fd;
	close(fd);
	return -EACCES;
}
