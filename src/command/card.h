/*
 * Commands by what one wants to do, with a few words for each: the card of keys, and what
 * goes on with the keys that were typed.
 *
 * Made from card.def; keys are those of a key map.
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
	enum command_id first, second; /* the same: there is one only */
	const char *words;
};

extern const struct card_row card_rows[];
extern const size_t card_row_count;

const char *card_section_title(enum card_section);

/* Appends the first keys of a row's commands for people, or their names where there are no
 * keys. */
void card_add_keys(const struct card_row *, const struct keymap *, struct text *out);

/* Appends what may follow START in a scope, `o O origin  f F trace`, with as many words as
 * there are columns for; false if nothing may.  *MENU: all of it makes filters. */
bool card_add_continuations(const struct keymap *, enum command_scope, const struct keys *start,
			    int columns, bool *menu, struct text *out);

#endif
