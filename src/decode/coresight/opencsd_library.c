/*
 * Wrap the OpenCSD library: see opencsd_library.h.
 *
 * Each source has a tree that gets only its bytes.  The elements are the same as in a tree of all
 * sources.  The tree sees only the memory of its core, and trees decode in parallel.  One lock
 * protects data that the library shares between trees (lists of objects, static text buffers).
 *
 * The library reads memory through a callback over the source's regions.  Some builds of it have
 * 32-bit indexes; this file adds the upper half.
 *
 * This file relies on these facts about the library.  The element callback must be set after the
 * decoder exists.  A decoder of instructions needs memory, even if only a callback that has none.
 * Errors are in the return value and are never printed.  Each tree leaks about 110 bytes.
 *
 * An ETMv4 or ETE decoder reads invalid memory on a packet for a mispredicted atom if no atom is
 * left.  Valid trace has no such packet, so this file counts atoms and disables such a packet.
 */
#include "config.h"

#include "decode/coresight/opencsd_library.h"

#include "base/bytes.h"
#include "program/arm.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Uncommitted elements of an instruction decoder. */
struct speculation {
	bool decoding; /* the decoder is synchronised */
	bool unseen;   /* speculation began before synchronisation */
	uint32_t open; /* elements that may be atoms */
};

