/*
 * What an E-Trace encoder remembers of branches and jumps, kept likewise: its branch predictor
 * [E-Trace 2.0, "Branch prediction mode"] and its jump target cache ["Jump target cache
 * mode"].
 *
 * Belongs to one thread.  Memory: 1 and 8 bytes an entry.
 */
#ifndef TRAWL_FLOW_ETRACE_PREDICT_H
#define TRAWL_FLOW_ETRACE_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ETRACE_PREDICT_MOST = 16 }; /* log2 of the entries of either */

/* All zero: nothing is remembered. */
struct etrace_predict {
	unsigned branch_size, target_size; /* log2 of the entries, 0: there are none */
	unsigned shift;			   /* bits of an address below those that choose one */
	uint8_t *branches;		   /* states, of two bits */
	uint64_t *targets;		   /* or UINT64_MAX */
};

void etrace_predict_free(struct etrace_predict *);
void etrace_predict_copy(struct etrace_predict *to, const struct etrace_predict *);
size_t etrace_predict_size(const struct etrace_predict *); /* in bytes */

/* All as when a synchronisation is sent, with so many entries from now on, log2 of them, 0 for
 * none and at most ETRACE_PREDICT_MOST.  LSB: the lowest bit of an address that is sent. */
void etrace_predict_reset(struct etrace_predict *, unsigned branch_size, unsigned target_size,
			  unsigned lsb);

/* Whether the branch at ADDRESS will be taken, by those before it; and that it was or not. */
bool etrace_predict_taken(const struct etrace_predict *, uint64_t address);
void etrace_predict_branch(struct etrace_predict *, uint64_t address, bool taken);

/* The target that INDEX stands for; false: none does.  And that a jump went to ADDRESS. */
bool etrace_predict_target(const struct etrace_predict *, uint64_t index, uint64_t *address);
void etrace_predict_jump(struct etrace_predict *, uint64_t address);

#endif
