#!/bin/sh
# CoreSight snapshots of our own making: SyS-T over STM is what was sent, in
# order; listings are what is listed; damage is told.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
snapshot=$testdata/all-opencsd
if ! has_feature "CoreSight trace"; then
	skip "CoreSight" "built without OpenCSD"
	finish
	exit
fi

# Time, severity and type of the SyS-T messages in the output.
messages()
{
	unrated out | sed -n 's/"severity":null/"severity":"none"/; s/.*"ticks":\([0-9]*\),.*"severity":"\([A-Za-z0-9]*\)".*"type":"\([A-Z0-9]*:[A-Z0-9]*\|SHORT[0-9]*\)".*/\1 \2 \3/p'
}

# The same of those that were sent, of one state.
sent()
{
	awk -F '\t' -v state="$2" 'NR > 1 && $6 !~ /^STP:/ && $4 ~ state { print $3, $5, $6 }' \
		"$testdata/$1.truth.tsv"
}

run "$TRAWL" -t jsonl "$snapshot"
is "status" 0 "$status"
is "nothing on standard error" "" "$(cat err)"
sent all-opencsd . >want
messages >types
ok "all messages are there, in order" cmp want types
is "triggers" "$(grep -c 'STP:TRIG' "$testdata/all-opencsd.truth.tsv")" \
	"$(grep -c '"trigger_event":true' out)"
is "packets of the ITM" 200 \
	"$(grep -c '"itm_type":"ITM_SWIT"' out)"
is "the rate of the time stamps" 1 "$("$TRAWL" --info "$snapshot" | grep -c 'clock 38400000 Hz')"

# Texts where both write them alike.
awk -F '\t' 'NR > 1 && $6 ~ /^(STRING|CATALOG)/ && $7 != "*" && $7 ~ /^[A-Za-z0-9 .,:=]+$/ {
	print $3, $7 }' "$testdata/all-opencsd.truth.tsv" >want
sed -n 's/.*"ticks":\([0-9]*\),.*"type":"[SC][TA][RT][IA][NL][GO]G*:[A-Z0-9]*","text":"\([A-Za-z0-9 .,:=]*\)".*/\1 \2/p' \
	out >texts
ok "texts, by the collateral too" cmp want texts
ok "there are some" test "$(lines want)" -gt 10

# A listing is a capture that lists the same.
run "$TRAWL" -t ppl "$snapshot"
mv out first.ppl
run "$TRAWL" -t ppl first.ppl
ok "ppl: the listing of a listing" cmp first.ppl out
is "ppl: a line for each element" "$("$TRAWL" -t csv "$snapshot" | sed 1d | wc -l | tr -d ' ')" \
	"$(lines out)"

# Each way to name it.
"$TRAWL" -t csv "$snapshot" >want
for name in "$snapshot/" "$snapshot/snapshot.ini"; do
	run "$TRAWL" -t csv "$name"
	ok "opened as ...${name#"$testdata"}" cmp want out
done

# Whole messages between damaged ones are not lost.
run "$TRAWL" -t jsonl "$testdata/damaged-opencsd"
is "damaged: status" 1 "$status"
ok "damaged: it is told" grep -q '"flags":\["damaged"' out
messages >types
sent damaged-opencsd '^ok$' >want
is "damaged: messages that are whole" "" "$(awk 'NR == FNR { got[$0]++; next }
	!got[$0]-- { print }' types want)"
ok "damaged: there are some" test "$(lines want)" -gt 50

# A snapshot that lacks parts.
cp -R "$snapshot" some && chmod -R u+w some
rm some/itm.ini
run "$TRAWL" -t none some
ok "a missing file is named" grep -q 'itm.ini: No such file' err
escape=$(printf '\033')
printf '[device_list]\nd=%s[31m.ini\n[trace]\nmetadata=trace.ini\n' "$escape" >some/snapshot.ini
run "$TRAWL" -t none some
ok "a strange name is told" grep -q '31m.ini: No such file' err
is "... and does nothing to a terminal" 0 "$(grep -c "$escape" err)"
cp -R "$snapshot" none && chmod -R u+w none
rm none/etb.bin
run "$TRAWL" -t none none
is "no buffer: status" 2 "$status"
ok "no buffer: the file is named" grep -q 'etb.bin: no such file' err

