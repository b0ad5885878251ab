/* Table of doubts: see doubts.h. */
#include "config.h"

#include "trace/doubts.h"
#include "program/disassemble.h"
#include "program/symbols.h"

#include <inttypes.h>
#include <string.h>

static const struct doubt_row {
	const char *one, *many; /* NULL: it has its own sentences */
	bool bad;
	const char *next; /* advice; rows with the same advice are adjacent */
} rows[DOUBT_COUNT] = {
#define MARKED "-t text marks them"
    [DOUBT_DAMAGED] = {"damaged message", "damaged messages", true, MARKED},
    [DOUBT_LOST] = {"lost message", "lost messages", true, MARKED},
    [DOUBT_TRUNCATED] = {"truncated message", "truncated messages", true, MARKED},
    [DOUBT_SUSPECT] = {"suspect message", "suspect messages", false, MARKED},
    [DOUBT_UNDECODED] = {"undecoded byte", "undecoded bytes", true, "-t stats counts them by kind"},
    [DOUBT_UNSEARCHED] = {"text that may match, but a regular expression gave up on it",
			  "texts that may match, but a regular expression gave up on them", true,
			  "make the expression simpler"},
    [DOUBT_UNFOLLOWED] = {"place after which it is not known what was executed",
			  "places after which it is not known what was executed", true,
			  "-t insn says why"},
    [DOUBT_MISFIT] = {"processor whose image does not fit: what it executed is a guess",
		      "processors whose image does not fit: what they executed is a guess", true,
		      "--info says how well; give the images of the traced build"},
    [DOUBT_TEXTLESS] = {"instruction has no text", "instructions have no text", false,
			"no disassembler is installed: " DISASSEMBLER_MISSING},
    [DOUBT_NAMELESS] = {"instruction is in no function that has a name: it stands under the "
			"address that was called",
			"instructions are in no function that has a name: they stand under the "
			"address that was called",
			false, symbols_missing},
    [DOUBT_UNNAMED] = {"instruction stands without the name of a function",
		       "instructions stand without the name of a function", false, symbols_missing},
    [DOUBT_CODELESS] = {"instruction is in no program: that it was executed is all that is known",
			"instructions are in no program: their addresses and number are all that "
			"is known",
			false, "`symbols: [{file: PROGRAM.elf}]` of a profile names the program"},
    [DOUBT_UNCOUNTED] = {"run of instructions is not counted: there are too many places",
			 "runs of instructions are not counted: there are too many places", true,
			 "-e 'trace_number in 0..N' counts a part"},
    [DOUBT_INCOMPLETE] = {.bad = true},
    [DOUBT_UNLOADED] = {.bad = true},
#undef MARKED
};

_Static_assert(DOUBT_FLAGS == MESSAGE_FLAGS_DOUBT, "a doubt for each flag of one");

void
doubts_add(struct doubts *doubts, const struct doubts *more)
{
	for (int i = 0; i < DOUBT_COUNT; i++)
		doubts->count[i] += more->count[i];
}

void
doubts_remove(struct doubts *doubts, unsigned count)
{
	memset(doubts->count, 0, count * sizeof *doubts->count);
}

void
doubts_add_silent(struct doubts *doubts, const struct decoder_ops *ops, const uint64_t *bits)
{
	for (size_t i = 0; i < ops->silent_count; i++)
		if (ops->silent[i].undecoded)
			doubts->count[DOUBT_UNDECODED] += (bits[i] + 7) / 8;
}

void
doubts_add_walk(struct doubts *doubts, struct reader *reader)
{
	doubts_add_silent(doubts, trace_decoder(reader_trace(reader))->ops, reader_silent(reader));
}

void
doubts_read_silent(struct trace *trace, uint64_t bits[static DECODE_SILENT_MAX])
{
	enum { BATCH = 512 };
	struct message batch[BATCH];
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	if (progress.complete && index_silent(trace_index(trace), bits))
		return;
	struct reader *reader = reader_new(trace);
	while (reader_walk(reader, batch, BATCH))
		continue;
	memcpy(bits, reader_silent(reader), DECODE_SILENT_MAX * sizeof *bits);
	reader_free(reader);
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
	uint64_t bits[DECODE_SILENT_MAX];
	doubts_read_silent(trace, bits);
	doubts_add_silent(doubts, ops, bits);
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
	const char *next = NULL;
	for (int i = 0; i < DOUBT_COUNT; i++) {
		const struct doubt_row *row = &rows[i];
		if (!doubts->count[i] || !row->one)
			continue;
		if (next && strcmp(next, row->next) != 0)
			text_addf(out, "; %s\n", next);
		else if (next)
			text_add(out, ", ");
		text_addf(out, "%" PRIu64 " %s", doubts->count[i],
			  doubts->count[i] == 1 ? row->one : row->many);
		next = row->next;
	}
	if (next)
		text_addf(out, "; %s", next);
}
