/*
 * ITM captures of an independent encoder (itm_encode.h): what they are recognised as, their
 * rows, and what damage does to them.
 *
 * TRAWL_RUNS=1000 tries that many captures in each test, TRAWL_SEED=7 others.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "decode/coresight/swo.h"
#include "drive.h"
#include "itm_encode.h"
#include "trace/dump_guess.h"
#include "trace/recognise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t first_seed;

/* --- decoded rows ---------------------------------------------------------- */

struct row {
	char *text;
	uint64_t start, end;
	uint64_t ticks;
	uint16_t flags;
	uint8_t kind;
};
typedef VEC(struct row) row_list;

static uint64_t
number(const struct expansion *e, const char *name)
{
	const struct field *field = expansion_find(e, name);
	return field ? field->u : UINT64_MAX;
}

static const char *
word(const struct expansion *e, const char *name)
{
	static char buffer[2][64];
	static unsigned at;
	const struct field *field = expansion_find(e, name);
	char *out = buffer[at++ % 2];
	snprintf(out, sizeof buffer[0], "%.*s", field ? (int)field->s.length : 1,
		 field ? field->s.at : "?");
	return out;
}

/* Names of the counters as bits [ARMv7-M, D4.3, source 0]. */
static unsigned
counter_mask(const char *list)
{
	static const char *const names[] = {"CPI", "EXC", "SLEEP", "LSU", "FOLD", "CYC"};
	unsigned mask = 0;
	for (unsigned i = 0; i < 6; i++)
		mask |= strstr(list, names[i]) ? 1u << i : 0;
	return mask;
}

/* The texts of itm_encode.c, of a message's fields. */
static char *
row_text(const struct message *m, const struct expansion *e)
{
	struct text t = {0};
	const struct field *field;
	const char *type = text_get(&e->type);
	switch (m->kind) {
	case SWO_KIND_LINE:
		text_addf(&t, "line %" PRIx64 " ", number(e, "port"));
		field = expansion_find(e, "bytes");
		for (size_t i = 0; i < field->s.length; i++)
			text_addf(&t, "%02x", (unsigned)(uint8_t)field->s.at[i]);
		break;
	case SWO_KIND_PORT:
		text_addf(&t, "port %" PRIx64 " %" PRIx64 " %" PRIx64, number(e, "port"),
			  number(e, "size"), number(e, "value"));
		break;
	case SWO_KIND_EXCEPTION:
		text_addf(&t, "exception %" PRIx64 " %s", number(e, "exception"),
			  word(e, "action"));
		break;
	case SWO_KIND_PC:
		if (expansion_find(e, "pc"))
			text_addf(&t, "pc %" PRIx64, number(e, "pc"));
		else
			text_addf(&t, "pc %s", word(e, "state"));
		break;
	case SWO_KIND_DATA: {
		const char *what = word(e, "what");
		text_addf(&t, "data_trace %" PRIx64 " %s %" PRIx64 " %" PRIx64,
			  number(e, "comparator"), what, number(e, "size"),
			  number(e, !strcmp(what, "address") ? "address_low"
				    : !strcmp(what, "read") || !strcmp(what, "write") ? "value"
										      : "pc"));
		break;
	}
	case SWO_KIND_EVENTS:
		field = expansion_find(e, "pmu");
		if (field)
			text_addf(&t, "pmu %" PRIx64, field->u);
		else
			text_addf(&t, "counter %x", counter_mask(word(e, "counters")));
		break;
	case SWO_KIND_LOCAL:
		text_addf(&t, "%s %" PRIx64 " %s", type, number(e, "ticks"), word(e, "relation"));
		break;
	case SWO_KIND_GLOBAL:
		text_addf(&t, "%s %" PRIx64, type, number(e, "global"));
		break;
	case SWO_KIND_GLOBAL_PART:
		text_addf(&t, "%s %" PRIx64, type, number(e, "part"));
		break;
	case SWO_KIND_EXTENSION:
		text_addf(&t, "%s %" PRIx64, type, number(e, "page"));
		break;
	default:
		if (!strcmp(type, "reserved"))
			text_addf(&t, "reserved %" PRIx64, number(e, "size"));
		else
			text_add(&t, type);
	}
	return t.data;
}

