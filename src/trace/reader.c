/*
 * Reader: decodes and caches cells; see reader.h.
 *
 * A cell decodes from its own checkpoint if the index has it. A cell shortly after
 * the last checkpoint (at the end of a growing capture) decodes from there. Any
 * other cell decodes from a resync point before it. The first two are exact.
 *
 * Cells stay in a small cache, least recently used out first, fewer if they are
 * dense. An inexact cell is decoded again once the index has reached it. Cells at
 * the end are decoded again when the capture has grown.
 */
#include "config.h"

#include "trace/reader.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "base/needle.h"
#include "index/step.h"
#include "index/walk.h"
#include "trace/naming.h"
#include "trace/trace_options.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	CACHE_MAX = 144,
	CACHE_SPARE = 8, /* cells to drop if all together exceed CACHE_BYTES */
	CACHE_BYTES = 4 << 20,
	NEAR_CELLS = 8,	       /* decode these from the last checkpoint, not by resync */
	RUN_UP_MAX = 16 << 20, /* maximal distance to a resync point, in bytes */
	STEP_BATCH = 512,
	WALK_BACK_CELLS = 64, /* cells to decode when looking back, unless patient */
	USUAL_LENGTH = 32,    /* bytes of a message, before anything is indexed */
	WALK_AHEAD = 4 << 20, /* bytes to read ahead of a walk */
	SILENT_MS = 200,      /* wait after the last byte before a growing capture settles */
	LEFT_MOST = 1 << 20   /* an interrupted walk still decodes up to this many bytes */
};

struct cell_slot {
	struct decoded_cell decoded;
	VEC(struct message) messages;
	uint64_t size;	     /* size of the capture at decoding */
	bool ended;	     /* the capture had ended then */
	unsigned generation; /* of the index whose checkpoint was used */
	uint64_t used;	     /* time of the last use, on reader.clock */
	bool filled;
};

/* The last announcement for a GUID, and the position up to which it is valid. */
struct announced {
	uint8_t guid[16];
	uint64_t value;
	bool any;
	struct position known; /* messages before this one were searched */
};

/* The last two undamaged messages before a position, of some kinds and one origin. */
struct latest_pair {
	struct message last, before; /* length 0: none */
};

struct latest {
	struct position at;
	struct map origins; /* origin to index in `pairs` */
	VEC(struct latest_pair) pairs;
};

struct reader {
	struct trace *trace;
	struct capture *capture; /* this and the next two belong to the trace */
	struct index *index;
	const struct decoder *decoder;
	uint64_t generation; /* of the capture; the data below are from its bytes */
	struct decode_state *state;
	struct cell_slot slots[CACHE_MAX];
	unsigned slot_count; /* slots in use, see reader_limit */
	uint64_t clock;
	struct decode_state *walk; /* of reader_walk, created on first use */
	uint64_t walk_requested;   /* bytes before this were requested */
	bool walk_closed;	   /* it returned the last message */
	bool walk_begun;	   /* it returned the message for dropped ones */
	bool walk_ends;		   /* it is interrupted and was refreshed since */
	struct reader_options options;
	unsigned walk_generation;
	struct decode_history history;
	const struct session_fields *session_fields; /* fields of the cursor */
	void *session_cursor;			     /* created on first use */
	const struct naming_judge *judge;	     /* of the next cursor */
	void *judge_cursor;			     /* valid if HOLDS is there */
	enum naming_hold *holds;		     /* at the last message; created on first use */
	VEC(struct announced) announced;
	struct latest latest;	   /* of a patient reader */
	struct decode_check check; /* checks by step; no severities: none */
};

static bool find_last(void *context, const struct message *, uint64_t kinds, struct message *);
static bool walk_back(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
		      bool (*each)(void *, const struct message *), void *each_context);
static bool find_build(void *context, const struct message *, const uint8_t guid[16],
		       uint64_t *value);

static void
latest_forget(struct latest *latest)
{
	map_free(&latest->origins);
	vec_free(&latest->pairs);
	latest->at = (struct position){0};
}

struct reader *
reader_new(struct trace *trace)
{
	struct reader *reader = mem_new(sizeof *reader);
	reader->trace = trace;
	reader->capture = trace_capture(trace);
	reader->index = trace_index(trace);
	reader->decoder = trace_decoder(trace);
	reader->slot_count = READER_CELLS;
	reader->generation = capture_generation(reader->capture);
	reader->state = decode_state_new(reader->decoder);
	size_t memory = reader->decoder->ops->memory_size;
	reader->history = (struct decode_history){.context = reader,
						  .build = find_build,
						  .walk_back = walk_back,
						  .last = find_last,
						  .memory = memory ? mem_new(memory) : NULL};
	return reader;
}

void
reader_free(struct reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < CACHE_MAX; i++)
		vec_free(&reader->slots[i].messages);
	decode_state_free(reader->decoder, reader->state);
	decode_state_free(reader->decoder, reader->walk);
	vec_free(&reader->announced);
	latest_forget(&reader->latest);
	if (reader->session_cursor)
		reader->session_fields->cursor_free(reader->session_cursor);
	if (reader->holds)
		reader->judge->cursor_free(reader->judge_cursor);
	free(reader->holds);
	free(reader->history.memory);
	free(reader);
}

void
reader_set(struct reader *reader, struct reader_options options)
{
	reader->options = options;
	reader->check.severities = options.checked;
}

void
reader_limit(struct reader *reader, unsigned cells)
{
	assert(cells);
	reader->slot_count = cells < CACHE_MAX ? cells : CACHE_MAX;
}

struct trace *
reader_trace(const struct reader *reader)
{
	return reader->trace;
}

