/*
 * The title and the status row.
 *
 * The title shows the open traces and how they are displayed.  Only the day in it follows
 * the cursor.  Values that change with every key are short and at the left of the status,
 * so that a step costs few bytes.  They are the numbers of the message, of its row and of
 * the match, the time since the row above, and the place in the capture.  Totals show how
 * certain they are.  In a narrow row whole parts are dropped, the least needed first.
 */
#include "config.h"

#include "ui/bars.h"
#include "base/notice.h"
#include "decode/registry.h"
#include "command/keymap.h"
#include "query/gap/gap.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "trace/recognise.h"
#include "ui/app.h"
#include "ui/complete.h"
#include "ui/input.h"
#include "ui/list/filters.h"
#include "ui/list/display_time.h"
#include "ui/list/range.h"
#include "ui/list/search.h"
#include "ui/list/shown.h"
#include "ui/list/traces.h"
#include "ui/list/view.h"
#include "ui/list/waiting.h"
#include "ui/misfit.h"
#include "ui/panes/pane_differences.h"
#include "ui/panes/pane.h"
#include "ui/preview.h"
#include "ui/prompt/prompt.h"
#include "ui/recording.h"
#include "ui/screen/signs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	WIDE = 100,
	DELTA_COLUMNS = 13, /* width of the time since the row above: the rest stays put */
	TITLE_PARTS = 9,
	NAME_MIN = 12 /* least columns of a name or the filters in the title, when cut */
};

/* Draw LEFT, and RIGHT at the end of the row if both fit. */
static void
draw_sides(struct canvas *canvas, const struct area *area, enum role role, const struct text *left,
	   const struct text *right)
{
	int columns = text_columns(text_get(right), right->length, canvas->charset);
	canvas_fill(canvas, area, 0, 0, area->cols, role, ' ');
	int x = canvas_put(canvas, area, 0, 0, role, text_get(left), left->length);
	if (right->length && x + 1 + columns <= area->cols)
		canvas_put(canvas, area, 0, area->cols - columns, role, text_get(right),
			   right->length);
}

static unsigned
percent_indexed(const struct index_progress *progress)
{
	if (progress->complete || !progress->size)
		return 100;
	unsigned percent = (unsigned)((double)progress->bytes * 100 / (double)progress->size);
	return percent > 99 ? 99 : percent;
}

/* Append the progress of the index.  If the row is wide, append its rate and the time left. */
static void
add_progress(const struct index_progress *progress, bool wide, struct text *out)
{
	text_addf(out, "  idx %u%%%s", percent_indexed(progress),
		  progress->paused ? " paused" : "");
	if (progress->paused || !wide || progress->rate < 1)
		return;
	text_add_char(out, ' ');
	text_add_size(out, (uint64_t)progress->rate);
	double seconds = (double)(progress->size - progress->bytes) / progress->rate;
	if (seconds < 1e6)
		text_addf(out, "/s, %.0f s left", seconds);
}

/* True if the indexes have nearly reached the ends of the captures shown. */
static bool
at_end(const struct list *list)
{
	for (size_t i = 0; i < list->lane_count; i++) {
		const struct index *index = trace_index(list->lanes[i].trace);
		if (sequence_shows(list->sequence, i) &&
		    index_known(index) + 3 < index_cell_count(index))
			return false;
	}
	return true;
}

/* --- title ------------------------------------------------------------- */

static void
add_filters(struct screen *screen, struct text *out)
{
	const struct filters *filters = screen->filters;
	if (filters->severities == SEVERITY_ALL && !filters->combined)
		return;
	if (filters->disabled) {
		text_add(out, "  filters off");
		return;
	}
	text_add(out, "  ");
	filters_describe(screen, out);
	if (screen->list->around)
		text_addf(out, "  context %u", screen->list->around);
}

/* Append how many messages a severity threshold hides because they have no severity, or only that
 * it does if other filters may hide them too.  A message of severity MAX passes every threshold, so
 * a filter that hides MAX is no threshold. */
static void
add_hidden(struct screen *screen, const struct index_progress *progress, struct text *out)
{
	uint64_t count = progress->severities[SEVERITY_NONE];
	uint16_t all, none;
	char digits[32];
	filter_severities(screen->filter, &all, &none);
	if (!count || !(none >> SEVERITY_NONE & 1) || none >> SEVERITY_MAX & 1)
		return;
	if (screen->filters->combined)
		text_add(out, "  hides those without severity");
	else
		text_addf(out, "  hides %s%s without severity", text_number(digits, count),
			  progress->complete ? "" : "+");
}

