/*
 * Literals: what every text that a regular expression matches must contain.
 *
 * Who looks for a pattern among many texts can first look for the literal, which costs
 * much less, and leave out what lacks it.  The pattern is read here, not by PCRE2, and
 * with caution: what is not understood for certain yields nothing.
 */
#ifndef TRAWL_QUERY_LITERAL_H
#define TRAWL_QUERY_LITERAL_H

#include "base/needle.h"

/*
 * Fills SET with needles, one of which is in every subject that PATTERN matches; true if
 * there are such, and they are rare enough.  PATTERN is one that PCRE2 has compiled with no
 * options but the two: FOLD as PCRE2_CASELESS, UTF as PCRE2_UTF.  *WHOLE: it matches each
 * subject that one of them is in.
 */
bool literal_of_regex(const char *pattern, bool fold, bool utf, struct needles *set, bool *whole);

/* Whether needles are so rare, by a guess, that looking for them first may pay. */
bool literal_is_rare(const struct needles *);

#endif
