/*
 * Traces whose catalog messages have no collateral: see unnamed.h.
 *
 * When the screen expands a message without a name, the trace notes that.  This may be
 * late, as the first such message can be anywhere.  So the first few cells of each trace
 * whose summary allows such a message are decoded here.  If all their messages have names,
 * the rest is left to the screen.
 */
#include "config.h"

#include "ui/unnamed.h"
#include "decode/registry.h"
#include "query/scan.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/app.h"

#include <stdlib.h>

enum { CELLS_DECODED = 4 /* for each trace */ };

/* The progress in a trace. */
struct unnamed_trace {
	uint64_t cell; /* the next one */
	int decoded;
	bool lacking;
};

struct unnamed {
	struct filter want;
	struct unnamed_trace *traces; /* as many as the session has */
};

static struct unnamed *
unnamed_new(size_t traces)
{
	struct unnamed *unnamed = mem_new(sizeof *unnamed);
	struct filter_error error;
	unnamed->want = filter_all();
	unnamed->want.expr = filter_parse(decoder_unnamed(), NULL, &error);
	unnamed->traces = mem_new(traces * sizeof *unnamed->traces);
	return unnamed;
}

void
unnamed_free(struct unnamed *unnamed)
{
	if (!unnamed)
		return;
	filter_free(&unnamed->want);
	free(unnamed->traces);
	free(unnamed);
}

static void
look_at_trace(struct unnamed *unnamed, struct trace *trace, struct reader *reader)
{
	struct unnamed_trace *own = &unnamed->traces[trace_number(trace)];
	struct filter_pair pair = filter_pair_borrow(&unnamed->want, NULL);
	struct index *index = trace_index(trace);
	struct scan scan;
	scan_init(&scan, reader, &pair, 1);
	if (own->cell < index_begin(index))
		own->cell = index_begin(index);
	for (; own->decoded < CELLS_DECODED && trace_names(trace) == TRACE_NAMES_GOOD &&
	       own->cell < index_known(index);
	     own->cell++) {
		unsigned texts = trace_generation(trace);
		if (scan_rules_out(&scan, own->cell))
			continue;
		if (scan_cell(&scan, own->cell))
			trace_lacks_name(trace, texts);
		own->decoded++;
	}
	filter_pair_free(&pair);
}

bool
unnamed_poll(struct screen *screen)
{
	struct app *app = app_of(screen);
	const struct session *session = screen->session;
	bool news = false;
	if (!app->unnamed)
		app->unnamed = unnamed_new(session->traces.count);
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		struct unnamed_trace *own = &app->unnamed->traces[i];
		look_at_trace(app->unnamed, trace, sequence_reader(screen->sequence, i));
		bool lacking = trace_names(trace) == TRACE_NAMES_LACKING;
		news |= lacking != own->lacking;
		own->lacking = lacking;
	}
	return news;
}
