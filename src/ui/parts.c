/* The parts of a screen: see parts.h. */
#include "config.h"

#include "ui/parts.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/input.h"
#include "ui/list/context_view.h"
#include "ui/list/flow_view.h"
#include "ui/list/filter_history.h"
#include "ui/list/filters.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/rules.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/list/waiting.h"
#include "ui/misfit.h"
#include "ui/panes/panes.h"
#include "ui/preview.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/term.h"
#include "ui/state.h"
#include "ui/stop_when.h"
#include "ui/unnamed.h"
#include "ui/write.h"

#include <stdlib.h>

struct app_parts {
	struct canvas canvas;
	struct filter filter;
	struct filters filters;
	struct search search;
	struct jumps jumps;
	struct range range;
	struct waiting_queue waiting;
	struct selection selection;
	struct context_view contexts;
	struct flow_view flow;
	struct rules rules;
	struct keymap keymap;
	struct prompt prompt;
	struct input input;
	struct preview preview;
	struct ui_state kept;
};

/* Create the parts that belong to no trace. */
static void
parts_make(struct app *app)
{
	struct app_parts *parts = mem_new(sizeof *parts);
	struct screen *screen = &app->screen;
	app->parts = parts;
	screen->canvas = &parts->canvas;
	parts->filter = filter_all();
	parts->filters.severities = parts->filter.severities;
	screen->filter = &parts->filter;
	screen->filters = &parts->filters;
	screen->search = &parts->search;
	screen->jumps = &parts->jumps;
	screen->range = &parts->range;
	screen->waiting = &parts->waiting;
	screen->selection = &parts->selection;
	screen->contexts = &parts->contexts;
	screen->flow = &parts->flow;
	screen->rules = &parts->rules;
	screen->keymap = &parts->keymap;
	screen->prompt = &parts->prompt;
	app->input = &parts->input;
	app->preview = &parts->preview;
	app->kept = &parts->kept;
	screen->panes = panes;
	screen->compare = app->options->compare;
	screen->view = &app->options->looks.view;
	screen->charset = app->options->ascii ? TEXT_ASCII : TEXT_UTF8;
	screen->canvas->charset = screen->charset;
	screen->canvas->draws_lines =
	    !app->options->ascii && !(screen->term && screen->term->wide_lines);
	input_start(app->input);
	for (int i = 0; i < PANE_COUNT; i++)
		screen->state[i] = mem_new(panes[i]->state_size);
}

static void
open_lists(struct app *app)
{
	struct screen *screen = &app->screen;
	struct session *session = screen->session;
	size_t count = session->traces.count;
	screen->sequence = sequence_new(session);
	screen->list_count = count > 1 ? count + 1 : count;
	screen->lists = mem_new(screen->list_count * sizeof *screen->lists);
	for (size_t i = 0; i < count; i++)
		list_open_lane(&screen->lists[i], screen->sequence, i, screen->filter);
	if (count > 1)
		list_open(&screen->lists[count], screen->sequence, screen->filter);
	for (size_t i = 0; i < screen->list_count; i++)
		screen->lists[i].around = app->options->around;
	screen->trace = screen->list_count - 1;
	screen->list = &screen->lists[screen->trace];
}

void
parts_open(struct app *app)
{
	parts_make(app);
	open_lists(app);
}

void
parts_close(struct app *app)
{
	struct screen *screen = &app->screen;
	flow_view_free(screen);
	search_free(screen->search);
	write_free(screen);
	stop_when_free(app->stop_when);
	text_free(&app->checked);
	unnamed_free(app->unnamed);
	misfit_free(app->misfit);
	for (size_t i = 0; i < screen->list_count; i++)
		list_close(&screen->lists[i]);
	free(screen->lists);
	sequence_free(screen->sequence);
	for (int i = 0; i < PANE_COUNT; i++) {
		if (panes[i]->close)
			panes[i]->close(screen->state[i]);
		free(screen->state[i]);
	}
	context_view_free(screen);
	jumps_free(screen->jumps);
	state_free(app->kept);
	range_free(screen->range);
	waiting_free(screen->waiting);
	preview_free(app->preview);
	prompt_free(screen->prompt);
	keymap_free(screen->keymap);
	selection_free(screen->selection);
	filter_history_free(screen->filter_history);
	filters_free(screen->filters);
	rules_free(screen->rules);
	canvas_free(screen->canvas);
	text_free(&screen->message);
	text_free(&screen->notice);
	free(app->view_name);
	free(app->parts);
}
