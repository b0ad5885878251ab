/*
 * Names and their values: see filter_tree.h.
 *
 * Each type of name has a function that resolves the words of a term into values to
 * compare: sets of severities and flags, ranges of numbers, texts, patterns. A word
 * that does not fit is an error at its place.
 *
 * Several formats may have a field of the same name, with different types. A term
 * must fit at least one format. It never holds for messages of a format that it
 * does not fit.
 */
#include "config.h"

#include "base/bytes.h"
#include "base/nearest.h"
#include "decode/registry.h"
#include "query/filter/filter_tree.h"
#include "query/filter/literal.h"
#include "session/clock/clock_text.h"
#include "session/context/context.h"
#include "session/intervals.h"
#include "session/session.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- numbers ----------------------------------------------------------- */

/* Copy the digits of TEXT to BUFFER without `_`; return false if they do not fit. */
static bool
copy_digits(const char *text, char *buffer, size_t size)
{
	size_t length = 0;
	for (; *text; text++) {
		if (*text == '_')
			continue;
		if (length + 1 >= size)
			return false;
		buffer[length++] = *text;
	}
	buffer[length] = '\0';
	return true;
}

/* Return the factor of a unit, as in 4K and 2MiB; 1 if END is empty, 0 if it is no unit. */
static long double
unit_of(const char *end)
{
	static const char units[] = "KMGT";
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (!*end)
		return 1;
	if (!unit || (end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0))
		return 0;
	return ldexpl(1, 10 * (int)(unit - units + 1));
}

/* Read 123, -5, 1_000, 0x1f, 0b101, 4K, 1.5, 2e6. */
static bool
number_of(void *context, const struct filter_word *word, long double *value)
{
	char buffer[64];
	(void)context;
	if (!copy_digits(word->text, buffer, sizeof buffer))
		return false;
	const char *digits = buffer + (*buffer == '-');
	int base = digits[0] != '0'			      ? 10
		   : tolower((unsigned char)digits[1]) == 'x' ? 16
		   : tolower((unsigned char)digits[1]) == 'b' ? 2
							      : 10;
	char *end;
	if (base != 10) {
		const char *valid = base == 16 ? "0123456789abcdefABCDEF" : "01";
		size_t length = strspn(digits + 2, valid);
		if (!length || digits[2 + length] || length > (base == 16 ? 16 : 64))
			return false;
		*value = strtoull(digits + 2, &end, base);
	} else {
		if (!isdigit((unsigned char)*digits) && *digits != '.')
			return false;
		*value = strtold(digits, &end);
		long double unit = unit_of(end);
		if (end == digits || unit == 0)
			return false;
		*value *= unit;
	}
	if (*buffer == '-')
		*value = -*value;
	return true;
}

/* --- ranges ------------------------------------------------------------ */

typedef bool convert(void *context, const struct filter_word *, long double *value);

static bool
range_of(const struct filter_item *item, convert *number, void *context, struct filter_range *out,
	 const struct filter_word **wrong)
{
	long double low, high;
	*wrong = &item->low;
	if (!number(context, &item->low, &low))
		return false;
	high = low;
	*wrong = &item->high;
	if (item->relation == FILTER_BETWEEN && !number(context, &item->high, &high))
		return false;
	*out = (struct filter_range){
	    .low = low,
	    .high = high,
	    .open_low = item->relation == FILTER_GREATER,
	    .open_high = item->relation == FILTER_LESS,
	};
	if (item->relation == FILTER_LESS || item->relation == FILTER_LESS_EQUAL)
		out->low = -INFINITY;
	if (item->relation == FILTER_GREATER || item->relation == FILTER_GREATER_EQUAL)
		out->high = INFINITY;
	return true;
}

/* Find the ranges of numbers in a leaf. If a word is no number, set *WRONG to it and return
 * false. */
