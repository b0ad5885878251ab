/*
 * Which nibbles of an STP stream belong to what: a walk over packet lengths
 * that shares no code with the decoder, for tests that count.
 */
#ifndef TRAWL_TESTS_UNIT_STP_WALK_H
#define TRAWL_TESTS_UNIT_STP_WALK_H

#include <stddef.h>
#include <stdint.h>

enum stp_class {
	STP_CLASS_NULL,	   /* belongs to no message, as the next two */
	STP_CLASS_TIME,	   /* NULL_TS */
	STP_CLASS_SENDER,  /* M8, M16, C8, C16 */
	STP_CLASS_PACKET,  /* a message, or part of one: opcode and timestamp */
	STP_CLASS_PAYLOAD, /* data of a message */
	STP_CLASS_DAMAGE,  /* what is no packet, or lacks its end */
	STP_CLASSES
};

/* The classes of all nibbles of BYTES, which are a whole capture; the caller frees. */
uint8_t *stp_classes(const uint8_t *bytes, size_t length);

#endif
