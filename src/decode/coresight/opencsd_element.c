/*
 * Generic trace elements: see opencsd_element.h.
 *
 * `members` lists for each field the types that have it and when it is valid.  Both the fields of
 * a message and the parser of listings use it.  `parts` is the grammar of a listing line; a line
 * that violates it anywhere is no element.  The writer has separate functions, because blanks
 * matter: its lines must equal those of trc_pkt_lister 1.3.3.  ITMTRACE and INSTRUMENTATION are
 * written as by later versions.
 */
#include "config.h"

#include "decode/coresight/opencsd_element.h"

#include "base/bytes.h"

#include <string.h>

#define PREFIX "OCSD_GEN_TRC_ELEM_"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- names ------------------------------------------------------------- */

/* [OpenCSD 1.3.3, trc_gen_elem_types.h], without OCSD_GEN_TRC_ELEM_ */
static const char *const type_names[] = {
    [OPENCSD_UNKNOWN] = "UNKNOWN",
    [OPENCSD_NO_SYNC] = "NO_SYNC",
    [OPENCSD_TRACE_ON] = "TRACE_ON",
    [OPENCSD_EO_TRACE] = "EO_TRACE",
    [OPENCSD_PE_CONTEXT] = "PE_CONTEXT",
    [OPENCSD_INSTR_RANGE] = "INSTR_RANGE",
    [OPENCSD_I_RANGE_NOPATH] = "I_RANGE_NOPATH",
    [OPENCSD_ADDR_NACC] = "ADDR_NACC",
    [OPENCSD_ADDR_UNKNOWN] = "ADDR_UNKNOWN",
    [OPENCSD_EXCEPTION] = "EXCEPTION",
    [OPENCSD_EXCEPTION_RET] = "EXCEPTION_RET",
    [OPENCSD_TIMESTAMP] = "TIMESTAMP",
    [OPENCSD_CYCLE_COUNT] = "CYCLE_COUNT",
    [OPENCSD_EVENT] = "EVENT",
    [OPENCSD_SWTRACE] = "SWTRACE",
    [OPENCSD_SYNC_MARKER] = "SYNC_MARKER",
    [OPENCSD_MEMTRANS] = "MEMTRANS",
    [OPENCSD_INSTRUMENTATION] = "INSTRUMENTATION",
    [OPENCSD_ITMTRACE] = "ITMTRACE",
    [OPENCSD_CUSTOM] = "CUSTOM",
    NULL,
};
/* Names here and below: as in a listing [OpenCSD 1.3.3, second hand: trc_pkt_lister]; the numbers
 * are [OpenCSD 1.3.3, ocsd_if_types.h]. */
static const char *const unsync_names[] = {
    [OPENCSD_UNSYNC_UNKNOWN] = "undefined",
    [OPENCSD_UNSYNC_INIT] = "init-decoder",
    [OPENCSD_UNSYNC_RESET] = "reset-decoder",
    [OPENCSD_UNSYNC_OVERFLOW] = "overflow",
    [OPENCSD_UNSYNC_DISCARD] = "discard",
    [OPENCSD_UNSYNC_BAD_PACKET] = "bad-packet",
    [OPENCSD_UNSYNC_BAD_IMAGE] = "bad-program-image",
    [OPENCSD_UNSYNC_END] = "end-of-trace",
    NULL,
};
static const char *const trace_on_names[] = {"begin or filter", "overflow", "debug restart", NULL};
static const char *const isa_names[] = {"A32", "T32", "A64", "TEE", "Jaz", "Cst", "Unk", NULL};
static const char *const security_names[] = {"S", "N", "Root", "Realm", NULL};
/* Security in words, after the exception level if known [Arm IHI 0064, "Context instruction trace
 * packet"]. */
#define LEVELS(security)                                                                           \
	{                                                                                          \
		security, "EL0 " security, "EL1 " security, "EL2 " security, "EL3 " security       \
	}
static const char *const modes[][5] = {LEVELS("secure"), LEVELS("non-secure"), LEVELS("root"),
				       LEVELS("realm")};
#undef LEVELS
static const char *const instr_names[] = {"other",   "BR",	"iBR",	  "ISB",
					  "DSB.DMB", "WFI.WFE", "TSTART", NULL};
static const char *const subtype_names[] = {"none",	"b+link",      "A64:ret",
					    "A64:eret", "V7:impl ret", NULL};
/* Types and subtypes as in a listing. */
static const char *const listed_types[] = {"--- ",    "BR  ",	 "iBR ",   "ISB ",
					   "DSB.DMB", "WFI.WFE", "TSTART", NULL};
static const char *const listed_subtypes[] = {"",	   "b+link ",	  "A64:ret ",
					      "A64:eret ", "V7:impl ret", NULL};
static const char *const event_names[] = {"unknown", "trigger", "numbered", NULL};
static const char *const marker_names[] = {"Timestamp marker", NULL};
static const char *const memtrans_names[] = {"Init", "Start", "Commit", "Fail", NULL};
static const char *const itm_names[] = {
    [OPENCSD_ITM_TIME_SYNC] = "TS Sync",	 [OPENCSD_ITM_TIME_DELAY] = "TS Delay",
    [OPENCSD_ITM_PACKET_DELAY] = "Packet Delay", [OPENCSD_ITM_BOTH_DELAY] = "TS and Packet Delay",
    [OPENCSD_ITM_SOFTWARE] = "ITM_SWIT",	 [OPENCSD_ITM_HARDWARE] = "ITM_DWT",
    [OPENCSD_ITM_TIME_GLOBAL] = "ITM_TS_GLOBAL", NULL,
};

/* Return name N of a list, or "?" if N is past its end. */
static const char *
name_of(const char *const *names, unsigned n)
{
	while (*names && n--)
		names++;
	return *names ? *names : "?";
}

const char *
opencsd_type_name(unsigned type)
{
	return type < COUNT(type_names) - 1 ? type_names[type] : "?";
}

/* --- the table of members ---------------------------------------------- */