# What the library does not know of a core is told.
head -c 64 /dev/zero >etr.bin
cat >etr.bin.profile.yaml <<'END'
traces:
  - match: '*'
    format: opencsd
    opencsd:
      format: source_data
      sources:
        - {id: 1, name: big, protocol: ETMV4I, core: Cortex-M55,
           regs: {TRCCONFIGR: 0xc1, TRCIDR0: 0x28000ea1, TRCIDR2: 0x488}}
END
run "$TRAWL" --info etr.bin
ok "info: the version of the library" grep -qx '# decoded with OpenCSD [0-9.]*' out
version=$(sed -n 's/# decoded with OpenCSD //p' out)
case $version in
1.[0-7].*)
	ok "info: what it does not know" \
		grep -q '^# OpenCSD .* may decode big wrongly: .*loops of .* (needs 1.8.0)' out
	run "$TRAWL" -t none etr.bin
	ok "... and the log" grep -q 'may decode big wrongly' err
	;;
*) skip "info: what it does not know" "the library is new" ;;
esac
# A branch that the library does not know makes paths suspect up to the next synchronisation
# [Arm IHI 0064, A-sync, Trace Info, Trace On, Address with context, Atom]: at 0x1000 NOP,
# CBGT w0, w2, NOP, RET, and NOP, RET [Arm DDI 0487, FEAT_CMPBR].
sync='\0\0\0\0\0\0\0\0\0\0\0\200\001\001\0' at='\010\0\0\0\0\0\0'
printf "$sync\\004\\205\\0$at\\061\\367\\235\\004$at\\367$sync\\205\\004$at\\061\\367" >ete.bin
printf '\037\040\003\325\040\0\002\164\037\040\003\325\300\003\137\326' >ete.code
printf '\037\040\003\325\300\003\137\326' >>ete.code
sed 's/^ *sources:/      images: [{file: ete.code, address: 0x1000}]\
&/; s/ETMV4I, core: Cortex-M55/ETE/' etr.bin.profile.yaml >ete.yaml
run "$TRAWL" -t jsonl --profile=ete.yaml ete.bin
is "nothing is told of a core alone" 0 "$(grep -c 'may decode' err)"
case $version in
1.[0-5].*) want=1,1,0 ;;
*) want=0,0,0 ;;
esac
is "a branch that the library does not know" "$want" "$(awk '/"INSTR_RANGE"/ {
	printf "%s%d", sep, /"suspect"/; sep = "," }' out)"
# A trace ID that no source has: all of its bytes are lost, and that is told.
cp -R "$snapshot" wrong && chmod -R u+w wrong
sed 's/0x00100007/0x00150007/' "$snapshot/stm.ini" >wrong/stm.ini
run "$TRAWL" -t jsonl wrong
is "a wrong trace ID: status" 1 "$status"
ok "... and what it lost" grep -q '"severity":"ERROR".*trace ID 0x10 are not decoded.*"lost"' out
run "$TRAWL" --check wrong
is "... and what --check says" 1 "$status"
run "$TRAWL" --info wrong
ok "... and --info" grep -q '^# trace ID 0x10: [0-9]* bytes, not decoded' out
ok "... names the source that is not there" grep -q '^# trace ID 0x15: 0 bytes, STM_0, STM$' out

# Pages of memory without an image: PTM (Arm IHI 0035) with A-sync, I-sync at 0x80004000,
# two atoms, and I-sync at 0x80005000, an atom; nothing can follow either.
{
	printf '\0\0\0\0\0\200\010\000\100\000\200\041\204\204'
	printf '\010\000\120\000\200\041\204'
} >ptm.bin
cat >ptm.yaml <<'END'
traces:
  - match: "*"
    format: opencsd
    opencsd:
      format: source_data
      sources: [{id: 0x10, protocol: PTM, core: Cortex-A15,
                 regs: {ETMCR: 0, ETMIDR: 0x411cf310, ETMCCER: 0}}]
