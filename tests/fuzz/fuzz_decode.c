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
#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd.h"
#include "decode/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The OpenCSD library keeps some 110 bytes of every decode tree; the leak
 * checker, which asks here, is to find ours.  To know the library it must see
 * through the C++ library, where the quick way of unwinding ends. */
const char *__lsan_default_suppressions(void);
const char *__asan_default_options(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libopencsd";
}

const char *
__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0";
}

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

/* CoreSight trace says nothing of its source: one, of a protocol that the byte
 * chooses, alone in its buffer or in frames. */
static void
set_source(struct opencsd_options *options, unsigned byte)
{
	static const struct opencsd_registers registers = {.TRCCONFIGR = 0xc1,
							   .TRCTRACEIDR = 0x10,
							   .TRCAUTHSTATUS = -1,
							   .TRCDEVARCH = -1,
							   .TRCIDR0 = 0x28000ea1,
							   .TRCIDR1 = -1,
							   .TRCIDR2 = 0x488,
							   .TRCIDR8 = -1,
							   .TRCIDR9 = -1,
							   .TRCIDR10 = -1,
							   .TRCIDR11 = -1,
							   .TRCIDR12 = -1,
							   .TRCIDR13 = -1,
							   .ETMCR = 0x1d00,
							   .ETMIDR = 0x411cf303,
							   .ETMCCER = 0xc8aff8,
							   .ETMTRACEIDR = 0x10,
							   .STMTCSR = 0x100000,
							   .ITMTCR = -1};
	struct opencsd_source_options *source = mem_new(sizeof *source);
	source->id = 0x10;
	source->protocol = (int)(byte % OPENCSD_PROTOCOLS);
	source->core = mem_text(byte & 64 ? "Cortex-A53" : "Cortex-A15");
	source->regs = registers;
	options->sources = (struct option_list){.at = source, .count = 1};
	options->format = byte & 128 ? CORESIGHT_ALIGNED : CORESIGHT_SOURCE;
}

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
	if (d.ops == &opencsd_ops)
		set_source(d.options, data[1]);
	struct err err = {0};
	if (drive_try(&d, &err)) /* some need more than a capture */
		drive_everything(&d);
	drive_close(&d);
	return 0;
}
