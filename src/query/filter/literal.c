/*
 * Literals: see literal.h.
 *
 * The pattern is read once, from left to right.  Characters that stand side by side in
 * every match are a run; what may be left out, or is one of many, ends it.  A group that
 * must be there gives what its alternatives give together, if each gives something.  The
 * best of all runs and groups is kept: the longest, then that of fewest texts.  Where it is
 * very short, a class of few characters is read as well: a run goes on with each of them.
 *
 * Not read, so that such a pattern has no literal at all: what turns options on or off,
 * looks around, refers back, recurses or backtracks by a verb, names a group or a
 * character; \Q, and escapes other than the usual ones; of ignored case, what is beyond
 * ASCII.
 */
#include "config.h"

#include "query/filter/literal.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 32, RUN_MAX = 256, UTF8_MAX = 4, SHORT = 2 };

/* Texts of the same length, one of which is there; none of them before the first character. */
struct literal_run {
	size_t most; /* texts */
	char texts[NEEDLES_MAX][RUN_MAX];
	size_t count, length;
	struct needles best; /* of those that have ended */
};

struct literal_reading {
	const char *p;
	bool fold, utf;
	bool failed; /* something is not understood */
	bool more;   /* a match needs more than one of the texts */
	unsigned depth;
};

/* What comes next of a pattern. */
struct atom {
	enum { ATOM_CHARACTER, ATOM_OTHER, ATOM_NOWHERE, ATOM_GROUP } type;
	char bytes[NEEDLES_MAX]; /* of a character, or of those of a class, one each */
	size_t length, count;	 /* of bytes of one, and how many may stand there */
	struct needles set;	 /* of a group; none where it gives nothing */
};

static void read_alternatives(struct literal_reading *, struct needles *set);

/* --- which is better ----------------------------------------------------- */

static size_t
shortest_of(const struct needles *set)
{
	size_t length = set->count ? NEEDLE_MAX : 0;
	for (size_t i = 0; i < set->count; i++)
		if (set->at[i].length < length)
			length = set->at[i].length;
	return length;
}

static void
keep_better(struct needles *best, const struct needles *other)
{
	size_t own = shortest_of(best), more = shortest_of(other);
	if (more > own || (more == own && other->count < best->count))
		*best = *other;
}

/* Ends a run, which is kept if it is better. */
static void
end_run(const struct literal_reading *r, struct literal_run *run)
{
	struct needles own = {.count = run->count};
	for (size_t i = 0; i < run->count; i++)
		needle_init(&own.at[i], run->texts[i], run->length, r->fold);
	keep_better(&run->best, &own);
	run->count = run->length = 0;
}

/* --- parts of a pattern -------------------------------------------------- */

static void
set_character(struct atom *atom, char c)
{
	atom->type = ATOM_CHARACTER;
	atom->bytes[0] = c;
	atom->length = atom->count = 1;
}

/* \xHH, of which both digits must be there. */
static void
read_hex(struct literal_reading *r, struct atom *atom)
{
	static const char digits[] = "0123456789abcdef";
	unsigned value = 0;
	for (int i = 0; i < 2; i++, r->p++) {
		const char *at = *r->p ? strchr(digits, tolower((unsigned char)*r->p)) : NULL;
		if (!at) {
			r->failed = true;
			return;
		}
		value = value << 4 | (unsigned)(at - digits);
	}
	atom->type = ATOM_OTHER;
	if (value && value < 0x80)
		set_character(atom, (char)value);
}

/* What a backslash, which was read, and what follows stand for. */
static void
read_escape(struct literal_reading *r, struct atom *atom)
{
	static const char controls[] = "tnrfea", meant[] = "\t\n\r\f\033\a";
	char c = *r->p;
	const char *at = c ? strchr(controls, c) : NULL;
	if (!c || (unsigned char)c >= 0x80) {
		r->failed = true;
		return;
	}
	r->p++;
	if (at)
		set_character(atom, meant[at - controls]);
	else if (ispunct((unsigned char)c) || c == ' ')
		set_character(atom, c);
	else if (strchr("dDwWsShHvVR", c))
		atom->type = ATOM_OTHER;
	else if (strchr("bBAzZ", c))
		atom->type = ATOM_NOWHERE;
	else if (c == 'x')
		read_hex(r, atom);
	else
		r->failed = true;
}

/* Passes [:alpha:] amid a class; what merely begins so is not understood. */
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

