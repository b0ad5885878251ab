/*
 * The number and bytes of the message under the cursor, and facts about its trace: a page that
 * covers the other panes.
 *
 * The facts are those of the time when the page opened. Counting losses decodes at most
 * LOSS_CELLS cells.
 */
#include "config.h"

#include "decode/registry.h"
#include "query/scan.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/panes/pager.h"
#include "ui/screen/screen.h"

enum { LOSS_CELLS = 64 /* cells decoded to count losses */, NAME_COLUMNS = 16 };

struct fact {
	const char *name;
	struct text value;
};

struct facts_state {
	struct pager pager;
	VEC(struct fact) facts;
};

static void
drop_facts(struct facts_state *state)
{
	for (size_t i = 0; i < state->facts.count; i++)
		text_free(&state->facts.at[i].value);
	vec_free(&state->facts);
}

static void
facts_close(void *context)
{
	struct facts_state *state = context;
	drop_facts(state);
	pager_close(&state->pager);
}

/* --- facts --------------------------------------------------------------- */

/* Add a fact. Return its value, to append to until the next one is added. */
static struct text *
add_fact(struct facts_state *state, const char *name)
{
	struct fact *fact = vec_add(&state->facts);
	fact->name = name;
	return &fact->value;
}

static void
add_message(struct screen *screen, const struct row *row, struct facts_state *state)
{
	const struct message *m = reader_message(screen->list->reader, row->at);
	char digits[32];
	bool exact;
	if (!m)
		return;
	list_add_number(screen->list, row, add_fact(state, "message"));
	/* the number that files and filters use */
	if (sequence_strand_count(screen->list->sequence) > 1) {
		uint64_t number = reader_number(screen->list->reader, row->at, &exact);
		text_addf(add_fact(state, "trace_number"), "%s%s", exact ? "" : "~",
			  text_number(digits, number));
	}
	text_addf(add_fact(state, "bytes"), "%u B at 0x%llx", m->length,
		  (unsigned long long)m->offset);
}

/* Add how much of an endless stream is kept, and how much was dropped. */
static void
add_limit(const struct trace *trace, struct facts_state *state)
{
	const struct capture *capture = trace_capture(trace);
	struct index_cell last;
	char digits[32];
	uint64_t begin = index_begin(trace_index(trace));
	if (!capture_limit(capture))
		return;
	struct text *out = add_fact(state, "kept");
	text_add_size(out, capture_size(capture) - trace_dropped(trace));
	text_add(out, ", at most ");
	text_add_size(out, capture_limit(capture));
	if (begin && index_cell(trace_index(trace), begin - 1, &last))
		text_addf(out, "; %s messages dropped",
			  text_number(digits, last.first + last.count));
}

/* Add the number of losses in the indexed cells, as ]g finds them. */
static void
add_losses(struct trace *trace, struct facts_state *state)
{
	struct filter_error error;
	struct filter losses = filter_all();
	struct reader *reader = reader_new(trace);
	struct scan scan;
	char digits[32];
	uint64_t count = 0;
	unsigned cells = 0;
	losses.expr = filter_parse(SEARCH_LOSS, NULL, &error);
	struct filter_pair pair = filter_pair_borrow(&losses, NULL);
	scan_init(&scan, reader, &pair, 1);
	uint64_t begin = index_begin(trace_index(trace)), known = index_known(trace_index(trace));
	for (uint64_t cell = begin - (begin > 0); /* a dropped part is a loss, too */
	     cell < known; cell++) {
		if (scan_rules_out(&scan, cell))
			continue;
		if (cells++ == LOSS_CELLS)
			break;
		while (scan_cell(&scan, cell))
			count++;
	}
	text_addf(add_fact(state, "losses"), "%s%s", cells > LOSS_CELLS ? "at least " : "",
		  text_number(digits, count));
	filter_pair_free(&pair);
	reader_free(reader);
	filter_free(&losses);
}

static bool
facts_prepare(struct screen *screen, const char *text)
{
	struct facts_state *state = screen->state[PANE_FACTS];
	struct trace *trace = screen->list->trace;
	const struct row *row = list_current(screen->list);
	struct index_progress progress;
	char digits[32];
	(void)text;
	drop_facts(state);
	if (row)
		add_message(screen, row, state);
	text_add(add_fact(state, "trace"), trace_name(trace));
	text_addf(add_fact(state, "format"), "%s (%s)", decoder_name(trace_decoder(trace)->ops),
		  trace_reason(trace));
	text_addf(add_fact(state, "size"), "%s B",
		  text_number(digits, capture_size(trace_capture(trace))));
	add_limit(trace, state);
	index_get_progress(trace_index(trace), &progress);
	text_addf(add_fact(state, "messages"), "%s%s", text_number(digits, progress.messages),
		  progress.complete ? "" : " so far");
	add_losses(trace, state);
	return true;
}

/* --- drawing ------------------------------------------------------------- */

static void
facts_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct facts_state *state = screen->state[PANE_FACTS];
	pager_begin(&state->pager, area->rows);
	for (size_t i = 0; i < state->facts.count; i++) {
		const struct pager_part parts[] = {
		    {ROLE_KEY, 1, state->facts.at[i].name},
		    {ROLE_NORMAL, NAME_COLUMNS, text_get(&state->facts.at[i].value)}};
		pager_put_parts(&state->pager, screen, canvas, area, parts,
				sizeof parts / sizeof *parts);
	}
	pager_end(&state->pager);
}

const struct pane_ops pane_facts = {
    .name = "facts",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct facts_state),
    .close = facts_close,
    .prepare = facts_prepare,
    .draw = facts_draw,
    .commands = pager_commands,
};
