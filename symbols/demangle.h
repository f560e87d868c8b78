/* SPDX-License-Identifier: GPL-2.0-only */
/* Names as people write them: C++ (Itanium), Rust (legacy and v0), OCaml, Haskell. Any thread. */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/base.h"

/* Longer names are left as they are: the demangler's time and output grow with them. */
#define DEMANGLE_MAX_IN	 4096
#define DEMANGLE_MAX_OUT 2048

/* A new string for free(), or NULL when the name is not mangled or cannot be undone. A
 * suffix like ".cold" or ".llvm.123" is kept as " [.cold]". */
char *demangle(const char *linkage);

#endif
