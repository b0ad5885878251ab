/* Bytes of devices; see mk_device.h.  The layouts are those of the formats' own
 * makers (mk_gem.c, mk_csel.c), with what a session needs of them only. */
#include "config.h"

#include "mk_device.h"

#include <string.h>

uint64_t
mk_clock_reads(const struct mk_clock *clock, uint64_t ns)
{
	long double ticks = (long double)ns * (long double)clock->hz / 1e9L;
	return clock->start + (uint64_t)(ticks * (1 + (long double)clock->ppm / 1e6L));
}

void
mk_put(struct mk_out *out, uint64_t value, unsigned bytes)
{
	uint8_t at[8];
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	mk_out_put(out, at, bytes);
}

void
mk_word(struct mk_out *out, unsigned type, uint32_t value, uint64_t ticks)
{
	mk_put(out, type << 26 | (value & 0xffffff) << 2 | 3, 4);
	mk_put(out, ticks, 8);
}

void
mk_word_second(struct mk_out *out, uint32_t sequence, uint32_t data, uint64_t ticks)
{
	mk_put(out, 3u << 30 | (sequence & 0xfffff) << 10 | (data & 0xff) << 2 | 3, 4);
	mk_put(out, ticks, 8);
}

static void
put_big(struct mk_out *out, uint32_t value)
{
	mk_put(out, __builtin_bswap32(value), 4);
}

uint64_t
mk_event(struct mk_logger *logger, unsigned id, uint64_t ticks, const uint32_t *args, size_t count)
{
	struct mk_out *out = logger->out;
	unsigned length = 16 + 4 * (unsigned)count;
	put_big(out, 10u << 28 | (16 + length));
	put_big(out, (uint32_t)logger->packet++ << 16);
	put_big(out, 1u << 16 | 0x8101);
	put_big(out, 0xffffu << 16 | 1);
	uint64_t offset = out->offset;
	mk_put(out, 1u << 27 | length << 16 | ++logger->sequence, 4);
	mk_put(out, ticks, 8);
	mk_put(out, id << 16 | 0x8001, 4);
	for (size_t i = 0; i < count; i++)
		mk_put(out, args[i], 4);
	return offset;
}

void
mk_event_sync(struct mk_logger *logger, uint32_t serial, uint64_t ticks, uint64_t global,
	      uint32_t hz)
{
	mk_event(logger, 1, ticks,
		 (uint32_t[]){serial, (uint32_t)ticks, (uint32_t)(ticks >> 32), (uint32_t)global,
			      (uint32_t)(global >> 32), 1, hz, 0},
		 8);
}

void
mk_event_rate(struct mk_logger *logger, uint32_t serial, uint64_t ticks, uint32_t global_hz)
{
	mk_event(logger, 2, ticks, (uint32_t[]){serial, 1, global_hz, 0}, 4);
}

void
mk_log_head(struct mk_out *out, const char *name, uint64_t *seed, uint64_t now)
{
	char text[64] = "";
	strncpy(text, name, sizeof text - 1);
	mk_out_put(out, "MFMN\1\0\0", 8);
	for (unsigned i = 0; i < 2; i++)
		mk_put(out, random_next(seed), 8);
	mk_out_put(out, text, sizeof text);
	mk_put(out, now, 8);
	mk_put(out, 0, 4);
	mk_put(out, 100000000, 4);
	mk_put(out, 1, 1);
	mk_put(out, now, 8);
}

void
mk_log_event(struct mk_out *out, uint64_t now, uint32_t sequence, unsigned event)
{
	mk_put(out, 4, 1);
	mk_put(out, now, 8);
	mk_put(out, sequence, 4);
	mk_put(out, event, 2);
	mk_put(out, 0, 2);
}

void
mk_log_end(struct mk_out *out, uint64_t now)
{
	mk_put(out, 2, 1); /* stop */
	mk_put(out, now, 8);
	mk_put(out, 3, 1); /* end */
	mk_put(out, now, 8);
}