END
run "$TRAWL" -t csv --profile=ptm.yaml ptm.bin
is "missing pages are named once" 1 "$(grep -c \
	'2 rows with addresses in no known program: 0x80004000-0x80005fff (2); list the programs' err)"
is "... and are no warnings" 0 "$(grep -c WARNING out)"
run "$TRAWL" --info --profile=ptm.yaml ptm.bin
is "... in --info too" 1 "$(grep -c '^# 2 rows with addresses in no known program' out)"

# What --info says of memory images, there and missing, and of bytes that are no frames.
head -c 8192 /dev/zero >code.bin
sed 's/^ *sources:/      images: [{file: code.bin, address: 0x80004000}, {file: gone.bin, address: 0}]\
&/' ptm.yaml >images.yaml
run "$TRAWL" --info --profile=images.yaml ptm.bin
ok "a source, its protocol and core" grep -q '^# trace ID 0x10: [0-9]* bytes, PTM, PTM of Cortex-A15$' out
ok "an image that is there" grep -q '^# memory image 0x80004000-0x80005fff: .*code.bin$' out
ok "one that is not" grep -q '^# memory image 0x0: .*gone.bin is missing$' out
ok "the profile has both" sh -c 'grep -q "code.bin\", address: 0x80004000" out &&
	grep -q "gone.bin\"}" out'
# An image that is no file is missing, and not waited for.
mkfifo image.fifo
mkdir image.folder
for file in /dev/zero image.fifo image.folder; do
	sed "s,^ *sources:,      images: [{file: $file\, address: 0x80004000}]\\
&," ptm.yaml >special.yaml
	run timeout 20 "$TRAWL" --info --profile=special.yaml ptm.bin
	ok "an image is $file: it is missing" grep -q "^# memory image .*$file is missing$" out
done
# An ELF file is memory by its segments [System V ABI, "Program Header"]: here one of 8192 bytes
# for 0x80003000, behind 84 of headers; loaded 0x1000 further it is all that was missing.
{
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\50\0\1\0\0\0\0\0\0\200'
	printf '\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\124\0\0\0\0\60\0\200\0\60\0\200\0\40\0\0\0\40\0\0\5\0\0\0\4\0\0\0'
	cat code.bin
} >code.elf
sed 's/^ *sources:/      images: [{file: code.elf}]\
&/' ptm.yaml >elf.yaml
run "$TRAWL" --info --profile=elf.yaml ptm.bin
ok "an ELF file where it is linked" grep -q '^# memory image 0x80003000-0x80004fff: .*code.elf$' out
sed 's/code.elf/code.elf, address: 0x1000/' elf.yaml >moved.yaml
run "$TRAWL" --info --profile=moved.yaml ptm.bin
ok "... and where it is loaded" grep -q '^# memory image 0x80004000-0x80005fff: .*code.elf$' out
run "$TRAWL" -q -t ppl --profile=images.yaml ptm.bin
cp out want
run "$TRAWL" -q -t ppl --profile=moved.yaml ptm.bin
ok "... with the same bytes as the bare file" cmp -s want out
run "$TRAWL" -q -t ppl --profile=elf.yaml ptm.bin
ok "... which say what is executed" sh -c '! cmp -s want out'
# Bytes 0, 2, ... 14 with bit 0 set are trace IDs [Arm IHI 0029, D4.2].
awk 'BEGIN { for (i = 0; i < 16; i++) { for (b = 0; b < 14; b += 2)
	printf "\\%03o\\001", 2 * (7 * i + b / 2 + 1) + 1; printf "\\001\\000" } }' >octal
printf "$(cat octal)" >etb.bin
sed 's/format: source_data/format: coresight/' ptm.yaml >frames.yaml
run "$TRAWL" --info --profile=frames.yaml etb.bin
ok "many trace IDs are no frames" grep -q '^# [0-9]* other trace IDs: [0-9]* bytes, not decoded; so many' out

