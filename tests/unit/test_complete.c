/* How much work Tab is where any name may stand: counted in calls of strcmp. */
#include "config.h"

#include "test.h"

#include "command/command.h"
#include "decode/registry.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "ui/complete.h"
#include "ui/list/list.h"
#include "ui/prompt/prompt.h"
#include "ui/screen/canvas.h"
#include "ui/screen/screen.h"

#include <string.h>

static size_t comparisons;

int __real_strcmp(const char *, const char *);
int __wrap_strcmp(const char *, const char *);

int
__wrap_strcmp(const char *a, const char *b)
{
	comparisons++;
	return __real_strcmp(a, b);
}

/* A screen with nothing but a prompt. */
struct fixture {
	struct session session;
	struct list list;
	struct prompt prompt;
	struct canvas canvas;
	struct screen screen;
};

static void
open_prompt(struct fixture *f, enum command_id id)
{
	*f = (struct fixture){0};
	f->screen.session = &f->session;
	f->screen.list = &f->list;
	f->screen.prompt = &f->prompt;
	canvas_resize(&f->canvas, 24, 80);
	prompt_open(&f->prompt, id);
}

static void
close_prompt(struct fixture *f)
{
	prompt_free(&f->prompt);
	canvas_free(&f->canvas);
}

/* Types Tab and paints. */
static void
press_tab(struct fixture *f)
{
	const struct area area = {0, 0, 24, 80};
	complete_next(&f->screen);
	complete_draw(&f->screen, &f->canvas, &area);
}

/* Rows of all field tables, each of which may have to be compared with a name. */
static size_t
count_fields(void)
{
	size_t count = 0;
	for (size_t i = 0; i < decoder_count; i++)
		count += decoders[i]->field_count;
	return count;
}

static size_t
count_names(void)
{
	char name[64];
	size_t next = 0, count = 0;
	while (filter_complete("", 0, &next, name))
		count++;
	return count;
}

static void
check_work(enum command_id id)
{
	struct fixture f;
	size_t names = count_names();
	open_prompt(&f, id);
	comparisons = 0;
	press_tab(&f);
	assert_string_equal(text_get(&f.prompt.text), "severity");
	assert_true(names > 100);
	/* the list is made for the prompt and for the screen, and a name is looked for among all
	 * fields at most twice: as one that came before, and as a column */
	assert_in_range(comparisons, 0, 4 * names * count_fields());
	close_prompt(&f);
}

static void
test_filter(void **state)
{
	(void)state;
	check_work(COMMAND_FILTER);
}

static void
test_highlight(void **state)
{
	(void)state;
	check_work(COMMAND_HIGHLIGHT);
}

static void
test_table(void **state)
{
	(void)state;
	check_work(COMMAND_TABLE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_filter),
	    cmocka_unit_test(test_highlight),
	    cmocka_unit_test(test_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
