/*
 * Programs that QEMU executed instruction by instruction (tests/flow), encoded in many ways by
 * an encoder written apart, decoded and followed: every instruction and trap must be given
 * back.
 */
#include "config.h"

#include "test.h"

#include "etrace_encode.h"
#include "flow/flow_walk.h"
#include "flow/flow_hold.h"
#include "program_path.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct program {
	const char *name;
	bool unbalanced; /* returns elsewhere than behind calls: a counter cannot tell */
	bool modes;	 /* runs in several modes of privilege */
	uint64_t mtvec, stvec;
} programs[] = {
    {.name = "recurse"},
    {.name = "jumps", .unbalanced = true},
    {.name = "tails"},
    {.name = "tables"},
    {.name = "loops"},
    {.name = "traps", .mtvec = 0x80000024},
    {.name = "modes", .modes = true, .mtvec = 0x80000201, .stvec = 0x80000301},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, STYLES = 160 };

/* A program, what it did, and its code. */
struct subject {
	const struct program *program;
	struct etrace_run run;
	struct image *image;
	struct flow_code *code;
};

static void
subject_open(struct subject *s, const struct program *program)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	struct err err = {0};
	*s = (struct subject){.program = program, .image = image_new()};
	etrace_run_read(&s->run, program->name);
	snprintf(path, sizeof path, "%s/tests/flow/%s.elf", srcdir ? srcdir : ".", program->name);
	if (image_add_path(s->image, path, &(const struct image_place){0}, &err) < 0)
		fail_msg("%s", err.what);
	s->code = flow_code_new(s->image);
}

static void
subject_close(struct subject *s)
{
	flow_code_free(s->code);
	image_free(s->image);
	etrace_run_free(&s->run);
}

/* --- ways to encode ------------------------------------------------------ */

static bool
chance(uint64_t *r, unsigned percent)
{
	return random_below(r, 100) < percent;
}

/* Each fourth is plain but for what it is there for; numbers must hold what programs need. */
static struct etrace_style
make_style(unsigned number, const struct subject *subject)
{
	uint64_t r = number + 100;
	struct etrace_style style = {
	    .address_width = subject->run.wide || chance(&r, 30) ? 64 : 32,
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
	    .implicit_exception = number & 64,
	    .unannounced = number % 5 == 0,
	    .seed = number,
	};
	style.stamped = style.encap.stamp;
	if (style.implicit_return && (number & 32 || subject->program->unbalanced))
		style.stack_size = 1 + random_below(&r, 8);
	else if (style.implicit_return)
		style.counter_size = 7 + random_below(&r, 3);
	/* an encoder may have what is off */
	if (number % 3)
		style.predictor_size = chance(&r, 70) ? 1 + random_below(&r, 10) : 0;
	if (number % 3)
		style.cache_size = chance(&r, 70) ? 1 + random_below(&r, 8) : 0;
	style.branch_prediction = style.predictor_size && chance(&r, 80);
	style.jump_target_cache = style.cache_size && chance(&r, 80);
	/* long runs of branches that are predicted */
	bool rarely = style.branch_prediction && chance(&r, 60);
	if (chance(&r, 60) && !rarely)
		style.resync = 3 + random_below(&r, 60);
	if (chance(&r, 40) && !rarely)
		style.notify = 1 + random_below(&r, 60);
	if (style.context)
		style.contexts = random_below(&r, 20);
	return style;
}

static void
set_options(struct etrace_options *o, const struct etrace_style *style,
	    const struct program *program)
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
	o->mtvec = program->mtvec ? program->mtvec : 4; /* there are no traps */
	o->stvec = program->stvec;
	if (style->unannounced) {
		o->full_address = style->full_address;
		o->implicit_return = style->implicit_return;
		o->implicit_exception = style->implicit_exception;
		o->sijump = style->sijump;
		o->jump_target_cache = style->jump_target_cache;
		o->branch_prediction = style->branch_prediction;
	}
	o->ioptions = style->pulp ? ETRACE_LAYOUT_PULP : ETRACE_LAYOUT_REFERENCE;
}

/* --- following ----------------------------------------------------------- */

/* An instruction or a trap, and the message that told it, by its place in the stream.  Parts
 * begin where a walk begins, and end where it does. */
struct told {
	unsigned part;
	uint64_t pc; /* of a trap: EPC */
	size_t offset;
	bool trap, interrupt, unknown; /* its EPC */
	bool doubtful;
	uint64_t cause, tval;
	const char *mode;
};

