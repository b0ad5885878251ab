/*
 * Regular expressions: the only file that uses PCRE2.
 *
 * Patterns and subjects are bytes; a pattern that is valid UTF-8 and has
 * characters above ASCII is compiled for UTF-8 with invalid subjects
 * allowed.  Matching has match, depth, heap and stack limits, so a hostile pattern
 * costs at most a fraction of a second per subject: it then counts as "no
 * match", and regex_given_up() counts it.
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

/* Compiles PATTERN; NULL on error, with the position in ERR.  Caller frees
 * with regex_free.  It serves one thread at a time. */
struct regex *regex_new(const char *pattern, unsigned flags, struct err *);
/* The same; on error *AT is the byte of PATTERN where it lies, and ERR says
 * only why. */
struct regex *regex_new_at(const char *pattern, unsigned flags, size_t *at, struct err *);
/* The same for another thread, by reference: it shares what was compiled.  From any
 * thread while REGEX lasts, which may be freed before the other. */
struct regex *regex_share(const struct regex *);
void regex_free(struct regex *); /* NULL is fine */

/* Finds the first match at or after FROM.  Returns true and the byte range
 * [*start, *end) of the match. */
bool regex_find(struct regex *, const char *subject, size_t length, size_t from, size_t *start,
		size_t *end);

/* Whether there is any match. */
bool regex_fits(struct regex *, const char *subject, size_t length);

/* Groups, numbered from 1 in the order of their opening parentheses.  The I-th name of
 * the pattern, in the pattern's memory, and the number of its group; NULL past the end.
 * Two groups can have one name, by (?J). */
const char *regex_group_name(const struct regex *, size_t i, unsigned *number);
/* Makes the later matches of REGEX, and of what is shared from it, find the first COUNT - 1
 * groups; before its first match. */
void regex_keep_groups(struct regex *, unsigned count);
/* As regex_find from 0: SPANS gets start and end of the match, then of each group that is
 * kept, SIZE_MAX of one that takes no part. */
bool regex_find_groups(struct regex *, const char *subject, size_t length, size_t *spans);

/* Whether the case of letters does not matter to it; whether it is of characters, not of
 * bytes. */
bool regex_folds(const struct regex *);
bool regex_is_utf(const struct regex *);

/* How many subjects all patterns of the program gave up on, since it started: each
 * may match.  From any thread. */
uint64_t regex_given_up(void);

/* The version of PCRE2 that is linked, `10.42 2022-12-11`, into BUFFER. */
enum { REGEX_VERSION_SIZE = 64 };
const char *regex_version(char buffer[static REGEX_VERSION_SIZE]);

#endif
