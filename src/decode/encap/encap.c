/*
 * RISC-V trace encapsulation: operations of the decoder, and opening.
 *
 * Opening turns the options into tables for stepping (encap_tables.c).  Widths missing
 * from the profile are guessed from the head of the capture (encap_probe.c).  Packets
 * are found by encap_step.c and explained by encap_expand.c, encap_text.c, etrace.c
 * and etrace_data.c.
 */
#include "config.h"

#include "decode/clock_source.h"
#include "decode/encap/encap_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening ----------------------------------------------------------- */

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
	encap_free((struct encap_decoder *)decoder);
}

static struct decoder *
encap_open(const void *options, const struct window *head, struct err *err)
{
	const struct encap_options *given = options;
	bool guessing = given->srcid_width < 0 || given->timestamp_bytes < 0;
	struct encap_guess guess = {0};
	bool guessed = guessing && encap_guess(head, &guess);
	struct encap_decoder *d = encap_new(given, &guess, err);
	if (!d)
		return NULL;
	d->base.ops = &encap_ops;
	d->base.needs_history = true;
	if (guessing)
		d->base.guessed = guessed ? encap_score(&guess) : 1;
	set_start(d, head);
	return &d->base;
}

static void
encap_identify_origin(const struct decoder *decoder, const struct message *m,
		      struct origin_identity *origin)
{
	(void)decoder;
	origin->numbered = m->origin != ENCAP_ORIGIN_NONE;
	origin->number = m->origin;
}

/* Read the encoder's time from a packet that also has a timestamp of the encapsulation. */
static void
encap_read_clock(const struct decoder *decoder, const struct message *m, const struct window *w,
		 const struct expansion *e, struct clock_reading *reading)
{
	const struct field *time = expansion_find(e, encap_fields[ENCAP_F_TIME].name);
	(void)decoder;
	(void)w;
	if (!(m->flags & MESSAGE_TIMED) || !time)
		return;
	reading->kind = CLOCK_READING_POINT;
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

static const struct decoder_guide guide = {.propose = encap_propose};

const struct decoder_ops encap_ops = {
    .format = "encap",
    .title = "RISC-V trace encapsulation",
    .help = "packets of the RISC-V trace encapsulation with E-Trace payloads",
    .fields = encap_fields,
    .field_count = ENCAP_F_COUNT,
    .kinds = encap_kinds,
    .kind_count = ENCAP_KIND_COUNT,
    .origin_none = ENCAP_ORIGIN_NONE,
    .silent = encap_silent,
    .silent_count = ENCAP_SILENT_COUNT,
    .options = &encap_options,
    .contexts = contexts,
    .context_count = sizeof contexts / sizeof *contexts,
    .trigger = "notify = true",
    .clocks = &clocks,
    /* no unnamed: packets have no number that stands for a text */
    .guide = &guide,
    /* no alike: the packet type describes the whole event */
    .reach = 64 * 1024 + 64 + 2 * ENCAP_LOOK,
    .run_up = 16 * 1024,
    .state_size = sizeof(struct encap_state),
    .checkpoint_size = ENCAP_CHECKPOINT,
    .memory_size = sizeof(struct encap_memory),
    .probe = encap_probe,
    .open = encap_open,
    .close = encap_close,
    .start = encap_start,
    .save = encap_save,
    .restore = encap_restore,
    .is_free = true,
    .step = encap_step,
    .summarise = encap_summarise,
    .resync = encap_resync,
    .expand = encap_expand,
    .type_keys = encap_type_keys,
    /* no text_at: texts are made from bits */
    .in_place = encap_in_place,
    .identify_origin = encap_identify_origin,
    .flow = encap_read_flow,
    /* no printer: the reference decoder does not print a list of packets */
};
