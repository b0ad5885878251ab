/*
 * Sharing out the screen: see layout.h.
 *
 * Narrow screens stack the panes; from 132 columns on detail and marks stand
 * beside the list and hex runs along the foot.  When rows run out hex leaves
 * first, then marks, detail, the title, the status; one row shows the current
 * message alone.
 */
#include "config.h"

#include "ui/layout.h"

enum {
	SIDE_COLUMNS = 132, /* from here on panes stand beside each other */
	LIST_ROWS_MIN = 3,
	LIST_COLUMNS_MIN = 30,
	DETAIL_ROWS_MIN = 4, /* with the rule */
	DETAIL_COLUMNS_MIN = 24,
	MARKS_ROWS_MIN = 3,
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

/* Cuts a pane off the foot of *BODY: PERCENT of it, between what the pane
 * needs and what leaves LEAST rows for the rest. */
static void
place_at_foot(struct layout *layout, struct area *body, const struct layout_wish *wish,
	      enum pane_id pane, int percent, int rows_min, int least)
{
	int most = body->rows - least;
	if (wish->open[pane] && most >= rows_min)
		place_pane(
		    layout, pane,
		    cut_foot(body, clamp(share(body->rows, percent, wish->split), rows_min, most)));
}

static void
stack(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	struct layout_wish rest = *wish;
	int spare = body.rows - LIST_ROWS_MIN;
	rest.open[PANE_DETAIL] &= spare >= DETAIL_ROWS_MIN;
	spare -= rest.open[PANE_DETAIL] ? DETAIL_ROWS_MIN : 0;
	rest.open[PANE_MARKS] &= spare >= MARKS_ROWS_MIN;
	spare -= rest.open[PANE_MARKS] ? MARKS_ROWS_MIN : 0;
	rest.open[PANE_HEX] &= spare >= HEX_ROWS_MIN;

	int least = LIST_ROWS_MIN + (rest.open[PANE_DETAIL] ? DETAIL_ROWS_MIN : 0);
	bool others = rest.open[PANE_DETAIL] || rest.open[PANE_MARKS];
	place_at_foot(layout, &body, &rest, PANE_HEX, others ? 25 : 35, HEX_ROWS_MIN,
		      least + (rest.open[PANE_MARKS] ? MARKS_ROWS_MIN : 0));
	place_at_foot(layout, &body, &rest, PANE_MARKS, 30, MARKS_ROWS_MIN, least);
	place_at_foot(layout, &body, &rest, PANE_DETAIL, 50, DETAIL_ROWS_MIN, LIST_ROWS_MIN);
	layout->panes[PANE_LIST] = body;
}

static void
side_by_side(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	place_at_foot(layout, &body, wish, PANE_HEX, 25, HEX_ROWS_MIN, LIST_ROWS_MIN);
	bool detail = wish->open[PANE_DETAIL] && body.rows >= DETAIL_ROWS_MIN;
	bool marks =
	    wish->open[PANE_MARKS] && body.rows >= MARKS_ROWS_MIN + (detail ? DETAIL_ROWS_MIN : 0);
	if (detail || marks) {
		int cols = clamp(share(body.cols, 40, wish->split), DETAIL_COLUMNS_MIN,
				 body.cols - LIST_COLUMNS_MIN - 1);
		body.cols -= cols + 1;
		layout->bar = (struct area){body.row, body.cols, body.rows, 1};
		struct area side = {body.row, body.cols + 1, body.rows, cols};
		if (marks)
			place_pane(layout, PANE_MARKS,
				   detail ? cut_foot(&side, clamp(side.rows / 3, MARKS_ROWS_MIN,
								  side.rows))
					  : side);
		if (detail)
			place_pane(layout, PANE_DETAIL, side);
	}
	layout->panes[PANE_LIST] = body;
}

/* The open pane that covers all others, or PANE_COUNT. */
static int
cover(const struct layout_wish *wish)
{
	int pane = PANE_HELP;
	while (pane < PANE_COUNT && !wish->open[pane])
		pane++;
	return pane;
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
	if (cover(wish) < PANE_COUNT)
		layout.panes[cover(wish)] = body;
	else if (wish->zoom)
		layout.panes[wish->focus] = body;
	else if (side && wide)
		side_by_side(&layout, body, wish);
	else
		stack(&layout, body, wish);
	return layout;
}
