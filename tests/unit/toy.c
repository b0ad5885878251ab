/* The toy decoder: see toy.h. */
#include "config.h"

#include "toy.h"
#include "base/bytes.h"
#include "decode/summary.h"
#include "temp_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
toy_start(const struct decoder *decoder, struct decode_state *state)
{
	(void)decoder;
	state->offset = 0;
}

static void
toy_save(const struct decoder *decoder, const struct decode_state *state, uint8_t *out)
{
	(void)decoder;
	memcpy(out, &state->offset, 8);
}

static void
toy_restore(const struct decoder *decoder, struct decode_state *state, const uint8_t *in)
{
	(void)decoder;
	memcpy(&state->offset, in, 8);
}

/* One message at the state's offset; 0 if the window is too short. */
static size_t
toy_one(struct decode_state *state, const struct window *w, struct message *m)
{
	const uint8_t *p = w->bytes + (state->offset - w->offset);
	size_t left = (size_t)(w->offset + w->length - state->offset);
	*m = (struct message){.offset = state->offset};
	if (*p == 0xa5) {
		if (left < TOY_RECORD && !w->last)
			return 0;
		m->kind = TOY_MESSAGE;
		m->length = left < TOY_RECORD ? (uint32_t)left : TOY_RECORD;
		m->flags = left < TOY_RECORD ? MESSAGE_TRUNCATED : MESSAGE_TIMED;
		m->severity = left > 1 ? p[1] & 7 : 0;
		m->origin = left > 2 ? p[2] : 0;
		m->ticks = left < TOY_RECORD ? 0 : bytes_le64(p + 8);
		if (m->severity == SEVERITY_ERROR)
			m->flags |= MESSAGE_DAMAGED;
	} else if (*p == 0) {
		uint64_t cut = decode_run_cut(state->offset) - state->offset;
		size_t run = bytes_zero_run(p, left < cut ? left : (size_t)cut);
		if (run == left && run < cut && !w->last)
			return 0;
		m->kind = TOY_FILLER;
		m->severity = SEVERITY_DEBUG;
		m->length = (uint32_t)run;
	} else {
		m->kind = TOY_JUNK;
		m->severity = SEVERITY_ERROR;
		m->flags = MESSAGE_DAMAGED;
		m->length = 1;
	}
	return 1;
}

static size_t
toy_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	 struct message *out, size_t max)
{
	(void)decoder;
	size_t count = 0;
	while (count < max && state->offset < w->offset + w->length && state->offset < w->until) {
		if (!toy_one(state, w, &out[count]))
			break;
		state->offset += out[count++].length;
	}
	return count;
}

/* The same sums; sound records are counted where they lie. */
static void
toy_summarise(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct summary *s)
{
	uint64_t end = w->offset + w->length;
	struct message m;
	(void)decoder;
	while (state->offset < end && state->offset < w->until) {
		const uint8_t *p = w->bytes + (state->offset - w->offset);
		if (*p != 0xa5 || end - state->offset < TOY_RECORD) {
			if (!toy_one(state, w, &m))
				return;
			summary_add(s, &m, 1);
			state->offset += m.length;
			continue;
		}
		uint64_t ticks = bytes_le64(p + 8);
		unsigned severity = p[1] & 7;
		if (!(s->flags & MESSAGE_TIMED))
			s->ticks_first = s->ticks_last = ticks;
		s->goes_back |= ticks < s->ticks_last;
		s->ticks_min = ticks < s->ticks_min ? ticks : s->ticks_min;
		s->ticks_max = ticks > s->ticks_max ? ticks : s->ticks_max;
		s->ticks_last = ticks;
		s->flags |= MESSAGE_TIMED | (severity == SEVERITY_ERROR ? MESSAGE_DAMAGED : 0u);
		s->losses += severity == SEVERITY_ERROR;
		s->kinds |= 1u << TOY_MESSAGE;
		s->count++;
		tally_count(&s->tally, p[2], severity, state->offset);
		state->offset += TOY_RECORD;
	}
}

static int
toy_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	(void)decoder;
	for (size_t i = 0; i + TOY_RECORD < w->length; i++) {
		if (w->bytes[i] == 0xa5 &&
		    (w->bytes[i + TOY_RECORD] == 0xa5 || w->bytes[i + TOY_RECORD] == 0)) {
			state->offset = w->offset + i;
			return 0;
		}
	}
	return ERR_SYNC;
}

static const struct field_row toy_fields[] = {
    {.name = "number", .type = FIELD_UINT, .help = "number of the record"},
};

static void
toy_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	   enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	(void)decoder;
	(void)history;
	const uint8_t *p = w->bytes + (m->offset - w->offset);
	text_add(&e->type, m->kind == TOY_MESSAGE ? "message" : "other");
	text_addf(&e->origin, "o%llu", (unsigned long long)m->origin);
	if (m->kind != TOY_MESSAGE || m->length < TOY_RECORD)
		return;
	text_addf(&e->text, "record %u", (unsigned)bytes_le32(p + 4));
	if (want == EXPAND_FIELDS)
		expansion_add(e, &toy_fields[0], FIELD_PAYLOAD, 32, 32)->u = bytes_le32(p + 4);
}

static void
toy_probe(const struct window *head, struct probe *probe)
{
	probe->score = head->length && head->bytes[0] == 0xa5 ? 50 : 0;
}

static struct decoder *
toy_ops_open(const void *options, const struct window *head, struct err *err)
{
	(void)options;
	(void)head;
	(void)err;
	struct decoder *decoder = mem_new(sizeof *decoder);
	decoder->ops = &toy_ops;
	return decoder;
}

static void
toy_close(struct decoder *decoder)
{
	free(decoder);
}

static const struct kind_row toy_kinds[] = {
    {.name = "filler", .help = "zeros"},
    {.name = "message", .help = "a record"},
    {.name = "junk", .help = "anything else"},
};

const struct decoder_ops toy_ops = {
    .format = "toy",
    .title = "toy",
    .help = "toy",
    .fields = toy_fields,
    .field_count = 1,
    .kinds = toy_kinds,
    .kind_count = 3,
    .reach = 64 * 1024 + 64,
    .run_up = 4096,
    .state_size = sizeof(struct decode_state),
    .checkpoint_size = 8,
    .probe = toy_probe,
    .open = toy_ops_open,
    .close = toy_close,
    .start = toy_start,
    .save = toy_save,
    .restore = toy_restore,
    .is_free = true,
    .step = toy_step,
    .summarise = toy_summarise,
    .resync = toy_resync,
    .expand = toy_expand,
};

struct decoder *
toy_open(void)
{
	return toy_ops_open(NULL, NULL, NULL);
}

void
toy_write(uint8_t *out, unsigned severity, unsigned origin, uint32_t number, uint64_t ticks)
{
	memset(out, 0, TOY_RECORD);
	out[0] = 0xa5;
	out[1] = (uint8_t)severity;
	out[2] = (uint8_t)origin;
	for (int i = 0; i < 4; i++)
		out[4 + i] = (uint8_t)(number >> 8 * i);
	for (int i = 0; i < 8; i++)
		out[8 + i] = (uint8_t)(ticks >> 8 * i);
}

char *
toy_file(const void *bytes, size_t length)
{
	char path[TEMP_PATH];
	temp_make(path, "", bytes, length);
	return mem_text(path);
}
