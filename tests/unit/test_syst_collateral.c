/*
 * SyS-T collateral: which files are read, what is found in them, and what
 * messages become with it.  Files are written into a scratch folder.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_expand.h"
#include "decode/syst/syst_frame.h"
#include "hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NAMESPACE "http://www.mipi.org/1.0/sys-t"
#define ROOT "<syst:Collateral xmlns:syst='" NAMESPACE "'>"
#define END "</syst:Collateral>"
#define CLIENT(name, guid, rest)                                                                   \
	"<syst:Client Name='" name "'><syst:Guids><syst:Guid ID='" guid                            \
	"'>x</syst:Guid></syst:Guids>" rest "</syst:Client>"
#define GUID_A "{AAAAAAAA-0000-0000-8000-000000000001}"
#define GUID_B "{BBBBBBBB-0000-0000-8000-000000000001}"
#define BYTES_A "AAAAAAAA000000008000000000000001"

static const uint8_t guid_a[16] = {0xaa, 0xaa, 0xaa, 0xaa, [8] = 0x80, [15] = 1};
static const uint8_t guid_b[16] = {0xbb, 0xbb, 0xbb, 0xbb, [8] = 0x80, [15] = 1};

/* The files of the tests below. */
/* clang-format off: XML has its own shape */

static const char tables_xml[] = "<?xml version='1.0'?>" ROOT CLIENT(
    "alpha", GUID_A,
    "<syst:Builds>"
    "<syst:Build ID='0x10000' Mask='0xFFFF0000'>1.x</syst:Build>"
    "</syst:Builds>"
    "<syst:Options><syst:Option Name='syst:timestamp'>y</syst:Option></syst:Options>"
    "<syst:Modules><syst:Module ID='7'>dma</syst:Module></syst:Modules>"
    "<syst:SourceFiles>"
    "<syst:File ID='0x2'><![CDATA[src/a.c]]></syst:File>"
    "</syst:SourceFiles>"
    "<syst:Catalog32>"
    "<syst:Format ID='1' File='2' Line='40'><![CDATA[<%d>]]></syst:Format>"
    "<syst:Format ID='4294967295'>last</syst:Format>"
    "</syst:Catalog32>"
    "<syst:Catalog64>"
    "<syst:Format ID='0xFFFFFFFFFFFFFFFF'>wide</syst:Format>"
    "</syst:Catalog64>"
    "<syst:Short32>"
    "<syst:Format ID='0x20' Mask='0xFFFFFF0'>irq %u</syst:Format>"
    "</syst:Short32>"
    "<syst:Short64><syst:Format ID='5'>five &amp; more</syst:Format></syst:Short64>"
    "<syst:Write><syst:Protocol ID='3'>ftrace</syst:Protocol></syst:Write>"
    "<syst:Later><syst:Entry ID='1'>no</syst:Entry></syst:Later>") END;

static const char order_xml[] =
    ROOT CLIENT("x", GUID_A,
		"<syst:Catalog32>"
		"<syst:Format ID='0x100' Mask='0xFFFFFF00'>page</syst:Format>"
		"<syst:Format ID='0x105'>five</syst:Format>"
		"<syst:Format ID='0x0' Mask='0x80000000'>low</syst:Format>"
		"<syst:Format ID='0x7'>first</syst:Format>"
		"<syst:Format ID='0x7'>second</syst:Format>"
		"<syst:Format ID='0x110' Mask='0xFFFFFFF0'>row</syst:Format>"
		"</syst:Catalog32>") END;

static const char builds_xml[] = ROOT CLIENT(
    "one", GUID_A, "<syst:Builds><syst:Build ID='0x10000' Mask='0xFFFF0000'/></syst:Builds>")
    CLIENT("two", GUID_A, "<syst:Builds><syst:Build ID='0x20000' Mask='0xFFFF0000'/></syst:Builds>")
	END;

/* The same, and one that says nothing of builds. */
static const char general_xml[] = ROOT CLIENT(
    "one", GUID_A, "<syst:Builds><syst:Build ID='0x10000' Mask='0xFFFF0000'/></syst:Builds>")
    CLIENT("any", GUID_A, "")
	CLIENT("two", GUID_A,
	       "<syst:Builds><syst:Build ID='0x20000' Mask='0xFFFF0000'/></syst:Builds>") END;

/* One client, made for one build. */
static const char build_xml[] =
    ROOT CLIENT("nine", GUID_A,
		"<syst:Builds><syst:Build ID='9'/></syst:Builds>"
		"<syst:Catalog32><syst:Format ID='0x77'>nine %d</syst:Format></syst:Catalog32>")
	END;

