# Folds a log of every executed instruction into stacks, for tests/cli/insn.sh: what -t folded
# must print, told by another way.
#
# Input: symbols as `s ADDRESS SIZE NAME` (decimal, ADDRESS modulo 2^28), then lines of -t insn whose pcs were found
# to be those of the log; only the pc and the opcode of them are used, and where traps came.
# A frame is a call that has not come back: the stack is found by return addresses alone.

function number(hex,    i, value)
{
	value = 0
	for (i = 1; i <= length(hex); i++)
		value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return value
}

# Modulo 2^28: awks may write larger numbers as indexes with six digits.
function address_of(hex)
{
	return number(substr(hex, length(hex) - 6))
}

# A symbol without a size goes on to the next one.
function name_at(address,    i, best)
{
	if (address in known)
		return known[address]
	known[address] = "[unknown]"
	best = -1
	for (i = 1; i <= symbols; i++) {
		if (address < first[i] || first[i] < best)
			continue
		if (address < first[i] + size[i] || (!size[i] && first[i] > best)) {
			known[address] = name[i]
			best = first[i]
		}
	}
	return known[address]
}

# What an instruction does [RISC-V I]: C call, R return, M return from a trap, - else.
function class_of(hex,    op, rd, rs1, funct)
{
	if (hex in classes)
		return classes[hex]
	op = number(hex)
	classes[hex] = "-"
	if (length(hex) == 4) {
		# c.jalr: 1001 rs1 00000 10; c.jr: 1000; c.jal of RV32: 001 ... 01
		rs1 = int(op / 128) % 32
		if (int(op / 4096) == 9 && rs1 && op % 128 == 2)
			classes[hex] = "C"
		else if (int(op / 4096) == 8 && rs1 == 1 && op % 128 == 2)
			classes[hex] = "R"
		else if (narrow && int(op / 8192) == 1 && op % 4 == 1)
			classes[hex] = "C"
		return classes[hex]
	}
	rd = int(op / 128) % 32
	rs1 = int(op / 32768) % 32
	if (op % 128 == 111 && rd == 1)
		classes[hex] = "C"
	else if (op % 128 == 103 && rd == 1)
		classes[hex] = "C"
	else if (op % 128 == 103 && rd == 0 && rs1 == 1)
		classes[hex] = "R"
	else if (hex == "30200073")
		classes[hex] = "M"
	return classes[hex]
}

$1 == "s" {
	symbols++
	first[symbols] = $2
	size[symbols] = $3
	name[symbols] = $4
	next
}

# The instruction before went to PC.
function go(pc,    i)
{
	if (last == "C") {
		link[++depth] = behind
		caller[depth] = at
		trap[depth] = 0
	} else if (last == "R") {
		# further out: all within that are over
		for (i = depth; i && !trap[i]; i--)
			if (link[i] == pc) {
				depth = i - 1
				break
			}
	} else if (last == "M") {
		# without a trap it is a jump
		for (i = depth; i && !trap[i]; i--)
			continue
		if (i)
			depth = i - 1
	}
	last = "-"
}

$4 == "interrupt" || $4 == "exception" {
	# right behind the return from another trap no packet has the address
	if ($2 != "-" || last == "M")
		go(address_of($2))
	link[++depth] = $2 == "-" ? 0 : address_of($2)
	caller[depth] = link[depth]
	trap[depth] = 1
	missing[depth] = $2 == "-"
	last = "-"
	next
}

{
	pc = address_of($2)
	go(pc)
	stack = ""
	for (i = 1; i <= depth; i++)
		stack = stack (trap[i] && missing[i] ? "[unknown]" : name_at(caller[i])) ";"
	count[stack name_at(pc)]++
	last = class_of($3)
	at = pc
	behind = pc + length($3) / 2
}

END {
	for (stack in count)
		print stack, count[stack]
}
