/*
 * N-grams of texts, in a file: which cells cannot have a text with what is sought.
 *
 * For each cell of the index a set of all three bytes that follow each other in the texts
 * of its messages, whatever the case of ASCII letters: a bit for each value of a hash of
 * them.  The sets lie bit-sliced: a row for each value, of one bit for each cell.  What is
 * sought needs the rows of its own three bytes, whose common bits are the cells that may
 * have it.  What is in no cell is found out by some rows of cells / 8 bytes.
 *
 * A row more says which cells have messages that are `unnamed` (struct expansion).
 *
 * Cells come in bands of GRAMS_BAND, each with all rows of its cells: so a file is written
 * in pieces, of whatever capture.  It takes 1/64 of the capture, and checksums.  As other
 * files that are kept (saved.h) it says which capture it is about, replaces the one before
 * in one step, and is used for nothing else; every piece that is read has a checksum.
 *
 * Threads: a file that is open does not change, and is read by any.
 */
#ifndef TRAWL_INDEX_GRAMS_H
#define TRAWL_INDEX_GRAMS_H

#include "base/err.h"
#include "base/needle.h"
#include "index/saved.h"

enum { GRAMS_BAND = 1 << 15, /* cells */ GRAMS_SPAN = 3 /* bytes */ };

/* What of a message a text is: what is sought in one is not found in the other. */
enum grams_part { GRAMS_TEXT /* and type */, GRAMS_ORIGIN, GRAMS_PARTS };

#define GRAMS_ENDING ".grams" /* of names of files */

extern const struct file_kind grams_kind;

/* --- the set of a cell ------------------------------------------------- */

struct grams_cell {
	uint8_t *bits; /* a bit each row, and for `unnamed` one more */
	uint32_t rows; /* without that one */
};

/* For cells of 1 << CELL_SHIFT bytes; freed with grams_cell_free. */
struct grams_cell grams_cell_new(unsigned cell_shift);
void grams_cell_free(struct grams_cell *);
void grams_cell_clear(struct grams_cell *);
void grams_cell_add(struct grams_cell *, enum grams_part, const char *text, size_t length);
void grams_cell_add_unnamed(struct grams_cell *);

/* --- writing ----------------------------------------------------------- */

struct grams_draft;

/* Begins a file with MODE (less the umask), of the first CELLS of what it is about; NULL with
 * a reason. */
struct grams_draft *grams_draft_new(const char *path, mode_t mode, const struct saved_about *,
				    uint64_t cells, struct err *);
/* The next cells to be put; *BEGIN == *END: there are no more. */
void grams_draft_band(const struct grams_draft *, uint64_t *begin, uint64_t *end);
/* Puts a cell of that band, each once; from several threads where no two put cells of the
 * same eight. */
void grams_draft_put(struct grams_draft *, uint64_t cell, const struct grams_cell *);
/* Writes the band, whose cells have all been put. */
void grams_draft_end_band(struct grams_draft *);
/* Ends and frees it.  USE: the file is placed where it belongs, else nothing is left of it.  0,
 * or ERR_IO. */
int grams_draft_place(struct grams_draft *, bool use, struct err *);

/* --- reading ----------------------------------------------------------- */

struct grams;

/* NULL if there is no such file, or *DAMAGED: it is not as it was written. */
struct grams *grams_open(const char *path, bool *damaged);
void grams_close(struct grams *); /* NULL is fine */

/* Another number for each that was opened. */
unsigned grams_serial(const struct grams *);
const struct saved_about *grams_about(const struct grams *);
uint64_t grams_cells(const struct grams *);
uint64_t grams_size(const struct grams *); /* bytes of the file */

/* Sets the bits in CELLS, of (grams_cells() + 7) / 8 bytes, of those cells that may have a text
 * with one of SET; all, where that cannot be found out.  False: the file is damaged. */
bool grams_find(const struct grams *, enum grams_part, const struct needles *set, uint8_t *cells);
/* The same of those with messages that are `unnamed`. */
bool grams_find_unnamed(const struct grams *, uint8_t *cells);

#endif
