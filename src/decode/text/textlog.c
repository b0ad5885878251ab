/*
 * Logs of lines of text: consoles, kernels, system logs.
 *
 * A pattern finds the head of a message in a line: its time, level and origin.  Lines
 * without a head belong to the message before.  Before the first head each line is a
 * message, and without a pattern all lines are.  A message longer than LINE_LONGEST
 * continues in another one.  Stepping finds line ends and matches each line once, plus
 * once more at the start of a call.  textlog_expand.c does the rest.
 *
 * Times without year or date continue over the ends of years and days.  The state has
 * the number of passed years or days, and the latest time.  After a resync point,
 * times start in the first year or day.
 *
 * Bytes that never occur in text make a message damaged.  A line in which the logger
 * reports dropped messages is marked lost. syst/hex decodes logs of SyS-T in
 * hexadecimal digits.
 */
#include "config.h"

#include "decode/lines.h"
#include "decode/text/textlog.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	RUN_UP = 65536,
	REACH = 2 * LINE_LONGEST + LINE_REACH,
	HEAD_LINES = 2000, /* lines tested by the probe */
	FIT_SURE = 60,	   /* per cent that fit a preset */
	FIT_GUESS = 30
};

static const struct silent_row silent[] = {[LINE_SILENT] = LINE_SILENT_ROW};

static const struct kind_row kinds[TEXTLOG_KIND_COUNT] = {
    [TEXTLOG_MESSAGE] = {"message", "a message, with the lines that belong to it"},
    [TEXTLOG_LINE] = {"line", "a line that is not a message of the log"},
    [TEXTLOG_REST] = {"rest", "what is too long for the message before"},
};

/* --- options ----------------------------------------------------------- */

static const char *const severities[] = {"max",	  "fatal", "error", "warning", "info",
					 "user1", "user2", "debug", "none",    NULL};

static const char *
check_time(const char *text, char buffer[static 256])
{
	struct textlog_time time = {0};
	(void)buffer;
	return textlog_time_set(&time, text);
}

static const char *
check_zone(const char *text, char buffer[static 256])
{
	int64_t seconds;
	(void)buffer;
	return textlog_zone_read(text, &seconds) ? NULL : "Z or an offset as +01:00";
}

static const char *
check_pattern(const char *text, char buffer[static 256])
{
	struct err err;
	size_t at;
	struct regex *regex = regex_new_at(text, 0, &at, &err);
	if (!regex)
		snprintf(buffer, 256, "a regular expression; at byte %zu: %.200s", at + 1,
			 err.what);
	regex_free(regex);
	return regex ? NULL : buffer;
}

#define LEVEL(...) OPTION_ROW(struct textlog_level, __VA_ARGS__)
static const struct option_row level_rows[] = {
    LEVEL(word, TEXT, "word in the log, in any case", .required = true),
    LEVEL(severity, CHOICE, "severity of that word", "none", .choices = severities),
};
static const struct option_table level_table =
    OPTION_TABLE("levels", struct textlog_level, level_rows);

#define OPTION(...) OPTION_ROW(struct textlog_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(preset, CHOICE, "how messages begin; auto: found by content, none: lines are messages",
	   "auto", .choices = textlog_preset_names),
    OPTION(pattern, TEXT,
	   "the same as a regular expression, with groups named time, level, origin, message and "
	   "further ones, which are fields",
	   .check = check_pattern),
    OPTION(time, TEXT,
	   "how the group time reads: seconds or uptime since boot, unix, clock, iso8601, syslog, "
	   "monthday, ctime, ticks, milliseconds, microseconds, nanoseconds, or a format of "
	   "strptime as `%d.%m.%Y %H:%M:%S%f`",
	   .check = check_time),
    OPTION(zone, TEXT, "offset from UTC of times that name none, as +01:00; UTC if absent",
	   .check = check_zone),
    OPTION(year, UINT, "year of the first message, where dates have none; 0: not known", "0",
	   .max = 2500),
    OPTION(levels, LIST, "more words of the group level", .table = &level_table),
    OPTION(join, BOOL, "lines that do not match are appended to the message before", "true"),
};
static const struct option_table options_table =
    OPTION_TABLE("text", struct textlog_options, option_rows);

/* --- stepping ---------------------------------------------------------- */

