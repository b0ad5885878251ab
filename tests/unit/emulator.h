/*
 * A terminal in the test's process: what a person would see of the bytes a
 * program sends.  libvterm behind five functions.
 */
#ifndef TRAWL_TESTS_UNIT_EMULATOR_H
#define TRAWL_TESTS_UNIT_EMULATOR_H

#include "base/text.h"

struct emulator;

struct emulator *emulator_new(int rows, int cols);
void emulator_free(struct emulator *);
void emulator_resize(struct emulator *, int rows, int cols);
void emulator_feed(struct emulator *, const char *bytes, size_t length);

/* What is in a cell; `code` 0 is an empty one, or the right half of a wide
 * character. */
struct emulator_cell {
	uint32_t code;
	bool bold, underline, reverse, coloured;
	int fg; /* number of its colour in the palette, -1: another or none */
};
struct emulator_cell emulator_cell(const struct emulator *, int row, int col);

/* Replaces line-drawing characters by the ASCII that the program uses instead.  Tests name rules
 * by these; emulator_cell() has the real ones. */
void emulator_ascii_lines(struct text *);

/* A row without the blanks at its end, its lines in ASCII; the text is the emulator's. */
const char *emulator_row(struct emulator *, int row);

/* All rows, each with a line feed. */
void emulator_screen(struct emulator *, struct text *out);

#endif
