/*
 * Sharing out the screen: see layout.h.
 *
 * Narrow screens stack the panes; from 132 columns on the detail stands
 * beside the list and hex runs along the foot.  When rows run out hex leaves
 * first, then detail, then the title, then the status; one row shows the
 * current message alone.
 */
#include "config.h"

#include "ui/layout.h"

enum {
	SIDE_COLUMNS = 132, /* from here on panes stand beside each other */
	LIST_ROWS_MIN = 3,
	LIST_COLUMNS_MIN = 30,
	DETAIL_ROWS_MIN = 4, /* with the rule */
	DETAIL_COLUMNS_MIN = 24,
	HEX_ROWS_MIN = 3
};

static int
clamp(int value, int least, int most)
{
	if (value > most)
		value = most;
	return value < least ? least : value;
}

/* Per cent of TOTAL, moved by the user's steps. */
static int
share(int total, int percent, int split)
{
	return total * clamp(percent + 5 * split, 10, 90) / 100;
}

/* Cuts ROWS off the foot of *FROM. */
static struct area
cut_foot(struct area *from, int rows)
{
	from->rows -= rows;
	return (struct area){from->row + from->rows, from->col, rows, from->cols};
}

static void
place_pane(struct layout *layout, enum pane_id pane, struct area area)
{
	layout->rules[pane] = (struct area){area.row, area.col, 1, area.cols};
	layout->panes[pane] = (struct area){area.row + 1, area.col, area.rows - 1, area.cols};
}

static void
place_hex(struct layout *layout, struct area *body, const struct layout_wish *wish, int percent)
{
	int most = body->rows - LIST_ROWS_MIN;
	if (wish->open[PANE_HEX] && most >= HEX_ROWS_MIN)
		place_pane(layout, PANE_HEX,
			   cut_foot(body, clamp(share(body->rows, percent, wish->split),
						HEX_ROWS_MIN, most)));
}

static void
stack(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	struct layout_wish rest = *wish;
	bool detail = wish->open[PANE_DETAIL];
	int most = body.rows - LIST_ROWS_MIN;
	if (detail && most < DETAIL_ROWS_MIN)
		detail = false;
	if (detail && most < DETAIL_ROWS_MIN + HEX_ROWS_MIN)
		rest.open[PANE_HEX] = false;
	place_hex(layout, &body, &rest, detail ? 25 : 35);
	most = body.rows - LIST_ROWS_MIN;
	if (detail && most >= DETAIL_ROWS_MIN)
		place_pane(layout, PANE_DETAIL,
			   cut_foot(&body, clamp(share(body.rows, 50, wish->split), DETAIL_ROWS_MIN,
						 most)));
	layout->panes[PANE_LIST] = body;
}

static void
side_by_side(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	place_hex(layout, &body, wish, 25);
	if (wish->open[PANE_DETAIL] && body.rows >= DETAIL_ROWS_MIN) {
		int cols = clamp(share(body.cols, 40, wish->split), DETAIL_COLUMNS_MIN,
				 body.cols - LIST_COLUMNS_MIN - 1);
		body.cols -= cols + 1;
		layout->bar = (struct area){body.row, body.cols, body.rows, 1};
		place_pane(layout, PANE_DETAIL,
			   (struct area){body.row, body.cols + 1, body.rows, cols});
	}
	layout->panes[PANE_LIST] = body;
}

struct layout
layout_make(const struct layout_wish *wish)
{
	struct layout layout = {0};
	struct area body = {0, 0, wish->rows, wish->cols};
	if (wish->rows >= 2)
		layout.status = cut_foot(&body, 1);
	if (wish->rows >= 4) {
		layout.title = (struct area){0, 0, 1, wish->cols};
		body.row++;
		body.rows--;
	}
	bool wide = wish->cols >= LIST_COLUMNS_MIN + DETAIL_COLUMNS_MIN + 1;
	bool side =
	    wish->mode == LAYOUT_SIDE || (wish->mode == LAYOUT_AUTO && wish->cols >= SIDE_COLUMNS);
	if (wish->open[PANE_HELP])
		layout.panes[PANE_HELP] = body;
	else if (wish->zoom)
		layout.panes[wish->focus] = body;
	else if (side && wide)
		side_by_side(&layout, body, wish);
	else
		stack(&layout, body, wish);
	return layout;
}
