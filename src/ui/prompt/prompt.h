/*
 * The prompt: a line of input in the last row.
 *
 * It edits as readline does, and keeps a history for each command that uses it.
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
	enum command_id id; /* command that opened the prompt */
	struct text text;
	size_t at;		       /* cursor, in bytes */
	struct text killed;	       /* text that Ctrl-K, Ctrl-U or Ctrl-W removed */
	struct text draft;	       /* text typed before the user went into the history */
	VEC(struct prompt_line) lines; /* history, oldest first */
	size_t line;		       /* line shown; lines.count = the draft */
	bool listed; /* Tab only showed the names */
	size_t completed;	       /* index of the name for the next Tab; 0: none used yet */
	size_t stem;		       /* length of the text before the first Tab */
};

enum prompt_answer { PROMPT_OPEN, PROMPT_ACCEPTED, PROMPT_CANCELLED };

void prompt_open(struct prompt *, enum command_id);
void prompt_close(struct prompt *);
void prompt_free(struct prompt *);

/* Handle a key.  PROMPT_ACCEPTED: `text` is the input, and the prompt is closed. */
enum prompt_answer prompt_key(struct prompt *, uint32_t key);

/* Replace the text from byte FROM on. */
void prompt_replace(struct prompt *, size_t from, const char *text);

/* Draw the prompt.  Return the column after it. */
int prompt_draw(const struct prompt *, struct canvas *, const struct area *);

#endif
