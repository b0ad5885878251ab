/*
 * See mk_hub.h.  The encoder follows E-Trace 2.0, chapter "Reference
 * Compressed Branch Trace Algorithm", with implicit returns by a counter of
 * calls, and without packets for maps of 31 branches, which never fill here.
 */
#include "config.h"

#include "mk_cpu.h"
#include "mk_hub.h"
#include "mk_out.h"
#include "random.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MEMORY = 4096,	 /* bytes */
	BRANCHES = 30,	 /* in a packet */
	CALLS = 16,	 /* that are kept; the program has fewer */
	FILLED_MOST = 4, /* buffers, of which it has fewer too */
	PATIENCE = 4096, /* instructions between two packets */
};

/* Places of registers; see struct device in tests/hub/hub.c. */
enum { DEVICE_GROUP = 0, DEVICE_SENSOR = 4, DEVICE_FREED = 8, DEVICE_DMA = 12 };

struct mk_hub {
	struct mk_cpu cpu;
	struct mk_hart *hart;
	uint8_t memory[MEMORY];
	uint32_t start;
	uint64_t seed;

	unsigned group; /* for the program to read */
	bool frees;	/* so is the buffer that was filled first */
	uint32_t filled[FILLED_MOST];
	unsigned filled_count;
	bool lines; /* an interrupt is pending */
	bool waits; /* the last instruction was wfi */
	bool fresh; /* there was none */

	/* of the encoder */
	uint32_t last;	/* address of the last instruction that retired */
	bool last_told; /* and it was in a packet */
	bool begins;	/* the next one was in the packet before */
	bool lands;	/* the next one must be reported, as nobody can infer it */
	bool traps;	/* the next one did not retire: its trap must be reported */
	uint32_t branch_map, calls[CALLS];
	unsigned branches, depth;
};

/* --- the program and its devices --------------------------------------- */

/* The buffer that was filled first, which the DMA has emptied. */
static uint32_t
take_filled(struct mk_hub *hub)
{
	if (!hub->frees || !hub->filled_count)
		return 0;
	uint32_t first = hub->filled[0];
	hub->frees = false;
	memmove(hub->filled, hub->filled + 1, --hub->filled_count * sizeof *hub->filled);
	return first;
}

static uint32_t
load_device(void *context, uint32_t address)
{
	struct mk_hub *hub = context;
	switch (address - MK_CPU_DEVICES) {
	case DEVICE_GROUP:
		return hub->group;
	case DEVICE_SENSOR:
		return (uint32_t)random_next(&hub->seed);
	case DEVICE_FREED:
		return take_filled(hub);
	default:
		return 0;
	}
}

static void
store_device(void *context, uint32_t address, uint32_t value)
{
	struct mk_hub *hub = context;
	if (address - MK_CPU_DEVICES != DEVICE_DMA || hub->group)
		return; /* it has the buffer of the frame */
	if (hub->filled_count == FILLED_MOST)
		mk_die("the hub fills more buffers than it has");
	hub->filled[hub->filled_count++] = value;
}

/* One segment, as tests/hub/hub.ld has it. */
static void
read_program(struct mk_hub *hub, const char *file)
{
	Elf32_Ehdr head;
	Elf32_Phdr segment;
	FILE *f = fopen(file, "rb");
	if (!f || fread(&head, sizeof head, 1, f) != 1 ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || fseek(f, (long)head.e_phoff, SEEK_SET) ||
	    fread(&segment, sizeof segment, 1, f) != 1 || segment.p_memsz > MEMORY ||
	    fseek(f, (long)segment.p_offset, SEEK_SET) ||
	    fread(hub->memory, 1, segment.p_filesz, f) != segment.p_filesz)
		mk_die("%s: no program of one small segment", file);
	fclose(f);
	hub->start = head.e_entry;
	hub->cpu = (struct mk_cpu){.base = segment.p_vaddr,
				   .size = MEMORY,
				   .memory = hub->memory,
				   .load = load_device,
				   .store = store_device,
				   .context = hub};
}

struct mk_hub *
mk_hub_new(const char *file, const struct mk_encap_plan *plan, struct mk_sink *sink, unsigned id)
{
	struct mk_hub *hub = calloc(1, sizeof *hub);
	if (!hub)
		mk_die("no memory");
	hub->seed = plan->seed;
	hub->hart = mk_hart_new(plan, sink, id);
	read_program(hub, file);
	mk_hub_reset(hub);
	return hub;
}

void
mk_hub_free(struct mk_hub *hub)
{
	mk_hart_free(hub->hart);
	free(hub);
}

