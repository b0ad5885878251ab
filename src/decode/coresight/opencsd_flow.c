/*
 * Program flow of CoreSight elements: see flow_packet.h.
 *
 * The types of last instructions are those of [OpenCSD 1.3.3, ocsd_if_types.h, ocsd_instr_type,
 * ocsd_instr_subtype].
 */
#include "config.h"

#include "decode/coresight/opencsd_flow.h"
#include "program/insn.h"

#include <string.h>

/* --- exceptions -------------------------------------------------------- */

/* A range of interrupts: exceptions FROM to TO are IRQ (FROM - LESS) and up. */
struct irq_range {
	uint32_t from, to, less;
};

enum { IRQ_RANGES = 3 };

/* Names of exceptions by number, and ranges of interrupts. */
struct exception_names {
	const char *const *names;
	size_t count;
	struct irq_range irqs[IRQ_RANGES];
};

#define NAMES(list) (list), sizeof(list) / sizeof *(list)

/* [Arm IHI 0014Q, "Exception information in branch packets", Arm IHI 0035B, "Exception
 * information byte"] */
static const char *const v7_names[] = {
    [1] = "debug halt",
    [2] = "SMC",
    [3] = "hypervisor",
    [4] = "async data abort",
    [5] = "Jazelle",
    [8] = "reset",
    [9] = "undefined",
    [10] = "SVC",
    [11] = "prefetch abort",
    [12] = "data abort",
    [13] = "generic",
    [14] = "IRQ",
    [15] = "FIQ",
};

/* [Arm IHI 0014Q, "Exception information for Armv7-M"] */
static const char *const v7m_names[] = {
    [9] = "UsageFault", [10] = "NMI",	  [11] = "SVC",	  [12] = "DebugMonitor", [13] = "MemManage",
    [14] = "PendSV",	[15] = "SysTick", [17] = "reset", [19] = "HardFault",	 [21] = "BusFault",
};

/* [Arm IHI 0064, "Exception instruction trace packet", for Armv8-A and R, and for M] */
static const char *const v8_names[] = {
    [0] = "reset",	  [1] = "debug halt",  [2] = "call",	   [3] = "trap",
    [4] = "system error", [6] = "inst debug",  [7] = "data debug", [10] = "alignment",
    [11] = "inst fault",  [12] = "data fault", [14] = "IRQ",	   [15] = "FIQ",
};

static const char *const v8m_names[] = {
    [1] = "reset",    [2] = "NMI",	  [3] = "HardFault",   [4] = "MemManage",
    [5] = "BusFault", [6] = "UsageFault", [11] = "SVC",	       [12] = "DebugMonitor",
    [14] = "PendSV",  [15] = "SysTick",	  [24] = "debug halt", [25] = "lazy FP push",
    [26] = "lockup",
};

static const struct exception_names v7 = {NAMES(v7_names)}, v8 = {NAMES(v8_names)};
static const struct exception_names v7m = {NAMES(v7m_names), {{1, 7, 0}, {8, 8, 8}, {24, 511, 16}}};
static const struct exception_names v8m = {NAMES(v8m_names), {{16, 23, 16}, {0x208, 0x3ef, 0x200}}};
#undef NAMES

/* True if the letter after the last dash is M: Cortex-M3, ARMv8-M. */
static bool
is_profile_m(const char *core)
{
	const char *dash = core ? strrchr(core, '-') : NULL;
	return dash && dash[1] == 'M';
}

static const struct exception_names *
names_of(const struct opencsd_source_options *source)
{
	bool old = source->protocol == OPENCSD_ETMV3 || source->protocol == OPENCSD_PTM;
	if (is_profile_m(source->core))
		return old ? &v7m : &v8m;
	return old ? &v7 : &v8;
}

const char *
opencsd_exception_name(const struct opencsd_source_options *source, uint32_t number, int *irq)
{
	const struct exception_names *names = names_of(source);
	*irq = -1;
	for (size_t i = 0; i < IRQ_RANGES && names->irqs[i].to; i++)
		if (number >= names->irqs[i].from && number <= names->irqs[i].to) {
			*irq = (int)(number - names->irqs[i].less);
			return "IRQ";
		}
	return number < names->count ? names->names[number] : NULL;
}

/* --- elements ---------------------------------------------------------- */

enum { TYPE_BRANCH = 1, TYPE_INDIRECT };
enum { SUBTYPE_LINK = 1, SUBTYPE_RETURN, SUBTYPE_ERET, SUBTYPE_IMPLIED_RETURN };

static enum insn_class
class_of(const struct opencsd_element *e)
{
	bool link = e->last_subtype == SUBTYPE_LINK;
	if (e->last_type == TYPE_BRANCH)
		return link ? INSN_CALL : e->flags & OPENCSD_CONDITIONAL ? INSN_BRANCH : INSN_JUMP;
	if (e->last_type != TYPE_INDIRECT)
		return INSN_OTHER;
	if (e->last_subtype == SUBTYPE_ERET)
		return INSN_TRAP_RETURN;
	if (e->last_subtype == SUBTYPE_RETURN || e->last_subtype == SUBTYPE_IMPLIED_RETURN)
		return INSN_RETURN;
	return link ? INSN_INDIRECT_CALL : INSN_INDIRECT_JUMP;
}

static enum insn_machine
machine_of(unsigned isa)
{
	static const uint8_t machines[] = {
	    [OPENCSD_A32] = INSN_A32, [OPENCSD_T32] = INSN_T32, [OPENCSD_A64] = INSN_A64};
	return isa < sizeof machines ? (enum insn_machine)machines[isa] : INSN_MACHINE_NONE;
}