static bool
ranges_of(struct arena *arena, const struct filter_leaf *leaf, convert *number, void *context,
	  struct filter_ranges *out, const struct filter_word **wrong)
{
	struct filter_range *ranges = arena_alloc(arena, leaf->item_count * sizeof *ranges);
	for (size_t i = 0; i < leaf->item_count; i++)
		if (!range_of(&leaf->items[i], number, context, &ranges[i], wrong))
			return false;
	*out = (struct filter_ranges){ranges, leaf->item_count};
	return true;
}

/* --- common errors ------------------------------------------------------- */

static int
fail_pattern(struct filter_build *build, const struct filter_leaf *leaf)
{
	return filter_fail(build, leaf->pattern_word.at,
			   "%s is not text; compare it with =, <, > or in", leaf->word.text);
}

/* Fail if a leaf orders values that have no order. */
static int
check_equal(struct filter_build *build, const struct filter_leaf *leaf, const char *also)
{
	for (size_t i = 0; i < leaf->item_count; i++)
		if (leaf->items[i].relation != FILTER_EQUAL)
			return filter_fail(build, leaf->items[i].low.at,
					   "%s has no order; compare it with = or in%s",
					   leaf->word.text, also);
	return 0;
}

/* --- severities, flags, kinds ------------------------------------------ */

/* Return a number that rises with severity; MAX is highest, to pass every threshold. */
static long double
severity_badness(int severity)
{
	return SEVERITY_COUNT - severity;
}

static bool
badness_of(void *context, const struct filter_word *word, long double *value)
{
	int severity = severity_parse(word->text);
	(void)context;
	*value = severity_badness(severity);
	return severity >= 0;
}

/* Return a word of ITEM that is NONE, which has no order, or NULL. */
static const struct filter_word *
unordered_word(const struct filter_item *item)
{
	if (item->relation != FILTER_EQUAL && severity_parse(item->low.text) == SEVERITY_NONE)
		return &item->low;
	if (item->relation == FILTER_BETWEEN && severity_parse(item->high.text) == SEVERITY_NONE)
		return &item->high;
	return NULL;
}

int
filter_resolve_severity(struct filter_build *build, struct filter_leaf *leaf)
{
	const struct filter_word *wrong;
	if (leaf->how == FILTER_MATCHED)
		return fail_pattern(build, leaf);
	if (leaf->how == FILTER_PRESENT) {
		leaf->set = SEVERITY_ALL & ~(1u << SEVERITY_MAX | 1u << SEVERITY_NONE);
		return 0;
	}
	struct filter_ranges ranges;
	if (!ranges_of(&build->code->arena, leaf, badness_of, NULL, &ranges, &wrong))
		return filter_fail(build, wrong->at, "%s is not a severity%s", wrong->text,
				   nearest_hint(wrong->text, severity_next_name, NULL).text);
	for (size_t i = 0; i < ranges.count; i++) {
		struct filter_range range = ranges.at[i];
		enum filter_relation relation = leaf->items[i].relation;
		const struct filter_word *unordered = unordered_word(&leaf->items[i]);
		if (unordered)
			return filter_fail(build, unordered->at,
					   "%s has no order; compare it with = or in",
					   unordered->text);
		if (relation == FILTER_LESS || relation == FILTER_LESS_EQUAL)
			build->code->note = "< is milder, > is worse";
		else if (relation == FILTER_GREATER || relation == FILTER_GREATER_EQUAL)
			build->code->note = "not those without one";
		if (range.low > range.high) /* accept error..warning and warning..error */
			range = (struct filter_range){.low = range.high, .high = range.low};
		for (int s = 0; s < SEVERITY_COUNT; s++)
			if (filter_range_has(&range, severity_badness(s)) &&
			    (s != SEVERITY_NONE || relation == FILTER_EQUAL))
				leaf->set |= 1u << s;
	}
	if (leaf->set == 1u << SEVERITY_MAX)
		build->code->note = "= none finds SyS-T's MAX of JSON";
	return 0;
}

