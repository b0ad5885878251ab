/*
 * Batch output: the messages of a session, in a format for programs or paper.
 *
 * The same decoders and filters as on the screen.  A format is a row of
 * export_formats and a few functions; everything is built in buffers, by
 * several threads, and written in large pieces, whole messages at a time.  What
 * goes to a terminal is made safe on the way out, in every format.
 */
#ifndef TRAWL_EXPORT_EXPORT_H
#define TRAWL_EXPORT_EXPORT_H

#include "base/writer.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "trace/doubts.h"

/* What a person put at a message. */
struct export_mark {
	char letter;	  /* `*`: a bookmark */
	const char *note; /* or NULL */
};

/* What is told besides, where it is asked for: a bit each. */
enum export_column {
	EXPORT_DELTA = 1 << 0, /* time since the message printed before that has one */
	EXPORT_GAP = 1 << 1,   /* and since the message before, whatever is printed: gap.h */
	EXPORT_DEPTH = 1 << 2, /* what was executed: flow_cursor.h */
	EXPORT_TARGET = 1 << 3,
	EXPORT_FLOW = EXPORT_DEPTH | EXPORT_TARGET,
	EXPORT_RUNS = 1 << 4 /* likewise, of names alone: run_on.h */
};

/* How a format tells them; others cannot.  EXPORT_WORDS and EXPORT_NUMBER are those of
 * lines that a user describes. */
enum export_column_style {
	EXPORT_NO_COLUMNS,
	EXPORT_ALIGNED,
	EXPORT_CSV,
	EXPORT_JSON,
	EXPORT_WORDS,
	EXPORT_NUMBER
};

/* What stands for many messages: rows of a table, export_table.h. */
enum export_rows {
	EXPORT_NO_ROWS,
	EXPORT_ROWS_ALIGNED,
	EXPORT_ROWS_TABS, /* for people, too */
	EXPORT_ROWS_CSV,
	EXPORT_ROWS_JSON
};

/* Where a delta belongs in what was made of messages: it is known only when all before
 * it is written. */
struct export_delta {
	size_t at; /* in the text */
	enum export_column_style style;
	int columns; /* at least; EXPORT_WORDS alone, at the right of them */
	bool again;  /* its message has one before it */
	bool timed;
	struct message_time time;
};

typedef VEC(struct export_delta) export_deltas;

/* What times since the start are since; found when the first is asked for. */
struct export_start {
	bool known;
	struct message_time time; /* `order`, and what it can be compared with */
};

/* Name of a field as JSON has it. */
struct export_key {
	const struct field_row *row;
	uint8_t length; /* 0: too long to be kept */
	char bytes[39];
};

/* The digits of a number, from which those of the next ones differ in the last four. */
struct export_number {
	uint64_t base; /* the last four are zero; 0: there is none */
	uint8_t length;
	char digits[24]; /* of the base, without these */
};

/* What a thread keeps of a trace for its messages to come.  Zero-initialise to start. */
struct export_kept {
	struct export_start start;
	const struct trace *trace; /* whose name follows; NULL: none's */
	struct text name;	   /* as a line of JSON has it, and what stands around it */
	struct export_key keys[64];
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
	uint64_t number;
	struct expansion *expansion;	 /* as the format needs it */
	struct context_cursor *contexts; /* or NULL: none are defined */
	struct cycles_walk *cycles;	 /* or NULL: it has a time only if it tells one */
	bool ticked;			 /* `ticks` is valid */
	uint64_t ticks;			 /* that the message tells; estimated, where the rate of
					    its clock is not known */
	bool timed;			 /* `time` is valid */
	bool wall;			 /* and counts from 1970 */
	size_t part;			 /* of the session's clocks, if timed; see clocks.h */
	int64_t time;			 /* nanoseconds on the session's common clock */
	const struct export_mark *mark;	 /* to be written too, or NULL */
	unsigned columns;		 /* enum export_column */
	bool has_delta;			 /* one is among them */
	export_deltas *deltas;		 /* if EXPORT_DELTA is in it: to be added to */
	struct gap_cursor *gaps;	 /* if EXPORT_GAP is */
	struct flow_cursor *flow;	 /* if EXPORT_FLOW or EXPORT_RUNS is */
	const struct spans *spans;	 /* if the format has them */
	bool related;			 /* `session_time` is valid, known or not */
	struct message_time session_time;
	/* its time, where it was found with those of other messages; or NULL */
	const struct message_time *found;
	bool found_any;
	struct export_kept *kept;	/* of its trace */
	const struct export_line *line; /* of its format, or NULL */
	enum text_charset charset;
};

struct export_options;
struct export_result;
struct export_sink;
struct session;

