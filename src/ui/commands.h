/*
 * Run commands.  The pane with the cursor comes first, then the program, then the list.
 */
#ifndef TRAWL_UI_COMMANDS_H
#define TRAWL_UI_COMMANDS_H

#include "command/command.h"

struct screen;

/* Run a command, or open the prompt for the text it needs. */
void commands_run(struct screen *, struct command_call);

#endif
