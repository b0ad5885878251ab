/*
 * Names addresses in messages, with the files in `symbols:` of a profile.
 *
 * The field tables of the formats mark the fields that contain addresses.
 *
 * An entry with `when` holds only while a context of the session has a value, such as the number
 * of a loaded overlay. Addresses that it covers have the name `?` while it is unknown if it holds,
 * and never a name from an entry without `when`: the overlay may have replaced that program.
 */
#ifndef TRAWL_TRACE_NAMING_H
#define TRAWL_TRACE_NAMING_H

#include "base/file.h"
#include "decode/decoder.h"
#include "program/symbols.h"

struct image;
struct naming;
struct trace;

/* The context and the value, a number or a name, with which an entry holds. */
struct symbol_when {
	char *context, *value;
};

/* An entry of `symbols:`. */
struct symbol_options {
	char *file;
	char *applies_to; /* name of a trace, or NULL: any */
	uint64_t address; /* LENGTH bytes from here on are those from OFFSET on in the file */
	uint64_t length;  /* 0: the file was loaded at the addresses it is linked for */
	uint64_t offset;
	bool optional;	  /* no error if it cannot be read */
	bool conditional; /* it has `when` */
	struct symbol_when when;
};
extern const struct option_table symbol_options_table;

/* Whether an entry holds at a message. APART: the message does not have its context. */
enum naming_hold { NAMING_UNKNOWN, NAMING_HOLDS, NAMING_DIFFERS, NAMING_APART };

/* Decides that, for the messages of a trace. Each thread has a cursor of its own. */
struct naming_judge {
	void *(*cursor_new)(struct trace *);
	void (*cursor_free)(void *cursor);
	/* Fill in HOLDS for all entries of `symbols:`, in order. */
	void (*judge)(void *cursor, const struct trace *, const struct message *,
		      enum naming_hold *holds);
};

/* The name of addresses in entries of which it is unknown if they hold. */
extern const char naming_unknown[];

/* LIST, of struct symbol_options, is borrowed until naming_free. Return NULL if it is empty. */
struct naming *naming_new(const struct option_list *list);
void naming_free(struct naming *);

/* Open the files, once. Return the number opened; the first error goes to ERR. One thread at
 * a time; others may expand meanwhile. */
int naming_load(struct naming *, struct err *);

/* True if an entry applies to a trace of that name, loaded or not. False if NAMING is NULL. */
bool naming_applies(const struct naming *, const char *trace);

/* Return the number of all entries if one with `when` applies to a trace of that name, or to any
 * if that is NULL; else 0. NAMING may be NULL. */
size_t naming_conditions(const struct naming *, const char *trace);

/* The next three functions have no message, so no entry with `when` is known to hold. */

/* Append the name of an address, made safe for terminals. Return false if it has none. NAMING
 * may be NULL. */
bool naming_name(struct naming *, const char *trace, uint64_t address, struct text *name);

/* Find the function and line of an address, not made safe. Return false if nothing is known. */
bool naming_find(struct naming *, const char *trace, uint64_t address, struct symbol_place *);

/* Find the functions that the compiler inlined at an address, outermost first, at most MOST.
 * Texts as in struct symbol_place. */
size_t naming_inlined(struct naming *, const char *trace, uint64_t address, const char **names,
		      size_t most);

/* List lines or functions of the files for a trace of that name, at their loaded addresses, without
 * the entries with `when`. LIST is symbols_list_lines or symbols_list_functions. */
void naming_list(struct naming *, const char *trace,
		 void (*list)(struct symbols *, symbols_take *, void *), symbols_take *,
		 void *context);

/* Add the files for a trace of that name to IMAGE, each where its entry places it, without the
 * entries with `when`. Return the number of files, or negative with a reason. NAMING may be NULL.
 */
int naming_add_images(struct naming *, const char *trace, struct image *, struct err *);

/* Call TAKE with the stamp of each file that was read. Any thread; NAMING may be NULL. */
void naming_list_stamps(const struct naming *,
			void (*take)(void *context, const struct file_stamp *), void *context);

/* Add the names of the addresses in E, a message of OPS expanded with fields. They become
 * notes of the fields. The first one is also appended to the text and added as fields, if the
 * format has rows for that. HOLDS is that of the judge; NULL: all are unknown. */
void naming_expand(struct naming *, const char *trace, const struct decoder_ops *ops,
		   const enum naming_hold *holds, struct expansion *e);

#endif
