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

is "-s error: and worse, and MAX, which passes" "$(told 'MAX|FATAL|ERROR')" "$(rows -s error)"
"$TRAWL" -S 0:00:00.027 "$demo" >out 2>err
is "a time of day without a date: the rate is known" 0 "$(grep -c 'its rate' err)"
is "... and the form to write" 1 "$(grep -c 'is a time of day .* write seconds' err)"
is "-s 2 is the same" "$(told 'MAX|FATAL|ERROR')" "$(rows -s 2)"
is "-s error: --unassigned=hide is the default" "$(rows -s error)" \
	"$(rows -s error --unassigned=hide)"
is "-s error: --unassigned=pass" "$(told '|FATAL|ERROR|MAX')" "$(rows -s error --unassigned=pass)"
is "--unassigned=hide alone" "$(told '.+')" "$(rows --unassigned=hide)"
is "severity = none" "$(told '')" "$(rows -e 'severity = none')"
is "-s fatal finds the watchdog" 1 "$(rows -s fatal --unassigned=hide)"
is "-s debug is everything with a severity" "$(told '.+')" "$(rows -s debug)"
is "-s none is everything" "$(rows)" "$(rows -s none)"

# A kernel log: 4 of its 13 lines are warnings or worse, one of them a loss without a level.
is "-s warning of a log" 4 "$("$TRAWL" -q -t text -s warning "$testdata/log-dmesg.txt" | wc -l | tr -d ' ')"
is "severity >= warning of a log" 4 \
	"$("$TRAWL" -q -t text -e 'severity >= warning' "$testdata/log-dmesg.txt" | wc -l | tr -d ' ')"
is "-s warning: MAX in the header passes, a clock does not" STRING:GENERIC \
	"$(printf '\2\22\3\1\3\0ok\0\10\20\3\1\1\0\0\0\0\0\0\0\350\3\0\0\0\0\0\0' >max.bin
	"$TRAWL" -q -f syst/raw --template='{type}' -s warning max.bin)"

# The truth says how many: the story has 3 retries, and one timeout.
is "-r: text" 3 "$(rows -r 'retry \d of 3')"
is "-r: upper case matters" 0 "$(rows -r 'Retry \d of 3')"
is "-r: (?i)" 3 "$(rows -r '(?i)RETRY \d OF 3')"
supplies=$(cut -f 7 "$testdata/demo.truth.tsv" | grep -c VDD_DSP)
is "there is a word of capitals" 1 "$((supplies > 0))"
for pattern in VDD_DSP vdd_dsp Vdd_dsp/i /Vdd_dsp/i VDD_DSP/I; do
	is "-r: $pattern" "$supplies" "$(rows -r $pattern)"
done
for pattern in Vdd_dsp vdd_dsp/I 'vdd_dsp\/i'; do
	is "-r: $pattern" 0 "$(rows -r $pattern)"
done
is "-e: text, lower case" "$supplies" "$(rows -e 'text ~ /vdd_dsp/')"
is "-r: type" "$(awk -F '\t' '$6 ~ /^CLOCK/' "$testdata/demo.truth.tsv" | wc -l | tr -d ' ')" \
	"$(rows -r '^CLOCK:SYNC$')"
is "-r: origin" "$(awk -F '\t' '/master=2\tchannel=1\t/' "$testdata/demo.truth.tsv" |
	wc -l | tr -d ' ')" "$(rows -r '^pmic$')"
is "-s and -r" 1 "$(rows -s error --unassigned=hide -r timeout)"

# The filter language; the truth and other options say how many.
truth=$testdata/demo.truth.tsv
is "-e: severity, as -s" "$(rows -s error)" "$(rows -e 'severity >= error')"
is "-e: text, as -r" 3 "$(rows -e 'text ~ /retry \d of 3/')"
is "-e: sender, by the transport's fields" \
	"$(awk -F '\t' '/master=2\tchannel=1\t/' "$truth" | wc -l | tr -d ' ')" \
	"$(rows -e 'type = CLOCK:SYNC or origin = pmic' --exclude 'type = CLOCK:SYNC' \
		-e 'master = 2' -e 'channel = 1')"
is "-e twice: both" 1 "$(rows -e 'severity in {error, fatal}' -e '/timeout/')"
is "--exclude twice: neither" "$(($(rows) - $(rows -e '/retry/ or severity = error')))" \
	"$(rows --exclude=/retry/ --exclude='severity = error')"
is "--exclude: or inside stays inside" "$(rows -e 'not (lost or damaged) and severity = error')" \
	"$(rows --exclude='lost or damaged' -e 'severity = error')"