/* A packet. */
struct seen {
	struct flow_packet packet;
	size_t offset;
	unsigned part;
	bool breaks; /* the walk ended at it */
};

struct follower {
	const struct etrace_run *run;
	unsigned part;
	bool breaks;
	VEC(struct seen) seen;
	struct flow_hold *hold;
	uint64_t offset; /* of the message */
	unsigned damaged;
	const char *why; /* of the first damage */
	VEC(struct told) told;
};

static void
hold_step(void *context, const struct flow_step *step)
{
	struct follower *f = context;
	const struct flow_place place = {.number = f->offset, .origin = f->part};
	flow_hold_add(f->hold, 0, &place, step);
	f->breaks |= step->kind == FLOW_STEP_DAMAGE;
	f->part += step->kind == FLOW_STEP_DAMAGE;
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
	struct told told = {.part = (unsigned)place->origin,
			    .offset = (size_t)place->number,
			    .doubtful = step->doubtful};
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
		told.mode = step->mode;
		for (uint32_t i = 0; i < step->count; i++) {
			*vec_add(&f->told) = told;
			told.pc += length_at(f->run, told.pc);
		}
		assert_int_equal(told.pc, step->end);
	}
}

/* Decodes and follows BYTES. */
static void
follow(struct follower *f, const struct subject *subject, const struct etrace_style *style,
       const void *bytes, size_t length)
{
	struct decoded d = decoded_new(&style->encap);
	struct flow_packet packet;
	*f = (struct follower){.run = &subject->run};
	set_options(&d.options.etrace, style, subject->program);
	decoded_open(&d, bytes, length);
	f->hold = flow_hold_new(take_step, f);
	void *walk = etrace_walk_form.open(subject->code, NULL, hold_step, f);
	for (size_t i = 0; i < d.messages.count; i++) {
		f->offset = d.messages.at[i].offset;
		encap_ops.flow(d.decoder, &d.messages.at[i], &d.window,
			       etrace_walk_form.modes(walk), &packet);
		struct seen *seen = vec_add(&f->seen);
		*seen = (struct seen){.packet = packet, .offset = f->offset, .part = f->part};
		f->breaks = false;
		etrace_walk_form.packet(walk, &packet);
		seen->breaks = f->breaks;
		f->part += packet.kind == FLOW_SUPPORT && packet.status != FLOW_NO_CHANGE;
	}
	flow_hold_end(f->hold);
	flow_hold_free(f->hold);
	etrace_walk_form.close(walk);
	decoded_close(&d);
}

static void
follower_free(struct follower *f)
{
	vec_free(&f->told);
	vec_free(&f->seen);
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

/* In which mode it was executed [RISC-V II, "Privilege Levels"]. */
static bool
is_of_mode(const struct told *told, const struct etrace_ran *want)
{
	static const char *const names[] = {"U", "S", NULL, "M"};
	return want->trap || (told->mode && !strcmp(told->mode, names[want->privilege]));
}

static void
compare(const struct follower *f, const struct etrace_sent *sent, const char *what)
{
	size_t count = sent->want.count;
	for (size_t i = 0; i < count && i < f->told.count; i++)
		if (!is_of_mode(&f->told.at[i], &sent->want.at[i]))
			fail_msg("%s: entry %zu of %zu: in mode %s", what, i, count,
				 f->told.at[i].mode);
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
		struct subject subject;
		subject_open(&subject, &programs[p]);
		for (unsigned number = 0; number < STYLES; number++) {
			struct etrace_style style = make_style(number, &subject);
			struct etrace_sent sent;
			struct follower f;
			char what[64];
			snprintf(what, sizeof what, "%s, style %u", programs[p].name, number);
			etrace_encode(&subject.run, &style, &sent);
			if (sent.unsure)
				fail_msg("%s: packets cannot tell it", what);
			follow(&f, &subject, &style, sent.stream.bytes, sent.stream.length);
			compare(&f, &sent, what);
			for (unsigned i = 0; i < PACKETS; i++)
				formats[i] += sent.formats[i];
			for (size_t i = 0; i < f.told.count; i++) {
				traps += f.told.at[i].trap;
				unknown += f.told.at[i].trap && f.told.at[i].unknown;
			}
			helped += sent.helped;
			follower_free(&f);
			etrace_sent_free(&sent);
		}
		subject_close(&subject);
	}
	/* all that the packets can be is among them */
	for (unsigned i = 0; i < PACKETS; i++)
		if (formats[i] <= 200)
			fail_msg("%u packets of format %u", formats[i], i);
	assert_true(traps > 5000 && helped > 100);
	assert_int_equal(unknown, 0);
}

