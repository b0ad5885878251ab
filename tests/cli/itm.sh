#!/bin/sh
# Captures of ITMs, without options: what they are recognised as, several ITMs in one capture,
# and one capture in several entries of a session.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# rows ID: how many rows that ITM sent, by type; of the list that mkitm wrote.
sent()
{
	awk -F'\t' -v id="$1" '$1 == id { split($5, word, " "); print word[1] }' rows |
		sort | uniq -c
}

# got NAME: the same of the rows that the trace has.
got()
{
	sed -n "s/.*\"trace\":\"$1\".*\"type\":\"\([a-z_]*\)\".*/\1/p" out | sort | uniq -c
}

# text on port 0, a byte each, and nothing else
"$MKITM" 1 text.bin rows has=1 text_size=1 itms=1 framed=0 packets=300
run "$TRAWL" -t jsonl text.bin
is "printf is recognised" "$(sent "$(cut -f1 rows | head -n 1)")" "$(got text.bin)"
ok "and called a guess" test -s err
run "$TRAWL" -t jsonl -f itm text.bin
is "with -f its words are not swapped" 0 "$(grep -c swapped err)"

# text, exceptions and PC samples of two ITMs
"$MKITM" 2 two.bin rows has=13 itms=2 framed=1 packets=300
ids=$(cut -f1 rows | sort -nu | tr '\n' ' ')
first=${ids%% *}
second=$(echo "$ids" | cut -d ' ' -f 2)
check_two()
{
	is "$1: the first ITM" "$(sent "$first")" "$(got "two.bin.id$first")"
	is "$1: the second ITM" "$(sent "$second")" "$(got "two.bin.id$second")"
	is "$1: all is decoded" 0 "$status"
}
run "$TRAWL" -q -t jsonl two.bin
check_two "no format"
run "$TRAWL" -q -t jsonl -f tpiu two.bin
check_two "tpiu"
cat >profile.yaml <<-END
	traces:
	  - match: "*"
	    format: opencsd
	    opencsd: {format: tpiu, sources: [{id: $first, protocol: ITM}, {id: $second, protocol: ITM}]}
END
run "$TRAWL" -t jsonl -p profile.yaml two.bin
check_two "a profile with both"
is "--info: the profile gave the format, not -f" 0 \
	"$("$TRAWL" --info -p profile.yaml two.bin 2>&1 | grep -c 'given with -f')"
is "a profile with both: nothing to say" "" "$(cat err)"
"$TRAWL" --info two.bin >profile.yaml 2>err
run "$TRAWL" -t jsonl -p profile.yaml two.bin
check_two "the profile that --info proposes"

# the same capture twice
cat >session.yaml <<-END
	traces:
	  - {file: two.bin, name: left, format: tpiu, tpiu: {id: $first}}
	  - {file: two.bin, name: right, format: tpiu, tpiu: {id: $second}}
END
run "$TRAWL" -q -t jsonl session.yaml
is "a capture twice: the first entry" "$(sent "$first")" "$(got left)"
is "a capture twice: the second entry" "$(sent "$second")" "$(got right)"

# a table of 16-bit offsets, of which most are absent: with bytes swapped it has the ASYNC and
# the VERSION of STP
awk 'BEGIN { for (i = 0; i < 40; i++) printf "\\032\\001\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\0\\377\\%03o\\0\\377\\377\\%03o\\0", i % 64, i + 1 }' >table
# shellcheck disable=SC2059
printf "$(cat table)" >table.bin
run "$TRAWL" -t text table.bin
is "a table of numbers is no capture" 2 "$status"

finish