/* Senders of STP: master 0x80, channels 1 and 2; of 2, any module. */
static const char words_xml[] =
    ROOT CLIENT("one", "{00000000-0080-0001-0000-000000000000}",
		"<syst:Builds><syst:Build ID='5'/></syst:Builds>"
		"<syst:Short32><syst:Format ID='3'>three</syst:Format></syst:Short32>")
	CLIENT("two",
	       "{00000000-0080-0002-0000-000000000000}' "
	       "Mask='{FFFFFFFF-FFFF-FFFF-0000-000000000000}",
	       "<syst:Short64><syst:Format ID='4'>four</syst:Format></syst:Short64>") END;

static const char messages_xml[] =
    ROOT CLIENT("alpha", GUID_A,
		"<syst:SourceFiles><syst:File ID='2'>src/a.c</syst:File></syst:SourceFiles>"
		"<syst:Catalog32>"
		"<syst:Format ID='1' File='2' Line='40'>n=%d</syst:Format>"
		"<syst:Format ID='2'>l=%ld</syst:Format>"
		"</syst:Catalog32>"
		"<syst:Catalog64><syst:Format ID='3'>w=%ld</syst:Format></syst:Catalog64>"
		"<syst:Short32>"
		"<syst:Format ID='0x20' Mask='0xFFFFFF0'>irq %u</syst:Format>"
		"</syst:Short32>"
		"<syst:Short64>"
		"<syst:Format ID='0x100000000' Mask='0xFFFFFFF00000000' File='2' Line='3'>"
		"big %llu</syst:Format>"
		"</syst:Short64>"
		"<syst:Write>"
		"<syst:Protocol ID='3'>ftrace</syst:Protocol>"
		"<syst:Protocol ID='0x20' Mask='0x30'>p%d</syst:Protocol>"
		"</syst:Write>") END;

static const char pseudo_xml[] = ROOT CLIENT("seven", "{00000000-0000-0041-0000-000000000000}", "")
    CLIENT("eight", "{00000000-0000-0000-4200-000000000000}", "")
	CLIENT("master",
	       "{00000000-0644-0000-0000-000000000000}' "
	       "Mask='{00000000-FFFF-0000-8000-000000000000}",
	       "") END;

static const char cut_xml[] = "<?xml version='1.0'?>" ROOT CLIENT(
    "alpha", GUID_A,
    "<syst:Catalog32><syst:Format ID='1'><![CDATA[x]]></syst:Format></syst:Catalog32>") END;

/* Read as they should be, whatever their prefix. */
static const char *const good_xml[] = {
    "<s:Collateral xmlns:s='" NAMESPACE "'><s:Client Name='x'><s:Guids>"
    "<s:Guid ID='" GUID_A "'/></s:Guids></s:Client></s:Collateral>",
    "<Collateral xmlns='" NAMESPACE "'><Client Name='x'><Guids>"
    "<Guid ID='" GUID_A "'/></Guids></Client></Collateral>",
    /* as the reference printer has it: the prefix counts, bound or not */
    "<syst:Collateral>" CLIENT("x", GUID_A, "") END,
    "<syst:Collateral xmlns:syst='urn:other'>" CLIENT("x", GUID_A, "") END,
    "<syst:Collateral xmlns:syst='" NAMESPACE "' xmlns:o='urn:other'><o:Client/>" CLIENT(
	"x", GUID_A, "<o:Catalog32><o:Format ID='1'/></o:Catalog32>") END,
    /* as generators write it: an empty line first, marks of UTF-8, a name for it that is
     * none */
    "\n<?xml version='1.0' encoding='utf-8'?>" ROOT CLIENT("x", GUID_A, "") END,
    "\xef\xbb\xbf<?xml version='1.0'?>" ROOT CLIENT("x", GUID_A, "") END,
    "\xef\xbb\xbf\r\n \n<?xml version='1.0'?>" ROOT CLIENT("x", GUID_A, "") END,
    "<?xml version='1.0' encoding='utf8'?>" ROOT CLIENT("x", GUID_A, "") END,
    "\n<?xml version='1.0' encoding='UTF_8'?>" ROOT CLIENT("x", GUID_A, "") END,
    /* the same row twice says nothing new */
    ROOT CLIENT("x", GUID_A,
		"<syst:Catalog32><syst:Format ID='7'>t</syst:Format>"
		"<syst:Format ID='7'>t</syst:Format></syst:Catalog32>") END,
};

