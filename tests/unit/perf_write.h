/*
 * A writer of perf.data, for tests: in either byte order, as a file or as a pipe.  It shares
 * no code with the reader.
 *
 *	struct perf_writer w = {.big = true};
 *	perf_begin(&w); perf_record...(&w, ...); perf_end(&w); use w.out; vec_free(&w.out);
 */
#ifndef TRAWL_TESTS_UNIT_PERF_WRITE_H
#define TRAWL_TESTS_UNIT_PERF_WRITE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PERF_CS_ETM = 3 };

struct perf_writer {
	bool big, piped;
	uint64_t sample_type; /* of all records; 0: pid+tid, time, id, cpu, as in the field */
	VEC(uint8_t) out;
	size_t record; /* where the one at hand starts */
	size_t data;   /* where the data section starts */
	const char *arch;
};

static inline void
perf_put(struct perf_writer *w, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*vec_add(&w->out) = (uint8_t)(value >> 8 * (w->big ? size - 1 - i : i));
}

static inline void
perf_put_bytes(struct perf_writer *w, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_add(&w->out) = ((const uint8_t *)bytes)[i];
}

static inline void
perf_set(struct perf_writer *w, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		w->out.at[at + i] = (uint8_t)(value >> 8 * (w->big ? size - 1 - i : i));
}

static inline void
perf_put_name(struct perf_writer *w, const char *name)
{
	size_t length = strlen(name) + 1;
	perf_put_bytes(w, name, length);
	for (; length % 8; length++)
		perf_put(w, 0, 1);
}

static inline void
perf_start_record(struct perf_writer *w, uint32_t type, uint16_t misc)
{
	w->record = w->out.count;
	perf_put(w, type, 4);
	perf_put(w, misc, 2);
	perf_put(w, 0, 2);
}

static inline void
perf_end_record(struct perf_writer *w)
{
	perf_set(w, w->record + 6, w->out.count - w->record, 2);
}

/* The 128 bytes of an attribute with sample_id_all, the 19th bit of its flags. */
static inline void
perf_put_attr(struct perf_writer *w)
{
	perf_put(w, 8, 4);
	perf_put(w, 128, 4);
	perf_put(w, 0, 8);
	perf_put(w, 1, 8);
	perf_put(w, w->sample_type, 8);
	perf_put(w, 0, 8);
	for (unsigned i = 0; i < 8; i++)
		perf_put(w, i != 2 ? 0 : w->big ? 0x20 : 0x04, 1);
	for (unsigned i = 48; i < 128; i += 8)
		perf_put(w, 0, 8);
}

static inline void
perf_begin(struct perf_writer *w)
{
	if (!w->sample_type)
		w->sample_type = 0x1c7;
	perf_put_bytes(w, w->big ? "2ELIFREP" : "PERFILE2", 8);
	if (w->piped) {
		perf_put(w, 16, 8);
		perf_start_record(w, 64, 0);
		perf_put_attr(w);
		perf_put(w, 77, 8);
		perf_end_record(w);
		return;
	}
	perf_put(w, 104, 8);
	perf_put(w, 144, 8); /* attr_size */
	perf_put(w, 104, 8);
	perf_put(w, 144, 8);
	for (unsigned i = 40; i < 104; i += 8)
		perf_put(w, 0, 8);
	perf_put_attr(w);
	perf_put(w, 104, 8); /* IDs: of no matter which bytes */
	perf_put(w, 0, 8);
	w->data = w->out.count;
	perf_set(w, 40, w->data, 8);
}

/* What each record of an event ends with. */
static inline void
perf_put_sample_id(struct perf_writer *w, uint32_t cpu, uint32_t tid)
{
	if (w->sample_type & 1 << 1) {
		perf_put(w, tid, 4);
		perf_put(w, tid, 4);
	}
	if (w->sample_type & 1 << 2)
		perf_put(w, 123456789, 8);
	if (w->sample_type & 1 << 6)
		perf_put(w, 77, 8);
	if (w->sample_type & 1 << 9)
		perf_put(w, 99, 8);
	if (w->sample_type & 1 << 7) {
		perf_put(w, cpu, 4);
		perf_put(w, 0, 4);
	}
	if (w->sample_type & 1 << 16)
		perf_put(w, 77, 8);
}

