/*
 * Names, palettes, and conversion to fewer colours: see colour.h.
 *
 * For 256 colours, the nearest entry wins among those that users do not
 * redefine.  With 8 or 16 entries, most light colours would be nearest to
 * white.  There the choice depends on which of red, green and blue a colour
 * contains.
 */
#include "config.h"

#include "ui/screen/colour.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { BASIC = 8, NAMED = 16, CUBE = 16, GREYS = 232, PALETTE = 256, GREY_SPREAD = 40 };

static const char *const names[BASIC] = {"black", "red",     "green", "yellow",
					 "blue",  "magenta", "cyan",  "white"};

static bool
parse_name(const char *text, struct colour *colour)
{
	static const char bright[] = "bright-";
	bool light = !strncmp(text, bright, sizeof bright - 1);
	const char *name = text + (light ? sizeof bright - 1 : 0);
	for (uint32_t i = 0; i < BASIC; i++) {
		if (!strcmp(name, names[i])) {
			*colour = (struct colour){COLOUR_PALETTE, i + (light ? BASIC : 0)};
			return true;
		}
	}
	return false;
}

static bool
parse_entry(const char *text, struct colour *colour)
{
	static const char prefix[] = "color";
	uint64_t entry;
	if (strncmp(text, prefix, sizeof prefix - 1) != 0 ||
	    !text_parse_uint(text + sizeof prefix - 1, PALETTE - 1, &entry))
		return false;
	*colour = (struct colour){COLOUR_PALETTE, (uint32_t)entry};
	return true;
}

static bool
parse_rgb(const char *text, struct colour *colour)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	if (*text != '#' || strlen(text) != 7 || strspn(text + 1, digits) != 6)
		return false;
	*colour = (struct colour){COLOUR_RGB, (uint32_t)strtoul(text + 1, NULL, 16)};
	return true;
}

bool
colour_parse(const char *text, struct colour *colour)
{
	*colour = (struct colour){COLOUR_OWN, 0};
	return !text || !strcmp(text, "default") || parse_name(text, colour) ||
	       parse_entry(text, colour) || parse_rgb(text, colour);
}

const char *
colour_next_name(void *unused, size_t i)
{
	(void)unused;
	return i < BASIC ? names[i] : NULL;
}

bool
colour_add_name(size_t i, struct text *out)
{
	if (i < NAMED)
		text_addf(out, "%s%s", i < BASIC ? "" : "bright-", names[i % BASIC]);
	return i < NAMED;
}

const char *
colour_check(const char *text, char buffer[static 256])
{
	struct colour colour;
	(void)buffer;
	return colour_parse(text, &colour)
		   ? NULL
		   : "default, black, red, green, yellow, blue, magenta, cyan or white, any of "
		     "them as bright-red, color0 to color255, or \"#rrggbb\"";
}

uint32_t
colour_of_palette(uint32_t entry)
{
	static const uint32_t named[NAMED] = {
	    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	static const uint32_t levels[] = {0, 95, 135, 175, 215, 255};
	if (entry < NAMED)
		return named[entry];
	if (entry >= GREYS)
		return (8 + 10 * (entry - GREYS)) * 0x010101;
	entry -= CUBE;
	return levels[entry / 36] << 16 | levels[entry / 6 % 6] << 8 | levels[entry % 6];
}

static int
colour_part(uint32_t rgb, int i)
{
	return (int)(rgb >> (16 - 8 * i) & 0xff);
}

static uint32_t
colour_nearest(uint32_t rgb)
{
	uint32_t best = CUBE;
	int least = INT32_MAX;
	for (uint32_t entry = CUBE; entry < PALETTE; entry++) {
		uint32_t other = colour_of_palette(entry);
		int distance = 0;
		for (int i = 0; i < 3; i++) {
			int step = colour_part(rgb, i) - colour_part(other, i);
			distance += step * step;
		}
		if (distance < least) {
			least = distance;
			best = entry;
		}
	}
	return best;
}

static struct colour
to_few(uint32_t rgb, int count, bool paired)
{
	int most = 0, least = 255;
	uint32_t entry = 0;
	for (int i = 0; i < 3; i++) {
		most = colour_part(rgb, i) > most ? colour_part(rgb, i) : most;
		least = colour_part(rgb, i) < least ? colour_part(rgb, i) : least;
	}
	if (most - least < GREY_SPREAD) {
		uint32_t grey = most < 128 ? 0 : 7;
		return paired ? (struct colour){COLOUR_PALETTE, grey}
			      : (struct colour){COLOUR_OWN, 0};
	}
	for (int i = 0; i < 3; i++)
		if (colour_part(rgb, i) > (most + least) / 2)
			entry |= 1u << i;
	if (count >= NAMED && most > 0xd0)
		entry += BASIC;
	return (struct colour){COLOUR_PALETTE, entry};
}

struct colour
colour_degrade(struct colour colour, int count, bool paired)
{
	if (colour.kind == COLOUR_OWN || count < BASIC)
		return (struct colour){COLOUR_OWN, 0};
	if (colour.kind == COLOUR_PALETTE && colour.value < (uint32_t)count)
		return colour;
	if (colour.kind == COLOUR_PALETTE && colour.value < NAMED)
		return (struct colour){COLOUR_PALETTE, colour.value - BASIC};
	uint32_t rgb = colour.kind == COLOUR_RGB ? colour.value : colour_of_palette(colour.value);
	if (count < PALETTE)
		return to_few(rgb, count, paired);
	return (struct colour){COLOUR_PALETTE, colour_nearest(rgb)};
}
