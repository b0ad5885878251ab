/*
 * Read instruction payloads of E-Trace.
 *
 * Formats 3 (sync), 2 (address), 1 (branches) and 0 (extensions) are read field by
 * field in the order of the specification's tables.  The same code makes the fields
 * for the detail pane.  Except for a few kinds, stepping needs only the first bits of
 * a payload.  The table for these bits is built by reading made-up payloads, so the
 * format is described only once.
 *
 * Branches are not followed, because that needs the program.
 */
#include "config.h"

#include "decode/encap/encap.h"

#include <stdio.h>
#include <string.h>

/* --- options ----------------------------------------------------------- */

const char *const etrace_layouts[] = {"as_etrace", [1 + ETRACE_LAYOUT_REFERENCE] = "reference",
				      [1 + ETRACE_LAYOUT_PULP] = "pulp", NULL};
const char *const etrace_compressions[] = {"as_etrace", [1 + ETRACE_SHORT_PACKET] = "packet",
					   [1 + ETRACE_SHORT_FIELD] = "field", NULL};
const char *const etrace_flags[] = {"as_etrace", "false", "true", NULL};

#define OPTION(...) OPTION_ROW(struct etrace_options, __VA_ARGS__)
#define ROW_NUMBER(option, least, most, preset, words)                                             \
	OPTION(option, INT, words, preset, .min = (least), .max = (most)),
#define ROW_FLAG(option, preset, words) OPTION(option, BOOL, words, preset),
#define ROW_CHOICE(option, names, preset, words)                                                   \
	OPTION(option, CHOICE, words, preset, .choices = (names) + 1),
#define ROW_ADDRESS(option, words) OPTION(option, UINT, words, .hex = true),
static const struct option_row option_rows[] = {
    ETRACE_OPTIONS(ROW_NUMBER, ROW_FLAG, ROW_CHOICE, ROW_ADDRESS)};

static bool
check_options(const void *object, struct option_fault *fault)
{
	const struct etrace_options *options = object;
	const char *problem = etrace_check(options);
	fault->member = options->implicit_exception ? "implicit_exception" : "iaddress_lsb";
	if (problem)
		snprintf(fault->what, sizeof fault->what, "%s", problem);
	return !problem;
}

const struct option_table etrace_options = {
    .name = "etrace",
    .size = sizeof(struct etrace_options),
    .rows = option_rows,
    .count = sizeof option_rows / sizeof *option_rows,
    .check = check_options,
};

#define CHANGE_NUMBER(option, least, most, preset, words)                                          \
	if (changes->option >= 0)                                                                  \
		options->option = changes->option;
#define CHANGE_FLAG(option, preset, words)                                                         \
	if (changes->option)                                                                       \
		options->option = changes->option - 1;
#define CHANGE_CHOICE(option, names, preset, words) CHANGE_FLAG(option, preset, words)
#define CHANGE_ADDRESS(option, words)                                                              \
	if (changes->option)                                                                       \
		options->option = changes->option;

void
etrace_change(struct etrace_options *options, const struct etrace_changes *changes)
{
	ETRACE_OPTIONS(CHANGE_NUMBER, CHANGE_FLAG, CHANGE_CHOICE, CHANGE_ADDRESS)
}

#define CHECK_NUMBER(option, least, most, preset, words)                                           \
	if (options->option < (least) || options->option > (most))                                 \
		return #option " must be a number from " #least " to " #most;
#define CHECK_NOTHING(...)

static bool
knows_handlers(const struct etrace_options *o)
{
	return o->mtvec || o->stvec || o->vstvec;
}

const char *
etrace_check(const struct etrace_options *options)
{
	ETRACE_OPTIONS(CHECK_NUMBER, CHECK_NOTHING, CHECK_NOTHING, CHECK_NOTHING)
	if (options->implicit_exception && !knows_handlers(options))
		return "implicit_exception needs to know where traps lead; expected mtvec, stvec "
		       "or vstvec too";
	if (options->iaddress_lsb >= options->iaddress_width)
		return "iaddress_lsb must be less than iaddress_width";
	return NULL;
}

/* --- bits -------------------------------------------------------------- */

