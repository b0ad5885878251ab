/*
 * `-t why`: why some pairs of an interval are slow; see query/why/why.h.
 *
 * Text has remarks and a row for each cause.  For programs, the remarks are left out, and times are
 * in nanoseconds, or empty if the rate of a clock is unknown.
 */
#include "config.h"

#include "base/nearest.h"
#include "export/export.h"
#include "query/why/why.h"
#include "session/session.h"

#include <string.h>

/* Find the interval that --of names.  Without --of, a single one is meant. */
static int
find_interval(const struct session *session, const char *of, size_t *interval, struct err *err)
{
	const struct session_intervals *hook = session->intervals;
	static const char prefix[] = "interval.";
	if (of && !strncmp(of, prefix, strlen(prefix)))
		of += strlen(prefix);
	*interval = 0;
	if (of ? session_intervals_find(hook, of, interval)
	       : hook && hook->count(hook->context) == 1)
		return 0;
	if (!of)
		return err_set(err, ERR_USAGE, "-t why needs --of=interval.NAME");
	struct nearest_hint hint = nearest_hint(of, session_intervals_next, (void *)hook);
	return err_set(err, ERR_USAGE, "no interval is named %s%s", of, hint.text);
}

static void
write_aligned(struct why *why, const struct why_result *result, enum text_charset charset,
	      struct text *out)
{
	static const bool right[WHY_CELLS] = {true, true, true, true, false, false};
	int widths[WHY_CELLS] = {0};
	struct text cell = {0}, safe = {0};
	why_describe(why, result, out);
	for (int pass = 0; pass < 2 && result->rows.count; pass++)
		for (size_t i = 0; i <= result->rows.count; i++)
			for (int c = 0; c < WHY_CELLS; c++) {
				text_clear(&cell);
				text_clear(&safe);
				if (i)
					why_add_cell(result, &result->rows.at[i - 1],
						     (enum why_cell)c, &cell);
				else
					text_add(&cell, why_cell_title((enum why_cell)c));
				text_add_safe(&safe, text_get(&cell), cell.length, charset);
				int width = text_columns(text_get(&safe), safe.length, charset);
				if (!pass) {
					widths[c] = width > widths[c] ? width : widths[c];
					continue;
				}
				size_t fill = (size_t)(widths[c] - width);
				bool last = c + 1 == WHY_CELLS;
				text_add_fill(out, ' ', right[c] ? fill : 0);
				text_add_bytes(out, text_get(&safe), safe.length);
				text_add_fill(out, ' ', right[c] || last ? 0 : fill);
				text_add(out, last ? "\n" : "  ");
			}
	text_free(&cell);
	text_free(&safe);
}

int
export_why(struct session *session, const struct export_options *options,
	   const struct export_sink *sink, struct export_result *result, struct err *err)
{
	size_t interval;
	if (options->filter.expr || options->filter.severities != SEVERITY_ALL || options->source)
		return err_set(err, ERR_USAGE,
			       "-t why compares pairs in all messages; leave out filters and "
			       "--source");
	if (find_interval(session, options->of, &interval, err) < 0)
		return err->code;
	session_build(session);
	struct why *why = why_new(session, interval);
	why_wait(why);
	const struct why_result *found = why_get(why);
	result->messages = found->rows.count;
	write_aligned(why, found, options->charset, sink->out);
	for (size_t i = 0; i < session->traces.count; i++)
		doubts_add_trace(&result->doubts, session->traces.at[i]);
	why_free(why);
	return 0;
}
