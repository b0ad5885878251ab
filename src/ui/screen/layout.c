/*
 * Sharing out the screen: see layout.h.
 *
 * Narrow screens stack the panes below the list.  From 132 columns on, some
 * panes are next to the list and the others run along the foot.  When rows run
 * out, the last pane of the table leaves first, then the title, then the
 * status.  A single row shows only the current message.  If the pane with the
 * cursor would have to leave, it takes the whole screen.
 */
#include "config.h"

#include "ui/screen/layout.h"

enum {
	SIDE_COLUMNS = 132, /* from here on panes can be side by side */
	LIST_ROWS_MIN = 3,
	ALONE_ROWS_MIN = 6, /* of a pane alone, with its rule */
	LIST_COLUMNS_MIN = 30,
	SIDE_COLUMNS_MIN = 24,
	FOOT_PERCENT = 25,
	FOOT_FULL_PERCENT = 33, /* at the foot, for a pane that could fill it */
	HALF_PERCENT = 50,	/* for a pane next to the list that needs it */
	FULL_PERCENT = 55,	/* for a pane alone below the list that could fill it */
	SIDE_PERCENT = 40
};

/* The panes around the list, in their order on the screen.  The first ones stay longest. */
static const struct place_row {
	enum pane_id pane;
	int rows_min; /* with the rule */
	int percent;  /* of the rows, if stacked below the list */
	bool foot;    /* lower than others, and below the list on a wide screen */
	bool beside;  /* next to the list on a wide screen, despite `foot` */
} places[] = {
    {PANE_DETAIL, .rows_min = 4, .percent = 50},
    {PANE_FILTERS, .rows_min = 4, .percent = 40},
    {PANE_ORIGINS, .rows_min = 4, .percent = 40},
    {PANE_SYNCS, .rows_min = 4, .percent = 40},
    {PANE_GAPS, .rows_min = 4, .percent = 40},
    {PANE_DIFFERENCES, .rows_min = 4, .percent = 40},
    {PANE_INTERVALS, .rows_min = 5, .percent = 40},
    {PANE_MATCHES, .rows_min = 4, .percent = 40},
    {PANE_TABLE, .rows_min = 4, .percent = 60},
    {PANE_CODE, .rows_min = 4, .percent = 50},
    {PANE_STACK, .rows_min = 4, .percent = 40},
    {PANE_FUNCTIONS, .rows_min = 4, .percent = 60},
    {PANE_CONTEXT, .rows_min = 3, .percent = 30},
    {PANE_MARKS, .rows_min = 3, .percent = 30},
    {PANE_HEX, .rows_min = 3, .percent = 35, .foot = true, .beside = true},
    {PANE_TIMELINE, .rows_min = 3, .percent = 40, .foot = true},
};
enum { PLACES = sizeof places / sizeof *places };

static int
layout_clamp(int value, int least, int most)
{
	if (value > most)
		value = most;
	return value < least ? least : value;
}

/* Return PERCENT of TOTAL, moved by the user's steps. */
static int
layout_share(int total, int percent, int split)
{
	return total * layout_clamp(percent + 5 * split, 10, 90) / 100;
}

/* Cut ROWS off the foot of *FROM. */
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

/* Choose the open panes that fit into SPARE rows.  With ALL, choose from all panes.  Else FOOT
 * chooses those at the foot of a wide screen, and false those next to its list. */
static void
layout_choose(const struct layout_wish *wish, int spare, bool all, bool foot, bool chosen[PLACES])
{
	for (int i = 0; i < PLACES; i++) {
		chosen[i] = wish->open[places[i].pane] &&
			    (all || (places[i].foot && !places[i].beside) == foot) &&
			    spare >= places[i].rows_min;
		spare -= chosen[i] ? places[i].rows_min : 0;
	}
}

/* Cut the chosen panes off the foot of *BODY, the last one first.  Each gets its share, but not
 * less than it needs.  It leaves the others their minimum, and LEAST rows.  If LEAST is 0, the
 * first pane takes the rest. */
