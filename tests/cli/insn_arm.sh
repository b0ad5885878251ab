#!/bin/sh
# -t insn and its kin of CoreSight trace: what was executed, stacks against a script over the
# listing of trc_pkt_lister, and whether images fit.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
theirs=$testdata/../../shared/captures/opencsd

# A listing, by hand: a call, an interrupt in it and back, a return to behind the call, code
# without an image, and loss.  No program: then the ranges are all that is known.
element=OCSD_GEN_TRC_ELEM_
range()
{
	printf 'Idx:%s; ID:10; %sINSTR_RANGE(exec range=0x%s:[0x%s] num_i(%s) last_sz(4) (ISA=A64) E %s)\n' \
		"$1" $element "$2" "$3" "$4" "$5"
}
{
	echo "Idx:0; ID:10; ${element}TRACE_ON( [begin or filter])"
	range 1 1000 1008 2 'BR  b+link '
	range 2 2000 2004 1 '--- '
	echo "Idx:3; ID:10; ${element}EXCEPTION(pref ret addr:0x2004; excep num (0x0e) )"
	range 4 9000 9008 2 'iBR A64:eret '
	range 5 2004 200c 2 'iBR A64:ret '
	range 6 1008 100c 1 'BR  '
	echo "Idx:7; ID:10; ${element}ADDR_NACC( 0x7000 )"
	echo "Idx:8; ID:10; ${element}NO_SYNC( [overflow])"
	range 9 1000 1008 2 'BR  b+link '
	# more than can be there
	range 10 2000 2004 3 '--- '
} >hand.ppl
run "$TRAWL" -q -t insn --fields trace_number,pc,class,depth,text hand.ppl
is "a listing: status" 1 "$status"
cat >want <<'EOT'
trace_number,pc,class,depth,text
0,,unseen,0,"trace begins, or was off"
1,0x1000,unseen,0,2 instructions that are in no program
2,0x2000,unseen,1,1 instructions that are in no program
3,0x2004,exception,2,cause 14
4,0x9000,unseen,2,2 instructions that are in no program
5,0x2004,unseen,1,2 instructions that are in no program
6,0x1008,unseen,0,1 instructions that are in no program
7,0x7000,unseen,0,no memory image has the code at 0x7000
8,,damage,,trace was lost
9,0x1000,unseen,0,2 instructions that are in no program
10,,damage,,so many instructions are not in that range
EOT
is "... and its steps" "" "$(diff want out)"
run "$TRAWL" -t insn hand.ppl
ok "... damage is counted" grep -q '2 places after which it is not known what was executed' err
codeless=$(awk '$4 == "unseen" && / in no program$/ { n += $(NF - 6) } END { print n }' out)
codeless="$codeless instructions are in no program: their addresses and number are all that is \
known; \`symbols: [{file: PROGRAM.elf}]\` of a profile names the program"
is "... and what remains without a program" "trawl: $codeless" "$(grep 'in no program' err)"
run "$TRAWL" --check=flow hand.ppl
is "--check=flow: status" 1 "$status"
ok "... is said" grep -q '^trawl: check flow: 2 places after which' out err
is "... and what remains without a program" "trawl: check flow: $codeless" \
	"$(grep 'in no program' err)"

# Which messages run on: a range behind another, cycles, the second address without an image; not
# behind a jump that was taken, another processor's range, or loss.
{
	range 0 1000 1008 2 '--- '
	echo "Idx:1; ID:10; ${element}CYCLE_COUNT( [CC=4]; )"
	range 2 1008 100c 1 'BR  '
	range 3 2000 2004 1 '--- ' | sed 's/ID:10/ID:11/'
	range 4 2000 2004 1 '--- '
	echo "Idx:5; ID:10; ${element}CYCLE_COUNT( [CC=2]; )"
	range 6 2004 2008 1 'iBR A64:ret ' | sed 's/ E / N /'
	range 7 2008 200c 1 '--- '
	echo "Idx:8; ID:10; ${element}ADDR_NACC( 0x7000 )"
	echo "Idx:9; ID:10; ${element}ADDR_NACC( 0x8000 )"
	echo "Idx:10; ID:10; ${element}NO_SYNC( [overflow])"
	echo "Idx:11; ID:10; ${element}CYCLE_COUNT( [CC=2]; )"
	range 12 200c 2010 1 '--- '
} >runs.ppl
run "$TRAWL" -q --fields=trace_number -e runs_on runs.ppl
is "messages that run on" "1 2 5 6 7 9" "$(tr -s ' \n' ' ' <out | sed 's/^ //; s/ $//')"
run "$TRAWL" -q -e 'runs_on = 1' runs.ppl
ok "... is no value" grep -q 'runs_on has no value; it stands alone, or after not' err

