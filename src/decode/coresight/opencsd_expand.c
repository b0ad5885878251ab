/*
 * Fields and text of a CoreSight message.
 *
 * Elements are not saved.  To find one, a worker decodes its source again, from the offset in
 * message.aux on.  A worker is a separate lane with the elements and packets that it decoded last.
 * Requests mostly come in order or near each other, so the element is there already or a little
 * further on.  Workers are kept in a pool, and each thread uses its own while it expands.
 *
 * The memory of a worker is bounded: from time to time it drops the older half.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"
#include "decode/coresight/opencsd_flow.h"
#include "decode/coresight/opencsd_kept.h"
#include "base/lower_bound.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE = 1024, /* capture bytes decoded in one step */
	RECORDS_KEPT = 8192,
	PACKETS_KEPT = 1024,
	PLACES_KEPT = 32768,
	LATE = 3 * 8192,  /* an element comes at most this late after its offset */
	SKIP_MOST = 4096, /* bytes to decode further rather than restart */
	PACKETS_SHOWN = 32,
	WORKERS_PER_LANE = 2
};

struct opencsd_record {
	struct opencsd_element element;
	uint32_t ordinal;
};

struct packet {
	uint64_t index;
	uint64_t position; /* in the bytes of the source */
	uint32_t length;
};

/* Index and position of a run of source bytes. */
struct byte_range {
	uint64_t index, position;
};

struct opencsd_worker {
	const struct opencsd_decoder *decoder;
	size_t number; /* of the lane */
	struct opencsd_lane lane;
	struct coresight frames;
	struct opencsd_units units; /* used instead of `frames` with an ITM */
	uint64_t from;		    /* offset where decoding started */
	uint64_t fed;		    /* all before this offset is decoded */
	bool started, ended, busy;
	bool lists;	       /* keeps packets and bytes; without them, elements are found
				  faster */
	uint64_t used;	       /* pool.clock at the last use */
	uint64_t records_from; /* elements with a lower index may be missing */
	uint64_t packets_from;
	VEC(struct opencsd_record) records;
	VEC(struct packet) packets;
	uint8_t *copies; /* copies of the packets, each of packet_size() bytes */
	size_t copies_capacity;
	VEC(struct byte_range) ranges;
	VEC(uint64_t) places; /* offset of each source byte */
	VEC(uint8_t) bytes;   /* the source bytes */
	uint64_t places_from; /* position of the first source byte kept */
};

struct opencsd_pool {
	const struct opencsd_decoder *decoder;
	pthread_mutex_t lock;
	VEC(struct opencsd_worker *) workers;
	uint64_t clock;
};

/* --- contents of a worker ---------------------------------------------- */

static size_t
packet_size(const struct opencsd_worker *w)
{
	return opencsd_packet_size(
	    (enum opencsd_protocol)w->decoder->sources[w->number].options->protocol);
}

static void
on_element(void *context, struct opencsd_lane *lane, const struct opencsd_element *e)
{
	struct opencsd_worker *w = context;
	*vec_add(&w->records) = (struct opencsd_record){*e, lane->ordinal};
}

static void
on_fatal(void *context, struct opencsd_lane *lane, uint64_t index, int why)
{
	(void)context;
	(void)lane;
	(void)index;
	(void)why;
}

/* Return the position of the byte at INDEX. */
static uint64_t
position_of(const struct opencsd_worker *w, uint64_t index)
{
	size_t low = 0, high = w->ranges.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (w->ranges.at[middle].index <= index)
			low = middle;
		else
			high = middle;
	}
	const struct byte_range *s = &w->ranges.at[low];
	return index > s->index ? s->position + (index - s->index) : s->position;
}

static void
on_packet(void *context, struct opencsd_lane *lane, uint64_t index, unsigned back, size_t length,
	  const void *packet)
{
	struct opencsd_worker *w = context;
	size_t size = packet_size(w), n = w->packets.count;
	(void)lane;
	if (!w->lists || !w->ranges.count || length > UINT32_MAX)
		return;
	uint64_t position = position_of(w, index);
	*vec_add(&w->packets) = (struct packet){.index = index,
						.position = position - (position ? back : 0),
						.length = (uint32_t)length};
	if (n >= w->copies_capacity) {
		w->copies_capacity = 2 * n + 256;
		w->copies = mem_resize(w->copies, w->copies_capacity * size);
	}
	memcpy(w->copies + n * size, packet, size);
}

