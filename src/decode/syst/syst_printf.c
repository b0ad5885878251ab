/*
 * SyS-T printf, see syst_printf.h.
 *
 * The format comes from a capture, so it never reaches the C library.  Each conversion is parsed,
 * its argument is read by the packing's rules, and a conversion made here (flags, `*.*`, `ll`, one
 * letter) formats it.  Widths and precisions are limited, and so is the work for one message: a
 * few bytes can request gigabytes of blanks.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/argument.h"
#include "decode/syst/syst_printf.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
	DIGITS_MAX = 24, /* 64 bits are 22 octal digits */
	STEPS_MAX = 64,	 /* steps of a parsed format */
	REBUILT_MAX = 16,
	UTF8_MAX = 4
};

enum modifier {
	MODIFIER_NONE,
	MODIFIER_HH,
	MODIFIER_H,
	MODIFIER_L,
	MODIFIER_LL,
	MODIFIER_J,
	MODIFIER_Z,
	MODIFIER_T,
	MODIFIER_LONG_DOUBLE
};

/* [C99, fprintf]; longer names first: `hh` before `h`. */
static const struct {
	const char *name;
	enum modifier modifier;
} modifiers[] = {
    {"hh", MODIFIER_HH}, {"h", MODIFIER_H}, {"ll", MODIFIER_LL}, {"l", MODIFIER_L},
    {"j", MODIFIER_J},	 {"z", MODIFIER_Z}, {"t", MODIFIER_T},	 {"L", MODIFIER_LONG_DOUBLE},
};

/* Size of an integer on the wire, and of its value, as the library writes them [SyS-T 1.0,
 * arguments, second hand: library].  The reference printer reads 4 bytes for t where the library
 * writes 8. */
static const struct {
	uint8_t wire[2]; /* by packing */
	uint8_t value[2];
} integers[] = {
    [MODIFIER_NONE] = {{4, 4}, {4, 4}},	       [MODIFIER_HH] = {{4, 4}, {1, 1}},
    [MODIFIER_H] = {{4, 4}, {2, 2}},	       [MODIFIER_L] = {{4, 8}, {4, 8}},
    [MODIFIER_LL] = {{8, 8}, {8, 8}},	       [MODIFIER_J] = {{8, 8}, {8, 8}},
    [MODIFIER_Z] = {{4, 8}, {4, 8}},	       [MODIFIER_T] = {{4, 8}, {4, 8}},
    [MODIFIER_LONG_DOUBLE] = {{4, 4}, {4, 4}}, /* the library ignores L for integers */
};

/* [C99, fprintf]; bit numbers in `flags`. */
enum { FLAG_LEFT, FLAG_SIGN, FLAG_BLANK, FLAG_FORM, FLAG_ZERO, FLAG_COUNT };
static const char flag_letters[FLAG_COUNT + 1] = "-+ #0";

struct spec {
	const char *at; /* the % */
	size_t length;
	unsigned flags;
	bool width_given, precision_given; /* given as an argument */
	int width, precision;		   /* precision -1: none */
	enum modifier modifier;
	char letter;
	bool adapts;	  /* width or precision is an argument, or too large */
	const char *name; /* name of the argument, or ""; NULL: not searched */
};

/* Piece of a format: literal bytes, then an optional conversion. */
struct format_step {
	enum { STEP_BYTES, STEP_CONVERSION, STEP_INVALID } kind;
	const char *bytes;
	size_t length;
	struct spec spec;
};

struct syst_format {
	size_t count;
	struct format_step steps[];
};

enum outcome { DONE, INVALID, MISSING, UNTERMINATED, TOO_MUCH };

struct syst_printf_job {
	struct text *out; /* NULL: sizes only */
	const struct syst_args *args;
	size_t used;			  /* argument bytes used */
	const struct syst_arg_sink *sink; /* or NULL */
	struct syst_arg arg;		  /* argument for the sink; value and width are set first */
	size_t work;			  /* characters made or requested */
	bool cut;
};

/* --- parsing a conversion ---------------------------------------------- */