#define T(type) (1u << OPENCSD_##type)
#define ALL (T(ELEMENTS) - 1)
#define MEMBER(name)                                                                               \
	.at = offsetof(struct opencsd_element, name),                                              \
	.size = sizeof((struct opencsd_element *)NULL)->name

static const struct member {
	uint32_t types; /* element types that have the field */
	uint32_t when;	/* flags that must all be set */
	uint32_t never; /* flags that must all be clear */
	uint16_t at, size;
	uint32_t flag;		  /* FIELD_BOOL: the flag, instead of `at` */
	const char *const *names; /* FIELD_TEXT: names of the number at `at` */
} members[OPENCSD_F_MEMBERS] = {
    [OPENCSD_F_INDEX] = {.types = ALL, MEMBER(index)},
    [OPENCSD_F_ID] = {.types = ALL, MEMBER(id)},
    [OPENCSD_F_ELEMENT] = {.types = ALL, MEMBER(type), .names = type_names},
    [OPENCSD_F_UNSYNC] = {.types = T(NO_SYNC) | T(EO_TRACE), MEMBER(reason), .names = unsync_names},
    [OPENCSD_F_TRACE_ON] = {.types = T(TRACE_ON), MEMBER(reason), .names = trace_on_names},
    [OPENCSD_F_ISA] = {.types = T(PE_CONTEXT) | T(INSTR_RANGE) | T(I_RANGE_NOPATH),
		       MEMBER(isa),
		       .names = isa_names},
    [OPENCSD_F_SECURITY] = {.types = T(PE_CONTEXT), MEMBER(security), .names = security_names},
    [OPENCSD_F_LEVEL] = {.types = T(PE_CONTEXT), .when = OPENCSD_HAS_LEVEL, MEMBER(level)},
    [OPENCSD_F_BITS64] = {.types = T(PE_CONTEXT), .flag = OPENCSD_BITS64},
    [OPENCSD_F_VMID] = {.types = T(PE_CONTEXT), .when = OPENCSD_HAS_VMID, MEMBER(vmid)},
    [OPENCSD_F_CONTEXT_ID] = {.types = T(PE_CONTEXT),
			      .when = OPENCSD_HAS_CONTEXT_ID,
			      MEMBER(context_id)},
    [OPENCSD_F_START] = {.types = T(INSTR_RANGE) | T(I_RANGE_NOPATH) | T(ADDR_NACC), MEMBER(start)},
    [OPENCSD_F_END] = {.types = T(INSTR_RANGE) | T(I_RANGE_NOPATH), MEMBER(end)},
    [OPENCSD_F_SPACE] = {.types = T(ADDR_NACC), .when = OPENCSD_HAS_SPACE, MEMBER(number)},
    [OPENCSD_F_NUMBER] = {.types = T(INSTR_RANGE) | T(I_RANGE_NOPATH), MEMBER(number)},
    [OPENCSD_F_LAST_TYPE] = {.types = T(INSTR_RANGE), MEMBER(last_type), .names = instr_names},
    [OPENCSD_F_LAST_SUBTYPE] = {.types = T(INSTR_RANGE),
				MEMBER(last_subtype),
				.names = subtype_names},
    [OPENCSD_F_EXECUTED] = {.types = T(INSTR_RANGE), .flag = OPENCSD_EXECUTED},
    [OPENCSD_F_LAST_SIZE] = {.types = T(INSTR_RANGE), MEMBER(last_size)},
    [OPENCSD_F_CONDITIONAL] = {.types = T(INSTR_RANGE), .flag = OPENCSD_CONDITIONAL},
    [OPENCSD_F_EXCEPTION] = {.types = T(EXCEPTION), .never = OPENCSD_DATA_MARKER, MEMBER(number)},
    [OPENCSD_F_RETURN] = {.types = T(EXCEPTION), .flag = OPENCSD_HAS_RETURN},
    [OPENCSD_F_RETURN_ADDRESS] = {.types = T(EXCEPTION), .when = OPENCSD_HAS_RETURN, MEMBER(end)},
    [OPENCSD_F_RETURN_IS_TARGET] = {.types = T(EXCEPTION),
				    .when = OPENCSD_HAS_RETURN,
				    .flag = OPENCSD_RETURN_IS_TARGET},
    [OPENCSD_F_DATA_MARKER] = {.types = T(EXCEPTION), .flag = OPENCSD_DATA_MARKER},
    [OPENCSD_F_EVENT_TYPE] = {.types = T(EVENT), MEMBER(reason), .names = event_names},
    [OPENCSD_F_EVENT] = {.types = T(EVENT), MEMBER(number)},
    [OPENCSD_F_MARKER_TYPE] = {.types = T(SYNC_MARKER), MEMBER(reason), .names = marker_names},
    [OPENCSD_F_MARKER_VALUE] = {.types = T(SYNC_MARKER), MEMBER(number)},
    [OPENCSD_F_MEMTRANS] = {.types = T(MEMTRANS), MEMBER(reason), .names = memtrans_names},
    [OPENCSD_F_MASTER] = {.types = T(SWTRACE), .when = OPENCSD_HAS_SENDER, MEMBER(master)},
    [OPENCSD_F_CHANNEL] = {.types = T(SWTRACE), .when = OPENCSD_HAS_SENDER, MEMBER(channel)},
    [OPENCSD_F_PAYLOAD_BITS] = {.types = T(SWTRACE), MEMBER(bits)},
    [OPENCSD_F_PAYLOAD_PACKETS] = {.types = T(SWTRACE), MEMBER(packets)},
    [OPENCSD_F_PAYLOAD] = {.types = T(SWTRACE), .when = OPENCSD_HAS_PAYLOAD, MEMBER(value)},
    [OPENCSD_F_MARKER] = {.types = T(SWTRACE), .flag = OPENCSD_MARKER},
    [OPENCSD_F_MARKER_FIRST] = {.types = T(SWTRACE), .flag = OPENCSD_MARKER_FIRST},
    [OPENCSD_F_FREQUENCY] = {.types = T(SWTRACE), .flag = OPENCSD_FREQUENCY},
    [OPENCSD_F_TRIGGER] = {.types = T(SWTRACE), .flag = OPENCSD_TRIGGER},
    [OPENCSD_F_MASTER_ERROR] = {.types = T(SWTRACE), .flag = OPENCSD_MASTER_ERROR},
    [OPENCSD_F_GLOBAL_ERROR] = {.types = T(SWTRACE), .flag = OPENCSD_GLOBAL_ERROR},
    [OPENCSD_F_ITM_TYPE] = {.types = T(ITMTRACE), MEMBER(reason), .names = itm_names},
    [OPENCSD_F_ITM_PORT] = {.types = T(ITMTRACE), .when = OPENCSD_HAS_SENDER, MEMBER(channel)},
    [OPENCSD_F_ITM_SOURCE] = {.types = T(ITMTRACE),
			      .never = OPENCSD_HAS_SENDER | OPENCSD_HAS_TIMESTAMP,
			      MEMBER(channel)},
    [OPENCSD_F_ITM_SIZE] = {.types = T(ITMTRACE), .never = OPENCSD_HAS_TIMESTAMP, MEMBER(packets)},
    [OPENCSD_F_ITM_VALUE] = {.types = T(ITMTRACE), MEMBER(value)},
    [OPENCSD_F_OVERFLOW] = {.types = T(ITMTRACE), .flag = OPENCSD_OVERFLOW},
    [OPENCSD_F_ITE_LEVEL] = {.types = T(INSTRUMENTATION), MEMBER(level)},
    [OPENCSD_F_ITE_VALUE] = {.types = T(INSTRUMENTATION), MEMBER(value)},
    [OPENCSD_F_TIMESTAMP] = {.types = T(TIMESTAMP) | T(SWTRACE) | T(ITMTRACE),
			     .when = OPENCSD_HAS_TIMESTAMP,
			     MEMBER(timestamp)},
    [OPENCSD_F_FREQ_CHANGE] = {.types = T(TIMESTAMP) | T(ITMTRACE),
			       .when = OPENCSD_HAS_TIMESTAMP,
			       .flag = OPENCSD_FREQ_CHANGE},
    [OPENCSD_F_CYCLES] = {.types = ALL, .when = OPENCSD_HAS_CYCLES, MEMBER(cycles)},
};

