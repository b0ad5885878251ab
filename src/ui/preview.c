/*
 * The preview of a filter: see preview.h.
 *
 * Counts that follow from the sums of the index are ready at once.  The match set's thread
 * counts the rest, until the next key replaces the set.  Only messages on the screen are
 * matched here.  The previewed filter is the one that Enter would apply: the new filter
 * joined with the others.
 */
#include "config.h"

#include "ui/preview.h"
#include "query/filter/filter.h"
#include "ui/app.h"
#include "ui/list/filters.h"
#include "ui/list/list.h"
#include "ui/list/view.h"
#include "ui/panes/pane_filters.h"
#include "ui/prompt/prompt.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 2, LEAST = 8 /* columns below which no text is shown */ };

void
preview_free(struct preview *preview)
{
	list_matches_close(&preview->matches);
	filter_free(&preview->filter);
	text_free(&preview->of);
	text_free(&preview->trouble);
	*preview = (struct preview){.filter = filter_all()};
}

/* True if the prompt belongs to a filter command.  Set *AT to the filter's position in the list. */
static bool
place_of(struct screen *screen, size_t *at)
{
	*at = screen->prompt->id == COMMAND_FILTER_ADD ? SIZE_MAX : 0;
	if (screen->prompt->id == COMMAND_FILTER_EDIT)
		*at = pane_filters_cursor(screen);
	return screen->prompt->active &&
	       (screen->prompt->id == COMMAND_NARROW || screen->prompt->id == COMMAND_FILTER ||
		screen->prompt->id == COMMAND_FILTER_ADD ||
		screen->prompt->id == COMMAND_FILTER_EDIT);
}

/* Return the number of rows on the screen that pass. */
static size_t
count_rows(struct screen *screen, const struct filter *filter)
{
	const struct list *list = screen->list;
	struct expansion scratch = {0};
	size_t passed = 0;
	for (size_t i = 0; i < list->height; i++) {
		const struct row *row = list_row(list, i);
		if (row && row->there)
			passed += filter_match(filter, list->lanes[row->lane].reader, &row->message,
					       &scratch);
	}
	expansion_free(&scratch);
	return passed;
}

/* Read the typed filter and start to count. */
static void
preview_make(struct screen *screen, size_t at, const char *typed)
{
	struct preview *preview = app_of(screen)->preview;
	struct filter_entry entry = {0};
	if (at < screen->filters->list.count)
		entry.exclude = screen->filters->list.at[at].exclude &&
				screen->prompt->id == COMMAND_FILTER_EDIT;
	if (screen->prompt->id == COMMAND_FILTER)
		entry.expr = filters_parse(screen->session, typed, &preview->trouble);
	else
		entry.expr =
		    filters_read(screen->session, typed, &entry.exclude, &preview->trouble);
	if (!entry.expr)
		return;
	preview->filter.severities = screen->filters->severities;
	preview->filter.expr = filters_join(screen, at, &entry, &preview->trouble);
	preview->note = filter_expr_note(entry.expr);
	preview->pattern =
	    filters_is_pattern(filter_expr_text(entry.expr)) && typed[*typed == '!'] != '/';
	filter_expr_free(entry.expr);
	if (preview->trouble.length)
		return;
	preview->on_screen = count_rows(screen, &preview->filter);
	list_matches_open(&preview->matches, screen->list, &preview->filter, NULL, NULL);
}

void
preview_follow(struct screen *screen)
{
	struct preview *preview = app_of(screen)->preview;
	const char *typed = text_get(&screen->prompt->text);
	size_t at;
	if (!place_of(screen, &at)) {
		if (preview->on)
			preview_free(preview);
		return;
	}
	if (preview->on && !strcmp(typed, text_get(&preview->of)))
		return;
	preview_free(preview);
	preview->on = true;
	text_add(&preview->of, typed);
	preview_make(screen, at, typed);
}

/* Return the length of a text that fits: whole words, and no part of the advice after `;`. */
static size_t
fit_words(const char *text, size_t length, enum text_charset charset, int columns)
{
	size_t fits = text_fit(text, length, charset, columns, NULL), end = fits;
	while (end && text[end] != ' ')
		end--;
	end = end ? end : fits; /* not even one word fits */
	for (size_t i = 0; i < end; i++)
		if (!strncmp(text + i, "; ", 2))
			return i;
	return end;
}

/* Shorten the text to fit.  The column of an error goes last. */
static void
shorten_text(struct text *text, enum text_charset charset, int columns)
{
	const char *place = text->length ? strrchr(text->data, '(') : NULL;
	char tail[32];
	if (text_columns(text_get(text), text->length, charset) <= columns)
		return;
	snprintf(tail, sizeof tail, "%s", place && !strncmp(place, "(column", 7) ? place : "");
	int room = columns - (int)strlen(tail) - 1;
	text_cut(text, room >= LEAST ? fit_words(text->data, text->length, charset, room) : 0);
	text_add(text, text->length ? " " : "");
	text_add(text, tail);
}

void
preview_draw(struct screen *screen, struct canvas *canvas, const struct area *area, int used)
{
	struct preview *preview = app_of(screen)->preview;
	struct text text = {0};
	enum role role = ROLE_NOTE;
	int room = area->cols - used - GAP;
	if (!preview->on)
		return;
	if (preview->trouble.length) {
		role = ROLE_TROUBLE;
		text_add_bytes(&text, preview->trouble.data, preview->trouble.length);
	} else if (preview->matches.count) {
		list_matches_update(&preview->matches);
		text_addf(&text, "%s, %zu on screen, ", preview->pattern ? "regex" : "ok",
			  preview->on_screen);
		if (filters_add_count(screen, &preview->matches, &text))
			text_add(&text, " in all");
		if (preview->note)
			text_addf(&text, "; %s", preview->note);
	}
	shorten_text(&text, screen->charset, room);
	int columns = text_columns(text_get(&text), text.length, screen->charset);
	if (columns && columns <= room)
		canvas_put(canvas, area, 0, area->cols - columns, role, text.data, text.length);
	text_free(&text);
}
