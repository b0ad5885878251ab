/*
 * What is known without decoding a capture as a whole: the lists of --help and its
 * kin, and --info.
 */
#ifndef TRAWL_BATCH_INFO_H
#define TRAWL_BATCH_INFO_H

#include "command/cli.h"

struct session;

/* Prints what the options ask for without looking at a capture; *STATUS: the exit
 * status.  False if they ask for none of that. */
bool info_answer(const struct cli *, int *status);

/* Prints a profile, with what is known of each trace as comments.  The exit status. */
int info_print(struct session *, const struct cli *);

#endif
