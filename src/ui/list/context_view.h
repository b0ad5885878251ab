/*
 * What contexts are to the list: columns, fields of the selected message, and jumps
 * from change to change.
 */
#ifndef TRAWL_UI_CONTEXT_VIEW_H
#define TRAWL_UI_CONTEXT_VIEW_H

#include "command/command.h"
#include "decode/decoder.h"
#include "session/context/context.h"

struct screen;

/* What is kept between looks, made when it is needed. */
struct context_view {
	struct context_cursor **cursors; /* one per trace, or NULL; owned */
	struct field_row *rows;		 /* one per context; owned */
};

void context_view_free(struct screen *);

/* The cursor for the selected message; NULL if there are no contexts. */
struct context_cursor *context_view_cursor(struct screen *);

/* Appends a value, its name, and `?` where it is doubtful; not safe yet. */
void context_view_add_value(struct screen *, unsigned context, const struct context_value *,
			    struct text *out);

/* Appends `context.NAME = VALUE`, as filters have it: a number without a name in decimal or
 * not. */
void context_view_add_equation(struct screen *, unsigned context, const struct context_value *,
			       bool hexadecimal, struct text *out);

/* Where a value that holds at M, a message of the present trace, ends, be it one of another
 * trace. */
void context_view_end(struct screen *, const struct message *m, unsigned context,
		      const struct context_value *, struct context_end *);

/* Adds what holds at M, a message of the present trace, to its expansion; only while
 * the detail pane is open, which shows it. */
void context_view_add(struct screen *, const struct message *m, struct expansion *);

/* If NAME is a context's, `context.task`: appends what it is at M, safe. */
bool context_view_column(struct screen *, const struct message *m, const char *name,
			 struct text *out);

void context_view_jump(struct screen *, const struct command_call *); /* ]c [c */

#endif
