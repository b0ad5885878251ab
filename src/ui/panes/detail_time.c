/*
 * The time of the selected message, and the time since earlier ones: see detail_time.h.
 *
 * The list already has the row above. The last message of the same origin may be far away. The
 * search for it runs while no keys arrive, one slice at a time, up to a limit.
 */
#include "config.h"

#include "ui/panes/detail_time.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/selection.h"
#include "ui/screen/screen.h"

enum {
	SLICE_MESSAGES = 4096,
	PASSED_MAX = 65536, /* messages after which the search gives up */
	PASSED_CELLS = 2    /* empty cells that one step may skip */
};

void
detail_time_add(struct screen *screen, const struct selection *selection, bool date,
		struct text *out)
{
	struct list *list = screen->list;
	const struct message *m = &selection->message;
	struct display_time now;
	if (!display_time_of(list, &list->lanes[list->lane], m, &now))
		return;
	if (date) {
		display_time_format(&now, out);
		display_time_add_zone(&now, out);
	} else {
		display_time_format_parts(&now, NULL, out);
	}
	text_add(out, "  ");
	if (screen->session->traces.count > 1)
		text_addf(out, "%s, ", trace_name(selection->trace));
	if (m->flags & MESSAGE_TIMED)
		text_addf(out, "ticks %llu", (unsigned long long)m->ticks);
	if (m->flags & MESSAGE_TIMED && m->flags & MESSAGE_SENDER_TIMED)
		text_add(out, ", ");
	if (m->flags & MESSAGE_SENDER_TIMED)
		text_addf(out, "sender %llu", (unsigned long long)m->sender_ticks);
	if (!(m->flags & (MESSAGE_TIMED | MESSAGE_SENDER_TIMED)))
		text_add(out, "interpolated");
}

void
detail_time_add_above(struct screen *screen, struct text *out)
{
	const struct list *list = screen->list;
	const struct row *row = list_current(list), *above;
	struct display_time now, then;
	size_t start = out->length;
	if (!display_time_of_row(list, row, &now) ||
	    !(above = display_time_above(list, row, &then)))
		return;
	display_time_format_gap(&then, &now, out);
	if (out->length > start && row - above == 1)
		text_add(out, " after the row above");
	else if (out->length > start)
		text_addf(out, " after %zu rows above", (size_t)(row - above));
}

/* --- the same origin ---------------------------------------------------- */

/* Start again if another message is selected. */
static void
follow_selection(const struct selection *selection, struct detail_time *time)
{
	if (time->begun && time->trace == selection->trace &&
	    !message_id_compare(time->id, selection->id))
		return;
	bool row = time->state == ORIGIN_FOUND || (time->state == ORIGIN_SOUGHT && time->row);
	*time = (struct detail_time){
	    .trace = selection->trace, .id = selection->id, .begun = true, .row = row};
	if (!selection->expansion.origin.length)
		time->state = ORIGIN_NOT_FOUND;
}

bool
detail_time_is_open(const struct selection *selection, struct detail_time *time)
{
	follow_selection(selection, time);
	return time->state == ORIGIN_SOUGHT;
}

bool
detail_time_work(struct screen *screen, const struct selection *selection, struct detail_time *time)
{
	struct list *list = screen->list;
	struct reader *reader = list->reader;
	const struct message own = selection->message;
	struct display_time before;
	follow_selection(selection, time);
	if (time->state != ORIGIN_SOUGHT)
		return false;
	if (!time->passed && !reader_find_id(reader, selection->id, &time->at)) {
		time->state = ORIGIN_NOT_FOUND;
		return false;
	}
	for (unsigned left = SLICE_MESSAGES; left; left--) {
		if (++time->passed > PASSED_MAX ||
		    !reader_previous(reader, &time->at, PASSED_CELLS)) {
			time->state = ORIGIN_NOT_FOUND;
			return false;
		}
		const struct message *m = reader_message(reader, time->at);
		if (m && m->origin == own.origin &&
		    display_time_of(list, &list->lanes[list->lane], m, &before)) {
			time->state = ORIGIN_FOUND;
			return true;
		}
	}
	return false;
}

void
detail_time_add_origin(struct screen *screen, const struct selection *selection,
		       struct detail_time *time, struct text *out)
{
	struct list *list = screen->list;
	const struct list_lane *lane = &list->lanes[list->lane];
	struct display_time now, before;
	size_t start = out->length;
	follow_selection(selection, time);
	if (time->state == ORIGIN_NOT_FOUND ||
	    !display_time_of(list, lane, &selection->message, &now))
		return;
	if (time->state == ORIGIN_SOUGHT) {
		text_add(out, time->row ? "..." : "");
		return;
	}
	const struct message *m = reader_message(list->reader, time->at);
	struct message last = m ? *m : (struct message){0};
	if (!m || !display_time_of(list, lane, &last, &before))
		return;
	display_time_format_gap(&before, &now, out);
	if (out->length == start)
		return;
	text_add(out, " after the last ");
	text_add_bytes(out, selection->expansion.origin.data, selection->expansion.origin.length);
	text_add(out, " row");
}
