/*
 * Captures as memory maps: see capture.h.
 *
 * The reservation is 1 TiB beyond the file, or the file's size if that is more.
 * Addresses past the end would raise SIGBUS, but nothing reads past capture_size().  When
 * the file grows, the same addresses become valid.  Every 16 captures halve the
 * reservation.  Limited address space reduces it too, since the rest of the program needs
 * addresses.
 *
 * A file may shrink, or a page be unreadable.  A read through the map then finds zeros
 * (guard.h), and the loss is noted.  capture_read does the same page by page, so all
 * readers find the same bytes.  Zero pages hide the file, so capture_refresh maps the
 * file again once it has changed.
 *
 * Each capture keeps its file open until half of all descriptors are used.  Later
 * captures keep only the map and the name.
 *
 * A file can be cut and refilled between two refreshes, with the same size.  The last
 * bytes are therefore remembered: appending never changes them.
 */
#include "config.h"

#include "capture/capture.h"
#include "base/file.h"
#include "base/generation.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"
#include "capture/guard.h"
#include "capture/live.h"
#include "capture/loss.h"
#include "capture/loss_text.h"
#include "capture/spool.h"
#include "capture/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TAIL = 256 }; /* last bytes remembered */

#define ROOM_MOST ((uint64_t)1 << 40)  /* most bytes reserved for growth */
#define ROOM_LEAST ((uint64_t)1 << 34) /* least, if addresses are unlimited */
#define ROOM_SHARE 16		       /* captures after which the room halves */
#define ROOM_LEFT ((uint64_t)64 << 20) /* addresses for the rest of the program */

struct capture {
	char *path;
	int file; /* descriptor; the spool's if spooled; -1: closed */
	struct spool *spool;
	bool is_stream;	      /* spooled, but not from a file */
	char *unpack_error;   /* see capture_unpack_error */
	struct guard_map map; /* the whole reservation */
	_Atomic uint64_t size;
	struct generation generation;
	atomic_bool damaged; /* since the last refresh */
	struct losses losses;
	atomic_bool outgrew; /* the file is longer than the reservation */
	dev_t device;	     /* of the file that was opened */
	ino_t inode;
	struct timespec written; /* at the last refresh */
	uint8_t tail[TAIL];	 /* last bytes at that time */
	size_t tail_length;
	bool fault_reported;
	enum capture_link link_reported;
	_Atomic enum capture_change name_reported; /* reported state: SAME, REPLACED or GONE */

	/* notification and waiting */
	_Atomic enum capture_follow followed;
	struct watch *watch;
	void (*notify)(void *);
	void *notify_context;
	pthread_mutex_t lock; /* for waiting on `changed` */
	pthread_cond_t changed;
	uint64_t changes, changes_seen;
	atomic_bool interrupted;
};

/* Find the file's state.  Return false if it is unknown, as when the file is closed and its name is
 * gone or reused. */
static bool
stat_file(const struct capture *capture, struct stat *st)
{
	if (capture->file >= 0)
		return !fstat(capture->file, st);
	return !stat(capture->path, st) && st->st_dev == capture->device &&
	       st->st_ino == capture->inode;
}

/* --- losses --------------------------------------------------------------- */

/* Note zeros instead of the file's bytes from OFFSET to END.  If the file ends at or before OFFSET,
 * note the loss from its end on.  The signal handler calls it too, so it takes no lock that a
 * faulting read may hold. */
static void
note_loss(const struct capture *capture, uint64_t offset, uint64_t end, int error)
{
	struct capture *self = (struct capture *)capture; /* noting a loss counts as const */
	struct loss loss = {.offset = offset, .end = end, .error = error};
	struct stat st;
	if (!capture->spool && stat_file(capture, &st) && (uint64_t)st.st_size <= offset)
		loss = (struct loss){.offset = (uint64_t)st.st_size, .end = UINT64_MAX};
	losses_add(&self->losses, loss);
	atomic_store(&self->damaged, true);
}

/* See guard_map. */
static void
note_fault(struct guard_map *map, uint64_t offset, uint64_t end)
{
	const struct capture *capture =
	    (const struct capture *)((const char *)map - offsetof(struct capture, map));
	note_loss(capture, offset, end, EIO);
}

/* True if bytes before SIZE may have been read as zeros. */
static bool
has_zeros(const struct capture *capture, uint64_t size)
{
	struct loss first;
	return losses_after(&capture->losses, 0, &first) && first.offset < size;
}