/* Append the format of a trace. */
static void
add_format(const struct trace *trace, int columns, struct text *out)
{
	const char *name = decoder_name(trace_decoder(trace)->ops);
	const char *settings = text_get(&trace_recognition(trace)->settings);
	if (!trace_is_decoded(trace))
		text_add(out, "  format unknown");
	else if (trace_on_trial(trace) && *settings && columns >= WIDE)
		text_addf(out, "  [trying %s: %s]", name, settings);
	else if (trace_on_trial(trace))
		text_addf(out, "  [trying %s]", name);
	else
		text_addf(out, "  %s", trace_recognition(trace)->plain ? "plain text" : name);
}

/* Append a word in brackets.  With several traces, put the trace's name before it. */
static void
add_bracket(struct screen *screen, const struct trace *trace, const char *word, struct text *out)
{
	text_add(out, "  [");
	if (screen->list->lane_count > 1)
		text_addf(out, "%s: ", trace_name(trace));
	text_addf(out, "%s]", word);
}

/* Append the doubts about a trace: a guessed format, missing parts, changes to its file. */
static void
add_doubts(struct screen *screen, struct trace *trace, struct text *out)
{
	char guess[32];
	snprintf(guess, sizeof guess, "guessed %d %%", trace_guess(trace));
	if (trace_guess(trace))
		add_bracket(screen, trace, guess, out);
	if (trace_mark(trace))
		add_bracket(screen, trace, trace_mark(trace), out);
	if (trace_dropped(trace)) {
		struct text dropped = {0};
		text_add(&dropped, "dropped ");
		text_add_size(&dropped, trace_dropped(trace));
		add_bracket(screen, trace, text_get(&dropped), out);
		text_free(&dropped);
	}
	if (trace_names(trace) == TRACE_NAMES_LACKING)
		add_bracket(screen, trace, "no collateral", out);
	if (misfit_is(screen, trace))
		add_bracket(screen, trace, "image does not fit", out);
	if (trace_decoder(trace)->mark)
		add_bracket(screen, trace, trace_decoder(trace)->mark, out);
}

/* Append the name of the list's trace, or the number of traces. */
static void
add_names(struct screen *screen, struct text *out)
{
	const struct list *list = screen->list;
	text_add_char(out, ' ');
	if (app_of(screen)->options->session_name)
		text_addf(out, "%s%s  ", app_of(screen)->options->session_name,
			  app_of(screen)->options->read_only ? " (read only)" : "");
	if (list->lane_count > 1) {
		if (list->common) { /* without the separator at its end */
			text_add_bytes(out, trace_name(list->trace), list->common - 1);
			text_add(out, "  ");
		}
		text_addf(out, "%zu traces", list->lane_count);
		return;
	}
	trace_add_label(list->trace, out);
	if (screen->session->traces.count > 1)
		text_addf(out, " +%zu", screen->session->traces.count - 1);
}

static void
add_size(struct screen *screen, int columns, struct text *out)
{
	const struct list *list = screen->list;
	uint64_t size = 0;
	for (size_t i = 0; i < list->lane_count; i++)
		size += capture_size(trace_capture(list->lanes[i].trace));
	text_add(out, "  ");
	text_add_size(out, size);
	if (list->lane_count == 1)
		add_format(list->trace, columns, out);
}

/* Append how many live sources are connected. */
static void
add_links(const struct list *list, struct text *out)
{
	size_t connected = 0, waiting = 0;
	for (size_t i = 0; i < list->lane_count; i++) {
		enum capture_link link = capture_link(trace_capture(list->lanes[i].trace), NULL);
		connected += link == LINK_CONNECTED;
		waiting += link == LINK_WAITING;
	}
	if (connected && waiting)
		text_addf(out, "  %zu of %zu connected", connected, connected + waiting);
	else if (connected || waiting)
		text_add(out, connected ? "  connected" : "  waiting");
}

/* Append that new bytes are not shown, and how many they are. */
static void
add_frozen(const struct list *list, struct text *out)
{
	uint64_t pending = 0;
	for (size_t i = 0; i < list->lane_count; i++)
		pending += capture_pending(trace_capture(list->lanes[i].trace));
	text_add(out, "  frozen");
	if (pending) {
		text_add(out, " +");
		text_add_size(out, pending);
	}
}

