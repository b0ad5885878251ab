/*
 * Packing a case (case.h): --pack.
 *
 * The open session is written as a session file.  All files that it names are added, with their new
 * names in it, and nothing else.  A filter, a range of times or --split cuts each capture from the
 * first to the last message that passes, as -t raw does.
 */
#ifndef TRAWL_CONFIG_PACK_H
#define TRAWL_CONFIG_PACK_H

#include "command/cli.h"
#include "query/filter/filter.h"

struct notebook;
struct session;

/* Check, before the captures are read, that they are files, and that no option of another output
 * is given.  Return 0 or ERR_USAGE. */
int pack_check(const struct session *, const struct cli *, struct err *);

/* Write the case and print its list.  Marks in NOTES move with the cuts.  VERSIONS are lines about
 * this program.  Return the exit status. */
int pack_run(struct session *, const struct cli *, const struct filter *, struct notebook *notes,
	     const struct text *versions);

#endif
