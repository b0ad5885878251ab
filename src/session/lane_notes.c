/*
 * Notes on the cells of a trace: see lane_notes.h.
 */
#include "config.h"

#include "session/lane_notes.h"
#include "base/lower_bound.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOTE_CELLS = 512, /* cells to note between checks for a stop */
	WITNESSES = 4	  /* messages that confirm a time */
};

/* Nanoseconds that neighbouring times may step back. */
#define FAR_BACK UINT64_C(1000000000)

/* --- keys -------------------------------------------------------------- */

/* Get the transport's times of messages; KEY_FIRST for those without. */
static void
times_of(struct trace *trace, const struct message *messages, size_t count, int64_t *times)
{
	size_t part = clocks_part(trace);
	for (size_t i = 0; i < count; i++) {
		struct message_time time;
		bool any = clocks_transport_time(trace, &messages[i], &time) && time.part == part;
		times[i] = any ? time.order : KEY_FIRST;
	}
}

/* True if the next messages confirm a time: most are not far before it. A damaged time must not
 * hold up all later ones. */
static bool
is_borne_out(const int64_t *times, size_t count, size_t i)
{
	unsigned looked = 0, good = 0;
	for (size_t k = i + 1; k < count && looked < WITNESSES; k++) {
		if (times[k] == KEY_FIRST)
			continue;
		looked++;
		good += times[k] >= times[i] || (uint64_t)times[i] - (uint64_t)times[k] < FAR_BACK;
	}
	return 2 * good >= looked;
}

/* Turn times into keys, starting from KEY; return the last key. */
static int64_t
make_increasing(int64_t *times, size_t count, int64_t key)
{
	for (size_t i = 0; i < count; i++) {
		/* later elements are still times */
		if (times[i] > key && is_borne_out(times, count, i))
			key = times[i];
		times[i] = key;
	}
	return key;
}

/* Get the times for the keys: the transport's (CARRIED) and those of senders' strands. */
static void
strand_times_of(struct trace *trace, size_t strand_count, const struct message *messages,
		size_t count, int64_t *carried, int64_t *times, uint8_t *strands)
{
	size_t part = clocks_part(trace);
	for (size_t i = 0; i < count; i++) {
		struct message_time time, by_transport = {.order = KEY_FIRST, .part = part};
		size_t strand = clocks_strand(trace, &messages[i], &time, &by_transport);
		strands[i] = strand < strand_count ? (uint8_t)strand : 0;
		times[i] = strands[i] ? time.order : 0;
		carried[i] = by_transport.part == part ? by_transport.order : KEY_FIRST;
	}
}

/* Make the keys of all strands; each strand's times increase on their own. */
static void
make_strand_keys(struct trace *trace, size_t strand_count, const struct message *messages,
		 size_t count, int64_t *last, int64_t *keys, uint8_t *strands)
{
	size_t ends[STRANDS_MAX] = {0}, begin = 0;
	int64_t *times = mem_new(2 * (count + 1) * sizeof *times), *sorted = times + count;
	strand_times_of(trace, strand_count, messages, count, keys, times, strands);
	last[0] = make_increasing(keys, count, last[0]);
	for (size_t i = 0; i < count; i++)
		ends[strands[i]]++;
	for (size_t s = 0; s < strand_count; s++) {
		size_t own = ends[s];
		ends[s] = begin;
		begin += own;
	}
	for (size_t i = 0; i < count; i++)
		sorted[ends[strands[i]]++] = times[i];
	for (size_t s = 1; s < strand_count; s++)
		last[s] = make_increasing(sorted + ends[s - 1], ends[s] - ends[s - 1], last[s]);
	for (size_t i = count; i-- > 0;) {
		size_t at = --ends[strands[i]];
		if (strands[i])
			keys[i] = sorted[at];
	}
	free(times);
}

void
lane_keys_make(struct trace *trace, size_t strand_count, const struct message *messages,
	       size_t count, int64_t *last, int64_t *keys, uint8_t *strands)
{
	if (strand_count > 1) {
		make_strand_keys(trace, strand_count, messages, count, last, keys, strands);
		return;
	}
	times_of(trace, messages, count, keys);
	last[0] = make_increasing(keys, count, last[0]);
}

/* --- adding notes ------------------------------------------------------ */

void
lane_notes_open(struct lane_notes *notes, struct trace *trace)
{
	*notes = (struct lane_notes){.trace = trace, .strand_count = 1};
	pthread_mutex_init(&notes->lock, NULL);
}

