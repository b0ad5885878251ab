/*
 * Rows and their counts: see group.h.
 *
 * A hash table finds the row of a message by its key: the texts of its values in sequence.
 * If raw keys determine the row, each combination of them gets a number, and an array maps
 * numbers to rows. Nothing is then expanded or formatted again.
 *
 * Messages are handled BATCH at a time, name by name and step by step. Rows are far apart
 * in memory, so the data of all messages is prefetched before the first is counted. Times
 * are read under one lock. If times in a run follow from ticks by a factor, the clock of
 * each message is not looked up.
 *
 * A group appended to another keeps its empty rows with their numbers there. The parts of a
 * capture mostly have the same rows. With very many rows, it drops them.
 */
#include "config.h"

#include "query/group/group.h"
#include "base/map.h"
#include "query/group/group_numbers.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_KEPT = 16384, BATCH = 64, FEW = 4096 };

/* Raw keys with their numbers, from 1 in order of appearance. */
struct group_keys {
	uint64_t *few; /* numbers of keys below FEW; NULL: none yet */
	struct map rest;
	uint64_t count;
};

/* Maps messages of a trace to rows. `names` numbers the raw keys of each name. `pairs`
 * numbers each of these numbers together with the number for all names before. */
struct group_head {
	struct group_keys names[GROUP_NAMES_MAX], pairs[GROUP_NAMES_MAX];
	VEC(size_t) rows; /* by the number of all names: a row, from 1; 0: unknown */
};

/* A message with an unknown row. */
struct group_pending {
	size_t message;	     /* index in the batch */
	size_t from, length; /* of the key */
	uint64_t hash;
};

/* The row of another group that a row is appended to. */
struct group_link {
	uint64_t hash; /* of the key */
	size_t target; /* from 1; 0: unknown */
};

struct group {
	const struct group_spec *spec;
	VEC(struct group_row) rows;
	uint64_t count;	     /* of messages */
	long double sum;     /* of the numbers in all rows, for GROUP_COLUMN_PART */
	bool negative;	     /* some number is negative: parts make no sense */
	size_t numbers_size; /* memory of the numbers in all rows */
	struct arena arena;
	struct byte_map keys;	      /* of rows; maps to their numbers, from 1 */
	VEC(struct group_head) heads; /* by trace */
	VEC(size_t) touched;	      /* rows with messages */
	VEC(struct group_link) links; /* of rows to another group, once this one is appended */
	struct text key;
	bool expanded; /* the current message is expanded */

	/* the batch */
	size_t waiting;
	const struct message *messages; /* the caller's messages, or `kept` */
	struct message kept[BATCH];
	struct reader *readers[BATCH];
	size_t rows_of[BATCH];
	struct value numbers[BATCH]; /* of `of`; if stored in messages, `head_numbers` instead */
	uint64_t head_numbers[BATCH];
	bool numbered[BATCH];
	struct group_time times[BATCH];
	bool timed[BATCH];
	size_t pending_count;
	struct group_pending pending[BATCH];
	struct text pending_keys; /* in sequence */
};

/* --- a group ----------------------------------------------------------------- */

static size_t
more_size(const struct group_spec *spec)
{
	return sizeof(struct group_more) +
	       (spec->by_severity ? SEVERITY_COUNT * sizeof(uint64_t) : 0);
}

struct group *
group_new(const struct group_spec *spec)
{
	struct group *group = mem_new(sizeof *group);
	group->spec = spec;
	return group;
}

static void
free_head(struct group_head *head)
{
	for (size_t k = 0; k < GROUP_NAMES_MAX; k++) {
		free(head->names[k].few);
		free(head->pairs[k].few);
		map_free(&head->names[k].rest);
		map_free(&head->pairs[k].rest);
	}
	vec_free(&head->rows);
}

static void
free_heads(struct group *group)
{
	for (size_t i = 0; i < group->heads.count; i++)
		free_head(&group->heads.at[i]);
	vec_free(&group->heads);
}

