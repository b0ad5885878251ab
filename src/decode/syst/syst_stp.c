/*
 * SyS-T over MIPI STP: find the SyS-T messages of a stream.
 *
 * A message starts with a timestamp, or without one directly after an end of the same sender; it
 * ends with a mark or a FLAG of that sender.  The sequences are DnMTS, DnTS-Dn*-DnM and
 * DnTS-Dn*-FLAG [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"].  Code in decode/stp/stp_step.c
 * assembles the messages.
 *
 * Other software can write to the same stream, and many of its words look like a SyS-T message of
 * a single word.  The senders of such plain data are found once, at opening, from the head of the
 * capture.  The result therefore does not depend on where decoding starts.  A sender that the head
 * does not show is assumed to write SyS-T.
 */
#include "config.h"

#include "decode/syst/syst.h"

#include "base/bytes.h"
#include "base/lower_bound.h"
#include "decode/stp/stp_expand.h"
#include "decode/stp/stp_gather.h"
#include "decode/syst/syst_expand.h"
#include "decode/syst/syst_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct syst_stp_decoder {
	struct syst_decoder syst;
	struct stp_setup stp;
	VEC(uint32_t) plain; /* senders of plain data, as stp_sender(), sorted */
	struct text about;
	struct trial *trial; /* counts messages during a trial; or NULL */
};

/* decode_history.memory */
struct syst_stp_memory {
	struct stp_gatherer gatherer; /* first, as stp_expand() expects */
	struct syst_memory syst;
};

/* Raw key of senders of plain data, before master and channel are mixed in. */
#define ORIGIN_DATA UINT64_MAX

static uint64_t
data_origin(uint32_t sender)
{
	return ORIGIN_DATA ^ stp_sender_key(sender);
}

/* True if a message looks like SyS-T: a known type and subtype, and the required size if it is a
 * single word. */
static bool
is_syst(const struct stp_message *open, const struct syst_peek *peek, size_t length)
{
	if (open->flags & MESSAGE_LOST)
		return false;
	if (peek->kind == SYST_BAD || peek->kind == SYST_UNKNOWN)
		return false;
	if (peek->suspect) /* with reserved bits, only a matching length is proof */
		return peek->has_length && length == peek->length;
	return peek->prefix || length == peek->length;
}

/* Set the sender time.  The timestamp in a message is on its sender's clock, next to the
 * transport's.  A message that was cut short may not have it. */
static void
fill_sender_time(const struct syst_peek *peek, size_t length, struct message *m)
{
	bool known = peek->has_ticks & (length >= peek->prefix);
	m->flags = (uint16_t)((m->flags & ~MESSAGE_TIMED) | known * MESSAGE_SENDER_TIMED);
	m->sender_ticks = peek->ticks;
}

static bool
is_plain(const struct syst_stp_decoder *d, uint32_t sender)
{
	size_t at;
	lower_bound(at, d->plain.count, d->plain.at[at] < sender);
	return at < d->plain.count && d->plain.at[at] == sender;
}

static void
fill_message(const struct decoder *decoder, const struct stp_message *open, const struct window *w,
	     bool whole, struct message *m)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	size_t length = (open->nibbles + 1) / 2;
	struct syst_peek peek;
	syst_peek_zeroed(open->bytes, length, &peek);
	if (!is_syst(open, &peek, length) || (d->plain.count && is_plain(d, open->sender))) {
		*m = (struct message){.kind = SYST_DATA,
				      .severity = SEVERITY_DEBUG,
				      .origin = data_origin(open->sender)};
	} else {
		syst_fill(&peek, length, m);
		fill_sender_time(&peek, length, m);
		m->origin ^= stp_sender_key(open->sender);
	}
	if (!whole || !w->check || !(m->flags & MESSAGE_CHECKED))
		return;
	const uint8_t *payload = stp_message_payload(open);
	const struct syst_sender sender = {(uint16_t)(open->sender >> 16), (uint16_t)open->sender};
	if (payload)
		syst_settle(&d->syst, payload, length, &sender, w->check, m);
}

