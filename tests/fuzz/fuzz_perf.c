/*
 * Fuzz target: perf.data files, their records and the bytes of their trace buffers in
 * order.  What is gathered lies in the file, and marks stand in order within it.
 */
#include "config.h"

#include "capture/perf_data.h"
#include "capture/perf_layout.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool true_)
{
	if (!true_)
		abort();
}

static void
gather(const struct perf_buffer *buffer, uint32_t cpu, uint64_t format, unsigned unit, size_t size)
{
	struct perf_layout layout = {0};
	uint64_t all = 0;
	const struct perf_part part = {buffer, cpu, format, unit};
	perf_layout_fill(&part, &layout);
	for (size_t i = 0; i < layout.pieces.count; i++) {
		const struct capture_piece *piece = &layout.pieces.at[i];
		require(piece->length && piece->offset <= size &&
			piece->length <= size - piece->offset);
		all += piece->length;
	}
	require(all == layout.size);
	for (size_t i = 0; i < layout.marks.count; i++) {
		const struct perf_mark *mark = &layout.marks.at[i];
		require(mark->offset <= layout.size &&
			mark->uncovered <= layout.size - mark->offset);
		require(!i || layout.marks.at[i - 1].offset < mark->offset);
		require(!(mark->offset % unit));
	}
	perf_layout_free(&layout);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct text out = {0};
	struct perf_data *perf = perf_data_read(data, size, &err);
	require(perf || err.code);
	for (size_t i = 0; perf && i < perf->buffers.count; i++) {
		const struct perf_buffer *buffer = &perf->buffers.at[i];
		gather(buffer, PERF_NONE, 0, 16, size);
		gather(buffer, PERF_NONE, 0x100, 1, size);
		gather(buffer, 1, 0x100, 1, size);
	}
	if (perf)
		perf_data_describe(perf, &out);
	text_free(&out);
	perf_data_free(perf);
	return 0;
}
