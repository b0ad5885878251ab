/*
 * Contexts in the list: columns, fields of the selected message, and jumps from change to
 * change.
 */
#ifndef TRAWL_UI_CONTEXT_VIEW_H
#define TRAWL_UI_CONTEXT_VIEW_H

#include "command/command.h"
#include "decode/decoder.h"
#include "session/context/context.h"

struct screen;

/* Cached objects, created when needed. */
struct context_view {
	struct context_cursor **cursors; /* one per trace, or NULL; owned */
	struct field_row *rows;		 /* one per context; owned */
};

void context_view_free(struct screen *);

/* Return the cursor for the selected message, or NULL without contexts. */
struct context_cursor *context_view_cursor(struct screen *);

/* Append a value and its name, with `?` if it is doubtful.  The text is not safe for a
 * terminal yet. */
void context_view_add_value(struct screen *, unsigned context, const struct context_value *,
			    struct text *out);

/* Append `context.NAME = VALUE` in filter syntax.  HEXADECIMAL applies to numbers without a
 * name. */
void context_view_add_equation(struct screen *, unsigned context, const struct context_value *,
			       bool hexadecimal, struct text *out);

/* Find the end of a value that holds at M, a message of the present trace.  The value may come
 * from another trace. */
void context_view_end(struct screen *, const struct message *m, unsigned context,
		      const struct context_value *, struct context_end *);

/* Append the contexts at M, a message of the present trace, to its expansion.  Do nothing unless
 * the detail pane is open. */
void context_view_add(struct screen *, const struct message *m, struct expansion *);

/* If NAME names a context (`context.task`), append its value at M, a message of a lane of the
 * list, as safe text, and return true. */
bool context_view_column(struct screen *, size_t lane, const struct message *m, const char *name,
			 struct text *out);

void context_view_jump(struct screen *, const struct command_call *); /* ]c [c */

#endif
