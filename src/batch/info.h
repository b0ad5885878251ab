/*
 * Information that needs no full decode of a capture: --help and the lists like it, and --info.
 */
#ifndef TRAWL_BATCH_INFO_H
#define TRAWL_BATCH_INFO_H

#include "command/cli.h"

struct session;

/* Print a list that needs no capture, if an option requests one, and set *STATUS to the exit
 * status.  Return false if none does. */
bool info_answer(const struct cli *, int *status);

/* Print a profile, with facts about each trace as comments.  Return the exit status. */
int info_print(struct session *, const struct cli *);

#endif
