#!/bin/sh
# The demo session: five traces, each by a clock of its own, against the truth of
# who sent what when; on the list, in each format, and in other viewers.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
lab=$testdata/lab.yaml

run "$TRAWL" -t jsonl "$lab"
mv out lab.jsonl
is "status: frames are lost" 1 "$status"
is "standard error names what was lost" "trawl: 2 lost messages; -t text marks them" "$(cat err)"
is "five traces" 5 "$(sed 's/.*"trace":"\([a-z]*\)".*/\1/' lab.jsonl | sort -u | wc -l | tr -d ' ')"

# Trace, place and time of every message of which the truth is known; the place of
# a SyS-T message is its last byte.
sed -n 's/^{[^,]*,"trace":"\([a-z]*\)","offset":\([0-9]*\),"length":\([0-9]*\),"ticks":[^,]*,"time":\([0-9]*\),.*/\1 \2 \3 \4/p' \
	lab.jsonl >timed
ok "nearly all messages have times" test "$(lines timed)" -gt 400
# The last twelve digits are the nanoseconds of a quarter of an hour: awk's numbers
# are exact there.
awk '
	function short(time) { return substr(time, length(time) - 11) + 0 }
	NR == FNR { truth[$1 " " $2] = short($3); next }
	{
		place = $1 " " ($1 == "soc" ? $2 + $3 - 1 : $2)
		if (!(place in truth))
			next
		off = short($4) - truth[place]
		known++
		if (off < 0)
			off = -off
		if (off > 2000)
			print $0, "is off by", off, "ns"
	}
	END { print known, "compared" }' "$testdata/lab.truth.tsv" timed >compared
is "times are true within 2 us" 0 "$(grep -c 'off by' compared)"
ok "... of nearly all messages" \
	test "$(sed -n 's/ compared$//p' compared)" -gt 350

# Here no trace steps back, so times never do.
awk '{ print substr($4, length($4) - 11) + 0 }' timed >times
sort -n times >sorted
ok "in the order of time" cmp sorted times

run "$TRAWL" -t text "$lab"
is "text: time, severity, trace and origin, text" \
	'2025-11-21 10:06:40.234386371 E soc mailbox          timeout: seq 70 given up after 27800 us' \
	"$(grep -h timeout: out)"
run "$TRAWL" --wide "$lab"
is "--wide: the number, and the trace in a column of its own" \
	'     311 2025-11-21 10:06:40.234386371 soc      E mailbox          timeout: seq 70 given up after 27800 us' \
	"$(grep -h timeout: out)"
# Lines of JSON are in the order of the session, and `n` is the number in the trace.
"$TRAWL" -q -t jsonl "$lab" |
	sed 's/^{"n":\([0-9]*\),"trace":"\([^"]*\)".*"severity":"*\([A-Za-z]*\).*/\1 \2 \3/' |
	awk '{ print NR, $0 }' >numbered
awk '$4 ~ /ERROR|FATAL/ { print $1, $2, $3 }' numbered >want
for filter in "-s error" "-s error --threads=1" \
	"-S +0ms -s error"; do
	# shellcheck disable=SC2086  # options, split at blanks
	"$TRAWL" -q --template='{number} {trace_number} {trace}' $filter "$lab" >got
	ok "number: of the session, from 1: $filter" cmp want got
done
"$TRAWL" -q --wide -s error "$lab" | awk '{ print $1, $4 }' >got
awk '{ print $1, $3 }' want >same
ok "text: the same" cmp same got
awk '$3 == "soc" || $3 == "dsp" { print ++n, $2, $3, $4 }' numbered |
	awk '$4 ~ /ERROR|FATAL/ { print $1, $2, $3 }' >want
"$TRAWL" -q --template='{number} {trace_number} {trace}' -s error \
	--source=soc,dsp "$lab" >got
ok "number: other traces do not count with --source" cmp want got

run "$TRAWL" -t csv "$lab"
is "csv: the time" 1763719600234386371 "$(grep timeout: out | cut -d , -f 6)"