/* A class, of which [ was read. */
static void
skip_class(struct literal_reading *r)
{
	r->p += *r->p == '^';
	r->p += *r->p == ']'; /* the first one is in it */
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

/* The characters of a class whose inside lies from P to END, if they are few and plain. */
static void
find_members(const char *p, const char *end, struct atom *atom)
{
	size_t count = 0;
	for (; p < end; p++) {
		unsigned char c = (unsigned char)*p, last = c;
		if (end - p > 2 && p[1] == '-')
			last = (unsigned char)*(p += 2);
		if (c >= 0x80 || last >= 0x80 || !isalnum(c) || !isalnum(last) || last < c ||
		    count + last - c >= NEEDLES_MAX)
			return;
		for (; c <= last; c++)
			atom->bytes[count++] = (char)c;
	}
	atom->type = ATOM_CHARACTER;
	atom->length = 1;
	atom->count = count;
}

static void
read_class(struct literal_reading *r, struct atom *atom)
{
	const char *inside = r->p;
	skip_class(r);
	if (!r->failed)
		find_members(inside, r->p - 1, atom);
}

/* A group, of which ( was read. */
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

/* A character beyond ASCII, whose first byte was read; a quantifier is of all its bytes. */
static void
read_wide(struct literal_reading *r, char first, struct atom *atom)
{
	set_character(atom, first);
	while (((unsigned char)*r->p & 0xc0) == 0x80 && atom->length < UTF8_MAX)
		atom->bytes[atom->length++] = *r->p++;
	if (!r->utf || r->fold)
		r->failed = true;
}

static void
read_atom(struct literal_reading *r, struct atom *atom)
{
	char c = *r->p++;
	atom->length = atom->count = 0;
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
		r->failed = true; /* or a brace that is a character */
	} else if ((unsigned char)c >= 0x80) {
		read_wide(r, c, atom);
	} else if (c != '.') {
		set_character(atom, c);
	}
}

/* How often an atom is there at least, as what stands behind it says; *EXACT: once, for
 * nothing does. */
static unsigned
read_quantifier(struct literal_reading *r, bool *exact)
{
	unsigned least = 1;
	*exact = false;
	switch (*r->p) {
	case '*':
	case '?':
		least = 0;
		r->p++;
		break;
	case '+':
		r->p++;
		break;
	case '{':
		r->p++;
		if (!isdigit((unsigned char)*r->p))
			r->failed = true;
		least = (unsigned)(strspn(r->p, "0") < strspn(r->p, "0123456789"));
		r->p += strspn(r->p, "0123456789");
		if (*r->p == ',')
			r->p += 1 + strspn(r->p + 1, "0123456789");
		if (*r->p != '}')
			r->failed = true;
		r->p += !r->failed;
		break;
	default:
		*exact = true;
		return 1;
	}
	r->p += *r->p == '+' || *r->p == '?'; /* possessive, or as few as will do */
	return least;
}

/* --- sequences and alternatives ------------------------------------------ */

/* Goes on with a character, or with each of some. */
static void
add_to_run(const struct literal_reading *r, struct literal_run *run, const struct atom *atom)
{
	if (run->count * atom->count > run->most || run->length + atom->length > RUN_MAX)
		end_run(r, run);
	if (atom->count > run->most)
		return;
	size_t before = run->count ? run->count : 1;
	for (size_t i = before * atom->count; i--;) {
		const char *bytes = &atom->bytes[i / before * atom->length];
		memmove(run->texts[i], run->texts[i % before], run->length);
		memcpy(run->texts[i] + run->length, bytes, atom->length);
	}
	run->count = before * atom->count;
	run->length += atom->length;
}

static void
pass_atom(const struct literal_reading *r, struct literal_run *run, const struct atom *atom,
	  unsigned least, bool exact)
{
	bool character = atom->type == ATOM_CHARACTER;
	if (character && least)
		add_to_run(r, run, atom);
	if (!character || !exact)
		end_run(r, run);
	if (character && least && !exact) /* the last of them is beside what follows */
		add_to_run(r, run, atom);
	if (atom->type == ATOM_GROUP && least)
		keep_better(&run->best, &atom->set);
}

static void
read_sequence(struct literal_reading *r, struct needles *best)
{
	struct literal_run plain = {.most = 1}, wide = {.most = NEEDLES_MAX};
	size_t length = 0;
	while (!r->failed && *r->p && *r->p != '|' && *r->p != ')') {
		struct atom atom;
		bool exact;
		read_atom(r, &atom);
		if (r->failed)
			break;
		unsigned least = read_quantifier(r, &exact);
		r->more |= atom.type != ATOM_CHARACTER || atom.count != 1 || !exact;
		length += atom.length;
		pass_atom(r, &plain, &atom, least, exact);
		pass_atom(r, &wide, &atom, least, exact);
	}
	end_run(r, &plain);
	end_run(r, &wide);
	*best = plain.best;
	if (shortest_of(best) < SHORT)
		keep_better(best, &wide.best);
	r->more |= shortest_of(best) != length;
}

static void
read_alternatives(struct literal_reading *r, struct needles *set)
{
	bool each = true; /* gives something */
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
	if (r.failed || *r.p || shortest_of(set) < LITERAL_LEAST)
		set->count = 0;
	*whole = set->count && !r.more && !utf; /* characters that are invalid have rules */
	return set->count;
}
