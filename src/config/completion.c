/*
 * Completion: see completion.h.
 *
 * The name of an option's argument in the table determines its completion: files, folders, or
 * choices separated by bars.  Only lists from other tables are named here, one row for each
 * option.  The shell runs this program to get the script when it first needs it, so the two never
 * differ.
 */
#include "config.h"

#include "config/completion.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "command/cli.h"
#include "config/files.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/check.h"
#include "query/filter/filter.h"
#include "query/group/group.h"
#include "query/value.h"

/* --- arguments of options ------------------------------------------------ */

/* Append "NAME " for each value. */
typedef void add_values(struct text *out);

static void
add_formats(struct text *out)
{
	const char *group = "";
	for (size_t i = 0; i < decoder_count; i++) {
		if (strchr(decoder_name(decoders[i]), '/') &&
		    strcmp(group, decoders[i]->format) != 0)
			text_addf(out, "%s ", group = decoders[i]->format);
		text_addf(out, "%s ", decoder_name(decoders[i]));
	}
}

static void
add_exports(struct text *out)
{
	for (size_t i = 0; i < export_format_count; i++)
		text_addf(out, "%s ", export_formats[i].name);
}

static void
add_severities(struct text *out)
{
	for (int i = SEVERITY_FATAL; i <= SEVERITY_DEBUG; i++) {
		for (const char *c = severity_name((enum severity)i); *c; c++)
			text_add_char(out, (char)tolower((unsigned char)*c));
		text_add_char(out, ' ');
	}
}

static void
add_checks(struct text *out)
{
	const char *name, *help;
	for (size_t i = 0; check_help(i, &name, &help); i++)
		text_addf(out, "%.*s ", (int)strcspn(name, "L"), name); /* severity:LEVEL */
}

static void
add_files(const char *kind, struct text *out)
{
	for (size_t i = 0; files_name(kind, i, out); i++)
		text_add_char(out, ' ');
}

static void
add_views(struct text *out)
{
	add_files("views", out);
}

static void
add_themes(struct text *out)
{
	add_files("themes", out);
}

static void
add_keys(struct text *out)
{
	add_files("keys", out);
}

/* Append the names of fields. */
static void
add_fields(struct text *out)
{
	const char *last = "", *field;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (!strcmp(last, ops->format))
			continue;
		last = ops->format;
		for (size_t f = 0; f < ops->field_count; f++) {
			field = ops->fields[f].name;
			if (!ops->fields[f].detail && ops->fields[f].type != FIELD_GROUP)
				text_addf(out, "%s.%s ", last, field);
		}
	}
}

/* Append the words that can begin an expression. */
static void
add_terms(struct text *out)
{
	struct filter_help row;
	for (size_t i = 0; filter_help(i, &row); i++)
		if (!strpbrk(row.name, " .[") && isalpha((unsigned char)*row.name))
			text_addf(out, "%s ", row.name);
	add_fields(out);
}

/* Append the names under which a message has a value. */
static void
add_names(struct text *out)
{
	struct filter_help row;
	struct err err;
	for (size_t i = 0; filter_help(i, &row); i++) {
		struct value_name *name = value_name_new(row.name, NULL, &err);
		if (name)
			text_addf(out, "%s ", row.name);
		value_name_free(name);
	}
	add_fields(out);
}

static void
add_table_columns(struct text *out)
{
	for (int i = 0; i < GROUP_COLUMNS; i++)
		text_addf(out, "%s ", group_column_names[i]);
}

static void
add_columns(struct text *out)
{
	const char *name;
	for (size_t i = 0; (name = export_column_name(i)); i++)
		text_addf(out, "%s ", name);
	add_table_columns(out);
}

static add_values *const lists[CLI_COUNT] = {
    [CLI_FROM] = add_formats,	 [CLI_TO] = add_exports,	 [CLI_SEVERITY] = add_severities,
    [CLI_CHECK] = add_checks,	 [CLI_VIEW] = add_views,	 [CLI_THEME] = add_themes,
    [CLI_KEYS] = add_keys,	 [CLI_FILTER] = add_terms,	 [CLI_EXCLUDE] = add_terms,
    [CLI_STOP_WHEN] = add_terms, [CLI_FIELDS] = add_names,	 [CLI_BY] = add_names,
    [CLI_OF] = add_names,	 [CLI_SORT] = add_table_columns, [CLI_COLUMNS] = add_columns,
};

/* The argument of an option. */
struct argument {
	struct text values; /* each followed by a blank */
	bool files, folders;
	bool many; /* several values, separated by commas */
};

static void
argument_read(int id, struct argument *a)
{
	const char *name = cli_rows[id].argument;
	a->files = strstr(name, "FILE");
	a->folders = !strcmp(name, "DIR");
	a->many = !strcmp(name, "LIST");
	text_clear(&a->values);
	if (lists[id]) {
		lists[id](&a->values);
	} else if (islower((unsigned char)*name)) {
		for (; *name; name++)
			text_add_char(&a->values, *name == '|' ? ' ' : *name);
		text_add_char(&a->values, ' ');
	}
}

/* --- bash ------------------------------------------------------------------ */

/* Bash splits words also at `=` and `:`. */
static const char bash_head[] =
    "# bash completion for trawl\n"
    "_trawl()\n"
    "{\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
    "\tlocal joined= values= files= many= prefix=\n"
    "\tif [[ $cur == = ]]; then\n"
    "\t\tjoined=1 cur=\n"
    "\telif [[ $option == = ]]; then\n"
    "\t\tjoined=1 option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "\tfi\n"
    "\tcase $option$joined in\n";

