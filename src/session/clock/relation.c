/*
 * How two clocks are related: see relation.h.
 *
 * Each point is judged against its neighbours, so neither a slow change of rate nor a step
 * makes it look wrong. The slope around a point is the median slope of the pairs near it.
 * A point is an outlier if, along that slope, it lies far from the median of five around
 * it. The remaining points are cut into segments where a clock goes back or jumps.
 *
 * The stated error comes from the points: the largest spread around a fitted line, and
 * more if there are few points. Outside of the points it grows with the uncertainty of the
 * slope.
 *
 * Cost: settling n points takes about 100 n steps; a time takes a binary search per hop.
 */
#include "config.h"

#include "session/clock/relation.h"
#include "base/lower_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOPES = 16, /* pairs around a point; their median slope is its slope */
	AROUND = 5,  /* points around a point, itself included; it is compared with their median */
	FEWEST = 3,  /* inner points needed to show the error of the points */
	FITTED = 32, /* points per fitted line when the spread is measured */
	BASE = 64    /* points at an end that define the slope beyond it */
};

static const uint64_t NANO = 1000000000;

/* Largest rounding loss of all hops, 2^-20 ns. */
static const relation_ticks ROUNDING = (relation_ticks)1 << (RELATION_FRACTION - 20);

static const double OUTLIER = 8;	  /* times the usual deviation */
static const double STEP = 16;		  /* times the usual deviation, between two points */
static const double RATE_CHANGE = 20e-6;  /* largest change of the slope nearby */
static const double RATE_STATED = 400e-6; /* two crystals against each other */
static const double RATE_WANDER = 1e-6;	  /* beyond the points */
static const double UNSEEN = 10e-6;	  /* seconds; error of a point if no third one confirms
					   * it */
static const double FEW = 16;		  /* so many more points halve the extra error for few
					   * points */

/* --- numbers ----------------------------------------------------------- */

struct relation_rate
relation_rate_of(double hz)
{
	if (!(hz > 0) || hz >= 9e18)
		return (struct relation_rate){0, 1};
	if (hz == floor(hz) || hz >= 9e12)
		return (struct relation_rate){(uint64_t)hz, 1};
	uint64_t millionths = (uint64_t)(hz * 1e6 + 0.5);
	return (struct relation_rate){millionths, 1000000};
}

double
relation_rate_hz(struct relation_rate rate)
{
	return (double)rate.numerator / (double)rate.denominator;
}

uint64_t
relation_rate_tick(struct relation_rate rate)
{
	uint64_t ns = NANO * rate.denominator;
	return rate.numerator && ns % rate.numerator == 0 ? ns / rate.numerator : 0;
}

/* Compute X * NUMERATOR / DENOMINATOR, rounded towards zero. Return false if it is too large. */
static bool
scale_ticks(relation_ticks x, uint64_t numerator, uint64_t denominator, relation_ticks *result)
{
	unsigned __int128 size = x < 0 ? -(unsigned __int128)x : (unsigned __int128)x, product;
	if (size <= UINT64_MAX) {
		product = size * numerator / denominator;
	} else {
		unsigned __int128 whole = size / denominator, rest = size - whole * denominator;
		if (__builtin_mul_overflow(whole, numerator, &product) ||
		    __builtin_add_overflow(product, rest * numerator / denominator, &product))
			return false;
	}
	if (product >> 126)
		return false;
	*result = x < 0 ? -(relation_ticks)product : (relation_ticks)product;
	return true;
}

static relation_ticks
whole_ticks(uint64_t ticks)
{
	return (relation_ticks)ticks << RELATION_FRACTION;
}

static double
ticks_as_double(relation_ticks ticks)
{
	return (double)ticks / (double)((relation_ticks)1 << RELATION_FRACTION);
}

static double
signed_difference(uint64_t from, uint64_t to)
{
	return to >= from ? (double)(to - from) : -(double)(from - to);
}

static void
put_in_order(double *x, double *y)
{
	double least = *x < *y ? *x : *y;
	*y = *x < *y ? *y : *x;
	*x = least;
}

/* Return the median of a few values. Five is the usual count and uses a fixed series of
 * comparisons: branches would be mispredicted half of the time. */
static double
median_of_few(double *v, size_t count)
{
	if (count == AROUND) {
		put_in_order(&v[0], &v[1]);
		put_in_order(&v[3], &v[4]);
		put_in_order(&v[0], &v[3]); /* v[0] is now the least of four; v[4] becomes the
					     * greatest */
		put_in_order(&v[1], &v[4]);
		put_in_order(&v[1], &v[2]);
		put_in_order(&v[2], &v[3]);
		put_in_order(&v[1], &v[2]);
		return v[2];
	}
	for (size_t i = 1; i < count; i++)
		for (size_t k = i; k && v[k - 1] > v[k]; k--)
			put_in_order(&v[k - 1], &v[k]);
	return v[count / 2];
}

/* Return the median of many values >= 0. Such doubles sort by their bits. A radix search finds
 * one byte at a time, so no input makes it slow. */
static double
median_of_many(const double *values, size_t count)
{
	uint64_t found = 0, bits;
	size_t before = count / 2; /* rank among the values that begin with `found` */
	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t have[256] = {0}, byte = 0;
		for (size_t i = 0; i < count; i++) {
			memcpy(&bits, &values[i], sizeof bits);
			have[bits >> shift & 0xff] += (bits ^ found) >> shift >> 8 == 0;
		}
		while (before >= have[byte])
			before -= have[byte++];
		found |= (uint64_t)byte << shift;
	}
	double median;
	memcpy(&median, &found, sizeof median);
	return median;
}

/* --- points ------------------------------------------------------------ */

