/* The table of doubts: see doubts.h. */
#include "config.h"

#include "trace/doubts.h"

#include <inttypes.h>

static const struct row {
	const char *what;
	const char *unit; /* of one; rows of the same unit are neighbours */
	const char *units;
	bool bad;
	const char *next; /* what to do */
} rows[DOUBT_COUNT] = {
#define MESSAGES "message", "messages"
    [DOUBT_DAMAGED] = {"damaged", MESSAGES, true, "-t text marks them"},
    [DOUBT_LOST] = {"lost", MESSAGES, true, "-t text marks them"},
    [DOUBT_TRUNCATED] = {"truncated", MESSAGES, true, "-t text marks them"},
    [DOUBT_SUSPECT] = {"suspect", MESSAGES, false, "-t text marks them"},
    [DOUBT_UNDECODED] = {"undecoded", "byte", "bytes", true, "-t stats counts them by kind"},
    [DOUBT_UNSEARCHED] = {"unsearched", "text", "texts", true, "make the expression simpler"},
#undef MESSAGES
};

void
doubts_add(struct doubts *doubts, const struct doubts *more)
{
	for (int i = 0; i < DOUBT_COUNT; i++)
		doubts->count[i] += more->count[i];
}

void
doubts_add_walk(struct doubts *doubts, struct reader *reader)
{
	const struct decoder_ops *ops = trace_decoder(reader_trace(reader))->ops;
	const uint64_t *bits = reader_silent(reader);
	for (size_t i = 0; i < ops->silent_count; i++)
		if (ops->silent[i].undecoded)
			doubts->count[DOUBT_UNDECODED] += (bits[i] + 7) / 8;
}

void
doubts_add_trace(struct doubts *doubts, struct trace *trace)
{
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	bool any = false;
	for (size_t i = 0; i < ops->silent_count; i++)
		any |= ops->silent[i].undecoded;
	if (!any)
		return;
	struct reader *reader = reader_new(trace);
	reader_walk_all(reader);
	doubts_add_walk(doubts, reader);
	reader_free(reader);
}

bool
doubts_are_bad(const struct doubts *doubts)
{
	bool bad = false;
	for (int i = 0; i < DOUBT_COUNT; i++)
		bad |= rows[i].bad && doubts->count[i];
	return bad;
}

void
doubts_describe(const struct doubts *doubts, struct text *out)
{
	const char *between = "", *next = NULL;
	for (int i = 0; i < DOUBT_COUNT; i++) {
		const struct row *row = &rows[i];
		if (!doubts->count[i])
			continue;
		text_addf(out, "%s%" PRIu64 " %s %s", between, doubts->count[i], row->what,
			  doubts->count[i] == 1 ? row->unit : row->units);
		next = next ? next : row->next;
		between = ", ";
	}
	if (next)
		text_addf(out, "; %s", next);
}