static void
on_run(void *context, const struct coresight_run *run)
{
	struct opencsd_worker *w = context;
	if (run->id != w->lane.source->id)
		return;
	if (w->lists)
		*vec_add(&w->ranges) =
		    (struct byte_range){run->index, w->places_from + w->places.count};
	for (unsigned i = 0; w->lists && i < run->count; i++) {
		*vec_add(&w->places) = run->offsets[i];
		*vec_add(&w->bytes) = run->bytes[i];
	}
	opencsd_lane_feed(&w->lane, run);
}

static void
feed_plain(struct opencsd_worker *w, const uint8_t *bytes, size_t length)
{
	if (w->lists)
		*vec_add(&w->ranges) =
		    (struct byte_range){w->fed, w->places_from + w->places.count};
	for (size_t i = 0; w->lists && i < length; i++) {
		*vec_add(&w->places) = w->fed + i;
		*vec_add(&w->bytes) = bytes[i];
	}
	opencsd_lane_feed_plain(&w->lane, bytes, length, w->fed);
}

#define DROP_FIRST(v, n)                                                                           \
	(memmove((v)->at, (v)->at + (n), ((v)->count - (n)) * sizeof *(v)->at),                    \
	 (void)((v)->count -= (n)))

/* Drop old elements, packets and bytes if they exceed twice the limit. */
static void
forget_old(struct opencsd_worker *w)
{
	size_t size = packet_size(w);
	if (w->records.count > 2 * RECORDS_KEPT) {
		size_t n = w->records.count - RECORDS_KEPT;
		w->records_from = w->records.at[n - 1].element.index + 1;
		DROP_FIRST(&w->records, n);
	}
	if (w->packets.count > 2 * PACKETS_KEPT) {
		size_t n = w->packets.count - PACKETS_KEPT;
		w->packets_from = w->packets.at[n - 1].index + 1;
		DROP_FIRST(&w->packets, n);
		memmove(w->copies, w->copies + n * size, w->packets.count * size);
	}
	if (w->places.count > 2 * PLACES_KEPT) {
		size_t n = w->places.count - PLACES_KEPT, old = 0;
		w->places_from += n;
		DROP_FIRST(&w->places, n);
		DROP_FIRST(&w->bytes, n);
		while (old < w->ranges.count && w->ranges.at[old].position < w->places_from)
			old++;
		DROP_FIRST(&w->ranges, old);
	}
}

static void
forget_all(struct opencsd_worker *w)
{
	w->records_from = w->packets_from = w->places_from = 0;
	vec_clear(&w->records);
	vec_clear(&w->packets);
	vec_clear(&w->ranges);
	vec_clear(&w->places);
	vec_clear(&w->bytes);
}

/* --- workers ----------------------------------------------------------- */

static struct opencsd_worker *
worker_new(const struct opencsd_decoder *d, size_t number)
{
	struct opencsd_worker *w = mem_new(sizeof *w);
	const struct opencsd_lane_sink sink = {w, on_element, on_fatal, on_packet};
	w->decoder = d;
	w->number = number;
	opencsd_lane_init(&w->lane, &d->sources[number], d->format, &sink);
	return w;
}

static void
worker_free(struct opencsd_worker *w)
{
	opencsd_lane_free(&w->lane);
	vec_free(&w->records);
	vec_free(&w->packets);
	vec_free(&w->ranges);
	vec_free(&w->places);
	vec_free(&w->bytes);
	free(w->copies);
	free(w);
}

