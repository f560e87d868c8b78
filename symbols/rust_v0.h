/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rust's mangled names of version v0 (RFC 2603), as far as it takes to know that a demangler can be
 * trusted with one. A name may say that a function pointer is "for" as many lifetimes as a
 * number of 64 bits, which demanglers go through one by one, and may refer back to any byte,
 * where another name may be hidden. Pure functions.
 */
#ifndef SYMBOLS_RUST_V0_H
#define SYMBOLS_RUST_V0_H

#include "base/base.h"

#define RUST_V0_MAX	      4096 /* bytes; longer names are none */
#define RUST_V0_MAX_LIFETIMES 1000

/* Whether s, "_R" and what follows up to its end or a dot, is well formed, refers back to nothing but
 * parts of the same kind and has no more lifetimes at any place. */
bool rust_v0__is_sound(const char *s);

#endif
