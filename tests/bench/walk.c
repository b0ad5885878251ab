/*
 * The limit that the index is measured against: a bare walk over records of a
 * 16-bit length, a kind, a severity and a 32-bit time, which keeps a summary
 * for each 64 KiB (count, severities, kinds, time span) and decodes nothing.
 *
 *	walk make FILE BYTES	records of 8 to 56 bytes, mean 32
 *	walk FILE THREADS	prints {"messages":..., "bytes":..., "seconds":...,
 *				"processor":...}, the last being seconds of it
 *
 * The length that comes next depends on the one before, so this is bound by
 * the latency of the first cache: nothing that finds messages one after the
 * other is faster.  Records never straddle a MiB, so threads know where to
 * start.  It shares no code with the program, and trusts its own records.
 */
#define _GNU_SOURCE
#include "random.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, BLOCK = 1 << 16, THREADS_MAX = 64, SEVERITIES = 8 };

struct record {
	uint16_t length;
	uint8_t kind, severity;
	uint32_t time;
};

struct summary {
	uint64_t first;
	uint32_t count, kinds, time_min, time_max, severities[SEVERITIES];
};

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

static void
fill(uint8_t *mib, uint64_t *seed, uint32_t *now)
{
	for (size_t at = 0; at < MIB;) {
		size_t length = 8 + random_below(seed, 49), left = MIB - at;
		if (left - length < 8 || length > left)
			length = left < 64 ? left : 8; /* so that the last one fits */
		struct record record = {.length = (uint16_t)length,
					.kind = random_below(seed, 16),
					.severity = random_below(seed, SEVERITIES),
					.time = *now += random_below(seed, 64)};
		memcpy(mib + at, &record, sizeof record);
		for (size_t i = sizeof record; i < length; i++)
			mib[at + i] = (uint8_t)random_next(seed);
		at += length;
	}
}

static void
make(const char *path, uint64_t size)
{
	static uint8_t mib[MIB];
	uint64_t seed = 1;
	uint32_t now = 0;
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (file < 0)
		die(path);
	for (uint64_t done = 0; done < size; done += MIB) {
		fill(mib, &seed, &now);
		if (write(file, mib, MIB) != MIB)
			die(path);
	}
	close(file);
}

struct share {
	int file;
	uint64_t from, to; /* MiB */
	uint64_t messages;
	struct summary *summaries;
};

static size_t
walk_block(const uint8_t *mib, size_t at, size_t end, struct summary *s)
{
	struct summary sums = {.first = at, .time_min = UINT32_MAX};
	while (at < end) {
		struct record record;
		memcpy(&record, mib + at, sizeof record);
		sums.count++;
		sums.kinds |= 1u << (record.kind & 31);
		sums.severities[record.severity & (SEVERITIES - 1)]++;
		if (record.time < sums.time_min)
			sums.time_min = record.time;
		if (record.time > sums.time_max)
			sums.time_max = record.time;
		at += record.length;
	}
	*s = sums;
	return at;
}

static void *
walk(void *context)
{
	struct share *share = context;
	uint8_t *mib = malloc(MIB);
	for (uint64_t i = share->from; i < share->to; i++) {
		if (pread(share->file, mib, MIB, (off_t)(i * MIB)) != MIB)
			die("read");
		size_t at = 0;
		for (size_t block = 0; block < MIB / BLOCK; block++) {
			struct summary *s = &share->summaries[i * (MIB / BLOCK) + block];
			at = walk_block(mib, at, (block + 1) * BLOCK, s);
			share->messages += s->count;
		}
	}
	free(mib);
	return NULL;
}

static double
seconds(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "make")) {
		make(argv[2], strtoull(argv[3], NULL, 10));
		return 0;
	}
	struct stat status;
	int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	unsigned threads = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	if (file < 0 || fstat(file, &status) || !threads || threads > THREADS_MAX) {
		fprintf(stderr, "usage: walk make FILE BYTES | walk FILE THREADS\n");
		return 2;
	}
	uint64_t mibs = (uint64_t)status.st_size / MIB, messages = 0;
	struct summary *summaries = calloc(mibs * (MIB / BLOCK) + 1, sizeof *summaries);
	struct share shares[THREADS_MAX] = {{0}};
	pthread_t others[THREADS_MAX];
	double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned i = 0; i < threads; i++) {
		shares[i] = (struct share){.file = file,
					   .from = mibs * i / threads,
					   .to = mibs * (i + 1) / threads,
					   .summaries = summaries};
		if (pthread_create(&others[i], NULL, walk, &shares[i]))
			die("thread");
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(others[i], NULL);
		messages += shares[i].messages;
	}
	printf("{\"messages\": %llu, \"bytes\": %llu, \"seconds\": %.6f, \"processor\": %.6f}\n",
	       (unsigned long long)messages, (unsigned long long)(mibs * MIB),
	       seconds(CLOCK_MONOTONIC) - start, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
	free(summaries);
	return 0;
}
