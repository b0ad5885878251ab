/*
 * A capture: the bytes of one file or stream, memory-mapped.
 *
 * The map reserves more addresses than the file needs, so the file can grow while
 * capture_bytes() never changes.  Only the first capture_size() bytes may be read.  The
 * file may shrink under the map, or be unreadable.  A SIGBUS handler then puts a page of
 * zeros there, and capture_damaged() returns true.  capture_misses() finds these zeros.
 *
 * A thread spools streams (pipes, FIFOs, `-`) to an unlinked file, which is mapped the
 * same way.  It also spools live sources (`tcp:HOST:PORT`, `serial:DEVICE@BAUD`) and
 * unpacked data: the content of a compressed file or of an archive with one file.
 *
 * If address space or descriptors are scarce, the reservation is smaller and files are
 * closed once they are mapped.
 *
 * Threads: one thread at a time may change a capture (refresh, wait, follow, notice,
 * reopen).  Any thread may call the rest.
 */
#ifndef TRAWL_CAPTURE_CAPTURE_H
#define TRAWL_CAPTURE_CAPTURE_H

#include "base/err.h"
#include "base/generation.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct capture;

/* Whether the bytes from the write pointer on are older than those before it. */
enum capture_wrapped {
	CAPTURE_WRAPPED_AUTO, /* yes, unless they repeat one word */
	CAPTURE_WRAPPED,
	CAPTURE_NOT_WRAPPED
};

/* How to turn the file back into the memory that held the trace. */
struct capture_dump {
	bool words;    /* convert lines of text that tools print to bytes (words.h) */
	unsigned swap; /* reverse the bytes of words of this size, 2, 4 or 8; 0: none */
	bool has_write_pointer;
	uint64_t write_pointer; /* where the next byte goes: an offset, or an address in the text */
	int wrapped;		/* enum capture_wrapped */
};

struct capture_options {
	const char *spool_dir;	  /* for spool files; NULL = $TMPDIR or /tmp */
	uint64_t spool_limit;	  /* bytes to keep of a stream or of unpacked data; 0 = all */
	uint64_t room;		  /* bytes reserved for growth; 0 = what the system allows */
	bool no_descriptor;	  /* close the file once mapped, as if descriptors were few */
	bool unpack;		  /* unpack a packed file; a stream is always unpacked */
	struct capture_dump dump; /* for files and streams */
	/* Called from any thread when a stream grew or ended, or a followed file changed. */
	void (*notify)(void *);
	void *notify_context;
};

/* A range of bytes in a file. */
struct capture_piece {
	uint64_t offset, length;
};

enum capture_change {
	CAPTURE_SAME,
	CAPTURE_GREW,
	CAPTURE_SHRANK,	    /* now shorter: the rest no longer exists */
	CAPTURE_REWRITTEN,  /* not shorter, but with other bytes */
	CAPTURE_REPLACED,   /* another file has its name now; it may have grown too */
	CAPTURE_GONE,	    /* the name is gone, the bytes remain; it may have grown too */
	CAPTURE_UNREADABLE, /* bytes within the size read as zeros */
	CAPTURE_BROKE,	    /* a stream could not be read, unpacked or kept to its end */
	CAPTURE_OUTGREW,    /* longer than the reservation: the rest is not mapped */
	CAPTURE_DROPPED,    /* some of the first bytes are no longer kept */
	CAPTURE_LINK,	    /* a live source broke off or was reopened; it may have grown */
	CAPTURE_CHANGES
};

enum capture_follow {
	FOLLOW_NOT,  /* the current bytes are all */
	FOLLOW_FILE, /* this file, whatever its name */
	FOLLOW_NAME  /* until another file has its name */
};

/* Open PATH, a live source, or standard input for "-".  Return NULL with a reason for a directory,
 * an unreadable file or a device.  An empty file opens with size 0. */
struct capture *capture_open(const char *path, const struct capture_options *, struct err *);
void capture_close(struct capture *); /* NULL is fine */

/* Open pieces of an open regular file, joined in the given order.  A thread makes the copy.  The
 * caller may close WHOLE afterwards.  Return NULL with a reason on error. */
struct capture *capture_open_pieces(const struct capture *whole, const struct capture_piece *pieces,
				    size_t count, const struct capture_options *, struct err *);

const char *capture_path(const struct capture *);
const uint8_t *capture_bytes(const struct capture *);
uint64_t capture_size(const struct capture *);

/* True if the bytes come from a pipe or a live source instead of a regular file. */
bool capture_is_stream(const struct capture *);

/* True if the bytes are a copy of a stream, of unpacked data, or of pieces. */
bool capture_is_spooled(const struct capture *);

/*
 * An endless stream can keep only its newest bytes (capture_options.spool_limit).  The
 * owner drops the oldest bytes, which then read as zeros.  Offsets do not change.
 * Nothing drops bytes automatically: once the limit is reached, the stream waits for the
 * owner to drop some.
 */

/* Return the most bytes to keep; 0: all. */
uint64_t capture_limit(const struct capture *);
/* Return the offset of the first kept byte.  It never decreases. */
uint64_t capture_begin(const struct capture *);
/* Return the offset up to which the owner should drop bytes, or 0 for none.  They become due an
 * eighth of the limit before it is reached. */
uint64_t capture_due(const struct capture *);
/* Drop whole pages before OFFSET.  Keep the bytes that a recording has yet to copy, and all bytes
 * during a hold. */
void capture_drop(struct capture *, uint64_t offset);
/* Begin or end a hold, during which nothing is dropped, so another thread can read on.  Holds
 * nest.  Any thread. */
void capture_hold(struct capture *, bool on);