static const char *
next_flag(void *context, size_t at)
{
	(void)context;
	return at < MESSAGE_FLAGS_SHOWN ? message_flag_name((unsigned)at) : NULL;
}

static int
resolve_flags(struct filter_build *build, struct filter_leaf *leaf)
{
	if (leaf->name == &filter_flag_name && leaf->how != FILTER_PRESENT)
		return filter_fail(build, leaf->word.at, "%s stands alone, or after not",
				   leaf->word.text);
	if (leaf->name == &filter_flag_name)
		return 0;
	if (leaf->how == FILTER_MATCHED)
		return fail_pattern(build, leaf);
	if (leaf->how == FILTER_PRESENT) {
		leaf->set = (1u << MESSAGE_FLAGS_SHOWN) - 1;
		return 0;
	}
	if (check_equal(build, leaf, "") < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < leaf->item_count; i++) {
		const struct filter_word *word = &leaf->items[i].low;
		unsigned bit = 0;
		while (bit < MESSAGE_FLAGS_SHOWN && strcasecmp(word->text, message_flag_name(bit)))
			bit++;
		if (bit == MESSAGE_FLAGS_SHOWN)
			return filter_fail(build, word->at, "no flag is named %s%s", word->text,
					   nearest_hint(word->text, next_flag, NULL).text);
		leaf->set |= 1u << bit;
	}
	return 0;
}

int
filter_resolve_flags(struct filter_build *build, struct filter_leaf *leaf)
{
	int failed = resolve_flags(build, leaf);
	if (leaf->set & MESSAGE_DAMAGED) /* a checksum may decide */
		build->code->uses |= FILTER_USES_READER;
	return failed;
}

static const char *
next_kind(void *context, size_t at)
{
	(void)context;
	unsigned kind;
	for (size_t i = 0; i < decoder_count; i++) {
		if (at <= decoders[i]->kind_count)
			return decoder_kind(decoders[i], at, &kind)->name;
		at -= decoders[i]->kind_count + 1;
	}
	return NULL;
}

/* Add the kinds with names that fit; return true if any did. */
static bool
add_kinds(struct filter_leaf *leaf, const char *name, struct regex *regex)
{
	bool any = false;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct kind_row *row;
		unsigned kind;
		for (size_t k = 0; (row = decoder_kind(decoders[i], k, &kind)); k++) {
			const char *own = row->name;
			if (regex ? !regex_fits(regex, own, strlen(own)) : strcasecmp(own, name))
				continue;
			leaf->kinds[i] |= (uint64_t)1 << kind;
			any = true;
		}
	}
	return any;
}

static int resolve_regex(struct filter_build *, struct filter_leaf *);

int
filter_resolve_kind(struct filter_build *build, struct filter_leaf *leaf)
{
	size_t size = decoder_count * sizeof *leaf->kinds;
	leaf->kinds = arena_alloc(&build->code->arena, size);
	memset(leaf->kinds, leaf->how == FILTER_PRESENT ? 0xff : 0, size);
	if (leaf->how == FILTER_MATCHED) {
		if (resolve_regex(build, leaf) < 0)
			return ERR_USAGE;
		add_kinds(leaf, NULL, build->code->regexes.at[leaf->regex - 1]);
		return 0;
	}
	if (check_equal(build, leaf, ", or match it with ~") < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < leaf->item_count; i++) {
		const struct filter_word *word = &leaf->items[i].low;
		if (!add_kinds(leaf, word->text, NULL))
			return filter_fail(build, word->at, "no kind of message is named %s%s",
					   word->text,
					   nearest_hint(word->text, next_kind, NULL).text);
	}
	return 0;
}

/* --- texts ------------------------------------------------------------- */

/* Return the byte of an escape such as `\n`. *AT is after the backslash and moves on. Return a
 * negative value for an unknown escape. */