/* Append that the list follows the end, or the key that makes it follow. */
static void
add_follow(const struct screen *screen, struct text *out)
{
	text_add(out, screen->list->tail ? "  follow" : "  reading on, ");
	if (screen->list->tail)
		return;
	keymap_hint(screen->keymap, COMMAND_FOLLOW, out);
	text_add(out, " follows");
}

/* Append how the captures grow: whether they are frozen, unpacked, followed or connected. */
static void
add_growth(const struct screen *screen, struct text *out)
{
	const struct list *list = screen->list;
	double taken = 0, size = 0;
	for (size_t i = 0; i < list->lane_count; i++) {
		const struct capture *capture = trace_capture(list->lanes[i].trace);
		struct capture_packing packing;
		if (capture_is_unpacking(capture) && capture_packing(capture, &packing)) {
			taken += (double)packing.taken;
			size += (double)packing.size;
		}
	}
	if (screen->frozen)
		add_frozen(list, out);
	else if (size > 0)
		text_addf(out, "  unpacked %.0f%%", taken * 100 / size);
	else if (!capture_ended(trace_capture(list->trace)))
		add_follow(screen, out);
	add_links(list, out);
}

/* Append ORDER if it is the order of the messages and another one is possible. */
static void
add_order(const struct screen *screen, enum clocks_order order, struct text *out)
{
	size_t left_out;
	struct clocks *clocks = screen->session->clocks;
	if (clocks_get_order(clocks) == order && clocks_sender_strands(clocks, &left_out))
		text_addf(out, "  by %s", session_order(screen->session));
}

/* Append the day of the cursor's row, or of the last row before it that has one. */
static void
add_day(struct screen *screen, struct text *out)
{
	const struct list *list = screen->list;
	const struct row *row = list_current(list);
	struct display_time shown;
	struct text day = {0};
	if (!row)
		return;
	/* near the start, before the first time: use the day of the first time */
	if (!display_time_of_row(list, row, &shown) && !display_time_above(list, row, &shown) &&
	    !(list->edges[LIST_BEFORE].end && display_time_first(list, &shown)))
		return;
	if (shown.clock.has_epoch)
		display_time_format_parts(&shown, &day, NULL);
	if (day.length) {
		text_addf(out, "  %s", day.data);
		display_time_add_zone(&shown, out);
	}
	text_free(&day);
}

/* With several related clocks, append the reference clock of the times and how well the clocks
 * agree.  Append a note if they are not related. */
static void
add_clock(struct screen *screen, struct text *out)
{
	struct text name = {0};
	double residual;
	size_t clocks =
	    screen->list->lane_count > 1 ? traces_count_clocks(screen, screen->list) : 0;
	if (clocks > 1)
		text_addf(out, "  %zu clocks, not tied", clocks);
	else if (screen->list->lane_count > 1 &&
		 clocks_reference(screen->session->clocks, screen->list->trace, &name, &residual)) {
		text_add(out, strstr(text_get(&name), "clock") ? "  " : "  clock ");
		text_add(out, text_get(&name));
		text_addf(out, " %s", screen->charset == TEXT_ASCII ? "+-" : "\u00b1");
		if (isinf(residual))
			text_add_char(out, '?');
		else
			gap_format(&(struct gap){(uint64_t)llround(residual * 1e9), true}, false,
				   out);
	}
	text_free(&name);
}

/* Append the work in progress and the modes that differ from the default. */
static void
add_moment(struct screen *screen, const struct index_progress *progress, int columns,
	   struct text *out)
{
	if (screen->time_mode != TIME_ABSOLUTE)
		text_addf(out, " T:%s", time_mode_name(screen->time_mode));
	if (app_of(screen)->layout_mode != LAYOUT_AUTO)
		text_addf(out, "  %s", layout_mode_name(app_of(screen)->layout_mode));
	if (app_of(screen)->zoom)
		text_addf(out, "  zoom:%s", screen->panes[screen->focus]->name);
	if (!progress->complete && !at_end(screen->list))
		add_progress(progress, columns >= WIDE, out);
	add_growth(screen, out);
	if (recording_is_on(screen))
		text_add(out, "  recording");
	if (!out->length) {
		keymap_hint(screen->keymap, COMMAND_HELP, out);
		text_add(out, " help");
	}
	text_add(out, " ");
}

/* A part of the title.  If there is no room, the parts of the highest rank are dropped first.  Then
 * the parts with a `least` are shortened to that many columns, one after the other. */
struct title_part {
	struct text text;
	int rank, least;
};