static bool
has_flag(const struct spec *spec, unsigned flag)
{
	return spec->flags >> flag & 1;
}

static const char *
parse_number(const char *p, const char *end, int *number)
{
	*number = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (*number <= INT_MAX / 10 - 1)
			*number = *number * 10 + (*p - '0');
	return p;
}

/* Return the bit of a flag letter, or 0. */
static unsigned
flag_of(char c)
{
	const char *letter = c >= ' ' && c <= '0' ? memchr(flag_letters, c, FLAG_COUNT) : NULL;
	return letter ? 1u << (letter - flag_letters) : 0;
}

#define LETTER(c) 1ull << ((c) - 'A')
static const uint64_t conversion_letters =
    LETTER('d') | LETTER('i') | LETTER('o') | LETTER('u') | LETTER('x') | LETTER('X') |
    LETTER('c') | LETTER('f') | LETTER('F') | LETTER('e') | LETTER('E') | LETTER('g') |
    LETTER('G') | LETTER('a') | LETTER('A') | LETTER('p') | LETTER('n') | LETTER('s');
#undef LETTER

static bool
is_conversion(char c)
{
	return c >= 'A' && c <= 'x' && conversion_letters >> (c - 'A') & 1;
}

static const char *
parse_modifier(const char *p, const char *end, enum modifier *modifier)
{
	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
		const char *name = modifiers[i].name;
		if (*p != *name || (name[1] && (end - p < 2 || p[1] != name[1])))
			continue;
		*modifier = modifiers[i].modifier;
		return p + (name[1] ? 2 : 1);
	}
	return p;
}

/* Parse the conversion that starts at the % at P [C99, fprintf].  Return false if it is invalid. */
static bool
parse_spec(const char *p, const char *end, struct spec *spec)
{
	*spec = (struct spec){.at = p++, .precision = -1};
	if (p < end && !is_conversion(*p)) { /* most are only a letter */
		for (unsigned flag; p < end && (flag = flag_of(*p)); p++)
			spec->flags |= flag;
		spec->width_given = p < end && *p == '*';
		p = spec->width_given ? p + 1 : parse_number(p, end, &spec->width);
		if (p < end && *p == '.') {
			p++;
			spec->precision_given = p < end && *p == '*';
			p = spec->precision_given ? p + 1 : parse_number(p, end, &spec->precision);
		}
		if (p < end && !is_conversion(*p))
			p = parse_modifier(p, end, &spec->modifier);
	}
	if (p == end || !is_conversion(*p))
		return false;
	spec->letter = *p++;
	spec->length = (size_t)(p - spec->at);
	spec->adapts = spec->width_given || spec->precision_given ||
		       spec->width > SYST_PRINTF_WIDTH_MAX ||
		       spec->precision > SYST_PRINTF_WIDTH_MAX;
	return true;
}

/* Parse the step that starts at P.  Return the start of the next one. */
static const char *
parse_step(const char *p, const char *end, struct format_step *step)
{
	const char *percent = memchr(p, '%', (size_t)(end - p));
	const char *stop = percent ? percent : end;
	step->kind = STEP_BYTES;
	step->bytes = p;
	step->length = (size_t)(stop - p);
	if (stop == end)
		return end;
	if (end - stop >= 2 && stop[1] == '%') {
		step->length++;
		return stop + 2;
	}
	step->kind = parse_spec(stop, end, &step->spec) ? STEP_CONVERSION : STEP_INVALID;
	return step->kind == STEP_CONVERSION ? stop + step->spec.length : end;
}

/* --- arguments --------------------------------------------------------- */

/* Take an argument of 4 or 8 bytes. */
static inline bool
syst_printf_take(struct syst_printf_job *job, size_t size, uint64_t *value)
{
	if (job->args->length - job->used < size)
		return false;
	const uint8_t *at = job->args->at + job->used;
	*value = size == 4 ? bytes_le32(at) : bytes_le64(at);
	job->used += size;
	return true;
}

static int64_t
sign_extend(uint64_t value, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;
	return (int64_t)(value << unused) >> unused;
}

