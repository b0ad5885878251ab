/*
 * Options as data.
 *
 * Each room declares a plain struct of its settings and one table that says,
 * for each member, its name in YAML, its type, its range or its choices, its
 * default and a sentence of help.  Whoever reads a profile, a view or a theme
 * (config/schema.c), writes a manual or completes a name walks the same
 * table; there is no second list.
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
	OPTION_CHOICE, /* int, position in `choices` */
	OPTION_STRUCT, /* the member is a struct described by `table` */
	OPTION_LIST,   /* struct option_list of structs described by `table`, or
			  of char * where `table` is NULL */
	OPTION_ANY     /* no member: a known key, its value is not looked at */
};

struct option_list {
	void *at; /* elements, owned; table->size each, or char * */
	size_t count;
};

struct option_row {
	const char *name; /* as in YAML */
	enum option_type type;
	size_t member;		    /* offsetof */
	const char *help;	    /* one sentence, no full stop; NULL: told elsewhere */
	const char *default_text;   /* default, as it would stand in YAML; NULL = zero, absent */
	int64_t min;		    /* OPTION_INT and OPTION_NUMBER; OPTION_UINT where positive */
	uint64_t max;		    /* of these; 0 = no limit, for OPTION_NUMBER on either side */
	bool positive;		    /* OPTION_NUMBER: from OPTION_LEAST on; min is not used */
	const char *const *choices; /* NULL-terminated */
	bool required;
	bool path; /* OPTION_TEXT or a list of texts: relative to the file it stands in, */
	bool (*is_no_path)(const char *text); /* but for such as this holds for; NULL: none */
	bool also_top_level;		      /* in a profile it stands beside its section, too */
	bool description; /* decides what is said of messages, not which there are */
	bool trace;	  /* OPTION_TEXT or a list of texts: names a trace, or TRACE:ORIGIN */
	bool hex;	  /* a whole number that people write in hexadecimal digits */
	bool whole;	  /* OPTION_STRUCT: one value; what is given replaces all of it */
	const struct option_table *table;
	/* OPTION_TEXT: what was expected instead of TEXT, as option_set; or NULL */
	const char *(*check)(const char *text, char buffer[static 256]);
	/* OPTION_STRUCT: offset of a bool that says whether it was given; 0:
	 * not kept.  What was not given is not written. */
	size_t given;
};

/* Members that are right alone and wrong together. */
struct option_fault {
	const char *member; /* name of the row to blame, or the path of a deeper one:
			       `list[2].name`, which `room` may hold */
	char what[256];	    /* a sentence with what to do, as in an error */
	char room[64];
};

struct option_table {
	const char *name; /* of the thing described */
	size_t size;	  /* of the struct */
	const struct option_row *rows;
	size_t count;
	/* Looks at a struct as a whole, once it is filled; NULL: no need. */
	bool (*check)(const void *object, struct option_fault *);
	/* Puts what was read into UPPER, from defaults, over what LOWER has; UPPER
	 * is released by the caller.  NULL: member by member, as they are read. */
	void (*merge)(void *lower, void *upper);
};

/* A row for MEMBER of STRUCTURE, which has the same name in YAML, of OPTION_TYPE.
 * Help follows, the default if there is one, and what else the row says: .max = 8. */
#define OPTION_ROW(structure, member, type, ...)                                                   \
	{                                                                                          \
#member, OPTION_##type, offsetof(structure, member), __VA_ARGS__                   \
	}

#define OPTION_LEAST 1e-9 /* the least positive number */

#define OPTION_TABLE(what, type, array)                                                            \
	{                                                                                          \
		.name = (what), .size = sizeof(type), .rows = (array),                             \
		.count = sizeof(array) / sizeof *(array)                                           \
	}

/* Sets one member from its YAML text.  Returns NULL, or what was expected
 * instead ("a number from 0 to 16"), in a static or caller-provided BUFFER
 * of at least 256 bytes.  OPTION_STRUCT, OPTION_LIST and OPTION_ANY are not
 * set here. */
const char *option_set(const struct option_row *, void *object, const char *text,
		       char buffer[static 256]);

/* Zeroes OBJECT and sets the defaults, those of nested structs too. */
void option_defaults(const struct option_table *, void *object);

/* Fills TO, which is not initialised, with a copy of FROM. */
void option_copy(const struct option_table *, void *to, const void *from);

/* Merge into OURS, a list of ROW that this run changed, the changes that another run made to the
 * same list.  BASE is the list that both began with.  Added elements are copies.  Return their
 * number. */
size_t option_merge(const struct option_row *, struct option_list *ours,
		    const struct option_list *base, const struct option_list *theirs);

/* Frees the texts and lists in OBJECT, not OBJECT itself. */
void option_release(const struct option_table *, void *object);
void option_release_list(const struct option_row *, struct option_list *);

/* Continues HASH over all that OBJECT says but words; of a file that it names,
 * its size and when it was changed. */
uint64_t option_hash(const struct option_table *, const void *object, uint64_t hash);

/* The same over a text. */
uint64_t option_hash_text(const char *text, uint64_t hash);

const struct option_row *option_find(const struct option_table *, const char *name);

/*
 * Appends OBJECT as YAML that gives an equal object when it is loaded.  Structs
 * and lists of scalars stand on one line, without what has its default; all
 * else is written out.  Texts must be UTF-8 to come back as they were.
 */
void option_write(const struct option_table *, const void *object, struct text *);

/* The same of ROW, or of all rows where it is NULL, indented by INDENT, without what has
 * its default; false, and nothing appended, if that is all. */
bool option_write_changed(const struct option_table *, const struct option_row *row,
			  const void *object, int indent, struct text *);

/* Puts FOLDER, with its slash, in front of all relative paths in OBJECT. */
void option_resolve(const struct option_table *, void *object, const char *folder);

/* Appends TEXT between double quotes, with YAML's escapes. */
void option_quote(const char *text, struct text *);

/* The value of one scalar member as text; false if it is absent or no scalar. */
bool option_get(const struct option_row *, const void *object, struct text *);

/* The name in TABLE most like NAME, or NULL if none is near; for
 * "did you mean". */
const char *option_nearest(const struct option_table *, const char *name);

/* For option_row.check, over a set of names by number, NULL past the end: NULL if
 * TEXT is one of them, else "WHAT; did you mean NAME?", or WHAT where none is
 * near. */
const char *option_check_name(const char *what, const char *(*name_at)(size_t), const char *text,
			      char buffer[static 256]);

#endif
