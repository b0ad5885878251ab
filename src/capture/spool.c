/*
 * Spooling to an unlinked file: see spool.h.
 *
 * The copying thread publishes the size after writing the bytes, so readers may read up
 * to it.  It notifies its owner of growth at once, then at most every QUIET_MS or
 * QUIET_LIVE_MS, and at the end.  It sleeps in poll(), on the stream and the stop event
 * of the job.  If it cannot continue, the bytes already there stay, and the reason is
 * kept.
 *
 * The first bytes of a stream show whether it is packed.  They are held until it is clear
 * that they can be unpacked.  If not, they belong to the capture as they are.
 *
 * With a limit on the kept bytes, the owner punches the oldest ones out of the file.
 * Only the owner can decide that no reader needs them.  At the limit the copying thread
 * waits for that.  Punched bytes read as zeros, also through the map.
 *
 * A live source that breaks off is reopened, after pauses that grow until bytes arrive.
 * The new bytes follow the old ones.  The break between them is noted before the first
 * new byte is published.
 */
#include "config.h"

#include "capture/spool.h"
#include "base/file.h"
#include "base/lower_bound.h"
#include "base/thread.h"
#include "base/vec.h"
#include "base/job.h"
#include "capture/dump.h"
#include "capture/foreign.h"
#include "capture/live.h"
#include "capture/loss.h"
#include "capture/unpack.h"
#include "capture/words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK = 256 * 1024,
	QUIET_MS = 100,
	QUIET_LIVE_MS = 30,
	PAUSE_LEAST_MS = 100, /* first pause before a live source is reopened */
	PAUSE_MOST_MS = 5000, /* longest pause; each is twice the last one */
	FIRST = 64 * 1024,    /* bytes converted before the thread starts */
	HEAD = 512,	      /* bytes that show whether a file is packed */
	HEAD_LEAST = 10,      /* bytes that usually suffice for a stream */
	DROP_SHARE = 8,	      /* share of the kept bytes to drop at once */
	PUNCHED = 4096,	      /* unit of dropping, in bytes */
	HELD_MOST = 16 << 20  /* most bytes held until they are known to be packed */
};

struct spool {
	int stream, file;
	char *name;
	_Atomic(struct unpack *) unpack; /* NULL: not packed */
	_Atomic(struct dump *) dump;	 /* converts `unpack` or the stream; or NULL */
	struct capture_dump how;	 /* requested conversion of a stream */
	struct losses *losses;		 /* for missing bytes of a dump, borrowed */
	_Atomic uint64_t taken;		 /* packed bytes read */
	uint64_t stream_size;		 /* UINT64_MAX: unknown */
	struct err unpacked;		 /* why unpacking failed; valid after the end */
	VEC(char) held;			 /* first bytes of a stream */
	struct capture_piece *pieces;	 /* ranges of a file to copy; NULL: copy all */
	size_t piece_count, piece;	 /* their number; index of the next one */
	uint64_t piece_done;		 /* bytes already copied there */
	bool holding;
	bool more;	/* converted bytes may follow */
	int64_t said;	/* time of the last growth notification, or earlier */
	bool unsaid;	/* growth since then */
	int quiet_ms;	/* between two growth notifications */
	struct job job; /* guards `breaks` and `reason`; signals each new size */
	_Atomic uint64_t size;
	uint64_t limit;			/* most bytes that can be mapped */
	uint64_t keeps;			/* most bytes kept; 0: all */
	_Atomic uint64_t begin, needed; /* first kept byte; first that must stay */
	atomic_uint holds;
	bool copying; /* the thread is copying and may wait for room */
	atomic_bool ended, interrupted;
	char *folder;
	int error;    /* errno; valid after the end */
	bool reading; /* reading failed; valid after the end */

	/* live sources only */
	struct live *live;
	_Atomic enum capture_link link;
	struct err reason;    /* for LINK_WAITING */
	int64_t away_since;   /* time of the break; 0 once bytes arrive */
	uint64_t away_ms;     /* length of the break */
	atomic_size_t broken; /* number of breaks */
	VEC(struct capture_break) breaks;