struct window
reader_window(struct reader *reader)
{
	struct capture *capture = reader->capture;
	bool last = capture_ended(capture); /* before the size, which may grow */
	uint64_t size = capture_size(capture), begin = capture_begin(capture);
	return (struct window){.bytes = capture_bytes(capture) + begin,
			       .offset = begin,
			       .length = size > begin ? (size_t)(size - begin) : 0,
			       .until = UINT64_MAX,
			       .last = last};
}

/* --- decoding a cell --------------------------------------------------- */

static uint64_t
cell_start(struct reader *reader, uint64_t cell)
{
	return cell * index_cell_size(reader->index);
}

/* Step the state to `window.until` and append messages at or past FROM to SLOT, if not NULL.
 * Return the number of messages before FROM. */
static uint64_t
step_to(struct reader *reader, struct window window, uint64_t from, struct cell_slot *slot)
{
	const struct decoder *decoder = reader->decoder;
	struct message batch[STEP_BATCH];
	uint64_t before = 0;
	size_t count;
	if (reader->state->offset > window.offset + window.length)
		return 0; /* the checkpoint is older than a shrink */
	do {
		count = step_capture(reader->capture, decoder, reader->state, &window, batch,
				     STEP_BATCH);
		for (size_t i = 0; i < count; i++) {
			if (message_id_offset(&batch[i]) < from)
				before++;
			else if (slot)
				*vec_add(&slot->messages) = batch[i];
		}
	} while (count == STEP_BATCH);
	if (slot && step_closing(reader->capture, decoder, reader->state, &window, &batch[0]))
		*vec_add(&slot->messages) = batch[0];
	return before;
}

/* Step on past the settled messages of a growing capture as if it had ended. Leave out
 * messages cut off by the end and notes about the end: they may change. */
static uint64_t
step_on(struct reader *reader, struct window window, uint64_t from, struct cell_slot *slot)
{
	size_t kept = slot->messages.count, i = kept;
	window.last = true;
	uint64_t before = step_to(reader, window, from, slot);
	for (; i < slot->messages.count; i++) {
		const struct message *m = &slot->messages.at[i];
		bool cut = m->flags & (MESSAGE_TRUNCATED | MESSAGE_DAMAGED) &&
			   m->offset + m->length >= window.offset + window.length;
		if (m->length && !cut)
			slot->messages.at[kept++] = *m;
	}
	slot->messages.count = kept;
	return before;
}

enum start_quality { START_UNKNOWN, START_LIKELY, START_OF_CAPTURE };

/* Position a state at the beginning of the kept bytes. Return the number of the first message
 * there. */
static uint64_t
go_to_begin(struct reader *reader, struct decode_state **state)
{
	uint64_t begin = index_begin(reader->index), first = 0;
	decode_state_free(reader->decoder, *state);
	*state = decode_state_new(reader->decoder);
	if (begin)
		index_restore(reader->index, begin, *state, &first);
	return first;
}

/* Position the state at a message boundary before START. Near the beginning, use the very
 * beginning and set *FIRST to the number of its first message. */
static enum start_quality
resync_before(struct reader *reader, uint64_t start, const struct window *whole, uint64_t *first)
{
	uint64_t begin = cell_start(reader, index_begin(reader->index));
	const struct decoder *decoder = reader->decoder;
	for (uint64_t back = decoder->ops->run_up;; back *= 4) {
		uint64_t from = start > back ? start - back : 0;
		if (from <= begin) {
			*first = go_to_begin(reader, &reader->state);
			return START_OF_CAPTURE;
		}
		struct window window = *whole;
		uint64_t end = start + decoder->ops->reach, size = whole->offset + whole->length;
		window.bytes += from - whole->offset;
		window.offset = from;
		window.length = (size_t)((end < size ? end : size) - from);
		capture_want(reader->capture, from, start - from);
		window.last = false;
		if (step_resync(reader->capture, decoder, reader->state, &window, start) == 0 &&
		    (reader->state->offset <= start || back >= RUN_UP_MAX))
			return START_LIKELY;
		if (back >= RUN_UP_MAX)
			return START_UNKNOWN;
	}
}

static uint64_t
estimate_first(struct reader *reader, uint64_t cell)
{
	struct index_progress progress;
	struct index *index = reader->index;
	index_get_progress(index, &progress);
	if (!progress.bytes)
		return cell_start(reader, cell) / USUAL_LENGTH;
	double per_byte = (double)progress.messages / (double)progress.bytes;
	return (uint64_t)((double)cell_start(reader, cell) * per_byte);
}

/* Fill SLOT for a dropped cell: one message or none. Return false if the cell was not dropped. */
static bool
fill_dropped(struct reader *reader, struct cell_slot *slot, uint64_t cell)
{
	struct message lost;
	struct index_cell summary;
	uint64_t begin = index_begin(reader->index);
	if (cell >= begin || !index_cell(reader->index, cell, &summary))
		return false;
	vec_clear(&slot->messages);
	if (cell == begin - 1 && index_dropped(reader->index, &lost))
		*vec_add(&slot->messages) = lost;
	slot->decoded = (struct decoded_cell){.cell = cell,
					      .messages = slot->messages.at,
					      .count = slot->messages.count,
					      .first = summary.first,
					      .exact = true};
	return true;
}

