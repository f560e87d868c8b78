/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON in one line, as a terminal may have it. */
#ifndef BASE_JSON_LINE_H
#define BASE_JSON_LINE_H

struct json_object;

/* Without the newline; the caller's to free. Takes the object over. */
char *json__line(struct json_object *o);

#endif
