/*
 * The ties of the user as lines: see sync_ties.h.
 *
 * A tie may come from a file. It therefore stores the ticks of its two messages, not their
 * message IDs. Each message is searched around its time. If several have the same ticks, the
 * first one counts.
 */
#include "config.h"

#include "ui/panes/sync_ties.h"
#include "session/clock/clocks.h"
#include "session/link/sync_options.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/screen/screen.h"

enum { NEAR_MESSAGES = 256 /* searched around the time of a tie */ };

static void
drop_ties(struct sync_ties *all)
{
	for (size_t i = 0; i < all->ties.count; i++) {
		struct sync_tie *tie = &all->ties.at[i];
		text_free(&tie->time);
		text_free(&tie->trace);
		text_free(&tie->with);
		text_free(&tie->what);
	}
	vec_clear(&all->ties);
}

void
sync_ties_free(struct sync_ties *all)
{
	drop_ties(all);
	vec_free(&all->ties);
}

/* Find the message at one end of tie NUMBER. */
static bool
find_end(struct screen *screen, size_t number, bool at_b, struct location *location)
{
	struct clocks *clocks = screen->session->clocks;
	struct position at;
	size_t lane;
	int64_t time;
	if (!clocks_tie_end(clocks, number, at_b, &lane, &time) ||
	    !sequence_find_in_trace(screen->sequence, lane, time, &at))
		return false;
	struct reader *reader = sequence_reader(screen->sequence, lane);
	reader_previous(reader, &at, NEAR_MESSAGES / 2);
	for (int i = 0; i < NEAR_MESSAGES; i++) {
		const struct message *m = reader_message(reader, at);
		if (m && clocks_is_tie_end(clocks, number, at_b, reader_trace(reader), m)) {
			*location =
			    (struct location){.trace = lane, .id = reader_message_id(reader, at)};
			return true;
		}
		if (!reader_next(reader, &at, 1))
			return false;
	}
	return false;
}

/* Append the text of a message. Set *SHOWN to its time on the clock of the list. False without a
 * time. */
static bool
add_message(struct screen *screen, const struct list *list, const struct location *location,
	    struct text *out, struct display_time *shown)
{
	struct reader *reader = sequence_reader(screen->sequence, location->trace);
	struct expansion e = {0};
	struct position at;
	struct message m;
	if (!reader_read_id(reader, location->id, &at, &m))
		return false;
	reader_expand(reader, &m, EXPAND_TEXT, &e);
	text_add_bytes(out, text_get(&e.text), e.text.length);
	expansion_free(&e);
	for (size_t i = 0; i < list->lane_count; i++)
		if (list->lanes[i].number == location->trace)
			return display_time_of(list, &list->lanes[i], &m, shown);
	return false;
}

static void
make_tie(struct screen *screen, const struct list *list, size_t number, struct sync_tie *tie)
{
	size_t count;
	const struct sync_options *is = &clocks_ties(screen->session->clocks, &count)[number];
	struct display_time a, b;
	struct text texts[2] = {0};
	text_add(&tie->trace, is->a.trace);
	text_addf(&tie->what, "tie %zu", number + 1);
	tie->known = find_end(screen, number, false, &tie->ends[0]) &&
		     find_end(screen, number, true, &tie->ends[1]);
	text_addf(&tie->with, "%s %s", tie->known ? "=" : "?", is->b.trace);
	if (!tie->known)
		return;
	bool timed_a = add_message(screen, list, &tie->ends[0], &texts[0], &a);
	bool timed_b = add_message(screen, list, &tie->ends[1], &texts[1], &b);
	if (timed_a)
		display_time_format_parts(&a, NULL, &tie->time);
	if (timed_a && timed_b) {
		text_add(&tie->what, ", ");
		display_time_format_gap(&a, &b, &tie->what);
		text_add(&tie->what, " apart");
	}
	for (int i = 0; i < 2; i++) {
		text_add(&tie->what, i ? " = " : ": ");
		text_add_bytes(&tie->what, text_get(&texts[i]), texts[i].length);
	}
	text_free(&texts[0]);
	text_free(&texts[1]);
}

void
sync_ties_make(struct sync_ties *all, struct screen *screen, const struct list *list)
{
	size_t count;
	clocks_ties(screen->session->clocks, &count);
	if (!generation_renew(&all->generation,
			      generation_join(list_generation(list), screen->indexed, count)))
		return;
	drop_ties(all);
	for (size_t i = 0; i < count; i++) {
		struct sync_tie *tie = vec_add(&all->ties);
		*tie = (struct sync_tie){0};
		make_tie(screen, list, i, tie);
	}
}
