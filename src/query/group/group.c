/*
 * Rows and what is counted in them: see group.h.
 *
 * A message finds its row by its key, the texts of its values one behind the other, in a
 * hash table.  Where severity, origin, trace, kind and type decide, that is done once for each
 * of their combinations: a map from the raw key of the origin, or of the type (`sift` of a
 * decoder), leads to the row, and nothing is expanded or formatted any more.
 *
 * A group that is appended to another keeps its rows, empty, and for each its number there:
 * the parts of a capture have mostly the same rows.  One with very many rows forgets them.
 */
#include "config.h"

#include "query/group/group.h"
#include "base/map.h"
#include "base/rank.h"
#include "decode/sought.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_KEPT = 16384, SLOTS_FIRST = 64 };

/* What leads from messages of a trace to rows. */
struct group_head {
	bool known, by_key; /* the raw key of an origin tells who that is */
	struct map *rows;   /* by severity and kind, as far as these matter: from the origin's
			       raw key, or that of the type, to a row, from 1 */
	size_t count;
	struct map origins, types; /* numbers of raw keys, where rows are by both */
};

struct group {
	const struct group_spec *spec;
	VEC(struct group_row) rows;
	uint64_t count;	 /* messages */
	long double sum; /* of the numbers of all rows */
	struct arena arena;
	size_t *slots; /* of the hash table: numbers of rows, from 1 */
	size_t slot_count;
	VEC(struct group_head) heads; /* by trace */
	VEC(size_t) touched;	      /* rows that have messages */
	struct text key;
	bool expanded; /* the message that is added is */
};

/* --- a group ----------------------------------------------------------------- */

struct group *
group_new(const struct group_spec *spec)
{
	struct group *group = mem_new(sizeof *group);
	group->spec = spec;
	return group;
}

static void
free_numbers(struct group_row *row)
{
	if (row->numbers)
		vec_free(&row->numbers->bits);
	free(row->numbers);
	row->numbers = NULL;
}

/* Forgets all rows. */
static void
drop_rows(struct group *group)
{
	for (size_t i = 0; i < group->rows.count; i++)
		free_numbers(&group->rows.at[i]);
	for (size_t i = 0; i < group->heads.count; i++) {
		struct group_head *head = &group->heads.at[i];
		for (size_t k = 0; k < head->count; k++)
			map_free(&head->rows[k]);
		free(head->rows);
		map_free(&head->origins);
		map_free(&head->types);
	}
	vec_clear(&group->rows);
	vec_clear(&group->heads);
	arena_reset(&group->arena);
	free(group->slots);
	group->slots = NULL;
	group->slot_count = 0;
}

