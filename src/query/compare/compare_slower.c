/*
 * Messages that are later than in GOOD: see compare_slower.h.
 *
 * A first pass takes samples of equal steps in both runs. The median of their time
 * ratios near 1 is the drift of the clocks. Nine of ten steps of an origin differ
 * by at most its usual variation. A second pass finds steps that differ by more and
 * have nothing else in between. The time since the last message but one must have
 * grown as much. Otherwise a message that came early, because it moved, would make
 * the next one look late.
 */
#include "config.h"

#include "query/compare/compare_slower.h"

#include <math.h>
#include <stdlib.h>

enum {
	SAMPLES = 4096,	    /* per origin */
	RATIOS_LEAST = 16,  /* fewer do not show drift */
	USUAL_TIMES = 4,    /* a delay exceeds this multiple of the usual variation */
	STEP_LEAST = 10000, /* ns; the ratio of shorter steps does not show drift */
	BACK_MAX = 64	    /* earlier delays that may be the cause */
};

#define DRIFT_MAX 0.01 /* a larger difference is no drift */

/* The time from one aligned message to the next. */
struct step {
	size_t a, b;
	double took[2];
	double before[2]; /* since the last message but one, else as `took` */
	bool adjacent;	  /* neither run has other messages of the origin in between */
};

/* A walk over the steps of an origin. */
struct steps {
	const struct compare_aligned *aligned;
	size_t run, in_run;
	unsigned passed;
	size_t last_a, last_b;
	int64_t last[2], last_but_one[2];
};

static bool
next_step(struct steps *steps, struct step *step)
{
	const struct compare_aligned *aligned = steps->aligned;
	while (steps->run < aligned->runs.count) {
		const struct compare_run *run = &aligned->runs.at[steps->run];
		if (steps->in_run == run->count) {
			steps->run++;
			steps->in_run = 0;
			continue;
		}
		step->a = run->a + steps->in_run;
		step->b = run->b + steps->in_run++;
		int64_t good = aligned->good->times.at[step->a];
		int64_t bad = aligned->bad->times.at[step->b];
		if (good == COMPARE_NO_TIME || bad == COMPARE_NO_TIME)
			continue;
		for (int side = 0; side < 2; side++) {
			int64_t time = side ? bad : good;
			int64_t before =
			    steps->passed > 1 ? steps->last_but_one[side] : steps->last[side];
			step->took[side] = (double)time - (double)steps->last[side];
			step->before[side] = (double)time - (double)before;
			steps->last_but_one[side] = steps->last[side];
			steps->last[side] = time;
		}
		step->adjacent = step->a == steps->last_a + 1 && step->b == steps->last_b + 1;
		steps->last_a = step->a;
		steps->last_b = step->b;
		if (steps->passed++)
			return true;
	}
	return false;
}

static bool
has_times(const struct compare_aligned *aligned)
{
	return aligned->good && aligned->bad && aligned->good->timed && aligned->bad->timed;
}

static int
double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

typedef VEC(double) sample_list;

/* Return the sample with SHARE of all samples below it. */
static double
quantile_of(sample_list *samples, double share)
{
	qsort(samples->at, samples->count, sizeof *samples->at, double_compare);
	return samples->at[(size_t)(share * (double)(samples->count - 1))];
}

/* Add some steps of an origin to the samples: to RATIOS their times in BAD divided by those in
 * GOOD, to APART the difference. */
static void
add_samples(const struct compare_aligned *aligned, double drift, sample_list *ratios,
	    sample_list *apart)
{
	struct steps steps = {.aligned = aligned};
	struct step step;
	size_t each = aligned->good->tokens.count / SAMPLES + 1, at = 0;
	while (next_step(&steps, &step)) {
		if (at++ % each)
			continue;
		double ratio = step.took[1] / step.took[0];
		if (ratios && step.took[0] > STEP_LEAST && fabs(ratio - 1) < DRIFT_MAX)
			*vec_add(ratios) = ratio;
		if (apart)
			*vec_add(apart) = fabs(step.took[1] / drift - step.took[0]);
	}
}

/* Return how long a second of GOOD is in BAD, in seconds. */
static double
find_drift(const struct compare_aligned *aligned, size_t count)
{
	sample_list ratios = {0};
	for (size_t i = 0; i < count; i++)
		if (has_times(&aligned[i]))
			add_samples(&aligned[i], 1, &ratios, NULL);
	double drift = ratios.count < RATIOS_LEAST ? 1 : quantile_of(&ratios, 0.5);
	vec_free(&ratios);
	return drift;
}

