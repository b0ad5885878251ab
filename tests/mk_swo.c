/*
 * Packets at random, by the tables of the ARMv7-M Architecture Reference Manual, appendix
 * D4.  Some packets come together and are followed by a local timestamp, which is the time
 * of all of them.
 *
 * Damage to bare packets is that of other records.  Frames have bytes before them that are of
 * none (garbage), or lose some (cut, drop) or a bit (flip): then the truth says of all that
 * is sent what it was, and offsets are those without damage.
 */
#include "config.h"

#include "mk_coresight.h"
#include "mk_swo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 16, GROUP = 5 };

struct maker {
	const struct mk_swo_plan *plan;
	struct mk_sink *sink;
	struct mk_frames frames;
	uint64_t seed, time, made;
	uint32_t stamp; /* of the group that is sent */
	unsigned page;
	bool timed, damaged;
	struct mk_record record;
};

static uint32_t
below(struct maker *m, uint32_t n)
{
	return random_below(&m->seed, n);
}

static void
begin(struct maker *m, const char *type, enum mk_severity severity)
{
	m->made++;
	mk_record_begin(&m->record, m->sink, type, severity);
	m->record.timed = m->timed;
	m->record.ticks = m->time;
}

/* Offset of the frame that has the byte that was put last. */
static uint64_t
frame_of_last(const struct maker *m)
{
	return m->frames.out->offset - (m->frames.slot ? 0 : FRAME);
}

/* Puts the record, now and then with bytes of other sources before or in it. */
static void
put_frames(struct maker *m)
{
	static const uint8_t sync[] = {0, 0, 0, 0, 0, 0x80, 0x08};
	uint64_t first = 0, last = 0;
	for (size_t i = 0; i < m->record.length; i++) {
		uint32_t dice = below(m, 40);
		if (dice == 0)
			mk_frames_put(&m->frames, MK_SWO_OTHER, sync, sizeof sync);
		else if (dice < 3)
			mk_frames_put(&m->frames, 0, sync, 1 + below(m, 5));
		mk_frames_put(&m->frames, MK_SWO_ID, &m->record.bytes[i], 1);
		last = frame_of_last(m);
		if (!i)
			first = last;
	}
	mk_record_truth(&m->record, m->sink, first, (size_t)(last + FRAME - first), "ok");
}

static void
send_record(struct maker *m)
{
	if (m->plan->frames)
		put_frames(m);
	else
		m->damaged |= mk_record_send(&m->record, m->sink, "ok") != 0;
}

static void
put_payload(struct maker *m, unsigned source, bool hardware, unsigned size, uint64_t value)
{
	unsigned code = size == 4 ? 3 : size;
	mk_record_le(&m->record, source << 3 | (hardware ? 4u : 0) | code, 1);
	mk_record_le(&m->record, value, size);
}

static uint64_t
random_value(struct maker *m, unsigned size)
{
	return random_next(&m->seed) & ((UINT64_C(1) << 8 * size) - 1);
}

/* --- packets ------------------------------------------------------------- */

static unsigned
random_size(struct maker *m)
{
	static const uint8_t sizes[] = {1, 2, 4};
	return sizes[below(m, 3)];
}

/* Port 0 is left to text, which there is none of. */
static void
send_port(struct maker *m)
{
	unsigned port = 1 + below(m, 31), size = random_size(m);
	uint64_t value = random_value(m, size) | 0x80; /* no text */
	begin(m, "port", MK_INFO);
	put_payload(m, port, false, size, value);
	mk_record_field(&m->record, "port=%u\tsize=%u\tvalue=0x%" PRIx64, 32 * m->page + port, size,
			value);
	send_record(m);
}

static void
send_exception(struct maker *m)
{
	static const char *const actions[] = {"", "enter", "exit", "return"};
	unsigned number = below(m, 512), action = 1 + below(m, 3);
	begin(m, "exception", MK_INFO);
	put_payload(m, 1, true, 2, number | action << 12);
	mk_record_field(&m->record, "exception=%u\taction=%s", number, actions[action]);
	send_record(m);
}

static void
send_pc(struct maker *m)
{
	uint64_t pc = 0x08000000 + 2 * below(m, 0x8000);
	begin(m, "pc", MK_DEBUG);
	if (below(m, 10)) {
		put_payload(m, 2, true, 4, pc);
		mk_record_field(&m->record, "pc=0x%08" PRIx64, pc);
	} else {
		put_payload(m, 2, true, 1, 0);
		mk_record_field(&m->record, "state=asleep");
	}
	send_record(m);
}

