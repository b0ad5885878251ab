/*
 * RISC-V trace encapsulation: build the decoder's tables from the options.  They give
 * the length of a packet by its header byte, the meaning of a payload's first bits,
 * and the settings of each source.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <stdlib.h>
#include <string.h>

/* Fill the map from type to class.  The default is 0 for instruction and 1 for data trace
 * [Encap 1.0, "Packet Encapsulation for E-Trace"].  Some drafts, and the examples of E-Trace,
 * use 10 and 11 in two bits; `types:` can express that. */
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

/* Create the common struct encap_source, then one per entry of `sources:`. */
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

/* Return the width from the profile, or the guess if that is negative. */
static unsigned
encap_choose_width(int64_t given, unsigned guessed)
{
	return given < 0 ? guessed : (unsigned)given;
}

static void
set_widths(struct encap_decoder *d, const struct encap_guess *guess)
{
	const struct encap_options *options = d->options;
	d->srcid_width = encap_choose_width(options->srcid_width, guess->srcid_width);
	d->timestamp_bytes = encap_choose_width(options->timestamp_bytes, guess->timestamp_bytes);
	d->type_width = encap_choose_width(options->type_width,
					   options->srcid_width < 0 ? guess->type_width : 0);
	d->framed = options->framed || guess->framed;
	d->phase = options->container.slot ? 0 : guess->phase;
	/* [Encap 1.0, "Synchronization" and "Packet Length"] */
	d->longest = 31 + d->timestamp_bytes + d->srcid_width / 8;
	for (unsigned byte = 0; byte < 256; byte++)
		d->length[byte] =
		    (uint8_t)(1 + d->srcid_width / 8 + (byte & 0x1f) +
			      (encap_is_extended((uint8_t)byte) ? d->timestamp_bytes : 0));
}

void
encap_set_guess(struct encap_decoder *d, const struct encap_guess *guess)
{
	set_widths(d, guess);
	d->sources[0].type_width = d->type_width;
}

void
encap_free(struct encap_decoder *d)
{
	if (!d)
		return;
	free(d->sources);
	free(d->source_of);
	free(d);
}

struct encap_decoder *
encap_new(const struct encap_options *options, const struct encap_guess *guess, struct err *err)
{
	struct encap_decoder *d = mem_new(sizeof *d);
	d->options = options;
	int failed = 0;
	struct option_fault fault;
	if (!encap_options.check(options, &fault))
		failed = err_set(err, ERR_CONFIG, "%s: %s", fault.member, fault.what);
	if (!failed) {
		set_widths(d, guess);
		failed = set_sources(d, err);
	}
	if (!failed)
		return d;
	encap_free(d);
	return NULL;
}
