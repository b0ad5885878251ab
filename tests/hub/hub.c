/*
 * The firmware of the camera hub in the demo session: it passes groups of lines from a
 * sensor on to buffers that the DMA empties.  Nobody checks whether a buffer is free, which
 * is the fault that the demo ends in.
 *
 * tests/mk_hub.c runs it.  It is no part of any build: tests/hub/build makes
 * testdata/lab-hub.elf of it, which is kept.
 */
#include <stddef.h>
#include <stdint.h>

enum { BUFFERS = 3, GROUP = 24, CAUSE_INTERRUPT = 1u << 31 };

/* What the hub is connected to. */
struct device {
	volatile uint32_t group;  /* of lines that are ready, 0: the first of a frame */
	volatile uint32_t sensor; /* the next word of the group */
	volatile uint32_t freed;  /* a buffer that the DMA has emptied, or 0 */
	volatile uint32_t dma;	  /* takes the lines of a buffer */
	volatile uint32_t fault;  /* what the supervisor reads after a fault */
};

#define DEVICE ((struct device *)0x40000000)

struct buffer {
	struct buffer *next;
	uint32_t group, sum;
	uint32_t words[GROUP];
};

static struct buffer pool[BUFFERS];
static struct buffer *empty, *filling;

/* Registers that a called function may change are kept, the rest is kept by what is called. */
__asm__(".section .text.start, \"ax\"\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	la	sp, stack_top\n"
	"	la	t0, trap_entry\n"
	"	csrw	mtvec, t0\n"
	"	call	main\n"
	"	.size _start, . - _start\n"
	".text\n"
	".type trap_entry, @function\n"
	"trap_entry:\n"
	"	addi	sp, sp, -64\n"
	"	sw	ra, 0(sp)\n"
	"	sw	t0, 4(sp)\n"
	"	sw	t1, 8(sp)\n"
	"	sw	t2, 12(sp)\n"
	"	sw	a0, 16(sp)\n"
	"	sw	a1, 20(sp)\n"
	"	sw	a2, 24(sp)\n"
	"	sw	a3, 28(sp)\n"
	"	sw	a4, 32(sp)\n"
	"	sw	a5, 36(sp)\n"
	"	sw	a6, 40(sp)\n"
	"	sw	a7, 44(sp)\n"
	"	sw	t3, 48(sp)\n"
	"	sw	t4, 52(sp)\n"
	"	sw	t5, 56(sp)\n"
	"	sw	t6, 60(sp)\n"
	"	csrr	a0, mcause\n"
	"	csrr	a1, mtval\n"
	"	call	trap\n"
	"	lw	ra, 0(sp)\n"
	"	lw	t0, 4(sp)\n"
	"	lw	t1, 8(sp)\n"
	"	lw	t2, 12(sp)\n"
	"	lw	a0, 16(sp)\n"
	"	lw	a1, 20(sp)\n"
	"	lw	a2, 24(sp)\n"
	"	lw	a3, 28(sp)\n"
	"	lw	a4, 32(sp)\n"
	"	lw	a5, 36(sp)\n"
	"	lw	a6, 40(sp)\n"
	"	lw	a7, 44(sp)\n"
	"	lw	t3, 48(sp)\n"
	"	lw	t4, 52(sp)\n"
	"	lw	t5, 56(sp)\n"
	"	lw	t6, 60(sp)\n"
	"	addi	sp, sp, 64\n"
	"	mret\n"
	"	.size trap_entry, . - trap_entry\n"
	".bss\n"
	".balign 16\n"
	"	.space 2048\n"
	"stack_top:\n"
	".text\n");

#define APART __attribute__((noinline))

static APART void
give_back(struct buffer *buffer)
{
	buffer->next = empty;
	empty = buffer;
}

static APART struct buffer *
take_buffer(void)
{
	struct buffer *buffer = empty;
	if (buffer)
		empty = buffer->next;
	return buffer;
}

static APART void
copy_lines(struct buffer *buffer, uint32_t group)
{
	uint32_t sum = 0;
	buffer->group = group;
	for (unsigned i = 0; i < GROUP; i++) {
		uint32_t word = DEVICE->sensor;
		buffer->words[i] = word;
		sum += word ^ word >> 7;
	}
	buffer->sum = sum;
}

static APART void
begin_frame(void)
{
	struct buffer *freed = (struct buffer *)DEVICE->freed;
	if (freed)
		give_back(freed);
	filling = take_buffer();
}

static APART void
pass_lines(uint32_t group)
{
	if (group == 0)
		begin_frame();
	copy_lines(filling, group);
	DEVICE->dma = (uint32_t)(uintptr_t)filling;
}

static APART void
halt(uint32_t cause, uint32_t tval)
{
	DEVICE->fault = cause << 16 | (tval & 0xffff);
	for (;;)
		__asm__ volatile("wfi");
}

void
trap(uint32_t cause, uint32_t tval)
{
	if (cause & CAUSE_INTERRUPT)
		pass_lines(DEVICE->group);
	else
		halt(cause, tval);
}

static APART void
wait_for_lines(void)
{
	for (;;)
		__asm__ volatile("wfi");
}

int
main(void)
{
	empty = NULL;
	give_back(&pool[2]);
	give_back(&pool[1]);
	give_back(&pool[0]);
	wait_for_lines();
	return 0;
}
