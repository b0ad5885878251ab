/* Times between times by cycles: listings are written by a schedule of processors
 * of known speed, and what is made of them is compared with the schedule. */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "config/profile.h"
#include "decode/coresight/opencsd_library.h"
#include "folder.h"
#include "random.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"
#include "session/sequence.h"
#include "session/session.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/list/display_time.h"

#include <math.h>

/* --- the schedule ------------------------------------------------------ */

/* How a processor counts. */
enum style {
	COUNTS,	 /* ETMv4: in messages of their own; a time tells the count since the last */
	CARRIES, /* PTM: in what took the cycles, times too */
	MARKS	 /* ETE: as COUNTS, and a time is for the mark before it */
};

enum { CORES = 3, COUNT_MOST = 200, SPEND_MOST = 60 };

struct core {
	unsigned id;
	enum style style;
	double speed;	    /* ticks of the clock in a cycle */
	double now;	    /* ticks */
	unsigned uncounted; /* cycles since the last count */
	unsigned until;	    /* lines until the next time */
	unsigned late;	    /* lines until a marked time is told, 0: none is */
	uint64_t marked;    /* that time */
	size_t mark;	    /* and the line it is for */
};

/* What is true of a line. */
struct truth {
	unsigned core;
	double when;
	bool time;	  /* it tells one, */
	uint64_t told;	  /* this one, */
	size_t effective; /* for that line */
	bool ends;	  /* nothing can be counted across it */
	/* what follows of the other lines */
	bool measured;
	bool early; /* no two times were told before, from which to go on */
	uint64_t from, to;
};

struct schedule {
	struct text text;
	VEC(struct truth) lines;
	struct core cores[CORES];
	double wobble; /* speeds change by so much of themselves */
	int jitter;    /* ticks that times are off */
	bool loses;
	uint64_t seed;
};

/* Lets some cycles go by; how many. */
static unsigned
spend(struct schedule *s, struct core *core)
{
	unsigned cycles = SPEND_MOST / 3 + random_below(&s->seed, SPEND_MOST * 2 / 3);
	double off = s->wobble * ((double)random_below(&s->seed, 2001) / 1000 - 1);
	core->now += cycles * core->speed * (1 + off);
	core->uncounted += cycles;
	return cycles;
}

static struct truth *
begin_line(struct schedule *s, const struct core *core, const char *name, const char *text)
{
	size_t n = s->lines.count;
	*vec_add(&s->lines) =
	    (struct truth){.core = (unsigned)(core - s->cores), .when = core->now, .effective = n};
	text_addf(&s->text, "Idx:%zu; ID:%x; OCSD_GEN_TRC_ELEM_%s(%s", 10 * n, core->id, name,
		  text);
	return &s->lines.at[n];
}

static void
end_line(struct schedule *s)
{
	text_add(&s->text, ")\n");
}

static void
end_line_counting(struct schedule *s, unsigned cycles)
{
	text_addf(&s->text, " [CC=%u]; )\n", cycles);
}

static void
begin_time(struct schedule *s, const struct core *core, uint64_t time, size_t effective)
{
	struct truth *truth = begin_line(s, core, "TIMESTAMP", "");
	truth->time = true;
	truth->told = time;
	truth->effective = effective;
	text_addf(&s->text, " [ TS=0x%012llx]; ", (unsigned long long)time);
}

static uint64_t
read_clock(struct schedule *s, const struct core *core)
{
	int off = (int)random_below(&s->seed, 2 * (size_t)s->jitter + 1) - s->jitter;
	return (uint64_t)((int64_t)floor(core->now) + off);
}

static void
tell_time(struct schedule *s, struct core *core)
{
	spend(s, core);
	core->until = 5 + random_below(&s->seed, 60);
	if (core->style == MARKS) {
		core->mark = s->lines.count;
		core->marked = read_clock(s, core);
		core->late = 1 + random_below(&s->seed, 4);
		begin_line(s, core, "SYNC_MARKER", " [Timestamp marker(0x00000000)]");
		end_line(s);
		return;
	}
	begin_time(s, core, read_clock(s, core), s->lines.count);
	end_line_counting(s, core->uncounted);
	if (core->style == CARRIES)
		core->uncounted = 0;
}

