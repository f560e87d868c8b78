// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of C++ of which each is known: heap_news N SIZE. On each SIGUSR1 the next step, and a line
 * that says how many are held then. The first ones are one for each form of operator new (plain, array,
 * nothrow, aligned, array_aligned, aligned_nothrow), which keeps N objects, and so do, where the
 * allocator has them, its own_ways: mallocx and rallocx, mimalloc's aligned ones. The last deletes all,
 * by the forms that go with them.
 */
#include <new>

extern "C" {
#include "work.h"
}

#define WEAK extern "C" __attribute__((weak))
WEAK void *mallocx(size_t size, int flags);
WEAK void *rallocx(void *p, size_t size, int flags);
WEAK void dallocx(void *p, int flags);
WEAK void sdallocx(void *p, size_t size, int flags);
WEAK void *mi_malloc_aligned(size_t size, size_t alignment);
WEAK void *mi_zalloc_aligned(size_t size, size_t alignment);
WEAK void *mi_realloc_aligned(void *p, size_t size, size_t alignment);
WEAK void mi_free_size_aligned(void *p, size_t size, size_t alignment);
WEAK void mi_free(void *p);

static const std::align_val_t alignment{64};
static volatile size_t size;
static int n;
static void **kept[7];

static NOINLINE void plain(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = operator new(size);
}

static NOINLINE void array(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = operator new[](size);
}

static NOINLINE void nothrow(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = i % 2 ? operator new(size, std::nothrow) : operator new[](size, std::nothrow);
}

static NOINLINE void aligned(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = operator new(size, alignment);
}

static NOINLINE void array_aligned(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = operator new[](size, alignment);
}

static NOINLINE void aligned_nothrow(void **to)
{
	for (int i = 0; i < n; i++)
		to[i] = i % 2 ? operator new(size, alignment, std::nothrow)
			      : operator new[](size, alignment, std::nothrow);
}

static NOINLINE void own_ways(void **to)
{
	for (int i = 0; i < n && mallocx; i++)
		to[i] = i % 2 ? mallocx(size, 0) : rallocx(mallocx(10, 0), size, 0);
	for (int i = 0; i < n && mi_malloc_aligned; i++)
		to[i] = i % 3 == 0   ? mi_malloc_aligned(size, 64)
			: i % 3 == 1 ? mi_zalloc_aligned(size, 64)
				     : mi_realloc_aligned(mi_malloc_aligned(10, 64), size, 64);
}

static NOINLINE void delete_all()
{
	for (int i = 0; i < n; i++) {
		i % 2 ? operator delete(kept[0][i]) : operator delete(kept[0][i], size);
		i % 2 ? operator delete[](kept[1][i]) : operator delete[](kept[1][i], size);
		i % 2 ? operator delete(kept[2][i], std::nothrow)
		      : operator delete[](kept[2][i], std::nothrow);
		i % 2 ? operator delete(kept[3][i], alignment)
		      : operator delete(kept[3][i], size, alignment);
		i % 2 ? operator delete[](kept[4][i], alignment)
		      : operator delete[](kept[4][i], size, alignment);
		i % 2 ? operator delete(kept[5][i], alignment, std::nothrow)
		      : operator delete[](kept[5][i], alignment, std::nothrow);
	}
	for (int i = 0; i < n && mallocx; i++)
		i % 2 ? dallocx(kept[6][i], 0) : sdallocx(kept[6][i], size, 0);
	for (int i = 0; i < n && mi_malloc_aligned; i++)
		i % 2 ? mi_free(kept[6][i]) : mi_free_size_aligned(kept[6][i], size, 64);
}

static void say(const char *step, int held)
{
	printf("{\"step\": \"%s\", \"held\": %d}\n", step, held);
	fflush(stdout);
}

static void wait_for_signal()
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
}

static const struct {
	const char *name;
	void (*keep)(void **to);
} steps[] = {
	{"plain", plain}, {"array", array},		    {"nothrow", nothrow},
	{"aligned", aligned}, {"array_aligned", array_aligned}, {"aligned_nothrow", aligned_nothrow},
	{"own_ways", own_ways},
};

int main(int argc, char **argv)
{
	int of_own = mallocx || mi_malloc_aligned ? 1 : 0, done = 0;
	static char out[BUFSIZ];
	sigset_t set;

	n = argc > 1 ? atoi(argv[1]) : 1000;
	size = argc > 2 ? (size_t)atoi(argv[2]) : 128;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	for (auto &k : kept)
		k = (void **)calloc((size_t)n, sizeof(void *));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, nullptr);
	work__ready();
	for (auto &s : steps) {
		wait_for_signal();
		s.keep(kept[done++]);
		say(s.name, n * (done < 7 ? done : 6 + of_own));
	}
	wait_for_signal();
	delete_all();
	say("delete_all", 0);
	wait_for_signal();
	return 0;
}