/* Drop all rows. */
static void
drop_rows(struct group *group)
{
	for (size_t i = 0; i < group->rows.count; i++)
		if (group->rows.at[i].more)
			group_numbers_free(group->rows.at[i].more->numbers);
	free_heads(group);
	vec_clear(&group->rows);
	vec_clear(&group->links);
	group->numbers_size = 0;
	arena_reset(&group->arena);
	byte_map_clear(&group->keys);
}

void
group_free(struct group *group)
{
	if (!group)
		return;
	drop_rows(group);
	vec_free(&group->rows);
	vec_free(&group->links);
	vec_free(&group->touched);
	arena_free(&group->arena);
	byte_map_free(&group->keys);
	text_free(&group->key);
	text_free(&group->pending_keys);
	free(group);
}

void
group_end(struct group *group)
{
	group_settle(group);
	free_heads(group);
	vec_free(&group->links);
	vec_free(&group->touched);
	byte_map_end(&group->keys);
}

size_t
group_bytes(const struct group *group)
{
	return group->rows.count * sizeof *group->rows.at + byte_map_size(&group->keys) +
	       group->arena.size + group->numbers_size;
}

uint64_t
group_messages(const struct group *group)
{
	return group->count;
}

size_t
group_names(const struct group *group)
{
	return group->spec->by_count;
}

size_t
group_count(const struct group *group)
{
	return group->rows.count;
}

const struct group_row *
group_row(const struct group *group, size_t row)
{
	return &group->rows.at[row];
}

void
group_near_row(const struct group *group, size_t row)
{
	const char *at = (const char *)&group->rows.at[row];
	__builtin_prefetch(at);
	__builtin_prefetch(at + sizeof(struct group_row) - 1);
}

void
group_nearer_row(const struct group *group, size_t row)
{
	__builtin_prefetch(group->rows.at[row].key);
}

/* --- keys -------------------------------------------------------------------- */

/* Header of a value in a key. The bits of a number follow, then the bytes of the text. */
struct key_part {
	uint32_t length; /* of the text */
	uint8_t type;	 /* enum value_type */
	bool is_plain, is_named, ticks;
};

/* Return the number of bytes between the header and the text. */
static size_t
bits_size(const struct key_part *part)
{
	return part->type == VALUE_TEXT || part->type == VALUE_ABSENT ? 0 : sizeof(uint64_t);
}

/* Expand the message once, as far as any name needs. */
static void
need_expansion(struct group *group, struct value_look *look)
{
	if (group->expanded)
		return;
	if (group->spec->expands)
		reader_expand(look->reader, look->message, group->spec->want, look->expansion);
	else
		expansion_clear(look->expansion);
	group->expanded = true;
}

/* Append the text of a value. Times and durations keep all digits. */
static void
add_key_text(const struct value_name *name, const struct value *value, struct text *key)
{
	if (value_is_duration(name) || value_is_time(name))
		value_add_number(value, key);
	else
		value_add(name, value, key);
}

static void
add_key_part(const struct value_name *name, struct value_look *look, struct text *key)
{
	struct value value;
	struct key_part part;
	memset(&part, 0, sizeof part); /* padding is compared too */
	value_get(name, look, &value);
	part.type = (uint8_t)value.type;
	part.is_named = value.meaning && value.type != VALUE_TEXT;
	part.is_plain =
	    !part.is_named && (!value.field || (value.field->row->type != FIELD_HEX &&
						value.field->row->type != FIELD_HEXTEXT));
	part.ticks = value.ticks;
	size_t start = key->length;
	text_add_bytes(key, &part, sizeof part);
	text_add_bytes(key, &value.u, bits_size(&part));
	add_key_text(name, &value, key);
	part.length = (uint32_t)(key->length - start - sizeof part - bits_size(&part));
	memcpy(key->data + start + offsetof(struct key_part, length), &part.length,
	       sizeof part.length);
}

static void
make_key(struct group *group, struct value_look *look)
{
	text_clear(&group->key);
	for (size_t i = 0; i < group->spec->by_count; i++)
		add_key_part(group->spec->by[i], look, &group->key);
}

