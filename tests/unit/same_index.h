/*
 * Whether two indexes of one capture say the same: cells, checkpoints, origins
 * and their counts.
 */
#ifndef TRAWL_TESTS_UNIT_SAME_INDEX_H
#define TRAWL_TESTS_UNIT_SAME_INDEX_H

#include "index/index.h"

/* Fails the test that calls it, with NAME, if not. */
void same_index(const struct decoder *, struct index *, struct index *, const char *name);

#endif
