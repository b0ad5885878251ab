/* The message under the cursor: see selection.h. */
#include "config.h"

#include "ui/list/selection.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/context_view.h"
#include "ui/list/list.h"
#include "ui/list/display_time.h"
#include "ui/screen/screen.h"

const struct selection *
selection_get(struct screen *screen)
{
	struct selection *selection = screen->selection;
	struct list *list = screen->list;
	const struct row *row = list_current(list);
	const struct message *m = row ? reader_message(list->reader, row->at) : NULL;
	if (!m)
		return NULL;
	uint64_t now = generation_join(trace_generation(list->trace),
				       contexts_generation(screen->session->contexts),
				       cycles_generation(screen->session->cycles),
				       screen->open[PANE_DETAIL]); /* which needs more */
	if (selection->valid && selection->trace == list->trace && selection->generation == now &&
	    !message_id_compare(selection->id, row->id) && selection->message.length == m->length)
		return selection;
	selection->valid = true;
	selection->trace = list->trace;
	selection->generation = now;
	selection->id = row->id;
	selection->message = *m;
	reader_expand(list->reader, &selection->message, EXPAND_FIELDS, &selection->expansion);
	context_view_add(screen, &selection->message, &selection->expansion);
	if (screen->open[PANE_DETAIL])
		display_time_add(list, &list->lanes[list->lane], &selection->message,
				 &selection->expansion);
	return selection;
}

void
selection_free(struct selection *selection)
{
	expansion_free(&selection->expansion);
}
