/*
 * Near names: optimal string alignment, see text_distance().
 */
#include "config.h"

#include "base/nearest.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { BEGINNING = 3 /* shortest beginning of a name that is no accident */ };

struct nearest
nearest_to(const char *word)
{
	return (struct nearest){.word = word, .least = strlen(word) / 2 + 1};
}

bool
nearest_is(struct nearest *nearest, const char *name)
{
	size_t length = strlen(nearest->word);
	bool begins = length >= BEGINNING && !strncmp(name, nearest->word, length);
	size_t distance = begins ? 0 : text_distance(nearest->word, name);
	if (distance >= nearest->least)
		return false;
	nearest->least = distance;
	return true;
}

struct nearest_hint
nearest_hint(const char *word, const char *(*next)(void *context, size_t at), void *context)
{
	struct nearest nearest = nearest_to(word);
	struct nearest_hint hint = {""};
	const char *name;
	for (size_t i = 0; (name = next(context, i)); i++)
		if (nearest_is(&nearest, name))
			snprintf(hint.text, sizeof hint.text, "; did you mean %s?", name);
	return hint;
}

const char *
nearest_hint_or(const struct nearest_hint *hint, const char *otherwise)
{
	return *hint->text ? hint->text : otherwise;
}

const char *
nearest_in_array(void *context, size_t at)
{
	return ((const char *const *)context)[at];
}
