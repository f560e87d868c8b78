/* SPDX-License-Identifier: GPL-2.0-only */
/* Secrets from files: a token that requests have to bring, a key for TLS. */
#ifndef SERVE_TOKEN_H
#define SERVE_TOKEN_H

#include "base/status.h"

#define TOKEN_MIN 16

/* What a file has, to be freed; NULL with st. secret: it has to be the caller's or root's, and nobody
 * else may read or write it. */
char *secret__read(const char *option, const char *path, bool secret, struct status *st);
/* The same without the end of its line; at least TOKEN_MIN characters without blanks. */
char *token__read(const char *option, const char *path, struct status *st);
/* Whether a header "Bearer TOKEN" has it, in a time that tells nothing; NULL has none. */
bool token__is(const char *token, const char *header);

#endif
