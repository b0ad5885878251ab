/* Encapsulated streams for tests: see encap_tool.h. */
#include "config.h"

#include "test.h"

#include "encap_tool.h"

#include <stdlib.h>
#include <string.h>

void
bits_add(struct bits *bits, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, bits->count++) {
		uint8_t mask = (uint8_t)(1u << bits->count % 8);
		assert_true(bits->count / 8 < sizeof bits->bytes);
		if (value >> i & 1)
			bits->bytes[bits->count / 8] |= mask;
		else
			bits->bytes[bits->count / 8] &= (uint8_t)~mask;
	}
}

unsigned
bits_get(const struct bits *bits, unsigned at)
{
	return bits->bytes[at / 8] >> at % 8 & 1;
}

void
bits_shorten(struct bits *bits)
{
	while (bits->count > 1 &&
	       bits_get(bits, bits->count - 1) == bits_get(bits, bits->count - 2))
		bits->count--;
}

void
stream_add(struct stream *stream, const void *bytes, size_t length)
{
	stream->bytes = vec_grow(stream->bytes, stream->length, length, &stream->capacity, 1);
	memcpy(stream->bytes + stream->length, bytes, length);
	stream->length += length;
}

void
stream_free(struct stream *stream)
{
	free(stream->bytes);
	*stream = (struct stream){0};
}

void
stream_packet(struct stream *stream, const struct encap_widths *widths, unsigned flow,
	      unsigned srcid, const uint64_t *stamp, unsigned type, const struct bits *payload)
{
	struct bits all = {0};
	unsigned length = (widths->srcid % 8 + widths->type + payload->count + 7) / 8;
	assert_true(length >= 1 && length <= 31);
	bits_add(&all, length, 5);
	bits_add(&all, flow, 2);
	bits_add(&all, stamp != NULL, 1);
	bits_add(&all, srcid, widths->srcid);
	if (stamp)
		bits_add(&all, *stamp, 8 * widths->stamp);
	bits_add(&all, type, widths->type);
	for (unsigned i = 0; i < payload->count; i++)
		bits_add(&all, bits_get(payload, i), 1);
	while (all.count % 8)
		bits_add(&all, payload->count ? bits_get(payload, payload->count - 1) : 0, 1);
	stream_add(stream, all.bytes, all.count / 8);
}

void
stream_nulls(struct stream *stream, size_t count)
{
	static const uint8_t idle = 0x00, alignment = 0x80;
	for (size_t i = 1; i < count; i++)
		stream_add(stream, &idle, 1);
	if (count)
		stream_add(stream, &alignment, 1);
}

/* --- reading ----------------------------------------------------------- */

/* Looks through all messages before BEFORE, latest first. */
static bool
walk_back(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
	  bool (*each)(void *, const struct message *), void *each_context)
{
	const struct decoded *d = context;
	for (size_t i = d->messages.count; i > 0; i--) {
		const struct message *m = &d->messages.at[i - 1];
		bool own = m->origin == before->origin && kinds >> m->kind & 1;
		if (m->offset < before->offset && (own || m->flags & flags) &&
		    !each(each_context, m))
			break;
	}
	return true;
}

struct decoded
decoded_new(const struct encap_widths *widths)
{
	struct decoded d = {0};
	option_defaults(&encap_options, &d.options);
	d.options.srcid_width = widths->srcid;
	d.options.timestamp_bytes = widths->stamp;
	d.options.type_width = widths->type;
	return d;
}

void
decoded_walk(struct decoded *d, struct decode_state *state, const struct window *w, size_t max)
{
	struct message batch[64];
	size_t count;
	do {
		count = encap_ops.step(d->decoder, state, w, batch, max);
		for (size_t i = 0; i < count; i++)
			*vec_add(&d->messages) = batch[i];
	} while (count == max);
}

void
decoded_open(struct decoded *d, const void *bytes, size_t length)
{
	struct err err = {0};
	d->window =
	    (struct window){.bytes = bytes, .length = length, .until = UINT64_MAX, .last = true};
	d->decoder = encap_ops.open(&d->options, &d->window, &err);
	if (!d->decoder)
		fail_msg("%s", err.what);
	struct decode_state *state = decode_state_new(d->decoder);
	decoded_walk(d, state, &d->window, 64);
	assert_true(decode_at_end(state, &d->window));
	decode_state_free(d->decoder, state);
	d->history.walk_back = walk_back;
	d->history.memory = mem_new(encap_ops.memory_size);
}

void
decoded_close(struct decoded *d)
{
	encap_ops.close(d->decoder);
	vec_free(&d->messages);
	expansion_free(&d->e);
	free(d->history.memory);
	option_release(&encap_options, &d->options);
}

void
decoded_expand(struct decoded *d, size_t i)
{
	d->history.context = d;
	expansion_clear(&d->e);
	encap_ops.expand(d->decoder, &d->messages.at[i], &d->window, EXPAND_FIELDS, &d->history,
			 &d->e);
	assert_int_equal(d->e.depth, 0);
}

const struct field *
decoded_field(const struct decoded *d, const char *name)
{
	for (size_t i = 0; i < d->e.fields.count; i++)
		if (!strcmp(d->e.fields.at[i].row->name, name))
			return &d->e.fields.at[i];
	return NULL;
}

uint64_t
decoded_number(const struct decoded *d, const char *name)
{
	const struct field *field = decoded_field(d, name);
	if (!field)
		fail_msg("no field %s", name);
	return field->u;
}

bool
decoded_is(const struct decoded *d, const char *name, const char *text)
{
	const struct field *field = decoded_field(d, name);
	return field && field->s.length == strlen(text) &&
	       !memcmp(field->s.at, text, field->s.length);
}
