/*
 * List the packets of CoreSight trace, as trc_pkt_lister prints those that it decodes:
 *
 *	Idx:1676; ID:10; [0x85 0x23 0x08 ];	I_ADDR_S_IS0 : Address, Short, IS0.; Addr=0x...
 *
 * Messages stand for elements, not packets.  So this walks the capture from its beginning with
 * separate trees.  They get the bytes in the same pieces as in the lister: frame by frame, in runs
 * of a source.  Packets come in the order of their ends.  Text and index are the library's; ETE
 * packets have the text of ETMv4, which is the same.  Unlike the lister, this continues after
 * bytes that are no trace.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"

#include <stdlib.h>

struct packet_source {
	struct packet_list *list;
	const struct opencsd_source *source;
	struct opencsd_tree *tree; /* NULL: cannot be decoded */
};

struct packet_list {
	const struct opencsd_decoder *decoder;
	struct packet_source *sources;
	struct text line;
	bool (*take)(void *context, const struct text *line);
	void *context;
	struct opencsd_units units;
	bool stopped;
};

static void
pass_element(void *context, const struct opencsd_element *e)
{
	(void)context;
	(void)e;
}

static void
list_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const void *packet)
{
	const struct packet_source *source = context;
	struct packet_list *list = source->list;
	struct text *line = &list->line;
	if (list->stopped)
		return;
	text_clear(line);
	text_addf(line, "Idx:%llu; ID:%x; [", (unsigned long long)index, source->source->id);
	for (size_t i = 0; i < length; i++)
		text_addf(line, "0x%02x ", bytes[i]);
	text_add(line, "];\t");
	opencsd_packet_text((enum opencsd_protocol)source->source->options->protocol, packet, line);
	text_add_char(line, '\n');
	list->stopped = !list->take(list->context, line);
}

static void
list_bytes(struct packet_source *source, uint64_t index, const uint8_t *bytes, size_t length)
{
	while (length && source->tree) {
		int fatal;
		size_t used = opencsd_tree_feed(source->tree, index, bytes, length, &fatal);
		if (!used)
			used = 1;
		if (fatal)
			opencsd_tree_reset(source->tree, false);
		index += used;
		bytes += used;
		length -= used;
	}
}

static void
list_run(void *context, const struct coresight_run *run)
{
	struct packet_list *list = context;
	uint8_t lane = list->decoder->lane_of[run->id];
	if (lane != OPENCSD_NO_LANE)
		list_bytes(&list->sources[lane], run->index, run->bytes, run->count);
}

/* Start a hardware run, with nothing before it. */
static void
start_run(struct packet_list *list, struct coresight *frames, uint64_t offset)
{
	const struct opencsd_decoder *d = list->decoder;
	for (size_t i = 0; i < d->source_count; i++)
		if (list->sources[i].tree)
			opencsd_tree_reset(list->sources[i].tree, true);
	opencsd_start_frames(d, frames, offset);
}

static void
list_unit(void *context, uint64_t offset, const struct swo_unit *unit)
{
	struct packet_list *list = context;
	opencsd_units_take(&list->units, offset, unit, list_run, list);
}

/* Restart the sources where frames continue elsewhere. */
static void
list_break(void *context, uint64_t offset)
{
	struct packet_list *list = context;
	for (size_t i = 0; i < list->decoder->source_count; i++)
		if (list->sources[i].tree)
			opencsd_tree_reset(list->sources[i].tree, false);
	opencsd_units_start(&list->units, offset);
}

/* List frames with an ITM.  The messages of the ITM are dropped. */
static void
list_mixed(struct packet_list *list, const struct window *w)
{
	const struct decoder *swo = list->decoder->swo;
	const struct swo_units units = {list, list_unit, list_break};
	struct decode_state *state = decode_state_new(swo);
	struct message messages[64];
	const size_t most = sizeof messages / sizeof *messages;
	swo->ops->start(swo, state);
	opencsd_units_start(&list->units, 0);
	while (swo_step_units(swo, state, w, messages, most, &units) == most && !list->stopped)
		;
	decode_state_free(swo, state);
}

/* Feed the window in pieces, so that the walk can end early. */
static void
list_window(struct packet_list *list, const struct window *w)
{
	enum { PIECE = 4096 };
	const struct opencsd_decoder *d = list->decoder;
	const bool plain = d->format == CORESIGHT_SOURCE;
	struct coresight frames;
	opencsd_start_frames(d, &frames, 0);
	for (uint64_t at = 0, next; at < w->length && !list->stopped; at = next) {
		bool skip;
		next = at + PIECE < w->length ? at + PIECE : w->length;
		next = opencsd_run_end(d, at, next, &skip);
		if (opencsd_starts_run(d, at))
			start_run(list, &frames, at);
		if (plain && !skip)
			list_bytes(list->sources, at, w->bytes + at, (size_t)(next - at));
		else if (!skip)
			coresight_feed(&frames, w->bytes + at, (size_t)(next - at), at, list_run,
				       list);
	}
	if (!plain && d->format != CORESIGHT_ALIGNED)
		coresight_finish(&frames, list_run, list);
}

void
opencsd_list_packets(const struct decoder *decoder, const struct window *w,
		     bool (*take)(void *context, const struct text *line), void *context)
{
	const struct opencsd_decoder *d = (const struct opencsd_decoder *)decoder;
	struct packet_list list = {.decoder = d, .take = take, .context = context};
	list.sources = mem_new((d->source_count + 1) * sizeof *list.sources);
	for (size_t i = 0; i < d->source_count; i++) {
		struct packet_source *source = &list.sources[i];
		const struct opencsd_tree_sink sink = {source, pass_element, list_packet};
		source->list = &list;
		source->source = &d->sources[i];
		if (!*d->sources[i].problem)
			source->tree = opencsd_tree_new(&d->sources[i], &sink, NULL);
	}
	(d->swo ? list_mixed : list_window)(&list, w);
	for (size_t i = 0; i < d->source_count; i++) {
		if (list.sources[i].tree)
			opencsd_tree_end(list.sources[i].tree);
		opencsd_tree_free(list.sources[i].tree);
	}
	free(list.sources);
	text_free(&list.line);
}
