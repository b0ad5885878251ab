/* File names as people type them after a command. */
#ifndef TRAWL_UI_PATH_H
#define TRAWL_UI_PATH_H

#include "base/text.h"

/* Take a name from the start of TEXT and append it to PATH.  A name is a word, or text with
 * blanks in quotes (" or ').  At its start, `~` and `~/` are the home folder.  Return the rest
 * without leading blanks, or NULL if a quote is not closed. */
const char *path_take(const char *text, struct text *path);

/* Take all of TEXT as one name, which needs no quotes. */
void path_read(const char *text, struct text *path);

#endif
