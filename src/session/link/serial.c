/*
 * Serial numbers: see serial.h.
 *
 * There is no table of all events. Each cell of the UIA trace keeps three ranges of
 * numbers, one per lane (sync points, snapshots, the context logger). Each cell of the GEM
 * trace keeps an anchor: the event that each lane matched last before it.
 *
 * To match a word, complete its number to the one nearest to its lane's last match. Then
 * search the cells from there: forward first, so that a program that starts again matches
 * its second count, then backward. Only a cell with the number in its range is decoded.
 * Stop after two cells past the number: a lost event then costs no more than a found one.
 *
 * Contexts have only 16 bits, so they follow the sync points. When a sync point matches in
 * another part of the log, the context lane continues there and recovers from a wrong
 * count.
 *
 * Cost: sizeof(struct event_cell) per UIA cell, sizeof(struct serial_anchor) per GEM cell.
 * To expand a word takes at most a walk of its cell.
 */
#include "config.h"

#include "session/link/serial.h"
#include "base/bytes.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/job.h"
#include "decode/gem/gem.h"
#include "decode/gem/uia.h"
#include "session/link/sync_options.h"
#include "trace/reader.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum serial_lane { LANE_SYNC, LANE_SNAPSHOT, LANE_CONTEXT, LANES };

enum {
	TRIES = 8,	  /* most cells to decode for one word */
	BEYOND = 2,	  /* cells in a row past the number that end a search */
	NUMBER_BITS = 32, /* in the full number of a sync point or snapshot */
	CONTEXT_BITS = 16,
	CELL_BACK = 8192,     /* largest step back of a logger's numbers within a cell */
	LOOK_AHEAD_CELLS = 16 /* to find the first sync point of the words */
};

/* Completed sequence numbers start here, so that a step back does not wrap. */
#define CONTEXT_START ((uint64_t)1 << 32)

struct number_range {
	uint64_t least, most; /* least > most: none */
};

/* Numbers of the events in a cell of the UIA trace. */
struct event_cell {
	struct number_range lanes[LANES];
	uint64_t context; /* number of the logger's last event before the cell, else of its first
			   * one in it; 0: none */
};

/* The last event that a lane matched. */
struct last_seen {
	uint64_t number;
	uint64_t offset; /* in the UIA trace */
	bool any;
};

struct serial_anchor {
	struct last_seen lanes[LANES];
};

/* An event that a word may match. */
struct entry {
	uint64_t number, offset;
	uint32_t now, before; /* contexts */
	const char *name;     /* from the profile, or NULL */
};

struct serial {
	struct trace *gem, *uia;
	struct session_fields fields; /* of the GEM trace's messages */
	int64_t logger, core;

	/* under the job's lock; one thread at a time writes */
	VEC(struct event_cell) cells;
	VEC(struct serial_anchor) anchors; /* of the walked cells, and of the next one */
	struct last_seen first[LANES];
	bool has_core, has_context;
	uint64_t core_found;	 /* source of the first event in any lane */
	uint64_t context_origin; /* logger of the contexts */
	uint64_t context_last;	 /* its last number, 0 = none */

	struct generation generation;
	struct job job;
	struct serial_walker *walker; /* of the thread, made on first use */
};

/* The entries of a lane in a cell, in order. */
struct entry_list {
	VEC(struct entry) entries;
	uint64_t cell;
	bool filled;
};

/* State of a thread that matches words in order. */
struct serial_walker {
	struct serial *serial;
	struct reader *gem; /* borrowed */
	struct reader *uia;
	struct entry_list lists[LANES];
	struct serial_anchor at;
};

struct serial_cursor {
	struct serial_walker walker;
	uint64_t generation;
	bool valid;    /* `cell`, `next` and `last` are valid */
	uint64_t cell; /* of the GEM trace */
	uint64_t next; /* the cell's words before this offset are matched */
	uint64_t last; /* offset of the last word, which the members below describe */
	bool tried, found;
	struct entry entry;
};

/* --- numbers ----------------------------------------------------------- */

static uint64_t
complete_number(enum serial_lane lane, uint64_t last, uint64_t number)
{
	const uint64_t range = (uint64_t)1 << NUMBER_BITS;
	if (lane == LANE_CONTEXT)
		return bytes_unwrap(last, number, CONTEXT_BITS);
	/* these numbers wrap too: add their range, so that a step back below 0 is possible */
	return bytes_unwrap(last + range, number, GEM_VALUE_BITS) & (range - 1);
}