static const struct stp_protocol protocol = {
    .rows = {STP_ROWS(SYST_STP_ASYNC, SYST_DATA, SYST_DAMAGE)},
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
	if (!stp_expand(&d->stp, &field_rows, m, w, want, history, e))
		return;
	if (m->kind == SYST_DATA) {
		text_add_hex(&e->text, e->payload, e->payload_length);
		return;
	}
	const struct syst_sender sender = sender_of(m);
	syst_expand(&d->syst, m, e->payload, e->payload_length, want, history, &sender, e);
}

static bool
syst_stp_systprint(const struct decoder *decoder, const struct message *m, const struct window *w,
		   struct expansion *e, struct text *out)
{
	const struct syst_sender sender = sender_of(m);
	(void)w;
	return syst_systprint_from(decoder, m, &sender, e, out);
}

/* --- survey of a head -------------------------------------------------- */

/* Counts of a sender's messages that have a start and an end. */
struct sender_tally {
	uint32_t sender;
	unsigned messages; /* SyS-T with more than a header */
	unsigned words;	   /* messages of a single word: any number could be that */
	unsigned builds;   /* compact builds among them, which no sender repeats */
	unsigned others;   /* not SyS-T */
};

/* Result of decoding a head of a capture. */
struct trial {
	unsigned syst, data, damage, resyncs;
	uint64_t async;	    /* offset of the first ASYNC with VERSION */
	uint64_t frequency; /* first FREQ in Hz, 0 if none */
	VEC(struct sender_tally) tallies;
	size_t last; /* index of the tally found last */
};

/* Return the tally of a sender, or NULL with too many senders, which no real trace has. */
static struct sender_tally *
trial_tally(struct trial *t, uint32_t sender)
{
	enum { SENDERS_MAX = 1024 };
	if (t->last < t->tallies.count && t->tallies.at[t->last].sender == sender)
		return &t->tallies.at[t->last];
	for (t->last = 0; t->last < t->tallies.count; t->last++)
		if (t->tallies.at[t->last].sender == sender)
			return &t->tallies.at[t->last];
	if (t->tallies.count == SENDERS_MAX)
		return NULL;
	struct sender_tally *added = vec_add(&t->tallies);
	*added = (struct sender_tally){.sender = sender};
	return added;
}

static void
trial_fill(const struct decoder *decoder, const struct stp_message *open, const struct window *w,
	   bool whole, struct message *m)
{
	const struct syst_stp_decoder *d = (const struct syst_stp_decoder *)decoder;
	fill_message(decoder, open, w, whole, m);
	if (!whole || open->flags & MESSAGE_LOST)
		return;
	struct sender_tally *tally = trial_tally(d->trial, open->sender);
	if (!tally)
		return;
	bool word = (m->origin ^ stp_sender_key(open->sender)) == SYST_ORIGIN_WORD;
	tally->others += m->kind == SYST_DATA;
	if (m->kind >= SYST_UNKNOWN || m->flags & MESSAGE_SUSPECT)
		return;
	tally->builds += word && m->kind == SYST_BUILD;
	if (word || open->nibbles <= 8)
		tally->words++;
	else
		tally->messages++;
}

/* True if a sender's data count against SyS-T.  LEAST is the number of such messages needed. */
static bool
tally_is_plain(const struct sender_tally *tally, unsigned least)
{
	enum { BUILDS = 4, WORDS = 4 }; /* about 1 in 7 random numbers is a word */
	unsigned builds = tally->builds > BUILDS ? tally->builds : 0;
	unsigned others = tally->others + builds, words = tally->words - builds;
	return others >= least && others > tally->messages && WORDS * others > words;
}

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

/* Decode the head with one order of nibbles.  Free the result with trial_free(). */
static struct trial
trial_decode(const struct window *head, struct stp_order order)
{
	struct stp_protocol counting = protocol;
	struct trial t = {0};
	struct syst_stp_decoder decoder = {.trial = &t};
	const struct decoder *base = &decoder.syst.base;
	struct stp_stream state = {0};
	struct message messages[64];
	size_t count;

	counting.fill = trial_fill;
	stp_setup_init(&decoder.stp, &counting);
	decoder.stp.order = order;
	stp_start(base, &state.base);
	do {
		count = syst_stp_step(base, &state.base, head, messages, 64);
		for (size_t i = 0; i < count; i++)
			trial_message(&t, &messages[i], head);
	} while (count == 64);
	stp_release(&state.base);
	return t;
}

static void
trial_free(struct trial *t)
{
	vec_free(&t->tallies);
}

