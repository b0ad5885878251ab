/*
 * SyS-T over MIPI STP: which messages of a stream are SyS-T.
 *
 * A message starts with a timestamp, or without one right behind an end of the same
 * sender; it ends with a mark or a FLAG of that sender.  The sequences are DnMTS,
 * DnTS-Dn*-DnM and DnTS-Dn*-FLAG [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"].  Cutting
 * the stream into messages is decode/stp/stp_step.c.
 */
#include "config.h"

#include "decode/syst/syst.h"

#include "base/bytes.h"
#include "decode/stp/stp_expand.h"
#include "decode/syst/syst_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct syst_stp_decoder {
	struct syst_decoder syst;
	struct stp_setup stp;
};

/* Raw key of senders that are not SyS-T's, before the master is mixed in. */
#define ORIGIN_DATA UINT64_MAX

static uint64_t
data_origin(uint32_t sender)
{
	return ORIGIN_DATA ^ stp_sender_key(sender);
}

/* Whether a message looks like SyS-T: a known type and subtype, and the size
 * that it must have if it is a single word. */
static bool
is_syst(const struct stp_message *open, const struct syst_peek *peek, size_t length)
{
	if (open->flags & MESSAGE_LOST)
		return false;
	if (peek->kind == SYST_BAD || peek->kind == SYST_UNKNOWN)
		return false;
	if (peek->suspect) /* with reserved bits, its length must speak for it */
		return peek->has_length && length == peek->length;
	return peek->prefix || length == peek->length;
}

/* The timestamp in a message is on its sender's clock, beside the transport's; of one
 * that was cut short it may be missing. */
static void
fill_sender_time(const struct syst_peek *peek, size_t length, struct message *m)
{
	m->flags &= (uint16_t)~MESSAGE_TIMED;
	if (!peek->has_ticks || length < peek->prefix)
		return;
	m->flags |= MESSAGE_SENDER_TIMED;
	m->sender_ticks = peek->ticks;
}

static void
fill_message(const struct decoder *decoder, const struct stp_message *open, const struct window *w,
	     bool whole, struct message *m)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	size_t length = (open->nibbles + 1) / 2;
	struct syst_peek peek;
	syst_peek(open->head, length, &peek);
	if (!is_syst(open, &peek, length)) {
		*m = (struct message){.kind = SYST_DATA,
				      .severity = SEVERITY_DEBUG,
				      .origin = data_origin(open->sender)};
		return;
	}
	syst_fill(&peek, length, m);
	fill_sender_time(&peek, length, m);
	m->origin ^= stp_sender_key(open->sender);
	const uint8_t *payload = w->check ? stp_message_payload(open) : NULL;
	if (payload && whole && m->flags & MESSAGE_CHECKED)
		syst_settle(&d->syst, payload, length, w->check, m);
}

static const struct stp_protocol protocol = {
    .rows =
	{
	    [STP_ASYNC] = {SYST_STP_ASYNC, SEVERITY_DEBUG},
	    [STP_VERSION] = {SYST_STP_ASYNC, SEVERITY_DEBUG},
	    [STP_FREQ] = {SYST_STP_FREQ, SEVERITY_DEBUG},
	    [STP_TRIG] = {SYST_STP_TRIG, SEVERITY_WARNING},
	    [STP_XSYNC] = {SYST_STP_XSYNC, SEVERITY_DEBUG},
	    [STP_USER] = {SYST_STP_USER, SEVERITY_DEBUG},
	    [STP_TIME] = {SYST_STP_TIME, SEVERITY_DEBUG},
	    [STP_MERR] = {SYST_STP_MERR, SEVERITY_ERROR},
	    [STP_GERR] = {SYST_STP_GERR, SEVERITY_ERROR},
	    [STP_CERR] = {SYST_STP_CERR, SEVERITY_ERROR},
	    [STP_FLAG] = {SYST_DATA, SEVERITY_DEBUG},
	    [STP_RESERVED] = {SYST_DAMAGE, SEVERITY_ERROR},
	},
    .data_kind = SYST_DATA,
    .origin_none = SYST_ORIGIN_NONE,
    .data_origin = data_origin,
    .strict = true,
    .fill = fill_message,
};

