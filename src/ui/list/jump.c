/*
 * Marks, the trail of jumps, and the go-to prompt: see jump.h.
 *
 * A point in time is found by bisecting cells, from their summaries where the
 * index has them and by decoding a cell where not: some twenty cells in a
 * capture of any size.  Where time steps back the answer is one of several.
 */
#include "config.h"

#include "ui/list/jump.h"
#include "session/clock/clock_text.h"
#include "ui/app.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRAIL_MAX = 100,
	UNTIMED_MAX = 64, /* cells without a time passed while bisecting */
	NEAR_CELLS = 16	  /* looked at for the message itself */
};

void
jumps_free(struct jumps *jumps)
{
	for (size_t i = 0; i < jumps->marks.count; i++)
		free(jumps->marks.at[i].note);
	vec_free(&jumps->marks);
	vec_free(&jumps->trail);
	free(jumps->last);
}

static bool
same_spot(const struct spot *spot, size_t trace, struct place place)
{
	return spot->trace == trace && !place_compare(spot->place, place);
}

bool
jump_here(struct app *app, struct spot *spot)
{
	const struct row *row = list_current(app->list);
	if (row)
		*spot =
		    (struct spot){.trace = app->list->lanes[row->lane].number, .place = row->place};
	return row;
}

bool
jump_find(struct app *app, const struct spot *spot, struct list **list, struct row *row)
{
	bool all = app->list->merge;
	*list = all ? app->list : &app->lists[spot->trace];
	*row = (struct row){.lane = all ? spot->trace : 0, .place = spot->place};
	struct reader *reader = (*list)->lanes[row->lane].reader;
	const struct message *m = reader_find_place(reader, spot->place, &row->at)
				      ? reader_message(reader, row->at)
				      : NULL;
	row->there = m != NULL;
	if (m)
		row->message = *m;
	return row->there;
}

static void
go_to_spot(struct app *app, const struct spot *spot)
{
	struct position at;
	if (app->list->merge)
		list_turn(app->list, spot->trace);
	else if (spot->trace != app->trace)
		app_show_trace(app, spot->trace);
	if (reader_find_place(app->list->reader, spot->place, &at))
		list_goto(app->list, at);
}

/* --- the trail --------------------------------------------------------- */

static void
remember(struct app *app)
{
	struct jumps *jumps = &app->jumps;
	struct spot here;
	if (!jump_here(app, &here))
		return;
	if (jumps->trail.count == TRAIL_MAX) {
		memmove(jumps->trail.at, jumps->trail.at + 1,
			(TRAIL_MAX - 1) * sizeof *jumps->trail.at);
		jumps->trail.count--;
	}
	*vec_add(&jumps->trail) = here;
	jumps->at = jumps->trail.count;
}

void
jump_to_spot(struct app *app, const struct spot *spot)
{
	struct spot copy = *spot; /* it may be of the trail, which moves */
	remember(app);
	go_to_spot(app, &copy);
}

void
jump_to(struct app *app, struct position at)
{
	remember(app);
	list_goto(app->list, at);
}

void
jump_trail(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	size_t count = call->count < TRAIL_MAX ? (size_t)call->count : TRAIL_MAX;
	for (; count; count--) {
		if (call->id == COMMAND_FORWARD) {
			if (jumps->at + 1 >= jumps->trail.count)
				break;
			jumps->at++;
		} else {
			if (!jumps->at)
				break;
			if (jumps->at == jumps->trail.count) {
				remember(app); /* to come forward to */
				jumps->at = jumps->trail.count - 1;
			}
			if (jumps->at)
				jumps->at--;
		}
		go_to_spot(app, &jumps->trail.at[jumps->at]);
	}
}

/* --- marks ------------------------------------------------------------- */

char
jumps_mark(const struct jumps *jumps, size_t trace, struct place place)
{
	for (size_t i = 0; i < jumps->marks.count; i++)
		if (same_spot(&jumps->marks.at[i], trace, place))
			return jumps->marks.at[i].letter;
	return 0;
}

static struct spot *
find_mark(struct jumps *jumps, char letter)
{
	for (size_t i = 0; i < jumps->marks.count; i++)
		if (jumps->marks.at[i].letter == letter)
			return &jumps->marks.at[i];
	return NULL;
}

void
jumps_drop(struct jumps *jumps, size_t i)
{
	struct spot *mark = &jumps->marks.at[i];
	free(mark->note);
	memmove(mark, mark + 1, (--jumps->marks.count - i) * sizeof *mark);
}

