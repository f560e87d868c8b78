// SPDX-License-Identifier: GPL-2.0-only
/* What is counted alone: see bpf/question.bpf.c. */
#define STACK_NONE
#define QUESTION_DOES DOES_COUNT
#include "bpf/question.bpf.c"
