/*
 * The captures of testdata/ that have a truth of their own, with how they are decoded:
 * one table for what is compared with the truth and for what is cut and damaged.
 */
#ifndef TRAWL_TESTS_UNIT_SAMPLES_H
#define TRAWL_TESTS_UNIT_SAMPLES_H

#include "drive.h"

struct sample {
	const char *name, *ending, *decoder;
	const char *collateral;	    /* of SyS-T, or NULL */
	const char *settings[4][2]; /* options and their values */
	size_t ahead;		    /* bytes behind a message that tell about it */
	bool damaged;		    /* its encoder damaged it: not all can be found again */
	bool holds;		    /* ... but where damage ends does not depend on what follows */
	unsigned spare;		    /* messages that damage before them may hide */
};

extern const struct sample samples[];
extern const size_t sample_count;

/* All bytes of a file of testdata/, with a 0 behind them; free with vec_release(). */
char *sample_read_file(const char *name, size_t *length);
char *sample_read(const struct sample *, size_t *length);

/* Opens a decoder with the sample's settings, without its collateral; to be started. */
void sample_open(const struct sample *, struct drive *, const void *bytes, size_t length);

#endif