static int
read_escape(const char *text, size_t *at)
{
	static const char letters[] = "nrt0\\\"'", values[] = "\n\r\t\0\\\"'";
	char c = text[*at];
	const char *letter = c ? strchr(letters, c) : NULL;
	if (letter) {
		++*at;
		return (unsigned char)values[letter - letters];
	}
	int high = c == 'x' ? bytes_hex_digit((unsigned char)text[*at + 1]) : -1;
	int low = high >= 0 ? bytes_hex_digit((unsigned char)text[*at + 2]) : -1;
	if (low < 0)
		return ERR_USAGE;
	*at += 3;
	return high << 4 | low;
}

/* Copy the text of a word; resolve escapes if it is quoted. */
static int
string_of(struct filter_build *build, const struct filter_word *word, struct filter_string *out)
{
	char *bytes = arena_alloc(&build->code->arena, strlen(word->text) + 1);
	size_t length = 0, at = 0;
	while (word->text[at]) {
		char c = word->text[at++];
		if (word->mark && c == '\\') {
			int byte = read_escape(word->text, &at);
			if (byte < 0)
				return filter_fail(build, word->at + at,
						   "\\ is followed by n, r, t, 0, a quote, \\ or "
						   "two digits as in \\x42");
			c = (char)byte;
		}
		bytes[length++] = c;
	}
	*out = (struct filter_string){bytes, length};
	return 0;
}

static int
resolve_strings(struct filter_build *build, const struct filter_leaf *leaf,
		struct filter_strings *out)
{
	struct filter_string *strings =
	    arena_alloc(&build->code->arena, leaf->item_count * sizeof *strings);
	if (check_equal(build, leaf, ", or match it with ~") < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < leaf->item_count; i++)
		if (string_of(build, &leaf->items[i].low, &strings[i]) < 0)
			return ERR_USAGE;
	*out = (struct filter_strings){strings, leaf->item_count};
	return 0;
}

static int
resolve_regex(struct filter_build *build, struct filter_leaf *leaf)
{
	const struct filter_word *word = &leaf->pattern_word;
	unsigned flags = word->ignore_case  ? REGEX_IGNORE_CASE
			 : word->match_case ? 0
					    : REGEX_SMART_CASE;
	struct err err;
	size_t at;
	struct regex *regex = regex_new_at(word->text, flags, &at, &err);
	if (!regex)
		return filter_fail(build, word->at + (word->mark != 0) + at, "%s", err.what);
	*vec_add(&build->code->regexes) = regex;
	leaf->regex = build->code->regexes.count;
	return 0;
}

int
filter_resolve_text(struct filter_build *build, struct filter_leaf *leaf)
{
	if (leaf->how == FILTER_MATCHED)
		return resolve_regex(build, leaf);
	return leaf->how == FILTER_COMPARED ? resolve_strings(build, leaf, &leaf->strings) : 0;
}

/* Give the leaf a number, by which the answer for each origin or type is kept. */
int
filter_resolve_origin(struct filter_build *build, struct filter_leaf *leaf)
{
	leaf->origin_leaf = build->code->origins++;
	return filter_resolve_text(build, leaf);
}

/* Find needles; a text must contain at least one to pass. */
static bool
needles_of(const struct filter_build *build, struct filter_leaf *leaf, struct needles *set)
{
	if (leaf->how == FILTER_MATCHED) {
		const struct regex *regex = build->code->regexes.at[leaf->regex - 1];
		return literal_of_regex(leaf->pattern_word.text, regex_folds(regex),
					regex_is_utf(regex), set, &leaf->literal);
	}
	*set = (struct needles){0};
	if (leaf->how == FILTER_PRESENT || leaf->strings.count > NEEDLES_MAX)
		return false;
	for (size_t i = 0; i < leaf->strings.count; i++) {
		if (!leaf->strings.at[i].length)
			return false;
		needle_init(&set->at[set->count++], leaf->strings.at[i].at,
			    leaf->strings.at[i].length, false);
	}
	return literal_is_rare(set);
}

