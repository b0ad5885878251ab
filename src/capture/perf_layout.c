/*
 * The bytes of a trace buffer in order: see perf_layout.h.
 *
 * Pieces are joined in the order of their offsets in the buffer, skipping repeated
 * bytes.  Runs are then compared with them.  Stored bytes of a run are taken.  Stored
 * bytes of no run are taken as uncovered.  Bytes of a run that are not stored are lost.
 */
#include "config.h"

#include "capture/perf_layout.h"
#include "base/lower_bound.h"

#include <stdlib.h>

enum { PADDING = 8 }; /* perf pads a piece to words of this many bytes */

struct perf_gathering {
	struct perf_layout *layout;
	VEC(struct perf_piece) stored; /* sorted and disjoint */
	size_t at;		       /* first stored piece that is still needed */
	unsigned unit;
	uint64_t lost; /* bytes lost since the last mark */
};

/* --- stored bytes ----------------------------------------------------------------- */

/* Store a piece without the bytes that earlier pieces have.  If less than a word repeats, the last
 * piece ended with padding [second hand: perf]. */
static void
store_piece(struct perf_gathering *g, struct perf_piece piece)
{
	struct perf_piece *last = g->stored.count ? &g->stored.at[g->stored.count - 1] : NULL;
	uint64_t end = last ? last->offset + last->size : 0;
	uint64_t over = end > piece.offset ? end - piece.offset : 0;
	if (over && over < PADDING && piece.size > over && last->size > over) {
		last->size -= over;
	} else if (over) {
		uint64_t old = over < piece.size ? over : piece.size;
		g->layout->repeated += old;
		piece.at += old;
		piece.offset += old;
		piece.size -= old;
	}
	if (piece.size)
		*vec_add(&g->stored) = piece;
}

/* --- runs --------------------------------------------------------------------------- */

/* Return the run with its start as offset.  The offset of a snapshot is its end, and its bytes
 * begin no earlier than those of the stored piece. */
static struct perf_run
place_run(const struct perf_gathering *g, struct perf_run run)
{
	size_t i;
	if (!(run.flags & PERF_RUN_OVERWRITE))
		return run;
	lower_bound(i, g->stored.count, g->stored.at[i].offset + g->stored.at[i].size < run.offset);
	if (i < g->stored.count && g->stored.at[i].offset < run.offset) {
		uint64_t there = run.offset - g->stored.at[i].offset;
		run.size = run.size < there ? run.size : there;
	}
	run.size = run.size < run.offset ? run.size : run.offset;
	run.offset -= run.size;
	return run;
}

static int
by_offset(const void *a, const void *b)
{
	const struct perf_run *left = a, *right = b;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left->size > right->size) - (left->size < right->size);
}

/* Return a mark at the current end of the gathered bytes.  Reuse the last mark if it is there. */
static struct perf_mark *
mark_here(struct perf_gathering *g)
{
	struct perf_layout *layout = g->layout;
	size_t count = layout->marks.count;
	struct perf_mark *mark = count ? &layout->marks.at[count - 1] : NULL;
	if (!mark || mark->offset != layout->size) {
		mark = vec_add(&layout->marks);
		mark->offset = layout->size;
	}
	mark->lost += g->lost;
	g->lost = 0;
	return mark;
}

/* Move to the first stored piece that ends after OFFSET. */
static const struct perf_piece *
stored_behind(struct perf_gathering *g, uint64_t offset)
{
	while (g->at < g->stored.count &&
	       g->stored.at[g->at].offset + g->stored.at[g->at].size <= offset)
		g->at++;
	return g->at < g->stored.count ? &g->stored.at[g->at] : NULL;
}

/* Add bytes of the file.  Extend the last piece if they continue it. */
static void
add_piece(struct perf_layout *layout, uint64_t offset, uint64_t length)
{
	size_t count = layout->pieces.count;
	struct capture_piece *last = count ? &layout->pieces.at[count - 1] : NULL;
	if (last && last->offset + last->length == offset)
		last->length += length;
	else
		*vec_add(&layout->pieces) =
		    (struct capture_piece){.offset = offset, .length = length};
	layout->size += length;
}

/* Take the stored bytes from FROM to TO, which have no hole. */
static void
take_bytes(struct perf_gathering *g, uint64_t from, uint64_t to)
{
	while (from < to) {
		const struct perf_piece *piece = stored_behind(g, from);
		uint64_t end = piece->offset + piece->size;
		end = end < to ? end : to;
		add_piece(g->layout, piece->at + (from - piece->offset), end - from);
		from = end;
	}
}