/* Wrong: what the error says, and how many files are loaded all the same. */
static const struct {
	const char *content, *place, *what;
	int loaded;
} wrong_xml[] = {
    {"<a/>", ":1:1: ", "not SyS-T collateral", 0},
    {"", ":1:1: ", "no element", 0},
    {ROOT "\n <syst:Client", ":2:2: ", "", 0},
    {ROOT "\n  <b></c>" END, ":2:", "mismatched", 0},
    {ROOT "\n<syst:Client Name='x'/>" END, ":2:", "no Guid", 1},
    {ROOT "\n" CLIENT("x", GUID_A,
		      "\n<syst:Catalog32>\n <syst:Format ID='12x'/>"
		      "<syst:Format ID='3'>three</syst:Format></syst:Catalog32>") END,
     ":4:2: ", "ID \"12x\"", 1},
    {ROOT CLIENT("x", GUID_A, "<syst:Catalog32><syst:Format>t</syst:Format></syst:Catalog32>") END,
     ":1:", "no ID", 1},
    {ROOT CLIENT("x", "{1}", "") END, ":1:", "is not a GUID", 1},
    {ROOT "\n" END, "", "no client", 0},
    {"\n\n<?xml version='1.0' encoding='utf8'?>\n" ROOT "\n <syst:Client", ":5:2: ", "", 0},
    {"<?xml version='1.0' encoding='none-such'?>" ROOT END, ":1:", "unknown encoding", 0},
    /* numbers as wide as the fields that they name [SyS-T 1.0, "Header"] */
    {ROOT CLIENT("x", GUID_A,
		 "<syst:Catalog32>\n<syst:Format ID='0x100000001'>t</syst:Format>"
		 "</syst:Catalog32>") END,
     ":2:1: ", "up to 0xffffffff", 1},
    {ROOT CLIENT("x", GUID_A,
		 "<syst:Modules>\n<syst:Module ID='0x80'>t</syst:Module></syst:Modules>") END,
     ":2:1: ", "up to 0x7f", 1},
    {ROOT CLIENT("x", GUID_A,
		 "<syst:Catalog32><syst:Format ID='7'>a</syst:Format>\n\n"
		 "<syst:Format ID='0x7'>b</syst:Format></syst:Catalog32>") END,
     ":3: ", "0x7 is in line 1, too", 1},
    {ROOT CLIENT("x", GUID_A, "\n<syst:Format ID='7'>a</syst:Format>") END,
     ":2:1: ", "<syst:Format> does not belong here", 1},
    {ROOT "\n<syst:Guids/>" CLIENT("x", GUID_A, "") END,
     ":2:1: ", "<syst:Guids> does not belong here", 1},
    {ROOT "<syst:Format/>" CLIENT("x", GUID_A, "<syst:Module ID='7'>a</syst:Module>") END,
     ":1:", "(1 more in this file)", 1},
    {ROOT CLIENT("x", GUID_A,
		 "<syst:Catalog32><syst:Group>\n<syst:Format ID='7'>a</syst:Format>"
		 "<syst:Format ID='8'>b</syst:Format></syst:Group></syst:Catalog32>") END,
     ":2:1: ", "<syst:Format> is in an unknown element and is ignored", 1},
    /* entities: plain, from outside, and ever larger ones */
    {"<!DOCTYPE x [\n<!ENTITY a 'b'>]>" ROOT CLIENT("&a;", GUID_A, "") END, ":2:", "entity", 0},
    {"<!DOCTYPE x [<!ENTITY a SYSTEM '/etc/passwd'>]>" ROOT CLIENT("x", GUID_A, "") END,
     ":1:", "entity", 0},
    {"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>"
     "<!ENTITY c '&b;&b;&b;&b;&b;&b;'>]>" ROOT "&c;" END,
     ":1:", "entity", 0},
};

/* clang-format on */

/* A scratch folder, a list of paths in it, and what is loaded. */
struct test {
	char folder[64];
	char *paths[8];
	struct option_list list;
	struct syst_collateral *collateral;
	struct err err;
};

static int
setup(void **state)
{
	struct test *t = mem_new(sizeof *t);
	strcpy(t->folder, "collateral-XXXXXX");
	t->list.at = t->paths;
	*state = t;
	return mkdtemp(t->folder) ? 0 : -1;
}

static int
teardown(void **state)
{
	struct test *t = *state;
	char command[128];
	syst_collateral_free(t->collateral);
	for (size_t i = 0; i < COUNT(t->paths); i++)
		free(t->paths[i]);
	snprintf(command, sizeof command, "rm -rf %s", t->folder);
	int status = system(command);
	free(t);
	return status;
}

