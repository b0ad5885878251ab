/*
 * The options of CoreSight trace buffers, and their values from a snapshot.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"

#include <string.h>

/* --- options ----------------------------------------------------------- */

#define REGISTER(name)                                                                             \
	OPTION_ROW(struct opencsd_registers, name, INT, "register of the trace source", "-1",      \
		   .min = -1, .max = UINT32_MAX, .hex = true),
static const struct option_row register_rows[] = {OPENCSD_REGISTERS(REGISTER)};
static const struct option_table register_table =
    OPTION_TABLE("regs", struct opencsd_registers, register_rows);

static const char *const protocol_names[] = {[OPENCSD_ETMV3] = "ETMV3",
					     [OPENCSD_PTM] = "PTM",
					     [OPENCSD_ETMV4I] = "ETMV4I",
					     [OPENCSD_ETE] = "ETE",
					     [OPENCSD_STM] = "STM",
					     [OPENCSD_ITM] = "ITM",
					     NULL};

#define SOURCE(...) OPTION_ROW(struct opencsd_source_options, __VA_ARGS__)
static const struct option_row source_rows[] = {
    SOURCE(id, INT, "trace ID; absent: as in a register", "-1", .min = -1, .max = 0x7f,
	   .hex = true),
    SOURCE(protocol, CHOICE, "protocol of the source", .choices = protocol_names, .required = true),
    SOURCE(core, TEXT, "type of the core: Cortex-A53, ARMv8.3-A"),
    SOURCE(name, TEXT, "what to call the source"),
    SOURCE(optional, BOOL, "no error if it has sent nothing"),
    SOURCE(regs, STRUCT, "registers, by name", .table = &register_table),
};
static const struct option_table source_table =
    OPTION_TABLE("sources", struct opencsd_source_options, source_rows);

#define IMAGE(...) OPTION_ROW(struct opencsd_image_options, __VA_ARGS__)
static const struct option_row image_rows[] = {
    IMAGE(file, TEXT, "file with the bytes, as they were in memory, or an ELF file",
	  .required = true, .path = true),
    IMAGE(address, UINT, "where it lies in memory; of an ELF file, how far from where it is linked",
	  .hex = true),
    IMAGE(offset, UINT, "first byte in the file"),
    IMAGE(length, UINT,
	  "bytes; 0: to the end of the file; of an ELF file without these two, its segments"),
    IMAGE(of, TEXT, "name of the source with this memory; other sources use it last"),
    IMAGE(context, UINT, "context ID or VMID of the process with this memory; 0: any"),
    IMAGE(absent, BOOL, "true: the file is not available; rows that need it say so"),
    IMAGE(build_id, TEXT, "build ID of the file, in hexadecimal digits"),
};
static const struct option_table image_table =
    OPTION_TABLE("images", struct opencsd_image_options, image_rows);

#define RUN(...) OPTION_ROW(struct opencsd_run_options, __VA_ARGS__)
static const struct option_row run_rows[] = {
    RUN(offset, UINT,
	"offset of the first byte in the capture; with frames, of a "
	"frame",
	.required = true),
    RUN(skip, UINT, "bytes from there on that are not decoded, but lost"),
    RUN(lost, UINT, "bytes that are known to be missing before it"),
    RUN(reason, TEXT, "why more may be lost in it"),
};
static const struct option_table run_table =
    OPTION_TABLE("runs", struct opencsd_run_options, run_rows);

static const char *const format_names[] = {[CORESIGHT_ALIGNED] = "coresight",
					   [CORESIGHT_DSTREAM] = "dstream_coresight",
					   [CORESIGHT_TPIU] = "tpiu",
					   [CORESIGHT_SOURCE] = "source_data",
					   NULL};

#define OPTION(...) OPTION_ROW(struct opencsd_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(format, CHOICE, "how the sources share the buffer", "coresight",
	   .choices = format_names),
    OPTION(sources, LIST, "trace sources", .table = &source_table),
    OPTION(images, LIST, "memory that the cores execute", .table = &image_table),
    OPTION(runs, LIST, "places where the trace hardware was restarted; decoding restarts there too",
	   .table = &run_table),
    OPTION(collateral, LIST, "SyS-T XML files or their folders, for messages over STM",
	   .path = true),
    OPTION(lines, TEXT, "format tpiu: ports of the ITM with lines of text; as in tpiu:"),
    OPTION(guid, TEXT, "sender of short SyS-T messages, as {8-4-4-4-12} hexadecimal digits",
	   .check = option_check_guid),
    OPTION(outside, BOOL,
	   "also read dumps and buffers that a snapshot names outside "
	   "its folder"),
};
const struct option_table opencsd_options =
    OPTION_TABLE("opencsd", struct opencsd_options, option_rows);

/* --- snapshots --------------------------------------------------------- */

