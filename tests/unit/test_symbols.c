/*
 * Names of addresses, with this very program as the one that was traced: the
 * compiler and the linker know where its functions, lines and texts are.
 */
#include "config.h"

#include "test.h"
#include "uia_write.h"

#include "config/profile.h"
#include "program_path.h"
#include "put_in.h"
#include "random.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/naming.h"
#include "trace/reader.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "/proc/self/exe";

/* A text and an object to be found by their addresses. */
const char landmark_text[] = "switch to %s";
uint32_t landmark_object[8];

enum { LANDMARK_FIRST = __LINE__ + 3, LANDMARK_LAST = LANDMARK_FIRST + 3 }; /* lines */
__attribute__((noinline)) int landmark(int x);
int
landmark(int x)
{
	return x * 3 + (int)landmark_object[x & 7];
}

static struct symbols *
open_program(void)
{
	struct err err = {0};
	struct symbols *symbols = symbols_open_path(program, &err);
	assert_non_null(symbols);
	return symbols;
}

/* Append the name of ADDRESS.  Return false if it has none. */
static bool
add_name(struct symbols *symbols, uint64_t address, struct text *out)
{
	struct symbol_place place;
	bool named = symbols_find(symbols, address, &place) && place.function;
	if (named)
		symbols_add_place(&place, out);
	return named;
}

static void
test_names(void **state)
{
	struct symbols *symbols = open_program();
	struct text text = {0};
	uint64_t at = linked((const void *)(uintptr_t)landmark);
	(void)state;
	for (int i = 0; i < 2; i++) { /* found, and remembered */
		text_clear(&text);
		assert_true(add_name(symbols, at, &text));
		assert_memory_equal(text_get(&text), "landmark", 8);
		int line = LANDMARK_FIRST; /* not told if built without -g */
		assert_true(text.length == 8 ||
			    sscanf(text_get(&text), "landmark test_symbols.c:%d", &line) == 1);
		assert_in_range(line, LANDMARK_FIRST, LANDMARK_LAST);
	}
	text_clear(&text);
	assert_true(add_name(symbols, at + 1, &text));
	assert_memory_equal(text_get(&text), "landmark+0x1", 12);
	text_clear(&text);
	assert_true(add_name(symbols, linked(&landmark_object[2]), &text));
	assert_string_equal(text_get(&text), "landmark_object+0x8");
	text_clear(&text);
	assert_false(add_name(symbols, linked(landmark_object) + (1u << 30), &text));
	assert_int_equal(text.length, 0);
	text_free(&text);
	symbols_close(symbols);
	assert_int_equal(landmark(2), 6);
}

static void
check_put_in(const char *path, uint64_t at, uint64_t elsewhere)
{
	const char *names[4] = {0};
	struct err err = {0};
	struct symbols *symbols = symbols_open_path(path, &err);
	assert_non_null(symbols);
	assert_int_equal(symbols_inlined(symbols, at, names, 4), 2);
	assert_string_equal(names[0], "outer_put_in");
	assert_string_equal(names[1], "inner_put_in");
	assert_int_equal(symbols_inlined(symbols, at, names, 1), 1);
	assert_string_equal(names[0], "outer_put_in");
	assert_int_equal(symbols_inlined(symbols, elsewhere, names, 4), 0);
	assert_int_equal(symbols_inlined(symbols, 1, names, 4), 0);
	symbols_close(symbols);
}

/* clang writes no .debug_aranges: a copy of this program, in which that section has another
 * name, has the same lines, and calls that are put in. */
/* Makes a copy of this program without that section. */
static void
copy_without_ranges(char path[TEMP_PATH])
{
	static const char name[] = ".debug_aranges";
	VEC(char) bytes = {0};
	FILE *file = fopen(program, "rb");
	assert_non_null(file);
	for (int c; (c = getc(file)) != EOF;)
		*vec_add(&bytes) = (char)c;
	fclose(file);
	for (size_t i = 0; i + sizeof name <= bytes.count; i++)
		if (!memcmp(bytes.at + i, name, sizeof name))
			bytes.at[i + 1] = 'x';
	temp_make(path, ".elf", bytes.at, bytes.count);
	vec_free(&bytes);
}

