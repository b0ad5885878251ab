/*
 * A run of rows that grows where somebody looks: see list.h.
 *
 * Without a filter the next row is the reader's next message.  With one, the
 * match set knows it, or will find it and tell.  Where the index is not there
 * yet, seek_near() looks on from the edge a cell at a time, passing cells that
 * their summaries rule out; the edge remembers how far it got, so a sparse
 * filter costs each cell once.  All loops stop at a deadline some milliseconds
 * away.
 */
#include "config.h"

#include "ui/list.h"
#include "base/thread.h"
#include "query/seek.h"

#include <string.h>

enum {
	SLICE_MS = 6,	/* of work between two looks at the keyboard */
	ROWS_MAX = 4096 /* kept; more are dropped from the far end */
};

enum added { ADDED, ADDED_END, ADDED_LATER };

/* --- time -------------------------------------------------------------- */

static int64_t
deadline(void)
{
	return thread_now_ms() + SLICE_MS;
}

/* --- growing ----------------------------------------------------------- */

static struct row
row_at(struct list *list, struct position at)
{
	const struct message *m = reader_message(list->reader, at);
	struct row row = {.at = at, .place = reader_place(list->reader, at)};
	bool exact;
	row.there = m != NULL;
	if (m)
		row.message = *m;
	reader_number(list->reader, at, &exact);
	list->provisional |= !exact;
	return row;
}

static bool
same_place(struct place a, struct place b)
{
	return a.offset == b.offset && a.ordinal == b.ordinal;
}

/* The next position past EDGE that the filter passes. */
static enum added
find_next(struct list *list, struct list_edge *edge, int direction, int64_t until,
	  struct position *found)
{
	if (filter_is_all(list->filter)) {
		*found = edge->from;
		bool any = direction > 0 ? reader_next(list->reader, found, 0)
					 : reader_previous(list->reader, found, 0);
		return any ? ADDED : ADDED_END;
	}
	struct seek_query query = {
	    .trace = list->trace, .want = list->filter, .direction = direction};
	do {
		bool wrapped;
		if (list->matches) {
			enum matches_result known =
			    matches_next(list->matches, list->reader, edge->from, direction, found);
			if (known != MATCHES_UNDECIDED)
				return known == MATCHES_FOUND ? ADDED : ADDED_END;
			edge->from = *found;
			list->waiting = matches_await(list->matches, edge->from, direction);
			if (list->waiting)
				return ADDED_LATER;
		}
		query.from = edge->from;
		enum seek_result result = seek_near(&query, list->reader, 1, found, &wrapped);
		if (result == SEEK_FOUND)
			return ADDED;
		if (result == SEEK_NOT_FOUND)
			return ADDED_END;
		edge->from = *found;
	} while (thread_now_ms() < until);
	return ADDED_LATER;
}

static void
trim(struct list *list, int side)
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
	list->edges[side] = (struct list_edge){.from = outer->at};
}

/* Adds a row at one end of the run. */
static enum added
extend(struct list *list, int side, int64_t until)
{
	struct list_edge *edge = &list->edges[side];
	struct position found;
	if (edge->end)
		return ADDED_END;
	enum added added = find_next(list, edge, side == LIST_AFTER ? 1 : -1, until, &found);
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
	trim(list, side == LIST_AFTER ? LIST_BEFORE : LIST_AFTER);
	return ADDED;
}

/* --- what the screen needs --------------------------------------------- */

static void
follow_cursor(struct list *list)
{
	if (list->cursor < list->top)
		list->top = list->cursor;
	else if (list->height && list->cursor >= list->top + list->height)
		list->top = list->cursor - list->height + 1;
}

