/*
 * Packets of ITMs at random: see itm_encode.h.
 *
 * Texts of rows: the type, then what the packet says.
 *
 *	line 0 HEX		bytes that were written up to a line feed
 *	port PORT SIZE VALUE
 *	exception NUMBER enter|exit|return
 *	pc VALUE|asleep|unreadable
 *	data_trace COMPARATOR WHAT SIZE VALUE
 *	counter MASK, pmu MASK	(counter of source 0 and 3)
 *	reserved SIZE
 *	local_time TICKS RELATION
 *	global_time VALUE, global_part VALUE
 *	overflow, extension PAGE, sync
 *
 * Numbers are in hexadecimal.  The time of a row is the sum of the local timestamps up to the
 * next one, which is the time of all packets since the last one.
 */
#include "config.h"

#include "itm_encode.h"

#include "base/text.h"
#include "formatter.h"
#include "random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An ITM on its way. */
struct source {
	const struct itm_plan *plan;
	uint64_t seed;
	uint8_t number; /* of the ITM */
	VEC(uint8_t) bytes;
	VEC(struct itm_row) rows; /* start and end are indexes in BYTES */
	size_t untimed;		  /* rows from here on wait for a timestamp */
	uint64_t time, global, global_sent;
	bool global_known;
	uint8_t line[256];
	size_t line_length, line_at, line_start;
	struct text line_hex;
	unsigned page;
	unsigned nested[4], depth, exception_step; /* of exceptions */
	uint32_t pc;
	unsigned since_sync, data_step;
	uint32_t watched[4];
	unsigned next_kind;
};

static uint32_t
below(struct source *s, uint32_t n)
{
	return random_below(&s->seed, n);
}

static bool
has(const struct source *s, unsigned what)
{
	return s->plan->has & what;
}

/* --- rows ------------------------------------------------------------------ */

static struct itm_row *
add_row(struct source *s, size_t start, char *text)
{
	struct itm_row *row = vec_add(&s->rows);
	*row =
	    (struct itm_row){.text = text, .start = start, .end = s->bytes.count, .itm = s->number};
	return row;
}

#define ROW(s, start, ...)                                                                         \
	do {                                                                                       \
		struct text row_text = {0};                                                        \
		text_addf(&row_text, __VA_ARGS__);                                                 \
		add_row(s, start, row_text.data);                                                  \
	} while (0)

static void
put(struct source *s, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*vec_add(&s->bytes) = (uint8_t)(value >> 8 * i);
}

/* `aaaaa0ss` or `aaaaa1ss`, and the payload, low byte first; returns where it begins. */
static size_t
put_source(struct source *s, unsigned source, bool hardware, unsigned size, uint64_t value)
{
	static const uint8_t codes[] = {0, 1, 2, 0, 3};
	size_t start = s->bytes.count;
	put(s, source << 3 | (hardware ? 4u : 0u) | codes[size], 1);
	put(s, value, size);
	return start;
}

/* Seven bits in each byte, bit 7 set in all but the last one. */
static void
put_continued(struct source *s, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put(s, (value & 0x7f) | 0x80, 1);
	put(s, value, 1);
}

/* --- packets --------------------------------------------------------------- */

static const char *const words[] = {"boot",  "ok",   "value",	   "temperature", "sensor", "retry",
				    "error", "done", "0x20001f4c", "adc",	  "step",   "tick",
				    "sleep", "wake", "frame",	   "crc"};

/* Makes the next line of text. */
static void
make_line(struct source *s)
{
	struct text text = {0};
	bool colour = has(s, ITM_COLOUR);
	unsigned count = 1 + below(s, 5);
	if (colour && below(s, 2))
		text_addf(&text, "\033[3%um", below(s, 8));
	for (unsigned i = 0; i < count; i++)
		text_addf(&text, "%s%s", i ? " " : "", words[below(s, 16)]);
	text_addf(&text, " %u", below(s, 10000));
	if (colour)
		text_add(&text, below(s, 2) ? " 23\302\260C\033[0m" : " \342\202\254");
	text_add(&text, below(s, 2) ? "\r\n" : "\n");
	s->line_length = text.length;
	memcpy(s->line, text.data, text.length);
	text_free(&text);
	s->line_at = 0;
	/* whole words, filled up with NUL */
	while (colour && s->line_length % s->plan->text_size)
		s->line[s->line_length++] = 0;
}

