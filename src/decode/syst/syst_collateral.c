/*
 * SyS-T collateral, see syst_collateral.h.  The only file that includes expat.
 *
 * A file is read as a stream of elements.  A table of (parent, name, child) lists the known ones;
 * all others are skipped with their content.  The prefix of a name must be bound to the namespace
 * of SyS-T, or be `syst`, the only one that the reference printer accepts.
 *
 * All tables of a client have one form, rows of number, mask and text, so one lookup serves them
 * all: a map for rows of a single number, a loop over the few with a mask.  An invalid entry is
 * reported and skipped; a file that is not XML is skipped as a whole.
 *
 * Two violations of XML are accepted, because public generators write them: blank lines before the
 * declaration (Zephyr), and `utf8` as the name of an encoding (Intel's compile-time-init-build).
 *
 * Entity declarations are refused: nothing here needs them, and they can make a small file huge or
 * read other files.
 */
#include "config.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_frame.h"

#include <dirent.h>
#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Expat 2.9 renamed these, and warns about the old names. */
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentLineNumber64 XML_GetCurrentLineNumber
#define XML_GetCurrentColumnNumber64 XML_GetCurrentColumnNumber
#endif

#define NAMESPACE "http://www.mipi.org/1.0/sys-t"

struct collateral_table {
	VEC(struct syst_entry) entries; /* in the order of the file */
	VEC(size_t) masked;		/* entries with a mask */
	struct map others;		/* by number: index of an entry without a mask, plus one */
};

struct guid_entry {
	uint8_t id[16], mask[16];
};

struct syst_client {
	const char *name, *file;
	VEC(struct guid_entry) guids;
	struct collateral_table tables[SYST_TABLE_COUNT];
};

struct syst_collateral {
	struct arena arena;		   /* all texts */
	VEC(struct syst_client *) clients; /* in order of the files and their content */
	struct syst_collateral *old;
	bool builds; /* some client has Builds */
};

/* Bits that a table's numbers can have: the width of the header field [SyS-T 1.0, "Header"], or of
 * the number in the payload. */
static const uint64_t table_bits[SYST_TABLE_COUNT] = {
    [SYST_TABLE_BUILDS] = UINT64_MAX,	    [SYST_TABLE_MODULES] = 0x7f,
    [SYST_TABLE_FILES] = UINT32_MAX,	    [SYST_TABLE_CATALOG32] = UINT32_MAX,
    [SYST_TABLE_CATALOG64] = UINT64_MAX,    [SYST_TABLE_SHORT32] = UINT32_MAX >> 4,
    [SYST_TABLE_SHORT64] = UINT64_MAX >> 4, [SYST_TABLE_PROTOCOLS] = 0x3f,
};

static bool
is_masked(const struct syst_entry *entry, size_t which)
{
	return (entry->mask & table_bits[which]) != table_bits[which];
}

/* --- lookup ------------------------------------------------------------ */

const struct syst_entry *
syst_client_entry(const struct syst_client *client, enum syst_table which, uint64_t id)
{
	const struct collateral_table *table = &client->tables[which];
	const uint64_t *found = map_find(&table->others, id);
	if (found)
		return &table->entries.at[*found - 1];
	for (size_t i = 0; i < table->masked.count; i++) {
		const struct syst_entry *entry = &table->entries.at[table->masked.at[i]];
		if (((id ^ entry->id) & entry->mask) == 0)
			return entry;
	}
	return NULL;
}

const char *
syst_client_name(const struct syst_client *client)
{
	return client->name;
}

const char *
syst_client_file(const struct syst_client *client)
{
	return client->file;
}

/* Return the bits in which a half of a GUID differs from an entry. */
static uint64_t
guid_differs(const struct guid_entry *entry, const uint8_t *guid, size_t half)
{
	return (bytes_le64(guid + half) ^ bytes_le64(entry->id + half)) &
	       bytes_le64(entry->mask + half);
}

static bool
client_has(const struct syst_client *client, const uint8_t guid[static 16])
{
	for (size_t i = 0; i < client->guids.count; i++) {
		const struct guid_entry *entry = &client->guids.at[i];
		if (!(guid_differs(entry, guid, 0) | guid_differs(entry, guid, 8)))
			return true;
	}
	return false;
}

static bool
has_builds(const struct syst_client *client)
{
	return client->tables[SYST_TABLE_BUILDS].entries.count > 0;
}

