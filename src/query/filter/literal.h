/*
 * Find a literal for a regular expression: a text that every match must contain.
 *
 * A search through many texts can look for the literal first, which costs much
 * less, and skip texts without it. This parser is our own, not PCRE2's, and it is
 * cautious: syntax it does not fully understand yields no literal.
 */
#ifndef TRAWL_QUERY_LITERAL_H
#define TRAWL_QUERY_LITERAL_H

#include "base/needle.h"

/*
 * Fill SET with needles; every subject that PATTERN matches contains at least one.
 * Return true if needles were found and are rare enough. PCRE2 must have compiled
 * PATTERN with no options but these: FOLD as PCRE2_CASELESS, UTF as PCRE2_UTF. Set
 * *WHOLE if, conversely, PATTERN matches every subject that contains a needle.
 */
bool literal_of_regex(const char *pattern, bool fold, bool utf, struct needles *set, bool *whole);

/* True if the needles are, by a guess, so rare that searching for them first may pay. */
bool literal_is_rare(const struct needles *);

#endif
