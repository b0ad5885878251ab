/*
 * The line editor: see prompt.h.
 *
 * The text is UTF-8, and the cursor moves by whole characters.  A table maps
 * keys to actions.  Any other printable key is inserted.  complete.c handles
 * Tab.
 */
#include "config.h"

#include "ui/prompt/prompt.h"
#include "command/keys.h"
#include "query/filter/filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_MAX = 100 };

void
prompt_open(struct prompt *prompt, enum command_id id)
{
	text_clear(&prompt->text);
	text_clear(&prompt->draft);
	prompt->active = true;
	prompt->id = id;
	prompt->at = prompt->completed = prompt->stem = 0;
	prompt->listed = false;
	prompt->line = prompt->lines.count;
}

void
prompt_close(struct prompt *prompt)
{
	prompt->active = false;
}

void
prompt_free(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->lines.count; i++)
		free(prompt->lines.at[i].text);
	vec_free(&prompt->lines);
	text_free(&prompt->text);
	text_free(&prompt->killed);
	text_free(&prompt->draft);
}

/* --- editing ----------------------------------------------------------- */

static void
prompt_insert(struct prompt *prompt, const char *bytes, size_t length)
{
	struct text *text = &prompt->text;
	size_t tail = text->length - prompt->at;
	text_add_bytes(text, bytes, length);
	memmove(text->data + prompt->at + length, text->data + prompt->at, tail);
	memcpy(text->data + prompt->at, bytes, length);
	prompt->at += length;
}

static void
remove_range(struct prompt *prompt, size_t from, size_t to)
{
	struct text *text = &prompt->text;
	if (from == to)
		return;
	memmove(text->data + from, text->data + to, text->length - to);
	text_cut(text, text->length - (to - from));
	prompt->at = from;
}

static void
kill_range(struct prompt *prompt, size_t from, size_t to)
{
	text_clear(&prompt->killed);
	text_add_bytes(&prompt->killed, text_get(&prompt->text) + from, to - from);
	remove_range(prompt, from, to);
}

static bool
is_continuation(const struct prompt *prompt, size_t at)
{
	return (prompt->text.data[at] & 0xc0) == 0x80;
}

static size_t
place_before(const struct prompt *prompt)
{
	size_t at = prompt->at;
	while (at && is_continuation(prompt, --at))
		;
	return at;
}

static size_t
place_after(const struct prompt *prompt)
{
	size_t at = prompt->at;
	if (at < prompt->text.length)
		while (++at < prompt->text.length && is_continuation(prompt, at))
			;
	return at;
}

static void
to_start(struct prompt *prompt)
{
	prompt->at = 0;
}

static void
to_end(struct prompt *prompt)
{
	prompt->at = prompt->text.length;
}

static void
prompt_back(struct prompt *prompt)
{
	prompt->at = place_before(prompt);
}

static void
prompt_forth(struct prompt *prompt)
{
	prompt->at = place_after(prompt);
}

static void
prompt_erase(struct prompt *prompt)
{
	remove_range(prompt, place_before(prompt), prompt->at);
}

static void delete (struct prompt *prompt)
{
	size_t at = prompt->at;
	remove_range(prompt, at, place_after(prompt));
	prompt->at = at;
}

static void
kill_line(struct prompt *prompt)
{
	kill_range(prompt, 0, prompt->at);
}

static void
kill_rest(struct prompt *prompt)
{
	kill_range(prompt, prompt->at, prompt->text.length);
}

static void
kill_word(struct prompt *prompt)
{
	size_t at = prompt->at;
	while (at && prompt->text.data[at - 1] == ' ')
		at--;
	while (at && prompt->text.data[at - 1] != ' ')
		at--;
	kill_range(prompt, at, prompt->at);
}

static void
prompt_yank(struct prompt *prompt)
{
	prompt_insert(prompt, text_get(&prompt->killed), prompt->killed.length);
}

/* --- history ------------------------------------------------------------ */

static void
show_line(struct prompt *prompt, size_t line)
{
	if (prompt->line == prompt->lines.count) {
		text_clear(&prompt->draft);
		text_add(&prompt->draft, text_get(&prompt->text));
	}
	prompt->line = line;
	text_clear(&prompt->text);
	text_add(&prompt->text, line < prompt->lines.count ? prompt->lines.at[line].text
							   : text_get(&prompt->draft));
	to_end(prompt);
}

static void
prompt_older(struct prompt *prompt)
{
	for (size_t line = prompt->line; line-- > 0;) {
		if (prompt->lines.at[line].id == prompt->id) {
			show_line(prompt, line);
			return;
		}
	}
}

