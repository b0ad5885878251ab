/*
 * Printing the differences of two runs: see compare_print.h.
 *
 * The formats `text` and `jsonl` write the messages, so times and texts look the same as there.
 */
#include "config.h"

#include "batch/compare_print.h"
#include "batch/batch.h"
#include "batch/output.h"
#include "batch/report.h"
#include "export/export_line.h"
#include "session/clock/clock_text.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 }; /* bytes to collect before a write */

struct print {
	const struct compare *compare;
	const struct compare_good *good;
	struct compare_texts texts[2];
	struct expansion expansion;
	struct export_kept kept;
	const struct export_format *format; /* for each message */
	bool json, several;
	enum text_charset charset;
	struct text out;
};

int
compare_parse_options(const struct cli *cli, struct compare_options *options, struct err *err)
{
	const char *slower = cli->value[CLI_SLOWER];
	const struct trace_clock nanoseconds = {.hz = 1e9};
	uint64_t least = 0;
	char *end = NULL;
	*options = (struct compare_options){.factor = COMPARE_FACTOR, .least = COMPARE_LEAST};
	if (!slower)
		return 0;
	options->factor = strtod(slower, &end);
	bool good = end > slower && options->factor >= 1 && options->factor < 1e9;
	if (good && *end == ',')
		good = clock_parse_duration(&nanoseconds, end + 1, &least) && least < INT64_MAX;
	else
		good = good && !*end;
	if (!good)
		return err_set(err, ERR_USAGE,
			       "--slower is a factor and, after a comma, a length of time, such as "
			       "3,5ms, not %s",
			       slower);
	if (*end)
		options->least = (int64_t)least;
	return 0;
}

/* --- a message --------------------------------------------------------- */

/* Append a message as in `text`, but without its number. */
static void
add_row(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	export_line_add_time(message, out);
	text_addf(out, " %c ", severity_letter(message->message->severity));
	text_add_safe(out, text_get(&e->origin), e->origin.length, message->charset);
	text_add(out, e->origin.length ? "  " : "- ");
	text_add_safe(out, text_get(&e->text), e->text.length, message->charset);
}

static const struct export_format row_format = {
    .name = "text", .needs = VALUE_NEEDS_CLOCKS, .want = EXPAND_TEXT, .message = add_row};

/* Append a message, or `-` if it no longer exists. */
static void
add_message(struct print *print, int run, const struct compare_place *place, struct text *out)
{
	struct message m;
	if (!compare_texts_get(&print->texts[run], place->trace, place->number, &m,
			       &print->expansion)) {
		text_add(out, print->json ? "null" : "-");
		return;
	}
	struct export_message message = {.reader =
					     compare_texts_reader(&print->texts[run], place->trace),
					 .message = &m,
					 .number = place->number,
					 .expansion = &print->expansion,
					 .kept = &print->kept,
					 .charset = print->charset};
	export_message(print->format, &message, out);
	if (print->json && out->length && out->data[out->length - 1] == '\n')
		text_cut(out, out->length - 1);
}

/* --- lines for people -------------------------------------------------- */

static const char *const run_names[2] = {"good", "bad"};

/* Append `good 1203 (0x4f20)`.  For a message missing from this run, append the one before or after
 * it, if any: `before good 1203`. */
static void
add_place(struct print *print, int run, const struct compare_difference *d, struct text *out)
{
	const struct compare_place *place = &d->at[run];
	struct message m;
	if (!place->any)
		return;
	text_add(out, out->length ? ", " : "");
	if (!d->count[run])
		text_add(out, place->behind ? "after " : "before ");
	text_addf(out, "%s ", run_names[run]);
	if (print->several) {
		const char *name = trace_name(print->texts[run].session->traces.at[place->trace]);
		text_add_safe(out, name, strlen(name), print->charset);
		text_add_char(out, ':');
	}
	text_addf(out, "%llu", (unsigned long long)place->listed);
	if (d->count[run] && compare_texts_get(&print->texts[run], place->trace, place->number, &m,
					       &print->expansion))
		text_addf(out, " (0x%llx)", (unsigned long long)m.offset);
}

