/*
 * STP: make the fields and the text of a message, see stp_expand.h.
 *
 * A walk finds the packets of a message again.  It starts at the first packet, in the state from
 * message.aux, and skips the packets of other senders.  The payload is assembled in an arena.  It
 * is shorter than the message, because each packet has an opcode.  One extent per packet records
 * where its bits lie in the capture.
 */
#include "config.h"

#include "decode/stp/stp_expand.h"

#include "base/bytes.h"
#include "decode/stp/stp_gather.h"

#include <string.h>

/* --- reading again ----------------------------------------------------- */

struct stp_walk
stp_walk_start(const struct message *m, const struct window *w, const struct stp_setup *setup)
{
	uint64_t end = stp_end_nibble(m), limit = 2 * (w->offset + w->length);
	if (m->offset < w->offset)
		end = 0;
	return (struct stp_walk){
	    .window = w,
	    .setup = setup,
	    .stp = stp_aux_state(m->aux),
	    .next = stp_first_nibble(m),
	    .end = end < limit ? end : limit,
	};
}

/* Read the next packet of any sender.  Return false at the end or at an invalid packet. */
static bool
walk_next(struct stp_walk *walk, struct stp_packet *packet)
{
	const struct window *w = walk->window;
	if (walk->next >= walk->end)
		return false;
	int got = stp_read(&walk->stp, w->bytes, w->length, walk->next - 2 * w->offset, packet);
	if (got <= 0 || walk->next + packet->nibbles > walk->end)
		return false;
	stp_apply(&walk->stp, packet, &walk->setup->order);
	walk->place = walk->next;
	walk->next += packet->nibbles;
	return true;
}

static inline bool
walk_is_at(const struct stp_walk *walk, const struct stp_state *own)
{
	return walk->stp.master == own->master && walk->stp.channel == own->channel;
}

bool
stp_walk_next(struct stp_walk *walk, const struct message *m, struct stp_packet *packet)
{
	const struct stp_state own = stp_aux_state(m->aux);
	while (walk_next(walk, packet)) {
		uint8_t what = packet->opcode->what;
		if ((what == STP_DATA || what == STP_FLAG) && walk_is_at(walk, &own))
			return true;
	}
	return false;
}

uint64_t
stp_frequency(const struct message *m, const struct window *w)
{
	static const struct stp_setup usual; /* reading one FREQ does not use the setup */
	struct stp_walk walk = stp_walk_start(m, w, &usual);
	struct stp_packet packet;
	return walk_next(&walk, &packet) ? packet.data : 0;
}

/* Append the data of a packet to a payload. */
static inline void
add_packet_data(uint8_t *payload, uint64_t *nibbles, const struct stp_packet *packet)
{
	stp_put(payload, *nibbles, packet->data);
	*nibbles += packet->data_nibbles;
}

/* Append the data of OWN while packets are frequent ones that are sure to end in the message.
 * Skips timestamps. */
static void
collect_plain(struct stp_walk *walk, const struct stp_state *own, uint8_t *payload,
	      uint64_t *nibbles)
{
	const struct window *w = walk->window;
	const struct stp_short *shorts = walk->setup->shorts.at;
	const uint64_t base = 2 * w->offset, length = 2 * (uint64_t)w->length;
	uint64_t at = walk->next - base, end = walk->end - base;
	uint64_t stop = length > 2 * STP_LOOK ? length - 2 * STP_LOOK : 0;
	uint64_t first = at < end && at < stop ? stp_look(w->bytes, at) : 0;
	const bool lsn = walk->stp.lsn;
	bool is_own = walk_is_at(walk, own);
	while (at < end && at < stop) {
		const struct stp_short *start = &shorts[first & 0xff];
		uint64_t next = stp_short_end(start, w->bytes, at, walk->stp.clock);
		if (next > end || start->bulk == STP_BULK_NONE)
			break;
		uint64_t then = stp_look(w->bytes, next);
		if (stp_may_cut(then))
			break;
		if (start->bulk == STP_BULK_SENDER) {
			stp_take_sender(&walk->stp, start, first);
			is_own = walk_is_at(walk, own);
		} else if (is_own && start->count) {
			uint64_t from = at + start->data_at;
			stp_put(payload, *nibbles, stp_value(w->bytes, from, start->count, lsn));
			*nibbles += start->count;
		}
		at = next;
		first = then;
	}
	walk->next = at + base;
}