static void
add_delays(const struct compare_aligned *aligned, size_t stream, double drift, double factor,
	   int64_t least, compare_delays *delays)
{
	struct steps steps = {.aligned = aligned};
	struct step step;
	sample_list apart = {0};
	add_samples(aligned, drift, NULL, &apart);
	double usual = apart.count ? USUAL_TIMES * quantile_of(&apart, 0.9) : 0;
	double longer = usual > (double)least ? usual : (double)least;
	vec_free(&apart);
	while (next_step(&steps, &step)) {
		double good = step.took[0] > 0 ? step.took[0] : 0, bad = step.took[1] / drift;
		double in_two = step.before[1] / drift - step.before[0];
		if (!step.adjacent || bad - good < longer || bad < factor * good || in_two < longer)
			continue;
		*vec_add(delays) =
		    (struct compare_delay){.stream = stream,
					   .a = step.a,
					   .b = step.b,
					   .took = {(int64_t)step.took[0], (int64_t)step.took[1]}};
	}
}

void
compare_add_spans(const struct compare_aligned *aligned, size_t count)
{
	double drift = find_drift(aligned, count);
	for (size_t i = 0; i < count; i++) {
		const struct compare_stream *good = aligned[i].good, *bad = aligned[i].bad;
		struct steps steps = {.aligned = &aligned[i]};
		struct step step;
		while (has_times(&aligned[i]) && next_step(&steps, &step)) {
			struct compare_span *span = &bad->spans[step.b];
			double more = step.took[1] - fmax(step.took[0], 0) * drift;
			if (good->tokens.at[step.a] != bad->tokens.at[step.b])
				continue;
			bool first = !span->runs++;
			span->second =
			    first ? INFINITY : fmin(span->second, fmax(more, span->least));
			span->least = first ? more : fmin(span->least, more);
			span->most = first ? more : fmax(span->most, more);
		}
	}
}

/* Append the delays of an origin. */
static void
add_long_steps(const struct compare_stream *bad, size_t stream, double factor, int64_t least,
	       size_t runs, compare_delays *delays)
{
	const struct compare_span *end = bad->spans + bad->tokens.count;
	double most = 0, second = 0;
	for (const struct compare_span *span = bad->spans; span < end; span++) {
		double excess = span->runs > runs / 2 ? span->second - span->least : 0;
		second = fmax(second, fmin(excess, most));
		most = fmax(most, excess);
	}
	for (const struct compare_span *span = bad->spans + 1; span < end; span++) {
		size_t b = (size_t)(span - bad->spans);
		double longer =
		    fmax(fmax(factor * second, (double)least), span->most - span->least);
		if (span->runs <= runs / 2 || span[-1].lacking == runs || span->least < longer)
			continue;
		int64_t took = bad->times.at[b] - bad->times.at[b - 1];
		int64_t usual = took - (int64_t)span->least;
		*vec_add(delays) =
		    (struct compare_delay){stream, 0, b, {usual, took}, span->runs, 0};
	}
}

/* --- common delays ------------------------------------------------------- */

/* A delay with its time in BAD. */
struct timed_delay {
	struct compare_delay delay;
	int64_t at;
};

static int
timed_delay_compare(const void *a, const void *b)
{
	const struct timed_delay *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->delay.stream > y->delay.stream) - (x->delay.stream < y->delay.stream);
}

static int64_t
excess_of(const struct compare_delay *delay)
{
	return delay->took[1] - delay->took[0];
}

/* Join overlapping delays of different origins. Keep the earliest one if it is at least half as
 * long as the later one. Count the others in it. */
static void
join_delays(const struct compare_aligned *aligned, compare_delays *delays)
{
	size_t kept = 0;
	struct timed_delay *all = mem_new((delays->count + 1) * sizeof *all);
	for (size_t i = 0; i < delays->count; i++) {
		const struct compare_delay *delay = &delays->at[i];
		all[i] =
		    (struct timed_delay){*delay, aligned[delay->stream].bad->times.at[delay->b]};
	}
	if (delays->count)
		qsort(all, delays->count, sizeof *all, timed_delay_compare);
	for (size_t i = 0; i < delays->count; i++) {
		struct timed_delay *cause = NULL;
		int64_t begin = all[i].at - all[i].delay.took[1];
		for (size_t k = kept; k && kept - k < BACK_MAX && all[k - 1].at > begin; k--)
			if (all[k - 1].delay.stream != all[i].delay.stream &&
			    excess_of(&all[k - 1].delay) >= excess_of(&all[i].delay) / 2)
				cause = &all[k - 1];
		if (cause)
			cause->delay.with++;
		else
			all[kept++] = all[i];
	}
	vec_clear(delays);
	for (size_t i = 0; i < kept; i++)
		*vec_add(delays) = all[i].delay;
	free(all);
}

void
compare_find_delays(const struct compare_aligned *aligned, size_t count, double factor,
		    int64_t least, size_t runs, compare_delays *delays)
{
	double drift = find_drift(aligned, count);
	for (size_t i = 0; i < count; i++)
		if (has_times(&aligned[i]) && runs > 1)
			add_long_steps(aligned[i].bad, i, factor, least, runs, delays);
		else if (has_times(&aligned[i]))
			add_delays(&aligned[i], i, drift, factor, least, delays);
	join_delays(aligned, delays);
}
