#!/bin/sh
# -t insn: what was executed, with programs whose every instruction QEMU logged; and what is
# said where that cannot be known.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
flow=$testdata/../../shared/captures/flow

# Prints pcs and traps of -t insn as the logs have them.
as_log()
{
	awk '{ pc = $2; sub(/^00000000/, "", pc) }
		$4 == "interrupt" || $4 == "exception" {
			rest = $0
			sub(/.* cause /, "", rest)
			n = split(rest, word, " ")
			sub(/^0x/, "", word[3])
			print "!", $4, word[1], pc, (n > 2 ? word[3] : 0)
			next
		}
		{ print pc }'
}

# Without a program, of another format, of a file that is none.
run "$TRAWL" -q -t insn "$testdata/all-encap.bin"
is "no program: status" 2 "$status"
for to in insn folded functions lcov; do
	run "$TRAWL" -q -t $to "$testdata/all-encap.bin"
	is "-t $to, no program: status" 2 "$status"
	is "... and what remains is said in a line" "trawl: all-encap.bin: its program is not known, \
so only its packets can be shown; name the ELF file in a profile: \`symbols: [{file: PROGRAM.elf}]\`" \
		"$(cat err)"
done
run "$TRAWL" --check=flow "$testdata/all-encap.bin"
is "--check=flow, no program: status" 1 "$status"
is "... and what remains is said in a line" "trawl: check flow: all-encap.bin: its program is not \
known, so only its packets can be shown; name the ELF file in a profile: \
\`symbols: [{file: PROGRAM.elf}]\`" "$(cat err)"
run "$TRAWL" -q -t insn "$testdata/demo.stp"
is "another format: status" 2 "$status"
ok "... is said" grep -q 'has no rows for traces of this format' err
cp "$testdata/all-encap.bin" program.bin
{
	sed 's/all-encap.bin/program.bin/' "$testdata/all-encap.profile.yaml"
	echo 'symbols: [{file: /dev/null}]'
} >program.yaml
run "$TRAWL" -q -p program.yaml -t insn program.bin
is "no ELF file: status" 2 "$status"
sed -i "s|/dev/null|$TRAWL|" program.yaml
run "$TRAWL" -q -p program.yaml -t insn program.bin
is "another machine: status" 2 "$status"

# A program of seven instructions for RV32 at 0x80000000, as ELF and by hand [RISC-V I]:
#	00 nop; 04 jal ra, 10; 08 nop; 0c j 0c; 10 beq x0, x0, 18; 14 nop; 18 ret
{
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0\1\0\0\0\0\0\0\200'
	printf '\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\124\0\0\0\0\0\0\200\0\0\0\200\34\0\0\0\34\0\0\0\5\0\0\0\4\0\0\0'
	printf '\23\0\0\0\357\0\300\0\23\0\0\0\157\0\0\0\143\4\0\0\23\0\0\0\147\200\0\0'
} >seven.elf
cat >seven.yaml <<'EOF'
traces:
  - {match: seven.encap, format: encap, encap: {srcid_width: 0, timestamp_bytes: 0}}
symbols: [{file: seven.elf}]
EOF
# Its packets, by hand [E-Trace 2.0, "Instruction Trace Encoder Output Packets"]: format 3
# subformat 0 at 80000000; format 1, one branch, taken, then 8 on, updiscon; subformat 1,
# interrupt 7, handler at 80000014; format 2, 100 on, where nothing is.  The return to behind the call is
# where the packets agree with the program for the last time.
printf '\005\163\0\0\0\340\006\005\004\0\0\0\377\006\367\263\002\0\0\360\002\312\0' >seven.encap
run "$TRAWL" -q -p seven.yaml -t insn seven.encap
is "seven instructions: status" 1 "$status"
is "seven instructions" "0 80000000 00000013 other
1 80000004 00c000ef call
1 80000010 00000463 branch
1 80000018 00008067 return
1 80000008 00000013 other
2 8000000c - interrupt machine timer cause 7 doubtful
2 80000014 00000013 other doubtful
3 80000018 00008067 return doubtful
3 - - damage the program has no instruction at 0x80000078" "$(awk '{ $1 = $1; print }' out)"

