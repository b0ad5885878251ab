/*
 * What an ELF file tells about addresses: functions and objects, source lines,
 * texts.  Addresses are those the file is linked for.
 *
 * Any thread may ask; nothing is kept open by an answer.
 */
#ifndef TRAWL_PROGRAM_SYMBOLS_H
#define TRAWL_PROGRAM_SYMBOLS_H

#include "base/err.h"
#include "base/text.h"

struct symbols;

/* FILE is open and borrowed, PATH is its name.  It is mapped until symbols_close, so its bytes
 * must not change: file_open_copy().  NULL with a reason on error: not ELF, built without
 * libdw. */
struct symbols *symbols_open(int file, const char *path, struct err *);
void symbols_close(struct symbols *); /* NULL is fine */

/* What is known of an address; texts are the file's, not made safe, and live until
 * symbols_close. */
struct symbol_place {
	const char *function; /* or object; NULL: it lies in nothing that has a name */
	uint64_t offset;      /* in that */
	const char *path;     /* of the source; NULL: not known */
	int line;
};

/* False if neither is known. */
bool symbols_find(struct symbols *, uint64_t address, struct symbol_place *);

/* The functions that a compiler put in at an address (DW_TAG_inlined_subroutine), the
 * outermost first: MOST of them at most; texts as above. */
size_t symbols_inlined(struct symbols *, uint64_t address, const char **names, size_t most);

/* Append NAME+0xOFFSET and, if known, FILE:LINE.  The place has a function. */
void symbols_add_place(const struct symbol_place *, struct text *out);

/* Gets each source line that has code, at the address where a piece of it begins, and each
 * function, without its line; texts as in struct symbol_place. */
typedef void symbols_take(void *context, uint64_t address, const struct symbol_place *);
void symbols_list_lines(struct symbols *, symbols_take *, void *context);
void symbols_list_functions(struct symbols *, symbols_take *, void *context);

/* The address that the byte at OFFSET of the file is linked for, as a piece of code where
 * segments share a page; false if it is in no segment. */
bool symbols_place(struct symbols *, uint64_t offset, uint64_t *address);

/* Appends the text that is stored at ADDRESS; false if there is none. */
bool symbols_string(struct symbols *, uint64_t address, struct text *);

/* What to do where addresses have no names. */
extern const char symbols_missing[];

/* The version of libdw that is linked; NULL: built without it. */
const char *symbols_version(void);

#endif
