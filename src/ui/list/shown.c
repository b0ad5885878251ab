/* The list and the pane on the screen: see shown.h. */
#include "config.h"

#include "ui/list/shown.h"
#include "trace/recognise.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"

enum pane_id
shown_base(const struct screen *screen)
{
	const struct list *list = screen->list;
	return list->lane_count > 1 || trace_is_decoded(list->trace) ? PANE_LIST : PANE_GUESSES;
}

void
shown_set_focus(struct screen *screen, enum pane_id pane)
{
	pane = pane == PANE_LIST ? shown_base(screen) : pane;
	if (pane != screen->focus)
		screen->focus_before = screen->focus;
	screen->focus = pane;
}

void
shown_open_base(struct screen *screen)
{
	bool decoded = shown_base(screen) == PANE_LIST;
	screen->open[PANE_LIST] = decoded;
	screen->open[PANE_GUESSES] = !decoded;
	if (!decoded && !screen->open[PANE_HEX])
		screen->hex_closed = screen->open[PANE_HEX] = true;
	else if (decoded && screen->hex_closed)
		screen->hex_closed = screen->open[PANE_HEX] = false;
	if (!screen->open[screen->focus])
		shown_set_focus(screen, PANE_LIST);
}

void
shown_set_trace(struct screen *screen, size_t trace)
{
	search_uncount(screen);
	screen->trace = trace;
	screen->list = &screen->lists[trace];
	list_show(screen->list);
	screen->generation = list_generation(screen->list);
	filters_are_stale(screen);
	shown_open_base(screen);
}
