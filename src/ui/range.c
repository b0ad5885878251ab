/*
 * The range of messages between an anchor and the cursor: see range.h.
 *
 * Both ends are places, so the range survives filters and the index.  What it
 * holds is what the filters show of it.
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

static bool
ends(const struct app *app, struct place *first, struct place *last)
{
	const struct range *range = &app->range;
	const struct row *row = list_current(app->list);
	if (!range->on || !row || range->trace != app->trace)
		return false;
	bool down = place_compare(range->from, row->place) < 0;
	*first = down ? range->from : row->place;
	*last = down ? row->place : range->from;
	return true;
}

bool
range_has(const struct app *app, struct place place)
{
	struct place first, last;
	return ends(app, &first, &last) && place_compare(first, place) <= 0 &&
	       place_compare(place, last) <= 0;
}

bool
range_span(const struct app *app, struct export_span *span)
{
	span->trace = app->list->trace;
	return ends(app, &span->first, &span->last);
}

void
range_toggle(struct app *app, const struct command_call *call)
{
	struct range *range = &app->range;
	const struct row *row = list_current(app->list);
	(void)call;
	range->on = row && !(range->on && range->trace == app->trace);
	if (!range->on)
		return;
	range->trace = app->trace;
	range->from = row->place;
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
