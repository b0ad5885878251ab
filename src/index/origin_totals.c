/*
 * Counts by origin and severity of all cells: see origin_totals.h.
 *
 * A cell costs one probe of a hash for each of its origins.  Of a group the census
 * keeps the origins that occur in it, sorted; of all, every origin up to a limit.
 */
#include "config.h"

#include "index/origin_totals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	ORIGINS_MAX = 65536,		/* further ones are counted together */
	GROUP_ORIGINS_MAX = CENSUS_KEYS /* of one group; a group with more is not kept */
};

#define OTHER_ORIGINS UINT64_MAX

/* Counts of one origin in one group of cells. */
struct group_row {
	uint32_t origin; /* position in `origins` */
	uint32_t severities[SEVERITY_COUNT];
};

struct group {
	struct group_row *rows;
	uint32_t count;
	bool crowded; /* more origins than are kept */
};

struct census {
	pthread_mutex_t lock;
	struct tally all;	    /* its rows are the origins; severities not used */
	index_origins origins;	    /* the same ones, with their sums */
	uint64_t cells;		    /* added */
	VEC(struct group) groups;   /* those that are full */
	VEC(struct group_row) open; /* of the group that is not, dense by origin */
	VEC(uint32_t) met;	    /* origins that occur in it */
	uint64_t severities[SEVERITY_COUNT];
};

struct census *
census_new(void)
{
	struct census *census = mem_new(sizeof *census);
	pthread_mutex_init(&census->lock, NULL);
	tally_clear(&census->all);
	return census;
}

void
census_clear(struct census *census)
{
	pthread_mutex_lock(&census->lock);
	tally_clear(&census->all);
	vec_clear(&census->origins);
	for (size_t i = 0; i < census->groups.count; i++)
		free(census->groups.at[i].rows);
	vec_clear(&census->groups);
	vec_clear(&census->open);
	vec_clear(&census->met);
	census->cells = 0;
	memset(census->severities, 0, sizeof census->severities);
	pthread_mutex_unlock(&census->lock);
}

void
census_free(struct census *census)
{
	if (!census)
		return;
	census_clear(census);
	tally_free(&census->all);
	vec_free(&census->origins);
	vec_free(&census->groups);
	vec_free(&census->open);
	vec_free(&census->met);
	pthread_mutex_destroy(&census->lock);
	free(census);
}

/* The number of an origin, which is added when it is new. */
static uint32_t
intern(struct census *census, uint64_t key, uint64_t place)
{
	if (census->origins.count >= ORIGINS_MAX && !tally_find(&census->all, key))
		key = OTHER_ORIGINS;
	struct tally_row *row = tally_row(&census->all, key, place);
	uint32_t origin = (uint32_t)(row - census->all.rows.at);
	if (origin == census->origins.count) {
		*vec_add(&census->origins) = (struct index_origin){.key = key, .example = place};
		*vec_add(&census->open) = (struct group_row){.origin = origin};
	}
	return origin;
}

static int
by_origin(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* What the open group has, sparsely. */
static struct group
pack_group(struct census *census)
{
	struct group group = {.crowded = census->met.count > GROUP_ORIGINS_MAX};
	if (group.crowded)
		return group;
	group.count = (uint32_t)census->met.count;
	group.rows = mem_new((group.count + 1) * sizeof *group.rows);
	if (group.count)
		qsort(census->met.at, group.count, sizeof *census->met.at, by_origin);
	for (size_t i = 0; i < group.count; i++)
		group.rows[i] = census->open.at[census->met.at[i]];
	return group;
}

static void
close_group(struct census *census)
{
	*vec_add(&census->groups) = pack_group(census);
	for (size_t i = 0; i < census->met.count; i++) {
		struct group_row *row = &census->open.at[census->met.at[i]];
		memset(row->severities, 0, sizeof row->severities);
	}
	vec_clear(&census->met);
}

static bool
is_clear(const struct group_row *row)
{
	uint32_t any = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		any |= row->severities[s];
	return !any;
}

/* Adds ROW of COUNT cells that lie in the open group. */
static void
add_row(struct census *census, const struct tally_row *row, uint64_t count)
{
	uint32_t origin = intern(census, row->key, row->example);
	struct group_row *open = &census->open.at[origin];
	struct index_origin *all = &census->origins.at[origin];
	if (is_clear(open))
		*vec_add(&census->met) = origin;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
		uint64_t more = row->severities[s] * count;
		open->severities[s] += (uint32_t)more;
		all->severities[s] += more;
		census->severities[s] += more;
	}
}

void
census_add(struct census *census, const struct tally_row *rows, size_t row_count, uint64_t count)
{
	pthread_mutex_lock(&census->lock);
	while (count) {
		uint64_t left = INDEX_GROUP - census->cells % INDEX_GROUP;
		uint64_t now = count < left ? count : left;
		for (size_t i = 0; i < row_count; i++)
			add_row(census, &rows[i], now);
		census->cells += now;
		count -= now;
		if (census->cells % INDEX_GROUP == 0)
			close_group(census);
	}
	pthread_mutex_unlock(&census->lock);
}

void
census_get(struct census *census, index_origins *out)
{
	pthread_mutex_lock(&census->lock);
	vec_clear(out);
	for (size_t i = 0; i < census->origins.count; i++)
		*vec_add(out) = census->origins.at[i];
	pthread_mutex_unlock(&census->lock);
}

void
census_totals(struct census *census, uint64_t severities[SEVERITY_COUNT])
{
	pthread_mutex_lock(&census->lock);
	memcpy(severities, census->severities, sizeof census->severities);
	pthread_mutex_unlock(&census->lock);
}

