/*
 * Fuzz target: a program as ELF and packets of E-Trace that are followed through it.  The
 * image lies in the file, runs in the image, steps are given out in order, and each walk ends.
 *
 * Input: bytes of the ELF file, 16 bits, least significant first; it; packets as they lie in
 * memory.
 */
#include "config.h"

#include "base/bytes.h"
#include "flow/flow_walk.h"
#include "flow/flow_hold.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool true_)
{
	if (!true_)
		abort();
}

struct follower {
	const struct image *image;
	struct flow_hold *hold;
	unsigned packet, given; /* numbers of packets */
};

static void
hold_step(void *context, const struct flow_step *step)
{
	const struct follower *follower = context;
	const struct flow_place place = {.number = follower->packet};
	flow_hold_add(follower->hold, 0, &place, step);
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct follower *follower = context;
	const struct image *image = follower->image;
	size_t length;
	require(place->number >= follower->given);
	require(step->kind != FLOW_STEP_PROOF);
	follower->given = (unsigned)place->number;
	if (step->kind == FLOW_STEP_DAMAGE)
		require(step->why && *step->why);
	if (step->kind != FLOW_STEP_RUN)
		return;
	require(step->count && step->end - step->first >= 2 * (uint64_t)step->count);
	require(image_find(image, step->first, &length));
	require(image_find(image, step->end - 1, &length));
}

/* Packets are many bits each, so each is made of 16 bytes. */
static struct flow_packet
packet_of(const uint8_t *p)
{
	uint64_t bits = bytes_le64(p), address = bytes_le64(p + 8);
	return (struct flow_packet){
	    .kind = bits % (FLOW_INDEX + 1),
	    .branch = bits >> 3 & 1,
	    .interrupt = bits >> 4 & 1,
	    .thaddr = bits >> 5 & 1,
	    .notify = bits >> 6 & 1,
	    .updiscon = bits >> 7 & 1,
	    .irreport = bits >> 8 & 1,
	    .branches = bits >> 9 & 31,
	    .privilege = bits >> 14 & 3,
	    .status = bits >> 16 & 3,
	    .branch_map = bits >> 18 & INT32_MAX,
	    .irdepth = bits >> 53 & 7,
	    .address = address,
	    .count = 31 + (address & 0x3ff),
	    .index = address & 15,
	    .fails = bits >> 40 & 1,
	    .addressed = bits >> 41 & 1,
	    .unhandled = bits >> 48 & 1,
	    .modes = {.full_address = bits >> 56 & 1,
		      .implicit_return = bits >> 57 & 1,
		      .sijump = bits >> 58 & 1,
		      .branch_prediction = bits >> 42 & 1,
		      .jump_target_cache = bits >> 43 & 1},
	    .widths = {.iaddress_width = bits >> 59 & 1 ? 64 : 32,
		       .return_stack_size = bits >> 60 & 3,
		       .call_counter_size = bits >> 62 & 3,
		       .bpred_size = bits >> 44 & 3,
		       .cache_size = bits >> 46 & 3},
	};
}

static void
follow(const struct image *image, const uint8_t *data, size_t size)
{
	enum { PACKET = 16, MOST = 64 };
	struct flow_code *code = flow_code_new(image);
	struct follower follower = {.image = image};
	follower.hold = flow_hold_new(take_step, &follower);
	void *walk = etrace_walk_form.open(code, NULL, hold_step, &follower);
	for (unsigned i = 0; i < MOST && size >= PACKET; i++, data += PACKET, size -= PACKET) {
		struct flow_packet packet = packet_of(data);
		follower.packet = i;
		etrace_walk_form.packet(walk, &packet);
	}
	flow_hold_end(follower.hold);
	flow_hold_free(follower.hold);
	etrace_walk_form.close(walk);
	flow_code_free(code);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	if (size < 2)
		return 0;
	size_t elf = bytes_le16(data);
	data += 2;
	size -= 2;
	elf = elf < size ? elf : size;
	int file = memfd_create("program", 0);
	require(file >= 0 && write(file, data, elf) == (ssize_t)elf);
	struct image *image = image_new();
	int failed = image_add(image, file, "program", &(struct image_place){0}, &err);
	require((failed < 0) == (err.code != 0) && image_size(image) <= elf);
	close(file);
	if (!failed)
		follow(image, data + elf, size - elf);
	image_free(image);
	return 0;
}