struct opencsd_library {
	const struct opencsd_source *source;
	struct opencsd_tree_sink sink;
	bool fed;	/* bytes were fed since the last reset */
	uint64_t first; /* index of the first byte since then */
	uint64_t index; /* of the byte after those fed last */
	uint64_t last;	/* of the last element */
	dcd_tree_handle_t tree;
	struct speculation speculation; /* ETMv4 and ETE only */
	bool fault;			/* a packet was disabled */
	bool passed;			/* a branch was passed over since synchronisation */
	uint64_t context_id, vmid;	/* current context; 0: unknown */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- cores ------------------------------------------------------------- */

struct core {
	const char *name;
	ocsd_arch_version_t arch;
	ocsd_core_profile_t profile;
	bool later; /* profile M: may have instructions newer than Armv8.0-M */
};

/* Core types by name, except those matched by the pattern below: [OpenCSD 1.3.3, second hand:
 * trc_pkt_lister].  The C interface has no such table. */
static const struct core cores[] = {
    {"Cortex-A5", ARCH_V7, profile_CortexA},	{"Cortex-A7", ARCH_V7, profile_CortexA},
    {"Cortex-A8", ARCH_V7, profile_CortexA},	{"Cortex-A9", ARCH_V7, profile_CortexA},
    {"Cortex-A12", ARCH_V7, profile_CortexA},	{"Cortex-A15", ARCH_V7, profile_CortexA},
    {"Cortex-A17", ARCH_V7, profile_CortexA},	{"Cortex-A32", ARCH_V8, profile_CortexA},
    {"Cortex-A35", ARCH_V8, profile_CortexA},	{"Cortex-A53", ARCH_V8, profile_CortexA},
    {"Cortex-A57", ARCH_V8, profile_CortexA},	{"Cortex-A72", ARCH_V8, profile_CortexA},
    {"Cortex-A73", ARCH_V8, profile_CortexA},	{"Cortex-A55", ARCH_V8r3, profile_CortexA},
    {"Cortex-A65", ARCH_V8r3, profile_CortexA}, {"Cortex-A75", ARCH_V8r3, profile_CortexA},
    {"Cortex-A76", ARCH_V8r3, profile_CortexA}, {"Cortex-A77", ARCH_V8r3, profile_CortexA},
    {"Cortex-R4", ARCH_V7, profile_CortexR},	{"Cortex-R5", ARCH_V7, profile_CortexR},
    {"Cortex-R7", ARCH_V7, profile_CortexR},	{"Cortex-R8", ARCH_V7, profile_CortexR},
    {"Cortex-R52", ARCH_V8, profile_CortexR},	{"Cortex-M0", ARCH_V7, profile_CortexM},
    {"Cortex-M0+", ARCH_V7, profile_CortexM},	{"Cortex-M3", ARCH_V7, profile_CortexM},
    {"Cortex-M4", ARCH_V7, profile_CortexM},	{"Cortex-M7", ARCH_V7, profile_CortexM},
    {"Cortex-M23", ARCH_V8, profile_CortexM},	{"Cortex-M33", ARCH_V8, profile_CortexM},
};

static ocsd_core_profile_t
profile_of(char letter)
{
	return letter == 'M' ? profile_CortexM : letter == 'R' ? profile_CortexR : profile_CortexA;
}

/* Return the core for a version such as 8.3-A. */
static struct core
core_of_version(const char *version)
{
	char *end;
	unsigned long major = strtoul(version, &end, 10);
	unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
	struct core core = {.profile = profile_of(*end == '-' ? end[1] : 'A')};
	core.later = major > 8 || (major == 8 && minor > 0);
	core.arch = major <= 7		     ? ARCH_V7
		    : major > 8 || minor > 3 ? ARCH_AA64
		    : minor == 3	     ? ARCH_V8r3
					     : ARCH_V8;
	return core;
}

/* Return the core for the name of its type.  For an unknown name, return the newest core of its
 * profile. */
static struct core
core_of(const struct opencsd_source_options *o)
{
	bool old = o->protocol == OPENCSD_ETMV3 || o->protocol == OPENCSD_PTM;
	const char *name = o->core;
	if (!name)
		return (struct core){.arch = old ? ARCH_V7 : ARCH_V8, .profile = profile_CortexA};
	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
		if (!strcmp(name, cores[i].name))
			return cores[i];
	if (!strncmp(name, "ARMv", 4))
		return core_of_version(name + 4);
	const char *dash = strrchr(name, '-');
	struct core core = {
	    .arch = ARCH_AA64, .profile = profile_of(dash ? dash[1] : 'A'), .later = true};
	if (core.profile == profile_CortexM)
		core.arch = ARCH_V8; /* profile M has no 64-bit core */
	return core;
}

/* --- versions ---------------------------------------------------------- */

/* Features by the first library version that decodes them [OpenCSD, README and pull requests 73
 * and 90].  Only features that leave no sign in the trace are listed. */
static const struct opencsd_limit {
	uint32_t since;
	unsigned protocols;	     /* one bit for each protocol */
	ocsd_core_profile_t profile; /* profile_Unknown: any */
	ocsd_arch_version_t arch;    /* this version or later */
	bool later, speculates;	     /* only for cores with `later`; only for speculating cores */
	const char *what;
} limits[] = {
#define PROTOCOL(name) (1u << OPENCSD_##name)
#define CODE (PROTOCOL(ETMV4I) | PROTOCOL(ETE))
    {0x010402, PROTOCOL(ETMV4I), profile_CortexM, 0, false, false, "tail-chained exceptions"},
    {0x010601, CODE, profile_Unknown, 0, false, true, "all of speculative trace"},
    {0x010800, PROTOCOL(ETMV4I), profile_CortexM, 0, true, false, "loops of Armv8.1-M"},
    {0x010803, PROTOCOL(ETMV4I), profile_CortexM, ARCH_V8, false, false,
     "exception returns of Armv8-M"},
#undef CODE
#undef PROTOCOL
};

const char *
opencsd_library_version(void)
{
	return ocsd_get_version_str();
}

void
opencsd_library_limits(const struct opencsd_source_options *o, struct text *out)
{
	struct core core = core_of(o);
	bool speculates = o->regs.TRCIDR8 > 0;
	size_t start = out->length;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		const struct opencsd_limit *l = &limits[i];
		if (l->since <= OCSD_VER_NUM || !(l->protocols >> o->protocol & 1) ||
		    (l->profile != profile_Unknown && l->profile != core.profile) ||
		    core.arch < l->arch || (l->later && !core.later) ||
		    (l->speculates && !speculates))
			continue;
		text_addf(out, "%s%s (needs %u.%u.%u)", out->length > start ? ", " : "", l->what,
			  l->since >> 16, l->since >> 8 & 0xff, l->since & 0xff);
	}
}

/* Check that the library is the version of the build.  All versions have the same soname.  But
 * even versions with one minor number differ in struct layouts or reason numbers (1.5.1 and
 * 1.5.5). */
static int
check_version(struct err *err)
{
	if (ocsd_get_version() == OCSD_VER_NUM)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "this program is built for OpenCSD " OCSD_VER_STRING
		       " and %s is installed; build it again",
		       ocsd_get_version_str());
}

/* --- configuration ----------------------------------------------------- */

union config {
	ocsd_etmv3_cfg etmv3;
	ocsd_ptm_cfg ptm;
	ocsd_etmv4_cfg etmv4;
	ocsd_stm_cfg stm;
};

static uint32_t
opencsd_register_or(int64_t reg, uint32_t standard)
{
	return reg < 0 ? standard : (uint32_t)reg;
}

