/*
 * Fuzz target: what a live source sent that broke off here and there, without a source.
 *
 * The first byte chooses the decoder, by its place in the registry; the second says how many
 * breaks there are, and two bytes for each where; the rest is what was sent.  The linker
 * (--wrap) has index/step.c ask here for the breaks.
 *
 * However it is stepped over, the messages are those of the pieces, each decoded as a capture
 * of its own, with a loss before each but the first.  A decoder that cannot begin anywhere
 * goes on over a break.
 */
#include "config.h"

#include "../drive.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "decode/registry.h"
#include "index/step.h"

#include <stdlib.h>
#include <string.h>

enum { BREAKS_MAX = 8, BATCH = 64 };

/* What stands for the capture. */
struct breaks {
	uint64_t at[BREAKS_MAX];
	size_t count;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool __wrap_capture_is_whole(const struct capture *);
bool __wrap_capture_next_break(const struct capture *, uint64_t offset, struct capture_break *);

bool
__wrap_capture_is_whole(const struct capture *capture)
{
	(void)capture;
	return true;
}

bool
__wrap_capture_next_break(const struct capture *capture, uint64_t offset,
			  struct capture_break *found)
{
	const struct breaks *breaks = (const void *)capture;
	for (size_t i = 0; i < breaks->count; i++)
		if (breaks->at[i] >= offset) {
			*found = (struct capture_break){.offset = breaks->at[i], .ms = 1};
			return true;
		}
	return false;
}

static void
check(bool promise)
{
	if (!promise)
		abort();
}

/* --- what there must be -------------------------------------------------- */

static void
add_loss(const struct drive *d, uint64_t offset, message_list *list)
{
	*vec_add(list) = (struct message){.offset = offset,
					  .origin = d->ops->origin_none,
					  .flags = MESSAGE_LOST,
					  .kind = DECODE_KIND_LOSS,
					  .severity = SEVERITY_ERROR};
}

static void
add_piece(const struct drive *d, uint64_t from, uint64_t to, message_list *list)
{
	const struct window w = {.bytes = d->bytes + from,
				 .offset = from,
				 .length = (size_t)(to - from),
				 .until = UINT64_MAX,
				 .last = true};
	struct decode_state *state = decode_state_new(d->decoder);
	struct message m;
	decode_state_start_at(d->decoder, state, from);
	while (d->ops->step(d->decoder, state, &w, &m, 1))
		*vec_add(list) = m;
	decode_state_free(d->decoder, state);
}

static message_list
list_pieces(const struct drive *d, const struct breaks *breaks)
{
	message_list list = {0};
	uint64_t from = 0;
	for (size_t i = 0; i < breaks->count; from = breaks->at[i++]) {
		add_piece(d, from, breaks->at[i], &list);
		add_loss(d, breaks->at[i], &list);
	}
	add_piece(d, from, d->length, &list);
	return list;
}

/* --- ways to step -------------------------------------------------------- */

static void
walk(const struct drive *d, const struct breaks *breaks, struct decode_state *state,
     const struct window *w, size_t batch, message_list *list)
{
	size_t count;
	do {
		vec_reserve(list, batch);
		count = step_capture((const void *)breaks, d->decoder, state, w,
				     list->at + list->count, batch);
		check(count <= batch);
		list->count += count;
	} while (count == batch);
}

static message_list
walk_whole(const struct drive *d, const struct breaks *breaks, size_t batch)
{
	struct decode_state *state = decode_state_new(d->decoder);
	struct window w = drive_window(d);
	message_list list = {0};
	walk(d, breaks, state, &w, batch, &list);
	decode_state_free(d->decoder, state);
	return list;
}

/* As it comes, BY bytes at a time. */
static message_list
walk_growing(const struct drive *d, const struct breaks *breaks, size_t by)
{
	struct decode_state *state = decode_state_new(d->decoder);
	struct window w = drive_window(d);
	message_list list = {0};
	w.last = false;
	for (w.length = 0; w.length < d->length; w.length += by)
		walk(d, breaks, state, &w, BATCH, &list);
	w = drive_window(d);
	walk(d, breaks, state, &w, BATCH, &list);
	decode_state_free(d->decoder, state);
	return list;
}

/* In cells, each from the checkpoint behind the one before. */
static message_list
walk_cells(const struct drive *d, const struct breaks *breaks, size_t cell)
{
	struct decode_state *state = decode_state_new(d->decoder);
	struct window w = drive_window(d);
	uint8_t saved[CHECKPOINT_MAX];
	message_list list = {0};
	for (w.until = cell; w.until < d->length; w.until += cell) {
		walk(d, breaks, state, &w, BATCH, &list);
		d->ops->save(d->decoder, state, saved);
		d->ops->restore(d->decoder, state, saved);
		step_restored(state, w.until);
	}
	w.until = UINT64_MAX;
	walk(d, breaks, state, &w, BATCH, &list);
	decode_state_free(d->decoder, state);
	return list;
}

/* From the middle on there are messages at or behind it. */
static void
walk_resync(const struct drive *d, const struct breaks *breaks, size_t from)
{
	struct decode_state *state = decode_state_new(d->decoder);
	struct window w = drive_window(d);
	message_list list = {0};
	w.bytes += from;
	w.offset = from;
	w.length -= from;
	state->offset = from;
	if (!step_resync((const void *)breaks, d->decoder, state, &w, from))
		walk(d, breaks, state, &w, BATCH, &list);
	for (size_t i = 0; i < list.count; i++)
		check(list.at[i].offset >= from);
	vec_free(&list);
	decode_state_free(d->decoder, state);
}

/* --- inputs -------------------------------------------------------------- */

static void
check_list(message_list list, const message_list *want, bool losses)
{
	size_t at = 0;
	for (size_t i = 0; i < list.count; i++) {
		if (!losses && list.at[i].kind == DECODE_KIND_LOSS)
			continue;
		check(at < want->count && drive_same_message(&list.at[i], &want->at[at++]));
	}
	check(at == want->count);
	vec_free(&list);
}

static void
check_ways(const struct drive *d, const struct breaks *breaks)
{
	static const struct breaks none;
	bool again = decoder_starts_anywhere(d->ops);
	message_list want = again ? list_pieces(d, breaks) : walk_whole(d, &none, BATCH);
	check_list(walk_whole(d, breaks, BATCH), &want, again);
	check_list(walk_whole(d, breaks, 1), &want, again);
	check_list(walk_growing(d, breaks, d->length / 8 + 1), &want, again);
	check_list(walk_cells(d, breaks, d->length / 4 + 1), &want, again);
	for (size_t i = 1; i < 4; i++)
		walk_resync(d, breaks, i * d->length / 4);
	vec_free(&want);
}

static int
compare_offsets(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

/* A break lies between bytes. */
static void
read_breaks(const uint8_t *data, size_t count, size_t length, struct breaks *breaks)
{
	uint64_t at[BREAKS_MAX];
	for (size_t i = 0; i < count; i++)
		at[i] = bytes_le16(data + 2 * i) % (length + 1);
	qsort(at, count, sizeof *at, compare_offsets);
	for (size_t i = 0; i < count; i++)
		if (at[i] && at[i] < length && (!i || at[i] != at[i - 1]))
			breaks->at[breaks->count++] = at[i];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = size < 2 ? 0 : data[1] % (BREAKS_MAX + 1);
	struct breaks breaks = {.count = 0};
	struct err err = {0};
	struct drive d;
	if (size < 2 + 2 * count)
		return 0;
	const uint8_t *sent = data + 2 + 2 * count;
	drive_choose(&d, data[0], sent, (size_t)(data + size - sent));
	read_breaks(data + 2, count, d.length, &breaks);
	if (drive_try(&d, &err))
		check_ways(&d, &breaks);
	drive_close(&d);
	return 0;
}
