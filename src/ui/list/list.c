/*
 * A run of rows that grows towards the screen's position: see list.h.
 *
 * Without a filter, the next row is the reader's next message.  With one, each edge has a
 * search that uses the match set.  The set has the next match, or finds it and signals.
 * Where the index is not ready, the search looks at one cell at a time and remembers its
 * position.  A sparse filter therefore visits each cell once.  All loops stop at a deadline a
 * few milliseconds away.
 */
#include "config.h"

#include "ui/list/list.h"
#include "base/generation.h"
#include "base/thread.h"
#include "query/next_match.h"
#include "session/context/context_naming.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLICE_MS = 6,	/* of work between two checks of the keyboard */
	ROWS_MAX = 4096 /* rows kept; more are dropped from the far end */
};

enum added { ADDED, ADDED_END, ADDED_LATER };

/* --- time -------------------------------------------------------------- */

static int64_t
list_deadline(void)
{
	return thread_now_ms() + SLICE_MS;
}

/* --- lanes ------------------------------------------------------------- */

/* Make LANE the lane to which positions refer. */
static void
list_turn_to_lane(struct list *list, size_t lane)
{
	list->lane = lane;
	list->trace = list->lanes[lane].trace;
	list->reader = list->lanes[lane].reader;
}

/* Turn to the lane of the cursor. */
static void
turn_to_cursor(struct list *list)
{
	const struct row *row = list_current(list);
	if (row)
		list_turn_to_lane(list, row->lane);
}

/* Return true if the order covers several strands. */
static bool
is_merged(const struct list *list)
{
	return sequence_strand_count(list->sequence) > 1;
}

/* Step to the next or previous message of the list. */
static bool
list_step(struct list *list, struct sequence_position *p, int direction)
{
	return direction > 0 ? sequence_next(list->sequence, p)
			     : sequence_previous(list->sequence, p);
}

/* Step within this cell or the adjacent one.  That almost always suffices, and stays fast
 * before a long series of empty cells. */
static bool
step_near(struct list *list, struct position *at, int direction)
{
	return direction > 0 ? reader_next(list->reader, at, 1)
			     : reader_previous(list->reader, at, 1);
}

static void
drop_cursors(struct list *list)
{
	for (int side = LIST_BEFORE; side <= LIST_AFTER; side++) {
		next_match_free(list->edges[side].next);
		list->edges[side].next = NULL;
		list->edges[side].looked = false;
	}
}

static void
set_edge(struct list_edge *edge, struct sequence_position from)
{
	edge->from = from;
	edge->end = edge->looked = edge->crossed = false;
}

uint64_t
list_generation(const struct list *list)
{
	uint64_t now = sequence_generation(list->sequence);
	for (size_t i = 0; i < list->lane_count; i++)
		now = generation_join(now, trace_generation(list->lanes[i].trace),
				      context_naming_generation(list->lanes[i].trace),
				      capture_generation(trace_capture(list->lanes[i].trace)));
	return now;
}

void
list_get_progress(const struct list *list, struct index_progress *sum)
{
	*sum = (struct index_progress){.complete = true};
	for (size_t i = 0; i < list->lane_count; i++) {
		struct index_progress own;
		if (!sequence_shows(list->sequence, i))
			continue;
		index_get_progress(list->lanes[i].index, &own);
		sum->bytes += own.bytes;
		sum->size += own.size;
		sum->messages += own.messages;
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			sum->severities[s] += own.severities[s];
		sum->losses += own.losses;
		sum->rate += own.rate;
		sum->complete &= own.complete;
		sum->paused |= own.paused;
	}
}

/* --- growing ----------------------------------------------------------- */

static bool
list_passes(struct list *list, struct reader *reader, struct position at)
{
	struct expansion scratch = {0};
	const struct message *m = reader_message(reader, at);
	struct message copy = m ? *m : (struct message){0}; /* text may need other cells */
	bool fits = m && filter_match(list->filter, reader, &copy, &scratch);
	expansion_free(&scratch);
	return fits;
}

bool
list_is_match(struct list *list, struct sequence_position p)
{
	return list_passes(list, list->lanes[p.trace].reader, p.at);
}