/* --- events ------------------------------------------------------------ */

/* Return the lane of an event; LANES: none. Fill in ENTRY; the number of a context is still its
 * sequence number. */
static enum serial_lane
lane_of(const struct uia_event *event, const struct message *m, struct entry *entry)
{
	*entry = (struct entry){.offset = m->offset, .name = event->row->name};
	if (event->snapshot) {
		entry->number = uia_argument(event, UIA_SNAPSHOT_ID);
		return LANE_SNAPSHOT;
	}
	if (event->row->role == UIA_ROLE_SYNC) {
		entry->number = uia_argument(event, UIA_SYNC_SERIAL);
		return LANE_SYNC;
	}
	if (event->row->role == UIA_ROLE_CONTEXT) {
		entry->number = event->sequence;
		entry->now = uia_argument(event, UIA_CONTEXT_NEW);
		entry->before = uia_argument(event, UIA_CONTEXT_OLD);
		return LANE_CONTEXT;
	}
	return LANES;
}

/* Call EACH for the events of a UIA cell. */
static void
each_event(struct reader *reader, uint64_t cell,
	   void (*each)(void *, const struct message *, const struct uia_event *), void *context)
{
	const struct uia_decoder *decoder =
	    (const struct uia_decoder *)trace_decoder(reader_trace(reader));
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	struct window window = reader_window(reader);
	for (size_t i = 0; i < decoded->count; i++) {
		const struct message *m = &decoded->messages[i];
		struct uia_event event;
		if (m->offset >= window.offset &&
		    m->offset + m->length <= window.offset + window.length &&
		    uia_event_parse(decoder, m, window.bytes + (m->offset - window.offset),
				    m->length, &event))
			each(context, m, &event);
	}
}

static bool
is_of_core(const struct serial *s, uint64_t origin)
{
	uint64_t core = uia_origin_source(origin);
	return s->core >= 0 ? core == (uint64_t)s->core : !s->has_core || core == s->core_found;
}

/* True if the logger ORIGIN counts the contexts: the configured one, or the first with a
 * context. */
static bool
is_context_logger(struct serial *s, enum serial_lane lane, uint64_t origin)
{
	bool fits = s->logger < 0 ? lane == LANE_CONTEXT
				  : uia_origin_instance(origin) == (uint64_t)s->logger;
	if (!s->has_context && fits) {
		s->has_context = true;
		s->context_origin = origin;
	}
	return s->has_context && origin == s->context_origin;
}

static void
widen_range(struct number_range *range, uint64_t number)
{
	if (range->least > range->most)
		*range = (struct number_range){.least = number, .most = number};
	else if (number < range->least)
		range->least = number;
	else if (number > range->most)
		range->most = number;
}

struct note {
	struct serial *serial;
	struct event_cell cell;
};

static void
note_event(void *context, const struct message *m, const struct uia_event *event)
{
	struct note *note = context;
	struct serial *s = note->serial;
	struct entry entry;
	enum serial_lane lane = lane_of(event, m, &entry);
	if (!is_of_core(s, m->origin))
		return;
	if (lane != LANES && !s->has_core) {
		s->has_core = true;
		s->core_found = uia_origin_source(m->origin);
	}
	bool counts = is_context_logger(s, lane, m->origin);
	if (counts) { /* any event of the logger counts */
		uint64_t last = s->context_last ? s->context_last : CONTEXT_START;
		s->context_last = complete_number(LANE_CONTEXT, last, event->sequence);
		widen_range(&note->cell.lanes[LANE_CONTEXT], s->context_last);
		if (!note->cell.context)
			note->cell.context = s->context_last;
	}
	if (lane == LANES || (lane == LANE_CONTEXT && !counts))
		return;
	if (lane == LANE_CONTEXT)
		entry.number = s->context_last;
	else
		widen_range(&note->cell.lanes[lane], entry.number);
	if (!s->first[lane].any)
		s->first[lane] = (struct last_seen){entry.number, entry.offset, true};
}

/* --- lists ------------------------------------------------------------- */

struct fill {
	struct serial *serial;
	struct entry_list *list;
	enum serial_lane lane;
	uint64_t context; /* as in struct event_cell */
};