# A run has what its messages have: 0 to 2, 4 to 7 without the other processor's, 12.
run "$TRAWL" -q -t csv --fields=trace_number,run_instructions,run_cycles -e run_instructions runs.ppl
is "sums of runs" "trace_number,run_instructions,run_cycles 0,3,4 3,1,0 4,3,2 12,1,0" \
	"$(tr '\n' ' ' <out | sed 's/ $//')"
run "$TRAWL" -q --fields=trace_number -e 'run_cycles > 0 and run_instructions = 3' runs.ppl
is "... in filters" "0 4" "$(tr -s ' \n' ' ' <out | sed 's/^ //; s/ $//')"
run "$TRAWL" -q -t table-csv --by=origin --of=run_cycles --columns=values,sum runs.ppl
is "... in tables" "origin,values,sum ID 0x10,3,6 ID 0x11,1,0" \
	"$(tr -d '"' <out | tr '\n' ' ' | sed 's/ $//')"

# Cycles are those of the instructions since the last count, but not of code that is not seen.
{
	range 0 1000 1008 2 'BR  b+link  [CC=4]; '
	echo "Idx:1; ID:10; ${element}CYCLE_COUNT( [CC=2]; )"
	range 2 2000 2004 1 '--- '
	range 3 2004 200c 2 'iBR A64:ret  [CC=9]; '
	range 4 1008 1010 2 'BR  b+link '
	range 5 2000 2004 1 '--- '
	echo "Idx:6; ID:10; ${element}CYCLE_COUNT( [CC=10]; )"
	echo "Idx:7; ID:10; ${element}NO_SYNC( [overflow])"
	echo "Idx:8; ID:10; ${element}CYCLE_COUNT( [CC=100]; )"
} >cycles.ppl
run "$TRAWL" -q -t functions cycles.ppl
# of the last ten, by instructions, 6 and 4
is "cycles of functions" "function calls self total most cycles total_cycles
[unknown] 0 4 8 8 12 25
0x2000 2 4 4 3 13 13" "$(tr -s ' ' <out)"
run "$TRAWL" -q -t functions --fields total_cycles,function cycles.ppl
is "... as values" "total_cycles,function 25,[unknown] 13,0x2000" "$(tr '\n' ' ' <out | sed 's/ $//')"

# The same calls of each message: the call ends behind it, where the next range of its core says
# where it went; the return of range 3 is to 1008.  Behind the overflow no call is known.
run "$TRAWL" -q -t csv --fields=trace_number,depth,target cycles.ppl
is "depth and target: columns" 'trace_number,depth,target 0,0,"2000" 1,,"" 2,1,"" 3,1,"1008" 4,0,"2000" 5,1,"" 6,,"" 7,0,"" 8,,""' \
	"$(tr '\n' ' ' <out | sed 's/ $//; s/"0*\([1-9]\)/"\1/g')"
run "$TRAWL" -q --fields=trace_number -e 'depth > 0' cycles.ppl
is "... filters" "2 3 5" "$(tr -s ' \n' ' ' <out | sed 's/^ //; s/ $//')"
run "$TRAWL" -q --fields=trace_number -e 'not depth or target in {"00002000", "00001008"}' cycles.ppl
is "... of texts" "0 1 3 4 6 8" "$(tr -s ' \n' ' ' <out | sed 's/^ //; s/ $//')"
run "$TRAWL" -q -t table-csv --by=target --columns=count -e target cycles.ppl
is "... tables" 'target,count "00002000",2 "00001008",1' "$(tr '\n' ' ' <out | sed 's/ $//')"
run "$TRAWL" -q -t jsonl --columns=depth,target -e 'trace_number < 2' cycles.ppl
is "... and beside the others" ',"depth":0,"target":"00002000"}  ,"depth":null,"target":null}' \
	"$(sed 's/.*\(,"depth"\)/\1/' out | tr '\n' ' ' | sed 's/ $//; s/} /}  /')"
