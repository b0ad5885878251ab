/*
 * Searching from the cursor: see search.h.
 *
 * A search first looks at a few cells, so the usual jump takes no noticeable time.  Matches
 * of a text search are counted.  The count leads to the next match, as soon as it covers
 * that part.  Other searches continue in a thread.  Esc or Ctrl-C ends either.
 * Searches wrap round the end, with a notice.  A repeat count continues there, like repeated
 * single steps.  Once all matches were passed, only the remainder after whole rounds is left.
 */
#include "config.h"

#include "ui/list/search.h"
#include "base/notice.h"
#include "decode/registry.h"
#include "query/gap_search.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/selection.h"
#include "ui/list/trail.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEAR_CELLS = 8,
	GAP_TIMES = 16,	   /* a gap this many times the usual one is long */
	GAP_MESSAGES = 500 /* on either side of the cursor, to find the usual gap */
};

/* End the running search. */
static void
search_stop(struct search *search)
{
	next_match_free(search->next);
	search->next = NULL;
	gap_search_free(search->gap);
	search->gap = NULL;
}

void
search_free(struct search *search)
{
	search_stop(search);
	list_matches_close(&search->matches);
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
	return search->next || search->gap;
}

void
search_cancel(struct screen *screen)
{
	struct search *search = screen->search;
	if (!search_running(search))
		return;
	search_stop(search);
	screen_say(screen, NOTICE_CANCELLED);
}

void
search_uncount(struct screen *screen)
{
	struct search *search = screen->search;
	search_cancel(screen); /* it may use the count */
	list_matches_close(&search->matches);
}

/* Return the list's filter, or NULL if everything passes. */
static const struct filter *
search_list_filter(struct screen *screen)
{
	return filter_is_all(screen->filter) ? NULL : screen->filter;
}

static void
show_match(struct screen *screen, struct sequence_position found)
{
	const struct search *search = screen->search;
	trail_go_to(screen, found);
	if (sequence_position_is_same(found, search->from))
		screen_say(screen, NOTICE_SEARCH_ONLY_ONE, search->what);
	else if (search->wrapped)
		screen_say(screen, search->step > 0 ? NOTICE_SEARCH_WRAPPED_TOP
						    : NOTICE_SEARCH_WRAPPED_BOTTOM);
}

/* Count a passed match.  When it completes a round, the number of matches is known.  Whole
 * rounds of the remaining count are then skipped, because they lead back to this match. */
static void
pass_match(struct search *search, struct sequence_position found)
{
	bool again = search->passed && sequence_position_is_same(found, search->first);
	uint64_t all = search->passed + !again;
	if (!search->passed++)
		search->first = found;
	if (again || sequence_position_is_same(found, search->from))
		search->left = (search->left - 1) % all + 1;
	search->left--;
}

/* Pass matches until none are left to pass.  A long search continues in a thread, and
 * search_poll() resumes it. */
static void
go_on(struct screen *screen, unsigned near)
{
	struct search *search = screen->search;
	struct next_bound bound = {
	    .known = search->counts ? search->matches.of : NULL, .near = near, .background = true};
	struct sequence_position found;
	enum next_result result;
	while ((result = next_match(search->next, &bound, &found)) == NEXT_FOUND) {
		search->wrapped |= next_match_wrapped(search->next);
		pass_match(search, found);
		if (!search->left)
			break;
		bound.near = NEAR_CELLS;
	}
	if (result == NEXT_WAITING)
		return;
	search_stop(search);
	if (result == NEXT_FOUND)
		show_match(screen, found);
	else if (result == NEXT_REFUSED)
		screen_error(screen, NOTICE_SEARCH_NO_THREAD, search->what);
	else
		screen_say(screen,
			   search_list_filter(screen) ? NOTICE_SEARCH_NONE_SHOWN
						      : NOTICE_SEARCH_NONE,
			   search->what);
}

static void
search_prepare(struct screen *screen, struct filter want, const char *what, int direction,
	       uint64_t count)
{
	struct search *search = screen->search;
	search_stop(search);
	search->want = want;
	search->what = what;
	search->step = direction;
	search->left = count ? count : 1;
	search->passed = 0;
	search->list = screen->list;
	search->wrapped = false;
	search->counts = false;
}

