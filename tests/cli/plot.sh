#!/bin/sh
# `:plot` on the screen against the lines of JSON: which columns have numbers, the limits, the
# numbers of the window, the messages with the greatest and the least; heat maps; errors.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
unset TERM
demo=$testdata/demo.stp lab=$testdata/lab.yaml

# picture CAPTURE COMMAND...: the screen in ASCII
picture()
{
	capture=$1
	shift
	run "$TRAWL" --no-cache --ascii --snapshot=80x24 "$capture" "$@"
}

# The four rows of a plot whose name begins so: the line above it, and two below.
rows()
{
	awk -v name="$1" '{ line[NR] = $0 } index($0, name) == 1 { at = NR }
		END { for (i = at - 1; i <= at + 2; i++) print line[i] }' out
}

# Lengths of the demo: the window is from its first time to its last, 73 columns wide.
"$TRAWL" -q -t jsonl "$demo" >demo.json
sed -n 's/.*"length":\([0-9]*\),.*"time":\([0-9]*\),.*/\2 \1/p' demo.json >points
picture "$demo" -c 'plot length'
rows 'length ' >plot
is "rows of the demo" 4 "$(lines plot)"
is "the greatest" "$(sort -k 2n points | tail -n 1 | cut -d ' ' -f 2)" "$(sed -n 's/ .*//p;1q' plot)"
is "the least" "$(sort -k 2n points | head -n 1 | cut -d ' ' -f 2)" "$(sed -n '$s/ .*//p' plot)"
awk '{ if (NR == 1 || $1 < first) first = $1; if ($1 > last) last = $1; t[NR] = $1 }
	END { step = int((last - first) / 73) + 1
		for (i = 1; i <= NR; i++) any[int((t[i] - first) / step)] = 1
		for (c = 0; c < 73; c++) printf any[c] ? "x" : "."; print "" }' points >want
awk '{ for (c = 0; c < 73; c++) if (substr($0, 8 + c, 1) ~ /[^ ]/) any[c] = 1 }
	END { for (c = 0; c < 73; c++) printf any[c] ? "x" : "."; print "" }' plot >got
is "columns with numbers" "$(cat want)" "$(cat got)"
ok "numbers of the window" grep -q " of $(lines points) numbers here, $(
	grep -c '"time":null' demo.json) without a time" out

# An origin by its name, or any filter.
greatest=$(sed -n 's/.*"length":\([0-9]*\),.*"origin":"pmic".*/\1/p' demo.json | sort -n | tail -n 1)
picture "$demo" -c 'plot length of pmic'
is "of an origin" "$greatest" "$(rows 'length of pmic' | sed -n 's/ .*//p;1q')"
cp out first
picture "$demo" -c 'plot length of origin = pmic'
is "of a filter" "$(grep 'numbers here' first)" "$(grep 'numbers here' out)"

# Lengths of intervals count at their ends; the keys go to the slowest and the fastest.
"$TRAWL" -q -t jsonl "$lab" | grep '"text":"\(late \)*ack ' |
	sed -n 's/.*"text":"\([^"]*\)".*"mailbox":\([0-9]*\).*/\2 \1/p' | sort -n >pairs
is "twelve pairs" 12 "$(lines pairs)"
for key in least most; do
	end=$(if test $key = most; then tail -n 1 pairs; else head -n 1 pairs; fi)
	picture "$lab" -c 'plot interval.mailbox' -c timeline-$key
	ok "to the $key: the message" grep -q "^>.* ${end#* }$" out
	ok "to the $key: the number" grep -q "^ cursor: $(echo "${end%% *}" |
		awk '{ printf "%d.%03d ms", $1 / 1e6, int($1 / 1000) % 1000 }'), 1 of 12 numbers here" out
done
picture "$lab" -c 'plot heat interval.mailbox'
rows 'heat interval' >plot
is "heat: one above, the others below" "1 11" "$(cut -c 17- plot |
	awk '{ n += gsub(/[.:*#]/, "") } NR == 1 { above = n } NR == 3 { print above, n - above }')"

# Several, a list of them, and fewer again.
picture "$demo" -c 'plot length' -c 'plot heat length' -c plot
ok "a list" grep -q "1: length; 2: heat length" out
picture "$demo" -c 'plot length' -c 'plot heat length' -c 'plot -1'
is "one is removed" "1" "$(grep -c 'length ' out)"
ok "the other stays" grep -q '^heat length' out

# Errors say what is expected.
picture "$demo" -c 'plot severity'
ok "no number" grep -q 'interval.NAME' out
picture "$demo" -c 'plot lenght'
ok "an unknown name" grep -q 'did you mean length' out
picture "$lab" -c 'plot interval.mailbx'
ok "an unknown interval" grep -q 'did you mean mailbox' out
picture "$demo" -c 'plot arg.no_such'
ok "an argument that no message has" grep -qF "$(notice NAME_ABSENT arg.no_such '')" out
picture "$demo" -c 'plot arg.rail of nobody'
ok "an origin that no message has" grep -q 'no message here is of nobody' out
picture "$demo" -c 'plot arg.rail of pmic'
ok "an argument that is a text" grep -q 'no numbers in this time, 35 other values' out
picture "$demo" -c timeline -c timeline-most
ok "no plot" grep -qF "$(notice PLOT_NONE)" out

finish