static void
test_put_in(void **state)
{
	char path[TEMP_PATH];
	struct symbol_place place;
	struct symbols *symbols = open_program();
	uint64_t at = put_in_address(), elsewhere = linked((const void *)(uintptr_t)landmark);
	(void)state;
	symbols_find(symbols, at, &place);
	symbols_close(symbols);
	if (!place.path)
		skip(); /* built without -g */
	check_put_in(program, at, elsewhere);
	copy_without_ranges(path);
	check_put_in(path, at, elsewhere);
	unlink(path);
}

static void
test_lines_without_ranges(void **state)
{
	char path[TEMP_PATH];
	struct err err = {0};
	(void)state;
	copy_without_ranges(path);
	struct symbols *with = open_program(), *without = symbols_open_path(path, &err);
	assert_non_null(without);
	uint64_t at = linked((const void *)(uintptr_t)landmark);
	for (uint64_t i = 0; i < 256; i++) {
		struct symbol_place a, b;
		symbols_find(with, at + i, &a);
		symbols_find(without, at + i, &b);
		assert_int_equal(a.line, b.line);
		assert_int_equal(!a.path, !b.path);
		if (a.path)
			assert_string_equal(a.path, b.path);
	}
	struct symbol_place place;
	symbols_find(without, 1, &place);
	assert_null(place.path);
	symbols_close(with);
	symbols_close(without);
	unlink(path);
}

/* A program of Thumb functions at 0x8000: first (4 bytes), second (4), a label without a
 * size, and `end` behind all. */
static void
put_thumb_program(char path[TEMP_PATH])
{
	enum { TEXT = 0x80, SYMBOLS = 0x90, STRINGS = 0xf0, SECTIONS = 0x120, ALL = 0x1e8 };
	static const char strings[] = "\0first\0second\0label\0end\0.text\0.symtab\0.strtab";
	Elf32_Ehdr head = {.e_ident = {127, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_ARM,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof head,
			   .e_shoff = SECTIONS,
			   .e_ehsize = sizeof head,
			   .e_phentsize = sizeof(Elf32_Phdr),
			   .e_phnum = 1,
			   .e_shentsize = sizeof(Elf32_Shdr),
			   .e_shnum = 4,
			   .e_shstrndx = 3};
	const Elf32_Phdr load = {.p_type = PT_LOAD,
				 .p_offset = TEXT,
				 .p_vaddr = 0x8000,
				 .p_filesz = 16,
				 .p_memsz = 16,
				 .p_flags = PF_R | PF_X};
	const unsigned function = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
	const unsigned label = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	const Elf32_Sym symbols[] = {
	    {0},
	    {.st_name = 1, .st_value = 0x8001, .st_size = 4, .st_info = function, .st_shndx = 1},
	    {.st_name = 7, .st_value = 0x8005, .st_size = 4, .st_info = function, .st_shndx = 1},
	    {.st_name = 14, .st_value = 0x800c, .st_info = label, .st_shndx = 1},
	    {.st_name = 20, .st_value = 0x8010, .st_info = label, .st_shndx = SHN_ABS},
	};
	const Elf32_Shdr sections[] = {
	    {0},
	    {.sh_name = 24,
	     .sh_type = SHT_PROGBITS,
	     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	     .sh_addr = 0x8000,
	     .sh_offset = TEXT,
	     .sh_size = 16},
	    {.sh_name = 30,
	     .sh_type = SHT_SYMTAB,
	     .sh_offset = SYMBOLS,
	     .sh_size = sizeof symbols,
	     .sh_link = 3,
	     .sh_info = 1,
	     .sh_entsize = sizeof *symbols},
	    {.sh_name = 38, .sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = sizeof strings},
	};
	uint8_t bytes[ALL] = {0};
	memcpy(bytes, &head, sizeof head);
	memcpy(bytes + sizeof head, &load, sizeof load);
	memcpy(bytes + SYMBOLS, symbols, sizeof symbols);
	memcpy(bytes + STRINGS, strings, sizeof strings);
	memcpy(bytes + SECTIONS, sections, sizeof sections);
	temp_make(path, ".elf", bytes, sizeof bytes);
}

/* Bit 0 of a Thumb function is no part of its address; what has no size ends with its
 * section. */
static void
test_thumb(void **state)
{
	static const struct {
		uint64_t address;
		const char *function;
		uint64_t offset;
	} rows[] = {{0x8000, "first", 0},  {0x8002, "first", 2}, {0x8004, "second", 0},
		    {0x8006, "second", 2}, {0x8008, NULL, 0},	 {0x800c, "label", 0},
		    {0x800e, "label", 2},  {0x8010, NULL, 0},	 {0x7ffe, NULL, 0},
		    {0xffff0000, NULL, 0}};
	char path[TEMP_PATH];
	struct err err = {0};
	(void)state;
	put_thumb_program(path);
	struct symbols *symbols = symbols_open_path(path, &err);
	assert_non_null(symbols);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct symbol_place place;
		bool found = symbols_find(symbols, rows[i].address, &place);
		assert_int_equal(found, rows[i].function != NULL);
		if (found)
			assert_string_equal(place.function, rows[i].function);
		if (found)
			assert_int_equal(place.offset, rows[i].offset);
	}
	symbols_close(symbols);
	unlink(path);
}

