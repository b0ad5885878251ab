/*
 * A capture: the bytes of one file or stream, memory-mapped.
 *
 * The map is one reservation larger than the file, so a growing file needs no
 * new pointers: capture_bytes() never changes.  Only the first capture_size()
 * bytes of it may be read.  If a file shrinks under the map, or cannot be read,
 * a SIGBUS handler puts a zero page under the fault and capture_damaged() says
 * so; nothing crashes.  Which bytes are such zeros is kept: capture_misses().
 * Streams (pipes, FIFOs, `-`) are spooled by a thread to an unlinked file that
 * is mapped the same way; so is what a compressed file, or an archive with one file in
 * it, unpacks to.  So are live sources: `tcp:HOST:PORT`, `serial:DEVICE@BAUD`.
 *
 * Where address space or descriptors are few the reservation is smaller, and
 * files are not kept open beside their maps.
 *
 * Threads: what changes a capture (refresh, wait, follow, notice, reopen) by
 * one thread at a time; everything else by any.
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

/* Whether bytes behind the write pointer are older ones. */
enum capture_wrapped {
	CAPTURE_WRAPPED_AUTO, /* unless all of them are of one word */
	CAPTURE_WRAPPED,
	CAPTURE_NOT_WRAPPED
};

/* How memory that trace was written to became the file. */
struct capture_dump {
	bool words;    /* lines of text that tools print become bytes (words.h) */
	unsigned swap; /* bytes of words that are turned round: 2, 4, 8; 0: none are */
	bool has_write_pointer;
	uint64_t write_pointer; /* offset, or address of the text's, of the next byte */
	int wrapped;		/* enum capture_wrapped */
};

struct capture_options {
	const char *spool_dir;	  /* for streams; NULL = $TMPDIR or /tmp */
	uint64_t spool_limit;	  /* bytes kept of a stream or of what is unpacked; 0 = all */
	uint64_t room;		  /* bytes reserved for growth; 0 = what the system allows */
	bool no_descriptor;	  /* the file is not kept open, as if descriptors were few */
	bool unpack;		  /* a file that is packed is unpacked; a stream always is */
	struct capture_dump dump; /* of files and streams */
	/* A stream grew or ended, a followed file changed; from any thread. */
	void (*notify)(void *);
	void *notify_context;
};

/* Bytes of a file. */
struct capture_piece {
	uint64_t offset, length;
};

enum capture_change {
	CAPTURE_SAME,
	CAPTURE_GREW,
	CAPTURE_SHRANK,	    /* now shorter: the rest is no longer there */
	CAPTURE_REWRITTEN,  /* as long or longer, but with other bytes */
	CAPTURE_REPLACED,   /* another file has its name now; it may have grown too */
	CAPTURE_GONE,	    /* its name is gone, the bytes are still there; as above */
	CAPTURE_UNREADABLE, /* bytes that should be there read as zeros */
	CAPTURE_BROKE,	    /* a stream that could not be read, unpacked or kept to its end */
	CAPTURE_OUTGREW,    /* it grew beyond its reservation: the rest is not there */
	CAPTURE_DROPPED,    /* of its first bytes some are not kept any more */
	CAPTURE_LINK,	    /* a live source broke off or was opened again; it may have grown */
	CAPTURE_CHANGES
};

enum capture_follow {
	FOLLOW_NOT,  /* what is there is all */
	FOLLOW_FILE, /* this very file, whatever its name */
	FOLLOW_NAME  /* until another file has its name */
};

/* Opens PATH, a live source, or standard input for "-".  NULL with a reason for a directory,
 * an unreadable file, a device.  An empty file opens, with size 0. */
struct capture *capture_open(const char *path, const struct capture_options *, struct err *);
void capture_close(struct capture *); /* NULL is fine */

/* Opens pieces of a regular file that is open, one behind the other: a copy, made by a
 * thread.  WHOLE may be closed then.  NULL with a reason. */
struct capture *capture_open_pieces(const struct capture *whole, const struct capture_piece *pieces,
				    size_t count, const struct capture_options *, struct err *);

const char *capture_path(const struct capture *);
const uint8_t *capture_bytes(const struct capture *);
uint64_t capture_size(const struct capture *);

/* Whether there is no file of its bytes, but a pipe or a live source. */
bool capture_is_stream(const struct capture *);

