/*
 * Writing under a name: see writer.h.
 *
 * The new file has no name until writer_commit (O_TMPFILE), so nothing remains if the program is
 * killed.  File systems without O_TMPFILE get a draft with a name.  Only this file, base/file.c
 * (files without a name) and the standard streams may be written to; tests/check_style.sh finds
 * violations.
 */
#include "config.h"

#include "base/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NAMES_MAX = 100, ACL_MAX = 4096 };

/* --- the target -------------------------------------------------------- */

/* Return the length of the folder in PATH, with its slash; 0: the current one. */
static size_t
folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Follow symbolic links to the target of PATH, which need not exist. */
static int
follow_links(const char *path, struct text *out)
{
	char link[PATH_MAX];
	text_clear(out);
	text_add(out, path);
	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t length = readlink(text_get(out), link, sizeof link - 1);
		if (length < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -1;
		link[length] = '\0';
		text_cut(out, *link == '/' ? 0 : folder_length(text_get(out)));
		text_add(out, link);
	}
	errno = ELOOP;
	return -1;
}

static void
make_folders(const char *path, mode_t mode)
{
	struct text name = {0};
	text_add(&name, path);
	for (char *slash = name.data; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(name.data, mode);
		*slash = '/';
	}
	text_free(&name);
}

static int
refuse_io(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

/* Return the reason not to write an existing target, or NULL. */
static const char *
why_refused(const struct stat *st, const struct writer_options *options)
{
	bool folder = options->flags & WRITER_FOLDER;
	if (options->is_taken && options->is_taken(options->context, st))
		return "it is an open capture";
	if (S_ISDIR(st->st_mode) != folder)
		return folder ? "it is no folder" : "it is a folder";
	if (S_ISBLK(st->st_mode))
		return "it is a disk";
	if (S_ISSOCK(st->st_mode))
		return "it is a socket";
	if (S_ISREG(st->st_mode) && (options->flags & WRITER_GROWING))
		return "it exists, and a recording never replaces a file; use a new name";
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return "it has other names (hard links); use a new name";
	return NULL;
}

/* --- opening ----------------------------------------------------------- */

/* True if a file is the standard output, as /dev/stdout is. */
static bool
is_stdout(const struct stat *st)
{
	struct stat output;
	return !fstat(STDOUT_FILENO, &output) && output.st_dev == st->st_dev &&
	       output.st_ino == st->st_ino;
}

void
writer_open_stdout(struct writer *w)
{
	w->file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	w->is_direct = true;
	text_add(&w->path, "standard output");
}

int
writer_open_at(struct writer *w, int folder, const char *name, struct err *err)
{
	*w = (struct writer){.is_direct = true};
	text_add(&w->path, name);
	w->file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return w->file < 0 ? refuse_io(name, err) : 0;
}

/* Open a device or a FIFO. */
static int
open_special(struct writer *w, const char *path, const struct stat *st, struct err *err)
{
	w->is_direct = true;
	w->file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (w->stop ? O_NONBLOCK : 0));
	if (w->file < 0 && errno == ENXIO && S_ISFIFO(st->st_mode))
		return err_set(err, ERR_IO, "cannot write %s: no program reads this FIFO", path);
	return w->file < 0 ? refuse_io(path, err) : 0;
}

/* Open a file without a name in the folder of the target.  Return a negative value if the system
 * cannot, or could not name it later. */
