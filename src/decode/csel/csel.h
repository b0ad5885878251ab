/*
 * The event log of a CAM stream (CSEL 1.0): one decoder.
 */
#ifndef TRAWL_DECODE_CSEL_H
#define TRAWL_DECODE_CSEL_H

#include "decode/decoder.h"

enum csel_epoch { CSEL_EPOCH_AUTO, CSEL_EPOCH_NONE, CSEL_EPOCH_UNIX };
enum csel_after_unknown { CSEL_AFTER_UNKNOWN_STOP, CSEL_AFTER_UNKNOWN_SEARCH };
enum csel_check { CSEL_CHECK_STREAM, CSEL_CHECK_PER_EVENT_ID, CSEL_CHECK_OFF };

/* `csel:` of a profile. */
struct csel_options {
	double tick_us;	    /* microseconds per tick of the timestamps */
	int epoch;	    /* enum csel_epoch */
	int sequence_check; /* enum csel_check */
	int after_unknown;  /* enum csel_after_unknown */
};

extern const struct decoder_ops csel_ops;

#endif
