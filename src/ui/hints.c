/* What is said of keys: see hints.h. */
#include "config.h"

#include "ui/hints.h"
#include "command/card.h"
#include "ui/list/jump.h"
#include "ui/panes/pane.h"
#include "ui/screen/canvas.h"
#include "ui/screen/screen.h"

#include <string.h>

static enum command_scope
scope_of(const struct screen *screen)
{
	return screen->panes[screen->focus]->scope;
}

bool
hints_add_continuations(const struct screen *screen, const struct keys *keys, int columns,
			bool *menu, struct text *out)
{
	return card_add_continuations(screen->keymap, scope_of(screen), keys, columns, menu, out);
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

/* The pane of a scope, PANE_COUNT if it has none. */
static int
pane_of_scope(const struct screen *screen, enum command_scope scope)
{
	int pane = 0;
	while (pane < PANE_COUNT && screen->panes[pane]->scope != scope)
		pane++;
	return pane;
}

/* The command that opens and closes a pane: the last one of its rule. */
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

/* A pane in which the keys are a command, one that is open before others; PANE_COUNT if
 * there is none. */
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

/* Appends with what the beginning of the keys goes on. */
static void
add_beginning(const struct screen *screen, const struct keys *keys, struct text *out)
{
	struct keys start = *keys;
	bool menu;
	start.count--;
	text_add(out, "; ");
	keys_show(&start, out);
	text_add(out, " goes on with ");
	hints_add_continuations(screen, &start, 0, &menu, out);
}

/* Appends which pane has the keys, if there is room what they do there, and how to get
 * there. */
static void
add_elsewhere(const struct screen *screen, int pane, enum command_id id, struct text *out)
{
	struct text way = {0};
	bool open = screen->open[pane];
	text_addf(out, " here; ");
	keymap_hint(screen->keymap, open ? COMMAND_PANE_NEXT : toggle_of(screen->panes[pane]),
		    &way);
	text_add(&way, open ? " goes there" : " opens it");
	size_t columns = out->length + way.length + strlen(screen->panes[pane]->name) +
			 strlen(commands[id].help) + sizeof "in :  ()";
	if (columns <= (size_t)screen->canvas->cols)
		text_addf(out, "in %s: %s (%s)", screen->panes[pane]->name, commands[id].help,
			  way.data);
	else
		text_addf(out, "%s has it (%s)", screen->panes[pane]->name, way.data);
	text_free(&way);
}

void
hints_say_no_key(struct screen *screen, const struct keys *keys)
{
	struct text text = {0};
	enum command_id id;
	int pane = keys->count == 1 ? find_elsewhere(screen, keys, &id) : PANE_COUNT;
	text_add(&text, "no key ");
	keys_show(keys, &text);
	if (pane < PANE_COUNT) {
		add_elsewhere(screen, pane, id, &text);
	} else if (keys->count > 1) {
		add_beginning(screen, keys, &text);
	} else {
		text_add(&text, "; ");
		keymap_hint(screen->keymap, COMMAND_HELP, &text);
		text_add(&text, " lists the keys");
	}
	screen_say(screen, "%s", text.data);
	text_free(&text);
}
