/*
 * The list of filters and their combination: see filters.h.
 *
 * The combination is a single text in the filter language.  Code that judges by sums, counts
 * or writes files therefore needs no list.  Each change makes it again, which costs the
 * parsing of a few lines, or nothing for a single filter.  Names that the user ticks in a
 * pane form an ordinary entry, `origin in {"a", "b"}`.  Its compiled filter holds the set of names,
 * and a change writes it as text again.
 */
#include "config.h"

#include "ui/list/filters.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "ui/list/list.h"
#include "ui/list/range.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"

#include <string.h>

static void
entry_free(struct filter_entry *entry)
{
	list_matches_close(&entry->matches);
	filter_expr_free(entry->expr);
	*entry = (struct filter_entry){0};
}

static void
free_list(struct filters *filters)
{
	for (size_t i = 0; i < filters->list.count; i++)
		entry_free(&filters->list.at[i]);
	vec_clear(&filters->list);
}

void
filters_free(struct filters *filters)
{
	free_list(filters);
	vec_free(&filters->list);
	filter_expr_free(filters->combined);
	*filters = (struct filters){0};
}

enum severity
filters_threshold(const struct filters *filters, bool *whole)
{
	enum severity level = SEVERITY_DEBUG;
	if ((*whole = filters->severities == SEVERITY_ALL))
		return SEVERITY_NONE;
	while (level > SEVERITY_FATAL && !(filters->severities >> level & 1))
		level--;
	*whole = (filters->severities | 1u << SEVERITY_NONE) == filter_threshold(level, true);
	return level;
}

const char *
filters_text(const struct screen *screen)
{
	return screen->filters->combined ? filter_expr_text(screen->filters->combined) : NULL;
}

void
filters_add_severities(const struct screen *screen, struct text *out)
{
	unsigned shown = screen->filters->severities;
	text_add(out, shown ? "severities " : "no severities");
	for (unsigned s = SEVERITY_FATAL; s <= SEVERITY_DEBUG; s++)
		if (shown >> s & 1)
			text_add_char(out, severity_letter(s));
	if (shown >> SEVERITY_MAX & 1)
		text_add_char(out, severity_letter(SEVERITY_MAX));
	if (shown >> SEVERITY_NONE & 1)
		text_add(out, " or none");
}

/* Append the shown severities, unless all are shown.  Return true if some are hidden. */
static bool
describe_severities(const struct screen *screen, struct text *out)
{
	bool whole, unassigned = screen->filters->severities >> SEVERITY_NONE & 1;
	enum severity level = filters_threshold(screen->filters, &whole);
	if (!whole) {
		text_add_char(out, ' ');
		filters_add_severities(screen, out);
	} else if (level != SEVERITY_NONE) {
		text_addf(out, " %s+%s", severity_name(level), unassigned ? " or none" : "");
	}
	return level != SEVERITY_NONE;
}

/* Append an expression: of a set of origins or traces only the names. */
static void
describe_expr(const struct filter_expr *expr, struct text *out)
{
	const char *name;
	size_t length;
	if (!filter_expr_lists(expr, "origin") && !filter_expr_lists(expr, "trace")) {
		text_add(out, filter_expr_text(expr));
		return;
	}
	for (size_t i = 0; (name = filter_expr_name(expr, i, &length)); i++) {
		text_add(out, i ? ", " : "");
		text_add_bytes(out, name, length);
	}
}

/* Append the enabled entries that show, or that hide.  Return their number.  The newest is
 * first, because the end is cut off where space is short. */
static size_t
describe_entries(const struct filters *filters, bool exclude, const char *between, struct text *out)
{
	size_t count = 0;
	for (size_t i = filters->list.count; i-- > 0;) {
		const struct filter_entry *entry = &filters->list.at[i];
		if (entry->disabled || entry->exclude != exclude)
			continue;
		text_add(out, count++ ? between : " ");
		describe_expr(entry->expr, out);
	}
	return count;
}

void
filters_describe(const struct screen *screen, struct text *out)
{
	const struct filters *filters = screen->filters;
	struct text shown = {0}, hidden = {0};
	bool any = describe_severities(screen, &shown);
	any |= describe_entries(filters, false, ", ", &shown) > 0;
	if (any)
		text_addf(out, "only%s", text_get(&shown));
	if (describe_entries(filters, true, " without ", &hidden))
		text_addf(out, "%swithout%s", any ? " " : "", hidden.data);
	text_free(&shown);
	text_free(&hidden);
}

