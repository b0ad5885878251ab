/*
 * Options as data.
 *
 * Each folder declares a plain struct of its settings and one table.  For each member, the table
 * has its name in YAML, type, range or choices, default, and a sentence of help.  The reader of
 * profiles, views and themes (config/schema.c), the manual and completion all use this table; no
 * second list exists.
 */
#ifndef TRAWL_BASE_OPTION_H
#define TRAWL_BASE_OPTION_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_BOOL,   /* bool */
	OPTION_UINT,   /* uint64_t, min..max */
	OPTION_INT,    /* int64_t, min..max */
	OPTION_NUMBER, /* double, min..max */
	OPTION_TEXT,   /* char *, owned by the struct, NULL if absent */
	OPTION_CHOICE, /* int, index in `choices` */
	OPTION_STRUCT, /* a struct described by `table` */
	OPTION_LIST,   /* struct option_list: of structs described by `table`, or of char * */
	OPTION_ANY     /* no member: a known key, its value is ignored */
};

struct option_list {
	void *at; /* elements, owned; table->size each, or char * */
	size_t count;
};

struct option_row {
	const char *name; /* as in YAML */
	enum option_type type;
	size_t member;		    /* offsetof */
	const char *help;	    /* one sentence, no full stop; NULL: documented elsewhere */
	const char *default_text;   /* default, as written in YAML; NULL: zero or absent */
	int64_t min;		    /* OPTION_INT, OPTION_NUMBER; OPTION_UINT if positive */
	uint64_t max;		    /* same; 0: no limit, and OPTION_NUMBER ignores min */
	bool positive;		    /* OPTION_NUMBER: the minimum is OPTION_LEAST, not min */
	const char *const *choices; /* NULL-terminated */
	bool required;
	bool path; /* OPTION_TEXT or a list of texts: relative to its file */
	bool (*is_no_path)(const char *text); /* exceptions that are no path; NULL: none */
	bool also_top_level;		      /* also allowed next to its section */
	bool description;		      /* affects only the wording of messages */
	bool trace; /* OPTION_TEXT or a list of texts: names a trace, or TRACE:ORIGIN */
	bool hex;   /* a number that people write in hexadecimal */
	bool whole; /* OPTION_STRUCT: a single value, always replaced as a whole */
	const struct option_table *table;
	/* OPTION_TEXT: return NULL, or the expected value, as option_set does.  May be NULL. */
	const char *(*check)(const char *text, char buffer[static 256]);
	/* OPTION_STRUCT: offset of a bool, true if the file mentions the struct.  Otherwise it
	 * is not written.  0: not recorded. */
	size_t given;
};

/* An error of members that are valid alone but not together. */
struct option_fault {
	/* Name of the row to blame, or the path of a deeper one, such as `list[2].name`.  May
	 * point to `room`. */
	const char *member;
	char what[256]; /* a sentence with a remedy, as in an error */
	char room[64];
};

struct option_table {
	const char *name; /* of the described thing */
	size_t size;	  /* of the struct */
	const struct option_row *rows;
	size_t count;
	/* Check a struct as a whole, once it is filled.  May be NULL. */
	bool (*check)(const void *object, struct option_fault *);
	/* Merge UPPER, which was read over defaults, into LOWER.  The caller releases UPPER.
	 * NULL: merge each member as it is read. */
	void (*merge)(void *lower, void *upper);
};

/* A row for MEMBER of STRUCTURE, which has the same name in YAML, of OPTION_TYPE.  The help
 * follows, then the default, if any, and other fields, such as .max = 8. */
#define OPTION_ROW(structure, member, type, ...)                                                   \
	{                                                                                          \
#member, OPTION_##type, offsetof(structure, member), __VA_ARGS__                   \
	}

#define OPTION_LEAST 1e-9 /* least positive number */

#define OPTION_TABLE(what, type, array)                                                            \
	{                                                                                          \
		.name = (what), .size = sizeof(type), .rows = (array),                             \
		.count = sizeof(array) / sizeof *(array)                                           \
	}

/* Set one member from its YAML text.  Return NULL, or the expected value ("a number from 0 to
 * 16"): a constant or in BUFFER.  Does not set OPTION_STRUCT, OPTION_LIST and OPTION_ANY. */
const char *option_set(const struct option_row *, void *object, const char *text,
		       char buffer[static 256]);

/* Zero OBJECT and set the defaults, also of nested structs. */
void option_defaults(const struct option_table *, void *object);

/* Fill TO, which need not be initialised, with a copy of FROM. */
void option_copy(const struct option_table *, void *to, const void *from);

/* Merge the changes that another run made to a list of ROW into OURS, which this run changed.
 * BASE is the list that both began with.  Added elements are copies.  Return their number. */
size_t option_merge(const struct option_row *, struct option_list *ours,
		    const struct option_list *base, const struct option_list *theirs);

/* Free the texts and lists in OBJECT, but not OBJECT. */
void option_release(const struct option_table *, void *object);
void option_release_list(const struct option_row *, struct option_list *);

/* Continue HASH over OBJECT, except members that only describe messages.  A path adds the size
 * and modification time of its file. */
uint64_t option_hash(const struct option_table *, const void *object, uint64_t hash);

/* Same over a text. */
uint64_t option_hash_text(const char *text, uint64_t hash);

const struct option_row *option_find(const struct option_table *, const char *name);

/*
 * Append OBJECT as YAML.  Loading that yields an equal object.  Structs and lists of scalars take
 * one line and omit defaults; everything else is written in full.  Only UTF-8 texts are preserved.
 */
void option_write(const struct option_table *, const void *object, struct text *);

/* Same for ROW, or for all rows if it is NULL, indented by INDENT, without defaults.  Return
 * false if that leaves nothing to append. */
bool option_write_changed(const struct option_table *, const struct option_row *row,
			  const void *object, int indent, struct text *);

/* Call TAKE for each path in OBJECT.  It may replace *PATH, which OBJECT owns. */
typedef void option_take_path(void *context, const struct option_row *, char **path);
void option_each_path(const struct option_table *, void *object, option_take_path *take,
		      void *context);

/* Prepend FOLDER, which ends in a slash, to all relative paths in OBJECT. */
void option_resolve(const struct option_table *, void *object, const char *folder);

/* Append TEXT in double quotes, with YAML's escapes. */
void option_quote(const char *text, struct text *);

/* Append the value of a scalar member as text.  Return false if it is absent or no scalar. */
bool option_get(const struct option_row *, const void *object, struct text *);

/* Return name number AT of TABLE, for nearest_hint(). */
const char *option_next_name(void *table, size_t at);

/* Return the name in TABLE nearest to NAME, or NULL if none is near; for "did you mean". */
const char *option_nearest(const struct option_table *, const char *name);

/* Check a GUID for option_row.check. */
const char *option_check_guid(const char *text, char buffer[static 256]);

/* Check TEXT for option_row.check against a set of names.  NAME_AT returns names by number, NULL
 * past the end.  Return NULL if TEXT is a known name.  Otherwise return "WHAT; did you mean
 * NAME?", or WHAT if no name is near. */
const char *option_check_name(const char *what, const char *(*name_at)(size_t), const char *text,
			      char buffer[static 256]);

#endif