/* Resolve a leaf on text or type. Its needles later rule out texts that are not built yet. */
int
filter_resolve_made_text(struct filter_build *build, struct filter_leaf *leaf)
{
	struct needles set;
	if (filter_resolve_origin(build, leaf) < 0)
		return ERR_USAGE;
	if (needles_of(build, leaf, &set)) {
		*vec_add(&build->code->needles) = set;
		leaf->needles = build->code->needles.count;
	}
	return 0;
}

/* --- numbers and times ------------------------------------------------- */

static int
fail_downwards(struct filter_build *build, const struct filter_item *item)
{
	return filter_fail(build, item->high.at, "the range ends before it starts");
}

static int
check_downwards(struct filter_build *build, const struct filter_leaf *leaf,
		const struct filter_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->at[i].low > ranges->at[i].high)
			return fail_downwards(build, &leaf->items[i]);
	return 0;
}

int
filter_resolve_number(struct filter_build *build, struct filter_leaf *leaf)
{
	const struct filter_word *wrong;
	if (leaf->how == FILTER_MATCHED)
		return fail_pattern(build, leaf);
	if (leaf->how == FILTER_PRESENT)
		return 0;
	if (!ranges_of(&build->code->arena, leaf, number_of, NULL, &leaf->ranges, &wrong))
		return filter_fail(build, wrong->at, "%s is a number, as 4096, 4K or 0x1000",
				   leaf->word.text);
	return check_downwards(build, leaf, &leaf->ranges);
}

struct clock_base {
	struct trace_clock clock;
	int64_t start;
};

/* Read a time: +4.2s since the first message; 4.2s by the clock, or since the first message if
 * the clock counts from 1970; a date; a time of day. */
static bool
ticks_of(void *context, const struct filter_word *word, long double *value)
{
	const struct clock_base *base = context;
	const char *text = word->text;
	uint64_t ticks;
	bool since = *text == '+';
	text += since;
	if ((since || (base->clock.has_epoch && base->clock.hz > 0)) &&
	    clock_parse_duration(&base->clock, text, &ticks)) {
		*value = (long double)base->start + (long double)ticks;
		return true;
	}
	uint64_t near = base->start > 0 ? (uint64_t)base->start : 0;
	if (since || !clock_parse(&base->clock, text, near, &ticks))
		return false;
	*value = (long double)ticks;
	return true;
}

static bool
tick_count_of(void *context, const struct filter_word *word, long double *value)
{
	const struct clock_base *base = context;
	uint64_t ticks;
	bool negative = *word->text == '-';
	if (!clock_parse_duration(&base->clock, word->text + negative, &ticks))
		return false;
	*value = negative ? -(long double)ticks : (long double)ticks;
	return true;
}

static convert *
clock_convert(const struct filter_leaf *leaf)
{
	return leaf->name->resolve == filter_resolve_time ? ticks_of : tick_count_of;
}

/* True if one of the session's clocks can read WORD, or may be able to later. */
static bool
any_clock_reads(const struct session *session, convert *number, const struct filter_word *word)
{
	long double value;
	if (session->clocks && clocks_may_change(session->clocks))
		return true;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct clocks_nature nature = clocks_nature(session->traces.at[i]);
		struct clock_base base = {
		    .clock = {.hz = nature.known ? 1e9 : 0, .has_epoch = nature.wall}};
		if (number(&base, word, &value))
			return true;
	}
	return !session->traces.count;
}

static int
fail_rate(struct filter_build *build, const struct filter_word *word)
{
	struct text hint = {0};
	session_add_rate_hint(build->session, &hint);
	int failed = filter_fail(build, word->at,
				 "no clock here can tell %s without its rate; give ticks, a "
				 "number, or %s",
				 word->text, text_get(&hint));
	text_free(&hint);
	return failed;
}

