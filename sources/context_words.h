/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs find at an event, for whoever wants to see it: words of their context, such as registers, and strings
 * that some of them are addresses of. Any thread but the UI's. */
#ifndef SOURCES_CONTEXT_WORDS_H
#define SOURCES_CONTEXT_WORDS_H

#include "sources/uprobe.h"

#define CONTEXT_WORDS_MAX 24
#define CONTEXT_TEXTS	  4
#define CONTEXT_TEXT	  32 /* bytes of a string that are read, with its NUL */

struct context_words {
	u32 skipped, n; /* words before them; they themselves */
	struct {
		u32 word; /* of them */
		bool user;
	} texts[CONTEXT_TEXTS]; /* which of them are addresses of strings; "" where one cannot be read */
	u32 ntexts;
};

/* Of an event: the n words, and behind them ntexts times CONTEXT_TEXT bytes. */
typedef void context_words_fn(void *ctx, const u64 *words, u32 bytes);

/*
 * Those of ns nanoseconds, as many as a small ring holds. 0 or -errno. Of functions of programs (links of the kind
 * uprobe_multi) and of the kernel (kprobe_multi): a struct pt_regs as programs have it; of a tracepoint by perf's name:
 * its record; of a raw one: its arguments.
 */
int context_words__of_calls(const struct context_words *w, const struct uprobe_set *set, u64 ns,
			    context_words_fn *each, void *ctx);
int context_words__of_kernel(const struct context_words *w, const char *function, bool returns, u64 ns,
			     context_words_fn *each, void *ctx);
int context_words__of_tracepoint(const struct context_words *w, const char *name, u64 ns,
				 context_words_fn *each, void *ctx);
int context_words__of_raw(const struct context_words *w, const char *name, u64 ns, context_words_fn *each,
			  void *ctx);

#endif