static void
fill_list(void *context, const struct message *m, const struct uia_event *event)
{
	struct fill *fill = context;
	struct entry entry;
	if (lane_of(event, m, &entry) != fill->lane || !is_of_core(fill->serial, m->origin))
		return;
	if (fill->lane == LANE_CONTEXT) {
		if (m->origin != fill->serial->context_origin)
			return;
		uint64_t least = fill->context - CELL_BACK;
		entry.number = least + ((entry.number - least) & ((1u << CONTEXT_BITS) - 1));
	}
	*vec_add(&fill->list->entries) = entry;
}

static const struct entry_list *
list_of(struct serial_walker *w, enum serial_lane lane, uint64_t cell)
{
	struct serial *s = w->serial;
	struct entry_list *list = &w->lists[lane];
	if (list->filled && list->cell == cell)
		return list;
	reader_decoded_cell(w->uia, cell); /* decode it without the lock */
	vec_clear(&list->entries);
	job_lock(&s->job);
	if (cell < s->cells.count) {
		struct fill fill = {s, list, lane, s->cells.at[cell].context};
		each_event(w->uia, cell, fill_list, &fill);
	}
	job_unlock(&s->job);
	list->cell = cell;
	list->filled = true;
	return list;
}

/* Return the position of the first entry at or after OFFSET. */
static size_t
list_position(const struct entry_list *list, uint64_t offset)
{
	size_t at;
	lower_bound(at, list->entries.count, list->entries.at[at].offset < offset);
	return at;
}

/* Return the nearest entry with NUMBER at or after OFFSET, or before it unless FORWARD. */
static const struct entry *
list_find(const struct entry_list *list, uint64_t number, uint64_t offset, bool forward)
{
	size_t at = list_position(list, offset), count = list->entries.count;
	const struct entry *entries = list->entries.at;
	for (; forward && at < count; at++)
		if (entries[at].number == number)
			return &entries[at];
	while (!forward && at-- > 0)
		if (entries[at].number == number)
			return &entries[at];
	return NULL;
}

/* --- searching --------------------------------------------------------- */

/* Move *CELL to the next cell with NUMBER in its range, itself included. Return false if the
 * number was passed or the cells end. */
static bool
next_cell(struct serial *s, enum serial_lane lane, uint64_t number, bool forward, uint64_t *cell)
{
	unsigned beyond = 0;
	bool found = false;
	job_lock(&s->job);
	for (; *cell < s->cells.count && beyond < BEYOND; *cell += forward ? 1 : UINT64_MAX) {
		const struct number_range *range = &s->cells.at[*cell].lanes[lane];
		if (range->least > range->most)
			continue;
		found = range->least <= number && number <= range->most;
		if (found)
			break;
		bool passed = forward ? range->least > number : range->most < number;
		beyond = passed ? beyond + 1 : 0;
	}
	job_unlock(&s->job);
	return found;
}

static const struct entry *
search_cells(struct serial_walker *w, enum serial_lane lane, uint64_t number, uint64_t offset)
{
	uint64_t start = offset / index_cell_size(trace_index(w->serial->uia));
	for (int forward = 1; forward >= 0; forward--) {
		uint64_t cell = start;
		unsigned tries = 0;
		while (tries < TRIES && next_cell(w->serial, lane, number, forward, &cell)) {
			const struct entry_list *list = list_of(w, lane, cell);
			const struct entry *entry = list_find(list, number, offset, forward);
			if (entry)
				return entry;
			tries++;
			cell += forward ? 1 : UINT64_MAX;
		}
	}
	return NULL;
}

/* After the match of a sync point, continue the context lane there unless it is already near. */
static void
follow_sync(struct serial_walker *w, const struct entry *sync)
{
	struct last_seen *context = &w->at.lanes[LANE_CONTEXT];
	uint64_t size = index_cell_size(trace_index(w->serial->uia));
	uint64_t cell = sync->offset / size, own = context->offset / size;
	if (context->any && own + 1 >= cell && own <= cell + 1)
		return;
	job_lock(&w->serial->job);
	uint64_t number = cell < w->serial->cells.count ? w->serial->cells.at[cell].context : 0;
	job_unlock(&w->serial->job);
	if (number)
		*context = (struct last_seen){.number = number, .offset = cell * size, .any = true};
}

/* --- matching ---------------------------------------------------------- */

