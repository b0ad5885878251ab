/*
 * Fuzz target: SyS-T collateral, XML from whoever built a firmware, and the
 * printf formats in it, applied to arguments that do not suit them.
 */
#include "config.h"

#include "base/vec.h"
#include "decode/syst/syst.h"
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Messages that ask for entries 1 and 2 of each table, of module 1 and of the
 * client with the GUID 00112233-.... */
static const uint8_t capture[] = {
    /* CATALOG ID32P32, location 1:2, LEN 20 */
    0x43,
    0x03,
    0x01,
    0x01,
    0,
    1,
    0,
    2,
    0,
    20,
    0,
    1,
    0,
    0,
    0,
    'a',
    0,
    0x41,
    0x42,
    0x43,
    0xff,
    0xff,
    0xff,
    0xff,
    0,
    0,
    0,
    0,
    9,
    9,
    0,
    /* CATALOG ID64P64, GUID, LEN 16 */
    0x43,
    0x02,
    0x80,
    0x06,
    0x00,
    0x11,
    0x22,
    0x33,
    0x44,
    0x55,
    0x66,
    0x77,
    0x88,
    0x99,
    0xaa,
    0xbb,
    0xcc,
    0xdd,
    0xee,
    0xff,
    16,
    0,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0x80,
    /* SHORT32 of 1, SHORT64 of 2, RAW 1 */
    0x11,
    0,
    0,
    0,
    0x27,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x46,
    0x02,
    0x01,
    0x01,
    1,
    0,
    7,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int file = memfd_create("collateral", 0);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);

	struct drive d;
	drive_open(&d, "syst/raw", capture, sizeof capture);
	struct syst_options *options = d.options;
	options->guid = mem_text("{00112233-4455-6677-8899-aabbccddeeff}");
	options->collateral.at = mem_new(sizeof(char *));
	options->collateral.count = 1;
	*(char **)options->collateral.at = mem_text(path);
	drive_start(&d);
	d.ops->load(d.decoder, NULL);

	struct drive_messages messages;
	drive_all(&d, &messages);
	drive_expand(&d, &messages);
	vec_free(&messages.list);
	drive_close(&d);
	close(file);
	return 0;
}
