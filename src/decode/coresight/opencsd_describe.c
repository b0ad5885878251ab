/*
 * Describe elements in words.  One function for each type builds its text from words, names of
 * values and numbers.
 */
#include "config.h"

#include "decode/coresight/opencsd_element.h"

#include <string.h>

enum {
	DESCRIBED_MOST = 512, /* bytes of a text; all are less than half as long */
	DIGITS_MOST = 16
};

/* A text under construction. */
struct element_words {
	char *at; /* end of the text, with enough room after it */
	bool begun;
};

/* Inline, so that the compiler can compute the length of a literal. */
static inline void
add_words(struct element_words *t, const char *words)
{
	t->begun = true;
	t->at = mempcpy(t->at, words, strlen(words));
}

static void
add_decimal(struct element_words *t, uint64_t value)
{
	t->begun = true;
	t->at = text_put_uint(t->at, value);
}

/* Append `0x` and at least DIGITS digits, padded to at most 16. */
static void
add_hexadecimal(struct element_words *t, uint64_t value, unsigned digits)
{
	add_words(t, "0x");
	t->at = text_put_hex(t->at, value, digits < DIGITS_MOST ? digits : DIGITS_MOST);
}

/* --- the types ----------------------------------------------------------- */

static const char *
value_name(const char *const *names, size_t count, size_t n)
{
	return n < count ? names[n] : "?";
}
#define NAMED(names, n) value_name(names, sizeof(names) / sizeof *(names), n)

static void
describe_context(const struct opencsd_element *e, struct element_words *t)
{
	const char *security = opencsd_mode_name(e->security, 0);
	if (e->flags & OPENCSD_HAS_LEVEL) {
		add_words(t, "EL");
		add_decimal(t, e->level);
		add_words(t, " ");
	}
	add_words(t, security ? security : "?");
	add_words(t, ", ");
	add_words(t, opencsd_member_name(OPENCSD_F_ISA, e));
	add_words(t, e->flags & OPENCSD_BITS64 ? " 64-bit" : " 32-bit");
	if (e->flags & OPENCSD_HAS_CONTEXT_ID) {
		add_words(t, ", context ");
		add_hexadecimal(t, e->context_id, 1);
	}
	if (e->flags & OPENCSD_HAS_VMID) {
		add_words(t, ", machine ");
		add_hexadecimal(t, e->vmid, 1);
	}
}

static void
describe_range(const struct opencsd_element *e, struct element_words *t)
{
	static const char *const ends[] = {"",		 "branch",     "indirect branch", "ISB",
					   "DSB or DMB", "WFI or WFE", "TSTART"};
	static const char *const kinds[] = {"", " with link", " (return)", " (exception return)",
					    " (return)"};
	add_hexadecimal(t, e->start, 1);
	add_words(t, "-");
	add_hexadecimal(t, e->end, 1);
	add_words(t, " ");
	add_words(t, opencsd_member_name(OPENCSD_F_ISA, e));
	add_words(t, " ");
	add_decimal(t, e->number);
	add_words(t, " instr");
	if (e->last_type) {
		add_words(t, e->flags & OPENCSD_CONDITIONAL ? ", conditional " : ", ");
		add_words(t, NAMED(ends, e->last_type));
		add_words(t, NAMED(kinds, e->last_subtype));
		if (e->last_type <= 2)
			add_words(t, e->flags & OPENCSD_EXECUTED ? " taken" : " not taken");
	}
	if (e->flags & OPENCSD_PASSED_BRANCH)
		add_words(t, "; unsure: OpenCSD passed over a branch");
}

static void
describe_nopath(const struct opencsd_element *e, struct element_words *t)
{
	add_hexadecimal(t, e->start, 1);
	add_words(t, " to ");
	add_hexadecimal(t, e->end, 1);
	add_words(t, " by an unknown path");
	if (!e->number)
		return;
	add_words(t, ", ");
	add_decimal(t, e->number);
	add_words(t, " instr");
}

static void
describe_nacc(const struct opencsd_element *e, struct element_words *t)
{
	add_hexadecimal(t, e->start, 1);
	add_words(t, " is in no memory image");
}

static void
describe_exception(const struct opencsd_element *e, struct element_words *t)
{
	if (e->flags & OPENCSD_DATA_MARKER) {
		add_words(t, "exception, data only");
	} else {
		add_words(t, "exception ");
		add_hexadecimal(t, e->number, 2);
	}
	if (e->flags & OPENCSD_HAS_RETURN) {
		add_words(t, ", returns to ");
		add_hexadecimal(t, e->end, 1);
	}
}

static void
describe_timestamp(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "time ");
	add_decimal(t, e->timestamp);
	if (e->flags & OPENCSD_FREQ_CHANGE)
		add_words(t, ", the core's frequency changed");
}