/* Ends the line of the row: each line feed does, and NUL bytes that fill it up are of it. */
static void
end_line(struct source *s)
{
	ROW(s, s->line_start, "line 0 %s", text_get(&s->line_hex));
	text_clear(&s->line_hex);
}

/* `0ppp1000` */
static void
put_page(struct source *s, unsigned page)
{
	size_t start = s->bytes.count;
	s->page = page;
	put(s, page << 4 | 8, 1);
	ROW(s, start, "extension %x", page);
}

/* A write of text; a line in one go now and then. */
static void
send_text(struct source *s)
{
	if (s->page)
		put_page(s, 0); /* port 0 is of the first page */
	if (s->line_at >= s->line_length)
		make_line(s);
	size_t left = s->line_length - s->line_at;
	unsigned size = s->plan->text_size;
	while (size > left)
		size /= 2;
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)s->line[s->line_at + i] << 8 * i;
	size_t start = put_source(s, 0, false, size, value);
	if (!s->line_hex.length)
		s->line_start = start;
	for (unsigned i = 0; i < size; i++)
		text_addf(&s->line_hex, "%02x", (unsigned)(value >> 8 * i & 0xff));
	s->line_at += size;
	if (s->line_at >= s->line_length)
		end_line(s);
}

static void
send_write(struct source *s)
{
	static const uint8_t sizes[] = {1, 2, 4};
	unsigned port = 1 + below(s, has(s, ITM_PAGES) ? 31 : 4), size = sizes[port % 3];
	uint64_t mask = (UINT64_C(1) << 8 * size) - 1;
	/* small numbers or any; no text */
	uint64_t value = (port & 4 ? random_next(&s->seed) : below(s, 4000)) & mask;
	if (size < 4)
		value |= 0x80;
	else
		value &= 0xffffff0f;
	size_t start = put_source(s, port, false, size, value);
	ROW(s, start, "port %x %x %" PRIx64, 32 * s->page + port, size, value);
}

static void
send_page(struct source *s)
{
	put_page(s, below(s, 4));
}

/* Number, and what happened in bits 5:4 of the second byte [ARMv7-M, D4.3]. */
static void
put_exception(struct source *s, unsigned number, unsigned action)
{
	static const char *const actions[] = {"", "enter", "exit", "return"};
	size_t start = put_source(s, 1, true, 2, number | action << 12);
	ROW(s, start, "exception %x %s", number, actions[action]);
}

/* Handlers that interrupt each other. */
static void
send_exception(struct source *s)
{
	static const uint16_t numbers[] = {15, 15, 15, 11, 14, 16, 22, 44, 71, 300};
	if (s->exception_step) { /* one was left: this runs now */
		put_exception(s, s->depth ? s->nested[s->depth - 1] : 0, 3);
		s->exception_step = 0;
	} else if (s->depth < 3 && (!s->depth || !below(s, 4))) {
		s->nested[s->depth] = numbers[below(s, sizeof numbers / sizeof *numbers)];
		put_exception(s, s->nested[s->depth++], 1);
	} else {
		put_exception(s, s->nested[--s->depth], 2);
		s->exception_step = 1;
	}
}

