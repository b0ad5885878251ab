/*
 * The lines of the detail pane: the text of the selected message, its times, and its fields.
 * The fields are a tree that opens and closes.
 */
#ifndef TRAWL_UI_DETAIL_LINES_H
#define TRAWL_UI_DETAIL_LINES_H

#include "base/vec.h"
#include "decode/decoder.h"
#include "ui/panes/lines.h"

enum detail_kind {
	DETAIL_TEXT, /* bytes [at, at + length) of the text */
	DETAIL_TIME, /* time number AT */
	DETAIL_FIELD,
	DETAIL_HEAD /* parent line of the message's header fields */
};

struct detail_line {
	enum detail_kind kind;
	uint8_t depth; /* in the tree */
	size_t at;     /* byte of the text, or number of the time or field */
	size_t length;
};

enum { DETAIL_TIMES = 3 };

/* Zero-initialise. */
struct detail_lines {
	VEC(const struct field_row *) turned; /* rows that the user opened or closed */
	bool head_turned;		      /* the user opened or closed the header line */
	VEC(struct detail_line) lines;
	struct text text; /* of the message */
	struct text times[DETAIL_TIMES];
	/* under the cursor: a field, or the header line */
	const struct field_row *row;
	bool on_head;
};

/* Build the lines for COLUMNS columns from `text` and `times`. Keep the cursor on its field. */
void detail_lines_make(struct detail_lines *, struct lines *cursor, const struct expansion *,
		       int columns, enum text_charset);
void detail_lines_free(struct detail_lines *);

/* Remember the field under the cursor. Call it after each move. */
void detail_lines_moved(struct detail_lines *, const struct lines *cursor,
			const struct expansion *);

/* True if a line has children, and if they are shown. */
bool detail_line_folds(const struct detail_line *, const struct expansion *);
bool detail_line_is_open(const struct detail_lines *, const struct detail_line *,
			 const struct expansion *);
void detail_line_set_open(struct detail_lines *, const struct detail_line *,
			  const struct expansion *, bool open);

/* Call EACH with the number of each direct child of a line, in order. Stop when EACH returns
 * false. */
void detail_line_children(const struct detail_line *, const struct expansion *,
			  bool (*each)(void *, size_t field), void *context);

#endif