static void
add_path(struct test *t, const char *name)
{
	struct text path = {0};
	text_addf(&path, "%s%s%s", t->folder, *name ? "/" : "", name);
	t->paths[t->list.count++] = path.data;
}

static void
write_file(struct test *t, const char *name, const char *content)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int
load(struct test *t)
{
	t->err = (struct err){0};
	return syst_collateral_load(&t->list, t->collateral, &t->collateral, &t->err);
}

static void
load_text(struct test *t, const char *content)
{
	write_file(t, "c.xml", content);
	add_path(t, "c.xml");
	if (load(t) != 1 || t->err.code)
		fail_msg("%s", t->err.what);
}

static const struct syst_client *
client(const struct test *t, const uint8_t guid[16])
{
	struct syst_build unknown = {.guid = guid};
	bool excluded;
	return syst_collateral_client(t->collateral, guid, &unknown, &excluded);
}

static const char *
name_of(const struct syst_client *c)
{
	return c ? syst_client_name(c) : "none";
}

static const char *
entry_text(const struct syst_client *c, enum syst_table table, uint64_t id)
{
	const struct syst_entry *entry = syst_client_entry(c, table, id);
	return entry ? entry->text : "none";
}

/* --- files ------------------------------------------------------------- */

static void
test_tables(void **state)
{
	struct test *t = *state;
	load_text(t, tables_xml);
	const struct syst_client *c = client(t, guid_a);
	assert_string_equal(name_of(c), "alpha");
	assert_non_null(strstr(syst_client_file(c), "/c.xml"));
	assert_null(client(t, guid_b));
	assert_string_equal(entry_text(c, SYST_TABLE_BUILDS, 0x1abcd), "1.x");
	assert_string_equal(entry_text(c, SYST_TABLE_MODULES, 7), "dma");
	assert_string_equal(entry_text(c, SYST_TABLE_FILES, 2), "src/a.c");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 1), "<%d>");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, UINT32_MAX), "last");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 2), "none");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG64, UINT64_MAX), "wide");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG64, 1), "none");
	assert_string_equal(entry_text(c, SYST_TABLE_SHORT32, 0x2f), "irq %u");
	assert_string_equal(entry_text(c, SYST_TABLE_SHORT32, 0x30), "none");
	assert_string_equal(entry_text(c, SYST_TABLE_SHORT64, 5), "five & more");
	assert_string_equal(entry_text(c, SYST_TABLE_PROTOCOLS, 3), "ftrace");
	const struct syst_entry *entry = syst_client_entry(c, SYST_TABLE_CATALOG32, 1);
	assert_true(entry->has_file && entry->file == 2 && entry->line == 40);
}

static void
test_prefixes(void **state)
{
	struct test *t = *state;
	add_path(t, "p.xml");
	for (size_t i = 0; i < COUNT(good_xml); i++) {
		write_file(t, "p.xml", good_xml[i]);
		if (load(t) != 1 || t->err.code)
			fail_msg("%zu: %s", i, t->err.what);
		assert_string_equal(name_of(client(t, guid_a)), "x");
	}
	write_file(t, "p.xml", "<Collateral xmlns='urn:other'><Client Name='x'/></Collateral>");
	assert_int_equal(load(t), 0);
	assert_int_equal(t->err.code, ERR_CONFIG);
}

/* Errors name file, line and column; what is right stays. */
static void
test_errors(void **state)
{
	struct test *t = *state;
	add_path(t, "e.xml");
	for (size_t i = 0; i < COUNT(wrong_xml); i++) {
		write_file(t, "e.xml", wrong_xml[i].content);
		int loaded = load(t);
		if (loaded != wrong_xml[i].loaded || !strstr(t->err.what, wrong_xml[i].place) ||
		    !strstr(t->err.what, wrong_xml[i].what) || !strstr(t->err.what, "/e.xml:"))
			fail_msg("%zu: %d %s", i, loaded, t->err.what);
	}
}

/* Files in order of the list, folders in order of names; the first client
 * wins. */
