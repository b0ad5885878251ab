/*
 * The choice of the rule for a message: see rules.h.  Rules are tested only for the rows on
 * the screen, in order: a few filters on some fifty messages.
 *
 * Only rules_read() defines how the text of a rule becomes a filter.
 */
#include "config.h"

#include "ui/list/rules.h"
#include "ui/list/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse an expression of the filter language, or else a regular expression, as `&` does.  On
 * error return false with a sentence. */
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

bool
rules_is_expression(const char *text)
{
	struct filter_error error;
	struct filter_expr *expr = filter_parse(text, NULL, &error);
	if (expr)
		filter_expr_free(expr);
	return expr;
}

/* Return the role for text in a colour.  If there are too many colours, return the rule's role. */
static enum role
colour_role(struct rules *rules, const struct view_rule *rule)
{
	size_t i = 0;
	while (i < rules->colours.count && strcmp(rules->colours.at[i], rule->fg) != 0)
		i++;
	if (i == ROLE_COLOURS)
		return (enum role)rule->role;
	if (i == rules->colours.count)
		*vec_add(&rules->colours) = mem_text(rule->fg);
	return (enum role)(ROLE_COUNT + i);
}

void
rules_add(struct rules *rules, const struct view_rule *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct rule rule;
		char unused[256];
		if (!rules_read(rows[i].filter, &rule.filter, unused)) /* checked on loading */
			continue;
		rule.role = rows[i].fg ? colour_role(rules, &rows[i]) : (enum role)rows[i].role;
		*vec_add(&rules->rules) = rule;
	}
}

void
rules_free(struct rules *rules)
{
	for (size_t i = 0; i < rules->rules.count; i++)
		filter_free(&rules->rules.at[i].filter);
	for (size_t i = 0; i < rules->colours.count; i++)
		free(rules->colours.at[i]);
	vec_free(&rules->rules);
	vec_free(&rules->colours);
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
