/*
 * Rows of a list that are made while the index is built.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "query/filter/filter.h"
#include "session/session.h"
#include "shares.h"
#include "ui/list/list.h"

#include <unistd.h>

enum { HEIGHT = 20, KNOWN = 10 };

static uint64_t limit; /* cells of the index that are known so far */

/* The linker puts the first of each in the place of the second. */
const struct decoded_cell *__wrap_reader_decoded_cell(struct reader *, uint64_t cell);
const struct decoded_cell *__real_reader_decoded_cell(struct reader *, uint64_t cell);
uint64_t __wrap_index_known(const struct index *);
uint64_t __real_index_known(const struct index *);
bool __wrap_index_cell(const struct index *, uint64_t cell, struct index_cell *);
bool __real_index_cell(const struct index *, uint64_t cell, struct index_cell *);
bool __wrap_index_restore(const struct index *, uint64_t cell, struct decode_state *, uint64_t *);
bool __real_index_restore(const struct index *, uint64_t cell, struct decode_state *, uint64_t *);

/* All becomes known after a cell was decoded without the index. */
const struct decoded_cell *
__wrap_reader_decoded_cell(struct reader *reader, uint64_t cell)
{
	const struct decoded_cell *decoded = __real_reader_decoded_cell(reader, cell);
	if (!decoded->exact)
		limit = UINT64_MAX;
	return decoded;
}

uint64_t
__wrap_index_known(const struct index *index)
{
	uint64_t known = __real_index_known(index);
	return known < limit ? known : limit;
}

bool
__wrap_index_cell(const struct index *index, uint64_t cell, struct index_cell *out)
{
	return cell < limit && __real_index_cell(index, cell, out);
}

bool
__wrap_index_restore(const struct index *index, uint64_t cell, struct decode_state *state,
		     uint64_t *first)
{
	return cell <= limit && __real_index_restore(index, cell, state, first);
}

/* Nothing in the capture tells where a message begins, so a cell far beyond the index is empty.
 * The index gets there between two cells that the list looks at for one row. */
static void
check_rows(const struct filter *filter)
{
	char path[] = "/tmp/test_list.XXXXXX";
	struct session session = {0};
	struct list list;
	struct err err = {0};
	shares_make(path, 1);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, "syst/raw", NULL, 0, &err);
	assert_non_null(trace);
	session_link(&session);
	trace_build(trace);
	limit = KNOWN;
	struct sequence *sequence = sequence_new(&session);
	list_open(&list, sequence, filter);
	list_resize(&list, HEIGHT);
	for (int tries = 0; tries < 100; tries++) {
		list_work(&list);
		list_settle(&list);
	}
	assert_int_equal(limit, UINT64_MAX);
	assert_true(list.rows.count >= HEIGHT);
	for (size_t i = 0; i < HEIGHT; i++) {
		bool exact;
		assert_int_equal(list_number(&list, row_position(list_row(&list, i)), &exact),
				 i + 1);
		assert_true(exact);
	}
	list_close(&list);
	sequence_free(sequence);
	session_close(&session);
	unlink(path);
}

static void
test_all(void **state)
{
	(void)state;
	const struct filter all = filter_all();
	check_rows(&all);
}

static void
test_filtered(void **state)
{
	(void)state;
	struct filter filter = filter_all();
	filter.severities = 1 << SEVERITY_INFO;
	check_rows(&filter);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all),
	    cmocka_unit_test(test_filtered),
	};
	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
