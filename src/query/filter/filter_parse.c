/*
 * The filter language, from characters to a tree: see filter.h.
 *
 *	any    = all { "or" all }
 *	all    = one { "and" one }
 *	one    = "not" one | "(" any ")" | /regex/ | term
 *	term   = name [ "=" value | "~" pattern | "in" set | ... ]
 *	set    = value ".." value | "{" element { "," element } "}"
 *
 * A recursive descent over the characters themselves, without tokens.  Each
 * term is resolved as soon as it is read, so each error has a column.  Depth
 * and length have limits.
 */
#include "config.h"

#include "query/filter/filter_tree.h"
#include "query/flow/flow_cursor.h"
#include "query/gap/gap.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct parser {
	struct filter_build build;
	const char *text;
	size_t at;
	unsigned depth;
};

/* --- errors ------------------------------------------------------------ */

int
filter_fail(struct filter_build *build, size_t at, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	build->error->at = at;
	vsnprintf(build->error->what, sizeof build->error->what, format, args);
	va_end(args);
	return ERR_USAGE;
}

void
filter_explain(const struct filter_error *error, const char *text, struct text *out)
{
	struct text before = {0};
	size_t length = strlen(text), at = error->at < length ? error->at : length;
	text_add_safe(&before, text, at, TEXT_UTF8);
	int column = text_columns(text_get(&before), before.length, TEXT_UTF8);
	text_add_safe(out, error->what, strlen(error->what), TEXT_UTF8);
	text_addf(out, " (column %zu)\n  ", at + 1);
	text_add_safe(out, text, length, TEXT_UTF8);
	text_addf(out, "\n  %*s^", column, "");
	text_free(&before);
}

void
filter_quote(const char *value, size_t length, struct text *out)
{
	text_add_char(out, '"');
	for (size_t i = 0; i < length; i++) {
		if (value[i] == '"' || value[i] == '\\')
			text_add_char(out, '\\');
		text_add_char(out, value[i]);
	}
	text_add_char(out, '"');
}

void
filter_quote_regex(const char *typed, struct text *out)
{
	size_t length;
	unsigned flags;
	const char *pattern = regex_split(typed, &length, &flags);
	text_add_char(out, '/');
	for (const char *p = pattern; p < pattern + length; p++) {
		if (*p == '/')
			text_add_char(out, '\\');
		text_add_char(out, *p);
		if (*p == '\\' && p + 1 < pattern + length)
			text_add_char(out, *++p);
	}
	text_add(out, flags & REGEX_SMART_CASE ? "/" : flags & REGEX_IGNORE_CASE ? "/i" : "/I");
}

/* --- characters -------------------------------------------------------- */

static void
skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
}

static bool
is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* True for characters of an unquoted value. */
static bool
is_value_char(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && !strchr("(){}\",'=<>!~&|", c);
}