uint64_t
etrace_peek_beyond(const struct etrace_bits *b, unsigned at, unsigned count)
{
	unsigned end = 8 * (unsigned)b->length;
	uint64_t value = 0, top = b->packet[b->length - 1] >> 7 ? UINT64_MAX : 0;
	if (at < end) {
		value = bytes_le64(b->packet + at / 8) >> at % 8;
		if (at % 8)
			value |= (uint64_t)b->packet[at / 8 + 8] << (64 - at % 8);
	}
	if (at + count > end) {
		uint64_t sent = etrace_mask(at < end ? end - at : 0);
		value = (value & sent) | (top & ~sent);
	}
	return value & etrace_mask(count);
}

/* Add a field of COUNT bits starting at AT.  Its extent covers only the bits that were sent. */
static struct field *
add_field(struct etrace_bits *b, unsigned row, unsigned at, unsigned count)
{
	unsigned end = 8 * (unsigned)b->length;
	if (at + count > end)
		count = at < end ? end - at : 0;
	enum field_place place = count ? FIELD_PAYLOAD : FIELD_NOWHERE;
	return expansion_add(b->fields, &encap_fields[row], place, at, count);
}

void
etrace_add(struct etrace_bits *b, unsigned row, unsigned at, unsigned count, uint64_t value)
{
	add_field(b, row, at, count)->u = value;
}

struct field *
etrace_last(const struct etrace_bits *b)
{
	return &b->fields->fields.at[b->fields->fields.count - 1];
}

void
etrace_note(struct etrace_bits *b, unsigned row, const char *text, unsigned at, unsigned count)
{
	if (!b->fields)
		return;
	struct field *field = add_field(b, row, at, count);
	field->s.at = text;
	field->s.length = strlen(text);
}

static void
add_number(struct etrace_bits *b, unsigned row, uint64_t value)
{
	if (b->fields)
		etrace_add(b, row, 0, 0, value);
}

/* --- parts of payloads ------------------------------------------------- */

/* "Address must be left shifted in order to recreate original byte address" [E-Trace 2.0,
 * "Format 3 subformat 0 - Synchronisation"]. */
static uint64_t
full_address(const struct etrace_options *o, uint64_t sent)
{
	return sent << o->iaddress_lsb & etrace_mask((unsigned)o->iaddress_width);
}

/* Read the absolute address of sync.start or sync.trap. */
static void
read_certain(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	uint64_t sent =
	    etrace_take(b, (unsigned)(o->iaddress_width - o->iaddress_lsb), ENCAP_F_ADDRESS);
	t->address = full_address(o, sent);
	t->move = ETRACE_TO;
	if (b->fields)
		etrace_last(b)->u = t->address;
}

/* Read a flag, sent as a change from the previous bit: [E-Trace 2.0, "Format 2 notify and
 * updiscon fields"].  For irreport of a jump target that is the highest bit of branch_map or
 * branches, also the previous bit [E-Trace 2.0, "Format 0 irreport and irdepth fields"]. */
static bool
read_change(struct etrace_bits *b, unsigned row)
{
	bool before = etrace_peek(b, b->at - 1, 1);
	bool changed = etrace_take(b, 1, row) != before;
	if (b->fields)
		etrace_last(b)->u = changed;
	return changed;
}

/* Read irreport and irdepth. irdepth has return_stack_size_p + (return_stack_size_p > 0 ? 1 :
 * 0) + call_counter_size_p bits, and a meaning if irreport is set [E-Trace 2.0, "Format 2
 * irreport and irdepth"]. */
static void
read_return(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	unsigned depth =
	    (unsigned)(o->return_stack_size + (o->return_stack_size > 0) + o->call_counter_size);
	if (o->addr_comp == ETRACE_SHORT_FIELD)
		depth = 1;
	t->irreport = read_change(b, ENCAP_F_IRREPORT);
	if (t->irreport)
		t->irdepth = etrace_take(b, depth, ENCAP_F_IRDEPTH);
	else
		b->at += depth;
}

/* Read the reached address, in full or as a difference, and the flags: [E-Trace 2.0, "Format 2
 * packets"].  If only the address field is compressed, it has 8 k + 1 bits and the flags follow
 * directly: [E-Trace 2.0, second hand: captures of PULP's rv_tracer]. */
