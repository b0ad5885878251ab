/*
 * Origin totals: see origin_totals.h.
 *
 * A cell costs one hash lookup for each of its origins. A group stores its origins,
 * sorted. The overall totals store every origin up to a limit.
 */
#include "config.h"

#include "index/origin_totals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	ORIGINS_MAX = 65536,		       /* the rest is counted together */
	GROUP_ORIGINS_MAX = ORIGIN_TOTALS_KEYS /* per group; a group with more is not stored */
};

#define OTHER_ORIGINS UINT64_MAX

/* Counts of one origin in one group of cells. */
struct totals_row {
	uint32_t origin; /* index in `origins` */
	uint32_t severities[SEVERITY_COUNT];
};

struct totals_group {
	struct totals_row *rows;
	uint32_t count;
	bool overflowed; /* it has more than GROUP_ORIGINS_MAX origins */
};

struct origin_totals {
	pthread_mutex_t lock;
	struct tally all;		 /* one row per origin; severities unused */
	index_origins origins;		 /* the same origins, with their sums */
	uint64_t cells;			 /* added */
	VEC(struct totals_group) groups; /* full groups */
	VEC(struct totals_row) open;	 /* of the open group, one row per origin */
	VEC(uint32_t) occurring;	 /* origins in the open group */
	uint64_t severities[SEVERITY_COUNT];
	uint64_t dropped; /* groups */
	bool keep;	  /* keep the rows of all groups, for origin_totals_drop */
};

struct origin_totals *
origin_totals_new(uint64_t groups, bool keep)
{
	struct origin_totals *totals = mem_new(sizeof *totals);
	pthread_mutex_init(&totals->lock, NULL);
	tally_clear(&totals->all);
	totals->keep = keep;
	totals->cells = groups * INDEX_GROUP;
	for (totals->dropped = 0; totals->dropped < groups; totals->dropped++)
		*vec_add(&totals->groups) = (struct totals_group){0};
	return totals;
}

void
origin_totals_free(struct origin_totals *totals)
{
	if (!totals)
		return;
	for (size_t i = 0; i < totals->groups.count; i++)
		free(totals->groups.at[i].rows);
	tally_free(&totals->all);
	vec_free(&totals->origins);
	vec_free(&totals->groups);
	vec_free(&totals->open);
	vec_free(&totals->occurring);
	pthread_mutex_destroy(&totals->lock);
	free(totals);
}

/* Return the number of an origin; add it if it is new. */
static uint32_t
intern_origin(struct origin_totals *totals, uint64_t key, uint64_t offset)
{
	if (totals->origins.count >= ORIGINS_MAX && !tally_find(&totals->all, key))
		key = OTHER_ORIGINS;
	struct tally_row *row = tally_row(&totals->all, key, offset);
	uint32_t origin = (uint32_t)(row - totals->all.rows.at);
	if (origin == totals->origins.count) {
		*vec_add(&totals->origins) = (struct index_origin){.key = key, .example = offset};
		*vec_add(&totals->open) = (struct totals_row){.origin = origin};
	}
	return origin;
}

static int
by_origin(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* Copy the rows of the open group that are in use. */
static struct totals_group
pack_group(struct origin_totals *totals)
{
	struct totals_group group = {.overflowed = totals->occurring.count > GROUP_ORIGINS_MAX};
	if (group.overflowed && !totals->keep)
		return group;
	group.count = (uint32_t)totals->occurring.count;
	group.rows = mem_new((group.count + 1) * sizeof *group.rows);
	if (group.count)
		qsort(totals->occurring.at, group.count, sizeof *totals->occurring.at, by_origin);
	for (size_t i = 0; i < group.count; i++)
		group.rows[i] = totals->open.at[totals->occurring.at[i]];
	return group;
}

static void
close_group(struct origin_totals *totals)
{
	*vec_add(&totals->groups) = pack_group(totals);
	for (size_t i = 0; i < totals->occurring.count; i++) {
		struct totals_row *row = &totals->open.at[totals->occurring.at[i]];
		memset(row->severities, 0, sizeof row->severities);
	}
	vec_clear(&totals->occurring);
}

static bool
is_clear(const struct totals_row *row)
{
	uint32_t any = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		any |= row->severities[s];
	return !any;
}

/* Add ROW to the open group. */
static void
add_row(struct origin_totals *totals, const struct tally_row *row)
{
	uint32_t origin = intern_origin(totals, row->key, row->example);
	struct totals_row *open = &totals->open.at[origin];
	struct index_origin *all = &totals->origins.at[origin];
	if (is_clear(open))
		*vec_add(&totals->occurring) = origin;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
		open->severities[s] += (uint32_t)row->severities[s];
		all->severities[s] += row->severities[s];
		totals->severities[s] += row->severities[s];
	}
}

