/*
 * Makes traces of a program with overlays, and the names that are right, for scripts:
 *
 *	mkoverlay SEED COUNT [STEPS]
 *
 * Writes to the current folder
 *
 *	base.elf day.elf night.elf guest.elf	programs without code
 *	gem.bin elements.ppl packets.enc	COUNT steps each
 *	gem.truth elements.truth packets.truth	for each message a line: the function, `?` or none
 *
 * day.elf and night.elf are linked at the same address.  base.elf has a function there, too, and
 * behind them.  guest.elf is loaded with a virtual machine.  STEPS are those between two switches
 * in gem.bin, about; absent: five.
 */
#include "config.h"

#include "random.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RESIDENT = 0x80010000, /* addresses that are linked: of base.elf, */
	OVERLAY = 0x80030000,  /* of the overlays, */
	GUEST = 0x80050000,    /* of guest.elf; */
	UNUSED = 0x80070000,   /* of nothing */
	ID_FIRST = 0x80020000, /* day; night, a program without a file */
	FUNCTIONS_MOST = 64,
	VMID = 7
};

struct function {
	uint32_t address, size;
	char name[16];
};

struct program {
	const char *file;
	uint32_t first, size; /* its segment */
	struct function functions[FUNCTIONS_MOST];
	size_t count;
};

/* --- programs ---------------------------------------------------------- */

/* Fills a segment with functions of random sizes, and gaps. */
static struct program
program_make(uint64_t *seed, const char *file, uint32_t first, uint32_t size)
{
	struct program p = {.file = file, .first = first, .size = size};
	uint32_t at = 16 * random_below(seed, 3);
	while (p.count < FUNCTIONS_MOST - 1) {
		uint32_t own = 4 + 4 * random_below(seed, 24);
		if (at + own > size)
			break;
		struct function *f = &p.functions[p.count];
		*f = (struct function){.address = first + at, .size = own};
		snprintf(f->name, sizeof f->name, "%.*s_%zu", (int)(strlen(file) - 4), file,
			 p.count++);
		at += own + (random_below(seed, 3) ? 0 : 4 * random_below(seed, 8));
	}
	return p;
}

