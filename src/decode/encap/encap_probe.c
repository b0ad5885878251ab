/*
 * Decide whether a capture is an encapsulated stream, and guess the widths of its
 * fields.
 *
 * The stream does not state its widths, but sync sequences reveal them.  These are
 * runs of N + 1 null packets with N = 31 + T + S [Encap 1.0, "Synchronization"], where
 * S is W / 8 rounded down [Encap 1.0, "Packet Length"].  Only S and T matter for
 * framing, so each pair is tried.  With the right pair, a chain of packets that starts
 * after one sequence ends exactly at the next.  A wrong pair does so only by luck.
 *
 * The probability of luck is estimated from the chain.  A chain with a boundary in
 * every second byte nearly always meets a long run of zeros, which proves nothing.  A
 * chain with a boundary in every tenth byte meets a run as short as a sync sequence
 * one time in ten.  Each interval thus adds or subtracts bits of evidence, and the
 * number of tried pairs costs its log2.  Zeros in programs, images and tables add up
 * to nothing.
 *
 * The remaining bits of W, and those of the type, are chosen for the fewest odd
 * payloads and the fewest sources.  That choice is a guess and labelled as one.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_RUN = 32,
	RUNS_MAX = 256,
	SOURCE_BYTES_MAX = 2,
	TIMESTAMP_BYTES_MAX = 8,
	ANALYSE = 64 * 1024,
	ANALYSE_BITS = 8 * 1024, /* bytes decoded with each pair of widths */
	GUESS_TYPES = 3,	 /* type widths 0 to 2 are tried */
	SPLITS = (SOURCE_BYTES_MAX + 1) * (TIMESTAMP_BYTES_MAX + 1),
	WORTH = 5 /* lowest score, in per cent, of splits after the best */
};

/* Bits of evidence for PROBE_DECODE, and per cent for each further bit.  Framing does not
 * reveal all widths, so the score is never certain. */
#define BITS_DECIDE 3.0
#define PERCENT_EACH 5.0
#define PERCENT_MOST (PROBE_CERTAIN - 1)

/* Share of intervals that chains cross in a true encapsulated stream; the others are damaged. */
#define INTACT 0.9
#define LUCK_LEAST 0.02
#define PACKETS_LEAST 4

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
		/* a run cut by the end is no evidence */
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
			/* the first one bit after N idles and seven zeros ends a byte: it
			 * "uniquely identifies the byte boundary" [Encap 1.0,
			 * "Synchronization"] */
			if (zeros >= 8 * (uint64_t)longest + 7)
				return (bit + 1) % 8;
			zeros = 0;
		}
	}
	return 0;
}

/* --- the widths of source and timestamp, in bytes ---------------------- */

struct split {
	unsigned source, timestamp; /* bytes */
	struct encap_chains chains;
	double bits; /* of evidence for it */
};

/* A chain of packets. */
struct chain {
	size_t end;	   /* first boundary at or after the stop */
	size_t boundaries; /* packets and null packets passed */
	size_t packets;	   /* packets that are not null */
};

static struct chain
walk_chain(const uint8_t *p, size_t at, size_t stop, const struct split *split)
{
	struct chain chain = {.end = at};
	for (; chain.end < stop; chain.boundaries++) {
		uint8_t header = p[chain.end++];
		if (encap_is_null(header))
			continue;
		chain.end += split->source + (header & 0x1f) +
			     (encap_is_extended(header) ? split->timestamp : 0);
		chain.packets++;
	}
	return chain;
}

/* Return the probability that a random chain with this density over BYTES has a boundary within
 * PLACES consecutive bytes.  Return INTACT, which is no evidence, if the chain has too few
 * packets to measure. */
static double
measure_luck(const struct chain *chain, size_t bytes, size_t places)
{
	double density = (double)chain->boundaries / (double)bytes;
	if (chain->packets < PACKETS_LEAST)
		return INTACT;
	double luck = 1 - pow(1 - fmin(density, 0.99), (double)places);
	return fmax(LUCK_LEAST, fmin(luck, 1 - LUCK_LEAST));
}

