/*
 * Search strings of a filter, for decoders that can prove from raw bytes that a
 * message contains none.
 *
 * A search string is a needle.  A decoder sifts by the way it builds a text:
 * bytes copied unchanged, pieces that it adds, results of conversions.  If it
 * is not sure, it lets a message pass.  The text is then built and searched.
 *
 * Threads: one at a time, like the filter that owns it.
 */
#ifndef TRAWL_DECODE_SOUGHT_H
#define TRAWL_DECODE_SOUGHT_H

#include "base/needle.h"
#include "decode/decoder.h"

/* Sets of characters for parts of a text that are not known. */
enum sought_letters {
	SOUGHT_NUMBERS, /* conversions of integers, pointers and floating point, padded */
	SOUGHT_BLANKS,
	SOUGHT_DECIMALS, /* integers of base 10 or 8, not padded */
	SOUGHT_HEX,	 /* integers of base 16 in lower case, not padded */
	SOUGHT_CAPITALS, /* integers of base 16 in upper case, not padded */
	SOUGHT_FLOATS,	 /* floating point, of base 10 and finite, not padded */
	SOUGHT_LETTERS
};

/* Form in which needles are searched for in bytes. */
enum sought_look {
	SOUGHT_AS_BYTES,
	SOUGHT_AS_DIGITS, /* as bytes that the needle spells in lower-case hexadecimal */
	SOUGHT_LOOKS
};

/* Search position in a capture: the needle does not start from FROM up to UPTO. */
struct sought_cursor {
	uint64_t from, upto;
	bool found; /* the needle starts at UPTO */
};

/* Verdict on every text that one form, ID or format string can produce. */
enum sought_verdict {
	SOUGHT_NEVER,	 /* no text contains a needle */
	SOUGHT_IN_PLACE, /* a needle in a text is also in the message's bytes */
	SOUGHT_MAY,	 /* a text may contain a needle */
	SOUGHT_ALWAYS	 /* each text contains a needle */
};

/* Proven facts about one form, ID or format string. */
enum { SOUGHT_NOTES = 2048, SOUGHT_KEY = 5 };
struct sought_note {
	uint64_t key[SOUGHT_KEY]; /* defined by the decoder */
	bool used, fresh;	  /* fresh: nothing is noted yet */
	bool never;		  /* no text contains a needle */
	bool unnamed;		  /* as in struct expansion */
	uint8_t verdict;	  /* enum sought_verdict, if the decoder uses it */
	const void *found;	  /* other result, if the decoder uses one */
};

/* Part of a capture that was searched. */
struct sought_looked {
	struct sought_cursor cursors[NEEDLES_MAX];
	uint64_t from, upto; /* no needle starts in between */
};

enum { SOUGHT_FORMS = 2048 };

struct sought {
	struct needles needles; /* at least one */
	struct sought_looked looked[SOUGHT_LOOKS];
	unsigned generation; /* epoch of the capture that `looked` is valid for */
	/* Needles side by side in 64 bits, each cut to its share.  `places`, by byte: positions
	 * where that byte matches.  Then all positions, starts, ends, and ends of cut needles. */
	uint64_t places[256], all, starts, ends, cuts;
	uint64_t letters[SOUGHT_LETTERS]; /* positions where such a character matches */
	/* a rare byte of each needle that is none of `letters`; empty: some needle has no such
	 * byte */
	struct needles own;
	/* needles for SOUGHT_AS_DIGITS, to the nibble; empty: any bytes may match */
	struct needles hex;
	bool in_hex;		     /* some needle consists of hexadecimal digits */
	const void *basis;	     /* the decoder's data that `forms` and `notes` depend on */
	uint8_t forms[SOUGHT_FORMS]; /* the decoder's notes by form; 0: nothing yet */
	struct sought_note notes[SOUGHT_NOTES];
	uint8_t *room; /* memory for sought_room */
	size_t size;
};

