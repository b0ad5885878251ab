/*
 * Clock points of all captures of a session: see clock_points.h.
 */
#include "config.h"

#include "session/clock/clock_points.h"
#include "base/generation.h"
#include "session/clock/clock_keep.h"
#include "session/session.h"

enum { KEEP_CELLS = 64 }; /* points are worth a file if more cells were decoded */

/* --- kept between runs -------------------------------------------------- */

/* Read the points stored by an earlier run. */
static void
recall_points(struct clock_feed *feed)
{
	feed->kept = clock_keep_read(feed);
	if (feed->kept)
		clock_feed_add_configured_rates(feed);
	else
		clock_feed_forget(feed);
}

/* True if a feed's points depend on its capture alone, so that they can be stored. */
static bool
can_keep(const struct clock_feed *feed)
{
	return feed->source && !feed->source->matched;
}

/* Store the points once they are complete, if they took long to find. */
static void
keep_points(struct clock_feed *feed)
{
	struct index *index = trace_index(feed->trace);
	if (feed->kept || feed->decoded <= KEEP_CELLS || feed->links->overflowed ||
	    !index_is_complete(index) || feed->next != index_known(index))
		return;
	clock_keep_write(feed);
	feed->kept = true; /* or it cannot be stored */
}

/* --- all feeds ------------------------------------------------------------ */

bool
clock_points_may_have(const struct clock_points *points, size_t trace)
{
	return points->feeds.at[trace].source;
}

bool
clock_points_look(struct clock_points *points)
{
	bool stale = false;
	for (size_t i = 0; i < points->feeds.count; i++) {
		struct clock_feed *feed = &points->feeds.at[i];
		struct index *index = trace_index(feed->trace);
		bool other = generation_renew(&feed->capture_generation,
					      capture_generation(trace_capture(feed->trace)));
		bool again = generation_renew(&feed->generation, index_generation(index));
		/* Where a capture grows, its end is indexed again.  The points hold till then. */
		feed->reopened |= again;
		if (!other && feed->next > index_known(index) &&
		    feed->next <= index_cell_count(index))
			continue;
		if (other || feed->reopened) {
			clock_feed_forget(feed);
			stale = true;
		}
		if (can_keep(feed) && !feed->next)
			recall_points(feed);
		clock_feed_look(feed, points->job);
		if (can_keep(feed))
			keep_points(feed);
	}
	return stale;
}

uint64_t
clock_points_count(const struct clock_points *points)
{
	uint64_t count = 0;
	for (size_t i = 0; i < points->links.count; i++)
		count += points->links.at[i]->points.seen;
	for (size_t i = 0; i < points->feeds.count; i++)
		count += points->feeds.at[i].rates.count + points->feeds.at[i].keys.count +
			 points->feeds.at[i].restarts.count;
	return count;
}

bool
clock_points_are_all(const struct clock_points *points)
{
	for (size_t i = 0; i < points->feeds.count; i++) {
		const struct clock_feed *feed = &points->feeds.at[i];
		if (!index_is_complete(trace_index(feed->trace)) || !clock_feed_is_done(feed))
			return false;
	}
	return true;
}

void
clock_points_open(struct clock_points *points, struct session *session, struct job *job)
{
	*points = (struct clock_points){.job = job};
	for (size_t i = 0; i < session->traces.count; i++)
		clock_feed_open(vec_add(&points->feeds), session, i, &points->links);
}

void
clock_points_close(struct clock_points *points)
{
	for (size_t i = 0; i < points->feeds.count; i++)
		clock_feed_close(&points->feeds.at[i]);
	vec_free(&points->feeds);
	clock_links_free(&points->links);
}
