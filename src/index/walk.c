/*
 * Walker: see walk.h.
 *
 * The walker reads the capture through its own buffer. Latency limits the search for
 * message boundaries, and a buffer that stays in the cache is faster than fresh
 * mapped pages. Its bytes also cannot change between two reads. Messages are added
 * up as they are found; none is stored.
 */
#include "config.h"

#include "index/walk.h"
#include "index/step.h"

#include <stdlib.h>
#include <string.h>

enum {
	BUFFER = 512 * 1024, /* plus the decoder's reach */
	CHECK_BATCH = 256,   /* messages to check while their bytes are in the cache */
	GUESS_MAX = 1 << 20  /* largest distance to a resync point, in bytes */
};

struct walker {
	struct capture *capture;
	const struct decoder *decoder;
	unsigned cell_shift;
	struct decode_state *state, *scratch;
	struct summary summary;
	uint16_t checked;	    /* severities to check */
	struct expansion expansion; /* of a checked message */
	uint64_t flagged[MESSAGE_FLAGS_DOUBT];
	bool unnamed;
	const struct clock_source *clocks; /* source of readings to collect, or NULL */
	/* collect at once: the last cell may have had readings */
	bool tells;
	index_readings *readings; /* of the cell; NULL: do not collect */
	size_t buffer_size, filled;
	uint64_t buffer_offset;
	uint8_t *buffer;
	uint64_t end; /* end of the capture in the last step, or NO_END */
};

void
cell_result_free(struct cell_result *result)
{
	vec_free(&result->rows);
	vec_free(&result->readings);
}

struct walker *
walker_new(struct capture *capture, const struct decoder *decoder, unsigned cell_shift,
	   uint16_t checked)
{
	struct walker *w = mem_new(sizeof *w);
	w->capture = capture;
	w->decoder = decoder;
	w->cell_shift = cell_shift;
	w->checked = checked;
	w->state = decode_state_new(decoder);
	w->scratch = decode_state_new(decoder);
	w->buffer_size = BUFFER + decoder->ops->reach;
	w->buffer = mem_resize(NULL, w->buffer_size);
	return w;
}

void
walker_free(struct walker *w)
{
	if (!w)
		return;
	decode_state_free(w->decoder, w->state);
	decode_state_free(w->decoder, w->scratch);
	summary_free(&w->summary);
	expansion_free(&w->expansion);
	free(w->buffer);
	free(w);
}

void
walker_read_clocks(struct walker *w, bool on)
{
	w->clocks = on ? w->decoder->ops->clocks : NULL;
	w->tells = true;
}

size_t
walker_memory(const struct walker *w)
{
	return sizeof *w + w->buffer_size + 2 * w->decoder->ops->state_size;
}

/* --- bytes ------------------------------------------------------------- */

/* Move the unread tail of the buffer to its front and read more. Return true if bytes were read. */
static bool
refill_buffer(struct walker *w)
{
	uint64_t at = w->state->offset;
	uint64_t end = w->buffer_offset + w->filled;
	size_t kept = 0;
	if (at >= w->buffer_offset && at < end) {
		kept = (size_t)(end - at);
		memmove(w->buffer, w->buffer + (at - w->buffer_offset), kept);
	}
	w->buffer_offset = at;
	w->filled =
	    kept + capture_read(w->capture, at + kept, w->buffer + kept, w->buffer_size - kept);
	return w->filled > kept;
}

/* Empty the buffer if the state was moved outside it. */
static void
place_buffer(struct walker *w)
{
	uint64_t at = w->state->offset;
	if (w->filled && at >= w->buffer_offset && at <= w->buffer_offset + w->filled)
		return;
	w->buffer_offset = at;
	w->filled = 0;
}

/* Return the window over the buffer, up to UNTIL. At the end of the capture there is no bound. */
static struct window
window_until(const struct walker *w, uint64_t until)
{
	/* before the size, which may grow */
	bool ended = capture_ended(w->capture);
	uint64_t size = capture_size(w->capture);
	return (struct window){
	    .bytes = w->buffer,
	    .offset = w->buffer_offset,
	    .length = w->filled,
	    /* a message about the end of the capture may follow the last cell */
	    .until = ended && until >= size ? UINT64_MAX : until,
	    .last = ended && w->buffer_offset + w->filled >= size,
	};
}