struct seen {
	uint64_t landmark;
	unsigned functions, lines; /* that are it, and its */
};

static void
see_function(void *context, uint64_t address, const struct symbol_place *place)
{
	struct seen *seen = context;
	if (strcmp(place->function, "landmark") != 0)
		return;
	seen->functions++;
	assert_int_equal(address, seen->landmark);
}

static void
see_line(void *context, uint64_t address, const struct symbol_place *place)
{
	struct seen *seen = context;
	const char *slash = strrchr(place->path, '/');
	bool inside = address - seen->landmark < 4; /* no function is shorter */
	if (!inside || strcmp(slash ? slash + 1 : place->path, "test_symbols.c") != 0)
		return;
	seen->lines++;
	assert_in_range(place->line, LANDMARK_FIRST, LANDMARK_LAST);
}

static void
test_lists(void **state)
{
	struct symbols *symbols = open_program();
	struct symbol_place place;
	struct seen seen = {.landmark = linked((const void *)(uintptr_t)landmark)};
	(void)state;
	assert_true(symbols_find(symbols, seen.landmark, &place));
	assert_string_equal(place.function, "landmark");
	bool lines = place.path; /* not if built without -g */
	if (lines)
		assert_in_range(place.line, LANDMARK_FIRST, LANDMARK_LAST);
	assert_false(symbols_find(symbols, linked(landmark_object) + (1u << 30), &place));
	assert_null(place.path);
	symbols_list_functions(symbols, see_function, &seen);
	assert_int_equal(seen.functions, 1);
	symbols_list_lines(symbols, see_line, &seen);
	assert_true((seen.lines > 0) == lines);
	symbols_close(symbols);
}

static void
test_strings(void **state)
{
	struct symbols *symbols = open_program();
	struct text text = {0};
	(void)state;
	assert_true(symbols_string(symbols, linked(landmark_text), &text));
	assert_string_equal(text_get(&text), landmark_text);
	text_clear(&text);
	assert_true(symbols_string(symbols, linked(landmark_text + 7), &text));
	assert_string_equal(text_get(&text), "to %s");
	text_clear(&text);
	assert_false(symbols_string(symbols, linked(landmark_object), &text)); /* not in the file */
	assert_false(symbols_string(symbols, UINT64_MAX, &text));
	text_free(&text);
	symbols_close(symbols);
}

static void
test_errors(void **state)
{
	struct err err = {0};
	char path[TEMP_PATH];
	(void)state;
	temp_make(path, ".elf", "\177ELF but no more", 16);
	assert_null(symbols_open_path(path, &err));
	assert_memory_equal(err.what, path, strlen(path));
	unlink(path);
	symbols_close(NULL);
}

static void
see_nothing(void *context, uint64_t address, const struct symbol_place *place)
{
	(void)context;
	(void)address;
	assert_true(place->function || place->path);
}

