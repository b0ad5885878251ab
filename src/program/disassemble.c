/*
 * Texts of instructions: see disassemble.h.
 *
 * The names and types of functions are those of [LLVM 14, llvm-c/Disassembler.h,
 * llvm-c/DisassemblerTypes.h, llvm-c/Target.h].  They are the same at least from version 11 to
 * 22.  The library prints a direct jump with a distance, which is replaced by the target.
 *
 * The library counts the instructions of an IT block in the order of its calls.  That is not the
 * order in memory, so end_it_block ends each block with NOPs.
 */
#include "config.h"

#include "program/disassemble.h"
#include "base/bytes.h"
#include "base/vec.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Sonames of distributions, the newest first. */
static const char *const sonames[] = {
    "libLLVM.so.22.1", "libLLVM.so.21.1", "libLLVM.so.20.1", "libLLVM.so.19.1", "libLLVM.so.18.1",
    "libLLVM-18.so.1", "libLLVM-17.so.1", "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-14.so.1",
    "libLLVM-13.so.1", "libLLVM-12.so.1", "libLLVM-11.so.1",
};

/* LLVM's names of each machine.  Version 11 has all these extensions; the library warns of
 * unknown ones. */
static const struct machine_row {
	const char *triple, *features;
} machines[INSN_MACHINE_COUNT] = {
    [INSN_RV32] = {"riscv32", "+m,+a,+f,+d,+c"},
    [INSN_RV64] = {"riscv64", "+m,+a,+f,+d,+c"},
    [INSN_A32] = {"armv8-none-eabi", "+crc,+crypto,+virtualization"},
    [INSN_T32] = {"thumbv8-none-eabi", "+crc,+crypto,+virtualization"},
    [INSN_A64] = {"aarch64", "+v8.5a,+sve,+crypto"},
};

typedef void *llvm_create(const char *triple, const char *cpu, const char *features, void *context,
			  int tag, void *info, void *lookup);
typedef size_t llvm_disassemble(void *, uint8_t *bytes, uint64_t length, uint64_t address,
				char *out, size_t size);
typedef void llvm_call(void);
typedef void llvm_dispose(void *);

/* The library, once it is open. */
static struct {
	pthread_once_t once;
	llvm_create *create;
	llvm_disassemble *disassemble;
	llvm_dispose *dispose;
} llvm = {.once = PTHREAD_ONCE_INIT};

struct disassembler {
	void *contexts[INSN_MACHINE_COUNT]; /* NULL: not yet created */
};

/* Initialise our machines in the library.  Return false if it does not have one of them. */
static bool
initialise_machines(void *library)
{
	static const char *const targets[] = {"RISCV", "ARM", "AArch64"};
	static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
			struct text name = {0};
			text_addf(&name, "LLVMInitialize%s%s", targets[i], parts[k]);
			llvm_call *call = (llvm_call *)dlsym(library, text_get(&name));
			text_free(&name);
			if (!call)
				return false;
			call();
		}
	return true;
}

static bool
use_library(void *library)
{
	llvm_create *create = (llvm_create *)dlsym(library, "LLVMCreateDisasmCPUFeatures");
	llvm.disassemble = (llvm_disassemble *)dlsym(library, "LLVMDisasmInstruction");
	llvm.dispose = (llvm_dispose *)dlsym(library, "LLVMDisasmDispose");
	if (!create || !llvm.disassemble || !llvm.dispose || !initialise_machines(library))
		return false;
	llvm.create = create;
	return true;
}

/* Open the newest library.  It stays open, as it cannot be unloaded safely. */
static void
open_library(void)
{
	for (size_t i = 0; i < sizeof sonames / sizeof *sonames; i++) {
		void *library = dlopen(sonames[i], RTLD_LAZY | RTLD_LOCAL);
		if (library && use_library(library))
			return;
	}
}

struct disassembler *
disassembler_new(struct err *err)
{
	pthread_once(&llvm.once, open_library);
	if (llvm.create)
		return mem_new(sizeof(struct disassembler));
	err_set(err, ERR_UNSUPPORTED,
		"no disassembler is installed: instructions have no text; " DISASSEMBLER_MISSING);
	return NULL;
}

void
disassembler_free(struct disassembler *d)
{
	for (size_t i = 0; d && i < INSN_MACHINE_COUNT; i++)
		if (d->contexts[i])
			llvm.dispose(d->contexts[i]);
	free(d);
}

static void *
context_of(struct disassembler *d, enum insn_machine machine)
{
	const struct machine_row *row = &machines[machine];
	if (!d->contexts[machine] && row->triple)
		d->contexts[machine] =
		    llvm.create(row->triple, "", row->features, NULL, 0, NULL, NULL);
	return d->contexts[machine];
}

/* Write the bytes of an instruction as in memory. */
static void
put_opcode(enum insn_machine machine, const struct insn *insn, uint8_t *out)
{
	uint32_t opcode = insn->opcode;
	if (machine == INSN_T32 && insn->length == 4)
		opcode = opcode >> 16 | opcode << 16;
	for (unsigned i = 0; i < insn->length; i++)
		out[i] = (uint8_t)(opcode >> 8 * i);
}

/* Append a text of the library with one blank between its parts. */
static void
add_parts(const char *from, size_t length, struct text *out)
{
	bool blank = false, begun = false;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)from[i];
		if (c <= ' ' || c > '~') {
			blank = true;
			continue;
		}
		if (blank && begun)
			text_add_char(out, ' ');
		blank = false;
		begun = true;
		text_add_char(out, (char)c);
	}
}

/* Return the length of a text without its last operand, the distance. */
static size_t
before_target(const char *from, size_t length)
{
	while (length && from[length - 1] != ' ' && from[length - 1] != ',' &&
	       from[length - 1] != '\t')
		length--;
	return length;
}

/* End an IT block with NOPs.  "IT{x{y{z}}}: mask: the lowest bit that is set ends the block"
 * [Arm ARM, "IT"]. */
static void
end_it_block(void *context, enum insn_machine machine, const struct insn *it)
{
	char ignored[64];
	unsigned mask = it->opcode & 15;
	if (machine != INSN_T32 || it->length != 2 || (it->opcode & 0xff00) != 0xbf00)
		return;
	for (; mask; mask = mask << 1 & 15) {
		uint8_t nop[] = {0x00, 0xbf};
		llvm.disassemble(context, nop, sizeof nop, 0, ignored, sizeof ignored);
	}
}

bool
disassembler_add(struct disassembler *d, enum insn_machine machine, uint64_t address,
		 const struct insn *insn, struct text *out)
{
	enum { LONGEST = 256 };
	uint8_t bytes[4];
	char buffer[LONGEST];
	void *context = insn->length ? context_of(d, machine) : NULL;
	if (!context)
		return false;
	put_opcode(machine, insn, bytes);
	if (!llvm.disassemble(context, bytes, insn->length, address, buffer, sizeof buffer))
		return false;
	end_it_block(context, machine, insn);
	size_t length = strlen(buffer);
	if (insn->class != INSN_BRANCH && !insn_is_direct(insn)) {
		add_parts(buffer, length, out);
		return true;
	}
	add_parts(buffer, before_target(buffer, length), out);
	text_addf(out, " 0x%" PRIx64, insn->target);
	return true;
}
