/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions of OCaml: camlStdlib__List__iter_261 is Stdlib.List.iter_261. Any thread. */
#ifndef SYMBOLS_OCAML_NAMES_H
#define SYMBOLS_OCAML_NAMES_H

#include "base/base.h"

bool ocaml_name__is(const char *linkage);
/* A new string for free(): modules are separated by dots, operators are what they are. The number that
 * tells functions of one name apart stays. */
char *ocaml_name__plain(const char *linkage);

#endif
