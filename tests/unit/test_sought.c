/*
 * What decoders say that texts lack: against the texts, of the captures of testdata/ and of
 * large ones, for parts of texts of the same capture.  TRAWL_RUNS=100 looks for so many times
 * as many parts, TRAWL_SEED=7 for others.
 */
#include "config.h"

#include "test.h"

#include "base/byte_map.h"
#include "base/bytes.h"
#include "base/map.h"
#include "config/profile.h"
#include "decode/coresight/opencsd_library.h"
#include "decode/sought.h"
#include "decode/syst/syst_printf.h"
#include "folder.h"
#include "random.h"
#include "session/session.h"
#include "toy.h"
#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 1;

static size_t
below(size_t n)
{
	return random_below(&seed, n);
}

static struct sought *
sought_of(const char *needle, bool fold)
{
	struct needles set = {.count = 1};
	needle_init(&set.at[0], needle, strlen(needle), fold);
	return sought_new(&set);
}

/* --- by hand --------------------------------------------------------------- */

static void
assert_joins(const char *needle, const char *piece, bool joins)
{
	struct sought *s = sought_of(needle, false);
	assert_int_equal(sought_joins(s, piece), joins);
	sought_free(s);
}

static void
assert_begins(const char *needle, bool joins)
{
	struct sought *s = sought_of(needle, false);
	assert_int_equal(sought_joins_begin(s, "bad CRC: "), joins);
	sought_free(s);
}

static void
test_joins(void **state)
{
	(void)state;
	assert_begins("CRC", true);
	assert_begins(": text", true);
	assert_begins(" text", true);
	assert_begins("bad CRC: text", true);
	assert_begins("xb", false);
	assert_begins("xbad CRC: y", false);
	assert_begins("text", false);
	assert_joins("CRC", "bad CRC: ", true);
	assert_joins("ba", "bad CRC: ", true);
	assert_joins("xb", "bad CRC: ", true);
	assert_joins(": text", "bad CRC: ", true);
	assert_joins(" text", "bad CRC: ", true);
	assert_joins("xbad CRC: y", "bad CRC: ", true);
	assert_joins("text", "bad CRC: ", false);
	assert_joins("xbac", "bad CRC: ", false);
	assert_joins("CRC text", "bad CRC: ", false);
}

static void
assert_format(const char *needle, const char *format, bool lacks)
{
	struct sought *s = sought_of(needle, false);
	if ((syst_format_judge(s, format, strlen(format)) == SOUGHT_NEVER) != lacks)
		fail_msg("%s in %s", needle, format);
	sought_free(s);
}

/* What a format can yield, by C. */
static void
test_formats(void **state)
{
	(void)state;
	assert_format("rail", "rail", false);
	assert_format("rail", "ready", true);
	assert_format("at 12 mV", "rail at %d mV", false);
	assert_format("at x12 mV", "rail at %d mV", true);
	assert_format("at x12 mV", "rail at %x mV", false);
	assert_format("at q12 mV", "rail at %d mV", true);
	assert_format("at mV", "rail at %d mV", true); /* two blanks */
	assert_format("ab", "a%nb", false);	       /* a conversion may yield nothing */
	assert_format("a%b", "a%%b", false);
	assert_format("quench", "state %s", false);
	assert_format("quench", "state %c", true);
	assert_format("state q", "state %c", false);
	assert_format("quench", "%%s", true);
	assert_format("(nil)", "at %p", false);
	assert_format("nil) x", "at %p x", false);
	assert_format("text cut", "%d", false); /* so does what is too long end */
	assert_format("insufficient", "%d", false);
	assert_format("insufficient", "none", true);
	assert_format("'%d", "%d", false);   /* a complaint shows the format */
	assert_format("x %", "%d %", false); /* which is no format */
	assert_format("1.5e+10", "%g", false);
}

/* Whether a text of a format that stands in messages can have a needle that its message does
 * not, by C: so does a needle alone, and among others that leave it less room. */