static int
check_clock_word(struct filter_build *build, const struct filter_leaf *leaf,
		 const struct filter_word *word)
{
	struct clock_base any = {.clock = {.hz = 1e9, .has_epoch = true}}, ticks = {0};
	convert *number = clock_convert(leaf);
	long double value;
	if (!number(&any, word, &value) && !number(&ticks, word, &value))
		return filter_fail(build, word->at,
				   number == ticks_of
				       ? "%s is not a time; write 4.2s, +10ms, 12:30:05 or "
					 "2024-05-01T12:30:05"
				       : "%s is not a duration; write 10ms, 1.5s or 3us",
				   word->text);
	if (!build->session || any_clock_reads(build->session, number, word))
		return 0;
	for (size_t i = 0; i < build->session->traces.count; i++)
		if (clocks_nature(build->session->traces.at[i]).known)
			return filter_fail(build, word->at,
					   "%s is a time of day or a date, and no clock here has "
					   "one; write seconds, as 4.118s",
					   word->text);
	return fail_rate(build, word);
}

static int
resolve_clock(struct filter_build *build, struct filter_leaf *leaf)
{
	if (leaf->how == FILTER_MATCHED)
		return fail_pattern(build, leaf);
	for (size_t i = 0; i < leaf->item_count; i++) {
		const struct filter_item *item = &leaf->items[i];
		if (check_clock_word(build, leaf, &item->low) < 0 ||
		    (item->relation == FILTER_BETWEEN &&
		     check_clock_word(build, leaf, &item->high) < 0))
			return ERR_USAGE;
	}
	leaf->timed = build->code->timed.count;
	*vec_add(&build->code->timed) = leaf;
	return 0;
}

int
filter_resolve_time(struct filter_build *build, struct filter_leaf *leaf)
{
	return resolve_clock(build, leaf);
}

int
filter_resolve_duration(struct filter_build *build, struct filter_leaf *leaf)
{
	return resolve_clock(build, leaf);
}

struct filter_ranges
filter_time_ranges(struct arena *arena, const struct filter_leaf *leaf,
		   const struct trace_clock *clock, int64_t start)
{
	struct clock_base base = {.clock = *clock, .start = start};
	struct filter_ranges ranges = {0};
	const struct filter_word *wrong;
	if (leaf->how == FILTER_COMPARED &&
	    !ranges_of(arena, leaf, clock_convert(leaf), &base, &ranges, &wrong))
		ranges.count = 0;
	return ranges;
}

/* --- bytes ------------------------------------------------------------- */

/* Return the value of a hexadecimal digit, or 0 for `?`, which clears *MASK. */
static int
pattern_digit(char c, unsigned *mask)
{
	*mask = c == '?' ? 0 : 15;
	return c == '?' ? 0 : bytes_hex_digit((unsigned char)c);
}

/* Read a pattern such as `\x42 ?? 4?`: two digits a byte, \x and blanks optional. Return its
 * length, or the negated position of an error, counted from 1. VALUES and MASKS have room for a
 * byte per character. */
static long
read_bytes(const char *text, uint8_t *values, uint8_t *masks)
{
	long length = 0;
	for (size_t at = 0;;) {
		at += strspn(text + at, " ");
		if (!text[at])
			return length ? length : -1;
		if (!strncmp(text + at, "\\x", 2))
			at += 2;
		unsigned high_mask, low_mask = 0;
		int high = pattern_digit(text[at], &high_mask), low = -1;
		if (high >= 0)
			low = pattern_digit(text[at + 1], &low_mask);
		if (low < 0)
			return -(long)at - 1;
		values[length] = (uint8_t)(high << 4 | low);
		masks[length++] = (uint8_t)(high_mask << 4 | low_mask);
		at += 2;
	}
}

static int
resolve_pattern(struct filter_build *build, const struct filter_word *word,
		struct filter_pattern *out)
{
	size_t size = strlen(word->text) + 1;
	uint8_t *values = arena_alloc(&build->code->arena, size);
	uint8_t *masks = arena_alloc(&build->code->arena, size);
	long length = read_bytes(word->text, values, masks);
	if (length < 0)
		return filter_fail(build, word->at + (word->mark != 0) + (size_t)(-length - 1),
				   "a byte is two hexadecimal digits, or ?? for any, as in "
				   "\"42 ?? 4?\"");
	*out = (struct filter_pattern){values, masks, (size_t)length};
	return 0;
}