static void
configure_etmv3(const struct opencsd_source *s, struct core core, union config *c)
{
	const struct opencsd_registers *r = &s->options->regs;
	c->etmv3 = (ocsd_etmv3_cfg){.reg_idr = opencsd_register_or(r->ETMIDR, 0),
				    .reg_ctrl = opencsd_register_or(r->ETMCR, 0),
				    .reg_ccer = opencsd_register_or(r->ETMCCER, 0),
				    .reg_trc_id = s->id,
				    .arch_ver = core.arch,
				    .core_prof = core.profile};
}

static void
configure_ptm(const struct opencsd_source *s, struct core core, union config *c)
{
	const struct opencsd_registers *r = &s->options->regs;
	c->ptm = (ocsd_ptm_cfg){.reg_idr = opencsd_register_or(r->ETMIDR, 0),
				.reg_ctrl = opencsd_register_or(r->ETMCR, 0),
				.reg_ccer = opencsd_register_or(r->ETMCCER, 0),
				.reg_trc_id = s->id,
				.arch_ver = core.arch,
				.core_prof = core.profile};
}

static void
configure_etmv4(const struct opencsd_source *s, struct core core, union config *c)
{
	const struct opencsd_registers *r = &s->options->regs;
	c->etmv4 = (ocsd_etmv4_cfg){.reg_idr0 = opencsd_register_or(r->TRCIDR0, 0),
				    .reg_idr1 = opencsd_register_or(r->TRCIDR1, 0x4100f403),
				    .reg_idr2 = opencsd_register_or(r->TRCIDR2, 0),
				    .reg_idr8 = opencsd_register_or(r->TRCIDR8, 0),
				    .reg_idr9 = opencsd_register_or(r->TRCIDR9, 0),
				    .reg_idr10 = opencsd_register_or(r->TRCIDR10, 0),
				    .reg_idr11 = opencsd_register_or(r->TRCIDR11, 0),
				    .reg_idr12 = opencsd_register_or(r->TRCIDR12, 0),
				    .reg_idr13 = opencsd_register_or(r->TRCIDR13, 0),
				    .reg_configr = opencsd_register_or(r->TRCCONFIGR, 0),
				    .reg_traceidr = s->id,
				    .arch_ver = core.arch,
				    .core_prof = core.profile};
}

/* Configure ETE as ETMv4 of version 5 or later.  The library decodes both in one decoder, but
 * reports packets only under the name of ETMv4.  The version comes from a different register. */
static void
configure_ete(const struct opencsd_source *s, struct core core, union config *c)
{
	uint32_t architecture = opencsd_register_or(s->options->regs.TRCDEVARCH, 0x47705a13);
	uint32_t major = architecture >> 12 & 15, minor = architecture >> 16 & 15;
	configure_etmv4(s, core, c);
	c->etmv4.reg_idr1 = (c->etmv4.reg_idr1 & 0xfffff00fu) | major << 8 | minor << 4;
	c->etmv4.reg_idr9 = c->etmv4.reg_idr10 = c->etmv4.reg_idr11 = 0;
	c->etmv4.reg_idr12 = c->etmv4.reg_idr13 = 0;
}

static void
configure_stm(const struct opencsd_source *s, struct core core, union config *c)
{
	(void)core;
	c->stm = (ocsd_stm_cfg){.reg_tcsr = (uint32_t)s->id << 16,
				.reg_feat3r = 0x10000,
				.reg_devid = 0xff,
				.hw_event = HwEvent_Unknown_Disabled};
}

#define PROTOCOL(name, packet)                                                                     \
	OCSD_BUILTIN_DCD_##name, OCSD_PROTOCOL_##name, sizeof(ocsd_##packet##_pkt)
#define NEEDS(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct opencsd_registers, name)                                    \
	}