# Files that a snapshot names outside of its folder.
cp -R "$snapshot" away && chmod -R u+w away
mv away/etb.bin elsewhere.bin
sed 's|file=etb.bin|file=../elsewhere.bin|' "$snapshot/trace.ini" >away/trace.ini
run "$TRAWL" -t csv away
is "a buffer elsewhere: status" 2 "$status"
ok "... and what to do" grep -q 'opencsd: {outside: true}' err
echo 'traces: [{match: "*", opencsd: {outside: true}}]' >outside.yaml
run "$TRAWL" -t csv --profile=outside.yaml away
is "... allowed: as many messages" "$("$TRAWL" -t csv "$snapshot" | lines /dev/stdin)" \
	"$(lines out)"
mv elsewhere.bin away/real.bin
ln -s ../none/stm.ini away/link
sed 's|file=etb.bin|file=link|' "$snapshot/trace.ini" >away/trace.ini
run "$TRAWL" -t csv away
is "a link out of the folder: status" 2 "$status"
sed 's|file=etb.bin|file=./x/../real.bin|' "$snapshot/trace.ini" >away/trace.ini
mkdir away/x
run "$TRAWL" -t none away
is "a file within it is read" 0 "$status"


# Packets.  Read again as a listing they are the same.
run "$TRAWL" -q -t ppl-packets "$testdata/all-opencsd"
cp out packets.txt
ok "packets: of both sources" test "$(cut -d ' ' -f 2 packets.txt | sort -u | tr '\n' ' ')" = "ID:10; ID:21; "
ok "packets: with their bytes" grep -q '^Idx:0; ID:10; \[0xff 0xff .*\];	ASYNC:Alignment' packets.txt
run "$TRAWL" -q -t ppl-packets packets.txt
is "packets: of a listing" "" "$(diff packets.txt out | head -n 3)"
sed 's/^/\t/; s/ \[[^]]*\];//' packets.txt >perf.txt # as perf report -D prints them
run "$TRAWL" -q -t ppl-packets perf.txt
is "packets: as perf report prints them" "$(lines packets.txt)" "$(lines out)"
run "$TRAWL" -q -t ppl-packets -s error "$testdata/all-opencsd"
is "packets: no filter" 2 "$status"
run "$TRAWL" -q -t ppl-packets "$testdata/demo.stp"
is "packets: of no other format" 2 "$status"

# The lister says once that a source is not synchronised, as long as it does not decode; it
# stops at a fatal error, without the end; and of a bare source it has no ID then.
listed()
{
	sed 's/ \[\(0x.. \)*\];/;/; s/;;/;/' "$1" | grep -v -e 'NOT_*SYNC' -e INCOMPLETE_EOT |
		sed "$2"
}
theirs=$testdata/../../shared/captures
if test -d "$theirs/opencsd" && command -v zstd >/dev/null; then
	for buffer in juno_r1_1.ETB_0 juno_r1_1.ETB_1 TC2.ETB_0 stm-issue-27.ETB_0 q_elem.ETB_1 \
		q_elem.ETB_2; do
		listing=$theirs/opencsd/$buffer.pkts.ppl
		bare=
		case $buffer in q_elem*) bare='s/ID:[0-9a-f]*;/ID:0;/' ;; esac
		if test -f "$listing"; then cp "$listing" want; else zstd -dcq "$listing.zst" >want; fi
		"$TRAWL" -q -t ppl-packets --source="$buffer" "$theirs/opencsd/${buffer%%.*}" >got 2>/dev/null
		listed want "" >want.lines
		listed got "$bare" >got.lines
		ok "$buffer: there are packets" test "$(lines want.lines)" -gt 90
		is "$buffer: packets as trc_pkt_lister has them" "" "$(diff want.lines got.lines | head -n 3)"
	done
	for order in transport time; do
		"$TRAWL" -q -t csv --fields=trace_number,origin,type,ticks --order=$order \
			"$theirs/opencsd/TC2" 2>/dev/null | tail -n +2 | tr -d '"' >$order
	done
	# By hand: a core's message belongs to its last timestamp, any other to the latest of all.
	awk -F, -v OFS=, -v CONVFMT=%.0f -v OFMT=%.0f '
		$3 == "TIMESTAMP" { last[$2] = $4; if ($4 + 0 > latest) latest = $4 + 0 }
		{ cpu = sub(/^cpu_/, "", $2)
		  print cpu ? last["cpu_" $2] + 0 : latest + 0, cpu ? $2 + 1 : 0, $1 }' transport |
		sort -t, -k1,1n -k2,2n -k3,3n | cut -d, -f3 >want
	ok "cores of one buffer are not in order of time" test "$(diff want transport | head -n 3)"
	is "--order=time: by their timestamps" "" "$(cut -d, -f1 time | diff want - | head -n 3)"
	run "$TRAWL" -q -t ppl-packets "$theirs/real/perf/perf_etm.data"
	is "perf.data: packets as trc_pkt_lister has them" "" \
		"$(diff "$theirs/real/perf/perf_etm.pkts.ppl" out | head -n 3)"