static void
decode_cell(struct reader *reader, struct cell_slot *slot, uint64_t cell)
{
	struct index *index = reader->index;
	struct window window = reader_window(reader);
	uint64_t start = cell_start(reader, cell), size = window.offset + window.length;
	slot->size = size;
	slot->ended = window.last;
	slot->generation = index_generation(index);
	slot->filled = true;
	slot->decoded = (struct decoded_cell){.cell = cell, .exact = true};
	vec_clear(&slot->messages);
	if (fill_dropped(reader, slot, cell) || (start >= size && cell))
		return;

	/* a message about the end of the capture may follow the last cell */
	uint64_t end = start + index_cell_size(index);
	bool near_end = end + reader->decoder->ops->reach > size;
	enum start_quality quality = START_OF_CAPTURE;
	if (!window.last || end < size)
		window.until = end;
	capture_want(reader->capture, start, index_cell_size(index));
	if (reader->check.severities)
		window.check = &reader->check;
	uint64_t known = index_known(index), first = 0;
	uint64_t from = cell < known ? cell : known;
	bool whole = cell == from || cell - from <= NEAR_CELLS;
	if (whole && index_restore(index, from, reader->state, &first)) {
		slot->decoded.first = first + step_to(reader, window, start, slot);
	} else {
		quality = resync_before(reader, start, &window, &first);
		first += quality == START_UNKNOWN ? 0 : step_to(reader, window, start, slot);
		slot->decoded.exact = quality == START_OF_CAPTURE;
		slot->decoded.first = slot->decoded.exact ? first : estimate_first(reader, cell);
	}
	if (quality != START_UNKNOWN && !window.last && near_end)
		slot->decoded.first += step_on(reader, window, start, slot);
	slot->decoded.messages = slot->messages.at;
	slot->decoded.count = slot->messages.count;
	if (reader->check.unnamed) /* batch output has loaded all files before */
		trace_lacks_name(reader->trace, trace_generation(reader->trace));
	fill_dropped(reader, slot, cell); /* if dropped meanwhile, the bytes read may be zeros */
}

static bool
slot_is_fresh(struct reader *reader, const struct cell_slot *slot)
{
	uint64_t cell = slot->decoded.cell, size = capture_size(reader->capture);
	if (slot->generation != index_generation(reader->index) ||
	    (!slot->decoded.exact && index_known(reader->index) + NEAR_CELLS >= cell))
		return false;
	if (slot->size == size)
		return slot->ended == capture_ended(reader->capture);
	uint64_t settled = cell_start(reader, cell + 1) + reader->decoder->ops->reach;
	return slot->size >= settled && size >= settled;
}

/* Forget everything read from bytes that no longer exist. */
static void
reader_forget(struct reader *reader)
{
	for (size_t i = 0; i < CACHE_MAX; i++)
		reader->slots[i].filled = false;
	vec_clear(&reader->announced);
	latest_forget(&reader->latest);
	size_t memory = reader->decoder->ops->memory_size;
	if (memory)
		memset(reader->history.memory, 0, memory);
}

static void
reader_renew(struct reader *reader)
{
	if (generation_renew(&reader->generation, capture_generation(reader->capture)))
		reader_forget(reader);
}

/* Return the least recently used of the kept cells. Fill in the memory and the number of all
 * kept cells. */
