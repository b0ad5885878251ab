/*
 * The user's own highlights and keys: see own.h.
 *
 * A typed entry becomes an element of the same list that own.yaml is read into.  The same
 * table rows check it.  Saving reads the file again and replaces one of its two lists.  So
 * the changes of another run to the other list survive.
 */
#include "config.h"

#include "ui/own.h"
#include "base/writer.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "ui/app.h"
#include "ui/list/filters.h"
#include "ui/list/rules.h"
#include "ui/list/view.h"
#include "ui/screen/colour.h"
#include "ui/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY(...) OPTION_ROW(struct own_key, __VA_ARGS__)
static const struct option_row key_rows[] = {
    KEY(key, TEXT, "one key or sequence of keys", .required = true, .check = keymap_check_key),
    KEY(command, TEXT, "command, as typed after :, or with / ? &", .required = true,
	.check = keymap_check_line),
};
static const struct option_table key_table = OPTION_TABLE("keys", struct own_key, key_rows);

#define OWN(...) OPTION_ROW(struct own, __VA_ARGS__)
static const struct option_row own_rows[] = {
    OWN(highlights, LIST, "messages with a different look, before the rules of the view",
	.table = &view_rule_table),
    OWN(keys, LIST, "keys and their commands", .table = &key_table),
};
const struct option_table own_options_table = OPTION_TABLE("own", struct own, own_rows);

/* Return the row of the list that a command changes. */
static const struct option_row *
row_of(enum command_id id)
{
	return &own_rows[id == COMMAND_KEY];
}

static struct option_list *
list_in(struct own *own, enum command_id id)
{
	return (void *)((char *)own + row_of(id)->member);
}

static struct option_list *
list_of(const struct screen *screen, enum command_id id)
{
	return list_in(&app_of(screen)->options->own, id);
}

/* Record that the file contains the present list of a command.  The other list keeps its base:
 * its unsaved changes are not in the file. */
static void
note_saved(struct ui_options *options, enum command_id id)
{
	struct own saved, now = options->own_saved; /* borrows both lists */
	*list_in(&now, id) = *list_in(&options->own, id);
	option_copy(&own_options_table, &saved, &now);
	option_release(&own_options_table, &options->own_saved);
	options->own_saved = saved;
}

void
own_note_read(struct ui_options *options)
{
	option_copy(&own_options_table, &options->own_saved, &options->own);
}

/* --- lists ------------------------------------------------------------- */

/* Append a zeroed element and return it. */
static void *
add_element(const struct option_row *row, struct option_list *list)
{
	size_t size = row->table->size;
	char *at = mem_new((list->count + 1) * size);
	if (list->count)
		memcpy(at, list->at, list->count * size);
	free(list->at);
	list->at = at;
	return at + size * list->count++;
}

static void
drop_element(const struct option_row *row, struct option_list *list, size_t i)
{
	size_t size = row->table->size;
	char *at = (char *)list->at + i * size;
	option_release(row->table, at);
	memmove(at, at + size, (--list->count - i) * size);
}

/* Find the element with TEXT as its first member.  Return the count if there is none. */
static size_t
find_element(const struct option_row *row, const struct option_list *list, const char *text)
{
	size_t i = 0;
	while (i < list->count &&
	       strcmp(*(char **)((char *)list->at + i * row->table->size), text) != 0)
		i++;
	return i;
}

/* --- saving ------------------------------------------------------------ */

/* Read the lists of the file, or none if it does not exist. */
static int
read_kept(const struct ui_options *options, struct own *kept, struct err *err)
{
	*kept = (struct own){0};
	if (access(options->own_path, F_OK) != 0)
		return 0;
	return options->load_yaml(options->own_path, &own_options_table, kept, err);
}

/* Append the file's comments that have their own line.  If it has none, append a comment that
 * describes the file. */
static void
add_comments(const char *path, struct text *out)
{
	const char *why;
	FILE *file = file_open_settings(path, &why);
	char *line = NULL;
	size_t room = 0;
	while (file && getline(&line, &room, file) > 0)
		if (line[strspn(line, " \t")] == '#')
			text_add(out, line);
	if (!out->length)
		text_add(out, "# Highlights and keys of your own, see trawl-view(5); "
			      ":highlight --save and\n# :key --save write them anew.\n");
	if (file)
		fclose(file);
	free(line);
}

