/*
 * Damage is chosen from a seed of its own, so that the same capture comes
 * with and without.  A record is put together in one piece and leaves in one
 * piece; its fields are text from the start, for a truth is only read.
 */
#include "config.h"

#include "mk_sink.h"

#include <stdarg.h>
#include <string.h>

bool
mk_enough(const struct mk_sink *sink, uint64_t made)
{
	return (sink->size && sink->out->offset >= sink->size) ||
	       (sink->count && made >= sink->count);
}

/* --- damage ------------------------------------------------------------ */

unsigned
mk_damage_choose(struct mk_sink *sink)
{
	if (!sink->damage || (double)(random_next(&sink->seed) >> 11) >= sink->rate * 0x1p53)
		return 0;
	unsigned kind;
	do
		kind = 1u << random_below(&sink->seed, 4);
	while (!(sink->damage & kind));
	return kind;
}

const char *
mk_damage_name(unsigned kind)
{
	return kind == MK_CUT ? "cut" : kind == MK_FLIP ? "flip" : kind == MK_DROP ? "drop" : "ok";
}

size_t
mk_damage_bytes(struct mk_sink *sink, unsigned kind, uint8_t *at, size_t length)
{
	size_t where = random_below(&sink->seed, (uint32_t)length);
	if (kind == MK_CUT)
		return where ? where : 1;
	if (kind == MK_FLIP)
		at[where] ^= (uint8_t)(1u << random_below(&sink->seed, 8));
	if (kind == MK_DROP) {
		size_t lost = 1 + random_below(&sink->seed, 8);
		if (where + lost >= length)
			return where ? where : 1;
		memmove(at + where, at + where + lost, length - where - lost);
		return length - lost;
	}
	return length;
}

size_t
mk_garbage(struct mk_sink *sink, uint8_t *to)
{
	size_t length = 1 + random_below(&sink->seed, 64);
	for (size_t i = 0; i < length; i++)
		to[i] = (uint8_t)random_next(&sink->seed);
	return length;
}

/* --- records ----------------------------------------------------------- */

void
mk_record_begin(struct mk_record *r, const struct mk_sink *sink, const char *type,
		enum mk_severity severity)
{
	r->told = sink->truth;
	r->severity = severity;
	r->type = type;
	r->timed = false;
	r->ticks = 0;
	r->length = r->fields_length = 0;
	r->fields[0] = '\0';
}

void
mk_record_le(struct mk_record *r, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		r->bytes[r->length++] = (uint8_t)(value >> 8 * i);
}

void
mk_record_be(struct mk_record *r, uint64_t value, unsigned bytes)
{
	while (bytes--)
		r->bytes[r->length++] = (uint8_t)(value >> 8 * bytes);
}

void
mk_record_field(struct mk_record *r, const char *form, ...)
{
	if (!r->told)
		return;
	va_list list;
	va_start(list, form);
	size_t left = sizeof r->fields - r->fields_length;
	int n = snprintf(r->fields + r->fields_length, left, "\t");
	n += vsnprintf(r->fields + r->fields_length + 1, left - 1, form, list);
	va_end(list);
	if ((size_t)n >= left)
		mk_die("too many fields in a record");
	r->fields_length += (size_t)n;
}

void
mk_record_truth(const struct mk_record *r, const struct mk_sink *sink, uint64_t offset,
		size_t length, const char *state)
{
	const struct mk_transport t = {.timed = r->timed, .ticks = r->ticks};
	if (sink->truth)
		mk_truth_other(sink->truth, offset, length, state, &t, r->severity, r->type, "*",
			       r->fields);
}

void
mk_record_send_whole(const struct mk_record *r, struct mk_sink *sink, const char *state)
{
	mk_record_truth(r, sink, sink->out->offset, r->length, state);
	mk_out_put(sink->out, r->bytes, r->length);
}

unsigned
mk_record_send(struct mk_record *r, struct mk_sink *sink, const char *state)
{
	unsigned kind = mk_damage_choose(sink);
	if (kind == MK_GARBAGE)
		mk_out_took(sink->out, mk_garbage(sink, mk_out_room(sink->out)));
	else if (kind && r->length > 1)
		r->length = mk_damage_bytes(sink, kind, r->bytes, r->length);
	/* what follows nonsense may be taken for a part of it */
	bool damaged = kind && kind != MK_GARBAGE;
	mk_record_send_whole(r, sink, damaged ? mk_damage_name(kind) : kind ? "damaged" : state);
	return kind;
}