/* --- mapping ----------------------------------------------------------- */

/* Find the bytes of address space, left and in all.  Return false if there is no limit. */
static bool
addresses_left(uint64_t *left, uint64_t *all)
{
	struct rlimit limit;
	unsigned long long pages = 0;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	FILE *statm = fopen("/proc/self/statm", "re");
	if (statm && fscanf(statm, "%llu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	uint64_t used = pages * guard_page_size();
	*all = limit.rlim_cur;
	*left = *all > used ? *all - used : 0;
	return true;
}

/* Return the bytes to reserve for growth if addresses are unlimited. */
static uint64_t
room_to_grow(uint64_t size)
{
	size_t halvings = guard_count() / ROOM_SHARE;
	uint64_t room = halvings < 40 ? ROOM_MOST >> halvings : 0;
	room = room > ROOM_LEAST ? room : ROOM_LEAST;
	return room > size ? room : size;
}

/* Return the bytes to reserve for growth if addresses are limited.  Growth may use half the
 * addresses.  A stream gets much of that: it only grows, and streams are few. */
static uint64_t
room_within(const struct capture *capture, uint64_t size, uint64_t left, uint64_t all)
{
	uint64_t taken = all / 2 + size, rest = left > taken ? left - taken : 0;
	return capture->spool ? rest / 2 : rest / 16;
}

static int
refuse_size(const struct capture *capture, uint64_t size, struct err *err)
{
	struct text need = {0};
	text_add_size(&need, size + ROOM_LEFT);
	int failed = err_set(err, ERR_IO,
			     "%s: not enough address space: %s are needed; raise the limit "
			     "(ulimit -v)",
			     capture->path, text_get(&need));
	text_free(&need);
	return failed;
}

/* Reserve and map with ROOM bytes to grow (0: choose a size), or less if the system refuses. */
static int
map_file(struct capture *capture, uint64_t size, uint64_t room, struct err *err)
{
	uint64_t left, all, page = guard_page_size();
	bool limited = addresses_left(&left, &all);
	if (limited && size + ROOM_LEFT > left)
		return refuse_size(capture, size, err);
	if (!room)
		room = limited ? room_within(capture, size, left, all) : room_to_grow(size);
	for (;; room /= 2) {
		uint64_t want = (size + room + page) / page * page;
		void *at =
		    mmap(NULL, want, PROT_READ, MAP_SHARED | MAP_NORESERVE, capture->file, 0);
		if (at != MAP_FAILED) {
			capture->map.bytes = at;
			capture->map.length = want;
			madvise(at, want, MADV_RANDOM); /* see capture_want */
			return 0;
		}
		if (room) /* emulators fail with other errors if it is too large */
			continue;
		return errno == ENOMEM ? refuse_size(capture, size, err)
				       : err_set(err, ERR_IO, "%s: cannot map: %s", capture->path,
						 strerror(errno));
	}
}

/* Return the descriptor, or one opened for the current call.  Return negative on failure. */
static int
borrow_file(const struct capture *capture)
{
	struct stat st;
	if (capture->file >= 0)
		return capture->file;
	int file = open(capture->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file >= 0 &&
	    (fstat(file, &st) || st.st_dev != capture->device || st.st_ino != capture->inode)) {
		close(file);
		return -1;
	}
	return file;
}

static void
return_file(const struct capture *capture, int file)
{
	if (file >= 0 && file != capture->file)
		close(file);
}

/* Map the file at all addresses again, replacing zero pages.  Clear the losses first, so a fault
 * meanwhile notes them again. */
static void
map_again(struct capture *capture)
{
	int file = borrow_file(capture);
	if (file < 0)
		return;
	losses_clear(&capture->losses);
	atomic_store(&capture->damaged, false);
	mmap(capture->map.bytes, capture->map.length, PROT_READ,
	     MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
	madvise(capture->map.bytes, capture->map.length, MADV_RANDOM);
	return_file(capture, file);
}

/* Close the file if descriptors are scarce or ALWAYS is set.  Others need descriptors too. */
static void
spare_descriptor(struct capture *capture, bool always)
{
	struct rlimit limit;
	bool few = !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
		   (rlim_t)capture->file >= limit.rlim_cur / 2;
	if (capture->spool || !strcmp(capture->path, "-") || !(few || always))
		return;
	close(capture->file);
	capture->file = -1;
}

static const char *
unfit_reason(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return "is a folder; name the capture files in it";
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		return "is a device; name a serial port as serial:DEVICE@BAUD, or pipe it in as -";
	if (S_ISSOCK(st->st_mode))
		return "is a socket; pipe it in as -, or name tcp:HOST:PORT";
	return NULL;
}

static int
is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Set the error of a path that is not a file.  For a folder, name its first files. */
static void
refuse_unfit(const char *path, const struct stat *st, struct err *err)
{
	enum { SHOWN = 3 };
	struct dirent **entries = NULL;
	struct text names = {0};
	bool is_folder = S_ISDIR(st->st_mode);
	int shown = 0, count = is_folder ? scandir(path, &entries, is_shown, alphasort) : 0;
	int folder = count > 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	for (int i = 0; i < count; i++) {
		struct stat own;
		if (!fstatat(folder, entries[i]->d_name, &own, 0) && S_ISREG(own.st_mode) &&
		    ++shown <= SHOWN)
			text_addf(&names, "%s%s", shown > 1 ? ", " : ": ", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (folder >= 0)
		close(folder);
	err_set(err, ERR_IO, "%s %s%s%s", path, unfit_reason(st), text_get(&names),
		shown > SHOWN ? " ..." : "");
	text_free(&names);
}

static int
open_path(const char *path, struct stat *st, struct err *err)
{
	if (!strcmp(path, "-")) {
		if (isatty(STDIN_FILENO)) {
			err_set(err, ERR_USAGE, "standard input is a terminal; name a capture");
			return -1;
		}
		int file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		if (file >= 0 && !fstat(file, st))
			return file;
		err_set(err, ERR_IO, "standard input: %s", strerror(errno));
		if (file >= 0)
			close(file);
		return -1;
	}
	/* check before opening: opening a device may have effects */
	if (stat(path, st)) {
		err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (unfit_reason(st)) {
		refuse_unfit(path, st, err);
		return -1;
	}
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (file >= 0 && !fstat(file, st))
		return file;
	err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return -1;
}

/* Open as open_path does, and check the opened file as well: standard input may be unfit. */
static int
open_fitting(const char *path, struct stat *st, struct err *err)
{
	int file = open_path(path, st, err);
	if (file < 0 || !unfit_reason(st))
		return file;
	refuse_unfit(path, st, err);
	close(file);
	return -1;
}

/* Make a spool for a stream, a packed file or a dump.  Its descriptor replaces the capture's.
 * After an error the capture has no descriptor. */
static int
open_spool(struct capture *capture, struct stat *st, const struct capture_options *options,
	   struct err *err)
{
	struct err own = {0};
	bool live = live_is_named(capture->path);
	capture->is_stream = live || !S_ISREG(st->st_mode);
	if (live) {
		capture->spool = spool_open_live(capture->path, options, &own);
	} else if (capture->is_stream) {
		capture->spool =
		    spool_open(capture->file, capture->path, options, &capture->losses, &own);
	} else if (options) {
		capture->spool =
		    spool_open_file(capture->file, capture->path, options, &capture->losses, &own);
		if (own.code == ERR_DATA)
			capture->unpack_error = mem_text(own.what);
		if (own.code == ERR_DATA || own.code == ERR_UNSUPPORTED)
			return 0;
		close(capture->file);
	} else {
		return 0;
	}
	capture->file = capture->spool ? spool_file(capture->spool) : -1;
	if (!capture->spool)
		return err_set(err, own.code, "%s", own.what);
	st->st_size = 0;
	return 0;
}

/* Start to fill the spool.  Refuse a packed archive with several members if that shows soon. */
static int
start_spool(struct capture *capture, struct err *err)
{
	enum { SOON = 1 << 20 /* bytes */ };
	struct capture_packing packing;
	if (spool_start(capture->spool, capture->map.length, err) < 0)
		return err->code;
	if (capture->is_stream || !spool_packing(capture->spool, &packing) || !packing.is_archive)
		return 0;
	spool_wait(capture->spool, SOON, LINK_NONE, -1);
	struct spool_failure failure = spool_failure(capture->spool);
	return failure.refused ? err_set(err, ERR_USAGE, "%s", failure.packed) : 0;
}

static struct capture *
new_capture(const char *path, const struct capture_options *options)
{
	struct capture *capture = mem_new(sizeof *capture);
	capture->path = mem_text(path);
	capture->notify = options ? options->notify : NULL;
	capture->notify_context = options ? options->notify_context : NULL;
	pthread_mutex_init(&capture->lock, NULL);
	thread_cond_init(&capture->changed);
	return capture;
}

/* Map SIZE bytes and room to grow.  On error, close the capture and return NULL. */
static struct capture *
map_capture(struct capture *capture, uint64_t size, const struct capture_options *options,
	    struct err *err)
{
	if (map_file(capture, size, options ? options->room : 0, err) < 0) {
		capture_close(capture);
		return NULL;
	}
	capture->map.lost = note_fault;
	guard_add(&capture->map);
	if (capture->spool && start_spool(capture, err) < 0) {
		capture_close(capture);
		return NULL;
	}
	atomic_store(&capture->size, size);
	capture->link_reported = capture_link(capture, NULL);
	spare_descriptor(capture, options && options->no_descriptor);
	return capture;
}

struct capture *
capture_open(const char *path, const struct capture_options *options, struct err *err)
{
	struct stat st = {0};
	const char *outside = file_outside(path);
	int file = -1;
	if (outside) {
		err_set(err, ERR_IO, "%s: %s", path, outside);
		return NULL;
	}
	if (!live_is_named(path) && (file = open_fitting(path, &st, err)) < 0)
		return NULL;
	struct capture *capture = new_capture(path, options);
	capture->file = file;
	capture->device = st.st_dev;
	capture->inode = st.st_ino;
	capture->written = st.st_mtim;
	if (open_spool(capture, &st, options, err) < 0) {
		capture_close(capture);
		return NULL;
	}
	return map_capture(capture, (uint64_t)st.st_size, options, err);
}

struct capture *
capture_open_pieces(const struct capture *whole, const struct capture_piece *pieces, size_t count,
		    const struct capture_options *options, struct err *err)
{
	struct capture *capture = new_capture(whole->path, options);
	int file = borrow_file(whole);
	capture->file = -1;
	if (file >= 0)
		capture->spool = spool_open_pieces(file, whole->path, pieces, count, options, err);
	else
		err_set(err, ERR_IO, "%s: cannot be opened again", whole->path);
	return_file(whole, file);
	if (!capture->spool) {
		capture_close(capture);
		return NULL;
	}
	capture->file = spool_file(capture->spool);
	capture->device = whole->device;
	capture->inode = whole->inode;
	return map_capture(capture, 0, options, err);
}

void
capture_close(struct capture *capture)
{
	if (!capture)
		return;
	watch_stop(capture->watch);
	guard_remove(&capture->map);
	if (capture->map.bytes)
		munmap(capture->map.bytes, capture->map.length);
	if (capture->spool)
		spool_stop(capture->spool);
	else if (capture->file >= 0)
		close(capture->file);
	losses_free(&capture->losses);
	free(capture->unpack_error);
	pthread_cond_destroy(&capture->changed);
	pthread_mutex_destroy(&capture->lock);
	free(capture->path);
	free(capture);
}

const char *
capture_path(const struct capture *capture)
{
	return capture->path;
}

const uint8_t *
capture_bytes(const struct capture *capture)
{
	return capture->map.bytes;
}

uint64_t
capture_size(const struct capture *capture)
{
	return atomic_load_explicit(&capture->size, memory_order_acquire);
}

bool
capture_is_stream(const struct capture *capture)
{
	return capture->is_stream;
}

bool
capture_is_spooled(const struct capture *capture)
{
	return capture->spool != NULL;
}

bool
capture_packing(const struct capture *capture, struct capture_packing *packing)
{
	return capture->spool && spool_packing(capture->spool, packing);
}

uint64_t
capture_limit(const struct capture *capture)
{
	return capture->spool ? spool_limit(capture->spool) : 0;
}

uint64_t
capture_begin(const struct capture *capture)
{
	return capture->spool ? spool_begin(capture->spool) : 0;
}

uint64_t
capture_due(const struct capture *capture)
{
	return capture->spool ? spool_due(capture->spool) : 0;
}

void
capture_drop(struct capture *capture, uint64_t offset)
{
	if (capture->spool)
		spool_drop(capture->spool, offset);
}

void
capture_hold(struct capture *capture, bool on)
{
	if (capture->spool)
		spool_hold(capture->spool, on);
}

struct spool *
capture_spool(const struct capture *capture)
{
	return capture->spool;
}

enum capture_link
capture_link(const struct capture *capture, struct text *why)
{
	return capture->spool ? spool_link(capture->spool, why) : LINK_NONE;
}

bool
capture_next_break(const struct capture *capture, uint64_t offset, struct capture_break *found)
{
	return capture->spool && spool_next_break(capture->spool, offset, found);
}

const char *
capture_unpack_error(const struct capture *capture)
{
	return capture->unpack_error;
}

bool
capture_is_unpacking(const struct capture *capture)
{
	return capture->spool && !capture->is_stream && !capture_ended(capture);
}

unsigned
capture_generation(const struct capture *capture)
{
	return generation_now(&capture->generation);
}

bool
capture_ended(const struct capture *capture)
{
	if (capture->spool)
		return spool_ended(capture->spool) &&
		       spool_size(capture->spool) == capture_size(capture);
	enum capture_follow followed = atomic_load(&capture->followed);
	return followed == FOLLOW_NOT || (followed == FOLLOW_NAME &&
					  atomic_load(&capture->name_reported) == CAPTURE_REPLACED);
}

void
capture_want(const struct capture *capture, uint64_t offset, uint64_t length)
{
	uint64_t size = capture_size(capture), page = (uint64_t)sysconf(_SC_PAGESIZE);
	if (offset >= size)
		return;
	if (length > size - offset)
		length = size - offset;
	uint64_t start = offset / page * page;
	madvise(capture->map.bytes + start, offset + length - start, MADV_WILLNEED);
}

/* --- changes ------------------------------------------------------------- */

static void
mark_changed(void *context)
{
	struct capture *capture = context;
	pthread_mutex_lock(&capture->lock);
	capture->changes++;
	pthread_cond_broadcast(&capture->changed);
	pthread_mutex_unlock(&capture->lock);
	if (capture->notify)
		capture->notify(capture->notify_context);
}

/* --- refresh --------------------------------------------------------------- */

static size_t
read_tail(const struct capture *capture, uint64_t size, uint8_t tail[static TAIL])
{
	size_t length = size < TAIL ? (size_t)size : TAIL;
	if (capture->file < 0) {
		memcpy(tail, capture->map.bytes + size - length, length);
		return length;
	}
	ssize_t n = pread(capture->file, tail, length, (off_t)(size - length));
	return n < 0 ? 0 : (size_t)n;
}

/* Remember the state that compare_bytes uses. */
static void
remember_file(struct capture *capture, const struct stat *now)
{
	capture->written = now->st_mtim;
	capture->tail_length = read_tail(capture, capture_size(capture), capture->tail);
}

static bool
tail_changed(const struct capture *capture)
{
	uint8_t now[TAIL];
	size_t length = capture->tail_length;
	return length && (read_tail(capture, capture_size(capture), now) != length ||
			  memcmp(now, capture->tail, length) != 0);
}

/* Return the change of the bytes.  Ignore zeros read past the known end: nothing relies on them. */
static enum capture_change
compare_bytes(const struct capture *capture, const struct stat *now, uint64_t size)
{
	uint64_t before = capture_size(capture);
	bool zeros = has_zeros(capture, before);
	bool touched = size != before || now->st_mtim.tv_sec != capture->written.tv_sec ||
		       now->st_mtim.tv_nsec != capture->written.tv_nsec;
	if (size < before)
		return CAPTURE_SHRANK;
	if (tail_changed(capture) || (zeros && touched))
		return CAPTURE_REWRITTEN;
	if (size > before)
		return CAPTURE_GREW;
	return zeros && !capture->fault_reported ? CAPTURE_UNREADABLE : CAPTURE_SAME;
}

/* Return the change of the name, even if it was reported before. */
static enum capture_change
compare_name(const struct capture *capture)
{
	struct stat now;
	if (!strcmp(capture->path, "-"))
		return CAPTURE_SAME;
	if (stat(capture->path, &now))
		return CAPTURE_GONE;
	bool other = now.st_dev != capture->device || now.st_ino != capture->inode;
	return other ? CAPTURE_REPLACED : CAPTURE_SAME;
}

/* Return the file's size, limited to the reservation. */
static uint64_t
size_within(const struct capture *capture, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;
	return size < capture->map.length ? size : capture->map.length;
}

/* Note whether the file is longer than the reservation.  Return true when it first is. */
static bool
check_room(struct capture *capture, const struct stat *st)
{
	bool outgrew = (uint64_t)st->st_size > capture->map.length;
	return !atomic_exchange(&capture->outgrew, outgrew) && outgrew;
}

static bool
is_void(enum capture_change change)
{
	return change == CAPTURE_SHRANK || change == CAPTURE_REWRITTEN;
}

static void
adopt_change(struct capture *capture, const struct stat *now, enum capture_change change)
{
	bool again = change != CAPTURE_SAME && change != CAPTURE_UNREADABLE;
	if (again && losses_any(&capture->losses))
		map_again(capture); /* before other threads read the new bytes */
	atomic_store_explicit(&capture->size, size_within(capture, now), memory_order_release);
	if (is_void(change))
		generation_bump(&capture->generation);
	capture->fault_reported =
	    change == CAPTURE_UNREADABLE || (capture->fault_reported && !again);
	atomic_store(&capture->damaged, false);
	remember_file(capture, now);
}

static enum capture_change
refresh_spool(struct capture *capture)
{
	uint64_t size = spool_size(capture->spool);
	size = size < capture->map.length ? size : capture->map.length;
	uint64_t before = atomic_exchange_explicit(&capture->size, size, memory_order_acq_rel);
	atomic_store(&capture->damaged, false);
	if (capture_ended(capture) && spool_failure(capture->spool).error &&
	    !capture->fault_reported) {
		capture->fault_reported = true;
		return CAPTURE_BROKE;
	}
	enum capture_link link = spool_link(capture->spool, NULL);
	if (capture->link_reported != link) {
		capture->link_reported = link;
		return CAPTURE_LINK;
	}
	return size > before ? CAPTURE_GREW : CAPTURE_SAME;
}

enum capture_change
capture_refresh(struct capture *capture)
{
	struct stat now;
	if (capture->spool)
		return refresh_spool(capture);
	enum capture_change change = CAPTURE_SAME;
	if (stat_file(capture, &now)) {
		change = compare_bytes(capture, &now, size_within(capture, &now));
		adopt_change(capture, &now, change);
	}
	if (is_void(change)) {
		mark_changed(capture); /* the next call reports the name */
		return change;
	}
	if (stat_file(capture, &now) && check_room(capture, &now))
		return CAPTURE_OUTGREW;
	enum capture_change name = compare_name(capture);
	return atomic_exchange(&capture->name_reported, name) == name ? change : name;
}

enum capture_change
capture_look(const struct capture *capture, uint64_t *more)
{
	struct stat now;
	*more = 0;
	if (capture->spool || !stat_file(capture, &now))
		return CAPTURE_SAME;
	uint64_t size = size_within(capture, &now), before = capture_size(capture);
	enum capture_change change = compare_bytes(capture, &now, size);
	enum capture_change name = compare_name(capture);
	*more = size > before ? size - before : 0;
	return is_void(change) || name == atomic_load(&capture->name_reported) ? change : name;
}

uint64_t
capture_pending(const struct capture *capture)
{
	struct stat now;
	uint64_t adopted = capture_size(capture), size = 0;
	if (capture->spool)
		size = spool_size(capture->spool);
	else if (stat_file(capture, &now))
		size = (uint64_t)now.st_size;
	size = size < capture->map.length ? size : capture->map.length;
	return size > adopted ? size - adopted : 0;
}

int
capture_reopen(struct capture *capture, struct err *err)
{
	struct stat st;
	int file = open_path(capture->path, &st, err);
	if (file < 0) { /* gone again: another file may get the name */
		atomic_store(&capture->name_reported, CAPTURE_GONE);
		return err->code;
	}
	if (!S_ISREG(st.st_mode)) {
		close(file);
		return err_set(err, ERR_IO, "%s: it is no longer a file", capture->path);
	}
	enum capture_follow followed = capture_followed(capture);
	capture_follow(capture, FOLLOW_NOT);
	/* in place: other threads may be reading from the descriptor */
	if (capture->file >= 0 && dup3(file, capture->file, O_CLOEXEC) < 0) {
		int failed = err_set(err, ERR_IO, "%s: %s", capture->path, strerror(errno));
		close(file);
		capture_follow(capture, followed);
		return failed;
	}
	close(file);
	capture->device = st.st_dev;
	capture->inode = st.st_ino;
	atomic_store(&capture->name_reported, CAPTURE_SAME);
	map_again(capture);
	adopt_change(capture, &st, CAPTURE_REWRITTEN);
	capture_follow(capture, followed);
	return 0;
}

/* --- following and waiting --------------------------------------------- */

static void
watch_file(struct capture *capture, bool once, enum capture_follow followed)
{
	struct stat now;
	watch_stop(capture->watch);
	capture->watch = NULL;
	atomic_store(&capture->followed, followed);
	if (capture->spool || capture->file < 0)
		return;
	bool by_name = followed != FOLLOW_FILE && strcmp(capture->path, "-") != 0;
	struct watch_options options = {.path = by_name ? capture->path : NULL,
					.file = capture->file,
					.once = once,
					.notify = mark_changed,
					.context = capture};
	if (!capture->tail_length && !fstat(capture->file, &now))
		remember_file(capture, &now);
	if (once || followed != FOLLOW_NOT)
		capture->watch = watch_start(&options);
}

void
capture_follow(struct capture *capture, enum capture_follow followed)
{
	watch_file(capture, false, followed);
}

void
capture_notice(struct capture *capture)
{
	watch_file(capture, true, FOLLOW_NOT);
}

enum capture_follow
capture_followed(const struct capture *capture)
{
	return atomic_load(&capture->followed);
}

void
capture_interrupt(struct capture *capture)
{
	atomic_store(&capture->interrupted, true);
	if (capture->spool)
		spool_interrupt(capture->spool);
	mark_changed(capture);
}

bool
capture_interrupted(const struct capture *capture)
{
	return atomic_load(&capture->interrupted);
}

/* Wait until the file has changed since the last call, or UNTIL (NULL: no limit).  Return false on
 * a timeout. */
static bool
await_change(struct capture *capture, const struct timespec *until)
{
	int late = 0;
	pthread_mutex_lock(&capture->lock);
	while (capture->changes == capture->changes_seen && !late)
		late = until ? pthread_cond_timedwait(&capture->changed, &capture->lock, until)
			     : pthread_cond_wait(&capture->changed, &capture->lock);
	capture->changes_seen = capture->changes;
	pthread_mutex_unlock(&capture->lock);
	return !late;
}

bool
capture_await(struct capture *capture, int milliseconds)
{
	struct timespec until;
	if (capture_ended(capture) || capture_interrupted(capture))
		return false;
	if (capture->spool)
		return spool_wait(capture->spool, capture_size(capture), capture->link_reported,
				  milliseconds);
	thread_deadline(&until, milliseconds);
	return await_change(capture, milliseconds < 0 ? NULL : &until);
}

uint64_t
capture_wait(struct capture *capture, uint64_t size, int milliseconds)
{
	int64_t end = thread_now_ms() + milliseconds;
	do
		capture_refresh(capture);
	while (capture_size(capture) <= size &&
	       capture_await(capture, milliseconds < 0	      ? -1
				      : end > thread_now_ms() ? (int)(end - thread_now_ms())
							      : 0));
	return capture_size(capture);
}

bool
capture_damaged(const struct capture *capture)
{
	return atomic_load(&capture->damaged);
}

bool
capture_is_file(const struct capture *capture, const struct stat *st)
{
	return st->st_dev == capture->device && st->st_ino == capture->inode;
}

void
capture_identify(const struct capture *capture, struct capture_identity *identity)
{
	struct stat st;
	*identity = (struct capture_identity){0};
	if (!stat_file(capture, &st))
		return;
	identity->inode = st.st_ino;
	identity->modified = st.st_mtim.tv_sec * (int64_t)1000000000 + st.st_mtim.tv_nsec;
}

uint64_t
capture_hole_end(const struct capture *capture, uint64_t offset)
{
	uint64_t size = capture_size(capture);
	if (offset >= size || capture->file < 0)
		return offset;
	off_t data = lseek(capture->file, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? size : offset;
	return (uint64_t)data > size ? size : (uint64_t)data;
}

/* --- reading ----------------------------------------------------------- */

bool
capture_is_whole(const struct capture *capture)
{
	return !losses_any(&capture->losses) && !atomic_load(&capture->outgrew) &&
	       (!capture->spool || !spool_failure(capture->spool).error);
}

bool
capture_misses(const struct capture *capture, uint64_t offset, uint64_t length)
{
	struct loss loss;
	return losses_after(&capture->losses, offset, &loss) &&
	       (loss.offset <= offset || loss.offset - offset < length);
}

bool
capture_next_loss(const struct capture *capture, struct capture_loss *range)
{
	struct loss loss;
	uint64_t size = capture_size(capture);
	if (range->end >= size || !losses_after(&capture->losses, range->end, &loss) ||
	    loss.offset >= size)
		return false;
	range->offset = loss.offset;
	range->end = loss.end < size ? loss.end : size;
	return true;
}

void
capture_verify(const struct capture *capture)
{
	struct stat st;
	uint64_t size = capture_size(capture);
	if (!capture->spool && stat_file(capture, &st) && (uint64_t)st.st_size < size)
		note_loss(capture, size, size, 0);
}

void
capture_lose(const struct capture *capture, uint64_t offset, uint64_t length, int error)
{
	uint64_t page = guard_page_size(), end = (offset + length + page - 1) / page * page;
	offset = offset / page * page;
	if (end > capture->map.length)
		end = capture->map.length;
	if (offset < end && guard_lay_zeros(capture->map.bytes + offset, (size_t)(end - offset)))
		note_loss(capture, offset, end, error);
}

/* Zero the missing bytes among LENGTH bytes at OFFSET. */
static void
blank_losses(const struct capture *capture, uint64_t offset, uint8_t *bytes, size_t length)
{
	struct loss loss;
	uint64_t at = offset, end = offset + length;
	while (at < end && losses_after(&capture->losses, at, &loss) && loss.offset < end) {
		uint64_t from = loss.offset > at ? loss.offset : at;
		at = loss.end < end ? loss.end : end;
		memset(bytes + (from - offset), 0, (size_t)(at - from));
	}
}

/* Read from the file.  Note a loss where reading fails, and zero those bytes. */
static void
read_file(const struct capture *capture, uint64_t offset, uint8_t *bytes, size_t length)
{
	uint64_t page = guard_page_size();
	for (size_t done = 0; done < length;) {
		uint64_t at = offset + done;
		ssize_t n = pread(capture->file, bytes + done, length - done, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			size_t rest = length - done, skip = (size_t)(page - at % page);
			if (n)
				capture_lose(capture, at, 1, errno);
			else
				note_loss(capture, at, UINT64_MAX, 0);
			n = (ssize_t)(n && skip < rest ? skip : rest);
			memset(bytes + done, 0, (size_t)n);
		}
		done += (size_t)n;
	}
}

/* Read the data and zero the missing bytes.  A hole at the beginning is zeroed without reading. */
size_t
capture_read(const struct capture *capture, uint64_t offset, void *buffer, size_t length)
{
	uint64_t size = capture_size(capture);
	uint8_t *bytes = buffer;
	if (offset >= size)
		return 0;
	if (length > size - offset)
		length = (size_t)(size - offset);
	if (capture->file < 0) { /* the map has zeros for missing bytes */
		memcpy(bytes, capture->map.bytes + offset, length);
		return length;
	}
	uint64_t hole = capture_hole_end(capture, offset) - offset;
	size_t done = hole < length ? (size_t)hole : length;
	memset(bytes, 0, done);
	read_file(capture, offset + done, bytes + done, length - done);
	blank_losses(capture, offset, bytes, length);
	return length;
}

/* --- describing losses ----------------------------------------------------- */

static void
describe_stream(const struct capture *capture, struct text *out)
{
	struct spool_failure failure = {0};
	char bytes[32];
	if (capture->spool)
		failure = spool_failure(capture->spool);
	if (!failure.error)
		return;
	loss_text_begin(out);
	if (failure.refused) {
		text_addf(out, "only the first file is shown: %s", failure.packed);
		return;
	}
	if (failure.packed) {
		text_addf(out, "after %s bytes no more can be unpacked: %s",
			  text_number(bytes, capture_size(capture)), failure.packed);
		return;
	}
	text_addf(out, "the stream broke off after %s bytes: ",
		  text_number(bytes, capture_size(capture)));
	if (failure.reading)
		text_addf(out, "it cannot be read: %s", strerror(failure.error));
	else if (failure.error == ENOMEM)
		text_add(out, "no address space is left for more; raise the limit (ulimit -v)");
	else
		text_addf(out,
			  "it cannot be kept in %s: %s; --spool=DIR or TMPDIR names a folder "
			  "with more room",
			  failure.folder, strerror(failure.error));
}

static void
describe_outgrown(const struct capture *capture, struct text *out)
{
	if (!atomic_load(&capture->outgrew))
		return;
	loss_text_begin(out);
	text_add(out, "the file grew beyond the address space reserved for it; open it again to "
		      "see the rest");
}

void
capture_describe_loss(const struct capture *capture, struct text *out)
{
	loss_text_add(&capture->losses, capture_size(capture), out);
	describe_stream(capture, out);
	describe_outgrown(capture, out);
}
