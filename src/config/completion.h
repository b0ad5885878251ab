/*
 * Shell completion of the command line, made from the tables of options, formats, fields, checks
 * and shipped files.
 */
#ifndef TRAWL_CONFIG_COMPLETION_H
#define TRAWL_CONFIG_COMPLETION_H

#include "base/err.h"
#include "base/text.h"

/* Append the script for SHELL: bash, zsh or fish.  Return 0, or ERR_USAGE for any other. */
int completion_write(const char *shell, struct text *out, struct err *);

#endif