static void
test_in_place(void **state)
{
	static const struct {
		const char *needle, *format;
		bool in_place;
	} rows[] = {
	    {"timeout", "timeout %u %x", true},
	    {"gated", "rail %s at", true},
	    {"rail gated", "rail %s at", false},
	    {"gated at", "rail %s at", false},
	    {"a%b", "a%%b", false},
	    {"abcdefghi%j", "abcdefghi%%j", false},
	    {"abcdefghij", "%sij", false},
	    {"12", "v %d", false},
	    {"v1", "v%d", false},
	    {"x12", "v %d", true},
	    {"fade", "%x", false},
	    {"fade", "%d", true},
	    {"fade", "%X", true},
	    {"FADE", "%X", false},
	    {"ab", "a%s", false},
	    {"ab", "a%nb", false},
	    {"ab", "a%.0db", false},
	    {"abba", "%s%s", false},
	    {"abba", "%s", true},
	    {"abba", "%.1s", true},
	    {" ab", "%5s", false},
	    {"a b", "a%-5sb", false},
	    {"a b", "a%*db", false},
	    {"state q", "state %c", false},
	    {"(nil)", "%p", false},
	    {"-inf", "%f", false},
	    {"ab - te", "ab%d", false}, /* "ab - text cut" */
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t others = 0; others < NEEDLES_MAX; others++) {
			struct needles set = {.count = 1 + others};
			for (size_t k = 0; k < set.count; k++)
				needle_init(&set.at[k], "qqqqqqqqqqqqqqqqqqqq", 20, false);
			needle_init(&set.at[below(set.count)], rows[i].needle,
				    strlen(rows[i].needle), false);
			struct sought *s = sought_new(&set);
			bool in_place =
			    syst_printf_in_place(s, rows[i].format, strlen(rows[i].format));
			bool cut = set.count > 3; /* then no text of %s is sure */
			if (in_place != rows[i].in_place && (in_place || !cut))
				fail_msg("%s in %s", rows[i].needle, rows[i].format);
			sought_free(s);
		}
}

/* What an integer is written as, by C, where nothing is beside it. */
static void
test_integers(void **state)
{
	static const struct {
		const char *needle, *format;
		uint32_t value;
		bool lacks;
	} rows[] = {
	    {"fff", "v %x", 0xfff, false},     {"fff", "v %x", 0xabc, true},
	    {"fff", "v %d", 0xfff, true},      {" 12", "v %d w", 12, false},
	    {" 12 w", "v %d w", 12, false},    {" 12 w", "v %d w", 123, true},
	    {"v-1", "v%d", UINT32_MAX, false}, {"-1", "v%u", UINT32_MAX, true},
	    {"5w", "%uw", UINT32_MAX, false},  {"v0 w", "v%d w", 0, false},
	    {"0w", "%xw", 0, false},	       {"0w", "%ow", 0, false},
	    {"vw", "v%dw", 0, true},	       {"vw", "v%.0dw", 0, false},
	    {"FF", "%X", 0xff, false},	       {"ff", "%X", 0xff, true},
	    {"77", "%o", 63, false},	       {"63", "%o", 63, true},
	    {" 7", "%2d", 7, false},	       {"07", "%02d", 7, false},
	    {"+7", "%+d", 7, false},	       {"0x7", "%#x", 7, false},
	    {"-1", "%hhd", 0xff, false},       {"255", "%hhu", 0xff, false},
	    {"12", "%d%d", 1, false} /* the second one is missing */
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t value[4];
		const struct syst_args args = {.at = value, .length = sizeof value};
		struct sought *s = sought_of(rows[i].needle, false);
		for (size_t k = 0; k < sizeof value; k++)
			value[k] = (uint8_t)(rows[i].value >> 8 * k);
		if (syst_printf_lacks(s, rows[i].format, strlen(rows[i].format), &args) !=
		    rows[i].lacks)
			fail_msg("%s in %s of %x", rows[i].needle, rows[i].format, rows[i].value);
		sought_free(s);
	}
}

/* The cursor, by looking at each place. */
static void
test_cursor(void **state)
{
	enum { SIZE = 200000 };
	uint8_t *p = malloc(SIZE);
	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		p[i] = (uint8_t)('a' + below(i / 50000 + 2));
	for (unsigned run = 0; run < 50 * test_runs(1); run++) {
		char text[12] = {0};
		uint64_t base = below(3) * 1000, at = 0;
		for (size_t i = 0, length = 1 + below(11); i < length; i++)
			text[i] = (char)('a' + below(3));
		struct sought *s = sought_of(text, false);
		struct window w = {.bytes = p, .offset = base, .length = SIZE};
		for (int i = 0; i < 3000; i++) {
			at = below(20) ? at : below(SIZE);
			size_t length = below(below(100) ? 60 : 90000);
			length = length > SIZE - at ? SIZE - at : length;
			bool found = false;
			for (size_t k = at; k < at + length && !found; k++)
				found =
				    k + strlen(text) <= SIZE && !memcmp(p + k, text, strlen(text));
			assert_int_equal(sought_is_in(s, SOUGHT_AS_BYTES, &w, base + at, length),
					 found);
			at += length;
		}
		sought_free(s);
	}
	free(p);
}