static void
read_address(const struct etrace_options *o, const struct etrace_place *place,
	     struct etrace_bits *b, struct etrace_packet *t)
{
	enum { FLAGS = 4 }; /* with one bit of irdepth */
	unsigned width = (unsigned)(o->iaddress_width - o->iaddress_lsb), skipped = 0;
	if (o->addr_comp == ETRACE_SHORT_FIELD) {
		unsigned end = 8 * (unsigned)b->length;
		unsigned left = end > b->at + FLAGS ? end - b->at - FLAGS : 0;
		width = left < 9 ? 0 : left / 8 * 8 + 1;
		skipped = width > 64;
		if (skipped)
			width = 64;
	}
	unsigned row = place->full_address ? ENCAP_F_ADDRESS : ENCAP_F_ADDRESS_DELTA;
	uint64_t sent = etrace_signed(etrace_take(b, width, row), width);
	t->full = place->full_address;
	t->has_address = true;
	t->move = t->full ? ETRACE_TO : ETRACE_BY;
	t->address = t->full ? full_address(o, sent) : sent << o->iaddress_lsb;
	if (b->fields && width)
		etrace_last(b)->u = t->address;
	else
		add_number(b, row, t->address);
	b->at += skipped;
	t->notify = read_change(b, ENCAP_F_NOTIFY);
	t->updiscon = read_change(b, ENCAP_F_UPDISCON);
	read_return(o, b, t);
}

size_t
etrace_branches(const struct etrace_packet *t, char text[static ETRACE_BRANCHES_MAX])
{
	for (unsigned i = 0; i < t->branches; i++)
		text[i] = t->branch_map >> i & 1 ? 'n' : 't';
	return t->branches;
}

/* Read a map of COUNT branches, 0 for a full map.  It has 1, 3, 7, 15 or 31 bits.  Bit 0 is the
 * oldest branch, and 0 means taken [E-Trace 2.0, "Format 1 packets", "Format 1 branch_map
 * field"]. */
static void
read_map(struct etrace_bits *b, unsigned count, struct etrace_packet *t)
{
	unsigned bits = 31;
	t->branches = (uint16_t)(count ? count : 31);
	while (bits / 2 >= t->branches)
		bits /= 2;
	t->branch_map = (uint32_t)etrace_take(b, bits, ENCAP_F_BRANCH_MAP);
	if (b->fields) {
		char text[ETRACE_BRANCHES_MAX];
		size_t length = etrace_branches(t, text);
		etrace_last(b)->note = arena_text(&b->fields->arena, text, length);
	}
	add_number(b, ENCAP_F_BRANCH_MAP_BITS, bits);
}

/* Read privilege, time and context, part of each format 3 packet except support [E-Trace 2.0,
 * "Format 3 packets"]. */
static void
read_mode(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	t->privilege = (uint8_t)etrace_take(b, (unsigned)o->privilege_width, ENCAP_F_PRIVILEGE);
	t->has_time = !o->notime;
	if (t->has_time)
		t->time = etrace_take(b, (unsigned)o->time_width, ENCAP_F_TIME);
	t->has_context = !o->nocontext;
	if (t->has_context)
		t->context = etrace_take(b, (unsigned)o->context_width, ENCAP_F_CONTEXT);
	t->flags |= t->has_time ? MESSAGE_SYNC : 0;
}

static void
set_name(struct etrace_bits *b, struct etrace_packet *t, unsigned kind)
{
	t->kind = (uint8_t)kind;
	t->name = encap_kinds[kind].name;
	etrace_note(b, ENCAP_F_NAME, t->name, 0, 0);
}

const char *const etrace_errors[ETRACE_ERROR_COUNT] = {
    [ETRACE_ERROR_BRANCH_FMT] = "reserved branch_fmt",
    [ETRACE_ERROR_SUBFORMAT] = "reserved subformat",
    [ETRACE_ERROR_WIDE] = "transfer wider than data_width",
};

void
etrace_fail(struct etrace_bits *b, struct etrace_packet *t, enum etrace_error error)
{
	t->error = etrace_errors[error];
	t->severity = SEVERITY_ERROR;
	etrace_note(b, ENCAP_F_ERROR, t->error, 0, 0);
}

