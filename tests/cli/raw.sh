#!/bin/sh
# -t raw: what is cut out of a capture decodes by itself, to the messages that it was cut
# out for; in front of them are those that a decoder needs, and behind them what is cut off.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
fields=length,kind,severity,origin,type,text
mkdir cuts # a profile goes by names

# What begins at line $1 of got is all of want; prints where, or nothing.
find_want()
{
	awk 'NR == FNR { want[NR] = $0; count = NR; next }
		{ got[FNR] = $0 }
		END {
			for (i = 0; i + count <= FNR; i++) {
				for (k = 1; k <= count && got[i + k] == want[k]; k++)
					;
				if (k > count) { print i, FNR - i - count; exit }
			}
		}' want got
}

# check_cut NAME CAPTURE FIRST LAST [OPTION...]
check_cut()
{
	cut=cuts/$1 what=$1 capture=$2 first=$3 last=$4
	shift 4
	run "$TRAWL" -q --force -t raw -o "$cut" "$@" \
		-e "trace_number >= $first and trace_number <= $last" "$capture"
	is "$what $first-$last: status" 0 "$status"
	"$TRAWL" -q -t csv --fields=$fields "$@" -e "trace_number >= $first and trace_number <= $last" \
		"$capture" 2>/dev/null | sed 1d >want
	"$TRAWL" -q -t csv --fields=$fields "$@" "$cut" 2>/dev/null | sed 1d >got
	ok "$what $first-$last: the messages" test -n "$(find_want)"
	ok "$what $first-$last: no more bytes" \
		test "$(wc -c <"$cut")" -le "$(wc -c <"$capture")"
}

for profile in "$testdata"/*.profile.yaml; do
	base=${profile%.profile.yaml}
	case ${base##*/} in
	*opencsd | all-gem.uia) continue ;;
	esac
	for capture in "$base".*; do
		case $capture in
		*.yaml | *.tsv | *.xml) continue ;;
		esac
		total=$("$TRAWL" -q -t csv --profile="$profile" "$capture" 2>/dev/null |
			sed 1d | wc -l)
		check_cut "${capture##*/}" "$capture" $((total / 3)) $((total / 2)) --profile="$profile"
		check_cut "${capture##*/}" "$capture" $((total / 2)) $((total / 2)) --profile="$profile"
		check_cut "${capture##*/}" "$capture" $((total * 3 / 4)) $((total - 2)) --profile="$profile"
	done
done

# Text logs, by lines.
for name in iso8601 logcat zephyr; do
	check_cut log-$name.txt "$testdata/log-$name.txt" 1 2
done

# Bytes between the first and the last message that pass are not picked.
run "$TRAWL" -q -t raw -e 'trace_number = 100 or trace_number = 110' -o one "$testdata/demo.stp"
run "$TRAWL" -q -t raw -e 'trace_number >= 100 and trace_number <= 110' -o all "$testdata/demo.stp"
ok "from the first that passes to the last" cmp all one
run "$TRAWL" -q -t raw -e 'text = "nobody says that"' "$testdata/demo.stp"
is "nothing passes: nothing" "0 0" "$status $(wc -c <out | tr -d ' ')"

# A message that ends amid a byte: the packet in the rest of that byte is whole, or not there.
# The errors of a cut are those that it was made for.
cp "$testdata"/demo.profile.yaml "$testdata"/demo.xml .
run "$TRAWL" -q --force -t raw -e 'severity = error' -o demo.stp "$testdata/demo.stp"
"$TRAWL" -q -t csv --fields=$fields -e 'severity = error' "$testdata/demo.stp" >want 2>/dev/null
"$TRAWL" -q -t csv --fields=$fields -e 'severity = error' demo.stp >got 2>/dev/null
is "a cut ends cleanly" "" "$(diff want got | head -n 3)"

refuses()
{
	run "$TRAWL" -t raw "$@"
	is "$*: status" 2 "$status"
	is "$*: one line" 1 "$(lines err)"
}
refuses --source=soc,hub "$testdata/lab.yaml"
refuses --split=1/2 "$testdata/demo.stp"
if has_feature "CoreSight trace"; then
	refuses --profile="$testdata/all-opencsd.profile.yaml" "$testdata/all-opencsd"
	ok "a part of a snapshot: why" grep -q 'no cut of it decodes alone' err
fi

finish
