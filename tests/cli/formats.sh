#!/bin/sh
# Batch output: each format, to the letter where one is promised.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
small_capture

run "$TRAWL" -t jsonl -f syst/raw small.bin
is "jsonl: status" 0 "$status"
is "jsonl: nothing on standard error" "" "$(cat err)"
is "jsonl: the envelope, then the format's fields" \
	'{"n":0,"trace":"small.bin","offset":0,"length":4,"ticks":null,"time":null,"severity":"MAX","origin":"","type":"SHORT32","text":"0x02345678","flags":[],"fields":{"value":"0x2345678"}}
{"n":1,"trace":"small.bin","offset":4,"length":22,"ticks":null,"time":null,"severity":"WARNING","origin":"1:2","type":"STRING:GENERIC","text":"Hello world!","flags":[],"fields":{"module":1,"unit":2,"crc":3937928915,"crc_ok":true}}' \
	"$(cat out)"

run "$TRAWL" -t csv -f syst/raw small.bin
is "csv" 'number,trace,offset,length,ticks,time,severity,origin,type,text,flags
1,"small.bin",0,4,,,,"","SHORT32","0x02345678",
2,"small.bin",4,22,,,WARNING,"1:2","STRING:GENERIC","Hello world!",' "$(cat out)"

run "$TRAWL" -t csv-systprint -f syst/raw small.bin
is "csv-systprint: the printer's head" \
	'Decode Status,Payload,Type,Severity,Origin,Unit,Message TimeStamp,Context TimeStamp,Location,Raw Length,Checksum,Collateral' \
	"$(head -n 1 out)"
is "csv-systprint: one row for each message" 3 "$(lines out)"

run "$TRAWL" -t hex -f syst/raw small.bin
is "hex: the line of text, then the bytes" \
	'                   -                    0x02345678
               0  81 67 45 23                                       .gE#
                   - W 1:2              Hello world!
               4  32 26 01 01 0c 00 48 65  6c 6c 6f 20 77 6f 72 6c  2&....Hello worl
              14  64 21 d3 06 b8 ea                                 d!....' "$(cat out)"
run "$TRAWL" -t hex -r 'task 1 ' "$testdata/demo.stp"
ok "hex: what a transport scattered, put together" grep -q '  sk %u "%s" prio $' out

# Each sender of each trace, as counted message by message.
run "$TRAWL" -t stats "$testdata/lab.yaml"
is "stats: status" 1 "$status"
sed '1d; /in no message/,$d; / (all) /d' out | awk '{
	n = NF - 9
	name = $2
	for (i = 3; i < n; i++)
		name = name " " $i
	print $1 "/" name, $n, $(n + 2), $(n + 3), $(n + 4), $(n + 5), $(NF - 1), $NF }' | sort >got
"$TRAWL" -t jsonl "$testdata/lab.yaml" | unrated |
	sed 's/"severity":null/"severity":"none"/
		s/.*"trace":"\([a-z]*\)".*"severity":"\([A-Za-z0-9]*\)","origin":"\([^"]*\)".*/\2 \1\/\3/; s/\/$/\/-/' |
	awk '{ severity = $1; sub("^[^ ]* ", ""); name[$0]; all[$0]++; n[$0, severity]++ }
	END { for (i in name) print i, all[i], n[i, "FATAL"] + 0, n[i, "ERROR"] + 0,
		n[i, "WARNING"] + 0, n[i, "INFO"] + 0, n[i, "DEBUG"] + 0,
		n[i, "none"] + 0 }' | sort >want
ok "stats: each sender" cmp want got
run "$TRAWL" -t stats -s error "$testdata/demo.stp"
is "stats: some severities" "board (all) 16 0 1 15" \
	"$(sed -n 's/  */ /g; /(all)/p' out)"
cp "$testdata/len32.bin" a-capture-with-a-long-name.bin
run "$TRAWL" -t stats -f syst/raw a-capture-with-a-long-name.bin "$testdata/demo.stp"
is "stats: counts of a long name line up" 1 \
	"$(sed '/in no message/,$d' out | awk '{ print length }' | sort -u | wc -l)"
run "$TRAWL" -t stats -r x "$testdata/demo.stp"
is "stats: not of what a text says" 2 "$status"

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
	unrated out | sed -n 's/"severity":null/"severity":"none"/
		s/.*"offset":\([0-9]*\),"length":\([0-9]*\),.*"severity":"\([A-Za-z0-9]*\)".*"type":"\([A-Za-z0-9: ]*\)".*/\1 \2 \3 \4/p' |
		grep -v ' TEXT$' >got
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