static size_t
syst_stp_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct message *out, size_t max)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	return stp_step(decoder, &d->stp, state, w, out, max);
}

/* --- expanding --------------------------------------------------------- */

static const struct stp_field_rows field_rows = {
    .rows = syst_fields,
    .data = &syst_fields[SYST_F_DATA],
    .note = &syst_fields[SYST_F_NOTE],
};

static struct syst_sender
sender_of(const struct message *m)
{
	const struct stp_state own = stp_aux_state(m->aux);
	return (struct syst_sender){own.master, own.channel};
}

static void
syst_stp_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
		enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	if (!stp_expand(&d->stp, &field_rows, m, w, want, e))
		return;
	if (m->kind == SYST_DATA) {
		text_add_hex(&e->text, e->payload, e->payload_length);
		return;
	}
	const struct syst_sender sender = sender_of(m);
	syst_expand_from(&d->syst, m, e->payload, e->payload_length, want, history, &sender, e);
}

static bool
syst_stp_systprint(const struct decoder *decoder, const struct message *m, const struct window *w,
		   struct expansion *e, struct text *out)
{
	const struct syst_sender sender = sender_of(m);
	(void)w;
	return syst_systprint_from(decoder, m, &sender, e, out);
}

static bool
syst_stp_announces(const struct decoder *decoder, const struct message *m, const struct window *w,
		   uint8_t guid[16], uint64_t *build)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	struct stp_walk walk = stp_walk_start(m, w, d->stp.order);
	struct stp_packet packet;
	uint8_t *payload = mem_new(m->length);
	uint64_t nibbles = 0;

	while (stp_walk_next(&walk, m, &packet))
		stp_walk_add(payload, &nibbles, packet.data, packet.data_nibbles);
	const struct syst_sender sender = sender_of(m);
	bool announced =
	    syst_announced(&d->syst, payload, (size_t)((nibbles + 1) / 2), &sender, guid, build);
	free(payload);
	return announced;
}

/* --- opening ----------------------------------------------------------- */

/* What decoding a head of a capture gives. */
struct trial {
	unsigned syst, data, damage, resyncs;
	uint64_t async;	    /* offset of the first ASYNC with VERSION */
	uint64_t frequency; /* the first one, 0 if none */
};

static void
trial_message(struct trial *t, const struct message *m, const struct window *head)
{
	if (m->flags & MESSAGE_RESYNC && !t->resyncs++)
		t->async = m->offset;
	if (m->kind == SYST_STP_FREQ && !t->frequency)
		t->frequency = stp_frequency(m, head);
	if (m->kind < SYST_UNKNOWN)
		t->syst++;
	else if (m->kind == SYST_BAD || m->kind == SYST_DATA)
		t->data++;
	else if (m->kind == SYST_DAMAGE && m->flags & MESSAGE_DAMAGED)
		t->damage++;
}

/* Decodes the head with one order of nibbles. */
static struct trial
trial_decode(const struct window *head, struct stp_order order)
{
	const struct syst_stp_decoder decoder = {.stp = {&protocol, order}};
	const struct decoder *base = &decoder.syst.base;
	struct stp_stream state = {0};
	struct trial t = {0};
	struct message messages[64];
	size_t count;

	stp_start(base, &state.base);
	do {
		count = syst_stp_step(base, &state.base, head, messages, 64);
		for (size_t i = 0; i < count; i++)
			trial_message(&t, &messages[i], head);
	} while (count == 64);
	stp_release(&state.base);
	return t;
}

/* How much speaks for an order: SyS-T headers, and a frequency between 1 kHz
 * and 10 GHz. */
static int
trial_score(const struct trial *t)
{
	int sane = t->frequency >= 1000 && t->frequency <= 10000000000;
	return (int)t->syst - (int)t->data + (t->frequency ? (sane ? 4 : -4) : 0);
}