static bool
is_valid(const struct member *m, const struct opencsd_element *element)
{
	return m->types >> element->type & 1 && (element->flags & m->when) == m->when &&
	       !(element->flags & m->never);
}

static uint64_t
member_get(const struct member *m, const struct opencsd_element *element)
{
	if (m->flag)
		return (element->flags & m->flag) != 0;
	const char *at = (const char *)element + m->at;
	switch (m->size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static void
member_set(const struct member *m, struct opencsd_element *element, uint64_t value)
{
	char *at = (char *)element + m->at;
	if (m->size == 1)
		*(uint8_t *)at = (uint8_t)value;
	else if (m->size == 2)
		*(uint16_t *)at = (uint16_t)value;
	else if (m->size == 4)
		*(uint32_t *)at = (uint32_t)value;
	else
		*(uint64_t *)at = value;
}

static struct field *
add_text(struct expansion *e, enum opencsd_field row, const char *text)
{
	struct field *field = expansion_add(e, &opencsd_fields[row], FIELD_NOWHERE, 0, 0);
	field->s.at = text;
	field->s.length = strlen(text);
	return field;
}

void
opencsd_element_fields(const struct opencsd_element *element, const char *source,
		       struct expansion *e)
{
	for (unsigned i = 0; i < OPENCSD_F_MEMBERS; i++) {
		const struct member *m = &members[i];
		if (i == OPENCSD_F_SOURCE && source)
			add_text(e, i, source);
		if (!is_valid(m, element))
			continue;
		uint64_t value = member_get(m, element);
		if (m->names)
			add_text(e, i, name_of(m->names, (unsigned)value));
		else
			expansion_add(e, &opencsd_fields[i], FIELD_NOWHERE, 0, 0)->u = value;
	}
}

const char *
opencsd_member_name(enum opencsd_field field, const struct opencsd_element *element)
{
	const struct member *m = &members[field];
	return name_of(m->names, (unsigned)member_get(m, element));
}

const char *
opencsd_mode_name(unsigned security, unsigned level)
{
	return security < COUNT(modes) && level < COUNT(*modes) ? modes[security][level] : NULL;
}

const struct context_row opencsd_contexts[OPENCSD_CONTEXTS_ALL] = {
    {"level", "exception_level", "pe_context", NULL, NULL},
    {"security", "security_level", "pe_context", NULL, NULL},
    {"context_id", "context_id", "pe_context", NULL, NULL},
    {"vmid", "vmid", "pe_context", NULL, NULL},
    {"exception", "running", "exception", NULL, NULL, .per_trace = true},
};

/* --- messages ---------------------------------------------------------- */

static unsigned
message_flags(const struct opencsd_element *e)
{
	switch (e->type) {
	case OPENCSD_UNKNOWN:
		return MESSAGE_DAMAGED;
	case OPENCSD_NO_SYNC:
		return e->reason == OPENCSD_UNSYNC_OVERFLOW	? MESSAGE_LOST
		       : e->reason == OPENCSD_UNSYNC_BAD_PACKET ? MESSAGE_DAMAGED
		       : e->reason == OPENCSD_UNSYNC_BAD_IMAGE	? MESSAGE_SUSPECT
								: 0;
	case OPENCSD_TRACE_ON:
		return MESSAGE_RESYNC | (e->reason == OPENCSD_ON_OVERFLOW ? MESSAGE_LOST : 0);
	case OPENCSD_INSTR_RANGE:
		return e->flags & OPENCSD_PASSED_BRANCH ? MESSAGE_SUSPECT : 0;
	case OPENCSD_TIMESTAMP:
		return MESSAGE_SYNC;
	case OPENCSD_SWTRACE:
	case OPENCSD_ITMTRACE:
		return e->flags & (OPENCSD_MASTER_ERROR | OPENCSD_GLOBAL_ERROR | OPENCSD_OVERFLOW)
			   ? MESSAGE_LOST
			   : 0;
	default:
		return 0;
	}
}

static enum severity
element_severity(const struct opencsd_element *e, unsigned flags)
{
	static const uint8_t usual[OPENCSD_ELEMENTS] = {
	    [OPENCSD_NO_SYNC] = SEVERITY_WARNING,	 [OPENCSD_INSTR_RANGE] = SEVERITY_DEBUG,
	    [OPENCSD_I_RANGE_NOPATH] = SEVERITY_WARNING, [OPENCSD_ADDR_NACC] = SEVERITY_DEBUG,
	    [OPENCSD_ADDR_UNKNOWN] = SEVERITY_WARNING,	 [OPENCSD_TIMESTAMP] = SEVERITY_DEBUG,
	    [OPENCSD_CYCLE_COUNT] = SEVERITY_DEBUG,	 [OPENCSD_SYNC_MARKER] = SEVERITY_DEBUG,
	};
	if (flags & (MESSAGE_LOST | MESSAGE_DAMAGED))
		return SEVERITY_ERROR;
	if (e->type == OPENCSD_NO_SYNC && e->reason == OPENCSD_UNSYNC_INIT)
		return SEVERITY_INFO;
	if (e->type == OPENCSD_MEMTRANS && e->reason == OPENCSD_MEMTRANS_FAIL)
		return SEVERITY_WARNING;
	return usual[e->type] ? (enum severity)usual[e->type] : SEVERITY_INFO;
}

bool
opencsd_element_has_sender(const struct opencsd_element *e)
{
	const uint32_t others =
	    OPENCSD_FREQUENCY | OPENCSD_TRIGGER | OPENCSD_MASTER_ERROR | OPENCSD_GLOBAL_ERROR;
	return e->type == OPENCSD_SWTRACE && e->flags & OPENCSD_HAS_SENDER && !(e->flags & others);
}

uint64_t
opencsd_element_origin(const struct opencsd_element *e)
{
	uint64_t key = e->id;
	if (opencsd_element_has_sender(e))
		key |=
		    OPENCSD_ORIGIN_SENDER | (uint64_t)e->master << 16 | (uint64_t)e->channel << 32;
	return key;
}

/* In the ticks of an element without a time: the cycle count, and these. */
static const uint64_t UNTIMED_COUNTS = 1ull << 32, /* the count is valid */
    UNTIMED_ENDS = 1ull << 33, UNTIMED_MARKS = 1ull << 34;

/* In the aux of an element with a time: the count plus one.  0 means none, TIME_COUNT too large. */
enum { TIME_COUNT = 0xfff, TIME_RENEWS = 0x1000 };

/* True if uncounted cycles may have passed here.  Counting continues when a filter suspends
 * trace. */
static bool
ends_counting(const struct opencsd_element *e)
{
	return e->type == OPENCSD_UNKNOWN || e->type == OPENCSD_NO_SYNC ||
	       e->type == OPENCSD_EO_TRACE || (e->type == OPENCSD_TRACE_ON && e->reason);
}

static uint64_t
cycles_of_untimed(const struct opencsd_element *e)
{
	if (e->type == OPENCSD_ADDR_NACC)
		return e->start; /* no count; the ticks hold the address */
	uint64_t bits = e->flags & OPENCSD_HAS_CYCLES ? UNTIMED_COUNTS | e->cycles : 0;
	bool marks = e->type == OPENCSD_SYNC_MARKER && !e->reason;
	return bits | (ends_counting(e) ? UNTIMED_ENDS : 0) | (marks ? UNTIMED_MARKS : 0);
}

static uint64_t
cycles_of_time(const struct opencsd_element *e)
{
	uint64_t bits = e->flags & OPENCSD_HAS_CYCLES ? (uint64_t)e->cycles + 1 : 0;
	return (bits < TIME_COUNT ? bits : TIME_COUNT) |
	       (e->flags & OPENCSD_FREQ_CHANGE ? TIME_RENEWS : 0);
}

void
opencsd_element_message(const struct opencsd_element *e, struct message *m)
{
	unsigned flags = message_flags(e);
	m->kind = e->type;
	m->severity = (uint8_t)element_severity(e, flags);
	m->origin = opencsd_element_origin(e);
	/* times of an ITM do not all count from the same start */
	if (e->flags & OPENCSD_HAS_TIMESTAMP && e->type != OPENCSD_ITMTRACE) {
		m->ticks = e->timestamp;
		m->aux = cycles_of_time(e) << (64 - OPENCSD_CYCLES_BITS);
		flags |= MESSAGE_TIMED;
	} else {
		m->ticks = cycles_of_untimed(e);
	}
	m->flags = (uint16_t)flags;
}

bool
opencsd_cycles(const struct message *m, struct decode_cycles *cycles)
{
	uint64_t bits = m->flags & MESSAGE_TIMED ? m->aux >> (64 - OPENCSD_CYCLES_BITS) : m->ticks;
	*cycles = (struct decode_cycles){.source = m->origin & 0xff};
	if (m->kind == OPENCSD_FATAL) {
		cycles->ends = true;
		return true;
	}
	if (m->kind >= OPENCSD_ELEMENTS || m->kind == OPENCSD_SWTRACE ||
	    m->kind == OPENCSD_ITMTRACE)
		return false;
	if (m->flags & MESSAGE_TIMED) {
		unsigned count = bits & TIME_COUNT;
		cycles->ends = count == TIME_COUNT;
		cycles->count = count && !cycles->ends ? count - 1 : 0;
		cycles->renews = bits & TIME_RENEWS;
		return true;
	}
	if (m->kind == OPENCSD_ADDR_NACC)
		return true;
	cycles->count = (uint32_t)bits;
	cycles->ends = bits & UNTIMED_ENDS;
	cycles->marks = bits & UNTIMED_MARKS;
	cycles->before = m->kind == OPENCSD_INSTR_RANGE;
	cycles->carried = bits & UNTIMED_COUNTS && m->kind != OPENCSD_CYCLE_COUNT;
	return true;
}

/* --- listings: writing ------------------------------------------------- */

static unsigned long long
printf_wide(uint64_t value)
{
	return value;
}

static void
print_unsync(const struct opencsd_element *e, struct text *out)
{
	if (e->reason < OPENCSD_UNSYNC_COUNT)
		text_addf(out, " [%s]", unsync_names[e->reason]);
}

static void
print_trace_on(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, " [%s]", name_of(trace_on_names, e->reason));
}

static void
print_context(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, "(ISA=%s) ", name_of(isa_names, e->isa));
	if (e->flags & OPENCSD_HAS_LEVEL)
		text_addf(out, "EL%u", e->level);
	text_addf(out, "%s; %s; ", name_of(security_names, e->security),
		  e->flags & OPENCSD_BITS64 ? "64-bit" : "32-bit");
	if (e->flags & OPENCSD_HAS_VMID)
		text_addf(out, "VMID=0x%x; ", (unsigned)e->vmid);
	if (e->flags & OPENCSD_HAS_CONTEXT_ID)
		text_addf(out, "CTXTID=0x%x; ", (unsigned)e->context_id);
}