/* Return true if a message that is no match is shown around one. */
static bool
is_near(struct list *list, struct sequence_position p)
{
	for (int direction = -1; direction <= 1; direction += 2) {
		struct sequence_position other = p;
		for (unsigned i = 0; i < list->around && list_step(list, &other, direction); i++)
			if (list_is_match(list, other))
				return true;
	}
	return false;
}

static struct row
row_at(struct list *list, struct sequence_position p)
{
	struct reader *reader = list->lanes[p.trace].reader;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, p.at.cell);
	struct row row = {.lane = p.trace, .at = p.at, .there = p.at.at < decoded->count};
	if (row.there)
		row.message = decoded->messages[p.at.at];
	row.id = reader_message_id(reader, p.at);
	list->provisional |= !decoded->exact || !list->exact;
	row.near = list->around && !list_is_match(list, p);
	return row;
}

/* Search for the next match from an edge. */
static enum next_result
look_on(struct list *list, struct list_edge *edge, int direction, int64_t until,
	struct sequence_position *found)
{
	const struct next_bound bound = {.known = list->matches.of, .until = until};
	if (!edge->looked) {
		const struct next_query query = {.sequence = list->sequence,
						 .want = list->filter,
						 .from = edge->from,
						 .direction = direction};
		next_match_free(edge->next);
		edge->next = next_match_new(&query);
		edge->looked = true;
	}
	return next_match(edge->next, &bound, found);
}

/* Record that the search passed cells before they were indexed: the cells between two positions,
 * from cell KNOWN on.  The index may still find messages there.  For a single lane only. */
static void
note_passed(struct list *list, struct position from, struct position to, int direction,
	    bool is_found, uint64_t known)
{
	uint64_t begin = direction > 0 ? from.cell + 1 : to.cell + is_found;
	uint64_t end = direction > 0 ? to.cell + !is_found : from.cell;
	if (begin >= end || end <= known)
		return;
	list->provisional = true;
	list->passed = end > list->passed ? end : list->passed;
}

/* Find the next position past EDGE that passes the filter. */
static enum added
find_next(struct list *list, struct list_edge *edge, int direction, int64_t until,
	  struct sequence_position *found)
{
	static const enum added added[] = {[NEXT_FOUND] = ADDED,
					   [NEXT_END] = ADDED_END,
					   [NEXT_MORE] = ADDED_LATER,
					   [NEXT_WAITING] = ADDED_LATER,
					   [NEXT_REFUSED] = ADDED_LATER};
	bool all = filter_is_all(list->filter), several = is_merged(list);
	*found = edge->from;
	if (all && several)
		return list_step(list, found, direction) ? ADDED : ADDED_END;
	if (all && found->at.at != SIZE_MAX && step_near(list, &found->at, direction)) {
		edge->looked = false;
		return ADDED;
	}
	uint64_t known = index_known(list->lanes[0].index);
	enum next_result result = look_on(list, edge, direction, until, found);
	list->waiting = result == NEXT_WAITING;
	if (!several) {
		bool is_found = result == NEXT_FOUND;
		struct position to = is_found ? found->at : next_match_reached(edge->next, 0);
		note_passed(list, edge->from.at, to, direction, is_found, known);
		if (!is_found)
			edge->from.at = to;
	}
	return added[result];
}

static void
list_trim(struct list *list, int side)
{
	size_t count = list->rows.count, half = ROWS_MAX / 2;
	if (count < ROWS_MAX)
		return;
	if (side == LIST_BEFORE) {
		size_t drop = list->top < list->cursor ? list->top : list->cursor;
		drop = drop > half ? half : drop;
		if (drop < 2)
			return;
		drop--;
		memmove(list->rows.at, list->rows.at + drop,
			(count - drop) * sizeof *list->rows.at);
		list->rows.count -= drop;
		list->top -= drop;
		list->cursor -= drop;
	} else {
		size_t keep = list->top + list->height;
		keep = keep > list->cursor ? keep : list->cursor;
		keep = keep > half ? keep : half;
		if (keep + 1 >= count)
			return;
		list->rows.count = keep + 1;
	}
	struct row *outer =
	    side == LIST_BEFORE ? list->rows.at : &list->rows.at[list->rows.count - 1];
	set_edge(&list->edges[side], row_position(outer));
}

