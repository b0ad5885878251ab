/*
 * The one way to write a file or a folder under a name.
 *
 * A finished output goes into a new file in the same folder, which takes the place of an old
 * one in one step when it is complete.  After an error, a cancellation or kill -9 the old file
 * is as it was.  A growing output (a recording, --follow) is created under its own name at once, so
 * that others can read it, and never takes the place of a file.
 *
 * A symbolic link is followed.  Devices and FIFOs are opened and written to.  An open capture,
 * a disk, a folder, and a file with several hard links are refused.
 *
 * A writer belongs to one thread at a time.
 */
#ifndef TRAWL_BASE_WRITER_H
#define TRAWL_BASE_WRITER_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum writer_flag {
	WRITER_FORCE = 1,   /* may replace a file */
	WRITER_GROWING = 2, /* see above */
	WRITER_DURABLE = 4, /* on the disk before it takes the place of the old one */
	WRITER_FOLDER = 8   /* a folder: `file` is its descriptor, for openat */
};

enum { WRITER_NO_WAIT = -1 };

struct writer_options {
	unsigned flags;
	mode_t mode; /* of a new file, less the umask; an old one's mode, group and ACL are kept */
	mode_t folders;	  /* missing folders are created with this mode; 0: they are an error */
	const char *hint; /* appended to the error that the file exists, or NULL */
	/* Return true for a file that must stay, such as an open capture.  May be NULL. */
	bool (*is_taken)(void *context, const struct stat *);
	void *context;
	/* A descriptor that ends a write to a full FIFO once it is readable.  0: none.
	 * WRITER_NO_WAIT: a FIFO that is full or that no program reads is an error. */
	int stop;
};

/* Zero-initialise. */
struct writer {
	int file; /* valid between writer_open and its end */
	int stop;
	unsigned flags;
	struct text path;  /* links resolved */
	struct text draft; /* the name until writer_commit, or empty */
	bool is_old;	   /* a file of that name existed */
	bool
	    is_direct; /* nothing is renamed: a growing output, a device, a FIFO, standard output */
	int failed;    /* errno of the first write that failed */
};

/* Open PATH.  Return 0, or a negative err_code with a sentence: ERR_USAGE if the target is
 * refused, ERR_IO if the system does. */
int writer_open(struct writer *, const char *path, const struct writer_options *, struct err *);

/* Use the standard output. */
void writer_open_stdout(struct writer *);

/* Create a file in the folder of another writer. */
int writer_open_at(struct writer *, int folder, const char *name, struct err *);

/* Append bytes.  If a file cannot take all of them, it is cut after the last whole line, and
 * later calls do nothing.  Return 0, or a negative err_code: ERR_CANCELLED if STOP
 * became readable, ERR_IO with the reason and the state of the file. */
int writer_add(struct writer *, const void *bytes, size_t length, struct err *);

/* Drop all bytes written so far.  Return false if others may have read them: the output is a
 * growing one, a device or a FIFO. */
bool writer_rewind(struct writer *);

/* End the output and give it its name.  Return 0, or ERR_IO: the old file is unchanged. */
int writer_commit(struct writer *, struct err *);

/* End the output and leave nothing of it, except of a growing one.  May follow a failed
 * writer_open or a writer_commit. */
void writer_abandon(struct writer *);

/* Wait for the lock on the folder of PATH, which is created with the mode FOLDERS if that is not
 * 0.  Runs that read a file, change it and write it again hold this lock meanwhile.  Return a
 * descriptor to close, or -1: the folder cannot be opened. */
int writer_lock(const char *path, mode_t folders);

/* Write a whole file in one call, which never waits for the reader of a FIFO. */
int writer_put(const char *path, const struct writer_options *, const void *bytes, size_t length,
	       struct err *);

#endif