/* Names, numbers and packets: [OpenCSD 1.3.3, ocsd_if_types.h, trc_pkt_types.h]. */
static const struct protocol {
	const char *name; /* in the library; NULL: not supported */
	ocsd_trace_protocol_t number;
	size_t packet;
	bool has_memory;
	void (*configure)(const struct opencsd_source *, struct core, union config *);
	struct {
		const char *name;
		size_t member;
	} needs[4]; /* registers without a default */
} protocols[OPENCSD_PROTOCOLS] = {
    [OPENCSD_ETMV3] = {PROTOCOL(ETMV3, etmv3),
		       true,
		       configure_etmv3,
		       {NEEDS(ETMCR), NEEDS(ETMIDR), NEEDS(ETMCCER)}},
    [OPENCSD_PTM] = {PROTOCOL(PTM, ptm),
		     true,
		     configure_ptm,
		     {NEEDS(ETMCR), NEEDS(ETMIDR), NEEDS(ETMCCER)}},
    [OPENCSD_ETMV4I] = {PROTOCOL(ETMV4I, etmv4_i),
			true,
			configure_etmv4,
			{NEEDS(TRCCONFIGR), NEEDS(TRCIDR0), NEEDS(TRCIDR2)}},
    [OPENCSD_ETE] = {PROTOCOL(ETMV4I, etmv4_i),
		     true,
		     configure_ete,
		     {NEEDS(TRCCONFIGR), NEEDS(TRCIDR0), NEEDS(TRCIDR2)}},
    [OPENCSD_STM] = {PROTOCOL(STM, stm), false, configure_stm, {{NULL, 0}}},
};

static int
check_registers(const struct opencsd_source *s, const struct protocol *p, struct err *err)
{
	for (size_t i = 0; i < sizeof p->needs / sizeof *p->needs && p->needs[i].name; i++) {
		const char *at = (const char *)&s->options->regs + p->needs[i].member;
		if (*(const int64_t *)(const void *)at < 0)
			return err_set(err, ERR_CONFIG, "its register %s is not given",
				       p->needs[i].name);
	}
	return 0;
}

/* --- elements ---------------------------------------------------------- */

/* Our types by those of the library.  Its numbers change between versions [OpenCSD 1.3.3,
 * trc_gen_elem_types.h, ocsd_gen_trc_elem_t]. */
static const uint8_t types[] = {
    [OCSD_GEN_TRC_ELEM_UNKNOWN] = OPENCSD_UNKNOWN,
    [OCSD_GEN_TRC_ELEM_NO_SYNC] = OPENCSD_NO_SYNC,
    [OCSD_GEN_TRC_ELEM_TRACE_ON] = OPENCSD_TRACE_ON,
    [OCSD_GEN_TRC_ELEM_EO_TRACE] = OPENCSD_EO_TRACE,
    [OCSD_GEN_TRC_ELEM_PE_CONTEXT] = OPENCSD_PE_CONTEXT,
    [OCSD_GEN_TRC_ELEM_INSTR_RANGE] = OPENCSD_INSTR_RANGE,
    [OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH] = OPENCSD_I_RANGE_NOPATH,
    [OCSD_GEN_TRC_ELEM_ADDR_NACC] = OPENCSD_ADDR_NACC,
    [OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN] = OPENCSD_ADDR_UNKNOWN,
    [OCSD_GEN_TRC_ELEM_EXCEPTION] = OPENCSD_EXCEPTION,
    [OCSD_GEN_TRC_ELEM_EXCEPTION_RET] = OPENCSD_EXCEPTION_RET,
    [OCSD_GEN_TRC_ELEM_TIMESTAMP] = OPENCSD_TIMESTAMP,
    [OCSD_GEN_TRC_ELEM_CYCLE_COUNT] = OPENCSD_CYCLE_COUNT,
    [OCSD_GEN_TRC_ELEM_EVENT] = OPENCSD_EVENT,
    [OCSD_GEN_TRC_ELEM_SWTRACE] = OPENCSD_SWTRACE,
    [OCSD_GEN_TRC_ELEM_SYNC_MARKER] = OPENCSD_SYNC_MARKER,
    [OCSD_GEN_TRC_ELEM_MEMTRANS] = OPENCSD_MEMTRANS,
#if HAVE_DECL_OCSD_GEN_TRC_ELEM_INSTRUMENTATION
    [OCSD_GEN_TRC_ELEM_INSTRUMENTATION] = OPENCSD_INSTRUMENTATION,
#endif
    [OCSD_GEN_TRC_ELEM_CUSTOM] = OPENCSD_CUSTOM,
};

/* Our reasons for lost synchronisation by those of the library [OpenCSD 1.3.3,
 * trc_gen_elem_types.h, unsync_info_t]. */
