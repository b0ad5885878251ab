/*
 * Searching from the cursor: see search.h.
 *
 * A few cells are looked at at once, so the usual jump takes no time one
 * notices.  Matches of a text are counted, which tells where the next one is, or
 * will when the counting comes by.  For what is not counted, the rest is a seek
 * in a thread of its own.  Esc or Ctrl-C ends either.  Searches go round the end
 * once and say so.
 */
#include "config.h"

#include "ui/list/search.h"
#include "decode/registry.h"
#include "query/silence.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "ui/app.h"

#include <string.h>

enum {
	NEAR_CELLS = 8,
	SILENCE_TIMES = 16 /* the usual time between messages: a long one */
};

void
search_free(struct search *search)
{
	seek_free(search->job);
	hits_close(&search->hits);
	regex_free(search->regex);
	filter_expr_free(search->pattern);
	for (int i = 0; i < SEARCH_EARLIER; i++)
		regex_free(search->earlier[i]);
	filter_expr_free(search->example);
	*search = (struct search){0};
}

bool
search_running(const struct search *search)
{
	return search->job || search->waiting;
}

void
search_cancel(struct app *app)
{
	struct search *search = &app->search;
	if (!search_running(search))
		return;
	seek_free(search->job);
	search->job = NULL;
	search->waiting = false;
	app_say(app, "cancelled");
}

void
search_uncount(struct app *app)
{
	struct search *search = &app->search;
	search_cancel(app); /* it may look at the count */
	hits_close(&search->hits);
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
	return row ? row->at : list->edges[LIST_AFTER].from.at;
}

/* The message of a row if it is of the cursor's trace, else NULL. */
static const struct message *
message_of(const struct list *list, const struct row *row)
{
	return row->there && row->lane == list->lane ? &row->message : NULL;
}

/* How long nothing came before the current row. */
static void
say_silence(struct app *app)
{
	const struct list *list = app->list;
	const struct row *row = list_current(list);
	struct trace_clock clock = trace_clock(list->trace);
	const struct message *m = row ? reader_message(list->reader, row->at) : NULL;
	uint64_t end = m ? m->ticks : 0;
	for (size_t i = list->cursor; m && i-- > 0;) {
		const struct message *before = message_of(list, &list->rows.at[i]);
		if (!before || !(before->flags & MESSAGE_TIMED))
			continue;
		struct text text = {0};
		clock_format_difference(&clock, before->ticks, end, true, &text);
		app_say(app, "silence of %s before this message", text_get(&text));
		text_free(&text);
		break;
	}
}

static void
found(struct app *app)
{
	const struct search *search = &app->search;
	jump_to(app, search->from);
	if (search->silence)
		say_silence(app);
	if (search->wrapped)
		app_say(app, search->step > 0 ? "continued at the start" : "continued at the end");
}

/* --- merged lists ------------------------------------------------------ */

/* Where a lane looks on; false if it has nothing there.  *HIT: the message is
 * itself one that may be found. */
static bool
lane_start(struct app *app, size_t i, struct position *from, bool *itself)
{
	struct search *search = &app->search;
	struct list_lane *lane = &app->list->lanes[i];
	bool forward = search->step > 0;
	*itself = forward && (search->merged.around || i != search->merged.from.trace);
	if (search->merged.around && forward)
		return reader_first(lane->reader, from);
	*from = (struct position){.cell = index_cell_count(trace_index(lane->trace))};
	return search->merged.around ||
	       merge_head(app->list->merge, search->merged.from, i, from) || !forward;
}

static void
note_hit(struct app *app, size_t lane, struct position hit)
{
	struct search *search = &app->search;
	struct merge_position own = {lane, hit};
	if (!search->merged.any ||
	    merge_is_before(app->list->merge, own, search->merged.best) == (search->step > 0))
		search->merged.best = own;
	search->merged.any = true;
}

static bool
is_hit(struct app *app, const struct list_lane *lane, struct position at)
{
	struct expansion scratch = {0};
	const struct message *m = reader_message(lane->reader, at);
	struct message copy = m ? *m : (struct message){0};
	bool hit = m && filter_match(&app->search.want, lane->reader, &copy, &scratch) &&
		   (!shown(app) || filter_match(shown(app), lane->reader, &copy, &scratch));
	expansion_free(&scratch);
	return hit;
}