/* Whether its bytes are a copy: of a stream, of what was packed, or of pieces. */
bool capture_is_spooled(const struct capture *);

/*
 * Of an endless stream the newest bytes can be kept (capture_options.spool_limit): the
 * oldest are dropped, and read as zeros from then on.  Offsets stay what they are.  Nothing
 * goes by itself: where the limit leaves no room the stream waits until its owner has
 * dropped what is due.
 */

/* How many bytes are kept at most; 0: all are. */
uint64_t capture_limit(const struct capture *);
/* The first byte that is kept; never less than before. */
uint64_t capture_begin(const struct capture *);
/* Up to where bytes are to be dropped, an eighth of the limit before it is reached; 0: none
 * are. */
uint64_t capture_due(const struct capture *);
/* Gives the bytes before OFFSET back, those of whole pages; not those that a recording has
 * yet to copy, or that a hold keeps. */
void capture_drop(struct capture *, uint64_t offset);
/* While ON, which is counted, nothing is dropped: for who reads on in another thread.  Any
 * thread. */
void capture_hold(struct capture *, bool on);

/* What copies them, borrowed; or NULL. */
struct spool;
struct spool *capture_spool(const struct capture *);

/* How it is packed or dumped, and how much of that was read; false if it is neither. */
struct capture_packing {
	const char *name;     /* `zstd`; `gzip, tar`; "": it is not; the capture's, */
	const char *dump;     /* as this: `xxd`; or "" */
	const char *order;    /* `rotated at 0x400`, or NULL; as this */
	bool is_archive;      /* it has a file in it */
	uint64_t size, taken; /* packed bytes; UINT64_MAX: of a stream */
};
bool capture_packing(const struct capture *, struct capture_packing *);

/* A live source is opened again when it breaks off. */
enum capture_link {
	LINK_NONE,    /* it is no live source */
	LINK_WAITING, /* it will be tried to be opened again */
	LINK_CONNECTED
};
/* Appends why it waits to WHY (NULL: not asked for). */
enum capture_link capture_link(const struct capture *, struct text *why);

/* Where a live source broke off and, opened again, went on: what was sent meanwhile is
 * missing, and the bytes behind need not go on with those before. */
struct capture_break {
	uint64_t offset; /* of the first byte behind */
	uint64_t ms;	 /* until it was opened again */
};
/* The first one at or behind OFFSET; false if there is none.  All before capture_size()
 * are known. */
bool capture_next_break(const struct capture *, uint64_t offset, struct capture_break *);

/* Why a file that begins as if it were packed is not unpacked; NULL if there is no such
 * reason. */
const char *capture_unpack_error(const struct capture *);

/* Whether its end is known but not yet reached: a packed file that is being unpacked, or
 * pieces that are being copied. */
bool capture_is_unpacking(const struct capture *);

/* Another whenever what was there is there no more (it shrank, was written anew or
 * opened again): whatever is known of its bytes is void then.  GENERATION_FIRST as
 * long as that never was. */
unsigned capture_generation(const struct capture *);

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

/* Return true if the capture was opened from this file. */
bool capture_is_file(const struct capture *, const struct stat *);

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

/* By how many bytes it is longer than what was adopted. */
uint64_t capture_pending(const struct capture *);

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

/* Whether nothing is known to be missing; costs next to nothing. */
bool capture_is_whole(const struct capture *);

/* Whether some of these bytes are missing: they read as zeros. */
bool capture_misses(const struct capture *, uint64_t offset, uint64_t length);

/* Bytes that are missing, within the capture's size.  Moves *LOSS on to the first
 * range that ends behind its end; false if there is none. */
struct capture_loss {
	uint64_t offset, end;
};
bool capture_next_loss(const struct capture *, struct capture_loss *);

/* Appends a sentence for each thing that is missing, and what to do, with "; "
 * between; nothing if the capture is whole. */
void capture_describe_loss(const struct capture *, struct text *);

/* Compares the file's size with what is known of it: notes what was cut off. */
void capture_verify(const struct capture *);

/* Makes the pages of these bytes unreadable, as if the system refused them with
 * ERROR; from any thread. */
void capture_lose(const struct capture *, uint64_t offset, uint64_t length, int error);

/* Copies up to LENGTH bytes at OFFSET (pread); returns how many, possibly
 * fewer near the end.  Bytes that are missing read as zero. */
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