static void
add_line(struct print *print, const struct compare_difference *d, struct text *out)
{
	struct text places = {0};
	int run = d->count[COMPARE_BAD] ? COMPARE_BAD : COMPARE_GOOD;
	int first = d->count[COMPARE_GOOD] ? COMPARE_GOOD : COMPARE_BAD;
	add_place(print, first, d, &places);
	add_place(print, !first, d, &places);
	text_addf(out, "%-9s %-37s ", compare_kind_name(d->kind), text_get(&places));
	add_message(print, run, &d->at[run], out);
	compare_add_remark(print->compare, d, &print->texts[COMPARE_GOOD], &print->expansion,
			   print->charset, out);
	text_add_char(out, '\n');
	text_free(&places);
}

/* --- lines of JSON ------------------------------------------------------ */

static void
add_json_place(struct print *print, int run, const struct compare_difference *d, struct text *out)
{
	const struct compare_place *place = &d->at[run];
	text_addf(out, ",\"%s\":", run_names[run]);
	if (d->count[run])
		add_message(print, run, place, out);
	else
		text_add(out, "null");
	text_addf(out, ",\"%s_count\":%llu", run_names[run], (unsigned long long)d->count[run]);
	if (!d->count[run] && place->any) {
		const char *name = trace_name(print->texts[run].session->traces.at[place->trace]);
		text_addf(out, ",\"%s_%s\":{\"n\":%llu,\"trace\":", run_names[run],
			  place->behind ? "after" : "before", (unsigned long long)place->number);
		export_json_string(out, name, strlen(name));
		text_add_char(out, '}');
	}
}

static void
add_json(struct print *print, const struct compare_difference *d, struct text *out)
{
	text_addf(out, "{\"kind\":\"%s\"", compare_kind_name(d->kind));
	for (int run = 0; run < 2; run++)
		add_json_place(print, run, d, out);
	if (print->good->count > 1)
		text_addf(out, ",\"good_runs\":%llu", (unsigned long long)d->runs);
	if (d->kind == COMPARE_SLOWER)
		text_addf(out, ",\"good_took\":%lld,\"bad_took\":%lld,\"with\":%llu",
			  (long long)d->took[0], (long long)d->took[1],
			  (unsigned long long)d->with);
	text_add(out, "}\n");
}

static void
add_json_summary(const struct print *print, struct text *out)
{
	const struct compare *compare = print->compare;
	text_addf(out, "{\"kind\":\"summary\",\"differences\":%zu", compare_count(compare));
	for (int kind = 0; kind < COMPARE_KINDS; kind++)
		text_addf(out, ",\"%s\":%llu", compare_kind_name((enum compare_kind)kind),
			  (unsigned long long)compare_count_kind(compare, (enum compare_kind)kind));
	if (print->good->count > 1) {
		const char *nearest = print->good->names[compare_nearest(compare)];
		text_addf(out, ",\"usual\":%llu,\"good_runs\":%zu,\"nearest\":",
			  (unsigned long long)compare_count_kind(compare, COMPARE_KINDS),
			  print->good->count);
		export_json_string(out, nearest, strlen(nearest));
	}
	text_addf(out, ",\"good_messages\":%llu,\"bad_messages\":%llu}\n",
		  (unsigned long long)compare_count_messages(compare, COMPARE_GOOD),
		  (unsigned long long)compare_count_messages(compare, COMPARE_BAD));
}

/* --- the comparison ---------------------------------------------------- */

static int
write_differences(struct print *print, struct writer *output, struct err *err)
{
	const struct export_target target = {.writer = output, .charset = print->charset};
	size_t count = compare_count(print->compare);
	if (count && !print->json)
		text_add(&print->out, "first difference:\n");
	for (size_t i = 0; i < count; i++) {
		const struct compare_difference *d = compare_get(print->compare, i);
		(print->json ? add_json : add_line)(print, d, &print->out);
		if (!i && count > 1 && !print->json)
			text_add(&print->out, "then:\n");
		if (print->out.length > PIECE && export_flush(&print->out, &target, err) < 0)
			return err->code;
	}
	if (print->json) {
		add_json_summary(print, &print->out);
	} else {
		compare_summarise(print->compare, &print->out);
		text_add_char(&print->out, '\n');
	}
	return export_flush(&print->out, &target, err);
}

