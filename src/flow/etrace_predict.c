/* The memory of an E-Trace encoder: see etrace_predict.h. */
#include "config.h"

#include "flow/etrace_predict.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void
etrace_predict_free(struct etrace_predict *p)
{
	free(p->branches);
	free(p->targets);
	*p = (struct etrace_predict){0};
}

static size_t
branch_bytes(const struct etrace_predict *p)
{
	return p->branches ? (size_t)1 << p->branch_size : 0;
}

static size_t
target_bytes(const struct etrace_predict *p)
{
	return p->targets ? sizeof *p->targets << p->target_size : 0;
}

size_t
etrace_predict_size(const struct etrace_predict *p)
{
	return branch_bytes(p) + target_bytes(p);
}

void
etrace_predict_copy(struct etrace_predict *to, const struct etrace_predict *p)
{
	*to = *p;
	if (p->branches)
		to->branches = memcpy(mem_new(branch_bytes(p)), p->branches, branch_bytes(p));
	if (p->targets)
		to->targets = memcpy(mem_new(target_bytes(p)), p->targets, target_bytes(p));
}

/* "The lookup table entries are initialized to 01 when a synchronization packet is sent", "the
 * cache entries are all invalidated". */
void
etrace_predict_reset(struct etrace_predict *p, unsigned branch_size, unsigned target_size,
		     unsigned lsb)
{
	if (p->branch_size != branch_size || p->target_size != target_size) {
		etrace_predict_free(p);
		p->branch_size = branch_size;
		p->target_size = target_size;
		p->branches = branch_size ? mem_new((size_t)1 << branch_size) : NULL;
		p->targets = target_size ? mem_new(sizeof *p->targets << target_size) : NULL;
	}
	/* "bits bpred_size_p:1 of the instruction address (or bpred_size_p+1:2 if compressed
	 * instructions aren't supported)"; the cache uses the same bits */
	p->shift = lsb > 1 ? 2 : 1;
	if (p->branches)
		memset(p->branches, 1, branch_bytes(p));
	if (p->targets)
		memset(p->targets, UINT8_MAX, target_bytes(p));
}

static size_t
place_of(const struct etrace_predict *p, uint64_t address, unsigned size)
{
	return (size_t)(address >> p->shift & (((uint64_t)1 << size) - 1));
}

/* "The MSB represents the predicted outcome, the LSB the most recent actual outcome." */
bool
etrace_predict_taken(const struct etrace_predict *p, uint64_t address)
{
	return p->branches && p->branches[place_of(p, address, p->branch_size)] >> 1;
}

/* "The prediction must fail twice for the predicted value to change." */
void
etrace_predict_branch(struct etrace_predict *p, uint64_t address, bool taken)
{
	if (!p->branches)
		return;
	uint8_t *state = &p->branches[place_of(p, address, p->branch_size)];
	bool predicted = *state >> 1, last = *state & 1;
	if (last != predicted)
		predicted = taken;
	*state = (uint8_t)(predicted << 1 | taken);
}

bool
etrace_predict_target(const struct etrace_predict *p, uint64_t index, uint64_t *address)
{
	if (!p->targets || index >> p->target_size)
		return false;
	*address = p->targets[index];
	return *address != UINT64_MAX;
}

void
etrace_predict_jump(struct etrace_predict *p, uint64_t address)
{
	if (p->targets)
		p->targets[place_of(p, address, p->target_size)] = address;
}
