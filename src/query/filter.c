/* Filters: see filter.h.  Cheapest question first: the summary of a cell,
 * then the fixed struct, then the text. */
#include "config.h"

#include "query/filter.h"

struct filter
filter_all(void)
{
	return (struct filter){.severities = 0xff};
}

struct filter
filter_clone(const struct filter *filter)
{
	struct filter copy = *filter;
	if (filter->text)
		copy.text = regex_clone(filter->text);
	return copy;
}

void
filter_free(struct filter *filter)
{
	regex_free(filter->text);
	*filter = filter_all();
}

bool
filter_is_all(const struct filter *filter)
{
	return filter->severities == 0xff && !filter->flags && !filter->by_origin && !filter->text;
}

uint8_t
filter_threshold(enum severity level, bool hide_unassigned)
{
	uint8_t set = (uint8_t)((2u << level) - 1);
	if (hide_unassigned)
		set &= (uint8_t) ~(1u << SEVERITY_MAX);
	return set;
}

enum filter_verdict
filter_cell(const struct filter *filter, const struct index_cell *cell)
{
	uint32_t wanted = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		if (filter->severities >> s & 1)
			wanted += cell->severities[s];
	if (!wanted || (filter->flags && !(filter->flags & cell->messages)))
		return FILTER_NONE;
	bool more = filter->flags || filter->by_origin || filter->text;
	return wanted == cell->count && !more ? FILTER_ALL : FILTER_SOME;
}

unsigned
filter_basis(const struct filter *filter)
{
	return (filter->severities != 0xff ? FILTER_ON_SEVERITY : 0) |
	       (filter->by_origin ? FILTER_ON_ORIGIN : 0) | (filter->flags ? FILTER_ON_STRUCT : 0) |
	       (filter->text ? FILTER_ON_TEXT : 0);
}

static bool
text_matches(struct regex *regex, const struct text *text)
{
	size_t start, end;
	return regex_find(regex, text_get(text), text->length, 0, &start, &end);
}

bool
filter_match(const struct filter *filter, struct reader *reader, const struct message *m,
	     struct expansion *e)
{
	if (!(filter->severities >> m->severity & 1))
		return false;
	if (filter->flags && !(filter->flags & m->flags))
		return false;
	if (filter->by_origin && filter->origin != m->origin)
		return false;
	if (!filter->text)
		return true;
	reader_expand(reader, m, EXPAND_TEXT, e);
	return text_matches(filter->text, &e->text) || text_matches(filter->text, &e->origin) ||
	       text_matches(filter->text, &e->type);
}
