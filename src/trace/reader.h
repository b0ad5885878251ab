/*
 * Reading messages: a cell of the index at a time, decoded when asked for.
 *
 * A reader decodes cells and keeps the last few, so moving about the screen
 * decodes little.  An indexed cell decodes exactly; any other
 * decodes from a resync point before it, its messages are real but its
 * numbers are estimates.  Nothing here waits for the index.
 *
 * The last messages of a capture that still grows may change with what comes:
 * they are shown as far as they are whole, but reader_walk does not give them
 * before they are settled.  Text is settled by a moment without more bytes, and
 * an interrupted walk gives all that is whole.
 *
 * Threads: a reader belongs to one thread; make one per thread.
 */
#ifndef TRAWL_TRACE_READER_H
#define TRAWL_TRACE_READER_H

#include "decode/summary.h"
#include "trace/trace.h"

struct reader;

struct decoded_cell {
	uint64_t cell;
	const struct message *messages;
	size_t count;
	uint64_t first; /* number of messages[0]; an estimate unless exact */
	bool exact;	/* decoded from a checkpoint of the index */
};

/* A message's position: index AT in a cell.  What identifies it for ever is
 * its trace and its ID. */
struct position {
	uint64_t cell;
	size_t at;
};

/* Where one is who has passed a whole cell, forward or backward; and the cell in which to
 * go on from a position, that need not be a message.  What is before the first cell, and
 * behind the last, wraps around. */
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

/* What identifies a message for ever. */
struct message_id {
	uint64_t offset;  /* message_id_offset() */
	uint32_t ordinal; /* among those at that offset */
};

/* Negative, 0 or positive as A stands before, at or behind B. */
static inline int
message_id_compare(struct message_id a, struct message_id b)
{
	if (a.offset != b.offset)
		return a.offset < b.offset ? -1 : 1;
	return (a.ordinal > b.ordinal) - (a.ordinal < b.ordinal);
}

/* Messages that follow each other in bytes that hold nothing else, which a walk passed over:
 * what they add up to.  Zero-initialise. */
struct reader_piece {
	uint64_t begin, end;
	struct index_cell cell;
	struct summary sums;
	/* where the walk was */
	uint8_t checkpoint[CHECKPOINT_MAX];
	uint64_t passed, silent[DECODE_SILENT_MAX];
};

struct reader *reader_new(struct trace *);
void reader_free(struct reader *);

/* How many cells a reader keeps, 1 to 12, which is also what it begins with, though eight fewer
 * where they take more than 4 MiB: fewer for what goes from cell to cell once.  Before the first
 * cell is asked for. */
void reader_limit(struct reader *, unsigned cells);
/* The same at any time, for who looks into many cells in turn: 12 are kept at least, 144 at
 * most, likewise. */
void reader_widen(struct reader *, unsigned cells);
struct trace *reader_trace(const struct reader *);

/* The messages of a cell (which may hold none); cells past the end are empty.
 * Borrowed until the fourth next call with another cell, or until as many as it keeps. */
const struct decoded_cell *reader_decoded_cell(struct reader *, uint64_t cell);

/* DECODED, of CELL, after other cells may have been asked for: the cell anew if one of
 * them took its place.  For walks over a cell's messages, whose texts may need others. */
static inline const struct decoded_cell *
reader_keep(struct reader *reader, const struct decoded_cell *decoded, uint64_t cell)
{
	return decoded->cell == cell ? decoded : reader_decoded_cell(reader, cell);
}

/* The first message of a cell whose ID offset is at or past OFFSET; its count if there
 * is none. */
size_t decoded_cell_find(const struct decoded_cell *, uint64_t offset);

/* The ID of the message AT of a cell, which it has. */
struct message_id block_message_id(const struct decoded_cell *, size_t at);

/* The message at a position, or NULL if there is none. */
const struct message *reader_message(struct reader *, struct position);

/* The next and previous position that holds a message.  False at the ends;
 * *P is unchanged then.  Walks over empty cells; LIMIT cells at most (0: no
 * limit), then it returns false too. */
bool reader_next(struct reader *, struct position *p, unsigned limit);
bool reader_previous(struct reader *, struct position *p, unsigned limit);

bool reader_first(struct reader *, struct position *);
bool reader_last(struct reader *, struct position *);

/* Number of the message at a position; *exact false for an estimate. */
uint64_t reader_number(struct reader *, struct position, bool *exact);

/* The message with that number, or near it while the index is not there
 * (*exact false).  False if the trace has fewer. */
bool reader_find_number(struct reader *, uint64_t number, struct position *, bool *exact);

/* The message that holds byte OFFSET, or the next one after it. */
bool reader_find_offset(struct reader *, uint64_t offset, struct position *);

/* Where a message stands that a walk or another reader gave; false if it is
 * not found there, as before its cell is indexed. */
bool reader_find_message(struct reader *, const struct message *, struct position *);

