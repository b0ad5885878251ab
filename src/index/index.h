/*
 * The index: where the messages are, without storing one.
 *
 * It is an absolute grid over the capture.  A cell is 64 KiB of it (doubled
 * for each doubling of the size above 64 GiB, fixed at first open); a message
 * belongs to the cell of its ID offset.  For each cell the index keeps a summary
 * (how many messages, of which severities and kinds, between which times) and
 * a checkpoint from which the cell decodes without what came before.
 * Everything else is decoded again when it is shown.
 *
 * Threads of its own walk the capture; nothing waits for them.  Cells become
 * known in order, from the first on; index_known() tells.  What is known is
 * what one walk from the start finds, and never changes, unless the capture
 * shrinks (index_restart).
 *
 * What goes from the front of an endless stream is dropped in whole groups of cells.  The
 * numbers of what stays do not change: in front of it stands one message, of what is lost,
 * in place of all that had the numbers before.  It belongs to the last dropped cell; the
 * others are empty.
 *
 * Cost: sizeof(struct index_cell) + checkpoint_size bytes per cell, 8 for each row of
 * silent bits of the format, and per 256 cells the counts origin by severity of those that occur.
 *
 * Threads: index_start, index_build, index_stop, index_allow, index_drop and index_free by
 * the owner; everything else by any.
 */
#ifndef TRAWL_INDEX_INDEX_H
#define TRAWL_INDEX_INDEX_H

#include "capture/capture.h"
#include "decode/clock_source.h"

#include <sys/types.h>

struct index;

enum index_cell_flag {
	CELL_TIME_BACK = 1 << 0, /* time steps back inside, or to the next */
	CELL_TIMED = 1 << 1,	 /* time_min and time_max are valid */
	CELL_BY_SENDERS = 1 << 2 /* all timed messages have their sender's timestamp too */
};

struct index_cell {
	uint64_t first;	   /* number of its first message, or of the next */
	uint64_t time_min; /* ticks */
	uint64_t time_max;
	uint64_t sender_min; /* of senders' own timestamps in timed messages, whatever their */
	uint64_t sender_max; /* clocks; min > max: none has one */
	uint64_t kinds;	     /* set of kinds, bit per kind */
	uint64_t losses;     /* messages with a flag of MESSAGE_LOSS */
	uint32_t count;
	uint32_t severities[SEVERITY_COUNT];
	uint16_t message_flags; /* of its messages, together: enum message_flag */
	uint16_t flags;		/* enum index_cell_flag */
};

/* Messages of one origin in a group of 256 cells, or in all. */
struct index_origin {
	uint64_t key;	  /* message.origin */
	uint64_t example; /* ID offset of its first message */
	uint64_t severities[SEVERITY_COUNT];
};

/* Of all severities. */
static inline uint64_t
index_origin_count(const struct index_origin *origin)
{
	uint64_t count = 0;
	for (int severity = 0; severity < SEVERITY_COUNT; severity++)
		count += origin->severities[severity];
	return count;
}

enum { INDEX_GROUP = 256 };

struct index_progress {
	uint64_t bytes;	   /* walked */
	uint64_t size;	   /* to walk */
	uint64_t messages; /* so far */
	uint64_t severities[SEVERITY_COUNT];
	uint64_t losses; /* messages with a flag of MESSAGE_LOSS, but for what checksums tell */
	double rate;	 /* bytes per second */
	bool complete;	 /* all that is there is known */
	bool paused;	 /* by index_pause */
};

struct index_options {
	void (*notify)(void *); /* progress worth showing (at most 4 a second)
				   and completion; from any thread */
	void *notify_context;
	unsigned threads;    /* that build it; 0 = one for each processor */
	unsigned segment;    /* cells of a speculative worker; 0 = as is best */
	unsigned cell_shift; /* 1 << cell_shift bytes to a cell; 0 = as the size wants it */
	uint8_t checked;     /* messages of these severities, a bit each, are looked at as
			    EXPAND_FLAGS does, without history: see index_get_flags */
	/* The file an index is kept in, copied; NULL: none.  It is looked for first, and
	 * written when a large capture is known, or on index_stop as far as it is.  Its
	 * name ends in ".index". */
	const char *cache;
	uint64_t settings; /* hash of all that decides how the capture decodes */
};

/* CAPTURE and DECODER are borrowed until index_free. */
struct index *index_new(struct capture *, const struct decoder *, const struct index_options *);
void index_free(struct index *); /* stops the builder; NULL is fine */

void index_start(struct index *); /* builder thread; at most once */
void index_build(struct index *); /* the same in this thread, to the end */
/* Takes what a file keeps of it, which index_build does first; once, while nothing builds. */
void index_find_kept(struct index *);
/* Stops and joins; an index_build of another thread ends soon, and none begins
 * until index_allow. */
