/* Finding a profile beside a capture or in the user's folder, and what is
 * done to the paths in it. */
#include "config.h"

#include "config/profile.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/trace_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Everything happens in a folder of its own, which is the working folder and
 * holds the user's folder of settings. */
static const char *const folders[] = {"config",	      "config/trawl",	    "home",
				      "home/.config", "home/.config/trawl", "lab.d",
				      "lab.d/snap.d"};
enum { FOLDERS = sizeof folders / sizeof *folders };

struct folder {
	char path[64];
	struct text found;
};

static int
set_up(void **state)
{
	struct folder *folder = calloc(1, sizeof *folder);
	char path[128];
	*state = folder;
	snprintf(folder->path, sizeof folder->path, "/tmp/test_profile.XXXXXX");
	if (!mkdtemp(folder->path) || chdir(folder->path))
		return -1;
	for (int i = 0; i < FOLDERS; i++)
		if (mkdir(folders[i], 0700))
			return -1;
	snprintf(path, sizeof path, "%s/config", folder->path);
	setenv("XDG_CONFIG_HOME", path, 1);
	snprintf(path, sizeof path, "%s/home", folder->path);
	setenv("HOME", path, 1);
	return 0;
}

static int
tear_down(void **state)
{
	struct folder *folder = *state;
	for (int i = FOLDERS; i--;)
		if (rmdir(folders[i]))
			return -1; /* a test left a file */
	int result = chdir("/") || rmdir(folder->path);
	text_free(&folder->found);
	free(folder);
	return result;
}

static bool
find_profile(const char *capture, struct text *found)
{
	return profile_find(&capture, 1, found);
}

static void
test_find_beside(void **state)
{
	struct folder *folder = *state;
	/* From the last to be tried to the first. */
	static const char *const tries[] = {"lab.d/a.profile.yaml", "lab.d/a.uia.profile.yaml",
					    "lab.d/a.uia.bin.profile.yaml"};
	assert_false(find_profile("lab.d/a.uia.bin", &folder->found));
	assert_string_equal(text_get(&folder->found), "");
	for (int i = 0; i < 3; i++) {
		temp_write(tries[i], "");
		assert_true(find_profile("lab.d/a.uia.bin", &folder->found));
		assert_string_equal(folder->found.data, tries[i]);
	}
	for (int i = 0; i < 3; i++)
		unlink(tries[i]);
}

static void
test_find_in_working_folder(void **state)
{
	struct folder *folder = *state;
	temp_write("a.profile.yaml", "");
	assert_true(find_profile("a.b.c.stp", &folder->found));
	assert_string_equal(folder->found.data, "a.profile.yaml");
	assert_true(find_profile("a", &folder->found));
	assert_false(find_profile("b", &folder->found));
	unlink("a.profile.yaml");
}

/* Of several captures the first that has one, before the user's own. */
static void
test_find_beside_several(void **state)
{
	static const char *const captures[] = {"a.txt", "lab.d/b.stp", "c.stp"};
	struct folder *folder = *state;
	temp_write("config/trawl/profile.yaml", "");
	temp_write("c.profile.yaml", "");
	assert_true(profile_find(captures, 3, &folder->found));
	assert_string_equal(folder->found.data, "c.profile.yaml");
	temp_write("lab.d/b.profile.yaml", "");
	assert_true(profile_find(captures, 3, &folder->found));
	assert_string_equal(folder->found.data, "lab.d/b.profile.yaml");
	assert_true(profile_find(captures, 1, &folder->found));
	assert_non_null(strstr(folder->found.data, "/config/trawl/profile.yaml"));
	unlink("config/trawl/profile.yaml");
	unlink("c.profile.yaml");
	unlink("lab.d/b.profile.yaml");
}

/* The endings are those of the name, not of the folders above it, and the
 * dot of a hidden file starts none. */
static void
test_find_stays_in_name(void **state)
{
	struct folder *folder = *state;
	temp_write("lab.profile.yaml", "");
	temp_write("lab.d/.profile.yaml", "");
	assert_false(find_profile("lab.d/capture", &folder->found));
	assert_false(find_profile("lab.d/.capture", &folder->found));
	assert_false(find_profile("", &folder->found));
	assert_false(find_profile("/", &folder->found));
	unlink("lab.profile.yaml");
	unlink("lab.d/.profile.yaml");
}

static void
test_find_beside_folder(void **state)
{
	struct folder *folder = *state;
	temp_write("lab.d/snap.profile.yaml", "");
	assert_true(find_profile("lab.d/snap.d/", &folder->found));
	assert_string_equal(folder->found.data, "lab.d/snap.profile.yaml");
	unlink("lab.d/snap.profile.yaml");
}

