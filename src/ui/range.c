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
	*span = (struct export_span){0};
	bool any = ends(app, &span->first, &span->last);
	span->trace = app->session->traces.at[any ? app->range.trace : 0];
	return any;
}

bool
range_drop(struct app *app)
{
	bool was = app->range.on;
	app->range.on = false;
	if (was)
		app_say(app, "range dropped");
	return was;
}

/* How many messages from one row of a lane to another the list shows. */
static uint64_t
count_shown(struct app *app, const struct row *first, const struct row *last, bool *exact)
{
	struct list *list = app->list;
	struct reader *reader = list->lanes[first->lane].reader;
	uint64_t from, to;
	bool sure, and_last = true;
	if (list->hits.count) {
		struct matches *hits = list->hits.of[first->lane];
		matches_rank(hits, reader, first->at, &from, &sure);
		and_last = matches_rank(hits, reader, last->at, &to, exact);
	} else {
		from = reader_number(reader, first->at, &sure);
		to = reader_number(reader, last->at, exact);
	}
	*exact &= sure;
	return to > from ? to - from + and_last : and_last;
}

void
range_describe(struct app *app, struct text *out)
{
	struct spot from = {.trace = app->range.trace}, to = from;
	struct list *list;
	struct row first, last;
	struct moment start, end;
	char digits[32];
	bool exact;
	if (!ends(app, &from.place, &to.place) || !jump_find(app, &from, &list, &first) ||
	    !jump_find(app, &to, &list, &last))
		return;
	uint64_t count = count_shown(app, &first, &last, &exact);
	text_addf(out, "   range: %s%s messages", exact ? "" : "~", text_number(digits, count));
	if (!moment_of_row(list, &first, &start) || !moment_of_row(list, &last, &end))
		return;
	struct text length = {0};
	moment_format_difference(&start, &end, true, &length);
	if (length.length)
		text_addf(out, ", %s %s", length.data, end.clock.hz ? "s" : "ticks");
	text_free(&length);
}

void
range_toggle(struct app *app, const struct command_call *call)
{
	struct range *range = &app->range;
	const struct row *row = list_current(app->list);
	(void)call;
	struct place here;
	if (!row)
		return;
	if (range->on && moving_end(app, &here)) {
		range_drop(app);
		return;
	}
	range->on = true;
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
