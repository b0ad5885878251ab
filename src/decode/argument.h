/*
 * Arguments of texts with conversions (printf and the like) as fields.
 *
 * An argument has the word before its conversion as its name: `seq %u` and `seq=%u` are
 * seq, `frame: %d` is frame, `addr 0x%08x` addr.  Between word and conversion there may be
 * blanks, = : # quotes, opening brackets and a 0x; a word is letters, digits and _ and
 * begins with no digit.  What has no such word, a word of the filter language (and, or,
 * not, in), or the name of an argument before it in its message has no name; each has its
 * number, from 1.
 */
#ifndef TRAWL_DECODE_ARGUMENT_H
#define TRAWL_DECODE_ARGUMENT_H

#include "decode/decoder.h"

enum {
	ARGUMENT_NAME_MAX = 63, /* bytes; longer words are no names */
	ARGUMENT_NAMES_MAX = 64 /* arguments of a message that can have one */
};

/* The name that a text gives to the conversion at END; what is before FROM belongs to
 * another one.  Not ended by NUL; *LENGTH 0: none. */
const char *argument_find_name(const char *from, const char *end, size_t *length);

/* Whether a text is such a name as a whole. */
bool argument_is_name(const char *);

/* Makes FIELD, the one added last and number NUMBER of the arguments of E (from 1), an
 * argument with NAME (LENGTH bytes) if no other has it; its label is the name, or
 * arg.NUMBER, and CONVERSION behind a blank. */
void argument_set_name(struct expansion *e, struct field *field, size_t number, const char *name,
		       size_t length, const char *conversion, size_t conversion_length);

/* The same with a name that is known to be free, or ""; it lives as long as E. */
void argument_keep_name(struct expansion *e, struct field *field, size_t number, const char *name,
			const char *conversion, size_t conversion_length);

/* The argument called NAME, or with the number that NAME is; NULL: there is none. */
const struct field *argument_find(const struct expansion *, const char *name);

/* Whether a format has arguments, and no field that is called NAME: there a bare NAME is an
 * argument's. */
bool argument_may_be_named(const struct decoder_ops *, const char *name);

#endif