/* Pays what is owed to moves.  True if it waits for rows. */
static bool
pay(struct list *list, int64_t until)
{
	int direction = list->owed > 0 ? 1 : -1;
	int side = list->owed > 0 ? LIST_AFTER : LIST_BEFORE;
	while (list->owed && list->rows.count) {
		bool there = direction > 0 ? list->cursor + 1 < list->rows.count : list->cursor > 0;
		if (!there) {
			enum added added = extend(list, side, until);
			if (added == ADDED_END)
				list->owed = 0;
			if (added == ADDED_LATER)
				return true;
			if (added != ADDED)
				break;
		}
		list->cursor += (size_t)(ptrdiff_t)direction;
		list->owed -= direction;
		follow_cursor(list);
		if (!there && thread_now_ms() >= until)
			return list->owed != 0;
	}
	return list->owed && !list->rows.count;
}

/* Rows above the cursor that a jump asked for; where it hit a message that
 * the filter hides, the cursor goes to the next one, or else the last. */
static bool
lead_in(struct list *list, int64_t until)
{
	if (!list->rows.count && extend(list, LIST_AFTER, until) == ADDED_LATER)
		return true;
	while (list->cursor < list->lead) {
		enum added added = extend(list, LIST_BEFORE, until);
		if (added == ADDED_LATER)
			return true;
		if (added == ADDED_END)
			break;
	}
	if (list->lead && list->rows.count) {
		list->top = list->cursor > list->lead ? list->cursor - list->lead : 0;
		list->lead = 0;
	}
	return false;
}

/* Rows down to the foot of the screen; the last page is a full one. */
static bool
fill(struct list *list, int64_t until)
{
	while (list->rows.count < list->top + list->height) {
		enum added added = extend(list, LIST_AFTER, until);
		if (added == ADDED_LATER)
			return true;
		if (added == ADDED_END)
			break;
	}
	while (list->rows.count < list->top + list->height) {
		if (!list->top) {
			enum added added = extend(list, LIST_BEFORE, until);
			if (added == ADDED_LATER)
				return true;
			if (added == ADDED_END)
				break;
		}
		list->top -= list->top > 0;
	}
	if (list->before && !list->top && list->rows.count)
		extend(list, LIST_BEFORE, until);
	return false;
}

static bool
work(struct list *list, int64_t until)
{
	if (!list->height || list->stopped)
		return false;
	bool more = pay(list, until);
	if (!more)
		more = lead_in(list, until);
	follow_cursor(list);
	if (list->moving && list->rows.count)
		list->home = list_current(list)->place;
	if (!more)
		more = fill(list, until);
	return more;
}

bool
list_work(struct list *list)
{
	list->waiting = false;
	list->busy = work(list, deadline());
	return list->busy && !list->waiting;
}

bool
list_busy(const struct list *list)
{
	return list->busy;
}

void
list_cancel(struct list *list)
{
	list->owed = 0;
	list->stopped = true;
}

/* --- following --------------------------------------------------------- */

/* Somebody goes elsewhere: what comes from now on is new. */
static void
leave_tail(struct list *list)
{
	struct position last;
	if (!list->tail)
		return;
	list->tail = false;
	list->any_seen = reader_last(list->reader, &last);
	if (list->any_seen)
		list->seen = reader_place(list->reader, last);
}

uint64_t
list_unseen(struct list *list, bool *exact)
{
	struct position at;
	bool sure;
	*exact = true;
	if (!list->any_seen || !reader_find_place(list->reader, list->seen, &at))
		return 0;
	uint64_t count = reader_count(list->reader, exact);
	uint64_t seen = reader_number(list->reader, at, &sure) + 1;
	*exact &= sure;
	return count > seen ? count - seen : 0;
}

static void go_to_row(struct list *, struct position, size_t lead);

static void
go_to_tail(struct list *list)
{
	struct position last;
	if (reader_last(list->reader, &last))
		go_to_row(list, last, list->height);
}

void
list_follow(struct list *list)
{
	list->tail = true;
	go_to_tail(list);
}

/* --- opening and going ------------------------------------------------- */