is "--origin: a list" "$(rows -r '^(pmic|dma)$')" "$(rows --origin=pmic,dma)"
is "--since and --until: as the time column says" \
	"$("$TRAWL" -t csv "$demo" 2>/dev/null |
		awk -F , 'NR > 1 && $6 != "" && $6 >= 4000000 && $6 <= 9000000' | wc -l | tr -d ' ')" \
	"$(rows -S 0.004 -U 9ms)"
is "... in a format without times too" \
	"$(rows -S 0.004 -U 9ms)" "$("$TRAWL" -t none -v -S 0.004 -U 9ms "$demo" 2>&1 |
		sed -n 's/^trawl: \([0-9]*\) messages$/\1/p')"
is "--since: from the first message on" "$(rows -S 0.004)" "$(rows -S +4ms)"
is "trace_number: those of its column" "5 6 7 8" \
	"$("$TRAWL" -t csv --fields=trace_number -e 'trace_number in 5..8' "$demo" 2>/dev/null |
		sed 1d | xargs)"
is "number: one more in a session of one trace" "6 7 8 9" \
	"$("$TRAWL" -t csv -e 'trace_number in 5..8' "$demo" 2>/dev/null | sed 1d | cut -d , -f 1 | xargs)"
run "$TRAWL" -q -e 'number = 5' "$demo"
is "number is no name for filters" 2 "$status"
ok "... which names the one that is" grep -q trace_number err

run "$TRAWL" -t csv -e 'severity >= error and serverity = 3' "$demo"
is "-e: an unknown name is an error" 2 "$status"
ok "... that shows a better one and its place" grep -q 'severity? (column 23)' err
is "... with a caret below" "trawl:                         ^" "$(sed -n 3p err)"
run "$TRAWL" -t csv -U 'next week' "$demo"
is "-U: no time is an error" 2 "$status"

# Whether a rate is known may show when the capture was looked through.
cp "$testdata/short.bin" unrated.bin
printf 'traces: [{file: unrated.bin, format: syst/raw}]\n' >unrated.yaml
for option in --since --until; do
	run "$TRAWL" -t csv $option +10s unrated.bin
	is "$option: a duration where no rate is known is an error" 2 "$status"
	is "... without output, and one line says it" "0 1" \
		"$(wc -c <out | tr -d ' ') $(wc -l <err | tr -d ' ')"
	ok "... and what to set" grep -q 'set clock: {hz: ...} of its trace in a profile' err
	run "$TRAWL" -t csv $option +10s unrated.yaml
	is "... and where, if there is a profile" "2 1" \
		"$status $(grep -c 'trace in unrated.yaml' err)"
done
run "$TRAWL" -t csv --since 1000 unrated.bin
is "--since: ticks need no rate" 0 "$status"

# awk says the same of all rows: those within 2 of one that is an error
"$TRAWL" -t csv "$demo" 2>/dev/null | sed 1d >every
awk -F , '{ line[NR] = $0; if ($7 == "ERROR") for (i = NR - 2; i <= NR + 2; i++) shown[i] = 1 }
	END { for (i = 1; i <= NR; i++) if (i in shown) print line[i] }' every >want
for threads in 1 3; do
	run "$TRAWL" -t csv -e 'severity = error' --context=2 --threads=$threads "$demo"
	ok "--context: those around, once, in order; $threads threads" \
		sh -c 'sed 1d out | cmp -s - want'
done
for n in 254 255 256 257; do # pieces of the output are powers of two
	is "--context: round message $n" "$(seq $((n - 1)) $((n + 3)) | xargs)" \
		"$("$TRAWL" -t csv -e "trace_number = $n" --context=2 "$demo" | sed 1d | cut -d , -f 1 |
			xargs)"
done
is "--context: more than there are" "$(rows)" "$(rows -e 'trace_number = 7' --context=1000)"
"$TRAWL" -t csv "$demo" "$testdata/short.bin" 2>/dev/null | sed 1d >every
awk -F , '{ line[NR] = $0; if ($7 == "ERROR") for (i = NR - 1; i <= NR + 1; i++) shown[i] = 1 }
	END { for (i = 1; i <= NR; i++) if (i in shown) print line[i] }' every >want
run "$TRAWL" -t csv -e 'severity = error' --context=1 "$demo" "$testdata/short.bin"
ok "--context: of several traces, in their common order" sh -c 'sed 1d out | cmp -s - want'
run "$TRAWL" -t csv --context=2 --split=1/2 "$demo"
is "--context: not of a part" 2 "$status"
run "$TRAWL" -t csv --context=no "$demo"
is "--context: a number" 2 "$status"

all=$(rows)
run "$TRAWL" -t csv -s fatal --unassigned=hide "$demo"
is "number is the number in the session, not among what is shown" \
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
