/*
 * Names of addresses in messages: `symbols:` of a profile.
 *
 * Which fields hold addresses is said by the formats' field tables.
 */
#ifndef TRAWL_TRACE_NAMING_H
#define TRAWL_TRACE_NAMING_H

#include "base/file.h"
#include "decode/decoder.h"
#include "program/symbols.h"

struct image;
struct naming;

/* An entry of `symbols:`. */
struct symbol_options {
	char *file;
	char *applies_to; /* name of a trace, or NULL: all */
	uint64_t address; /* LENGTH bytes from there on are those from OFFSET on in the file; */
	uint64_t length;  /* 0: addresses are those that the file is linked for */
	uint64_t offset;
	bool optional; /* that it cannot be read is no error */
};
extern const struct option_table symbol_options_table;

/* LIST, of struct symbol_options, is borrowed until naming_free.  NULL if it is
 * empty. */
struct naming *naming_new(const struct option_list *list);
void naming_free(struct naming *);

/* Opens the files, once; the first error goes to ERR, the rest still open.
 * One thread at a time; others may expand meanwhile. */
int naming_load(struct naming *, struct err *);

/* Whether there is, or will be, a file for a trace of that name; false for
 * NULL. */
bool naming_applies(const struct naming *, const char *trace);

/* Appends the name of an address, of which terminals are safe; false if it has none.  NAMING
 * may be NULL. */
bool naming_name(struct naming *, const char *trace, uint64_t address, struct text *name);

/* What is known of an address, not made safe; false: nothing. */
bool naming_find(struct naming *, const char *trace, uint64_t address, struct symbol_place *);

/* The functions that a compiler put in at an address, the outermost first: MOST of them at
 * most; texts as in struct symbol_place. */
size_t naming_inlined(struct naming *, const char *trace, uint64_t address, const char **names,
		      size_t most);

/* Lists lines or functions (symbols_list_lines, symbols_list_functions) of the files for a
 * trace of that name, with the addresses that they were loaded to. */
void naming_list(struct naming *, const char *trace,
		 void (*list)(struct symbols *, symbols_take *, void *), symbols_take *,
		 void *context);

/* Adds the bytes of the files for a trace of that name to IMAGE, each where its entry says.
 * How many there are, or negative with a reason; NAMING may be NULL. */
int naming_add_images(struct naming *, const char *trace, struct image *, struct err *);

/* Gives the stamp of each file that was read.  Any thread; NAMING may be NULL. */
void naming_list_stamps(const struct naming *,
			void (*take)(void *context, const struct file_stamp *), void *context);

/* Adds names to the addresses of E, a message of OPS that was expanded with fields: as
 * notes, and the first one to the text, and where the format has rows for that, as fields. */
void naming_expand(struct naming *, const char *trace, const struct decoder_ops *ops,
		   struct expansion *e);

#endif
