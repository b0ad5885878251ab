/*
 * Input: keys until they form a command, and text in the prompt.
 */
#ifndef TRAWL_UI_INPUT_H
#define TRAWL_UI_INPUT_H

#include "command/keymap.h"

struct screen;

/* The keys of an incomplete command. */
struct input {
	struct keys keys;
	uint64_t count;
	bool counted;
	enum command_id pending_letter; /* waits for a letter; COMMAND_COUNT: none */
	int64_t since;			/* time of the last key, in ms */
	bool hinted;			/* the possible continuations are shown */
	bool paste_gap;			/* a pasted line ended: insert a blank before more text */
};

void input_start(struct input *);

/* Take a key, and run the command that it completes. */
void input_take_key(struct screen *, uint32_t key);

/* Type a +COMMAND as keys.  Accept a prompt that is open at the end.  `t=TIME` means `tTIME`. */
void input_type(struct screen *, const char *text);

/* Return the time until the hint is due, in ms.  Negative if no keys are pending or the hint is
 * shown already. */
int input_hint_wait(const struct input *);
/* Show the hint if it is due.  Return true if it was not shown before. */
bool input_show_hint(struct input *);
/* Append the hint if it is shown. */
void input_add_hint(const struct screen *, const struct input *, struct text *out);

/* Append the keys typed so far for a command. */
void input_add_typed(const struct input *, const struct keymap *, struct text *out);

#endif
