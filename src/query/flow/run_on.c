/* Messages that run on: see run_on.h. */
#include "config.h"

#include "query/flow/run_on.h"
#include "base/generation.h"
#include "base/map.h"
#include "base/vec.h"
#include "decode/flow_packet.h"
#include "flow/flow.h"
#include "index/index.h"
#include "program/insn.h"

#include <stdlib.h>

enum {
	PROCESSORS_MOST = 4096,
	CELLS = 2 /* the current cell and the one before it */
};

/* Kind of a processor's last message that describes its path. */
enum run_kind { RUN_NONE, RUN_RANGE, RUN_JUMP, RUN_UNSEEN };

struct run_state {
	enum run_kind kind;
	uint64_t end; /* of a range; meaningful for RUN_RANGE only */
};

struct run_on {
	struct trace *trace;
	struct reader *reader;
	uint64_t generation; /* of trace and index */
	bool made;	     /* `runs_on` holds the messages of `cell` */
	uint64_t cell;
	VEC(bool) runs_on; /* one for each message of the cell */
	struct map places; /* origin of a processor: its index in `states`, plus one */
	VEC(struct run_state) states;
};

struct run_on *
run_on_new(struct trace *trace)
{
	struct run_on *run = mem_new(sizeof *run);
	run->trace = trace;
	run->reader = reader_new(trace);
	reader_limit(run->reader, CELLS);
	return run;
}

void
run_on_free(struct run_on *run)
{
	if (!run)
		return;
	reader_free(run->reader);
	map_free(&run->places);
	vec_free(&run->states);
	vec_free(&run->runs_on);
	free(run);
}

static struct run_state *
state_of(struct run_on *run, uint64_t origin)
{
	const uint64_t *found = map_find(&run->places, origin);
	if (found)
		return &run->states.at[*found - 1];
	if (run->states.count == PROCESSORS_MOST) {
		map_free(&run->places);
		vec_clear(&run->states);
	}
	(void)vec_add(&run->states);
	*map_add(&run->places, origin) = run->states.count;
	return &run->states.at[run->states.count - 1];
}

static struct flow_packet
packet_of(struct reader *reader, const struct message *m)
{
	const struct decoder *decoder = trace_decoder(reader_trace(reader));
	struct window window = reader_window(reader);
	struct flow_packet packet;
	decoder->ops->flow(decoder, m, &window, NULL, &packet);
	return packet;
}

/* True if the packet does not describe the path. */
static bool
is_beside(const struct flow_packet *packet)
{
	return packet->kind == FLOW_NOTHING || packet->kind == FLOW_CONTEXT ||
	       packet->kind == FLOW_TIME;
}

/* Advance by the next message of the cell, which has PACKET.  Return true if it runs on. */
static bool
take_packet(struct run_on *run, const struct message *m, const struct flow_packet *packet)
{
	const struct flow_element *e = &packet->element;
	if (packet->all) {
		map_free(&run->places);
		vec_clear(&run->states);
		return false;
	}
	struct run_state *state = state_of(run, m->origin);
	const struct run_state before = *state;
	if (is_beside(packet))
		return false;
	if (packet->kind == FLOW_CYCLES)
		return before.kind == RUN_RANGE || before.kind == RUN_JUMP;
	state->kind = RUN_NONE;
	if (packet->kind == FLOW_RANGE) {
		state->kind = e->class == INSN_OTHER || e->passed ? RUN_RANGE : RUN_JUMP;
		state->end = e->end;
		return before.kind == RUN_RANGE && before.end == e->first;
	}
	if (packet->kind == FLOW_UNSEEN && e->has_address) {
		state->kind = RUN_UNSEEN;
		return before.kind == RUN_UNSEEN;
	}
	return false;
}

/* Advance over all messages of a cell.  Return false if the cell is not exact. */
static bool
take_cell(struct run_on *run, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(run->reader, cell);
	vec_clear(&run->runs_on);
	if (!decoded->exact)
		return false;
	for (size_t i = 0; i < decoded->count; i++) {
		const struct message m = decoded->messages[i];
		const struct flow_packet packet = packet_of(run->reader, &m);
		*vec_add(&run->runs_on) = take_packet(run, &m, &packet);
	}
	return true;
}