static void
print_range(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, "exec range=0x%llx:[0x%llx] num_i(%u) last_sz(%u) (ISA=%s) %c %s%s%s",
		  printf_wide(e->start), printf_wide(e->end), (unsigned)e->number, e->last_size,
		  name_of(isa_names, e->isa), e->flags & OPENCSD_EXECUTED ? 'E' : 'N',
		  name_of(listed_types, e->last_type), name_of(listed_subtypes, e->last_subtype),
		  e->flags & OPENCSD_CONDITIONAL ? " <cond>" : "");
}

static void
print_nopath(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, "first 0x%llx:[next 0x%llx] num_i(%u) ", printf_wide(e->start),
		  printf_wide(e->end), (unsigned)e->number);
}

/* Append memory spaces as the library names them: one without a comma, several with a comma each
 * [OpenCSD, second hand: the library]. */
static void
print_space(uint32_t space, struct text *out)
{
	static const char *const bits[] = {"EL1S", "EL1N", "EL2N", "EL3",
					   "EL2S", "EL1R", "EL2R", "Root"};
	static const struct {
		uint32_t space;
		const char *name;
	} groups[] = {{0x19, "Any S"}, {0x06, "Any NS"}, {0x60, "Any R"}, {0xff, "Any"}};
	bool alone = !(space & (space - 1));
	for (size_t i = 0; i < COUNT(groups); i++)
		if (space == groups[i].space) {
			text_add(out, groups[i].name);
			return;
		}
	for (size_t i = 0; i < COUNT(bits); i++)
		if (space >> i & 1)
			text_addf(out, "%s%s", bits[i], alone ? "" : ",");
}