/* Return true if P lies past BOUND in a direction. */
static bool
is_beyond(struct list *list, struct sequence_position p, struct sequence_position bound,
	  int direction)
{
	struct sequence_position first = direction > 0 ? bound : p,
				 last = direction > 0 ? p : bound;
	return sequence_is_before(list->sequence, first, last);
}

/* Find the next row past an edge: a match, or a message shown around one.  The messages before
 * a match start after the rows already shown. */
static enum added
find_row(struct list *list, int side, int64_t until, struct sequence_position *found)
{
	struct list_edge *edge = &list->edges[side];
	int direction = side == LIST_AFTER ? 1 : -1;
	struct sequence_position bound = list->edges[!side].from, next = edge->from;
	if (!list->around || filter_is_all(list->filter))
		return find_next(list, edge, direction, until, found);
	if (list->rows.count) {
		const struct row *last =
		    &list->rows.at[side == LIST_AFTER ? list->rows.count - 1 : 0];
		bound = row_position(last);
	}
	if (!edge->crossed) {
		if (!list_step(list, &next, direction))
			return ADDED_END;
		*found = next;
		if (list_is_match(list, next) || is_near(list, next)) {
			edge->looked = false;
			return ADDED;
		}
	}
	next = edge->from;
	enum added added = find_next(list, edge, direction, until, found);
	edge->crossed =
	    added != ADDED && (edge->crossed || is_beyond(list, edge->from, next, direction));
	for (unsigned i = 0; added == ADDED && i < list->around; i++) {
		struct sequence_position before = *found;
		if (!list_step(list, &before, -direction) ||
		    !is_beyond(list, before, bound, direction))
			break;
		*found = before;
		edge->looked = false;
	}
	return added;
}

/* Add a row at one end of the run. */
static enum added
list_extend(struct list *list, int side, int64_t until)
{
	struct list_edge *edge = &list->edges[side];
	struct sequence_position found;
	if (edge->end)
		return ADDED_END;
	enum added added = find_row(list, side, until, &found);
	edge->end = added == ADDED_END;
	if (added != ADDED)
		return added;
	edge->from = found;
	struct row *row = vec_add(&list->rows);
	if (side == LIST_BEFORE && list->rows.count > 1) {
		row = list->rows.at;
		memmove(row + 1, row, (list->rows.count - 1) * sizeof *row);
		list->top++;
		list->cursor++;
	}
	*row = row_at(list, found);
	list_trim(list, side == LIST_AFTER ? LIST_BEFORE : LIST_AFTER);
	return ADDED;
}

/* --- what the screen needs --------------------------------------------- */

static void
follow_cursor(struct list *list)
{
	size_t step = list->scroll_step < list->height ? list->scroll_step : 0;
	if (list->cursor < list->top) {
		list->top = list->cursor;
		list->scroll_margin = step;
	} else if (list->height && list->cursor >= list->top + list->height) {
		list->top = list->cursor - list->height + 1 + step;
	}
}

/* Move the cursor as far as there are rows.  Return true if it waits for more. */
static bool
apply_pending_moves(struct list *list, int64_t until)
{
	int direction = list->pending_moves > 0 ? 1 : -1;
	int side = list->pending_moves > 0 ? LIST_AFTER : LIST_BEFORE;
	while (list->pending_moves && list->rows.count) {
		bool there = direction > 0 ? list->cursor + 1 < list->rows.count : list->cursor > 0;
		if (!there) {
			enum added added = list_extend(list, side, until);
			if (added == ADDED_END)
				list->pending_moves = 0;
			if (added == ADDED_LATER)
				return true;
			if (added != ADDED)
				break;
		}
		list->cursor += (size_t)(ptrdiff_t)direction;
		list->pending_moves -= direction;
		follow_cursor(list);
		if (!there && thread_now_ms() >= until)
			return list->pending_moves != 0;
	}
	return list->pending_moves && !list->rows.count;
}

/* Add the rows that a jump wants above the cursor.  If the filter hides the target, the cursor
 * goes to the next row, or else to the last. */
