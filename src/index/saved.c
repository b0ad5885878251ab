/*
 * An index in a file: see saved.h.
 *
 * A head, then the grid and the census as they write themselves.  The file is
 * read in one piece, and believed after its checksum, what it is about, and all
 * numbers in it have been looked at; that takes some milliseconds for a capture
 * of gigabytes.
 */
#include "config.h"

#include "index/saved.h"
#include "base/bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 65536 };

static const char mark[8] = "trawl 1"; /* to change with what the bytes mean */

struct head {
	char mark[8];
	uint64_t order; /* 1, in the byte order of all numbers */
	struct saved_about about;
	uint64_t cells;
	uint64_t grid, census; /* bytes of each */
	uint64_t checksum;     /* of what follows, and of this before it was set */
};

static uint32_t
sample(const struct capture *capture, uint64_t at, uint64_t size)
{
	static const size_t all = SAMPLE;
	uint64_t left = at < size ? size - at : 0;
	size_t length = left < all ? (size_t)left : all;
	uint8_t *bytes = mem_new(all);
	uint32_t sum = bytes_crc32c(0, bytes, capture_read(capture, at, bytes, length));
	free(bytes);
	return sum;
}

void
saved_describe(struct saved_about *about, const struct capture *capture, uint64_t size,
	       uint64_t settings, unsigned cell_shift, size_t checkpoint_size)
{
	memset(about, 0, sizeof *about);
	about->size = size;
	about->settings = settings;
	about->cell_shift = cell_shift;
	about->checkpoint_size = checkpoint_size;
	capture_identify(capture, &about->file);
	about->samples[0] = sample(capture, 0, size);
	about->samples[1] = sample(capture, size / 2, size);
	about->samples[2] = sample(capture, size > SAMPLE ? size - SAMPLE : 0, size);
}

static uint32_t
checksum(const struct head *head, const void *body, size_t length)
{
	struct head plain = *head;
	plain.checksum = 0;
	return bytes_crc32c(bytes_crc32c(0, &plain, sizeof plain), body, length);
}

/* --- writing ----------------------------------------------------------- */

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

/* Opens a new file beside PATH; makes its folders if need be. */
static int
open_beside(const char *path, struct text *name)
{
	for (int again = 0; again < 2; again++) {
		text_clear(name);
		text_addf(name, "%s.XXXXXX", path);
		int file = mkostemp(name->data, O_CLOEXEC);
		if (file >= 0 || errno != ENOENT)
			return file;
		text_clear(name);
		text_add(name, path);
		for (char *slash = name->data; (slash = strchr(slash + 1, '/'));) {
			*slash = '\0';
			mkdir(name->data, 0700);
			*slash = '/';
		}
	}
	return -1;
}

int
saved_write(const char *path, const struct saved_about *about, const struct grid *grid,
	    struct census *census, struct err *err)
{
	struct text body = {0}, name = {0};
	struct head head;
	memset(&head, 0, sizeof head);
	memcpy(head.mark, mark, sizeof mark);
	head.order = 1;
	head.about = *about;
	head.cells = grid_known(grid);
	grid_write(grid, &body);
	head.grid = body.length;
	census_write(census, &body);
	head.census = body.length - head.grid;
	head.checksum = checksum(&head, body.data, body.length);

	int file = open_beside(path, &name);
	bool good = file >= 0 && !write_all(file, &head, sizeof head) &&
		    !write_all(file, body.data, body.length);
	int reason = errno;
	if (file >= 0 && close(file) != 0 && good) {
		reason = errno;
		good = false;
	}
	if (good && rename(name.data, path) != 0) {
		reason = errno;
		good = false;
	}
	if (!good && file >= 0)
		unlink(name.data);
	text_free(&name);
	text_free(&body);
	return good ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(reason));
}

/* --- reading ----------------------------------------------------------- */

