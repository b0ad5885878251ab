/*
 * Reading perf.data: see perf_data.h.
 *
 * The header of a file lists its sections.  The data section contains the records.  A
 * pipe has a short header and then records to the end.  One walk over the records calls a
 * function for each relevant type.  A record with an impossible size ends the walk, since
 * the next one cannot be found.
 *
 * Numbers have the byte order of the recording machine.  They are assembled byte by byte,
 * so nothing is swapped in place.  The file is mapped and may change, so a number that is
 * checked is read only once.
 */
#include "config.h"

#include "capture/perf_data.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/lower_bound.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	MAGIC = 8,
	HEADER = 104, /* size in a file */
	HEADER_PIPE = 16,
	HEADER_SIZE = 8, /* this and the next four are offsets */
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS = 24,
	HEADER_DATA = 40,
	HEADER_FEATURES = 72, /* a bit for each feature section */
	SECTION = 16,	      /* {offset, size} */
	RECORD = 8,	      /* head: u32 type, u16 misc, u16 size */
	TEXT_MOST = 4096,     /* of a file name or command; the rest is cut */
	BUFFERS_MAX = 1024    /* no machine has more processors */
};

/* Feature sections by bit [perf.data, "HEADER_*"]. */
enum { FEATURE_BUILD_ID = 2, FEATURE_ARCH = 6, FEATURE_CMDLINE = 11, FEATURES = 256 };

/* Record types [perf_event.h, enum perf_event_type; perf.data, "PERF_RECORD_*"]. */
enum {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_LOST_SAMPLES = 13,
	RECORD_HW_ID = 21,
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83
};

/* Bits of misc [perf_event.h, PERF_RECORD_MISC_*]. */
enum {
	MISC_CPUMODE = 7,
	MISC_KERNEL = 1,
	MISC_MMAP_DATA = 1 << 13,
	MISC_MMAP_BUILD_ID = 1 << 14,
	MISC_BUILD_ID_SIZE = 1 << 15
};

/* Bits of sample_type: fields at the end of a record [perf_event.h, sample_id]. */
enum {
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_IDENTIFIER = 1 << 16,
	SAMPLE_ALL =
	    SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_CPU | SAMPLE_STREAM_ID | SAMPLE_IDENTIFIER
};

/* A recorded event. */
struct perf_attr {
	uint32_t sample_type; /* the bits above; 0: records have no such fields */
};

/* The processor and event of an ID. */
struct perf_id {
	uint64_t id;
	uint32_t attr; /* PERF_NONE: unknown */
	uint32_t cpu;  /* PERF_NONE: unknown */
};

/* A record within bounds. */
struct perf_record {
	const uint8_t *bytes; /* including the head */
	size_t size;
	uint64_t at; /* in the file */
	uint32_t type;
	uint16_t misc;
};

struct perf_reading {
	struct perf_data *data;
	const uint8_t *bytes;
	uint64_t size;
	VEC(struct perf_attr) attrs;
	VEC(struct perf_id) ids; /* sorted once all are known */
	/* Records that identify their sender by ID.  They wait until the end, when all IDs are
	 * known. */
	VEC(struct perf_record) late;
};

/* --- numbers ------------------------------------------------------------------ */

static uint16_t
perf_u16(const struct perf_reading *r, const uint8_t *p)
{
	return r->data->big ? bytes_be16(p) : bytes_le16(p);
}

static uint32_t
perf_u32(const struct perf_reading *r, const uint8_t *p)
{
	return r->data->big ? bytes_be32(p) : bytes_le32(p);
}

static uint64_t
perf_u64(const struct perf_reading *r, const uint8_t *p)
{
	return r->data->big ? bytes_be64(p) : bytes_le64(p);
}

/* Return bit N of a bit field.  Compilers put the first bit lowest on a little-endian machine and
 * highest on a big-endian one [second hand: perf]. */
static bool
perf_bit(const struct perf_reading *r, const uint8_t *p, unsigned n)
{
	unsigned bit = r->data->big ? 7 - n % 8 : n % 8;
	return p[n / 8] >> bit & 1;
}

static bool
has_bytes(const struct perf_reading *r, uint64_t at, uint64_t length)
{
	return at <= r->size && length <= r->size - at;
}