static const uint8_t unsyncs[] = {
    [UNSYNC_UNKNOWN] = OPENCSD_UNSYNC_UNKNOWN,
    [UNSYNC_INIT_DECODER] = OPENCSD_UNSYNC_INIT,
    [UNSYNC_RESET_DECODER] = OPENCSD_UNSYNC_RESET,
    [UNSYNC_OVERFLOW] = OPENCSD_UNSYNC_OVERFLOW,
    [UNSYNC_DISCARD] = OPENCSD_UNSYNC_DISCARD,
    [UNSYNC_BAD_PACKET] = OPENCSD_UNSYNC_BAD_PACKET,
#if HAVE_DECL_UNSYNC_BAD_IMAGE
    [UNSYNC_BAD_IMAGE] = OPENCSD_UNSYNC_BAD_IMAGE,
#endif
    [UNSYNC_EOT] = OPENCSD_UNSYNC_END,
};

/* All other numbers are copied, as no version has changed them yet. */
_Static_assert(ocsd_isa_aarch64 == 2 && ocsd_isa_unknown == 6 && ocsd_sec_nonsecure == 1 &&
		   OCSD_INSTR_TSTART == 6 && OCSD_S_INSTR_V7_IMPLIED_RET == 4 &&
		   TRACE_ON_EX_DEBUG == 2 && EVENT_NUMBERED == 2 && ELEM_MARKER_TS == 0 &&
		   OCSD_MEM_TRANS_FAIL == 3,
	       "OpenCSD has renumbered what is copied here: map it by name");

static uint32_t
opencsd_flag_if(bool set, uint32_t flag)
{
	return set ? flag : 0;
}

/* Copy a context [OpenCSD, "OCSD_GEN_TRC_ELEM_PE_CONTEXT"]. */
static void
take_context(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
	const ocsd_pe_context *c = &in->context;
	bool level = c->el_valid && c->exception_level > ocsd_EL_unknown;
	e->isa = (uint8_t)in->isa;
	e->security = (uint8_t)c->security_level;
	e->level = level ? (uint8_t)c->exception_level : 0;
	e->context_id = c->ctxt_id_valid ? c->context_id : 0;
	e->vmid = c->vmid_valid ? c->vmid : 0;
	e->flags |= opencsd_flag_if(level, OPENCSD_HAS_LEVEL) |
		    opencsd_flag_if(c->bits64, OPENCSD_BITS64) |
		    opencsd_flag_if(c->ctxt_id_valid, OPENCSD_HAS_CONTEXT_ID) |
		    opencsd_flag_if(c->vmid_valid, OPENCSD_HAS_VMID);
}

/* Copy a range [OpenCSD, "OCSD_GEN_TRC_ELEM_INSTR_RANGE", "OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH"]. */
static void
take_range(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
	e->isa = (uint8_t)in->isa;
	e->start = in->st_addr;
	e->end = in->en_addr;
	e->number = in->num_instr_range;
	if (e->type != OPENCSD_INSTR_RANGE)
		return;
	e->last_type = (uint8_t)in->last_i_type;
	e->last_subtype = (uint8_t)in->last_i_subtype;
	e->last_size = in->last_instr_sz;
	e->flags |= opencsd_flag_if(in->last_instr_exec, OPENCSD_EXECUTED) |
		    opencsd_flag_if(in->last_instr_cond, OPENCSD_CONDITIONAL);
}

/* Flag an A64 range with a branch inside, as each range must end at its first branch.  Either the
 * library does not support that branch, or it is off the path.  All ranges up to the next
 * synchronisation may then be wrong. */
static void
doubt_range(struct opencsd_library *l, struct opencsd_element *e)
{
	const struct opencsd_region *r = NULL;
	for (uint64_t at = e->start; at < e->end && !l->passed; at += 4) {
		if (!r || at - r->address >= r->length)
			r = opencsd_find_region(l->source, l->context_id, l->vmid, at);
		if (!r || !r->bytes || (e->last_type && e->end - at <= 4))
			break;
		uint64_t offset = at - r->address;
		unsigned class =
		    arm_decode(INSN_A64, at, r->bytes + offset, r->length - offset).class;
		l->passed = class >= INSN_BRANCH && class <= INSN_TRAP_RETURN;
	}
	e->flags |= opencsd_flag_if(l->passed, OPENCSD_PASSED_BRANCH);
}

/* Copy the memory space that the library searched.  From version 1.5 on, it is in the exception
 * number, and the lister prints it. */
static void
take_space(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
#if OCSD_VER_NUM >= 0x010500
	e->number = in->exception_number;
	e->flags |= OPENCSD_HAS_SPACE;
#else
	(void)in;
	(void)e;
#endif
}

