/*
 * Packing a case (capture/case.h): --pack.
 *
 * The open session is written as a session file.  All files that it names are added, with their new
 * names in it, and nothing else.  A filter, a range of times or --split cuts each capture from the
 * first to the last message that passes, as -t raw does.
 */
#ifndef TRAWL_UI_PACK_H
#define TRAWL_UI_PACK_H

#include "command/cli.h"
#include "query/filter/filter.h"

struct notebook;
struct session;

/* Check that the captures are files, and that the user wants no other output.  The session may not
 * be open yet: a live source may never answer.  Return 0 or ERR_USAGE. */
int pack_check(const struct session *, const struct cli *, struct err *);

/* Write the case and print its list.  Marks in NOTES move with the cuts.  VERSIONS are lines about
 * this program.  Return the exit status. */
int pack_run(struct session *, const struct cli *, const struct filter *, struct notebook *notes,
	     const struct text *versions);

#endif
