/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions of Haskell, as GHC writes them (z-encoding, compiler/GHC/Utils/Encoding.hs):
 * base_GHCziBase_zpzp_info is GHC.Base.++. Any thread.
 */
#ifndef SYMBOLS_HASKELL_NAMES_H
#define SYMBOLS_HASKELL_NAMES_H

#include "base/base.h"

/* A new string for free(): module and name, without the package; what is not the function's usual entry has what it
 * is in brackets. NULL: it is none, or has nothing to undo. */
char *haskell_name__plain(const char *linkage);

#endif
