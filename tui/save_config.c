// SPDX-License-Identifier: GPL-2.0-only
/* :save-config, with what is set now. */
#include <stdarg.h>
#include <stdio.h>

#include "tui/app.h"
#include "tui/config.h"
#include "tui/own_files.h"

/* The disk may be slow: the lists worker writes. */
struct config_job {
	struct job job;
	struct host *host;
	struct config_values values;
	char path[OWN_PATH_MAX];
	bool existed;
	int err;
	struct status st;
};

static void config_job__run(struct job *job)
{
	struct config_job *j = (struct config_job *)job;

	j->err = config__save(&j->values, j->path, sizeof(j->path), &j->existed, &j->st);
}

static void config_job__drop(struct job *job)
{
	free(job);
}

static void config_job__done(struct job *job)
{
	struct config_job *j = (struct config_job *)job;

	if (j->err)
		host__error(j->host, &j->st);
	else
		host__message(j->host, ROLE_OK, "saved to %s%s", j->path,
			      j->existed ? "; as it was: config.bak" : "");
	config_job__drop(job);
}

static void set(struct config_values *v, enum setting_key key, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void set(struct config_values *v, enum setting_key key, const char *fmt, ...)
{
	char value[CONFIG_VALUE_MAX * 2], back[CONFIG_VALUE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	/* What would not be read as it was written is left out. */
	if (config__value(value, value + strlen(value), back, sizeof(back)) && !strcmp(value, back))
		copy_str(v->text[key], sizeof(v->text[key]), value);
}

static void gather(const struct host *h, struct config_values *v)
{
	const struct options *o = h->options;
	const struct sampling *s = &h->sampling;

	set(v, SETTING_VIEW, "%s", view_table[h->view]->name);
	set(v, SETTING_VIEWS, "%s", o->views ? o->views : "");
	set(v, SETTING_DELAY, "%g", (double)h->interval_ns / 1e9);
	set(v, SETTING_WINDOW, "%s", h->window);
	if (s->period)
		set(v, SETTING_PERIOD, "%llu", (unsigned long long)s->period);
	else
		set(v, SETTING_FREQ, "%llu", (unsigned long long)s->freq);
	set(v, SETTING_EVENT, "%s", s->event);
	set(v, SETTING_COUNTERS, "%s", s->counters);
	set(v, SETTING_CALL_GRAPH, "%s", call_graph__name(s->call_graph));
	set(v, SETTING_STACK_COPY, "%u", s->stack_bytes);
	set(v, SETTING_IDLE, "%s", s->idle ? "yes" : "no");
	set(v, SETTING_HISTORY_MINUTES, "%llu",
	    (unsigned long long)(o->history.span_ns / NSEC_PER_SEC / 60));
	set(v, SETTING_HISTORY_MIB, "%llu", (unsigned long long)(o->history.bytes >> 20));
	set(v, SETTING_KEYMAP, "%s", h->keymap_name);
	set(v, SETTING_THEME, "%s", h->theme_name);
	set(v, SETTING_GRAPHS, "%s", h->graphs_chosen ? graph_style_names[h->canvas.graphs] : "");
	set(v, SETTING_COLUMNS, "%s", h->columns);
	set(v, SETTING_REDACT, "%s", o->redact ? o->redact : "");
	set(v, SETTING_ASCII, "%s", o->ascii ? "yes" : "no");
}

void save__config(struct host *h)
{
	struct config_job *j = xcalloc(1, sizeof(*j));

	j->job = (struct job){
		.run = config_job__run, .done = config_job__done, .drop = config_job__drop};
	j->host = h;
	gather(h, &j->values);
	worker__post(h->lists, &j->job);
}
