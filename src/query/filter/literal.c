/*
 * Literals: see literal.h.
 *
 * The parser reads the pattern once, from left to right. Characters and classes
 * that are adjacent in every match form a run. An optional part, or one of several
 * alternatives, ends the run. A mandatory group yields the union of its
 * alternatives' needles, if each alternative yields some. The best run or group
 * wins: the one that is rarest by a guess. Within a run, plain characters are
 * preferred if they are rare enough, since decoders can disprove them more easily.
 *
 * A pattern has no literal at all if it contains one of the following: option
 * settings, lookaround, back references, recursion, backtracking verbs, named
 * groups or characters, \Q, unusual escapes. Nor does one that ignores case beyond
 * ASCII. In UTF mode a class counts only if its members are ASCII, since each is
 * one byte then.
 */
#include "config.h"

#include "query/filter/literal.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 16, UTF8_MAX = 4 };

/* Limits on the share of positions in a log where needles start. RARE: worth a search, as two
 * letters are. ENOUGH: needs no more characters, as three letters are. */
static const double rare = 1.0 / 700, enough = 1.0 / 16384;

/* Characters and classes that are adjacent in every match. */
struct literal_run {
	struct byte_set at[NEEDLE_MAX];
	size_t length;
	struct needles best; /* the best of the ended runs */
};

struct literal_reading {
	const char *p;
	bool fold, utf;
	bool failed; /* unsupported syntax */
	bool more;   /* containing a needle does not prove a match */
	unsigned depth;
};

/* The next element of a pattern. */
struct atom {
	enum { ATOM_CHARACTER, ATOM_OTHER, ATOM_NOWHERE, ATOM_GROUP } type;
	struct byte_set at[UTF8_MAX]; /* bytes of a character or a class */
	size_t length;
	bool fewer;	    /* the pattern matches only some bytes in `at` */
	struct needles set; /* needles of a group; may be empty */
};

static void read_alternatives(struct literal_reading *, struct needles *set);

/* --- comparing needles --------------------------------------------------- */

bool
literal_is_rare(const struct needles *set)
{
	return needles_share(set) <= rare;
}

static void
keep_better(struct needles *best, const struct needles *other)
{
	if (needles_share(other) < needles_share(best))
		*best = *other;
}

/* True if SET is one character; both cases count as one if case is ignored. */
static bool
is_plain(const struct literal_reading *r, const struct byte_set *set)
{
	unsigned count = 0, folded = 0;
	for (unsigned c = 0; c < 256; c++)
		if (byte_set_has(set, (uint8_t)c)) {
			folded += r->fold && isupper((int)c) && c < 0x80;
			count++;
		}
	return count - folded == 1;
}

/* Fill SET with a part of a run; return its share. */
static double
share_of(const struct literal_run *run, size_t from, size_t to, struct needles *set)
{
	set->count = to > from;
	if (set->count)
		needle_init_sets(&set->at[0], run->at + from, to - from);
	return needles_share(set);
}

/* Fill SET with the rarest adjacent plain characters of a run. */
static void
find_plain(const struct literal_reading *r, const struct literal_run *run, struct needles *set)
{
	set->count = 0;
	for (size_t from = 0, to; from < run->length; from = to + 1) {
		struct needles own;
		for (to = from; to < run->length && is_plain(r, &run->at[to]);)
			to++;
		share_of(run, from, to, &own);
		keep_better(set, &own);
	}
}

/* Fill SET with a run; drop classes at its ends while the rest is rare enough. */
static void
find_classes(const struct literal_reading *r, const struct literal_run *run, struct needles *set)
{
	size_t from = 0, to = run->length;
	while (from < to && !is_plain(r, &run->at[from]) &&
	       share_of(run, from + 1, to, set) <= enough)
		from++;
	while (from < to && !is_plain(r, &run->at[to - 1]) &&
	       share_of(run, from, to - 1, set) <= enough)
		to--;
	share_of(run, from, to, set);
}

/* End a run; keep its needle if it is better. */
static void
end_run(const struct literal_reading *r, struct literal_run *run)
{
	struct needles own;
	find_plain(r, run, &own);
	if (needles_share(&own) > enough)
		find_classes(r, run, &own);
	keep_better(&run->best, &own);
	run->length = 0;
}

/* --- parts of a pattern -------------------------------------------------- */

static void
fold_set(struct byte_set *set)
{
	for (uint8_t c = 'A'; c <= 'Z'; c++) {
		if (byte_set_has(set, c))
			byte_set_add(set, c | 0x20);
		if (byte_set_has(set, c | 0x20))
			byte_set_add(set, c);
	}
}