static inline void
perf_record_aux(struct perf_writer *w, uint32_t cpu, uint32_t tid, uint64_t offset, uint64_t size,
		uint64_t flags)
{
	perf_start_record(w, 11, 0);
	perf_put(w, offset, 8);
	perf_put(w, size, 8);
	perf_put(w, flags, 8);
	perf_put_sample_id(w, cpu, tid);
	perf_end_record(w);
}

/* PERF_RECORD_LOST {id, lost}, and PERF_RECORD_LOST_SAMPLES {lost} [perf_event.h]. */
static inline void
perf_record_lost(struct perf_writer *w, uint32_t cpu, uint32_t tid, uint64_t records,
		 uint64_t samples)
{
	perf_start_record(w, 2, 0);
	perf_put(w, 77, 8);
	perf_put(w, records, 8);
	perf_put_sample_id(w, cpu, tid);
	perf_end_record(w);
	perf_start_record(w, 13, 0);
	perf_put(w, samples, 8);
	perf_put_sample_id(w, cpu, tid);
	perf_end_record(w);
}

static inline void
perf_record_hw_id(struct perf_writer *w, uint32_t cpu, uint64_t id)
{
	perf_start_record(w, 21, 0);
	perf_put(w, id, 8);
	perf_put_sample_id(w, cpu, 1);
	perf_end_record(w);
}

static inline void
perf_record_auxtrace(struct perf_writer *w, uint32_t idx, uint32_t cpu, uint32_t tid,
		     uint64_t offset, const void *bytes, size_t length)
{
	perf_start_record(w, 71, 0);
	perf_put(w, length, 8);
	perf_put(w, offset, 8);
	perf_put(w, 0, 8);
	perf_put(w, idx, 4);
	perf_put(w, tid, 4);
	perf_put(w, cpu, 4);
	perf_put(w, 0, 4);
	perf_end_record(w);
	perf_put_bytes(w, bytes, length);
}

static inline void
perf_record_info(struct perf_writer *w, uint32_t type, const uint64_t *info, size_t count)
{
	perf_start_record(w, 70, 0);
	perf_put(w, type, 4);
	perf_put(w, 0, 4);
	for (size_t i = 0; i < count; i++)
		perf_put(w, info[i], 8);
	perf_end_record(w);
}

static inline void
perf_record_comm(struct perf_writer *w, uint32_t pid, const char *name)
{
	perf_start_record(w, 3, 1 << 13);
	perf_put(w, pid, 4);
	perf_put(w, pid, 4);
	perf_put_name(w, name);
	perf_put_sample_id(w, 0, pid);
	perf_end_record(w);
}

/* With a build ID of 20 bytes, or without (NULL). */
static inline void
perf_record_mmap2(struct perf_writer *w, uint32_t pid, uint64_t address, uint64_t length,
		  uint64_t offset, const uint8_t *build_id, const char *name)
{
	perf_start_record(w, 10, (uint16_t)(2 | (build_id ? 1 << 14 : 0)));
	perf_put(w, pid, 4);
	perf_put(w, pid, 4);
	perf_put(w, address, 8);
	perf_put(w, length, 8);
	perf_put(w, offset, 8);
	if (build_id) {
		perf_put(w, 20, 1);
		perf_put(w, 0, 1);
		perf_put(w, 0, 2);
		perf_put_bytes(w, build_id, 20);
	} else {
		perf_put(w, 8, 4);
		perf_put(w, 1, 4);
		perf_put(w, 4711, 8);
		perf_put(w, 0, 8);
	}
	perf_put(w, 5, 4); /* read, execute */
	perf_put(w, 2, 4);
	perf_put_name(w, name);
	perf_put_sample_id(w, 0, pid);
	perf_end_record(w);
}

/* Of a file: the size of the data, and the feature that names the machine. */
static inline void
perf_end(struct perf_writer *w)
{
	size_t end = w->out.count;
	if (w->piped)
		return;
	perf_set(w, 48, end - w->data, 8);
	if (!w->arch)
		return;
	perf_set(w, 72, 1 << 6, 8);
	perf_put(w, end + 16, 8);
	perf_put(w, 4 + strlen(w->arch) + 1, 8);
	perf_put(w, strlen(w->arch) + 1, 4);
	perf_put_bytes(w, w->arch, strlen(w->arch) + 1);
}

#endif
