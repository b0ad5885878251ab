/*
 * Options of single traces and origins: entries of `traces:` and `origins:` in a
 * profile.
 */
#ifndef TRAWL_TRACE_TRACE_OPTIONS_H
#define TRAWL_TRACE_TRACE_OPTIONS_H

#include "decode/decoder.h"

/* An entry of `traces:` in a profile. The options of each format follow the fixed part in
 * memory. trace_options_table() lays them out from the registry of decoders;
 * trace_format_options() finds them. */
struct trace_options {
	char *match;  /* shell glob on the file name, or NULL */
	char *file;   /* path, in a session file */
	char *name;   /* shown instead of the file name, or NULL */
	char *format; /* as in decoder_find, or NULL: found by content */
	struct trace_clock_options {
		double hz; /* 0 = as in the capture */
	} clock;
	int words, swap,
	    wrapped; /* indices of their choices, see struct capture_dump; swap 0: guess */
	int64_t write_pointer; /* -1: not given */
};

/* An entry of `origins:`: a name for senders.  -1 and NULL match any. */
struct origin_options {
	char *trace;
	char *guid;
	int64_t id, module, unit, master, channel;
	char *name;
	struct trace_clock_options clock;
};

const struct option_table *trace_options_table(void);
const struct option_table *origin_options_table(void);

/* Return the options of a format, or NULL if it has none. */
void *trace_format_options(const struct trace_options *, const struct decoder_ops *);

/* Return the size of the words to swap; 0: none or not given. */
unsigned trace_options_swap(const struct trace_options *);

/* Set that size, if SIZE is 2, 4 or 8. */
void trace_options_set_swap(struct trace_options *, unsigned size);

/* Free options laid out by trace_options_table(); NULL is fine. */
void trace_options_free(struct trace_options *);

#endif
