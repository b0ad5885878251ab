#!/bin/sh
# What other viewers open: the same messages in the same order, at the same times,
# as -t jsonl, by readers that are not ours.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

set -- "$testdata"/*.stp "$testdata"/*.bin "$testdata"/*.csel "$testdata"/*.txt \
	"$testdata/all-opencsd" "$testdata/damaged-opencsd" # all captures

# Lines of: n trace offset length severity time-or-null estimated?
list_jsonl()
{
	unrated "$1" | sed 's/"severity":null/"severity":"none"/; s/^{"n":\([0-9]*\),"trace":"\([^"]*\)","offset":\([0-9]*\),"length":\([0-9]*\),"ticks":[^,]*,"time":\([^,]*\),"severity":"\([A-Za-z0-9]*\)".*"flags":\[\([^]]*\)\].*/\1 \2 \3 \4 \6 \5 \7/' |
		awk '{ doubt = $6 == "null" || index($0, "estimated") ? " estimated" : "" }
		{ print $1, $2, $3, $4, $5, $6 doubt }'
}

# The same from babeltrace2, which tells the time of the stream.
list_ctf()
{
	sed 's/^\[\([0-9-]*\)\.\([0-9]*\)\] ([^)]*) message: { late = \([0-9]*\), n = \([0-9]*\), trace = "\([^"]*\)", offset = \([0-9]*\), length = \([0-9]*\), severity = ( "\([A-Za-z0-9]*\)" .* flags = "\([^"]*\)".*/\1 \2 \3 \4 \5 \6 \7 \8 \9/' \
		"$1" | awk '{
			# numbers of awk are too short for nanoseconds since 1970
			digits = length($3)
			seconds = $1 - (digits > 9 ? substr($3, 1, digits - 9) : 0)
			ns = $2 - (digits > 9 ? substr($3, digits - 8) : $3)
			if (ns < 0) { ns += 1000000000; seconds-- }
			sign = ""
			if (seconds < 0) {
				sign = "-"
				seconds = -seconds - (ns > 0)
				ns = ns ? 1000000000 - ns : 0
			}
			time = seconds ? sprintf("%d%09d", seconds, ns) : ns
			flags = ""
			for (i = 9; i <= NF; i++) flags = flags " " $i
			print $4, $5, $6, $7, $8, sign time flags
		}'
}

# What babeltrace2 finds in a folder, in `got`; what is wanted of it, in `want`:
# times of messages that have none are those of others.
compare_ctf()
{
	babeltrace2 --clock-seconds "$1" >read 2>err
	list_ctf read | sed 's/ [a-z ]*estimated.*/ estimated/; t
		s/ [-a-z ]*$//' >shown
	list_jsonl out >want.all
	sed 's/ null estimated$/ estimated/' want.all >want
	awk 'NR == FNR { null[NR] = $6 == "null"; next }
		null[FNR] { $6 = "" } { $1 = $1; print }' want.all shown |
		sed 's/  / /' >got
}

demo=$testdata/demo.stp
run "$TRAWL" -t ctf "$demo"
is "ctf: without -o" 2 "$status"
ok "ctf: ... says so" grep -q -e '-o' err
mkdir kept
echo mine >kept/notes
run "$TRAWL" -t ctf -o kept "$demo"
is "ctf: never over a folder" 2 "$status"
run "$TRAWL" -t ctf -o kept --force "$demo"
is "ctf: not with --force either, if it holds files" 2 "$status"
is "ctf: ... which stay" "notes" "$(cd kept && echo *)"
mkdir empty
run "$TRAWL" -t ctf -o empty/ "$demo"
is "ctf: but over an empty one" 1 "$status" # the demo is damaged
ok "ctf: the metadata" grep -q '^/\* CTF 1.8 \*/$' empty/metadata

# Two traces that nothing relates are two folders.
run "$TRAWL" -t ctf -o again "$testdata/lab-soc.stp" "encap:$testdata/lab-hub.enc"
ok "ctf: two clocks" test -s again/clock1/stream -a -s again/clock2/stream
is "ctf: ... and no other" "clock1 clock2" "$(cd again && echo *)"

run "$TRAWL" -t ctf -o new --split=1/2 "$demo"
is "ctf: not of a part" 2 "$status"

if command -v babeltrace2 >/dev/null; then
	for capture; do
		title=${capture##*/}
		rm -rf ctf
		"$TRAWL" -t jsonl "$capture" >out
		"$TRAWL" -t ctf -o ctf "$capture" 2>/dev/null
		compare_ctf ctf
		ok "ctf: $title: the same messages" cmp want got
	done
	"$TRAWL" -t jsonl "$demo" >out
	sed -n 's/.*"text":"\([^"\\]*\)","flags".*/\1/p' out | sed 's/^$/-/' >want
	babeltrace2 empty | sed -n 's/.*, text = "\([^"\\]*\)", flags.*/\1/p' >got
	ok "ctf: the texts" cmp want got
	ok "ctf: ... of nearly all" test "$(lines got)" -gt 250
else
	skip "ctf: the same messages" "no babeltrace2"
fi

# Each event is a line, in an array; times in microseconds are exact.
if command -v python3 >/dev/null; then
	cat >check.py <<-'PY'
		import json, sys
		from decimal import Decimal
		events = json.load(open("json", encoding="utf-8"), parse_float=Decimal)
		want = [json.loads(line) for line in open("rated", encoding="utf-8")]
		names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
		threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
		           if e["name"] == "thread_name"}
		instants = [e for e in events if e["ph"] == "i"]
		assert len(instants) == len(want), (len(instants), len(want))
		base = {}
		for e, w in zip(instants, want):
		    a = e["args"]
		    got = (names[e["pid"]], a["n"], a["offset"], a["length"], a["severity"], a["type"])
		    w["severity"] = w["severity"] or "none"
		    assert got == tuple(w[k] for k in ("trace", "n", "offset", "length", "severity", "type"))
		    assert e["name"] == (w["text"] or w["type"]), e
		    assert threads[e["pid"], e["tid"]] == (w["origin"] or "(nobody)")
		    assert a.get("time") == w["time"]
		    if w["time"] is not None: # from the second of the first on; before that: 0
		        base.setdefault(e["pid"], w["time"] // 1000000000 * 1000000000)
		        assert e["ts"] * 1000 == max(w["time"] - base[e["pid"]], 0), e
	PY
	for capture; do
		"$TRAWL" -t jsonl "$capture" >out 2>err
		"$TRAWL" -t perfetto "$capture" >json 2>err
		unrated out >rated
		ok "perfetto: ${capture##*/}" python3 check.py
	done
	# A disk that fills up, as a limit on the size of files.
	(
		ulimit -f 16
		trap '' XFSZ
		"$TRAWL" -t perfetto -o cut.json "$demo" 2>err
		echo $? >status
	)
	is "perfetto: no room: status" 2 "$(cat status)"
	ok "perfetto: no room: nothing is left" test ! -e cut.json
else
	skip "perfetto" "no python3"
fi

finish
