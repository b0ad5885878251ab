/*
 * RISC-V trace encapsulation, the tables of the format and how it is opened.
 *
 * Opening turns the options into tables for stepping: the length of a packet
 * by its header byte, what the first bits of a payload tell, and which source
 * has settings of its own.  Widths that the profile does not give are guessed
 * from the head of the capture (encap_probe.c).  How packets are found is in
 * encap_step.c, what they say in encap_expand.c, etrace.c and etrace_data.c.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables ------------------------------------------------------------ */

const struct kind_row encap_kinds[ENCAP_KIND_COUNT] = {
    [ENCAP_NULL_RUN] = {"null_run", "null packets in a row"},
    [ENCAP_TRUNCATED] = {"truncated", "a packet whose end is missing"},
    [ENCAP_MALFORMED] = {"malformed", "a packet without room for a payload"},
    [ENCAP_OPAQUE] = {"opaque", "a payload of another protocol"},
    [ETRACE_START] = {"sync.start", "where the program is, to start from"},
    [ETRACE_TRAP] = {"sync.trap", "an exception or an interrupt"},
    [ETRACE_CONTEXT] = {"sync.context", "a new privilege or context"},
    [ETRACE_SUPPORT] = {"sync.support", "how the encoder is set, and whether it ended or lost"},
    [ETRACE_ADDRESS] = {"address", "an address that was reached"},
    [ETRACE_BRANCH] = {"branch.address", "branches, and an address that was reached"},
    [ETRACE_BRANCH_MAP] = {"branch.noaddr", "31 branches"},
    [ETRACE_BRANCH_COUNT] = {"ext.branch_count", "how many branches went as predicted"},
    [ETRACE_JUMP_TARGET] = {"ext.jump_target", "an entry of the jump target cache"},
    [ETRACE_RESERVED] = {"ext.reserved", "an instruction payload of no known form"},
    [DTRACE_LOAD] = {"load", "data read from memory"},
    [DTRACE_STORE] = {"store", "data written to memory"},
    [DTRACE_CSR] = {"csr", "access to a control and status register"},
    [DTRACE_ATOMIC] = {"atomic", "an atomic operation on memory"},
    [DTRACE_SPLIT] = {"split", "data of an earlier load or atomic operation"},
};

const struct silent_row encap_silent[ENCAP_SILENT_COUNT] = {
    [ENCAP_SILENT_EDGE] = {.name = "edge",
			   .help = "bits of a bit stream's first and last byte that make none"},
    [ENCAP_SILENT_PADDING] = {.name = "padding", .help = "bytes of a slot beside its packet"},
};

static const char *const privileges[] = {"U", "S", NULL, "M", "D", "VU", "VS"};
static const char *const branch_formats[] = {"no address", NULL, "address",
					     "address, mispredicted"};

#define VALUES(names) .values = (names), .value_count = sizeof(names) / sizeof *(names)

/* What tells where the program is. */
#define WHERE (1ull << ETRACE_START | 1ull << ETRACE_TRAP | 1ull << ETRACE_CONTEXT)

