/* See mk_cpu.h. */
#include "config.h"

#include "mk_cpu.h"
#include "mk_out.h"

enum { RA = 1, MRET = 0x30200073, WFI = 0x10500073, DEVICES_SIZE = 256 };

static void
enter_trap(struct mk_cpu *cpu, uint32_t cause, uint32_t tval)
{
	cpu->mepc = cpu->pc;
	cpu->mcause = cause;
	cpu->mtval = tval;
	cpu->pc = cpu->mtvec;
}

void
mk_cpu_interrupt(struct mk_cpu *cpu, uint32_t cause)
{
	enter_trap(cpu, 1u << 31 | cause, 0);
}

/* The immediates of I, S, B and J. */
static int32_t
imm_i(uint32_t op)
{
	return (int32_t)op >> 20;
}

static int32_t
imm_s(uint32_t op)
{
	return (int32_t)(op & 0xfe000000) >> 20 | (int32_t)(op >> 7 & 0x1f);
}

static int32_t
imm_b(uint32_t op)
{
	return (int32_t)(op & 0x80000000) >> 19 |
	       (int32_t)((op << 4 & 0x800) | (op >> 20 & 0x7e0) | (op >> 7 & 0x1e));
}

static int32_t
imm_j(uint32_t op)
{
	return (int32_t)(op & 0x80000000) >> 11 |
	       (int32_t)((op & 0xff000) | (op >> 9 & 0x800) | (op >> 20 & 0x7fe));
}

static bool
is_device(uint32_t address)
{
	return address - MK_CPU_DEVICES < DEVICES_SIZE;
}

static bool
in_memory(const struct mk_cpu *cpu, uint32_t address, uint32_t size)
{
	return address - cpu->base < cpu->size && cpu->size - (address - cpu->base) >= size;
}

static uint32_t
read_memory(const struct mk_cpu *cpu, uint32_t address, uint32_t size)
{
	uint32_t value = 0;
	for (uint32_t i = size; i--;)
		value = value << 8 | cpu->memory[address - cpu->base + i];
	return value;
}

/* Words and bytes, which are all that the program has. */
static bool
load(struct mk_cpu *cpu, uint32_t op, uint32_t address)
{
	uint32_t size = op >> 12 & 2 ? 4 : 1, value = 0;
	if ((op >> 12 & 7) != 2 && (op >> 12 & 7) != 4)
		mk_die("a load that the hart does not know");
	if (is_device(address))
		value = cpu->load(cpu->context, address);
	else if (in_memory(cpu, address, size))
		value = read_memory(cpu, address, size);
	else
		return false;
	cpu->x[op >> 7 & 31] = value;
	return true;
}

static bool
store(struct mk_cpu *cpu, uint32_t op, uint32_t address)
{
	uint32_t value = cpu->x[op >> 20 & 31];
	if ((op >> 12 & 7) != 2)
		mk_die("a store that the hart does not know");
	if (is_device(address))
		cpu->store(cpu->context, address, value);
	else if (!in_memory(cpu, address, sizeof value))
		return false;
	else
		for (unsigned i = 0; i < sizeof value; i++)
			cpu->memory[address - cpu->base + i] = (uint8_t)(value >> 8 * i);
	return true;
}

static bool
is_taken(const struct mk_cpu *cpu, uint32_t op)
{
	uint32_t a = cpu->x[op >> 15 & 31], b = cpu->x[op >> 20 & 31];
	bool holds = false;
	switch (op >> 13 & 3) {
	case 0:
		holds = a == b;
		break;
	case 2:
		holds = (int32_t)a < (int32_t)b;
		break;
	case 3:
		holds = a < b;
		break;
	default:
		mk_die("a branch that the hart does not know");
	}
	return holds != (op >> 12 & 1);
}

/* OP: as the opcode of two registers has it, of one and an immediate B. */
static uint32_t
calculate(uint32_t op, uint32_t a, uint32_t b, bool subtract)
{
	switch (op >> 12 & 7) {
	case 0:
		return subtract ? a - b : a + b;
	case 1:
		return a << (b & 31);
	case 2:
		return (int32_t)a < (int32_t)b;
	case 3:
		return a < b;
	case 4:
		return a ^ b;
	case 5:
		return op >> 30 & 1 ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
	case 6:
		return a | b;
	default:
		return a & b;
	}
}

