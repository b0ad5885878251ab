/*
 * Marks, the trail of jumps, and the go-to prompt: see jump.h.
 *
 * A jump by number, share or time waits until its target is known (waiting.h).
 */
#include "config.h"

#include "ui/list/jump.h"
#include "base/generation.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "query/time_probe.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"
#include "ui/list/waiting.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

void
jumps_free(struct jumps *jumps)
{
	for (size_t i = 0; i < jumps->marks.count; i++)
		free(jumps->marks.at[i].note);
	vec_free(&jumps->marks);
	vec_free(&jumps->trail);
	free(jumps->last);
	*jumps = (struct jumps){0};
}

static bool
jump_is_at(const struct location *location, size_t trace, struct message_id id)
{
	return location->trace == trace && !message_id_compare(location->id, id);
}

struct list *
jump_list(struct screen *screen, size_t trace, size_t *lane)
{
	if (sequence_find_trace(screen->list->sequence, trace, lane))
		return screen->list;
	*lane = 0;
	return &screen->lists[trace];
}

bool
jump_find(struct screen *screen, const struct location *location, struct list **list,
	  struct row *row)
{
	*row = (struct row){.id = location->id};
	*list = jump_list(screen, location->trace, &row->lane);
	struct reader *reader = (*list)->lanes[row->lane].reader;
	row->there = reader_read_id(reader, location->id, &row->at, &row->message);
	return row->there;
}

static void
jump_go_to(struct screen *screen, const struct location *location)
{
	struct sequence_position p;
	if (jump_list(screen, location->trace, &p.trace) != screen->list)
		shown_set_trace(screen, location->trace);
	const struct list_lane *lane = &screen->list->lanes[p.trace];
	if (reader_find_id(lane->reader, location->id, &p.at))
		list_goto(screen->list, p);
	if (trace_has_dropped(lane->trace, location->id.offset))
		screen_say(screen, NOTICE_TARGET_DROPPED);
}

/* --- the trail --------------------------------------------------------- */

void
jump_to_location(struct screen *screen, const struct location *location)
{
	struct location copy = *location; /* LOCATION may be in the trail, which moves */
	trail_remember(screen);
	jump_go_to(screen, &copy);
}

void
jump_trail(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
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
				trail_remember(screen); /* for the way forward */
				jumps->at = jumps->trail.count - 1;
			}
			if (jumps->at)
				jumps->at--;
		}
		jump_go_to(screen, &jumps->trail.at[jumps->at]);
	}
}

/* --- marks ------------------------------------------------------------- */

char
jumps_mark(const struct jumps *jumps, size_t trace, struct message_id id)
{
	for (size_t i = 0; i < jumps->marks.count; i++)
		if (jump_is_at(&jumps->marks.at[i], trace, id))
			return jumps->marks.at[i].letter;
	return 0;
}

static struct location *
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
	struct location *mark = &jumps->marks.at[i];
	free(mark->note);
	memmove(mark, mark + 1, (--jumps->marks.count - i) * sizeof *mark);
}

/* Return the index of the mark that NEW replaces, or the number of marks. */
static size_t
jumps_replaced(const struct jumps *jumps, const struct location *new)
{
	size_t i = 0;
	for (; i < jumps->marks.count; i++) {
		const struct location *old = &jumps->marks.at[i];
		if (old->letter == new->letter &&
		    (new->letter != '*' || jump_is_at(old, new->trace, new->id)))
			break;
	}
	return i;
}