/* Copy a text of at most LENGTH bytes, up to its NUL. */
static char *
copy_text(const uint8_t *p, size_t length)
{
	struct text text = {0};
	length = strnlen((const char *)p, length < TEXT_MOST ? length : TEXT_MOST);
	text_add_bytes(&text, p, length);
	return text.data ? text.data : mem_text("");
}

static void
note_damage(struct perf_reading *r, const char *what, uint64_t at)
{
	if (!r->data->damage.length)
		text_addf(&r->data->damage, "%s at byte %" PRIu64 " of the perf.data file", what,
			  at);
}

/* --- attributes and IDs --------------------------------------------------------- */

/* Add a perf_event_attr of LENGTH bytes: sample_type at 24, flags at 40.  Bit 18 of the flags is
 * sample_id_all [perf_event.h, struct perf_event_attr]. */
static void
add_attr(struct perf_reading *r, const uint8_t *p, size_t length)
{
	struct perf_attr *attr = vec_add(&r->attrs);
	if (length >= 48 && perf_bit(r, p + 40, 18))
		attr->sample_type = (uint32_t)perf_u64(r, p + 24) & SAMPLE_ALL;
}

/* Add the IDs of the last attribute.  Sections may overlap, so their lengths alone are no limit.
 * Allow no more IDs than fit in the file. */
static void
add_ids(struct perf_reading *r, const uint8_t *p, uint64_t length)
{
	uint32_t attr = (uint32_t)r->attrs.count - 1;
	if (r->ids.count + length / 8 > r->size / 8) {
		note_damage(r, "overlapping event IDs", (uint64_t)(p - r->bytes));
		return;
	}
	for (; length >= 8; p += 8, length -= 8)
		*vec_add(&r->ids) =
		    (struct perf_id){.id = perf_u64(r, p), .attr = attr, .cpu = PERF_NONE};
}

/* Read the attributes of a file.  Each ends with the {offset, size} of its IDs. */
static void
read_attrs(struct perf_reading *r)
{
	uint64_t each = perf_u64(r, r->bytes + HEADER_ATTR_SIZE);
	uint64_t at = perf_u64(r, r->bytes + HEADER_ATTRS);
	uint64_t left = perf_u64(r, r->bytes + HEADER_ATTRS + 8);
	if (each < 64 + SECTION || each > 4096) {
		note_damage(r, "an attribute of impossible size", HEADER_ATTR_SIZE);
		return;
	}
	for (; left >= each; at += each, left -= each) {
		if (!has_bytes(r, at, each)) {
			note_damage(r, "the file ends early", r->size);
			return;
		}
		const uint8_t *ids = r->bytes + at + each - SECTION;
		uint64_t from = perf_u64(r, ids), length = perf_u64(r, ids + 8);
		add_attr(r, r->bytes + at, (size_t)each - SECTION);
		if (has_bytes(r, from, length))
			add_ids(r, r->bytes + from, length);
	}
}

/* Read HEADER_ATTR of a pipe: the attribute, with its size as second number, then IDs. */
static void
read_attr_record(struct perf_reading *r, const struct perf_record *record)
{
	uint32_t size = perf_u32(r, record->bytes + RECORD + 4);
	if (size < 64 || size > record->size - RECORD)
		return;
	add_attr(r, record->bytes + RECORD, size);
	add_ids(r, record->bytes + RECORD + size, record->size - RECORD - size);
}

/* Read ID_INDEX: {id, idx, cpu, tid} of each event. */
static void
read_id_index(struct perf_reading *r, const struct perf_record *record)
{
	uint64_t count = perf_u64(r, record->bytes + RECORD);
	const uint8_t *p = record->bytes + RECORD + 8;
	uint64_t fit = (record->size - RECORD - 8) / 32;
	for (uint64_t i = 0; i < count && i < fit; i++, p += 32)
		*vec_add(&r->ids) = (struct perf_id){
		    .id = perf_u64(r, p), .attr = PERF_NONE, .cpu = (uint32_t)perf_u64(r, p + 16)};
}

static int
by_id(const void *a, const void *b)
{
	const struct perf_id *left = a, *right = b;
	return (left->id > right->id) - (left->id < right->id);
}

