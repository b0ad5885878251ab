/*
 * The page in place of the list while nothing is decoded: the reason, and the candidate
 * formats.
 *
 * Sentences come first, then the candidates with a cursor, best first, then advice. All text
 * wraps, so that a narrow screen loses nothing. If it is longer than the pane, it scrolls with
 * the cursor. The paging keys scroll the bytes below.
 */
#include "config.h"

#include "command/keymap.h"
#include "decode/registry.h"
#include "trace/recognise.h"
#include "ui/list/list.h"
#include "ui/panes/lines.h"
#include "ui/panes/pager.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMN = 3, SCORE_COLUMN = 13, REASON_COLUMN = 20, NARROW_COLUMNS = 60 };
enum { LIKELY = 50 /* percent */ };

struct guesses_state {
	struct lines cursor; /* among the candidates */
	struct pager pager;
};

static struct guesses_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_GUESSES];
}

static void
guesses_close(void *state)
{
	pager_close(&((struct guesses_state *)state)->pager);
}

/* Return the number of candidates. A foreign file has none: any format would fit by chance. */
static size_t
count_guesses(struct screen *screen)
{
	const struct trace *trace = screen->list->trace;
	return trace_is_foreign(trace) ? 0 : trace_recognition(trace)->candidates.count;
}

static const struct candidate *
guesses_selected(struct screen *screen)
{
	size_t line = state_of(screen)->cursor.line;
	return line < count_guesses(screen)
		   ? &trace_recognition(screen->list->trace)->candidates.at[line]
		   : NULL;
}

/* --- drawing ----------------------------------------------------------- */

static void
put_line(struct screen *screen, struct canvas *canvas, const struct area *area, const char *text)
{
	pager_put(&state_of(screen)->pager, screen, canvas, area, ROLE_NORMAL, text);
}

static void
put_candidate(struct screen *screen, struct canvas *canvas, const struct area *area, size_t i)
{
	const struct candidate *candidate =
	    &trace_recognition(screen->list->trace)->candidates.at[i];
	bool current = i == state_of(screen)->cursor.line;
	bool narrow = area->cols < NARROW_COLUMNS;
	struct text name = {0}, score = {0};
	text_addf(&name, "%c %s", current ? '>' : ' ', decoder_name(candidate->ops));
	text_addf(&score, "%3d %%", candidate->probe.score);
	enum role role = current && screen->focus == PANE_GUESSES ? ROLE_CURSOR : ROLE_NORMAL;
	struct pager_part parts[] = {
	    {role, 0, text_get(&name)},
	    {ROLE_NORMAL, narrow ? 0 : SCORE_COLUMN, text_get(&score)},
	    {ROLE_NORMAL, narrow ? 0 : REASON_COLUMN, candidate->probe.reason}};
	pager_put_parts(&state_of(screen)->pager, screen, canvas, area, parts,
			sizeof parts / sizeof *parts);
	text_free(&name);
	text_free(&score);
}

/* Put the way to make the candidate under the cursor permanent, unless it is unlikely. */
static void
put_advice(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct candidate *candidate = guesses_selected(screen);
	struct text text = {0};
	if (candidate && candidate->probe.score < LIKELY)
		return;
	if (candidate && *candidate->probe.settings)
		trace_add_profile(screen->list->trace, candidate->ops, candidate->probe.settings,
				  &text);
	else
		text_addf(&text, "trawl -f %s %s",
			  candidate ? decoder_name(candidate->ops) : "NAME",
			  trace_path(screen->list->trace));
	struct pager_part parts[] = {{ROLE_NORMAL, 0, "To keep it:"},
				     {ROLE_NORMAL, 0, text_get(&text)}};
	pager_put_parts(&state_of(screen)->pager, screen, canvas, area, parts, 2);
	text_free(&text);
}

