/* Starts of jumps: see trail.h. */
#include "config.h"

#include "ui/list/trail.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <string.h>

bool
trail_here(struct screen *screen, struct location *location)
{
	const struct row *row = list_current(screen->list);
	if (row)
		*location = (struct location){.trace = screen->list->lanes[row->lane].number,
					      .id = row->id};
	return row;
}

void
trail_remember(struct screen *screen)
{
	struct jumps *jumps = screen->jumps;
	const struct list *list = screen->list;
	struct location here;
	if (!trail_here(screen, &here)) /* the list has no rows yet */
		here = (struct location){.trace = list->lanes[list->anchor_lane].number,
					 .id = list->anchor};
	if (jumps->trail.count == TRAIL_MAX) {
		memmove(jumps->trail.at, jumps->trail.at + 1,
			(TRAIL_MAX - 1) * sizeof *jumps->trail.at);
		jumps->trail.count--;
	}
	*vec_add(&jumps->trail) = here;
	jumps->at = jumps->trail.count;
}

void
trail_go_to(struct screen *screen, struct sequence_position p)
{
	trail_remember(screen);
	list_goto(screen->list, p);
}