/* Looks at the lanes that are left; false if one of them takes longer. */
static bool
look_at_lanes(struct app *app)
{
	struct search *search = &app->search;
	for (; search->merged.lane < app->list->lane_count; search->merged.lane++) {
		struct list_lane *lane = &app->list->lanes[search->merged.lane];
		struct seek_query query = {.trace = lane->trace,
					   .want = &search->want,
					   .also = shown(app),
					   .direction = search->step};
		struct position hit;
		bool round, itself;
		if (!merge_shows(app->list->merge, search->merged.lane) ||
		    !lane_start(app, search->merged.lane, &query.from, &itself))
			continue;
		if (itself && is_hit(app, lane, query.from)) {
			note_hit(app, search->merged.lane, query.from);
			continue;
		}
		enum seek_result result = seek_near(&query, lane->reader, NEAR_CELLS, &hit, &round);
		if (result == SEEK_RUNNING) {
			search->job = seek_start(&query, notify, app->session);
			return false;
		}
		if (result == SEEK_FOUND)
			note_hit(app, search->merged.lane, hit);
	}
	return true;
}

/* Goes on with the lanes until `left` hits are passed. */
static void
go_on_merged(struct app *app)
{
	struct search *search = &app->search;
	while (look_at_lanes(app)) {
		search->merged.lane = 0;
		if (!search->merged.any && search->wrapped) {
			app_say(app, "no %s found", search->what);
			return;
		}
		if (!search->merged.any) {
			search->wrapped = search->merged.around = true;
			continue;
		}
		search->merged.any = search->merged.around = false;
		search->merged.from = search->merged.best;
		if (!--search->left) {
			list_turn(app->list, search->merged.best.trace);
			search->from = search->merged.best.at;
			found(app);
			return;
		}
	}
}

static void
begin_merged(struct app *app)
{
	struct search *search = &app->search;
	const struct row *row = list_current(app->list);
	search->merged.from =
	    row ? (struct merge_position){row->lane, row->at} : app->list->edges[LIST_AFTER].from;
	search->merged.lane = 0;
	search->wrapped = search->merged.around = search->merged.any = false;
	go_on_merged(app);
}

/* Takes what the job found in its lane. */
static void
poll_merged(struct app *app)
{
	struct search *search = &app->search;
	struct position hit;
	uint64_t looked;
	bool round;
	enum seek_result result = seek_poll(search->job, &hit, &round, &looked);
	if (result == SEEK_RUNNING)
		return;
	seek_free(search->job);
	search->job = NULL;
	if (app->list != search->list)
		return;
	if (result == SEEK_FOUND)
		note_hit(app, search->merged.lane, hit);
	search->merged.lane++;
	go_on_merged(app);
}

/* --- one trace --------------------------------------------------------- */

/* What the count of matches knows of the next one: where it is, or from where it
 * is not known. */
static enum seek_result
look_up(struct app *app, struct matches *known, struct position *at, bool *round)
{
	int step = app->search.step;
	for (;;) {
		switch (matches_next(known, app->list->reader, *at, step, at)) {
		case MATCHES_FOUND:
			return SEEK_FOUND;
		case MATCHES_UNDECIDED:
			return SEEK_RUNNING;
		case MATCHES_END:
			if (*round)
				return SEEK_NOT_FOUND;
		}
		*round = true; /* from before the first cell, or behind the last */
		*at = (struct position){.cell = UINT64_MAX, .at = SIZE_MAX};
		if (step < 0)
			*at = (struct position){
			    .cell = index_cell_count(trace_index(app->list->trace))};
	}
}

/* Looks for the next hit, at once if it is known or near; else sees to it that
 * search_poll will be called. */
