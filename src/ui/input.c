/*
 * From keys to commands: see input.h.
 */
#include "config.h"

#include "ui/input.h"
#include "base/notice.h"
#include "base/thread.h"
#include "ui/app.h"
#include "ui/commands.h"
#include "ui/complete.h"
#include "ui/hints.h"
#include "ui/mouse.h"
#include "ui/panes/pane.h"
#include "ui/panes/pane_card.h"
#include "ui/prompt/prompt.h"
#include "ui/state.h"

#include <stdlib.h>
#include <string.h>

enum { HINT_MS = 400 /* pause after which the continuations of the keys are shown */ };

void
input_start(struct input *input)
{
	*input = (struct input){.pending_letter = COMMAND_COUNT};
}

void
input_add_typed(const struct input *input, const struct keymap *keymap, struct text *out)
{
	if (input->counted)
		text_addf(out, "%llu", (unsigned long long)input->count);
	keys_format(&input->keys, out);
	if (input->pending_letter != COMMAND_COUNT)
		keymap_hint(keymap, input->pending_letter, out);
	if (out->length)
		text_add(out, "  ");
}

static void
forget_keys(struct input *input)
{
	input->keys.count = 0;
	input->count = 0;
	input->counted = false;
	input->pending_letter = COMMAND_COUNT;
	input->hinted = false;
}

/* Wait for more keys.  If they belong to a menu, show it at once. */
static void
await_key(struct screen *screen)
{
	struct input *input = app_of(screen)->input;
	struct text text = {0};
	bool menu = false;
	input->since = thread_now_ms();
	input->hinted = input->pending_letter == COMMAND_COUNT &&
			hints_add_continuations(screen, &input->keys, 0, &menu, &text) && menu;
	text_free(&text);
}

int
input_hint_wait(const struct input *input)
{
	bool waits = input->keys.count || input->pending_letter != COMMAND_COUNT;
	if (!waits || input->hinted)
		return -1;
	int64_t left = input->since + HINT_MS - thread_now_ms();
	return left > 0 ? (int)left : 0;
}

bool
input_show_hint(struct input *input)
{
	bool due = !input_hint_wait(input);
	input->hinted |= due;
	return due;
}

void
input_add_hint(const struct screen *screen, const struct input *input, struct text *out)
{
	bool menu;
	if (!input->hinted)
		return;
	text_add_char(out, ' ');
	if (input->pending_letter != COMMAND_COUNT)
		hints_add_letters(screen, input->pending_letter, out);
	else
		hints_add_continuations(screen, &input->keys, screen->canvas->cols - 1, &menu, out);
}

static void
run_key(struct screen *screen, enum command_id id, uint32_t letter)
{
	struct input *input = app_of(screen)->input;
	struct command_call call = {.id = id,
				    .count = input->counted ? input->count : 1,
				    .counted = input->counted,
				    .letter = letter};
	forget_keys(input);
	commands_run(screen, call);
}

/* Run the line that a key of the user is bound to, as if it were typed. */
static void
run_line(struct screen *screen, const char *line)
{
	char *copy = mem_text(line); /* the command may change the keys */
	forget_keys(app_of(screen)->input);
	commands_run(screen,
		     (struct command_call){.id = COMMAND_COMMAND, .count = 1, .text = copy});
	free(copy);
}

static void
take_prompt_key(struct screen *screen, uint32_t key)
{
	struct prompt *prompt = screen->prompt;
	if (prompt->id == COMMAND_SEARCH_BACK && key == '?' && !prompt->text.length) {
		prompt_close(prompt);
		commands_run(screen, (struct command_call){.id = COMMAND_HELP});
	} else if (key == KEYCODE_TAB) {
		complete_next(screen);
	} else if (prompt_key(prompt, key) == PROMPT_ACCEPTED) {
		char *text = mem_text(text_get(&prompt->text));
		commands_run(screen, (struct command_call){.id = prompt->id, .text = text});
		free(text);
	}
}

/* True if the key is a digit that continues a count or starts one.  A count starts with 1 to 9, and
 * only where the pane has no command for the digit. */
static bool
is_count(const struct screen *screen, uint32_t key)
{
	const struct input *input = app_of(screen)->input;
	const struct keys one = {.at = {key}, .count = 1};
	enum command_id id;
	bool digit = !input->keys.count && key <= '9' && key >= '0';
	return digit &&
	       (input->counted ||
		(key != '0' && keymap_look(screen->keymap, screen->panes[screen->focus]->scope,
					   &one, &id) == KEYMAP_NONE));
}

