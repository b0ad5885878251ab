/*
 * What is looked for in texts, for decoders that can tell that a message lacks it without
 * making its text.
 *
 * A decoder sifts by what it knows of how a text comes about: bytes that stand in it as
 * they are, pieces that it adds, what conversions can yield.  It lets a message pass
 * wherever it is not sure; then the text is made and looked at.
 *
 * Threads: one at a time, as the filter it belongs to.
 */
#ifndef TRAWL_DECODE_SOUGHT_H
#define TRAWL_DECODE_SOUGHT_H

#include "base/needle.h"
#include "decode/decoder.h"

/* Bytes that something can yield. */
enum sought_letters {
	SOUGHT_NUMBERS, /* conversions of integers, pointers and floating point, padded */
	SOUGHT_BLANKS,
	SOUGHT_DECIMALS, /* integers of base 10 or 8, not padded, */
	SOUGHT_HEX,	 /* of base 16 in lower case, */
	SOUGHT_CAPITALS, /* and in upper case */
	SOUGHT_FLOATS,	 /* floating point, of base 10 and finite, not padded */
	SOUGHT_LETTERS
};

/* As what needles are looked for in bytes. */
enum sought_look {
	SOUGHT_AS_BYTES,
	SOUGHT_AS_DIGITS, /* as the bytes whose hexadecimal digits, in lower case, they are */
	SOUGHT_LOOKS
};

/* Bytes of a capture up to which a needle was looked for: none starts from FROM up to UPTO. */
struct sought_cursor {
	uint64_t from, upto;
	bool found; /* one starts at UPTO */
};

/* What is known of all texts of a form, of an id, of a format. */
enum sought_verdict {
	SOUGHT_NEVER,	 /* none has a needle */
	SOUGHT_IN_PLACE, /* one that has a needle has it among the message's bytes, too */
	SOUGHT_MAY,	 /* one may have a needle */
	SOUGHT_ALWAYS	 /* each has a needle */
};

/* What a decoder has found out about one of them, of which it is sure. */
enum { SOUGHT_NOTES = 2048, SOUGHT_KEY = 5 };
struct sought_note {
	uint64_t key[SOUGHT_KEY]; /* the decoder's own */
	bool used, fresh;	  /* fresh: nothing is noted yet */
	bool never;		  /* it cannot contain a needle */
	bool unnamed;		  /* as in struct expansion */
	uint8_t verdict;	  /* enum sought_verdict, where that is asked for */
	const void *found;	  /* what else is asked for */
};

/* Where needles were looked for in a capture. */
struct sought_looked {
	struct sought_cursor cursors[NEEDLES_MAX];
	uint64_t from, upto; /* none of them starts in between */
};

enum { SOUGHT_FORMS = 2048 };

struct sought {
	struct needles needles; /* at least one */
	struct sought_looked looked[SOUGHT_LOOKS];
	unsigned generation; /* of the capture that these are for */
	/* the needles side by side, each cut to what there is room for: by byte the places
	 * where it is, then all, where they begin and end, and those of the ends that are cut */
	uint64_t places[256], all, starts, ends, cuts;
	uint64_t letters[SOUGHT_LETTERS]; /* places where one of such bytes is */
	struct needles own; /* of each needle a byte, a rare one, that is none of these; none:
			       one needle has no such byte */
	struct needles hex; /* SOUGHT_AS_DIGITS: to the nibble; none: any bytes may be */
	bool in_hex;	    /* one can be */
	const void *basis;  /* what else the following rest on: the decoder's own */
	uint8_t forms[SOUGHT_FORMS]; /* the decoder's own, by form; 0: nothing yet */
	struct sought_note notes[SOUGHT_NOTES];
	uint8_t *room; /* of sought_room */
	size_t size;
};

/* What is said of a message, by `sift`.  As it begins: nothing is sure. */
struct sought_answer {
	bool text_lacks, type_lacks; /* such a text, as expand makes it, has no needle */
	bool text_has;		     /* it has one */
	bool unnamed;		     /* as in struct expansion */
	bool keyed; /* messages of the decoder that have the same key have the same type */
	uint64_t type_key;
	const char *text; /* it stands here, in the window or the room, as it is; or NULL */
	size_t text_length;
	/* where nothing is sought: messages of the decoder for which all of these are the same
	 * have the same text; `text_bytes` stand in the window.  NULL: nothing is sure */
	const uint8_t *text_bytes;
	size_t text_bytes_length;
	const void *text_from;
	uint16_t text_form;
};

/* SET is not empty; freed with sought_free. */
struct sought *sought_new(const struct needles *set);
void sought_free(struct sought *); /* NULL is fine */

/* SIZE bytes, zeroed, until the next call. */
uint8_t *sought_room(struct sought *, size_t size);

/* Forgets all that was found in a capture of another GENERATION. */
void sought_renew(struct sought *, unsigned generation);

/* Whether a needle starts in LENGTH bytes from OFFSET on, which the window has.  Who goes
 * forward reads each byte once. */
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

/* Whether bytes may be part of a text with a needle that is made of them and of SOUGHT_LETTERS:
 * they have a byte that such letters are not. */
bool sought_own_is_in(const struct sought *, const void *at, size_t length);

/* Whether a needle is in the hexadecimal digits, in lower case, of LENGTH bytes; true where
 * that is not sure. */
bool sought_is_in_hex(const struct sought *, const uint8_t *p, size_t length);

/* Whether a needle can be in PIECE, or in part in it and in part beside it. */
bool sought_joins(const struct sought *, const char *piece);

/* The same, but for what is before it: a text begins with PIECE. */
bool sought_joins_begin(const struct sought *, const char *piece);

/* The note under a key; a fresh one may have taken another's place.  The longer ones begin with
 * a word that is not 0. */
struct sought_note *sought_note(struct sought *, const uint64_t key[static 3]);
struct sought_note *sought_note_wide(struct sought *, const uint64_t key[static SOUGHT_KEY]);

/* Forgets forms and notes unless they rest on BASIS. */
void sought_rest_on(struct sought *, const void *basis);

/* A text made in pieces, one after the other, and whether a needle may be in it.  Begins
 * as {0}. */
struct sought_sieve {
	uint64_t open; /* needles so far, by the place of their last byte */
	bool found;
};

/* What comes next: bytes as they are; or any number, or none, of some letters. */
void sought_pass(const struct sought *, struct sought_sieve *, const void *at, size_t length);
void sought_pass_text(const struct sought *, struct sought_sieve *, const char *);
void sought_pass_any(const struct sought *, struct sought_sieve *, enum sought_letters);

/* Whether a needle may begin with such a letter, or what is open of one go on with it. */
static inline bool
sought_goes_on(const struct sought *s, const struct sought_sieve *sieve, enum sought_letters which)
{
	return (sieve->open << 1 | s->starts) & s->letters[which];
}

/* The same of bytes that stand side by side in the message as well: a needle that is all in
 * them is not found. */
void sought_pass_placed(const struct sought *, struct sought_sieve *, const void *at,
			size_t length);

/* The same of any such bytes; and of any byte, or none, that does not stand there. */
void sought_pass_unknown(const struct sought *, struct sought_sieve *);
void sought_pass_byte(const struct sought *, struct sought_sieve *);

#endif
