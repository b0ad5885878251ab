/*
 * Captures as memory maps: see capture.h.
 *
 * The reservation is 1 TiB of the file (or twice its size), most of it past
 * the end: touching that would raise SIGBUS, but nobody reads past
 * capture_size().  When the file grows the same addresses simply become
 * valid.  When it shrinks, a read that was fine a moment ago faults; the
 * handler then maps one zero page there, marks the capture, and the read goes
 * on.  Such pages hide the file, so capture_refresh lays the whole map anew
 * once the file has changed.
 *
 * The handler finds the map of an address in a small table of atomics, since
 * it may take no lock.
 *
 * A file can be cut and filled again between two looks; its size tells nothing
 * then.  So its last bytes are remembered: who only appends leaves them alone.
 */
#include "config.h"

#include "capture/capture.h"
#include "base/thread.h"
#include "base/vec.h"
#include "capture/spool.h"
#include "capture/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TAIL = 256 }; /* bytes remembered */

struct capture {
	char *path;
	int file; /* descriptor; the spool's if there is one */
	struct spool *spool;
	uint8_t *bytes;
	size_t reserved;
	_Atomic uint64_t size;
	atomic_uint epoch;
	atomic_bool damaged;	/* since the last look */
	_Atomic uint64_t zeros; /* from here on zeros may have been read that are
				   not the file's; UINT64_MAX: none */
	dev_t device;		/* what the name meant when it was opened */
	ino_t inode;
	struct timespec written; /* at the last look */
	uint8_t tail[TAIL];	 /* the last bytes then */
	size_t tail_length;
	bool fault_told;
	_Atomic enum capture_change name_told; /* SAME, REPLACED or GONE */

	/* who is told of changes */
	_Atomic enum capture_follow followed;
	struct watch *watch;
	void (*notify)(void *);
	void *notify_context;
	pthread_mutex_t lock; /* for those who wait on `stirred` */
	pthread_cond_t stirred;
	uint64_t stirs, stirs_seen;
	atomic_bool interrupted;
};

/* Maps that the SIGBUS handler knows. */
enum { GUARDED_MAX = 256 };
static _Atomic(struct capture *) guarded[GUARDED_MAX];
static struct sigaction previous; /* what handled SIGBUS before */

/* Somebody reads zeros at OFFSET.  Also for the handler: takes no lock. */
static void
mark_zeros(struct capture *capture, uint64_t offset)
{
	uint64_t known = atomic_load(&capture->zeros);
	while (offset < known && !atomic_compare_exchange_weak(&capture->zeros, &known, offset))
		continue;
	atomic_store(&capture->damaged, true);
}

static void
bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	uint8_t *address = info->si_addr;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < GUARDED_MAX; i++) {
		struct capture *c = atomic_load(&guarded[i]);
		if (!c || address < c->bytes || address >= c->bytes + c->reserved)
			continue;
		void *start = (void *)((uintptr_t)address & ~(page - 1));
		if (mmap(start, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
		    MAP_FAILED) {
			mark_zeros(c, (uint64_t)((uint8_t *)start - c->bytes));
			errno = saved;
			return;
		}
	}
	/* not ours: the read faults again, under whoever was there before */
	sigaction(number, &previous, NULL);
}

/* Puts the handler in place, in front of any other. */
static void
install_guard(void)
{
	struct sigaction action = {.sa_sigaction = bus_error, .sa_flags = SA_SIGINFO}, now;
	sigaction(SIGBUS, NULL, &now);
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == bus_error)
		return;
	previous = now;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

static bool
guard(struct capture *capture)
{
	install_guard();
	for (size_t i = 0; i < GUARDED_MAX; i++) {
		struct capture *none = NULL;
		if (atomic_compare_exchange_strong(&guarded[i], &none, capture))
			return true;
	}
	return false;
}

static void
unguard(struct capture *capture)
{
	for (size_t i = 0; i < GUARDED_MAX; i++) {
		struct capture *self = capture;
		atomic_compare_exchange_strong(&guarded[i], &self, NULL);
	}
}

