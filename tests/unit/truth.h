/*
 * What a capture of testdata/ or of mkcapture holds, in the words of its encoder:
 * NAME.truth.tsv, a line for each message.
 */
#ifndef TRAWL_TESTS_UNIT_TRUTH_H
#define TRAWL_TESTS_UNIT_TRUTH_H

#include "base/text.h"
#include "base/vec.h"

enum truth_column { OFFSET, LENGTH, TICKS, STATE, SEVERITY, TYPE, TEXT, FIELDS, COLUMNS };

struct truth {
	char *lines;
	VEC(char *) rows[COLUMNS];
};

/* Of testdata/NAME, or of a whole path. */
void truth_read(struct truth *, const char *name);
void truth_free(struct truth *);

/* That a row of the screen shows message N: severity and text (cut off at the
 * border). */
void truth_check_row(const char *shown, const struct truth *, size_t n);

/* How many messages have SEVERITY (NULL: any), and WHAT in their fields, from
 * byte FROM on. */
size_t truth_count(const struct truth *, const char *severity, const char *what, uint64_t from);

/* A capture of COUNT messages and its truth, made for this; both paths.  Skips the
 * test without mkcapture. */
void truth_make_capture(unsigned count, struct text *capture, struct text *truth);

#endif