bool
syst_collateral_has(const struct syst_collateral *collateral, enum syst_table table)
{
	for (size_t i = 0; collateral && i < collateral->clients.count; i++)
		if (collateral->clients.at[i]->tables[table].entries.count)
			return true;
	return false;
}

bool
syst_collateral_needs_history(const struct syst_collateral *collateral)
{
	return collateral && collateral->builds;
}

static bool
is_known(struct syst_build *build)
{
	const struct decode_history *history = build->history;
	if (!build->found)
		build->known =
		    history && history->build &&
		    history->build(history->context, build->before, build->guid, &build->number);
	build->found = true;
	return build->known;
}

const struct syst_client *
syst_collateral_client(const struct syst_collateral *collateral, const uint8_t guid[static 16],
		       struct syst_build *build, bool *excluded)
{
	const struct syst_client *first = NULL, *general = NULL;
	*excluded = false;
	for (size_t i = 0; collateral && i < collateral->clients.count; i++) {
		const struct syst_client *client = collateral->clients.at[i];
		if (!client_has(client, guid))
			continue;
		first = first ? first : client;
		if (!has_builds(client))
			general = general ? general : client;
		else if (!is_known(build))
			return first;
		else if (syst_client_entry(client, SYST_TABLE_BUILDS, build->number))
			return client;
	}
	*excluded = first && !general;
	return general;
}

static void
client_free(struct syst_client *client)
{
	for (size_t i = 0; i < SYST_TABLE_COUNT; i++) {
		vec_free(&client->tables[i].entries);
		vec_free(&client->tables[i].masked);
		map_free(&client->tables[i].others);
	}
	vec_free(&client->guids);
	free(client);
}

void
syst_collateral_free(struct syst_collateral *collateral)
{
	while (collateral) {
		struct syst_collateral *old = collateral->old;
		for (size_t i = 0; i < collateral->clients.count; i++)
			client_free(collateral->clients.at[i]);
		vec_free(&collateral->clients);
		arena_free(&collateral->arena);
		free(collateral);
		collateral = old;
	}
}

/* --- reading a file ---------------------------------------------------- */

enum place {
	PLACE_FILE,
	PLACE_COLLATERAL,
	PLACE_CLIENT,
	PLACE_GUIDS,
	PLACE_TABLE, /* first of one place per table */
	PLACE_GUID = PLACE_TABLE + SYST_TABLE_COUNT,
	PLACE_ENTRY
};

static const struct element {
	enum place in;
	const char *name;
	enum place to;
} elements[] = {
    {PLACE_FILE, "Collateral", PLACE_COLLATERAL},
    {PLACE_COLLATERAL, "Client", PLACE_CLIENT},
    {PLACE_CLIENT, "Guids", PLACE_GUIDS},
    {PLACE_CLIENT, "Builds", PLACE_TABLE + SYST_TABLE_BUILDS},
    {PLACE_CLIENT, "Modules", PLACE_TABLE + SYST_TABLE_MODULES},
    {PLACE_CLIENT, "SourceFiles", PLACE_TABLE + SYST_TABLE_FILES},
    {PLACE_CLIENT, "Catalog32", PLACE_TABLE + SYST_TABLE_CATALOG32},
    {PLACE_CLIENT, "Catalog64", PLACE_TABLE + SYST_TABLE_CATALOG64},
    {PLACE_CLIENT, "Short32", PLACE_TABLE + SYST_TABLE_SHORT32},
    {PLACE_CLIENT, "Short64", PLACE_TABLE + SYST_TABLE_SHORT64},
    {PLACE_CLIENT, "Write", PLACE_TABLE + SYST_TABLE_PROTOCOLS},
    {PLACE_GUIDS, "Guid", PLACE_GUID},
    {PLACE_TABLE + SYST_TABLE_BUILDS, "Build", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_MODULES, "Module", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_FILES, "File", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_CATALOG32, "Format", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_CATALOG64, "Format", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_SHORT32, "Format", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_SHORT64, "Format", PLACE_ENTRY},
    {PLACE_TABLE + SYST_TABLE_PROTOCOLS, "Protocol", PLACE_ENTRY},
};

enum { DEPTH_MAX = 5 }; /* nesting of known elements */