static const char bash_tail[] =
    "\t*)\n"
    "\t\tif [[ $cur == -* ]]; then\n"
    "\t\t\tvalues=$_trawl_options\n"
    "\t\telse\n"
    "\t\t\tfiles=f\n"
    "\t\tfi ;;\n"
    "\tesac\n"
    "\tCOMPREPLY=()\n"
    "\tif [[ $many && $cur == *,* ]]; then\n"
    "\t\tprefix=${cur%,*},\n"
    "\tfi\n"
    "\tif [[ $values ]]; then\n"
    "\t\tmapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$values\" -- "
    "\"${cur#\"$prefix\"}\")\n"
    "\tfi\n"
    "\tif [[ $files ]]; then\n"
    "\t\tcompopt -o filenames 2>/dev/null\n"
    "\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -$files -- \"$cur\")\n"
    "\tfi\n"
    "\tif [[ $many || ${COMPREPLY[0]-} == *= ]]; then\n"
    "\t\tcompopt -o nospace 2>/dev/null\n"
    "\tfi\n"
    "}\n"
    "complete -F _trawl trawl\n";

static void
write_bash(struct text *out)
{
	struct argument a = {0};
	text_add(out, "_trawl_options='");
	for (int i = 0; i < CLI_COUNT; i++)
		text_addf(out, "--%s%s ", cli_rows[i].name,
			  cli_rows[i].argument && !cli_rows[i].optional ? "=" : "");
	text_add(out, "'\n");
	text_add(out, bash_head);
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		if (!row->argument)
			continue;
		argument_read(i, &a);
		text_addf(out, "\t--%s1", row->name);
		if (!row->optional)
			text_addf(out, "|--%s", row->name);
		if (row->letter && !row->optional)
			text_addf(out, "|-%c", row->letter);
		text_addf(out, ") values='%s' files=%s many=%s ;;\n", text_get(&a.values),
			  a.folders ? "d"
			  : a.files ? "f"
				    : "",
			  a.many ? "1" : "");
	}
	text_add(out, bash_tail);
	text_free(&a.values);
}

/* --- zsh ------------------------------------------------------------------- */

/* Append TEXT with a backslash before each character in SPECIAL. */
static void
add_quoted(struct text *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			text_add_char(out, '\\');
		text_add_char(out, *text);
	}
}

static void
add_zsh_action(const struct argument *a, struct text *out)
{
	bool values = a->values.length;
	if (values && a->many)
		text_addf(out, "_sequence compadd - %s", text_get(&a->values));
	else if (values && a->files)
		text_addf(out, "{_alternative \"v\\:name\\:(%s)\" \"f\\:file\\:_files\"}",
			  text_get(&a->values));
	else if (values)
		text_addf(out, "(%s)", text_get(&a->values));
	else if (a->folders)
		text_add(out, "_files -/");
	else if (a->files)
		text_add(out, "_files");
	else
		text_add_char(out, ' ');
}

static void
write_zsh(struct text *out)
{
	struct argument a = {0};
	text_add(out, "# zsh completion for trawl\n_trawl_arguments()\n{\n\t_arguments -s -S \\\n");
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		const char *join = !row->argument ? "" : row->optional ? "=-" : "=";
		text_add(out, "\t\t'*'");
		if (row->letter)
			text_addf(out, "{-%c%s,--%s%s}", row->letter, row->argument ? "+" : "",
				  row->name, join);
		else
			text_addf(out, "--%s%s", row->name, join);
		text_add(out, "\"[");
		add_quoted(out, row->help, "[]\\\"`$");
		if (row->argument) {
			argument_read(i, &a);
			text_addf(out, "]\"'%s%s:", row->optional ? "::" : ":", row->argument);
			add_zsh_action(&a, out);
		}
		text_add(out, row->argument ? "' \\\n" : "]\" \\\n");
	}
	text_add(out, "\t\t'*:capture:_files'\n}\n"
		      "compdef _trawl_arguments trawl\n");
	text_free(&a.values);
}

/* --- fish ------------------------------------------------------------------ */

static void
write_fish(struct text *out)
{
	struct argument a = {0};
	text_add(out, "# fish completion for trawl\n");
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		text_addf(out, "complete -c trawl -l %s", row->name);
		if (row->letter)
			text_addf(out, " -s %c", row->letter);
		if (row->argument) {
			argument_read(i, &a);
			if (!row->optional)
				text_add(out, a.files ? " -r -F" : " -x");
			if (a.folders)
				text_add(out, " -a '(__fish_complete_directories)'");
			else if (a.many && a.values.length)
				text_addf(out, " -a '(__fish_append , %s)'", text_get(&a.values));
			else if (a.values.length)
				text_addf(out, " -a '%s'", text_get(&a.values));
		}
		text_add(out, " -d '");
		add_quoted(out, row->help, "\\'");
		text_add(out, "'\n");
	}
	text_free(&a.values);
}

int
completion_write(const char *shell, struct text *out, struct err *err)
{
	static const struct {
		const char *name;
		void (*write)(struct text *out);
	} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(shell, shells[i].name) != 0)
			continue;
		shells[i].write(out);
		return 0;
	}
	return err_set(err, ERR_USAGE, "--completion is for bash, zsh or fish, not %s", shell);
}