/* Read the value after a header, at BYTES. */
static struct group_key
read_key(const struct key_part *part, const char *bytes)
{
	uint64_t bits = 0;
	struct group_key key = {.absent = part->type == VALUE_ABSENT,
				.is_plain = part->is_plain,
				.is_named = part->is_named,
				.ticks = part->ticks,
				.text = bytes + bits_size(part),
				.length = part->length};
	struct value value;
	memcpy(&bits, bytes, bits_size(part));
	group_set_number(&value, (enum value_type)part->type, bits);
	key.is_number = value_number(&value, &key.number);
	return key;
}

void
group_get_key(const struct group_row *row, size_t name, struct group_key *key)
{
	const char *bytes = row->key->bytes;
	struct key_part part;
	for (;; bytes += sizeof part + bits_size(&part) + part.length) {
		memcpy(&part, bytes, sizeof part);
		if (!name--)
			break;
	}
	*key = read_key(&part, bytes + sizeof part);
	key->wall = row->first.wall;
}

/* Return the rest of a row, new if it has none yet. */
static struct group_more *
more_of(struct group *group, struct group_row *row)
{
	size_t size = more_size(group->spec);
	if (!row->more)
		row->more = memset(arena_alloc(&group->arena, size), 0, size);
	return row->more;
}

/* Find or add the row with a key. Return its number. */
static size_t
row_of_key(struct group *group, uint64_t hash, const char *key, size_t size)
{
	struct byte_map_entry *entry = byte_map_add(&group->keys, hash, key, size);
	if (entry->value)
		return entry->value - 1;
	struct group_row *row = vec_add(&group->rows);
	row->key = entry;
	entry->value = group->rows.count;
	return entry->value - 1;
}

/* Find or add the row of the current message. Return its number. */
static size_t
row_of_look(struct group *group, struct value_look *look)
{
	make_key(group, look);
	const char *key = text_get(&group->key);
	size_t size = group->key.length;
	return row_of_key(group, byte_map_hash(key, size), key, size);
}

/* --- from a message to its row ------------------------------------------ */

static struct group_head *
head_of(struct group *group, struct reader *reader)
{
	size_t trace = trace_number(reader_trace(reader));
	while (group->heads.count <= trace)
		(void)vec_add(&group->heads);
	return &group->heads.at[trace];
}

/* Replace the keys in LIST by their numbers. */
static void
number_keys(struct group_keys *keys, uint64_t *list, size_t count, const bool *keyed)
{
	if (!keys->few)
		keys->few = mem_new(FEW * sizeof *keys->few);
	for (size_t i = 0; i < count; i++) {
		if (!keyed[i])
			continue;
		uint64_t *number =
		    list[i] < FEW ? &keys->few[list[i]] : map_add(&keys->rest, list[i]);
		if (!*number)
			*number = ++keys->count;
		list[i] = *number;
	}
}

/* Join two numbers below 2^31 to one key. Small numbers give a small key. */
static uint64_t
join_numbers(uint64_t a, uint64_t b)
{
	return a < 64 && b < 64 ? a << 6 | b : (uint64_t)1 << 63 | a << 31 | b;
}

/* Number messages by the raw keys of all names. KEYED: the message has all keys. */
static void
number_messages(const struct group_spec *spec, struct group_head *head, struct reader *reader,
		const struct message *m, size_t count, uint64_t *numbers, bool *keyed)
{
	uint64_t keys[BATCH] = {0};
	bool any = false;
	memset(keyed, true, count);
	memset(numbers, 0, count * sizeof *numbers);
	for (size_t k = 0; k < spec->by_count; k++) {
		value_raw_keys(spec->by[k], reader, m, count, keys, keyed);
		number_keys(&head->names[k], keys, count, keyed);
		for (size_t i = 0; any && i < count; i++)
			keys[i] = join_numbers(numbers[i], keys[i]);
		if (any)
			number_keys(&head->pairs[k], keys, count, keyed);
		memcpy(numbers, keys, count * sizeof *numbers);
		any = true;
	}
}