static void
free_strands(struct lane_notes *notes)
{
	for (size_t i = 0; notes->strands && i < notes->strand_count; i++)
		vec_free(&notes->strands[i]);
	free(notes->strands);
	notes->strands = NULL;
}

void
lane_notes_close(struct lane_notes *notes)
{
	free_strands(notes);
	vec_free(&notes->latest);
	reader_free(notes->reader);
	pthread_mutex_destroy(&notes->lock);
}

bool
lane_notes_renew(struct lane_notes *notes, unsigned generation)
{
	struct index *index = trace_index(notes->trace);
	if (notes->generation == generation && notes->indexed == index_generation(index) &&
	    notes->latest.count <= index_known(index))
		return false;
	size_t count = clocks_strand_count(notes->trace);
	pthread_mutex_lock(&notes->lock);
	free_strands(notes);
	vec_clear(&notes->latest);
	notes->strand_count = count;
	if (count > 1)
		notes->strands = mem_new(count * sizeof *notes->strands);
	notes->generation = generation;
	notes->indexed = index_generation(index);
	pthread_mutex_unlock(&notes->lock);
	return true;
}

static const struct decoded_cell *
decode_cell(struct lane_notes *notes, uint64_t cell)
{
	if (!notes->reader) {
		notes->reader = reader_new(notes->trace);
		reader_limit(notes->reader, 1);
	}
	return reader_decoded_cell(notes->reader, cell);
}

/* Return the key of the last message of a cell, from this cell alone. */
static int64_t
latest_of(struct lane_notes *notes, uint64_t cell, const struct index_cell *summary)
{
	int64_t latest = KEY_FIRST;
	if (clocks_cell_time(notes->trace, cell, summary, &latest))
		return latest;
	const struct decoded_cell *decoded = decode_cell(notes, cell);
	int64_t *keys = mem_new((decoded->count + 1) * sizeof *keys);
	latest = KEY_FIRST;
	lane_keys_make(notes->trace, 1, decoded->messages, decoded->count, &latest, keys, NULL);
	free(keys);
	return latest;
}

/* Note some cells of a trace with one strand. */
static bool
add_plain(struct lane_notes *notes)
{
	int64_t latest[NOTE_CELLS];
	size_t count = 0, from = notes->latest.count;
	int64_t last = from ? notes->latest.at[from - 1] : KEY_FIRST;
	struct index_cell summary;
	while (count < NOTE_CELLS &&
	       index_cell(trace_index(notes->trace), from + count, &summary)) {
		int64_t own = latest_of(notes, from + count, &summary);
		last = own > last ? own : last;
		latest[count++] = last;
	}
	pthread_mutex_lock(&notes->lock);
	for (size_t i = 0; i < count; i++)
		*vec_add(&notes->latest) = latest[i];
	pthread_mutex_unlock(&notes->lock);
	return count > 0;
}

/* Note one cell of a trace with several strands. */
static bool
add_strands(struct lane_notes *notes)
{
	uint64_t cell = notes->latest.count, counts[STRANDS_MAX], before[STRANDS_MAX], all = 0;
	int64_t last[STRANDS_MAX], ends[STRANDS_MAX];
	struct index_cell summary;
	if (!index_cell(trace_index(notes->trace), cell, &summary))
		return false;
	lane_notes_before(notes, notes->generation, cell, last, counts);
	memcpy(before, counts, sizeof before);
	memcpy(ends, last, sizeof ends);
	for (size_t s = 0; s < notes->strand_count; s++)
		all += counts[s];
	counts[0] += summary.first - all; /* the strand of dropped messages is unknown */
	const struct decoded_cell *decoded = decode_cell(notes, cell);
	int64_t *keys = mem_new((decoded->count + 1) * sizeof *keys);
	uint8_t *strands = mem_new(decoded->count + 1);
	lane_keys_make(notes->trace, notes->strand_count, decoded->messages, decoded->count, last,
		       keys, strands);
	for (size_t i = 0; i < decoded->count; i++) {
		counts[strands[i]]++;
		ends[strands[i]] = keys[i];
	}
	free(keys);
	free(strands);
	pthread_mutex_lock(&notes->lock);
	*vec_add(&notes->latest) = last[0];
	for (size_t s = 0; s < notes->strand_count; s++)
		if (counts[s] > before[s])
			*vec_add(&notes->strands[s]) =
			    (struct noted_cell){cell, counts[s], ends[s]};
	pthread_mutex_unlock(&notes->lock);
	return true;
}