/*
 * What makes the output of records, for formats in which a message's part of it
 * depends on the messages before: `message` makes a record (export_record.h) of
 * each, and these get them all in order, in one thread.
 */
struct export_writer {
	void *(*open)(struct session *, const struct export_options *);
	/* Takes records of whole messages; appends to OUT what goes to the output.
	 * 0, or ERR_IO. */
	int (*write)(void *, const struct text *records, struct text *out, struct err *);
	/* After the last one, or after an error of another: ends what was begun and
	 * frees all. */
	int (*close)(void *, struct text *out, struct err *);
};

struct export_format {
	const char *name;
	const char *help;
	bool expand;	       /* needs text at all */
	enum expand_want want; /* and fields */
	bool timed;	       /* shows times, or whether they are estimates */
	bool ordered;	       /* has the messages of several traces in one order */
	bool contexts;	       /* and contexts: contexts_load */
	bool intervals;	       /* and intervals: session_load_intervals */
	bool spans;	       /* and spans of contexts: query/span/spans.h */
	bool live;	       /* but does not wait for the end of streams for that */
	bool flagged;	       /* shows the flags of messages */
	bool folder;	       /* `output` is a folder */
	enum export_column_style columns;
	bool printed;	    /* by decoders whose `printer` has this name; others have no rows */
	const char *header; /* first line with its end, or NULL */
	const char *mark_header; /* the same where marks are written, if it is another */
	const char *footer;	 /* last line, or NULL */
	/* Appends one message to OUT, line end included; nothing: no row. */
	void (*message)(struct export_message *, struct text *out);
	const struct export_writer *writer; /* or NULL: what `message` makes is the output */
	const struct export_line *line;	    /* as the user describes it, borrowed; or NULL */
	/* lines have colours, or text that the user gave; values in them are safe */
	bool styled;
	unsigned uses; /* enum export_column that are a part of that */
	bool raw;      /* is the bytes of a trace */
	bool listed;   /* by decoders whose listing has this name */
	/* is what was executed: export_flow.h; or NULL */
	int (*flow)(struct trace *, const struct export_options *, const struct export_sink *,
		    struct export_result *, struct err *);
	bool fielded;			   /* reads `fields` of its options */
	bool (*times)(const char *fields); /* whether these need times; NULL: never */
	bool counts;			   /* is export_stats, instead of messages */
	enum export_rows rows;		   /* is rows of a table, instead of messages */
	const struct export_table *table;  /* as the user describes it, borrowed; or NULL */
	bool silent;			   /* prints nothing: only the result matters */
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

const struct export_format *export_find(const char *name); /* NULL if unknown */

enum { EXPORT_AROUND_MAX = 1000 };

struct export_options {
	const struct export_format *format;
	struct filter filter;
	const struct filter *stop; /* ends behind the first of these; borrowed; NULL: none */
	struct writer *output;	   /* of a folder where the format has one */
	enum text_charset charset; /* of what is for people */
	unsigned columns;	   /* enum export_column, if the format has them */
	unsigned around;	   /* messages before and after each that passes, too */
	const char *fields;	   /* of what was executed, with commas between; NULL: lines */
	const char *source;	   /* names of the traces to write, with commas; NULL: all */
	unsigned threads;	   /* that format; 0 = one for each processor */
	/* Only messages whose ID offset is in byte range PART (from 1) of PARTS; the
	 * last has what stands behind all bytes too.  0, 0: all of them. */
	uint64_t part, parts;
	bool follow; /* the one trace, until session_interrupt */
	/* clocks_load is left to export_run (export_can_be_late) */
	bool clocks_late;
};

/* Whether a format shows contexts: those of the profile; in a table or in columns, which name
 * one, or of whose spans a length is asked for, those of the formats too. */
static inline bool
export_has_contexts(const struct export_format *format, const struct contexts *contexts)
{
	return format->contexts && contexts &&
	       (format->rows || format->line || format->spans || contexts_defined(contexts));
}

/* The columns that the output has, added or as a part of its lines. */
static inline unsigned
export_uses(const struct export_options *options)
{
	return options->columns | options->format->uses;
}

struct export_result {
	uint64_t messages;    /* written */
	struct doubts doubts; /* in all that was decoded, whatever passes */
};

/* Whether a trace has rows in the format at all. */
bool export_fits(const struct export_format *, const struct trace *);

/* Whether messages will be in the order of the session, not of one trace, for which all must
 * be at their end. */
bool export_is_ordered(const struct session *, const struct export_options *);

/* Whether a byte that is written may depend on what relates clocks: on a time, as it is shown or
 * asked for, its mark of a guess, or the order of several traces.  As a message at the end of a
 * capture may change all of them, nothing is written before clocks_load then.  If it is false,
 * what is written is the same with and without clocks_load. */
bool export_rests_on_clocks(const struct session *, const struct export_options *);

/* Whether clocks_load can wait all the same until a message tells of clocks, as what was made
 * until then can be made again: of a table of all messages of one trace. */
bool export_can_be_late(const struct session *, const struct export_options *);

/* Appends the names of chosen traces that have no rows in the format, with ", "
 * between. */
void export_name_unfit(const struct session *, const struct export_options *, struct text *);

/* Writes all messages, of several traces in the order of time.  0; ERR_IO with the
 * reason (EPIPE among them), where a file then ends with a whole message;
 * ERR_USAGE if no trace has the name `source`, or several are to be divided or
 * followed.  The outputs of all parts, one after the other, are that of the
 * whole. */
int export_run(struct session *, const struct export_options *, struct export_result *,
	       struct err *);

/* What estimates times of a trace's messages for FORMAT; NULL if that cannot be, or
 * should not.  The caller frees it. */
struct cycles_walk *export_cycles(const struct export_format *, struct trace *);

/* The same for a format that needs times in any case. */
struct cycles_walk *export_cycles_of(struct trace *);

/* Whether times are needed: of the format, or of its columns. */
bool export_needs_times(const struct export_options *);

/* Expands a message, gives it its time, and appends it as FORMAT shows it. */
void export_message(const struct export_format *, struct export_message *, struct text *out);

/* Reads names of columns, with commas between; 0, or ERR_USAGE. */
int export_parse_columns(const char *list, unsigned *columns, struct err *);
/* Name number AT of these; NULL past the end. */
const char *export_column_name(size_t at);

/* Appends what is told besides, or leaves room for it; nothing if nothing is. */
void export_add_columns(struct export_message *, enum export_column_style, struct text *out);

/* Appends where the message went, for EXPORT_TARGET, which export_add_columns leaves to the
 * formats; not safe yet; false: nowhere, or it is not known. */
bool export_find_target(struct export_message *, struct text *place);

/* Appends FROM, with the deltas that belong into it; LAST is the last message with a time
 * before it, and after. */
void export_add_deltas(const struct text *from, const export_deltas *, struct export_delta *last,
		       struct text *out);

/* Leaves room for a delta, or appends a gap, in STYLE; EXPORT_WORDS: at the right of COLUMNS. */
void export_add_delta(struct export_message *, enum export_column_style, int columns,
		      struct text *out);
void export_add_gap(struct export_message *, enum export_column_style, int columns,
		    struct text *out);

/* Appends the names of these columns to a first line of names. */
void export_add_column_names(unsigned columns, struct text *header);

/* Where a text is written to. */
struct export_target {
	struct writer *writer;
	enum text_charset charset; /* of a terminal */
	bool styled;		   /* as in struct export_format */
};

/* Write all lines of a text, and clear it.  On a terminal they are made safe, unless they are
 * styled.  Return 0 or a negative err_code (writer.h). */
int export_flush(struct text *, const struct export_target *, struct err *);

/* Appends bytes as a JSON string, quotes included. */
void export_json_string(struct text *, const char *bytes, size_t length);

/* Appends the names of a message's flags. */
void export_flags(const struct export_message *, const char *quote, const char *between,
		  struct text *);

/* Makes a quoted cell of CSV of what OUT has from START on. */
void export_csv_quote(struct text *out, size_t start);

/* The formats' functions. */
void export_text(struct export_message *, struct text *);
void export_csv(struct export_message *, struct text *);
void export_jsonl(struct export_message *, struct text *);
void export_printer(struct export_message *, struct text *);
void export_hex(struct export_message *, struct text *);
void export_ctf(struct export_message *, struct text *);
void export_perfetto(struct export_message *, struct text *);
extern const struct export_writer export_ctf_writer, export_perfetto_writer;

/* Fills RESULT, which is zeroed, with what walking over all messages of TRACE would: cell
 * by cell, by several threads.  False, and nothing filled, if that cannot be. */
bool export_count(struct trace *, const struct export_options *, struct export_result *);

/* Adds to GROUP the messages that the index of a trace counts, after its end; and to RESULT,
 * whose doubts are those of all messages. */
void export_count_indexed(struct reader *, const struct export_options *, struct group *,
			  struct export_result *);

/* A line of names, and those of a trace for each sender; waits for its end.  Lines of
 * the bytes that are in no message go to SILENT. */
void export_stats_head(const struct export_options *, struct text *);
void export_stats(struct trace *, const struct export_options *, struct text *, struct text *silent,
		  struct export_result *);

#endif