static bool
fill_above(struct list *list, int64_t until)
{
	if (!list->rows.count && list_extend(list, LIST_AFTER, until) == ADDED_LATER)
		return true;
	while (list->cursor < list->scroll_margin) {
		enum added added = list_extend(list, LIST_BEFORE, until);
		if (added == ADDED_LATER)
			return true;
		if (added == ADDED_END)
			break;
	}
	if (list->scroll_margin && list->rows.count) {
		list->top =
		    list->cursor > list->scroll_margin ? list->cursor - list->scroll_margin : 0;
		list->scroll_margin = 0;
	}
	return false;
}

/* Add rows down to the bottom of the screen. */
static bool
fill_below(struct list *list, int64_t until)
{
	while (list->rows.count < list->top + list->height) {
		enum added added = list_extend(list, LIST_AFTER, until);
		if (added == ADDED_LATER)
			return true;
		if (added == ADDED_END)
			break;
	}
	return false;
}

/* Add rows on both sides of the cursor after a jump.  Each side gets half of the time, because
 * the search may run in vain up to the end of the capture. */
static bool
fill_around(struct list *list, int64_t until)
{
	int64_t now = thread_now_ms();
	bool below = list->scroll_margin && fill_below(list, now + (until - now) / 2);
	bool waits = !below || list->waiting;
	bool above = fill_above(list, until);
	list->waiting = waits && (!above || list->waiting);
	return below || above;
}

/* Add rows down to the bottom of the screen.  At the end, add rows above, so that the last page
 * is full. */
static bool
list_fill(struct list *list, int64_t until)
{
	if (fill_below(list, until))
		return true;
	while (list->rows.count < list->top + list->height) {
		if (!list->top) {
			enum added added = list_extend(list, LIST_BEFORE, until);
			if (added == ADDED_LATER)
				return true;
			if (added == ADDED_END)
				break;
		}
		list->top -= list->top > 0;
	}
	if (list->before && !list->top && list->rows.count)
		list_extend(list, LIST_BEFORE, until);
	return false;
}

static bool
list_work_until(struct list *list, int64_t until)
{
	if (!list->height || list->stopped)
		return false;
	bool more = apply_pending_moves(list, until);
	if (!more)
		more = fill_around(list, until);
	follow_cursor(list);
	if (list->moving && list->rows.count) {
		list->anchor = list_current(list)->id;
		list->anchor_lane = list_current(list)->lane;
	}
	if (!more)
		more = list_fill(list, until);
	turn_to_cursor(list);
	return more;
}

bool
list_work(struct list *list)
{
	list->waiting = false;
	list->busy = list_work_until(list, list_deadline());
	return list_can_work(list);
}

bool
list_work_unseen(struct list *list)
{
	size_t rows = list->rows.count;
	bool more = list_work(list);
	return more || !list->busy || rows != list->rows.count;
}

bool
list_busy(const struct list *list)
{
	return list->busy;
}

bool
list_can_work(const struct list *list)
{
	return list->busy && !list->waiting;
}

/* Count a move by the user. */
static void
count_move(struct list *list)
{
	list->moves++;
	list->stays_at = LIST_NOWHERE;
}

void
list_cancel(struct list *list)
{
	list->pending_moves = 0;
	count_move(list);
	list->stopped = true;
}

/* --- following --------------------------------------------------------- */

/* Stop following.  Messages from now on count as unseen. */
static void
leave_tail(struct list *list)
{
	struct sequence_position last;
	count_move(list);
	if (!list->tail)
		return;
	list->tail = false;
	list->any_seen = sequence_last(list->sequence, &last);
	if (list->any_seen) {
		list->seen = reader_message_id(list->lanes[last.trace].reader, last.at);
		list->seen_lane = last.trace;
	}
}

uint64_t
list_unseen(struct list *list, bool *exact)
{
	struct position at;
	bool sure;
	struct reader *reader = list->lanes[list->seen_lane].reader;
	*exact = true;
	if (!list->any_seen || !reader_find_id(reader, list->seen, &at))
		return 0;
	uint64_t count = sequence_count(list->sequence, exact);
	struct sequence_position last = {list->seen_lane, at};
	uint64_t seen = sequence_number(list->sequence, last, &sure) + 1;
	*exact &= sure;
	return count > seen ? count - seen : 0;
}

static void go_to_row(struct list *, struct sequence_position, size_t margin);

