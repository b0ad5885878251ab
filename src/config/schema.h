/*
 * From YAML to structs described by option tables, with errors that say
 * where and what: "FILE:LINE:COLUMN: what is wrong; what was expected".  A file with
 * several mistakes gives a line for each, in the order of their places, up to 20; broken
 * syntax is told alone.
 *
 * `null`, `~` and an empty text are the same as an absent key, quoted or
 * not.  A mapping has the keys of its table only, each once.  Anchors and
 * aliases work for whole values; merge keys (`<<`) do not.
 */
#ifndef TRAWL_CONFIG_SCHEMA_H
#define TRAWL_CONFIG_SCHEMA_H

#include "base/err.h"
#include "base/option.h"
#include "base/text.h"

#include <stddef.h>

enum { SCHEMA_SIZE_MAX = 16 << 20 }; /* bytes of a file */

/*
 * Fills OBJECT, which need not be initialised, from a YAML file; what the
 * file does not mention has its default.  The table must not contain itself.
 *
 * Returns 0, ERR_IO or ERR_CONFIG.  OBJECT can be read and given to
 * option_release either way: after an error it holds the defaults.
 */
int schema_load_file(const char *path, const struct option_table *, void *object, struct err *);

/* The same from LENGTH bytes of text, any bytes; NAME stands for the file in
 * errors. */
int schema_load_text(const char *name, const char *text, size_t length, const struct option_table *,
		     void *object, struct err *);

/*
 * Lays a file over OBJECT, which is filled: what the file does not mention stays.
 * A list is one value, and so is a struct that its row calls whole; any other
 * struct is laid over key by key.  After an error OBJECT is as it was.
 */
int schema_merge_file(const char *path, const struct option_table *, void *object, struct err *);
int schema_merge_text(const char *name, const char *text, size_t length,
		      const struct option_table *, void *object, struct err *);

/* The place of the value at KEYS ("traces[0].clock.hz") in a file, as
 * "FILE:LINE:COLUMN", or the file alone if that cannot be read. */
void schema_place(const char *path, const char *keys, struct text *out);

/* The line, from 1, in which KEYS ("theme.error") stand; 0: the text, or the file, has none. */
size_t schema_find_key(const char *text, size_t length, const char *keys);
size_t schema_find_key_in(const char *path, const char *keys);

/* The version of libcyaml that is linked. */
const char *schema_version(void);

#endif
