/*
 * What comes out of an SWO pin, for mkcapture: packets of an ITM and a DWT, alone or in the
 * frames of a TPIU beside those of an ETM.
 */
#ifndef MK_SWO_H
#define MK_SWO_H

#include "mk_sink.h"

struct mk_swo_plan {
	uint64_t seed;
	bool everything; /* timestamps, synchronisation, extensions; else none of these */
	bool frames;	 /* without synchronisation of frames; damage is what frames suffer */
};

enum { MK_SWO_ID = 1, MK_SWO_OTHER = 2 };

void mk_swo(const struct mk_swo_plan *, struct mk_sink *);

#endif
