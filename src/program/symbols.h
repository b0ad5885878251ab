/*
 * Finds functions, objects, source lines and strings by address in an ELF file.  Addresses are
 * those that the file is linked for.
 *
 * Any thread may call; a result keeps nothing open.
 */
#ifndef TRAWL_PROGRAM_SYMBOLS_H
#define TRAWL_PROGRAM_SYMBOLS_H

#include "base/err.h"
#include "base/text.h"

struct symbols;

/* Open the symbols of FILE, which is open and borrowed; PATH is its name.  The file is mapped
 * until symbols_close, so its bytes must not change: file_open_copy().  Return NULL with a
 * reason if it is not ELF or trawl is built without libdw. */
struct symbols *symbols_open(int file, const char *path, struct err *);
void symbols_close(struct symbols *); /* NULL is fine */

/* Symbol and source line of an address.  Texts are unescaped, from the file, and live until
 * symbols_close. */
struct symbol_place {
	const char *function; /* or object; NULL: no symbol */
	uint64_t offset;      /* from its begin */
	const char *path;     /* of the source; NULL: unknown */
	int line;
};

/* Find the place of an address.  Return false if neither function nor path is known. */
bool symbols_find(struct symbols *, uint64_t address, struct symbol_place *);

/* List the functions inlined at an address (DW_TAG_inlined_subroutine), the outermost first, at
 * most MOST.  Texts as above. */
size_t symbols_inlined(struct symbols *, uint64_t address, const char **names, size_t most);

/* True if the address is in a loaded segment of the file, or in a symbol. */
bool symbols_cover(struct symbols *, uint64_t address);

/* Append NAME+0xOFFSET and, if known, FILE:LINE.  The place must have a function. */
void symbols_add_place(const struct symbol_place *, struct text *out);

/* Gets each source line with code, at the begin of each piece of its code, or each function
 * without its line.  Texts as in struct symbol_place. */
typedef void symbols_take(void *context, uint64_t address, const struct symbol_place *);
void symbols_list_lines(struct symbols *, symbols_take *, void *context);
void symbols_list_functions(struct symbols *, symbols_take *, void *context);

/* Find the address that the byte at OFFSET of the file is linked for.  Where segments share a
 * page, code counts.  Return false if it is in no segment. */
bool symbols_place(struct symbols *, uint64_t offset, uint64_t *address);

/* Append the string stored at ADDRESS.  Return false if there is none. */
bool symbols_string(struct symbols *, uint64_t address, struct text *);

/* Advice for addresses without names. */
extern const char symbols_missing[];

/* Return the version of the linked libdw; NULL if built without it. */
const char *symbols_version(void);

#endif