/* Return the entry that maps the number of raw keys to a row, from 1. 0: unknown. */
static size_t *
row_of_number(struct group_head *head, uint64_t number)
{
	while (head->rows.count <= number)
		*vec_add(&head->rows) = 0;
	return &head->rows.at[number];
}

static size_t
known_row(const struct group_head *head, uint64_t number)
{
	return number < head->rows.count ? head->rows.at[number] : 0;
}

/* Add the current message, number I of the batch, to the pending ones, with its key. */
static void
add_pending(struct group *group, struct value_look *look, size_t i)
{
	struct group_pending *p = &group->pending[group->pending_count++];
	*p = (struct group_pending){.message = i, .from = group->pending_keys.length};
	need_expansion(group, look);
	make_key(group, look);
	text_add_bytes(&group->pending_keys, text_get(&group->key), group->key.length);
	p->length = group->key.length;
	p->hash = byte_map_hash(group->pending_keys.data + p->from, p->length);
	byte_map_near(&group->keys, p->hash);
}

/* Return the row of the current message, which has this number of raw keys. */
static size_t
row_by_number(struct group *group, struct value_look *look, struct group_head *head,
	      uint64_t number)
{
	size_t *kept = row_of_number(head, number);
	if (!*kept) {
		need_expansion(group, look);
		*kept = row_of_look(group, look) + 1;
	}
	return *kept - 1;
}

/* True if each message must be read for its number. */
static bool
looks_of(const struct group_spec *spec)
{
	return spec->of && !value_has_head_numbers(spec->of);
}

/* Find the row of the current message, number I of the batch, or make it pending. NUMBER is
 * the number of its raw keys, NULL if it has none. */
static void
look_at_message(struct group *group, struct value_look *look, size_t i, struct group_head *head,
		const uint64_t *number)
{
	const struct group_spec *spec = group->spec;
	group->expanded = false;
	if (number)
		group->rows_of[i] = row_by_number(group, look, head, *number);
	else
		add_pending(group, look, i);
	if (!looks_of(spec))
		return;
	if (spec->of_expands)
		need_expansion(group, look);
	else if (!group->expanded)
		expansion_clear(look->expansion);
	value_get(spec->of, look, &group->numbers[i]);
}

/* Find the rows of COUNT messages of one trace, from index FROM of the batch, or make them
 * pending. Also get the number of each for `of`. */
static void
look_at_messages(struct group *group, struct value_look *look, size_t from, size_t count)
{
	const struct group_spec *spec = group->spec;
	const struct message *m = &group->messages[from];
	struct group_head *head = head_of(group, look->reader);
	uint64_t keys[BATCH], first = look->number;
	bool keyed[BATCH] = {false}, plain = spec->by_raw && !looks_of(spec);
	if (spec->by_raw)
		number_messages(spec, head, look->reader, m, count, keys, keyed);
	for (size_t i = 0; i < count; i++)
		group->readers[from + i] = look->reader;
	for (size_t i = 0; i < count; i++) {
		size_t row = plain && keyed[i] ? known_row(head, keys[i]) : 0;
		if (row) {
			group->rows_of[from + i] = row - 1;
			continue;
		}
		look->message = &m[i];
		look->number = first + i;
		look_at_message(group, look, from + i, head, keyed[i] ? &keys[i] : NULL);
	}
}

/* --- numbers --------------------------------------------------------------------- */

static void
add_number(struct group *group, struct group_row *row, const struct value *value)
{
	long double number;
	if (!value_number(value, &number))
		return;
	struct group_more *more = more_of(group, row);
	if (!more->numbers)
		more->numbers = group_numbers_new(value->type, value->ticks);
	if (!group_numbers_add(more->numbers, value))
		return;
	group->sum += number;
	group->negative |= number < 0;
}

