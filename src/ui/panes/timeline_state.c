/*
 * The state of the timeline.
 */
#include "config.h"

#include "ui/panes/timeline_state.h"
#include "ui/screen/screen.h"

struct timeline_state *
timeline_state_of(struct screen *screen)
{
	return screen->state[PANE_TIMELINE];
}

const struct density_answer *
timeline_answer(const struct timeline_state *state)
{
	const struct density_answer *answer = state->answer;
	bool fits = answer && answer->first <= answer->last &&
		    answer->window.columns == state->window.columns &&
		    answer->lanes == state->lanes.count;
	return fits ? answer : NULL;
}

bool
timeline_in_sight(const struct density_window *w, int64_t time)
{
	int64_t column = density_column_of(w, time);
	return column >= 0 && column < (int64_t)w->columns;
}
