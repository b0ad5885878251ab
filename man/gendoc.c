/*
 * Print a part of the manual from the program's own tables.
 *
 *	gendoc PART
 *
 * The manual pages carry the parts between markers; `make man` renews them
 * (man/splice.awk) and tests/check_man.sh fails when they are out of date.  A
 * new part is a function here and a line in `parts`.
 */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "command/cli.h"
#include "command/command.h"
#include "command/keymap.h"
#include "config/builtin.h"
#include "config/schema.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/check.h"
#include "session/session.h"
#include "ui/notebook.h"
#include "ui/screen/signs.h"
#include "ui/own.h"
#include "ui/screen/theme.h"
#include "ui/list/view.h"

/* Print TEXT so that roff shows it unchanged. */
static void
print(const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

/* Print a sentence of help on its own line.  \& keeps a leading dot from being a request. */
static void
print_help(const char *help)
{
	printf("\\&%c", toupper((unsigned char)*help));
	print(*help ? help + 1 : help);
	size_t length = strlen(help);
	puts(length && help[length - 1] == '.' ? "" : ".");
}

static void
print_bold(const char *before, const char *text)
{
	printf("%s\\fB", before);
	print(text);
	fputs("\\fR", stdout);
}

static void
print_options(void)
{
	const char *section = "";
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		if (strcmp(section, row->section) != 0)
			printf(".SS %s\n", section = row->section);
		puts(".TP");
		if (row->letter) {
			print_bold("", (char[]){'-', row->letter, '\0'});
			fputs(", ", stdout);
		}
		fputs("\\fB\\-\\-", stdout);
		print(row->name);
		fputs("\\fR", stdout);
		if (row->argument) {
			fputs(row->optional ? "[=\\fI" : "=\\fI", stdout);
			print(row->argument);
			fputs(row->optional ? "\\fR]" : "\\fR", stdout);
		}
		putchar('\n');
		print_help(row->help);
	}
}

static void
print_commands(void)
{
	int group = -1;
	struct keymap map = {0};
	struct text keys = {0};
	keymap_standard(&map);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = &commands[i];
		text_clear(&keys);
		keymap_keys(&map, (enum command_id)i, &keys);
		if (group != (int)command->group)
			printf(".SS %s\n", command_group_title(command->group));
		group = (int)command->group;
		puts(".TP");
		print_bold("", text_get(&keys));
		print_bold(keys.length ? "  :" : ":", command->name);
		putchar('\n');
		print_help(command->help);
	}
	puts(".SS Other names");
	for (size_t i = 0; i < command_alias_count; i++) {
		puts(".TP");
		print_bold(":", command_aliases[i].name);
		putchar('\n');
		print_bold(":", commands[command_aliases[i].id].name);
		putchar('\n');
	}
	text_free(&keys);
	keymap_free(&map);
}

static void
print_habits(void)
{
	struct keymap map = {0};
	struct text hint = {0};
	keymap_standard(&map);
	for (size_t i = 0; i < habit_count; i++) {
		const struct habit *habit = &habits[i];
		puts(".TP");
		print_bold("", habit->keys);
		printf(" (%s)\n", habit->meaning);
		if (habit->here < COMMAND_COUNT)
			print_bold("Here ", commands[habit->here].name);
		else
			fputs("Here nothing", stdout);
		if (habit->instead < COMMAND_COUNT) {
			text_clear(&hint);
			keymap_hint(&map, habit->instead, &hint);
			print_bold("; press ", hint.data);
			print_bold(" for ", commands[habit->instead].name);
		}
		puts(".");
	}
	for (size_t i = 0; i < habit_line_count; i++) {
		puts(".TP");
		print_bold(":", habit_lines[i].line);
		printf(" (%s)\n", habit_lines[i].meaning);
		print_help(habit_lines[i].instead);
	}
	text_free(&hint);
	keymap_free(&map);
}

