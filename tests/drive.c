/*
 * The checks behind drive.h.
 *
 * The sequence of one pass over the whole is the measure; the other ways are
 * compared with it message by message: a window that grows (a followed file),
 * small windows (a reader), blocks bounded by `until` with a fresh window each (the
 * index), a state restored from its checkpoint (everything else).
 */
#include "config.h"

#include "drive.h"

#include "base/text.h"
#include "base/vec.h"
#include "decode/registry.h"
#include "decode/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(promise)                                                                             \
	do {                                                                                       \
		if (!(promise)) {                                                                  \
			fprintf(stderr, "drive.c:%d: broken: %s\n", __LINE__, #promise);           \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

enum { BATCH = 64 };

void
drive_open(struct drive *d, const char *name, const uint8_t *bytes, size_t length)
{
	*d = (struct drive){.ops = decoder_find(name), .bytes = bytes, .length = length};
	CHECK(d->ops);
	if (!d->ops->options)
		return;
	d->options = mem_new(d->ops->options->size);
	option_defaults(d->ops->options, d->options);
}

void
drive_choose(struct drive *d, uint8_t number, const uint8_t *bytes, size_t length)
{
	const char *name = getenv("TRAWL_FORMAT");
	drive_open(d, name ? name : decoder_name(decoders[number % decoder_count]), bytes, length);
}

/* Element N of a list, which is made if it is the next one; NULL: it is neither. */
static char *
list_element(struct option_list *list, const struct option_table *table, size_t n)
{
	if (!table || n > list->count)
		return NULL;
	if (n == list->count) {
		list->at = mem_resize(list->at, ++list->count * table->size);
		option_defaults(table, (char *)list->at + n * table->size);
	}
	return (char *)list->at + n * table->size;
}

bool
drive_set(struct drive *d, const char *name, const char *value)
{
	const struct option_table *table = d->ops->options;
	char *object = d->options, wanted[256], part[64];
	const struct option_row *row;
	if (!table)
		return false;
	for (;;) {
		size_t length = strcspn(name, ".");
		snprintf(part, sizeof part, "%.*s", (int)length, name);
		row = option_find(table, part);
		if (!row || !name[length])
			break;
		table = row->table;
		object += row->member;
		name += length + 1;
		if (row->type == OPTION_LIST) {
			char *rest;
			object = list_element((void *)object, table, strtoul(name, &rest, 10));
			if (!object || *rest != '.')
				return false;
			name = rest + 1;
		} else if (row->type != OPTION_STRUCT) {
			return false;
		}
	}
	return row && !option_set(row, object, value, wanted);
}

bool
drive_try(struct drive *d, struct err *err)
{
	struct window head = drive_window(d);
	if (head.length > 65536)
		head.length = 65536;
	d->decoder = d->ops->open(d->options, &head, err);
	return d->decoder;
}

void
drive_start(struct drive *d)
{
	struct err err = {0};
	if (!drive_try(d, &err))
		fprintf(stderr, "%s\n", err.what);
	CHECK(d->decoder);
}

void
drive_close(struct drive *d)
{
	if (d->decoder)
		d->ops->close(d->decoder);
	if (d->options)
		option_release(d->ops->options, d->options);
	vec_release(d->options);
}

struct window
drive_window(const struct drive *d)
{
	return (struct window){
	    .bytes = d->bytes, .length = d->length, .until = UINT64_MAX, .last = true};
}

static struct decode_state *
start(const struct drive *d)
{
	struct decode_state *state = decode_state_new(d->decoder);
	d->ops->start(d->decoder, state);
	return state;
}

static void
check_message(const struct drive *d, const struct message *m)
{
	CHECK(m->kind < d->ops->kind_count);
	CHECK(m->severity < SEVERITY_COUNT);
	CHECK(!(m->flags & MESSAGE_CHECKED) || d->ops->kinds_checked >> m->kind & 1);
	CHECK(m->offset <= d->length && m->length <= d->length - m->offset);
	CHECK(m->length > 0 || m->offset == d->length);
}

/* Steps as far as W allows and adds what comes to M. */
static void
walk(const struct drive *d, struct decode_state *state, const struct window *w,
     struct drive_messages *m)
{
	size_t n, idle = 0;
	uint64_t silent[DECODE_SILENT_MAX];
	memcpy(silent, state->silent, sizeof silent);
	do {
		vec_reserve(&m->list, BATCH);
		struct message *out = m->list.at + m->list.count;
		n = d->ops->step(d->decoder, state, w, out, BATCH);
		CHECK(n <= BATCH);
		for (size_t i = 0; i < n; i++) {
			uint64_t before = m->list.count ? message_id_offset(out + i - 1) : 0;
			check_message(d, out + i);
			CHECK(message_id_offset(out + i) >= before);
			CHECK(message_id_offset(out + i) < w->until);
			m->list.count++;
		}
		CHECK(state->offset <= w->offset + w->length);
		CHECK(idle++ <= d->length); /* a message is at least a nibble */
	} while (n == BATCH);
	for (size_t i = 0; i < d->ops->silent_count; i++)
		m->silent[i] += state->silent[i] - silent[i];
	if (w->until == UINT64_MAX)
		CHECK(decode_at_end(state, w) || !w->last);
}

void
drive_all(const struct drive *d, struct drive_messages *m)
{
	struct window w = drive_window(d);
	struct decode_state *state = start(d);
	*m = (struct drive_messages){0};
	walk(d, state, &w, m);
	decode_state_free(d->decoder, state);
}

static void
print_message(const struct message *m)
{
	fprintf(stderr, "%" PRIu64 "+%" PRIu32 " kind %u flags %x", m->offset, m->length, m->kind,
		m->flags);
}

bool
drive_same_message(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->flags == b->flags &&
	       a->kind == b->kind && a->severity == b->severity && a->origin == b->origin &&
	       a->aux == b->aux && a->ticks == b->ticks &&
	       (!(a->flags & MESSAGE_SENDER_TIMED) || a->sender_ticks == b->sender_ticks);
}

static void
check_same(const struct drive_messages *a, const struct drive_messages *b)
{
	for (size_t i = 0; i < a->list.count && i < b->list.count; i++) {
		const struct message *x = &a->list.at[i], *y = &b->list.at[i];
		if (!drive_same_message(x, y)) {
			fprintf(stderr, "message %zu should be ", i);
			print_message(x);
			fprintf(stderr, ", is ");
			print_message(y);
			fprintf(stderr, "\n");
		}
		CHECK(drive_same_message(x, y));
	}
	CHECK(a->list.count == b->list.count);
}

void
drive_growing(const struct drive *d, const struct drive_messages *all, size_t by)
{
	struct decode_state *state = start(d);
	struct drive_messages m = {0};
	struct window w = drive_window(d);
	w.last = false;
	for (w.length = 0; w.length < d->length; w.length += by) {
		/* a copy, so that reads past its end are seen */
		uint8_t *copy = mem_new(w.length ? w.length : 1);
		memcpy(copy, d->bytes, w.length);
		w.bytes = copy;
		walk(d, state, &w, &m);
		vec_release(copy);
	}
	w = drive_window(d);
	walk(d, state, &w, &m);
	check_same(all, &m);
	vec_free(&m.list);
	decode_state_free(d->decoder, state);
}

/* A copy of TAKE bytes from where the decoder stands; its bytes are the caller's. */
static struct window
copy_window(const struct drive *d, const struct decode_state *state, size_t take, uint64_t until)
{
	uint8_t *copy = mem_new(take ? take : 1);
	if (take)
		memcpy(copy, d->bytes + state->offset, take);
	return (struct window){.bytes = copy,
			       .offset = state->offset,
			       .length = take,
			       .until = until,
			       .last = state->offset + take == d->length};
}

/* One step in such a copy; how many messages. */
static size_t
step_in(const struct drive *d, struct decode_state *state, size_t take, struct message *out)
{
	struct window w = copy_window(d, state, take, UINT64_MAX);
	size_t count = d->ops->step(d->decoder, state, &w, out, 1);
	vec_release((void *)w.bytes);
	return count;
}

void
drive_windows(const struct drive *d, const struct drive_messages *all, size_t bytes)
{
	struct decode_state *state = start(d);
	struct drive_messages m = {0};
	for (size_t more = bytes;;) {
		struct message message;
		uint64_t before = state->offset;
		size_t left = d->length - (size_t)before, take = more < left ? more : left;
		size_t count = step_in(d, state, take, &message);
		if (count)
			*vec_add(&m.list) = message;
		else if (take == left)
			break;
		bool moved = count || state->offset > before;
		CHECK(moved || take < d->ops->reach);
		CHECK(m.list.count <= all->list.count);
		more = moved ? bytes : 2 * more + 1;
	}
	check_same(all, &m);
	vec_free(&m.list);
	decode_state_free(d->decoder, state);
}

/* A new state that stands where STATE does, which is freed. */
static struct decode_state *
reborn(const struct drive *d, struct decode_state *state)
{
	uint8_t saved[CHECKPOINT_MAX + 1], again[CHECKPOINT_MAX];
	memset(saved, 0xa5, sizeof saved);
	d->ops->save(d->decoder, state, saved);
	CHECK(saved[d->ops->checkpoint_size] == 0xa5);
	decode_state_free(d->decoder, state);
	state = decode_state_new(d->decoder);
	d->ops->restore(d->decoder, state, saved);
	d->ops->save(d->decoder, state, again);
	CHECK(memcmp(saved, again, d->ops->checkpoint_size) == 0);
	return state;
}

void
drive_blocks(const struct drive *d, const struct drive_messages *all, size_t block)
{
	struct decode_state *state = start(d);
	struct drive_messages m = {0};
	for (size_t end = block; end - block < d->length; end += block) {
		struct window w = drive_window(d);
		w.until = end;
		walk(d, state, &w, &m);
		state = reborn(d, state);
	}
	struct window w = drive_window(d);
	walk(d, state, &w, &m);
	check_same(all, &m);
	CHECK(d->ops->silent_repeats || !memcmp(all->silent, m.silent, sizeof m.silent));
	vec_free(&m.list);
	decode_state_free(d->decoder, state);
}

void
drive_checkpoints(const struct drive *d, const struct drive_messages *all, size_t every)
{
	struct decode_state *state = start(d);
	struct window w = drive_window(d);
	struct drive_messages m = {0};
	size_t n;
	do {
		vec_reserve(&m.list, every);
		n = d->ops->step(d->decoder, state, &w, m.list.at + m.list.count, every);
		CHECK(n <= every);
		m.list.count += n;
		CHECK(m.list.count <= all->list.count);
		state = reborn(d, state);
	} while (n == every);
	check_same(all, &m);
	vec_free(&m.list);
	decode_state_free(d->decoder, state);
}

static void
check_summary(const struct summary *is, const struct summary *should)
{
	CHECK(is->count == should->count && is->losses == should->losses);
	CHECK(is->kinds == should->kinds && is->flags == should->flags);
	CHECK(is->goes_back == should->goes_back && is->lacks_sender == should->lacks_sender);
	CHECK(is->ticks_min == should->ticks_min && is->ticks_max == should->ticks_max);
	CHECK(is->sender_min == should->sender_min && is->sender_max == should->sender_max);
	if (should->flags & MESSAGE_TIMED)
		CHECK(is->ticks_first == should->ticks_first &&
		      is->ticks_last == should->ticks_last);
	CHECK(is->tally.rows.count == should->tally.rows.count);
	for (size_t i = 0; i < is->tally.rows.count; i++)
		CHECK(!memcmp(&is->tally.rows.at[i], &should->tally.rows.at[i],
			      sizeof *is->tally.rows.at));
}

/* Counts in a copy of at most TAKE bytes from where the decoder stands. */
static void
summarise_in(const struct drive *d, struct decode_state *state, size_t take, uint64_t until,
	     struct summary *sums)
{
	size_t left = d->length - (size_t)state->offset;
	struct window w = copy_window(d, state, take < left ? take : left, until);
	d->ops->summarise(d->decoder, state, &w, sums);
	CHECK(state->offset <= w.offset + w.length);
	vec_release((void *)w.bytes);
}

void
drive_summaries(const struct drive *d, const struct drive_messages *all, size_t block)
{
	if (!d->ops->summarise)
		return;
	struct decode_state *state = start(d), *stepped = start(d);
	struct summary is = {0}, should = {0};
	struct drive_messages some = {0};
	size_t count = 0;
	for (size_t end = block; end - block <= d->length; end += block) {
		uint8_t a[CHECKPOINT_MAX], b[CHECKPOINT_MAX];
		struct window w = drive_window(d);
		w.until = end <= d->length ? end : UINT64_MAX;
		summary_clear(&is);
		summary_clear(&should);
		summarise_in(d, state, block, w.until, &is);
		d->ops->summarise(d->decoder, state, &w, &is);
		for (; count < all->list.count && message_id_offset(&all->list.at[count]) < w.until;
		     count++)
			summary_add(&should, &all->list.at[count], 1);
		check_summary(&is, &should);
		walk(d, stepped, &w, &some);
		d->ops->save(d->decoder, state, a);
		d->ops->save(d->decoder, stepped, b);
		CHECK(!memcmp(a, b, d->ops->checkpoint_size));
		CHECK(!memcmp(state->silent, stepped->silent, sizeof state->silent));
	}
	CHECK(count == all->list.count);
	summary_free(&is);
	summary_free(&should);
	vec_free(&some.list);
	decode_state_free(d->decoder, state);
	decode_state_free(d->decoder, stepped);
}

void
drive_resync(const struct drive *d, size_t from)
{
	struct decode_state *state = start(d);
	struct window w = drive_window(d);
	w.bytes += from;
	w.offset = from;
	w.length -= from;
	state->offset = from;
	int status = d->ops->resync(d->decoder, state, &w);
	CHECK(status == 0 || status == ERR_SYNC);
	if (status == 0) {
		CHECK(state->offset >= from && state->offset <= d->length);
		struct drive_messages m = {0};
		walk(d, state, &w, &m);
		for (size_t i = 0; i < m.list.count; i++)
			CHECK(m.list.at[i].offset >= from);
		vec_free(&m.list);
	}
	decode_state_free(d->decoder, state);
}

static void
check_bits(void *context, uint64_t bit, uint32_t bits)
{
	const struct drive *d = context;
	CHECK(bit / 4 + bits / 4 <= 2 * (uint64_t)d->length);
}

/* Whether a row is one of the format's, or, below one of its fields, of a
 * format that it carries. */
static bool
is_known_row(const struct drive *d, const struct field *f)
{
	if (f->row >= d->ops->fields && f->row < d->ops->fields + d->ops->field_count)
		return true;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (f->row >= ops->fields && f->row < ops->fields + ops->field_count)
			return f->depth;
	}
	return false;
}

void
drive_check_numbers(const struct expansion *e)
{
	for (size_t i = 0; i < e->fields.count; i++) {
		const struct field *f = &e->fields.at[i];
		CHECK(f->row->type != FIELD_HEX || (f->u <= FIELD_HEX_MAX && !f->row->address));
	}
}

static void
check_expansion(const struct drive *d, const struct expansion *e)
{
	struct text text = {0};
	unsigned depth = 0;
	drive_check_numbers(e);
	for (size_t i = 0; i < e->fields.count; i++) {
		const struct field *f = &e->fields.at[i];
		CHECK(is_known_row(d, f));
		CHECK(f->depth <= depth + (i > 0));
		depth = f->depth;
		if (f->place == FIELD_PAYLOAD)
			CHECK(f->bit + f->bits <= 8 * (uint64_t)e->payload_length);
		expansion_locate(e, f, check_bits, (void *)d);
		text_clear(&text);
		field_format(f, &text);
	}
	text_free(&text);
}

void
drive_expand(const struct drive *d, const struct drive_messages *m)
{
	struct window w = drive_window(d);
	struct expansion e = {0};
	struct text row = {0};
	for (size_t i = 0; i < m->list.count; i++) {
		const struct message *message = &m->list.at[i];
		expansion_clear(&e);
		d->ops->expand(d->decoder, message, &w, EXPAND_TEXT, NULL, &e);
		expansion_clear(&e);
		d->ops->expand(d->decoder, message, &w, EXPAND_FIELDS, NULL, &e);
		check_expansion(d, &e);
		if (d->ops->print) {
			text_clear(&row);
			d->ops->print(d->decoder, message, &w, &e, &row);
		}
	}
	text_free(&row);
	expansion_free(&e);
}

static bool
find_no_build(void *context, const struct message *before, const uint8_t guid[16], uint64_t *value)
{
	(void)context, (void)before, (void)guid, (void)value;
	return false;
}

static bool
walk_nowhere(void *context, const struct message *before, uint64_t kinds, uint16_t flags,
	     bool (*each)(void *, const struct message *), void *each_context)
{
	(void)context, (void)before, (void)kinds, (void)flags, (void)each, (void)each_context;
	return false;
}

/* Compares the payload of a message with the one that is found by looking at it alone. */
static void
check_payload(const struct drive *d, const struct message *m, const struct decode_history *history)
{
	struct window w = drive_window(d);
	struct expansion alone = {0}, e = {0};
	d->ops->expand(d->decoder, m, &w, EXPAND_BARE, NULL, &alone);
	d->ops->expand(d->decoder, m, &w, EXPAND_BARE, history, &e);
	CHECK(e.payload_length == alone.payload_length);
	CHECK(!e.payload_length || !memcmp(e.payload, alone.payload, e.payload_length));
	expansion_free(&alone);
	expansion_free(&e);
}

void
drive_remembering(const struct drive *d, const struct drive_messages *all, size_t every)
{
	size_t count = all->list.count, size = d->ops->memory_size;
	struct decode_history history = {.build = find_no_build, .walk_back = walk_nowhere};
	if (!size)
		return;
	history.memory = mem_new(size);
	for (size_t i = 0; i < count; i += every)
		check_payload(d, &all->list.at[i], &history);
	for (size_t i = count; i-- > 0;)
		if (i % every == 0)
			check_payload(d, &all->list.at[i], &history);
	free(history.memory);
}

static void
resync_often(const struct drive *d, const struct drive_messages *all, size_t every)
{
	(void)all;
	for (size_t from = 0; from < d->length; from += every)
		drive_resync(d, from);
}

/* Decoders that go back some way at each start cost the square of the length where each
 * message or byte is one: a fuzzer tries parts of inputs of all lengths instead. */
enum effort {
	QUICK = 1 << 0,
	USUAL = 1 << 1,
	THOROUGH = 1 << 2,
	ALWAYS = QUICK | USUAL | THOROUGH
};

static const struct way {
	void (*check)(const struct drive *, const struct drive_messages *, size_t size);
	size_t size, parts; /* a size, or one so that there are so many parts, */
	bool messages;	    /* of messages instead of bytes */
	unsigned efforts;   /* enum effort, as bits */
} ways[] = {
    {drive_checkpoints, .parts = 6, .messages = true, .efforts = QUICK},
    {drive_blocks, .parts = 6, .efforts = QUICK},
    {drive_windows, .parts = 6, .efforts = QUICK},
    {drive_growing, .parts = 3, .efforts = QUICK},
    {drive_summaries, .parts = 3, .efforts = QUICK},
    {drive_remembering, .size = 2, .efforts = QUICK},
    {resync_often, .parts = 3, .efforts = QUICK},
    {drive_checkpoints, .size = 1, .efforts = USUAL | THOROUGH},
    {drive_blocks, .size = 16, .efforts = USUAL | THOROUGH},
    {drive_windows, .size = 64, .efforts = USUAL | THOROUGH},
    {drive_growing, .parts = 16, .efforts = USUAL | THOROUGH},
    {drive_summaries, .parts = 16, .efforts = USUAL | THOROUGH},
    {drive_remembering, .size = 1, .efforts = USUAL | THOROUGH},
    {drive_remembering, .size = 3, .efforts = USUAL | THOROUGH},
    {resync_often, .parts = 8, .efforts = USUAL | THOROUGH},
    {drive_blocks, .size = 1, .efforts = THOROUGH},
    {drive_blocks, .size = 7, .efforts = THOROUGH},
    {drive_blocks, .size = 64, .efforts = THOROUGH},
    {drive_blocks, .size = 500, .efforts = THOROUGH},
    {drive_summaries, .size = 1, .efforts = THOROUGH},
    {drive_summaries, .size = 333, .efforts = THOROUGH},
    {drive_windows, .size = 1, .efforts = THOROUGH},
    {drive_windows, .size = 5, .efforts = THOROUGH},
    {drive_windows, .size = 20, .efforts = THOROUGH},
    {drive_windows, .size = 333, .efforts = THOROUGH},
    {resync_often, .size = 13, .efforts = THOROUGH},
};

/* Of the ways of an effort every SHARES-th, from SHARE on. */
static void
check_share(const struct drive *d, enum effort effort, unsigned share, unsigned shares)
{
	struct drive_messages all;
	unsigned nth = 0;
	drive_all(d, &all);
	drive_expand(d, &all);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		const struct way *way = &ways[i];
		size_t whole = way->messages ? all.list.count : d->length;
		if (way->efforts & effort && nth++ % shares == share)
			way->check(d, &all, way->parts ? whole / way->parts + 1 : way->size);
	}
	vec_free(&all.list);
}

static void
check_ways(const struct drive *d, enum effort effort)
{
	check_share(d, effort, 0, 1);
}

/* The bytes choose, as one number [FNV-1a, 32 bits]: the same ones choose the same share, and
 * any change of them may choose another. */
void
drive_share(const struct drive *d)
{
	enum { SHARES = 3 };
	uint32_t number = 2166136261;
	for (size_t i = 0; i < d->length; i++)
		number = (uint32_t)((number ^ d->bytes[i]) * UINT64_C(16777619));
	check_share(d, QUICK, (number >> 16) % SHARES, SHARES);
}

void
drive_quickly(const struct drive *d)
{
	check_ways(d, QUICK);
}

void
drive_everything(const struct drive *d)
{
	check_ways(d, USUAL);
}

void
drive_thoroughly(const struct drive *d)
{
	check_ways(d, THOROUGH);
}