struct opencsd_pool *
opencsd_pool_new(const struct opencsd_decoder *d)
{
	struct opencsd_pool *pool = mem_new(sizeof *pool);
	pool->decoder = d;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void
opencsd_pool_free(struct opencsd_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->workers.count; i++)
		worker_free(pool->workers.at[i]);
	vec_free(&pool->workers);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

/* The element that a message stands for. */
struct opencsd_request {
	uint64_t index, start, limit;
	enum opencsd_since since; /* knowledge at `start` */
	uint32_t ordinal;
	bool at_end, packets;
};

static struct opencsd_request
request_of(const struct opencsd_decoder *d, const struct message *m, bool packets)
{
	const uint64_t exact = m->aux >> 14 & OPENCSD_EXACT_FAR;
	return (struct opencsd_request){
	    .index = coresight_index(d->format, m->offset),
	    .start = !d->swo			 ? opencsd_start_of(m->aux >> 32 & 0xff, m->offset)
		     : exact < OPENCSD_EXACT_FAR ? m->offset - exact
						 : UINT64_MAX,
	    .since = (enum opencsd_since)(m->aux >> 49 & 3),
	    .limit = message_id_offset(m) + LATE,
	    .ordinal = d->swo ? m->aux % OPENCSD_EXACT_NUMBERS : (uint32_t)m->aux,
	    .at_end = m->aux >> 48 & 1,
	    .packets = packets,
	};
}

/* Return the knowledge about the bytes before the start.  No byte comes before offset 0. */
static enum opencsd_since
since_of(const struct opencsd_request *request)
{
	return request->start ? request->since : OPENCSD_SINCE_START;
}

/* True if a worker has the element, or will reach it by decoding further. */
static bool
can_serve(const struct opencsd_worker *w, const struct opencsd_request *request)
{
	uint64_t offset = coresight_offset(w->decoder->format, request->index);
	if (!w->started || w->from > request->start || (request->packets && !w->lists))
		return false;
	/* frames are contiguous only from `start` on */
	if (w->decoder->swo && (w->from != request->start || w->lane.since != since_of(request)))
		return false;
	if (request->since == OPENCSD_SINCE_START && w->lane.since != OPENCSD_SINCE_START)
		return false;
	if (request->at_end)
		return w->ended || w->fed >= request->start;
	return request->index >= w->records_from &&
	       (!request->packets || request->index >= w->packets_from) &&
	       (!w->ended || offset < w->fed) &&
	       (w->fed >= request->start || request->start - w->fed < SKIP_MOST);
}

/* Take a worker for a lane out of the pool. */
static struct opencsd_worker *
check_out(struct opencsd_pool *pool, size_t number, const struct opencsd_request *request)
{
	struct opencsd_worker *best = NULL;
	unsigned count = 0;
	pthread_mutex_lock(&pool->lock);
	for (size_t i = 0; i < pool->workers.count; i++) {
		struct opencsd_worker *w = pool->workers.at[i];
		if (w->number != number)
			continue;
		count++;
		if (w->busy)
			continue;
		bool serves = can_serve(w, request), served = best && can_serve(best, request);
		if (!best || (serves && !served) || (serves == served && w->used < best->used))
			best = w;
	}
	if (!best || (count < WORKERS_PER_LANE && !can_serve(best, request))) {
		best = worker_new(pool->decoder, number);
		*vec_add(&pool->workers) = best;
	}
	best->busy = true;
	best->used = ++pool->clock;
	pthread_mutex_unlock(&pool->lock);
	return best;
}

static void
check_in(struct opencsd_pool *pool, struct opencsd_worker *w)
{
	pthread_mutex_lock(&pool->lock);
	w->busy = false;
	pthread_mutex_unlock(&pool->lock);
}

/* --- finding an element ------------------------------------------------ */

static void
start_at(struct opencsd_worker *w, uint64_t offset, enum opencsd_since since, bool lists)
{
	forget_all(w);
	w->lists = lists;
	opencsd_lane_start(&w->lane, offset ? since : OPENCSD_SINCE_START);
	opencsd_start_frames(w->decoder, &w->frames, offset);
	opencsd_units_start(&w->units, offset);
	w->from = w->fed = offset;
	w->started = true;
	w->ended = false;
}

/* Decode another piece of frames with an ITM.  Return false at the end. */
static bool
go_on_units(struct opencsd_worker *w, const struct window *window, uint64_t end)
{
	const struct swo_decoder *swo = (const struct swo_decoder *)w->decoder->swo;
	uint64_t start = w->fed;
	struct swo_unit unit;
	forget_old(w);
	while (w->fed < end && swo_unit_read(swo, window, w->fed, w->units.id, &unit)) {
		opencsd_units_take(&w->units, w->fed, &unit, on_run, w);
		w->fed += unit.length;
	}
	if (w->fed > start)
		return true;
	if (window->last)
		opencsd_lane_end(&w->lane);
	w->ended = true;
	return window->last;
}

/* Decode another piece.  Return false at the end. */
static bool
go_on(struct opencsd_worker *w, const struct window *window)
{
	uint64_t end = w->fed / PIECE * PIECE + PIECE, there = window->offset + window->length;
	if (w->ended)
		return false;
	if (end > there)
		end = there;
	if (w->decoder->swo)
		return go_on_units(w, window, end);
	if (w->fed >= end) {
		if (window->last)
			opencsd_lane_end(&w->lane);
		w->ended = true;
		return window->last;
	}
	if (w->decoder->format == CORESIGHT_ALIGNED && end < there)
		end &= ~(uint64_t)(CORESIGHT_FRAME - 1);
	bool skip;
	end = opencsd_run_end(w->decoder, w->fed, end, &skip);
	if (opencsd_starts_run(w->decoder, w->fed)) {
		opencsd_lane_start_run(&w->lane, w->fed);
		coresight_start(&w->frames, w->decoder->format, w->fed);
	}
	const uint8_t *bytes = window->bytes + (w->fed - window->offset);
	size_t length = (size_t)(end - w->fed);
	forget_old(w);
	if (skip)
		w->fed = end;
	else if (w->decoder->format == CORESIGHT_SOURCE)
		feed_plain(w, bytes, length);
	else
		coresight_feed(&w->frames, bytes, length, w->fed, on_run, w);
	w->fed = end;
	return true;
}

/* Return the number of the first record at or after INDEX and ORDINAL. */
static size_t
record_from(const struct opencsd_worker *w, uint64_t index, uint32_t ordinal)
{
	const struct opencsd_record *r = w->records.at;
	size_t at;
	lower_bound(at, w->records.count,
		    r[at].element.index < index ||
			(r[at].element.index == index && r[at].ordinal < ordinal));
	return at;
}

/* Find the requested element in the records, and decode further if necessary.  Return its number,
 * or -1. */
static ptrdiff_t
find_record(struct opencsd_worker *w, const struct window *window,
	    const struct opencsd_request *request)
{
	uint64_t start = request->start > window->offset ? request->start : window->offset;
	if (w->decoder->swo && (start != request->start || start > window->offset + window->length))
		return -1;
	if (!can_serve(w, request) || w->fed < window->offset)
		start_at(w, start, request->since, request->packets);
	for (;;) {
		size_t n = request->at_end ? w->records.count - 1
					   : record_from(w, request->index, request->ordinal);
		if (request->at_end && w->ended && w->records.count)
			return (ptrdiff_t)n;
		if (!request->at_end && n < w->records.count) {
			const struct opencsd_record *r = &w->records.at[n];
			bool found =
			    r->element.index == request->index && r->ordinal == request->ordinal;
			return found ? (ptrdiff_t)n : -1;
		}
		if ((!request->at_end && w->fed > request->limit) || !go_on(w, window))
			return -1;
	}
}

/* --- packets ----------------------------------------------------------- */

static void
add_text(struct expansion *e, enum opencsd_field row, const char *text, size_t length)
{
	struct field *field = expansion_add(e, &opencsd_fields[row], FIELD_NOWHERE, 0, 0);
	field->s.at = arena_text(&e->arena, text, length);
	field->s.length = length;
}

/* Copy the bytes of a packet to the arena.  Return NULL if they were dropped. */
static const uint8_t *
packet_bytes(const struct opencsd_worker *w, const struct packet *p, struct arena *arena)
{
	uint64_t first = p->position - w->places_from;
	if (p->position < w->places_from || first + p->length > w->bytes.count)
		return NULL;
	return arena_copy(arena, w->bytes.at + first, p->length);
}

/* Make a packet's bytes the payload, and add their extents. */
static void
set_payload(const struct opencsd_worker *w, const struct packet *p, const uint8_t *bytes,
	    struct expansion *e)
{
	const uint64_t *places = w->places.at + (p->position - w->places_from);
	e->payload = bytes;
	e->payload_length = p->length;
	for (uint32_t i = 0, n; i < p->length; i += n) {
		n = 1;
		while (i + n < p->length && places[i + n] == places[i] + n)
			n++;
		*vec_add(&e->extents) = (struct extent){.payload_bit = 8 * (uint64_t)i,
							.capture_bit = 8 * places[i],
							.bits = 8 * n,
							.form = EXTENT_PLAIN};
	}
}

/* Get the text of packet N: a name of *NAME characters, and the content from *REST on. */
static void
packet_text(const struct opencsd_worker *w, size_t n, struct text *text, size_t *name, size_t *rest)
{
	text_clear(text);
	opencsd_packet_text((enum opencsd_protocol)w->decoder->sources[w->number].options->protocol,
			    w->copies + n * packet_size(w), text);
	while (text->length && strchr("; ", text->data[text->length - 1]))
		text_cut(text, text->length - 1);
	const char *all = text_get(text);
	*name = strcspn(all, " :[");
	*rest = *name + strspn(all + *name, " :");
}

/* True if packet N stands for bytes before synchronisation. */
static bool
is_unsynced(const struct opencsd_worker *w, size_t n)
{
	struct text text = {0};
	size_t name, rest;
	packet_text(w, n, &text, &name, &rest);
	const char *all = text_get(&text);
	bool unsynced = !strncmp(all, "NOTSYNC", name) || !strncmp(all, "I_NOT_SYNC", name);
	text_free(&text);
	return unsynced;
}

static void
add_packet(const struct opencsd_worker *w, size_t n, bool own, struct expansion *e)
{
	const struct packet *p = &w->packets.at[n];
	struct text text = {0};
	size_t name, rest;
	packet_text(w, n, &text, &name, &rest);
	expansion_open(e, &opencsd_fields[OPENCSD_F_PACKET], FIELD_NOWHERE, 0, 0);
	add_text(e, OPENCSD_F_PACKET_NAME, text_get(&text), name);
	add_text(e, OPENCSD_F_PACKET_TEXT, text_get(&text) + rest, text.length - rest);
	const uint8_t *bytes = packet_bytes(w, p, &e->arena);
	if (bytes) {
		struct field *field =
		    expansion_add(e, &opencsd_fields[OPENCSD_F_PACKET_BYTES],
				  own ? FIELD_PAYLOAD : FIELD_NOWHERE, 0, own ? 8 * p->length : 0);
		field->s.at = (const char *)bytes;
		field->s.length = p->length;
		if (own)
			set_payload(w, p, bytes, e);
	}
	expansion_close(e);
	text_free(&text);
}

/* Return the number of the first packet at or after INDEX. */
static size_t
packet_from(const struct opencsd_worker *w, uint64_t index)
{
	size_t at;
	lower_bound(at, w->packets.count, w->packets.at[at].index < index);
	return at;
}

/* Append the packets after the previous element, up to that of record N. */
static void
add_packets(const struct opencsd_worker *w, size_t n, bool keep_payload, struct expansion *e)
{
	uint64_t index = w->records.at[n].element.index;
	uint64_t after = n ? w->records.at[n - 1].element.index + 1 : 0;
	size_t least = packet_from(w, after < index ? after : index);
	size_t end = packet_from(w, index + 1), first = end;
	while (first > least && end - first < PACKETS_SHOWN &&
	       (first == end || !is_unsynced(w, first - 1)))
		first--;
	if (first == end)
		return;
	expansion_open(e, &opencsd_fields[OPENCSD_F_PACKETS], FIELD_NOWHERE, 0, 0);
	for (size_t i = first; i < end; i++)
		add_packet(w, i, i + 1 == end && !keep_payload, e);
	expansion_close(e);
}

struct opencsd_job {
	const struct opencsd_decoder *decoder;
	const struct message *m;
	const struct window *window;
	enum expand_want want;
	const struct decode_history *history;
	struct expansion *e;
};

/* The element of a message. */
struct opencsd_found {
	const struct opencsd_element *element;
	size_t lane;
	const struct opencsd_worker *worker; /* has the elements before, too; NULL: not needed */
	size_t record;
};

/* --- messages over STM ------------------------------------------------- */

static bool
same_sender(const struct opencsd_element *a, const struct opencsd_element *b)
{
	return opencsd_element_has_sender(a) && a->master == b->master && a->channel == b->channel;
}

/* True if E, from the right sender, is the first of a message. */
static bool
opencsd_starts_message(const struct opencsd_element *e)
{
	return e->bits && e->flags & OPENCSD_HAS_TIMESTAMP;
}

/* Join the payload of the packets that end with record N.  Return the number of packets. */
static size_t
opencsd_assemble(const struct opencsd_job *j, const struct opencsd_worker *w, size_t n,
		 const uint8_t **payload, size_t *length)
{
	const struct opencsd_element *last = &w->records.at[n].element;
	uint64_t span = j->m->kind == OPENCSD_SYST ? OPENCSD_MESSAGE_SPAN : OPENCSD_OTHER_SPAN;
	uint64_t least = last->index > span ? last->index - span : 0;
	size_t first = n, packets = 0;
	uint64_t nibbles = last->bits / 4;
	for (size_t i = n; i-- && !opencsd_starts_message(&w->records.at[first].element);) {
		const struct opencsd_element *e = &w->records.at[i].element;
		if (e->index < least)
			break;
		if (!same_sender(e, last))
			continue;
		if (e->flags & OPENCSD_MARKER)
			break;
		nibbles += e->bits / 4;
		first = i;
	}
	uint8_t *bytes = arena_alloc(&j->e->arena, (size_t)(nibbles + 1) / 2 + 9);
	memset(bytes, 0, (size_t)(nibbles + 1) / 2 + 9);
	uint64_t at = 0;
	for (size_t i = first; i <= n; i++) {
		const struct opencsd_element *e = &w->records.at[i].element;
		if (!same_sender(e, last) || !e->bits)
			continue;
		packets++;
		for (unsigned k = 0; k < e->bits / 4u; k++, at++)
			bytes[at / 2] |= (uint8_t)((e->value >> 4 * k & 15) << at % 2 * 4);
	}
	*payload = bytes;
	*length = (size_t)(nibbles + 1) / 2;
	return packets;
}

/* --- messages ---------------------------------------------------------- */

static void
expand_syst(const struct opencsd_job *j, const struct opencsd_element *element,
	    const uint8_t *payload, size_t length)
{
	const struct syst_sender sender = {element->master, element->channel};
	j->e->payload = payload;
	j->e->payload_length = length;
	if (j->want == EXPAND_FIELDS)
		expansion_open(j->e, &opencsd_fields[OPENCSD_F_SYST], FIELD_NOWHERE, 0, 0);
	syst_expand(&j->decoder->syst, j->m, payload, length, j->want, j->history, &sender, j->e);
	if (j->want == EXPAND_FIELDS)
		expansion_close(j->e);
}

static void
set_origin(const struct opencsd_job *j, size_t lane, const struct opencsd_element *element)
{
	text_add(&j->e->origin, opencsd_source_name(j->decoder, lane));
	if (element->type == OPENCSD_SWTRACE && element->flags & OPENCSD_HAS_SENDER)
		text_addf(&j->e->origin, " %u:%u", element->master, element->channel);
}

/* Append the texts in an assembled payload. */
static void
describe_payload(const uint8_t *payload, size_t length, struct text *out)
{
	enum { LEAST = 4 };
	for (size_t i = 0, n; i < length; i += n + 1) {
		n = 0;
		while (i + n < length && payload[i + n] >= ' ' && payload[i + n] < 0x7f)
			n++;
		if (n >= LEAST)
			text_addf(out, " `%.*s`", (int)(n < 200 ? n : 200),
				  (const char *)payload + i);
	}
}

/* Append the name of an exception, before its number. */
static void
name_exception(const struct opencsd_job *j, size_t lane, const struct opencsd_element *element)
{
	int irq = -1;
	const char *name = NULL;
	size_t start = j->e->text.length;
	if (element->type == OPENCSD_EXCEPTION && !(element->flags & OPENCSD_DATA_MARKER))
		name = opencsd_exception_name(j->decoder->sources[lane].options, element->number,
					      &irq);
	if (!name)
		return;
	text_add(&j->e->text, name);
	if (irq >= 0)
		text_addf(&j->e->text, " %d", irq);
	if (j->want == EXPAND_FIELDS)
		add_text(j->e, OPENCSD_F_EXCEPTION_NAME, text_get(&j->e->text) + start,
			 j->e->text.length - start);
	text_add(&j->e->text, ": ");
}

static void
expand_record(const struct opencsd_job *j, const struct opencsd_found *found)
{
	const struct opencsd_element *element = found->element;
	const struct opencsd_worker *w = found->worker;
	const size_t lane = found->lane, n = found->record;
	bool fields = j->want == EXPAND_FIELDS, syst = j->m->kind == OPENCSD_SYST;
	const uint8_t *payload = NULL;
	size_t length = 0, packets = 0;
	if (w && element->type == OPENCSD_SWTRACE && element->flags & OPENCSD_MARKER)
		packets = opencsd_assemble(j, w, n, &payload, &length);
	if (fields)
		opencsd_element_fields(element, opencsd_source_name(j->decoder, lane), j->e);
	if (syst) {
		expand_syst(j, element, payload, length);
	} else {
		if (j->want >= EXPAND_TYPE)
			text_add(&j->e->type, opencsd_type_name(element->type));
		if (j->want >= EXPAND_TEXT)
			set_origin(j, lane, element);
		name_exception(j, lane, element);
		opencsd_element_describe(element, &j->e->text);
		if (packets > 1 || (packets && !element->bits))
			describe_payload(payload, length, &j->e->text);
	}
	if (!fields || !w)
		return;
	if (packets > 1 || (packets && !element->bits)) {
		struct field *field =
		    expansion_add(j->e, &opencsd_fields[OPENCSD_F_DATA], FIELD_NOWHERE, 0, 0);
		field->s.at = (const char *)payload;
		field->s.length = length;
	}
	add_packets(w, n, syst, j->e);
}

/* Expand a message that is no element: trace ID and a sentence. */
static void
expand_note(const struct opencsd_job *j, const char *type, const char *note)
{
	struct expansion *e = j->e;
	uint8_t id = opencsd_aux_id(j->m->aux);
	uint8_t lane = j->decoder->lane_of[id];
	text_add(&e->type, type);
	text_add(&e->text, note);
	if (lane != OPENCSD_NO_LANE)
		text_add(&e->origin, opencsd_source_name(j->decoder, lane));
	else if (id != CORESIGHT_NOBODY)
		text_addf(&e->origin, "ID 0x%02x", id);
	if (j->want != EXPAND_FIELDS)
		return;
	expansion_add(e, &opencsd_fields[OPENCSD_F_INDEX], FIELD_NOWHERE, 0, 0)->u =
	    coresight_index(j->decoder->format, j->m->offset);
	if (id != CORESIGHT_NOBODY)
		expansion_add(e, &opencsd_fields[OPENCSD_F_ID], FIELD_NOWHERE, 0, 0)->u = id;
	add_text(e, OPENCSD_F_NOTE, note, strlen(note));
}

static void
expand_stray(const struct opencsd_job *j)
{
	const struct opencsd_decoder *d = j->decoder;
	uint8_t id = opencsd_aux_id(j->m->aux), lane = d->lane_of[id];
	unsigned count = (uint32_t)j->m->aux;
	const char *note;
	if (j->m->flags & MESSAGE_TRUNCATED)
		note =
		    arena_format(&j->e->arena, "the capture ends inside a frame: %u bytes", count);
	else if (id == CORESIGHT_NOBODY)
		note = arena_format(&j->e->arena,
				    j->m->flags & MESSAGE_LOST
					? "%u bytes without a trace ID or frame synchronisation"
					: "%u bytes before the first trace ID",
				    count);
	else if (lane != OPENCSD_NO_LANE)
		note = arena_format(&j->e->arena, "%u bytes of %s are not decoded: %s", count,
				    opencsd_source_name(d, lane), d->sources[lane].problem);
	else
		note = arena_format(&j->e->arena,
				    "%u bytes of trace ID 0x%02x are not decoded: no source has it",
				    count, id);
	expand_note(j, "STRAY", note);
}

static void
expand_fatal(const struct opencsd_job *j)
{
	expand_note(j, "FATAL",
		    arena_format(&j->e->arena,
				 "the decoder gave up: %s; it goes on at the next synchronisation",
				 opencsd_fatal_text((int)(uint32_t)j->m->aux)));
}

static void
expand_lost(const struct opencsd_job *j)
{
	const struct opencsd_decoder *d = j->decoder;
	size_t n = (uint32_t)j->m->aux;
	const struct opencsd_run_options *run = n < d->runs.count ? d->runs.at[n] : NULL;
	struct text note = {0};
	if (run && run->lost)
		text_addf(&note, "%llu bytes are missing", (unsigned long long)run->lost);
	if (run && run->skip)
		text_addf(&note, "%s%llu bytes are in no run, and not decoded",
			  note.length ? "; " : "", (unsigned long long)run->skip);
	if (run && run->reason)
		text_addf(&note, "%s%s", note.length ? "; " : "", run->reason);
	expand_note(j, "LOST", arena_text(&j->e->arena, text_get(&note), note.length));
	text_free(&note);
}

/* Call WITH for the element of a message.  Unless ALONE, the elements before it are available too.
 * Return false if it is not found. */
static bool
with_element(const struct opencsd_job *j, bool alone,
	     void (*with)(const struct opencsd_job *, const struct opencsd_found *))
{
	if (j->m->kind > OPENCSD_SYST)
		return false;
	const bool packets = j->want == EXPAND_FIELDS;
	uint8_t lane = j->decoder->lane_of[opencsd_aux_id(j->m->aux)];
	struct opencsd_element kept;
	if (lane == OPENCSD_NO_LANE)
		return false;
	if (alone && opencsd_kept_find(j->decoder->kept, j->m, &kept)) {
		with(j, &(struct opencsd_found){.element = &kept, .lane = lane});
		return true;
	}
	struct opencsd_request request = request_of(j->decoder, j->m, packets);
	struct opencsd_worker *w = check_out(j->decoder->pool, lane, &request);
	ptrdiff_t n = find_record(w, j->window, &request);
	if (n >= 0)
		with(j, &(struct opencsd_found){&w->records.at[n].element, lane, w, (size_t)n});
	check_in(j->decoder->pool, w);
	return n >= 0;
}

void
opencsd_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	       enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	const struct opencsd_job j = {
	    (const struct opencsd_decoder *)decoder, m, w, want, history, e};
	if (m->kind >= OPENCSD_KIND_COUNT)
		opencsd_swo_expand(j.decoder, m, w, want, e);
	else if (m->kind == OPENCSD_STRAY)
		expand_stray(&j);
	else if (m->kind == OPENCSD_FATAL)
		expand_fatal(&j);
	else if (m->kind == OPENCSD_LOST)
		expand_lost(&j);
	else if (!with_element(&j, want != EXPAND_FIELDS, expand_record))
		expand_note(&j, opencsd_type_name(m->kind), OPENCSD_NOT_FOUND);
}

