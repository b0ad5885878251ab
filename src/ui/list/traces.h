/*
 * What can be done with several traces at once.
 */
#ifndef TRAWL_UI_SESSION_H
#define TRAWL_UI_SESSION_H

#include "ui/list/jump.h"

/* Whether another trace has what a message goes with by its number: the event of
 * a word, or the word of an event. */
enum traces_partner {
	PARTNER_NONE, /* it goes with none */
	PARTNER_KNOWN,
	PARTNER_MISSING /* it was lost, or is not known yet; LOCATION says the trace */
};
enum traces_partner traces_partner(struct screen *, size_t trace, const struct message *,
				   const struct expansion *, struct location *);

/* Handlers. */
void traces_tie(struct screen *, const struct command_call *);
void traces_untie(struct screen *, const struct command_call *);
void traces_go_to_counterpart(struct screen *, const struct command_call *);
void traces_go_to_pair(struct screen *, const struct command_call *); /* %, without a count */
void traces_toggle(struct screen *, const struct command_call *);

#endif