/* Start the search set up by search_prepare(), from the cursor. */
static void
search_start(struct screen *screen)
{
	struct search *search = screen->search;
	const struct row *row = list_current(screen->list);
	search->from = row ? row_position(row) : screen->list->edges[LIST_AFTER].from;
	const struct next_query query = {.sequence = screen->list->sequence,
					 .want = &search->want,
					 .also = search_list_filter(screen),
					 .from = search->from,
					 .direction = search->step,
					 .wrap = true};
	search->next = next_match_new(&query);
	go_on(screen, NEAR_CELLS);
}

static void
search_begin(struct screen *screen, struct filter want, const char *what, int direction,
	     uint64_t count)
{
	search_prepare(screen, want, what, direction, count);
	search_start(screen);
}

/* Go to the gap if the search has ended. */
static void
poll_gap(struct screen *screen)
{
	struct search *search = screen->search;
	struct list *list = screen->list;
	struct gap_found found;
	struct sequence_position p;
	if (!gap_search_is_done(search->gap))
		return;
	bool any = gap_search_get(search->gap, &found, 1) &&
		   sequence_find_trace(list->sequence, found.after.trace, &p.trace) &&
		   reader_find_id(sequence_reader(list->sequence, p.trace), found.after.id, &p.at);
	search_stop(search);
	if (!any) {
		screen_say(screen, NOTICE_GAP_NONE);
		return;
	}
	struct text length = {0};
	trail_go_to(screen, p);
	gap_format(&found.gap, true, &length);
	screen_say(screen, NOTICE_GAP_BEFORE, text_get(&length));
	text_free(&length);
}

void
search_poll(struct screen *screen)
{
	struct search *search = screen->search;
	list_matches_update(&search->matches);
	if (!search_running(search) || screen->list != search->list)
		search_stop(search); /* another trace is shown now */
	else if (search->gap)
		poll_gap(screen);
	else
		go_on(screen, 0);
}

/* --- handlers ---------------------------------------------------------- */

static void
search_repeat(struct screen *screen, int direction, uint64_t count)
{
	struct search *search = screen->search;
	if (!search->regex) {
		screen_say(screen, NOTICE_SEARCH_NOTHING_YET);
		return;
	}
	struct filter want = filter_all();
	want.expr = search->pattern;
	search->highlight = true;
	if (!search->matches.count)
		list_matches_open(&search->matches, screen->list, &want, search_list_filter(screen),
				  NULL);
	search_prepare(screen, want, "match", direction, count);
	search->counts = true;
	search_start(screen);
}

/* Return true if a search string is for bytes, as in `\x42 ?? 4?`.  It contains nothing else,
 * or starts with an invalid byte.  `\x42.*` is a regular expression. */
static bool
is_bytes(const char *text)
{
	static const char digits[] = "0123456789abcdefABCDEF?";
	if (strncmp(text, "\\x", 2) != 0 || text[2] == '{')
		return false;
	return strspn(text + 2, digits) < 2 || !text[strspn(text, "\\x0123456789abcdefABCDEF? ")];
}

/* Return an expression for messages that contain the bytes, and a regular expression for them.
 * On error, show it and return NULL. */
static struct filter_expr *
read_bytes(struct screen *screen, const char *text, struct regex **regex)
{
	static const char front[] = "bytes ~ \"";
	struct text filter = {0}, pattern = {0};
	struct filter_error error;
	struct err err;
	text_addf(&filter, "%s%s\"", front, text);
	struct filter_expr *expr = filter_parse(filter.data, NULL, &error);
	if (!expr)
		screen_error(screen, NOTICE_SEARCH_REFUSED_AT, error.at + 2 - sizeof front,
			     error.what);
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
		screen_error(screen, NOTICE_FILTER_REFUSED, err.what);
		filter_expr_free(expr);
		expr = NULL;
	}
	text_free(&filter);
	text_free(&pattern);
	return expr;
}

/* Move the last search to the earlier ones, which stay highlighted.  If NEXT is the same, drop
 * it. */
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