/* Write the file; its path may be a link. */
static int
write_kept(const char *path, const struct text *out, struct err *err)
{
	const struct writer_options options = {
	    .flags = WRITER_FORCE | WRITER_DURABLE, .mode = 0666, .folders = 0777};
	return writer_put(path, &options, text_get(out), out->length, err);
}

/* Merge the changes that another run has saved to a list since this one read or saved it.  If two
 * elements have the same first member, keep ours. */
static void
merge_kept(const struct screen *screen, enum command_id id, struct own *kept)
{
	const struct option_row *row = row_of(id);
	struct option_list *list = list_of(screen, id);
	option_merge(row, list, list_in(&app_of(screen)->options->own_saved, id),
		     list_in(kept, id));
	for (size_t i = list->count; i-- > 0;)
		if (find_element(row, list, *(char **)((char *)list->at + i * row->table->size)) <
		    i)
			drop_element(row, list, i);
}

/* Write the file with the present list of a command. */
static int
keep_list(const struct screen *screen, enum command_id id, struct err *err)
{
	const struct ui_options *options = app_of(screen)->options;
	struct own kept, written;
	struct text out = {0};
	int lock = writer_lock(options->own_path, 0777);
	int failed = read_kept(options, &kept, err);
	if (failed) {
		close(lock);
		return failed;
	}
	merge_kept(screen, id, &kept);
	written = kept; /* borrows both lists */
	*list_in(&written, id) = *list_of(screen, id);
	add_comments(options->own_path, &out);
	option_write(&own_options_table, &written, &out);
	failed = write_kept(options->own_path, &out, err);
	close(lock);
	if (!failed)
		note_saved(app_of(screen)->options, id);
	text_free(&out);
	option_release(&own_options_table, &kept);
	return failed;
}

static void
save_list(struct screen *screen, enum command_id id)
{
	const char *path = app_of(screen)->options->own_path, *what = commands[id].name;
	struct err err = {0};
	if (!path) {
		screen_error(screen, NOTICE_OWN_NO_FOLDER, what);
	} else if (keep_list(screen, id, &err) < 0) {
		screen_error(screen, NOTICE_OWN_FAILED, err.what);
	} else {
		size_t count = list_of(screen, id)->count; /* with those of other runs */
		screen_say(screen, NOTICE_OWN_SAVED, count, what, count == 1 ? "" : "s", path);
	}
}

/* --- common to both commands ------------------------------------------- */

/* Append the typed text without `--save` at its start or end.  Return true if it was there. */
static bool
split_save(const char *typed, struct text *out)
{
	static const char word[] = "--save";
	const size_t size = sizeof word - 1;
	typed += strspn(typed, " ");
	size_t length = strlen(typed);
	while (length && typed[length - 1] == ' ')
		length--;
	const char *last = length > size ? typed + length - size : typed;
	bool first = !strncmp(typed, word, size) && (length == size || typed[size] == ' ');
	bool save = first || (last > typed && last[-1] == ' ' && !strncmp(last, word, size));
	if (first)
		typed += size + strspn(typed + size, " ");
	text_add_bytes(out, typed, first ? strlen(typed) : length - (save ? size : 0));
	return save;
}

/* Run `:highlight` or `:key`: list the elements, or change one, save all, or both. */
static void
run_either(struct screen *screen, const struct command_call *call, void (*list)(struct screen *),
	   bool (*change)(struct screen *, const char *text))
{
	struct text text = {0};
	bool save = split_save(call->text ? call->text : "", &text);
	if (!text.length && !save)
		list(screen);
	else if ((!text.length || change(screen, text.data)) && save)
		save_list(screen, call->id);
	text_free(&text);
}

/* Remove the element that TEXT names: by its first member, or by its number from 1.  Return false
 * if there is none. */
static bool
remove_named(struct screen *screen, enum command_id id, const char *text)
{
	struct option_list *list = list_of(screen, id);
	const char *what = commands[id].name;
	size_t i = find_element(row_of(id), list, text);
	uint64_t number;
	if (i == list->count && text_parse_uint(text, list->count, &number) && number)
		i = (size_t)number - 1;
	if (i == list->count) {
		screen_error(screen, NOTICE_OWN_UNKNOWN, what, text, what);
		return false;
	}
	drop_element(row_of(id), list, i);
	settings_apply(screen);
	screen_say(screen, NOTICE_OWN_REMOVED, list->count, what, list->count == 1 ? "" : "s",
		   what);
	return true;
}

/* --- highlights -------------------------------------------------------- */

