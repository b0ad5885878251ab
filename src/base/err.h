/*
 * Errors: one small code for the program, one sentence for the user.
 *
 * Functions return 0 or a positive result on success and a negative
 * enum err_code on failure.  Codes differ where callers act differently;
 * where a user must read the reason, the function also takes a struct err.
 * Text is lower case, has no full stop, and says what to do.
 */
#ifndef TRAWL_BASE_ERR_H
#define TRAWL_BASE_ERR_H

enum err_code {
	ERR_NONE = 0,
	ERR_MORE = -1,	     /* the window ends before the unit does */
	ERR_END = -2,	     /* nothing comes after this */
	ERR_SYNC = -3,	     /* no certain boundary in what was given */
	ERR_DATA = -4,	     /* the bytes do not follow their format */
	ERR_IO = -5,	     /* the system refused; errno is in the text */
	ERR_USAGE = -6,	     /* the user asked for what cannot be */
	ERR_CONFIG = -7,     /* a profile, view or theme is wrong */
	ERR_CANCELLED = -8,  /* the user stopped it */
	ERR_UNSUPPORTED = -9 /* this build or this format cannot do that */
};

struct err {
	enum err_code code;
	char what[4096]; /* "file:line:column: sentence", NUL-terminated; of a file with several
			    mistakes a line each */
};

/* Records code and a formatted sentence in ERR (which may be NULL) and
 * returns code, so that `return err_set(...)` reads well. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "cause: " in front of what ERR already says; for use while
 * unwinding.  Returns the code already recorded. */
int err_cause(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