/* Find the attribute and processor of ID.  Unknown ones are PERF_NONE. */
static struct perf_id
find_id(const struct perf_reading *r, uint64_t id)
{
	struct perf_id found = {.id = id, .attr = PERF_NONE, .cpu = PERF_NONE};
	size_t i;
	lower_bound(i, r->ids.count, r->ids.at[i].id < id);
	for (; i < r->ids.count && r->ids.at[i].id == id; i++) {
		const struct perf_id *own = &r->ids.at[i];
		if (own->attr != PERF_NONE)
			found.attr = own->attr;
		if (own->cpu != PERF_NONE)
			found.cpu = own->cpu;
	}
	return found;
}

/* Return the attribute of a record.  Without identifiers all attributes are alike, so return the
 * first.  An identifier is the last field of the record and selects the attribute. */
static const struct perf_attr *
attr_of(const struct perf_reading *r, const struct perf_record *record)
{
	if (!r->attrs.count)
		return NULL;
	const struct perf_attr *first = r->attrs.at;
	if (!(first->sample_type & SAMPLE_IDENTIFIER) || record->size < RECORD + 8)
		return first;
	struct perf_id id = find_id(r, perf_u64(r, record->bytes + record->size - 8));
	return id.attr < r->attrs.count ? &r->attrs.at[id.attr] : first;
}

/* Find the processor and thread of a record from its last fields.  Unknown ones are PERF_NONE. */
static void
find_sender(const struct perf_reading *r, const struct perf_record *record, size_t body,
	    uint32_t *cpu, uint32_t *tid)
{
	static const uint32_t order[] = {SAMPLE_TID,	   SAMPLE_TIME, SAMPLE_ID,
					 SAMPLE_STREAM_ID, SAMPLE_CPU,	SAMPLE_IDENTIFIER};
	const struct perf_attr *attr = attr_of(r, record);
	uint32_t type = attr ? attr->sample_type : 0, id_cpu = PERF_NONE;
	unsigned fields = (unsigned)__builtin_popcount(type & SAMPLE_ALL);
	*cpu = *tid = PERF_NONE;
	if (!fields || record->size < RECORD + body + 8 * fields)
		return;
	const uint8_t *p = record->bytes + record->size - 8 * (size_t)fields;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (!(type & order[i]))
			continue;
		if (order[i] == SAMPLE_TID)
			*tid = perf_u32(r, p + 4);
		else if (order[i] == SAMPLE_CPU)
			*cpu = perf_u32(r, p);
		else if (order[i] & (SAMPLE_ID | SAMPLE_IDENTIFIER))
			id_cpu = find_id(r, perf_u64(r, p)).cpu;
		p += 8;
	}
	if (*cpu == PERF_NONE)
		*cpu = id_cpu;
}

/* --- records ------------------------------------------------------------------ */

/* Return the buffer with number IDX, adding it if it is new.  Return NULL if there are too many. */
static struct perf_buffer *
buffer_at(struct perf_data *data, uint32_t idx, uint32_t cpu, uint32_t tid)
{
	for (size_t i = data->buffers.count; i--;)
		if (data->buffers.at[i].idx == idx)
			return &data->buffers.at[i];
	if (data->buffers.count == BUFFERS_MAX)
		return NULL;
	struct perf_buffer *buffer = vec_add(&data->buffers);
	*buffer = (struct perf_buffer){.idx = idx, .cpu = cpu, .tid = tid};
	return buffer;
}

/* Read AUXTRACE: u64 size, offset, reference; u32 idx, tid, cpu, reserved; then the bytes, which
 * the end of the file may cut. */
static void
read_auxtrace(struct perf_reading *r, const struct perf_record *record)
{
	const uint8_t *p = record->bytes + RECORD;
	uint64_t at = record->at + record->size, size = perf_u64(r, p);
	struct perf_piece piece = {.at = at, .offset = perf_u64(r, p + 8), .size = size};
	uint64_t left = r->size - at;
	if (piece.size > left)
		piece.size = left;
	if (piece.offset > UINT64_MAX - piece.size) {
		note_damage(r, "a trace buffer that wraps", record->at);
		return;
	}
	struct perf_buffer *buffer =
	    buffer_at(r->data, perf_u32(r, p + 24), perf_u32(r, p + 32), perf_u32(r, p + 28));
	if (buffer)
		*vec_add(&buffer->pieces) = piece;
	else
		note_damage(r, "more trace buffers than any machine has", record->at);
}