static const char *
check_colour(const char *word, char buffer[static 256])
{
	struct view_rule unused = {0};
	if (!option_set(option_find(&view_rule_table, "role"), &unused, word, buffer))
		return NULL;
	return colour_check(word, buffer);
}

/* True if TEXT is in quotes up to WORD. */
static bool
is_quoted_up_to(const char *text, const char *word)
{
	const char *quote = *text == '"' || *text == '\'' ? text_quote_end(text) : NULL;
	return quote && quote + 1 + strspn(quote + 1, " ") == word;
}

/* True if TEXT ends in a colour: WORD is one, or follows a closing quote.  A text that is an
 * expression as a whole has none: `severity = error`. */
static bool
has_colour(const char *text, const char *word)
{
	char unused[256];
	return (is_quoted_up_to(text, word) || !check_colour(word, unused)) &&
	       !rules_is_expression(text);
}

/* Append the colour that TEXT ends in, and return its start, or NULL if there is none.  It may be
 * written `bright red`. */
static const char *
take_colour(const char *text, struct text *colour)
{
	static const char bright[] = "bright ";
	const char *blank = strrchr(text, ' '), *word = blank ? blank + 1 : text;
	size_t room = (size_t)(word - text), length = sizeof bright - 1;
	const char *before = room > length ? word - length : text;
	bool two = room > length && before[-1] == ' ' && !strncmp(before, bright, length);
	if (!blank || (!has_colour(text, word) && !(two && has_colour(text, before))))
		return NULL;
	text_addf(colour, "%s%s", two ? "bright-" : "", word);
	return two ? before : word;
}

/* Split the typed text into an expression, with or without quotes around it, and a colour.
 * Return true if the expression was quoted. */
static bool
split_highlight(const char *typed, struct text *filter, struct text *colour)
{
	size_t length = strlen(typed);
	while (length && typed[length - 1] == ' ')
		length--;
	text_add_bytes(filter, typed, length);
	const char *text = text_get(filter), *end = take_colour(text, colour);
	if (end) {
		length = (size_t)(end - text);
		while (length && text[length - 1] == ' ')
			length--;
		text_cut(filter, length);
	}
	bool quoted = filter->length && text_unquote(filter->data);
	if (quoted)
		filter->length = strlen(filter->data);
	return quoted;
}

/* Report a pattern with blanks but without quotes: a mistyped colour would become its part.
 * Return false if FILTER is none. */
static bool
refuse_blanks(struct screen *screen, const struct text *filter, const struct text *colour)
{
	struct filter_error error;
	const char *text = text_get(filter), *blank = strrchr(text, ' ');
	struct filter_expr *expr =
	    blank && !rules_is_expression(text) ? filter_parse_typed(text, NULL, &error) : NULL;
	bool refused = expr && filters_is_pattern(filter_expr_text(expr));
	filter_expr_free(expr);
	if (!refused)
		return false;
	struct nearest_hint hint = nearest_hint(blank + 1, colour_next_name, NULL);
	screen_error(screen, NOTICE_HIGHLIGHT_BLANKS, text, colour->length ? " " : "",
		     colour->length ? text_get(colour) : hint.text);
	return true;
}

static const char *
colour_of(const struct view_rule *rule)
{
	return rule->fg ? rule->fg : option_find(&view_rule_table, "role")->choices[rule->role];
}

/* Fill in a rule.  Return NULL, or a description of the expected text. */
static const char *
read_highlight(const struct text *filter, const struct text *colour, struct view_rule *rule,
	       char buffer[static 256])
{
	const char *expected =
	    option_set(option_find(&view_rule_table, "filter"), rule, text_get(filter), buffer);
	if (expected || !colour->length)
		return expected;
	if (option_set(option_find(&view_rule_table, "role"), rule, colour->data, buffer) &&
	    option_set(option_find(&view_rule_table, "fg"), rule, colour->data, buffer))
		return "a colour like red, bright-red, color208, #ff8700 or accent1";
	return NULL;
}

/* Add a highlight, or give the one with that expression another colour.  Return false if the text
 * is no highlight. */
