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
	VEC(char *) colours; /* owned; the first is that of role ROLE_COUNT; ROLE_COLOURS at most */
	struct expansion scratch;
};

/* Adds rules behind those there are. */
void rules_add(struct rules *, const struct view_rule *, size_t count);
void rules_free(struct rules *); /* it can be filled again */

/* Whether an expression of the filter language is all of TEXT, not a pattern to be searched for. */
bool rules_is_expression(const char *text);

/* The role of the first rule that fits a message, or USUAL. */
enum role rules_role(struct rules *, struct reader *, const struct message *, enum role usual);

/* For option tables: what is wrong with the filter of a rule, or NULL. */
const char *rules_check(const char *text, char buffer[static 256]);

#endif