static void
print_nacc(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, " 0x%llx", printf_wide(e->start));
	if (e->flags & OPENCSD_HAS_SPACE) {
		text_addf(out, "; Memspace [0x%x:", (unsigned)e->number);
		print_space(e->number, out);
		text_add_char(out, ']');
	}
	text_add_char(out, ' ');
}

static void
print_exception(const struct opencsd_element *e, struct text *out)
{
	if (e->flags & OPENCSD_HAS_RETURN)
		text_addf(out, "pref ret addr:0x%llx%s; ", printf_wide(e->end),
			  e->flags & OPENCSD_RETURN_IS_TARGET ? " [addr also prev br tgt]" : "");
	text_addf(out, "excep num (0x%02x) ", (unsigned)e->number);
}

static void
print_timestamp(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, " [ TS=0x%012llx]; ", printf_wide(e->timestamp));
}

static void
print_event(const struct opencsd_element *e, struct text *out)
{
	if (e->reason == 1)
		text_add(out, " Trigger; ");
	else if (e->reason == 2)
		text_addf(out, " Numbered:%u; ", (unsigned)e->number);
}

static void
print_software(const struct opencsd_element *e, struct text *out)
{
	if (e->flags & OPENCSD_GLOBAL_ERROR) {
		text_add(out, "{Global Error.}");
		return;
	}
	if (e->flags & OPENCSD_HAS_SENDER)
		text_addf(out, " (Ma:0x%02x; Ch:0x%02x) ", e->master, e->channel);
	else
		text_add(out, "(Ma:0x\?\?; Ch:0x\?\?) ");
	if (e->bits)
		text_addf(out, "0x%0*llx; ", e->bits / 4, printf_wide(e->value));
	if (e->flags & OPENCSD_MARKER)
		text_add(out, "+Mrk ");
	if (e->flags & OPENCSD_TRIGGER)
		text_add(out, "Trig ");
	if (e->flags & OPENCSD_HAS_TIMESTAMP)
		print_timestamp(e, out);
	if (e->flags & OPENCSD_FREQUENCY)
		text_add(out, "Freq");
	if (e->flags & OPENCSD_MASTER_ERROR)
		text_add(out, "{Master Error.}");
}

static void
print_marker(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, " [%s(0x%08x)]", name_of(marker_names, e->reason), (unsigned)e->number);
}

static void
print_memtrans(const struct opencsd_element *e, struct text *out)
{
	text_add(out, name_of(memtrans_names, e->reason));
}

static void
print_instrumentation(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, "EL%u; 0x%016llx", e->level, printf_wide(e->value));
}

static void
print_itm(const struct opencsd_element *e, struct text *out)
{
	if (e->flags & OPENCSD_OVERFLOW)
		text_add(out, "ITM_OVERFLOW; ");
	if (e->reason == OPENCSD_ITM_SOFTWARE || e->reason == OPENCSD_ITM_HARDWARE)
		text_addf(out, "%s (%s: 0x%x; Data: 0x%0*llx) ", itm_names[e->reason],
			  e->reason == OPENCSD_ITM_SOFTWARE ? "ch" : "desc", e->channel,
			  2 * e->packets, printf_wide(e->value));
	else if (e->reason == OPENCSD_ITM_TIME_GLOBAL)
		text_addf(out, "ITM_TS_GLOBAL ( TS: 0x%016llx) ", printf_wide(e->timestamp));
	else
		text_addf(out, "ITM_TS_LOCAL ( TS delta: 0x%08llx, { %s}; TS cumulative: 0x%llx) ",
			  printf_wide(e->value), name_of(itm_names, e->reason),
			  printf_wide(e->timestamp));
}