struct location *
jumps_add(struct jumps *jumps, struct location new)
{
	size_t old = jumps_replaced(jumps, &new), at = 0;
	if (old < jumps->marks.count)
		jumps_drop(jumps, old);
	while (at < jumps->marks.count &&
	       (jumps->marks.at[at].trace < new.trace ||
		(jumps->marks.at[at].trace ==
		 new.trace &&message_id_compare(jumps->marks.at[at].id, new.id) <= 0)))
		at++;
	vec_reserve(&jumps->marks, 1);
	struct location *mark = &jumps->marks.at[at];
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
toggle_bookmark(struct screen *screen, struct location here)
{
	struct jumps *jumps = screen->jumps;
	here.letter = '*';
	size_t old = jumps_replaced(jumps, &here);
	if (old < jumps->marks.count)
		jumps_drop(jumps, old);
	else
		jumps_add(jumps, here);
}

void
jump_set(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	struct location here;
	if (!trail_here(screen, &here))
		return;
	if (call->id == COMMAND_BOOKMARK || call->letter == 'm') {
		toggle_bookmark(screen, here);
	} else if (is_letter(call->letter)) {
		here.letter = (char)call->letter;
		jumps_add(jumps, here);
		screen_say(screen, NOTICE_MARK_SET, call->letter);
	} else {
		screen_say(screen, NOTICE_MARK_LETTER);
		return;
	}
	struct display_time shown;
	if (display_time_of_row(screen->list, list_current(screen->list), &shown)) {
		jumps->has_base = true;
		jumps->base = shown;
	}
}

void
jump_note_mark(struct screen *screen, struct location *mark, const char *note)
{
	if (!note) {
		prompt_open(screen->prompt, COMMAND_NOTE);
		prompt_replace(screen->prompt, 0, mark && mark->note ? mark->note : "");
	} else if (mark) {
		free(mark->note);
		mark->note = *note ? mem_text(note) : NULL;
	}
}

void
jump_note(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	struct location here, *mark = NULL;
	if (!trail_here(screen, &here))
		return;
	for (size_t i = 0; i < jumps->marks.count && !mark; i++)
		if (jump_is_at(&jumps->marks.at[i], here.trace, here.id))
			mark = &jumps->marks.at[i];
	if (!mark && call->text && *call->text) {
		here.letter = '*';
		mark = jumps_add(jumps, here);
	}
	jump_note_mark(screen, mark, call->text);
}

void
jump_unmark(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	struct location here;
	(void)call;
	if (!trail_here(screen, &here))
		return;
	for (size_t i = jumps->marks.count; i-- > 0;)
		if (jump_is_at(&jumps->marks.at[i], here.trace, here.id))
			jumps_drop(jumps, i);
}

void
jump_mark(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	struct location *target = NULL;
	if (call->letter == '\'' || call->letter == '`')
		target = jumps->trail.count ? &jumps->trail.at[jumps->trail.count - 1] : NULL;
	else if (is_letter(call->letter))
		target = find_mark(jumps, (char)call->letter);
	if (!target) {
		screen_say(screen, NOTICE_MARK_UNKNOWN);
		return;
	}
	jump_to_location(screen, target);
}

/* Find the number of a message in the present list, unless it is known.  Return false if it is not
 * exact. */
static bool
find_number(struct screen *screen, struct location *location)
{
	bool exact;
	uint64_t count = sequence_count(screen->list->sequence, &exact); /* new messages */
	uint64_t now = generation_join(list_generation(screen->list), screen->indexed, count);
	struct list *list;
	struct row row;
	if (location->list == screen->list && location->generation == now)
		return location->numbered;
	location->numbered = false;
	location->list = screen->list;
	location->generation = now;
	if (jump_find(screen, location, &list, &row))
		location->number = list_number(list, row_position(&row), &location->numbered);
	return location->numbered;
}

/* Return true if A is before B in the present list. */
static bool
is_before(struct screen *screen, struct location *a, struct location *b)
{
	struct list *list;
	struct row first, second;
	if (find_number(screen, a) && find_number(screen, b))
		return a->number < b->number;
	return jump_find(screen, a, &list, &first) && jump_find(screen, b, &list, &second) &&
	       sequence_is_before(list->sequence, row_position(&first), row_position(&second));
}

void
jump_next_mark(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	bool next = call->id == COMMAND_NEXT_MARK;
	size_t lane;
	struct location here, *best = NULL;
	if (!trail_here(screen, &here))
		return;
	for (size_t i = 0; i < jumps->marks.count; i++) {
		struct location *mark = &jumps->marks.at[i];
		if (sequence_find_trace(screen->list->sequence, mark->trace, &lane) &&
		    is_before(screen, next ? &here : mark, next ? mark : &here) &&
		    (!best || is_before(screen, next ? mark : best, next ? best : mark)))
			best = mark;
	}
	if (!best) {
		screen_say(screen, NOTICE_MARK_NONE_FURTHER);
		return;
	}
	jump_to_location(screen, best);
}

/* --- by number and share ----------------------------------------------- */

/* Estimate the target of a wish for a time, if the indexes do not cover it yet. */
static bool
estimate_time(struct list *list, const struct sequence_wish *wish, struct sequence_position *p)
{
	p->trace = wish->trace;
	return wish->by == SEQUENCE_BY_TIME && !sequence_is_known(list->sequence, wish) &&
	       time_probe(list->lanes[wish->trace].reader, wish->time, &p->at);
}

/* Go to the message with the number CALL->count, from 1, or to the last one if there are fewer. */
static void
go_to_number(struct screen *screen, const struct command_call *call)
{
	struct sequence *sequence = screen->list->sequence;
	const struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER,
					   .value = call->count - (call->count > 0)};
	struct sequence_position p;
	char digits[32];
	bool exact;
	if (waiting_for(screen, &wish, false, go_to_number, call))
		return;
	if (sequence_find(sequence, &wish, &p)) {
		trail_go_to(screen, p);
		return;
	}
	if (sequence_last(sequence, &p))
		trail_go_to(screen, p);
	screen_say(screen, NOTICE_MESSAGES_ONLY,
		   text_number(digits, sequence_count(sequence, &exact)));
}