/* Resolve bytes without open digits. */
static int
resolve_byte_strings(struct filter_build *build, const struct filter_leaf *leaf,
		     struct filter_strings *out)
{
	struct filter_string *strings =
	    arena_alloc(&build->code->arena, leaf->item_count * sizeof *strings);
	if (check_equal(build, leaf, ", or match it with ~") < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < leaf->item_count; i++) {
		const struct filter_word *word = &leaf->items[i].low;
		struct filter_pattern pattern;
		if (resolve_pattern(build, word, &pattern) < 0)
			return ERR_USAGE;
		if (strchr(word->text, '?'))
			return filter_fail(build, word->at,
					   "bytes with ? in them are matched with ~, not =");
		strings[i] = (struct filter_string){(const char *)pattern.values, pattern.length};
	}
	*out = (struct filter_strings){strings, leaf->item_count};
	return 0;
}

int
filter_resolve_bytes(struct filter_build *build, struct filter_leaf *leaf)
{
	if (leaf->how == FILTER_COMPARED)
		return resolve_byte_strings(build, leaf, &leaf->strings);
	if (leaf->how == FILTER_PRESENT)
		return 0;
	return leaf->pattern_word.mark == '/'
		   ? resolve_regex(build, leaf)
		   : resolve_pattern(build, &leaf->pattern_word, &leaf->pattern);
}

/* --- fields ------------------------------------------------------------ */

static bool
is_number(enum field_type type)
{
	return type == FIELD_UINT || type == FIELD_INT || type == FIELD_HEX ||
	       type == FIELD_HEXTEXT || type == FIELD_BOOL || type == FIELD_NUMBER;
}

/* Read a number, or its name in the row's list. */
static bool
field_number_of(void *context, const struct filter_word *word, long double *value)
{
	const struct field_row *row = context;
	static const char *const words[] = {"false", "true", "no", "yes"};
	for (size_t i = 0; i < row->value_count; i++) {
		if (row->values[i] && !strcasecmp(word->text, row->values[i])) {
			*value = (long double)i;
			return true;
		}
	}
	for (size_t i = 0; row->type == FIELD_BOOL && i < 4; i++) {
		if (!strcasecmp(word->text, words[i])) {
			*value = i % 2;
			return true;
		}
	}
	return number_of(NULL, word, value);
}

static const char *
next_value(void *context, size_t at)
{
	const struct field_row *row = context;
	while (at < row->value_count && !row->values[at])
		at++;
	return at < row->value_count ? row->values[at] : NULL;
}

static int
fail_number(struct filter_build *build, const struct field_row *row, const struct filter_word *word)
{
	if (row->type == FIELD_BOOL)
		return filter_fail(build, word->at, "%s is true or false", row->name);
	return filter_fail(build, word->at, "%s is a number%s, and %s is not%s", row->name,
			   row->value_count ? " or its name" : "", word->text,
			   nearest_hint(word->text, next_value, (void *)row).text);
}

/* Resolve a comparison for one row. For a list, the values are those of its elements. */
static int
resolve_row(struct filter_build *build, struct filter_leaf *leaf, struct filter_field *field)
{
	const struct field_row *row = field->row;
	const struct filter_word *wrong;
	bool any = row->type >= FIELD_LIST, numbers = is_number(row->type) || any;
	if (numbers && ranges_of(&build->code->arena, leaf, field_number_of, (void *)row,
				 &field->ranges, &wrong)) {
		if (check_downwards(build, leaf, &field->ranges) < 0)
			return ERR_USAGE;
	} else if (numbers && !any) {
		return fail_number(build, row, wrong);
	}
	if (row->type == FIELD_BYTES)
		return resolve_byte_strings(build, leaf, &field->bytes);
	if (row->type == FIELD_TEXT)
		return resolve_strings(build, leaf, &field->strings);
	/* elements have any type: a value that is no text may be a number */
	if (any && resolve_strings(build, leaf, &field->strings) < 0 && !field->ranges.count)
		return ERR_USAGE;
	return 0;
}