/* Return the end of the stored bytes that begin at FROM: the first hole, or at most TO. */
static uint64_t
stored_to(const struct perf_gathering *g, uint64_t from, uint64_t to)
{
	for (size_t i = g->at; i < g->stored.count && from < to; i++) {
		const struct perf_piece *piece = &g->stored.at[i];
		if (piece->offset > from)
			break;
		from = piece->offset + piece->size;
	}
	return from < to ? from : to;
}

/* Take the stored bytes from FROM to TO.  If HOLES, count bytes that are not stored as lost.  Units
 * begin at FROM. */
static void
take_range(struct perf_gathering *g, uint64_t from, uint64_t to, uint64_t uncovered, bool holes)
{
	for (uint64_t at = from; at < to;) {
		const struct perf_piece *piece = stored_behind(g, at);
		uint64_t start = piece && piece->offset < to ? piece->offset : to;
		start = start > at ? start : at;
		g->lost += holes ? start - at : 0;
		uint64_t end = stored_to(g, start, to), misfit = (start - from) % g->unit;
		uint64_t lead = misfit ? g->unit - misfit : 0;
		uint64_t first = lead < end - start ? start + lead : end;
		uint64_t last = end - (end - first) % g->unit;
		g->lost += first - start;
		if (first < last) {
			if (start > from || uncovered)
				mark_here(g)->uncovered += uncovered ? last - first : 0;
			take_bytes(g, first, last);
		}
		g->lost += end - last;
		at = end > at ? end : to;
	}
}

/* --- the whole ---------------------------------------------------------------------- */

static uint64_t
stored_end(const struct perf_gathering *g)
{
	const struct perf_piece *last = g->stored.count ? &g->stored.at[g->stored.count - 1] : NULL;
	return last ? last->offset + last->size : 0;
}

/* Take the bytes between two runs, or after the last one, where they may be padding.  If LAST, as
 * for snapshots, bytes that are not stored do not count as lost. */
static void
take_between(struct perf_gathering *g, uint64_t from, uint64_t to, bool last)
{
	bool padding = last && to - from < PADDING;
	if (!padding && from < to)
		take_range(g, from, to, 1, !last);
}

static bool
is_chosen(const struct perf_run *run, const struct perf_part *part)
{
	return (part->cpu == PERF_NONE || run->cpu == part->cpu) &&
	       (run->flags & PERF_RUN_FORMAT) == part->format;
}

static void
take_run(struct perf_gathering *g, const struct perf_run *run, uint64_t from, uint64_t to)
{
	uint64_t before = g->layout->size;
	mark_here(g)->flags |= run->flags;
	take_range(g, from, to, 0, !(run->flags & PERF_RUN_OVERWRITE));
	/* bytes missing at its start are lost before it */
	if (g->lost && g->layout->size == before)
		mark_here(g);
}

static void
take_runs(struct perf_gathering *g, const struct perf_run *runs, size_t count,
	  const struct perf_part *part)
{
	bool all = part->cpu == PERF_NONE;
	uint64_t at = g->stored.count ? g->stored.at[0].offset : UINT64_MAX;
	if (runs->offset < at)
		at = runs->offset;
	for (size_t i = 0; i < count; i++) {
		const struct perf_run *run = &runs[i];
		uint64_t end = run->offset + run->size;
		uint64_t from = run->offset > at ? run->offset : at;
		bool snapshot = run->flags & PERF_RUN_OVERWRITE;
		if (from > at && all)
			take_between(g, at, from, snapshot);
		if (is_chosen(run, part))
			take_run(g, run, from, end > from ? end : from);
		else if (all && end > from)
			take_between(g, from, end, false);
		at = end > from ? end : from;
	}
	uint64_t end = stored_end(g);
	if (end > at && all)
		take_between(g, at, end, true);
}

void
perf_layout_fill(const struct perf_part *part, struct perf_layout *layout)
{
	const struct perf_buffer *buffer = part->buffer;
	struct perf_gathering g = {.layout = layout, .unit = part->unit};
	const size_t count = buffer->runs.count;
	for (size_t i = 0; i < buffer->pieces.count; i++)
		store_piece(&g, buffer->pieces.at[i]);
	layout->unmarked = !count;
	if (count) {
		struct perf_run *runs = mem_new(count * sizeof *runs);
		for (size_t i = 0; i < count; i++)
			runs[i] = place_run(&g, buffer->runs.at[i]);
		qsort(runs, count, sizeof *runs, by_offset);
		take_runs(&g, runs, count, part);
		free(runs);
	} else if (g.stored.count) {
		mark_here(&g);
		take_range(&g, g.stored.at[0].offset, stored_end(&g), 0, true);
	}
	if (g.lost)
		mark_here(&g);
	vec_free(&g.stored);
}

void
perf_layout_free(struct perf_layout *layout)
{
	vec_free(&layout->pieces);
	vec_free(&layout->marks);
}