/* Answer of `sift` for a message.  Zeroed: nothing is sure. */
struct sought_answer {
	bool text_lacks, type_lacks; /* text or type, as expand builds it, contains no needle */
	bool text_has;		     /* text contains a needle */
	bool unnamed;		     /* as in struct expansion */
	bool keyed; /* messages of the decoder with the same key have the same type */
	uint64_t type_key;
	const char *text; /* the text unchanged, in the window or the room; or NULL */
	size_t text_length;
	/* without a search (NULL): messages of the decoder with equal values here have the same
	 * text.  `text_bytes` lie in the window.  NULL: not sure */
	const uint8_t *text_bytes;
	size_t text_bytes_length;
	const void *text_from;
	uint16_t text_form;
};

/* Make a search for SET, which is not empty.  Free it with sought_free. */
struct sought *sought_new(const struct needles *set);
void sought_free(struct sought *); /* NULL is fine */

/* Return SIZE zeroed bytes, valid until the next call. */
uint8_t *sought_room(struct sought *, size_t size);

/* Drop all results from a capture of another epoch. */
void sought_renew(struct sought *, unsigned generation);

/* True if a needle starts in the LENGTH bytes from OFFSET on, which the window covers.  Going
 * forward, it reads each byte once. */
bool sought_look_in(struct sought *, enum sought_look, const struct window *, uint64_t offset,
		    uint64_t length);

static inline bool
sought_is_in(struct sought *s, enum sought_look look, const struct window *w, uint64_t offset,
	     uint64_t length)
{
	const struct sought_looked *looked = &s->looked[look];
	if (offset >= looked->from && offset + length <= looked->upto)
		return false;
	return sought_look_in(s, look, w, offset, length);
}

/* True if these bytes, with SOUGHT_LETTERS added, may form a text with a needle: they include a
 * needle's rare byte that is no such letter.  Also true if a needle has no such byte. */
bool sought_own_is_in(const struct sought *, const void *at, size_t length);

/* True if a needle is in the lower-case hexadecimal digits of LENGTH bytes.  Also true if not
 * sure. */
bool sought_is_in_hex(const struct sought *, const uint8_t *p, size_t length);

/* True if a needle can lie in PIECE, or partly in it and partly next to it. */
bool sought_joins(const struct sought *, const char *piece);

/* As sought_joins, for a PIECE that begins its text. */
bool sought_joins_begin(const struct sought *, const char *piece);

/* Return the note for a key.  A fresh note may have replaced another one.  Wide keys begin with
 * a word other than 0. */
struct sought_note *sought_note(struct sought *, const uint64_t key[static 3]);
struct sought_note *sought_note_wide(struct sought *, const uint64_t key[static SOUGHT_KEY]);

/* Drop forms and notes unless they depend on BASIS. */
void sought_rest_on(struct sought *, const void *basis);

/* State of a search through a text built from pieces.  Begins as {0}. */
struct sought_sieve {
	uint64_t open; /* needles begun, by the position of their last byte */
	bool found;
};

/* Pass the next piece: bytes as they are; or any number, or none, of some letters. */
void sought_pass(const struct sought *, struct sought_sieve *, const void *at, size_t length);
void sought_pass_text(const struct sought *, struct sought_sieve *, const char *);
void sought_pass_any(const struct sought *, struct sought_sieve *, enum sought_letters);

/* True if a needle may begin with such a letter, or an open needle may continue with it. */
static inline bool
sought_goes_on(const struct sought *s, const struct sought_sieve *sieve, enum sought_letters which)
{
	return (sieve->open << 1 | s->starts) & s->letters[which];
}

/* Pass bytes that are also contiguous in the message's bytes.  A needle wholly inside them is
 * not reported. */
void sought_pass_placed(const struct sought *, struct sought_sieve *, const void *at,
			size_t length);

/* Pass unknown bytes that are also in the message's bytes; or at most one byte that is not. */
void sought_pass_unknown(const struct sought *, struct sought_sieve *);
void sought_pass_byte(const struct sought *, struct sought_sieve *);

#endif
