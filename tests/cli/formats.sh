#!/bin/sh
# Batch output: each format, to the letter where one is promised.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
small_capture

run "$TRAWL" -t jsonl -f syst/raw small.bin
is "jsonl: status" 0 "$status"
is "jsonl: nothing on standard error" "" "$(cat err)"
is "jsonl: the envelope, then the format's fields" \
	'{"n":0,"trace":"small.bin","offset":0,"length":4,"ticks":null,"time":null,"severity":"MAX","origin":"","type":"SHORT32","text":"0x02345678","flags":[],"fields":{"value":36984440}}
{"n":1,"trace":"small.bin","offset":4,"length":22,"ticks":null,"time":null,"severity":"WARNING","origin":"1:2","type":"STRING:GENERIC","text":"Hello world!","flags":[],"fields":{"module":1,"unit":2,"crc":3937928915,"crc_ok":true}}' \
	"$(cat out)"

run "$TRAWL" -t csv -f syst/raw small.bin
is "csv" 'n,trace,offset,length,ticks,time,severity,origin,type,text,flags
0,"small.bin",0,4,,,MAX,"","SHORT32","0x02345678",
1,"small.bin",4,22,,,WARNING,"1:2","STRING:GENERIC","Hello world!",' "$(cat out)"

run "$TRAWL" -t csv-systprint -f syst/raw small.bin
is "csv-systprint: the printer's head" \
	'Decode Status,Payload,Type,Severity,Origin,Unit,Message TimeStamp,Context TimeStamp,Location,Raw Length,Checksum,Collateral' \
	"$(head -n 1 out)"
is "csv-systprint: one row for each message" 3 "$(lines out)"

run "$TRAWL" -t none -f syst/raw small.bin
is "none: no output" 0 "$(lines out)"
is "none: status" 0 "$status"

run "$TRAWL" -f syst/raw small.bin
is "text where standard output is no terminal: a line for each message" 2 "$(lines out)"
ok "text holds the text" grep -q 'Hello world!' out

# Against the truth: offset, length, severity and type of every message.
for capture in all-raw.bin all-hex.txt all-msn.stp all-lsn.stp all-le22.stp short.bin; do
	run "$TRAWL" -t jsonl "$testdata/$capture"
	awk -F '\t' 'NR > 1 && $4 != "other" { print $1, $2, $5, $6 }' \
		"$testdata/${capture%.*}.truth.tsv" >want
	sed -n 's/.*"offset":\([0-9]*\),"length":\([0-9]*\),.*"severity":"\([A-Z0-9]*\)".*"type":"\([A-Za-z0-9: ]*\)".*/\1 \2 \3 \4/p' \
		out | grep -v ' TEXT$' >got
	ok "$capture is what was sent" cmp want got
	is "$capture: numbered from 0" "$(($(lines out) - 1))" \
		"$(sed -n '$s/{"n":\([0-9]*\),.*/\1/p' out)"
done

if command -v python3 >/dev/null; then
	run "$TRAWL" -t jsonl "$testdata/demo.stp"
	# shellcheck disable=SC2016
	ok "every line is JSON" python3 -c '
import json, sys
for line in open("out", encoding="utf-8"): json.loads(line)'
	run "$TRAWL" -t jsonl "$testdata/damaged-raw.bin"
	ok "every line of a damaged capture is JSON" python3 -c '
import json, sys
for line in open("out", encoding="utf-8"): json.loads(line)'
else
	skip "every line is JSON" "no python3"
	skip "every line of a damaged capture is JSON" "no python3"
fi

finish