is "contexts: the overlay of the day is recovered" \
	'{"value":"0x80020001","name":"day","since":264,"recovered":true}' \
	"$(sed -n 's/^{"n":22,"trace":"dsp".*"overlay":\({[^}]*}\).*/\1/p' lab.jsonl)"
is "contexts: that of the words holds for the log" '0x80020001 day 0x80020002 night' \
	"$(echo $(sed -n 's/.*"text":"frame \(6\|9\): done,.*"overlay":{"value":"\([^"]*\)","name":"\([^"]*\)".*/\2 \3/p' lab.jsonl))"

# Slices of contexts: one after the other in each lane, and where they were said.
if command -v python3 >/dev/null; then
	run "$TRAWL" -t perfetto "$lab"
	mv out lab.json
	cat >check.py <<-'PY'
		import json
		from decimal import Decimal
		events = json.load(open("lab.json"), parse_float=Decimal)
		names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
		         if e["name"] == "thread_name"}
		process = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
		assert sorted(process.values()) == ["cam", "dsp", "hub", "log", "soc"]
		labels = {e["args"]["labels"] for e in events if e["name"] == "process_labels"}
		assert labels == {"0 is 2025-11-21T10:06:40Z"}, labels
		lanes = {}
		for e in events:
		    if e["ph"] == "X":
		        lanes.setdefault((process[e["pid"]], names[e["pid"], e["tid"]]), []).append(e)
		assert sum(e["ph"] == "i" for e in events) == len(open("lab.jsonl").readlines())
		for lane in lanes.values():
		    lane.sort(key=lambda e: e["ts"])
		    for a, b in zip(lane, lane[1:]):
		        assert a["ts"] + a["dur"] <= b["ts"], (a, b)
		overlays = [e["name"] for e in lanes["dsp", "overlay of GEM"]]
		assert overlays == ["day", "night", "day", "night"], overlays
		tasks = [e["name"] for e in lanes["log", "task of core 1 logger 1"]]
		assert tasks[:4] == ["filter", "idle", "filter", "idle"] and "loader" in tasks, tasks
	PY
	ok "perfetto: lanes of contexts" python3 check.py
else
	skip "perfetto: lanes of contexts" "no python3"
fi

if command -v babeltrace2 >/dev/null; then
	"$TRAWL" -t ctf -o ctf "$lab"
	babeltrace2 --clock-seconds ctf >read
	sed 's/.* n = \([0-9]*\), trace = "\([a-z]*\)", offset = \([0-9]*\),.*/\1 \2 \3/' read >got
	sed 's/^{"n":\([0-9]*\),"trace":"\([a-z]*\)","offset":\([0-9]*\),.*/\1 \2 \3/' lab.jsonl >want
	ok "ctf: the same messages in the same order" cmp want got
	is "ctf: the time and the contexts" \
		'[1763719600.234886739] night' \
		"$(sed -n 's/^\([^ ]*\) .*trace = "dsp".* type = "second", text = "User data=0x80020002 seq 0x00024.* context0_overlay = "\([^"]*\)".*/\1 \2/p' read)"
else
	skip "ctf: the same messages in the same order" "no babeltrace2"
fi

# A pattern also finds an origin after its trace, as in the list, but no trace alone.
run "$TRAWL" -t csv -e 'trace = soc and origin = mailbox' "$lab"
ok "the mailbox sends" test "$(lines out)" -gt 1
cp out mailbox.csv
run "$TRAWL" -t csv -r 'soc mailbox' "$lab"
ok "-r 'TRACE ORIGIN': the messages of both" cmp mailbox.csv out
run "$TRAWL" -t csv -e '/soc mailbox/ and /send/' "$lab"
is "... with another pattern" "$(grep -c '"send' mailbox.csv)" "$(sed 1d out | grep -c .)"
run "$TRAWL" -t csv -r '^soc' "$lab"
is "... not for the trace alone" 1 "$(lines out)"
run "$TRAWL" -t csv -e 'origin ~ /soc mailbox/' "$lab"
is "origin ~ is the plain origin" 1 "$(lines out)"
run "$TRAWL" -t csv -r 'soc mailbox' "$testdata/lab-soc.stp"
is "a single trace: the list shows no trace" 1 "$(lines out)"

finish
