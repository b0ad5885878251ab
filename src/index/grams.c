/*
 * N-grams of texts: see grams.h.
 *
 * A head, then the bands.  Each band begins with the checksums of its pieces, then come the
 * pieces: as many rows as there are in PIECE bytes, at least one.  Where a piece lies follows
 * from the numbers of the head, so a row is one read of the disk for each band, and the
 * file's size is known before anything in it is believed.
 */
#include "config.h"

#include "index/grams.h"
#include "base/writer.h"
#include "base/bytes.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PIECE = 4096,	  /* bytes with a checksum, but for longer rows */
	BYTES_TO_ROW = 8, /* of a cell: it takes 1/64 of its bytes */
	ROWS_MIN = 8192,  /* smaller cells are those of tests */
	SHIFT_MAX = 40,
	FOLDERS = 0700,
	GRAMS_MOST = 8 /* of classes, that are looked up for a place of a needle */
};

static const char mark[8] = "grams 1"; /* to change with what the bytes mean */
const struct file_kind grams_kind = {GRAMS_ENDING, "grams "};

struct grams_head {
	char mark[8];
	uint64_t order; /* 1, in the byte order of all numbers */
	struct saved_about about;
	uint64_t cells;
	uint64_t checksum; /* of this before it was set */
};

/* How a band lies in the file. */
struct grams_place {
	uint64_t offset;
	uint64_t cells;
	uint64_t row_size;	     /* bytes */
	uint64_t piece_rows, pieces; /* the last piece may have fewer */
	uint64_t size;
};

static uint32_t
rows_of(unsigned cell_shift)
{
	uint64_t rows = (UINT64_C(1) << cell_shift) / BYTES_TO_ROW;
	return rows < ROWS_MIN ? ROWS_MIN : rows > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)rows;
}

static struct grams_place
band_of(uint32_t rows, uint64_t cells, uint64_t offset)
{
	uint64_t all = (uint64_t)rows + 1;
	struct grams_place band = {.offset = offset, .cells = cells, .row_size = (cells + 7) / 8};
	band.piece_rows = band.row_size < PIECE ? PIECE / band.row_size : 1;
	band.pieces = (all + band.piece_rows - 1) / band.piece_rows;
	band.size = band.pieces * sizeof(uint32_t) + all * band.row_size;
	return band;
}

/* Band NUMBER of a file of CELLS. */
static struct grams_place
find_band(uint32_t rows, uint64_t cells, uint64_t number)
{
	uint64_t left = cells - number * GRAMS_BAND;
	uint64_t before = number ? number * band_of(rows, GRAMS_BAND, 0).size : 0;
	return band_of(rows, left < GRAMS_BAND ? left : GRAMS_BAND,
		       sizeof(struct grams_head) + before);
}

static uint32_t
hash_head(const struct grams_head *head)
{
	struct grams_head plain = *head;
	plain.checksum = 0;
	return bytes_crc32c(0, &plain, sizeof plain);
}

/* --- n-grams ----------------------------------------------------------- */

static uint8_t
to_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* Of the last three bytes, in lower case, in the low bits. */
static uint32_t
row_of(uint32_t bytes, enum grams_part part, uint32_t rows)
{
	uint32_t hash = ((bytes & 0xffffff) | (uint32_t)part << 24) * UINT32_C(0x9e3779b1);
	hash = (hash ^ hash >> 15) * UINT32_C(0x85ebca77);
	hash ^= hash >> 13;
	return (uint32_t)((uint64_t)hash * rows >> 32);
}

struct grams_cell
grams_cell_new(unsigned cell_shift)
{
	uint32_t rows = rows_of(cell_shift);
	return (struct grams_cell){.bits = mem_new(rows / 8 + 1), .rows = rows};
}

void
grams_cell_free(struct grams_cell *cell)
{
	free(cell->bits);
	cell->bits = NULL;
}

void
grams_cell_clear(struct grams_cell *cell)
{
	memset(cell->bits, 0, cell->rows / 8 + 1);
}

