/*
 * Rules of a view: which messages stand out, and how.
 */
#ifndef TRAWL_UI_RULES_H
#define TRAWL_UI_RULES_H

#include "query/filter/filter.h"
#include "ui/screen/canvas.h"

struct view;

struct rule {
	struct filter filter; /* owned */
	enum role role;
};

/* Zero-initialise. */
struct rules {
	VEC(struct rule) rules;
	struct expansion scratch;
};

/* Takes those of a view in place of the ones before. */
void rules_make(struct rules *, const struct view *);
void rules_free(struct rules *);

/* The role of the first rule that fits a message, or USUAL. */
enum role rules_role(struct rules *, struct reader *, const struct message *, enum role usual);

/* For option tables: what is wrong with the filter of a rule, or NULL. */
const char *rules_check(const char *text, char buffer[static 256]);

#endif
