/* The command that opens the same files at the same message: see place.h. */
#include "config.h"

#include "ui/place.h"
#include "base/notice.h"
#include "ui/app.h"
#include "ui/list/jump.h"
#include "ui/screen/term.h"

void
place_copy(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	struct text text = {0};
	(void)call;
	if (!row)
		return;
	text_addf(&text, "%s +t=", app_of(screen)->options->command);
	jump_add_place(screen, row, &text);
	term_copy(screen->term, text.data, text.length);
	screen_say(screen, NOTICE_PLACE_COPIED, text.data);
	text_free(&text);
}
