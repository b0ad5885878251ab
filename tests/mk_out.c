/* One fixed buffer in front of write(2); holes are made by lseek(2) and, at
 * the end, ftruncate(2), so they cost neither time nor space. */
#include "config.h"

#include "mk_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
mk_die(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs("mkcapture: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(2);
}

struct mk_out *
mk_out_to(void (*put)(void *, const uint8_t *, size_t), void *context)
{
	struct mk_out *out = malloc(sizeof *out);
	if (!out)
		mk_die("no memory");
	out->put = put;
	out->context = context;
	out->offset = 0;
	out->used = 0;
	out->fd = STDOUT_FILENO;
	return out;
}

struct mk_out *
mk_out_open(const char *path)
{
	struct mk_out *out = mk_out_to(NULL, NULL);
	out->name = path;
	if (strcmp(path, "-") != 0)
		out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (out->fd < 0)
		mk_die("%s: %s", path, strerror(errno));
	return out;
}

void
mk_out_flush(struct mk_out *out)
{
	if (out->put && out->used)
		out->put(out->context, out->bytes, out->used);
	for (size_t done = 0; !out->put && done < out->used;) {
		ssize_t n = write(out->fd, out->bytes + done, out->used - done);
		if (n < 0 && errno != EINTR)
			mk_die("%s: %s", out->name, strerror(errno));
		if (n > 0)
			done += (size_t)n;
	}
	out->used = 0;
}

uint8_t *
mk_out_room(struct mk_out *out)
{
	if (sizeof out->bytes - out->used < MK_OUT_ROOM)
		mk_out_flush(out);
	return out->bytes + out->used;
}

void
mk_out_took(struct mk_out *out, size_t length)
{
	out->used += length;
	out->offset += length;
}

void
mk_out_put(struct mk_out *out, const void *bytes, size_t length)
{
	memcpy(mk_out_room(out), bytes, length);
	mk_out_took(out, length);
}

void
mk_out_skip(struct mk_out *out, uint64_t offset)
{
	mk_out_flush(out);
	if (lseek(out->fd, (off_t)offset, SEEK_SET) < 0)
		mk_die("%s: %s", out->name, strerror(errno));
	out->offset = offset;
}

void
mk_out_close(struct mk_out *out)
{
	mk_out_flush(out);
	if (out->fd != STDOUT_FILENO) {
		off_t end = lseek(out->fd, 0, SEEK_END);
		if ((end >= 0 && (uint64_t)end < out->offset &&
		     ftruncate(out->fd, (off_t)out->offset) < 0) ||
		    close(out->fd) < 0)
			mk_die("%s: %s", out->name, strerror(errno));
	}
	free(out);
}

FILE *
mk_text_open(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (!file)
		mk_die("%s: %s", path, strerror(errno));
	return file;
}

void
mk_text_close(FILE *file)
{
	int bad = ferror(file);
	if (fclose(file) != 0 || bad)
		mk_die("cannot write it all");
}
