/*
 * N-grams in files: random texts, and random pieces of them, looked up by the file and by
 * going through all texts.  No cell that has one is ruled out, few others are let pass; a
 * file that is cut or has a wrong byte gives no other answer than the whole one.
 */
#include "config.h"

#include "test.h"

#include "base/writer.h"
#include "base/vec.h"
#include "index/grams.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { TEXTS = 3, LONGEST = 24, HEAD = sizeof(struct saved_about) };

static uint64_t seed = 1;

static size_t
below(size_t n)
{
	return random_below(&seed, n);
}

/* Texts of cells, TEXTS each; the last one of each is an origin. */
struct sample {
	char path[64];
	struct saved_about about;
	uint64_t count;
	char (*texts)[TEXTS][LONGEST + 1];
	bool *unnamed;
};

static void
make_texts(struct sample *s, unsigned letters)
{
	for (uint64_t i = 0; i < s->count; i++) {
		s->unnamed[i] = !below(5);
		for (size_t k = 0; k < TEXTS; k++) {
			size_t length = below(LONGEST + 1);
			for (size_t at = 0; at < length; at++)
				s->texts[i][k][at] = (char)((below(4)	? 'a'
							     : below(2) ? 'A'
									: '@') +
							    below(letters));
		}
	}
}

static enum grams_part
part_of(size_t text)
{
	return text + 1 < TEXTS ? GRAMS_TEXT : GRAMS_ORIGIN;
}

/* Bands are put from their ends on, for nothing says that their cells come in order. */
static void
write_sample(const struct sample *s)
{
	struct err err = {0};
	struct grams_cell set = grams_cell_new(s->about.cell_shift);
	struct grams_draft *draft = grams_draft_new(s->path, 0600, &s->about, s->count, &err);
	uint64_t begin, end, bands = 0;
	assert_non_null(draft);
	for (;; grams_draft_end_band(draft), bands++) {
		grams_draft_band(draft, &begin, &end);
		if (begin == end)
			break;
		for (uint64_t i = end; i-- > begin;) {
			grams_cell_clear(&set);
			for (size_t k = 0; k < TEXTS; k++)
				grams_cell_add(&set, part_of(k), s->texts[i][k],
					       strlen(s->texts[i][k]));
			if (s->unnamed[i])
				grams_cell_add_unnamed(&set);
			grams_draft_put(draft, i, &set);
		}
	}
	assert_int_equal(bands, (s->count + GRAMS_BAND - 1) / GRAMS_BAND);
	assert_int_equal(end, s->count);
	assert_int_equal(grams_draft_place(draft, true, &err), 0);
	grams_cell_free(&set);
}

static struct sample
set_up(uint64_t count, unsigned shift, unsigned letters)
{
	struct sample s = {.path = "/tmp/trawl-grams-XXXXXX", .count = count};
	int file = mkstemp(s.path);
	assert_true(file >= 0);
	close(file);
	s.about = (struct saved_about){.size = count << shift, .settings = 7, .cell_shift = shift};
	s.texts = mem_new(count * sizeof *s.texts);
	s.unnamed = mem_new(count * sizeof *s.unnamed);
	make_texts(&s, letters);
	write_sample(&s);
	return s;
}

static void
tear_down(struct sample *s)
{
	unlink(s->path);
	free(s->texts);
	free(s->unnamed);
}

static struct grams *
open_sample(const struct sample *s)
{
	bool damaged;
	struct grams *grams = grams_open(s->path, &damaged);
	assert_non_null(grams);
	assert_false(damaged);
	assert_memory_equal(grams_about(grams), &s->about, sizeof s->about);
	assert_int_equal(grams_cells(grams), s->count);
	return grams;
}

/* --- what is sought ---------------------------------------------------- */

struct query {
	enum grams_part part;
	struct needles set;
	char words[NEEDLES_MAX][LONGEST + 1];
	bool fold[NEEDLES_MAX];
};

/* A piece of some text, or letters that may be in none. */
static struct query
make_query(const struct sample *s)
{
	struct query q = {.part = below(3) ? GRAMS_TEXT : GRAMS_ORIGIN};
	size_t count = below(3) ? 1 : 1 + below(3);
	while (q.set.count < count) {
		const char *text = s->texts[below(s->count)][below(TEXTS)];
		size_t length = strlen(text), start = below(length + 1), i = q.set.count;
		size_t size = 1 + below(9);
		if (start + size > length)
			continue;
		memcpy(q.words[i], text + start, size);
		if (!below(4))
			q.words[i][below(size)] ^= 1;
		q.fold[i] = below(2);
		for (char *at = q.words[i]; q.fold[i] && *at; at++)
			if ((*at | 32) >= 'a' && (*at | 32) <= 'z' && below(2))
				*at ^= 32;
		needle_init(&q.set.at[q.set.count++], q.words[i], size, q.fold[i]);
	}
	return q;
}

static bool
has_word(const char *text, const char *word, bool fold)
{
	for (size_t length = strlen(word); strlen(text) >= length; text++)
		if (fold ? !strncasecmp(text, word, length) : !strncmp(text, word, length))
			return true;
	return false;
}

static bool
cell_has(const struct sample *s, uint64_t cell, const struct query *q)
{
	for (size_t k = 0; k < TEXTS; k++)
		for (size_t i = 0; i < q->set.count; i++)
			if (part_of(k) == q->part &&
			    has_word(s->texts[cell][k], q->words[i], q->fold[i]))
				return true;
	return false;
}

