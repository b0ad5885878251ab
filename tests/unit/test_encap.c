/*
 * The encapsulation: boundaries, widths, runs of nulls, sync sequences,
 * damage, blocks, slots, bit streams.  Expected values are those of the
 * specification's examples, and what an encoder of our own put in.
 */
#include "config.h"

#include "test.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "encap_tool.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct decoded
plain(unsigned srcid, unsigned stamp, unsigned type)
{
	return decoded_new(&(struct encap_widths){srcid, stamp, type});
}

static bool
has_note(struct decoded *d, const char *part)
{
	for (size_t i = 0; i < d->e.fields.count; i++)
		if (!strcmp(d->e.fields.at[i].row->name, "note") &&
		    strstr(d->e.fields.at[i].s.at, part))
			return true;
	return false;
}

/* What is in the window is in the messages, each byte once and in order. */
static void
check_tiling(const struct decoded *d)
{
	uint64_t at = 0;
	for (size_t i = 0; i < d->messages.count; i++) {
		assert_int_equal(d->messages.at[i].offset, at);
		assert_true(d->messages.at[i].length > 0);
		at += d->messages.at[i].length;
	}
	assert_int_equal(at, d->window.length);
}

static void
check_same(const struct message *a, const struct message *b)
{
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->origin, b->origin);
	assert_int_equal(a->ticks, b->ticks);
	assert_int_equal(a->aux, b->aux);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->severity, b->severity);
}

/* --- examples ---------------------------------------------------------- */

static void
test_examples(void **state)
{
	(void)state;
	/* worked examples of the E-Trace specification, W = 6, Y = 2 */
	static const uint8_t bytes[] = {
	    0x06, 0x81, 0x32, 0x04, 0x00, 0x00, 0x02, 0x0a, 0x85, 0x73, 0x00, 0x00, 0x00, 0x00,
	    0x91, 0x82, 0x00, 0x10, 0x08, 0x8a, 0xbd, 0xaa, 0xaa, 0x68, 0x00, 0x00, 0x20,
	};
	struct decoded d = plain(6, 0, 2);
	struct encap_type types[] = {{2, ENCAP_INSTRUCTION}};
	d.options.types = (struct option_list){types, 1};
	d.options.etrace.iaddress_width = 40;
	d.options.etrace.iaddress_lsb = 0;
	d.options.etrace.nocontext = false;
	d.options.etrace.context_width = 32;
	decoded_open(&d, bytes, sizeof bytes);
	check_tiling(&d);
	assert_int_equal(d.messages.count, 3);

	decoded_expand(&d, 0);
	assert_int_equal(d.messages.at[0].length, 7);
	assert_int_equal(decoded_number(&d, "srcid"), 1);
	assert_int_equal(decoded_number(&d, "type"), 2);
	assert_int_equal(decoded_number(&d, "payload_bits"), 40);
	assert_memory_equal(decoded_field(&d, "payload")->s.at, "\x32\x04\x00\x00\x02", 5);

	decoded_expand(&d, 1);
	assert_int_equal(decoded_number(&d, "srcid"), 5);
	assert_int_equal(d.messages.at[1].kind, ETRACE_START);
	assert_int_equal(decoded_number(&d, "address"), 0x20010522);
	assert_string_equal(text_get(&d.e.type), "normal");
	assert_string_equal(text_get(&d.e.origin), "src 5");
	assert_string_equal(text_get(&d.e.text), "sync.start pc=0x20010522 priv=M context=0");

	decoded_expand(&d, 2);
	assert_int_equal(decoded_number(&d, "srcid"), 10);
	assert_int_equal(decoded_number(&d, "branches"), 15);
	assert_int_equal(decoded_number(&d, "branch_map"), 21845);
	d.options.types = (struct option_list){0};
	decoded_close(&d);
}

/* Examples of another decoder's tests: bits straddle bytes. */
static void
test_straddling(void **state)
{
	(void)state;
	static const uint8_t narrow[] = {0xca, 0xd3, 0x38, 0x07, 0, 0, 0, 0, 0, 0, 0, 0};
	struct decoded d = plain(4, 1, 0);
	decoded_open(&d, narrow, sizeof narrow);
	assert_int_equal(d.messages.count, 1);
	decoded_expand(&d, 0);
	assert_int_equal(decoded_number(&d, "srcid"), 3);
	assert_int_equal(decoded_number(&d, "timestamp"), 0x8d);
	assert_int_equal(decoded_number(&d, "flow"), 2);
	assert_int_equal(d.messages.at[0].ticks, 0x8d);
	decoded_close(&d);

	static const uint8_t wide[] = {0xc9, 0x31, 0x8d, 0x73, 0, 0, 0, 0, 0x19, 0x41, 0x00, 0x08};
	d = plain(8, 1, 0);
	d.options.etrace.iaddress_width = 40;
	d.options.etrace.nocontext = false;
	d.options.etrace.context_width = 32;
	decoded_open(&d, wide, sizeof wide);
	decoded_expand(&d, 0);
	assert_int_equal(decoded_number(&d, "srcid"), 0x31);
	assert_int_equal(decoded_number(&d, "timestamp"), 0x8d);
	assert_int_equal(decoded_number(&d, "pc"), 0x20010464);
	decoded_close(&d);
}

