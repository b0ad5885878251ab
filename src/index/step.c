/*
 * Stepping over a capture: see step.h.
 *
 * A complete capture costs one check per batch of messages.
 */
#include "config.h"

#include "index/step.h"

enum { BATCH = 256 }; /* messages per step; 12 KiB stay in the first-level cache */

static bool
is_missing(const struct capture *capture, const struct message *m)
{
	return m->kind != DECODE_KIND_LOSS && m->length &&
	       capture_misses(capture, m->offset, m->length);
}

/* Step over bytes without a break. */
static size_t
step_piece(const struct capture *capture, const struct decoder *decoder, struct decode_state *state,
	   const struct window *window, struct message *out, size_t max)
{
	size_t count = decoder->ops->step(decoder, state, window, out, max);
	if (capture_is_whole(capture))
		return count;
	for (size_t i = 0; i < count; i++) {
		if (is_missing(capture, &out[i])) {
			out[i].flags |= MESSAGE_DAMAGED;
			out[i].severity = SEVERITY_ERROR; /* zeros have no severity */
		}
	}
	return count;
}

/* --- what was dropped ---------------------------------------------------- */

enum {
	LOSS_DROPPED = 1,     /* value of `aux` */
	RESYNC_PART = 1 << 20 /* bytes per search for a resync point */
};

static void
fill_loss(const struct decoder *decoder, uint64_t offset, struct message *m)
{
	*m = (struct message){.offset = offset,
			      .origin = decoder->ops->origin_none,
			      .flags = MESSAGE_LOST,
			      .kind = DECODE_KIND_LOSS,
			      .severity = SEVERITY_ERROR};
}

void
step_fill_dropped(const struct decoder *decoder, uint64_t offset, struct message *m)
{
	fill_loss(decoder, offset - 1, m);
	m->aux = LOSS_DROPPED;
}

void
step_start(const struct capture *capture, const struct decoder *decoder, struct decode_state *state,
	   uint64_t offset)
{
	const uint64_t size = capture_size(capture), part = RESYNC_PART + decoder->ops->reach;
	bool found = false;
	for (uint64_t at = offset; !found && at < size; at += RESYNC_PART) {
		struct window window = {.bytes = capture_bytes(capture) + at,
					.offset = at,
					.length = (size_t)(size - at < part ? size - at : part),
					.until = UINT64_MAX};
		found = decoder->ops->resync(decoder, state, &window) == 0;
	}
	if (!found)
		decode_state_start_at(decoder, state,
				      decoder_starts_anywhere(decoder->ops) ? offset : size);
	state->passed = offset;
}

bool
step_expand_dropped(const struct capture *capture, const struct message *m, struct expansion *e)
{
	if (m->offset >= capture_begin(capture) || m->kind == DECODE_KIND_LOSS)
		return false;
	e->flags |= MESSAGE_DAMAGED;
	text_add(&e->text, "[its first bytes were dropped]");
	return true;
}

/* --- breaks -------------------------------------------------------------- */

/* Find the next break after a state, within the window. */
static bool
find_break(const struct capture *capture, const struct decode_state *state,
	   const struct window *window, struct capture_break *found)
{
	return capture_next_break(capture, state->passed, found) &&
	       found->offset < window->offset + window->length;
}

/* Step up to a break and move the state past it. *PASSED is false if messages before the
 * break remain or are not known yet. */
static size_t
step_to_break(const struct capture *capture, const struct decoder *decoder,
	      struct decode_state *state, const struct window *window, uint64_t at,
	      struct message *out, size_t max, bool *passed)
{
	struct window before = *window;
	uint64_t end = window->offset + window->length;
	bool again = decoder_starts_anywhere(decoder->ops);
	size_t count = 0;
	if (again) {
		before.length = at > window->offset ? (size_t)(at - window->offset) : 0;
		before.last = true;
	} else {
		before.until = at < window->until ? at : window->until;
	}
	if (state->offset <= at)
		count = step_piece(capture, decoder, state, &before, out, max);
	*passed = count < max && at < window->until &&
		  (again || window->last || end - at >= decoder->ops->reach);
	if (*passed && again && state->offset <= at)
		decode_state_start_at(decoder, state, at);
	if (*passed)
		state->passed = at + 1;
	return count;
}