static void
try_split(const uint8_t *p, const struct runs *runs, struct split *split)
{
	size_t sync = LEAST_RUN + split->source + split->timestamp; /* N + 1 */
	size_t from = 0;
	bool any = false;
	for (size_t i = 0; i < runs->count; i++) {
		size_t start = runs->at[i].start, end = runs->at[i].end;
		if (end - start < sync)
			continue;
		if (any) {
			struct chain chain = walk_chain(p, from, start, split);
			bool reached = chain.end + sync <= end;
			double luck =
			    measure_luck(&chain, chain.end - from, end - sync - start + 1);
			split->chains.intervals++;
			split->chains.reached += reached;
			split->bits +=
			    reached ? log2(INTACT / luck) : log2((1 - INTACT) / (1 - luck));
		}
		from = end;
		any = true;
	}
}

static int
compare_splits(const void *a, const void *b)
{
	const struct split *left = a, *right = b;
	return (left->bits < right->bits) - (left->bits > right->bits);
}

/* Try all splits.  Keep those that reach the end of an interval, best first.  Return their
 * number. */
static size_t
find_splits(const uint8_t *p, const struct runs *runs, struct split splits[SPLITS])
{
	size_t count = 0;
	for (unsigned source = 0; source <= SOURCE_BYTES_MAX; source++) {
		for (unsigned timestamp = 0; timestamp <= TIMESTAMP_BYTES_MAX; timestamp++) {
			splits[count] = (struct split){.source = source, .timestamp = timestamp};
			try_split(p, runs, &splits[count]);
			count += splits[count].chains.reached > 0;
		}
	}
	qsort(splits, count, sizeof *splits, compare_splits);
	return count;
}

/* --- bits of source and type ------------------------------------------- */

/* Count the evidence against the widths: odd payloads plus sources.  A source ID read too wide
 * includes bits of the payload, which looks like more sources. */
static unsigned
count_against(const struct window *w, const struct encap_decoder *decoder)
{
	struct encap_state state = {0};
	struct message batch[128];
	bool met[1 << 8 * SOURCE_BYTES_MAX] = {false};
	unsigned against = 0;
	size_t count;
	do {
		count =
		    encap_step(&decoder->base, &state.base, w, batch, sizeof batch / sizeof *batch);
		for (size_t i = 0; i < count; i++) {
			against +=
			    batch[i].flags & MESSAGE_DAMAGED || batch[i].kind == ENCAP_OPAQUE;
			if (batch[i].origin >= sizeof met / sizeof *met || met[batch[i].origin])
				continue;
			met[batch[i].origin] = true;
			against++;
		}
	} while (count == sizeof batch / sizeof *batch);
	return against;
}

/* Find the widths with the least evidence against them. */
static void
find_bits(const struct window *w, const struct split *split, struct encap_guess *guess)
{
	unsigned least = UINT32_MAX;
	unsigned widest = split->source == SOURCE_BYTES_MAX ? 0 : 7;
	struct encap_guess trial = {.srcid_width = 8 * split->source,
				    .timestamp_bytes = split->timestamp};
	struct encap_options options; /* every width guessed */
	struct window part = *w;
	if (part.length > ANALYSE_BITS) {
		part.length = ANALYSE_BITS;
		part.last = false;
	}
	option_defaults(&encap_options, &options);
	struct encap_decoder *decoder = encap_new(&options, &trial, NULL);
	decoder->syncs = encap_has_sync(decoder, &part); /* does not depend on the bits tried */
	for (unsigned i = 0; i < GUESS_TYPES * (widest + 1); i++) {
		trial.type_width = i / (widest + 1);
		trial.srcid_width = 8 * split->source + i % (widest + 1);
		encap_set_guess(decoder, &trial);
		unsigned against = count_against(&part, decoder);
		if (against < least) {
			least = against;
			guess->srcid_width = trial.srcid_width;
			guess->type_width = trial.type_width;
		}
	}
	encap_free(decoder);
}

/* --- guesses ----------------------------------------------------------- */

static void
describe_split(const struct window *w, const struct runs *runs, const struct split *split,
	       struct encap_guess *guess)
{
	size_t sync = LEAST_RUN + split->source + split->timestamp;
	*guess = (struct encap_guess){
	    .timestamp_bytes = split->timestamp, .chains = split->chains, .bits = split->bits};
	for (size_t i = 0; i < runs->count; i++) {
		size_t length = runs->at[i].end - runs->at[i].start;
		if (length < sync)
			continue;
		guess->syncs++;
		if (!guess->nulls || length < guess->nulls)
			guess->nulls = (unsigned)length;
		/* an unframed stream has alignment before each packet */
		guess->framed |= !encap_is_extended(w->bytes[runs->at[i].end - 1]);
	}
}

