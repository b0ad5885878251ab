#!/bin/sh
# Lines as a user describes them: columns, templates, forms of times, colours; and what
# else is said of times and traces on the command line.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
demo=$testdata/demo.stp
tab=$(printf '\t')
escape=$(printf '\033')

# Message 3 of the demo is 775 ticks of 38.4 MHz after message 2, the first with a time.
run "$TRAWL" --fields=number,time,severity,text "$demo"
is "--fields: columns" \
	'       4          0.000020182 INFO     reset cause 0x00 (power-on)' "$(sed -n 4p out)"
run "$TRAWL" -t csv --fields=number,offset,length,severity,origin,type,text,flags "$demo"
mv out want
run "$TRAWL" -t csv "$demo"
is "--fields: csv has what csv has" "$(cut -d, -f1,3,4,7- out | sed 1d | tr -d '"')" \
	"$(sed 1d want | tr -d '"')"
is "--fields: csv has a header" number,offset,length,severity,origin,type,text,flags \
	"$(head -n 1 want)"
run "$TRAWL" -t csv --fields=text -e 'text ~ "idle"' "$demo"
is "--fields: csv doubles quotes" '"task 0 ""idle"" prio 31 stack 0x20040000"' \
	"$(sed -n 2p out)"
run "$TRAWL" --template='{{{number}}}\t{time:>14}|{severity:.3}|{text:12.12}|{origin}' "$demo"
is "--template: columns, cut and padded" \
	"{4}$tab   0.000020182|INF|reset cause |boot rom" "$(sed -n 4p out)"
run "$TRAWL" --template='{delta}|{delta:>14}|{gap}' "$demo"
is "--template: what lies before" '+20.182 us|    +20.182 us|20.182 us' "$(sed -n 4p out)"
run "$TRAWL" -f syst/raw --template='{kind} {ticks}.{offset}+{length} {bytes}' \
	"$testdata/short.bin"
run "$TRAWL" -t jsonl -e 'trace_number = 40' "$demo"
field=$(sed 's/.*"master":\([0-9]*\).*/\1/' out)
run "$TRAWL" --template='{master} {syst.master} {stp.master}' -e 'trace_number = 40' "$demo"
is "--template: fields, and of one format" "$field $field " "$(cat out)"

refuses()
{
	run "$TRAWL" "$2" "$3" "$demo"
	is "$1: status" 2 "$status"
	ok "$1: why" grep -qF -- "$4" err
	ok "$1: where" grep -q "^trawl: $5^" err
}
refuses "an unknown column" -q '--template={time} {sevrity}' \
	'no column is named "sevrity"; did you mean severity? (column 9)' '          '
refuses "an open brace" -q '--template=a {time' 'its } is missing' '    '
refuses "a wrong width" -q '--fields=time,text:x' 'the least width' '            '
refuses "a name of filters" -q '--fields=steps_back' 'is for filters only' '  '

for wrong in "-t jsonl --fields=time" "-t csv --template=x" "--fields=time --template=x" \
	"-t csv --time-format=iso" "--wide --fields=time" "-t csv --wide" "--time-format=never" "--color=blue"; do
	# shellcheck disable=SC2086  # several words
	run "$TRAWL" $wrong "$demo"
	is "$wrong: status" 2 "$status"
	is "$wrong: one line" 1 "$(lines err)"
done

# Doubts are told, in a column or not.
run "$TRAWL" --fields=text "$demo"
ok "doubts without flags are told" grep -q 'damaged' err
run "$TRAWL" --fields=text,flags "$demo"
ok "doubts with flags are told, too" grep -q 'damaged' err

# Times: the log begins at 10:00:00 on 22 November 2026.
log=$testdata/log-iso8601.txt
for form in "abs:2026-11-22 10:00:00.600000000" rel:0.600000000 'delta:+600.000 ms' \
	ticks:1795341600600000000 iso:2026-11-22T10:00:00.600000000Z; do
	run "$TRAWL" --wide --time-format="${form%%:*}" "$log"
	ok "--time-format=${form%%:*}" \
		test "$(sed -n '2s/^ *2 *\([^ ].*\) W .*/\1/p' out)" = "${form#*:}"