static int
print_differences(const struct compare *compare, const struct compare_request *request,
		  const struct cli *cli, struct err *err)
{
	struct session *const sessions[2] = {request->good.sides[compare_nearest(compare)].session,
					     request->bad.session};
	struct print print = {.compare = compare,
			      .good = &request->good,
			      .json = cli->value[CLI_TO] && !strcmp(cli->value[CLI_TO], "jsonl"),
			      .charset = cli_charset(cli, isatty(STDOUT_FILENO))};
	for (int run = 0; run < 2; run++) {
		print.texts[run].session = sessions[run];
		print.several |= sessions[run]->traces.count > 1;
	}
	print.format = print.json ? export_find("jsonl") : &row_format;
	struct writer output = {0};
	int failed = output_open(&output, cli, sessions, 2, print.format, false, err);
	if (!failed)
		failed = write_differences(&print, &output, err);
	if (!failed)
		failed = writer_commit(&output, err);
	writer_abandon(&output);
	for (int run = 0; run < 2; run++)
		compare_texts_free(&print.texts[run]);
	expansion_free(&print.expansion);
	export_kept_free(&print.kept);
	text_free(&print.out);
	return failed;
}

/* Check that no option conflicts with --compare. */
static int
check_options(const struct cli *cli, const struct compare_request *request, struct err *err)
{
	static const enum cli_id others[] = {
	    CLI_SPLIT,	 CLI_CHECK,  CLI_FIELDS,    CLI_TEMPLATE,    CLI_COLUMNS,
	    CLI_CONTEXT, CLI_FOLLOW, CLI_STOP_WHEN, CLI_TIME_FORMAT, CLI_WIDE,
	    CLI_BY,	 CLI_OF,     CLI_SORT};
	const char *to = cli->value[CLI_TO];
	if (to && strcmp(to, "text") != 0 && strcmp(to, "jsonl") != 0)
		return err_set(err, ERR_USAGE, "--compare prints text or jsonl, not %s", to);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cli->value[others[i]])
			return err_set(err, ERR_USAGE, "--compare cannot be used with --%s",
				       cli_rows[others[i]].name);
	bool live = session_is_live(request->bad.session);
	for (size_t i = 0; i < request->good.count; i++)
		live |= session_is_live(request->good.sides[i].session);
	if (live)
		return err_set(err, ERR_USAGE,
			       "--compare reads to the end, and a live source has none");
	return 0;
}

/* The runs, and the doubts about them. */
struct inputs {
	const struct compare_request *request;
	const struct cli *cli;
	struct doubts doubts;
};

static bool
load_run(void *context, size_t i)
{
	struct inputs *inputs = context;
	const struct compare_side *side = &inputs->request->good.sides[i];
	return batch_load(side->session, inputs->cli, side->filter, &inputs->doubts) == STATUS_GOOD;
}

static void
close_run(void *context, size_t i)
{
	struct inputs *inputs = context;
	const struct compare_good *good = &inputs->request->good;
	batch_report(good->sides[i].session, good->sides[i].filter, inputs->cli, &inputs->doubts);
	good->close(good->context, i);
}

int
compare_print(const struct compare_request *request, const struct cli *cli)
{
	struct err err = {0};
	struct compare_options options;
	struct inputs inputs = {.request = request, .cli = cli};
	const struct compare_good good = {request->good.count, request->good.names,
					  request->good.sides, load_run,
					  close_run,	       &inputs};
	if (check_options(cli, request, &err) < 0 || compare_parse_options(cli, &options, &err) < 0)
		return report_error(&err);
	if (batch_load(request->bad.session, cli, request->bad.filter, &inputs.doubts) !=
	    STATUS_GOOD)
		return STATUS_FAILED;
	struct compare *compare = compare_new(&good, &request->bad, &options, NULL);
	bool compared = compare_run(compare);
	compare_sort_by_good(compare);
	int failed = compared ? print_differences(compare, request, cli, &err) : 0;
	size_t count = compare_count(compare);
	const struct compare_side *ends[] = {&good.sides[compare_nearest(compare)], &request->bad};
	compare_add_doubts(compare, &inputs.doubts);
	compare_free(compare);
	if (failed < 0 || !compared)
		return failed < 0 ? report_error(&err) : STATUS_FAILED;
	for (int run = 0; run < 2; run++)
		batch_report(ends[run]->session, ends[run]->filter, cli, &inputs.doubts);
	int status = batch_judge(cli, &inputs.doubts);
	return count ? STATUS_DAMAGED : status;
}
