/*
 * A CoreSight snapshot: a folder of .ini files that list trace buffers, trace sources,
 * cores and memory dumps (Arm CoreSight snapshot format 1.0, as the OpenCSD tools read
 * it).
 *
 *	snapshot.ini	names the device files and the trace file
 *	trace.ini	lists buffers, and maps sources to buffers and cores to sources
 *	others		one device each: its type, registers, memory dumps
 *
 * Errors in a file are noted and skipped, so an incomplete snapshot shows its remaining
 * parts.  Only a snapshot without any buffer is an error.
 */
#ifndef TRAWL_CAPTURE_SNAPSHOT_H
#define TRAWL_CAPTURE_SNAPSHOT_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct snapshot_register {
	char *name; /* without the suffix in brackets */
	uint64_t value;
};

struct snapshot_dump {
	char *path;
	char *space; /* memory space, or NULL */
	uint64_t address, offset;
	uint64_t length; /* 0: to the end of the file */
	bool placed;	 /* it has an address; always true in a finished snapshot */
	bool outside;	 /* outside of the snapshot's folder: read only if allowed */
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
	char *path;   /* of the file with its bytes */
	char *format; /* coresight, dstream_coresight, source_data; never NULL */
	bool outside; /* as in snapshot_dump */
};

/* Each link maps LEFT to RIGHT: a source to its buffer, or a core to its source. */
struct snapshot_links {
	struct snapshot_link {
		char *left, *right;
	} * at;
	size_t count, capacity;
};

struct snapshot {
	char *folder;	   /* name without the path, for display */
	char *home;	   /* its path */
	VEC(char *) files; /* paths of all files that it names, also outside; some may be missing */
	char *description; /* or NULL */
	VEC(struct snapshot_device) devices;
	VEC(struct snapshot_buffer) buffers; /* those listed under `buffers` */
	struct snapshot_links source_buffers;
	struct snapshot_links core_sources;
	struct text notes; /* one line each: FILE:LINE: SENTENCE */
};

/* True if PATH is a snapshot.ini, or a folder that contains one. */
bool snapshot_is(const char *path);

/* Return the folder of the snapshot that PATH belongs to, as a buffer or an .ini file.  Return NULL
 * if it belongs to none.  The caller frees it. */
char *snapshot_folder_of(const char *path);

/* Read the snapshot at PATH, as for snapshot_is.  Return NULL with a reason on error. */
struct snapshot *snapshot_read(const char *path, struct err *);
void snapshot_free(struct snapshot *); /* NULL is fine */

/* Return the device with this name, or NULL. */
const struct snapshot_device *snapshot_device(const struct snapshot *, const char *name);

/* Return the core that SOURCE traces, or NULL. */
const struct snapshot_device *snapshot_core_of(const struct snapshot *, const char *source);

#endif
