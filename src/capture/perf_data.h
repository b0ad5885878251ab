/*
 * perf.data: the records that Linux perf wrote.
 *
 * This reader finds the hardware trace in such a file, the parameters for decoding it,
 * and the memory maps.  It does not interpret the trace.  Samples and similar records are
 * only counted.  Sources: [perf.data] is
 * tools/perf/Documentation/perf.data-file-format.txt of Linux, [perf_event.h] is its
 * include/uapi/linux/perf_event.h.  Facts that neither states are marked [second hand:
 * perf].
 *
 * Cost: reads the heads of records, but no trace payload.  Memory grows with the number
 * of records, never with a number that a record states.
 */
#ifndef TRAWL_CAPTURE_PERF_DATA_H
#define TRAWL_CAPTURE_PERF_DATA_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_NONE = UINT32_MAX }; /* no processor, no thread */
enum { PERF_MAPS_MOST = 4096 };	 /* most maps to find files for */

/* AUXTRACE: a piece of a ring buffer. */
struct perf_piece {
	uint64_t at;	 /* in the file */
	uint64_t offset; /* counted from the first byte ever written to the buffer */
	uint64_t size;
};

/* AUX: one run of the hardware.  [perf_event.h, PERF_AUX_FLAG_*] */
enum perf_run_flag {
	PERF_RUN_TRUNCATED = 1 << 0, /* the buffer was full */
	PERF_RUN_OVERWRITE = 1 << 1, /* a snapshot: `offset` is its end, `size` is an upper limit */
	PERF_RUN_PARTIAL = 1 << 2,   /* it has gaps */
	PERF_RUN_COLLISION = 1 << 3, /* collided with another user of the hardware */
	PERF_RUN_FORMAT = 0xff00     /* format of the bytes, as numbered by the hardware's driver */
};
struct perf_run {
	uint64_t offset, size; /* as in struct perf_piece */
	uint64_t flags;
	uint32_t cpu, tid; /* of the traced code; PERF_NONE: unknown */
};

/* The ring buffer of a processor, or of a thread if CPU is PERF_NONE. */
struct perf_buffer {
	uint32_t idx, cpu, tid;
	VEC(struct perf_piece) pieces;
	VEC(struct perf_run) runs;
	uint64_t lost_records, lost_samples; /* those that perf could not write */
};

/* AUX_OUTPUT_HW_ID: the ID of a processor's hardware in the trace. */
struct perf_hw_id {
	uint32_t cpu;
	uint64_t id;
};

enum { PERF_BUILD_ID = 20 };

/* MMAP, MMAP2: a file mapped into the memory of a process. */
#define PERF_KERNEL "[kernel.kallsyms]" /* name of the kernel's map */
struct perf_map {
	uint32_t pid; /* PERF_NONE: the kernel */
	/* OFFSET is in the file; for the kernel, the start of its text [second hand: perf] */
	uint64_t address, length, offset;
	uint8_t build_id[PERF_BUILD_ID];
	uint8_t build_id_size; /* 0: unknown */
	char *name;
};

struct perf_data {
	bool big;			 /* big-endian */
	bool piped;			 /* written to a pipe */
	bool compressed;		 /* contains compressed records, which are not read */
	uint32_t trace_type;		 /* from AUXTRACE_INFO; 0: none */
	VEC(uint64_t) trace_info;	 /* the numbers after the type */
	VEC(struct perf_buffer) buffers; /* sorted by processor, then by thread */
	VEC(struct perf_hw_id) hw_ids;
	VEC(struct perf_map) maps;  /* maps of code, in record order */
	VEC(struct perf_map) files; /* only names and build IDs; includes files in no map */
	char *arch;		    /* `aarch64`, or NULL */
	char *command;		    /* command line of perf, or NULL */
	uint64_t counts[256];	    /* records by type; the last one counts all higher types */
	uint64_t strays;	    /* AUX records without a buffer */
	struct text damage;	    /* one sentence on why reading was incomplete, or empty */
};

/* True if a file that begins with these bytes is a perf.data file. */
bool perf_data_is(const uint8_t *head, size_t length);
bool perf_data_is_file(const char *path);

/* Read SIZE bytes; BYTES may be NULL if SIZE is 0.  Return NULL with a reason if it is not a
 * perf.data file.  Other problems are noted in `damage`. */
struct perf_data *perf_data_read(const uint8_t *bytes, uint64_t size, struct err *);
void perf_data_free(struct perf_data *); /* NULL is fine */

/* Return the kind of hardware trace for display: `Intel PT`.  Return NULL if it has no name. */
const char *perf_data_trace_name(const struct perf_data *);

/* Append a description of the contents, in several lines. */
void perf_data_describe(const struct perf_data *, struct text *);

#endif