/* --- format 3 ---------------------------------------------------------- */

/* [E-Trace 2.0, "Format 3 subformat 0 - Synchronisation"] */
static void
read_start(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	set_name(b, t, ETRACE_START);
	t->branch = etrace_take(b, 1, ENCAP_F_BRANCH);
	read_mode(o, b, t);
	read_certain(o, b, t);
	t->flags |= MESSAGE_RESYNC;
}

/* [RISC-V II, "Machine Cause (mcause) Register", table of values after a trap]; values of the
 * hypervisor extension: [RISC-V II, "Hypervisor Trap-Related CSRs"]. */
const char *const etrace_exceptions[ETRACE_EXCEPTIONS] = {
    [0] = "instruction address misaligned",
    [1] = "instruction access fault",
    [2] = "illegal instruction",
    [3] = "breakpoint",
    [4] = "load address misaligned",
    [5] = "load access fault",
    [6] = "store address misaligned",
    [7] = "store access fault",
    [8] = "call from U",
    [9] = "call from S",
    [10] = "call from VS",
    [11] = "call from M",
    [12] = "instruction page fault",
    [13] = "load page fault",
    [15] = "store page fault",
    [16] = "double trap",
    [18] = "software check",
    [19] = "hardware error",
    [20] = "instruction guest-page fault",
    [21] = "load guest-page fault",
    [22] = "virtual instruction",
    [23] = "store guest-page fault",
};
const char *const etrace_interrupts[ETRACE_INTERRUPTS] = {
    [1] = "supervisor software",      [2] = "virtual supervisor software",
    [3] = "machine software",	      [5] = "supervisor timer",
    [6] = "virtual supervisor timer", [7] = "machine timer",
    [9] = "supervisor external",      [10] = "virtual supervisor external",
    [11] = "machine external",	      [12] = "guest external",
    [13] = "counter overflow",
};

const char *
etrace_cause_name(bool interrupt, uint64_t cause)
{
	if (cause >= (interrupt ? ETRACE_INTERRUPTS : ETRACE_EXCEPTIONS))
		return NULL;
	return interrupt ? etrace_interrupts[cause] : etrace_exceptions[cause];
}

/* Find the target of a trap to the packet's mode, because "the decoder can infer the address of
 * the trap handler from just the exception cause" [E-Trace 2.0, "Implicit exception
 * mode"].  The two lowest bits of the register select the mode.  With 0, all traps go to the
 * address in the other bits.  With 1, interrupts go to that address plus four times the cause
 * [RISC-V II, "Machine Trap-Vector Base-Address Register"].  Privilege levels are numbered as
 * in encap_fields.c. */
static bool
find_handler(const struct etrace_options *o, const struct etrace_packet *t, uint64_t *address)
{
	const uint64_t registers[] = {[1] = o->stvec, [3] = o->mtvec, [6] = o->vstvec};
	uint64_t tvec = 0;
	if (t->privilege < sizeof registers / sizeof *registers)
		tvec = registers[t->privilege];
	if (!tvec || tvec & 2)
		return false;
	*address = tvec & ~(uint64_t)3;
	if (tvec & 1 && t->is_interrupt)
		*address += 4 * t->ecause;
	*address &= etrace_mask((unsigned)o->iaddress_width);
	return true;
}

/* [E-Trace 2.0, "Format 3 subformat 1 - Trap"].  In implicit exception mode "the trap
 * handler address is omitted if thaddr is 1".  tval is "omitted from the packet for
 * interrupts" [E-Trace 2.0, "Format 3 tval field"]. */
static void
read_trap(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	  struct etrace_packet *t)
{
	set_name(b, t, ETRACE_TRAP);
	t->branch = etrace_take(b, 1, ENCAP_F_BRANCH);
	read_mode(o, b, t);
	t->ecause = etrace_take(b, (unsigned)o->ecause_width, ENCAP_F_ECAUSE);
	t->is_interrupt = etrace_take(b, 1, ENCAP_F_INTERRUPT);
	t->thaddr = etrace_take(b, 1, ENCAP_F_THADDR);
	if (!t->thaddr || !place->implicit_exception) {
		read_certain(o, b, t);
	} else {
		t->unhandled = !find_handler(o, t, &t->address);
		t->move = t->unhandled ? ETRACE_LOST : ETRACE_TO;
	}
	t->has_tval = !t->is_interrupt;
	if (t->has_tval)
		t->tval = etrace_take(b, (unsigned)o->iaddress_width, ENCAP_F_TVAL);
	t->cause_name = etrace_cause_name(t->is_interrupt, t->ecause);
	if (t->cause_name)
		etrace_note(b, ENCAP_F_EXCEPTION_NAME, t->cause_name, 0, 0);
	t->severity = t->is_interrupt ? SEVERITY_INFO : SEVERITY_WARNING;
}

