/*
 * What is shown of a capture whose format is unknown, guessed, or not ours.
 */
#include "config.h"

#include "test.h"

#include "decode/coresight/opencsd_library.h"
#include "base/notice.h"
#include "base/vec.h"
#include "folder.h"
#include "samples.h"
#include "scene.h"
#include "temp_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is no trace is shown, but not without a word. */
static void
test_no_trace(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "notes", "one line\nand another\n");
	const char *path = folder.files.at[0];
	scene_open(s, 24, 120, "xterm-256color", path, NULL);
	scene_wait(s, "notes: plain text, shown line by line: none of its first 2 lines is of a "
		      "known log");
	scene_wait_at(s, 0, "plain text  [no times recognised]");
	assert_null(strstr(emulator_row(s->emulator, 0), "guessed"));
	scene_keys(s, "j");
	scene_wait(s, " 2 of 2");
	scene_quit(s);
	scene_open(s, 24, 120, "xterm-256color", path, "--from=syst/hex", NULL); /* as told */
	scene_wait(s, " 1 of 2");
	scene_quit(s);
	folder_remove(&folder);
}

/* A log: its times and levels; a message of several lines, colours and losses. */
static void
test_log(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 120, "xterm-256color", "log-zephyr.txt", NULL);
	scene_wait_at(s, 0, "log-zephyr.txt  418 B  text");
	assert_null(strstr(emulator_row(s->emulator, 0), "["));
	scene_wait(s, " I main     camera controller");
	scene_wait(s, " D i2c_nrfx 3 bytes to 0x36\\n  ");
	scene_wait(s, " W csi      frame 17 is late\n");
	scene_wait(s, "E          --- 9 messages dropped ---");
	scene_keys(s, "]e");
	scene_wait(s, " 5 of 7");
	scene_keys(s, "&origin = \"csi\" or text.function = \"i2c_transfer\"\r");
	scene_wait(s, "row 2 of 2");
	scene_quit(s);
}

/* A doubt about all messages stands in the title, its reason in the log. */
static void
test_old_library(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	int minor = 0;
	const char *version = opencsd_library_version();
	if (!version || (sscanf(version, "1.%d.", &minor) == 1 && minor >= 8)) {
		print_message("# OpenCSD is new, or is not built in\n");
		skip();
	}
	folder_make(&folder);
	folder_put_text(&folder, "etr.bin", "no trace");
	folder_put_text(&folder, "etr.bin.profile.yaml",
			"traces: [{match: '*', format: opencsd, opencsd: {format: source_data, "
			"sources: [{id: 1, name: big, protocol: ETMV4I, core: Cortex-M55, regs: "
			"{TRCCONFIGR: 1, "
			"TRCIDR0: 1, TRCIDR2: 1}}]}}]\n");
	scene_open(s, 24, 120, "xterm-256color", folder.files.at[0], NULL);
	scene_wait(s, "opencsd  [old OpenCSD]");
	scene_keys(s, ":messages\r");
	scene_wait(s, "may decode big wrongly");
	scene_quit(s);
	folder_remove(&folder);
}

/* 96 bytes that are no trace, and 16 words of 12 bytes. */
static void
put_unknown(struct folder *folder)
{
	uint8_t bytes[96];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	folder_make(folder);
	folder_put(folder, "dump", bytes, sizeof bytes);
}

