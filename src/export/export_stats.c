/*
 * `-t stats`: how many messages of each severity each origin has, and how many
 * bytes are in none.
 *
 * Origins are from the summaries of the index, with one message of each decoded for
 * its name; what has the same name is one line.  Doubts are counted in the cells that
 * have any.  The index counts the bytes in no message too, save in formats in which it
 * cannot: they are decoded once more for them.
 */
#include "config.h"

#include "export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 24, TRACE_COLUMNS = 12, COUNT_COLUMNS = 10 };

struct origin_counts {
	struct text name; /* safe */
	uint64_t severities[SEVERITY_COUNT];
};
typedef VEC(struct origin_counts) origin_list;

static struct origin_counts *
origin_named(origin_list *counts, struct text *name)
{
	for (size_t i = 0; i < counts->count; i++)
		if (!strcmp(text_get(&counts->at[i].name), text_get(name)))
			return &counts->at[i];
	struct origin_counts *count = vec_add(counts);
	count->name = *name;
	*name = (struct text){0};
	return count;
}

static void
count_origins(struct trace *trace, enum text_charset charset, origin_list *counts)
{
	index_origins origins = {0};
	struct reader *reader = reader_new(trace);
	struct expansion e = {0};
	struct text name = {0};
	index_get_origins(trace_index(trace), &origins);
	for (size_t i = 0; i < origins.count; i++) {
		struct message first;
		expansion_clear(&e);
		text_clear(&name);
		if (reader_find_origin(reader, &origins.at[i], &first))
			reader_expand(reader, &first, EXPAND_TEXT, &e);
		else
			text_add(&name, "(others)");
		text_add_safe(&name, text_get(&e.origin), e.origin.length, charset);
		struct origin_counts *count = origin_named(counts, &name);
		for (int s = 0; s < SEVERITY_COUNT; s++)
			count->severities[s] += origins.at[i].severities[s];
	}
	text_free(&name);
	expansion_free(&e);
	reader_free(reader);
	vec_free(&origins);
}

static void
add_column(const char *text, int columns, struct text *out)
{
	text_add(out, text);
	for (int width = text_columns(text, strlen(text)); width < columns; width++)
		text_add_char(out, ' ');
	text_add_char(out, ' ');
}

static void
add_line(const char *trace, const char *origin, const uint64_t *severities, uint8_t passing,
	 struct text *out)
{
	uint64_t sum = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += passing >> s & 1 ? severities[s] : 0;
	add_column(trace, TRACE_COLUMNS, out);
	add_column(*origin ? origin : "-", NAME_COLUMNS, out);
	text_addf(out, "%*" PRIu64, COUNT_COLUMNS, sum);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (passing >> s & 1)
			text_addf(out, " %*" PRIu64, COUNT_COLUMNS, severities[s]);
	text_add_char(out, '\n');
}

static void
count_doubts(struct reader *reader, struct doubts *doubts)
{
	struct index *index = trace_index(reader_trace(reader));
	struct index_cell cell;
	for (uint64_t i = 0; index_cell(index, i, &cell); i++) {
		if (!(cell.message_flags & ((1u << DOUBT_FLAGS) - 1)))
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(reader, i);
		for (size_t m = 0; m < decoded->count; m++)
			doubts_add_flags(doubts, decoded->messages[m].flags);
	}
}

static void
add_silent(const char *name, const char *kind, const char *bytes, struct text *silent)
{
	add_column(name, TRACE_COLUMNS, silent);
	add_column(kind, NAME_COLUMNS, silent);
	text_addf(silent, "%*s\n", COUNT_COLUMNS, bytes);
}

static void
add_silent_rows(const struct decoder_ops *ops, const uint64_t *all, const char *name,
		struct text *silent)
{
	for (size_t i = 0; i < ops->silent_count; i++) {
		uint64_t bits = all[i];
		char bytes[32]; /* half of one is a nibble */
		if (!bits)
			continue;
		if (!silent->length)
			add_silent("trace", "in no message", "bytes", silent);
		snprintf(bytes, sizeof bytes, "%.*f", bits % 8 != 0, (double)bits / 8);
		add_silent(name, ops->silent[i].name, bytes, silent);
	}
}

void
export_stats_head(const struct export_options *options, struct text *out)
{
	add_column("trace", TRACE_COLUMNS, out);
	add_column("origin", NAME_COLUMNS, out);
	text_addf(out, "%*s", COUNT_COLUMNS, "messages");
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (options->filter.severities >> s & 1)
			text_addf(out, " %*s", COUNT_COLUMNS, severity_name((enum severity)s));
	text_add_char(out, '\n');
}

void
export_stats(struct trace *trace, const struct export_options *options, struct text *out,
	     struct text *silent, struct export_result *result)
{
	struct index_progress progress;
	origin_list counts = {0};
	struct text name = {0};
	uint8_t passing = options->filter.severities;
	trace_build_whole(trace);
	text_add_safe(&name, trace_name(trace), strlen(trace_name(trace)), options->charset);
	count_origins(trace, options->charset, &counts);
	for (size_t i = 0; i < counts.count; i++) {
		struct origin_counts *count = &counts.at[i];
		add_line(text_get(&name), text_get(&count->name), count->severities, passing, out);
		text_free(&count->name);
	}
	index_get_progress(trace_index(trace), &progress);
	add_line(text_get(&name), "(all)", progress.severities, passing, out);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		result->messages += passing >> s & 1 ? progress.severities[s] : 0;
	struct reader *reader = reader_new(trace);
	count_doubts(reader, &result->doubts);
	reader_free(reader);
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	uint64_t bits[DECODE_SILENT_MAX];
	if (ops->silent_count) {
		trace_silent(trace, bits);
		add_silent_rows(ops, bits, text_get(&name), silent);
		doubts_add_silent(&result->doubts, ops, bits);
	}
	text_free(&name);
	vec_free(&counts);
}