/* Return the protocol for a device type, up to its first dot, or -1. */
static int
protocol_of(const char *type)
{
	static const struct {
		const char *type;
		enum opencsd_protocol protocol;
	} types[] = {
	    {"ETM3", OPENCSD_ETMV3},  {"PTM1", OPENCSD_PTM}, {"PFT1", OPENCSD_PTM},
	    {"ETM4", OPENCSD_ETMV4I}, {"ETE", OPENCSD_ETE},  {"STM", OPENCSD_STM},
	    {"ITM", OPENCSD_ITM},
	};
	size_t length = strcspn(type, ".");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].type) == length && !strncmp(type, types[i].type, length))
			return types[i].protocol;
	return -1;
}

static void *
list_add(struct option_list *list, const struct option_table *table)
{
	list->at = mem_resize(list->at, (list->count + 1) * table->size);
	void *added = (char *)list->at + list->count++ * table->size;
	option_defaults(table, added);
	return added;
}

/* True if the profile has the source: it overrides the snapshot. */
static bool
has_source(const struct opencsd_options *options, const char *name)
{
	const struct opencsd_source_options *own = options->sources.at;
	for (size_t i = 0; i < options->sources.count; i++)
		if (own[i].name && !strcmp(own[i].name, name))
			return true;
	return false;
}

/* True if the profile has an image of the source's memory at ADDRESS. */
static bool
has_image(const struct opencsd_options *options, const char *of, uint64_t address)
{
	const struct opencsd_image_options *own = options->images.at;
	for (size_t i = 0; i < options->images.count; i++)
		if (own[i].of && !strcmp(own[i].of, of) && own[i].address == address)
			return true;
	return false;
}

struct opencsd_source_options *
opencsd_add_source(struct opencsd_options *options)
{
	return list_add(&options->sources, &source_table);
}

struct opencsd_image_options *
opencsd_add_image(struct opencsd_options *options)
{
	return list_add(&options->images, &image_table);
}

struct opencsd_run_options *
opencsd_add_run(struct opencsd_options *options)
{
	return list_add(&options->runs, &run_table);
}

static void
add_source(struct opencsd_options *options, const struct snapshot *s,
	   const struct snapshot_device *device, enum opencsd_protocol protocol, struct text *notes)
{
	const struct snapshot_device *core = snapshot_core_of(s, device->name);
	const char *name = core ? core->name : device->name;
	if (has_source(options, name))
		return;
	struct opencsd_source_options *o = opencsd_add_source(options);
	o->protocol = (int)protocol;
	o->core = core && *core->type ? mem_text(core->type) : NULL;
	o->name = mem_text(name);
	for (size_t i = 0; i < device->registers.count; i++) {
		const struct snapshot_register *reg = &device->registers.at[i];
		const struct option_row *row = option_find(&register_table, reg->name);
		if (row && reg->value <= UINT32_MAX)
			*(int64_t *)(void *)((char *)&o->regs + row->member) = (int64_t)reg->value;
		else if (row)
			text_addf(notes, "%s: %s has more than 32 bits and is not used\n",
				  device->name, reg->name);
	}
}

static void
add_images(struct opencsd_options *options, const struct snapshot_device *core)
{
	for (size_t i = 0; i < core->dumps.count; i++) {
		const struct snapshot_dump *dump = &core->dumps.at[i];
		if ((dump->outside && !options->outside) ||
		    has_image(options, core->name, dump->address))
			continue;
		struct opencsd_image_options *o = opencsd_add_image(options);
		o->file = mem_text(dump->path);
		o->address = dump->address;
		o->offset = dump->offset;
		o->length = dump->length;
		o->of = mem_text(core->name);
	}
}

void
opencsd_use_snapshot(struct opencsd_options *options, const struct snapshot *s,
		     const struct snapshot_buffer *buffer, struct text *notes)
{
	options->format = CORESIGHT_ALIGNED; /* default for all other formats */
	if (!strcmp(buffer->format, format_names[CORESIGHT_DSTREAM]))
		options->format = CORESIGHT_DSTREAM;
	else if (!strcmp(buffer->format, format_names[CORESIGHT_SOURCE]))
		options->format = CORESIGHT_SOURCE;
	for (size_t i = 0; i < s->source_buffers.count; i++) {
		const struct snapshot_link *link = &s->source_buffers.at[i];
		const struct snapshot_device *device = snapshot_device(s, link->left);
		if (!device || strcmp(link->right, buffer->name) != 0)
			continue;
		int protocol = protocol_of(device->type);
		if (protocol >= 0)
			add_source(options, s, device, (enum opencsd_protocol)protocol, notes);
		else
			text_addf(notes, "%s is not decoded: `%s` is no known type of source\n",
				  device->name, device->type);
	}
	for (size_t i = 0; i < s->devices.count; i++)
		add_images(options, &s->devices.at[i]);
}

const char *
opencsd_protocol_name(int protocol)
{
	return protocol_names[protocol];
}

const char *
opencsd_source_name(const struct opencsd_decoder *d, size_t lane)
{
	const char *name = d->sources[lane].options->name;
	return name ? name : protocol_names[d->sources[lane].options->protocol];
}
