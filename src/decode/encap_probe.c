/*
 * Is this an encapsulated stream, and how wide are its fields?
 *
 * Nothing in the stream says so, but sync sequences do: they are runs of
 * N + 1 null packets with N = 31 + T + S, where S is W / 8 rounded down.  Only
 * S and T matter for framing, so each pair is tried: with the right one, a
 * chain of packets that starts behind one sequence ends exactly at the next,
 * which a wrong one does by luck only, about one time in ten.  The remaining
 * bits of W, and those of the type, are chosen so that the fewest payloads
 * are odd; that is a guess and said to be one.
 */
#include "config.h"

#include "decode/encap_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_RUN = 32,
	RUNS_MAX = 256,
	SOURCE_BYTES_MAX = 2,
	STAMP_BYTES_MAX = 8,
	ANALYSE = 64 * 1024,
	ANALYSE_BITS = 8 * 1024, /* of it, decoded with each pair of widths */
	GUESS_TYPES = 3,	 /* type widths 0 to 2 are tried */
	CERTAIN = 8		 /* intervals that leave no doubt */
};

/* Runs of null bytes that may be sync sequences. */
struct runs {
	struct {
		size_t start, end;
	} at[RUNS_MAX];
	size_t count;
};

static void
find_runs(const uint8_t *p, size_t length, size_t least, struct runs *runs)
{
	size_t at = 0;
	runs->count = 0;
	while (at < length && runs->count < RUNS_MAX) {
		size_t from = at;
		while (at < length && encap_is_null(p[at]))
			at++;
		/* a run that the end cuts off says nothing */
		if (at - from >= least && at < length) {
			runs->at[runs->count].start = from;
			runs->at[runs->count++].end = at;
		}
		at++;
	}
}

bool
encap_has_sync(const struct encap_decoder *d, const struct window *head)
{
	size_t length = head->length - (d->phase && head->length), run = 0;
	for (size_t at = 0; at < length && run <= d->longest; at++) {
		uint8_t byte =
		    d->phase ? encap_shifted(head->bytes, at, d->phase) : head->bytes[at];
		run = encap_is_null(byte) ? run + 1 : 0;
	}
	return run > d->longest;
}

unsigned
encap_find_phase(const struct window *head, unsigned longest)
{
	uint64_t zeros = 0;
	for (size_t i = 0; i < head->length; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			if (!(head->bytes[i] >> bit & 1)) {
				zeros++;
				continue;
			}
			/* the first one after N idles and seven zeros ends a byte */
			if (zeros >= 8 * (uint64_t)longest + 7)
				return (bit + 1) % 8;
			zeros = 0;
		}
	}
	return 0;
}

/* --- the widths of source and timestamp, in bytes ---------------------- */

struct split {
	unsigned source, stamp; /* bytes */
	struct encap_chains chains;
};

/* Walks packets from AT; returns the first boundary at or past STOP. */
static size_t
chain(const uint8_t *p, size_t at, size_t stop, const struct split *split)
{
	while (at < stop) {
		if (encap_is_null(p[at]))
			at++;
		else
			at += 1 + split->source + (p[at] & 0x1f) +
			      (encap_is_extended(p[at]) ? split->stamp : 0);
	}
	return at;
}

static void
try_split(const uint8_t *p, const struct runs *runs, struct split *split)
{
	size_t sync = LEAST_RUN + split->source + split->stamp; /* N + 1 */
	size_t from = 0;
	bool any = false;
	for (size_t i = 0; i < runs->count; i++) {
		if (runs->at[i].end - runs->at[i].start < sync)
			continue;
		if (any) {
			size_t at = chain(p, from, runs->at[i].start, split);
			split->chains.intervals++;
			split->chains.reached += at + sync <= runs->at[i].end;
		}
		from = runs->at[i].end;
		any = true;
	}
}

/* Whether a larger part of A's intervals is reached, or as large a part of
 * more intervals. */
static bool
more_reached(const struct encap_chains *a, const struct encap_chains *b)
{
	unsigned left = a->reached * b->intervals, right = b->reached * a->intervals;
	return left > right || (left == right && a->reached > b->reached);
}

static bool
find_split(const uint8_t *p, const struct runs *runs, struct encap_guess *guess, struct split *best)
{
	bool other = false;
	*best = (struct split){0};
	for (unsigned source = 0; source <= SOURCE_BYTES_MAX; source++) {
		for (unsigned stamp = 0; stamp <= STAMP_BYTES_MAX; stamp++) {
			struct split split = {.source = source, .stamp = stamp};
			try_split(p, runs, &split);
			if (more_reached(&split.chains, &best->chains)) {
				*best = split;
				other = false;
			} else if (split.chains.reached &&
				   !more_reached(&best->chains, &split.chains)) {
				other = true;
			}
		}
	}
	guess->chains = best->chains;
	guess->other_split = other;
	return best->chains.reached > 0;
}

/* --- bits of source and type ------------------------------------------- */

/* How many payloads are odd if the widths were these. */
static unsigned
count_odd(const struct window *w, const struct encap_guess *guess)
{
	struct encap_options options;
	option_defaults(&encap_options, &options);
	options.srcid_width = guess->srcid_width;
	options.timestamp_bytes = guess->timestamp_bytes;
	options.type_width = guess->type_width;
	struct decoder *decoder = encap_ops.open(&options, w, NULL);
	struct encap_state state = {0};
	struct message batch[128];
	unsigned odd = 0;
	size_t count;
	do {
		count = encap_step(decoder, &state.base, w, batch, sizeof batch / sizeof *batch);
		for (size_t i = 0; i < count; i++)
			odd += batch[i].flags & MESSAGE_DAMAGED || batch[i].kind == ENCAP_OPAQUE;
	} while (count == sizeof batch / sizeof *batch);
	encap_ops.close(decoder);
	return odd;
}