/* Return the lane and number of a word; LANES: no event can match it. */
static enum serial_lane
lane_of_word(const struct message *m, uint64_t *number)
{
	static const uint8_t lanes[GEM_KIND_COUNT] = {
	    [GEM_SYNCPOINT] = LANE_SYNC, [GEM_SNAPSHOT] = LANE_SNAPSHOT,
	    [GEM_CTXCHG] = LANE_CONTEXT, [GEM_SECOND] = LANE_CONTEXT,
	    [GEM_FIRST] = LANES,	 [GEM_RESERVED] = LANES,
	    [GEM_TRUNCATED] = LANES};
	uint32_t word = GEM_AUX_WORD(m->aux);
	bool is_time = m->kind == GEM_SECOND && m->aux & GEM_AUX_COMPLETE &&
		       GEM_AUX_FIRST(m->aux) >> GEM_VALUE_BITS == GEM_CTX_GLOBAL_TIME;
	*number = m->kind == GEM_SECOND ? gem_sequence(word) : gem_value(word);
	return is_time || m->kind >= GEM_KIND_COUNT ? LANES : (enum serial_lane)lanes[m->kind];
}

/* Return the event of M, the next word; NULL: none. *TRIED: M has a lane, and the log has events
 * in it. */
static const struct entry *
match_word(struct serial_walker *w, const struct message *m, bool *tried)
{
	uint64_t number;
	enum serial_lane lane = lane_of_word(m, &number);
	*tried = false;
	if (lane == LANES)
		return NULL;
	struct last_seen from = w->at.lanes[lane];
	if (!from.any) {
		job_lock(&w->serial->job);
		from = w->serial->first[lane];
		job_unlock(&w->serial->job);
	}
	if (!from.any)
		return NULL;
	*tried = true;
	const struct entry *entry =
	    search_cells(w, lane, complete_number(lane, from.number, number), from.offset);
	if (!entry)
		return NULL;
	if (m->kind == GEM_SECOND && (entry->now & 0xff) != gem_data8(GEM_AUX_WORD(m->aux)))
		return NULL;
	w->at.lanes[lane] = (struct last_seen){entry->number, entry->offset, true};
	if (lane == LANE_SYNC)
		follow_sync(w, entry);
	return entry;
}

/* Match the words of a GEM cell from FROM to before TO. */
static void
match_cell(struct serial_walker *w, uint64_t cell, uint64_t from, uint64_t to)
{
	const struct decoded_cell *decoded = reader_decoded_cell(w->gem, cell);
	size_t i = 0, end = decoded->count;
	while (i < end) { /* find the first word at or after FROM */
		size_t middle = i + (end - i) / 2;
		if (decoded->messages[middle].offset < from)
			i = middle + 1;
		else
			end = middle;
	}
	for (; i < decoded->count && decoded->messages[i].offset < to; i++) {
		bool tried;
		match_word(w, &decoded->messages[i], &tried);
	}
}

/* --- walkers ----------------------------------------------------------- */

static struct serial_walker
serial_walker_new(struct serial *s, struct reader *gem)
{
	return (struct serial_walker){.serial = s, .gem = gem, .uia = reader_new(s->uia)};
}

static void
serial_walker_forget(struct serial_walker *w)
{
	for (int i = 0; i < LANES; i++)
		w->lists[i].filled = false;
}

static void
serial_walker_free(struct serial_walker *w)
{
	reader_free(w->uia);
	for (int i = 0; i < LANES; i++)
		vec_free(&w->lists[i].entries);
}

/* --- anchors ----------------------------------------------------------- */

static bool
is_stopping(struct serial *s)
{
	return job_is_stopping(&s->job);
}

static void
count_generation(struct serial *s)
{
	generation_bump(&s->generation);
	trace_bump_generation(s->gem);
}

/* Drop all matches: a capture shrank. */
static void
serial_forget(struct serial *s)
{
	job_lock(&s->job);
	vec_clear(&s->cells);
	vec_clear(&s->anchors);
	memset(s->first, 0, sizeof s->first);
	s->has_core = s->has_context = false;
	s->context_last = 0;
	count_generation(s);
	job_unlock(&s->job);
}

/* True if a cell is known to have none of KINDS. */
static bool
holds_none(struct index *index, uint64_t cell, uint64_t kinds)
{
	struct index_cell summary;
	return index_cell(index, cell, &summary) && !(summary.kinds & kinds);
}