static void
go_to_row(struct list *list, struct position at, size_t lead)
{
	struct expansion scratch = {0};
	const struct message *m = reader_message(list->reader, at);
	vec_clear(&list->rows);
	list->top = list->cursor = 0;
	list->owed = 0;
	list->home = reader_place(list->reader, at);
	list->moving = list->stopped = list->provisional = false;
	list->known = index_known(trace_index(list->trace));
	list->lead = lead;
	list->edges[LIST_BEFORE] = (struct list_edge){.from = at};
	list->edges[LIST_AFTER] = (struct list_edge){.from = at};
	if (list->matches)
		matches_around(list->matches, at.cell);
	if (m) {
		struct message copy = *m; /* text may ask for other cells */
		if (filter_match(list->filter, list->reader, &copy, &scratch))
			*vec_add(&list->rows) = row_at(list, at);
	}
	expansion_free(&scratch);
	list_work(list);
}

void
list_goto_row(struct list *list, struct position at, size_t lead)
{
	leave_tail(list);
	go_to_row(list, at, lead);
}

/* A jump that stays on the screen moves the cursor only; another one puts the
 * row into the middle. */
void
list_goto(struct list *list, struct position at)
{
	struct place place = reader_place(list->reader, at);
	leave_tail(list);
	for (size_t i = list->top; i < list->rows.count && i < list->top + list->height; i++) {
		if (same_place(list->rows.at[i].place, place)) {
			list->cursor = i;
			list->owed = 0;
			list->home = place;
			return;
		}
	}
	list_goto_row(list, at, list->height / 2);
}

void
list_open(struct list *list, struct trace *trace, const struct filter *filter)
{
	*list = (struct list){.trace = trace, .filter = filter, .reader = reader_new(trace)};
	list->size = capture_size(trace_capture(trace));
	list->epoch = capture_epoch(trace_capture(trace));
	list->ended = capture_ended(trace_capture(trace));
	struct position first = {0};
	reader_first(list->reader, &first);
	list_goto_row(list, first, 0);
}

