/* SPDX-License-Identifier: GPL-2.0-only */
/* A function that is inlined at an address. */
#ifndef SYMBOLS_INLINE_FRAME_H
#define SYMBOLS_INLINE_FRAME_H

struct inline_frame {
	const char *name; /* linkage or plain name, owned by who told of it */
};

#endif
