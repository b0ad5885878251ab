/* Functions for the parts of the screen: see screen.h. */
#include "config.h"

#include "ui/screen/screen.h"
#include "base/notice.h"
#include "ui/screen/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Add a text to the log.  If it has several lines, cut it to the first one and append where the
 * others are. */
static void
log_text(struct screen *screen, bool is_error, struct text *text)
{
	size_t lines = log_add(screen->log, is_error, text_get(text));
	if (lines < 2)
		return;
	text_cut(text, strcspn(text->data, "\n"));
	text_addf(text, NOTICE_MORE_LINES, lines - 1);
}

static void __attribute__((format(printf, 3, 0)))
set_message(struct screen *screen, bool is_error, const char *format, va_list args)
{
	text_clear(&screen->message);
	text_addv(&screen->message, format, args);
	screen->is_error = is_error;
	screen->is_answer = true;
	log_text(screen, is_error, &screen->message);
}

void
screen_say(struct screen *screen, const char *notice, ...)
{
	va_list args;
	va_start(args, notice);
	set_message(screen, false, notice, args);
	va_end(args);
}

void
screen_error(struct screen *screen, const char *notice, ...)
{
	va_list args;
	va_start(args, notice);
	set_message(screen, true, notice, args);
	va_end(args);
}

void
screen_notice(struct screen *screen, const char *notice, ...)
{
	va_list args;
	text_clear(&screen->notice);
	va_start(args, notice);
	text_addv(&screen->notice, notice, args);
	va_end(args);
	log_text(screen, true, &screen->notice);
}

void
screen_log(struct screen *screen, const char *notice, ...)
{
	struct text text = {0};
	va_list args;
	va_start(args, notice);
	text_addv(&text, notice, args);
	va_end(args);
	log_add(screen->log, false, text_get(&text));
	text_free(&text);
}

void
screen_show_notice(struct screen *screen)
{
	if (!screen->notice.length || (screen->message.length && screen->is_answer))
		return;
	text_clear(&screen->message);
	text_add_bytes(&screen->message, screen->notice.data, screen->notice.length);
	text_clear(&screen->notice);
	screen->is_error = true;
	screen->is_answer = false;
}

void
screen_drop_notice(struct screen *screen)
{
	text_clear(&screen->notice);
}

void
screen_run(struct screen *screen, struct command_call call)
{
	screen->verbs->run(screen, call);
}

void
screen_place_panes(struct screen *screen)
{
	screen->verbs->place_panes(screen);
}

void
screen_forget_trial(struct screen *screen)
{
	free((char *)screen->trial.format);
	free((char *)screen->trial.settings);
	screen->trial = (struct screen_trial){0};
}

void
screen_try(struct screen *screen, struct screen_trial trial)
{
	screen_forget_trial(screen);
	screen->trial = trial;
	if (trial.format)
		screen->trial.format = mem_text(trial.format);
	if (trial.settings)
		screen->trial.settings = mem_text(trial.settings);
}
