#!/bin/sh
# Intervals: pairs of the demo as its texts tell them, and of random logs against a search
# through all lines; filters, columns, JSON, checks, profiles that are wrong.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
lab=$testdata/lab.yaml

# The demo's own texts say how long each took: `ack seq 6 after 8867 us`, cut to whole
# microseconds of the sender; the late one was sent 567.674 us behind the timeout at 27800.
run "$TRAWL" -q --template='{interval.mailbox}|{text}' -e 'interval.mailbox and text ~ /ack/' "$lab"
is "twelve pairs" 12 "$(lines out)"
ok "as long as the texts say" awk -F'|' '
	/after/ { split($1, a, " "); split($2, b, " "); d = a[1] * 1000 - b[5]
		if (d < 0 || d > 10) exit 1; n++ }
	END { exit n != 11 }' out
is "the longest" "28.366 ms|late ack for seq 70: nobody waits" "$(grep late out)"
run "$TRAWL" -q -t csv --fields=trace_number,interval.mailbox -e 'interval.mailbox > 20ms' "$lab"
is "both ends have the length, in nanoseconds" 'trace_number,interval.mailbox
45,"28366731"
49,"28366731"' "$(cat out)"
run "$TRAWL" -q -t jsonl "$lab"
is "JSON: both ends" 24 "$(grep -c '"interval":{"mailbox":[0-9]*}' out)"
is "JSON: no other" 24 "$(grep -c '"interval"' out)"

run "$TRAWL" --check='interval.mailbox > 5ms' "$lab"
is "--check: status" 1 "$status"
ok "--check: an end counts, not its begin" grep -q ': 12 messages' err
run "$TRAWL" --check='interval.mailbox > 20ms' "$lab"
ok "--check: the one that is late" grep -q ': 1 message, the first is trace_number 49 ' err
run "$TRAWL" -q --check='interval.mailbox > 1s' "$lab"
is "--check: none" 0 "$status"
run "$TRAWL" -q -e 'interval.mailbx' "$lab"
is "an unknown one: status" 2 "$status"
ok "an unknown one: hint" grep -q 'no interval is named mailbx; did you mean mailbox?' err

run "$TRAWL" -q -t table-csv --by=origin --of=interval.mailbox -e interval.mailbox "$lab"
ok "a table: each pair once, at its end" grep -qE '"?mailbox"?,24,.*,12,122536[0-9]{3},8130[0-9]{3},' out

# Random lines: tag, pid and tid of a few, begins and ends by chance.
awk 'function r(n) { x = (x * 69069 + 1) % 4294967296; return int(x / 65536) % n }
	BEGIN { x = 5; t = 0; for (i = 0; i < 1500; i++) { t += r(9)
		printf "11-22 10:%02d:%02d.%03d   80%d   83%d I tag%d: %s\n", int(t / 60000),
			int(t / 1000) % 60, t % 1000, r(3), r(4), r(3),
			r(8) ? r(2) ? "begin" : "end" : "other" } }' >random.log
cat >random.yaml <<END
traces: [{file: random.log, format: text, text: {preset: logcat}}]
intervals:
  - {name: own, begin: 'text = begin', end: 'text = end', key: 'pid, tid'}
  - {name: any, begin: 'text = begin', end: 'text = end', key: pid, across: true}
  - {name: each, begin: 'text = other', end: 'text = other'}
END
awk 'function take(kind, i, key,  k) {
		for (k = i - 1; k > 0; k--)
			if (alike[kind, k] == key && begins[k] && !used[kind, k]) {
				used[kind, k] = 1
				took[kind, i] = took[kind, k] = sprintf("%.0f", (t[i] - t[k]) * 1e6)
				return
			} }
	{ split($2, c, /[:.]/); t[NR] = c[2] * 60000 + c[3] * 1000 + c[4]
	  alike[1, NR] = $6 " " $3 " " $4; alike[2, NR] = $3; begins[NR] = $7 == "begin"
	  if ($7 == "end") { take(1, NR, alike[1, NR]); take(2, NR, alike[2, NR]) } }
	END { for (i = 1; i <= NR; i++) print took[1, i] "," took[2, i] }' random.log >want
