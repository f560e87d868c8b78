/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the view overview. UI thread only. */
#ifndef TUI_VIEWS_OVERVIEW_H
#define TUI_VIEWS_OVERVIEW_H

#include "models/overview.h"
#include "tui/view.h"
#include "widgets/cells.h"

/* What stands on the screen and can be entered. */
enum overview_kind { ENTRY_FINDING, ENTRY_CPU, ENTRY_MEMORY, ENTRY_DISK, ENTRY_NET, ENTRY_PROCESS,
		     ENTRY_KINDS };

struct overview_entry {
	enum overview_kind kind;
	u32 i;	 /* of its kind */
	u64 key; /* the same from interval to interval */
	struct rect r;
};

#define OVERVIEW_ENTRIES 256

struct overview_layout {
	struct overview_entry entries[OVERVIEW_ENTRIES];
	u32 n;
	struct rect boxes[ENTRY_KINDS]; /* with a frame; w 0: none, or without */
	struct rect graphs[ENTRY_KINDS]; /* of the last minutes, in a box; w 0: none */
	struct rect findings;
	u32 first, nshown; /* which findings are entries; these are the first entries */
	int needed; /* lines of them, without any that are kept */
	struct rect processes_head; /* the line of titles */
};

/* Where everything stands in an area; where there are boxes, findings have `kept` lines if they need
 * less. The finding `first` is the topmost, those that have no room are left out. Pure. */
void overview__layout(struct overview_layout *l, const struct overview_result *a, struct rect area,
		      int kept, u32 first);
/* Panels around the findings. */
void overview__draw_panels(const struct overview_layout *l, const struct overview_result *a,
			   struct canvas *c);
struct overview_way {
	const char *view, *group, *sort;
	char filter[64];
};

/* Where Enter leads from an entry. */
void overview__way(const struct overview_result *a, const struct overview_entry *e,
		   struct overview_way *way);
/* The same in words, for the line of the selection. */
void overview__describe(const struct overview_result *a, const struct overview_entry *e, char *buf,
			size_t size);
/* Series of disks, or interfaces, the busiest first; returns how many, at most max. */
u32 overview__devices(const struct system_snap *s, enum overview_kind kind,
		      const struct system_series **out, u32 max);

/* Findings on the screen: those that are parts of others are not. */
static inline u32 overview__nshown(const struct overview_result *a)
{
	return a->nfindings - a->nparts;
}

static inline const struct system_snap *overview__system(const struct overview_result *a)
{
	return (const void *)a->base.snap;
}

#endif
