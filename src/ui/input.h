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
	int64_t since;			/* when the last of them came; ms */
	bool hinted;			/* what may follow is shown */
	bool paste_gap;			/* a line ended in pasted text: a blank, if more comes */
};

void input_start(struct input *);

/* Takes a key, with what it completes. */
void input_take_key(struct screen *, uint32_t key);

/* Types a +COMMAND: keys, a prompt that is still open at the end accepted;
 * `t=TIME` is `tTIME`. */
void input_type(struct screen *, const char *text);

/* How long from now on until it is to be shown how the keys so far go on; ms, negative: they
 * are a command, or it is shown. */
int input_hint_wait(const struct input *);
/* Shows that, if it is time; true if it was not shown before. */
bool input_show_hint(struct input *);
/* Appends it, if it is shown. */
void input_add_hint(const struct screen *, const struct input *, struct text *out);

/* Appends what was typed of a command so far. */
void input_add_typed(const struct input *, const struct keymap *, struct text *out);

#endif
