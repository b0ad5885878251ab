/*
 * Makes an ITM capture and the list of rows that are right, for scripts and people:
 *
 *	mkitm SEED FILE ROWS [damaged] [NAME=VALUE...]
 *
 * SEED chooses all that no name sets: has (bits of enum itm_has), text_size, itms, framed,
 * packets, cuts, strays.  ROWS has a line for each: ID, begin and end in the file, time, text.
 */
#include "config.h"

#include "unit/itm_encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned *
member(struct itm_plan *plan, const char *name, size_t length)
{
	struct {
		const char *name;
		unsigned *value;
	} members[] = {
	    {"has", &plan->has},	 {"text_size", &plan->text_size}, {"itms", &plan->itms},
	    {"packets", &plan->packets}, {"cuts", &plan->cuts},		  {"strays", &plan->strays},
	    {"framed", &plan->framed},
	};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (strlen(members[i].name) == length && !strncmp(members[i].name, name, length))
			return members[i].value;
	return NULL;
}

int
main(int argc, char **argv)
{
	struct itm_made made;
	if (argc < 4) {
		fputs("usage: mkitm SEED FILE ROWS [damaged] [NAME=VALUE...]\n", stderr);
		return 2;
	}
	bool damaged = argc > 4 && !strcmp(argv[4], "damaged");
	struct itm_plan plan = itm_plan_random(strtoull(argv[1], NULL, 10), damaged);
	for (int i = 4 + damaged; i < argc; i++) {
		size_t length = strcspn(argv[i], "=");
		unsigned *value = member(&plan, argv[i], length);
		if (!value || !argv[i][length]) {
			fprintf(stderr, "mkitm: %s is no NAME=VALUE\n", argv[i]);
			return 2;
		}
		*value = (unsigned)strtoul(argv[i] + length + 1, NULL, 0);
	}
	if (plan.itms > ITM_MAX || !plan.itms || (plan.itms > 1 && !plan.framed)) {
		fputs("mkitm: several ITMs are in frames, and three at most\n", stderr);
		return 2;
	}
	itm_encode(&plan, &made);
	FILE *file = fopen(argv[2], "w"), *rows = fopen(argv[3], "w");
	if (!file || !rows)
		return perror("mkitm"), 1;
	fwrite(made.bytes.at, 1, made.bytes.count, file);
	for (size_t i = 0; i < made.rows.count; i++) {
		const struct itm_row *row = &made.rows.at[i];
		fprintf(rows, "%u\t%" PRIu64 "\t%" PRIu64 "\t", made.ids[row->itm], row->start,
			row->end);
		if (row->timed)
			fprintf(rows, "%" PRIu64, row->ticks);
		fprintf(rows, "\t%s\n", row->text);
	}
	itm_made_free(&made);
	return fclose(file) || fclose(rows);
}
