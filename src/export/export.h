/*
 * Batch output: the messages of a session, in a format for programs or paper.
 *
 * It uses the decoders and filters of the screen.  A format is a row of export_formats and
 * a few functions.  Several threads build the output in buffers.  It is written in large
 * pieces of whole messages.  Output to a terminal is made safe on its way, in every
 * format.
 */
#ifndef TRAWL_EXPORT_EXPORT_H
#define TRAWL_EXPORT_EXPORT_H

#include "base/writer.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "query/value.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "trace/doubts.h"

/* The user's mark at a message. */
struct export_mark {
	char letter;	  /* `*`: a bookmark */
	const char *note; /* NULL: none */
};

/* Optional columns, one bit for each. */
enum export_column {
	EXPORT_DELTA = 1 << 0, /* time since the last printed message that has one */
	EXPORT_GAP = 1 << 1,   /* time since the message before it, printed or not: gap.h */
	EXPORT_DEPTH = 1 << 2, /* call depth: flow_cursor.h */
	EXPORT_TARGET = 1 << 3
};

/* How a format writes these columns.  EXPORT_WORDS and EXPORT_NUMBER are for lines that the user
 * describes. */
enum export_column_style {
	EXPORT_NO_COLUMNS,
	EXPORT_ALIGNED,
	EXPORT_CSV,
	EXPORT_JSON,
	EXPORT_WORDS,
	EXPORT_NUMBER
};

/* How a table (export_table.h) is written. */
enum export_rows {
	EXPORT_NO_ROWS,
	EXPORT_ROWS_ALIGNED,
	EXPORT_ROWS_TABS, /* for people too */
	EXPORT_ROWS_CSV,
	EXPORT_ROWS_JSON
};

/* The place of a delta in formatted text.  Its value is known only after all earlier messages
 * are written. */
struct export_delta {
	size_t at; /* offset in the text */
	enum export_column_style style;
	int columns; /* minimum width, aligned right; for EXPORT_WORDS only */
	bool again;  /* not the first delta of its message */
	bool timed;
	struct message_time time;
};

typedef VEC(struct export_delta) export_deltas;

/* The zero of relative times; found at first use. */
struct export_start {
	bool known;
	struct message_time time; /* `order`, and the part to compare with */
};

/* Name of a field as a JSON key. */
struct export_key {
	const struct field_row *row;
	uint8_t length; /* 0: too long to keep */
	char bytes[39];
};

/* The leading digits of a number.  Numbers near it differ only in the last four digits. */
struct export_number {
	uint64_t base; /* multiple of 10000; 0: none yet */
	uint8_t length;
	char digits[24]; /* of `base`, without its last four */
};

/* State that a thread reuses between messages of a trace.  Zero-initialise to start. */
struct export_kept {
	struct export_start start;
	const struct trace *trace; /* trace of `name`; NULL: none */
	struct text name;	   /* as JSON, with the text around it */
	struct export_key keys[64];
	struct zone_cache zone;			    /* of times since 1970 */
	struct export_number number, offset, ticks; /* of messages */
};

void export_kept_free(struct export_kept *);

struct export_line;
struct export_table;
struct group;
struct spans;

struct export_message {
	struct reader *reader;
	const struct message *message;
	uint64_t number;		 /* in its trace, from 0 */
	uint64_t listed;		 /* in the session's order, from 1, as the screen shows it;
					valid if VALUE_NEEDS_NUMBERS */
	struct expansion *expansion;	 /* as far as the format needs it */
	struct context_cursor *contexts; /* NULL: no contexts are defined */
	struct cycles_walk *cycles;	 /* NULL: no times are estimated */
	bool ticked;			 /* `ticks` is valid */
	uint64_t ticks;			 /* from the message, or estimated if the rate of its
					    clock is unknown */
	bool timed;			 /* `time` is valid */
	bool wall;			 /* `time` counts from 1970 */
	size_t part;			 /* part of the session's clocks, if TIMED; see clocks.h */
	int64_t time;			 /* nanoseconds on the session's common clock */
	const struct export_mark *mark;	 /* mark to write, or NULL */
	unsigned columns;		 /* enum export_column */
	bool has_delta;			 /* `deltas` has one of this message */
	export_deltas *deltas;		 /* with EXPORT_DELTA: the list to append to */
	struct gap_cursor *gaps;	 /* with EXPORT_GAP */
	struct flow_cursor *flow;	 /* if VALUE_NEEDS_FLOW or VALUE_NEEDS_RUNS */
	const struct spans *spans;	 /* if the format shows spans */
	bool related;			 /* `session_time` is valid, known or not */
	struct message_time session_time;
	/* its time, if found together with other messages; or NULL */
	const struct message_time *found;
	bool found_any;
	struct export_kept *kept;	/* of its trace */
	const struct export_line *line; /* the line of the format, or NULL */
	enum text_charset charset;
};

