/*
 * RISC-V trace encapsulation: options of a profile, and what they may not say together.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