static void
invert_set(struct byte_set *set)
{
	for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
		set->bits[i] = ~set->bits[i];
}

static void
set_character(const struct literal_reading *r, struct atom *atom, uint8_t c)
{
	atom->type = ATOM_CHARACTER;
	atom->length = 1;
	byte_set_add(&atom->at[0], c);
	if (r->fold)
		fold_set(&atom->at[0]);
}

/* Escapes that are not a character. */
enum { ESCAPED_TYPE = -1, ESCAPED_UNKNOWN = -2 };

/* Read the two digits after \x; both are required. */
static int
read_hex(const char **p)
{
	static const char digits[] = "0123456789abcdef";
	int value = 0;
	for (int i = 0; i < 2; i++, ++*p) {
		const char *at = **p ? strchr(digits, tolower((unsigned char)**p)) : NULL;
		if (!at)
			return ESCAPED_UNKNOWN;
		value = value << 4 | (int)(at - digits);
	}
	return value;
}

/* Return the character of an escape, reading from after the backslash. Return a negative value
 * for other escapes; the letter of ESCAPED_TYPE stays unread. */
static int
read_escaped(const char **p)
{
	static const char controls[] = "tnrfea", meant[] = "\t\n\r\f\033\a";
	unsigned char c = (unsigned char)**p;
	const char *at = c ? strchr(controls, c) : NULL;
	if (at || (c < 0x80 && (ispunct(c) || c == ' '))) {
		++*p;
		return at ? meant[at - controls] : c;
	}
	if (c != 'x')
		return ESCAPED_TYPE;
	++*p;
	return read_hex(p);
}

/* Add the members of \d and the like. Return false for other letters, or if members have several
 * bytes. */
static bool
add_type(const struct literal_reading *r, char letter, struct byte_set *set)
{
	static const char horizontal[] = "\t \xa0", vertical[] = "\n\v\f\r\x85";
	struct byte_set own = {0};
	char type = (char)tolower((unsigned char)letter);
	if (!letter || !strchr("dwshv", type) || (r->utf && !strchr("dws", letter)))
		return false;
	for (unsigned c = 1; c < 256; c++) {
		bool ascii = c < 0x80;
		if (type == 'd'	  ? ascii && isdigit((int)c)
		    : type == 'w' ? ascii && (isalnum((int)c) || c == '_')
		    : type == 's' ? ascii && isspace((int)c)
				  : strchr(type == 'h' ? horizontal : vertical, (int)c) != NULL)
			byte_set_add(&own, (uint8_t)c);
	}
	if (type != letter)
		invert_set(&own);
	for (size_t i = 0; i < sizeof own.bits / sizeof *own.bits; i++)
		set->bits[i] |= own.bits[i];
	return true;
}

/* Read an escape after its backslash. */
static void
read_escape(struct literal_reading *r, struct atom *atom)
{
	int c = read_escaped(&r->p);
	char letter = *r->p;
	if (c > 0 && (c < 0x80 || !r->utf)) {
		set_character(r, atom, (uint8_t)c);
	} else if (c == ESCAPED_TYPE && add_type(r, letter, &atom->at[0])) {
		atom->type = ATOM_CHARACTER;
		atom->length = 1;
		r->p++;
	} else if (c == ESCAPED_TYPE && letter && strchr("bBAzZ", letter)) {
		atom->type = ATOM_NOWHERE;
		r->p++;
	} else if (c == ESCAPED_TYPE && letter && strchr("DWSHVhvR", letter)) {
		r->p++;
	} else if (c < 0) {
		r->failed = true;
	}
}

/* Skip [:alpha:] inside a class; fail on anything else that begins with "[:". */
static void
skip_posix(struct literal_reading *r)
{
	r->p += 2;
	r->p += *r->p == '^';
	while (islower((unsigned char)*r->p))
		r->p++;
	if (strncmp(r->p, ":]", 2) != 0)
		r->failed = true;
	else
		r->p += 2;
}

/* Skip a class after its [. */
static void
skip_class(struct literal_reading *r)
{
	r->p += *r->p == '^';
	r->p += *r->p == ']'; /* a leading ] is a member */
	while (!r->failed && *r->p != ']') {
		if (!*r->p || (*r->p == '[' && strchr(".=", r->p[1])))
			r->failed = true;
		else if (*r->p == '[' && r->p[1] == ':')
			skip_posix(r);
		else if (*r->p == '\\' && (!r->p[1] || strchr("QEc", r->p[1])))
			r->failed = true;
		else
			r->p += *r->p == '\\' ? 2 : 1;
	}
	r->p += !r->failed;
}

