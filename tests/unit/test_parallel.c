/*
 * An index built by several threads is that of one walk from the start, state
 * included, for every format, damaged or not, and so is what is read of clocks on the
 * way; and readers give its messages.
 *
 * The captures are made anew by mkcapture.  TRAWL_RUNS=1000 makes so many of
 * each format instead of a few.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/vec.h"
#include "config/profile.h"
#include "drive.h"
#include "index/index.h"
#include "session/session.h"
#include "same_index.h"
#include "temp_file.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 3 };

/* An ITM and an ETM in one list; the ETM of mkcapture sends synchronisation alone, out of which
 * a decoder makes what it can. */
#define MIXED                                                                                      \
	"traces:\n"                                                                                \
	"  - match: \"*\"\n"                                                                       \
	"    opencsd:\n"                                                                           \
	"      format: tpiu\n"                                                                     \
	"      sources:\n"                                                                         \
	"        - {id: 1, protocol: ITM}\n"                                                       \
	"        - {id: 2, protocol: ETMV3, regs: {ETMCR: 0xd80, ETMIDR: 0x4114f250, ETMCCER: "    \
	"0x18541800}}\n"

static const struct {
	const char *format;
	const char *arguments; /* of mkcapture */
	const char *profile;   /* or NULL */
} formats[] = {
    {"syst/raw", "-f syst/raw -m len32 -n 900K"},
    {"syst/raw", "-f syst/raw -m all -n 700K"},
    {"syst/hex", "-f syst/hex -m all -n 900K"},
    {"syst/stp", "-f syst/stp -m all -n 900K"},
    {"syst/stp", "-f syst/stp -m len32 --stamps=delta --senders=9 -n 900K"},
    {"stp", "-f syst/stp -m len32 --senders=9 -n 900K"},
    {"itm", "-f itm -m all -n 600K"},
    {"itm", "-f itm -n 600K"},
    {"tpiu", "-f tpiu -n 600K"},
    {"tpiu", "-f tpiu -m all -n 600K --damage=garbage,cut,flip --rate=0.005"},
    {"opencsd", "-f tpiu -n 600K", MIXED},
    {"opencsd", "-f tpiu -m all -n 600K --damage=garbage,cut,flip --rate=0.002", MIXED},
    {"encap", "-f encap -m all -n 800K"},
    {"gem", "-f gem -m all -n 800K"},
    {"uia", "-f uia -m all -n 900K"},
    {"csel", "-f csel -m all -n 900K"},
};

static void
load_profile(struct session *session, const char *text)
{
	struct err err = {0};
	char path[TEMP_PATH];
	temp_make_text(path, ".yaml", text);
	if (profile_load(path, &session->profile, &err) < 0)
		fail_msg("%s", err.what);
	unlink(path);
}

static void
open_capture(struct session *session, const char *format, const char *profile, const char *path)
{
	struct err err = {0};
	if (profile)
		load_profile(session, profile);
	else
		option_defaults(profile_options_table(), &session->profile);
	if (!session_open(session, path, format, NULL, 0, &err))
		fail_msg("%s", err.what);
}

/* CHECKED as in struct index_options. */
static struct index *
build(struct session *session, unsigned threads, unsigned segment, uint8_t checked)
{
	struct trace *trace = session->traces.at[0];
	struct index_options options = {.threads = threads, .segment = segment, .checked = checked};
	struct index *index = index_new(trace_capture(trace), trace_decoder(trace), &options);
	index_build(index);
	return index;
}

/* What a reader gives is what one pass over the bytes does. */
static void
compare_reader(struct trace *trace, const char *name)
{
	struct reader *reader = reader_new(trace);
	struct window w = reader_window(reader);
	const struct drive drive = {.ops = trace_decoder(trace)->ops,
				    .decoder = (struct decoder *)trace_decoder(trace),
				    .bytes = w.bytes,
				    .length = w.length};
	struct drive_messages all;
	drive_all(&drive, &all);
	index_build(trace_index(trace));
	same_messages(reader, all.list.at, all.list.count, name);
	vec_free(&all.list);
	reader_free(reader);
}

