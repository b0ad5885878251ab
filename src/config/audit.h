/*
 * All mistakes of a YAML text at once: keys that its table has not, that stand twice or are
 * missing, shapes and values that are not those of their rows.
 */
#ifndef TRAWL_CONFIG_AUDIT_H
#define TRAWL_CONFIG_AUDIT_H

#include "base/option.h"
#include "base/vec.h"
#include "config/survey.h"

enum { AUDIT_SHOWN = 20 }; /* mistakes in one error */

struct audit_fault {
	struct survey_place place;
	char *what; /* owned: a sentence */
};

/* Zero-initialise; audit_report empties it. */
struct audit {
	VEC(struct audit_fault) faults;
};

void audit_add(struct audit *, struct survey_place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds what is wrong with ROOT, which stands for an object of TABLE; NULL: nothing is. */
void audit_check(struct audit *, const struct survey_node *root, const struct option_table *);

/* Puts the faults into ERR, which may be NULL, in the order of their places, each on a line that
 * begins with "NAME:LINE:COLUMN: ".  0 where there are none, or ERR_CONFIG. */
int audit_report(struct audit *, const char *name, struct err *);

#endif