void
jump_percent(struct screen *screen, const struct command_call *call)
{
	const struct sequence_wish wish = {
	    .by = SEQUENCE_BY_PERCENT, .trace = screen->list->lane, .value = call->count};
	struct sequence_position p;
	if (!waiting_for(screen, &wish, false, jump_percent, call) &&
	    sequence_find(screen->list->sequence, &wish, &p))
		trail_go_to(screen, p);
}

void
jump_add_place(struct screen *screen, const struct row *row, struct text *out)
{
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	uint64_t offset = row->message.offset, ordinal = 0;
	struct position p;
	while (reader_find_begin(lane->reader, offset, ordinal, &p) &&
	       message_id_compare(reader_message_id(lane->reader, p), row->id) != 0)
		ordinal++;
	if (screen->session->traces.count > 1)
		text_addf(out, "%zu:", lane->number + 1);
	text_addf(out, "0x%llx", (unsigned long long)offset);
	if (ordinal)
		text_addf(out, "#%llu", (unsigned long long)ordinal + 1);
}

/* Parse [TRACE:]0xOFFSET[#N]: the Nth message that begins there.  Without TRACE keep the trace of
 * *TO.  Return false if the text has another form or the session no such trace. */
static bool
parse_offset(const struct screen *screen, const char *text, struct location *to, uint64_t *ordinal)
{
	struct text part = {0};
	const char *hex = strstr(text, "0x"), *hash = strchr(text, '#');
	uint64_t trace = to->trace + 1;
	bool parsed = hex && (!hash || hash > hex);
	*ordinal = 1;
	if (parsed && hex > text) {
		text_add_bytes(&part, text, (size_t)(hex - text - 1));
		parsed = hex[-1] == ':' &&
			 text_parse_uint(text_get(&part), screen->session->traces.count, &trace);
		text_clear(&part);
	}
	if (parsed) {
		text_add_bytes(&part, hex, hash ? (size_t)(hash - hex) : strlen(hex));
		parsed = trace && text_parse_uint(text_get(&part), UINT64_MAX, &to->id.offset) &&
			 (!hash || (text_parse_uint(hash + 1, UINT64_MAX, ordinal) && *ordinal));
	}
	to->trace = (size_t)trace - 1;
	text_free(&part);
	return parsed;
}

/* Go to the message that begins at the offset of TO, else to the one that contains it. */
static void
go_to_offset(struct screen *screen, struct location to, uint64_t ordinal)
{
	size_t lane;
	struct reader *reader = jump_list(screen, to.trace, &lane)->lanes[lane].reader;
	struct position p;
	if (!reader_find_begin(reader, to.id.offset, ordinal - 1, &p) &&
	    !reader_find_offset(reader, to.id.offset, &p))
		return;
	to.id = reader_message_id(reader, p);
	jump_to_location(screen, &to);
}

/* Go to the target of a wish for a time, or near it if it is not known yet. */
static void
go_near(struct screen *screen, const struct sequence_wish *wish)
{
	struct list *list = screen->list;
	struct sequence_position p;
	if (estimate_time(list, wish, &p) || sequence_find(list->sequence, wish, &p))
		list_goto(list, p);
}