/* What a new mark takes the place of, or the number of marks. */
static size_t
replaced(const struct jumps *jumps, const struct spot *new)
{
	size_t i = 0;
	for (; i < jumps->marks.count; i++) {
		const struct spot *old = &jumps->marks.at[i];
		if (old->letter == new->letter &&
		    (new->letter != '*' || same_spot(old, new->trace, new->place)))
			break;
	}
	return i;
}

struct spot *
jumps_add(struct jumps *jumps, struct spot new)
{
	size_t old = replaced(jumps, &new), at = 0;
	if (old < jumps->marks.count)
		jumps_drop(jumps, old);
	while (at < jumps->marks.count &&
	       (jumps->marks.at[at].trace < new.trace ||
		(jumps->marks.at[at].trace ==
		 new.trace &&place_compare(jumps->marks.at[at].place, new.place) <= 0)))
		at++;
	vec_reserve(&jumps->marks, 1);
	struct spot *mark = &jumps->marks.at[at];
	memmove(mark + 1, mark, (jumps->marks.count++ - at) * sizeof *mark);
	*mark = new;
	return mark;
}

static bool
is_letter(uint32_t key)
{
	return (key >= 'a' && key <= 'z') || (key >= 'A' && key <= 'Z');
}

static void
toggle_bookmark(struct app *app, struct spot here)
{
	struct jumps *jumps = &app->jumps;
	here.letter = '*';
	size_t old = replaced(jumps, &here);
	if (old < jumps->marks.count)
		jumps_drop(jumps, old);
	else
		jumps_add(jumps, here);
}

void
jump_set(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	struct spot here;
	if (!jump_here(app, &here))
		return;
	if (call->id == COMMAND_BOOKMARK || call->letter == 'm') {
		toggle_bookmark(app, here);
	} else if (is_letter(call->letter)) {
		here.letter = (char)call->letter;
		jumps_add(jumps, here);
	} else {
		app_say(app, "a mark is a letter");
		return;
	}
	struct moment moment;
	if (moment_of_row(app->list, list_current(app->list), &moment)) {
		jumps->has_base = true;
		jumps->base = moment;
	}
}

void
jump_note_mark(struct app *app, struct spot *mark, const char *note)
{
	if (!note) {
		prompt_open(&app->prompt, COMMAND_NOTE);
		prompt_replace(&app->prompt, 0, mark && mark->note ? mark->note : "");
	} else if (mark) {
		free(mark->note);
		mark->note = *note ? mem_text(note) : NULL;
	}
}

void
jump_note(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	struct spot here, *mark = NULL;
	if (!jump_here(app, &here))
		return;
	for (size_t i = 0; i < jumps->marks.count && !mark; i++)
		if (same_spot(&jumps->marks.at[i], here.trace, here.place))
			mark = &jumps->marks.at[i];
	if (!mark && call->text && *call->text) {
		here.letter = '*';
		mark = jumps_add(jumps, here);
	}
	jump_note_mark(app, mark, call->text);
}

void
jump_unmark(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	struct spot here;
	(void)call;
	if (!jump_here(app, &here))
		return;
	for (size_t i = jumps->marks.count; i-- > 0;)
		if (same_spot(&jumps->marks.at[i], here.trace, here.place))
			jumps_drop(jumps, i);
}

void
jump_mark(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	struct spot *target = NULL;
	if (call->letter == '\'' || call->letter == '`')
		target = jumps->trail.count ? &jumps->trail.at[jumps->trail.count - 1] : NULL;
	else if (is_letter(call->letter))
		target = find_mark(jumps, (char)call->letter);
	if (!target) {
		app_say(app, "no such mark");
		return;
	}
	jump_to_spot(app, target);
}

/* Whether A stands before B in the present list. */
static bool
is_before(struct app *app, const struct spot *a, const struct spot *b)
{
	struct list *list;
	struct row first, second;
	if (!app->list->merge)
		return place_compare(a->place, b->place) < 0;
	return jump_find(app, a, &list, &first) && jump_find(app, b, &list, &second) &&
	       merge_is_before(list->merge, (struct merge_position){first.lane, first.at},
			       (struct merge_position){second.lane, second.at});
}