run "$TRAWL" -q --template='{text}' random.yaml
is "random: read as they are" 1500 "$(lines out)"
run "$TRAWL" -q -t csv --fields=interval.own,interval.any random.yaml
sed 1d out | tr -d '"' >got
ok "random: the same pairs" cmp want got
ok "random: there are many" test "$(grep -c '[0-9],[0-9]' got)" -gt 500
awk '$7 == "other" { split($2, c, /[:.]/); t[NR] = c[2] * 60000 + c[3] * 1000 + c[4]
		if ($6 in last) { took[NR] = t[NR] - t[last[$6]]
			if (!(last[$6] in took)) took[last[$6]] = took[NR] }
		last[$6] = NR; row[++n] = NR }
	END { for (i = 1; i <= n; i++) printf "%.0f\n", took[row[i]] * 1e6 }' random.log >want
run "$TRAWL" -q -t csv --fields=interval.each -e 'text = other' random.yaml
sed 1d out | tr -d '"' >got
ok "what ends one and begins the next has the length of what it ends" cmp want got
run "$TRAWL" --check='interval.each' random.yaml
ok "... and each of three tags has a first" grep -q ": $(($(lines want) - 3)) messages" err

# Slices: one for each pair, as long as it, with its key for a name; those of a thread nest
# or follow each other; a begin without an end is one that nothing ends.
run "$TRAWL" -t perfetto random.yaml
grep '"cat":"interval"' out | sed 's/[^{]*{"ph":"\(.\)","pid":[0-9]*,"tid":\([0-9]*\),"ts":\([0-9.]*\),/\1 \2 \3 /; s/"dur":\([0-9.]*\),/\1 /; s/"cat":"interval","name":"\(.*\)"}$/\1/' >slices
sed -n 's/.*"tid":\([0-9]*\),"name":"thread_name","args":{"name":"interval \([^"]*\)"}}$/\1 \2/p' out >threads
for name in own any; do
	run "$TRAWL" -q -t csv --fields=interval.$name -e 'text = end' random.yaml
	sed 1d out | tr -d '"' | grep . | sort -n >want
	awk -v name=$name 'FNR == NR { of[$1] = $2; next }
		$1 == "X" && of[$2] == name { printf "%.0f\n", $4 * 1000 }' threads slices | sort -n >got
	ok "slices: $name: as many and as long as the pairs" cmp want got
done
is "slices: what ends one and begins the next" "$(($(grep -c ': other$' random.log) - 3))" \
	"$(awk 'FNR == NR { of[$1] = $2; next } $1 == "X" && of[$2] == "each" { n++ } END { print n }' \
		threads slices)"
ok "slices: of a thread they nest" sh -c 'grep ^X slices | sort -k2,2n -k3,3n -k4,4nr | awk "
	\$2 != thread { thread = \$2; depth = 0 }
	{ while (depth && end[depth] <= \$3 + 0.0001) depth--
	  if (depth && end[depth] < \$3 + \$4 - 0.0001) exit 1
	  end[++depth] = \$3 + \$4 }"'
ok "slices: pairs that overlap have threads of their own" grep -q ' any 2$' threads
is "slices: begins without an end" "$(grep -c ': begin$' random.log)" \
	"$(awk 'FNR == NR { of[$1] = $2; next } of[$2] == "own" { n++ } END { print n }' threads slices)"
ok "slices: named by the key" grep -q '^X .* pid 80[0-2] tid 83[0-3]$' slices

# Captures of every format, by the JSON of their messages: the two values of FIELD of which
# there are most in one origin begin and end intervals, which nest; an end belongs to the last
# begin of its origin that has none.  Senders of STP are of a master and a channel.
cat >json.awk <<'AWK'
function value(name) {
	if (!match($0, "\"" name "\":(\"([^\"\\\\]|\\\\.)*\"|-?[0-9]+)"))
		return ""
	return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}