/* What an index that checks counts is what expanding all messages finds. */
static void
compare_flags(struct session *session, unsigned threads, unsigned segment, uint8_t checked,
	      const char *name)
{
	struct trace *trace = session->traces.at[0];
	struct index *index = build(session, threads, segment, checked);
	struct reader *reader = reader_new(trace);
	struct expansion e = {0};
	struct message m;
	uint64_t expanded[MESSAGE_FLAGS_DOUBT] = {0}, counted[MESSAGE_FLAGS_DOUBT];
	bool unnamed = false, found_unnamed;
	while (reader_walk(reader, &m, 1)) {
		unsigned flags = m.flags;
		if (checked >> m.severity & 1) {
			reader_expand(reader, &m, EXPAND_BARE, &e);
			flags |= e.flags;
			unnamed |= e.unnamed;
		}
		for (unsigned bit = 0; bit < MESSAGE_FLAGS_DOUBT; bit++)
			expanded[bit] += flags >> bit & 1;
	}
	index_get_flags(index, counted, &found_unnamed);
	if (memcmp(expanded, counted, sizeof counted) != 0 || unnamed != found_unnamed)
		fail_msg("%s: %u threads find other flags", name, threads);
	expansion_free(&e);
	reader_free(reader);
	index_free(index);
}

/* --- clocks ------------------------------------------------------------ */

/* What was read in the cells before NEXT. */
struct clock_notes {
	uint64_t next;
	VEC(struct index_reading) all;
	VEC(uint64_t) ends; /* of the cells' readings in them */
};

static void
take_news(void *context, const struct index_news *news)
{
	struct clock_notes *notes = context;
	assert_int_equal(news->number, notes->next++);
	for (size_t i = 0; i < news->count; i++)
		*vec_add(&notes->all) = news->readings[i];
	*vec_add(&notes->ends) = notes->all.count;
}

/* The same by expanding messages after the index is there. */
static void
find_readings(struct trace *trace, uint64_t cell_size, struct clock_notes *notes)
{
	const struct decoder *decoder = trace_decoder(trace);
	const struct clock_source *source = decoder->ops->clocks;
	struct reader *reader = reader_new(trace);
	struct window w = reader_window(reader);
	struct expansion e = {0};
	struct message m, timed = {0};
	while (reader_walk(reader, &m, 1)) {
		struct clock_reading reading = {.kind = CLOCK_READING_NOTHING};
		uint64_t offset = message_id_offset(&m), cell = offset / cell_size;
		for (; notes->next < cell; notes->next++)
			*vec_add(&notes->ends) = notes->all.count;
		if (m.flags & MESSAGE_TIMED)
			timed = m;
		if (!(source->kinds >> m.kind & 1) || (source->flags && !(m.flags & source->flags)))
			continue;
		reader_expand(reader, &m, EXPAND_FIELDS, &e);
		source->read(decoder, &m, &w, source->expand ? &e : NULL, &reading);
		if (reading.kind == CLOCK_READING_NOTHING)
			continue;
		bool near = timed.flags && message_id_offset(&timed) / cell_size == cell;
		*vec_add(&notes->all) = (struct index_reading){
		    .reading = reading,
		    .sender = source->owner ? source->owner(&m)
					    : (struct clock_owner){.origin = m.origin},
		    .found_at = offset,
		    .ticks = near ? timed.ticks : 0,
		    .timed = near};
	}
	for (; notes->next <= (w.length - 1) / cell_size; notes->next++)
		*vec_add(&notes->ends) = notes->all.count;
	expansion_free(&e);
	reader_free(reader);
}

static bool
same_reading(const struct index_reading *a, const struct index_reading *b)
{
	const struct clock_reading *p = &a->reading, *q = &b->reading;
	return p->kind == q->kind && p->a == q->a && p->b == q->b && p->key_a == q->key_a &&
	       p->key_b == q->key_b && p->hz_a == q->hz_a && p->hz_b == q->hz_b &&
	       a->sender.port == b->sender.port && a->sender.origin == b->sender.origin &&
	       a->found_at == b->found_at && a->timed == b->timed &&
	       (!a->timed || a->ticks == b->ticks);
}