static struct cell_slot *
oldest_kept(struct reader *reader, size_t *bytes, unsigned *count)
{
	struct cell_slot *oldest = NULL;
	*bytes = *count = 0;
	for (size_t i = 0; i < reader->slot_count; i++) {
		struct cell_slot *slot = &reader->slots[i];
		if (!slot->messages.capacity)
			continue;
		*bytes += slot->messages.capacity * sizeof *slot->messages.at;
		(*count)++;
		if (!oldest || slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

/* Drop old cells if all together take too much memory. Call before decoding another cell. */
static void
drop_spare(struct reader *reader)
{
	size_t bytes;
	unsigned count;
	struct cell_slot *oldest = oldest_kept(reader, &bytes, &count);
	while (reader->slot_count >= READER_CELLS && bytes > CACHE_BYTES &&
	       count + CACHE_SPARE >= reader->slot_count) {
		vec_free(&oldest->messages);
		*oldest = (struct cell_slot){.decoded = {.cell = UINT64_MAX}};
		oldest = oldest_kept(reader, &bytes, &count);
	}
}

const struct decoded_cell *
reader_decoded_cell(struct reader *reader, uint64_t cell)
{
	struct cell_slot *oldest = &reader->slots[0];
	reader_renew(reader);
	for (size_t i = 0; i < reader->slot_count; i++) {
		struct cell_slot *slot = &reader->slots[i];
		if (slot->filled && slot->decoded.cell == cell && slot_is_fresh(reader, slot)) {
			slot->used = ++reader->clock;
			return &slot->decoded;
		}
		if (slot->filled && slot->decoded.cell == cell) {
			oldest = slot; /* stale: decode in place */
			break;
		}
		if (slot->used < oldest->used)
			oldest = slot;
	}
	oldest->used = ++reader->clock;
	drop_spare(reader);
	decode_cell(reader, oldest, cell);
	return &oldest->decoded;
}

/* --- positions --------------------------------------------------------- */

const struct message *
reader_message(struct reader *reader, struct position p)
{
	const struct decoded_cell *decoded = reader_decoded_cell(reader, p.cell);
	return p.at < decoded->count ? &decoded->messages[p.at] : NULL;
}

/* True if the index proves that a cell is empty; does not decode it. */
static bool
known_empty(struct reader *reader, uint64_t cell)
{
	struct index_cell summary;
	return index_cell(reader->index, cell, &summary) && !summary.count;
}

/* Find the first cell with messages from CELL on, in DIRECTION. */
static bool
next_cell(struct reader *reader, uint64_t cell, int direction, unsigned limit, uint64_t *found)
{
	uint64_t count = index_cell_count(reader->index);
	for (unsigned looked = 0; cell < count; cell += (uint64_t)(int64_t)direction) {
		if (!known_empty(reader, cell)) {
			if (reader_decoded_cell(reader, cell)->count) {
				*found = cell;
				return true;
			}
			if (limit && ++looked >= limit)
				return false;
		}
	}
	return false; /* a cell below 0 wraps to a value above count */
}

bool
reader_next(struct reader *reader, struct position *p, unsigned limit)
{
	if (p->at + 1 < reader_decoded_cell(reader, p->cell)->count) {
		p->at++;
		return true;
	}
	uint64_t cell;
	if (!next_cell(reader, p->cell + 1, 1, limit, &cell))
		return false;
	*p = (struct position){.cell = cell};
	return true;
}

bool
reader_previous(struct reader *reader, struct position *p, unsigned limit)
{
	uint64_t cell;
	if (p->at && reader_decoded_cell(reader, p->cell)->count) {
		size_t count = reader_decoded_cell(reader, p->cell)->count;
		p->at = (p->at < count ? p->at : count) - 1;
		return true;
	}
	if (!next_cell(reader, p->cell - 1, -1, limit, &cell))
		return false;
	*p = (struct position){.cell = cell, .at = reader_decoded_cell(reader, cell)->count - 1};
	return true;
}

bool
reader_first(struct reader *reader, struct position *p)
{
	uint64_t cell;
	uint64_t begin = index_begin(reader->index);
	if (!next_cell(reader, begin - (begin > 0), 1, 0, &cell))
		return false;
	*p = (struct position){.cell = cell};
	return true;
}

bool
reader_last(struct reader *reader, struct position *p)
{
	uint64_t cell;
	if (!next_cell(reader, index_cell_count(reader->index) - 1, -1, 0, &cell))
		return false;
	*p = (struct position){.cell = cell, .at = reader_decoded_cell(reader, cell)->count - 1};
	return true;
}

uint64_t
reader_number(struct reader *reader, struct position p, bool *exact)
{
	struct index_cell summary;
	*exact = index_cell(reader->index, p.cell, &summary);
	if (*exact)
		return summary.first + p.at;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, p.cell);
	*exact = decoded->exact;
	return decoded->first + p.at;
}

uint64_t
reader_count(struct reader *reader, bool *exact)
{
	struct index *index = reader->index;
	uint64_t count = trace_count(reader->trace, exact);
	struct position last;
	if (*exact || index_known(index) + NEAR_CELLS < index_cell_count(index) ||
	    !reader_last(reader, &last))
		return count;
	return reader_number(reader, last, exact) + 1;
}

/* Return the number of the first message, which may stand for all dropped ones. */
static uint64_t
number_at_begin(struct reader *reader)
{
	struct index_cell summary = {0};
	uint64_t begin = index_begin(reader->index);
	if (begin)
		index_cell(reader->index, begin - 1, &summary);
	return summary.first;
}

bool
reader_find_number(struct reader *reader, uint64_t number, struct position *p, bool *exact)
{
	struct index *index = reader->index;
	bool sure;
	/* first: if the index is complete, it has all messages */
	uint64_t total = trace_count(reader->trace, &sure);
	uint64_t cell, count = index_cell_count(index);
	*exact = index_find(index, number, &cell);
	if (!*exact && number < number_at_begin(reader))
		return reader_first(reader, p);
	if (!*exact) {
		if (sure)
			return false;
		if (!total)
			total = cell_start(reader, count) / USUAL_LENGTH;
		double part = (double)number / (double)total;
		cell = part < 1 ? (uint64_t)(part * (double)count) : count - 1;
		if (!next_cell(reader, cell, 1, 0, &cell) && !next_cell(reader, cell, -1, 0, &cell))
			return false;
	}
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	*exact = *exact || (decoded->exact && number >= decoded->first &&
			    number - decoded->first < decoded->count);
	uint64_t at = *exact ? number - decoded->first : 0;
	*p = (struct position){.cell = cell, .at = at < decoded->count ? at : decoded->count - 1};
	return decoded->count > 0;
}

size_t
decoded_cell_find(const struct decoded_cell *decoded, uint64_t offset)
{
	size_t at;
	lower_bound(at, decoded->count, message_id_offset(&decoded->messages[at]) < offset);
	return at;
}

static bool
message_holds(const struct message *m, uint64_t offset)
{
	return m && m->offset <= offset && offset - m->offset < m->length;
}

bool
reader_find_offset(struct reader *reader, uint64_t offset, struct position *p)
{
	uint64_t size = capture_size(reader->capture);
	if (!size)
		return false;
	if (offset >= size)
		return reader_last(reader, p);
	uint64_t cell = offset / index_cell_size(reader->index);
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	*p = (struct position){.cell = cell, .at = decoded_cell_find(decoded, offset)};
	if (p->at < decoded->count && message_holds(&decoded->messages[p->at], offset))
		return true;
	struct position before = *p;
	if (reader_previous(reader, &before, NEAR_CELLS) &&
	    message_holds(reader_message(reader, before), offset)) {
		*p = before;
		return true;
	}
	if (p->at < reader_decoded_cell(reader, cell)->count)
		return true;
	p->at = reader_decoded_cell(reader, cell)->count;
	p->at -= p->at > 0;
	return reader_next(reader, p, 0) || reader_last(reader, p);
}

bool
reader_find_begin(struct reader *reader, uint64_t offset, uint64_t ordinal, struct position *p)
{
	uint64_t cell = offset / index_cell_size(reader->index);
	uint64_t last = index_cell_count(reader->index) - 1; /* it also holds the very end */
	if (cell > last)
		cell = last;
	for (uint64_t c = cell; c <= cell + 1; c++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, c);
		for (size_t at = decoded_cell_find(decoded, offset); at < decoded->count; at++)
			if (decoded->messages[at].offset == offset && !ordinal--) {
				*p = (struct position){.cell = c, .at = at};
				return true;
			}
	}
	return false;
}

struct message_id
reader_message_id(struct reader *reader, struct position p)
{
	const struct decoded_cell *decoded = reader_decoded_cell(reader, p.cell);
	if (p.at >= decoded->count)
		return (struct message_id){.offset = cell_start(reader, p.cell)};
	uint64_t offset = message_id_offset(&decoded->messages[p.at]);
	return (struct message_id){
	    .offset = offset, .ordinal = (uint32_t)(p.at - decoded_cell_find(decoded, offset))};
}

bool
reader_find_id(struct reader *reader, struct message_id id, struct position *p)
{
	uint64_t cell = id.offset / index_cell_size(reader->index);
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	size_t at = decoded_cell_find(decoded, id.offset);
	if (at + id.ordinal < decoded->count &&
	    message_id_offset(&decoded->messages[at + id.ordinal]) == id.offset) {
		*p = (struct position){.cell = cell, .at = at + id.ordinal};
		return true;
	}
	return reader_find_offset(reader, id.offset, p);
}

bool
reader_read_id(struct reader *reader, struct message_id id, struct position *p, struct message *m)
{
	const struct message *found =
	    reader_find_id(reader, id, p) ? reader_message(reader, *p) : NULL;
	if (found)
		*m = *found;
	return found;
}

bool
reader_find_origin(struct reader *reader, const struct index_origin *origin, struct message *out)
{
	const struct message *found;
	struct position p;
	struct message_id id = {.offset = origin->example};
	uint64_t group = INDEX_GROUP * index_cell_size(reader->index);
	if (!reader_find_id(reader, id, &p))
		return false;
	uint64_t begin = cell_start(reader, index_begin(reader->index));
	uint64_t last =
	    begin && origin->example % group == 0 ? origin->example + group - 1 : origin->example;
	do /* other origins may share the offset; after a drop, search the group */
		found = reader_message(reader, p);
	while (found && found->origin != origin->key && reader_next(reader, &p, 1) &&
	       reader_message_id(reader, p).offset <= last);
	if (found)
		*out = *found;
	return found && found->origin == origin->key;
}

bool
reader_find_message(struct reader *reader, const struct message *m, struct position *p)
{
	struct index *index = reader->index;
	uint64_t offset = message_id_offset(m), cell = offset / index_cell_size(index);
	uint64_t last = index_cell_count(index) - 1; /* it also holds messages at the very end */
	p->cell = cell < last ? cell : last;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, p->cell);
	for (p->at = decoded_cell_find(decoded, offset); p->at < decoded->count; p->at++) {
		if (message_is_same(&decoded->messages[p->at], m))
			return true;
		if (message_id_offset(&decoded->messages[p->at]) > offset)
			break;
	}
	return false;
}

