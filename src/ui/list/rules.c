/*
 * Which rule fits?  Asked for the rows on the screen only, in the order of
 * the view: a handful of filters over some fifty messages.
 *
 * rules_read() is the only place that says how the text of a rule becomes a
 * filter.
 */
#include "config.h"

#include "ui/list/rules.h"
#include "ui/list/view.h"

#include <stdio.h>

/* Reads an expression of the filter language, or what is none as a regular
 * expression, as `&` does.  False with a sentence if it is neither. */
static bool
rules_read(const char *text, struct filter *filter, char what[static 256])
{
	struct filter_error error;
	*filter = filter_all();
	filter->expr = filter_parse_typed(text, NULL, &error);
	if (!filter->expr)
		snprintf(what, 256, "%s: %.200s (column %zu)",
			 error.meant ? "a filter" : "a filter or a regular expression", error.what,
			 error.at + 1);
	return filter->expr;
}

const char *
rules_check(const char *text, char buffer[static 256])
{
	struct filter filter;
	bool good = rules_read(text, &filter, buffer);
	filter_free(&filter);
	return good ? NULL : buffer;
}

void
rules_make(struct rules *rules, const struct view *view)
{
	const struct view_rule *rows = view->rules.at;
	rules_free(rules);
	for (size_t i = 0; i < view->rules.count; i++) {
		struct rule rule = {.role = (enum role)rows[i].role};
		char unused[256];
		if (rules_read(rows[i].filter, &rule.filter, unused)) /* checked on loading */
			*vec_add(&rules->rules) = rule;
	}
}

void
rules_free(struct rules *rules)
{
	for (size_t i = 0; i < rules->rules.count; i++)
		filter_free(&rules->rules.at[i].filter);
	vec_free(&rules->rules);
	expansion_free(&rules->scratch);
	*rules = (struct rules){0};
}

enum role
rules_role(struct rules *rules, struct reader *reader, const struct message *m, enum role usual)
{
	for (size_t i = 0; i < rules->rules.count; i++)
		if (filter_match(&rules->rules.at[i].filter, reader, m, &rules->scratch))
			return rules->rules.at[i].role;
	return usual;
}
