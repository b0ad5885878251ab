/*
 * The mouse: see mouse.h.
 *
 * The wheel scrolls the pane under the pointer, wherever the cursor is.  A click moves the
 * cursor to a row of the list; in another pane it only selects the pane.
 */
#include "config.h"

#include "ui/mouse.h"
#include "ui/commands.h"
#include "ui/list/list.h"
#include "ui/list/shown.h"
#include "ui/screen/screen.h"
#include "ui/screen/term.h"

enum { WHEEL_ROWS = 3 };

static bool
is_inside(const struct area *area, const struct term_press *press)
{
	return press->row >= area->row && press->row < area->row + area->rows &&
	       press->col >= area->col && press->col < area->col + area->cols;
}

/* Return the pane under the pointer, its rule included, or PANE_COUNT. */
static int
pane_at(const struct screen *screen, const struct term_press *press)
{
	int pane = 0;
	while (pane < PANE_COUNT && !is_inside(&screen->layout.panes[pane], press) &&
	       !is_inside(&screen->layout.rules[pane], press))
		pane++;
	return pane;
}

static void
turn_wheel(struct screen *screen, enum pane_id pane, bool down)
{
	enum pane_id focus = screen->focus;
	struct command_call call = {.id = down ? COMMAND_SCROLL_DOWN : COMMAND_SCROLL_UP,
				    .count = WHEEL_ROWS,
				    .counted = true};
	screen->focus = pane;
	commands_run(screen, call);
	screen->focus = focus;
}

/* Go to the row of the list that was pressed, if any. */
static void
go_to_row(struct screen *screen, const struct area *area, int row)
{
	struct list *list = screen->list;
	int64_t header = area->rows - (int64_t)list->height;
	int64_t at = row - area->row - header;
	if (at >= 0 && list_row(list, (size_t)at))
		list_move(list, at - ((int64_t)list->cursor - (int64_t)list->top));
}

void
mouse_take_press(struct screen *screen)
{
	struct term_press press = screen->term->press;
	int pane = pane_at(screen, &press);
	if (pane == PANE_COUNT)
		return;
	if (press.button == TERM_WHEEL_UP || press.button == TERM_WHEEL_DOWN) {
		turn_wheel(screen, (enum pane_id)pane, press.button == TERM_WHEEL_DOWN);
	} else if (press.button == TERM_BUTTON_LEFT) {
		shown_set_focus(screen, (enum pane_id)pane);
		if (pane == PANE_LIST)
			go_to_row(screen, &screen->layout.panes[pane], press.row);
	}
}