/* Find a window that contains M, stepped over in WINDOW: this one, or the map if M began long
 * before. Return false if M is gone: its first bytes were dropped, or the capture shrank and
 * will be walked again. */
static bool
find_window(const struct walker *w, const struct window *window, const struct message *m,
	    struct window *out)
{
	*out = *window;
	if (m->offset >= window->offset)
		return true;
	uint64_t begin = capture_begin(w->capture), size = capture_size(w->capture);
	if (m->offset < begin || m->offset + m->length > size)
		return false;
	*out = (struct window){.bytes = capture_bytes(w->capture) + begin,
			       .offset = begin,
			       .length = (size_t)(size - begin)};
	return true;
}

static void
expand_message(struct walker *w, const struct window *window, const struct message *m,
	       enum expand_want want)
{
	expansion_clear(&w->expansion);
	w->decoder->ops->expand(w->decoder, m, window, want, NULL, &w->expansion);
}

/* --- checks ------------------------------------------------------------ */

/* Return the flags that only expanding finds. */
static unsigned
check_message(struct walker *w, const struct window *window, const struct message *m)
{
	struct window around;
	if (!find_window(w, window, m, &around))
		return 0;
	expand_message(w, &around, m, EXPAND_FLAGS);
	w->unnamed |= w->expansion.unnamed;
	return w->expansion.flags;
}

static void
count_flags(struct walker *w, const struct window *window, const struct message *m)
{
	unsigned flags = m->flags;
	if (flags & MESSAGE_CHECKED && w->checked >> m->severity & 1)
		flags |= check_message(w, window, m);
	for (unsigned bit = 0; bit < MESSAGE_FLAGS_DOUBT; bit++)
		w->flagged[bit] += flags >> bit & 1;
}

/* Like step_summarise, but without times, and with all messages counted for one sender. */
static bool
step_checked(struct walker *w, struct window *window, struct summary *summary)
{
	const unsigned some = MESSAGE_CHECKED | ((1u << MESSAGE_FLAGS_DOUBT) - 1);
	struct message batch[CHECK_BATCH];
	struct decode_check check = {.severities = w->checked};
	window->check = &check;
	size_t count = step_capture(w->capture, w->decoder, w->state, window, batch, CHECK_BATCH);
	uint32_t *severities = tally_row(&summary->tally, 0, 0)->severities;
	uint64_t kinds = 0, losses = 0;
	unsigned flags = 0;
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &batch[i];
		kinds |= (uint64_t)1 << m->kind;
		flags |= m->flags;
		severities[m->severity]++;
		if (!(m->flags & some))
			continue;
		losses += (m->flags & MESSAGE_LOSS) != 0;
		count_flags(w, window, m);
	}
	summary->count += count;
	summary->kinds |= kinds;
	summary->flags |= flags;
	summary->losses += losses;
	w->unnamed |= check.unnamed;
	return count < CHECK_BATCH;
}

/* --- clocks ------------------------------------------------------------ */

/* Return the clock reading in M; NOTHING if it has none. */
static struct clock_reading
read_clock(struct walker *w, const struct window *window, const struct message *m)
{
	struct clock_reading reading = {.kind = CLOCK_READING_NOTHING};
	const struct clock_source *source = w->clocks;
	struct window around;
	if (!find_window(w, window, m, &around))
		return reading;
	w->expansion.exported = true; /* details contain no clock */
	if (source->expand)
		expand_message(w, &around, m, EXPAND_FIELDS);
	source->read(w->decoder, m, &around, source->expand ? &w->expansion : NULL, &reading);
	return reading;
}