/* Nothing is decoded of what no format explains: why, how to go on, and the bytes. */
static void
test_unrecognised(void **state)
{
	static const struct {
		int rows, cols;
	} sizes[] = {{24, 80}, {50, 200}};
	struct scene *s = *state;
	struct folder folder;
	put_unknown(&folder);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		scene_open(s, sizes[i].rows, sizes[i].cols, i ? "xterm-256color" : "xterm",
			   folder.files.at[0], NULL);
		scene_wait_at(s, 0, " dump  96 B  format unknown");
		scene_wait_at(s, 1, "No format explains these bytes, so nothing was decoded.");
		scene_wait(s, ":format NAME tries one (Tab lists them), Esc comes back.");
		scene_wait(s, "To keep it:  trawl -f NAME ");
		scene_wait(s, "Formats: syst/raw syst/hex syst/stp csel gem uia encap opencsd");
		scene_wait_row(s, "- bytes 0x0 of 0x60 ---", "---");
		scene_wait_row(s, " 00000000  ", "0b 30 55 7a");
		scene_wait_at(s, sizes[i].rows - 1, " not decoded");
		scene_wait_at(s, sizes[i].rows - 1, "96 bytes");
		scene_keys(s, ":format nonsense\r");
		scene_wait_notice(s, NOTICE_FORMAT_UNKNOWN, "nonsense", NOTICE_TAB_LISTS);
		scene_keys(s, ":format uai\r");
		scene_wait_notice(s, NOTICE_FORMAT_UNKNOWN, "uai", "; did you mean uia?");
		scene_keys(s, ":format ge\t\r"); /* completed, and tried at once */
		scene_wait_at(s, 0, "[trying gem]");
		scene_wait_id(s, NOTICE_TRIAL, "gem");
		scene_until(s, "No format explains", false);
		scene_keys(s, "G");
		scene_wait(s, " 24 of 24");
		scene_keys(s, "\033");
		scene_wait_at(s, 0, "format unknown");
		scene_keys(s, ":format opencsd\r"); /* needs to be told of sources */
		scene_wait(s, "the buffer does not say what is in it");
		scene_wait_at(s, 0, "format unknown");
		scene_keys(s, "q");
		scene_end(s);
		scene_check_restored(s);
		scene_close(s);
	}
	scene_open(s, 5, 20, "xterm", folder.files.at[0], NULL); /* wrapped, not cut */
	scene_wait_at(s, 1, "No format explains");
	scene_wait_at(s, 2, "  these bytes, so");
	scene_wait_at(s, 4, " not decoded");
	scene_quit(s);
	folder_remove(&folder);
}

/* Candidates, best first: Enter decodes with one, Esc comes back to it. */
static void
test_candidates(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], option[48];
	temp_make_text(path, ".yaml", "traces: []\n"); /* instead of its own */
	snprintf(option, sizeof option, "--profile=%s", path);
	scene_open(s, 24, 80, "xterm", "all-encap.bin", option, NULL);
	scene_wait(s, "Best guesses:");
	scene_wait(s, "Enter tries one, Esc comes back.");
	scene_wait_row(s, "> ", "%");
	char first[64], second[64];
	snprintf(first, sizeof first, "%.50s", scene_row(s, "> "));
	scene_keys(s, "j");
	scene_until(s, first, false);
	snprintf(second, sizeof second, "%.50s", scene_row(s, "> "));
	assert_true(strtol(strchr(first, '%') - 4, NULL, 10) >=
		    strtol(strchr(second, '%') - 4, NULL, 10));
	scene_keys(s, "\r");
	scene_wait_at(s, 0, "[trying ");
	scene_keys(s, ":messages\r");
	scene_wait_logged(s, NOTICE_TRIAL_PROFILE, NULL);
	scene_keys(s, "q");
	scene_until_gone(s, NOTICE_TRIAL_PROFILE);
	scene_keys(s, "\033");
	scene_wait_at(s, 0, "format unknown");
	scene_quit(s);
	unlink(path);
}

/* What it is instead, and what to do; what belongs to a snapshot leads there. */
static void
test_foreign(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	folder_put(&folder, "demo.stp.zst", "\x28\xb5\x2f\xfd\4\0", 6);
	scene_open(s, 24, 80, "xterm", folder.files.at[0], NULL);
	scene_wait_at(s, 1, "Not decoded: zstd-compressed data");
	scene_wait(s, ":format NAME decodes it all the same");
	scene_until(s, "Best guesses", false);
	scene_quit(s);
	folder_remove(&folder);
	scene_open(s, 24, 80, "xterm", "all-opencsd/etb.bin", NULL);
	scene_wait_at(s, 1, "Not decoded: part of a CoreSight snapshot: open its folder,");
	scene_wait(s, " opens the folder. ");
	scene_keys(s, "\r");
	scene_wait_at(s, 0, " all-opencsd.ETB ");
	if (opencsd_library_version())
		scene_wait(s, "SHORT64"); /* the STM is decoded with the profile */
	scene_quit(s);
}