/* Note the events of the newly indexed cells. */
static void
note_cells(struct serial *s, struct serial_walker *w)
{
	struct index *index = trace_index(s->uia);
	while (s->cells.count < index_known(index) && !is_stopping(s)) {
		uint64_t cell = s->cells.count;
		struct note note = {.serial = s, .cell = {.context = s->context_last}};
		for (int i = 0; i < LANES; i++)
			note.cell.lanes[i].least = 1;
		bool none = holds_none(index, cell, 1u << UIA_EVENT);
		if (!none)
			reader_decoded_cell(w->uia, cell); /* decode it without the lock */
		job_lock(&s->job);
		if (!none)
			each_event(w->uia, cell, note_event, &note);
		*vec_add(&s->cells) = note.cell;
		job_unlock(&s->job);
	}
}

/* Return the anchor of the first word. The log may have begun long before it, so the context
 * lane starts where the first sync point of the words matches. */
static struct serial_anchor
find_beginning(struct serial_walker *w)
{
	uint64_t known = index_known(trace_index(w->serial->gem));
	bool synced = false;
	w->at = (struct serial_anchor){0};
	for (uint64_t c = 0; c < known && c < LOOK_AHEAD_CELLS && !synced; c++) {
		const struct decoded_cell *decoded = reader_decoded_cell(w->gem, c);
		for (size_t i = 0; i < decoded->count && !synced; i++) {
			bool tried;
			synced = decoded->messages[i].kind == GEM_SYNCPOINT &&
				 match_word(w, &decoded->messages[i], &tried);
		}
	}
	return (struct serial_anchor){.lanes[LANE_CONTEXT] = w->at.lanes[LANE_CONTEXT]};
}

static void
anchor_add(struct serial *s, struct serial_anchor anchor)
{
	job_lock(&s->job);
	*vec_add(&s->anchors) = anchor;
	job_unlock(&s->job);
}

/* Match the words of the newly indexed cells. */
static void
anchor_cells(struct serial *s, struct serial_walker *w)
{
	static const uint64_t kinds =
	    1u << GEM_SYNCPOINT | 1u << GEM_SNAPSHOT | 1u << GEM_CTXCHG | 1u << GEM_SECOND;
	struct index *index = trace_index(s->gem);
	if (!s->anchors.count)
		anchor_add(s, find_beginning(w));
	w->at = s->anchors.at[s->anchors.count - 1];
	while (s->anchors.count <= index_known(index) && !is_stopping(s)) {
		uint64_t cell = s->anchors.count - 1;
		if (!holds_none(index, cell, kinds))
			match_cell(w, cell, 0, UINT64_MAX);
		anchor_add(s, w->at);
	}
}

/* Note new events and match words. The words wait for the whole log, unless its capture is still
 * growing. */
static void
serial_match_known(struct serial *s, struct serial_walker *w)
{
	struct index *gem = trace_index(s->gem), *uia = trace_index(s->uia);
	if (s->cells.count > index_known(uia) || s->anchors.count > index_known(gem) + 1) {
		serial_forget(s);
		serial_walker_forget(w);
	}
	size_t before = s->cells.count + s->anchors.count;
	note_cells(s, w);
	if (index_is_complete(uia) || !capture_ended(trace_capture(s->uia)))
		anchor_cells(s, w);
	if (s->cells.count + s->anchors.count != before)
		count_generation(s);
}

void
serial_load(struct serial *s)
{
	trace_build_whole(s->uia);
	trace_unpack(s->gem);
	trace_build(s->gem);
	struct serial_walker w = serial_walker_new(s, reader_new(s->gem));
	serial_match_known(s, &w);
	reader_free(w.gem);
	serial_walker_free(&w);
}

static void
serial_run(void *context)
{
	struct serial *s = context;
	unsigned generation = serial_generation(s);
	if (!s->walker) {
		s->walker = mem_new(sizeof *s->walker);
		*s->walker = serial_walker_new(s, reader_new(s->gem));
	}
	serial_match_known(s, s->walker);
	if (serial_generation(s) != generation)
		job_tell(&s->job);
}

void
serial_start(struct serial *s)
{
	job_start(&s->job);
}

void
serial_wake(struct serial *s)
{
	job_wake(&s->job);
}