static void
send_pc(struct source *s)
{
	uint32_t dice = below(s, 40);
	size_t start;
	if (dice < 4) {
		bool unreadable = has(s, ITM_V8M) && dice == 3;
		start = put_source(s, 2, true, 1, unreadable ? 0xff : 0);
		ROW(s, start, "pc %s", unreadable ? "unreadable" : "asleep");
		return;
	}
	s->pc = dice < 6 ? 0x08000000 + 2 * below(s, 0x8000) : s->pc + 2 * below(s, 12) - 8;
	start = put_source(s, 2, true, 4, s->pc);
	ROW(s, start, "pc %" PRIx32, s->pc);
}

static void
put_data(struct source *s, unsigned source, const char *what, unsigned size, uint64_t value)
{
	size_t start = put_source(s, source, true, size, value);
	ROW(s, start, "data_trace %x %s %x %" PRIx64, source >> 1 & 3, what, size, value);
}

/* What a comparator is set to: PC, address, value, or some of these, one after the other. */
static void
send_data(struct source *s)
{
	unsigned comparator = below(s, 2) * (1 + (unsigned)(s->plan->seed & 1)), value_size = 4;
	bool v8m = has(s, ITM_V8M);
	if (s->plan->seed >> comparator & 4)
		value_size = 1u << (s->plan->seed >> comparator & 1);
	if (s->plan->seed >> comparator & 8) {
		unsigned size = v8m ? 1u << below(s, 3) : 4;
		put_data(s, 8 | comparator << 1, size == 1 ? "match" : "pc", size,
			 size == 1 ? 1 : s->pc & ((UINT64_C(1) << 8 * size) - 1));
	}
	unsigned address_size = v8m ? 1u << below(s, 3) : 2;
	if (s->plan->seed >> comparator & 16)
		put_data(s, 9 | comparator << 1, "address", address_size,
			 (0x20000100 + 4 * below(s, 16)) & ((UINT64_C(1) << 8 * address_size) - 1));
	bool written = below(s, 2);
	s->watched[comparator] += below(s, 9);
	put_data(s, 16 | comparator << 1 | written, written ? "write" : "read", value_size,
		 s->watched[comparator] & ((UINT64_C(1) << 8 * value_size) - 1));
}

static void
send_counter(struct source *s)
{
	unsigned mask = below(s, 3) ? 0x20 : 1 + below(s, 63);
	size_t start;
	if (has(s, ITM_V8M) && !below(s, 3)) {
		mask = 1 + below(s, 255);
		start = put_source(s, 3, true, 1, mask);
		ROW(s, start, "pmu %x", mask);
		return;
	}
	start = put_source(s, 0, true, 1, mask);
	ROW(s, start, "counter %x", mask);
}

static void
send_reserved(struct source *s)
{
	static const uint8_t sizes[] = {1, 2, 4};
	unsigned size = sizes[below(s, 3)];
	size_t start =
	    put_source(s, 24 + (unsigned)(s->plan->seed % 8), true, size, random_next(&s->seed));
	ROW(s, start, "reserved %x", size);
}

static void
send_overflow(struct source *s)
{
	size_t start = s->bytes.count;
	put(s, 0x70, 1);
	ROW(s, start, "overflow");
}

static void
send_sync(struct source *s)
{
	size_t start = s->bytes.count;
	put(s, 0, 5);
	put(s, 0x80, 1);
	ROW(s, start, "sync");
	s->rows.at[s->rows.count - 1].is_sync = true;
	s->page = 0;
	s->since_sync = 0;
}

/* --- time ------------------------------------------------------------------ */

static void
set_times(struct source *s)
{
	for (; s->untimed < s->rows.count; s->untimed++) {
		s->rows.at[s->untimed].ticks = s->time;
		s->rows.at[s->untimed].timed = true;
	}
}