const struct field_row encap_fields[ENCAP_F_COUNT] = {
    [ENCAP_F_HEADER_LENGTH] = {.name = "header_length",
			       .type = FIELD_UINT,
			       .help = "length in the header, without header and timestamp"},
    [ENCAP_F_FLOW] = {.name = "flow", .type = FIELD_UINT, .help = "where it is routed to"},
    [ENCAP_F_EXTEND] = {.name = "extend",
			.type = FIELD_UINT,
			.help = "1 if there is a timestamp; in a null packet, alignment"},
    [ENCAP_F_SRCID] = {.name = "srcid", .type = FIELD_UINT, .help = "number of the source"},
    [ENCAP_F_TIMESTAMP] = {.name = "timestamp", .type = FIELD_UINT, .help = "timestamp as sent"},
    [ENCAP_F_TYPE] = {.name = "type", .type = FIELD_UINT, .help = "type of the payload"},
    [ENCAP_F_PAYLOAD_BITS] = {.name = "payload_bits",
			      .type = FIELD_UINT,
			      .help = "bits of payload, padding included"},
    [ENCAP_F_PAYLOAD] = {.name = "payload", .type = FIELD_BYTES, .help = "the payload's bits"},
    [ENCAP_F_CLASS] = {.name = "class",
		       .type = FIELD_TEXT,
		       .help = "what the payload is: instruction, data or opaque"},
    [ENCAP_F_DECLARED_LENGTH] = {.name = "declared_length",
				 .type = FIELD_UINT,
				 .help = "bytes that a truncated packet should have"},
    [ENCAP_F_BIT_OFFSET] = {.name = "bit_offset",
			    .type = FIELD_UINT,
			    .help = "first bit in the file, of a bit stream"},
    [ENCAP_F_COUNT_NULLS] = {.name = "count", .type = FIELD_UINT, .help = "null packets in a row"},
    [ENCAP_F_IDLE] = {.name = "idle", .type = FIELD_UINT, .help = "null.idle among them"},
    [ENCAP_F_ALIGNMENT] = {.name = "alignment",
			   .type = FIELD_UINT,
			   .help = "null.alignment among them"},
    [ENCAP_F_LAST] = {.name = "last",
		      .type = FIELD_TEXT,
		      .help = "the last of them: idle or alignment"},
    [ENCAP_F_FLOWS] = {.name = "flows", .type = FIELD_LIST, .help = "flows that occur in them"},
    [ENCAP_F_SYNC] = {.name = "sync",
		      .type = FIELD_BOOL,
		      .help = "whether they are a sync sequence"},
    [ENCAP_F_NOTES] = {.name = "notes", .type = FIELD_LIST, .help = "what is odd"},
    [ENCAP_F_NOTE] = {.name = "note", .type = FIELD_TEXT, .help = "something odd"},

    [ENCAP_F_ETRACE] = {.name = "etrace", .type = FIELD_OBJECT, .help = "instruction payload"},
    [ENCAP_F_FORMAT] = {.name = "format", .type = FIELD_UINT, .help = "format of the payload"},
    [ENCAP_F_SUBFORMAT] = {.name = "subformat",
			   .type = FIELD_UINT,
			   .help = "subformat of formats 0 and 3"},
    [ENCAP_F_NAME] = {.name = "name", .type = FIELD_TEXT, .help = "what the payload says"},
    [ENCAP_F_BRANCH] = {.name = "branch",
			.type = FIELD_UINT,
			.help = "0 if the address is that of a taken branch"},
    [ENCAP_F_PRIVILEGE] = {.name = "privilege",
			   .type = FIELD_UINT,
			   VALUES(privileges),
			   .kinds = WHERE,
			   .help = "privilege level"},
    [ENCAP_F_TIME] = {.name = "time", .type = FIELD_UINT, .help = "time by the encoder"},
    [ENCAP_F_CONTEXT] = {.name = "context",
			 .type = FIELD_UINT,
			 .kinds = WHERE,
			 .help = "context, as the program sets it"},
    [ENCAP_F_ECAUSE] = {.name = "ecause", .type = FIELD_UINT, .help = "cause of the trap"},
    [ENCAP_F_INTERRUPT] = {.name = "interrupt",
			   .type = FIELD_UINT,
			   .help = "1 for an interrupt, 0 for an exception"},
    [ENCAP_F_THADDR] = {.name = "thaddr",
			.type = FIELD_UINT,
			.help = "1 if the address is the handler's"},
    [ENCAP_F_TVAL] = {.name = "tval", .type = FIELD_HEXTEXT, .help = "value of the trap"},
    [ENCAP_F_IENABLE] = {.name = "ienable",
			 .type = FIELD_UINT,
			 .help = "1 if instruction trace is on"},
    [ENCAP_F_ENCODER_MODE] = {.name = "encoder_mode",
			      .type = FIELD_UINT,
			      .help = "0 for branch trace"},
    [ENCAP_F_QUAL_STATUS] = {.name = "qual_status",
			     .type = FIELD_TEXT,
			     .help = "whether tracing ended or packets were lost"},
    [ENCAP_F_IOPTIONS] = {.name = "ioptions",
			  .type = FIELD_LIST,
			  .help = "options of instruction trace that are on"},
    [ENCAP_F_IOPTION] = {.name = "ioption", .type = FIELD_TEXT, .help = "an option that is on"},
    [ENCAP_F_DENABLE] = {.name = "denable", .type = FIELD_UINT, .help = "1 if data trace is on"},
    [ENCAP_F_DLOSS] = {.name = "dloss", .type = FIELD_UINT, .help = "1 if data packets were lost"},
    [ENCAP_F_DOPTIONS] = {.name = "doptions", .type = FIELD_UINT, .help = "options of data trace"},
    [ENCAP_F_INDEX] = {.name = "index",
		       .type = FIELD_UINT,
		       .help = "entry of the jump target cache"},
    [ENCAP_F_BRANCHES] = {.name = "branches", .type = FIELD_UINT, .help = "branches in the map"},
    [ENCAP_F_BRANCH_MAP] = {.name = "branch_map",
			    .type = FIELD_UINT,
			    .help = "a bit per branch, oldest first: 0 taken"},
    [ENCAP_F_BRANCH_MAP_BITS] = {.name = "branch_map_bits",
				 .type = FIELD_UINT,
				 .help = "bits that the map takes"},
    [ENCAP_F_BRANCH_COUNT] = {.name = "branch_count",
			      .type = FIELD_UINT,
			      .help = "branches predicted, less 31"},
    [ENCAP_F_BRANCH_FMT] = {.name = "branch_fmt",
			    .type = FIELD_UINT,
			    VALUES(branch_formats),
			    .help = "what follows the count"},
    [ENCAP_F_ADDRESS] = {.name = "address",
			 .type = FIELD_HEXTEXT,
			 .address = FIELD_ADDRESS,
			 .help = "full address"},
    [ENCAP_F_ADDRESS_DELTA] = {.name = "address_delta",
			       .type = FIELD_INT,
			       .help = "bytes from the last address reported"},
    [ENCAP_F_NOTIFY] = {.name = "notify",
			.type = FIELD_BOOL,
			.help = "whether a trigger asked for the packet"},
    [ENCAP_F_UPDISCON] = {.name = "updiscon",
			  .type = FIELD_BOOL,
			  .help = "whether a discontinuity follows that cannot be inferred"},
    [ENCAP_F_IRREPORT] = {.name = "irreport",
			  .type = FIELD_BOOL,
			  .help = "whether a return was not as predicted"},
    [ENCAP_F_IRDEPTH] = {.name = "irdepth",
			 .type = FIELD_UINT,
			 .help = "depth of the return stack or of calls"},
    [ENCAP_F_PC] = {.name = "pc",
		    .type = FIELD_HEXTEXT,
		    .address = FIELD_ADDRESS,
		    .help = "where the program is"},
    [ENCAP_F_ERROR] = {.name = "error",
		       .type = FIELD_TEXT,
		       .help = "what is wrong with the payload"},

    [ENCAP_F_DTRACE] = {.name = "dtrace", .type = FIELD_OBJECT, .help = "data payload"},
    [ENCAP_F_DFORMAT] = {.name = "dformat", .type = FIELD_UINT, .help = "format of a data payload"},
    [ENCAP_F_SUBTYPE] = {.name = "subtype", .type = FIELD_UINT, .help = "which operation"},
    [ENCAP_F_SIZE] = {.name = "size", .type = FIELD_UINT, .help = "log2 of the bytes transferred"},
    [ENCAP_F_DIFF] = {.name = "diff",
		      .type = FIELD_UINT,
		      .help = "what is a difference: 0 nothing, 1 address and XOR of data, "
			      "2 address, 3 address and data"},
    [ENCAP_F_DATA_LEN] = {.name = "data_len",
			  .type = FIELD_UINT,
			  .help = "bytes of data sent, less 1"},
    [ENCAP_F_DATA] = {.name = "data", .type = FIELD_TEXT, .help = "data as sent"},
    [ENCAP_F_OP_LEN] = {.name = "op_len",
			.type = FIELD_UINT,
			.help = "bytes of operand sent, less 1"},
    [ENCAP_F_OPERAND] = {.name = "operand",
			 .type = FIELD_TEXT,
			 .help = "operand of an operation, as sent"},
    [ENCAP_F_CSR] = {.name = "csr",
		     .type = FIELD_HEX,
		     .digits = 3,
		     .help = "number of the register"},
};

