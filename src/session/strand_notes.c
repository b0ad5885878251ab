/*
 * Notes on the cells of a trace, for each of its strands: see strand_notes.h.
 */
#include "config.h"

#include "session/strand_notes.h"
#include "base/lower_bound.h"

#include <stdlib.h>
#include <string.h>

enum { WITNESSES = 4 }; /* messages that confirm a time */

/* Nanoseconds that neighbouring times may step back. */
#define FAR_BACK UINT64_C(1000000000)

/* --- keys -------------------------------------------------------------- */

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

/* Find the strand of each message, its transport's time (CARRIED; KEY_FIRST if it has none), and
 * its own time unless it is in strand 0. */
static void
find_times(struct trace *trace, size_t strand_count, const struct message *messages, size_t count,
	   int64_t *carried, int64_t *times, uint8_t *strands)
{
	size_t part = clocks_part(trace);
	for (size_t i = 0; i < count; i++) {
		struct message_time time, by_transport = {.order = KEY_FIRST, .part = part};
		size_t strand = 0;
		bool any = true;
		if (strand_count > 1)
			strand = clocks_strand(trace, &messages[i], &time, &by_transport);
		else
			any = clocks_transport_time(trace, &messages[i], &by_transport);
		strands[i] = strand < strand_count ? (uint8_t)strand : 0;
		times[i] = strands[i] ? time.order : 0;
		carried[i] = any && by_transport.part == part ? by_transport.order : KEY_FIRST;
	}
}

