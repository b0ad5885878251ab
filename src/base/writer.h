/*
 * The only way to write a file or a folder under a name.
 *
 * A finished output goes into a new file in the same folder.  When it is complete, it replaces an
 * old file in one step.  An error, a cancellation or kill -9 leaves the old file unchanged.  A
 * growing output (a recording, --follow) is created under its own name at once, so that others can
 * read it.  It never replaces a file.
 *
 * A symbolic link is followed.  Devices and FIFOs are opened and written to.  Refused are an open
 * capture, a disk, a folder, and a file with several hard links.
 *
 * One thread at a time may use a writer.
 */
#ifndef TRAWL_BASE_WRITER_H
#define TRAWL_BASE_WRITER_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum writer_flag {
	WRITER_FORCE = 1,   /* may replace a file */
	WRITER_GROWING = 2, /* see above */
	WRITER_DURABLE = 4, /* on the disk before it replaces the old one */
	WRITER_FOLDER = 8   /* a folder: `file` is its descriptor, for openat */
};

enum { WRITER_NO_WAIT = -1 };

struct writer_options {
	unsigned flags;
	/* Mode of a new file, less the umask.  A replaced file keeps its mode, group and ACL. */
	mode_t mode;
	mode_t folders;	  /* creates missing folders with this mode; 0: an error */
	const char *hint; /* appended to the error that the file exists, or NULL */
	/* Return true for a file that must stay, such as an open capture.  May be NULL. */
	bool (*is_taken)(void *context, const struct stat *);
	void *context;
	/* A descriptor that ends a write to a full FIFO once it is readable.  0: none.  With
	 * WRITER_NO_WAIT a FIFO that is full or has no reader is an error. */
	int stop;
};

/* Zero-initialise. */
struct writer {
	int file; /* valid between writer_open and its end */
	int stop;
	unsigned flags;
	struct text path;  /* links resolved */
	struct text draft; /* name until writer_commit, or empty */
	bool is_old;	   /* a file with that name existed */
	/* True if no rename is needed: a growing output, a device, a FIFO, standard output. */
	bool is_direct;
	int failed; /* errno of the first failed write */
};

/* Open PATH.  Return 0, or a negative err_code with a sentence: ERR_USAGE if we refuse the
 * target, ERR_IO if the system does. */
int writer_open(struct writer *, const char *path, const struct writer_options *, struct err *);

/* Write to the standard output. */
void writer_open_stdout(struct writer *);

/* Create a file in the folder of another writer. */
int writer_open_at(struct writer *, int folder, const char *name, struct err *);

/* Append bytes.  If a write to a file fails, cut it after the last whole line; later calls then
 * do nothing.  Return 0, or a negative err_code: ERR_CANCELLED if STOP became readable, ERR_IO
 * with the reason and the state of the file. */
int writer_add(struct writer *, const void *bytes, size_t length, struct err *);

/* Drop all bytes written.  Return false if others may have read them: from a growing output, a
 * device or a FIFO. */
bool writer_rewind(struct writer *);

/* End the output and give it its name.  Return 0, or ERR_IO: the old file is unchanged. */
int writer_commit(struct writer *, struct err *);

/* End the output and remove it, unless it is a growing one.  May follow a failed writer_open or
 * a writer_commit. */
void writer_abandon(struct writer *);

/* Wait for the lock on the folder of PATH.  Create missing folders with the mode FOLDERS unless
 * it is 0.  Hold this lock while you read a file, change it and write it again.  Return a
 * descriptor to close, or -1 if the folder cannot be opened. */
int writer_lock(const char *path, mode_t folders);

/* A folder for files of this run, which only this user can read.  Zero-initialise. */
struct writer_folder {
	struct text path;
	pid_t keeper; /* process that removes it */
	int end;      /* the keeper waits until this descriptor is closed */
};

/* Make a folder in PARENT.  A process of its own removes it with its contents, also if this one is
 * killed.  Call it before there are threads.  Return 0 or ERR_IO. */
int writer_folder_make(struct writer_folder *, const char *parent, struct err *);

/* Remove it, if it was made. */
void writer_folder_remove(struct writer_folder *);

/* Write a whole file in one call.  Never waits for the reader of a FIFO. */
int writer_put(const char *path, const struct writer_options *, const void *bytes, size_t length,
	       struct err *);

#endif
