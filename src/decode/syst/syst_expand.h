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

/* Append the message's source as FILE:LINE: its own, else ENTRY's (may be NULL).  Append nothing
 * if neither has one. */
void syst_source(const struct syst_frame *, const struct syst_client *, const struct syst_entry *,
		 struct text *out);

/* Get the address that the message comes from.  Return its size: 4, 8, or 0 for none. */
size_t syst_address(const struct syst_frame *, uint64_t *value);

#endif
