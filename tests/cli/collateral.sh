#!/bin/sh
# Collateral that is missing, made for other builds, or broken is told, and messages
# that do not fit it are found.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# collateral NAME BUILD: a client of the GUID below, made for one build
collateral()
{
	cat <<END
<?xml version="1.0"?>
<syst:Collateral xmlns:syst="http://www.mipi.org/1.0/sys-t"><syst:Client Name="$1">
<syst:Guids><syst:Guid ID="{11223344-5566-7788-8899-AABBCCDDEEFF}">x</syst:Guid></syst:Guids>
<syst:Builds><syst:Build ID="$2"/></syst:Builds>
<syst:Catalog32><syst:Format ID="0x77">$1 %d</syst:Format></syst:Catalog32>
</syst:Client></syst:Collateral>
END
}
guid=11223344556677888899AABBCCDDEEFF
catalog="SYS-T RAW DATA: 43108001${guid}77000000"
{
	echo "SYS-T RAW DATA: 40108002${guid}0500000000000000" # build 5
	echo "${catalog}01000000"
} >good.txt
{
	cat good.txt
	echo "$catalog" # the argument is missing
} >short.txt
collateral five 5 >five.xml
collateral nine 9 >nine.xml
echo '<syst:Collateral>' >broken.xml

# texts NAME WANT OPTION...: the texts of good.txt, one a line
texts()
{
	name=$1 want=$2
	shift 2
	run "$TRAWL" -t jsonl "$@" good.txt
	is "$name" "$want" "$(sed "s/.*\"text\":\"\([^\"]*\)\".*/\1/" out)"
}

texts "the fitting build" "0x0000000000000005
five 1" -C nine.xml -C five.xml
is "... has its name" 2 "$(grep -c '"five"' out)"
is "... and nothing is said" "" "$(cat err)"
texts "collateral for another build alone" "0x0000000000000005
id 0x77 args 0x00000001" -C nine.xml
is "... whose name is nowhere" 0 "$(grep -c nine out)"
ok "... which is said" grep -qF "$(notice NO_COLLATERAL good.txt)" err
run "$TRAWL" --check=catalog -C nine.xml good.txt
is "... and found by --check=catalog" 1 "$status"
run "$TRAWL" --check=catalog -C five.xml good.txt
is "... unlike what has a name" 0 "$status"

for use in "-t text" --info --check; do
	# shellcheck disable=SC2086  # a word or two
	run "$TRAWL" $use good.txt
	is "no collateral: $use: status" 0 "$status"
	is "... is said once" 1 "$(grep -cF "$(notice NO_COLLATERAL good.txt)" err)"
	# shellcheck disable=SC2086
	run "$TRAWL" -q $use good.txt
	is "... but not with -q" "" "$(cat err)"
done

run "$TRAWL" --check -C five.xml good.txt
is "arguments that fit: status" 0 "$status"
run "$TRAWL" --check -C five.xml short.txt
is "an argument that is missing: status" 1 "$status"
ok "... where" grep -q 'check corrupt: 1 message, the first is trace_number 2' err
run "$TRAWL" -t text -C five.xml short.txt
is "... in batch output, too" 1 "$status"
ok "... with what could be made" grep -q 'five - insufficient argument' out
run "$TRAWL" -t jsonl -e damaged -C five.xml short.txt
is "... and by a filter" 1 "$(lines out)"

# Faults of rows: the file loads, and is told of.
fault()
{
	sed "s|<syst:Catalog32>|&$2|" five.xml >fault.xml
	run "$TRAWL" --check=catalog -C fault.xml good.txt
	is "$1: --check=catalog" 1 "$status"
	ok "... says where" grep -q 'fault.xml:5' err
}
fault "a number too wide" '<syst:Format ID="0x100000077">x</syst:Format>'
fault "a number twice" '<syst:Format ID="0x77">x</syst:Format>'
fault "an element elsewhere" '<syst:Module ID="1">x</syst:Module>'

run "$TRAWL" --check -C broken.xml -C five.xml good.txt
is "broken collateral: --check" 1 "$status"
ok "... says why" grep -q 'broken.xml:[0-9]*' err
run "$TRAWL" --check -C nothing.xml -C five.xml good.txt
is "collateral that is not there: --check" 1 "$status"
for format in text jsonl none; do
	run "$TRAWL" -t $format -C broken.xml -C five.xml good.txt
	is "broken collateral, -t $format: status" 1 "$status"
	is "... is said once" 1 "$(grep -c 'broken.xml:[0-9]*' err)"
	run "$TRAWL" -q -t $format -C broken.xml -C five.xml good.txt
	is "... and decides the status with -q, too" "1 " "$status $(cat err)"
done

run "$TRAWL" -t none -C five.xml "$testdata/lab-cam.csel"
is "collateral that is of no use" 1 "$(grep -cF -e "$(notice COLLATERAL_UNUSED)" err)"
run "$TRAWL" -t none -C five.xml good.txt "$testdata/lab-cam.csel"
is "collateral that is of use to one of two" 0 "$(grep -cF -e "$(notice COLLATERAL_UNUSED)" err)"

# Modules of messages without GUID have names [SyS-T 1.0, "Collateral", Modules]: module 5 has
# one, module 6 has none.  Header: catalog with LEN, severity ERROR, module, subtype ID32.
{
	echo "SYS-T RAW DATA: 23020501040077000000"
	echo "SYS-T RAW DATA: 23020601040077000000"
} >modules.txt
cat >modules.xml <<END
<?xml version="1.0"?>
<syst:Collateral xmlns:syst="http://www.mipi.org/1.0/sys-t"><syst:Client Name="board">
<syst:Guids><syst:Guid ID="{00000000-0000-0000-0000-000000000000}"
Mask="{00000000-0000-0000-FF00-000000000000}">board</syst:Guid></syst:Guids>
<syst:Modules><syst:Module ID="5">uart</syst:Module></syst:Modules>
<syst:Catalog32><syst:Format ID="0x77">it</syst:Format></syst:Catalog32>
</syst:Client></syst:Collateral>
END
run "$TRAWL" -t text --fields=origin,text -C modules.xml modules.txt
is "names of modules are origins" "uart it;board it;" "$(sed 's/  */ /g; s/ *$/;/' out | tr -d '\n')"

finish
