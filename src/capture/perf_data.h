/*
 * perf.data: what Linux perf recorded, as records.
 *
 * Finds the bytes of hardware trace in such a file, what says how to read them, and what
 * was mapped where; it does not know what the trace means.  Samples and the like are
 * counted only.  Sources: [perf.data] is tools/perf/Documentation/perf.data-file-format.txt
 * of Linux, [perf_event.h] its include/uapi/linux/perf_event.h.  What no text there says is
 * marked [second hand: perf].
 *
 * Cost: heads of records are read, payload of trace is not.  Memory is in proportion to the
 * records that there are, never to a number that one of them names.
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
enum { PERF_MAPS_MOST = 4096 };	 /* for which files are looked for */

/* AUXTRACE: bytes of a ring buffer. */
struct perf_piece {
	uint64_t at;	 /* in the file */
	uint64_t offset; /* among all that was ever in the buffer */
	uint64_t size;
};

/* AUX: one run of the hardware.  [perf_event.h, PERF_AUX_FLAG_*] */
enum perf_run_flag {
	PERF_RUN_TRUNCATED = 1 << 0, /* the buffer was full */
	PERF_RUN_OVERWRITE = 1 << 1, /* a snapshot: `offset` is its end, `size` at most */
	PERF_RUN_PARTIAL = 1 << 2,   /* it has gaps */
	PERF_RUN_COLLISION = 1 << 3, /* another user of the hardware took it */
	PERF_RUN_FORMAT = 0xff00     /* of its bytes, as the hardware's driver numbers them */
};
struct perf_run {
	uint64_t offset, size; /* as of struct perf_piece */
	uint64_t flags;
	uint32_t cpu, tid; /* where it was; PERF_NONE: not known */
};

/* A ring buffer: of a processor, or of a thread, where CPU is PERF_NONE. */
struct perf_buffer {
	uint32_t idx, cpu, tid;
	VEC(struct perf_piece) pieces;
	VEC(struct perf_run) runs;
	uint64_t lost_records, lost_samples; /* that perf could not write there */
};

/* AUX_OUTPUT_HW_ID: what the hardware of a processor is called in the trace. */
struct perf_hw_id {
	uint32_t cpu;
	uint64_t id;
};

enum { PERF_BUILD_ID = 20 };

/* MMAP, MMAP2: a file in the memory of a process. */
#define PERF_KERNEL "[kernel.kallsyms]" /* name of the kernel's map */
struct perf_map {
	uint32_t pid; /* PERF_NONE: the kernel's */
	/* OFFSET: in the file; of the kernel where its text began [second hand: perf] */
	uint64_t address, length, offset;
	uint8_t build_id[PERF_BUILD_ID];
	uint8_t build_id_size; /* 0: not known */
	char *name;
};

struct perf_data {
	bool big;			 /* endian */
	bool piped;			 /* written to a pipe */
	bool compressed;		 /* records are in it that are not read */
	uint32_t trace_type;		 /* AUXTRACE_INFO; 0: none */
	VEC(uint64_t) trace_info;	 /* the numbers behind it */
	VEC(struct perf_buffer) buffers; /* by processor, then by thread */
	VEC(struct perf_hw_id) hw_ids;
	VEC(struct perf_map) maps;  /* of code, in the order of records */
	VEC(struct perf_map) files; /* name and build ID alone: of files in no map, too */
	char *arch;		    /* `aarch64`, or NULL */
	char *command;		    /* how perf was called, or NULL */
	uint64_t counts[256];	    /* records by type; the last: of types beyond */
	uint64_t strays;	    /* AUX records of no buffer */
	struct text damage;	    /* why not all was read, one sentence; empty: all was */
};

/* Whether this is how such a file begins. */
bool perf_data_is(const uint8_t *head, size_t length);
bool perf_data_is_file(const char *path);

/* Reads SIZE bytes; those of NULL are none.  NULL with a reason if it is no such file; what
 * is wrong in it otherwise is in `damage`. */
struct perf_data *perf_data_read(const uint8_t *bytes, uint64_t size, struct err *);
void perf_data_free(struct perf_data *); /* NULL is fine */

/* What sort of hardware trace is in it, for people: `Intel PT`; NULL: none that has a
 * name. */
const char *perf_data_trace_name(const struct perf_data *);

/* Appends what is in it, a line each. */
void perf_data_describe(const struct perf_data *, struct text *);

#endif