static void
place_chosen(struct layout *layout, struct area *body, const struct layout_wish *wish,
	     const bool chosen[PLACES], int percent, int least)
{
	int first = 0, count = 0;
	bool side = percent && !least;
	for (int i = PLACES - 1; i >= 0; i--) {
		first = chosen[i] ? i : first;
		count += chosen[i];
		least += chosen[i] ? places[i].rows_min : 0;
	}
	for (int i = PLACES - 1; i >= 0; i--) {
		if (!chosen[i])
			continue;
		least -= places[i].rows_min;
		int own = percent			? percent
			  : count > 1 && places[i].foot ? FOOT_PERCENT
							: places[i].percent;
		int full = percent ? FOOT_FULL_PERCENT : count > 1 ? own : FULL_PERCENT;
		int most = body->rows - least, fill = wish->fill_rows[places[i].pane];
		int cut = layout_clamp(fill, layout_share(body->rows, own, wish->split),
				       layout_share(body->rows, full, wish->split));
		if (side && fill) /* as high as its contents */
			cut = layout_clamp(fill, 0, layout_share(body->rows, HALF_PERCENT, 0));
		if (!least && i == first)
			cut = body->rows;
		place_pane(layout, places[i].pane,
			   cut_foot(body, layout_clamp(cut, places[i].rows_min, most)));
	}
}

static void
layout_stack(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	bool chosen[PLACES];
	layout_choose(wish, body.rows - LIST_ROWS_MIN, true, false, chosen);
	place_chosen(layout, &body, wish, chosen, 0, LIST_ROWS_MIN);
	layout->panes[wish->base] = body;
}

static void
side_by_side(struct layout *layout, struct area body, const struct layout_wish *wish)
{
	bool chosen[PLACES], any = false;
	layout_choose(wish, body.rows - LIST_ROWS_MIN, false, true, chosen);
	place_chosen(layout, &body, wish, chosen, FOOT_PERCENT, LIST_ROWS_MIN);
	layout_choose(wish, body.rows, false, false, chosen);
	for (int i = 0; i < PLACES; i++)
		any |= chosen[i];
	if (any) {
		int cols = layout_clamp(layout_share(body.cols, SIDE_PERCENT, wish->split),
					SIDE_COLUMNS_MIN, body.cols - LIST_COLUMNS_MIN - 1);
		body.cols -= cols + 1;
		layout->bar = (struct area){body.row, body.cols, body.rows, 1};
		struct area side = {body.row, body.cols + 1, body.rows, cols};
		place_chosen(layout, &side, wish, chosen, FOOT_PERCENT, 0);
	}
	layout->panes[wish->base] = body;
}

/* Return the open pane that covers all others, or PANE_COUNT. */
static int
layout_cover(const struct layout_wish *wish)
{
	int pane = PANE_HELP;
	while (pane < PANE_COUNT && !wish->open[pane])
		pane++;
	return pane;
}

/* Give the body to one pane.  Its rule stays unless there are few rows. */
static void
place_alone(struct layout *layout, const struct layout_wish *wish, struct area body)
{
	bool has_rule = false;
	for (int i = 0; i < PLACES; i++)
		has_rule |= places[i].pane == wish->focus;
	if (has_rule && body.rows >= ALONE_ROWS_MIN)
		place_pane(layout, wish->focus, body);
	else
		layout->panes[wish->focus] = body;
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
	const struct area whole = body;
	const struct layout bare = layout;
	bool wide = wish->cols >= LIST_COLUMNS_MIN + SIDE_COLUMNS_MIN + 1;
	bool side =
	    wish->base == PANE_LIST && (wish->mode == LAYOUT_SIDE ||
					(wish->mode == LAYOUT_AUTO && wish->cols >= SIDE_COLUMNS));
	if (layout_cover(wish) < PANE_COUNT)
		layout.panes[layout_cover(wish)] = body;
	else if (wish->zoom)
		place_alone(&layout, wish, body);
	else if (side && wide)
		side_by_side(&layout, body, wish);
	else
		layout_stack(&layout, body, wish);
	if (layout.panes[wish->focus].rows <= 0 && layout_cover(wish) == PANE_COUNT) {
		layout = bare; /* the pane with the cursor must be visible */
		place_alone(&layout, wish, whole);
	}
	return layout;
}
