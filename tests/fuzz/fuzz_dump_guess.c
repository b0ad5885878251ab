/*
 * Fuzz target: how memory became a capture, where that is not said.
 *
 * The first byte chooses the decoder, by its place in the registry; the rest is the capture.
 * The linker (--wrap) has trace/dump_guess.c find it here instead of in a file.
 */
#include "config.h"

#include "../drive.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "decode/registry.h"
#include "trace/dump_guess.h"

#include <stdlib.h>
#include <string.h>

/* What stands for the capture. */
struct memory {
	const uint8_t *bytes;
	size_t length;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const uint8_t *__wrap_capture_bytes(const struct capture *);
uint64_t __wrap_capture_size(const struct capture *);

const uint8_t *
__wrap_capture_bytes(const struct capture *capture)
{
	return ((const struct memory *)(const void *)capture)->bytes;
}

uint64_t
__wrap_capture_size(const struct capture *capture)
{
	return ((const struct memory *)(const void *)capture)->length;
}

static void
check(bool promise)
{
	if (!promise)
		abort();
}

static void
check_size(unsigned size)
{
	check(!size || size == 2 || size == 4 || size == 8);
}

/* Words that are turned back are as they should be. */
static void
check_turned(const struct window *head, unsigned size)
{
	struct window turned = *head;
	uint8_t *bytes = mem_new(head->length + 1);
	memcpy(bytes, head->bytes, head->length);
	bytes_turn_words(bytes, head->length, size);
	turned.bytes = bytes;
	if (size && head->length <= 16 * 1024)
		check(!dump_guess_swap(&turned, NULL));
	free(bytes);
}

static void
check_seam(const struct drive *d)
{
	struct memory memory = {d->bytes, d->length};
	uint64_t pointer = UINT64_MAX;
	enum dump_seam seam = dump_guess_seam(d->decoder, (const void *)&memory, &pointer);
	check(seam == DUMP_SEAM_NONE || pointer < d->length);
	check(seam != DUMP_SEAM_FOUND || pointer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct drive d;
	if (size < 1)
		return 0;
	drive_choose(&d, data[0], data + 1, size - 1);
	struct window head = drive_window(&d);
	unsigned any = dump_guess_swap(&head, NULL);
	check_size(any);
	check_turned(&head, any);
	check_size(dump_guess_swap(&head, d.ops->format));
	check_size(dump_guess_swap_of(d.ops, d.options, &head));
	if (drive_try(&d, &err))
		check_seam(&d);
	drive_close(&d);
	return 0;
}
