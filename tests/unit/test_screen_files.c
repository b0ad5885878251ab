/*
 * What is written to files: the messages shown, a range, those with marks.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "folder.h"
#include "scene.h"
#include "temp_file.h"
#include "truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The line of the CSV of message N, counted from 0, with its end. */
static const char *
csv_line(const struct text *csv, unsigned n)
{
	char start[16];
	snprintf(start, sizeof start, "\n%u,", n + 1);
	const char *line = strstr(csv->data, start);
	assert_non_null(line);
	return line + 1;
}

static void
add_csv_lines(struct text *out, const struct text *csv, const unsigned *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *line = csv_line(csv, numbers[i]);
		text_add_bytes(out, line, (size_t)(strchr(line, '\n') + 1 - line));
	}
}

static void
check_file(const char *path, const char *expected, size_t length)
{
	struct text written = {0};
	FILE *file = fopen(path, "r");
	file_read_all(file, &written);
	fclose(file);
	assert_int_equal(written.length, length);
	assert_memory_equal(written.data, expected, length);
	text_free(&written);
	unlink(path);
}

/* What the last row tells of a range, and that it says when there is none any more. */
static void
test_range(void **state)
{
	struct scene *s = *state;
	struct truth truth;
	char want[80];
	truth_read(&truth, "demo.truth.tsv");
	unsigned long long from = strtoull(truth.rows[TICKS].at[20], NULL, 10);
	unsigned long long to = strtoull(truth.rows[TICKS].at[31], NULL, 10);
	unsigned shown = 0;
	for (size_t i = 20; i <= 31; i++)
		shown += *truth.rows[SEVERITY].at[i] == 'I';
	scene_open_demo(s, 24, 80);
	scene_wait(s, "E 15  W 12");
	scene_keys(s, "32Gv");
	scene_wait_id(s, NOTICE_RANGE_BEGUN, NULL);
	scene_keys(s, "21G"); /* backwards; ticks of 1 / 38.4 MHz */
	snprintf(want, sizeof want, " 21 of 309   range: 12 messages, %.9f s",
		 (double)(to - from) / 38400000);
	scene_wait(s, want);
	scene_keys(s, "&severity = info\rj"); /* what the filters show of it */
	snprintf(want, sizeof want, "   range: %u message%s, ", shown - 1, shown == 2 ? "" : "s");
	scene_wait(s, want);
	scene_keys(s, "v");
	scene_wait_notice(s, NOTICE_RANGE_DROPPED);
	scene_keys(s, "j");
	scene_until(s, "range", false);
	scene_keys(s, "vj\033");
	scene_wait_notice(s, NOTICE_RANGE_DROPPED);
	scene_quit(s);
	truth_free(&truth);
}

/* Names of files: quotes, `~`, and what is no format behind them. */
static void
test_paths(void **state)
{
	struct scene *s = *state;
	struct folder home;
	char *before = getenv("HOME");
	before = before ? mem_text(before) : NULL;
	folder_make(&home);
	folder_path(&home, "t.csv");
	folder_path(&home, "a b.txt");
	setenv("HOME", home.path, 1);
	scene_open_demo(s, 24, 100);
	scene_keys(s, ":w ~/t.csv foo\r");
	scene_wait_id(s, NOTICE_WRITE_NAME, "text csv jsonl");
	assert_int_equal(access(home.files.at[0], F_OK), -1);
	scene_keys(s, "jmmk:w ~/t.csv marks\r");
	scene_wait_id(s, NOTICE_WRITTEN, "1");
	assert_int_equal(access(home.files.at[0], F_OK), 0);
	scene_keys(s, ":w \"~/a b.txt\" marks text\r");
	scene_wait_id(s, NOTICE_WRITTEN, "a b.txt");
	assert_int_equal(access(home.files.at[1], F_OK), 0);
	scene_keys(s, ":w! '~/a b.txt' marks csv\r"); /* once more, over it */
	scene_wait_id(s, NOTICE_WRITTEN, "csv");
	scene_keys(s, ":w \"~/a b.txt marks\r");
	scene_wait_notice(s, NOTICE_WRITE_QUOTE);
	scene_keys(s, ":save ~/a b.txt\r"); /* the only word: it needs no quotes */
	scene_wait_id(s, NOTICE_SAVE_FAILED, "/a b.txt");
	scene_keys(s, ":save! ~/a b.txt\r");
	scene_wait_id(s, NOTICE_SAVED, NULL);
	assert_int_equal(access("!", F_OK), -1);
	scene_keys(s, ":view! x\r");
	scene_wait_id(s, NOTICE_COMMAND_NO_FORCE, NULL);
	scene_keys(s, ":source ~/t.csv\r");
	scene_wait(s, "/t.csv:1:");
	scene_quit(s);
	if (before)
		setenv("HOME", before, 1);
	else
		unsetenv("HOME");
	free(before);
	folder_remove(&home);
}

