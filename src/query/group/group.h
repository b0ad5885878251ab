/*
 * Tables: messages with equal values under some names form one row. A row has their count,
 * first and last time, longest gap, and statistics of numbers under one more name.
 *
 * A group is fed message by message, in the order of the session. Groups of consecutive
 * parts can be appended. The result equals one group of all messages. Memory: about 100
 * bytes a row, plus its texts, plus 64 bytes from its second message on. To sort rows takes
 * 48 bytes each. Exact percentiles need 8 bytes for each number, or 32 KiB a row with many
 * small numbers.
 *
 * Cost: nothing for counts by severity, origin and trace if an index exists. Rows by raw
 * keys cost less than one decoding. Times (first, last, gap) cost the same again, unless
 * they are the ticks. Rows by texts with known source bytes cost a few decodings. Otherwise
 * each message is expanded, which costs several more. With many rows, each row lies outside
 * the processor caches and must be sorted and formatted.
 *
 * Threads: a spec is constant and can be shared. A group belongs to one thread.
 */
#ifndef TRAWL_QUERY_GROUP_H
#define TRAWL_QUERY_GROUP_H

#include "base/byte_map.h"
#include "query/gap/gap.h"
#include "query/value.h"
#include "session/clock/clocks.h"

enum { GROUP_NAMES_MAX = 8 };

/* --- specs -------------------------------------------------------------- */

/* The columns of a row after its names. */
enum group_column {
	GROUP_COLUMN_COUNT,
	GROUP_COLUMN_SHARE,    /* of all messages of the group */
	GROUP_COLUMN_FIRST,    /* time of the first message that has one */
	GROUP_COLUMN_LAST,     /* time of the last message that has one */
	GROUP_COLUMN_GAP,      /* the longest between consecutive messages of the row */
	GROUP_COLUMN_GAP_FROM, /* time of the message before it */
	/* only if the spec has `of`: */
	GROUP_COLUMN_VALUES, /* number of messages that have a number */
	GROUP_COLUMN_SUM,
	GROUP_COLUMN_PART, /* share of this sum in all rows, if numbers are parts of a whole and
			      none is negative */
	GROUP_COLUMN_MIN,
	GROUP_COLUMN_MEAN,
	GROUP_COLUMN_P50, /* percentiles by nearest rank: pN is the least number that N % do not
			     exceed */
	GROUP_COLUMN_P90,
	GROUP_COLUMN_P99,
	GROUP_COLUMN_MAX,
	GROUP_COLUMNS
};
/* Sets of columns, a bit each: those of the longest gap, and all that need times. */
enum {
	GROUP_GAP_COLUMNS = 1 << GROUP_COLUMN_GAP | 1 << GROUP_COLUMN_GAP_FROM,
	GROUP_TIME_COLUMNS = 1 << GROUP_COLUMN_FIRST | 1 << GROUP_COLUMN_LAST | GROUP_GAP_COLUMNS
};
extern const char *const group_column_names[GROUP_COLUMNS];

struct group_spec {
	struct value_name *by[GROUP_NAMES_MAX];
	size_t by_count;
	struct value_name *of; /* the name with the numbers, or NULL */
	unsigned columns;      /* bit set of the columns shown */
	unsigned counted;      /* bit set of the columns computed, including the sort column */
	bool by_raw;	       /* all names have raw keys, which determine the row */
	bool by_severity;      /* rows also count by severity; set by the code that shows them */
	unsigned needs;	       /* enum value_need of all names */
	bool expands;	       /* messages must be expanded */
	enum expand_want want; /* how far to expand */
	bool of_expands;       /* `of` needs the expansion */
	enum zone zone;	       /* to show times since 1970 in; the session's */
};

/* Fill in a spec. BY: names separated by commas (NULL: origin). OF: a name, or NULL. Return
 * 0, or ERR_USAGE with the reason. SESSION: see value_name_new. */
int group_spec_make(struct group_spec *, const char *by, const char *of, const struct session *,
		    struct err *);
void group_spec_free(struct group_spec *); /* a zeroed spec is fine */

/* Return the bit set of all columns such a group can have. Columns of numbers need `of`. */
unsigned group_columns_all(const struct group_spec *);

/* --- rows ------------------------------------------------------------------ */

/* The value of a row under a name. */
struct group_key {
	bool absent;		  /* no value */
	bool is_number, is_plain; /* a number; `is_plain`: the text is its digits */
	bool is_named;		  /* a number; the text is its meaning */
	bool ticks;		  /* a time or duration in ticks */
	bool wall;		  /* a time is since 1970 */
	long double number;
	const char *text; /* not safe; may hold a NUL */
	size_t length;
};