/* Every byte of the head may be wrong, and the end may be missing. */
static void
test_damaged(void **state)
{
	enum { HEAD = 64, SIZE = 1 << 16 };
	static uint8_t bytes[SIZE], hurt[SIZE];
	struct text text = {0};
	char path[TEMP_PATH];
	(void)state;
	FILE *file = fopen(program, "r");
	size_t size = fread(bytes, 1, SIZE, file);
	fclose(file);
	for (size_t i = 0; i < HEAD; i++) {
		struct err err = {0};
		memcpy(hurt, bytes, size);
		hurt[i] ^= 0xff;
		temp_make(path, ".elf", hurt, i % 2 ? size : size / 2);
		struct symbols *symbols = symbols_open_path(path, &err);
		for (uint64_t address = 0; symbols && address < 1 << 16; address += 4001) {
			add_name(symbols, address, &text);
			symbols_string(symbols, address, &text);
		}
		if (symbols) {
			symbols_list_functions(symbols, see_nothing, NULL);
			symbols_list_lines(symbols, see_nothing, NULL);
		}
		symbols_close(symbols);
		unlink(path);
	}
	text_free(&text);
}

/* So may bytes of debug information. */
static void
test_damaged_inside(void **state)
{
	enum { TRIES = 20, HURT = 40, MOST = 4 };
	uint64_t random = 1, at = put_in_address();
	const char *names[MOST];
	char path[TEMP_PATH];
	VEC(char) bytes = {0};
	(void)state;
	FILE *file = fopen(program, "rb");
	for (int c; (c = getc(file)) != EOF;)
		*vec_add(&bytes) = (char)c;
	fclose(file);
	for (int try = 0; try < TRIES; try++) {
		struct err err = {0};
		struct symbol_place place;
		char *hurt = mem_new(bytes.count);
		memcpy(hurt, bytes.at, bytes.count);
		for (int i = 0; i < HURT; i++) {
			size_t head = 4096; /* which the test above hurts */
			hurt[head + random_below(&random, bytes.count - head)] =
			    (char)random_below(&random, 256);
		}
		temp_make(path, ".elf", hurt, bytes.count);
		free(hurt);
		struct symbols *symbols = symbols_open_path(path, &err);
		for (uint64_t near = at - 64; symbols && near < at + 64; near++) {
			size_t count = symbols_inlined(symbols, near, names, MOST);
			assert_in_range(count, 0, MOST);
			for (size_t i = 0; i < count; i++)
				assert_non_null(names[i]);
			symbols_find(symbols, near, &place);
		}
		symbols_close(symbols);
		unlink(path);
	}
	vec_free(&bytes);
}

static const struct field *
field_of(const struct expansion *e, const char *name)
{
	for (size_t i = 0; i < e->fields.count; i++)
		if (!strcmp(e->fields.at[i].row->name, name))
			return &e->fields.at[i];
	return NULL;
}

/* The line of /proc/self/maps that an address lies in. */
static bool
find_map(uint64_t address, unsigned long long *from, unsigned long long *to,
	 unsigned long long *offset)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;
	assert_non_null(maps);
	while (!found && fgets(line, sizeof line, maps))
		found = sscanf(line, "%llx-%llx %*s %llx", from, to, offset) == 3 &&
			address >= *from && address < *to;
	fclose(maps);
	return found;
}

/* A program is named where it was loaded, by what of its file lies there. */
static void
test_loaded(void **state)
{
	(void)state;
	const uint64_t at = (uint64_t)(uintptr_t)landmark;
	unsigned long long from, to, offset;
	uint64_t address = 0;
	struct symbols *symbols = open_program();
	assert_true(find_map(at, &from, &to, &offset));
	assert_true(symbols_place(symbols, at - from + offset, &address));
	assert_int_equal(address, linked((const void *)(uintptr_t)landmark));
	assert_false(symbols_place(symbols, UINT64_MAX, &address));
	symbols_close(symbols);

	static const struct field_row row = {
	    .name = "pc", .type = FIELD_UINT, .address = FIELD_ADDRESS};
	for (int i = 0; i < 3; i++) {
		/* somewhere else; elsewhere, where it ends before; from what is not loaded */
		struct symbol_options options = {.file = (char *)(uintptr_t)program,
						 .address = 0x700000000000,
						 .length = i == 1 ? at - from : to - from,
						 .offset = i == 2 ? UINT64_MAX / 2 : offset};
		const struct option_list list = {&options, 1};
		struct naming *naming = naming_new(&list);
		struct expansion e = {0};
		struct err err = {0};
		assert_int_equal(naming_load(naming, &err), i < 2);
		assert_int_equal(err.code != 0, i == 2);
		expansion_add(&e, &row, FIELD_NOWHERE, 0, 0)->u = 0x700000000000 + (at - from);
		naming_expand(naming, "log", &uia_ops, NULL, &e);
		if (i)
			assert_null(e.fields.at[0].note);
		else
			assert_memory_equal(e.fields.at[0].note, "landmark", 8);
		expansion_free(&e);
		naming_free(naming);
	}
}

