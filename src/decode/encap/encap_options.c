/*
 * RISC-V trace encapsulation: options of a profile, and the checks of their
 * combinations.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const classes[] = {
    [ENCAP_INSTRUCTION] = "instruction", [ENCAP_DATA] = "data", [ENCAP_OTHER] = "opaque", NULL};

#define TYPE(...) OPTION_ROW(struct encap_type, __VA_ARGS__)
static const struct option_row type_rows[] = {
    TYPE(type, UINT, "value of the type field", .max = (1 << ENCAP_TYPE_WIDTH_MAX) - 1,
	 .required = true),
    TYPE(payload, CHOICE, "what such packets carry", .choices = classes, .required = true),
};
static const struct option_table type_table = OPTION_TABLE("types", struct encap_type, type_rows);

#define OVERRIDE(option) offsetof(struct encap_source_options, etrace.option)
#define OVERRIDE_NUMBER(option, least, most, preset, words)                                        \
	{#option, OPTION_INT, OVERRIDE(option), words, "-1", .min = -1, .max = (most)},
#define OVERRIDE_FLAG(option, preset, words)                                                       \
	{#option, OPTION_CHOICE, OVERRIDE(option), words, "as_etrace", .choices = etrace_flags},
#define OVERRIDE_CHOICE(option, names, preset, words)                                              \
	{#option, OPTION_CHOICE, OVERRIDE(option), words, "as_etrace", .choices = (names)},

#define OVERRIDE_ADDRESS(option, words)                                                            \
	{#option, OPTION_UINT, OVERRIDE(option), words, "0", .hex = true},

#define SOURCE(...) OPTION_ROW(struct encap_source_options, __VA_ARGS__)
static const struct option_row source_rows[] = {
    SOURCE(id, UINT, "its number", .max = UINT16_MAX, .required = true),
    SOURCE(name, TEXT, "what to call it"),
    SOURCE(type_width, INT, "bits of its type field; -1: as all", "-1", .min = -1,
	   .max = ENCAP_TYPE_WIDTH_MAX),
    SOURCE(types, LIST, "what its types mean, instead of the types of all", .table = &type_table),
    ETRACE_OPTIONS(OVERRIDE_NUMBER, OVERRIDE_FLAG, OVERRIDE_CHOICE, OVERRIDE_ADDRESS)};
static const struct option_table source_table =
    OPTION_TABLE("sources", struct encap_source_options, source_rows);

#define CONTAINER(...) OPTION_ROW(struct encap_container, __VA_ARGS__)
static const struct option_row container_rows[] = {
    CONTAINER(slot, UINT, "bytes of a slot that holds one packet, 0 if there are none",
	      .max = ENCAP_SLOT_MAX),
    CONTAINER(reversed, BOOL, "the bytes of each slot stand in reverse order"),
};
static const struct option_table container_table =
    OPTION_TABLE("container", struct encap_container, container_rows);

#define OPTION(...) OPTION_ROW(struct encap_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(srcid_width, INT, "bits of the source's number; -1: found by content", "-1", .min = -1,
	   .max = 16),
    OPTION(timestamp_bytes, INT, "bytes of a timestamp; -1: found by content", "-1", .min = -1,
	   .max = 8),
    OPTION(type_width, INT,
	   "bits of the payload's type; -1: found by content if srcid_width is, else 0", "-1",
	   .min = -1, .max = ENCAP_TYPE_WIDTH_MAX),
    OPTION(framed, BOOL, "the carrier marks where packets start, so null packets need not"),
    OPTION(bit_stream, BOOL, "bytes of the stream may start at any bit of the file's"),
    OPTION(types, LIST,
	   "what types mean; absent: 0 instruction, 1 data; not listed: opaque; where type_width "
	   "is 0, all packets are of type 0",
	   .table = &type_table),
    OPTION(sources, LIST, "names of sources, and settings of their own", .table = &source_table),
    OPTION(block_size, UINT,
	   "bytes of a memory block that no packet straddles, 0 if there are none",
	   .max = UINT32_MAX),
    OPTION(container, STRUCT, "fixed slots around packets", .table = &container_table),
    OPTION(etrace, STRUCT, "parameters of the trace encoders", .also_top_level = true,
	   .table = &etrace_options),
};
/* --- invalid settings ---------------------------------------------------- */

/* Return the type width of sources without settings of their own, negative if guessed. */
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

/* Return the widest type width that uses the common `types:`, negative if guessed. */
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
encap_blame(struct option_fault *fault, const char *member, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault->member = member;
	vsnprintf(fault->what, sizeof fault->what, format, args);
	va_end(args);
	return false;
}

/* Find a type that no packet can have, or one listed twice.  Return the index of its entry, or
 * the count if all are good. */
static size_t
find_wrong_type(const struct option_list *list, int64_t width, struct option_fault *fault)
{
	const struct encap_type *types = list->at;
	bool listed[1 << ENCAP_TYPE_WIDTH_MAX] = {false};
	for (size_t i = 0; i < list->count; i++) {
		uint64_t type = types[i].type;
		if (width >= 0 && type >> width) {
			encap_blame(
			    fault, fault->room,
			    "no packet has type %u with type_width %d; expected a type below %u, "
			    "or a larger type_width",
			    (unsigned)type, (int)width, 1u << width);
			return i;
		}
		if (listed[type]) {
			encap_blame(fault, fault->room, "type %u is listed twice; expected it once",
				    (unsigned)type);
			return i;
		}
		listed[type] = true;
	}
	return list->count;
}

/* Check that the ID of source I fits srcid_width and is not listed before. */
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
		return encap_blame(fault, fault->room,
				   "no packet is of source %u with srcid_width %d; expected an id "
				   "below %u, or a larger srcid_width",
				   id, (int)options->srcid_width, 1u << options->srcid_width);
	return first == i ||
	       encap_blame(fault, fault->room, "source %u is listed twice; expected it once", id);
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
		return encap_blame(fault, "bit_stream",
				   "a bit stream has no container; expected one of the two");
	if (slots && options->block_size)
		return encap_blame(
		    fault, "block_size",
		    "a container has no blocks but its slots; expected one of the two");
	if (options->container.reversed && !slots)
		return encap_blame(
		    fault, "container.reversed",
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
