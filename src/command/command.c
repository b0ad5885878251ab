/*
 * The table of commands, and look-up by name: see command.h.
 *
 * A whole name wins over a unique abbreviation, so that `:q` and `:sev error` work as expected.
 * Linear search is enough for some seventy commands that a person types.
 */
#include "config.h"

#include "command/command.h"

#include <string.h>

const struct command commands[COMMAND_COUNT] = {
#define COMMAND(id_, name_, group_, scope_, keys_, argument_, handler_, help_)                     \
	[COMMAND_##id_] = {.name = (name_),                                                        \
			   .group = GROUP_##group_,                                                \
			   .scope = SCOPE_##scope_,                                                \
			   .keys = (keys_),                                                        \
			   .argument = ARGUMENT_##argument_,                                       \
			   .help = (help_)},
#include "command/command.def"
#undef COMMAND
};

const char *
command_group_title(enum command_group group)
{
	static const char *const titles[GROUP_COUNT] = {
	    [GROUP_MOVE] = "Moving",	[GROUP_FIND] = "Finding",
	    [GROUP_FILTER] = "Filters", [GROUP_MARKS] = "Marks and copies",
	    [GROUP_PANES] = "Panes",	[GROUP_SHOW] = "Screen and program",
	};
	return titles[group];
}

const char *
command_scope_name(enum command_scope scope)
{
	static const char *const names[SCOPE_COUNT] = {
	    [SCOPE_ANY] = "any",
	    [SCOPE_LIST] = "list",
	    [SCOPE_DETAIL] = "detail",
	    [SCOPE_HEX] = "hex",
	    [SCOPE_MARKS] = "marks",
	    [SCOPE_CONTEXT] = "context",
	    [SCOPE_TIMELINE] = "timeline",
	    [SCOPE_FILTERS] = "filters",
	    [SCOPE_ORIGINS] = "origins",
	    [SCOPE_SYNCS] = "syncs",
	    [SCOPE_GAPS] = "gaps",
	    [SCOPE_HELP] = "help",
	    [SCOPE_DIFFERENCES] = "differences",
	    [SCOPE_CARD] = "keys",
	    [SCOPE_INTERVALS] = "intervals",
	    [SCOPE_MATCHES] = "matches",
	    [SCOPE_TABLE] = "table",
	    [SCOPE_CODE] = "code",
	    [SCOPE_STACK] = "stack",
	    [SCOPE_FUNCTIONS] = "functions",
	};
	return names[scope];
}

const struct habit habits[] = {
#define HABIT(keys_, meaning_, here_, instead_)                                                    \
	{.keys = (keys_),                                                                          \
	 .meaning = (meaning_),                                                                    \
	 .here = COMMAND_##here_,                                                                  \
	 .instead = COMMAND_##instead_},
#include "command/habit.def"
};
const size_t habit_count = sizeof habits / sizeof *habits;

const struct habit_line habit_lines[] = {
#define HABIT_LINE(...) {__VA_ARGS__},
#include "command/habit.def"
};
const size_t habit_line_count = sizeof habit_lines / sizeof *habit_lines;

const char *
habit_line_find(const char *line)
{
	for (size_t i = 0; i < habit_line_count; i++)
		if (!strcmp(habit_lines[i].line, line))
			return habit_lines[i].instead;
	return NULL;
}

const struct command_alias command_aliases[] = {
    {"h", COMMAND_HELP},	   {"n", COMMAND_NEXT},
    {"N", COMMAND_PREVIOUS},	   {"$", COMMAND_END},
    {"noh", COMMAND_CANCEL},	   {"q!", COMMAND_QUIT},
    {"qa", COMMAND_QUIT},	   {"undo", COMMAND_UNDO_FILTER},
    {"redo", COMMAND_REDO_FILTER}, {"filter-in", COMMAND_NARROW},
    {"nohl", COMMAND_CANCEL},	   {"nohlsearch", COMMAND_CANCEL},
    {"quit!", COMMAND_QUIT},	   {"qall", COMMAND_QUIT},
    {"qa!", COMMAND_QUIT},	   {"qall!", COMMAND_QUIT},
    {"tail", COMMAND_FOLLOW},	   {"w", COMMAND_WRITE},
};
const size_t command_alias_count = sizeof command_aliases / sizeof *command_aliases;

enum command_id
command_find_alias(const char *name, size_t length)
{
	for (size_t i = 0; i < command_alias_count; i++)
		if (!strncmp(command_aliases[i].name, name, length) &&
		    !command_aliases[i].name[length])
			return command_aliases[i].id;
	return COMMAND_COUNT;
}

enum command_id
command_find(const char *name, size_t length)
{
	size_t found = command_find_alias(name, length), matches = 0;
	if (found < COMMAND_COUNT)
		return (enum command_id)found;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strncmp(commands[i].name, name, length) != 0)
			continue;
		if (!commands[i].name[length])
			return (enum command_id)i;
		found = i;
		matches++;
	}
	return matches == 1 && length ? (enum command_id)found : COMMAND_COUNT;
}

const char *
command_next_name(void *unused, size_t at)
{
	(void)unused;
	return at < COMMAND_COUNT ? commands[at].name : NULL;
}

int64_t
command_steps(const struct command_call *call)
{
	return call->count < INT32_MAX ? (int64_t)call->count : INT32_MAX;
}