static void
send_local(struct source *s)
{
	static const char *const relations[] = {"exact", "delayed", "data_delayed", "both_delayed"};
	uint32_t ticks = 1 + below(s, below(s, 3) ? 200 : 1 << 20);
	unsigned relation = below(s, 10) ? 0 : below(s, 4);
	size_t start = s->bytes.count;
	if (below(s, 4) == 0)
		ticks = 1 + below(s, 6);
	s->time += ticks;
	s->global += ticks;
	if (ticks <= 6 && !relation) {
		put(s, ticks << 4, 1);
	} else {
		put(s, 0xc0 | relation << 4, 1);
		put_continued(s, ticks);
	}
	ROW(s, start, "local_time %" PRIx32 " %s", ticks, relations[relation]);
	set_times(s);
}

/* The low part ends where the bits that changed do, and its fourth byte has flags; the high
 * one is four bytes [ARMv7-M, D4]. */
static void
send_global(struct source *s)
{
	const uint64_t low = 0x3ffffff;
	uint64_t high = s->global >> 26;
	bool wrapped = s->global_known && high != s->global_sent >> 26;
	size_t start = s->bytes.count;
	put(s, 0x94, 1);
	for (unsigned i = 0; i < 3; i++)
		put(s, (s->global >> 7 * i & 0x7f) | 0x80, 1);
	put(s, (s->global >> 21 & 0x1f) | (wrapped ? 0x40 : 0), 1);
	if (s->global_known && !wrapped)
		ROW(s, start, "global_time %" PRIx64, s->global);
	else
		ROW(s, start, "global_part %" PRIx64, s->global & low);
	if (!s->global_known || wrapped) {
		start = s->bytes.count;
		put(s, 0xb4, 1);
		for (unsigned i = 0; i < 3; i++)
			put(s, (high >> 7 * i & 0x7f) | 0x80, 1);
		put(s, high >> 21 & 1, 1);
		ROW(s, start, "global_time %" PRIx64, s->global);
	}
	s->global_known = true;
	s->global_sent = s->global;
}

/* --- a source -------------------------------------------------------------- */

static const struct {
	unsigned has;
	void (*send)(struct source *);
	unsigned weight;
} senders[] = {
    {ITM_TEXT, send_text, 12},
    {ITM_WRITES, send_write, 6},
    {ITM_EXCEPTIONS, send_exception, 6},
    {ITM_PCS, send_pc, 8},
    {ITM_DATA, send_data, 5},
    {ITM_COUNTERS, send_counter, 2},
    {ITM_OVERFLOWS, send_overflow, 1},
    {ITM_PAGES, send_page, 1},
    {ITM_V8M, send_reserved, 1},
};
enum { SENDERS = sizeof senders / sizeof *senders };

static void
send_something(struct source *s)
{
	unsigned all = 0, i;
	for (i = 0; i < SENDERS; i++)
		all += has(s, senders[i].has) ? senders[i].weight : 0;
	unsigned dice = below(s, all);
	for (i = 0;; i++) {
		unsigned weight = has(s, senders[i].has) ? senders[i].weight : 0;
		if (dice < weight)
			break;
		dice -= weight;
	}
	/* a line is often written in one go */
	unsigned again = senders[i].send == send_text ? 1 + below(s, 30) : 1;
	while (again--)
		senders[i].send(s);
}

static void
make_source(struct source *s)
{
	if (has(s, ITM_SYNCS))
		send_sync(s);
	s->pc = 0x08000400 + 2 * below(s, 0x4000);
	s->global = random_next(&s->seed) >> 24;
	while (s->rows.count + s->line_hex.length / 2 < s->plan->packets) {
		send_something(s);
		s->global += below(s, 5000);
		if (has(s, ITM_LOCAL) && below(s, 3))
			send_local(s);
		if (has(s, ITM_GLOBAL) && !below(s, 6))
			send_global(s);
		if (has(s, ITM_SYNCS) && s->since_sync++ > 20 && !below(s, 20))
			send_sync(s);
	}
	while (s->line_hex.length)
		send_text(s);
	if (has(s, ITM_LOCAL))
		send_local(s);
}

/* --- the capture ----------------------------------------------------------- */

/* Where each byte of a source lies in the capture: first and last byte of it or its frame. */
struct place {
	uint64_t start, end;
};

