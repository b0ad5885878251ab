/*
 * Fisher's exact test: see fisher.h.
 *
 * The number of marked slow ones has a hypergeometric distribution.  Its terms from A on are
 * summed, each from the one before.  Above the mean they fall faster and faster.
 */
#include "config.h"

#include "query/why/fisher.h"

#include <math.h>

/* Return the logarithm of n!, for any thread. */
static double
log_factorial(uint64_t n)
{
	int sign;
	return lgamma_r((double)n + 1, &sign);
}

static double
log_choose(uint64_t n, uint64_t k)
{
	return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

double
fisher_log_p(uint64_t a, uint64_t slow, uint64_t b, uint64_t others)
{
	uint64_t marked = a + b, most = slow < marked ? slow : marked;
	double sum = 1, term = 1; /* in units of the first term */
	for (uint64_t x = a; x < most && term > sum * 1e-16; x++) {
		term *= (double)(slow - x) * (double)(marked - x) /
			((double)(x + 1) * (double)(others - marked + x + 1));
		sum += term;
	}
	double first =
	    log_choose(slow, a) + log_choose(others, b) - log_choose(slow + others, marked);
	double log_p = first + log(sum);
	return log_p < 0 ? log_p : 0;
}
