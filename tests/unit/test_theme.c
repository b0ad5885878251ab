/*
 * Colours: their names, what few colours make of many, and that the shipped
 * themes can be read.  Contrast is that of WCAG 2.1, "contrast ratio" and
 * "relative luminance"; the palette is computed from the xterm project's
 * 256colres.pl, its first colours from XTerm-col.ad.
 */
#include "config.h"

#include "test.h"

#include "config/files.h"
#include "ui/screen/colour.h"
#include "ui/screen/theme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the standard ------------------------------------------------------ */

struct rgb {
	int r, g, b;
};

static struct rgb
xterm(unsigned i)
{
	static const struct rgb first[] = {
	    {0, 0, 0},	     {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
	    {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	    {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
	    {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
	};
	if (i < 16)
		return first[i];
	if (i >= 232) {
		int level = ((int)i - 232) * 10 + 8;
		return (struct rgb){level, level, level};
	}
	int r = (int)(i - 16) / 36, g = (int)(i - 16) / 6 % 6, b = (int)(i - 16) % 6;
	return (struct rgb){r ? r * 40 + 55 : 0, g ? g * 40 + 55 : 0, b ? b * 40 + 55 : 0};
}

static double
linear(int value)
{
	double c = value / 255.0;
	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(struct rgb c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double
contrast(struct rgb a, struct rgb b)
{
	double x = luminance(a), y = luminance(b);
	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

static const struct rgb white = {255, 255, 255}, black = {0, 0, 0}, grey = {0x2e, 0x34, 0x36};

/* --- tests ------------------------------------------------------------- */

static void
test_standard(void **state)
{
	(void)state;
	assert_true(fabs(contrast(white, black) - 21) < 1e-9); /* WCAG's own example */
	assert_true(fabs(contrast((struct rgb){0x77, 0x77, 0x77}, white) - 4.48) < 0.005);
	for (unsigned i = 0; i < 256; i++) {
		struct rgb c = xterm(i);
		assert_int_equal(colour_of_palette(i), c.r << 16 | c.g << 8 | c.b);
	}
}

static void
test_names(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		struct colour colour;
	} good[] = {
	    {NULL, {COLOUR_OWN, 0}},
	    {"default", {COLOUR_OWN, 0}},
	    {"black", {COLOUR_PALETTE, 0}},
	    {"white", {COLOUR_PALETTE, 7}},
	    {"bright-red", {COLOUR_PALETTE, 9}},
	    {"color0", {COLOUR_PALETTE, 0}},
	    {"color255", {COLOUR_PALETTE, 255}},
	    {"#ff8700", {COLOUR_RGB, 0xff8700}},
	    {"#00000A", {COLOUR_RGB, 10}},
	};
	static const char *const bad[] = {
	    "",	      "pink",	 "color256", "color", "color-1", "#ff870", "#ff87000", "#gg0000",
	    "bright", "bright-", "Red",	     "#",     "colour3", "ff8700", "color1x",  "default "};
	struct colour colour;
	char buffer[256];
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(colour_parse(good[i].text, &colour));
		assert_int_equal(colour.kind, good[i].colour.kind);
		assert_int_equal(colour.value, good[i].colour.value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(colour_parse(bad[i], &colour));
		assert_non_null(colour_check(bad[i], buffer));
	}
}

static void
test_degrade(void **state)
{
	(void)state;
	static const struct {
		struct colour from;
		int count;
		bool paired;
		struct colour to;
	} rows[] = {
	    {{COLOUR_OWN, 0}, 256, false, {COLOUR_OWN, 0}},
	    {{COLOUR_PALETTE, 200}, 256, false, {COLOUR_PALETTE, 200}},
	    {{COLOUR_RGB, 0xff8700}, 256, false, {COLOUR_PALETTE, 208}},
	    {{COLOUR_RGB, 0x808080}, 256, false, {COLOUR_PALETTE, 244}},
	    {{COLOUR_PALETTE, 9}, 8, false, {COLOUR_PALETTE, 1}},
	    {{COLOUR_PALETTE, 210}, 8, false, {COLOUR_PALETTE, 1}}, /* light red is red */
	    {{COLOUR_PALETTE, 210}, 16, false, {COLOUR_PALETTE, 9}},
	    {{COLOUR_PALETTE, 221}, 8, false, {COLOUR_PALETTE, 3}},
	    {{COLOUR_RGB, 0x000087}, 16, false, {COLOUR_PALETTE, 4}},
	    {{COLOUR_PALETTE, 248}, 8, false, {COLOUR_OWN, 0}}, /* else unseen on white */
	    {{COLOUR_PALETTE, 231}, 8, true, {COLOUR_PALETTE, 7}},
	    {{COLOUR_PALETTE, 16}, 8, true, {COLOUR_PALETTE, 0}},
	    {{COLOUR_PALETTE, 1}, -1, false, {COLOUR_OWN, 0}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct colour to = colour_degrade(rows[i].from, rows[i].count, rows[i].paired);
		assert_int_equal(to.kind, rows[i].to.kind);
		assert_int_equal(to.value, rows[i].to.value);
	}
}

static struct rgb
rgb_of(const char *text)
{
	struct colour colour;
	assert_true(colour_parse(text, &colour));
	if (colour.kind == COLOUR_PALETTE)
		return xterm(colour.value);
	return (struct rgb){(int)(colour.value >> 16), (int)(colour.value >> 8 & 0xff),
			    (int)(colour.value & 0xff)};
}

static void
load_theme(const char *name, struct theme *theme)
{
	struct err err;
	option_defaults(&theme_options_table, theme);
	assert_int_equal(files_merge("themes", name, &theme_options_table, theme, &err), 0);
}

/* That each role can be read, on its own background or on all of those of the
 * theme; returns how many have a colour. */
static unsigned
check_theme(const char *name, double least, const struct rgb *grounds, size_t count)
{
	struct theme theme;
	unsigned coloured = 0;
	load_theme(name, &theme);
	for (int i = 0; i < ROLE_COUNT; i++) {
		const struct style *style = &theme.styles[i];
		const char *role = theme_options_table.rows[i].name;
		if (!style->fg && !style->bg)
			continue;
		coloured++;
		assert_non_null(style->fg); /* no background without a colour on it */
		if (!style->bg && !count)
			fail_msg("%s: %s has no background", name, role);
		struct rgb fg = rgb_of(style->fg);
		for (size_t g = 0; g < (style->bg ? 1 : count); g++) {
			double ratio = contrast(fg, style->bg ? rgb_of(style->bg) : grounds[g]);
			if (ratio < least)
				fail_msg("%s: %s: contrast %.2f", name, role, ratio);
		}
	}
	option_release(&theme_options_table, &theme);
	return coloured;
}

static void
test_contrast(void **state)
{
	(void)state;
	const struct rgb dark[] = {black, grey};
	assert_true(check_theme("light", 4.5, &white, 1) > 5);
	assert_true(check_theme("dark-256", 4.5, dark, 2) > 10);
	assert_true(check_theme("high-contrast", 7, NULL, 0) > 5);
	assert_int_equal(check_theme("mono", 21, NULL, 0), 0);
}

/* What is worst stands out without colour too; a warning by its letter. */
static void
test_severities(void **state)
{
	(void)state;
	static const char *const names[] = {"default", "light", "dark-256", "mono",
					    "high-contrast"};
	static const enum role loud[] = {ROLE_FATAL, ROLE_FATAL_LETTER, ROLE_ERROR_LETTER};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		struct theme theme;
		load_theme(names[n], &theme);
		for (size_t i = 0; i < 3; i++) {
			const struct style *style = &theme.styles[loud[i]];
			assert_true(style->bold || style->underline || style->reverse || style->bg);
		}
		const struct style *warning = &theme.styles[ROLE_WARNING];
		assert_true(warning->fg || warning->underline);
		option_release(&theme_options_table, &theme);
	}
}

/* Traces look different from each other, unlike errors and losses, in every theme
 * that has colours; without colours they look as usual. */
static void
test_traces(void **state)
{
	(void)state;
	static const char *const names[] = {"default", "light", "dark-256", "high-contrast",
					    "mono"};
	static const enum role roles[] = {ROLE_TRACE1, ROLE_TRACE2, ROLE_TRACE3, ROLE_TRACE4,
					  ROLE_TRACE5, ROLE_TRACE6, ROLE_ERROR,	 ROLE_FATAL,
					  ROLE_LOSS,   ROLE_ABSENT};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		struct theme theme;
		struct text looks[sizeof roles / sizeof *roles] = {0};
		load_theme(names[n], &theme);
		for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
			const struct style *s = &theme.styles[roles[i]];
			text_addf(&looks[i], "%s on %s%s%s%s%s", s->fg ? s->fg : "own",
				  s->bg ? s->bg : "own", s->bold ? " b" : "", s->dim ? " d" : "",
				  s->underline ? " u" : "", s->reverse ? " r" : "");
			for (size_t k = 0; k < i && k < 6 && strcmp(names[n], "mono") != 0; k++)
				if (!strcmp(looks[i].data, looks[k].data))
					fail_msg("%s: two look like %s", names[n], looks[i].data);
			if (i < 6 && !strcmp(names[n], "mono"))
				assert_string_equal(looks[i].data, "own on own");
		}
		for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
			text_free(&looks[i]);
		option_release(&theme_options_table, &theme);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard),   cmocka_unit_test(test_names),
	    cmocka_unit_test(test_degrade),    cmocka_unit_test(test_contrast),
	    cmocka_unit_test(test_severities), cmocka_unit_test(test_traces),
	};
	return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