void
relation_add(struct relation *r, uint64_t a, uint64_t b, uint64_t found_at)
{
	if (r->seen++ % (r->stride ? r->stride : 1))
		return;
	if (r->points.count == RELATION_POINTS_MAX) {
		r->stride = r->stride ? 2 * r->stride : 2;
		r->points.count /= 2;
		for (size_t i = 0; i < r->points.count; i++)
			r->points.at[i] = r->points.at[2 * i];
	}
	*vec_add(&r->points) = (struct relation_point){.a = a, .b = b, .found_at = found_at};
}

/* Return ticks of B per tick of A by the stated rates; 0 if they are unknown. */
static double
stated_slope(const struct relation *r)
{
	if (!r->rate_a.numerator || !r->rate_b.numerator)
		return 0;
	return relation_rate_hz(r->rate_b) / relation_rate_hz(r->rate_a);
}

/* Count the restarts of clock A up to FOUND_AT. */
static size_t
restarts_before(const struct relation *r, uint64_t found_at)
{
	size_t count;
	lower_bound(count, r->restart_count, r->restarts[count] <= found_at);
	return count;
}

/* Points without a restart between them; they are judged against each other. */
struct point_run {
	const struct relation *r;
	size_t first, end;
};

/* Return the run that begins with point FIRST. A step back of clock A between two points also
 * counts as a restart. */
static struct point_run
run_from(const struct relation *r, size_t first)
{
	size_t restarts = restarts_before(r, r->points.at[first].found_at), end = first + 1;
	uint64_t until = restarts < r->restart_count ? r->restarts[restarts] : UINT64_MAX;
	while (end < r->points.count && r->points.at[end].found_at < until &&
	       r->points.at[end].a >= r->points.at[end - 1].a)
		end++;
	return (struct point_run){r, first, end};
}

/* Return the first of COUNT points around I, or of fewer if the run is shorter. */
static size_t
points_around(const struct point_run *run, size_t i, size_t count)
{
	size_t first = i - run->first > count / 2 ? i - count / 2 : run->first;
	if (first + count > run->end)
		first = run->end - run->first > count ? run->end - count : run->first;
	return first;
}

/* The slopes of the pairs around a point, smallest first. From one point to the next, only one
 * pair changes, so nothing is sorted again. */
struct slopes {
	double sorted[SLOPES];
	size_t count;
	size_t first, end; /* range of pairs added so far, by their first points */
};

/* Return the slope from a point to the next one; 0 if they do not both increase. */
static double
pair_slope(const struct relation_point *p)
{
	if (p[1].a <= p->a || p[1].b <= p->b)
		return 0;
	return (double)(p[1].b - p->b) / (double)(p[1].a - p->a);
}

static void
slopes_add(struct slopes *s, double slope)
{
	size_t at = s->count;
	if (!(slope > 0))
		return;
	for (; at && s->sorted[at - 1] > slope; at--)
		s->sorted[at] = s->sorted[at - 1];
	s->sorted[at] = slope;
	s->count++;
}

static void
slopes_drop(struct slopes *s, double slope)
{
	size_t at = 0;
	while (at < s->count && s->sorted[at] != slope)
		at++;
	if (at == s->count) /* not a positive slope, so never added */
		return;
	s->count--;
	memmove(&s->sorted[at], &s->sorted[at + 1], (s->count - at) * sizeof *s->sorted);
}

/* Return the slope around point I: the median of the pairs near it, else the stated slope; 0:
 * unknown. I must not be before that of the last call. */
static double
slope_at(const struct point_run *run, size_t i, struct slopes *s)
{
	const struct relation *r = run->r;
	double stated = stated_slope(r);
	size_t first = points_around(run, i, SLOPES + 1), pairs = run->end - 1;
	for (; s->first < first; s->first++)
		slopes_drop(s, pair_slope(&r->points.at[s->first]));
	for (; s->end < first + SLOPES && s->end < pairs; s->end++)
		slopes_add(s, pair_slope(&r->points.at[s->end]));
	if (stated > 0 && s->count < 3)
		return stated;
	return s->count ? s->sorted[s->count / 2] : stated;
}

/* Return the distance of point I from the median of its neighbourhood, in ticks of B. *SPAN: the
 * largest distance of a neighbour, in ticks of B. */
static double
point_deviation(const struct point_run *run, size_t i, double slope, double *span)
{
	double values[AROUND];
	size_t count = 0, first = points_around(run, i, AROUND);
	const struct relation_point *points = run->r->points.at, *own = &points[i];
	*span = 0;
	for (size_t k = first; k < first + AROUND && k < run->end; k++) {
		const struct relation_point *p = &points[k];
		double along = slope * signed_difference(own->a, p->a);
		values[count++] = signed_difference(own->b, p->b) - along;
		*span = fmax(*span, fabs(along));
	}
	return fabs(median_of_few(values, count));
}

struct judged {
	double slope, deviation, span;
};

/* True if two points lie on one line with the slope around the first. */
static bool
points_agree(const struct relation_point *p, const struct relation_point *q,
	     const struct judged *judged, double bound)
{
	double along = judged->slope * signed_difference(p->a, q->a);
	return fabs(signed_difference(p->b, q->b) - along) <= bound + RATE_CHANGE * fabs(along);
}

/* True if clock B can have started from 0 or wrapped between two points. */
static bool
starts_again(const struct relation_point *p, const struct relation_point *q, double slope)
{
	return q->b < p->b && q->a > p->a &&
	       (double)q->b <= slope * (double)(q->a - p->a) * (1 + RATE_STATED);
}

