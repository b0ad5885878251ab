/*
 * Trace port frames with an ITM among the sources, as from an SWO pin.
 *
 * Such captures often have no synchronisation at all, and only the ITM packets show where frames
 * start.  So the decoder of `tpiu` (swo.h) reads the frames and follows their start.  Its ITM
 * messages are in the list unchanged, with kinds after those of elements.  Bytes of other sources
 * go to their lanes.
 *
 * Where frames continue elsewhere, bytes are lost, and lanes restart there.  So all frames from
 * the start of an element's decoding to the element are contiguous.  Such a start is exact (struct
 * opencsd_units).
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"

#include <string.h>

/* --- opening ------------------------------------------------------------- */

int
opencsd_swo_open(struct opencsd_decoder *d, const struct window *head, struct err *err)
{
	d->itm_lane = OPENCSD_NO_LANE;
	for (size_t i = 0; i < d->source_count && d->format == CORESIGHT_TPIU; i++)
		if (d->sources[i].options->protocol == OPENCSD_ITM && !*d->sources[i].problem &&
		    d->itm_lane == OPENCSD_NO_LANE)
			d->itm_lane = (uint8_t)i;
	if (d->itm_lane == OPENCSD_NO_LANE)
		return 0;
	if (d->source_count > OPENCSD_SWO_SOURCES)
		return err_set(err, ERR_CONFIG, "format tpiu: at most %d sources, with an ITM",
			       OPENCSD_SWO_SOURCES);
	d->swo_options =
	    (struct swo_options){.lines = d->options->lines, .id = d->sources[d->itm_lane].id};
	d->swo = tpiu_ops.open(&d->swo_options, head, err);
	bool several = d->swo && d->source_count > 1;
	for (size_t i = 0; i < d->source_count; i++)
		several &=
		    d->sources[i].options->protocol == OPENCSD_ITM && !*d->sources[i].problem;
	for (size_t i = 0; i < d->source_count && several; i++)
		swo_part_add(&d->syst.base, d->parts, d->sources[i].id);
	return d->swo ? 0 : ERR_CONFIG;
}

/* --- units --------------------------------------------------------------- */

void
opencsd_units_start(struct opencsd_units *units, uint64_t offset)
{
	*units = (struct opencsd_units){.anchor = offset, .id = CORESIGHT_NOBODY};
}

void
opencsd_units_take(struct opencsd_units *units, uint64_t offset, const struct swo_unit *unit,
		   coresight_sink *sink, void *context)
{
	struct coresight_run run;
	bool named = false;
	for (unsigned i = 0; i < unit->count;) {
		named |= unit->ids[i] != units->id;
		/* Index of the frame, or of the pair that names the source.  That pair is at the
		 * previous byte.  It is one byte earlier if a byte of the old source follows the
		 * name. */
		run.index = offset + (i ? (unit->places[i] - 1u) & ~1u : 0);
		run.anchor = named ? offset : units->anchor;
		run.id = unit->ids[i];
		run.count = 0;
		for (; i < unit->count && unit->ids[i] == run.id; i++) {
			run.bytes[run.count] = unit->bytes[i];
			run.offsets[run.count++] = offset + unit->places[i];
		}
		sink(context, &run);
	}
	if (named || unit->next != units->id)
		units->anchor = offset;
	units->id = unit->next;
}

/* --- messages ------------------------------------------------------------ */

/* Origins of ITM packets, apart from those of elements. */
enum { ORIGIN_PACKETS = 1 << 10 };

void
opencsd_swo_mix(struct message *m)
{
	m->kind += OPENCSD_KIND_COUNT;
	m->origin |= ORIGIN_PACKETS;
}

void
opencsd_swo_expand(const struct opencsd_decoder *d, const struct message *m, const struct window *w,
		   enum expand_want want, struct expansion *e)
{
	struct message own = *m;
	own.kind -= OPENCSD_KIND_COUNT;
	own.origin &= ~(uint64_t)ORIGIN_PACKETS;
	swo_expand(d->swo, &own, w, want, NULL, e);
}
