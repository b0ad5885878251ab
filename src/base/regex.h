/*
 * Regular expressions: the only file that uses PCRE2.
 *
 * Patterns and subjects are bytes.  A pattern with bytes above ASCII must be UTF-8.  It is
 * compiled as UTF-8, with invalid subjects allowed.  Matching has match, depth, heap and stack
 * limits; the match limit grows with the subject.  A hostile pattern thus costs at most a few
 * milliseconds per subject, and much less for a short one.  Beyond the
 * limits the result is "no match", and regex_given_up() counts it.
 */
#ifndef TRAWL_BASE_REGEX_H
#define TRAWL_BASE_REGEX_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regex;

enum regex_flags {
	REGEX_IGNORE_CASE = 1,
	REGEX_SMART_CASE = 2 /* ignore case unless the pattern has a capital */
};

/* Compile PATTERN.  Return NULL on error, with the position in ERR.  Free with regex_free.  One
 * thread at a time may use it. */
struct regex *regex_new(const char *pattern, unsigned flags, struct err *);
/* Return the offset of the first slash from AT on without a backslash before it, or of the end. */
size_t regex_find_slash(const char *text, size_t at);
/* Split a pattern that a user typed.  `frame/i` and `/frame/i` ignore case, `frame/I` does not; any
 * other pattern has smart case.  `frame\/i` has no suffix.  Return the start of the pattern itself,
 * and set *LENGTH and *FLAGS. */
const char *regex_split(const char *typed, size_t *length, unsigned *flags);
/* Same as regex_new(), for a pattern that a user typed. */
struct regex *regex_new_typed(const char *typed, struct err *);
/* Same, but on error *AT is the offset in PATTERN, and ERR contains only the reason. */
struct regex *regex_new_at(const char *pattern, unsigned flags, size_t *at, struct err *);
/* Return a new reference to the compiled pattern for another thread.  Any thread may call this
 * while REGEX exists.  REGEX may be freed before the new one. */
struct regex *regex_share(const struct regex *);
void regex_free(struct regex *); /* may be NULL */

/* Find the first match at or after FROM.  Return true and the byte range [*start, *end) of the
 * match. */
bool regex_find(struct regex *, const char *subject, size_t length, size_t from, size_t *start,
		size_t *end);

/* True if the subject contains a match. */
bool regex_fits(struct regex *, const char *subject, size_t length);

/* Return the I-th group name of the pattern and the number of its group, or NULL past the end.
 * Groups are numbered from 1 by their opening parentheses.  Two can share a name, by (?J).  The
 * pattern owns the names. */
const char *regex_group_name(const struct regex *, size_t i, unsigned *number);
/* Let later matches of REGEX, and of references made from it, record the first COUNT - 1 groups.
 * Call before the first match. */
void regex_keep_groups(struct regex *, unsigned count);
/* Find as regex_find from 0.  Return start and end of the match, then of each recorded group, or
 * NULL.  Both are SIZE_MAX for a group that takes no part.  Valid until the next match. */
const size_t *regex_find_groups(struct regex *, const char *subject, size_t length);

/* True if the pattern ignores case; true if it matches characters, not bytes. */
bool regex_folds(const struct regex *);
bool regex_is_utf(const struct regex *);

/* Return how many subjects all patterns gave up on since the program started.  Each may match.
 * Any thread. */
uint64_t regex_given_up(void);

/* Return the version of the linked PCRE2, such as `10.42 2022-12-11`; uses BUFFER. */
enum { REGEX_VERSION_SIZE = 64 };
const char *regex_version(char buffer[static REGEX_VERSION_SIZE]);

#endif