static void
send_data(struct maker *m)
{
	unsigned comparator = below(m, 4), what = below(m, 4);
	unsigned size = what == 0 ? 4 : what == 1 ? 2 : random_size(m);
	uint64_t value = random_value(m, size);
	unsigned source =
	    what < 2 ? 8 | comparator << 1 | what : 16 | comparator << 1 | (what == 3);
	static const char *const whats[] = {"pc\tpc", "address\taddress_low", "read\tvalue",
					    "write\tvalue"};
	begin(m, "data_trace", MK_INFO);
	put_payload(m, source, true, size, value);
	mk_record_field(&m->record, "comparator=%u", comparator);
	mk_record_field(&m->record, "what=%s=0x%0*" PRIx64, whats[what],
			what == 0   ? 8
			: what == 1 ? 4
				    : 1,
			value);
	send_record(m);
}

static void
send_counter(struct maker *m)
{
	begin(m, "counter", MK_DEBUG);
	put_payload(m, 0, true, 1, 1 + below(m, 63));
	send_record(m);
}

static void
send_overflow(struct maker *m)
{
	begin(m, "overflow", MK_ERROR);
	mk_record_le(&m->record, 0x70, 1);
	send_record(m);
}

static void
send_page(struct maker *m)
{
	m->page = below(m, 8);
	begin(m, "extension", MK_DEBUG);
	mk_record_le(&m->record, m->page << 4 | 8, 1);
	mk_record_field(&m->record, "page=%u", m->page);
	send_record(m);
}

static void
send_sync(struct maker *m)
{
	begin(m, "sync", MK_DEBUG);
	mk_record_le(&m->record, 0, 5 + (below(m, 4) ? 0 : below(m, 3)));
	mk_record_le(&m->record, 0x80, 1);
	send_record(m);
	m->page = 0;
}

/* Some packets, and the timestamp that is theirs. */
static void
send_group(struct maker *m)
{
	static void (*const packets[])(struct maker *) = {
	    send_port, send_port, send_exception, send_pc,   send_pc,	    send_data,
	    send_data, send_data, send_counter,	  send_page, send_overflow,
	};
	enum { ITEMS = sizeof packets / sizeof *packets };
	m->stamp = 1 + below(m, below(m, 3) ? 6 : 1 << 20);
	m->time += m->timed ? m->stamp : 0;
	for (unsigned i = below(m, GROUP); i + 1 > 0; i--) {
		void (*send)(struct maker *) = packets[below(m, ITEMS)];
		if (send == send_page && !m->plan->everything)
			send = send_pc;
		send(m);
		if (!i)
			break;
	}
	if (!m->timed)
		return;
	begin(m, "local_time", MK_DEBUG);
	if (m->stamp < 7 && below(m, 2)) {
		mk_record_le(&m->record, m->stamp << 4, 1);
	} else {
		mk_record_le(&m->record, 0xc0, 1);
		uint32_t left = m->stamp;
		for (; left > 0x7f; left >>= 7)
			mk_record_le(&m->record, (left & 0x7f) | 0x80, 1);
		mk_record_le(&m->record, left, 1);
	}
	mk_record_field(&m->record, "ticks=%" PRIu32, m->stamp);
	send_record(m);
	if (!below(m, 12))
		send_sync(m);
}

/* --- frames -------------------------------------------------------------- */

/* Frames on their way to the capture. */
static void
put_damaged(void *context, const uint8_t *bytes, size_t length)
{
	struct mk_sink *sink = context;
	for (; length >= FRAME; bytes += FRAME, length -= FRAME) {
		uint8_t frame[FRAME];
		size_t left = FRAME;
		unsigned kind = mk_damage_choose(sink), at = random_below(&sink->seed, FRAME);
		memcpy(frame, bytes, FRAME);
		if (kind == MK_GARBAGE)
			mk_out_put(sink->out, "\xff\xff\xff", 1 + at % 3);
		else if (kind == MK_FLIP)
			frame[at] ^= (uint8_t)(1u << random_below(&sink->seed, 8));
		else if (kind)
			left = at;
		mk_out_put(sink->out, frame, left);
	}
}

void
mk_swo(const struct mk_swo_plan *plan, struct mk_sink *sink)
{
	struct maker *m = calloc(1, sizeof *m);
	if (!m)
		mk_die("no memory");
	m->plan = plan;
	m->sink = sink;
	m->seed = plan->seed;
	m->timed = plan->everything;
	if (plan->frames)
		m->frames.out = sink->damage ? mk_out_to(put_damaged, sink) : sink->out;
	if (plan->everything)
		send_sync(m);
	while (!mk_enough(sink, m->made))
		send_group(m);
	if (plan->frames)
		mk_frames_finish(&m->frames);
	if (plan->frames && sink->damage) {
		mk_out_flush(m->frames.out);
		free(m->frames.out);
	}
	free(m);
}