static int
part_columns(const struct title_part *part, enum text_charset charset)
{
	return text_columns(text_get(&part->text), part->text.length, charset);
}

/* Shorten a part by OVER columns, or as far as its `least` allows.  Return the number of columns
 * saved. */
static int
shorten_part(struct title_part *part, enum text_charset charset, int over)
{
	int columns = part_columns(part, charset), to = columns - over, used;
	to = to < part->least ? part->least : to;
	if (!part->least || to >= columns)
		return 0;
	text_cut(&part->text,
		 text_fit(text_get(&part->text), part->text.length, charset, to - 1, &used));
	text_add(&part->text, signs[SIGN_CUT].text);
	return columns - used - 1;
}

/* Append the parts that fit into ROOM columns, one after the other. */
static void
join_parts(struct title_part *parts, int count, enum text_charset charset, int room,
	   struct text *out)
{
	int used = 0;
	for (int i = 0; i < count; i++)
		used += part_columns(&parts[i], charset);
	for (int rank = TITLE_PARTS; rank && used > room; rank--)
		for (int i = 0; i < count; i++)
			if (parts[i].rank == rank) {
				used -= part_columns(&parts[i], charset);
				text_clear(&parts[i].text);
			}
	for (int i = 0; i < count && used > room; i++)
		used -= shorten_part(&parts[i], charset, used - room);
	for (int i = 0; i < count; i++) {
		text_add_bytes(out, text_get(&parts[i].text), parts[i].text.length);
		text_free(&parts[i].text);
	}
	if (used > room && room > 0)
		text_cut(out, text_fit(out->data, out->length, charset, room, NULL));
}

static void
bars_draw_title(struct screen *screen, const struct index_progress *progress)
{
	const struct area *area = &screen->layout.title;
	struct text left = {0}, right = {0};
	enum { NAME, SIZE, DOUBTS, DAY, CLOCK, ORDER, FILTERS, HIDDEN, USUAL_ORDER };
	struct title_part parts[TITLE_PARTS] = {
	    [NAME] = {.least = NAME_MIN}, [FILTERS] = {.least = NAME_MIN}, [SIZE] = {.rank = 2},
	    [DAY] = {.rank = 1},	  [CLOCK] = {.rank = 3},	   [ORDER] = {.rank = 4},
	    [USUAL_ORDER] = {.rank = 5}};
	add_names(screen, &parts[NAME].text);
	if (screen->compare) {
		text_add(&parts[NAME].text, "  ");
		differences_add_title(screen, &parts[NAME].text);
	}
	add_size(screen, area->cols, &parts[SIZE].text);
	for (size_t i = 0; i < screen->list->lane_count; i++)
		add_doubts(screen, screen->list->lanes[i].trace, &parts[DOUBTS].text);
	if (screen->time_mode == TIME_ABSOLUTE)
		add_day(screen, &parts[DAY].text);
	add_clock(screen, &parts[CLOCK].text);
	add_order(screen, CLOCKS_BY_TIME, &parts[ORDER].text);
	add_filters(screen, &parts[FILTERS].text);
	add_hidden(screen, progress, &parts[HIDDEN].text);
	add_order(screen, CLOCKS_BY_TRANSPORT, &parts[USUAL_ORDER].text);
	add_moment(screen, progress, area->cols, &right);
	join_parts(parts, TITLE_PARTS, screen->charset,
		   area->cols - text_columns(text_get(&right), right.length, screen->charset) - 1,
		   &left);
	draw_sides(screen->canvas, area, ROLE_TITLE, &left, &right);
	text_free(&left);
	text_free(&right);
}

/* --- status ------------------------------------------------------------ */

/* Append the rank of a row among the counted matches and their number, `, row 3 of 300`.  Without a
 * rank append only the number, `, 300 shown`. */
static void
add_rank(struct screen *screen, const struct list_matches *matches, const struct row *row,
	 const char *one, const char *many, struct text *out)
{
	char digits[32];
	uint64_t rank;
	bool exact, match = list_matches_rank(matches, row, &rank, &exact);
	struct matches_progress progress;
	list_matches_get_progress(matches, &progress);
	bool shown = matches == &screen->list->matches && !screen->list->around;
	size_t rows = shown ? screen->list->rows.count : 0;
	if (rows > progress.count && !progress.exact) { /* rows found before they were counted */
		text_addf(out, ", %s%s %s", screen->charset == TEXT_ASCII ? ">=" : "\u2265",
			  text_number(digits, rows), many);
		return;
	}
	if (match && exact)
		text_addf(out, ", %s %s of ", one, text_number(digits, rank + 1));
	else
		text_add(out, ", ");
	if (filters_add_count(screen, matches, out) && (!match || !exact))
		text_addf(out, " %s", many);
}