static void
take_exception(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
	e->number = in->exception_number;
	if (in->excep_ret_addr)
		e->end = in->en_addr;
	e->flags |= opencsd_flag_if(in->excep_ret_addr, OPENCSD_HAS_RETURN) |
		    opencsd_flag_if(in->excep_ret_addr_br_tgt, OPENCSD_RETURN_IS_TARGET) |
		    opencsd_flag_if(in->excep_data_marker, OPENCSD_DATA_MARKER);
}

static void
take_software(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
	const ocsd_swt_info_t *s = &in->sw_trace_info;
	const uint8_t *payload = in->ptr_extended_data;
	if (s->swt_id_valid) {
		e->master = s->swt_master_id;
		e->channel = s->swt_channel_id;
	}
	e->bits = (uint8_t)s->swt_payload_pkt_bitsize;
	if (e->bits > 64 || !payload)
		e->bits = 0;
	if (e->bits) {
		e->packets = (uint8_t)s->swt_payload_num_packets;
		e->value = bytes_le(payload, (e->bits + 7u) / 8);
		if (e->bits == 4)
			e->value &= 15;
	}
	if (s->swt_has_timestamp)
		e->timestamp = in->timestamp;
	e->flags |= opencsd_flag_if(s->swt_id_valid, OPENCSD_HAS_SENDER) |
		    opencsd_flag_if(e->bits, OPENCSD_HAS_PAYLOAD) |
		    opencsd_flag_if(s->swt_marker_packet, OPENCSD_MARKER) |
		    opencsd_flag_if(s->swt_marker_first, OPENCSD_MARKER_FIRST) |
		    opencsd_flag_if(s->swt_has_timestamp, OPENCSD_HAS_TIMESTAMP) |
		    opencsd_flag_if(s->swt_frequency, OPENCSD_FREQUENCY) |
		    opencsd_flag_if(s->swt_trigger_event, OPENCSD_TRIGGER) |
		    opencsd_flag_if(s->swt_master_err, OPENCSD_MASTER_ERROR) |
		    opencsd_flag_if(s->swt_global_err, OPENCSD_GLOBAL_ERROR);
}

static void
take_element(const ocsd_generic_trace_elem *in, struct opencsd_element *e)
{
	switch (e->type) {
	case OPENCSD_NO_SYNC:
	case OPENCSD_EO_TRACE:
		if ((size_t)in->unsync_eot_info < sizeof unsyncs)
			e->reason = unsyncs[in->unsync_eot_info];
		break;
	case OPENCSD_TRACE_ON:
		e->reason = (uint8_t)in->trace_on_reason;
		break;
	case OPENCSD_PE_CONTEXT:
		take_context(in, e);
		break;
	case OPENCSD_INSTR_RANGE:
	case OPENCSD_I_RANGE_NOPATH:
		take_range(in, e);
		break;
	case OPENCSD_ADDR_NACC:
		e->start = in->st_addr;
		take_space(in, e);
		break;
	case OPENCSD_EXCEPTION:
		take_exception(in, e);
		break;
	case OPENCSD_TIMESTAMP:
		e->timestamp = in->timestamp;
		e->flags |= OPENCSD_HAS_TIMESTAMP;
		break;
	case OPENCSD_EVENT:
		e->reason = (uint8_t)in->trace_event.ev_type;
		e->number = in->trace_event.ev_number;
		break;
	case OPENCSD_SWTRACE:
		take_software(in, e);
		break;
	case OPENCSD_SYNC_MARKER:
		e->reason = (uint8_t)in->sync_marker.type;
		e->number = in->sync_marker.value;
		break;
	case OPENCSD_MEMTRANS:
		e->reason = (uint8_t)in->mem_trans;
		break;
#if HAVE_DECL_OCSD_GEN_TRC_ELEM_INSTRUMENTATION
	case OPENCSD_INSTRUMENTATION:
		e->level = in->sw_ite.el;
		e->value = in->sw_ite.value;
		break;
#endif
	default:
		break;
	}
}

/* Extend an index of the library by its upper half.  On damage the index may be anything; return
 * the index of the previous element then. */
static uint64_t
full_index(const struct opencsd_library *l, ocsd_trc_index_t index)
{
	if (!l->fed)
		return index;
	uint64_t back = (ocsd_trc_index_t)((ocsd_trc_index_t)l->index - index);
	return back <= l->index - l->first ? l->index - back : l->last;
}

/* --- callbacks --------------------------------------------------------- */