/* Set the search pattern.  Show an error and return false if it is invalid. */
static bool
set_pattern(struct screen *screen, const char *text)
{
	struct search *search = screen->search;
	struct filter_error error;
	struct err err;
	struct regex *regex = NULL;
	bool bytes = is_bytes(text);
	struct filter_expr *pattern = bytes ? read_bytes(screen, text, &regex) : NULL;
	if (!bytes)
		regex = regex_new_typed(text, &err);
	if (!bytes && regex)
		pattern = filter_parse_pattern(text, &error);
	if (!bytes && !pattern)
		screen_error(screen, NOTICE_SEARCH_REFUSED, regex ? error.what : err.what);
	if (!pattern) {
		regex_free(regex);
		return false;
	}
	search_uncount(screen); /* it counts the old pattern */
	keep_earlier(search, pattern);
	filter_expr_free(search->pattern);
	search->regex = regex;
	search->pattern = pattern;
	search->bytes = bytes;
	return true;
}

void
search_text(struct screen *screen, const struct command_call *call)
{
	struct search *search = screen->search;
	int direction = call->id == COMMAND_SEARCH ? 1 : -1;
	if (*call->text && !set_pattern(screen, call->text))
		return;
	search->direction = direction;
	search_repeat(screen, direction, 1);
}

void
search_again(struct screen *screen, const struct command_call *call)
{
	int direction = screen->search->direction;
	search_repeat(screen, call->id == COMMAND_NEXT ? direction : -direction, call->count);
}

#define SEVERITY_BIT(name) (1u << SEVERITY_##name)

static const struct {
	enum command_id next, previous;
	uint16_t severities;
	uint16_t flags;
	const char *expression; /* an additional condition, or NULL */
	const char *what;
	bool triggers; /* add the triggers of each format's table as a condition */
} kinds[] = {
    {COMMAND_NEXT_TRIGGER, COMMAND_PREVIOUS_TRIGGER, SEVERITY_ALL, 0, NULL, "trigger", true},
    {COMMAND_NEXT_ERROR, COMMAND_PREVIOUS_ERROR, SEVERITY_BIT(FATAL) | SEVERITY_BIT(ERROR), 0, NULL,
     "error", false},
    {COMMAND_NEXT_WARNING, COMMAND_PREVIOUS_WARNING, SEVERITY_BIT(WARNING), 0, NULL, "warning",
     false},
    {COMMAND_NEXT_LOSS, COMMAND_PREVIOUS_LOSS, SEVERITY_ALL, 0, SEARCH_LOSS, "loss", false},
    {COMMAND_NEXT_SYNC, COMMAND_PREVIOUS_SYNC, SEVERITY_ALL, MESSAGE_SYNC, NULL, "sync point",
     false},
    {COMMAND_NEXT_RESYNC, COMMAND_PREVIOUS_RESYNC, SEVERITY_ALL, MESSAGE_RESYNC, NULL,
     "resync point", false},
    {COMMAND_NEXT_STEP_BACK, COMMAND_PREVIOUS_STEP_BACK, SEVERITY_ALL, MESSAGE_TIMED, "steps_back",
     "time that steps back", false},
};

/* Search for messages that pass both WANT and an expression of the program's own.  Take
 * ownership of the expression. */
static void
begin_expression(struct screen *screen, struct filter want, struct filter_expr *expr,
		 const char *what, int direction, uint64_t count)
{
	struct search *search = screen->search;
	search_stop(search); /* it may use the last example */
	filter_expr_free(search->example);
	search->example = want.expr = expr;
	search_begin(screen, want, what, direction, count);
}

void
search_kind(struct screen *screen, const struct command_call *call)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (call->id != kinds[i].next && call->id != kinds[i].previous)
			continue;
		struct filter want = filter_all();
		const char *text = kinds[i].triggers ? decoder_triggers() : kinds[i].expression;
		want.severities = kinds[i].severities;
		want.flags = kinds[i].flags;
		begin_expression(screen, want, text ? filter_parse(text, NULL, NULL) : NULL,
				 kinds[i].what, call->id == kinds[i].next ? 1 : -1, call->count);
	}
}

void
search_origin(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	const struct message *m = row ? reader_message(screen->list->reader, row->at) : NULL;
	struct text trace = {0};
	if (!m)
		return;
	struct filter want = filter_all();
	want.by_origin = true;
	want.origin = m->origin;
	if (screen->list->lane_count > 1) {
		const char *name = trace_name(screen->list->trace);
		text_add(&trace, "trace = ");
		filter_quote(name, strlen(name), &trace);
	}
	begin_expression(screen, want, trace.length ? filter_parse(trace.data, NULL, NULL) : NULL,
			 "other message of this origin", call->id == COMMAND_NEXT_ORIGIN ? 1 : -1,
			 call->count);
	text_free(&trace);
}