static void
program_write(const struct program *p)
{
	static const char names[] = "\0.text\0.symtab\0.strtab";
	size_t strings = sizeof names;
	char texts[FUNCTIONS_MOST * 16 + 64] = {0};
	Elf32_Sym symbols[FUNCTIONS_MOST + 1] = {{0}};
	memcpy(texts, names, sizeof names);
	for (size_t i = 0; i < p->count; i++) {
		const struct function *f = &p->functions[i];
		symbols[i + 1] = (Elf32_Sym){.st_name = (Elf32_Word)strings,
					     .st_value = f->address,
					     .st_size = f->size,
					     .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
					     .st_shndx = 1};
		strcpy(texts + strings, f->name);
		strings += strlen(f->name) + 1;
	}
	Elf32_Word text = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
	Elf32_Word symtab = text + p->size;
	Elf32_Word symtab_size = (Elf32_Word)((p->count + 1) * sizeof *symbols);
	Elf32_Word strtab = symtab + symtab_size;
	const Elf32_Ehdr head = {
	    .e_ident = {127, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = 243, /* RISC-V */
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof head,
	    .e_shoff = strtab + (Elf32_Word)strings,
	    .e_ehsize = sizeof head,
	    .e_phentsize = sizeof(Elf32_Phdr),
	    .e_phnum = 1,
	    .e_shentsize = sizeof(Elf32_Shdr),
	    .e_shnum = 4,
	    .e_shstrndx = 3};
	const Elf32_Phdr load = {.p_type = PT_LOAD,
				 .p_offset = text,
				 .p_vaddr = p->first,
				 .p_filesz = p->size,
				 .p_memsz = p->size,
				 .p_flags = PF_R | PF_X};
	const Elf32_Shdr sections[] = {{0},
				       {.sh_name = 1,
					.sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = p->first,
					.sh_offset = text,
					.sh_size = p->size},
				       {.sh_name = 7,
					.sh_type = SHT_SYMTAB,
					.sh_offset = symtab,
					.sh_size = symtab_size,
					.sh_link = 3,
					.sh_info = 1,
					.sh_entsize = sizeof *symbols},
				       {.sh_name = 15,
					.sh_type = SHT_STRTAB,
					.sh_offset = strtab,
					.sh_size = (Elf32_Word)strings}};
	FILE *out = fopen(p->file, "wb");
	if (!out)
		perror(p->file), exit(1);
	fwrite(&head, sizeof head, 1, out);
	fwrite(&load, sizeof load, 1, out);
	for (uint32_t i = 0; i < p->size; i += 4) /* nop */
		fwrite("\023\0\0", 4, 1, out);
	fwrite(symbols, symtab_size, 1, out);
	fwrite(texts, strings, 1, out);
	fwrite(sections, sizeof sections, 1, out);
	if (fclose(out))
		perror(p->file), exit(1);
}

static bool
covers(const struct program *p, uint32_t address)
{
	return address - p->first < p->size;
}

static const char *
function_at(const struct program *p, uint32_t address)
{
	for (size_t i = 0; i < p->count; i++)
		if (address - p->functions[i].address < p->functions[i].size)
			return p->functions[i].name;
	return "";
}

/* --- the truth --------------------------------------------------------- */

enum { BASE, DAY, NIGHT, GUESTS, PROGRAMS };

/* A state that some word sets, and a loss makes doubtful. */
struct state {
	bool known;
	uint32_t value;
};

struct maker {
	uint64_t seed;
	struct program programs[PROGRAMS], below; /* BELOW: of base.elf, where overlays are */
	FILE *out, *truth;
	struct state overlay[2], guest[2]; /* by sender */
	bool guests;			   /* guest.elf is known */
	bool half;			   /* the last word has lost its second one */
	unsigned switches, doubts;
	uint32_t steps; /* between two switches, about */
};

static const char *
name_of(struct maker *m, unsigned sender, uint32_t address)
{
	const struct state *overlay = &m->overlay[sender], *guest = &m->guest[sender];
	bool covered = false;
	for (int i = DAY; i <= NIGHT; i++) {
		if (!covers(&m->programs[i], address))
			continue;
		if (!overlay->known)
			return m->doubts++, "?";
		if (overlay->value == (uint32_t)i)
			return function_at(&m->programs[i], address);
		covered = true;
	}
	if (covered) /* by an overlay that is not loaded */
		return "";
	if (m->guests && covers(&m->programs[GUESTS], address)) {
		if (!guest->known)
			return m->doubts++, "?";
		return guest->value == VMID ? function_at(&m->programs[GUESTS], address) : "";
	}
	const char *below = function_at(&m->below, address);
	return *below ? below : function_at(&m->programs[BASE], address);
}

/* An address, mostly where overlays are. */
static uint32_t
address_next(struct maker *m)
{
	static const uint32_t first[] = {OVERLAY, OVERLAY, OVERLAY, RESIDENT, GUEST, UNUSED};
	uint32_t which = random_below(&m->seed, 6);
	return first[which] + 2 * random_below(&m->seed, which == 5 ? 0x100 : 0x500);
}

static void
open_files(struct maker *m, const char *name, const char *ending)
{
	char path[64];
	snprintf(path, sizeof path, "%s.%s", name, ending);
	m->out = fopen(path, "wb");
	snprintf(path, sizeof path, "%s.truth", name);
	m->truth = fopen(path, "w");
	if (!m->out || !m->truth)
		perror(path), exit(1);
	memset(m->overlay, 0, sizeof m->overlay);
	memset(m->guest, 0, sizeof m->guest);
	m->switches = m->doubts = 0;
	m->guests = m->half = false;
}

static void
close_files(struct maker *m, const char *name)
{
	printf("%s switches %u doubts %u\n", name, m->switches, m->doubts);
	if (fclose(m->out) || fclose(m->truth))
		perror(name), exit(1);
}

static void
tell(struct maker *m, const char *name)
{
	fprintf(m->truth, "%s\n", name);
}

/* --- OVERLAY words ------------------------------------------------------ */

enum { CONTEXT_CHANGE = 2, USER = 15 };

static void
put_le(struct maker *m, uint64_t value, unsigned bytes)
{
	for (; bytes--; value >>= 8)
		putc((int)(value & 0xff), m->out);
}

/* [UIA 1.01, GemTraceSync] */
static void
put_first(struct maker *m, unsigned type, uint32_t data)
{
	put_le(m, UINT64_C(0x80000003) | type << 26 | data >> 8 << 2, 4);
}

static void
put_second(struct maker *m, uint32_t data)
{
	put_le(m,
	       UINT64_C(0xc0000003) | (random_next(&m->seed) & 0xfffff) << 10 | (data & 0xff) << 2,
	       4);
}

static void
lose(struct maker *m)
{
	m->overlay[0].known = false;
}

/* A pair, of which a word may be lost; NAME is that of its data. */
static void
gem_pair(struct maker *m, unsigned type, uint32_t data, const char *name)
{
	unsigned lost = random_below(&m->seed, 8 * m->steps);
	bool half = m->half;
	m->half = false;
	if (lost > 1 || (half && !lost)) { /* two halves would pass for a pair */
		put_first(m, type, data);
		tell(m, "");
		put_second(m, data);
		tell(m, name);
		return;
	}
	lose(m);
	m->half = lost;
	if (lost)
		put_first(m, type, data);
	else
		put_second(m, data);
	tell(m, "");
}

static void
gem_switch(struct maker *m)
{
	uint32_t value = DAY + random_below(&m->seed, 3);
	struct state before = m->overlay[0];
	/* the word itself names nothing: the numbers are no addresses */
	m->overlay[0] = (struct state){true, value};
	gem_pair(m, USER, ID_FIRST + value, "");
	m->switches += m->overlay[0].known && before.value != value;
}

static void
make_gem(struct maker *m, unsigned count)
{
	uint32_t serial = 0;
	open_files(m, "gem", "bin");
	for (unsigned i = 0; i < count; i++) {
		uint32_t address = address_next(m), what = random_below(&m->seed, 16);
		if (what == 0) {
			/* words before a sync point are lost, with another one */
			unsigned lost = random_below(&m->seed, m->steps + 3)
					    ? 0
					    : 1 + random_below(&m->seed, 3);
			lost = serial ? lost : 0; /* the first one shows no gap */
			serial += 1 + lost;
			m->half = false;
			put_le(m, UINT64_C(0x04000003) | (serial & 0xffffff) << 2, 4);
			if (lost)
				lose(m);
			tell(m, "");
		} else if (!random_below(&m->seed, m->steps)) {
			gem_switch(m);
		} else {
			gem_pair(m, CONTEXT_CHANGE, address, name_of(m, 0, address));
		}
	}
	close_files(m, "gem");
}

/* --- CoreSight elements ------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void
put_element(struct maker *m, unsigned sender, const char *format, ...)
{
	static unsigned index;
	va_list args;
	fprintf(m->out, "Idx:%u; ID:%u; OCSD_GEN_TRC_ELEM_", index++, 10 + sender);
	va_start(args, format);
	vfprintf(m->out, format, args);
	va_end(args);
	putc('\n', m->out);
}

static void
make_elements(struct maker *m, unsigned count)
{
	open_files(m, "elements", "ppl");
	m->guests = true;
	for (unsigned i = 0; i < count; i++) {
		unsigned sender = random_below(&m->seed, 2), what = random_below(&m->seed, 16);
		uint32_t address = address_next(m);
		if (what == 0) {
			m->overlay[sender].known = m->guest[sender].known = false;
			put_element(m, sender, "NO_SYNC( [overflow])");
			tell(m, "");
		} else if (what < 4) {
			uint32_t value = DAY + random_below(&m->seed, 3);
			uint32_t vmid = random_below(&m->seed, 2) ? VMID : 3;
			m->switches += m->overlay[sender].value != value;
			m->overlay[sender] = (struct state){true, value};
			m->guest[sender] = (struct state){true, vmid};
			put_element(m, sender,
				    "PE_CONTEXT((ISA=A64) EL1N; 64-bit; VMID=0x%x; CTXTID=0x%x; )",
				    vmid, ID_FIRST + value);
			tell(m, "");
		} else if (what < 8) {
			put_element(m, sender, "ADDR_NACC( 0x%x )", address);
			tell(m, name_of(m, sender, address));
		} else {
			put_element(
			    m, sender,
			    "INSTR_RANGE(exec range=0x%x:[0x%x] num_i(1) last_sz(4) (ISA=A64) "
			    "E iBR A64:ret )",
			    address, address + 4);
			tell(m, name_of(m, sender, address));
		}
	}
	close_files(m, "elements");
}

/* --- E-Trace packets ------------------------------------------------------ */

struct bits {
	uint8_t bytes[32];
	unsigned count;
};

static void
put_bits(struct bits *bits, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, bits->count++)
		bits->bytes[bits->count / 8] |= (uint8_t)((value >> i & 1) << bits->count % 8);
}

