/*
 * Saved files: store the index, and other results, between runs.
 *
 * A file describes its capture and how that was decoded. It is used for no other
 * capture, and not at all if there is any doubt. It has this machine's byte order
 * and a checksum over the whole file. It replaces the previous file in one step.
 *
 * Threads: any; one at a time for each path.
 */
#ifndef TRAWL_INDEX_SAVED_H
#define TRAWL_INDEX_SAVED_H

#include "base/file.h"
#include "index/grid.h"
#include "index/origin_totals.h"

/* Identity of the capture and its decoding. Zero it before filling it in: it is compared as
 * bytes. */
struct saved_about {
	uint64_t size;	   /* of the capture */
	uint64_t settings; /* hash of format, options and kind of content */
	struct capture_identity file;
	uint32_t samples[3]; /* checksums of the first, middle and last 64 KiB */
	uint32_t cell_shift;
	uint64_t record_size;
};

/* Fill in the identity of CAPTURE when it had SIZE bytes. */
void saved_describe(struct saved_about *, const struct capture *, uint64_t size, uint64_t settings,
		    unsigned cell_shift, size_t record_size);

/* Write a file that only its user may read. Return 0, or ERR_IO with the reason. */
int saved_write(const char *path, const struct saved_about *, const struct text *body,
		struct err *);

/* A file in memory. */
struct saved_file {
	struct saved_about about;
	struct bytes_rest body; /* borrowed until saved_close */
	void *memory;
};

/* Read a file of at most SAVED_MAX bytes. Return false, with nothing to close, if it is no
 * such file or damaged. The caller must check `about`. */
enum { SAVED_MAX = 1 << 30 };
bool saved_open(const char *path, struct saved_file *);
void saved_close(struct saved_file *);

/* Like saved_write, with an index as content. */
int saved_write_index(const char *path, const struct saved_about *, const struct grid *,
		      struct origin_totals *, struct err *);

/*
 * Read the file at PATH, if it fits CAPTURE, into an empty grid and totals. If the
 * capture only grew since, read the cells that cannot change: whole groups whose end
 * was at least REACH bytes before the end. Return false if nothing is usable; then
 * discard grid and totals.
 */
bool saved_read_index(const char *path, const struct saved_about *now,
		      const struct capture *capture, uint64_t reach, struct grid *,
		      struct origin_totals *);

#define SAVED_ENDING ".index" /* ending of the names of saved files */

extern const struct file_kind saved_kind;

#endif