AWK
cat >choose.awk <<'AWK'
{
	key = value("origin") " " value("master") " " value("channel")
	own = value(field)
	if (value("ticks") != "" && !n[key, own]++)
		of[key] = of[key] SUBSEP own
}
END {
	for (key in of) {
		count = split(substr(of[key], 2), list, SUBSEP)
		for (i = 1; i <= count; i++)
			for (k = 1; k < i; k++) {
				least = n[key, list[i]] < n[key, list[k]] ? n[key, list[i]] : n[key, list[k]]
				if (least > most) {
					most = least
					chosen = list[i] " " list[k]
				}
			}
	}
	print chosen
}
AWK
cat >pairs.awk <<'AWK'
{
	key = value("trace") " " value("origin") " " value("master") " " value("channel")
	number[NR] = value("n")
	time = value("time")
	if (time == "")
		time = value("ticks")
	if (time != "") { # the last 15 digits, which numbers of awk have
		time = length(time) > 15 ? substr(time, length(time) - 14) : time
		first = first == "" ? time + 0 : first
		time -= first
		time += time < -5e14 ? 1e15 : 0
	}
	at[NR] = time
	if (value(field) == end && depth[key]) {
		from = open[key, depth[key]--]
		if (at[from] != "" && time != "")
			took[from] = took[NR] = sprintf("%.0f", time - at[from])
	}
	if (value(field) == begin)
		open[key, ++depth[key]] = NR
}
END {
	for (i = 1; i <= NR; i++)
		print number[i] "," took[i]
}
AWK
# pair FIELD LEAST WHAT: c.bin, whose trace in a profile is in `trace`, has at least so many ends.
pair()
{
	printf 'traces: [{%s}]\n' "$trace" >c.yaml
	"$TRAWL" -q -t jsonl c.yaml >json
	chosen=$(awk -v field="$1" -f json.awk -f choose.awk json)
	begin=${chosen%% *} end=${chosen##* }
	printf "intervals: [{name: pair, begin: '%s == %s', end: '%s == %s'}]\n" \
		"$1" "$begin" "$1" "$end" >>c.yaml
	awk -v field="$1" -v begin="$begin" -v end="$end" -f json.awk \
		-f pairs.awk json >want
	"$TRAWL" -q -t csv --fields=trace_number,interval.pair c.yaml | sed 1d | tr -d '"' >got
	ok "$3: the same pairs" cmp want got
	ok "$3: there are many" test "$(grep -c ',.' want)" -gt "$2"
}
if test -x "$MKCAPTURE"; then
	for seed in 1 2; do
		for format in syst/raw syst/hex csel uia itm tpiu encap; do
			trace="file: c.bin, format: $format"
			set --
			test $format != uia && set -- -m all
			if test $format = encap; then
				set -- -m all --timestamp=4
				trace="$trace, encap: {timestamp_bytes: 4}"
			fi
			"$MKCAPTURE" -f $format "$@" -c 3000 --seed=$seed -o c.bin
			pair length 4 "$format, $seed"
		done
		trace='file: c.bin, format: syst/stp'
		"$MKCAPTURE" -f syst/stp -m all -c 3000 --seed=$seed -o c.bin
		pair type 300 "syst/stp, $seed"
		"$MKCAPTURE" -f syst/stp -m all --damage=cut,drop --rate=0.05 -c 3000 --seed=$seed \
			-o c.bin
		pair type 300 "syst/stp with losses, $seed"
		"$MKCAPTURE" -f csel -m all --damage=cut,drop --rate=0.005 -c 3000 --seed=$seed -o c.bin
		trace='file: c.bin, format: csel'
		pair length 50 "csel with losses, $seed"
		rm -rf c.bin
		if has_feature "CoreSight trace"; then
			"$MKCAPTURE" -f opencsd -m all -c 1500 --seed=$seed -o c.bin
			trace='file: c.bin'
			pair type 200 "opencsd, $seed"
			rm -rf c.bin
		else
			skip "opencsd, $seed" "built without OpenCSD"
		fi
	done
else
	skip "pairs of every format" "mkcapture is missing"
fi

# What is wrong in a profile.
wrong()
{
	printf 'traces: [{file: random.log}]\nintervals: [{%s}]\n' "$2" >wrong.yaml
	run "$TRAWL" -t csv wrong.yaml
	is "$1: status" 2 "$status"
	ok "$1: why" grep -qF -- "$3" err
}
wrong "no filter" "name: a, begin: 'text =', end: lost" "interval a: begin: a value after ="
wrong "no name" "name: a b, begin: lost, end: lost" "a name has only letters, digits and _"
wrong "no key" "name: a, begin: lost, end: lost, key: sevrity" 'key: no column is named "sevrity"'
wrong "of itself" "name: a, begin: interval.a, end: lost" "interval a: begin cannot use interval"
wrong "gaps as keys" "name: a, begin: lost, end: lost, key: gap" "gap cannot be its key"

finish
