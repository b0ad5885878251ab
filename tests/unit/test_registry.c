/*
 * What the tables of the decoders say by name is there: a field that is not, or a filter
 * that cannot be read, would be passed over in silence.
 */
#include "config.h"

#include "test.h"

#include "decode/clock_source.h"
#include "decode/registry.h"
#include "query/filter/filter.h"

#include <string.h>

static bool
has_field(const struct decoder_ops *ops, const char *name)
{
	for (size_t i = 0; i < ops->field_count; i++)
		if (ops->fields[i].name && !strcmp(ops->fields[i].name, name))
			return true;
	return false;
}

static bool
has_kind(const struct decoder_ops *ops, const char *name)
{
	for (size_t i = 0; i < ops->kind_count; i++)
		if (!strcmp(ops->kinds[i].name, name))
			return true;
	return false;
}

static void
test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < decoder_count; i++) {
		assert_ptr_equal(decoder_find(decoder_name(decoders[i])), decoders[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(decoder_name(decoders[k]),
						decoder_name(decoders[i]));
	}
}

static void
test_contexts(void **state)
{
	(void)state;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		for (size_t k = 0; k < ops->context_count; k++) {
			const struct context_row *row = &ops->contexts[k];
			assert_non_null(row->name);
			assert_true(has_field(ops, row->field));
			assert_true(!row->type || has_kind(ops, row->type));
			assert_true(!row->key == !row->value);
			assert_true(!row->key || has_field(ops, row->key));
		}
		assert_true(!ops->alike || has_field(ops, ops->alike));
	}
}

static void
check_filter(const char *text)
{
	struct filter_error error;
	struct filter_expr *expr = filter_parse(text, NULL, &error);
	assert_non_null(expr);
	filter_expr_free(expr);
}

/* The filter of all formats is made of those of each. */
static void
test_filters(void **state)
{
	(void)state;
	check_filter(decoder_triggers());
	check_filter(decoder_unnamed());
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (ops->trigger) {
			check_filter(ops->trigger);
			assert_non_null(strstr(decoder_triggers(), ops->trigger));
		}
		if (ops->unnamed) {
			check_filter(ops->unnamed);
			assert_non_null(strstr(decoder_unnamed(), ops->unnamed));
		}
	}
}

static void
test_clocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct clock_source *source = decoders[i]->clocks;
		if (!source)
			continue;
		assert_non_null(source->read);
		assert_non_null(source->link);
		assert_true(source->kinds);
		assert_true(!source->rate_apart || !source->bits_b);
		assert_true(source->bits_b < 64 && (!source->bits_b || source->matched));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_contexts),
	    cmocka_unit_test(test_filters),
	    cmocka_unit_test(test_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