/* --- by texts -------------------------------------------------------------- */

struct told {
	struct message m;
	char *text, *type;
	size_t text_length, type_length;
};

struct subject {
	struct session session;
	struct reader *reader;
	VEC(struct told) messages;
	size_t lacking; /* answers that are sure */
	size_t keyed;	/* types that have a number */
	size_t same;	/* messages with the bytes of another's text */
};

static char *
copy(const struct text *text, size_t *length)
{
	*length = text->length;
	return memcpy(mem_new(text->length + 1), text_get(text), text->length);
}

/* A text that is said to stand in the capture stands there. */
static void
check_text(struct subject *c, const struct told *told)
{
	size_t length;
	const char *text = reader_text(c->reader, &told->m, &length);
	if (!text)
		return;
	assert_int_equal(length, told->text_length);
	assert_memory_equal(text, told->text, length);
}

static void
read_trace(struct subject *c, struct trace *trace)
{
	struct message batch[64];
	struct expansion e = {0};
	size_t count;
	struct reader *walker = reader_new(trace);
	c->reader = reader_new(trace);
	while ((count = reader_walk(walker, batch, 64)) > 0)
		for (size_t i = 0; i < count; i++) {
			struct told *told = vec_add(&c->messages);
			told->m = batch[i];
			reader_expand(c->reader, &told->m, EXPAND_TYPE, &e);
			told->text = copy(&e.text, &told->text_length);
			told->type = copy(&e.type, &told->type_length);
			check_text(c, told);
		}
	reader_free(walker);
	expansion_free(&e);
}

static void
leave_trace(struct subject *c)
{
	for (size_t i = 0; i < c->messages.count; i++) {
		free(c->messages.at[i].text);
		free(c->messages.at[i].type);
	}
	vec_free(&c->messages);
	reader_free(c->reader);
}

/* Part of a text or of a type; now and then with something else at one end. */
static size_t
some_part(const struct subject *c, char *out)
{
	const struct told *told = &c->messages.at[below(c->messages.count)];
	bool type = !below(6);
	const char *from = type ? told->type : told->text;
	size_t whole = type ? told->type_length : told->text_length;
	size_t length = 1 + below(below(3) ? 6 : NEEDLE_MAX);
	size_t at = below(whole + 1);
	length = length < whole - at ? length : whole - at;
	memcpy(out, from + at, length);
	for (size_t i = below(4) ? 2 : 0; i < 2 && length; i++)
		out[below(length)] ^= (char)(below(2) ? 32 : 1);
	return length;
}

/* Messages with the same key, in TYPES one of each, have the same type. */
static void
check_type(struct subject *c, size_t i, uint64_t key, struct map *types)
{
	if (!map_find(types, key))
		*map_add(types, key) = i;
	assert_string_equal(c->messages.at[*map_find(types, key)].type, c->messages.at[i].type);
}

/* The first needle of a set, and of a class the first byte. */
struct shown {
	char text[NEEDLE_MAX + 1];
};

static struct shown
show(const struct needles *set)
{
	struct shown shown = {0};
	for (size_t i = 0; i < set->at[0].length; i++)
		for (unsigned c = 255; c > 0; c--)
			if (byte_set_has(&set->at[0].at[i], (uint8_t)c))
				shown.text[i] = (char)c;
	return shown;
}

