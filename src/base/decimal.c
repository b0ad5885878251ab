/*
 * Decimal digits of doubles: see decimal.h.
 *
 * A double is a 53-bit integer times a power of two.  Measured values have a moderate power.  For
 * these the whole part fits into 64 bits, and the fraction is exact in 128 bits.  The whole part
 * of the fraction times 10^9 is the next nine digits.  Every digit is therefore exact, and the
 * digits after the last wanted one decide the rounding.  A tie rounds to the even digit.
 */
#include "config.h"

#include "base/decimal.h"

enum {
	BLOCK = 9,	    /* digits of one step */
	FRACTION_BITS = 98, /* a fraction of 98 bits times 10^9 fits into 128 */
	WHOLE_SHIFT = 11,   /* 53 bits shifted by 11 fit into 64 */
	MANTISSA_BITS = 52,
	EXPONENT_BIAS = 1075,					 /* of the 53-bit integer */
	DIGITS = 1 + 20 + 15 + DECIMAL_PRECISION_MAX + 2 * BLOCK /* leading zeros: 2^-46 has 13 */
};

typedef unsigned __int128 uint128;
_Static_assert(FRACTION_BITS + 30 <= 128, "10^9 has 30 bits");

struct decimal {
	char at[DIGITS]; /* at[0] is room for a carry */
	size_t count, point;
	size_t first; /* first digit that is not zero */
	uint128 rest; /* the fraction that follows, times 2^scale */
	unsigned scale;
};

/* Write the digits before the point.  Return false if VALUE is too large or too small for
 * integers. */
static bool
begin_digits(struct decimal *d, double value)
{
	uint64_t bits, whole;
	memcpy(&bits, &value, sizeof bits);
	int power = (int)(bits >> MANTISSA_BITS & 0x7ff) - EXPONENT_BIAS;
	uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
	bool zero = !(bits << 1);
	if (!zero && (power > WHOLE_SHIFT || power < -FRACTION_BITS))
		return false;
	mantissa |= UINT64_C(1) << MANTISSA_BITS;
	d->scale = zero || power > 0 ? 0 : (unsigned)-power;
	d->rest = zero ? 0 : mantissa & (((uint128)1 << d->scale) - 1);
	if (zero)
		whole = 0;
	else if (power > 0)
		whole = mantissa << power;
	else
		whole = d->scale < 64 ? mantissa >> d->scale : 0;
	d->at[0] = '0';
	d->point = d->count = (size_t)(text_put_uint(d->at + 1, whole) - d->at);
	d->first = whole ? 1 : d->point;
	return true;
}

/* Append the next block of digits, zeros if the rest is zero. */
static void
add_block(struct decimal *d)
{
	d->rest *= 1000000000;
	uint32_t block = (uint32_t)(d->rest >> d->scale);
	bool begun = d->first < d->count;
	d->rest &= ((uint128)1 << d->scale) - 1;
	d->at[d->count] = (char)('0' + block / 100000000);
	text_put_eight(&d->at[d->count + 1], block % 100000000);
	d->count += BLOCK;
	while (!begun && d->first < d->count && d->at[d->first] == '0')
		d->first++;
}

/* True if the digits from END on round the digit before END up. */
static bool
rounds_up(const struct decimal *d, size_t end)
{
	if (d->at[end] != '5')
		return d->at[end] > '5';
	for (size_t i = end + 1; i < d->count; i++)
		if (d->at[i] != '0')
			return true;
	return d->rest || (d->at[end - 1] - '0') % 2;
}

/* Round to END digits. */
static void
round_to(struct decimal *d, size_t end)
{
	while (d->count <= end)
		add_block(d);
	bool up = rounds_up(d, end);
	d->count = end;
	for (size_t i = end; up; i--) {
		up = d->at[i - 1] == '9';
		d->at[i - 1] = up ? '0' : (char)(d->at[i - 1] + 1);
		if (!up && i - 1 < d->first)
			d->first = i - 1;
	}
}

/* Round to DIGITS digits, from the first one that is not zero.  For zero, count from the digit
 * before the point. */
static void
round_significant(struct decimal *d, size_t digits)
{
	while (d->first == d->count && d->rest)
		add_block(d);
	if (d->first == d->count)
		d->first = d->point - 1;
	size_t first = d->first;
	round_to(d, first + digits);
	if (d->first < first)
		d->count--;
}

static size_t
put_fixed(const struct decimal *d, char *out)
{
	size_t from = d->first < d->point ? d->first : d->point - 1, whole = d->point - from;
	size_t more = d->count > d->point ? d->count - d->point : 0;
	memcpy(out, d->at + from, whole);
	if (!more)
		return whole;
	out[whole] = '.';
	memcpy(out + whole + 1, d->at + d->point, more);
	return whole + 1 + more;
}

static size_t
put_exponent(const struct decimal *d, char e, char *out)
{
	char *at = out;
	bool small = d->first >= d->point;
	size_t exponent = small ? d->first + 1 - d->point : d->point - 1 - d->first;
	size_t more = d->count - d->first - 1;
	*at++ = d->at[d->first];
	if (more)
		*at++ = '.';
	memcpy(at, d->at + d->first + 1, more);
	at += more;
	*at++ = e;
	*at++ = small ? '-' : '+';
	*at++ = (char)('0' + exponent / 10);
	*at++ = (char)('0' + exponent % 10);
	return (size_t)(at - out);
}

/* Write `g`: without trailing zeros, with an exponent if the point is far away. */
static size_t
put_general(struct decimal *d, size_t digits, char e, char *out)
{
	round_significant(d, digits);
	bool fixed = d->first < d->point + 4 && d->point <= d->first + digits;
	size_t least = fixed && d->first < d->point ? d->point : d->first + 1;
	while (d->count > least && d->at[d->count - 1] == '0')
		d->count--;
	return fixed ? put_fixed(d, out) : put_exponent(d, e, out);
}

size_t
decimal_write(double value, char letter, int precision, char out[static DECIMAL_MAX])
{
	struct decimal d;
	size_t digits = precision < 0 ? 6 : (size_t)precision;
	if (precision > DECIMAL_PRECISION_MAX || !begin_digits(&d, value))
		return 0;
	switch (letter) {
	case 'f':
	case 'F':
		round_to(&d, d.point + digits);
		return put_fixed(&d, out);
	case 'e':
	case 'E':
		round_significant(&d, digits + 1);
		return put_exponent(&d, letter, out);
	case 'g':
	case 'G':
		return put_general(&d, digits ? digits : 1, letter == 'g' ? 'e' : 'E', out);
	default:
		return 0;
	}
}

void
text_add_number(struct text *text, double value)
{
	text_reserve(text, DECIMAL_MAX + 1);
	char *at = text->data + text->length;
	size_t length = decimal_write(value, 'g', 17, at + 1);
	if (!length) {
		text_addf(text, "%.17g", value);
		return;
	}
	if (__builtin_signbit(value))
		*at = '-';
	else
		memmove(at, at + 1, length);
	text->length += length + (__builtin_signbit(value) != 0);
	text->data[text->length] = '\0';
}