run "$TRAWL" -p seven.yaml --check=flow seven.encap
is "--check=flow: status" 1 "$status"
is "... says that the path is lost" \
	"trawl: check flow: 1 place after which it is not known what was executed; -t insn says why" \
	"$(grep -v 'symbols cannot be read' err)"

# Without names of functions: no symbols in the file, or no libdw to read them.
names_missing='`symbols: \[{file: PROGRAM.elf}\]` of a profile names\|install libdw'
run "$TRAWL" -p seven.yaml -t insn seven.encap
ok "-t insn without names" grep -q \
	"^trawl: 7 instructions stand without the name of a function; \($names_missing\)" err
for to in folded functions; do
	run "$TRAWL" -p seven.yaml -t $to seven.encap
	ok "-t $to without names" grep -q "that has a name: .* called; \($names_missing\)" err
done
run "$TRAWL" -p seven.yaml -t lcov seven.encap
is "-t lcov without lines: status" 2 "$status"
ok "... says what remains" grep -q "^trawl: seven.encap: its program names no source lines: \
-t insn and -t functions go by addresses; \(compile it with -g; \)\?\($names_missing\)" err

run "$TRAWL" -p seven.yaml -t insn --fields trace_number,pc,opcode,class,depth,text,flags seven.encap
is "columns: status" 1 "$status"
# instructions have a text where a disassembler is installed
if grep -q 'disassembler is installed' err; then
	skip "texts of instructions" "no disassembler"
else
	ok "texts of instructions" grep -q '^1,0x80000004,0x00c000ef,call,0,jal 0x80000010,$' out
fi
sed -i 's/^\([^,]*,0x[^,]*,0x[^,]*,[^,]*,[^,]*,\).*,/\1,/' out
is "columns" "trace_number,pc,opcode,class,depth,text,flags
0,0x80000000,0x00000013,other,0,,
1,0x80000004,0x00c000ef,call,0,,
1,0x80000010,0x00000463,branch,1,,
1,0x80000018,0x00008067,return,1,,
1,0x80000008,0x00000013,other,0,,
2,0x8000000c,,interrupt,1,machine timer cause 7,doubtful
2,0x80000014,0x00000013,other,1,,doubtful
3,0x80000018,0x00008067,return,1,,doubtful
3,0x80000078,,damage,,the program has no instruction at 0x80000078," "$(cat out)"
# Another image of the same place, whose branch at 10 is a nop: the first one is followed.
{
	head -c 100 seven.elf
	printf '\23\0\0\0'
	tail -c 8 seven.elf
} >built.elf
sed 's/^symbols:.*/symbols: [{file: seven.elf}, {file: built.elf}]/' seven.yaml >patched.yaml
run "$TRAWL" -q -p seven.yaml -t insn seven.encap
sed '/^ *[0-9]* 80000010 /s/$/ patched/' out >want
run "$TRAWL" -q -p patched.yaml -t insn seven.encap
ok "another image: the line says so" cmp -s want out
run "$TRAWL" -q -p patched.yaml -t insn --fields pc,flags seven.encap
is "... a flag too" "0x80000010,patched" "$(grep patched out)"
is "... --info counts them" "# patched: 1 executed instruction has other bytes in another image of the same place, the first at 0x80000010; a dump goes before ELF files, and of these the first in the profile" \
	"$("$TRAWL" -q -p patched.yaml --info seven.encap | grep patched:)"
sed -i 's/{file: built.elf}/{file: seven.elf}/' patched.yaml
run "$TRAWL" -q -p patched.yaml -t insn seven.encap
is "... where the bytes are the same there is none" 0 "$(grep -c patched out)"

