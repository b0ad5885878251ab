/*
 * What every format of mkcapture needs beside its bytes: when there is enough,
 * what is damaged, and the truth about a record.
 */
#ifndef MK_SINK_H
#define MK_SINK_H

#include "mk_out.h"
#include "mk_syst.h"

/* Kinds of damage, a bit each. */
enum mk_damage { MK_CUT = 1, MK_FLIP = 2, MK_DROP = 4, MK_GARBAGE = 8 };

struct mk_sink {
	struct mk_out *out;
	FILE *truth;	      /* or NULL */
	unsigned damage;      /* of enum mk_damage */
	double rate;	      /* share of records that are damaged */
	uint64_t seed;	      /* of damage, and of how things are mixed */
	uint64_t size, count; /* where to stop; 0 = not for this reason */
};

bool mk_enough(const struct mk_sink *, uint64_t made);

/* One of the kinds of damage asked for, or 0 for most records. */
unsigned mk_damage_choose(struct mk_sink *);
const char *mk_damage_name(unsigned kind);
/* Damages LENGTH > 1 bytes and returns how many are left. */
size_t mk_damage_bytes(struct mk_sink *, unsigned kind, uint8_t *at, size_t length);
/* Writes some bytes of nonsense. */
size_t mk_garbage(struct mk_sink *, uint8_t *to);

/* A record of a format other than SyS-T, with what a reader should make of it. */
struct mk_record {
	bool told; /* fields are wanted */
	enum mk_severity severity;
	const char *type;
	bool timed;
	uint64_t ticks;
	size_t length, fields_length;
	uint8_t bytes[2048];
	char fields[1024]; /* "\tname=value" of each */
};

/* Makes it empty. */
void mk_record_begin(struct mk_record *, const struct mk_sink *, const char *type,
		     enum mk_severity);
/* Adds a number of so many bytes; a field, where the truth is wanted. */
void mk_record_le(struct mk_record *, uint64_t value, unsigned bytes);
void mk_record_be(struct mk_record *, uint64_t value, unsigned bytes);
void mk_record_field(struct mk_record *, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the truth about the record, which lies at OFFSET. */
void mk_record_truth(const struct mk_record *, const struct mk_sink *, uint64_t offset,
		     size_t length, const char *state);

/* Writes the record and its truth with STATE, or damaged; returns the damage. */
unsigned mk_record_send(struct mk_record *, struct mk_sink *, const char *state);
/* The same, never damaged. */
void mk_record_send_whole(const struct mk_record *, struct mk_sink *, const char *state);

#endif
