/*
 * Testing messages and judging cells: see filter_tree.h.
 *
 * The terms of `and` and `or` are sorted cheapest first. A walk over the tree thus
 * tests the fixed struct before the bytes, and the bytes before the text. The first
 * term that needs text or fields expands them, once per message.
 *
 * The verdict on a cell is none, some or all: `and` takes the least of its terms,
 * `or` the greatest, `not` the opposite.
 */
#include "config.h"

#include "decode/argument.h"
#include "decode/registry.h"
#include "query/filter/filter_tree.h"
#include "query/gap/step_back.h"
#include "query/flow/run_on.h"
#include "session/context/context.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	ORIGIN_LEAVES = 32,  /* leaves on origin or type with answers kept */
	ORIGINS_KEPT = 65536 /* for each trace */
};

/* --- ranges, texts, patterns ------------------------------------------- */

bool
filter_range_has(const struct filter_range *range, long double value)
{
	bool above = range->open_low ? value > range->low : value >= range->low;
	bool below = range->open_high ? value < range->high : value <= range->high;
	return above && below;
}

bool
filter_ranges_have(const struct filter_ranges *ranges, long double value)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (filter_range_has(&ranges->at[i], value))
			return true;
	return false;
}

enum filter_verdict
filter_ranges_judge(const struct filter_ranges *ranges, long double least, long double most)
{
	enum filter_verdict verdict = FILTER_NONE;
	for (size_t i = 0; i < ranges->count; i++) {
		const struct filter_range *range = &ranges->at[i];
		if (filter_range_has(range, least) && filter_range_has(range, most))
			return FILTER_ALL;
		if (least <= range->high && most >= range->low)
			verdict = FILTER_SOME;
	}
	return verdict;
}

static bool
is_one_of(const struct filter_strings *strings, const char *at, size_t length)
{
	for (size_t i = 0; i < strings->count; i++)
		if (strings->at[i].length == length &&
		    (!length || !memcmp(strings->at[i].at, at, length)))
			return true;
	return false;
}

/* True if the leaf's pattern matches somewhere in a text. */
static bool
leaf_regex_fits(struct filter_look *look, const struct filter_leaf *leaf, const char *at,
		size_t length)
{
	struct filter_expr *expr = look->expr;
	if (leaf->literal)
		return needles_are_in(&expr->code->needles.at[leaf->needles - 1],
				      (const uint8_t *)at, length);
	struct regex **regex = &expr->regexes[leaf->regex - 1];
	if (!*regex)
		*regex = regex_share(expr->code->regexes.at[leaf->regex - 1]);
	return regex_fits(*regex, length ? at : "", length);
}

static bool
pattern_at(const struct filter_pattern *pattern, const uint8_t *p)
{
	for (size_t i = 0; i < pattern->length; i++)
		if ((p[i] & pattern->masks[i]) != pattern->values[i])
			return false;
	return true;
}

static bool
pattern_fits(const struct filter_pattern *pattern, const uint8_t *p, size_t length)
{
	for (size_t at = 0; pattern->length && at + pattern->length <= length; at++)
		if (pattern_at(pattern, p + at))
			return true;
	return false;
}

bool
filter_text_fits(struct filter_look *look, const struct filter_leaf *leaf, const char *at,
		 size_t length)
{
	if (leaf->how == FILTER_PRESENT)
		return length > 0;
	if (leaf->how == FILTER_COMPARED)
		return is_one_of(&leaf->strings, at, length);
	return leaf_regex_fits(look, leaf, at, length);
}

static bool
bytes_fit(struct filter_look *look, const struct filter_leaf *leaf, const uint8_t *p, size_t length)
{
	if (leaf->how == FILTER_MATCHED && !leaf->regex)
		return pattern_fits(&leaf->pattern, p, length);
	return filter_text_fits(look, leaf, (const char *)p, length);
}

/* --- a trace ----------------------------------------------------------- */

struct filter_bound *
filter_bind(struct filter_expr *expr, struct trace *trace)
{
	if (expr->last < expr->bounds.count && expr->bounds.at[expr->last].trace == trace)
		return &expr->bounds.at[expr->last];
	for (expr->last = 0; expr->last < expr->bounds.count; expr->last++)
		if (expr->bounds.at[expr->last].trace == trace)
			return &expr->bounds.at[expr->last];
	struct filter_bound *bound = vec_add(&expr->bounds);
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	bound->trace = trace;
	while (bound->decoder < decoder_count && decoders[bound->decoder] != ops)
		bound->decoder++;
	return bound;
}