/* Go to the common time CALL->count, without a change of the trail. */
static void
go_to_time(struct screen *screen, const struct command_call *call)
{
	const struct sequence_wish wish = {
	    .by = SEQUENCE_BY_TIME, .trace = screen->list->lane, .time = (int64_t)call->count};
	go_near(screen, &wish);
	waiting_for(screen, &wish, false, go_to_time, call);
}

/* Go to the ticks CALL->count of the trace's own clock, without a change of the trail. */
static void
go_to_ticks(struct screen *screen, const struct command_call *call)
{
	const struct sequence_wish wish = {
	    .by = SEQUENCE_BY_TICKS, .trace = screen->list->lane, .value = call->count};
	go_near(screen, &wish);
	waiting_for(screen, &wish, false, go_to_ticks, call);
}

void
jump_top(struct screen *screen, const struct command_call *call)
{
	if (call->counted) {
		go_to_number(screen, call);
	} else {
		trail_remember(screen);
		list_goto_edge(screen->list, LIST_BEFORE);
	}
}

void
jump_end(struct screen *screen, const struct command_call *call)
{
	if (call->counted) {
		go_to_number(screen, call);
	} else if (screen->list->tail) {
		list_follow(screen->list);
	} else {
		trail_remember(screen);
		list_goto_edge(screen->list, LIST_AFTER);
	}
}

/* A place to find in another list: a message, and its time or the last time before it. */
struct jump_target {
	struct location at;
	bool there, timed;
	int64_t time;
};

static struct jump_target
target_here(struct screen *screen)
{
	const struct row *current = list_current(screen->list);
	struct jump_target target = {.there = trail_here(screen, &target.at)};
	struct display_time shown;
	if (!current)
		return target;
	target.timed = display_time_at_or_before(screen->list, current, &shown) && shown.common;
	target.time = target.timed ? shown.order : 0;
	return target;
}

/* Go to the message if the list has it, else to the first one not before its time. */
static void
go_to_target(struct screen *screen, const struct jump_target *target)
{
	struct list *list = screen->list;
	struct sequence_position p = {.trace = 0};
	struct sequence_wish wish = {
	    .by = SEQUENCE_BY_TIME, .trace = list->lane, .time = target->time};
	if (target->there && sequence_find_trace(list->sequence, target->at.trace, &p.trace)) {
		if (reader_find_id(list->lanes[p.trace].reader, target->at.id, &p.at))
			list_goto(list, p);
		return;
	}
	if (!target->timed)
		return;
	if (estimate_time(list, &wish, &p) || sequence_find(list->sequence, &wish, &p) ||
	    sequence_last(list->sequence, &p))
		list_goto(list, p);
}

/* Show a notice of the traces that are shown now. */
static void
say_shown_traces(struct screen *screen, bool left)
{
	size_t count = screen->session->traces.count;
	const char *name = trace_name(screen->list->trace);
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_PREVIOUS_TRACE, &hint);
	if (count < 2)
		screen_say(screen, NOTICE_TRACE_ONLY_ONE);
	else if (screen->list->lane_count > 1)
		screen_say(screen, NOTICE_TRACES_ALL, count);
	else if (left)
		screen_say(screen, NOTICE_TRACE_ALONE_NOW, name, count, hint.data);
	else
		screen_say(screen, NOTICE_TRACE_ALONE, name, screen->trace + 1, count);
	text_free(&hint);
}

void
jump_trace(struct screen *screen, const struct command_call *call)
{
	size_t count = screen->list_count;
	size_t step = (size_t)(call->count % count);
	bool merged = screen->list->lane_count > 1;
	const struct jump_target target = target_here(screen);
	if (call->id == COMMAND_PREVIOUS_TRACE)
		step = count - step;
	shown_set_trace(screen, (screen->trace + step) % count);
	go_to_target(screen, &target);
	say_shown_traces(screen, merged && call->id == COMMAND_NEXT_TRACE && call->count == 1);
}

/* --- by time ----------------------------------------------------------- */

/* Return the base of times in the prompt, if times are shown relative to one. */
static bool
base_of_times(struct screen *screen, struct display_time *base)
{
	if (screen->time_mode == TIME_START)
		return display_time_first(screen->list, base);
	if (screen->time_mode == TIME_MARK && screen->jumps->has_base)
		*base = screen->jumps->base;
	return screen->time_mode == TIME_MARK && screen->jumps->has_base;
}