/* Skip SIGN if it comes next; return whether it did. */
static bool
parser_take(struct parser *p, const char *sign)
{
	skip_blanks(p);
	size_t length = strlen(sign);
	if (strncmp(p->text + p->at, sign, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* Skip WORD, in either case, if it comes next and ends there; return whether it did. */
static bool
take_word(struct parser *p, const char *word)
{
	skip_blanks(p);
	size_t length = strlen(word);
	if (strncasecmp(p->text + p->at, word, length) != 0 ||
	    is_name_char(p->text[p->at + length]) || p->text[p->at + length] == '.')
		return false;
	p->at += length;
	return true;
}

static int
fail_here(struct parser *p, const char *expected)
{
	skip_blanks(p);
	const char *rest = p->text + p->at;
	if (!*rest)
		return filter_fail(&p->build, p->at, "%s is expected, but the filter ends here",
				   expected);
	return filter_fail(&p->build, p->at, "%s is expected here", expected);
}

static char *
parser_copy(struct parser *p, size_t from, size_t to)
{
	return arena_text(&p->build.code->arena, p->text + from, to - from);
}

/* --- words ------------------------------------------------------------- */

/* Read the text between two quotes or slashes; the first comes next. */
static int
read_enclosed(struct parser *p, struct filter_word *word)
{
	char mark = p->text[p->at];
	size_t start = p->at, at = start + 1;
	while (p->text[at] && p->text[at] != mark)
		at += p->text[at] == '\\' && p->text[at + 1] ? 2 : 1;
	if (!p->text[at])
		return filter_fail(&p->build, start, "unterminated %c", mark);
	*word =
	    (struct filter_word){.text = parser_copy(p, start + 1, at), .at = start, .mark = mark};
	p->at = at + 1;
	return 0;
}

static int
read_regex(struct parser *p, struct filter_word *word)
{
	if (read_enclosed(p, word) < 0)
		return ERR_USAGE;
	for (; is_name_char(p->text[p->at]); p->at++) {
		if (p->text[p->at] == 'i')
			word->ignore_case = true;
		else if (p->text[p->at] == 'I')
			word->match_case = true;
		else
			return filter_fail(&p->build, p->at,
					   "a regular expression has the flags i (ignore case) and "
					   "I (match case)");
	}
	return 0;
}

/* Read a value; an unquoted one ends before `..`. */
static int
read_value(struct parser *p, struct filter_word *word, const char *after)
{
	skip_blanks(p);
	size_t start = p->at;
	if (p->text[start] == '"' || p->text[start] == '\'')
		return read_enclosed(p, word);
	while (is_value_char(p->text[p->at]) && strncmp(p->text + p->at, "..", 2) != 0)
		p->at++;
	if (p->at == start) {
		char expected[48];
		snprintf(expected, sizeof expected, "a value after %s", after);
		return fail_here(p, expected);
	}
	*word = (struct filter_word){.text = parser_copy(p, start, p->at), .at = start};
	return 0;
}

/* --- terms ------------------------------------------------------------- */

static int
read_element(struct parser *p, struct filter_item *item)
{
	*item = (struct filter_item){.relation = FILTER_EQUAL};
	if (read_value(p, &item->low, "in") < 0)
		return ERR_USAGE;
	if (!parser_take(p, ".."))
		return 0;
	item->relation = FILTER_BETWEEN;
	return read_value(p, &item->high, "..");
}

static int
read_set(struct parser *p, struct filter_leaf *leaf)
{
	VEC(struct filter_item) items = {0};
	bool braces = parser_take(p, "{");
	int failed;
	leaf->names = braces;
	do {
		struct filter_item *item = vec_add(&items);
		failed = read_element(p, item);
		leaf->names &= item->low.mark == '"' && item->relation == FILTER_EQUAL;
	} while (!failed && braces && parser_take(p, ","));
	if (!failed && braces && !parser_take(p, "}"))
		failed = fail_here(p, "a comma or }");
	leaf->item_count = items.count;
	leaf->items = arena_copy(&p->build.code->arena, items.at, items.count * sizeof *items.at);
	vec_free(&items);
	return failed;
}

static int
read_pattern(struct parser *p, struct filter_leaf *leaf)
{
	leaf->how = FILTER_MATCHED;
	skip_blanks(p);
	if (p->text[p->at] == '/')
		return read_regex(p, &leaf->pattern_word);
	return read_value(p, &leaf->pattern_word, "~");
}

static const struct comparison {
	const char *sign;
	enum filter_relation relation;
	bool negated, pattern;
} comparisons[] = {
    {"!~", FILTER_EQUAL, true, true},	 {"~", FILTER_EQUAL, false, true},
    {"==", FILTER_EQUAL, false, false},	 {"=", FILTER_EQUAL, false, false},
    {"!=", FILTER_EQUAL, true, false},	 {"<=", FILTER_LESS_EQUAL, false, false},
    {"<", FILTER_LESS, false, false},	 {">=", FILTER_GREATER_EQUAL, false, false},
    {">", FILTER_GREATER, false, false},
};

static int
read_comparison(struct parser *p, const struct comparison *comparison, struct filter_leaf *leaf)
{
	if (comparison->pattern)
		return read_pattern(p, leaf);
	struct filter_item *item = arena_alloc(&p->build.code->arena, sizeof *item);
	*item = (struct filter_item){.relation = comparison->relation};
	leaf->how = FILTER_COMPARED;
	leaf->items = item;
	leaf->item_count = 1;
	return read_value(p, &item->low, comparison->sign);
}

static const struct comparison *
take_comparison(struct parser *p)
{
	for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
		if (parser_take(p, comparisons[i].sign))
			return &comparisons[i];
	return NULL;
}

/* Skip `in` or `not in`; return whether it came next. */
static bool
take_in(struct parser *p, bool *negated)
{
	size_t start = p->at;
	bool not = take_word(p, "not");
	if (take_word(p, "in")) {
		*negated = not ;
		return true;
	}
	p->at = start;
	return false;
}

/* Read the comparison after a name, if any. LEAF is NULL after a word that is no name. */
static int
read_question(struct parser *p, struct filter_leaf *leaf, bool *negated)
{
	bool in = take_in(p, negated);
	const struct comparison *comparison = in ? NULL : take_comparison(p);
	p->build.error->meant |= in || comparison;
	if (!leaf || (!in && !comparison))
		return 0;
	if (in) {
		leaf->how = FILTER_COMPARED;
		return read_set(p, leaf);
	}
	*negated = comparison->negated;
	return read_comparison(p, comparison, leaf);
}

static struct filter_node *
node_new(struct parser *p, int type)
{
	struct filter_node *node = arena_alloc(&p->build.code->arena, sizeof *node);
	memset(node, 0, sizeof *node);
	node->type = type;
	return node;
}

static struct filter_node *
parser_negate(struct parser *p, struct filter_node *child)
{
	struct filter_node *node = node_new(p, FILTER_NOT);
	node->child = child;
	node->cost = child->cost;
	return node;
}

/* Read a name, with dots between its parts but not `..`. */
static int
read_name(struct parser *p, struct filter_leaf *leaf)
{
	size_t start = p->at;
	while (is_name_char(p->text[p->at]) ||
	       (p->text[p->at] == '.' && is_name_char(p->text[p->at + 1])))
		p->at++;
	leaf->word = (struct filter_word){.text = parser_copy(p, start, p->at), .at = start};
	return filter_find_name(&p->build, leaf);
}

static struct filter_node *
parse_term(struct parser *p)
{
	struct filter_node *node = node_new(p, FILTER_LEAF);
	struct filter_leaf *leaf = arena_alloc(&p->build.code->arena, sizeof *leaf);
	bool negated = false;
	int failed;
	memset(leaf, 0, sizeof *leaf);
	skip_blanks(p);
	if (p->text[p->at] == '/') {
		leaf->name = &filter_any_text;
		failed = read_pattern(p, leaf);
	} else if (is_name_char(p->text[p->at])) {
		failed = read_name(p, leaf);
		bool meant = p->build.error->meant;
		p->build.error->meant = false;
		int wrong = read_question(p, failed ? NULL : leaf, &negated);
		if (!failed && leaf->unknown && leaf->how == FILTER_PRESENT)
			failed = filter_fail(&p->build, leaf->word.at,
					     "%s is not a field; to search the text: /%s/",
					     leaf->word.text, leaf->word.text);
		if (failed && !p->build.error->meant)
			p->build.error->word = strlen(leaf->word.text);
		p->build.error->meant |= meant;
		failed = failed ? failed : wrong;
	} else {
		failed = fail_here(p, "the name of a field");
	}
	if (failed || leaf->name->resolve(&p->build, leaf) < 0)
		return NULL;
	node->leaf = leaf;
	node->cost = leaf->name->cost;
	p->build.code->uses |= leaf->name->uses;
	return negated ? parser_negate(p, node) : node;
}

/* --- and, or, not ------------------------------------------------------ */

static struct filter_node *parse_any(struct parser *);

static struct filter_node *
parse_one(struct parser *p)
{
	struct filter_node *node = NULL;
	skip_blanks(p);
	size_t start = p->at;
	bool not = parser_take(p, "!") || take_word(p, "not");
	if (!not &&!parser_take(p, "("))
		return parse_term(p);
	if (++p->depth > FILTER_DEPTH_MAX) {
		filter_fail(&p->build, start, "more than %d levels deep", FILTER_DEPTH_MAX);
		return NULL;
	}
	if (not ) {
		node = parse_one(p);
		node = node ? parser_negate(p, node) : NULL;
	} else if ((node = parse_any(p)) && !parser_take(p, ")")) {
		fail_here(p, "and, or, or )");
		node = NULL;
	}
	p->depth--;
	return node;
}

/* Insert CHILD among its siblings: cheapest first, equal costs in order. */
static void
node_insert(struct filter_node *parent, struct filter_node *child)
{
	struct filter_node **link = &parent->child;
	while (*link && (*link)->cost <= child->cost)
		link = &(*link)->next;
	child->next = *link;
	*link = child;
	if (child->cost > parent->cost)
		parent->cost = child->cost;
}

static struct filter_node *
parse_chain(struct parser *p, int type, const char *word, const char *sign,
	    struct filter_node *(*parse)(struct parser *))
{
	struct filter_node *first = parse(p), *node = NULL;
	while (first && (take_word(p, word) || parser_take(p, sign))) {
		struct filter_node *more = parse(p);
		if (!more)
			return NULL;
		if (!node) {
			node = node_new(p, type);
			node_insert(node, first);
		}
		node_insert(node, more);
	}
	return node ? node : first;
}

static struct filter_node *
parse_all(struct parser *p)
{
	return parse_chain(p, FILTER_AND, "and", "&&", parse_one);
}

static struct filter_node *
parse_any(struct parser *p)
{
	return parse_chain(p, FILTER_OR, "or", "||", parse_all);
}

/* --- the whole expression ------------------------------------------------ */

static int
parser_run(struct parser *p)
{
	if (strlen(p->text) > FILTER_TEXT_MAX)
		return filter_fail(&p->build, FILTER_TEXT_MAX, "longer than %d bytes",
				   FILTER_TEXT_MAX);
	p->build.code->root = parse_any(p);
	if (!p->build.code->root)
		return ERR_USAGE;
	skip_blanks(p);
	if (p->text[p->at])
		return filter_fail(&p->build, p->at,
				   "what comes next is joined by and or or; a value with blanks or "
				   "signs needs quotes");
	return 0;
}

static void
code_release(struct filter_code *code)
{
	if (atomic_fetch_sub(&code->references, 1) > 1)
		return;
	for (size_t i = 0; i < code->regexes.count; i++)
		regex_free(code->regexes.at[i]);
	vec_free(&code->regexes);
	vec_free(&code->timed);
	vec_free(&code->needles);
	arena_free(&code->arena);
	free(code->text);
	free(code);
}

struct filter_expr *
filter_parse(const char *text, const struct session *session, struct filter_error *error)
{
	struct filter_error ignored;
	struct filter_code *code = mem_new(sizeof *code);
	struct filter_expr *expr = NULL;
	struct parser p = {
	    .build = {.code = code, .session = session, .error = error ? error : &ignored},
	    .text = text};
	*p.build.error = (struct filter_error){0};
	atomic_init(&code->references, 1);
	code->text = mem_text(text);
	if (!parser_run(&p)) {
		struct filter_expr first = {.code = code};
		filter_decide_severities(code);
		expr = filter_expr_share(&first);
	}
	code_release(code);
	return expr;
}

struct filter_expr *
filter_parse_pattern(const char *pattern, struct filter_error *error)
{
	struct text text = {0};
	filter_quote_regex(pattern, &text);
	struct filter_expr *expr = filter_parse(text_get(&text), NULL, error);
	text_free(&text);
	if (!expr && error->at) /* make it an offset in the pattern, without the slash */
		error->at--;
	return expr;
}

/* True if TEXT is a single word and no flag. Even if it names a field, the user means a search
 * for the word. */
static bool
is_word(const char *text)
{
	size_t start = strspn(text, " "), length = 0;
	char word[64];
	while (is_name_char(text[start + length]))
		length++;
	if (!length || length >= sizeof word ||
	    text[start + length + strspn(text + start + length, " ")])
		return false;
	snprintf(word, sizeof word, "%.*s", (int)length, text + start);
	return !filter_is_flag(word);
}

/* Replace words that are no names by patterns and parse again. Return NULL if that is no
 * expression or has no comparison: it may then be a sentence to search for. */
static struct filter_expr *
parse_words(const char *text, const struct session *session, struct filter_error *error)
{
	struct text whole = {0}, one = {0};
	struct filter_expr *expr = NULL;
	struct filter_error now = *error;
	size_t added = 0;
	text_add(&whole, text);
	while (!expr && now.word) {
		text_clear(&one);
		text_add_bytes(&one, whole.data, now.at);
		text_addf(&one, "/%.*s/%s", (int)now.word, whole.data + now.at,
			  whole.data + now.at + now.word);
		added += one.length - whole.length;
		text_clear(&whole);
		text_add(&whole, one.data);
		expr = filter_parse(whole.data, session, &now);
	}
	if (!expr && now.meant) { /* the error is after the words */
		*error = now;
		error->at -= added;
	}
	if (expr && !now.meant) {
		filter_expr_free(expr);
		expr = NULL;
	}
	if (expr)
		expr->code->note = "a word that is not a name is searched for in the text";
	text_free(&whole);
	text_free(&one);
	return expr;
}

struct filter_expr *
filter_parse_typed(const char *text, const struct session *session, struct filter_error *error)
{
	if (is_word(text))
		return filter_parse_pattern(text, error);
	struct filter_expr *expr = filter_parse(text, session, error);
	if (!expr && error->word)
		expr = parse_words(text, session, error);
	if (expr || error->meant || !text[strspn(text, " ")])
		return expr;
	expr = filter_parse_pattern(text, error);
	if (expr)
		expr->code->note = "as a regular expression";
	return expr;
}

struct filter_expr *
filter_expr_share(const struct filter_expr *expr)
{
	size_t regexes = expr->code->regexes.count;
	struct filter_expr *other = mem_new(sizeof *other + regexes * sizeof *other->regexes);
	other->code = expr->code;
	other->ends = expr->ends;
	atomic_fetch_add(&other->code->references, 1);
	return other;
}

void
filter_expr_free(struct filter_expr *expr)
{
	if (!expr)
		return;
	gap_cursor_free(expr->gaps);
	flow_cursor_free(expr->flow);
	for (size_t i = 0; i < expr->code->regexes.count; i++)
		regex_free(expr->regexes[i]);
	for (size_t i = 0; i < expr->bounds.count; i++)
		filter_bound_release(&expr->bounds.at[i]);
	vec_free(&expr->bounds);
	text_free(&expr->scratch);
	arena_free(&expr->arena);
	code_release(expr->code);
	free(expr);
}

const char *
filter_expr_note(const struct filter_expr *expr)
{
	return expr->code->note;
}

const char *
filter_expr_text(const struct filter_expr *expr)
{
	return expr->code->text;
}

bool
filter_expr_lists(const struct filter_expr *expr, const char *field)
{
	const struct filter_node *root = expr->code->root;
	return root->type == FILTER_LEAF && root->leaf->names &&
	       !strcmp(root->leaf->word.text, field);
}

/* Find value number *AT of the field, and count *AT down by the values before it. */
static const struct filter_string *
find_value(const struct filter_node *node, const char *field, size_t *at)
{
	const struct filter_string *found = NULL;
	const struct filter_leaf *leaf = node->leaf;
	if (node->type == FILTER_LEAF && leaf->how == FILTER_COMPARED &&
	    !strcmp(leaf->word.text, field)) {
		if (*at < leaf->strings.count)
			return &leaf->strings.at[*at];
		*at -= leaf->strings.count;
	}
	if (node->type == FILTER_LEAF)
		return NULL;
	for (const struct filter_node *child = node->child; child && !found; child = child->next)
		found = find_value(child, field, at);
	return found;
}

const char *
filter_expr_value(const struct filter_expr *expr, const char *field, size_t at, size_t *length)
{
	const struct filter_string *found = find_value(expr->code->root, field, &at);
	*length = found ? found->length : 0;
	return found ? found->at : NULL;
}

const char *
filter_expr_name(const struct filter_expr *expr, size_t at, size_t *length)
{
	const struct filter_strings *names = &expr->code->root->leaf->strings;
	if (at >= names->count)
		return NULL;
	*length = names->at[at].length;
	return names->at[at].at;
}
