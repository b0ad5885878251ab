/* Standard error and the exit status: see report.h. */
#include "config.h"

#include "batch/report.h"
#include "export/export.h"
#include "session/programs.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Write each line of a text to standard error, safe for a terminal, after a prefix. */
static void
write_lines(const char *prefix, const char *text)
{
	struct text out = {0};
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		text_add(&out, prefix);
		text_add_safe(&out, text, length, TEXT_UTF8);
		text_add_char(&out, '\n');
	}
	fputs(text_get(&out), stderr);
	text_free(&out);
}

void
report_text(const char *text)
{
	write_lines("trawl: ", text);
}

void
report_lines(const char *text)
{
	write_lines("", text);
}

int
report_error(const struct err *err)
{
	report_text(err->what);
	return STATUS_FAILED;
}

int
report_print(struct text *out)
{
	struct writer writer = {0};
	const struct export_target target = {.writer = &writer};
	struct err err = {0};
	writer_open_stdout(&writer);
	export_flush(out, &target, &err);
	writer_commit(&writer, &err);
	return err.code ? report_error(&err) : STATUS_GOOD;
}

void
report_notice(struct trace *trace, const struct cli *cli)
{
	char *notice = trace_take_notice(trace);
	if (notice && !cli->value[CLI_QUIET])
		report_text(notice);
	free(notice);
}

void
report_notices(struct session *session, const struct cli *cli)
{
	for (size_t i = 0; i < session->traces.count; i++)
		report_notice(session->traces.at[i], cli);
}

struct program_report {
	const struct cli *cli;
	unsigned count;
};

static void
report_program(void *context, const char *path, enum file_change change)
{
	struct program_report *report = context;
	struct text line = {0};
	if (change != FILE_CHANGED)
		return;
	report->count++;
	text_addf(&line, "%s changed while it was used: names and code may be wrong", path);
	if (!report->cli->value[CLI_QUIET])
		report_text(text_get(&line));
	text_free(&line);
}

unsigned
report_programs(struct session *session, const struct cli *cli)
{
	struct program_report report = {.cli = cli};
	programs_look(session, report_program, &report);
	return report.count;
}
