/*
 * Sentences about the missing bytes of a capture, with advice.
 */
#ifndef TRAWL_CAPTURE_LOSS_TEXT_H
#define TRAWL_CAPTURE_LOSS_TEXT_H

#include <stdint.h>

struct losses;
struct text;

/* Start a new sentence: append "; " unless the text is empty. */
void loss_text_begin(struct text *);

/* Append a sentence for each cause of loss before SIZE, with the number of bytes and their
 * place. */
void loss_text_add(const struct losses *, uint64_t size, struct text *);

#endif
