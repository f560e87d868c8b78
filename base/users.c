// SPDX-License-Identifier: GPL-2.0-only
#include "base/users.h"

#include <pwd.h>
#include <stdio.h>

#define MAX_USERS 65536

static const struct user *add(struct users *u, u32 uid, const char *name)
{
	if (!(u->n & (u->n - 1)))
		u->v = xrealloc(u->v, MAX(u->n * 2, 1u) * sizeof(*u->v));
	u->v[u->n] = (struct user){uid, arena__strdup(&u->arena, name)};
	hidx__add(&u->by_uid, mix64(uid), u->n);
	return &u->v[u->n++];
}

static const struct user *find(const struct users *u, u32 uid)
{
	u32 at;

	HIDX_FIND(at, &u->by_uid, mix64(uid), pos, u->v[pos].uid == uid);
	return at == HIDX_NONE ? NULL : &u->v[at];
}

void users__init(struct users *u)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd pw, *hit;
	char line[4096];

	*u = (struct users){0};
	arena__init(&u->arena);
	while (f && u->n < MAX_USERS && !fgetpwent_r(f, &pw, line, sizeof(line), &hit))
		if (!find(u, pw.pw_uid))
			add(u, pw.pw_uid, pw.pw_name);
	if (f)
		fclose(f);
}

void users__fini(struct users *u)
{
	arena__fini(&u->arena);
	free(u->v);
	hidx__fini(&u->by_uid);
}

const char *users__name(struct users *u, u32 uid)
{
	const struct user *user = find(u, uid);
	char number[16];

	if (user)
		return user->name;
	snprintf(number, sizeof(number), "%u", uid);
	return add(u, uid, number)->name;
}
