/*
 * Watching a file for changes by others: it is written to or cut, its name is removed or
 * given to another file.
 *
 * A thread sleeps until the kernel reports an event (inotify), so a quiet file costs
 * nothing.  Where the kernel cannot report changes, as on network file systems, the
 * thread polls a few times a second.
 */
#ifndef TRAWL_CAPTURE_WATCH_H
#define TRAWL_CAPTURE_WATCH_H

#include <stdbool.h>

struct watch;

struct watch_options {
	const char *path; /* file name, borrowed; NULL: watch the open file only */
	int file;	  /* its descriptor, borrowed */
	bool once;	  /* notify once, a moment after the first change; never poll */
	bool by_clock;	  /* poll without inotify, for tests */
	/* Called from the watching thread at once after a change, but at most twenty times a
	 * second. */
	void (*notify)(void *);
	void *context;
};

/* Start to report changes.  Return NULL if the file cannot be watched. */
struct watch *watch_start(const struct watch_options *);
void watch_stop(struct watch *); /* NULL is fine */

#endif