void
group_free(struct group *group)
{
	if (!group)
		return;
	drop_rows(group);
	vec_free(&group->rows);
	vec_free(&group->heads);
	vec_free(&group->touched);
	arena_free(&group->arena);
	text_free(&group->key);
	free(group);
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

/* --- numbers of eight bytes ---------------------------------------------------- */

static uint64_t
bits_of(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	return bits;
}

static double
double_of(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

static void
set_number(struct value *value, enum value_type type, uint64_t bits)
{
	value->type = type;
	if (type == VALUE_SIGNED)
		value->i = (int64_t)bits;
	else if (type == VALUE_REAL)
		value->d = double_of(bits);
	else
		value->u = bits;
}

/* --- keys -------------------------------------------------------------------- */

/* How a value stands in a key, in front of the bytes of its text. */
struct key_part {
	uint64_t bits; /* of a number */
	uint32_t length;
	uint8_t type; /* enum value_type */
	bool is_plain, is_named, ticks;
};

/* Expands the message once, as far as all names take. */
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

/* Appends the text of a number of a time or duration with all its digits, of another value
 * as people read it. */
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
	memset(&part, 0, sizeof part); /* its padding is compared too */
	value_get(name, look, &value);
	part.type = (uint8_t)value.type;
	if (value.type != VALUE_TEXT)
		part.bits = value.u;
	part.is_named = value.meaning && value.type != VALUE_TEXT;
	part.is_plain =
	    !part.is_named && (!value.field || (value.field->row->type != FIELD_HEX &&
						value.field->row->type != FIELD_HEXTEXT));
	part.ticks = value.ticks;
	size_t start = key->length;
	text_add_bytes(key, &part, sizeof part);
	add_key_text(name, &value, key);
	part.length = (uint32_t)(key->length - start - sizeof part);
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

static struct group_key
read_key(const struct key_part *part, const char *text)
{
	struct group_key key = {.absent = part->type == VALUE_ABSENT,
				.is_plain = part->is_plain,
				.is_named = part->is_named,
				.ticks = part->ticks,
				.text = text,
				.length = part->length};
	struct value value;
	set_number(&value, (enum value_type)part->type, part->bits);
	key.is_number = value_number(&value, &key.number);
	return key;
}

/* The keys of a row, from their bytes. */
static const struct group_key *
read_keys(struct group *group, const char *bytes)
{
	size_t count = group->spec->by_count;
	struct group_key *keys = arena_alloc(&group->arena, (count + 1) * sizeof *keys);
	for (size_t i = 0; i < count; i++) {
		struct key_part part;
		memcpy(&part, bytes, sizeof part);
		keys[i] = read_key(&part, bytes + sizeof part);
		bytes += sizeof part + part.length;
	}
	return keys;
}

/* FNV-1a, eight bytes at a time. */
static uint64_t
hash_bytes(const char *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325, word;
	for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		hash = (hash ^ word) * 0x100000001b3;
		hash ^= hash >> 29;
	}
	for (; length; bytes++, length--)
		hash = (hash ^ (unsigned char)*bytes) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* --- the hash table ------------------------------------------------------------ */

static size_t *
find_slot(const struct group *group, uint64_t hash, const char *key, size_t size)
{
	size_t at = hash & (group->slot_count - 1);
	for (;; at = (at + 1) & (group->slot_count - 1)) {
		if (!group->slots[at])
			return &group->slots[at];
		const struct group_row *row = &group->rows.at[group->slots[at] - 1];
		if (row->hash == hash && row->key_size == size && !memcmp(row->key, key, size))
			return &group->slots[at];
	}
}

static void
grow_slots(struct group *group)
{
	free(group->slots);
	group->slot_count = group->slot_count ? 2 * group->slot_count : SLOTS_FIRST;
	group->slots = mem_new(group->slot_count * sizeof *group->slots);
	for (size_t i = 0; i < group->rows.count; i++) {
		const struct group_row *row = &group->rows.at[i];
		*find_slot(group, row->hash, row->key, row->key_size) = i + 1;
	}
}

/* The number of the row with a key. */
static size_t
row_of_key(struct group *group, const char *key, size_t size)
{
	uint64_t hash = hash_bytes(key, size);
	if (2 * (group->rows.count + 1) > group->slot_count)
		grow_slots(group);
	size_t *slot = find_slot(group, hash, key, size);
	if (*slot)
		return *slot - 1;
	const char *own = arena_copy(&group->arena, key, size);
	struct group_row *row = vec_add(&group->rows);
	row->key = own;
	row->key_size = size;
	row->hash = hash;
	row->keys = read_keys(group, own);
	*slot = group->rows.count;
	return *slot - 1;
}

/* --- the way to the row of a message -------------------------------------------- */

enum { KINDS = 64 };

static struct group_head *
head_of(struct group *group, struct reader *reader)
{
	size_t trace = trace_number(reader_trace(reader));
	while (group->heads.count <= trace)
		(void)vec_add(&group->heads);
	struct group_head *head = &group->heads.at[trace];
	if (!head->known) {
		head->known = true;
		head->by_key = !group->spec->by_origin || reader_origin_by_key(reader);
		head->count = (size_t)(group->spec->by_severity ? SEVERITY_COUNT : 1) *
			      (size_t)(group->spec->by_kind ? KINDS : 1);
		head->rows = mem_new(head->count * sizeof *head->rows);
	}
	return head;
}

static uint64_t
number_of_key(struct map *numbers, uint64_t key)
{
	uint64_t *number = map_add(numbers, key);
	if (!*number)
		*number = numbers->count;
	return *number;
}

/* The raw key of origin and type, as far as these matter; false: it has none. */
static bool
find_raw_key(const struct group_spec *spec, struct group_head *head, const struct value_look *look,
	     uint64_t *key)
{
	struct sought_answer answer;
	uint64_t origin = look->message->origin;
	*key = spec->by_origin ? origin : 0;
	if (!spec->by_type)
		return true;
	reader_sift(look->reader, look->message, NULL, &answer);
	*key = answer.type_key;
	if (spec->by_origin)
		*key = number_of_key(&head->origins, origin) << 32 |
		       number_of_key(&head->types, answer.type_key);
	return answer.keyed;
}

static size_t
find_row(struct group *group, struct value_look *look)
{
	const struct group_spec *spec = group->spec;
	const struct message *m = look->message;
	struct group_head *head = spec->by_head ? head_of(group, look->reader) : NULL;
	uint64_t *kept = NULL, key;
	if (head && head->by_key && find_raw_key(spec, head, look, &key)) {
		size_t at = (spec->by_kind ? m->kind % KINDS : 0) +
			    (spec->by_severity ? m->severity * head->count / SEVERITY_COUNT : 0);
		kept = map_add(&head->rows[at], key);
		if (*kept)
			return *kept - 1;
	}
	need_expansion(group, look);
	make_key(group, look);
	size_t row = row_of_key(group, text_get(&group->key), group->key.length);
	if (kept)
		*kept = row + 1;
	return row;
}

/* --- numbers --------------------------------------------------------------------- */

/* What the numbers can be together. */
static enum value_type
common_type(const struct group_numbers *numbers, enum value_type type)
{
	if (numbers->type == VALUE_REAL || type == VALUE_REAL ||
	    (numbers->min < 0 && numbers->max > (long double)INT64_MAX))
		return VALUE_REAL;
	return numbers->min < 0 ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* Makes TYPE of the numbers; integers that are both keep their bits. */
static void
change_type(struct group_numbers *numbers, enum value_type type)
{
	for (size_t i = 0; type == VALUE_REAL && numbers->type != type && i < numbers->bits.count;
	     i++) {
		uint64_t *bits = &numbers->bits.at[i];
		*bits =
		    bits_of(numbers->type == VALUE_SIGNED ? (double)(int64_t)*bits : (double)*bits);
	}
	if (type == VALUE_REAL && numbers->type != type)
		numbers->real_sum = (long double)numbers->sum;
	numbers->type = type;
}

static void
note_limits(struct group_numbers *numbers, long double least, long double most)
{
	if (!numbers->count || least < numbers->min)
		numbers->min = least;
	if (!numbers->count || most > numbers->max)
		numbers->max = most;
}

static void
add_number(struct group *group, struct group_row *row, const struct value *value)
{
	long double number;
	if (!value_number(value, &number))
		return;
	if (!row->numbers) {
		row->numbers = mem_new(sizeof *row->numbers);
		row->numbers->type = value->type;
		row->numbers->ticks = value->ticks;
	}
	struct group_numbers *numbers = row->numbers;
	if (numbers->ticks != value->ticks || number != number)
		return;
	note_limits(numbers, number, number);
	group->sum += number;
	enum value_type type = common_type(numbers, value->type);
	if (type != numbers->type)
		change_type(numbers, type);
	numbers->count++;
	numbers->sorted = false;
	if (type == VALUE_REAL)
		numbers->real_sum += number;
	else
		numbers->sum += value->type == VALUE_SIGNED ? value->i : (__int128)value->u;
	*vec_add(&numbers->bits) = type == VALUE_REAL		 ? bits_of((double)number)
				   : value->type == VALUE_SIGNED ? (uint64_t)value->i
								 : value->u;
}

static void
append_numbers(struct group_row *to, struct group_row *from)
{
	struct group_numbers *more = from->numbers, *numbers = to->numbers;
	from->numbers = NULL;
	if (!numbers) {
		to->numbers = more;
		return;
	}
	if (numbers->ticks == more->ticks) {
		note_limits(numbers, more->min, more->max);
		enum value_type type = common_type(numbers, more->type);
		change_type(numbers, type);
		change_type(more, type);
		vec_reserve(&numbers->bits, more->bits.count);
		memcpy(numbers->bits.at + numbers->bits.count, more->bits.at,
		       more->bits.count * sizeof *more->bits.at);
		numbers->bits.count += more->bits.count;
		numbers->count += more->count;
		numbers->sum += more->sum;
		numbers->real_sum += more->real_sum;
		numbers->sorted = false;
	}
	vec_free(&more->bits);
	free(more);
}

/* --- messages --------------------------------------------------------------------- */

static void
count_message(struct group *group, size_t at, unsigned severity, uint64_t count)
{
	struct group_row *row = &group->rows.at[at];
	if (!row->count)
		*vec_add(&group->touched) = at;
	row->count += count;
	row->severities[severity] += count;
	group->count += count;
}

static void
note_gap(struct group_row *row, const struct gap *gap)
{
	if (row->gapped && (row->gap.known != gap->known || row->gap.length >= gap->length))
		return;
	row->gapped = true;
	row->gap = *gap;
}

static void
note_time(struct group_row *row, struct trace *trace, const struct message *m)
{
	struct message_time time;
	struct gap gap;
	if (!gap_time(trace, m, &time))
		return;
	if (!row->timed)
		row->first = time;
	else if (gap_between(&row->last, &time, &gap))
		note_gap(row, &gap);
	row->last = time;
	row->timed = true;
}

void
group_add(struct group *group, struct value_look *look)
{
	const struct group_spec *spec = group->spec;
	group->expanded = false;
	size_t at = find_row(group, look);
	struct group_row *row = &group->rows.at[at];
	count_message(group, at, look->message->severity, 1);
	if (spec->counted &
	    (1u << GROUP_COLUMN_FIRST | 1u << GROUP_COLUMN_LAST | 1u << GROUP_COLUMN_GAP))
		note_time(row, reader_trace(look->reader), look->message);
	if (spec->of) {
		struct value value;
		if (spec->of_expands)
			need_expansion(group, look);
		else if (!group->expanded)
			expansion_clear(look->expansion);
		value_get(spec->of, look, &value);
		add_number(group, row, &value);
	}
}

void
group_add_count(struct group *group, struct value_look *look, uint64_t count)
{
	group->expanded = true; /* by who gives the counts */
	make_key(group, look);
	size_t at = row_of_key(group, text_get(&group->key), group->key.length);
	count_message(group, at, look->message->severity, count);
}

static void
append_row(struct group_row *to, struct group_row *from)
{
	struct gap gap;
	to->count += from->count;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		to->severities[s] += from->severities[s];
	if (from->timed) {
		if (to->timed && gap_between(&to->last, &from->first, &gap))
			note_gap(to, &gap);
		if (from->gapped)
			note_gap(to, &from->gap);
		if (!to->timed)
			to->first = from->first;
		to->last = from->last;
		to->timed = true;
	}
	if (from->numbers)
		append_numbers(to, from);
}

/* The row as it was before any message. */
static void
empty_row(struct group_row *row)
{
	*row = (struct group_row){.keys = row->keys,
				  .key_size = row->key_size,
				  .key = row->key,
				  .hash = row->hash,
				  .target = row->target};
}

void
group_append(struct group *group, struct group *from)
{
	for (size_t i = 0; i < from->touched.count; i++) {
		struct group_row *row = &from->rows.at[from->touched.at[i]];
		if (!row->target)
			row->target = row_of_key(group, row->key, row->key_size) + 1;
		struct group_row *to = &group->rows.at[row->target - 1];
		if (!to->count)
			*vec_add(&group->touched) = row->target - 1;
		append_row(to, row);
		empty_row(row);
	}
	group->count += from->count;
	group->sum += from->sum;
	from->count = 0;
	from->sum = 0;
	vec_clear(&from->touched);
	if (from->rows.count > ROWS_KEPT)
		drop_rows(from);
}

/* --- percentiles ------------------------------------------------------------------- */

/* Integers and numbers as unsigned ones of the same order, and back. */
static uint64_t
rank_of_bits(uint64_t bits, enum value_type type)
{
	const uint64_t sign = (uint64_t)1 << 63;
	if (type == VALUE_REAL)
		return bits & sign ? ~bits : bits | sign;
	return type == VALUE_SIGNED ? bits ^ sign : bits;
}

static uint64_t
bits_of_rank(uint64_t rank, enum value_type type)
{
	const uint64_t sign = (uint64_t)1 << 63;
	if (type == VALUE_REAL)
		return rank & sign ? rank & ~sign : ~rank;
	return type == VALUE_SIGNED ? rank ^ sign : rank;
}

static void
sort_numbers(struct group_numbers *numbers)
{
	uint64_t *bits = numbers->bits.at;
	size_t count = numbers->bits.count;
	for (size_t i = 0; i < count; i++)
		bits[i] = rank_of_bits(bits[i], numbers->type);
	rank_sort(bits, count);
	for (size_t i = 0; i < count; i++)
		bits[i] = bits_of_rank(bits[i], numbers->type);
	numbers->sorted = true;
}

static void
set_percentile(struct value *value, struct group_numbers *numbers, unsigned percent)
{
	if (!numbers->sorted)
		sort_numbers(numbers);
	set_number(value, numbers->type,
		   numbers->bits.at[rank_nearest(numbers->count, percent) - 1]);
}

static void
set_real(struct value *value, long double number)
{
	value->type = VALUE_REAL;
	value->d = (double)number;
}

static void
set_sum(struct value *value, const struct group_numbers *numbers)
{
	if (numbers->type == VALUE_REAL)
		set_real(value, numbers->real_sum);
	else if (numbers->sum > UINT64_MAX || numbers->sum < INT64_MIN)
		set_real(value, (long double)numbers->sum);
	else
		set_number(value, numbers->sum < 0 ? VALUE_SIGNED : VALUE_UNSIGNED,
			   (uint64_t)numbers->sum);
}

static void
set_limit(struct value *value, const struct group_numbers *numbers, long double limit)
{
	if (numbers->type == VALUE_REAL)
		set_real(value, limit);
	else if (limit < 0)
		set_number(value, VALUE_SIGNED, (uint64_t)(int64_t)limit);
	else
		set_number(value, VALUE_UNSIGNED, (uint64_t)limit);
}

static void
set_of_numbers(struct value *value, struct group_numbers *numbers, enum group_column column)
{
	static const unsigned percents[GROUP_COLUMNS] = {
	    [GROUP_COLUMN_P50] = 50, [GROUP_COLUMN_P90] = 90, [GROUP_COLUMN_P99] = 99};
	bool real = numbers->type == VALUE_REAL;
	value->ticks = numbers->ticks;
	if (percents[column])
		set_percentile(value, numbers, percents[column]);
	else if (column == GROUP_COLUMN_SUM)
		set_sum(value, numbers);
	else if (column == GROUP_COLUMN_MEAN)
		set_real(value, (real ? numbers->real_sum : (long double)numbers->sum) /
				    (long double)numbers->count);
	else
		set_limit(value, numbers, column == GROUP_COLUMN_MIN ? numbers->min : numbers->max);
}

/* --- columns ------------------------------------------------------------------------ */

static void
set_time(struct value *value, const struct message_time *time)
{
	value->ticks = !time->known;
	set_number(value, time->known ? VALUE_SIGNED : VALUE_UNSIGNED,
		   (uint64_t)(time->known ? time->nanoseconds : time->order));
}

void
group_value(struct group *group, size_t at, enum group_column column, struct value *value)
{
	struct group_row *row = &group->rows.at[at];
	struct group_numbers *numbers = row->numbers;
	*value = (struct value){0};
	if (column == GROUP_COLUMN_COUNT) {
		set_number(value, VALUE_UNSIGNED, row->count);
	} else if (column == GROUP_COLUMN_SHARE && group->count) {
		set_real(value, (long double)row->count / (long double)group->count);
	} else if ((column == GROUP_COLUMN_FIRST || column == GROUP_COLUMN_LAST) && row->timed) {
		set_time(value, column == GROUP_COLUMN_FIRST ? &row->first : &row->last);
	} else if (column == GROUP_COLUMN_GAP && row->gapped) {
		set_number(value, VALUE_UNSIGNED, row->gap.length);
		value->ticks = !row->gap.known;
	} else if (column == GROUP_COLUMN_PART) {
		if (numbers && numbers->count && group->sum > 0)
			set_real(value, (numbers->type == VALUE_REAL ? numbers->real_sum
								     : (long double)numbers->sum) /
					    group->sum);
	} else if (column == GROUP_COLUMN_VALUES) {
		set_number(value, VALUE_UNSIGNED, numbers ? numbers->count : 0);
	} else if (column > GROUP_COLUMN_VALUES && numbers && numbers->count) {
		set_of_numbers(value, numbers, column);
	}
}