bool
filters_add_count(struct screen *screen, const struct list_matches *matches, struct text *out)
{
	struct matches_progress progress;
	char digits[32];
	list_matches_get_progress(matches, &progress);
	if (!progress.exact && !progress.count) {
		text_add(out, progress.working ? "searching" : "none yet");
		return false;
	}
	if (!progress.exact)
		text_add(out, screen->charset == TEXT_ASCII ? ">=" : "\u2265");
	text_add(out, text_number(digits, progress.count));
	return true;
}

/* --- the filter of the lists ------------------------------------------ */

bool
filters_are_stale(struct screen *screen)
{
	unsigned basis = filter_basis(screen->filter);
	uint64_t now = 0;
	for (size_t i = 0; i < screen->list->lane_count; i++)
		now = generation_join(now, filter_generation(basis, screen->list->lanes[i].trace));
	return generation_renew(&screen->filter_generation, now);
}

void
filters_apply(struct screen *screen)
{
	search_uncount(screen);
	*screen->filter = filter_all();
	if (!screen->filters->disabled) {
		screen->filter->severities = screen->filters->severities;
		screen->filter->expr = screen->filters->combined;
	}
	for (size_t i = 0; i < screen->list_count; i++)
		list_refilter(&screen->lists[i], i == screen->trace);
	filters_are_stale(screen);
}

/* --- what was typed ---------------------------------------------------- */

/* Return EXPR, or the error in WHY if it is NULL. */
static struct filter_expr *
explain_error(struct filter_expr *expr, const char *typed, const struct filter_error *error,
	      struct text *why)
{
	if (!expr && typed[strspn(typed, " ")])
		text_addf(why, "%s (column %zu)", error->what, error->at + 1);
	return expr;
}

struct filter_expr *
filters_parse(const struct session *session, const char *typed, struct text *why)
{
	struct filter_error error;
	return explain_error(filter_parse(typed, session, &error), typed, &error, why);
}

struct filter_expr *
filters_read(const struct session *session, const char *typed, bool *exclude, struct text *why)
{
	struct filter_error error;
	if (typed[0] != '!' || !typed[1])
		return explain_error(filter_parse_typed(typed, session, &error), typed, &error,
				     why);
	*exclude = true;
	typed++;
	return explain_error(filter_parse_pattern(typed, &error), typed, &error, why);
}

/* --- combining the entries ---------------------------------------------- */

bool
filters_is_pattern(const char *text)
{
	if (*text != '/')
		return false;
	size_t length = regex_find_slash(text, 1);
	length += text[length] == '/';
	return !text[length + strspn(text + length, "iI")];
}

static void
add_term(const struct filter_entry *entry, struct text *out)
{
	const char *text = filter_expr_text(entry->expr);
	if (out->length)
		text_add(out, " and ");
	if (entry->exclude)
		text_add(out, "not ");
	text_addf(out, filters_is_pattern(text) ? "%s" : "(%s)", text);
}

struct filter_expr *
filters_join(struct screen *screen, size_t at, const struct filter_entry *entry, struct text *why)
{
	const struct filters *filters = screen->filters;
	size_t count = filters->list.count + (entry && at >= filters->list.count);
	VEC(const struct filter_entry *) on = {0};
	struct text text = {0};
	struct filter_error error;
	struct filter_expr *expr = NULL;
	for (size_t i = 0; i < count; i++) {
		bool own = entry && (i == at || i == filters->list.count);
		const struct filter_entry *e = own ? entry : &filters->list.at[i];
		if (!e->disabled)
			*vec_add(&on) = e;
	}
	if (on.count == 1 && !on.at[0]->exclude) {
		expr = filter_expr_share(on.at[0]->expr);
	} else if (on.count) {
		for (size_t i = 0; i < on.count; i++)
			add_term(on.at[i], &text);
		expr = filter_parse(text.data, screen->session, &error);
		if (!expr)
			text_addf(why, "the filters together are %s", error.what);
	}
	text_free(&text);
	vec_free(&on);
	return expr;
}