static void
fill_range(const struct opencsd_element *e, struct flow_element *out)
{
	out->machine = (uint8_t)machine_of(e->isa);
	out->class = (uint8_t)class_of(e);
	out->passed = e->last_type && !(e->flags & OPENCSD_EXECUTED);
	out->last = e->last_size;
	out->count = e->number;
	out->first = e->start;
	out->end = e->end;
}

static void
fill_exception(const struct opencsd_element *e, const struct opencsd_source_options *source,
	       struct flow_element *out)
{
	out->number = e->number;
	out->irq = -1;
	if (source)
		out->name = opencsd_exception_name(source, e->number, &out->irq);
	out->interrupt = out->name && (!strcmp(out->name, "IRQ") || !strcmp(out->name, "FIQ"));
	out->has_address = e->flags & OPENCSD_HAS_RETURN;
	out->first = e->end;
}

/* Return the mode.  Processors of profile M have no exception levels. */
static const char *
mode_of(const struct opencsd_element *e, const struct opencsd_source_options *source)
{
	bool known = e->flags & OPENCSD_HAS_LEVEL && !(source && is_profile_m(source->core));
	return opencsd_mode_name(e->security, known ? e->level + 1u : 0);
}

/* True if trace was lost before a NO_SYNC or TRACE_ON, false if it only begins. */
static bool
is_lost(const struct opencsd_element *e)
{
	return e->type == OPENCSD_TRACE_ON ? e->reason == OPENCSD_ON_OVERFLOW
					   : e->reason >= OPENCSD_UNSYNC_OVERFLOW;
}

static void
set_unseen(struct flow_packet *flow, const char *why)
{
	flow->kind = FLOW_UNSEEN;
	flow->element.why = why;
}

static void
set_unseen_at(struct flow_packet *flow, const struct opencsd_element *e, const char *why)
{
	set_unseen(flow, why);
	flow->element.has_address = true;
	flow->element.first = e->start;
}

static void
set_break(struct flow_packet *flow, const struct opencsd_element *e)
{
	if (is_lost(e)) {
		flow->kind = FLOW_LOST;
		flow->missing = true;
		flow->element.why = "trace was lost";
	} else {
		set_unseen(flow, "trace begins, or was off");
	}
}

void
opencsd_element_flow(const struct opencsd_element *e, const struct opencsd_source_options *source,
		     struct flow_packet *flow)
{
	flow_packet_begin_element(flow, FLOW_NOTHING);
	flow->element.cycles = e->flags & OPENCSD_HAS_CYCLES ? e->cycles : 0;
	switch (e->type) {
	case OPENCSD_NO_SYNC:
	case OPENCSD_TRACE_ON:
		set_break(flow, e);
		break;
	case OPENCSD_INSTR_RANGE:
		flow->kind = FLOW_RANGE;
		fill_range(e, &flow->element);
		break;
	case OPENCSD_I_RANGE_NOPATH:
		set_unseen_at(flow, e, "the trace does not say by which path it went on");
		break;
	case OPENCSD_ADDR_NACC:
		set_unseen_at(flow, e, "no memory image has the code");
		break;
	case OPENCSD_ADDR_UNKNOWN:
		set_unseen(flow, "the trace does not say at which address it went on");
		break;
	case OPENCSD_PE_CONTEXT:
		flow->kind = FLOW_CONTEXT;
		flow->element.context_id = e->context_id;
		flow->element.vmid = e->vmid;
		flow->element.mode = mode_of(e, source);
		break;
	case OPENCSD_EXCEPTION:
		flow->kind = FLOW_EXCEPTION;
		fill_exception(e, source, &flow->element);
		break;
	case OPENCSD_CYCLE_COUNT:
		flow->kind = FLOW_CYCLES;
		break;
	case OPENCSD_TIMESTAMP:
		flow->kind = FLOW_TIME;
		break;
	case OPENCSD_EXCEPTION_RET:
		flow->kind = FLOW_EXCEPTION_RETURN;
		break;
	default:
		break;
	}
}

/* Fill in the cycle count from the message.  Return false if the count was too large for it. */
static bool
count_cycles(const struct message *m, struct flow_packet *flow)
{
	struct decode_cycles cycles;
	if (!opencsd_cycles(m, &cycles) || (m->flags & MESSAGE_TIMED && cycles.ends))
		return false;
	flow->kind = m->kind == OPENCSD_CYCLE_COUNT ? FLOW_CYCLES : FLOW_TIME;
	flow->element.cycles = cycles.count;
	return true;
}

/* Fill in cycle counts, and messages that stand for undecoded trace. */
bool
opencsd_message_flow(const struct message *m, struct flow_packet *flow)
{
	bool counts = m->kind == OPENCSD_CYCLE_COUNT || m->kind == OPENCSD_TIMESTAMP;
	if (m->kind < OPENCSD_ELEMENTS && !counts)
		return false;
	flow_packet_begin_element(flow, FLOW_NOTHING);
	if (counts)
		return count_cycles(m, flow);
	bool lost = m->kind == OPENCSD_STRAY || m->kind == OPENCSD_LOST;
	if (m->kind == OPENCSD_FATAL || (lost && m->flags & MESSAGE_LOST)) {
		flow->kind = FLOW_LOST;
		flow->missing = true;
		flow->all = lost;
		flow->element.why = "trace was lost";
	}
	return true;
}
