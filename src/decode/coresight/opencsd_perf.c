/*
 * CoreSight trace in perf.data: turn the numbers after AUXTRACE_INFO, and the marks of a buffer,
 * into options of `opencsd`.
 *
 * Sources: [cs-etm.h] is tools/perf/util/cs-etm.h of Linux, [coresight-pmu.h] its
 * include/linux/coresight-pmu.h.  Facts known only from the program are marked [second hand:
 * perf].
 */
#include "config.h"

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd.h"

#include <inttypes.h>
#include <string.h>

/* AUX flags 15:8 [perf_event.h, PERF_AUX_FLAG_CORESIGHT_FORMAT_*]. */
enum { FORMAT_FRAMES = 0x0000, FORMAT_RAW = 0x0100 };

enum { TRACE_CS_ETM = 3 }; /* [second hand: perf, enum auxtrace_type] */

/* The numbers of AUXTRACE_INFO [cs-etm.h]. */
enum {
	INFO_VERSION = 0,
	INFO_CPUS = 1, /* bits 31:0 */
	INFO_BLOCKS = 3
};

/* Magic of a processor's block, which determines the meaning of its parameters [cs-etm.h]. */
#define MAGIC_ETMV3 UINT64_C(0x3030303030303030)
#define MAGIC_ETMV4 UINT64_C(0x4040404040404040)
#define MAGIC_ETE UINT64_C(0x5050505050505050)

enum { PARAMETERS_MOST = 16 };

/* The trace unit of a processor. */
struct perf_block {
	uint64_t magic;
	uint32_t cpu;
	const uint64_t *parameters;
	size_t count;
};

/* Parameters in order [cs-etm.h]: the register of each, and the number of the one with the ID. */
#define MEMBER(name) offsetof(struct opencsd_registers, name)
static const struct perf_unit {
	uint64_t magic;
	size_t old_count; /* count in version 0, which does not store it */
	size_t members[PARAMETERS_MOST];
	size_t count, id;
} units[] = {
    {MAGIC_ETMV3, 4, {MEMBER(ETMCR), MEMBER(ETMTRACEIDR), MEMBER(ETMCCER), MEMBER(ETMIDR)}, 4, 1},
    {MAGIC_ETMV4,
     7,
     {MEMBER(TRCCONFIGR), MEMBER(TRCTRACEIDR), MEMBER(TRCIDR0), MEMBER(TRCIDR1), MEMBER(TRCIDR2),
      MEMBER(TRCIDR8), MEMBER(TRCAUTHSTATUS)},
     7,
     1},
    {MAGIC_ETE,
     0,
     {MEMBER(TRCCONFIGR), MEMBER(TRCTRACEIDR), MEMBER(TRCIDR0), MEMBER(TRCIDR1), MEMBER(TRCIDR2),
      MEMBER(TRCIDR8), MEMBER(TRCAUTHSTATUS), MEMBER(TRCDEVARCH)},
     8,
     1},
};

static const struct perf_unit *
unit_of(uint64_t magic)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].magic == magic)
			return &units[i];
	return NULL;
}

/* Read the block at *AT and advance *AT.  Return false at the end, or if the block is invalid. */
static bool
next_block(const struct perf_data *perf, size_t *at, struct perf_block *block)
{
	const size_t head = perf->trace_info.at[INFO_VERSION] ? 3 : 2;
	size_t left = perf->trace_info.count - *at;
	const uint64_t *p = perf->trace_info.at + *at;
	if (left < head)
		return false;
	const struct perf_unit *unit = unit_of(p[0]);
	uint64_t count = head == 3 ? p[2] : unit ? unit->old_count : 0;
	if (!unit || !count || count > left - head)
		return false;
	*block = (struct perf_block){
	    .magic = p[0], .cpu = (uint32_t)p[1], .parameters = p + head, .count = (size_t)count};
	*at += head + (size_t)count;
	return true;
}

/* --- trace IDs ------------------------------------------------------------------- */

