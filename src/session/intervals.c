/* Profile entries of intervals: see intervals.h. */
#include "config.h"

#include "session/intervals.h"

#include <string.h>

#define INTERVAL(...) OPTION_ROW(struct interval_options, __VA_ARGS__)
static const struct option_row interval_rows[] = {
    INTERVAL(name, TEXT, "what to call it: interval.NAME in filters and columns", .required = true),
    INTERVAL(begin, TEXT, "filter: the messages that begin one", .required = true),
    INTERVAL(end, TEXT, "filter: the messages that end one", .required = true),
    INTERVAL(key, TEXT,
	     "what both messages have in common: names of fields, arguments and contexts, "
	     "separated by commas"),
    INTERVAL(across, BOOL,
	     "true: the two messages may have different origins and "
	     "traces; false: both have the same origin",
	     "false"),
};
const struct option_table interval_options_table =
    OPTION_TABLE("intervals", struct interval_options, interval_rows);

const char *
session_intervals_next(void *hook, size_t at)
{
	const struct session_intervals *intervals = hook;
	return intervals && at < intervals->count(intervals->context)
		   ? intervals->name(intervals->context, at)
		   : NULL;
}

bool
session_intervals_find(const struct session_intervals *hook, const char *name, size_t *interval)
{
	size_t count = hook ? hook->count(hook->context) : 0;
	for (*interval = 0; *interval < count; ++*interval)
		if (!strcmp(hook->name(hook->context, *interval), name))
			return true;
	return false;
}
