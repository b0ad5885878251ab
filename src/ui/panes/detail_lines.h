/*
 * The lines of the detail pane: the text of the selected message, its times, and its fields
 * as a tree that opens and closes.
 */
#ifndef TRAWL_UI_DETAIL_LINES_H
#define TRAWL_UI_DETAIL_LINES_H

#include "base/vec.h"
#include "decode/decoder.h"
#include "ui/panes/lines.h"

enum detail_kind {
	DETAIL_TEXT, /* bytes [at, at + length) of the text */
	DETAIL_TIME, /* number AT of the times */
	DETAIL_FIELD,
	DETAIL_HEAD /* what fields of the message's head stand under */
};

struct detail_line {
	enum detail_kind kind;
	uint8_t depth; /* in the tree */
	size_t at;     /* number of the field, where it is one */
	size_t length;
};

enum { DETAIL_TIMES = 3 };

/* Zero-initialise. */
struct detail_lines {
	VEC(const struct field_row *) turned; /* opened, or closed, by the user */
	bool head_turned;		      /* likewise */
	VEC(struct detail_line) lines;
	struct text text; /* of the message */
	struct text times[DETAIL_TIMES];
	/* what is under the cursor: a field, or the line of the head */
	const struct field_row *row;
	bool on_head;
};

/* Makes the lines for COLUMNS columns; its text and times are set.  The cursor stays on
 * its field. */
void detail_lines_make(struct detail_lines *, struct lines *cursor, const struct expansion *,
		       int columns, enum text_charset);
void detail_lines_free(struct detail_lines *);

/* Notes what the cursor is on, after it was moved. */
void detail_lines_moved(struct detail_lines *, const struct lines *cursor,
			const struct expansion *);

/* Whether a line has others below it, and whether these are shown. */
bool detail_line_folds(const struct detail_line *, const struct expansion *);
bool detail_line_is_open(const struct detail_lines *, const struct detail_line *,
			 const struct expansion *);
void detail_line_set_open(struct detail_lines *, const struct detail_line *,
			  const struct expansion *, bool open);

/* Whether a field has others in it. */
bool detail_has_children(const struct expansion *, size_t field);
/* Calls EACH with the fields right below a line, in order, by their numbers, until it
 * returns false. */
void detail_line_children(const struct detail_line *, const struct expansion *,
			  bool (*each)(void *, size_t field), void *context);

#endif