/* Move a time by TICKS of its clock, within its range. */
static void
move_by(struct display_time *shown, uint64_t ticks, bool back)
{
	uint64_t most = shown->common ? INT64_MAX : UINT64_MAX, own = shown->ticks;
	if (shown->common) {
		int64_t step = ticks > most ? INT64_MAX : (int64_t)ticks;
		if (__builtin_add_overflow(shown->order, back ? -step : step, &shown->order))
			shown->order = back ? INT64_MIN : INT64_MAX;
		shown->before = shown->order < 0;
		shown->ticks = shown->before ? -(uint64_t)shown->order : (uint64_t)shown->order;
	} else if (back) {
		shown->ticks = own > ticks ? own - ticks : 0;
	} else {
		shown->ticks = ticks > most - own ? most : own + ticks;
	}
}

/* If TEXT needs the rate of the clock or a date, explain that CLOCK has none. */
static void
say_lack(const struct screen *screen, const struct trace_clock *clock, const char *text,
	 struct text *why)
{
	const struct trace_clock any = {.hz = 1, .has_epoch = true};
	uint64_t ticks;
	bool duration = clock_parse_duration(&any, text, &ticks);
	if (!duration && !clock_parse(&any, text, 0, &ticks))
		return;
	if (clock->hz > 0) {
		if (!duration)
			text_addf(why,
				  "%s is a time of day or a date, and this clock has none; give "
				  "seconds, as 4.118",
				  text);
		return;
	}
	text_addf(why,
		  "%s needs the rate of the clock, which is not known; give ticks, a number, or ",
		  text);
	session_add_rate_hint(screen->session, why);
}

/* Set *SHOWN to TICKS on the trace's own clock, if the time mode shows that clock. */
static void
turn_to_own(const struct screen *screen, struct trace *trace, uint64_t ticks,
	    struct display_time *shown)
{
	if (screen->time_mode == TIME_TICKS || screen->time_mode == TIME_OWN)
		*shown = (struct display_time){
		    .clock = trace_clock(trace), .ticks = ticks, .part = shown->part};
	if (screen->time_mode == TIME_TICKS)
		shown->clock.hz = 0;
}

/* Parse +DURATION or -DURATION relative to a location's time.  Without one, use the last time
 * before it, or else the first time. */
static bool
parse_relative(struct screen *screen, const struct location *location, const char *text,
	       struct display_time *shown, struct text *why)
{
	struct list *list;
	struct row row;
	uint64_t step;
	if (!jump_find(screen, location, &list, &row))
		return false;
	bool timed = display_time_of_row(list, &row, shown);
	bool before = !timed && display_time_find_before(list, &row);
	if (before)
		display_time_of_row(list, &row, shown);
	else if (!timed && !display_time_first(list, shown)) {
		text_add(why, "no message has a time");
		return false;
	}
	if (!timed) {
		text_add(why, "counted from ");
		display_time_format(shown, why);
		text_add(why, before ? ", the last time before" : ", the first time");
	}
	struct trace *trace = list->lanes[row.lane].trace;
	if (timed || before)
		turn_to_own(screen, trace, row.message.ticks, shown);
	if (!clock_parse_duration(&shown->clock, text + 1, &step)) {
		text_clear(why);
		say_lack(screen, &shown->clock, text + 1, why);
		return false;
	}
	move_by(shown, step, *text == '-');
	return true;
}

/* Parse a date or a time of day; NEAR supplies the day and the clock.  Every time mode takes it. */
static bool
parse_clock_time(const char *text, const struct display_time *near, struct display_time *shown)
{
	uint64_t ticks;
	if (clock_parse_duration(&near->clock, text, &ticks) ||
	    !clock_parse(&near->clock, text, near->ticks, &ticks))
		return false;
	*shown =
	    (struct display_time){.clock = near->clock, .common = near->common, .part = near->part};
	move_by(shown, ticks, false);
	return true;
}

/* Parse a point in time.  NEAR is a time nearby, OWN the same one in the time mode. */
static bool
parse_point(struct screen *screen, const char *text, const struct display_time *near,
	    const struct display_time *own, struct display_time *shown, struct text *why)
{
	struct display_time from;
	uint64_t step;
	if (parse_clock_time(text, own, shown) || parse_clock_time(text, near, shown))
		return true;
	if (!clock_parse_duration(&own->clock, text, &step)) {
		say_lack(screen, &own->clock, text, why);
		return false;
	}
	bool based = base_of_times(screen, &from) && from.common == own->common;
	*shown = based ? from
		       : (struct display_time){
			     .clock = own->clock, .common = own->common, .part = own->part};
	move_by(shown, step, false);
	return true;
}

