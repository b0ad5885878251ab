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

static struct drive
drive_of(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	return (struct drive){
	    .ops = d->ops, .decoder = (struct decoder *)d, .bytes = bytes, .length = length};
}

message_list
walk_all(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	struct drive drive = drive_of(d, bytes, length);
	struct drive_messages all;
	drive_all(&drive, &all);
	assert_true(all.list.count <= 2 * length + 8);
	return all.list;
}

/* In order, none over another, inside, of kinds and severities that exist. */
static void
check_order(const struct decoder *d, const message_list *all, size_t length)
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
check_expansions(const struct decoder *d, const uint8_t *bytes, const message_list *all)
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

void
walk_check(const struct decoder *d, const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	memcpy(copy, bytes, length);
	struct drive drive = drive_of(d, copy, length);
	message_list all = walk_all(d, copy, length);
	check_order(d, &all, length);
	check_expansions(d, copy, &all);
	drive_thoroughly(&drive);
	struct window head = window_of(copy, length);
	struct probe probe[PROBES_MAX] = {{0}};
	d->ops->probe(&head, probe);
	assert_true(probe->score >= 0 && probe->score <= 100);
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