static void
lose(struct schedule *s, struct core *core)
{
	core->now += 5000;
	core->uncounted = core->late = 0;
	core->until = 5 + random_below(&s->seed, 20);
	bool on = random_below(&s->seed, 2);
	begin_line(s, core, on ? "TRACE_ON" : "NO_SYNC", " [overflow]")->ends = true;
	end_line(s);
}

static void
run_code(struct schedule *s, struct core *core)
{
	static const char range[] =
	    "exec range=0x1000:[0x1008] num_i(2) last_sz(4) (ISA=A64) E BR  ";
	begin_line(s, core, "INSTR_RANGE", range);
	unsigned cycles = spend(s, core);
	if (core->style == CARRIES) {
		end_line_counting(s, cycles);
		core->uncounted = 0;
	} else {
		end_line(s);
	}
	if (core->style == CARRIES && !random_below(&s->seed, 10)) { /* a filter held trace back */
		cycles = spend(s, core);
		begin_line(s, core, "TRACE_ON", " [begin or filter]");
		end_line_counting(s, cycles);
		core->uncounted = 0;
	} else if (core->style != CARRIES &&
		   (core->uncounted > COUNT_MOST || !random_below(&s->seed, 4))) {
		begin_line(s, core, "CYCLE_COUNT", "");
		end_line_counting(s, core->uncounted);
		core->uncounted = 0;
	}
}

static void
do_something(struct schedule *s, struct core *core)
{
	if (core->late && !--core->late) {
		begin_time(s, core, core->marked, core->mark);
		end_line(s);
	} else if (core->until-- == 0) {
		tell_time(s, core);
	} else if (s->loses && !random_below(&s->seed, 200)) {
		lose(s, core);
	} else {
		run_code(s, core);
	}
}

/* Finds between which times each line of a core is. */
static void
find_neighbours(struct schedule *s, unsigned core)
{
	struct truth *lines = s->lines.at;
	uint64_t from = 0, to = UINT64_MAX;
	bool early = true;
	uint64_t *at = mem_new(s->lines.count * sizeof *at); /* times, for their lines */
	for (size_t i = 0; i < s->lines.count; i++)
		if (lines[i].core == core && lines[i].time)
			at[lines[i].effective] = lines[i].told;
	for (size_t i = 0; i < s->lines.count; i++) {
		if (lines[i].core != core)
			continue;
		early &= !(at[i] && from);
		lines[i].early = early;
		from = at[i] ? at[i] : lines[i].ends ? 0 : from;
		lines[i].from = from;
		lines[i].measured = from && !lines[i].time;
	}
	for (size_t i = s->lines.count; i--;) {
		if (lines[i].core != core)
			continue;
		lines[i].to = to;
		to = at[i] ? at[i] : to;
	}
	free(at);
}

/* Writes about so many lines. */
static void
schedule_make(struct schedule *s, size_t count, uint64_t seed)
{
	s->seed = seed;
	for (unsigned i = 0; i < CORES; i++)
		s->cores[i] = (struct core){.id = 0x10 + i,
					    .style = (enum style)i,
					    .speed = (const double[]){0.07, 0.3, 1.3}[i],
					    .now = 1e6 + 1000 * i};
	while (s->lines.count < count) { /* whoever is behind, mostly */
		struct core *core = &s->cores[random_below(&s->seed, CORES)],
			    *other = &s->cores[random_below(&s->seed, CORES)];
		do_something(s, core->now < other->now ? core : other);
	}
	for (unsigned i = 0; i < CORES; i++)
		find_neighbours(s, i);
}