else
	skip "packets as trc_pkt_lister has them" "no shared captures"
fi

# an SWO pin: 1,200 atoms, 8 triggers and all 760 bytes of its ETM (README.md of the capture),
# in frames that no synchronisation shows
swo=$theirs/real/swo/stm32f105.swo
if test -f "$swo"; then
	cat >swo.yaml <<-EOF
	traces:
	  - match: "*.swo"
	    format: opencsd
	    opencsd:
	      format: tpiu
	      sources:
	        - {id: 2, protocol: ETMV3, regs: {ETMCR: 0x0d80, ETMIDR: 0x4114f250, ETMCCER: 0x18541800}}
	EOF
	run "$TRAWL" -q -p swo.yaml -t ppl-packets "$swo"
	is "SWO: atoms" 1200 "$(sed -n 's/.*Atom P-header\.; \([EN]*\)$/\1/p' out |
		tr -d '\n' | wc -c | tr -d ' ')"
	is "SWO: triggers" 8 "$(grep -c 'TRIGGER : ' out)"
	is "SWO: first instruction" 0x08000306 "$(sed -n 's/.*; Addr=\(0x[0-9a-f]*\);.*/\1/p' out |
		head -n 1)"
	is "SWO: every byte is in a packet" 760 "$(grep -o '0x.. ' out | wc -l | tr -d ' ')"

	# what --info proposes for both, with the registers, gives the ITM and the ETM in one list
	"$TRAWL" --info "$swo" 2>/dev/null |
		sed -e '/^    format: tpiu/,/^      lines:/d' -e 's/^    # format: /    format: /' \
			-e 's/^    # opencsd: /    opencsd: /' -e 's/ETMCR: 0,/ETMCR: 0x0d80,/' \
			-e 's/ETMIDR: 0,/ETMIDR: 0x4114f250,/' -e 's/ETMCCER: 0}/ETMCCER: 0x18541800}/' \
			>both.yaml
	run "$TRAWL" -q -p both.yaml -t csv --fields=type "$swo"
	is "SWO: packets and elements in one list" "393 pc, 16 exception, 8 trigger, 8 EVENT, 272 ADDR_NACC" \
		"$(for type in pc exception trigger EVENT ADDR_NACC; do
			echo "$(grep -c "^\"$type\"" out) $type"
		done | paste -s -d, | sed 's/,/, /g')"
	run "$TRAWL" -q -p both.yaml --info "$swo"
	is "SWO: --info says what is in it" "ITM, ITM" \
		"$(sed -n 's/^# trace ID 0x01: 2619 bytes, //p' out)"
	is "SWO: nothing of the ITM is left out" "" "$(grep 'sends no synchronisation' out)"
else
	skip "packets of an SWO pin" "no shared captures"
fi
finish