/* Return the bit position of `interrupt` in the payload of a trap, matching read_trap. */
static unsigned
interrupt_bit(const struct etrace_options *o)
{
	enum { FORMATS = 4, BRANCH = 1 };
	uint64_t mode = (uint64_t)o->privilege_width;
	mode += o->notime ? 0 : (uint64_t)o->time_width;
	mode += o->nocontext ? 0 : (uint64_t)o->context_width;
	return (unsigned)(FORMATS + BRANCH + mode + (uint64_t)o->ecause_width);
}

/* [E-Trace 2.0, "Format 3 subformat 3 qual_status field"] */
const char *const etrace_statuses[ETRACE_STATUS_COUNT] = {
    [ETRACE_STATUS_SAME] = "no_change",
    [ETRACE_STATUS_REPORTED] = "ended_rep",
    [ETRACE_STATUS_LOST] = "trace_lost",
    [ETRACE_STATUS_ENDED] = "ended_ntr",
};

/* Names of the encoder's options, by bit.  "Number of bits and definitions implementation
 * dependent" [E-Trace 2.0, "Format 3 subformat 3 - Support"], so these are [E-Trace 2.0, second
 * hand: its reference models] and [E-Trace 2.0, second hand: PULP's rv_tracer]. */
static const struct {
	const char *names[8];
	unsigned count;
	bool has_data; /* support packets report data trace too */
} layouts[] = {
    [ETRACE_LAYOUT_REFERENCE] = {{"implicit_return", "implicit_exception", "full_address",
				  "jump_target_cache", "branch_prediction"},
				 5,
				 true},
    [ETRACE_LAYOUT_PULP] = {{"jump_target_cache", "branch_prediction", "implicit_return", "sijump",
			     "implicit_exception", "full_address", "delta_address"},
			    7,
			    false},
};

static void
read_ioptions(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	unsigned from = b->at, count = layouts[o->ioptions].count;
	uint64_t set = etrace_take(b, count, ENCAP_F_IOPTIONS);
	/* the reference layout has no bit for it, so the parameter decides */
	t->options.sijump = o->ioptions == ETRACE_LAYOUT_REFERENCE && o->sijump;
	if (b->fields)
		b->fields->depth++;
	for (unsigned i = 0; i < count; i++) {
		const char *name = layouts[o->ioptions].names[i];
		if (!(set >> i & 1))
			continue;
		etrace_note(b, ENCAP_F_IOPTION, name, from + i, 1);
		t->options.full_address |= !strcmp(name, "full_address");
		t->options.implicit_exception |= !strcmp(name, "implicit_exception");
		t->options.implicit_return |= !strcmp(name, "implicit_return");
		t->options.sijump |= !strcmp(name, "sijump");
		t->options.branch_prediction |= !strcmp(name, "branch_prediction");
		t->options.jump_target_cache |= !strcmp(name, "jump_target_cache");
	}
	if (b->fields)
		b->fields->depth--;
}

/* Read the state of data trace.  The lowest option bits set the form of data packets: 'no
 * addr', 'no data' [E-Trace 2.0, second hand: its reference models]. */
static void
read_doptions(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	etrace_take(b, 1, ENCAP_F_DENABLE);
	t->data_lost = etrace_take(b, 1, ENCAP_F_DLOSS) && o->dtrace;
	if (t->data_lost) {
		t->severity = SEVERITY_ERROR;
		t->flags |= MESSAGE_LOST;
	}
	uint64_t set = etrace_take(b, (unsigned)o->doptions_width, ENCAP_F_DOPTIONS);
	t->options.no_address = o->dtrace && set & 1;
	t->options.no_data = o->dtrace && set & 2;
}