static void
schedule_free(struct schedule *s)
{
	text_free(&s->text);
	vec_free(&s->lines);
}

/* --- sessions of listings ---------------------------------------------- */

struct fixture {
	struct folder folder;
	struct session session;
};

static void
fixture_open(struct fixture *f, const char *profile)
{
	struct err err = {0};
	folder_put_text(&f->folder, "p.yaml", profile);
	if (profile_load(folder_path(&f->folder, "p.yaml"), &f->session.profile, &err) < 0 ||
	    session_open_named(&f->session, NULL, 0, &err) <= 0)
		fail_msg("%s", err.what);
	session_link(&f->session);
	clocks_load(f->session.clocks, true);
}

static void
fixture_build(struct fixture *f)
{
	for (size_t i = 0; i < f->session.traces.count; i++)
		trace_build(f->session.traces.at[i]);
}

static void
fixture_close(struct fixture *f)
{
	session_close(&f->session);
	folder_remove(&f->folder);
}

#define LISTING(name) "{file: " name ".ppl, name: " name ", format: ppl, clock: {hz: 1000000000}}"

/* One listing, in F zeroed. */
static struct trace *
open_listing(struct fixture *f, const struct text *text)
{
	folder_make(&f->folder);
	folder_put(&f->folder, "a.ppl", text->data, text->length);
	fixture_open(f, "traces: [" LISTING("a") "]\n");
	return f->session.traces.at[0];
}

/* --- tests ------------------------------------------------------------- */

/* How far off an estimate may be where speeds do not change and times are told as
 * they are: they are whole ticks, and the cycles since the last count are unknown
 * at a message, and at a mark. */
static double
best(const struct core *core)
{
	unsigned unknown = core->style == CARRIES ? 0 : COUNT_MOST + 2 * SPEND_MOST;
	return 2 + unknown * core->speed * (core->style == MARKS ? 2 : 1);
}

static void
check_line(const struct schedule *s, const struct truth *truth,
	   const struct cycles_estimate *estimate)
{
	if (!truth->early)
		assert_int_equal(estimate->known, truth->measured);
	assert_true(!estimate->known || truth->measured);
	if (!estimate->known)
		return;
	double off = fabs((double)estimate->ticks - truth->when);
	assert_int_equal(estimate->from, truth->from);
	assert_int_equal(estimate->to, truth->to);
	assert_in_range(estimate->ticks, estimate->from, estimate->to);
	if (truth->to == UINT64_MAX) {
		assert_true(cycles_error(estimate) == UINT64_MAX);
		return;
	}
	assert_true(off <= (double)cycles_error(estimate) + s->jitter);
	if (s->wobble == 0 && !s->jitter && !s->loses)
		assert_true(off < best(&s->cores[truth->core]));
}

/* Estimates for a processor never step back. */
static void
check_never_back(const struct schedule *s, const uint64_t *ticks)
{
	uint64_t last[CORES] = {0};
	for (size_t i = 0; i < s->lines.count; i++) {
		if (!ticks[i])
			continue;
		assert_true(ticks[i] >= last[s->lines.at[i].core]);
		last[s->lines.at[i].core] = ticks[i];
	}
}

static void
check_schedule(struct schedule *s, uint64_t seed)
{
	struct fixture f = {0};
	schedule_make(s, 8000, seed);
	struct trace *trace = open_listing(&f, &s->text);
	fixture_build(&f);
	struct cycles_walk *w = cycles_walk_new(trace);
	uint64_t cells = index_known(trace_index(trace));
	size_t measured = 0;
	uint64_t *ticks = mem_new(s->lines.count * sizeof *ticks);
	assert_true(cells > 4);
	for (uint64_t k = 0; k < cells; k++) {
		uint64_t cell = k % 2 ? cells - 1 - k / 2 : k / 2; /* from both ends */
		const struct cycles_estimate *estimates;
		const struct decoded_cell *decoded = cycles_walk_cell(w, cell, &estimates);
		for (size_t i = 0; i < decoded->count; i++) {
			assert_true(decoded->first + i < s->lines.count);
			check_line(s, &s->lines.at[decoded->first + i], &estimates[i]);
			ticks[decoded->first + i] = estimates[i].known ? estimates[i].ticks : 0;
			measured += estimates[i].known;
		}
	}
	assert_true(measured > s->lines.count / 2);
	check_never_back(s, ticks);
	free(ticks);
	cycles_walk_free(w);
	fixture_close(&f);
	schedule_free(s);
}