/* --- text -------------------------------------------------------------- */

/* Search back from P (excluded) to STOP for an announcement of GUID. */
static bool
look_back(struct reader *reader, struct position p, struct position stop, const uint8_t guid[16],
	  uint64_t *value)
{
	const struct decoder *decoder = reader->decoder;
	struct window window = reader_window(reader);
	struct expansion e = {0};
	bool found = false;
	for (uint64_t cell = p.cell;; cell--) {
		struct index_cell summary;
		if (!index_cell(reader->index, cell, &summary) ||
		    summary.kinds & decoder->ops->kinds_history) {
			const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
			size_t at = cell == p.cell && p.at < decoded->count ? p.at : decoded->count;
			size_t least = cell == stop.cell ? stop.at : 0;
			while (!found && at-- > least) {
				const struct message *m = &decoded->messages[at];
				if (!(decoder->ops->kinds_history >> m->kind & 1) ||
				    m->offset < window.offset)
					continue;
				expansion_clear(&e);
				decoder->ops->expand(decoder, m, &window, EXPAND_FLAGS, NULL, &e);
				found = e.announces && !memcmp(e.guid, guid, sizeof e.guid);
			}
		}
		if (found || cell <= stop.cell)
			break;
	}
	*value = e.build;
	expansion_free(&e);
	return found;
}

static bool
find_build(void *context, const struct message *before, const uint8_t guid[16], uint64_t *value)
{
	struct reader *reader = context;
	const struct decoder_ops *ops = reader->decoder->ops;
	struct position p;
	uint64_t offset = message_id_offset(before);
	if (!ops->kinds_history)
		return false;
	p.cell = offset / index_cell_size(reader->index);
	p.at = decoded_cell_find(reader_decoded_cell(reader, p.cell), offset);

	struct announced *entry = NULL;
	for (size_t i = 0; i < reader->announced.count && !entry; i++)
		if (!memcmp(reader->announced.at[i].guid, guid, 16))
			entry = &reader->announced.at[i];
	if (!entry) {
		entry = vec_add(&reader->announced);
		memcpy(entry->guid, guid, 16);
	}
	bool later =
	    p.cell > entry->known.cell || (p.cell == entry->known.cell && p.at >= entry->known.at);
	uint64_t found;
	if (look_back(reader, p, later ? entry->known : (struct position){0}, guid, &found)) {
		entry->value = found;
		entry->any = true;
	} else if (!later) {
		entry->any = false;
	}
	entry->known = p;
	*value = entry->value;
	return entry->any;
}

