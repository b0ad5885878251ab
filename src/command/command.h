/*
 * Commands as data: what there is to do, under which name and keys.
 *
 * Made from command.def; the panes have the functions.
 */
#ifndef TRAWL_COMMAND_COMMAND_H
#define TRAWL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum command_id {
#define COMMAND(id, name, group, scope, keys, argument, help) COMMAND_##id,
#include "command/command.def"
#undef COMMAND
	COMMAND_COUNT
};

/* Where a key means something; ANY is looked at last. */
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
	ARGUMENT_LETTER, /* the key after it */
	ARGUMENT_TEXT,	 /* asked for in a prompt, or after the name */
	ARGUMENT_LINE	 /* after the name; may be left out */
};

struct command {
	const char *name;
	enum command_group group;
	enum command_scope scope;
	const char *keys; /* defaults; alternatives with a blank between */
	enum command_argument argument;
	const char *help; /* one sentence, no full stop */
};

extern const struct command commands[COMMAND_COUNT];

/* A command as it is called. */
struct command_call {
	enum command_id id;
	uint64_t count; /* 1 unless typed */
	bool counted;	/* it was typed */
	uint32_t letter;
	const char *text; /* NULL: not given, ask for it */
};

/* A move by a command's count, never so large that adding it overflows. */
int64_t command_steps(const struct command_call *);

const char *command_group_title(enum command_group);
const char *command_scope_name(enum command_scope);

/* Other names of commands, as other programs have them. */
struct command_alias {
	const char *name;
	enum command_id id;
};
extern const struct command_alias command_aliases[];
extern const size_t command_alias_count;

/* By another name of it; COMMAND_COUNT if that is none. */
enum command_id command_find_alias(const char *name, size_t length);

/* By its whole name, another name of it, or a beginning that only one has; COMMAND_COUNT if there
 * is none. */
enum command_id command_find(const char *name, size_t length);

#endif