/* Fewer bits than tell the format: the last one is repeated. */
static void
test_few_bits(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x01, 0xe3, 0x01, 0x03};
	struct decoded d = plain(5, 0, 0);
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 2);
	assert_int_equal(d.messages.at[0].kind, ETRACE_SUPPORT);      /* 111 is 1111... */
	assert_int_equal(d.messages.at[1].kind, ETRACE_BRANCH_COUNT); /* 000 is 0000... */
	decoded_expand(&d, 0);
	assert_int_equal(decoded_number(&d, "srcid"), 3);
	assert_int_equal(decoded_number(&d, "payload_bits"), 3);
	decoded_close(&d);
}

/* --- streams of our own ------------------------------------------------ */

struct sent {
	size_t offset, length; /* length 0: nulls follow up to the next */
	unsigned srcid, type, flow;
	bool extend;
	uint64_t stamp;
	struct bits payload;
};

struct made {
	struct stream stream;
	VEC(struct sent) sent;
	VEC(size_t) boundaries; /* of nulls too */
};

static void
make_nulls(struct made *made, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*vec_add(&made->boundaries) = made->stream.length + i;
	stream_nulls(&made->stream, count);
}

static void
make_packet(struct made *made, const struct encap_widths *widths, uint64_t *seed)
{
	struct sent *sent = vec_add(&made->sent);
	unsigned used = widths->srcid % 8 + widths->type, most = 8 * 31 - used;
	unsigned count = (unsigned)(random_next(seed) % 8 ? 1 + random_next(seed) % 80
							  : 1 + random_next(seed) % most);
	uint64_t kind = random_next(seed) % 4;
	sent->offset = made->stream.length;
	sent->srcid = (unsigned)random_next(seed) & ((1u << widths->srcid) - 1);
	sent->type = (unsigned)random_next(seed) & ((1u << widths->type) - 1);
	sent->flow = (unsigned)random_next(seed) % 4;
	sent->extend = widths->stamp && random_next(seed) % 2;
	sent->stamp = random_next(seed);
	if (widths->stamp < 8)
		sent->stamp &= ((uint64_t)1 << 8 * widths->stamp) - 1;
	for (unsigned i = 0; i < count; i++)
		bits_add(&sent->payload, kind ? random_next(seed) & 1 : 0,
			 1); /* some are all zero */
	stream_packet(&made->stream, widths, sent->flow, sent->srcid,
		      sent->extend ? &sent->stamp : NULL, sent->type, &sent->payload);
	sent->length = made->stream.length - sent->offset;
	*vec_add(&made->boundaries) = sent->offset;
}

static struct made
make_stream(const struct encap_widths *widths, unsigned packets, uint64_t *seed)
{
	struct made made = {0};
	size_t sync = 32 + widths->stamp + widths->srcid / 8;
	for (unsigned i = 0; i < packets; i++) {
		if (i % 40 == 0)
			make_nulls(&made, sync + random_next(seed) % 3);
		else if (random_next(seed) % 8 == 0)
			make_nulls(&made, random_next(seed) % 20);
		make_packet(&made, widths, seed);
	}
	return made;
}

static void
free_made(struct made *made)
{
	stream_free(&made->stream);
	vec_free(&made->sent);
	vec_free(&made->boundaries);
}

static struct encap_widths
any_widths(uint64_t *seed)
{
	return (struct encap_widths){.srcid = (unsigned)(random_next(seed) % 17),
				     .stamp = (unsigned)(random_next(seed) % 9),
				     .type = (unsigned)(random_next(seed) % 4)};
}

static void
check_packet(struct decoded *d, size_t i, const struct encap_widths *widths,
	     const struct sent *sent)
{
	decoded_expand(d, i);
	assert_int_equal(decoded_number(d, "flow"), sent->flow);
	assert_int_equal(decoded_number(d, "extend"), sent->extend);
	if (widths->srcid)
		assert_int_equal(decoded_number(d, "srcid"), sent->srcid);
	else
		assert_null(decoded_field(d, "srcid"));
	if (sent->extend)
		assert_int_equal(decoded_number(d, "timestamp"), sent->stamp);
	else
		assert_null(decoded_field(d, "timestamp"));
	if (widths->type)
		assert_int_equal(decoded_number(d, "type"), sent->type);
	else
		assert_null(decoded_field(d, "type"));
	const struct field *payload = decoded_field(d, "payload");
	assert_true(decoded_number(d, "payload_bits") - sent->payload.count < 8);
	for (unsigned bit = 0; bit < sent->payload.count; bit++)
		assert_int_equal(
		    bytes_bits((const uint8_t *)payload->s.at, payload->s.length, bit, 1),
		    bits_get(&sent->payload, bit));
}

/* All widths: what was sent is what is decoded. */
static void
test_widths(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 300; round++) {
		struct encap_widths widths = any_widths(&seed);
		struct made made = make_stream(&widths, 60, &seed);
		struct decoded d = plain(widths.srcid, widths.stamp, widths.type);
		decoded_open(&d, made.stream.bytes, made.stream.length);
		check_tiling(&d);
		size_t next = 0;
		for (size_t i = 0; i < d.messages.count; i++) {
			const struct message *m = &d.messages.at[i];
			if (m->kind == ENCAP_NULL_RUN)
				continue;
			const struct sent *sent = &made.sent.at[next++];
			assert_int_equal(m->offset, sent->offset);
			assert_int_equal(m->length, sent->length);
			assert_int_equal(m->origin, sent->srcid);
			check_packet(&d, i, &widths, sent);
		}
		assert_int_equal(next, made.sent.count);
		decoded_close(&d);
		free_made(&made);
	}
}