static bool
bit(const uint8_t *bits, uint64_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static void
try_sample(uint64_t count, unsigned shift, unsigned letters, int queries, uint64_t *passed,
	   uint64_t *right)
{
	struct sample s = set_up(count, shift, letters);
	struct grams *grams = open_sample(&s);
	uint8_t *bits = mem_new((count + 7) / 8);
	assert_true(grams_find_unnamed(grams, bits));
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(bit(bits, i), s.unnamed[i]);
	for (int round = 0; round < queries; round++) {
		struct query q = make_query(&s);
		bool spans = true;
		memset(bits, 0, (count + 7) / 8);
		assert_true(grams_find(grams, q.part, &q.set, bits));
		for (size_t i = 0; i < q.set.count; i++)
			spans &= strlen(q.words[i]) >= 5;
		for (uint64_t i = 0; i < count; i++) {
			bool has = cell_has(&s, i, &q);
			if (has && !bit(bits, i))
				fail_msg("/%s/ is in cell %d", q.words[0], (int)i);
			*passed += spans && bit(bits, i);
			*right += spans && has;
		}
	}
	free(bits);
	grams_close(grams);
	tear_down(&s);
}

static void
test_random_texts(void **state)
{
	uint64_t passed = 0, right = 0;
	(void)state;
	for (int i = 0; i < 60; i++)
		try_sample(1 + below(300), 13 + (unsigned)below(5), 3 + (unsigned)below(24), 40,
			   &passed, &right);
	assert_true(right > 200);
	assert_true(passed < 3 * right); /* a set of five bytes is no text, but nearly */
}

/* More than a band, of small cells. */
static void
test_bands(void **state)
{
	uint64_t passed = 0, right = 0;
	(void)state;
	try_sample(GRAMS_BAND + 1, 10, 24, 10, &passed, &right);
	try_sample(2 * GRAMS_BAND, 9, 24, 10, &passed, &right);
	try_sample(2 * GRAMS_BAND + 4321, 6, 24, 10, &passed, &right);
}

/* At most 2 % of what it is about. */
static void
test_size(void **state)
{
	(void)state;
	for (unsigned shift = 16; shift < 19; shift++)
		for (uint64_t count = 64; count < 40000; count = count * 3 + 1) {
			struct sample s = set_up(count, shift, 24);
			struct grams *grams = open_sample(&s);
			assert_true(grams_size(grams) * 50 <= s.about.size);
			grams_close(grams);
			tear_down(&s);
		}
}

/* --- damage ------------------------------------------------------------ */

static size_t
read_file(const char *path, uint8_t **bytes)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	*bytes = mem_new(size);
	assert_int_equal(fread(*bytes, 1, size, file), size);
	fclose(file);
	return size;
}

static void
write_file(const char *path, const uint8_t *bytes, size_t size)
{
	const struct writer_options options = {.flags = WRITER_FORCE, .mode = 0600};
	struct err err;
	assert_int_equal(writer_put(path, &options, bytes, size, &err), 0);
}

/* Opens what is damaged and looks up Q; whether that was noticed.  Else the answer is WANT. */
static bool
is_noticed(const struct sample *s, const struct query *q, const uint8_t *want)
{
	bool damaged;
	struct grams *grams = grams_open(s->path, &damaged);
	uint8_t got[64] = {0};
	if (!grams) {
		assert_true(damaged);
		return true;
	}
	bool good = grams_find(grams, q->part, &q->set, got);
	if (good)
		assert_memory_equal(got, want, (s->count + 7) / 8);
	grams_close(grams);
	return !good;
}

static void
test_damage(void **state)
{
	struct sample s = set_up(90, 10, 24);
	struct grams *grams = open_sample(&s);
	struct query q = make_query(&s);
	uint8_t *bytes, want[64] = {0};
	size_t size = read_file(s.path, &bytes), noticed = 0;
	bool damaged;
	(void)state;
	assert_int_equal(size, grams_size(grams));
	assert_true(grams_find(grams, q.part, &q.set, want));
	for (size_t i = 0; i < size; i += i < HEAD ? 1 : 1 + below(60)) {
		uint8_t wrong = (uint8_t)(1u << below(8));
		bytes[i] ^= wrong;
		write_file(s.path, bytes, size);
		noticed += is_noticed(&s, &q, want);
		bytes[i] ^= wrong;
	}
	assert_true(noticed > HEAD);
	for (size_t i = 0; i < size; i += i < 2 * HEAD ? 1 : 1 + below(600)) {
		write_file(s.path, bytes, i);
		assert_true(is_noticed(&s, &q, want));
	}
	grams_close(grams);
	unlink(s.path);
	assert_null(grams_open(s.path, &damaged));
	assert_false(damaged);
	free(bytes);
	tear_down(&s);
}

/* What is not used leaves nothing, and what was there before. */
static void
test_unused(void **state)
{
	struct sample s = set_up(70, 12, 24);
	struct err err = {0};
	uint8_t *before, *after;
	(void)state;
	size_t size = read_file(s.path, &before);
	struct grams_draft *draft = grams_draft_new(s.path, 0600, &s.about, s.count, &err);
	assert_non_null(draft);
	grams_draft_end_band(draft);
	assert_int_equal(grams_draft_place(draft, false, &err), 0);
	assert_int_equal(read_file(s.path, &after), size);
	assert_memory_equal(before, after, size);
	assert_null(grams_draft_new("/dev/null/none", 0600, &s.about, s.count, &err));
	assert_int_equal(err.code, ERR_IO);
	free(before);
	free(after);
	tear_down(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_texts), cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_size),	 cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_unused),
	};
	return cmocka_run_group_tests_name("grams", tests, NULL, NULL);
}
