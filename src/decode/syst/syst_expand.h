/*
 * What expanding a SyS-T message and imitating the reference printer's row
 * have in common: whose message it is, and what the collateral says of it.
 */
#ifndef TRAWL_DECODE_SYST_EXPAND_H
#define TRAWL_DECODE_SYST_EXPAND_H

#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_frame.h"
#include "decode/syst/syst_printf.h"

struct syst_client_choice {
	bool has_guid; /* stated by the message, or by the options for short ones */
	uint8_t guid[16];
	const struct syst_client *client; /* NULL: not in the collateral */
	bool excluded;			  /* it is, but for other builds only */
};

/* Whose clients senders are, for decode_history.memory: for as long as no build can change it. */
struct syst_memory {
	const struct syst_collateral *collateral; /* that they are of */
	struct syst_known_sender {
		uint64_t key; /* 0: none */
		const struct syst_client *client;
		bool excluded;
	} senders[128];
};

struct syst_client_choice syst_choose_client(const struct syst_decoder *, const struct syst_frame *,
					     const struct syst_sender *,    /* or NULL */
					     const struct decode_history *, /* or NULL */
					     const struct message *);

/* The format of a CATALOG or SHORT message, NULL if there is none. */
const struct syst_entry *syst_choose_entry(const struct syst_frame *, const struct syst_client *);

/* Appends the text of a message whose format or arguments are wrong (its expansion is
 * flagged damaged) as the reference printer has it; false if it has neither. */
bool syst_printer_text(const struct syst_frame *, const struct syst_entry *, struct text *out);

/* The id of a sound CATALOG message: 4 bytes for odd subtypes, else 8. */
size_t syst_catalog_id_size(const struct syst_frame *);
uint64_t syst_catalog_id(const struct syst_frame *);

/* Whether a word is of the sender's own: all of it but the type is its number. */
bool syst_is_short(const struct syst_frame *);

/* Whether the payload of a frame is a format with its arguments. */
bool syst_is_printf(const struct syst_frame *);

/* Whether the collateral may say what the message means, or its type. */
bool syst_has_entry(const struct syst_frame *);

/* The length of the text at AT: up to its NUL, or to the payload's end. */
size_t syst_text_length(const struct syst_frame *, size_t at, bool *terminated);

/* The format of a PRINTF or CATALOG message, and where its arguments are. */
struct syst_call {
	const char *format;
	size_t length;
	size_t at; /* of the arguments in the frame */
	enum syst_packing packing;
	const struct syst_format *apart; /* or NULL */
};

static inline enum syst_packing
syst_string_packing(unsigned subtype)
{
	return subtype == SYST_STRING_PRINTF64 ? SYST_P64 : SYST_P32;
}

/* The arguments in a PRINTF payload, whose format has so many bytes in front of its NUL. */
static inline struct syst_args
syst_string_args(const uint8_t *payload, size_t length, size_t format, unsigned subtype)
{
	return (struct syst_args){.at = payload + format + 1,
				  .length = length - format - 1,
				  .packing = syst_string_packing(subtype)};
}

struct syst_call syst_string_call(const struct syst_frame *, bool *terminated);
struct syst_call syst_catalog_call(const struct syst_frame *, const struct syst_entry *);
struct syst_args syst_call_args(const struct syst_frame *, const struct syst_call *);

/* Whether the reference printer would find a NUL behind the payload. */
bool syst_nul_behind(const struct syst_frame *);

/* What the text begins with where a checksum is wrong. */
extern const char syst_bad_crc[];

/* Appends FILE:LINE where the message comes from: its own, else ENTRY's (may
 * be NULL).  Nothing if neither has it. */
void syst_source(const struct syst_frame *, const struct syst_client *, const struct syst_entry *,
		 struct text *out);

/* The address where the message comes from.  Returns its size: 4, 8, or 0 for
 * none. */
size_t syst_address(const struct syst_frame *, uint64_t *value);

#endif
