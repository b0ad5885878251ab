/*
 * A terminal's reply to the query for its background (xterm's control
 * sequences, "OSC 11"):
 *
 *   ESC ] 1 1 ; r g b : HHHH / HHHH / HHHH
 *
 * and BEL or ESC \. It may come late, and in pieces.  Its characters look like
 * keys.  Each one that may belong to a reply is held until that is certain.
 */
#ifndef TRAWL_UI_BACKGROUND_H
#define TRAWL_UI_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct background {
	bool asked;    /* query sent, no reply yet */
	bool late;     /* ESC was a key, and no reply: do not delay keys again */
	bool answered; /* `light` is valid */
	bool light;
	char held[40]; /* characters after ESC */
	size_t length;
};

enum background_step {
	BACKGROUND_NONE, /* the character and the held ones are no reply */
	BACKGROUND_HELD, /* may be part of a reply */
	BACKGROUND_DONE	 /* last character of a reply; nothing is held */
};

/* Take the next character after ESC.  After BACKGROUND_NONE the caller takes back the held ones
 * and sets the length to 0. */
enum background_step background_take(struct background *, uint32_t character);

#endif
