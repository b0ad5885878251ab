/* A terminal's reply about its background, one character at a time: see background.h. */
#include "config.h"

#include "ui/screen/background.h"

#include <string.h>

enum { PARTS = 3, BEL = '\a', ESC = '\033' };

static const char start[] = "]11;rgb";

static int
digit_value(char c)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;
	int value = at ? (int)(at - digits) : -1;
	return value > 15 ? value - 6 : value;
}

/* True if the colour parts from AT on are light: nearer to white than to black, with the weights
 * of the eye for red, green and blue. */
static bool
is_light(const char *at)
{
	static const int weights[PARTS] = {299, 587, 114};
	int sum = 0;
	for (int i = 0; i < PARTS; i++) {
		int value = 0, most = 0;
		for (; digit_value(*at) >= 0; at++) {
			value = value * 16 + digit_value(*at);
			most = most * 16 + 15;
		}
		sum += most ? weights[i] * value / most : 0;
		at += *at == '/';
	}
	return sum >= 500;
}

/* True if CHARACTER may follow the held ones. */
static bool
may_follow(const struct background *b, uint32_t character)
{
	size_t before = sizeof start - 1;
	char last = b->length ? b->held[b->length - 1] : '\0';
	if (b->length < before)
		return character == (uint32_t)start[b->length];
	if (last == ESC)
		return character == '\\';
	if (b->length == before)
		return character == ':' || character == 'a'; /* rgba, with a fourth part */
	return character == BEL || character == ESC || character == '/' || character == ':' ||
	       (character < 0x80 && digit_value((char)character) >= 0);
}

enum background_step
background_take(struct background *b, uint32_t character)
{
	if (b->length + 1 >= sizeof b->held || !may_follow(b, character))
		return BACKGROUND_NONE;
	b->held[b->length++] = (char)character;
	if (character != BEL && character != '\\')
		return BACKGROUND_HELD;
	b->held[b->length] = '\0';
	const char *parts = strchr(b->held, ':');
	b->light = parts && is_light(parts + 1);
	b->answered = true;
	b->asked = false;
	b->length = 0;
	return BACKGROUND_DONE;
}