void
filter_bound_release(struct filter_bound *bound)
{
	filter_times_release(&bound->times);
	context_cursor_free(bound->cursor);
	step_back_free(bound->step_back);
	run_on_free(bound->run_on);
	map_free(&bound->origins);
	map_free(&bound->types);
	map_free(&bound->kinds);
}

/* --- expansions --------------------------------------------------------- */

/* Expand the message under test, unless that is already done. */
static void
filter_need(struct filter_look *look, enum expand_want want)
{
	if (look->has && look->made >= want)
		return;
	reader_expand(look->reader, look->m, want, look->e);
	look->has = true;
	look->made = want;
	look->lacking = NULL;
}

/* Like filter_need, but make the text only if it may contain a needle of the leaf. */
static void
need_match(struct filter_look *look, const struct filter_leaf *leaf, enum expand_want want)
{
	if (look->has && look->made >= want && (!look->lacking || look->lacking == leaf))
		return;
	look->e->needles = leaf->needles ? &look->expr->code->needles.at[leaf->needles - 1] : NULL;
	reader_expand(look->reader, look->m, want, look->e);
	look->e->needles = NULL;
	look->has = true;
	look->made = want;
	look->lacking = look->e->no_match ? leaf : NULL;
}

/* --- the fixed struct -------------------------------------------------- */

bool
filter_test_severity(struct filter_look *look, const struct filter_leaf *leaf)
{
	return leaf->set >> look->m->severity & 1;
}

/* A bad checksum shows only when the whole message is expanded. */
bool
filter_test_flags(struct filter_look *look, const struct filter_leaf *leaf)
{
	if (look->m->flags & leaf->set)
		return true;
	if (!(leaf->set & MESSAGE_DAMAGED) || !(look->m->flags & MESSAGE_CHECKED))
		return false;
	filter_need(look, EXPAND_FLAGS);
	return look->e->flags & leaf->set;
}

bool
filter_test_kind(struct filter_look *look, const struct filter_leaf *leaf)
{
	size_t decoder = look->bound->decoder;
	return decoder < decoder_count && leaf->kinds[decoder] >> look->m->kind & 1;
}

bool
filter_test_trace(struct filter_look *look, const struct filter_leaf *leaf)
{
	const char *name = trace_name(look->bound->trace);
	return filter_text_fits(look, leaf, name, strlen(name));
}

bool
filter_number_fits(const struct filter_leaf *leaf, uint64_t value)
{
	return leaf->how == FILTER_PRESENT || filter_ranges_have(&leaf->ranges, (long double)value);
}

bool
filter_test_ticks(struct filter_look *look, const struct filter_leaf *leaf)
{
	return look->m->flags & MESSAGE_TIMED && filter_number_fits(leaf, look->m->ticks);
}

bool
filter_test_offset(struct filter_look *look, const struct filter_leaf *leaf)
{
	return filter_number_fits(leaf, look->m->offset);
}

bool
filter_test_length(struct filter_look *look, const struct filter_leaf *leaf)
{
	return filter_number_fits(leaf, look->m->length);
}

/* --- bytes and neighbours ---------------------------------------------- */

bool
filter_test_bytes(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct window window = reader_window(look->reader);
	uint64_t offset = look->m->offset, length = look->m->length;
	uint64_t size = window.offset + window.length;
	if (offset > size || offset < window.offset)
		return false;
	if (length > size - offset)
		length = size - offset;
	return bytes_fit(look, leaf, window.bytes + (offset - window.offset), (size_t)length);
}

bool
filter_test_number(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct position at;
	if (!reader_find_message(look->reader, look->m, &at))
		return false;
	return filter_number_fits(leaf, reader_decoded_cell(look->reader, at.cell)->first + at.at);
}

/* --- text and fields --------------------------------------------------- */

static bool
expanded_fits(struct filter_look *look, const struct filter_leaf *leaf, enum expand_want want,
	      const struct text *text)
{
	filter_need(look, want);
	return filter_text_fits(look, leaf, text_get(text), text->length);
}

