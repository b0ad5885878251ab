/* Opening and pruning files: see file.h.  Opening must not wait, but a FIFO without a writer
 * would. */
#include "config.h"

#include "base/file.h"
#include "base/text.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_MAX = 32 };

static const char *
kind_of(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *words;
	} kinds[] = {{S_IFIFO, "it is a pipe (FIFO); name a file"},
		     {S_IFDIR, "it is a folder; name a file"},
		     {S_IFSOCK, "it is a socket; name a file"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].words;
	return "it is a device; name a file";
}

/* Treat /dev/null as an empty file: `-p /dev/null` reads a capture without a profile. */
static bool
is_file(const struct stat *st)
{
	struct stat null;
	return S_ISREG(st->st_mode) ||
	       (S_ISCHR(st->st_mode) && !stat("/dev/null", &null) && st->st_rdev == null.st_rdev);
}

/* --- the fence --------------------------------------------------------- */

/* Folders, by their full path.  Like a root folder, this belongs to the process: files are opened
 * at many places, for names from captures and programs. */
static VEC(char *) fences;

void
file_fence(const char *folder)
{
	char *real = realpath(folder, NULL);
	*vec_add(&fences) = real ? real : mem_text(folder);
}

const char *
file_outside(const char *path)
{
	char *real = fences.count ? realpath(path, NULL) : NULL;
	const char *why = !fences.count ? NULL
			  : real	? "it is outside of the case"
					: strerror(errno);
	for (size_t i = 0; real && i < fences.count; i++) {
		size_t length = strlen(fences.at[i]);
		if (!strncmp(real, fences.at[i], length) && (!real[length] || real[length] == '/'))
			why = NULL;
	}
	free(real);
	return why;
}

/* --- opening ----------------------------------------------------------- */

static int
open_regular(const char *path, const char **why)
{
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool found = file >= 0 && !fstat(file, &st);
	if (found && is_file(&st))
		return file;
	*why = found ? kind_of(st.st_mode) : strerror(errno);
	if (file >= 0)
		close(file);
	return -1;
}

int
file_open(const char *path, const char **why)
{
	*why = file_outside(path);
	return *why ? -1 : open_regular(path, why);
}

static FILE *
open_stream(int file, const char **why)
{
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");
	if (!stream && file >= 0) {
		*why = strerror(errno);
		close(file);
	}
	return stream;
}

FILE *
file_open_stream(const char *path, const char **why)
{
	return open_stream(file_open(path, why), why);
}

FILE *
file_open_settings(const char *path, const char **why)
{
	return open_stream(open_regular(path, why), why);
}

/* --- stamps ------------------------------------------------------------ */

struct file_stamp
file_stamp(const char *path)
{
	struct stat st = {0};
	if (stat(path, &st))
		return (struct file_stamp){.path = path};
	return (struct file_stamp){.path = path,
				   .device = st.st_dev,
				   .inode = st.st_ino,
				   .size = st.st_size,
				   .written = st.st_mtim};
}

enum file_change
file_compare(const struct file_stamp *then)
{
	struct stat st;
	if (stat(then->path, &st))
		return then->inode ? FILE_GONE : FILE_SAME;
	bool same = st.st_dev == then->device && st.st_ino == then->inode &&
		    st.st_size == then->size && st.st_mtim.tv_sec == then->written.tv_sec &&
		    st.st_mtim.tv_nsec == then->written.tv_nsec;
	return same ? FILE_SAME : FILE_CHANGED;
}

/* --- reading ----------------------------------------------------------- */

bool
file_read_at(int file, void *bytes, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t n = pread(file, bytes, length, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (char *)bytes + n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return true;
}

static int
write_all(int file, const void *bytes, size_t length)
{
	while (length) {
		ssize_t n = write(file, bytes, length);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			bytes = (const char *)bytes + n;
			length -= (size_t)n;
		}
	}
	return 0;
}