/* Each strand's times increase on their own, so they are sorted by strand. */
void
strand_keys_make(struct trace *trace, size_t strand_count, const struct message *messages,
		 size_t count, int64_t *last, int64_t *keys, uint8_t *strands)
{
	size_t ends[STRANDS_MAX] = {0}, begin = 0;
	int64_t *times = mem_new(2 * (count + 1) * sizeof *times), *sorted = times + count;
	find_times(trace, strand_count, messages, count, keys, times, strands);
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

/* --- adding notes ------------------------------------------------------ */

void
strand_notes_open(struct strand_notes *notes, struct trace *trace)
{
	*notes = (struct strand_notes){.trace = trace};
	pthread_mutex_init(&notes->lock, NULL);
}

static void
free_strands(struct strand_notes *notes)
{
	for (size_t i = 0; i < notes->strand_count; i++)
		vec_free(&notes->strands[i]);
	free(notes->strands);
}

void
strand_notes_close(struct strand_notes *notes)
{
	free_strands(notes);
	vec_free(&notes->latest);
	reader_free(notes->reader);
	pthread_mutex_destroy(&notes->lock);
}

bool
strand_notes_renew(struct strand_notes *notes, unsigned epoch)
{
	struct index *index = trace_index(notes->trace);
	if (notes->epoch == epoch && notes->indexed == index_generation(index) &&
	    notes->latest.count <= index_known(index))
		return false;
	size_t count = clocks_strand_count(notes->trace);
	pthread_mutex_lock(&notes->lock);
	free_strands(notes);
	vec_clear(&notes->latest);
	notes->strand_count = count;
	notes->strands = mem_new(count * sizeof *notes->strands);
	notes->epoch = epoch;
	notes->indexed = index_generation(index);
	pthread_mutex_unlock(&notes->lock);
	return true;
}

/* The state at the end of a cell, for each strand. */
struct cell_end {
	int64_t last[STRANDS_MAX];    /* the key, if a message followed */
	int64_t keys[STRANDS_MAX];    /* the key of the last message */
	uint64_t counts[STRANDS_MAX]; /* messages up to there */
};

/* Decode a cell to move END from its begin to its end. */
static void
add_decoded(struct strand_notes *notes, uint64_t cell, struct cell_end *end)
{
	if (!notes->reader) {
		notes->reader = reader_new(notes->trace);
		reader_limit(notes->reader, 1);
	}
	const struct decoded_cell *decoded = reader_decoded_cell(notes->reader, cell);
	int64_t *keys = mem_new((decoded->count + 1) * sizeof *keys);
	uint8_t *strands = mem_new(decoded->count + 1);
	strand_keys_make(notes->trace, notes->strand_count, decoded->messages, decoded->count,
			 end->last, keys, strands);
	for (size_t i = 0; i < decoded->count; i++) {
		end->counts[strands[i]]++;
		end->keys[strands[i]] = keys[i];
	}
	free(keys);
	free(strands);
}

bool
strand_notes_add(struct strand_notes *notes)
{
	uint64_t cell = notes->latest.count, before[STRANDS_MAX], all = 0;
	int64_t time;
	struct cell_end end;
	struct index_cell summary;
	if (!index_cell(trace_index(notes->trace), cell, &summary))
		return false;
	strand_notes_before(notes, notes->epoch, cell, end.last, end.counts);
	memcpy(before, end.counts, sizeof before);
	memcpy(end.keys, end.last, sizeof end.keys);
	for (size_t s = 0; s < notes->strand_count; s++)
		all += end.counts[s];
	end.counts[0] += summary.first - all; /* the strand of dropped messages is unknown */
	if (notes->strand_count == 1 && clocks_cell_time(notes->trace, cell, &summary, &time)) {
		end.counts[0] += summary.count;
		end.last[0] = time > end.last[0] ? time : end.last[0];
		end.keys[0] = end.last[0];
	} else {
		add_decoded(notes, cell, &end);
	}
	pthread_mutex_lock(&notes->lock);
	*vec_add(&notes->latest) = end.last[0];
	for (size_t s = 0; s < notes->strand_count; s++)
		if (end.counts[s] > before[s])
			*vec_add(&notes->strands[s]) =
			    (struct noted_cell){cell, end.counts[s], end.keys[s]};
	pthread_mutex_unlock(&notes->lock);
	return true;
}

/* --- reading notes ----------------------------------------------------- */

uint64_t
strand_notes_count(struct strand_notes *notes, unsigned epoch)
{
	pthread_mutex_lock(&notes->lock);
	uint64_t count = notes->epoch == epoch ? notes->latest.count : 0;
	pthread_mutex_unlock(&notes->lock);
	return count;
}

bool
strand_notes_before(struct strand_notes *notes, unsigned epoch, uint64_t cell, int64_t *keys,
		    uint64_t *counts)
{
	for (size_t s = 0; s < STRANDS_MAX; s++) {
		keys[s] = KEY_FIRST;
		counts[s] = 0;
	}
	if (!cell)
		return true;
	pthread_mutex_lock(&notes->lock);
	bool known = notes->epoch == epoch && cell <= notes->latest.count;
	for (size_t s = 0; known && s < notes->strand_count; s++) {
		const struct noted_cell *cells = notes->strands[s].at;
		size_t at;
		lower_bound(at, notes->strands[s].count, cells[at].cell < cell);
		if (at) {
			keys[s] = cells[at - 1].key;
			counts[s] = cells[at - 1].count;
		}
	}
	if (known)
		keys[0] = notes->latest.at[cell - 1];
	pthread_mutex_unlock(&notes->lock);
	return known;
}

/* Take the lock, and return the noted cells of a strand; *COUNT is 0 for another epoch. */
static const struct noted_cell *
lock_cells(struct strand_notes *notes, unsigned epoch, size_t strand, size_t *count)
{
	pthread_mutex_lock(&notes->lock);
	bool any = notes->epoch == epoch && strand < notes->strand_count;
	*count = any ? notes->strands[strand].count : 0;
	return any ? notes->strands[strand].at : NULL;
}

/* Release the lock and copy a cell. Return false if AT is after the last one. */
static bool
take_cell(struct strand_notes *notes, const struct noted_cell *cells, size_t count, size_t at,
	  struct noted_cell *found)
{
	if (at < count)
		*found = cells[at];
	pthread_mutex_unlock(&notes->lock);
	return at < count;
}

bool
strand_notes_find_key(struct strand_notes *notes, unsigned epoch, size_t strand, int64_t key,
		      struct noted_cell *found, uint64_t *before)
{
	size_t at, count;
	const struct noted_cell *cells = lock_cells(notes, epoch, strand, &count);
	lower_bound(at, count, cells[at].key < key);
	if (before)
		*before = at ? cells[at - 1].count : 0;
	return take_cell(notes, cells, count, at, found);
}

bool
strand_notes_find_number(struct strand_notes *notes, unsigned epoch, size_t strand, uint64_t number,
			 struct noted_cell *found)
{
	size_t at, count;
	const struct noted_cell *cells = lock_cells(notes, epoch, strand, &count);
	lower_bound(at, count, cells[at].count <= number);
	return take_cell(notes, cells, count, at, found);
}

bool
strand_notes_find_cell(struct strand_notes *notes, unsigned epoch, size_t strand, uint64_t cell,
		       int direction, struct noted_cell *found)
{
	size_t at, count;
	const struct noted_cell *cells = lock_cells(notes, epoch, strand, &count);
	lower_bound(at, count, cells[at].cell < cell);
	at -= direction < 0; /* before the first one, this is after the last */
	return take_cell(notes, cells, count, at, found);
}