/* Parse [BASE]+DURATION, [BASE]-DURATION, BASE or TIME.  BASE is 'LETTER, or the cursor if left
 * out.  WHY gets the error, or a remark on a valid time. */
static bool
parse_time(struct screen *screen, const char *text, struct display_time *shown, struct text *why)
{
	struct location location = {0};
	struct display_time near;
	struct list *list = screen->list;
	struct row row = {0};
	bool here = trail_here(screen, &location), mark = *text == '\'';
	if (mark) {
		const struct location *found = text[1] ? find_mark(screen->jumps, text[1]) : NULL;
		if (!found)
			return false;
		location = *found;
		text += 2;
	}
	if ((here || mark) && (*text == '+' || *text == '-'))
		return parse_relative(screen, &location, text, shown, why);
	bool timed = (here || mark) && jump_find(screen, &location, &list, &row) &&
		     display_time_of_row(list, &row, &near);
	if (!timed && (mark || !display_time_first(screen->list, &near)))
		return false;
	*shown = near;
	turn_to_own(screen, list->lanes[row.lane].trace, row.message.ticks, shown);
	struct display_time own = *shown;
	return mark ? !*text : parse_point(screen, text, &near, &own, shown, why);
}

/* If a time is before the first one of the list, explain that. */
static void
say_before(const struct screen *screen, const struct display_time *shown, struct text *why)
{
	struct display_time first;
	if (!display_time_first(screen->list, &first) || first.common != shown->common ||
	    first.part != shown->part ||
	    (shown->common ? shown->order >= first.order : shown->ticks >= first.ticks))
		return;
	text_add(why, "before the first time, ");
	display_time_format(&first, why);
}

static void
go_to_time_text(struct screen *screen, const char *text)
{
	struct display_time shown;
	struct text why = {0};
	struct command_call to = {.id = COMMAND_GOTO};
	if (parse_time(screen, text, &shown, &why)) {
		if (!why.length)
			say_before(screen, &shown, &why);
		to.count = shown.common ? (uint64_t)shown.order : shown.ticks;
		trail_remember(screen);
		(shown.common ? go_to_time : go_to_ticks)(screen, &to);
		if (why.length)
			screen_say(screen, NOTICE_GOTO_DOUBT, why.data);
	} else if (why.length) {
		screen_error(screen, NOTICE_GOTO_REFUSED, why.data);
	} else {
		screen_error(screen, NOTICE_GOTO_WHERE, text);
	}
	text_free(&why);
}

void
jump_goto(struct screen *screen, const struct command_call *call)
{
	struct jumps *jumps = screen->jumps;
	const char *text = call->text;
	struct command_call to = {.id = COMMAND_GOTO};
	struct location place = {.trace = screen->list->lanes[screen->list->lane].number};
	char *end;
	if (!strcmp(text, ".") && jumps->last)
		text = jumps->last;
	if (!*text)
		return;
	if (text != jumps->last) {
		free(jumps->last);
		text = jumps->last = mem_text(text);
	}
	if (*text == '#' && text_parse_uint(text + 1, UINT64_MAX, &to.count))
		go_to_number(screen, &to);
	else if (parse_offset(screen, text, &place, &to.count))
		go_to_offset(screen, place, to.count);
	else if (*text != '-' &&
		 (to.count = strtoull(text, &end, 10), end != text && !strcmp(end, "%")))
		jump_percent(screen, &to);
	else if (!waiting_for(screen, NULL, true, jump_goto, call)) /* they choose the clock */
		go_to_time_text(screen, text);
}

void
jump_to_filter(struct screen *screen, const struct command_call *call)
{
	struct list *list = screen->list;
	struct sequence_wish wish = {.by = SEQUENCE_BY_TIME, .trace = list->lane};
	if (!filter_find_begin(list->filter, list->trace, &wish.time))
		return;
	go_near(screen, &wish);
	waiting_for(screen, &wish, true, jump_to_filter, call);
}
