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

/* Return a key for a word, made from its first 8 letters, ignoring case, and its length. */
static uint64_t
level_key(const char *word, size_t length)
{
	uint64_t key = 0;
	for (size_t i = 0; i < length && i < 8; i++)
		key = key << 8 | (uint8_t)(word[i] | 0x20);
	return key ^ (uint64_t)length << 59;
}

static void
add_level(struct textlog_decoder *d, const char *word, enum severity severity)
{
	if (!word || d->level_count == TEXTLOG_LEVELS)
		return;
	d->levels[d->level_count].key = level_key(word, strlen(word));
	d->levels[d->level_count++].severity = (uint8_t)severity;
}

void
textlog_add_levels(struct textlog_decoder *d, const struct textlog_preset *preset)
{
	const struct textlog_level *own = d->options->levels.at;
	for (size_t i = 0; i < d->options->levels.count; i++)
		add_level(d, own[i].word, (enum severity)own[i].severity);
	if (preset && preset->word)
		add_level(d, preset->word, preset->meaning);
	d->own_levels = d->level_count;
	for (size_t i = 0; i < sizeof level_words / sizeof *level_words; i++)
		add_level(d, level_words[i].word, level_words[i].severity);
}

/* Find the severity of the first level with KEY in rows I to END. */
static bool
find_level(const struct textlog_decoder *d, unsigned i, unsigned end, uint64_t key,
	   enum severity *severity)
{
	for (; i < end; i++) {
		if (d->levels[i].key != key)
			continue;
		*severity = (enum severity)d->levels[i].severity;
		return true;
	}
	return false;
}

enum severity
textlog_level_read(const struct textlog_decoder *d, const char *level, size_t length)
{
	uint64_t key = level_key(level, length);
	enum severity severity = SEVERITY_NONE;
	unsigned number = 0;
	if (find_level(d, 0, d->own_levels, key, &severity))
		return severity;
	for (size_t i = 0; i < length; i++) {
		if (i == 3 || level[i] < '0' || level[i] > '9') {
			find_level(d, d->own_levels, d->level_count, key, &severity);
			return severity;
		}
		number = 10 * number + (unsigned)(level[i] - '0');
	}
	/* PRI is 8 times the facility and the severity [RFC 5424, 6.2.1] */
	return length ? (enum severity)syslog_severities[number & 7] : SEVERITY_NONE;
}

/* --- heads ------------------------------------------------------------- */

bool
textlog_head_find(struct regex *regex, const struct textlog_shown *line, struct textlog_head *head)
{
	if (!regex || !regex_find_groups(regex, line->text, line->length, head->spans))
		return false;
	head->text = head->spans[1] > line->length ? line->length : head->spans[1];
	return true;
}

bool
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

bool
textlog_is_loss(const char *text, size_t length)
{
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

bool
textlog_is_damaged(const uint8_t *p, size_t length)
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	size_t i = 0;
	for (; i + 8 <= length; i += 8) { /* skip eight bytes at once if none can be foreign */
		uint64_t word, mixed;
		memcpy(&word, p + i, sizeof word);
		mixed = word ^ 0x7f * ones;
		if (!((((word - 0x20 * ones) & ~word) | ((mixed - ones) & ~mixed)) & high))
			continue;
		for (size_t k = i; k < i + 8; k++)
			if (textlog_is_foreign(p[k]))
				return true;
	}
	for (; i < length; i++)
		if (textlog_is_foreign(p[i]))
			return true;
	return false;
}