/* Return up to 8 bytes as a number. */
static uint64_t
read_word(const uint8_t *p, size_t length)
{
	uint64_t word;
	uint32_t low, high;
	if (length >= 8) {
		memcpy(&word, p, sizeof word);
		return word;
	}
	if (length >= 4) { /* both halves may have the same bytes */
		memcpy(&low, p, sizeof low);
		memcpy(&high, p + length - 4, sizeof high);
		return low | (uint64_t)high << 8 * (length - 4);
	}
	return p[0] | (uint64_t)p[length / 2] << 8 * (length / 2) |
	       (uint64_t)p[length - 1] << 8 * (length - 1);
}

/* Return a key for an origin, equal for equal bytes. */
static uint64_t
origin_key(const char *text, size_t length)
{
	uint64_t hash = length * 0x9e3779b97f4a7c15;
	for (const uint8_t *p = (const uint8_t *)text; length; length -= length < 8 ? length : 8) {
		hash = (hash ^ read_word(p, length)) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 29;
		p += 8;
	}
	return hash ? hash : 1;
}

/* State of the current message and of times. */
struct textlog_saved {
	uint64_t ticks;
	uint64_t latest; /* latest time without year or date */
	uint32_t turns;	 /* years or days that have passed */
	uint16_t flags;	 /* MESSAGE_TIMED */
	uint8_t severity;
	uint8_t begun; /* BEGUN: after a head, WITHIN_LINE: in a long line */
};
enum { BEGUN = 1, WITHIN_LINE = 2 };

struct textlog_state {
	struct decode_state base;
	struct textlog_saved saved;
	struct regex *regex, *apart; /* this thread's shares */
	struct textlog_screen screen;
	struct textlog_minute minute;
};

static void
take_regexes(const struct textlog_decoder *d, struct textlog_state *s)
{
	if (!s->regex && d->regex)
		s->regex = regex_share(d->regex);
	if (!s->apart && d->apart)
		s->apart = regex_share(d->apart);
}

static void
textlog_start(const struct decoder *decoder, struct decode_state *state)
{
	struct textlog_state *s = (struct textlog_state *)state;
	(void)decoder;
	*s = (struct textlog_state){.saved.severity = SEVERITY_NONE,
				    .regex = s->regex,
				    .apart = s->apart,
				    .screen = s->screen};
}

static void
textlog_release(struct decode_state *state)
{
	struct textlog_state *s = (struct textlog_state *)state;
	regex_free(s->regex);
	regex_free(s->apart);
	textlog_screen_free(&s->screen);
}

static void
textlog_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	(void)decoder;
	memcpy(out, &state->offset, sizeof state->offset);
	memcpy(out + sizeof state->offset, &((const struct textlog_state *)state)->saved,
	       sizeof(struct textlog_saved));
}

static void
textlog_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *saved)
{
	(void)decoder;
	memcpy(&state->offset, saved, sizeof state->offset);
	memcpy(&((struct textlog_state *)state)->saved, saved + sizeof state->offset,
	       sizeof(struct textlog_saved));
}

/* Read the time of a head.  A large step back begins a new year or day.  Near that border,
 * messages may be slightly out of order. */
static bool
read_time(const struct textlog_decoder *d, struct textlog_saved *s, struct textlog_minute *minute,
	  const char *text, size_t length, uint64_t *ticks)
{
	uint64_t period = textlog_time_period(&d->time), near = period / 100;
	if (!textlog_time_read(&d->time, minute, text, length, s->turns, ticks))
		return false;
	if (!period)
		return true;
	if (s->turns && *ticks > s->latest && *ticks - s->latest > period - near)
		return textlog_time_read(&d->time, minute, text, length, s->turns - 1, ticks);
	if (*ticks < s->latest && s->latest - *ticks > period / 2)
		textlog_time_read(&d->time, minute, text, length, ++s->turns, ticks);
	s->latest = *ticks;
	return true;
}