static bool
walk_back(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
	  bool (*each)(void *, const struct message *), void *each_context)
{
	struct reader *reader = context;
	struct index *index = reader->index;
	uint64_t offset = message_id_offset(before), start = offset / index_cell_size(index);
	unsigned left = reader->options.patient ? UINT_MAX : WALK_BACK_CELLS;
	for (uint64_t cell = start;; cell--) {
		struct index_cell summary;
		bool known = index_cell(index, cell, &summary);
		if (!known || summary.kinds & kinds || summary.message_flags & flags) {
			if (!left--)
				return false;
			const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
			size_t at =
			    cell == start ? decoded_cell_find(decoded, offset) : decoded->count;
			while (at-- > 0) {
				const struct message *m = &decoded->messages[at];
				bool own = m->origin == before->origin && kinds >> m->kind & 1;
				if ((own || m->flags & flags) && !each(each_context, m))
					return true;
			}
		}
		if (!cell)
			return true;
	}
}

static void
latest_add(struct latest *latest, const struct message *m)
{
	const uint64_t *known = map_find(&latest->origins, m->origin);
	if (!known) {
		*map_add(&latest->origins, m->origin) = latest->pairs.count;
		vec_add(&latest->pairs)->last = *m;
		return;
	}
	struct latest_pair *pair = &latest->pairs.at[*known];
	pair->before = pair->last;
	pair->last = *m;
}

/* Add the messages before TO that were not added yet. */
static void
latest_go_on(struct reader *reader, struct position to, uint64_t kinds)
{
	struct latest *latest = &reader->latest;
	struct position *at = &latest->at;
	if (to.cell < at->cell || (to.cell == at->cell && to.at <= at->at))
		return;
	for (;; *at = (struct position){.cell = at->cell + 1}) {
		struct index_cell summary;
		bool known = index_cell(reader->index, at->cell, &summary);
		if (!known || summary.kinds & kinds) {
			const struct decoded_cell *decoded = reader_decoded_cell(reader, at->cell);
			size_t end = at->cell == to.cell ? to.at : decoded->count;
			for (; at->at < end && at->at < decoded->count; at->at++) {
				const struct message *m = &decoded->messages[at->at];
				if (kinds >> m->kind & 1 && !(m->flags & MESSAGE_DAMAGED))
					latest_add(latest, m);
			}
		}
		if (at->cell >= to.cell)
			break;
	}
	*at = to;
}

/* Find the last message before BEFORE of its origin and these kinds. Walking back for each
 * message would take quadratic time if there is nothing to find. Batch output goes forward,
 * so the last two messages are kept; it seldom needs more. */
static bool
find_last(void *context, const struct message *before, uint64_t kinds, struct message *found)
{
	struct reader *reader = context;
	uint64_t offset = message_id_offset(before);
	struct position p = {.cell = offset / index_cell_size(reader->index)};
	if (!reader->options.patient)
		return false;
	p.at = decoded_cell_find(reader_decoded_cell(reader, p.cell), offset);
	latest_go_on(reader, p, kinds);
	const uint64_t *known = map_find(&reader->latest.origins, before->origin);
	if (!known)
		return true;
	const struct latest_pair *pair = &reader->latest.pairs.at[*known];
	*found = message_id_offset(&pair->last) < offset ? pair->last : pair->before;
	return !found->length || message_id_offset(found) < offset;
}

static bool
number_matches(const struct expansion *e, const char *name, int64_t want)
{
	if (want < 0)
		return true;
	const struct field *field = expansion_find(e, name);
	return field && field->u == (uint64_t)want;
}

/* Remove braces around a GUID. */
static void
strip_braces(const char **guid, size_t *length)
{
	if (*length >= 2 && **guid == '{') {
		++*guid;
		*length -= 2;
	}
}

/* True if a GUID equals WANT, ignoring case and braces. */
static bool
guid_matches(const char *own, size_t length, const char *want)
{
	size_t want_length = strlen(want);
	strip_braces(&own, &length);
	strip_braces(&want, &want_length);
	return length == want_length && !strncasecmp(own, want, length);
}

static bool
has_guid(const struct expansion *e, const struct origin_identity *origin, const char *want)
{
	const struct field *field = want && !origin->guid ? expansion_find(e, "guid") : NULL;
	if (!want)
		return true;
	if (origin->guid)
		return guid_matches(origin->guid, strlen(origin->guid), want);
	return field && guid_matches(field->s.at, field->s.length, want);
}

static bool
origin_matches(const struct origin_options *o, const char *trace,
	       const struct origin_identity *origin, const struct expansion *e)
{
	return (!o->trace || !strcmp(o->trace, trace)) &&
	       (o->id < 0 || (origin->numbered && origin->number == (uint64_t)o->id)) &&
	       number_matches(e, "module", o->module) && number_matches(e, "unit", o->unit) &&
	       number_matches(e, "master", o->master) && number_matches(e, "channel", o->channel) &&
	       has_guid(e, origin, o->guid);
}

const struct origin_options *
reader_origin(const struct reader *reader, const struct message *m, const struct expansion *e)
{
	const struct option_list *names = trace_host(reader->trace)->origins;
	const struct decoder *decoder = reader->decoder;
	const struct origin_options *rows = names->at;
	struct origin_identity identity = {0};
	if (names->count && decoder->ops->identify_origin)
		decoder->ops->identify_origin(decoder, m, &identity);
	for (size_t i = 0; i < names->count; i++)
		if (rows[i].name &&
		    origin_matches(&rows[i], trace_name(reader->trace), &identity, e))
			return &rows[i];
	return NULL;
}

/* A name in the profile may depend on more than the key: the number of the sender, or the
 * unit of a sender with a GUID. */
uint64_t
reader_origin_kinds(struct reader *reader)
{
	const struct option_list *names = trace_host(reader->trace)->origins;
	const struct origin_options *rows = names->at;
	for (size_t i = 0; i < names->count; i++)
		if (rows[i].name && (rows[i].id >= 0 || (rows[i].unit >= 0 && rows[i].module < 0)))
			return 0;
	return ~atomic_load(&reader->decoder->origin_varies);
}

