/* Contexts along a window: see context_spans.h. */
#include "config.h"

#include "query/context_spans.h"
#include "session/session.h"

#include <stdlib.h>

enum { LOOK_BACK = 4 }; /* cells searched for a message of the sender */

struct context_spans {
	struct session *session;
	struct context_cursor **cursors; /* per trace, made when needed */
	struct text text;
};

/* The message that stands for a column. */
struct sample {
	bool any;
	struct message message;
};
typedef VEC(struct sample) samples;

struct context_spans *
context_spans_new(struct session *session)
{
	struct context_spans *s = mem_new(sizeof *s);
	s->session = session;
	s->cursors = mem_new(session->traces.count * sizeof *s->cursors);
	return s;
}

void
context_spans_free(struct context_spans *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->session->traces.count; i++)
		context_cursor_free(s->cursors[i]);
	free(s->cursors);
	text_free(&s->text);
	free(s);
}

/* --- samples ----------------------------------------------------------- */

struct looking {
	int64_t until;
	uint64_t origin;
	struct sample *sample;
};

static void
take_message(void *context, const struct message *m, int64_t time)
{
	struct looking *looking = context;
	if (time <= looking->until && m->origin == looking->origin)
		*looking->sample = (struct sample){true, *m};
}

/* The sender's last message up to a time, near it. */
static struct sample
sample_at(const struct context_spans_query *q, int64_t until)
{
	struct sample sample = {0};
	struct looking looking = {until, q->origin, &sample};
	uint64_t cell = track_find(q->track, until);
	if (cell >= q->track->spans.count && cell)
		cell = q->track->spans.count - 1;
	for (int left = LOOK_BACK; left && !sample.any; left--, cell--) {
		if (q->track->spans.count)
			track_walk(q->track, track_before(q->track, cell),
				   reader_decoded_cell(q->reader, cell), take_message, &looking);
		if (!cell)
			break;
	}
	return sample;
}

static bool
is_cancelled(const struct context_spans_query *q)
{
	return generation_now(q->questions) != q->question;
}

static bool
find_samples(const struct context_spans_query *q, samples *found)
{
	for (size_t c = 0; c < q->window->columns; c++) {
		int64_t until;
		uint64_t length = q->window->step * (c + 1) - 1;
		if (is_cancelled(q))
			return false;
		if (length > INT64_MAX ||
		    __builtin_add_overflow(q->window->from, (int64_t)length, &until))
			until = INT64_MAX;
		*vec_add(found) = sample_at(q, until);
	}
	return true;
}

/* --- values ------------------------------------------------------------ */

/* The value as it is drawn; false if there is none to tell. */
static bool
value_text(struct context_spans *s, const struct context_spans_query *q, unsigned context,
	   const struct message *m, struct density_span *span)
{
	struct contexts *contexts = s->session->contexts;
	struct context_cursor *cursor = s->cursors[q->trace];
	struct context_value value;
	if (!context_value(contexts, cursor, m, context, &value) ||
	    (value.state != CONTEXT_KNOWN && value.state != CONTEXT_UNKNOWN))
		return false;
	text_clear(&s->text);
	if (value.state == CONTEXT_KNOWN && !value.name)
		context_text(contexts, cursor, context, &value, &s->text);
	if (value.name)
		text_add(&s->text, value.name);
	if (value.state == CONTEXT_UNKNOWN)
		text_add_char(&s->text, '?');
	text_cut(&s->text, text_fit(text_get(&s->text), s->text.length, DENSITY_NAME - 1, NULL));
	size_t length = s->text.length < DENSITY_NAME ? s->text.length : DENSITY_NAME - 1;
	memset(span->text, 0, DENSITY_NAME);
	memcpy(span->text, text_get(&s->text), length);
	span->doubtful = value.doubtful || value.state == CONTEXT_UNKNOWN;
	return true;
}

static bool
find_values(struct context_spans *s, const struct context_spans_query *q, unsigned context,
	    const samples *found, struct density_answer *answer)
{
	struct density_span *last = NULL;
	for (size_t c = 0; c < found->count; c++) {
		struct density_span own = {.context = context, .from = c, .to = c};
		struct message m = found->at[c].message;
		if (is_cancelled(q))
			return false;
		if (!found->at[c].any || !value_text(s, q, context, &m, &own)) {
			last = found->at[c].any ? NULL : last;
			continue;
		}
		if (last && last->doubtful == own.doubtful && !strcmp(last->text, own.text)) {
			last->to = c;
			continue;
		}
		last = vec_add(&answer->spans);
		*last = own;
	}
	return true;
}

bool
context_spans_find(struct context_spans *s, const struct context_spans_query *q,
		   struct density_answer *answer)
{
	struct contexts *contexts = s->session->contexts;
	samples found = {0};
	if (!s->cursors[q->trace])
		s->cursors[q->trace] =
		    context_cursor_new(contexts, s->session->traces.at[q->trace]);
	bool whole = find_samples(q, &found);
	for (unsigned i = 0; whole && i < contexts_count(contexts); i++)
		whole = find_values(s, q, i, &found, answer);
	vec_free(&found);
	return whole;
}
