/*
 * The program flow on the screen: a look at the code that the processor of the selected
 * message ran there, and jumps along it.
 *
 * The first pane or jump that needs a trace's flow starts to follow it in the background
 * (flow/flow_index.h).  The panes' work() looks at a message once no more keys arrive.
 */
#ifndef TRAWL_UI_FLOW_VIEW_H
#define TRAWL_UI_FLOW_VIEW_H

#include "command/command.h"
#include "flow/flow_look.h"
#include "ui/list/selection.h"
#include "ui/screen/canvas.h"

struct run_on;
struct screen;

/* A trace, and the state of following it. */
struct flow_view_trace {
	bool tried;
	struct flow_index *index; /* borrowed; NULL if the trace cannot be followed */
	const char *why;	  /* the reason for that */
	struct flow_looker *looker;
	struct run_on *run_on; /* created when needed */
};

/* The message that determines the processor to show: normally the selected one.  If its trace
 * is not followed, it is the last earlier message of a followed trace.  Without one, it is the
 * first of any such trace. */
struct flow_view_place {
	struct trace *trace;
	struct message_id id;
	uint64_t origin; /* its processor, as in struct message */
	bool before, behind;
};

/* Zero-initialise. */
struct flow_view {
	unsigned opened;		/* number of traces tried */
	struct flow_view_trace *traces; /* one per trace of the session, or NULL */
	struct flow_view_place place;
	struct text name; /* name of its processor, as the message has it */
	struct {	  /* The selected message for which `place` was found: */
		bool any;
		const struct trace *trace;
		struct message_id id;
		uint64_t generation, order;
	} of;
	struct flow_look look;
	bool made;
	struct flow_view_place shown; /* the place that `look` describes */
	uint64_t generation, known;   /* of the selected message; of the flow index */
	unsigned changes;	      /* number of looks taken */
};

void flow_view_free(struct screen *);

/* Return the place for the selected message, or NULL without one.  Borrowed until the next call
 * of a function here. */
const struct flow_view_place *flow_view_get_place(struct screen *);

/* Return the look at that message.  Return NULL if it is not taken yet, or, with *WHY set, if it
 * cannot be.  Borrowed until the next call of a function here. */
const struct flow_look *flow_view_get(struct screen *, const char **why);

/* Take a look if the last one is out of date.  Return true if it did. */
bool flow_view_work(struct screen *);

/* Return true if a new look may find more.  This holds if the last look was a guess from nearby
 * messages and the index has advanced. */
bool flow_view_has_news(struct screen *);

/* Return the flow index of the place's trace.  Return NULL without a selected message, or with
 * the reason in *WHY. */
struct flow_index *flow_view_index(struct screen *, const char **why);

/* Return the looker of the place's trace, or NULL. */
struct flow_looker *flow_view_looker(struct screen *);

/* Return the code of the place's trace, or NULL. */
struct flow_code *flow_view_code(struct screen *);

/* Return the index and looker of a trace by its number.  Return NULL if it is not followed. */
const struct flow_view_trace *flow_view_followed(const struct screen *, size_t trace);

/* Append FUNCTION+0xOFFSET in the place's trace, or the digits of the address.  Return true if
 * it has a name. */
bool flow_view_add_place(struct screen *, uint64_t address, struct text *out);

/* Return the address of the call instruction before the return address LINK. */
uint64_t flow_view_call_site(struct screen *, uint16_t space, uint64_t link);

/* Return the ID of message NUMBER of the place's trace, and append its number in the list.
 * Return false if there is no such message. */
bool flow_view_message(struct screen *, uint64_t number, struct message_id *id, struct text *shown);

/* Append the name of the processor and the message number of the place. */
void flow_view_add_title(struct screen *, struct text *);

/* Draw the reason why nothing is shown, and below it a remedy. */
void flow_view_draw_why(struct canvas *, const struct area *, const char *why);

/* Draw a note at the bottom of an area, and shrink the area by its rows.  The note may take the
 * rows that are not NEEDED, or a quarter.  An empty note takes none. */
void flow_view_draw_note(struct canvas *, struct area *, const char *note, size_t needed);

/* Go to a message of the place's trace. */
void flow_view_go(struct screen *, uint64_t number);

/* Go from a call to the message after its return, or from a return to its call.  Return false if
 * the selected message ends with neither. */
bool flow_view_go_to_other(struct screen *);

void flow_view_jump(struct screen *, const struct command_call *); /* ) ( ]] [[ ]k [k ]x [x */

#endif
