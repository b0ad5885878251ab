/*
 * Logs of lines of text: declarations shared by the files of the format.
 *
 * A pattern with named groups matches the head of a message, and a format reads its
 * time.  The presets are a table of such pairs.  A profile can define its own.
 */
#ifndef TRAWL_DECODE_TEXTLOG_H
#define TRAWL_DECODE_TEXTLOG_H

#include "base/bytes.h"
#include "base/regex.h"
#include "decode/decoder.h"

/* --- times (textlog_time.c) --------------------------------------------- */

struct textlog_time {
	char format[64];
	size_t tail;   /* offset of the second in the format; 0: no struct textlog_minute */
	double hz;     /* ticks per second; 0: unknown */
	bool wall;     /* ticks count from 1970 */
	bool counted;  /* the text is a number of ticks */
	bool dated;    /* the format has a date */
	bool zoned;    /* times are in a time zone */
	bool no_date;  /* time of day; a step back means a new day */
	bool no_year;  /* a step back means a new year */
	uint64_t year; /* no_year: year of the first message; 0: unknown */
	int64_t zone;  /* seconds east of UTC, for times without a zone */
};

/* Set the format of times.  NAME is an entry of the table in textlog_time.c, or a
 * format.  Return NULL, or a description of the expected value. */
const char *textlog_time_set(struct textlog_time *, const char *name);
bool textlog_zone_read(const char *zone, int64_t *seconds);

/* The last time as far as its minute.  The next one is mostly in the same minute, and only the rest
 * of it is read.  Zero-initialise, and use for one format. */
struct textlog_minute {
	char text[40];
	size_t length; /* 0: none */
	uint32_t turns;
	int64_t seconds;
};

/* Read a time from LENGTH bytes at TEXT, in ticks.  TURNS days or years have passed since the
 * start of the log.  Return false if the text is not a time. */
bool textlog_time_read(const struct textlog_time *, struct textlog_minute *, const char *text,
		       size_t length, uint32_t turns, uint64_t *ticks);
/* Return the ticks after which a time without date or year repeats, 0 if it has both. */
uint64_t textlog_time_period(const struct textlog_time *);

/* --- presets (textlog_presets.c) ---------------------------------------- */

struct textlog_preset {
	const char *name, *title;
	const char *pattern; /* matches the head of a message; its text follows */
	const char *time;    /* argument of textlog_time_set; NULL: no time */
	const char *apart;   /* pattern of lines that never continue a message, or NULL */
	/* a level with an unusual meaning, or NULL */
	const char *word;
	enum severity meaning;
};

extern const struct textlog_preset textlog_presets[];
extern const size_t textlog_preset_count;
/* `auto`, `none`, then the names of the presets; ends with NULL. */
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
	TEXTLOG_MESSAGE, /* has a head */
	TEXTLOG_LINE,	 /* line without a head */
	TEXTLOG_REST,	 /* rest of a message that is too long */
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
	TEXTLOG_F_OTHERS, /* list of groups with other names */
	TEXTLOG_F_OTHER,
	TEXTLOG_F_LINES,
	TEXTLOG_F_SHAPE,
	TEXTLOG_F_NOTE,
	TEXTLOG_F_COUNT
};
extern const struct field_row textlog_fields[TEXTLOG_F_COUNT];

enum { TEXTLOG_GROUPS = 32, TEXTLOG_LEVELS = 64, TEXTLOG_SLOTS = 256, TEXTLOG_SAME = 4 };

/* Groups of a pattern that have the same meaning. */
struct textlog_group {
	uint8_t numbers[TEXTLOG_SAME];
	unsigned count;
};

/* A group that is not one of the decoder's own. */
struct textlog_field_group {
	const char *name; /* from the pattern */
	uint8_t number;
	uint8_t field; /* field of the same name; TEXTLOG_F_COUNT: none */
};

struct textlog_decoder {
	struct decoder base;
	const struct textlog_options *options;
	struct regex *regex; /* NULL: each line is a message */
	struct textlog_time time;
	bool timed;
	struct regex *apart; /* or NULL */
	struct textlog_group time_group, level_group, origin_group, message_group;
	struct textlog_field_group field_groups[TEXTLOG_GROUPS]; /* all other groups */
	unsigned field_group_count;
	struct {
		uint64_t key; /* 0: free */
		uint8_t severity;
	} levels[TEXTLOG_SLOTS]; /* at the slot of the key, or the next free one */
	unsigned level_count;	 /* at most TEXTLOG_LEVELS */
	struct text about;
};

/* --- bytes ------------------------------------------------------------------ */

typedef uint8_t textlog_lanes __attribute__((vector_size(16)));

/* Return the number of bytes before the first one that TEST marks, at most LENGTH.  TEST does not
 * mark 0x20. */