/* Mark the outliers of a run: points far from those around them that agree with no neighbour. */
static void
reject_outliers(struct relation *r, const struct point_run *run, const struct judged *all,
		double usual)
{
	for (size_t i = run->first; i < run->end; i++) {
		struct relation_point *p = &r->points.at[i];
		double bound = OUTLIER * usual + 2 * (1 + all[i].slope);
		bool single = run->end - run->first < 3 || !(all[i].slope > 0);
		p->rejected = !single && all[i].deviation > bound + RATE_CHANGE * all[i].span &&
			      !(i > run->first && (points_agree(p, p - 1, &all[i], bound) ||
						   starts_again(p - 1, p, all[i].slope))) &&
			      !(i + 1 < run->end && points_agree(p, p + 1, &all[i], bound));
	}
}

/* Fill ALL and mark the outliers. Return the usual deviation. */
static double
find_outliers(struct relation *r, struct judged *all)
{
	size_t count = 0;
	double *deviations = mem_new(r->points.count * sizeof *deviations);
	for (struct point_run run = run_from(r, 0);; run = run_from(r, run.end)) {
		struct slopes slopes = {.first = run.first, .end = run.first};
		for (size_t i = run.first; i < run.end; i++) {
			all[i].slope = slope_at(&run, i, &slopes);
			all[i].deviation = point_deviation(&run, i, all[i].slope, &all[i].span);
			/* with fewer than three points, none deviates from the median */
			if (run.end - run.first > 2 || !r->restart_count)
				deviations[count++] = all[i].deviation;
		}
		if (run.end == r->points.count)
			break;
	}
	double usual = count ? median_of_many(deviations, count) : 0;
	for (struct point_run run = run_from(r, 0);; run = run_from(r, run.end)) {
		reject_outliers(r, &run, all, usual);
		if (run.end == r->points.count)
			break;
	}
	free(deviations);
	return usual;
}

/* Mark outliers where A is uneven: points without which both clocks advance. */
static void
judge_uneven(struct relation *r)
{
	for (size_t i = 0; i < r->points.count; i++)
		r->points.at[i].rejected = false;
	for (size_t i = 1; i + 1 < r->points.count; i++) {
		const struct relation_point *p = &r->points.at[i];
		bool between = p->b > p[-1].b && p->b < p[1].b;
		if (!between && p[1].b > p[-1].b && !p[-1].rejected)
			r->points.at[i].rejected = true;
	}
}

/* --- segments ---------------------------------------------------------- */

enum next { NEXT_GOES_ON, NEXT_STEPS, NEXT_IS_WRONG };

/* True if A starts again between two points. */
static bool
restarts_between(const struct relation *r, const struct relation_point *q,
		 const struct relation_point *p)
{
	return r->restart_count &&
	       restarts_before(r, q->found_at) != restarts_before(r, p->found_at);
}

/* Classify point P after Q, the last point of a segment. SLOPE: around P; 0: unknown. */
static enum next
next_is(const struct relation *r, const struct relation_point *q, const struct relation_point *p,
	double slope, double usual)
{
	bool increases = p->a > q->a && p->b > q->b;
	if (restarts_between(r, q, p))
		return NEXT_STEPS;
	if (!(slope > 0))
		return increases ? NEXT_GOES_ON : p->b >= q->b ? NEXT_IS_WRONG : NEXT_STEPS;
	double along = slope * signed_difference(q->a, p->a);
	double off = fabs(signed_difference(q->b, p->b) - along);
	double change = slope == stated_slope(r) ? RATE_STATED : RATE_CHANGE;
	double bound = STEP * usual + 2 * (1 + slope) + change * fabs(along);
	if (off > bound)
		return NEXT_STEPS;
	return increases ? NEXT_GOES_ON : NEXT_IS_WRONG;
}

/* Return the distance of P from the line through its neighbours, in ticks of B. */
static double
off_line(const struct relation_point *p)
{
	double part = (double)(p->a - p[-1].a) / (double)(p[1].a - p[-1].a);
	return fabs((double)(p->b - p[-1].b) - part * (double)(p[1].b - p[-1].b));
}

static double
segment_slope(const struct relation *r, const struct relation_segment *s)
{
	const struct relation_point *first = &r->used.at[s->first], *last = first + s->count - 1;
	if (s->count < 2)
		return stated_slope(r);
	return (double)(last->b - first->b) / (double)(last->a - first->a);
}

/* Fit a line to COUNT points by least squares. Return the distance between the farthest points
 * above and below it, in ticks of B. */
static double
spread_of(const struct relation_point *p, size_t count)
{
	double sum_a = 0, sum_b = 0, squares = 0, products = 0, low = 0, high = 0;
	for (size_t i = 0; i < count; i++) {
		sum_a += (double)(p[i].a - p->a);
		sum_b += (double)(p[i].b - p->b);
	}
	double mean_a = sum_a / (double)count, mean_b = sum_b / (double)count;
	for (size_t i = 0; i < count; i++) {
		double a = (double)(p[i].a - p->a) - mean_a;
		squares += a * a;
		products += a * ((double)(p[i].b - p->b) - mean_b);
	}
	for (size_t i = 0; i < count && squares > 0; i++) {
		double a = (double)(p[i].a - p->a) - mean_a;
		double off = (double)(p[i].b - p->b) - mean_b - products / squares * a;
		low = fmin(low, off);
		high = fmax(high, off);
	}
	return high - low;
}

/* Fill in a segment's residual and spread; add to the sums. */
static void
measure_segment(const struct relation *r, struct relation_segment *s, double *squares,
		size_t *count)
{
	const struct relation_point *first = &r->used.at[s->first];
	for (size_t i = 1; i + 1 < s->count; i++) {
		double off = off_line(&first[i]);
		s->residual = fmax(s->residual, off);
		*squares += off * off;
	}
	for (size_t i = 0; i + 2 < s->count; i += FITTED / 2) {
		size_t left = s->count - i;
		s->spread = fmax(s->spread, spread_of(&first[i], left < FITTED ? left : FITTED));
	}
	*count += s->count > 2 ? s->count - 2 : 0;
}