/* --- other operations -------------------------------------------------- */

/* Use the kind as the key: an element has only the type of its kind. */
void
opencsd_type_keys(const struct decoder *decoder, const struct message *m, size_t count,
		  const struct window *w, uint64_t *keys, bool *keyed)
{
	(void)decoder, (void)w;
	for (size_t i = 0; i < count; i++) {
		keys[i] = m[i].kind;
		keyed[i] &= m[i].kind < OPENCSD_ELEMENTS;
	}
}

struct flow_job {
	struct opencsd_job j; /* first, because the callback casts it back */
	struct flow_packet *flow;
};

/* Take the flow of an element.  If no memory region belongs to a context, all contexts count as
 * one. */
static void
take_flow(const struct opencsd_job *j, const struct opencsd_found *found)
{
	const struct flow_job *job = (const struct flow_job *)j;
	const struct opencsd_source *source = &j->decoder->sources[found->lane];
	bool apart = false;
	opencsd_element_flow(found->element, source->options, job->flow);
	for (size_t i = 0; i < source->memory.count && job->flow->kind == FLOW_CONTEXT; i++)
		apart |= source->memory.at[i].context != 0;
	if (!apart)
		job->flow->element.context_id = job->flow->element.vmid = 0;
}

/* Kinds of element with program flow. */
enum {
	FLOW_KINDS = 1 << OPENCSD_NO_SYNC | 1 << OPENCSD_TRACE_ON | 1 << OPENCSD_PE_CONTEXT |
		     1 << OPENCSD_INSTR_RANGE | 1 << OPENCSD_I_RANGE_NOPATH |
		     1 << OPENCSD_ADDR_NACC | 1 << OPENCSD_ADDR_UNKNOWN | 1 << OPENCSD_EXCEPTION |
		     1 << OPENCSD_EXCEPTION_RET | 1 << OPENCSD_CYCLE_COUNT | 1 << OPENCSD_TIMESTAMP
};

