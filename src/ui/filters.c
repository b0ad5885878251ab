/*
 * The list of filters, and what all of them come to: see filters.h.
 *
 * The whole is again one text in the filter language, so that what is judged by
 * sums, counted and written to files needs to know of no list.  It is made anew
 * with each change, which costs the reading of a few lines, or of none where it is
 * one filter alone.  Names that are ticked in a pane are an entry like any other,
 * `origin in {"a", "b"}`: the set of them is the compiled filter's, and is written as
 * text when it changes.
 */
#include "config.h"

#include "ui/filters.h"
#include "ui/app.h"

#include <string.h>

static void
entry_free(struct filter_entry *entry)
{
	hits_close(&entry->hits);
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
	filter_expr_free(filters->all);
	*filters = (struct filters){0};
}

enum severity
filters_threshold(const struct filters *filters, bool *whole)
{
	enum severity level = SEVERITY_DEBUG;
	while (level > SEVERITY_FATAL && !(filters->severities >> level & 1))
		level--;
	*whole = filters->severities == filter_threshold(level, !(filters->severities & 1));
	return level;
}

/* --- what was typed ---------------------------------------------------- */

/* An expression, or what is wrong with it. */
static struct filter_expr *
explain(struct filter_expr *expr, const char *typed, const struct filter_error *error,
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
	return explain(filter_parse(typed, session, &error), typed, &error, why);
}

struct filter_expr *
filters_read(const struct session *session, const char *typed, bool *out, struct text *why)
{
	struct filter_error error;
	if (typed[0] != '!' || !typed[1])
		return explain(filter_parse_typed(typed, session, &error), typed, &error, why);
	*out = true;
	typed++;
	return explain(filter_parse_pattern(typed, &error), typed, &error, why);
}

/* --- the whole --------------------------------------------------------- */

/* Whether the text is one regular expression and needs no parentheses. */
static bool
is_pattern(const char *text)
{
	size_t length = 1;
	if (*text != '/')
		return false;
	while (text[length] && text[length] != '/')
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	length += text[length] == '/';
	return !text[length + strspn(text + length, "is")];
}

static void
add_term(const struct filter_entry *entry, struct text *out)
{
	const char *text = filter_expr_text(entry->expr);
	if (out->length)
		text_add(out, " and ");
	if (entry->out)
		text_add(out, "not ");
	text_addf(out, is_pattern(text) ? "%s" : "(%s)", text);
}

struct filter_expr *
filters_join(struct app *app, size_t at, const struct filter_entry *entry, struct text *why)
{
	const struct filters *filters = &app->filters;
	size_t count = filters->list.count + (entry && at >= filters->list.count);
	VEC(const struct filter_entry *) on = {0};
	struct text text = {0};
	struct filter_error error;
	struct filter_expr *expr = NULL;
	for (size_t i = 0; i < count; i++) {
		bool own = entry && (i == at || i == filters->list.count);
		const struct filter_entry *e = own ? entry : &filters->list.at[i];
		if (!e->off)
			*vec_add(&on) = e;
	}
	if (on.count == 1 && !on.at[0]->out) {
		expr = filter_expr_share(on.at[0]->expr);
	} else if (on.count) {
		for (size_t i = 0; i < on.count; i++)
			add_term(on.at[i], &text);
		expr = filter_parse(text.data, app->session, &error);
		if (!expr)
			text_addf(why, "the filters together are %s", error.what);
	}
	text_free(&text);
	vec_free(&on);
	return expr;
}

/* Makes the whole of the list; false, with the old one kept, if it is none. */
static bool
remake(struct app *app)
{
	struct text why = {0};
	struct filter_expr *all = filters_join(app, 0, NULL, &why);
	bool good = !why.length;
	if (good) {
		search_uncount(app); /* it looks at the old one */
		filter_expr_free(app->filters.all);
		app->filters.all = all;
		app->filters.off = false;
		app_refilter(app);
	} else {
		app_trouble(app, "%s", why.data);
	}
	text_free(&why);
	return good;
}

/* --- changes ----------------------------------------------------------- */

bool
filters_put(struct app *app, size_t at, struct filter_entry entry)
{
	struct filters *filters = &app->filters;
	bool more = at >= filters->list.count;
	struct filter_entry old = {0};
	if (more) {
		at = filters->list.count;
		(void)vec_add(&filters->list);
	} else {
		old = filters->list.at[at];
	}
	filters->list.at[at] = entry;
	if (remake(app)) {
		entry_free(&old);
		if (!app->range.on) /* which keeps its end, be it hidden */
			list_stay(app->list);
		return true;
	}
	entry_free(&entry);
	filters->list.at[at] = old;
	filters->list.count -= more;
	return false;
}