	void (*notify)(void *);
	void *notify_context;
};

void
spool_wake(struct spool *spool)
{
	job_lock(&spool->job);
	job_changed(&spool->job);
	job_unlock(&spool->job);
}

/* Write as many bytes as possible at AT and return their number.  Set spool->error if some
 * remain. */
static size_t
write_most(struct spool *spool, uint64_t at, const char *data, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t n = pwrite(spool->file, data + done, length - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			spool->error = n ? errno : ENOSPC;
			break;
		}
		done += (size_t)n;
	}
	return done;
}

/* --- keeping and dropping ------------------------------------------------- */

/* Free blocks of a file.  Return false with errno on error. */
static bool
punch_out(int file, uint64_t offset, uint64_t length)
{
	int failed;
	do
		failed = fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
				   (off_t)length);
	while (failed && errno == EINTR);
	return !failed;
}

/* Ignore the limit for pieces and dumps, which are kept whole.  Otherwise check that the file
 * system can drop bytes.  Return 0 or ERR_IO. */
static int
check_limit(struct spool *spool, struct err *err)
{
	const struct dump *dump = spool->dump;
	if (spool->pieces || (dump && (*dump_name(dump) || dump_order(dump))))
		spool->keeps = 0;
	if (!spool->keeps || punch_out(spool->file, 0, PUNCHED))
		return 0;
	return err_set(err, ERR_IO,
		       "a limit cannot be kept in %s: %s; --spool=DIR names another folder",
		       spool->folder, strerror(errno));
}

uint64_t
spool_limit(const struct spool *spool)
{
	return spool->keeps;
}

uint64_t
spool_begin(const struct spool *spool)
{
	return atomic_load_explicit(&spool->begin, memory_order_acquire);
}

uint64_t
spool_due(const struct spool *spool)
{
	uint64_t size = spool_size(spool), step = spool->keeps / DROP_SHARE;
	bool full = spool->keeps && size - spool_begin(spool) >= spool->keeps - step;
	return full && !atomic_load(&spool->holds) ? size - (spool->keeps - 2 * step) : 0;
}

void
spool_drop(struct spool *spool, uint64_t offset)
{
	uint64_t begin = spool_begin(spool), needed = atomic_load(&spool->needed);
	offset = offset < needed ? offset : needed;
	offset -= offset % PUNCHED;
	if (offset <= begin || atomic_load(&spool->holds))
		return;
	/* published before punching: a reader of zeros finds that they are dropped */
	atomic_store(&spool->begin, offset);
	punch_out(spool->file, begin, offset - begin);
	spool_wake(spool);
}

void
spool_hold(struct spool *spool, bool on)
{
	atomic_fetch_add(&spool->holds, on ? 1u : -1u);
}

void
spool_keep_from(struct spool *spool, uint64_t offset)
{
	atomic_store(&spool->needed, offset);
}

/* Return the number of bytes that can still be kept. */
static uint64_t
room_left(const struct spool *spool)
{
	uint64_t size = spool_size(spool), kept = size - spool_begin(spool);
	uint64_t room = spool->limit > size ? spool->limit - size : 0;
	uint64_t most = spool->keeps > kept ? spool->keeps - kept : 0;
	return spool->copying && spool->keeps && most < room ? most : room;
}

/* Notify the owner and wait until it drops old bytes.  Return false if the job must stop. */
static bool
wait_for_room(struct spool *spool)
{
	struct timespec until;
	spool->notify(spool->notify_context);
	job_lock(&spool->job);
	while (!room_left(spool) && !job_is_stopping(&spool->job)) {
		thread_deadline(&until, QUIET_MS);
		job_await(&spool->job, &until);
	}
	job_unlock(&spool->job);
	return !job_is_stopping(&spool->job);
}