static enum seek_result
look_on(struct app *app, bool near, struct position *hit, bool *round)
{
	struct search *search = &app->search;
	struct matches *known = search->counts && search->hits.count ? search->hits.of[0] : NULL;
	struct position unknown = search->from;
	struct seek_query query = {.trace = app->list->trace,
				   .want = &search->want,
				   .also = shown(app),
				   .known = known,
				   .from = search->from,
				   .direction = search->step,
				   .wrap = !search->silence,
				   .silence = search->silence};
	*round = search->round;
	if (known) {
		enum seek_result result = look_up(app, known, &unknown, round);
		*hit = unknown;
		if (result != SEEK_RUNNING)
			return result;
	}
	if (near && !search->silence) {
		bool wrapped;
		enum seek_result result =
		    seek_near(&query, app->list->reader, NEAR_CELLS, hit, &wrapped);
		if (result != SEEK_RUNNING) {
			*round = wrapped;
			return result;
		}
	}
	search->waiting = known && matches_await(known, unknown, search->step);
	if (search->waiting) {
		search->from = unknown;
		search->round = *round;
	} else {
		search->job = seek_start(&query, notify, app->session);
	}
	return SEEK_RUNNING;
}

/* Goes on until `left` hits are passed: at once where they are known or NEAR. */
static void
go_on(struct app *app, bool near)
{
	struct search *search = &app->search;
	while (search->left) {
		struct position hit;
		bool round;
		enum seek_result result = look_on(app, near, &hit, &round);
		if (result == SEEK_RUNNING)
			return;
		if (result != SEEK_FOUND) {
			app_say(app, "no %s found", search->what);
			return;
		}
		search->from = hit;
		search->round = false;
		search->wrapped |= round;
		search->left--;
		near = true;
	}
	found(app);
}

static void
prepare(struct app *app, struct filter want, const char *what, int direction, uint64_t count)
{
	struct search *search = &app->search;
	seek_free(search->job);
	search->job = NULL;
	search->waiting = false;
	search->want = want;
	search->what = what;
	search->step = direction;
	search->left = count ? count : 1;
	search->list = app->list;
	search->from = start_of(app->list);
	search->round = search->wrapped = false;
	search->counts = false;
	search->silence = 0;
}

/* Looks on from where prepare() said. */
static void
start(struct app *app)
{
	if (app->list->merge)
		begin_merged(app);
	else
		go_on(app, true);
}

static void
begin(struct app *app, struct filter want, const char *what, int direction, uint64_t count)
{
	prepare(app, want, what, direction, count);
	start(app);
}

/* Takes what the job found; false if it still runs, or was in vain. */
static bool
take_hit(struct app *app)
{
	struct search *search = &app->search;
	uint64_t looked;
	bool wrapped = false;
	enum seek_result result = seek_poll(search->job, &search->from, &wrapped, &looked);
	if (result == SEEK_RUNNING)
		return false;
	seek_free(search->job);
	search->job = NULL;
	if (result == SEEK_FOUND) {
		search->wrapped |= wrapped;
		search->round = false;
		search->left--;
	} else if (app->list == search->list) {
		app_say(app, "no %s found", search->what);
	}
	return result == SEEK_FOUND;
}

void
search_poll(struct app *app)
{
	struct search *search = &app->search;
	hits_update(&search->hits);
	if (search->job && search->list->merge) {
		poll_merged(app);
		return;
	}
	bool more = search->waiting;
	search->waiting = false;
	if (search->job)
		more = take_hit(app);
	if (more && app->list == search->list) /* else another trace is shown by now */
		go_on(app, false);
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
	want.expr = search->pattern;
	search->highlight = true;
	if (!search->hits.count)
		hits_open(&search->hits, app->list, &want, shown(app));
	prepare(app, want, "match", direction, count);
	search->counts = true;
	start(app);
}

/* Whether a text is meant for bytes, as `\x42 ?? 4?`: nothing else is in it, or it
 * begins with what would be no byte.  `\x42.*` is a regular expression. */
static bool
is_bytes(const char *text)
{
	static const char digits[] = "0123456789abcdefABCDEF?";
	if (strncmp(text, "\\x", 2) != 0 || text[2] == '{')
		return false;
	return strspn(text + 2, digits) < 2 || !text[strspn(text, "\\x0123456789abcdefABCDEF? ")];
}

