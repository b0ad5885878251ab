/* Divides time among instructions: see flow_clock.h. */
#include "config.h"

#include "flow/flow_clock.h"

enum { ENDED_MOST = 1 << 16 }; /* calls between two times; further ones get no duration */

/* --- shares ------------------------------------------------------------ */

void
flow_shares_add(struct flow_shares *shares, uint32_t node, uint64_t count)
{
	if (shares->given)
		shares->count = 0;
	shares->given = false;
	size_t last = shares->count ? shares->count - 1 : 0;
	bool more = !shares->count || shares->at[last].node != node;
	if (more && shares->count < FLOW_SHARES_MOST) {
		last = shares->count++;
		shares->at[last].node = node;
		shares->at[last].count = 0;
	}
	shares->at[last].count += count;
}

size_t
flow_shares_divide(const struct flow_shares *shares, uint64_t amount, uint64_t *parts)
{
	unsigned __int128 all = 0, before = 0;
	uint64_t given = 0;
	for (size_t i = 0; i < shares->count; i++)
		all += shares->at[i].count;
	for (size_t i = 0; i < shares->count; i++) {
		before += shares->at[i].count;
		uint64_t upto = (uint64_t)(before * amount / all);
		parts[i] = upto - given;
		given = upto;
	}
	return shares->count;
}

void
flow_shares_given(struct flow_shares *shares)
{
	if (shares->count)
		shares->at[0] = shares->at[shares->count - 1];
	shares->count = shares->count > 0;
	shares->given = true;
}

/* --- the clock --------------------------------------------------------- */

void
flow_clock_free(struct flow_clock *clock)
{
	vec_free(&clock->ended);
}

bool
flow_clock_is_at(const struct flow_clock *clock, const struct flow_place *place)
{
	return clock->moved && clock->number == place->number;
}

void
flow_clock_move(struct flow_clock *clock, const struct flow_place *place)
{
	clock->moved = true;
	clock->number = place->number;
	clock->time = place->time;
}

void
flow_clock_add(struct flow_clock *clock, uint32_t node, uint64_t count)
{
	if (!clock->known)
		return;
	flow_shares_add(&clock->shares, node, count);
	clock->behind += count;
}

struct flow_began
flow_clock_now(const struct flow_clock *clock)
{
	return (struct flow_began){clock->elapsed, clock->behind};
}

uint64_t
flow_clock_elapsed(const struct flow_clock *clock, const struct flow_began *since)
{
	return clock->elapsed - since->elapsed;
}

void
flow_clock_end_call(struct flow_clock *clock, uint32_t function, const struct flow_began *began,
		    flow_note_time *note, void *context)
{
	if (!clock->behind)
		note(context, function, flow_clock_elapsed(clock, began));
	else if (clock->ended.count < ENDED_MOST)
		*vec_add(&clock->ended) = (struct flow_ended){function, *began, clock->behind};
}

bool
flow_clock_passed(struct flow_clock *clock, uint64_t *passed, bool *estimated)
{
	if (!clock->moved || !clock->time.known)
		return false;
	bool back = clock->known && clock->time.nanoseconds < clock->since;
	*estimated = back || clock->estimated || clock->time.estimated;
	*passed =
	    clock->known && !back ? (uint64_t)clock->time.nanoseconds - (uint64_t)clock->since : 0;
	return true;
}

/* Return the share of PASSED that the first BEHIND instructions took. */
static uint64_t
part_of(const struct flow_clock *clock, uint64_t behind, uint64_t passed)
{
	return clock->behind ? (uint64_t)((unsigned __int128)passed * behind / clock->behind) : 0;
}

bool
flow_clock_resolve(const struct flow_clock *clock, struct flow_began *began, uint64_t passed)
{
	if (!began->behind)
		return false;
	began->elapsed += part_of(clock, began->behind, passed);
	began->behind = 0;
	return true;
}

/* Report the duration of the calls that ended. */
static void
note_ended(struct flow_clock *clock, uint64_t passed, flow_note_time *note, void *context)
{
	for (size_t i = 0; i < clock->ended.count; i++) {
		struct flow_ended *ended = &clock->ended.at[i];
		flow_clock_resolve(clock, &ended->began, passed);
		note(context, ended->function,
		     clock->elapsed + part_of(clock, ended->behind, passed) - ended->began.elapsed);
	}
	vec_clear(&clock->ended);
	clock->elapsed += passed;
	clock->behind = 0;
	clock->moved = false;
}

void
flow_clock_go_on(struct flow_clock *clock, uint64_t passed, flow_note_time *note, void *context)
{
	note_ended(clock, passed, note, context);
	clock->known = true;
	clock->since = clock->time.nanoseconds;
	clock->estimated = clock->time.estimated;
}

void
flow_clock_stop(struct flow_clock *clock, flow_note_time *note, void *context)
{
	note_ended(clock, 0, note, context);
	clock->shares.count = 0;
	clock->known = false;
}