size_t
stp_walk_collect(struct stp_walk *walk, const struct message *m, uint8_t *payload)
{
	const struct stp_state own = stp_aux_state(m->aux);
	struct stp_packet packet;
	uint64_t nibbles = 0;
	do {
		if (walk->next < walk->end)
			collect_plain(walk, &own, payload, &nibbles);
		if (!walk_next(walk, &packet))
			break;
		if (packet.opcode->what == STP_DATA && walk_is_at(walk, &own))
			add_packet_data(payload, &nibbles, &packet);
	} while (true);
	return (size_t)((nibbles + 1) / 2);
}

/* --- fields ------------------------------------------------------------ */

struct stp_job {
	const struct stp_setup *setup;
	struct stp_gatherer *gatherer; /* or NULL */
	const struct stp_field_rows *rows;
	const struct message *m;
	struct expansion *e;
	struct stp_walk walk;
	struct stp_packet packet; /* current packet */
	bool with_packets;	  /* with fields of the packets; exports omit these */
};

/* Add a field for COUNT nibbles of the current packet. */
static struct field *
add_part(struct stp_job *j, const struct field_row *row, unsigned at, unsigned count)
{
	return expansion_add(j->e, row, FIELD_CAPTURE, 4 * (j->walk.place + at), 4 * count);
}

static void
add_packet(struct stp_job *j)
{
	struct field *field = add_part(j, &j->rows->rows[STP_F_PACKET], 0, j->packet.nibbles);
	field->s.at = j->packet.opcode->name;
	field->s.length = strlen(j->packet.opcode->name);
}

static void
add_value(struct stp_job *j, const struct field_row *row)
{
	add_part(j, row, j->packet.data_at, j->packet.data_nibbles)->u = j->packet.data;
}

/* Add the time of a message's first packet. */
static void
add_time(struct stp_job *j)
{
	if (j->packet.opcode->timed)
		add_part(j, &j->rows->rows[STP_F_TIME], j->packet.time_at, j->packet.time_nibbles)
		    ->u = j->m->ticks;
}

static void
add_sender(struct stp_job *j)
{
	const struct stp_state sender = stp_aux_state(j->m->aux);
	expansion_add(j->e, &j->rows->rows[STP_F_MASTER], FIELD_NOWHERE, 0, 0)->u = sender.master;
	expansion_add(j->e, &j->rows->rows[STP_F_CHANNEL], FIELD_NOWHERE, 0, 0)->u = sender.channel;
}

/* Set the origin of plain data. */
static void
set_origin(struct stp_job *j)
{
	const struct stp_state sender = stp_aux_state(j->m->aux);
	text_addf(&j->e->origin, "%u:%u", sender.master, sender.channel);
}

/* --- messages of several packets --------------------------------------- */

static void
add_extent(struct stp_job *j, uint64_t payload_nibble)
{
	if (!j->packet.data_nibbles)
		return;
	*vec_add(&j->e->extents) = (struct extent){
	    .payload_bit = 4 * payload_nibble,
	    .capture_bit = 4 * (j->walk.place + j->packet.data_at),
	    .bits = 4u * j->packet.data_nibbles,
	    .form = j->walk.stp.lsn ? EXTENT_PLAIN : EXTENT_REVERSED,
	};
}

/* Assemble the payload and add fields for its packets. */
static size_t
collect_packets(struct stp_job *j, uint8_t *payload)
{
	uint64_t nibbles = 0;
	bool opened = false;
	while (stp_walk_next(&j->walk, j->m, &j->packet)) {
		if (!opened) {
			add_time(j);
			expansion_open(j->e, &j->rows->rows[STP_F_PACKETS], FIELD_NOWHERE, 0, 0);
		}
		opened = true;
		add_packet(j);
		add_extent(j, nibbles);
		add_packet_data(payload, &nibbles, &j->packet);
	}
	if (opened)
		expansion_close(j->e);
	return (size_t)((nibbles + 1) / 2);
}