/* Pass the argument that was just taken to the sink. */
static void
syst_printf_report_argument(struct syst_printf_job *job, const struct spec *spec,
			    enum syst_arg_type type, size_t length)
{
	struct syst_arg *arg = &job->arg;
	if (!job->sink)
		return;
	arg->type = type;
	arg->at = job->used - length;
	arg->length = length;
	arg->name = arg->width ? "" : spec->name;
	arg->spec = spec->at;
	arg->spec_length = spec->length;
	job->sink->add(job->sink->context, arg);
}

/* Take a width or precision from the arguments: 4 bytes, just before the value [SyS-T 1.0,
 * arguments, second hand: library, systprint]. */
static bool
take_star(struct syst_printf_job *job, const struct spec *spec, int *number)
{
	uint64_t value;
	if (!syst_printf_take(job, 4, &value))
		return false;
	*number = (int32_t)(uint32_t)value;
	job->arg.i = *number;
	job->arg.width = true;
	syst_printf_report_argument(job, spec, SYST_ARG_INT, 4);
	job->arg.width = false;
	return true;
}

static void
syst_printf_limit(struct syst_printf_job *job, int *number)
{
	if (*number > SYST_PRINTF_WIDTH_MAX) {
		*number = SYST_PRINTF_WIDTH_MAX;
		job->cut = true;
	}
	if (*number > 0)
		job->work += (size_t)*number;
}

static bool
complete_spec(struct syst_printf_job *job, struct spec *spec)
{
	if (spec->width_given && !take_star(job, spec, &spec->width))
		return false;
	if (spec->precision_given && !take_star(job, spec, &spec->precision))
		return false;
	if (spec->width < 0) {
		spec->flags |= 1u << FLAG_LEFT;
		spec->width = spec->width == INT_MIN ? INT_MAX : -spec->width;
	}
	syst_printf_limit(job, &spec->width);
	syst_printf_limit(job, &spec->precision);
	return true;
}

/* --- making text ------------------------------------------------------- */

static void
syst_printf_add(struct syst_printf_job *job, const char *text, size_t length)
{
	job->work += length;
	if (job->out)
		text_add_bytes(job->out, text, length);
}

static void
add_blanks(struct syst_printf_job *job, size_t count)
{
	if (count && job->out)
		text_add_fill(job->out, ' ', count);
}

static void
add_padded(struct syst_printf_job *job, const struct spec *spec, const char *text, size_t length)
{
	size_t width = (size_t)spec->width;
	size_t blanks = width > length ? width - length : 0;
	if (!has_flag(spec, FLAG_LEFT))
		add_blanks(job, blanks);
	syst_printf_add(job, text, length);
	if (has_flag(spec, FLAG_LEFT))
		add_blanks(job, blanks);
}

/* A number in writing: a sign or `0x`, zeros, digits. */
struct digits {
	const char *at;
	size_t length, zeros;
	char prefix[2];
	size_t prefix_length;
};

/* Write C COUNT times, usually none.  Return the end. */
static inline char *
put_fill(char *at, char c, size_t count)
{
	if (count)
		memset(at, c, count);
	return at + count;
}

/* Append a number, padded to the width: with zeros if it FILLS. */
static void
put_digits(struct text *out, const struct spec *spec, struct digits d, bool fills)
{
	size_t size = d.prefix_length + d.zeros + d.length, width = (size_t)spec->width;
	size_t left = width > size ? width - size : 0, blanks = fills ? 0 : left;
	size_t before = has_flag(spec, FLAG_LEFT) ? 0 : blanks;
	d.zeros += left - blanks;
	text_reserve(out, size + left + sizeof d.prefix);
	char *at = put_fill(out->data + out->length, ' ', before);
	memcpy(at, d.prefix, sizeof d.prefix);
	at = put_fill(at + d.prefix_length, '0', d.zeros);
	memcpy(at, d.at, d.length);
	put_fill(at + d.length, ' ', blanks - before);
	out->length += size + left;
	out->data[out->length] = '\0';
}