/* True if the origin of a message follows from its raw key alone. */
static bool
tells_origin(const struct filter_bound *bound, const struct message *m)
{
	return bound->by_key >> m->kind & 1;
}

/* True if answers may be kept by origin. Drop answers for older texts. */
static bool
keeps_origins(struct filter_look *look)
{
	struct filter_bound *bound = look->bound;
	unsigned generation = trace_generation(bound->trace);
	if (!bound->looked || bound->generation != generation) {
		map_free(&bound->origins);
		map_free(&bound->types);
		map_free(&bound->kinds);
		bound->looked = true;
		bound->generation = generation;
		bound->by_key = reader_origin_kinds(look->reader);
	}
	return tells_origin(bound, look->m);
}

/* Return the stored answer for an origin or a type: 1 passes, 0 does not, -1 unknown. */
static int
key_known(const struct map *answers, const struct filter_leaf *leaf, uint64_t key)
{
	const uint64_t *bits = leaf->origin_leaf < ORIGIN_LEAVES ? map_find(answers, key) : NULL;
	uint64_t own = bits ? *bits >> 2 * leaf->origin_leaf : 0;
	return own & 1 ? (int)(own >> 1 & 1) : -1;
}

static void
keep_key(struct map *answers, const struct filter_leaf *leaf, uint64_t key, bool fits)
{
	if (leaf->origin_leaf >= ORIGIN_LEAVES || answers->count >= ORIGINS_KEPT)
		return;
	*map_add(answers, key) |= (uint64_t)(fits ? 3 : 1) << 2 * leaf->origin_leaf;
}

/* True if an origin passes. With several traces, the list shows `TRACE ORIGIN`. There a pattern
 * without a name may also match across the blank, but a match in the trace's name alone does not
 * count: each message of the trace has it. */
static bool
origin_fits(struct filter_look *look, const struct filter_leaf *leaf, const struct text *origin)
{
	const struct trace *trace = look->bound->trace;
	bool joins = leaf->name == &filter_any_text && session_of(trace)->traces.count > 1;
	if (filter_text_fits(look, leaf, text_get(origin), origin->length))
		return true;
	if (!joins || !origin->length)
		return false;
	struct text *joint = &look->expr->scratch;
	text_clear(joint);
	text_addf(joint, "%s ", trace_name(trace));
	size_t name = joint->length - 1;
	text_add_bytes(joint, text_get(origin), origin->length);
	return filter_text_fits(look, leaf, joint->data, joint->length) &&
	       !filter_text_fits(look, leaf, joint->data, name);
}

bool
filter_test_origin(struct filter_look *look, const struct filter_leaf *leaf)
{
	bool kept = keeps_origins(look);
	int known = kept ? key_known(&look->bound->origins, leaf, look->m->origin) : -1;
	if (known >= 0)
		return known;
	if (kept && !(look->has && look->made >= EXPAND_TEXT)) {
		reader_expand_origin(look->reader, look->m, look->e);
		look->has = false; /* the rest of E may be of another message */
	} else {
		filter_need(look, EXPAND_TEXT);
	}
	bool fits = origin_fits(look, leaf, &look->e->origin);
	if (kept)
		keep_key(&look->bound->origins, leaf, look->m->origin, fits);
	return fits;
}

/* Set *KEY to a key of the message's type. Return false if it has none. */
static bool
find_type_key(struct filter_look *look, uint64_t *key)
{
	bool keyed = true;
	reader_type_keys(look->reader, look->m, 1, key, &keyed);
	return keyed;
}

bool
filter_test_type(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct map *types = &look->bound->types;
	uint64_t key;
	keeps_origins(look); /* drop types of older texts, too */
	bool keyed = find_type_key(look, &key);
	int known = keyed ? key_known(types, leaf, key) : -1;
	if (known >= 0)
		return known;
	bool fits = expanded_fits(look, leaf, EXPAND_TYPE, &look->e->type);
	if (keyed)
		keep_key(types, leaf, key, fits);
	return fits;
}

/* True if a leaf may test a text inside the capture. PCRE2 assumes that checked UTF-8 stays
 * valid, but a file may change. */
