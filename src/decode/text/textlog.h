/*
 * Logs of lines of text: what the files of the format share.
 *
 * How a log reads is said by a pattern for the head of a message, with named groups, and
 * by how its time reads; the presets are a table of these, and a profile can give its own.
 */
#ifndef TRAWL_DECODE_TEXTLOG_H
#define TRAWL_DECODE_TEXTLOG_H

#include "base/regex.h"
#include "decode/decoder.h"

/* --- how a time reads (textlog_time.c) ---------------------------------- */

struct textlog_time {
	char format[64];
	double hz;     /* ticks per second; 0: unknown */
	bool wall;     /* ticks count from 1970 */
	bool counted;  /* the text is a number of ticks */
	bool dated;    /* it has a date */
	bool zoned;    /* what it says is in a time zone */
	bool no_date;  /* time of day: a step back is a new day */
	bool no_year;  /* a step back is a new year */
	uint64_t year; /* no_year: that of the first message; 0: unknown */
	int64_t zone;  /* seconds east of UTC, where a time names none */
};

/* NAME is one of the table in textlog_time.c, or a format.  ZONE is `+HH:MM`, `Z` or NULL.
 * NULL, or what was expected instead. */
const char *textlog_time_set(struct textlog_time *, const char *name);
bool textlog_zone_read(const char *zone, int64_t *seconds);

/* The time that LENGTH bytes at TEXT say, TURNS days or years after those in which the
 * log begins, in ticks; false if they are none. */
bool textlog_time_read(const struct textlog_time *, const char *text, size_t length, uint32_t turns,
		       uint64_t *ticks);
/* Ticks until a time without date or year is the same again; 0: it has both. */
uint64_t textlog_time_period(const struct textlog_time *);

/* --- presets (textlog_presets.c) ---------------------------------------- */

struct textlog_preset {
	const char *name, *title;
	const char *pattern; /* of the head of a message; what follows it is the text */
	const char *time;    /* as textlog_time_set takes it; NULL: there is none */
	const char *apart;   /* pattern of lines that belong to no message before; or NULL */
	/* a level that means something else than usual, or NULL */
	const char *word;
	enum severity meaning;
};

extern const struct textlog_preset textlog_presets[];
extern const size_t textlog_preset_count;
/* `auto`, `none`, then the names of the presets; NULL at the end. */
extern const char *const textlog_preset_names[];
enum { TEXTLOG_PRESET_AUTO, TEXTLOG_PRESET_NONE, TEXTLOG_PRESET_FIRST };

/* --- options and decoder ------------------------------------------------- */

struct textlog_level {
	char *word;
	int severity;
};

/* `text:` of a profile. */
struct textlog_options {
	int preset;
	char *pattern, *time, *zone;
	uint64_t year;
	struct option_list levels; /* struct textlog_level */
	bool join;
};

enum textlog_kind {
	TEXTLOG_MESSAGE, /* it has a head */
	TEXTLOG_LINE,	 /* a line without one */
	TEXTLOG_REST,	 /* what is too long for the message before */
	TEXTLOG_KIND_COUNT
};

enum textlog_field {
	TEXTLOG_F_STAMP,
	TEXTLOG_F_LEVEL,
	TEXTLOG_F_FACILITY,
	TEXTLOG_F_HOST,
	TEXTLOG_F_PID,
	TEXTLOG_F_TID,
	TEXTLOG_F_UID,
	TEXTLOG_F_CPU,
	TEXTLOG_F_CALLER,
	TEXTLOG_F_THREAD,
	TEXTLOG_F_PROCESS,
	TEXTLOG_F_MODULE,
	TEXTLOG_F_FUNCTION,
	TEXTLOG_F_FILE,
	TEXTLOG_F_LINE,
	TEXTLOG_F_CODE,
	TEXTLOG_F_MSGID,
	TEXTLOG_F_DATA,
	TEXTLOG_F_OTHERS, /* list: groups of other names */
	TEXTLOG_F_OTHER,
	TEXTLOG_F_LINES,
	TEXTLOG_F_SHAPE,
	TEXTLOG_F_NOTE,
	TEXTLOG_F_COUNT
};
extern const struct field_row textlog_fields[TEXTLOG_F_COUNT];

enum { TEXTLOG_GROUPS = 32, TEXTLOG_LEVELS = 64, TEXTLOG_SAME = 4 };

/* The groups of a pattern that have one name. */
struct textlog_group {
	uint8_t numbers[TEXTLOG_SAME];
	unsigned count;
};