struct export_flow_columns;
struct export_options;
struct export_result;
struct check;
struct session;

/* Destination of the output.  FLUSH writes OUT and clears it.  It returns 0 or ERR_IO.  Without
 * FLUSH, OUT keeps everything. */
struct export_sink {
	struct text *out;
	int (*flush)(void *context, struct err *);
	void *context;
};

/* Write the output if it is large. */
int export_sink_flush(const struct export_sink *, struct err *);

/*
 * The output of a format in which a message's part depends on the messages before.
 * `message` makes a record (export_record.h) of each message.  The writer gets all records
 * in order, in one thread.
 */
struct export_writer {
	void *(*open)(struct session *, const struct export_options *);
	/* Read records of whole messages, and append the output to OUT.  Return 0 or ERR_IO. */
	int (*write)(void *, const struct text *records, struct text *out, struct err *);
	/* End the output and free everything.  Called after the last record, or after an error
	 * elsewhere. */
	int (*close)(void *, struct text *out, struct err *);
};

/* Write the chosen traces of a session.  Return 0 or a negative err_code. */
typedef int export_walk(struct session *, const struct export_options *, const struct export_sink *,
			struct export_result *, struct err *);

/* The same for one trace that has program flow: see export_flow_walk. */
typedef int export_flow_format(struct trace *, const struct export_options *,
			       const struct export_sink *, struct export_result *, struct err *);

/*
 * A format has one of `message`, `rows` and `walk`: it writes a row for each message, a table of
 * groups of messages, or it walks over the traces itself.  A format without all three decodes
 * everything and writes nothing.
 */
struct export_format {
	const char *name;
	const char *help;
	unsigned needs; /* enum value_need.  CLOCKS: it shows times, or marks estimates */

	/* Append one message to OUT with its newline, or nothing if it has no row. */
	void (*message)(struct export_message *, struct text *out);
	enum expand_want want; /* EXPAND_FLAGS: needs no text of messages */
	bool live;	       /* does not wait for the end of streams to find times */
	bool delta;	       /* its lines contain deltas */
	enum export_column_style columns;
	const char *header;		    /* first line with its newline, or NULL */
	const struct export_writer *writer; /* NULL: `message` makes the output */
	bool folder;			    /* the writer makes a folder */
	const struct export_line *line;	    /* the user's description of a line, borrowed; or
					       NULL */
	/* lines contain colours or the user's text; values in them are safe */
	bool styled;

	enum export_rows rows;
	const struct export_table *table; /* the user's description of the table, borrowed; or
					     NULL */