/* That a file has two lines, and how they end. */
static void
check_ends(const char *path, const char *first, const char *second)
{
	struct text written = {0};
	FILE *file = fopen(path, "r");
	file_read_all(file, &written);
	fclose(file);
	size_t length = (size_t)(strchr(written.data, '\n') + 1 - written.data);
	assert_memory_equal(written.data + length - strlen(first), first, strlen(first));
	assert_string_equal(written.data + written.length - strlen(second), second);
	assert_ptr_equal(strchr(written.data + length, '\n') + 1, written.data + written.length);
	text_free(&written);
	unlink(path);
}

/* What :write puts into a file is what batch output prints of it. */
static void
test_write(void **state)
{
	struct scene *s = *state;
	struct text all = {0}, some = {0};
	char path[TEMP_PATH], keys[80];
	batch_print("-t csv", &all);
	batch_print("-t csv -s warning", &some);
	assert_true(all.length > some.length && some.length > 500);
	temp_make_text(path, ".yaml", "");
	scene_open_demo(s, 24, 80);
	scene_wait(s, "E 15  W 12"); /* numbers are known */
	scene_wait(s, DEMO_TIME);
	snprintf(keys, sizeof keys, ":write %s csv\r", path);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITE_REFUSED, path);
	unlink(path);
	scene_keys(s, ":write all.json perfetto\r");
	scene_wait_id(s, NOTICE_WRITE_WHOLE, "perfetto");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "309");
	scene_wait_id(s, NOTICE_WRITTEN, "csv: all");
	check_file(path, all.data, all.length);

	scene_keys(s, "j:sev warning\r");
	scene_until(s, "written", false);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, NULL);
	check_file(path, some.data, some.length);

	scene_keys(s, "!21G"); /* filters off; backwards is a range too */
	scene_wait(s, " 21 of 309");
	scene_keys(s, "v13G");
	scene_wait(s, " 13 of 309");
	int bars = 0;
	for (int row = 0; row < 24; row++)
		bars += emulator_row(s->emulator, row)[0] == '|';
	assert_int_equal(bars, 8); /* 13 to 20; the cursor's has its own sign */
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "9");
	const char *head = all.data, *from = csv_line(&all, 12), *to = csv_line(&all, 21);
	struct text part = {0};
	text_add_bytes(&part, head, (size_t)(strchr(head, '\n') + 1 - head));
	text_add_bytes(&part, from, (size_t)(to - from));
	check_file(path, part.data, part.length);
	keys[strlen(keys) - strlen("csv\r")] = '\0'; /* the range stays for another format */
	scene_keys(s, keys);
	scene_keys(s, "text\r");
	scene_wait_id(s, NOTICE_WRITTEN, "9");
	scene_wait_id(s, NOTICE_WRITTEN, "text: the range");
	strcat(keys, "csv\r");
	unlink(path);
	scene_keys(s, "v");
	scene_wait_notice(s, NOTICE_RANGE_DROPPED);
	scene_keys(s, "j"); /* the range is over */
	scene_wait(s, " 14 of 309");
	assert_null(scene_row(s, "|"));

	/* a filter moves the cursor, but not the end of the range */
	scene_keys(s, "16G");
	scene_wait(s, " 16 of 309");
	scene_keys(s, "v23G");
	scene_wait(s, " 23 of 309");
	scene_keys(s, ":sev info\r"); /* which turns filters on again */
	scene_wait_row(s, ">", "signature good");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "3");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){15, 20, 21}, 3);
	check_file(path, part.data, part.length);
	scene_keys(s, "vv!"); /* it begins at the cursor, not where that comes from */
	scene_wait_row(s, "  0.002793 D", "block 10/10");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "1");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){34}, 1);
	check_file(path, part.data, part.length);
	scene_keys(s, "v16G");
	scene_wait(s, " 16 of 309");
	scene_keys(s, "v23G");
	scene_wait(s, " 23 of 309");
	scene_keys(s, "!");
	scene_wait_row(s, ">", "signature good");
	scene_keys(s, "j"); /* a move does */
	scene_wait_row(s, ">", "task 0 ");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "5");
	text_cut(&part, (size_t)(strchr(head, '\n') + 1 - head));
	add_csv_lines(&part, &all, (const unsigned[]){15, 20, 21, 34, 36}, 5);
	check_file(path, part.data, part.length);
	scene_keys(s, "v!14G");
	scene_wait(s, " 14 of 309");

	scene_keys(s, "vj");
	scene_wait(s, " 15 of 309");
	scene_keys(s, "y"); /* OSC 52: text/plain in base 64 */
	scene_wait_notice(s, NOTICE_RANGE_COPIED, 2LL, "s");
	assert_non_null(strstr(s->sent.data, "\033]52;c;"));

	scene_keys(s, "mm309GmaAa \"b\"\r");
	scene_wait(s, "309 of 309");
	snprintf(keys, sizeof keys, ":write %s marks csv\r", path);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "2");
	text_cut(&part, (size_t)(strchr(head, '\n') - head));
	text_add(&part, ",mark,note\n"); /* the rows as ever, and these */
	from = csv_line(&all, 14);
	text_add_bytes(&part, from, (size_t)(csv_line(&all, 15) - 1 - from));
	text_add(&part, ",*,\"\"\n");
	from = csv_line(&all, 308);
	text_add_bytes(&part, from, strlen(from) - 1);
	text_add(&part, ",a,\"a \"\"b\"\"\"\n");
	check_file(path, part.data, part.length);
	snprintf(keys, sizeof keys, ":write %s marks jsonl\r", path);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "jsonl");
	check_ends(path, ",\"mark\":\"*\",\"note\":null}\n",
		   ",\"mark\":\"a\",\"note\":\"a \\\"b\\\"\"}\n");
	snprintf(keys, sizeof keys, ":write %s marks text\r", path);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "text");
	check_ends(path, "  [*]\n", "  [a] a \"b\"\n");
	text_free(&part);
	text_free(&all);
	text_free(&some);
	scene_quit(s);
}

