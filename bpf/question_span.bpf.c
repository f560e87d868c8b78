// SPDX-License-Identifier: GPL-2.0-only
/* Spans alone: see bpf/question.bpf.c. */
#define QUESTION_DOES DOES_SPAN
#include "bpf/question.bpf.c"