/* Add the fields that depend on another trace. */
static void
expand_session_fields(struct reader *reader, const struct message *m, enum expand_want want,
		      struct expansion *e)
{
	const struct session_fields *fields = trace_session_fields(reader->trace);
	if (!fields)
		return;
	if (!reader->session_cursor) {
		reader->session_fields = fields;
		reader->session_cursor = fields->cursor_new(fields->context, reader);
	}
	fields->expand(reader->session_cursor, m, want, e);
}

/* Return which entries of `symbols:` hold at a message, or NULL if all are unknown. */
static const enum naming_hold *
judge_entries(struct reader *reader, const struct message *m)
{
	const struct trace_host *host = trace_host(reader->trace);
	size_t count = naming_conditions(host->naming, trace_name(reader->trace));
	if (!count || !host->judge || reader->options.aside)
		return NULL;
	if (!reader->holds) {
		reader->judge = host->judge;
		reader->judge_cursor = host->judge->cursor_new(reader->trace);
		reader->holds = mem_new(count * sizeof *reader->holds);
	}
	reader->judge->judge(reader->judge_cursor, reader->trace, m, reader->holds);
	return reader->holds;
}

static void
expand_after(struct reader *reader, const struct message *m, enum expand_want want,
	     const struct decode_history *history, struct expansion *e)
{
	const struct decoder *decoder = reader->decoder;
	const struct trace_host *host = trace_host(reader->trace);
	const struct option_list *names = host->origins;
	struct window window = reader_window(reader);
	const struct message own = *m; /* a copy: looking back may drop its cell */
	reader_renew(reader);
	struct naming *naming = host->naming;
	bool addresses = want > EXPAND_FLAGS && naming_applies(naming, trace_name(reader->trace));
	bool named = names->count && want >= EXPAND_TEXT;
	if (named || addresses)
		want = EXPAND_FIELDS; /* names depend on fields */
	e->exported = want == EXPAND_EXPORTED;
	if (e->exported)
		want = EXPAND_FIELDS;
	expansion_clear(e);
	if (own.kind == DECODE_KIND_LOSS) {
		step_expand_loss(reader->capture, &own, e);
		return;
	}
	if (step_expand_dropped(reader->capture, &own, e))
		return;
	/* bytes lost to a shrink read as zeros in the map */
	if (own.offset + own.length > window.offset + window.length)
		window.length = (size_t)(own.offset + own.length - window.offset);
	unsigned texts = trace_generation(reader->trace);
	decoder->ops->expand(decoder, &own, &window, want, history, e);
	if (e->unnamed)
		trace_lacks_name(reader->trace, texts);
	expand_session_fields(reader, &own, want, e);
	if (addresses)
		naming_expand(naming, trace_name(reader->trace), decoder->ops,
			      judge_entries(reader, &own), e);
	const struct origin_options *row = named ? reader_origin(reader, &own, e) : NULL;
	if (row) {
		text_clear(&e->origin);
		text_add(&e->origin, row->name);
	}
	step_expand_missing(reader->capture, &own, e);
}

void
reader_expand_origin(struct reader *reader, const struct message *m, struct expansion *e)
{
	bool varies = !(reader_origin_kinds(reader) >> m->kind & 1);
	expand_after(reader, m, EXPAND_TEXT, varies ? &reader->history : NULL, e);
}

/* True if the window from BEGIN on contains all bytes of a message, none of them missing. */
static bool
has_bytes(const struct window *window, uint64_t begin, const struct message *m)
{
	return m->kind != DECODE_KIND_LOSS && !(m->flags & MESSAGE_DAMAGED) &&
	       m->offset >= window->offset && m->offset >= begin &&
	       m->offset + m->length <= window->offset + window->length;
}

/* True if the text depends only on the bytes of the message, and the window contains them all. */
static bool
is_of_window(const struct reader *reader, const struct message *m, const struct window *window)
{
	return has_bytes(window, capture_begin(reader->capture), m) &&
	       trace_is_of_decoder(reader->trace);
}

void
reader_expand(struct reader *reader, const struct message *m, enum expand_want want,
	      struct expansion *e)
{
	if (e->needles) {
		struct window window = reader_window(reader);
		if (!is_of_window(reader, m, &window))
			e->needles = NULL;
	}
	expand_after(reader, m, want, &reader->history, e);
}

bool
reader_kind_lacks(struct reader *reader, const struct message *m, const struct needles *needles)
{
	const struct decoder *decoder = reader->decoder;
	return m->kind != DECODE_KIND_LOSS && decoder->ops->in_place &&
	       decoder->ops->in_place(decoder, needles, NULL, UINT64_C(1) << m->kind, m->flags);
}

bool
reader_bytes_lack(struct reader *reader, const struct message *m, const struct needles *needles)
{
	struct window window = reader_window(reader);
	return is_of_window(reader, m, &window) &&
	       !needles_are_in(needles, window.bytes + (m->offset - window.offset), m->length);
}

const char *
reader_text(struct reader *reader, const struct message *m, size_t *length)
{
	const struct decoder *decoder = reader->decoder;
	if (!decoder->ops->text_at)
		return NULL;
	struct window window = reader_window(reader);
	return is_of_window(reader, m, &window) ? decoder->ops->text_at(decoder, m, &window, length)
						: NULL;
}

void
reader_type_keys(struct reader *reader, const struct message *m, size_t count, uint64_t *keys,
		 bool *keyed)
{
	const struct decoder *decoder = reader->decoder;
	struct window window = reader_window(reader);
	uint64_t begin = capture_begin(reader->capture);
	bool any = decoder->ops->type_keys && trace_is_of_decoder(reader->trace);
	for (size_t i = 0; i < count; i++)
		keyed[i] &= any && has_bytes(&window, begin, &m[i]);
	if (any)
		decoder->ops->type_keys(decoder, m, count, &window, keys, keyed);
}

