/*
 * Checks of captures: see check.h.
 *
 * Nearly every check is a filter expression. A user can read it and use the same words on
 * the screen. Only the time check needs memory: for each part the first and the last time of
 * each origin, because the list may step back where messages interleave. Each message is
 * decoded once, by the threads of the export. Its text is built only if an expression needs it.
 */
#include "config.h"

#include "query/check.h"
#include "decode/registry.h"
#include "flow/flow.h"
#include "flow/image_fit.h"
#include "base/map.h"
#include "query/gap/step_back.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/flows.h"
#include "session/session.h"
#include "trace/doubts.h"

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

/* The times of an origin in a part. */
struct origin_times {
	uint64_t origin, first, last;
	uint64_t number, offset; /* of the message with the first time */
};

struct check_part {
	VEC(struct one) list; /* as in the check */
	struct trace *trace;  /* of the messages; NULL: there are none */
	struct map places;    /* by origin: place in `times`, from 1 */
	VEC(struct origin_times) times;
};

struct check {
	VEC(struct one) list;
	struct trace *trace; /* of the last part */
	struct map last;     /* last time by origin, in that trace */
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

/* --- counting ----------------------------------------------------------- */

struct check_part *
check_part_new(const struct check *check)
{
	struct check_part *part = mem_new(sizeof *part);
	for (size_t i = 0; i < check->list.count; i++) {
		struct one *one = vec_add(&part->list);
		*one = (struct one){.want = filter_clone(&check->list.at[i].want),
				    .kind = check->list.at[i].kind};
	}
	return part;
}

void
check_part_free(struct check_part *part)
{
	if (!part)
		return;
	for (size_t i = 0; i < part->list.count; i++)
		filter_free(&part->list.at[i].want);
	vec_free(&part->list);
	vec_free(&part->times);
	map_free(&part->places);
	free(part);
}

/* Count COUNT matches, the first of which is message NUMBER of the trace. */
static void
count_matches(struct one *one, uint64_t count, struct trace *trace, uint64_t number,
	      uint64_t offset)
{
	if (!one->count || (one->trace == trace && number < one->number)) {
		one->trace = trace;
		one->number = number;
		one->offset = offset;
	}
	one->count += count;
}

/* True if the time of the message's origin steps back. Store the new time. */
static bool
steps_back(struct check_part *part, const struct message *m, uint64_t number)
{
	uint64_t now;
	if (!step_back_order(part->trace, m, &now))
		return false;
	bool room = part->places.count < ORIGINS_MAX;
	uint64_t *place =
	    room ? map_add(&part->places, m->origin) : map_find(&part->places, m->origin);
	if (!place)
		return false;
	if (!*place) {
		*vec_add(&part->times) =
		    (struct origin_times){m->origin, now, now, number, m->offset};
		*place = part->times.count;
		return false;
	}
	struct origin_times *times = &part->times.at[*place - 1];
	bool back = now < times->last;
	times->last = now;
	return back;
}

void
check_part_add(struct check_part *part, struct reader *reader, const struct message *m,
	       uint64_t number, struct expansion *scratch)
{
	part->trace = reader_trace(reader);
	for (size_t i = 0; i < part->list.count; i++) {
		struct one *one = &part->list.at[i];
		if (one->kind != CHECK_FLOW &&
		    (one->kind == CHECK_TIME ? steps_back(part, m, number)
					     : filter_match(&one->want, reader, m, scratch)))
			count_matches(one, 1, part->trace, number, m->offset);
	}
}

/* Compare the first times of a part with the last ones before it. */
static void
append_times(struct check *check, const struct check_part *part, struct one *one)
{
	for (size_t i = 0; i < part->times.count; i++) {
		const struct origin_times *times = &part->times.at[i];
		bool room = check->last.count < ORIGINS_MAX;
		uint64_t *last = room ? map_add(&check->last, times->origin)
				      : map_find(&check->last, times->origin);
		if (!last)
			continue;
		if (times->first < *last)
			count_matches(one, 1, part->trace, times->number, times->offset);
		*last = times->last;
	}
}

void
check_append(struct check *check, struct check_part *part)
{
	if (!part->trace)
		return;
	if (check->trace != part->trace)
		map_free(&check->last);
	check->trace = part->trace;
	for (size_t i = 0; i < check->list.count; i++) {
		struct one *one = &check->list.at[i], *own = &part->list.at[i];
		if (own->count)
			count_matches(one, own->count, own->trace, own->number, own->offset);
		if (one->kind == CHECK_TIME)
			append_times(check, part, one);
		own->count = 0;
	}
	vec_clear(&part->times);
	map_free(&part->places);
	part->trace = NULL;
}

/* --- loading ------------------------------------------------------------ */

void
check_load(const struct check *check, struct session *session, const char *source)
{
	bool clocks = false, contexts = false, flow = false, order = false, intervals = false;
	bool around = false;
	for (size_t i = 0; i < check->list.count; i++) {
		const struct filter *want = &check->list.at[i].want;
		clocks |= check->list.at[i].kind == CHECK_TIME || filter_needs_clocks(want);
		contexts |= filter_needs_contexts(want);
		order |= filter_needs_order(want);
		flow |= filter_needs_flow(want);
		intervals |= filter_needs_intervals(want);
		around |= filter_looks_around(want);
	}
	bool names = context_names(session, NULL);
	if ((clocks || (names && session->traces.count > 1)) && session->clocks)
		clocks_load(session->clocks, true);
	if (order)
		session_build(session);
	if ((contexts || names) && session->contexts)
		contexts_load(session->contexts);
	if (flow)
		flows_load(session);
	if (intervals)
		session_load_intervals(session);
	for (size_t i = 0; around && i < session->traces.count; i++)
		if (trace_is_among(session->traces.at[i], source))
			index_build(trace_index(session->traces.at[i]));
}

/* --- reporting ---------------------------------------------------------- */

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
look_at_flow(struct trace *trace, struct doubts *doubts, struct text *report)
{
	struct image_fits fits = {.wants_lost = true};
	struct err err = {0};
	if (!trace_decoder(trace)->ops->flow)
		return false;
	if (image_fits_read(&fits, trace, UINT64_MAX, NULL, &err)) {
		text_addf(report, "trawl: check flow: %s\n", err.what);
		return true;
	}
	doubts->count[DOUBT_UNFOLLOWED] += fits.lost;
	doubts->count[DOUBT_CODELESS] += fits.codeless;
	bool found = flow_has_elements(trace) && report_fits(&fits, trace, report);
	image_fits_free(&fits);
	return found;
}

/* Report the doubts in the bit set SET. Return true if any is bad. */
static bool
report_doubts(const struct doubts *all, const char *name, unsigned set, struct text *report)
{
	struct doubts doubts = {0};
	struct text what = {0};
	for (int i = 0; i < DOUBT_COUNT; i++)
		doubts.count[i] = set >> i & 1 ? all->count[i] : 0;
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
report_matches(const struct one *one, struct text *report)
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
check_report(const struct check *check, struct session *session, const char *source,
	     struct doubts *doubts, struct text *report)
{
	bool found = false, flow = false;
	for (size_t i = 0; i < check->list.count; i++)
		flow |= check->list.at[i].kind == CHECK_FLOW;
	for (size_t i = 0; flow && i < session->traces.count; i++)
		if (trace_is_among(session->traces.at[i], source))
			found |= look_at_flow(session->traces.at[i], doubts, report);
	for (size_t i = 0; i < check->list.count; i++) {
		const struct one *one = &check->list.at[i];
		if (one->count) {
			report_matches(one, report);
			found = true;
		}
		found |= report_doubts(doubts, one->name, one->doubts, report);
	}
	return found;
}
