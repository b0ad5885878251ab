/*
 * Where mkcapture writes: a buffered file that knows its offset and can leave
 * holes, and random numbers.
 */
#ifndef MK_OUT_H
#define MK_OUT_H

#include "random.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MK_OUT_ROOM = 1 << 18 };

struct mk_out {
	int fd;
	const char *name;
	/* where bytes go instead of the file, if this is set */
	void (*put)(void *context, const uint8_t *bytes, size_t length);
	void *context;
	uint64_t offset; /* of the next byte */
	size_t used;
	uint8_t bytes[1 << 20];
};

/* These exit with a message where the system refuses. */
struct mk_out *mk_out_open(const char *path); /* "-": standard output */
struct mk_out *mk_out_to(void (*put)(void *context, const uint8_t *, size_t), void *context);
void mk_out_flush(struct mk_out *);
void mk_out_close(struct mk_out *);

/* A file of text in a folder; mk_text_close exits if not all could be written. */
FILE *mk_text_open(const char *folder, const char *name);
void mk_text_close(FILE *);

/* Room for MK_OUT_ROOM bytes, and how many of them were written. */
uint8_t *mk_out_room(struct mk_out *);
void mk_out_took(struct mk_out *, size_t length);
void mk_out_put(struct mk_out *, const void *, size_t length);

/* Leaves a hole up to OFFSET. */
void mk_out_skip(struct mk_out *, uint64_t offset);

/* Ends the program with status 2 and a message. */
_Noreturn void mk_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
