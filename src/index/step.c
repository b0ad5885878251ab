/*
 * Stepping over a capture: see step.h.
 *
 * A capture that is whole costs one question for each batch of messages.
 */
#include "config.h"

#include "index/step.h"

enum { BATCH = 256 }; /* messages a step; 12 KiB stay in the first cache */

static bool
is_missing(const struct capture *capture, const struct message *m)
{
	return m->kind != DECODE_KIND_LOSS && m->length &&
	       capture_misses(capture, m->offset, m->length);
}

size_t
step_capture(const struct capture *capture, const struct decoder *decoder,
	     struct decode_state *state, const struct window *window, struct message *out,
	     size_t max)
{
	size_t count = decoder->ops->step(decoder, state, window, out, max);
	if (capture_is_whole(capture))
		return count;
	for (size_t i = 0; i < count; i++) {
		if (is_missing(capture, &out[i])) {
			out[i].flags |= MESSAGE_DAMAGED;
			out[i].severity = SEVERITY_ERROR; /* zeros tell of none */
		}
	}
	return count;
}

bool
step_summarise(const struct capture *capture, const struct decoder *decoder,
	       struct decode_state *state, const struct window *window, struct summary *summary)
{
	struct message batch[BATCH];
	/* of what is missing, each message must say whether it lies there */
	if (summary && decoder->ops->summarise && capture_is_whole(capture)) {
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
	*m = (struct message){.offset = window->offset + window->length,
			      .origin = decoder->ops->origin_none,
			      .flags = MESSAGE_LOST,
			      .kind = DECODE_KIND_LOSS,
			      .severity = SEVERITY_ERROR};
	return true;
}

void
step_expand_closing(const struct capture *capture, struct expansion *e)
{
	text_add(&e->type, decode_kind_loss.name);
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