/* Write bytes, waiting for room.  Return false if some could not be kept. */
static bool
write_all(struct spool *spool, const char *data, size_t length)
{
	while (length && !spool->error) {
		uint64_t at = spool_size(spool), room = room_left(spool);
		if (!room && spool->copying && at < spool->limit) {
			if (!wait_for_room(spool))
				return false;
			continue;
		}
		size_t done = write_most(spool, at, data, length < room ? length : (size_t)room);
		if (!room)
			spool->error = ENOMEM;
		atomic_store_explicit(&spool->size, at + done, memory_order_release);
		spool_wake(spool);
		data += done;
		length -= done;
	}
	return !length;
}

/* Return the milliseconds until growth may be notified, or -1 without growth. */
static int
until_report(const struct spool *spool)
{
	int64_t left = spool->said + spool->quiet_ms - thread_now_ms();
	if (!spool->unsaid)
		return -1;
	return left > 0 ? (int)left : 0;
}

/* Notify of growth, but not too soon after the last time. */
static void
report_growth(struct spool *spool)
{
	if (until_report(spool))
		return;
	spool->unsaid = false;
	spool->said = thread_now_ms();
	spool->notify(spool->notify_context);
}

/* --- streams ------------------------------------------------------------- */

enum waiting { READY, NOTHING, STOPPED };

/* Wait until the stream is readable, or MILLISECONDS have passed.  The job rests while it waits for
 * a live source without a limit. */
static enum waiting
wait_for_stream(struct spool *spool, int milliseconds)
{
	struct pollfd wait[] = {{.fd = spool->stream, .events = POLLIN},
				{.fd = job_stop_event(&spool->job), .events = POLLIN}};
	bool rests = spool->live && milliseconds < 0;
	int ready = rests ? job_poll(wait, 2, -1) : poll(wait, 2, milliseconds);
	if (ready < 0 && errno == EINTR)
		return NOTHING;
	return ready < 0 || wait[1].revents ? STOPPED : ready ? READY : NOTHING;
}

/* Read once.  Return 0 at the end, or if reading fails.  Set *AGAIN if a retry may succeed. */
static size_t
read_some(struct spool *spool, char *buffer, bool *again)
{
	ssize_t n = read(spool->stream, buffer, CHUNK);
	*again = n < 0 && (errno == EINTR || errno == EAGAIN);
	if (n < 0 && !*again) {
		spool->error = errno;
		spool->reading = true;
	}
	return n < 0 ? 0 : (size_t)n;
}

/* If the source broke off, note the break before the bytes that arrive now. */
static void
note_break(struct spool *spool)
{
	uint64_t size = spool_size(spool);
	if (!spool->away_since)
		return;
	spool->away_since = 0;
	if (!size)
		return;
	job_lock(&spool->job);
	*vec_add(&spool->breaks) = (struct capture_break){.offset = size, .ms = spool->away_ms};
	atomic_store_explicit(&spool->broken, spool->breaks.count, memory_order_release);
	job_unlock(&spool->job);
}

/* Copy until the stream ends, no more can be kept, or the job must stop. */
static void
copy_stream(struct spool *spool)
{
	char *buffer = mem_resize(NULL, CHUNK);
	enum waiting waiting;
	while ((waiting = wait_for_stream(spool, until_report(spool))) != STOPPED) {
		bool again = true;
		size_t n = waiting == READY ? read_some(spool, buffer, &again) : 0;
		if (n)
			note_break(spool);
		if (!again && (!n || !write_all(spool, buffer, n)))
			break;
		spool->unsaid |= n > 0;
		report_growth(spool);
	}
	free(buffer);
}

/* --- live sources -------------------------------------------------------- */

static void
set_link(struct spool *spool, enum capture_link link, const struct err *reason)
{
	job_lock(&spool->job);
	if (reason)
		spool->reason = *reason;
	bool changed = atomic_exchange(&spool->link, link) != link;
	job_unlock(&spool->job);
	if (!changed) /* another failed attempt is no news */
		return;
	spool_wake(spool);
	spool->notify(spool->notify_context);
}

/* Open the source.  Return false with the reason on failure. */
static bool
open_live(struct spool *spool, struct err *err)
{
	spool->stream = live_connect(spool->live, job_stop_event(&spool->job), err);
	if (spool->stream < 0)
		return false;
	if (spool->away_since)
		spool->away_ms = (uint64_t)(thread_now_ms() - spool->away_since);
	set_link(spool, LINK_CONNECTED, NULL);
	return true;
}

