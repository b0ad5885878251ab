/*
 * Making n-grams of texts: see grams_make.h.
 *
 * Workers take a few cells of the band at a time, whole groups of eight, whose bits share
 * bytes.  Each message is expanded as for a filter on its text; what an origin adds to the
 * set of a cell it adds once.  That costs about what a search without n-grams does that
 * finds nothing to leave out.
 */
#include "config.h"

#include "trace/grams_make.h"
#include "base/file.h"
#include "base/map.h"
#include "base/thread.h"
#include "base/worker.h"
#include "index/grams.h"
#include "trace/reader.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
	TAKEN = 64, /* cells at a time */
	WORKERS_MAX = 64,
	OWN_FILE = 0600
};

/* The files of all captures together: of some hundred GB of these. */
#define KEPT_BYTES (UINT64_C(8) << 30)

struct grams_making {
	struct trace *trace;
	struct grams_draft *draft;
	unsigned cell_shift;
	atomic_uint_fast64_t next; /* cell of the band */
	uint64_t end;
};

struct grams_worker {
	struct grams_making *making;
	struct worker thread;
	struct reader *reader;
	struct grams_cell set;
	struct expansion e;
};

static void
add_message(struct grams_worker *w, const struct message *m)
{
	struct expansion *e = &w->e;
	reader_expand(w->reader, m, EXPAND_TEXT, e);
	grams_cell_add(&w->set, GRAMS_TEXT, text_get(&e->text), e->text.length);
	grams_cell_add(&w->set, GRAMS_TEXT, text_get(&e->type), e->type.length);
	grams_cell_add(&w->set, GRAMS_ORIGIN, text_get(&e->origin), e->origin.length);
	if (e->unnamed)
		grams_cell_add_unnamed(&w->set);
}

static void
add_cell(struct grams_worker *w, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(w->reader, cell);
	grams_cell_clear(&w->set);
	for (size_t i = 0; i < decoded->count; i++) {
		decoded = reader_keep(w->reader, decoded, cell);
		add_message(w, &decoded->messages[i]);
	}
	grams_draft_put(w->making->draft, cell, &w->set);
}

/* Cells of the band until there are no more. */
static void
work_on_band(void *context)
{
	struct grams_worker *w = context;
	struct grams_making *making = w->making;
	uint64_t cell;
	while ((cell = atomic_fetch_add(&making->next, TAKEN)) < making->end) {
		uint64_t end = making->end - cell < TAKEN ? making->end : cell + TAKEN;
		for (; cell < end; cell++)
			add_cell(w, cell);
	}
}

static void
make_band(struct grams_making *making, struct grams_worker *workers, size_t count, uint64_t begin,
	  uint64_t end)
{
	size_t started = 1;
	atomic_store(&making->next, begin);
	making->end = end;
	while (started < count && worker_start_once(&workers[started].thread))
		started++;
	work_on_band(&workers[0]);
	while (started > 1)
		worker_join(&workers[--started].thread);
	grams_draft_end_band(making->draft);
}

static void
make_bands(struct grams_making *making)
{
	unsigned chosen = trace_host(making->trace)->threads;
	size_t count = chosen ? chosen : thread_processors();
	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	struct grams_worker *workers = mem_new(count * sizeof *workers);
	uint64_t begin, end;
	for (size_t i = 0; i < count; i++) {
		workers[i].making = making;
		workers[i].reader = reader_new(making->trace);
		workers[i].set = grams_cell_new(making->cell_shift);
		reader_limit(workers[i].reader, 1);
		worker_init(&workers[i].thread, work_on_band, &workers[i]);
	}
	for (;;) {
		grams_draft_band(making->draft, &begin, &end);
		if (begin == end)
			break;
		make_band(making, workers, count, begin, end);
	}
	for (size_t i = 0; i < count; i++) {
		worker_stop(&workers[i].thread);
		reader_free(workers[i].reader);
		grams_cell_free(&workers[i].set);
		expansion_free(&workers[i].e);
	}
	free(workers);
}

int
grams_make(struct trace *trace, const char **why, struct err *err)
{
	const struct capture *capture = trace_capture(trace);
	struct text path = {0};
	struct saved_about about;
	uint64_t cells = index_known(trace_index(trace));
	unsigned generation = capture_generation(capture), texts = trace_generation(trace);
	if (!trace_place_grams(trace, &path, &about, why)) {
		text_free(&path);
		return 0;
	}
	struct grams_making making = {.trace = trace, .cell_shift = about.cell_shift};
	making.draft = grams_draft_new(text_get(&path), OWN_FILE, &about, cells, err);
	int failed = making.draft ? 0 : err->code;
	if (making.draft) {
		make_bands(&making);
		bool same = capture_generation(capture) == generation &&
			    trace_generation(trace) == texts && capture_is_whole(capture) &&
			    capture_size(capture) == about.size;
		*why = same ? NULL : "it changed meanwhile";
		failed = grams_draft_place(making.draft, same, err);
		file_prune(text_get(&path), &grams_kind, UINT64_MAX, KEPT_BYTES);
	}
	text_free(&path);
	return failed;
}
