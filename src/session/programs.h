/*
 * Whether the programs of a session and the memory images of its decoders are still the files
 * that were read: they may be built again while the session is open.
 *
 * Nothing watches them: programs_look compares stamps, one call of stat for each file.
 *
 * Threads: the owner's.
 */
#ifndef TRAWL_SESSION_PROGRAMS_H
#define TRAWL_SESSION_PROGRAMS_H

#include "base/file.h"

#include <stdbool.h>

struct programs;
struct session;

void programs_free(struct programs *); /* NULL is fine */

/* Calls TAKE for each file that changed or was removed, once, and again when it changes from
 * one to the other. */
void programs_look(struct session *,
		   void (*take)(void *context, const char *path, enum file_change), void *context);

/* Whether a file changed: session_read_programs would read other bytes. */
bool programs_have_changed(struct session *);

#endif