static const char *
skip_lines(const char *text, unsigned count)
{
	while (count--)
		text = strchr(text, '\n') + 1;
	return text;
}

/* Of a list of several traces all that are shown are written, in its order, as batch
 * output has them. */
static void
test_write_all(void **state)
{
	struct scene *s = *state;
	struct text all = {0}, some = {0}, part = {0};
	char path[TEMP_PATH], keys[80];
	batch_print_of("lab.yaml", "-t csv", &all);
	batch_print_of("lab.yaml", "-t csv --source=soc,dsp,cam,hub -e 'origin ~ /e/'", &some);
	temp_make_text(path, ".yaml", "");
	unlink(path);
	scene_open(s, 24, 100, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	scene_wait(s, "1 of 531");
	snprintf(keys, sizeof keys, ":write %s csv\r", path);
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "531");
	check_file(path, all.data, all.length);

	scene_keys(s, "379G");
	scene_wait(s, " 379 of 531"); /* without "~": the order is final */
	scene_keys(s, "v229G");	      /* from a message of soc up to one of log */
	scene_wait(s, " 229 of 531   range: 151 messages, 0.100991086 s");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, "151");
	const char *head = skip_lines(all.data, 1);
	const char *from = skip_lines(head, 228), *to = skip_lines(head, 379);
	text_add_bytes(&part, all.data, (size_t)(head - all.data));
	text_add_bytes(&part, from, (size_t)(to - from));
	check_file(path, part.data, part.length);

	scene_keys(s, "v:show-trace log\r&origin ~ /e/\r"); /* one left out, and a filter */
	scene_wait(s, "only origin ~ /e/");
	scene_keys(s, keys);
	scene_wait_id(s, NOTICE_WRITTEN, NULL);
	check_file(path, some.data, some.length);
	text_free(&all);
	text_free(&some);
	text_free(&part);
	scene_quit(s);
}

/* Raw bytes of a range are a capture of their own, with the same messages. */
static void
test_write_raw(void **state)
{
	struct scene *s = *state;
	struct text keys = {0}, whole = {0}, cut = {0};
	char path[TEMP_PATH];
	temp_make_text(path, ".stp", "");
	batch_print(
	    "-q --fields=kind,length,ticks,severity -e 'trace_number >= 19 and trace_number <= 28'",
	    &whole);
	scene_open_demo(s, 24, 80);
	text_addf(&keys, "21Gv30G:write! %s raw\r", path);
	scene_keys(s, keys.data);
	scene_wait_id(s, NOTICE_WRITTEN, "10");
	scene_wait_id(s, NOTICE_WRITTEN, "raw: the range");
	scene_quit(s);
	batch_print_of(path, "-q --fields=kind,length,ticks,severity", &cut);
	assert_non_null(strstr(cut.data, whole.data));
	unlink(path);
	text_free(&keys);
	text_free(&whole);
	text_free(&cut);
}

/* ... but of one trace. */
static void
test_write_raw_of_several(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, "5 traces");
	scene_keys(s, ":write /nowhere/cut raw\r");
	scene_wait_notice(s, NOTICE_WRITE_RAW_ONE);
	scene_quit(s);
}

/* q asks while a file is being written; the next one cancels that, and the status tells. */
static void
test_quit_while_writing(void **state)
{
	struct scene *s = *state;
	char path[TEMP_PATH], line[TEMP_PATH + 80];
	temp_make_text(path, ".fifo", "");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK); /* which reads nothing */
	scene_open_demo(s, 24, 120);
	snprintf(line, sizeof line, ":write %s jsonl\r", path);
	scene_keys(s, line);
	scene_wait_notice(s, NOTICE_WRITING, path);
	scene_keys(s, "q");
	scene_wait_notice(s, NOTICE_QUIT_WRITING, path);
	scene_keys(s, "q");
	scene_end(s);
	assert_true(WIFEXITED(s->status));
	assert_int_equal(WEXITSTATUS(s->status), 2);
	scene_check_restored(s);
	snprintf(line, sizeof line, NOTICE_WRITE_CANCELLED, path);
	assert_non_null(strstr(s->sent.data, line));
	scene_close(s);
	close(reader);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_range),
	    scene_test(test_paths),
	    scene_test(test_write),
	    scene_test(test_write_all),
	    scene_test(test_write_raw),
	    scene_test(test_write_raw_of_several),
	    scene_test(test_quit_while_writing),
	};
	return scene_run_group("screen: files", tests);
}
