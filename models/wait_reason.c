// SPDX-License-Identifier: GPL-2.0-only
/* What a thread waits for: from its frames, else its system call, else its state. */
#include "models/wait_reason.h"

#include <sys/syscall.h>

#include "bpf/sched.h"
#include "models/waits.h"

const struct wait_reason_row wait_reasons[WAIT_REASONS] = {
#define WAIT_REASON(id, text, what, about)                                                         \
	[WAIT_##id] = {.name = text, .class = CLASS_##what, .help = about},
#include "models/wait_reasons.def"
#undef WAIT_REASON
};

/* --- names --- */

struct names {
	enum wait_says says;
	enum wait_reason reason;
	const char *const *list;
	u32 n;
};

#define NAMES(what, why, ...)                                                                      \
	{.says = (what),                                                                           \
	 .reason = (why),                                                                          \
	 .list = (const char *const[]){__VA_ARGS__},                                               \
	 .n = ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))},

static const struct names kernel_names[] = {
#define WAIT_NAMES(what, why, ...) NAMES(SAYS_##what, WAIT_##why, __VA_ARGS__)
#define WAIT_USER_NAMES(...)
#include "models/wait_reason_names.def"
#undef WAIT_NAMES
#undef WAIT_USER_NAMES
};

static const struct names user_names[] = {
#define WAIT_NAMES(...)
#define WAIT_USER_NAMES(why, ...) NAMES(SAYS_REASON, WAIT_##why, __VA_ARGS__)
#include "models/wait_reason_names.def"
#undef WAIT_NAMES
#undef WAIT_USER_NAMES
};

/* Entries of system calls: the part before what they are called in all architectures. */
static const char *const entry_prefixes[] = {
	"__x64_sys_",	     "__arm64_sys_",	    "__ia32_sys_", "__ia32_compat_sys_",
	"__x64_compat_sys_", "__arm64_compat_sys_", "__se_sys_",   "__do_sys_",
	"__se_compat_sys_",  "__do_compat_sys_"};

/* "__x64_sys_poll" is "sys_poll", "do_poll.constprop.0" is "do_poll". */
static void plain_name(char *buf, size_t size, const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(entry_prefixes); i++) {
		size_t n = strlen(entry_prefixes[i]);

		if (strncmp(name, entry_prefixes[i], n))
			continue;
		name += n;
		copy_str(buf, size, "sys_");
		buf += 4;
		size -= 4;
		break;
	}
	copy_str(buf, size, name);
	buf[strcspn(buf, ".")] = '\0';
}

static bool pattern_matches(const char *pattern, const char *name)
{
	while (*pattern && *pattern == *name) {
		pattern++;
		name++;
	}
	return *pattern == '*' || *pattern == *name;
}

static const struct names *says(const char *name)
{
	char plain[64];

	plain_name(plain, sizeof(plain), name);
	for (u32 i = 0; i < ARRAY_SIZE(kernel_names); i++)
		for (u32 k = 0; k < kernel_names[i].n; k++)
			if (pattern_matches(kernel_names[i].list[k], plain))
				return &kernel_names[i];
	return NULL;
}

/* --- kernel frames --- */

/* What a caller knows better: what is read in is for a fault, a socket's data a connection. */
static bool knows_better(enum wait_reason reason, enum wait_reason caller)
{
	switch (reason) {
	case WAIT_DISK:
		return caller == WAIT_FAULT || caller == WAIT_NETWORK;
	case WAIT_NETWORK:
		return caller == WAIT_ACCEPT;
	case WAIT_KERNEL_LOCK:
		return caller == WAIT_LOCK;
	default:
		return false;
	}
}

struct reading {
	struct wait_clue *c;
	bool naming; /* all frames so far were passed */
	bool firm;   /* the reason is more than a hint */
	u32 named;   /* frames since then */
};

static void read_reason(struct reading *r, const struct names *w)
{
	struct wait_clue *c = r->c;
	bool hint = w->says == SAYS_HINT;

	if (w->reason == WAIT_WORKER && c->working)
		return;
	if (c->futex ? w->reason != WAIT_LOCK : r->firm && !knows_better(c->reason, w->reason))
		return;
	if (hint && c->reason != WAIT_REASONS)
		return;
	c->reason = w->reason;
	r->firm = !hint;
}

static void read_frame(struct reading *r, const char *name)
{
	const struct names *w = name ? says(name) : NULL;
	enum wait_says what = w ? w->says : SAYS_NOTHING;

	if (what != SAYS_PASS && what != SAYS_HINT && what != SAYS_LOCK)
		r->naming = false;
	if (r->naming)
		r->c->passed++;
	if (what == SAYS_FUTEX)
		r->c->futex |= !r->firm;
	else if (what == SAYS_WORK)
		r->c->working = true;
	else if (w && w->reason != WAIT_UNKNOWN)
		read_reason(r, w);
}

