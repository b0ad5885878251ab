/*
 * Contexts that choose the programs of addresses: entries of `symbols:` with `when`.
 */
#ifndef TRAWL_SESSION_CONTEXT_CONTEXT_NAMING_H
#define TRAWL_SESSION_CONTEXT_CONTEXT_NAMING_H

#include "trace/naming.h"

/* Decides by the contexts of the session which entries hold. That is unknown while the context is
 * doubtful or not known. */
extern const struct naming_judge context_naming;

/* True if names of addresses in a trace, or with NULL in any, depend on contexts. */
struct session;
bool context_names(const struct session *, const struct trace *);

/* Return the epoch of the contexts if names in the trace depend on them, else 0. */
unsigned context_naming_generation(const struct trace *);

#endif
