/*
 * Arguments of texts with conversions (printf and the like) as fields.
 *
 * The name of an argument is the word before its conversion: `seq %u` and
 * `seq=%u` are seq, `frame: %d` is frame, `addr 0x%08x` is addr.  Blanks, = : #
 * quotes, opening brackets and a 0x may separate word and conversion.  A word
 * consists of letters, digits and _ and does not begin with a digit.  Words of
 * the filter language (and, or, not, in) and names of earlier arguments do not
 * count.  An argument without a word has no name.  Each argument has a number,
 * from 1.
 */
#ifndef TRAWL_DECODE_ARGUMENT_H
#define TRAWL_DECODE_ARGUMENT_H

#include "decode/decoder.h"

enum {
	ARGUMENT_NAME_MAX = 63, /* bytes; longer words are not names */
	ARGUMENT_NAMES_MAX = 64 /* number of arguments in a message that can have names */
};

/* Find the name for the conversion at END.  Text before FROM belongs to another conversion.  The
 * result does not end in NUL.  *LENGTH 0: no name. */
const char *argument_find_name(const char *from, const char *end, size_t *length);

/* True if the whole text is such a name. */
bool argument_is_name(const char *);

/* Make FIELD, the last one added, argument NUMBER of E (from 1).  It gets NAME (LENGTH bytes)
 * unless another argument has it.  Its label is the name, or arg.NUMBER, then a blank and
 * CONVERSION. */
void argument_set_name(struct expansion *e, struct field *field, size_t number, const char *name,
		       size_t length, const char *conversion, size_t conversion_length);

/* Like argument_set_name, with a NAME that is free, or "".  NAME must live as long as E. */
void argument_keep_name(struct expansion *e, struct field *field, size_t number, const char *name,
			const char *conversion, size_t conversion_length);

/* Find the argument called NAME, or with the number in NAME.  Return NULL if none. */
const struct field *argument_find(const struct expansion *, const char *name);

/* True if the format has arguments and no field called NAME.  A bare NAME then means an
 * argument. */
bool argument_may_be_named(const struct decoder_ops *, const char *name);

#endif
