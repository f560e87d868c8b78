// SPDX-License-Identifier: GPL-2.0-only
/* What is held by labels alone: see bpf/question_held.bpf.c. */
#define STACK_NONE
#include "bpf/question_held.bpf.c"
