/*
 * Checking a YAML text, and finding values in it: see survey.h.
 *
 * libcyaml does neither.  It expands aliases without a limit.  Its errors have the line and column
 * of some value before the wrong one.  So this file walks the events of libyaml, which is its
 * base, once before loading to count against the limits.  It walks them again to place an error.
 * The walk keeps the path of the current value as text, and a frame for each open list or mapping.
 *
 * It does not follow aliases.  Each anchor stores the cost of its expansion, and an alias adds
 * that.  A text that passes can be read into a tree; these limits bound its size.
 */
#include "config.h"

#include "config/survey.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/text.h"
#include "base/vec.h"

/* An open list or mapping. */
struct frame {
	bool mapping;
	bool keyed;    /* mapping: the next value belongs to the last key */
	size_t items;  /* list: items before this one */
	size_t path;   /* length of its path */
	size_t anchor; /* index in anchors, SIZE_MAX = none */
};

struct anchor {
	char *name;
	uint64_t cost; /* cost of all values before it; once closed, its cost */
	bool closed;
};

struct survey {
	yaml_parser_t parser;
	struct frame frames[SURVEY_NESTING];
	size_t depth;
	struct text path;
	VEC(struct anchor) anchors;
	uint64_t cost;	  /* of all values up to here, aliases expanded */
	uint64_t aliased; /* part of `cost` from aliases */

	const char *target; /* path, or NULL */
	bool target_is_key;
	size_t best; /* length of the longest path found on the way to the target */
	bool list;   /* the target is a list */

	struct survey_place place; /* of the error, or of the target */
	struct err *err;
};

static struct survey_place
place_of(yaml_mark_t mark)
{
	return (struct survey_place){mark.line + 1, mark.column + 1};
}

#define complain(survey, mark, ...)                                                                \
	((survey)->place = place_of(mark), err_set((survey)->err, ERR_CONFIG, __VA_ARGS__))

/* Store the place if the current path is the target or leads to it. */
static void
note_place(struct survey *survey, yaml_mark_t mark, bool key)
{
	size_t length = survey->path.length;
	if (!survey->target || length < survey->best ||
	    strncmp(survey->target, text_get(&survey->path), length) != 0)
		return;
	char next = survey->target[length];
	if (length && next != '\0' && next != '.' && next != '[')
		return;
	if (next == '\0' && survey->target_is_key && !key)
		return;
	survey->best = length;
	survey->place = place_of(mark);
}

/* Add the cost of an alias.  Only aliases have a limit: they can expand to far more than the
 * file. */
static int
spend_budget(struct survey *survey, yaml_mark_t mark, uint64_t cost)
{
	survey->cost += cost;
	survey->aliased += cost;
	if (survey->aliased > SURVEY_VALUES)
		return complain(survey, mark,
				"more than %d values, aliases expanded; split the file",
				(int)SURVEY_VALUES);
	return 0;
}

/* Return the latest anchor called NAME, because YAML lets a name be used again. */
static struct anchor *
find_anchor(struct survey *survey, const char *name)
{
	for (size_t i = survey->anchors.count; i--;)
		if (!strcmp(survey->anchors.at[i].name, name))
			return &survey->anchors.at[i];
	return NULL;
}

static int
open_anchor(struct survey *survey, yaml_mark_t mark, const yaml_char_t *name, size_t *position)
{
	*position = SIZE_MAX;
	if (!name)
		return 0;
	if (survey->anchors.count == SURVEY_ANCHORS)
		return complain(survey, mark, "more than %d anchors; use fewer",
				(int)SURVEY_ANCHORS);
	*position = survey->anchors.count;
	*vec_add(&survey->anchors) =
	    (struct anchor){.name = mem_text((const char *)name), .cost = survey->cost};
	return 0;
}

static void
close_anchor(struct survey *survey, size_t position)
{
	if (position == SIZE_MAX)
		return;
	struct anchor *anchor = &survey->anchors.at[position];
	anchor->cost = survey->cost - anchor->cost;
	anchor->closed = true;
}

static int
see_alias(struct survey *survey, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct anchor *anchor = find_anchor(survey, name);
	if (!anchor)
		return complain(survey, event->start_mark,
				"unknown alias *%.60s; expected &%.60s before it", name, name);
	if (!anchor->closed)
		return complain(survey, event->start_mark,
				"alias *%.60s is inside what it names; write the value out", name);
	return spend_budget(survey, event->start_mark, anchor->cost);
}

static int
see_scalar(struct survey *survey, const yaml_event_t *event)
{
	size_t anchor, length = event->data.scalar.length;
	if (memchr(event->data.scalar.value, '\0', length))
		return complain(survey, event->start_mark, "a NUL character; expected text");
	int result = open_anchor(survey, event->start_mark, event->data.scalar.anchor, &anchor);
	survey->cost += 1 + length / 64;
	if (!result)
		close_anchor(survey, anchor);
	return result;
}