/* Return the error of times by points with this SPREAD. A point may be read as late as any
 * other, so nothing shows more of the error. Few points show less of it. COUNT: inner points. */
static double
error_of_points(const struct relation *r, double spread, size_t count)
{
	return count ? spread * (1 + FEW / (double)count) : UNSEEN * relation_rate_hz(r->rate_b);
}

/* Set the errors of the segments. All points are read in the same way, so every segment gets at
 * least their common error. */
static void
find_errors(struct relation *r, double spread, size_t count)
{
	double shown = error_of_points(r, spread, count);
	if (count < FEWEST)
		shown = fmax(shown, error_of_points(r, 0, 0));
	for (size_t i = 0; i < r->segments.count; i++) {
		struct relation_segment *s = &r->segments.at[i];
		s->error = 1 + segment_slope(r, s) + shown; /* ticks are cut off */
	}
}

/* Cut the points into segments. ALL: judgements of the points, NULL if there are none. */
static void
make_segments(struct relation *r, const struct judged *all, double usual)
{
	const struct relation_point *last = NULL;
	vec_clear(&r->used);
	vec_reserve(&r->used, r->points.count);
	vec_clear(&r->segments);
	for (size_t i = 0; i < r->points.count; i++) {
		struct relation_point *p = &r->points.at[i];
		if (p->rejected)
			continue;
		double slope = all ? all[i].slope : 0;
		enum next next = last ? next_is(r, last, p, slope, usual) : NEXT_STEPS;
		p->rejected = next == NEXT_IS_WRONG ||
			      (next == NEXT_STEPS && r->segments.count == RELATION_SEGMENTS_MAX);
		if (p->rejected)
			continue;
		if (next == NEXT_STEPS)
			vec_add(&r->segments)->first = r->used.count;
		r->segments.at[r->segments.count - 1].count++;
		*vec_add(&r->used) = *p;
		last = p;
	}
}

static const struct relation_point *
last_point(const struct relation *r, const struct relation_segment *s)
{
	return &r->used.at[s->first + s->count - 1];
}

/* True if segment K continues segment I. The points in between are then wrong: they must be
 * fewer than in either segment. */
static bool
is_continued(const struct relation *r, size_t i, size_t k, double usual)
{
	const struct relation_segment *s = &r->segments.at[i], *t = &r->segments.at[k];
	const struct relation_point *last = last_point(r, s);
	const struct relation_point *next = &r->used.at[t->first];
	size_t between = t->first - (s->first + s->count);
	double slope = segment_slope(r, s->count > t->count ? s : t);
	return between < s->count && between < t->count && slope > 0 &&
	       next_is(r, last, next, slope, usual) == NEXT_GOES_ON;
}

/* Reject the points of the segments between FIRST and END. */
static void
reject_segments(struct relation *r, size_t first, size_t end)
{
	size_t from = r->segments.at[first + 1].first, to = r->segments.at[end].first, used = 0;
	for (size_t i = 0; i < r->points.count; i++) {
		if (r->points.at[i].rejected)
			continue;
		r->points.at[i].rejected = used >= from && used < to;
		used++;
	}
}

/* Reject wrong sync points that agree with each other: a few segments that interrupt a
 * continuous one. Return true if there were any. */
static bool
reject_isolated(struct relation *r, double usual)
{
	enum { MOST = 4 }; /* segments */
	for (size_t i = 0; i + 2 < r->segments.count; i++)
		for (size_t k = i + 2; k < r->segments.count && k - i <= MOST; k++)
			if (is_continued(r, i, k, usual)) {
				reject_segments(r, i, k);
				return true;
			}
	return false;
}

/* Return the error of the slope through the last points of S, as a fraction. */
static double
slope_error(const struct relation *r, const struct relation_segment *s)
{
	const struct relation_point *last = last_point(r, s);
	const struct relation_point *base = s->count > BASE ? last - BASE : &r->used.at[s->first];
	return s->count < 2 ? INFINITY : 2 * s->error / (double)(last->b - base->b);
}

/* Set the usual slope: that of the segment with the smallest slope error, or of the stated rates
 * if their error is smaller. */
static void
find_usual_slope(struct relation *r)
{
	struct relation_usual *usual = &r->usual;
	*usual = (struct relation_usual){NULL, stated_slope(r), RATE_STATED};
	for (size_t i = 0; i < r->segments.count && !r->exact && !r->uneven; i++) {
		const struct relation_segment *s = &r->segments.at[i];
		double error = slope_error(r, s) + RATE_CHANGE;
		if (isfinite(error) && (error < usual->error || !(usual->slope > 0)))
			*usual = (struct relation_usual){s, segment_slope(r, s), error};
	}
}

/* Set the values to display, and the errors. */
static void
summarise_relation(struct relation *r)
{
	double squares = 0, spread = 0, stated = stated_slope(r);
	double hz = relation_rate_hz(r->rate_b);
	size_t count = 0;
	const struct relation_segment *longest = NULL;
	r->rejected = r->points.count - r->used.count;
	r->slope = 0;
	r->ppm = r->offset = r->residual = r->rms = NAN;
	for (size_t i = 0; i < r->segments.count; i++) {
		struct relation_segment *s = &r->segments.at[i];
		measure_segment(r, s, &squares, &count);
		spread = fmax(spread, s->spread);
		if (!longest || s->count > longest->count)
			longest = s;
		if (hz > 0 && s->count > 2)
			r->residual = fmax(s->residual / hz, isnan(r->residual) ? 0 : r->residual);
	}
	find_errors(r, spread, count);
	if (!longest)
		return;
	const struct relation_point *first = &r->used.at[0];
	r->slope = r->uneven ? 0 : segment_slope(r, longest);
	if (count && hz > 0)
		r->rms = sqrt(squares / (double)count) / hz;
	if (stated > 0 && longest->count > 1)
		r->ppm = (r->slope / stated - 1) * 1e6;
	if (stated > 0)
		r->offset = (double)first->b / hz - (double)first->a / relation_rate_hz(r->rate_a);
}