run "$TRAWL" --fields=depth "$testdata/demo.stp"
ok "why they are empty is told" grep -q 'depth and target are empty: .*only E-Trace and CoreSight' err
run "$TRAWL" -e 'depth > 0' "$testdata/demo.stp"
is "... and refused in filters" 2 "$status"
ok "... with the reason" grep -q 'depth of a call is not known: .*only E-Trace and CoreSight' err
run "$TRAWL" --follow -e 'depth > 0' cycles.ppl
is "... and while a capture grows" 2 "$status"

# Code that is not seen comes to elsewhere: calls may be missing there, and what runs is not
# known to be the function that was called.
{
	range 0 f00 f08 2 'BR  b+link '
	range 1 1000 1008 2 'BR  b+link '
	range 2 2000 2004 1 '--- '
	echo "Idx:3; ID:10; ${element}ADDR_NACC( 0x5000 )"
	range 4 9000 9008 2 'BR  b+link '
	range 5 a000 a004 1 'iBR A64:ret '
	range 6 9008 900c 1 'iBR A64:ret '
	range 7 1008 100c 1 '--- '
} >unseen.ppl
run "$TRAWL" -q -t folded unseen.ppl
is "calls that may be missing" "[unknown] 2
[unknown];0x1000 3
[unknown];0x1000;0x2000 1
[unknown];0x1000;[unknown] 3
[unknown];0x1000;[unknown];0xa000 1" "$(sort out)"

# 4,200 calls in each other: those deeper than 4,096 are counted on a line of their own.
{
	echo "Idx:0; ID:10; ${element}TRACE_ON( [begin or filter])"
	i=0
	while test $((i += 1)) -le 4200; do
		range "$i" 1000 1008 2 'BR  b+link '
	done
} >deep.ppl
run "$TRAWL" -q -t folded deep.ppl
is "too many calls in each other" "4097 8194
[stacks that were too many or too deep] 206" \
	"$(awk '!/^\[stacks/ { n++; sum += $NF } END { print n, sum }' out; tail -n 1 out)"

# A program for A64 by hand, as ELF: at 0x2000 RET [Arm ARM, "RET"; System V ABI, "ELF header"].
{
	printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0\0\40\0\0\0\0\0\0'
	printf '\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\70\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\5\0\0\0\170\0\0\0\0\0\0\0\0\40\0\0\0\0\0\0\0\40\0\0\0\0\0\0'
	printf '\4\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\300\3\137\326'
} >ret.elf
printf 'traces: [{match: ret.ppl, format: ppl}]\nsymbols: [{file: ret.elf}]\n' >ret.yaml
range 1 2000 2004 1 'iBR A64:ret ' >ret.ppl
run "$TRAWL" -p ret.yaml -t insn ret.ppl
is "an instruction of a file" "0 0000000000002000 d65f03c0 return ID 0x10" "$(awk '{ $1 = $1; print }' out)"

# Its text is LLVM's; where no library can be opened the sentence says what to install.
run "$TRAWL" -p ret.yaml -t insn --fields pc,text ret.ppl
if grep -q 'disassembler' err; then
	skip "the text of an instruction" "no disassembler"
else
	is "the text of an instruction" "0x2000,ret" "$(sed 1d out)"
fi
mkdir none
grep -a -o 'libLLVM[-.a-z0-9]*so[.0-9]*' "$TRAWL" | sort -u | while read -r library; do
	echo none >"none/$library"
done
if test -n "$(ls none)"; then
	run env LD_LIBRARY_PATH=none "$TRAWL" -p ret.yaml -t insn --fields pc,text ret.ppl
	is "no disassembler: the address remains" "0x2000," "$(sed 1d out)"
	is "... is said" "trawl: 1 instruction has no text; no disassembler is installed: install LLVM's shared library, on Debian 12 and 13 \`apt install libllvm19\`" \
		"$(grep disassembler err)"
else
	skip "no disassembler" "the program is a script here"
fi