static void
test_steady(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++)
		check_schedule(&(struct schedule){0}, seed);
}

static void
test_unsteady(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++)
		check_schedule(&(struct schedule){.wobble = 0.5, .jitter = 2}, seed);
}

static void
test_losses(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++)
		check_schedule(&(struct schedule){.wobble = 0.2, .jitter = 1, .loses = true}, seed);
}

static void
add_element(struct text *out, char form, unsigned number)
{
	if (form == 't')
		text_addf(out, "TIMESTAMP( [ TS=0x%012x]; )", number);
	else if (form == 'c')
		text_addf(out, "CYCLE_COUNT( [CC=%u]; )", number);
	else
		text_add(out, form == 'm'   ? "SYNC_MARKER( [Timestamp marker(0x00000000)])"
			      : form == 'o' ? "TRACE_ON( [overflow])"
			      : form == 'f' ? "TRACE_ON( [begin or filter])"
			      : form == 'n' ? "NO_SYNC( [overflow])"
					    : "ADDR_NACC( 0x10 )");
}

static void
add_line(struct text *out, char form, unsigned number)
{
	text_add(out, "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_");
	add_element(out, form, number);
	text_add(out, "\n");
}

/* Marks, losses, and times that step back; 25 ticks went by in a cycle. */
static void
test_rules(void **state)
{
	(void)state;
	static const struct {
		char form;
		unsigned number;
		unsigned ticks, from, to; /* 0: no estimate; TO 0: none is known */
	} lines[] = {
	    {'c', 3, 0, 0, 0}, /* before all times */
	    {'m', 0, 1000, 1000, 2000},
	    {'e', 0, 1000, 1000, 2000},
	    {'t', 1000, 0, 0, 0}, /* for the mark */
	    {'c', 10, 1250, 1000, 2000},
	    {'f', 0, 1250, 1000, 2000},
	    {'c', 30, 2000, 1000, 2000},
	    {'m', 0, 2000, 2000, 9000},
	    {'c', 20, 2500, 2000, 9000}, /* as long as before: there is a loss ahead */
	    {'t', 2000, 0, 0, 0},
	    {'c', 20, 3000, 2000, 9000},
	    {'c', 1000, 9000, 2000, 9000}, /* no later than the next time */
	    {'o', 0, 0, 0, 0},
	    {'c', 5, 0, 0, 0},
	    {'t', 9000, 0, 0, 0},
	    {'c', 4, 9100, 9000, 20000},
	    {'m', 0, 9100, 9000, 20000}, /* for which no time comes */
	    {'n', 0, 0, 0, 0},
	    {'m', 0, 0, 0, 0},
	    {'e', 0, 0, 0, 0},
	    {'n', 0, 0, 0, 0},
	    {'t', 20000, 0, 0, 0},
	    {'c', 4, 20100, 20000, 0},
	    {'t', 500, 0, 0, 0}, /* a clock that started again: its speed is unknown */
	    {'e', 0, 500, 500, 0},
	    {'t', 0, 0, 0, 0}, /* not known to the source */
	    {'e', 0, 500, 500, 0},
	    {'c', 4, 0, 0, 0},
	};
	enum { LINES = sizeof lines / sizeof *lines };
	struct fixture f = {0};
	struct text text = {0};
	for (unsigned i = 0; i < LINES; i++)
		add_line(&text, lines[i].form, lines[i].number);
	struct trace *trace = open_listing(&f, &text);
	fixture_build(&f);
	struct cycles_walk *w = cycles_walk_new(trace);
	const struct cycles_estimate *estimates;
	assert_int_equal(cycles_walk_cell(w, 0, &estimates)->count, LINES);
	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(estimates[i].known, lines[i].ticks != 0);
		if (!estimates[i].known)
			continue;
		assert_int_equal(estimates[i].ticks, lines[i].ticks);
		assert_int_equal(estimates[i].from, lines[i].from);
		assert_true(estimates[i].to == (lines[i].to ? lines[i].to : UINT64_MAX));
	}
	cycles_walk_free(w);
	fixture_close(&f);
	text_free(&text);
}