/* [E-Trace 2.0, "Format 3 subformat 3 - Support"] */
static void
read_support(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	set_name(b, t, ETRACE_SUPPORT);
	t->severity = SEVERITY_INFO;
	t->has_options = true;
	t->count = etrace_take(b, 1, ENCAP_F_IENABLE);
	etrace_take(b, (unsigned)o->encoder_mode_width, ENCAP_F_ENCODER_MODE);
	t->status = (uint8_t)etrace_peek(b, b->at, 2);
	etrace_note(b, ENCAP_F_QUAL_STATUS, etrace_statuses[t->status], b->at, 2);
	b->at += 2;
	read_ioptions(o, b, t);
	if (layouts[o->ioptions].has_data)
		read_doptions(o, b, t);
	if (t->status == ETRACE_STATUS_LOST)
		t->move = ETRACE_LOST;
	t->unhandled = t->options.implicit_exception && !knows_handlers(o);
	if (t->status == ETRACE_STATUS_LOST || t->unhandled) {
		t->severity = SEVERITY_ERROR;
		t->flags |= MESSAGE_LOST;
	}
}

static void
read_sync(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	  struct etrace_packet *t)
{
	switch (etrace_take(b, 2, ENCAP_F_SUBFORMAT)) {
	case 0:
		read_start(o, b, t);
		break;
	case 1:
		read_trap(o, place, b, t);
		break;
	case 2: /* [E-Trace 2.0, "Format 3 subformat 2 - Context"] */
		set_name(b, t, ETRACE_CONTEXT);
		read_mode(o, b, t);
		t->severity = SEVERITY_INFO;
		break;
	default:
		read_support(o, b, t);
		break;
	}
}

/* --- formats 2, 1 and 0 ------------------------------------------------ */

/* "This is indicated by setting branches to 0" [E-Trace 2.0, "Format 1 branch_map
 * field"]: a full map without an address. */
static void
read_branches(const struct etrace_options *o, const struct etrace_place *place,
	      struct etrace_bits *b, struct etrace_packet *t)
{
	unsigned count = (unsigned)etrace_take(b, 5, ENCAP_F_BRANCHES);
	set_name(b, t, count ? ETRACE_BRANCH : ETRACE_BRANCH_MAP);
	read_map(b, count, t);
	if (count)
		read_address(o, place, b, t);
}

/* [E-Trace 2.0, "Format 0 packets", subformat 0, "Format 0 branch_fmt field"] */
static void
read_count(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	   struct etrace_packet *t)
{
	set_name(b, t, ETRACE_BRANCH_COUNT);
	t->count = etrace_take(b, 32, ENCAP_F_BRANCH_COUNT);
	uint64_t format = etrace_take(b, 2, ENCAP_F_BRANCH_FMT);
	/* "the branch following the last correct prediction failed", "an address that points to
	 * a branch which failed the prediction" */
	t->fails = format == 0 || format == 3;
	switch (format) {
	case 0:
		break;
	case 1:
		etrace_fail(b, t, ETRACE_ERROR_BRANCH_FMT);
		break;
	default:
		read_address(o, place, b, t);
		break;
	}
}

/* [E-Trace 2.0, "Format 0 packets", subformat 1]; with branches 0 there is no map. */
static void
read_jump(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t)
{
	set_name(b, t, ETRACE_JUMP_TARGET);
	t->move = ETRACE_LOST; /* into a cache that is not tracked */
	t->count = etrace_take(b, (unsigned)o->cache_size, ENCAP_F_INDEX);
	unsigned count = (unsigned)etrace_take(b, 5, ENCAP_F_BRANCHES);
	if (count)
		read_map(b, count, t);
	read_return(o, b, t);
}

/* Read format 0.  "If only one optional format is supported, the field can be omitted" [E-Trace
 * 2.0, "Format 0 subformat field"]: the kind is then that of the only extension. */