void
jump_next_mark(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	bool next = call->id == COMMAND_NEXT_MARK;
	struct spot here, *best = NULL;
	if (!jump_here(app, &here))
		return;
	for (size_t i = 0; i < jumps->marks.count; i++) {
		struct spot *mark = &jumps->marks.at[i];
		bool shown = app->list->merge || mark->trace == here.trace;
		if (shown && is_before(app, next ? &here : mark, next ? mark : &here) &&
		    (!best || is_before(app, next ? mark : best, next ? best : mark)))
			best = mark;
	}
	if (!best) {
		app_say(app, "no mark that way");
		return;
	}
	jump_to_spot(app, best);
}

/* --- by number and share ----------------------------------------------- */

static void
go_to_number(struct app *app, uint64_t number)
{
	bool exact;
	struct position at;
	if (list_find_number(app->list, number, &at, &exact))
		jump_to(app, at);
	else
		app_say(app, "no message %llu", (unsigned long long)number);
}

static void
go_to_offset(struct app *app, uint64_t offset)
{
	struct position at;
	if (reader_find_offset(app->list->reader, offset, &at))
		jump_to(app, at);
}

static void
go_to_percent(struct app *app, uint64_t percent)
{
	bool exact;
	percent = percent < 100 ? percent : 100;
	if (app->list->merge && merge_is_exact(app->list->merge)) {
		uint64_t count = list_total(app->list, &exact);
		go_to_number(app,
			     count ? (uint64_t)((double)(count - 1) / 100 * (double)percent) : 0);
		return;
	}
	uint64_t size = capture_size(trace_capture(app->list->trace));
	go_to_offset(app, size / 100 * percent + size % 100 * percent / 100);
}

void
jump_percent(struct app *app, const struct command_call *call)
{
	go_to_percent(app, call->counted ? call->count : 0);
}

void
jump_top(struct app *app, const struct command_call *call)
{
	if (call->counted) {
		go_to_number(app, call->count);
	} else {
		remember(app);
		list_goto_edge(app->list, LIST_BEFORE);
	}
}

void
jump_end(struct app *app, const struct command_call *call)
{
	if (call->counted) {
		go_to_number(app, call->count);
	} else if (app->list->tail) {
		list_follow(app->list);
	} else {
		remember(app);
		list_goto_edge(app->list, LIST_AFTER);
	}
}

void
jump_trace(struct app *app, const struct command_call *call)
{
	size_t count = app->list_count;
	size_t step = (size_t)(call->count % count);
	if (call->id == COMMAND_PREVIOUS_TRACE)
		step = count - step;
	app_show_trace(app, (app->trace + step) % count);
}

/* --- by time ----------------------------------------------------------- */

/* The latest time in a cell; false if it has none. */
static bool
cell_time(struct list *list, uint64_t cell, uint64_t *ticks)
{
	struct index_cell summary;
	if (index_cell(trace_index(list->trace), cell, &summary)) {
		*ticks = summary.time_max;
		return summary.flags & CELL_TIMED;
	}
	const struct block *block = reader_block(list->reader, cell);
	for (size_t i = block->count; i-- > 0;) {
		if (block->messages[i].flags & MESSAGE_TIMED) {
			*ticks = block->messages[i].ticks;
			return true;
		}
	}
	return false;
}

/* The first message from cell CELL on that is not before TICKS. */
static bool
find_in_cells(struct list *list, uint64_t cell, uint64_t ticks, struct position *at)
{
	for (unsigned looked = 0; looked < NEAR_CELLS; looked++, cell++) {
		const struct block *block = reader_block(list->reader, cell);
		for (size_t i = 0; i < block->count; i++) {
			if (block->messages[i].flags & MESSAGE_TIMED &&
			    block->messages[i].ticks >= ticks) {
				*at = (struct position){.cell = cell, .at = i};
				return true;
			}
		}
	}
	return reader_last(list->reader, at);
}

/* By the trace's own clock. */
static bool
find_ticks(struct list *list, uint64_t ticks, struct position *at)
{
	uint64_t low = 0, high = index_cell_count(trace_index(list->trace));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, cell = middle, time = 0;
		uint64_t end = high - middle < UNTIMED_MAX ? high : middle + UNTIMED_MAX;
		while (cell < end && !cell_time(list, cell, &time))
			cell++;
		if (cell < end && time < ticks)
			low = cell + 1;
		else
			high = middle;
	}
	return find_in_cells(list, low, ticks, at);
}

