/* Filter terms on executed instructions: `depth` and `target`, which need the program, and sums
 * of runs. See filter_tree.h. */
#include "config.h"

#include "query/filter/filter_tree.h"
#include "query/flow/flow_cursor.h"
#include "session/flows.h"
#include "session/session.h"

/* Report an error if no program is loaded: no message could pass. */
static int
need_program(struct filter_build *build, const struct filter_leaf *leaf)
{
	const char *why;
	if (!build->session || flows_any(build->session, &why))
		return 0;
	return filter_fail(build, leaf->word.at,
			   "%s of a call is not known%s%s; arg.%s is an argument", leaf->word.text,
			   why ? ": " : "", why ? why : "", leaf->word.text);
}

int
filter_resolve_depth(struct filter_build *build, struct filter_leaf *leaf)
{
	int failed = need_program(build, leaf);
	return failed ? failed : filter_resolve_number(build, leaf);
}

int
filter_resolve_target(struct filter_build *build, struct filter_leaf *leaf)
{
	int failed = need_program(build, leaf);
	return failed ? failed : filter_resolve_text(build, leaf);
}

static struct flow_cursor *
cursor_of(struct filter_look *look)
{
	if (!look->expr->flow)
		look->expr->flow = flow_cursor_new();
	return look->expr->flow;
}

static const struct flow_mark *
mark_of(struct filter_look *look)
{
	return flow_cursor_find(cursor_of(look), look->reader, look->m);
}

bool
filter_test_depth(struct filter_look *look, const struct filter_leaf *leaf)
{
	const struct flow_mark *mark = mark_of(look);
	return mark && filter_number_fits(leaf, mark->depth);
}

bool
filter_test_target(struct filter_look *look, const struct filter_leaf *leaf)
{
	const struct flow_mark *mark = mark_of(look);
	struct text *scratch = &look->expr->scratch;
	if (!mark || !mark->has_target)
		return false;
	text_clear(scratch);
	flow_add_address(look->bound->trace, mark->target, scratch);
	return filter_text_fits(look, leaf, text_get(scratch), scratch->length);
}

bool
filter_test_run_instructions(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct run_sums run;
	return flow_cursor_run(cursor_of(look), look->reader, look->m, &run) && run.instructions &&
	       filter_number_fits(leaf, run.instructions);
}

bool
filter_test_run_cycles(struct filter_look *look, const struct filter_leaf *leaf)
{
	struct run_sums run;
	return flow_cursor_run(cursor_of(look), look->reader, look->m, &run) && run.instructions &&
	       filter_number_fits(leaf, run.cycles);
}
