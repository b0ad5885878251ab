/*
 * Watching a file: see watch.h.
 *
 * The watch is on the open file, through its descriptor, so a rename between two calls
 * cannot redirect it.  Its folder is watched only while that matters: the name does not
 * exist, or is a symbolic link that may change.  Otherwise a busy folder would wake the
 * thread for nothing.
 *
 * Events are only hints: each one triggers a check of the file, and only a difference is
 * reported.  After a report the thread sleeps for a while without listening.  A file that
 * is written a thousand times a second therefore costs twenty checks a second.
 */
#include "config.h"

#include "capture/watch.h"
#include "base/vec.h"
#include "base/job.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { QUIET_MS = 50, ONCE_MS = 250, CLOCK_MS = 400 };

/* State of the open file, and the file that has the name. */
struct file_state {
	off_t size;
	struct timespec written;
	bool named;
	dev_t device;
	ino_t inode;
};

struct watch {
	struct watch_options options;
	char *folder; /* of the path, or NULL */
	int events;   /* inotify descriptor; -1: poll */
	struct file_state last;
	struct job job;
};

static struct file_state
read_status(const struct watch *watch)
{
	struct file_state state = {0};
	struct stat st;
	if (!fstat(watch->options.file, &st)) {
		state.size = st.st_size;
		state.written = st.st_mtim;
	}
	if (watch->options.path && !stat(watch->options.path, &st)) {
		state.named = true;
		state.device = st.st_dev;
		state.inode = st.st_ino;
	}
	return state;
}

static bool
file_changed(struct watch *watch)
{
	struct file_state now = read_status(watch), *last = &watch->last;
	bool same = now.size == last->size && now.written.tv_sec == last->written.tv_sec &&
		    now.written.tv_nsec == last->written.tv_nsec && now.named == last->named &&
		    now.device == last->device && now.inode == last->inode;
	*last = now;
	return !same;
}

/* --- kernel events --------------------------------------------------------- */

/* True if other machines may write to the file, unseen by our kernel. */
static bool
is_remote(int file)
{
	static const uint32_t remote[] = {
	    0x6969,	/* NFS */
	    0x517b,	/* SMB */
	    0xff534d42, /* CIFS */
	    0xfe534d42, /* SMB2 */
	    0x5346414f, /* AFS */
	    0x6b414653, /* kAFS */
	    0x73757245, /* Coda */
	    0x65735546, /* FUSE: sshfs and similar */
	    0x01021997, /* 9P: virtual machines' folders */
	    0x786f4256, /* VirtualBox */
	    0xbacbacbc, /* VMware */
	    0x00c36400, /* Ceph */
	    0x0bd00bd0, /* Lustre */
	    0x47504653, /* GPFS */
	    0x01161970, /* GFS2 */
	    0x7461636f, /* OCFS2 */
	};
	struct statfs fs;
	if (fstatfs(file, &fs))
		return false;
	for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
		if ((uint32_t)fs.f_type == remote[i])
			return true;
	return false;
}

static bool
name_may_move(const char *path)
{
	struct stat st;
	return lstat(path, &st) || S_ISLNK(st.st_mode);
}

/* Watch the folder as well if that is needed.  Repeating it is harmless. */
static void
listen_to_folder(struct watch *watch)
{
	if (watch->folder && name_may_move(watch->options.path))
		inotify_add_watch(watch->events, watch->folder,
				  IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

/* Start to listen.  Return false if the kernel cannot report changes of this file. */
static bool
listen_changes(struct watch *watch)
{
	char path[32];
	if (watch->options.by_clock || is_remote(watch->options.file))
		return false;
	watch->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->events < 0)
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", watch->options.file);
	/* unlinking an open file changes its link count (IN_ATTRIB) */
	if (inotify_add_watch(watch->events, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF) < 0) {
		close(watch->events);
		watch->events = -1;
		return false;
	}
	listen_to_folder(watch);
	return true;
}

static void
drop_events(struct watch *watch)
{
	char buffer[4096];
	while (read(watch->events, buffer, sizeof buffer) > 0)
		;
}

/* --- the thread -------------------------------------------------------- */

/* Sleep for MILLISECONDS (negative: no limit), or until the descriptor EVENTS is readable.  Return
 * false if the watch must end. */
static bool
sleep_until(struct watch *watch, int events, int milliseconds)
{
	struct pollfd wait[] = {{.fd = job_stop_event(&watch->job), .events = POLLIN},
				{.fd = events, .events = POLLIN}};
	int ready = job_poll(wait, 2, milliseconds);
	return (ready >= 0 || errno == EINTR) && !wait[0].revents;
}

static void
watch_file(void *context)
{
	struct watch *watch = context;
	int patience = watch->events < 0 ? CLOCK_MS : -1;
	while (sleep_until(watch, watch->events, patience)) {
		if (watch->events >= 0) {
			drop_events(watch);
			listen_to_folder(watch);
		}
		if (!file_changed(watch))
			continue;
		/* let changes collect before the only report */
		if (watch->options.once && !sleep_until(watch, -1, ONCE_MS))
			break;
		watch->options.notify(watch->options.context);
		if (watch->options.once || !sleep_until(watch, -1, QUIET_MS))
			break;
	}
}

static void
watch_free(struct watch *watch)
{
	job_free(&watch->job);
	if (watch->events >= 0)
		close(watch->events);
	free(watch->folder);
	free(watch);
}

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return mem_text(".");
	char *folder = mem_text(path);
	folder[slash > path ? slash - path : 1] = '\0';
	return folder;
}

struct watch *
watch_start(const struct watch_options *options)
{
	struct watch *watch = mem_new(sizeof *watch);
	watch->options = *options;
	watch->events = -1;
	watch->folder = options->path ? folder_of(options->path) : NULL;
	job_init(&watch->job, watch_file, watch);
	bool can_stop = job_stop_event(&watch->job) >= 0;
	bool listening = can_stop && listen_changes(watch);
	watch->last = read_status(watch); /* after listening starts, so no change is missed */
	if (can_stop && (listening || !options->once) && job_start_once(&watch->job))
		return watch;
	watch_free(watch);
	return NULL;
}

void
watch_stop(struct watch *watch)
{
	if (watch)
		watch_free(watch);
}
