/*
 * RISC-V trace encapsulation, and how it is opened.
 *
 * Opening turns the options into tables for stepping: the length of a packet
 * by its header byte, what the first bits of a payload mean, and which source
 * has settings of its own.  Widths that the profile does not give are guessed
 * from the head of the capture (encap_probe.c).  How packets are found is in
 * encap_step.c, what they say in encap_expand.c, etrace.c and etrace_data.c.
 */
#include "config.h"

#include "decode/clock_source.h"
#include "decode/encap/encap_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening ----------------------------------------------------------- */

/* Types are a system's own; without a map they are those of E-Trace [Encap 1.0, "Packet
 * Encapsulation for E-Trace"]. */
static void
set_classes(struct encap_source *source, const struct option_list *list)
{
	static const struct encap_type usual[] = {{0, ENCAP_INSTRUCTION}, {1, ENCAP_DATA}};
	const struct encap_type *types = list->count ? list->at : usual;
	size_t count = list->count ? list->count : sizeof usual / sizeof *usual;
	memset(source->classes, ENCAP_OTHER, sizeof source->classes);
	for (size_t i = 0; i < count; i++)
		source->classes[types[i].type & (sizeof source->classes - 1)] =
		    (uint8_t)types[i].payload;
}

/* One struct encap_source per entry of `sources:`, behind that of all. */
static int
set_sources(struct encap_decoder *d, struct err *err)
{
	const struct encap_options *options = d->options;
	const struct encap_source_options *entries = options->sources.at;
	size_t count = options->sources.count;
	uint64_t ids = (uint64_t)1 << d->srcid_width;

	d->source_count = count + 1;
	d->sources = mem_new(d->source_count * sizeof *d->sources);
	if (count)
		d->source_of = mem_new(ids * sizeof *d->source_of);
	for (size_t i = 0; i <= count; i++) {
		const struct encap_source_options *own = i ? &entries[i - 1] : NULL;
		struct encap_source *source = &d->sources[i];
		source->etrace = options->etrace;
		source->type_width = d->type_width;
		set_classes(source, own && own->types.count ? &own->types : &options->types);
		if (own) {
			if (own->id >= ids || i > UINT16_MAX)
				return err_set(err, ERR_CONFIG,
					       "source %llu does not fit in srcid_width %u",
					       (unsigned long long)own->id, d->srcid_width);
			d->source_of[own->id] = (uint16_t)i;
			source->name = own->name;
			etrace_change(&source->etrace, &own->etrace);
			if (own->type_width >= 0)
				source->type_width = (unsigned)own->type_width;
		}
		const char *problem = etrace_check(&source->etrace);
		if (problem)
			return err_set(err, ERR_CONFIG, "etrace: %s", problem);
		etrace_make_heads(&source->etrace, source->heads);
	}
	return 0;
}

/* A width from the profile or, if that is negative, a guess. */
static unsigned
choose(int64_t told, unsigned guessed)
{
	return told < 0 ? guessed : (unsigned)told;
}

static void
set_widths(struct encap_decoder *d, const struct window *head)
{
	const struct encap_options *options = d->options;
	bool guessing = options->srcid_width < 0 || options->timestamp_bytes < 0;
	struct encap_guess guess = {0};
	if (guessing)
		d->base.guessed = encap_guess(head, &guess) ? encap_score(&guess) : 1;
	d->srcid_width = choose(options->srcid_width, guess.srcid_width);
	d->timestamp_bytes = choose(options->timestamp_bytes, guess.timestamp_bytes);
	d->type_width =
	    choose(options->type_width, options->srcid_width < 0 ? guess.type_width : 0);
	d->framed = options->framed || guess.framed;
	d->phase = options->container.slot ? 0 : guess.phase;
	/* [Encap 1.0, "Synchronization" and "Packet Length"] */
	d->longest = 31 + d->timestamp_bytes + d->srcid_width / 8;
	for (unsigned byte = 0; byte < 256; byte++)
		d->length[byte] =
		    (uint8_t)(1 + d->srcid_width / 8 + (byte & 0x1f) +
			      (encap_is_extended((uint8_t)byte) ? d->timestamp_bytes : 0));
}