/* --- options ----------------------------------------------------------- */

static const char *const classes[] = {
    [ENCAP_INSTRUCTION] = "instruction", [ENCAP_DATA] = "data", [ENCAP_OTHER] = "opaque", NULL};

static const struct option_row type_rows[] = {
    {.name = "type",
     .type = OPTION_UINT,
     .member = offsetof(struct encap_type, type),
     .max = (1 << ENCAP_TYPE_WIDTH_MAX) - 1,
     .required = true,
     .help = "value of the type field"},
    {.name = "payload",
     .type = OPTION_CHOICE,
     .member = offsetof(struct encap_type, payload),
     .choices = classes,
     .required = true,
     .help = "what such packets carry"},
};
static const struct option_table type_table = OPTION_TABLE("types", struct encap_type, type_rows);

#define OVERRIDE(option) offsetof(struct encap_source_options, etrace.option)
#define OVERRIDE_NUMBER(option, least, most, preset, words)                                        \
	{.name = #option,                                                                          \
	 .type = OPTION_INT,                                                                       \
	 .member = OVERRIDE(option),                                                               \
	 .min = -1,                                                                                \
	 .max = (most),                                                                            \
	 .standard = "-1",                                                                         \
	 .help = words},
#define OVERRIDE_FLAG(option, preset, words)                                                       \
	{.name = #option,                                                                          \
	 .type = OPTION_CHOICE,                                                                    \
	 .member = OVERRIDE(option),                                                               \
	 .choices = etrace_flags,                                                                  \
	 .standard = "as_etrace",                                                                  \
	 .help = words},
