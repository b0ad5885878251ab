/*
 * The prompt: a line that is typed in the last row.
 *
 * Edits as readline does, keeps a history per command that asks.
 */
#ifndef TRAWL_UI_PROMPT_H
#define TRAWL_UI_PROMPT_H

#include "base/vec.h"
#include "command/command.h"
#include "ui/screen/canvas.h"

struct prompt_line {
	enum command_id id;
	char *text; /* owned */
};

struct prompt {
	bool active;
	enum command_id id; /* of the command that asks */
	struct text text;
	size_t at;		       /* of the cursor, in bytes */
	struct text killed;	       /* what Ctrl-K, Ctrl-U and Ctrl-W took away */
	struct text draft;	       /* what was typed before going into the history */
	VEC(struct prompt_line) lines; /* history, oldest first */
	size_t line;		       /* shown; lines.count = the draft */
	size_t completed;	       /* Tab again: names looked at so far */
	size_t stem;		       /* length of what was typed before the first Tab */
};

enum prompt_answer { PROMPT_OPEN, PROMPT_ACCEPTED, PROMPT_CANCELLED };

void prompt_open(struct prompt *, enum command_id);
void prompt_close(struct prompt *);
void prompt_free(struct prompt *);

/* Takes a key.  ACCEPTED: `text` is what was typed; the prompt is closed. */
enum prompt_answer prompt_key(struct prompt *, uint32_t key);

/* Puts TEXT in place of all from byte FROM on. */
void prompt_replace(struct prompt *, size_t from, const char *text);

/* Returns the column behind it. */
int prompt_draw(const struct prompt *, struct canvas *, const struct area *);

#endif
