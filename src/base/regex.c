/*
 * A small interface to PCRE2: see regex.h.
 *
 * All references share the compiled pattern, which never changes.  The first match of a reference
 * allocates its work space, so an unused reference costs nothing.  Freeing a reference keeps it
 * for the next regex_share().  Sharing once for each message thus allocates nothing.
 */
#include "config.h"

#include "base/regex.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct regex_code {
	pcre2_code *code;
	bool plain; /* compiled to machine code, matches bytes */
	bool utf;
	atomic_uint references;
	_Atomic(struct regex *) spare; /* a freed reference, for the next regex_share() */
};

struct regex {
	struct regex_code *shared;
	const pcre2_code *code;	 /* same as shared->code */
	unsigned spans;		 /* recorded for a match: its own, then those of groups */
	pcre2_match_data *match; /* made by the first match, as is `context` */
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* made when the default one is too small, or NULL */
	uint32_t limit;		/* of `context` */
};

/* One count for all.  A pattern has a copy in each thread, but users only want the total. */
static atomic_uint_least64_t given_up;

enum {
	MATCH_LIMIT = 1000000,
	MATCH_LIMIT_SHORT = 100000, /* below 1 KiB; 0.2 ms or so */
	DEPTH_LIMIT = 10000,
	HEAP_LIMIT_KIB = 20000,
	STACK_START = 64 * 1024, /* bytes, for compiled patterns */
	STACK_MAX = 16 * 1024 * 1024
};

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

size_t
regex_find_slash(const char *text, size_t at)
{
	while (text[at] && text[at] != '/')
		at += text[at] == '\\' && text[at + 1] ? 2 : 1;
	return at;
}

const char *
regex_split(const char *typed, size_t *length, unsigned *flags)
{
	size_t slash = 0, first = regex_find_slash(typed, 0);
	for (size_t at = first; typed[at]; at = regex_find_slash(typed, at + 1))
		slash = at;
	const char *suffix = typed + slash + 1;
	*flags = REGEX_SMART_CASE;
	*length = strlen(typed);
	if (!slash || (strcmp(suffix, "i") != 0 && strcmp(suffix, "I") != 0))
		return typed;
	bool enclosed = !first && regex_find_slash(typed, 1) == slash && slash > 1;
	*flags = *suffix == 'i' ? REGEX_IGNORE_CASE : 0;
	*length = slash - enclosed;
	return typed + enclosed;
}

struct regex *
regex_new_typed(const char *typed, struct err *err)
{
	size_t length;
	unsigned flags;
	const char *start = regex_split(typed, &length, &flags);
	char *pattern = mem_new(length + 1);
	memcpy(pattern, start, length);
	struct regex *regex = regex_new(pattern, flags, err);
	free(pattern);
	return regex;
}

static bool
has_option(const struct regex *regex, uint32_t option)
{
	uint32_t options;
	pcre2_pattern_info(regex->code, PCRE2_INFO_ALLOPTIONS, &options);
	return options & option;
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
	pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* optional: makes it faster */

	struct regex *regex = mem_new(sizeof *regex);
	regex->shared = mem_new(sizeof *regex->shared);
	regex->code = regex->shared->code = compiled;
	size_t machine = 0;
	pcre2_pattern_info(compiled, PCRE2_INFO_JITSIZE, &machine);
	regex->shared->utf = has_option(regex, PCRE2_UTF);
	regex->shared->plain = machine && !regex->shared->utf;
	regex->spans = 1;
	atomic_init(&regex->shared->references, 1);
	return regex;
}

/* Free a reference that is no longer counted. */
static void
free_match(struct regex *regex)
{
	if (!regex)
		return;
	pcre2_match_context_free(regex->context);
	pcre2_jit_stack_free(regex->stack);
	pcre2_match_data_free(regex->match);
	free(regex);
}

struct regex *
regex_share(const struct regex *regex)
{
	struct regex *other = atomic_exchange(&regex->shared->spare, NULL);
	if (other && other->spans != regex->spans) {
		free_match(other);
		other = NULL;
	}
	if (!other)
		other = mem_new(sizeof *other);
	other->shared = regex->shared;
	other->code = regex->code;
	other->spans = regex->spans;
	atomic_fetch_add(&other->shared->references, 1);
	return other;
}

