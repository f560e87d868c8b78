// SPDX-License-Identifier: GPL-2.0-only
/* Where names come from, and what the terminal shows. */
#include <dirent.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kcore.h"
#include "sources/doctor_checks.h"

#define SYMBOLS	 "symbols"
#define TERMINAL "terminal"

/* Whether any of the first addresses is not zero. */
static bool addresses_visible(FILE *f)
{
	unsigned long long address = 0;
	char line[512];

	for (int i = 0; i < 64 && !address && fgets(line, sizeof(line), f); i++)
		address = strtoull(line, NULL, 16);
	return address != 0;
}

static void check_kallsyms(struct checks *c)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	bool ok = f && addresses_visible(f);

	checks__add(c, SYMBOLS, "kernel function names", ok ? CHECK_OK : CHECK_LIMITED,
		    ok ? ""
		       : "run with sudo, or: sudo sysctl kernel.kptr_restrict=0 "
			 "kernel.perf_event_paranoid=1",
		    "%s",
		    ok	? "/proc/kallsyms with addresses"
		    : f ? "/proc/kallsyms hides its addresses: kernel code is one row"
			: "no /proc/kallsyms: kernel code is one row");
	if (f)
		fclose(f);
}

static void check_kcore(struct checks *c)
{
	int fd = kcore__open();
	bool there = !access("/proc/kcore", F_OK);

	checks__add(c, SYMBOLS, "kernel code", fd >= 0 ? CHECK_OK : CHECK_MISSING,
		    fd >= 0 ? ""
		    : there ? "run with sudo"
			    : "boot a kernel with CONFIG_PROC_KCORE=y",
		    fd >= 0 ? "/proc/kcore: kernel functions can be annotated"
			    : "/proc/kcore cannot be read: no annotated kernel functions");
	if (fd >= 0)
		close(fd);
}

static void check_debug_files(struct checks *c)
{
	bool ok = !access("/usr/lib/debug/.build-id", R_OK | X_OK);

	checks__add(c, SYMBOLS, "separate debug files", ok ? CHECK_OK : CHECK_MISSING,
		    ok ? "" : "install the debug package of what you look at, such as libc6-dbg",
		    ok ? "/usr/lib/debug"
		       : "none in /usr/lib/debug: stripped programs show exported names only, "
			 "no lines");
}

static void check_debuginfod(struct checks *c)
{
	checks__add(c, SYMBOLS, "debuginfod", CHECK_OK, "",
		    "not used: names come from files of this machine only");
}

/* Whether a process that is not this user's (for root: any other) lets us follow its root. */
static bool root_reachable(const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s", pid);
	if (stat(path, &st) || (geteuid() && st.st_uid == geteuid()))
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/root/", pid);
	return access(path, X_OK) == 0;
}

#define ROOTS_TRIED 64

static void check_other_roots(struct checks *c)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	bool ok = false;

	for (int n = 0; proc && !ok && n < ROOTS_TRIED && (d = readdir(proc));) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9' || atoi(d->d_name) == getpid())
			continue;
		ok = root_reachable(d->d_name);
		n++;
	}
	if (proc)
		closedir(proc);
	checks__add(c, SYMBOLS, "files of other processes", ok ? CHECK_OK : CHECK_LIMITED,
		    ok ? "" : "run with sudo, or give CAP_SYS_PTRACE", "%s",
		    ok ? "/proc/PID/root can be followed: containers too"
		       : "own processes only: others' functions have no names");
}

void doctor__symbols(struct checks *c)
{
	check_kallsyms(c);
	check_kcore(c);
	check_debug_files(c);
	check_debuginfod(c);
	check_other_roots(c);
}

static void check_locale(struct checks *c)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	const char *set = l ? nl_langinfo_l(CODESET, l) : "an unknown locale";
	bool ok = !strcmp(set, "UTF-8");

	checks__add(c, TERMINAL, "characters", ok ? CHECK_OK : CHECK_LIMITED,
		    ok ? "" : "export LC_ALL=C.UTF-8", "%s%s", set,
		    ok ? "" : ": drawn with ASCII only, as --ascii does");
	if (l)
		freelocale(l);
}

static void check_colors(struct checks *c)
{
	const char *term = getenv("TERM"), *deep = getenv("COLORTERM");

	if (!term || !*term || !strcmp(term, "dumb"))
		checks__add(c, TERMINAL, "TERM", CHECK_MISSING,
			    "export TERM=xterm-256color, or use --batch",
			    "%s: cannot place the cursor", term && *term ? term : "not set");
	else if (getenv("NO_COLOR"))
		checks__add(c, TERMINAL, "TERM", CHECK_LIMITED, "unset NO_COLOR",
			    "%.60s, no colours: NO_COLOR is set", term);
	else
		checks__add(c, TERMINAL, "TERM", CHECK_OK, "", "%.60s, %s", term,
			    deep && *deep	       ? "true colours"
			    : strstr(term, "256color") ? "256 colours"
						       : "few colours");
}

static void check_size(struct checks *c)
{
	struct winsize w = {0};
	bool small;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col) {
		checks__add(c, TERMINAL, "size", CHECK_OK, "", "no terminal at the moment");
		return;
	}
	small = w.ws_col < 40 || w.ws_row < 8;
	checks__add(c, TERMINAL, "size", small ? CHECK_MISSING : CHECK_OK,
		    small ? "make the window at least 40x8" : "", "%ux%u", w.ws_col, w.ws_row);
}

void doctor__terminal(struct checks *c)
{
	check_locale(c);
	check_colors(c);
	check_size(c);
}
