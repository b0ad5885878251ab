/*
 * What the program flow is to the screen: what the processor of the selected message did
 * there, and jumps along it.
 *
 * Traces are followed in the background (flow/flow_index.h) from the first time on that a
 * pane or a jump asks.  A look at a message is made when keys pause, by the panes' work().
 */
#ifndef TRAWL_UI_FLOW_VIEW_H
#define TRAWL_UI_FLOW_VIEW_H

#include "command/command.h"
#include "flow/flow_look.h"
#include "ui/list/selection.h"
#include "ui/screen/canvas.h"

struct run_on;
struct screen;

/* A trace that is followed. */
struct flow_view_trace {
	bool tried;
	struct flow_index *index; /* borrowed; NULL: it cannot be, */
	const char *why;	  /* as this says */
	struct flow_looker *looker;
	struct run_on *run_on; /* made when needed */
};

/* The message whose processor is shown: the selected one; or, if that is of a trace that is
 * not followed, the last one before it of a trace that is, or else the first of any. */
struct flow_view_place {
	struct trace *trace;
	struct message_id id;
	uint64_t origin; /* the processor: of struct message */
	bool before, behind;
};

/* Zero-initialise. */
struct flow_view {
	unsigned opened;		/* counts the traces that were tried */
	struct flow_view_trace *traces; /* of the session, or NULL */
	struct flow_view_place place;
	struct text name; /* of its processor, as the message has it */
	struct {	  /* the selected message that it was found for */
		bool any;
		const struct trace *trace;
		struct message_id id;
		unsigned generation, order;
	} of;
	struct flow_look look;
	bool made;
	struct flow_view_place shown; /* what it was made for, */
	unsigned generation, known;   /* and how much was known then */
	unsigned changes;	      /* counts the looks */
};

void flow_view_free(struct screen *);

/* NULL: no message is selected.  Borrowed until the next call of any function here. */
const struct flow_view_place *flow_view_get_place(struct screen *);

/* What is known of that message; NULL: nothing yet, or never, as *WHY says then.
 * Borrowed until the next call of any function here. */
const struct flow_look *flow_view_get(struct screen *, const char **why);

/* Looks, if that was not done; true if it did. */
bool flow_view_work(struct screen *);

/* Whether a look may say more than the one that is shown: more is known of what was followed
 * from near the message only. */
bool flow_view_has_news(struct screen *);

/* How far the selected message's trace is followed; NULL: no message is selected, or as *WHY
 * says. */
struct flow_index *flow_view_index(struct screen *, const char **why);

/* Who looks at the selected message's trace, or NULL. */
struct flow_looker *flow_view_looker(struct screen *);

/* The code of its trace, or NULL. */
struct flow_code *flow_view_code(struct screen *);

/* The index and the looker of a trace by its number, if it is followed and the flow is asked
 * for; else NULL. */
const struct flow_view_trace *flow_view_followed(const struct screen *, size_t trace);

/* Append FUNCTION+0xOFFSET in the trace that is shown, or the digits of the address.  Return
 * true if it has a name. */
bool flow_view_add_place(struct screen *, uint64_t address, struct text *out);

/* The address of the call before LINK, which it returns to. */
uint64_t flow_view_call_site(struct screen *, uint16_t space, uint64_t link);

/* The number of a message of its trace as the list has it, and its ID;
 * false: there is none. */
bool flow_view_message(struct screen *, uint64_t number, struct message_id *id, struct text *shown);

/* Appends which processor is looked at, and where. */
void flow_view_add_title(struct screen *, struct text *);

/* Says why nothing is shown: what happened, and what to do below it. */
void flow_view_draw_why(struct canvas *, const struct area *, const char *why);

/* Draws what one should know of what is shown at the bottom of an area, which is less by so many
 * rows then: those that are not NEEDED, or a quarter; nothing if it is empty. */
void flow_view_draw_note(struct canvas *, struct area *, const char *note, size_t needed);

/* Goes to a message of its trace. */
void flow_view_go(struct screen *, uint64_t number);

/* From a call to behind it, from a return to its call; false: the selected message ends with
 * neither. */
bool flow_view_go_to_other(struct screen *);

void flow_view_jump(struct screen *, const struct command_call *); /* ) ( ]] [[ ]k [k ]x [x */

#endif
