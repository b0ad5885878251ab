/*
 * What is missing of a capture, in sentences that say what to do next.
 */
#ifndef TRAWL_CAPTURE_LOSS_TEXT_H
#define TRAWL_CAPTURE_LOSS_TEXT_H

#include <stdint.h>

struct losses;
struct text;

/* Begins a sentence behind those that are there. */
void loss_text_begin(struct text *);

/* Appends a sentence for each cause of what is missing before SIZE: how many bytes, where. */
void loss_text_add(const struct losses *, uint64_t size, struct text *);

#endif