struct syst_collateral_reading {
	XML_Parser parser;
	const char *path;
	struct syst_collateral *to;
	struct syst_client *client; /* open client */
	struct err *err;	    /* receives the first error */
	unsigned faults;	    /* found in this file */
	unsigned long blank;	    /* lines skipped before the parser's first */
	bool refused;		    /* stopped here, not by expat */
	bool utf8;		    /* declared as UTF-8, but under a wrong name */
	VEC(char *) prefixes;	    /* bound to the namespace; "" for none */
	enum place places[DEPTH_MAX];
	size_t depth;	/* used entries of `places` */
	size_t ignored; /* depth inside a skipped element */
	bool reported;	/* the skipped content was reported */
	struct syst_entry entry;
	bool entry_good;
	struct text text;
};

static unsigned long
collateral_line(const struct syst_collateral_reading *r)
{
	return r->blank + (unsigned long)XML_GetCurrentLineNumber64(r->parser);
}

/* Count a fault.  Return true for the first one of all, which is reported. */
static bool
is_first_fault(struct syst_collateral_reading *r)
{
	r->faults++;
	return r->err && !r->err->code;
}

static void __attribute__((format(printf, 2, 3)))
collateral_complain(struct syst_collateral_reading *r, const char *format, ...)
{
	if (!is_first_fault(r))
		return;
	struct text text = {0};
	va_list args;
	va_start(args, format);
	text_addv(&text, format, args);
	va_end(args);
	err_set(r->err, ERR_CONFIG, "%s:%lu:%lu: %s", r->path, collateral_line(r),
		(unsigned long)XML_GetCurrentColumnNumber64(r->parser) + 1, text_get(&text));
	text_free(&text);
}

static const char *
collateral_attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}

/* Read an attribute that is a number.  A missing one leaves NUMBER unchanged.  Return false if it
 * is invalid. */
static bool
read_number(struct syst_collateral_reading *r, const char **attributes, const char *name,
	    uint64_t max, uint64_t *number)
{
	const char *text = collateral_attribute(attributes, name);
	if (!text || text_parse_uint(text, max, number))
		return true;
	collateral_complain(
	    r, "%s \"%.100s\" is not a number up to 0x%llx; write decimal or 0x hexadecimal", name,
	    text, (unsigned long long)max);
	return false;
}

static bool
read_guid(struct syst_collateral_reading *r, const char **attributes, const char *name,
	  uint8_t guid[static 16])
{
	const char *text = collateral_attribute(attributes, name);
	if (!text || syst_guid_parse(text, guid))
		return true;
	collateral_complain(r, "%s \"%.100s\" is not a GUID; write {8-4-4-4-12} hexadecimal digits",
			    name, text);
	return false;
}

/* Complain about different rows for the same number. */
static void
complain_twice(struct syst_collateral_reading *r, const struct syst_entry *first,
	       const struct syst_entry *second)
{
	bool same = !strcmp(first->text, second->text) && first->file == second->file &&
		    first->line == second->line;
	if (!same && is_first_fault(r))
		err_set(r->err, ERR_CONFIG, "%s:%u: ID 0x%llx is in line %u, too; this one counts",
			r->path, second->place, (unsigned long long)second->id, first->place);
}

/* Map the numbers of a complete table.  With two rows for one number, the later one counts [SyS-T
 * 1.0, collateral, second hand: systprint]. */
static void
table_finish(struct syst_collateral_reading *r, struct collateral_table *table, size_t which)
{
	for (size_t i = 0; i < table->entries.count; i++) {
		if (is_masked(&table->entries.at[i], which))
			continue;
		uint64_t *found = map_add(&table->others, table->entries.at[i].id);
		if (*found)
			complain_twice(r, &table->entries.at[*found - 1], &table->entries.at[i]);
		*found = i + 1;
	}
}

static void
open_client(struct syst_collateral_reading *r, const char **attributes)
{
	const char *name = collateral_attribute(attributes, "Name");
	if (!name)
		collateral_complain(r, "Client has no Name");
	r->client = mem_new(sizeof *r->client);
	r->client->file = r->path;
	r->client->name = name ? arena_text(&r->to->arena, name, strlen(name)) : "";
	*vec_add(&r->to->clients) = r->client;
}

static void
close_client(struct syst_collateral_reading *r)
{
	if (!r->client->guids.count)
		collateral_complain(r, "client %s has no Guid, so no message belongs to it",
				    r->client->name);
	for (size_t i = 0; i < SYST_TABLE_COUNT; i++)
		table_finish(r, &r->client->tables[i], i);
	r->client = NULL;
}