run "$TRAWL" -q -p seven.yaml -t insn --fields pc,severity seven.encap
is "a column that instructions lack: status" 2 "$status"
ok "... is said" grep -q 'of -t insn has no column severity; it has trace_number, pc' err
# the help is told by hand: it has the same columns
help_has()
{
	"$TRAWL" --help | tr -s ' \n' ' ' >help
	sed -n "s/.*of $1, as csv: \([^;]*estimated\|[^;]*\).*/\1/p" help |
		grep -qx "$(sed 's/.*it has //' err)"
}
ok "... as the help has them" help_has insn
run "$TRAWL" -q -p seven.yaml -t folded --fields pc seven.encap
is "columns of stacks: status" 2 "$status"
run "$TRAWL" -q -p seven.yaml -t folded seven.encap
is "stacks without symbols: status" 1 "$status"
# by where they begin, as far as the call is seen
is "... by address" "[unknown] 3
[unknown];0x80000010 2" "$(cat out)"
run "$TRAWL" -p seven.yaml -t functions seven.encap
is "functions without symbols" "function calls self total most
[unknown] 0 3 5 5
0x80000010 1 2 2 2" "$(tr -s ' ' <out)"
if has_feature symbols; then
	ok "... is said" grep -q '^trawl: 5 instructions are in no function that has a name.* profile names the program, .* without -s$' err
else
	ok "... is said" grep -q '^trawl: 5 instructions are in no function that has a name.* install libdw' err
fi

# Calls: main from 00, with work from 10, as symbols say.
cat >seven.s <<'EOF'
	.file 1 "/src" "seven.c"
	.text
	.globl main, work
	.type main, @function
main:	.loc 1 10
	nop
	.loc 1 11
	jal ra, work
	.loc 1 12
	nop
1:	j 1b
	.size main, . - main
	.type work, @function
work:	.loc 1 20
	beq zero, zero, 2f
	.loc 1 21
	nop
2:	.loc 1 22
	ret
	.size work, . - work
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 0, 0x10, 0x17, 3, 8, 0x1b, 8, 0, 0, 0
	.section .debug_info, "", @progbits
	.4byte 2f - 1f
1:	.2byte 4
	.4byte 0
	.byte 4, 1
	.4byte 0
	.asciz "seven.c"
	.asciz "/src"
2:
EOF
if has_feature symbols && clang --target=riscv32 -march=rv32i -mno-relax -c seven.s -o seven.o \
	2>/dev/null && ld.lld -Ttext=0x80000000 -e main seven.o -o seven.elf 2>/dev/null; then
	run "$TRAWL" -q -p seven.yaml -t folded seven.encap
	is "stacks: status" 1 "$status"
	is "stacks, without what is doubtful" "main 3
main;work 2" "$(cat out)"
	run "$TRAWL" -q -p seven.yaml -t functions seven.encap
	is "functions that were called" "function calls self total most
main 0 3 5 5
work 1 2 2 2" "$(tr -s ' ' <out)"
	run "$TRAWL" -q -p seven.yaml -t functions --fields self,function seven.encap
	is "... as values" "self,function 3,main 2,work" "$(tr '\n' ' ' <out | sed 's/ $//')"
	run "$TRAWL" -q -p seven.yaml -t functions --fields self,callers seven.encap
	is "... a column that they lack: status" 2 "$status"
	ok "... is said" grep -q 'has no column callers; it has function, calls, self, total, most, cycles, total_cycles, time, total_time, most_time, estimated' err
	ok "... as the help has them" help_has functions
	# of messages the function is that of their address
	run "$TRAWL" -q -p seven.yaml --fields trace_number,function,file,line seven.encap
	is "functions of messages" "0 main /src/seven.c 10