/* AUX_OUTPUT_HW_ID [coresight-pmu.h, CS_AUX_HW_ID_*]: trace ID 7:0, sink 39:8, minor version
 * 59:56, major 63:60. */
static unsigned
hw_major(uint64_t id)
{
	return (unsigned)(id >> 60);
}

static bool
hw_has_sink(uint64_t id)
{
	return (id >> 56 & 15) >= 1;
}

static uint32_t
hw_sink(uint64_t id)
{
	return (uint32_t)(id >> 8);
}

/* Return the first ID that a processor got, or NULL. */
static const struct perf_hw_id *
hw_id_of(const struct perf_data *perf, uint32_t cpu)
{
	for (size_t i = 0; i < perf->hw_ids.count; i++)
		if (perf->hw_ids.at[i].cpu == cpu)
			return &perf->hw_ids.at[i];
	return NULL;
}

/* True if a processor's trace may be in a buffer.  False only if both name their sinks and these
 * differ. */
static bool
shares_sink(const struct perf_hw_id *own, const struct perf_hw_id *buffer)
{
	return !own || !buffer || !hw_has_sink(own->id) || !hw_has_sink(buffer->id) ||
	       hw_sink(own->id) == hw_sink(buffer->id);
}

/* Return the trace ID of a block, or -1 if nothing was traced there. */
static int64_t
trace_id(const struct perf_block *block, const struct perf_unit *unit, const struct perf_hw_id *hw)
{
	if (hw)
		return (int64_t)(hw->id & 0x7f);
	uint64_t id = unit->id < block->count ? block->parameters[unit->id] : 0;
	return !(id >> 31 & 1) && id && id < 0x70 ? (int64_t)id : -1;
}

/* --- sources ----------------------------------------------------------------------- */

/* Return the protocol.  PTM and ETMv3 differ in bits 9:8 of ETMIDR [second hand: perf]. */
static enum opencsd_protocol
protocol_of(const struct perf_block *block)
{
	enum { ETMIDR = 3, PTM = 0x300 };
	if (block->magic == MAGIC_ETE)
		return OPENCSD_ETE;
	if (block->magic == MAGIC_ETMV4)
		return OPENCSD_ETMV4I;
	bool ptm = block->count > ETMIDR && (block->parameters[ETMIDR] & PTM) == PTM;
	return ptm ? OPENCSD_PTM : OPENCSD_ETMV3;
}

static void
add_block(struct opencsd_options *options, const struct perf_block *block, int64_t id)
{
	const struct perf_unit *unit = unit_of(block->magic);
	struct opencsd_source_options *o = opencsd_add_source(options);
	struct text name = {0};
	text_addf(&name, "cpu%u", block->cpu);
	o->name = name.data;
	o->id = id;
	o->optional = true;
	o->protocol = (int)protocol_of(block);
	if (o->protocol == OPENCSD_ETE)
		o->core = mem_text("ARMv9.0-A"); /* the file does not name the core type */
	for (size_t i = 0; i < unit->count && i < block->count; i++) {
		char *regs = (char *)&o->regs;
		*(int64_t *)(void *)(regs + unit->members[i]) = (uint32_t)block->parameters[i];
	}
}

/* Add the sources of a part: for raw bytes, their processor; otherwise all that may share the
 * buffer. */
static void
add_sources(struct opencsd_options *options, const struct perf_data *perf,
	    const struct perf_part *part)
{
	uint32_t cpu = part->cpu != PERF_NONE ? part->cpu : part->buffer->cpu;
	const struct perf_hw_id *own = hw_id_of(perf, cpu);
	bool raw = part->format == FORMAT_RAW;
	struct perf_block block;
	uint64_t left = perf->trace_info.at[INFO_CPUS] & UINT32_MAX;
	for (size_t at = INFO_BLOCKS; left && next_block(perf, &at, &block); left--) {
		const struct perf_hw_id *hw = hw_id_of(perf, block.cpu);
		int64_t id = trace_id(&block, unit_of(block.magic), hw);
		if (raw ? block.cpu == cpu : id >= 0 && shares_sink(hw, own))
			add_block(options, &block, id);
	}
}

