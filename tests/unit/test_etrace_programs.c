/*
 * Programs that QEMU executed instruction by instruction (tests/flow), encoded in many ways by
 * an encoder written apart, decoded and followed: every instruction and trap must be given
 * back.
 */
#include "config.h"

#include "test.h"

#include "etrace_encode.h"
#include "flow/etrace_walk.h"
#include "flow/flow_hold.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

static const struct program {
	const char *name;
	bool unbalanced; /* returns elsewhere than behind calls: a counter cannot tell */
} programs[] = {
    {"recurse", false}, {"jumps", true},  {"tails", false}, {"tables", false},
    {"loops", false},	{"traps", false}, {"modes", false},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, STYLES = 80 };

/* --- ways to encode ------------------------------------------------------ */

static bool
chance(uint64_t *r, unsigned percent)
{
	return random_below(r, 100) < percent;
}

/* Each fourth is plain but for what it is there for; numbers must hold what programs need. */
static struct etrace_style
make_style(unsigned number, const struct etrace_run *run, const struct program *program)
{
	uint64_t r = number + 100;
	struct etrace_style style = {
	    .address_width = run->wide || chance(&r, 30) ? 64 : 32,
	    .address_lsb = chance(&r, 80),
	    .privilege = 2,
	    .cause = 4 + random_below(&r, 4),
	    .context = chance(&r, 40) ? 1 + random_below(&r, 20) : 0,
	    .time = chance(&r, 40) ? 16 + random_below(&r, 33) : 0,
	    .encap = {.srcid = chance(&r, 50) ? 8 : 0, .stamp = chance(&r, 30) ? 4 : 0},
	    .pulp = number & 1,
	    .full_address = number & 2,
	    .implicit_return = number & 4,
	    .sijump = number & 1 && number & 8,
	    .trap_retires = number & 16,
	    .seed = number,
	};
	style.stamped = style.encap.stamp;
	if (style.implicit_return && (number & 32 || program->unbalanced))
		style.stack_size = 1 + random_below(&r, 8);
	else if (style.implicit_return)
		style.counter_size = 7 + random_below(&r, 3);
	if (chance(&r, 60))
		style.resync = 3 + random_below(&r, 60);
	if (chance(&r, 40))
		style.notify = 1 + random_below(&r, 60);
	if (style.context)
		style.contexts = random_below(&r, 20);
	return style;
}

static void
set_options(struct etrace_options *o, const struct etrace_style *style)
{
	o->iaddress_width = style->address_width;
	o->iaddress_lsb = style->address_lsb;
	o->privilege_width = style->privilege;
	o->ecause_width = style->cause;
	o->nocontext = !style->context;
	o->context_width = style->context ? style->context : 1;
	o->notime = !style->time;
	o->time_width = style->time ? style->time : 1;
	o->f0s_width = style->cache_size && style->predictor_size;
	o->cache_size = style->cache_size;
	o->bpred_size = style->predictor_size;
	o->return_stack_size = style->stack_size;
	o->call_counter_size = style->counter_size;
	o->ioptions = style->pulp ? ETRACE_LAYOUT_PULP : ETRACE_LAYOUT_REFERENCE;
}

/* --- following ----------------------------------------------------------- */

/* An instruction or a trap, and the message that told it. */
struct told {
	uint64_t pc; /* of a trap: EPC */
	size_t message;
	bool trap, interrupt, unknown; /* its EPC */
	bool doubtful;
	uint64_t cause, tval;
};

struct follower {
	const struct etrace_run *run;
	struct flow_hold *hold;
	size_t message;
	unsigned damaged;
	const char *why; /* of the first damage */
	VEC(struct told) told;
};

static void
hold_step(void *context, const struct flow_step *step)
{
	struct follower *f = context;
	const struct flow_place place = {.number = f->message};
	flow_hold_add(f->hold, 0, &place, step);
}

static unsigned
length_at(const struct etrace_run *run, uint64_t pc)
{
	assert_true(pc - run->base < run->length);
	return (run->bytes[pc - run->base] & 3) == 3 ? 4 : 2;
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct follower *f = context;
	struct told told = {.message = (size_t)place->number, .doubtful = step->doubtful};
	if (step->kind == FLOW_STEP_DAMAGE) {
		f->why = f->damaged++ ? f->why : step->why;
	} else if (step->kind == FLOW_STEP_TRAP) {
		told.trap = true;
		told.unknown = !step->has_epc;
		told.pc = step->has_epc ? step->epc : 0;
		told.interrupt = step->interrupt;
		told.cause = step->cause;
		told.tval = step->has_tval ? step->tval : 0;
		*vec_add(&f->told) = told;
	} else if (step->kind == FLOW_STEP_RUN) {
		told.pc = step->first;
		for (uint32_t i = 0; i < step->count; i++) {
			*vec_add(&f->told) = told;
			told.pc += length_at(f->run, told.pc);
		}
		assert_int_equal(told.pc, step->end);
	}
}