struct group_numbers; /* see group_numbers.h */

/* The members of a struct message_time that a group needs. */
struct group_time {
	int64_t order; /* nanoseconds if `known` */
	uint32_t part;
	bool known, wall;
	bool valid; /* false: no time */
};

/* The rest of a row. With many rows, most have only one message and need none. */
struct group_more {
	struct group_time last;	       /* not valid: same as the first */
	uint64_t gap;		       /* the longest; the first of equal ones */
	int64_t gap_from;	       /* `order` of the message before it */
	bool gapped, gap_known;	       /* `gap` is valid; in nanoseconds, else in ticks */
	struct group_numbers *numbers; /* NULL: none yet */
	uint64_t severities[];	       /* messages by severity, if by_severity */
};

struct group_row {
	uint64_t count;
	struct group_time first;
	struct group_more *more;	  /* NULL: none; always there if by_severity */
	const struct byte_map_entry *key; /* all keys, in the form for comparison */
};

/* Return the time of the last message. */
const struct group_time *group_row_last(const struct group_row *);

struct group;

struct group *group_new(const struct group_spec *); /* the spec is borrowed */
void group_free(struct group *);		    /* NULL is fine */

uint64_t group_messages(const struct group *);
size_t group_count(const struct group *);
size_t group_names(const struct group *); /* in each row */
/* Return a row. Rows keep the order in which they appeared. Borrowed until the next
 * message. */
const struct group_row *group_row(const struct group *, size_t row);
/* Get the value of a row under a name. Its text is borrowed as long as the row. */
void group_get_key(const struct group_row *, size_t name, struct group_key *);

/* Prefetch a row that is needed soon. Call group_near_row() first, then group_nearer_row(). */
void group_near_row(const struct group *, size_t row);
void group_nearer_row(const struct group *, size_t row);

/* Add a message, expanding it as far as needed. The look's expansion is scratch. Messages
 * are counted in batches: until group_settle or group_append, keep the look's reader and
 * expansion, and do not read rows. */
void group_add(struct group *, struct value_look *);

/* Add COUNT consecutive messages and count them at once. The look has the number of the
 * first. */
void group_add_run(struct group *, struct value_look *, const struct message *, size_t count);

/* Count all messages that were added. */
void group_settle(struct group *);

/* Add COUNT messages like the one of the look, without times, from the counts of an index. */
void group_add_count(struct group *, struct value_look *, uint64_t count);

/* True if the index of a trace suffices. The spec may then have only the columns
 * GROUP_COLUMN_COUNT and GROUP_COLUMN_SHARE, and only the names severity, origin and trace. */
bool group_is_indexed(const struct group_spec *, struct reader *);

/* Add the indexed messages of a trace with these severities, a bit set. */
void group_add_index(struct group *, struct reader *, uint16_t severities);

/* Free the memory that only more messages need. None can be added afterwards. */
void group_end(struct group *);

/* Return the bytes of memory that the rows take, with the numbers of appended groups. */
size_t group_bytes(const struct group *);

/* Append a group of the same spec with later messages, and empty it. */
void group_append(struct group *, struct group *from);

/* --- values of rows ----------------------------------------------------- */

/* Get a column of a row as a value, absent if it has none. GROUP_COLUMN_SHARE and
 * GROUP_COLUMN_PART range from 0 to 1. */
void group_value(struct group *, size_t row, enum group_column, struct value *);

/* True if a column contains times or durations. */
bool group_is_time(enum group_column);
bool group_is_duration(const struct group_spec *, enum group_column);

/* Sort the rows by a column, or by a name: COLUMN is GROUP_COLUMNS plus its number. Numbers
 * start at the greatest, times and names at the least. BACKWARDS reverses that. Absent
 * values are last. Ties are sorted by names. ORDER has room for all rows. */
void group_sort(struct group *, unsigned column, bool backwards, size_t *order);

/* Return the number of a column or name for group_sort. Return a negative number if not
 * found. */
int group_find_column(const struct group_spec *, const char *name);

/* Append a key or a column of a row as text, `-` if absent. Keys are not safe. */
void group_add_key_text(const struct group_spec *, size_t name, const struct group_key *,
			struct text *out);
void group_add_cell(struct group *, const struct group_spec *, size_t row, enum group_column,
		    struct text *out);

#endif
