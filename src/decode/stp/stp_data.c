/*
 * STP with plain data, from any software that writes to a trace macrocell.
 *
 * A message is the data of a master and channel up to an end.  Which packets begin and end a
 * message depends on the sender's software.  SyS-T and Linux's basic protocol begin with a
 * timestamp.  OST begins with a mark and ends with FLAG_TS.  Others only end.  The rule is found
 * once, at opening, from the head of the capture.  The meaning of a packet therefore does not
 * depend on where decoding starts.
 *
 * Data that could be text are shown as text, others as one number for each packet.  The time of a
 * message is its first timestamp.
 */
#include "config.h"

#include "decode/clock_source.h"
#include "decode/stp/stp_expand.h"
#include "decode/stp/stp_gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables ------------------------------------------------------------ */

enum data_kind {
	KIND_DATA,
	KIND_FLAG,
	KIND_DAMAGE,
	KIND_PACKETS, /* first kind of enum stp_kind */
	KIND_COUNT = KIND_PACKETS + STP_KIND_COUNT
};

static const struct kind_row kinds[KIND_COUNT] = {
    [KIND_DATA] = {"data", "what a master and channel sent"},
    [KIND_FLAG] = {"stp_flag", "a FLAG that ends no data"},
    [KIND_DAMAGE] = {"damage", "bytes that are not a packet"},
    STP_KINDS(KIND_PACKETS),
};

enum { F_DATA = STP_F_COUNT, F_NOTE, F_COUNT };

static const struct field_row fields[F_COUNT] = {
    STP_FIELDS,
    [F_DATA] = {"data", FIELD_BYTES, "data, the low byte of each number first"},
    [F_NOTE] = {"note", FIELD_TEXT, "fault of the message", .detail = true},
};

static const struct stp_field_rows field_rows = {
    .rows = fields,
    .data = &fields[F_DATA],
    .note = &fields[F_NOTE],
};

enum nibbles { NIBBLES_AUTO, NIBBLES_MSN, NIBBLES_LSN };
enum begin { BEGIN_AUTO, BEGIN_TIMED, BEGIN_MARKED, BEGIN_NOWHERE };

static const char *const nibble_names[] = {"auto", "msn", "lsn", NULL};
static const char *const begin_names[] = {
    [BEGIN_AUTO] = "auto",
    [BEGIN_TIMED] = "timed",
    [BEGIN_MARKED] = "marked",
    [BEGIN_NOWHERE] = "nowhere",
    NULL,
};

struct data_options {
	int nibbles; /* enum nibbles */
	int begin;   /* enum begin */
};

#define OPTION(...) OPTION_ROW(struct data_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(nibbles, CHOICE, "nibble order; auto: as VERSION declares, else msn", "auto",
	   .choices = nibble_names),
    OPTION(begin, CHOICE,
	   "which data begin a message: timed (DnTS), marked (DnM), or none, so that one begins "
	   "where another ended; auto: as the first 64 KiB show",
	   "auto", .choices = begin_names),
};
static const struct option_table options_table =
    OPTION_TABLE("stp", struct data_options, option_rows);

/* --- messages ---------------------------------------------------------- */

struct data_decoder {
	struct decoder base;
	struct stp_setup stp;
};

#define ORIGIN_NONE (1ull << 32) /* differs from every master and channel */

static uint64_t
data_origin(uint32_t sender)
{
	return sender;
}

static void
fill_data(const struct decoder *decoder, const struct stp_message *open, const struct window *w,
	  bool whole, struct message *m)
{
	(void)decoder, (void)w, (void)whole;
	*m = (struct message){
	    .kind = KIND_DATA, .severity = SEVERITY_INFO, .origin = data_origin(open->sender)};
}

static const struct stp_protocol protocol = {
    .rows = {STP_ROWS(KIND_PACKETS, KIND_FLAG, KIND_DAMAGE)},
    .data_kind = KIND_DATA,
    .origin_none = ORIGIN_NONE,
    .data_origin = data_origin,
    .fill = fill_data,
};

static size_t
stp_data_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct message *out, size_t max)
{
	const struct data_decoder *d = (const struct data_decoder *)decoder;
	return stp_step(decoder, &d->stp, state, w, out, max);
}

/* --- survey of a head -------------------------------------------------- */

enum { SENDERS = 256 };

/* State of a sender after its last data packet. */
enum stage {
	STAGE_UNKNOWN, /* start of the message not seen */
	STAGE_ENDED,
	STAGE_TIMED,  /* DnTS right after an end */
	STAGE_MARKED, /* DnM right after an end */
	STAGE_RUN,    /* data without timestamp or mark, begun after an end */
	STAGE_BEGUN   /* the same after DnTS or DnM */
};

struct data_survey {
	uint8_t stages[SENDERS]; /* enum stage, by hash; a collision only spoils the count */
	unsigned timed_begins, timed_ends, marked_begins, marked_ends;
	unsigned resyncs, damage;
	uint64_t packets; /* data packets */
	uint64_t async;	  /* offset of the first ASYNC with VERSION */
	uint64_t frequency;
};

