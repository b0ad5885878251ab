/*
 * SyS-T collateral: XML files that give names and formats to numbers, by the schema
 * that comes with the library [SyS-T 1.0, collateral, second hand: library, systprint].
 *
 * A collateral table is immutable once loaded, so any number of threads may
 * look things up without a lock.  A later load makes a new table that owns
 * the one before, since readers may still use that.
 *
 * All pointers returned live as long as the table.
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

/* A row of any of them: serves every number that is ID where MASK has ones. */
struct syst_entry {
	uint64_t id, mask;
	const char *text; /* name, path or printf format */
	bool has_file;
	uint32_t file, line;
	uint32_t place;			 /* line of the row itself, in the collateral */
	const struct syst_format *apart; /* the text as a format; or NULL */
};

/*
 * Loads PATHS (a list of char *: files, or folders for all their *.xml in
 * name order) into a new table, which owns OLD (may be NULL).  Returns the
 * number of files loaded; where that is 0, *OUT stays as it is.  The first
 * error goes to ERR with file, line and column, and how many more its file has; what is
 * right still loads.
 */
int syst_collateral_load(const struct option_list *paths, struct syst_collateral *old,
			 struct syst_collateral **out, struct err *err);
void syst_collateral_free(struct syst_collateral *);

/* The build that a sender announced; found in the history when it matters. */
struct syst_build {
	const struct decode_history *history; /* NULL: there is none */
	const struct message *before;
	const uint8_t *guid; /* under which it was announced, 16 bytes */
	bool found;	     /* what follows is valid */
	bool known;
	uint64_t number;
};

/*
 * The client that GUID belongs to, NULL if there is none.  Where the sender's
 * build is known: the first one that names it among its Builds, else the first
 * one without Builds, never one whose Builds exclude it.  Where it is not: the
 * first of all.  *EXCLUDED says that clients have the GUID, all for other builds.
 */
const struct syst_client *syst_collateral_client(const struct syst_collateral *,
						 const uint8_t guid[static 16], struct syst_build *,
						 bool *excluded);

/* Whether that may need the history: a client has Builds. */
bool syst_collateral_needs_history(const struct syst_collateral *);

const char *syst_client_name(const struct syst_client *);
const char *syst_client_file(const struct syst_client *); /* path as given */

/* The row for a number: one for just that number before one with a mask, of
 * those the first in the file.  NULL if there is none. */
const struct syst_entry *syst_client_entry(const struct syst_client *, enum syst_table,
					   uint64_t id);

/* Whether a client has rows in a table. */
bool syst_collateral_has(const struct syst_collateral *, enum syst_table);

/* The version of expat that is linked. */
const char *syst_collateral_version(void);

#endif