bool
census_group(struct census *census, uint64_t group, uint64_t key,
	     uint64_t severities[SEVERITY_COUNT])
{
	pthread_mutex_lock(&census->lock);
	bool known = group < census->groups.count && !census->groups.at[group].crowded &&
		     census->origins.count < ORIGINS_MAX;
	memset(severities, 0, SEVERITY_COUNT * sizeof *severities);
	const struct tally_row *found = tally_find(&census->all, key);
	if (known && found) {
		const struct group *g = &census->groups.at[group];
		uint32_t origin = (uint32_t)(found - census->all.rows.at);
		const struct group_row *row =
		    bsearch(&origin, g->rows, g->count, sizeof *g->rows, by_origin);
		for (unsigned s = 0; row && s < SEVERITY_COUNT; s++)
			severities[s] = row->severities[s];
	}
	pthread_mutex_unlock(&census->lock);
	return known;
}

bool
census_keys(struct census *census, uint64_t group, uint64_t keys[CENSUS_KEYS], size_t *count)
{
	pthread_mutex_lock(&census->lock);
	bool known = group < census->groups.count && !census->groups.at[group].crowded &&
		     census->origins.count < ORIGINS_MAX;
	*count = known ? census->groups.at[group].count : 0;
	for (size_t i = 0; i < *count; i++)
		keys[i] = census->origins.at[census->groups.at[group].rows[i].origin].key;
	pthread_mutex_unlock(&census->lock);
	return known;
}

/* --- saved ------------------------------------------------------------- */

struct saved_census {
	uint64_t cells, origins, groups; /* the last group may be open */
};

static void
write_group(const struct group *group, struct text *out)
{
	uint32_t head[2] = {group->count, group->crowded};
	text_add_bytes(out, head, sizeof head);
	text_add_bytes(out, group->rows, group->count * sizeof *group->rows);
}

void
census_write(struct census *census, struct text *out)
{
	pthread_mutex_lock(&census->lock);
	bool open = census->cells % INDEX_GROUP;
	struct saved_census head = {.cells = census->cells,
				    .origins = census->origins.count,
				    .groups = census->groups.count + open};
	text_add_bytes(out, &head, sizeof head);
	text_add_bytes(out, census->origins.at, census->origins.count * sizeof *census->origins.at);
	for (size_t i = 0; i < census->groups.count; i++)
		write_group(&census->groups.at[i], out);
	if (open) {
		struct group last = pack_group(census);
		write_group(&last, out);
		free(last.rows);
	}
	pthread_mutex_unlock(&census->lock);
}

/* Adds what a group of COUNT cells says.  A crowded one says nothing; WHOLE:
 * that is known otherwise. */
static bool
read_group(struct census *census, struct bytes_rest *rest, const index_origins *origins,
	   uint64_t count, bool whole)
{
	uint32_t head[2];
	struct group_row row;
	if (!bytes_take(rest, head, sizeof head) || (head[1] && !whole))
		return false;
	for (uint32_t i = 0; i < head[0]; i++) {
		if (!bytes_take(rest, &row, sizeof row) || row.origin >= origins->count)
			return false;
		const struct index_origin *origin = &origins->at[row.origin];
		struct tally_row tally = {.key = origin->key, .example = origin->example};
		memcpy(tally.severities, row.severities, sizeof row.severities);
		add_row(census, &tally, 1);
	}
	census->cells += count;
	if (census->cells % INDEX_GROUP == 0) {
		close_group(census);
		census->groups.at[census->groups.count - 1].crowded = head[1];
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

/* All origins with their sums, as they were. */
static void
take_origins(struct census *census, const index_origins *origins)
{
	memset(census->severities, 0, sizeof census->severities);
	for (size_t i = 0; i < origins->count; i++) {
		const struct index_origin *origin = &origins->at[i];
		uint32_t number = intern(census, origin->key, origin->example);
		struct index_origin *own = &census->origins.at[number];
		memcpy(own->severities, origin->severities, sizeof own->severities);
		for (unsigned s = 0; s < SEVERITY_COUNT; s++)
			census->severities[s] += origin->severities[s];
	}
}

bool
census_read(struct census *census, struct bytes_rest *rest, uint64_t cells)
{
	struct saved_census head;
	index_origins origins = {0};
	if (!bytes_take(rest, &head, sizeof head) || cells > head.cells ||
	    (cells < head.cells && cells % INDEX_GROUP) ||
	    head.groups != (head.cells + INDEX_GROUP - 1) / INDEX_GROUP)
		return false;
	bool whole = cells == head.cells;
	pthread_mutex_lock(&census->lock);
	bool good = read_origins(rest, head.origins, &origins);
	if (good && whole) /* in their order, so that they get the same numbers */
		take_origins(census, &origins);
	while (good && census->cells < cells) {
		uint64_t left = cells - census->cells;
		uint64_t now = left < INDEX_GROUP ? left : INDEX_GROUP;
		good = read_group(census, rest, &origins, now, whole);
	}
	if (good && whole) /* crowded groups counted too */
		take_origins(census, &origins);
	pthread_mutex_unlock(&census->lock);
	vec_free(&origins);
	return good;
}

size_t
census_memory(struct census *census)
{
	pthread_mutex_lock(&census->lock);
	size_t bytes =
	    census->origins.count * (sizeof(struct index_origin) + sizeof(struct group_row)) +
	    tally_memory(&census->all) + census->groups.count * sizeof(struct group);
	for (size_t i = 0; i < census->groups.count; i++)
		bytes += census->groups.at[i].count * sizeof(struct group_row);
	pthread_mutex_unlock(&census->lock);
	return bytes;
}