void
relation_settle(struct relation *r)
{
	struct judged *all = NULL;
	double usual = 0;
	if (r->uneven) {
		judge_uneven(r);
	} else if (r->points.count && !r->exact) {
		all = mem_new(r->points.count * sizeof *all);
		usual = find_outliers(r, all);
	}
	make_segments(r, all, usual);
	while (all && reject_isolated(r, usual))
		make_segments(r, all, usual);
	summarise_relation(r);
	find_usual_slope(r);
	free(all);
}

/* --- converting -------------------------------------------------------- */

/* One direction of a relation. */
struct side {
	const struct relation *r;
	bool back;
};

static uint64_t
from_of(struct side side, const struct relation_point *p)
{
	return side.back ? p->b : p->a;
}

static uint64_t
to_of(struct side side, const struct relation_point *p)
{
	return side.back ? p->a : p->b;
}

/* Return the distance of X from a segment; 0: X lies inside. */
static relation_ticks
distance_outside(struct side side, const struct relation_segment *s, relation_ticks x)
{
	const struct relation_point *first = &side.r->used.at[s->first];
	relation_ticks low = whole_ticks(from_of(side, first));
	relation_ticks high = whole_ticks(from_of(side, first + s->count - 1));
	return x < low ? low - x : x > high ? x - high : 0;
}

/* Return the first segment from LOW to HIGH that begins after FOUND_AT; HIGH: none. */
static size_t
segment_after(const struct relation *r, size_t low, size_t high, uint64_t found_at)
{
	size_t i;
	lower_bound(i, high - low, r->used.at[r->segments.at[low + i].first].found_at <= found_at);
	return low + i;
}

/* Find the segments between the same restarts as FOUND_AT: from *FIRST to before *END. */
static void
segments_of(const struct relation *r, uint64_t found_at, size_t *first, size_t *end)
{
	size_t restarts = restarts_before(r, found_at), count = r->segments.count;
	/* a restart is never at offset 0 */
	*first = restarts ? segment_after(r, 0, count, r->restarts[restarts - 1] - 1) : 0;
	*end = restarts < r->restart_count
		   ? segment_after(r, *first, count, r->restarts[restarts] - 1)
		   : count;
}

static relation_ticks
ticks_apart(relation_ticks a, relation_ticks b)
{
	return a > b ? a - b : b - a;
}

/* Return the segment around FOUND_AT; NULL: none. If FOUND_AT lies between two, return the one
 * with its end nearer to X, and the other one in *OTHER. */
static const struct relation_segment *
segment_at(struct side side, uint64_t found_at, relation_ticks x,
	   const struct relation_segment **other)
{
	const struct relation *r = side.r;
	size_t first, end;
	segments_of(r, found_at, &first, &end);
	*other = NULL;
	if (first == end)
		return NULL;
	size_t after = segment_after(r, first, end, found_at);
	const struct relation_segment *s = &r->segments.at[after > first ? after - 1 : first];
	const struct relation_point *last = last_point(r, s);
	if (found_at <= last->found_at || s + 1 == &r->segments.at[end])
		return s;
	bool near = ticks_apart(x, whole_ticks(from_of(side, last))) <=
		    ticks_apart(x, whole_ticks(from_of(side, last + 1)));
	*other = near ? s + 1 : s;
	return near ? s : s + 1;
}

uint64_t
relation_place_beside(const struct relation *r, uint64_t found_at, bool after)
{
	size_t next = segment_after(r, 0, r->segments.count, found_at);
	if (after)
		return next < r->segments.count ? r->used.at[r->segments.at[next].first].found_at
						: RELATION_NOWHERE;
	/* between two segments, FOUND_AT may belong to either */
	size_t skip = next && last_point(r, &r->segments.at[next - 1])->found_at < found_at ? 1 : 2;
	return next < skip ? RELATION_NOWHERE
			   : last_point(r, &r->segments.at[next - skip])->found_at;
}

/* Return the segment nearest to X, if no offset is known. */
static const struct relation_segment *
segment_near(struct side side, relation_ticks x)
{
	const struct relation_segment *best = side.r->segments.at;
	for (size_t i = 1; i < side.r->segments.count; i++)
		if (distance_outside(side, &side.r->segments.at[i], x) <
		    distance_outside(side, best, x))
			best = &side.r->segments.at[i];
	return best;
}

/* True if a segment overlaps the range from LOW to HIGH. */
static bool
segment_meets(struct side side, const struct relation_segment *s, relation_ticks low,
	      relation_ticks high)
{
	const struct relation_point *first = &side.r->used.at[s->first];
	return whole_ticks(from_of(side, first)) <= high &&
	       whole_ticks(from_of(side, first + s->count - 1)) >= low;
}

/* True if without an offset the same segment is nearest to all of LOW to HIGH. */
static bool
is_one_segment_near(struct side side, relation_ticks low, relation_ticks high)
{
	const struct relation_segment *own = segment_near(side, low);
	bool one = own == segment_near(side, high);
	for (size_t i = 0; i < side.r->segments.count && one; i++) {
		const struct relation_segment *s = &side.r->segments.at[i];
		one = s == own || !segment_meets(side, s, low, high);
	}
	return one;
}

/* True if all of LOW to HIGH, read at offsets BEGIN to END, uses the same segment. The corners
 * suffice: between two segments, the nearer end decides. */
