/*
 * The lines are kept as one text and cut at their tabs; a message's fields stay one
 * cell.
 */
#include "config.h"

#include "truth.h"

#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
truth_read(struct truth *truth, const char *name)
{
	struct text path = {0}, all = {0};
	char bytes[4096];
	size_t length;
	testdata_path(name, &path);
	FILE *file = fopen(path.data, "r");
	assert_non_null(file);
	while ((length = fread(bytes, 1, sizeof bytes, file)))
		text_add_bytes(&all, bytes, length);
	fclose(file);
	text_free(&path);
	*truth = (struct truth){.lines = all.data};
	char *line = strchr(all.data, '\n') + 1; /* behind the head */
	while (*line) {
		char *end = strchr(line, '\n');
		*end = '\0';
		for (int c = 0; c < COLUMNS; c++) {
			char *cell = c < FIELDS && line ? strsep(&line, "\t") : line;
			*vec_add(&truth->rows[c]) = cell;
		}
		line = end + 1;
	}
}

void
truth_free(struct truth *truth)
{
	for (int c = 0; c < COLUMNS; c++)
		vec_free(&truth->rows[c]);
	free(truth->lines);
}

void
truth_check_row(const char *shown, const struct truth *truth, size_t n)
{
	const char *text = truth->rows[TEXT].at[n];
	const char *severity = truth->rows[SEVERITY].at[n];
	char mark[4] = {' ', *severity == 'M' ? '-' : *severity == 'n' ? ' ' : *severity, ' '};
	assert_non_null(strstr(shown, mark));
	if (*text == '*')
		return; /* any */
	char start[24];
	snprintf(start, sizeof start, "%.20s", text);
	for (size_t end = strlen(start); end && start[end - 1] == ' '; end--)
		start[end - 1] = '\0'; /* as there are none at the end of a row */
	if (!strstr(shown, start))
		fail_msg("message %zu: \"%s\" is not in \"%s\"", n, start, shown);
}

size_t
truth_count(const struct truth *truth, const char *severity, const char *what, uint64_t from)
{
	size_t count = 0;
	for (size_t i = 0; i < truth->rows[OFFSET].count; i++) {
		const char *fields = truth->rows[FIELDS].at[i];
		count += strtoull(truth->rows[OFFSET].at[i], NULL, 10) >= from &&
			 (!severity || !strcmp(truth->rows[SEVERITY].at[i], severity)) &&
			 (!what || (fields && strstr(fields, what)));
	}
	return count;
}

void
truth_make_capture(unsigned count, struct text *capture, struct text *truth)
{
	struct text command = {0};
	const char *mkcapture = getenv("MKCAPTURE");
	char name[] = "/tmp/trawl-test.XXXXXX";
	if (!mkcapture)
		skip();
	close(mkstemp(name));
	text_add(capture, name);
	text_addf(truth, "%s.tsv", name);
	text_addf(&command, "'%s' --count=%u --truth=%s -o %s", mkcapture, count, truth->data,
		  name);
	assert_int_equal(system(command.data), 0);
	text_free(&command);
}
