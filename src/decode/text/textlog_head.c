/*
 * Logs of lines of text: parse a line.  Finds the groups of its head, the severity of
 * a level, reports of losses, and bytes that never occur in text.
 */
#include "config.h"

#include "decode/text/textlog.h"

#include <assert.h>
#include <string.h>

/* --- levels ------------------------------------------------------------ */

/* Words that loggers write, in lower case.  The letters are logcat's; numbers are those of
 * syslog and printk. */
static const struct {
	const char *word;
	enum severity severity;
} level_words[] = {
    {"emerg", SEVERITY_FATAL},	    {"emergency", SEVERITY_FATAL},
    {"panic", SEVERITY_FATAL},	    {"alert", SEVERITY_FATAL},
    {"crit", SEVERITY_FATAL},	    {"critical", SEVERITY_FATAL},
    {"fatal", SEVERITY_FATAL},	    {"f", SEVERITY_FATAL},
    {"a", SEVERITY_FATAL},	    {"error", SEVERITY_ERROR},
    {"err", SEVERITY_ERROR},	    {"severe", SEVERITY_ERROR},
    {"e", SEVERITY_ERROR},	    {"warning", SEVERITY_WARNING},
    {"warn", SEVERITY_WARNING},	    {"wrn", SEVERITY_WARNING},
    {"w", SEVERITY_WARNING},	    {"notice", SEVERITY_INFO},
    {"info", SEVERITY_INFO},	    {"inf", SEVERITY_INFO},
    {"information", SEVERITY_INFO}, {"informational", SEVERITY_INFO},
    {"i", SEVERITY_INFO},	    {"debug", SEVERITY_DEBUG},
    {"dbg", SEVERITY_DEBUG},	    {"d", SEVERITY_DEBUG},
    {"trace", SEVERITY_DEBUG},	    {"trc", SEVERITY_DEBUG},
    {"verbose", SEVERITY_DEBUG},    {"v", SEVERITY_DEBUG},
};
static_assert(sizeof level_words / sizeof *level_words <= TEXTLOG_LEVELS / 2, "levels have room");

/* "Numerical Code" 0 to 7: emergency, alert, critical, error, warning, notice, informational,
 * debug [RFC 5424, 6.2.1, table 2]; those of the kernel are the same [Linux 6.1,
 * kern_levels.h]. */
static const uint8_t syslog_severities[] = {
    SEVERITY_FATAL,   SEVERITY_FATAL, SEVERITY_FATAL, SEVERITY_ERROR,
    SEVERITY_WARNING, SEVERITY_INFO,  SEVERITY_INFO,  SEVERITY_DEBUG,
};

/* Return a key for a word, made from its first 8 letters, ignoring case, and its length.  It is
 * not 0. */
static uint64_t
level_key(const char *word, size_t length)
{
	uint64_t key = 0;
	for (size_t i = 0; i < length && i < 8; i++)
		key = key << 8 | (uint8_t)(word[i] | 0x20);
	return key ^ (uint64_t)length << 59;
}

/* Return the slot of a key: its own, or the free one where it belongs. */
static unsigned
level_slot(const struct textlog_decoder *d, uint64_t key)
{
	unsigned slot = (unsigned)(key * 0x9e3779b97f4a7c15 >> 56) % TEXTLOG_SLOTS;
	while (d->levels[slot].key && d->levels[slot].key != key)
		slot = (slot + 1) % TEXTLOG_SLOTS;
	return slot;
}

/* Add a level, unless an earlier row has the same word. */
static void
add_level(struct textlog_decoder *d, const char *word, enum severity severity)
{
	if (!word || !*word || d->level_count == TEXTLOG_LEVELS)
		return;
	uint64_t key = level_key(word, strlen(word));
	unsigned slot = level_slot(d, key);
	d->level_count += !d->levels[slot].key;
	if (!d->levels[slot].key)
		d->levels[slot].severity = (uint8_t)severity;
	d->levels[slot].key = key;
}