done
run "$TRAWL" --time-format=rel -e 'trace_number = 1' -t text "$log"
ok "times since the start are not those since the first one printed" grep -q ' 0.600000000 ' out
run "$TRAWL" -t text --time-format=delta --split=2/2 "$log"
is "a part has no deltas" 2 "$status"

run "$TRAWL" -t csv --fields=time "$demo"
mv out want
name=$("$TRAWL" -t csv --fields=trace "$demo" 2>/dev/null | sed -n '2s/"//gp')
run "$TRAWL" -t csv --fields=time --time-offset="$name=-2.5" "$demo"
is "--time-offset moves all times" \
	"$(awk 'NR > 1 && NF { $0 = sprintf("%.0f", $0 - 2500000000) } { print }' want)" "$(cat out)"
for wrong in "x=1" "$name" "$name=soon"; do
	run "$TRAWL" -t text --time-offset="$wrong" "$demo"
	is "--time-offset=$wrong: status" 2 "$status"
	is "--time-offset=$wrong: one line" 1 "$(lines err)"
done

# Traces by their names.
lab=$testdata/lab.yaml
run "$TRAWL" -q -t csv "$lab"
is "five traces" 5 "$(sed 1d out | cut -d, -f2 | sort -u | wc -l | tr -d ' ')"
grep -E ',"(soc|hub)",' out | cut -d, -f2 | sort >want
run "$TRAWL" -q -t csv --source=hub,soc "$lab"
sed 1d out | cut -d, -f2 | sort >got
ok "--source: those that are named" cmp want got
run "$TRAWL" -q -t csv --source=hub,sec "$lab"
is "--source: a name that is no trace's" 2 "$status"
ok "--source: ... and the nearest" grep -q 'no trace is named sec; did you mean soc?' err
run "$TRAWL" -q -t csv --source=nothing "$lab"
ok "--source: ... or which there are" grep -q 'no trace is named nothing; there are soc, dsp' err

# Colours are asked for, or belong to a terminal.
run "$TRAWL" -t text --color=always -e 'severity = error' "$demo"
is "--color=always: each line of an error" "$(lines out)" \
	"$(grep -c "^$escape\[1;31m.*$escape\[m\$" out)"
run "$TRAWL" -t text "$demo"
is "no colours in a file" 0 "$(grep -c "$escape" out)"
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
	TERM=xterm script -qec "'$TRAWL' -t text '$demo'" /dev/null </dev/null >out 2>err
	ok "a terminal has colours" grep -qF "$escape[1;31m" out
	is "... and no escape sequence of the capture" 0 "$(grep -cF "${escape}[2J" out)"
	TERM=xterm NO_COLOR=1 script -qec "'$TRAWL' -t text '$demo'" /dev/null </dev/null \
		>out 2>err
	is "a terminal without, by NO_COLOR" 0 "$(grep -c "$escape" out)"
	TERM=xterm script -qec "'$TRAWL' -t text --color=never '$demo'" /dev/null </dev/null \
		>out 2>err
	is "a terminal without, by --color" 0 "$(grep -c "$escape" out)"
else
	skip "a terminal has colours" "no script(1)"
fi

# The screen takes times, layout and colours of these options.
run "$TRAWL" --dump-config --time-format=rel --layout=side --color=never
ok "the view: time" grep -q '^  time: start  # --time-format$' out
ok "the view: layout" grep -q '^  layout: side  # --layout$' out
ok "the theme is one without colours" grep -q '^  error: {bold: true}  # built-in themes/mono$' out
run "$TRAWL" --dump-config --layout=beside
is "an unknown layout: status" 2 "$status"
ok "an unknown layout: which there are" grep -q -- '--layout is .*stacked' err

finish
