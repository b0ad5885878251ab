/*
 * Makes runs of one program for --compare: good ones that differ by noise, and a bad one with ten
 * planted differences.
 *
 *	mkruns text|syst SEED GOOD MESSAGES FOLDER
 *
 * FOLDER gets good1 to goodN, bad, the files `X.ids` and `planted`.  A line of X.ids is a message
 * of X: its origin and its position in the program of its origin.  A line of `planted` is a kind
 * of difference, an origin and a position.
 *
 * Noise: times vary by 15 %, some steps by milliseconds; origins interleave by their times; one
 * message of eight is optional; rare messages come at any place; numbers are random; the clocks
 * of the runs drift.
 */
#include "config.h"

#include "mk_out.h"
#include "mk_syst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGINS = 7, PHRASES = 12, PLANTS = 10, APART = 12 };

enum plant { NONE, MISSING, EXTRA, CHANGED, MOVED, SLOWER };
static const char *const plant_names[] = {"", "missing", "extra", "changed", "moved", "slower"};

/* A message of the program. */
struct step {
	unsigned phrase, chance; /* of 1000; less: optional */
	double us;		 /* usual time since the step before */
	enum plant plant;	 /* in the bad run */
};

/* A message of a run. */
struct sent {
	double us;
	unsigned origin, step;
	char text[80];
};

static const char *const origins[ORIGINS] = {"boot", "sensor", "mailbox", "isp",
					     "dma",  "power",  "usb"};
static const char *const verbs[] = {"queued", "sent",  "acked",	 "done",  "started", "stopped",
				    "read",   "wrote", "mapped", "freed", "armed",   "woke"};
static const char *const rare[] = {"cache refilled", "clock scaled", "retry"};

static struct step *steps[ORIGINS];
static size_t step_count;
static uint64_t seed;

static double
chance(void)
{
	return ((double)(random_next(&seed) >> 11) + 1) / 9007199254740994.0;
}

static void
make_program(size_t messages)
{
	step_count = messages / ORIGINS;
	for (unsigned o = 0; o < ORIGINS; o++) {
		steps[o] = calloc(step_count, sizeof **steps);
		if (!steps[o])
			mk_die("out of memory");
		for (size_t i = 0; i < step_count; i++)
			steps[o][i] = (struct step){.phrase = random_below(&seed, PHRASES),
						    .chance = random_below(&seed, 8)
								  ? 1000
								  : 150 + random_below(&seed, 700),
						    .us = 50 * pow(160, chance())};
	}
}

/* Choose steps that every good run has, apart from each other, with other texts around them. */
static void
plant_all(const char *folder)
{
	FILE *file = mk_text_open(folder, "planted");
	size_t slow = 0; /* delays at one time are reported as one */
	for (int i = 0; i < PLANTS; i++) {
		enum plant plant = MISSING + i % 5;
		unsigned o;
		size_t at;
		bool suits;
		do {
			o = random_below(&seed, ORIGINS);
			at = APART + random_below(&seed, step_count - 2 * APART);
			const struct step *step = &steps[o][at];
			suits = step->chance == 1000 && step[1].chance == 1000 &&
				step->phrase != step[1].phrase && step->phrase != step[-1].phrase;
			for (int k = -APART; k <= APART; k++)
				suits &= step[k].plant == NONE;
			if (plant == SLOWER && slow)
				suits &= at + step_count / 3 < slow || at > slow + step_count / 3;
		} while (!suits);
		slow = plant == SLOWER ? at : slow;
		steps[o][at].plant = plant;
		fprintf(file, "%s %s %zu\n", plant_names[plant], origins[o], at);
	}
	mk_text_close(file);
}

static struct sent *
add_sent(struct sent **list, size_t *count, size_t *room)
{
	if (*count == *room) {
		*room = *room ? 2 * *room : 1024;
		*list = realloc(*list, *room * sizeof **list);
		if (!*list)
			mk_die("out of memory");
	}
	return &(*list)[(*count)++];
}

/* Set the text to a phrase and random numbers. */
static void
add_text(struct sent *sent, const char *phrase, const char *and, const char *unit)
{
	snprintf(sent->text, sizeof sent->text, "%s%s%u at 0x%x%s", phrase, and,
		 random_below(&seed, 5000), random_below(&seed, 1 << 20), unit);
}

