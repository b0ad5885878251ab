/*
 * Makes a log with an interval, `work`, and prints why some of its pairs are slow:
 *
 *	mkwhy SEED PAIRS context|message|interval|none FOLDER
 *
 * FOLDER gets log.txt and why.yaml.  Everything but the cause is chance: when pairs begin and how
 * long they take, what others write meanwhile, which values four contexts have and for how long,
 * which of three other intervals are open.  The cause is a process of its own that does not know
 * of pairs; it delays most pairs that meet it before they would end, and few others are delayed.
 * The line printed is part of the text of the cause in `trawl -t why`, or `none`.
 */
#include "config.h"

#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 48, CONTEXTS = 4, INTERVALS = 3, KINDS = 40 };
enum plant { PLANT_CONTEXT, PLANT_MESSAGE, PLANT_INTERVAL, PLANT_NONE };

static const char *const plants[] = {"context", "message", "interval", "none"};
static const char *const fields[CONTEXTS] = {"thread", "process", "module", "code"};
static const char *const values[] = {"idle", "slow", "turbo", "sleep", "boost"};
static const char *const senders[] = {"net", "disk", "timer", "usb", "power", "audio"};

struct event {
	double at; /* us */
	size_t order;
	char text[TEXT_MAX];
};

/* A period of the cause. */
struct period {
	double from, to;
};

struct log {
	uint64_t seed;
	double end;
	struct event *events;
	size_t count, room;
	struct period *periods;
	size_t period_count, period_room;
};