/* Where the times are in far cells.  All went at one speed, so estimates are exact
 * wherever enough is known: a time before, and one behind or two before. */
static void
test_far(void **state)
{
	(void)state;
	enum { LINES = 16000, LINE = 81, CYCLES = 10, TICKS = 3, LATE = 5000 }; /* 19 cells */
	struct fixture f = {0};
	struct text text = {0};
	for (unsigned i = 0; i < LINES; i++) {
		size_t start = text.length;
		text_addf(&text, "Idx:%u; ID:10; OCSD_GEN_TRC_ELEM_", i);
		if (i == 0 || i == 10 || i == LATE || i == LINES - 1)
			text_addf(&text, "TIMESTAMP( [ TS=0x%012x];  [CC=%u]; )", 1 + i * TICKS,
				  CYCLES);
		else
			text_addf(&text, "CYCLE_COUNT( [CC=%u]; )",
				  i == 1 || i == 11 || i == LATE + 1 ? 2 * CYCLES : CYCLES);
		while (text.length - start < LINE - 1)
			text_add_char(&text, ' ');
		text_add(&text, "\n");
	}
	struct trace *trace = open_listing(&f, &text);
	fixture_build(&f);
	struct cycles_walk *w = cycles_walk_new(trace);
	uint64_t late = LATE * LINE / index_cell_size(trace_index(trace));
	uint64_t last = (LINES - 1) * LINE / index_cell_size(trace_index(trace));
	assert_true(late > 1 && last > 2 * CYCLES_CELLS + 1 && last < late + 2 * CYCLES_CELLS);
	assert_int_equal(text.length, LINES * LINE);
	for (uint64_t cell = 0; cell <= last; cell++) {
		const struct cycles_estimate *estimates;
		const struct decoded_cell *decoded = cycles_walk_cell(w, cell, &estimates);
		for (size_t i = 0; i < decoded->count; i++) {
			uint64_t n = decoded->first + i;
			bool reaches = cell + CYCLES_CELLS >= last;
			bool told = decoded->messages[i].flags & MESSAGE_TIMED;
			assert_int_equal(estimates[i].known, !told && cell <= late + CYCLES_CELLS &&
								 (cell <= CYCLES_CELLS || reaches));
			if (!estimates[i].known || n < LATE)
				continue;
			assert_int_equal(estimates[i].ticks, 1 + n * TICKS);
			assert_int_equal(estimates[i].from, 1 + LATE * TICKS);
			assert_true(estimates[i].to ==
				    (reaches ? 1 + (LINES - 1) * TICKS : UINT64_MAX));
			assert_true(reaches || cycles_error(&estimates[i]) == UINT64_MAX);
		}
	}
	cycles_walk_free(w);
	fixture_close(&f);
	text_free(&text);
}

/* --- asking ------------------------------------------------------------ */

struct bell {
	pthread_mutex_t lock;
	pthread_cond_t rung;
	unsigned count;
};

static void
bell_init(struct bell *bell)
{
	*bell = (struct bell){.lock = PTHREAD_MUTEX_INITIALIZER};
	thread_cond_init(&bell->rung);
}

