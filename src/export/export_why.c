/* `-t why`: why some pairs of an interval are slow; see query/why/why.h. */
#include "config.h"

#include "base/nearest.h"
#include "export/export.h"
#include "query/why/why.h"
#include "session/session.h"

#include <string.h>

int
export_why(struct session *session, const struct export_options *options,
	   const struct export_sink *sink, struct export_result *result, struct err *err)
{
	static const int widths[WHY_CELLS] = {6, 16, 18, 11, 0};
	const char *of = options->of;
	size_t interval;
	struct text cell = {0}, *out = sink->out;
	if (options->filter.expr || options->filter.severities != SEVERITY_ALL || options->source)
		return err_set(err, ERR_USAGE, "-t why needs all messages; leave out filters");
	if (!of)
		return err_set(err, ERR_USAGE, "-t why needs --of=interval.NAME");
	of += strncmp(of, "interval.", 9) ? 0 : 9;
	if (!session_intervals_find(session->intervals, of, &interval))
		return err_set(
		    err, ERR_USAGE, "no interval is named %s%s", of,
		    nearest_hint(of, session_intervals_next, (void *)session->intervals).text);
	session_build(session);
	struct why *why = why_new(session, interval);
	size_t count = why_count(why, NULL);
	why_describe(why, out);
	for (size_t i = 0; i < count; i++)
		for (int c = 0; c < WHY_CELLS; c++) {
			text_clear(&cell);
			why_add_cell(why, i, (enum why_cell)c, &cell);
			int fill = widths[c] - (int)cell.length;
			text_addf(out, "%*s", fill > 0 ? fill : 0, "");
			text_add_safe(out, text_get(&cell), cell.length, options->charset);
			text_add(out, c + 1 < WHY_CELLS ? "  " : "\n");
		}
	for (size_t i = 0; i < session->traces.count; i++)
		doubts_add_trace(&result->doubts, session->traces.at[i]);
	text_free(&cell);
	why_free(why);
	return 0;
}
