# Machine, supervisor and user mode: vectored handlers of the first two, to which traps of the
# others are delegated; a timer interrupt in machine mode raises a software interrupt of the
# supervisor.
	.text
	.globl main
main:
	la t0, machine_vectors
	ori t0, t0, 1 # vectored
	csrw mtvec, t0
	la t0, supervisor_vectors
	ori t0, t0, 1
	csrw stvec, t0
	li t0, 0x100 # ecall of user mode
	csrw medeleg, t0
	li t0, 2 # software interrupts of the supervisor
	csrw mideleg, t0
	li t0, 0x82 # timer of machine mode, software of supervisor
	csrw mie, t0
	li t0, -1
	srli t0, t0, 10 # all memory is for all
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	sd ra, 0(sp)
	mv s11, sp
	call next_tick
	li t0, 0x1800
	csrc mstatus, t0
	li t0, 0x0820 # previous mode supervisor, interrupts on in it
	csrs mstatus, t0
	la t0, supervisor
	csrw mepc, t0
	mret

next_tick: # changes t0, t1
	li t0, 0x200bff8
	ld t1, 0(t0)
	addi t1, t1, 14
	li t0, 0x2004000
	sd t1, 0(t0)
	ret

supervisor:
	li s0, 0
	li t0, 0x120
	csrc sstatus, t0
	la t0, user
	csrw sepc, t0
	li t0, 0x20 # interrupts on in user mode
	csrs sstatus, t0
	sret

user:
	li s1, 12
1:	li a0, 6
	call factorial
	li s2, 9
2:	addi s2, s2, -1
	bnez s2, 2b
	li a7, 1
	ecall # to the supervisor
	addi s1, s1, -1
	bnez s1, 1b
	li a7, 0
	ecall
3:	beqz zero, 3b

factorial:
	beqz a0, 1f
	addi sp, sp, -16
	sd ra, 0(sp)
	sd a0, 8(sp)
	addi a0, a0, -1
	call factorial
	ld a1, 8(sp)
	mul a0, a0, a1
	ld ra, 0(sp)
	addi sp, sp, 16
	ret
1:	li a0, 1
	ret

	.balign 256
	.option push
	.option norvc
machine_vectors: # a jump for each interrupt; exceptions come to the first
	j machine_exception
	j unexpected
	j unexpected
	j unexpected
	j unexpected
	j unexpected
	j unexpected
	j machine_timer

	.balign 256
supervisor_vectors:
	j supervisor_exception
	j supervisor_software
	.option pop

unexpected:
	li t0, 0x100000
	li t1, 0x3333
	sw t1, 0(t0)

machine_timer:
	csrw mscratch, t0
	addi sp, sp, -32
	sd t1, 0(sp)
	sd ra, 8(sp)
	call next_tick
	csrsi mip, 2
	ld ra, 8(sp)
	ld t1, 0(sp)
	addi sp, sp, 32
	csrr t0, mscratch
	mret

machine_exception: # ecall of the supervisor: a7 is 0 at the end
	beqz a7, 1f
	csrw mscratch, t0
	csrr t0, mepc
	addi t0, t0, 4
	csrw mepc, t0
	csrr t0, mscratch
	mret
1:	mv sp, s11
	ld ra, 0(sp)
	ret

supervisor_software:
	csrci sip, 2
	addi s0, s0, 1
	sret

supervisor_exception:
	csrw sscratch, t0
	csrr t0, sepc
	addi t0, t0, 4
	csrw sepc, t0
	andi t0, s1, 3
	bnez t0, 1f
	ecall # to machine mode, which returns but for the last
	j 2f
1:	beqz a7, 3f
2:	csrr t0, sscratch
	sret
3:	ecall
