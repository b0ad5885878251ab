/* Walking bytes with a decoder in all ways: see walk.h. */
#include "config.h"

#include "test.h"
#include "walk.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

static struct window
window_of(const uint8_t *bytes, size_t length)
{
	return (struct window){.bytes = bytes, .length = length, .until = UINT64_MAX, .last = true};
}

walk_messages
walk_all(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	walk_messages all = {0};
	struct message batch[7];
	struct decode_state *state = decode_state_new(d);
	struct window w = window_of(bytes, length);
	size_t count;
	do {
		count = d->ops->step(d, state, &w, batch, 7);
		for (size_t i = 0; i < count; i++)
			*vec_add(&all) = batch[i];
		assert_true(all.count <= 2 * length + 8);
	} while (count == 7);
	assert_true(decode_at_end(state, &w));
	decode_state_free(d, state);
	return all;
}

static void
assert_same(const struct message *a, const struct message *b)
{
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->severity, b->severity);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->origin, b->origin);
	assert_int_equal(a->aux, b->aux);
	if (a->flags & MESSAGE_TIMED)
		assert_int_equal(a->ticks, b->ticks);
}

/* In order, none over another, inside, of kinds and severities that exist. */
static void
check_order(const struct decoder *d, const walk_messages *all, size_t length)
{
	uint64_t end = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct message *m = &all->at[i];
		assert_true(m->offset >= end);
		end = m->offset + m->length;
		assert_true(end <= length);
		assert_true(m->length || m->offset == length);
		assert_true(m->kind < d->ops->kind_count);
		assert_true(m->severity < SEVERITY_COUNT);
	}
}

/* Windows of SIZE bytes, made larger where they do not suffice. */
static void
check_windows(const struct decoder *d, const uint8_t *bytes, size_t length,
	      const walk_messages *all, size_t size)
{
	struct decode_state *state = decode_state_new(d);
	size_t at = 0, more = size;
	for (;;) {
		struct message m;
		size_t left = length - (size_t)state->offset;
		size_t take = more < left ? more : left;
		uint8_t *copy = malloc(take ? take : 1);
		memcpy(copy, bytes + state->offset, take);
		struct window w = {.bytes = copy,
				   .offset = state->offset,
				   .length = take,
				   .until = UINT64_MAX,
				   .last = take == left};
		uint64_t before = state->offset;
		size_t count = d->ops->step(d, state, &w, &m, 1);
		free(copy);
		if (count) {
			assert_true(at < all->count);
			assert_same(&m, &all->at[at++]);
		} else if (w.last) {
			break;
		}
		bool moved = count || state->offset > before;
		assert_true(moved || take < d->ops->reach);
		more = moved ? size : 2 * more + 1;
	}
	assert_int_equal(at, all->count);
	decode_state_free(d, state);
}

/* A new state from a checkpoint at every multiple of CELL. */
static void
check_cells(const struct decoder *d, const uint8_t *bytes, size_t length, const walk_messages *all,
	    size_t cell)
{
	uint8_t saved[CHECKPOINT_MAX + 8];
	struct decode_state *state = decode_state_new(d);
	size_t at = 0;
	memset(saved, 0xa5, sizeof saved);
	for (uint64_t until = cell; until < length + 2 * cell; until += cell) {
		struct window w = window_of(bytes, length);
		struct message batch[3];
		size_t count;
		w.until = until;
		do {
			count = d->ops->step(d, state, &w, batch, 3);
			for (size_t i = 0; i < count; i++) {
				assert_true(message_place(&batch[i]) < until);
				assert_true(at < all->count);
				assert_same(&batch[i], &all->at[at++]);
			}
		} while (count == 3);
		assert_true(at == all->count || message_place(&all->at[at]) >= until);
		d->ops->save(d, state, saved);
		assert_int_equal(saved[d->ops->checkpoint_size], 0xa5);
		decode_state_free(d, state);
		state = decode_state_new(d);
		d->ops->restore(d, state, saved);
	}
	assert_int_equal(at, all->count);
	decode_state_free(d, state);
}

