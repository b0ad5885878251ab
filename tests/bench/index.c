/*
 * How fast the index of a capture is built, what it holds in memory, and how
 * fast it then counts; for `make bench`.
 *
 *	index FORMAT FILE PROCESSORS
 *
 * prints {"messages":..., "bytes":..., "seconds":..., "processor":...,
 * "memory":..., "count_ms":..., "counted":...}: seconds on the clock and of a
 * processor.  PROCESSORS is how many the process may use.
 */
#include "config.h"

#include "session/session.h"
#include "trace/trace.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
seconds(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Leaves the process the first COUNT of its processors. */
static void
use_processors(int count)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set))
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && count-- <= 0)
			CPU_CLR(i, &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* Messages that are errors or worse, from the summaries of the cells. */
static uint64_t
count_errors(const struct index *index)
{
	uint64_t count = 0, known = index_known(index);
	struct index_cell cell;
	for (uint64_t i = 0; i < known; i++)
		if (index_cell(index, i, &cell))
			count += cell.severities[SEVERITY_FATAL] + cell.severities[SEVERITY_ERROR];
	return count;
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: index FORMAT FILE PROCESSORS\n");
		return 2;
	}
	use_processors(atoi(argv[3]));
	struct session session = {0};
	struct err err = {0};
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, argv[2], argv[1], NULL, 0, &err);
	if (!trace) {
		fprintf(stderr, "index: %s\n", err.what);
		return 2;
	}
	struct index *index = trace_index(trace);
	double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
	index_build(index);
	used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
	double built = seconds(CLOCK_MONOTONIC);
	uint64_t counted = count_errors(index);
	double done = seconds(CLOCK_MONOTONIC);
	struct index_progress progress;
	index_get_progress(index, &progress);
	printf("{\"messages\": %llu, \"bytes\": %llu, \"seconds\": %.6f, \"processor\": %.6f, "
	       "\"memory\": %zu, \"count_ms\": %.4f, \"counted\": %llu}\n",
	       (unsigned long long)progress.messages, (unsigned long long)progress.size,
	       built - start, used, index_memory(index), 1000 * (done - built),
	       (unsigned long long)counted);
	session_close(&session);
	return 0;
}