/* True if these bytes contain no needle, and no message with one. SUMMARY states the kinds and
 * flags of their messages; nothing else is in them. */
static bool
bytes_lack(struct trace *trace, uint64_t begin, uint64_t end, const struct index_cell *summary,
	   const struct needles *needles)
{
	const struct decoder *decoder = trace_decoder(trace);
	const struct capture *capture = trace_capture(trace);
	unsigned generation = capture_generation(capture);
	const struct window window = {.bytes = capture_bytes(capture) + begin,
				      .offset = begin,
				      .length = (size_t)(end - begin),
				      .until = UINT64_MAX};
	if (!decoder->ops->in_place || !trace_is_of_decoder(trace) ||
	    begin < capture_begin(capture) || begin >= end || end > capture_size(capture) ||
	    !capture_is_whole(capture))
		return false;
	bool none = !needles_are_in(needles, window.bytes, window.length) &&
		    decoder->ops->in_place(decoder, needles, &window, summary->kinds,
					   summary->message_flags);
	/* bytes dropped or rewritten meanwhile may have been zeros */
	return none && begin >= capture_begin(capture) && capture_generation(capture) == generation;
}

bool
trace_cell_lacks(struct trace *trace, uint64_t cell, const struct needles *needles)
{
	const struct index *index = trace_index(trace);
	struct index_cell summary;
	uint64_t begin, end;
	return index_cell(index, cell, &summary) && index_offset(index, cell, &begin) &&
	       index_offset(index, cell + 1, &end) &&
	       bytes_lack(trace, begin, end, &summary, needles);
}

/* --- the walk ---------------------------------------------------------- */

/* Start a walk at the first kept byte. */
static void
begin_walk(struct reader *reader)
{
	go_to_begin(reader, &reader->walk);
	reader->walk_generation = capture_generation(reader->capture);
	reader->walk_closed = false;
	reader->walk_begun = false;
}

uint64_t
reader_walk_from(struct reader *reader, uint64_t offset)
{
	struct index *index = reader->index;
	uint64_t first = 0, cell = offset / index_cell_size(index), known = index_known(index);
	begin_walk(reader);
	cell = cell < known ? cell : known;
	if (cell <= index_begin(index))
		return number_at_begin(reader);
	if (!index_restore(index, cell, reader->walk, &first))
		return 0;
	reader->walk_begun = true;
	if (reader->walk_requested < reader->walk->offset ||
	    reader->walk_requested > reader->walk->offset + WALK_AHEAD)
		reader->walk_requested = reader->walk->offset;
	return first;
}

/* Start reading ahead; otherwise pages of the map are read one by one. */
static void
want_ahead(struct reader *reader, const struct window *window)
{
	if (reader->walk->offset + WALK_AHEAD / 2 < reader->walk_requested ||
	    reader->walk_requested >= window->offset + window->length)
		return;
	capture_want(reader->capture, reader->walk_requested, WALK_AHEAD);
	reader->walk_requested += WALK_AHEAD;
}

/* Step over the end of a growing capture as if nothing followed. Without decoder_ops.settles,
 * only an interrupt leads here: it may cut a message, which is left out. */
static size_t
step_silent(struct reader *reader, struct window *window, struct message *out, size_t max)
{
	window->last = true;
	size_t count =
	    step_capture(reader->capture, reader->decoder, reader->walk, window, out, max);
	window->last = false;
	for (size_t i = 0; i < count && !reader->decoder->ops->settles; i++)
		if (out[i].flags & MESSAGE_DAMAGED)
			return i;
	return count;
}

size_t
reader_walk(struct reader *reader, struct message *out, size_t max)
{
	const struct decoder *decoder = reader->decoder;
	struct capture *capture = reader->capture;
	bool silent = false;
	if (!reader->walk)
		begin_walk(reader);
	bool begins = !reader->walk_begun;
	reader->walk_begun = true;
	if (begins && max && index_dropped(reader->index, out))
		return 1;
	for (;;) {
		bool ends = capture_interrupted(capture);
		if (ends && !reader->walk_ends)
			trace_refresh(reader->trace);
		reader->walk_ends = ends;
		struct window window = reader_window(reader);
		uint64_t at = reader->walk->offset, end = window.offset + window.length;
		if (capture_generation(capture) != reader->walk_generation || at < window.offset ||
		    (ends && end - at > LEFT_MOST))
			return 0;
		want_ahead(reader, &window);
		if (reader->check.severities)
			window.check = &reader->check;
		size_t count = step_capture(capture, decoder, reader->walk, &window, out, max);
		if (at < capture_begin(capture)) /* the bytes may have been zeros */
			return 0;
		if (reader->check.unnamed) /* batch output has loaded all files before */
			trace_lacks_name(reader->trace, trace_generation(reader->trace));
		if (!count && window.last && max && !reader->walk_closed) {
			count = step_closing(capture, decoder, reader->walk, &window, out);
			reader->walk_closed = true;
		}
		bool settles = ends || decoder->ops->settles;
		if (!count && !window.last && max && (ends || (silent && settles)))
			count = step_silent(reader, &window, out, max);
		if (count || window.last || ends || reader->options.ends)
			return count;
		bool pending = settles && !silent && reader->walk->offset < end;
		silent = !trace_wait_for(reader->trace, pending ? SILENT_MS : -1);
	}
}

const uint64_t *
reader_silent(const struct reader *reader)
{
	static const uint64_t none[DECODE_SILENT_MAX];
	return reader->walk ? reader->walk->silent : none;
}
