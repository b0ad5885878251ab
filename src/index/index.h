/*
 * The index: finds messages without storing any.
 *
 * It is an absolute grid over the capture. A cell is 64 KiB of the capture, fixed at
 * first open. Above 64 GiB, it doubles for each doubling of the size. A message
 * belongs to the cell of its ID offset. For each cell the index keeps a summary
 * (count, severities, kinds, range of times). It also keeps a checkpoint, from which
 * the cell decodes without the bytes before it. Everything else is decoded again for
 * display.
 *
 * The index has its own threads to walk the capture; nothing waits for them. Cells
 * become known in order, from the first on; index_known() returns their number. A
 * known cell holds the result of a single walk from the start. It never changes,
 * unless the capture shrinks (index_restart).
 *
 * The oldest bytes of an endless stream are dropped in whole groups of cells. The
 * remaining messages keep their numbers. One message before them reports the loss
 * and stands for all dropped numbers. It belongs to the last dropped cell; the
 * others are empty.
 *
 * Cost per cell: sizeof(struct index_cell) + checkpoint_size bytes, and 8 for each
 * row of silent bits of the format. Cost per 256 cells: a count for each origin and
 * severity that occurs.
 *
 * Threads: index_start, index_build, index_stop, index_allow, index_drop and
 * index_free by the owner; everything else by any.
 */
#ifndef TRAWL_INDEX_INDEX_H
#define TRAWL_INDEX_INDEX_H

#include "capture/capture.h"
#include "decode/clock_source.h"

#include <sys/types.h>

struct index;

enum index_cell_flag {
	CELL_TIME_BACK = 1 << 0, /* time steps back inside, or from the cell before */
	CELL_TIMED = 1 << 1,	 /* time_min and time_max are valid */
	CELL_BY_SENDERS = 1 << 2 /* all timed messages have a sender time too */
};

struct index_cell {
	uint64_t first;	   /* number of its first message, or of the next */
	uint64_t time_min; /* ticks */
	uint64_t time_max;
	/* sender times of timed messages, of any clock; min > max: none */
	uint64_t sender_min;
	uint64_t sender_max;
	uint64_t kinds;	 /* set of kinds, bit per kind */
	uint64_t losses; /* messages with a flag of MESSAGE_LOSS */
	uint32_t count;
	uint32_t severities[SEVERITY_COUNT];
	uint16_t message_flags; /* union over its messages: enum message_flag */
	uint16_t flags;		/* enum index_cell_flag */
};

/* Counts of one origin in a group of 256 cells, or in the whole trace. */
struct index_origin {
	uint64_t key;	  /* message.origin */
	uint64_t example; /* ID offset of its first message */
	uint64_t severities[SEVERITY_COUNT];
};

/* Return the sum over all severities. */
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
	uint64_t bytes;	   /* bytes walked */
	uint64_t size;	   /* bytes to walk */
	uint64_t messages; /* so far */
	uint64_t severities[SEVERITY_COUNT];
	/* messages with a flag of MESSAGE_LOSS, without those that only checksums show */
	uint64_t losses;
	double rate;   /* bytes per second */
	bool complete; /* all cells of the present capture are known */
	bool paused;   /* by index_pause */
};

struct index_options {
	/* called on progress (at most twice a second) and on completion; from any thread */
	void (*notify)(void *);
	void *notify_context;
	unsigned threads;    /* to build it; 0 = one per processor */
	unsigned segment;    /* cells of a speculative segment; 0 = default */
	unsigned cell_shift; /* 1 << cell_shift bytes per cell; 0 = by size */
	/* severities of messages to check, one bit each: like EXPAND_FLAGS without history;
	 * see index_get_flags */
	uint16_t checked;
	/* Name of the file that stores the index, copied; NULL: none. Read first; written
	 * once a large capture is complete, or by index_stop as far as it is known. The name
	 * ends in ".index". */
	const char *cache;
	uint64_t settings; /* hash of everything that affects decoding */
};

/* CAPTURE and DECODER are borrowed until index_free. */
struct index *index_new(struct capture *, const struct decoder *, const struct index_options *);
void index_free(struct index *); /* stops the builder; NULL is allowed */

void index_start(struct index *); /* builder thread; at most once */
void index_build(struct index *); /* build in this thread, to the end */
/* Load the stored index; once, while nothing builds. index_build does this first. */
void index_find_kept(struct index *);
/* Stop and join the builder. An index_build in another thread ends soon, and none starts
 * until index_allow. */
void index_stop(struct index *);
void index_allow(struct index *);
void index_pause(struct index *, bool on);
/* Continue after the capture grew, ended, or is now followed. */
void index_wake(struct index *);
/* Forget all cells: the capture shrank or was replaced. */
void index_restart(struct index *);
/* True if bytes of known cells have turned out to be missing. */
bool index_is_stale(const struct index *);

