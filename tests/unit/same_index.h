/*
 * Above the decoders (drive.h) there are more ways to the same messages: two indexes of
 * one capture say the same, cells, checkpoints, origins and their counts; and a reader
 * gives what one pass over the bytes does.
 */
#ifndef TRAWL_TESTS_UNIT_SAME_INDEX_H
#define TRAWL_TESTS_UNIT_SAME_INDEX_H

#include "index/index.h"
#include "trace/reader.h"

/* Fails the test that calls it, with NAME, if not. */
void same_index(const struct decoder *, struct index *, struct index *, const char *name);

/* Forwards, backwards, in a walk, by number, offset and place: the messages of a reader
 * whose index is built are WALKED.  Fails the test, with NAME, if not. */
void same_messages(struct reader *, const struct message *walked, size_t count, const char *name);

#endif