/* The first certain boundary from every offset is one, and certain means
 * N nulls before it. */
static void
test_resync(void **state)
{
	(void)state;
	uint64_t seed = 2;
	for (int round = 0; round < 30; round++) {
		struct encap_widths widths = any_widths(&seed);
		struct made made = make_stream(&widths, 100, &seed);
		struct decoded d = plain(widths.srcid, widths.stamp, widths.type);
		decoded_open(&d, made.stream.bytes, made.stream.length);
		bool *boundary = mem_new(made.stream.length + 1);
		for (size_t i = 0; i < made.boundaries.count; i++)
			boundary[made.boundaries.at[i]] = true;
		struct decode_state *own = decode_state_new(d.decoder);
		size_t found = 0;
		for (size_t from = 0; from < made.stream.length; from++) {
			struct window w = d.window;
			w.bytes += from;
			w.offset = from;
			w.length -= from;
			if (encap_ops.resync(d.decoder, own, &w) < 0)
				continue;
			assert_true(own->offset >= from && own->offset < made.stream.length);
			assert_true(boundary[own->offset]);
			found++;
		}
		assert_true(found > made.stream.length / 4);
		decode_state_free(d.decoder, own);
		free(boundary);
		decoded_close(&d);
		free_made(&made);
	}
}

/* Where a stream has no sync sequences a likely boundary will do. */
static void
test_likely(void **state)
{
	(void)state;
	static const struct encap_widths widths = {.srcid = 8, .stamp = 4};
	uint64_t seed = 8;
	struct made made = {0};
	while (made.stream.length < 20000)
		make_packet(&made, &widths, &seed);
	struct decoded d = plain(widths.srcid, widths.stamp, 0);
	decoded_open(&d, made.stream.bytes, made.stream.length);
	bool *boundary = mem_new(made.stream.length + 64);
	for (size_t i = 0; i < made.boundaries.count; i++)
		boundary[made.boundaries.at[i]] = true;
	struct decode_state *own = decode_state_new(d.decoder);
	for (size_t from = 1; from < 10000; from += 7) {
		struct window w = {.bytes = made.stream.bytes + from,
				   .offset = from,
				   .length = made.stream.length - from,
				   .until = UINT64_MAX};
		assert_int_equal(encap_ops.resync(d.decoder, own, &w), 0);
		assert_true(boundary[own->offset]);
	}
	decode_state_free(d.decoder, own);
	free(boundary);
	decoded_close(&d);
	free_made(&made);
}

/* The examples of the rules: N = 33 for W = 8, T = 1. */
static void
test_resync_rules(void **state)
{
	(void)state;
	uint8_t bytes[80];
	memset(bytes, 0xff, sizeof bytes);
	memset(bytes + 5, 0, 33);
	struct decoded d = plain(8, 1, 0);
	decoded_open(&d, bytes, sizeof bytes);
	struct decode_state *own = decode_state_new(d.decoder);
	/* the first non-null byte after N of them */
	assert_int_equal(encap_ops.resync(d.decoder, own, &d.window), 0);
	assert_int_equal(own->offset, 38);
	/* one less is not enough; the capture has a longer run, so no guess is made */
	memset(bytes + 45, 0xe0, 34);
	decoded_close(&d);
	d = plain(8, 1, 0);
	decoded_open(&d, bytes, sizeof bytes);
	struct window w = d.window;
	w.bytes += 6;
	w.offset = 6;
	w.length = 50;
	assert_int_equal(encap_ops.resync(d.decoder, own, &w), ERR_SYNC);
	/* the (N + 1)th byte of a run */
	w.length = 74;
	assert_int_equal(encap_ops.resync(d.decoder, own, &w), 0);
	assert_int_equal(own->offset, 45 + 33);
	decode_state_free(d.decoder, own);
	decoded_close(&d);
}

/* A walk in pieces, from checkpoints, equals one in one go. */
static void
test_pieces(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 40; round++) {
		struct encap_widths widths = any_widths(&seed);
		struct made made = make_stream(&widths, 80, &seed);
		struct decoded whole = plain(widths.srcid, widths.stamp, widths.type);
		if (round % 4 == 0)
			whole.options.block_size = 64 + random_next(&seed) % 200;
		for (int flips = 0; flips < round % 5; flips++)
			made.stream.bytes[random_next(&seed) % made.stream.length] ^=
			    (uint8_t)(1 << random_next(&seed) % 8);
		decoded_open(&whole, made.stream.bytes, made.stream.length);
		struct decoded parts = {.decoder = whole.decoder};
		struct decode_state *own = decode_state_new(whole.decoder);
		uint64_t end = 0;
		while (!(end == made.stream.length && own->offset == end)) {
			uint8_t saved[CHECKPOINT_MAX];
			encap_ops.save(whole.decoder, own, saved);
			memset(own, 0xaa, encap_ops.state_size);
			encap_ops.restore(whole.decoder, own, saved);
			end += 1 + random_next(&seed) % 50;
			if (end > made.stream.length)
				end = made.stream.length;
			struct window w = {.bytes = made.stream.bytes + own->offset,
					   .offset = own->offset,
					   .length = (size_t)(end - own->offset),
					   .until = random_next(&seed) % 2 ? UINT64_MAX
									   : own->offset + 20,
					   .last = end == made.stream.length};
			decoded_walk(&parts, own, &w, 1 + random_next(&seed) % 5);
		}
		assert_int_equal(parts.messages.count, whole.messages.count);
		for (size_t i = 0; i < whole.messages.count; i++)
			check_same(&parts.messages.at[i], &whole.messages.at[i]);
		vec_free(&parts.messages);
		decode_state_free(whole.decoder, own);
		decoded_close(&whole);
		free_made(&made);
	}
}