static bool
set_highlight(struct screen *screen, const char *typed)
{
	struct option_list *list = list_of(screen, COMMAND_HIGHLIGHT);
	struct text filter = {0}, colour = {0};
	char buffer[256];
	bool quoted = split_highlight(typed, &filter, &colour);
	if (!quoted && refuse_blanks(screen, &filter, &colour)) {
		text_free(&filter);
		text_free(&colour);
		return false;
	}
	struct view_rule rule = {.role = ROLE_ACCENT1 + (int)(list->count % 3)};
	const char *expected = read_highlight(&filter, &colour, &rule, buffer);
	if (expected) {
		screen_error(screen, NOTICE_OWN_REFUSED, text_get(rule.filter ? &colour : &filter),
			     expected);
		option_release(&view_rule_table, &rule);
	} else {
		size_t i = find_element(row_of(COMMAND_HIGHLIGHT), list, rule.filter);
		if (i == list->count)
			add_element(row_of(COMMAND_HIGHLIGHT), list);
		struct view_rule *to = (struct view_rule *)list->at + i;
		option_release(&view_rule_table, to);
		*to = rule;
		settings_apply(screen);
		screen_say(screen, NOTICE_HIGHLIGHT_ADDED, i + 1, rule.filter, colour_of(&rule),
			   i + 1);
	}
	text_free(&filter);
	text_free(&colour);
	return !expected;
}

static void
list_highlights(struct screen *screen)
{
	const struct option_list *list = list_of(screen, COMMAND_HIGHLIGHT);
	const struct view_rule *rules = list->at;
	struct text out = {0};
	for (size_t i = 0; i < list->count; i++)
		text_addf(&out, "%s%zu: %s in %s", i ? "; " : "", i + 1, rules[i].filter,
			  colour_of(&rules[i]));
	if (list->count)
		screen_say(screen, NOTICE_HIGHLIGHT_LIST, out.data);
	else
		screen_say(screen, NOTICE_HIGHLIGHT_NONE);
	text_free(&out);
}

static bool
change_highlight(struct screen *screen, const char *text)
{
	if (*text == '-')
		return remove_named(screen, COMMAND_HIGHLIGHT, text + 1);
	return set_highlight(screen, text);
}

void
own_highlight(struct screen *screen, const struct command_call *call)
{
	run_either(screen, call, list_highlights, change_highlight);
}

/* --- keys -------------------------------------------------------------- */

static void
list_keys(struct screen *screen)
{
	const struct option_list *list = list_of(screen, COMMAND_KEY);
	const struct own_key *keys = list->at;
	struct text out = {0};
	for (size_t i = 0; i < list->count; i++)
		text_addf(&out, "%s%s: %s", i ? "; " : "", keys[i].key, keys[i].command);
	if (list->count)
		screen_say(screen, NOTICE_KEY_LIST, out.data);
	else
		screen_say(screen, NOTICE_KEY_NONE);
	text_free(&out);
}

/* Add a key, or give it another command.  Return false if the text is no key. */
static bool
set_key(struct screen *screen, const char *name, const char *command)
{
	struct option_list *list = list_of(screen, COMMAND_KEY);
	struct own_key key = {0};
	struct text was = {0};
	char buffer[256];
	const char *expected = option_set(&key_rows[0], &key, name, buffer);
	if (!expected)
		expected = option_set(&key_rows[1], &key, command, buffer);
	if (expected) {
		screen_error(screen, NOTICE_OWN_REFUSED, key.key ? command : name, expected);
		option_release(&key_table, &key);
		return false;
	}
	keymap_bind_line(screen->keymap, key.key, key.command, &was);
	size_t i = find_element(row_of(COMMAND_KEY), list, key.key);
	if (i == list->count)
		add_element(row_of(COMMAND_KEY), list);
	struct own_key *to = (struct own_key *)list->at + i;
	option_release(&key_table, to);
	*to = key;
	settings_apply(screen);
	if (was.length)
		screen_say(screen, NOTICE_KEY_CHANGED, key.key, key.command, was.data);
	else
		screen_say(screen, NOTICE_KEY_BOUND, key.key, key.command);
	text_free(&was);
	return true;
}

static bool
change_key(struct screen *screen, const char *text)
{
	size_t length = strcspn(text, " ");
	struct text name = {0}, command = {0};
	bool changed = false;
	text_add_bytes(&name, text, length);
	text_add(&command, text + length + strspn(text + length, " "));
	if (command.length && text_unquote(command.data))
		command.length = strlen(command.data);
	if (command.length)
		changed = set_key(screen, name.data, command.data);
	else if (*name.data == '-' && name.length > 1)
		changed = remove_named(screen, COMMAND_KEY, name.data + 1);
	else
		screen_error(screen, NOTICE_KEY_WHAT, name.data, name.data);
	text_free(&name);
	text_free(&command);
	return changed;
}

void
own_key(struct screen *screen, const struct command_call *call)
{
	run_either(screen, call, list_keys, change_key);
}
