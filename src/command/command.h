/*
 * Commands as data: their names, keys and help.
 *
 * Made from command.def.  The functions are in the panes.
 */
#ifndef TRAWL_COMMAND_COMMAND_H
#define TRAWL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum command_id {
#define COMMAND(id, name, group, scope, keys, argument, handler, help) COMMAND_##id,
#include "command/command.def"
#undef COMMAND
	COMMAND_COUNT
};

/* The place where a key is valid.  SCOPE_ANY is tried last. */
enum command_scope {
	SCOPE_ANY,
	SCOPE_LIST,
	SCOPE_DETAIL,
	SCOPE_HEX,
	SCOPE_MARKS,
	SCOPE_CONTEXT,
	SCOPE_TIMELINE,
	SCOPE_FILTERS,
	SCOPE_ORIGINS,
	SCOPE_SYNCS,
	SCOPE_GAPS,
	SCOPE_DIFFERENCES,
	SCOPE_INTERVALS,
	SCOPE_MATCHES,
	SCOPE_TABLE,
	SCOPE_CODE,
	SCOPE_STACK,
	SCOPE_FUNCTIONS,
	SCOPE_HELP,
	SCOPE_CARD,
	SCOPE_COUNT
};

enum command_group {
	GROUP_MOVE,
	GROUP_FIND,
	GROUP_FILTER,
	GROUP_MARKS,
	GROUP_PANES,
	GROUP_SHOW,
	GROUP_COUNT
};

enum command_argument {
	ARGUMENT_NONE,
	ARGUMENT_COUNT,	 /* digits before the key */
	ARGUMENT_LETTER, /* the next key */
	ARGUMENT_TEXT,	 /* from a prompt, or after the name */
	ARGUMENT_LINE	 /* after the name; optional */
};

struct command {
	const char *name;
	enum command_group group;
	enum command_scope scope;
	const char *keys; /* defaults; alternatives separated by a blank */
	enum command_argument argument;
	const char *help; /* one sentence, no full stop */
};

extern const struct command commands[COMMAND_COUNT];

/* A call of a command. */
struct command_call {
	enum command_id id;
	uint64_t count; /* 1 unless typed */
	bool counted;	/* the count was typed */
	uint32_t letter;
	const char *text; /* NULL: absent, open a prompt for it */
};

/* Return a command's count as a distance, small enough that adding it never overflows. */
int64_t command_steps(const struct command_call *);

const char *command_group_title(enum command_group);
const char *command_scope_name(enum command_scope);

/* A key of vi or less that does something else here: command/habit.def. */
struct habit {
	const char *keys, *meaning;
	enum command_id here, instead; /* COMMAND_COUNT: none */
};
extern const struct habit habits[];
extern const size_t habit_count;

/* A command line of vi that fails here, without its colon: command/habit.def. */
struct habit_line {
	const char *line, *meaning, *instead;
};
extern const struct habit_line habit_lines[];
extern const size_t habit_line_count;
/* Return the way to do the same here, or NULL if the line is not in the table. */
const char *habit_line_find(const char *line);

/* Other names of commands, known from other programs. */
struct command_alias {
	const char *name;
	enum command_id id;
};
extern const struct command_alias command_aliases[];
extern const size_t command_alias_count;

/* Find a command by an alias.  Return COMMAND_COUNT if it is none. */
enum command_id command_find_alias(const char *name, size_t length);

/* Find a command by its name, an alias, or a unique abbreviation.  Return COMMAND_COUNT if there
 * is no such command. */
enum command_id command_find(const char *name, size_t length);

const char *command_next_name(void *unused, size_t at); /* for nearest_hint() */

#endif