static void
test_find_user(void **state)
{
	struct folder *folder = *state;
	char expected[128];
	temp_write("config/trawl/profile.yaml", "");
	temp_write("home/.config/trawl/profile.yaml", "");
	assert_true(find_profile("a.bin", &folder->found));
	snprintf(expected, sizeof expected, "%s/config/trawl/profile.yaml", folder->path);
	assert_string_equal(folder->found.data, expected);
	assert_true(profile_find(NULL, 0, &folder->found));

	snprintf(expected, sizeof expected, "%s/home/.config/trawl/profile.yaml", folder->path);
	unsetenv("XDG_CONFIG_HOME");
	assert_true(find_profile("a.bin", &folder->found));
	assert_string_equal(folder->found.data, expected);
	setenv("XDG_CONFIG_HOME", "config", 1); /* relative: counts as unset */
	assert_true(find_profile("a.bin", &folder->found));
	assert_string_equal(folder->found.data, expected);
	unsetenv("HOME");
	assert_false(find_profile("a.bin", &folder->found));

	temp_write("a.profile.yaml", "");
	assert_true(find_profile("a.bin", &folder->found));
	assert_string_equal(folder->found.data, "a.profile.yaml");
	unlink("a.profile.yaml");
	unlink("config/trawl/profile.yaml");
	unlink("home/.config/trawl/profile.yaml");
}

static const struct trace_options *
trace_at(const struct profile *profile, size_t i)
{
	assert_true(i < profile->traces.count);
	return (const void *)((char *)profile->traces.at + i * trace_options_table()->size);
}

/* The collateral of a trace of format syst. */
static const struct option_list *
collateral(const struct trace_options *options)
{
	const struct option_row *syst = option_find(trace_options_table(), "syst");
	const struct option_row *row = option_find(syst->table, "collateral");
	return (const void *)((char *)options + syst->member + row->member);
}

static void
release(struct profile *profile)
{
	option_release(profile_options_table(), profile);
}

static void
test_paths(void **state)
{
	struct profile profile;
	struct err err;
	(void)state;
	temp_write("lab.d/lab.yaml", "traces:\n"
				     "  - file: a.stp\n"
				     "    name: soc\n"
				     "    syst: {transport: stp, collateral: [fw.xml, /x/y.xml]}\n"
				     "  - {file: ../b.stp, format: syst}\n"
				     "  - {file: /c.stp}\n"
				     "origins: [{module: 7, name: dma}]\n"
				     "symbols: [{file: fw.elf, applies_to: dsp}]\n");
	assert_int_equal(profile_load("lab.d/lab.yaml", &profile, &err), 0);
	assert_string_equal(trace_at(&profile, 0)->file, "lab.d/a.stp");
	assert_string_equal(trace_at(&profile, 0)->name, "soc");
	const struct option_list *files = collateral(trace_at(&profile, 0));
	assert_int_equal(files->count, 2);
	assert_string_equal(((char **)files->at)[0], "lab.d/fw.xml");
	assert_string_equal(((char **)files->at)[1], "/x/y.xml");
	assert_string_equal(trace_at(&profile, 1)->file, "lab.d/../b.stp");
	assert_string_equal(trace_at(&profile, 2)->file, "/c.stp");
	const struct origin_options *origin = profile.origins.at;
	assert_int_equal(profile.origins.count, 1);
	assert_int_equal(origin->module, 7);
	assert_int_equal(origin->unit, -1);
	assert_string_equal(origin->name, "dma");
	release(&profile);

	assert_int_equal(chdir("lab.d"), 0);
	assert_int_equal(profile_load("lab.yaml", &profile, &err), 0);
	assert_string_equal(trace_at(&profile, 0)->file, "a.stp");
	release(&profile);
	assert_int_equal(chdir(".."), 0);
	unlink("lab.d/lab.yaml");
}

static void
test_errors(void **state)
{
	struct profile profile;
	struct err err;
	(void)state;
	temp_write("p.yaml", "traces:\n"
			     "  - match: \"*.stp\"\n"
			     "    clock: {hz: fast}\n");
	assert_int_equal(profile_load("p.yaml", &profile, &err), ERR_CONFIG);
	assert_string_equal(
	    err.what,
	    "p.yaml:3:17: traces[0].clock.hz is \"fast\"; expected a number above 0, up to "
	    "1000000000000");
	assert_int_equal(profile.traces.count, 0);
	release(&profile);
	unlink("p.yaml");

	assert_int_equal(profile_load("p.yaml", &profile, &err), ERR_IO);
	release(&profile);
}

/* What the program does not read yet is no mistake of the user's. */
static void
test_keys_of_later(void **state)
{
	struct profile profile;
	struct err err;
	(void)state;
	temp_write(
	    "p.yaml",
	    "traces:\n"
	    "  - {match: a, format: encap, encap: {srcid_width: 8}, etrace: {f0s_width: 0}}\n"
	    "  - {match: b, format: gem, gem: {record_size: 4}}\n"
	    "  - {match: c, format: uia, uia: {events: [{id: 4353, name: syncPoint}]}}\n"
	    "  - {match: d, format: csel, csel: {tick_us: 1}}\n"
	    "  - {match: e, format: opencsd, opencsd: {format: coresight}}\n"
	    "symbols: [{file: fw.elf, applies_to: dsp}]\n"
	    "sync: [{kind: offset, trace: cam, seconds: -0.25}]\n");
	assert_int_equal(profile_load("p.yaml", &profile, &err), 0);
	assert_int_equal(profile.traces.count, 5);
	release(&profile);
	unlink("p.yaml");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_find_beside, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_find_beside_several, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_find_in_working_folder, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_find_stays_in_name, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_find_beside_folder, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_find_user, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_paths, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_keys_of_later, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