void
opencsd_flow(const struct decoder *decoder, const struct message *m, const struct window *w,
	     const struct flow_modes *modes, struct flow_packet *flow)
{
	(void)modes;
	const struct flow_job job = {
	    .j = {(const struct opencsd_decoder *)decoder, m, w, EXPAND_TEXT, NULL, NULL},
	    .flow = flow};
	if (opencsd_message_flow(m, flow))
		return;
	bool says = FLOW_KINDS >> m->kind & 1;
	if (says && with_element(&job.j, true, take_flow))
		return;
	flow_packet_begin_element(flow, says ? FLOW_LOST : FLOW_NOTHING);
	if (says)
		flow->element.why =
		    "an element cannot be decoded again: bytes before it are missing";
}

const uint8_t *
opencsd_memory(const struct decoder *decoder, const struct decode_memory *whose, uint64_t address,
	       size_t *length)
{
	const struct opencsd_decoder *d = (const struct opencsd_decoder *)decoder;
	uint8_t lane = whose->origin < CORESIGHT_IDS ? d->lane_of[whose->origin] : OPENCSD_NO_LANE;
	if (lane == OPENCSD_NO_LANE)
		return NULL;
	const struct opencsd_region *r =
	    opencsd_find_region(&d->sources[lane], whose->context_id, whose->vmid, address);
	if (!r || !r->bytes)
		return NULL;
	uint64_t at = address - r->address;
	*length = (size_t)(r->length - at);
	return r->bytes + at;
}

static void
print_record(const struct opencsd_job *j, const struct opencsd_found *found)
{
	opencsd_element_line(found->element, &j->e->text);
}

bool
opencsd_print(const struct decoder *decoder, const struct message *m, const struct window *w,
	      struct expansion *e, struct text *out)
{
	expansion_clear(e);
	const struct opencsd_job j = {
	    (const struct opencsd_decoder *)decoder, m, w, EXPAND_TEXT, NULL, e};
	bool found = with_element(&j, true, print_record);
	text_add_bytes(out, text_get(&e->text), e->text.length);
	return found;
}
