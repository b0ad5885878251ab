/*
 * Detect changes in the files of a session's programs and of its decoders' memory
 * images. A user may build them again while the session is open.
 *
 * Nothing watches the files: programs_look() compares stamps, with one call of
 * stat() for each file.
 *
 * Threads: the owner's.
 */
#ifndef TRAWL_SESSION_PROGRAMS_H
#define TRAWL_SESSION_PROGRAMS_H

#include "base/file.h"

#include <stdbool.h>

struct programs;
struct session;

void programs_free(struct programs *); /* NULL is allowed */

/* Call TAKE once for each file that changed or was removed, and again if that state changes. */
void programs_look(struct session *,
		   void (*take)(void *context, const char *path, enum file_change), void *context);

/* True if a file changed, so session_read_programs() would read other bytes. */
bool programs_have_changed(struct session *);

#endif
