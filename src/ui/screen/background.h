/*
 * What a terminal answers when it is asked for its background (xterm's control sequences,
 * "OSC 11"): ESC ] 1 1 ; r g b : HHHH / HHHH / HHHH and BEL or ESC \.
 *
 * The answer comes when it comes, also in pieces.  Its characters look like keys, so each
 * that may be of an answer is held until it is clear what it is.
 */
#ifndef TRAWL_UI_BACKGROUND_H
#define TRAWL_UI_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct background {
	bool asked;    /* and not answered yet */
	bool answered; /* then the next holds */
	bool light;
	char held[40]; /* behind ESC */
	size_t length;
};

enum background_step {
	BACKGROUND_NONE, /* the character, and what was held, is of no answer */
	BACKGROUND_HELD, /* it may be of one */
	BACKGROUND_DONE	 /* it was the last; nothing is held */
};

/* Takes the next character behind ESC.  After BACKGROUND_NONE the caller takes the held
 * ones back and sets the length to 0. */
enum background_step background_take(struct background *, uint32_t character);

#endif
