/*
 * Finding all mistakes in a YAML text: unknown, repeated and missing keys, and shapes and values
 * that do not fit.
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

/* Zero-initialise.  audit_report empties it. */
struct audit {
	VEC(struct audit_fault) faults;
};

void audit_add(struct audit *, struct survey_place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the mistakes in ROOT, which describes an object of TABLE.  NULL has none. */
void audit_check(struct audit *, const struct survey_node *root, const struct option_table *);

/* Write the faults to ERR, which may be NULL, ordered by place.  Each line begins with
 * "NAME:LINE:COLUMN: ".  Return 0 if there are none, else ERR_CONFIG. */
int audit_report(struct audit *, const char *name, struct err *);

#endif