static ocsd_datapath_resp_t
on_element(const void *context, const ocsd_trc_index_t index, const uint8_t id,
	   const ocsd_generic_trace_elem *in)
{
	struct opencsd_library *l = (struct opencsd_library *)context;
	struct opencsd_element e = {.index = full_index(l, index), .id = l->source->id};
	(void)id;
	if ((size_t)in->elem_type < sizeof types)
		e.type = types[in->elem_type];
	if (in->has_cc) {
		e.cycles = in->cycle_count;
		e.flags |= OPENCSD_HAS_CYCLES;
	}
	e.flags |= opencsd_flag_if(in->cpu_freq_change, OPENCSD_FREQ_CHANGE);
	take_element(in, &e);
	if (e.type == OPENCSD_INSTR_RANGE && e.isa == ocsd_isa_aarch64)
		doubt_range(l, &e);
	if (e.type == OPENCSD_PE_CONTEXT) {
		l->context_id = e.context_id;
		l->vmid = e.vmid;
	}
	l->last = e.index;
	if (e.type == OPENCSD_NO_SYNC)
		l->speculation.decoding = false;
	if (e.type == OPENCSD_NO_SYNC || e.type == OPENCSD_TRACE_ON)
		l->passed = false;
	l->sink.element(l->sink.context, &e);
	return OCSD_RESP_CONT;
}

/* True if the packet reports a mispredicted atom. */
static bool
opencsd_has_mispredicted(const ocsd_etmv4_i_pkt *packet)
{
	return packet->type == ETM4_PKT_I_MISPREDICT || packet->type == ETM4_PKT_I_CANCEL_F2 ||
	       packet->type == ETM4_PKT_I_CANCEL_F3 || packet->type == ETM4_PKT_I_CANCEL_F1_MISPRED;
}

static uint32_t
opencsd_saturated_less(uint32_t from, uint32_t what)
{
	return what < from ? from - what : 0;
}

/* Track how a packet changes the decoder, and disable the packet if the decoder cannot handle it.
 * The packet belongs to the library, which passes it to the decoder after this. */
static void
follow_speculation(struct opencsd_library *l, ocsd_etmv4_i_pkt *packet)
{
	struct speculation *s = &l->speculation;
	uint32_t most = opencsd_register_or(l->source->options->regs.TRCIDR8, 0);
	if (packet->type >= ETM4_PKT_I_BAD_SEQUENCE && packet->type <= ETM4_PKT_I_RESERVED_CFG)
		s->decoding = false;
	if (packet->type == ETM4_PKT_I_TRACE_INFO)
		l->passed = false;
	if (packet->type == ETM4_PKT_I_TRACE_INFO && !s->decoding)
		*s = (struct speculation){.decoding = true, .unseen = packet->curr_spec_depth > 0};
	if (packet->pkt_valid.bits.commit_elem_valid)
		s->open = opencsd_saturated_less(s->open, packet->commit_elements);
	if (packet->type == ETM4_PKT_I_CANCEL_F1 || opencsd_has_mispredicted(packet))
		s->open = opencsd_saturated_less(s->open, packet->cancel_elements);
	if (s->decoding && opencsd_has_mispredicted(packet) && !s->open) {
		packet->type = ETM4_PKT_I_IGNORE;
		l->fault = !s->unseen;
		return;
	}
	s->open += packet->atom.num;
	if (packet->type == ETM4_PKT_I_EXCEPT || packet->type == ETM4_PKT_I_Q)
		s->open++;
	if (s->open > most)
		s->open = most;
}

static void
on_packet(const void *context, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
	  const void *packet, const uint32_t length, const uint8_t *bytes)
{
	struct opencsd_library *l = (struct opencsd_library *)context;
	if (op != OCSD_OP_DATA || !packet)
		return;
	l->sink.packet(l->sink.context, full_index(l, index), bytes, length, packet);
	if (protocols[l->source->options->protocol].number == OCSD_PROTOCOL_ETMV4I)
		follow_speculation(l, (ocsd_etmv4_i_pkt *)packet);
}

static uint32_t
on_memory(const void *context, const ocsd_vaddr_t address, const ocsd_mem_space_acc_t space,
	  const uint8_t id, const uint32_t size, uint8_t *out)
{
	const struct opencsd_library *l = context;
	const struct opencsd_region *r =
	    opencsd_find_region(l->source, l->context_id, l->vmid, address);
	(void)space;
	(void)id;
	if (!r || !r->bytes)
		return 0;
	uint64_t at = address - r->address;
	uint32_t length = r->length - at < size ? (uint32_t)(r->length - at) : size;
	memcpy(out, r->bytes + at, length);
	return length;
}

/* --- trees ------------------------------------------------------------- */

