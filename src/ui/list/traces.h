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

/* How many clocks that nothing relates the traces of a list have; 0 while relations may still
 * be found.  Those without times count for none. */
size_t traces_count_clocks(const struct screen *, const struct list *);

/* Whether the clock of a lane is one of them, but not that of the first one with times. */
bool traces_is_apart(const struct list *, size_t lane);

/* Handlers. */
void traces_tie(struct screen *, const struct command_call *);
void traces_untie(struct screen *, const struct command_call *);
void traces_go_to_counterpart(struct screen *, const struct command_call *);
void traces_go_to_pair(struct screen *, const struct command_call *); /* %, without a count */
void traces_toggle(struct screen *, const struct command_call *);

#endif