static void
ring(void *context)
{
	struct bell *bell = context;
	pthread_mutex_lock(&bell->lock);
	bell->count++;
	pthread_cond_signal(&bell->rung);
	pthread_mutex_unlock(&bell->lock);
}

/* Waits until answers came since COUNT, which moves on. */
static void
wait_for_answer(struct bell *bell, const struct cycles *cycles, unsigned *count)
{
	struct timespec until;
	thread_deadline(&until, 10000);
	pthread_mutex_lock(&bell->lock);
	while (cycles_generation(cycles) == *count)
		assert_int_equal(pthread_cond_timedwait(&bell->rung, &bell->lock, &until), 0);
	pthread_mutex_unlock(&bell->lock);
	*count = cycles_generation(cycles);
}

static bool
is_same(const struct cycles_estimate *a, const struct cycles_estimate *b)
{
	return a->known == b->known &&
	       (!a->known || (a->ticks == b->ticks && a->from == b->from && a->to == b->to));
}

/* The answers for the first COUNT messages of a cell are those of a walk, as soon as
 * all is known. */
static void
check_answers(struct trace *trace, struct bell *bell, uint64_t cell, size_t count)
{
	struct cycles *cycles = session_of(trace)->cycles;
	struct cycles_walk *w = cycles_walk_new(trace);
	const struct cycles_estimate *estimates;
	struct cycles_estimate answer;
	unsigned answered = 0;
	const struct decoded_cell *decoded = cycles_walk_cell(w, cell, &estimates);
	for (size_t i = 0; i < count; i++) {
		cycles_find(trace, &decoded->messages[i], &answer);
		while (!is_same(&answer, &estimates[i])) {
			cycles_wake(cycles);
			wait_for_answer(bell, cycles, &answered);
			cycles_find(trace, &decoded->messages[i], &answer);
		}
	}
	cycles_walk_free(w);
}

/* An answer comes as soon as the index knows the cell; when all is known it is that
 * of a walk. */
static void
test_asking(void **state)
{
	(void)state;
	struct fixture f = {0};
	struct schedule s = {.wobble = 0.2};
	struct bell bell;
	bell_init(&bell);
	struct cycles_estimate answer;
	schedule_make(&s, 4000, 3);
	struct trace *trace = open_listing(&f, &s.text);
	struct cycles *cycles = f.session.cycles;
	session_notify(&f.session, ring, &bell);
	cycles_start(cycles);
	struct reader *reader = reader_new(trace);
	const struct decoded_cell *decoded = reader_decoded_cell(reader, 1);
	VEC(struct message) asked = {0};
	for (size_t i = 0; i < 200; i++)
		*vec_add(&asked) = decoded->messages[i];
	for (size_t i = 0; i < asked.count; i++)
		assert_false(cycles_find(trace, &asked.at[i], &answer));
	fixture_build(&f);
	decoded = reader_decoded_cell(reader, 1);
	assert_true(decoded->exact);
	cycles_wake(cycles);
	check_answers(trace, &bell, 1, asked.count);
	vec_free(&asked);
	reader_free(reader);
	session_notify(&f.session, NULL, NULL);
	fixture_close(&f);
	schedule_free(&s);
}

/* What the last message of a listing is said to be, once it is between FROM and TO. */
static uint64_t
ask_last(struct trace *trace, struct bell *bell, uint64_t place, uint64_t from, uint64_t to)
{
	struct cycles *cycles = session_of(trace)->cycles;
	struct reader *reader = reader_new(trace);
	struct cycles_estimate answer;
	struct position at;
	assert_true(reader_find_offset(reader, place, &at));
	struct message m = *reader_message(reader, at);
	for (;;) {
		unsigned count = cycles_generation(cycles);
		if (cycles_find(trace, &m, &answer) && answer.to == to)
			break;
		cycles_wake(cycles);
		wait_for_answer(bell, cycles, &count);
	}
	assert_int_equal(answer.from, from);
	reader_free(reader);
	return answer.ticks;
}

