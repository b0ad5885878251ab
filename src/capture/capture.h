/*
 * A capture: the bytes of one file or stream, memory-mapped.
 *
 * The map is one reservation larger than the file, so a growing file needs no
 * new pointers: capture_bytes() never changes.  Only the first capture_size()
 * bytes of it may be read.  If a file shrinks under the map, a SIGBUS handler
 * puts a zero page under the fault and capture_damaged() says so; nothing
 * crashes.  Streams (pipes, FIFOs, `-`) are spooled by a thread to an unlinked
 * file that is mapped the same way.
 *
 * Threads: what changes a capture (refresh, wait, follow, notice, reopen) by
 * one thread at a time; everything else by any.
 */
#ifndef TRAWL_CAPTURE_CAPTURE_H
#define TRAWL_CAPTURE_CAPTURE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

struct capture_options {
	const char *spool_dir; /* for streams; NULL = $TMPDIR or /tmp */
	/* A stream grew or ended, a followed file changed; from any thread. */
	void (*notify)(void *);
	void *notify_context;
};

enum capture_change {
	CAPTURE_SAME,
	CAPTURE_GREW,
	CAPTURE_SHRANK,	    /* now shorter: what is gone is gone */
	CAPTURE_REWRITTEN,  /* as long or longer, but with other bytes */
	CAPTURE_REPLACED,   /* another file has its name now; it may have grown too */
	CAPTURE_GONE,	    /* its name is gone, the bytes are still there; as above */
	CAPTURE_UNREADABLE, /* bytes that should be there read as zeros */
	CAPTURE_CHANGES
};

enum capture_follow {
	FOLLOW_NOT,  /* what is there is all */
	FOLLOW_FILE, /* this very file, whatever its name */
	FOLLOW_NAME  /* until another file has its name */
};

/* Opens PATH, or standard input for "-".  NULL with a reason for a directory,
 * an unreadable file, a device.  An empty file opens, with size 0. */
struct capture *capture_open(const char *path, const struct capture_options *, struct err *);
void capture_close(struct capture *); /* NULL is fine */

const char *capture_path(const struct capture *);
const uint8_t *capture_bytes(const struct capture *);
uint64_t capture_size(const struct capture *);
bool capture_is_stream(const struct capture *);

/* Counts up whenever what was there is there no more (it shrank, was written
 * anew or opened again): whatever is known of its bytes is void then. */
unsigned capture_epoch(const struct capture *);

/* Whether no byte will follow: true for a file (unless followed, and with
 * FOLLOW_NAME again once another file has its name), for a stream once its
 * writer has closed it. */
bool capture_ended(const struct capture *);

/* Follows a file from now on: its changes are notified.  What happened before
 * is for capture_refresh to find. */
void capture_follow(struct capture *, enum capture_follow);
enum capture_follow capture_followed(const struct capture *);

/* The next change of a file that is not followed is notified, once; where that
 * would need looking again and again it is not. */
void capture_notice(struct capture *);

/* Blocks until capture_refresh may find something that it did not find before,
 * or MILLISECONDS have passed (negative: no limit); false if time is up or
 * there is nothing to wait for. */
bool capture_await(struct capture *, int milliseconds);

/* Blocks until the capture is longer than SIZE or ended, or MILLISECONDS have
 * passed (negative: no limit), and adopts what came.  Returns the new size. */
uint64_t capture_wait(struct capture *, uint64_t size, int milliseconds);

/* Ends all waiting, now and from now on; from any thread. */
void capture_interrupt(struct capture *);
bool capture_interrupted(const struct capture *);

/* Looks at the file again and adopts its new size.  Each change of its name is
 * told once. */
enum capture_change capture_refresh(struct capture *);

/* The same, adopting nothing; *MORE is by how much the file grew. */
enum capture_change capture_look(const struct capture *, uint64_t *more);

/* Opens the name again: the file that has it now takes the place of the old
 * one, at the same addresses.  0, or negative with a reason; then all is as
 * it was. */
int capture_reopen(struct capture *, struct err *);

/* Whether bytes vanished under the map, or could not be read, since
 * capture_refresh looked last. */
bool capture_damaged(const struct capture *);

/* Says that these bytes will be looked at through the map soon: they are
 * fetched in one go.  Without it each page is fetched when it is touched, and
 * nothing beside it: a jump about a huge file reads only what it shows. */
void capture_want(const struct capture *, uint64_t offset, uint64_t length);

/* Copies up to LENGTH bytes at OFFSET (pread); returns how many, possibly
 * fewer near the end.  Bytes that vanished read as zero. */
size_t capture_read(const struct capture *, uint64_t offset, void *buffer, size_t length);

/* What tells a file from others, and from itself before it was changed. */
struct capture_identity {
	uint64_t device, inode;
	int64_t modified; /* nanoseconds since the epoch */
};
void capture_identify(const struct capture *, struct capture_identity *);

/* If OFFSET lies in a hole of the file, where that hole ends; else OFFSET. */
uint64_t capture_hole_end(const struct capture *, uint64_t offset);

#endif
