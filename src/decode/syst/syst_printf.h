/*
 * SyS-T printf: make text from a format and packed arguments.
 *
 * Arguments follow each other without padding, in the order of the format.  Their size depends on
 * the conversion and on the packing: 32-bit senders write long, size_t, ptrdiff_t and pointers as
 * 4 bytes, 64-bit senders as 8.  Strings are inline with their NUL [SyS-T 1.0, arguments, second
 * hand: library, systprint].
 */
#ifndef TRAWL_DECODE_SYST_PRINTF_H
#define TRAWL_DECODE_SYST_PRINTF_H

#include "base/arena.h"
#include "base/text.h"
#include "decode/pieces.h"

enum syst_packing { SYST_P32, SYST_P64 };

enum syst_arg_type { SYST_ARG_INT, SYST_ARG_UINT, SYST_ARG_NUMBER, SYST_ARG_TEXT };

struct syst_arg {
	enum syst_arg_type type;
	size_t at, length; /* position and size in the arguments, with a text's NUL */
	union {
		int64_t i;
		uint64_t u;
		double d;
		struct {
			const char *at; /* in the arguments */
			size_t length;	/* without the NUL */
		} s;
	};
	const char *spec; /* its conversion in the format, from % on */
	size_t spec_length;
	bool width; /* the argument is a width or precision, not a value */
	/* name of the argument, or "".  NULL: not searched.  Set for widths and in parsed formats;
	 * lives as long as the format */
	const char *name;
};

struct syst_arg_sink {
	void *context;
	void (*add)(void *context, const struct syst_arg *);
};

/* Limits on the output that a hostile format can request with few bytes. */
enum {
	SYST_PRINTF_WIDTH_MAX = 65536,	   /* larger widths and precisions are reduced to it */
	SYST_PRINTF_TEXT_MAX = 1024 * 1024 /* longer text is cut */
};

/* A parsed format, for repeated use: pieces, conversions, names of arguments. */
struct syst_format;

/* Parse a format into the arena.  TEXT must live as long.  Return NULL if it has too many
 * pieces. */
const struct syst_format *syst_format_new(struct arena *, const char *text, size_t length);

struct syst_args {
	const uint8_t *at;
	size_t length;
	enum syst_packing packing;
	bool nul_behind;		 /* a NUL follows the arguments, see nul_behind() */
	const struct syst_format *apart; /* their parsed format, or NULL */
};

struct syst_printf_result {
	size_t used; /* argument bytes used */
	bool faulty; /* the format is invalid, or the arguments end early */
	bool cut;    /* a limit was reached */
};

/*
 * Append the text to OUT and pass each argument to SINK (may be NULL).  FORMAT has FORMAT_LENGTH
 * bytes and needs no NUL.  After a fault, the reference printer's complaint follows the text made
 * so far.
 */
struct syst_printf_result syst_printf(struct text *out, const char *format, size_t format_length,
				      const struct syst_args *, const struct syst_arg_sink *sink);

/* Append the reference printer's text for a fault: some of its complaints replace the text before
 * them. */
void syst_printf_strictly(struct text *out, const char *format, size_t format_length,
			  const struct syst_args *);

/* Get the size of the arguments without making text.  Return false if the format is invalid or the
 * arguments end early. */
bool syst_printf_size(const char *format, size_t format_length, const struct syst_args *,
		      size_t *size);

/* True if the text certainly contains no needle and has no fault.  Makes no text. */
bool syst_printf_lacks(const struct needles *, const char *format, size_t format_length,
		       const struct syst_args *);

/* True if syst_printf() would find no fault.  Makes no text. */
bool syst_printf_fits(const char *format, size_t format_length, const struct syst_args *);

#endif
