/*
 * Fuzz target: every way in which the program steps through a capture.
 *
 * The first byte chooses the decoder, by its place in the registry; the second is the
 * length of a text that gives options, which follows; the rest is the capture.
 * drive.c checks the contract of decode/decoder.h and that pieces, blocks, checkpoints
 * and growth give the messages of one pass.  While it fuzzes, each input takes a share of these
 * ways: three inputs in the time of one with all.  Inputs that are named one by one, as those
 * that were found are in the end, take all of them.
 */
#include "config.h"

#include "../drive.h"
#include "base/vec.h"
#include "decode/registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SETTINGS_MAX = 255 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool fuzzing; /* else inputs are replayed, each in all ways */

/* Of the leak checker, where there is one. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

/* The OpenCSD library keeps some 110 bytes of every decode tree.  What is made while it is
 * in use is not looked at: a suppression needs the slow way of unwinding, for all formats.
 * Unit tests find leaks of ours there. */
static void
drive_opened(struct drive *d)
{
	bool leaks = !strcmp(d->ops->format, "opencsd") && __lsan_disable && __lsan_enable;
	struct err err = {0};
	if (leaks)
		__lsan_disable();
	if (drive_try(d, &err)) { /* some need more than a capture */
		(fuzzing ? drive_share : drive_quickly)(d);
		if (!fuzzing)
			drive_everything(d);
	}
	if (leaks)
		__lsan_enable();
}

/* Whether the command line names folders or nothing, which is what a fuzzer begins with. */
static bool
has_folder(int count, char **words)
{
	struct stat found;
	unsigned files = 0;
	for (int i = 1; i < count; i++) {
		if (*words[i] == '-')
			continue;
		if (!stat(words[i], &found) && S_ISDIR(found.st_mode))
			return true;
		files++;
	}
	return !files;
}

/* Called before the flags of the command line are read.  The fuzzer looks for leaks after
 * each run that freed less than it took; with OpenCSD that is each run, and takes ten
 * times as long as the run. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char flag[] = "-detect_leaks=0";
	const char *name = getenv("TRAWL_FORMAT");
	fuzzing = has_folder(*argc, *argv);
	if (!name || strcmp(name, "opencsd") != 0)
		return 0;
	char **with = mem_new(((size_t)*argc + 2) * sizeof *with);
	memcpy(with, *argv, (size_t)*argc * sizeof *with);
	with[(*argc)++] = flag;
	*argv = with; /* until the program ends */
	return 0;
}

/* Sets what TEXT says, `NAME=VALUE;NAME=VALUE`, as far as there are such options.
 * Files are not read: what is decoded is in the input. */
static void
set_options(struct drive *d, const uint8_t *text, size_t length)
{
	char copy[SETTINGS_MAX + 1] = "", *rest = copy, *setting;
	memcpy(copy, text, length);
	while ((setting = strsep(&rest, ";"))) {
		char *value = strchr(setting, '=');
		if (!value || strchr(value, '/'))
			continue;
		*value = '\0';
		drive_set(d, setting, value + 1);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size < 2 + (size_t)data[1])
		return 0;
	const uint8_t *capture = data + 2 + data[1];
	struct drive d;
	drive_choose(&d, data[0], capture, (size_t)(data + size - capture));
	set_options(&d, data + 2, data[1]);
	drive_opened(&d);
	drive_close(&d);
	return 0;
}
