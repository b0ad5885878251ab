/*
 * Symbols of an ELF file, through libdw of elfutils: see symbols.h.
 *
 * Only the file itself is read; separate debug files are not searched, neither here nor over a
 * network.  The library is not thread-safe, so each call holds a lock.  The last results are
 * cached, as traces look up the same addresses again and again.
 *
 * The library finds the unit of an address in .debug_aranges, which clang does not write.  After
 * the first miss, the lines of all other units are kept here: 24 bytes each.
 */
#include "config.h"

#include "program/symbols.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "base/vec.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWERS = 4096, STRING_MAX = 200 };
#define NO_CALL SIZE_MAX

const char symbols_missing[] = "`symbols: [{file: PROGRAM.elf}]` of a profile names the program, "
			       "which is to be linked without -s";

struct answer {
	uint64_t address;
	bool asked;
	struct symbol_place place;
};

/* Code from ADDRESS on belongs to this line; 0: to none. */
struct line_row {
	uint64_t address;
	const char *path;
	int line;
	unsigned order; /* at equal addresses the last one counts */
};

/* The innermost inlined function from ADDRESS on is CALL of its unit; NO_CALL: none. */
struct inline_row {
	uint64_t address;
	size_t call;
};

struct inline_call {
	const char *name;
	size_t parent; /* call that it is inlined into, or NO_CALL */
};

/* The inlined functions of a unit. */
struct inline_unit {
	VEC(struct inline_row) rows; /* sorted by address */
	VEC(struct inline_call) calls;
};

struct unit_row {
	uint64_t first, end; /* addresses */
	Dwarf_Off unit;
};

struct symbols {
	pthread_mutex_t lock;
	Dwfl *dwfl;
	Dwfl_Module *module;
	bool arm;		    /* 32-bit Arm */
	bool listed;		    /* `rows` and `units` are filled */
	VEC(struct line_row) rows;  /* lines of units that the library does not find */
	VEC(struct unit_row) units; /* address ranges of these units */
	struct map inlined_by;	    /* offset of a unit: index in `inlined`, plus one */
	VEC(struct inline_unit) inlined;
	struct answer answers[ANSWERS]; /* by the hash of the address */
};

/* --- opening ----------------------------------------------------------- */

static int
find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
	    Elf **elf)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)elf;
	return -1;
}

static int
find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		  const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_no_elf,
					 .find_debuginfo = find_no_debuginfo,
					 .section_address = dwfl_offline_section_address};

static bool
is_arm(struct symbols *symbols)
{
	GElf_Addr bias;
	GElf_Ehdr header;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);
	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_ARM;
}

struct symbols *
symbols_open(int file, const char *path, struct err *err)
{
	struct symbols *symbols = mem_new(sizeof *symbols);
	pthread_mutex_init(&symbols->lock, NULL);
	symbols->dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(symbols->dwfl);
	int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
	if (own >= 0) /* otherwise the library would open PATH */
		symbols->module = dwfl_report_elf(symbols->dwfl, "", path, own, 0, true);
	if (own >= 0 && !symbols->module)
		close(own);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (!symbols->module) {
		err_set(err, ERR_DATA, "%s: %s", path, own < 0 ? strerror(errno) : dwfl_errmsg(-1));
		symbols_close(symbols);
		return NULL;
	}
	symbols->arm = is_arm(symbols);
	return symbols;
}

void
symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	dwfl_end(symbols->dwfl);
	vec_free(&symbols->rows);
	vec_free(&symbols->units);
	for (size_t i = 0; i < symbols->inlined.count; i++) {
		vec_free(&symbols->inlined.at[i].rows);
		vec_free(&symbols->inlined.at[i].calls);
	}
	vec_free(&symbols->inlined);
	map_free(&symbols->inlined_by);
	pthread_mutex_destroy(&symbols->lock);
	free(symbols);
}

/* --- source lines ------------------------------------------------------ */