/* Collect the readings of a batch. SUMMARY covers the messages before it. */
static void
note_readings(struct walker *w, const struct window *window, const struct summary *summary,
	      const struct message *batch, size_t count)
{
	const struct clock_source *source = w->clocks;
	bool timed = summary->flags & MESSAGE_TIMED;
	uint64_t ticks = summary->ticks_last;
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &batch[i];
		timed |= (m->flags & MESSAGE_TIMED) != 0;
		ticks = m->flags & MESSAGE_TIMED ? m->ticks : ticks;
		if (!clock_source_concerns(source, m))
			continue;
		struct clock_reading reading = read_clock(w, window, m);
		if (reading.kind == CLOCK_READING_NOTHING)
			continue;
		*vec_add(w->readings) = (struct index_reading){
		    .reading = reading,
		    .sender = clock_source_owner(source, m),
		    .found_at = message_id_offset(m),
		    .ticks = ticks,
		    .timed = timed,
		};
	}
}

/* Like step_summarise, and collect readings. */
static bool
step_with_clocks(struct walker *w, const struct window *window, struct summary *summary)
{
	struct message batch[CHECK_BATCH];
	size_t count = step_capture(w->capture, w->decoder, w->state, window, batch, CHECK_BATCH);
	note_readings(w, window, summary, batch, count);
	summary_add(summary, batch, count);
	return count < CHECK_BATCH;
}

/* --- stepping ---------------------------------------------------------- */

/* Like step_summarise, with the checks or readings that the walker needs. */
static bool
step_looking(struct walker *w, struct window *window, struct summary *summary)
{
	if (summary && w->checked)
		return step_checked(w, window, summary);
	if (summary && w->readings)
		return step_with_clocks(w, window, summary);
	return step_summarise(w->capture, w->decoder, w->state, window, summary);
}

/* Bound the window so that the decoder's reach follows every message. The decoder then need
 * not check each message for enough bytes. Later messages are stepped over after the next
 * read. Skip this if the reach is a large part of the buffer, as it is moved before each
 * read. Return true if bounded. */
static bool
leave_reach(const struct walker *w, struct window *window)
{
	size_t reach = w->decoder->ops->reach;
	if (window->last || w->filled < w->buffer_size || reach > BUFFER / 4)
		return false;
	uint64_t stop = window->offset + window->length - reach;
	if (w->state->offset >= stop || window->until <= stop)
		return false;
	window->until = stop;
	return true;
}

/* Step until messages are at or past UNTIL, or the capture ends. Add them to SUMMARY, if not
 * NULL. */
static void
step_until(struct walker *w, uint64_t until, struct summary *summary)
{
	struct message closing;
	struct window window;
	bool ended, more, bounded;
	do {
		window = window_until(w, until);
		w->end = window.last ? w->buffer_offset + w->filled : NO_END;
		bounded = leave_reach(w, &window);
		ended = step_looking(w, &window, summary);
		uint64_t left = window.offset + window.length - w->state->offset;
		more = (left < w->decoder->ops->reach || (bounded && ended)) && !window.last &&
		       refill_buffer(w);
	} while (!ended || more || bounded);
	/* it stopped at `until` or at the end; or the capture shrank and will be walked again */
	if (!summary || !step_closing(w->capture, w->decoder, w->state, &window, &closing))
		return;
	summary_add(summary, &closing, 1);
	count_flags(w, &window, &closing);
}

/* Convert a summary to a cell without `first`. */
static struct index_cell
index_cell_of(const struct summary *sums)
{
	bool by_senders = sums->sender_min <= sums->sender_max && !sums->lacks_sender;
	struct index_cell cell = {
	    .time_min = sums->ticks_min,
	    .time_max = sums->ticks_max,
	    .sender_min = sums->sender_min,
	    .sender_max = sums->sender_max,
	    .count = (uint32_t)sums->count,
	    .kinds = sums->kinds,
	    .losses = sums->losses,
	    .message_flags = (uint16_t)sums->flags,
	    .flags = (sums->flags & MESSAGE_TIMED ? CELL_TIMED : 0) |
		     (sums->goes_back ? CELL_TIME_BACK : 0) | (by_senders ? CELL_BY_SENDERS : 0),
	};
	for (size_t i = 0; i < sums->tally.rows.count; i++)
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			cell.severities[s] += sums->tally.rows.at[i].severities[s];
	return cell;
}

/* Sum up a cell; collect its clock readings in READINGS, if not NULL. */
static void
sum_up(struct walker *w, uint64_t number, index_readings *readings)
{
	summary_clear(&w->summary);
	memset(w->flagged, 0, sizeof w->flagged);
	w->unnamed = false;
	w->readings = readings;
	step_until(w, (number + 1) << w->cell_shift, &w->summary);
}

