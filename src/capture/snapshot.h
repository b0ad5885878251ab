/*
 * A CoreSight snapshot: a folder of .ini files that say which trace buffers,
 * trace sources, cores and memory dumps there are (Arm CoreSight snapshot
 * format 1.0, as the OpenCSD tools read it).
 *
 *	snapshot.ini	names the device files and the trace file
 *	trace.ini	buffers, which source goes to which, which core has which
 *	others		a device each: its type, registers, memory dumps
 *
 * What is wrong in a file is noted and passed over, so that an incomplete
 * snapshot shows what it has.  Only a snapshot without any buffer is an error.
 */
#ifndef TRAWL_CAPTURE_SNAPSHOT_H
#define TRAWL_CAPTURE_SNAPSHOT_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct snapshot_register {
	char *name; /* without what stands in brackets behind it */
	uint64_t value;
};

struct snapshot_dump {
	char *path;
	char *space; /* memory space, or NULL */
	uint64_t address, offset;
	uint64_t length; /* 0: to the end of the file */
	bool placed;	 /* it has an address; so have all of a snapshot */
	bool outside;	 /* of the snapshot's folder: not to be read unless that is allowed */
};

struct snapshot_device {
	char *name;
	char *type;	/* Cortex-A53, ETM4, STM; never NULL */
	bool is_source; /* a trace source; else a core */
	VEC(struct snapshot_register) registers;
	VEC(struct snapshot_dump) dumps;
};

struct snapshot_buffer {
	char *name;
	char *path;   /* of its bytes */
	char *format; /* coresight, dstream_coresight, source_data; never NULL */
	bool outside; /* as of a dump */
};

/* LEFT goes to RIGHT: a source to its buffer, a core to its source. */
struct snapshot_links {
	struct snapshot_link {
		char *left, *right;
	} * at;
	size_t count, capacity;
};

struct snapshot {
	char *folder;	   /* its name without the path, for people */
	char *description; /* or NULL */
	VEC(struct snapshot_device) devices;
	VEC(struct snapshot_buffer) buffers; /* those that `buffers` lists */
	struct snapshot_links source_buffers;
	struct snapshot_links core_sources;
	struct text notes; /* FILE:LINE: SENTENCE, a line each */
};

/* Whether PATH is a folder with a snapshot.ini, or such a file itself. */
bool snapshot_is(const char *path);

/* The folder of the snapshot that the file PATH is a part of, a buffer or what describes
 * it; NULL if it is none.  Caller frees. */
char *snapshot_folder_of(const char *path);

/* Reads the snapshot at PATH, as above.  NULL with a reason on error. */
struct snapshot *snapshot_read(const char *path, struct err *);
void snapshot_free(struct snapshot *); /* NULL is fine */

/* A device by name, or NULL. */
const struct snapshot_device *snapshot_device(const struct snapshot *, const char *name);

/* The core whose trace SOURCE makes, or NULL. */
const struct snapshot_device *snapshot_core_of(const struct snapshot *, const char *source);

#endif