void
regex_free(struct regex *regex)
{
	if (!regex)
		return;
	struct regex_code *shared = regex->shared;
	free_match(atomic_exchange(&shared->spare, regex));
	if (atomic_fetch_sub(&shared->references, 1) != 1)
		return;
	free_match(atomic_exchange(&shared->spare, NULL));
	pcre2_code_free(shared->code);
	free(shared);
}

static void
regex_prepare_once(struct regex *regex)
{
	regex->match = pcre2_match_data_create(regex->spans, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->match || !regex->context)
		mem_end();
	pcre2_set_depth_limit(regex->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
}

/* Match.  Machine code over bytes needs none of the checks of pcre2_match. */
static int
regex_match_from(struct regex *regex, const char *subject, size_t length, size_t from)
{
	if (regex->shared->plain)
		return pcre2_jit_match(regex->code, (PCRE2_SPTR)subject, length, from, 0,
				       regex->match, regex->context);
	return pcre2_match(regex->code, (PCRE2_SPTR)subject, length, from, 0, regex->match,
			   regex->context);
}

/* Match with a stack larger than the default 32 KiB of a compiled pattern. */
static int
match_deeply(struct regex *regex, const char *subject, size_t length, size_t from)
{
	if (!regex->stack)
		regex->stack = pcre2_jit_stack_create(STACK_START, STACK_MAX, NULL);
	if (!regex->stack)
		return PCRE2_ERROR_JIT_STACKLIMIT;
	pcre2_jit_stack_assign(regex->context, NULL, regex->stack);
	return regex_match_from(regex, subject, length, from);
}

/* Set the match limit for a subject.  Long ones need more steps, short ones may be many. */
static void
set_limit(struct regex *regex, size_t length)
{
	size_t more = MATCH_LIMIT_SHORT * (length / 1024);
	uint32_t limit = more < MATCH_LIMIT - MATCH_LIMIT_SHORT
			     ? (uint32_t)(MATCH_LIMIT_SHORT + more)
			     : MATCH_LIMIT;
	if (limit != regex->limit)
		pcre2_set_match_limit(regex->context, limit);
	regex->limit = limit;
}

/* True if a match exists at or after FROM. */
static bool
regex_match(struct regex *regex, const char *subject, size_t length, size_t from)
{
	if (!regex->context)
		regex_prepare_once(regex);
	set_limit(regex, length);
	int got = regex_match_from(regex, subject, length, from);
	if (got == PCRE2_ERROR_JIT_STACKLIMIT && !regex->stack)
		got = match_deeply(regex, subject, length, from);
	if (got < 0 && got != PCRE2_ERROR_NOMATCH && got != PCRE2_ERROR_PARTIAL)
		atomic_fetch_add(&given_up, 1);
	return got >= 0;
}

bool
regex_find(struct regex *regex, const char *subject, size_t length, size_t from, size_t *start,
	   size_t *end)
{
	if (from > length || !regex_match(regex, subject, length, from))
		return false;
	PCRE2_SIZE *range = pcre2_get_ovector_pointer(regex->match);
	*start = range[0];
	*end = range[1] < range[0] ? range[0] : range[1]; /* \K in a lookahead */
	return true;
}

bool
regex_fits(struct regex *regex, const char *subject, size_t length)
{
	return regex_match(regex, subject, length, 0);
}

const char *
regex_group_name(const struct regex *regex, size_t i, unsigned *number)
{
	uint32_t count, size;
	PCRE2_SPTR table;
	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMECOUNT, &count);
	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(regex->code, PCRE2_INFO_NAMETABLE, &table);
	if (i >= count)
		return NULL;
	table += i * size;
	*number = (unsigned)table[0] << 8 | table[1];
	return (const char *)table + 2;
}

void
regex_keep_groups(struct regex *regex, unsigned count)
{
	regex->spans = count;
}

const size_t *
regex_find_groups(struct regex *regex, const char *subject, size_t length)
{
	if (!regex_match(regex, subject, length, 0))
		return NULL;
	return pcre2_get_ovector_pointer(regex->match);
}

bool
regex_folds(const struct regex *regex)
{
	return has_option(regex, PCRE2_CASELESS);
}

bool
regex_is_utf(const struct regex *regex)
{
	return regex->shared->utf;
}

uint64_t
regex_given_up(void)
{
	return atomic_load(&given_up);
}

const char *
regex_version(char buffer[static REGEX_VERSION_SIZE])
{
	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) > REGEX_VERSION_SIZE ||
	    pcre2_config(PCRE2_CONFIG_VERSION, buffer) < 0)
		return "unknown";
	return buffer;
}
