/*
 * An index kept in a file, to be there at once when the capture is opened
 * again; and files of what else was found in it.
 *
 * A file says which capture it is about and how that was decoded; it is used
 * for nothing else, and when in doubt for nothing at all.  It is written in
 * this machine's byte order, with a checksum over all of it, and replaces the
 * one before in one step.
 *
 * Threads: any; a path by one at a time.
 */
#ifndef TRAWL_INDEX_SAVED_H
#define TRAWL_INDEX_SAVED_H

#include "base/file.h"
#include "index/grid.h"
#include "index/origin_totals.h"

/* What a file is about.  Zeroed before it is filled: it is compared as
 * bytes. */
struct saved_about {
	uint64_t size;	   /* of the capture */
	uint64_t settings; /* hash of format and options, and of what is in the file */
	struct capture_identity file;
	uint32_t samples[3]; /* checksums of its first, middle and last 64 KiB */
	uint32_t cell_shift;
	uint64_t record_size;
};

/* About CAPTURE as it was when it had SIZE bytes. */
void saved_describe(struct saved_about *, const struct capture *, uint64_t size, uint64_t settings,
		    unsigned cell_shift, size_t record_size);

/* Writes a file that only its user may read.  0, or ERR_IO with the reason. */
int saved_write(const char *path, const struct saved_about *, const struct text *body,
		struct err *);

/* A file in memory. */
struct saved_file {
	struct saved_about about;
	struct bytes_rest body; /* borrowed until saved_close */
	void *memory;
};

/* Reads a file of at most SAVED_MAX bytes.  False, and nothing to close, if it is
 * none, or not as it was written.  What it is about is for the caller to judge. */
enum { SAVED_MAX = 1 << 30 };
bool saved_open(const char *path, struct saved_file *);
void saved_close(struct saved_file *);

/* The same with an index as what is in it. */
int saved_write_index(const char *path, const struct saved_about *, const struct grid *,
		      struct origin_totals *, struct err *);

/*
 * Reads what the file at PATH says about CAPTURE into an empty grid and totals.
 * If the capture only grew since, that is what will stay so: all groups of cells whose
 * end was at least REACH bytes away.  False if there is nothing to use; grid and totals are
 * then to be thrown away.
 */
bool saved_read_index(const char *path, const struct saved_about *now,
		      const struct capture *capture, uint64_t reach, struct grid *,
		      struct origin_totals *);

#define SAVED_ENDING ".index" /* of names of files that are kept between runs */

extern const struct file_kind saved_kind;

#endif