static bool
trial_has_sane_rate(const struct trial *t)
{
	return t->frequency >= 1000 && t->frequency <= 10000000000;
}

/* Return the evidence for an order: SyS-T headers, and a frequency between 1 kHz and 10 GHz. */
static int
trial_score(const struct trial *t)
{
	return (int)t->syst - (int)t->data + (t->frequency ? (trial_has_sane_rate(t) ? 4 : -4) : 0);
}

static unsigned
trial_messages(const struct trial *t)
{
	unsigned messages = 0;
	for (size_t i = 0; i < t->tallies.count; i++)
		messages += t->tallies.at[i].messages;
	return messages;
}

/* True if SWAPPED, the order that VERSION does not declare, explains more than words that look
 * like SyS-T by chance. */
static bool
trial_is_better(const struct trial *swapped, const struct trial *t)
{
	return trial_score(swapped) > trial_score(t) &&
	       (trial_messages(swapped) > trial_messages(t) ||
		trial_has_sane_rate(swapped) > trial_has_sane_rate(t));
}

/* Decode the head with the given order, or else with the one that fits best. */
static struct trial
trial_choose(const struct window *head, struct stp_order *order)
{
	struct trial t = trial_decode(head, *order);
	if (order->forced)
		return t;
	struct stp_order swapped = {.lsn = true};
	struct trial other = trial_decode(head, swapped);
	bool better = trial_is_better(&other, &t);
	trial_free(better ? &t : &other);
	if (!better)
		return t;
	*order = swapped;
	return other;
}

/* True if all data count against SyS-T.  False without data. */
static bool
trial_is_plain(const struct trial *t)
{
	bool any = false, plain = false;
	for (size_t i = 0; i < t->tallies.count; i++) {
		const struct sender_tally *tally = &t->tallies.at[i];
		bool is = tally_is_plain(tally, 1);
		plain |= is;
		any |= !is && (tally->messages || tally->words > 1);
	}
	return plain && !any;
}

static void
syst_stp_probe(const struct window *head, struct probe *probe)
{
	enum { SURE = 98, DAMAGED = PROBE_CERTAIN + 1, PLAIN = PROBE_DECODE + 10 };
	struct stp_order order = {0};
	struct trial t = trial_choose(head, &order);
	/* 24 nibbles that nothing else has, whatever the damage around them */
	if (t.resyncs)
		probe->score = !t.damage && t.async < 16 ? SURE : DAMAGED;
	if (t.resyncs && trial_is_plain(&t))
		probe->score = PLAIN;
	if (t.resyncs)
		snprintf(probe->reason, sizeof probe->reason,
			 "STP ASYNC with VERSION at byte %llu, %u in all; %u SyS-T messages, %u "
			 "others",
			 (unsigned long long)t.async, t.resyncs, t.syst, t.data);
	trial_free(&t);
}

/* --- opening ----------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
	const uint32_t *one = a, *other = b;
	return (*one > *other) - (*one < *other);
}

/* Add a sender that the options name. */
static int
add_plain(struct syst_stp_decoder *d, const char *text, struct err *err)
{
	char *channel, *end = NULL;
	unsigned long master = strtoul(text, &channel, 10), number = 0;
	bool good = channel > text && *channel == ':';
	if (good)
		number = strtoul(channel + 1, &end, 10);
	if (!good || end == channel + 1 || *end || master > UINT16_MAX || number > UINT16_MAX)
		return err_set(err, ERR_CONFIG,
			       "plain: %.100s is not a sender; write MASTER:CHANNEL, or none",
			       text);
	*vec_add(&d->plain) = (uint32_t)(master << 16 | number);
	return 0;
}

static int
take_plain_option(struct syst_stp_decoder *d, const struct option_list *list, struct err *err)
{
	char *const *texts = list->at;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(texts[i], "none") != 0 && add_plain(d, texts[i], err) < 0)
			return ERR_CONFIG;
	if (d->plain.count)
		qsort(d->plain.at, d->plain.count, sizeof *d->plain.at, by_number);
	return 0;
}

