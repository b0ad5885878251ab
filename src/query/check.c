/*
 * Checks of captures: see check.h.
 *
 * Nearly every check is a filter expression. A user can read it and use the same words on
 * the screen. Only the time check needs memory. It keeps the last time of each origin,
 * because the list may step back where messages interleave. Each message is decoded once.
 * Its text is built only if an expression needs it.
 */
#include "config.h"

#include "query/check.h"
#include "decode/registry.h"
#include "flow/flow.h"
#include "flow/image_fit.h"
#include "base/map.h"
#include "query/scan.h"
#include "query/gap/step_back.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/flows.h"
#include "session/session.h"
#include "trace/doubts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGINS_MAX = 65536 };

/* How a check finds its faults. */
enum check_kind {
	CHECK_MESSAGES, /* by a filter expression */
	CHECK_TIME,
	CHECK_FLOW /* follows the program over all messages */
};

static const struct check_row {
	const char *name;
	const char *help;
	const char *expression;	      /* NULL: use `formats` */
	const char *(*formats)(void); /* return the formats' expression; or NULL */
	bool usual;
	unsigned doubts; /* bit set of doubts that belong to no message */
	enum check_kind kind;
} rows[] = {
    {"loss", "something is missing, or bytes that may hold messages were not decoded", "lost", NULL,
     true, 1u << DOUBT_UNDECODED},
    {"corrupt", "damaged or truncated bytes", "damaged or truncated", NULL, true, 0},
    {"time", "the time of an origin steps back", NULL, NULL, true, 0, CHECK_TIME},
    {"catalog", "a catalog message has a number that no collateral lists", NULL, decoder_unnamed,
     false, 0},
    {"flow", "unknown instructions, or an image of another program", NULL, NULL, false,
     1u << DOUBT_UNFOLLOWED | 1u << DOUBT_CODELESS, CHECK_FLOW},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char severity_prefix[] = "severity:";

struct one {
	char *name;
	struct filter want;
	enum check_kind kind;
	unsigned doubts;
	uint64_t count;
	/* the first match */
	struct trace *trace;
	uint64_t number, offset;
};

struct check {
	VEC(struct one) list;
	struct map last; /* time + 1 by origin, in the current trace */
	struct doubts doubts;
};

bool
check_help(size_t at, const char **name, const char **help)
{
	if (at > ROWS)
		return false;
	*name = at < ROWS ? rows[at].name : "severity:LEVEL";
	*help = at < ROWS ? rows[at].help : "a message of this severity or worse, not counting max";
	return true;
}

/* --- checks to run ------------------------------------------------------ */

static bool
check_add(struct check *check, const char *name, size_t length, enum check_kind kind,
	  const char *expression, const struct session *session, struct filter_error *error)
{
	struct filter_expr *expr = expression ? filter_parse(expression, session, error) : NULL;
	if (expression && !expr)
		return false;
	struct one *one = vec_add(&check->list);
	one->name = mem_new(length + 1);
	memcpy(one->name, name, length);
	one->want = filter_all();
	one->want.expr = expr;
	filter_count_ends(&one->want);
	one->kind = kind;
	return true;
}

/* Add the check called NAME. Return false if none has that name. */
static bool
add_named(struct check *check, const char *name, size_t length)
{
	struct filter_error error;
	size_t prefix = sizeof severity_prefix - 1;
	for (size_t i = 0; i < ROWS; i++) {
		if (strlen(rows[i].name) != length || strncmp(rows[i].name, name, length) != 0)
			continue;
		const char *text = rows[i].formats ? rows[i].formats() : rows[i].expression;
		bool good = check_add(check, name, length, rows[i].kind, text, NULL, &error);
		check->list.at[check->list.count - 1].doubts = rows[i].doubts;
		return good;
	}
	if (length <= prefix || strncmp(name, severity_prefix, prefix) != 0)
		return false;
	struct text text = {0};
	text_add(&text, "severity != max and severity >= ");
	filter_quote(name + prefix, length - prefix, &text);
	bool good = check_add(check, name, length, CHECK_MESSAGES, text.data, NULL, &error);
	text_free(&text);
	return good;
}

static bool
add_list(struct check *check, const char *list)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		if (!add_named(check, list, length))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

static void
check_clear(struct check *check)
{
	for (size_t i = 0; i < check->list.count; i++) {
		filter_free(&check->list.at[i].want);
		free(check->list.at[i].name);
	}
	vec_clear(&check->list);
}

static void
say_wrong(const struct filter_error *error, const char *list, struct err *err)
{
	struct text why = {0};
	if (!error->meant) {
		err_set(
		    err, ERR_USAGE,
		    "no such check: %s; loss, corrupt, time, catalog, flow, severity:LEVEL or an "
		    "expression",
		    list);
		return;
	}
	filter_explain(error, list, &why);
	err_set(err, ERR_USAGE, "--check: %s", text_get(&why));
	text_free(&why);
}

struct check *
check_new(const char *list, const struct session *session, struct err *err)
{
	struct check *check = mem_new(sizeof *check);
	struct filter_error error;
	for (size_t i = 0; !*list && i < ROWS; i++)
		if (rows[i].usual)
			add_named(check, rows[i].name, strlen(rows[i].name));
	if (!*list || add_list(check, list))
		return check;
	check_clear(check);
	if (check_add(check, list, strlen(list), CHECK_MESSAGES, list, session, &error))
		return check;
	say_wrong(&error, list, err);
	check_free(check);
	return NULL;
}

void
check_free(struct check *check)
{
	check_clear(check);
	vec_free(&check->list);
	map_free(&check->last);
	free(check);
}

/* --- running ------------------------------------------------------------ */

/* True if the time of the message's origin steps back. Store the new time. */
static bool
steps_back(struct check *check, struct trace *trace, const struct message *m)
{
	uint64_t now;
	if (!step_back_order(trace, m, &now))
		return false;
	struct map *map = &check->last;
	bool room = map->count < ORIGINS_MAX;
	uint64_t *last = room ? map_add(map, m->origin) : map_find(map, m->origin);
	if (!last)
		return false;
	bool back = now < *last;
	*last = now;
	return back;
}

static void
check_count_message(struct check *check, struct reader *reader, const struct message *m,
		    uint64_t number, struct expansion *scratch)
{
	for (size_t i = 0; i < check->list.count; i++) {
		struct one *one = &check->list.at[i];
		if (one->kind == CHECK_FLOW ||
		    (one->kind == CHECK_TIME ? !steps_back(check, reader_trace(reader), m)
					     : !filter_match(&one->want, reader, m, scratch)))
			continue;
		if (one->count++)
			continue;
		one->trace = reader_trace(reader);
		one->number = number;
		one->offset = m->offset;
	}
}

/* Load the clocks, contexts and other data that the filter and the checks need. */
static void
check_load(struct check *check, struct session *session, const struct filter *filter)
{
	bool clocks = filter_needs_clocks(filter), contexts = filter_needs_contexts(filter);
	bool flow = filter_needs_flow(filter);
	bool order = filter_needs_order(filter), intervals = filter_needs_intervals(filter);
	for (size_t i = 0; i < check->list.count; i++) {
		clocks |= check->list.at[i].kind == CHECK_TIME ||
			  filter_needs_clocks(&check->list.at[i].want);
		contexts |= filter_needs_contexts(&check->list.at[i].want);
		order |= filter_needs_order(&check->list.at[i].want);
		flow |= filter_needs_flow(&check->list.at[i].want);
		intervals |= filter_needs_intervals(&check->list.at[i].want);
	}
	if (clocks && session->clocks)
		clocks_load(session->clocks, true);
	if (order)
		session_build(session);
	if (contexts && session->contexts)
		contexts_load(session->contexts);
	if (flow)
		flows_load(session);
	if (intervals)
		session_load_intervals(session);
}

static void
look_at_trace(struct check *check, struct trace *trace, const struct filter *filter)
{
	bool around = filter_looks_around(filter);
	for (size_t i = 0; i < check->list.count; i++)
		around |= filter_looks_around(&check->list.at[i].want);
	if (atomic_load(&trace_decoder(trace)->needs_history) || around)
		index_build(trace_index(trace));
	struct reader *reader = reader_new(trace);
	struct filter_pair pair = filter_pair_borrow(filter, NULL);
	struct message batch[SCAN_BATCH];
	struct scan scan;
	uint64_t first;
	size_t count;
	map_free(&check->last);
	scan_prepare(trace, filter);
	scan_open(&scan, reader, &pair, 0);
	while ((count = scan_read(&scan, batch, SCAN_BATCH, &first)) > 0)
		for (size_t i = 0; i < count; i++)
			if (filter_pair_match(&pair, reader, &batch[i]))
				check_count_message(check, reader, &batch[i], first + i,
						    &pair.scratch);
	scan_add_undecoded(&scan, &check->doubts);
	filter_pair_free(&pair);
	reader_free(reader);
}

/* Report the processors with an image that does not fit. Return true if any. */
static bool
report_fits(const struct image_fits *fits, const struct trace *trace, struct text *report)
{
	bool found = false;
	for (size_t i = 0; i < fits->walks.count; i++) {
		const struct image_fit_walk *walk = &fits->walks.at[i];
		if (!image_fit_is_bad(&walk->fit))
			continue;
		found = true;
		text_addf(report, "trawl: check flow: %s of ", text_get(&walk->name));
		text_add_safe(report, trace_name(trace), strlen(trace_name(trace)), TEXT_UTF8);
		text_add(report, ": ");
		image_fit_describe(&walk->fit, report);
		text_add_char(report, '\n');
	}
	return found;
}

/* Follow the program flow of a trace, if its format has any. Return true if REPORT has a
 * new line. */
static bool
look_at_flow(struct check *check, struct trace *trace, struct text *report)
{
	struct image_fits fits = {.wants_lost = true};
	struct err err = {0};
	if (!trace_decoder(trace)->ops->flow)
		return false;
	if (image_fits_read(&fits, trace, UINT64_MAX, NULL, &err)) {
		text_addf(report, "trawl: check flow: %s\n", err.what);
		return true;
	}
	check->doubts.count[DOUBT_UNFOLLOWED] += fits.lost;
	check->doubts.count[DOUBT_CODELESS] += fits.codeless;
	bool found = flow_has_elements(trace) && report_fits(&fits, trace, report);
	image_fits_free(&fits);
	return found;
}

/* Report the doubts in the bit set SET. Return true if any is bad. */
static bool
report_doubts(const struct check *check, const char *name, unsigned set, struct text *report)
{
	struct doubts doubts = {0};
	struct text what = {0};
	for (int i = 0; i < DOUBT_COUNT; i++)
		doubts.count[i] = set >> i & 1 ? check->doubts.count[i] : 0;
	doubts_describe(&doubts, &what);
	for (const char *line = text_get(&what); *line;) {
		int length = (int)strcspn(line, "\n");
		text_addf(report, "trawl: check %s: %.*s\n", name, length, line);
		line += length + (line[length] == '\n');
	}
	text_free(&what);
	return doubts_are_bad(&doubts);
}

static void
check_report(const struct one *one, struct text *report)
{
	text_addf(report, "trawl: check ");
	text_add_safe(report, one->name, strlen(one->name), TEXT_UTF8);
	text_addf(report, ": %llu message%s, the first is trace_number %llu at offset %llu of ",
		  (unsigned long long)one->count, one->count == 1 ? "" : "s",
		  (unsigned long long)one->number, (unsigned long long)one->offset);
	text_add_safe(report, trace_name(one->trace), strlen(trace_name(one->trace)), TEXT_UTF8);
	text_add_char(report, '\n');
}

bool
check_run(struct check *check, struct session *session, const struct filter *filter,
	  const char *source, struct text *report)
{
	bool found = false, flow = false;
	check_load(check, session, filter);
	for (size_t i = 0; i < check->list.count; i++)
		flow |= check->list.at[i].kind == CHECK_FLOW;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		if (!trace_is_among(trace, source))
			continue;
		look_at_trace(check, trace, filter);
		if (flow)
			found |= look_at_flow(check, trace, report);
	}
	for (size_t i = 0; i < check->list.count; i++) {
		const struct one *one = &check->list.at[i];
		if (one->count) {
			check_report(one, report);
			found = true;
		}
		found |= report_doubts(check, one->name, one->doubts, report);
	}
	return found;
}