static void
check_needles(struct subject *c, const struct needles *set)
{
	struct sought *s = sought_new(set);
	struct map types = {0}; /* of keys, one message each */
	for (size_t i = 0; i < c->messages.count; i++) {
		const struct told *told = &c->messages.at[i];
		struct sought_answer answer;
		reader_sift(c->reader, &told->m, s, &answer);
		c->lacking += answer.text_lacks;
		if (answer.text_has &&
		    !needles_are_in(set, (const uint8_t *)told->text, told->text_length))
			fail_msg("message %zu: \"%s\" has not \"%s\" or one of %zu", i, told->text,
				 show(set).text, set->count);
		if (answer.text)
			assert_true(answer.text_length == told->text_length &&
				    !memcmp(answer.text, told->text, told->text_length));
		uint64_t key;
		bool keyed = true;
		reader_type_keys(c->reader, &told->m, 1, &key, &keyed);
		c->keyed += keyed;
		if (keyed)
			check_type(c, i, key, &types);
		if (answer.keyed)
			check_type(c, i, answer.type_key, &types);
		const char *text =
		    answer.text_lacks &&
			    needles_are_in(set, (const uint8_t *)told->text, told->text_length)
			? told->text
		    : answer.type_lacks &&
			    needles_are_in(set, (const uint8_t *)told->type, told->type_length)
			? told->type
			: NULL;
		if (text)
			fail_msg("message %zu at %llu: \"%s\" lacks \"%s\" or one of %zu", i,
				 (unsigned long long)told->m.offset, text, show(set).text,
				 set->count);
	}
	map_free(&types);
	sought_free(s);
}

/* Lets some other bytes stand at some places, too. */
static void
widen(struct needle *needle)
{
	struct needle old = *needle;
	size_t each = 1 + below(4);
	for (size_t i = 0; i < old.length; i++) {
		if (below(each))
			continue;
		unsigned from = below(3) ? (unsigned)below(128) : 0;
		unsigned to = below(8) ? from + (unsigned)below(12) : 255;
		bool digits = !below(3);
		for (unsigned b = digits ? '0' : from; b <= (digits ? '9' : to); b++)
			byte_set_add(&old.at[i], (uint8_t)b);
	}
	needle_init_sets(needle, old.at, old.length);
}

static struct needles
some_needles(const struct subject *c)
{
	struct needles set = {0};
	bool fold = !below(3), wide = below(2);
	for (size_t k = 1 + below(below(3) ? 1 : NEEDLES_MAX); k--;) {
		char part[NEEDLE_MAX];
		size_t length = some_part(c, part);
		if (length)
			needle_init(&set.at[set.count++], part, length, fold);
		if (length && wide)
			widen(&set.at[set.count - 1]);
	}
	return set;
}

/* Messages that are said to have the same bytes for their texts have the same texts; how many
 * had those of another. */
static size_t
check_bytes(struct subject *c)
{
	struct byte_map texts = {0}; /* to messages, from 1 */
	struct text key = {0};
	size_t same = 0;
	for (size_t i = 0; i < c->messages.count; i++) {
		const struct told *told = &c->messages.at[i];
		struct sought_answer answer;
		reader_sift(c->reader, &told->m, NULL, &answer);
		if (!answer.text_bytes)
			continue;
		text_clear(&key);
		text_add_bytes(&key, &answer.text_from, sizeof answer.text_from);
		text_add_bytes(&key, &answer.text_form, sizeof answer.text_form);
		text_add_bytes(&key, answer.text_bytes, answer.text_bytes_length);
		struct byte_map_entry *entry =
		    byte_map_add(&texts, byte_map_hash(key.data, key.length), key.data, key.length);
		same += entry->value > 0;
		entry->value = entry->value ? entry->value : i + 1;
		const struct told *first = &c->messages.at[entry->value - 1];
		if (first->text_length != told->text_length ||
		    memcmp(first->text, told->text, told->text_length) != 0)
			fail_msg("messages at %llu and %llu: \"%s\" is not \"%s\"",
				 (unsigned long long)first->m.offset,
				 (unsigned long long)told->m.offset, first->text, told->text);
	}
	byte_map_free(&texts);
	text_free(&key);
	return same;
}

/* Looks for some parts; how many messages were sure to lack them.  No PARTS: how many have the
 * bytes of another's text. */