static void
keep_record(struct perf_reading *r, const struct perf_record *record)
{
	*vec_add(&r->late) = *record;
}

/* Read MMAP or MMAP2.  MMAP2 has 32 more bytes before the name: device and inode, or a build ID
 * with its size and three reserved bytes; then protection and flags. */
static void
read_map(struct perf_reading *r, const struct perf_record *record)
{
	enum { PROT_EXECUTE = 4 };
	const uint8_t *p = record->bytes + RECORD;
	bool second = record->type == RECORD_MMAP2;
	size_t name = second ? 64 : 32;
	struct perf_map map = {.pid = perf_u32(r, p),
			       .address = perf_u64(r, p + 8),
			       .length = perf_u64(r, p + 16),
			       .offset = perf_u64(r, p + 24)};
	bool code = second ? perf_u32(r, p + 56) & PROT_EXECUTE : !(record->misc & MISC_MMAP_DATA);
	if (!code || map.length > UINT64_MAX - map.address)
		return;
	if ((record->misc & MISC_CPUMODE) == MISC_KERNEL)
		map.pid = PERF_NONE;
	const uint8_t id_size = second && record->misc & MISC_MMAP_BUILD_ID ? p[32] : 0;
	if (id_size && id_size <= PERF_BUILD_ID) {
		map.build_id_size = id_size;
		memcpy(map.build_id, p + 36, id_size);
	}
	map.name = copy_text(p + name, record->size - RECORD - name);
	/* cut off the symbol that `offset` refers to */
	if (!strncmp(map.name, PERF_KERNEL, strlen(PERF_KERNEL)))
		map.name[strlen(PERF_KERNEL)] = '\0';
	*vec_add(&r->data->maps) = map;
}

/* Read HEADER_BUILD_ID, also used in the feature section: pid, 24 bytes, name.  The first 20 bytes
 * are the ID.  The 21st is its size if MISC_BUILD_ID_SIZE is set. */
static void
read_build_id(struct perf_reading *r, const struct perf_record *record)
{
	const uint8_t *p = record->bytes + RECORD;
	struct perf_map file = {.pid = perf_u32(r, p), .build_id_size = PERF_BUILD_ID};
	static const uint8_t none[4];
	const uint8_t size = record->misc & MISC_BUILD_ID_SIZE ? p[24] : UINT8_MAX;
	if (size <= PERF_BUILD_ID)
		file.build_id_size = size;
	else if (!memcmp(p + 20, none, sizeof none))
		file.build_id_size = 16; /* padded with zeros */
	memcpy(file.build_id, p + 4, file.build_id_size);
	file.name = copy_text(p + 28, record->size - RECORD - 28);
	*vec_add(&r->data->files) = file;
}

static void
read_info(struct perf_reading *r, const struct perf_record *record)
{
	if (r->data->trace_type)
		return;
	r->data->trace_type = perf_u32(r, record->bytes + RECORD);
	for (size_t at = RECORD + 8; at + 8 <= record->size; at += 8)
		*vec_add(&r->data->trace_info) = perf_u64(r, record->bytes + at);
}

/* Copy a text that follows its length.  Return NULL if it is empty or too long. */
static char *
read_string(const struct perf_reading *r, const uint8_t *p, uint64_t length)
{
	uint64_t own = length >= 4 ? perf_u32(r, p) : 0;
	return own && own <= length - 4 ? copy_text(p + 4, (size_t)own) : NULL;
}

static void
read_command(struct perf_reading *r, const uint8_t *p, uint64_t length)
{
	struct text all = {0};
	uint32_t words = length >= 4 ? perf_u32(r, p) : 0;
	for (uint64_t at = 4; words && at + 4 <= length && all.length < TEXT_MOST; words--) {
		char *word = read_string(r, p + at, length - at);
		if (!word)
			break;
		text_addf(&all, "%s%s", all.length ? " " : "", word);
		at += 4 + (uint64_t)perf_u32(r, p + at);
		free(word);
	}
	free(r->data->command);
	r->data->command = all.data;
}