static void
go_to_tail(struct list *list)
{
	struct sequence_position last;
	if (sequence_last(list->sequence, &last))
		go_to_row(list, last, list->height);
}

void
list_follow(struct list *list)
{
	list->tail = true;
	count_move(list);
	go_to_tail(list);
}

/* --- opening and going ------------------------------------------------- */

/* Discard the rows and start again at a message, with MARGIN rows above it. */
static void
go_to_row(struct list *list, struct sequence_position p, size_t margin)
{
	list_turn_to_lane(list, p.trace);
	vec_clear(&list->rows);
	list->top = list->cursor = 0;
	list->pending_moves = 0;
	list->anchor = reader_message_id(list->reader, p.at);
	list->anchor_lane = p.trace;
	list->moving = list->stopped = list->provisional = false;
	list->passed = 0;
	for (size_t i = 0; i < list->lane_count; i++)
		list->lanes[i].known = index_known(list->lanes[i].index);
	list->scroll_margin = margin;
	set_edge(&list->edges[LIST_BEFORE], p);
	set_edge(&list->edges[LIST_AFTER], p);
	if (list->matches.count)
		matches_around(list->matches.of[p.trace], p.at.cell);
	if (sequence_shows(list->sequence, p.trace) &&
	    (list_is_match(list, p) || (list->around && is_near(list, p))))
		*vec_add(&list->rows) = row_at(list, p);
	list_work(list);
}

/* Jump to a message.  If its row is on the screen, only the cursor moves.  Otherwise the row
 * goes to the middle of the screen. */
static void
list_jump(struct list *list, struct sequence_position p)
{
	struct message_id id = reader_message_id(list->lanes[p.trace].reader, p.at);
	for (size_t i = list->top; i < list->rows.count && i < list->top + list->height; i++) {
		if (list->rows.at[i].lane == p.trace &&
		    !message_id_compare(list->rows.at[i].id, id)) {
			list->cursor = i;
			list->pending_moves = 0;
			list->anchor = id;
			list->anchor_lane = p.trace;
			list_turn_to_lane(list, p.trace);
			return;
		}
	}
	go_to_row(list, p, list->height / 2);
}

void
list_goto(struct list *list, struct sequence_position p)
{
	leave_tail(list);
	list_jump(list, p);
}

static bool
find_edge(struct list *list, int side, struct sequence_position *p)
{
	return side == LIST_BEFORE ? sequence_first(list->sequence, p)
				   : sequence_last(list->sequence, p);
}

static void
go_to_edge(struct list *list, int side, struct sequence_position p)
{
	go_to_row(list, p, side == LIST_BEFORE ? 0 : list->height);
}

/* If the order is not final, follow the first or last row until it is.  A growing capture has no
 * last row to wait for. */
static void
stay_at_edge(struct list *list, int side)
{
	bool follows = !sequence_is_exact(list->sequence);
	for (size_t i = 0; i < list->lane_count && side == LIST_AFTER; i++)
		follows &= list->lanes[i].ended;
	list->stays_at = follows ? side : LIST_NOWHERE;
}

/* Go to the first or last row of a changed order. */
static void
follow_edge(struct list *list)
{
	struct sequence_position p;
	bool moving = list->moving;
	if (find_edge(list, list->stays_at, &p))
		go_to_edge(list, list->stays_at, p);
	if (moving)
		list_stay(list);
	stay_at_edge(list, list->stays_at);
}

void
list_goto_edge(struct list *list, int side)
{
	struct sequence_position p;
	if (!find_edge(list, side, &p))
		return;
	leave_tail(list);
	go_to_edge(list, side, p);
	list_stay(list); /* at the row, not at a hidden message past it */
	stay_at_edge(list, side);
}

void
list_stay(struct list *list)
{
	list->moving = true;
	list_work(list);
}

/* Record the state of a lane's capture.  Return true if it changed. */
static bool
note_capture(struct list_lane *lane)
{
	const struct capture *capture = trace_capture(lane->trace);
	struct list_lane before = *lane;
	lane->size = capture_size(capture);
	lane->generation = capture_generation(capture);
	lane->ended = capture_ended(capture);
	lane->dropped = trace_dropped(lane->trace);
	return lane->size > before.size || lane->generation != before.generation ||
	       lane->ended != before.ended;
}