static void
syst_stp_probe(const struct window *head, struct probe *probe)
{
	struct trial msn = trial_decode(head, (struct stp_order){.lsn = false});
	struct trial lsn = trial_decode(head, (struct stp_order){.lsn = true});
	const struct trial *t = trial_score(&lsn) > trial_score(&msn) ? &lsn : &msn;

	probe->score = 0;
	if (!t->resyncs)
		return;
	/* 24 nibbles that nothing else has, whatever is damaged around them */
	probe->score = !t->damage && t->async < 16 ? 98 : PROBE_CERTAIN;
	snprintf(probe->reason, sizeof probe->reason,
		 "STP ASYNC with VERSION at byte %llu, %u in all; %u SyS-T messages, %u others",
		 (unsigned long long)t->async, t->resyncs, t->syst, t->data);
}

static struct decoder *
syst_stp_open(const void *options, const struct window *head, struct err *err)
{
	struct syst_stp_decoder *decoder = mem_new(sizeof *decoder);
	const struct syst_options *o = options;
	if (syst_open(&decoder->syst, &syst_stp_ops, options, err) < 0) {
		free(decoder);
		return NULL;
	}
	decoder->stp.protocol = &protocol;
	decoder->stp.order.forced = o->nibbles != SYST_NIBBLES_AUTO;
	decoder->stp.order.lsn = o->nibbles == SYST_NIBBLES_LSN;

	struct trial t = trial_decode(head, decoder->stp.order);
	if (!decoder->stp.order.forced) {
		struct trial other = trial_decode(head, (struct stp_order){.lsn = true});
		if (trial_score(&other) > trial_score(&t)) {
			decoder->stp.order.lsn = true;
			t = other;
		}
	}
	bool epoch;
	double hz = syst_timestamp_rate(o, &epoch);
	decoder->syst.base.timestamp_hz = epoch ? hz : 0;
	decoder->syst.base.hz = (double)t.frequency;
	return &decoder->syst.base;
}

static void
syst_stp_close(struct decoder *decoder)
{
	if (decoder)
		syst_close((struct syst_decoder *)decoder);
	free(decoder);
}

const struct decoder_ops syst_stp_ops = {
    .format = "syst",
    .transport = "stp",
    .title = "MIPI SyS-T over STP",
    .help = "SyS-T messages in a MIPI System Trace Protocol stream, version 2",
    .fields = syst_fields,
    .field_count = SYST_F_COUNT,
    .kinds = syst_kinds,
    .kind_count = SYST_KIND_COUNT,
    .kinds_sync = 1ull << SYST_CLOCK,
    .kinds_checked = SYST_KINDS_CHECKED,
    .kinds_resync = 1ull << SYST_STP_ASYNC,
    .origin_none = SYST_ORIGIN_NONE,
    .silent = stp_silent,
    .silent_count = STP_SILENT_COUNT,
    .options = &syst_options,
    .trigger = "kind = stp_trig",
    .unnamed = SYST_UNNAMED,
    .alike = "id",
    .clocks = &syst_stp_clocks,
    /* no contexts: which of its catalog's messages sets one, a profile says */
    .reach = STP_STEP_REACH,
    .run_up = STP_STEP_RUN_UP,
    .state_size = sizeof(struct stp_stream),
    .checkpoint_size = STP_CHECKPOINT,
    .probe = syst_stp_probe,
    .open = syst_stp_open,
    .close = syst_stp_close,
    .load = syst_load,
    .start = stp_start,
    .release = stp_release,
    .save = stp_save,
    .restore = stp_restore,
    .shift = stp_shift,
    .step = syst_stp_step,
    .resync = stp_resync,
    .expand = syst_stp_expand,
    .kinds_history = 1ull << SYST_BUILD,
    .announces = syst_stp_announces,
    .printer = SYST_PRINTER,
    .print = syst_stp_systprint,
};
