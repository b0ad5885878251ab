/* The command that opens the same files at the same message: see place.h. */
#include "config.h"

#include "ui/place.h"
#include "base/notice.h"
#include "ui/app.h"
#include "ui/list/display_time.h"
#include "ui/screen/term.h"

#include <string.h>

/* Append the time of the message, or its offset if the list has only one trace.  Return false if it
 * has neither. */
static bool
add_place(struct screen *screen, const struct row *row, struct text *out)
{
	struct display_time shown, first;
	struct text time = {0};
	bool timed = display_time_of_row(screen->list, row, &shown) && !shown.estimated;
	if (timed) {
		bool dated = display_time_first(screen->list, &first);
		display_time_format_beside(&shown, dated ? &first : NULL, &time);
		text_addf(out, strchr(time.data, ' ') ? "'+t=%s'" : "+t=%s", time.data);
	} else if (screen->list->lane_count == 1) {
		text_addf(out, "+t=0x%llx", (unsigned long long)message_id_offset(&row->message));
	}
	text_free(&time);
	return timed || screen->list->lane_count == 1;
}

void
place_copy(struct screen *screen, const struct command_call *call)
{
	const struct row *row = list_current(screen->list);
	struct text text = {0};
	(void)call;
	if (!row)
		return;
	text_addf(&text, "%s ", app_of(screen)->options->command);
	if (add_place(screen, row, &text)) {
		term_copy(screen->term, text.data, text.length);
		screen_say(screen, NOTICE_PLACE_COPIED, text.data);
	} else {
		screen_say(screen, NOTICE_PLACE_NO_TIME);
	}
	text_free(&text);
}
