/*
 * What expanding a SyS-T message and imitating the reference printer's row
 * have in common: whose message it is, and what the collateral says of it.
 */
#ifndef TRAWL_DECODE_SYST_EXPAND_H
#define TRAWL_DECODE_SYST_EXPAND_H

#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_frame.h"

struct syst_client_choice {
	bool has_guid; /* stated by the message, or by the options for short ones */
	uint8_t guid[16];
	const struct syst_client *client; /* NULL: not in the collateral */
	bool excluded;			  /* it is, but for other builds only */
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

/* Appends FILE:LINE where the message comes from: its own, else ENTRY's (may
 * be NULL).  Nothing if neither has it. */
void syst_source(const struct syst_frame *, const struct syst_client *, const struct syst_entry *,
		 struct text *out);

/* The address where the message comes from.  Returns its size: 4, 8, or 0 for
 * none. */
size_t syst_address(const struct syst_frame *, uint64_t *value);

#endif