/* Add the members of [:alpha:] and the like, and skip it; return false for unsupported ones. */
static bool
add_posix(const char **p, struct byte_set *set)
{
	static const struct {
		const char *name;
		int (*has)(int);
	} classes[] = {
	    {"[:alpha:]", isalpha}, {"[:digit:]", isdigit},   {"[:alnum:]", isalnum},
	    {"[:lower:]", islower}, {"[:upper:]", isupper},   {"[:space:]", isspace},
	    {"[:punct:]", ispunct}, {"[:xdigit:]", isxdigit},
	};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		size_t length = strlen(classes[i].name);
		if (strncmp(*p, classes[i].name, length) != 0)
			continue;
		for (unsigned c = 0; c < 0x80; c++)
			if (classes[i].has((int)c))
				byte_set_add(set, (uint8_t)c);
		*p += length;
		return true;
	}
	return false;
}

/* Read a class member that can end a range; return a negative value for anything else. */
static int
read_member(const struct literal_reading *r, const char **p)
{
	int c = (unsigned char)*(*p)++;
	if (c == '\\')
		c = read_escaped(p);
	else if (c == '[' && **p == ':')
		c = ESCAPED_UNKNOWN;
	return r->utf && c >= 0x80 ? ESCAPED_UNKNOWN : c;
}

/* Add a character or a range; return false if it is unsupported. */
static bool
add_range(const struct literal_reading *r, const char **p, const char *end, struct byte_set *set)
{
	int low = read_member(r, p), high = low;
	if (end - *p >= 2 && **p == '-') {
		++*p;
		high = read_member(r, p);
	}
	for (int c = low; low >= 0 && c <= high; c++)
		byte_set_add(set, (uint8_t)c);
	return low >= 0 && high >= low;
}

/* Find the members of a class; its inside lies from P to END. Return false if it is unsupported,
 * or if members may have several bytes. */
static bool
find_members(const struct literal_reading *r, const char *p, const char *end, struct byte_set *set)
{
	bool negated = *p == '^';
	p += negated;
	for (const char *first = p; p < end;) {
		bool type = *p == '\\' && add_type(r, p[1], set);
		if (*p == '-' && p > first && p + 1 < end)
			return false; /* its meaning depends on the previous member */
		if (type)
			p += 2;
		else if (!(*p == '[' && p[1] == ':' && add_posix(&p, set)) &&
			 !add_range(r, &p, end, set))
			return false;
	}
	if (r->fold)
		fold_set(set);
	if (negated)
		invert_set(set);
	return !(negated && r->utf) && (set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]);
}

static void
read_class(struct literal_reading *r, struct atom *atom)
{
	const char *inside = r->p;
	skip_class(r);
	if (r->failed || !find_members(r, inside, r->p - 1, &atom->at[0]))
		return;
	atom->type = ATOM_CHARACTER;
	atom->length = 1;
}

/* Read a group after its (. */
static void
read_group(struct literal_reading *r, struct atom *atom)
{
	atom->type = ATOM_GROUP;
	if (*r->p == '*' || (*r->p == '?' && r->p[1] != ':') || ++r->depth > DEPTH_MAX) {
		r->failed = true;
		return;
	}
	r->p += *r->p == '?' ? 2 : 0;
	read_alternatives(r, &atom->set);
	if (!r->failed && *r->p != ')')
		r->failed = true;
	r->p += !r->failed;
	r->depth--;
}

/* Read a character beyond ASCII after its first byte. A quantifier applies to all its bytes. */
static void
read_wide(struct literal_reading *r, uint8_t first, struct atom *atom)
{
	set_character(r, atom, first);
	while (((unsigned char)*r->p & 0xc0) == 0x80 && atom->length < UTF8_MAX)
		byte_set_add(&atom->at[atom->length++], (uint8_t)*r->p++);
	if (!r->utf || r->fold)
		r->failed = true;
}

/* Read a full stop, which does not match a newline. */
static void
read_any(const struct literal_reading *r, struct atom *atom)
{
	if (r->utf)
		return; /* may have several bytes */
	invert_set(&atom->at[0]);
	atom->type = ATOM_CHARACTER;
	atom->length = 1;
	atom->fewer = true;
}