#ifdef HAVE_LIBARCHIVE
/* The title says how a capture is packed; one that is cut is marked so. */
static void
test_packed(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	/* four lines `SYS-T RAW DATA: 322601010c0048656c6c6f20776f726c6421d306b8ea` */
	static const uint8_t packed[] = {
	    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x0b, 0x8e, 0x0c, 0xd6,
	    0x0d, 0x51, 0x08, 0x72, 0x0c, 0x57, 0x70, 0x71, 0x0c, 0x71, 0xb4, 0x52, 0x30, 0x36,
	    0x32, 0x32, 0x33, 0x30, 0x04, 0xc2, 0x64, 0x03, 0x03, 0x13, 0x0b, 0x33, 0x53, 0xb3,
	    0x64, 0x20, 0x4c, 0x33, 0x32, 0x30, 0x37, 0x37, 0x4b, 0x33, 0x37, 0x02, 0xb2, 0x4d,
	    0x8c, 0x0c, 0x53, 0x8c, 0x0d, 0xcc, 0x92, 0x2c, 0x52, 0x13, 0xb9, 0x82, 0x87, 0xa6,
	    0x66, 0x00, 0x11, 0x6c, 0xe9, 0x9a, 0xf4, 0x00, 0x00, 0x00};
	folder_make(&folder);
	folder_put(&folder, "log.txt.gz", packed, sizeof packed);
	folder_put(&folder, "cut.txt.gz", packed, 30);
	scene_open(s, 24, 80, "xterm", folder.files.at[0], NULL);
	scene_wait_at(s, 0, " log.txt.gz (gzip)  244 B  syst/hex");
	scene_wait(s, "Hello world!");
	scene_quit(s);
	scene_open(s, 24, 80, "xterm", folder.files.at[1], NULL);
	scene_wait_at(s, 1, "Not decoded: gzip-compressed data that cannot be unpacked:");
	scene_quit(s);
	folder_remove(&folder);
}
#endif

/* A guess is called one in the title, and the log says how to make it certain. */
static void
test_guessed(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	static const uint8_t words[] = {3,  0, 0, 4, 7,	 0, 0, 4, 11, 0, 0, 4, 15, 0, 0, 4,
					19, 0, 0, 4, 23, 0, 0, 4, 27, 0, 0, 4, 31, 0, 0, 4,
					35, 0, 0, 4, 39, 0, 0, 4, 43, 0, 0, 4, 47, 0, 0, 4};
	folder_make(&folder);
	folder_put(&folder, "words", words, sizeof words); /* sync points 0 to 11 */
	scene_open(s, 24, 80, "xterm", folder.files.at[0], NULL);
	scene_wait_at(s, 0, " words  48 B  gem  [guessed 5");
	scene_wait(s, "SyncPoint 11");
	scene_keys(s, ":messages\r");
	scene_wait(s, "to make it certain, write into");
	scene_keys(s, "q");
	scene_quit(s);
	scene_open(s, 24, 80, "xterm", folder.files.at[0], "--from=gem", NULL);
	scene_wait(s, "SyncPoint 11");
	scene_until(s, "guessed", false);
	scene_quit(s);
	folder_remove(&folder);
}

/* The words of an open file are not swapped: to try a format that needs it is refused. */
static void
test_swapped(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	size_t length;
	char *bytes = sample_read_file("all-itm.itm", &length);
	for (size_t i = 0; i + 4 <= length; i += 4) {
		const char word[] = {bytes[i + 3], bytes[i + 2], bytes[i + 1], bytes[i]};
		memcpy(bytes + i, word, sizeof word);
	}
	folder_make(&folder);
	folder_put(&folder, "swapped", (const uint8_t *)bytes, length / 4 * 4);
	vec_release(bytes);
	scene_open(s, 24, 120, "xterm-256color", folder.files.at[0], "-f", "text", NULL);
	scene_wait_at(s, 0, " swapped ");
	scene_keys(s, ":format itm\r");
	scene_wait_id(s, NOTICE_TRIAL_FAILED, "4-byte words swapped");
	scene_wait_at(s, 0, "text");
	scene_quit(s);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_no_trace),	  scene_test(test_log),
	    scene_test(test_old_library), scene_test(test_unrecognised),
	    scene_test(test_candidates),  scene_test(test_foreign),
	    scene_test(test_guessed),	  scene_test(test_swapped),
#ifdef HAVE_LIBARCHIVE
	    scene_test(test_packed),
#endif
	};
	return scene_run_group("screen: format", tests);
}