static void
test_files(void **state)
{
	struct test *t = *state;
	write_file(t, "2.xml", ROOT CLIENT("two", GUID_A, "") END);
	write_file(t, "1.xml", ROOT CLIENT("one", GUID_A, "") CLIENT("b", GUID_B, "") END);
	write_file(t, "0.txt", ROOT CLIENT("text", GUID_A, "") END);
	write_file(t, "3.xml", "<broken");
	add_path(t, "");
	assert_int_equal(load(t), 2);
	assert_non_null(strstr(t->err.what, "/3.xml:1:"));
	assert_string_equal(name_of(client(t, guid_a)), "one");
	assert_string_equal(name_of(client(t, guid_b)), "b");

	free(t->paths[0]);
	t->list.count = 0;
	add_path(t, "2.xml");
	add_path(t, "none.xml");
	add_path(t, "1.xml");
	assert_int_equal(load(t), 2);
	assert_int_equal(t->err.code, ERR_IO);
	assert_string_equal(name_of(client(t, guid_a)), "two");
	assert_string_equal(name_of(client(t, guid_b)), "b");
}

/* --- lookup ------------------------------------------------------------ */

/* A number of its own comes before masks, masks in order of the file; a later
 * row for the same number replaces the earlier one. */
static void
test_order(void **state)
{
	struct test *t = *state;
	write_file(t, "c.xml", order_xml);
	add_path(t, "c.xml");
	assert_int_equal(load(t), 1);
	assert_non_null(strstr(t->err.what, "ID 0x7 is in"));
	const struct syst_client *c = client(t, guid_a);
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 0x105), "five");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 0x106), "page");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 0x111), "row");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 0x200), "low");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 7), "second");
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 0x80000000), "none");
}

static void
test_many(void **state)
{
	enum { MANY = 20000 };
	struct test *t = *state;
	struct text xml = {0};
	text_add(&xml, ROOT "<syst:Client Name='x'><syst:Guids><syst:Guid ID='" GUID_A "'/>"
			    "</syst:Guids><syst:Catalog32>");
	for (unsigned i = 0; i < MANY; i++)
		text_addf(&xml, "<syst:Format ID='0x%x'>f%u</syst:Format>", i * 65599u, i);
	text_add(&xml, "</syst:Catalog32></syst:Client>" END);
	load_text(t, xml.data);
	text_free(&xml);
	const struct syst_client *c = client(t, guid_a);
	for (unsigned i = 0; i < MANY; i++) {
		char text[16];
		snprintf(text, sizeof text, "f%u", i);
		assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, i * 65599u), text);
	}
	assert_string_equal(entry_text(c, SYST_TABLE_CATALOG32, 1), "none");
}

static bool
last_build(void *context, const struct message *before, const uint8_t guid[16], uint64_t *value)
{
	(void)before;
	assert_memory_equal(guid, guid_a, 16);
	*value = *(uint64_t *)context;
	return *value != 0;
}

static void
test_builds(void **state)
{
	static const struct {
		uint64_t build;
		const char *name;
	} cases[] = {{0, "one"}, {0x10001, "one"}, {0x20007, "two"}, {0x30000, "none"}};
	static const char *const files[] = {builds_xml, general_xml};
	struct test *t = *state;
	for (size_t i = 0; i < COUNT(cases) * COUNT(files); i++) {
		bool general = i >= COUNT(cases);
		uint64_t number = cases[i % COUNT(cases)].build;
		struct decode_history history = {.context = &number, .build = last_build};
		struct syst_build build = {.history = &history, .guid = guid_a};
		const char *name = cases[i % COUNT(cases)].name;
		bool excluded;
		write_file(t, "c.xml", files[general]);
		if (!i)
			add_path(t, "c.xml");
		assert_int_equal(load(t), 1);
		const struct syst_client *found =
		    syst_collateral_client(t->collateral, guid_a, &build, &excluded);
		if (general && !strcmp(name, "none"))
			name = "any";
		assert_string_equal(name_of(found), name);
		assert_int_equal(excluded, !found);
	}
	assert_true(syst_collateral_needs_history(t->collateral));
}

/* --- messages ---------------------------------------------------------- */

static void
expand_as(const struct test *t, const char *digits, const struct syst_sender *sender, bool has_guid,
	  const struct decode_history *history, struct expansion *e)
{
	struct hex hex = hex_bytes(digits);
	struct syst_options options = {0};
	struct syst_decoder decoder = {.options = &options, .has_guid = has_guid};
	struct message m = {0};
	memcpy(decoder.guid, guid_a, 16);
	decoder.collateral = t->collateral;
	expansion_clear(e);
	e->payload = arena_copy(&e->arena, hex.bytes.at, hex.bytes.count);
	e->payload_length = hex.bytes.count;
	hex_free(&hex);
	syst_message(e->payload, e->payload_length, &m);
	syst_expand(&decoder, &m, e->payload, e->payload_length, EXPAND_FIELDS, history, sender, e);
}

static void
expand(const struct test *t, const char *digits, const struct syst_sender *sender,
       struct expansion *e)
{
	expand_as(t, digits, sender, true, NULL, e);
}