static void
read_atom(struct literal_reading *r, struct atom *atom)
{
	char c = *r->p++;
	memset(atom->at, 0, sizeof atom->at);
	atom->length = 0;
	atom->fewer = false;
	atom->set.count = 0;
	atom->type = ATOM_OTHER;
	if (c == '\\') {
		read_escape(r, atom);
	} else if (c == '[') {
		read_class(r, atom);
	} else if (c == '(') {
		read_group(r, atom);
	} else if (c == '^' || c == '$') {
		atom->type = ATOM_NOWHERE;
	} else if (strchr("*+?{", c)) {
		r->failed = true; /* or a literal brace */
	} else if ((unsigned char)c >= 0x80) {
		read_wide(r, (uint8_t)c, atom);
	} else if (c == '.') {
		read_any(r, atom);
	} else {
		set_character(r, atom, (uint8_t)c);
	}
}

/* Read a number; above NEEDLE_MAX the result is only some number above NEEDLE_MAX. */
static size_t
read_number(struct literal_reading *r)
{
	size_t number = 0;
	for (; isdigit((unsigned char)*r->p); r->p++)
		if (number <= NEEDLE_MAX)
			number = 10 * number + (size_t)(*r->p - '0');
	return number;
}

/* Read the counts between braces, after the first brace. */
static size_t
read_counts(struct literal_reading *r, bool *exact)
{
	if (!isdigit((unsigned char)*r->p))
		r->failed = true;
	size_t least = read_number(r);
	*exact = *r->p != ',' && least <= NEEDLE_MAX;
	if (*r->p == ',') {
		r->p++;
		read_number(r);
	}
	if (*r->p != '}')
		r->failed = true;
	r->p += !r->failed;
	return least;
}

/* Read the quantifier after an atom. Return its minimum; set *EXACT if it is also the maximum. */
static size_t
read_quantifier(struct literal_reading *r, bool *exact)
{
	size_t least = 1;
	*exact = !*r->p || !strchr("*?+{", *r->p);
	if (*exact)
		return 1;
	char c = *r->p++;
	if (c == '{')
		least = read_counts(r, exact);
	else
		least = c == '+';
	r->p += *r->p == '+' || *r->p == '?'; /* possessive or lazy */
	return least;
}

/* --- sequences and alternatives ------------------------------------------ */

/* Append a character or class to the run, TIMES times. */
static void
add_to_run(const struct literal_reading *r, struct literal_run *run, const struct atom *atom,
	   size_t times)
{
	for (size_t i = 0; i < times && i < NEEDLE_MAX; i++) {
		if (run->length + atom->length > NEEDLE_MAX)
			end_run(r, run);
		memcpy(run->at + run->length, atom->at, atom->length * sizeof *atom->at);
		run->length += atom->length;
	}
}

static void
pass_atom(const struct literal_reading *r, struct literal_run *run, const struct atom *atom,
	  size_t least, bool exact)
{
	bool character = atom->type == ATOM_CHARACTER;
	if (character)
		add_to_run(r, run, atom, least);
	if (!character || !exact)
		end_run(r, run);
	if (character && !exact) /* its last repeats are next to the next atom */
		add_to_run(r, run, atom, least);
	if (atom->type == ATOM_GROUP && least)
		keep_better(&run->best, &atom->set);
}

static void
read_sequence(struct literal_reading *r, struct needles *best)
{
	struct literal_run run = {0};
	size_t length = 0;
	while (!r->failed && *r->p && *r->p != '|' && *r->p != ')') {
		struct atom atom;
		bool exact;
		read_atom(r, &atom);
		if (r->failed)
			break;
		size_t least = read_quantifier(r, &exact);
		r->more |= atom.type != ATOM_CHARACTER || atom.fewer || !exact;
		length += atom.length * least;
		pass_atom(r, &run, &atom, least, exact);
	}
	end_run(r, &run);
	*best = run.best;
	r->more |= best->count != 1 || best->at[0].length != length;
}

static void
read_alternatives(struct literal_reading *r, struct needles *set)
{
	bool each = true; /* each alternative up to here has needles */
	set->count = 0;
	for (;;) {
		struct needles own;
		read_sequence(r, &own);
		each &= own.count && set->count + own.count <= NEEDLES_MAX;
		if (each) {
			memcpy(set->at + set->count, own.at, own.count * sizeof *own.at);
			set->count += own.count;
		}
		if (r->failed || *r->p != '|')
			break;
		r->p++;
	}
	if (!each || r->failed)
		set->count = 0;
}

bool
literal_of_regex(const char *pattern, bool fold, bool utf, struct needles *set, bool *whole)
{
	struct literal_reading r = {.p = pattern, .fold = fold, .utf = utf};
	if (fold && utf) /* some letters have other cases beyond ASCII */
		r.failed = true;
	read_alternatives(&r, set);
	if (r.failed || *r.p || !literal_is_rare(set))
		set->count = 0;
	*whole = set->count && !r.more && !utf; /* invalid UTF-8 has special rules */
	return set->count;
}