/* --- runs ---------------------------------------------------------------------------- */

static void
add_reason(struct text *reason, const char *what)
{
	text_addf(reason, "%s%s", reason->length ? "; " : "", what);
}

static void
add_marks(struct opencsd_options *options, const struct perf_layout *layout)
{
	for (size_t i = 0; i < layout->marks.count; i++) {
		const struct perf_mark *mark = &layout->marks.at[i];
		struct text reason = {0};
		if (mark->flags & PERF_RUN_TRUNCATED)
			add_reason(&reason, "trace was lost since the buffer was full (TRUNCATED)");
		if (mark->flags & PERF_RUN_PARTIAL)
			add_reason(&reason, "the run has gaps (PARTIAL)");
		if (mark->flags & PERF_RUN_COLLISION)
			add_reason(&reason, "another user took the hardware (COLLISION)");
		bool good = !reason.length && !mark->uncovered && !mark->lost;
		if (good && (!mark->offset || mark->offset == layout->size))
			continue;
		struct opencsd_run_options *run = opencsd_add_run(options);
		run->offset = mark->offset;
		run->skip = mark->uncovered;
		run->lost = mark->lost;
		run->reason = reason.data;
	}
}

/* Add a run at the end for damage of unknown position.  With several parts, only the first reports
 * lost records. */
static void
add_end(struct opencsd_options *options, const struct perf_part *part,
	const struct perf_layout *layout, const char *damage)
{
	const struct perf_buffer *buffer = part->buffer;
	struct text reason = {0};
	if (*damage)
		add_reason(&reason, damage);
	if (part->cpu == PERF_NONE || part->cpu == buffer->runs.at[0].cpu) {
		if (buffer->lost_records)
			text_addf(&reason,
				  "%sperf lost %" PRIu64 " record%s: trace or memory maps may be "
				  "missing",
				  reason.length ? "; " : "", buffer->lost_records,
				  buffer->lost_records == 1 ? "" : "s");
		if (buffer->lost_samples)
			text_addf(&reason, "%s%" PRIu64 " samples of perf were lost (LOST_SAMPLES)",
				  reason.length ? "; " : "", buffer->lost_samples);
	}
	if (!reason.length)
		return;
	struct opencsd_run_options *run = opencsd_add_run(options);
	run->offset = layout->size;
	run->reason = reason.data;
}

/* --- images -------------------------------------------------------------------------- */

/* True if a map is of a file, or of the kernel.  Without permission to see kernel addresses, perf
 * maps the kernel everywhere, so only the upper half of the addresses counts.  Memory without a
 * file is neither. */
static bool
is_file_map(const struct perf_map *map)
{
	bool named =
	    map->pid == PERF_NONE ? map->address >> 63 : map->name[0] == '/' && map->name[1] != '/';
	return named && map->length;
}

static void
add_image(struct opencsd_options *options, const struct perf_map *map, const char *file)
{
	struct opencsd_image_options *o = opencsd_add_image(options);
	struct text build_id = {0};
	text_add_hex(&build_id, map->build_id, map->build_id_size);
	const char *name = strcmp(map->name, PERF_KERNEL) != 0 ? map->name : "vmlinux";
	o->file = mem_text(file ? file : name);
	o->address = map->address;
	o->offset = map->offset;
	o->length = map->length;
	o->context = map->pid == PERF_NONE ? 0 : map->pid; /* 0: any */
	o->absent = !file;
	o->build_id = build_id.data;
}

/* Add the last maps first, since later maps replace earlier ones. */
static void
add_images(struct opencsd_options *options, const struct perf_data *perf, char *const *images,
	   struct text *notes)
{
	size_t left = PERF_MAPS_MOST;
	for (size_t i = perf->maps.count; i-- && left;) {
		if (!is_file_map(&perf->maps.at[i]))
			continue;
		add_image(options, &perf->maps.at[i], images ? images[i] : NULL);
		left--;
	}
	if (!left)
		text_addf(notes, "only %d of the mapped files are used\n", PERF_MAPS_MOST);
}

