#!/bin/sh
# Tables: against what awk counts in JSON lines, for captures of every format; what index and
# walk say of the same; order, columns, names; what is refused.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
demo=$testdata/demo.stp

# Rows of --by=severity,origin,trace --of=length from JSON lines, as table-csv has them, sorted;
# without the share.  Times are too long for the numbers of awk: they are two.
cat >oracle.awk <<'AWK'
function text_of(name,    at) {
	at = index($0, "\"" name "\":\"")
	rest = substr($0, at + length(name) + 4)
	match(rest, /^([^"\\]|\\.)*/)
	return substr(rest, 1, RLENGTH)
}
# the first member of that name: arguments may be named so too
function number_of(name) {
	rest = substr($0, index($0, "\"" name "\":") + length(name) + 3)
	return match(rest, /^-?[0-9]+/) ? substr(rest, 1, RLENGTH) : ""
}
function high(time) { return length(time) > 12 ? substr(time, 1, length(time) - 12) : 0 }
function low(time) { return length(time) > 12 ? substr(time, length(time) - 11) : time }
# by insertion: each number behind those that are not greater
function add_number(key, n,    i) {
	for (i = count[key]++; i > 0 && all[key, i - 1] > n; i--)
		all[key, i] = all[key, i - 1]
	all[key, i] = n
}
function rank(n, percent) { return int((n * percent + 99) / 100) - 1 }
{
	origin = text_of("origin")
	severity = index($0, ",\"severity\":null,") ? "" : "\"" text_of("severity") "\""
	key = severity "," (origin == "" ? "" : "\"" origin "\"") ",\"" \
		text_of("trace") "\""
	time = number_of("time")
	if (time != "") {
		if (!(key in first))
			first[key] = time
		else {
			gap = (high(time) - high(last[key])) * 1e12 + low(time) - low(last[key])
			if (gap >= 0 && (gaps[key] == "" || gap > gaps[key])) {
				gaps[key] = gap
				before[key] = last[key]
			}
		}
		last[key] = time
	}
	n = number_of("length")
	sum[key] += n
	add_number(key, n + 0)
}
END {
	for (key in count) {
		n = count[key]
		printf "%s,%d,%s,%s,%s,%s,%d,%d,%d,%d,%d,%d,%d\n", key, n, first[key], last[key],
			gaps[key] == "" ? "" : sprintf("%.0f", gaps[key]), before[key], n, sum[key],
			all[key, 0], all[key, rank(n, 50)], all[key, rank(n, 90)],
			all[key, rank(n, 99)], all[key, n - 1]
	}
}
AWK
columns=count,first,last,longest_gap,gap_from,values,sum,min,p50,p90,p99,max

# How often each text comes, with and without severity, type and origin, and what else messages
# have by their heads, from JSON lines: as they write it.
cat >texts.awk <<'AWK'
function word_of(name,    at) {
	at = index($0, "\"" name "\":")
	if (!at)
		return "null"
	rest = substr($0, at + length(name) + 3)
	if (!match(rest, /^(-?[0-9]+|"([^"\\]|\\.)*")/))
		return "null"
	return substr(rest, 1, RLENGTH)
}
# JSON lines mark the times that a clock estimates as well, tables only those of a decoder.
function certain(words) {
	gsub(/estimated /, "", words)
	gsub(/ ?estimated/, "", words)
	return words
}
function flags(    words) {
	if (!match($0, /"flags":\[[^]]*\]/))
		return "\"\""
	words = substr($0, RSTART + 9, RLENGTH - 10)
	gsub(/"/, "", words)
	gsub(/,/, " ", words)
	return "\"" certain(words) "\""
}
BEGIN { names = split("length module unit guid", name, " ") }
{
	for (i = 1; i <= names; i++)
		count["\"" name[i] "\":" word_of(name[i])]++
	count["\"flags\":" flags() ",\"type\":" word_of("type")]++
	text = "\"text\":" word_of("text")
	count[text]++
	origin = word_of("origin")
	count["\"severity\":" word_of("severity") ",\"type\":" word_of("type") ",\"origin\":" \
		(origin == "\"\"" ? "null" : origin) "," text]++
}
END {
	for (key in count)
		printf "{%s,\"count\":%d}\n", key, count[key]
}
AWK

# The same rows without that flag: those that are equal then are one.
cat >certain.awk <<'AWK'
!/^{"flags":/ { print; next }
{
	match($0, /"count":[0-9]+/)
	key = substr($0, 1, RSTART - 1)
	gsub(/estimated /, "", key)
	gsub(/ ?estimated/, "", key)
	count[key] += substr($0, RSTART + 8, RLENGTH - 8)
}
END {
	for (key in count)
		printf "%s\"count\":%d}\n", key, count[key]
}
AWK

# Compares the table of a capture with the oracle: NAME, then options and files.
agree()
{
	what=$1
	shift
	"$TRAWL" -q -t jsonl "$@" 2>/dev/null | unrated | awk -f oracle.awk | sort >want
	"$TRAWL" -q -t table-csv --by=severity,origin,trace --of=length --columns="$columns" "$@" \
		2>/dev/null | sed 1d | sort >got
	ok "$what: rows" test -s want
	ok "$what: as counted in its lines" cmp want got
	cut -d, -f1-4 want >counts
	for threads in 1 3; do
		"$TRAWL" -q --threads=$threads -t table-csv --by=severity,origin,trace \
			--columns=count "$@" 2>/dev/null | sed 1d | sort >got
		ok "$what: from the index, $threads threads" cmp counts got
	done
	"$TRAWL" -q --threads=3 -t table-csv --by=severity,origin,trace --of=length \
		--columns="$columns" "$@" 2>/dev/null | sed 1d | sort >got
	ok "$what: by threads" cmp want got
	"$TRAWL" -q -t jsonl "$@" 2>/dev/null | unrated | awk -f texts.awk | LC_ALL=C sort >want
	for threads in 1 3; do
		for by in text severity,type,origin,text flags,type length module unit guid; do
			"$TRAWL" -q --threads=$threads -t table-jsonl --by=$by --columns=count \
				"$@" 2>/dev/null
		done | awk -f certain.awk | LC_ALL=C sort >got
		ok "$what: texts and heads, $threads threads" cmp want got
	done
}

if test -x "$MKCAPTURE"; then
	for format in syst/raw syst/hex syst/stp encap csel gem uia itm tpiu; do
		"$MKCAPTURE" -f "$format" -m all -c 3000 --seed=7 -o c.bin 2>/dev/null ||
			"$MKCAPTURE" -f "$format" -c 3000 --seed=7 -o c.bin || continue
		agree "$format" -f "$format" c.bin
	done
	"$MKCAPTURE" -f syst/raw -m all -c 3000 --damage=flip,drop -o c.bin
	agree "damaged" -f syst/raw c.bin
	# what relates clocks comes late: times before it follow from it, too
	"$MKCAPTURE" -f syst/raw -m strings -c 9000 -o head.bin
	"$MKCAPTURE" -f syst/raw -m all -c 300 --seed=9 -o tail.bin
	cat head.bin tail.bin >c.bin
	run "$TRAWL" --no-cache -q -t table-csv --columns=first head.bin
	ok "ticks alone: no times" grep -q ',$' out
	run "$TRAWL" --no-cache -q -t table-csv --columns=first c.bin
	ok "clocks that are told late: times" grep -q ',[0-9][0-9]*$' out
	agree "clocks that are told late" --no-cache -f syst/raw c.bin
	"$TRAWL" --no-cache -q -t table --by=type,severity c.bin >want
	"$TRAWL" --cache-dir=kept --index c.bin 2>/dev/null
	"$TRAWL" --cache-dir=kept -q -t table --by=type,severity c.bin >got
	ok "clocks that are told late: as with an index" cmp want got
	rm -r kept
	"$MKCAPTURE" -f syst/raw -m catalog -c 3000 --collateral=c.xml -o c.bin
	agree "catalog" --collateral=c.xml -f syst/raw c.bin
	agree "catalog, without collateral" -f syst/raw c.bin
	# every text again and again, from other bytes
	"$MKCAPTURE" -f syst/raw -m printf -c 200 -o c.bin
	cat c.bin c.bin c.bin >repeated.bin
	agree "repeated" -f syst/raw repeated.bin
	"$MKCAPTURE" -f opencsd -m all -c 1500 --seed=7 -o snapshot
	if has_feature "CoreSight trace"; then
		agree "opencsd" snapshot
	else
		skip "opencsd" "built without OpenCSD"
	fi
	mkdir session && "$MKCAPTURE" -c 4000 session session
	agree "a session" session/session.yaml
else
	skip "captures of every format" "mkcapture is missing"
fi
# Logs of lines: levels, tags and texts of several lines by chance.
awk 'function r(n) { x = (x * 69069 + 1) % 4294967296; return int(x / 65536) % n }
	function line(i) {
		t += r(5000)
		at = sprintf("%02d:%02d:%02d.%06d", t / 3600000000 % 24, t / 60000000 % 60,
			t / 1000000 % 60, t % 1000000)
		printf "[%5d.%06d] core%d: word %d\n%s", t / 1000000, t % 1000000, r(4), r(999),
			r(9) ? "" : "  more of it\n" >"dmesg.log"
		printf "11-22 %s   80%d   83%d %s tag%d: word %d\n", at, r(3), r(4),
			substr("VDIWEF", 1 + r(6), 1), r(5), r(999) >"logcat.log"
		printf "2025-11-22T%sZ %s task%d: word %d\n", at, levels[1 + r(3)], r(5),
			r(999) >"iso.log"
	}
	BEGIN {
		x = 11
		split("INFO WARN ERROR", levels, " ")
		for (i = 0; i < 2000; i++)
			line(i)
	}'
for log in dmesg logcat iso; do
	agree "$log" -f text $log.log
	ok "$log: more rows than one" test "$(lines want)" -gt 3
done
agree "demo" "$demo"
agree "lab" "$testdata/lab.yaml"
agree "by time" --order=time "$testdata/lab.yaml"
agree "filtered" -e 'text ~ /a/' "$testdata/lab.yaml"
agree "from a time on" -S +0.1s -U +0.3s "$testdata/lab.yaml"

# One by one.
run "$TRAWL" -t table --by=severity --columns=count,share -s warning "$demo"
is "text: aligned, the most first" 'severity  count  share
ERROR        15    54%
WARNING      12    43%
FATAL         1     4%' "$(cat out)"
run "$TRAWL" --by=severity --sort=severity --columns=count -s warning "$demo"
is "--by alone is a table; sorted by a name" "severity ERROR FATAL WARNING" \
	"$(awk '{ print $1 }' out | tr '\n' ' ' | sed 's/ $//')"
run "$TRAWL" --by=severity --sort=-count --columns=count -s warning "$demo"
is "--sort: the other way" "severity FATAL WARNING ERROR" \
	"$(awk '{ print $1 }' out | tr '\n' ' ' | sed 's/ $//')"
cat >large.log <<'END'
2025-11-22T10:00:00.000000001Z INFO a: text
2025-11-22T10:00:00.000000003Z INFO b: text
2025-11-22T10:00:00.000000002Z INFO c: text
2025-11-22T09:00:00.000000000Z INFO d: text
END
run "$TRAWL" -f text --by=origin --sort=first --columns=first large.log
is "--sort: times that a double does not tell apart" "origin d a c b" \
	"$(awk '{ print $1 }' out | tr '\n' ' ' | sed 's/ $//')"
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "11-22 10:00:00.000  80  80 I a: common start %s%d\n",
	i % 3 ? "" : "of a text ", i * 7919 % 3000 }' >alike.log
run "$TRAWL" -f text --by=text --sort=text --columns=count alike.log
sed '1d; s/  *[0-9]*$//' out >got
LC_ALL=C sort got >want
ok "--sort: texts that begin alike" cmp want got
run "$TRAWL" -f text --by=text --sort=-text --columns=count alike.log
sed '1d; s/  *[0-9]*$//' out >got
LC_ALL=C sort -r got >want
ok "--sort: the same the other way" cmp want got
is "--sort: all of them" 3000 "$(lines got)"

# Numbers from 2^63 on, next to those below, the greatest there are and small ones, each of two
# senders: time stamps of raw SyS-T strings [SyS-T 1.0, message header: type 2, severity 4,
# length 9, time stamp 11, unit 12 to 15, module 16 to 22, subtype from 24 on].  As text of 20
# digits they are in the order of numbers.
awk 'function byte(v) { printf "\\%03o", v }
	function word(v,    i) { for (i = 0; i < 4; i++) { byte(v % 256); v = int(v / 256) } }
	function put(high, low, start, rest) {
		module = n * 37 % 120
		word(2 + 64 + 512 + 2048 + module * 65536 + 16777216)
		byte(2); byte(0)
		word(low); word(high)
		byte(120); byte(0)
		printf "%s%0" (20 - length(start)) "d %d\n", start, rest, module >"wide"
		n++
	}
	BEGIN {
		for (i = 0; i < 60; i++) {
			k = int(i / 8)
			twice = i % 2
			if (i % 8 < 2) put(2147483648, k, "0922337203685477", 5808 + k)
			else if (i % 8 < 4) put(2147483647, 4294967295 - k, "0922337203685477", 5807 - k)
			else if (i % 8 < 6) put(4294967295, 4294967295 - k, "184467440737095", 51615 - k)
			else put(0, k, "", k)
		}
	}' >wide.esc
printf "$(cat wide.esc)" >wide.bin
numbers_of() { sed 's/^0*\([0-9]\)/\1/' | awk '{ print $2, $1 }'; }
is "numbers from 2^63 on: there are both" "2 2 2" "$(for n in 09223372036854775807 \
	09223372036854775808 18446744073709551615; do grep -c "^$n" wide; done | tr '\n' ' ' | sed 's/ $//')"
LC_ALL=C sort -k 1,1r -k 2,2n wide | numbers_of >want
for column in max min sum p50 p99; do
	run "$TRAWL" -f syst --by=module --of=ticks --sort=$column --columns=$column wide.bin
	sed 1d out | awk '{ print $1, $2 }' >got
	ok "--sort=$column: numbers from 2^63 on" cmp want got
done
run "$TRAWL" -f syst --by=module --of=ticks --sort=-max --columns=max wide.bin
sed 1d out | awk '{ print $1, $2 }' >got
LC_ALL=C sort -k 1,1 -k 2,2n wide | numbers_of >want
ok "--sort=-max: the same the other way" cmp want got

# More rows than a part of a table keeps for the next one, and every third once only.
cat >many.yaml <<'END'
traces:
  - match: "*.log"
    format: text
    text: {pattern: '^(?<time>[0-9:.]+) (?<origin>\w+): <(?<pid>\d+)> ', time: clock}
END
awk 'BEGIN {
		for (i = 0; i < 150000; i++) {
			key = i % 3 ? i * 7919 % 40000 : 40000 + i
			printf "10:00:00.000 k%d: <%d> text %d\n", key, i % 1000, key
		}
	}' >many.log
awk '{
		sub(/:$/, "", $2)
		gsub(/[<>]/, "", $3)
		count[$2]++
		sum[$2] += $3
		max[$2] = $3 > max[$2] + 0 ? $3 : max[$2] + 0
	}
	END { for (key in count) print key, count[key], sum[key], max[key] }' many.log | sort >want
for by in origin text origin,text; do
	for threads in 1 2; do
		run "$TRAWL" --no-cache --threads=$threads -p many.yaml -t table-csv --by=$by --of=pid \
			--columns=count,sum,max many.log
		sed '1d; s/"\(text \)*//; s/"//g; s/,text [0-9]*//; s/,/ /g; s/^\([0-9]\)/k\1/' out | sort >got
		ok "tables of many rows, by $by, $threads threads" cmp want got
	done
done
is "... so many" true "$(test "$(lines want)" -gt 16384 && echo true)"
run "$TRAWL" -t table-jsonl --by=master --of=gap --columns=count,p50,first -r 'reset cause' "$demo"
is "jsonl: numbers are numbers" '{"master":1,"count":2,"first":20182,"p50":' \
	"$(sed 's/\("p50":\).*/\1/' out)"
run "$TRAWL" -t table-jsonl --by=module --columns=count -e 'trace_number <= 5' "$demo"
is "a message without a value is a row" '{"module":null,"count":5}
{"module":33,"count":1}' "$(cat out)"
run "$TRAWL" --by=context.task --columns=count --source=log "$testdata/lab.yaml"
ok "contexts" grep -q '^idle ' out
run "$TRAWL" --by=trace --of=gap --columns=p50,max --source=cam "$testdata/lab.yaml"
ok "durations have units" grep -q '^cam  *[0-9.]* us  *[0-9.]* ms$' out

# Time in state.  The demo's overlays by its JSON lines: a state begins where its name is another
# than that of the message before, and the last lasts to the last message of its trace.  Of a
# time the first four digits go, as numbers of awk have 53 bits.
cat >states.awk <<'AWK'
function note(name, took) {
	sum[name] += took
	spans[name]++
	most[name] = took > most[name] ? took : most[name]
}
match($0, /"time":[0-9]+/) { time = substr($0, RSTART + 11, RLENGTH - 11) + 0 }
match($0, /"overlay":\{[^}]*"name":"[a-z]*"/) {
	name = substr($0, RSTART, RLENGTH)
	sub(/.*:"/, "", name)
	sub(/"/, "", name)
	if (name != state) {
		if (state != "")
			note(state, time - since)
		state = name
		since = time
	}
}
END {
	note(state, time - since)
	for (name in sum)
		printf "\"%s\",%d,%.0f,%.3f,%.0f\n", name, spans[name], sum[name],
			sum[name] / (sum["day"] + sum["night"]), most[name]
}
AWK
run "$TRAWL" -q -t jsonl --source=dsp "$testdata/lab.yaml"
awk -f states.awk out | sort >want
run "$TRAWL" -q -t table-csv --by=context.overlay --of=span.overlay \
	--columns=values,sum,part,max --source=dsp -e 'context.overlay' "$testdata/lab.yaml"
sed 1d out | awk -F, '{ printf "%s,%d,%.0f,%.3f,%.0f\n", $1, $2, $3, $4, $5 }' | sort >got
ok "time in state: as the JSON lines tell" cmp want got
is "time in state: of two" 2 "$(lines want)"

# Random lines: which process wrote last, by its tag, and which thread, whatever the tag.
awk 'function r(n) { x = (x * 69069 + 1) % 4294967296; return int(x / 65536) % n }
	BEGIN { x = 7; t = 0; for (i = 0; i < 3000; i++) { t += r(9)
		printf "11-22 10:%02d:%02d.%03d   80%d   83%d I tag%d: text\n", int(t / 60000),
			int(t / 1000) % 60, t % 1000, r(3), r(4), r(3) } }' >random.log
cat >random.yaml <<END
traces: [{file: random.log, format: text, text: {preset: logcat}}]
contexts:
  - {name: mode, field: pid}
  - {name: thread, field: tid, per: trace}
END
cat >states.awk <<'AWK'
function note(name, took,    i) {
	for (i = spans[name]++; i > 0 && all[name, i - 1] > took; i--)
		all[name, i] = all[name, i - 1]
	all[name, i] = took
	sum[name] += took
	total += took
}
{
	split($2, c, /[:.]/)
	time = (c[2] * 60000 + c[3] * 1000 + c[4]) * 1000000
	who = of == 3 ? $6 : ""
	seen = who in state
	if (!seen || $of != state[who]) {
		if (seen)
			note(state[who], time - since[who])
		state[who] = $of
		since[who] = time
	}
}
END {
	for (who in state)
		note(state[who], time - since[who])
	for (name in sum)
		printf "\"%s\",%d,%.0f,%.9f,%.0f,%.0f,%.0f\n", name, spans[name], sum[name],
			sum[name] / total, all[name, 0],
			all[name, int((spans[name] * 90 + 99) / 100) - 1],
			all[name, spans[name] - 1]
}
AWK
for context in mode thread; do
	awk -v of="$(test $context = mode && echo 3 || echo 4)" -f states.awk random.log | sort >want
	run "$TRAWL" -t table-csv --by=context.$context --of=span.$context \
		--columns=values,sum,part,min,p90,max random.yaml
	sed 1d out | awk -F, '{ printf "%s,%d,%.0f,%.9f,%.0f,%.0f,%.0f\n", $1, $2, $3, $4, $5, $6,
		$7 }' | sort >got
	ok "time in state: random: $context" cmp want got
	run "$TRAWL" -t csv --fields=span.$context random.yaml
	is "time in state: random: $context: a length for each" \
		"$(awk -F, '{ n += $2 } END { print n }' want)" "$(sed 1d out | grep -c '[0-9]')"
done

# Captures of the formats that have contexts of their own, by a line for each message: what its
# context is, as a column shows it, and its JSON.  A state begins where another value stands in
# the lane, or one without doubt where it was doubtful, or where what was lost may have changed
# it; it has a length if there are times where it begins and where the next one does.
cat >shown.awk <<'AWK'
function field(name) {
	if (!match($2, "\"" name "\":(\"([^\"\\\\]|\\\\.)*\"|-?[0-9]+)"))
		return ""
	return substr($2, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}
function note(lane, until,    name, took) {
	name = state[lane]
	if (name == "" || since[lane] == "" || until == "")
		return
	took = until - since[lane]
	spans[name]++
	sum[name] += took
	most[name] = took > most[name] ? took : most[name]
}
{
	lane = trace = field("trace")
	if (per != "trace")
		lane = trace " " field("origin")
	time = field("time")
	if (time == "")
		time = field("ticks")
	if (time != "") {
		# no difference is as long as 15 digits, no number of awk's longer
		if (length(time) > 15)
			time = substr(time, length(time) - 14)
		if (base == "")
			base = time + 0
		time -= base
		last[trace] = time
	}
	value = $1
	doubt = sub(/ \?$/, "", value)
	if (value == "")
		next
	lost = $2 ~ /"flags":\[[^]]*"lost"/
	if (!(lane in state) || value != state[lane] || (!doubt && (doubtful[lane] || lost))) {
		note(lane, time)
		state[lane] = value
		since[lane] = time
		trace_of[lane] = trace
	}
	doubtful[lane] = doubt
}
END {
	for (lane in state)
		note(lane, last[trace_of[lane]])
	for (name in spans)
		printf "%s,%d,%.0f,%.0f\n", name, spans[name], sum[name], most[name]
}
AWK
# As people read it, for ticks; a value that began doubtful and one that did not are one here.
cat >rows.awk <<'AWK'
NR > 1 && $(NF - 2) + 0 {
	name = $1
	for (i = 2; i < NF - 2; i++)
		name = name " " $i
	sub(/ \?$/, "", name)
	spans[name] += $(NF - 2)
	sum[name] += $(NF - 1)
	most[name] = $NF > most[name] ? $NF : most[name]
}
END {
	for (name in spans)
		printf "%s,%d,%.0f,%.0f\n", name, spans[name], sum[name], most[name]
}
AWK
# spend CONTEXT PER LEAST OPTION...
spend()
{
	context=$1
	per=$2
	least=$3
	shift 3
	"$TRAWL" -q --template="{context.$context}" "$@" >shown
	"$TRAWL" -q -t jsonl "$@" >jsonl
	paste shown jsonl | awk -F'\t' -v per="$per" -f shown.awk | sort >want
	"$TRAWL" -q -t table --by=context.$context --of=span.$context --columns=values,sum,max \
		"$@" | awk -f rows.awk | sort >got
	ok "time in state: $what: $context" cmp want got
	ok "time in state: $what: $context: in some states" test "$(lines want)" -ge "$least"
}
# The same of nanoseconds, where values are words without commas.
spend_time()
{
	"$TRAWL" -q --template="{context.mode}" "$@" >shown
	"$TRAWL" -q -t jsonl "$@" >jsonl
	paste shown jsonl | awk -F'\t' -v per="$per" -f shown.awk | sort >want
	"$TRAWL" -q -t table-csv --by=context.mode --of=span.mode --columns=values,sum,max "$@" |
		awk -F, 'NR > 1 && $2 {
			gsub(/"| \?"?$/, "", $1)
			spans[$1] += $2
			sum[$1] += $3
			most[$1] = $4 + 0 > most[$1] ? $4 + 0 : most[$1]
		}
		END {
			for (name in spans)
				printf "%s,%d,%.0f,%.0f\n", name, spans[name], sum[name], most[name]
		}' | sort >got
	ok "time in state: $what" cmp want got
	ok "time in state: $what: in some states" test "$(lines want)" -ge 3
}
if test -x "$MKCAPTURE"; then
	for seed in 1 2; do
		for of in csel:run csel:event syst/stp:module opencsd:channel; do
			format=${of%:*}
			what="$format, $seed: ${of#*:}"
			if test $format = opencsd && ! has_feature "CoreSight trace"; then
				skip "time in state: $what" "built without OpenCSD"
				continue
			fi
			rm -rf c.bin
			"$MKCAPTURE" -f $format -c 3000 --seed=$seed -o c.bin
			per=trace
			cat >c.yaml <<END
traces: [{file: c.bin, format: $format}]
contexts: [{name: mode, field: ${of#*:}, per: trace}]
END
			spend_time c.yaml
		done
		rm -rf c.bin
		# GEM has no time by itself
		"$MKCAPTURE" -f gem -c 3000 --seed=$seed -o c.bin
		cat >c.yaml <<END
traces: [{file: c.bin, format: gem}]
contexts: [{name: mode, field: type_id}]
END
		run "$TRAWL" -q -t table-csv --by=context.mode --of=span.mode --columns=values,sum c.yaml
		is "time in state: gem, $seed: none without times" "" "$(sed 1d out | grep -v ',0,$')"
		ok "time in state: gem, $seed: in some states" test "$(lines out)" -ge 3
		what="encap, $seed"
		"$MKCAPTURE" -f encap -m all --timestamp=4 -c 3000 --seed=$seed -o c.bin
		spend privilege origin 3 -f encap c.bin
		for format in itm tpiu; do
			what="$format, $seed"
			"$MKCAPTURE" -f $format -m all -c 3000 --seed=$seed -o c.bin
			spend exception trace 50 -f $format c.bin
		done
		# by fields, whatever the core: its clocks lead back in time too
		for field in event_id module_id; do
			for per in origin trace; do
				what="uia, $seed: $field of each $per"
				echo "traces: [{file: c.bin, format: uia}]" >c.yaml
				echo "contexts: [{name: mode, field: $field, per: $per}]" >>c.yaml
				"$MKCAPTURE" -f uia -c 3000 --seed=$seed -o c.bin
				spend mode $per 3 c.yaml
			done
		done
		ok "time in state: uia, $seed: back in time" grep -q ',-' want
		run "$TRAWL" -q -t table-csv --by=context.mode --of=span.mode --columns=part c.yaml
		is "time in state: uia, $seed: lengths with a minus make no whole" "" \
			"$(sed 1d out | grep -v ',$')"
		# senders under one name have states of their own
		cat >c.yaml <<END
traces: [{file: c.bin, format: uia}]
contexts: [{name: mode, field: event_id}]
END
		{ cat c.yaml && echo "origins: [{id: 1, name: one}, {id: 2, name: one}]"; } >named.yaml
		for profile in c named; do
			run "$TRAWL" -q -t table-csv --by=context.mode --of=span.mode \
				--columns=values,sum,max $profile.yaml
			cp out $profile.csv
			run "$TRAWL" -q --by=origin $profile.yaml
			lines out >$profile.origins
		done
		ok "time in state: uia, $seed: two under one name" \
			test "$(cat named.origins)" -lt "$(cat c.origins)"
		ok "time in state: uia, $seed: they have states of their own" cmp c.csv named.csv
	done
else
	skip "time in state: captures" "mkcapture is missing"
fi

run "$TRAWL" -q -t table --by=context.mode --of=span.moed random.yaml
ok "time in state: an unknown one" grep -q 'no context is named moed' err
run "$TRAWL" --by=context.privilege --of=span.privilege --columns=values,part \
	--profile="$testdata/all-encap.profile.yaml" "$testdata/all-encap.bin"
ok "time in state: of a context that no profile names" grep -q '^M  *[1-9][0-9]*  *[0-9]*%$' out

refuses()
{
	run "$TRAWL" "$2" "$3" "$demo"
	is "$1: status" 2 "$status"
	ok "$1: why" grep -qF -- "$4" err
	is "$1: one line" 1 "$(lines err)"
}
refuses "an unknown name" -q --by=sevrity 'no column is named "sevrity"; did you mean severity?'
refuses "an unknown column" --by=origin --sort=cuont 'it has count, share, first'
refuses "numbers without --of" --by=origin --sort=p50 'it has count, share, first'
refuses "columns of messages" --by=origin --columns=delta 'it has count, share, first'
refuses "messages by name" -tjsonl --by=origin 'are for -t table, table-csv and table-jsonl'
refuses "a part" --by=origin --split=1/2 '-t table needs whole captures'
finish