1 main /src/seven.c 12
2 work /src/seven.c 21" "$(awk 'NR <= 3 { $1 = $1; print }' out)"
	run "$TRAWL" -q -p seven.yaml --fields trace_number -e 'function == work and line == 21' seven.encap
	is "... in filters" 2 "$(tr -d ' ' <out)"
	run "$TRAWL" -q -p seven.yaml -t jsonl seven.encap
	is "... in JSON" 2 "$(grep -c '"function":"main","file":"/src/seven.c","line":1[02]' out)"
	run "$TRAWL" -q -p seven.yaml -t table --by=function --columns=count seven.encap
	ok "... in tables" grep -q '^main  *2$' out
	run "$TRAWL" -q -p seven.yaml -e 'trace_number < 2' -t insn --fields function,place seven.encap
	is "functions" "function,place main,0x0 main,0x4 work,0x0 work,0x8 main,0x8" \
		"$(tr '\n' ' ' <out | sed 's/ $//')"
	run "$TRAWL" -q -p seven.yaml -e 'trace_number < 1' -t folded seven.encap
	is "stacks of messages that are chosen" "main 1" "$(cat out)"
	run "$TRAWL" -q -p seven.yaml -t lcov seven.encap
	is "source lines: status" 1 "$status"
	is "source lines, executed or not" "SF:/src/seven.c
FN:10,main
FNDA:1,main
FN:20,work
FNDA:1,work
FNF:2
FNH:2
DA:10,1
DA:11,1
DA:12,1
DA:20,1
DA:21,0
DA:22,1
LF:6
LH:5
end_of_record" "$(cat out)"
else
	skip "stacks and lines" "no libdw, or no clang and ld.lld that make RISC-V"
fi

if ! test -r "$flow" || ! command -v zstd >/dev/null; then
	skip "programs" "no captures of others beside this checkout, or no zstd"
	echo "1..$count"
	exit 0
fi

has_feature symbols && good=0 || good=1 # without libdw, names are missing
# Symbols as folded.awk reads them.
symbols_of()
{
	readelf -Ws "$1" | awk '($4 == "FUNC" || $4 == "NOTYPE") && $7 != "UND" && $8 ~ /^[^$]/ {
		print substr($2, length($2) - 6), $3, $8
	}' | while read -r address size name; do
		echo "s $((0x$address)) $size $name"
	done
}

for capture in "$flow"/*.encap; do
	which=${capture##*/}
	which=${which%.encap}
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn "$capture"
	is "$which: status" "$good" "$status"
	as_log <out >got
	zstd -dc "$flow/${which%.*}.pc.zst" | grep -v '^p' >log
	# where an interrupt comes right behind mret, no packet has its epc
	awk 'NR == FNR { got[NR] = $0; next }
		got[FNR] ~ /^! interrupt [0-9]+ - / { $4 = "-" }
		{ print }' got log >want
	ok "$which: every pc and trap of the log" cmp -s want got
	ok "... with their places, but three" test "$(grep -c '^! .* - ' got)" -le 3
	test "$good" = 0 && command -v readelf >/dev/null || continue
	case $which in
	*.?32.*) narrow=1 ;;
	*) narrow=0 ;;
	esac
	{
		symbols_of "$flow/${which%.*}.elf"
		cat out
	} | awk -v narrow=$narrow -f "$testdata/../tests/folded.awk" | sort >want
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t folded "$capture"
	sort out >got
	ok "... and its stacks" cmp -s want got

	# what is in a function and below follows from the stacks, calls from what was executed
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t functions --fields function,self,total \
		"$capture"
	sed 1d out | sort >got
	awk '{
		n = split($1, path, ";")
		self[path[n]] += $2
		split("", seen)
		for (i = 1; i <= n; i++)
			if (!seen[path[i]]++)
				total[path[i]] += $2
	} END { for (f in total) print f "," self[f] + 0 "," total[f] }' want | sort >sums
	ok "... and its functions" cmp -s sums got
	case $which in
	recurse.c64.b | tables.n64.b | chain.n32.b)
		sed 's/^    encap:/    clock: {hz: 1000000}\n&/' "$flow/$which.profile.yaml" >hz.yaml
		ln -sf "$flow/${which%.*}.elf" .
		"$TRAWL" -q -p hz.yaml -t jsonl "$capture" |
			sed -n 's/.*"n":\([0-9]*\),.*"time":\([0-9]*\),.*/\1 \2/p' >times
		"$TRAWL" -q -p hz.yaml -t insn --fields trace_number,function,depth,place "$capture" |
			sed '1d; s/,/ /g' >steps
		awk -f "$testdata/../tests/function_times.awk" times steps | sort >want
		run "$TRAWL" -q -p hz.yaml -t functions \
			--fields function,time,total_time,most_time "$capture"
		sed 1d out | sort >got
		ok "... and how long they took" cmp -s want got
		;;
	esac
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t functions --fields function,calls "$capture"
	sed '1d; /^\[/d; /,0$/d' out | sort >got
	"$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn --fields class,function,place "$capture" |
		awk -F , '$2 == "" { # a trap, perhaps before a function that was called began
			before[++traps] = enters
			enters = 1
			next
		} NR > 1 {
			if (last != "" && (enters || ($3 == "0x0" && $2 != last)))
				calls[$2]++
			enters = $1 ~ /call$/
			if ($1 == "trap_return" && traps)
				enters = before[traps--]
			last = $2
		} END { for (f in calls) print f "," calls[f] }' | sort >want
	ok "... and their calls" cmp -s want got