static void
put_sign(struct digits *d, const struct spec *spec, bool negative)
{
	d->prefix[0] = negative ? '-' : has_flag(spec, FLAG_SIGN) ? '+' : ' ';
	d->prefix_length = negative || has_flag(spec, FLAG_SIGN) || has_flag(spec, FLAG_BLANK);
}

static bool
is_signed(const struct spec *spec)
{
	return spec->letter == 'd' || spec->letter == 'i';
}

/* Write the digits of VALUE before END, BITS bits each.  Return their start. */
static const char *
put_bits(uint64_t value, unsigned bits, const char *letters, char *end)
{
	for (; value; value >>= bits)
		*--end = letters[value & ((1u << bits) - 1)];
	return end;
}

/* Return the digits of a value, none for 0. */
static struct digits
digits_of(const struct spec *spec, uint64_t value, char buffer[static DIGITS_MAX])
{
	char *end = buffer + DIGITS_MAX;
	struct digits d = {.at = buffer};
	if (spec->letter == 'x')
		d.at = put_bits(value, 4, "0123456789abcdef", end);
	else if (spec->letter == 'X')
		d.at = put_bits(value, 4, "0123456789ABCDEF", end);
	else if (spec->letter == 'o')
		d.at = put_bits(value, 3, "01234567", end);
	else
		end = value ? text_put_uint(buffer, value) : buffer;
	d.length = (size_t)(end - d.at);
	return d;
}

/* Append an integer as the C library does [C99, fprintf]. */
static void
put_integer(struct text *out, const struct spec *spec, uint64_t value)
{
	char buffer[DIGITS_MAX];
	bool negative = is_signed(spec) && value >> 63;
	struct digits d = digits_of(spec, negative ? -value : value, buffer);
	size_t least = spec->precision < 0 ? 1 : (size_t)spec->precision;
	if (is_signed(spec))
		put_sign(&d, spec, negative);
	if (has_flag(spec, FLAG_FORM) && spec->letter == 'o' && least <= d.length)
		least = d.length + 1;
	if (has_flag(spec, FLAG_FORM) && (spec->letter | 0x20) == 'x' && value) {
		memcpy(d.prefix, (char[]){'0', spec->letter}, 2);
		d.prefix_length = 2;
	}
	d.zeros = least > d.length ? least - d.length : 0;
	put_digits(out, spec, d,
		   has_flag(spec, FLAG_ZERO) && !has_flag(spec, FLAG_LEFT) && spec->precision < 0);
}

/* Make the conversion for the C library, with width and precision as arguments: `%-0*.*a`.  Only
 * known letters and flags get into it. */
