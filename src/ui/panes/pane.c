/* What panes share: see pane.h. */
#include "config.h"

#include "ui/panes/pane.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

enum role
severity_role(unsigned severity)
{
	static const enum role roles[SEVERITY_COUNT] = {
	    [SEVERITY_MAX] = ROLE_UNASSIGNED, [SEVERITY_FATAL] = ROLE_FATAL,
	    [SEVERITY_ERROR] = ROLE_ERROR,    [SEVERITY_WARNING] = ROLE_WARNING,
	    [SEVERITY_INFO] = ROLE_INFO,      [SEVERITY_USER1] = ROLE_USER,
	    [SEVERITY_USER2] = ROLE_USER,     [SEVERITY_DEBUG] = ROLE_DEBUG,
	};
	return severity < SEVERITY_COUNT ? roles[severity] : ROLE_NORMAL;
}

enum role
trace_role(const struct session *session, size_t trace)
{
	static const enum role roles[] = {ROLE_TRACE1, ROLE_TRACE2, ROLE_TRACE3,
					  ROLE_TRACE4, ROLE_TRACE5, ROLE_TRACE6};
	if (session->traces.count < 2)
		return ROLE_NORMAL;
	return roles[trace % (sizeof roles / sizeof *roles)];
}

/* --- moving ------------------------------------------------------------ */

static pane_command move_row, move_page, move_screen;

/* What moves: among the rows of a list, and by how much. */
static const struct {
	pane_command *run;
	int direction; /* 0: does not move */
	int parts;     /* of a page; 0: one row */
} steps[COMMAND_COUNT] = {
    [COMMAND_DOWN] = {move_row, 1, 0},		 [COMMAND_UP] = {move_row, -1, 0},
    [COMMAND_SCROLL_DOWN] = {move_screen, 1, 0}, [COMMAND_SCROLL_UP] = {move_screen, -1, 0},
    [COMMAND_PAGE_DOWN] = {move_page, 1, 1},	 [COMMAND_PAGE_UP] = {move_page, -1, 1},
    [COMMAND_HALF_DOWN] = {move_page, 1, 2},	 [COMMAND_HALF_UP] = {move_page, -1, 2},
};

int64_t
pane_step(const struct command_call *call, int rows)
{
	int64_t step = steps[call->id].parts ? rows / steps[call->id].parts : 1;
	return steps[call->id].direction * (step ? step : 1) * command_steps(call);
}

pane_command *
pane_mover(enum command_id id)
{
	return steps[id].run;
}

static struct list *
list_of(struct screen *screen)
{
	const struct pane_ops *pane = screen->panes[screen->focus];
	return pane->list ? pane->list(screen) : screen->list;
}

static void
move_row(struct screen *screen, const struct command_call *call)
{
	list_move(list_of(screen), pane_step(call, 0));
}

static void
move_page(struct screen *screen, const struct command_call *call)
{
	struct list *list = list_of(screen);
	list_page(list, pane_step(call, (int)list->height));
}

static void
move_screen(struct screen *screen, const struct command_call *call)
{
	list_scroll(list_of(screen), pane_step(call, 0));
}