static bool read_records(struct perf_reading *, uint64_t at, uint64_t end,
			 void (*each)(struct perf_reading *, const struct perf_record *));

static void
read_feature_record(struct perf_reading *r, const struct perf_record *record)
{
	if (record->size >= RECORD + 36)
		read_build_id(r, record);
}

static void
read_feature(struct perf_reading *r, unsigned bit, uint64_t at, uint64_t length)
{
	const uint8_t *p = r->bytes + at;
	if (bit == FEATURE_ARCH && !r->data->arch)
		r->data->arch = read_string(r, p, length);
	else if (bit == FEATURE_CMDLINE && !r->data->command)
		read_command(r, p, length);
	else if (bit == FEATURE_BUILD_ID)
		read_records(r, at, at + length, read_feature_record);
}

/* Read a feature of a pipe: its number, then the content of a section. */
static void
read_feature_of_pipe(struct perf_reading *r, const struct perf_record *record)
{
	uint64_t bit = perf_u64(r, record->bytes + RECORD);
	if (bit < FEATURES)
		read_feature(r, (unsigned)bit, record->at + RECORD + 8, record->size - RECORD - 8);
}

/* Record types by number.  LEAST is the smallest body that `read` accepts. */
static const struct perf_type {
	const char *name;
	size_t least;
	void (*read)(struct perf_reading *, const struct perf_record *);
} types[] = {
    [RECORD_MMAP] = {"MMAP", 32, read_map},
    [RECORD_LOST] = {"LOST", 16, keep_record},
    [3] = {"COMM", 8, NULL},
    [4] = {"EXIT", 0, NULL},
    [5] = {"THROTTLE", 0, NULL},
    [6] = {"UNTHROTTLE", 0, NULL},
    [7] = {"FORK", 0, NULL},
    [8] = {"READ", 0, NULL},
    [9] = {"SAMPLE", 0, NULL},
    [RECORD_MMAP2] = {"MMAP2", 64, read_map},
    [RECORD_AUX] = {"AUX", 24, keep_record},
    [12] = {"ITRACE_START", 0, NULL},
    [RECORD_LOST_SAMPLES] = {"LOST_SAMPLES", 8, keep_record},
    [14] = {"SWITCH", 0, NULL},
    [15] = {"SWITCH_CPU_WIDE", 0, NULL},
    [16] = {"NAMESPACES", 0, NULL},
    [17] = {"KSYMBOL", 0, NULL},
    [18] = {"BPF_EVENT", 0, NULL},
    [19] = {"CGROUP", 0, NULL},
    [20] = {"TEXT_POKE", 0, NULL},
    [RECORD_HW_ID] = {"AUX_OUTPUT_HW_ID", 8, keep_record},
    [RECORD_HEADER_ATTR] = {"HEADER_ATTR", 64, read_attr_record},
    [65] = {"HEADER_EVENT_TYPE", 0, NULL},
    [RECORD_TRACING_DATA] = {"HEADER_TRACING_DATA", 4, NULL},
    [RECORD_BUILD_ID] = {"HEADER_BUILD_ID", 28, read_build_id},
    [68] = {"FINISHED_ROUND", 0, NULL},
    [RECORD_ID_INDEX] = {"ID_INDEX", 8, read_id_index},
    [RECORD_AUXTRACE_INFO] = {"AUXTRACE_INFO", 8, read_info},
    [RECORD_AUXTRACE] = {"AUXTRACE", 40, read_auxtrace},
    [72] = {"AUXTRACE_ERROR", 0, NULL},
    [73] = {"THREAD_MAP", 0, NULL},
    [74] = {"CPU_MAP", 0, NULL},
    [78] = {"EVENT_UPDATE", 0, NULL},
    [79] = {"TIME_CONV", 0, NULL},
    [RECORD_FEATURE] = {"HEADER_FEATURE", 8, read_feature_of_pipe},
    [RECORD_COMPRESSED] = {"COMPRESSED", 0, NULL},
    [82] = {"FINISHED_INIT", 0, NULL},
    [RECORD_COMPRESSED2] = {"COMPRESSED2", 0, NULL},
};
enum { TYPES = sizeof types / sizeof *types };

