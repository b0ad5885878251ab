/*
 * Rules of a view: which messages stand out, and how.
 */
#ifndef TRAWL_UI_RULES_H
#define TRAWL_UI_RULES_H

#include "query/filter/filter.h"
#include "ui/screen/canvas.h"

struct view_rule;

struct rule {
	struct filter filter; /* owned */
	enum role role;
};

/* Zero-initialise. */
struct rules {
	VEC(struct rule) rules;
	VEC(char *) colours; /* owned; entry 0 is for ROLE_COUNT; ROLE_COLOURS at most */
	struct expansion scratch;
};

/* Append rules. */
void rules_add(struct rules *, const struct view_rule *, size_t count);
void rules_free(struct rules *); /* it may be filled again */

/* Return true if TEXT is an expression of the filter language, not a pattern. */
bool rules_is_expression(const char *text);

/* Return the role of the first rule that fits a message, or USUAL. */
enum role rules_role(struct rules *, struct reader *, const struct message *, enum role usual);

/* For option tables: check the filter of a rule.  Return an error text, or NULL. */
const char *rules_check(const char *text, char buffer[static 256]);

#endif