static int
open_frame(struct survey *survey, const yaml_event_t *event, const yaml_char_t *name)
{
	if (survey->depth == SURVEY_NESTING)
		return complain(survey, event->start_mark,
				"more than %d lists and mappings inside each other; nest less",
				(int)SURVEY_NESTING);
	struct frame *frame = &survey->frames[survey->depth++];
	*frame = (struct frame){.mapping = event->type == YAML_MAPPING_START_EVENT,
				.path = survey->path.length};
	int result = open_anchor(survey, event->start_mark, name, &frame->anchor);
	survey->cost++;
	return result;
}

static int
see_key(struct survey *survey, struct frame *frame, const yaml_event_t *event)
{
	if (event->type != YAML_SCALAR_EVENT)
		return complain(survey, event->start_mark,
				"a key that is not a single word; expected a name");
	frame->keyed = true;
	if (frame->path)
		text_add(&survey->path, ".");
	text_add(&survey->path, (const char *)event->data.scalar.value);
	note_place(survey, event->start_mark, true);
	return see_scalar(survey, event);
}

static int
see_value(struct survey *survey, const yaml_event_t *event)
{
	note_place(survey, event->start_mark, false);
	survey->list |= event->type == YAML_SEQUENCE_START_EVENT && survey->target &&
			!strcmp(survey->target, text_get(&survey->path));
	if (event->type == YAML_ALIAS_EVENT)
		return see_alias(survey, event);
	if (event->type == YAML_SCALAR_EVENT)
		return see_scalar(survey, event);
	return open_frame(survey, event,
			  event->type == YAML_MAPPING_START_EVENT
			      ? event->data.mapping_start.anchor
			      : event->data.sequence_start.anchor);
}

/* Handle a key or a value: extend the path. */
static int
see_node(struct survey *survey, const yaml_event_t *event)
{
	if (!survey->depth)
		return see_value(survey, event);
	struct frame *frame = &survey->frames[survey->depth - 1];
	if (frame->keyed) {
		frame->keyed = false;
		return see_value(survey, event);
	}
	text_cut(&survey->path, frame->path);
	if (frame->mapping)
		return see_key(survey, frame, event);
	text_addf(&survey->path, "[%zu]", frame->items++);
	return see_value(survey, event);
}

static int
see_event(struct survey *survey, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return see_node(survey, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: {
		struct frame *frame = &survey->frames[--survey->depth];
		close_anchor(survey, frame->anchor);
		text_cut(&survey->path, frame->path);
		return 0;
	}
	case YAML_DOCUMENT_START_EVENT:
		if (survey->cost)
			return complain(survey, event->start_mark,
					"a second document; expected one");
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return 0;
	}
	return 0;
}

