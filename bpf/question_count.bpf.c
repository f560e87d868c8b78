// SPDX-License-Identifier: GPL-2.0-only
/* Counts without stacks: see bpf/question.bpf.c. */
#define STACK_NONE
#define QUESTION_PLACE QUESTION_SMALL
#define QUESTION_DOES DOES_COUNT
#include "bpf/question.bpf.c"
