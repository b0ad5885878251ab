/*
 * What can be done with several traces at once.
 */
#ifndef TRAWL_UI_SESSION_H
#define TRAWL_UI_SESSION_H

#include "ui/list/jump.h"

/* Whether another trace has what a message goes with by its number: the event of
 * a word, or the word of an event. */
enum session_partner {
	PARTNER_NONE, /* it goes with none */
	PARTNER_KNOWN,
	PARTNER_MISSING /* it was lost, or is not known yet; SPOT says the trace */
};
enum session_partner session_partner(struct app *, size_t trace, const struct message *,
				     const struct expansion *, struct spot *);

/* Handlers. */
void session_tie(struct app *, const struct command_call *);
void session_untie(struct app *, const struct command_call *);
void session_counterpart(struct app *, const struct command_call *);
void session_show_trace(struct app *, const struct command_call *);

#endif