static bool
looks_in_place(const struct filter_look *look, const struct filter_leaf *leaf)
{
	return !leaf->regex || !regex_is_utf(look->expr->code->regexes.at[leaf->regex - 1]);
}

/* Return the text of the message if it lies in the capture and the leaf may test it there. */
static const char *
text_in_place(struct filter_look *look, const struct filter_leaf *leaf, size_t *length)
{
	if (look->has || !looks_in_place(look, leaf))
		return NULL;
	return reader_text(look->reader, look->m, length);
}

/* True if the kind and the bytes of the message prove that its text has no needle. Otherwise
 * many messages are expanded for a string that only one kind can have. */
static bool
kind_lacks(struct filter_look *look, const struct filter_leaf *leaf)
{
	const struct message *m = look->m;
	struct map *kinds = &look->bound->kinds;
	uint64_t key = (uint64_t)m->flags << 8 | m->kind;
	if (look->has || !leaf->needles)
		return false;
	const struct needles *needles = &look->expr->code->needles.at[leaf->needles - 1];
	keeps_origins(look); /* drop answers for older texts, too */
	int known = key_known(kinds, leaf, key);
	if (known < 0) {
		known = reader_kind_lacks(look->reader, m, needles);
		keep_key(kinds, leaf, key, known);
	}
	return known && reader_bytes_lack(look->reader, m, needles);
}

bool
filter_test_text(struct filter_look *look, const struct filter_leaf *leaf)
{
	size_t length;
	const char *text = text_in_place(look, leaf, &length);
	if (text)
		return filter_text_fits(look, leaf, text, length);
	if (kind_lacks(look, leaf))
		return false;
	need_match(look, leaf, EXPAND_BARE);
	text = text_get(&look->e->text);
	return !look->lacking && filter_text_fits(look, leaf, text, look->e->text.length);
}

bool
filter_test_any(struct filter_look *look, const struct filter_leaf *leaf)
{
	size_t length;
	uint64_t key;
	/* else expand all three at once */
	if (!text_in_place(look, leaf, &length) && !kind_lacks(look, leaf))
		need_match(look, leaf,
			   !keeps_origins(look)	       ? EXPAND_TEXT
			   : find_type_key(look, &key) ? EXPAND_BARE
						       : EXPAND_TYPE);
	return filter_test_text(look, leaf) || filter_test_origin(look, leaf) ||
	       filter_test_type(look, leaf);
}

bool
filter_test_payload(struct filter_look *look, const struct filter_leaf *leaf)
{
	filter_need(look, EXPAND_FIELDS);
	return look->e->payload && bytes_fit(look, leaf, look->e->payload, look->e->payload_length);
}

static bool
is_container(const struct field *field)
{
	return field->row->type >= FIELD_LIST;
}

static long double
field_number(const struct field *field)
{
	return field->row->type == FIELD_INT	  ? (long double)field->i
	       : field->row->type == FIELD_NUMBER ? (long double)field->d
						  : (long double)field->u;
}

static bool
value_compares(const struct filter_field *want, const struct field *field)
{
	if (field->row->type == FIELD_TEXT)
		return is_one_of(&want->strings, field->s.at, field->s.length);
	if (field->row->type == FIELD_BYTES)
		return is_one_of(&want->bytes, field->s.at, field->s.length);
	return filter_ranges_have(&want->ranges, field_number(field));
}

static bool
value_matches(struct filter_look *look, const struct filter_leaf *leaf, const struct field *field)
{
	struct text *scratch = &look->expr->scratch;
	if (field->row->type == FIELD_BYTES && leaf->pattern.length)
		return pattern_fits(&leaf->pattern, (const uint8_t *)field->s.at, field->s.length);
	if (!leaf->regex)
		return false;
	if (field->row->type == FIELD_TEXT)
		return leaf_regex_fits(look, leaf, field->s.at, field->s.length);
	text_clear(scratch);
	field_format(field, scratch);
	const char *meaning = field_meaning(field);
	return leaf_regex_fits(look, leaf, text_get(scratch), scratch->length) ||
	       (meaning && leaf_regex_fits(look, leaf, meaning, strlen(meaning)));
}