/* A group whose name is none of the decoder's own. */
struct textlog_field_group {
	const char *name; /* of the pattern */
	uint8_t number;
	uint8_t field; /* that has its name; TEXTLOG_F_COUNT: none */
};

struct textlog_decoder {
	struct decoder base;
	const struct textlog_options *options;
	struct regex *regex; /* NULL: each line is a message */
	struct textlog_time time;
	bool timed;
	struct regex *apart; /* or NULL */
	struct textlog_group time_group, level_group, origin_group, message_group;
	struct textlog_field_group field_groups[TEXTLOG_GROUPS]; /* all others */
	unsigned field_group_count;
	struct {
		uint64_t key;
		uint8_t severity;
	} levels[TEXTLOG_LEVELS];
	unsigned own_levels, level_count; /* the options' come first */
	struct text about;
};

/* --- a line as a terminal shows it (textlog_screen.c) ---------------------- */

struct textlog_cell {
	uint32_t from, length; /* bytes of the line; none: a blank */
};

/* Zero-initialise. */
struct textlog_screen {
	VEC(struct textlog_cell) cells;
	VEC(char) text;
	VEC(uint32_t) from;
	size_t moves; /* of cells, for the line */
};

/* What is shown of a line, until the next one is shown there. */
struct textlog_shown {
	const char *text;
	size_t length;
	const uint32_t *from; /* where each byte is in the line; NULL: it is shown as it is */
};

/* Applies carriage returns, backspaces and escape sequences. */
struct textlog_shown textlog_show(struct textlog_screen *, const char *line, size_t length);
/* Whether there are none of these. */
bool textlog_is_shown_as_is(const char *line, size_t length);
/* Turns a span of what is shown, which is not empty, into one of the line. */
void textlog_span(const struct textlog_shown *, size_t *start, size_t *end);
void textlog_screen_free(struct textlog_screen *);

/* The head of a message; spans are of its line as it is shown, SIZE_MAX where there is none. */
struct textlog_head {
	size_t spans[2 * TEXTLOG_GROUPS];
	size_t text; /* where the text starts */
};

/* What `aux` of a message with a head holds: where its text starts, and its origin. */
#define TEXTLOG_AUX_TEXT(aux) ((size_t)((aux)&0xfffff))
#define TEXTLOG_AUX_ORIGIN(aux) ((size_t)((aux) >> 20 & 0xfffff))
#define TEXTLOG_AUX_ORIGIN_END(aux) ((size_t)((aux) >> 40 & 0xfffff))
static inline uint64_t
textlog_aux(size_t text, size_t origin, size_t origin_end)
{
	return (uint64_t)origin_end << 40 | (uint64_t)origin << 20 | text;
}

/* --- what is found in a line (textlog_head.c) ----------------------------- */

/* Whether the line has a head; REGEX is the caller's share of the decoder's. */
bool textlog_head_find(struct regex *regex, const struct textlog_shown *, struct textlog_head *);
/* The span of the first of GROUP that takes part; false if none does. */
bool textlog_group_find(const struct textlog_head *, const struct textlog_group *, size_t *start,
			size_t *end);
/* Those of the options, of the preset (or NULL), and the usual ones. */
void textlog_add_levels(struct textlog_decoder *, const struct textlog_preset *);
/* The severity of a level, SEVERITY_MAX where it has none. */
enum severity textlog_level_read(const struct textlog_decoder *, const char *level, size_t length);
/* Whether a text, without colours, says that messages before it were dropped. */
bool textlog_is_loss(const char *text, size_t length);
/* Whether a byte is one that no text has: not BEL to CR and ESC, which are of terminals. */
bool textlog_is_foreign(uint8_t c);
/* Whether such bytes are among them. */
bool textlog_is_damaged(const uint8_t *p, size_t length);

extern const struct decoder_ops text_ops;
struct sought;
struct sought_answer;
void textlog_sift(const struct decoder *, const struct message *, const struct window *,
		  struct sought *, struct sought_answer *);
void textlog_type_keys(const struct decoder *, const struct message *, size_t count,
		       const struct window *, uint64_t *keys, bool *keyed);
const char *textlog_text(const struct decoder *, const struct message *, const struct window *,
			 size_t *length);
void textlog_expand(const struct decoder *, const struct message *, const struct window *,
		    enum expand_want, const struct decode_history *, struct expansion *);

#endif