/* Assemble the payload from the capture. */
static void
collect_payload(struct stp_job *j)
{
	const uint8_t *gathered = NULL;
	struct expansion *e = j->e;
	if (j->gatherer && !j->with_packets)
		gathered =
		    stp_gather(j->gatherer, j->setup, j->m, j->walk.window, &e->payload_length);
	if (gathered) {
		e->payload = arena_copy(&e->arena, gathered, e->payload_length);
		return;
	}
	uint8_t *payload = arena_alloc(&e->arena, j->m->length + STP_COLLECT_MORE);
	e->payload_length = j->with_packets ? collect_packets(j, payload)
					    : stp_walk_collect(&j->walk, j->m, payload);
	e->payload = payload;
}

static void
expand_data(struct stp_job *j)
{
	const struct expansion *e = j->e;
	struct field *field =
	    expansion_add(j->e, j->rows->data, FIELD_PAYLOAD, 0, (uint32_t)(8 * e->payload_length));
	field->s.at = (const char *)e->payload;
	field->s.length = e->payload_length;
	text_add(&j->e->type, "STP:DATA");
	set_origin(j);
}

/* --- messages of the transport ----------------------------------------- */

/* Form of a transport message: its type, the text before and after the payload, and the payload's
 * field. */
static const struct stp_form {
	const char *type, *before, *after;
	bool decimal;
	enum stp_field field;
} forms[STP_WHAT_COUNT] = {
    [STP_FREQ] = {"STP:FREQ", "", " Hz", true, STP_F_FREQ},
    [STP_TRIG] = {"STP:TRIG", "trigger ", "", false, STP_F_TRIGGER},
    [STP_XSYNC] = {"STP:XSYNC", "cross synchronisation ", "", false, STP_F_TRIGGER},
    [STP_USER] = {"STP:USER", "", "", false, STP_F_USER},
    [STP_TIME] = {"STP:TIME", "time ", "", true, STP_F_USER},
    [STP_MERR] = {"STP:MERR", "master error ", "", false, STP_F_ERROR},
    [STP_GERR] = {"STP:GERR", "global error ", "", false, STP_F_ERROR},
    [STP_CERR] = {"STP:CERR", "channel error ", "", false, STP_F_ERROR},
};

static const char *const clock_names[] = {
    [STP_CLOCK_LEGACY] = "version 1",
    [STP_CLOCK_DELTA] = "delta",
    [STP_CLOCK_NATURAL] = "natural",
    [STP_CLOCK_GRAY] = "Gray code",
};
static const char no_version[] = "no VERSION follows";

/* [STP 2, VERSION, second hand: ADI, stm_core] */
static void
expand_version(struct stp_job *j)
{
	unsigned kind = j->packet.data & 15, extended = j->packet.data >> 8 & 0x7f;
	const char *clock = clock_names[j->walk.stp.clock];
	char *note;
	if (kind & 8)
		note = arena_format(&j->e->arena, "STP 2.%u, %s times, %s significant nibble first",
				    extended + 1, clock, j->packet.data >> 15 ? "least" : "most");
	else
		note = arena_format(&j->e->arena, "STP %s, %s times", kind ? "2.1" : "1", clock);
	text_add(&j->e->text, note);

	struct field *field =
	    add_part(j, &j->rows->rows[STP_F_VERSION], j->packet.data_at, j->packet.data_nibbles);
	field->u = kind;
	field->note = note;
}

/* Expand ASYNC, VERSION, or an ASYNC with the VERSION after it. */
static void
expand_sync(struct stp_job *j)
{
	struct expansion *e = j->e;
	while (walk_next(&j->walk, &j->packet)) {
		uint8_t what = j->packet.opcode->what;
		if (what == STP_NULL)
			continue;
		if (!e->type.length)
			text_addf(&e->type, "STP:%s", j->packet.opcode->name);
		if (what == STP_VERSION)
			expand_version(j);
		add_packet(j);
	}
	if (!e->text.length)
		text_add(&e->text, no_version);
}

