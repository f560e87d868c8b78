// SPDX-License-Identifier: GPL-2.0-only
/* Whatever takes no stacks: see bpf/question.bpf.c. */
#define STACK_NONE
#include "bpf/question.bpf.c"