static void
set_start(struct encap_decoder *d, const struct window *head)
{
	if (d->options->bit_stream)
		d->phase = encap_find_phase(head, d->longest);
	d->syncs = !d->options->container.slot && encap_has_sync(d, head);
}

static void
encap_close(struct decoder *decoder)
{
	struct encap_decoder *d = (struct encap_decoder *)decoder;
	if (!d)
		return;
	free(d->sources);
	free(d->source_of);
	free(d);
}

static struct decoder *
encap_open(const void *options, const struct window *head, struct err *err)
{
	struct encap_decoder *d = mem_new(sizeof *d);
	d->base.ops = &encap_ops;
	d->base.wants_history = true;
	d->options = options;
	int failed = 0;
	struct option_fault fault;
	if (!encap_options.check(options, &fault))
		failed = err_set(err, ERR_CONFIG, "%s: %s", fault.member, fault.what);
	if (!failed) {
		set_widths(d, head);
		failed = set_sources(d, err);
	}
	if (failed) {
		encap_close(&d->base);
		return NULL;
	}
	set_start(d, head);
	return &d->base;
}

#define KIND(kind) (1ull << (kind))

static void
encap_sender(const struct decoder *decoder, const struct message *m, struct sender *sender)
{
	(void)decoder;
	sender->numbered = m->origin != ENCAP_ORIGIN_NONE;
	sender->number = m->origin;
}

/* A time of the encoder in a packet that the encapsulation stamped as well. */
static void
encap_read_clock(const struct decoder *decoder, const struct message *m, const struct window *w,
		 const struct expansion *e, struct clock_reading *reading)
{
	const struct field *time = expansion_find(e, encap_fields[ENCAP_F_TIME].name);
	(void)decoder;
	(void)w;
	if (!(m->flags & MESSAGE_TIMED) || !time)
		return;
	reading->tells = CLOCK_TELLS_POINT;
	reading->a = m->ticks;
	reading->b = time->u;
	reading->key_b = m->origin;
}

static const struct clock_source clocks = {
    .kinds = UINT64_MAX,
    .flags = MESSAGE_SYNC,
    .link = "E-Trace time",
    .a = CLOCK_TRACE,
    .b = CLOCK_HART,
    .read = encap_read_clock,
    .expand = true,
};

static const struct context_row contexts[] = {
    {"privilege", "privilege", NULL, NULL, NULL},
    {"context", "context", NULL, NULL, NULL},
};

const struct decoder_ops encap_ops = {
    .format = "encap",
    .title = "RISC-V trace encapsulation",
    .help = "packets of the RISC-V trace encapsulation with E-Trace payloads",
    .fields = encap_fields,
    .field_count = ENCAP_F_COUNT,
    .kinds = encap_kinds,
    .kind_count = ENCAP_KIND_COUNT,
    .kinds_sync = KIND(ETRACE_START) | KIND(ETRACE_TRAP) | KIND(ETRACE_CONTEXT),
    .kinds_resync = KIND(ENCAP_NULL_RUN) | KIND(ETRACE_START),
    .origin_none = ENCAP_ORIGIN_NONE,
    .silent = encap_silent,
    .silent_count = ENCAP_SILENT_COUNT,
    .options = &encap_options,
    .contexts = contexts,
    .context_count = sizeof contexts / sizeof *contexts,
    .trigger = "notify = true",
    .clocks = &clocks,
    /* no alike: the type of a packet is all that happened */
    .reach = 64 * 1024 + 64 + 2 * ENCAP_LOOK,
    .run_up = 16 * 1024,
    .state_size = sizeof(struct encap_state),
    .checkpoint_size = ENCAP_CHECKPOINT,
    .memory_size = ENCAP_MEMORIES * sizeof(struct encap_memory),
    .probe = encap_probe,
    .candidates = encap_candidates,
    .propose = encap_propose,
    .open = encap_open,
    .close = encap_close,
    .start = encap_start,
    .save = encap_save,
    .restore = encap_restore,
    .shift = encap_shift,
    .step = encap_step,
    .resync = encap_resync,
    .expand = encap_expand,
    .sender = encap_sender,
    /* no printer: the reference decoder prints no list of packets */
};
