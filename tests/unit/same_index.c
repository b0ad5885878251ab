/* Comparing indexes and readers: see same_index.h. */
#include "config.h"

#include "test.h"

#include "drive.h"
#include "same_index.h"

#include <string.h>

static bool
same_cell(const struct decoder *decoder, struct decode_state *state, struct index *a,
	  struct index *b, uint64_t cell)
{
	uint8_t saved[2][CHECKPOINT_MAX] = {{0}};
	uint64_t first[2];
	struct index_cell one = {0}, other = {0};
	assert_true(index_restore(a, cell, state, &first[0]));
	decoder->ops->save(decoder, state, saved[0]);
	assert_true(index_restore(b, cell, state, &first[1]));
	decoder->ops->save(decoder, state, saved[1]);
	return index_cell(a, cell, &one) == index_cell(b, cell, &other) && first[0] == first[1] &&
	       !memcmp(saved[0], saved[1], CHECKPOINT_MAX) && !memcmp(&one, &other, sizeof one);
}

static bool
same_origins(struct index *a, struct index *b)
{
	index_origins one = {0}, other = {0};
	index_get_origins(a, &one);
	index_get_origins(b, &other);
	bool same = one.count == other.count;
	for (size_t i = 0; same && i < one.count; i++) {
		uint64_t counts[2][SEVERITY_COUNT];
		uint64_t key = one.at[i].key;
		same = !memcmp(&one.at[i], &other.at[i], sizeof one.at[i]) &&
		       index_group_origin(a, 0, key, counts[0]) ==
			   index_group_origin(b, 0, key, counts[1]) &&
		       !memcmp(counts[0], counts[1], sizeof counts[0]);
	}
	vec_free(&one);
	vec_free(&other);
	return same;
}

void
same_index(const struct decoder *decoder, struct index *one, struct index *other, const char *name)
{
	struct decode_state *state = decode_state_new(decoder);
	if (index_known(one) != index_known(other))
		fail_msg("%s: not the same cells", name);
	for (uint64_t cell = 0; cell <= index_known(one); cell++)
		if (!same_cell(decoder, state, one, other, cell))
			fail_msg("%s: cell %llu differs", name, (unsigned long long)cell);
	if (!same_origins(one, other))
		fail_msg("%s: origins differ", name);
	decode_state_free(decoder, state);
}

/* --- readers ----------------------------------------------------------- */

struct walked {
	const struct message *at;
	size_t count;
};

static bool
is_at(struct reader *reader, struct position p, const struct walked *walked, size_t i)
{
	bool exact;
	const struct message *m = reader_message(reader, p);
	return m && drive_same_message(m, &walked->at[i]) &&
	       reader_number(reader, p, &exact) == i && exact;
}

static bool
same_forwards(struct reader *reader, const struct walked *walked)
{
	struct position p;
	if (!reader_first(reader, &p))
		return walked->count == 0;
	for (size_t i = 0; i < walked->count; i++)
		if (!is_at(reader, p, walked, i) ||
		    reader_next(reader, &p, 0) != (i + 1 < walked->count))
			return false;
	return true;
}

static bool
same_backwards(struct reader *reader, const struct walked *walked)
{
	struct position p;
	if (!reader_last(reader, &p))
		return walked->count == 0;
	for (size_t i = walked->count; i-- > 0;)
		if (!is_at(reader, p, walked, i) || reader_previous(reader, &p, 0) != (i > 0))
			return false;
	return true;
}

/* As batch output goes, in batches of any size. */
static bool
same_walk(struct reader *reader, const struct walked *walked)
{
	struct reader *other = reader_new(reader_trace(reader));
	struct message batch[13];
	size_t at = 0, count;
	bool same = true;
	while (same && (count = reader_walk(other, batch, 1 + at % 13)) > 0) {
		for (size_t i = 0; i < count && same; i++, at++)
			same = at < walked->count && drive_same_message(&batch[i], &walked->at[at]);
	}
	reader_free(other);
	return same && at == walked->count;
}

/* Straight to some of them. */
static bool
same_jumps(struct reader *reader, const struct walked *walked)
{
	for (size_t i = walked->count; i > 0; i -= i < 97 ? i : 97) {
		struct position p, again;
		bool exact;
		if (!reader_find_number(reader, i - 1, &p, &exact) || !exact ||
		    !is_at(reader, p, walked, i - 1) ||
		    !reader_find_id(reader, reader_message_id(reader, p), &again) ||
		    !is_at(reader, again, walked, i - 1) ||
		    !reader_find_message(reader, &walked->at[i - 1], &again) ||
		    again.cell != p.cell)
			return false;
	}
	return true;
}

void
same_messages(struct reader *reader, const struct message *walked, size_t count, const char *name)
{
	static const struct {
		const char *name;
		bool (*is_same)(struct reader *, const struct walked *);
	} ways[] = {{"forwards", same_forwards},
		    {"backwards", same_backwards},
		    {"in a walk", same_walk},
		    {"by number and place", same_jumps}};
	const struct walked all = {walked, count};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!ways[i].is_same(reader, &all))
			fail_msg("%s: other messages %s", name, ways[i].name);
}