/* How many cells of what HEAD is about are good for the capture as it is NOW. */
static uint64_t
cells_usable(const struct head *head, const struct saved_about *now, const struct capture *capture,
	     uint64_t reach, bool anywhere)
{
	struct saved_about then;
	if (now->size < head->about.size || head->cells > (now->size >> now->cell_shift) + 1 ||
	    head->about.cell_shift != now->cell_shift ||
	    head->about.checkpoint_size != now->checkpoint_size)
		return 0;
	saved_describe(&then, capture, head->about.size, now->settings, now->cell_shift,
		       now->checkpoint_size);
	if (anywhere)
		then.file = head->about.file;
	else if (now->size > head->about.size)
		then.file.modified = head->about.file.modified;
	if (memcmp(&then, &head->about, sizeof then) != 0)
		return 0;
	if (now->size == head->about.size)
		return head->cells;
	uint64_t settled = head->about.size > reach ? head->about.size - reach : 0;
	uint64_t cells = settled >> now->cell_shift;
	if (cells > head->cells)
		cells = head->cells;
	return cells / INDEX_GROUP * INDEX_GROUP;
}

static bool
is_whole(const struct head *head, size_t length)
{
	uint64_t body = length - sizeof *head;
	return !memcmp(head->mark, mark, sizeof mark) && head->order == 1 && head->grid <= body &&
	       head->census == body - head->grid &&
	       checksum(head, head + 1, (size_t)body) == head->checksum;
}

/* The whole file, or NULL; *LENGTH is at least a head. */
static struct head *
read_file(const char *path, size_t *length)
{
	struct stat st;
	struct head *head = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size >= (off_t)sizeof *head && (head = malloc((size_t)st.st_size))) {
		*length = 0;
		ssize_t n;
		while ((n = read(file, (char *)head + *length, (size_t)st.st_size - *length)) > 0)
			*length += (size_t)n;
		if (*length != (size_t)st.st_size) {
			free(head);
			head = NULL;
		}
	}
	if (file >= 0)
		close(file);
	return head;
}

bool
saved_read(const char *path, const struct saved_about *now, const struct capture *capture,
	   uint64_t reach, bool anywhere, struct grid *grid, struct census *census)
{
	size_t length;
	struct head *head = read_file(path, &length);
	if (!head)
		return false;
	uint64_t cells = 0;
	if (is_whole(head, length))
		cells = cells_usable(head, now, capture, reach, anywhere);
	struct bytes_rest rest = {(const uint8_t *)(head + 1), (size_t)head->grid};
	bool good = cells && grid_read(grid, &rest, cells);
	if (good) {
		rest = (struct bytes_rest){(const uint8_t *)(head + 1) + head->grid,
					   (size_t)head->census};
		good = census_read(census, &rest, cells);
	}
	free(head);
	return good;
}

/* --- pruning ----------------------------------------------------------- */

struct kept {
	struct timespec written;
	uint64_t size;
	char *name;
};

static int
by_age(const void *a, const void *b)
{
	const struct timespec *left = &((const struct kept *)a)->written;
	const struct timespec *right = &((const struct kept *)b)->written;
	if (left->tv_sec != right->tv_sec)
		return left->tv_sec < right->tv_sec ? -1 : 1;
	return left->tv_nsec < right->tv_nsec ? -1 : left->tv_nsec > right->tv_nsec;
}

void
saved_prune(const char *path, uint64_t bytes)
{
	static const char ending[] = ".index";
	VEC(struct kept) files = {0};
	uint64_t sum = 0;
	struct text folder = {0};
	text_add_bytes(&folder, path, (size_t)(strrchr(path, '/') - path));
	DIR *dir = opendir(text_get(&folder));
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;
		size_t length = strlen(entry->d_name);
		if (length < sizeof ending ||
		    strcmp(entry->d_name + length - (sizeof ending - 1), ending) != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		*vec_add(&files) = (struct kept){.written = st.st_mtim,
						 .size = (uint64_t)st.st_size,
						 .name = mem_text(entry->d_name)};
		sum += (uint64_t)st.st_size;
	}
	if (files.count)
		qsort(files.at, files.count, sizeof *files.at, by_age);
	for (size_t i = 0; i < files.count; i++) {
		if (sum > bytes && unlinkat(dirfd(dir), files.at[i].name, 0) == 0)
			sum -= files.at[i].size;
		free(files.at[i].name);
	}
	vec_free(&files);
	if (dir)
		closedir(dir);
	text_free(&folder);
}