static void
add_step(struct sent *sent, unsigned o, unsigned phrase)
{
	static const char *const ands[] = {" seq ", " id=", " after ", " slot "};
	static const char *const units[] = {"", " ok", " of 12 ms"};
	add_text(sent, verbs[(phrase * 5 + o) % 12], ands[(phrase + o) % 4], units[phrase % 3]);
}

static int
sent_compare(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;
	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	return 0;
}

/* Run the program once. */
static size_t
run_program(bool bad, struct sent **list)
{
	size_t count = 0, room = 0;
	double rate = 1 + (chance() - 0.5) / 10000;
	for (unsigned o = 0; o < ORIGINS; o++) {
		double now = 1e6 + 5000 * chance();
		for (unsigned i = 0; i < step_count; i++) {
			const struct step *step = &steps[o][i];
			enum plant plant = bad ? step->plant : NONE;
			double normal = sqrt(-2 * log(chance())) * cos(6.283185307 * chance());
			double took = step->us * (1 + 0.15 * normal);
			now += (took > 1 ? took : 1) * rate;
			if (!random_below(&seed, 1000))
				now += -2000 * log(chance());
			if (plant == SLOWER)
				now += 40000 * (1 + 2 * chance());
			if (random_below(&seed, 1000) >= step->chance || plant == MISSING)
				continue;
			struct sent *sent = add_sent(list, &count, &room);
			*sent = (struct sent){now, o, i, ""};
			add_step(sent, o, step->phrase);
			if (plant == CHANGED)
				add_text(sent, "gave up", " after ", "");
			if (plant == MOVED) { /* to after the next one */
				sent->us = now + step[1].us / 2;
				add_step(sent, o, step[1].phrase);
				sent = add_sent(list, &count, &room);
				*sent = (struct sent){now += step[1].us, o, i++, ""};
				add_step(sent, o, step->phrase);
			}
			if (plant == EXTRA || !random_below(&seed, 160)) {
				sent = add_sent(list, &count, &room);
				*sent = (struct sent){now += 20, o, i, ""};
				if (plant != EXTRA)
					add_text(sent, rare[random_below(&seed, 3)], " ", "");
				else if (random_below(&seed, 2))
					add_text(sent, "watchdog bark", " ", "");
				else
					add_step(sent, o, step[-1].phrase);
			}
		}
	}
	qsort(*list, count, sizeof **list, sent_compare);
	return count;
}

static void
write_run(const char *folder, const char *name, bool syst, bool bad)
{
	static struct mk_message m;
	struct sent *list = NULL;
	char path[4096];
	size_t count = run_program(bad, &list);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	struct mk_out *out = mk_out_open(path);
	snprintf(path, sizeof path, "%s.ids", name);
	FILE *ids = mk_text_open(folder, path);
	for (size_t i = 0; i < count; i++) {
		const struct sent *sent = &list[i];
		fprintf(ids, "%s %u\n", origins[sent->origin], sent->step);
		if (syst) {
			mk_begin(&m, MK_STRING, MK_GENERIC, MK_INFO);
			mk_string(&m, sent->text, strlen(sent->text), true);
			m.module = (uint8_t)(sent->origin + 1);
			m.has_time = m.has_length = true;
			m.time = (uint64_t)(sent->us * 1000);
			mk_out_took(out, mk_encode(&m, mk_out_room(out)));
		} else {
			int n =
			    snprintf((char *)mk_out_room(out), MK_OUT_ROOM, "[%5u.%06u] %s: %s\n",
				     (unsigned)(sent->us / 1e6), (unsigned)fmod(sent->us, 1e6),
				     origins[sent->origin], sent->text);
			mk_out_took(out, (size_t)n);
		}
	}
	mk_out_close(out);
	mk_text_close(ids);
	free(list);
}

int
main(int argc, char **argv)
{
	char name[32];
	if (argc != 6 || (strcmp(argv[1], "text") != 0 && strcmp(argv[1], "syst") != 0)) {
		fputs("usage: mkruns text|syst SEED GOOD MESSAGES FOLDER\n", stderr);
		return 2;
	}
	bool syst = !strcmp(argv[1], "syst");
	seed = strtoull(argv[2], NULL, 10);
	make_program(strtoull(argv[4], NULL, 10));
	plant_all(argv[5]);
	for (unsigned i = 1; i <= strtoul(argv[3], NULL, 10); i++) {
		snprintf(name, sizeof name, "good%u", i);
		write_run(argv[5], name, syst, false);
	}
	write_run(argv[5], "bad", syst, true);
	for (unsigned o = 0; o < ORIGINS; o++)
		free(steps[o]);
	return 0;
}
