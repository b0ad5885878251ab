/*
 * Binary search in a sorted array:
 *
 * 	size_t i;
 * 	lower_bound(i, things.count, things.at[i].key < key);
 *
 * sets I to the first index for which BEFORE, an expression of I, is false.  If it is true for
 * all, I becomes COUNT.  BEFORE must be true up to some index and false from there on.  It is
 * evaluated log2(COUNT) times, COUNT once.
 */
#ifndef TRAWL_BASE_LOWER_BOUND_H
#define TRAWL_BASE_LOWER_BOUND_H

#define lower_bound(i, count, before)                                                              \
	do {                                                                                       \
		__typeof__(i) lower_bound_low_ = 0, lower_bound_high_ = (count);                   \
		while (lower_bound_low_ < lower_bound_high_) {                                     \
			(i) = lower_bound_low_ + (lower_bound_high_ - lower_bound_low_) / 2;       \
			if (before)                                                                \
				lower_bound_low_ = (i) + 1;                                        \
			else                                                                       \
				lower_bound_high_ = (i);                                           \
		}                                                                                  \
		(i) = lower_bound_low_;                                                            \
	} while (0)

#endif