/* Extends the last bit to a byte [E-Trace 2.0, "sign-based compression"], and sends the packet. */
static void
put_packet(struct maker *m, unsigned sender, struct bits *bits)
{
	unsigned last = bits->bytes[(bits->count - 1) / 8] >> (bits->count - 1) % 8 & 1;
	while (bits->count % 8)
		put_bits(bits, last, 1);
	putc((int)(bits->count / 8), m->out);
	putc((int)sender, m->out);
	fwrite(bits->bytes, 1, bits->count / 8, m->out);
}

static void
make_packets(struct maker *m, unsigned count)
{
	uint32_t last[2] = {0};
	bool located[2] = {false};
	open_files(m, "packets", "enc");
	for (unsigned i = 0; i < count; i++) {
		struct bits bits = {.count = 0};
		unsigned sender = random_below(&m->seed, 2), what = random_below(&m->seed, 16);
		uint32_t address = address_next(m), value = DAY + random_below(&m->seed, 3);
		struct state *state = &m->overlay[sender];
		const char *name = "";
		if (what == 0) { /* format 3, subformat 3: trace lost */
			put_bits(&bits, 0xf | 1 << 4 | 2 << 6, 19);
			state->known = located[sender] = false;
		} else if (what < 3) { /* subformat 2: privilege, context */
			put_bits(&bits, 0xb | 3 << 4 | value << 6, 14);
			m->switches += state->value != value;
			*state = (struct state){true, value};
		} else if (what < 6 || !located[sender]) { /* subformat 0: a start */
			put_bits(&bits, 3 | 1 << 4 | 3 << 5 | value << 7, 15);
			put_bits(&bits, address >> 1, 31);
			m->switches += state->value != value;
			*state = (struct state){true, value};
			located[sender] = true;
		} else { /* format 2: a distance, and three flags that say nothing */
			uint32_t distance = (address - last[sender]) >> 1 & 0x7fffffff;
			put_bits(&bits, 2, 2);
			put_bits(&bits, distance, 31);
			put_bits(&bits, distance >> 30 ? 7 : 0, 3);
		}
		if (what >= 3) {
			last[sender] = address;
			name = name_of(m, sender, address);
		}
		put_packet(m, sender, &bits);
		tell(m, name);
	}
	close_files(m, "packets");
}

int
main(int argc, char **argv)
{
	static struct maker m;
	if (argc != 3 && argc != 4) {
		fputs("usage: mkoverlay SEED COUNT [STEPS]\n", stderr);
		return 2;
	}
	unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
	m.seed = strtoull(argv[1], NULL, 10);
	m.steps = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 5;
	m.programs[BASE] = program_make(&m.seed, "base.elf", RESIDENT, 0x800);
	m.programs[DAY] = program_make(&m.seed, "day.elf", OVERLAY, 0x400);
	m.programs[NIGHT] = program_make(&m.seed, "night.elf", OVERLAY, 0x800);
	m.programs[GUESTS] = program_make(&m.seed, "guest.elf", GUEST, 0x400);
	/* behind all others: base.elf has a function where overlays are, too */
	struct program *base = &m.programs[BASE];
	m.below.functions[m.below.count++] = base->functions[base->count++] =
	    (struct function){.address = OVERLAY, .size = 0xa00, .name = "loader"};
	for (int i = 0; i < PROGRAMS; i++)
		program_write(&m.programs[i]);
	make_gem(&m, count);
	make_elements(&m, count);
	make_packets(&m, count);
	return 0;
}