static inline __attribute__((always_inline)) size_t
textlog_find(const uint8_t *p, size_t length, textlog_lanes (*test)(textlog_lanes))
{
	for (size_t at = 0; at < length; at += sizeof(textlog_lanes)) {
		textlog_lanes bytes = (textlog_lanes){0} + 0x20;
		if (length - at >= sizeof bytes)
			memcpy(&bytes, p + at, sizeof bytes);
		else
			memcpy(&bytes, p + at, length - at);
		bytes = test(bytes);
		for (size_t half = 0; half < sizeof bytes; half += 8) {
			uint64_t marked = bytes_le64((const uint8_t *)&bytes + half);
			if (marked)
				return at + half + (size_t)__builtin_ctzll(marked) / 8;
		}
	}
	return length;
}

/* --- a line as a terminal shows it (textlog_screen.c) ---------------------- */

struct textlog_cell {
	uint32_t from, length; /* bytes of the line; length 0: a blank */
};

/* Zero-initialise. */
struct textlog_screen {
	VEC(struct textlog_cell) cells;
	VEC(char) text;
	VEC(uint32_t) from;
	size_t moves; /* cells moved or erased for the current line */
};

/* A line as shown.  Valid until the next textlog_show on the same screen. */
struct textlog_shown {
	const char *text;
	size_t length;
	const uint32_t *from; /* offset of each byte in the line; NULL: line unchanged */
};

/* Apply carriage returns, backspaces and escape sequences. */
struct textlog_shown textlog_show(struct textlog_screen *, const char *line, size_t length);
/* Return the number of bytes before the first such character, at most LENGTH. */
size_t textlog_as_is(const char *p, size_t length);
/* Convert a span of the shown text, not empty, to a span of the line. */
void textlog_span(const struct textlog_shown *, size_t *start, size_t *end);
void textlog_screen_free(struct textlog_screen *);

/* The head of a message.  Spans refer to its line as shown; SIZE_MAX marks an absent group.  Valid
 * until the next match of the regex. */
struct textlog_head {
	const size_t *spans;
	size_t text; /* start of the text */
};

/* Content of `aux` of a message with a head: start of its text, and its origin. */
#define TEXTLOG_AUX_TEXT(aux) ((size_t)((aux)&0xfffff))
#define TEXTLOG_AUX_ORIGIN(aux) ((size_t)((aux) >> 20 & 0xfffff))
#define TEXTLOG_AUX_ORIGIN_END(aux) ((size_t)((aux) >> 40 & 0xfffff))
static inline uint64_t
textlog_aux(size_t text, size_t origin, size_t origin_end)
{
	return (uint64_t)origin_end << 40 | (uint64_t)origin << 20 | text;
}

/* --- parsing a line (textlog_head.c) -------------------------------------- */

/* Match the head of a line.  Return false if it has none.  REGEX is the caller's share of the
 * decoder's. */
bool textlog_head_find(struct regex *regex, const struct textlog_shown *, struct textlog_head *);
/* Find the span of the first group that matched.  Return false if none did. */
static inline bool
textlog_group_find(const struct textlog_head *head, const struct textlog_group *group,
		   size_t *start, size_t *end)
{
	for (unsigned i = 0; i < group->count; i++) {
		const size_t *span = &head->spans[2 * group->numbers[i]];
		if (span[0] == SIZE_MAX || span[1] <= span[0])
			continue;
		*start = span[0];
		*end = span[1];
		return true;
	}
	return false;
}

/* Add the levels of the options, of the preset (or NULL), and the usual ones. */
void textlog_add_levels(struct textlog_decoder *, const struct textlog_preset *);
/* Return the severity of a level, SEVERITY_NONE if it is unknown. */
enum severity textlog_level_read(const struct textlog_decoder *, const char *level, size_t length);
/* True if a text, without colours, reports dropped messages. */
bool textlog_is_loss(const char *text, size_t length);
/* True if a byte never occurs in text.  BEL to CR and ESC do, because terminals use them
 * [ECMA-48, elements of the C0 set]. */
bool textlog_is_foreign(uint8_t c);
/* Return the number of bytes before the first control character other than TAB, at most LENGTH. */
size_t textlog_plain(const uint8_t *p, size_t length);
/* True if any byte at P is foreign. */
bool textlog_is_damaged(const uint8_t *p, size_t length);

extern const struct decoder_ops text_ops;
void textlog_type_keys(const struct decoder *, const struct message *, size_t count,
		       const struct window *, uint64_t *keys, bool *keyed);
const char *textlog_text(const struct decoder *, const struct message *, const struct window *,
			 size_t *length);
bool textlog_in_place(const struct decoder *, const struct needles *, const struct window *,
		      uint64_t kinds, unsigned flags);
void textlog_expand(const struct decoder *, const struct message *, const struct window *,
		    enum expand_want, const struct decode_history *, struct expansion *);

#endif