static size_t
check_session(const char *path, const char *format, unsigned parts)
{
	struct subject c = {0};
	struct err err = {0};
	struct text profile = {0};
	if (profile_find((const char *const[]){path}, 1, &profile))
		assert_int_equal(profile_load(profile.data, &c.session.profile, &err), 0);
	else
		option_defaults(profile_options_table(), &c.session.profile);
	text_free(&profile);
	assert_non_null(session_open(&c.session, path, format, NULL, 0, &err));
	for (size_t i = 0; i < c.session.traces.count; i++) {
		trace_load(c.session.traces.at[i], &err);
		read_trace(&c, c.session.traces.at[i]);
		c.same += check_bytes(&c);
		for (unsigned run = 0; run < parts * test_runs(1); run++) {
			const struct needles set = some_needles(&c);
			if (set.count)
				check_needles(&c, &set);
		}
		const struct decoder *decoder = trace_decoder(c.session.traces.at[i]);
		assert_true(!parts || !decoder->ops->type_keys || c.keyed);
		leave_trace(&c);
	}
	session_close(&c.session);
	return parts ? c.lacking : c.same;
}

static void
test_samples(void **state)
{
	static const char *const names[] = {
	    "demo.stp",		 "all-raw.bin",	    "all-hex.txt",     "all-le22.stp",
	    "all-lsn.stp",	 "all-msn.stp",	    "gray.stp",	       "delta.stp",
	    "short.bin",	 "damaged-raw.bin", "damaged-hex.txt", "damaged-stp.stp",
	    "all-gem.bin",	 "all-gem.uia.bin", "all-csel.csel",   "all-encap.bin",
	    "all-itm.itm",	 "all-tpiu.swo",    "damaged-uia.bin", "damaged-csel.csel",
	    "damaged-encap.bin", "log-dmesg.txt",   "log-zephyr.txt",  "log-bench.txt",
	    "log-logcat.txt",	 "all-opencsd",	    "damaged-opencsd"};
	const char *srcdir = getenv("srcdir");
	size_t lacking = 0;
	(void)state;
	const size_t count = sizeof names / sizeof *names - (opencsd_library_version() ? 0 : 2);
	for (size_t i = 0; i < count; i++) {
		struct text path = {0};
		text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", names[i]);
		lacking += check_session(path.data, NULL, 500);
		text_free(&path);
	}
	assert_true(lacking > 100000);
}

/* Of one kind each, where most can be told. */
static void
test_mixes(void **state)
{
	static const char *const arguments[] = {"-m strings", "-m printf", "-m catalog", "-m bytes",
						"-m all --damage=cut,drop,flip --rate=0.1"};
	const char *program = getenv("MKCAPTURE");
	(void)state;
	if (!program)
		skip();
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		char *path = toy_file("", 0);
		struct text command = {0};
		text_addf(&command, "'%s' %s -c 500 --seed=%zu -o %s", program, arguments[i],
			  1 + below(1000), path);
		assert_int_equal(system(command.data), 0);
		assert_true(check_session(path, "syst/raw", 200) > 1000);
		unlink(path);
		free(path);
		text_free(&command);
	}
}

/* Logs with colours and returns, which their texts leave out: amid them a part that stands in no
 * line of the file. */
static void
test_logs(void **state)
{
	static const char *const pieces[] = {"\r",   "\033[31m", "\033[0m", "quench",
					     "\r\n", " wait ",	 "q",	    "wa",
					     "it",   "\n",	 "fifo",    "\n\t"};
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct text log = {0};
		for (unsigned line = 0; line < 200; line++) {
			text_addf(&log, "[%5u.%06zu] ", line, below(1000000));
			for (size_t i = below(12); i--;)
				text_add(&log, pieces[below(sizeof pieces / sizeof *pieces)]);
			text_add_char(&log, '\n');
		}
		char *path = toy_file(log.data, log.length);
		assert_in_range(check_session(path, "text", 40), 100, SIZE_MAX);
		unlink(path);
		free(path);
		text_free(&log);
	}
}

/* A payload so far. */
struct payload {
	uint8_t bytes[400];
	size_t length;
};

static void
put_bytes(struct payload *p, const void *at, size_t length)
{
	memcpy(p->bytes + p->length, at, length);
	p->length += length;
}