static void
print_signs(void)
{
	for (int i = 0; i < SIGN_COUNT; i++) {
		puts(".TP");
		print_bold("", signs[i].text);
		printf(" (%s)\n", signs[i].where);
		print_help(signs[i].help);
	}
}

static void
print_formats(void)
{
	for (size_t i = 0; i < decoder_count; i++) {
		puts(".TP");
		print_bold("", decoder_name(decoders[i]));
		putchar('\n');
		print_help(decoders[i]->help);
	}
}

static void
print_exports(void)
{
	for (size_t i = 0; i < export_format_count; i++) {
		puts(".TP");
		print_bold("", export_formats[i].name);
		putchar('\n');
		print_help(export_formats[i].help);
	}
}

/* Print a field once if several decoders of a format share it. */
static void
print_fields(void)
{
	const struct field_row *before = NULL;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (ops->fields == before)
			continue;
		before = ops->fields;
		printf(".SS %s\n", ops->format);
		for (size_t k = 0; k < ops->field_count; k++) {
			puts(".TP");
			print_bold("", ops->fields[k].name);
			putchar('\n');
			print_help(ops->fields[k].help);
		}
	}
}

/* Print the reasons why bits of a format belong to no message. */
static void
print_silent(void)
{
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (ops->silent_count)
			printf(".SS %s\n", decoder_name(ops));
		for (size_t k = 0; k < ops->silent_count; k++) {
			puts(".TP");
			print_bold("", ops->silent[k].name);
			putchar('\n');
			print_help(ops->silent[k].help);
		}
	}
}

static void
print_choices(const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		print_bold(i ? " | " : " ", choices[i]);
}

/* Tables of structs that are already printed: each is printed once. */
struct printed {
	const struct option_table *table[64];
	size_t count;
};

static bool
was_printed(const struct printed *printed, const struct option_table *table)
{
	for (size_t i = 0; i < printed->count; i++)
		if (printed->table[i] == table)
			return true;
	return false;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* True if the help of A is that of B, the row before it. */
static bool
says_the_same(const struct option_row *a, const struct option_row *b)
{
	return !a->table && !a->choices && !b->choices && same_text(a->help, b->help) &&
	       same_text(a->default_text, b->default_text);
}

/* True if TABLE has a row with the same name and the same help. */
static bool
has_row(const struct option_table *table, const struct option_row *row)
{
	const struct option_row *other = option_find(table, row->name);
	return other && same_text(other->help, row->help);
}

/* Return the struct in PARENT with more than MANY of a list element's keys, or NULL. */
static const struct option_row *
shared_row(const struct option_table *parent, const struct option_table *element)
{
	enum { MANY = 8 };
	for (size_t i = 0; parent && i < parent->count; i++) {
		const struct option_row *row = &parent->rows[i];
		size_t count = 0;
		for (size_t k = 0; row->type == OPTION_STRUCT && k < row->table->count; k++)
			count += row->table != element && has_row(element, &row->table->rows[k]);
		if (count > MANY)
			return row;
	}
	return NULL;
}

static void
print_row_head(const struct option_row *row)
{
	print_bold("", row->name);
	putchar(':');
	if (row->type == OPTION_CHOICE)
		print_choices(row->choices);
	if (row->default_text) {
		fputs(" (default ", stdout);
		print(row->default_text);
		putchar(')');
	}
}

/* Print the rows of TABLE.  Keys that a struct of PARENT has too share one entry, and so do
 * neighbours with the same help. */
static void
print_rows(const struct option_table *table, const struct option_table *parent,
	   struct printed *printed)
{
	const struct option_row *shared = parent ? shared_row(parent, table) : NULL;
	printed->table[printed->count++] = table;
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		if (!row->help || (shared && has_row(shared->table, row)))
			continue; /* printed with the parent */
		puts(".TP");
		for (; i + 1 < table->count && says_the_same(row, row + 1); row++, i++) {
			print_bold("", row->name);
			fputs(", ", stdout);
		}
		print_row_head(row);
		putchar('\n');
		print_help(row->help);
		if (row->table && was_printed(printed, row->table)) {
			puts("Its keys are those above.");
		} else if (row->table) {
			puts(".RS");
			print_rows(row->table, row->type == OPTION_LIST ? table : NULL, printed);
			puts(".RE");
		}
	}
	if (!shared)
		return;
	puts(".TP");
	const char *before = "";
	for (size_t i = 0; i < table->count; i++) {
		if (!has_row(shared->table, &table->rows[i]))
			continue;
		print_bold(before, table->rows[i].name);
		before = ", ";
	}
	printf(":\nAs the keys of that name in\n.BR %s: ,\nfor this one alone.\n", shared->name);
}

