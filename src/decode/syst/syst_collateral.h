/*
 * SyS-T collateral: XML files that assign names and formats to numbers, by the schema of the
 * library [SyS-T 1.0, collateral, second hand: library, systprint].
 *
 * A collateral table is immutable once loaded, so that any number of threads can search it without
 * a lock.  A later load makes a new table that owns the old one, because readers may still use
 * that.
 *
 * All returned pointers live as long as the table.
 */
#ifndef TRAWL_DECODE_SYST_COLLATERAL_H
#define TRAWL_DECODE_SYST_COLLATERAL_H

#include "decode/decoder.h"
#include "decode/syst/syst_printf.h"

struct syst_collateral;
struct syst_client;

/* The tables of a client. */
enum syst_table {
	SYST_TABLE_BUILDS,
	SYST_TABLE_MODULES,
	SYST_TABLE_FILES,
	SYST_TABLE_CATALOG32,
	SYST_TABLE_CATALOG64,
	SYST_TABLE_SHORT32,
	SYST_TABLE_SHORT64,
	SYST_TABLE_PROTOCOLS,
	SYST_TABLE_COUNT
};

/* A row of any table.  It applies to each number that equals ID in the bits of MASK. */
struct syst_entry {
	uint64_t id, mask;
	const char *text; /* name, path or printf format */
	bool has_file;
	uint32_t file, line;
	uint32_t place;			 /* line of this row, in the collateral */
	const struct syst_format *apart; /* `text` as a parsed format, or NULL */
};

/*
 * Load PATHS (a list of char *: files, or folders for all their *.xml in name order) into a new
 * table, which owns OLD (may be NULL).  Return the number of files loaded; if 0, *OUT is
 * unchanged.  ERR gets the first error with file, line and column, and the number of further
 * errors in that file.  The valid rest still loads.
 */
int syst_collateral_load(const struct option_list *paths, struct syst_collateral *old,
			 struct syst_collateral **out, struct err *err);
void syst_collateral_free(struct syst_collateral *);

/* Build that a sender announced.  The history is searched only on demand. */
struct syst_build {
	const struct decode_history *history; /* or NULL */
	const struct message *before;
	const uint8_t *guid; /* GUID of the announcement, 16 bytes */
	bool found;	     /* `known` and `number` are valid */
	bool known;
	uint64_t number;
};

/*
 * Return the client of GUID, or NULL.  If the sender's build is known: the first client that lists
 * it in its Builds, else the first one without Builds.  Clients with other Builds never match.  If
 * the build is unknown: the first client.  *EXCLUDED becomes true if clients have the GUID, but
 * all for other builds.
 */
const struct syst_client *syst_collateral_client(const struct syst_collateral *,
						 const uint8_t guid[static 16], struct syst_build *,
						 bool *excluded);

/* True if syst_collateral_client() may need the history: a client has Builds. */
bool syst_collateral_needs_history(const struct syst_collateral *);

const char *syst_client_name(const struct syst_client *);
const char *syst_client_file(const struct syst_client *); /* path as given */

/* Return the row for a number, or NULL.  A row for that number alone wins over rows with a mask;
 * add_masked() defines the order of these. */
const struct syst_entry *syst_client_entry(const struct syst_client *, enum syst_table,
					   uint64_t id);

/* True if a client has rows in a table. */
bool syst_collateral_has(const struct syst_collateral *, enum syst_table);

/* Return the version of the linked expat. */
const char *syst_collateral_version(void);

#endif