static bool
is_one_segment(const struct relation *r, bool back, uint64_t begin, uint64_t end,
	       relation_ticks low, relation_ticks high)
{
	struct side side = {r, back};
	const struct relation_segment *other;
	if (begin != RELATION_NOWHERE && restarts_before(r, begin) != restarts_before(r, end))
		return false;
	if (r->segments.count < 2)
		return true;
	if (begin == RELATION_NOWHERE)
		return is_one_segment_near(side, low, high);
	const struct relation_segment *own = segment_at(side, begin, low, &other);
	return own == segment_at(side, begin, high, &other) &&
	       own == segment_at(side, end, low, &other) &&
	       own == segment_at(side, end, high, &other);
}

/* Return the last point of S at or before X, except S's final point; else its first point. */
static const struct relation_point *
point_before(struct side side, const struct relation_segment *s, relation_ticks x)
{
	const struct relation_point *points = &side.r->used.at[s->first];
	size_t low = 0, high = s->count - 1;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (whole_ticks(from_of(side, &points[middle])) <= x)
			low = middle;
		else
			high = middle;
	}
	return &points[low];
}

/* Interpolate along the line through P and Q, starting at point FROM. */
static bool
interpolate_along(struct side side, const struct relation_point *p, const struct relation_point *q,
		  const struct relation_point *from, relation_ticks x, relation_ticks *y)
{
	uint64_t run = from_of(side, q) - from_of(side, p), rise = to_of(side, q) - to_of(side, p);
	relation_ticks way;
	if (!scale_ticks(x - whole_ticks(from_of(side, from)), rise, run, &way))
		return false;
	*y = whole_ticks(to_of(side, from)) + way;
	return true;
}