/* How hardware interrupts enter the kernel: x86-64, arm64, and what runs when they are done. */
static bool enters_interrupt(const char *name)
{
	static const char *const starts[] = {"asm_sysvec_", "asm_common_interrupt", "el1h_64_irq",
					     "el0t_64_irq", "__irq_exit_rcu",	    "irq_exit_rcu"};

	for (u32 i = 0; name && i < ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* What a tracepoint calls: how many of them are on the stack differs from event to event. */
static bool is_tracer(const char *name)
{
	static const char *const starts[] = {"bpf_prog_", "bpf_trace_run", "__bpf_trace_",
					     "__traceiter_", "bpf_trampoline_"};

	for (u32 i = 0; name && i < ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

void wait_clue__read(struct wait_clue *c, const char *const *names, u32 n)
{
	struct reading r = {.c = c, .naming = true};

	*c = (struct wait_clue){.reason = WAIT_REASONS};
	for (u32 i = 0; i < n; i++) {
		if (c->tracer == i && is_tracer(names[i])) {
			c->passed = ++c->tracer;
			continue;
		}
		read_frame(&r, names[i]);
		c->interrupt |= enters_interrupt(names[i]);
		if (names[i] && !strcmp(names[i], "kthread"))
			c->shallow = i <= c->passed + 1;
	}
}

/* --- futexes --- */

static enum wait_reason use_named(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(user_names); i++)
		for (u32 k = 0; k < user_names[i].n; k++)
			if (strstr(name, user_names[i].list[k]))
				return user_names[i].reason;
	return WAIT_REASONS;
}

enum wait_reason wait_futex__use(const char *const *names, u32 n)
{
	enum wait_reason use = WAIT_REASONS;

	for (u32 i = 0; i < n && use == WAIT_REASONS; i++)
		if (names[i])
			use = use_named(names[i]);
	return use;
}

/* linux/futex.h; the rest of the operation are flags. */
#define FUTEX_CMD(op)	   ((op)&0x7f)
#define OP_WAIT		   0
#define OP_WAIT_BITSET	   9
#define OP_WAIT_REQUEUE_PI 11
#define NR_FUTEX_WAITV	   449 /* in all architectures */
#define NR_FUTEX_WAIT	   455

/*
 * The C library locks by FUTEX_WAIT, and so does what programs make of it themselves, as do their
 * semaphores and events: the value tells. What has no owner waits by FUTEX_WAIT_BITSET, to have an
 * absolute timeout (glibc's pthread_cond_wait, sem_wait, pthread_join).
 */
static enum wait_reason futex_reason(const struct wait_context *ctx)
{
	if (ctx->use != WAIT_REASONS)
		return ctx->use;
	if (ctx->syscall == NR_FUTEX_WAITV || ctx->syscall == NR_FUTEX_WAIT)
		return WAIT_CONDITION;
	switch (FUTEX_CMD(ctx->futex_op)) {
	case OP_WAIT_BITSET:
	case OP_WAIT_REQUEUE_PI:
		return WAIT_CONDITION;
	case OP_WAIT:
		return ctx->futex_op & SCHED_FUTEX_FREE ? WAIT_CONDITION : WAIT_LOCK;
	default:
		return WAIT_LOCK;
	}
}

/* --- system calls --- */

/* any: whatever the state; else only when the sleep cannot be interrupted. */
static const struct syscall_reason {
	u32 nr;
	enum wait_reason reason;
	bool any;
} syscall_reasons[] = {
#ifdef SYS_poll
	{SYS_poll, WAIT_POLL, true},
#endif
#ifdef SYS_select
	{SYS_select, WAIT_POLL, true},
#endif
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, WAIT_POLL, true},
#endif
#ifdef SYS_pause
	{SYS_pause, WAIT_SIGNAL, true},
#endif
#ifdef SYS_vfork
	{SYS_vfork, WAIT_CHILD, true},
#endif
	{SYS_ppoll, WAIT_POLL, true},
	{SYS_pselect6, WAIT_POLL, true},
	{SYS_epoll_pwait, WAIT_POLL, true},
	{441 /* epoll_pwait2 */, WAIT_POLL, true},
	{SYS_io_uring_enter, WAIT_POLL, true},
	{SYS_io_getevents, WAIT_POLL, true},
	{SYS_io_pgetevents, WAIT_POLL, true},
	{SYS_nanosleep, WAIT_SLEEP, true},
	{SYS_clock_nanosleep, WAIT_SLEEP, true},
	{SYS_wait4, WAIT_CHILD, true},
	{SYS_waitid, WAIT_CHILD, true},
	{SYS_clone, WAIT_CHILD, false},
	{SYS_clone3, WAIT_CHILD, false},
	{SYS_accept, WAIT_ACCEPT, true},
	{SYS_accept4, WAIT_ACCEPT, true},
	{SYS_connect, WAIT_NETWORK, true},
	{SYS_recvfrom, WAIT_NETWORK, true},
	{SYS_recvmsg, WAIT_NETWORK, true},
	{SYS_recvmmsg, WAIT_NETWORK, true},
	{SYS_sendto, WAIT_NETWORK, true},
	{SYS_sendmsg, WAIT_NETWORK, true},
	{SYS_sendmmsg, WAIT_NETWORK, true},
	{SYS_rt_sigsuspend, WAIT_SIGNAL, true},
	{SYS_rt_sigtimedwait, WAIT_SIGNAL, true},
	{SYS_flock, WAIT_LOCK, true},
	{SYS_semop, WAIT_CONDITION, true},
	{SYS_semtimedop, WAIT_CONDITION, true},
	{SYS_msgrcv, WAIT_PIPE, true},
	{SYS_msgsnd, WAIT_PIPE, true},
	{SYS_mq_timedreceive, WAIT_PIPE, true},
	{SYS_mq_timedsend, WAIT_PIPE, true},
	{SYS_splice, WAIT_PIPE, true},
	{SYS_tee, WAIT_PIPE, true},
	{SYS_fsync, WAIT_DISK, true},
	{SYS_fdatasync, WAIT_DISK, true},
	{SYS_sync, WAIT_DISK, true},
	{SYS_syncfs, WAIT_DISK, true},
	{SYS_sync_file_range, WAIT_DISK, true},
	{SYS_msync, WAIT_DISK, true},
	{SYS_exit, WAIT_EXIT, true},
	{SYS_exit_group, WAIT_EXIT, true},
	{SYS_read, WAIT_DISK, false},
	{SYS_readv, WAIT_DISK, false},
	{SYS_pread64, WAIT_DISK, false},
	{SYS_preadv, WAIT_DISK, false},
	{SYS_preadv2, WAIT_DISK, false},
	{SYS_write, WAIT_DISK, false},
	{SYS_writev, WAIT_DISK, false},
	{SYS_pwrite64, WAIT_DISK, false},
	{SYS_pwritev, WAIT_DISK, false},
	{SYS_pwritev2, WAIT_DISK, false},
	{SYS_sendfile, WAIT_DISK, false},
};

static enum wait_reason syscall_reason(const struct wait_context *ctx)
{
	bool disk_state = ctx->state == TASK_STATE_DISK;

	if (ctx->syscall == WAIT_NO_SYSCALL)
		return WAIT_REASONS;
	if (ctx->syscall == SYS_futex || ctx->syscall == NR_FUTEX_WAITV ||
	    ctx->syscall == NR_FUTEX_WAIT)
		return futex_reason(ctx);
	for (u32 i = 0; i < ARRAY_SIZE(syscall_reasons); i++)
		if (syscall_reasons[i].nr == ctx->syscall && (syscall_reasons[i].any || disk_state))
			return syscall_reasons[i].reason;
	return WAIT_REASONS;
}

/* --- together --- */

/* What a kernel thread does between two pieces of work, by its own means. */
static bool idles(enum wait_reason reason)
{
	return reason == WAIT_REASONS || reason == WAIT_WORKER || reason == WAIT_SLEEP ||
	       reason == WAIT_POLL || reason == WAIT_NETWORK || reason == WAIT_ACCEPT ||
	       reason == WAIT_SIGNAL;
}

static enum wait_reason kthread_reason(const struct wait_clue *c, const struct wait_context *ctx)
{
	bool uninterruptible = ctx->state == TASK_STATE_DISK;
	enum wait_reason reason = c ? c->reason : WAIT_REASONS;

	if (c && c->working)
		return reason == WAIT_REASONS ? WAIT_UNKNOWN : reason;
	if (ctx->state == TASK_STATE_IDLE || reason == WAIT_WORKER)
		return WAIT_WORKER;
	if (idles(reason) && (!uninterruptible || (c && c->shallow)))
		return WAIT_WORKER;
	return reason == WAIT_REASONS ? WAIT_UNKNOWN : reason;
}

static enum wait_reason user_reason(const struct wait_clue *c, const struct wait_context *ctx)
{
	enum wait_reason reason = WAIT_REASONS;

	if (c && c->reason != WAIT_REASONS)
		return c->reason;
	if (c && c->futex)
		return futex_reason(ctx);
	reason = syscall_reason(ctx);
	if (reason == WAIT_REASONS && ctx->state == TASK_STATE_IDLE)
		return WAIT_WORKER;
	if (reason == WAIT_REASONS && ctx->state == TASK_STATE_OTHER)
		return WAIT_EXIT;
	return reason == WAIT_REASONS ? WAIT_UNKNOWN : reason;
}

enum wait_reason wait_reason__judge(const struct wait_clue *c, const struct wait_context *ctx)
{
	if (ctx->state == TASK_STATE_RUNNABLE)
		return WAIT_PREEMPTED;
	if (ctx->state == TASK_STATE_STOPPED || ctx->state == TASK_STATE_TRACED)
		return WAIT_STOPPED;
	return ctx->kthread ? kthread_reason(c, ctx) : user_reason(c, ctx);
}