/* An answer becomes better as the capture grows. */
static void
test_growing(void **state)
{
	(void)state;
	struct fixture f = {0};
	struct text text = {0};
	struct bell bell;
	bell_init(&bell);
	add_line(&text, 't', 1000);
	add_line(&text, 'c', 40);
	add_line(&text, 't', 2000);
	uint64_t place = text.length;
	add_line(&text, 'c', 10);
	struct trace *trace = open_listing(&f, &text);
	session_notify(&f.session, ring, &bell);
	cycles_start(f.session.cycles);
	fixture_build(&f);
	assert_int_equal(ask_last(trace, &bell, place, 2000, UINT64_MAX), 2250);
	add_line(&text, 't', 3000);
	folder_put(&f.folder, "a.ppl", text.data, text.length);
	assert_true(trace_refresh(trace));
	fixture_build(&f);
	assert_int_equal(ask_last(trace, &bell, place, 2000, 3000), 3000);
	session_notify(&f.session, NULL, NULL);
	fixture_close(&f);
	text_free(&text);
}

/* --- order ------------------------------------------------------------- */

/* A message of several traces: by the latest time told up to it in its trace. */
struct entry {
	int64_t key;
	size_t trace, number;
};

static int
compare_entries(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->trace != b->trace)
		return a->trace < b->trace ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Checks the order, and asks for all estimates; how many there are. */
static size_t
check_order(struct session *session, struct sequence *sequence, const struct entry *entries,
	    size_t count)
{
	struct sequence_position p;
	struct cycles_estimate answer;
	size_t known = 0;
	assert_true(sequence_first(sequence, &p));
	for (size_t i = 0; i < count; i++) {
		bool exact;
		struct reader *reader = sequence_reader(sequence, p.trace);
		assert_int_equal(p.trace, entries[i].trace);
		assert_int_equal(reader_number(reader, p.at, &exact), entries[i].number);
		known += cycles_find(session->traces.at[p.trace], sequence_message(sequence, p),
				     &answer);
		assert_int_equal(sequence_next(sequence, &p), i + 1 < count);
	}
	return known;
}

/* Estimates change no order. */
static void
test_order(void **state)
{
	(void)state;
	struct fixture f = {0};
	struct schedule s[2] = {{.wobble = 0.2}, {.wobble = 0.2}};
	struct bell bell;
	bell_init(&bell);
	unsigned count = 0;
	VEC(struct entry) entries = {0};
	folder_make(&f.folder);
	for (size_t i = 0; i < 2; i++) {
		int64_t key = INT64_MIN;
		schedule_make(&s[i], 1500, 7 + (uint32_t)i);
		folder_put(&f.folder, i ? "b.ppl" : "a.ppl", s[i].text.data, s[i].text.length);
		for (size_t n = 0; n < s[i].lines.count; n++) {
			int64_t told = (int64_t)s[i].lines.at[n].told + (i ? 100 : 0);
			if (s[i].lines.at[n].time && told > key)
				key = told;
			*vec_add(&entries) = (struct entry){key, i, n};
		}
	}
	qsort(entries.at, entries.count, sizeof *entries.at, compare_entries);
	fixture_open(&f, "traces: [" LISTING("a") ", " LISTING(
			     "b") "]\n"
				  "sync: [{kind: offset, trace: b, seconds: 1e-7}]\n");
	fixture_build(&f);
	session_notify(&f.session, ring, &bell);
	cycles_start(f.session.cycles);
	struct sequence *sequence = sequence_new(&f.session);
	sequence_load(sequence);
	for (;;) { /* before there are estimates, and then */
		size_t known = check_order(&f.session, sequence, entries.at, entries.count);
		if (known > entries.count / 2)
			break;
		wait_for_answer(&bell, f.session.cycles, &count);
	}
	sequence_free(sequence);
	session_notify(&f.session, NULL, NULL);
	fixture_close(&f);
	vec_free(&entries);
	schedule_free(&s[0]);
	schedule_free(&s[1]);
}