bool
lane_notes_add(struct lane_notes *notes)
{
	return notes->strand_count > 1 ? add_strands(notes) : add_plain(notes);
}

/* --- reading notes ----------------------------------------------------- */

/* True if notes on a strand may exist; call with the lock held. */
static bool
is_noted(const struct lane_notes *notes, unsigned generation, size_t strand)
{
	return notes->generation == generation && strand < notes->strand_count;
}

uint64_t
lane_notes_count(struct lane_notes *notes, unsigned generation)
{
	pthread_mutex_lock(&notes->lock);
	uint64_t count = is_noted(notes, generation, 0) ? notes->latest.count : 0;
	pthread_mutex_unlock(&notes->lock);
	return count;
}

bool
lane_notes_before(struct lane_notes *notes, unsigned generation, uint64_t cell, int64_t *keys,
		  uint64_t *counts)
{
	for (size_t s = 0; s < STRANDS_MAX; s++) {
		keys[s] = KEY_FIRST;
		counts[s] = 0;
	}
	if (!cell)
		return true;
	pthread_mutex_lock(&notes->lock);
	bool known = is_noted(notes, generation, 0) && cell <= notes->latest.count;
	if (known)
		keys[0] = notes->latest.at[cell - 1];
	for (size_t s = 0; known && notes->strands && s < notes->strand_count; s++) {
		const struct noted_cell *cells = notes->strands[s].at;
		size_t at;
		lower_bound(at, notes->strands[s].count, cells[at].cell < cell);
		if (s && at)
			keys[s] = cells[at - 1].key;
		counts[s] = at ? cells[at - 1].count : 0;
	}
	pthread_mutex_unlock(&notes->lock);
	return known;
}

/* Copy element AT of a strand's cells. */
static bool
copy_cell(const struct lane_notes *notes, size_t strand, size_t at, struct noted_cell *found)
{
	if (!notes->strands && at < notes->latest.count)
		*found = (struct noted_cell){.cell = at, .key = notes->latest.at[at]};
	else if (notes->strands && at < notes->strands[strand].count)
		*found = notes->strands[strand].at[at];
	else
		return false;
	return true;
}

bool
lane_notes_find_key(struct lane_notes *notes, unsigned generation, size_t strand, int64_t key,
		    struct noted_cell *found, struct noted_cell *before)
{
	size_t at = 0;
	pthread_mutex_lock(&notes->lock);
	bool any = is_noted(notes, generation, strand);
	if (any && notes->strands)
		lower_bound(at, notes->strands[strand].count,
			    notes->strands[strand].at[at].key < key);
	else if (any)
		lower_bound(at, notes->latest.count, notes->latest.at[at] < key);
	any = any && copy_cell(notes, strand, at, found);
	if (any && before && !(at && copy_cell(notes, strand, at - 1, before)))
		*before = (struct noted_cell){.key = KEY_FIRST};
	pthread_mutex_unlock(&notes->lock);
	return any;
}

bool
lane_notes_find_number(struct lane_notes *notes, unsigned generation, size_t strand,
		       uint64_t number, struct noted_cell *found)
{
	size_t at = 0;
	pthread_mutex_lock(&notes->lock);
	bool any = is_noted(notes, generation, strand) && notes->strands;
	if (any)
		lower_bound(at, notes->strands[strand].count,
			    notes->strands[strand].at[at].count <= number);
	any = any && copy_cell(notes, strand, at, found);
	pthread_mutex_unlock(&notes->lock);
	return any;
}

bool
lane_notes_find_cell(struct lane_notes *notes, unsigned generation, size_t strand, uint64_t cell,
		     int direction, struct noted_cell *found)
{
	size_t at = 0;
	pthread_mutex_lock(&notes->lock);
	bool any = is_noted(notes, generation, strand) && notes->strands;
	if (any)
		lower_bound(at, notes->strands[strand].count,
			    notes->strands[strand].at[at].cell < cell);
	any = any && (direction > 0 || at--) && copy_cell(notes, strand, at, found);
	pthread_mutex_unlock(&notes->lock);
	return any;
}

uint64_t
lane_notes_total(struct lane_notes *notes, unsigned generation, size_t strand)
{
	struct noted_cell last = {0};
	lane_notes_find_cell(notes, generation, strand, UINT64_MAX, -1, &last);
	return last.count;
}