/* The first message of an origin; false if it is not found any more. */
bool reader_find_origin(struct reader *, const struct index_origin *, struct message *);

struct message_id reader_message_id(struct reader *, struct position);
/* The position of an ID, or the nearest one if no message has it any more. */
bool reader_find_id(struct reader *, struct message_id, struct position *);

/* The same with a copy of the message, which stays when its block has to go; false if none can
 * be had. */
bool reader_read_id(struct reader *, struct message_id, struct position *, struct message *);

/* Expands a message (of this reader's trace), with names from the profile. */
void reader_expand(struct reader *, const struct message *, enum expand_want, struct expansion *);

/* The origin of a message alone, as reader_expand makes it, without a look at messages before
 * where it does not follow from them; the rest may be missing or another. */
void reader_expand_origin(struct reader *, const struct message *, struct expansion *);

/* Says in ANSWER what is known of a message's text and type, as reader_expand would make
 * them, without making them; {0}: nothing.  Nothing may be sought (NULL). */
struct sought;
struct sought_answer;
void reader_sift(struct reader *, const struct message *, struct sought *, struct sought_answer *);

/* Numbers of the types of COUNT messages, as reader_expand would make them: those of the trace
 * that have the same have the same type; KEYED becomes false where that is not sure. */
void reader_type_keys(struct reader *, const struct message *, size_t count, uint64_t *keys,
		      bool *keyed);

/* Where a message's text, as reader_expand would make it, stands in the capture as it is, and
 * its LENGTH; NULL: nowhere, or that is not sure. */
const char *reader_text(struct reader *, const struct message *, size_t *length);

/* Whether a cell of the index has no message whose text or type, as reader_expand would make
 * them, has what is sought, as its bytes tell; false: it may have.  From any thread. */
bool trace_cell_lacks(struct trace *, uint64_t cell, struct sought *);

/* The same of messages that a walk passed over. */
bool trace_piece_lacks(struct trace *, const struct reader_piece *, struct sought *);

/* Whether the origin of a message, as reader_expand gives it, follows from its raw key
 * alone, until trace_generation() changes; and the kinds of messages for which it does, a bit
 * each. */
bool reader_origin_by_key(struct reader *);
uint64_t reader_origin_kinds(struct reader *);
/* What the profile says of the sender of a message, of which E has the fields;
 * NULL: nothing. */
const struct origin_options *reader_origin(const struct reader *, const struct message *,
					   const struct expansion *);

/* The window over all of the capture that is kept (capture_begin), for a decoder's call. */
struct window reader_window(struct reader *);

/* How many messages there are: as trace_count, but exact too at the end of a
 * growing capture that the index has nearly reached. */
uint64_t reader_count(struct reader *, bool *exact);

/* A sequential walk over all messages from the start: the way of batch output.
 * Fills at most MAX messages, waiting for more where the capture has not ended;
 * 0 at the end, when interrupted, or when what was there is there no more (it was
 * dropped, or is of another generation): then another reader may start again. */
size_t reader_walk(struct reader *, struct message *out, size_t max);

/* Has a walk end where the bytes end that are there, of a capture that grows too. */
void reader_take_what_is_there(struct reader *);

/* From now on a walk's messages of these severities, a bit each, in which expanding is sure to
 * find no flags may lack MESSAGE_CHECKED. */
void reader_check(struct reader *, uint8_t severities);

/* From now on a walk adds payloads of its messages to these, which the owner clears, and
 * expanding finds them there; NULL: not.  They are of one generation of the capture. */
struct payloads;
void reader_set_payloads(struct reader *, struct payloads *);

/* Has a walk go on over SIZE bytes, or a few more, without filling their messages: their
 * decoder can summarise.  False: nothing was passed, as the capture ends there or was dropped
 * or written anew.  The caller frees PIECE with reader_piece_free. */
bool reader_pass(struct reader *, uint64_t size, struct reader_piece *);

/* Takes the walk back to where the last piece begins. */
void reader_take_back(struct reader *, const struct reader_piece *);
void reader_piece_free(struct reader_piece *);

/* Walks over all that is left and drops it. */
void reader_walk_all(struct reader *);

/* Bits that the walk passed over for no message, by row of the decoder's table;
 * they hold for a walk from the start. */
const uint64_t *reader_silent(const struct reader *);

/* The same of a trace: from its index if that is complete and tells, else by a walk. */
void trace_silent(struct trace *, uint64_t bits[static DECODE_SILENT_MAX]);

/* Has the walk begin at the last indexed offset up to OFFSET, the
 * start at worst.  Returns the number of the message that comes next. */
uint64_t reader_walk_from(struct reader *, uint64_t offset);

/* From now on what an expansion depends on is looked for as far back as it
 * takes, for batch output; without it that is bounded, for a screen. */
void reader_be_patient(struct reader *);

#endif
