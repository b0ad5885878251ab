/*
 * Optional columns: see export.h.
 *
 * A gap is known when its message is formatted.  A delta depends on the last printed
 * message, which another thread may be formatting.  So only its place is noted.  It is
 * filled in when the pieces are written in order.
 */
#include "config.h"

#include "export/export.h"
#include "query/flow/flow_cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNED_COLUMNS = 12, DEPTH_COLUMNS = 3 };

static void add_depth(struct export_message *, enum export_column_style, int, struct text *);

static const struct {
	const char *name;
	enum export_column column;
	/* NULL: a text, which each format writes in its own way */
	void (*add)(struct export_message *, enum export_column_style, int columns, struct text *);
} names[] = {{"delta", EXPORT_DELTA, export_add_delta},
	     {"gap", EXPORT_GAP, export_add_gap},
	     {"depth", EXPORT_DEPTH, add_depth},
	     {"target", EXPORT_TARGET, NULL}};
enum { NAMES = sizeof names / sizeof *names };

const char *
export_column_name(size_t at)
{
	return at < NAMES ? names[at].name : NULL;
}

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
			return err_set(err, ERR_USAGE,
				       "--columns takes delta, gap, depth and target, not %.*s",
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

/* Append a gap with its unit, aligned right. */
static void
add_words(const char *sign, const struct gap *gap, int columns, struct text *out)
{
	struct text words = {0};
	if (gap) {
		text_add(&words, sign);
		gap_format(gap, false, &words);
	}
	text_addf(out, "%*s", columns, text_get(&words));
	text_free(&words);
}

/* Append a gap in nanoseconds, or WITHOUT if it is not in nanoseconds. */
static void
add_number(const char *sign, const struct gap *gap, const char *without, struct text *out)
{
	if (gap && gap->known)
		text_addf(out, "%s%llu", sign, (unsigned long long)gap->length);
	else
		text_add(out, without);
}

/* How to write a time difference. */
struct telling {
	const char *name;
	const char *ahead; /* sign of a positive difference, in words */
	enum export_column_style style;
	int columns; /* width, for EXPORT_WORDS */
};

/* Append a difference; GAP is NULL if there is none. */
static void
tell_gap(const struct telling *telling, bool back, const struct gap *gap, struct text *out)
{
	const char *sign = back ? "-" : "";
	switch (telling->style) {
	case EXPORT_NO_COLUMNS:
		break;
	case EXPORT_ALIGNED:
		add_words(back ? sign : telling->ahead, gap, ALIGNED_COLUMNS, out);
		text_add_char(out, ' ');
		break;
	case EXPORT_WORDS:
		add_words(back ? sign : telling->ahead, gap, telling->columns, out);
		break;
	case EXPORT_CSV:
		text_add_char(out, ',');
		add_number(sign, gap, "", out);
		break;
	case EXPORT_NUMBER:
		add_number(sign, gap, "", out);
		break;
	case EXPORT_JSON:
		text_addf(out, ",\"%s\":", telling->name);
		add_number(sign, gap, "null", out);
		break;
	}
}

void
export_add_delta(struct export_message *message, enum export_column_style style, int columns,
		 struct text *out)
{
	*vec_add(message->deltas) = (struct export_delta){.at = out->length,
							  .style = style,
							  .columns = columns,
							  .again = message->has_delta,
							  .timed = message->related,
							  .time = message->session_time};
	message->has_delta = true;
}

void
export_add_gap(struct export_message *message, enum export_column_style style, int columns,
	       struct text *out)
{
	const struct telling telling = {"gap", "", style, columns};
	struct gap gap;
	bool any =
	    gap_cursor_find(message->gaps, reader_trace(message->reader), message->message, &gap);
	tell_gap(&telling, false, any ? &gap : NULL, out);
}

/* Append the call depth.  A guessed depth gets a `?`, in JSON a member `depth_guessed`. */
static void
add_depth(struct export_message *message, enum export_column_style style, int columns,
	  struct text *out)
{
	const struct flow_mark *mark =
	    flow_cursor_find(message->flow, message->reader, message->message);
	const char *guess = mark && mark->doubtful ? "?" : "";
	char digits[32] = "";
	(void)columns;
	if (mark)
		snprintf(digits, sizeof digits, "%" PRIu64, mark->depth);
	if (style == EXPORT_ALIGNED)
		text_addf(out, "%*s%-1s ", DEPTH_COLUMNS, digits, guess);
	else if (style == EXPORT_CSV)
		text_addf(out, ",%s%s", digits, guess);
	else
		text_addf(out, ",\"depth\":%s%s", mark ? digits : "null",
			  *guess ? ",\"depth_guessed\":true" : "");
}

bool
export_find_target(struct export_message *message, struct text *place)
{
	const struct flow_mark *mark =
	    flow_cursor_find(message->flow, message->reader, message->message);
	if (mark && mark->has_target)
		flow_add_address(reader_trace(message->reader), mark->target, place);
	return place->length;
}

void
export_add_columns(struct export_message *message, enum export_column_style style, struct text *out)
{
	for (size_t i = 0; i < NAMES; i++)
		if (message->columns & names[i].column && names[i].add)
			names[i].add(message, style, 0, out);
}

static void
put_delta(const struct export_delta *delta, const struct export_delta *last, struct text *out)
{
	const struct telling telling = {"delta", "+", delta->style, delta->columns};
	struct gap gap;
	bool both = delta->timed && last->timed;
	bool ahead = both && gap_between(&last->time, &delta->time, &gap);
	bool back = both && !ahead && gap_between(&delta->time, &last->time, &gap);
	tell_gap(&telling, back, ahead || back ? &gap : NULL, out);
}

void
export_add_deltas(const struct text *from, const export_deltas *deltas, struct export_delta *last,
		  struct text *out)
{
	struct export_delta before = *last;
	size_t done = 0;
	for (size_t i = 0; i < deltas->count; i++) {
		const struct export_delta *delta = &deltas->at[i];
		before = delta->again ? before : *last;
		text_add_bytes(out, text_get(from) + done, delta->at - done);
		done = delta->at;
		put_delta(delta, &before, out);
		if (delta->timed)
			*last = *delta;
	}
	text_add_bytes(out, text_get(from) + done, from->length - done);
}