/* Put the bytes of the sources into frames, a few of each in turn.  A byte is in the frame
 * that the formatter takes it into. */
static void
make_frames(struct source *sources, const struct itm_plan *plan, struct itm_made *made,
	    struct place **places)
{
	struct formatter f = {0};
	uint64_t seed = plan->seed ^ 0x5eed;
	size_t at[ITM_MAX] = {0}, left = 0;
	VEC(struct sourced) order = {0}; /* id: number of the ITM */
	for (unsigned i = 0; i < plan->itms; i++)
		left += sources[i].bytes.count;
	while (left) {
		unsigned i = random_below(&seed, plan->itms);
		for (unsigned n = 1 + random_below(&seed, 24); n && at[i] < sources[i].bytes.count;
		     n--, left--) {
			uint8_t byte = sources[i].bytes.at[at[i]++];
			formatter_add(&f, made->ids[i], &byte, 1);
			*vec_add(&order) = (struct sourced){(uint8_t)i, byte};
		}
		if (!random_below(&seed, 12))
			formatter_add(&f, 0, "", 1);
	}
	memset(at, 0, sizeof at);
	size_t taken = 0, n = 0;
	for (int id = -1; taken < f.input.count;) {
		size_t frame = f.frames.count, from = taken;
		formatter_frame(&f, &taken, &id);
		for (; from < taken; from++) {
			if (!f.input.at[from].id)
				continue;
			unsigned i = order.at[n++].id;
			places[i][at[i]++] = (struct place){frame, frame + 16};
		}
	}
	for (size_t i = 0; i < f.frames.count; i++)
		*vec_add(&made->bytes) = f.frames.at[i];
	vec_free(&order);
	formatter_free(&f);
}

/* Moves what lies from AT on, and marks the rows that damage of LOST bytes hits. */
static void
hit_rows(struct itm_made *made, uint64_t at, uint64_t lost, unsigned came)
{
	for (size_t i = 0; i < made->rows.count; i++) {
		struct itm_row *row = &made->rows.at[i];
		if (row->start < at + lost && row->end > at)
			row->hit = true;
		if (!lost && row->start < at && row->end > at)
			row->hit = true;
		if (row->start >= at + lost)
			row->start += came - lost;
		else if (row->start > at)
			row->start = at;
		if (row->end > at + lost)
			row->end += came - lost;
		else if (row->end > at)
			row->end = at;
	}
	for (size_t i = 0; i < made->damage.count; i++)
		if (made->damage.at[i] >= at + lost)
			made->damage.at[i] += came - lost;
	*vec_add(&made->damage) = at;
}

static void
damage(const struct itm_plan *plan, struct itm_made *made)
{
	uint64_t seed = plan->seed ^ 0xdead;
	for (unsigned i = 0; i < plan->cuts + plan->strays; i++) {
		bool cut = i < plan->cuts;
		size_t count = 1 + random_below(&seed, cut ? 40 : 3), size = made->bytes.count;
		if (size < 4 * count + 64)
			continue;
		size_t at = 32 + random_below(&seed, size - 32 - count);
		VEC(uint8_t) bytes = {0};
		for (size_t k = 0; k < size; k++) {
			for (size_t n = 0; k == at && !cut && n < count; n++)
				*vec_add(&bytes) = (uint8_t)random_next(&seed);
			if (!cut || k < at || k >= at + count)
				*vec_add(&bytes) = made->bytes.at[k];
		}
		vec_clear(&made->bytes);
		for (size_t k = 0; k < bytes.count; k++)
			*vec_add(&made->bytes) = bytes.at[k];
		vec_free(&bytes);
		hit_rows(made, at, cut ? count : 0, cut ? 0 : (unsigned)count);
	}
}