/* What is remembered of senders is what is found anew, through another collateral too. */
static void
test_remembered(void **state)
{
	static const char *const files[] = {
	    ROOT CLIENT("alpha", GUID_A, "")
		CLIENT("seven", "{00000000-0000-0007-0000-000000000000}", "") END,
	    ROOT CLIENT("other", GUID_A, "")
		CLIENT("eight", "{00000000-0000-0000-0800-000000000000}", "") END,
	};
	struct test *t = *state;
	struct syst_memory *memory = mem_new(sizeof *memory);
	const struct decode_history history = {.memory = memory};
	struct expansion remembered = {0}, anew = {0};
	unsigned named = 0;
	for (unsigned round = 0; round < 2000; round++) {
		char digits[64];
		if (round % 500 == 0) {
			write_file(t, "c.xml", files[round / 500 % 2]);
			if (!round)
				add_path(t, "c.xml");
			assert_int_equal(load(t), 1);
		}
		/* STRING:GENERIC of all modules and units, then of GUIDs */
		if (round % 3)
			snprintf(digits, sizeof digits, "42 %02X %02X 01 'x' 00", round % 16 << 4,
				 round / 3 % 128);
		else
			snprintf(digits, sizeof digits, "42 10 80 01 %s %02X 'x' 00",
				 "AAAAAAAA0000000080000000000000", round / 3 % 4);
		expand_as(t, digits, NULL, true, NULL, &anew);
		expand_as(t, digits, NULL, true, &history, &remembered);
		assert_string_equal(text_get(&remembered.origin), text_get(&anew.origin));
		named += !strpbrk(text_get(&anew.origin), ":{");
	}
	assert_true(named > 160);
	expansion_free(&remembered);
	expansion_free(&anew);
	free(memory);
}

static const char *
field_text(struct expansion *e, enum syst_field row)
{
	for (size_t i = 0; i < e->fields.count; i++)
		if (e->fields.at[i].row == &syst_fields[row])
			return arena_text(&e->arena, e->fields.at[i].s.at,
					  e->fields.at[i].s.length);
	return "none";
}

static void
test_messages(void **state)
{
	static const struct {
		const char *digits, *type, *text, *location;
	} cases[] = {
	    /* catalog ids of both sizes, both packings */
	    {"43 10 80 01" BYTES_A "01000000 07000000", "CATALOG:ID32P32", "n=7", "src/a.c:40"},
	    {"43 10 80 05" BYTES_A "02000000 FFFFFFFFFFFFFFFF", "CATALOG:ID32P64", "l=-1", "none"},
	    {"43 10 80 02" BYTES_A "0300000000000000 FFFFFFFF", "CATALOG:ID64P32", "w=-1", "none"},
	    {"43 10 80 01" BYTES_A "09000000 07000000", "CATALOG:ID32P32", "id 0x9 args 0x00000007",
	     "none"},
	    /* the message's own location first, an address after the format's */
	    {"43 11 80 01" BYTES_A "00 0500 0600 01000000 07000000", "CATALOG:ID32P32", "n=7",
	     "5:6"},
	    {"43 11 80 01" BYTES_A "02 BEBAFECA 01000000 07000000", "CATALOG:ID32P32", "n=7",
	     "src/a.c:40 0xCAFEBABE"},
	    {"42 11 80 01" BYTES_A "00 0200 0900 'x' 00", "STRING:GENERIC", "x", "src/a.c:9"},
	    /* protocols by name, and fed with the number */
	    {"46 10 80 03" BYTES_A "AB", "RAW:ftrace", "ab", "none"},
	    {"46 10 80 25" BYTES_A "AB", "RAW:p37", "ab", "none"},
	    {"46 10 80 04" BYTES_A "AB", "RAW:4", "ab", "none"},
	    /* short messages have the options' GUID; the free bits are the argument */
	    {"31 02 00 00", "SHORT32", "irq 3", "none"},
	    {"31 03 00 00", "SHORT32", "0x00000033", "none"},
	    {"77 00 00 00 10 00 00 00", "SHORT64", "big 7", "src/a.c:3"},
	};
	struct test *t = *state;
	struct expansion e = {0};
	load_text(t, messages_xml);
	for (size_t i = 0; i < COUNT(cases); i++) {
		expand(t, cases[i].digits, NULL, &e);
		if (strcmp(text_get(&e.type), cases[i].type) != 0 ||
		    strcmp(text_get(&e.text), cases[i].text) != 0 ||
		    strcmp(text_get(&e.origin), "alpha") != 0 ||
		    strcmp(field_text(&e, SYST_F_LOCATION), cases[i].location) != 0)
			fail_msg("%s: %s '%s' %s %s", cases[i].digits, text_get(&e.type),
				 text_get(&e.text), text_get(&e.origin),
				 field_text(&e, SYST_F_LOCATION));
	}
	expansion_free(&e);
}

