// SPDX-License-Identifier: GPL-2.0-only
/* Look-ups of names: how many, and how many of what is not there. */
#include "tests/live/cache_watcher.h"

#include "sources/cache_dentry.h"

struct names {
	u64 lookups, negative, others;
	struct dentry_state_sample state;
};

static void names__put(void *ctx, const struct sample *x)
{
	const struct dentry_sample *d = (const void *)x;
	struct names *n = ctx;

	if (x->type == SAMPLE_DENTRY_STATE) {
		n->state = *(const struct dentry_state_sample *)x;
	} else if (x->type == SAMPLE_DENTRY && d->tgid == (u32)getpid()) {
		n->lookups += d->lookups;
		n->negative += d->negative;
	} else {
		n->others++;
	}
}

static void names(void **state)
{
	const struct sampling how = {.interval_s = 1};
	struct names n = {0};
	const struct sample_sink sink = {names__put, &n};
	struct sampler filter = {0};
	struct status st = {0};
	struct stat about;
	struct source *s;
	char expr[32];

	snprintf(expr, sizeof(expr), "pid=%d", getpid());
	s = source_cache_dentry.open(&how, sampler__scope(&filter, expr), &st);
	if (!s)
		fail_msg("%s", st.msg);
	source_cache_dentry.drain(s, true, &sink);
	n = (struct names){0};
	for (int i = 0; i < 100; i++) {
		assert_int_equal(stat("/etc/passwd", &about), 0);
		assert_int_equal(access("/etc/no such file", F_OK), -1);
		assert_int_equal(open("/etc/passwd/below", O_RDONLY), -1);
		assert_int_equal(fstat(STDOUT_FILENO, &about), 0);
		getppid();
	}
	source_cache_dentry.drain(s, true, &sink);
	/* What /proc/sys/fs/dentry-state is opened for, too. */
	assert_in_range(n.lookups, 300, 304);
	assert_int_equal(n.negative, 200);
	assert_int_equal(n.others, 0);
	assert_true(n.state.dentries > n.state.unused);
	source_cache_dentry.close(s);
	sampler__put_scope(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
