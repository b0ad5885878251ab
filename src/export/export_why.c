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
	const char *of = options->of;
	size_t interval;
	struct text row = {0}, *out = sink->out;
	if (options->filter.expr || options->filter.severities != SEVERITY_ALL || options->source)
		return err_set(err, ERR_USAGE, "-t why needs all messages; leave out filters");
	if (!of && session->intervals &&
	    session->intervals->count(session->intervals->context) == 1)
		of = session->intervals->name(session->intervals->context, 0);
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
	for (size_t i = 0; i < count; i++) {
		text_clear(&row);
		why_add_row(why, i, &row);
		text_add_safe(out, text_get(&row), row.length, options->charset);
		text_add_char(out, '\n');
	}
	for (size_t i = 0; i < session->traces.count; i++)
		doubts_add_trace(&result->doubts, session->traces.at[i]);
	text_free(&row);
	why_free(why);
	return 0;
}
