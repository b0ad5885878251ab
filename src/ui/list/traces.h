/*
 * Commands and queries for several traces.
 */
#ifndef TRAWL_UI_TRACES_H
#define TRAWL_UI_TRACES_H

#include "ui/list/jump.h"

/* The partner of a message in another trace, matched by number: the event of a word, or the
 * word of an event. */
enum traces_partner {
	PARTNER_NONE, /* the message has no partner */
	PARTNER_KNOWN,
	PARTNER_MISSING /* lost, or not known yet; LOCATION has only the trace */
};
enum traces_partner traces_partner(struct screen *, size_t trace, const struct message *,
				   const struct expansion *, struct location *);

/* Count the unrelated clocks among the traces of a list.  Return 0 while relations may still be
 * found.  Traces without times do not count. */
size_t traces_count_clocks(const struct screen *, const struct list *);

/* Return true if the clock of a lane is unrelated to the clock of the first lane with times. */
bool traces_is_apart(const struct list *, size_t lane);

/* Handlers. */
void traces_tie(struct screen *, const struct command_call *);
void traces_untie(struct screen *, const struct command_call *);
void traces_go_to_counterpart(struct screen *, const struct command_call *);
void traces_go_to_pair(struct screen *, const struct command_call *); /* %, without a count */
void traces_toggle(struct screen *, const struct command_call *);

#endif
