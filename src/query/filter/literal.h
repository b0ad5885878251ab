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
 * Fills SET with texts of at least LITERAL_LEAST bytes, one of which is in every subject
 * that PATTERN matches; true if there are such.  PATTERN is one that PCRE2 has compiled
 * with no options but the two: FOLD as PCRE2_CASELESS, UTF as PCRE2_UTF.  *WHOLE: it matches
 * each subject that one of them is in.
 */
enum { LITERAL_LEAST = 2 };
bool literal_of_regex(const char *pattern, bool fold, bool utf, struct needles *set, bool *whole);

#endif