	export_walk *walk;
	export_flow_format *flow;		  /* for export_flow_walk */
	const struct export_flow_columns *fields; /* names for --fields, or NULL */
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

const struct export_format *export_find(const char *name); /* NULL: unknown */
const char *export_next_name(void *unused, size_t at);	   /* for nearest_hint() */

enum { EXPORT_AROUND_MAX = 1000 };

struct export_options {
	const struct export_format *format;
	struct filter filter;
	const struct filter *stop; /* stop after its first match; borrowed; NULL: none */
	struct writer *output;	   /* a folder, for a format with `folder` */
	enum text_charset charset; /* for formats that people read */
	unsigned columns;	   /* enum export_column, if the format has them */
	unsigned around;	   /* also write this many messages before and after each match */
	const char *fields;	   /* columns for executed code, separated by commas; NULL:
				      lines */
	const char *of;		   /* the interval of -t why; NULL: the only one */
	const char *source;	   /* names of the traces to write, separated by commas; NULL:
				      all */
	unsigned threads;	   /* threads that format; 0: one for each processor */
	/* Write only messages whose ID offset is in byte range PART (from 1) of PARTS.  The last
	 * part includes messages after all bytes.  0, 0: write all. */
	uint64_t part, parts;
	struct check *check; /* check the written messages, too; NULL: do not */
	bool follow;	     /* follow the one trace until session_interrupt */
};

/* True if a format shows contexts.  Most formats show only those of the profile.  Tables and
 * lines with columns may name those of the decoders too. */
static inline bool
export_has_contexts(const struct export_format *format, const struct contexts *contexts)
{
	return format->needs & VALUE_NEEDS_CONTEXTS && contexts &&
	       (format->rows || format->line || contexts_defined(contexts));
}

/* Return the needs of the format and of added columns: enum value_need. */
static inline unsigned
export_needs(const struct export_options *options)
{
	return options->format->needs | (options->columns & EXPORT_GAP ? VALUE_NEEDS_GAPS : 0) |
	       (options->columns & (EXPORT_DEPTH | EXPORT_TARGET) ? VALUE_NEEDS_FLOW : 0);
}

struct export_result {
	uint64_t messages;    /* messages written */
	struct doubts doubts; /* for everything decoded, whether it passes or not */
};

/* True if a trace has any rows in the format. */
bool export_fits(const struct export_format *, const struct trace *);

/* True if messages are written in the session's order, not trace by trace.  All traces must be
 * complete for that. */
bool export_is_ordered(const struct session *, const struct export_options *);

/* True if any byte of the output may depend on relations of clocks: by a time shown or filtered,
 * the mark of an estimate, or the order of several traces.  A message at the end of a capture
 * may change these, so clocks_load must come first.  If false, the output is equal with and
 * without clocks_load. */
bool export_rests_on_clocks(const struct session *, const struct export_options *);

/* Append the names of chosen traces without rows in the format, separated by ", ". */
void export_name_unfit(const struct session *, const struct export_options *, struct text *);

/* Write all messages, of several traces in time order.  Return 0, or ERR_IO with the reason
 * (such as EPIPE); a file then ends with a whole message.  Return ERR_USAGE if no trace has the
 * name `source`, or if several traces are to be divided or followed.  The outputs of all parts,
 * joined, equal the whole. */
int export_run(struct session *, const struct export_options *, struct export_result *,
	       struct err *);

/* Return a walk that estimates times of a trace's messages for FORMAT, or NULL if it cannot or
 * should not.  The caller frees it. */
struct cycles_walk *export_cycles(const struct export_format *, struct trace *);

/* As export_cycles, for a format that needs times in any case. */
struct cycles_walk *export_cycles_of(struct trace *);

/* True if the format or its fields need times. */
bool export_needs_times(const struct export_options *);

/* Expand a message, set its time, and append it as FORMAT shows it. */
void export_message(const struct export_format *, struct export_message *, struct text *out);

/* Parse names of columns, separated by commas.  Return 0 or ERR_USAGE. */
int export_parse_columns(const char *list, unsigned *columns, struct err *);
/* Return the name of column AT, or NULL past the end. */
const char *export_column_name(size_t at);

/* Append the optional columns, or leave room for them. */
void export_add_columns(struct export_message *, enum export_column_style, struct text *out);

/* Append the target of the message for EXPORT_TARGET, not safe yet.  export_add_columns leaves it
 * to the formats.  Return false if there is none, or it is unknown. */
bool export_find_target(struct export_message *, struct text *place);

/* Append FROM with its deltas filled in.  LAST is the last message with a time, before the call
 * and after it. */
void export_add_deltas(const struct text *from, const export_deltas *, struct export_delta *last,
		       struct text *out);

/* Leave room for a delta, or append a gap, in STYLE.  EXPORT_WORDS: aligned right in COLUMNS. */
void export_add_delta(struct export_message *, enum export_column_style, int columns,
		      struct text *out);
void export_add_gap(struct export_message *, enum export_column_style, int columns,
		    struct text *out);

/* Append the column names to a header line. */
void export_add_column_names(unsigned columns, struct text *header);

/* Destination of a text. */
struct export_target {
	struct writer *writer;
	enum text_charset charset; /* for a terminal */
	bool styled;		   /* as in struct export_format */
};

/* Write all lines of a text, and clear it.  Lines for a terminal are made safe, unless they are
 * styled.  Return 0 or a negative err_code (writer.h). */
int export_flush(struct text *, const struct export_target *, struct err *);

/* Append bytes as a JSON string, with quotes. */
void export_json_string(struct text *, const char *bytes, size_t length);

/* Append the names of a message's flags. */
void export_flags(const struct export_message *, const char *quote, const char *between,
		  struct text *);

/* Turn the text of OUT from START into a quoted CSV cell. */
void export_csv_quote(struct text *out, size_t start);

/* The same, only if the cell needs quotes. */
void export_csv_end_cell(struct text *out, size_t start);

/* Functions of the formats. */
void export_text(struct export_message *, struct text *);
void export_csv(struct export_message *, struct text *);
void export_jsonl(struct export_message *, struct text *);
void export_printer(struct export_message *, struct text *);
void export_hex(struct export_message *, struct text *);
void export_ctf(struct export_message *, struct text *);
void export_perfetto(struct export_message *, struct text *);
extern const struct export_writer export_ctf_writer, export_perfetto_writer;

/* Fill RESULT, which is zeroed, as a walk over all messages of TRACE would.  Several threads
 * count cell by cell.  Return false, with RESULT untouched, if that is impossible. */
bool export_count(struct trace *, const struct export_options *, struct export_result *);

/* Complete the index, and add its message counts to GROUP and RESULT.  RESULT gets the doubts of
 * all messages. */
void export_count_indexed(struct trace *, const struct export_options *, struct group *,
			  struct export_result *);

/* -t raw, -t stats and -t why. */
export_walk export_raw, export_stats, export_why;

#endif
