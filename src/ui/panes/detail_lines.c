/*
 * The choice of lines: see detail_lines.h.
 *
 * Open and closed state and the cursor belong to a field, not to a message. The tree thus looks
 * the same from message to message. Fields keep the order of the message, with two exceptions.
 * Header fields stand under a line of their own, and transport fields follow them. Both start
 * closed, unless the message has no other fields.
 */
#include "config.h"

#include "ui/panes/detail_lines.h"

void
detail_lines_free(struct detail_lines *d)
{
	vec_free(&d->turned);
	vec_free(&d->lines);
	text_free(&d->text);
	for (int i = 0; i < DETAIL_TIMES; i++)
		text_free(&d->times[i]);
}

enum { TEXT_ROWS_MAX = 1000 }; /* the last one ends in the truncation sign */

/* Return the number of the first field after a field and its children. */
static size_t
field_end(const struct expansion *e, size_t i)
{
	unsigned depth = e->fields.at[i].depth;
	for (i++; i < e->fields.count && e->fields.at[i].depth > depth; i++)
		;
	return i;
}

/* True if a message has only header and transport fields. */
static bool
is_bare(const struct expansion *e)
{
	for (size_t i = 0; i < e->fields.count; i = field_end(e, i))
		if (e->fields.at[i].row->part == FIELD_BODY)
			return false;
	return true;
}

/* --- what is open ------------------------------------------------------- */

/* Return the place of a row in `turned`, or its count. */
static size_t
turned_at(const struct detail_lines *d, const struct field_row *row)
{
	size_t i = 0;
	while (i < d->turned.count && d->turned.at[i] != row)
		i++;
	return i;
}

bool
detail_line_folds(const struct detail_line *line, const struct expansion *e)
{
	return line->kind == DETAIL_HEAD ||
	       (line->kind == DETAIL_FIELD && field_end(e, line->at) > line->at + 1);
}

bool
detail_line_is_open(const struct detail_lines *d, const struct detail_line *line,
		    const struct expansion *e)
{
	if (line->kind == DETAIL_HEAD)
		return is_bare(e) != d->head_turned;
	const struct field_row *row = e->fields.at[line->at].row;
	return row->folded == (turned_at(d, row) < d->turned.count);
}

void
detail_line_set_open(struct detail_lines *d, const struct detail_line *line,
		     const struct expansion *e, bool open)
{
	if (detail_line_is_open(d, line, e) == open)
		return;
	if (line->kind == DETAIL_HEAD) {
		d->head_turned = !d->head_turned;
		return;
	}
	const struct field_row *row = e->fields.at[line->at].row;
	size_t i = turned_at(d, row);
	if (i < d->turned.count)
		d->turned.at[i] = d->turned.at[--d->turned.count];
	else
		*vec_add(&d->turned) = row;
}

void
detail_line_children(const struct detail_line *line, const struct expansion *e,
		     bool (*each)(void *, size_t field), void *context)
{
	bool head = line->kind == DETAIL_HEAD;
	size_t end = head ? e->fields.count : field_end(e, line->at);
	for (size_t i = head ? 0 : line->at + 1; i < end; i = field_end(e, i))
		if ((!head || e->fields.at[i].row->part == FIELD_HEAD) && !each(context, i))
			return;
}

/* --- the lines ---------------------------------------------------------- */

static void
add_line(struct detail_lines *d, enum detail_kind kind, unsigned depth, size_t at, size_t length)
{
	*vec_add(&d->lines) = (struct detail_line){kind, (uint8_t)depth, at, length};
}

/* Split the text into rows of COLUMNS, without the blanks between them. */
static void
add_text(struct detail_lines *d, int columns, enum text_charset charset)
{
	const char *text = text_get(&d->text);
	size_t length = d->text.length;
	for (size_t at = 0; at < length;) {
		bool last = d->lines.count + 1 == TEXT_ROWS_MAX;
		size_t end =
		    last ? length : at + text_fit_words(text + at, length - at, charset, columns);
		size_t shown = end;
		while (shown > at && text[shown - 1] == ' ')
			shown--;
		add_line(d, DETAIL_TEXT, 0, at, shown - at);
		for (at = end; at < length && text[at] == ' ';)
			at++;
	}
}

/* Add a field and its open children, DEPTH levels deeper than in the message. */
static void
add_tree(struct detail_lines *d, const struct expansion *e, size_t i, unsigned depth)
{
	size_t end = field_end(e, i);
	unsigned hidden_below = UINT8_MAX + 1; /* fields deeper than this are hidden */
	for (; i < end; i++) {
		const struct field *field = &e->fields.at[i];
		if (field->depth > hidden_below)
			continue;
		add_line(d, DETAIL_FIELD, field->depth + depth, i, 0);
		bool open = detail_line_is_open(d, &d->lines.at[d->lines.count - 1], e);
		hidden_below = open ? UINT8_MAX + 1 : field->depth;
	}
}

static void
add_part(struct detail_lines *d, const struct expansion *e, enum field_part part, unsigned depth)
{
	for (size_t i = 0; i < e->fields.count; i = field_end(e, i))
		if (e->fields.at[i].row->part == part)
			add_tree(d, e, i, depth);
}

static void
add_head(struct detail_lines *d, const struct expansion *e)
{
	const struct detail_line line = {.kind = DETAIL_HEAD};
	bool any = false;
	for (size_t i = 0; i < e->fields.count; i = field_end(e, i))
		any |= e->fields.at[i].row->part == FIELD_HEAD;
	if (any)
		add_line(d, DETAIL_HEAD, 0, 0, 0);
	if (any && detail_line_is_open(d, &line, e))
		add_part(d, e, FIELD_HEAD, 1);
}

/* Find the cursor's field again: on the old line, else on the first line that has it. */
static void
find_cursor(struct detail_lines *d, struct lines *cursor, const struct expansion *e)
{
	size_t old = cursor->line;
	bool found = false;
	for (size_t i = 0; i < d->lines.count && (d->row || d->on_head); i++) {
		const struct detail_line *line = &d->lines.at[i];
		bool same = line->kind == DETAIL_HEAD ? d->on_head
						      : line->kind == DETAIL_FIELD &&
							    e->fields.at[line->at].row == d->row;
		if (same && (!found || i == old))
			cursor->line = i;
		found |= same;
	}
	if (cursor->line >= d->lines.count)
		cursor->line = d->lines.count ? d->lines.count - 1 : 0;
}

void
detail_lines_make(struct detail_lines *d, struct lines *cursor, const struct expansion *e,
		  int columns, enum text_charset charset)
{
	vec_clear(&d->lines);
	add_text(d, columns > 2 ? columns - 2 : 1, charset);
	for (size_t i = 0; i < DETAIL_TIMES; i++)
		if (d->times[i].length)
			add_line(d, DETAIL_TIME, 0, i, 0);
	add_part(d, e, FIELD_BODY, 0);
	add_head(d, e);
	add_part(d, e, FIELD_TRANSPORT, 0);
	find_cursor(d, cursor, e);
}

void
detail_lines_moved(struct detail_lines *d, const struct lines *cursor, const struct expansion *e)
{
	const struct detail_line *line = &d->lines.at[cursor->line];
	d->on_head = line->kind == DETAIL_HEAD;
	d->row = line->kind == DETAIL_FIELD ? e->fields.at[line->at].row : NULL;
}
