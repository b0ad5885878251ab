/*
 * The known values that a field can be compared with in a filter.
 */
#ifndef TRAWL_UI_VALUES_H
#define TRAWL_UI_VALUES_H

#include "base/text.h"

#include <stdbool.h>

struct screen;

enum { VALUES_NAME = 64 };

/* True if the character can belong to a name, as in type, gem.type or context.task. */
bool values_is_name(char);

/* Find the value at the end of a typed filter, LENGTH bytes at TEXT.  Set *START to its first byte
 * and NAME to the name that it is compared with.  Return false if there is none. */
bool values_find(const char *text, size_t length, size_t *start, char name[static VALUES_NAME]);

/* Called with each value or name.  The text is valid only during the call. */
typedef void values_take(void *context, const char *text);

/* Call TAKE with the known values of a name, quoted as in a filter. */
void values_give(struct screen *, const char *name, values_take *take, void *context);

/* Call TAKE once with the name of each argument of the messages in view. */
void values_give_arguments(struct screen *, values_take *take, void *context);

#endif
