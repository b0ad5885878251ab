/*
 * OVERLAY words of a TI GEM trace in fixed records: one decoder, and the declarations
 * that session/link/serial.c needs to match its words with software events.
 *
 * [UIA 1.01, NAME] is the module ti.uia...NAME of TI's Unified Instrumentation
 * Architecture 1.01.01.14: its .xdc file, its header, and the documentation generated
 * from them.  No document describes a file of OVERLAY words, so the layout of records
 * is ours.
 */
#ifndef TRAWL_DECODE_GEM_H
#define TRAWL_DECODE_GEM_H

#include "decode/clock_source.h"

enum gem_kind {
	GEM_SYNCPOINT,
	GEM_CTXCHG,
	GEM_SNAPSHOT,
	GEM_RESERVED,
	GEM_FIRST, /* of a pair */
	GEM_SECOND,
	GEM_TRUNCATED,
	GEM_KIND_COUNT
};

/* Rows of the field table. */
enum gem_field {
	GEM_F_WORD,
	GEM_F_LSB,
	GEM_F_TYPE_ID,
	GEM_F_VALUE,
	GEM_F_CTX_TYPE,
	GEM_F_CTX_NAME,
	GEM_F_DATA24,
	GEM_F_SEQ20,
	GEM_F_DATA8,
	GEM_F_TS,
	GEM_F_PAIR,
	GEM_F_FIRST_OFFSET,
	GEM_F_DATA,
	GEM_F_MISSING,
	/* session fields: session/link/serial.c adds them */
	GEM_F_MATCHED,
	GEM_F_EVENT_OFFSET,
	GEM_F_SERIAL32,
	GEM_F_RECOVERED_DATA,
	GEM_F_EVENT_NAME,
	GEM_F_EVENT_NEW,
	GEM_F_EVENT_PREV,
	GEM_F_FUNCTION,
	GEM_F_COUNT = GEM_F_FUNCTION + FIELD_SYMBOLS
};
extern const struct field_row gem_fields[GEM_F_COUNT];

enum gem_endian { GEM_LITTLE, GEM_BIG };

/* `gem:` of a profile: position of the word in a record. */
struct gem_options {
	uint64_t record_size;
	uint64_t word_offset;
	int endian; /* enum gem_endian */
	uint64_t timestamp_offset;
	uint64_t timestamp_width; /* bytes, 0 = none */
};

/* [UIA 1.01, GemTraceSync ContextType] */
enum { GEM_CTX_GLOBAL_TIME = 14, GEM_VALUE_BITS = 24, GEM_SEQUENCE_BITS = 20 };

/* Content of a message's `aux`: the word, and above it facts from its neighbours. */
#define GEM_AUX_WORD(aux) ((uint32_t)(aux))
#define GEM_AUX_MISSING(aux) ((uint32_t)((aux) >> 32) & 0xffffff) /* SyncPoint, Snapshot */
#define GEM_AUX_FIRST(aux) ((uint32_t)((aux) >> 32) & 0xfffffff)  /* SECOND: b29..b2 of the first */
#define GEM_AUX_COMPLETE ((uint64_t)1 << 62)			  /* FIRST, SECOND */
#define GEM_AUX_LSB_CHANGED ((uint64_t)1 << 63)

/* Parts of a word: [UIA 1.01, GemTraceSync, "OVERLAY register bit assignments"]. */
static inline unsigned
gem_type_id(uint32_t word)
{
	return word >> 26;
}

/* Return the context type.  The text gives b31..b28, but the macros of the same module shift by
 * 26, and so do the words that they write: [UIA 1.01, GemTraceSync ContextType]. */
static inline unsigned
gem_ctx_type(uint32_t word)
{
	return word >> 26 & 15;
}

static inline uint32_t
gem_value(uint32_t word)
{
	return word >> 2 & 0xffffff;
}

static inline uint32_t
gem_sequence(uint32_t word)
{
	return word >> 10 & 0xfffff;
}

static inline uint32_t
gem_data8(uint32_t word)
{
	return word >> 2 & 0xff;
}

extern const struct decoder_ops gem_ops;

#endif