/* Return the length of the prefix that all lane names share, up to a separator. */
static size_t
common_beginning(const struct list *list)
{
	const char *first = trace_name(list->lanes[0].trace);
	size_t same = strlen(first);
	for (size_t i = 1; i < list->lane_count; i++) {
		const char *name = trace_name(list->lanes[i].trace);
		size_t own = 0;
		while (own < same && name[own] && name[own] == first[own])
			own++;
		same = own;
	}
	while (same && (list->lane_count < 2 || !strchr("./_- ", first[same - 1])))
		same--;
	return same;
}

static void
open_lanes(struct list *list)
{
	size_t count = list->lane_count = sequence_trace_count(list->sequence);
	list->lanes = mem_new(count * sizeof *list->lanes);
	for (size_t i = 0; i < count; i++) {
		struct list_lane *lane = &list->lanes[i];
		lane->reader = sequence_reader(list->sequence, i);
		lane->trace = reader_trace(lane->reader);
		lane->index = trace_index(lane->trace);
		lane->number = trace_number(lane->trace);
		note_capture(lane);
	}
	list->common = common_beginning(list);
	struct sequence_position first = {0};
	list->exact = sequence_is_exact(list->sequence);
	sequence_first(list->sequence, &first);
	go_to_row(list, first, 0);
	stay_at_edge(list, LIST_BEFORE);
}

void
list_open(struct list *list, struct sequence *sequence, const struct filter *filter)
{
	*list = (struct list){
	    .filter = filter, .sequence = sequence, .generation = sequence_generation(sequence)};
	open_lanes(list);
}

void
list_open_lane(struct list *list, struct sequence *all, size_t trace, const struct filter *filter)
{
	*list = (struct list){
	    .filter = filter, .sequence = sequence_new_single(all, trace), .owns_sequence = true};
	open_lanes(list);
}

void
list_close(struct list *list)
{
	vec_free(&list->rows);
	list_matches_close(&list->matches);
	list_matches_close(&list->former);
	if (list->owns_sequence)
		sequence_free(list->sequence);
	free(list->lanes);
	drop_cursors(list);
	*list = (struct list){0};
}

void
list_resize(struct list *list, size_t height)
{
	if (list->height == height)
		return;
	list->height = height;
	if (!list->busy)
		list_work(list);
}

/* --- moving ------------------------------------------------------------ */

/* Return the number of a row within the list.  Return false if it is not known. */
static bool
row_number(struct list *list, const struct row *row, uint64_t *number)
{
	bool exact;
	if (filter_is_all(list->filter))
		*number = sequence_number(list->sequence, row_position(row), &exact);
	else if (!list_matches_rank(&list->matches, row, number, &exact))
		return false;
	return exact;
}

/* Find the row with a number, or the last one if there are fewer. */
static bool
find_number(struct list *list, uint64_t number, struct sequence_position *p)
{
	struct matches_progress progress;
	bool exact;
	if (filter_is_all(list->filter)) {
		uint64_t count = sequence_count(list->sequence, &exact);
		number = exact && number >= count ? count - 1 : number;
		struct sequence_wish wish = {.by = SEQUENCE_BY_NUMBER, .value = number};
		return sequence_is_known(list->sequence, &wish) &&
		       sequence_find(list->sequence, &wish, p);
	}
	if (is_merged(list))
		return false;
	list_matches_get_progress(&list->matches, &progress);
	if (progress.exact && number >= progress.count)
		number = progress.count - 1;
	p->trace = 0;
	return matches_find(list->matches.of[0], list->reader, number, &p->at);
}

/* Do a long move by arithmetic instead of steps. */
static bool
list_leap(struct list *list, int64_t rows)
{
	uint64_t number;
	struct sequence_position p;
	const struct row *row = list_current(list);
	if (!row || list->around || (rows < ROWS_MAX && rows > -ROWS_MAX) ||
	    !row_number(list, row, &number))
		return false;
	uint64_t target = number + (uint64_t)rows;
	if (rows < 0 && target > number)
		target = 0;
	if (!find_number(list, target, &p))
		return false;
	list_goto(list, p);
	return true;
}

