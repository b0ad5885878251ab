/*
 * Reader: decodes messages on demand, one cell of the index at a time.
 *
 * A reader decodes cells and keeps the last few, so moving about the screen decodes
 * little. A cell that is indexed decodes exactly. Any other cell decodes from a
 * resync point before it: its messages are real, but their numbers are estimates. A
 * reader never waits for the index.
 *
 * The last messages of a growing capture may still change. Cells show them as soon
 * as they are whole; reader_walk returns them only once they are settled. Text
 * settles after a short time without more bytes. An interrupted walk returns all
 * whole messages.
 *
 * Threads: a reader belongs to one thread; make one per thread.
 */
#ifndef TRAWL_TRACE_READER_H
#define TRAWL_TRACE_READER_H

#include "trace/trace.h"

struct reader;

struct decoded_cell {
	uint64_t cell;
	const struct message *messages;
	size_t count;
	uint64_t first; /* number of messages[0]; an estimate unless exact */
	bool exact;	/* decoded from a checkpoint of the index */
};

/* Position of a message: index AT in a cell. Positions may change; a trace and a message ID
 * identify a message permanently. */
struct position {
	uint64_t cell;
	size_t at;
};

/* position_past returns the position after passing a whole cell in DIRECTION (positive:
 * forward). position_next_cell returns the cell in which to continue from a position, which
 * need not be a message. Cell numbers wrap around before the first cell and after the last. */
static inline struct position
position_past(uint64_t cell, int direction)
{
	return (struct position){.cell = cell, .at = direction > 0 ? SIZE_MAX : 0};
}

static inline uint64_t
position_next_cell(struct position p, int direction)
{
	if (direction > 0)
		return p.at == SIZE_MAX ? p.cell + 1 : p.cell;
	return p.at ? p.cell : p.cell - 1;
}

/* Message ID, permanent and unique in its trace. */
struct message_id {
	uint64_t offset;  /* message_id_offset() */
	uint32_t ordinal; /* index among the messages at that offset */
};

/* Return a negative number, 0 or a positive one if A is before, at or after B. */
static inline int
message_id_compare(struct message_id a, struct message_id b)
{
	if (a.offset != b.offset)
		return a.offset < b.offset ? -1 : 1;
	return (a.ordinal > b.ordinal) - (a.ordinal < b.ordinal);
}

enum { READER_CELLS = 12 }; /* cells kept without reader_limit() */

/* Each member may be zero. */
struct reader_options {
	bool patient; /* look back as far as needed; for batch output */
	bool ends;    /* stop the walk at the current end of a growing capture */
	/* Leave entries of `symbols:` with `when` unknown, for readers that contexts and clocks
	 * depend on. */
	bool aside;
	/* Check messages of these severities (one bit each) while decoding. That may clear
	 * MESSAGE_CHECKED on messages in which expanding would find no flags. */
	uint16_t checked;
};

struct reader *reader_new(struct trace *);
void reader_set(struct reader *, struct reader_options);
void reader_free(struct reader *);

/* Set the number of cells to keep, up to 144. Lower it for a reader that visits each cell
 * once. From READER_CELLS on, up to eight cells fewer are kept if they exceed 4 MiB. */
void reader_limit(struct reader *, unsigned cells);
struct trace *reader_trace(const struct reader *);

/* Return the messages of a cell, perhaps none. Cells past the end are empty. Borrowed until
 * the fourth later call with another cell, or sooner if the reader keeps fewer cells. */
const struct decoded_cell *reader_decoded_cell(struct reader *, uint64_t cell);

/* Return DECODED, or decode CELL again if another cell took its place. For a loop over the
 * messages of a cell, as their texts may need other cells. */
static inline const struct decoded_cell *
reader_keep(struct reader *reader, const struct decoded_cell *decoded, uint64_t cell)
{
	return decoded->cell == cell ? decoded : reader_decoded_cell(reader, cell);
}

/* Return the index of the first message with an ID offset of at least OFFSET, or the count. */
size_t decoded_cell_find(const struct decoded_cell *, uint64_t offset);

/* Return the message at a position, or NULL. */
const struct message *reader_message(struct reader *, struct position);

/* Move *P to the next or previous message, past empty cells. Return false, with *P unchanged,
 * at the ends or after LIMIT decoded cells without messages (0: no limit). */
bool reader_next(struct reader *, struct position *p, unsigned limit);
bool reader_previous(struct reader *, struct position *p, unsigned limit);

