/*
 * A toy format for the tests of what is above the decoders: records of 16
 * bytes (mark 0xA5, severity, origin, a reserved byte, 32-bit number,
 * 64-bit ticks), zero bytes between them as filler runs.  Resync finds the
 * first mark whose record is followed by another mark or by zeros.
 */
#ifndef TRAWL_TESTS_UNIT_TOY_H
#define TRAWL_TESTS_UNIT_TOY_H

#include "decode/decoder.h"

enum { TOY_RECORD = 16, TOY_FILLER = 0, TOY_MESSAGE = 1, TOY_JUNK = 2 };

extern const struct decoder_ops toy_ops;

struct decoder *toy_open(void);
void toy_write(uint8_t *out, unsigned severity, unsigned origin, uint32_t number, uint64_t ticks);

/* A temporary file with LENGTH bytes, unlinked on exit by the caller. */
char *toy_file(const void *bytes, size_t length);

#endif