struct decoded {
	struct drive drive;
	row_list rows;
};

static void
decode(struct decoded *d, const struct itm_plan *plan, const struct itm_made *made, unsigned itm)
{
	struct drive_messages messages;
	struct expansion e = {0};
	char id[8];
	*d = (struct decoded){.rows = {0}};
	drive_open(&d->drive, plan->framed ? "tpiu" : "itm", made->bytes.at, made->bytes.count);
	snprintf(id, sizeof id, "%u", made->ids[itm]);
	if (plan->framed)
		drive_set(&d->drive, "id", id);
	drive_start(&d->drive);
	drive_all(&d->drive, &messages);
	struct window w = drive_window(&d->drive);
	for (size_t i = 0; i < messages.list.count; i++) {
		const struct message *m = &messages.list.at[i];
		d->drive.ops->expand(d->drive.decoder, m, &w, EXPAND_FIELDS, NULL, &e);
		*vec_add(&d->rows) = (struct row){.text = row_text(m, &e),
						  .start = m->offset,
						  .end = m->offset + m->length,
						  .ticks = m->ticks,
						  .flags = m->flags,
						  .kind = m->kind};
	}
	expansion_free(&e);
	vec_free(&messages.list);
}

static void
decoded_free(struct decoded *d)
{
	for (size_t i = 0; i < d->rows.count; i++)
		free(d->rows.at[i].text);
	vec_free(&d->rows);
	drive_close(&d->drive);
}

/* The rows that one ITM sent. */
typedef VEC(const struct itm_row *) sent_list;

static sent_list
sent_by(const struct itm_made *made, unsigned itm)
{
	sent_list list = {0};
	for (size_t i = 0; i < made->rows.count; i++)
		if (made->rows.at[i].itm == itm)
			*vec_add(&list) = &made->rows.at[i];
	return list;
}

static void
describe(const char *what, uint64_t seed, const struct itm_plan *plan)
{
	print_message("seed %" PRIu64 ", has 0x%x, text by %u, %u ITMs, %s, %u packets: %s\n", seed,
		      plan->has, plan->text_size, plan->itms, plan->framed ? "frames" : "bare",
		      plan->packets, what);
}

/* --- whole captures -------------------------------------------------------- */

static bool
check_whole(uint64_t seed)
{
	struct itm_plan plan = itm_plan_random(seed, false);
	struct itm_made made;
	bool good = true;
	itm_encode(&plan, &made);
	for (unsigned itm = 0; itm < plan.itms && good; itm++) {
		sent_list sent = sent_by(&made, itm);
		struct decoded d;
		decode(&d, &plan, &made, itm);
		for (size_t i = 0; good && i < sent.count && i < d.rows.count; i++) {
			const struct itm_row *want = sent.at[i];
			const struct row *got = &d.rows.at[i];
			good = !strcmp(want->text, got->text) && want->start == got->start &&
			       (!(got->flags & MESSAGE_SUSPECT) || got->kind == SWO_KIND_RESERVED);
			/* a timestamp that is far is not looked for */
			if (good && want->timed && !want->is_sync &&
			    !(got->flags & MESSAGE_ESTIMATED))
				good = got->flags & MESSAGE_TIMED && got->ticks == want->ticks;
			if (good)
				continue;
			describe("a row differs", seed, &plan);
			print_message("row %zu: sent at %" PRIu64 " (%" PRIu64
				      ") %s\n  got at %" PRIu64 " (%" PRIu64 ") %s, flags 0x%x\n",
				      i, want->start, want->ticks, want->text, got->start,
				      got->ticks, got->text, got->flags);
		}
		if (good && sent.count != d.rows.count) {
			describe("rows are missing", seed, &plan);
			print_message("%zu sent, %zu decoded\n", sent.count, d.rows.count);
			good = false;
		}
		vec_free(&sent);
		decoded_free(&d);
	}
	itm_made_free(&made);
	return good;
}