static void *
fields_cursor_new(void *serial, struct reader *gem)
{
	return serial_cursor_new(serial, gem);
}

static void
fields_cursor_free(void *cursor)
{
	serial_cursor_free(cursor);
}

static void
fields_expand(void *cursor, const struct message *m, enum expand_want want, struct expansion *e)
{
	serial_expand(cursor, m, want, e);
}

struct serial *
serial_of(const struct trace *gem)
{
	const struct session_fields *fields = trace_session_fields(gem);
	return fields && fields->expand == fields_expand ? fields->context : NULL;
}

struct serial *
serial_new(struct trace *gem, struct trace *uia, const struct sync_options *options)
{
	struct serial *s = mem_new(sizeof *s);
	s->gem = gem;
	s->uia = uia;
	s->logger = options ? options->logger : -1;
	s->core = options ? options->core : -1;
	job_init(&s->job, serial_run, s);
	s->job.notify = trace_host_notify;
	s->job.owner = trace_host(gem);
	s->fields = (struct session_fields){.cursor_new = fields_cursor_new,
					    .cursor_free = fields_cursor_free,
					    .expand = fields_expand,
					    .context = s};
	trace_set_session_fields(gem, &s->fields);
	return s;
}

void
serial_free(struct serial *s)
{
	if (!s)
		return;
	job_free(&s->job);
	trace_set_session_fields(s->gem, NULL);
	if (s->walker) {
		reader_free(s->walker->gem);
		serial_walker_free(s->walker);
		free(s->walker);
	}
	vec_free(&s->cells);
	vec_free(&s->anchors);
	free(s);
}

uint64_t
serial_known(struct serial *s)
{
	job_lock(&s->job);
	uint64_t known = s->anchors.count ? s->anchors.count - 1 : 0;
	job_unlock(&s->job);
	return known;
}

unsigned
serial_generation(const struct serial *s)
{
	return generation_now(&s->generation);
}

/* --- expanding --------------------------------------------------------- */

struct serial_cursor *
serial_cursor_new(struct serial *s, struct reader *gem)
{
	struct serial_cursor *cursor = mem_new(sizeof *cursor);
	cursor->walker = serial_walker_new(s, gem);
	return cursor;
}

void
serial_cursor_free(struct serial_cursor *cursor)
{
	if (!cursor)
		return;
	serial_walker_free(&cursor->walker);
	free(cursor);
}

/* Match the words before OFFSET in its cell. Return false if that cell has no anchor yet. */
static bool
cursor_seek(struct serial_cursor *cursor, uint64_t offset)
{
	struct serial *s = cursor->walker.serial;
	uint64_t size = index_cell_size(trace_index(s->gem)), cell = offset / size;
	if (!cursor->valid || cell != cursor->cell || offset < cursor->next) {
		job_lock(&s->job);
		bool anchored = cell < s->anchors.count;
		if (anchored)
			cursor->walker.at = s->anchors.at[cell];
		job_unlock(&s->job);
		if (!anchored)
			return false;
		cursor->next = cell * size;
	}
	match_cell(&cursor->walker, cell, cursor->next, offset);
	return true;
}

/* Match M. Return false if its match is not yet known. */
static bool
cursor_match(struct serial_cursor *cursor, const struct message *m)
{
	struct serial *s = cursor->walker.serial;
	uint64_t number;
	if (generation_renew(&cursor->generation, serial_generation(s))) {
		serial_walker_forget(&cursor->walker);
		cursor->valid = false;
	}
	bool in_order = cursor->valid && m->offset == cursor->next;
	if (cursor->valid && m->offset == cursor->last)
		return true;
	if (!in_order && lane_of_word(m, &number) == LANES)
		return false;
	if (!in_order && !cursor_seek(cursor, m->offset))
		return false;
	const struct entry *entry = match_word(&cursor->walker, m, &cursor->tried);
	cursor->found = entry != NULL;
	if (entry)
		cursor->entry = *entry;
	cursor->valid = true;
	cursor->last = m->offset;
	cursor->next = m->offset + m->length;
	cursor->cell = cursor->next / index_cell_size(trace_index(s->gem));
	return true;
}

static struct field *
add_field(struct expansion *e, enum gem_field row)
{
	return expansion_add(e, &gem_fields[row], FIELD_NOWHERE, 0, 0);
}