static void
set_up_library(void)
{
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
}

static ocsd_err_t
opencsd_attach(struct opencsd_library *l, const struct protocol *p, const union config *config)
{
	unsigned char id;
	ocsd_err_t err =
	    ocsd_dt_create_decoder(l->tree, p->name, OCSD_CREATE_FLG_FULL_DECODER, config, &id);
	if (!err)
		err = ocsd_dt_attach_packet_callback(l->tree, 0, OCSD_C_API_CB_PKT_MON,
						     (void *)(uintptr_t)on_packet, l);
	if (!err && p->has_memory)
		err = ocsd_dt_add_callback_trcid_mem_acc(l->tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY,
							 on_memory, l);
	if (!err)
		err = ocsd_dt_set_gen_elem_outfn(l->tree, on_element, l);
	return err;
}

struct opencsd_library *
opencsd_library_new(const struct opencsd_source *source, const struct opencsd_tree_sink *sink,
		    struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct protocol *p = &protocols[source->options->protocol];
	if (check_version(err) < 0 || check_registers(source, p, err) < 0)
		return NULL;
	struct opencsd_library *l = mem_new(sizeof *l);
	l->source = source;
	l->sink = *sink;
	union config config;
	memset(&config, 0, sizeof config);
	p->configure(source, core_of(source->options), &config);

	pthread_once(&once, set_up_library);
	pthread_mutex_lock(&lock);
	l->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_err_t failed = l->tree ? opencsd_attach(l, p, &config) : OCSD_ERR_MEM;
	pthread_mutex_unlock(&lock);
	if (!failed)
		return l;
	err_set(err, ERR_CONFIG, "the OpenCSD library does not take its registers (error %d)",
		(int)failed);
	opencsd_library_free(l);
	return NULL;
}

void
opencsd_library_free(struct opencsd_library *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&lock);
	ocsd_destroy_dcd_tree(l->tree);
	pthread_mutex_unlock(&lock);
	free(l);
}

void
opencsd_library_reset(struct opencsd_library *l)
{
	uint32_t used = 0;
	l->fed = false;
	l->passed = false;
	l->context_id = l->vmid = 0;
	l->speculation = (struct speculation){0};
	ocsd_dt_process_data(l->tree, OCSD_OP_RESET, 0, 0, NULL, &used);
}

size_t
opencsd_library_feed(struct opencsd_library *l, uint64_t index, const uint8_t *bytes, size_t length,
		     int *fatal)
{
	uint32_t used = 0;
	if (!l->fed)
		l->first = l->last = index;
	l->fed = true;
	l->fault = false;
	l->index = index + length;
	ocsd_datapath_resp_t answer = ocsd_dt_process_data(
	    l->tree, OCSD_OP_DATA, (ocsd_trc_index_t)index, (uint32_t)length, bytes, &used);
	*fatal = OCSD_DATA_RESP_IS_FATAL(answer) ? (int)answer
		 : l->fault			 ? OCSD_RESP_FATAL_INVALID_DATA
						 : 0;
	return used < length ? used : length;
}

void
opencsd_library_end(struct opencsd_library *l)
{
	uint32_t used = 0;
	ocsd_dt_process_data(l->tree, OCSD_OP_EOT, 0, 0, NULL, &used);
}

const char *
opencsd_library_fatal(int fatal)
{
	static const char *const texts[] = {
	    [OCSD_RESP_FATAL_NOT_INIT] = "the decoder is not ready",
	    [OCSD_RESP_FATAL_INVALID_OP] = "an invalid operation",
	    [OCSD_RESP_FATAL_INVALID_PARAM] = "an invalid parameter",
	    [OCSD_RESP_FATAL_INVALID_DATA] = "bytes that are not trace of this protocol",
	    [OCSD_RESP_FATAL_SYS_ERR] = "an error inside the decoder",
	};
	size_t count = sizeof texts / sizeof *texts;
	return fatal > 0 && (size_t)fatal < count && texts[fatal] ? texts[fatal] : "unknown";
}

size_t
opencsd_library_packet_size(enum opencsd_protocol protocol)
{
	return protocols[protocol].packet;
}

void
opencsd_library_packet_text(enum opencsd_protocol protocol, const void *packet, struct text *out)
{
	char text[1024] = "";
	pthread_mutex_lock(&lock); /* the library's own buffers are shared */
	ocsd_pkt_str(protocols[protocol].number, packet, text, sizeof text);
	pthread_mutex_unlock(&lock);
	text_add(out, text);
}
