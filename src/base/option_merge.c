/*
 * Merging a list that two runs changed: see option.h.
 *
 * Elements are equal if they are written equally.  Lists are short (marks, keys), so each look-up
 * writes the elements again.
 */
#include "config.h"

#include "base/option.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static void *
element_at(const struct option_row *row, const struct option_list *list, size_t i)
{
	return (char *)list->at + i * row->table->size;
}

static bool
list_has(const struct option_row *row, const struct option_list *list, const void *element)
{
	struct text want = {0}, have = {0};
	bool found = false;
	option_write(row->table, element, &want);
	for (size_t i = 0; i < list->count && !found; i++) {
		text_clear(&have);
		option_write(row->table, element_at(row, list, i), &have);
		found = !strcmp(text_get(&want), text_get(&have));
	}
	text_free(&want);
	text_free(&have);
	return found;
}

size_t
option_merge(const struct option_row *row, struct option_list *ours, const struct option_list *base,
	     const struct option_list *theirs)
{
	size_t size = row->table->size, kept = 0, added = 0;
	char *merged = mem_new((ours->count + theirs->count + 1) * size);
	for (size_t i = 0; i < ours->count; i++) {
		void *element = element_at(row, ours, i);
		if (list_has(row, base, element) && !list_has(row, theirs, element))
			option_release(row->table, element); /* the other run removed it */
		else
			memcpy(merged + kept++ * size, element, size);
	}
	free(ours->at);
	*ours = (struct option_list){merged, kept};
	for (size_t i = 0; i < theirs->count; i++) {
		const void *element = element_at(row, theirs, i);
		if (list_has(row, ours, element) || list_has(row, base, element))
			continue;
		option_copy(row->table, merged + ours->count++ * size, element);
		added++;
	}
	return added;
}
