/*
 * Loading YAML into structs that option tables describe.  Errors contain place and reason:
 * "FILE:LINE:COLUMN: mistake; expected value".  A file with several mistakes gives one line each,
 * ordered by place, up to 20.  Broken syntax gives a single line.
 *
 * `null`, `~` and an empty text mean the same as an absent key, quoted or not.  A mapping may have
 * only the keys of its table, each once.  Anchors and aliases work for whole values; merge keys
 * (`<<`) do not.
 */
#ifndef TRAWL_CONFIG_SCHEMA_H
#define TRAWL_CONFIG_SCHEMA_H

#include "base/err.h"
#include "base/option.h"
#include "base/text.h"

#include <stddef.h>

enum { SCHEMA_SIZE_MAX = 16 << 20 }; /* bytes of a file */

/*
 * Fill OBJECT, which need not be initialised, from a YAML file.  Settings missing from the file
 * get their defaults.  The table must not contain itself.
 *
 * Return 0, ERR_IO or ERR_CONFIG.  OBJECT can be read and passed to option_release in any case:
 * after an error it holds the defaults.
 */
int schema_load_file(const char *path, const struct option_table *, void *object, struct err *);

/* Same from LENGTH bytes of text, any bytes.  Errors show NAME as the file. */
int schema_load_text(const char *name, const char *text, size_t length, const struct option_table *,
		     void *object, struct err *);

/*
 * Merge a file into OBJECT, which is filled.  Settings missing from the file keep their values.  A
 * list is one value, as is a struct marked `whole` in its row.  Other structs are merged key by
 * key.  After an error OBJECT is unchanged.
 */
int schema_merge_file(const char *path, const struct option_table *, void *object, struct err *);
int schema_merge_text(const char *name, const char *text, size_t length,
		      const struct option_table *, void *object, struct err *);

/* Append the place of the value at KEYS ("traces[0].clock.hz") in a file, as "FILE:LINE:COLUMN".
 * Append only the file if it cannot be read. */
void schema_place(const char *path, const char *keys, struct text *out);

/* Return the line, from 1, of KEYS ("theme.error"), or 0 if it is not in the text or file. */
size_t schema_find_key(const char *text, size_t length, const char *keys);
size_t schema_find_key_in(const char *path, const char *keys);

/* Return the version of the linked libcyaml. */
const char *schema_version(void);

#endif
