#!/bin/sh
# Times by cycles in batch output: between two times of a processor others follow from
# the cycles that it counted.

. "${srcdir:-.}/tests/cli/lib.sh"

# From 1000 to 2000 there are 40 cycles; behind that a loss.
sed 's/^/Idx:1; ID:10; OCSD_GEN_TRC_ELEM_/' >a.ppl <<'END'
TIMESTAMP( [ TS=0x0000000003e8]; )
CYCLE_COUNT( [CC=10]; )
ADDR_NACC( 0x80 )
CYCLE_COUNT( [CC=30]; )
TIMESTAMP( [ TS=0x0000000007d0]; )
TRACE_ON( [overflow])
ADDR_NACC( 0x90 )
END
cat >p.yaml <<'END'
traces: [{match: "*", clock: {hz: 1000000000}}]
END

# moments FILE: time and flags of each message
moments()
{
	sed 's/.*"time":\([^,]*\),.*"flags":\(\[[^]]*\]\).*/\1 \2/' "$1"
}

run "$TRAWL" -t jsonl --profile=p.yaml a.ppl
is "times between times" '1000 ["sync"]
1250 ["estimated"]
1250 ["estimated"]
2000 ["estimated"]
2000 ["sync"]
null ["lost"]
null []' "$(moments out)"
is "ticks are those that are told" "1000 2000" "$(
	sed 's/.*"ticks":\([^,]*\),.*/\1/' out | grep -v null | tr '\n' ' ' | sed 's/ $//')"

run "$TRAWL" -t jsonl a.ppl
is "no times where the clock's rate is unknown" "null" "$(moments out | cut -d' ' -f1 | sort -u)"
is "but ticks, of which some are estimated" '1000 ["sync"]
1250 ["estimated"]
1250 ["estimated"]
2000 ["estimated"]
2000 ["sync"]
null ["lost"]
null []' "$(sed 's/"time":null,//; s/"ticks"/"time"/' out | moments /dev/stdin)"
run "$TRAWL" -t csv a.ppl
is "the same in CSV" "1000 1250 1250 2000 2000  " "$(
	tail -n +2 out | cut -d, -f5 | tr '\n' ' ' | sed 's/ $//')"

# slowly: writes a.ppl in two goes
slowly()
{
	head -n 3 a.ppl
	sleep 0.1
	tail -n +4 a.ppl
}

slowly | "$TRAWL" -t jsonl --profile=p.yaml - >out
is "the end of a stream is waited for" 3 "$(moments out | grep -c estimated)"
slowly | "$TRAWL" -t text --profile=p.yaml - >out
is "but not for text" 5 "$(grep -c " - [EWD]" out)"

# Some cells of it, by several threads and in parts.
awk 'BEGIN {
	for (i = 0; i < 6000; i++) {
		printf "Idx:%d; ID:10; OCSD_GEN_TRC_ELEM_", i
		if (i % 50 == 0)
			printf "TIMESTAMP( [ TS=0x%012x]; )\n", 1000 + 7 * i
		else
			printf "CYCLE_COUNT( [CC=%d]; )\n", 1 + i % 9
	}
}' >b.ppl
run "$TRAWL" -t csv --threads=1 --profile=p.yaml b.ppl
mv out whole
ok "most times are estimated" test "$(grep -c estimated whole)" -gt 5800
run "$TRAWL" -t csv --threads=4 --profile=p.yaml b.ppl
ok "several threads write the same" cmp -s whole out
for part in 1 2 3; do
	"$TRAWL" -t csv --split=$part/3 --profile=p.yaml b.ppl
done >parts 2>err
ok "parts are those of the whole" cmp -s whole parts

finish
