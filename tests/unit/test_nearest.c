/*
 * Suggestions for mistyped names: each name of each table with one letter left out, or with two
 * neighbours swapped, leads back to it, or to another name that is as near.
 */
#include "config.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "command/cli.h"
#include "command/command.h"
#include "decode/decoder.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/filter/filter.h"
#include "test.h"
#include "ui/list/view.h"

typedef const char *next_name(void *context, size_t at);

static const char *
next_cli_option(void *unused, size_t at)
{
	(void)unused;
	return at < CLI_COUNT ? cli_rows[at].name : NULL;
}

static const char *
next_field(void *unused, size_t at)
{
	(void)unused;
	return decoder_field_name(at);
}

static const char *
next_filter_name(void *unused, size_t at)
{
	struct filter_help help;
	(void)unused;
	return filter_help(at, &help) ? help.name : NULL;
}

static const struct {
	const char *what;
	next_name *next;
	void *context;
} tables[] = {
    {"options", next_cli_option, NULL},
    {"input formats", decoder_next_name, NULL},
    {"output formats", export_next_name, NULL},
    {"severities", severity_next_name, NULL},
    {"commands", command_next_name, NULL},
    {"names of filters and columns", next_filter_name, NULL},
    {"fields", next_field, NULL},
    {"settings", option_next_name, (void *)&view_options_table},
};

/* Return the edits from A to B: letters added, left out or changed, neighbours swapped. A plain
 * recursion on the definition, only for words that differ in at most LIMIT edits. */
static size_t
edits(const char *a, const char *b, size_t limit)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!*a && !*b)
		return 0;
	if (!limit)
		return 1; /* too many */
	size_t best = limit + 1, more;
	if (*a && (more = 1 + edits(a + 1, b, limit - 1)) < best)
		best = more;
	if (*b && (more = 1 + edits(a, b + 1, limit - 1)) < best)
		best = more;
	if (*a && *b && (more = 1 + edits(a + 1, b + 1, limit - 1)) < best)
		best = more;
	if (*a && *b && a[1] && a[0] == b[1] && a[1] == b[0] &&
	    (more = 1 + edits(a + 2, b + 2, limit - 1)) < best)
		best = more;
	return best;
}

/* The suggestion is NAME, or as near to WORD: one edit away, or WORD continued. */
static void
check_word(size_t table, const char *name, const char *word)
{
	struct nearest_hint hint = nearest_hint(word, tables[table].next, tables[table].context);
	static const char before[] = "; did you mean ";
	char found[96];
	size_t length = strlen(hint.text);
	if (length <= sizeof before)
		fail_msg("%s: no suggestion for %s (%s)", tables[table].what, word, name);
	assert_memory_equal(hint.text, before, sizeof before - 1);
	snprintf(found, sizeof found, "%.*s", (int)(length - sizeof before),
		 hint.text + sizeof before - 1);
	assert_int_equal(hint.text[length - 1], '?');
	bool begins = strlen(word) >= 3 && !strncmp(found, word, strlen(word));
	if (!begins && edits(word, found, 1) > 1)
		fail_msg("%s: %s is suggested for %s, not %s", tables[table].what, found, word,
			 name);
}

static void
test_typos(void **state)
{
	(void)state;
	for (size_t table = 0; table < sizeof tables / sizeof *tables; table++) {
		const char *next;
		size_t words = 0;
		for (size_t i = 0; (next = tables[table].next(tables[table].context, i)); i++) {
			char name[64], word[64];
			size_t length = strlen(next);
			assert_true(length && length < sizeof name);
			memcpy(name, next, length + 1);
			for (size_t k = 0; k < length; k++) {
				memcpy(word, name, k);
				memcpy(word + k, name + k + 1, length - k);
				if (length >= 3) /* one letter is near to everything */
					check_word(table, name, word);
				memcpy(word, name, length + 1);
				if (k + 1 == length)
					continue;
				word[k] = name[k + 1];
				word[k + 1] = name[k];
				check_word(table, name, word);
				words++;
			}
		}
		assert_true(words > 10);
	}
}

/* A word that is far from every name gets no suggestion. */
static void
test_far(void **state)
{
	(void)state;
	for (size_t table = 0; table < sizeof tables / sizeof *tables; table++)
		assert_string_equal(
		    nearest_hint("zzqqxxjj", tables[table].next, tables[table].context).text, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_typos),
					   cmocka_unit_test(test_far)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