/* A number, or a text with its NUL, of which pieces of formats may be a part as well. */
static void
put_argument(struct payload *p, char type)
{
	static const uint64_t numbers[] = {0,
					   1,
					   0xab,
					   97,
					   0xe9,
					   UINT64_MAX,
					   0x6261620061626162,
					   0xbabababa,
					   10,
					   0xfedcba9876,
					   0x7ff0000000000000,
					   0x7ff8000000000000};
	static const char *const texts[] = {
	    "",	  "a",	"b",	"ab",	 "ba", "abab", "0x",  " a",   "a b", "-",   "%d",      "b%",
	    "in", "nf", "tima", "outab", "'",  "f",    "for", "%%ab", "(ni", "b -", "\xc3\xa9"};
	static const double values[] = {1.5, -0.25, 1e300, 11, 0};
	uint64_t number = numbers[below(sizeof numbers / sizeof *numbers)];
	const char *text = texts[below(sizeof texts / sizeof *texts)];
	if (type == 's')
		put_bytes(p, text, strlen(text) + 1);
	else if (type == 'f' && below(2))
		put_bytes(p, &values[below(sizeof values / sizeof *values)], sizeof(double));
	else if (type != '-') /* in bytes, of which the first are low ones */
		put_bytes(p, &number, type == '4' ? 4 : 8);
}

/* A piece of a format and the types of its arguments. */
static const struct {
	const char *text, *arguments;
} call_pieces[] = {
    {"a", ""},	   {"b", ""},	 {"ab", ""},	{"%s", "s"},   {"%s", "s"},    {"%%", ""},
    {"ba ", ""},   {" ", ""},	 {"%d", "4"},	{"%x", "4"},   {"%u", "4"},    {"time", ""},
    {"out", ""},   {"%5s", "s"}, {"%-3s", "s"}, {"%.1s", "s"}, {"%.*s", "4s"}, {"%*d", "44"},
    {"%c", "4"},   {"%lc", "4"}, {"%n", "4"},	{"%p", "4"},   {"%.0d", "4"},  {"%#x", "4"},
    {"%08X", "4"}, {"%3d", "4"}, {"% d", "4"},	{"%+d", "4"},  {"%f", "f"},    {"%.1e", "f"},
    {"%a", "f"},   {"%5G", "f"}, {"in", ""},	{"(nil", ""},  {"'", ""},      {" - ", ""},
    {"for", ""},   {"0x", ""},	 {"-", ""},	{"%lld", "8"}, {"%hhx", "4"},  {"%", ""}};

/* Makes a format with its arguments, which may be cut short. */
static void
make_call(struct text *format, struct payload *arguments, const uint8_t *pieces, size_t count)
{
	text_clear(format);
	arguments->length = 0;
	for (size_t i = 0; i < count; i++) {
		text_add(format, call_pieces[pieces[i]].text);
		for (const char *type = call_pieces[pieces[i]].arguments; *type; type++)
			put_argument(arguments, *type);
	}
	if (!below(6))
		arguments->length = below(arguments->length + 1);
}

/* Adds a frame of a type, with a CRC now and then, which may be wrong. */
static size_t
put_frame(uint8_t *p, uint32_t type, uint32_t subtype, const struct payload *payload)
{
	bool has_crc = !below(3);
	uint32_t header =
	    type | 4u << 4 | 1u << 9 | (uint32_t)has_crc << 10 | 3u << 16 | subtype << 24;
	memcpy(p, &header, 4); /* these tests run on machines that are little-endian */
	p[4] = (uint8_t)payload->length;
	p[5] = (uint8_t)(payload->length >> 8);
	memcpy(p + 6, payload->bytes, payload->length);
	size_t at = 6 + payload->length;
	uint32_t crc = bytes_crc32c(0, p, at) ^ (uint32_t)!below(4);
	if (has_crc)
		memcpy(p + at, &crc, 4);
	return at + (has_crc ? 4 : 0);
}

enum { CALLS = 24, CALL_PIECES = 6, CALL_FRAMES = 1500 };

/* Formats whose pieces, arguments and complaints can make a needle only together: in messages
 * and in collateral, which lacks some of the ids. */