/* Count the previous packet as a begin if OPCODE confirms that it was one. */
static void
survey_last(struct data_survey *survey, enum stage stage, const struct stp_opcode *opcode)
{
	bool flag = opcode->what == STP_FLAG, plain = !opcode->timed && !opcode->marked;
	survey->timed_begins += stage == STAGE_TIMED && (flag || !opcode->timed);
	survey->marked_begins += stage == STAGE_MARKED && (flag || plain);
}

static enum stage
survey_data(struct data_survey *survey, enum stage stage, const struct stp_opcode *opcode)
{
	bool run = stage == STAGE_RUN;
	survey_last(survey, stage, opcode);
	if (opcode->what == STP_FLAG || (opcode->timed && opcode->marked))
		return STAGE_ENDED;
	if (opcode->timed) {
		survey->timed_ends += run;
		return run ? STAGE_ENDED : STAGE_TIMED;
	}
	bool begun = stage == STAGE_TIMED || stage == STAGE_BEGUN;
	if (opcode->marked) {
		survey->marked_ends += run || begun;
		return run || begun ? STAGE_ENDED : STAGE_MARKED;
	}
	if (begun || stage == STAGE_MARKED)
		return STAGE_BEGUN;
	return stage == STAGE_ENDED ? STAGE_RUN : stage;
}

static void
survey_packet(struct data_survey *survey, const struct stp_state *stp,
	      const struct stp_packet *packet)
{
	uint8_t what = packet->opcode->what;
	uint8_t *stage = &survey->stages[(stp->master * 31u + stp->channel) % SENDERS];
	if (what == STP_FREQ && !survey->frequency)
		survey->frequency = packet->data;
	survey->packets += what == STP_DATA;
	if (what == STP_DATA || what == STP_FLAG)
		*stage = (uint8_t)survey_data(survey, *stage, packet->opcode);
}

static struct data_survey
survey_head(const struct window *head, struct stp_order order)
{
	struct data_survey survey = {0};
	struct stp_state stp = {.clock = STP_CLOCK_NATURAL};
	struct stp_packet packet;
	uint64_t async = stp_find_async(head->bytes, head->length, 0, UINT64_MAX), at = async;
	while (at != STP_NOWHERE) {
		int got = stp_read(&stp, head->bytes, head->length, at, &packet);
		if (got == ERR_MORE)
			break;
		if (got < 0) {
			survey.damage++;
			at = async = stp_find_async(head->bytes, head->length, at + 1, UINT64_MAX);
			continue;
		}
		if (packet.opcode->what == STP_ASYNC)
			async = at;
		if (packet.opcode->what == STP_VERSION && !survey.resyncs++)
			survey.async = async / 2;
		stp_apply(&stp, &packet, &order);
		survey_packet(&survey, &stp, &packet);
		at += (unsigned)got;
	}
	return survey;
}

static enum stp_begin
survey_begin(const struct data_survey *survey)
{
	if (survey->marked_begins > survey->marked_ends &&
	    survey->marked_begins > survey->timed_begins)
		return STP_BEGIN_MARKED;
	return survey->timed_begins > survey->timed_ends ? STP_BEGIN_TIMED : STP_BEGIN_NOWHERE;
}

static void
stp_data_probe(const struct window *head, struct probe *probe)
{
	struct data_survey survey = survey_head(head, (struct stp_order){0});
	if (!survey.resyncs)
		return;
	/* lower than the score of SyS-T over STP, for streams that contain SyS-T */
	probe->score = !survey.damage && survey.async < 16 ? 97 : PROBE_CERTAIN;
	snprintf(probe->reason, sizeof probe->reason,
		 "STP ASYNC with VERSION at byte %llu, %u in all; %llu packets of data",
		 (unsigned long long)survey.async, survey.resyncs,
		 (unsigned long long)survey.packets);
}

/* --- opening ----------------------------------------------------------- */

static const struct {
	const char *about, *setting;
} begins[] = {
    [STP_BEGIN_TIMED] = {"messages begin with a timestamp (DnTS) and end with a mark or FLAG",
			 "timed"},
    [STP_BEGIN_MARKED] = {"messages begin with a mark (DnM) and end with FLAG or a timestamp",
			  "marked"},
    [STP_BEGIN_NOWHERE] = {"messages end with a mark, a timestamp or FLAG", "nowhere"},
};

static struct stp_order
nibble_order(const struct data_options *o)
{
	return (struct stp_order){.lsn = o->nibbles == NIBBLES_LSN,
				  .forced = o->nibbles != NIBBLES_AUTO};
}

