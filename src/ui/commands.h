/*
 * Running commands: by the pane with the cursor, else by the program, else by the list.
 */
#ifndef TRAWL_UI_COMMANDS_H
#define TRAWL_UI_COMMANDS_H

#include "command/command.h"

struct screen;

/* Runs a command, or opens the prompt for the text it needs. */
void commands_run(struct screen *, struct command_call);

#endif
