/* UIA packets and events for tests: see uia_write.h. */
#include "config.h"

#include "uia_write.h"

#include <string.h>

static char texts[][64] = {"syncPoint",
			   "globalTimerFreq",
			   "ti.uia.events.UIAThread.threadCtxChg",
			   "memoryRange",
			   "info",
			   "at %$F: %d of %u%% in %s, %$Sbuffer 0x%04x"};
static struct uia_event_options events[] = {
    {.id = UIA_SYNC_EVENT, .name = texts[0], .severity = SEVERITY_INFO},
    {.id = UIA_TIMER_EVENT, .name = texts[1], .severity = SEVERITY_INFO},
    {.id = UIA_CONTEXT_EVENT, .name = texts[2], .severity = SEVERITY_USER1},
    {.id = UIA_SNAPSHOT_EVENT, .name = texts[3], .severity = SEVERITY_INFO},
    {.id = UIA_OTHER_EVENT, .name = texts[4], .severity = SEVERITY_DEBUG, .format = texts[5]},
};
const struct uia_options uia_log_options = {
    .events = {.at = events, .count = sizeof events / sizeof *events}};

void
uia_word_add(struct uia_log *log, uint32_t word, bool big)
{
	for (int i = 0; i < 4; i++)
		*vec_add(&log->bytes) = (uint8_t)(word >> 8 * (big ? 3 - i : i));
}

void
uia_packet_begin(struct uia_log *log, unsigned type, unsigned source, unsigned instance,
		 uint16_t sequence)
{
	log->packet = log->bytes.count;
	uia_word_add(log, type << 28 | (uint32_t)log->big << 27, true);
	uia_word_add(log, (uint32_t)sequence << 16, true);
	uia_word_add(log, instance << 16 | 0x8021, true);
	uia_word_add(log, 0xffff0000 | source, true);
}

void
uia_packet_end(struct uia_log *log)
{
	size_t length = log->bytes.count - log->packet;
	uint8_t *p = log->bytes.at + log->packet;
	p[0] |= (uint8_t)(length >> 24 & 7);
	for (int i = 1; i < 4; i++)
		p[i] = (uint8_t)(length >> 8 * (3 - i));
}

static size_t
event(struct uia_log *log, unsigned type, uint16_t sequence, unsigned id, uint64_t time,
      const uint32_t *args, size_t count)
{
	size_t at = log->bytes.count, length = (type & 1 ? 16 : 8) + 4 * count;
	uia_word_add(log, type << 27 | (uint32_t)length << 16 | sequence, log->big);
	if (type & 1) {
		uia_word_add(log, (uint32_t)time, log->big);
		uia_word_add(log, (uint32_t)(time >> 32), log->big);
	}
	uia_word_add(log, id << 16 | 0x8050, log->big);
	for (size_t i = 0; i < count; i++)
		uia_word_add(log, args[i], log->big);
	return at;
}

size_t
uia_event_add(struct uia_log *log, uint16_t sequence, unsigned id, uint64_t time,
	      const uint32_t *args, size_t count)
{
	return event(log, time ? 1 : 0, sequence, id, time, args, count);
}

size_t
uia_sync_add(struct uia_log *log, uint16_t sequence, uint64_t time, uint32_t serial)
{
	const uint32_t args[8] = {
	    serial, (uint32_t)time, (uint32_t)(time >> 32), (uint32_t)(time / 6), 0, 1, 700000000,
	    0};
	return uia_event_add(log, sequence, UIA_SYNC_EVENT, time, args, 8);
}

size_t
uia_context_add(struct uia_log *log, uint16_t sequence, uint64_t time, uint32_t old, uint32_t new)
{
	const uint32_t args[8] = {0x80021000, 33, old, 0x80022000, new, 0, 0, 0};
	return uia_event_add(log, sequence, UIA_CONTEXT_EVENT, time, args, 8);
}

size_t
uia_snapshot_add(struct uia_log *log, uint16_t sequence, uint64_t time, uint32_t id,
		 const uint32_t *data, size_t count)
{
	uint32_t args[6 + 16] = {
	    0x80021000, 44, id, 0x90000040, (uint32_t)(8 * count) << 16 | (uint32_t)(4 * count),
	    0x80023000};
	memcpy(args + 6, data, 4 * count);
	return event(log, time ? 3 : 2, sequence, UIA_SNAPSHOT_EVENT, time, args, 6 + count);
}