static void
add_head_number(struct group *group, struct group_row *row, uint64_t number)
{
	struct group_more *more = more_of(group, row);
	if (!more->numbers)
		more->numbers = group_numbers_new(VALUE_UNSIGNED, false);
	group_numbers_add_unsigned(more->numbers, number);
}

/* Add the numbers of the batch. */
static void
add_numbers(struct group *group)
{
	const struct value_name *of = group->spec->of;
	if (value_has_head_numbers(of))
		value_head_numbers(of, group->messages, group->waiting, group->head_numbers,
				   group->numbered);
	for (size_t i = 0; i < group->waiting; i++) {
		struct group_row *row = &group->rows.at[group->rows_of[i]];
		if (!value_has_head_numbers(of))
			add_number(group, row, &group->numbers[i]);
		else if (group->numbered[i])
			add_head_number(group, row, group->head_numbers[i]);
	}
}

/* --- messages --------------------------------------------------------------------- */

static inline struct group_row *
count_message(struct group *group, size_t at, unsigned severity, uint64_t count)
{
	struct group_row *row = &group->rows.at[at];
	if (!row->count)
		*vec_add(&group->touched) = at;
	row->count += count;
	if (group->spec->by_severity)
		more_of(group, row)->severities[severity] += count;
	group->count += count;
	return row;
}

static void
note_gap(struct group_more *more, uint64_t length, bool known, int64_t from)
{
	if (more->gapped && (more->gap_known != known || more->gap >= length))
		return;
	more->gapped = true;
	more->gap_known = known;
	more->gap = length;
	more->gap_from = from;
}

/* Same as gap_between(), inline. */
static bool
find_gap(const struct group_time *from, const struct group_time *to, struct gap *gap)
{
	const struct message_time first = {.part = from->part, .known = from->known};
	const struct message_time last = {.part = to->part, .known = to->known};
	return clocks_can_subtract(&first, &last) && gap_of(from->order, to->order, to->known, gap);
}

const struct group_time *
group_row_last(const struct group_row *row)
{
	return row->more && row->more->last.valid ? &row->more->last : &row->first;
}

/* Set the last time of a row. Note the gap before FIRST, unless WITH_GAP is false. */
static void
note_times(struct group *group, struct group_row *row, const struct group_time *first,
	   const struct group_time *last, bool with_gap)
{
	struct gap gap;
	bool later = row->first.valid;
	if (!later)
		row->first = *first;
	if (!later && first == last)
		return;
	struct group_more *more = more_of(group, row);
	const struct group_time *before = group_row_last(row);
	if (later && with_gap && find_gap(before, first, &gap))
		note_gap(more, gap.length, gap.known, before->order);
	more->last = *last;
}

/* Find the rows of all pending messages. */
static void
find_rows(struct group *group)
{
	for (size_t i = 0; i < group->pending_count; i++) {
		const struct group_pending *p = &group->pending[i];
		byte_map_nearer(&group->keys, p->hash);
	}
	for (size_t i = 0; i < group->pending_count; i++) {
		const struct group_pending *p = &group->pending[i];
		const char *key = text_get(&group->pending_keys) + p->from;
		group->rows_of[p->message] = row_of_key(group, p->hash, key, p->length);
		__builtin_prefetch(&group->rows.at[group->rows_of[p->message]], 1);
	}
	group->pending_count = 0;
	text_clear(&group->pending_keys);
}

static struct group_time
time_of(const struct message_time *at)
{
	return (struct group_time){.order = at->order,
				   .part = (uint32_t)at->part,
				   .known = at->known,
				   .wall = at->wall,
				   .valid = true};
}

/* Get the times of batch messages of one trace. */
static void
find_trace_times(struct group *group, struct trace *trace, size_t from, size_t until)
{
	struct message_time times[BATCH];
	gap_times(trace, &group->messages[from], until - from, times, &group->timed[from]);
	for (size_t i = from; i < until; i++)
		group->times[i] = time_of(&times[i - from]);
}

