/*
 * What unit tests of formats without scattered messages add to drive.h: messages lie
 * one behind the other, and each is expanded from its own bytes alone.
 */
#ifndef TRAWL_TESTS_UNIT_WALK_H
#define TRAWL_TESTS_UNIT_WALK_H

#include "drive.h"

/* All messages of BYTES, which are the whole capture. */
message_list walk_all(const struct decoder *, const uint8_t *bytes, size_t length);

/* Walks BYTES in all ways (drive_thoroughly), and expands every message. */
void walk_check(const struct decoder *, const uint8_t *bytes, size_t length);

/* walk_check() with BYTES cut off behind every byte, every STEP one; and with
 * bits changed, TIMES times. */
void walk_truncate(const struct decoder *, const uint8_t *bytes, size_t length, size_t step);
void walk_flip(const struct decoder *, const uint8_t *bytes, size_t length, unsigned times);

/* One message with its fields; a field of it, NULL if it has none of that name;
 * its number; and whether it reads as EXPECTED (NULL: is not there). */
void walk_expand(const struct decoder *, const uint8_t *bytes, size_t length,
		 const struct message *, struct expansion *);
const struct field *walk_field(const struct expansion *, const char *name);
uint64_t walk_number(const struct expansion *, const char *name);
void walk_assert_text(const struct expansion *, const char *name, const char *expected);

#endif