/* Close a source that broke off, and note why. */
static void
close_live(struct spool *spool)
{
	struct err reason = {0};
	err_set(&reason, ERR_IO, "%s",
		spool->reading ? strerror(spool->error) : "the other side closed the connection");
	spool->error = 0;
	spool->reading = false;
	live_disconnect(spool->live, spool->stream);
	spool->stream = -1;
	if (!spool->away_since)
		spool->away_since = thread_now_ms();
	set_link(spool, LINK_WAITING, &reason);
}

/* Sleep.  Return false if the job must stop. */
static bool
pause_live(struct spool *spool, int milliseconds)
{
	struct pollfd stop = {.fd = job_stop_event(&spool->job), .events = POLLIN};
	int64_t end = thread_now_ms() + milliseconds, left;
	while ((left = end - thread_now_ms()) > 0)
		if (job_poll(&stop, 1, (int)left) > 0)
			return false;
	return true;
}

/* Copy from a source and reopen it after each break. */
static void
copy_live(struct spool *spool)
{
	int pause = PAUSE_LEAST_MS;
	for (;;) {
		struct err err = {0};
		uint64_t before = spool_size(spool);
		if (spool->stream >= 0 || open_live(spool, &err)) {
			copy_stream(spool);
			if (job_is_stopping(&spool->job) || (spool->error && !spool->reading))
				return;
			close_live(spool);
		} else if (err.code == ERR_CANCELLED) {
			return;
		} else {
			set_link(spool, LINK_WAITING, &err);
		}
		if (spool_size(spool) > before)
			pause = PAUSE_LEAST_MS;
		if (!pause_live(spool, pause))
			return;
		pause = 2 * pause < PAUSE_MOST_MS ? 2 * pause : PAUSE_MOST_MS;
	}
}

/* --- packed and dumped data ------------------------------------------------ */