/* Take pasted text.  In a prompt it becomes one line of text; elsewhere it is ignored. */
static void
take_pasted(struct screen *screen, uint32_t code)
{
	struct input *input = app_of(screen)->input;
	bool prints = code >= KEYCODE_SPACE && code < KEYCODE_NAMED && code != KEYCODE_BACKSPACE;
	forget_keys(input);
	if (!screen->prompt->active) {
		screen_say(screen, NOTICE_PASTE_IGNORED);
		return;
	}
	if (prints && input->paste_gap)
		prompt_key(screen->prompt, KEYCODE_SPACE);
	if (prints)
		prompt_key(screen->prompt, code);
	input->paste_gap = !prints && screen->prompt->text.length;
}

/* True if a key is a command of the card, or one that acts wherever the cursor is. */
static bool
is_of_card(const struct screen *screen, uint32_t key)
{
	const struct keys one = {.at = {key}, .count = 1};
	enum command_id id;
	if (keymap_look(screen->keymap, SCOPE_CARD, &one, &id) != KEYMAP_FOUND)
		return false;
	return commands[id].scope == SCOPE_CARD || screen->panes[PANE_CARD]->commands[id] ||
	       id == COMMAND_COMMAND || id == COMMAND_QUIT || id == COMMAND_REDRAW ||
	       id == COMMAND_SUSPEND;
}

static void
take_key(struct screen *screen, uint32_t key)
{
	struct input *input = app_of(screen)->input;
	enum keymap_answer answer;
	enum command_id id;
	text_clear(&screen->message);
	screen->is_answer = false;
	if (key & KEYCODE_PASTED) {
		take_pasted(screen, key & ~(uint32_t)KEYCODE_PASTED);
		return;
	}
	if (key == KEYCODE_MOUSE) {
		if (!screen->prompt->active)
			mouse_take_press(screen);
		return;
	}
	input->paste_gap = false;
	if (screen->prompt->active) {
		take_prompt_key(screen, key);
		return;
	}
	if (input->pending_letter != COMMAND_COUNT) {
		run_key(screen, input->pending_letter, key);
		return;
	}
	if (screen->focus == PANE_CARD && !is_of_card(screen, key)) {
		card_say_keys(screen);
		return;
	}
	if (is_count(screen, key)) {
		input->counted = true;
		input->count =
		    input->count > UINT64_MAX / 16 ? input->count : input->count * 10 + key - '0';
		return;
	}
	input->keys.at[input->keys.count++] = key;
	answer =
	    keymap_look(screen->keymap, screen->panes[screen->focus]->scope, &input->keys, &id);
	if (answer == KEYMAP_NONE)
		hints_find_pane(screen, &input->keys, &answer, &id);
	const char *line =
	    keymap_line(screen->keymap, screen->panes[screen->focus]->scope, &input->keys);
	switch (answer) {
	case KEYMAP_FOUND:
		if (line)
			run_line(screen, line);
		else if (commands[id].argument == ARGUMENT_LETTER) {
			input->keys.count = 0;
			input->pending_letter = id;
			await_key(screen);
		} else {
			run_key(screen, id, key);
		}
		break;
	case KEYMAP_PREFIX:
		if (input->keys.count == KEYS_MAX)
			forget_keys(input);
		else
			await_key(screen);
		break;
	case KEYMAP_NONE:
		if (key != KEYCODE_ESC && key != KEYCODE_CTRL('C'))
			hints_say_no_key(screen, &input->keys);
		forget_keys(input);
		break;
	}
}

/* Cancel a trial that would lose unsaved marks: it builds the whole screen again. */
static void
check_trial(struct screen *screen)
{
	if (state_can_keep(screen) || !state_is_unsaved(screen))
		return;
	screen_forget_trial(screen);
	screen_say(screen, NOTICE_UNSAVED);
}

void
input_take_key(struct screen *screen, uint32_t key)
{
	take_key(screen, key);
	if (screen->trial.trace)
		check_trial(screen);
}

void
input_type(struct screen *screen, const char *text)
{
	struct input *input = app_of(screen)->input;
	size_t length = strlen(text), at = 0;
	while (at < length) {
		uint32_t code;
		size_t taken = text_decode(text + at, length - at, &code);
		if (!taken)
			return;
		if (!(at == 1 && text[0] == 't' && code == '='))
			input_take_key(screen, code);
		at += taken;
	}
	if (screen->prompt->active)
		input_take_key(screen, KEYCODE_ENTER);
	forget_keys(input);
}