static void (*const printers[OPENCSD_ELEMENTS])(const struct opencsd_element *, struct text *) = {
    [OPENCSD_NO_SYNC] = print_unsync,	   [OPENCSD_TRACE_ON] = print_trace_on,
    [OPENCSD_EO_TRACE] = print_unsync,	   [OPENCSD_PE_CONTEXT] = print_context,
    [OPENCSD_INSTR_RANGE] = print_range,   [OPENCSD_I_RANGE_NOPATH] = print_nopath,
    [OPENCSD_ADDR_NACC] = print_nacc,	   [OPENCSD_EXCEPTION] = print_exception,
    [OPENCSD_TIMESTAMP] = print_timestamp, [OPENCSD_EVENT] = print_event,
    [OPENCSD_SWTRACE] = print_software,	   [OPENCSD_SYNC_MARKER] = print_marker,
    [OPENCSD_MEMTRANS] = print_memtrans,   [OPENCSD_INSTRUMENTATION] = print_instrumentation,
    [OPENCSD_ITMTRACE] = print_itm,
};

void
opencsd_element_line(const struct opencsd_element *e, struct text *out)
{
	text_addf(out, "Idx:%llu; ID:%x; " PREFIX "%s(", printf_wide(e->index), e->id,
		  type_names[e->type]);
	if (printers[e->type])
		printers[e->type](e, out);
	if (e->flags & OPENCSD_HAS_CYCLES)
		text_addf(out, " [CC=%u]; ", (unsigned)e->cycles);
	text_add_char(out, ')');
}

/* --- listings: reading ------------------------------------------------- */

/* The value that a part reads after its text. */
enum part_value {
	PART_NOTHING,	       /* no value */
	PART_CONSTANT,	       /* no text; the value is `flag` */
	PART_NAME,	       /* one of `names` */
	PART_SPACE,	       /* the names of the memory space that was read before */
	PART_DECIMAL = 10,     /* digits of this base */
	PART_HEXADECIMAL = 16, /* digits of this base */
};

enum {
	ANYTHING_LONGEST = 64,
	FORMS = 4,
	FORM_ALL = (1 << FORMS) - 1,
	FORM_FIRST = 1,
	FORM_LATER = FORM_ALL - FORM_FIRST
};

/*
 * Grammar of the text in brackets: the parts of a type, in this order, with nothing between them.
 * A type has up to four forms of its line, and each part lists the forms it is in.
 * OcsdTraceElement::toString() of the library writes these lines.  `Memspace` is new in its
 * version 1.5.
 */