/* Return the data of a pair from its two words. */
static uint32_t
pair_data(const struct message *m)
{
	return GEM_AUX_FIRST(m->aux) << 8 | gem_data8(GEM_AUX_WORD(m->aux));
}

/* True if M is paired with the wrong first word because its own was lost: the event with M's
 * sequence number has other data. */
static bool
is_mispaired(const struct message *m, const struct serial_cursor *cursor)
{
	return cursor->found && m->kind == GEM_SECOND && m->aux & GEM_AUX_COMPLETE &&
	       cursor->entry.now != pair_data(m);
}

/* Replace the data from the two words with the data of the event. */
static void
correct_data(const struct message *m, const struct serial_cursor *cursor, struct expansion *e)
{
	char wrong[32], right[32];
	uint32_t now = cursor->entry.now;
	int length = snprintf(wrong, sizeof wrong, "data=0x%08x", pair_data(m));
	snprintf(right, sizeof right, "data=0x%08x", now);
	char *at = e->text.length ? strstr(e->text.data, wrong) : NULL;
	if (at)
		memcpy(at, right, (size_t)length);
	for (size_t i = 0; i < e->fields.count; i++)
		if (e->fields.at[i].row == &gem_fields[GEM_F_DATA])
			e->fields.at[i].u = now;
	e->flags |= MESSAGE_SUSPECT;
}

static void
add_fields(const struct message *m, const struct serial_cursor *cursor, struct expansion *e)
{
	const struct entry *entry = &cursor->entry;
	add_field(e, GEM_F_MATCHED)->u = cursor->found;
	if (!cursor->found)
		return;
	add_field(e, GEM_F_EVENT_OFFSET)->u = entry->offset;
	if (entry->name) {
		struct field *field = add_field(e, GEM_F_EVENT_NAME);
		field->s.at = entry->name;
		field->s.length = strlen(entry->name);
	}
	if (m->kind == GEM_SYNCPOINT)
		add_field(e, GEM_F_SERIAL32)->u = entry->number;
	if (m->kind == GEM_SECOND && !(m->aux & GEM_AUX_COMPLETE))
		add_field(e, GEM_F_RECOVERED_DATA)->u = entry->now;
	if (m->kind == GEM_SECOND || m->kind == GEM_CTXCHG) {
		add_field(e, GEM_F_EVENT_NEW)->u = entry->now;
		add_field(e, GEM_F_EVENT_PREV)->u = entry->before;
	}
}

static void
add_text(const struct message *m, const struct serial_cursor *cursor, struct text *text)
{
	const struct entry *entry = &cursor->entry;
	const char *name = entry->name ? entry->name : "event";
	if (!cursor->found)
		text_add(text, " ?");
	else if (m->kind == GEM_SYNCPOINT)
		text_addf(text, " serial %llu", (unsigned long long)entry->number);
	else if (m->kind == GEM_SECOND && !(m->aux & GEM_AUX_COMPLETE))
		text_addf(text, ", recovered data=0x%08x", entry->now);
	else if (m->kind == GEM_SNAPSHOT)
		text_addf(text, " %s", name);
	else
		text_addf(text, " %s 0x%08x to 0x%08x", name, entry->before, entry->now);
}

void
serial_expand(struct serial_cursor *cursor, const struct message *m, enum expand_want want,
	      struct expansion *e)
{
	if (!cursor_match(cursor, m) || !cursor->tried)
		return;
	if (is_mispaired(m, cursor))
		correct_data(m, cursor, e);
	add_text(m, cursor, &e->text);
	if (want == EXPAND_FIELDS)
		add_fields(m, cursor, e);
}

/* True if all words in the cell of OFFSET are matched. */
static bool
is_matched(struct serial *s, uint64_t offset)
{
	job_lock(&s->job);
	bool matched = offset / index_cell_size(trace_index(s->gem)) + 1 < s->anchors.count;
	job_unlock(&s->job);
	return matched;
}

bool
serial_find_event(struct serial_cursor *cursor, const struct message *m, uint64_t *event,
		  bool *known)
{
	uint64_t number;
	*known = is_matched(cursor->walker.serial, m->offset);
	if (!*known || lane_of_word(m, &number) == LANES || !cursor_match(cursor, m) ||
	    !cursor->found)
		return false;
	*event = cursor->entry.offset;
	return true;
}

struct trace *
serial_log(const struct serial *s)
{
	return s->uia;
}
