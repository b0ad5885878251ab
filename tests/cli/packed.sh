#!/bin/sh
# Compressed captures and archives: each opens as what is in it does, and says what is
# cut, damaged or too much in it.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

printf x | gzip >probe.gz 2>/dev/null
if ! "$TRAWL" --info -f syst/raw probe.gz | grep -q '(gzip)'; then
	echo "1..0 # SKIP built without libarchive"
	exit 0
fi

cp -r "${testdata:?}"/* .
chmod -R u+w .
formats=$("$TRAWL" --help | sed -n 's/.*--to=FORMAT.*: //p' | tr -d ',')

# Standard output, standard error and the status of some output formats.
print()
{
	for format in $1; do
		case $format in
		ctf) continue ;;
		esac
		echo "== $format"
		"$TRAWL" --no-cache -t "$format" "$2" 2>&1
		echo "status $?"
	done
}

# A capture of each format: what an output makes of a message is no matter of packing, so
# all of them are compared for one capture, for the others those that tell the most.
for capture in *; do
	some="jsonl stats"
	case $capture in
	*.yaml | *.xml | *.tsv | probe.gz) continue ;;
	esac
	test -f "$capture" || continue
	test "$capture" != demo.stp || some=$formats
	gzip -k "$capture"
	print "$some" "$capture" >plain
	print "$some" "$capture.gz" | sed "s/\\.gz\\.profile/.profile/" >packed
	is "$capture.gz" "" "$(diff plain packed | head -n 3)"
	rm "$capture.gz"
done

# A session of several, all of them packed, and a snapshot with packed buffers.
print "$formats" lab.yaml >plain
mkdir lab
for file in lab-cam.csel lab-dsp.gem lab-dsp.uia lab-hub.enc lab-soc.stp; do
	gzip <"$file" >"lab/$file.gz"
done
sed '/\.elf/!s/\(file: *lab-[a-z]*\.[a-z]*\)/\1.gz/' lab.yaml >lab/lab.yaml
cp ./*.xml lab-hub.elf lab/
cd lab || exit 1
print "$formats" lab.yaml >../packed
cd .. || exit 1
ok "a session: there is something to compare" grep -q '\.gz' lab/lab.yaml
is "a session of packed captures" "" "$(diff plain packed | head -n 3)"
print "$formats" all-opencsd >plain
gzip -c all-opencsd/etb.bin >etb.gz && mv etb.gz all-opencsd/etb.bin
print "$formats" all-opencsd >packed
is "a snapshot with a packed buffer" "" "$(diff plain packed | head -n 3)"

# Each way of packing.
csv()
{
	"$TRAWL" -t csv "$@" 2>err
}
want=$(csv demo.stp)
for tool in gzip:gz xz:xz zstd:zst bzip2:bz2 lz4:lz4; do
	if ! command -v "${tool%:*}" >/dev/null; then
		skip "${tool%:*}" "there is no ${tool%:*}"
		continue
	fi
	"${tool%:*}" -c demo.stp >"demo.stp.${tool#*:}" 2>/dev/null
	is "${tool%:*}" "$want" "$(csv "demo.stp.${tool#*:}")"
	cp "demo.stp.${tool#*:}" any
	is "${tool%:*}, whatever it is called" "$(csv -p demo.profile.yaml - <demo.stp)" \
		"$(csv -p demo.profile.yaml - <any)"
	is "${tool%:*}, piped in" "$(csv -f syst/stp - <demo.stp)" \
		"$(cat any | csv -f syst/stp -)"
done
tar cf demo.stp.tar demo.stp
is "tar" "$want" "$(csv demo.stp.tar)"
tar czf demo.tgz demo.stp
is "tar in gzip" "$(csv -p demo.profile.yaml -f syst/stp - <demo.stp | cut -d , -f 3-)" \
	"$(csv -f syst/stp -p demo.profile.yaml demo.tgz | cut -d , -f 3-)"
run "$TRAWL" --info demo.stp.tar
ok "--info: how it is packed, and both sizes" grep -Eq \
	'^# board \(tar\): syst/stp, [0-9]+ bytes compressed, 16441 bytes, ' out
run "$TRAWL" --info -p lab.yaml demo.stp.gz
ok "--info: the name of the file" grep -q '^# demo.stp.gz (gzip): ' out
is "... and of what is in it" '  - match: "demo.stp"' "$(sed -n '/match/p' out)"
run "$TRAWL" --index demo.stp.gz
is "no index is kept: status" 2 "$status"
ok "no index is kept: why" grep -q 'no index is kept of a compressed capture' err

# Several members, and none.
tar cf two.tar demo.stp demo.xml
tar czf two.tgz demo.stp demo.xml
for file in two.tar two.tgz; do
	run "$TRAWL" -t csv "$file"
	is "several files in $file: status" 2 "$status"
	is "several files in $file: which" "trawl: $file holds several files (demo.stp, \
demo.xml); read one with tar xOf $file NAME | trawl -" "$(cat err)"
done
is "several files: one of them" "$(csv -f syst/stp - <demo.stp)" \
	"$(tar xOf two.tgz demo.stp | csv -f syst/stp -)"
mkdir folder && tar cf none.tar folder
run "$TRAWL" -t csv none.tar
is "no file: status" 2 "$status"
ok "no file: said" grep -q 'tar archive that cannot be unpacked: no file is in it' err
# The second file comes late.
"$MKCAPTURE" -f syst/raw -c 200000 -o big.bin
tar czf late.tgz big.bin demo.xml
run "$TRAWL" -t none -f syst/raw late.tgz
is "a second file behind a large one: status" 1 "$status"
ok "a second file behind a large one: said" grep -q \
	'only the first file is shown: late.tgz holds several files (big.bin, demo.xml)' err

# Cut and damaged: a beginning of the rows, and a reason.
gzip -k big.bin
csv -f syst/raw big.bin >whole
size=$(wc -c <big.bin.gz)
for part in 3 5 7 9; do
	head -c $((size * part / 10)) big.bin.gz >cut.gz
	run "$TRAWL" -t csv -f syst/raw cut.gz
	is "cut at $part/10: status" 1 "$status"
	ok "cut at $part/10: said" grep -q 'no more can be unpacked: truncated gzip input' err
	rows=$(($(lines out) - 3)) # the last ones may be cut, or tell of the loss
	ok "cut at $part/10: rows" test "$rows" -gt 10000
	is "cut at $part/10: a beginning" "$(head -n "$rows" whole | cut -d , -f 3- | cksum)" \
		"$(head -n "$rows" out | cut -d , -f 3- | cksum)"
done
is "cut: the last row tells" 1 "$(tail -n 1 out | grep -c 'no more can be unpacked')"
run "$TRAWL" -f syst/raw -t csv --fields=kind,flags cut.gz
is "cut: its kind" "loss,lost" "$(tail -n 1 out | tr -d '"')"
head -c 7 big.bin.gz >cut.gz
run "$TRAWL" -t csv cut.gz
is "nothing comes out: status" 2 "$status"
ok "nothing comes out: said" grep -q \
	'cut.gz: gzip-compressed data that cannot be unpacked' err

# What only begins as if it were packed is read as it is.
{ bytes head 1f 8b 08 01 && cat head demo.stp; } >alike.bin
run "$TRAWL" -t csv -f syst/stp alike.bin
is "no gzip, whatever it begins with" "$(lines out)" \
	"$(tail -c +5 alike.bin | csv -f syst/stp - | awk 'END { print NR + 1 }')"

# A full disk, and a folder that is none.
if (ulimit -f 600) 2>/dev/null; then
	(ulimit -f 600 && exec "$TRAWL" -t none -f syst/raw big.bin.gz) >out 2>err
	is "no room: status" 1 $?
	ok "no room: said" grep -q 'it cannot be kept in .*--spool=DIR or TMPDIR' err
else
	skip "no room" "no ulimit -f"
fi
run "$TRAWL" --spool=/nonexistent -t none demo.stp.gz
is "nowhere to keep it" 2 "$status"
finish