static uint32_t *
find_csr(struct mk_cpu *cpu, uint32_t number)
{
	switch (number) {
	case 0x305:
		return &cpu->mtvec;
	case 0x341:
		return &cpu->mepc;
	case 0x342:
		return &cpu->mcause;
	case 0x343:
		return &cpu->mtval;
	default:
		mk_die("a register that the hart does not have");
	}
}

static enum mk_cpu_kind
step_system(struct mk_cpu *cpu, uint32_t op, uint32_t *next)
{
	if (op == WFI)
		return MK_CPU_WAIT;
	if (op == MRET) {
		*next = cpu->mepc;
		return MK_CPU_TRAP_RETURN;
	}
	uint32_t *csr = find_csr(cpu, op >> 20), old = *csr, with = op >> 15 & 31;
	if ((op >> 12 & 7) == 1)
		*csr = cpu->x[with];
	else if ((op >> 12 & 7) != 2 || with)
		mk_die("an instruction that the hart does not know");
	cpu->x[op >> 7 & 31] = old;
	return MK_CPU_PLAIN;
}

static enum mk_cpu_kind
step_jump(struct mk_cpu *cpu, uint32_t op, uint32_t *next)
{
	uint32_t rd = op >> 7 & 31, rs1 = op >> 15 & 31, target = cpu->pc + (uint32_t)imm_j(op);
	bool direct = op >> 3 & 1;
	if (!direct)
		target = (cpu->x[rs1] + (uint32_t)imm_i(op)) & ~1u;
	cpu->x[rd] = cpu->pc + 4;
	*next = target;
	if (direct)
		return rd == RA ? MK_CPU_CALL : MK_CPU_JUMP;
	return rd == 0 && rs1 == RA ? MK_CPU_RETURN : MK_CPU_INDIRECT;
}

enum mk_cpu_kind
mk_cpu_step(struct mk_cpu *cpu)
{
	uint32_t op, next = cpu->pc + 4;
	enum mk_cpu_kind kind = MK_CPU_PLAIN;
	if (!in_memory(cpu, cpu->pc, sizeof op))
		mk_die("the program runs where no memory is");
	op = read_memory(cpu, cpu->pc, sizeof op);
	uint32_t *rd = &cpu->x[op >> 7 & 31], a = cpu->x[op >> 15 & 31];
	uint32_t b = cpu->x[op >> 20 & 31];
	uint32_t place = a + (uint32_t)((op & 0x7f) == 0x23 ? imm_s(op) : imm_i(op));
	switch (op & 0x7f) {
	case 0x03:
		kind = load(cpu, op, place) ? kind : MK_CPU_TRAPPED;
		break;
	case 0x13:
		*rd = calculate(op, a, (uint32_t)imm_i(op), false);
		break;
	case 0x17:
		*rd = cpu->pc + (op & 0xfffff000);
		break;
	case 0x23:
		kind = store(cpu, op, place) ? kind : MK_CPU_TRAPPED;
		break;
	case 0x33:
		*rd = calculate(op, a, b, op >> 30 & 1);
		break;
	case 0x37:
		*rd = op & 0xfffff000;
		break;
	case 0x63:
		kind = MK_CPU_BRANCH;
		next = is_taken(cpu, op) ? cpu->pc + (uint32_t)imm_b(op) : next;
		break;
	case 0x67:
	case 0x6f:
		kind = step_jump(cpu, op, &next);
		break;
	case 0x73:
		kind = step_system(cpu, op, &next);
		break;
	default:
		mk_die("an instruction that the hart does not know");
	}
	cpu->x[0] = 0;
	if (kind == MK_CPU_TRAPPED)
		enter_trap(cpu, (op & 0x7f) == 0x03 ? MK_CPU_LOAD_FAULT : MK_CPU_STORE_FAULT,
			   place);
	else
		cpu->pc = next;
	return kind;
}