/* Copy FILE up to its current length.  Return the reason if that fails, else NULL. */
static const char *
copy_all(int file, int copy)
{
	enum { PIECE = 1 << 16 };
	struct stat st;
	if (fstat(file, &st))
		return strerror(errno);
	if ((uint64_t)st.st_size > FILE_COPY_MOST)
		return "it is larger than 4 GiB; strip its debug information";
	char *piece = mem_new(PIECE);
	uint64_t left = (uint64_t)st.st_size;
	ssize_t n = 1;
	bool good = true;
	while (good && n && left) {
		n = read(file, piece, left < PIECE ? (size_t)left : PIECE);
		good = n < 0 ? errno == EINTR : !write_all(copy, piece, (size_t)n);
		left -= n > 0 ? (uint64_t)n : 0;
	}
	free(piece);
	return good ? NULL : strerror(errno);
}

int
file_open_copy(const char *path, const char **why)
{
	int file = file_open(path, why);
	if (file < 0)
		return -1;
	int copy = memfd_create("trawl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	*why = copy < 0 ? strerror(errno) : copy_all(file, copy);
	close(file);
	if (copy < 0)
		return -1;
	if (!*why && !fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
		return copy;
	if (!*why)
		*why = strerror(errno);
	close(copy);
	return -1;
}

/* --- pruning ----------------------------------------------------------- */

struct kept_file {
	struct timespec written;
	uint64_t size;
	char *name;
};

static int
by_age(const void *a, const void *b)
{
	const struct timespec *left = &((const struct kept_file *)a)->written;
	const struct timespec *right = &((const struct kept_file *)b)->written;
	if (left->tv_sec != right->tv_sec)
		return left->tv_sec < right->tv_sec ? -1 : 1;
	return left->tv_nsec < right->tv_nsec ? -1 : left->tv_nsec > right->tv_nsec;
}

/* True if a name is one of ours: hexadecimal digits with dashes, then the ending. */
static bool
is_name(const char *name, const char *ending)
{
	size_t length = strlen(name), least = strlen(ending);
	size_t number = strspn(name, "0123456789abcdef-");
	return number && name[number] == '.' && length >= number + least &&
	       !strcmp(name + length - least, ending);
}

/* True if we wrote the file. */
static bool
is_ours(int folder, const char *name, const char *head)
{
	struct stat st;
	char bytes[HEAD_MAX];
	size_t length = strlen(head);
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return false;
	bool ours = !fstat(file, &st) && S_ISREG(st.st_mode) &&
		    file_read_at(file, bytes, length, 0) && !memcmp(bytes, head, length);
	close(file);
	return ours;
}

void
file_prune(const char *path, const struct file_kind *kind, uint64_t files, uint64_t bytes)
{
	VEC(struct kept_file) found = {0};
	uint64_t sum = 0;
	struct text folder = {0};
	text_add_bytes(&folder, path, (size_t)(strrchr(path, '/') - path));
	DIR *dir = opendir(text_get(&folder));
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;
		if (!is_name(entry->d_name, kind->ending) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		*vec_add(&found) = (struct kept_file){.written = st.st_mtim,
						      .size = (uint64_t)st.st_size,
						      .name = mem_text(entry->d_name)};
		sum += (uint64_t)st.st_size;
	}
	if (found.count)
		qsort(found.at, found.count, sizeof *found.at, by_age);
	uint64_t left = found.count;
	for (size_t i = 0; i < found.count; i++) {
		if ((left > files || sum > bytes) &&
		    is_ours(dirfd(dir), found.at[i].name, kind->head) &&
		    unlinkat(dirfd(dir), found.at[i].name, 0) == 0) {
			sum -= found.at[i].size;
			left--;
		}
		free(found.at[i].name);
	}
	vec_free(&found);
	if (dir)
		closedir(dir);
	text_free(&folder);
}

int
file_unnamed(const char *folder)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/trawl.XXXXXX", folder);
	int file = mkostemp(path, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	return file;
}
