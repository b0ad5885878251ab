/* Pairs of filters: see filter_pair.h. */
#include "config.h"

#include "query/filter/filter_pair.h"

struct filter_pair
filter_pair_borrow(const struct filter *want, const struct filter *also)
{
	const struct filter all = filter_all();
	also = also ? also : &all;
	bool turned = filter_is_all(want) || filter_basis(want) & FILTER_ON_TEXT;
	turned &= !filter_is_all(also);
	const struct filter *second = turned ? want : also;
	return (struct filter_pair){
	    .first = turned ? *also : *want, .second = *second, .both = !filter_is_all(second)};
}

struct filter_pair
filter_pair_copy(const struct filter *want, const struct filter *also)
{
	struct filter_pair pair = filter_pair_borrow(want, also);
	pair.first = filter_clone(&pair.first);
	pair.second = filter_clone(&pair.second);
	pair.owned = true;
	return pair;
}

void
filter_pair_free(struct filter_pair *pair)
{
	if (pair->owned) {
		filter_free(&pair->first);
		filter_free(&pair->second);
	}
	expansion_free(&pair->scratch);
}

unsigned
filter_pair_basis(const struct filter_pair *pair)
{
	return filter_basis(&pair->first) | filter_basis(&pair->second);
}

static enum filter_verdict
judge_pair(const struct filter_pair *pair,
	   enum filter_verdict (*judge)(const struct filter *, struct trace *, uint64_t),
	   struct trace *trace, uint64_t cell)
{
	enum filter_verdict first = judge(&pair->first, trace, cell);
	if (first == FILTER_NONE || !pair->both)
		return first;
	enum filter_verdict second = judge(&pair->second, trace, cell);
	return second < first ? second : first;
}

enum filter_verdict
filter_pair_judge(const struct filter_pair *pair, struct trace *trace, uint64_t cell)
{
	return judge_pair(pair, filter_judge, trace, cell);
}

enum filter_verdict
filter_pair_scan(const struct filter_pair *pair, struct trace *trace, uint64_t cell)
{
	return judge_pair(pair, filter_scan, trace, cell);
}