done

run "$TRAWL" -q -p "$flow/recurse.c64.a.profile.yaml" -t lcov "$flow/recurse.c64.a.encap"
is "a program without source lines: status" 2 "$status"
ok "... is said" grep -q 'names no source lines: -t insn and -t functions go by addresses; ' err

# As columns, the same instructions; as many calls deep as there are frames in the stacks.
which=traps.c32.a
run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn "$flow/$which.encap"
awk '{ print $1, $2, $4 }' out >want
run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn --fields trace_number,pc,class "$flow/$which.encap"
sed '1d; s/,0x/,/; s/,,/,-,/; s/,/ /g' out >got
ok "columns of a whole capture" cmp -s want got
if test "$good" = 0; then
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn --fields opcode,depth "$flow/$which.encap"
	awk -F , 'NR > 1 && $1 != "" { depth[$2]++ } END { for (i in depth) print i, depth[i] }' out |
		sort >got
	run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t folded "$flow/$which.encap"
	awk '{ depth[gsub(/;/, "")] += $NF } END { for (i in depth) print i, depth[i] }' out | sort >want
	ok "... and their depth" cmp -s want got
fi

# Names, and the messages by which an instruction is known.
which=recurse.c64.a
run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn "$flow/$which.encap"
is "the first line" "       2 0000000080000000" "$(sed 's/ *[0-9a-f]* *[a-z_]* *src .*//;q' out)"
test "$good" = 1 || ok "names" grep -q ' call  *src 3  *_start+0x' out
cp out all
run "$TRAWL" -q -p "$flow/$which.profile.yaml" -t insn -e 'trace_number >= 10 and trace_number < 20' \
	"$flow/$which.encap"
is "a filter chooses messages" "" "$(awk '$1 >= 10 && $1 < 20' all | diff - out)"

# Damage: what comes behind it is not guessed, up to the next synchronisation.
cp "$flow/$which.encap" cut.encap
chmod u+w cut.encap
printf '\377\377\377' | dd of=cut.encap bs=1 seek=200 conv=notrunc 2>/dev/null
{
	sed 's/recurse.c64.a.encap/cut.encap/; /^symbols/,$d' "$flow/$which.profile.yaml"
	echo "symbols: [{file: $flow/recurse.c64.elf}]"
} >cut.yaml
run "$TRAWL" -p cut.yaml -t insn cut.encap
is "damage: status" 1 "$status"
ok "... in the list" grep -q '^ *[0-9]* -  *-  *damage ' out
ok "... and counted" grep -q 'after which it is not known what was executed' err
line=$(grep -n -m 1 ' damage ' out | cut -d : -f 1)
head -n $((line - 1)) out | awk '{ print $2 }' >got
awk '{ print $2 }' all | head -n $((line - 1)) >want
ok "... and right before" cmp -s want got
tail -n 500 out | awk '{ print $2 }' >got
tail -n 500 all | awk '{ print $2 }' >want
ok "... and at the end" cmp -s want got

echo "1..$count"