size_t
step_capture(const struct capture *capture, const struct decoder *decoder,
	     struct decode_state *state, const struct window *window, struct message *out,
	     size_t max)
{
	struct capture_break found;
	size_t count = 0;
	while (count < max && find_break(capture, state, window, &found)) {
		bool passed;
		count += step_to_break(capture, decoder, state, window, found.offset, out + count,
				       max - count, &passed);
		if (!passed)
			return count;
		fill_loss(decoder, found.offset, &out[count++]);
	}
	if (count < max)
		count += step_piece(capture, decoder, state, window, out + count, max - count);
	return count;
}

int
step_resync(const struct capture *capture, const struct decoder *decoder,
	    struct decode_state *state, const struct window *window, uint64_t start)
{
	struct window bounded = *window;
	struct capture_break found;
	uint64_t at = window->offset, last = 0, end = at + window->length;
	bool any = false, more;
	while ((more = capture_next_break(capture, at, &found) && found.offset < end) &&
	       found.offset <= start) {
		last = found.offset;
		at = last + 1;
		any = true;
	}
	if (any && decoder_starts_anywhere(decoder->ops)) {
		decode_state_start_at(decoder, state, last);
		state->passed = last;
		return 0;
	}
	if (more)
		bounded.length = (size_t)(found.offset - window->offset);
	int failed = decoder->ops->resync(decoder, state, &bounded);
	state->passed = state->offset;
	return failed;
}

bool
step_summarise(const struct capture *capture, const struct decoder *decoder,
	       struct decode_state *state, const struct window *window, struct summary *summary)
{
	struct message batch[BATCH];
	struct capture_break found;
	/* with missing bytes, each message must be checked */
	if (summary && decoder->ops->summarise && capture_is_whole(capture) &&
	    !find_break(capture, state, window, &found)) {
		decoder->ops->summarise(decoder, state, window, summary);
		return true;
	}
	size_t count = step_capture(capture, decoder, state, window, batch, BATCH);
	if (summary)
		summary_add(summary, batch, count);
	return count < BATCH;
}

bool
step_closing(const struct capture *capture, const struct decoder *decoder,
	     const struct decode_state *state, const struct window *window, struct message *m)
{
	if (window->until != UINT64_MAX || !decode_at_end(state, window) || !capture_ended(capture))
		return false;
	capture_verify(capture);
	if (capture_is_whole(capture))
		return false;
	fill_loss(decoder, window->offset + window->length, m);
	return true;
}

void
step_expand_loss(const struct capture *capture, const struct message *m, struct expansion *e)
{
	struct capture_break found;
	text_add(&e->type, decode_kind_loss.name);
	if (m->aux == LOSS_DROPPED) {
		text_add_size(&e->text, m->offset + 1);
		text_add(&e->text, " dropped: --spool-limit keeps the newest ");
		text_add_size(&e->text, capture_limit(capture));
	} else if (capture_next_break(capture, m->offset, &found) && found.offset == m->offset)
		text_addf(&e->text,
			  "the source broke off for %llu.%03llu s: what was sent meanwhile is "
			  "missing",
			  (unsigned long long)(found.ms / 1000),
			  (unsigned long long)(found.ms % 1000));
	else
		capture_describe_loss(capture, &e->text);
}

void
step_expand_missing(const struct capture *capture, const struct message *m, struct expansion *e)
{
	if (!is_missing(capture, m))
		return;
	e->flags |= MESSAGE_DAMAGED;
	text_add(&e->text, e->text.length ? " [bytes are missing]" : "[bytes are missing]");
}