/* Senders without GUID: the module in byte 7, or in byte 8 after master and
 * channel. */
static void
test_pseudo(void **state)
{
	static const struct {
		const char *digits;
		struct syst_sender sender;
		const char *origin;
	} cases[] = {
	    {"42 10 41 01 00", {0, 0}, "seven"},    {"42 10 42 01 00", {0, 0}, "eight"},
	    {"42 10 43 01 00", {0, 0}, "67:1"},	    {"42 10 43 01 00", {0x644, 9}, "master"},
	    {"42 10 43 01 00", {0x645, 9}, "67:1"},
	};
	struct test *t = *state;
	struct expansion e = {0};
	load_text(t, pseudo_xml);
	for (size_t i = 0; i < COUNT(cases); i++) {
		expand(t, cases[i].digits, &cases[i].sender, &e);
		assert_string_equal(text_get(&e.origin), cases[i].origin);
	}
	expansion_free(&e);
}

/* A lone client is not used for a build that it excludes: neither for messages
 * after the announcement, nor for that itself. */
static void
test_excluded(void **state)
{
	static const struct {
		uint64_t build;
		const char *digits, *text, *origin;
	} cases[] = {
	    {0, "43 10 80 01" BYTES_A "77000000 01000000", "nine 1", "nine"},
	    {9, "43 10 80 01" BYTES_A "77000000 01000000", "nine 1", "nine"},
	    {5, "43 10 80 01" BYTES_A "77000000 01000000", "id 0x77 args 0x00000001",
	     "{aaaaaaaa-0000-0000-8000-000000000001}"},
	    {9, "40 10 80 02" BYTES_A "0500000000000000", "0x0000000000000005",
	     "{aaaaaaaa-0000-0000-8000-000000000001}"},
	    {5, "40 10 80 02" BYTES_A "0900000000000000", "0x0000000000000009", "nine"},
	};
	struct test *t = *state;
	struct expansion e = {0};
	load_text(t, build_xml);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t number = cases[i].build;
		struct decode_history history = {.context = &number, .build = last_build};
		expand_as(t, cases[i].digits, NULL, true, &history, &e);
		assert_string_equal(text_get(&e.text), cases[i].text);
		assert_string_equal(text_get(&e.origin), cases[i].origin);
		bool named = !strcmp(cases[i].text, "nine 1");
		assert_string_equal(field_text(&e, SYST_F_FORMAT), named ? "nine %d" : "none");
	}
	expansion_free(&e);
}

static bool
sender_build(void *context, const struct message *before, const uint8_t guid[16], uint64_t *value)
{
	static const uint8_t one[16] = {[5] = 0x80, [7] = 1}, two[16] = {[5] = 0x80, [7] = 2};
	(void)before;
	assert_true(!memcmp(guid, one, 16) || !memcmp(guid, two, 16));
	*value = *(uint64_t *)context;
	return *value != 0;
}

/* SHORT and COMPACT messages say nothing of their sender: over STP, master and
 * channel do. */
static void
test_words(void **state)
{
	static const struct syst_sender one = {0x80, 1}, two = {0x80, 2}, other = {0x80, 3};
	static const struct {
		const char *digits;
		const struct syst_sender *sender;
		uint64_t build;
		const char *text, *origin;
	} cases[] = {
	    {"31 00 00 00", &one, 0, "three", "one"},
	    {"31 00 00 00", &one, 5, "three", "one"},
	    {"31 00 00 00", &one, 6, "0x00000003", ""},
	    {"31 00 00 00", &two, 0, "0x00000003", "two"},
	    {"47 00 00 00 00 00 00 00", &two, 6, "four", "two"},
	    {"31 00 00 00", &other, 0, "0x00000003", ""},
	    {"50 00 00 00", &one, 0, "0x00000005", "one"}, /* COMPACT32, number 5 */
	    {"60 00 00 00", &one, 0, "0x00000006", ""},
	};
	struct test *t = *state;
	struct expansion e = {0};
	load_text(t, words_xml);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t number = cases[i].build;
		struct decode_history history = {.context = &number, .build = sender_build};
		expand_as(t, cases[i].digits, cases[i].sender, false, &history, &e);
		assert_string_equal(text_get(&e.text), cases[i].text);
		assert_string_equal(text_get(&e.origin), cases[i].origin);
	}
	expansion_free(&e);
}

