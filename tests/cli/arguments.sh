#!/bin/sh
# Arguments as fields: filters, columns, JSON.  The formats are those of tests/mkcapture's
# demo: `no ack for seq %u, retry %u of 2`, `timeout: seq %u given up after %u us`.
# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

lab=$testdata/lab.yaml
texts()
{
	run "$TRAWL" -q --template='{text}' -e "$1" "$lab"
	cat out
}

is "by the word before it" "send OVERLAY seq 70
no ack for seq 70, retry 1 of 2
no ack for seq 70, retry 2 of 2
timeout: seq 70 given up after 27800 us
late ack for seq 70: nobody waits" "$(texts 'seq = 70')"
is "... beside a prefix" "$(texts 'seq = 70')" "$(texts 'arg.seq = 70')"
is "by its number" "no ack for seq 70, retry 2 of 2" \
	"$(texts 'arg.1 = 70 and arg.2 = 2')"
is "a range" "timeout: seq 70 given up after 27800 us" "$(texts 'after in 27000..28000')"
is "alone, with the prefix" "no ack for seq 70, retry 1 of 2
no ack for seq 70, retry 2 of 2" "$(texts 'arg.retry')"
is "none has it" "" "$(texts 'arg.pigeon = 1')"
run "$TRAWL" -q -e 'retries and lost' "$lab"
is "a bare word alone is no argument" 2 "$status"
run "$TRAWL" -q -e 'sevrity = 3' "$lab"
is "what is near a name is that, mistyped" 2 "$status"
ok "... and which" grep -q 'severity?' err

run "$TRAWL" -q -t csv --fields=seq,arg.2,retry -e 'text ~ "retry 2"' "$lab"
is "columns" 'seq,arg.2,retry
"70","2","2"' "$(cat out)"
run "$TRAWL" -q --template='{seq}/{trace}' -e 'trace = log and trace_number = 0' "$lab"
ok "... where a format has such a field it is that" grep -qE '^[0-9]+/log$' out
run "$TRAWL" -q -t csv --fields=sevrity "$lab"
is "... near a name" 2 "$status"

run "$TRAWL" -q -t jsonl -e 'text ~ "retry 2"' "$lab"
ok "JSON: beside the list" grep -qF '"args":[70,2],"arg":{"seq":70,"retry":2}' out
run "$TRAWL" -q -t jsonl -e 'text = "radio up"' "$lab"
ok "JSON: nothing where nothing has a name" test "$(grep -c '"arg":{}' out)" = 0

finish