static unsigned __int128
common_divisor(unsigned __int128 a, unsigned __int128 b)
{
	while (b) {
		unsigned __int128 rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Convert X ticks from one rate to another, in one step if the numbers allow. */
static bool
scale_rates(relation_ticks x, struct relation_rate from, struct relation_rate to, relation_ticks *y)
{
	unsigned __int128 up = (unsigned __int128)from.denominator * to.numerator;
	unsigned __int128 down = (unsigned __int128)from.numerator * to.denominator;
	unsigned __int128 divisor = common_divisor(up, down);
	if (up / divisor <= UINT64_MAX && down / divisor <= UINT64_MAX)
		return scale_ticks(x, (uint64_t)(up / divisor), (uint64_t)(down / divisor), y);
	return scale_ticks(x, from.denominator, from.numerator, y) &&
	       scale_ticks(*y, to.numerator, to.denominator, y);
}

/* Convert X by the stated rates, starting at point P. */
static bool
by_rate(struct side side, const struct relation_point *p, relation_ticks x, relation_ticks *y)
{
	struct relation_rate from = side.back ? side.r->rate_b : side.r->rate_a;
	struct relation_rate to = side.back ? side.r->rate_a : side.r->rate_b;
	relation_ticks way = x - whole_ticks(from_of(side, p));
	if (way && (!from.numerator || !to.numerator || !scale_rates(way, from, to, &way)))
		return false;
	*y = whole_ticks(to_of(side, p)) + way;
	return true;
}

/* True if outside of S the usual slope is better than that of S. Either S has one point, or its
 * slope has the larger error and does not contradict the usual one. */
static bool
is_short(const struct relation *r, const struct relation_segment *s)
{
	const struct relation_usual *usual = &r->usual;
	if (s->count < 2)
		return true;
	double error = slope_error(r, s);
	return usual->slope > 0 && error > usual->error &&
	       fabs(segment_slope(r, s) / usual->slope - 1) <= error + usual->error;
}

/* Convert X along the usual slope, starting at point P. */
static bool
by_usual(struct side side, const struct relation_point *p, relation_ticks x, relation_ticks *y)
{
	const struct relation_segment *s = side.r->usual.segment;
	if (!s)
		return by_rate(side, p, x, y);
	const struct relation_point *first = &side.r->used.at[s->first];
	return interpolate_along(side, first, first + s->count - 1, p, x, y);
}

/* Convert X by the points around it. Outside of S, use two points at that end or the usual
 * slope. */
static bool
by_points(struct side side, const struct relation_segment *s, relation_ticks x, relation_ticks *y)
{
	const struct relation_point *first = &side.r->used.at[s->first];
	const struct relation_point *last = first + s->count - 1;
	bool many = s->count > BASE, before = x < whole_ticks(from_of(side, first));
	bool after = x > whole_ticks(from_of(side, last));
	if (s->count < 2 || ((before || after) && is_short(side.r, s)))
		return by_usual(side, before ? first : last, x, y);
	if (before)
		return interpolate_along(side, first, many ? first + BASE : last, first, x, y);
	if (after)
		return interpolate_along(side, many ? last - BASE : first, last, last, x, y);
	const struct relation_point *p = point_before(side, s, x);
	return interpolate_along(side, p, p + 1, p, x, y);
}

/* Return the error that the relation adds, in ticks of B. OUTSIDE: distance from the segment, in
 * ticks of B. */
static double
own_error(const struct relation *r, const struct relation_segment *s, double outside)
{
	if (r->exact)
		return 0;
	return s->error +
	       outside * (is_short(r, s) ? r->usual.error : slope_error(r, s) + RATE_WANDER);
}

/* Convert X between two points of an uneven clock. All that is certain is that the result lies
 * between theirs. */
static bool
convert_uneven(struct side side, const struct relation_segment *s, relation_ticks x,
	       relation_ticks *to, double *error)
{
	const struct relation_point *first = &side.r->used.at[s->first];
	const struct relation_point *end = first + s->count - 1;
	const struct relation_point *p = point_before(side, s, x);
	*error = INFINITY;
	if (x <= whole_ticks(from_of(side, first)))
		end = first;
	if (s->count < 2 || distance_outside(side, s, x) || x == whole_ticks(from_of(side, end))) {
		*to = whole_ticks(to_of(side, end));
		if (x == whole_ticks(from_of(side, end)))
			*error = 1;
		return true;
	}
	if (!interpolate_along(side, p, p + 1, p, x, to))
		return false;
	double low = ticks_as_double(*to - whole_ticks(to_of(side, p)));
	double high = ticks_as_double(whole_ticks(to_of(side, p + 1)) - *to);
	*error = x == whole_ticks(from_of(side, p)) ? 1 : 1 + fmax(low, high);
	return true;
}

/* Return the segment for X, found at FOUND_AT; NULL: none. */
static const struct relation_segment *
segment_for(struct side side, uint64_t found_at, relation_ticks x,
	    const struct relation_segment **other)
{
	*other = NULL;
	if (!side.r->segments.count)
		return NULL;
	return found_at == RELATION_NOWHERE ? segment_near(side, x)
					    : segment_at(side, found_at, x, other);
}

/* Return how far the result Y for X differs from that of another segment, in ticks of the
 * result. */
static double
segments_apart(struct side side, const struct relation_segment *other, relation_ticks x,
	       relation_ticks y)
{
	relation_ticks by_other;
	return by_points(side, other, x, &by_other) ? fabs(ticks_as_double(by_other - y)) : 0;
}

/* Return that difference for the nearer neighbour of S between the same restarts; 0: none. */
static double
neighbours_apart(struct side side, const struct relation_segment *s, relation_ticks x,
		 relation_ticks y)
{
	size_t first, end, i = (size_t)(s - side.r->segments.at);
	double apart = INFINITY;
	segments_of(side.r, side.r->used.at[s->first].found_at, &first, &end);
	if (i > first)
		apart = segments_apart(side, s - 1, x, y);
	if (i + 1 < end)
		apart = fmin(apart, segments_apart(side, s + 1, x, y));
	return isfinite(apart) ? apart : 0;
}

bool
relation_convert(const struct relation *r, bool back, uint64_t found_at, relation_ticks from,
		 relation_ticks *to, double *error)
{
	struct side side = {r, back};
	const struct relation_segment *other, *s = segment_for(side, found_at, from, &other);
	if (!s)
		return false;
	if (r->uneven)
		return convert_uneven(side, s, from, to, error);
	double slope = s->count < 2 ? r->usual.slope : segment_slope(r, s),
	       outside = ticks_as_double(distance_outside(side, s, from));
	if (!by_points(side, s, from, to))
		return false;
	double own = own_error(r, s, back ? outside : outside * slope);
	/* the value was held back since before the segment, or B started again once more */
	if (back && r->segments.count > 1 && found_at != RELATION_NOWHERE &&
	    found_at > last_point(r, s)->found_at &&
	    from < whole_ticks(from_of(side, &r->used.at[s->first])))
		own = INFINITY;
	*error = back ? (*error + own) / (slope > 0 ? slope : 1) : *error * slope + own;
	/* B steps somewhere between the two segments, at an unknown offset */
	if (other && !back && !r->exact)
		*error += segments_apart(side, other, from, *to);
	/* a single point may be wrong */
	if (s->count < 2 && !r->exact)
		*error += neighbours_apart(side, s, from, *to);
	return true;
}

/* True if a time from FOUND_AT depends on a segment with a single point, although the clocks
 * step or start again. No other point confirms such a segment. */
static bool
is_alone(const struct relation *r, bool back, uint64_t found_at, relation_ticks from)
{
	struct side side = {r, back};
	const struct relation_segment *other;
	if (r->exact || r->uneven || (r->segments.count < 2 && !r->restart_count))
		return false;
	const struct relation_segment *s = segment_for(side, found_at, from, &other);
	return s && s->count < 2;
}

double
relation_growth(const struct relation *r)
{
	if (r->exact || r->uneven || !r->segments.count)
		return NAN;
	const struct relation_segment *last = &r->segments.at[r->segments.count - 1];
	return own_error(r, last, 1) - own_error(r, last, 0);
}

/* --- the graph --------------------------------------------------------- */

size_t
graph_add_clock(struct graph *graph, const char *name, struct relation_rate rate, bool unix_epoch)
{
	*vec_add(&graph->clocks) =
	    (struct graph_clock){.name = mem_text(name), .rate = rate, .unix_epoch = unix_epoch};
	return graph->clocks.count - 1;
}

struct relation *
graph_add_relation(struct graph *graph, const char *kind, size_t a, size_t b)
{
	struct relation *r = mem_new(sizeof *r);
	*r = (struct relation){.kind = kind, .a = a, .b = b, .owner = SIZE_MAX};
	*vec_add(&graph->relations) = r;
	return r;
}

void
graph_free(struct graph *graph)
{
	for (size_t i = 0; i < graph->clocks.count; i++)
		free(graph->clocks.at[i].name);
	for (size_t i = 0; i < graph->relations.count; i++) {
		vec_free(&graph->relations.at[i]->points);
		vec_free(&graph->relations.at[i]->used);
		vec_free(&graph->relations.at[i]->segments);
		free(graph->relations.at[i]);
	}
	vec_free(&graph->clocks);
	vec_free(&graph->relations);
}

/* Return the ticks that a relation spans on one of its clocks. */
static double
span_of(const struct relation *r, bool back)
{
	struct side side = {r, back};
	double span = 0;
	for (size_t i = 0; i < r->segments.count; i++) {
		const struct relation_segment *s = &r->segments.at[i];
		const struct relation_point *first = &r->used.at[s->first];
		const struct relation_point *last = first + s->count - 1;
		span += (double)from_of(side, last) - (double)from_of(side, first);
	}
	return span;
}

/* Mark thin relations, which would have to be extrapolated far. */
static void
find_thin(struct graph *graph)
{
	for (size_t i = 0; i < graph->clocks.count; i++)
		graph->clocks.at[i].span = 0;
	for (size_t i = 0; i < graph->relations.count; i++) {
		const struct relation *r = graph->relations.at[i];
		struct graph_clock *a = &graph->clocks.at[r->a], *b = &graph->clocks.at[r->b];
		a->span = fmax(a->span, span_of(r, false));
		b->span = fmax(b->span, span_of(r, true));
	}
	for (size_t i = 0; i < graph->relations.count; i++) {
		struct relation *r = graph->relations.at[i];
		r->thin = !r->exact && (2 * span_of(r, false) < graph->clocks.at[r->a].span ||
					2 * span_of(r, true) < graph->clocks.at[r->b].span);
	}
}

typedef VEC(size_t) clock_queue;

/* Set the path of the neighbours of clock HERE: through HERE, by relations that are THIN or not. */
static void
reach_on(struct graph *graph, clock_queue *queue, size_t here, bool thin)
{
	for (size_t i = 0; i < graph->relations.count; i++) {
		const struct relation *r = graph->relations.at[i];
		if (!r->segments.count || r->thin != thin || (r->a != here && r->b != here))
			continue;
		size_t other = r->a == here ? r->b : r->a;
		struct graph_clock *clock = &graph->clocks.at[other];
		if (clock->root != SIZE_MAX)
			continue;
		clock->root = graph->clocks.at[here].root;
		clock->towards = r;
		clock->back = r->b == other;
		*vec_add(queue) = other;
	}
}

/* Set the path to ROOT of all clocks that can reach it, nearest first. Use a thin relation only
 * where no other path exists. */
static void
find_ways(struct graph *graph, size_t root)
{
	clock_queue queue = {0};
	size_t done = 0;
	*vec_add(&queue) = root;
	graph->clocks.at[root].root = root;
	while (done < queue.count) {
		for (; done < queue.count; done++)
			reach_on(graph, &queue, queue.at[done], false);
		for (size_t i = 0; i < done; i++)
			reach_on(graph, &queue, queue.at[i], true);
	}
	vec_free(&queue);
}

void
graph_settle(struct graph *graph)
{
	for (size_t i = 0; i < graph->relations.count; i++) {
		struct relation *r = graph->relations.at[i];
		r->rate_a = graph->clocks.at[r->a].rate;
		r->rate_b = graph->clocks.at[r->b].rate;
		relation_settle(r);
	}
	find_thin(graph);
	for (size_t i = 0; i < graph->clocks.count; i++) {
		graph->clocks.at[i].root = SIZE_MAX;
		graph->clocks.at[i].towards = NULL;
	}
	for (int wish = 0; wish < 3; wish++) {
		for (size_t i = 0; i < graph->clocks.count; i++) {
			const struct graph_clock *clock = &graph->clocks.at[i];
			bool fits = wish == 2 ||
				    (clock->rate.numerator && (wish == 1 || clock->unix_epoch));
			if (fits && clock->root == SIZE_MAX)
				find_ways(graph, i);
		}
	}
}

/* Convert ticks of the root clock to a time. */
static struct graph_time
time_at_root(const struct graph *graph, const struct graph_clock *root, relation_ticks at,
	     double error)
{
	struct relation_rate rate = root->rate;
	relation_ticks whole;
	struct graph_time time = {
	    .root = (size_t)(root - graph->clocks.at), .ticks = at, .error = error};
	if (!rate.numerator || !scale_ticks(at, NANO * rate.denominator, rate.numerator, &whole))
		return time;
	whole += ROUNDING;
	whole = whole < 0 ? -(-whole >> RELATION_FRACTION) : whole >> RELATION_FRACTION;
	time.known = whole <= INT64_MAX && whole >= INT64_MIN;
	time.nanoseconds = (int64_t)(time.known ? whole : 0);
	time.error *= 1e9 / relation_rate_hz(rate);
	return time;
}

/* Return the next clock on the path from OWN to the root. */
static const struct graph_clock *
next_clock(const struct graph *graph, const struct graph_clock *own)
{
	return &graph->clocks.at[own->back ? own->towards->a : own->towards->b];
}

bool
graph_time(const struct graph *graph, size_t clock, uint64_t ticks, size_t owner, uint64_t found_at,
	   struct graph_time *time)
{
	relation_ticks at = whole_ticks(ticks);
	double error = 1; /* the same tick shows until the next one */
	bool alone = false;
	const struct graph_clock *own = &graph->clocks.at[clock];
	while (own->towards) {
		const struct relation *r = own->towards;
		uint64_t where = r->owner == owner ? found_at : RELATION_NOWHERE;
		alone |= is_alone(r, own->back, where, at);
		if (!relation_convert(r, own->back, where, at, &at, &error))
			return false;
		own = next_clock(graph, own);
	}
	*time = time_at_root(graph, own, at, error);
	time->alone = alone;
	return true;
}

bool
graph_span(const struct graph *graph, size_t clock, uint64_t low, uint64_t high, size_t owner,
	   uint64_t begin, uint64_t end, struct graph_time *first, struct graph_time *last)
{
	relation_ticks from = whole_ticks(low), to = whole_ticks(high);
	double error_from = 1, error_to = 1;
	const struct graph_clock *own = &graph->clocks.at[clock];
	while (own->towards) {
		const struct relation *r = own->towards;
		bool placed = r->owner == owner;
		uint64_t where = placed ? begin : RELATION_NOWHERE;
		if (!is_one_segment(r, own->back, where, placed ? end : where, from, to) ||
		    !relation_convert(r, own->back, where, from, &from, &error_from) ||
		    !relation_convert(r, own->back, where, to, &to, &error_to))
			return false;
		own = next_clock(graph, own);
	}
	*first = time_at_root(graph, own, from, error_from);
	*last = time_at_root(graph, own, to, error_to);
	return true;
}
