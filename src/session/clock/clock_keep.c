/*
 * Clock points in a file: see clock_keep.h.
 *
 * The file has a head, the rates, and each link with its points, in this machine's byte
 * order. The index store has checked that it belongs to the capture and is complete. This
 * file checks the numbers before use.
 *
 * Cost: 24 bytes per point, at most RELATION_POINTS_MAX points per link. Captures that
 * consist mostly of points are not worth a file.
 */
#include "config.h"

#include "session/clock/clock_keep.h"
#include "base/bytes.h"

static const char file_name[] = "points";

/* Change it with the meaning of the bytes, or with the points found in the same capture. */
enum { FORM = 1 };

/* Most bytes worth a file: the larger of a fixed size and a fraction of the capture. More takes
 * longer to read than to find again. */
enum { KEPT_BYTES = 64 << 20, KEPT_PART = 16 };

struct kept_head {
	uint64_t form, cells, last_ticks, rates, links;
};

struct kept_link {
	uint64_t key_a, key_b;
	double hz_a, hz_b;
	uint64_t sender, origin;
	uint64_t seen, stride, points; /* number of points that follow */
};

struct kept_point {
	uint64_t a, b, found_at;
};

static bool
is_own(const struct clock_feed *feed, const struct clock_link *link)
{
	return link->owner == feed->number && link->kind == feed->source->link;
}

/* --- writing ----------------------------------------------------------- */

static void
write_link(const struct clock_link *link, struct text *out)
{
	const struct relation *r = &link->points;
	struct kept_link kept = {.key_a = link->a.key,
				 .key_b = link->b.key,
				 .hz_a = link->hz_a,
				 .hz_b = link->hz_b,
				 .sender = link->sender.port,
				 .origin = link->sender.origin,
				 .seen = r->seen,
				 .stride = r->stride,
				 .points = r->points.count};
	text_add_bytes(out, &kept, sizeof kept);
	for (size_t i = 0; i < r->points.count; i++) {
		const struct relation_point *p = &r->points.at[i];
		struct kept_point point = {p->a, p->b, p->found_at};
		text_add_bytes(out, &point, sizeof point);
	}
}

void
clock_keep_write(const struct clock_feed *feed)
{
	struct kept_head head = {.form = FORM,
				 .cells = feed->next,
				 .last_ticks = feed->last_ticks,
				 .rates = feed->rates.count};
	uint64_t part = capture_size(trace_capture(feed->trace)) / KEPT_PART;
	uint64_t most = part > KEPT_BYTES ? part : KEPT_BYTES;
	struct text out = {0};
	text_add_bytes(&out, &head, sizeof head);
	if (feed->rates.count)
		text_add_bytes(&out, feed->rates.at, feed->rates.count * sizeof *feed->rates.at);
	for (size_t i = 0; i < feed->links->count && out.length <= most; i++) {
		if (!is_own(feed, feed->links->at[i]))
			continue;
		write_link(feed->links->at[i], &out);
		head.links++;
	}
	memcpy(out.data, &head, sizeof head);
	if (out.length <= most)
		index_store(trace_index(feed->trace), file_name, feed->generation, &out);
	text_free(&out);
}

/* --- reading ----------------------------------------------------------- */

/* True if relation_add() can have left this number of points, and the file contains them. */
static bool
is_possible(const struct kept_link *kept, const struct bytes_rest *rest)
{
	uint64_t stride = kept->stride ? kept->stride : 1;
	return kept->points <= RELATION_POINTS_MAX &&
	       kept->points <= rest->left / sizeof(struct kept_point) &&
	       kept->points == kept->seen / stride + (kept->seen % stride != 0) &&
	       kept->sender <= UINT32_MAX;
}

static bool
read_link(struct clock_feed *feed, struct bytes_rest *rest)
{
	struct kept_link kept;
	struct kept_point point;
	if (!bytes_take(rest, &kept, sizeof kept) || !is_possible(&kept, rest))
		return false;
	struct clock_link *link = clock_feed_link(feed, kept.key_a, kept.key_b);
	if (!link || link->points.seen)
		return false;
	link->hz_a = kept.hz_a;
	link->hz_b = kept.hz_b;
	link->sender = (struct clock_owner){(uint32_t)kept.sender, kept.origin};
	link->points.seen = kept.seen;
	link->points.stride = kept.stride;
	vec_reserve(&link->points.points, kept.points);
	for (uint64_t i = 0; i < kept.points; i++) {
		bytes_take(rest, &point, sizeof point);
		*vec_add(&link->points.points) =
		    (struct relation_point){.a = point.a, .b = point.b, .found_at = point.found_at};
	}
	return true;
}

static bool
read_rates(struct clock_feed *feed, struct bytes_rest *rest, uint64_t count)
{
	struct rate_change rate;
	if (count > RELATION_SEGMENTS_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!bytes_take(rest, &rate, sizeof rate) || !rate.hz)
			return false;
		*vec_add(&feed->rates) = rate;
	}
	return true;
}

static bool
read_all(struct clock_feed *feed, struct bytes_rest *rest)
{
	struct kept_head head;
	if (!bytes_take(rest, &head, sizeof head) || head.form != FORM ||
	    head.cells != index_cell_count(trace_index(feed->trace)) ||
	    !read_rates(feed, rest, head.rates))
		return false;
	for (uint64_t i = 0; i < head.links; i++)
		if (!read_link(feed, rest))
			return false;
	feed->next = head.cells;
	feed->last_ticks = head.last_ticks;
	return !rest->left;
}

bool
clock_keep_read(struct clock_feed *feed)
{
	struct text bytes = {0};
	bool good = index_recall(trace_index(feed->trace), file_name, &bytes);
	struct bytes_rest rest = {(const uint8_t *)text_get(&bytes), bytes.length};
	good = good && read_all(feed, &rest);
	text_free(&bytes);
	return good;
}