static void
read_record(struct perf_reading *r, const struct perf_record *record)
{
	struct perf_data *data = r->data;
	const size_t most = sizeof data->counts / sizeof *data->counts - 1;
	const struct perf_type *type = record->type < TYPES ? &types[record->type] : NULL;
	data->counts[record->type < most ? record->type : most]++;
	if (record->type == RECORD_COMPRESSED || record->type == RECORD_COMPRESSED2)
		data->compressed = true;
	if (!type || !type->read)
		return;
	if (record->size < RECORD + type->least)
		note_damage(r, "a record that is too short", record->at);
	else
		type->read(r, record);
}

/* Return the number of bytes after a record that its size excludes: trace payload, and tracing data
 * in a pipe, in words of eight [second hand: perf]. */
static uint64_t
payload_size(const struct perf_reading *r, const struct perf_record *record)
{
	if (record->type == RECORD_AUXTRACE && record->size >= RECORD + 40)
		return perf_u64(r, record->bytes + RECORD);
	if (record->type == RECORD_TRACING_DATA && record->size >= RECORD + 4)
		return ((uint64_t)perf_u32(r, record->bytes + RECORD) + 7) & ~(uint64_t)7;
	return 0;
}

/* Call EACH for the records from AT to END.  Return false if the walk ended early. */
static bool
read_records(struct perf_reading *r, uint64_t at, uint64_t end,
	     void (*each)(struct perf_reading *, const struct perf_record *))
{
	bool early = end > r->size;
	if (early)
		end = r->size;
	while (at < end && end - at >= RECORD) {
		const uint8_t *p = r->bytes + at;
		struct perf_record record = {.bytes = p,
					     .size = perf_u16(r, p + 6),
					     .at = at,
					     .type = perf_u32(r, p),
					     .misc = perf_u16(r, p + 4)};
		if (record.size < RECORD) {
			note_damage(r, "a record of impossible size", at);
			return false;
		}
		if (record.size > end - at)
			break;
		uint64_t payload = payload_size(r, &record);
		each(r, &record);
		at += record.size;
		if (payload > end - at) {
			at = end;
			early = true;
		} else {
			at += payload;
		}
	}
	if (at < end || early)
		note_damage(r, "the file ends early", at < end ? at : end);
	return at >= end && !early;
}

/* --- the whole ------------------------------------------------------------------ */

/* Read the feature sections.  Their {offset, size} follow the data, in the order of their bits. */
static void
read_features(struct perf_reading *r, uint64_t at)
{
	const uint8_t *bits = r->bytes + HEADER_FEATURES;
	for (unsigned bit = 0; bit < FEATURES; bit++) {
		uint64_t word = perf_u64(r, bits + bit / 64 * 8);
		if (!(word >> bit % 64 & 1))
			continue;
		if (!has_bytes(r, at, SECTION))
			return;
		uint64_t from = perf_u64(r, r->bytes + at);
		uint64_t length = perf_u64(r, r->bytes + at + 8);
		at += SECTION;
		if (has_bytes(r, from, length))
			read_feature(r, bit, from, length);
	}
}

/* Read a file with sections.  If perf did not exit cleanly, the data section has size 0. */
static void
read_file(struct perf_reading *r)
{
	uint64_t at = perf_u64(r, r->bytes + HEADER_DATA);
	uint64_t length = perf_u64(r, r->bytes + HEADER_DATA + 8);
	bool unfinished = !length;
	read_attrs(r);
	if (at > r->size || length > UINT64_MAX - at) {
		note_damage(r, "no data section", HEADER_DATA);
		return;
	}
	if (unfinished) {
		note_damage(r, "perf record did not exit cleanly, so data may be missing", r->size);
		length = r->size - at;
	}
	read_records(r, at, at + length, read_record);
	if (!unfinished)
		read_features(r, at + length);
}

/* Return the buffer of a run: that of its processor, else of its thread.  If neither is known,
 * return the only buffer. */