static void
check_fields(const struct expansion *e)
{
	for (size_t i = 0; i < e->fields.count; i++) {
		const struct field *field = &e->fields.at[i];
		if (field->place == FIELD_PAYLOAD)
			assert_true(field->bit + field->bits <= 8 * e->payload_length);
	}
	assert_int_equal(e->depth, 0);
}

static void
check_expansions(const struct decoder *d, const uint8_t *bytes, const walk_messages *all)
{
	struct expansion e = {0};
	for (size_t i = 0; i < all->count; i++) {
		const struct message *m = &all->at[i];
		uint8_t *copy = malloc(m->length ? m->length : 1);
		memcpy(copy, bytes + m->offset, m->length);
		struct window w = {
		    .bytes = copy, .offset = m->offset, .length = m->length, .until = UINT64_MAX};
		for (int want = EXPAND_TEXT; want <= EXPAND_FIELDS; want++) {
			expansion_clear(&e);
			d->ops->expand(d, m, &w, (enum expand_want)want, NULL, &e);
			check_fields(&e);
			assert_true(e.type.length);
		}
		free(copy);
	}
	expansion_free(&e);
}

/* From any place on, resync finds a place or says that there is none. */
static void
check_resync(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	struct decode_state *state = decode_state_new(d);
	for (size_t from = 0; from <= length; from += 13) {
		struct message batch[16];
		uint8_t *copy = malloc(length - from + 1);
		memcpy(copy, bytes + from, length - from);
		struct window w = window_of(copy, length - from);
		w.offset = from;
		if (d->ops->resync(d, state, &w) == 0) {
			assert_true(state->offset >= from && state->offset <= length);
			while (d->ops->step(d, state, &w, batch, 16) == 16)
				;
		}
		free(copy);
	}
	decode_state_free(d, state);
}

void
walk_check(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	static const size_t sizes[] = {1, 5, 20, 64, 333}, cells[] = {1, 7, 64, 500};
	uint8_t *copy = malloc(length ? length : 1);
	memcpy(copy, bytes, length);
	walk_messages all = walk_all(d, copy, length);
	check_order(d, &all, length);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_windows(d, copy, length, &all, sizes[i]);
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		check_cells(d, copy, length, &all, cells[i]);
	check_expansions(d, copy, &all);
	check_resync(d, copy, length);
	struct window head = window_of(copy, length);
	struct probe probe = {0};
	d->ops->probe(&head, &probe);
	assert_true(probe.score >= 0 && probe.score <= 100);
	vec_free(&all);
	free(copy);
}

void
walk_truncate(const struct decoder *d, const uint8_t *bytes, size_t length, size_t step)
{
	for (size_t cut = 0; cut < length; cut += step)
		walk_check(d, bytes, cut);
}

void
walk_flip(const struct decoder *d, const uint8_t *bytes, size_t length, unsigned times)
{
	uint8_t *copy = malloc(length);
	uint64_t seed = 1;
	for (unsigned i = 0; i < times; i++) {
		memcpy(copy, bytes, length);
		for (unsigned n = 0; n <= i % 4; n++) {
			size_t bit = random_below(&seed, 8 * length);
			copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		walk_check(d, copy, length);
	}
	free(copy);
}

void
walk_expand(const struct decoder *d, const uint8_t *bytes, size_t length, const struct message *m,
	    struct expansion *e)
{
	struct window w = window_of(bytes, length);
	expansion_clear(e);
	d->ops->expand(d, m, &w, EXPAND_FIELDS, NULL, e);
}

const struct field *
walk_field(const struct expansion *e, const char *name)
{
	for (size_t i = 0; i < e->fields.count; i++)
		if (!strcmp(e->fields.at[i].row->name, name))
			return &e->fields.at[i];
	return NULL;
}

uint64_t
walk_number(const struct expansion *e, const char *name)
{
	const struct field *field = walk_field(e, name);
	assert_non_null(field);
	return field->u;
}

void
walk_assert_text(const struct expansion *e, const char *name, const char *expected)
{
	const struct field *field = walk_field(e, name);
	struct text text = {0};
	if (!expected) {
		assert_null(field);
		return;
	}
	assert_non_null(field);
	field_format(field, &text);
	assert_string_equal(text_get(&text), expected);
	text_free(&text);
}