static const char *
rebuild_spec(const struct spec *spec, char buffer[static REBUILT_MAX])
{
	char *at = buffer;
	*at++ = '%';
	for (unsigned flag = 0; flag < FLAG_COUNT; flag++)
		if (has_flag(spec, flag))
			*at++ = flag_letters[flag];
	memcpy(at, (char[]){'*', '.', '*', spec->letter, '\0'}, 5);
	return buffer;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* made by rebuild_spec() */

static void
add_number(struct syst_printf_job *job, const struct spec *spec, double value)
{
	char format[REBUILT_MAX];
	if (job->out)
		text_addf(job->out, rebuild_spec(spec, format), spec->width, spec->precision,
			  value);
}

#pragma GCC diagnostic pop

/* --- conversions ------------------------------------------------------- */

static enum outcome
convert_signed(struct syst_printf_job *job, const struct spec *spec)
{
	unsigned wire = integers[spec->modifier].wire[job->args->packing];
	unsigned bytes = integers[spec->modifier].value[job->args->packing];
	uint64_t value;
	if (!syst_printf_take(job, wire, &value))
		return MISSING;
	job->arg.i = sign_extend(value, bytes);
	if (job->out)
		put_integer(job->out, spec, job->arg.u);
	syst_printf_report_argument(job, spec, SYST_ARG_INT, wire);
	return DONE;
}

static enum outcome
convert_unsigned(struct syst_printf_job *job, const struct spec *spec)
{
	unsigned wire = integers[spec->modifier].wire[job->args->packing];
	unsigned bytes = integers[spec->modifier].value[job->args->packing];
	uint64_t value;
	if (!syst_printf_take(job, wire, &value))
		return MISSING;
	job->arg.u = value & UINT64_MAX >> (64 - 8 * bytes);
	if (job->out)
		put_integer(job->out, spec, job->arg.u);
	syst_printf_report_argument(job, spec, SYST_ARG_UINT, wire);
	return DONE;
}

static enum outcome
convert_char(struct syst_printf_job *job, const struct spec *spec)
{
	uint64_t value;
	char utf8[UTF8_MAX] = {0};
	if (!syst_printf_take(job, 4, &value))
		return MISSING;
	job->arg.i = (int32_t)(uint32_t)value;
	syst_printf_report_argument(job, spec, SYST_ARG_INT, 4);
	uint32_t code = (uint32_t)value;
	size_t length = 1;
	if (spec->modifier != MODIFIER_L)
		utf8[0] = (char)code;
	else if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		length = 0; /* no such character */
	else
		length = text_encode(code, utf8);
	if (length == 1 && !utf8[0]) { /* a NUL ends its fragment */
		if (!has_flag(spec, FLAG_LEFT) && spec->width > 0)
			add_blanks(job, (size_t)spec->width - 1);
		return DONE;
	}
	add_padded(job, spec, utf8, length);
	return DONE;
}

static enum outcome
convert_number(struct syst_printf_job *job, const struct spec *spec)
{
	uint64_t bits;
	if (!syst_printf_take(job, sizeof bits, &bits))
		return MISSING;
	memcpy(&job->arg.d, &bits, sizeof bits);
	add_number(job, spec, job->arg.d);
	syst_printf_report_argument(job, spec, SYST_ARG_NUMBER, sizeof bits);
	return DONE;
}

static enum outcome
convert_pointer(struct syst_printf_job *job, const struct spec *spec)
{
	size_t wire = job->args->packing == SYST_P64 ? 8 : 4;
	uint64_t value;
	if (!syst_printf_take(job, wire, &value))
		return MISSING;
	job->arg.u = value;
	syst_printf_report_argument(job, spec, SYST_ARG_UINT, wire);
	if (spec->letter == 'n')
		return DONE;
	if (!value) { /* as in the printer's C library */
		add_padded(job, spec, "(nil)", 5);
		return DONE;
	}
	struct spec hex = *spec;
	hex.letter = 'x';
	hex.flags |= 1u << FLAG_FORM;
	if (job->out)
		put_integer(job->out, &hex, value);
	return DONE;
}

static enum outcome
convert_string(struct syst_printf_job *job, const struct spec *spec)
{
	const char *at = (const char *)job->args->at + job->used;
	size_t left = job->args->length - job->used;
	const char *nul = left ? memchr(at, 0, left) : NULL;
	size_t length = nul ? (size_t)(nul - at) : left;
	job->used += length + (nul != NULL);
	job->arg.s.at = at;
	job->arg.s.length = length;
	syst_printf_report_argument(job, spec, SYST_ARG_TEXT, length + (nul != NULL));
	if (spec->precision >= 0 && length > (size_t)spec->precision)
		length = (size_t)spec->precision;
	add_padded(job, spec, at, length);
	if (nul)
		return DONE;
	return job->args->nul_behind ? MISSING : UNTERMINATED; /* that NUL is no argument byte */
}

/* Indexed by letter, from A on, for the letters of is_conversion(). */
static enum outcome (*const converters[])(struct syst_printf_job *, const struct spec *) = {
#define CONVERTER(letter, how) [(letter) - 'A'] = convert_##how
    CONVERTER('d', signed),   CONVERTER('i', signed),	CONVERTER('o', unsigned),
    CONVERTER('u', unsigned), CONVERTER('x', unsigned), CONVERTER('X', unsigned),
    CONVERTER('c', char),     CONVERTER('s', string),	CONVERTER('p', pointer),
    CONVERTER('n', pointer),  CONVERTER('f', number),	CONVERTER('F', number),
    CONVERTER('e', number),   CONVERTER('E', number),	CONVERTER('g', number),
    CONVERTER('G', number),   CONVERTER('a', number),	CONVERTER('A', number),
#undef CONVERTER
};

static enum outcome
convert_argument(struct syst_printf_job *job, const struct spec *spec)
{
	if (job->work > SYST_PRINTF_TEXT_MAX)
		return TOO_MUCH;
	return converters[spec->letter - 'A'](job, spec);
}

static enum outcome
syst_printf_convert(struct syst_printf_job *job, const struct spec *spec)
{
	if (spec->adapts) {
		struct spec own = *spec;
		return complete_spec(job, &own) ? convert_argument(job, &own) : MISSING;
	}
	job->work += (size_t)spec->width + (size_t)(spec->precision > 0 ? spec->precision : 0);
	return convert_argument(job, spec);
}

static enum outcome
run_step(struct syst_printf_job *job, const struct format_step *step)
{
	syst_printf_add(job, step->bytes, step->length);
	if (step->kind == STEP_CONVERSION)
		return syst_printf_convert(job, &step->spec);
	return step->kind == STEP_BYTES ? DONE : INVALID;
}

static enum outcome
syst_printf_run(struct syst_printf_job *job, const char *format, size_t length)
{
	const char *p = format, *end = format + length;
	const struct syst_format *apart = job->args->apart;
	enum outcome outcome = DONE;
	for (size_t i = 0; apart && i < apart->count && outcome == DONE; i++)
		outcome = run_step(job, &apart->steps[i]);
	while (!apart && p < end && outcome == DONE) {
		struct format_step step;
		p = parse_step(p, end, &step);
		outcome = run_step(job, &step);
	}
	return outcome;
}

static bool
is_valid(const char *format, size_t length)
{
	const char *p = format, *end = format + length;
	struct format_step step = {.kind = STEP_BYTES};
	while (p < end && step.kind != STEP_INVALID)
		p = parse_step(p, end, &step);
	return step.kind != STEP_INVALID;
}

static const char missing[] = "- insufficient argument bytes for format '";
static const char invalid[] = "invalid format string '", cut[] = " - text cut";
static const char unended[] = " - corrupt printf payload, missing argument string termination";

/* Append a complaint of the reference printer, word for word [SyS-T 1.0, second hand: systprint].
 * Only the notice of cut text is this program's. */
static void
syst_printf_explain(struct text *out, enum outcome outcome, const char *format, size_t length)
{
	switch (outcome) {
	case DONE:
		return;
	case INVALID:
		text_add(out, invalid);
		break;
	case MISSING:
		text_add(out, missing);
		break;
	case UNTERMINATED:
		text_add(out, unended);
		return;
	case TOO_MUCH:
		text_add(out, cut);
		return;
	}
	text_add_bytes(out, format, length);
	text_add_char(out, '\'');
}

/* True if the message has no fault.  Cut text is none. */
static bool
is_sound(enum outcome outcome)
{
	return outcome == DONE || outcome == TOO_MUCH;
}

struct syst_printf_result
syst_printf(struct text *out, const char *format, size_t format_length,
	    const struct syst_args *args, const struct syst_arg_sink *sink)
{
	struct syst_printf_job job = {.out = out, .args = args, .sink = sink};
	size_t start = out->length;
	enum outcome outcome = syst_printf_run(&job, format, format_length);
	if (outcome == INVALID && out->length > start)
		text_add(out, " - ");
	syst_printf_explain(out, outcome, format, format_length);
	return (struct syst_printf_result){
	    .used = job.used,
	    .faulty = !is_sound(outcome),
	    .cut = job.cut || outcome == TOO_MUCH,
	};
}

void
syst_printf_strictly(struct text *out, const char *format, size_t format_length,
		     const struct syst_args *args)
{
	struct syst_printf_job job = {.out = out, .args = args};
	size_t start = out->length;
	/* the printer parses the whole format before it reads an argument */
	enum outcome outcome = is_valid(format, format_length)
				   ? syst_printf_run(&job, format, format_length)
				   : INVALID;
	if (outcome == UNTERMINATED)
		text_cut(out, start);
	syst_printf_explain(out, outcome, format, format_length);
}

bool
syst_printf_size(const char *format, size_t format_length, const struct syst_args *args,
		 size_t *size)
{
	struct syst_printf_job job = {.args = args};
	if (syst_printf_run(&job, format, format_length) != DONE)
		return false;
	*size = job.used;
	return true;
}

/* --- parsed formats ---------------------------------------------------------- */

static bool
is_named_before(const struct syst_format *format, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const struct format_step *step = &format->steps[i];
		if (step->kind == STEP_CONVERSION && !strcmp(step->spec.name, name))
			return true;
	}
	return false;
}

