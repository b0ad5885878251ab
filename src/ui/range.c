/*
 * The range of messages between an anchor and where the user went: see range.h.
 *
 * Both ends are places, so the range survives filters and the index.  The moving
 * end is the list's home, which is the cursor's message save where a filter hid
 * that.  What a range holds is what the filters show of it.
 */
#include "config.h"

#include "ui/range.h"
#include "ui/app.h"

enum {
	COPY_MAX = 64 * 1024, /* bytes; many terminals drop what is longer */
	TAKES_MAX = 4	      /* looks at a range whose messages a filter hides */
};

struct copied {
	struct text text;
	unsigned takes;
};

/* Where the range's trace is at its moving end, which in a merged list may be at
 * a message of another. */
static bool
moving_end(const struct app *app, struct place *place)
{
	const struct list *list = app->list;
	size_t lane = list->home_lane;
	struct position at;
	if (!list->merge && list->lanes[0].number != app->range.trace)
		return false;
	*place = list->home;
	if (list->lanes[lane].number == app->range.trace)
		return true;
	if (!reader_find_place(list->lanes[lane].reader, list->home, &at))
		return false;
	merge_head(list->merge, (struct merge_position){lane, at}, app->range.trace, &at);
	*place = reader_place(list->lanes[app->range.trace].reader, at);
	return true;
}

static bool
ends(const struct app *app, struct place *first, struct place *last)
{
	const struct range *range = &app->range;
	struct place here;
	if (!range->on || !moving_end(app, &here))
		return false;
	bool down = place_compare(range->from, here) < 0;
	*first = down ? range->from : here;
	*last = down ? here : range->from;
	return true;
}

bool
range_has(const struct app *app, size_t trace, struct place place)
{
	struct place first, last;
	return trace == app->range.trace && ends(app, &first, &last) &&
	       place_compare(first, place) <= 0 && place_compare(place, last) <= 0;
}

bool
range_span(const struct app *app, struct export_span *span)
{
	bool any = ends(app, &span->first, &span->last);
	span->trace = app->session->traces.at[any ? app->range.trace : 0];
	return any;
}

void
range_toggle(struct app *app, const struct command_call *call)
{
	struct range *range = &app->range;
	const struct row *row = list_current(app->list);
	(void)call;
	struct place here;
	range->on = row && !(range->on && moving_end(app, &here));
	if (!range->on)
		return;
	range->trace = app->list->lanes[row->lane].number;
	range->from = row->place;
	list_move(app->list, 0); /* from here on: not from what a filter hides */
	struct text copy = {0}, write = {0};
	keymap_hint(&app->keymap, COMMAND_COPY, &copy);
	keymap_hint(&app->keymap, COMMAND_WRITE, &write);
	app_say(app, "range: move to its end; %s copies, %s writes it to a file", copy.data,
		write.data);
	text_free(&copy);
	text_free(&write);
}

static bool
take(void *context, struct text *text)
{
	struct copied *copied = context;
	text_add_bytes(&copied->text, text_get(text), text->length);
	text_clear(text);
	return copied->text.length <= COPY_MAX && ++copied->takes <= TAKES_MAX;
}

bool
range_copy(struct app *app)
{
	struct export_span span;
	struct copied copied = {0};
	if (!range_span(app, &span))
		return false;
	struct export_range wanted = {.spans = &span,
				      .count = 1,
				      .format = export_find("text"),
				      .filter = &app->filter,
				      .charset = app->charset,
				      .take = take,
				      .context = &copied};
	int64_t written = export_range(&wanted);
	if (written == ERR_CANCELLED) {
		app_trouble(app, "that is too much for a clipboard; :write it to a file");
	} else if (written < 0) {
		app_trouble(app, "numbers are not known so far; try again when more is indexed");
	} else {
		term_copy(app->term, text_get(&copied.text), copied.text.length);
		app_say(app, "copied %lld messages", (long long)written);
		app->range.on = false;
	}
	text_free(&copied.text);
	return true;
}
