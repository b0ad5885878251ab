/*
 * What is typed: keys, until they are a command; text in the prompt.
 */
#ifndef TRAWL_UI_INPUT_H
#define TRAWL_UI_INPUT_H

#include "command/keymap.h"

struct screen;

/* The keys so far of a command. */
struct input {
	struct keys keys;
	uint64_t count;
	bool counted;
	enum command_id pending_letter; /* COMMAND_COUNT: none */
	bool paste_gap;			/* a line ended in pasted text: a blank, if more comes */
};

void input_start(struct input *);

/* Takes a key, with what it completes. */
void input_take_key(struct screen *, uint32_t key);

/* Types a +COMMAND: keys, a prompt that is still open at the end accepted;
 * `t=TIME` is `tTIME`. */
void input_type(struct screen *, const char *text);

/* Appends what was typed of a command so far. */
void input_add_typed(const struct input *, const struct keymap *, struct text *out);

#endif