static int
resolve_field_pattern(struct filter_build *build, struct filter_leaf *leaf)
{
	size_t bytes = 0, own = leaf->own_count;
	for (size_t i = 0; i < own; i++)
		bytes += leaf->fields[i].row->type == FIELD_BYTES;
	if (leaf->pattern_word.mark == '/' || !bytes)
		return resolve_regex(build, leaf);
	int failed = resolve_pattern(build, &leaf->pattern_word, &leaf->pattern);
	if (bytes == own)
		return failed;
	return resolve_regex(build, leaf) < 0 && failed ? ERR_USAGE : 0;
}

int
filter_resolve_field(struct filter_build *build, struct filter_leaf *leaf)
{
	size_t fit = 0;
	if (leaf->how == FILTER_MATCHED)
		return resolve_field_pattern(build, leaf);
	if (leaf->how == FILTER_PRESENT)
		return 0;
	/* if the name is a field, report its errors, not those of arguments, which take any type */
	for (size_t i = 0;
	     i < leaf->field_count && (i < leaf->own_count || fit || !leaf->own_count); i++)
		fit += resolve_row(build, leaf, &leaf->fields[i]) == 0;
	return fit ? 0 : ERR_USAGE;
}

/* --- contexts ---------------------------------------------------------- */

/* Resolve each value as a number, a name or a text: the context decides later. */
static int
resolve_context_values(struct filter_build *build, struct filter_leaf *leaf)
{
	struct arena *arena = &build->code->arena;
	struct filter_range *ranges = arena_alloc(arena, leaf->item_count * sizeof *ranges);
	struct filter_string *strings = arena_alloc(arena, leaf->item_count * sizeof *strings);
	leaf->ranges.at = ranges;
	leaf->strings.at = strings;
	for (size_t i = 0; i < leaf->item_count; i++) {
		const struct filter_item *item = &leaf->items[i];
		struct filter_range *range = &ranges[leaf->ranges.count];
		const struct filter_word *wrong;
		if (range_of(item, number_of, NULL, range, &wrong)) {
			leaf->ranges.count++;
			if (range->low > range->high)
				return fail_downwards(build, item);
		} else if (item->relation != FILTER_EQUAL) {
			return filter_fail(build, wrong->at,
					   "%s is not a number; compare names with = or in",
					   wrong->text);
		}
		if (item->relation == FILTER_EQUAL &&
		    string_of(build, &item->low, &strings[leaf->strings.count++]) < 0)
			return ERR_USAGE;
	}
	return 0;
}

int
filter_resolve_context(struct filter_build *build, struct filter_leaf *leaf)
{
	struct contexts *contexts = build->session ? build->session->contexts : NULL;
	const char *name = filter_context_of(leaf);
	unsigned found;
	if (build->session && !(contexts && contexts_find(contexts, name, &found)))
		return filter_fail(build, leaf->word.at, "no context is named %s%s", name,
				   nearest_hint(name, contexts_next_name, contexts).text);
	if (leaf->how == FILTER_MATCHED)
		return resolve_regex(build, leaf);
	return leaf->how == FILTER_COMPARED ? resolve_context_values(build, leaf) : 0;
}

/* --- intervals --------------------------------------------------------- */

int
filter_resolve_interval(struct filter_build *build, struct filter_leaf *leaf)
{
	const struct session_intervals *hook = build->session ? build->session->intervals : NULL;
	const char *name = filter_interval_of(leaf);
	size_t found;
	if (build->session && !session_intervals_find(hook, name, &found))
		return filter_fail(build, leaf->word.at, "no interval is named %s%s", name,
				   nearest_hint(name, session_intervals_next, (void *)hook).text);
	return resolve_clock(build, leaf);
}
