/*
 * Fuzz target: dumps of memory in text, as they are and with a write pointer and words to
 * turn, which the first byte says; and as they come from a pipe, in pieces that the second
 * byte says.
 */
#include "config.h"

#include "capture/dump.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *bytes;
	size_t size, piece; /* 0: all at once */
	size_t head;
};

static ssize_t
read_input(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct input *input = context;
	size_t left = offset < input->size ? input->size - (size_t)offset : 0;
	length = length < left ? length : left;
	length = input->piece && input->piece < length ? input->piece : length;
	memcpy(buffer, input->bytes + offset, length);
	return (ssize_t)length;
}

/* Reads at most so many bytes: a `*` may stand for many.  Their sum. */
static uint64_t
read_dump(struct input *input, const struct capture_dump *how, unsigned *sum_of)
{
	enum { MOST = 1 << 20 };
	struct err err = {0};
	struct unpack_source source = {
	    .read = read_input, .context = input, .size = input->size, .name = "input"};
	source.head = input->head;
	struct dump *dump = dump_open(&source, NULL, how, "/tmp", &err);
	const void *bytes;
	ssize_t n = dump ? 1 : 0;
	uint64_t all = 0;
	unsigned sum = 0;
	for (; n > 0 && all<MOST; all += n> 0 ? (uint64_t)n : 0) {
		n = dump_read(dump, &bytes, &err);
		for (ssize_t i = 0; bytes && i < n; i++)
			sum += ((const uint8_t *)bytes)[i];
	}
	if (n < 0)
		abort();
	*sum_of = sum;
	dump_close(dump);
	return all;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned sizes[] = {0, 2, 4, 8};
	if (size < 3)
		return 0;
	struct capture_dump how = {.words = data[0] & 1,
				   .swap = sizes[data[0] >> 1 & 3],
				   .has_write_pointer = data[0] & 8,
				   .write_pointer = (uint64_t)data[1] << (data[0] >> 6),
				   .wrapped = (data[0] >> 4 & 3) % 3};
	struct input input = {data + 2, size - 2};
	unsigned sum = 0, again = 0;
	uint64_t plain;
	/* the order changes no more than what is behind the write pointer */
	if (!how.words && read_dump(&input, &how, &sum) > input.size)
		abort();
	how.words = false;
	how.has_write_pointer = how.has_write_pointer && how.write_pointer <= input.size;
	plain = read_dump(&input, &how, &sum);
	if (how.has_write_pointer && how.wrapped == CAPTURE_WRAPPED && plain != input.size)
		abort();
	how = (struct capture_dump){.words = true};
	plain = read_dump(&input, &how, &sum);
	input.piece = 1u + data[1] % 100;
	if (read_dump(&input, &how, &again) != plain || sum != again)
		abort();
	input.head = 16u * data[1] + 1;
	read_dump(&input, &how, &again);
	return 0;
}
