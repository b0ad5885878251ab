/*
 * Saved files: see saved.h.
 *
 * A head, then the body. The body of an index is the bytes of its grid and its
 * totals. The file is read in one piece. It is trusted only after checking its
 * checksum, its identity and all numbers. That takes some milliseconds for a capture
 * of gigabytes.
 */
#include "config.h"

#include "index/saved.h"
#include "base/writer.h"
#include "base/bytes.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 65536, FOLDERS = 0700, FILES = 0600 };

static const char mark[8] = "trawl A"; /* change it with this file format */
const struct file_kind saved_kind = {SAVED_ENDING, "trawl "};

struct head {
	char mark[8];
	uint64_t order; /* 1, in the byte order of all numbers */
	struct saved_about about;
	uint64_t checksum; /* of this head with checksum 0, and of the body */
};

/* Head of the body of an index. */
struct saved_parts {
	uint64_t cells;
	uint64_t grid, totals; /* bytes of each */
};

static uint32_t
hash_sample(const struct capture *capture, uint64_t at, uint64_t size)
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
	       uint64_t settings, unsigned cell_shift, size_t record_size)
{
	memset(about, 0, sizeof *about);
	about->size = size;
	about->settings = settings;
	about->cell_shift = cell_shift;
	about->record_size = record_size;
	capture_identify(capture, &about->file);
	about->samples[0] = hash_sample(capture, 0, size);
	about->samples[1] = hash_sample(capture, size / 2, size);
	about->samples[2] = hash_sample(capture, size > SAMPLE ? size - SAMPLE : 0, size);
}

static uint32_t
hash_file(const struct head *head, const void *body, size_t length)
{
	struct head plain = *head;
	plain.checksum = 0;
	return bytes_crc32c(bytes_crc32c(0, &plain, sizeof plain), body, length);
}

/* --- writing ----------------------------------------------------------- */

int
saved_write(const char *path, const struct saved_about *about, const struct text *body,
	    struct err *err)
{
	struct head head;
	memset(&head, 0, sizeof head);
	memcpy(head.mark, mark, sizeof mark);
	head.order = 1;
	head.about = *about;
	head.checksum = hash_file(&head, body->data, body->length);
	struct writer writer = {0};
	const struct writer_options options = {
	    .flags = WRITER_FORCE, .mode = FILES, .folders = FOLDERS};
	int failed = writer_open(&writer, path, &options, err);
	if (!failed)
		failed = writer_add(&writer, &head, sizeof head, err);
	if (!failed)
		failed = writer_add(&writer, text_get(body), body->length, err);
	if (!failed)
		failed = writer_commit(&writer, err);
	writer_abandon(&writer);
	return failed;
}

int
saved_write_index(const char *path, const struct saved_about *about, const struct grid *grid,
		  struct origin_totals *totals, struct err *err)
{
	struct text body = {0};
	struct saved_parts parts = {.cells = grid_known(grid)};
	text_add_bytes(&body, &parts, sizeof parts);
	grid_write(grid, &body);
	parts.grid = body.length - sizeof parts;
	origin_totals_write(totals, &body);
	parts.totals = body.length - sizeof parts - parts.grid;
	memcpy(body.data, &parts, sizeof parts);
	int failed = saved_write(path, about, &body, err);
	text_free(&body);
	return failed;
}

/* --- reading ----------------------------------------------------------- */

static bool
is_whole(const struct head *head, size_t length)
{
	return length >= sizeof *head && !memcmp(head->mark, mark, sizeof mark) &&
	       head->order == 1 &&
	       hash_file(head, head + 1, length - sizeof *head) == head->checksum;
}

/* Return the whole file, or NULL. */
static void *
read_file(const char *path, size_t *length)
{
	struct stat st;
	char *bytes = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= SAVED_MAX && (bytes = malloc((size_t)st.st_size))) {
		futimens(file, NULL); /* file_prune removes the oldest first */
		*length = 0;
		ssize_t n;
		while ((n = read(file, bytes + *length, (size_t)st.st_size - *length)) > 0)
			*length += (size_t)n;
		if (*length != (size_t)st.st_size) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (file >= 0)
		close(file);
	return bytes;
}

bool
saved_open(const char *path, struct saved_file *file)
{
	size_t length;
	const struct head *head = read_file(path, &length);
	*file = (struct saved_file){.memory = (void *)head};
	if (head && is_whole(head, length)) {
		file->about = head->about;
		file->body =
		    (struct bytes_rest){(const uint8_t *)(head + 1), length - sizeof *head};
		return true;
	}
	saved_close(file);
	return false;
}

void
saved_close(struct saved_file *file)
{
	free(file->memory);
	file->memory = NULL;
}

/* Return how many of CELLS in a file for ABOUT are valid for the capture NOW: see
 * saved_read_index. */
static uint64_t
count_usable(const struct saved_about *about, uint64_t cells, const struct saved_about *now,
	     const struct capture *capture, uint64_t reach)
{
	struct saved_about then;
	if (now->size < about->size || cells > (now->size >> now->cell_shift) + 1 ||
	    about->cell_shift != now->cell_shift || about->record_size != now->record_size)
		return 0;
	saved_describe(&then, capture, about->size, now->settings, now->cell_shift,
		       now->record_size);
	if (now->size > about->size)
		then.file.modified = about->file.modified;
	if (memcmp(&then, about, sizeof then) != 0)
		return 0;
	if (now->size == about->size)
		return cells;
	uint64_t settled = about->size > reach ? about->size - reach : 0;
	uint64_t whole = settled >> now->cell_shift;
	return whole < cells ? whole : cells;
}

/* Move the next LENGTH bytes to PART. Return false, with nothing moved, if there are fewer. */
static bool
take_part(struct bytes_rest *rest, uint64_t length, struct bytes_rest *part)
{
	*part = (struct bytes_rest){bytes_pass(rest, length), (size_t)length};
	return part->at;
}

bool
saved_read_index(const char *path, const struct saved_about *now, const struct capture *capture,
		 uint64_t reach, struct grid *grid, struct origin_totals *totals)
{
	struct saved_file file;
	struct saved_parts parts;
	struct bytes_rest of_grid, of_totals;
	uint64_t cells = 0;
	if (!saved_open(path, &file))
		return false;
	if (bytes_take(&file.body, &parts, sizeof parts) &&
	    take_part(&file.body, parts.grid, &of_grid) &&
	    take_part(&file.body, parts.totals, &of_totals) && !file.body.left)
		cells = count_usable(&file.about, parts.cells, now, capture, reach);
	if (now->size != file.about.size)
		cells = cells / INDEX_GROUP * INDEX_GROUP;
	bool good = cells && grid_read(grid, &of_grid, cells) &&
		    origin_totals_read(totals, &of_totals, cells);
	saved_close(&file);
	return good;
}
