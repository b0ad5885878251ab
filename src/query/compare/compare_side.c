/*
 * Reading one of two runs: see compare_side.h.
 *
 * Each message is expanded once, as far as its type, in the order of its trace. If
 * an origin follows from its raw key, its name is expanded once for each key.
 */
#include "config.h"

#include "query/compare/compare_side.h"
#include "base/map.h"
#include "query/compare/compare_mask.h"
#include "query/scan.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdlib.h>

enum { STREAMS_MAX = 65536 };

enum { TOKEN_FLAGS = (1 << MESSAGE_FLAGS_DOUBT) - 1 };

/* The state of reading one trace. */
struct work {
	struct compare_side *side;
	struct trace *trace;
	struct reader *reader;
	struct expansion expansion;
	struct map by_key;  /* from raw keys to streams, counted from 1 */
	struct map by_name; /* from hashes of names to streams, too */
	int64_t last;	    /* last time in the trace, or COMPARE_NO_TIME */
};

/* Find or add the stream of the expanded origin; return its number from 1. */
static size_t
find_stream(struct work *w)
{
	struct compare_side *side = w->side;
	const struct text *origin = &w->expansion.origin;
	uint64_t name = compare_hash_bytes(0, text_get(origin), origin->length);
	bool room = w->by_name.count < STREAMS_MAX;
	uint64_t *number = map_find(&w->by_name, name);
	if (!number && !room)
		number = map_find(&w->by_name, 0);
	if (number)
		return *number;
	struct compare_stream *stream = mem_new(sizeof *stream);
	*stream = (struct compare_stream){
	    .trace = trace_number(w->trace),
	    .name = room ? name : 0,
	    .alike = room ? compare_hash_masked(0, text_get(origin), origin->length) : 0,
	    .timed = origin->length > 0};
	*vec_add(&side->streams) = stream;
	*map_add(&w->by_name, stream->name) = side->streams.count;
	return side->streams.count;
}

/* Expand a message and return its stream. */
static struct compare_stream *
stream_of(struct work *w, const struct message *m)
{
	bool by_key = reader_origin_kinds(w->reader) == UINT64_MAX;
	uint64_t *known = by_key ? map_find(&w->by_key, m->origin) : NULL;
	size_t number = known ? *known : 0;
	if (!number || !by_key) {
		reader_expand(w->reader, m, EXPAND_TEXT, &w->expansion);
		number = find_stream(w);
		if (by_key && w->by_key.count < STREAMS_MAX)
			*map_add(&w->by_key, m->origin) = number;
	} else {
		reader_expand(w->reader, m, EXPAND_TYPE, &w->expansion);
	}
	return w->side->streams.at[number - 1];
}

static void
add_message(struct work *w, const struct message *m, uint64_t number)
{
	struct compare_side *side = w->side;
	struct compare_stream *stream = stream_of(w, m);
	const struct expansion *e = &w->expansion;
	struct message_time time;
	uint64_t token = compare_hash_bytes(0, text_get(&e->type), e->type.length);
	uint64_t exact = compare_hash_bytes(token, text_get(&e->text), e->text.length);
	token = compare_hash_masked(token, text_get(&e->text), e->text.length);
	bool timed = clocks_time(w->trace, m, &time);
	int64_t at = !timed ? w->last : time.known ? time.nanoseconds : time.order;
	unsigned flags = (m->flags | e->flags) & TOKEN_FLAGS;
	*vec_add(&stream->tokens) = (token & ~(uint64_t)TOKEN_FLAGS) | flags;
	*vec_add(&stream->exact) = (exact & ~(uint64_t)TOKEN_FLAGS) | flags;
	*vec_add(&stream->times) = at;
	*vec_add(&stream->numbers) = number;
	stream->timed &= !timed || time.known;
	w->last = at;
	if (timed && (side->begin == COMPARE_NO_TIME || at < side->begin))
		side->begin = at;
	side->messages++;
}

static bool
is_stopped(const struct compare_side *side)
{
	return side->stop && atomic_load_explicit(side->stop, memory_order_relaxed);
}

static void
read_trace(struct compare_side *side, struct trace *trace)
{
	trace_build_whole(trace);
	struct work w = {
	    .side = side, .trace = trace, .reader = reader_new(trace), .last = COMPARE_NO_TIME};
	struct filter_pair pair = filter_pair_borrow(side->filter, NULL);
	struct message batch[SCAN_BATCH];
	struct scan scan;
	uint64_t first;
	size_t count;
	reader_set(w.reader, (struct reader_options){.patient = true});
	scan_open(&scan, w.reader, &pair, 0);
	while (!is_stopped(side) && (count = scan_read(&scan, batch, SCAN_BATCH, &first)) > 0)
		for (size_t i = 0; i < count; i++) {
			unsigned flags = batch[i].flags;
			w.expansion.flags = 0;
			if (filter_match(side->filter, w.reader, &batch[i], &w.expansion)) {
				add_message(&w, &batch[i], first + i);
				flags |= w.expansion.flags;
			}
			doubts_add_flags(&side->doubts, flags);
		}
	if (!is_stopped(side))
		scan_add_undecoded(&scan, &side->doubts);
	filter_pair_free(&pair);
	map_free(&w.by_key);
	map_free(&w.by_name);
	expansion_free(&w.expansion);
	reader_free(w.reader);
}

bool
compare_side_read(struct compare_side *side)
{
	side->begin = COMPARE_NO_TIME;
	for (size_t i = 0; i < side->session->traces.count && !is_stopped(side); i++)
		if (trace_is_among(side->session->traces.at[i], side->source))
			read_trace(side, side->session->traces.at[i]);
	return !is_stopped(side);
}

void
compare_side_free(struct compare_side *side)
{
	for (size_t i = 0; i < side->streams.count; i++) {
		struct compare_stream *stream = side->streams.at[i];
		vec_free(&stream->tokens);
		vec_free(&stream->exact);
		vec_free(&stream->times);
		vec_free(&stream->numbers);
		free(stream->spans);
		free(stream);
	}
	vec_free(&side->streams);
}

struct reader *
compare_texts_reader(struct compare_texts *texts, size_t trace)
{
	while (texts->readers.count <= trace)
		(void)vec_add(&texts->readers);
	struct reader **reader = &texts->readers.at[trace];
	if (!*reader) {
		*reader = reader_new(texts->session->traces.at[trace]);
		reader_set(*reader, (struct reader_options){.patient = true});
	}
	return *reader;
}

bool
compare_texts_get(struct compare_texts *texts, size_t trace, uint64_t number, struct message *m,
		  struct expansion *e)
{
	struct reader *reader = compare_texts_reader(texts, trace);
	struct position at;
	bool exact;
	const struct message *found = NULL;
	if (reader_find_number(reader, number, &at, &exact))
		found = reader_message(reader, at);
	if (!found)
		return false;
	*m = *found;
	reader_expand(reader, m, EXPAND_TEXT, e);
	return true;
}

void
compare_texts_free(struct compare_texts *texts)
{
	for (size_t i = 0; i < texts->readers.count; i++)
		if (texts->readers.at[i])
			reader_free(texts->readers.at[i]);
	vec_free(&texts->readers);
}
