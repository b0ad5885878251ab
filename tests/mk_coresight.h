/*
 * CoreSight for mkcapture: the files of a snapshot, and the trace formatter,
 * which puts the bytes of several sources into frames.
 */
#ifndef MK_CORESIGHT_H
#define MK_CORESIGHT_H

#include "mk_out.h"

enum { MK_STM_ID = 0x10, MK_ITM_ID = 0x21 };

struct mk_frames {
	struct mk_out *out;
	uint8_t frame[16];
	unsigned slot; /* of the next byte */
	uint8_t id;    /* whose bytes are put */
};

/* Puts LENGTH > 0 bytes of a source. */
void mk_frames_put(struct mk_frames *, uint8_t id, const void *bytes, size_t length);
/* Fills up the last frame. */
void mk_frames_finish(struct mk_frames *);

/* Makes FOLDER, if it is not there, and all files of a snapshot with an STM and
 * an ITM in it but the buffer; returns the buffer's path, to be freed. */
char *mk_snapshot(const char *folder);

#endif