/* --- damage -------------------------------------------------------------- */

enum harm { DROPPED, FLIPPED, CUT, HARMS };

/* What may be unsaid, of 100. */
static const struct {
	const char *name;
	unsigned percent;
} harms[HARMS] = {
    [DROPPED] = {"a packet dropped", 12},
    [FLIPPED] = {"a bit flipped", 7},
    [CUT] = {"bytes cut out", 3},
};

/* Damages a copy of what was sent at packet WHICH; bytes behind *AT are *LATER later, in the
 * copy, than they were. */
static void
do_harm(struct stream *copy, const struct etrace_sent *sent, uint64_t *r, enum harm harm,
	size_t which, size_t *at, ptrdiff_t *later)
{
	size_t begin = which ? sent->ends.at[which - 1] : 0, end = sent->ends.at[which];
	size_t length = sent->stream.length;
	stream_add(copy, sent->stream.bytes, length);
	*at = begin;
	*later = 0;
	if (harm == FLIPPED) {
		size_t bit = 8 * begin + random_below(r, 8 * (end - begin));
		copy->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		return;
	}
	if (harm == CUT) {
		size_t from = begin + random_below(r, end - begin);
		size_t most = length - from;
		end = from + 1 + random_below(r, most < 40 ? most : 40);
		begin = from;
	}
	*at = begin;
	*later = -(ptrdiff_t)(end - begin);
	memmove(copy->bytes + begin, copy->bytes + end, length - end);
	copy->length -= end - begin;
}

static bool
are_same(const struct follower *f, size_t from, size_t count, const struct etrace_sent *sent,
	 size_t at)
{
	for (size_t i = 0; i < count; i++)
		if (at + i >= sent->want.count ||
		    (!f->told.at[from + i].doubtful &&
		     !is_same(&f->told.at[from + i], &sent->want.at[at + i])))
			return false;
	return true;
}

static bool
is_sync(const struct flow_packet *p)
{
	return p->kind == FLOW_START || (p->kind == FLOW_TRAP && p->thaddr);
}

/* Whether packets and program disagree between the synchronisations around OFFSET. */
static bool
shows_damage(const struct follower *f, size_t offset)
{
	bool shown = false;
	for (size_t i = 0; i < f->seen.count; i++) {
		const struct seen *seen = &f->seen.at[i];
		bool sync = is_sync(&seen->packet);
		if (sync && seen->offset < offset)
			shown = false;
		shown |= seen->breaks;
		if (sync && seen->offset >= offset)
			break;
	}
	return shown;
}

/* Of what is told: */
struct wrong {
	size_t count; /* that was not executed there, and is not called a guess */
	bool *parts;  /* that it is of */
	bool shown;   /* it stands where packets and program disagree */
};

/* Counts what is told that was not executed there.  What a packet tells is either what comes
 * next, or ends where it did undamaged. */
static void
count_wrong(const struct follower *f, struct wrong *wrong, const struct follower *right,
	    const struct etrace_sent *sent, size_t at, ptrdiff_t later)
{
	size_t position = 0, end, known = 0, last = 0;
	for (size_t from = 0; from < f->told.count; from = end) {
		size_t offset = f->told.at[from].offset, doubtful = 0;
		for (end = from; end < f->told.count && f->told.at[end].offset == offset; end++)
			doubtful += f->told.at[end].doubtful;
		size_t count = end - from;
		size_t before = offset < at ? offset : offset - (size_t)later;
		while (known < right->told.count && right->told.at[known].offset <= before)
			last = ++known;
		if (last >= count && are_same(f, from, count, sent, last - count))
			position = last;
		else if (are_same(f, from, count, sent, position))
			position += count;
		else if (count > doubtful) {
			wrong->count += count - doubtful;
			wrong->shown |= shows_damage(f, offset);
			for (size_t i = from; i < end; i++)
				wrong->parts[f->told.at[i].part] |= !f->told.at[i].doubtful;
		}
	}
}

/* What of a packet tells of the path. */
static bool
is_of_path(const struct flow_packet *p)
{
	return (p->kind >= FLOW_START && p->kind <= FLOW_INDEX) &&
	       (p->kind != FLOW_SUPPORT || p->status != FLOW_NO_CHANGE);
}

/* The address of a trap may be anything where another one comes before its handler began:
 * "undefined for other exceptions and interrupts" [E-Trace 2.0, "Format 3 thaddr, address and
 * privilege fields"]. */