/* Expand a FLAG that ends no message. */
static void
expand_flag(struct stp_job *j)
{
	if (!walk_next(&j->walk, &j->packet))
		return;
	text_add(&j->e->type, "STP:FLAG");
	set_origin(j);
	add_sender(j);
	add_time(j);
	add_packet(j);
}

static void
expand_packet(struct stp_job *j)
{
	if (!walk_next(&j->walk, &j->packet))
		return;
	const struct stp_form *row = &forms[j->packet.opcode->what];
	if (!row->type)
		return;
	text_add(&j->e->type, row->type);
	text_add(&j->e->text, row->before);
	text_addf(&j->e->text, row->decimal ? "%llu" : "0x%02llx",
		  (unsigned long long)j->packet.data);
	text_add(&j->e->text, row->after);
	add_value(j, &j->rows->rows[row->field]);
	add_time(j);
	add_packet(j);
}

/* Append the reason why no valid packet starts at the damage. */
static void
explain_damage(struct stp_job *j, struct text *out)
{
	const struct window *w = j->walk.window;
	int got =
	    stp_read(&j->walk.stp, w->bytes, w->length, j->walk.next - 2 * w->offset, &j->packet);
	const char *name = j->packet.opcode->name ? j->packet.opcode->name : "packet";
	uint8_t what = j->packet.opcode->what;

	if (j->m->flags & MESSAGE_LOST)
		text_add(out, "no ASYNC before this");
	else if (j->m->flags & MESSAGE_TRUNCATED)
		text_addf(out, "%s is cut off by the end of the capture", name);
	else if (got > 0)
		text_add(out, "not in step with packets");
	else if (what == STP_RESERVED)
		text_addf(out, "%s with a reserved opcode", name);
	else if (what == STP_ASYNC)
		text_add(out, "FF that starts no ASYNC");
	else
		text_addf(out, "%s with a reserved length or version, or cut off by ASYNC", name);
}

static void
expand_damage(struct stp_job *j)
{
	struct expansion *e = j->e;
	text_add(&e->type, "STP:DAMAGE");
	if (j->walk.next < j->walk.end)
		explain_damage(j, &e->text);
	struct field *note = expansion_add(e, j->rows->note, FIELD_NOWHERE, 0, 0);
	note->s.at = arena_text(&e->arena, text_get(&e->text), e->text.length);
	note->s.length = e->text.length;
	text_addf(&e->text, ": %u byte%s", j->m->length, j->m->length == 1 ? "" : "s");
}

static void
expand_row(struct stp_job *j)
{
	const struct stp_row *kinds = j->setup->protocol->rows;
	if (j->m->kind == kinds[STP_RESERVED].kind)
		expand_damage(j);
	else if (j->m->kind == kinds[STP_ASYNC].kind)
		expand_sync(j);
	else if (j->m->kind == kinds[STP_FLAG].kind)
		expand_flag(j);
	else
		expand_packet(j);
}

bool
stp_expand(const struct stp_setup *setup, const struct stp_field_rows *rows,
	   const struct message *m, const struct window *w, enum expand_want want,
	   const struct decode_history *history, struct expansion *e)
{
	bool assembled = m->flags & MESSAGE_SCATTERED;
	bool is_data = assembled && m->kind == setup->protocol->data_kind;
	expansion_clear(e);

	struct stp_job j = {
	    .setup = setup,
	    .gatherer = history ? history->memory : NULL,
	    .rows = rows,
	    .m = m,
	    .e = e,
	    .walk = stp_walk_start(m, w, setup),
	    .with_packets = want == EXPAND_FIELDS && !e->exported,
	};
	e->fieldless = want != EXPAND_FIELDS;
	expansion_open(e, &rows->rows[STP_F_STP], FIELD_NOWHERE, 0, 0);
	if (assembled) {
		add_sender(&j);
		collect_payload(&j);
	} else {
		expand_row(&j);
	}
	expansion_close(e);
	if (is_data)
		expand_data(&j);
	return assembled;
}