static int
open_unnamed(struct writer *w, mode_t mode)
{
	struct text folder = {0};
	size_t length = folder_length(text_get(&w->path));
	text_add_bytes(&folder, length ? w->path.data : "./", length ? length : 2);
	int file = access("/proc/self/fd", X_OK)
		       ? -1
		       : open(folder.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	text_free(&folder);
	return file;
}

/* Try names next to the target until MAKE creates one.  Return its result. */
static int
create_draft(struct writer *w, mode_t mode, int (*make)(struct writer *, mode_t))
{
	for (unsigned i = 0;; i++) {
		text_clear(&w->draft);
		text_addf(&w->draft, "%s.%ld-%u", text_get(&w->path), (long)getpid(), i);
		int made = make(w, mode);
		if (made >= 0)
			return made;
		if (errno != EEXIST || i == NAMES_MAX)
			break;
	}
	text_clear(&w->draft);
	return -1;
}

static int
make_file(struct writer *w, mode_t mode)
{
	return open(w->draft.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

static int
make_link(struct writer *w, mode_t mode)
{
	char name[40];
	(void)mode;
	snprintf(name, sizeof name, "/proc/self/fd/%d", w->file);
	return linkat(AT_FDCWD, name, AT_FDCWD, w->draft.data, AT_SYMLINK_FOLLOW);
}

static int
make_folder(struct writer *w, mode_t mode)
{
	if (mkdir(w->draft.data, mode))
		return -1;
	return open(w->draft.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int
open_draft(struct writer *w, mode_t mode)
{
	if (w->flags & WRITER_FOLDER)
		return create_draft(w, mode | 0111, make_folder);
	if (w->flags & WRITER_GROWING)
		return open(text_get(&w->path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	int file = open_unnamed(w, mode);
	return file >= 0 ? file : create_draft(w, mode, make_file);
}

/* Give the new file the mode, owner, group and ACL of the old one, as far as the system allows. */
static void
keep_attributes(struct writer *w, const struct stat *st)
{
	static const char acl[] = "system.posix_acl_access";
	char value[ACL_MAX];
	ssize_t length = getxattr(text_get(&w->path), acl, value, sizeof value);
	bool owner = !fchown(w->file, st->st_uid, st->st_gid);
	if (!owner && fchown(w->file, (uid_t)-1, st->st_gid))
		errno = 0; /* we may not set this group */
	fchmod(w->file, st->st_mode & (owner ? 07777 : 0777));
	if (length > 0)
		fsetxattr(w->file, acl, value, (size_t)length, 0);
}

/* True if a folder has no entries. */
static bool
is_empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	int entries = 0;
	while (dir && readdir(dir))
		entries++;
	if (dir)
		closedir(dir);
	return dir && entries <= 2; /* itself and its parent */
}

/* Check a target that exists. */
static int
check_old(const struct writer *w, const char *path, const struct stat *st,
	  const struct writer_options *options, struct err *err)
{
	const char *why = why_refused(st, options);
	if (!why && is_stdout(st) && !(options->flags & WRITER_FOLDER))
		return 0;
	if (why)
		return err_set(err, ERR_USAGE, "cannot write %s: %s", path, why);
	if (S_ISDIR(st->st_mode) && !is_empty_folder(text_get(&w->path)))
		return err_set(err, ERR_USAGE,
			       "cannot write %s: the folder is not empty; use a new name", path);
	if (S_ISREG(st->st_mode) && !(options->flags & WRITER_FORCE))
		return err_set(err, ERR_USAGE, "%s exists%s%s", path, options->hint ? "; " : "",
			       options->hint ? options->hint : "");
	return 0;
}

int
writer_open(struct writer *w, const char *path, const struct writer_options *options,
	    struct err *err)
{
	struct stat st;
	w->file = -1;
	w->flags = options->flags;
	w->stop = options->stop;
	w->failed = 0;
	w->is_direct = w->flags & WRITER_GROWING;
	w->is_old = !stat(path, &st);
	if (!w->is_old && errno != ENOENT)
		return refuse_io(path, err);
	if (follow_links(path, &w->path) < 0 && !w->is_old)
		return refuse_io(path, err);
	while (w->flags & WRITER_FOLDER && w->path.length > 1 &&
	       w->path.data[w->path.length - 1] == '/')
		text_cut(&w->path, w->path.length - 1);
	int failed = w->is_old ? check_old(w, path, &st, options, err) : 0;
	if (failed)
		return failed;
	if (w->is_old && is_stdout(&st)) {
		text_clear(&w->path);
		writer_open_stdout(w);
		return 0;
	}
	if (w->is_old && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return open_special(w, path, &st, err);
	w->file = open_draft(w, options->mode);
	if (w->file < 0 && errno == ENOENT && options->folders) {
		make_folders(text_get(&w->path), options->folders);
		w->file = open_draft(w, options->mode);
	}
	if (w->file < 0 && w->is_old)
		return err_set(err, ERR_IO, "cannot replace %s: no new file in its folder: %s",
			       path, strerror(errno));
	if (w->file < 0)
		return refuse_io(path, err);
	if (w->is_old && S_ISREG(st.st_mode))
		keep_attributes(w, &st);
	return 0;
}

/* --- writing ----------------------------------------------------------- */

/* Wait until a FIFO has room.  Return false if the user cancels. */
static bool
wait_for_room(const struct writer *w)
{
	struct pollfd ready[] = {{.fd = w->file, .events = POLLOUT},
				 {.fd = w->stop ? w->stop : -1, .events = POLLIN}};
	while (poll(ready, 2, -1) < 0 && errno == EINTR)
		continue;
	return !ready[1].revents;
}

/* Describe the state of the target after a failure. */
static const char *
describe_rest(const struct writer *w)
{
	if (w->is_direct)
		return "; the output is incomplete";
	return w->is_old ? "; the old file is unchanged" : "; no file was written";
}

/* Report the error.  Cut a file after the last whole line of the WRITTEN bytes of this part. */
static int
fail_write(struct writer *w, const char *bytes, size_t written, struct err *err)
{
	struct stat st;
	w->failed = errno;
	const char *end = written ? memrchr(bytes, '\n', written) : NULL;
	size_t whole = end ? (size_t)(end + 1 - bytes) : 0;
	off_t at = lseek(w->file, 0, SEEK_CUR) - (off_t)(written - whole);
	if (at >= 0 && !fstat(w->file, &st) && S_ISREG(st.st_mode) && !ftruncate(w->file, at))
		lseek(w->file, at, SEEK_SET);
	return err_set(err, ERR_IO, "cannot write %s: %s%s", text_get(&w->path),
		       strerror(w->failed), describe_rest(w));
}

int
writer_add(struct writer *w, const void *bytes, size_t length, struct err *err)
{
	const char *at = bytes;
	for (size_t left = length; left;) {
		ssize_t n = w->failed ? -1 : write(w->file, at, left);
		if (n >= 0) {
			at += n;
			left -= (size_t)n;
		} else if (w->failed) {
			return ERR_IO;
		} else if (errno == EAGAIN && w->stop != WRITER_NO_WAIT) {
			if (!wait_for_room(w))
				return ERR_CANCELLED;
		} else if (errno != EINTR) {
			return fail_write(w, bytes, length - left, err);
		}
	}
	return 0;
}

bool
writer_rewind(struct writer *w)
{
	return !w->is_direct && !ftruncate(w->file, 0) && !lseek(w->file, 0, SEEK_SET);
}

/* --- the end ----------------------------------------------------------- */

/* Give the new file its name.  Fail if another program created that name meanwhile. */
static int
place_new(struct writer *w)
{
	int failed;
	if (!w->draft.length) {
		text_add(&w->draft, w->path.data);
		failed = make_link(w, 0);
		text_clear(&w->draft);
		return failed;
	}
	failed = link(w->draft.data, w->path.data);
	if (!failed)
		unlink(w->draft.data);
	return failed;
}

/* Give the draft its name. */
static int
place_draft(struct writer *w)
{
	bool replaces = (w->flags & (WRITER_FORCE | WRITER_FOLDER)) != 0;
	if ((w->flags & WRITER_DURABLE) && fsync(w->file))
		return -1;
	if (!replaces)
		return place_new(w);
	if (!w->draft.length && create_draft(w, 0, make_link) < 0)
		return -1;
	if (rename(w->draft.data, w->path.data))
		return -1;
	text_clear(&w->draft);
	return 0;
}

int
writer_commit(struct writer *w, struct err *err)
{
	int failed = w->failed;
	if (!failed && !w->is_direct && place_draft(w))
		failed = errno;
	if (close(w->file) && !failed)
		failed = errno;
	w->file = -1;
	if (failed && !w->failed)
		err_set(err, ERR_IO, "cannot write %s: %s%s", text_get(&w->path), strerror(failed),
			describe_rest(w));
	writer_abandon(w);
	return failed ? ERR_IO : 0;
}

/* Remove the folder of a draft with all files and folders in it, which are all ours. */
static void
remove_folder(int parent, const char *name)
{
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = folder < 0 ? NULL : fdopendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(folder, entry->d_name, 0))
			remove_folder(folder, entry->d_name);
	}
	if (dir)
		closedir(dir);
	else if (folder >= 0)
		close(folder);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void
writer_abandon(struct writer *w)
{
	if (w->file >= 0)
		close(w->file);
	if (w->draft.length && (w->flags & WRITER_FOLDER))
		remove_folder(AT_FDCWD, w->draft.data);
	else if (w->draft.length)
		unlink(w->draft.data);
	text_free(&w->draft);
	text_free(&w->path);
	w->file = -1;
}

int
writer_lock(const char *path, mode_t folders)
{
	struct text name = {0};
	size_t length = folder_length(path);
	if (folders)
		make_folders(path, folders);
	text_add_bytes(&name, length ? path : "./", length ? length : 2);
	int folder = open(name.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (folder >= 0 && flock(folder, LOCK_EX) && errno == EINTR)
		continue;
	text_free(&name);
	return folder;
}

/* --- a folder for this run --------------------------------------------- */

/* Wait for the end of the other process, then remove the folder.  Signals to the whole group or
 * from the terminal end only the other one. */
static _Noreturn void
keep_folder(const char *path, int ended)
{
	enum { FILES_MAX = 1024 };
	sigset_t all;
	char byte;
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int file = 0; file < FILES_MAX; file++) /* readers of its output must see the end */
		if (file != ended)
			close(file);
	while (read(ended, &byte, 1) < 0 && errno == EINTR)
		continue;
	remove_folder(AT_FDCWD, path);
	_exit(0);
}

int
writer_folder_make(struct writer_folder *folder, const char *parent, struct err *err)
{
	int ends[2];
	text_addf(&folder->path, "%s/trawl-case-XXXXXX", parent);
	if (!mkdtemp(folder->path.data))
		return err_set(err, ERR_IO, "no folder can be made in %s: %s", parent,
			       strerror(errno));
	folder->keeper = pipe2(ends, O_CLOEXEC) ? -1 : fork();
	if (!folder->keeper)
		keep_folder(folder->path.data, ends[0]);
	if (folder->keeper < 0) {
		rmdir(folder->path.data);
		return err_set(err, ERR_IO, "no process can be started: %s", strerror(errno));
	}
	close(ends[0]);
	folder->end = ends[1];
	return 0;
}

void
writer_folder_remove(struct writer_folder *folder)
{
	if (folder->keeper > 0) {
		close(folder->end);
		while (waitpid(folder->keeper, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	text_free(&folder->path);
}

int
writer_put(const char *path, const struct writer_options *options, const void *bytes, size_t length,
	   struct err *err)
{
	struct writer w = {0};
	struct writer_options at_once = *options;
	at_once.stop = WRITER_NO_WAIT;
	int failed = writer_open(&w, path, &at_once, err);
	if (!failed)
		failed = writer_add(&w, bytes, length, err);
	if (!failed)
		return writer_commit(&w, err);
	writer_abandon(&w);
	return failed;
}