static bool
has_address(const struct flow_packet *p, bool last)
{
	return p->kind != FLOW_TRAP || p->thaddr || last || p[1].kind != FLOW_TRAP;
}

/* LAST: nothing stands behind B. */
static bool
tell_the_same(const struct flow_packet *a, const struct flow_packet *b, bool last)
{
	return a->kind == b->kind && a->branch == b->branch && a->interrupt == b->interrupt &&
	       a->thaddr == b->thaddr && a->notify == b->notify && a->updiscon == b->updiscon &&
	       a->irreport == b->irreport && a->branches == b->branches &&
	       !((a->branch_map ^ b->branch_map) & ((1u << a->branches) - 1)) &&
	       a->privilege == b->privilege && a->status == b->status && a->irdepth == b->irdepth &&
	       (a->address == b->address || !has_address(b, last)) && a->count == b->count &&
	       a->index == b->index && a->fails == b->fails && a->addressed == b->addressed &&
	       a->cause == b->cause && a->tval == b->tval;
}

/* A part of what was told, as a run, and what an encoder did there at will. */
struct part {
	struct etrace_run run;
	VEC(uint8_t) will;
	VEC(struct flow_packet) packets; /* behind the first one */
	bool whole;			 /* to where tracing ended */
};

static void
part_free(struct part *part)
{
	vec_free(&part->run.ran);
	vec_free(&part->will);
	vec_free(&part->packets);
}

static void
add_told(struct part *part, const struct told *told, uint8_t privilege)
{
	*vec_add(&part->will) = 0;
	if (!told->trap)
		assert_true(etrace_run_add(&part->run, told->pc, privilege));
	else
		*vec_add(&part->run.ran) = (struct etrace_ran){.pc = told->pc,
							       .privilege = privilege,
							       .trap = true,
							       .interrupt = told->interrupt,
							       .cause = told->cause,
							       .tval = told->tval};
}

/* What the encoder did there at will, if packet P told it; LAST: nothing behind it. */
static uint8_t
will_of(const struct flow_packet *p, bool trap, bool last)
{
	uint8_t will = 0;
	if (trap && p->kind == FLOW_TRAP && p->thaddr && p->interrupt)
		will |= ETRACE_WILL_ENTER;
	if (!last)
		return will;
	will |= p->kind == FLOW_START ? ETRACE_WILL_START : 0;
	will |= p->notify ? ETRACE_WILL_NOTIFY : 0;
	will |= p->kind == FLOW_ADDRESS ? ETRACE_WILL_SPELL : 0;
	will |= p->kind == FLOW_INDEX ? ETRACE_WILL_INDEX : 0;
	will |= p->irreport ? ETRACE_WILL_DEPTH : 0;
	return will;
}

static void
make_part(struct part *part, const struct follower *f, unsigned number)
{
	uint8_t privilege = 3;
	size_t at = 0;
	bool begun = false;
	*part = (struct part){.run = *f->run};
	memset(&part->run.ran, 0, sizeof part->run.ran);
	for (size_t i = 0; i < f->seen.count; i++) {
		const struct seen *seen = &f->seen.at[i];
		const struct flow_packet *p = &seen->packet;
		bool sync = is_sync(p);
		if (seen->part > number)
			break;
		while (at < f->told.count &&
		       (f->told.at[at].part < number || f->told.at[at].offset < seen->offset))
			at++;
		for (; at < f->told.count && f->told.at[at].offset == seen->offset &&
		       f->told.at[at].part == number;
		     at++) {
			bool last = at + 1 == f->told.count ||
				    f->told.at[at + 1].offset != seen->offset ||
				    f->told.at[at + 1].part != number;
			if (sync && last)
				privilege = p->privilege;
			if (!part->run.ran.count && f->told.at[at].trap)
				continue;
			add_told(part, &f->told.at[at], privilege);
			if (seen->part == number)
				part->will.at[part->will.count - 1] |=
				    will_of(p, f->told.at[at].trap, last);
		}
		bool first = !begun;
		begun = part->run.ran.count > 0;
		if (seen->part == number && begun && !first && !seen->breaks && is_of_path(p)) {
			*vec_add(&part->packets) = *p;
			part->whole = p->kind == FLOW_SUPPORT;
		}
	}
}

/* Whether an encoder would have sent just the packets of PART, had the program gone as it was
 * told: they are valid by the specification, and nothing shows that something else was sent. */
