/*
 * Two filters that must both hold, such as the search filter and the list's filter,
 * for one thread. The cheaper filter runs first.
 */
#ifndef TRAWL_QUERY_FILTER_FILTER_PAIR_H
#define TRAWL_QUERY_FILTER_FILTER_PAIR_H

#include "query/filter/filter.h"

struct filter_pair {
	struct filter first, second;
	bool both; /* the second filter excludes something */
	bool owned;
	struct expansion scratch;
};

/* Make a pair; ALSO may be NULL for a filter that all pass. The filters of a borrowed pair must
 * last and stay unchanged. A copied pair belongs to the thread that uses it. */
struct filter_pair filter_pair_borrow(const struct filter *want, const struct filter *also);
struct filter_pair filter_pair_copy(const struct filter *want, const struct filter *also);
void filter_pair_free(struct filter_pair *);

/* These work like the functions for one filter. */
unsigned filter_pair_basis(const struct filter_pair *);
enum filter_verdict filter_pair_judge(const struct filter_pair *, struct trace *, uint64_t cell);
enum filter_verdict filter_pair_scan(const struct filter_pair *, struct trace *, uint64_t cell);

static inline bool
filter_pair_match(struct filter_pair *pair, struct reader *reader, const struct message *m)
{
	return filter_match(&pair->first, reader, m, &pair->scratch) &&
	       (!pair->both || filter_match(&pair->second, reader, m, &pair->scratch));
}

#endif
