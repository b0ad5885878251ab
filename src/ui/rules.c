/*
 * Which rule fits?  Asked for the rows on the screen only, in the order of
 * the view: a handful of filters over some fifty messages.
 *
 * rules_read() is the only place that knows how the text of a rule becomes a
 * filter.
 */
#include "config.h"

#include "ui/rules.h"
#include "ui/view.h"

#include <stdio.h>
#include <string.h>

/* The rest of TEXT behind WORD and blanks, or NULL. */
static const char *
skip_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(text, word, length) != 0)
		return NULL;
	return text + length + strspn(text + length, " ");
}

/* Reads `severity >= LEVEL`, `/REGEX/` with an `i` behind it for either case,
 * or a regular expression as it is.  False with a sentence if it is none. */
static bool
rules_read(const char *text, struct filter *filter, char what[static 256])
{
	struct text pattern = {0};
	struct err err = {0};
	unsigned flags = REGEX_SMART_CASE;
	const char *rest = skip_word(text, "severity"),
		   *level = rest ? skip_word(rest, ">=") : NULL;
	size_t length = strlen(text);
	*filter = filter_all();
	if (level) {
		int severity = severity_parse(level);
		if (severity <= 0) {
			snprintf(what, 256,
				 "severity >= and one of fatal error warning info "
				 "user1 user2 debug");
			return false;
		}
		filter->severities = filter_threshold((enum severity)severity, true);
		return true;
	}
	if (length > 2 && *text == '/' && !strcmp(text + length - 2, "/i")) {
		flags = REGEX_IGNORE_CASE;
		length--;
	}
	if (length > 1 && *text == '/' && text[length - 1] == '/') {
		text++;
		length -= 2;
	}
	text_add_bytes(&pattern, text, length);
	filter->text = regex_new(text_get(&pattern), flags, &err);
	text_free(&pattern);
	if (!filter->text)
		snprintf(what, 256, "a regular expression: %.200s", err.what);
	return filter->text;
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