/* Sum up a cell with its clock readings. If few cells have readings, first walk without
 * collecting, and again only if the cell has kinds that may contain them. If the last cell
 * had readings, collect at once. */
static void
sum_up_with_clocks(struct walker *w, uint64_t number, index_readings *readings)
{
	uint8_t entry[CHECKPOINT_MAX];
	uint64_t silent[DECODE_SILENT_MAX];
	const struct decoder_ops *ops = w->decoder->ops;
	memcpy(silent, w->state->silent, sizeof silent);
	if (!w->tells)
		ops->save(w->decoder, w->state, entry);
	sum_up(w, number, w->tells ? readings : NULL);
	bool any = w->summary.kinds & w->clocks->kinds;
	if (any && !w->tells) {
		walker_place(w, number, entry);
		memcpy(w->state->silent, silent, sizeof silent);
		sum_up(w, number, readings);
	}
	w->tells = any || !ops->summarise || ops->silent_repeats;
}

void
walker_cell(struct walker *w, uint64_t number, struct cell_result *result)
{
	const struct decoder_ops *ops = w->decoder->ops;
	const struct summary *sums = &w->summary;
	uint64_t silent[DECODE_SILENT_MAX];
	memcpy(silent, w->state->silent, sizeof silent);
	vec_free(&result->readings); /* free, not clear: only a few cells have many */
	if (w->clocks && !w->checked)
		sum_up_with_clocks(w, number, &result->readings);
	else
		sum_up(w, number, NULL);

	result->end = w->end;
	result->unnamed = w->unnamed;
	memcpy(result->flagged, w->flagged, sizeof w->flagged);
	result->ticks_first = sums->ticks_first;
	result->ticks_last = sums->ticks_last;
	result->cell = index_cell_of(sums);
	vec_clear(&result->rows);
	for (size_t i = 0; i < sums->tally.rows.count; i++)
		*vec_add(&result->rows) = sums->tally.rows.at[i];
	/* missing bytes make the cell damaged, however they decoded */
	if (capture_misses(w->capture, number << w->cell_shift, (uint64_t)1 << w->cell_shift))
		result->cell.message_flags |= MESSAGE_DAMAGED;
	for (size_t i = 0; i < ops->silent_count; i++)
		silent[i] = w->state->silent[i] - silent[i];
	ops->save(w->decoder, w->state, result->after);
	memcpy(result->after + ops->checkpoint_size, silent, ops->silent_count * sizeof *silent);
}

/* --- places ------------------------------------------------------------ */

void
walker_forget(struct walker *w)
{
	w->filled = 0;
}

void
walker_place(struct walker *w, uint64_t cell, const uint8_t *checkpoint)
{
	w->decoder->ops->restore(w->decoder, w->state, checkpoint);
	step_restored(w->state, cell << w->cell_shift);
	place_buffer(w);
}

bool
walker_start_before(struct walker *w, uint64_t cell, uint8_t *entry)
{
	const struct decoder_ops *ops = w->decoder->ops;
	uint64_t start = cell << w->cell_shift;
	for (uint64_t back = ops->run_up; back <= GUESS_MAX; back *= 4) {
		uint64_t from = start > back ? start - back : 0;
		w->state->offset = w->buffer_offset = from;
		w->filled = 0;
		while (w->filled < w->buffer_size && refill_buffer(w))
			continue;
		struct window window = window_until(w, UINT64_MAX);
		window.last = false;
		if (window.length > start - from)
			window.length = (size_t)(start - from);
		if (step_resync(w->capture, w->decoder, w->state, &window, start) != 0)
			continue;
		step_until(w, start, NULL);
		ops->save(w->decoder, w->state, entry);
		return true;
	}
	return false;
}

bool
walker_steady(struct walker *w, const uint8_t *before, const struct cell_result *result)
{
	uint8_t moved[RECORD_MAX];
	size_t size = record_size(w->decoder->ops);
	memcpy(moved, before, size);
	decode_checkpoint_shift(moved, (uint64_t)1 << w->cell_shift);
	return !memcmp(moved, result->after, size);
}
