/* Judges if an image is the one that was traced: see image_fit.h. */
#include "config.h"

#include "flow/image_fit.h"
#include "decode/flow_packet.h"
#include "flow/flow.h"

#include <inttypes.h>

enum {
	LEAST = 80, /* per cent that must fit */
	MANY = 20   /* judged steps that a verdict needs */
};

void
image_fits_free(struct image_fits *fits)
{
	for (size_t i = 0; i < fits->walks.count; i++) {
		call_stack_free(&fits->walks.at[i].calls);
		text_free(&fits->walks.at[i].name);
	}
	vec_free(&fits->walks);
	map_free(&fits->places);
	map_free(&fits->patched);
}

static bool
is_low(uint64_t good, uint64_t all)
{
	return good * 100 < all * LEAST;
}

bool
image_fit_is_bad(const struct image_fit *fit)
{
	return (fit->returns >= MANY && is_low(fit->behind, fit->returns)) ||
	       (fit->branches >= MANY && is_low(fit->reached, fit->branches));
}

/* True if there are too few steps for a verdict. */
static bool
is_open(const struct image_fit *fit)
{
	return (fit->returns < MANY && fit->branches < MANY) || is_low(fit->behind, fit->returns) ||
	       is_low(fit->reached, fit->branches);
}

void
image_fit_describe(const struct image_fit *fit, struct text *out)
{
	if (fit->returns || fit->branches)
		text_addf(out, "image %s: ",
			  image_fit_is_bad(fit) ? "does not fit"
			  : is_open(fit)	? "not judged, by so few"
						: "fits");
	if (fit->returns)
		text_addf(out, "%" PRIu64 " of %" PRIu64 " returns lead behind their call",
			  fit->behind, fit->returns);
	if (fit->branches)
		text_addf(out, "%s%" PRIu64 " of %" PRIu64 " direct branches to their target",
			  fit->returns ? ", " : "", fit->reached, fit->branches);
}

static struct image_fit_walk *
walk_of(struct image_fits *fits, uint64_t origin)
{
	if (fits->last < fits->walks.count && fits->walks.at[fits->last].origin == origin)
		return &fits->walks.at[fits->last];
	uint64_t *place = map_add(&fits->places, origin);
	if (!*place) {
		*vec_add(&fits->walks) = (struct image_fit_walk){.origin = origin};
		*place = fits->walks.count;
	}
	fits->last = *place - 1;
	return &fits->walks.at[fits->last];
}

/* True if a return can be judged, as its call is known. */
static bool
is_judged(const struct call_stack *calls)
{
	const struct call_frame *top =
	    calls->frames.count ? &calls->frames.at[calls->frames.count - 1] : NULL;
	return calls->last == INSN_RETURN && !calls->unseen && !calls->unsure && !calls->above &&
	       top && !top->trap;
}

static void
judge_run(struct image_fit_walk *walk, const struct flow_step *step)
{
	if (walk->aimed) {
		walk->fit.branches++;
		walk->fit.reached += step->first == walk->target;
	}
	if (is_judged(&walk->calls)) {
		walk->fit.returns++;
		walk->fit.behind +=
		    step->first == walk->calls.frames.at[walk->calls.frames.count - 1].link;
	}
}

/* Note where the last instruction of a run must lead. */
static void
aim_at_target(struct image_fit_walk *walk, struct flow_code *code, const struct flow_step *step)
{
	bool direct =
	    step->class == INSN_BRANCH || step->class == INSN_JUMP || step->class == INSN_CALL;
	walk->aimed = false;
	if (!direct || step->passed || !step->last)
		return;
	const struct insn *insn = flow_code_find_in(code, step->space, step->end - step->last);
	walk->aimed = insn->class == INSN_BRANCH || insn_is_direct(insn);
	walk->target = insn->target;
}

static void
note_patched(struct image_fits *fits, struct flow_code *code, const struct flow_step *step)
{
	uint64_t address = step->first;
	for (uint32_t i = 0; i < step->count; i++) {
		const struct insn *insn = flow_code_find_in(code, step->space, address);
		if (!insn->length)
			return;
		uint64_t *known = insn->patched ? map_add(&fits->patched, address) : NULL;
		if (known && !*known) {
			*known = 1;
			if (!fits->patched_count++ || address < fits->first_patched)
				fits->first_patched = address;
		}
		address += insn->length;
	}
}

void
image_fits_add_patched(const struct image_fits *fits, struct text *out)
{
	if (fits->patched_count)
		text_addf(out,
			  "patched: %" PRIu64
			  " executed instruction%s other bytes in another image "
			  "of the same place, the first at 0x%" PRIx64
			  "; a dump goes before ELF files, and of these the first in the profile",
			  fits->patched_count, fits->patched_count == 1 ? " has" : "s have",
			  fits->first_patched);
}

void
image_fits_step(struct image_fits *fits, struct flow_code *code, const struct flow_place *place,
		const struct flow_step *step)
{
	struct image_fit_walk *walk = walk_of(fits, place->origin);
	if (step->kind == FLOW_STEP_CYCLES)
		return;
	if (step->kind == FLOW_STEP_RUN) {
		judge_run(walk, step);
		aim_at_target(walk, code, step);
		if (fits->wants_patched)
			note_patched(fits, code, step);
		if (fits->wants_lost && !flow_code_find_in(code, step->space, step->first)->length)
			fits->codeless += step->count;
	} else {
		walk->aimed = false;
	}
	fits->lost += step->kind == FLOW_STEP_DAMAGE;
	call_stack_step(&walk->calls, step);
}

/* --- reading a trace --------------------------------------------------- */

struct fit_reading {
	struct image_fits *fits;
	struct flow *flow;
};

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	const struct fit_reading *reading = context;
	image_fits_step(reading->fits, flow_code_of(reading->flow), place, step);
}

/* Keep the name of the origin of M, if the last walk has that origin and no name yet. */
static void
keep_name(struct image_fits *fits, struct reader *reader, const struct message *m,
	  struct expansion *scratch)
{
	struct image_fit_walk *newest =
	    fits->walks.count ? &fits->walks.at[fits->walks.count - 1] : NULL;
	if (!newest || newest->name.length || newest->origin != m->origin)
		return;
	expansion_clear(scratch);
	reader_expand_origin(reader, m, scratch);
	text_add_safe(&newest->name, text_get(&scratch->origin), scratch->origin.length, TEXT_UTF8);
}

int
image_fits_read(struct image_fits *fits, struct trace *trace, uint64_t most, const struct job *job,
		struct err *err)
{
	enum { BATCH = 256 };
	struct fit_reading reading = {.fits = fits};
	reading.flow = flow_new(trace, take_step, &reading, err);
	if (!reading.flow)
		return (int)err->code;
	bool layered = image_overlaps(flow_code_of(reading.flow)->image);
	if (!flow_has_elements(trace) && !fits->wants_lost && !(fits->wants_patched && layered))
		most = 0;
	struct reader *reader = reader_new(trace);
	struct message messages[BATCH];
	reader_set(reader, (struct reader_options){.ends = job != NULL});
	struct expansion scratch = {0};
	uint64_t number = 0;
	for (size_t count = BATCH; count && number < most;) {
		if (job && job_is_stopping(job))
			break;
		count = reader_walk(reader, messages, BATCH);
		for (size_t i = 0; i < count; i++) {
			flow_message(reading.flow, reader, &messages[i], number++, true);
			keep_name(fits, reader, &messages[i], &scratch);
		}
	}
	flow_end(reading.flow);
	expansion_free(&scratch);
	reader_free(reader);
	flow_free(reading.flow);
	return 0;
}
