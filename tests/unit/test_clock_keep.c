/*
 * Points of clocks in files: what is read is what is found by looking, and by reading as
 * the index is built, of each format that tells of clocks; a file that is damaged, or of
 * other bytes or settings, is not used; one that lies does no harm; what the profile says
 * of rates is always of the profile that is there.
 */
#include "config.h"

#include "test.h"

#include "base/job.h"
#include "config/profile.h"
#include "encap_tool.h"
#include "index/saved.h"
#include "nibbles.h"
#include "session/clock/clock_keep.h"
#include "session/clock/clock_points.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/session.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many cells must be decoded that what was found is kept. */
enum { CELLS = 80, CELL = 65536 };

struct fixture {
	char folder[64], cache[80];
};

static void
set_up(struct fixture *f)
{
	strcpy(f->folder, "/tmp/trawl-keep-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
}

static void
tear_down(struct fixture *f)
{
	char command[128];
	snprintf(command, sizeof command, "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
}

static void
put(const struct fixture *f, const char *name, const char *mode, const void *bytes, size_t length)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", f->folder, name);
	FILE *file = fopen(path, mode);
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void
overwrite(const char *path, size_t at, uint8_t byte)
{
	int file = open(path, O_RDWR);
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
	close(file);
}

/* --- captures ---------------------------------------------------------- */

/* A packet of a hart in each cell that tells its time, 10 us after the one before;
 * nothing else. */
static void
put_hart(const struct fixture *f)
{
	static const struct encap_widths widths = {8, 8, 0};
	struct stream stream = {0};
	for (uint64_t i = 0; i < CELLS; i++) {
		uint64_t stamp = 1000000000 + i * 500;
		struct bits p = {0};
		bits_add(&p, 3, 2); /* format 3, subformat 0: start */
		bits_add(&p, 0, 2);
		bits_add(&p, 1, 1);
		bits_add(&p, 3, 2);
		bits_add(&p, 77 + i * 100, 32);
		bits_add(&p, 0x80001234 >> 1, 31);
		bits_shorten(&p);
		stream_nulls(&stream, i * CELL + 64 - stream.length);
		stream_packet(&stream, &widths, 0, 3, &stamp, 0, &p);
	}
	stream_nulls(&stream, CELLS * CELL - stream.length);
	put(f, "hub.enc", "w", stream.bytes, stream.length);
	stream_free(&stream);
}

/* In each cell the rate of an STP stream changes. */
static void
put_rates(const struct fixture *f)
{
	struct nibbles n = {0};
	for (uint64_t i = 0; i < CELLS; i++) {
		char stamped[32];
		nibbles_fill(&n, i * CELL * 2);
		nibbles_add(&n, ASYNC "F003 F08");
		nibbles_add(&n, i % 2 ? "001E8480" : "000F4240"); /* 2 MHz, 1 MHz */
		snprintf(stamped, sizeof stamped, "8 41 E %016llX",
			 (unsigned long long)i * 1000000); /* D8MTS */
		nibbles_add(&n, stamped);
	}
	nibbles_fill(&n, (uint64_t)CELLS * CELL * 2);
	put(f, "rates.stp", "w", n.bytes.at, n.bytes.count);
	nibbles_free(&n);
}

/* CLOCK messages over STP, sync points of UIA, serial numbers of GEM. */
static void
put_session(const struct fixture *f)
{
	char command[256];
	const char *maker = getenv("MKCAPTURE");
	if (!maker)
		skip();
	snprintf(command, sizeof command, "'%s' -c 700000 --sync=2 --rate=0.001 session %s", maker,
		 f->folder);
	assert_int_equal(system(command), 0);
}

static const char rates_profile[] = "traces: [{file: rates.stp, format: syst/stp}]\n";

/* The profile of the hart's capture with FURTHER options of its encoder, and with
 * rates of senders. */
static void
put_hart_profile(const struct fixture *f, const char *further, const char *origins)
{
	struct text text = {0};
	text_addf(&text,
		  "traces:\n"
		  "  - {file: hub.enc, format: encap, clock: {hz: 50000000},\n"
		  "     encap: {srcid_width: 8, timestamp_bytes: 8}, etrace: {notime: false%s}}\n"
		  "%s",
		  further, origins);
	put(f, "p.yaml", "w", text.data, text.length);
	text_free(&text);
}

/* --- looking ----------------------------------------------------------- */

/* What is found, and by how much work. */
struct found {
	struct session session;
	struct job job;
	struct clock_points points;
	struct text said; /* of the relations */
	uint64_t decoded; /* cells; not those of formats that are never kept */
};

enum way { LOOKING, WALKING };

/* CACHE: where files are kept; NULL: nowhere, so that all is looked for. */
static void
found_open(struct found *found, const struct fixture *f, const char *profile, const char *cache)
{
	struct err err = {0};
	char path[128];
	memset(found, 0, sizeof *found);
	found->session.host.cache_dir = cache;
	snprintf(path, sizeof path, "%s/%s", f->folder, profile);
	if (profile_load(path, &found->session.profile, &err) < 0 ||
	    session_open_named(&found->session, NULL, 0, &err) <= 0)
		fail_msg("%s", err.what);
	session_link(&found->session);
	job_init(&found->job, NULL, NULL);
	clock_points_open(&found->points, &found->session, &found->job);
}

static void
found_close(struct found *found)
{
	clock_points_close(&found->points);
	job_free(&found->job);
	session_close(&found->session);
	text_free(&found->said);
}

static void
find(struct found *found, const struct fixture *f, const char *profile, const char *cache,
     enum way way)
{
	found_open(found, f, profile, cache);
	for (size_t i = 0; i < found->session.traces.count; i++) {
		struct trace *trace = found->session.traces.at[i];
		if (serial_of(trace))
			serial_load(serial_of(trace));
		if (way == WALKING)
			clock_feed_build(&found->points.feeds.at[i]);
		else
			trace_build(trace);
	}
	clock_points_look(&found->points);
	assert_true(clock_points_are_all(&found->points));
	for (size_t i = 0; i < found->points.feeds.count; i++) {
		const struct clock_feed *feed = &found->points.feeds.at[i];
		if (feed->source && !feed->source->matched)
			found->decoded += feed->decoded;
	}
	clocks_load(found->session.clocks, false);
	clocks_describe(found->session.clocks, &found->said);
}

static void
look(struct found *found, const struct fixture *f, const char *profile, const char *cache)
{
	find(found, f, profile, cache, LOOKING);
}

static void
same_links(const struct clock_link *a, const struct clock_link *b)
{
	assert_string_equal(a->kind, b->kind);
	assert_true(clock_id_same(&a->a, &b->a) && clock_id_same(&a->b, &b->b));
	assert_true(a->hz_a == b->hz_a && a->hz_b == b->hz_b &&
		    a->configured_hz_b == b->configured_hz_b);
	assert_true(a->owner == b->owner && a->uneven == b->uneven);
	assert_true(a->sender.port == b->sender.port && a->sender.origin == b->sender.origin);
	assert_true(a->points.seen == b->points.seen && a->points.stride == b->points.stride);
	assert_int_equal(a->points.points.count, b->points.points.count);
	for (size_t i = 0; i < a->points.points.count; i++) {
		const struct relation_point *p = &a->points.points.at[i];
		const struct relation_point *q = &b->points.points.at[i];
		assert_true(p->a == q->a && p->b == q->b && p->found_at == q->found_at);
	}
}

static void
same(const struct found *a, const struct found *b)
{
	assert_int_equal(a->points.links.count, b->points.links.count);
	for (size_t i = 0; i < a->points.links.count; i++)
		same_links(a->points.links.at[i], b->points.links.at[i]);
	for (size_t i = 0; i < a->points.feeds.count; i++) {
		const struct clock_feed *p = &a->points.feeds.at[i], *q = &b->points.feeds.at[i];
		assert_int_equal(p->next, q->next);
		assert_int_equal(p->last_ticks, q->last_ticks);
		assert_int_equal(p->rates.count, q->rates.count);
		if (p->rates.count)
			assert_memory_equal(p->rates.at, q->rates.at,
					    p->rates.count * sizeof *p->rates.at);
	}
	assert_string_equal(text_get(&a->said), text_get(&b->said));
}

/* Looks with the cache and without, and as cells are walked; how many cells were decoded
 * with it. */
static uint64_t
look_both(const struct fixture *f, const char *profile)
{
	struct found kept, fresh, walked;
	look(&kept, f, profile, f->cache);
	look(&fresh, f, profile, NULL);
	find(&walked, f, profile, NULL, WALKING);
	same(&kept, &fresh);
	same(&walked, &fresh);
	assert_int_equal(walked.decoded, fresh.decoded);
	found_close(&walked);
	assert_true(fresh.decoded >= CELLS);
	uint64_t decoded = kept.decoded;
	found_close(&kept);
	found_close(&fresh);
	return decoded;
}

static void
test_session(void **state)
{
	(void)state;
	struct fixture f;
	set_up(&f);
	put_session(&f);
	assert_true(look_both(&f, "session.yaml") > CELLS);
	assert_int_equal(look_both(&f, "session.yaml"), 0);
	struct found kept;
	look(&kept, &f, "session.yaml", f.cache);
	assert_non_null(strstr(text_get(&kept.said), "SyS-T clock"));
	assert_non_null(strstr(text_get(&kept.said), "UIA sync points"));
	assert_non_null(strstr(text_get(&kept.said), "GEM serial numbers"));
	found_close(&kept);
	tear_down(&f);
}

static void
test_rates(void **state)
{
	(void)state;
	struct fixture f;
	set_up(&f);
	put_rates(&f);
	put(&f, "p.yaml", "w", rates_profile, strlen(rates_profile));
	assert_int_equal(look_both(&f, "p.yaml"), CELLS);
	assert_int_equal(look_both(&f, "p.yaml"), 0);
	struct found kept;
	look(&kept, &f, "p.yaml", f.cache);
	assert_int_equal(kept.points.feeds.at[0].rates.count, CELLS);
	assert_non_null(strstr(text_get(&kept.said), "STP frequency, 81 points"));
	found_close(&kept);
	tear_down(&f);
}

/* The profile's rates are applied to what was kept; with other options of the
 * decoder that is not used. */
static void
test_profile(void **state)
{
	(void)state;
	static const char *const origins[] = {
	    "origins: [{trace: hub.enc, id: 3, name: hart, clock: {hz: 10000000}}]\n",
	    "origins: [{trace: hub.enc, id: 3, name: hart, clock: {hz: 20000000}}]\n",
	    "origins: [{trace: hub.enc, id: 4, name: hart, clock: {hz: 20000000}}]\n", ""};
	static const double told[] = {1e7, 2e7, 0, 0};
	struct fixture f;
	set_up(&f);
	put_hart(&f);
	for (size_t i = 0; i < 4; i++) {
		struct found kept;
		put_hart_profile(&f, "", origins[i]);
		assert_int_equal(look_both(&f, "p.yaml"), i ? 0 : CELLS);
		look(&kept, &f, "p.yaml", f.cache);
		assert_int_equal(kept.points.links.count, 1);
		assert_true(kept.points.links.at[0]->configured_hz_b == told[i]);
		assert_int_equal(kept.points.links.at[0]->points.seen, CELLS);
		found_close(&kept);
	}
	put_hart_profile(&f, ", context_width: 9", origins[0]);
	assert_int_equal(look_both(&f, "p.yaml"), CELLS);
	tear_down(&f);
}

/* Of a capture that grew, or was changed, all is looked for anew. */
static void
test_other_bytes(void **state)
{
	(void)state;
	struct fixture f;
	struct nibbles n = {0};
	set_up(&f);
	put_rates(&f);
	put(&f, "p.yaml", "w", rates_profile, strlen(rates_profile));
	assert_int_equal(look_both(&f, "p.yaml"), CELLS);
	nibbles_add(&n, ASYNC "F003 F08 002DC6C0 8 41 E 0000000010000000 0");
	put(&f, "rates.stp", "a", n.bytes.at, n.bytes.count);
	assert_int_equal(look_both(&f, "p.yaml"), CELLS + 1);
	assert_int_equal(look_both(&f, "p.yaml"), 0);
	char path[128];
	snprintf(path, sizeof path, "%s/rates.stp", f.folder);
	overwrite(path, 20 * CELL + 16, 0x11); /* in the digits of a rate */
	assert_int_equal(look_both(&f, "p.yaml"), CELLS + 1);
	nibbles_free(&n);
	tear_down(&f);
}

/* The file of points there is. */
static void
find_points(const struct fixture *f, char path[static 128])
{
	glob_t found;
	char pattern[128];
	snprintf(pattern, sizeof pattern, "%s/*.points.index", f->cache);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	snprintf(path, 128, "%s", found.gl_pathv[0]);
	globfree(&found);
}

/* Threads that start together use the file as well: who looks anew writes another. */
static void
test_threads(void **state)
{
	(void)state;
	struct fixture f;
	struct found found;
	struct stat before, after;
	char path[128];
	set_up(&f);
	put_rates(&f);
	put(&f, "p.yaml", "w", rates_profile, strlen(rates_profile));
	assert_int_equal(look_both(&f, "p.yaml"), CELLS);
	find_points(&f, path);
	assert_int_equal(stat(path, &before), 0);
	for (int i = 0; i < 50; i++) {
		struct index_progress progress;
		found_open(&found, &f, "p.yaml", f.cache);
		session_start(&found.session);
		do {
			session_wake(&found.session);
			trace_poll(found.session.traces.at[0], false);
			index_get_progress(trace_index(found.session.traces.at[0]), &progress);
		} while (!progress.complete || !clocks_are_settled(found.session.clocks));
		clocks_describe(found.session.clocks, &found.said);
		assert_non_null(strstr(text_get(&found.said), "STP frequency, 81 points"));
		found_close(&found);
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
	}
	tear_down(&f);
}

/* --- files that are not as they were ------------------------------------ */

/* That file, and what is in it. */
struct kept_file {
	char path[128];
	uint8_t *bytes;
	size_t length;
	struct saved_about about;
	struct text body;
};

static void
kept_file_read(struct kept_file *kept, const struct fixture *f)
{
	struct saved_file file;
	memset(kept, 0, sizeof *kept);
	find_points(f, kept->path);
	assert_true(saved_open(kept->path, &file));
	kept->about = file.about;
	text_add_bytes(&kept->body, file.body.at, file.body.left);
	saved_close(&file);
	FILE *all = fopen(kept->path, "r");
	assert_non_null(all);
	kept->bytes = mem_new(1 << 20);
	kept->length = fread(kept->bytes, 1, 1 << 20, all);
	assert_in_range(kept->length, kept->body.length + 64, (1 << 20) - 1);
	fclose(all);
}

static void
kept_file_free(struct kept_file *kept)
{
	vec_release(kept->bytes);
	text_free(&kept->body);
}

/* Whether the file is used; what it says is then settled, to see that it can be. */
static bool
is_used(struct found *found)
{
	struct clock_points points;
	clock_points_open(&points, &found->session, &found->job);
	bool used = clock_keep_read(&points.feeds.at[0]);
	for (size_t i = 0; i < points.links.count; i++) {
		struct relation *r = &points.links.at[i]->points;
		assert_in_range(r->points.count, 0, RELATION_POINTS_MAX);
		relation_settle(r);
		vec_free(&r->used);
		vec_free(&r->segments);
	}
	clock_points_close(&points);
	return used;
}

static bool
is_used_with(struct found *found, const struct kept_file *kept, const struct text *body)
{
	assert_int_equal(saved_write(kept->path, &kept->about, body, NULL), 0);
	return is_used(found);
}

/* Any byte changed, or the end missing: not used. */
static void
check_damage(struct found *found, const struct kept_file *kept)
{
	assert_true(is_used(found));
	for (size_t at = 0; at < kept->length; at++) {
		overwrite(kept->path, at, kept->bytes[at] ^ 0x10);
		assert_false(is_used(found));
		overwrite(kept->path, at, kept->bytes[at]);
	}
	assert_true(is_used(found));
	for (size_t length = kept->length; length-- > 0;) {
		assert_int_equal(truncate(kept->path, (off_t)length), 0);
		assert_false(is_used(found));
	}
}

/* Whether a change at AT makes a count another: of the form, cells, rates and links,
 * and of the first link how many points there were, one in how many is here (where
 * 1 is as good as 0), and how many that is. */
static bool
counts(size_t at, size_t change, const struct kept_file *kept)
{
	bool rates = kept->body.data[24] != 0;
	return at < 16 || (at >= 24 && at < 40) ||
	       (!rates && at >= 88 && at < 112 && (at != 96 || change));
}

/* The same with the checksum of what is there: what cannot be is not used, and
 * what can be does no harm. */
static void
check_lies(struct found *found, const struct kept_file *kept)
{
	static const uint8_t changes[] = {1, 0x80, 0xff};
	struct text body = {0};
	text_add_bytes(&body, kept->body.data, kept->body.length);
	for (size_t at = 0; at < body.length; at++) {
		for (size_t i = 0; i < sizeof changes; i++) {
			body.data[at] ^= (char)changes[i];
			bool used = is_used_with(found, kept, &body);
			body.data[at] ^= (char)changes[i];
			assert_false(used && counts(at, i, kept));
		}
	}
	text_add_char(&body, 0);
	assert_false(is_used_with(found, kept, &body));
	for (size_t length = kept->body.length; length-- > 0;) {
		text_cut(&body, length);
		assert_false(is_used_with(found, kept, &body));
	}
	text_free(&body);
}

static void
test_damaged(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fixture f;
		struct found found;
		struct kept_file kept;
		set_up(&f);
		if (i) {
			put_rates(&f);
			put(&f, "p.yaml", "w", rates_profile, strlen(rates_profile));
		} else {
			put_hart(&f);
			put_hart_profile(&f, "", "");
		}
		look(&found, &f, "p.yaml", f.cache);
		kept_file_read(&kept, &f);
		check_damage(&found, &kept);
		check_lies(&found, &kept);
		found_close(&found);
		kept_file_free(&kept);
		assert_int_equal(look_both(&f, "p.yaml"), CELLS); /* a new one in its place */
		assert_int_equal(look_both(&f, "p.yaml"), 0);
		tear_down(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_session), cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_profile), cmocka_unit_test(test_other_bytes),
	    cmocka_unit_test(test_damaged), cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests_name("clock_keep", tests, NULL, NULL);
}