/* Clock reading in a message, by the clock table of its format. */
struct index_reading {
	struct clock_reading reading;
	struct clock_owner sender;
	uint64_t found_at; /* its ID offset */
	uint64_t ticks;	   /* its timestamp, else the last one before it in its cell */
	bool timed;	   /* `ticks` is valid */
};

/* A newly known cell, and its readings in the order of the capture. */
struct index_news {
	uint64_t number;
	const struct index_cell *cell; /* without `first` */
	uint64_t ticks_last;	       /* of the last timed message, if it is CELL_TIMED */
	const struct index_reading *readings;
	size_t count;
};

/* Call TAKE for each cell walked from now on, in order, from one thread at a time; NULL:
 * stop. Cells loaded from a file are skipped. For formats with a plain clock source. Called
 * by the thread that calls index_build, while nothing builds. */
void index_read_clocks(struct index *, void (*take)(void *context, const struct index_news *),
		       void *context);

/* Write all known cells to the file `cache` of the options. Return 0 or ERR_IO. */
int index_save(struct index *, struct err *);

/*
 * Other results for a whole capture can be stored between runs, in a file next to
 * the index. WHAT, a word, becomes part of its name. Only the caller interprets the
 * bytes.
 *
 * Store results for all cells of GENERATION. Return false, with nothing stored, if
 * the index is incomplete, of another generation, or has no file.
 */
bool index_store(struct index *, const char *what, unsigned generation, const struct text *body);
/* Append the results stored for the same bytes and settings. The caller must validate every
 * number. Return false if there are none, the capture grew, or not all cells are known. */
bool index_recall(const struct index *, const char *what, struct text *body);

uint64_t index_cell_size(const struct index *);
uint64_t index_cell_count(const struct index *); /* for the present size, at least 1 */

/* Return the first cell that was not dropped. */
uint64_t index_begin(const struct index *);
/* Fill in the message that stands for all dropped ones, in the cell before index_begin().
 * Return false if no messages were dropped. */
bool index_dropped(const struct index *, struct message *);
/* Drop known cells that end at or before byte OFFSET. Return the first byte needed to decode
 * the remaining cells, or 0 if nothing was dropped. Starts another generation. */
uint64_t index_drop(struct index *, uint64_t offset);

/* Return the number of known cells, from the first on. */
uint64_t index_known(const struct index *);

/* Return a counter that changes when cells are forgotten or dropped. Data read from cells is
 * stale if the counter differs afterwards. */
unsigned index_generation(const struct index *);

/* Copy the summary of a cell; false if the cell is not known. */
bool index_cell(const struct index *, uint64_t cell, struct index_cell *);

/* Position STATE at the beginning of a cell, and return in FIRST the number of messages
 * before it. Return false unless the cell is known or the first unknown one. */
bool index_restore(const struct index *, uint64_t cell, struct decode_state *, uint64_t *first);

/* Set *OFFSET to the first byte that is in no message of the cells before this one. Return false
 * unless the cell is known or the first unknown one. */
bool index_offset(const struct index *, uint64_t cell, uint64_t *offset);

/* Find the known cell that contains message NUMBER; false if it is not known yet. */
bool index_find(const struct index *, uint64_t number, uint64_t *cell);

void index_get_progress(const struct index *, struct index_progress *);
/* Return its member `complete` alone. */
bool index_is_complete(const struct index *);

/* Count the messages of known cells with each of the first MESSAGE_FLAGS_DOUBT flags,
 * including flags that only expanding finds. UNNAMED: true if one has a number without a
 * name. Call after an index with `checked` options was built here. */
void index_get_flags(const struct index *, uint64_t counts[static MESSAGE_FLAGS_DOUBT],
		     bool *unnamed);

/* Count the bits of known cells that are in no message, by row of the decoder's table. Return
 * false, with zeroes, if cells cannot be summed: decoder_ops.silent_repeats. */
bool index_silent(const struct index *, uint64_t bits[static DECODE_SILENT_MAX]);

/* Return all known origins in order of first occurrence, in a VEC that the caller frees.
 * Counts are sums over known cells. If there are too many, UINT64_MAX is the key of the rest. */
typedef VEC(struct index_origin) index_origins;
void index_get_origins(struct index *, index_origins *);

/* Count the messages of one origin in a group of INDEX_GROUP cells, by severity. Return false
 * if the counts are not known (yet). */
bool index_group_origin(const struct index *, uint64_t group, uint64_t key,
			uint64_t severities[SEVERITY_COUNT]);

/* Call EACH with the raw key of every origin in CELL's group of 256 cells, until EACH returns
 * false. Return false, without a call, if the group is incomplete or has too many. */
bool index_each_origin(struct index *, uint64_t cell, bool (*each)(void *context, uint64_t key),
		       void *context);

/* Return false only if the origin certainly does not occur in that group. */
bool index_may_have_origin(struct index *, uint64_t cell, uint64_t key);

/* Return the anonymous memory in use, in bytes. */
size_t index_memory(const struct index *);

#endif
