/*
 * Random SyS-T messages for mkcapture, and the collateral that explains them.
 */
#ifndef MK_MIX_H
#define MK_MIX_H

#include "mk_syst.h"

enum mk_mix {
	MK_MIX_LEN32, /* 8 to 56 bytes, 32 in the mean, LEN set: for measuring */
	MK_MIX_ALL,   /* every type, subtype and option */
	MK_MIX_SHORT, /* SHORT and compact BUILD */
	MK_MIX_TEXT,  /* strings and printf */
	/* as LEN32, of one kind of message, for measuring what finding costs; one message in a
	 * million says what no other does (MK_RARE_WORD, or an id of its own) */
	MK_MIX_STRINGS,
	MK_MIX_PRINTF,
	MK_MIX_CATALOG, /* 22 to 74 bytes */
	MK_MIX_BYTES	/* shown as hexadecimal digits */
};

#define MK_RARE_WORD "quench"

struct mk_maker {
	enum mk_mix mix;
	uint64_t seed;
	uint64_t time;	/* microseconds since 1970 */
	uint64_t count; /* made so far */
	bool delimited; /* only messages that tell their own end */
	struct mk_format format;
	char words[1 << 16]; /* what texts are cut from */
};

void mk_maker_open(struct mk_maker *, enum mk_mix, uint64_t seed);
void mk_make(struct mk_maker *, struct mk_message *);

/* A GUID of ours, by number. */
enum { MK_GUIDS = 6 };
void mk_guid(unsigned number, uint8_t guid[16]);
/* The one that the profile names as the sender of short messages. */
#define MK_SHORT_GUID "{7b1c0de5-3f52-4c1a-9d86-52a1f00dca75}"

void mk_collateral(FILE *);

#endif