/* Fill in M from the head of its first line. */
static void
fill_message(const struct textlog_decoder *d, struct textlog_saved *s,
	     struct textlog_minute *minute, const struct textlog_shown *shown,
	     const struct textlog_head *head, struct message *m)
{
	const char *line = shown->text;
	size_t start, end;
	m->kind = TEXTLOG_MESSAGE;
	m->aux = head->text;
	if (textlog_group_find(head, &d->time_group, &start, &end)) {
		bool good = read_time(d, s, minute, line + start, end - start, &m->ticks);
		m->flags |= good ? MESSAGE_TIMED : MESSAGE_SUSPECT;
	}
	if (textlog_group_find(head, &d->level_group, &start, &end))
		m->severity = (uint8_t)textlog_level_read(d, line + start, end - start);
	if (textlog_group_find(head, &d->origin_group, &start, &end)) {
		m->origin = origin_key(line + start, end - start);
		m->aux = textlog_aux(head->text, start, end);
	}
	s->ticks = m->ticks;
	s->flags = m->flags & MESSAGE_TIMED;
	s->severity = m->severity;
	s->begun = BEGUN;
	if (textlog_is_loss(line + head->text, shown->length - head->text)) {
		m->flags |= MESSAGE_LOST;
		m->severity = SEVERITY_ERROR;
	}
}

/* Fill in M for a line without a head. */
static void
fill_other(struct textlog_saved *s, bool apart, const struct textlog_shown *shown,
	   struct message *m)
{
	if (s->begun && !apart) {
		m->kind = TEXTLOG_REST;
		m->ticks = s->ticks;
		m->severity = s->severity;
		m->flags = s->flags;
		return;
	}
	m->kind = TEXTLOG_LINE;
	s->begun = 0;
	s->ticks = s->flags = 0;
	s->severity = SEVERITY_NONE;
	if (textlog_is_loss(shown->text, shown->length)) {
		m->flags = MESSAGE_LOST;
		m->severity = SEVERITY_ERROR;
	}
}

/* True if a line without a head does not continue a message. */
static bool
is_apart(struct textlog_state *s, const struct textlog_shown *shown)
{
	return textlog_is_loss(shown->text, shown->length) ||
	       (s->apart && regex_fits(s->apart, shown->text, shown->length));
}

/* Lines of a window, starting at an offset. */
struct textlog_lines {
	const struct window *w;
	uint64_t offset;
	const uint8_t *p;
	size_t length, whole; /* of the current line */
	bool plain;	      /* its only control characters are TAB and those of its end */
};

/* Find the line at the offset.  Return false if the window ends first. */
static bool
find_line(struct textlog_lines *at)
{
	const struct window *w = at->w;
	const uint8_t *p = at->p = w->bytes + (at->offset - w->offset);
	size_t left = (size_t)(w->offset + w->length - at->offset);
	size_t most = left < LINE_REACH ? left : LINE_REACH, end = textlog_plain(p, most);
	size_t cr = end + 1 < most && p[end] == '\r';
	at->plain = end + cr < most && p[end + cr] == '\n';
	at->length = end;
	at->whole = end + cr + 1;
	return at->plain || (left && line_find(p, left, w->last, &at->length, &at->whole));
}

/* Return the line as shown. */
static struct textlog_shown
show_line(struct textlog_screen *screen, const struct textlog_lines *at)
{
	const char *line = (const char *)at->p;
	return at->plain ? (struct textlog_shown){.text = line, .length = at->length}
			 : textlog_show(screen, line, at->length);
}

static bool
is_cut(const struct textlog_lines *at)
{
	return at->whole == LINE_LONGEST && at->length == LINE_LONGEST &&
	       at->p[LINE_LONGEST - 1] != '\n';
}

/* The line at AT, already found and examined after a line of M. */
struct textlog_next {
	struct textlog_shown shown; /* the line as shown, if `known` */
	struct textlog_head head;   /* its head, if `found` */
	bool known, found;
};

static void
look_at_next(struct textlog_state *s, const struct textlog_lines *at, struct textlog_next *next)
{
	next->shown = show_line(&s->screen, at);
	next->found = textlog_head_find(s->regex, &next->shown, &next->head);
	next->known = true;
}

enum more { MORE_NONE, MORE_TAKEN, MORE_WINDOW };

/* Add the line at AT to M, which begins at START, if it belongs there.  Clear *PLAIN if the line is
 * not plain. */