static void
read_extension(const struct etrace_options *o, const struct etrace_place *place,
	       struct etrace_bits *b, struct etrace_packet *t)
{
	uint64_t subformat = o->cache_size && !o->bpred_size;
	if (o->f0s_width)
		subformat = etrace_take(b, (unsigned)o->f0s_width, ENCAP_F_SUBFORMAT);
	else
		add_number(b, ENCAP_F_SUBFORMAT, subformat);
	if (subformat == 0) {
		read_count(o, place, b, t);
	} else if (subformat == 1) {
		read_jump(o, b, t);
	} else {
		set_name(b, t, ETRACE_RESERVED);
		t->move = ETRACE_LOST;
		etrace_fail(b, t, ETRACE_ERROR_SUBFORMAT);
	}
}

void
etrace_read(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	    struct etrace_packet *t)
{
	*t = (struct etrace_packet){.severity = SEVERITY_DEBUG};
	switch (etrace_take(b, 2, ENCAP_F_FORMAT)) {
	case 3:
		read_sync(o, place, b, t);
		break;
	case 2:
		set_name(b, t, ETRACE_ADDRESS);
		read_address(o, place, b, t);
		break;
	case 1:
		read_branches(o, place, b, t);
		break;
	default:
		read_extension(o, place, b, t);
		break;
	}
	unsigned end = 8 * (unsigned)b->length;
	t->unused = end > b->at && !t->error ? end - b->at : 0;
}

/* --- effect and text of a payload -------------------------------------- */

struct etrace_place
etrace_begin(const struct etrace_options *o)
{
	return (struct etrace_place){
	    .full_address = o->full_address,
	    .implicit_exception = o->implicit_exception,
	    .implicit_return = o->implicit_return,
	    .sijump = o->sijump,
	    .branch_prediction = o->branch_prediction,
	    .jump_target_cache = o->jump_target_cache,
	};
}

void
etrace_apply(const struct etrace_options *o, const struct etrace_packet *t,
	     struct etrace_place *place)
{
	if (t->has_options) {
		place->full_address = t->options.full_address;
		place->no_address = t->options.no_address;
		place->no_data = t->options.no_data;
		place->implicit_exception = t->options.implicit_exception;
	}
	switch ((enum etrace_move)t->move) { /* [E-Trace 2.0, "Delta address mode"] */
	case ETRACE_STAYS:
		break;
	case ETRACE_TO:
		place->pc = t->address;
		place->known = true;
		break;
	case ETRACE_BY:
		place->pc = (place->pc + t->address) & etrace_mask((unsigned)o->iaddress_width);
		break;
	case ETRACE_LOST:
		place->known = false;
		break;
	}
}

/* Read a made-up payload: HEAD, then zeros, with bit CHOICE set if CHOICE is not 0.  Store the
 * number of bits read in *USED. */
static struct etrace_packet
try_head(const struct etrace_options *o, unsigned head, unsigned choice, unsigned *used)
{
	enum { LONGEST = 127 }; /* more than the widest fields need */
	uint8_t bytes[LONGEST + ETRACE_SLACK] = {(uint8_t)head};
	struct etrace_bits bits = {.packet = bytes, .length = LONGEST};
	struct etrace_place place = {0};
	struct etrace_packet t;
	if (choice)
		bytes[choice / 8] |= (uint8_t)(1u << choice % 8);
	etrace_read(o, &place, &bits, &t);
	*used = bits.at;
	return t;
}

void
etrace_make_heads(const struct etrace_options *o,
		  struct etrace_head heads[static 1 << ETRACE_HEAD_BITS])
{
	for (unsigned i = 0; i < 1u << ETRACE_HEAD_BITS; i++) {
		unsigned used, choice, chosen_used;
		struct etrace_packet t = try_head(o, i, 0, &used), chosen;
		choice = t.kind == ETRACE_TRAP ? interrupt_bit(o) : 0;
		chosen = try_head(o, i, choice, &chosen_used);
		bool read = t.kind == ETRACE_SUPPORT || !(i & 3);
		heads[i] = (struct etrace_head){
		    .kind = t.kind,
		    .severity = t.severity,
		    .flags = t.flags,
		    .most = read ? 0 : (uint16_t)(used + 7),
		    .sure = read || choice ? 0 : (uint16_t)(used + 7),
		    .choice = (uint16_t)choice,
		    .chosen_most = (uint16_t)(chosen_used + 7),
		    .chosen_severity = chosen.severity,
		};
	}
}