/* Truncation at every byte and bits flipped: all bytes stay accounted for,
 * and everything can be expanded. */
static void
test_damage(void **state)
{
	(void)state;
	uint64_t seed = 4;
	for (int round = 0; round < 30; round++) {
		struct encap_widths widths = any_widths(&seed);
		struct made made = make_stream(&widths, 8, &seed);
		for (size_t length = 0; length <= made.stream.length; length++) {
			uint8_t *copy = mem_new(length + 1);
			memcpy(copy, made.stream.bytes, length);
			if (round % 2 && length)
				copy[random_next(&seed) % length] ^=
				    (uint8_t)(1 << random_next(&seed) % 8);
			copy = mem_resize(copy, length ? length : 1);
			struct decoded d = plain(widths.srcid, widths.stamp, widths.type);
			d.options.etrace.f0s_width = round % 3;
			d.options.etrace.cache_size = 5;
			d.options.etrace.addr_comp = round % 5 == 0;
			decoded_open(&d, copy, length);
			check_tiling(&d);
			for (size_t i = 0; i < d.messages.count; i++)
				decoded_expand(&d, i);
			decoded_close(&d);
			free(copy);
		}
		free_made(&made);
	}
}

/* --- runs of nulls ----------------------------------------------------- */

static void
test_null_run(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x00, 0x20, 0x40, 0x00, 0xa0, 0x01, 0x1f};
	struct decoded d = plain(0, 0, 0);
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 2);
	assert_int_equal(d.messages.at[0].kind, ENCAP_NULL_RUN);
	assert_int_equal(d.messages.at[0].length, 5);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_WARNING); /* flows, unframed */
	decoded_expand(&d, 0);
	assert_int_equal(decoded_number(&d, "count"), 5);
	assert_int_equal(decoded_number(&d, "idle"), 4);
	assert_int_equal(decoded_number(&d, "alignment"), 1);
	assert_int_equal(decoded_number(&d, "sync"), false);
	assert_memory_equal(decoded_field(&d, "last")->s.at, "alignment", 9);
	assert_true(has_note(&d, "flow"));
	assert_int_equal(d.messages.at[1].aux, 0);
	decoded_close(&d);

	d = plain(0, 0, 0);
	d.options.framed = true;
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_DEBUG);
	decoded_close(&d);
}

/* Nulls with a packet between them are two runs. */
static void
test_short_runs(void **state)
{
	(void)state;
	static const uint8_t support[] = {0x01, 0x1f};
	struct stream stream = {0};
	for (int i = 0; i < 3; i++) {
		stream_nulls(&stream, 20);
		stream_add(&stream, support, sizeof support);
	}
	struct decoded d = plain(0, 0, 0);
	decoded_open(&d, stream.bytes, stream.length);
	assert_int_equal(d.messages.count, 6);
	for (size_t i = 0; i < 6; i += 2) {
		assert_false(d.messages.at[i].flags & MESSAGE_RESYNC);
		decoded_expand(&d, i);
		assert_int_equal(decoded_number(&d, "sync"), false);
	}
	decoded_close(&d);
	stream_free(&stream);
}

/* A packet right after an idle is odd unless the carrier frames. */
static void
test_after_idle(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x80, 0x00, 0x01, 0x1f};
	for (int framed = 0; framed < 2; framed++) {
		struct decoded d = plain(0, 0, 0);
		d.options.framed = framed;
		decoded_open(&d, bytes, sizeof bytes);
		assert_int_equal(d.messages.count, 2);
		decoded_expand(&d, 1);
		assert_int_equal(has_note(&d, "idle"), !framed);
		assert_int_equal(d.messages.at[1].severity,
				 framed ? SEVERITY_INFO : SEVERITY_WARNING);
		assert_false(d.messages.at[1].flags & MESSAGE_SUSPECT);
		decoded_close(&d);
	}
}