static size_t
guess_aligned(const struct window *w, struct encap_guess *guesses, size_t most)
{
	struct runs runs;
	struct split splits[SPLITS];
	find_runs(w->bytes, w->length, LEAST_RUN, &runs);
	size_t count = runs.count < 2 ? 0 : find_splits(w->bytes, &runs, splits);
	if (count > most)
		count = most;
	bool other_split =
	    count > 1 &&
	    splits[0].source + splits[0].timestamp == splits[1].source + splits[1].timestamp &&
	    splits[0].bits - splits[1].bits < 1;
	for (size_t i = 0; i < count; i++) {
		describe_split(w, &runs, &splits[i], &guesses[i]);
		if (i && encap_score(&guesses[i]) < WORTH)
			return i;
		guesses[i].other_split = !i && other_split;
		find_bits(w, &splits[i], &guesses[i]);
	}
	return count;
}

/* Guess the widths of a bit stream from its aligned form. */
static size_t
guess_shifted(const struct window *w, unsigned phase, struct encap_guess *guesses, size_t most)
{
	static const struct encap_options options;
	const struct encap_decoder shift = {.options = &options, .phase = phase};
	uint8_t *aligned = mem_new(w->length);
	struct window view = *w;
	view.length--;
	view.bytes = aligned;
	encap_align(&shift, w->bytes, view.length, aligned);
	size_t count = guess_aligned(&view, guesses, most);
	for (size_t i = 0; i < count; i++)
		guesses[i].phase = phase;
	free(aligned);
	return count;
}

/* Find up to MOST ways to read the stream, best first.  Return their number. */
static size_t
find_guesses(const struct window *head, struct encap_guess *guesses, size_t most)
{
	struct encap_guess shifted[PROBES_MAX];
	struct window w = *head;
	if (w.length > ANALYSE)
		w.length = ANALYSE;
	w.until = UINT64_MAX;
	w.last = false;
	size_t count = guess_aligned(&w, guesses, most);
	unsigned phase = encap_find_phase(&w, LEAST_RUN - 1);
	size_t others = phase ? guess_shifted(&w, phase, shifted, most) : 0;
	if (!others || (count && shifted[0].bits <= guesses[0].bits))
		return count;
	memcpy(guesses, shifted, others * sizeof *shifted);
	return others;
}

bool
encap_guess(const struct window *head, struct encap_guess *guess)
{
	*guess = (struct encap_guess){0};
	return find_guesses(head, guess, 1);
}

int
encap_score(const struct encap_guess *guess)
{
	double bits = guess->bits - log2(SPLITS);
	double score = bits < BITS_DECIDE ? bits * PROBE_DECODE / BITS_DECIDE
					  : PROBE_DECODE + (bits - BITS_DECIDE) * PERCENT_EACH;
	double whole = (double)guess->chains.reached / guess->chains.intervals;
	score = fmin(score, PERCENT_MOST) * whole * whole;
	return score > 1 ? (int)score : 1;
}

void
encap_probe(const struct window *head, struct probe *probes)
{
	struct encap_guess guesses[PROBES_MAX];
	size_t count = find_guesses(head, guesses, PROBES_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct encap_guess *guess = &guesses[i];
		struct probe *probe = &probes[i];
		*probe = (struct probe){.score = encap_score(guess)};
		snprintf(probe->reason, sizeof probe->reason,
			 "srcid %u, timestamp %u%s: %u of %u runs between %u sync sequences fit",
			 guess->srcid_width, guess->timestamp_bytes,
			 guess->phase ? ", a bit stream" : "", guess->chains.reached,
			 guess->chains.intervals, guess->syncs);
		snprintf(probe->settings, sizeof probe->settings,
			 "srcid_width: %u, timestamp_bytes: %u, type_width: %u%s%s",
			 guess->srcid_width, guess->timestamp_bytes, guess->type_width,
			 guess->framed ? ", framed: true" : "",
			 guess->phase ? ", bit_stream: true" : "");
	}
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