/* Begin a move by the user.  A move upwards ends following. */
static void
start_move(struct list *list, int64_t rows)
{
	count_move(list);
	if (rows < 0)
		leave_tail(list);
}

static void
move_by(struct list *list, int64_t rows)
{
	list->pending_moves += rows;
	list->moving = true;
	list->stopped = false;
	list_work(list);
}

void
list_move(struct list *list, int64_t rows)
{
	start_move(list, rows);
	if (!list_leap(list, rows))
		move_by(list, rows);
}

void
list_page(struct list *list, int64_t rows)
{
	size_t margin = list->cursor - list->top;
	start_move(list, rows);
	if (list_leap(list, rows))
		return;
	list->pending_moves = rows;
	list->moving = true;
	list->stopped = false;
	apply_pending_moves(list, list_deadline());
	list->scroll_margin = 0;
	list->top = list->cursor > margin ? list->cursor - margin : 0;
	list_work(list);
}

void
list_scroll(struct list *list, int64_t rows)
{
	int64_t until = list_deadline();
	start_move(list, rows);
	list->moving = true;
	list->stopped = false;
	if (!list->height || !list->rows.count)
		rows = 0; /* the screen is still empty */
	for (; rows > 0; rows--) {
		if (list->top + list->height >= list->rows.count &&
		    list_extend(list, LIST_AFTER, until) != ADDED)
			break;
		list->top++;
	}
	for (; rows < 0; rows++) {
		if (!list->top && list_extend(list, LIST_BEFORE, until) != ADDED)
			break;
		list->top--;
	}
	if (list->cursor < list->top)
		list->cursor = list->top;
	else if (list->cursor >= list->top + list->height && list->height)
		list->cursor = list->top + list->height - 1;
	list_work(list);
}

/* --- staying ----------------------------------------------------------- */

void
list_show(struct list *list)
{
	if (list->matches.count)
		list->outdated |= list_matches_update(&list->matches);
	else if (!filter_is_all(list->filter))
		list_matches_open(&list->matches, list, list->filter, NULL, &list->former);
	if (list->outdated)
		list_rebuild(list);
}

void
list_surround(struct list *list, unsigned around, bool shown)
{
	list->around = around;
	list->outdated = true;
	if (shown)
		list_show(list);
}

void
list_set_anchor(struct list *list, size_t lane, struct message_id id)
{
	list->anchor_lane = lane;
	list->anchor = id;
	list->moving = false;
}

void
list_refilter(struct list *list, bool shown)
{
	list_matches_turn(&list->matches, &list->former, list->filter);
	drop_cursors(list); /* they use the old filter */
	list->outdated = true;
	if (shown)
		list_show(list);
}

bool
list_take_fall(struct list *list)
{
	bool fell = list->fell;
	list->fell = false;
	return fell;
}

void
list_rebuild(struct list *list)
{
	list->outdated = false;
	struct sequence_position p = {.trace = list->anchor_lane};
	bool full = list->rows.count >= list->top + list->height;
	size_t margin = full ? list->cursor - list->top : list->height / 2;
	struct message_id anchor = list->anchor;
	const struct row *row = list_current(list);
	bool at_loss = row && row->message.kind == DECODE_KIND_LOSS; /* a loss just moves forward */
	reader_find_id(list->lanes[p.trace].reader, anchor, &p.at);
	go_to_row(list, p, margin);
	if (!trace_has_dropped(list->lanes[p.trace].trace, anchor.offset))
		list->anchor = anchor;
	else
		list->fell |= !at_loss;
	list->anchor_lane = p.trace;
	if (list->tail)
		go_to_tail(list);
}

/* Drop the rows that are not on the screen. */
static void
list_cut(struct list *list)
{
	size_t end = list->top + list->height;
	if (list->cursor < list->top || list->cursor >= end)
		return; /* a move is still pending */
	if (end < list->rows.count) {
		list->rows.count = end;
		struct row *row = &list->rows.at[end - 1];
		set_edge(&list->edges[LIST_AFTER], row_position(row));
	}
	if (list->top) {
		list->rows.count -= list->top;
		memmove(list->rows.at, list->rows.at + list->top,
			list->rows.count * sizeof *list->rows.at);
		list->cursor -= list->top;
		list->top = 0;
		struct row *row = &list->rows.at[0];
		set_edge(&list->edges[LIST_BEFORE], row_position(row));
	}
}