/* Collect the units that the library finds by address. */
static void
map_ranges(struct symbols *symbols, struct map *units)
{
	Dwarf_Addr bias;
	Dwarf_Aranges *ranges;
	size_t count;
	Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &bias);
	if (!dwarf || dwarf_getaranges(dwarf, &ranges, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Off unit;
		if (!dwarf_getarangeinfo(dwarf_onearange(ranges, i), NULL, NULL, &unit))
			*map_add(units, unit) = 1;
	}
}

typedef void line_take(void *context, const struct line_row *);

/* Pass on the lines of a unit in the order of its table. */
static void
list_unit(Dwarf_Die *unit, Dwarf_Addr bias, line_take *take, void *context)
{
	Dwarf_Lines *lines;
	size_t count;
	if (dwarf_getsrclines(unit, &lines, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct line_row row = {.path = dwarf_linesrc(line, NULL, NULL),
				       .order = (unsigned)i};
		Dwarf_Addr address;
		bool end;
		if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &end) ||
		    dwarf_lineno(line, &row.line))
			continue;
		row.address = address + bias;
		if (end || !row.path || row.line < 0)
			row.line = 0;
		take(context, &row);
	}
}

static void
keep_row(void *context, const struct line_row *row)
{
	struct symbols *symbols = context;
	*vec_add(&symbols->rows) = *row;
}