void index_stop(struct index *);
void index_allow(struct index *);
void index_pause(struct index *, bool on);
/* The capture grew, or ended, or is followed now: go on from what stays true. */
void index_wake(struct index *);
/* The capture shrank, or is another one: forget all. */
void index_restart(struct index *);
/* Whether bytes of cells that are known turned out to be missing since. */
bool index_is_stale(const struct index *);

/* What a message of a cell tells of clocks, by the table of its format. */
struct index_reading {
	struct clock_reading reading;
	struct clock_owner sender;
	uint64_t found_at; /* its ID offset */
	uint64_t ticks;	   /* its own, else of the last message of its cell with any */
	bool timed;	   /* `ticks` is valid */
};

/* A cell that became known, and its readings in the order of the capture. */
struct index_news {
	uint64_t number;
	const struct index_cell *cell; /* but `first` */
	uint64_t ticks_last;	       /* of the last timed message, if it is CELL_TIMED */
	const struct index_reading *readings;
	size_t count;
};

/* Has TAKE called for each cell that is walked from now on, in order, by one thread at a
 * time, until it is NULL again; cells that come from a file are left out.  For formats
 * whose clock source is plain, by who calls index_build, while nothing builds. */
void index_read_clocks(struct index *, void (*take)(void *context, const struct index_news *),
		       void *context);

/* Write all that is known to the file in `cache`, which the options name.  0, or ERR_IO. */
int index_save(struct index *, struct err *);

/*
 * What else was found in the capture can be kept between runs, in a file beside the
 * index.  WHAT, a word, goes into its name; the bytes are the caller's alone to
 * understand.
 *
 * Stores what was found in all cells of GENERATION.  False, and nothing is stored,
 * if the index is not complete, is of another one, or is not kept.
 */
bool index_store(struct index *, const char *what, unsigned generation, const struct text *body);
/* Appends what was stored of the same bytes, decoded by the same settings; its
 * reader looks at every number of it.  False if there is none, as when the capture
 * grew, or if not all cells are known. */
bool index_recall(const struct index *, const char *what, struct text *body);

uint64_t index_cell_size(const struct index *);
uint64_t index_cell_count(const struct index *); /* for the present size, at least 1 */

/* The first cell that was not dropped. */
uint64_t index_begin(const struct index *);
/* The message that stands for what was dropped, false if no message was; it belongs to the
 * cell before that one. */
bool index_dropped(const struct index *, struct message *);
/* Drops known cells that end at or before byte OFFSET.  Returns the first byte that those
 * behind are still decoded from, 0 if none were dropped.  What is known counts as another
 * generation. */
uint64_t index_drop(struct index *, uint64_t offset);

/* How many cells, from the first on, are known. */
uint64_t index_known(const struct index *);

/* Another when what is known is forgotten (index_restart): what was taken from
 * cells before, and until this is read again, is stale. */
unsigned index_generation(const struct index *);

/* The summary of a known cell; false if it is not known. */
bool index_cell(const struct index *, uint64_t cell, struct index_cell *);

/* Positions STATE at a cell's beginning, if it is known or the next to become
 * so, and says how many messages lie before; else false. */
bool index_restore(const struct index *, uint64_t cell, struct decode_state *, uint64_t *first);

/* The known cell that holds message NUMBER; false if it is not known yet. */
bool index_find(const struct index *, uint64_t number, uint64_t *cell);

void index_get_progress(const struct index *, struct index_progress *);

/* How many messages of known cells have each of the first MESSAGE_FLAGS_DOUBT flags, with
 * those that only expanding finds; and whether one is `unnamed`.  For an index with
 * `checked` among its options that was built here, once it is. */
void index_get_flags(const struct index *, uint64_t counts[static MESSAGE_FLAGS_DOUBT],
		     bool *unnamed);

/* Bits of the known cells that are in no message, by row of the decoder's table.  False,
 * and zeroes, if cells do not tell: decoder_ops.silent_repeats. */
bool index_silent(const struct index *, uint64_t bits[static DECODE_SILENT_MAX]);

/* All origins so far in the order in which they first occur, into a VEC the
 * caller frees; counts are sums over known cells.  Where there are too many,
 * the rest is counted under the key UINT64_MAX. */
typedef VEC(struct index_origin) index_origins;
void index_get_origins(struct index *, index_origins *);

/* Messages of one origin in a group of INDEX_GROUP cells, by severity; false if
 * that is not known (yet). */
bool index_group_origin(const struct index *, uint64_t group, uint64_t key,
			uint64_t severities[SEVERITY_COUNT]);

/* Calls EACH with the raw key of every origin that occurs in the group of 256
 * cells CELL lies in, until it returns false.  False, and no call, where that is
 * not known: the group is not complete, or has too many. */
bool index_each_origin(struct index *, uint64_t cell, bool (*each)(void *context, uint64_t key),
		       void *context);

/* Whether an origin may occur in that group; false only if it is known not to. */
bool index_may_have_origin(struct index *, uint64_t cell, uint64_t key);

/* Anonymous memory held, in bytes. */
size_t index_memory(const struct index *);

#endif