/* --- interface ------------------------------------------------------------------------- */

static bool
has_unknown_ids(const struct perf_data *perf)
{
	for (size_t i = 0; i < perf->hw_ids.count; i++)
		if (hw_major(perf->hw_ids.at[i].id))
			return true;
	return false;
}

bool
opencsd_takes_perf(const struct perf_data *perf, struct text *why)
{
	const char *name = perf_data_trace_name(perf);
	if (perf->trace_type == TRACE_CS_ETM && perf->trace_info.count > INFO_BLOCKS) {
		if (perf->trace_info.at[INFO_VERSION] > 2)
			text_addf(why,
				  "perf.data: its CoreSight registers are of version %" PRIu64
				  ", which trawl does not know",
				  perf->trace_info.at[INFO_VERSION]);
		else if (has_unknown_ids(perf))
			text_add(why, "perf.data: its hardware IDs are of a version that trawl "
				      "does not know");
		else if (perf->buffers.count)
			return true;
	}
	if (why->length)
		return false;
	if (perf->compressed && !perf->buffers.count)
		text_add(why, "perf.data: its records are compressed, which trawl does not read; "
			      "record without -z");
	else if (perf->trace_type && perf->trace_type != TRACE_CS_ETM)
		text_addf(why,
			  "perf.data: trawl does not decode %s, only CoreSight; perf script shows "
			  "what is in it",
			  name ? name : "this type of trace");
	else
		text_addf(why,
			  "perf.data: it has no CoreSight trace%s%s; perf script shows what it has",
			  perf->damage.length ? ", but " : "", text_get(&perf->damage));
	return false;
}

/* Fill in the N-th part of a buffer.  Raw bytes of a thread that ran on several processors form a
 * part for each processor. */
static bool
part_of(const struct perf_buffer *buffer, size_t n, struct perf_part *part)
{
	uint64_t format = buffer->runs.count ? buffer->runs.at[0].flags & PERF_RUN_FORMAT : 0;
	bool raw = format == FORMAT_RAW;
	*part = (struct perf_part){
	    .buffer = buffer, .cpu = PERF_NONE, .format = format, .unit = raw ? 1 : 16};
	if (!raw || buffer->cpu != PERF_NONE)
		return !n;
	for (size_t i = 0; i < buffer->runs.count; i++) {
		uint32_t cpu = buffer->runs.at[i].cpu;
		size_t k = 0;
		while (k < i && buffer->runs.at[k].cpu != cpu)
			k++;
		if (k < i || n--)
			continue;
		part->cpu = cpu;
		return true;
	}
	return false;
}

bool
opencsd_perf_part(const struct perf_data *perf, size_t i, struct perf_part *part)
{
	for (size_t b = 0; b < perf->buffers.count; b++) {
		size_t n = 0;
		while (part_of(&perf->buffers.at[b], n, part)) {
			if (!i--)
				return true;
			n++;
		}
	}
	return false;
}

void
opencsd_use_perf(struct opencsd_options *options, const struct perf_data *perf,
		 const struct perf_part *part, const struct perf_layout *layout,
		 char *const *images, struct text *notes)
{
	options->format = part->format == FORMAT_RAW ? CORESIGHT_SOURCE : CORESIGHT_ALIGNED;
	/* options given in a profile are complete */
	if (!options->sources.count)
		add_sources(options, perf, part);
	if (!options->runs.count) {
		add_marks(options, layout);
		add_end(options, part, layout, text_get(&perf->damage));
	}
	if (!options->images.count)
		add_images(options, perf, images, notes);
	if (!options->sources.count)
		text_addf(notes,
			  "buffer %u: the registers of its processor are not in the file, so "
			  "nothing of it is decoded\n",
			  part->buffer->idx);
	if (layout->unmarked)
		text_addf(notes,
			  "no AUX record divides buffer %u into runs; it is decoded as one\n",
			  part->buffer->idx);
}