static enum more
take_line(struct textlog_state *s, uint64_t start, struct textlog_lines *at,
	  struct textlog_next *next, struct message *m, bool *plain)
{
	const struct window *w = at->w;
	bool end = w->last && at->offset == w->offset + w->length;
	next->known = false;
	if (end || at->offset - start > LINE_LONGEST)
		return MORE_NONE;
	if (!find_line(at))
		return MORE_WINDOW;
	if (at->offset + at->length - start > LINE_LONGEST)
		return MORE_NONE;
	if (at->length) {
		look_at_next(s, at, next);
		if (next->found || is_apart(s, &next->shown))
			return MORE_NONE;
		m->length = (uint32_t)(at->offset + at->length - start);
	}
	*plain &= at->plain;
	at->offset += at->whole;
	return MORE_TAKEN;
}

/* Read the message at AT.  Its line is found and not empty.  Leave the following line in
 * NEXT.  Return false if the window ends first; the saved state is then unchanged. */
static bool
read_message(const struct textlog_decoder *d, struct textlog_state *s, struct textlog_lines *at,
	     struct textlog_next *next, struct message *m)
{
	struct textlog_saved saved = s->saved;
	const uint8_t *line = at->p;
	uint64_t start = at->offset;
	bool within = saved.begun & WITHIN_LINE, cut = is_cut(at), apart = false, joins;
	bool plain = at->plain;
	saved.begun &= BEGUN;
	*m = (struct message){
	    .offset = start, .length = (uint32_t)at->length, .severity = SEVERITY_NONE};
	if (!next->known)
		look_at_next(s, at, next);
	if (next->found && !within) {
		fill_message(d, &saved, &s->minute, &next->shown, &next->head, m);
	} else {
		apart = !within && is_apart(s, &next->shown);
		fill_other(&saved, apart || (!d->options->join && !within), &next->shown, m);
	}
	if (within)
		m->kind = TEXTLOG_REST;
	joins = d->options->join && saved.begun && !apart;
	at->offset += at->whole;
	next->known = false;
	while (joins && !cut) {
		enum more more = take_line(s, start, at, next, m, &plain);
		if (more == MORE_WINDOW)
			return false;
		if (more == MORE_NONE)
			break;
	}
	if (cut)
		saved.begun |= WITHIN_LINE;
	if (!plain && textlog_is_damaged(line, m->length)) {
		m->flags |= MESSAGE_DAMAGED;
		if (m->severity == SEVERITY_NONE)
			m->severity = SEVERITY_ERROR;
	}
	s->saved = saved;
	return true;
}

static size_t
textlog_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	     struct message *out, size_t max)
{
	const struct textlog_decoder *d = (const struct textlog_decoder *)decoder;
	struct textlog_state *s = (struct textlog_state *)state;
	struct textlog_lines at = {.w = w, .offset = state->offset};
	struct textlog_next next = {.known = false};
	uint64_t end = w->offset + w->length, until = w->until < end ? w->until : end;
	size_t count = 0;
	take_regexes(d, s);
	while (count < max && state->offset < until && (next.known || find_line(&at))) {
		uint64_t silent_bytes = at.whole;
		if (at.length) {
			if (!read_message(d, s, &at, &next, &out[count]))
				break;
			silent_bytes = at.offset - state->offset - out[count++].length;
		} else {
			at.offset += at.whole;
			next.known = false;
			s->saved.begun &= BEGUN;
		}
		state->silent[LINE_SILENT] += 8 * silent_bytes;
		state->offset = at.offset;
	}
	return count;
}

/* Move to the next line with a head, or else to the start of a line. */
static int
textlog_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	const struct textlog_decoder *d = (const struct textlog_decoder *)decoder;
	struct textlog_state *s = (struct textlog_state *)state;
	textlog_start(decoder, state);
	int found = line_resync(decoder, state, w);
	if (!w->offset || found < 0 || !d->regex)
		return found;
	s->saved.begun = BEGUN;
	struct textlog_lines at = {.w = w, .offset = state->offset};
	struct textlog_next next;
	take_regexes(d, s);
	while (at.offset - w->offset < REACH && find_line(&at)) {
		look_at_next(s, &at, &next);
		if (next.found) {
			state->offset = at.offset;
			break;
		}
		at.offset += at.whole;
	}
	return 0;
}

/* --- recognising ------------------------------------------------------- */

/* Lines at the start of a log, and those that fit a preset.  Indented lines and `apart` lines
 * count only if they fit. */
