#!/bin/sh
# Dumps of trace memory: as text of each tool, with words turned, as circular buffers.  Each
# opens as the capture that it was made from.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

cp -r "${testdata:?}"/* .
chmod -R u+w .
shared=$testdata/../../shared/captures

# Standard output and the status of some output formats; the trace's name is told apart.
print_all()
{
	for format in jsonl text stats; do
		"$TRAWL" --no-cache -q -t "$format" "$@" 2>/dev/null
		echo "status $?"
	done
}

# alike NAME PLAIN OTHER: both have the same messages.  Profiles lie beside both, and stay.
alike()
{
	plain=wanted/$(echo "$2" | tr / _)
	test "$plain" -nt "$2" || print_all "$2" >"$plain"
	print_all "$3" >got
	ok "$1: there is something to compare" grep -q '"n":0' "$plain"
	is "$1" "" "$(diff "$plain" got | head -n 3)"
}

mkdir as wanted && cp ./*.xml as/
for tool in "xxd" "xxd -e" "xxd -p" "xxd -p -c0" "xxd -a" "xxd -u -g 1" "hexdump -C" "hexdump" \
	"od -A x -t x4" "od -t x1z" "od -t x8" "od" "od -b" "od -A x -t o4" "hexdump -b" "xxd -b" \
	"xxd -i"; do
	if ! command -v "${tool%% *}" >/dev/null; then
		skip "$tool" "there is no ${tool%% *}"
		continue
	fi
	for capture in demo.stp all-raw.bin lab-dsp.gem; do
		base=${capture%.*}
		test ! -f "$base.profile.yaml" || cp "$base.profile.yaml" as/
		$tool <"$capture" >"as/$capture"
		alike "$capture by $tool" "$capture" "as/$capture"
	done
done
# Words of four bytes: of captures with as many.
head -c 16440 demo.stp >four.stp
cp demo.profile.yaml four.profile.yaml
cp demo.profile.yaml as/four.profile.yaml
od -v -A x -t x4 <four.stp | awk 'NF > 1 { $1 = "0x20" $1 ":"; print $0 " " }
	END { print "> " }' >as/four.stp
alike "by mdw of OpenOCD" four.stp as/four.stp
cp as/four.stp mdw.stp
# A word a line, as each tool prints it.
words='NF > 1 { for (i = 2; i <= NF; i++) printf(form, 4 * n++, $i) }'
od -v -A x -t x4 <four.stp | awk -v form='%8X:   %s\n' "$words" >as/four.stp
alike "by mrd of Xilinx" four.stp as/four.stp
(echo "1651 1 80000000 0 100e"; od -v -A x -t x4 <four.stp |
	awk -v form='%.0s0x%s\n' "$words") >as/four.stp
alike "by Code Composer Studio" four.stp as/four.stp
od -v -A x -t x4 <four.stp | awk -v form='%.0s0x%s\n' "$words" >as/four.stp
alike "words alone" four.stp as/four.stp
for form in ihex srec; do
	if command -v objcopy >/dev/null; then
		objcopy -I binary -O $form --change-addresses 0x80001000 four.stp as/four.stp
		alike "by objcopy -O $form" four.stp as/four.stp
	else
		skip "by objcopy -O $form" "there is no objcopy"
	fi
done
cp mdw.stp as/four.stp
run "$TRAWL" --info as/four.stp
ok "--info names the form" grep -q '(mdw): syst/stp, [0-9]* bytes in the file, 16440 bytes, ' out
run "$TRAWL" --index as/four.stp
is "no index is kept: status" 2 "$status"

# Packed text, and as a buffer of a snapshot.
gzip -c as/four.stp >as/four.stp.gz 2>/dev/null
if "$TRAWL" --info as/four.stp.gz 2>/dev/null | grep -q '(gzip, mdw)'; then
	rm as/four.stp
	alike "by mdw, compressed" four.stp as/four.stp.gz
else
	skip "by mdw, compressed" "built without libarchive"
fi
print_all all-opencsd >want
od -v -A x -t x1 <all-opencsd/etb.bin >etb
mv etb all-opencsd/etb.bin
print_all all-opencsd >got
is "a snapshot with a buffer as text" "" "$(diff want got | head -n 3)"

od -v -A n -t x4 -w16 <four.stp | awk '{ $1 = toupper($1); $2 = toupper($2); $3 = toupper($3)
	$4 = toupper($4); printf "2000%04X = %s \n", (NR - 1) * 16, $0 }
	BEGIN { print "J-Link>mem32 0x20000000, 100E" }' >as/four.stp
alike "by mem32 of J-Link" four.stp as/four.stp

# From pipes, at once or in pieces with pauses.
slowly()
{
	{ head -c 700 "$1"; sleep 0.3; tail -c +701 "$1" | head -c 100; sleep 0.3; tail -c +801 "$1"; }
}
rotated() # FILE: from the middle on, then the rest
{
	half=$(($(wc -c <"$1") / 2))
	tail -c +$((half + 1)) "$1"
	head -c $half "$1"
}
cat demo.stp | print_all -p demo.profile.yaml - >want
od -A x -t x4 demo.stp >words.txt
cat words.txt | print_all -p demo.profile.yaml - >got
is "words from a pipe" "" "$(diff want got | head -n 3)"
grep -q '"n":1' want || echo nothing to compare >want
for format in jsonl text; do
	slowly words.txt | "$TRAWL" -q -t $format -p demo.profile.yaml - 2>/dev/null
	echo "status $?"
done >got
{ for format in jsonl text; do
	"$TRAWL" -q -t $format -p demo.profile.yaml - <demo.stp 2>/dev/null
	echo "status $?"
done; } >want
is "words from a slow pipe" "" "$(diff want got | head -n 3)"
run sh -c "sed 100d words.txt | '$TRAWL' -t jsonl -p demo.profile.yaml -"
is "a line is missing in a pipe: status" 1 "$status"
ok "... and said" grep -q ': 16 bytes at offset 0x630 have no line in the dump and are' err
rotated demo.stp | "$TRAWL" -q -t jsonl -p demo.profile.yaml \
	--write-pointer=$(($(wc -c <demo.stp) - $(wc -c <demo.stp) / 2)) - >got 2>/dev/null
"$TRAWL" -q -t jsonl -p demo.profile.yaml - <demo.stp >want 2>/dev/null
is "a circular buffer from a pipe" "$(cksum <want)" "$(cksum <got)"
sed q words.txt | cat - "$testdata/dmesg.log" 2>/dev/null | "$TRAWL" --info -f text - >out 2>err
ok "-f text from a pipe" test "$(grep -c '(od)' out)" = 0

# A line that is missing is told.
{ od -v -A x -t x1 <demo.stp | sed 100d; } >as/hole.stp
run "$TRAWL" -t jsonl -f syst/stp as/hole.stp
is "a line is missing: status" 1 "$status"
ok "... and said" grep -q ': 16 bytes at offset 0x630 have no line in the dump and are' err

# What is text itself stays text.
od -v -A x -t x1 <demo.stp >list.txt
run "$TRAWL" --info -f text list.txt
is "-f text" 0 "$(grep -c '(od)' out)"
printf 'traces: [{match: list.txt, words: no}]\n' >list.profile.yaml
run "$TRAWL" --info -p list.profile.yaml list.txt
is "words: no" 0 "$(grep -c '(od)' out)"

# Words that stand the wrong way round, found or said.
turn() # SIZE FILE
{
	head -c $(($(wc -c <"$2") / 8 * 8)) "$2" | xxd -e -g "$1" | xxd -r
}
rm -rf as && mkdir as plain && cp ./*.xml as/ && cp ./*.xml plain/
if command -v xxd >/dev/null; then
	for capture in demo.stp all-msn.stp all-raw.bin lab-cam.csel; do
		for size in 2 4 8; do
			test ! -f "${capture%.*}.profile.yaml" ||
				cp "${capture%.*}.profile.yaml" as/ &&
				cp "${capture%.*}.profile.yaml" plain/ 2>/dev/null
			head -c $(($(wc -c <"$capture") / 8 * 8)) "$capture" >"plain/$capture"
			turn "$size" "$capture" >"as/$capture"
			alike "$capture, bytes of $size-byte words swapped" "plain/$capture" "as/$capture"
		done
	done
	turn 4 lab-soc.stp >as/lab-soc.stp
	run "$TRAWL" --info as/lab-soc.stp
	ok "--info says that it is a guess" grep -q '(bytes of 4-byte words swapped: guessed): ' out
	ok "... why" grep -q 'swap: no in its profile leaves them as they are' out
	ok "... and how to make it certain" grep -q '^    swap: "\{0,1\}4' out
	sed '/^#/d' out >as/lab-soc.profile.yaml
	run "$TRAWL" --info as/lab-soc.stp
	ok "said: no guess" grep -q '(bytes of 4-byte words swapped): ' out
	printf 'traces: [{match: "*.stp", swap: no}]\n' >as/lab-soc.profile.yaml
	run "$TRAWL" --info as/lab-soc.stp
	ok "swap: no" grep -q 'lab-soc.stp: format unknown' out
	cp "$testdata/all-opencsd/etb.bin" all-opencsd/etb.bin
	print_all all-opencsd >want
	turn 4 all-opencsd/etb.bin >etb && mv etb all-opencsd/etb.bin
	print_all all-opencsd >got
	is "a snapshot with words turned" "" "$(diff want got | head -n 3)"
	turn 4 demo.stp | xxd >as/demo.stp
	head -c 16440 demo.stp >plain/demo.stp
	alike "turned, as text" plain/demo.stp as/demo.stp
else
	skip "words turned" "there is no xxd"
fi

# Circular buffers: what was written last comes first.
rotate() # POINTER FILE
{
	tail -c "$1" "$2" && head -c $(($(wc -c <"$2") - $1)) "$2"
}
rm -rf as && mkdir as && cp ./*.xml as/
for capture in all-msn.stp all-lsn.stp all-raw.bin lab-soc.stp damaged-gem.bin; do
	base=${capture%.*}
	test ! -f "$base.profile.yaml" || cp "$base.profile.yaml" as/
	pointer=$(($(wc -c <"$capture") / 3))
	rotate "$pointer" "$capture" >"as/$capture"
	alike "$capture, rotated and found" "$capture" "as/$capture"
	run "$TRAWL" --info "as/$capture"
	ok "$capture, said to be a guess" \
		grep -q "\\[rotated at 0x$(printf %x "$pointer"): guessed\\]" out
	print_all "$capture" >want
	for pointer in 1 4097; do
		test "$pointer" -lt "$(wc -c <"$capture")" || continue
		rotate "$pointer" "$capture" >"as/$capture"
		print_all --write-pointer="$pointer" "as/$capture" >got
		is "$capture, rotated at $pointer" "" "$(diff want got | head -n 3)"
	done
done

# A target that booted twice: its clock starts again, but the file starts with ASYNC and VERSION
# [STP 2, "Synchronization"], and stays in its order.  26924 - 12114 is 0x39da.
tail -c +12115 all-msn.stp >reboot.stp
head -c 12114 all-msn.stp >>reboot.stp
is "two boots: the file starts with ASYNC" ffffffffffffffffffff0f0f \
	"$(od -v -A n -t x1 -N 12 reboot.stp | tr -d ' \n')"
run "$TRAWL" -t none reboot.stp
ok "... is reported" grep -qxF "trawl: $(notice CIRCULAR reboot.stp 39da 39da)" err
"$TRAWL" --no-cache -q -t text --write-pointer=0 --fields=offset reboot.stp >want 2>/dev/null
"$TRAWL" --no-cache -q -t text --fields=offset reboot.stp >got 2>/dev/null
is "... is not rotated" "" "$(diff want got | head -n 3)"
rotate 4097 all-msn.stp >as/all-msn.stp
run "$TRAWL" -t none as/all-msn.stp
ok "a guess to rotate is reported" grep -q '^trawl: all-msn.stp: guessed.* at 0x1001 ' err
run "$TRAWL" -q -t none as/all-msn.stp
is "... with -q not" "" "$(cat err)"

for file in *.stp *.bin *.csel *.gem *.uia *.enc *.txt; do
	test "$file" != reboot.stp || continue
	"$TRAWL" --info "$file" 2>&1
done >all
is "nothing else is taken for circular" "" \
	"$(grep -e 'rotated at' -e 'circular buffer' all | head -n 3)"
is "... or for turned" "" "$(grep 'turned' all | head -n 3)"
cp "$testdata/all-opencsd/etb.bin" all-opencsd/etb.bin
print_all all-opencsd >want
rotate 256 all-opencsd/etb.bin >etb && mv etb all-opencsd/etb.bin
printf 'traces: [{match: "all-opencsd.*", write_pointer: 256, opencsd: {guid: "%s", '"\
"'collateral: [mix.xml]}}]\n' "{7b1c0de5-3f52-4c1a-9d86-52a1f00dca75}" >all-opencsd.profile.yaml
print_all all-opencsd >got
is "a snapshot with a rotated buffer" "" "$(diff want got | head -n 3)"

# Of a buffer that was not filled, what was written is shown.
{ cat all-raw.bin && head -c 4096 /dev/zero; } >as/all-raw.bin
print_all all-raw.bin >want
print_all --write-pointer="$(wc -c <all-raw.bin | tr -d ' ')" as/all-raw.bin >got
is "not wrapped" "" "$(diff want got | head -n 3)"
run "$TRAWL" --info --write-pointer=0x61fa as/all-raw.bin
ok "not wrapped: said" grep -q '\[up to 0x61fa\]: ' out

# Without times nothing shows where a circular buffer begins: that is said.
for _ in 0 1 2 3 4 5 6 7 8 9; do
	printf '\013\206\105\043%.0s' $(seq 120) # a SHORT32 each
done >buffer.bin
head -c 4096 buffer.bin >round.bin
head -c 4097 buffer.bin >other.bin
advice='^# no times show its order; .* --write-pointer='
run "$TRAWL" --info -f syst/raw round.bin
ok "no times: said" grep -q "$advice" out
run "$TRAWL" --info -f syst/raw other.bin
is "not the size of a buffer" 0 "$(grep -c "$advice" out)"
od -v -A x -t x1 other.bin >other.txt
run "$TRAWL" --info -f syst/raw other.txt
ok "dumped in text" grep -q "$advice" out
run "$TRAWL" --info -f syst/raw --write-pointer=0x100 round.bin
is "with a write pointer" 0 "$(grep -c "$advice" out)"
head -c 4096 demo.stp >timed.stp
run "$TRAWL" --info -p demo.profile.yaml -f syst/stp timed.stp
is "with times" 0 "$(grep -c "$advice" out)"
run "$TRAWL" -t none --write-pointer=99999 as/all-raw.bin
is "a write pointer behind the end: status" 2 "$status"
ok "a write pointer behind the end: said" grep -q \
	'the write pointer is 0x1869f, and the dump ends at 0x71fa' err
run "$TRAWL" -t none --write-pointer=x all-raw.bin
is "no number" 2 "$status"

# The dumps that come with the captures of other people.
if test -d "$shared/real"; then
	run "$TRAWL" --info "$shared/real/containers/raw_xxd.txt"
	ok "real: raw_xxd.txt" grep -q '(xxd): syst/raw, 876 bytes in the file, 200 bytes, ' out
	for log in syst_text pr19637 issue51074; do
		log=$shared/real/syst/$log.log
		run "$TRAWL" -q -t jsonl "$log"
		is "real: every SyS-T line of $(basename "$log")" \
			"$(grep -c 'SYS-T RAW DATA:' "$log")" \
			"$(grep -v '"type":"TEXT"' out | grep -c '"flags":\[\]')"
	done
	pairs="juno_r1_1:cstrace.bin TC2:cstrace.bin stm-issue-27:stuck_trace.bin
		itm_only_csformat:itm_testdata_ID_0x14.bin q_elem:session1.bin"
	if ! has_feature "CoreSight trace"; then
		pairs=
		skip "real: snapshots" "built without OpenCSD"
	fi
	for pair in $pairs; do
		folder=${pair%:*} file=${pair#*:}
		rm -rf "$folder" && cp -r "$shared/opencsd/$folder" . && chmod -R u+w "$folder"
		print_all "$folder" >want
		ok "real: $folder: there is something" test "$(lines want)" -gt 60
		cp "$folder/$file" plain.bin
		size=$(wc -c <plain.bin)
		od -v -A x -t x1 <plain.bin >"$folder/$file"
		print_all "$folder" >got
		is "real: $folder as text" "" "$(diff want got | head -n 3)"
		if test $((size % 4)) = 0; then
			turn 4 plain.bin >"$folder/$file"
			print_all "$folder" >got
			is "real: $folder, words turned" "" "$(diff want got | head -n 3)"
		fi
		# each buffer has a write pointer of its own
		buffer=$("$TRAWL" -q --info "$folder" 2>/dev/null |
			sed -n "s/^# \\([^ ]*\\).*, $size bytes,.*/\\1/p" | head -n 1)
		printf 'traces: [{match: "%s", write_pointer: 32}]\n' "$buffer" >rotated.yaml
		rotate 32 plain.bin >"$folder/$file"
		print_all -p rotated.yaml "$folder" >got
		is "real: $folder ($buffer), rotated" "" "$(diff want got | head -n 3)"
	done
else
	skip "real captures" "no shared captures"
fi
finish
