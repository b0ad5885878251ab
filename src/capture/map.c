/*
 * Captures as memory maps: see capture.h.
 *
 * The reservation is 1 TiB of the file (or twice its size), most of it past
 * the end: touching that would raise SIGBUS, but nobody reads past
 * capture_size().  When the file grows the same addresses simply become
 * valid.  When it shrinks, a read that was fine a moment ago faults; the
 * handler then maps one zero page there, marks the capture, and the read goes
 * on.  Such pages hide the file, so capture_refresh lays the whole map anew
 * once the file has grown over them.
 *
 * The handler finds the map of an address in a small table of atomics, since
 * it may take no lock.
 */
#include "config.h"

#include "capture/capture.h"
#include "base/vec.h"
#include "capture/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture {
	char *path;
	int file; /* descriptor; the spool's if there is one */
	struct spool *spool;
	uint8_t *bytes;
	size_t reserved;
	_Atomic uint64_t size;
	atomic_bool damaged;
	atomic_bool followed;
	dev_t device; /* what the name meant when it was opened */
	ino_t inode;
};

/* Maps that the SIGBUS handler knows. */
enum { GUARDED_MAX = 256 };
static _Atomic(struct capture *) guarded[GUARDED_MAX];
static struct sigaction previous; /* what handled SIGBUS before */

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
			atomic_store(&c->damaged, true);
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

/* Lays the file under all addresses again, zero pages and all. */
static void
map_again(struct capture *capture)
{
	mmap(capture->bytes, capture->reserved, PROT_READ, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
	     capture->file, 0);
	madvise(capture->bytes, capture->reserved, MADV_RANDOM);
	atomic_store(&capture->damaged, false);
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
	unguard(capture);
	if (capture->bytes)
		munmap(capture->bytes, capture->reserved);
	if (capture->spool)
		spool_stop(capture->spool);
	else
		close(capture->file);
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

bool
capture_ended(const struct capture *capture)
{
	if (capture->spool)
		return spool_ended(capture->spool) &&
		       spool_size(capture->spool) == capture_size(capture);
	return !atomic_load(&capture->followed);
}

void
capture_follow(struct capture *capture, bool on)
{
	atomic_store(&capture->followed, on);
}

static enum capture_change
adopt(struct capture *capture, uint64_t size)
{
	if (size > capture->reserved)
		size = capture->reserved;
	uint64_t before = atomic_exchange_explicit(&capture->size, size, memory_order_acq_rel);
	if (size < before)
		return CAPTURE_SHRANK;
	if (size > before && atomic_load(&capture->damaged))
		map_again(capture);
	return size > before ? CAPTURE_GREW : CAPTURE_SAME;
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

enum capture_change
capture_refresh(struct capture *capture)
{
	if (capture->spool)
		return adopt(capture, spool_size(capture->spool));
	struct stat now;
	if (fstat(capture->file, &now))
		return CAPTURE_SAME;
	enum capture_change change = adopt(capture, (uint64_t)now.st_size);
	if (change != CAPTURE_SAME || !strcmp(capture->path, "-"))
		return change;
	if (stat(capture->path, &now))
		return CAPTURE_GONE;
	if (now.st_dev != capture->device || now.st_ino != capture->inode)
		return CAPTURE_REPLACED;
	return CAPTURE_SAME;
}

uint64_t
capture_wait(struct capture *capture, uint64_t size, int milliseconds)
{
	if (capture->spool)
		spool_wait(capture->spool, size, milliseconds);
	capture_refresh(capture);
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

/* Reads what is data, zeroes what is a hole or has vanished. */
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
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	memset((char *)buffer + done, 0, length - done);
	return length;
}