static void
add_guid(struct syst_collateral_reading *r, const char **attributes)
{
	struct guid_entry entry;
	memset(entry.mask, 0xff, sizeof entry.mask);
	if (!collateral_attribute(attributes, "ID"))
		collateral_complain(r, "Guid has no ID");
	else if (read_guid(r, attributes, "ID", entry.id) &&
		 read_guid(r, attributes, "Mask", entry.mask))
		*vec_add(&r->client->guids) = entry;
}

/* Return the table of the open entry. */
static size_t
table_of_entry(const struct syst_collateral_reading *r)
{
	return r->places[r->depth - 2] - PLACE_TABLE;
}

static void
open_entry(struct syst_collateral_reading *r, const char *element, const char **attributes)
{
	struct syst_entry entry = {.mask = UINT64_MAX, .place = (uint32_t)collateral_line(r)};
	uint64_t most = table_bits[table_of_entry(r)];
	uint64_t file = 0, line = 0;
	text_clear(&r->text);
	r->entry_good = collateral_attribute(attributes, "ID") != NULL;
	if (!r->entry_good)
		collateral_complain(r, "%s has no ID", element);
	r->entry_good = r->entry_good && read_number(r, attributes, "ID", most, &entry.id) &&
			read_number(r, attributes, "Mask", UINT64_MAX, &entry.mask) &&
			read_number(r, attributes, "File", UINT32_MAX, &file) &&
			read_number(r, attributes, "Line", UINT32_MAX, &line);
	entry.has_file = collateral_attribute(attributes, "File") != NULL;
	entry.file = (uint32_t)file;
	entry.line = (uint32_t)line;
	r->entry = entry;
}

/* Insert a masked row before the first one that covers its number and would hide it.  The
 * reference printer replaces that one [SyS-T 1.0, collateral, second hand: systprint]. */
static void
add_masked(struct collateral_table *table, const struct syst_entry *entry)
{
	size_t at = 0, count = table->masked.count;
	for (; at < count; at++) {
		const struct syst_entry *other = &table->entries.at[table->masked.at[at]];
		if (((entry->id ^ other->id) & other->mask) == 0)
			break;
	}
	vec_reserve(&table->masked, 1);
	table->masked.count++;
	memmove(table->masked.at + at + 1, table->masked.at + at,
		(count - at) * sizeof *table->masked.at);
	table->masked.at[at] = table->entries.count;
}

static void
close_entry(struct syst_collateral_reading *r)
{
	size_t which = table_of_entry(r);
	struct collateral_table *table = &r->client->tables[which];
	if (!r->entry_good)
		return;
	if (is_masked(&r->entry, which))
		add_masked(table, &r->entry);
	r->entry.text = arena_text(&r->to->arena, text_get(&r->text), r->text.length);
	r->entry.apart = syst_format_new(&r->to->arena, r->entry.text, strlen(r->entry.text));
	*vec_add(&table->entries) = r->entry;
}

/* Record the prefixes that an element binds to the namespace. */
static void
bind_prefixes(struct syst_collateral_reading *r, const char **attributes)
{
	for (; *attributes; attributes += 2) {
		if (strncmp(attributes[0], "xmlns", 5) != 0 ||
		    strcmp(attributes[1], NAMESPACE) != 0)
			continue;
		const char *prefix = attributes[0] + 5;
		if (*prefix == ':' || !*prefix)
			*vec_add(&r->prefixes) = mem_text(prefix + (*prefix == ':'));
	}
}

/* Return the name without its prefix, or NULL if the prefix is foreign. */
static const char *
local_name(const struct syst_collateral_reading *r, const char *name)
{
	const char *colon = strchr(name, ':');
	const char *local = colon ? colon + 1 : name;
	size_t length = colon ? (size_t)(colon - name) : 0;
	if (length == 4 && !memcmp(name, "syst", 4))
		return local;
	for (size_t i = 0; i < r->prefixes.count; i++)
		if (strlen(r->prefixes.at[i]) == length && !memcmp(r->prefixes.at[i], name, length))
			return local;
	return NULL;
}

/* True if an element of this name is known in another place. */
static bool
is_misplaced(const struct syst_collateral_reading *r, const char *name)
{
	const char *local = local_name(r, name);
	for (size_t i = 0; local && i < sizeof elements / sizeof *elements; i++)
		if (!strcmp(elements[i].name, local))
			return true;
	return false;
}