/* Combine the entries.  On error show it, keep the old combination and return false. */
static bool
combine_filters(struct screen *screen)
{
	struct text why = {0};
	struct filter_expr *all = filters_join(screen, 0, NULL, &why);
	bool good = !why.length;
	if (good) {
		search_uncount(screen); /* it uses the old one */
		filter_expr_free(screen->filters->combined);
		screen->filters->combined = all;
		screen->filters->disabled = false;
		filters_apply(screen);
	} else {
		screen_error(screen, NOTICE_FILTER_REFUSED, why.data);
	}
	text_free(&why);
	return good;
}

/* --- changes ----------------------------------------------------------- */

bool
filters_put(struct screen *screen, size_t at, struct filter_entry entry)
{
	struct filters *filters = screen->filters;
	bool more = at >= filters->list.count;
	struct filter_entry old = {0};
	if (more) {
		at = filters->list.count;
		(void)vec_add(&filters->list);
	} else {
		old = filters->list.at[at];
	}
	filters->list.at[at] = entry;
	if (combine_filters(screen)) {
		entry_free(&old);
		if (!screen->range->on) /* the range keeps its end, even a hidden one */
			list_stay(screen->list);
		return true;
	}
	entry_free(&entry);
	filters->list.at[at] = old;
	filters->list.count -= more;
	return false;
}

/* Toggle a member of an entry.  Undo that if the entries cannot be combined then. */
static bool
toggle_member(struct screen *screen, bool *member)
{
	*member = !*member;
	bool good = combine_filters(screen);
	if (!good)
		*member = !*member;
	return good;
}

bool
filters_turn(struct screen *screen, size_t at)
{
	return toggle_member(screen, &screen->filters->list.at[at].disabled);
}

bool
filters_invert(struct screen *screen, size_t at)
{
	return toggle_member(screen, &screen->filters->list.at[at].exclude);
}

void
filters_drop(struct screen *screen, size_t at)
{
	struct filters *filters = screen->filters;
	entry_free(&filters->list.at[at]);
	filters->list.count--;
	memmove(&filters->list.at[at], &filters->list.at[at + 1],
		(filters->list.count - at) * sizeof *filters->list.at);
	combine_filters(screen);
}

void
filters_clear(struct screen *screen)
{
	free_list(screen->filters);
	combine_filters(screen);
}

void
filters_replace(struct screen *screen, struct filters set)
{
	struct filters *filters = screen->filters;
	free_list(filters);
	vec_free(&filters->list);
	memcpy(&filters->list, &set.list, sizeof filters->list);
	filters->severities = set.severities;
	combine_filters(screen);
	if (set.disabled) {
		filters->disabled = true;
		filters_apply(screen);
	}
}

bool
filters_type(struct screen *screen, size_t at, const char *typed, bool exclude)
{
	struct text why = {0};
	struct filter_entry entry = {.exclude = exclude};
	bool good = true;
	entry.expr = filters_read(screen->session, typed, &entry.exclude, &why);
	if (why.length) {
		screen_error(screen, NOTICE_FILTER_REFUSED, why.data);
		good = false;
	} else if (entry.expr) {
		good = filters_put(screen, at, entry);
	} else if (at < screen->filters->list.count) {
		filters_drop(screen, at);
	}
	text_free(&why);
	return good;
}

void
filters_say_change(struct screen *screen, bool exclude, const char *expression)
{
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_UNDO_FILTER, &hint);
	screen_say(screen, exclude ? NOTICE_HIDDEN : NOTICE_ONLY, expression, hint.data);
	text_free(&hint);
}

static void
say_already(struct screen *screen, bool exclude, const char *expression)
{
	struct text hint = {0};
	keymap_hint(screen->keymap, COMMAND_FILTER_LIST, &hint);
	screen_say(screen, exclude ? NOTICE_HIDDEN_ALREADY : NOTICE_ONLY_ALREADY, expression,
		   hint.data);
	text_free(&hint);
}

/* Return true if the list has an equal entry that is enabled. */
static bool
has_entry(const struct filters *filters, const struct filter_entry *entry)
{
	const char *text = filter_expr_text(entry->expr);
	size_t i = 0;
	while (i < filters->list.count &&
	       (filters->list.at[i].disabled || filters->list.at[i].exclude != entry->exclude ||
		strcmp(filter_expr_text(filters->list.at[i].expr), text) != 0))
		i++;
	return i < filters->list.count && !filters->disabled;
}

