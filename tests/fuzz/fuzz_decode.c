/*
 * Fuzz target: every way in which the program steps through a capture.
 *
 * The first byte chooses the decoder, by its place in the registry, and the
 * second gives its options where they have any that matter to stepping; the
 * rest is the capture.  drive.c checks the contract of decode/decoder.h and
 * that pieces, blocks, checkpoints and growth give the messages of one pass.
 */
#include "config.h"

#include "../drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An option whose value is COUNT bits of the second byte from bit AT on: FROM
 * on, STEP apart, or one of CHOICES. */
static const struct variant {
	const char *format, *option;
	unsigned at, count;
	int from, step;
	const char *const *choices;
} variants[] = {
    {"syst", "nibbles", 0, 2, 0, 0, (const char *const[]){"auto", "msn", "lsn", "auto"}},
    {"encap", "srcid_width", 0, 3, 0, 2, NULL},
    {"encap", "timestamp_bytes", 3, 2, 0, 1, NULL},
    {"encap", "type_width", 5, 1, 0, 2, NULL},
    {"encap", "bit_stream", 6, 1, 0, 0, (const char *const[]){"false", "true"}},
    {"encap", "block_size", 7, 1, 0, 64, NULL},
    {"gem", "record_size", 0, 2, 12, 4, NULL},
    {"gem", "word_offset", 2, 2, 0, 2, NULL},
    {"gem", "endian", 4, 1, 0, 0, (const char *const[]){"little", "big"}},
    {"gem", "timestamp_width", 5, 3, 0, 1, NULL},
    {"csel", "sequence_check", 0, 2, 0, 0,
     (const char *const[]){"stream", "per_event_id", "off", "stream"}},
};

/* Sets the options by a byte other than 0, which stands for the defaults. */
static void
set_options(struct drive *d, unsigned byte)
{
	for (size_t i = 0; byte && i < sizeof variants / sizeof *variants; i++) {
		const struct variant *v = &variants[i];
		unsigned value = byte >> v->at & ((1u << v->count) - 1);
		char number[16];
		snprintf(number, sizeof number, "%d", v->from + v->step * (int)value);
		if (strcmp(d->ops->format, v->format) == 0 &&
		    !drive_set(d, v->option, v->choices ? v->choices[value] : number))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct drive d;
	drive_open(&d, decoder_name(decoders[data[0] % decoder_count]), data + 2, size - 2);
	set_options(&d, data[1]);
	struct err err = {0};
	if (drive_try(&d, &err)) /* some need more than a capture */
		drive_everything(&d);
	drive_close(&d);
	return 0;
}