/* Arguments that do not fit the format: what could be made stays, and the message
 * is flagged. */
static void
test_arguments(void **state)
{
	static const struct {
		const char *digits, *text;
		bool faulty;
	} cases[] = {
	    {"43 10 80 01" BYTES_A "01000000 07000000", "n=7", false},
	    {"43 10 80 01" BYTES_A "01000000", "n=- insufficient argument bytes for format 'n=%d'",
	     true},
	    {"43 10 80 01" BYTES_A "01000000 0700",
	     "n=- insufficient argument bytes for format "
	     "'n=%d'",
	     true},
	    {"42 10 80 0B" BYTES_A "'a=%d %y' 00 07000000",
	     "a=7  - invalid format string 'a=%d %y'", true},
	    {"42 10 80 0B" BYTES_A "'a=%d b=%d' 00 07000000",
	     "a=7 b=- insufficient argument bytes for format 'a=%d b=%d'", true},
	    {"42 10 80 0B" BYTES_A "'a=%d' 00 07000000", "a=7", false},
	    {"43 10 80 01" BYTES_A "09000000", "id 0x9", false},
	};
	struct test *t = *state;
	struct expansion e = {0};
	load_text(t, messages_xml);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct hex hex = hex_bytes(cases[i].digits);
		struct message m = {0};
		syst_message(hex.bytes.at, hex.bytes.count, &m);
		assert_true(m.flags & MESSAGE_CHECKED); /* so that filters look */
		hex_free(&hex);
		expand(t, cases[i].digits, NULL, &e);
		assert_string_equal(text_get(&e.text), cases[i].text);
		assert_int_equal(e.flags, cases[i].faulty ? MESSAGE_DAMAGED : 0);
	}
	expansion_free(&e);
}

/* A new load does not take what readers of the old one have. */
static void
test_reload(void **state)
{
	struct test *t = *state;
	load_text(t, ROOT CLIENT("old", GUID_A, "") END);
	const struct syst_client *old = client(t, guid_a);
	write_file(t, "c.xml", ROOT CLIENT("new", GUID_A, "") END);
	assert_int_equal(load(t), 1);
	assert_string_equal(name_of(client(t, guid_a)), "new");
	assert_string_equal(name_of(old), "old");
	write_file(t, "c.xml", "");
	assert_int_equal(load(t), 0);
	assert_string_equal(name_of(client(t, guid_a)), "new");
}

/* A file cut anywhere gives an error, never a crash. */
static void
test_cuts(void **state)
{
	struct test *t = *state;
	add_path(t, "cut.xml");
	for (size_t cut = 0; cut < sizeof cut_xml - 1; cut++) {
		char part[sizeof cut_xml];
		snprintf(part, sizeof part, "%.*s", (int)cut, cut_xml);
		write_file(t, "cut.xml", part);
		assert_int_equal(load(t), 0);
		assert_int_not_equal(t->err.code, 0);
	}
}

/* Return the processor time that an attribute of so many bytes takes. */
static clock_t
time_of_attribute(struct test *t, size_t length)
{
	static const char head[] = ROOT "<syst:Client Name='", tail[] = "'/>" END;
	char *text = mem_new(sizeof head + length + sizeof tail);
	memcpy(text, head, sizeof head - 1);
	memset(text + sizeof head - 1, 'x', length);
	memcpy(text + sizeof head - 1 + length, tail, sizeof tail);
	write_file(t, "long.xml", text);
	free(text);
	clock_t start = clock();
	assert_int_equal(load(t), 1);
	return clock() - start;
}

/* A long attribute takes time in proportion to its length: expat before 2.6 parses it from its
 * start with each piece of the file, which takes 64 times as long for 8 times the bytes. */
static void
test_long_attribute(void **state)
{
	struct test *t = *state;
	add_path(t, "long.xml");
	clock_t one = time_of_attribute(t, 4 << 20);
	assert_true(time_of_attribute(t, 32 << 20) < 24 * one);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_tables),	       TEST(test_prefixes),  TEST(test_errors),
	    TEST(test_files),	       TEST(test_order),     TEST(test_many),
	    TEST(test_builds),	       TEST(test_messages),  TEST(test_pseudo),
	    TEST(test_reload),	       TEST(test_cuts),	     TEST(test_excluded),
	    TEST(test_words),	       TEST(test_arguments), TEST(test_remembered),
	    TEST(test_long_attribute),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
