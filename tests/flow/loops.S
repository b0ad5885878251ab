# Calls that are short jumps, forth and back, and a loop around them.
	.text
	.globl short_calls
short_calls: # (rounds): sum
	mv a2, ra
	mv a1, a0
	li a0, 0
1:	jal ra, 2f
	jal ra, 2f
	addi a1, a1, -1
	bnez a1, 1b
	mv ra, a2
	ret
2:	beqz a1, 3f
	addi a0, a0, 1
3:	ret

# Many branches that go one way each time, and a jump to one that does not.
	.globl steady, turning
steady: # (turn, where to go)
	.rept 34
	beqz zero, 1f
	nop
1:
	.endr
	jr a1
turning:
	beqz a0, 1f
	nop
1:	ret
