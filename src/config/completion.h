/*
 * Completion of the command line for shells, from the tables of options, formats,
 * fields, checks and shipped files.
 */
#ifndef TRAWL_CONFIG_COMPLETION_H
#define TRAWL_CONFIG_COMPLETION_H

#include "base/err.h"
#include "base/text.h"

/* Appends the script for SHELL: bash, zsh or fish.  0, or ERR_USAGE for any other. */
int completion_write(const char *shell, struct text *out, struct err *);

#endif