void
itm_encode(const struct itm_plan *plan, struct itm_made *made)
{
	struct source sources[ITM_MAX] = {0};
	struct place *places[ITM_MAX] = {0};
	uint64_t seed = plan->seed;
	*made = (struct itm_made){.ids = {0}};
	for (unsigned i = 0; i < plan->itms; i++) {
		struct source *s = &sources[i];
		s->plan = plan;
		s->number = (uint8_t)i;
		s->seed = random_next(&seed);
		made->ids[i] = (uint8_t)(1 + random_below(&seed, 0x20) * ITM_MAX + i);
		make_source(s);
		places[i] = mem_new((s->bytes.count + 1) * sizeof *places[i]);
	}
	if (plan->framed) {
		make_frames(sources, plan, made, places);
	} else {
		for (size_t i = 0; i < sources[0].bytes.count; i++) {
			*vec_add(&made->bytes) = sources[0].bytes.at[i];
			places[0][i] = (struct place){i, i + 1};
		}
	}
	for (unsigned i = 0; i < plan->itms; i++) {
		for (size_t k = 0; k < sources[i].rows.count; k++) {
			struct itm_row row = sources[i].rows.at[k];
			row.start = places[i][row.start].start;
			row.end = places[i][row.end - 1].end;
			*vec_add(&made->rows) = row;
		}
		vec_free(&sources[i].rows);
		vec_free(&sources[i].bytes);
		text_free(&sources[i].line_hex);
		free(places[i]);
	}
	damage(plan, made);
}

void
itm_made_free(struct itm_made *made)
{
	for (size_t i = 0; i < made->rows.count; i++)
		free(made->rows.at[i].text);
	vec_free(&made->rows);
	vec_free(&made->bytes);
	vec_free(&made->damage);
}

struct itm_plan
itm_plan_random(uint64_t seed, bool damaged)
{
	/* what people set up: one thing alone, or several */
	static const unsigned usual[] = {
	    ITM_TEXT,
	    ITM_TEXT,
	    ITM_TEXT | ITM_COLOUR,
	    ITM_EXCEPTIONS,
	    ITM_PCS,
	    ITM_DATA,
	    ITM_WRITES,
	    ITM_TEXT | ITM_WRITES,
	    ITM_TEXT | ITM_EXCEPTIONS,
	    ITM_EXCEPTIONS | ITM_PCS,
	    ITM_PCS | ITM_COUNTERS,
	    ITM_TEXT | ITM_EXCEPTIONS | ITM_PCS | ITM_DATA | ITM_OVERFLOWS,
	    ITM_TEXT | ITM_WRITES | ITM_EXCEPTIONS | ITM_PCS | ITM_DATA | ITM_COUNTERS |
		ITM_OVERFLOWS | ITM_PAGES | ITM_COLOUR,
	    ITM_EXCEPTIONS | ITM_PCS | ITM_DATA | ITM_COUNTERS | ITM_V8M,
	};
	static const unsigned times[] = {0,	    0,		ITM_LOCAL,
					 ITM_LOCAL, ITM_GLOBAL, ITM_LOCAL | ITM_GLOBAL};
	uint64_t dice = seed * 0x9e3779b97f4a7c15;
	struct itm_plan plan = {.seed = random_next(&dice)};
	plan.has = usual[random_below(&dice, sizeof usual / sizeof *usual)];
	plan.has |= times[random_below(&dice, sizeof times / sizeof *times)];
	plan.has |= random_below(&dice, 2) ? ITM_SYNCS : 0;
	plan.text_size = 1u << random_below(&dice, 3);
	plan.framed = random_below(&dice, 3) == 0;
	plan.itms = plan.framed ? 1 + random_below(&dice, ITM_MAX) : 1;
	plan.packets = 64 + random_below(&dice, damaged || random_below(&dice, 2) ? 1200 : 200);
	if (damaged) {
		plan.packets += 300;
		plan.cuts = random_below(&dice, 3);
		plan.strays = random_below(&dice, 3) + !plan.cuts;
	}
	return plan;
}