/* Append why there is no row, and how much was searched. */
static void
add_nothing(struct screen *screen, struct text *out)
{
	struct matches_progress progress;
	if (!list_matches_get_progress(&screen->list->matches, &progress))
		return;
	if (progress.exact && !progress.count)
		text_add(out, " no message passes the filter");
	else if (!progress.count && progress.cells + screen->list->lane_count >= progress.of)
		text_add(out, " no message passes the filter so far"); /* last cells may grow */
	else if (progress.of)
		text_addf(out, " searching, %.0f%% looked through",
			  (double)progress.cells * 100 / (double)progress.of);
}

static void
add_position(struct screen *screen, struct text *out)
{
	const struct row *row = list_current(screen->list);
	char digits[32];
	bool exact;
	if (!row) {
		add_nothing(screen, out);
		return;
	}
	uint64_t number = list_number(screen->list, row_position(row), &exact);
	text_addf(out, " %s%s of ", exact ? "" : "~", text_number(digits, number));
	uint64_t total = sequence_count(screen->list->sequence, &exact);
	if (!exact && total < number)
		total = number; /* an estimate must not be below the number shown */
	text_addf(out, "%s%s", exact ? "" : "~", text_number(digits, total));
	if (screen->list->matches.count)
		add_rank(screen, &screen->list->matches, row, "row", "shown", out);
	if (screen->search->matches.count)
		add_rank(screen, &screen->search->matches, row, "match", "matches", out);
}

/* Append the time of the cursor's row if the rows do not show absolute times.  Otherwise append the
 * time since the row above. */
static void
add_time(struct screen *screen, struct text *out)
{
	const struct row *row = list_current(screen->list);
	struct display_time above, now;
	size_t start = out->length;
	if (!row || !display_time_of_row(screen->list, row, &now))
		return;
	text_add(out, "  ");
	if (screen->time_mode != TIME_ABSOLUTE) {
		display_time_format(&now, out);
		display_time_add_zone(&now, out);
	} else if (display_time_above(screen->list, row, &above)) {
		display_time_format_gap(&above, &now, out);
	}
	while (out->length < start + DELTA_COLUMNS)
		text_add_char(out, ' ');
}

/* Append the offset of the message, and its trace if there are several. */
static void
add_place(struct screen *screen, struct text *out)
{
	const struct row *row = list_current(screen->list);
	if (!row)
		return;
	text_add(out, "  ");
	if (screen->list->lane_count > 1)
		text_addf(out, "%s ", list_trace_name(screen->list, row->lane));
	text_addf(out, "0x%llx", (unsigned long long)row->message.offset);
}

/* Append the number of messages that came since the cursor left the end. */
static void
add_unseen(struct screen *screen, struct text *out)
{
	char digits[32];
	bool exact;
	if (screen->list->tail || capture_ended(trace_capture(screen->list->trace)))
		return;
	uint64_t count = list_unseen(screen->list, &exact);
	if (count)
		text_addf(out, "+%s%s new ", exact ? "" : "~", text_number(digits, count));
}

/* Append SIGN and a count.  Return false if there is no room. */
static bool
add_total(const struct index_progress *progress, const char *sign, uint64_t count, int room,
	  struct text *out)
{
	size_t before = out->length;
	if (!count)
		return true;
	text_addf(out, "%s%s%llu%s", before ? "  " : "", sign, (unsigned long long)count,
		  progress->complete ? "" : "+");
	bool fits = text_columns(out->data, out->length, TEXT_UTF8) <= room;
	if (!fits)
		text_cut(out, before);
	return fits;
}

/* Append the counts of the worst severities, as many as fit, and of the losses. */
static void
add_totals(const struct index_progress *progress, bool wide, int room, struct text *out)
{
	static const enum severity shown[] = {SEVERITY_FATAL, SEVERITY_ERROR, SEVERITY_WARNING};
	bool fits = true;
	for (size_t i = 0; fits && i < sizeof shown / sizeof *shown; i++) {
		const char sign[] = {severity_letter(shown[i]), ' ', '\0'};
		fits = add_total(progress, sign, progress->severities[shown[i]], room, out);
	}
	if (fits)
		add_total(progress, wide ? "lost " : signs[SIGN_LOSS].text, progress->losses, room,
			  out);
	if (out->length)
		text_add_char(out, ' ');
}