/* Long runs are cut at multiples of 64 KiB, and still are sync sequences. */
static void
test_long_run(void **state)
{
	(void)state;
	size_t length = 200000;
	uint8_t *bytes = mem_new(length);
	struct decoded d = plain(8, 0, 0);
	decoded_open(&d, bytes, length);
	check_tiling(&d);
	assert_int_equal(d.messages.count, 4);
	for (size_t i = 0; i < d.messages.count; i++) {
		assert_true(d.messages.at[i].flags & MESSAGE_RESYNC);
		if (i)
			assert_int_equal(d.messages.at[i].offset % 65536, 0);
	}
	decoded_expand(&d, 3);
	assert_int_equal(decoded_number(&d, "sync"), true);
	decoded_close(&d);

	/* the rest of a run knows how long it was, from a checkpoint too */
	static const uint8_t support[] = {0x01, 0x31, 0x1f};
	memcpy(bytes + 65546, support, sizeof support);
	d = plain(8, 0, 0);
	decoded_open(&d, bytes, 65549);
	assert_int_equal(d.messages.count, 3);
	struct decode_state *own = decode_state_new(d.decoder);
	struct message m;
	uint8_t saved[CHECKPOINT_MAX];
	encap_ops.step(d.decoder, own, &d.window, &m, 1);
	encap_ops.save(d.decoder, own, saved);
	encap_ops.restore(d.decoder, own, saved);
	encap_ops.step(d.decoder, own, &d.window, &m, 1);
	check_same(&m, &d.messages.at[1]);
	assert_int_equal(m.offset, 65536);
	assert_int_equal(m.length, 10);
	assert_true(m.flags & MESSAGE_RESYNC);
	decoded_expand(&d, 1);
	assert_int_equal(decoded_number(&d, "sync"), true);
	decode_state_free(d.decoder, own);
	decoded_close(&d);
	free(bytes);
}

/* --- damage ------------------------------------------------------------ */

/* From damage to the next sync sequence all is suspect, even where a packet
 * that was never sent swallows a part of it. */
static void
test_suspect(void **state)
{
	(void)state;
	static const struct {
		uint64_t offset;
		uint16_t flags;
	} expected[] = {
	    {0, MESSAGE_FILLER | MESSAGE_RESYNC},
	    {33, 0},
	    {36, MESSAGE_DAMAGED | MESSAGE_SUSPECT},
	    {46, MESSAGE_SUSPECT},
	    {49, MESSAGE_DAMAGED | MESSAGE_SUSPECT},
	    {82, MESSAGE_FILLER | MESSAGE_RESYNC},
	    {102, 0},
	};
	static const uint8_t support[] = {0x01, 0x03, 0x1f};
	static const uint8_t address[10] = {0x08, 0x03, 0x02}; /* more bits than one has */
	static const uint8_t wrong[] = {0x1f, 0x03, 0x02};     /* 30 bytes follow */
	struct stream stream = {0};
	stream_nulls(&stream, 33);
	stream_add(&stream, support, 3);
	stream_add(&stream, address, 10);
	stream_add(&stream, support, 3);
	stream_add(&stream, wrong, 3);
	for (int i = 0; i < 6; i++)
		stream_add(&stream, support, 3);
	stream_nulls(&stream, 32);
	stream_add(&stream, support, 3);
	struct decoded d = plain(8, 0, 0);
	decoded_open(&d, stream.bytes, stream.length);
	check_tiling(&d);
	assert_int_equal(d.messages.count, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < d.messages.count; i++) {
		assert_int_equal(d.messages.at[i].offset, expected[i].offset);
		assert_int_equal(d.messages.at[i].flags, expected[i].flags);
	}
	decoded_close(&d);
	stream_free(&stream);
}

/* A capture that starts in the middle is unverified up to the first sync. */
static void
test_late_start(void **state)
{
	(void)state;
	struct stream stream = {0};
	stream_add(&stream, "\x01\x03\x1f", 3);
	stream_nulls(&stream, 33);
	stream_add(&stream, "\x01\x03\x1f", 3);
	struct decoded d = plain(8, 0, 0);
	decoded_open(&d, stream.bytes, stream.length);
	assert_int_equal(d.messages.count, 3);
	assert_true(d.messages.at[0].flags & MESSAGE_SUSPECT);
	assert_false(d.messages.at[1].flags & MESSAGE_SUSPECT);
	assert_false(d.messages.at[2].flags & MESSAGE_SUSPECT);
	decoded_close(&d);
	/* without sync sequences the start of the file is a boundary */
	d = plain(8, 0, 0);
	decoded_open(&d, stream.bytes, 3);
	assert_false(d.messages.at[0].flags & MESSAGE_SUSPECT);
	decoded_close(&d);
	stream_free(&stream);
}

static void
test_malformed(void **state)
{
	(void)state;
	/* W = 12, Y = 4, L = 1: no bit is left for a payload */
	static const uint8_t bytes[] = {0x01, 0x34, 0x12};
	struct decoded d = plain(12, 0, 4);
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 1);
	assert_int_equal(d.messages.at[0].kind, ENCAP_MALFORMED);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_ERROR);
	assert_true(d.messages.at[0].flags & MESSAGE_DAMAGED);
	decoded_expand(&d, 0);
	assert_string_equal(text_get(&d.e.type), "malformed");
	decoded_close(&d);

	/* extend without timestamps */
	static const uint8_t extended[] = {0x81, 0x1f};
	d = plain(0, 0, 0);
	decoded_open(&d, extended, sizeof extended);
	assert_int_equal(d.messages.at[0].length, 2);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_WARNING);
	assert_false(d.messages.at[0].flags & MESSAGE_TIMED);
	decoded_expand(&d, 0);
	assert_true(has_note(&d, "timestamps"));
	assert_null(decoded_field(&d, "timestamp"));
	decoded_close(&d);
}

