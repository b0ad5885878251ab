/* PCRE2 behind four functions: see regex.h. */
#include "config.h"

#include "base/regex.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	bool limited;
};

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 20000 };

static bool
has_capital(const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1])
			p++; /* \S and \W are not capitals */
		else if (*p >= 'A' && *p <= 'Z')
			return true;
	}
	return false;
}

static bool
has_high_byte(const char *pattern)
{
	for (const char *p = pattern; *p; p++)
		if ((unsigned char)*p >= 0x80)
			return true;
	return false;
}

struct regex *
regex_new(const char *pattern, unsigned flags, struct err *err)
{
	size_t at;
	struct err own;
	struct regex *regex = regex_new_at(pattern, flags, &at, &own);
	if (!regex)
		err_set(err, own.code, "%s at character %zu of /%s/", own.what, at + 1, pattern);
	return regex;
}

struct regex *
regex_new_at(const char *pattern, unsigned flags, size_t *at, struct err *err)
{
	uint32_t options = PCRE2_NEVER_BACKSLASH_C;
	if ((flags & REGEX_IGNORE_CASE) || ((flags & REGEX_SMART_CASE) && !has_capital(pattern)))
		options |= PCRE2_CASELESS;
	if (has_high_byte(pattern))
		options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;

	int code;
	pcre2_code *compiled =
	    pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &code, at, NULL);
	if (!compiled) {
		PCRE2_UCHAR why[160];
		pcre2_get_error_message(code, why, sizeof why);
		err_set(err, ERR_USAGE, "%s", (char *)why);
		return NULL;
	}
	pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* slower without */

	struct regex *regex = mem_new(sizeof *regex);
	regex->code = compiled;
	regex->match = pcre2_match_data_create(1, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->match || !regex->context)
		abort();
	pcre2_set_match_limit(regex->context, MATCH_LIMIT);
	pcre2_set_depth_limit(regex->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
	return regex;
}

void
regex_free(struct regex *regex)
{
	if (!regex)
		return;
	pcre2_match_context_free(regex->context);
	pcre2_match_data_free(regex->match);
	pcre2_code_free(regex->code);
	free(regex);
}

bool
regex_find(struct regex *regex, const char *subject, size_t length, size_t from, size_t *start,
	   size_t *end)
{
	if (from > length)
		return false;
	int got = pcre2_match(regex->code, (PCRE2_SPTR)subject, length, from, 0, regex->match,
			      regex->context);
	if (got < 0) {
		if (got != PCRE2_ERROR_NOMATCH && got != PCRE2_ERROR_PARTIAL)
			regex->limited = true;
		return false;
	}
	PCRE2_SIZE *range = pcre2_get_ovector_pointer(regex->match);
	*start = range[0];
	*end = range[1] < range[0] ? range[0] : range[1]; /* \K in a lookahead */
	return true;
}

bool
regex_limited(const struct regex *regex)
{
	return regex->limited;
}