/* Read from a regular file. */
static ssize_t
read_packed_file(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct spool *spool = context;
	ssize_t n;
	if (job_is_stopping(&spool->job))
		return -1;
	do
		n = pread(spool->stream, buffer, length, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		atomic_store_explicit(&spool->taken, offset + (uint64_t)n, memory_order_relaxed);
	return n;
}

/* Read from a stream, held bytes first.  While HOLDING, add the new bytes to the held ones. */
static ssize_t
read_packed_stream(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct spool *spool = context;
	if (offset < spool->held.count) {
		size_t left = spool->held.count - (size_t)offset;
		length = left < length ? left : length;
		memcpy(buffer, spool->held.at + offset, length);
		return (ssize_t)length;
	}
	ssize_t n;
	do {
		enum waiting waiting = wait_for_stream(spool, until_report(spool));
		if (waiting == STOPPED)
			return -1;
		n = waiting == READY ? read(spool->stream, buffer, length) : -1;
		report_growth(spool);
		if (n < 0 && waiting == READY && errno != EINTR && errno != EAGAIN)
			return -1;
	} while (n < 0);
	if (spool->holding && spool->held.count + (size_t)n > HELD_MOST)
		return -1;
	if (spool->holding && n) {
		vec_reserve(&spool->held, n);
		memcpy(spool->held.at + spool->held.count, buffer, (size_t)n);
		spool->held.count += (size_t)n;
	}
	atomic_store_explicit(&spool->taken, offset + (uint64_t)n, memory_order_relaxed);
	return n;
}

static struct unpack_source
source_of(struct spool *spool)
{
	bool file = spool->stream_size != UINT64_MAX;
	return (struct unpack_source){.read = file ? read_packed_file : read_packed_stream,
				      .context = spool,
				      .size = spool->stream_size,
				      .name = spool->name};
}

/* True if the spool converts its source or selects pieces of it. */
static bool
is_converted(const struct spool *spool)
{
	return spool->pieces || atomic_load(&spool->dump) || atomic_load(&spool->unpack);
}

/* Skip missing bytes of a dump, which read as zeros, and note the loss. */
static bool
skip_all(struct spool *spool, size_t length)
{
	uint64_t at = atomic_load_explicit(&spool->size, memory_order_relaxed);
	if (length > spool->limit - at || ftruncate(spool->file, (off_t)(at + length))) {
		spool->error = length > spool->limit - at ? ENOMEM : errno;
		return false;
	}
	losses_add(spool->losses,
		   (struct loss){.offset = at, .end = at + length, .error = LOSS_NO_LINE});
	atomic_store_explicit(&spool->size, at + length, memory_order_release);
	spool_wake(spool);
	return true;
}

/* Convert the next bytes.  Return false at the end or on failure. */
static bool
copy_piece(struct spool *spool)
{
	const void *bytes;
	struct err *err = &spool->unpacked;
	struct dump *dump = atomic_load(&spool->dump);
	ssize_t n = dump ? dump_read(dump, &bytes, err)
			 : unpack_read(atomic_load(&spool->unpack), &bytes, err);
	if (n < 0)
		spool->error = EBADMSG;
	return n > 0 && (bytes ? write_all(spool, bytes, (size_t)n) : skip_all(spool, (size_t)n));
}

/* Copy the next bytes of the pieces.  Return false at the end or on failure. */
static bool
copy_some(struct spool *spool)
{
	const struct capture_piece *piece = &spool->pieces[spool->piece];
	if (spool->piece == spool->piece_count)
		return false;
	uint64_t left = piece->length - spool->piece_done;
	size_t want = left < CHUNK ? (size_t)left : CHUNK;
	char *buffer = mem_resize(NULL, CHUNK);
	ssize_t n;
	do
		n = pread(spool->stream, buffer, want, (off_t)(piece->offset + spool->piece_done));
	while (n < 0 && errno == EINTR);
	bool more = n > 0 && write_all(spool, buffer, (size_t)n);
	free(buffer);
	if (n <= 0) {
		spool->error = n ? errno : ENODATA;
		spool->reading = true;
		return false;
	}
	spool->piece_done += (uint64_t)n;
	if (spool->piece_done == piece->length) {
		spool->piece++;
		spool->piece_done = 0;
	}
	return more;
}

/* Copy or convert the next bytes.  Return false at the end or on failure. */
static bool
copy_more(struct spool *spool)
{
	return spool->pieces ? copy_some(spool) : copy_piece(spool);
}

static void
copy_converted(struct spool *spool)
{
	while (spool->more && !job_is_stopping(&spool->job)) {
		spool->more = copy_more(spool);
		spool->unsaid = true;
		report_growth(spool);
	}
}

static bool
is_packed(const uint8_t *head, size_t length)
{
	const struct foreign *foreign = foreign_find(head, length);
	return foreign && foreign->pack;
}

/* True if the first bytes of a stream show that it is packed.  After the first ones, wait only
 * briefly for more. */
static bool
looks_packed(struct spool *spool)
{
	char *buffer = mem_resize(NULL, CHUNK);
	ssize_t n = 1;
	while (spool->held.count < HEAD_LEAST && n > 0 &&
	       wait_for_stream(spool, spool->held.count ? QUIET_MS : -1) == READY)
		n = read_packed_stream(spool, spool->held.count, buffer, CHUNK);
	free(buffer);
	return is_packed((const uint8_t *)spool->held.at, spool->held.count);
}

static bool
is_ordered(const struct capture_dump *how)
{
	return how->swap || how->has_write_pointer;
}

/* Hold the bytes that arrive without a pause, while they may be lines of dumped memory.  Stop once
 * they suffice to find the form.  Return false if they are no such lines. */
static bool
looks_dumped(struct spool *spool, bool *ended)
{
	char *buffer = mem_resize(NULL, CHUNK);
	bool fits = spool->how.words;
	ssize_t n = 1;
	while (fits) {
		size_t count = spool->held.count;
		fits = words_may_be((const uint8_t *)spool->held.at,
				    (ssize_t)(count < HEAD ? count : HEAD));
		if (!fits || n <= 0 || count >= WORDS_HEAD ||
		    wait_for_stream(spool, QUIET_MS) != READY)
			break;
		n = read_packed_stream(spool, count, buffer, CHUNK);
	}
	*ended = n <= 0;
	free(buffer);
	return fits;
}

/* Open the packed data of a stream.  Return NULL if it is not packed, or with ERR_USAGE. */
static struct unpack *
open_packed(struct spool *spool, struct err *err)
{
	struct unpack_source source = source_of(spool);
	if (!looks_packed(spool))
		return NULL;
	struct unpack *unpack = unpack_open(&source, err);
	if (!unpack && err->code != ERR_USAGE)
		*err = (struct err){0};
	return unpack;
}

/* Open the dump in a stream or in its unpacked bytes.  Return NULL if it is none, or with a
 * reason. */
static struct dump *
open_dumped(struct spool *spool, struct unpack *unpack, struct err *err)
{
	struct unpack_source source = source_of(spool);
	struct capture_dump how = spool->how;
	bool ended = false;
	if (!unpack) {
		how.words = looks_dumped(spool, &ended);
		source.head = ended ? 0 : spool->held.count;
		spool->holding = false;
	}
	if (how.words || is_ordered(&how))
		return dump_open(&source, unpack, &how, spool->folder, err);
	return NULL;
}

/* Open a packed or dumped stream.  Return false if it is neither, or on failure.  Bytes read from a
 * plain stream are kept. */
static bool
open_stream(struct spool *spool)
{
	struct err err = {0};
	spool->holding = true;
	struct unpack *unpack = open_packed(spool, &err);
	struct dump *dump = err.code ? NULL : open_dumped(spool, unpack, &err);
	spool->holding = false;
	atomic_store(&spool->unpack, unpack);
	atomic_store(&spool->dump, dump);
	if (err.code) {
		spool->unpacked = err;
		spool->error = EBADMSG;
	} else if (!unpack && !dump && spool->held.count) {
		write_all(spool, spool->held.at, spool->held.count);
		spool->unsaid = true;
		report_growth(spool);
	}
	if (!dump)
		vec_free(&spool->held);
	return !err.code && (unpack || dump);
}

/* --- the thread ---------------------------------------------------------- */

static void
spool_copy(void *context)
{
	struct spool *spool = context;
	spool->copying = true;
	spool->said = thread_now_ms() - QUIET_MS;
	if (spool->live)
		copy_live(spool);
	else if (is_converted(spool) || open_stream(spool))
		copy_converted(spool);
	else if (!spool->error)
		copy_stream(spool);
	atomic_store_explicit(&spool->ended, true, memory_order_release);
	spool_wake(spool);
	spool->notify(spool->notify_context);
}

static const char *
folder_for(const struct capture_options *options)
{
	const char *folder = options ? options->spool_dir : NULL;
	if (!folder)
		folder = getenv("TMPDIR");
	return folder && *folder ? folder : "/tmp";
}

static void
say_nothing(void *context)
{
	(void)context;
}

static void
spool_free(struct spool *spool)
{
	job_free(&spool->job);
	dump_close(spool->dump);
	unpack_close(atomic_load(&spool->unpack));
	if (spool->stream >= 0 && spool->live)
		live_disconnect(spool->live, spool->stream);
	else if (spool->stream >= 0)
		close(spool->stream);
	close(spool->file);
	live_free(spool->live);
	vec_free(&spool->breaks);
	vec_free(&spool->held);
	free(spool->name);
	free(spool->pieces);
	free(spool->folder);
	free(spool);
}

struct spool *
spool_open(int stream, const char *name, const struct capture_options *options,
	   struct losses *losses, struct err *err)
{
	const char *folder = folder_for(options);
	int file = file_unnamed(folder);
	if (file < 0) {
		err_set(err, ERR_IO,
			"cannot keep the stream in %s: %s; --spool=DIR names another folder",
			folder, strerror(errno));
		if (stream >= 0)
			close(stream);
		return NULL;
	}
	struct spool *spool = mem_new(sizeof *spool);
	spool->quiet_ms = QUIET_MS;
	spool->stream = stream;
	spool->losses = losses;
	spool->stream_size = UINT64_MAX;
	if (options)
		spool->how = options->dump;
	spool->name = mem_text(name);
	spool->file = file;
	atomic_store(&spool->needed, UINT64_MAX);
	spool->keeps = options ? options->spool_limit : 0;
	job_init(&spool->job, spool_copy, spool);
	spool->folder = mem_text(folder);
	spool->notify = options && options->notify ? options->notify : say_nothing;
	spool->notify_context = options ? options->notify_context : NULL;
	if (job_stop_event(&spool->job) >= 0)
		return spool;
	err_set(err, ERR_IO, "cannot read the stream: %s", strerror(errno));
	spool_free(spool);
	return NULL;
}

/* Open the packed data in the file, and the dump in that or in the file.  Return ERR_UNSUPPORTED if
 * a short look finds neither. */
static int
open_converted(struct spool *spool, bool packed, const struct capture_options *options,
	       struct err *err)
{
	const struct capture_dump *how = &options->dump;
	struct unpack_source source = source_of(spool);
	struct unpack *unpack = packed ? unpack_open(&source, err) : NULL;
	atomic_store(&spool->unpack, unpack);
	if (packed && !unpack)
		return err->code;
	if (how->words || is_ordered(how))
		spool->dump = dump_open(&source, unpack, how, spool->folder, err);
	if (err->code || is_converted(spool))
		return err->code;
	return err_set(err, ERR_UNSUPPORTED, "%s is not compressed", spool->name);
}

/* Open a spool with a duplicate of the descriptor FILE. */
static struct spool *
open_copy(int file, const char *name, const struct capture_options *options, struct losses *losses,
	  struct err *err)
{
	int own = fcntl(file, F_DUPFD_CLOEXEC, 3);
	if (own >= 0)
		return spool_open(own, name, options, losses, err);
	err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
	return NULL;
}

struct spool *
spool_open_file(int file, const char *name, const struct capture_options *options,
		struct losses *losses, struct err *err)
{
	struct stat st;
	uint8_t head[HEAD];
	ssize_t length = pread(file, head, sizeof head, 0);
	bool packed = options->unpack && length > 0 && is_packed(head, (size_t)length);
	const struct capture_dump *how = &options->dump;
	if (!packed && !is_ordered(how) && !(how->words && words_may_be(head, length))) {
		err_set(err, ERR_UNSUPPORTED, "%s is not compressed", name);
		return NULL;
	}
	struct spool *spool = open_copy(file, name, options, losses, err);
	if (!spool)
		return NULL;
	spool->stream_size = fstat(file, &st) ? 0 : (uint64_t)st.st_size;
	if (!open_converted(spool, packed, options, err))
		return spool;
	spool_free(spool);
	return NULL;
}

struct spool *
spool_open_live(const char *name, const struct capture_options *options, struct err *err)
{
	struct live *live = live_new(name, err);
	struct spool *spool = live ? spool_open(-1, name, options, NULL, err) : NULL;
	if (!spool) {
		live_free(live);
		return NULL;
	}
	spool->live = live;
	spool->quiet_ms = QUIET_LIVE_MS;
	return spool;
}

/* Open a live source for the first time.  Return an error only if it can never be opened. */
static int
start_live(struct spool *spool, struct err *err)
{
	struct err reason = {0};
	if (open_live(spool, &reason))
		return 0;
	if (reason.code == ERR_USAGE)
		return err_set(err, ERR_USAGE, "%s: %s", spool->name, reason.what);
	set_link(spool, LINK_WAITING, &reason);
	return 0;
}

struct spool *
spool_open_pieces(int file, const char *name, const struct capture_piece *pieces, size_t count,
		  const struct capture_options *options, struct err *err)
{
	struct spool *spool = open_copy(file, name, options, NULL, err);
	if (!spool)
		return NULL;
	spool->pieces = mem_new((count + 1) * sizeof *pieces);
	spool->piece_count = count;
	if (count)
		memcpy(spool->pieces, pieces, count * sizeof *pieces);
	return spool;
}

int
spool_start(struct spool *spool, uint64_t limit, struct err *err)
{
	spool->limit = limit;
	spool->more = true;
	if (check_limit(spool, err) < 0 || (spool->live && start_live(spool, err) < 0))
		return err->code;
	/* the first screen needs no thread for its bytes */
	while (is_converted(spool) && spool->more && spool_size(spool) < FIRST)
		spool->more = copy_more(spool);
	return job_start_once(&spool->job)
		   ? 0
		   : err_set(err, ERR_IO,
			     "cannot read the stream: no thread can be started (ulimit -u)");
}

void
spool_stop(struct spool *spool)
{
	if (spool)
		spool_free(spool);
}

int
spool_file(const struct spool *spool)
{
	return spool->file;
}

uint64_t
spool_size(const struct spool *spool)
{
	return atomic_load_explicit(&spool->size, memory_order_acquire);
}

bool
spool_wait(struct spool *spool, uint64_t size, enum capture_link link, int milliseconds)
{
	struct timespec until;
	bool late = false;
	thread_deadline(&until, milliseconds);
	job_lock(&spool->job);
	while (spool_size(spool) <= size && !spool_ended(spool) &&
	       atomic_load(&spool->link) == link && !atomic_load(&spool->interrupted) && !late)
		late = !job_await(&spool->job, milliseconds < 0 ? NULL : &until);
	job_unlock(&spool->job);
	return !late;
}

void
spool_wait_stop(struct spool *spool, uint64_t size, const atomic_bool *stop)
{
	if (spool->live)
		job_begin_rest();
	job_lock(&spool->job);
	while (spool_size(spool) <= size && !spool_ended(spool) && !atomic_load(stop))
		job_await(&spool->job, NULL);
	job_unlock(&spool->job);
	if (spool->live)
		job_end_rest();
}

void
spool_interrupt(struct spool *spool)
{
	atomic_store(&spool->interrupted, true);
	spool_wake(spool);
}

bool
spool_ended(const struct spool *spool)
{
	return atomic_load_explicit(&spool->ended, memory_order_acquire);
}

bool
spool_packing(const struct spool *spool, struct capture_packing *packing)
{
	const struct unpack *unpack = atomic_load(&spool->unpack);
	if (!is_converted(spool) || spool->pieces)
		return false;
	packing->name = unpack ? unpack_name(unpack) : "";
	const struct dump *dump = atomic_load(&spool->dump);
	packing->dump = dump ? dump_name(dump) : "";
	packing->order = dump ? dump_order(dump) : NULL;
	packing->is_archive = unpack && unpack_is_archive(unpack);
	packing->size = spool->stream_size;
	packing->taken = atomic_load_explicit(&spool->taken, memory_order_relaxed);
	return true;
}

enum capture_link
spool_link(const struct spool *spool, struct text *why)
{
	struct spool *self = (struct spool *)spool; /* for the lock only */
	job_lock(&self->job);
	enum capture_link link = atomic_load(&spool->link);
	if (why && link == LINK_WAITING)
		text_add(why, spool->reason.what);
	job_unlock(&self->job);
	return link;
}

bool
spool_next_break(const struct spool *spool, uint64_t offset, struct capture_break *found)
{
	struct spool *self = (struct spool *)spool; /* for the lock only */
	size_t at;
	if (!atomic_load_explicit(&spool->broken, memory_order_acquire))
		return false;
	job_lock(&self->job);
	lower_bound(at, spool->breaks.count, spool->breaks.at[at].offset < offset);
	bool any = at < spool->breaks.count;
	if (any)
		*found = spool->breaks.at[at];
	job_unlock(&self->job);
	return any;
}

struct spool_failure
spool_failure(const struct spool *spool)
{
	struct spool_failure failure = {.folder = spool->folder};
	if (spool_ended(spool)) {
		failure.error = spool->error;
		failure.reading = spool->reading;
		failure.packed = spool->unpacked.code ? spool->unpacked.what : NULL;
		failure.refused = spool->unpacked.code == ERR_USAGE;
	}
	return failure;
}