static const struct part {
	uint32_t types;
	uint8_t forms; /* one bit for each form */
	bool optional;
	const char *before;
	enum part_value value;
	uint8_t field;	/* enum opencsd_field */
	uint8_t digits; /* minimum */
	const char *const *names;
	uint32_t flag; /* set if the part is present */
	const char *after;
} parts[] = {
#define MUST FORM_ALL, false
#define MAY FORM_ALL, true
#define FORM(number) 1 << (number), false
#define FORMS_OF(one, other) 1 << (one) | 1 << (other), false
#define LATER FORM_LATER, false
#define NOTHING PART_NOTHING, 0, 0, NULL
#define SPACE PART_SPACE, 0, 0, NULL
#define HEX(name, digits) PART_HEXADECIMAL, OPENCSD_F_##name, digits, NULL
#define DEC(name) PART_DECIMAL, OPENCSD_F_##name, 1, NULL
#define NAME(name, names) PART_NAME, OPENCSD_F_##name, 0, names
#define CONSTANT(name) PART_CONSTANT, OPENCSD_F_##name, 0, NULL
    {T(NO_SYNC) | T(EO_TRACE), MAY, " [", NAME(UNSYNC, unsync_names), 0, "]"},
    {T(TRACE_ON), MUST, " [", NAME(TRACE_ON, trace_on_names), 0, "]"},
    {T(PE_CONTEXT), MUST, "(ISA=", NAME(ISA, isa_names), 0, ") "},
    {T(PE_CONTEXT), MAY, "EL", DEC(LEVEL), OPENCSD_HAS_LEVEL, ""},
    {T(PE_CONTEXT), MUST, "", NAME(SECURITY, security_names), 0, "; "},
    {T(PE_CONTEXT), FORM(0), "64-bit; ", NOTHING, OPENCSD_BITS64, ""},
    {T(PE_CONTEXT), LATER, "32-bit; ", NOTHING, 0, ""},
    {T(PE_CONTEXT), MAY, "VMID=0x", HEX(VMID, 1), OPENCSD_HAS_VMID, "; "},
    {T(PE_CONTEXT), MAY, "CTXTID=0x", HEX(CONTEXT_ID, 1), OPENCSD_HAS_CONTEXT_ID, "; "},
    {T(INSTR_RANGE), MUST, "exec range=0x", HEX(START, 1), 0, ":"},
    {T(INSTR_RANGE), MUST, "[0x", HEX(END, 1), 0, "] "},
    {T(I_RANGE_NOPATH), MUST, "first 0x", HEX(START, 1), 0, ":"},
    {T(I_RANGE_NOPATH), MUST, "[next 0x", HEX(END, 1), 0, "] "},
    {T(INSTR_RANGE) | T(I_RANGE_NOPATH), MUST, "num_i(", DEC(NUMBER), 0, ") "},
    {T(INSTR_RANGE), MUST, "last_sz(", DEC(LAST_SIZE), 0, ") "},
    {T(INSTR_RANGE), MUST, "(ISA=", NAME(ISA, isa_names), 0, ") "},
    {T(INSTR_RANGE), FORM(0), "E ", NOTHING, OPENCSD_EXECUTED, ""},
    {T(INSTR_RANGE), LATER, "N ", NOTHING, 0, ""},
    {T(INSTR_RANGE), MUST, "", NAME(LAST_TYPE, listed_types), 0, ""},
    {T(INSTR_RANGE), MAY, "", NAME(LAST_SUBTYPE, listed_subtypes), 0, ""},
    {T(INSTR_RANGE), MAY, " <cond>", NOTHING, OPENCSD_CONDITIONAL, ""},
    {T(ADDR_NACC), MUST, " 0x", HEX(START, 1), 0, ""},
    {T(ADDR_NACC), FORM(0), "; Memspace [0x", HEX(SPACE, 1), OPENCSD_HAS_SPACE, ":"},
    {T(ADDR_NACC), FORM(0), "", SPACE, 0, "] "},
    {T(ADDR_NACC), LATER, " ", NOTHING, 0, ""},
    {T(EXCEPTION), FORM(0), "pref ret addr:0x", HEX(RETURN_ADDRESS, 1), OPENCSD_HAS_RETURN, ""},
    {T(EXCEPTION), FORM_FIRST, true, " [addr also prev br tgt]", NOTHING, OPENCSD_RETURN_IS_TARGET,
     ""},
    {T(EXCEPTION), FORM(0), "; ", NOTHING, 0, ""},
    {T(EXCEPTION), MUST, "excep num (0x", HEX(EXCEPTION, 2), 0, ") "},
    {T(TIMESTAMP), MUST, " [ TS=0x", HEX(TIMESTAMP, 12), OPENCSD_HAS_TIMESTAMP, "]; "},
    {T(EVENT), FORM(0), " Trigger; ", CONSTANT(EVENT_TYPE), 1, ""},
    {T(EVENT), FORM(1), " Numbered:", CONSTANT(EVENT_TYPE), 2, ""},
    {T(EVENT), FORM(1), "", DEC(EVENT), 0, "; "},
    {T(SYNC_MARKER), MUST, " [", NAME(MARKER_TYPE, marker_names), 0, ""},
    {T(SYNC_MARKER), MUST, "(0x", HEX(MARKER_VALUE, 8), 0, ")]"},
    {T(MEMTRANS), MUST, "", NAME(MEMTRANS, memtrans_names), 0, ""},
    {T(SWTRACE), FORM(0), "{Global Error.}", NOTHING, OPENCSD_GLOBAL_ERROR, ""},
    {T(SWTRACE), FORM(1), "(Ma:0x\?\?; Ch:0x\?\?) ", NOTHING, 0, ""},
    {T(SWTRACE), FORMS_OF(2, 3), " (Ma:0x", HEX(MASTER, 2), OPENCSD_HAS_SENDER, "; "},
    {T(SWTRACE), FORMS_OF(2, 3), "Ch:0x", HEX(CHANNEL, 2), 0, ") "},
    {T(SWTRACE), FORM_LATER, true, "0x", HEX(PAYLOAD, 1), OPENCSD_HAS_PAYLOAD, "; "},
    {T(SWTRACE), FORM_LATER, true, "+Mrk ", NOTHING, OPENCSD_MARKER, ""},
    {T(SWTRACE), FORM_LATER, true, "Trig ", NOTHING, OPENCSD_TRIGGER, ""},
    {T(SWTRACE), FORM_LATER, true, " [ TS=0x", HEX(TIMESTAMP, 12), OPENCSD_HAS_TIMESTAMP, "]; "},
    {T(SWTRACE), FORM_LATER, true, "Freq", NOTHING, OPENCSD_FREQUENCY, ""},
    {T(SWTRACE), FORM_LATER, true, "{Master Error.}", NOTHING, OPENCSD_MASTER_ERROR, ""},
    {T(INSTRUMENTATION), MUST, "EL", DEC(ITE_LEVEL), 0, "; "},
    {T(INSTRUMENTATION), MUST, "0x", HEX(ITE_VALUE, 16), 0, ""},
    {T(ITMTRACE), MAY, "ITM_OVERFLOW; ", NOTHING, OPENCSD_OVERFLOW, ""},
    {T(ITMTRACE), FORM(0), "ITM_SWIT (", CONSTANT(ITM_TYPE), OPENCSD_ITM_SOFTWARE, ""},
    {T(ITMTRACE), FORM(0), "ch: 0x", HEX(ITM_PORT, 1), OPENCSD_HAS_SENDER, "; "},
    {T(ITMTRACE), FORM(1), "ITM_DWT (", CONSTANT(ITM_TYPE), OPENCSD_ITM_HARDWARE, ""},
    {T(ITMTRACE), FORM(1), "desc: 0x", HEX(ITM_SOURCE, 1), 0, "; "},
    {T(ITMTRACE), FORMS_OF(0, 1), "Data: 0x", HEX(ITM_VALUE, 2), 0, ") "},
    {T(ITMTRACE), FORM(2), "ITM_TS_GLOBAL (", CONSTANT(ITM_TYPE), OPENCSD_ITM_TIME_GLOBAL, ""},
    {T(ITMTRACE), FORM(2), " TS: 0x", HEX(TIMESTAMP, 16), OPENCSD_HAS_TIMESTAMP, ") "},
    {T(ITMTRACE), FORM(3), "ITM_TS_LOCAL ( TS delta: 0x", HEX(ITM_VALUE, 8), 0, ", { "},
    {T(ITMTRACE), FORM(3), "", NAME(ITM_TYPE, itm_names), 0, "}; "},
    {T(ITMTRACE), FORM(3), "TS cumulative: 0x", HEX(TIMESTAMP, 1), OPENCSD_HAS_TIMESTAMP, ") "},
    {T(CYCLE_COUNT), MUST, " [CC=", DEC(CYCLES), OPENCSD_HAS_CYCLES, "]; "},
    {ALL & ~T(CYCLE_COUNT), MAY, " [CC=", DEC(CYCLES), OPENCSD_HAS_CYCLES, "]; "},
    {ALL, MUST, ")", NOTHING, 0, ""},
#undef MUST
#undef MAY
#undef FORM
#undef FORMS_OF
#undef LATER
#undef NOTHING
#undef SPACE
#undef HEX
#undef DEC
#undef NAME
#undef CONSTANT
};

