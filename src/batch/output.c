/* --output, --force and --split: see output.h. */
#include "config.h"

#include "batch/output.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sessions {
	struct session *const *at;
	size_t count;
};

static bool
is_capture(void *context, const struct stat *st)
{
	const struct sessions *sessions = context;
	for (size_t i = 0; i < sessions->count; i++)
		if (session_has_file(sessions->at[i], st))
			return true;
	return false;
}

int
output_open(struct writer *writer, const struct cli *cli, struct session *const *sessions,
	    size_t count, const struct export_format *format, bool grows, struct err *err)
{
	struct sessions opened = {sessions, count};
	bool folder = format && format->folder;
	const char *path = cli->value[CLI_OUTPUT];
	const struct writer_options options = {.flags = (cli->value[CLI_FORCE] ? WRITER_FORCE : 0) |
							(folder ? WRITER_FOLDER : 0) |
							(grows ? WRITER_GROWING : 0),
					       .mode = 0666,
					       .hint = "--force overwrites it",
					       .is_taken = is_capture,
					       .context = &opened};
	if (folder && !path)
		return err_set(err, ERR_USAGE, "-t %s writes a folder; name it with -o",
			       format->name);
	if (path)
		return writer_open(writer, path, &options, err);
	writer_open_stdout(writer);
	return 0;
}

/* Decide whether lines for people have colours. */
static int
read_colour(const struct cli *cli, bool *colour, struct err *err)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	bool able = isatty(STDOUT_FILENO) && !cli->value[CLI_OUTPUT] && term &&
		    strcmp(term, "dumb") != 0 && !(no_color && *no_color);
	enum cli_colour when;
	int failed = cli_parse_colour(cli, &when, err);
	*colour = when == CLI_COLOUR_ALWAYS || (when == CLI_COLOUR_AUTO && able);
	return failed;
}

int
output_make_line(const struct cli *cli, const struct export_format *format,
		 const struct session *session, struct export_line **line, struct err *err)
{
	struct export_line_wish wish = {.fields = cli->value[CLI_FIELDS],
					.line = cli->value[CLI_TEMPLATE],
					.time_format = cli->value[CLI_TIME_FORMAT],
					.session = session,
					.wide = cli->value[CLI_WIDE]};
	*line = NULL;
	int failed = read_colour(cli, &wish.colour, err);
	return failed ? failed : export_line_new(format, &wish, line, err);
}

int
output_make_table(const struct cli *cli, const struct export_format *format,
		  const struct session *session, struct export_table **table, struct err *err)
{
	const struct export_table_wish wish = {.by = cli->value[CLI_BY],
					       .of = cli->value[CLI_OF],
					       .columns = cli->value[CLI_COLUMNS],
					       .sort = cli->value[CLI_SORT]};
	return export_table_new(format, &wish, session, table, err);
}

static bool
read_split(const char *split, struct export_options *options)
{
	char part[32];
	const char *slash = strchr(split, '/');
	if (!slash || (size_t)(slash - split) >= sizeof part)
		return false;
	memcpy(part, split, (size_t)(slash - split));
	part[slash - split] = '\0';
	return text_parse_uint(slash + 1, UINT32_MAX, &options->parts) &&
	       text_parse_uint(part, options->parts, &options->part) && options->part;
}

int
output_parse_split(const struct cli *cli, struct export_options *options, struct err *err)
{
	const char *split = cli->value[CLI_SPLIT];
	if (split && !read_split(split, options))
		return err_set(err, ERR_USAGE, "--split is K/N with K from 1 to N, not %s", split);
	return 0;
}
