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

/* Appends the I-th value that is known of a name, as it stands in a filter, or
 * nothing if that is no other than an earlier one; false behind the last. */
bool values_give(struct screen *, const char *name, size_t i, struct text *out);

/* Appends the I-th name of an argument that messages in view have; false where there are fewer,
 * which I is less by then. */
bool values_give_argument(struct screen *, size_t *i, struct text *out);

#endif
