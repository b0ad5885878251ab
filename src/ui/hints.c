/* Hints about keys: see hints.h. */
#include "config.h"

#include "ui/hints.h"
#include "base/notice.h"
#include "command/card.h"
#include "ui/list/jump.h"
#include "ui/panes/pane.h"
#include "ui/screen/canvas.h"
#include "ui/screen/screen.h"

#include <string.h>

bool
hints_add_continuations(const struct screen *screen, const struct keys *keys, int columns,
			bool *menu, struct text *out)
{
	return card_add_continuations(screen->keymap, screen->panes[screen->focus]->scope, keys,
				      columns, menu, out);
}

void
hints_add_letters(const struct screen *screen, enum command_id id, struct text *out)
{
	const struct jumps *jumps = screen->jumps;
	bool any = false;
	text_add(out, commands[id].help);
	for (size_t i = 0; id == COMMAND_JUMP && i < jumps->marks.count; i++) {
		if (jumps->marks.at[i].letter == '*')
			continue;
		text_add(out, any ? " " : "; there are ");
		text_add_char(out, jumps->marks.at[i].letter);
		any = true;
	}
}

/* Return the pane of a scope, or PANE_COUNT if it has none. */
static int
pane_of_scope(const struct screen *screen, enum command_scope scope)
{
	int pane = 0;
	while (pane < PANE_COUNT && screen->panes[pane]->scope != scope)
		pane++;
	return pane;
}

/* Return the command that opens and closes a pane: the last one of its rule. */
static enum command_id
toggle_of(const struct pane_ops *pane)
{
	int last = 0;
	while (last + 1 < PANE_KEYS_MAX && pane->keys[last + 1].word)
		last++;
	return pane->keys[last].first;
}

int
hints_find_pane(const struct screen *screen, const struct keys *keys, enum keymap_answer *answer,
		enum command_id *id)
{
	static const enum pane_id follow[] = {PANE_DETAIL, PANE_HEX, PANE_TIMELINE, PANE_CONTEXT};
	for (size_t i = 0; i < sizeof follow / sizeof *follow; i++) {
		if (!screen->open[follow[i]])
			continue;
		*answer = keymap_look(screen->keymap, screen->panes[follow[i]]->scope, keys, id);
		if (*answer != KEYMAP_NONE)
			return (int)follow[i];
	}
	return PANE_COUNT;
}

/* Find a pane in which the keys are a command, preferring open panes.  Return PANE_COUNT if there
 * is none. */
static int
find_elsewhere(const struct screen *screen, const struct keys *keys, enum command_id *id)
{
	int found = PANE_COUNT;
	for (int scope = SCOPE_ANY + 1; scope < SCOPE_COUNT; scope++) {
		enum command_id own;
		int pane = pane_of_scope(screen, (enum command_scope)scope);
		if (pane >= PANE_GUESSES || (found < PANE_COUNT && !screen->open[pane]) ||
		    keymap_look(screen->keymap, (enum command_scope)scope, keys, &own) !=
			KEYMAP_FOUND)
			continue;
		found = pane;
		*id = own;
	}
	return found;
}

/* Report that the keys before the last one continue with others. */
static void
say_beginning(struct screen *screen, const struct keys *keys, const char *typed)
{
	struct keys start = *keys;
	struct text begun = {0}, others = {0};
	bool menu;
	start.count--;
	keys_show(&start, &begun);
	hints_add_continuations(screen, &start, 0, &menu, &others);
	screen_say(screen, NOTICE_KEY_CONTINUES, typed, begun.data, text_get(&others));
	text_free(&begun);
	text_free(&others);
}

/* Report the pane that has the keys, and the key that leads there. */
static void
say_elsewhere(struct screen *screen, int pane, enum command_id id, const char *typed)
{
	const char *name = screen->panes[pane]->name;
	struct text way = {0};
	bool open = screen->open[pane];
	keymap_hint(screen->keymap, open ? COMMAND_PANE_NEXT : toggle_of(screen->panes[pane]),
		    &way);
	screen_say(screen, open ? NOTICE_KEY_IN_OPEN_PANE : NOTICE_KEY_IN_PANE, typed, name,
		   commands[id].help, way.data);
	text_free(&way);
}

/* Report the key that does what one of vi or less would do.  Return false if there is none. */
static bool
say_instead(struct screen *screen, const char *typed)
{
	struct text hint = {0};
	size_t i = 0;
	while (i < habit_count &&
	       (strcmp(habits[i].keys, typed) != 0 || habits[i].instead == COMMAND_COUNT))
		i++;
	if (i == habit_count)
		return false;
	keymap_hint(screen->keymap, habits[i].instead, &hint);
	screen_say(screen, NOTICE_KEY_INSTEAD, typed, hint.data, commands[habits[i].instead].help);
	text_free(&hint);
	return true;
}

void
hints_say_no_key(struct screen *screen, const struct keys *keys)
{
	struct text typed = {0}, hint = {0};
	enum command_id id;
	int pane = keys->count == 1 ? find_elsewhere(screen, keys, &id) : PANE_COUNT;
	keys_show(keys, &typed);
	if (pane < PANE_COUNT) {
		say_elsewhere(screen, pane, id, typed.data);
	} else if (say_instead(screen, typed.data)) {
		/* reported */
	} else if (keys->count > 1) {
		say_beginning(screen, keys, typed.data);
	} else {
		keymap_hint(screen->keymap, COMMAND_HELP, &hint);
		screen_say(screen, NOTICE_KEY_UNKNOWN, typed.data, hint.data);
	}
	text_free(&typed);
	text_free(&hint);
}
