/*
 * Files that change while the program uses them: it goes on with what it read, says so, and R
 * reads them again.  Programs (seven.h), memory images, and files that are kept or read once.
 */
#include "config.h"

#include "test.h"

#include "decode/coresight/opencsd_library.h"
#include "folder.h"
#include "program/symbols.h"
#include "scene.h"
#include "seven.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what others do to a file ------------------------------------------ */

static void
cut_all(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void
cut_half(const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size / 2), 0);
}

/* Writes LENGTH bytes over the file in place, as cp does. */
static void
write_over(const char *path, const void *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_TRUNC);
	assert_true(file >= 0);
	assert_int_equal(write(file, bytes, length), length);
	assert_int_equal(close(file), 0);
}

static void
write_noise(const char *path)
{
	char noise[100000];
	memset(noise, 0xff, sizeof noise);
	write_over(path, noise, sizeof noise);
}

/* Makes another program of the same size, whose second function is named `play`. */
static void
rename_function(char elf[static sizeof seven_named_elf])
{
	memcpy(elf, seven_named_elf, sizeof seven_named_elf);
	memcpy(memmem(elf, sizeof seven_named_elf, "work", 4), "play", 4);
}

static void
write_other(const char *path)
{
	char elf[sizeof seven_named_elf];
	rename_function(elf);
	write_over(path, elf, sizeof elf - 1);
}

static void
replace_it(const char *path)
{
	char elf[sizeof seven_named_elf];
	struct text other = {0};
	rename_function(elf);
	text_addf(&other, "%s.new", path);
	FILE *file = fopen(text_get(&other), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(elf, 1, sizeof elf - 1, file), sizeof elf - 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(text_get(&other), path), 0);
	text_free(&other);
}

static void
remove_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static const struct change {
	void (*make)(const char *path);
	const char *notice;
} changes[] = {
    {cut_all, NOTICE_PROGRAM_CHANGED},	   {cut_half, NOTICE_PROGRAM_CHANGED},
    {write_noise, NOTICE_PROGRAM_CHANGED}, {write_other, NOTICE_PROGRAM_CHANGED},
    {replace_it, NOTICE_PROGRAM_CHANGED},  {remove_it, NOTICE_PROGRAM_GONE},
};

/* --- programs ---------------------------------------------------------- */

static void
open_seven(struct scene *s, struct folder *folder)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_TRAP;
	struct text profile = {0};
	folder_make(folder);
	seven_put(folder, packets, sizeof packets - 1);
	folder_put(folder, "seven.elf", seven_named_elf, sizeof seven_named_elf - 1);
	text_addf(&profile, "--profile=%s", folder_path(folder, "seven.yaml"));
	scene_open(s, 40, 120, "xterm-256color", folder_path(folder, "seven.encap"),
		   text_get(&profile), NULL);
	text_free(&profile);
	scene_wait(s, "seven.encap");
	scene_until(s, "idx", false);
	scene_wait(s, "[work+0x8]"); /* the program is read */
}

/* Names that were not looked up before the change are those of the program that was read. */
static void
check_names(struct scene *s)
{
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "K\033");
	scene_wait_row(s, " 1 work", " main");
	scene_keys(s, "C\033");
	scene_wait(s, "work");
	scene_keys(s, ":functions\r");
	scene_wait_row(s, " work ", "60%");
	scene_keys(s, ":functions\r");
	scene_keys(s, "g]x");
	scene_wait(s, " 3 of 3");
	scene_keys(s, "P");
	scene_wait(s, "table");
	scene_keys(s, "P");
}

/* A key later the change is in the log, once. */
static void
check_notice(struct scene *s, const char *notice, const char *name)
{
	scene_keys(s, "jk:messages\r");
	scene_wait_logged(s, notice, name);
	scene_keys(s, "k");
	scene_until_gone(s, notice);
	const char *first = strstr(scene_screen(s), name);
	assert_non_null(first);
	assert_null(strstr(first + 1, name));
	scene_keys(s, "q");
	scene_until(s, name, false);
}

static void
test_before_use(void **state)
{
	struct scene *s = *state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct folder folder;
		open_seven(s, &folder);
		changes[i].make(folder_path(&folder, "seven.elf"));
		check_notice(s, changes[i].notice, "seven.elf");
		check_names(s);
		scene_quit(s);
		folder_remove(&folder);
	}
}

static void
test_in_use(void **state)
{
	struct scene *s = *state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct folder folder;
		open_seven(s, &folder);
		scene_keys(s, "gKC\033");
		scene_wait(s, "stack  ");
		changes[i].make(folder_path(&folder, "seven.elf"));
		check_notice(s, changes[i].notice, "seven.elf");
		scene_keys(s, "CK\033");
		scene_until(s, "stack  ", false);
		check_names(s);
		scene_quit(s);
		folder_remove(&folder);
	}
}

