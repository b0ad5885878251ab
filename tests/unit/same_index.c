/* Comparing indexes: see same_index.h. */
#include "config.h"

#include "same_index.h"
#include "test.h"

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