static bool
value_fits(struct filter_look *look, const struct filter_leaf *leaf,
	   const struct filter_field *want, const struct field *field)
{
	if (leaf->how == FILTER_PRESENT) /* a boolean must be true */
		return field->row->type != FIELD_BOOL || field->u;
	if (is_container(field))
		return false;
	return leaf->how == FILTER_COMPARED ? value_compares(want, field)
					    : value_matches(look, leaf, field);
}

/* True if a field, or one of its elements, has the value. */
static bool
field_fits(struct filter_look *look, const struct filter_leaf *leaf,
	   const struct filter_field *want, size_t at)
{
	const struct expansion *e = look->e;
	unsigned depth = e->fields.at[at].depth;
	if (value_fits(look, leaf, want, &e->fields.at[at]))
		return true;
	while (++at < e->fields.count && e->fields.at[at].depth > depth)
		if (leaf->how != FILTER_PRESENT && value_fits(look, leaf, want, &e->fields.at[at]))
			return true;
	return false;
}

static bool
argument_fits(struct filter_look *look, const struct filter_leaf *leaf)
{
	const struct field *field = argument_find(look->e, leaf->argument);
	for (size_t k = leaf->own_count; field && k < leaf->field_count; k++)
		if (field->row == leaf->fields[k].row &&
		    value_fits(look, leaf, &leaf->fields[k], field))
			return true;
	return false;
}

bool
filter_test_field(struct filter_look *look, const struct filter_leaf *leaf)
{
	filter_need(look, EXPAND_FIELDS);
	for (size_t i = 0; i < look->e->fields.count; i++)
		for (size_t k = 0; k < leaf->own_count; k++)
			if (look->e->fields.at[i].row == leaf->fields[k].row &&
			    field_fits(look, leaf, &leaf->fields[k], i))
				return true;
	return leaf->argument && argument_fits(look, leaf);
}

/* --- cells ------------------------------------------------------------- */

enum filter_verdict
filter_judge_severity(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	uint32_t passing = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		if (leaf->set >> s & 1)
			passing += facts->cell->severities[s];
	if (!passing)
		return FILTER_NONE;
	return passing == facts->cell->count ? FILTER_ALL : FILTER_SOME;
}

enum filter_verdict
filter_judge_flags(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	uint64_t possible = leaf->set;
	if (possible & MESSAGE_DAMAGED)
		possible |= MESSAGE_CHECKED;
	return facts->cell->message_flags & possible ? FILTER_SOME : FILTER_NONE;
}

enum filter_verdict
filter_judge_kind(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	if (!facts->bound)
		return FILTER_SOME;
	size_t decoder = facts->bound->decoder;
	uint64_t passing = decoder < decoder_count ? leaf->kinds[decoder] : 0;
	if (!(facts->cell->kinds & passing))
		return FILTER_NONE;
	return facts->cell->kinds & ~passing ? FILTER_SOME : FILTER_ALL;
}

enum filter_verdict
filter_judge_trace(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	if (!facts->bound)
		return FILTER_SOME;
	struct filter_look look = {.expr = facts->expr, .bound = facts->bound};
	return filter_test_trace(&look, leaf) ? FILTER_ALL : FILTER_NONE;
}

struct origins {
	const struct filter_bound *bound;
	const struct filter_leaf *leaf;
	bool any[3]; /* origins that are unknown, do not pass, pass */
};

static bool
add_origin(void *context, uint64_t key)
{
	struct origins *origins = context;
	origins->any[key_known(&origins->bound->origins, origins->leaf, key) + 1] = true;
	return !origins->any[0];
}

/* Judge a cell once the answers for all origins around it are known. */
enum filter_verdict
filter_judge_origin(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	const struct filter_bound *bound = facts->bound;
	struct origins origins = {.bound = bound, .leaf = leaf};
	if (!bound || bound->by_key != UINT64_MAX ||
	    bound->generation != trace_generation(bound->trace) ||
	    !index_each_origin(facts->index, facts->number, add_origin, &origins) || origins.any[0])
		return FILTER_SOME;
	return !origins.any[2] ? FILTER_NONE : origins.any[1] ? FILTER_SOME : FILTER_ALL;
}

enum filter_verdict
filter_judge_text(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	if (!facts->bytes || !leaf->needles || !facts->bound)
		return FILTER_SOME;
	const struct needles *needles = &facts->expr->code->needles.at[leaf->needles - 1];
	return trace_cell_lacks(facts->bound->trace, facts->number, needles) ? FILTER_NONE
									     : FILTER_SOME;
}