void
search_other(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct text text = {0};
	if (!selection)
		return;
	const struct text *origin = &selection->expansion.origin;
	text_add(&text, "origin != ");
	filter_quote(text_get(origin), origin->length, &text);
	if (screen->list->lane_count > 1) {
		const char *name = trace_name(selection->trace);
		text_add(&text, " or trace != ");
		filter_quote(name, strlen(name), &text);
	}
	begin_expression(screen, filter_all(), filter_parse(text.data, NULL, NULL),
			 "message of another origin", call->id == COMMAND_NEXT_OTHER ? 1 : -1,
			 call->count);
	text_free(&text);
}

void
search_add_example(const struct selection *selection, struct text *out)
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
search_example(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct text text = {0};
	struct filter_error error;
	if (!selection)
		return;
	search_add_example(selection, &text);
	struct filter_expr *example = filter_parse(text_get(&text), screen->session, &error);
	text_free(&text);
	if (!example) {
		screen_error(screen, NOTICE_FILTER_REFUSED, error.what);
		return;
	}
	begin_expression(screen, filter_all(), example, "other message like this",
			 call->id == COMMAND_NEXT_LIKE ? 1 : -1, call->count);
}

/* Lengths of gaps near the cursor, to find the usual one.  Without a filter they lie between
 * the messages around it, else between the rows of the list. */
struct usual {
	VEC(uint64_t) lengths;
	struct message_time last;
	bool timed;
};

static void
add_usual(struct usual *usual, struct trace *trace, const struct message *m)
{
	struct message_time time;
	struct gap gap;
	if (!m || !gap_time(trace, m, &time))
		return;
	if (usual->timed && gap_between(&usual->last, &time, &gap))
		*vec_add(&usual->lengths) = gap.length;
	usual->last = time;
	usual->timed = true;
}

static void
add_around(struct screen *screen, struct usual *usual)
{
	struct sequence *sequence = screen->list->sequence;
	const struct row *row = list_current(screen->list);
	struct sequence_position p = row ? row_position(row) : screen->list->edges[LIST_AFTER].from;
	for (int i = 0; i < GAP_MESSAGES && sequence_previous(sequence, &p);)
		i++;
	for (int i = 0; i < 2 * GAP_MESSAGES; i++) {
		add_usual(usual, reader_trace(sequence_reader(sequence, p.trace)),
			  sequence_message(sequence, p));
		if (!sequence_next(sequence, &p))
			break;
	}
}

static uint64_t
usual_gap(struct screen *screen)
{
	const struct list *list = screen->list;
	struct usual usual = {0};
	if (filter_is_all(screen->filter))
		add_around(screen, &usual);
	else
		for (size_t i = 0; i < list->rows.count; i++)
			if (list->rows.at[i].there)
				add_usual(&usual, list->lanes[list->rows.at[i].lane].trace,
					  &list->rows.at[i].message);
	uint64_t length = gap_usual(usual.lengths.at, usual.lengths.count);
	vec_free(&usual.lengths);
	return length;
}

bool *
search_hidden(const struct screen *screen)
{
	size_t count = screen->session->traces.count;
	bool *hidden = mem_new((count + 1) * sizeof *hidden);
	for (size_t i = 0; i < count; i++) {
		size_t lane;
		hidden[i] = !sequence_find_trace(screen->list->sequence, i, &lane) ||
			    !sequence_shows(screen->list->sequence, lane);
	}
	return hidden;
}

void
search_gap(struct screen *screen, const struct command_call *call)
{
	struct search *search = screen->search;
	const struct row *row = list_current(screen->list);
	int direction = call->id == COMMAND_NEXT_GAP ? 1 : -1;
	search_prepare(screen, filter_all(), "long gap", direction, call->count);
	if (!row)
		return;
	bool *hidden = search_hidden(screen);
	const struct gap_query query = {.session = screen->session,
					.hidden = hidden,
					.filter = search_list_filter(screen),
					.least = usual_gap(screen) * GAP_TIMES + 1,
					.direction = direction,
					.from = {screen->list->lanes[row->lane].number, row->id},
					.nth = search->left};
	search->gap = gap_search_new(&query);
	free(hidden);
}
