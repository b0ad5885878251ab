/*
 * The decoder for captures of no known format: it makes no messages.
 *
 * It is not in the registry, so no name selects it.  A trace uses it until a
 * format is chosen.  The bytes are not even read.
 */
#include "config.h"

#include "decode/registry.h"

#include <stdlib.h>
#include <string.h>

static void
undecoded_probe(const struct window *head, struct probe *probe)
{
	(void)head;
	probe->score = 0;
}

static struct decoder *
undecoded_open(const void *options, const struct window *head, struct err *err)
{
	struct decoder *decoder = mem_new(sizeof *decoder);
	(void)options;
	(void)head;
	(void)err;
	decoder->ops = &undecoded_ops;
	return decoder;
}

static size_t
undecoded_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	       struct message *out, size_t max)
{
	uint64_t end = w->offset + w->length;
	(void)decoder;
	(void)out;
	(void)max;
	if (end > w->until)
		end = w->until;
	if (state->offset < end)
		state->offset = end;
	return 0;
}

static int
undecoded_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	(void)decoder;
	state->offset = w->offset;
	return 0;
}

static void
undecoded_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
		 enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	(void)decoder;
	(void)m;
	(void)w;
	(void)want;
	(void)history;
	(void)e;
}

static const struct kind_row kinds[] = {{"none", "there are no messages"}};

const struct decoder_ops undecoded_ops = {
    .format = "unknown",
    .title = "no known format",
    .help = "nothing is decoded",
    .kinds = kinds,
    .kind_count = 1,
    .reach = 1,
    .state_size = sizeof(struct decode_state),
    .checkpoint_size = sizeof(uint64_t),
    .probe = undecoded_probe,
    .open = undecoded_open,
    .close = decode_plain_close,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = undecoded_step,
    .resync = undecoded_resync,
    .expand = undecoded_expand,
};