void
mk_hub_reset(struct mk_hub *hub)
{
	hub->cpu.pc = hub->start;
	hub->branches = hub->branch_map = hub->depth = 0;
	hub->traps = hub->waits = hub->lines = false;
	hub->filled_count = 0;
	hub->fresh = true;
}

void
mk_hub_lines(struct mk_hub *hub, unsigned group, bool frees)
{
	hub->group = group;
	hub->frees = frees;
	hub->lines = true;
}

/* --- the encoder ------------------------------------------------------- */

static void
send_reached(struct mk_hub *hub, uint64_t time)
{
	const struct mk_hart_packet packet = {.what = MK_HART_REACHED,
					      .pc = hub->last,
					      .branch_map = hub->branch_map,
					      .branches = hub->branches};
	mk_hart_send(hub->hart, &packet, time);
	hub->branches = hub->branch_map = 0;
	hub->last_told = true;
}

/* The trap that the hart is in the handler of. */
static void
send_trap(struct mk_hub *hub, uint64_t time)
{
	bool interrupt = hub->cpu.mcause >> 31;
	const struct mk_hart_packet packet = {.what =
						  interrupt ? MK_HART_INTERRUPT : MK_HART_EXCEPTION,
					      .pc = hub->cpu.pc,
					      .cause = hub->cpu.mcause & 31,
					      .tval = hub->cpu.mtval};
	mk_hart_send(hub->hart, &packet, time);
	hub->begins = true;
	hub->depth = 0;
	hub->traps = false;
}

/* What follows for the next instruction from one that retired. */
static void
follow(struct mk_hub *hub, enum mk_cpu_kind kind)
{
	hub->lands = kind == MK_CPU_INDIRECT || kind == MK_CPU_TRAP_RETURN;
	if (kind == MK_CPU_BRANCH) {
		if (hub->branches == BRANCHES)
			mk_die("more branches than a packet holds");
		hub->branch_map |= (uint32_t)(hub->cpu.pc == hub->last + 4) << hub->branches++;
	} else if (kind == MK_CPU_CALL) {
		if (hub->depth == CALLS)
			mk_die("more calls than are kept");
		hub->calls[hub->depth++] = hub->last + 4;
	} else if (kind == MK_CPU_RETURN) {
		hub->lands = !hub->depth || hub->calls[--hub->depth] != hub->cpu.pc;
	}
}

/* Executes an instruction; true if a packet was sent. */
static bool
step(struct mk_hub *hub, uint64_t time)
{
	uint32_t pc = hub->cpu.pc;
	bool begins = hub->begins, lands = hub->lands;
	enum mk_cpu_kind kind = mk_cpu_step(&hub->cpu);
	if (kind == MK_CPU_TRAPPED) {
		hub->traps = true;
		return false;
	}
	if (kind == MK_CPU_BRANCH && (begins || lands))
		mk_die("a packet is at a branch");
	hub->last = pc;
	hub->last_told = begins;
	hub->begins = false;
	hub->waits = kind == MK_CPU_WAIT;
	follow(hub, kind);
	if (lands)
		send_reached(hub, time);
	if (hub->waits && hub->lines) {
		hub->lines = false;
		hub->traps = true;
		mk_cpu_interrupt(&hub->cpu, MK_CPU_EXTERNAL);
	}
	return lands;
}

/* Executes instructions until the program waits for lines. */
static void
settle(struct mk_hub *hub)
{
	for (unsigned i = 0; i < PATIENCE && !hub->waits; i++)
		if (step(hub, 0) || hub->traps)
			mk_die("the hub has something to tell");
}

void
mk_hub_announce(struct mk_hub *hub, enum mk_hart_what what, uint64_t time)
{
	if (what == MK_HART_START && !hub->fresh)
		settle(hub);
	const struct mk_hart_packet packet = {.what = what, .pc = hub->cpu.pc};
	if (what == MK_HART_START && hub->branches)
		mk_die("a trace begins behind branches that are in no packet");
	mk_hart_send(hub->hart, &packet, time);
	if (what != MK_HART_START)
		return;
	hub->fresh = false;
	hub->begins = true;
	hub->lands = hub->traps = false;
	hub->depth = 0;
}

void
mk_hub_settle(struct mk_hub *hub, uint64_t time)
{
	settle(hub);
	send_reached(hub, time);
}

void
mk_hub_run(struct mk_hub *hub, uint64_t time)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (hub->traps && !hub->last_told) {
			send_reached(hub, time);
			return;
		}
		if (hub->traps) {
			send_trap(hub, time);
			return;
		}
		if (step(hub, time))
			return;
	}
	mk_die("the hub has nothing to tell");
}