/* Judge the messages of a cell.  If it follows the last one judged, the states are still valid. */
static void
make_cell(struct run_on *run, uint64_t cell)
{
	bool known = run->made && run->cell + 1 == cell;
	if (!known) {
		map_free(&run->places);
		vec_clear(&run->states);
		if (cell)
			take_cell(run, cell - 1);
	}
	run->cell = cell;
	run->made = take_cell(run, cell);
}

bool
run_on_test(struct run_on *run, const struct decoded_cell *decoded, size_t at)
{
	if (!flow_has_elements(run->trace) || !decoded->exact)
		return false;
	if (generation_renew(&run->generation, trace_and_index_generation(run->trace)))
		run->made = false;
	if (!run->made || run->cell != decoded->cell || at >= run->runs_on.count)
		make_cell(run, decoded->cell);
	return at < run->runs_on.count && run->runs_on.at[at];
}

/* --- whole runs -------------------------------------------------------- */

/* Role of a message in the run of a processor. */
enum run_part { PART_BESIDE, PART_HEAD, PART_BEHIND, PART_END };

static enum run_part
part_of(struct run_on *on, struct reader *reader, struct position p, uint64_t origin,
	struct flow_packet *packet)
{
	const struct message m = *reader_message(reader, p);
	*packet = packet_of(reader, &m);
	if (packet->all)
		return PART_END;
	if (m.origin != origin || is_beside(packet))
		return PART_BESIDE;
	if (run_on_test(on, reader_decoded_cell(reader, p.cell), p.at))
		return PART_BEHIND;
	return packet->kind == FLOW_RANGE ||
		       (packet->kind == FLOW_UNSEEN && packet->element.has_address)
		   ? PART_HEAD
		   : PART_END;
}

static void
add_packet(struct run_sums *run, struct position p, const struct flow_packet *packet)
{
	run->last = p;
	if (packet->kind != FLOW_CYCLES) {
		run->end = p;
		run->finish = packet->element;
	}
	run->messages++;
	if (packet->kind == FLOW_RANGE)
		run->instructions += packet->element.count;
	if (packet->kind == FLOW_RANGE || packet->kind == FLOW_CYCLES)
		run->cycles += packet->element.cycles;
}

bool
run_on_read(struct run_on *on, struct reader *reader, struct position p, struct run_sums *run)
{
	const struct message *m = reader_message(reader, p);
	const uint64_t origin = m ? m->origin : 0;
	struct flow_packet packet;
	if (!m || !flow_has_elements(on->trace) ||
	    part_of(on, reader, p, origin, &packet) != PART_HEAD)
		return false;
	*run = (struct run_sums){.first = p, .begin = packet.element};
	add_packet(run, p, &packet);
	for (int i = 0; reader_next(reader, &p, 0); i++) {
		enum run_part part = part_of(on, reader, p, origin, &packet);
		run->more = i == RUN_MOST;
		if (part == PART_HEAD || part == PART_END || run->more)
			break;
		if (part == PART_BEHIND)
			add_packet(run, p, &packet);
	}
	return true;
}

uint64_t
run_on_pages(struct run_on *on, struct reader *reader, const struct run_sums *run)
{
	enum { PAGE_BITS = 12 };
	struct position p = run->first;
	const uint64_t origin = reader_message(reader, p)->origin;
	struct flow_packet packet;
	struct map pages = {0};
	for (uint64_t left = run->messages; left;) {
		enum run_part part = part_of(on, reader, p, origin, &packet);
		bool of_run = part == PART_HEAD || part == PART_BEHIND;
		left -= of_run;
		if (of_run && packet.element.has_address)
			*map_add(&pages, packet.element.first >> PAGE_BITS) = 1;
		if (!reader_next(reader, &p, 0))
			break;
	}
	uint64_t count = pages.count;
	map_free(&pages);
	return count;
}

bool
run_on_find(struct run_on *on, struct reader *reader, struct position p, struct run_sums *run)
{
	const struct message *m = reader_message(reader, p);
	const uint64_t origin = m ? m->origin : 0;
	struct flow_packet packet;
	if (!m || !flow_has_elements(on->trace) ||
	    part_of(on, reader, p, origin, &packet) == PART_BESIDE)
		return false;
	for (int i = 0; i < RUN_MOST; i++) {
		enum run_part part = part_of(on, reader, p, origin, &packet);
		if (part == PART_HEAD)
			return run_on_read(on, reader, p, run);
		if (part == PART_END || !reader_previous(reader, &p, 0))
			return false;
	}
	return false;
}
