/* The table of samples, and their files. */
#include "config.h"

#include "test.h"

#include "samples.h"

#include "base/text.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

const struct sample samples[] = {
    {"all-raw", "bin", "syst/raw", "mix.xml"},
    {"short", "bin", "syst/raw", "mix.xml"},
    {"len32", "bin", "syst/raw", "mix.xml"},
    {"all-hex", "txt", "syst/hex", "mix.xml"},
    {"all-msn", "stp", "syst/stp", "mix.xml"},
    /* announces another order than it has */
    {"all-lsn", "stp", "syst/stp", "mix.xml", {{"nibbles", "lsn"}}},
    {"all-le22", "stp", "syst/stp", "mix.xml"},
    {"gray", "stp", "syst/stp", "mix.xml"},
    {"delta", "stp", "syst/stp", "mix.xml"},
    {"demo", "stp", "syst/stp", "demo.xml", .damaged = true, .holds = true},
    {"all-encap",
     "bin",
     "encap",
     NULL,
     {{"srcid_width", "8"}, {"timestamp_bytes", "2"}, {"type_width", "0"}}},
    {"bits-encap",
     "bin",
     "encap",
     NULL,
     {{"srcid_width", "6"}, {"timestamp_bytes", "0"}, {"type_width", "2"}}},
    {"all-gem", "bin", "gem", NULL, .ahead = 4},
    {"all-gem.uia", "bin", "uia", NULL},
    {"all-csel", "csel", "csel", NULL},
    /* the timestamp after packets tells their time, damage after them makes them doubtful */
    {"all-itm", "itm", "itm", NULL, .ahead = 160},
    {"untimed-itm", "itm", "itm", NULL, .ahead = 160},
    {"all-tpiu", "swo", "tpiu", NULL, {{"id", "1"}}, .ahead = 512},
    {"damaged-raw", "bin", "syst/raw", "mix.xml", .damaged = true, .spare = 12},
    {"damaged-hex", "txt", "syst/hex", "mix.xml", .damaged = true},
    {"damaged-stp", "stp", "syst/stp", "mix.xml", .damaged = true, .spare = 12},
    {"damaged-encap", "bin", "encap", NULL, .damaged = true}, /* its widths are guessed */
    {"damaged-gem",
     "bin",
     "gem",
     NULL,
     {{"record_size", "12"}, {"timestamp_offset", "4"}, {"timestamp_width", "8"}},
     .damaged = true},
    {"damaged-uia", "bin", "uia", NULL, .damaged = true},
    {"damaged-csel", "csel", "csel", NULL, .damaged = true},
};
const size_t sample_count = sizeof samples / sizeof *samples;

char *
sample_read_file(const char *name, size_t *length)
{
	struct text path = {0};
	const char *srcdir = getenv("srcdir");
	text_addf(&path, "%s/testdata/%s", srcdir ? srcdir : ".", name);
	FILE *file = fopen(path.data, "r");
	if (!file)
		fail_msg("%s: cannot be opened", path.data);
	fseek(file, 0, SEEK_END);
	*length = (size_t)ftell(file);
	rewind(file);
	char *bytes = mem_new(*length + 1);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	fclose(file);
	text_free(&path);
	return bytes;
}

char *
sample_read(const struct sample *sample, size_t *length)
{
	char file[64];
	snprintf(file, sizeof file, "%s.%s", sample->name, sample->ending);
	return sample_read_file(file, length);
}

void
sample_open(const struct sample *sample, struct drive *d, const void *bytes, size_t length)
{
	drive_open(d, sample->decoder, bytes, length);
	for (size_t i = 0; i < 4 && sample->settings[i][0]; i++)
		assert_true(drive_set(d, sample->settings[i][0], sample->settings[i][1]));
}