/* Name the arguments by the rules of argument.h. */
static void
name_arguments(struct syst_format *format, const char *text, struct arena *arena)
{
	size_t number = 0, length;
	for (size_t i = 0; i < format->count; i++) {
		struct spec *spec = &format->steps[i].spec;
		if (format->steps[i].kind != STEP_CONVERSION)
			continue;
		const char *name = argument_find_name(text, spec->at, &length);
		number += 1u + spec->width_given + spec->precision_given;
		text = spec->at + spec->length;
		spec->name = "";
		if (!length || number > ARGUMENT_NAMES_MAX)
			continue;
		name = arena_text(arena, name, length);
		if (!is_named_before(format, i, name))
			spec->name = name;
	}
}

const struct syst_format *
syst_format_new(struct arena *arena, const char *text, size_t length)
{
	const char *p = text, *end = text + length;
	struct format_step steps[STEPS_MAX];
	size_t count = 0;
	while (p < end && count < STEPS_MAX)
		p = parse_step(p, end, &steps[count++]);
	if (p < end)
		return NULL;
	struct syst_format *format = arena_alloc(arena, sizeof *format + count * sizeof *steps);
	format->count = count;
	memcpy(format->steps, steps, count * sizeof *steps);
	name_arguments(format, text, arena);
	return format;
}