static void
set_bit(uint8_t *bits, uint64_t at)
{
	bits[at / 8] |= (uint8_t)(1u << at % 8);
}

void
grams_cell_add(struct grams_cell *cell, enum grams_part part, const char *text, size_t length)
{
	uint32_t bytes = 0;
	for (size_t i = 0; i < length; i++) {
		bytes = bytes << 8 | to_lower((uint8_t)text[i]);
		if (i + 1 >= GRAMS_SPAN)
			set_bit(cell->bits, row_of(bytes, part, cell->rows));
	}
}

void
grams_cell_add_unnamed(struct grams_cell *cell)
{
	set_bit(cell->bits, cell->rows);
}

/* --- writing ----------------------------------------------------------- */

struct grams_draft {
	struct writer file;
	struct err err; /* of the first write that failed */
	char *path;
	struct grams_head head;
	uint32_t rows;
	uint64_t number; /* of the band */
	struct grams_place band;
	uint8_t *bits;	     /* its rows */
	uint32_t *checksums; /* room for those of a band */
};

struct grams_draft *
grams_draft_new(const char *path, mode_t mode, const struct saved_about *about, uint64_t cells,
		struct err *err)
{
	struct grams_draft *draft = mem_new(sizeof *draft);
	const struct writer_options options = {
	    .flags = WRITER_FORCE, .mode = mode, .folders = FOLDERS};
	if (writer_open(&draft->file, path, &options, err) < 0) {
		writer_abandon(&draft->file);
		free(draft);
		return NULL;
	}
	memcpy(draft->head.mark, mark, sizeof mark);
	draft->head.order = 1;
	draft->head.about = *about;
	draft->head.cells = cells;
	draft->head.checksum = hash_head(&draft->head);
	draft->rows = rows_of(about->cell_shift);
	draft->band = find_band(draft->rows, cells, 0);
	draft->bits = mem_new((draft->rows + (size_t)1) * draft->band.row_size);
	draft->checksums = mem_new((draft->rows + (size_t)1) * sizeof *draft->checksums);
	writer_add(&draft->file, &draft->head, sizeof draft->head, &draft->err);
	return draft;
}

void
grams_draft_band(const struct grams_draft *draft, uint64_t *begin, uint64_t *end)
{
	uint64_t all = draft->head.cells;
	*begin = draft->number * GRAMS_BAND;
	if (*begin > all)
		*begin = all;
	*end = all - *begin < GRAMS_BAND ? all : *begin + GRAMS_BAND;
}

void
grams_draft_put(struct grams_draft *draft, uint64_t number, const struct grams_cell *cell)
{
	uint64_t at = number % GRAMS_BAND;
	uint8_t *column = draft->bits + at / 8, bit = (uint8_t)(1u << at % 8);
	for (size_t i = 0; i <= draft->rows / 8; i++)
		for (unsigned bits = cell->bits[i]; bits; bits &= bits - 1)
			column[(8 * i + (unsigned)__builtin_ctz(bits)) * draft->band.row_size] |=
			    bit;
}

void
grams_draft_end_band(struct grams_draft *draft)
{
	const struct grams_place *band = &draft->band;
	size_t size = (draft->rows + (size_t)1) * band->row_size;
	size_t most = band->piece_rows * band->row_size;
	for (size_t i = 0; i < band->pieces; i++) {
		size_t left = size - i * most;
		draft->checksums[i] =
		    bytes_crc32c(0, draft->bits + i * most, left < most ? left : most);
	}
	writer_add(&draft->file, draft->checksums, band->pieces * sizeof *draft->checksums,
		   &draft->err);
	writer_add(&draft->file, draft->bits, size, &draft->err);
	memset(draft->bits, 0, size);
	draft->number++;
	if (draft->number * GRAMS_BAND < draft->head.cells)
		draft->band = find_band(draft->rows, draft->head.cells, draft->number);
}

