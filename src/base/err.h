/*
 * Errors: a code for the program, a sentence for the user.
 *
 * Functions return 0 or a positive result on success, and a negative enum err_code on failure.
 * Codes differ where callers act differently.  If a user must read the reason, the function also
 * takes a struct err.  Its text is lower case, has no full stop, and suggests a remedy.
 */
#ifndef TRAWL_BASE_ERR_H
#define TRAWL_BASE_ERR_H

enum err_code {
	ERR_NONE = 0,
	ERR_MORE = -1,	     /* the window ends before the unit does */
	ERR_END = -2,	     /* no unit follows */
	ERR_SYNC = -3,	     /* no certain boundary in these bytes */
	ERR_DATA = -4,	     /* the bytes do not follow their format */
	ERR_IO = -5,	     /* a system call failed; `what` contains errno's text */
	ERR_USAGE = -6,	     /* the user asked for something impossible */
	ERR_CONFIG = -7,     /* a profile, view or theme is wrong */
	ERR_CANCELLED = -8,  /* the user stopped it */
	ERR_UNSUPPORTED = -9 /* this build or this format cannot do that */
};

struct err {
	enum err_code code;
	/* "file:line:column: sentence", NUL-terminated.  A file with several mistakes has a line
	 * for each. */
	char what[4096];
};

/* Store CODE and a formatted sentence in ERR (which may be NULL).  Return CODE, so that `return
 * err_set(...)` reads well. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "cause: " to the sentence in ERR, for use while unwinding.  Return the code in ERR. */
int err_cause(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
