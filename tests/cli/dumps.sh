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

# alike NAME PLAIN OTHER: both have the same messages.  Profiles lie beside both.
alike()
{
	print_all "$2" >want
	print_all "$3" >got
	ok "$1: there is something to compare" grep -q '"n":0' want
	is "$1" "" "$(diff want got | head -n 3)"
}

mkdir as && cp ./*.xml as/
for tool in "xxd" "xxd -e" "xxd -p" "xxd -p -c0" "xxd -a" "xxd -u -g 1" "hexdump -C" "hexdump" \
	"od -A x -t x4" "od -t x1z" "od -t x8"; do
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
od -v demo.stp >octal.txt
run "$TRAWL" --info octal.txt
is "words of octal digits are none" 0 "$(grep -c '(od)' out)"

# The dumps that come with the captures of other people.
if test -d "$shared/real"; then
	run "$TRAWL" --info "$shared/real/containers/raw_xxd.txt"
	ok "real: raw_xxd.txt" grep -q '(xxd): syst/raw, 876 bytes in the file, 200 bytes, ' out
else
	skip "real: raw_xxd.txt" "no shared captures"
fi
finish