static void
print_table(const struct option_table *table)
{
	struct printed printed = {0};
	print_rows(table, NULL, &printed);
}

static void
print_profile(void)
{
	print_table(profile_options_table());
}

static void
print_view(void)
{
	print_table(&view_options_table);
}

static void
print_own(void)
{
	print_table(&own_options_table);
}

/* Print the roles, then once the properties that each can have. */
static void
print_theme(void)
{
	const struct option_table *table = &theme_options_table;
	for (size_t i = 0; i < table->count; i++) {
		puts(".TP");
		print_bold("", table->rows[i].name);
		puts(":");
		print_help(table->rows[i].help);
	}
	puts(".SS Looks of a role");
	print_table(table->rows[0].table);
}

static void
print_session(void)
{
	print_table(&notebook_options_table);
}

/* What each shipped file of keys changes. */
static void
print_keymaps(void)
{
	for (size_t i = 0; i < builtin_file_count; i++) {
		const struct builtin_file *file = &builtin_files[i];
		struct option_table alone = keymap_options_table; /* not over the defaults */
		struct keymap_options options = {0};
		struct err err = {0};
		alone.merge = NULL;
		if (strncmp(file->name, "keys/", 5) != 0)
			continue;
		if (schema_load_text(file->name, file->text, strlen(file->text), &alone, &options,
				     &err) < 0) {
			fprintf(stderr, "%s\n", err.what);
			exit(1);
		}
		printf(".SS %.*s\n", (int)strcspn(file->name + 5, "."), file->name + 5);
		for (int c = 0; c < COMMAND_COUNT; c++) {
			if (!options.keys[c])
				continue;
			puts(".TP");
			print_bold("", commands[c].name);
			fputs("\n\\&", stdout);
			print(options.keys[c]);
			putchar('\n');
		}
		option_release(&keymap_options_table, &options);
	}
}

static void
print_filter(void)
{
	struct filter_help row;
	for (size_t i = 0; filter_help(i, &row); i++) {
		puts(".TP");
		print_bold("", row.name);
		printf(" (%s)\n", row.type);
		print_help(row.help);
	}
}

static void
print_checks(void)
{
	const char *name, *help;
	for (size_t i = 0; check_help(i, &name, &help); i++) {
		puts(".TP");
		print_bold("", name);
		putchar('\n');
		print_help(help);
	}
}

static const struct {
	const char *name;
	void (*print)(void);
} parts[] = {
    {"options", print_options}, {"commands", print_commands}, {"formats", print_formats},
    {"exports", print_exports}, {"fields", print_fields},     {"filter", print_filter},
    {"checks", print_checks},	{"profile", print_profile},   {"view", print_view},
    {"own", print_own},		{"theme", print_theme},	      {"keymaps", print_keymaps},
    {"session", print_session}, {"habits", print_habits},     {"signs", print_signs},
    {"silent", print_silent},
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++) {
		if (strcmp(argv[1], parts[i].name) != 0)
			continue;
		parts[i].print();
		return 0;
	}
	fprintf(stderr, "usage: gendoc PART\nparts:");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		fprintf(stderr, " %s", parts[i].name);
	fputc('\n', stderr);
	return 2;
}
