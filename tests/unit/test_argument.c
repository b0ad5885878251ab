/* Names of arguments: by argument.h's rule, worked out by hand. */
#include "config.h"

#include "test.h"

#include "decode/argument.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *format; /* up to the conversion, and its % */
	const char *name;
} names[] = {
    {"seq %", "seq"},
    {"frame=%", "frame"},
    {"x: %", "x"},
    {"%d mV, %", ""},
    {"%", ""},
    {"  %", ""},
    {"addr 0x%", "addr"},
    {"0x%", ""},
    {"a0x%", "a0x"},
    {"state '%", "state"},
    {"pos (%", "pos"},
    {"no_2 #%", "no_2"},
    {"2nd %", ""},
    {"Temp = %", "Temp"},
    {"und\xc3\xa9 %", ""},
    {"waits in %", ""},
    {"so And %", ""},
    {"inner %", "inner"},
    {"done. %", ""},
    {"a-b %", "b"},
    {"x%", "x"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa %", ""},
};

static void
test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *format = names[i].format;
		size_t length;
		const char *at = argument_find_name(format, strrchr(format, '%'), &length);
		char name[ARGUMENT_NAME_MAX + 1];
		snprintf(name, sizeof name, "%.*s", (int)length, at);
		assert_string_equal(name, names[i].name);
	}
	/* what belongs to the conversion before is no word */
	static const char two[] = "seq %d%d";
	size_t length;
	argument_find_name(two + 6, two + 6, &length);
	assert_int_equal(length, 0);
}

static const struct field_row row = {"arg", FIELD_UINT, "an argument", .argument = true};

static void
add(struct expansion *e, size_t number, const char *name, uint64_t value)
{
	struct field *field = expansion_add(e, &row, FIELD_NOWHERE, 0, 0);
	field->u = value;
	argument_set_name(e, field, number, name, strlen(name), "%u", 2);
}

static void
test_find(void **state)
{
	(void)state;
	struct expansion e = {0};
	add(&e, 1, "seq", 70);
	add(&e, 2, "", 5);
	add(&e, 3, "seq", 71);
	assert_int_equal(argument_find(&e, "seq")->u, 70);
	assert_int_equal(argument_find(&e, "1")->u, 70);
	assert_int_equal(argument_find(&e, "2")->u, 5);
	assert_int_equal(argument_find(&e, "3")->u, 71);
	assert_null(argument_find(&e, "4"));
	assert_null(argument_find(&e, "0"));
	assert_null(argument_find(&e, "2x"));
	assert_null(argument_find(&e, "99999999999999999999999"));
	assert_null(argument_find(&e, ""));
	assert_null(argument_find(&e, "other"));
	assert_string_equal(e.fields.at[0].label, "seq %u");
	assert_string_equal(e.fields.at[1].label, "arg.2 %u");
	assert_string_equal(e.fields.at[2].label, "arg.3 %u");
	expansion_free(&e);
}

/* A message has at most so many names; numbers go on. */
static void
test_many(void **state)
{
	(void)state;
	struct expansion e = {0};
	for (size_t i = 1; i <= 1000; i++) {
		char name[16];
		snprintf(name, sizeof name, "n%zu", i);
		add(&e, i, name, i);
	}
	assert_int_equal(argument_find(&e, "n64")->u, 64);
	assert_null(argument_find(&e, "n65"));
	assert_int_equal(argument_find(&e, "1000")->u, 1000);
	assert_string_equal(e.fields.at[999].label, "arg.1000 %u");
	expansion_free(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_find),
	    cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