static void
whole(void **state)
{
	unsigned wrong = 0, runs = test_runs(150);
	(void)state;
	for (unsigned i = 0; i < runs; i++)
		wrong += !check_whole(first_seed + i);
	print_message("%u of %u captures have wrong rows\n", wrong, runs);
	assert_int_equal(wrong, 0);
}

/* --- recognition ----------------------------------------------------------- */

static bool
is_recognised(uint64_t seed)
{
	struct itm_plan plan = itm_plan_random(seed, false);
	struct itm_made made;
	struct recognition r = {0};
	itm_encode(&plan, &made);
	size_t length = made.bytes.count < 65536 ? made.bytes.count : 65536;
	struct window head = {.bytes = made.bytes.at,
			      .length = length,
			      .until = UINT64_MAX,
			      .last = length == made.bytes.count};
	recognition_find(&r, &head, NULL);
	const struct candidate *best = r.candidates.at;
	bool good = r.candidates.count && best->probe.score >= PROBE_DECODE &&
		    !strcmp(best->ops->format, plan.framed ? "tpiu" : "itm");
	if (good && best->probe.score < PROBE_CERTAIN)
		good = !dump_guess_swap(&head, NULL);
	if (!good) {
		describe("not recognised", seed, &plan);
		if (r.candidates.count)
			print_message("  %s, %d: %s\n", decoder_name(best->ops), best->probe.score,
				      best->probe.reason);
	}
	recognition_free(&r);
	itm_made_free(&made);
	return good;
}

static void
recognised(void **state)
{
	unsigned missed = 0, runs = test_runs(150);
	(void)state;
	for (unsigned i = 0; i < runs; i++)
		missed += !is_recognised(first_seed + i);
	print_message("%u of %u captures are not recognised\n", missed, runs);
	assert_true(missed * 100 <= runs * 3);
}

/* --- damage ---------------------------------------------------------------- */

struct tally {
	uint64_t right, flagged; /* rows that were sent, and of them with a flag */
	uint64_t sent;
	uint64_t invented, flagged_invented, after_sync; /* AFTER_SYNC: without a flag */
};

/* Whether a row is the one that was sent; of a global time only the low bits may be known. */
static bool
is_same(const struct itm_row *sent, const struct row *row)
{
	static const char whole[] = "global_time ", part[] = "global_part ";
	const size_t length = sizeof part - 1;
	if (strncmp(sent->text, whole, length) != 0 || strncmp(row->text, part, length) != 0)
		return !strcmp(sent->text, row->text);
	return (strtoull(sent->text + length, NULL, 16) & 0x3ffffff) ==
	       strtoull(row->text + length, NULL, 16);
}

/* Which decoded rows were sent, in the same order: the longest common subsequence. */
static void
match_rows(const sent_list *sent, const row_list *rows, bool *is_sent)
{
	size_t n = sent->count, m = rows->count, width = m + 1;
	uint16_t *best = mem_new((n + 1) * width * sizeof *best);
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			bool same = is_same(sent->at[i], &rows->at[k]);
			uint16_t a = best[(i + 1) * width + k], b = best[i * width + k + 1];
			uint16_t c = (uint16_t)(best[(i + 1) * width + k + 1] + 1);
			best[i * width + k] = same ? c : a > b ? a : b;
		}
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (is_same(sent->at[i], &rows->at[k])) {
			is_sent[k++] = true;
			i++;
		} else if (best[(i + 1) * width + k] >= best[i * width + k + 1]) {
			i++;
		} else {
			k++;
		}
	}
	free(best);
}

/* Whether a synchronisation that is whole lies between the last damage before the end of a
 * row and the row. */