static const struct element *
find_element(const struct syst_collateral_reading *r, const char *name)
{
	enum place in = r->depth ? r->places[r->depth - 1] : PLACE_FILE;
	const char *local = local_name(r, name);
	for (size_t i = 0; local && i < sizeof elements / sizeof *elements; i++)
		if (elements[i].in == in && !strcmp(elements[i].name, local))
			return &elements[i];
	return NULL;
}

static void XMLCALL
element_start(void *context, const char *name, const char **attributes)
{
	struct syst_collateral_reading *r = context;
	bind_prefixes(r, attributes);
	if (r->ignored) {
		if (!r->reported && is_misplaced(r, name)) {
			collateral_complain(r, "<%.100s> is in an unknown element and is ignored",
					    name);
			r->reported = true;
		}
		r->ignored++;
		return;
	}
	const struct element *element = find_element(r, name);
	if (!element) {
		if (!r->depth)
			collateral_complain(r, "the document is <%.100s>, not SyS-T collateral",
					    name);
		else if (is_misplaced(r, name))
			collateral_complain(r, "<%.100s> does not belong here and is ignored",
					    name);
		r->reported = !r->depth || is_misplaced(r, name);
		r->ignored = 1;
		return;
	}
	r->places[r->depth++] = element->to;
	if (element->to == PLACE_CLIENT)
		open_client(r, attributes);
	else if (element->to == PLACE_GUID)
		add_guid(r, attributes);
	else if (element->to == PLACE_ENTRY)
		open_entry(r, element->name, attributes);
}

static void XMLCALL
element_end(void *context, const char *name)
{
	struct syst_collateral_reading *r = context;
	(void)name;
	if (r->ignored) {
		r->ignored--;
		return;
	}
	enum place place = r->places[r->depth - 1];
	if (place == PLACE_ENTRY)
		close_entry(r);
	else if (place == PLACE_CLIENT)
		close_client(r);
	r->depth--;
}

static void XMLCALL
collateral_on_characters(void *context, const char *text, int length)
{
	struct syst_collateral_reading *r = context;
	if (!r->ignored && r->depth && r->places[r->depth - 1] == PLACE_ENTRY)
		text_add_bytes(&r->text, text, (size_t)length);
}

static void XMLCALL
refuse_entity(void *context, const char *name, int is_parameter, const char *value, int length,
	      const char *base, const char *system, const char *public, const char *notation)
{
	struct syst_collateral_reading *r = context;
	(void)is_parameter, (void)value, (void)length, (void)base;
	(void)system, (void)public, (void)notation;
	collateral_complain(r, "entity %.100s is declared; remove it, entities are not read", name);
	r->refused = true;
	XML_StopParser(r->parser, XML_FALSE);
}

/* Record an encoding that expat does not support.  Expat then fails, and parse_piece() restarts
 * it. */
static int XMLCALL
note_encoding(void *context, const XML_Char *name, XML_Encoding *encoding)
{
	struct syst_collateral_reading *r = context;
	(void)encoding;
	r->utf8 = !strcasecmp(name, "utf8") || !strcasecmp(name, "utf_8");
	return XML_STATUS_ERROR;
}

static void
set_handlers(struct syst_collateral_reading *r)
{
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, element_start, element_end);
	XML_SetCharacterDataHandler(r->parser, collateral_on_characters);
	XML_SetEntityDeclHandler(r->parser, refuse_entity);
	XML_SetUnknownEncodingHandler(r->parser, note_encoding, r);
}

/* Return the length of the bytes before the XML declaration: the mark of UTF-8, then blank
 * lines. */
static size_t
skip_blank(struct syst_collateral_reading *r, const char *head, size_t length)
{
	static const char bom[] = {'\xef', '\xbb', '\xbf'};
	size_t at = length >= sizeof bom && !memcmp(head, bom, sizeof bom) ? sizeof bom : 0;
	for (; at < length && memchr(" \t\r\n", head[at], 4); at++)
		r->blank += head[at] == '\n';
	return at;
}