/* R reads the new program; what was shown still is. */
static void
test_read_again(void **state)
{
	struct scene *s = *state;
	for (size_t i = 0; i < 2; i++) {
		struct folder folder;
		open_seven(s, &folder);
		scene_keys(s, "2G");
		scene_wait(s, " 2 of ");
		scene_keys(s, "K\033");
		scene_wait_row(s, " 1 work", " main");
		(i ? replace_it : write_other)(folder_path(&folder, "seven.elf"));
		scene_keys(s, "R");
		scene_wait_id(s, NOTICE_PROGRAMS_READ, NULL);
		scene_wait(s, "stack  ");
		scene_keys(s, "2G");
		scene_wait_row(s, " 1 play", " main");
		/* now it is the same, and R has nothing to read */
		scene_keys(s, "R");
		scene_until_gone(s, NOTICE_PROGRAMS_READ);
		scene_wait_row(s, " 1 play", " main");
		scene_quit(s);
		folder_remove(&folder);
	}
}

/* What is no program any more is said to be none; names come back with the program. */
static void
test_read_noise(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	open_seven(s, &folder);
	const char *path = folder_path(&folder, "seven.elf");
	write_noise(path);
	scene_keys(s, "R");
	scene_wait_id(s, NOTICE_PROGRAMS_READ, NULL);
	scene_keys(s, "2G");
	scene_wait_id(s, NOTICE_LOAD_FAILED, "seven.elf");
	scene_keys(s, "K\033");
	scene_wait(s, "not an ELF file");
	write_other(path);
	scene_keys(s, "R");
	scene_wait_id(s, NOTICE_PROGRAMS_READ, NULL);
	scene_keys(s, "2G");
	scene_wait_row(s, " 1 play", " main");
	scene_quit(s);
	folder_remove(&folder);
}

/* --- memory images ----------------------------------------------------- */

/* PTM [Arm IHI 0035]: A-sync, I-sync at 0x80004000, two atoms; I-sync at 0x80005000, an atom. */
static const char ptm[] = "\0\0\0\0\0\200\010\000\100\000\200\041\204\204"
			  "\010\000\120\000\200\041\204";

static const char ptm_yaml[] =
    "traces:\n"
    "  - match: \"*\"\n"
    "    format: opencsd\n"
    "    opencsd:\n"
    "      format: source_data\n"
    "      images: [{file: code.bin, address: 0x80004000}]\n"
    "      sources: [{id: 0x10, protocol: PTM, core: Cortex-A15,\n"
    "                 regs: {ETMCR: 0, ETMIDR: 0x411cf310, ETMCCER: 0}}]\n";

/* Code of two instructions again and again; `b` goes over one [Arm DDI 0406, "B"]. */
static void
put_code(struct folder *folder, const char first[static 4])
{
	char code[8192];
	for (size_t i = 0; i < sizeof code; i += 8) {
		memcpy(code + i, first, 4);
		memcpy(code + i + 4, "\0\0\0\352", 4); /* b */
	}
	folder_put(folder, "code.bin", code, sizeof code);
}

static void
test_images(void **state)
{
	struct scene *s = *state;
	if (!opencsd_library_version())
		skip();
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct folder folder;
		struct text profile = {0};
		folder_make(&folder);
		folder_put(&folder, "ptm.bin", ptm, sizeof ptm - 1);
		folder_put_text(&folder, "ptm.yaml", ptm_yaml);
		put_code(&folder, "\0\0\0\352");
		text_addf(&profile, "--profile=%s", folder_path(&folder, "ptm.yaml"));
		scene_open(s, 40, 120, "xterm-256color", folder_path(&folder, "ptm.bin"),
			   text_get(&profile), NULL);
		scene_until(s, "idx", false);
		scene_wait(s, "0x80004000-0x80004004 A32 1 instr");
		changes[i].make(folder_path(&folder, "code.bin"));
		check_notice(s, changes[i].notice, "code.bin");
		scene_keys(s, "KC\033Gk");
		scene_wait(s, "code  ");
		scene_keys(s, ":functions\r");
		scene_keys(s, "g]x[xP");
		put_code(&folder, "\0\0\240\341"); /* mov r0, r0 */
		scene_keys(s, "R");
		scene_wait_id(s, NOTICE_PROGRAMS_READ, NULL);
		scene_wait(s, "0x80004000-0x80004008 A32 2 instr");
		scene_quit(s);
		text_free(&profile);
		folder_remove(&folder);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_before_use), scene_test(test_in_use), scene_test(test_read_again),
	    scene_test(test_read_noise), scene_test(test_images),
	};
	if (!symbols_version()) {
		puts("1..0 # SKIP built without libdw");
		return 0;
	}
	return scene_run_group("programs that change", tests);
}