/* An expression that holds for messages that have such bytes, and a regular
 * expression for them.  NULL, and said why, if they are none. */
static struct filter_expr *
read_bytes(struct app *app, const char *text, struct regex **regex)
{
	static const char front[] = "bytes ~ \"";
	struct text filter = {0}, pattern = {0};
	struct filter_error error;
	struct err err;
	text_addf(&filter, "%s%s\"", front, text);
	struct filter_expr *expr = filter_parse(filter.data, NULL, &error);
	if (!expr)
		app_trouble(app, "character %zu: %s", error.at + 2 - sizeof front, error.what);
	text_add(&pattern, "(?s)");
	for (const char *at = text; expr && *at; at++) {
		if (*at == ' ' || *at == '\\' || *at == 'x')
			continue;
		char high = *at++, low = *at;
		if (high == '?' && low == '?')
			text_add_char(&pattern, '.');
		else if (high == '?')
			for (int i = 0; i < 16; i++)
				text_addf(&pattern, "%s\\x%x%c", i ? "" : "[", (unsigned)i, low);
		else if (low == '?')
			text_addf(&pattern, "[\\x%c0-\\x%cf", high, high);
		else
			text_addf(&pattern, "\\x%c%c", high, low);
		if ((high == '?') != (low == '?'))
			text_add_char(&pattern, ']');
	}
	*regex = expr ? regex_new(pattern.data, 0, &err) : NULL;
	if (expr && !*regex) {
		app_trouble(app, "%s", err.what);
		filter_expr_free(expr);
		expr = NULL;
	}
	text_free(&filter);
	text_free(&pattern);
	return expr;
}

/* The last search goes among the earlier ones, which stay visible, unless the
 * NEXT is the same. */
static void
keep_earlier(struct search *search, const struct filter_expr *next)
{
	bool same =
	    search->pattern && !strcmp(filter_expr_text(search->pattern), filter_expr_text(next));
	if (!search->regex || search->bytes || same) {
		regex_free(search->regex);
		search->regex = NULL;
		return;
	}
	regex_free(search->earlier[SEARCH_EARLIER - 1]);
	for (int at = SEARCH_EARLIER - 1; at; at--)
		search->earlier[at] = search->earlier[at - 1];
	search->earlier[0] = search->regex;
	search->regex = NULL;
}

void
search_forget(struct search *search)
{
	search->highlight = false;
	for (int i = 0; i < SEARCH_EARLIER; i++) {
		regex_free(search->earlier[i]);
		search->earlier[i] = NULL;
	}
}

/* Takes what is searched for from now on; false if it is no expression. */
static bool
set_pattern(struct app *app, const char *text)
{
	struct search *search = &app->search;
	struct filter_error error;
	struct err err;
	struct regex *regex = NULL;
	bool bytes = is_bytes(text);
	struct filter_expr *pattern = bytes ? read_bytes(app, text, &regex) : NULL;
	if (!bytes)
		regex = regex_new(text, REGEX_SMART_CASE, &err);
	if (!bytes && regex)
		pattern = filter_parse_pattern(text, &error);
	if (!bytes && !pattern)
		app_trouble(app, "%s", regex ? error.what : err.what);
	if (!pattern) {
		regex_free(regex);
		return false;
	}
	search_uncount(app); /* which looks for the one before */
	keep_earlier(search, pattern);
	filter_expr_free(search->pattern);
	search->regex = regex;
	search->pattern = pattern;
	search->bytes = bytes;
	return true;
}