static void
describe_event(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "event ");
	add_words(t, opencsd_member_name(OPENCSD_F_EVENT_TYPE, e));
	if (e->reason != 2)
		return;
	add_words(t, " ");
	add_hexadecimal(t, e->number, 1);
}

static void
describe_software(const struct opencsd_element *e, struct element_words *t)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} notes[] = {{OPENCSD_GLOBAL_ERROR, "global error "},
		     {OPENCSD_MASTER_ERROR, "master error "},
		     {OPENCSD_TRIGGER, "trigger "}};
	bool marked = e->flags & OPENCSD_MARKER;
	if (e->flags & OPENCSD_FREQUENCY) {
		add_decimal(t, e->value);
		add_words(t, " Hz");
		return;
	}
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (e->flags & notes[i].flag) {
			add_words(t, notes[i].name);
			add_hexadecimal(t, e->value, 2);
			return;
		}
	if (!e->bits) {
		add_words(t, marked ? "flag" : "time only");
		return;
	}
	add_hexadecimal(t, e->value, e->bits / 4);
	if (marked)
		add_words(t, " marked");
}

static void
describe_instrumentation(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "EL");
	add_decimal(t, e->level);
	add_words(t, "; ");
	add_hexadecimal(t, e->value, 16);
}

static void
describe_itm(const struct opencsd_element *e, struct element_words *t)
{
	if (e->flags & OPENCSD_OVERFLOW)
		add_words(t, "packets lost; ");
	if (e->reason == OPENCSD_ITM_TIME_GLOBAL) {
		describe_timestamp(e, t);
	} else if (e->reason == OPENCSD_ITM_SOFTWARE || e->reason == OPENCSD_ITM_HARDWARE) {
		add_words(t, e->reason == OPENCSD_ITM_SOFTWARE ? "port " : "hardware ");
		add_decimal(t, e->channel);
		add_words(t, ": ");
		add_hexadecimal(t, e->value, 2u * e->packets);
	} else {
		add_words(t, "local time +");
		add_decimal(t, e->value);
	}
}

static void
describe_marker(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "a later time stamp is for here (marker ");
	add_hexadecimal(t, e->number, 1);
	add_words(t, ")");
}

static void
describe_unsync(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, e->type == OPENCSD_EO_TRACE ? "end of trace: " : "not synchronised: ");
	add_words(t, opencsd_member_name(OPENCSD_F_UNSYNC, e));
}

static void
describe_trace_on(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "trace on: ");
	add_words(t, opencsd_member_name(OPENCSD_F_TRACE_ON, e));
}

static void
describe_memtrans(const struct opencsd_element *e, struct element_words *t)
{
	add_words(t, "transaction: ");
	add_words(t, opencsd_member_name(OPENCSD_F_MEMTRANS, e));
}

static void (*const describers[OPENCSD_ELEMENTS])(const struct opencsd_element *,
						  struct element_words *) = {
    [OPENCSD_NO_SYNC] = describe_unsync,      [OPENCSD_TRACE_ON] = describe_trace_on,
    [OPENCSD_EO_TRACE] = describe_unsync,     [OPENCSD_PE_CONTEXT] = describe_context,
    [OPENCSD_INSTR_RANGE] = describe_range,   [OPENCSD_I_RANGE_NOPATH] = describe_nopath,
    [OPENCSD_ADDR_NACC] = describe_nacc,      [OPENCSD_EXCEPTION] = describe_exception,
    [OPENCSD_TIMESTAMP] = describe_timestamp, [OPENCSD_EVENT] = describe_event,
    [OPENCSD_SWTRACE] = describe_software,    [OPENCSD_SYNC_MARKER] = describe_marker,
    [OPENCSD_MEMTRANS] = describe_memtrans,   [OPENCSD_INSTRUMENTATION] = describe_instrumentation,
    [OPENCSD_ITMTRACE] = describe_itm,
};

static void
describe_element(const struct opencsd_element *e, struct element_words *t)
{
	if (describers[e->type])
		describers[e->type](e, t);
	else if (e->type != OPENCSD_CYCLE_COUNT)
		add_words(t, opencsd_kinds[e->type].help);
	if (!(e->flags & OPENCSD_HAS_CYCLES))
		return;
	if (t->begun)
		add_words(t, ", ");
	add_decimal(t, e->cycles);
	add_words(t, " cycles");
}

void
opencsd_element_describe(const struct opencsd_element *e, struct text *out)
{
	text_reserve(out, DESCRIBED_MOST);
	struct element_words t = {.at = out->data + out->length};
	describe_element(e, &t);
	*t.at = '\0';
	out->length = (size_t)(t.at - out->data);
}