void
origin_totals_add(struct origin_totals *totals, const struct tally_row *rows, size_t row_count)
{
	pthread_mutex_lock(&totals->lock);
	for (size_t i = 0; i < row_count; i++)
		add_row(totals, &rows[i]);
	if (++totals->cells % INDEX_GROUP == 0)
		close_group(totals);
	pthread_mutex_unlock(&totals->lock);
}

/* True if it has messages that were not dropped. */
static bool
origin_occurs(const struct index_origin *origin)
{
	uint64_t any = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		any |= origin->severities[s];
	return any;
}

void
origin_totals_get(struct origin_totals *totals, index_origins *out)
{
	pthread_mutex_lock(&totals->lock);
	vec_clear(out);
	for (size_t i = 0; i < totals->origins.count; i++)
		if (origin_occurs(&totals->origins.at[i]))
			*vec_add(out) = totals->origins.at[i];
	pthread_mutex_unlock(&totals->lock);
}

void
origin_totals_severities(struct origin_totals *totals, uint64_t severities[SEVERITY_COUNT])
{
	pthread_mutex_lock(&totals->lock);
	memcpy(severities, totals->severities, sizeof totals->severities);
	pthread_mutex_unlock(&totals->lock);
}

bool
origin_totals_group(struct origin_totals *totals, uint64_t group, uint64_t key,
		    uint64_t severities[SEVERITY_COUNT])
{
	pthread_mutex_lock(&totals->lock);
	bool known = group < totals->groups.count && !totals->groups.at[group].overflowed &&
		     totals->origins.count < ORIGINS_MAX;
	memset(severities, 0, SEVERITY_COUNT * sizeof *severities);
	const struct tally_row *found = tally_find(&totals->all, key);
	if (known && found) {
		const struct totals_group *g = &totals->groups.at[group];
		uint32_t origin = (uint32_t)(found - totals->all.rows.at);
		const struct totals_row *row =
		    bsearch(&origin, g->rows, g->count, sizeof *g->rows, by_origin);
		for (unsigned s = 0; row && s < SEVERITY_COUNT; s++)
			severities[s] = row->severities[s];
	}
	pthread_mutex_unlock(&totals->lock);
	return known;
}

bool
origin_totals_keys(struct origin_totals *totals, uint64_t group, uint64_t keys[ORIGIN_TOTALS_KEYS],
		   size_t *count)
{
	pthread_mutex_lock(&totals->lock);
	bool known = group < totals->groups.count && !totals->groups.at[group].overflowed &&
		     totals->origins.count < ORIGINS_MAX;
	*count = known ? totals->groups.at[group].count : 0;
	for (size_t i = 0; i < *count; i++)
		keys[i] = totals->origins.at[totals->groups.at[group].rows[i].origin].key;
	pthread_mutex_unlock(&totals->lock);
	return known;
}

/* --- dropping ------------------------------------------------------------ */

static void
drop_group(struct origin_totals *totals, struct totals_group *group)
{
	for (uint32_t i = 0; i < group->count; i++) {
		const struct totals_row *row = &group->rows[i];
		struct index_origin *all = &totals->origins.at[row->origin];
		for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
			all->severities[s] -= row->severities[s];
			totals->severities[s] -= row->severities[s];
		}
	}
	free(group->rows);
	*group = (struct totals_group){0};
}

/* Move the example of an origin to OFFSET if it is before BEGIN. The origin occurs at or
 * after OFFSET. */
static void
move_example(struct origin_totals *totals, uint32_t origin, uint64_t begin, uint64_t offset)
{
	struct index_origin *all = &totals->origins.at[origin];
	if (all->example < begin)
		all->example = offset;
}

void
origin_totals_drop(struct origin_totals *totals, uint64_t groups, uint64_t group_size)
{
	uint64_t begin = groups * group_size;
	pthread_mutex_lock(&totals->lock);
	/* the last dropped group contains the count that stands for all */
	for (uint64_t i = totals->dropped - (totals->dropped > 0); i < groups; i++)
		drop_group(totals, &totals->groups.at[i]);
	totals->dropped = groups;
	for (uint64_t i = groups; i < totals->groups.count; i++) {
		const struct totals_group *group = &totals->groups.at[i];
		for (uint32_t row = 0; row < group->count; row++)
			move_example(totals, group->rows[row].origin, begin, i * group_size);
	}
	for (size_t i = 0; i < totals->occurring.count; i++)
		move_example(totals, totals->occurring.at[i], begin,
			     totals->groups.count * group_size);
	pthread_mutex_unlock(&totals->lock);
}

void
origin_totals_lose(struct origin_totals *totals, uint64_t origin, uint64_t offset)
{
	pthread_mutex_lock(&totals->lock);
	struct totals_group *last = &totals->groups.at[totals->dropped - 1];
	uint32_t number = intern_origin(totals, origin, offset);
	last->rows = mem_new(sizeof *last->rows);
	last->count = 1;
	last->rows->origin = number;
	last->rows->severities[SEVERITY_ERROR] = 1;
	totals->origins.at[number].example = offset;
	totals->origins.at[number].severities[SEVERITY_ERROR]++;
	totals->severities[SEVERITY_ERROR]++;
	pthread_mutex_unlock(&totals->lock);
}