static bool
is_after_sync(const struct itm_made *made, const sent_list *sent, const struct row *row)
{
	uint64_t last = 0;
	bool any = false;
	for (size_t i = 0; i < made->damage.count; i++)
		if (made->damage.at[i] < row->end && made->damage.at[i] >= last)
			last = made->damage.at[i];
	for (size_t i = 0; i < sent->count && !any; i++)
		any = sent->at[i]->is_sync && !sent->at[i]->hit && sent->at[i]->start > last + 16 &&
		      sent->at[i]->end <= row->start;
	return any;
}

static void
check_damaged(uint64_t seed, struct tally *tally)
{
	enum { DOUBT = MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED | MESSAGE_SUSPECT };
	struct itm_plan plan = itm_plan_random(seed, true);
	struct itm_made made;
	const char *verbose = getenv("TRAWL_VERBOSE");
	itm_encode(&plan, &made);
	for (unsigned itm = 0; itm < plan.itms; itm++) {
		sent_list sent = sent_by(&made, itm);
		struct decoded d;
		struct tally own = {0};
		decode(&d, &plan, &made, itm);
		bool *is_sent = mem_new(d.rows.count + 1);
		match_rows(&sent, &d.rows, is_sent);
		for (size_t i = 0; i < d.rows.count; i++) {
			const struct row *row = &d.rows.at[i];
			bool doubt = row->flags & DOUBT;
			/* that packets were lost in the target is a fact */
			if (is_sent[i] && row->kind == SWO_KIND_OVERFLOW)
				doubt = row->flags & MESSAGE_SUSPECT;
			own.right += is_sent[i];
			own.flagged += is_sent[i] && doubt;
			own.invented += !is_sent[i];
			own.flagged_invented += !is_sent[i] && doubt;
			bool late = !is_sent[i] && !doubt && is_after_sync(&made, &sent, row);
			own.after_sync += late;
			if (verbose && !is_sent[i] && !doubt)
				print_message("  %" PRIu64 "%s %s\n", row->start,
					      late ? " after a sync:" : "", row->text);
		}
		if (verbose) {
			describe("damaged", seed, &plan);
			print_message("  %u cuts, %u strays; %zu sent, %" PRIu64 " right, %" PRIu64
				      " of them flagged, %" PRIu64 " invented, %" PRIu64
				      " of them flagged\n",
				      plan.cuts, plan.strays, sent.count, own.right, own.flagged,
				      own.invented, own.flagged_invented);
		}
		tally->sent += sent.count;
		tally->right += own.right;
		tally->flagged += own.flagged;
		tally->invented += own.invented;
		tally->flagged_invented += own.flagged_invented;
		tally->after_sync += own.after_sync;
		free(is_sent);
		vec_free(&sent);
		decoded_free(&d);
	}
	itm_made_free(&made);
}

static void
damaged(void **state)
{
	unsigned runs = test_runs(60);
	struct tally all = {0};
	(void)state;
	for (unsigned i = 0; i < runs; i++)
		check_damaged(first_seed + i, &all);
	uint64_t plain = all.invented - all.flagged_invented;
	print_message("%" PRIu64 " rows sent, %" PRIu64 " right, %" PRIu64
		      " of them flagged; %" PRIu64 " invented, %" PRIu64
		      " of them without a flag, %" PRIu64 " after a sync\n",
		      all.sent, all.right, all.flagged, all.invented, plain, all.after_sync);
	assert_true(all.after_sync * 10000 <= all.right);
	assert_true(plain * 100 <= all.right);
	assert_true(all.flagged * 100 <= all.right * 5);
	assert_true(all.right * 100 >= all.sent * 90);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole),
	    cmocka_unit_test(recognised),
	    cmocka_unit_test(damaged),
	};
	const char *other = getenv("TRAWL_SEED");
	first_seed = other ? strtoull(other, NULL, 10) : 1;
	return cmocka_run_group_tests_name("itm_random", tests, NULL, NULL);
}
