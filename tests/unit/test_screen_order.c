/*
 * The order of messages on the screen: of two senders in one capture one keeps its
 * messages back and sends them at the end.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "kept_back.h"
#include "scene.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRS = 60 };

static void
test_set(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	kept_back_write(folder_path(&folder, "a.stp"), PAIRS);
	scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "a.stp"), NULL);
	scene_wait(s, "by transport");
	scene_keys(s, "21G");
	scene_wait_row(s, ">", "sent 16.");
	scene_wait(s, " 21 of 126");
	scene_keys(s, ":set order=time\r");
	scene_wait_notice(s, NOTICE_ORDER, "time");
	scene_wait(s, "  by time");
	scene_wait_row(s, ">", "sent 16."); /* the cursor stays */
	scene_keys(s, "j");
	scene_wait_row(s, ">", "kept 16.");
	scene_wait(s, " 38 of 126");
	scene_keys(s, "3j");
	scene_wait_row(s, ">", "sent 18.");
	scene_keys(s, "2k");
	scene_wait_row(s, ">", "sent 17.");
	scene_keys(s, "101G");
	scene_wait_row(s, ">", "sent 48.");
	scene_keys(s, "102G");
	scene_wait_row(s, ">", "kept 48.");
	/* only errors: every tenth pair */
	scene_keys(s, "g&severity = error\r");
	scene_wait(s, ", row 1 of 12");
	scene_wait_row(s, ">", "sent 00.");
	scene_keys(s, "j");
	scene_wait_row(s, ">", "kept 00.");
	scene_wait(s, ", row 2 of 12");
	scene_keys(s, "3j");
	scene_wait_row(s, ">", "sent 20.");
	scene_wait(s, ", row 5 of 12");
	scene_keys(s, "G");
	scene_wait_row(s, ">", "kept 50.");
	scene_wait(s, ", row 12 of 12");
	scene_keys(s, ":set order=transport\r");
	scene_wait(s, "by transport");
	scene_wait_row(s, ">", "kept 50.");
	scene_keys(s, "k");
	scene_wait_row(s, ">", "kept 40.");
	scene_keys(s, ":set order=name\r");
	scene_wait(s, "order is time or transport, not name");
	scene_quit(s);
	folder_remove(&folder);
}

/* From the start by an option: keys that are typed at once end as later ones do. */
static void
test_option(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	kept_back_write(folder_path(&folder, "a.stp"), PAIRS);
	scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "a.stp"), "--order=time",
		   "+38G", NULL);
	scene_wait(s, "  by time");
	scene_wait_row(s, ">", "kept 16.");
	scene_keys(s, "v5j");
	scene_wait(s, "range: 6 messages");
	scene_keys(s, ":write ");
	scene_keys(s, folder_path(&folder, "out.txt"));
	scene_keys(s, " text\r");
	scene_wait_id(s, NOTICE_WRITTEN, "6");
	scene_quit(s);
	FILE *file = fopen(folder_path(&folder, "out.txt"), "r");
	char line[200];
	assert_non_null(file);
	for (unsigned i = 0; i < 6; i++) {
		char want[32];
		snprintf(want, sizeof want, "%s %02u.", i % 2 ? "sent" : "kept", 16 + (i + 1) / 2);
		assert_non_null(fgets(line, sizeof line, file));
		assert_non_null(strstr(line, want));
	}
	fclose(file);
	folder_remove(&folder);
}

static void
test_many(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	kept_back_write_many(folder_path(&folder, "a.stp"), 67);
	scene_open(s, 24, 120, "xterm-256color", folder_path(&folder, "a.stp"), "--order=time",
		   NULL);
	scene_wait(s, "only 64 senders' clocks are put in order of time; messages of 3 more stay");
	scene_keys(s, "G");
	scene_wait(s, " 270 of 270");
	scene_quit(s);
	folder_remove(&folder);
}

/* Whether the program writes to a file in FOLDER that has no name yet, and has bytes. */
static bool
writes_draft(const struct scene *s, const char *folder)
{
	char files[64], path[128], target[256];
	struct stat st;
	bool found = false;
	snprintf(files, sizeof files, "/proc/%d/fd", (int)s->child);
	DIR *dir = opendir(files);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		snprintf(path, sizeof path, "%s/%.20s", files, entry->d_name);
		ssize_t length = readlink(path, target, sizeof target - 1);
		target[length < 0 ? 0 : length] = '\0';
		found |= !strncmp(target, folder, strlen(folder)) && strstr(target, "#") &&
			 !stat(path, &st) && st.st_size;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Wait until the file is begun, or (WHOLE) there under its name. */
static void
wait_for_file(struct scene *s, const char *folder, const char *path, bool whole)
{
	struct stat st;
	for (int tries = 0; stat(path, &st) != 0 && (whole || !writes_draft(s, folder)); tries++) {
		if (tries == SCENE_DEADLINE_MS)
			scene_fail(s, "nothing is written to %s", path);
		scene_read(s, 1);
	}
}

/* A file is of one order, even if the order changes while it is written. */
static void
test_write(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct text expected[2] = {0}, keys = {0};
	static const char *const orders[] = {"transport", "time"};
	folder_make(&folder);
	const char *capture = folder_path(&folder, "a.stp"), *out = folder_path(&folder, "out.csv");
	kept_back_write(capture, 50000);
	batch_print_of(capture, "-t csv --order=transport", &expected[0]);
	batch_print_of(capture, "-t csv --order=time", &expected[1]);
	assert_string_not_equal(text_get(&expected[0]), text_get(&expected[1]));
	scene_open(s, 24, 80, "xterm-256color", capture, NULL);
	scene_wait(s, " 1 of 100,006");
	for (unsigned i = 0; i < 4; i++) {
		struct text written = {0};
		unlink(out);
		text_clear(&keys);
		text_addf(&keys, ":write %s\r", out);
		scene_keys(s, text_get(&keys));
		wait_for_file(s, folder.path, out, false);
		text_clear(&keys);
		text_addf(&keys, ":set order=%s\r", orders[(i + 1) % 2]);
		scene_keys(s, text_get(&keys));
		wait_for_file(s, folder.path, out, true);
		FILE *file = fopen(out, "r");
		assert_non_null(file);
		file_read_all(file, &written);
		fclose(file);
		assert_true(!strcmp(text_get(&written), text_get(&expected[0])) ||
			    !strcmp(text_get(&written), text_get(&expected[1])));
		text_free(&written);
	}
	scene_keys(s, ":messages\r");
	scene_wait_logged(s, NOTICE_WRITING_AGAIN, "out.csv");
	scene_quit(s);
	text_free(&expected[0]);
	text_free(&expected[1]);
	text_free(&keys);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_set),
	    scene_test(test_option),
	    scene_test(test_many),
	    scene_test(test_write),
	};
	return scene_run_group("screen_order", tests);
}