void
filters_add(struct screen *screen, const char *expression, bool exclude)
{
	struct filter_error error;
	struct filter_entry entry = {.exclude = exclude};
	entry.expr = filter_parse(expression, screen->session, &error);
	if (!entry.expr) {
		screen_error(screen, NOTICE_FILTER_REFUSED_IN, error.what, expression);
	} else if (has_entry(screen->filters, &entry)) {
		say_already(screen, exclude, expression);
		entry_free(&entry);
	} else if (filters_put(screen, SIZE_MAX, entry))
		filters_say_change(screen, exclude, expression);
}

void
filters_uncount(struct screen *screen)
{
	for (size_t i = 0; i < screen->filters->list.count; i++)
		list_matches_close(&screen->filters->list.at[i].matches);
}

/* --- names ------------------------------------------------------------- */

/* Return the index of the enabled entry that lists names of the field, or the number of
 * entries. */
static size_t
names_find(const struct filters *filters, const char *field)
{
	size_t i = 0;
	while (i < filters->list.count && (filters->list.at[i].disabled ||
					   !filter_expr_lists(filters->list.at[i].expr, field)))
		i++;
	return i;
}

static void
add_name(const char *name, size_t length, struct text *names)
{
	text_add(names, names->length ? ", " : "");
	filter_quote(name, length, names);
}

/* Return true if the entry has that name.  Append its other names to OUT if that is not NULL. */
static bool
has_name(const struct filter_entry *entry, const char *name, struct text *others)
{
	const char *one;
	size_t length, name_length = strlen(name);
	bool has = false;
	for (size_t i = 0; (one = filter_expr_name(entry->expr, i, &length)); i++) {
		bool same = length == name_length && !memcmp(one, name, length);
		has |= same;
		if (!same && others)
			add_name(one, length, others);
	}
	return has;
}

bool
filters_name_passes(const struct screen *screen, const char *field, const char *name)
{
	size_t at = names_find(screen->filters, field);
	if (at == screen->filters->list.count)
		return true;
	const struct filter_entry *entry = &screen->filters->list.at[at];
	return has_name(entry, name, NULL) != entry->exclude;
}

bool
filters_name_is_last(const struct screen *screen, const char *field, const char *name)
{
	size_t at = names_find(screen->filters, field);
	struct text others = {0};
	if (at == screen->filters->list.count)
		return false;
	const struct filter_entry *entry = &screen->filters->list.at[at];
	bool last = has_name(entry, name, &others) && !entry->exclude && !others.length;
	text_free(&others);
	return last;
}

/* Set entry AT to the quoted names, or remove it if there are none. */
static void
set_names(struct screen *screen, size_t at, const char *field, const struct text *names,
	  bool exclude)
{
	struct text text = {0};
	struct filter_error error;
	struct filter_entry entry = {.exclude = exclude};
	text_addf(&text, "%s in {%s}", field, text_get(names));
	if (!names->length) {
		filters_drop(screen, at);
	} else if ((entry.expr = filter_parse(text.data, screen->session, &error))) {
		filters_put(screen, at, entry);
	} else {
		screen_error(screen, NOTICE_FILTER_REFUSED, error.what);
	}
	text_free(&text);
}

void
filters_name_toggle(struct screen *screen, const char *field, const char *name)
{
	size_t at = names_find(screen->filters, field);
	bool there = at < screen->filters->list.count, exclude = true, had = false;
	struct text names = {0};
	if (there) {
		exclude = screen->filters->list.at[at].exclude;
		had = has_name(&screen->filters->list.at[at], name, &names);
	}
	if (!had)
		add_name(name, strlen(name), &names);
	set_names(screen, at, field, &names, exclude);
	text_free(&names);
}

void
filters_name_only(struct screen *screen, const char *field, const char *name)
{
	struct text names = {0};
	add_name(name, strlen(name), &names);
	set_names(screen, names_find(screen->filters, field), field, &names, false);
	text_free(&names);
}

bool
filters_name_invert(struct screen *screen, const char *field)
{
	size_t at = names_find(screen->filters, field);
	if (at == screen->filters->list.count)
		return false;
	filters_invert(screen, at);
	return true;
}