bool reader_first(struct reader *, struct position *);
bool reader_last(struct reader *, struct position *);

/* Return the number of the message at a position; *exact is false for an estimate. */
uint64_t reader_number(struct reader *, struct position, bool *exact);

/* Find the message with that number, or one near it if the index has not reached it (*exact
 * is false). Return false if the trace has fewer. */
bool reader_find_number(struct reader *, uint64_t number, struct position *, bool *exact);

/* Find the message that contains byte OFFSET, or the next one after it. */
bool reader_find_offset(struct reader *, uint64_t offset, struct position *);

/* Find message number ORDINAL, from 0, among those that begin at byte OFFSET.  A message whose
 * parts lie among others comes at its last byte, so the next cell is searched, too.  Return false
 * if there is none. */
bool reader_find_begin(struct reader *, uint64_t offset, uint64_t ordinal, struct position *);

/* Find the position of a message that a walk or another reader returned. Return false if it
 * is not found, for example before its cell is indexed. */
bool reader_find_message(struct reader *, const struct message *, struct position *);

/* Copy the first message of an origin. Return false if it is no longer found. */
bool reader_find_origin(struct reader *, const struct index_origin *, struct message *);

struct message_id reader_message_id(struct reader *, struct position);
/* Find the position of an ID, or the nearest one if no message has that ID any more. */
bool reader_find_id(struct reader *, struct message_id, struct position *);

/* Find an ID like reader_find_id and copy the message; the copy outlives its cell. Return
 * false if nothing is found. */
bool reader_read_id(struct reader *, struct message_id, struct position *, struct message *);

/* Expand a message of this reader's trace, with names from the profile. If the expansion has
 * needles and its text depends on more than the bytes of the message, they are ignored. */
void reader_expand(struct reader *, const struct message *, enum expand_want, struct expansion *);

/* Expand only the origin of a message; other fields may be missing or differ from
 * reader_expand. Reads earlier messages only if the origin depends on them. */
void reader_expand_origin(struct reader *, const struct message *, struct expansion *);

/* Fill in a key for the type of each of COUNT messages. In one trace, equal keys mean equal
 * types. Clear KEYED where that is not certain. */
void reader_type_keys(struct reader *, const struct message *, size_t count, uint64_t *keys,
		      bool *keyed);

/* Return the text of a message if it stands verbatim in the capture, and its LENGTH. Return
 * NULL if it does not or that is not certain. */
const char *reader_text(struct reader *, const struct message *, size_t *length);

/* True if messages with the kind and the flags of M have no needle in text or type unless their
 * bytes have it. Valid until trace_generation() changes. */
struct needles;
bool reader_kind_lacks(struct reader *, const struct message *m, const struct needles *);

/* True if the bytes of M contain no needle, all of them are there, and its text is that of its
 * decoder. */
bool reader_bytes_lack(struct reader *, const struct message *m, const struct needles *);

/* True if the bytes of an indexed cell prove that none of its messages has a needle in text or
 * type. From any thread. */
bool trace_cell_lacks(struct trace *, uint64_t cell, const struct needles *);

/* Return the kinds of message whose raw key determines the origin, one bit each, until
 * trace_generation() changes. UINT64_MAX: that of every message. */
uint64_t reader_origin_kinds(struct reader *);
/* Return the profile's entry for the sender of a message with fields E, or NULL. */
const struct origin_options *reader_origin(const struct reader *, const struct message *,
					   const struct expansion *);

/* Return the window over all kept bytes of the capture (from capture_begin), for a decoder's
 * call. */
struct window reader_window(struct reader *);

/* Return the number of messages like trace_count. Also exact at the end of a growing capture
 * that the index has nearly reached. */
uint64_t reader_count(struct reader *, bool *exact);

/* Walk all messages in order from the start, for batch output. Fill in at most MAX messages;
 * wait for more until the capture ends. Return 0 at the end, when interrupted, or when the
 * next bytes were dropped or belong to an old generation. In the last case another reader may
 * start again. */
size_t reader_walk(struct reader *, struct message *out, size_t max);

/* Return the bits that belong to no message, by row of the decoder's table. Valid for a walk
 * from the start. */
const uint64_t *reader_silent(const struct reader *);

/* Start the walk at the last indexed offset up to OFFSET, or at the start. Return the number
 * of the next message. */
uint64_t reader_walk_from(struct reader *, uint64_t offset);

#endif