void
list_close(struct list *list)
{
	vec_free(&list->rows);
	matches_free(list->matches);
	reader_free(list->reader);
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

/* The row's number among those of the list; false if it is not known. */
static bool
row_number(struct list *list, const struct row *row, uint64_t *number)
{
	bool exact;
	if (filter_is_all(list->filter))
		*number = reader_number(list->reader, row->at, &exact);
	else if (!list->matches ||
		 !matches_rank(list->matches, list->reader, row->at, number, &exact))
		return false;
	return exact;
}

/* The row with that number, or the last one if there are fewer. */
static bool
find_number(struct list *list, uint64_t number, struct position *at)
{
	struct matches_progress progress;
	bool exact;
	if (filter_is_all(list->filter)) {
		uint64_t count = trace_count(list->trace, &exact);
		number = exact && number >= count ? count - 1 : number;
		return reader_find_number(list->reader, number, at, &exact) && exact;
	}
	matches_get_progress(list->matches, &progress);
	if (progress.exact && number >= progress.count)
		number = progress.count - 1;
	return matches_find(list->matches, list->reader, number, at);
}

/* Long moves are arithmetic, not steps. */
static bool
leap(struct list *list, int64_t rows)
{
	uint64_t number;
	struct position at;
	const struct row *row = list_current(list);
	if (!row || (rows < ROWS_MAX && rows > -ROWS_MAX) || !row_number(list, row, &number))
		return false;
	uint64_t target = number + (uint64_t)rows;
	if (rows < 0 && target > number)
		target = 0;
	if (!find_number(list, target, &at))
		return false;
	list_goto(list, at);
	return true;
}

void
list_move(struct list *list, int64_t rows)
{
	if (rows < 0)
		leave_tail(list);
	if (leap(list, rows))
		return;
	list->owed += rows;
	list->moving = true;
	list->stopped = false;
	list_work(list);
}

void
list_page(struct list *list, int64_t rows)
{
	size_t lead = list->cursor - list->top;
	if (rows < 0)
		leave_tail(list);
	if (leap(list, rows))
		return;
	list->owed = rows;
	list->moving = true;
	list->stopped = false;
	pay(list, deadline());
	list->top = list->cursor > lead ? list->cursor - lead : 0;
	list_work(list);
}

void
list_scroll(struct list *list, int64_t rows)
{
	int64_t until = deadline();
	if (rows < 0)
		leave_tail(list);
	list->moving = true;
	list->stopped = false;
	for (; rows > 0; rows--) {
		if (list->top + list->height >= list->rows.count &&
		    extend(list, LIST_AFTER, until) != ADDED)
			break;
		list->top++;
	}
	for (; rows < 0; rows++) {
		if (!list->top && extend(list, LIST_BEFORE, until) != ADDED)
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
list_count(struct list *list)
{
	uint64_t cell = list->home.offset / index_cell_size(trace_index(list->trace));
	if (!list->matches && !filter_is_all(list->filter))
		list->matches = matches_new(list->trace, list->filter, NULL, cell);
}

void
list_refilter(struct list *list, bool count)
{
	matches_free(list->matches);
	list->matches = NULL;
	if (count)
		list_count(list);
	list_rebuild(list);
}

void
list_rebuild(struct list *list)
{
	struct position at = {0};
	size_t lead = list->rows.count ? list->cursor - list->top : list->height / 2;
	struct place home = list->home;
	reader_find_place(list->reader, home, &at);
	go_to_row(list, at, lead);
	list->home = home;
	if (list->tail)
		go_to_tail(list);
}

/* Forgets the rows that are not on the screen. */
static void
cut(struct list *list)
{
	size_t end = list->top + list->height;
	if (list->cursor < list->top || list->cursor >= end)
		return; /* still on its way */
	if (end < list->rows.count) {
		list->rows.count = end;
		list->edges[LIST_AFTER] = (struct list_edge){.from = list->rows.at[end - 1].at};
	}
	if (list->top) {
		list->rows.count -= list->top;
		memmove(list->rows.at, list->rows.at + list->top,
			list->rows.count * sizeof *list->rows.at);
		list->cursor -= list->top;
		list->top = 0;
		list->edges[LIST_BEFORE] = (struct list_edge){.from = list->rows.at[0].at};
	}
}

/* Finds the rows again at their places; false if one is gone. */
static bool
find_again(struct list *list)
{
	for (size_t i = 0; i < list->rows.count; i++) {
		struct row *row = &list->rows.at[i];
		struct place place = row->place;
		struct position at;
		if (!reader_find_place(list->reader, place, &at))
			return false;
		*row = row_at(list, at);
		if (!same_place(row->place, place))
			return false;
	}
	if (list->rows.count) {
		list->edges[LIST_BEFORE].from = list->rows.at[0].at;
		list->edges[LIST_AFTER].from = list->rows.at[list->rows.count - 1].at;
	}
	return true;
}

static bool
all_exact(struct list *list)
{
	bool exact = true;
	for (size_t i = 0; exact && i < list->rows.count; i++)
		reader_number(list->reader, list->rows.at[i].at, &exact);
	return exact;
}

void
list_settle(struct list *list)
{
	const struct capture *capture = trace_capture(list->trace);
	uint64_t size = capture_size(capture), known = index_known(trace_index(list->trace));
	unsigned epoch = capture_epoch(capture);
	bool ended = capture_ended(capture), anew = epoch != list->epoch;
	bool more = size > list->size || ended != list->ended;
	bool stale = list->matches && matches_update(list->matches);
	if (!more && !anew && !stale && known == list->known)
		return;
	list->epoch = epoch;
	list->size = size;
	list->ended = ended;
	list->known = known;
	list->any_seen &= !anew;
	if (more && list->tail && filter_is_all(list->filter)) {
		go_to_tail(list);
		return;
	}
	if (more)
		list->edges[LIST_AFTER].end = false;
	cut(list);
	if (anew || stale || !list->rows.count || !find_again(list) ||
	    (list->provisional && all_exact(list)))
		list_rebuild(list);
	else if (more && list->tail) /* what the filter passes of the new ones */
		list_move(list, INT32_MAX);
}

uint64_t
list_start(struct list *list)
{
	const struct block *block = reader_block(list->reader, 0);
	for (size_t i = 0; i < block->count; i++)
		if (block->messages[i].flags & MESSAGE_TIMED)
			return block->messages[i].ticks;
	return 0;
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
