/*
 * Columns that are told besides, where they are asked for: see export.h.
 *
 * A gap is known when a message is formatted.  A delta depends on what is printed before,
 * which other threads format at the same time: where it belongs is noted, and it is put
 * in when pieces are written, in their order.
 */
#include "config.h"

#include "export/export.h"

#include <string.h>

enum { ALIGNED_COLUMNS = 12 };

static const struct {
	const char *name;
	enum export_column column;
} names[] = {{"delta", EXPORT_DELTA}, {"gap", EXPORT_GAP}};
enum { NAMES = sizeof names / sizeof *names };

int
export_parse_columns(const char *list, unsigned *columns, struct err *err)
{
	*columns = 0;
	for (size_t length; list && *list; list += length + (list[length] == ',')) {
		size_t i = 0;
		length = strcspn(list, ",");
		while (i < NAMES && (strlen(names[i].name) != length ||
				     strncmp(names[i].name, list, length) != 0))
			i++;
		if (i == NAMES)
			return err_set(err, ERR_USAGE, "--columns takes delta and gap, not %.*s",
				       (int)length, list);
		*columns |= names[i].column;
	}
	return 0;
}

void
export_add_column_names(unsigned columns, struct text *header)
{
	if (!columns)
		return;
	text_cut(header, header->length - 1);
	for (size_t i = 0; i < NAMES; i++)
		if (columns & names[i].column)
			text_addf(header, ",%s", names[i].name);
	text_add_char(header, '\n');
}

/* In words, with a unit, at the right of a column. */
static void
add_aligned(const char *sign, const struct gap *gap, struct text *out)
{
	struct text words = {0};
	if (gap) {
		text_add(&words, sign);
		gap_format(gap, false, &words);
	}
	text_addf(out, "%*s ", ALIGNED_COLUMNS, text_get(&words));
	text_free(&words);
}

/* A number of nanoseconds, if that is what it is. */
static void
add_number(const char *sign, const struct gap *gap, const char *without, struct text *out)
{
	if (gap && gap->known)
		text_addf(out, "%s%llu", sign, (unsigned long long)gap->length);
	else
		text_add(out, without);
}

/* GAP may be NULL: there is none. */
static void
add_gap(const char *name, bool back, bool delta, const struct gap *gap,
	enum export_column_style style, struct text *out)
{
	const char *sign = back ? "-" : "";
	if (style == EXPORT_ALIGNED) {
		add_aligned(delta && !back ? "+" : sign, gap, out);
	} else if (style == EXPORT_CSV) {
		text_add_char(out, ',');
		add_number(sign, gap, "", out);
	} else {
		text_addf(out, ",\"%s\":", name);
		add_number(sign, gap, "null", out);
	}
}

void
export_add_columns(struct export_message *message, enum export_column_style style, struct text *out)
{
	if (message->columns & EXPORT_DELTA)
		*vec_add(message->deltas) =
		    (struct export_delta){out->length, message->related, message->session_time};
	if (message->columns & EXPORT_GAP) {
		struct trace *trace = reader_trace(message->reader);
		struct gap gap;
		bool any = gap_cursor_find(message->gaps, trace, message->message, &gap);
		add_gap("gap", false, false, any ? &gap : NULL, style, out);
	}
}

static void
add_delta(const struct export_delta *delta, const struct export_delta *last,
	  enum export_column_style style, struct text *out)
{
	struct gap gap;
	bool both = delta->timed && last->timed;
	bool ahead = both && gap_between(&last->time, &delta->time, &gap);
	bool back = both && !ahead && gap_between(&delta->time, &last->time, &gap);
	add_gap("delta", back, true, ahead || back ? &gap : NULL, style, out);
}

void
export_add_deltas(const struct text *from, const export_deltas *deltas,
		  enum export_column_style style, struct export_delta *last, struct text *out)
{
	size_t done = 0;
	for (size_t i = 0; i < deltas->count; i++) {
		const struct export_delta *delta = &deltas->at[i];
		text_add_bytes(out, text_get(from) + done, delta->at - done);
		done = delta->at;
		add_delta(delta, last, style, out);
		if (delta->timed)
			*last = *delta;
	}
	text_add_bytes(out, text_get(from) + done, from->length - done);
}