struct textlog_fit {
	size_t lines, fits;
};

static struct textlog_fit
fit_preset(const struct textlog_preset *preset, const struct window *head)
{
	struct textlog_fit fit = {0};
	struct err err;
	struct regex *regex = regex_new(preset->pattern, 0, &err);
	struct regex *apart = preset->apart ? regex_new(preset->apart, 0, &err) : NULL;
	struct textlog_screen screen = {0};
	struct textlog_lines at = {.w = head, .offset = head->offset};
	for (int i = 0; regex && i < HEAD_LINES && find_line(&at); i++) {
		struct textlog_shown line = show_line(&screen, &at);
		at.offset += at.whole;
		if (regex_fits(regex, line.text, line.length))
			fit.fits++;
		else if (!line.length || *line.text == ' ' || *line.text == '\t' ||
			 (apart && regex_fits(apart, line.text, line.length)))
			continue;
		fit.lines++;
		if (i == 200 && !fit.fits)
			break; /* the rest will not fit either */
	}
	regex_free(regex);
	regex_free(apart);
	textlog_screen_free(&screen);
	return fit;
}

static int
fit_percent(struct textlog_fit fit)
{
	return fit.lines ? (int)(100 * fit.fits / fit.lines) : 0;
}

/* Return the preset that fits best, or NULL. */
static const struct textlog_preset *
find_preset(const struct window *head, struct textlog_fit *best)
{
	const struct textlog_preset *found = NULL;
	*best = (struct textlog_fit){0};
	for (size_t i = 0; i < textlog_preset_count; i++) {
		struct textlog_fit fit = fit_preset(&textlog_presets[i], head);
		if (fit.fits <= best->fits || fit_percent(fit) < FIT_GUESS)
			continue;
		*best = fit;
		found = &textlog_presets[i];
	}
	return found;
}

/* True if the head is UTF-8 text with lines.  Control characters of terminals count as text. */
static bool
is_text(const struct window *head)
{
	const char *p = (const char *)head->bytes, *end = p + head->length;
	bool lines = memchr(p, '\n', head->length);
	while (p < end) {
		uint32_t code;
		size_t length = text_decode(p, (size_t)(end - p), &code);
		if (!length && !head->last && end - p < 4)
			return lines; /* cut by the end of the head */
		if (!length || (code < ' ' && !strchr("\a\b\t\n\r\f\033", (int)code)) ||
		    code == 0x7f || !code)
			return false;
		p += length;
	}
	return lines;
}

static size_t
count_lines(const struct window *head)
{
	struct textlog_lines at = {.w = head, .offset = head->offset};
	size_t count = 0;
	for (; find_line(&at); at.offset += at.whole)
		count += at.length > 0;
	return count;
}

/* True if much of the beginning is not text, so that lines need not be tried. */
static bool
is_binary(const struct window *head)
{
	enum { BEGINNING = 4096 };
	size_t length = head->length < BEGINNING ? head->length : BEGINNING, foreign = 0;
	for (size_t i = 0; i < length; i++)
		foreign += textlog_is_foreign(head->bytes[i]);
	return foreign > length / 8;
}

static void
textlog_probe(const struct window *head, struct probe *probe)
{
	static const char other[] = "SYS-T RAW DATA:"; /* of syst/hex, anywhere in the text */
	struct textlog_fit fit;
	if (!head->length || memmem(head->bytes, head->length, other, sizeof other - 1)) {
		snprintf(probe->reason, sizeof probe->reason, "it is of another format");
		return;
	}
	if (is_binary(head)) {
		snprintf(probe->reason, sizeof probe->reason, "it is not text");
		return;
	}
	const struct textlog_preset *preset = find_preset(head, &fit);
	int percent = fit_percent(fit);
	if (!preset) {
		/* readable as plain text */
		probe->plain = is_text(head);
		snprintf(probe->reason, sizeof probe->reason,
			 probe->plain ? "none of its first %zu lines is of a known log"
				      : "none of %zu lines begins like a line of a log",
			 count_lines(head));
		return;
	}
	probe->score = percent >= FIT_SURE ? 92 : PROBE_DECODE + percent / 2;
	snprintf(probe->reason, sizeof probe->reason,
		 "%zu of its first %zu lines begin like those of %s", fit.fits, fit.lines,
		 preset->title);
	snprintf(probe->settings, sizeof probe->settings, "preset: %s", preset->name);
}

