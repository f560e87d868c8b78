// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/foreign.h"

#include "symbols/object_file.h"
#include "symbols/tables.h"

u32 symbols__foreign_object(struct symbols *s, const struct sym_object *o, const char *build_id)
{
	struct object *new;
	u32 id = symbols__add_object(s, o, &(struct via){.tgid = o->tgid});

	if (!id)
		return 0;
	pthread_mutex_lock(&s->table_lock);
	new = symbols__obj(s, id);
	new->recorded = arena__strdup(&s->names, build_id);
	pthread_mutex_unlock(&s->table_lock);
	new->foreign = true;
	return id;
}

u32 symbols__foreign_loc(struct symbols *s, u32 object, u64 offset)
{
	return symbols__intern_loc(s, object, offset, 0);
}

int symbols__foreign_file(struct symbols *s, u32 object)
{
	return object__open(s, object);
}