static bool
could_be_sent(const struct follower *f, const struct subject *subject,
	      const struct etrace_style *style, unsigned number)
{
	struct part part;
	struct etrace_style same = *style;
	struct etrace_sent sent = {0};
	struct follower again;
	size_t at = 0;
	make_part(&part, f, number);
	*vec_add(&part.will) = 0;
	same.trap_retires = false;
	same.contexts = 0;
	same.unannounced = true;
	same.will = part.will.at;
	if (!part.run.ran.count) {
		part_free(&part);
		return true;
	}
	etrace_encode(&part.run, &same, &sent);
	follow(&again, subject, &same, sent.stream.bytes, sent.stream.length);
	size_t compared = part.packets.count - (!part.whole && part.packets.count);
	bool equal = !sent.unsure;
	for (size_t i = 1; i < again.seen.count && equal; i++) {
		const struct flow_packet *p = &again.seen.at[i].packet;
		if (!is_of_path(p))
			continue;
		equal = at >= compared ||
			tell_the_same(p, &part.packets.at[at], at + 1 == part.packets.count);
		at++;
	}
	equal &= at >= compared;
	part_free(&part);
	follower_free(&again);
	etrace_sent_free(&sent);
	return equal;
}

struct tally {
	unsigned trials[HARMS], unsaid[HARMS];
	unsigned asked, impossible; /* of the unsaid: whether an encoder could have sent it, */
	unsigned shown;		    /* and whether something near it tells of damage */
};

static void
try_harm(struct tally *tally, const struct subject *subject, const struct etrace_style *style,
	 const struct etrace_sent *sent, const struct follower *right, uint64_t *r)
{
	enum harm harm = random_below(r, HARMS);
	struct stream copy = {0};
	struct follower f;
	ptrdiff_t later;
	size_t at, which = 1 + random_below(r, sent->ends.count - 1);
	do_harm(&copy, sent, r, harm, which, &at, &later);
	follow(&f, subject, style, copy.bytes, copy.length);
	struct wrong wrong = {.parts = mem_new(f.part + 1)};
	count_wrong(&f, &wrong, right, sent, at, later);
	bool could = true, unsaid = wrong.count > 0;
	for (unsigned i = 0; i <= f.part; i++)
		could = could && (!wrong.parts[i] || could_be_sent(&f, subject, style, i));
	free(wrong.parts);
	tally->asked += unsaid;
	tally->impossible += !could;
	tally->shown += wrong.shown;
	tally->trials[harm]++;
	tally->unsaid[harm] += unsaid;
	follower_free(&f);
	stream_free(&copy);
}

/* Packets have no numbers and no checksums, so some damage leaves another path that the rest
 * fits as well: an encoder would send just that for it.  Of the rest nothing wrong is given
 * that is not called a guess, and near to where damage is seen next to nothing. */
static void
guesses_are_said(void **state)
{
	const char *runs = getenv("TRAWL_RUNS");
	unsigned trials = runs ? (unsigned)strtoul(runs, NULL, 10) : 8;
	struct tally tally = {0};
	uint64_t r = 1;
	(void)state;
	for (unsigned p = 0; p < PROGRAMS; p++) {
		struct subject subject;
		subject_open(&subject, &programs[p]);
		for (unsigned number = 0; number < STYLES; number++) {
			struct etrace_style style = make_style(number, &subject);
			struct etrace_sent sent;
			struct follower right;
			etrace_encode(&subject.run, &style, &sent);
			follow(&right, &subject, &style, sent.stream.bytes, sent.stream.length);
			for (unsigned i = 0; i < trials; i++)
				try_harm(&tally, &subject, &style, &sent, &right, &r);
			follower_free(&right);
			etrace_sent_free(&sent);
		}
		subject_close(&subject);
	}
	for (unsigned i = 0; i < HARMS; i++)
		print_message("# %s: %u of %u unsaid\n", harms[i].name, tally.unsaid[i],
			      tally.trials[i]);
	print_message("# of %u no encoder could have sent %u, damage is seen near %u\n",
		      tally.asked, tally.impossible, tally.shown);
	for (unsigned i = 0; i < HARMS; i++)
		assert_true(tally.unsaid[i] * 100 < tally.trials[i] * harms[i].percent);
	assert_true(tally.asked > 10 && tally.shown * 30 < tally.asked);
	/* more trials find ways that the encoder does not have */
	assert_true(runs ? tally.impossible * 50 < tally.asked : !tally.impossible);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs_are_given_back),
	    cmocka_unit_test(guesses_are_said),
	};
	return cmocka_run_group_tests_name("etrace_programs", tests, NULL, NULL);
}
