/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_line ring[LOG_LINES]; /* lock */
static u64 total;			/* lock */
static bool echo;			/* lock */

/* One line, nothing a terminal would act on. */
static void clean(char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == '\n')
		s[--n] = '\0';
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = ' ';
}

void log__add(enum log_level level, const char *fmt, ...)
{
	struct log_line line = {.t_ns = clock__monotonic_ns(), .level = level};
	va_list ap;
	bool print;

	va_start(ap, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, ap);
	va_end(ap);
	clean(line.text);
	if (!line.text[0])
		return;
	pthread_mutex_lock(&lock);
	ring[total++ % LOG_LINES] = line;
	print = echo && level >= LOG_WARN;
	pthread_mutex_unlock(&lock);
	if (print)
		fprintf(stderr, "proftop: %s\n", line.text);
}

u32 log__copy(struct log_line *out, u32 max)
{
	u32 n;

	pthread_mutex_lock(&lock);
	n = (u32)MIN(total, (u64)MIN(max, (u32)LOG_LINES));
	for (u32 i = 0; i < n; i++)
		out[i] = ring[(total - n + i) % LOG_LINES];
	pthread_mutex_unlock(&lock);
	return n;
}

u64 log__total(void)
{
	u64 n;

	pthread_mutex_lock(&lock);
	n = total;
	pthread_mutex_unlock(&lock);
	return n;
}

void log__to_stderr(bool on)
{
	pthread_mutex_lock(&lock);
	echo = on;
	pthread_mutex_unlock(&lock);
}
