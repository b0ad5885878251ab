/*
 * Hardware runs: where decoding restarts, and which bytes it skips.
 *
 * Frames are counted from the start of the capture, so a run cannot begin inside one.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"

#include "base/lower_bound.h"

#include <stdlib.h>

size_t
opencsd_run_from(const struct opencsd_decoder *d, uint64_t offset)
{
	size_t at;
	lower_bound(at, d->runs.count, d->runs.at[at]->offset < offset);
	return at;
}

bool
opencsd_starts_run(const struct opencsd_decoder *d, uint64_t offset)
{
	size_t n = d->runs.count ? opencsd_run_from(d, offset) : 0;
	return n < d->runs.count && d->runs.at[n]->offset == offset;
}

uint64_t
opencsd_run_end(const struct opencsd_decoder *d, uint64_t offset, uint64_t end, bool *skip)
{
	*skip = false;
	if (!d->runs.count)
		return end;
	size_t next = opencsd_run_from(d, offset + 1);
	const struct opencsd_run_options *own = next ? d->runs.at[next - 1] : NULL;
	if (next < d->runs.count && d->runs.at[next]->offset < end)
		end = d->runs.at[next]->offset;
	if (!own || offset - own->offset >= own->skip)
		return end;
	*skip = true;
	uint64_t left = own->skip - (offset - own->offset);
	return left < end - offset ? offset + left : end;
}

static int
by_offset(const void *a, const void *b)
{
	const struct opencsd_run_options *const *left = a, *const *right = b;
	return ((*left)->offset > (*right)->offset) - ((*left)->offset < (*right)->offset);
}

void
opencsd_runs_open(struct opencsd_decoder *d)
{
	const struct opencsd_run_options *runs = d->options->runs.at;
	if (d->format != CORESIGHT_ALIGNED && d->format != CORESIGHT_SOURCE)
		return;
	for (size_t i = 0; i < d->options->runs.count; i++) {
		const struct opencsd_run_options *run = &runs[i];
		if (d->format == CORESIGHT_ALIGNED && (run->offset | run->skip) % CORESIGHT_FRAME)
			text_addf(&d->notes, "the run at %llu does not start at a frame\n",
				  (unsigned long long)run->offset);
		else
			*vec_add(&d->runs) = run;
	}
	if (d->runs.count)
		qsort(d->runs.at, d->runs.count, sizeof *d->runs.at, by_offset);
}
