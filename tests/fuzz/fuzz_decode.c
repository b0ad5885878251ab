/*
 * Fuzz target: every way in which the program steps through a capture.
 *
 * The first byte chooses the decoder and, for STP, the nibble order; the rest
 * is the capture.  drive.c checks the contract of decode/decoder.h and that
 * pieces, blocks, checkpoints and growth give the messages of one pass.
 */
#include "config.h"

#include "decode/syst.h"
#include "../drive.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *name;
		int nibbles;
	} choices[] = {
	    {"syst/raw", SYST_NIBBLES_AUTO}, {"syst/hex", SYST_NIBBLES_AUTO},
	    {"syst/stp", SYST_NIBBLES_AUTO}, {"syst/stp", SYST_NIBBLES_MSN},
	    {"syst/stp", SYST_NIBBLES_LSN},
	};
	if (size == 0)
		return 0;
	size_t choice = data[0] % (sizeof choices / sizeof *choices);
	struct drive d;
	drive_open(&d, choices[choice].name, data + 1, size - 1);
	((struct syst_options *)d.options)->nibbles = choices[choice].nibbles;
	drive_start(&d);
	drive_everything(&d);
	drive_close(&d);
	return 0;
}