/* Return the spool that holds the bytes, borrowed, or NULL. */
struct spool;
struct spool *capture_spool(const struct capture *);

/* How a capture is packed or dumped, and how many packed bytes were read.  Return false if it is
 * neither.  The strings belong to the capture. */
struct capture_packing {
	const char *name;     /* `zstd`; `gzip, tar`; "" if not packed */
	const char *dump;     /* `xxd`; "" if not a dump */
	const char *order;    /* `rotated at 0x400`, or NULL */
	bool is_archive;      /* one of the layers is an archive */
	uint64_t size, taken; /* packed bytes in all and read; SIZE of a stream is UINT64_MAX */
};
bool capture_packing(const struct capture *, struct capture_packing *);

/* State of a live source.  It is opened again after it breaks off. */
enum capture_link {
	LINK_NONE,    /* not a live source */
	LINK_WAITING, /* closed; another attempt follows */
	LINK_CONNECTED
};
/* Return the state.  Append the reason for waiting to WHY, unless WHY is NULL. */
enum capture_link capture_link(const struct capture *, struct text *why);

/* A point where a live source broke off and was opened again.  The bytes sent meanwhile are
 * missing, so the bytes after it may not continue those before. */
struct capture_break {
	uint64_t offset; /* of the first byte after the break */
	uint64_t ms;	 /* until the source was opened again */
};
/* Find the first break at or after OFFSET.  Return false if none follows.  All breaks before
 * capture_size() are known. */
bool capture_next_break(const struct capture *, uint64_t offset, struct capture_break *);

/* Return why a file that looks packed could not be unpacked, or NULL. */
const char *capture_unpack_error(const struct capture *);

/* True while a packed file or a dump is being converted, or pieces are being copied. */
bool capture_is_unpacking(const struct capture *);

/* Return the epoch of the bytes.  It changes whenever old bytes are lost: the file shrank, was
 * rewritten or was reopened.  Results computed from the old bytes are then void.  It starts at
 * GENERATION_FIRST. */
unsigned capture_generation(const struct capture *);

/* True if no more bytes will follow.  A file has ended unless it is followed; with FOLLOW_NAME it
 * also ends when another file has its name.  A stream ends when its writer closes it. */
bool capture_ended(const struct capture *);

/* Notify of changes to the file from now on.  Earlier changes are left to capture_refresh. */
void capture_follow(struct capture *, enum capture_follow);
enum capture_follow capture_followed(const struct capture *);

/* Notify once of the next change to a file that is not followed.  Does nothing if that would need
 * polling. */
void capture_notice(struct capture *);

/* True if the capture was opened from this file. */
bool capture_is_file(const struct capture *, const struct stat *);

/* Block until capture_refresh may find a change, or MILLISECONDS have passed (negative: no limit).
 * Return false on a timeout, or if nothing can change. */
bool capture_await(struct capture *, int milliseconds);

/* Block until the capture is longer than SIZE or ended, or MILLISECONDS have passed (negative: no
 * limit).  Adopt the new bytes and return the new size. */
uint64_t capture_wait(struct capture *, uint64_t size, int milliseconds);

/* End all waits, current and future.  Any thread. */
void capture_interrupt(struct capture *);
bool capture_interrupted(const struct capture *);

/* Check the file and adopt its new size.  Report each change of its name once. */
enum capture_change capture_refresh(struct capture *);

/* Check as capture_refresh does, but adopt nothing.  Set *MORE to the growth in bytes. */
enum capture_change capture_look(const struct capture *, uint64_t *more);

/* Return the number of bytes that were not adopted yet. */
uint64_t capture_pending(const struct capture *);

/* Reopen the name: the file that has it now replaces the old one, at the same addresses.  Return 0,
 * or negative with a reason and the capture unchanged. */
int capture_reopen(struct capture *, struct err *);

/* True if bytes vanished under the map, or could not be read, since the last capture_refresh. */
bool capture_damaged(const struct capture *);

/* Prefetch bytes that will soon be read through the map.  Other pages are read one by one when
 * touched, so a jump in a huge file reads only what it shows. */
void capture_want(const struct capture *, uint64_t offset, uint64_t length);

/* True if no byte is known to be missing.  Costs next to nothing. */
bool capture_is_whole(const struct capture *);

/* True if bytes in this range are missing and read as zeros. */
bool capture_misses(const struct capture *, uint64_t offset, uint64_t length);

/* A range of missing bytes within the capture's size.  capture_next_loss finds the first such range
 * that ends after *LOSS does.  It returns false if none is left. */
struct capture_loss {
	uint64_t offset, end;
};
bool capture_next_loss(const struct capture *, struct capture_loss *);

/* Append a sentence for each kind of loss, with advice, separated by "; ".  Append nothing if the
 * capture is whole. */
void capture_describe_loss(const struct capture *, struct text *);

/* Note as lost any bytes that the file no longer has. */
void capture_verify(const struct capture *);

/* Make the pages of these bytes unreadable, as if the system failed with ERROR.  Any thread. */
void capture_lose(const struct capture *, uint64_t offset, uint64_t length, int error);

/* Copy up to LENGTH bytes at OFFSET (pread).  Return the number copied, which can be smaller near
 * the end.  Missing bytes read as zeros. */
size_t capture_read(const struct capture *, uint64_t offset, void *buffer, size_t length);

/* Identifies a file and detects that it changed.  Without the device number: each host has its own
 * for a shared file system. */
struct capture_identity {
	uint64_t inode;
	int64_t modified; /* nanoseconds since the epoch */
};
void capture_identify(const struct capture *, struct capture_identity *);

/* Return the end of the hole that contains OFFSET, or OFFSET if none does. */
uint64_t capture_hole_end(const struct capture *, uint64_t offset);

#endif
