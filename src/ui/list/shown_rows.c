/*
 * Which rows the list shows: see shown_rows.h.
 */
#include "config.h"

#include "ui/list/shown_rows.h"
#include "base/generation.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
generation_of(const struct screen *screen, uint64_t also)
{
	const struct session *session = screen->session;
	uint64_t filter = filter_generation(filter_basis(screen->filter), screen->list->trace);
	uint64_t now = generation_join(also, filter, clocks_generation(session->clocks));
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		now = generation_join(now, index_is_complete(trace_index(trace)),
				      capture_generation(trace_capture(trace)));
	}
	return now;
}

void
shown_rows_take(struct shown_rows *rows, const struct screen *screen, uint64_t also)
{
	shown_rows_free(rows);
	*rows = (struct shown_rows){.list = screen->list,
				    .filter = filter_clone(screen->filter),
				    .hidden = search_hidden(screen),
				    .generation = generation_of(screen, also)};
}

bool
shown_rows_are_current(const struct shown_rows *rows, const struct screen *screen, uint64_t also)
{
	if (rows->list != screen->list || !filter_is_same(&rows->filter, screen->filter) ||
	    rows->generation != generation_of(screen, also))
		return false;
	bool *hidden = search_hidden(screen);
	bool same = !memcmp(rows->hidden, hidden, screen->session->traces.count * sizeof *hidden);
	free(hidden);
	return same;
}

void
shown_rows_free(struct shown_rows *rows)
{
	if (rows->list)
		filter_free(&rows->filter);
	free(rows->hidden);
	*rows = (struct shown_rows){0};
}