enum filter_verdict
filter_judge_any(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	if (!facts->bytes || filter_judge_origin(facts, leaf) != FILTER_NONE)
		return FILTER_SOME;
	return filter_judge_text(facts, leaf);
}

/* Messages without a time may be among those with one, so never return FILTER_ALL. */
enum filter_verdict
filter_judge_ticks(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	const struct index_cell *cell = facts->cell;
	if (!(cell->flags & CELL_TIMED))
		return FILTER_NONE;
	if (leaf->how != FILTER_PRESENT &&
	    filter_ranges_judge(&leaf->ranges, (long double)cell->time_min,
				(long double)cell->time_max) == FILTER_NONE)
		return FILTER_NONE;
	return FILTER_SOME;
}

/* A scattered message starts before the cell it belongs to. */
enum filter_verdict
filter_judge_offset(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	if (leaf->how == FILTER_PRESENT)
		return FILTER_ALL;
	if (!facts->index)
		return FILTER_SOME;
	uint64_t size = index_cell_size(facts->index), start = facts->number * size;
	uint64_t last = start + size; /* offset of a note at the very end */
	bool scattered = facts->cell->message_flags & MESSAGE_SCATTERED;
	if (facts->number + 1 < index_cell_count(facts->index))
		last--;
	return filter_ranges_judge(&leaf->ranges, scattered ? 0 : (long double)start,
				   (long double)last);
}

enum filter_verdict
filter_judge_number(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	const struct index_cell *cell = facts->cell;
	if (!cell->count)
		return FILTER_NONE;
	if (leaf->how == FILTER_PRESENT)
		return FILTER_ALL;
	return filter_ranges_judge(&leaf->ranges, (long double)cell->first,
				   (long double)(cell->first + cell->count - 1));
}

/* --- the tree ---------------------------------------------------------- */

bool
filter_node_test(struct filter_look *look, const struct filter_node *node)
{
	const struct filter_node *child;
	switch (node->type) {
	case FILTER_LEAF:
		return node->leaf->name->test(look, node->leaf);
	case FILTER_NOT:
		return !filter_node_test(look, node->child);
	case FILTER_AND:
		for (child = node->child; child; child = child->next)
			if (!filter_node_test(look, child))
				return false;
		return true;
	case FILTER_OR:
		for (child = node->child; child; child = child->next)
			if (filter_node_test(look, child))
				return true;
		return false;
	}
	return false;
}

static enum filter_verdict
judge_leaf(const struct filter_facts *facts, const struct filter_leaf *leaf)
{
	const struct filter_name *name = leaf->name;
	bool said = !facts->severities_only || name->uses == FILTER_USES_SEVERITY;
	return name->judge && said ? name->judge(facts, leaf) : FILTER_SOME;
}

enum filter_verdict
filter_node_judge(const struct filter_facts *facts, const struct filter_node *node)
{
	const struct filter_node *child;
	enum filter_verdict verdict = FILTER_ALL, one;
	switch (node->type) {
	case FILTER_LEAF:
		return judge_leaf(facts, node->leaf);
	case FILTER_NOT:
		return FILTER_ALL - filter_node_judge(facts, node->child);
	case FILTER_AND:
		for (child = node->child; child && verdict != FILTER_NONE; child = child->next)
			if ((one = filter_node_judge(facts, child)) < verdict)
				verdict = one;
		return verdict;
	case FILTER_OR:
		verdict = FILTER_NONE;
		for (child = node->child; child && verdict != FILTER_ALL; child = child->next)
			if ((one = filter_node_judge(facts, child)) > verdict)
				verdict = one;
		return verdict;
	}
	return verdict;
}

void
filter_decide_severities(struct filter_code *code)
{
	for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
		struct index_cell one = {.count = 1};
		one.severities[s] = 1;
		const struct filter_facts facts = {.cell = &one, .severities_only = true};
		enum filter_verdict verdict = filter_node_judge(&facts, code->root);
		code->all |= (uint16_t)((verdict == FILTER_ALL) << s);
		code->none |= (uint16_t)((verdict == FILTER_NONE) << s);
	}
}
