/*
 * What a field may be compared with in a filter: the values that are known of it.
 */
#ifndef TRAWL_UI_VALUES_H
#define TRAWL_UI_VALUES_H

#include "base/text.h"

#include <stdbool.h>

struct screen;

enum { VALUES_NAME = 64 };

/* Whether a character belongs to a name as type, gem.type or context.task. */
bool values_is_name(char);

/* Whether a value ends LENGTH bytes TEXT of a filter that is typed: where it
 * begins, and the name that it is compared with. */
bool values_find(const char *text, size_t length, size_t *start, char name[static VALUES_NAME]);

/* Called with each value or name; the text is valid during the call only. */
typedef void values_take(void *context, const char *text);

/* Call TAKE with the known values of a name, quoted as in a filter. */
void values_give(struct screen *, const char *name, values_take *take, void *context);

/* Call TAKE with the names of the arguments of messages in view, each once. */
void values_give_arguments(struct screen *, values_take *take, void *context);

#endif