/* Compute the times of the batch from ticks. */
static void
scale_times(struct group *group, const struct clocks_scale *scale)
{
	struct group_time time = time_of(&scale->zero);
	for (size_t i = 0; i < group->waiting; i++) {
		time.order = clocks_scale_order(scale, group->messages[i].ticks);
		group->times[i] = time;
		group->timed[i] = group->messages[i].flags & MESSAGE_TIMED;
	}
}

/* Get the times of the batch, trace by trace. */
static void
find_times(struct group *group)
{
	for (size_t from = 0, until; from < group->waiting; from = until) {
		struct trace *trace = reader_trace(group->readers[from]);
		until = from + 1;
		while (until < group->waiting && (group->readers[until] == group->readers[from] ||
						  reader_trace(group->readers[until]) == trace))
			until++;
		find_trace_times(group, trace, from, until);
	}
}

/* True if rows need their times, also to show whether a time in the key is since 1970. */
static bool
has_times(const struct group_spec *spec)
{
	bool timed = spec->counted & GROUP_TIME_COLUMNS;
	for (size_t i = 0; i < spec->by_count; i++)
		timed |= value_is_time(spec->by[i]);
	return timed;
}

/* Count the batch. SCALE gives all times, or is NULL. */
static void
settle_waiting(struct group *group, const struct clocks_scale *scale)
{
	const struct group_spec *spec = group->spec;
	bool with_gap = spec->counted & GROUP_GAP_COLUMNS, timed = has_times(spec);
	if (timed && scale)
		scale_times(group, scale);
	else if (timed)
		find_times(group);
	find_rows(group);
	for (size_t i = 0; i < group->waiting; i++) {
		struct group_row *row =
		    count_message(group, group->rows_of[i], group->messages[i].severity, 1);
		if (timed && group->timed[i])
			note_times(group, row, &group->times[i], &group->times[i], with_gap);
	}
	if (spec->of)
		add_numbers(group);
	group->waiting = 0;
}

void
group_settle(struct group *group)
{
	settle_waiting(group, NULL);
}

void
group_add(struct group *group, struct value_look *look)
{
	group->messages = group->kept;
	group->kept[group->waiting] = *look->message;
	look_at_messages(group, look, group->waiting++, 1);
	if (group->waiting == BATCH)
		group_settle(group);
}

void
group_add_run(struct group *group, struct value_look *look, const struct message *m, size_t count)
{
	uint64_t first = look->number;
	struct clocks_scale scale;
	group_settle(group);
	bool scaled =
	    has_times(group->spec) && gap_scale(reader_trace(look->reader), m, count, &scale);
	for (size_t from = 0; from < count; from += BATCH) {
		look->number = first + from;
		group->messages = m + from;
		group->waiting = count - from < BATCH ? count - from : BATCH;
		look_at_messages(group, look, 0, group->waiting);
		settle_waiting(group, scaled ? &scale : NULL);
	}
}

void
group_add_count(struct group *group, struct value_look *look, uint64_t count)
{
	group_settle(group);
	group->expanded = true; /* the caller has expanded it */
	count_message(group, row_of_look(group, look), look->message->severity, count);
}

static void
append_row(struct group *group, struct group_row *to, struct group_row *from)
{
	struct group_more *rest = from->more;
	to->count += from->count;
	if (from->first.valid)
		note_times(group, to, &from->first, group_row_last(from), true);
	if (!rest)
		return;
	struct group_more *more = more_of(group, to);
	for (int s = 0; s < SEVERITY_COUNT && group->spec->by_severity; s++)
		more->severities[s] += rest->severities[s];
	if (rest->gapped)
		note_gap(more, rest->gap, rest->gap_known, rest->gap_from);
	if (rest->numbers) {
		group->numbers_size -= group_numbers_size(more->numbers);
		more->numbers = group_numbers_join(more->numbers, rest->numbers);
		group->numbers_size += group_numbers_size(more->numbers);
	}
	memset(rest, 0, more_size(group->spec));
}