static void
prompt_newer(struct prompt *prompt)
{
	size_t line = prompt->line;
	if (line == prompt->lines.count)
		return;
	while (++line < prompt->lines.count && prompt->lines.at[line].id != prompt->id)
		;
	show_line(prompt, line);
}

static void
prompt_remember(struct prompt *prompt)
{
	size_t count = prompt->lines.count;
	if (!prompt->text.length || (count && prompt->lines.at[count - 1].id == prompt->id &&
				     !strcmp(prompt->lines.at[count - 1].text, prompt->text.data)))
		return;
	if (count == HISTORY_MAX) {
		free(prompt->lines.at[0].text);
		memmove(prompt->lines.at, prompt->lines.at + 1,
			(count - 1) * sizeof *prompt->lines.at);
		prompt->lines.count--;
	}
	*vec_add(&prompt->lines) =
	    (struct prompt_line){.id = prompt->id, .text = mem_text(prompt->text.data)};
}

void
prompt_replace(struct prompt *prompt, size_t from, const char *text)
{
	text_cut(&prompt->text, from);
	text_add(&prompt->text, text);
	to_end(prompt);
}

/* --- keys -------------------------------------------------------------- */

static const struct {
	uint32_t key;
	void (*act)(struct prompt *);
} actions[] = {
    {KEYCODE_CTRL('A'), to_start},     {KEYCODE_HOME, to_start},
    {KEYCODE_CTRL('E'), to_end},       {KEYCODE_END, to_end},
    {KEYCODE_CTRL('B'), prompt_back},  {KEYCODE_LEFT, prompt_back},
    {KEYCODE_CTRL('F'), prompt_forth}, {KEYCODE_RIGHT, prompt_forth},
    {KEYCODE_BACKSPACE, prompt_erase}, {KEYCODE_DELETE, delete},
    {KEYCODE_CTRL('D'), delete},       {KEYCODE_CTRL('U'), kill_line},
    {KEYCODE_CTRL('K'), kill_rest},    {KEYCODE_CTRL('W'), kill_word},
    {KEYCODE_CTRL('Y'), prompt_yank},  {KEYCODE_CTRL('P'), prompt_older},
    {KEYCODE_UP, prompt_older},	       {KEYCODE_CTRL('N'), prompt_newer},
    {KEYCODE_DOWN, prompt_newer},
};

enum prompt_answer
prompt_key(struct prompt *prompt, uint32_t key)
{
	bool leave = key == KEYCODE_ESC || key == KEYCODE_CTRL('C') || key == KEYCODE_CTRL('G') ||
		     (key == KEYCODE_BACKSPACE && !prompt->text.length);
	if (leave || key == KEYCODE_ENTER) {
		if (!leave)
			prompt_remember(prompt);
		prompt_close(prompt);
		return leave ? PROMPT_CANCELLED : PROMPT_ACCEPTED;
	}
	prompt->completed = 0;
	prompt->listed = false;
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (actions[i].key == key) {
			actions[i].act(prompt);
			return PROMPT_OPEN;
		}
	}
	if (key >= 0x20 && key < KEYCODE_NAMED) {
		char bytes[4];
		prompt_insert(prompt, bytes, text_encode(key, bytes));
	}
	return PROMPT_OPEN;
}

/* --- drawing ----------------------------------------------------------- */

static void
add_label(const struct prompt *prompt, struct text *out)
{
	const struct command *command = &commands[prompt->id];
	if (ispunct((unsigned char)command->keys[0]) && !command->keys[1])
		text_add(out, command->keys);
	else
		text_addf(out, "%s: ", command->name);
}

int
prompt_draw(const struct prompt *prompt, struct canvas *canvas, const struct area *area)
{
	const enum text_charset charset = canvas->charset;
	/* made safe before drawing, because it can be cut anywhere on the left */
	struct text text = {0};
	add_label(prompt, &text);
	text_add_safe(&text, text_get(&prompt->text), prompt->at, charset);
	size_t to_cursor = text.length;
	int column = text_columns(text_get(&text), to_cursor, charset);
	text_add_safe(&text, text_get(&prompt->text) + prompt->at, prompt->text.length - prompt->at,
		      charset);

	int skip = column < area->cols ? 0 : column - area->cols + 1;
	size_t hidden = text_fit(text_get(&text), text.length, charset, skip, &skip);
	int end = canvas_put(canvas, area, 0, 0, ROLE_PROMPT, text_get(&text) + hidden,
			     text.length - hidden);
	if (prompt->id == COMMAND_SEARCH_BACK && !prompt->text.length)
		canvas_puts(canvas, area, 0, column + 1, ROLE_ABSENT,
			    "backward search; ? again for help");
	canvas->cursor_row = area->row;
	canvas->cursor_col = area->col + column - skip;
	text_free(&text);
	return end;
}