int
grams_draft_place(struct grams_draft *draft, bool use, struct err *err)
{
	*err = draft->err;
	int failed = err->code;
	if (use && !failed)
		failed = writer_commit(&draft->file, err);
	writer_abandon(&draft->file);
	free(draft->bits);
	free(draft->checksums);
	free(draft);
	return failed;
}

/* --- reading ----------------------------------------------------------- */

struct grams {
	int file;
	struct grams_head head;
	uint32_t rows;
	uint64_t size;
	unsigned serial;
};

/* Whether the head is one, of a file of SIZE bytes. */
static bool
is_sound(const struct grams_head *head, uint64_t size)
{
	uint64_t cells = head->cells;
	if (memcmp(head->mark, mark, sizeof mark) != 0 || head->order != 1 ||
	    head->checksum != hash_head(head) || head->about.cell_shift > SHIFT_MAX || !cells ||
	    cells > size)
		return false;
	uint32_t rows = rows_of(head->about.cell_shift);
	struct grams_place last = find_band(rows, cells, (cells - 1) / GRAMS_BAND);
	return size == last.offset + last.size;
}

struct grams *
grams_open(const char *path, bool *damaged)
{
	static atomic_uint serial;
	struct grams *grams = mem_new(sizeof *grams);
	struct stat st;
	*damaged = false;
	grams->serial = atomic_fetch_add(&serial, 1) + 1;
	grams->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (grams->file >= 0 && !flock(grams->file, LOCK_SH | LOCK_NB) &&
	    fstat(grams->file, &st) == 0 && S_ISREG(st.st_mode)) {
		grams->size = (uint64_t)st.st_size;
		*damaged = !file_read_at(grams->file, &grams->head, sizeof grams->head, 0) ||
			   !is_sound(&grams->head, grams->size);
		grams->rows = *damaged ? 0 : rows_of(grams->head.about.cell_shift);
	}
	if (grams->rows)
		return grams;
	grams_close(grams);
	return NULL;
}

void
grams_close(struct grams *grams)
{
	if (grams && grams->file >= 0)
		close(grams->file);
	free(grams);
}

unsigned
grams_serial(const struct grams *grams)
{
	return grams->serial;
}

const struct saved_about *
grams_about(const struct grams *grams)
{
	return &grams->head.about;
}

uint64_t
grams_cells(const struct grams *grams)
{
	return grams->head.cells;
}

uint64_t
grams_size(const struct grams *grams)
{
	return grams->size;
}

/* Reads a row of a band; ROOM is for the piece that it lies in.  NULL: it is damaged. */
static const uint8_t *
read_row(const struct grams *grams, const struct grams_place *band, uint32_t row, uint8_t *room)
{
	uint64_t piece = row / band->piece_rows, first = piece * band->piece_rows;
	uint64_t left = grams->rows + UINT64_C(1) - first;
	size_t size = (left < band->piece_rows ? left : band->piece_rows) * band->row_size;
	uint64_t rows = band->offset + band->pieces * sizeof(uint32_t);
	uint32_t sum;
	if (!file_read_at(grams->file, &sum, sizeof sum, band->offset + piece * sizeof sum) ||
	    !file_read_at(grams->file, room, size, rows + first * band->row_size) ||
	    bytes_crc32c(0, room, size) != sum)
		return NULL;
	return room + (row - first) * band->row_size;
}

/* What a search in a band needs: the cells so far, and room for a piece. */
struct grams_search {
	const struct grams *grams;
	struct grams_place band;
	uint8_t *found, *any, *room; /* ANY: those that have one of some n-grams */
	bool damaged;
};

/* Adds the cells that have a row's bit. */
static void
add_row(struct grams_search *s, uint32_t row)
{
	const uint8_t *bits = read_row(s->grams, &s->band, row, s->room);
	s->damaged |= !bits;
	for (size_t i = 0; bits && i < s->band.row_size; i++)
		s->any[i] |= bits[i];
}

