/* Where views and themes are looked for, and in which order. */
#include "config.h"

#include "config/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "config/builtin.h"
#include "temp_file.h"

struct view {
	char *title;
};

static const struct option_row view_rows[] = {
    {.name = "title", .type = OPTION_TEXT, .member = offsetof(struct view, title)},
};
static const struct option_table view_table = OPTION_TABLE("view", struct view, view_rows);

static const char *const folders[] = {"trawl", "trawl/views"};

static int
set_up(void **state)
{
	static char path[] = "/tmp/test_files.XXXXXX";
	*state = path;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	return !mkdtemp(path) || chdir(path) || mkdir(folders[0], 0700) ||
	       mkdir(folders[1], 0700) || setenv("XDG_CONFIG_HOME", path, 1);
}

static int
tear_down(void **state)
{
	return rmdir(folders[1]) || rmdir(folders[0]) || chdir("/") || rmdir(*state);
}

static int
load_view(const char *what, struct view *view, struct err *err)
{
	option_defaults(&view_table, view);
	return files_merge("views", what, &view_table, view, err);
}

static void
assert_title(const char *what, const char *title)
{
	struct view view;
	struct err err = {0};
	int result = load_view(what, &view, &err);
	if (result)
		fail_msg("%s", err.what);
	assert_string_equal(view.title, title);
	option_release(&view_table, &view);
}

static void
test_name_in_user_folder(void **state)
{
	(void)state;
	temp_write("trawl/views/mine.yaml", "title: mine\n");
	assert_title("mine", "mine");
	unlink("trawl/views/mine.yaml");
}

static void
test_path(void **state)
{
	(void)state;
	temp_write("here.yaml", "title: one\n");
	temp_write("here", "title: two\n");
	assert_title("here.yaml", "one");
	assert_title("./here", "two");
	unlink("here.yaml");
	unlink("here");
}

/* Where the XDG specification has it: a path that is not whole counts as none. */
static void
test_state_path(void **state)
{
	struct text path = {0};
	(void)state;
	setenv("HOME", "/home/me", 1);
	setenv("XDG_STATE_HOME", "/of/mine", 1);
	assert_true(files_state_path(&path));
	assert_string_equal(path.data, "/of/mine/trawl");
	setenv("XDG_STATE_HOME", "mine", 1);
	assert_true(files_state_path(&path));
	assert_string_equal(path.data, "/home/me/.local/state/trawl");
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	assert_false(files_state_path(&path));
	assert_string_equal(text_get(&path), "");
	text_free(&path);
}

static void
test_unknown(void **state)
{
	static const char expected[] = "no nosuch in views; give a file or one of";
	struct view view;
	struct err err = {0};
	(void)state;
	temp_write("nosuch", "title: not meant by a name\n");
	assert_int_equal(load_view("nosuch", &view, &err), ERR_USAGE);
	assert_int_equal(strncmp(err.what, expected, strlen(expected)), 0);
	assert_null(view.title);
	option_release(&view_table, &view);
	unlink("nosuch");
	assert_int_equal(load_view("nosuch.yaml", &view, &err), ERR_IO);
	option_release(&view_table, &view);
}

/* What the program carries can be replaced by a file of the same name. */
static void
test_user_before_builtin(void **state)
{
	(void)state;
	for (size_t i = 0; i < builtin_file_count; i++) {
		char path[128], what[64];
		if (sscanf(builtin_files[i].name, "views/%63[^.]", what) != 1)
			continue;
		snprintf(path, sizeof path, "trawl/%s", builtin_files[i].name);
		temp_write(path, "title: mine\n");
		assert_title(what, "mine");
		unlink(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_name_in_user_folder, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_path, set_up, tear_down),
	    cmocka_unit_test(test_state_path),
	    cmocka_unit_test_setup_teardown(test_unknown, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_user_before_builtin, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
