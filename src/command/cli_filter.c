/* Options to a filter: see cli_filter.h. */
#include "config.h"

#include "command/cli_filter.h"
#include "base/nearest.h"

#include <string.h>

/* Check an expression from OPTION, and append it in brackets to WHOLE. */
static int
add_expression(const struct session *session, const char *option, const char *before,
	       const char *text, struct text *whole, struct err *err)
{
	struct filter_error error;
	struct filter_expr *expr = filter_parse(text, session, &error);
	filter_expr_free(expr);
	if (!expr) {
		struct text why = {0};
		filter_explain(&error, text, &why);
		err_set(err, ERR_USAGE, "--%s: %s", option, text_get(&why));
		text_free(&why);
		return err->code;
	}
	text_addf(whole, "%s%s(%s)", whole->length ? " and " : "", before, text);
	return 0;
}

/* Append `origin in {"A", "B"}`. */
static void
add_origins(const char *list, struct text *out)
{
	text_add(out, "origin in {");
	for (;;) {
		size_t length = strcspn(list, ",");
		filter_quote(list, length, out);
		if (!list[length])
			break;
		text_add(out, ", ");
		list += length + 1;
	}
	text_add_char(out, '}');
}

/* Write the full expression of a short option. */
static void
spell_out(const struct cli_given *given, struct text *out)
{
	text_clear(out);
	if (given->id == CLI_ORIGIN)
		add_origins(given->text, out);
	else if (given->id == CLI_SINCE || given->id == CLI_UNTIL)
		text_add(out, given->id == CLI_SINCE ? "time >= " : "time <= ");
	if (given->id == CLI_SINCE || given->id == CLI_UNTIL)
		filter_quote(given->text, strlen(given->text), out);
	if (given->id == CLI_FILTER || given->id == CLI_EXCLUDE)
		text_add(out, given->text);
	if (given->id == CLI_GREP)
		filter_quote_regex(given->text, out);
}

/* Join all options into one expression. */
static int
make_expression(const struct cli *cli, const struct session *session, struct filter *filter,
		struct err *err)
{
	struct text whole = {0}, one = {0};
	struct filter_error error;
	int failed = 0, parts = 0;
	for (size_t i = 0; i < cli->given.count && !failed; i++) {
		const struct cli_given *given = &cli->given.at[i];
		spell_out(given, &one);
		if (!one.length && given->id != CLI_FILTER && given->id != CLI_EXCLUDE)
			continue;
		parts++;
		failed = add_expression(session, cli_rows[given->id].name,
					given->id == CLI_EXCLUDE ? "not " : "", text_get(&one),
					&whole, err);
	}
	if (parts == 1 && *text_get(&whole) == '(') { /* no brackets in the title */
		text_cut(&whole, whole.length - 1);
		memmove(whole.data, whole.data + 1, whole.length--);
	}
	if (!failed && whole.length && !(filter->expr = filter_parse(whole.data, NULL, &error)))
		failed = err_set(err, ERR_USAGE, "the filters together are %s", error.what);
	text_free(&whole);
	text_free(&one);
	return failed;
}

int
cli_make_filter(const struct cli *cli, const struct session *session, struct filter *filter,
		struct err *err)
{
	*filter = filter_all();
	const char *level = cli->value[CLI_SEVERITY], *unassigned = cli->value[CLI_UNASSIGNED];
	bool hide = unassigned && !strcmp(unassigned, "hide");
	bool pass = unassigned && !strcmp(unassigned, "pass");
	if (unassigned && !hide && !pass)
		return err_set(err, ERR_USAGE, "--unassigned is pass or hide, not %s", unassigned);
	int severity = level ? severity_parse(level) : hide ? SEVERITY_DEBUG : SEVERITY_NONE;
	if (severity < 0)
		return err_set(err, ERR_USAGE, "no such severity: %s%s", level,
			       nearest_hint(level, severity_next_name, NULL).text);
	filter->severities = filter_threshold((enum severity)severity, pass);
	return make_expression(cli, session, filter, err);
}