/* The bytes of a set, in lower case, and how many; 0 where they are too many to be read. */
static size_t
lower_bytes(const struct byte_set *set, uint8_t bytes[static GRAMS_MOST])
{
	size_t count = 0;
	for (unsigned c = 0; c < 256; c++) {
		bool doubled = c >= 'A' && c <= 'Z' && byte_set_has(set, to_lower((uint8_t)c));
		if (!byte_set_has(set, (uint8_t)c) || doubled)
			continue;
		if (count == GRAMS_MOST)
			return 0;
		bytes[count++] = to_lower((uint8_t)c);
	}
	return count;
}

/* Leaves those cells that have an n-gram of bytes of the sets, too, if these are few. */
static void
keep_gram(struct grams_search *s, enum grams_part part, const struct byte_set *sets)
{
	uint8_t bytes[GRAMS_SPAN][GRAMS_MOST];
	size_t counts[GRAMS_SPAN], all = 1;
	for (size_t i = 0; i < GRAMS_SPAN; i++)
		all *= counts[i] = lower_bytes(&sets[i], bytes[i]);
	if (!all || all > GRAMS_MOST)
		return;
	memset(s->any, 0, s->band.row_size);
	for (size_t k = 0; k < all && !s->damaged; k++) {
		uint32_t gram = 0;
		for (size_t i = 0, rest = k; i < GRAMS_SPAN; rest /= counts[i], i++)
			gram = gram << 8 | bytes[i][rest % counts[i]];
		add_row(s, row_of(gram, part, s->grams->rows));
	}
	for (size_t i = 0; i < s->band.row_size; i++)
		s->found[i] &= s->any[i];
}

/* Adds the cells of the band that may have a needle. */
static void
find_needle(struct grams_search *s, enum grams_part part, const struct needle *needle,
	    uint8_t *cells)
{
	memset(s->found, 0xff, s->band.row_size);
	for (size_t i = 0; i + GRAMS_SPAN <= needle->length && !s->damaged; i++)
		keep_gram(s, part, &needle->at[i]);
	for (size_t i = 0; i < s->band.row_size; i++)
		cells[i] |= s->found[i];
}

/* Calls EACH for every band, with the cells of the band. */
static bool
search_bands(const struct grams *grams,
	     void (*each)(struct grams_search *, uint8_t *, const void *), const void *context,
	     uint8_t *cells)
{
	uint64_t bands = (grams->head.cells - 1) / GRAMS_BAND + 1;
	struct grams_search s = {.grams = grams};
	s.room = mem_new(2 * PIECE); /* which a row of a band is no longer than */
	s.found = mem_new(GRAMS_BAND / 8);
	s.any = mem_new(GRAMS_BAND / 8);
	for (uint64_t i = 0; i < bands && !s.damaged; i++) {
		s.band = find_band(grams->rows, grams->head.cells, i);
		each(&s, cells + i * (GRAMS_BAND / 8), context);
	}
	free(s.room);
	free(s.found);
	free(s.any);
	return !s.damaged;
}

struct grams_sought {
	enum grams_part part;
	const struct needles *needles;
};

static void
find_set(struct grams_search *s, uint8_t *cells, const void *context)
{
	const struct grams_sought *sought = context;
	for (size_t i = 0; i < sought->needles->count && !s->damaged; i++)
		find_needle(s, sought->part, &sought->needles->at[i], cells);
}

bool
grams_find(const struct grams *grams, enum grams_part part, const struct needles *set,
	   uint8_t *cells)
{
	const struct grams_sought sought = {part, set};
	if (!set->count)
		memset(cells, 0xff, (grams->head.cells + 7) / 8);
	return search_bands(grams, find_set, &sought, cells);
}

static void
find_unnamed(struct grams_search *s, uint8_t *cells, const void *context)
{
	(void)context;
	memset(s->any, 0, s->band.row_size);
	add_row(s, s->grams->rows);
	for (size_t i = 0; i < s->band.row_size; i++)
		cells[i] |= s->any[i];
}

bool
grams_find_unnamed(const struct grams *grams, uint8_t *cells)
{
	return search_bands(grams, find_unnamed, NULL, cells);
}
