# Jumps that leave calls behind: setjmp and longjmp, and co-routines that swap two link
# registers; returns go elsewhere than behind the newest call.
	.text
	.globl set_jump, long_jump, swap_begin
#define WORD (__riscv_xlen / 8)
#if __riscv_xlen == 64
#define S sd
#define L ld
#else
#define S sw
#define L lw
#endif
set_jump: # (place): 0
	S ra, 0(a0)
	S sp, WORD(a0)
	S s0, 2 * WORD(a0)
	S s1, 3 * WORD(a0)
	S s2, 4 * WORD(a0)
	S s3, 5 * WORD(a0)
	S s4, 6 * WORD(a0)
	S s5, 7 * WORD(a0)
	li a0, 0
	ret
long_jump: # (place, value)
	L ra, 0(a0)
	L sp, WORD(a0)
	L s0, 2 * WORD(a0)
	L s1, 3 * WORD(a0)
	L s2, 4 * WORD(a0)
	L s3, 5 * WORD(a0)
	L s4, 6 * WORD(a0)
	L s5, 7 * WORD(a0)
	mv a0, a1
	ret
swap_begin: # (rounds): two routines in turn, by x1 and x5
	addi sp, sp, -16
	S ra, 0(sp)
	mv t1, a0
	li a0, 0
	la t0, other
1:	addi a0, a0, 1
	jalr ra, 0(t0)
	mv t0, ra
	addi t1, t1, -1
	bnez t1, 1b
	L ra, 0(sp)
	addi sp, sp, 16
	ret
other:
	slli a0, a0, 1
	jalr ra, 0(ra)
	j other
