/*
 * SyS-T printf: a format and packed arguments become text.
 *
 * Arguments lie one after the other without padding, in the order of the
 * format.  Their size depends on the conversion and on the packing: 32-bit
 * senders write long, size_t, ptrdiff_t and pointers as 4 bytes, 64-bit
 * senders as 8.  Strings stand in line with their NUL [SyS-T 1.0, arguments, second
 * hand: library, systprint].
 */
#ifndef TRAWL_DECODE_SYST_PRINTF_H
#define TRAWL_DECODE_SYST_PRINTF_H

#include "base/arena.h"
#include "base/text.h"
#include "decode/sought.h"

enum syst_packing { SYST_P32, SYST_P64 };

enum syst_arg_type { SYST_ARG_INT, SYST_ARG_UINT, SYST_ARG_NUMBER, SYST_ARG_TEXT };

struct syst_arg {
	enum syst_arg_type type;
	size_t at, length; /* bytes of it among the arguments, with a text's NUL */
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
	bool width; /* the width or precision of that conversion, not its value */
	/* in a format that was taken apart, or of a width: the argument's name, which lives
	 * with the format; "": none.  NULL: not looked for */
	const char *name;
};

struct syst_arg_sink {
	void *context;
	void (*add)(void *context, const struct syst_arg *);
};

/* Limits on what a hostile format can make of few bytes. */
enum {
	SYST_PRINTF_WIDTH_MAX = 65536,	   /* wider fields and precisions are cut to it */
	SYST_PRINTF_TEXT_MAX = 1024 * 1024 /* longer text ends */
};

/* A format that is used many times, taken apart: pieces, conversions, names of arguments. */
struct syst_format;

/* In the arena; TEXT lives as long.  NULL: it has too many pieces to be kept. */
const struct syst_format *syst_format_new(struct arena *, const char *text, size_t length);

struct syst_args {
	const uint8_t *at;
	size_t length;
	enum syst_packing packing;
	bool nul_behind;		 /* an unterminated string counts as ended by its NUL */
	const struct syst_format *apart; /* the format that they are for; or NULL */
};

struct syst_printf_result {
	size_t used; /* bytes of the arguments */
	bool faulty; /* the format is invalid, or the arguments end early */
	bool cut;    /* a limit was reached */
};

/*
 * Appends the text to OUT and hands each argument to SINK (may be NULL).
 * FORMAT has LENGTH bytes and needs no NUL.  The reference printer's words for
 * what is wrong follow what could be made before.
 */
struct syst_printf_result syst_printf(struct text *out, const char *format, size_t format_length,
				      const struct syst_args *, const struct syst_arg_sink *sink);

/* Appends what the reference printer makes of the same where something is wrong:
 * some of its complaints replace the text before them. */
void syst_printf_strictly(struct text *out, const char *format, size_t format_length,
			  const struct syst_args *);

/* How many bytes the arguments take, without making text; false if the format
 * is invalid or the arguments end early. */
bool syst_printf_size(const char *format, size_t format_length, const struct syst_args *,
		      size_t *size);

/* Whether it is sure that the text would have no needle, without making it. */
bool syst_printf_lacks(struct sought *, const char *format, size_t format_length,
		       const struct syst_args *);

/* What is sure of all texts of a format that does not stand in messages, whatever the
 * arguments: of these, texts do. */
enum sought_verdict syst_format_judge(const struct sought *, const char *format,
				      size_t format_length);

/* Whether the same of one that does is SOUGHT_IN_PLACE, where complaints lack what is sought. */
bool syst_printf_in_place(const struct sought *, const char *format, size_t format_length);

/* Whether no needle is in what syst_printf says of a format, nor goes on from there. */
bool syst_complaints_lack(const struct sought *);

/* Whether syst_printf would find no fault, without making text. */
bool syst_printf_fits(const char *format, size_t format_length, const struct syst_args *);

#endif