#define OVERRIDE_CHOICE(option, names, preset, words)                                              \
	{.name = #option,                                                                          \
	 .type = OPTION_CHOICE,                                                                    \
	 .member = OVERRIDE(option),                                                               \
	 .choices = (names),                                                                       \
	 .standard = "as_etrace",                                                                  \
	 .help = words},

static const struct option_row source_rows[] = {
    {.name = "id",
     .type = OPTION_UINT,
     .member = offsetof(struct encap_source_options, id),
     .max = UINT16_MAX,
     .required = true,
     .help = "its number"},
    {.name = "name",
     .type = OPTION_TEXT,
     .member = offsetof(struct encap_source_options, name),
     .help = "what to call it"},
    {.name = "type_width",
     .type = OPTION_INT,
     .member = offsetof(struct encap_source_options, type_width),
     .min = -1,
     .max = ENCAP_TYPE_WIDTH_MAX,
     .standard = "-1",
     .help = "bits of its type field; -1: as all"},
    {.name = "types",
     .type = OPTION_LIST,
     .member = offsetof(struct encap_source_options, types),
     .table = &type_table,
     .help = "what its types mean, instead of the types of all"},
    ETRACE_OPTIONS(OVERRIDE_NUMBER, OVERRIDE_FLAG, OVERRIDE_CHOICE)};
static const struct option_table source_table =
    OPTION_TABLE("sources", struct encap_source_options, source_rows);

static const struct option_row container_rows[] = {
    {.name = "slot",
     .type = OPTION_UINT,
     .member = offsetof(struct encap_container, slot),
     .max = ENCAP_SLOT_MAX,
     .help = "bytes of a slot that holds one packet, 0 if there are none"},
    {.name = "reversed",
     .type = OPTION_BOOL,
     .member = offsetof(struct encap_container, reversed),
     .help = "the bytes of each slot stand in reverse order"},
};
static const struct option_table container_table =
    OPTION_TABLE("container", struct encap_container, container_rows);