static bool
parse_piece(struct syst_collateral_reading *r, const char *piece, size_t length, bool last)
{
	if (XML_Parse(r->parser, piece, (int)length, last))
		return true;
	if (r->utf8) {
		r->utf8 = false;
		XML_ParserReset(r->parser, "UTF-8");
		set_handlers(r);
		return parse_piece(r, piece, length, last);
	}
	if (!r->refused)
		collateral_complain(r, "%s", XML_ErrorString(XML_GetErrorCode(r->parser)));
	return false;
}

/* Parse the whole stream.  Expat before 2.6 parses an incomplete tag or attribute from its start
 * again with each piece.  Each piece is twice as large as the last one, so that all work stays in
 * proportion to the file. */
static bool
parse_stream(struct syst_collateral_reading *r, FILE *stream)
{
	enum { PIECE = 1 << 15, PIECE_MOST = 1 << 28 };
	size_t size = PIECE, got;
	char *piece = NULL;
	bool good, first = true;
	do {
		size = size < PIECE_MOST ? 2 * size : size;
		piece = mem_resize(piece, size);
		got = fread(piece, 1, size, stream);
		size_t skip = first ? skip_blank(r, piece, got) : 0;
		first = false;
		good = !ferror(stream);
		if (!good)
			collateral_complain(r, "cannot be read: %s", strerror(errno));
		good = good && parse_piece(r, piece + skip, got - skip, !got);
	} while (good && got);
	free(piece);
	return good;
}

/* Append the number of a file's other faults to the first one, which is reported. */
static void
count_faults(const struct syst_collateral_reading *r, bool first)
{
	if (!first || !r->err || r->faults < 2)
		return;
	size_t length = strlen(r->err->what);
	snprintf(r->err->what + length, sizeof r->err->what - length, " (%u more in this file)",
		 r->faults - 1);
}

/* Load one file.  Return false if it yields no client. */
static bool
load_file(struct syst_collateral *to, const char *path, struct err *err)
{
	const char *why;
	FILE *stream = file_open_stream(path, &why);
	if (!stream) {
		if (err && !err->code)
			err_set(err, ERR_IO, "%s: %s", path, why);
		return false;
	}
	struct syst_collateral_reading r = {.parser = XML_ParserCreate(NULL),
					    .path = arena_text(&to->arena, path, strlen(path)),
					    .to = to,
					    .err = err};
	size_t before = to->clients.count;
	bool good = r.parser != NULL, first = err && !err->code;
	if (good) {
		set_handlers(&r);
		good = parse_stream(&r, stream);
		XML_ParserFree(r.parser);
	}
	if (good && to->clients.count == before && err && !err->code)
		err_set(err, ERR_CONFIG, "%s: no client in it", path);
	count_faults(&r, first);
	if (!good)
		while (to->clients.count > before)
			client_free(to->clients.at[--to->clients.count]);
	for (size_t i = 0; i < r.prefixes.count; i++)
		free(r.prefixes.at[i]);
	vec_free(&r.prefixes);
	text_free(&r.text);
	fclose(stream);
	return good && to->clients.count > before;
}

/* --- finding files ----------------------------------------------------- */

static int
is_xml(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 4 && !strcmp(entry->d_name + length - 4, ".xml");
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
load_folder(struct syst_collateral *to, const char *path, struct err *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_xml, by_name), loaded = 0;
	if (count < 0) {
		if (err && !err->code)
			err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		return 0;
	}
	for (int i = 0; i < count; i++) {
		struct text file = {0};
		text_addf(&file, "%s/%s", path, entries[i]->d_name);
		loaded += load_file(to, file.data, err);
		text_free(&file);
		free(entries[i]);
	}
	free(entries);
	return loaded;
}

int
syst_collateral_load(const struct option_list *paths, struct syst_collateral *old,
		     struct syst_collateral **out, struct err *err)
{
	struct syst_collateral *new = mem_new(sizeof *new);
	char *const *names = paths->at;
	int loaded = 0;
	for (size_t i = 0; i < paths->count; i++) {
		struct stat info;
		if (!stat(names[i], &info) && S_ISDIR(info.st_mode))
			loaded += load_folder(new, names[i], err);
		else
			loaded += load_file(new, names[i], err);
	}
	if (!loaded) {
		syst_collateral_free(new);
		return 0;
	}
	new->builds = syst_collateral_has(new, SYST_TABLE_BUILDS);
	new->old = old;
	*out = new;
	return loaded;
}

const char *
syst_collateral_version(void)
{
	return XML_ExpatVersion();
}