static void
test_truncated(void **state)
{
	(void)state;
	/* 7 of 11 bytes: L = 5, W = 8, T = 4 */
	static const uint8_t bytes[] = {0x85, 0x03, 0x73, 0x7d, 0x03, 0x00, 0x00};
	struct decoded d = plain(8, 4, 0);
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 1);
	assert_int_equal(d.messages.at[0].kind, ENCAP_TRUNCATED);
	assert_int_equal(d.messages.at[0].flags, MESSAGE_TRUNCATED);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_ERROR);
	decoded_expand(&d, 0);
	assert_int_equal(decoded_number(&d, "declared_length"), 11);
	assert_int_equal(decoded_number(&d, "header_length"), 5);
	assert_string_equal(text_get(&d.e.type), "truncated");
	/* more may come */
	struct window w = d.window;
	struct message m;
	struct decode_state *own = decode_state_new(d.decoder);
	w.last = false;
	assert_int_equal(encap_ops.step(d.decoder, own, &w, &m, 1), 0);
	decode_state_free(d.decoder, own);
	decoded_close(&d);
}

/* A packet that crosses a block border is damaged and ends there. */
static void
test_blocks(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
	    0x01, 0x1f, 0x01, 0x1f, 0x05, 0xff, 0xff, 0xff, /* the last wants 6 bytes */
	    0x01, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* a run crosses */
	    0x00, 0x01, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	struct decoded d = plain(0, 0, 0);
	d.options.block_size = 8;
	decoded_open(&d, bytes, sizeof bytes);
	check_tiling(&d);
	assert_int_equal(d.messages.at[2].kind, ENCAP_TRUNCATED);
	assert_int_equal(d.messages.at[2].length, 4);
	assert_int_equal(d.messages.at[3].offset, 8);
	assert_int_equal(d.messages.at[3].kind, ETRACE_SUPPORT);
	assert_false(d.messages.at[3].flags & MESSAGE_SUSPECT);
	assert_int_equal(d.messages.at[4].length, 7);
	decoded_expand(&d, 2);
	assert_true(has_note(&d, "block"));
	/* damage ends with its block */
	static const uint8_t damage[] = {0x06, 0x02, 0, 0, 0, 0, 0, 0x01, 0x1f, 0x01, 0x1f};
	struct decoded e = plain(0, 0, 0);
	e.options.block_size = 9;
	decoded_open(&e, damage, sizeof damage);
	assert_int_equal(e.messages.at[0].flags, MESSAGE_DAMAGED | MESSAGE_SUSPECT);
	assert_int_equal(e.messages.at[1].flags, MESSAGE_SUSPECT);
	assert_int_equal(e.messages.at[2].flags, 0);
	decoded_close(&e);
	/* each block start is a place to start from */
	struct decode_state *own = decode_state_new(d.decoder);
	struct window w = d.window;
	w.bytes += 3;
	w.offset = 3;
	w.length -= 3;
	assert_int_equal(encap_ops.resync(d.decoder, own, &w), 0);
	assert_int_equal(own->offset, 8);
	decode_state_free(d.decoder, own);
	decoded_close(&d);
}

/* --- carriers ---------------------------------------------------------- */

/* Slots of 12 bytes, each reversed, as packets of 2, 4 and 1 bytes. */
static void
test_slots(void **state)
{
	(void)state;
	static const uint8_t bytes[36] = {
	    [10] = 0x1f, [11] = 0x01, [20] = 0x33, [21] = 0x22,
	    [22] = 0x1f, [23] = 0x03, [35] = 0x00,
	};
	struct decoded d = plain(0, 0, 0);
	d.options.container.slot = 12;
	d.options.container.reversed = true;
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 3);
	assert_int_equal(d.messages.at[0].offset, 10);
	assert_int_equal(d.messages.at[0].length, 2);
	assert_int_equal(d.messages.at[1].offset, 20);
	assert_int_equal(d.messages.at[1].length, 4);
	assert_int_equal(d.messages.at[2].offset, 35);
	decoded_expand(&d, 1);
	assert_memory_equal(decoded_field(&d, "payload")->s.at, "\x1f\x22\x33", 3);
	/* bits of the first payload byte lie in byte 22 of the file */
	assert_int_equal(d.e.extents.count, 4);
	assert_int_equal(d.e.extents.at[1].payload_bit, 8);
	assert_int_equal(d.e.extents.at[1].capture_bit, 8 * 22);
	decoded_close(&d);

	/* the last slot is cut off */
	d = plain(0, 0, 0);
	d.options.container.slot = 12;
	decoded_open(&d, bytes + 20, 15);
	assert_int_equal(d.messages.count, 2);
	assert_int_equal(d.messages.at[1].kind, ENCAP_TRUNCATED);
	assert_int_equal(d.messages.at[1].offset, 12);
	decoded_close(&d);
}

/* Writes COUNT bytes of FROM to TO, zeroed and one longer, PHASE bits on. */
static void
move_bits(uint8_t *to, const uint8_t *from, size_t count, unsigned phase)
{
	for (size_t i = 0; i < count; i++) {
		to[i] |= (uint8_t)(from[i] << phase);
		to[i + 1] |= (uint8_t)(from[i] >> (8 - phase));
	}
}