/* --- opening ----------------------------------------------------------- */

static void
add_field_group(struct textlog_decoder *d, const char *name, unsigned number)
{
	unsigned field = TEXTLOG_F_FACILITY;
	while (field < TEXTLOG_F_OTHERS && strcmp(textlog_fields[field].name, name) != 0)
		field++;
	d->field_groups[d->field_group_count++] = (struct textlog_field_group){
	    name, (uint8_t)number, (uint8_t)(field < TEXTLOG_F_OTHERS ? field : TEXTLOG_F_COUNT)};
}

/* Compile the pattern and find its groups. */
static int
use_pattern(struct textlog_decoder *d, const char *pattern, struct err *err)
{
	/* our names, those of the columns, and those of lnav's formats */
	struct {
		const char *name;
		struct textlog_group *group;
	} own[] = {{"time", &d->time_group},	 {"timestamp", &d->time_group},
		   {"level", &d->level_group},	 {"severity", &d->level_group},
		   {"origin", &d->origin_group}, {"message", &d->message_group},
		   {"text", &d->message_group},	 {"body", &d->message_group}};
	unsigned number, most = 0;
	const char *name;
	d->regex = regex_new(pattern, 0, err);
	if (!d->regex)
		return err->code;
	for (size_t i = 0; (name = regex_group_name(d->regex, i, &number)); i++) {
		if (number >= TEXTLOG_GROUPS)
			return err_set(err, ERR_CONFIG,
				       "pattern of text has more than %d groups before %s; "
				       "write (?: for those without a name",
				       TEXTLOG_GROUPS - 1, name);
		most = number > most ? number : most;
		size_t k = 0;
		while (k < sizeof own / sizeof *own && strcmp(own[k].name, name) != 0)
			k++;
		if (k < sizeof own / sizeof *own && own[k].group->count == TEXTLOG_SAME)
			return err_set(err, ERR_CONFIG,
				       "pattern of text has more than %d groups named %s",
				       TEXTLOG_SAME, name);
		if (k < sizeof own / sizeof *own)
			own[k].group->numbers[own[k].group->count++] = (uint8_t)number;
		else
			add_field_group(d, name, number);
	}
	regex_keep_groups(d->regex, most + 1);
	return 0;
}

static int
use_time(struct textlog_decoder *d, const char *name, struct err *err)
{
	const struct textlog_options *own = d->options;
	d->time.year = own->year;
	if (own->zone && !textlog_zone_read(own->zone, &d->time.zone))
		return err_set(err, ERR_CONFIG, "zone of text is %s; expected an offset as +01:00",
			       own->zone);
	const char *expected = textlog_time_set(&d->time, name);
	if (expected)
		return err_set(err, ERR_CONFIG, "time of text is %s; expected %s", name, expected);
	d->timed = true;
	d->base.hz = d->time.hz;
	d->base.unix_epoch = d->time.wall;
	return 0;
}

/* True if the first time of the log, or the profile, names its zone. */
static bool
has_zone(const struct textlog_decoder *d, const struct window *head)
{
	struct textlog_time east = d->time;
	struct textlog_screen screen = {0};
	struct textlog_lines at = {.w = head, .offset = head->offset};
	bool good = false, zoned = !d->time.zoned || d->options->zone;
	east.zone++;
	for (int i = 0; !zoned && !good && i < HEAD_LINES && find_line(&at); i++) {
		struct textlog_shown line = show_line(&screen, &at);
		struct textlog_head first;
		struct textlog_minute minute = {0}, minute_east = {0};
		size_t start, end;
		uint64_t ticks, other;
		at.offset += at.whole;
		if (!textlog_head_find(d->regex, &line, &first) ||
		    !textlog_group_find(&first, &d->time_group, &start, &end))
			continue;
		const char *text = line.text + start;
		good = textlog_time_read(&d->time, &minute, text, end - start, 0, &ticks) &&
		       textlog_time_read(&east, &minute_east, text, end - start, 0, &other);
		zoned = good && ticks == other; /* the zone of the profile makes no difference */
	}
	textlog_screen_free(&screen);
	return zoned;
}