static struct perf_buffer *
buffer_of(struct perf_data *data, const struct perf_run *run)
{
	for (size_t i = 0; i < data->buffers.count; i++) {
		struct perf_buffer *buffer = &data->buffers.at[i];
		if (buffer->cpu != PERF_NONE ? buffer->cpu == run->cpu : buffer->tid == run->tid)
			return buffer;
	}
	bool unknown = run->cpu == PERF_NONE && run->tid == PERF_NONE;
	return unknown && data->buffers.count == 1 ? data->buffers.at : NULL;
}

static void
add_run(struct perf_data *data, const struct perf_run *run)
{
	struct perf_buffer *buffer = buffer_of(data, run);
	if (buffer)
		*vec_add(&buffer->runs) = *run;
	else
		data->strays++;
}

/* Read AUX: u64 offset, size, flags. */
static void
read_aux(struct perf_reading *r, const struct perf_record *record)
{
	const uint8_t *p = record->bytes + RECORD;
	struct perf_run run = {
	    .offset = perf_u64(r, p), .size = perf_u64(r, p + 8), .flags = perf_u64(r, p + 16)};
	find_sender(r, record, 24, &run.cpu, &run.tid);
	if (run.flags & PERF_RUN_OVERWRITE || run.size <= UINT64_MAX - run.offset)
		add_run(r->data, &run);
	else
		note_damage(r, "a run of trace that wraps", record->at);
}

static void
read_hw_id(struct perf_reading *r, const struct perf_record *record)
{
	struct perf_hw_id id = {.id = perf_u64(r, record->bytes + RECORD)};
	uint32_t tid;
	find_sender(r, record, 8, &id.cpu, &tid);
	*vec_add(&r->data->hw_ids) = id;
}

/* Read LOST (u64 id, lost) or LOST_SAMPLES (u64 lost).  If the sender is unknown, add them to the
 * first buffer. */
static void
read_lost(struct perf_reading *r, const struct perf_record *record)
{
	bool samples = record->type == RECORD_LOST_SAMPLES;
	size_t at = samples ? 0 : 8;
	struct perf_run sender = {0};
	uint64_t lost = perf_u64(r, record->bytes + RECORD + at);
	find_sender(r, record, at + 8, &sender.cpu, &sender.tid);
	struct perf_buffer *buffer = buffer_of(r->data, &sender);
	if (!buffer && r->data->buffers.count)
		buffer = r->data->buffers.at;
	if (buffer)
		*(samples ? &buffer->lost_samples : &buffer->lost_records) += lost;
}

static void
read_late(struct perf_reading *r)
{
	if (r->ids.count)
		qsort(r->ids.at, r->ids.count, sizeof *r->ids.at, by_id);
	for (size_t i = 0; i < r->late.count; i++) {
		const struct perf_record *record = &r->late.at[i];
		if (record->type == RECORD_AUX)
			read_aux(r, record);
		else if (record->type == RECORD_HW_ID)
			read_hw_id(r, record);
		else
			read_lost(r, record);
	}
}

static int
by_name(const void *a, const void *b)
{
	const struct perf_map *left = a, *right = b;
	return strcmp(left->name, right->name);
}

/* Copy known build IDs of files to their maps. */
static void
identify_maps(struct perf_data *data)
{
	const size_t count = data->files.count;
	if (count)
		qsort(data->files.at, count, sizeof *data->files.at, by_name);
	for (size_t i = 0, k; i < data->maps.count; i++) {
		struct perf_map *map = &data->maps.at[i];
		const struct perf_map *files = data->files.at;
		lower_bound(k, count, strcmp(files[k].name, map->name) < 0);
		if (map->build_id_size || k == count || strcmp(files[k].name, map->name) != 0)
			continue;
		map->build_id_size = files[k].build_id_size;
		memcpy(map->build_id, files[k].build_id, map->build_id_size);
	}
}

static int
by_place(const void *a, const void *b)
{
	const struct perf_buffer *left = a, *right = b;
	if (left->cpu != right->cpu)
		return left->cpu < right->cpu ? -1 : 1;
	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return (left->idx > right->idx) - (left->idx < right->idx);
}

bool
perf_data_is(const uint8_t *head, size_t length)
{
	return length >= MAGIC && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8));
}

