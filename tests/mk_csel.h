/* CSEL logs for mkcapture: an encoder of its own, from the format's page. */
#ifndef MK_CSEL_H
#define MK_CSEL_H

#include "mk_sink.h"

/* FAULTS: runs in which something is not as it should be, too. */
void mk_csel(struct mk_sink *, uint64_t seed, bool faults);

#endif