/* A log whose addresses are this program's. */
static void
test_messages(void **state)
{
	static const char form[] =
	    "traces: [{match: '*.uia', name: log, format: uia, uia: {events: [{id: 0x1201, name: "
	    "threadAndFuncCtxChg}]}}]\n"
	    "symbols: [{file: fw.elf, applies_to: other}, {file: %s, applies_to: %s}]\n";
	const uint64_t function = linked((const void *)(uintptr_t)landmark);
	const uint32_t args[] = {1,
				 2,
				 (uint32_t)linked(landmark_object),
				 (uint32_t)linked(landmark_text),
				 (uint32_t)linked(&landmark_object[1]),
				 0,
				 (uint32_t)function,
				 0};
	(void)state;
	if (function > UINT32_MAX)
		skip(); /* an event has 32 bits for it */
	for (int ours = 0; ours < 2; ours++) {
		struct session session = {0};
		struct uia_log log = {0};
		struct expansion e = {0};
		struct err err = {0};
		char paths[2][TEMP_PATH], profile[512];
		uia_packet_begin(&log, 10, 0, 1, 0);
		uint64_t at = uia_event_add(&log, 1, 0x1201, 100, args, 8);
		uia_packet_end(&log);
		snprintf(profile, sizeof profile, form, program, ours ? "log" : "other");
		temp_make(paths[0], ".uia", log.bytes.at, log.bytes.count);
		temp_make_text(paths[1], ".yaml", profile);
		assert_int_equal(profile_load(paths[1], &session.profile, &err), 0);
		struct trace *trace = session_open(&session, paths[0], NULL, NULL, 0, &err);
		assert_non_null(trace);
		session_link(&session);
		trace_load(trace, &err);
		if (ours)
			assert_non_null(strstr(err.what, "fw.elf: No such file or directory"));
		struct reader *reader = reader_new(trace);
		struct position p;
		assert_true(reader_find_offset(reader, at, &p));
		const struct message m = *reader_message(reader, p);
		reader_expand(reader, &m, EXPAND_FIELDS, &e);
		const char *note = field_of(&e, "new_func")->note;
		if (!ours) {
			assert_null(note);
		} else {
			assert_memory_equal(note, "landmark", 8);
			assert_string_equal(field_of(&e, "fmt_ptr")->note, landmark_text);
			assert_string_equal(field_of(&e, "new")->note, "landmark_object+0x4");
			assert_null(field_of(&e, "line")->note);
			assert_non_null(strstr(text_get(&e.text), " [landmark_object]"));
		}
		expansion_free(&e);
		reader_free(reader);
		session_close(&session);
		vec_free(&session.traces);
		vec_free(&log.bytes);
		for (int i = 0; i < 2; i++)
			unlink(paths[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_put_in),
	    cmocka_unit_test(test_lines_without_ranges),
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_thumb),
	    cmocka_unit_test(test_strings),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_damaged_inside),
	    cmocka_unit_test(test_loaded),
	    cmocka_unit_test(test_messages),
	};
	struct err err = {0};
	struct symbols *symbols = symbols_open_path(program, &err);
	symbols_close(symbols);
	if (!symbols && err.code == ERR_UNSUPPORTED) {
		puts("1..0 # SKIP built without libdw");
		return 0;
	}
	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