static void
describe_log(struct textlog_decoder *d, const struct textlog_preset *preset)
{
	if (preset)
		text_addf(&d->about, "messages begin like those of preset %s: %s", preset->name,
			  preset->title);
	if (d->timed && d->time.no_year && !d->time.year)
		text_addf(&d->about,
			  "%sdates have no year, so days are not known; give the year of the first "
			  "message, as text: {year: 2025}",
			  d->about.length ? "\n" : "");
	d->base.about = d->about.length ? text_get(&d->about) : NULL;
}

static int
open_pattern(struct textlog_decoder *d, const struct window *head, struct err *err)
{
	const struct textlog_options *own = d->options;
	const struct textlog_preset *preset = NULL;
	struct textlog_fit fit;
	if (own->preset >= TEXTLOG_PRESET_FIRST)
		preset = &textlog_presets[own->preset - TEXTLOG_PRESET_FIRST];
	else if (own->preset == TEXTLOG_PRESET_AUTO && !own->pattern && head->length)
		preset = find_preset(head, &fit);
	const char *pattern = own->pattern ? own->pattern : preset ? preset->pattern : NULL;
	const char *time = own->time ? own->time : preset ? preset->time : NULL;
	textlog_add_levels(d, preset);
	if (preset && preset->apart && !(d->apart = regex_new(preset->apart, 0, err)))
		return err->code;
	if (pattern && use_pattern(d, pattern, err) < 0)
		return err->code;
	if (d->time_group.count && !time)
		return err_set(err, ERR_CONFIG,
			       "pattern of text has a group time, but `time` does not say how it "
			       "reads; for instance time: iso8601");
	if (d->time_group.count && use_time(d, time, err) < 0)
		return err->code;
	d->base.zoneless = d->base.unix_epoch && !has_zone(d, head);
	describe_log(d, preset);
	return 0;
}

/* Propose a profile with the preset that fits. */
static bool
textlog_propose(const struct window *head, struct text *profile)
{
	struct textlog_fit fit;
	const struct textlog_preset *preset = find_preset(head, &fit);
	if (preset)
		text_addf(profile, "    text: {preset: %s}\n", preset->name);
	return preset;
}

static const struct decoder_guide guide = {.propose = textlog_propose};

static void
textlog_close(struct decoder *decoder)
{
	struct textlog_decoder *d = (struct textlog_decoder *)decoder;
	regex_free(d->regex);
	regex_free(d->apart);
	text_free(&d->about);
	free(d);
}

static struct decoder *
textlog_open(const void *options, const struct window *head, struct err *err)
{
	struct textlog_decoder *d = mem_new(sizeof *d);
	d->base.ops = &text_ops;
	d->options = options;
	if (open_pattern(d, head, err) < 0) {
		textlog_close(&d->base);
		return NULL;
	}
	d->base.untimed = !d->timed;
	d->base.mark = d->timed ? NULL : "no times recognised";
	return &d->base;
}

const struct decoder_ops text_ops = {
    .format = "text",
    .title = "log of lines of text",
    .help = "lines of a console or log: Linux kernel, syslog, Zephyr, Android, ISO 8601 times, or "
	    "a pattern in the profile",
    .fields = textlog_fields,
    .field_count = TEXTLOG_F_COUNT,
    .kinds = kinds,
    .kind_count = TEXTLOG_KIND_COUNT,
    .silent = silent,
    .silent_count = sizeof silent / sizeof *silent,
    .options = &options_table,
    .guide = &guide,
    .settles = true,
    .alike = "shape",
    /* no unnamed: a log contains its texts */
    /* no clocks: a log has only its writer's clock */
    /* no contexts: only a profile defines which lines begin and end a state */
    /* no trigger: a program writes the lines */
    .reach = REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct textlog_state),
    .checkpoint_size = sizeof(uint64_t) + sizeof(struct textlog_saved),
    .probe = textlog_probe,
    .open = textlog_open,
    .close = textlog_close,
    .start = textlog_start,
    .release = textlog_release,
    .save = textlog_save,
    .restore = textlog_restore,
    .is_free = true,
    .step = textlog_step,
    .resync = textlog_resync,
    .expand = textlog_expand,
    .type_keys = textlog_type_keys,
    .text_at = textlog_text,
    .in_place = textlog_in_place,
    /* no printer: the log itself is the program's output */
};