/* The unread rest of a line. */
struct cursor {
	const char *at, *end;
};

static bool
cursor_skip(struct cursor *c, const char *what)
{
	size_t length = strlen(what);
	if ((size_t)(c->end - c->at) < length || memcmp(c->at, what, length) != 0)
		return false;
	c->at += length;
	return true;
}

/* Read a number up to MOST with at least LEAST digits.  Return the count of digits, or 0 on
 * failure. */
static unsigned
take_number(struct cursor *c, unsigned base, unsigned least, uint64_t most, uint64_t *value)
{
	unsigned digits = 0;
	*value = 0;
	for (; c->at < c->end; c->at++, digits++) {
		int digit = bytes_hex_digit((unsigned char)*c->at);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (*value > (most - (unsigned)digit) / base)
			return 0;
		*value = *value * base + (unsigned)digit;
	}
	return digits >= least ? digits : 0;
}

/* Read the longest name that matches.  Return its number, or -1.  Blanks at the end of a name are
 * padding or separate it from the next one. */
static int
take_name(struct cursor *c, const char *const *names)
{
	int best = -1;
	size_t most = 0;
	for (int i = 0; names[i]; i++) {
		struct cursor copy = *c;
		if (cursor_skip(&copy, names[i]) && strlen(names[i]) > most) {
			best = i;
			most = strlen(names[i]);
		}
	}
	c->at += most;
	return best;
}

/* Return the maximum value of a member. */
static uint64_t
most_of(const struct member *m)
{
	return UINT64_MAX >> (64 - 8 * m->size);
}

/* Set the size of a payload from its count of digits.  Return false if the count is invalid. */
static bool
set_digits(const struct part *part, unsigned digits, struct opencsd_element *e)
{
	if (part->field == OPENCSD_F_PAYLOAD) {
		e->bits = (uint8_t)(4 * digits);
		e->packets = 1;
		return digits <= 16 && !(digits & (digits - 1));
	}
	if (part->field == OPENCSD_F_ITM_VALUE)
		e->packets = (uint8_t)(digits / 2);
	return part->field != OPENCSD_F_ITM_VALUE || digits <= 8;
}

static bool
skip_space_name(struct cursor *c, uint32_t space)
{
	struct text name = {0};
	print_space(space, &name);
	bool same = cursor_skip(c, text_get(&name));
	text_free(&name);
	return same;
}

static bool
read_value(const struct part *part, struct cursor *c, struct opencsd_element *e)
{
	const struct member *m = &members[part->field];
	uint64_t value = part->flag;
	unsigned digits = 0;
	switch (part->value) {
	case PART_NOTHING:
		return true;
	case PART_SPACE:
		return skip_space_name(c, e->number);
	case PART_CONSTANT:
		break;
	case PART_NAME: {
		int name = take_name(c, part->names);
		if (name < 0)
			return false;
		value = (unsigned)name;
		break;
	}
	case PART_DECIMAL:
	case PART_HEXADECIMAL:
		digits = take_number(c, part->value, part->digits, most_of(m), &value);
		if (!digits)
			return false;
		break;
	}
	member_set(m, e, value);
	return set_digits(part, digits, e);
}

/* Read a part.  On failure, leave the cursor unchanged. */
static bool
read_part(const struct part *part, struct cursor *c, struct opencsd_element *e)
{
	struct cursor rest = *c;
	if (!cursor_skip(&rest, part->before) || !read_value(part, &rest, e) ||
	    !cursor_skip(&rest, part->after))
		return false;
	if (part->value != PART_CONSTANT)
		e->flags |= part->flag;
	*c = rest;
	return true;
}

/* Read everything from the bracket on in one form.  C ends where reading stopped. */
static bool
read_form(unsigned form, struct cursor *c, struct opencsd_element *e)
{
	for (size_t i = 0; i < COUNT(parts); i++) {
		const struct part *part = &parts[i];
		if (!(part->types >> e->type & 1) || !(part->forms >> form & 1))
			continue;
		if (!read_part(part, c, e) && !part->optional)
			return false;
	}
	while (c->at < c->end && *c->at == ' ')
		c->at++;
	return c->at == c->end;
}

static bool
read_arguments(struct cursor *c, struct opencsd_element *e)
{
	const struct opencsd_element bare = *e;
	const struct cursor start = *c;
	for (unsigned form = 0; form < FORMS; form++) {
		struct cursor at = start;
		*e = bare;
		bool whole = read_form(form, &at, e);
		if (whole || at.at > c->at)
			*c = at;
		if (whole)
			return true;
	}
	return false;
}

bool
opencsd_element_parse_head(const char *p, size_t length, struct opencsd_element *e, size_t *read)
{
	struct cursor c = {p, p + length};
	uint64_t number;
	*e = (struct opencsd_element){0};
	bool good = cursor_skip(&c, "Idx:") && take_number(&c, 10, 1, UINT64_MAX, &e->index) &&
		    cursor_skip(&c, "; ID:") && take_number(&c, 16, 1, UINT8_MAX, &number) &&
		    cursor_skip(&c, ";");
	*read = (size_t)(c.at - p);
	if (good)
		e->id = (uint8_t)number;
	return good;
}

bool
opencsd_element_parse(const char *p, size_t length, struct opencsd_element *e, size_t *read)
{
	if (!opencsd_element_parse_head(p, length, e, read))
		return false;
	struct cursor c = {p + *read, p + length};
	int type = cursor_skip(&c, " " PREFIX) ? take_name(&c, type_names) : -1;
	bool good = type >= 0 && cursor_skip(&c, "(");
	if (good) {
		e->type = (uint8_t)type;
		good = read_arguments(&c, e);
	}
	*read = (size_t)(c.at - p);
	return good;
}
