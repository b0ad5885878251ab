# The begin and the end of each program: a stack, main, and a store that ends QEMU.
	.section .text.start, "ax"
	.globl _start
_start:
	la sp, stack_end
	call main
	li t0, 0x100000 # the test device of QEMU's machine `virt`
	li t1, 0x5555
	sw t1, 0(t0)
1:	beqz zero, 1b

	.bss
	.balign 16
	.skip 4096
stack_end:
