/*
 * Grouping: messages that have the same values under some names are one row, with how many
 * they are, since and until when, and what numbers they have under a further name.
 *
 * A group is fed message by message, in the order of the session; groups of consecutive
 * parts are appended to each other and give what one group of all gives.  Memory: about 200
 * bytes a row, its texts and what these are made of, and what exact percentiles cost: 8 bytes
 * for each number, or 32 KiB a row where many are small.
 *
 * Cost: of counts by severity, origin and trace none where an index is there; by what a
 * message's raw keys decide less than one decoding, with its times (first, last, gap) where
 * these are its ticks, else as much again for them; by a text that the decoder makes of bytes
 * it can show, a few decodings; else a message is expanded, which costs several more.  Each row
 * of many lies beyond the caches of a processor, and is sorted and formatted.
 *
 * Threads: a spec does not change once it is made and is shared; a group belongs to one
 * thread.
 */
#ifndef TRAWL_QUERY_GROUP_H
#define TRAWL_QUERY_GROUP_H

#include "base/byte_map.h"
#include "query/gap/gap.h"
#include "query/value.h"
#include "session/clock/clocks.h"

enum { GROUP_NAMES_MAX = 8 };

/* --- what is grouped ------------------------------------------------------ */

/* The columns of a row behind its names. */
enum group_column {
	GROUP_COLUMN_COUNT,
	GROUP_COLUMN_SHARE, /* of all messages of the group */
	GROUP_COLUMN_FIRST, /* time of the first message that tells one */
	GROUP_COLUMN_LAST,  /* and of the last */
	GROUP_COLUMN_GAP,   /* the longest between two messages of the row that follow each other */
	/* with a name whose numbers count */
	GROUP_COLUMN_VALUES, /* messages that have a number */
	GROUP_COLUMN_SUM,
	GROUP_COLUMN_PART, /* the sum's share of that of all rows, where numbers are parts and
			      none is negative: then they make no whole */
	GROUP_COLUMN_MIN,
	GROUP_COLUMN_MEAN,
	GROUP_COLUMN_P50, /* percentiles by the nearest rank: p is the least number such that p % of
		      all are not greater */
	GROUP_COLUMN_P90,
	GROUP_COLUMN_P99,
	GROUP_COLUMN_MAX,
	GROUP_COLUMNS
};
extern const char *const group_column_names[GROUP_COLUMNS];

struct group_spec {
	struct value_name *by[GROUP_NAMES_MAX];
	size_t by_count;
	struct value_name *of; /* whose numbers count, or NULL */
	unsigned columns;      /* that are shown, a bit each */
	unsigned counted;      /* and those that are counted: with what rows are sorted by */
	bool by_raw;	       /* all names have raw keys, so rows follow from these */
	bool by_text;	       /* all but the text have them */
	bool by_severity;      /* rows have counts by severity beside; set by who shows them */
	unsigned needs;	       /* enum value_need of all names */
	bool expands;	       /* a message must be expanded, */
	enum expand_want want; /* as far as this */
	bool of_expands;       /* so it must be for `of` */
};

/* BY: names with commas between (NULL: origin); OF: a name, or NULL.  0, or ERR_USAGE with
 * the reason.  SESSION as for value_name_new. */
int group_spec_make(struct group_spec *, const char *by, const char *of, const struct session *,
		    struct err *);
void group_spec_free(struct group_spec *); /* zeroed is fine */

/* The columns that such a group has: all but those of numbers, or these too. */
unsigned group_columns_all(const struct group_spec *);

/* --- rows ------------------------------------------------------------------ */

/* What the messages of a row have under a name. */
struct group_key {
	bool absent;		  /* nothing */
	bool is_number, is_plain; /* it is a number, and the text its digits */
	bool is_named;		  /* it is a number, and the text what that means */
	bool ticks;		  /* of a time or duration: in ticks */
	long double number;
	const char *text; /* not safe; may hold a NUL */
	size_t length;
};

struct group_numbers; /* group_numbers.h */

/* What of a struct message_time counts. */
struct group_time {
	int64_t order; /* nanoseconds, if that is known */
	uint32_t part;
	bool known, wall;
};

struct group_row {
	/* what changes with each message, together in memory */
	uint64_t count;
	struct group_time first, last;
	uint64_t gap;		       /* the longest */
	bool timed;		       /* `first` and `last` are valid */
	bool gapped, gap_known;	       /* `gap` is; in nanoseconds, else in ticks */
	uint64_t *severities;	       /* messages of each, where the spec has them; else NULL */
	struct group_numbers *numbers; /* NULL: none so far */

	const struct byte_map_entry *key; /* all keys, as they are compared */
	uint64_t hash;
	size_t target; /* its number in the group it is appended to, from 1 */
};

struct group;

struct group *group_new(const struct group_spec *); /* which is borrowed */
void group_free(struct group *);		    /* NULL is fine */

uint64_t group_messages(const struct group *);
size_t group_count(const struct group *);
size_t group_names(const struct group *); /* that each row has */
/* Rows are in the order in which they came; borrowed until the next message. */
const struct group_row *group_row(const struct group *, size_t row);
/* What its messages have under a name; the text is borrowed for as long. */
void group_get_key(const struct group_row *, size_t name, struct group_key *);

/* Fetch what a row that is looked at soon has, from far away: first near, then nearer. */
void group_near_row(const struct group *, size_t row);
void group_nearer_row(const struct group *, size_t row);

/* Adds a message, which is expanded as far as that takes (the look's expansion is scratch).
 * It may count only with the messages that come next: until group_settle or group_append the
 * look's reader and expansion are used, and of rows nothing is asked. */
void group_add(struct group *, struct value_look *);

/* The same of COUNT messages that follow each other, the first of which has the number of the
 * look, and counts them at once. */
void group_add_run(struct group *, struct value_look *, const struct message *, size_t count);

/* Counts what was added so far. */
void group_settle(struct group *);

/* Adds COUNT messages that are as the one of the look, but that no time is known of them: from
 * the counts of an index. */
void group_add_count(struct group *, struct value_look *, uint64_t count);

/* Whether the counts of an index are enough for a trace: no column but GROUP_COLUMN_COUNT and
 * GROUP_COLUMN_SHARE, no name but severity, origin and trace. */
bool group_is_indexed(const struct group_spec *, struct reader *);

/* Adds the messages of those severities, a bit each, that the index of a trace has so far. */
void group_add_index(struct group *, struct reader *, uint8_t severities);

/* Appends a group of the same spec, whose messages come behind, and empties it. */
void group_append(struct group *, struct group *from);

/* --- what a row says ------------------------------------------------------- */

/* A column of a row as a value, absent if it has none: counts, durations, times, numbers.
 * GROUP_COLUMN_SHARE and GROUP_COLUMN_PART are from 0 to 1. */
void group_value(struct group *, size_t row, enum group_column, struct value *);

/* Whether a column's numbers are times or durations. */
bool group_is_time(const struct group_spec *, enum group_column);
bool group_is_duration(const struct group_spec *, enum group_column);

/* The order of rows by a column, or by a name: COLUMN is GROUP_COLUMNS and its number.  Numbers
 * from the greatest, times and names from the least; what is absent last; BACKWARDS: the other
 * way; what is equal there by its names.  ORDER has room for all rows. */
void group_sort(struct group *, unsigned column, bool backwards, size_t *order);

/* The number of a column or name for group_sort; negative if there is none. */
int group_find_column(const struct group_spec *, const char *name);

/* Appends a key or a column of a row as people read it, `-` where it is absent.  Keys are not
 * safe. */
void group_add_key_text(const struct group_spec *, size_t name, const struct group_key *,
			struct text *out);
void group_add_cell(struct group *, const struct group_spec *, size_t row, enum group_column,
		    struct text *out);

#endif