/* Append the senders that do not write SyS-T, by the head. */
static void
find_plain(const struct trial *t, struct syst_stp_decoder *d)
{
	enum { LEAST = 4 };
	for (size_t i = 0; i < t->tallies.count; i++)
		if (tally_is_plain(&t->tallies.at[i], LEAST))
			*vec_add(&d->plain) = t->tallies.at[i].sender;
	if (d->plain.count)
		qsort(d->plain.at, d->plain.count, sizeof *d->plain.at, by_number);
}

static void
add_senders(const struct syst_stp_decoder *d, const char *quote, struct text *out)
{
	for (size_t i = 0; i < d->plain.count; i++) {
		text_add(out, i ? ", " : "");
		text_addf(out, "%s%u:%u%s", quote, d->plain.at[i] >> 16, d->plain.at[i] & 0xffff,
			  quote);
	}
}

static struct decoder *
syst_stp_open(const void *options, const struct window *head, struct err *err)
{
	struct syst_stp_decoder *decoder = mem_new(sizeof *decoder);
	const struct syst_options *o = options;
	if (syst_open(&decoder->syst, &syst_stp_ops, options, err) < 0 ||
	    take_plain_option(decoder, &o->plain, err) < 0) {
		vec_free(&decoder->plain);
		free(decoder);
		return NULL;
	}
	decoder->syst.memory_at = offsetof(struct syst_stp_memory, syst);
	stp_setup_init(&decoder->stp, &protocol);
	decoder->stp.order.forced = o->nibbles != SYST_NIBBLES_AUTO;
	decoder->stp.order.lsn = o->nibbles == SYST_NIBBLES_LSN;

	struct trial t = trial_choose(head, &decoder->stp.order);
	if (!o->plain.count)
		find_plain(&t, decoder);
	if (!o->plain.count && decoder->plain.count) {
		text_add(&decoder->about, "plain data, not SyS-T, of ");
		add_senders(decoder, "", &decoder->about);
		decoder->syst.base.about = text_get(&decoder->about);
	}
	bool epoch;
	double hz = syst_timestamp_rate(o, &epoch);
	decoder->syst.base.timestamp_hz = epoch ? hz : 0;
	decoder->syst.base.hz = (double)t.frequency;
	trial_free(&t);
	return &decoder->syst.base;
}

static bool
syst_stp_propose(const struct window *head, struct text *profile)
{
	struct syst_stp_decoder shown = {0};
	struct stp_order order = {0};
	struct trial t = trial_choose(head, &order);
	find_plain(&t, &shown);
	bool any = shown.plain.count > 0;
	if (any) {
		text_add(profile, "    syst:\n      plain: [");
		add_senders(&shown, "\"", profile);
		text_add(profile, "]    # no SyS-T in the first 64 KiB\n");
	}
	vec_free(&shown.plain);
	trial_free(&t);
	return any;
}

static const struct decoder_guide guide = {.propose = syst_stp_propose};

static void
syst_stp_close(struct decoder *decoder)
{
	struct syst_stp_decoder *d = (struct syst_stp_decoder *)decoder;
	if (!d)
		return;
	syst_close(&d->syst);
	vec_free(&d->plain);
	text_free(&d->about);
	free(d);
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
    .kinds_checked = SYST_KINDS_CHECKED,
    .origin_none = SYST_ORIGIN_NONE,
    .none_is_max = true,
    .silent = stp_silent,
    .silent_count = STP_SILENT_COUNT,
    .options = &syst_options,
    .trigger = "kind = stp_trig",
    .unnamed = SYST_UNNAMED,
    .alike = "id",
    .clocks = &syst_stp_clocks,
    /* no contexts: a profile defines which catalog messages set one */
    .guide = &guide,
    .reach = STP_STEP_REACH,
    .run_up = STP_STEP_RUN_UP,
    .state_size = sizeof(struct stp_stream),
    .checkpoint_size = STP_CHECKPOINT,
    .memory_size = sizeof(struct syst_stp_memory),
    .probe = syst_stp_probe,
    .open = syst_stp_open,
    .close = syst_stp_close,
    .load = syst_load,
    .start = stp_start,
    .release = stp_release,
    .save = stp_save,
    .restore = stp_restore,
    .is_free = true,
    .step = syst_stp_step,
    .resync = stp_resync,
    .expand = syst_stp_expand,
    .kinds_history = 1ull << SYST_BUILD,
    .printer = SYST_PRINTER,
    .print = syst_stp_systprint,
};
