/* --output, --force and --split: see output.h. */
#include "config.h"

#include "batch/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
cannot_write(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s%s", path, strerror(errno),
		       errno == EEXIST ? "; --force overwrites it" : "");
}

/* Makes the folder PATH. */
static int
open_folder(const char *path, bool force, struct err *err)
{
	if (mkdir(path, 0777) && (errno != EEXIST || !force))
		return cannot_write(path, err);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? cannot_write(path, err) : folder;
}

int
output_open_file(const struct cli *cli, struct err *err)
{
	const char *path = cli->value[CLI_OUTPUT];
	if (!path)
		return STDOUT_FILENO;
	int exclusive = cli->value[CLI_FORCE] ? O_TRUNC : O_EXCL;
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, 0666);
	return file < 0 ? cannot_write(path, err) : file;
}

int
output_open(const struct cli *cli, const struct export_format *format, struct err *err)
{
	const char *path = cli->value[CLI_OUTPUT];
	if (format->folder && !path)
		return err_set(err, ERR_USAGE, "-t %s writes a folder; name it with -o",
			       format->name);
	return format->folder ? open_folder(path, cli->value[CLI_FORCE], err)
			      : output_open_file(cli, err);
}

/* Whether lines for people have colours. */
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
		 struct export_line **line, struct err *err)
{
	struct export_line_wish wish = {.fields = cli->value[CLI_FIELDS],
					.line = cli->value[CLI_TEMPLATE],
					.time_format = cli->value[CLI_TIME_FORMAT]};
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
