/* The card of keys: see card.h. */
#include "config.h"

#include "command/card.h"

#include <string.h>

const struct card_row card_rows[] = {
#define CARD(section_, first_, second_, words_)                                                    \
	{.section = CARD_##section_,                                                               \
	 .first = COMMAND_##first_,                                                                \
	 .second = COMMAND_##second_,                                                              \
	 .words = (words_)},
#include "command/card.def"
#undef CARD
};
const size_t card_row_count = sizeof card_rows / sizeof *card_rows;

const char *
card_section_title(enum card_section section)
{
	static const char *const titles[] = {
	    [CARD_MOVE] = "move",     [CARD_FIND] = "find",
	    [CARD_FILTER] = "filter", [CARD_JUMP] = "next, previous",
	    [CARD_MARK] = "mark",     [CARD_ROW] = "only, hide: this row's",
	    [CARD_SHOW] = "show",     [CARD_NONE] = "",
	};
	return titles[section];
}

void
card_add_keys(const struct card_row *row, const struct keymap *map, struct text *out)
{
	keymap_hint(map, row->first, out);
	if (row->second == row->first)
		return;
	text_add_char(out, ' ');
	keymap_hint(map, row->second, out);
}

/* The remaining keys of some bindings, and words for their effect. */
struct continuation {
	struct text keys;
	const char *words;
};

struct continuations {
	VEC(struct continuation) list;
	bool menu;
};

/* Add the rest of the first binding of COMMAND that begins with START.  Commands with the same
 * words share an entry. */
static void
add_rest(struct continuations *all, const struct keymap *map, enum command_scope scope,
	 enum command_id command, const struct keys *start, const char *words)
{
	const struct binding *binding = keymap_continuation(map, scope, command, start);
	size_t count = all->list.count;
	struct keys rest = {0};
	if (!binding)
		return;
	for (size_t i = start->count; i < binding->keys.count; i++)
		rest.at[rest.count++] = binding->keys.at[i];
	bool more = count && all->list.at[count - 1].words == words;
	struct continuation *to = more ? &all->list.at[count - 1] : vec_add(&all->list);
	to->words = words;
	text_add(&to->keys, more ? " " : "");
	keys_show(&rest, &to->keys);
	all->menu &= commands[command].group == GROUP_FILTER;
}

/* True if the command is on the card. */
static bool
has_row(enum command_id command)
{
	size_t i = 0;
	while (i < card_row_count && card_rows[i].first != command &&
	       card_rows[i].second != command)
		i++;
	return i < card_row_count;
}

static void
find_continuations(const struct keymap *map, enum command_scope scope, const struct keys *start,
		   struct continuations *all)
{
	for (size_t i = 0; i < card_row_count; i++) {
		const struct card_row *row = &card_rows[i];
		add_rest(all, map, scope, row->first, start, row->words);
		if (row->second != row->first)
			add_rest(all, map, scope, row->second, start, row->words);
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (!has_row((enum command_id)i))
			add_rest(all, map, scope, (enum command_id)i, start, commands[i].name);
}

static int
columns_of(const struct continuation *c, bool words)
{
	return text_columns(text_get(&c->keys), c->keys.length, TEXT_UTF8) + 2 +
	       (words ? text_columns(c->words, strlen(c->words), TEXT_UTF8) + 1 : 0);
}

/* Return how many entries can have their words. */
static size_t
count_worded(const struct continuations *all, int columns)
{
	size_t worded = all->list.count;
	int width = 0;
	for (size_t i = 0; i < worded; i++)
		width += columns_of(&all->list.at[i], true);
	while (worded && width > columns) {
		worded--;
		width += columns_of(&all->list.at[worded], false) -
			 columns_of(&all->list.at[worded], true);
	}
	return worded;
}

bool
card_add_continuations(const struct keymap *map, enum command_scope scope, const struct keys *start,
		       int columns, bool *menu, struct text *out)
{
	struct continuations all = {.menu = true};
	find_continuations(map, scope, start, &all);
	size_t worded = count_worded(&all, columns);
	for (size_t i = 0; i < all.list.count; i++) {
		const struct continuation *c = &all.list.at[i];
		text_addf(out, i < worded ? "%s%s %s" : "%s%s", i ? "  " : "", text_get(&c->keys),
			  c->words);
		text_free(&all.list.at[i].keys);
	}
	*menu = all.menu && all.list.count;
	bool any = all.list.count;
	vec_free(&all.list);
	return any;
}