/* Sort by address.  Where one sequence ends and another begins, the begin comes last. */
static int
compare_rows(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;
	int order = (x->address > y->address) - (x->address < y->address);
	if (!order)
		order = (x->line > 0) - (y->line > 0);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void
keep_unit(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr base, first, end;
	ptrdiff_t at = 0;
	while ((at = dwarf_ranges(unit, at, &base, &first, &end)) > 0)
		*vec_add(&symbols->units) =
		    (struct unit_row){first + bias, end + bias, dwarf_dieoffset(unit)};
}

static int
compare_units(const void *a, const void *b)
{
	const struct unit_row *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

static void
list_rows(struct symbols *symbols)
{
	struct map units = {0};
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	map_ranges(symbols, &units);
	while ((unit = dwfl_module_nextcu(symbols->module, unit, &bias)))
		if (!map_find(&units, dwarf_dieoffset(unit))) {
			list_unit(unit, bias, keep_row, symbols);
			keep_unit(symbols, unit, bias);
		}
	map_free(&units);
	if (symbols->units.count)
		qsort(symbols->units.at, symbols->units.count, sizeof *symbols->units.at,
		      compare_units);
	if (symbols->rows.count)
		qsort(symbols->rows.at, symbols->rows.count, sizeof *symbols->rows.at,
		      compare_rows);
	symbols->listed = true;
}

static const struct line_row *
find_row(struct symbols *symbols, uint64_t address)
{
	size_t at;
	if (!symbols->listed)
		list_rows(symbols);
	lower_bound(at, symbols->rows.count, symbols->rows.at[at].address <= address);
	return at && symbols->rows.at[at - 1].line ? &symbols->rows.at[at - 1] : NULL;
}

static void
find_line(struct symbols *symbols, uint64_t address, struct symbol_place *place)
{
	Dwfl_Line *found = dwfl_module_getsrc(symbols->module, address);
	const struct line_row *row = found ? NULL : find_row(symbols, address);
	place->line = row ? row->line : 0;
	place->path = row ? row->path : NULL;
	if (found)
		place->path = dwfl_lineinfo(found, NULL, &place->line, NULL, NULL, NULL);
}

/* --- inlined functions ------------------------------------------------- */

enum { SCOPES_MOST = 64 }; /* nesting limit against hostile files */

/* Begin or end of the code of an inlined function. */
struct inline_edge {
	uint64_t address;
	size_t call;
	bool end;
	unsigned depth;
};

struct inline_listing {
	struct inline_unit *unit;
	Dwarf_Addr bias;
	VEC(struct inline_edge) edges;
};

static const char *
name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

static size_t
add_call(struct inline_listing *listing, Dwarf_Die *die, size_t parent, unsigned depth)
{
	Dwarf_Addr base, first, end;
	ptrdiff_t at = 0;
	const char *name = name_of(die);
	size_t call = listing->unit->calls.count;
	if (!name)
		return parent;
	*vec_add(&listing->unit->calls) = (struct inline_call){name, parent};
	while ((at = dwarf_ranges(die, at, &base, &first, &end)) > 0) {
		if (first >= end)
			continue;
		*vec_add(&listing->edges) =
		    (struct inline_edge){first + listing->bias, call, false, depth};
		*vec_add(&listing->edges) =
		    (struct inline_edge){end + listing->bias, call, true, depth};
	}
	return call;
}

static bool
has_code_within(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* List the calls inlined below a DIE, in the order of the file. */
static void
list_calls(struct inline_listing *listing, Dwarf_Die *die)
{
	struct {
		Dwarf_Die die;
		size_t call; /* call that its children are inlined into */
	} open[SCOPES_MOST];
	unsigned depth = 0;
	if (dwarf_child(die, &open[0].die))
		return;
	open[0].call = NO_CALL;
	for (;;) {
		Dwarf_Die *at = &open[depth].die;
		int tag = dwarf_tag(at);
		size_t call = open[depth].call;
		if (tag == DW_TAG_inlined_subroutine)
			call = add_call(listing, at, call, depth);
		if (depth + 1 < SCOPES_MOST && has_code_within(tag) &&
		    !dwarf_child(at, &open[depth + 1].die)) {
			open[++depth].call = call;
			continue;
		}
		while (dwarf_siblingof(&open[depth].die, &open[depth].die))
			if (!depth--)
				return;
	}
}

/* Sort ends before begins; inner ends first, outer begins first. */
static int
compare_edges(const void *a, const void *b)
{
	const struct inline_edge *x = a, *y = b;
	int order = (x->address > y->address) - (x->address < y->address);
	if (!order)
		order = y->end - x->end;
	if (!order)
		order = x->end ? (x->depth < y->depth) - (x->depth > y->depth)
			       : (x->depth > y->depth) - (x->depth < y->depth);
	return order ? order : (x->call > y->call) - (x->call < y->call);
}

static void
make_rows(struct inline_listing *listing)
{
	struct inline_unit *unit = listing->unit;
	size_t now = NO_CALL;
	if (listing->edges.count)
		qsort(listing->edges.at, listing->edges.count, sizeof *listing->edges.at,
		      compare_edges);
	for (size_t i = 0; i < listing->edges.count; i++) {
		const struct inline_edge *edge = &listing->edges.at[i];
		if (!edge->end)
			now = edge->call;
		else if (now == edge->call)
			now = unit->calls.at[now].parent;
		struct inline_row *last =
		    unit->rows.count ? &unit->rows.at[unit->rows.count - 1] : NULL;
		if (!last || last->address != edge->address)
			last = vec_add(&unit->rows);
		*last = (struct inline_row){edge->address, now};
	}
}

static bool
find_unit(struct symbols *symbols, uint64_t address, Dwarf_Die *unit, Dwarf_Addr *bias)
{
	Dwarf_Die *found = dwfl_module_addrdie(symbols->module, address, bias);
	size_t at;
	if (found) {
		*unit = *found;
		return true;
	}
	if (!symbols->listed)
		list_rows(symbols);
	lower_bound(at, symbols->units.count, symbols->units.at[at].first <= address);
	Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, bias);
	return at && dwarf && address < symbols->units.at[at - 1].end &&
	       dwarf_offdie(dwarf, symbols->units.at[at - 1].unit, unit);
}

static const struct inline_unit *
inlined_of(struct symbols *symbols, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Addr bias;
	if (!find_unit(symbols, address, &unit, &bias))
		return NULL;
	uint64_t *known = map_add(&symbols->inlined_by, dwarf_dieoffset(&unit));
	if (!*known) {
		struct inline_listing listing = {.unit = vec_add(&symbols->inlined), .bias = bias};
		*known = symbols->inlined.count;
		list_calls(&listing, &unit);
		make_rows(&listing);
		vec_free(&listing.edges);
	}
	return &symbols->inlined.at[*known - 1];
}

size_t
symbols_inlined(struct symbols *symbols, uint64_t address, const char **names, size_t most)
{
	size_t at, count = 0, left = 0;
	pthread_mutex_lock(&symbols->lock);
	const struct inline_unit *unit = inlined_of(symbols, address);
	if (unit)
		lower_bound(at, unit->rows.count, unit->rows.at[at].address <= address);
	size_t call = unit && at ? unit->rows.at[at - 1].call : (size_t)NO_CALL;
	for (size_t i = call; i != NO_CALL; i = unit->calls.at[i].parent)
		count++;
	for (size_t i = call; i != NO_CALL; i = unit->calls.at[i].parent)
		if (++left > count - (count < most ? count : most))
			names[count - left] = unit->calls.at[i].name;
	pthread_mutex_unlock(&symbols->lock);
	return count < most ? count : most;
}

/* --- names ------------------------------------------------------------- */

/* True if ADDRESS belongs to a symbol.  One without a size ends at most with its section:
 * symbols that a linker puts after all others name nothing. */
static bool
is_within(struct symbols *symbols, uint64_t address, const GElf_Sym *symbol, GElf_Off offset)
{
	GElf_Shdr header;
	GElf_Addr bias;
	if (symbol->st_size)
		return offset < symbol->st_size;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);
	Elf_Scn *section = elf ? elf_getscn(elf, symbol->st_shndx) : NULL;
	return section && gelf_getshdr(section, &header) &&
	       address - bias - header.sh_addr < header.sh_size;
}

/* True for a Thumb function: "If the symbol addresses a Thumb instruction, its value is the
 * address of the instruction with bit zero set" [ELF for the Arm Architecture, "Symbol Values"]. */
static bool
is_thumb(const struct symbols *symbols, const GElf_Sym *symbol)
{
	return symbols->arm && symbol->st_value & 1 && GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static const char *
find_symbol(struct symbols *symbols, uint64_t address, GElf_Off *offset)
{
	GElf_Sym symbol = {0};
	const char *name = NULL;
	if (symbols->arm)
		name = dwfl_module_addrinfo(symbols->module, address | 1, offset, &symbol, NULL,
					    NULL, NULL);
	if (name && is_thumb(symbols, &symbol)) {
		*offset += address & 1;
	} else {
		name = dwfl_module_addrinfo(symbols->module, address, offset, &symbol, NULL, NULL,
					    NULL);
		*offset += name && is_thumb(symbols, &symbol);
	}
	return name && is_within(symbols, address, &symbol, *offset) ? name : NULL;
}

/* Return the cached place of an address. */
static const struct symbol_place *
find_place(struct symbols *symbols, uint64_t address)
{
	size_t at = (address * 0x9e3779b97f4a7c15) >> 32 & (ANSWERS - 1);
	struct answer *answer = &symbols->answers[at];
	GElf_Off offset = 0;
	if (answer->asked && answer->address == address)
		return &answer->place;
	answer->asked = true;
	answer->address = address;
	answer->place.function = find_symbol(symbols, address, &offset);
	answer->place.offset = offset;
	find_line(symbols, address, &answer->place);
	return &answer->place;
}

bool
symbols_find(struct symbols *symbols, uint64_t address, struct symbol_place *place)
{
	pthread_mutex_lock(&symbols->lock);
	*place = *find_place(symbols, address);
	pthread_mutex_unlock(&symbols->lock);
	return place->function || place->path;
}

void
symbols_add_place(const struct symbol_place *place, struct text *out)
{
	text_add(out, place->function);
	if (place->offset)
		text_addf(out, "+0x%llx", (unsigned long long)place->offset);
	if (!place->path)
		return;
	const char *slash = strrchr(place->path, '/');
	text_addf(out, " %s:%d", slash ? slash + 1 : place->path, place->line);
}

struct line_listing {
	symbols_take *take;
	void *context;
};

static void
give_row(void *context, const struct line_row *row)
{
	const struct line_listing *listing = context;
	const struct symbol_place place = {.path = row->path, .line = row->line};
	if (row->line)
		listing->take(listing->context, row->address, &place);
}

void
symbols_list_lines(struct symbols *symbols, symbols_take *take, void *context)
{
	struct line_listing listing = {take, context};
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	pthread_mutex_lock(&symbols->lock);
	while ((unit = dwfl_module_nextcu(symbols->module, unit, &bias)))
		list_unit(unit, bias, give_row, &listing);
	pthread_mutex_unlock(&symbols->lock);
}

void
symbols_list_functions(struct symbols *symbols, symbols_take *take, void *context)
{
	pthread_mutex_lock(&symbols->lock);
	int count = dwfl_module_getsymtab(symbols->module);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		struct symbol_place place = {0};
		place.function = dwfl_module_getsym_info(symbols->module, i, &symbol, &address,
							 NULL, NULL, NULL);
		if (!place.function || !*place.function || symbol.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		take(context, address, &place);
	}
	pthread_mutex_unlock(&symbols->lock);
}

/* Find the next loaded segment, from header *AT on. Called with the lock held. */
static bool
next_segment(struct symbols *symbols, size_t *at, GElf_Phdr *header)
{
	size_t count = 0;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);
	if (!elf || elf_getphdrnum(elf, &count))
		count = 0;
	while (*at < count && *at <= INT32_MAX)
		if (gelf_getphdr(elf, (int)(*at)++, header) && header->p_type == PT_LOAD)
			return true;
	return false;
}

/* A segment is mapped from the start of its first page. */
bool
symbols_place(struct symbols *symbols, uint64_t offset, uint64_t *address)
{
	enum { PAGE = 4096 };
	bool found = false;
	size_t at = 0;
	GElf_Phdr header;
	pthread_mutex_lock(&symbols->lock);
	while (next_segment(symbols, &at, &header)) {
		if (offset < header.p_offset / PAGE * PAGE ||
		    offset >= header.p_offset + header.p_filesz ||
		    (found && !(header.p_flags & PF_X)))
			continue;
		*address = header.p_vaddr + (offset - header.p_offset);
		found = true;
	}
	pthread_mutex_unlock(&symbols->lock);
	return found;
}

bool
symbols_cover(struct symbols *symbols, uint64_t address)
{
	size_t at = 0;
	GElf_Phdr header;
	pthread_mutex_lock(&symbols->lock);
	bool covered = false;
	while (!covered && next_segment(symbols, &at, &header))
		covered = address - header.p_vaddr < header.p_memsz;
	covered = covered || find_place(symbols, address)->function;
	pthread_mutex_unlock(&symbols->lock);
	return covered;
}

/* Find the section with the file's own bytes at ADDRESS, and the position in it. */
static Elf_Data *
find_data(struct symbols *symbols, uint64_t address, size_t *at)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);
	Elf_Scn *section = NULL;
	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type != SHT_PROGBITS || address < header.sh_addr ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);
		*at = (size_t)(address - header.sh_addr);
		return data && data->d_buf && *at < data->d_size ? data : NULL;
	}
	return NULL;
}

/* True if LENGTH bytes are printable text. */
static bool
is_text(const char *bytes, size_t length)
{
	for (size_t taken = 0; length; bytes += taken, length -= taken) {
		uint32_t code;
		taken = text_decode(bytes, length, &code);
		if (!taken || (text_is_control(code) && !strchr("\n\r\t", (int)code)))
			return false;
	}
	return true;
}

bool
symbols_string(struct symbols *symbols, uint64_t address, struct text *out)
{
	size_t at;
	pthread_mutex_lock(&symbols->lock);
	const Elf_Data *data = find_data(symbols, address, &at);
	const char *text = data ? (const char *)data->d_buf + at : NULL;
	size_t length = data ? strnlen(text, data->d_size - at) : 0;
	bool found = length && length < data->d_size - at && is_text(text, length);
	if (found)
		text_add_bytes(out, text, length < STRING_MAX ? length : STRING_MAX);
	pthread_mutex_unlock(&symbols->lock);
	return found;
}

const char *
symbols_version(void)
{
	return dwfl_version(NULL);
}