/* Find the rows again by their IDs.  Return false if one is gone. */
static bool
find_again(struct list *list)
{
	for (size_t i = 0; i < list->rows.count; i++) {
		struct row *row = &list->rows.at[i];
		struct message_id id = row->id;
		struct sequence_position p = {.trace = row->lane};
		if (!reader_find_id(list->lanes[row->lane].reader, id, &p.at))
			return false;
		*row = row_at(list, p);
		if (message_id_compare(row->id, id))
			return false;
	}
	if (list->rows.count) {
		list->edges[LIST_BEFORE].from.at = list->rows.at[0].at;
		list->edges[LIST_AFTER].from.at = list->rows.at[list->rows.count - 1].at;
		list->edges[LIST_BEFORE].looked = list->edges[LIST_AFTER].looked = false;
	}
	return true;
}

static bool
all_exact(struct list *list)
{
	bool exact = index_known(list->lanes[0].index) >= list->passed;
	for (size_t i = 0; exact && i < list->rows.count; i++)
		reader_number(list->lanes[list->rows.at[i].lane].reader, list->rows.at[i].at,
			      &exact);
	return exact && sequence_is_exact(list->sequence);
}

/* Changes of a list's captures since the last look. */
struct changes {
	bool any, more, anew, stale;
};

static struct changes
look_at_lanes(struct list *list)
{
	struct changes changes = {.stale = list_matches_update(&list->matches)};
	for (size_t i = 0; i < list->lane_count; i++) {
		struct list_lane *lane = &list->lanes[i];
		unsigned generation = lane->generation;
		uint64_t known = lane->known;
		uint64_t dropped = lane->dropped;
		bool noted = note_capture(lane);
		lane->known = index_known(lane->index);
		changes.anew |= lane->generation != generation;
		changes.more |= noted && lane->generation == generation;
		changes.any |= noted || lane->known != known || lane->dropped != dropped;
	}
	if (list->generation != sequence_generation(list->sequence)) {
		list->generation = sequence_generation(list->sequence);
		changes.stale = true;
	}
	changes.any |= changes.stale;
	if (changes.any)
		list->exact = sequence_is_exact(list->sequence);
	return changes;
}

/* Find the rows again, or make new ones. */
static void
settle_rows(struct list *list, struct changes changes)
{
	list->any_seen &= !changes.anew;
	if (changes.more && list->tail && filter_is_all(list->filter)) {
		go_to_tail(list);
		return;
	}
	if (list->stays_at != LIST_NOWHERE && (changes.stale || list->exact)) {
		follow_edge(list);
		return;
	}
	if (changes.more)
		set_edge(&list->edges[LIST_AFTER], list->edges[LIST_AFTER].from);
	list_cut(list);
	if (changes.anew || changes.stale || !list->rows.count || !find_again(list) ||
	    (list->provisional && all_exact(list)))
		list_rebuild(list);
	else if (changes.more && list->tail) /* to the last new row that passes */
		move_by(list, INT32_MAX);
}

void
list_settle(struct list *list)
{
	sequence_renew(list->sequence);
	struct changes changes = look_at_lanes(list);
	if (!changes.any)
		return;
	settle_rows(list, changes);
	list_work(list); /* so that this paint shows new rows */
}

const char *
list_trace_name(const struct list *list, size_t lane)
{
	return trace_name(list->lanes[lane].trace) + list->common;
}

uint64_t
list_number(const struct list *list, struct sequence_position p, bool *exact)
{
	return sequence_number(list->sequence, p, exact) + 1;
}

void
list_add_number(struct list *list, const struct row *row, struct text *out)
{
	char digits[32];
	bool exact;
	uint64_t number = list_number(list, row_position(row), &exact);
	text_addf(out, "%s%s", exact ? "" : "~", text_number(digits, number));
}

const struct row *
list_current(const struct list *list)
{
	return list->cursor < list->rows.count ? &list->rows.at[list->cursor] : NULL;
}

const struct row *
list_row(const struct list *list, size_t i)
{
	return list->top + i < list->rows.count ? &list->rows.at[list->top + i] : NULL;
}