static const struct option_row option_rows[] = {
    {.name = "srcid_width",
     .type = OPTION_INT,
     .member = offsetof(struct encap_options, srcid_width),
     .min = -1,
     .max = 16,
     .standard = "-1",
     .help = "bits of the source's number; -1: found by content"},
    {.name = "timestamp_bytes",
     .type = OPTION_INT,
     .member = offsetof(struct encap_options, timestamp_bytes),
     .min = -1,
     .max = 8,
     .standard = "-1",
     .help = "bytes of a timestamp; -1: found by content"},
    {.name = "type_width",
     .type = OPTION_INT,
     .member = offsetof(struct encap_options, type_width),
     .min = -1,
     .max = ENCAP_TYPE_WIDTH_MAX,
     .standard = "-1",
     .help = "bits of the payload's type; -1: found by content if srcid_width is, else 0"},
    {.name = "framed",
     .type = OPTION_BOOL,
     .member = offsetof(struct encap_options, framed),
     .help = "the carrier marks where packets start, so null packets need not"},
    {.name = "bit_stream",
     .type = OPTION_BOOL,
     .member = offsetof(struct encap_options, bit_stream),
     .help = "bytes of the stream may start at any bit of the file's"},
    {.name = "types",
     .type = OPTION_LIST,
     .member = offsetof(struct encap_options, types),
     .table = &type_table,
     .help = "what types mean; absent: 0 instruction, 1 data; not listed: opaque; "
	     "where type_width is 0, all packets are of type 0"},
    {.name = "sources",
     .type = OPTION_LIST,
     .member = offsetof(struct encap_options, sources),
     .table = &source_table,
     .help = "names of sources, and settings of their own"},
    {.name = "block_size",
     .type = OPTION_UINT,
     .member = offsetof(struct encap_options, block_size),
     .max = UINT32_MAX,
     .help = "bytes of a memory block that no packet straddles, 0 if there are none"},
    {.name = "container",
     .type = OPTION_STRUCT,
     .member = offsetof(struct encap_options, container),
     .table = &container_table,
     .help = "fixed slots around packets"},
    {.name = "etrace",
     .type = OPTION_STRUCT,
     .beside = true,
     .member = offsetof(struct encap_options, etrace),
     .table = &etrace_options,
     .help = "parameters of the trace encoders"},
};
/* --- settings that cannot be or do nothing ------------------------------- */

/* Bits of the type of what has no settings of its own; negative: found by content. */
static int64_t
usual_type_width(const struct encap_options *options)
{
	return options->type_width < 0 && options->srcid_width >= 0 ? 0 : options->type_width;
}

static int64_t
source_type_width(const struct encap_options *options, const struct encap_source_options *source)
{
	return source->type_width < 0 ? usual_type_width(options) : source->type_width;
}

/* The widest type that the types of all are for; negative: found by content. */
static int64_t
widest_type(const struct encap_options *options)
{
	const struct encap_source_options *sources = options->sources.at;
	int64_t widest = usual_type_width(options);
	for (size_t i = 0; i < options->sources.count && widest >= 0; i++)
		if (!sources[i].types.count && source_type_width(options, &sources[i]) > widest)
			widest = source_type_width(options, &sources[i]);
	return widest;
}

static bool __attribute__((format(printf, 3, 4)))
blame(struct option_fault *fault, const char *member, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault->member = member;
	vsnprintf(fault->what, sizeof fault->what, format, args);
	va_end(args);
	return false;
}

/* Finds a type that no packet can have, or one listed twice: the number of its entry,
 * or their count if there is none. */
static size_t
find_wrong_type(const struct option_list *list, int64_t width, struct option_fault *fault)
{
	const struct encap_type *types = list->at;
	bool listed[1 << ENCAP_TYPE_WIDTH_MAX] = {false};
	for (size_t i = 0; i < list->count; i++) {
		uint64_t type = types[i].type;
		if (width >= 0 && type >> width) {
			blame(fault, fault->room,
			      "no packet has type %u with type_width %d; expected a type below %u, "
			      "or a larger type_width",
			      (unsigned)type, (int)width, 1u << width);
			return i;
		}
		if (listed[type]) {
			blame(fault, fault->room, "type %u is listed twice; expected it once",
			      (unsigned)type);
			return i;
		}
		listed[type] = true;
	}
	return list->count;
}