static double
uniform(struct log *log)
{
	return ((double)(random_next(&log->seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double
wait_for(struct log *log, double mean)
{
	return -mean * log1p(-uniform(log));
}

__attribute__((format(printf, 3, 4))) static void
say(struct log *log, double at, const char *format, ...)
{
	va_list list;
	if (log->count == log->room) {
		log->room = log->room ? 2 * log->room : 1024;
		log->events = realloc(log->events, log->room * sizeof *log->events);
		if (!log->events)
			abort();
	}
	struct event *event = &log->events[log->count];
	event->at = at;
	event->order = log->count++;
	va_start(list, format);
	vsnprintf(event->text, sizeof event->text, format, list);
	va_end(list);
}

static void
add_period(struct log *log, double from, double to)
{
	if (log->period_count == log->period_room) {
		log->period_room = log->period_room ? 2 * log->period_room : 64;
		log->periods = realloc(log->periods, log->period_room * sizeof *log->periods);
		if (!log->periods)
			abort();
	}
	log->periods[log->period_count++] = (struct period){from, to};
}

/* --- what happens by chance, or is the cause -------------------------------- */

/* A context with a value now and then.  CAUSE: the periods of its value 2 are the cause. */
static void
run_context(struct log *log, int context, bool cause)
{
	double mean = 2000 * pow(400, uniform(log)); /* from 2 ms to 0.8 s */
	size_t value = 0;
	mean = cause ? log->end / (300 + random_below(&log->seed, 700)) : mean;
	for (double at = wait_for(log, mean); at < log->end;) {
		size_t to = random_below(&log->seed, cause ? 20 : 5);
		to = to == 2 ? 2 : to % 5 == 2 ? 0 : to % 5; /* the cause is rarer than others */
		double next = at + wait_for(log, mean);
		if (to != value)
			say(log, at, "ctl: %s is %s", fields[context], values[to]);
		if (cause && to == 2)
			add_period(log, at, next);
		value = to;
		at = next;
	}
}

static void
run_interval(struct log *log, int interval, bool cause)
{
	double apart = cause ? 30000 : 3000 * pow(30, uniform(log));
	double mean = cause ? 1500 : 200 * pow(30, uniform(log));
	unsigned n = 0;
	for (double at = wait_for(log, apart); at < log->end; at += wait_for(log, apart)) {
		double to = at + wait_for(log, mean);
		say(log, at, "job%d: start n %u", interval, ++n);
		say(log, to, "job%d: stop n %u", interval, n);
		if (cause)
			add_period(log, at, to);
	}
}

static void
run_messages(struct log *log, int kind, bool cause)
{
	double mean = cause ? 25000 : 5000 * pow(1000, uniform(log));
	const char *who = senders[kind % 6];
	bool regular = !cause && random_below(&log->seed, 4) == 0;
	for (double at = wait_for(log, mean); at < log->end;
	     at += regular ? mean : wait_for(log, mean)) {
		say(log, at, "%s: %c%c happens %" PRIu32, cause ? "link" : who, 'a' + kind / 6,
		    'a' + kind % 6, random_below(&log->seed, 100000));
		if (cause)
			add_period(log, at, at);
	}
}

static bool
meets_cause(const struct log *log, double from, double to)
{
	size_t low = 0, high = log->period_count;
	while (low < high) { /* the first period that begins after TO */
		size_t middle = (low + high) / 2;
		if (log->periods[middle].from <= to)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && i + 64 > low; i--)
		if (log->periods[i - 1].to >= from)
			return true;
	return false;
}

static void
run_pairs(struct log *log, size_t pairs, enum plant plant)
{
	double at = 0;
	for (size_t i = 0; i < pairs; i++) {
		at += wait_for(log, log->end / (double)pairs);
		double took = 300 + wait_for(log, 500);
		double upto = plant == PLANT_CONTEXT ? at : at + took;
		bool met = plant != PLANT_NONE && meets_cause(log, at, upto);
		say(log, at, "mbox: send seq %zu", i);
		say(log, at + 0.1 * took, "mbox: queued seq %zu", i);
		if (random_below(&log->seed, 3) == 0)
			say(log, at + 0.6 * took, "mbox: from cache seq %zu", i);
		if (random_below(&log->seed, 100) < (met ? 85u : 2u))
			took += 2500 + wait_for(log, 1500);
		say(log, at + took, "mbox: ack seq %zu", i);
	}
}

/* --- files -------------------------------------------------------------------- */

static int
compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static FILE *
open_file(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

static void
write_files(struct log *log, const char *folder)
{
	FILE *file = open_file(folder, "log.txt");
	qsort(log->events, log->count, sizeof *log->events, compare_events);
	for (size_t i = 0; i < log->count; i++)
		fprintf(file, "[%12.6f] %s\n", log->events[i].at / 1e6, log->events[i].text);
	fclose(file);
	file = open_file(folder, "why.yaml");
	fputs("traces:\n"
	      "  - file: log.txt\n"
	      "    format: text\n"
	      "    text:\n"
	      "      pattern: '^\\[ *(?<time>\\d+\\.\\d{6})\\] (?<origin>\\w+): "
	      "(?=(?:thread is (?<thread>\\w+)|process is (?<process>\\w+)|"
	      "module is (?<module>\\w+)|code is (?<code>\\w+)|"
	      ".* seq (?<pid>\\d+)|.* n (?<tid>\\d+))?)'\n"
	      "      time: seconds\n"
	      "contexts:\n",
	      file);
	for (int i = 0; i < CONTEXTS; i++)
		fprintf(file, "  - {name: %s, from: {format: text}, field: %s}\n", fields[i],
			fields[i]);
	fputs("intervals:\n"
	      "  - {name: work, begin: 'text ~ /^send/', end: 'text ~ /^ack/', key: pid}\n",
	      file);
	for (int i = 0; i < INTERVALS; i++)
		fprintf(file,
			"  - {name: job%d, begin: 'origin = job%d and text ~ /^start/', "
			"end: 'origin = job%d and text ~ /^stop/', key: tid}\n",
			i, i, i);
	fclose(file);
}

int
main(int argc, char **argv)
{
	struct log log = {0};
	int plant = 0;
	while (argc == 5 && plant < 4 && strcmp(plants[plant], argv[3]) != 0)
		plant++;
	if (argc != 5 || plant == 4) {
		fputs("usage: mkwhy SEED PAIRS context|message|interval|none FOLDER\n", stderr);
		return 2;
	}
	size_t pairs = strtoul(argv[2], NULL, 10);
	log.seed = strtoull(argv[1], NULL, 10);
	log.end = (double)pairs * (200 + random_below(&log.seed, 1800)); /* many or few at once */
	int chosen = (int)random_below(&log.seed, plant == PLANT_CONTEXT ? CONTEXTS : INTERVALS);
	for (int i = 0; i < CONTEXTS; i++)
		run_context(&log, i, plant == PLANT_CONTEXT && i == chosen);
	for (int i = 0; i < INTERVALS; i++)
		run_interval(&log, i, plant == PLANT_INTERVAL && i == chosen);
	for (int i = 0; i < KINDS; i++)
		run_messages(&log, i, plant == PLANT_MESSAGE && i == 0);
	run_pairs(&log, pairs, (enum plant)plant);
	write_files(&log, argv[4]);
	if (plant == PLANT_CONTEXT)
		printf("%s turbo\n", fields[chosen]);
	else if (plant == PLANT_INTERVAL)
		printf("interval job%d\n", chosen);
	else
		puts(plant == PLANT_MESSAGE ? "link: aa happens #" : "none");
	free(log.events);
	free(log.periods);
	return 0;
}
