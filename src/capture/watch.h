/*
 * Watching a file for what others do to it: it is written to or cut, its name
 * is removed or given to another file.
 *
 * A thread sleeps until the kernel tells of something (inotify), so a quiet
 * file costs nothing.  Where the kernel cannot tell, as on network file
 * systems, the thread looks a few times a second instead.
 */
#ifndef TRAWL_CAPTURE_WATCH_H
#define TRAWL_CAPTURE_WATCH_H

#include <stdbool.h>

struct watch;

struct watch_options {
	const char *path; /* the file's name, borrowed; NULL: its name does not matter */
	int file;	  /* open on it, borrowed */
	bool once;	  /* tell once, a moment after the first change; never look
			     by the clock */
	bool by_clock;	  /* do not ask the kernel, for tests */
	/* Something changed: reported at once, but at most twenty times a second; from
	 * the watching thread. */
	void (*notify)(void *);
	void *context;
};

/* Tells of what changes from now on.  NULL if the file cannot be watched. */
struct watch *watch_start(const struct watch_options *);
void watch_stop(struct watch *); /* NULL is fine */

#endif