/* The same stream, moved by some bits, decodes to the same messages. */
static void
test_bit_stream(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (unsigned phase = 0; phase < 8; phase++) {
		struct encap_widths widths = {.srcid = 4};
		struct made made = {0};
		make_nulls(&made, 32);
		for (int i = 0; i < 2000; i++) {
			make_packet(&made, &widths, &seed);
			if (i % 10 == 0)
				make_nulls(&made, 1 + random_next(&seed) % 40);
		}
		struct decoded straight = plain(4, 0, 0);
		decoded_open(&straight, made.stream.bytes, made.stream.length);

		uint8_t *moved = mem_new(made.stream.length + 1);
		move_bits(moved, made.stream.bytes, made.stream.length, phase);
		size_t length = made.stream.length + (phase > 0);
		struct decoded d = plain(4, 0, 0);
		d.options.bit_stream = true;
		decoded_open(&d, moved, length);
		assert_int_equal(d.messages.count, straight.messages.count);
		for (size_t i = 0; i < d.messages.count; i++)
			check_same(&d.messages.at[i], &straight.messages.at[i]);
		decoded_expand(&d, 1);
		assert_memory_equal(d.e.payload, made.stream.bytes + d.messages.at[1].offset,
				    d.messages.at[1].length);
		assert_int_equal(d.e.extents.at[0].capture_bit,
				 8 * d.messages.at[1].offset + phase);
		if (phase)
			assert_int_equal(decoded_number(&d, "bit_offset"),
					 8 * d.messages.at[1].offset + phase);
		free(moved);
		decoded_close(&d);
		decoded_close(&straight);
		free_made(&made);
	}
}

/* --- time, sources, guesses -------------------------------------------- */

static void
test_time(void **state)
{
	(void)state;
	static const struct {
		uint8_t stamp;
		uint64_t ticks;
	} rows[] = {{200, 200}, {250, 250}, {4, 260}, {250, 250}, {10, 266}, {130, 386}, {60, 572}};
	struct stream stream = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t packet[] = {0x81, rows[i].stamp, 0x1f};
		stream_add(&stream, packet, sizeof packet);
	}
	struct decoded d = plain(0, 1, 0);
	decoded_open(&d, stream.bytes, stream.length);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(d.messages.at[i].flags & MESSAGE_TIMED);
		assert_int_equal(d.messages.at[i].ticks, rows[i].ticks);
	}
	decoded_close(&d);
	stream_free(&stream);
}

