#!/bin/sh
# Selection in batch output: severity, regular expression, trace.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
demo=$testdata/demo.stp

# How many messages of the demo have one of the severities (a regex).
told()
{
	"$TRAWL" -t csv "$demo" 2>/dev/null |
		awk -F , -v want="^($1)\$" 'NR > 1 && $7 ~ want' | wc -l | tr -d ' '
}

rows()
{
	"$TRAWL" -t csv "$@" "$demo" 2>err | sed 1d | wc -l | tr -d ' '
}

is "-s error: and worse, and what has none" "$(told 'MAX|FATAL|ERROR')" "$(rows -s error)"
is "-s 2 is the same" "$(told 'MAX|FATAL|ERROR')" "$(rows -s 2)"
is "--unassigned=hide" "$(told 'FATAL|ERROR')" "$(rows -s error --unassigned=hide)"
is "-s fatal finds the watchdog" 1 "$(rows -s fatal --unassigned=hide)"
is "-s debug is everything" "$(rows)" "$(rows -s debug)"

# The truth says how many: the story has 3 retries, and one timeout.
is "-r: text" 3 "$(rows -r 'retry \d of 3')"
is "-r: upper case matters" 0 "$(rows -r 'Retry \d of 3')"
is "-r: (?i)" 3 "$(rows -r '(?i)RETRY \d OF 3')"
is "-r: type" "$(awk -F '\t' '$6 ~ /^CLOCK/' "$testdata/demo.truth.tsv" | wc -l | tr -d ' ')" \
	"$(rows -r '^CLOCK:SYNC$')"
is "-r: origin" "$(awk -F '\t' '/master=2\tchannel=1\t/' "$testdata/demo.truth.tsv" |
	wc -l | tr -d ' ')" "$(rows -r '^pmic$')"
is "-s and -r" 1 "$(rows -s error --unassigned=hide -r timeout)"

all=$(rows)
run "$TRAWL" -t csv -s fatal --unassigned=hide "$demo"
is "n is the number in the trace, not among what is shown" \
	"$("$TRAWL" -t csv "$demo" | awk -F , '$7 == "FATAL" { print $1 }')" \
	"$(sed 1d out | cut -d , -f 1)"
ok "there is something to select from" test "$all" -gt 200

run "$TRAWL" -t csv --source=board "$demo" "$testdata/short.bin"
is "--source: only that trace" "$all" "$(sed 1d out | grep -c ',"board",')"
is "--source: nothing else" "$all" "$(sed 1d out | wc -l | tr -d ' ')"
run "$TRAWL" -t csv "$demo" "$testdata/short.bin"
is "two traces: both" "$((all + 200))" "$(sed 1d out | wc -l | tr -d ' ')"
run "$TRAWL" -t csv --source=nobody "$demo"
is "--source: an unknown trace is an error" 2 "$status"

run "$TRAWL" -t csv -s loud "$demo"
is "-s: an unknown severity is an error" 2 "$status"
run "$TRAWL" -t csv -r '(' "$demo"
is "-r: a broken expression is an error" 2 "$status"
ok "... that says what is wrong" test -s err
run "$TRAWL" -t csv -r '(a+)+$' "$demo"
ok "-r: an expression that never ends does end" test "$status" -le 2

finish
