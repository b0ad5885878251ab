/*
 * Searching from the cursor: see search.h.
 *
 * A few cells are looked at at once, so the usual jump takes no time one
 * notices; the rest is a seek in a thread of its own, which Esc or Ctrl-C
 * ends.  Searches go round the end once and say so.  Meanwhile the matches are
 * counted; cells that have none by that count are passed.
 */
#include "config.h"

#include "ui/search.h"
#include "ui/app.h"

enum { NEAR_CELLS = 8 };

void
search_free(struct search *search)
{
	seek_free(search->job);
	matches_free(search->matches);
	regex_free(search->regex);
	*search = (struct search){0};
}

void
search_cancel(struct app *app)
{
	struct search *search = &app->search;
	if (!search->job)
		return;
	seek_free(search->job);
	search->job = NULL;
	app_say(app, "cancelled");
}

void
search_uncount(struct app *app)
{
	struct search *search = &app->search;
	search_cancel(app); /* it may look at the count */
	matches_free(search->matches);
	search->matches = NULL;
}

/* The list's filter, where it has one. */
static const struct filter *
shown(struct app *app)
{
	return filter_is_all(&app->filter) ? NULL : &app->filter;
}

static void
notify(void *context)
{
	struct session *session = context;
	session_tell(session);
}

static struct position
start_of(const struct list *list)
{
	const struct row *row = list_current(list);
	return row ? row->at : list->edges[LIST_AFTER].from;
}

static void
found(struct app *app, struct position hit, bool wrapped)
{
	jump_to(app, hit);
	if (wrapped)
		app_say(app,
			app->search.step > 0 ? "continued at the start" : "continued at the end");
}

/* Goes on from a position until `left` hits are passed: at once where they
 * are near, else in the background. */
static void
go_on(struct app *app, struct position from, bool wrapped)
{
	struct search *search = &app->search;
	struct seek_query query = {.trace = app->list->trace,
				   .want = &search->want,
				   .also = shown(app),
				   .known = search->want.text ? search->matches : NULL,
				   .from = from,
				   .direction = search->step,
				   .wrap = true};
	while (search->left) {
		bool round = false;
		struct position hit;
		switch (seek_near(&query, app->list->reader, NEAR_CELLS, &hit, &round)) {
		case SEEK_FOUND:
			query.from = hit;
			wrapped |= round;
			search->left--;
			break;
		case SEEK_RUNNING:
			search->job = seek_start(&query, notify, app->session);
			return;
		case SEEK_NOT_FOUND:
		case SEEK_CANCELLED:
			app_say(app, "no %s found", search->what);
			return;
		}
	}
	found(app, query.from, wrapped);
}

static void
begin(struct app *app, struct filter want, const char *what, int direction, uint64_t count)
{
	struct search *search = &app->search;
	seek_free(search->job);
	search->job = NULL;
	search->want = want;
	search->what = what;
	search->step = direction;
	search->left = count ? count : 1;
	search->list = app->list;
	go_on(app, start_of(app->list), false);
}

void
search_poll(struct app *app)
{
	struct search *search = &app->search;
	struct position hit;
	uint64_t looked;
	bool wrapped = false;
	if (search->matches)
		matches_update(search->matches);
	if (!search->job)
		return;
	enum seek_result result = seek_poll(search->job, &hit, &wrapped, &looked);
	if (result == SEEK_RUNNING)
		return;
	seek_free(search->job);
	search->job = NULL;
	if (app->list != search->list)
		return; /* another trace is shown by now */
	if (result != SEEK_FOUND) {
		app_say(app, "no %s found", search->what);
	} else if (--search->left) {
		go_on(app, hit, wrapped);
	} else {
		found(app, hit, wrapped);
	}
}

/* --- handlers ---------------------------------------------------------- */

static void
again(struct app *app, int direction, uint64_t count)
{
	struct search *search = &app->search;
	if (!search->regex) {
		app_say(app, "nothing was searched for yet");
		return;
	}
	struct filter want = filter_all();
	want.text = search->regex;
	search->highlight = true;
	if (!search->matches)
		search->matches =
		    matches_new(app->list->trace, &want, shown(app), start_of(app->list).cell);
	begin(app, want, "match", direction, count);
}

void
search_text(struct app *app, const struct command_call *call)
{
	struct search *search = &app->search;
	struct err err;
	int direction = call->id == COMMAND_SEARCH ? 1 : -1;
	if (*call->text) {
		struct regex *regex = regex_new(call->text, REGEX_SMART_CASE, &err);
		if (!regex) {
			app_trouble(app, "%s", err.what);
			return;
		}
		search_uncount(app);
		regex_free(search->regex);
		search->regex = regex;
	}
	search->direction = direction;
	again(app, direction, 1);
}

void
search_again(struct app *app, const struct command_call *call)
{
	int direction = app->search.direction;
	again(app, call->id == COMMAND_NEXT ? direction : -direction, call->count);
}

#define SEVERITY_BIT(name) (1u << SEVERITY_##name)

static const struct {
	enum command_id next, previous;
	uint8_t severities;
	uint16_t flags;
	const char *what;
} kinds[] = {
    {COMMAND_NEXT_ERROR, COMMAND_PREVIOUS_ERROR, SEVERITY_BIT(FATAL) | SEVERITY_BIT(ERROR), 0,
     "error"},
    {COMMAND_NEXT_WARNING, COMMAND_PREVIOUS_WARNING, SEVERITY_BIT(WARNING), 0, "warning"},
    {COMMAND_NEXT_LOSS, COMMAND_PREVIOUS_LOSS, 0xff,
     MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED, "gap"},
    {COMMAND_NEXT_SYNC, COMMAND_PREVIOUS_SYNC, 0xff, MESSAGE_SYNC, "sync point"},
    {COMMAND_NEXT_RESYNC, COMMAND_PREVIOUS_RESYNC, 0xff, MESSAGE_RESYNC, "resync point"},
};

void
search_kind(struct app *app, const struct command_call *call)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (call->id != kinds[i].next && call->id != kinds[i].previous)
			continue;
		struct filter want = filter_all();
		want.severities = kinds[i].severities;
		want.flags = kinds[i].flags;
		begin(app, want, kinds[i].what, call->id == kinds[i].next ? 1 : -1, call->count);
	}
}

void
search_origin(struct app *app, const struct command_call *call)
{
	const struct row *row = list_current(app->list);
	const struct message *m = row ? reader_message(app->list->reader, row->at) : NULL;
	if (!m)
		return;
	struct filter want = filter_all();
	want.by_origin = true;
	want.origin = m->origin;
	begin(app, want, "other message of this origin", call->id == COMMAND_NEXT_ORIGIN ? 1 : -1,
	      call->count);
}