bool
syst_printf_fits(const char *format, size_t format_length, const struct syst_args *args)
{
	struct syst_printf_job job = {.args = args};
	return is_sound(syst_printf_run(&job, format, format_length));
}

/* --- search ---------------------------------------------------------------- */

/* Add the texts of a conversion. */
static void
add_conversion(struct text_pieces *pieces, const struct spec *spec)
{
	switch (spec->letter) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
		pieces_add_letters(pieces, "0123456789+- ");
		break;
	case 'x':
	case 'X':
		pieces_add_letters(pieces, "0123456789abcdefABCDEFxX+- ");
		break;
	case 's':
		pieces_add_letters(pieces, " ");
		pieces_add_unknown(pieces);
		pieces_add_letters(pieces, " ");
		break;
	case 'n':
		break;
	case 'c':
		pieces_add_letters(pieces, " ");
		pieces_add_any(pieces);
		pieces_add_letters(pieces, " ");
		break;
	default: /* floating point and pointers: inf, nan, (nil) */
		pieces_add_letters(pieces, "0123456789abcdefABCDEFxXpP+-., nifNIF(l)");
	}
}

bool
syst_printf_lacks(const struct needles *needles, const char *format, size_t format_length,
		  const struct syst_args *args)
{
	struct text_pieces pieces = {.needles = needles};
	const char *p = format, *end = format + format_length;
	bool texts = false; /* the arguments contain texts */
	while (p < end) {
		struct format_step step;
		p = parse_step(p, end, &step);
		pieces_add(&pieces, step.bytes, step.length);
		if (step.kind == STEP_BYTES)
			continue;
		if (step.kind == STEP_INVALID)
			return false;
		add_conversion(&pieces, &step.spec);
		texts |= step.spec.letter == 's';
	}
	if (pieces.found || (texts && needles_are_in(needles, args->at, args->length)))
		return false;
	struct syst_printf_job job = {.args = args}; /* a fault adds words to the text */
	return syst_printf_run(&job, format, format_length) == DONE;
}
