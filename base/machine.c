// SPDX-License-Identifier: GPL-2.0-only
#include "base/machine.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define FIRST_PID_NAMESPACE 0xeffffffc /* PROC_PID_INIT_INO of linux/proc_ns.h */

static struct utsname here;
static char other_name[256], other_kernel[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask(void)
{
	uname(&here);
}

const char *machine__name(void)
{
	pthread_once(&once, ask);
	return *other_name ? other_name : here.nodename;
}

const char *machine__kernel(void)
{
	pthread_once(&once, ask);
	return *other_kernel ? other_kernel : here.release;
}

bool machine__has_own_pids(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_PID_NAMESPACE;
}

void machine__set(const char *name, const char *kernel)
{
	copy_str(other_name, sizeof(other_name), *name ? name : "unknown");
	copy_str(other_kernel, sizeof(other_kernel), *kernel ? kernel : "unknown");
}
