/*
 * What devices of an imagined system write, for the sessions of mkcapture: words
 * and events of a processor, entries of a stream's log; and the clocks by which
 * they do.
 */
#ifndef MK_DEVICE_H
#define MK_DEVICE_H

#include "mk_out.h"

#define MK_SECOND UINT64_C(1000000000)

/* What it shows at the beginning, and by how much of a million it is too fast. */
struct mk_clock {
	uint64_t hz, start;
	double ppm;
};

/* What it shows after so many nanoseconds. */
uint64_t mk_clock_reads(const struct mk_clock *, uint64_t ns);

/* Numbers, least significant byte first. */
void mk_put(struct mk_out *, uint64_t value, unsigned bytes);

/* A word of the OVERLAY register, with the time of the processor. */
enum { MK_WORD_SYNC = 1, MK_WORD_CONTEXT = 2, MK_WORD_SNAPSHOT = 3, MK_WORD_FIRST = 0x20 };
void mk_word(struct mk_out *, unsigned type, uint32_t value, uint64_t ticks);
/* The second word of a pair of context data. */
void mk_word_second(struct mk_out *, uint32_t sequence, uint32_t data, uint64_t ticks);

/* What a logger of software events counts. */
struct mk_logger {
	struct mk_out *out;
	uint16_t sequence, packet;
};
/* A packet with one event; returns the offset of the event. */
uint64_t mk_event(struct mk_logger *, unsigned id, uint64_t ticks, const uint32_t *args,
		  size_t count);
void mk_event_sync(struct mk_logger *, uint32_t serial, uint64_t ticks, uint64_t global,
		   uint32_t hz);
void mk_event_rate(struct mk_logger *, uint32_t serial, uint64_t ticks, uint32_t global_hz);

/* A log of one stream, in microseconds since 1970: head and start, the entry of an
 * event, stop and end. */
void mk_log_head(struct mk_out *, const char *name, uint64_t *seed, uint64_t now);
void mk_log_event(struct mk_out *, uint64_t now, uint32_t sequence, unsigned event);
void mk_log_end(struct mk_out *, uint64_t now);

#endif