static void
check_calls(void)
{
	static uint8_t frames[CALL_FRAMES * 512];
	uint8_t pieces[CALLS][CALL_PIECES];
	struct text format = {0}, xml = {0};
	struct payload arguments, payload;
	size_t end = 0;
	text_add(&xml, "<?xml version=\"1.0\"?>\n<syst:Collateral xmlns:syst="
		       "\"http://www.mipi.org/1.0/sys-t\"><syst:Client Name=\"a\"><syst:Guids>"
		       "<syst:Guid ID=\"{00000000-0000-0000-0000-000000000000}\" Mask="
		       "\"{ffffffff-ffff-ff00-ffff-ffffffffffff}\">m</syst:Guid></syst:Guids>"
		       "<syst:Catalog32>");
	for (size_t i = 0; i < CALLS; i++) {
		for (size_t k = 0; k < CALL_PIECES; k++)
			pieces[i][k] = (uint8_t)below(sizeof call_pieces / sizeof *call_pieces);
		make_call(&format, &arguments, pieces[i], CALL_PIECES);
		if (i % 8)
			text_addf(&xml, "<syst:Format ID=\"0x%zx\"><![CDATA[%s]]></syst:Format>",
				  i + 1, text_get(&format));
	}
	text_add(&xml, "</syst:Catalog32></syst:Client></syst:Collateral>\n");
	for (size_t i = 0; i < CALL_FRAMES; i++) {
		uint32_t call = (uint32_t)below(CALLS), id = call + 1;
		bool catalog = below(2);
		make_call(&format, &arguments, pieces[call], 1 + below(CALL_PIECES));
		if (catalog)
			make_call(&format, &arguments, pieces[call], CALL_PIECES);
		payload.length = 0;
		if (catalog)
			put_bytes(&payload, &id, sizeof id);
		else
			put_bytes(&payload, text_get(&format), format.length + 1);
		put_bytes(&payload, arguments.bytes, arguments.length);
		end += put_frame(frames + end, catalog ? 3 : 2, catalog ? 1 : 11, &payload);
	}
	struct folder folder;
	folder_make(&folder);
	folder_put(&folder, "calls.bin", frames, end);
	folder_put_text(&folder, "calls.xml", text_get(&xml));
	folder_put_text(&folder, "calls.profile.yaml",
			"traces:\n  - match: \"calls.bin\"\n    format: syst\n"
			"    syst: {transport: raw, collateral: [calls.xml]}\n");
	assert_in_range(check_session(folder_path(&folder, "calls.bin"), NULL, 150), 1000,
			SIZE_MAX);
	folder_remove(&folder);
	text_free(&format);
	text_free(&xml);
}

static void
test_calls(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 6; round++)
		check_calls();
}

/* Few payloads in frames of all types and subtypes, with and without a CRC that is right: only
 * what differs around the payload tells texts apart. */
static void
test_frames(void **state)
{
	static const char payloads[][20] = {"%d %s", "%llx", "1234567890123456789",
					    "",	     "a",    "%s\0bcdefghijklmnopq"};
	static uint8_t frames[400000];
	size_t end = 0;
	(void)state;
	while (end < sizeof frames - 64) {
		static const uint8_t types[] = {0, 2, 2, 2, 3, 3, 5, 7, 8};
		uint8_t *p = frames + end;
		size_t at = 6, length = sizeof payloads[0] - below(4);
		bool has_crc = below(2), has_time = below(2);
		uint32_t header = types[below(sizeof types)] | (uint32_t)below(8) << 4 | 1u << 9 |
				  (has_crc ? 1u << 10 : 0) | (has_time ? 1u << 11 : 0) |
				  (uint32_t)below(16) << 24;
		for (size_t i = 0; i < 4; i++)
			p[i] = (uint8_t)(header >> 8 * i);
		p[4] = (uint8_t)length;
		p[5] = 0;
		for (size_t i = 0; has_time && i < 8; i++)
			p[at++] = (uint8_t)below(256);
		memcpy(p + at, payloads[below(sizeof payloads / sizeof *payloads)], length);
		at += length;
		uint32_t crc = bytes_crc32c(0, p, at) ^ (uint32_t)!below(4);
		for (size_t i = 0; has_crc && i < 4; i++)
			p[at++] = (uint8_t)(crc >> 8 * i);
		end += at;
	}
	char *path = toy_file((const char *)frames, end);
	assert_in_range(check_session(path, "syst/raw", 0), 1000, SIZE_MAX);
	unlink(path);
	free(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_joins),    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_in_place), cmocka_unit_test(test_integers),
	    cmocka_unit_test(test_cursor),   cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_mixes),    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_logs),     cmocka_unit_test(test_calls),
	};
	const char *other = getenv("TRAWL_SEED");
	if (other)
		seed = strtoull(other, NULL, 10);
	return cmocka_run_group_tests_name("sought", tests, NULL, NULL);
}
