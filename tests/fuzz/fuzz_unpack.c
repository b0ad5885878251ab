/*
 * Fuzz target: compressed captures and archives, as a file and as a stream.  However
 * much they unpack to, only the first megabytes are.
 */
#include "config.h"

#include "capture/unpack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *bytes;
	size_t size;
};

static ssize_t
read_input(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct input *input = context;
	size_t left = offset < input->size ? input->size - (size_t)offset : 0;
	length = length < left ? length : left;
	memcpy(buffer, input->bytes + offset, length);
	return (ssize_t)length;
}

static void
unpack_input(struct input *input, uint64_t size)
{
	enum { MOST = 4 << 20 };
	struct err err = {0};
	struct unpack_source source = {
	    .read = read_input, .context = input, .size = size, .name = "input"};
	struct unpack *unpack = unpack_open(&source, &err);
	const void *bytes;
	ssize_t n = unpack ? 1 : 0;
	unsigned sum = 0;
	for (size_t all = 0; n > 0 && all < MOST; all += (size_t)n) {
		n = unpack_read(unpack, &bytes, &err);
		for (ssize_t i = 0; i < n; i++)
			sum += ((const uint8_t *)bytes)[i];
	}
	if ((n < 0) != (err.code != 0) && unpack)
		abort();
	(void)sum;
	unpack_close(unpack);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	unpack_input(&input, size);
	unpack_input(&input, UINT64_MAX);
	return 0;
}