static void
find_bits(const struct window *w, const struct split *split, struct encap_guess *guess)
{
	unsigned least = UINT32_MAX;
	struct window part = *w;
	if (part.length > ANALYSE_BITS) {
		part.length = ANALYSE_BITS;
		part.last = false;
	}
	unsigned widest = split->source == SOURCE_BYTES_MAX ? 0 : 7;
	for (unsigned type = 0; type < GUESS_TYPES; type++) {
		for (unsigned more = 0; more <= widest; more++) {
			struct encap_guess trial = {.srcid_width = 8 * split->source + more,
						    .timestamp_bytes = split->stamp,
						    .type_width = type};
			unsigned odd = count_odd(&part, &trial);
			if (odd < least) {
				least = odd;
				guess->srcid_width = trial.srcid_width;
				guess->type_width = type;
			}
		}
	}
}

/* --- guesses ----------------------------------------------------------- */

static bool
guess_aligned(const struct window *w, struct encap_guess *guess)
{
	struct runs runs;
	struct split split;
	find_runs(w->bytes, w->length, LEAST_RUN, &runs);
	if (runs.count < 2 || !find_split(w->bytes, &runs, guess, &split))
		return false;
	guess->timestamp_bytes = split.stamp;
	size_t sync = LEAST_RUN + split.source + split.stamp;
	for (size_t i = 0; i < runs.count; i++) {
		size_t length = runs.at[i].end - runs.at[i].start;
		if (length < sync)
			continue;
		guess->syncs++;
		if (!guess->nulls || length < guess->nulls)
			guess->nulls = (unsigned)length;
		/* an unframed stream has alignment in front of each packet */
		guess->framed |= !encap_is_extended(w->bytes[runs.at[i].end - 1]);
	}
	find_bits(w, &split, guess);
	return true;
}

/* The same for a bit stream, in aligned form. */
static bool
guess_shifted(const struct window *w, unsigned phase, struct encap_guess *guess)
{
	static const struct encap_options options;
	const struct encap_decoder shift = {.options = &options, .phase = phase};
	uint8_t *aligned = mem_new(w->length);
	struct window view = *w;
	view.length--;
	view.bytes = aligned;
	encap_align(&shift, w->bytes, view.length, aligned);
	guess->phase = phase;
	bool found = guess_aligned(&view, guess);
	free(aligned);
	return found;
}

bool
encap_guess(const struct window *head, struct encap_guess *guess)
{
	struct encap_guess shifted = {0};
	struct window w = *head;
	if (w.length > ANALYSE)
		w.length = ANALYSE;
	w.until = UINT64_MAX;
	w.last = false;
	*guess = (struct encap_guess){0};
	bool found = guess_aligned(&w, guess);
	unsigned phase = encap_find_phase(&w, LEAST_RUN - 1);
	if (phase && guess_shifted(&w, phase, &shifted) &&
	    (!found || more_reached(&shifted.chains, &guess->chains))) {
		*guess = shifted;
		return true;
	}
	return found;
}

void
encap_probe(const struct window *head, struct probe *probe)
{
	struct encap_guess guess;
	if (!encap_guess(head, &guess))
		return;
	/* each interval crossed by luck is one in ten, and there were 27 tries */
	unsigned evidence = guess.chains.reached < CERTAIN ? guess.chains.reached : CERTAIN;
	unsigned score = evidence < 2 ? 5 : 20 + 9 * evidence;
	if (guess.framed) /* without alignments these may be zeros of any file */
		score /= 2;
	probe->score = (int)(score * guess.chains.reached / guess.chains.intervals);
	snprintf(probe->reason, sizeof probe->reason,
		 "%u sync sequences, packets fit exactly between %u of %u", guess.syncs,
		 guess.chains.reached, guess.chains.intervals);
}

bool
encap_propose(const struct window *head, struct text *profile)
{
	struct encap_guess guess;
	if (!encap_guess(head, &guess))
		return false;
	unsigned source = guess.srcid_width / 8, sum = source + guess.timestamp_bytes;
	text_addf(profile,
		  "    # %u sync sequences, the shortest of %u null packets; packets fit exactly\n"
		  "    # between %u of %u of them.\n",
		  guess.syncs, guess.nulls, guess.chains.reached, guess.chains.intervals);
	text_add(profile, "    encap:\n");
	text_addf(profile, "      srcid_width: %u", guess.srcid_width);
	if (source < SOURCE_BYTES_MAX)
		text_addf(profile, "    # a guess; packets fit for %u to %u", 8 * source,
			  8 * source + 7);
	text_addf(profile, "\n      timestamp_bytes: %u", guess.timestamp_bytes);
	if (guess.other_split)
		text_addf(profile,
			  "    # other widths fit as well; together with "
			  "srcid_width / 8 it is %u",
			  sum);
	text_addf(profile, "\n      type_width: %u    # a guess\n", guess.type_width);
	text_addf(profile, "      framed: %s\n", guess.framed ? "true" : "false");
	if (guess.phase)
		text_add(profile, "      bit_stream: true\n");
	return true;
}