/* --- a real capture ---------------------------------------------------- */

/* In each source time never goes back, nor out of the times around it. */
static void
check_rises(struct trace *trace)
{
	struct cycles_walk *w = cycles_walk_new(trace);
	struct {
		uint64_t last, told;
	} sources[256] = {0};
	size_t known = 0;
	for (uint64_t cell = 0; cell < index_known(trace_index(trace)); cell++) {
		const struct cycles_estimate *estimates;
		const struct decoded_cell *decoded = cycles_walk_cell(w, cell, &estimates);
		for (size_t i = 0; i < decoded->count; i++) {
			const struct message *m = &decoded->messages[i];
			uint64_t now = m->flags & MESSAGE_TIMED ? m->ticks : estimates[i].ticks;
			if (!(m->flags & MESSAGE_TIMED) && !estimates[i].known)
				continue;
			assert_true(now >= sources[m->origin & 0xff].last);
			sources[m->origin & 0xff].last = now;
			if (m->flags & MESSAGE_TIMED) {
				sources[m->origin & 0xff].told = now;
				continue;
			}
			known++;
			assert_int_equal(estimates[i].from, sources[m->origin & 0xff].told);
			assert_in_range(now, estimates[i].from, estimates[i].to);
		}
	}
	assert_true(known > 20000);
	cycles_walk_free(w);
}

static void
test_reference(void **state)
{
	(void)state;
	const char *srcdir = getenv("srcdir");
	struct text path = {0};
	struct fixture f = {0};
	struct bell bell;
	bell_init(&bell);
	struct err err = {0};
	text_addf(&path, "%s/../shared/captures/opencsd/TC2", srcdir ? srcdir : ".");
	if (access(text_get(&path), R_OK) || !opencsd_library_version()) {
		print_message("# no reference captures beside this checkout, or built without the "
			      "OpenCSD library\n");
		text_free(&path);
		skip();
	}
	option_defaults(profile_options_table(), &f.session.profile);
	struct trace *trace = session_open(&f.session, text_get(&path), NULL, NULL, 0, &err);
	if (trace) {
		session_link(&f.session);
		trace_build(trace);
		check_rises(trace);
		session_notify(&f.session, ring, &bell);
		cycles_start(f.session.cycles);
		check_answers(trace, &bell, 0, 4000);
		session_notify(&f.session, NULL, NULL);
	}
	session_close(&f.session);
	text_free(&path);
	if (!trace)
		skip();
}

/* A list has the date in its header: rows keep the sign of what is estimated. */
static void
test_rows(void **state)
{
	(void)state;
	struct display_time shown = {.clock = {.hz = 1e9, .has_epoch = true},
				     .ticks = UINT64_C(1714566605500000000),
				     .estimated = true};
	struct text date = {0}, rest = {0}, whole = {0};
	display_time_format_parts(&shown, &date, &rest);
	assert_string_equal(text_get(&date), "2024-05-01");
	assert_string_equal(text_get(&rest), "~12:30:05.500000000");
	display_time_format(&shown, &whole);
	assert_string_equal(text_get(&whole), "~2024-05-01 12:30:05.500000000");
	text_clear(&whole);
	display_time_format_beside(&shown, &shown, &whole);
	assert_string_equal(text_get(&whole), text_get(&rest));
	text_clear(&whole);
	display_time_format_beside(&shown, NULL, &whole);
	assert_string_equal(text_get(&whole), "~2024-05-01 12:30:05.500000000");
	text_free(&date);
	text_free(&rest);
	text_free(&whole);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steady),    cmocka_unit_test(test_unsteady),
	    cmocka_unit_test(test_losses),    cmocka_unit_test(test_rules),
	    cmocka_unit_test(test_far),	      cmocka_unit_test(test_asking),
	    cmocka_unit_test(test_growing),   cmocka_unit_test(test_order),
	    cmocka_unit_test(test_reference), cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