/* Return the place of a wrong byte.  libyaml gives its offset only. */
static struct survey_place
place_of_byte(const char *text, size_t length, size_t offset)
{
	struct survey_place place = {1, 1};
	for (size_t i = 0; i < length && i < offset; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

/* Find the first tab in the indentation of a line.  LINE and *COLUMN count from 0.  Return false
 * if it has none. */
static bool
find_tab(const char *text, size_t length, size_t line, size_t *column)
{
	size_t at = 0;
	for (; line && at < length; at++)
		line -= text[at] == '\n';
	for (*column = 0; at < length && text[at] == ' '; at++)
		++*column;
	return at < length && text[at] == '\t';
}

static int
complain_syntax(struct survey *survey, const char *text, size_t length)
{
	const yaml_parser_t *parser = &survey->parser;
	const char *problem = parser->problem ? parser->problem : "out of memory";
	if (parser->error == YAML_READER_ERROR) {
		survey->place = place_of_byte(text, length, parser->problem_offset);
		return err_set(survey->err, ERR_CONFIG, "not YAML: %s; expected UTF-8 text",
			       problem);
	}
	yaml_mark_t mark = parser->problem_mark;
	if (find_tab(text, length, mark.line, &mark.column))
		return complain(survey, mark,
				"not YAML: a tab indents the line; expected blanks in its place");
	if (!parser->context)
		return complain(survey, parser->problem_mark, "not YAML: %s", problem);
	struct survey_place from = place_of(parser->context_mark);
	return complain(survey, parser->problem_mark, "not YAML: %s (%s from %zu:%zu on)", problem,
			parser->context, from.line, from.column);
}

static int
walk_events(struct survey *survey, const char *text, size_t length)
{
	if (!yaml_parser_initialize(&survey->parser))
		mem_end();
	yaml_parser_set_input_string(&survey->parser, (const unsigned char *)text, length);
	int result = 0;
	for (bool end = false; !end && !result;) {
		yaml_event_t event;
		if (!yaml_parser_parse(&survey->parser, &event)) {
			result = complain_syntax(survey, text, length);
			break;
		}
		end = event.type == YAML_STREAM_END_EVENT;
		result = see_event(survey, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&survey->parser);
	text_free(&survey->path);
	for (size_t i = 0; i < survey->anchors.count; i++)
		free(survey->anchors.at[i].name);
	vec_free(&survey->anchors);
	return result;
}

int
survey_check(const char *text, size_t length, struct survey_place *place, struct err *err)
{
	struct survey survey = {.err = err};
	int result = walk_events(&survey, text, length);
	*place = survey.place;
	return result;
}

struct survey_place
survey_find(const char *text, size_t length, const char *path, bool key)
{
	struct survey survey = {.target = path, .target_is_key = key, .place = {1, 1}};
	walk_events(&survey, text, length);
	return survey.place;
}

size_t
survey_find_line(const char *text, size_t length, const char *path)
{
	struct survey survey = {.target = path, .target_is_key = true};
	walk_events(&survey, text, length);
	return survey.best == strlen(path) ? survey.place.line : 0;
}

bool
survey_has_list(const char *text, size_t length, const char *path)
{
	struct survey survey = {.target = path};
	walk_events(&survey, text, length);
	return survey.list;
}

/* --- as a tree --------------------------------------------------------- */

struct tree_anchor {
	const char *name;
	const struct survey_node *node;
};

struct tree {
	yaml_parser_t parser;
	struct arena *arena;
	VEC(struct tree_anchor) anchors;
};

static yaml_event_t
next_event(struct tree *tree)
{
	yaml_event_t event;
	if (!yaml_parser_parse(&tree->parser, &event))
		mem_end(); /* the syntax is already checked */
	return event;
}

static void
note_anchor(struct tree *tree, const yaml_char_t *name, const struct survey_node *node)
{
	if (name)
		*vec_add(&tree->anchors) = (struct tree_anchor){
		    arena_text(tree->arena, (const char *)name, strlen((const char *)name)), node};
}

/* Make NODE a copy of the latest anchor called NAME. */
static void
follow_alias(const struct tree *tree, const char *name, struct survey_node *node)
{
	size_t i = tree->anchors.count - 1;
	while (strcmp(tree->anchors.at[i].name, name) != 0)
		i--;
	struct survey_place place = node->place;
	*node = *tree->anchors.at[i].node;
	node->place = place;
	node->alias = true;
	node->next = NULL;
}

static struct survey_node *tree_read_value(struct tree *, yaml_event_t);

static void
read_children(struct tree *tree, struct survey_node *node, yaml_event_type_t end)
{
	struct survey_node **last = &node->first;
	yaml_event_t event = next_event(tree);
	for (; event.type != end; event = next_event(tree)) {
		*last = tree_read_value(tree, event);
		last = &(*last)->next;
	}
	yaml_event_delete(&event);
}

static struct survey_node *
tree_read_value(struct tree *tree, yaml_event_t event)
{
	struct survey_node *node = arena_alloc(tree->arena, sizeof *node);
	*node = (struct survey_node){.place = place_of(event.start_mark)};
	if (event.type == YAML_ALIAS_EVENT) {
		follow_alias(tree, (const char *)event.data.alias.anchor, node);
	} else if (event.type == YAML_SCALAR_EVENT) {
		node->text = arena_text(tree->arena, (const char *)event.data.scalar.value,
					event.data.scalar.length);
		note_anchor(tree, event.data.scalar.anchor, node);
	} else if (event.type == YAML_SEQUENCE_START_EVENT) {
		node->shape = SURVEY_LIST;
		read_children(tree, node, YAML_SEQUENCE_END_EVENT);
		note_anchor(tree, event.data.sequence_start.anchor, node);
	} else {
		node->shape = SURVEY_MAPPING;
		read_children(tree, node, YAML_MAPPING_END_EVENT);
		note_anchor(tree, event.data.mapping_start.anchor, node);
	}
	yaml_event_delete(&event);
	return node;
}

const struct survey_node *
survey_read(const char *text, size_t length, struct arena *arena)
{
	struct tree tree = {.arena = arena};
	const struct survey_node *root = NULL;
	if (!yaml_parser_initialize(&tree.parser))
		mem_end();
	yaml_parser_set_input_string(&tree.parser, (const unsigned char *)text, length);
	for (bool end = false; !end && !root;) {
		yaml_event_t event = next_event(&tree);
		end = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT ||
		    event.type == YAML_MAPPING_START_EVENT)
			root = tree_read_value(&tree, event);
		else
			yaml_event_delete(&event);
	}
	yaml_parser_delete(&tree.parser);
	vec_free(&tree.anchors);
	return root;
}

const char *
survey_version(void)
{
	return yaml_get_version_string();
}
