/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_line ring[LOG_LINES]; /* lock */
static u64 total;			/* lock */
static bool echo;			/* lock */

/* One line, nothing a terminal would act on. */
static void clean(char *s)
{
	size_t n = strlen(s);
	const char *from = s;
	char c[4];

	while (n && s[n - 1] == '\n')
		s[--n] = '\0';
	for (char *at = s; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	for (u32 len; (len = utf8__clean(&from, c)); s += len)
		memcpy(s, c, len);
	*s = '\0';
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

void log__complain(const char *msg)
{
	char c[4];

	fputs("proftop: ", stderr);
	while (*msg) {
		if (*msg == '\n' || *msg == '\t')
			fputc(*msg++, stderr);
		else
			fwrite(c, 1, utf8__clean(&msg, c), stderr);
	}
	fputc('\n', stderr);
}
