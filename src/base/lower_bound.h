/*
 * The first of many in rising order that is not before what is looked for:
 *
 *	size_t i;
 *	lower_bound(i, things.count, things.at[i].key < key);
 *
 * sets I to the first index of which BEFORE, an expression of I, does not hold;
 * to COUNT if there is none.  BEFORE holds for all up to some index, and for none
 * behind it; it is evaluated log2(COUNT) times, COUNT once.
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