/* Append the notice.  If it does not fit, cut it and append where to find the rest. */
static void
add_message(struct screen *screen, int room, struct text *out)
{
	int less = room - text_columns(NOTICE_CUT, strlen(NOTICE_CUT), screen->charset);
	text_add_char(out, ' ');
	text_add(out, screen->message.data);
	if (text_columns(out->data, out->length, screen->charset) > room && less > 0) {
		text_cut(out, text_fit(out->data, out->length, screen->charset, less, NULL));
		text_add(out, NOTICE_CUT);
	}
}

/* Append a notice that answers no key.  It leaves room for the position, unless the row is too
 * narrow. */
static void
add_notice(struct screen *screen, int room, struct text *left, struct text *right)
{
	enum { LEAST = 40 };
	struct text position = {0};
	if (shown_base(screen) != PANE_GUESSES)
		add_position(screen, &position);
	int needed = text_columns(text_get(&position), position.length, screen->charset) + 2;
	if (position.length && room - needed >= LEAST) {
		text_addf(right, "%s ", position.data + strspn(position.data, " "));
		room -= needed;
	}
	add_message(screen, room, left);
	text_free(&position);
}

/* Append a part if it fits into ROOM columns. */
static void
add_part(struct screen *screen, void (*add)(struct screen *, struct text *), int room,
	 struct text *out)
{
	size_t before = out->length;
	add(screen, out);
	if (text_columns(text_get(out), out->length, screen->charset) > room)
		text_cut(out, before);
}

/* Fill the status row with the position and the totals. */
static void
draw_place(struct screen *screen, const struct index_progress *progress, int columns,
	   struct text *left, struct text *right)
{
	struct text totals = {0};
	int room = columns - 2;
	add_position(screen, left);
	add_unseen(screen, right);
	room -= text_columns(text_get(right), right->length, screen->charset);
	add_totals(progress, columns >= WIDE,
		   room - text_columns(text_get(left), left->length, screen->charset) - 1, &totals);
	text_add_bytes(right, text_get(&totals), totals.length);
	room -= text_columns(text_get(&totals), totals.length, screen->charset);
	range_describe(screen, left);
	if (!screen->range->on) {
		add_part(screen, add_time, room, left);
		add_part(screen, add_place, room, left);
	}
	text_free(&totals);
}

static void
bars_draw_status(struct screen *screen, const struct index_progress *progress)
{
	struct canvas *canvas = screen->canvas;
	const struct area *area = &screen->layout.status;
	struct text left = {0}, right = {0};
	enum role role = ROLE_STATUS;
	if (screen->prompt->active) {
		int rows = area->row > 2 ? 2 : area->row - 1;
		const struct area above = {area->row - rows, area->col, rows, area->cols};
		complete_draw(screen, canvas, &above);
		preview_draw(screen, canvas, area, prompt_draw(screen->prompt, canvas, area));
		return;
	}
	input_add_typed(app_of(screen)->input, screen->keymap, &right);
	input_add_hint(screen, app_of(screen)->input, &left);
	if (left.length) {
		text_clear(&right);
	} else if (screen->message.length) {
		if (screen->is_answer)
			add_message(screen, area->cols, &left);
		else
			add_notice(screen, area->cols, &left, &right);
		role = screen->is_error ? ROLE_TROUBLE : ROLE_STATUS;
	} else if (search_running(screen->search)) {
		text_add(&left, " searching... Ctrl-C cancels");
	} else if (waiting_shows(screen->waiting)) {
		text_addf(&left, " %s", NOTICE_WAITING);
	} else if (shown_base(screen) == PANE_GUESSES) {
		char digits[32];
		text_add(&left, " not decoded");
		text_addf(&right, "%s bytes ",
			  text_number(digits, capture_size(trace_capture(screen->list->trace))));
	} else {
		draw_place(screen, progress, area->cols, &left, &right);
	}
	draw_sides(canvas, area, role, &left, &right);
	text_free(&left);
	text_free(&right);
}

void
bars_draw(struct screen *screen)
{
	struct index_progress progress;
	list_get_progress(screen->list, &progress);
	if (screen->layout.title.rows)
		bars_draw_title(screen, &progress);
	if (screen->layout.status.rows)
		bars_draw_status(screen, &progress);
}