/* --- saved ------------------------------------------------------------- */

struct saved_totals {
	uint64_t cells, origins, groups; /* the last group may be open */
};

static void
write_group(const struct totals_group *group, struct text *out)
{
	uint32_t head[2] = {group->count, group->overflowed};
	text_add_bytes(out, head, sizeof head);
	text_add_bytes(out, group->rows, group->count * sizeof *group->rows);
}

void
origin_totals_write(struct origin_totals *totals, struct text *out)
{
	pthread_mutex_lock(&totals->lock);
	bool open = totals->cells % INDEX_GROUP;
	struct saved_totals head = {.cells = totals->cells,
				    .origins = totals->origins.count,
				    .groups = totals->groups.count + open};
	text_add_bytes(out, &head, sizeof head);
	text_add_bytes(out, totals->origins.at, totals->origins.count * sizeof *totals->origins.at);
	for (size_t i = 0; i < totals->groups.count; i++)
		write_group(&totals->groups.at[i], out);
	if (open) {
		struct totals_group last = pack_group(totals);
		write_group(&last, out);
		free(last.rows);
	}
	pthread_mutex_unlock(&totals->lock);
}

/* Add a stored group of COUNT cells. The rows of an overflowed group may be missing; it is
 * usable only if WHOLE, as the sums are then stored too. */
static bool
read_group(struct origin_totals *totals, struct bytes_rest *rest, const index_origins *origins,
	   uint64_t count, bool whole)
{
	uint32_t head[2];
	struct totals_row row;
	if (!bytes_take(rest, head, sizeof head) || (head[1] && !whole))
		return false;
	for (uint32_t i = 0; i < head[0]; i++) {
		if (!bytes_take(rest, &row, sizeof row) || row.origin >= origins->count)
			return false;
		const struct index_origin *origin = &origins->at[row.origin];
		struct tally_row tally = {.key = origin->key, .example = origin->example};
		memcpy(tally.severities, row.severities, sizeof row.severities);
		add_row(totals, &tally);
	}
	totals->cells += count;
	if (totals->cells % INDEX_GROUP == 0) {
		close_group(totals);
		totals->groups.at[totals->groups.count - 1].overflowed = head[1];
	}
	return true;
}

static bool
read_origins(struct bytes_rest *rest, uint64_t count, index_origins *origins)
{
	struct index_origin origin;
	if (count > ORIGINS_MAX + 1)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!bytes_take(rest, &origin, sizeof origin))
			return false;
		*vec_add(origins) = origin;
	}
	return true;
}

/* Set all origins and their sums to the stored ones. */
static void
take_origins(struct origin_totals *totals, const index_origins *origins)
{
	memset(totals->severities, 0, sizeof totals->severities);
	for (size_t i = 0; i < origins->count; i++) {
		const struct index_origin *origin = &origins->at[i];
		uint32_t number = intern_origin(totals, origin->key, origin->example);
		struct index_origin *own = &totals->origins.at[number];
		memcpy(own->severities, origin->severities, sizeof own->severities);
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			totals->severities[s] += origin->severities[s];
	}
}

bool
origin_totals_read(struct origin_totals *totals, struct bytes_rest *rest, uint64_t cells)
{
	struct saved_totals head;
	index_origins origins = {0};
	if (!bytes_take(rest, &head, sizeof head) || cells > head.cells ||
	    (cells < head.cells && cells % INDEX_GROUP) ||
	    head.groups != (head.cells + INDEX_GROUP - 1) / INDEX_GROUP)
		return false;
	bool whole = cells == head.cells;
	pthread_mutex_lock(&totals->lock);
	bool good = read_origins(rest, head.origins, &origins);
	if (good && whole) /* in stored order, for the same numbers */
		take_origins(totals, &origins);
	while (good && totals->cells < cells) {
		uint64_t left = cells - totals->cells;
		uint64_t now = left < INDEX_GROUP ? left : INDEX_GROUP;
		good = read_group(totals, rest, &origins, now, whole);
	}
	if (good && whole) /* the sums include overflowed groups */
		take_origins(totals, &origins);
	pthread_mutex_unlock(&totals->lock);
	vec_free(&origins);
	return good;
}

size_t
origin_totals_memory(struct origin_totals *totals)
{
	pthread_mutex_lock(&totals->lock);
	size_t bytes =
	    totals->origins.count * (sizeof(struct index_origin) + sizeof(struct totals_row)) +
	    tally_memory(&totals->all) + totals->groups.count * sizeof(struct totals_group);
	for (size_t i = 0; i < totals->groups.count; i++)
		bytes += totals->groups.at[i].count * sizeof(struct totals_row);
	pthread_mutex_unlock(&totals->lock);
	return bytes;
}
