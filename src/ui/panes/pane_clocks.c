/* The relations of the session's clocks: a page that covers the other panes. */
#include "config.h"

#include "session/clock/clocks.h"
#include "session/session.h"
#include "trace/trace.h"
#include "ui/panes/pager.h"
#include "ui/screen/screen.h"

#include <ctype.h>
#include <string.h>

/* True for a character of a name. */
static bool
is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* Return the length of a trace name at the start of TEXT, as a whole word; 0 if none. Set *ROLE to
 * the role of the trace. */
static size_t
name_at(const struct screen *screen, const char *text, size_t length, enum role *role)
{
	for (size_t i = 0; i < screen->session->traces.count; i++) {
		const char *name = trace_name(screen->session->traces.at[i]);
		size_t own = strlen(name);
		if (!own || own > length || memcmp(text, name, own) != 0 ||
		    (own < length && is_of_name(text[own])))
			continue;
		*role = trace_role(screen->session, i);
		return own;
	}
	return 0;
}

/* Give names of traces the same role as in the list. */
static void
mark_names(struct screen *screen, const char *text, size_t length, uint8_t *roles)
{
	for (size_t i = 0; i < length; i++) {
		enum role role;
		bool inside = i && is_of_name(text[i - 1]);
		size_t own = inside ? 0 : name_at(screen, text + i, length - i, &role);
		if (own)
			memset(roles + i, (int)role, own);
	}
}

static void
clocks_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct pager *pager = screen->state[PANE_CLOCKS];
	struct text text = {0};
	pager_begin(pager, area->rows);
	pager->mark = mark_names;
	if (!clocks_are_settled(screen->session->clocks))
		pager_put(pager, screen, canvas, area, ROLE_ABSENT,
			  "so far; more is being looked at");
	clocks_describe(screen->session->clocks, &text);
	for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		pager_put(pager, screen, canvas, area, ROLE_NORMAL, line);
	}
	pager_end(pager);
	text_free(&text);
}

const struct pane_ops pane_clocks = {
    .name = "clocks",
    .scope = SCOPE_HELP,
    .state_size = sizeof(struct pager),
    .close = pager_close,
    .draw = clocks_draw,
    .commands = pager_commands,
};