void
search_text(struct app *app, const struct command_call *call)
{
	struct search *search = &app->search;
	int direction = call->id == COMMAND_SEARCH ? 1 : -1;
	if (*call->text && !set_pattern(app, call->text))
		return;
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
	const char *expression; /* holds too; or NULL */
	const char *what;
	bool triggers; /* what each format's table calls a trigger holds too */
} kinds[] = {
    {COMMAND_NEXT_TRIGGER, COMMAND_PREVIOUS_TRIGGER, 0xff, 0, NULL, "trigger", true},
    {COMMAND_NEXT_ERROR, COMMAND_PREVIOUS_ERROR, SEVERITY_BIT(FATAL) | SEVERITY_BIT(ERROR), 0, NULL,
     "error", false},
    {COMMAND_NEXT_WARNING, COMMAND_PREVIOUS_WARNING, SEVERITY_BIT(WARNING), 0, NULL, "warning",
     false},
    {COMMAND_NEXT_LOSS, COMMAND_PREVIOUS_LOSS, 0xff, 0, "damaged or lost or truncated", "gap",
     false},
    {COMMAND_NEXT_SYNC, COMMAND_PREVIOUS_SYNC, 0xff, MESSAGE_SYNC, NULL, "sync point", false},
    {COMMAND_NEXT_RESYNC, COMMAND_PREVIOUS_RESYNC, 0xff, MESSAGE_RESYNC, NULL, "resync point",
     false},
};

/* Looks for what an expression of the program's own wants besides WANT, and
 * takes it over. */
static void
begin_expression(struct app *app, struct filter want, struct filter_expr *expr, const char *what,
		 int direction, uint64_t count)
{
	struct search *search = &app->search;
	seek_free(search->job); /* it may look for the last one */
	search->job = NULL;
	filter_expr_free(search->example);
	search->example = want.expr = expr;
	begin(app, want, what, direction, count);
}

void
search_kind(struct app *app, const struct command_call *call)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (call->id != kinds[i].next && call->id != kinds[i].previous)
			continue;
		struct filter want = filter_all();
		const char *text = kinds[i].triggers ? decoder_triggers() : kinds[i].expression;
		want.severities = kinds[i].severities;
		want.flags = kinds[i].flags;
		begin_expression(app, want, text ? filter_parse(text, NULL, NULL) : NULL,
				 kinds[i].what, call->id == kinds[i].next ? 1 : -1, call->count);
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

/* Appends what a message must be to be like the selected one. */
static void
add_example(const struct selection *selection, struct text *out)
{
	const struct expansion *e = &selection->expansion;
	const struct decoder_ops *ops = trace_decoder(selection->trace)->ops;
	const struct field *alike = ops->alike ? expansion_find(e, ops->alike) : NULL;
	text_add(out, "type = ");
	filter_quote(text_get(&e->type), e->type.length, out);
	if (!alike)
		return;
	text_addf(out, " and %s.%s = ", ops->format, ops->alike);
	field_format(alike, out);
}

void
search_example(struct app *app, const struct command_call *call)
{
	const struct selection *selection = app_selection(app);
	struct text text = {0};
	struct filter_error error;
	if (!selection)
		return;
	add_example(selection, &text);
	struct filter_expr *example = filter_parse(text_get(&text), app->session, &error);
	text_free(&text);
	if (!example) {
		app_trouble(app, "%s", error.what);
		return;
	}
	begin_expression(app, filter_all(), example, "other message like this",
			 call->id == COMMAND_NEXT_LIKE ? 1 : -1, call->count);
}

/* The usual time between messages near the cursor: those of its cell, or with a
 * filter the rows that the list holds. */
static uint64_t
usual_gap(struct app *app)
{
	const struct list *list = app->list;
	VEC(uint64_t) ticks = {0};
	const struct block *block = reader_block(list->reader, start_of(list).cell);
	bool all = filter_is_all(&app->filter);
	for (size_t i = 0; i < (all ? block->count : list->rows.count); i++) {
		const struct message *m =
		    all ? &block->messages[i] : message_of(list, &list->rows.at[i]);
		if (m && m->flags & MESSAGE_TIMED)
			*vec_add(&ticks) = m->ticks;
	}
	uint64_t usual = silence_usual(ticks.at, ticks.count);
	vec_free(&ticks);
	return usual;
}

void
search_silence(struct app *app, const struct command_call *call)
{
	prepare(app, filter_all(), "long silence", call->id == COMMAND_NEXT_SILENCE ? 1 : -1,
		call->count);
	app->search.silence = usual_gap(app) * SILENCE_TIMES + 1;
	go_on(app, false);
}