static struct image *
open_image(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	struct err err = {0};
	struct image *image = image_new();
	snprintf(path, sizeof path, "%s/tests/flow/%s.elf", srcdir ? srcdir : ".", name);
	if (image_add(image, path, &(const struct image_place){0}, &err) < 0)
		fail_msg("%s", err.what);
	return image;
}

/* Decodes and follows BYTES. */
static void
follow(struct follower *f, const struct etrace_run *run, struct flow_code *code,
       const struct etrace_style *style, const void *bytes, size_t length)
{
	struct decoded d = decoded_new(&style->encap);
	struct flow_packet packet;
	*f = (struct follower){.run = run};
	set_options(&d.options.etrace, style);
	decoded_open(&d, bytes, length);
	f->hold = flow_hold_new(take_step, f);
	struct etrace_walk *walk = etrace_walk_new(code, hold_step, f);
	for (; f->message < d.messages.count; f->message++) {
		encap_ops.flow(d.decoder, &d.messages.at[f->message], &d.window, &packet);
		etrace_walk_packet(walk, &packet);
	}
	flow_hold_end(f->hold);
	flow_hold_free(f->hold);
	etrace_walk_free(walk);
	decoded_close(&d);
}

/* --- what is given back -------------------------------------------------- */

static bool
is_same(const struct told *told, const struct etrace_ran *want)
{
	if (told->trap != want->trap)
		return false;
	if (!want->trap)
		return told->pc == want->pc;
	return (told->unknown || told->pc == want->pc) && told->interrupt == want->interrupt &&
	       told->cause == want->cause && (want->interrupt || told->tval == want->tval);
}

static void
compare(const struct follower *f, const struct etrace_sent *sent, const char *what)
{
	size_t count = sent->want.count;
	for (size_t i = 0; i < count && i < f->told.count; i++)
		if (!is_same(&f->told.at[i], &sent->want.at[i]) || f->told.at[i].doubtful)
			fail_msg("%s: entry %zu of %zu: %llx%s, not %llx%s; %s", what, i, count,
				 (unsigned long long)f->told.at[i].pc,
				 f->told.at[i].trap ? " (trap)" : "",
				 (unsigned long long)sent->want.at[i].pc,
				 sent->want.at[i].trap ? " (trap)" : "", f->why ? f->why : "");
	if (f->damaged)
		fail_msg("%s: damage: %s", what, f->why);
	assert_int_equal(f->told.count, count);
}

static void
programs_are_given_back(void **state)
{
	unsigned formats[PACKETS] = {0}, helped = 0, unknown = 0, traps = 0;
	(void)state;
	for (unsigned p = 0; p < PROGRAMS; p++) {
		struct etrace_run run;
		etrace_run_read(&run, programs[p].name);
		struct image *image = open_image(programs[p].name);
		struct flow_code *code = flow_code_new(image);
		for (unsigned number = 0; number < STYLES; number++) {
			struct etrace_style style = make_style(number, &run, &programs[p]);
			struct etrace_sent sent;
			struct follower f;
			char what[64];
			snprintf(what, sizeof what, "%s, style %u", programs[p].name, number);
			etrace_encode(&run, &style, &sent);
			if (sent.unsure)
				fail_msg("%s: packets cannot tell it", what);
			follow(&f, &run, code, &style, sent.stream.bytes, sent.stream.length);
			compare(&f, &sent, what);
			for (unsigned i = 0; i < PACKETS; i++)
				formats[i] += sent.formats[i];
			for (size_t i = 0; i < f.told.count; i++) {
				traps += f.told.at[i].trap;
				unknown += f.told.at[i].trap && f.told.at[i].unknown;
			}
			helped += sent.helped;
			vec_free(&f.told);
			etrace_sent_free(&sent);
		}
		flow_code_free(code);
		image_free(image);
		etrace_run_free(&run);
	}
	/* all that the packets can be is among them */
	for (unsigned i = PACKET_BRANCHES; i < PACKETS; i++)
		assert_true(formats[i] > 500);
	assert_true(traps > 5000 && helped > 100);
	assert_int_equal(unknown, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs_are_given_back),
	};
	return cmocka_run_group_tests_name("etrace_programs", tests, NULL, NULL);
}