static bool
find_moment(struct app *app, const struct moment *moment, struct position *at)
{
	struct list *list = app->list;
	struct merge_position p;
	if (!moment->common)
		return find_ticks(list, moment->ticks, at);
	if (!list->merge)
		return merge_cut(app->merge, list->lanes[0].number, moment->order, at) ||
		       reader_last(list->reader, at);
	if (!merge_find_time(list->merge, list->lane, moment->order, &p))
		return list_last(list, at);
	list_turn(list, p.trace);
	*at = p.at;
	return true;
}

/* What times in the prompt count from, in the way they are shown. */
static bool
shown_base(struct app *app, struct moment *base)
{
	if (app->time_mode == TIME_START)
		return moment_first(app->list, base);
	if (app->time_mode == TIME_MARK && app->jumps.has_base)
		*base = app->jumps.base;
	return app->time_mode == TIME_MARK && app->jumps.has_base;
}

/* Moves a moment by so many of its clock's ticks. */
static void
move_by(struct moment *moment, uint64_t ticks, bool back)
{
	uint64_t most = moment->common ? INT64_MAX : UINT64_MAX, own = moment->ticks;
	if (moment->common) {
		int64_t step = ticks > most ? INT64_MAX : (int64_t)ticks;
		if (__builtin_add_overflow(moment->order, back ? -step : step, &moment->order))
			moment->order = back ? INT64_MIN : INT64_MAX;
		moment->before = moment->order < 0;
		moment->ticks = moment->before ? -(uint64_t)moment->order : (uint64_t)moment->order;
	} else if (back) {
		moment->ticks = own > ticks ? own - ticks : 0;
	} else {
		moment->ticks = ticks > most - own ? most : own + ticks;
	}
}

static bool
moment_at(struct app *app, const struct spot *spot, struct moment *moment)
{
	struct list *list;
	struct row row;
	return jump_find(app, spot, &list, &row) && moment_of_row(list, &row, moment);
}

/* Reads [BASE]+DURATION, [BASE]-DURATION, BASE or TIME, where BASE is 'LETTER
 * or, left out, the cursor. */
static bool
parse_time(struct app *app, const char *text, struct moment *moment)
{
	struct spot spot = {0};
	struct moment from;
	bool here = jump_here(app, &spot), mark = *text == '\'';
	uint64_t step = 0;
	if (mark) {
		const struct spot *found = text[1] ? find_mark(&app->jumps, text[1]) : NULL;
		if (!found)
			return false;
		spot = *found;
		text += 2;
	}
	bool timed = (here || mark) && moment_at(app, &spot, moment);
	if (!timed && (mark || !moment_first(app->list, moment)))
		return false;
	if (app->time_mode == TIME_TICKS || app->time_mode == TIME_OWN)
		*moment = (struct moment){.clock = trace_clock(app->list->trace)};
	if (app->time_mode == TIME_TICKS)
		moment->clock.hz = 0;
	if (mark && !*text)
		return timed;
	if (*text == '+' || *text == '-') {
		bool good = timed && clock_parse_duration(&moment->clock, text + 1, &step);
		move_by(moment, step, *text == '-');
		return good;
	}
	struct trace_clock clock = moment->clock;
	bool based = shown_base(app, &from) && from.common == moment->common;
	clock.has_epoch &= !based;
	if (mark || !clock_parse(&clock, text, moment->ticks, &step))
		return false;
	if (based)
		*moment = from;
	else
		*moment = (struct moment){.clock = clock, .common = moment->common};
	move_by(moment, step, false);
	return true;
}

void
jump_goto(struct app *app, const struct command_call *call)
{
	struct jumps *jumps = &app->jumps;
	const char *text = call->text;
	uint64_t value;
	struct moment moment;
	struct position at;
	char *end;
	if (!strcmp(text, ".") && jumps->last)
		text = jumps->last;
	if (!*text)
		return;
	if (text != jumps->last) {
		free(jumps->last);
		text = jumps->last = mem_text(text);
	}
	if (*text == '#' && text_parse_uint(text + 1, UINT64_MAX, &value))
		go_to_number(app, value);
	else if (!strncmp(text, "0x", 2) && text_parse_uint(text, UINT64_MAX, &value))
		go_to_offset(app, value);
	else if ((value = strtoull(text, &end, 10), end != text && !strcmp(end, "%")))
		go_to_percent(app, value);
	else if (!parse_time(app, text, &moment))
		app_trouble(app, "go to what? 4.118, +10ms, 'a+5us, 0x1f40, #123 or 50%%");
	else if (find_moment(app, &moment, &at))
		jump_to(app, at);
}
