/* Names of files as people type them behind a command. */
#ifndef TRAWL_UI_PATH_H
#define TRAWL_UI_PATH_H

#include "base/text.h"

/* Takes a name off the front of TEXT and appends it to PATH: a word, or between
 * quotes, " or ', what has blanks.  `~` and `~/` at its front are the home folder.
 * Returns what follows, without blanks in front; NULL: a quote is not closed. */
const char *path_take(const char *text, struct text *path);

/* The same of all of TEXT, which needs no quotes. */
void path_read(const char *text, struct text *path);

#endif