/* Whether source I is one that can be, and the first of its number. */
static bool
check_source_id(const struct encap_options *options, size_t i, struct option_fault *fault)
{
	const struct encap_source_options *sources = options->sources.at;
	unsigned id = (unsigned)sources[i].id;
	size_t first = 0;
	while (sources[first].id != id)
		first++;
	snprintf(fault->room, sizeof fault->room, "sources[%zu].id", i);
	if (options->srcid_width >= 0 && id >> options->srcid_width)
		return blame(fault, fault->room,
			     "no packet is of source %u with srcid_width %d; expected an id "
			     "below %u, or a larger srcid_width",
			     id, (int)options->srcid_width, 1u << options->srcid_width);
	return first == i ||
	       blame(fault, fault->room, "source %u is listed twice; expected it once", id);
}

static bool
check_sources(const struct encap_options *options, struct option_fault *fault)
{
	const struct encap_source_options *sources = options->sources.at;
	for (size_t i = 0; i < options->sources.count; i++) {
		const struct encap_source_options *source = &sources[i];
		if (!check_source_id(options, i, fault))
			return false;
		size_t wrong =
		    find_wrong_type(&source->types, source_type_width(options, source), fault);
		if (wrong < source->types.count) {
			snprintf(fault->room, sizeof fault->room, "sources[%zu].types[%zu].type", i,
				 wrong);
			return false;
		}
	}
	return true;
}

static bool
check_options(const void *object, struct option_fault *fault)
{
	const struct encap_options *options = object;
	bool slots = options->container.slot != 0;
	if (slots && options->bit_stream)
		return blame(fault, "bit_stream",
			     "a bit stream has no container; expected one of the two");
	if (slots && options->block_size)
		return blame(fault, "block_size",
			     "a container has no blocks but its slots; expected one of the two");
	if (options->container.reversed && !slots)
		return blame(fault, "container.reversed",
			     "nothing can be reversed without slot; expected the bytes of a slot");
	size_t wrong = find_wrong_type(&options->types, widest_type(options), fault);
	if (wrong < options->types.count) {
		snprintf(fault->room, sizeof fault->room, "types[%zu].type", wrong);
		return false;
	}
	return check_sources(options, fault);
}

const struct option_table encap_options = {
    .name = "encap",
    .size = sizeof(struct encap_options),
    .rows = option_rows,
    .count = sizeof option_rows / sizeof *option_rows,
    .check = check_options,
};

/* --- opening ----------------------------------------------------------- */

static void
set_classes(struct encap_source *source, const struct option_list *list)
{
	static const struct encap_type usual[] = {{0, ENCAP_INSTRUCTION}, {1, ENCAP_DATA}};
	const struct encap_type *types = list->count ? list->at : usual;
	size_t count = list->count ? list->count : sizeof usual / sizeof *usual;
	memset(source->classes, ENCAP_OTHER, sizeof source->classes);
	for (size_t i = 0; i < count; i++)
		source->classes[types[i].type & (sizeof source->classes - 1)] =
		    (uint8_t)types[i].payload;
}

/* One struct encap_source per entry of `sources:`, behind that of all. */
static int
set_sources(struct encap_decoder *d, struct err *err)
{
	const struct encap_options *options = d->options;
	const struct encap_source_options *entries = options->sources.at;
	size_t count = options->sources.count;
	uint64_t ids = (uint64_t)1 << d->srcid_width;

	d->source_count = count + 1;
	d->sources = mem_new(d->source_count * sizeof *d->sources);
	if (count)
		d->source_of = mem_new(ids * sizeof *d->source_of);
	for (size_t i = 0; i <= count; i++) {
		const struct encap_source_options *own = i ? &entries[i - 1] : NULL;
		struct encap_source *source = &d->sources[i];
		source->etrace = options->etrace;
		source->type_width = d->type_width;
		set_classes(source, own && own->types.count ? &own->types : &options->types);
		if (own) {
			if (own->id >= ids || i > UINT16_MAX)
				return err_set(err, ERR_CONFIG,
					       "source %llu does not fit in srcid_width %u",
					       (unsigned long long)own->id, d->srcid_width);
			d->source_of[own->id] = (uint16_t)i;
			source->name = own->name;
			etrace_change(&source->etrace, &own->etrace);
			if (own->type_width >= 0)
				source->type_width = (unsigned)own->type_width;
		}
		const char *problem = etrace_check(&source->etrace);
		if (problem)
			return err_set(err, ERR_CONFIG, "etrace: %s", problem);
		etrace_make_heads(&source->etrace, source->heads);
	}
	return 0;
}