# A function that the compiler put into another one, which debug information tells: of this
# machine, as an address is all that it takes.
cat >put.c <<'EOT'
static volatile int n;
static inline __attribute__((always_inline)) void inner(void)
{
	n++;
	__asm__ volatile(".balign 4\n7: .pushsection places, \"a\"; .quad 7b; .popsection");
	n++;
}
void outer(void);
void outer(void) { inner(); }
EOT
if has_feature symbols && cc -g -O1 -static -nostdlib -no-pie -Wl,-e,outer put.c -o put.elf 2>/dev/null &&
	objcopy --dump-section places=places put.elf 2>/dev/null; then
	at=$(od -An -tx8 places | tr -d ' ')
	range 1 "$at" "$(printf %x $((0x$at + 4)))" 1 '--- ' >put.ppl
	printf 'traces: [{match: put.ppl, format: ppl}]\nsymbols: [{file: put.elf}]\n' >put.yaml
	run "$TRAWL" -q -p put.yaml -t folded put.ppl
	is "a function that is put in" "outer;inner_[i] 1" "$(cat out)"
	run "$TRAWL" -q -p put.yaml -t functions put.ppl
	is "... in the table" "function calls self total most inner (inlined) 0 1 1 0 outer 0 0 1 1" \
		"$(tr -s " \n" " " <out | sed "s, $,,")"
	run "$TRAWL" -q -p put.yaml -t insn --fields function,inlined put.ppl
	is "... as a column" "outer,inner" "$(sed 1d out)"
else
	skip "functions that are put in" "no libdw, or no compiler for 64 bits"
fi

# Twenty calls that return to elsewhere are of another program.
{
	echo "Idx:0; ID:10; ${element}TRACE_ON( [begin or filter])"
	for i in $(seq 20); do
		range "$i" 1000 1008 2 'BR  b+link '
		range "$i" 2000 2004 1 'iBR A64:ret '
	done
	range 21 100c 1010 1 'BR  '
} >misfit.ppl
run "$TRAWL" --check=flow misfit.ppl
is "a misfit: status" 1 "$status"
is "... is said" "trawl: check flow: ID 0x10 of misfit.ppl: image does not fit: 0 of 20 returns lead behind their call" \
	"$(grep -v 'in no program' err)"
run "$TRAWL" --info misfit.ppl
ok "... by --info" grep -q '^# ID 0x10: image does not fit: 0 of 20 returns' out
run "$TRAWL" -t insn misfit.ppl
is "... by -t insn: status" 1 "$status"
ok "... and a sentence" grep -q '1 processor whose image does not fit' err
run "$TRAWL" --check=loss misfit.ppl
is "... but not by other checks" 0 "$status"

if ! has_feature "CoreSight trace"; then
	skip "snapshots" "built without OpenCSD"