/* Turns a member of an entry over, if the whole can be made then. */
static bool
turn(struct app *app, bool *member)
{
	*member = !*member;
	bool good = remake(app);
	if (!good)
		*member = !*member;
	return good;
}

bool
filters_turn(struct app *app, size_t at)
{
	return turn(app, &app->filters.list.at[at].off);
}

bool
filters_invert(struct app *app, size_t at)
{
	return turn(app, &app->filters.list.at[at].out);
}

void
filters_drop(struct app *app, size_t at)
{
	struct filters *filters = &app->filters;
	entry_free(&filters->list.at[at]);
	filters->list.count--;
	memmove(&filters->list.at[at], &filters->list.at[at + 1],
		(filters->list.count - at) * sizeof *filters->list.at);
	remake(app);
}

void
filters_clear(struct app *app)
{
	free_list(&app->filters);
	remake(app);
}

bool
filters_type(struct app *app, size_t at, const char *typed, bool out)
{
	struct text why = {0};
	struct filter_entry entry = {.out = out};
	bool good = true;
	entry.expr = filters_read(app->session, typed, &entry.out, &why);
	if (why.length) {
		app_trouble(app, "%s", why.data);
		good = false;
	} else if (entry.expr) {
		good = filters_put(app, at, entry);
	} else if (at < app->filters.list.count) {
		filters_drop(app, at);
	}
	text_free(&why);
	return good;
}

void
filters_uncount(struct app *app)
{
	for (size_t i = 0; i < app->filters.list.count; i++)
		hits_close(&app->filters.list.at[i].hits);
}

/* --- names ------------------------------------------------------------- */

/* The entry that lists names of the field, or how many there are. */
static size_t
names_find(const struct filters *filters, const char *field)
{
	size_t i = 0;
	while (i < filters->list.count &&
	       (filters->list.at[i].off || !filter_expr_lists(filters->list.at[i].expr, field)))
		i++;
	return i;
}

static void
add_name(const char *name, size_t length, struct text *names)
{
	text_add(names, names->length ? ", " : "");
	filter_quote(name, length, names);
}

/* Whether the entry has that name; appends the others to OUT if it is not NULL. */
static bool
has_name(const struct filter_entry *entry, const char *name, struct text *others)
{
	const char *one;
	size_t length, wanted = strlen(name);
	bool has = false;
	for (size_t i = 0; (one = filter_expr_name(entry->expr, i, &length)); i++) {
		bool same = length == wanted && !memcmp(one, name, length);
		has |= same;
		if (!same && others)
			add_name(one, length, others);
	}
	return has;
}

bool
filters_name_passes(const struct app *app, const char *field, const char *name)
{
	size_t at = names_find(&app->filters, field);
	if (at == app->filters.list.count)
		return true;
	const struct filter_entry *entry = &app->filters.list.at[at];
	return has_name(entry, name, NULL) != entry->out;
}

/* Sets entry number AT to the names, which are quoted; to nothing if none are. */
static void
set_names(struct app *app, size_t at, const char *field, const struct text *names, bool out)
{
	struct text text = {0};
	struct filter_error error;
	struct filter_entry entry = {.out = out};
	text_addf(&text, "%s in {%s}", field, text_get(names));
	if (!names->length) {
		filters_drop(app, at);
	} else if ((entry.expr = filter_parse(text.data, app->session, &error))) {
		filters_put(app, at, entry);
	} else {
		app_trouble(app, "%s", error.what);
	}
	text_free(&text);
}

void
filters_name_toggle(struct app *app, const char *field, const char *name)
{
	size_t at = names_find(&app->filters, field);
	bool there = at < app->filters.list.count, out = true, had = false;
	struct text names = {0};
	if (there) {
		out = app->filters.list.at[at].out;
		had = has_name(&app->filters.list.at[at], name, &names);
	}
	if (!had)
		add_name(name, strlen(name), &names);
	set_names(app, at, field, &names, out);
	text_free(&names);
}

void
filters_name_only(struct app *app, const char *field, const char *name)
{
	struct text names = {0};
	add_name(name, strlen(name), &names);
	set_names(app, names_find(&app->filters, field), field, &names, false);
	text_free(&names);
}

bool
filters_name_invert(struct app *app, const char *field)
{
	size_t at = names_find(&app->filters, field);
	if (at == app->filters.list.count)
		return false;
	filters_invert(app, at);
	return true;
}