bool
perf_data_is_file(const char *path)
{
	const char *why;
	struct stat st;
	uint8_t head[MAGIC];
	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* opening a FIFO would disturb its writer */
		return false;
	FILE *file = file_open_stream(path, &why);
	bool is = file && perf_data_is(head, fread(head, 1, sizeof head, file));
	if (file)
		fclose(file);
	return is;
}

struct perf_data *
perf_data_read(const uint8_t *bytes, uint64_t size, struct err *err)
{
	if (!perf_data_is(bytes, size < MAGIC ? (size_t)size : MAGIC)) {
		err_set(err, ERR_DATA, "not a perf.data file");
		return NULL;
	}
	struct perf_data *data = mem_new(sizeof *data);
	struct perf_reading r = {.data = data, .bytes = bytes, .size = size};
	data->big = *bytes == '2';
	uint64_t header = size >= HEADER_PIPE ? perf_u64(&r, bytes + HEADER_SIZE) : 0;
	data->piped = header == HEADER_PIPE;
	if (data->piped)
		read_records(&r, HEADER_PIPE, size, read_record);
	else if (size >= HEADER && header >= HEADER)
		read_file(&r);
	else
		note_damage(&r, "an incomplete header", size < HEADER ? size : HEADER_SIZE);
	read_late(&r);
	identify_maps(data);
	if (data->buffers.count)
		qsort(data->buffers.at, data->buffers.count, sizeof *data->buffers.at, by_place);
	vec_free(&r.attrs);
	vec_free(&r.ids);
	vec_free(&r.late);
	return data;
}

static void
free_maps(struct perf_map *maps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(maps[i].name);
	vec_release(maps);
}

void
perf_data_free(struct perf_data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->buffers.count; i++) {
		vec_free(&data->buffers.at[i].pieces);
		vec_free(&data->buffers.at[i].runs);
	}
	free_maps(data->maps.at, data->maps.count);
	free_maps(data->files.at, data->files.count);
	vec_free(&data->buffers);
	vec_free(&data->hw_ids);
	vec_free(&data->trace_info);
	text_free(&data->damage);
	free(data->arch);
	free(data->command);
	free(data);
}

/* --- display ---------------------------------------------------------------------- */

const char *
perf_data_trace_name(const struct perf_data *data)
{
	/* [second hand: perf, enum auxtrace_type] */
	static const char *const names[] = {
	    [1] = "Intel PT",	  [2] = "Intel BTS",	 [3] = "CoreSight ETM",	  [4] = "Arm SPE",
	    [5] = "S390 CPU-MSF", [6] = "HiSilicon PTT", [7] = "PowerPC VPA DTL",
	};
	const size_t count = sizeof names / sizeof *names;
	bool riscv = data->arch && !strncmp(data->arch, "riscv", 5);
	if (data->trace_type < count)
		return names[data->trace_type];
	return riscv ? "RISC-V trace" : NULL;
}

static void
describe_counts(const struct perf_data *data, struct text *out)
{
	const size_t count = sizeof data->counts / sizeof *data->counts;
	text_add(out, "records:");
	const char *between = " ";
	for (size_t i = 0; i < count; i++) {
		if (!data->counts[i])
			continue;
		text_addf(out, "%s%" PRIu64 " ", between, data->counts[i]);
		if (i < TYPES && types[i].name)
			text_add(out, types[i].name);
		else if (i < count - 1)
			text_addf(out, "of type %zu", i);
		else
			text_add(out, "of unknown types");
		between = ", ";
	}
	text_add(out, *between == ' ' ? " none\n" : "\n");
}

void
perf_data_describe(const struct perf_data *data, struct text *out)
{
	const char *trace = perf_data_trace_name(data);
	text_addf(out, "perf.data%s%s%s, %s\n", data->piped ? " from a pipe" : "",
		  data->arch ? " of " : "", data->arch ? data->arch : "",
		  trace		     ? trace
		  : data->trace_type ? "trace of an unknown type"
				     : "no hardware trace");
	if (data->command)
		text_addf(out, "recorded by: %s\n", data->command);
	describe_counts(data, out);
	if (data->strays)
		text_addf(out, "%" PRIu64 " AUX records are of no buffer that is there\n",
			  data->strays);
	if (data->damage.length)
		text_addf(out, "%s\n", text_get(&data->damage));
}
