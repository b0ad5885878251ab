/*
 * Writing UIA packets and events after the headers of TI's UIA, for tests:
 * uia_packet_begin, events, uia_packet_end.
 */
#ifndef TRAWL_TESTS_UNIT_UIA_WRITE_H
#define TRAWL_TESTS_UNIT_UIA_WRITE_H

#include "base/vec.h"
#include "decode/gem/uia.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uia_log {
	VEC(uint8_t) bytes;
	size_t packet; /* where it begins */
	bool big;      /* byte order of its events */
};

enum {
	UIA_SYNC_EVENT = 0x1101,
	UIA_TIMER_EVENT = 0x1103,
	UIA_CONTEXT_EVENT = 0x1201,
	UIA_SNAPSHOT_EVENT = 0x1301,
	UIA_OTHER_EVENT = 0x1401
};

/* The profile that names these events. */
extern const struct uia_options uia_log_options;

void uia_word_add(struct uia_log *, uint32_t word, bool big);
void uia_packet_begin(struct uia_log *, unsigned type, unsigned source, unsigned instance,
		      uint16_t sequence);
void uia_packet_end(struct uia_log *);

/* An event with a time stamp and COUNT arguments; returns its offset. */
size_t uia_event_add(struct uia_log *, uint16_t sequence, unsigned id, uint64_t time,
		     const uint32_t *args, size_t count);
size_t uia_sync_add(struct uia_log *, uint16_t sequence, uint64_t time, uint32_t serial);
size_t uia_context_add(struct uia_log *, uint16_t sequence, uint64_t time, uint32_t old,
		       uint32_t new);
size_t uia_snapshot_add(struct uia_log *, uint16_t sequence, uint64_t time, uint32_t id,
			const uint32_t *data, size_t count);

#endif