/* Prefetch the data of GROUP for the next BATCH touched rows of FROM, starting at I. */
static void
fetch_targets(const struct group *group, const struct group *from, size_t i)
{
	size_t until = from->touched.count - i < BATCH ? from->touched.count : i + BATCH;
	for (size_t k = i; k < until; k++) {
		const struct group_link *link = &from->links.at[from->touched.at[k]];
		if (link->target)
			__builtin_prefetch(&group->rows.at[link->target - 1], 1);
		else
			byte_map_near(&group->keys, link->hash);
	}
	for (size_t k = i; k < until; k++) {
		const struct group_link *link = &from->links.at[from->touched.at[k]];
		if (!link->target)
			byte_map_nearer(&group->keys, link->hash);
	}
}

/* Make the links of new rows. */
static void
link_rows(struct group *from)
{
	for (size_t i = from->links.count; i < from->rows.count; i++) {
		const struct byte_map_entry *key = from->rows.at[i].key;
		vec_add(&from->links)->hash = byte_map_hash(key->bytes, key->length);
	}
}

void
group_append(struct group *group, struct group *from)
{
	group_settle(group);
	group_settle(from);
	link_rows(from);
	for (size_t i = 0; i < from->touched.count; i++) {
		struct group_row *row = &from->rows.at[from->touched.at[i]];
		struct group_link *link = &from->links.at[from->touched.at[i]];
		if (i % BATCH == 0)
			fetch_targets(group, from, i);
		if (!link->target)
			link->target =
			    row_of_key(group, link->hash, row->key->bytes, row->key->length) + 1;
		struct group_row *to = &group->rows.at[link->target - 1];
		if (!to->count)
			*vec_add(&group->touched) = link->target - 1;
		append_row(group, to, row);
		*row = (struct group_row){.key = row->key, .more = row->more};
	}
	group->count += from->count;
	group->sum += from->sum;
	group->negative |= from->negative;
	from->count = 0;
	from->sum = 0;
	from->negative = false;
	vec_clear(&from->touched);
	if (from->rows.count > ROWS_KEPT)
		drop_rows(from);
}

/* --- columns ------------------------------------------------------------------------ */

static void
set_time(struct value *value, const struct group_time *time)
{
	value->ticks = !time->known;
	group_set_number(value, time->known ? VALUE_SIGNED : VALUE_UNSIGNED, (uint64_t)time->order);
}

void
group_value(struct group *group, size_t at, enum group_column column, struct value *value)
{
	const struct group_row *row = &group->rows.at[at];
	const struct group_more *more = row->more;
	struct group_numbers *numbers = more ? more->numbers : NULL;
	uint64_t values =
	    column >= GROUP_COLUMN_VALUES && numbers ? group_numbers_count(numbers) : 0;
	*value = (struct value){0};
	if (column == GROUP_COLUMN_COUNT) {
		group_set_number(value, VALUE_UNSIGNED, row->count);
	} else if (column == GROUP_COLUMN_SHARE && group->count) {
		group_set_real(value, (long double)row->count / (long double)group->count);
	} else if ((column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST) &&
		   row->first.valid) {
		set_time(value, column == GROUP_COLUMN_FIRST ? &row->first : group_row_last(row));
	} else if (column == GROUP_COLUMN_GAP && more && more->gapped) {
		group_set_number(value, VALUE_UNSIGNED, more->gap);
		value->ticks = !more->gap_known;
	} else if (column == GROUP_COLUMN_GAP_FROM && more && more->gapped) {
		const struct group_time from = {.order = more->gap_from, .known = more->gap_known};
		set_time(value, &from);
	} else if (column == GROUP_COLUMN_PART) {
		if (values && group->sum > 0 && !group->negative)
			group_set_real(value, group_numbers_sum(numbers) / group->sum);
	} else if (column == GROUP_COLUMN_VALUES) {
		group_set_number(value, VALUE_UNSIGNED, values);
	} else if (column > GROUP_COLUMN_VALUES && values) {
		group_numbers_value(numbers, column, value);
	}
}
