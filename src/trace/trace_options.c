/*
 * Options of traces and origins: see trace_options.h.
 *
 * The option structs of all formats follow struct trace_options in one block of
 * memory. Its layout is made once from the registry of decoders, so a newly
 * registered format adds a section to the profile.
 */
#include "config.h"

#include "trace/trace_options.h"
#include "capture/capture.h"
#include "capture/live.h"
#include "decode/registry.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_HZ_MAX 1000000000000 /* 1 THz */

#define CLOCK(...) OPTION_ROW(struct trace_clock_options, __VA_ARGS__)
static const struct option_row clock_rows[] = {
    CLOCK(hz, NUMBER, "ticks per second, if the capture does not contain the rate",
	  .positive = true, .max = CLOCK_HZ_MAX),
};
static const struct option_table clock_table =
    OPTION_TABLE("clock", struct trace_clock_options, clock_rows);

static const char *const words_choices[] = {"auto", "no", NULL};
static const char *const swap_choices[] = {"auto", "no", "2", "4", "8", NULL};
static const char *const wrapped_choices[] = {
    [CAPTURE_WRAPPED_AUTO] = "auto", [CAPTURE_WRAPPED] = "yes", [CAPTURE_NOT_WRAPPED] = "no", NULL};

#define TRACE(...) OPTION_ROW(struct trace_options, __VA_ARGS__)
static const struct option_row trace_rows[] = {
    TRACE(match, TEXT, "shell glob on the file name without folder; the first that fits wins"),
    TRACE(file, TEXT, "the capture itself, in a session file", .path = true,
	  .is_no_path = live_is_named),
    TRACE(name, TEXT, "shown instead of the file name"),
    TRACE(format, TEXT, "format, or format/transport; found by content if absent",
	  .check = decoder_check),
    TRACE(clock, STRUCT, "the transport's clock", .table = &clock_table),
    TRACE(words, CHOICE,
	  "memory in lines of text, as xxd, hexdump, od, OpenOCD, J-Link or GDB print it, is read "
	  "as its bytes",
	  "auto", .choices = words_choices),
    TRACE(swap, CHOICE,
	  "reverse the bytes of memory words of this size; auto: if "
	  "only that makes a format certain",
	  "auto", .choices = swap_choices),
    TRACE(write_pointer, INT,
	  "next write position of a circular buffer: an offset, or an "
	  "address in a text dump",
	  "-1", .min = -1, .max = INT64_MAX),
    TRACE(wrapped, CHOICE,
	  "whether the bytes from the write pointer on are the oldest; auto: unless they all "
	  "repeat one word",
	  "auto", .choices = wrapped_choices),
};

unsigned
trace_options_swap(const struct trace_options *options)
{
	return (unsigned)strtoul(swap_choices[options->swap], NULL, 10);
}

void
trace_options_set_swap(struct trace_options *options, unsigned size)
{
	for (int i = 0; size && swap_choices[i]; i++)
		if (strtoul(swap_choices[i], NULL, 10) == size)
			options->swap = i;
}

enum { FIXED_ROWS = sizeof trace_rows / sizeof *trace_rows, FORMATS_MAX = 32 };

/* Each row of a format has a bool after the structs: true if the option was given. */
static struct option_row all_rows[FIXED_ROWS + FORMATS_MAX];
static struct option_table trace_table = {.name = "traces", .rows = all_rows};

static size_t
aligned_size(size_t size)
{
	return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

static void
add_row(struct option_row row)
{
	if (trace_table.count < sizeof all_rows / sizeof *all_rows &&
	    !option_find(&trace_table, row.name))
		all_rows[trace_table.count++] = row;
}

/* Add a section for each format with options, its struct after the others. Add rows for those
 * options that may also stand outside the section. */
static void
lay_out(void)
{
	memcpy(all_rows, trace_rows, sizeof trace_rows);
	trace_table.count = FIXED_ROWS;
	trace_table.size = aligned_size(sizeof(struct trace_options));
	for (size_t i = 0; i < decoder_count; i++) {
		const struct option_table *own = decoders[i]->options;
		if (!own || option_find(&trace_table, decoders[i]->format))
			continue;
		add_row((struct option_row){.name = decoders[i]->format,
					    .type = OPTION_STRUCT,
					    .member = trace_table.size,
					    .table = own,
					    .help = decoders[i]->title});
		for (size_t k = 0; k < own->count; k++) {
			struct option_row part = own->rows[k];
			if (!part.also_top_level)
				continue;
			part.member += trace_table.size;
			part.also_top_level = false;
			add_row(part);
		}
		trace_table.size += aligned_size(own->size);
	}
	for (size_t i = FIXED_ROWS; i < trace_table.count; i++)
		if (all_rows[i].type == OPTION_STRUCT)
			all_rows[i].given = trace_table.size + i;
	trace_table.size += aligned_size(trace_table.count);
}

const struct option_table *
trace_options_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, lay_out);
	return &trace_table;
}

void *
trace_format_options(const struct trace_options *options, const struct decoder_ops *ops)
{
	const struct option_row *row = option_find(trace_options_table(), ops->format);
	return row && row->type == OPTION_STRUCT ? (char *)options + row->member : NULL;
}

#define MATCHES_ANY .min = -1, .max = INT64_MAX
/* No format has a wider one: [STP 2, M16 and C16]; UIA has modules of 16 bits. */
#define NUMBER_OF_16_BITS .min = -1, .max = UINT16_MAX

const struct option_table *
origin_options_table(void)
{
#define ROW(...) OPTION_ROW(struct origin_options, __VA_ARGS__)
	static const struct option_row rows[] = {
	    ROW(trace, TEXT, "name of the trace it is in", .trace = true),
	    ROW(guid, TEXT, "GUID of the sender; of a CSEL stream its UUID",
		.check = option_check_guid),
	    ROW(id, INT,
		"number of the sender: source (encap), trace ID (opencsd, ppl), logger (uia)", "-1",
		MATCHES_ANY),
	    ROW(module, INT, "module of the sender", "-1", NUMBER_OF_16_BITS),
	    ROW(unit, INT, "unit of the sender", "-1", NUMBER_OF_16_BITS),
	    ROW(master, INT, "STP master", "-1", NUMBER_OF_16_BITS),
	    ROW(channel, INT, "STP channel", "-1", NUMBER_OF_16_BITS),
	    ROW(name, TEXT, "what to call it", .required = true),
	    ROW(clock, STRUCT, "its own clock", .table = &clock_table),
	};
	static const struct option_table table =
	    OPTION_TABLE("origins", struct origin_options, rows);
	return &table;
}

void
trace_options_free(struct trace_options *options)
{
	if (options)
		option_release(trace_options_table(), options);
	free(options);
}