static void
compare_notes(const struct clock_notes *a, const struct clock_notes *b, const char *name)
{
	if (a->next != b->next || a->all.count != b->all.count ||
	    memcmp(a->ends.at, b->ends.at, a->next * sizeof *a->ends.at) != 0)
		fail_msg("%s: %zu and %zu readings", name, a->all.count, b->all.count);
	for (size_t i = 0; i < a->all.count; i++)
		if (!same_reading(&a->all.at[i], &b->all.at[i]))
			fail_msg("%s: reading %zu of %zu", name, i, a->all.count);
}

static void
free_notes(struct clock_notes *notes)
{
	vec_free(&notes->all);
	vec_free(&notes->ends);
}

/* What is read on the way is what messages tell that are expanded later. */
static void
compare_clocks(struct trace *trace, unsigned threads, unsigned segment, const char *name)
{
	struct index_options options = {.threads = threads, .segment = segment};
	struct index *index = index_new(trace_capture(trace), trace_decoder(trace), &options);
	struct clock_notes walked = {0}, found = {0};
	index_read_clocks(index, take_news, &walked);
	index_build(index);
	find_readings(trace, index_cell_size(index), &found);
	compare_notes(&walked, &found, name);
	free_notes(&walked);
	free_notes(&found);
	index_free(index);
}

/* What is counted without filling messages is what messages add up to. */
static void
compare_stepped(struct session *session, struct index *counted, const char *name)
{
	struct decoder *decoder = (struct decoder *)trace_decoder(session->traces.at[0]);
	const struct decoder_ops *own = decoder->ops;
	struct decoder_ops stepping = *own;
	stepping.summarise = NULL;
	if (!own->summarise)
		return;
	decoder->ops = &stepping;
	struct index *stepped = build(session, 1, 0, 0);
	decoder->ops = own;
	same_index(decoder, counted, stepped, name);
	index_free(stepped);
}

/* NAME is how to make the capture again. */
static void
compare(const char *format, const char *profile, const char *path, unsigned run, const char *name)
{
	struct session session = {0};
	open_capture(&session, format, profile, path);
	const struct decoder *decoder = trace_decoder(session.traces.at[0]);
	struct index *one = build(&session, 1, 0, 0);
	struct index *many = build(&session, 2 + run % 3, 1 + run % 2, 0);
	same_index(decoder, one, many, name);
	compare_stepped(&session, one, name);
	index_free(one);
	index_free(many);
	compare_reader(session.traces.at[0], name);
	compare_flags(&session, 1, 0, 0xff, name);
	compare_flags(&session, 2 + run % 3, 1 + run % 2, 0xff, name);
	compare_flags(&session, 2, 1, 1 << SEVERITY_INFO | 1 << SEVERITY_ERROR, name);
	if (clock_source_is_plain(decoder->ops->clocks)) {
		compare_clocks(session.traces.at[0], 1, 0, name);
		compare_clocks(session.traces.at[0], 2 + run % 3, 1 + run % 2, name);
	}
	session_close(&session);
}

static void
test_parallel(void **state)
{
	(void)state;
	unsigned runs = test_runs(RUNS);
	char path[] = "/tmp/trawl-parallel-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	struct text command = {0};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		for (unsigned run = 0; run < runs; run++) {
			text_clear(&command);
			text_addf(&command, "tests/mkcapture %s --seed=%u -o %s%s",
				  formats[i].arguments, 1000 * (unsigned)i + run, path,
				  run ? " --damage=cut,flip,drop,garbage" : "");
			if (run > 2)
				text_addf(&command, " --rate=0.%04u", run * 7 % 1000 + 1);
			if (system(text_get(&command)) != 0)
				fail_msg("%s", text_get(&command));
			compare(formats[i].format, formats[i].profile, path, run,
				text_get(&command));
		}
	}
	text_free(&command);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parallel)};
	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