static void
test_sources(void **state)
{
	(void)state;
	struct decoded d = plain(8, 0, 0);
	struct encap_source_options *sources =
	    mem_new(2 * sizeof *sources); /* owned by the options */
	const struct option_table *table = option_find(&encap_options, "sources")->table;
	char unused[256];
	for (int i = 0; i < 2; i++)
		option_defaults(table, &sources[i]);
	sources[0].id = 3;
	sources[0].name = mem_text("hart0");
	sources[1].id = 4;
	assert_null(option_set(option_find(table, "type_width"), &sources[1], "4", unused));
	assert_null(option_set(option_find(table, "iaddress_width"), &sources[1], "64", unused));
	assert_null(option_set(option_find(table, "nocontext"), &sources[1], "false", unused));
	assert_null(option_set(option_find(table, "ioptions"), &sources[1], "pulp", unused));
	d.options.sources = (struct option_list){sources, 2};
	/* a support packet of source 3, one of type 1 of source 4, and a
	 * sync.context with context 0x55 */
	static const uint8_t bytes[] = {0x01, 0x03, 0x1f, 0x02, 0x04, 0xf1,
					0x01, 0x03, 0x04, 0xb0, 0x57, 0x01};
	decoded_open(&d, bytes, sizeof bytes);
	decoded_expand(&d, 0);
	assert_string_equal(text_get(&d.e.origin), "hart0");
	assert_null(decoded_field(&d, "type"));
	decoded_expand(&d, 1);
	assert_string_equal(text_get(&d.e.origin), "src 4");
	assert_int_equal(decoded_number(&d, "type"), 1);
	assert_true(decoded_is(&d, "class", "data"));
	decoded_expand(&d, 2);
	assert_int_equal(decoded_number(&d, "privilege"), 3);
	assert_int_equal(decoded_number(&d, "context"), 0x55);
	decoded_close(&d);

	d = plain(4, 0, 0);
	sources = mem_new(sizeof *sources);
	option_defaults(table, sources);
	sources->id = 16;
	d.options.sources = (struct option_list){sources, 1};
	struct err err = {0};
	struct window w = {.bytes = bytes, .length = sizeof bytes};
	assert_null(encap_ops.open(&d.options, &w, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	option_release(&encap_options, &d.options);
}

/* E-Trace payloads of a little program, with sync sequences; with types, data trace between
 * them. */
static void
make_trace(struct stream *stream, const struct encap_widths *widths, uint64_t *seed)
{
	size_t sync = 32 + widths->stamp + widths->srcid / 8;
	for (unsigned i = 0; i < 400; i++) {
		struct bits payload = {0};
		uint64_t stamp = 1000 + 10 * i;
		if (i % 40 == 0) {
			stream_nulls(stream, sync);
			bits_add(&payload, 3, 4); /* sync.start */
			bits_add(&payload, 7, 3);
			bits_add(&payload, 0x40000000 + i, 31);
		} else {
			unsigned count = 1 + (unsigned)random_next(seed) % 31;
			unsigned map = count < 2    ? 1
				       : count < 4  ? 3
				       : count < 8  ? 7
				       : count < 16 ? 15
						    : 31;
			bits_add(&payload, 1, 2); /* branches */
			bits_add(&payload, count, 5);
			bits_add(&payload, random_next(seed), map);
			bits_add(&payload, random_next(seed) % 400 - 200, 31);
			bits_add(&payload, bits_get(&payload, payload.count - 1) ? 7 : 0, 3);
		}
		bool data = widths->type && i % 2;
		if (data) {
			payload = (struct bits){0};
			bits_add(&payload, 2, 3); /* store.aligned */
			bits_add(&payload, 2, 2); /* of four bytes */
			bits_add(&payload, 0, 2); /* nothing is a difference */
			bits_add(&payload, 3, 2); /* four are sent */
			bits_add(&payload, random_next(seed), 32);
			bits_add(&payload, random_next(seed) >> 2, 32); /* address / 4 */
		}
		bits_shorten(&payload);
		stream_packet(stream, widths, 0, (unsigned)random_next(seed) % 3,
			      widths->stamp && random_next(seed) % 3 ? &stamp : NULL, data,
			      &payload);
	}
	stream_nulls(stream, sync);
	stream_add(stream, "\x01\x01\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f", 12);
}

/* Widths that are not given are found, as far as the stream tells. */
static void
test_guess(void **state)
{
	(void)state;
	uint64_t seed = 6;
	static const struct encap_widths rows[] = {{8, 4, 0}, {0, 0, 0},  {12, 8, 0},
						   {5, 2, 0}, {16, 0, 0}, {12, 5, 1}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct encap_widths widths = rows[i];
		struct stream stream = {0};
		make_trace(&stream, &widths, &seed);
		struct window head = {.bytes = stream.bytes,
				      .length = stream.length,
				      .until = UINT64_MAX,
				      .last = true};
		struct probe probe[PROBES_MAX] = {{0}};
		encap_ops.probe(&head, probe);
		assert_true(probe->score >= 80);
		struct text profile = {0};
		assert_true(encap_propose(&head, &profile));
		char expected[64];
		snprintf(expected, sizeof expected, "timestamp_bytes: %u", widths.stamp);
		assert_non_null(strstr(profile.data, expected));
		const char *width = strstr(profile.data, "srcid_width: ");
		assert_int_equal(strtoul(width + strlen("srcid_width: "), NULL, 10), widths.srcid);
		assert_non_null(strstr(profile.data, "framed: false"));
		text_free(&profile);

		struct decoded d = {0};
		option_defaults(&encap_options, &d.options);
		decoded_open(&d, stream.bytes, stream.length - 12);
		size_t packets = 0;
		for (size_t k = 0; k < d.messages.count; k++)
			packets += d.messages.at[k].kind != ENCAP_NULL_RUN &&
				   !(d.messages.at[k].flags & MESSAGE_DAMAGED);
		assert_int_equal(packets, 400);
		decoded_close(&d);
		stream_free(&stream);
	}
	/* a bit stream is found too */
	struct stream stream = {0};
	make_trace(&stream, &(struct encap_widths){.srcid = 4}, &seed);
	uint8_t *moved = mem_new(stream.length + 1);
	move_bits(moved, stream.bytes, stream.length, 3);
	struct decoded d = {0};
	option_defaults(&encap_options, &d.options);
	decoded_open(&d, moved, stream.length + 1);
	size_t packets = 0;
	for (size_t i = 0; i < d.messages.count; i++)
		packets += d.messages.at[i].kind == ETRACE_BRANCH;
	assert_int_equal(packets, 390);
	decoded_close(&d);
	stream_free(&stream);
	free(moved);

	uint8_t noise[4096];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (uint8_t)random_next(&seed);
	struct window head = {.bytes = noise, .length = sizeof noise, .last = true};
	struct probe probe[PROBES_MAX] = {{0}};
	struct text profile = {0};
	encap_ops.probe(&head, probe);
	assert_int_equal(probe->score, 0);
	assert_false(encap_propose(&head, &profile));

	/* zeros among other bytes, as in any binary file: where packets seem to
	 * fit without an alignment in front of any, that is no certainty */
	memset(noise, 0, sizeof noise);
	for (size_t i = 0; i + 64 <= sizeof noise; i += 64)
		memset(noise + i, 0x10, 17);
	encap_ops.probe(&head, probe);
	assert_in_range(probe->score, 1, PROBE_DECODE - 1);
	text_free(&profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples),   cmocka_unit_test(test_straddling),
	    cmocka_unit_test(test_widths),     cmocka_unit_test(test_few_bits),
	    cmocka_unit_test(test_short_runs), cmocka_unit_test(test_resync),
	    cmocka_unit_test(test_likely),     cmocka_unit_test(test_resync_rules),
	    cmocka_unit_test(test_pieces),     cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_null_run),   cmocka_unit_test(test_after_idle),
	    cmocka_unit_test(test_long_run),   cmocka_unit_test(test_suspect),
	    cmocka_unit_test(test_late_start), cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_truncated),  cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_slots),      cmocka_unit_test(test_bit_stream),
	    cmocka_unit_test(test_time),       cmocka_unit_test(test_sources),
	    cmocka_unit_test(test_guess),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
