// SPDX-License-Identifier: GPL-2.0-only
#include "sources/rate_guard.h"

#include <errno.h>
#include <link.h>

#include "base/clock.h"

#define OWN_CALLS 200

double rate_guard__pct(u64 per_second, u64 cost_ns)
{
	return (double)per_second * (double)cost_ns / 1e7;
}

int rate_guard__check(const char *what, const char *events, u64 per_second, u64 cost_ns,
		      const char *how, struct status *st)
{
	double pct = rate_guard__pct(per_second, cost_ns);

	if (pct <= RATE_GUARD_PCT)
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EINVAL,
			   "%.100s: its %s come %llu times a second, which would take about %.0f%% "
			   "of a CPU; %s to have it all the same",
			   what, events, (unsigned long long)per_second, pct, how);
}

bool rate_watch__look(struct rate_watch *w, u64 now_ns, u64 count)
{
	u64 took = now_ns - w->since_ns;

	if (w->since_ns && took < NSEC_PER_SEC)
		return false;
	*w = (struct rate_watch){
		.since_ns = now_ns,
		.count = count,
		.per_second = w->since_ns ? (u64)((double)(count - w->count) * 1e9 / (double)took) : 0,
	};
	return true;
}

/* --- what a call costs --- */

static volatile u32 own_calls;

__attribute__((noinline)) static void own_function(void)
{
	asm volatile(""); /* so that no compiler makes another one of it */
	own_calls++;
}

/* Its first instruction is one that the kernel emulates. */
#if defined(__x86_64__)
void own_push(void);
asm(".text\n"
    ".type own_push, @function\n"
    "own_push:\n"
    "	push %rbp\n"
    "	pop %rbp\n"
    "	ret\n"
    ".size own_push, . - own_push\n");
#else
#define own_push own_function
#endif

struct own_place {
	u64 address, offset;
	bool found;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct own_place *p = ctx;

	for (u32 i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		u64 at = p->address - info->dlpi_addr;

		if (h->p_type != PT_LOAD || at - h->p_vaddr >= h->p_filesz)
			continue;
		p->offset = at - h->p_vaddr + h->p_offset;
		p->found = true;
	}
	return 1; /* the program itself comes first */
}

/* In the thread's own time: other threads may want the CPU. */
static u64 time_calls(void (*volatile call)(void))
{
	u64 begin = clock__thread_cpu_ns();

	for (u32 i = 0; i < OWN_CALLS; i++)
		call();
	return (clock__thread_cpu_ns() - begin) / OWN_CALLS;
}

static u64 cost_of(void (*function)(void), rate_guard_attach attach, void (*detach)(void *ctx), void *ctx)
{
	struct own_place place = {.address = (u64)(uintptr_t)function};
	u64 best = 0;

	dl_iterate_phdr(find_place, &place);
	if (!place.found || attach(ctx, "/proc/self/exe", place.offset))
		return 0;
	time_calls(function);
	for (u32 i = 0; i < 3; i++) {
		u64 ns = time_calls(function);

		best = best ? MIN(best, ns) : ns;
	}
	detach(ctx);
	return best;
}

u64 rate_guard__cost(rate_guard_attach attach, void (*detach)(void *ctx), void *ctx)
{
	return cost_of(own_function, attach, detach, ctx);
}

u64 rate_guard__cost_of_push(rate_guard_attach attach, void (*detach)(void *ctx), void *ctx)
{
	return cost_of(own_push, attach, detach, ctx);
}
