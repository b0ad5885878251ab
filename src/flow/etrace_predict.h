/*
 * Mirrors the memory of an E-Trace encoder: its branch predictor [E-Trace 2.0, "Branch prediction
 * mode"] and its jump target cache ["Jump target cache mode"].
 *
 * Belongs to one thread.  Memory: 1 byte for each branch entry, 8 for each cache entry.
 */
#ifndef TRAWL_FLOW_ETRACE_PREDICT_H
#define TRAWL_FLOW_ETRACE_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ETRACE_PREDICT_MOST = 16 }; /* log2 of the entries of each table */

/* Zero-initialise: the tables are then empty. */
struct etrace_predict {
	unsigned branch_size, target_size; /* log2 of the entries; 0 for no table */
	unsigned shift;			   /* address bits below those that select an entry */
	uint8_t *branches;		   /* 2-bit states */
	uint64_t *targets;		   /* addresses, or UINT64_MAX for an empty entry */
};

void etrace_predict_free(struct etrace_predict *);
void etrace_predict_copy(struct etrace_predict *to, const struct etrace_predict *);
size_t etrace_predict_size(const struct etrace_predict *); /* in bytes */

/* Reset both tables to their state at a synchronisation.  The sizes are log2 of the entries, at
 * most ETRACE_PREDICT_MOST; 0 is for no table.  LSB is the lowest address bit that is sent. */
void etrace_predict_reset(struct etrace_predict *, unsigned branch_size, unsigned target_size,
			  unsigned lsb);

/* Return the prediction for the branch at ADDRESS.  etrace_predict_branch records its outcome. */
bool etrace_predict_taken(const struct etrace_predict *, uint64_t address);
void etrace_predict_branch(struct etrace_predict *, uint64_t address, bool taken);

/* Find the target at INDEX of the cache.  Return false if the entry is empty.
 * etrace_predict_jump records a jump to ADDRESS. */
bool etrace_predict_target(const struct etrace_predict *, uint64_t index, uint64_t *address);
void etrace_predict_jump(struct etrace_predict *, uint64_t address);

#endif