/* A width from the profile or, if that is negative, a guess. */
static unsigned
choose(int64_t told, unsigned guessed)
{
	return told < 0 ? guessed : (unsigned)told;
}

static void
set_widths(struct encap_decoder *d, const struct window *head)
{
	const struct encap_options *options = d->options;
	bool guessing = options->srcid_width < 0 || options->timestamp_bytes < 0;
	struct encap_guess guess = {0};
	if (guessing)
		d->base.guessed = encap_guess(head, &guess) ? encap_score(&guess) : 1;
	d->srcid_width = choose(options->srcid_width, guess.srcid_width);
	d->timestamp_bytes = choose(options->timestamp_bytes, guess.timestamp_bytes);
	d->type_width =
	    choose(options->type_width, options->srcid_width < 0 ? guess.type_width : 0);
	d->framed = options->framed || guess.framed;
	d->phase = options->container.slot ? 0 : guess.phase;
	d->longest = 31 + d->timestamp_bytes + d->srcid_width / 8;
	for (unsigned byte = 0; byte < 256; byte++)
		d->length[byte] =
		    (uint8_t)(1 + d->srcid_width / 8 + (byte & 0x1f) +
			      (encap_is_extended((uint8_t)byte) ? d->timestamp_bytes : 0));
}

static void
set_start(struct encap_decoder *d, const struct window *head)
{
	if (d->options->bit_stream)
		d->phase = encap_find_phase(head, d->longest);
	d->syncs = !d->options->container.slot && encap_has_sync(d, head);
}

static void
encap_close(struct decoder *decoder)
{
	struct encap_decoder *d = (struct encap_decoder *)decoder;
	if (!d)
		return;
	free(d->sources);
	free(d->source_of);
	free(d);
}

static struct decoder *
encap_open(const void *options, const struct window *head, struct err *err)
{
	struct encap_decoder *d = mem_new(sizeof *d);
	d->base.ops = &encap_ops;
	d->base.wants_history = true;
	d->options = options;
	int failed = 0;
	struct option_fault fault;
	if (!check_options(options, &fault))
		failed = err_set(err, ERR_CONFIG, "%s: %s", fault.member, fault.what);
	if (!failed) {
		set_widths(d, head);
		failed = set_sources(d, err);
	}
	if (failed) {
		encap_close(&d->base);
		return NULL;
	}
	set_start(d, head);
	return &d->base;
}

#define KIND(kind) (1ull << (kind))

static void
encap_sender(const struct decoder *decoder, const struct message *m, struct sender *sender)
{
	(void)decoder;
	sender->numbered = m->origin != ENCAP_ORIGIN_NONE;
	sender->number = m->origin;
}

const struct decoder_ops encap_ops = {
    .format = "encap",
    .title = "RISC-V trace encapsulation",
    .help = "packets of the RISC-V trace encapsulation with E-Trace payloads",
    .fields = encap_fields,
    .field_count = ENCAP_F_COUNT,
    .kinds = encap_kinds,
    .kind_count = ENCAP_KIND_COUNT,
    .kinds_sync = KIND(ETRACE_START) | KIND(ETRACE_TRAP) | KIND(ETRACE_CONTEXT),
    .kinds_resync = KIND(ENCAP_NULL_RUN) | KIND(ETRACE_START),
    .origin_none = ENCAP_ORIGIN_NONE,
    .silent = encap_silent,
    .silent_count = ENCAP_SILENT_COUNT,
    .options = &encap_options,
    .reach = 64 * 1024 + 64 + 2 * ENCAP_LOOK,
    .run_up = 16 * 1024,
    .state_size = sizeof(struct encap_state),
    .checkpoint_size = ENCAP_CHECKPOINT,
    .memory_size = ENCAP_MEMORIES * sizeof(struct encap_memory),
    .probe = encap_probe,
    .candidates = encap_candidates,
    .propose = encap_propose,
    .open = encap_open,
    .close = encap_close,
    .start = encap_start,
    .save = encap_save,
    .restore = encap_restore,
    .shift = encap_shift,
    .step = encap_step,
    .resync = encap_resync,
    .expand = encap_expand,
    .sender = encap_sender,
};
