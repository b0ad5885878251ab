/* Opening files to be read: see file.h.  Opening does not wait either: a FIFO
 * without a writer would. */
#include "config.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
kind_of(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *words;
	} kinds[] = {{S_IFIFO, "it is a pipe (FIFO); name a file"},
		     {S_IFDIR, "it is a folder; name a file"},
		     {S_IFSOCK, "it is a socket; name a file"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].words;
	return "it is a device; name a file";
}

int
file_open(const char *path, const char **why)
{
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode))
		return file;
	*why = file >= 0 ? kind_of(st.st_mode) : strerror(errno);
	if (file >= 0)
		close(file);
	return -1;
}

FILE *
file_open_stream(const char *path, const char **why)
{
	int file = file_open(path, why);
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");
	if (!stream && file >= 0) {
		*why = strerror(errno);
		close(file);
	}
	return stream;
}