elif test -d "$theirs" && command -v zstd >/dev/null; then
	# the first row of each message that has instructions
	stacks()
	{
		"$TRAWL" -q -t insn --source="${1##*/}.ETB_0" \
			--fields=trace_number,pc,class,depth,origin "$1" 2>/dev/null |
			awk -F , 'NR == 1 || $2 == "" || $1 == n ||
				$3 ~ /^(unseen|damage|interrupt|exception)$/ { next }
				{ print sprintf("%x", 16 + substr($5, 5)), substr($2, 3), $4; n = $1 }'
	}
	zstd -dcq "$theirs/TC2.ETB_0.ppl.zst" |
		awk -f "$testdata/../tests/ppl_calls.awk" | sort >want
	stacks "$theirs/TC2" | sort >got
	is "TC2: stacks of 18,177 ranges" 18177 "$(lines got)"
	ok "... as the script has them" cmp -s want got
	awk -f "$testdata/../tests/ppl_calls.awk" "$theirs/juno_r1_1.ETB_0.ppl" | sort >want
	stacks "$theirs/juno_r1_1" | sort >got
	ok "juno_r1_1: stacks as the script has them" cmp -s want got

	# as many instructions as the library counted
	zstd -dcq "$theirs/TC2.ETB_0.ppl.zst" |
		sed -n 's/.*INSTR_RANGE.* num_i(\([0-9]*\)).*/\1/p' |
		awk '{ n += $1 } END { print n }' >want
	run "$TRAWL" -q -t insn "$theirs/TC2"
	awk '$2 != "-" { n++ } END { print n }' out >got
	ok "TC2: instructions" cmp -s want got
	is "... that have bytes" 0 "$(grep -c 'in no program' out)"

	# what only runs on, against a script over the listing
	zstd -dcq "$theirs/TC2.ETB_0.ppl.zst" >TC2.ppl
	awk '/OCSD_GEN_TRC_ELEM_/ {
		match($0, /ID:[0-9a-f]+/)
		id = substr($0, RSTART + 3, RLENGTH - 3)
		on = 0
		if (/ELEM_INSTR_RANGE/) {
			match($0, /0x[0-9a-f]+:\[0x[0-9a-f]+\]/)
			split(substr($0, RSTART, RLENGTH), part, ":")
			gsub(/[][]/, "", part[2])
			on = kind[id] == "range" && end[id] == part[1]
			kind[id] = /\) (E|N) (--- |BR |iBR)/ && /\) E i?BR/ ? "jump" : "range"
			end[id] = part[2]
		} else if (/ELEM_CYCLE_COUNT/)
			on = kind[id] == "range" || kind[id] == "jump"
		else if (/ELEM_ADDR_NACC/) {
			on = kind[id] == "nacc"
			kind[id] = "nacc"
		} else if (!/ELEM_(PE_CONTEXT|TIMESTAMP|EVENT|SYNC_MARKER)/)
			kind[id] = ""
		n += on
	} END { print n + 0 }' TC2.ppl >want
	run "$TRAWL" -q --fields=trace_number -e runs_on TC2.ppl
	is "messages that only run on" "$(cat want)" "$(lines out)"
	ok "... are more than half" test "$(cat want)" -gt 14000

	run "$TRAWL" -q -t functions --source=TC2.ETB_0 --fields cycles "$theirs/TC2"
	awk '{ n += $1 } END { print n }' out >got
	# of ranges and counts, those while trace was off left out
	awk '{
		match($0, /ID:[0-9a-f]+/)
		id = substr($0, RSTART, RLENGTH)
		if (/ELEM_(INSTR_RANGE|CYCLE_COUNT)/ && match($0, /CC=[0-9]+/)) {
			if (/INSTR_RANGE/ || on[id])
				n += substr($0, RSTART + 3, RLENGTH - 3)
		}
		if (/ELEM_INSTR_RANGE/)
			on[id] = 1
		else if (/ELEM_(NO_SYNC|TRACE_ON|ADDR_NACC|EO_TRACE|ADDR_UNKNOWN)/)
			on[id] = 0
	} END { print n }' TC2.ppl >want
	ok "TC2: cycles of ranges and counts" cmp -s want got

	# An ELF file with other bytes than the dump at c002d992 to c002d997, three instructions of
	# T32 [System V ABI, "Program Header"].
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\50\0\1\0\0\0\222\331\2\300' >other.elf
	printf '\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0' >>other.elf
	printf '\1\0\0\0\124\0\0\0\222\331\2\300\222\331\2\300\6\0\0\0\6\0\0\0\5\0\0\0' >>other.elf
	printf '\4\0\0\0\377\377\377\377\377\377' >>other.elf
	echo 'symbols: [{file: other.elf}]' >other.yaml
	run "$TRAWL" -q -p other.yaml -t insn --fields pc,flags "$theirs/TC2"
	is "TC2: another image than the dump" "0xc002d992 0xc002d994 0xc002d996" \
		"$(sed -n 's/,patched$//p' out | sort -u | tr '\n' ' ' | sed 's/ $//')"
	run "$TRAWL" -q -p other.yaml --info "$theirs/TC2"
	ok "... said by --info" grep -q '^# patched: 3 executed instructions have .* at 0xc002d992;' out

	run "$TRAWL" -q --info "$theirs/TC2"
	is "TC2 fits" 4 "$(grep -c ': image fits: ' out)"
	run "$TRAWL" -q --check=flow "$theirs/TC2"
	is "... --check=flow" 0 "$status"
	run "$TRAWL" -q --info "$theirs/juno_r1_1"
	ok "juno_r1_1 does not fit" grep -q '^# cpu_0: image does not fit: 0 of 208 returns' out
	is "... 634 of 2772 direct branches do not reach their target" "634 2772" \
		"$(sed -n 's/^# cpu.* \([0-9]*\) of \([0-9]*\) direct.*/\1 \2/p' out |
			awk '{ good += $1; all += $2 } END { print all - good, all }')"
	run "$TRAWL" -q --fields=trace_number -e 'exception_name == IRQ and text ~ /^IRQ: exception/' \
		"$theirs/juno_r1_1"
	is "exceptions by name" "$(grep -c 'excep num (0x0e)' "$theirs/juno_r1_1.ETB_0.ppl")" \
		"$(lines out)"
	run "$TRAWL" -q --check=flow --source=juno_r1_1.ETB_0 "$theirs/juno_r1_1"
	is "... --check=flow" 1 "$status"
else
	skip "snapshots" "no shared captures"
fi

echo "1..$count"
