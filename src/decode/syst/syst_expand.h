/*
 * Shared by expanding a SyS-T message and imitating the reference printer's row: the sender of a
 * message, and the collateral's entry for it.
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
	bool excluded;			  /* in the collateral, but only for other builds */
};

/* Cache of the senders' clients, in decode_history.memory.  Used only while no build can change
 * them. */
struct syst_memory {
	const struct syst_collateral *collateral; /* collateral of the clients */
	struct syst_known_sender {
		uint64_t key; /* 0: unused */
		const struct syst_client *client;
		bool excluded;
	} senders[128];
};

struct syst_client_choice syst_choose_client(const struct syst_decoder *, const struct syst_frame *,
					     const struct syst_sender *,    /* or NULL */
					     const struct decode_history *, /* or NULL */
					     const struct message *);

/* Return the format of a CATALOG or SHORT message, or NULL. */
const struct syst_entry *syst_choose_entry(const struct syst_frame *, const struct syst_client *);

/* Append the reference printer's text of a message with a wrong format or arguments (its expansion
 * is flagged damaged).  Return false if it has no format. */
bool syst_printer_text(const struct syst_frame *, const struct syst_entry *, struct text *out);

/* Return the size of the id of a sound CATALOG message: 4 bytes for odd subtypes, else 8. */
size_t syst_catalog_id_size(const struct syst_frame *);
uint64_t syst_catalog_id(const struct syst_frame *);

/* True for SHORT: a word that is the sender's number, except for the type. */
bool syst_is_short(const struct syst_frame *);

/* True if the payload of a frame is a format with its arguments. */
bool syst_is_printf(const struct syst_frame *);

/* True if the collateral may define the message's text or type. */
bool syst_has_entry(const struct syst_frame *);

/* Return the length of the text at AT: up to its NUL, or to the payload's end. */
size_t syst_text_length(const struct syst_frame *, size_t at, bool *terminated);

/* Format of a PRINTF or CATALOG message, and the position of its arguments. */
struct syst_call {
	const char *format;
	size_t length;
	size_t at; /* offset of the arguments in the frame */
	enum syst_packing packing;
	const struct syst_format *apart; /* or NULL */
};

static inline enum syst_packing
syst_string_packing(unsigned subtype)
{
	return subtype == SYST_STRING_PRINTF64 ? SYST_P64 : SYST_P32;
}

/* Return the arguments of a PRINTF payload.  FORMAT is the length of its format without NUL. */
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

/* True if the reference printer would find a NUL after the payload. */
bool syst_nul_behind(const struct syst_frame *);

/* Append the message's source as FILE:LINE: its own, else ENTRY's (may be NULL).  Append nothing
 * if neither has one. */
void syst_source(const struct syst_frame *, const struct syst_client *, const struct syst_entry *,
		 struct text *out);

/* Get the address that the message comes from.  Return its size: 4, 8, or 0 for none. */
size_t syst_address(const struct syst_frame *, uint64_t *value);

#endif
