/*
 * Commands by purpose, with a few words for each.  Used for the card of keys, and for the keys
 * that may follow those already typed.
 *
 * Made from card.def; the keys are those of a key map.
 */
#ifndef TRAWL_COMMAND_CARD_H
#define TRAWL_COMMAND_CARD_H

#include "command/keymap.h"

enum card_section {
	CARD_MOVE,
	CARD_FIND,
	CARD_FILTER,
	CARD_JUMP,
	CARD_MARK,
	CARD_ROW,
	CARD_SHOW,
	CARD_NONE /* not on the card */
};

struct card_row {
	enum card_section section;
	enum command_id first, second; /* equal if the row has only one */
	const char *words;
};

extern const struct card_row card_rows[];
extern const size_t card_row_count;

const char *card_section_title(enum card_section);

/* Append the first key of each command in a row, or its name if it has none. */
void card_add_keys(const struct card_row *, const struct keymap *, struct text *out);

/* Append the keys that may follow START in a scope, `o O origin  f F trace`, with as many words
 * as fit into COLUMNS.  Return false if no key may follow.  *MENU: all are filter commands. */
bool card_add_continuations(const struct keymap *, enum command_scope, const struct keys *start,
			    int columns, bool *menu, struct text *out);

#endif
