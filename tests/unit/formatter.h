/*
 * A CoreSight trace formatter, for tests: bytes of trace sources become
 * frames, as the architecture specification has it.  It shares no code with
 * the deformatter.
 */
#ifndef TRAWL_TESTS_UNIT_FORMATTER_H
#define TRAWL_TESTS_UNIT_FORMATTER_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct sourced {
	uint8_t id, byte;
};

struct formatter {
	VEC(struct sourced) input;
	VEC(uint8_t) frames;
};

static inline void
formatter_add(struct formatter *f, uint8_t id, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_add(&f->input) = (struct sourced){id, ((const uint8_t *)bytes)[i]};
}

/* One frame of what is left from *AT on; the source that goes on is *ID. */
static inline void
formatter_frame(struct formatter *f, size_t *at, int *id)
{
	uint8_t frame[16] = {0};
	for (unsigned slot = 0; slot < 15; slot += 2) {
		const struct sourced *next = f->input.at + *at;
		size_t left = f->input.count - *at;
		bool pair = slot < 14;
		if (!left) { /* the rest is for nobody */
			if (*id)
				frame[slot] = 1;
			*id = 0;
		} else if (next->id != *id) { /* at once */
			frame[slot] = (uint8_t)(next->id << 1 | 1);
			*id = next->id;
			if (pair) {
				frame[slot + 1] = next->byte;
				++*at;
			}
		} else if (pair && left > 1 && next[1].id != *id) { /* after this byte */
			frame[slot] = (uint8_t)(next[1].id << 1 | 1);
			frame[15] |= (uint8_t)(1 << slot / 2);
			frame[slot + 1] = next->byte;
			*id = next[1].id;
			++*at;
		} else {
			frame[slot] = next->byte & 0xfe;
			frame[15] |= (uint8_t)((next->byte & 1) << slot / 2);
			++*at;
			if (pair && left > 1) {
				frame[slot + 1] = next[1].byte;
				++*at;
			} else if (pair) { /* a pair cannot be half empty */
				frame[slot] = (uint8_t)(0 << 1 | 1);
				frame[15] |= (uint8_t)(1 << slot / 2);
				frame[slot + 1] = next->byte;
				*id = 0;
			}
		}
	}
	vec_reserve(&f->frames, sizeof frame);
	memcpy(f->frames.at + f->frames.count, frame, sizeof frame);
	f->frames.count += sizeof frame;
}

/* Makes frames of all that was added. */
static inline void
formatter_run(struct formatter *f)
{
	size_t at = 0;
	int id = -1;
	while (at < f->input.count)
		formatter_frame(f, &at, &id);
}

static inline void
formatter_free(struct formatter *f)
{
	vec_free(&f->input);
	vec_free(&f->frames);
}

#endif