/* Reserves and maps; a limit on address space only costs room to grow. */
static bool
map(struct capture *capture, uint64_t size)
{
	const uint64_t least = 1 << 20;
	uint64_t want = (uint64_t)1 << 40;
	if (want < 2 * size)
		want = 2 * size;
	for (; want >= size && want >= least; want /= 2) {
		void *at =
		    mmap(NULL, want, PROT_READ, MAP_SHARED | MAP_NORESERVE, capture->file, 0);
		if (at != MAP_FAILED) {
			capture->bytes = at;
			capture->reserved = want;
			madvise(at, want, MADV_RANDOM); /* see capture_want */
			return true;
		}
	}
	return false;
}

/* Lays the file under all addresses again, zero pages and all.  The marks go
 * first: a fault meanwhile sets them again. */
static void
map_again(struct capture *capture)
{
	atomic_store(&capture->zeros, UINT64_MAX);
	atomic_store(&capture->damaged, false);
	mmap(capture->bytes, capture->reserved, PROT_READ, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
	     capture->file, 0);
	madvise(capture->bytes, capture->reserved, MADV_RANDOM);
}

static const char *
unfit(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return "is a folder; name a capture file in it";
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		return "is a device; copy it to a file, or pipe it in as -";
	if (S_ISSOCK(st->st_mode))
		return "is a socket; pipe it in as -";
	return NULL;
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
	/* look before opening: opening a device may do something */
	if (stat(path, st)) {
		err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (unfit(st)) {
		err_set(err, ERR_IO, "%s %s", path, unfit(st));
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

struct capture *
capture_open(const char *path, const struct capture_options *options, struct err *err)
{
	struct stat st;
	int file = open_path(path, &st, err);
	if (file < 0)
		return NULL;
	if (unfit(&st)) {
		err_set(err, ERR_IO, "%s %s", path, unfit(&st));
		close(file);
		return NULL;
	}
	struct capture *capture = mem_new(sizeof *capture);
	capture->path = mem_text(path);
	capture->file = file;
	capture->device = st.st_dev;
	capture->inode = st.st_ino;
	capture->written = st.st_mtim;
	atomic_store(&capture->zeros, UINT64_MAX);
	capture->notify = options ? options->notify : NULL;
	capture->notify_context = options ? options->notify_context : NULL;
	pthread_mutex_init(&capture->lock, NULL);
	pthread_cond_init(&capture->stirred, NULL);
	if (!S_ISREG(st.st_mode)) {
		capture->spool = spool_start(file, options, err);
		if (!capture->spool) {
			free(capture->path);
			free(capture);
			return NULL;
		}
		capture->file = spool_file(capture->spool);
		st.st_size = 0;
	}
	if (!map(capture, (uint64_t)st.st_size) || !guard(capture)) {
		err_set(err, ERR_IO, "%s: cannot map: %s", path, strerror(errno));
		capture_close(capture);
		return NULL;
	}
	atomic_store(&capture->size, (uint64_t)st.st_size);
	return capture;
}

void
capture_close(struct capture *capture)
{
	if (!capture)
		return;
	watch_stop(capture->watch);
	unguard(capture);
	if (capture->bytes)
		munmap(capture->bytes, capture->reserved);
	if (capture->spool)
		spool_stop(capture->spool);
	else
		close(capture->file);
	pthread_cond_destroy(&capture->stirred);
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
	return capture->bytes;
}

uint64_t
capture_size(const struct capture *capture)
{
	return atomic_load_explicit(&capture->size, memory_order_acquire);
}

bool
capture_is_stream(const struct capture *capture)
{
	return capture->spool != NULL;
}

unsigned
capture_epoch(const struct capture *capture)
{
	return atomic_load(&capture->epoch);
}

bool
capture_ended(const struct capture *capture)
{
	if (capture->spool)
		return spool_ended(capture->spool) &&
		       spool_size(capture->spool) == capture_size(capture);
	enum capture_follow followed = atomic_load(&capture->followed);
	return followed == FOLLOW_NOT ||
	       (followed == FOLLOW_NAME && atomic_load(&capture->name_told) == CAPTURE_REPLACED);
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
	madvise(capture->bytes + start, offset + length - start, MADV_WILLNEED);
}

/* --- being told -------------------------------------------------------- */

static void
stir(void *context)
{
	struct capture *capture = context;
	pthread_mutex_lock(&capture->lock);
	capture->stirs++;
	pthread_cond_broadcast(&capture->stirred);
	pthread_mutex_unlock(&capture->lock);
	if (capture->notify)
		capture->notify(capture->notify_context);
}

/* --- looking again ----------------------------------------------------- */

static size_t
read_tail(const struct capture *capture, uint64_t size, uint8_t tail[static TAIL])
{
	size_t length = size < TAIL ? (size_t)size : TAIL;
	ssize_t n = pread(capture->file, tail, length, (off_t)(size - length));
	return n < 0 ? 0 : (size_t)n;
}

/* Remembers what capture_look compares with. */
static void
remember(struct capture *capture, const struct stat *now)
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

/* What happened to the bytes.  Zeros read past the end that was known do not
 * count: nobody relies on those. */
static enum capture_change
compare_bytes(const struct capture *capture, const struct stat *now, uint64_t size)
{
	uint64_t before = capture_size(capture);
	bool zeros = atomic_load(&capture->zeros) < before;
	bool touched = size != before || now->st_mtim.tv_sec != capture->written.tv_sec ||
		       now->st_mtim.tv_nsec != capture->written.tv_nsec;
	if (size < before)
		return CAPTURE_SHRANK;
	if (tail_changed(capture) || (zeros && touched))
		return CAPTURE_REWRITTEN;
	if (size > before)
		return CAPTURE_GREW;
	return zeros && !capture->fault_told ? CAPTURE_UNREADABLE : CAPTURE_SAME;
}

/* What happened to the name, whether told or not. */
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

static uint64_t
size_within(const struct capture *capture, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;
	return size < capture->reserved ? size : capture->reserved;
}

static bool
is_void(enum capture_change change)
{
	return change == CAPTURE_SHRANK || change == CAPTURE_REWRITTEN;
}

static void
adopt(struct capture *capture, const struct stat *now, enum capture_change change)
{
	bool again = change != CAPTURE_SAME && change != CAPTURE_UNREADABLE;
	if (again && atomic_load(&capture->zeros) != UINT64_MAX)
		map_again(capture); /* before others look there */
	atomic_store_explicit(&capture->size, size_within(capture, now), memory_order_release);
	if (is_void(change))
		atomic_fetch_add(&capture->epoch, 1);
	capture->fault_told = change == CAPTURE_UNREADABLE || (capture->fault_told && !again);
	atomic_store(&capture->damaged, false);
	remember(capture, now);
}

static enum capture_change
refresh_spool(struct capture *capture)
{
	uint64_t size = spool_size(capture->spool);
	size = size < capture->reserved ? size : capture->reserved;
	uint64_t before = atomic_exchange_explicit(&capture->size, size, memory_order_acq_rel);
	atomic_store(&capture->damaged, false);
	return size > before ? CAPTURE_GREW : CAPTURE_SAME;
}

enum capture_change
capture_refresh(struct capture *capture)
{
	struct stat now;
	if (capture->spool)
		return refresh_spool(capture);
	if (fstat(capture->file, &now))
		return CAPTURE_SAME;
	enum capture_change change = compare_bytes(capture, &now, size_within(capture, &now));
	adopt(capture, &now, change);
	if (is_void(change)) {
		stir(capture); /* its name is for the next time */
		return change;
	}
	enum capture_change name = compare_name(capture);
	return atomic_exchange(&capture->name_told, name) == name ? change : name;
}

enum capture_change
capture_look(const struct capture *capture, uint64_t *more)
{
	struct stat now;
	*more = 0;
	if (capture->spool || fstat(capture->file, &now))
		return CAPTURE_SAME;
	uint64_t size = size_within(capture, &now), before = capture_size(capture);
	enum capture_change change = compare_bytes(capture, &now, size);
	enum capture_change name = compare_name(capture);
	*more = size > before ? size - before : 0;
	return is_void(change) || name == atomic_load(&capture->name_told) ? change : name;
}

int
capture_reopen(struct capture *capture, struct err *err)
{
	struct stat st;
	int file = open_path(capture->path, &st, err);
	if (file < 0) { /* gone again: perhaps another one comes */
		atomic_store(&capture->name_told, CAPTURE_GONE);
		return err->code;
	}
	if (!S_ISREG(st.st_mode)) {
		close(file);
		return err_set(err, ERR_IO, "%s: is no file any more", capture->path);
	}
	enum capture_follow followed = capture_followed(capture);
	capture_follow(capture, FOLLOW_NOT);
	/* in place: other threads may be reading from the descriptor */
	int failed = dup3(file, capture->file, O_CLOEXEC);
	if (failed < 0) {
		failed = err_set(err, ERR_IO, "%s: %s", capture->path, strerror(errno));
		close(file);
		capture_follow(capture, followed);
		return failed;
	}
	close(file);
	capture->device = st.st_dev;
	capture->inode = st.st_ino;
	atomic_store(&capture->name_told, CAPTURE_SAME);
	map_again(capture);
	adopt(capture, &st, CAPTURE_REWRITTEN);
	capture_follow(capture, followed);
	return 0;
}

/* --- following and waiting --------------------------------------------- */

static void
watch(struct capture *capture, bool once, enum capture_follow followed)
{
	struct stat now;
	watch_stop(capture->watch);
	capture->watch = NULL;
	if (capture->spool)
		return;
	bool by_name = followed != FOLLOW_FILE && strcmp(capture->path, "-") != 0;
	struct watch_options options = {.path = by_name ? capture->path : NULL,
					.file = capture->file,
					.once = once,
					.notify = stir,
					.context = capture};
	if (!capture->tail_length && !fstat(capture->file, &now))
		remember(capture, &now);
	if (once || followed != FOLLOW_NOT)
		capture->watch = watch_start(&options);
	atomic_store(&capture->followed, followed);
}

void
capture_follow(struct capture *capture, enum capture_follow followed)
{
	watch(capture, false, followed);
}

void
capture_notice(struct capture *capture)
{
	watch(capture, true, FOLLOW_NOT);
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
	stir(capture);
}

bool
capture_interrupted(const struct capture *capture)
{
	return atomic_load(&capture->interrupted);
}

/* Until a file was stirred since this was called last, or UNTIL (NULL: no
 * limit); false when time is up. */
static bool
await_stir(struct capture *capture, const struct timespec *until)
{
	int late = 0;
	pthread_mutex_lock(&capture->lock);
	while (capture->stirs == capture->stirs_seen && !late)
		late = until ? pthread_cond_timedwait(&capture->stirred, &capture->lock, until)
			     : pthread_cond_wait(&capture->stirred, &capture->lock);
	capture->stirs_seen = capture->stirs;
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
		return spool_wait(capture->spool, capture_size(capture), milliseconds);
	thread_deadline(&until, milliseconds);
	return await_stir(capture, milliseconds < 0 ? NULL : &until);
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

void
capture_identify(const struct capture *capture, struct capture_identity *identity)
{
	struct stat st;
	*identity = (struct capture_identity){0};
	if (fstat(capture->file, &st) != 0)
		return;
	identity->device = st.st_dev;
	identity->inode = st.st_ino;
	identity->modified = st.st_mtim.tv_sec * (int64_t)1000000000 + st.st_mtim.tv_nsec;
}

uint64_t
capture_hole_end(const struct capture *capture, uint64_t offset)
{
	uint64_t size = capture_size(capture);
	if (offset >= size)
		return offset;
	off_t data = lseek(capture->file, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? size : offset;
	return (uint64_t)data > size ? size : (uint64_t)data;
}

/* Reads what is data, zeroes what is a hole or has vanished.  That it vanished
 * is seen here too, by those who never look through the map. */
size_t
capture_read(const struct capture *capture, uint64_t offset, void *buffer, size_t length)
{
	uint64_t size = capture_size(capture);
	if (offset >= size)
		return 0;
	if (length > size - offset)
		length = (size_t)(size - offset);
	uint64_t hole = capture_hole_end(capture, offset) - offset;
	size_t done = hole < length ? (size_t)hole : length;
	memset(buffer, 0, done);
	while (done < length) {
		ssize_t n = pread(capture->file, (char *)buffer + done, length - done,
				  (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			mark_zeros((struct capture *)capture, offset + done);
			break;
		}
		done += (size_t)n;
	}
	memset((char *)buffer + done, 0, length - done);
	return length;
}