void
textlog_add_levels(struct textlog_decoder *d, const struct textlog_preset *preset)
{
	const struct textlog_level *own = d->options->levels.at;
	for (size_t i = 0; i < d->options->levels.count; i++)
		add_level(d, own[i].word, (enum severity)own[i].severity);
	if (preset && preset->word)
		add_level(d, preset->word, preset->meaning);
	for (size_t i = 0; i < sizeof level_words / sizeof *level_words; i++)
		add_level(d, level_words[i].word, level_words[i].severity);
}

enum severity
textlog_level_read(const struct textlog_decoder *d, const char *level, size_t length)
{
	uint64_t key = level_key(level, length);
	unsigned slot = level_slot(d, key), number = 0;
	if (d->levels[slot].key)
		return (enum severity)d->levels[slot].severity;
	for (size_t i = 0; i < length; i++) {
		if (i == 3 || level[i] < '0' || level[i] > '9')
			return SEVERITY_NONE;
		number = 10 * number + (unsigned)(level[i] - '0');
	}
	/* PRI is 8 times the facility and the severity [RFC 5424, 6.2.1] */
	return length ? (enum severity)syslog_severities[number & 7] : SEVERITY_NONE;
}

/* --- heads ------------------------------------------------------------- */

bool
textlog_head_find(struct regex *regex, const struct textlog_shown *line, struct textlog_head *head)
{
	head->spans = regex ? regex_find_groups(regex, line->text, line->length) : NULL;
	if (!head->spans)
		return false;
	head->text = head->spans[1] > line->length ? line->length : head->spans[1];
	return true;
}

/* Beginnings of texts that report a loss; # is a number. */
static const char *const losses[] = {
    "--- # messages dropped",	    /* [Zephyr, log_output.c, log_output_dropped_process] */
    "** # printk messages dropped", /* [Linux 6.1, printk.c, console_unlock] */
    "# callbacks suppressed",	    /* [Linux 6.1, ratelimit.c, ___ratelimit], after its origin */
    "# messages suppressed", /* [Linux 2.6, printk.c, __printk_ratelimit], after its origin */
    "printk: # messages suppressed", /* Xen's form */
    "CPU:# [LOST # EVENTS]",	     /* [Linux 6.1, trace.c, print_trace_line] */
    "CPU:# [LOST EVENTS]",	     "CPU:# [# EVENTS DROPPED]", /* trace-cmd report */
    "CPU:# [EVENTS DROPPED]",
};

static bool
begins_like(const char *text, size_t length, const char *form)
{
	const char *end = text + length;
	for (; *form; form++) {
		const char *start = text;
		while (*form == '#' && text < end && *text >= '0' && *text <= '9')
			text++;
		if (*form == '#' ? text == start : text == end || *text++ != *form)
			return false;
	}
	return true;
}

/* True if a row of `losses` begins with C. */
static bool
may_begin_loss(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '*' || c == 'p' || c == 'C';
}

bool
textlog_is_loss(const char *text, size_t length)
{
	if (!length || !may_begin_loss(*text))
		return false;
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
		if (begins_like(text, length, losses[i]))
			return true;
	return false;
}

bool
textlog_is_foreign(uint8_t c)
{
	return (c < 0x20 && (uint8_t)(c - 7) > 6 && c != 0x1b) || c == 0x7f;
}

static textlog_lanes
find_controls(textlog_lanes bytes)
{
	return (textlog_lanes)((bytes < 0x20) & (bytes != '\t')) | (textlog_lanes)(bytes == 0x7f);
}

size_t
textlog_plain(const uint8_t *p, size_t length)
{
	return textlog_find(p, length, find_controls);
}

bool
textlog_is_damaged(const uint8_t *p, size_t length)
{
	for (size_t i = textlog_plain(p, length); i < length;
	     i += 1 + textlog_plain(p + i + 1, length - i - 1))
		if (textlog_is_foreign(p[i]))
			return true;
	return false;
}