static struct decoder *
stp_data_open(const void *options, const struct window *head, struct err *err)
{
	static const uint8_t chosen[] = {
	    [BEGIN_TIMED] = STP_BEGIN_TIMED,
	    [BEGIN_MARKED] = STP_BEGIN_MARKED,
	    [BEGIN_NOWHERE] = STP_BEGIN_NOWHERE,
	};
	const struct data_options *o = options;
	struct data_decoder *decoder = mem_new(sizeof *decoder);
	(void)err;
	decoder->base.ops = &stp_ops;
	stp_setup_init(&decoder->stp, &protocol);
	decoder->stp.order = nibble_order(o);
	struct data_survey survey = survey_head(head, decoder->stp.order);
	decoder->base.hz = (double)survey.frequency;
	decoder->stp.begin =
	    o->begin == BEGIN_AUTO ? (uint8_t)survey_begin(&survey) : chosen[o->begin];
	decoder->base.about = begins[decoder->stp.begin].about;
	return &decoder->base;
}

static bool
stp_data_propose(const struct window *head, struct text *profile)
{
	struct data_survey survey = survey_head(head, (struct stp_order){0});
	if (!survey.packets)
		return false;
	text_addf(profile, "    stp:\n      begin: %s    # as the first 64 KiB show\n",
		  begins[survey_begin(&survey)].setting);
	return true;
}

static const struct decoder_guide guide = {.propose = stp_data_propose};

/* --- text -------------------------------------------------------------- */

static bool
is_text(const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((p[i] < ' ' || p[i] > '~') && p[i] != '\t' && p[i] != '\r' && p[i] != '\n')
			return false;
	return true;
}

/* True if each data packet has at most one byte, as in text written byte by byte. */
static bool
is_bytewise(const struct message *m, struct stp_walk walk)
{
	struct stp_packet packet;
	while (stp_walk_next(&walk, m, &packet))
		if (packet.data_nibbles > 2)
			return false;
	return true;
}

static void
add_numbers(const struct message *m, struct stp_walk walk, struct text *out)
{
	struct stp_packet packet;
	while (stp_walk_next(&walk, m, &packet))
		if (packet.data_nibbles)
			text_addf(out, "%s%0*llx", out->length ? " " : "", packet.data_nibbles,
				  (unsigned long long)packet.data);
}

static void
stp_data_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
		enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	enum { TEXT_LEAST = 4 }; /* up to this length, text may be a coincidence */
	const struct data_decoder *d = (const struct data_decoder *)decoder;
	if (!stp_expand(&d->stp, &field_rows, m, w, want, history, e))
		return;
	struct stp_walk walk = stp_walk_start(m, w, &d->stp);
	size_t length = e->payload_length;
	while (length && (!e->payload[length - 1] || e->payload[length - 1] == '\n' ||
			  e->payload[length - 1] == '\r'))
		length--;
	bool enough = length > TEXT_LEAST || (length > 1 && is_bytewise(m, walk));
	if (enough && is_text(e->payload, length))
		text_add_bytes(&e->text, e->payload, length);
	else
		add_numbers(m, walk, &e->text);
}

static void
stp_data_identify(const struct decoder *decoder, const struct message *m,
		  struct origin_identity *origin)
{
	(void)decoder;
	origin->numbered = m->origin < ORIGIN_NONE;
	origin->number = m->origin;
}

/* --- clocks ------------------------------------------------------------ */

/* Read the rate of all timestamps from FREQ [STP 2, FREQ, second hand: OpenCSD, Zephyr, ADI,
 * stm_core, TI]. */
static void
read_rate(const struct decoder *decoder, const struct message *m, const struct window *w,
	  const struct expansion *e, struct clock_reading *reading)
{
	(void)decoder, (void)e;
	reading->kind = CLOCK_READING_RATE_A;
	reading->hz_a = (double)stp_frequency(m, w);
}

static const struct clock_source clocks = {
    .kinds = 1ull << (KIND_PACKETS + STP_KIND_FREQ),
    .link = "STP clock",
    .a = CLOCK_TRACE,
    .b = CLOCK_TRACE,
    .read = read_rate,
};

const struct decoder_ops stp_ops = {
    .format = "stp",
    .title = "MIPI STP, data as such",
    .help = "a MIPI System Trace Protocol stream, version 2, with data "
	    "other than SyS-T",
    .fields = fields,
    .field_count = F_COUNT,
    .kinds = kinds,
    .kind_count = KIND_COUNT,
    .origin_none = ORIGIN_NONE,
    .silent = stp_silent,
    .silent_count = STP_SILENT_COUNT,
    .options = &options_table,
    /* no contexts: the meaning of data is unknown */
    .trigger = "kind = stp_trig",
    /* no unnamed: data have no number that identifies a text */
    /* no alike: data have no number that identifies an event */
    .clocks = &clocks,
    /* no printer: each tool has its own listing format */
    .guide = &guide,
    .reach = STP_STEP_REACH,
    .run_up = STP_STEP_RUN_UP,
    .state_size = sizeof(struct stp_stream),
    .checkpoint_size = STP_CHECKPOINT,
    .memory_size = sizeof(struct stp_gatherer),
    .probe = stp_data_probe,
    .open = stp_data_open,
    .close = decode_plain_close,
    .start = stp_start,
    .release = stp_release,
    .save = stp_save,
    .restore = stp_restore,
    .is_free = true,
    .step = stp_data_step,
    .resync = stp_resync,
    .expand = stp_data_expand,
    .identify_origin = stp_data_identify,
};