static void
put_formats(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct text text = {0};
	text_add(&text, "Formats:");
	for (size_t i = 0; i < decoder_count; i++)
		text_addf(&text, " %s", decoder_name(decoders[i]));
	put_line(screen, canvas, area, text_get(&text));
	text_free(&text);
}

static void
put_foreign(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	const struct trace *trace = screen->list->trace;
	struct text text = {0};
	text_addf(&text, "Not decoded: %s.", trace_reason(trace));
	put_line(screen, canvas, area, text_get(&text));
	put_line(screen, canvas, area, "");
	text_clear(&text);
	if (trace_recognition(trace)->folder) {
		keymap_hint(screen->keymap, COMMAND_OPEN, &text);
		text_add(&text, " opens the folder. ");
	}
	text_add(&text, ":format NAME decodes it all the same (Tab lists the names).");
	put_line(screen, canvas, area, text_get(&text));
	text_free(&text);
}

/* Put all lines. Set *FROM and *TO to the rows of the candidate under the cursor. */
static void
put_all(struct screen *screen, struct canvas *canvas, const struct area *area, size_t *from,
	size_t *to)
{
	struct pager *pager = &state_of(screen)->pager;
	size_t count = count_guesses(screen);
	*from = *to = 0;
	pager_begin(pager, area->rows);
	if (trace_is_foreign(screen->list->trace)) {
		put_foreign(screen, canvas, area);
		pager_end(pager);
		return;
	}
	put_line(screen, canvas, area,
		 count ? "No format explains these bytes, so nothing was decoded. Best guesses:"
		       : "No format explains these bytes, so nothing was decoded.");
	put_line(screen, canvas, area, "");
	for (size_t i = 0; i < count; i++) {
		bool current = i == state_of(screen)->cursor.line;
		*from = current ? pager->line : *from;
		put_candidate(screen, canvas, area, i);
		*to = current ? pager->line : *to;
	}
	if (count)
		put_line(screen, canvas, area, "");
	put_line(screen, canvas, area,
		 count ? "Enter tries one, Esc comes back. :format NAME tries any other (Tab lists "
			 "them)."
		       : ":format NAME tries one (Tab lists them), Esc comes back.");
	put_advice(screen, canvas, area);
	put_formats(screen, canvas, area);
	pager_end(pager);
}

static void
guesses_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct guesses_state *state = state_of(screen);
	size_t from, to;
	lines_show(&state->cursor, count_guesses(screen), area->rows);
	state->pager.top = SIZE_MAX / 2; /* only to measure the length */
	put_all(screen, canvas, area, &from, &to);
	size_t rows = (size_t)area->rows;
	state->pager.top = state->pager.lines > rows && to > rows ? from : 0;
	put_all(screen, canvas, area, &from, &to);
}

/* --- commands ---------------------------------------------------------- */

static void
try_selected(struct screen *screen, const struct command_call *call)
{
	const struct candidate *candidate = guesses_selected(screen);
	(void)call;
	if (trace_recognition(screen->list->trace)->folder)
		screen_try(screen,
			   (struct screen_trial){.trace = screen->list->trace, .folder = true});
	else if (candidate)
		screen_try(screen, (struct screen_trial){.trace = screen->list->trace,
							 .format = decoder_name(candidate->ops),
							 .settings = candidate->probe.settings});
}

static pane_command *const guesses_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = try_selected,  [COMMAND_PAGE_DOWN] = hex_move,
    [COMMAND_PAGE_UP] = hex_move,   [COMMAND_HALF_DOWN] = hex_move,
    [COMMAND_HALF_UP] = hex_move,   [COMMAND_SCROLL_DOWN] = hex_move,
    [COMMAND_SCROLL_UP] = hex_move,
};

const struct pane_ops pane_guesses = {
    .name = "guesses",
    .scope = SCOPE_LIST,
    .state_size = sizeof(struct guesses_state),
    .close = guesses_close,
    .draw = guesses_draw,
    .commands = guesses_commands,
    .lines = count_guesses,
};
